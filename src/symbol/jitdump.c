/* SPDX-License-Identifier: ISC */
/*
 * jitdump.c - the code that a JIT compiler lists in a jitdump.
 *
 * The file becomes a list of placements in the order of their times: code was loaded at an address,
 * or moved there.  A later placement hides the earlier ones where they overlap.  The ends of all
 * placements divide the addresses into slabs, and a segment tree over the slabs has each placement
 * at a few nodes, so a lookup takes logarithmic time and the table N log N memory, however the
 * placements overlap.
 *
 * What a growing file has had later is a part with a table of its own, which refers to the part
 * before it.  A lookup begins with the last part, and ends as soon as the others are older than
 * what has been found.
 */
#include "src/symbol/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/mem.h"
#include "lib/sig.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "src/symbol/lists.h"
#include "src/unwind/cfi.h"

#define MAGIC UINT32_C(0x4a695444)
#define VERSION 1
#define FLAG_ARCH_TIMESTAMP 1

enum { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE, RECORD_UNWINDING_INFO };

#define HEADER_SIZE 40
#define HEADER_MAX 65536
#define PREFIX_SIZE 16 /* of each record: its id, size and time */
#define LOAD_SIZE (PREFIX_SIZE + 40) /* up to the name */
#define MOVE_SIZE (PREFIX_SIZE + 48)
#define UNWINDING_SIZE (PREFIX_SIZE + 24) /* up to the data */
#define DEBUG_SIZE (PREFIX_SIZE + 16) /* up to the entries */
#define ENTRY_SIZE 16 /* up to the name */
#define PADDING_MAX 7 /* after the entries */

#define NAME_MAX_LEN ((size_t)32 << 10) /* code with a longer name gets no name */
#define NAMES_MAX ((size_t)1 << 30)
#define PLACEMENTS_MAX ((size_t)16 << 20)
#define UNWIND_MAX ((size_t)256 << 20) /* bytes of unwind information in a file */
#define LINES_MAX ((size_t)16 << 20)
#define LINES_RECORD_MAX ((size_t)16 << 20) /* bytes; code with more gets no lines */
#define BLOCK ((size_t)64 << 10)

#define NO_UNWIND UINT32_MAX

/* Code from an offset on, up to the next one, is from that line. */
struct line {
	uint32_t offset; /* in the code */
	uint32_t file; /* its number in files */
	uint32_t line;
};

struct line_list {
	size_t at, n; /* in the lines of the file */
};

struct placement {
	uint64_t time;
	uint64_t until; /* when it moved away; UINT64_MAX: it did not */
	struct symbol symbol; /* name: an offset into the names until the table is finished */
	uint64_t index; /* identifies the code */
	/*
	 * Its address when it was loaded, to which unwind information refers.  For moved code,
	 * first the address that it came from.
	 */
	uint64_t linked;
	size_t name; /* its offset, NO_NAME if it has none */
	uint32_t sequence; /* in the file */
	uint32_t unwind; /* number of its unwind information, or NO_UNWIND */
	struct line_list lines;
	struct jitdump *of; /* the part that it moved from, which has its texts; NULL: its own */
	bool moved; /* its name and all that follows are those of the code loaded before */
};

#define NO_NAME SIZE_MAX

struct unwind_data {
	size_t at, len; /* in the bytes */
	size_t header; /* length of the .eh_frame_hdr */
	uint64_t linked; /* where it is supposed to be in memory */
	struct cfi *cfi;
	bool made;
	bool failed; /* memory ran out */
};

/* A segment tree.  The leaf of slab I is node leaves + I; the parent of node I is I / 2. */
struct tree {
	uint64_t *edge; /* sorted; slab I is [edge[I], edge[I + 1]) */
	size_t edges, leaves;
	uint32_t *first; /* by node: where its placements begin in item; one more at the end */
	uint32_t *item; /* numbers of placements, rising for each node */
};

#define NOTHING UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

struct jitdump {
	struct placement *placement; /* by time */
	size_t n, cap;
	struct buf names;
	struct unwind_data *unwind;
	size_t unwinds, unwind_cap;
	struct buf unwind_bytes;
	struct line *line;
	size_t lines, line_cap;
	struct tab files;
	size_t bad_lines; /* the number of functions whose lines are not used */
	bool low_lines; /* some line is that of code that perf once placed elsewhere, see below */
	struct tree tree;
	uint32_t *common; /* if timeless, by node: the only function there, NOTHING or SEVERAL */
	bool wide, big; /* the code's addresses have 64 bits; byte order */
	bool timeless; /* times cannot be compared */
	bool contested; /* if timeless: some address had several functions */
	uint64_t known; /* everything up to this time is known */
	struct jitdump *earlier; /* the part of the file before this one, or NULL */
	size_t base; /* the number of placements in earlier parts */
	dev_t dev;
	ino_t ino;
	uint64_t size; /* of the file, when it was read */
	uint64_t whole; /* where to read on: the code before that has all that belongs to it */
	uint64_t last; /* the latest time in this part and those before it */
	bool ended; /* what follows cannot be read */
	char doubt[128];
	char line_doubt[128];
};

static void
free_part(struct jitdump *d)
{
	size_t i;

	for (i = 0; i < d->unwinds; i++)
		cfi_free(d->unwind[i].cfi);
	mem_free(d->unwind);
	buf_free(&d->unwind_bytes);
	mem_free(d->line);
	tab_free(&d->files);
	mem_free(d->placement);
	buf_free(&d->names);
	mem_free(d->tree.edge);
	mem_free(d->tree.first);
	mem_free(d->tree.item);
	mem_free(d->common);
	mem_free(d);
}

void
jitdump_free(struct jitdump *d)
{
	struct jitdump *earlier;

	for (; d != NULL; d = earlier) {
		earlier = d->earlier;
		free_part(d);
	}
}

/* ---- the bytes of the file */

struct reader {
	int fd;
	uint64_t at, size; /* the offset of the next byte; the file's size when it was opened */
	size_t pos, filled; /* bytes read ahead: block[pos..filled) */
	unsigned char block[BLOCK];
};

/*
 * Returns the next n bytes (at most BLOCK), valid until the next call, and skips them.  Returns
 * NULL if the file ends before that, or if reading fails; then e->code is not 0.
 */
static const unsigned char *
next_bytes(struct reader *r, size_t n, struct err *e)
{
	ssize_t got;

	e->code = 0;
	if (n > r->size - r->at)
		return NULL;
	if (r->filled - r->pos < n) {
		memmove(r->block, r->block + r->pos, r->filled - r->pos);
		r->filled -= r->pos;
		r->pos = 0;
	}
	while (r->filled < n) {
		if (sig_stop()) {
			err_stop(e);
			return NULL;
		}
		got = pread(r->fd, r->block + r->filled, BLOCK - r->filled,
		    (off_t)(r->at + r->filled));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			err_sys(e, errno, "read");
		if (got <= 0)
			return NULL;
		r->filled += (size_t)got;
	}
	r->pos += n;
	r->at += n;
	return r->block + r->pos - n;
}

/* Skips bytes, even beyond the end. */
static void
skip(struct reader *r, uint64_t n)
{
	n = n < r->size - r->at ? n : r->size - r->at;
	if (n <= r->filled - r->pos)
		r->pos += (size_t)n;
	else
		r->pos = r->filled = 0;
	r->at += n;
}

/* ---- records */

/* The state while the file is read. */
struct loading {
	struct jitdump *d;
	struct reader *r;
	const struct jitdump_expected *expected;
	bool ticks; /* times are counts of the processor's clock */
	uint32_t unwind; /* the unwind information for the next code, or NO_UNWIND */
	struct line_list lines; /* the lines for the next code */
	uint64_t lines_of; /* the address of that code */
	uint64_t time; /* the time of the current record */
	uint64_t offset, left; /* where it is in the file; its bytes that have not been read */
	bool cut; /* the file ends inside it */
};

/* Returns the next bytes of the current record, or NULL; e->code is then 0 at the file's end. */
static const unsigned char *
record_bytes(struct loading *l, size_t n, struct err *e)
{
	const unsigned char *p = next_bytes(l->r, n, e);

	if (p == NULL)
		l->cut = e->code == 0;
	else
		l->left -= n;
	return p;
}

static uint64_t
time_of(const struct loading *l, uint64_t stamp)
{
	const struct sym_clock *c = &l->expected->clock;
	uint64_t low;

	if (!l->ticks || l->d->timeless)
		return stamp;
	low = stamp & ((UINT64_C(1) << c->shift) - 1);
	return c->zero + (stamp >> c->shift) * c->mult + (low * c->mult >> c->shift);
}

static int
add_placement(struct loading *l, const struct placement *p, struct err *e)
{
	struct jitdump *d = l->d;

	if (d->base + d->n >= PLACEMENTS_MAX)
		return err_data(e, "more than %zu functions", PLACEMENTS_MAX);
	if (!vec_room(d->placement, d->n, d->cap))
		return err_nomem(e);
	d->placement[d->n] = *p;
	d->placement[d->n].time = l->time;
	d->placement[d->n].until = UINT64_MAX;
	d->placement[d->n].sequence = (uint32_t)d->n;
	d->n++;
	return 0;
}

static int
damaged(const struct loading *l, const char *what, struct err *e)
{
	return err_byte(e, l->offset, "%s", what);
}

/* Reads the name at the start of the rest of a LOAD record, before the code. */
static int
take_name(struct loading *l, uint64_t code, struct placement *p, struct err *e)
{
	struct buf *names = &l->d->names;
	uint64_t room = l->left - code;
	size_t n = room < NAME_MAX_LEN ? (size_t)room : NAME_MAX_LEN;
	const unsigned char *text = record_bytes(l, n, e), *end;

	if (text == NULL)
		return e->code;
	end = memchr(text, 0, n);
	if (end == NULL && room <= NAME_MAX_LEN)
		return damaged(l, "a function's name has no end", e);
	if (end == NULL || end == text)
		return 0;
	n = (size_t)(end - text);
	if (names->len > NAMES_MAX - n)
		return err_data(e, "more than %zu bytes of names", NAMES_MAX);
	p->name = names->len;
	p->symbol.namelen = (uint32_t)n;
	return buf_put(names, text, n + 1) ? 0 : err_nomem(e);
}

/*
 * Begins a record about code, whose fields take SIZE bytes with the prefix.  Leaves *c at its
 * addresses.  Returns ERR_DATA with WHAT if it is too short.  At the end of the file l->cut is set.
 */
static int
begin_code(struct loading *l, size_t size, const char *what, struct cur *c, uint32_t *pid,
    struct err *e)
{
	const unsigned char *bytes;

	size -= PREFIX_SIZE;
	if (l->left < size)
		return damaged(l, what, e);
	if ((bytes = record_bytes(l, size, e)) == NULL)
		return e->code;
	*c = cur_over(bytes, size, l->d->big);
	*pid = cur_u32(c);
	(void)cur_u32(c); /* tid */
	(void)cur_u64(c); /* its virtual address, the same as the address of the code */
	return 0;
}

/* Gives the lines that were read last to the code that follows them, if they fit. */
static void
claim_lines(struct loading *l, struct placement *p)
{
	struct jitdump *d = l->d;
	struct line_list lines = l->lines;

	l->lines.n = 0;
	if (lines.n == 0)
		return;
	if (l->lines_of != p->symbol.start ||
	    d->line[lines.at + lines.n - 1].offset >= p->symbol.end - p->symbol.start) {
		d->lines = lines.at;
		d->bad_lines++;
		return;
	}
	p->lines = lines;
	d->low_lines |=
	    d->line[lines.at].offset < (d->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
}

/* Drops the lines that were read last, if no code has followed them. */
static void
drop_lines(struct loading *l)
{
	if (l->lines.n != 0)
		l->d->lines = l->lines.at;
	l->lines = (struct line_list){ l->d->lines, 0 };
}

static int
take_load(struct loading *l, struct err *e)
{
	struct placement p = { .name = NO_NAME, .unwind = l->unwind };
	uint64_t size;
	struct cur c;
	uint32_t pid;
	int rc;

	rc = begin_code(l, LOAD_SIZE, "a record of loaded code is too short", &c, &pid, e);
	if (rc != 0 || l->cut)
		return rc;
	p.linked = p.symbol.start = cur_u64(&c);
	size = cur_u64(&c);
	p.index = cur_u64(&c);
	if (size > l->left || size >= UINT64_MAX - p.symbol.start)
		return damaged(l, "code is longer than its record", e);
	p.symbol.end = p.symbol.start + size;
	if ((rc = take_name(l, size, &p, e)) != 0 || l->cut)
		return rc;
	if (l->unwind != NO_UNWIND)
		l->d->unwind[l->unwind].linked = p.symbol.start + size + (-size & 7);
	l->unwind = NO_UNWIND;
	claim_lines(l, &p);
	/* code of another process is in a copy of our memory, after a fork */
	return pid != l->expected->pid || size == 0 ? 0 : add_placement(l, &p, e);
}

static int
take_move(struct loading *l, struct err *e)
{
	struct placement p = { .moved = true, .name = NO_NAME, .unwind = NO_UNWIND };
	struct cur c;
	uint64_t size;
	uint32_t pid;
	int rc;

	rc = begin_code(l, MOVE_SIZE, "a record of moved code is too short", &c, &pid, e);
	if (rc != 0 || l->cut)
		return rc;
	p.linked = cur_u64(&c);
	p.symbol.start = cur_u64(&c);
	size = cur_u64(&c);
	p.index = cur_u64(&c);
	if (size >= UINT64_MAX - p.symbol.start || size >= UINT64_MAX - p.linked)
		return damaged(l, "code is longer than the memory", e);
	p.symbol.end = p.symbol.start + size;
	return pid != l->expected->pid || size == 0 ? 0 : add_placement(l, &p, e);
}

/* Keeps the unwind information for the next code. */
static int
take_unwinding(struct loading *l, struct err *e)
{
	struct jitdump *d = l->d;
	struct unwind_data data = { .at = d->unwind_bytes.len };
	const unsigned char *bytes;
	struct cur c;
	uint64_t size, header;

	l->unwind = NO_UNWIND;
	if (l->left < UNWINDING_SIZE - PREFIX_SIZE)
		return damaged(l, "a record of unwind information is too short", e);
	if ((bytes = record_bytes(l, UNWINDING_SIZE - PREFIX_SIZE, e)) == NULL)
		return e->code;
	c = cur_over(bytes, UNWINDING_SIZE - PREFIX_SIZE, d->big);
	size = cur_u64(&c);
	header = cur_u64(&c);
	if (size > l->left || header > size)
		return damaged(l, "unwind information is longer than its record", e);
	/* a header alone means that the code keeps a frame pointer */
	if (size > BLOCK || size == header || size > UNWIND_MAX - d->unwind_bytes.len)
		return 0;
	if ((bytes = record_bytes(l, (size_t)size, e)) == NULL)
		return e->code;
	data.len = (size_t)size;
	data.header = (size_t)header;
	if (!vec_room(d->unwind, d->unwinds, d->unwind_cap) ||
	    !buf_put(&d->unwind_bytes, bytes, (size_t)size))
		return err_nomem(e);
	l->unwind = (uint32_t)d->unwinds;
	d->unwind[d->unwinds++] = data;
	return 0;
}

/* Returns true for a file's name as a person could have given it. */
static bool
is_text(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && (unsigned char)p[i] >= ' ' && p[i] != 0x7f; i++)
		;
	return n > 0 && i == n;
}

/* Reads the name of an entry's file.  The bytes ff 00 mean that of the entry before. */
static int
take_file(struct loading *l, struct cur *c, struct line *line, struct err *e)
{
	size_t len, n;
	const char *name = cur_string(c, &len);

	if (!cur_ok(c))
		return err_data(e, "the name of a file has no end");
	if (len == 1 && (unsigned char)name[0] == 0xff) {
		if (l->lines.n == 0)
			return err_data(e, "no file has been named before");
		line->file = l->d->line[l->d->lines - 1].file;
		return 0;
	}
	if (!is_text(name, len))
		return err_data(e, "the name of a file is no text");
	n = tab_add(&l->d->files, (struct slice){ name, len }, NULL);
	line->file = (uint32_t)n;
	return n == TAB_NONE ? err_nomem(e) : 0;
}

/* Reads an entry, whose address must not be less than that of the one before. */
static int
take_line(struct loading *l, struct cur *c, struct err *e)
{
	struct jitdump *d = l->d;
	uint64_t address = cur_u64(c);
	struct line line = { .line = cur_u32(c) };
	int rc;

	(void)cur_u32(c); /* the column */
	if ((rc = take_file(l, c, &line, e)) != 0)
		return rc;
	line.offset = (uint32_t)(address - l->lines_of);
	if (address < l->lines_of || address - l->lines_of > UINT32_MAX || line.line > INT32_MAX ||
	    (l->lines.n != 0 && line.offset < d->line[d->lines - 1].offset))
		return err_data(e, "lines are not in order");
	if (d->lines >= LINES_MAX)
		return err_data(e, "more than %zu lines", LINES_MAX);
	if (!vec_room(d->line, d->lines, d->line_cap))
		return err_nomem(e);
	d->line[d->lines++] = line;
	l->lines.n++;
	return 0;
}

/* Reads the entries of a record, which must be all that is in it. */
static int
take_entries(struct loading *l, struct cur *c, struct err *e)
{
	uint64_t n;
	int rc = 0;

	l->lines_of = cur_u64(c);
	n = cur_u64(c);
	if (!cur_ok(c) || n > cur_left(c) / (ENTRY_SIZE + 1))
		return err_data(e, "more lines than the record has");
	for (; n > 0 && rc == 0; n--)
		rc = take_line(l, c, e);
	if (rc == 0 && cur_left(c) > PADDING_MAX)
		rc = err_data(e, "more than the lines in their record");
	return rc;
}

/* Reads the rest of a record, which may be longer than a block. */
static int
take_rest(struct loading *l, struct buf *b, struct err *e)
{
	const unsigned char *bytes;
	size_t n;

	while (l->left > 0) {
		n = l->left < BLOCK ? (size_t)l->left : BLOCK;
		if ((bytes = record_bytes(l, n, e)) == NULL)
			return e->code;
		if (!buf_put(b, bytes, n))
			return err_nomem(e);
	}
	return 0;
}

/*
 * Keeps the lines for the next code.  Some compilers write what is not so; then the code has no
 * lines, and the file is not damaged.
 */
static int
take_lines(struct loading *l, struct err *e)
{
	struct jitdump *d = l->d;
	struct buf b = { 0 };
	struct cur c;
	int rc;

	drop_lines(l);
	if (!l->expected->lines)
		return 0;
	if (l->left > LINES_RECORD_MAX) {
		d->bad_lines++;
		return 0;
	}
	if ((rc = take_rest(l, &b, e)) == 0 && !l->cut) {
		c = cur_over(b.p, b.len, d->big);
		rc = take_entries(l, &c, e);
		if (rc != 0) {
			d->lines = l->lines.at;
			l->lines.n = 0;
		}
		d->bad_lines += rc == ERR_DATA;
	}
	buf_free(&b);
	return rc == ERR_DATA ? 0 : rc;
}

/* Reads a record.  Sets l->cut if the file ends before the record does. */
static int
take_record(struct loading *l, struct err *e)
{
	const unsigned char *bytes;
	struct cur c;
	uint32_t id, size;
	int rc = 0;

	l->offset = l->r->at;
	if ((bytes = next_bytes(l->r, PREFIX_SIZE, e)) == NULL) {
		l->cut = e->code == 0;
		return e->code;
	}
	c = cur_over(bytes, PREFIX_SIZE, l->d->big);
	id = cur_u32(&c);
	size = cur_u32(&c);
	l->time = time_of(l, cur_u64(&c));
	l->time -= l->time == UINT64_MAX; /* which means no end */
	if (size < PREFIX_SIZE)
		return damaged(l, "a record is shorter than its header", e);
	l->left = size - PREFIX_SIZE;
	l->cut = l->left > l->r->size - l->r->at;
	if (l->cut)
		return 0;
	switch (id) {
	case RECORD_LOAD: rc = take_load(l, e); break;
	case RECORD_MOVE: rc = take_move(l, e); break;
	case RECORD_DEBUG_INFO: rc = take_lines(l, e); break;
	case RECORD_UNWINDING_INFO: rc = take_unwinding(l, e); break;
	}
	skip(l->r, l->left);
	return rc;
}

/* Returns the reason why the file's times cannot be compared, or NULL if they can. */
static const char *
clock_doubt(const struct loading *l)
{
	const struct sym_clock *c = &l->expected->clock;

	if (!l->ticks)
		return c->kind == SYM_CLOCK_MONOTONIC ? NULL : "recorded without -k mono";
	if (c->kind != SYM_CLOCK_PERF)
		return "its clock is not the recording's";
	return c->mult != 0 && c->shift < 64 ? NULL : "the recording cannot convert its times";
}

static int
take_header(struct loading *l, struct err *e)
{
	struct jitdump *d = l->d;
	const unsigned char *p = next_bytes(l->r, HEADER_SIZE, e);
	uint32_t version, size, machine, pid;
	struct cur c;
	uint64_t flags;

	if (p == NULL)
		return e->code != 0 ? e->code : err_data(e, "too short for a jitdump");
	c = cur_over(p, HEADER_SIZE, false);
	d->big = cur_u32(&c) != MAGIC;
	c = cur_over(p, HEADER_SIZE, d->big);
	if (cur_u32(&c) != MAGIC)
		return err_data(e, "not a jitdump");
	version = cur_u32(&c);
	size = cur_u32(&c);
	machine = cur_u32(&c);
	(void)cur_u32(&c);
	pid = cur_u32(&c);
	(void)cur_u64(&c); /* when the file was made, by any clock */
	flags = cur_u64(&c);
	if (version != VERSION)
		return err_data(e, "version %" PRIu32 " of the format is not known", version);
	if (size < HEADER_SIZE || size > HEADER_MAX || size > l->r->size)
		return err_data(e, "a header of %" PRIu32 " bytes", size);
	if ((flags & ~(uint64_t)FLAG_ARCH_TIMESTAMP) != 0)
		return err_data(e, "unknown flags 0x%" PRIx64, flags);
	if (pid != l->expected->pid)
		return err_data(e, "it belongs to process %" PRIu32, pid);
	d->wide = machine != EM_386 && machine != EM_ARM;
	l->ticks = (flags & FLAG_ARCH_TIMESTAMP) != 0;
	skip(l->r, size - HEADER_SIZE);
	return 0;
}

/* ---- from records to a table */

static int
by_time(const void *a, const void *b)
{
	const struct placement *p = a, *q = b;

	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->sequence > q->sequence) - (p->sequence < q->sequence);
}

static int
by_value(const void *a, const void *b)
{
	uint64_t v = *(const uint64_t *)a, w = *(const uint64_t *)b;

	return v < w ? -1 : v > w;
}

#define TREE_NONE SIZE_MAX

/* Returns the number of the slab that contains the address, or TREE_NONE. */
static size_t
slab_of(const struct tree *t, uint64_t address)
{
	size_t low = 0, high = t->edges, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->edge[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 || low == t->edges ? TREE_NONE : low - 1;
}

/* Counts an entry of a node, or stores it. */
static void
visit(struct tree *t, size_t node, uint32_t number, bool store)
{
	if (store)
		t->item[t->first[node]++] = number;
	else
		t->first[node + 1]++;
}

/* Visits the nodes that together cover a placement. */
static void
visit_all(struct tree *t, const struct placement *p, uint32_t number, bool store)
{
	size_t low = slab_of(t, p->symbol.start) + t->leaves;
	size_t high = slab_of(t, p->symbol.end - 1) + 1 + t->leaves;

	for (; low < high; low /= 2, high /= 2) {
		if ((low & 1) != 0)
			visit(t, low++, number, store);
		if ((high & 1) != 0)
			visit(t, --high, number, store);
	}
}

static void
find_edges(struct jitdump *d)
{
	struct tree *t = &d->tree;
	size_t i, n = 0;

	for (i = 0; i < d->n; i++) {
		t->edge[n++] = d->placement[i].symbol.start;
		t->edge[n++] = d->placement[i].symbol.end;
	}
	qsort(t->edge, n, sizeof *t->edge, by_value);
	for (i = t->edges = 0; i < n; i++)
		if (t->edges == 0 || t->edge[t->edges - 1] != t->edge[i])
			t->edge[t->edges++] = t->edge[i];
}

/* Builds the tree of all placements.  Returns false if memory runs out. */
static bool
build_tree(struct jitdump *d)
{
	struct tree *t = &d->tree;
	size_t i, nodes, total = 0;

	for (t->leaves = 1; t->leaves < t->edges; t->leaves *= 2)
		;
	nodes = 2 * t->leaves;
	if ((t->first = mem_zero(nodes + 2, sizeof *t->first)) == NULL)
		return false;
	for (i = 0; i < d->n; i++)
		visit_all(t, &d->placement[i], (uint32_t)i, false);
	for (i = 0; i <= nodes; i++) {
		total += t->first[i]; /* at most 2 * 25 for each of PLACEMENTS_MAX, below 2^32 */
		t->first[i] = (uint32_t)total;
	}
	if ((t->item = mem_alloc((total + 1) * sizeof *t->item)) == NULL)
		return false;
	for (i = 0; i < d->n; i++)
		visit_all(t, &d->placement[i], (uint32_t)i, true);
	/* each start has become the end, which is the next one's start */
	memmove(t->first + 1, t->first, (nodes + 1) * sizeof *t->first);
	t->first[0] = 0;
	return true;
}

/*
 * Finds the newest placement at a slab among those before number BOUND, and the oldest of the
 * others.  Either is d->n if there is none.
 */
static void
around(const struct jitdump *d, size_t slab, size_t bound, size_t *newest, size_t *next)
{
	const struct tree *t = &d->tree;
	size_t node, low, high, mid;

	*newest = *next = d->n;
	for (node = slab + t->leaves; node > 0; node /= 2) {
		low = t->first[node];
		high = t->first[node + 1];
		while (low < high) {
			mid = low + (high - low) / 2;
			if (t->item[mid] < bound)
				low = mid + 1;
			else
				high = mid;
		}
		if (low < t->first[node + 1] && t->item[low] < *next)
			*next = t->item[low];
		if (low > t->first[node] && (*newest == d->n || t->item[low - 1] > *newest))
			*newest = t->item[low - 1];
	}
}

/* Returns the number of the first placement after TIME. */
static size_t
first_after(const struct jitdump *d, uint64_t time)
{
	size_t low = 0, high = d->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (d->placement[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- code that moves */

/* Code that was loaded, with its code index. */
struct loaded {
	uint64_t index;
	size_t number; /* of the placement */
};

static int
by_index(const void *a, const void *b)
{
	const struct loaded *p = a, *q = b;

	if (p->index != q->index)
		return p->index < q->index ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* Returns the last code with that index that was loaded before placement NUMBER, or NULL. */
static struct loaded *
loaded_before(struct loaded *loaded, size_t n, uint64_t index, size_t number)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (loaded[mid].index < index ||
		    (loaded[mid].index == index && loaded[mid].number < number))
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && loaded[low - 1].index == index ? &loaded[low - 1] : NULL;
}

static bool
has_moved(const struct placement *from, const struct placement *to)
{
	return from->symbol.start == to->linked &&
	    from->symbol.end - from->symbol.start == to->symbol.end - to->symbol.start;
}

static void
take_over(struct placement *to, struct placement *from)
{
	to->symbol.namelen = from->symbol.namelen;
	to->linked = from->linked;
	to->unwind = from->unwind;
	to->lines = from->lines;
	from->until = to->time;
}

/* Finds code that was loaded in an earlier part by the address from which it has moved. */
static void
move_from_earlier(const struct jitdump *d, struct placement *p)
{
	struct placement *from = NULL, *last;
	struct jitdump *part, *of = NULL;
	size_t slab, newest, next;

	for (part = d->earlier; part != NULL; part = part->earlier) {
		slab = slab_of(&part->tree, p->linked);
		if (slab == TREE_NONE)
			continue;
		around(part, slab, first_after(part, p->time), &newest, &next);
		last = &part->placement[newest];
		if (newest == part->n || (from != NULL && last->time <= from->time))
			continue;
		from = last;
		of = part;
	}
	if (from == NULL || from->index != p->index || !has_moved(from, p))
		return;
	p->of = from->of != NULL ? from->of : of;
	p->symbol.name = from->symbol.name;
	take_over(p, from);
}

/*
 * Gives moved code its name, and ends the placement at its old address.  If the record does not
 * match the loaded code, the moved code has no name.  place[I] is the last placement of loaded[I].
 */
static void
move(struct jitdump *d, struct loaded *loaded, size_t *place, size_t n, size_t number)
{
	struct placement *p = &d->placement[number], *from;
	struct loaded *o = loaded_before(loaded, n, p->index, number);

	if (o == NULL) {
		move_from_earlier(d, p);
		return;
	}
	from = &d->placement[place[o - loaded]];
	if (!has_moved(from, p))
		return;
	p->name = from->name;
	take_over(p, from);
	place[o - loaded] = number;
}

/* Follows all moves, in the order of time.  Returns false if memory runs out. */
static bool
follow_moves(struct jitdump *d)
{
	struct loaded *loaded = mem_alloc((d->n + 1) * sizeof *loaded);
	size_t *place = mem_alloc((d->n + 1) * sizeof *place);
	size_t i, n = 0;
	bool ok = loaded != NULL && place != NULL;

	for (i = 0; ok && i < d->n; i++)
		if (!d->placement[i].moved)
			loaded[n++] = (struct loaded){ d->placement[i].index, i };
	if (ok)
		qsort(loaded, n, sizeof *loaded, by_index);
	for (i = 0; ok && i < n; i++)
		place[i] = loaded[i].number;
	for (i = 0; ok && i < d->n; i++)
		if (d->placement[i].moved)
			move(d, loaded, place, n, i);
	mem_free(loaded);
	mem_free(place);
	return ok;
}

/* Makes the table.  Returns false if memory runs out. */
static bool
finish(struct jitdump *d)
{
	struct placement *p;
	bool moves = false;
	size_t i;

	if ((d->tree.edge = mem_alloc((2 * d->n + 1) * sizeof *d->tree.edge)) == NULL)
		return false;
	if (d->n == 0)
		return true;
	qsort(d->placement, d->n, sizeof *d->placement, by_time);
	for (i = 0; i < d->n; i++)
		moves |= d->placement[i].moved;
	find_edges(d);
	if (!build_tree(d) || (moves && !follow_moves(d)))
		return false;
	for (i = 0; i < d->n; i++) {
		p = &d->placement[i];
		p->symbol.binding = SYM_GLOBAL;
		if (p->name != NO_NAME)
			p->symbol.name = d->names.p + p->name;
	}
	return true;
}

/*
 * Reads all records.  After damage, the records read before it are used, up to the time of the last
 * of them.
 */
static int
take_records(struct loading *l, struct err *e)
{
	struct jitdump *d = l->d;
	uint64_t last = d->last;
	size_t n;
	int rc = 0;

	while (rc == 0 && !l->cut && l->r->at < l->r->size) {
		d->last = last;
		n = d->n;
		rc = take_record(l, e);
		last = l->time > last ? l->time : last;
		if (rc == 0 && !l->cut &&
		    (d->n != n || (l->unwind == NO_UNWIND && l->lines.n == 0)))
			d->whole = l->r->at;
	}
	if (rc == 0 && !l->cut)
		d->last = last;
	d->ended = rc == ERR_DATA;
	if (rc == ERR_DATA && !d->timeless && (d->n > 0 || d->earlier != NULL)) {
		d->known = d->last < UINT64_MAX - 1 ? d->last : UINT64_MAX;
		(void)snprintf(d->doubt, sizeof d->doubt, "damaged at byte 0x%" PRIx64 ": %.80s",
		    l->offset, e->msg);
		return 0;
	}
	if (rc == ERR_DATA)
		err_at_byte(e, l->offset);
	return rc;
}

/* Returns true if two placements are of the same code. */
static bool
is_same(const struct placement *a, const struct placement *b)
{
	return a->symbol.start == b->symbol.start && a->symbol.namelen == b->symbol.namelen &&
	    a->symbol.namelen != 0 &&
	    memcmp(a->symbol.name, b->symbol.name, a->symbol.namelen) == 0;
}

/* ---- looking up */

/* The functions that were ever at a slab. */
struct history {
	size_t only; /* the only one, or d->n */
	bool several; /* there were several */
	bool again; /* the only one was loaded more than once */
};

static struct history
history_of(const struct jitdump *d, size_t slab)
{
	struct history h = { .only = d->n };
	size_t node;

	for (node = slab + d->tree.leaves; node > 0; node /= 2) {
		uint32_t one = d->common[node];

		if (one == NOTHING)
			continue;
		h.again |= h.only != d->n || d->tree.first[node + 1] - d->tree.first[node] > 1;
		h.several |= one == SEVERAL ||
		    (h.only != d->n && !is_same(&d->placement[one], &d->placement[h.only]));
		if (h.several)
			break;
		h.only = one;
	}
	if (h.several)
		h.only = d->n;
	return h;
}

/* Finds the function that all placements of each node have in common. */
static bool
find_common(struct jitdump *d)
{
	const struct tree *t = &d->tree;
	size_t node, i;

	if ((d->common = mem_alloc(2 * t->leaves * sizeof *d->common)) == NULL)
		return false;
	for (node = 0; node < 2 * t->leaves; node++) {
		d->common[node] = NOTHING;
		for (i = t->first[node]; i < t->first[node + 1]; i++)
			if (d->common[node] == NOTHING)
				d->common[node] = t->item[i];
			else if (d->common[node] != SEVERAL &&
			    !is_same(&d->placement[t->item[i]], &d->placement[d->common[node]]))
				d->common[node] = SEVERAL;
	}
	for (i = 0; i < t->edges && !d->contested; i++)
		d->contested = history_of(d, i).several;
	return true;
}

/* Which code decides what is at an address at a time, if any does, and its time. */
struct decision {
	bool made;
	uint64_t time;
};

/* Limits the result to the time before damage, or to that after it, when nothing is known. */
static bool
is_known(const struct jitdump *d, uint64_t time, struct sym_code *out, struct decision *by)
{
	if (time <= d->known) {
		out->time.to = out->time.to <= d->known ? out->time.to : d->known + 1;
		return true;
	}
	out->time.from = d->known + 1;
	*by = (struct decision){ true, d->known + 1 };
	return false;
}

/* Fills *out for an address that no code of the part ever covered. */
static void
find_nothing(const struct jitdump *d, uint64_t address, uint64_t time, struct sym_code *out,
    struct decision *by)
{
	const struct tree *t = &d->tree;

	*out = (struct sym_code){ .never = true,
		.address = { 0, UINT64_MAX },
		.time = { 0, UINT64_MAX } };
	(void)is_known(d, time, out, by);
	if (t->edges == 0)
		return;
	if (address < t->edge[0])
		out->address.to = t->edge[0];
	else
		out->address.from = t->edge[t->edges - 1];
}

/* Finds the placement at a slab at a time, or d->n, and the span of time of that result. */
static size_t
placement_at(const struct jitdump *d, size_t slab, uint64_t time, struct sym_code *out,
    struct decision *by)
{
	size_t newest, next;
	struct history h;

	if (d->timeless) {
		h = history_of(d, slab);
		out->never = h.only == d->n && !h.several;
		out->number = h.again ? UINT32_MAX : (uint32_t)h.only;
		return h.only;
	}
	around(d, slab, first_after(d, time), &newest, &next);
	out->number = (uint32_t)(d->base + newest);
	out->never = newest == d->n && next == d->n;
	if (newest < d->n) {
		out->time.from = d->placement[newest].time;
		*by = (struct decision){ true, out->time.from };
	}
	if (next < d->n)
		out->time.to = d->placement[next].time;
	if (newest < d->n && d->placement[newest].until != UINT64_MAX) {
		uint64_t until = d->placement[newest].until;

		if (until <= time) {
			out->time.from = until;
			newest = d->n;
		} else if (until < out->time.to) {
			out->time.to = until;
		}
	}
	return is_known(d, time, out, by) ? newest : d->n;
}

/* Finds what one part of the file says. */
static void
find_in_part(const struct jitdump *d, uint64_t address, uint64_t time, struct sym_code *out,
    struct decision *by)
{
	size_t slab = slab_of(&d->tree, address), number;
	const struct placement *p;

	*by = (struct decision){ false, 0 };
	if (slab == TREE_NONE) {
		find_nothing(d, address, time, out, by);
		return;
	}
	*out = (struct sym_code){ .address = { d->tree.edge[slab], d->tree.edge[slab + 1] },
		.time = { 0, UINT64_MAX } };
	number = placement_at(d, slab, time, out, by);
	if (number == d->n || d->placement[number].symbol.name == NULL)
		return;
	p = &d->placement[number];
	out->symbol = &p->symbol;
	out->shift = p->linked - p->symbol.start;
}

void
jitdump_find(const struct jitdump *d, uint64_t address, uint64_t time, struct sym_code *out)
{
	struct decision by, other;
	struct sym_code c;

	find_in_part(d, address, time, out, &by);
	if (d->timeless) /* its last part is all of the file */
		return;
	while ((d = d->earlier) != NULL && (!by.made || out->never || by.time < d->last)) {
		find_in_part(d, address, time, &c, &other);
		out->address = span_intersection(out->address, c.address);
		out->time = span_intersection(out->time, c.time);
		out->never &= c.never;
		if (other.made && (!by.made || other.time > by.time)) {
			by = other;
			out->symbol = c.symbol;
			out->shift = c.shift;
			out->number = c.number;
		}
	}
}

/* ---- unwind information */

/*
 * Finds the .eh_frame in a function's unwind information.  The specification puts the
 * .eh_frame_hdr before it.  perf and the compilers put it after it.  Both formats begin with a byte
 * that tells them apart: the header's is its version, 1, followed by three encodings.
 */
static bool
find_frames(const struct unwind_data *u, const unsigned char *p, size_t *at)
{
	if (u->header >= 4 && p[u->len - u->header] == 1) {
		*at = 0;
		return true;
	}
	*at = u->header;
	return u->header >= 4 && p[0] == 1;
}

static struct cfi *
make_cfi(const struct jitdump *d, struct unwind_data *u)
{
	const unsigned char *p = (const unsigned char *)d->unwind_bytes.p + u->at;
	struct cfi_format format = { .wide = d->wide, .big_endian = d->big };
	struct buf bytes = { 0 };
	struct cfi *c;
	struct err e;
	size_t at;
	int rc;

	if (!find_frames(u, p, &at))
		return NULL;
	format.address = u->linked + at;
	c = cfi_new();
	if (c == NULL || !buf_put(&bytes, p + at, u->len - u->header))
		rc = err_nomem(&e);
	else
		rc = cfi_add_section(c, CFI_EH_FRAME, &bytes, &format, &e);
	u->failed = rc == ERR_SYS;
	if (rc != 0) {
		buf_free(&bytes);
		cfi_free(c);
		return NULL;
	}
	cfi_finish(c);
	return c;
}

/* Returns the placement of code, and its part in *d, or NULL if it is none. */
static const struct placement *
placement_of(const struct jitdump **d, const struct sym_code *code)
{
	while (code->number < (*d)->base)
		*d = (*d)->earlier;
	return code->symbol == NULL || code->number - (*d)->base >= (*d)->n
	    ? NULL
	    : &(*d)->placement[code->number - (*d)->base];
}

const struct cfi *
jitdump_unwind(const struct jitdump *d, const struct sym_code *code)
{
	const struct placement *p = placement_of(&d, code);
	struct unwind_data *u;

	if (p == NULL || p->unwind == NO_UNWIND)
		return NULL;
	d = p->of != NULL ? p->of : d;
	u = &d->unwind[p->unwind];
	if (!u->made) {
		u->cfi = make_cfi(d, u);
		u->made = true;
	}
	return u->cfi;
}

bool
jitdump_failed(const struct jitdump *d)
{
	bool failed = false;
	size_t i;

	for (; d != NULL; d = d->earlier)
		for (i = 0; i < d->unwinds; i++)
			failed |= d->unwind[i].failed;
	return failed;
}

/* ---- lines */

/*
 * Old versions of perf took the addresses of lines to be those in a file in which the code follows
 * an ELF header, so some compilers (V8) add its length to them.  If no code has a line that shows
 * that they do not, nothing is known.
 */
static void
judge_lines(struct jitdump *d)
{
	if (d->lines != 0 && !d->low_lines) {
		d->lines = 0;
		(void)snprintf(d->line_doubt, sizeof d->line_doubt,
		    "its lines may be those of other addresses");
	} else if (d->bad_lines != 0) {
		(void)snprintf(d->line_doubt, sizeof d->line_doubt,
		    "the lines of %zu function%s are damaged", d->bad_lines,
		    d->bad_lines == 1 ? "" : "s");
	}
}

bool
jitdump_line(const struct jitdump *d, const struct sym_code *code, uint64_t address,
    struct sym_line *out)
{
	const struct placement *p = placement_of(&d, code);
	const struct line *line;
	size_t low = 0, high, mid;

	if (p == NULL)
		return false;
	d = p->of != NULL ? p->of : d;
	if (d->lines == 0)
		return false;
	line = d->line + p->lines.at;
	for (high = p->lines.n; low < high;) {
		mid = low + (high - low) / 2;
		if (line[mid].offset <= address - p->symbol.start)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*out = (struct sym_line){ .file = d->files.item[line[low - 1].file],
		.line = line[low - 1].line };
	return true;
}

/* ---- a file */

/* Skips what an earlier part has. */
static void
continue_after(struct loading *l, const struct jitdump *earlier)
{
	struct jitdump *d = l->d;

	l->r->at = d->whole = earlier->whole;
	l->r->pos = l->r->filled = 0;
	d->base = earlier->base + earlier->n;
	d->last = earlier->last;
	d->low_lines = earlier->low_lines;
}

/*
 * Reads the file.  If its times cannot be compared with the recording's, names hold for the whole
 * file.  A damaged file is then not used, because only times show which part of it is known.
 */
static int
load(struct loading *l, struct err *e)
{
	struct jitdump *d = l->d;
	const char *doubt;
	int rc;

	if ((rc = take_header(l, e)) != 0)
		return rc;
	doubt = clock_doubt(l);
	d->timeless = doubt != NULL;
	d->whole = l->r->at;
	if (d->earlier != NULL && !d->timeless)
		continue_after(l, d->earlier);
	if ((rc = take_records(l, e)) != 0)
		return rc;
	if (!finish(d) || (d->timeless && d->n > 0 && !find_common(d)))
		return err_nomem(e);
	drop_lines(l);
	judge_lines(d);
	if (d->contested)
		(void)snprintf(d->doubt, sizeof d->doubt, "memory was reused, and %s", doubt);
	return 0;
}

static int
load_from(int fd, uint64_t size, const struct jitdump_expected *expected, struct jitdump *d,
    struct err *e)
{
	struct reader *r = mem_zero(1, sizeof *r);
	struct loading l = { .d = d, .r = r, .expected = expected, .unwind = NO_UNWIND };
	int rc;

	if (r == NULL)
		return err_nomem(e);
	r->fd = fd;
	r->size = size;
	d->known = UINT64_MAX;
	rc = load(&l, e);
	mem_free(r);
	return rc;
}

/*
 * Returns true if the file is worth a look again.  If times cannot be compared, all of it is read
 * anew, so it must have grown by a part that keeps the work in proportion to its size.
 */
static bool
has_grown(const struct jitdump *d, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;

	return !d->ended && st->st_dev == d->dev && st->st_ino == d->ino && size > d->size &&
	    (!d->timeless || size - d->size >= d->size / 4);
}

/* Makes a table of the file or, if there is an earlier one, of what the file has had since. */
static int
load_part(int fd, const struct stat *st, const struct jitdump_expected *expected,
    struct jitdump *earlier, struct jitdump **out, struct err *e)
{
	struct jitdump *d = mem_zero(1, sizeof *d);
	int rc;

	if (d == NULL)
		return err_nomem(e);
	d->dev = st->st_dev;
	d->ino = st->st_ino;
	d->size = (uint64_t)st->st_size;
	d->earlier = earlier;
	rc = load_from(fd, d->size, expected, d, e);
	if (rc != 0 || (earlier != NULL && d->n == 0 && d->known == UINT64_MAX)) {
		if (earlier != NULL) {
			earlier->ended = d->ended;
			earlier->size = d->size;
		}
		free_part(d);
		return rc;
	}
	*out = d;
	return 0;
}

int
jitdump_load(const struct file_name *name, const struct jitdump_expected *expected,
    struct jitdump **d, struct err *e)
{
	struct stat st;
	int fd = -1, rc;

	if ((rc = list_open_trusted(name, &fd, &st, e)) != 0)
		return rc;
	if (expected->inode != 0 && expected->inode != (uint64_t)st.st_ino)
		rc = err_data(e, "not the file that was mapped");
	else if (*d == NULL || has_grown(*d, &st))
		rc = load_part(fd, &st, expected, *d, d, e);
	(void)close(fd);
	return rc;
}

const char *
jitdump_doubt(const struct jitdump *d)
{
	for (; d != NULL; d = d->timeless ? NULL : d->earlier)
		if (d->doubt[0] != '\0')
			return d->doubt;
	return NULL;
}

const char *
jitdump_line_doubt(const struct jitdump *d)
{
	for (; d != NULL; d = d->timeless ? NULL : d->earlier)
		if (d->line_doubt[0] != '\0')
			return d->line_doubt;
	return NULL;
}
