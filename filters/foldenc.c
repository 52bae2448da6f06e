/* SPDX-License-Identifier: ISC */
/* foldenc.c - a stream to folded stacks, which flamegraph.pl reads. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/aggregate/fold.h"
#include "src/perun/trace.h"

static const char usage[] =
    "usage: foldenc [--measure NAME | --all] [--kind KIND] [--count] [--root KEY[,KEY...]]\n"
    "               [FILE...]\n"
    "Writes the stacks of a stream as flamegraph.pl reads them: frames separated by ;, root\n"
    "first, a blank and the weight, which is the sum of the values.\n"
    "\n"
    "  --measure NAME       take this measure (default: the first)\n"
    "  --all                add up all measures\n"
    "  --kind KIND          take this kind of lines (default: sample and span, or agg)\n"
    "  --count              weigh by the number of events\n"
    "  --root KEY[,KEY...]  begin with these columns and tags (default: comm; . for\n"
    "                       none)\n" CLI_READER_HELP;

enum { OPT_MEASURE = 1, OPT_ALL, OPT_KIND, OPT_COUNT, OPT_ROOT, OPT_PERUN, OPT_COMPAT };

static const struct option options[] = {
	{ "measure", required_argument, NULL, OPT_MEASURE },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "kind", required_argument, NULL, OPT_KIND },
	{ "count", no_argument, NULL, OPT_COUNT },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "perun", no_argument, NULL, OPT_PERUN }, /* these two have moved */
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
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
	case OPT_PERUN: cli_usage(c, "--perun is now 'perunquery flame'");
	case OPT_COMPAT: cli_usage(c, "--compat is now 'perunquery --compat flame'");
	}
	if (rc == ERR_DATA)
		cli_usage(c, "--root: %s", e.msg);
	if (rc != 0)
		cli_die(c, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct fold *f)
{
	bool seen[OPT_COMPAT + 1] = { false };
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		if (seen[opt])
			cli_usage(c, "--%s is given twice", options[opt - 1].name);
		seen[opt] = true;
		set(c, f, opt);
	}
	if (seen[OPT_MEASURE] && seen[OPT_ALL])
		cli_usage(c, "--all cannot be with --measure");
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
		if (ev_is_large_resource(&ev)) {
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
		cli_note(c, "left out resources larger than 1 MiB: %llu (see perunquery)",
		    (unsigned long long)large);
	while (o->error == 0 && fold_note(f, &at, text, sizeof text))
		cli_note(c, "%s", text);
	trace_close(&t);
}

int
main(int argc, char **argv)
{
	struct fold *f = fold_new();
	struct evread *r;
	struct out o;
	struct cli c;
	struct err e;

	cli_open(&c, argv[0], usage);
	if (f != NULL)
		parse(&c, argc, argv, f);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (f == NULL || r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	evread_set_idle(r, &o);
	fold_stream(&c, r, f, &o);
	fold_free(f);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
