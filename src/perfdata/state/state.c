/* SPDX-License-Identifier: ISC */
/*
 * state.c - the objects that addresses belong to, the names of addresses in them, and the records
 * that change them.
 */
#include "src/perfdata/state/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"

/* ---- objects */

#define UNCLEAR (BUILD_ID_MAX + 1) /* the length stored for an id that is listed with two values */

static void
free_dso(struct dso *o)
{
	symtab_free(o->own);
	mem_free(o->texts);
	mem_free(o->place);
	if (o->later != NULL)
		mem_free(o->later->tab);
	mem_free(o->later);
	mem_free(o);
}

static void
dsos_free(struct dsos *d)
{
	size_t i;

	for (i = 0; i < d->key.count; i++)
		free_dso(d->item[i]);
	mem_free(d->item);
	mem_free(d->id);
	tab_free(&d->key);
	tab_free(&d->named);
	listed_free(&d->listed);
	buf_free(&d->scratch);
}

/* Returns the last component of a path, or the path if that is empty. */
static struct slice
base_name(struct slice path)
{
	struct slice base = slice_base(path);

	return base.len == 0 ? path : base;
}

/* Writes the base name in brackets, unless it has brackets already. */
static bool
put_bracketed(struct buf *raw, struct slice base)
{
	if (base.len > 1 && base.p[0] == '[' && base.p[base.len - 1] == ']')
		return buf_put(raw, base.p, base.len);
	return buf_putc(raw, '[') && buf_put(raw, base.p, base.len) && buf_putc(raw, ']');
}

static bool
put_texts(const struct dso *o, struct buf *raw, struct buf all[3])
{
	return put_bracketed(raw, base_name(o->path)) && buf_put(&all[0], "\tdso=", 5) &&
	    esc_append(&all[0], o->path.p, o->path.len, ESC_COLUMN) &&
	    (!o->guessed || buf_put(&all[0], "\tforced=1", 9)) &&
	    esc_append(&all[1], raw->p, raw->len, ESC_COLUMN) &&
	    esc_append(&all[2], raw->p, raw->len, ESC_ELEMENT);
}

/* Makes the texts of an object that has none yet.  Returns false if memory runs out. */
static bool
make_texts(struct dso *o)
{
	struct buf raw = { 0 }, all[3] = { { 0 } };
	struct slice *to[3];
	size_t i, at = 0;

	if (put_texts(o, &raw, all))
		o->texts = mem_zero(1,
		    sizeof *o->texts + SHORT_BLOCKS(all[0].len) + all[1].len + all[2].len);
	if (o->texts != NULL) {
		to[0] = &o->texts->tag;
		to[1] = &o->texts->region;
		to[2] = &o->texts->bracket;
		for (i = 0; i < 3; at += all[i++].len) {
			memcpy(o->texts->bytes + at, all[i].p, all[i].len);
			*to[i] = (struct slice){ o->texts->bytes + at, all[i].len };
		}
	}
	for (i = 0; i < 3; i++)
		buf_free(&all[i]);
	buf_free(&raw);
	return o->texts != NULL;
}

/* Sets the build id from a mapping of the kernel or a module, unless it is already known. */
static void
dso_set_build_id(struct dso *o, const unsigned char *id, size_t len)
{
	if (o->build_id_len != 0 || len == 0 || len > BUILD_ID_MAX)
		return;
	memcpy(o->build_id, id, len);
	o->build_id_len = (uint8_t)len;
	mem_free(o->place);
	o->place = NULL;
}

/*
 * Gives o, which is a module and so has a different name, the build id that the recording lists for
 * PATH.
 */
static void
dso_take_listed_build_id(const struct dsos *d, struct dso *o, struct slice path)
{
	size_t n = tab_find(&d->named, path);

	if (n == TAB_NONE)
		return;
	o->unclear = d->id[n][0] == UNCLEAR;
	dso_set_build_id(o, d->id[n] + 1, d->id[n][0]);
}

static struct dso *
make(struct dsos *d, size_t n, enum dso_kind kind, struct slice path, uint32_t pid)
{
	struct dso *o = mem_zero(1, sizeof *o);

	if (o == NULL)
		return NULL;
	o->kind = (uint8_t)kind;
	o->pid = pid;
	o->path = path;
	d->item[n] = o;
	return o;
}

/*
 * Returns an object, creating it if necessary.  HEAD distinguishes objects with the same path.  Its
 * first byte is the kind, and the first two bytes determine its length.
 */
static struct dso *
get(struct dsos *d, struct slice head, struct slice path, uint32_t pid, bool *fresh)
{
	struct buf *key = &d->scratch;
	enum dso_kind kind = (enum dso_kind)(unsigned char)head.p[0];
	struct slice kept;
	struct dso *o;
	size_t n;

	key->len = 0;
	/* make room first, so that a new key always has its object */
	if (!vec_room(d->item, d->key.count, d->cap) || !buf_put(key, head.p, head.len) ||
	    !buf_put(key, path.p, path.len))
		return NULL;
	n = tab_add(&d->key, buf_slice(key), fresh);
	if (n == TAB_NONE || !*fresh)
		return n == TAB_NONE ? NULL : d->item[n];
	kept = d->key.item[n];
	o = make(d, n, kind, (struct slice){ kept.p + head.len, kept.len - head.len }, pid);
	if (o == NULL)
		d->key.count--;
	return o;
}

/*
 * Returns the object of that kind and path, creating it if necessary.  It lives as long as the
 * table.  Returns NULL if memory runs out.
 */
static struct dso *
dsos_get(struct dsos *d, enum dso_kind kind, struct slice path, uint32_t pid)
{
	char head[1 + sizeof pid];
	struct dso *o;
	bool fresh;

	head[0] = (char)kind;
	memcpy(head + 1, &pid, sizeof pid);
	o = get(d, (struct slice){ head, sizeof head }, path, pid, &fresh);
	if (o != NULL && fresh)
		dso_take_listed_build_id(d, o, o->path);
	return o;
}

struct mapping {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t prot;
	const unsigned char *build_id;
	size_t build_id_len; /* 0: unknown */
	struct sym_file file; /* all 0 if there is a build id */
	uint64_t time; /* 0: not recorded when it happened */
	struct slice path;
};

/* The bytes that tell files with the same path apart: the kind, a length, and an id or an inode. */
struct file_head {
	char bytes[2 + BUILD_ID_MAX];
	size_t len;
};

static struct file_head
head_of(const struct mapping *m)
{
	struct file_head h = { { DSO_FILE, (char)m->build_id_len }, 2 };
	const struct sym_file *f = &m->file;

	if (m->build_id_len != 0) {
		memcpy(h.bytes + h.len, m->build_id, m->build_id_len);
		h.len += m->build_id_len;
		return h;
	}
	/* not the generation, which perf does not know when it makes the record itself */
	memcpy(h.bytes + h.len, &f->major, sizeof f->major);
	memcpy(h.bytes + h.len + 4, &f->minor, sizeof f->minor);
	memcpy(h.bytes + h.len + 8, &f->inode, sizeof f->inode);
	h.len += 16;
	return h;
}

/*
 * Does the same for a mapped file.  Files with the same path are different objects if their build
 * ids differ or, where mappings have none, their inodes.  Without a build id the object gets the
 * one listed for the path.
 */
static struct dso *
dsos_get_file(struct dsos *d, const struct mapping *m)
{
	struct file_head head = head_of(m);
	struct dso *o;
	bool fresh;

	o = get(d, (struct slice){ head.bytes, head.len }, m->path, m->pid, &fresh);
	if (o == NULL)
		return NULL;
	if (fresh && m->build_id_len != 0)
		dso_set_build_id(o, m->build_id, m->build_id_len);
	else if (fresh)
		dso_take_listed_build_id(d, o, o->path);
	if (m->build_id_len == 0 && o->file.generation == 0 && !o->loaded && !o->unwind_sought)
		o->file = m->file;
	return o;
}

/* Does the same for kernel code.  A program that is loaded again may be longer than before. */
static struct dso *
dsos_get_code(struct dsos *d, struct slice name, uint64_t addr, uint64_t len)
{
	const uint64_t place[] = { addr, len };
	char head[1 + sizeof place];
	bool fresh;

	head[0] = DSO_BPF;
	memcpy(head + 1, place, sizeof place);
	return get(d, (struct slice){ head, sizeof head }, name, 0, &fresh);
}

int
dsos_set_build_id(struct dsos *d, struct slice path, const unsigned char *id, size_t len,
    struct err *e)
{
	bool fresh;
	size_t n;

	/* make room first, so that every path has its id */
	if (!vec_room(d->id, d->named.count, d->idcap))
		return err_nomem(e);
	n = tab_add(&d->named, path, &fresh);
	if (n == TAB_NONE)
		return err_nomem(e);
	if (!fresh) {
		if (d->id[n][0] != len || memcmp(d->id[n] + 1, id, len) != 0)
			d->id[n][0] = UNCLEAR;
		return 0;
	}
	d->id[n][0] = (unsigned char)len;
	memcpy(d->id[n] + 1, id, len);
	return 0;
}

/* Appends a path.  Inside an element, "" and "." have no special meaning. */
static bool
put_path(struct buf *b, struct slice path)
{
	return path.len == 0 || slice_is_nothing(path)
	    ? buf_put(b, path.p, path.len)
	    : esc_append(b, path.p, path.len, ESC_ELEMENT);
}

static bool
put_file(struct buf *b, char before, const struct sym_file *f)
{
	char text[4 * (NUM_MAX + 1)];
	int n = snprintf(text, sizeof text, "%c%" PRIu32 ":%" PRIu32 ":%" PRIu64 ":%" PRIu64,
	    before, f->major, f->minor, f->inode, f->generation);

	return n > 0 && buf_put(b, text, (size_t)n);
}

/*
 * Appends the identity of the file: "@BUILDID", or "@MAJOR:MINOR:INODE:GENERATION", or both, with
 * ':' between them, if the build id is not from the mapping but from the recording's list.  Appends
 * "@?" if the recording lists several.  A path with an '@' in it is followed by '@' even if nothing
 * is known, so that readers know where it ends.
 */
static bool
put_identity(struct buf *b, const struct dso *o)
{
	bool mapped = o->kind == DSO_FILE && o->file.inode != 0;
	char text[1 + 2 * BUILD_ID_MAX] = "@";

	if (o->unclear)
		return buf_put(b, "@?", 2);
	if (o->build_id_len == 0 && mapped)
		return put_file(b, '@', &o->file);
	if (o->build_id_len == 0 &&
	    (o->path.len == 0 || memchr(o->path.p, '@', o->path.len) == NULL))
		return true;
	return buf_put(b, text, 1 + num_put_bytes(text + 1, o->build_id, o->build_id_len)) &&
	    (!mapped || put_file(b, ':', &o->file));
}

/*
 * Makes ":PATH@BUILDID+" for an object that has no such text yet.  It is valid until o's build id
 * is set, and empty if memory runs out.
 */
static struct slice
dso_place(struct dso *o)
{
	struct buf b = { 0 };

	if (buf_putc(&b, ':') && put_path(&b, o->path) && put_identity(&b, o) && buf_putc(&b, '+'))
		o->place = mem_alloc(sizeof *o->place + b.len);
	if (o->place != NULL) {
		o->place->len = b.len;
		memcpy(o->place->text, b.p, b.len);
	}
	buf_free(&b);
	return o->place != NULL ? (struct slice){ o->place->text, o->place->len } : SLICE("");
}

/* Gives o, which has kind DSO_BPF and is not yet loaded, the single symbol [start, start+len). */
static int
dso_set_symbol(struct dso *o, uint64_t start, uint64_t len, struct slice name, struct err *e)
{
	o->own = symtab_new();
	if (o->own == NULL)
		return err_nomem(e);
	if (symtab_add(o->own, start, len, SYM_GLOBAL, name.p, name.len, e) != 0 ||
	    symtab_finish(o->own, SYMTAB_OBJECT, e) != 0)
		return e->code;
	o->symbols = o->own;
	o->loaded = true;
	return 0;
}

const struct sym_origin *
dsos_origin(struct dsos *d)
{
	d->machine = (struct sym_origin){ .host = buf_slice(d->origin.host), .end = d->origin.end };
	return &d->machine;
}

/* Returns the description of an object that the symbolizer expects. */
static struct sym_object
object_of(struct dsos *d, const struct dso *o)
{
	return (struct sym_object){
		.path = o->path.p,
		.pathlen = o->path.len,
		.build_id = o->build_id_len != 0 ? o->build_id : NULL,
		.build_id_len = o->build_id_len,
		.unclear = o->unclear,
		.file = o->file,
		.pid = o->pid,
		.origin = dsos_origin(d),
	};
}

static const struct symtab *
load(struct dsos *d, const struct dso *o)
{
	const struct symbolizer *s = d->symbolizer;
	const struct dso *k = d->kernel;
	struct sym_kernel kernel = { d->ref_name, d->ref_addr, buf_slice(d->origin.release),
		d->origin.kallsyms, k != NULL && k->build_id_len != 0 ? k->build_id : NULL,
		k != NULL ? k->build_id_len : 0 };
	struct sym_object object = object_of(d, o);

	if (s == NULL)
		return NULL;
	if (o->kind == DSO_FILE)
		return s->object(s->ctx, &object);
	return o->kind == DSO_KERNEL ? s->kernel(s->ctx, &kernel) : NULL;
}

/*
 * Returns the symbol at ADDR (whose meaning depends on kind), or NULL.  *span is the range around
 * it with the same result.  The first call loads the object's symbols.
 */
static const struct symbol *
symbol_at(struct dsos *d, struct dso *o, uint64_t addr, struct span *span)
{
	const struct symbol *s = NULL;
	struct span other;

	*span = (struct span){ 0, UINT64_MAX };
	if (o->kind == DSO_JIT)
		return NULL; /* see jitted_name */
	if (!o->loaded) {
		o->listed = o->kind == DSO_FILE || o->kind == DSO_KERNEL
		    ? listed_find(&d->listed, o->path)
		    : NULL;
		o->symbols = load(d, o);
		o->loaded = true;
		o->guessed = o->symbols != NULL && d->symbolizer->guessed != NULL &&
		    d->symbolizer->guessed(d->symbolizer->ctx);
	}
	if (o->listed != NULL)
		s = symtab_find_span(o->listed, addr, span);
	if (s != NULL || o->symbols == NULL)
		return s;
	s = symtab_find_span(o->symbols, addr, &other);
	*span = span_intersection(*span, other);
	return s != NULL && o->kind == DSO_KERNEL && !symtab_is_of(s, o->path) ? NULL : s;
}

/* ---- the names of addresses */

/*
 * Results are kept by function, and found by neighbourhood: an index has the number of the last
 * result in each.  Most functions are longer than a neighbourhood, so most addresses find the
 * result of another address.  New results displace the oldest ones.  Processes share results.
 */
#define TABLE_BITS 14
#define DETAILED_BITS 16

struct frames {
	struct dsos *dsos;
	struct sym_texts texts;
	struct frame unknown;
	/* in the order of the first look-ups; does not include JIT memory */
	struct frame *table;
	void *table_memory; /* in which it begins at a line of the processor's cache */
	size_t next; /* where the next one is put */
	uint16_t *near; /* direct-mapped by neighbourhood: the number of its last frame */
	uint16_t *function; /* direct-mapped by function: the number of its frame */
	struct buf jit_place; /* the last place of JIT memory that was requested */
	const struct dso *jit_place_of; /* the object, or NULL */
	uint64_t jit_place_serial; /* the process's list of dumps */
	struct state *state;
	struct sym_place *details; /* by place; NULL: neither inlined functions nor lines */
	struct frame *detailed; /* the table if there are details: each place has its own entry */
};

char *
frame_put_region(char *p, const struct frame *f)
{
	struct slice name = { f->name, f->namelen };

	if (f->symbol == NULL && f->dso != NULL)
		name = f->dso->texts->region;
	else if (f->detail != NULL)
		name = f->detail->leaf;
	if (f->escaped)
		return p + esc_write_element(p, name);
	return short_copy(p, name.p, name.len);
}

/* Completes a frame: measures its texts, and keeps its region if that is short. */
static void
complete_frame(struct frame *f)
{
	const struct dso_texts *texts = f->dso == NULL ? NULL : f->dso->texts;
	size_t longest = f->namelen, tags = texts == NULL ? 0 : texts->tag.len;

	if (texts != NULL && texts->region.len > longest)
		longest = texts->region.len;
	tags += f->detail == NULL ? 0 : f->detail->line.len;
	f->room = (uint32_t)(longest + tags);
	f->region_len = 0;
	if (longest <= FRAME_REGION)
		f->region_len = (uint8_t)(frame_put_region(f->region, f) - f->region);
}

static void
frames_close(struct frames *f)
{
	if (f == NULL)
		return;
	sym_texts_free(&f->texts);
	buf_free(&f->jit_place);
	mem_free(f->table_memory);
	mem_free(f->near);
	mem_free(f->function);
	mem_free(f->details);
	mem_free(f->detailed);
	mem_free(f);
}

/* Makes the other table if the symbolizer finds more than names. */
static bool
make_details(struct frames *f)
{
	const struct symbolizer *s = f->dsos->speller;

	if (s == NULL || s->wanted == 0)
		return true;
	f->details = mem_zero((size_t)1 << DETAILED_BITS, sizeof *f->details);
	f->detailed = mem_zero((size_t)1 << DETAILED_BITS, sizeof *f->detailed);
	return f->details != NULL && f->detailed != NULL;
}

/* Returns the first frame in memory with room for one more frame, or NULL if there is none. */
static struct frame *
at_line(void *memory)
{
	size_t beyond = (size_t)((uintptr_t)memory % sizeof(struct frame));

	return memory == NULL ? NULL : (void *)((char *)memory + (sizeof(struct frame) - beyond));
}

/* The state is borrowed.  Returns NULL if memory runs out. */
static struct frames *
frames_open(struct state *s)
{
	struct frames *f = mem_zero(1, sizeof *f);

	if (f == NULL)
		return NULL;
	f->state = s;
	f->dsos = &s->dsos;
	f->unknown = (struct frame){ .name = "[unknown]", .namelen = 9 };
	complete_frame(&f->unknown);
	f->table_memory = mem_zero(((size_t)1 << TABLE_BITS) + 1, sizeof *f->table);
	f->table = at_line(f->table_memory);
	f->near = mem_zero((size_t)1 << FRAME_INDEX_BITS, sizeof *f->near);
	f->function = mem_zero((size_t)1 << FRAME_INDEX_BITS, sizeof *f->function);
	if (f->table == NULL || f->near == NULL || f->function == NULL || !make_details(f)) {
		frames_close(f);
		return NULL;
	}
	return f;
}

/* Returns the frame of a place with everything but its name. */
static struct frame
unnamed_frame(struct frames *f, struct dso *dso, uint64_t place)
{
	struct span span;
	const struct symbol *s = symbol_at(f->dsos, dso, place, &span);

	return (struct frame){ .from = span.from, .to = span.to, .dso = dso, .symbol = s };
}

static bool
has_escapes(struct slice name)
{
	return memchr(name.p, '\\', name.len) != NULL;
}

/*
 * Adds the name.  If memory runs out, *out becomes the unknown frame and the writer gets the error.
 */
static void
add_name(struct frames *f, struct frame *out, uint64_t place, struct sym_place *detail)
{
	const struct symbol *s = out->symbol;
	struct dso *dso = out->dso;
	const struct sym_object object = object_of(f->dsos, dso);
	const struct sym_object *file = dso->kind == DSO_FILE ? &object : NULL;

	if ((dso->texts == NULL && !make_texts(dso)) ||
	    (s != NULL && !sym_describe(f->dsos->speller, &f->texts, file, s, place, detail))) {
		evw_nomem(f->state->w);
		*out = f->unknown;
	} else if (s != NULL) {
		out->start = s->start;
		out->name = detail->functions.p;
		out->namelen = (uint32_t)detail->functions.len;
		out->escaped = has_escapes(detail->leaf);
	} else {
		out->name = dso->texts->bracket.p;
		out->namelen = (uint32_t)dso->texts->bracket.len;
	}
}

/* ---- JIT memory: the code at an address depends on the process and the time */

/*
 * Finds the name of an address.  The JIT map gives names only where no dump lists any code, because
 * it has no times.
 */
static struct slice
jitted_name(struct frames *f, struct jitted *j, uint64_t ip, struct span *span)
{
	const struct symbolizer *face = f->dsos->symbolizer;
	const struct symbol *symbol = j->code.symbol;

	*span = j->code.address;
	if (symbol == NULL && j->code.never) {
		struct span found;

		symbol = jitted_listed(f->state, j->dso, ip, &found);
		*span = span_intersection(*span, found);
	}
	j->frame.symbol = symbol;
	if (symbol == NULL)
		return SLICE("");
	return j->code.symbol != NULL && face->name != NULL
	    ? face->name(face->ctx, symbol)
	    : (struct slice){ symbol->name, symbol->namelen };
}

/* Adds the line of an address to its frame, if lines are wanted.  False: memory ran out. */
static bool
add_line(struct frames *f, struct jitted *j, uint64_t ip)
{
	const struct symbolizer *face = f->dsos->symbolizer;
	struct frame *out = &j->frame;
	struct slice name = { out->name, out->namelen };
	struct sym_line line;
	bool known;

	if ((face->wanted & SYM_LINES) == 0)
		return true;
	known = j->code.symbol != NULL && face->code_line(j->dump, &j->code, ip, &line);
	j->detail = (struct sym_place){ .functions = name, .leaf = name };
	out->detail = &j->detail;
	out->from = ip;
	out->to = ip + 1;
	return sym_describe_line(&f->texts, known ? &line : NULL, &j->detail);
}

/* Sets the frame of an address, or makes it the unknown frame if memory runs out. */
static void
fill_jitted(struct frames *f, struct jitted *j, uint64_t ip)
{
	struct frame *out = &j->frame;
	struct slice name;
	struct span span;

	*out = (struct frame){ .dso = j->dso };
	name = jitted_name(f, j, ip, &span);
	out->from = span.from;
	out->to = span.to;
	j->named = true;
	j->changes = f->dsos->changes;
	if (out->symbol != NULL)
		name = sym_spell(&f->texts, name);
	if ((j->dso->texts == NULL && !make_texts(j->dso)) || name.p == NULL) {
		evw_nomem(f->state->w);
		*out = f->unknown;
	} else if (out->symbol != NULL) {
		out->name = name.p;
		out->namelen = (uint32_t)name.len;
		out->escaped = has_escapes(name);
		out->start = out->symbol->start;
		if (!add_line(f, j, ip)) {
			evw_nomem(f->state->w);
			*out = f->unknown;
		}
	} else {
		out->name = j->dso->texts->bracket.p;
		out->namelen = (uint32_t)j->dso->texts->bracket.len;
	}
}

/* Returns true if the code has no name so far, but its process's JIT map may list it by now. */
static bool
is_overdue(const struct state *s, const struct jitted *j)
{
	return j->frame.symbol == NULL && j->code.never && jitted_is_due(s, j->dso);
}

static const struct frame *
find_jitted(struct frames *f, struct dso *dso, uint64_t place)
{
	struct jitted *j;

	if ((j = jitted_at(f->state, dso, place)) == NULL)
		return &f->unknown;
	if (!j->named || place < j->frame.from || place >= j->frame.to ||
	    j->changes != f->dsos->changes || is_overdue(f->state, j)) {
		fill_jitted(f, j, place);
		complete_frame(&j->frame);
	}
	f->state->same = span_intersection(f->state->same, j->code.time);
	f->state->same = span_intersection(f->state->same, jitted_until_due(f->state));
	if (j->frame.symbol == NULL && j->code.never)
		f->state->same = span_intersection(f->state->same,
		    (struct span){ 0, jitted_due(f->state, dso) });
	return &j->frame;
}

/* Appends the identity of a jitdump and the end of its validity: "@INODE:OWN:PID[:UNTIL]". */
static bool
put_dump(struct buf *b, const struct process_dump *d)
{
	char text[4 * (NUM_MAX + 1)];
	int n = snprintf(text, sizeof text, "@%" PRIu64 ":%d:%" PRIu32, d->inode, d->own ? 1 : 0,
	    d->pid);

	if (n > 0 && d->until != UINT64_MAX)
		n += snprintf(text + n, sizeof text - (size_t)n, ":%" PRIu64, d->until);
	return n > 0 && buf_put(b, text, (size_t)n);
}

struct slice
state_place_new(struct state *s, struct dso *o)
{
	const struct process *p = s->now.process;
	struct frames *f = s->frames;

	if (o->kind != DSO_JIT)
		return dso_place(o);
	if (f->jit_place_of == o && f->jit_place_serial == p->dumps_serial)
		return buf_slice(&f->jit_place);
	f->jit_place.len = 0;
	f->jit_place_of = NULL;
	if (!buf_putc(&f->jit_place, ':') ||
	    !put_path(&f->jit_place, p->dumps != NULL ? p->dumps->path : o->path) ||
	    !(p->dumps == NULL || put_dump(&f->jit_place, p->dumps)) ||
	    !buf_putc(&f->jit_place, '+'))
		return SLICE("");
	f->jit_place_of = o;
	f->jit_place_serial = p->dumps_serial;
	return buf_slice(&f->jit_place);
}

/* ---- all frames */

/* Returns the frame of a place whose neighbourhood has no frame or that of another function. */
static HINT_APART const struct frame *
find_frame(struct frames *f, struct dso *dso, uint64_t place)
{
	struct sym_place detail;
	struct frame found;
	uint16_t *n;

	if (dso->kind == DSO_JIT && f->dsos->symbolizer != NULL)
		return find_jitted(f, dso, place);
	found = unnamed_frame(f, dso, place);
	n = &f->function[frame_slot(dso, found.from, FRAME_INDEX_BITS)];
	if (!frame_has(&f->table[*n], dso, place)) {
		add_name(f, &found, place, &detail);
		complete_frame(&found);
		*n = (uint16_t)(f->next++ & (((size_t)1 << TABLE_BITS) - 1));
		f->table[*n] = found;
	}
	f->near[frame_near(dso, place)] = *n;
	return &f->table[*n];
}

/* Finds a place with its inlined functions and lines, which no other place shares. */
static HINT_APART const struct frame *
remembered_detail(struct frames *f, struct dso *dso, uint64_t place)
{
	size_t n = frame_slot(dso, place, DETAILED_BITS);
	struct frame *known = &f->detailed[n];

	if (known->dso == dso && known->from == place)
		return known;
	if (dso->kind == DSO_JIT)
		return find_jitted(f, dso, place);
	*known = unnamed_frame(f, dso, place);
	add_name(f, known, place, &f->details[n]);
	known->from = place;
	if (known->symbol != NULL)
		known->detail = &f->details[n];
	complete_frame(known);
	return known;
}

static inline const struct frame *
remembered(struct frames *f, struct dso *dso, uint64_t place)
{
	const struct frame *known;

	if (f->details != NULL)
		return remembered_detail(f, dso, place);
	known = &f->table[f->near[frame_near(dso, place)]];
	return frame_has(known, dso, place) ? known : find_frame(f, dso, place);
}

/*
 * Handles an address outside all maps of the kernel, which belongs to the kernel if it has a
 * symbol.
 */
static HINT_APART const struct frame *
without_map(struct frames *f, uint64_t ip)
{
	const struct frame *known;

	if (f->dsos->kernel == NULL)
		return &f->unknown;
	known = remembered(f, f->dsos->kernel, ip);
	return known->symbol == NULL || (known->symbol->binding & SYM_MODULE) != 0 ? &f->unknown
										   : known;
}

const struct frame *
state_frame_other(struct state *s, const struct thread *th, enum cpumode mode, uint64_t ip,
    uint64_t *place)
{
	struct frames *f = s->frames;
	const struct map *map;

	*place = ip;
	if (mode != MODE_KERNEL && mode != MODE_USER)
		return &f->unknown;
	map = maps_find(mode == MODE_KERNEL ? &s->tasks.kernel : &th->process->maps, ip);
	if (map == NULL)
		return mode == MODE_KERNEL ? without_map(f, ip) : &f->unknown;
	*place += map->shift;
	return remembered(f, map->dso, *place);
}

const struct frame *
state_caller(struct state *s, const struct thread *th, enum cpumode mode, uint64_t ip,
    uint64_t *place)
{
	const struct frame *at = state_frame(s, th, mode, ip, place);

	if (s->frames->details == NULL || at->symbol == NULL || at->start == *place)
		return at;
	return remembered(s->frames, at->dso, *place - 1);
}

static void
find_unwind_info(struct dsos *d, struct dso *o)
{
	struct sym_object object = object_of(d, o);

	o->unwind_sought = true;
	if (o->kind == DSO_FILE && d->unwinder != NULL)
		o->cfi = d->unwinder->unwind(d->unwinder->ctx, &object, &o->no_file);
}

const struct dso *
state_unwind_object(struct state *s, const struct thread *th, uint64_t ip, struct unwind_object *o)
{
	const struct map *map = maps_find(&th->process->maps, ip);

	*o = (struct unwind_object){ .place = ip, .why = UNWIND_NO_MAPPING };
	if (map == NULL)
		return NULL;
	if (map->dso->kind == DSO_JIT) {
		jitted_unwind(s, map->dso, ip, o);
		return map->dso;
	}
	if (!map->dso->unwind_sought)
		find_unwind_info(&s->dsos, map->dso);
	o->place = ip + map->shift;
	o->cfi = map->dso->cfi;
	o->why = map->dso->no_file ? UNWIND_NO_FILE : UNWIND_NO_INFO;
	return map->dso;
}

void
state_report_unnamed(struct state *s)
{
	const struct symbolizer *to = s->dsos.symbolizer;
	struct dso *o;
	size_t i;

	for (i = 0; i < s->dsos.key.count && to != NULL && to->unnamed != NULL; i++) {
		o = s->dsos.item[i];
		if (o->unnamed == 0 || o->kind == DSO_BPF || o->kind == DSO_BARE)
			continue;
		o->loaded = false; /* so that the symbolizer is asked again */
		if (o->kind == DSO_JIT)
			jitted_load(s, o);
		else
			(void)load(&s->dsos, o);
		to->unnamed(to->ctx, o->unnamed);
	}
}

/* ---- mappings, and code loaded into the kernel */

#define PROT_EXEC_BIT 4u

static bool
starts(struct slice s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && memcmp(s.p, prefix, n) == 0;
}

static bool
is_text(struct slice s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

/* Reads the 24 bytes of an MMAP2 record that identify the file: a build id, or device and inode. */
static void
parse_file(struct mapping *m, bool has_build_id, struct cur *c)
{
	const unsigned char *id;

	if (!has_build_id) {
		m->file.major = cur_u32(c);
		m->file.minor = cur_u32(c);
		m->file.inode = cur_u64(c);
		m->file.generation = cur_u64(c);
		return;
	}
	id = cur_take(c, 24);
	if (id != NULL && id[0] != 0 && id[0] <= BUILD_ID_MAX) {
		m->build_id_len = id[0];
		m->build_id = id + 4;
	}
}

static bool
parse_mapping(struct mapping *m, const struct rec *r, bool big_endian)
{
	struct cur c = rec_fields(r, big_endian);

	*m = (struct mapping){ .pid = cur_u32(&c) };
	m->tid = cur_u32(&c);
	m->addr = cur_u64(&c);
	m->len = cur_u64(&c);
	m->pgoff = cur_u64(&c);
	m->prot = (r->misc & MISC_MMAP_DATA) == 0 ? PROT_EXEC_BIT : 0;
	if (r->type == REC_MMAP2) {
		parse_file(m, (r->misc & MISC_MMAP_BUILD_ID) != 0, &c);
		m->prot = cur_u32(&c);
		(void)cur_u32(&c);
	}
	m->path.p = cur_rest_string(&c, &m->path.len);
	return cur_ok(&c);
}

static uint64_t
end_of(const struct mapping *m)
{
	return m->len > UINT64_MAX - m->addr ? UINT64_MAX : m->addr + m->len;
}

/*
 * Reads "[kernel.kallsyms]_text": the reference symbol follows the name, and pgoff is its address.
 */
static void
take_reference(struct state *s, const struct mapping *m)
{
	size_t i = sizeof "[kernel.kallsyms" - 1, n = 0;

	if (m->pgoff == 0)
		return;
	for (; i < m->path.len && n + 1 < sizeof s->dsos.ref_buf; i++)
		if (m->path.p[i] != ']' && m->path.p[i] != '.')
			s->dsos.ref_buf[n++] = m->path.p[i];
	s->dsos.ref_buf[n] = '\0';
	s->dsos.ref_name = n > 0 ? s->dsos.ref_buf : NULL;
	s->dsos.ref_addr = m->pgoff;
}

/*
 * Writes a module's name as perf prints it: the file's name without ".ko" and the text after it,
 * with '_' for '-', in brackets.  Returns its length in dst.
 */
static size_t
module_name(struct slice path, char *dst, size_t size)
{
	struct slice base = slice_base(path);
	size_t i, n = 0, cut = slice_find(base, SLICE(".ko"));

	if (cut == base.len || cut + 2 > size) {
		n = base.len < size ? base.len : size;
		memcpy(dst, base.p, n);
		return n;
	}
	dst[n++] = '[';
	for (i = 0; i < cut; i++)
		dst[n++] = base.p[i] == '-' ? '_' : base.p[i];
	dst[n++] = ']';
	return n;
}

static int
map_kernel(struct state *s, const struct mapping *m, struct err *e)
{
	struct map map = { .start = m->addr, .end = end_of(m) };
	char name[256];

	if (starts(m->path, "[kernel.kallsyms")) {
		if (m->addr == 0 && m->len == 0)
			map.end = UINT64_MAX;
		take_reference(s, m);
		map.dso = dsos_get(&s->dsos, DSO_KERNEL, SLICE("[kernel.kallsyms]"), 0);
		s->dsos.kernel = map.dso;
	} else if (m->path.len > 0 && (m->path.p[0] == '/' || m->path.p[0] == '[')) {
		struct slice module = { name, module_name(m->path, name, sizeof name) };

		map.dso = dsos_get(&s->dsos, DSO_KERNEL, module, 0);
		if (map.dso != NULL)
			dso_take_listed_build_id(&s->dsos, map.dso, m->path);
	} else {
		return 0;
	}
	if (map.dso != NULL && m->build_id != NULL)
		dso_set_build_id(map.dso, m->build_id, m->build_id_len);
	s->dsos.changes += map.dso != NULL && map.dso == s->dsos.kernel;
	return map.dso == NULL ? err_nomem(e) : tasks_map_kernel(&s->tasks, &map, e);
}

/* Returns true for memory without a file. */
static bool
is_bare(struct slice path)
{
	return is_text(path, "//anon") || starts(path, "/dev/zero") ||
	    starts(path, "/anon_hugepage") || starts(path, "[stack") || starts(path, "/SYSV") ||
	    is_text(path, "[heap]");
}

/* A runtime maps such a file, which has no name, twice: to write code to it, and to execute it. */
static bool
is_code_cache(const struct state *s, const struct mapping *m)
{
	const struct process *p = tasks_process(&s->tasks, m->pid);

	return starts(m->path, "/memfd:") && p != NULL && p->dumps != NULL;
}

/* Handles the mapping of a jitdump, which shows that the process has one. */
static int
map_dump(struct state *s, const struct mapping *m, struct slice path, struct err *e)
{
	struct process_dump dump = { .path = path,
		.pid = m->pid,
		.inode = m->file.inode,
		.own = m->time != 0,
		.until = UINT64_MAX };
	struct thread *th = tasks_thread(&s->tasks, m->pid, m->tid);

	if (th == NULL)
		return err_nomem(e);
	return tasks_add_dump(&s->tasks, th->process, &dump, e);
}

static int
map_user(struct state *s, const struct mapping *m, struct err *e)
{
	struct map map = { .start = m->addr, .end = end_of(m) };
	bool executable = (m->prot & PROT_EXEC_BIT) != 0;
	char name[40];

	if (is_bare(m->path) && executable) {
		int n = snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)m->pid);

		map.dso = dsos_get(&s->dsos, DSO_JIT, (struct slice){ name, (size_t)n }, m->pid);
	} else if (executable && is_code_cache(s, m)) {
		map.dso = dsos_get(&s->dsos, DSO_JIT, m->path, m->pid);
	} else if (is_bare(m->path)) {
		map.dso = dsos_get(&s->dsos, DSO_BARE, m->path, 0);
	} else {
		map.dso = dsos_get_file(&s->dsos, m);
		map.shift = (is_text(m->path, "[vdso]") ? 0 : m->pgoff) - m->addr;
	}
	if (map.dso == NULL)
		return err_nomem(e);
	if (sym_dump_pid(m->path) != 0 && map_dump(s, m, map.dso->path, e) != 0)
		return e->code;
	return tasks_map_user(&s->tasks, m->pid, m->tid, &map, e);
}

static int
take_mapping_record(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	unsigned mode = r->misc & MISC_CPUMODE;
	struct mapping m;

	if (!parse_mapping(&m, r, big_endian))
		return err_byte(e, r->offset, "mapping of %u bytes is too short", r->size);
	s->unread += (r->misc & MISC_PARSE_TIMEOUT) != 0;
	if (mode == MODE_KERNEL)
		return map_kernel(s, &m, e);
	if (mode == MODE_GUEST_KERNEL || mode == MODE_GUEST_USER)
		return 0; /* nothing is looked up in a guest */
	m.time = events_time(s->events, r);
	return map_user(s, &m, e);
}

/* Returns the object to be mapped again when the code is unloaded, or NULL if there is none. */
static struct dso *
under(const struct map *there, uint64_t end)
{
	if (there == NULL)
		return NULL;
	if (there->dso->kind != DSO_KERNEL)
		return there->dso->under;
	return end <= there->end ? there->dso : NULL;
}

/*
 * Handles code that was loaded into the running kernel, or unloaded: a BPF program or a trampoline.
 * The kernel's symbol list was made at another time and may lack the code even if it covers its
 * address.
 */
static int
take_symbol_record(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	uint64_t addr = cur_u64(&c);
	uint32_t len = cur_u32(&c);
	uint16_t type = cur_u16(&c), flags = cur_u16(&c);
	struct map map = { .start = addr,
		.end = addr > UINT64_MAX - len ? UINT64_MAX : addr + len };
	const struct map *there = maps_find(&s->tasks.kernel, addr);
	struct slice name;

	(void)type;
	name.p = cur_rest_string(&c, &name.len);
	if (!cur_ok(&c))
		return err_byte(e, r->offset, "kernel symbol record of %u bytes is too short",
		    r->size);
	if ((flags & 1) != 0) {
		map.dso = under(there, map.end);
		return tasks_map_kernel(&s->tasks, &map, e);
	}
	map.dso = dsos_get_code(&s->dsos, name, addr, len);
	if (map.dso == NULL)
		return err_nomem(e);
	map.dso->under = under(there, map.end);
	if (!map.dso->loaded && dso_set_symbol(map.dso, addr, len, name, e) != 0)
		return e->code;
	return tasks_map_kernel(&s->tasks, &map, e);
}

/* ---- the whole state */

/*
 * Stores the path of a control group.  The first path of each id is kept, as in perf, since ids are
 * not reused.
 */
static int
control_group(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	struct cgroups *g = &s->cgroups;
	uint64_t id = cur_u64(&c);
	struct slice path;
	size_t number;

	path.p = cur_rest_string(&c, &path.len);
	if (!cur_ok(&c))
		return 0; /* record_check reports it */
	g->scratch.len = 0;
	if (!esc_append(&g->scratch, path.p, path.len, ESC_COLUMN))
		return err_nomem(e);
	number = tab_add(&g->path, buf_slice(&g->scratch), NULL);
	if (number == TAB_NONE || !idmap_add(&g->number, id, (uint32_t)number))
		return err_nomem(e);
	return 0;
}

const struct slice *
state_cgroup(const struct state *s, uint64_t id)
{
	const struct id_entry *entry = idmap_find(&s->cgroups.number, id);

	return entry == NULL ? NULL : &s->cgroups.path.item[entry->event];
}

int
state_open(struct state *s, struct evwrite *w, const struct perf_options *opt,
    struct events *events, const struct state_origin *origin, struct err *e)
{
	*s = (struct state){ .dsos = { .symbolizer = opt->symbolizer,
				 .speller = opt->speller,
				 .unwinder = opt->unwinder,
				 .origin = *origin,
				 .changes = 1 },
		.events = events,
		.w = w };
	tasks_init(&s->tasks);
	s->frames = frames_open(s);
	if (s->frames != NULL && s->frames->details == NULL) {
		s->table = s->frames->table;
		s->near = s->frames->near;
	}
	s->wanted = opt->symbolizer != NULL ? opt->symbolizer->wanted : 0;
	return s->frames == NULL ? err_nomem(e) : 0;
}

void
state_free(struct state *s)
{
	tasks_free(&s->tasks);
	frames_close(s->frames);
	mem_free(s->jitted);
	idmap_free(&s->cgroups.number);
	tab_free(&s->cgroups.path);
	buf_free(&s->cgroups.scratch);
	dsos_free(&s->dsos);
}

int
state_take_clock(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	uint64_t shift = cur_u64(&c), mult = cur_u64(&c), zero = cur_u64(&c);

	if (shift > 63)
		return err_data(e, "conversion of times with a shift of %" PRIu64 " bits", shift);
	s->clock_shift = shift;
	s->clock_mult = mult;
	s->clock_zero = zero;
	s->dsos.changes++;
	return 0;
}

int
state_update(struct state *s, const struct rec *r, bool big_endian, struct err *e)
{
	switch (r->type) {
	case REC_MMAP:
	case REC_MMAP2: return take_mapping_record(s, r, big_endian, e);
	case REC_COMM:
	case REC_FORK:
	case REC_EXIT: return tasks_take(&s->tasks, r, events_time(s->events, r), big_endian, e);
	case REC_KSYMBOL: return take_symbol_record(s, r, big_endian, e);
	case REC_CGROUP: return control_group(s, r, big_endian, e);
	}
	return 0;
}
