/* SPDX-License-Identifier: ISC */
/*
 * limits.c - checks the plumbing at the ends of its ranges: sizes that no memory has, lines and
 * names that are too long, more tags than are remembered, spellings of every sort.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/esc.h"
#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/keys.h"
#include "lib/marks.h"
#include "lib/mem.h"
#include "lib/pace.h"
#include "lib/report.h"
#include "lib/symbolizer.h"
#include "lib/symtab.h"
#include "lib/vec.h"
#include "lib/wide.h"
#include "lib/zip.h"
#include "src/afperf/write/encode.h"
#include "src/cut/cut.h"
#include "src/dcpi/encode.h"
#include "src/duration/duration.h"
#include "src/flame/flame.h"
#include "src/jsonl/jsonl.h"
#include "src/pair/pair.h"
#include "src/perun/heap/heap.h"
#include "src/perun/query/query.h"
#include "src/perun/read/unpack.h"
#include "src/perun/write/encode.h"
#include "src/symbol/resolve.h"
#include "src/top/sums.h"
#include "t/unit/check.h"

/* ---- memory */

static void
growing(struct check *c)
{
	struct buf b = { 0 };
	uint64_t *v = NULL;
	size_t cap = 0;

	CHECK(c, buf_puts(&b, "text") && b.cap == 256, "%zu", b.cap);
	CHECK(c, !buf_room(&b, SIZE_MAX / 2) && b.cap == 256, "more than there can be");
	CHECK(c, !esc_append(&b, "text", SIZE_MAX / 8 + 1, ESC_COLUMN), "escaped");
	CHECK(c, slice_eq(buf_slice(&b), SLICE("text")), "%.*s", (int)b.len, b.p);
	buf_free(&b);
	CHECK(c, vec_room(v, 9, cap) && cap == 16, "%zu", cap);
	CHECK(c, !vec_room(v, SIZE_MAX / 8, cap) && cap == 16, "an array beyond the memory");
	mem_free(v);
	/* errors need no place to go to */
	CHECK(c, err_sys(NULL, EIO, "x") == ERR_SYS && err_stop(NULL) == ERR_STOP, "NULL");
}

/* A message that is cut does not look as if it were complete. */
static void
long_messages(struct check *c)
{
	char text[ERR_TEXT + 1];
	struct err e;

	memset(text, 'x', sizeof text);
	text[ERR_TEXT - 1] = '\0';
	err_data(&e, "%s", text);
	CHECK(c, strcmp(e.msg, text) == 0, "%s", e.msg);
	err_add(&e, "y");
	CHECK(c, strcmp(e.msg + ERR_TEXT - sizeof "x...", "x...") == 0, "%s", e.msg);
	err_data(&e, "%sy", text);
	CHECK(c, strcmp(e.msg + ERR_TEXT - sizeof "x...", "x...") == 0, "%s", e.msg);
}

/* As with free(), what was never made can be freed. */
static void
freeing_nothing(void)
{
	evread_close(NULL);
	afperf_encode_close(NULL);
	cut_free(NULL);
	dcpi_encode_close(NULL);
	duration_free(NULL);
	flame_free(NULL);
	jsonl_close(NULL);
	pair_free(NULL);
	heap_close(NULL);
	query_close(NULL);
	unpack_close(NULL);
	perun_encode_close(NULL);
	resolver_close(NULL);
	sums_free(NULL);
}

static void
silent_reporter(struct check *c)
{
	struct reporter r = { .error = NULL };
	struct err e = { .code = ERR_DATA };

	report_error(&r, NULL, &e);
	report_doubt(&r, NULL, &e);
	report_list(&r, "a line");
	report_note(&r, "a note");
	CHECK(c, e.code == ERR_DATA, "%d", e.code);
}

/* ---- texts */

static void
texts(struct check *c)
{
	struct slice s = SLICE("aé€😀"); /* 1, 2, 3 and 4 bytes */
	static const int shown[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };
	size_t i;

	for (i = 0; i < sizeof shown / sizeof *shown; i++)
		CHECK(c, slice_shown(s, i) == shown[i], "%zu: %d", i, slice_shown(s, i));
	CHECK(c, slice_shown((struct slice){ "\x80\x80\x80", 3 }, 2) == 0, "no first byte");
	CHECK(c, !esc_is_plain(".", 1, ESC_COLUMN) && !esc_is_plain(".", 1, ESC_ELEMENT), "a dot");
	CHECK(c, esc_is_plain(".", 1, ESC_KEY) && esc_is_plain(".", 1, ESC_MESSAGE), "a dot");
	CHECK(c, !esc_is_plain("", 0, ESC_KEY), "nothing");
}

static void
durations(struct check *c)
{
	struct wide v;

	CHECK(c, !wide_get_duration(SLICE("340282366920938463463374607431768211456ns"), &v),
	    "129 bits");
	CHECK(c,
	    wide_get_duration(SLICE("340282366920938463463374607431768211455ns"), &v) &&
		v.hi == UINT64_MAX && v.lo == UINT64_MAX,
	    "the largest");
	CHECK(c, !wide_get_duration(SLICE("18446744073709551616us"), &v), "64 bits of others");
	CHECK(c,
	    wide_get_duration(SLICE("18446744073709551615.999999999h"), &v) &&
		v.hi == UINT64_C(3599999999999) && v.lo == UINT64_MAX - 3599,
	    "%llu %llu", (unsigned long long)v.hi, (unsigned long long)v.lo);
	CHECK(c, !wide_get_duration(SLICE("1.5ns"), &v), "a part of a nanosecond");
	CHECK(c, wide_get_duration(SLICE("1.5us"), &v) && v.lo == 1500, "%u", (unsigned)v.lo);
	v = wide_magnitude(wide_sub((struct wide){ 0, 3 }, (struct wide){ 0, 10 }));
	CHECK(c, v.hi == 0 && v.lo == 7, "%u", (unsigned)v.lo);
	CHECK(c, !wide_add((struct wide){ UINT64_MAX, UINT64_MAX }, (struct wide){ 0, 1 }, &v),
	    "128 bits");
	CHECK(c, !wide_add((struct wide){ UINT64_MAX, 0 }, (struct wide){ 1, 0 }, &v), "128 bits");
}

static void
pace(struct check *c)
{
	struct pace p = { .n = 0 };

	CHECK(c, pace_median_low(&p) == 0 && pace_median_high(&p) == 0, "without samples");
	pace_add(&p, UINT64_MAX);
	CHECK(c, pace_median_low(&p) == UINT64_MAX, "%llx",
	    (unsigned long long)pace_median_low(&p));
	CHECK(c, pace_limit(UINT64_MAX / 2) == UINT64_MAX - 1, "twice");
	CHECK(c, pace_limit(UINT64_MAX / 2 + 1) == UINT64_MAX, "at most");
}

/* ---- events */

static void
cutting(struct check *c)
{
	uint32_t at[10];
	struct ev ev;

	CHECK(c, !ev_cut(SLICE("a\tb\tc\td\te"), at, 10, &ev), "five columns");
	CHECK(c, !ev_cut(SLICE(""), at, 10, &ev), "nothing");
	CHECK(c, !ev_cut(SLICE("a\tb\tc\td\te\tf\tg=1"), at, 6, &ev), "no room for a tag");
	CHECK(c,
	    ev_cut(SLICE("a\tb\tc\td\te\tf\tg=1"), at, 7, &ev) && ev.ntags == 1 &&
		slice_eq(ev.tags, SLICE("g=1")) && slice_eq(ev.col[EV_VALUE], SLICE("f")),
	    "%.*s", (int)ev.tags.len, ev.tags.p);
	CHECK(c, ev_cut(SLICE("a\tb\tc\td\te\tf"), at, 6, &ev) && ev.ntags == 0 && ev.tags.len == 0,
	    "no tags");
}

static void
source_lines(struct check *c)
{
	static const struct {
		struct slice element, file;
		uint64_t line;
	} cases[] = {
		{ SLICE_INIT("a.c:12"), SLICE_INIT("a.c"), 12 },
		{ SLICE_INIT("a:b:12"), SLICE_INIT("a:b"), 12 },
		{ SLICE_INIT("a.c:?"), SLICE_INIT("a.c"), 0 },
		{ SLICE_INIT("?"), SLICE_INIT(""), 0 },
		{ SLICE_INIT("a.c:9223372036854775807"), SLICE_INIT("a.c"), INT64_MAX },
		{ SLICE_INIT("a.c:9223372036854775808"), SLICE_INIT("a.c"), 0 },
	};
	struct slice file;
	uint64_t line;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		ev_split_line(cases[i].element, &file, &line);
		CHECK(c, slice_eq(file, cases[i].file) && line == cases[i].line, "%.*s: %.*s, %u",
		    (int)cases[i].element.len, cases[i].element.p, (int)file.len, file.p,
		    (unsigned)line);
	}
}

static void
large_resources(struct check *c)
{
	static const struct {
		const char *line;
		bool large;
	} cases[] = {
		{ "header\t.\t0x1\t/resources/0\t.\t.\tparts=2", true },
		{ "header\t.\t0x1\t/snapshots/3/resources/12\t.\t.\tparts=2", true },
		{ "header\t.\t0x1\t/resources/mixed/7\t.\t.\tparts=2", true },
		{ "header\t.\t0x1\t/resources/mixed/a/7\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t/resources/mixed7\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t/resources//7\t.\t.\tparts=2",
		    true }, /* a type without a name */
		{ "header\t.\t0x1\t/resources/0\t.\t.\tpart=2", false },
		{ "sample\t.\t0x1\t/resources/0\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t/resources/x:\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t/resources/\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t/short/7\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t/header/of/one/7\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t7\t.\t.\tparts=2", false },
		{ "header\t.\t0x1\t.\t.\t.\tparts=2", false },
	};
	uint32_t at[10];
	struct ev ev;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK(c,
		    ev_cut(slice_of(cases[i].line), at, 10, &ev) &&
			ev_is_large_resource(&ev) == cases[i].large,
		    "%s", cases[i].line);
}

/* ---- keys */

/* Passes a line with these tags, as a reader would. */
static void
see(struct keys *k, const char *tags)
{
	static uint32_t at[1000];
	static char line[8192];
	struct ev ev;

	snprintf(line, sizeof line, "a\t1\t0x1\tr\tm\t1\t%s", tags);
	if (!ev_cut(slice_of(line), at, 1000, &ev))
		abort();
	keys_see(k, &ev);
}

static bool
misses(const struct keys *k, size_t *at, const char *want)
{
	struct err e = { 0 };

	if (keys_missing(k, at, &e) == 0)
		return *want == '\0';
	if (strcmp(e.msg, want) != 0)
		fprintf(stderr, "%s\n", e.msg);
	return strcmp(e.msg, want) == 0;
}

static const char *
long_names(const void *ctx, size_t i)
{
	const char *const *names = ctx;

	return names[i];
}

static void
keys(struct check *c)
{
	static char many[4096], longest[300], text[600];
	const char *const names[] = { longest, "sort", NULL };
	struct keys k = { .wanted = 0 }, all = { .wanted = 0 };
	size_t i, n = 0, at = 0;

	for (i = 0; i < 300; i++) /* more tags than places are remembered */
		n += (size_t)snprintf(many + n, sizeof many - n, "%st%zu=1", i == 0 ? "" : "\t", i);
	memset(longest, 'x', sizeof longest - 1);
	CHECK(c, keys_want(&k, SLICE("t299")) && keys_want(&k, SLICE("t298")), "memory");
	CHECK(c, keys_need(&k, SLICE("region")), "a column is always there");
	CHECK(c, keys_need(&k, slice_of(longest)) && keys_want(&k, SLICE("commm")), "memory");
	CHECK(c, keys_want(&all, SLICE("t298")) && keys_want_all(&k, &all), "twice the same");
	CHECK(c, keys_has(&k, SLICE("other")) && !keys_has(&k, SLICE("t299")), "has");
	see(&k, many);
	see(&k, many);
	snprintf(text, sizeof text, "=1\tx\t%s=1\tcomm=1", longest + 1);
	see(&k, text);
	CHECK(c, keys_has(&k, SLICE("t299")) && !keys_done(&k), "the last one");
	snprintf(text, sizeof text,
	    "no line has '%.*s' (tags: comm, t0, t1, t10, t100, t101, t102, t103, t104, t105, "
	    "t106, t107, t108, t109, t11, t110, t111, t112, t113, t114, t115, t116, t117, t118, "
	    "t119, t12, ...)",
	    (int)KEYS_NAME_MAX, longest);
	CHECK(c, misses(&k, &at, text), "a long name");
	CHECK(c, misses(&k, &at, "no line has 'commm'; did you mean comm?"), "a misspelled one");
	CHECK(c, misses(&k, &at, ""), "more");
	CHECK(c, keys_nearest(SLICE("sorty"), long_names, names).len == 4, "sort");
	CHECK(c, keys_nearest(slice_of(longest), long_names, names).len == 0, "too long");
	mem_set_ceiling(0);
	keys_free(&all);
	CHECK(c, !keys_need(&all, SLICE("a")) && !keys_want_for(&all, SLICE("a"), SLICE("b")),
	    "memory");
	CHECK(c, !keys_want_all(&all, &k), "memory");
	mem_set_ceiling(UINT64_MAX);
	keys_free(&all);
	keys_free(&k);
}

/* Words of other programs for what lines have, wanted, unseen, or not there at all. */
static void
synonyms(struct check *c)
{
	struct keys k = { .wanted = 0 };
	size_t at = 0;

	CHECK(c,
	    keys_want(&k, SLICE("command")) && keys_want(&k, SLICE("thread")) &&
		keys_want(&k, SLICE("module")) && keys_want(&k, SLICE("tid")) &&
		keys_want(&k, SLICE("comm")) && keys_need(&k, SLICE("stack")),
	    "memory");
	see(&k, "comm=1");
	CHECK(c, misses(&k, &at, "no line has 'command'; did you mean comm?"), "wanted and seen");
	CHECK(c, misses(&k, &at, "no line has 'thread' ('thread?' allows that)"), "not seen");
	CHECK(c, misses(&k, &at, "no line has 'module' ('module?' allows that)"), "not there");
	CHECK(c, misses(&k, &at, "no line has 'tid' ('tid?' allows that)"), "tid");
	CHECK(c, misses(&k, &at, "no line has 'stack' (perf record -g records stacks)"), "stack");
	CHECK(c, misses(&k, &at, ""), "more");
	keys_free(&k);
}

/* ---- symbols */

static void
symbols(struct check *c)
{
	static const struct {
		const char *path;
		uint32_t pid;
	} dumps[] = { { "/tmp/jit-12.dump", 12 }, { "jit-2147483639.dump", 2147483639 },
		{ "jit-21474836400.dump", 0 }, { "jit-12.dumb", 0 }, { "jit-12", 0 },
		{ "jit-12.dump2", 0 }, { "jit-", 0 }, { "jit-x", 0 }, { "jit", 0 }, { "", 0 },
		{ "jit-.dump", 0 }, { "jit-1:.dump", 0 }, { "xit-12.dump", 0 } };
	static char name[(1 << 20) + 1];
	struct symtab *t = symtab_new();
	struct span s = { 5, UINT64_MAX };
	struct err e = { 0 };
	size_t i;

	for (i = 0; i < sizeof dumps / sizeof *dumps; i++)
		CHECK(c, sym_dump_pid(slice_of(dumps[i].path)) == dumps[i].pid, "%s: %u",
		    dumps[i].path, sym_dump_pid(slice_of(dumps[i].path)));
	CHECK(c, span_has(s, UINT64_MAX) && span_has(s, 5) && !span_has(s, 4), "no end");
	if (t == NULL)
		abort();
	memset(name, 'x', sizeof name);
	CHECK(c,
	    symtab_add(t, 0, 1, SYM_GLOBAL, name, sizeof name, &e) == ERR_DATA &&
		strcmp(e.msg, "symbol names are too long") == 0,
	    "%s", e.msg);
	CHECK(c, symtab_finish(t, SYMTAB_OBJECT, &e) == 0 && symtab_find(t, 0) == NULL, "empty");
	/* of several names, the wrappers of system calls have the worse one */
	CHECK(c,
	    symtab_add(t, 8, 4, SYM_GLOBAL, "compat_SyS_x", 12, &e) == 0 &&
		symtab_add(t, 8, 4, SYM_GLOBAL, "compat_sys_x", 12, &e) == 0 &&
		symtab_finish(t, SYMTAB_KERNEL, &e) == 0,
	    "%s", e.msg);
	CHECK(c, symtab_find(t, 9) != NULL && strcmp(symtab_find(t, 9)->name, "compat_sys_x") == 0,
	    "an alias");
	symtab_free(t);
}

/* Finishes a table of overlapping symbols with more and more memory. */
static void
overlapping(struct check *c)
{
	struct symtab *t;
	struct err e = { 0 };
	size_t more, refused = 0;
	int rc = -1;

	for (more = 0; rc != 0 && more < 10000; more += 16) {
		t = symtab_new();
		if (t == NULL || symtab_add(t, 0, 100, SYM_GLOBAL, "outer", 5, &e) != 0 ||
		    symtab_add(t, 10, 10, SYM_GLOBAL, "inner", 5, &e) != 0)
			abort();
		mem_set_ceiling(mem_used() + more);
		rc = symtab_finish(t, SYMTAB_OBJECT, &e);
		mem_set_ceiling(UINT64_MAX);
		CHECK(c, rc == 0 || (rc == ERR_SYS && e.ceiling), "%s", e.msg);
		refused += rc != 0;
		CHECK(c,
		    rc != 0 ||
			(strcmp(symtab_find(t, 9)->name, "outer") == 0 &&
			    strcmp(symtab_find(t, 10)->name, "inner") == 0 &&
			    strcmp(symtab_find(t, 20)->name, "outer") == 0),
		    "names");
		symtab_free(t);
	}
	CHECK(c, rc == 0 && refused > 1, "%zu refused", refused);
}

/* ---- compression */

static void
compressing(struct check *c)
{
	static unsigned char noise[300000], back[300000];
	struct zip z;
	struct out o;
	struct err e = { 0 };
	uLongf len = sizeof back;
	struct check dice = { 0 };
	size_t i;
	int fd = open("/dev/null", O_WRONLY);

	for (i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)check_random(&dice);
	if (!out_open(&o, fd) || zip_open(&z, &o, ZIP_ZLIB, &e) != 0)
		abort();
	o.hold = true;
	CHECK(c, zip_put(&z, noise, 1000, false, &e) == 0, "%s", e.msg);
	CHECK(c, zip_put(&z, noise + 1000, sizeof noise - 1000, false, &e) == 0, "%s", e.msg);
	CHECK(c, zip_put(&z, NULL, 0, true, &e) == 0, "%s", e.msg);
	CHECK(c,
	    uncompress(back, &len, (const Bytef *)o.p, (uLong)o.len) == Z_OK &&
		len == sizeof noise && memcmp(noise, back, len) == 0,
	    "%lu bytes come back", (unsigned long)len);
	zip_close(&z);
	/* without memory, in the first part and in the last one */
	mem_set_ceiling(0);
	for (i = 0; i < 2; i++) {
		if (zip_open(&z, &o, ZIP_GZIP, &e) != 0)
			abort();
		o.len = o.cap;
		CHECK(c, zip_put(&z, noise, i == 0 ? 10 : sizeof noise, true, &e) == ERR_SYS, "%zu",
		    i);
		CHECK(c, e.ceiling, "%s", e.msg);
		zip_close(&z);
	}
	mem_set_ceiling(UINT64_MAX);
	out_free(&o);
	close(fd);
}

/* ---- lines that are written */

/* Returns the line that was written last, without its end.  The lines are held. */
static struct slice
last_line(const struct evwrite *w)
{
	struct evw_held h = evw_held(w);
	size_t from = h.len - 1;

	while (from > 0 && h.p[from - 1] != '\n')
		from--;
	return (struct slice){ h.p + from, h.len - 1 - from };
}

static void
begin(struct evwrite *w, const char *kind)
{
	int i;

	evw_begin(w, slice_of(kind));
	for (i = 0; i < 5; i++)
		evw_none(w);
}

static void
names_omitted(struct check *c, struct evwrite *w, struct slice big)
{
	static char name[20][2000];
	struct evw_tags only = { .all = false };
	struct slice line;
	size_t i;

	/* more names than a line lists, and names that are cut */
	begin(w, "a");
	for (i = 0; i < 20; i++) {
		memset(name[i], 'a' + (char)i, sizeof name[i] - 1);
		evw_tag_text(w, slice_of(name[i]), big);
	}
	evw_end(w);
	line = last_line(w);
	CHECK(c, line.len < 40000 && w->omitted == 20, "%zu bytes, %u", line.len,
	    (unsigned)w->omitted);
	CHECK(c, memchr(line.p, 'p', line.len) != NULL && memchr(line.p, 'q', line.len) == NULL,
	    "not the first sixteen");
	/* of tags that would not have been kept, nothing is said */
	w->only = &only;
	w->omitted = 0;
	(void)ev_keys_add(&only.keys, SLICE("kept"));
	(void)ev_keys_add(&only.keys, SLICE("p.one"));
	begin(w, "sample");
	evw_tag_text(w, SLICE("kept"), big);
	evw_tag_text(w, SLICE("lost"), big);
	evw_tag_text(w, SLICE("unit"), big);
	evw_tag_text(w, SLICE("p"), big);
	evw_tag_text(w, SLICE("p.o"), big);
	evw_tag_text(w, SLICE("q"), big);
	evw_tag_u64(w, SLICE("other"), 1);
	evw_end(w);
	line = last_line(w);
	CHECK(c, slice_eq(line, SLICE("sample\t.\t.\t.\t.\t.\tomitted=kept;unit;p")), "%.*s",
	    (int)line.len, line.p);
	CHECK(c, w->omitted == 3, "%u", (unsigned)w->omitted);
	evw_begin(w, SLICE("sample"));
	evw_text(w, big);
	for (i = 0; i < 4; i++)
		evw_none(w);
	evw_end(w);
	line = last_line(w);
	CHECK(c, slice_eq(line, SLICE("sample\t.\t.\t.\t.\t.\tomitted=column")), "%.*s",
	    (int)line.len, line.p);
	w->only = NULL;
}

static void
added_tags(struct check *c, struct evwrite *w, struct slice big)
{
	struct evw_tags only = { .all = true, .added = SLICE("\thost=a\track=b") };
	struct slice line;

	w->only = &only;
	begin(w, "sample");
	evw_tag_text(w, SLICE("x"), (struct slice){ big.p, 1 });
	evw_end(w);
	line = last_line(w);
	CHECK(c, slice_eq(line, SLICE("sample\t.\t.\t.\t.\t.\tx=b\thost=a\track=b")), "%.*s",
	    (int)line.len, line.p);
	/* a line that has no room for them says which are missing */
	begin(w, "sample");
	evw_tag_begin(w, SLICE("x"));
	evw_bytes(w, big.p, EV_LINE_MAX - 4096 - w->at);
	evw_end(w);
	line = last_line(w);
	CHECK(c, line.len <= EV_LINE_MAX, "%zu bytes", line.len);
	CHECK(c,
	    memcmp(line.p + line.len - 18, "omitted=host;rack", 17) == 0 ||
		memcmp(line.p + line.len - 17, "omitted=host;rack", 17) == 0 ||
		memcmp(line.p + line.len - 14, "host=a\track=b", 13) == 0 ||
		memcmp(line.p + line.len - 13, "host=a\track=b", 13) == 0,
	    "%.30s", line.p + line.len - 30);
	w->only = NULL;
}

static void
writing(struct check *c)
{
	size_t n = EV_LINE_MAX + 100;
	char *big = malloc(n);
	struct evwrite w;

	if (big == NULL || !evw_open(&w, open("/dev/null", O_WRONLY), "unit"))
		abort();
	memset(big, 'b', n);
	evw_hold(&w);
	names_omitted(c, &w, (struct slice){ big, n });
	added_tags(c, &w, (struct slice){ big, n });
	CHECK(c, !evw_failed(&w), "%d", w.out.error);
	close(w.out.fd);
	out_free(&w.out);
	free(big);
}

/*
 * Writes a line whose parts do not fit into the buffer, from each place near its end, without
 * memory: it is whole, or it is not there and the failure is kept.
 */
static void
without_room(struct check *c)
{
	static const char want[] =
	    "\t1\t0.5\ttext\traw\t.\ti=-2\th=0xff\tt=a\\x3bb\tr=raw\tb=00ff\te=.";
	struct evwrite w;
	char *pad = calloc(1, 1 << 20);
	size_t left, failed = 0, whole = 0;

	if (pad == NULL || !evw_open(&w, open("/dev/null", O_WRONLY), "unit"))
		abort();
	memset(pad, 'p', 1 << 20);
	evw_hold(&w);
	for (left = 0; left < 400; left++) {
		w.out.len = 0;
		w.lines = 0;
		mem_set_ceiling(0);
		evw_begin(&w, (struct slice){ pad, w.out.cap - left });
		evw_u64(&w, 1);
		evw_double(&w, 0.5);
		evw_text(&w, SLICE("text"));
		evw_raw(&w, SLICE("raw"));
		evw_none(&w);
		evw_tag_i64(&w, SLICE("i"), -2);
		evw_tag_hex(&w, SLICE("h"), 255);
		evw_tag_begin(&w, SLICE("t"));
		evw_element(&w, SLICE("a;b"));
		evw_tag_end(&w, SLICE("t"));
		evw_tag_raw(&w, SLICE("r"), SLICE("raw"));
		evw_tag_begin(&w, SLICE("b"));
		evw_hex_bytes(&w, (const unsigned char *)"\0\xff", 2);
		evw_tag_end(&w, SLICE("b"));
		evw_tag_begin(&w, SLICE("e"));
		evw_hex_bytes(&w, NULL, 0);
		evw_tag_end(&w, SLICE("e"));
		if (left % 2 == 0)
			evw_end(&w);
		else
			evw_end_line(&w);
		mem_set_ceiling(UINT64_MAX);
		if (evw_failed(&w)) {
			CHECK(c, w.lines == 0 && w.out.len == 0 && evw_recover(&w), "%zu: %d", left,
			    w.out.error);
			failed++;
			continue;
		}
		whole++;
		CHECK(c, w.lines == 1 && w.out.len == w.out.cap - left + sizeof want, "%zu", left);
		CHECK(c,
		    memcmp(w.out.p + w.out.cap - left, want, sizeof want - 1) == 0 &&
			w.out.p[w.out.len - 1] == '\n',
		    "%zu: %.*s", left, (int)sizeof want, w.out.p + w.out.cap - left);
	}
	CHECK(c, failed > 60 && whole > 60, "%zu failed, %zu whole", failed, whole);
	mem_set_ceiling(0);
	w.out.len = w.out.cap;
	evw_line(&w, SLICE("a line"));
	CHECK(c, w.out.error == ENOMEM && w.lines == 1, "%d", w.out.error);
	mem_set_ceiling(UINT64_MAX);
	close(w.out.fd);
	out_free(&w.out);
	free(pad);
}

int
main(void)
{
	struct check c = { 0 };

	growing(&c);
	long_messages(&c);
	freeing_nothing();
	silent_reporter(&c);
	texts(&c);
	durations(&c);
	pace(&c);
	cutting(&c);
	source_lines(&c);
	large_resources(&c);
	keys(&c);
	synonyms(&c);
	symbols(&c);
	overlapping(&c);
	compressing(&c);
	writing(&c);
	without_room(&c);
	CHECK(&c, mem_used() == 0, "%llu bytes are left", (unsigned long long)mem_used());
	return check_end(&c);
}
