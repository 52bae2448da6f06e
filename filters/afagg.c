/* SPDX-License-Identifier: ISC */
/* afagg.c - aggregates a stream: one line for each group, measure and statistic. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/cli.h"
#include "lib/kinds.h"
#include "lib/tab.h"
#include "src/aggregate/aggregate.h"

#define KINDS_MAX 128 /* more kinds than there can be */

enum { OPT_BY = 1, OPT_STAT, OPT_PERCENTILE, OPT_SKETCH, OPT_BINS, OPT_WEIGHT, OPT_KIND };

static const struct cli_option options[] = {
	{ "by", "KEY[,KEY...]",
	    "group by these columns (kind time run region measure value) and tags (cpu, comm, "
	    "tag.x ...) (default: by measure alone)",
	    OPT_BY, CLI_ONCE },
	{ "stat", "STAT[,STAT...]",
	    "any of count sum mean min max stddev pstddev var median iqr mad first last distinct "
	    "mode rate share hist and p0 to p100, such as p99.9 (default: count,sum)",
	    OPT_STAT, CLI_ONCE },
	{ "percentile", "nearest|interpolate",
	    "whether percentiles, median and iqr are values of the group, or lie between them "
	    "(default: interpolate)",
	    OPT_PERCENTILE, CLI_ONCE },
	{ "sketch", "E%",
	    "compute percentiles, median and iqr from a sketch, with this relative error "
	    "(0.01% to 50%), not from all values",
	    OPT_SKETCH, CLI_ONCE },
	{ "bins", "EDGE,EDGE,...|WIDTH", "the bins of hist (default: powers of 2)", OPT_BINS,
	    CLI_ONCE },
	{ "weight", "TAG", "each line counts as often as this tag says", OPT_WEIGHT, CLI_ONCE },
	{ "kind", "KIND[,KIND...]", "add up lines of these kinds (default: sample,span)", OPT_KIND,
	    CLI_ONCE },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Adds up the events of a stream, group by group.\n",
	.options = options,
	.kind = CLI_READER,
};

/* Applies a setting.  A rejected setting ends the program. */
static void
set(struct cli *c, struct aggregate *a, int opt)
{
	static int (*const setter[])(struct aggregate *, const char *, struct err *) = {
		[OPT_BY] = aggregate_set_keys,
		[OPT_STAT] = aggregate_set_stats,
		[OPT_PERCENTILE] = aggregate_set_percentile,
		[OPT_SKETCH] = aggregate_set_sketch,
		[OPT_BINS] = aggregate_set_bins,
		[OPT_WEIGHT] = aggregate_set_weight,
		[OPT_KIND] = aggregate_set_kinds,
	};
	struct err e;
	int rc = setter[opt](a, optarg, &e);

	if (rc == ERR_DATA)
		cli_usage(c, "--%s: %s", options[opt - 1].name, e.msg);
	if (rc != 0)
		cli_die(c, &e);
}

static void
read_options(struct cli *c, struct aggregate *a, int argc, char **argv)
{
	struct err e;
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, a, opt);
	if (aggregate_ready(a, &e) == 0)
		return;
	if (e.code == ERR_DATA)
		cli_usage(c, "%s", e.msg);
	cli_die(c, &e);
}

/* Counts of lines that are neither aggregated nor passed on, by kind. */
struct dropped {
	struct tab kinds;
	uint64_t n[KINDS_MAX];
};

static void
count_dropped(struct dropped *d, struct slice kind)
{
	size_t i;

	if (kind_is_silent(kind))
		return;
	i = tab_add(&d->kinds, kind, NULL);
	if (i < KINDS_MAX)
		d->n[i]++;
}

static void
say_dropped(struct cli *c, struct dropped *d)
{
	char text[4096];
	size_t len = 0, i;

	for (i = 0; i < d->kinds.count && i < KINDS_MAX && len < sizeof text - 64; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%" PRIu64 " %.*s",
		    i > 0 ? ", " : "", d->n[i], (int)d->kinds.item[i].len, d->kinds.item[i].p);
	if (len != 0)
		cli_note(c, "left out lines of other kinds (see --kind): %s", text);
	tab_free(&d->kinds);
}

/* Processes all lines.  Returns false if memory runs out, since the counts would be wrong. */
static bool
take_all(struct cli *c, struct aggregate *a, struct evread *r, struct evwrite *w,
    struct dropped *left)
{
	struct ev ev;
	struct err e;

	while (cli_next(c, r, w, &ev)) {
		switch (aggregate_fate(a, &ev)) {
		case AGGREGATE_TAKE:
			if (aggregate_add(a, &ev, &e) == 0)
				break;
			cli_error(c, evread_name(r), &e);
			if (e.code == ERR_SYS)
				return false;
			break;
		case AGGREGATE_MEASURE:
			if (aggregate_measure(a, &ev, &e) != 0) {
				cli_error(c, evread_name(r), &e);
				return false;
			}
			evw_line(w, ev.text);
			break;
		case AGGREGATE_PASS: evw_line(w, ev.text); break;
		case AGGREGATE_DROP: count_dropped(left, ev.col[EV_KIND]); break;
		}
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct aggregate *a;
	struct dropped left = { { 0 }, { 0 } };
	struct evread *r;
	struct evwrite w;
	struct cli c;
	struct err e;

	cli_open(&c, argv[0], &program);
	a = aggregate_new();
	if (a == NULL)
		cli_die_of_memory(&c);
	read_options(&c, a, argc, argv);
	r = cli_read(&c);
	cli_stream_open(&c, &w, r);
	if (take_all(&c, a, r, &w, &left) && aggregate_write(a, &w, &e) != 0)
		cli_error(&c, NULL, &e);
	say_dropped(&c, &left);
	cli_stream_end(&c, &w, r);
	evread_close(r);
	aggregate_free(a);
	return cli_finish(&c, &w.out);
}
