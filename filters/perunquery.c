/* SPDX-License-Identifier: ISC */
/* perunquery.c - computes Perun's results for a profile from a stream of perundec. */
#include "lib/cli.h"
#include "src/perun/query/query.h"

enum { OPT_COMPAT = 1 };

static const struct cli_option options[] = {
	{ "compat", NULL, "fail where Perun fails, and keep its quirks", OPT_COMPAT, 0 },
	{ 0 },
};

/* The id of an option is 1 + an enum query_what. */
#define FUNCTION(name, argument, what, text) \
	{ \
		name, argument, text, 1 + (what), 0 \
	}

static const struct cli_option functions[] = {
	{ .name = "Queries; the answer is lines of JSON:" },
	FUNCTION("resources", NULL, QUERY_RESOURCES, "[SNAPSHOT, RESOURCE] for each resource"),
	FUNCTION("items", NULL, QUERY_ITEMS,
	    "the flattened items of each resource, [[NAME, VALUE], ...]"),
	FUNCTION("fields", NULL, QUERY_FIELDS, "the names of all such items"),
	FUNCTION("numeric", NULL, QUERY_NUMERIC, "the names of items that hold only numbers"),
	FUNCTION("keys", "KEY", QUERY_KEYS,
	    "the values at KEY (such as trace::function) of each resource"),
	FUNCTION("values", "KEY", QUERY_VALUES, "the values at KEY of all resources, each once"),
	FUNCTION("models", NULL, QUERY_MODELS, "[NUMBER, MODEL] for each model"),
	FUNCTION("model-values", "KEY", QUERY_MODEL_VALUES,
	    "the values at KEY of all models, each once"),
	FUNCTION("plot", NULL, QUERY_PLOT, "like models, with the points of their curves"),
	{ .name = "Conversions:" },
	FUNCTION("flame", NULL, QUERY_FLAME,
	    "folded stacks for a flame graph, one line for each resource"),
	FUNCTION("frame", NULL, QUERY_FRAME, "a table of all resources, as CSV"),
	FUNCTION("heap", NULL, QUERY_HEAP, "the blocks allocated in each snapshot, as JSON"),
	FUNCTION("heat", NULL, QUERY_HEAT, "the number of allocations at each address, as JSON"),
	{ 0 },
};

static const struct cli_program program = {
	.operands = "FUNCTION [KEY] [FILE...]",
	.about = "Computes Perun's results for a profile from a stream written by perundec.\n",
	.example = "perundec run.perf | perunquery fields",
	.options = options,
	.functions = functions,
	.kind = CLI_READER,
};

struct job {
	struct query *query;
	/*
	 * the output is one JSON text; it stops after an error, so that it does not look complete
	 */
	bool document;
};

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	int rc = query_line(j->query, ev, e);

	return rc != 0 && j->document ? ERR_STOP : rc;
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc;

	*more = query_rest(j->query, &rc, e);
	return rc;
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	struct job *j = ctx;

	return query_note(j->query, at, text, size);
}

int
main(int argc, char **argv)
{
	struct job j;
	const struct cli_option *function;
	const char *key = NULL;
	struct cli c;
	struct out o;
	struct err e;
	enum query_what what;

	cli_open(&c, argv[0], &program);
	while (cli_next_option(&c, argc, argv) != -1)
		;
	function = cli_function(&c);
	what = (enum query_what)(function->id - 1);
	if (function->argument != NULL && c.noperands == 0)
		cli_usage(&c, "%s needs a KEY", function->name);
	if (function->argument != NULL)
		key = cli_operand(&c, function->argument);
	cli_write(&c, &o);
	j.document = what == QUERY_HEAP || what == QUERY_HEAT;
	j.query = query_open(&o, what, key, cli_has(&c, OPT_COMPAT), &e);
	if (j.query == NULL)
		cli_die(&c, &e);
	cli_require(&c, SLICE("*"));
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j, .line = take_line, .end = end, .note = note });
	query_close(j.query);
	return cli_finish(&c, &o);
}
