/* SPDX-License-Identifier: ISC */
/*
 * keys.c - checks which names are missing and which are suggested, the latter against a distance
 * that is defined recursively, and that hostile lines take little memory.
 */
#include "lib/keys.h"

#include <stdlib.h>

#include "lib/buf.h"
#include "t/unit/check.h"

/* Passes a line with these tags, separated by TABs, as a reader would. */
static void
see(struct keys *k, const char *tags)
{
	static uint32_t cut[1024];
	static char text[65536];
	struct ev ev = { .base = text, .cut = cut };
	size_t i, n = strlen(tags) + 1;

	text[0] = '\t';
	memcpy(text + 1, tags, n - 1);
	for (i = 0; i < n; i++)
		if (text[i] == '\t')
			cut[ev.ntags++] = (uint32_t)i;
	cut[ev.ntags] = (uint32_t)n;
	keys_see(k, &ev);
}

static bool
want(struct keys *k, const char *name)
{
	return keys_want(k, slice_of(name));
}

/* Returns the text for the next missing name, or "" at the end. */
static const char *
missing(const struct keys *k, size_t *at)
{
	static struct err e;

	e.msg[0] = '\0';
	return keys_missing(k, at, &e) == 0 ? "" : e.msg;
}

/* Checks what is said about one name, when lines have these tags. */
static void
expect(struct check *c, const char *name, const char *tags, const char *text)
{
	struct keys k = { .wanted = 0 };
	const char *got;
	size_t at = 0;

	CHECK(c, want(&k, name), "no memory");
	see(&k, tags);
	got = missing(&k, &at);
	CHECK(c, strcmp(got, text) == 0, "%s, not %s", got, text);
	CHECK(c, (text[0] == '\0') == keys_done(&k), "%s: done too early or never", name);
	keys_free(&k);
}

static void
check_messages(struct check *c)
{
	expect(c, "region", "cpu=1", "");
	expect(c, "cpu", "cpu=.", "");
	expect(c, "regoin", "cpu=1", "no line has 'regoin'; did you mean region?");
	expect(c, "cqu", "cpu=1\tcomm=cqu=2", "no line has 'cqu'; did you mean cpu?");
	expect(c, "cpu", "cpux=3\txcpu=1", "no line has 'cpu'; did you mean cpux?");
	expect(c, "prev_pid", "tp.prev_pid=1\tpid=1",
	    "no line has 'prev_pid'; did you mean "
	    "tp.prev_pid?");
	expect(c, "xyzzy", "cpu=1", "no line has 'xyzzy' ('xyzzy?' allows that; tags: cpu)");
	expect(c, "x", "y=1", "no line has 'x' ('x?' allows that; tags: y)");
	expect(c, "cpu", "=cpu", "no line has 'cpu' ('cpu?' allows that)");
	expect(c, "cpu", "cpu\t=cpu",
	    "no line has 'cpu=VALUE': some have 'cpu' without '=', which is not a tag");
	expect(c, "cpu", "cpu\tcpx=1",
	    "no line has 'cpu=VALUE': some have 'cpu' without '=', which is not a tag");
	expect(c, "run.build", "build=old",
	    "no run line has 'build', but other lines have: use 'build'");
	expect(c, "run.region", "cpu=1",
	    "no run line has 'region', but other lines have: use 'region'");
	expect(c, "run.build", "biuld=old", "no run line has 'build' ('run.build?' allows that)");
	/* the longer the name, the more may be wrong, up to three */
	expect(c, "ab", "xb=1", "no line has 'ab'; did you mean xb?");
	expect(c, "ab", "xy=1", "no line has 'ab' ('ab?' allows that; tags: xy)");
	expect(c, "abcde", "xycde=1", "no line has 'abcde'; did you mean xycde?");
	expect(c, "abcd", "xycd=1", "no line has 'abcd' ('abcd?' allows that; tags: xycd)");
	expect(c, "abcdefgh", "xyzdefgh=1", "no line has 'abcdefgh'; did you mean xyzdefgh?");
	expect(c, "abcdefg", "xyzdefg=1",
	    "no line has 'abcdefg' ('abcdefg?' allows that; tags: xyzdefg)");
	expect(c, "abcdefghijkl", "xyzdefghijkl=1",
	    "no line has 'abcdefghijkl'; did you mean xyzdefghijkl?");
	expect(c, "abcdefghijkl", "wxyzefghijkl=1",
	    "no line has 'abcdefghijkl' ('abcdefghijkl?' allows that; tags: wxyzefghijkl)");
	/* of equally near ones the first bytewise, whatever their order */
	expect(c, "abcd", "abce=\tabca=\tabcb=", "no line has 'abcd'; did you mean abca?");
	expect(c, "abcd", "abcb=\tabce=\tabca=", "no line has 'abcd'; did you mean abca?");
}

static void
check_several(struct check *c)
{
	struct keys k = { .wanted = 0 };
	size_t at = 0;

	CHECK(c, keys_done(&k), "nothing is wanted");
	CHECK(c, want(&k, "pid") && want(&k, "tid") && want(&k, "pid") && want(&k, "value"),
	    "no memory");
	see(&k, "pidd=1\ttid=2");
	CHECK(c, !keys_done(&k), "done too early");
	see(&k, "pidd=1\ttidd=2");
	CHECK(c, strcmp(missing(&k, &at), "no line has 'pid'; did you mean pidd?") == 0, "pid");
	CHECK(c, missing(&k, &at)[0] == '\0', "more than one");
	see(&k, "pidd=1\tpid=2");
	CHECK(c, keys_done(&k), "not done");
	at = 0;
	CHECK(c, missing(&k, &at)[0] == '\0', "none is missing");
	keys_free(&k);
}

/* A tag that lines have instead of what it is computed from; two that both must be there. */
static void
check_computed(struct check *c)
{
	struct keys k = { .wanted = 0 }, all = { .wanted = 0 };
	size_t at = 0;

	CHECK(c,
	    keys_want_or(&k, SLICE("stack"), SLICE("frame")) &&
		keys_want_or(&k, SLICE("stack"), SLICE("leaf")) &&
		keys_want_or(&k, SLICE("comm"), SLICE("pcomm")) &&
		keys_want_or(&k, SLICE("comm"), SLICE("pcomm")),
	    "no memory");
	CHECK(c, want(&all, "comm") && keys_want_all(&all, &k), "no memory");
	see(&k, "frame=.\tpcomm=1");
	see(&all, "frame=.\tpcomm=1");
	CHECK(c, keys_has(&k, SLICE("comm")) && !keys_has(&k, SLICE("stack")), "done too early");
	CHECK(c,
	    strcmp(missing(&k, &at),
		"no line has 'stack', which 'leaf' needs (perf record -g records stacks; 'leaf?' "
		"allows that)") == 0,
	    "leaf");
	see(&k, "frame=.\tleaf=1");
	see(&all, "frame=.\tleaf=1");
	CHECK(c, keys_done(&k), "not done");
	CHECK(c, keys_has(&all, SLICE("stack")) && !keys_has(&all, SLICE("comm")),
	    "comm itself is wanted");
	keys_free(&k);
	keys_free(&all);
}

static unsigned
min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The distance by its definition, on the ends of the texts. */
static unsigned
far(struct slice a, struct slice b)
{
	struct slice a1 = { a.p, a.len - 1 }, b1 = { b.p, b.len - 1 };
	unsigned d;

	if (a.len == 0 || b.len == 0)
		return (unsigned)(a.len + b.len);
	d = min(min(far(a1, b), far(a, b1)) + 1, far(a1, b1) + (a.p[a1.len] != b.p[b1.len]));
	if (a1.len > 0 && b1.len > 0 && a.p[a1.len] == b.p[b1.len - 1] &&
	    a.p[a1.len - 1] == b.p[b1.len])
		d = min(d,
		    far((struct slice){ a.p, a1.len - 1 }, (struct slice){ b.p, b1.len - 1 }) + 1);
	return d;
}

/* Makes a name of 1 to 7 of three letters. */
static struct slice
make(struct check *c, char *name)
{
	size_t i, n = 1 + check_random(c) % 7;

	for (i = 0; i < n; i++)
		name[i] = (char)('x' + check_random(c) % 3);
	name[n] = '\0';
	return (struct slice){ name, n };
}

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Writes what is said about a name without a near one; lines have these four. */
static void
far_from_all(char *text, size_t size, const char *wanted, char names[4][8])
{
	size_t i, n;

	qsort(names, 4, sizeof names[0], compare);
	n = (size_t)snprintf(text, size, "no line has '%s' ('%s?' allows that; tags: %s", wanted,
	    wanted, names[0]);
	for (i = 1; i < 4; i++)
		if (strcmp(names[i], names[i - 1]) != 0)
			n += (size_t)snprintf(text + n, size - n, ", %s", names[i]);
	(void)snprintf(text + n, size - n, ")");
}

static void
check_random_names(struct check *c)
{
	char wanted[8], names[4][8], *name, best[8], tags[64], text[128];
	int i, j;

	for (i = 0; i < 3000; i++) {
		struct slice w = make(c, wanted);
		unsigned limit = (unsigned)(w.len + 1) / 3, d;

		limit = min(limit, 3);
		best[0] = tags[0] = '\0';
		for (j = 0; j < 4; j++) {
			name = names[j];
			do
				d = far(w, make(c, name));
			while (d == 0);
			strcat(strcat(tags, j > 0 ? "\t" : ""), name);
			strcat(tags, "=1");
			if (d < limit ||
			    (d == limit && (best[0] == '\0' || strcmp(name, best) < 0))) {
				if (d <= limit)
					strcpy(best, name);
				limit = d;
			}
		}
		if (best[0] != '\0')
			snprintf(text, sizeof text, "no line has '%s'; did you mean %s?", wanted,
			    best);
		else
			far_from_all(text, sizeof text, wanted, names);
		expect(c, wanted, tags, text);
	}
}

/* Names without end: memory is bounded, and a wanted name is still found. */
static void
check_hostile(struct check *c)
{
	struct keys k = { .wanted = 0 };
	static char name[40000], line[40010];
	char tags[200];
	size_t i;

	memset(name, 'n', sizeof name - 1);
	CHECK(c, want(&k, "wanted") && want(&k, name), "no memory");
	for (i = 0; i < 200000; i++) {
		snprintf(tags, sizeof tags, "a%zu=1\tb%zu=2\tc=3", i, i);
		see(&k, tags);
		if (i % 100 == 0) {
			snprintf(line, sizeof line, "%.*s%zu=", 30000, name, i);
			see(&k, line);
		}
	}
	CHECK(c, k.names.count <= KEYS_NAMES_MAX + 2, "%zu names", k.names.count);
	see(&k, "wanted=1");
	CHECK(c, k.unseen == 1, "not found after many others");
	snprintf(line, sizeof line, "%s=", name);
	see(&k, line);
	CHECK(c, keys_done(&k), "a long name is not found");
	keys_free(&k);
}

/* The longest name that is suggested, and the longest that is corrected. */
static void
check_longest(struct check *c)
{
	static const struct {
		size_t there, wanted;
		bool suggests;
	} cases[] = {
		{ KEYS_NAME_MAX, KEYS_NAME_MAX - 1, true },
		{ KEYS_NAME_MAX - 1, KEYS_NAME_MAX, true },
		{ KEYS_NAME_MAX, KEYS_NAME_MAX + 1, false },
		{ KEYS_NAME_MAX + 1, KEYS_NAME_MAX, false },
	};
	char name[KEYS_NAME_MAX + 2], tag[KEYS_NAME_MAX + 4];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct keys k = { .wanted = 0 };
		size_t at = 0;

		memset(tag, 'n', cases[i].there);
		strcpy(tag + cases[i].there, "=1");
		memset(name, 'n', cases[i].wanted);
		name[cases[i].wanted] = '\0';
		CHECK(c, want(&k, name), "no memory");
		see(&k, tag);
		CHECK(c, (strstr(missing(&k, &at), "did you mean n") != NULL) == cases[i].suggests,
		    "%zu instead of %zu", cases[i].wanted, cases[i].there);
		keys_free(&k);
	}
}

static void
check_measures(struct check *c)
{
	static const struct {
		const char *measure, *want;
	} cases[] = {
		{ "cycles", "no line has a value of the measure cycles; did you mean cycles:k?" },
		{ "cpu", "no line has a value of the measure cpu; did you mean cpu-clock?" },
		{ "fautls", "no line has a value of the measure fautls; did you mean faults?" },
		{ "other", "no line has a value of the measure other" },
		{ "", "no line has a value of the measure " },
	};
	struct tab others = { .count = 0 };
	char name[KEYS_NAME_MAX + 2];
	struct err e;
	size_t i;

	CHECK(c, keys_no_measure(SLICE("cycles"), &others, &e) == ERR_DATA, "no error");
	CHECK(c, strcmp(e.msg, "no line has a value of the measure cycles") == 0, "%s", e.msg);
	keys_note_measure(&others, SLICE("cycles:u"));
	keys_note_measure(&others, SLICE("cycles:k"));
	keys_note_measure(&others, SLICE("cpu-clock"));
	keys_note_measure(&others, SLICE("faults"));
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK(c, keys_no_measure(slice_of(cases[i].measure), &others, &e) == ERR_DATA,
		    "no error");
		CHECK(c, strcmp(e.msg, cases[i].want) == 0, "%s", e.msg);
	}
	memset(name, 'n', sizeof name);
	keys_note_measure(&others, (struct slice){ name, sizeof name });
	CHECK(c, others.count == 4, "a long name is kept");
	for (i = 0; i < 10000; i++) {
		snprintf(name, sizeof name, "m%zu", i);
		keys_note_measure(&others, slice_of(name));
	}
	CHECK(c, others.count == 256, "%zu measures", others.count);
	tab_free(&others);
}

int
main(void)
{
	struct check c = { 0 };

	check_messages(&c);
	check_several(&c);
	check_computed(&c);
	check_random_names(&c);
	check_hostile(&c);
	check_longest(&c);
	check_measures(&c);
	return check_end(&c);
}
