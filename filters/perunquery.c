/* SPDX-License-Identifier: ISC */
/* perunquery.c - a stream of perundec in, what Perun computes from the profile out. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/perun/query.h"

static const char usage[] =
    "usage: perunquery [--compat] FUNCTION [KEY] [FILE...]\n"
    "Computes from a stream of perundec what Perun computes from a profile.\n"
    "\n"
    "Queries; the answer is lines of JSON:\n"
    "  resources            [SNAPSHOT, RESOURCE] of each resource\n"
    "  items                of each resource its flattened items, [[NAME, VALUE], ...]\n"
    "  fields               the names of all such items\n"
    "  numeric              of those that hold numbers\n"
    "  keys KEY             of each resource the values at KEY, such as trace::function\n"
    "  values KEY           the values at KEY of all resources, each once\n"
    "  models               [NUMBER, MODEL] of each model\n"
    "  model-values KEY     the values at KEY of all models, each once\n"
    "  plot                 as models, with the points of the curve\n"
    "\n"
    "Conversions:\n"
    "  flame                folded stacks for a flame graph, one line for each resource\n"
    "  frame                a table of all resources, as CSV\n"
    "  heap                 in each snapshot, which blocks are allocated where, as JSON\n"
    "  heat                 of each address, how many allocations have had it, as JSON\n"
    "\n"
    "  --compat             fail where Perun does, and keep its quirks\n" CLI_READER_HELP;

enum { OPT_COMPAT = 1 };

static const struct option options[] = {
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
};

static const struct function {
	const char *name;
	enum query_what what;
	bool needs_key;
	bool document; /* one JSON text: if it went on after an error, it would look whole */
} functions[] = {
	{ .name = "resources", .what = QUERY_RESOURCES },
	{ .name = "items", .what = QUERY_ITEMS },
	{ .name = "fields", .what = QUERY_FIELDS },
	{ .name = "numeric", .what = QUERY_NUMERIC },
	{ .name = "keys", .what = QUERY_KEYS, .needs_key = true },
	{ .name = "values", .what = QUERY_VALUES, .needs_key = true },
	{ .name = "models", .what = QUERY_MODELS },
	{ .name = "model-values", .what = QUERY_MODEL_VALUES, .needs_key = true },
	{ .name = "plot", .what = QUERY_PLOT },
	{ .name = "flame", .what = QUERY_FLAME },
	{ .name = "frame", .what = QUERY_FRAME },
	{ .name = "heap", .what = QUERY_HEAP, .document = true },
	{ .name = "heat", .what = QUERY_HEAT, .document = true },
};

struct asked {
	const struct function *function;
	const char *key; /* NULL: the function takes none */
	bool compat;
};

static void
parse(struct cli *c, int argc, char **argv, struct asked *a)
{
	size_t i, n = sizeof functions / sizeof functions[0];

	while (cli_option(c, argc, argv, ":", options) == OPT_COMPAT)
		a->compat = true;
	if (optind == argc)
		cli_usage(c, "which FUNCTION?");
	for (i = 0; i < n && strcmp(argv[optind], functions[i].name) != 0; i++)
		;
	if (i == n)
		cli_usage(c, "no such function: %s", argv[optind]);
	optind++;
	a->function = &functions[i];
	if (!a->function->needs_key)
		return;
	if (optind == argc)
		cli_usage(c, "%s needs a KEY", a->function->name);
	a->key = argv[optind++];
}

/* False if there is nothing to write after the last line. */
static bool
take_lines(struct cli *c, struct evread *r, struct query *q, bool document, const struct out *o)
{
	bool any = false;
	struct ev ev;
	struct err e;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		any = true;
		if (query_line(q, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (document || e.code == ERR_SYS)
			return false;
	}
	return o->error == 0 && (any || !document || c->status == CLI_OK);
}

static void
take_rest(struct cli *c, struct evread *r, struct query *q, const struct out *o)
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

static void
ask(struct cli *c, struct evread *r, const struct asked *a, struct out *o)
{
	struct err e;
	struct query *q = query_open(o, a->function->what, a->key, a->compat, &e);
	char text[256];
	unsigned at = 0;

	if (q == NULL)
		cli_die(c, &e);
	evread_set_idle(r, o);
	if (take_lines(c, r, q, a->function->document, o))
		take_rest(c, r, q, o);
	while (query_note(q, &at, text, sizeof text))
		cli_note(c, "%s", text);
	query_close(q);
}

int
main(int argc, char **argv)
{
	struct asked a = { .compat = false };
	struct cli c;
	struct out o;
	struct evread *r;
	struct err e;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &a);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	ask(&c, r, &a, &o);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
