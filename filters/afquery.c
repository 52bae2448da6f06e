/* SPDX-License-Identifier: ISC */
/* afquery.c - a stream of perundec in, the answer to one of Perun's queries out, as JSON lines. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/perun/query.h"

static const char usage[] =
    "usage: afquery [--compat] QUERY [KEY] [FILE...]\n"
    "Asks a stream of perundec; the answer is lines of JSON.  The queries:\n"
    "\n"
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
    "  --compat             fail where Perun does, and keep its quirks\n" CLI_READER_HELP;

enum { OPT_COMPAT = 1 };

static const struct option options[] = {
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
};

static const struct {
	const char *name;
	enum query_what what;
	bool needs_key;
} queries[] = {
	{ "resources", QUERY_RESOURCES, false },
	{ "items", QUERY_ITEMS, false },
	{ "fields", QUERY_FIELDS, false },
	{ "numeric", QUERY_NUMERIC, false },
	{ "keys", QUERY_KEYS, true },
	{ "values", QUERY_VALUES, true },
	{ "models", QUERY_MODELS, false },
	{ "model-values", QUERY_MODEL_VALUES, true },
	{ "plot", QUERY_PLOT, false },
};

struct asked {
	enum query_what what;
	const char *key; /* NULL: the query has none */
	bool compat;
};

static void
parse(struct cli *c, int argc, char **argv, struct asked *a)
{
	size_t i;

	while (cli_option(c, argc, argv, ":", options) == OPT_COMPAT)
		a->compat = true;
	if (optind == argc)
		cli_usage(c, "which QUERY?");
	for (i = 0; i < sizeof queries / sizeof queries[0]; i++) {
		if (strcmp(argv[optind], queries[i].name) != 0)
			continue;
		optind++;
		a->what = queries[i].what;
		if (queries[i].needs_key && optind == argc)
			cli_usage(c, "%s needs a KEY", queries[i].name);
		if (queries[i].needs_key)
			a->key = argv[optind++];
		return;
	}
	cli_usage(c, "no such query: %s", argv[optind]);
}

/* False where memory or the temporary file failed. */
static bool
ask(struct cli *c, struct evread *r, struct query *q, const struct out *o)
{
	struct ev ev;
	struct err e;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		if (query_line(q, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (e.code == ERR_SYS)
			return false;
	}
	return o->error == 0;
}

static void
ask_rest(struct cli *c, struct evread *r, struct query *q, const struct out *o)
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

int
main(int argc, char **argv)
{
	struct asked a = { .key = NULL };
	char text[256];
	struct cli c;
	struct out o;
	struct evread *r;
	struct query *q;
	struct err e;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &a);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	q = query_open(&o, a.what, a.key, a.compat, &e);
	if (q == NULL)
		cli_die(&c, &e);
	evread_set_idle(r, &o);
	if (ask(&c, r, q, &o))
		ask_rest(&c, r, q, &o);
	if (query_repeats(q, text, sizeof text))
		cli_note(&c, "%s", text);
	if (query_left_out(q) > 0)
		cli_note(&c, "left out %llu lines that are no part of a profile",
		    (unsigned long long)query_left_out(q));
	query_close(q);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
