/* SPDX-License-Identifier: ISC */
/*
 * resolve.c - puts the names of the places in a line's frames tag into the line.
 */
#include "src/symbol/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/tab.h"
#include "lib/vec.h"

#define BUILD_ID_MAX 20
#define TRUNCATED TAB_NONE /* the mark of missing callers, in place of a place */

/* The contents of an origin line.  Texts in bufs are owned and end with NUL. */
struct origin {
	struct slice host; /* raw; in the table of hosts */
	uint64_t end; /* no sample is newer: nanoseconds since the epoch; 0: unknown */
	bool has_kernel; /* it was mapped */
	struct buf ref, release, kallsyms;
	struct sym_clock clock;
	uint64_t ref_addr;
	unsigned char build_id[BUILD_ID_MAX];
	size_t build_id_len;
};

enum object_kind {
	NOWHERE, /* it has no symbols, or names of its own that the line has already */
	IN_FILE,
	IN_KERNEL,
	OUTSIDE_KERNEL, /* outside all mappings of the kernel, whose own symbols it may have */
	IN_JIT, /* in a JIT map */
	IN_DUMP, /* in a jitdump */
};

/* MODE:OBJECT@BUILDID, and the symbols found there. */
struct object {
	enum object_kind kind;
	struct buf path; /* raw */
	unsigned char build_id[BUILD_ID_MAX];
	size_t build_id_len;
	bool unclear;
	struct sym_file file;
	uint64_t until; /* for IN_DUMP: it does not describe later times */
	bool own; /* for IN_DUMP: the process itself mapped it */
	uint32_t mapper; /* for IN_DUMP: the pid of the process that mapped it */
	struct jitdump *dump; /* for IN_DUMP, or NULL */
	uint32_t pid; /* a process that mapped it, or 0 */
	struct sym_origin origin;
	const struct symtab *symbols; /* NULL: none */
	bool guessed; /* they are from a file that may not be the recorded one */
	uint64_t unnamed; /* samples in it without a symbol */
	size_t run;
};

/* The result for a place. */
struct found {
	size_t object; /* its number */
	bool timed; /* it is in a jitdump, and its name depends on the time */
	uint64_t offset; /* if timed */
	bool is_return; /* it is a return address */
	bool named;
	uint64_t symoff;
	struct sym_place texts; /* set if it has a name; else its lines are unknown */
};

/* Lines that could have a name, if they had places. */
enum nameless { NAMELESS_SAMPLE, NAMELESS_SPAN, NAMELESS_RESULT, NAMELESS_KINDS };

struct resolver {
	const struct symbolizer *symbolizer;
	struct sym_texts texts;
	struct tab runs; /* escaped run ids */
	size_t *current; /* by number in runs: the current origin */
	size_t current_cap;
	struct tab hosts; /* names of machines */
	struct origin *origin; /* one for each run, and one for each origin line */
	size_t origins, origin_cap;
	size_t run; /* the number of the current line's origin */
	uint64_t time; /* of the current line, or 0 */
	uint32_t pid; /* of the current line, or 0 */
	struct tab objects; /* their texts, each after the number of its run */
	struct object *object;
	size_t object_cap;
	struct tab places; /* their texts, each after the number of its run */
	struct found *found;
	size_t found_cap;
	struct buf scratch;
	size_t *line; /* the places of the current line, by number in places, or TRUNCATED */
	size_t line_count, line_cap;
	uint64_t unknown[NAMELESS_KINDS]; /* lines without places, and without a name */
	uint64_t expanded; /* lines left as they are, since they have inlined functions */
};

struct resolver *
resolver_open(const struct symbolizer *symbolizer)
{
	struct resolver *r = mem_zero(1, sizeof *r);

	if (r != NULL)
		r->symbolizer = symbolizer;
	return r;
}

void
resolver_close(struct resolver *r)
{
	size_t i;

	if (r == NULL)
		return;
	for (i = 0; i < r->origins; i++) {
		buf_free(&r->origin[i].ref);
		buf_free(&r->origin[i].release);
		buf_free(&r->origin[i].kallsyms);
	}
	for (i = 0; i < r->objects.count; i++)
		buf_free(&r->object[i].path);
	mem_free(r->origin);
	mem_free(r->current);
	tab_free(&r->hosts);
	mem_free(r->object);
	mem_free(r->found);
	mem_free(r->line);
	tab_free(&r->runs);
	tab_free(&r->objects);
	tab_free(&r->places);
	buf_free(&r->scratch);
	sym_texts_free(&r->texts);
	mem_free(r);
}

/*
 * Without ip and place, nothing tells whether the region is the last frame, and without pid, whose
 * code of a JIT compiler it is.
 */
void
resolver_reads(ev_key_sink *sink, void *ctx)
{
	sink(ctx, SLICE("frames"));
	sink(ctx, SLICE("ip"));
	sink(ctx, SLICE("place"));
	sink(ctx, SLICE("pid"));
}

int
resolver_check(const struct ev *ev, struct err *e)
{
	struct slice frames;

	if (!kind_is_result(ev->col[EV_KIND]) || !ev_tag(ev, SLICE("frames"), &frames))
		return 0;
	return err_data(e, "results by frames cannot get names: afsym belongs before afagg");
}

bool
resolver_note(const struct resolver *r, size_t *at, char *text, size_t size)
{
	static const char *const words[] = {
		"%" PRIu64 " samples without a name have no frames tag "
		"(perfdec --no-symbols or --frames writes it)",
		"%" PRIu64 " spans without a name have no frames tag: afsym belongs before afpair",
		"%" PRIu64 " results are of functions without a name: afsym belongs before afagg",
		"%" PRIu64 " samples have inlined functions already and are unchanged",
	};
	const uint64_t n[] = { r->unknown[NAMELESS_SAMPLE], r->unknown[NAMELESS_SPAN],
		r->unknown[NAMELESS_RESULT], r->expanded };

	while (*at < sizeof n / sizeof n[0]) {
		size_t i = (*at)++;

		if (n[i] == 0)
			continue;
		snprintf(text, size, words[i], n[i]);
		return true;
	}
	return false;
}

/* ---- origins */

enum new_origin { ORIGIN_KEPT, ORIGIN_NEW };

/* Makes a new origin the current one of run n.  Returns false if memory runs out. */
static bool
begin_origin(struct resolver *r, size_t n)
{
	if (!vec_room(r->origin, r->origins, r->origin_cap))
		return false;
	r->origin[r->origins] = (struct origin){ .has_kernel = false };
	r->current[n] = r->origins++;
	return true;
}

/*
 * Sets the run, pid and time of the current line.  Places and objects belong to an origin, since
 * two recordings may have the same run id.  Returns false if memory runs out.
 */
static bool
set_run(struct resolver *r, const struct ev *ev, enum new_origin new)
{
	struct slice value;
	uint64_t pid;
	bool fresh;
	size_t n;

	if (!vec_room(r->current, r->runs.count, r->current_cap))
		return false;
	n = tab_add(&r->runs, ev->col[EV_RUN], &fresh);
	if (n == TAB_NONE || ((fresh || new == ORIGIN_NEW) && !begin_origin(r, n)))
		return false;
	r->run = r->current[n];
	r->pid = 0;
	r->time = 0;
	(void)num_get_u64(ev->col[EV_TIME], &r->time);
	if (ev_tag(ev, SLICE("pid"), &value) && num_get_u64(value, &pid) && pid <= UINT32_MAX)
		r->pid = (uint32_t)pid;
	return true;
}

/* Sets b to the raw text of a tag, with a NUL after it, or leaves it empty if there is none. */
static bool
take_text(const struct ev *ev, struct slice key, struct buf *b)
{
	struct slice value;
	size_t at;

	b->len = 0;
	if (!ev_tag(ev, key, &value) || slice_is_nothing(value))
		return true;
	return esc_undo(b, value, &at) == 0 && buf_putc(b, '\0');
}

/*
 * Reads hexadecimal digits into id.  Returns their number of bytes, 0 if they are not a build id.
 */
static size_t
take_build_id(struct slice text, unsigned char id[BUILD_ID_MAX])
{
	static const char digits[] = "0123456789abcdef";
	const char *d;
	size_t i;

	if (text.len % 2 != 0 || text.len > 2 * (size_t)BUILD_ID_MAX)
		return 0;
	for (i = 0; i < text.len; i++) {
		d = memchr(digits, text.p[i], sizeof digits - 1);
		if (d == NULL)
			return 0;
		id[i / 2] = (unsigned char)(id[i / 2] << 4 | (d - digits));
	}
	return text.len / 2;
}

/* Returns a tag that is a number, or 0. */
static uint64_t
take_number(const struct ev *ev, struct slice key)
{
	struct slice value;
	uint64_t v;

	return ev_tag(ev, key, &value) && num_get_u64(value, &v) ? v : 0;
}

static void
take_clock(const struct ev *ev, struct sym_clock *clock)
{
	struct slice value;

	*clock = (struct sym_clock){ .kind = SYM_CLOCK_OTHER };
	if (!ev_tag(ev, SLICE("clock"), &value))
		return;
	if (slice_eq(value, SLICE("monotonic")))
		clock->kind = SYM_CLOCK_MONOTONIC;
	else if (slice_eq(value, SLICE("perf")))
		clock->kind = SYM_CLOCK_PERF;
	clock->shift = take_number(ev, SLICE("tsc_shift"));
	if (clock->shift > 63)
		return;
	clock->mult = take_number(ev, SLICE("tsc_mult"));
	clock->zero = take_number(ev, SLICE("tsc_zero"));
}

static bool
take_host(struct resolver *r, const struct ev *ev)
{
	struct slice value;
	size_t n, at;

	r->scratch.len = 0;
	if (!ev_tag(ev, SLICE("host"), &value) || slice_is_nothing(value))
		return true;
	if (esc_undo(&r->scratch, value, &at) != 0)
		return false;
	n = tab_add(&r->hosts, buf_slice(&r->scratch), NULL);
	if (n != TAB_NONE)
		r->origin[r->run].host = r->hosts.item[n];
	return n != TAB_NONE;
}

/* Uses a line of kind origin. */
static int
take_origin(struct resolver *r, const struct ev *ev, struct err *e)
{
	struct slice value;
	struct origin *o;

	if (!set_run(r, ev, ORIGIN_NEW) || !take_host(r, ev))
		return err_nomem(e);
	o = &r->origin[r->run];
	if (!take_text(ev, SLICE("ref"), &o->ref) ||
	    !take_text(ev, SLICE("release"), &o->release) ||
	    !take_text(ev, SLICE("kallsyms"), &o->kallsyms))
		return err_nomem(e);
	o->has_kernel = ev_tag(ev, SLICE("kernel"), &value);
	o->end = take_number(ev, SLICE("end"));
	take_clock(ev, &o->clock);
	if (ev_tag(ev, SLICE("addr"), &value) && !num_get_hex(value, &o->ref_addr))
		return err_line(e, ev->number, "addr is not a hexadecimal number");
	if (ev_tag(ev, SLICE("buildid"), &value))
		o->build_id_len = take_build_id(value, o->build_id);
	return 0;
}

/* Returns a text without its NUL. */
static struct slice
text_of(const struct buf *b)
{
	return (struct slice){ b->p, b->len == 0 ? 0 : b->len - 1 };
}

static const struct symtab *
kernel_symbols(const struct resolver *r, size_t run)
{
	const struct origin *o = &r->origin[run];
	const struct sym_kernel kernel = {
		.ref_name = o->ref.len == 0 ? NULL : o->ref.p,
		.ref_addr = o->ref_addr,
		.release = text_of(&o->release),
		.kallsyms = o->kallsyms.len == 0 ? NULL : o->kallsyms.p,
		.build_id = o->build_id_len == 0 ? NULL : o->build_id,
		.build_id_len = o->build_id_len,
	};

	return o->has_kernel ? r->symbolizer->kernel(r->symbolizer->ctx, &kernel) : NULL;
}

/* ---- objects */

/* Returns the pid in /tmp/perf-PID.map, the object of jitted code, or false for other paths. */
static bool
is_jit(struct slice path, uint32_t *pid)
{
	static const char before[] = "/tmp/perf-", after[] = ".map";
	const size_t fixed = sizeof before + sizeof after - 2;
	struct slice digits;
	uint64_t v;

	if (path.len <= fixed || memcmp(path.p, before, sizeof before - 1) != 0 ||
	    memcmp(path.p + path.len - (sizeof after - 1), after, sizeof after - 1) != 0)
		return false;
	digits = (struct slice){ path.p + sizeof before - 1, path.len - fixed };
	if (!num_get_u64(digits, &v) || v > UINT32_MAX)
		return false;
	*pid = (uint32_t)v;
	return true;
}

/* Kernel code has the kernel's symbols, except programs that have been loaded into it. */
static enum object_kind
kind_of(char mode, struct slice path)
{
	uint32_t pid;

	if (mode == 'k' && slice_eq(path, SLICE("[unknown]")))
		return OUTSIDE_KERNEL;
	if (mode == 'k')
		return path.len > 0 && (path.p[0] == '[' || path.p[0] == '/') ? IN_KERNEL : NOWHERE;
	if (mode != 'u')
		return NOWHERE;
	if (sym_dump_pid(path) != 0)
		return IN_DUMP;
	return is_jit(path, &pid) ? IN_JIT : IN_FILE;
}

static bool
is_kernel(const struct object *o)
{
	return o->kind == IN_KERNEL || o->kind == OUTSIDE_KERNEL;
}

static struct sym_object
object_of(const struct object *o)
{
	return (struct sym_object){ .path = o->path.p,
		.pathlen = o->path.len,
		.build_id = o->build_id_len == 0 ? NULL : o->build_id,
		.build_id_len = o->build_id_len,
		.unclear = o->unclear,
		.file = o->file,
		.pid = o->pid,
		.origin = &o->origin };
}

static const struct symtab *
symbols_of(const struct resolver *r, const struct object *o)
{
	const struct sym_object object = object_of(o);
	struct sym_process process = { .origin = &o->origin };

	switch (o->kind) {
	case IN_FILE: return r->symbolizer->object(r->symbolizer->ctx, &object);
	case IN_JIT:
		(void)is_jit(buf_slice(&o->path), &process.pid); /* it is; see kind_of */
		return r->symbolizer->jit(r->symbolizer->ctx, &process);
	case IN_KERNEL:
	case OUTSIDE_KERNEL: return kernel_symbols(r, o->run);
	case IN_DUMP:
	case NOWHERE: break;
	}
	return NULL;
}

/* Reads at most 4 numbers separated by ':'.  Returns how many there are, 0 for any other text. */
static size_t
take_numbers(struct slice text, uint64_t v[4])
{
	size_t i, n;

	for (i = 0; i < 4; i++) {
		for (n = 0; n < text.len && text.p[n] != ':';)
			n++;
		if (!num_get_u64((struct slice){ text.p, n }, &v[i]))
			return 0;
		if (n == text.len)
			return i + 1;
		text = (struct slice){ text.p + n + 1, text.len - n - 1 };
	}
	return 0;
}

/* Parses the identity of a file: a build id, a mapping, or for a jitdump its inode and times. */
static void
take_identity(struct slice id, struct object *o)
{
	size_t colon = 0;
	uint64_t v[4];
	size_t n = take_numbers(id, v);

	o->unclear = slice_eq(id, SLICE("?"));
	if (o->kind == IN_DUMP) {
		o->until = n == 4 ? v[3] : UINT64_MAX;
		o->mapper = n > 2 ? (uint32_t)v[2] : 0;
		o->file.inode = n > 0 ? v[0] : 0;
		o->own = n > 1 && v[1] != 0;
		return;
	}
	if (n != 4) {
		while (colon < id.len && id.p[colon] != ':')
			colon++;
		o->build_id_len = take_build_id((struct slice){ id.p, colon }, o->build_id);
		if (colon < id.len)
			n = take_numbers((struct slice){ id.p + colon + 1, id.len - colon - 1 }, v);
	}
	if (n == 4)
		o->file = (struct sym_file){ (uint32_t)v[0], (uint32_t)v[1], v[2], v[3] };
}

/* Fills *o from "MODE:OBJECT[@IDENTITY]".  Returns false if memory runs out. */
static bool
parse_object(struct slice text, struct object *o)
{
	struct slice path = { text.p + 2, text.len - 2 }, id = { NULL, 0 };
	size_t i = path.len, at;

	while (i > 0 && path.p[i - 1] != '@')
		i--;
	if (i > 0) {
		id = (struct slice){ path.p + i, path.len - i };
		path.len = i - 1;
	}
	o->kind = kind_of(text.p[0], path);
	take_identity(id, o);
	return esc_undo(&o->path, path, &at) == 0;
}

/* Returns the JIT map of the process of a jitdump, for code that no jitdump lists. */
static const struct symtab *
map_beside(const struct resolver *r, const struct object *o)
{
	struct sym_process process = { .pid = o->pid, .origin = &o->origin, .dumped = true };

	return r->symbolizer->jit(r->symbolizer->ctx, &process);
}

/* Finds a jitdump, and the JIT map of its process. */
static void
seek_dump(const struct resolver *r, struct object *o)
{
	const struct symbolizer *s = r->symbolizer;
	struct sym_dump d = { .path = buf_slice(&o->path),
		.inode = o->file.inode,
		.own = o->own,
		.process = { .pid = o->mapper, .origin = &o->origin },
		.clock = r->origin[r->run].clock };

	o->dump = s->dump(s->ctx, &d);
	o->symbols = map_beside(r, o);
}

/* Sets scratch to the number of a run and a text: places of two runs may differ in their names. */
static bool
compose_key(struct resolver *r, struct slice text)
{
	r->scratch.len = 0;
	return buf_put(&r->scratch, (const char *)&r->run, sizeof r->run) &&
	    buf_put(&r->scratch, text.p, text.len);
}

/* Returns the number of an object by its text in a place, or TAB_NONE if memory runs out. */
static size_t
object_named(struct resolver *r, struct slice text)
{
	struct object *o;
	bool fresh;
	size_t n;

	if (!compose_key(r, text) || !vec_room(r->object, r->objects.count, r->object_cap))
		return TAB_NONE;
	n = tab_add(&r->objects, buf_slice(&r->scratch), &fresh);
	if (n == TAB_NONE || !fresh)
		return n;
	o = &r->object[n];
	*o = (struct object){ .kind = NOWHERE,
		.pid = r->pid,
		.run = r->run,
		.origin = { .host = r->origin[r->run].host,
		    .end = r->origin[r->run].end,
		    .past = r->origin[r->run].end == 0 } };
	if (!parse_object(text, o))
		return TAB_NONE;
	o->symbols = symbols_of(r, o);
	if (o->kind == IN_DUMP)
		seek_dump(r, o);
	o->guessed = o->symbols != NULL && r->symbolizer->guessed(r->symbolizer->ctx);
	return n;
}

/* ---- places */

/* The parts of a place. */
struct place {
	struct slice object; /* MODE:OBJECT@BUILDID */
	uint64_t offset;
	bool is_return;
};

static bool
parse_place(struct slice text, struct place *p)
{
	size_t i;

	p->is_return = text.len > 2 && memcmp(text.p + text.len - 2, "-1", 2) == 0;
	if (p->is_return)
		text.len -= 2;
	for (i = text.len; i > 0 && text.p[i - 1] != '+';)
		i--;
	if (i < 3 || text.p[1] != ':')
		return false;
	p->object = (struct slice){ text.p, i - 1 };
	return num_get_hex((struct slice){ text.p + i, text.len - i }, &p->offset);
}

static const struct symbol *
symbol_of(const struct object *o, uint64_t offset)
{
	const struct symbol *s = o->symbols == NULL ? NULL : symtab_find(o->symbols, offset);

	return s != NULL && o->kind == IN_KERNEL && !symtab_is_of(s, buf_slice(&o->path)) ? NULL
											  : s;
}

/* Finds the symbol of a place.  *at becomes the byte before a return address; see state_caller. */
static const struct symbol *
symbol_at(const struct resolver *r, const struct object *o, const struct place *p, uint64_t *at)
{
	const struct symbol *s = symbol_of(o, p->offset);

	*at = p->offset;
	if (s == NULL || (o->kind == OUTSIDE_KERNEL && (s->binding & SYM_MODULE) != 0))
		return NULL;
	if (!p->is_return || r->symbolizer->wanted == 0 || s->start == p->offset)
		return s;
	(*at)--;
	return symbol_of(o, *at);
}

static int
look_up(struct resolver *r, struct slice text, uint64_t line, struct found *f, struct err *e)
{
	struct sym_object object;
	const struct symbol *s;
	const struct object *o;
	struct place p;
	uint64_t at;

	*f = (struct found){ .named = false };
	if ((r->symbolizer->wanted & SYM_LINES) != 0)
		f->texts.lines = SLICE("?");
	if (!parse_place(text, &p))
		return err_line(e, line, "a place is not MODE:OBJECT+0xOFFSET: %.*s",
		    slice_shown(text, 60), text.p);
	if ((f->object = object_named(r, p.object)) == TAB_NONE)
		return err_nomem(e);
	o = &r->object[f->object];
	f->timed = o->kind == IN_DUMP;
	f->offset = p.offset;
	f->is_return = p.is_return;
	if (f->timed || (s = symbol_at(r, o, &p, &at)) == NULL)
		return 0;
	object = object_of(o);
	f->named = true;
	f->symoff = p.offset - s->start;
	if (!sym_describe(r->symbolizer, &r->texts, o->kind == IN_FILE ? &object : NULL, s, at,
		&f->texts))
		return err_nomem(e);
	return 0;
}

/* Adds the result with the key in scratch, and sets *out to its number. */
static int
remember(struct resolver *r, const struct found *f, size_t *out, struct err *e)
{
	if (!vec_room(r->found, r->places.count, r->found_cap))
		return err_nomem(e);
	*out = tab_add(&r->places, buf_slice(&r->scratch), NULL);
	if (*out == TAB_NONE)
		return err_nomem(e);
	r->found[*out] = *f;
	return 0;
}

/* The code at a place at the time of the line. */
struct code {
	const struct symbol *symbol; /* NULL: none */
	uint64_t address;
	struct sym_code dumped; /* it is in a jitdump if that has a symbol */
};

/* Finds the code at an address at the time of the line, as perfdec does. */
static struct code
jitted_at(const struct resolver *r, const struct object *o, uint64_t address)
{
	struct code c = { .address = address, .dumped = { .never = true } };
	uint64_t time = r->time < o->until ? r->time : o->until;

	if (o->dump != NULL)
		r->symbolizer->code(o->dump, address, time, &c.dumped);
	c.symbol = c.dumped.symbol;
	if (c.symbol == NULL && c.dumped.never && o->symbols != NULL)
		c.symbol = symtab_find(o->symbols, address);
	return c;
}

/* Does the same for a place, which may be a return address; see state_caller. */
static struct code
jitted_place(const struct resolver *r, const struct found *f)
{
	const struct object *o = &r->object[f->object];
	struct code c = jitted_at(r, o, f->offset);

	if (!f->is_return || r->symbolizer->wanted == 0 || c.symbol == NULL ||
	    c.symbol->start == f->offset)
		return c;
	return jitted_at(r, o, f->offset - 1);
}

/* Adds the name and the line of code to its place.  Returns false if memory runs out. */
static bool
describe_code(struct resolver *r, const struct code *c, struct found *f)
{
	const struct symbolizer *face = r->symbolizer;
	const struct symbol *s = c->symbol;
	struct jitdump *dump = r->object[f->object].dump;
	struct sym_line line;
	struct slice name;
	bool known;

	name = c->dumped.symbol != NULL ? face->name(face->ctx, s)
					: (struct slice){ s->name, s->namelen };
	f->texts.functions = f->texts.leaf = sym_spell(&r->texts, name);
	f->named = true;
	f->symoff = f->offset - s->start;
	if (f->texts.leaf.p == NULL || (face->wanted & SYM_LINES) == 0)
		return f->texts.leaf.p != NULL;
	known = c->dumped.symbol != NULL && face->code_line(dump, &c->dumped, c->address, &line);
	return sym_describe_line(&r->texts, known ? &line : NULL, &f->texts);
}

/* Replaces the number of a timed place in *out by the number of its result for the line's time. */
static int
resolve_timed(struct resolver *r, struct slice text, size_t *out, struct err *e)
{
	struct found f = r->found[*out];
	struct code c = jitted_place(r, &f);

	if (!compose_key(r, text) ||
	    !buf_put(&r->scratch, (const char *)&c.symbol, sizeof c.symbol))
		return err_nomem(e);
	*out = tab_find(&r->places, buf_slice(&r->scratch));
	if (*out != TAB_NONE)
		return 0;
	f.timed = false;
	if (c.symbol != NULL && !describe_code(r, &c, &f))
		return err_nomem(e);
	return remember(r, &f, out, e);
}

/* Sets *out to the number of the result for a place. */
static int
resolve(struct resolver *r, struct slice text, uint64_t line, size_t *out, struct err *e)
{
	struct found f;
	int rc = 0;

	if (!compose_key(r, text))
		return err_nomem(e);
	*out = tab_find(&r->places, buf_slice(&r->scratch));
	if (*out == TAB_NONE) {
		if ((rc = look_up(r, text, line, &f, e)) != 0)
			return rc;
		rc = compose_key(r, text) ? remember(r, &f, out, e) : err_nomem(e);
	}
	return rc == 0 && r->found[*out].timed ? resolve_timed(r, text, out, e) : rc;
}

/* ---- lines */

/* Fills r->line with the places of a frames tag. */
static int
take_frames(struct resolver *r, const struct ev *ev, struct slice frames, struct err *e)
{
	struct slice element;
	int rc = 0;

	r->line_count = 0;
	while (rc == 0 && ev_next_element(&frames, &element)) {
		if (!vec_room(r->line, r->line_count, r->line_cap))
			return err_nomem(e);
		r->line[r->line_count] = TRUNCATED;
		if (!slice_eq(element, SLICE("[truncated]")))
			rc = resolve(r, element, ev->number, &r->line[r->line_count], e);
		r->line_count++;
	}
	return rc;
}

/* The data of a line before it is written. */
struct lookup {
	const struct found *own; /* the place of its instruction pointer; NULL: none */
	bool has_dso;
};

static void
put_tag(struct evwrite *w, struct slice text)
{
	evw_bytes(w, "\t", 1);
	evw_bytes(w, text.p, text.len);
}

/* Writes the tags that follow the object of the instruction pointer. */
static void
put_own(const struct resolver *r, struct evwrite *w, const struct found *own)
{
	if (r->object[own->object].guessed)
		evw_tag_u64(w, SLICE("forced"), 1);
	if (own->named && !own->texts.inlined)
		evw_tag_hex(w, SLICE("symoff"), own->symoff);
	if (own->texts.line.len != 0)
		evw_tag_raw(w, SLICE("line"), own->texts.line);
}

/* Writes the stack: the names that were found, and the old names of all other places. */
static void
put_stack(const struct resolver *r, struct evwrite *w, struct slice old)
{
	struct slice element = { NULL, 0 };
	size_t i;

	evw_tag_begin(w, SLICE("stack"));
	for (i = 0; ev_next_element(&old, &element); i++) {
		if (r->line[i] != TRUNCATED && r->found[r->line[i]].named)
			element = r->found[r->line[i]].texts.functions;
		if (i > 0)
			evw_bytes(w, ";", 1);
		evw_bytes(w, element.p, element.len);
	}
	evw_tag_end(w, SLICE("stack"));
}

static void
put_lines(const struct resolver *r, struct evwrite *w)
{
	struct slice text;
	size_t i;

	evw_tag_begin(w, SLICE("lines"));
	for (i = 0; i < r->line_count; i++) {
		text = r->line[i] == TRUNCATED ? SLICE("?") : r->found[r->line[i]].texts.lines;
		if (i > 0)
			evw_bytes(w, ";", 1);
		evw_bytes(w, text.p, text.len);
	}
	evw_tag_end(w, SLICE("lines"));
}

static void
put_columns(struct evwrite *w, const struct ev *ev, const struct lookup *l)
{
	char *p;
	size_t i;

	evw_begin(w, ev->col[EV_KIND]);
	for (i = EV_KIND + 1; i < EV_COLUMNS; i++) {
		if (i != EV_REGION || l->own == NULL || !l->own->named) {
			put_tag(w, ev->col[i]);
			continue;
		}
		if ((p = evw_room(w, 1 + l->own->texts.leaf.len)) == NULL)
			return;
		*p++ = '\t';
		evw_advance(w, p + esc_write_element(p, l->own->texts.leaf));
	}
}

/* Returns true for the key of a tag that is replaced or left out. */
static bool
is_replaced(const struct lookup *l, struct slice key, bool lines)
{
	return slice_eq(key, SLICE("frames")) || slice_eq(key, SLICE("place")) ||
	    (lines && slice_eq(key, SLICE("lines"))) ||
	    (l->own != NULL && l->own->named &&
		(slice_eq(key, SLICE("symoff")) || slice_eq(key, SLICE("forced")) ||
		    (lines && slice_eq(key, SLICE("line")))));
}

/* Keeps the names in the line's omitted tag, to write them with those that are omitted now. */
static void
keep_omitted(struct evwrite *w, struct slice names)
{
	struct slice name;

	while (ev_next_element(&names, &name))
		evw_name_omitted(w, name);
}

static void
put_line(const struct resolver *r, const struct ev *ev, const struct lookup *l, struct evwrite *w)
{
	const bool lines = (r->symbolizer->wanted & SYM_LINES) != 0;
	struct slice rest = ev->tags;
	bool stack = false; /* it has been written; only the first one counts */
	struct ev_tag tag;

	put_columns(w, ev, l);
	while (ev_next_tag(&rest, &tag)) {
		if (is_replaced(l, tag.key, lines))
			continue;
		if (!stack && slice_eq(tag.key, SLICE("stack"))) {
			stack = true;
			put_stack(r, w, tag.value);
			if (lines)
				put_lines(r, w);
			continue;
		}
		if (slice_eq(tag.key, SLICE("omitted"))) {
			keep_omitted(w, tag.value);
			continue;
		}
		evw_tag_raw(w, tag.key, tag.value);
		if (l->own != NULL && slice_eq(tag.key, l->has_dso ? SLICE("dso") : SLICE("ip")))
			put_own(r, w, l->own);
	}
	evw_end(w);
}

/* Finds the place of the line's instruction pointer, if it has one. */
static int
find_own(struct resolver *r, const struct ev *ev, struct lookup *l, struct err *e)
{
	struct slice value;
	size_t n = r->line[r->line_count - 1]; /* a list has an element, if only an empty one */
	int rc;

	*l = (struct lookup){ .has_dso = ev_tag(ev, SLICE("dso"), &value) };
	if (!ev_tag(ev, SLICE("ip"), &value))
		return 0;
	if (ev_tag(ev, SLICE("place"), &value) && (rc = resolve(r, value, ev->number, &n, e)) != 0)
		return rc;
	if (n != TRUNCATED)
		l->own = &r->found[n];
	return 0;
}

/* How a line is handled. */
enum outcome { DROPPED, COPIED, WRITTEN };

/* Returns the kind of a line without a frames tag that has no name either. */
static enum nameless
nameless(const struct ev *ev)
{
	static const struct slice marks[] = { SLICE_INIT("[none]"), SLICE_INIT("[...]"),
		SLICE_INIT("[truncated]") };
	struct slice kind = ev->col[EV_KIND], name = ev_function(ev), stack, ip;

	if (slice_is_nothing(name) && ev_tag(ev, SLICE("stack"), &stack))
		while (ev_next_element(&stack, &name))
			;
	if (name.len <= 1 || name.p[0] != '[' || SLICE_AMONG(name, marks))
		return NAMELESS_KINDS;
	if (slice_eq(kind, SLICE("sample")))
		return ev_tag(ev, SLICE("ip"), &ip) ? NAMELESS_SAMPLE : NAMELESS_KINDS;
	if (slice_eq(kind, SLICE("span")))
		return NAMELESS_SPAN;
	return kind_is_result(kind) ? NAMELESS_RESULT : NAMELESS_KINDS;
}

/* Looks up the places of a line. */
static int
take_line(struct resolver *r, const struct ev *ev, struct lookup *l, enum outcome *out,
    struct err *e)
{
	struct slice frames, stack;
	enum nameless kind;
	int rc;

	*out = DROPPED;
	if (slice_eq(ev->col[EV_KIND], SLICE("origin")))
		return take_origin(r, ev, e);
	*out = COPIED;
	if (!ev_tag(ev, SLICE("frames"), &frames)) {
		kind = nameless(ev);
		if (kind != NAMELESS_KINDS)
			r->unknown[kind]++;
		return 0;
	}
	if (!set_run(r, ev, ORIGIN_KEPT))
		return err_nomem(e);
	if ((rc = take_frames(r, ev, frames, e)) != 0 || (rc = find_own(r, ev, l, e)) != 0)
		return rc;
	if (l->own != NULL && !l->own->named)
		r->object[l->own->object].unnamed++;
	if (ev_tag(ev, SLICE("stack"), &stack) && ev_count_elements(stack) != r->line_count)
		r->expanded++;
	else
		*out = WRITTEN;
	return 0;
}

int
resolver_line(struct resolver *r, const struct ev *ev, struct evwrite *w, struct err *e)
{
	enum outcome outcome;
	struct lookup l;
	int rc = take_line(r, ev, &l, &outcome, e);

	if (rc != 0 || outcome == DROPPED)
		return rc;
	if (outcome == WRITTEN)
		put_line(r, ev, &l, w);
	else
		evw_line_about(w, ev, SLICE("forced;symoff;line;lines"));
	return 0;
}

int
resolver_only_look_up(struct resolver *r, const struct ev *ev, struct err *e)
{
	enum outcome outcome;
	struct lookup l;

	return take_line(r, ev, &l, &outcome, e);
}

void
resolver_report_unnamed(struct resolver *r)
{
	const struct symbolizer *to = r->symbolizer;
	const struct object *o;
	size_t i;

	for (i = 0; i < r->objects.count; i++) {
		o = &r->object[i];
		if (o->unnamed == 0 || o->kind == NOWHERE ||
		    (is_kernel(o) && !r->origin[o->run].has_kernel))
			continue;
		if (o->kind == IN_DUMP)
			(void)map_beside(r, o);
		else
			(void)symbols_of(r, o);
		to->unnamed(to->ctx, o->unnamed);
	}
}
