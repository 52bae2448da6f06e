/* SPDX-License-Identifier: ISC */
/*
 * folds.c - checks folded stacks while memory is refused at any one place, which is an error that
 * loses and keeps nothing; and parts with each choice of measures.
 */
#include <string.h>
#include <unistd.h>

#include "lib/out.h"
#include "src/aggregate/fold.h"
#include "t/unit/check.h"
#include "t/unit/refuse.h"

#define OFFSETS 64
#define LINES 12
#define SETTINGS 3

struct scene {
	const char *want; /* the weights after each stack that is written */
	enum fold_measures measures;
	bool frames; /* fold_for_frames, and read by fold_next */
	bool chooses; /* fold_choose, and the number of each line's part is written */
	struct {
		enum fold_setting which;
		const char *argument;
	} set[SETTINGS];
	const char *line[LINES];
};

#define SAMPLE(measure, value, tags) "sample\t1\t1\tf\t" measure "\t" value "\t" tags

static const struct scene scenes[] = {
	{ .want = "job;main;g 3\njob;x\\x20;y\\x2012 4\nother;[unknown];longer_than_others 5\n",
	    .line = { "measure\t.\t1\t.\tm\t.\tunit=ns",
		SAMPLE("m", "1", "comm=job\tstack=main;g\tevent=1"),
		SAMPLE("m", "2", "comm=job\tstack=main;g\tevent=2"),
		SAMPLE("m", "4", "comm=job\tstack=x\\x20;y 12"),
		SAMPLE("k", "8", "comm=job\tstack=main;g"),
		SAMPLE("m", "5", "comm=other\tstack=.;longer_than_others") } },
	{ .want = "1;f\\x2012 1\n1;f\\x2034 2\n",
	    .set = { { FOLD_ROOT, "tid" } },
	    .line = { "sample\t1\t1\tf 12\tm\t1\ttid=1", "sample\t1\t1\tf 34\tm\t2\ttid=1" } },
	/* all measures, of different units */
	{ .want = "a;f 3\n",
	    .measures = FOLD_ALL,
	    .line = { "measure\t.\t1\t.\tm\t.\tunit=ns", SAMPLE("m", "1", "stack=a;f"),
		SAMPLE("k", "2", "stack=a;f") } },
	/* results, of what is in the name of the measure; one comes twice */
	{ .want = "f 7\ng 5\n",
	    .line = { "agg\t1\t1\tf\tm\t3.5\tstat=sum\tof=max\tn=1",
		"agg\t1\t1\tg\tm\t5\tstat=sum\tof=max\tn=1",
		"agg\t1\t1\tf\tm\t3.5\tstat=sum\tof=max\tn=1" } },
	{ .want = "m of max . f 3.5 dso=.\nm of max . g 5 dso=lib\nk s h 1 dso=.\n",
	    .measures = FOLD_EACH,
	    .frames = true,
	    .line = { "agg\t1\t1\tf\tm\t3.5\tstat=sum\tof=max\tn=1",
		"agg\t1\t1\tg\tm\t5\tstat=sum\tof=max\tn=1\tdso=lib",
		"agg\t1\t1\th\tk\t1\tstat=sum\tunit=s\tn=1" } },
	{ .want = ". ns f 3 dso=.\n. s f 5 dso=.\n",
	    .measures = FOLD_EACH,
	    .frames = true,
	    .set = { { FOLD_ADD_ALL, NULL } },
	    .line = { SAMPLE("m", "1", "unit=ns"), SAMPLE("k", "2", "unit=ns"),
		SAMPLE("l", "5", "unit=s") } },
	{ .want = ". . f 8 dso=.\n",
	    .measures = FOLD_ALL,
	    .frames = true,
	    .line = { SAMPLE("m", "1", "unit=ns"), SAMPLE("k", "2", "unit=ns"),
		SAMPLE("l", "5", "unit=s") } },
	{ .want = "m ns f 1 dso=.\n",
	    .frames = true,
	    .line = { SAMPLE("m", "1", "unit=ns"), SAMPLE("k", "2", "unit=ns") } },
	{ .want = "0\n1\n64\n0\n",
	    .measures = FOLD_EACH,
	    .chooses = true,
	    .line = { "agg\t1\t1\tf\tm\t3.5\tstat=sum\tof=max\tn=1",
		"agg\t1\t1\tf\tk\t3.5\tstat=sum\tn=1", "agg\t1\t1\tf\tk\t3.5\tstat=max\tn=1",
		"agg\t1\t1\tg\tm\t3.5\tstat=sum\tof=max\tn=1" } },
	/* sums that need more than 64 bits, before and after a change */
	{ .want = "m . f 1267650600228229401496703205377>2535301200456458802993406410757 dso=.\n",
	    .measures = FOLD_EACH,
	    .frames = true,
	    .line = { "diff\t.\t.\tf\tm\t1267650600228229401496703205376\tcpu=1\t"
		      "before=1267650600228229401496703205376\t"
		      "after=2535301200456458802993406410752\tstat=sum\tn=1",
		"diff\t.\t.\tf\tm\t4\tcpu=2\tbefore=1\tafter=5\tstat=sum\tn=1" } },
};

static struct fold *
open_one(const struct scene *s, struct err *e)
{
	struct fold *f = fold_new();
	int i;

	if (f == NULL) {
		(void)err_nomem(e);
		return NULL;
	}
	fold_set_measures(f, s->measures);
	if (s->frames)
		fold_for_frames(f);
	for (i = 0; i < SETTINGS && s->set[i].which != 0; i++)
		if (fold_set(f, s->set[i].which, s->set[i].argument, e) != 0) {
			fold_free(f);
			return NULL;
		}
	return f;
}

static void
put(struct out *o, struct slice s, char end)
{
	out_put(o, s.p, s.len);
	out_put(o, &end, 1);
}

/* Writes each stack of each part, after the measure and the unit. */
static int
put_parts(struct fold *f, struct out *o, struct err *e)
{
	struct slice measure, unit;
	struct folded s;
	size_t i, at;

	if (fold_sort(f, e) != 0)
		return (int)e->code;
	for (i = 0; fold_part(f, i, &measure, &unit); i++)
		for (at = 0; fold_next(f, i, &at, &s);) {
			put(o, measure, ' ');
			put(o, unit, ' ');
			put(o, s.stack, ' ');
			put(o, s.weight, s.after.p == NULL ? ' ' : '>');
			if (s.after.p != NULL)
				put(o, s.after, ' ');
			put(o, SLICE("dso="), s.object.p == NULL ? '?' : *s.object.p);
			if (s.object.len > 1)
				put(o, (struct slice){ s.object.p + 1, s.object.len - 1 }, '\n');
			else
				out_put(o, "\n", 1);
		}
	return 0;
}

/* Reads a line. */
static int
take(const struct scene *s, struct fold *f, const struct ev *ev, struct out *o, struct err *e)
{
	char number[8];
	size_t part;
	int rc;

	if (!s->chooses)
		return fold_line(f, ev, e);
	rc = fold_choose(f, ev, &part, e);
	if (rc == 0)
		out_put(o, number, (size_t)snprintf(number, sizeof number, "%zu\n", part));
	return rc;
}

/* Reads the lines and writes the stacks.  Returns ERR_SYS if memory has run out. */
static int
fold(struct check *c, const struct scene *s, struct out *o, struct err *e)
{
	struct fold *f = open_one(s, e);
	uint32_t at[OFFSETS];
	char note[400];
	struct ev ev;
	size_t i;
	int rc = 0;

	if (f == NULL)
		return (int)e->code;
	for (i = 0; rc == 0 && i < LINES && s->line[i] != NULL; i++) {
		CHECK(c, ev_cut(slice_of(s->line[i]), at, OFFSETS, &ev), "%s", s->line[i]);
		rc = take(s, f, &ev, o, e);
	}
	if (rc == 0 && !s->chooses)
		rc = s->frames ? put_parts(f, o, e) : fold_write(f, o, e);
	for (i = 0; fold_note(f, &i, note, sizeof note);)
		CHECK(c, note[0] != '\0', "%s", s->want);
	fold_free(f);
	return rc != 0 ? rc : o->error != 0 || !out_flush(o) ? (int)ERR_SYS : 0;
}

/* The same, with the text that it has written. */
static int
run(struct check *c, const struct scene *s, char *text, size_t size, struct err *e)
{
	unsigned long at = refused_at;
	static FILE *file;
	struct out o;
	ssize_t n = -1;
	int rc = ERR_SYS;

	if (file == NULL)
		file = fopen("written", "w+");
	refused_at = 0;
	if (file != NULL && ftruncate(fileno(file), 0) == 0 &&
	    lseek(fileno(file), 0, SEEK_SET) == 0 && out_open(&o, fileno(file))) {
		refused_at = at;
		asked = 0;
		rc = fold(c, s, &o, e);
		out_free(&o);
		n = pread(fileno(file), text, size - 1, 0);
	}
	refused_at = 0;
	text[n < 0 ? 0 : n] = '\0';
	CHECK(c, n >= 0, "the file");
	return rc;
}

static void
check_scene(struct check *c, const struct scene *s)
{
	static char text[4096];
	uint64_t before = mem_used();
	struct err e = { .msg = "" };
	unsigned long n = 0;
	int rc;

	do {
		refused_at = n;
		rc = run(c, s, text, sizeof text, &e);
		CHECK(c, rc == 0 || (n != 0 && rc == ERR_SYS), "%lu: %s", n, e.msg);
		CHECK(c, rc != 0 || strcmp(text, s->want) == 0, "%lu: %s, not %s", n, text,
		    s->want);
		CHECK(c, mem_used() == before, "%lu: memory is kept: %s", n, s->want);
	} while (n++ <= asked);
	CHECK(c, n > 10, "%lu: %s", n, s->want);
}

int
main(void)
{
	struct check c = { 0 };
	size_t i;

	for (i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
		check_scene(&c, &scenes[i]);
	return check_end(&c);
}
