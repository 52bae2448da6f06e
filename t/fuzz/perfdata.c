/* SPDX-License-Identifier: ISC */
/*
 * perfdata.c - fuzzes the decoder of perf.data, and sweeps over damaged recordings.
 *
 * A prefix must be rejected at a place, unless it ends between two records of a pipe, and its
 * samples must be the first samples of the whole file.  The reader of the stream must accept every
 * line, and damage must have a place.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/perfdata/perfdata.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/perfmutate.h"

struct run {
	int status; /* of perf_decode */
	unsigned reports;
	char *text; /* the stream, from the last call */
	size_t len;
};

/* Returns symbols at all addresses, with names like those of the worst compilers. */
static const struct symtab *
nasty(void)
{
	static struct symtab *t;

	if (t != NULL)
		return t;
	t = symtab_new();
	check(t != NULL && symtab_add(t, 0, 0x1200, SYM_GLOBAL, "a;b\\c", 5, NULL) == 0 &&
		symtab_add(t, 0x1200, 0x400000, SYM_GLOBAL, "\x1b[2J\t\n\xff", 7, NULL) == 0 &&
		symtab_add(t, UINT64_C(0xffffffff81000000), 0x1000000, SYM_GLOBAL, ".", 1, NULL) ==
		    0 &&
		symtab_finish(t, SYMTAB_OBJECT, NULL) == 0,
	    "no symbols");
	return t;
}

static const struct symtab *
object(void *ctx, const struct sym_object *o)
{
	(void)ctx;
	check(o->pathlen == 0 || o->path != NULL, "an object without a path");
	check(o->build_id_len <= 20, "a build id that is too long");
	return o->pathlen % 3 == 0 ? NULL : nasty();
}

static const struct symtab *
kernel(void *ctx, const struct sym_kernel *k)
{
	(void)ctx;
	check(k->ref_name == NULL || strlen(k->ref_name) < 64, "an odd reference symbol");
	check(k->release.len == 0 || k->release.p != NULL, "a release without a text");
	return nasty();
}

static const struct symtab *
jit(void *ctx, const struct sym_process *p)
{
	(void)ctx;
	check(p->file.p == NULL || p->file.len < 65536, "not a possible path");
	return p->pid % 2 == 0 ? NULL : nasty();
}

static struct jitdump *
dump(void *ctx, const struct sym_dump *d)
{
	static char some;

	(void)ctx;
	check(sym_dump_pid(d->path) != 0, "not a jitdump");
	check(d->clock.shift < 64, "a shift beyond 63");
	return d->path.len % 5 == 0 ? NULL : (struct jitdump *)(void *)&some;
}

/* Returns one of two functions at 64 bytes during 64 ns, or none. */
static void
code(const struct jitdump *d, uint64_t address, uint64_t time, struct sym_code *out)
{
	static const struct symbol function[2] = {
		{ .end = UINT64_MAX, .name = "code;1", .namelen = 6 },
		{ .start = 64, .end = UINT64_MAX, .name = "code 2", .namelen = 6 }
	};
	uint64_t which = (address >> 6) + (time >> 6);

	(void)d;
	*out = (struct sym_code){ .symbol = which % 3 < 2 ? &function[which % 3] : NULL,
		.address = { address & ~(uint64_t)63, (address | 63) + 1 },
		.time = { time & ~(uint64_t)63, (time | 63) + 1 } };
	out->address.to = out->address.to == 0 ? UINT64_MAX : out->address.to;
	out->time.to = out->time.to == 0 ? UINT64_MAX : out->time.to;
}

static void
report(void *ctx, const char *file, const struct err *e)
{
	struct run *r = ctx;

	check(file == NULL, "a file of a directory in a file");

	if (e->code == ERR_DOUBT) /* a recording that was joined to itself */
		return;
	check(e->code == ERR_DATA, "a report of something else");
	/* most chains end early, or ids repeat: an error in the recording, all of which was read */
	if (strncmp(e->msg, "some callers are not known", 26) == 0 ||
	    strstr(e->msg, " to have the id of another event") != NULL)
		return;
	r->reports++;
	check(e->place == ERR_BYTE, "a report without a place");
	check(e->msg[0] != '\0' && strlen(e->msg) < sizeof e->msg, "a report without words");
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* Checks that the reader of the stream accepts each line, and the marks. */
static void
read_back(int fd, const struct run *r, uint64_t lines)
{
	struct evread *in;
	struct ev ev;
	struct err e;
	uint64_t n = 0;
	int rc, errors = 0;

	stdin_file(fd);
	in = evread_open(NULL, 0, 0);
	check(in != NULL, "no memory");
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc > 0) {
			n++;
			check(ev.col[EV_RUN].len == 18 && ev.col[EV_RUN].p[2] != '?',
			    "a line without its run");
		} else if (strstr(e.msg, "ended partial") == NULL || errors++ != 0)
			check(0, e.msg);
	}
	evread_close(in);
	check(n == lines, "the end mark counts other lines than there are");
	check(errors == (r->status != 0), "status and end mark disagree");
}

static void
keep_text(int fd, struct run *r)
{
	free(r->text);
	r->text = scratch_text(fd, &r->len);
}

/* Decodes standard input. */
static void
decode(const struct perf_options *opt, struct run *r)
{
	static int out = -1;
	struct perf_options o = *opt;
	struct evwrite w;
	struct err e = { 0 };

	if (out < 0)
		out = scratch();
	scratch_empty(out);
	o.to = (struct reporter){ .error = report, .note = note, .ctx = r };
	r->reports = 0;
	check(evw_open(&w, out, "perfdec"), "no memory");
	evw_mark_open(&w, "-");
	r->status = perf_decode("-", &o, &w, &e);
	if (r->status != 0 && r->status != ERR_DATA)
		check(0, e.msg);
	check((r->status != 0) == (r->reports != 0), "status and reports disagree");
	evw_mark_end(&w, r->status == 0, r->status == 0 ? NULL : "damaged");
	check(evw_flush(&w), "cannot write");
	read_back(out, r, w.lines);
	keep_text(out, r);
	out_free(&w.out);
}

static void
decode_bytes(const uint8_t *data, size_t size, const struct perf_options *opt, struct run *r)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	stdin_file(in);
	decode(opt, r);
}

/* Does the same through a pipe, if that can hold all bytes at once. */
static void
decode_pipe(const uint8_t *data, size_t size, const struct perf_options *opt, struct run *r)
{
	stdin_pipe(data, size);
	decode(opt, r);
}

static const struct symbolizer symbols = { .object = object,
	.kernel = kernel,
	.jit = jit,
	.dump = dump,
	.code = code };
static const struct perf_options everything = { .symbolizer = &symbols,
	.frames = true,
	.all = true };
static const struct perf_options plain = { .no_spool = true };
static const struct perf_options counts = { .stats = true };
static const struct perf_options header = { .header = true };

static bool
take(const uint8_t *data, size_t size)
{
	static struct run r;
	bool taken;

	decode_bytes(data, size, &everything, &r);
	taken = r.status == 0;
	if (size == 0)
		return taken;
	if (size <= FUZZ_PIPE_MAX && data[size - 1] % 4 == 0)
		decode_pipe(data, size, &plain, &r);
	if (data[size - 1] % 4 == 1)
		decode_bytes(data, size, &counts, &r);
	if (data[size - 1] % 4 == 2)
		decode_bytes(data, size, &header, &r);
	return taken;
}

/* Finds the next sample line at *p.  Returns false at the end. */
static int
next_sample(const char **p, const char **line, size_t *len)
{
	while (**p != '\0') {
		*line = *p;
		*len = strcspn(*p, "\n");
		*p += *len + 1;
		if (strncmp(*line, "sample\t", 7) == 0)
			return 1;
	}
	return 0;
}

/*
 * Compares all columns of a line except the fifth, since the name of a measure may be at the end of
 * the file.
 */
static int
is_same(const char *a, size_t la, const char *b, size_t lb)
{
	size_t head = 0, i;

	for (i = 0; i < 4; i++)
		head += strcspn(a + head, "\t\n") + 1;
	if (head > la || head > lb || memcmp(a, b, head) != 0)
		return 0;
	a += head;
	b += head;
	i = strcspn(a, "\t\n");
	la -= head + i;
	a += i;
	i = strcspn(b, "\t\n");
	lb -= head + i;
	return la == lb && memcmp(a, b + i, la) == 0;
}

static void
check_prefix(const char *part, const char *whole)
{
	const char *a, *b;
	size_t la, lb;

	while (next_sample(&part, &a, &la)) {
		check(next_sample(&whole, &b, &lb), "a prefix has more samples than the whole");
		check(is_same(a, la, b, lb), "a sample of a prefix is not the whole's");
	}
}

/*
 * Returns whether a recording in pipe mode is cut between two records, where the format cannot show
 * that something is missing.
 */
static int
is_between_records(const uint8_t *data, size_t cut)
{
	size_t at = 16, size = 8;

	if (data[8] != 16)
		return 0;
	for (; at + 8 <= cut && size >= 8; at += size)
		size = (size_t)data[at + 6] | (size_t)data[at + 7] << 8;
	return at == cut;
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	static struct run part, whole;

	if (cut == size) {
		decode_bytes(data, size, &plain, &whole);
		check(whole.status == 0, "the file itself is damaged");
		return true;
	}
	decode_bytes(data, cut, &plain, &part);
	check_prefix(part.text, whole.text);
	check(part.status != 0 || is_between_records(data, cut), "it is taken for whole");
	return part.status == 0;
}

static bool
copy(const uint8_t *data, size_t size, uint64_t n)
{
	static struct run r;

	decode_bytes(data, size, n % 2 == 0 ? &everything : &plain, &r);
	return r.status == 0;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.prefix = prefix,
	.copy = copy,
	.mutate = perf_mutate,
};
