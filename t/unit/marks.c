/* SPDX-License-Identifier: ISC */
/* marks.c - checks which sets of marks are whole. */
#include "lib/marks.h"

#include <string.h>

#include "lib/mem.h"

#include "t/unit/check.h"

struct example {
	const char *lines; /* separated by LF */
	unsigned bad,
	    missing; /* lines that are rejected or partial, and pairs with too few or many ends */
	uint64_t lost, late;
};

#define OPEN "#afstream\t1\tp\ts\n"
#define END "#end\tp\ts\t1\tcomplete\n"

static const struct example examples[] = {
	{ "", 0, 0, 0, 0 },
	{ "#\n# a comment\n#endless\n#afstreams\t2\n", 0, 0, 0, 0 },
	{ OPEN END, 0, 0, 0, 0 },
	{ END OPEN, 0, 0, 0, 0 },
	{ END, 0, 1, 0, 0 },
	{ OPEN OPEN END, 0, 1, 0, 0 },
	{ OPEN OPEN END END, 0, 0, 0, 0 },
	{ END END OPEN, 0, 1, 0, 0 },
	{ OPEN, 0, 1, 0, 0 },
	{ OPEN "#end\tp\tother\t1\tcomplete\n", 0, 2, 0, 0 },
	{ OPEN "#end\tother\ts\t1\tcomplete\n", 0, 2, 0, 0 },
	{ OPEN "#afstream\t1\tq\ts\n", 0, 2, 0, 0 },
	{ OPEN "#end\tp\ts\t1\tpartial\n", 1, 0, 0, 0 },
	{ OPEN "#end\tp\ts\t1\tpartial\twhy\tlost=3\n", 1, 0, 3, 0 },
	{ OPEN "#end\tp\ts\t1\tsomething\n", 1, 0, 0, 0 },
	{ OPEN "#end\tp\ts\t1\tcomplete\tlost=3\tlate=4\n" OPEN
	       "#end\tp\ts\t1\tcomplete\tlost=5\tnew=1\n",
	    0, 0, 8, 4 },
	{ OPEN "#end\tp\ts\t1\tcomplete\tlost=x\tlate=2\n", 1, 0, 0, 2 },
	{ OPEN "#end\tp\ts\t1\tcomplete\tlost=\n", 1, 0, 0, 0 },
	{ OPEN "#end\tp\ts\t1\tcomplete\tlost=1\tlost=99999999999999999999\n", 0, 0, UINT64_MAX,
	    0 },
	{ OPEN "#end\tp\ts\t1\tcomplete\tlost=18446744073709551610\tlate=18446744073709551609\n", 0,
	    0, UINT64_MAX - 5, UINT64_MAX - 6 },
	{ OPEN "#end\tp\ts\t1\tcomplete\tlost=18446744073709551616\tlate=18446744073709551619\n", 0,
	    0, UINT64_MAX, UINT64_MAX },
	{ OPEN "#end\tp\ts\tone\tcomplete\n", 1, 1, 0, 0 },
	{ OPEN "#end\tp\t\t1\tcomplete\n", 1, 1, 0, 0 },
	{ "#afstream\t1\t\ts\n", 1, 0, 0, 0 },
	{ OPEN "#end\tp\ts\t1\n", 1, 1, 0, 0 },
	{ "#end\n", 1, 0, 0, 0 },
	{ "#afstream\t1\tp\n", 1, 0, 0, 0 },
	{ "#afstream\t2\tp\ts\n", 1, 0, 0, 0 },
	{ "#afstream\n", 1, 0, 0, 0 },
	{ "#afstream\t1\tp\ts\tnew words\n" END, 0, 0, 0, 0 },
};

static void
one(struct check *c, const struct example *x)
{
	struct marks m = { 0 };
	const char *p = x->lines, *lf;
	unsigned bad = 0, missing = 0;
	const char *input;
	struct err e;
	size_t at = 0;

	for (; (lf = strchr(p, '\n')) != NULL; p = lf + 1)
		bad += marks_take(&m, (struct slice){ p, (size_t)(lf - p) }, 0, &e) == ERR_DATA;
	CHECK(c, marks_end_input(&m, "in", 5, &e) == 0 && m.nhere == 0, "%s", x->lines);
	while (marks_missing(&m, &at, &input, &e) == ERR_DATA)
		missing++;
	CHECK(c, bad == x->bad, "%u bad: %s", bad, x->lines);
	CHECK(c, missing == x->missing, "%u missing: %s", missing, x->lines);
	CHECK(c, m.count[MARK_LOST] == x->lost && m.count[MARK_LATE] == x->late,
	    "lost and late: %s", x->lines);
	marks_free(&m);
}

/* Checks many producers, and marks with more words than are examined. */
static void
many(struct check *c)
{
	struct marks m = { 0 };
	char line[200];
	const char *input;
	struct err e;
	size_t at = 0;
	unsigned i, missing = 0;

	for (i = 0; i < 1000; i++) {
		int n = snprintf(line, sizeof line, "#afstream\t1\tp%u\ts", i);

		CHECK(c, marks_take(&m, (struct slice){ line, (size_t)n }, 0, &e) == 0, "%s", line);
		n = snprintf(line, sizeof line,
		    "#end\tp%u\ts\t1\tcomplete\ta\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm", i);
		if (i % 10 != 0)
			CHECK(c, marks_take(&m, (struct slice){ line, (size_t)n }, 0, &e) == 0,
			    "%s", line);
	}
	CHECK(c, marks_end_input(&m, "in", 0, &e) == 0, "%s", e.msg);
	while (marks_missing(&m, &at, &input, &e) != 0)
		missing++;
	CHECK(c, missing == 100, "%u", missing);
	marks_free(&m);
}

/*
 * Checks which of several inputs is named.  Each letter of inputs is a mark, o an opening and e an
 * end, and a blank ends an input.  wanted has the number and sign of each input that lacks a mark.
 */
static void
blamed(struct check *c, const char *inputs, const char *wanted)
{
	static const struct slice mark[] = { SLICE_INIT("#afstream\t1\tp\ts"),
		SLICE_INIT("#end\tp\ts\t1\tcomplete") };
	static const char numbers[] = "0\0001\0002\0003\0004\0005";
	struct marks m = { 0 };
	char got[40] = "";
	const char *input = numbers, *p = inputs;
	struct err e;
	size_t at = 0, len = 0;

	for (;; p++) {
		if (*p == 'o' || *p == 'e') {
			CHECK(c, marks_take(&m, mark[*p == 'e'], 0, &e) == 0, "%s", e.msg);
			continue;
		}
		CHECK(c, marks_end_input(&m, input, 0, &e) == 0, "%s", e.msg);
		input += 2;
		if (*p == '\0')
			break;
	}
	while (marks_missing(&m, &at, &input, &e) != 0)
		len += (size_t)snprintf(got + len, sizeof got - len, "%s%c", input,
		    strstr(e.msg, "no end") != NULL ? '+' : '-');
	CHECK(c, strcmp(got, wanted) == 0 && input == NULL, "%s: %s", inputs, got);
	marks_free(&m);
}

static void
blame(struct check *c)
{
	blamed(c, "oe oe oe", "");
	blamed(c, "oe o oe", "1+");
	blamed(c, "o oe o", "0+2+");
	blamed(c, "oe e oe", "1-");
	/* a stream that is divided over several inputs */
	blamed(c, "o e o", "2+");
	blamed(c, "o  e oe", "");
	blamed(c, "oo ooo ee e", "0+");
	blamed(c, "oo o eee", "");
	blamed(c, "oo o eeee", "2-");
	blamed(c, "e o e", "2-");
}

/*
 * Makes memory run out for good at any allocation.  This must give an error, and no access out of
 * bounds.
 */
static void
starved(struct check *c)
{
	static const struct slice opening = { "#afstream\t1\tp\ts", 15 };
	unsigned refused = 0;
	uint64_t bytes;

	for (bytes = 0; bytes < 8192; bytes += 8) {
		struct marks m = { 0 };
		const char *input;
		struct err e;
		size_t at = 0;
		int rc;

		mem_set_ceiling(bytes);
		rc = marks_take(&m, opening, 0, &e);
		rc = rc == 0 ? marks_end_input(&m, "in", 0, &e) : rc;
		refused += rc == ERR_SYS && e.ceiling;
		CHECK(c, rc == 0 || rc == ERR_SYS, "%d", rc);
		CHECK(c, (marks_missing(&m, &at, &input, &e) != 0) == (rc == 0), "%d", rc);
		marks_free(&m);
	}
	mem_set_ceiling(UINT64_MAX);
	CHECK(c, refused != 0, "the ceiling was never reached");
}

/* For --whole: what an end says of lines is compared with those that came. */
static void
whole(struct check *c)
{
	static const struct {
		const char *end, *want;
	} ends[] = {
		{ "#end\tp\ts\t0\tcomplete", "" },
		{ "#end\tp\ts\t00\tcomplete",
		    "lines of p s: 00 according to the end mark, 0 here" },
		{ "#end\tp\ts\t99999999999999999999\tcomplete",
		    "lines of p s: 99999999999999999999 according to the end mark, 0 here" },
		{ "#end\tp\ts\t0\tcomplete\tlosty=1", "" },
		{ "#end\tp\ts\t1\tcomplete\tlost=x",
		    "end mark with lost=x, which is not a number" },
	};
	struct err e;
	size_t i;

	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct marks m = { .whole = true };
		int rc;

		e.msg[0] = '\0';
		CHECK(c, marks_take(&m, SLICE("#afstream\t1\tp\ts"), 0, &e) == 0, "%s", e.msg);
		rc = marks_take(&m, slice_of(ends[i].end), 0, &e);
		CHECK(c, (rc == 0) == (*ends[i].want == '\0') && strcmp(e.msg, ends[i].want) == 0,
		    "%s: %s", ends[i].end, e.msg);
		marks_free(&m);
	}
}

/* What is said of marks, one after the other, after so many lines. */
static void
messages(struct check *c)
{
	static const struct {
		const char *mark, *want;
		uint64_t lines;
	} steps[] = {
		{ "#afstream", "stream version ., not 1", 0 },
		{ "#afstream\t22\tp\ts", "stream version 22, not 1", 0 },
		{ "#afstream\t1", "opening mark without producer and source", 0 },
		{ "#afstream\t1\tp\ts", "lines before any opening mark: 3", 3 },
		{ "#end\tp\ts\t4\tcomplete", "", 7 },
		{ "#afstream\t1\tp\ts", "lines after an end mark, where no stream is open: 2", 9 },
		{ "#end\tp\ts\t1\tpartial", "p s ended partial", 10 },
		{ "#afstream\t1\tp\ts", "", 10 },
		{ "#end\tp\ts\t1\tpartial\twhy\tlost=1\tno", "p s ended partial: why", 11 },
		{ "#afstream\t1\tp\ts", "", 11 },
		{ "#afstream\t1\tlong\tlonger", "long longer opens before another stream has ended",
		    12 },
		{ "#end\tp\ts\t1\tcomplete", "end mark of p s, which is not the stream opened last",
		    13 },
		{ "#end\tp\tt\t1\tcomplete", "end mark of p t, which is not the stream opened last",
		    14 },
	};
	struct marks m = { .whole = true };
	struct err e;
	size_t i;

	for (i = 0; i < sizeof steps / sizeof *steps; i++) {
		int rc;

		e.msg[0] = '\0';
		rc = marks_take(&m, slice_of(steps[i].mark), steps[i].lines, &e);
		CHECK(c, (rc == 0) == (*steps[i].want == '\0') && strcmp(e.msg, steps[i].want) == 0,
		    "%zu: %s", i, e.msg);
	}
	CHECK(c,
	    marks_end_input(&m, "in", 20, &e) == ERR_DATA &&
		strcmp(e.msg, "lines after an end mark, where no stream is open: 6") == 0,
	    "%s", e.msg);
	CHECK(c,
	    marks_end_input(&m, "next", 2, &e) == ERR_DATA &&
		strcmp(e.msg, "no marks: cannot tell whether it is complete") == 0,
	    "%s", e.msg);
	marks_free(&m);
}

/*
 * Runs that come from several sources.  Each letter of the steps is a run, o an opening, and a
 * digit an end that counts so many; an exclamation mark follows a run that is reported.
 */
static void
runs(struct check *c, const char *steps, uint64_t twice, uint64_t counted)
{
	struct marks m = { 0 };
	char end[] = "#end\tp\ts\t1\tcomplete\ttwice=0";
	struct err e;
	const char *p;

	for (p = steps; *p != '\0'; p++) {
		if (*p == 'o') {
			CHECK(c, marks_take(&m, SLICE("#afstream\t1\tp\ts"), 0, &e) == 0, "%s",
			    e.msg);
		} else if (*p >= '0' && *p <= '9') {
			end[sizeof end - 2] = *p;
			CHECK(c, marks_take(&m, slice_of(end), 0, &e) == 0, "%s", e.msg);
		} else {
			int rc = marks_run(&m, (struct slice){ p, 1 }, &e);

			CHECK(c, rc == (p[1] == '!' ? ERR_DOUBT : 0), "%s: %d", p, rc);
			p += p[1] == '!';
		}
	}
	CHECK(c, m.twice == twice && m.count[MARK_TWICE] == counted, "%s: %u %u", steps,
	    (unsigned)m.twice, (unsigned)m.count[MARK_TWICE]);
	marks_free(&m);
}

static void
repeated(struct check *c)
{
	runs(c, "oab0", 0, 0);
	runs(c, "oaabb2", 0, 2); /* of one source each, which says that it had them twice */
	runs(c, "oaaa1", 0, 1);
	runs(c, "oa0ob0oc0", 0, 0);
	runs(c, "oa0oa!0", 1, 0);
	runs(c, "oa0oa!0oa0", 1, 0); /* once */
	runs(c, "oab0oa!b!0", 2, 0);
	runs(c, "oa0oa!abb2", 1, 1); /* a is counted already */
	runs(c, "oaabb2oa", 0, 2);
	runs(c, "oaab5", 0, 5); /* not those that are known */
	runs(c, "oaa1oaa1", 0, 1);
	runs(c, "aoa!", 1, 0);
}

int
main(void)
{
	struct check c = { 0 };
	size_t i;

	for (i = 0; i < sizeof examples / sizeof examples[0]; i++)
		one(&c, &examples[i]);
	many(&c);
	blame(&c);
	starved(&c);
	whole(&c);
	messages(&c);
	repeated(&c);
	return check_end(&c);
}
