/* SPDX-License-Identifier: ISC */
/*
 * perfdata.c - fuzzes the decoder of perf.data, and sweeps over damaged recordings.
 *
 * With libFuzzer: make fuzz.  With FUZZ_MAIN it is a program:
 *	perfdata FILE...		decodes each; says the status
 *	perfdata --prefixes STEP FILE	all prefixes: each is refused at a place, and its samples
 *					are the first of the whole's
 *	perfdata --flips N SEED FILE	N copies of FILE with one to four wrong bytes: status 0 or 1
 *	perfdata --write N SEED FILE	writes the N-th of these copies to standard output
 * Always: every line is one that the stream's reader takes, and damage has a place.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/perfdata/perfdata.h"
#include "t/fuzz/fuzz.h"

struct run {
	int status; /* of perf_decode */
	unsigned reports;
	char *text; /* the stream, from the last call */
	size_t len;
};

/* Symbols with names as they come out of the worst compilers, everywhere. */
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
jit(void *ctx, uint32_t pid)
{
	(void)ctx;
	return pid % 2 == 0 ? NULL : nasty();
}

static void
report(void *ctx, const char *file, const struct err *e)
{
	struct run *r = ctx;

	check(file == NULL, "a file of a directory in a file");

	r->reports++;
	check(e->code == ERR_DATA && e->place == ERR_BYTE, "a report without a place");
	check(e->msg[0] != '\0' && strlen(e->msg) < sizeof e->msg, "a report without words");
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* The stream's own reader takes each line, and its marks. */
static void
read_back(int fd, const struct run *r, uint64_t lines)
{
	struct evread *in;
	struct ev ev;
	struct err e;
	uint64_t n = 0;
	int rc, errors = 0;

	check(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
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
	off_t len = lseek(fd, 0, SEEK_END);

	check(len >= 0, "lseek");
	free(r->text);
	r->len = (size_t)len;
	r->text = malloc(r->len + 1);
	check(r->text != NULL && pread(fd, r->text, r->len, 0) == (ssize_t)r->len,
	    "cannot read back");
	r->text[r->len] = '\0';
}

/* Decodes what standard input has. */
static void
decode(const struct perf_options *opt, struct run *r)
{
	static int out = -1;
	struct perf_options o = *opt;
	struct evwrite w;
	struct err e = { 0 };

	if (out < 0)
		out = scratch();
	check(ftruncate(out, 0) == 0 && lseek(out, 0, SEEK_SET) == 0, "cannot start over");
	o.to = (struct reporter){ report, note, r };
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
	evw_close(&w);
}

static void
decode_bytes(const uint8_t *data, size_t size, const struct perf_options *opt, struct run *r)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	check(ftruncate(in, 0) == 0 && pwrite(in, data, size, 0) == (ssize_t)size, "cannot write");
	check(dup2(in, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
	decode(opt, r);
}

/* The same through a pipe, as far as it holds all at once. */
static void
decode_pipe(const uint8_t *data, size_t size, const struct perf_options *opt, struct run *r)
{
	int end[2];

	check(pipe(end) == 0, "pipe");
	check(write(end[1], data, size) == (ssize_t)size && close(end[1]) == 0,
	    "cannot fill the pipe");
	check(dup2(end[0], STDIN_FILENO) >= 0 && close(end[0]) == 0, "dup2");
	decode(opt, r);
}

static const struct symbolizer symbols = { .object = object, .kernel = kernel, .jit = jit };
static const struct perf_options everything = { .symbolizer = &symbols,
	.frames = true,
	.all = true };
static const struct perf_options plain = { .no_spool = true };
static const struct perf_options counts = { .stats = true };
static const struct perf_options header = { .header = true };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run r;

	decode_bytes(data, size, &everything, &r);
	if (size == 0)
		return 0;
	if (size <= 65536 && data[size - 1] % 4 == 0)
		decode_pipe(data, size, &plain, &r);
	if (data[size - 1] % 4 == 1)
		decode_bytes(data, size, &counts, &r);
	if (data[size - 1] % 4 == 2)
		decode_bytes(data, size, &header, &r);
	return 0;
}

#ifdef FUZZ_MAIN
/* The next line at *p that is a sample; false at the end. */
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

/* A line's columns but the fifth: what a measure is called may stand at the end of the file. */
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

/* Pipe mode: between two records the format itself cannot tell that something is missing. */
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

static int
prefixes(size_t step, const char *name)
{
	static struct run part, whole;
	size_t size, cut, n = 0, allowed = 0;
	uint8_t *data = load(name, &size);

	decode_bytes(data, size, &plain, &whole);
	check(whole.status == 0, "the file itself is damaged");
	for (cut = 0; cut < size; cut += step, n++) {
		decode_bytes(data, cut, &plain, &part);
		check_prefix(part.text, whole.text);
		if (part.status == 0 && is_between_records(data, cut)) {
			allowed++;
		} else if (part.status == 0) {
			printf("%s cut at %zu is taken for whole\n", name, cut);
			free(data);
			return 1;
		}
	}
	printf("%zu prefixes, %zu of them between two records of a pipe\n", n, allowed);
	free(data);
	free(part.text);
	free(whole.text);
	return 0;
}

/* The same for N and SEED everywhere. */
static void
damage(uint8_t *p, const uint8_t *data, size_t size, uint64_t n, uint64_t seed)
{
	uint64_t state = seed * 1000003 + n, k;

	memcpy(p, data, size);
	for (k = 1 + random_next(&state) % 4; k > 0; k--) {
		size_t at = random_next(&state) % size;

		p[at] ^= (uint8_t)(1 + random_next(&state) % 255);
	}
}

static int
flips(uint64_t count, uint64_t seed, const char *name)
{
	static struct run r;
	size_t size, refused = 0;
	uint8_t *data = load(name, &size), *p = malloc(size + 1);
	uint64_t n;

	check(p != NULL && size > 0, "nothing to damage");
	for (n = 0; n < count; n++) {
		damage(p, data, size, n, seed);
		decode_bytes(p, size, n % 2 == 0 ? &everything : &plain, &r);
		refused += r.status != 0;
	}
	printf("%" PRIu64 " damaged copies, %zu of them refused\n", count, refused);
	free(data);
	free(p);
	return 0;
}

static int
write_one(uint64_t n, uint64_t seed, const char *name)
{
	size_t size;
	uint8_t *data = load(name, &size), *p = malloc(size + 1);
	int status;

	check(p != NULL && size > 0, "nothing to damage");
	damage(p, data, size, n, seed);
	status = fwrite(p, 1, size, stdout) == size && fflush(stdout) == 0 ? 0 : 1;
	free(data);
	free(p);
	return status;
}

/* Memory must not depend on what a small input says of itself. */
static int
within_memory(long limit)
{
	struct rusage used;

	check(getrusage(RUSAGE_SELF, &used) == 0, "getrusage");
	printf("KiB used at most: %ld\n", used.ru_maxrss);
	return limit == 0 || used.ru_maxrss <= limit ? 0 : 1;
}

int
main(int argc, char **argv)
{
	const char *limit = getenv("FUZZ_KIB");
	int i, status = 0;

	if (argc == 4 && strcmp(argv[1], "--prefixes") == 0) {
		status = prefixes(strtoul(argv[2], NULL, 10), argv[3]);
	} else if (argc == 5 && strcmp(argv[1], "--flips") == 0) {
		status = flips(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
	} else if (argc == 5 && strcmp(argv[1], "--write") == 0) {
		return write_one(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
	} else {
		for (i = 1; i < argc; i++) {
			size_t size;
			uint8_t *data = load(argv[i], &size);

			LLVMFuzzerTestOneInput(data, size);
			free(data);
		}
		printf("%d files\n", argc - 1);
	}
	return within_memory(limit == NULL ? 0 : strtol(limit, NULL, 10)) != 0 ? 1 : status;
}
#endif
