/* SPDX-License-Identifier: ISC */
/* flameenc.c - writes a stream as a flame graph: an HTML page, or SVG. */
#include <getopt.h>

#include "lib/cli.h"
#include "src/aggregate/fold.h"
#include "src/flame/flame.h"

#define SLICES 20000 /* more boxes than a screen shows, and drawn fast enough */

enum { OPT_BEFORE = FOLD_SETTINGS, OPT_TITLE, OPT_FLAME, OPT_BY_TIME, OPT_SLICES, OPT_SVG };

static const struct cli_option options[] = {
	{ "measure", "NAME", "use only this measure (default: a graph for each measure)",
	    FOLD_MEASURE, CLI_ONE_OF(1) },
	{ "add-measures", NULL, "add up all measures that have the same unit", FOLD_ADD_ALL,
	    CLI_ONE_OF(1) },
	FOLD_OPTIONS,
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
	struct evread *before; /* the reader of --before, or NULL */
	struct out out;
	bool svg, by_time;
	size_t slices;
};

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_TITLE: rc = flame_set_title(j->flame, optarg, &e); break;
	case OPT_FLAME: flame_upwards(j->flame); break;
	case OPT_SVG: j->svg = true; break;
	case OPT_BY_TIME: j->by_time = true; break;
	case OPT_SLICES: j->slices = (size_t)cli_number(c, "slices", 2, 10000000); break;
	default: rc = flame_set(j->flame, (enum fold_setting)opt, optarg, &e);
	}
	cli_check_setting(c, c->option->name, rc, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	if (j->by_time && (j->svg || c->files != 0))
		cli_usage(c, "--by-time cannot be used with %s", j->svg ? "--svg" : "--before");
	cli_needs(c, OPT_SLICES, OPT_BY_TIME);
	if (j->by_time)
		flame_by_time(j->flame, j->slices);
	if (c->files != 0)
		flame_compare(j->flame);
}

/* Reads the streams of --before.  Returns false if the system failed. */
static bool
read_before(struct cli *c, struct job *j)
{
	struct evread *r = j->before = cli_read_other(c, c->file, c->files);
	struct ev ev;
	struct err e;
	char text[512];
	size_t at = 0;
	int rc = 0;

	while (rc != ERR_SYS && cli_next(c, r, NULL, &ev)) {
		rc = cli_is_part(c, r, &ev) ? 0 : flame_line(j->flame, FLAME_BEFORE, &ev, &e);
		if (rc != 0)
			cli_error(c, evread_name(r), &e);
	}
	if (evread_count(r, MARK_INCOMPLETE) != 0)
		flame_told(j->flame, FLAME_BEFORE);
	while (flame_left_out(j->flame, FLAME_BEFORE, &at, text, sizeof text))
		cli_note(c, "before: %s", text);
	cli_report_counts(c, r, "before: ");
	return rc != ERR_SYS;
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return flame_line(j->flame, FLAME_AFTER, ev, e);
}

static int
note_side(struct flame *f, enum flame_side side, const struct evread *r, struct err *e)
{
	int rc = flame_note_side(f, side, e);
	char text[512];
	size_t at = 0;

	while (rc == 0 && cli_next_count(r, &at, text, sizeof text))
		rc = flame_note_of(f, side, text, e);
	return rc;
}

/* The picture itself says what is missing from it. */
static int
note_all(struct job *j, struct err *e)
{
	struct flame *f = j->flame;
	char text[CLI_DAMAGE_MAX];
	int rc = 0;

	if (flame_is_apart(f, text, sizeof text)) {
		cli_note(j->cli, "%s", text);
		rc = flame_note(f, text, e);
	}
	if (rc == 0 && cli_is_damaged(j->cli, text, sizeof text))
		rc = flame_note(f, text, e);
	if (rc == 0 && j->before != NULL)
		rc = note_side(f, FLAME_BEFORE, j->before, e);
	return rc != 0 ? rc : note_side(f, FLAME_AFTER, j->cli->reader, e);
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc = flame_end(j->flame, e);

	(void)more;
	if (j->before != NULL)
		cli_report_shared(j->cli);
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
	const struct job *j = ctx;

	return flame_left_out(j->flame, FLAME_AFTER, at, text, size);
}

static void
told(void *ctx)
{
	struct job *j = ctx;

	flame_told(j->flame, FLAME_AFTER);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .cli = &c, .flame = flame_new(), .slices = SLICES };

	cli_open(&c, argv[0], &program);
	if (j.flame == NULL)
		cli_die_of_memory(&c);
	parse(&c, argc, argv, &j);
	flame_reads(j.flame, cli_require, &c);
	cli_write(&c, &j.out);
	if (c.files == 0 || read_before(&c, &j))
		cli_encode(&c, &j.out,
		    &(struct cli_encoder){ .ctx = &j,
			.line = take_line,
			.end = end,
			.note = note,
			.told = told });
	flame_free(j.flame);
	if (j.before != NULL)
		evread_close(j.before);
	return cli_finish(&c, &j.out);
}
