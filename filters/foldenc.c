/* SPDX-License-Identifier: ISC */
/* foldenc.c - a stream to folded stacks, which flamegraph.pl reads. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/aggregate/fold.h"
#include "src/perun/part.h"
#include "src/perun/query.h"
#include "src/perun/trace.h"

static const char usage[] =
    "usage: foldenc [--measure NAME | --all] [--kind KIND] [--count] [--root KEY[,KEY...]]\n"
    "               [FILE...]\n"
    "       foldenc --perun [--compat] [FILE...]\n"
    "Writes the stacks of a stream as flamegraph.pl reads them: frames separated by ;, root\n"
    "first, a blank and the weight, which is the sum of the values.\n"
    "\n"
    "  --measure NAME       take this measure (default: the first)\n"
    "  --all                add up all measures\n"
    "  --kind KIND          take this kind of lines (default: sample and span, or agg)\n"
    "  --count              weigh by the number of events\n"
    "  --root KEY[,KEY...]  begin with these columns and tags (default: comm; . for none)\n"
    "  --perun              a line for each resource, as Perun's to_flame_graph_format\n"
    "  --compat             with --perun: fail where Perun does\n" CLI_READER_HELP;

enum { OPT_MEASURE = 1, OPT_ALL, OPT_KIND, OPT_COUNT, OPT_ROOT, OPT_PERUN, OPT_COMPAT };

static const struct option options[] = {
	{ "measure", required_argument, NULL, OPT_MEASURE },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "kind", required_argument, NULL, OPT_KIND },
	{ "count", no_argument, NULL, OPT_COUNT },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "perun", no_argument, NULL, OPT_PERUN },
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
};

struct asked {
	bool seen[OPT_COMPAT + 1];
};

static void
set(struct cli *c, struct fold *f, int opt)
{
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_MEASURE: rc = fold_set_measure(f, optarg, &e); break;
	case OPT_ALL: fold_all_measures(f); break;
	case OPT_KIND: fold_set_kind(f, optarg); break;
	case OPT_COUNT: fold_count(f); break;
	case OPT_ROOT: rc = fold_set_root(f, optarg, &e); break;
	}
	if (rc == ERR_DATA)
		cli_usage(c, "--root: %s", e.msg);
	if (rc != 0)
		cli_die(c, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct fold *f, struct asked *a)
{
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		if (a->seen[opt] && opt <= OPT_ROOT)
			cli_usage(c, "--%s is given twice", options[opt - 1].name);
		a->seen[opt] = true;
		set(c, f, opt);
	}
	for (opt = OPT_MEASURE; opt <= OPT_ROOT; opt++)
		if (a->seen[OPT_PERUN] && a->seen[opt])
			cli_usage(c, "--perun cannot be with --%s", options[opt - 1].name);
	if (a->seen[OPT_MEASURE] && a->seen[OPT_ALL])
		cli_usage(c, "--all cannot be with --measure");
	if (a->seen[OPT_COMPAT] && !a->seen[OPT_PERUN])
		cli_usage(c, "--compat is for --perun");
}

/* False where memory ran out: what is counted so far would be wrong. */
static bool
take_lines(struct cli *c, struct evread *r, struct fold *f, struct trace *t, uint64_t *large)
{
	struct slice stack;
	struct ev ev;
	struct err e;
	int rc;

	while (cli_next(c, r, NULL, &ev)) {
		if (part_is_large(&ev)) {
			++*large;
			continue;
		}
		if (!fold_wants(f, &ev))
			continue;
		rc = trace_stack(t, &ev, &stack, &e);
		if (rc == 0)
			rc = fold_line(f, &ev, stack, &e);
		if (rc == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (rc == ERR_SYS)
			return false;
	}
	return true;
}

static void
fold_stream(struct cli *c, struct evread *r, struct fold *f, struct out *o)
{
	struct trace t;
	struct err e;
	char text[256];
	uint64_t large = 0;
	unsigned at = 0;

	if (!trace_open(&t)) {
		err_nomem(&e);
		cli_die(c, &e);
	}
	if (take_lines(c, r, f, &t, &large) && fold_write(f, o, &e) != 0)
		cli_error(c, NULL, &e);
	if (large > 0 && o->error == 0)
		cli_note(c, "left out resources larger than 1 MiB: %llu (see --perun)",
		    (unsigned long long)large);
	while (o->error == 0 && fold_note(f, &at, text, sizeof text))
		cli_note(c, "%s", text);
	trace_close(&t);
}

static void
flame_rest(struct cli *c, struct evread *r, struct query *q, const struct out *o)
{
	struct err e;
	bool more;
	int rc;

	do {
		more = query_rest(q, &rc, &e);
		if (rc != 0)
			cli_error(c, evread_name(r), &e);
	} while (more && rc != ERR_SYS && o->error == 0);
}

/* As Perun has it: each resource by itself, in Perun's order. */
static void
fold_perun(struct cli *c, struct evread *r, bool compat, struct out *o)
{
	struct err e = { .code = 0 };
	struct query *q = query_open(o, QUERY_FLAME, NULL, compat, &e);
	struct ev ev;
	char text[256];

	if (q == NULL)
		cli_die(c, &e);
	while (e.code != ERR_SYS && o->error == 0 && cli_next(c, r, NULL, &ev))
		if (query_line(q, &ev, &e) != 0)
			cli_error(c, evread_name(r), &e);
	if (e.code != ERR_SYS && o->error == 0)
		flame_rest(c, r, q, o);
	if (query_missing(q) != NULL && !compat && o->error == 0)
		cli_note(c, "the profile has no %s: nothing to write", query_missing(q));
	if (query_repeats(q, text, sizeof text))
		cli_note(c, "%s", text);
	if (query_left_out(q) > 0)
		cli_note(c, "left out %llu lines that are no part of a profile",
		    (unsigned long long)query_left_out(q));
	query_close(q);
}

int
main(int argc, char **argv)
{
	struct asked a = { { false } };
	struct fold *f = fold_new();
	struct evread *r;
	struct out o;
	struct cli c;
	struct err e;

	cli_open(&c, argv[0], usage);
	if (f != NULL)
		parse(&c, argc, argv, f, &a);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (f == NULL || r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	evread_set_idle(r, &o);
	if (a.seen[OPT_PERUN])
		fold_perun(&c, r, a.seen[OPT_COMPAT], &o);
	else
		fold_stream(&c, r, f, &o);
	fold_free(f);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
