/* SPDX-License-Identifier: ISC */
/*
 * joins.c - checks aggregations that are joined (as those of threads are, or by way of partial
 * results) against one of all lines; and that memory which is refused at any one place is an error
 * that loses and keeps nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "src/aggregate/aggint.h"
#include "t/unit/check.h"
#include "t/unit/refuse.h"

#define OFFSETS 64
#define LINES AGGREGATE_AHEAD /* of a side */
#define ROOM 200 /* for a line */
#define SIDES 2 /* the first aggregation, and the one that is joined with it */

/* For squeeze: what memory joining may take, and whether it moved groups to disk. */
static uint64_t allowed = UINT64_MAX;
static bool moved;

/* ---- scenes */

struct scene {
	const char *option[AGGREGATE_OPTIONS];
	unsigned rounds; /* how often the lines come, or 0 for once; @ is the round */
	bool ordered; /* the lines must be in one aggregation */
	const char *line[SIDES][LINES]; /* of each side */
};

#define M "measure\t.\t1\t.\tm\t.\tunit=ns"
#define K "measure\t.\t2\t.\tk\t.\tunit=ns"
#define INCLUSIVE(time, region, stack) \
	"sample\t" time "\t1\t" region "\tinclusive\t5\tcpu=1\tstack=" stack

static const struct scene scenes[] = {
	{ .option = { [AGGREGATE_BY] = "region,cpu?",
	      [AGGREGATE_STAT] = "count,sum,median,mad,stddev,hist,first,last,distinct,mode,share",
	      [AGGREGATE_BINS] = "10" },
	    .line = { { M, K, "sample\t1\t1\tf\tm\t5\tcpu=1", "sample\t2\t1\tg\tm\t-7.5\tcpu=1",
			  "sample\t4\t2\tf\tm\t6\tcpu=1", "sample\t3\t2\tf\tk\t1e300\tmid=4",
			  "sample\t3\t2\th\tk\t7\tmid=4" },
		{ M, K, "sample\t4\t2\tf\tk\t99999999999999999999\tmid=5",
		    "sample\t9\t1\tf\tm\t-99999999999999999999\tcpu=1",
		    "sample\t3\t3\tf\tm\t1.5\tcpu=1", "sample\t3\t1\tf\tm\t5\tcpu=1",
		    "sample\t3\t1\tf\tm\tinf\tcpu=2", "sample\t3\t1\tf\tm\tnan\tcpu=1",
		    "sample\t3\t2\tlonger_than_all_the_others_together\tk\t5\tcpu=1" } } },
	/* the second one has more groups, and the same runs and measures */
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "sum,max" },
	    .line = { { "sample\t1\t1\tf\tm\t1", "sample\t2\t1\tf\tk\t1" },
		{ "sample\t3\t1\tf\tm\t1", "sample\t4\t1\tg\tm\t2", "sample\t5\t1\th\tm\t3" } } },
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "sum,max" },
	    .line = { { "sample\t1\t1\tf\tm\t1" },
		{ "sample\t3\t1\tf\tm\t1", "sample\t4\t1\tg\tm\t2", "sample\t5\t1\th\tm\t3" } } },
	/* runs without times; measures without values, since no line has the tag */
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "sum,p50,rate,share,first" },
	    .line = { { "sample\t1\t1\tf\tm\t1", "sample\t2\t1\tf\tk\t1", "sample\t.\t2\tf\tk\t1" },
		{ "sample\t.\t3\tf\tm\t1", "sample\t3\t1\tf\tm\t1", "sample\t4\t1\tg\tm\t2",
		    "sample\t5\t4\th\tm\t3" } } },
	{ .option = { [AGGREGATE_BY] = "region",
	      [AGGREGATE_STAT] = "p50,stddev,min,max,hist",
	      [AGGREGATE_SKETCH] = "1%" },
	    .line = { { "sample\t1\t1\tf\tm\t1", "sample\t2\t1\tf\tm\t1e9",
			  "sample\t2\t1\tf\tm\t0" },
		{ "sample\t3\t1\tf\tm\t-1e-9", "sample\t3\t1\tf\tm\t1e200",
		    "sample\t3\t1\tf\tm\t1e-200", "sample\t4\t1\tg\tm\tnan" } } },
	/* no sum is kept */
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "min,max" },
	    .line = { { "sample\t1\t1\tf\tm\t1.5", "sample\t2\t1\tg\tm\t1e300",
			  "sample\t2\t1\th\tm\t1" },
		{ "sample\t3\t1\tf\tm\t2.5", "sample\t4\t1\tg\tm\t1",
		    "sample\t4\t1\th\tm\t1e300" } } },
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "max" },
	    .line = { { "sample\t1\t1\tf\tm\t1" },
		{ "sample\t3\t1\tf\tm\t1e300", "sample\t3\t1\tf\tm\t1" } } },
	/* values that contain each other: of two scopes, of a region and one around it */
	{ .option = { [AGGREGATE_BY] = "cpu", [AGGREGATE_STAT] = "sum,mean" },
	    .line = { { "sample\t1\t1\tf\tm\t1\tscope=run\tcpu=1", INCLUSIVE("2", "f", "main;g;f"),
			  INCLUSIVE("3", "q", "q") },
		{ "sample\t1\t1\tf\tm\t1\tscope=region\tcpu=1", INCLUSIVE("4", "g", "main;g"),
		    INCLUSIVE("5", "x", "main;q;x"),
		    "sample\t1\t1\tf\tm\t1\tscope=section\tcpu=1" } } },
	{ .option = { [AGGREGATE_BY] = "cpu", [AGGREGATE_STAT] = "sum" },
	    .line = { { "sample\t1\t1\tf\tm\t1\tscope=run\tcpu=1",
			  "sample\t1\t1\tf\tm\t1\tscope=region\tcpu=1",
			  INCLUSIVE("4", "g", "main;g"), INCLUSIVE("2", "f", "main;g;f") },
		{ "sample\t1\t1\tf\tm\t1\tscope=run\tcpu=1",
		    "sample\t1\t1\tf\tm\t1\tscope=region\tcpu=1", INCLUSIVE("4", "g", "main;g"),
		    INCLUSIVE("2", "f", "main;g;f") } } },
	{ .option = { [AGGREGATE_BY] = "cpu", [AGGREGATE_STAT] = "sum,share" },
	    .line = { { "sample\t1\t1\tf\tm\t1\tscope=run\tcpu=1", INCLUSIVE("4", "g", "main;g") },
		{ "sample\t1\t1\tf\tm\t1\tscope=run\tcpu=1",
		    "sample\t1\t1\tf\tm\t1\tscope=run\tcpu=2" } } },
	/* results: of what, found how; they have different keys, and are of several regions */
	{ .option = { [AGGREGATE_BY] = "cpu",
	      [AGGREGATE_KIND] = "agg",
	      [AGGREGATE_STAT] = "mean,max" },
	    .line = { { "agg\t1\t1\tf\tm\t5\tcpu=1\tstat=p99\tpercentile=nearest\tn=4",
			  "agg\t1\t1\tf\tinclusive\t5\tcpu=1\tstat=sum\tof=max\tn=4",
			  "agg\t1\t1\tf\tm\t5\tcpu=1\tstat=count\tn=5",
			  "agg\t1\t.\tf\tm\t5\tcpu=1\tstat=mean\tn=5" },
		{ "agg\t1\t1\tg\tinclusive\t5\tcpu=1\ttid=1\tstat=sum\tof=max\tn=4",
		    "agg\t1\t1\tg\tm\t5\tcpu=1\ttid=1\tstat=count\tn=5",
		    "agg\t1\t1\tf\tm\t5\tcpu=2\tstat=rate\tn=5\tunit=ns" } } },
	{ .option = { [AGGREGATE_BY] = "comm",
	      [AGGREGATE_KIND] = "agg",
	      [AGGREGATE_STAT] = "mean" },
	    .line = { { "agg\t1\t1\t.\tm\t5\tcomm=x\tstat=sum\tn=4",
			  "agg\t1\t1\t.\tm\t5\tcomm=x\tstage=1\tparts=3\tstat=sum\tn=4",
			  "agg\t1\t1\t.\tm\t5\tcomm=x\tstat=\tn=4" },
		{ "agg\t1\t1\t.\tlonger_measure\t5\tcomm=x\tstat=sum\tn=4\ta=1",
		    "agg\t1\t1\t.\tm\t5\tcomm=y\tstat=count\tn=4",
		    "agg\t1\t1\t.\tlonger_measure\t5\tcomm=x\tstage=1\tstat=sum\tn=4" } } },
	{ .option = { [AGGREGATE_BY] = "comm",
	      [AGGREGATE_KIND] = "agg",
	      [AGGREGATE_STAT] = "mean" },
	    .line = { { "agg\t1\t1\tf\tinclusive\t1\tcomm=x\tstat=mean\tn=1",
			  "agg\t1\t1\tf\tinclusive\t1\tcomm=y\tstat=mean\tn=1" },
		{ "agg\t1\t1\tf\tinclusive\t1\tcomm=x\tstat=mean\tn=1",
		    "agg\t1\t1\tg\tinclusive\t1\tcomm=y\tstat=mean\tn=1" } } },
	{ .option = { [AGGREGATE_BY] = "comm",
	      [AGGREGATE_KIND] = "agg",
	      [AGGREGATE_STAT] = "mean" },
	    .line = { { "agg\t1\t1\tf\tinclusive\t1\tcomm=x\tstat=mean\tn=1",
			  "agg\t1\t1\tf\tm\t1\tcomm=y\tscope=run\tstat=sum\tn=1" },
		{ "agg\t1\t1\tf\tinclusive\t1\tcomm=z\tstat=mean\tn=1",
		    "agg\t1\t1\tg\tinclusive\t1\tcomm=z\tstat=mean\tn=1",
		    "agg\t1\t1\tf\tm\t1\tcomm=x\tscope=run\tstat=sum\tn=1",
		    "agg\t1\t1\tf\tm\t1\tcomm=x\tscope=region\tstat=sum\tn=1",
		    "agg\t1\t1\tg\tinclusive\t1\tcomm=x\ta=1\tstat=mean\tn=1",
		    "agg\t1\t1\tg\tinclusive\t1\tcomm=x\tstat=mean\tn=1" } } },
	{ .option = { [AGGREGATE_BY] = "comm",
	      [AGGREGATE_KIND] = "agg",
	      [AGGREGATE_STAT] = "mean" },
	    .line = { { "agg\t1\t1\tf\tinclusive\t1\tcomm=x\tstat=mean\tn=1" },
		{ "agg\t1\t1\tf\tinclusive\t1\tcomm=z\tstat=mean\tn=1" } } },
	{ .option = { [AGGREGATE_BY] = "cpu", [AGGREGATE_KIND] = "agg" },
	    .line = { { "agg\t1\t1\tf\tm\t5\tcpu=1\tstat=sum\tn=4",
			  "agg\t1\t1\tg\tm\t1.5\tcpu=1\tstat=max\tn=4" },
		{ "agg\t1\t1\tg\tm\t5\tcpu=1\ttid=1\tstat=sum\tn=4",
		    "agg\t1\t1\tg\tm\t15\tcpu=2\tstat=max\tn=5" } } },
	{ .option = { [AGGREGATE_BY] = "region",
	      [AGGREGATE_KIND] = "agg",
	      [AGGREGATE_STAT] = "sum,mean",
	      [AGGREGATE_WEIGHT] = "w" },
	    .line = { { "agg\t1\t1\tf\tm\t5\tw=3\tstat=sum\tn=4" },
		{ "agg\t1\t1\tf\tm\t5\tw=4\tstat=count\tn=4" } } },
	{ .option = { [AGGREGATE_BY] = "region",
	      [AGGREGATE_STAT] = "sum,mean,p50,stddev,median",
	      [AGGREGATE_WEIGHT] = "w" },
	    .line = { { "sample\t1\t1\tf\tm\t5\tw=18446744073709551615",
			  "sample\t1\t1\tf\tm\t2.5\tw=18446744073709551615",
			  "sample\t1\t1\th\tm\t1.5\tw=0" },
		{ "sample\t1\t1\tf\tm\t5\tw=7", "sample\t1\t1\tg\tm\t1e30\tw=7",
		    "sample\t1\t1\th\tm\t0.5\tw=0" } } },
	{ .option = { [AGGREGATE_BY] = "region",
	      [AGGREGATE_STAT] = "sum,p50,hist",
	      [AGGREGATE_WEIGHT] = "w",
	      [AGGREGATE_OF] = "x",
	      [AGGREGATE_SKETCH] = "5%" },
	    .line = { { "sample\t1\t1\tf\tm\t.\tx=5\tw=4294967295",
			  "sample\t1\t1\tf\tm\t.\tx=6\tw=3" },
		{ "sample\t1\t1\tf\tm\t.\tx=5\tw=4294967295", "sample\t1\t1\tg\tm\t1" } } },
	{ .option = { [AGGREGATE_BY] = "frame,run.host?",
	      [AGGREGATE_WINDOW] = "10ns/5ns",
	      [AGGREGATE_STAT] = "sum,rate" },
	    .line = { { M, "sample\t3\t1\tf\tm\t5\tstack=main;f", "sample\t7\t2\tg\tm\t5" },
		{ M, "sample\t6\t1\tf\tm\t5\tstack=main;f;f",
		    "span\t40\t1\tf\tm\t9\tstart=20\tstack=main" } } },
	{ .option = { [AGGREGATE_BY] = "region",
	      [AGGREGATE_WINDOW] = "10ns",
	      [AGGREGATE_FROM] = "first" },
	    .ordered = true,
	    .line = { { "sample\t3\t1\tf\tm\t5", "run\t7\t2\t.\t.\t.\thost=x" },
		{ "sample\t6\t1\tf\tm\t5", "sample\t40\t2\tf\tm\t9" } } },
	/* the unit is a key, so the lines are not divided into partial results */
	{ .option = { [AGGREGATE_BY] = "region,unit?" },
	    .ordered = true,
	    .line = { { M, "sample\t3\t1\tf\tm\t5", "sample\t3\t1\tf\tk\t5" } } },
	{ .option = { [AGGREGATE_BY] = "caller:f,callee~ma.*,pcomm?,stack:1?" },
	    .line = { { "sample\t3\t1\tf\tm\t5\tstack=main;f", "sample\t7\t2\tg\tm\t5\tpid=1" },
		{ "sample\t6\t1\tf\tm\t5\tstack=main;f;f\tpid=1\ttid=1\tcomm=x",
		    "sample\t4\t1\tf\tm\t9\tstack=main;x\\x3by;f" } } },
	{ .option = { [AGGREGATE_BY] = "leaf,root,caller" },
	    .line = { { "sample\t3\t1\tf\tm\t5\tstack=a;b\\x3b1",
			  "sample\t3\t1\tf\tm\t5\tstack=a\\x3b2;b" },
		{ "sample\t6\t1\tf\tm\t5\tstack=a;longer\\x3b3;b" } } },
	{ .option = { [AGGREGATE_BY] = "cpu,region",
	      [AGGREGATE_STAT] = "sum,count",
	      [AGGREGATE_ZEROS] = "region" },
	    .line = { { "sample\t3\t1\tlonger\tm\t5\tcpu=1", "sample\t7\t1\tg\tm\t5\tcpu=2" },
		{ "sample\t6\t2\th\tm\t5\tcpu=33", "sample\t6\t1\tf\tm\t5\tcpu=33" } } },
	{ .option = { [AGGREGATE_BY] = "run",
	      [AGGREGATE_KIND] = "measure,sample",
	      [AGGREGATE_STAT] = "count" },
	    .line = { { M, "sample\t3\t1\tf\tm\t5\tevent=1", "sample\t3\t1\tf\tm\t5\tevent=2" },
		{ M, "measure\t.\t1\t.\tm\t.\tunit=bytes", "sample\t3\t1\tf\tm\t5\tevent=3" } } },
	/* events with one name: each side has one */
	{ .option = { [AGGREGATE_BY] = "region" },
	    .line = { { "sample\t3\t1\tf\tm\t5\tevent=1", "sample\t3\t1\tf\tk\t5\tevent=3" },
		{ "sample\t3\t1\tf\tm\t5\tevent=2" } } },
	/* squares of more than 127 bits, and a sum of 0 */
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "stddev" },
	    .rounds = 140,
	    .line = { { "sample\t3\t1\tf\tm\t999999999999999999",
			  "sample\t6\t1\tf\tm\t-999999999999999999" },
		{ "sample\t6\t1\tf\tm\t-999999999999999999" } } },
	/* many groups, and many runs; many values, and many bins */
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "rate" },
	    .rounds = 70,
	    .line = { { "sample\t3\t1\tf\tm\t1", "sample\t3\t1\tg\tm\t1" },
		{ "sample\t6\t@\tf@\tm\t1" } } },
	{ .option = { [AGGREGATE_BY] = "region",
	      [AGGREGATE_STAT] = "median,hist",
	      [AGGREGATE_BINS] = "10" },
	    .rounds = 70,
	    .line = { { "sample\t3\t1\tf\tm\t@" }, { "sample\t6\t1\tf\tm\t1@" } } },
	{ .option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "sum" },
	    .rounds = 70,
	    .line = { { "sample\t3\t1\tf\tm@\t1" }, { "sample\t6\t1\tg\tm\t1" } } },
};

enum how {
	ALONE, /* one aggregation takes all lines */
	JOINED, /* by join_all */
	APART, /* by join_apart */
	SPILLED, /* likewise, and the groups of the first side are moved to disk */
	READ, /* likewise, and the results are read from the file of aggregate_read */
	PARTIAL, /* partial results are written, of all lines */
	PARTS, /* partial results are read, of each side */
	INTERIM, /* an interim result is written after the first side */
	HOWS
};

static const char *const hows[HOWS] = { "alone", "joined", "apart", "spilled", "read", "partial",
	"parts", "interim" };

/* The partial results of the sides of the scene. */
static char part[SIDES][65536];

/* ---- running them */

static struct aggregate *
open_one(const struct scene *s, bool partial, struct err *e)
{
	struct aggregate *a = aggregate_new();
	int i, rc = 0;

	if (a == NULL) {
		(void)err_nomem(e);
		return NULL;
	}
	for (i = 0; rc == 0 && i < AGGREGATE_OPTIONS; i++)
		if (s->option[i] != NULL)
			rc = aggregate_set(a, (enum aggregate_option)i, s->option[i], e);
	if (partial)
		aggregate_set_partial(a);
	if (rc == 0 && aggregate_ready(a, e) == 0)
		return a;
	aggregate_free(a);
	return NULL;
}

/* Takes lines as a stream does.  Those that it has no use for are ignored. */
static int
take(struct aggregate *a, const struct ev *ev, size_t n, struct err *e)
{
	size_t i;
	int rc = 0;

	aggregate_expect(a, ev, n);
	for (i = 0; rc == 0 && i < n; i++) {
		i += aggregate_add_some(a, ev + i, n - i, &rc, e);
		if (rc != 0 || i == n)
			return rc;
		switch (aggregate_fate(a, &ev[i])) {
		case AGGREGATE_PART: rc = aggregate_part(a, &ev[i], e); break;
		case AGGREGATE_MEASURE: rc = aggregate_measure(a, &ev[i], e); break;
		case AGGREGATE_PASS: rc = aggregate_see_run(a, &ev[i], e); break;
		case AGGREGATE_TAKE:
		case AGGREGATE_DROP: break;
		}
	}
	return rc;
}

/* Copies a line with the number of the round for each @. */
static const char *
spell(const char *line, unsigned round, char *room, size_t size)
{
	size_t len = 0;

	if (strchr(line, '@') == NULL)
		return line;
	for (; *line != '\0' && len + 8 < size; line++)
		if (*line == '@')
			len += (size_t)snprintf(room + len, 8, "%06u", round);
		else
			room[len++] = *line;
	room[len] = '\0';
	return room;
}

static int
take_side(struct check *c, struct aggregate *a, const struct scene *s, int side, struct err *e)
{
	static uint32_t at[LINES][OFFSETS];
	static char room[LINES][ROOM];
	struct ev ev[LINES];
	unsigned round = 0;
	size_t n;
	int rc;

	do {
		for (n = 0; n < LINES && s->line[side][n] != NULL; n++) {
			const char *line = spell(s->line[side][n], round, room[n], ROOM);

			CHECK(c, ev_cut(slice_of(line), at[n], OFFSETS, &ev[n]), "%s", line);
		}
		rc = take(a, ev, n, e);
	} while (rc == 0 && ++round < s->rounds);
	return rc;
}

static int
take_text(struct check *c, struct aggregate *a, struct slice text, struct err *e)
{
	static uint32_t at[OFFSETS];
	struct ev ev;

	CHECK(c, ev_cut(text, at, OFFSETS, &ev), "%.*s", (int)text.len, text.p);
	return take(a, &ev, 1, e);
}

/* Takes the partial results of a side, after the lines that are copied with them. */
static int
take_part(struct check *c, struct aggregate *a, const struct scene *s, int side, struct err *e)
{
	const char *p = part[side], *lf;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && s->line[side][i] != NULL; i++)
		if (strncmp(s->line[side][i], "measure\t", 8) == 0)
			rc = take_text(c, a, slice_of(s->line[side][i]), e);
	for (; rc == 0 && (lf = strchr(p, '\n')) != NULL; p = lf + 1)
		rc = take_text(c, a, (struct slice){ p, (size_t)(lf - p) }, e);
	return rc;
}

/* Joins them with as much memory as they may take besides what they have. */
static int
join(struct aggregate *a, struct aggregate *b, struct err *e)
{
	int rc;

	if (allowed != UINT64_MAX) {
		mem_set_ceiling(mem_used() + allowed);
		a->spill_at = spill_threshold();
	}
	rc = join_all(a, b, e);
	moved = a->spill != NULL;
	return rc;
}

/* Lets the first aggregation have all lines. */
static int
gather(struct check *c, const struct scene *s, enum how how, struct aggregate *a, struct err *e)
{
	struct aggregate *b = NULL;
	int rc;

	if (how == PARTS)
		return take_part(c, a, s, 0, e) != 0 || take_part(c, a, s, 1, e) != 0 ? (int)e->code
										      : 0;
	rc = take_side(c, a, s, 0, e);
	if (rc == 0 && how == SPILLED)
		rc = spill_groups(a, e);
	if (how == INTERIM || rc != 0)
		return rc;
	if (how == ALONE || how == READ || how == PARTIAL)
		return take_side(c, a, s, 1, e);
	b = open_one(s, false, e);
	if (b == NULL)
		return (int)e->code;
	rc = take_side(c, b, s, 1, e);
	if (rc == 0 && how == APART) {
		a->share = mem_zero(1, sizeof *a->share);
		if (a->share != NULL)
			return join_apart(a, b, e); /* it owns b from now on */
		rc = err_nomem(e);
	}
	if (rc == 0)
		rc = join(a, b, e);
	aggregate_free(b);
	return rc;
}

/* Reads the results, and writes them. */
static int
copy(struct aggregate *a, struct evwrite *w, struct err *e)
{
	struct evread *r;
	struct ev ev;
	int rc = aggregate_read(a, &r, e);

	if (rc != 0)
		return rc;
	while ((rc = evread_next(r, &ev, e)) > 0)
		evw_line(w, ev.text);
	evread_close(r);
	return rc < 0 ? (int)e->code : 0;
}

/* Writes the results to the file.  Returns ERR_SYS if memory has run out. */
static int
put(struct aggregate *a, enum how how, int fd, struct err *e)
{
	unsigned long at = refused_at, before = asked;
	struct evwrite w;
	int rc;

	refused_at = 0;
	rc = evw_open(&w, fd, "joins") ? 0 : ERR_SYS;
	if (rc == 0 && how == INTERIM)
		evw_mark_open(&w, "lines");
	refused_at = at;
	asked = before;
	if (how != INTERIM)
		aggregate_finish(a);
	if (rc == 0)
		rc = how == READ     ? copy(a, &w, e)
		    : how == INTERIM ? aggregate_write_interim(a, &w, e)
				     : aggregate_write(a, &w, e);
	if (rc == 0 && (evw_failed(&w) || !evw_flush(&w)))
		rc = ERR_SYS;
	out_free(&w.out);
	return rc;
}

/* Stores what is written of the lines. */
static int
run(struct check *c, const struct scene *s, enum how how, char *text, size_t size, struct err *e)
{
	static FILE *file;
	struct aggregate *a = open_one(s, how == PARTIAL, e);
	int rc = a == NULL ? (int)e->code : gather(c, s, how, a, e);
	ssize_t n = -1;

	if (file == NULL)
		file = fopen("written", "w+");
	if (file != NULL && ftruncate(fileno(file), 0) == 0 &&
	    lseek(fileno(file), 0, SEEK_SET) == 0) {
		if (rc == 0)
			rc = put(a, how, fileno(file), e);
		n = pread(fileno(file), text, size - 1, 0);
	}
	aggregate_free(a);
	text[n < 0 ? 0 : n] = '\0';
	CHECK(c, n >= 0 && (size_t)n < size - 1, "the file");
	return rc;
}

/* ---- checks */

/* Compares texts, and reports the first line that differs. */
static void
same(struct check *c, const struct scene *s, enum how how, const char *got, const char *want)
{
	size_t i, line = 0;

	for (i = 0; got[i] != '\0' && got[i] == want[i]; i++)
		if (got[i] == '\n')
			line = i + 1;
	CHECK(c, got[i] == want[i], "%s, %s: %.*s, not %.*s", s->option[0], hows[how],
	    (int)strcspn(got + line, "\n"), got + line, (int)strcspn(want + line, "\n"),
	    want + line);
}

/* Refuses memory at each place in turn.  What succeeds nevertheless is the same. */
static void
starve(struct check *c, const struct scene *s, enum how how, const char *want)
{
	static char text[65536];
	uint64_t before = mem_used();
	unsigned long n;
	struct err e;
	int rc;

	for (n = 1;; n++) {
		asked = 0;
		refused_at = n;
		rc = run(c, s, how, text, sizeof text, &e);
		refused_at = 0;
		CHECK(c, rc == 0 || rc == ERR_SYS, "%s, %s, %lu: %s", s->option[0], hows[how], n,
		    e.msg);
		if (rc == 0)
			same(c, s, how, text, want);
		CHECK(c, mem_used() == before, "%s, %s, %lu: memory is kept", s->option[0],
		    hows[how], n);
		if (asked < n)
			break;
	}
	CHECK(c, n > 20, "%s: %lu", s->option[0], n);
}

/* Makes the partial results of each side. */
static void
make_parts(struct check *c, const struct scene *s)
{
	struct err e;
	int side;

	for (side = 0; side < SIDES; side++) {
		struct scene half = *s;

		memset(half.line[1 - side], 0, sizeof half.line[1 - side]);
		CHECK(c, run(c, &half, PARTIAL, part[side], sizeof part[side], &e) == 0, "%s",
		    e.msg);
	}
}

static void
check_scene(struct check *c, const struct scene *s)
{
	static char want[65536], got[65536];
	const char *kind = s->option[AGGREGATE_KIND];
	bool results = kind != NULL; /* or descriptions; neither can be partial */
	struct err e = { .msg = "" };
	int how;

	CHECK(c, run(c, s, ALONE, want, sizeof want, &e) == 0 && want[0] != '\0', "%s: %s",
	    s->option[0], e.msg);
	if (!results && !s->ordered)
		make_parts(c, s);
	for (how = ALONE; how < HOWS; how++) {
		if ((s->ordered && how != ALONE && how != INTERIM) ||
		    (results && (how == PARTIAL || how == PARTS)))
			continue;
		CHECK(c, run(c, s, (enum how)how, got, sizeof got, &e) == 0, "%s, %s: %s",
		    s->option[0], hows[how], e.msg);
		if (how != PARTIAL && how != INTERIM)
			same(c, s, (enum how)how, got, want);
		starve(c, s, (enum how)how, got);
	}
}

/*
 * With too little memory for all that is joined, groups are moved to disk if they are many.  With
 * less, they cannot be joined.  Counts what happened.
 */
static void
squeeze(struct check *c, const struct scene *s, unsigned *failed, unsigned *on_disk)
{
	static char want[1 << 20], got[1 << 20];
	uint64_t before = mem_used();
	struct err e = { .msg = "" };
	int rc;

	*failed = *on_disk = 0;
	CHECK(c, run(c, s, ALONE, want, sizeof want, &e) == 0, "%s", e.msg);
	for (allowed = 0; allowed < 16 << 20; allowed += 4096 + allowed / 4) {
		rc = run(c, s, JOINED, got, sizeof got, &e);
		mem_set_ceiling(UINT64_MAX);
		CHECK(c, rc == 0 || (rc == ERR_SYS && e.ceiling), "%s", e.msg);
		if (rc == 0)
			same(c, s, JOINED, got, want);
		*failed += rc != 0;
		*on_disk += rc == 0 && moved;
		CHECK(c, mem_used() == before, "memory is kept");
	}
	allowed = UINT64_MAX;
	CHECK(c, *failed != 0 && rc == 0 && !moved, "%u", *failed);
}

static void
squeeze_all(struct check *c)
{
	static const struct scene groups = {
		.option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "median" },
		.rounds = 4000,
		.line = { { "sample\t3\t2\tf@\tm\t1" }, { "sample\t6\t1\tg@\tm\t1" } },
	};
	static const struct scene values = {
		.option = { [AGGREGATE_BY] = "region", [AGGREGATE_STAT] = "median" },
		.rounds = 4000,
		.line = { { "sample\t3\t1\tf\tm\t@" }, { "sample\t6\t1\tf\tm\t1@" } },
	};
	unsigned failed, on_disk;

	squeeze(c, &groups, &failed, &on_disk);
	CHECK(c, on_disk != 0, "%u", failed);
	squeeze(c, &values, &failed, &on_disk);
}

int
main(void)
{
	struct check c = { 0 };
	size_t i;

	for (i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
		check_scene(&c, &scenes[i]);
	squeeze_all(&c);
	return check_end(&c);
}
