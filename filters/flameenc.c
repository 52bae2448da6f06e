/* SPDX-License-Identifier: ISC */
/* flameenc.c - writes a stream as a flame graph: an HTML page, or SVG. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/aggregate/fold.h"
#include "src/flame/flame.h"

#define SHOWN_MAX 100 /* bytes of a name in a message */

#define SLICES 20000 /* more boxes than a screen shows, and drawn fast enough */

enum { OPT_BEFORE = FOLD_SETTINGS, OPT_TITLE, OPT_FLAME, OPT_BY_TIME, OPT_SLICES, OPT_SVG };

static const struct cli_option options[] = {
	{ "measure", "NAME", "use only this measure (default: a graph for each measure)",
	    FOLD_MEASURE, CLI_ONE_OF(1) },
	{ "add-measures", NULL, "add up all measures that have the same unit", FOLD_ADD_ALL,
	    CLI_ONE_OF(1) },
	{ "kind", "KIND", "use lines of this kind (default: sample and span, or agg, or diff)",
	    FOLD_KIND, CLI_ONCE },
	{ "count", NULL, "weigh by the number of events", FOLD_COUNT, CLI_ONCE },
	{ "root", "KEY,...", "begin stacks with these keys (default: comm; . for none)", FOLD_ROOT,
	    CLI_ONCE },
	{ "before", "FILE", "compare with this earlier stream; several: OLD... -- NEW...",
	    OPT_BEFORE, CLI_FILES },
	{ "title", "TEXT", "the title (default: Flame graph)", OPT_TITLE, CLI_ONCE },
	{ "flame", NULL, "show the root at the bottom at first", OPT_FLAME, CLI_ONCE },
	{ "by-time", NULL, "also show the samples and spans of each thread over time", OPT_BY_TIME,
	    CLI_ONCE },
	{ "slices", "N", "with --by-time: at most N parts of each thread (default: 20000)",
	    OPT_SLICES, CLI_ONCE },
	{ "svg", NULL, "write a static SVG picture, for documents", OPT_SVG, CLI_ONCE },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about =
	    "Writes the stacks of a stream as a flame graph: one HTML page to zoom and search\n"
	    "in, which needs no other file and no network.\n",
	.example = "perfdec perf.data | flameenc >perf.html",
	.options = options,
	.kind = CLI_READER,
};

struct job {
	struct cli *cli;
	struct flame *flame;
	struct fold *fold[FLAME_SIDES];
	struct evread *reader[FLAME_SIDES]; /* that of BEFORE, or NULL; AFTER is in cli */
	char **before; /* files */
	size_t nbefore, before_cap;
	struct out out;
	bool svg, by_time;
	bool rootless; /* stacks begin with functions */
	size_t slices;
	uint64_t large[FLAME_SIDES]; /* numbers of resources left out */
};

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int side;

	switch (opt) {
	case OPT_BEFORE:
		if (!vec_room(j->before, j->nbefore, j->before_cap))
			cli_die_of_memory(c);
		j->before[j->nbefore++] = optarg;
		return;
	case OPT_TITLE:
		cli_check_setting(c, "title", flame_set_title(j->flame, optarg, &e), &e);
		return;
	case OPT_FLAME: flame_upwards(j->flame); return;
	case OPT_SVG: j->svg = true; return;
	case OPT_BY_TIME: j->by_time = true; return;
	case OPT_SLICES: j->slices = (size_t)cli_number(c, "slices", 2, 10000000); return;
	}
	j->rootless |= opt == FOLD_ROOT && strcmp(optarg, ".") == 0;
	for (side = 0; side < FLAME_SIDES; side++)
		cli_check_setting(c, opt == FOLD_KIND ? "kind" : "root",
		    fold_set(j->fold[side], (enum fold_setting)opt, optarg, &e), &e);
}

static int
take(struct job *j, enum flame_side side, const struct ev *ev, struct err *e)
{
	if (ev_is_large_resource(ev)) {
		j->large[side]++;
		return 0;
	}
	return fold_line(j->fold[side], ev, e);
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	size_t part, number;
	struct slice stack;
	int rc = take(j, FLAME_AFTER, ev, e);

	if (rc != 0 || !j->by_time)
		return rc;
	if (slice_eq(ev->col[EV_KIND], SLICE("span")))
		return flame_span(j->flame, ev, e);
	if (fold_used(j->fold[FLAME_AFTER], &part, &number, &stack))
		return flame_moment(j->flame, part, number, stack, ev, e);
	return 0;
}

/* Reads the streams of --before.  Returns false if the system failed. */
static bool
take_before(struct cli *c, struct job *j)
{
	struct evread *r = j->reader[FLAME_BEFORE];
	struct ev ev;
	struct err e;
	int rc;

	while (cli_next(c, r, NULL, &ev)) {
		rc = cli_is_part(c, r, &ev) ? 0 : take(j, FLAME_BEFORE, &ev, &e);
		if (rc != 0)
			cli_error(c, evread_name(r), &e);
		if (rc == ERR_SYS)
			return false;
	}
	return true;
}

/* Adds a stack.  Lines of kind diff give the weights of both sides. */
static int
add_stack(struct job *j, size_t panel, enum flame_side side, const struct folded *s, struct err *e)
{
	int rc;

	if (s->after.p == NULL)
		return flame_add(j->flame, panel, side, s->stack, s->weight, s->object, e);
	if (j->nbefore != 0)
		return err_data(e,
		    "lines of kind diff already have two sides: --before cannot be used");
	flame_compare(j->flame);
	rc = flame_add(j->flame, panel, FLAME_BEFORE, s->stack, s->weight, s->object, e);
	return rc != 0 ? rc
		       : flame_add(j->flame, panel, FLAME_AFTER, s->stack, s->after, s->object, e);
}

static int
add_side(struct job *j, enum flame_side side, struct err *e)
{
	struct slice measure, unit;
	struct folded s;
	size_t i, at, panel;
	int rc = fold_sort(j->fold[side], e);

	for (i = 0; rc == 0 && fold_part(j->fold[side], i, &measure, &unit); i++) {
		rc = flame_panel(j->flame, measure, unit, &panel, e);
		for (at = 0; rc == 0 && fold_next(j->fold[side], i, &at, &s);) {
			rc = add_stack(j, panel, side, &s, e);
			if (rc == 0 && j->by_time)
				rc = flame_number(j->flame, panel, s.number, e);
		}
	}
	return rc;
}

/* Shows first what foldenc would use. */
static int
put_in_order(struct job *j, struct err *e)
{
	const struct fold *f = j->fold[FLAME_AFTER];
	struct slice measure, unit;
	size_t panel;

	if (!fold_part(f, fold_foremost(f), &measure, &unit))
		return 0;
	if (flame_panel(j->flame, measure, unit, &panel, e) != 0)
		return e->code;
	flame_show_first(j->flame, panel);
	return 0;
}

/* Stores the next note about a side that standard error shows, too. */
static bool
next_note(const struct job *j, enum flame_side side, size_t *at, char *text, size_t size)
{
	if (fold_note(j->fold[side], at, text, size))
		return true;
	if (*at == SIZE_MAX || j->large[side] == 0)
		return false;
	*at = SIZE_MAX;
	snprintf(text, size, EV_LARGE_LEFT_OUT, j->large[side]);
	return true;
}

static int
put_note(struct job *j, enum flame_side side, const char *text, struct err *e)
{
	char line[640];

	snprintf(line, sizeof line, "%s%s",
	    j->nbefore == 0           ? ""
		: side == FLAME_AFTER ? "after: "
				      : "before: ",
	    text);
	return flame_note(j->flame, line, e);
}

static int
note_side(struct job *j, enum flame_side side, struct err *e)
{
	const struct evread *r = side == FLAME_AFTER ? j->cli->reader : j->reader[side];
	uint64_t stackless = fold_stackless(j->fold[side]);
	char text[512];
	size_t at = 0, count = 0;
	int rc = 0;

	while (rc == 0 && next_note(j, side, &at, text, sizeof text))
		rc = put_note(j, side, text, e);
	if (rc == 0 && stackless != 0) {
		snprintf(text, sizeof text,
		    "lines without a stack, whose region is their only frame: %" PRIu64, stackless);
		rc = put_note(j, side, text, e);
	}
	while (rc == 0 && cli_next_count(r, &count, text, sizeof text))
		rc = put_note(j, side, text, e);
	return rc;
}

/* Says, here and in the picture, if the units or the roots alone make all functions differ. */
static int
note_apart(struct job *j, struct err *e)
{
	struct slice measure;
	char text[512];

	if (j->nbefore == 0)
		return 0;
	if (flame_units_differ(j->flame, &measure))
		snprintf(text, sizeof text,
		    "before and after give %.*s in different units, so it is not compared",
		    slice_shown(measure, SHOWN_MAX), measure.p);
	else if (!j->rootless && flame_is_apart(j->flame))
		snprintf(text, sizeof text,
		    "before and after share no root, so all functions differ; --root . leaves "
		    "roots out");
	else
		return 0;
	cli_note(j->cli, "%s", text);
	return flame_note(j->flame, text, e);
}

/* The picture itself says what is missing from it. */
static int
note_all(struct job *j, struct err *e)
{
	char text[512];
	int side, rc = 0;

	if (cli_is_damaged(j->cli, text, sizeof text))
		rc = flame_note(j->flame, text, e);
	for (side = FLAME_SIDES - 1; rc == 0 && side >= 0; side--)
		if (side == FLAME_AFTER || j->nbefore != 0)
			rc = note_side(j, (enum flame_side)side, e);
	return rc;
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc = add_side(j, FLAME_AFTER, e);

	(void)more;
	if (rc == 0 && j->nbefore != 0)
		rc = add_side(j, FLAME_BEFORE, e);
	if (rc == 0)
		rc = put_in_order(j, e);
	if (rc == 0 && fold_missing(j->fold[FLAME_AFTER], e) != 0 &&
	    (j->nbefore == 0 || fold_missing(j->fold[FLAME_BEFORE], e) != 0))
		return e->code;
	if (rc == 0)
		rc = note_apart(j, e);
	if (rc == 0)
		rc = note_all(j, e);
	if (rc != 0)
		return rc;
	return j->svg ? flame_write_svg(j->flame, &j->out, e)
		      : flame_write_page(j->flame, &j->out, e);
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	return next_note(ctx, FLAME_AFTER, at, text, size);
}

static void
open_sides(struct cli *c, struct job *j)
{
	int side;

	j->cli = c;
	j->flame = flame_new();
	if (j->flame == NULL)
		cli_die_of_memory(c);
	for (side = 0; side < FLAME_SIDES; side++) {
		j->fold[side] = fold_new();
		if (j->fold[side] == NULL)
			cli_die_of_memory(c);
		fold_set_measures(j->fold[side], FOLD_EACH);
		fold_for_frames(j->fold[side]);
	}
}

static bool
read_before(struct cli *c, struct job *j)
{
	size_t at = 0;
	char text[512];
	bool ok;

	j->reader[FLAME_BEFORE] = evread_open(j->before, j->nbefore, c->read);
	if (j->reader[FLAME_BEFORE] == NULL)
		cli_die_of_memory(c);
	evread_set_required(j->reader[FLAME_BEFORE], &c->required);
	flame_compare(j->flame);
	ok = take_before(c, j);
	if (evread_count(j->reader[FLAME_BEFORE], MARK_INCOMPLETE) != 0)
		fold_told(j->fold[FLAME_BEFORE]);
	while (next_note(j, FLAME_BEFORE, &at, text, sizeof text))
		cli_note(c, "before: %s", text);
	cli_report_counts(c, j->reader[FLAME_BEFORE]);
	return ok;
}

static void
check(const struct cli *c, struct job *j)
{
	if (j->by_time && (j->svg || j->nbefore != 0))
		cli_usage(c, "--by-time cannot be used with %s", j->svg ? "--svg" : "--before");
	if (j->slices != 0 && !j->by_time)
		cli_usage(c, "--slices needs --by-time");
	if (j->by_time)
		flame_by_time(j->flame, j->slices == 0 ? SLICES : j->slices);
}

static void
told(void *ctx)
{
	struct job *j = ctx;

	fold_told(j->fold[FLAME_AFTER]);
}

int
main(int argc, char **argv)
{
	struct job j = { .nbefore = 0 };
	struct cli c;
	int opt;

	cli_open(&c, argv[0], &program);
	open_sides(&c, &j);
	while ((opt = cli_next_option(&c, argc, argv)) != -1)
		set(&c, &j, opt);
	check(&c, &j);
	fold_reads(j.fold[FLAME_AFTER], cli_require, &c);
	if (j.by_time) {
		cli_require(&c, SLICE("pid"));
		cli_require(&c, SLICE("tid"));
	}
	cli_write(&c, &j.out);
	if (j.nbefore == 0 || read_before(&c, &j))
		cli_encode(&c, &j.out,
		    &(struct cli_encoder){ .ctx = &j,
			.line = take_line,
			.end = end,
			.note = note,
			.told = told });
	flame_free(j.flame);
	fold_free(j.fold[FLAME_AFTER]);
	fold_free(j.fold[FLAME_BEFORE]);
	if (j.reader[FLAME_BEFORE] != NULL)
		evread_close(j.reader[FLAME_BEFORE]);
	mem_free(j.before);
	return cli_finish(&c, &j.out);
}
