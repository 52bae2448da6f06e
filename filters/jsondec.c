/* SPDX-License-Identifier: ISC */
/* jsondec.c - turns JSON lines, as jsonenc writes them, back into a stream. */
#include "lib/cli.h"
#include "src/jsonl/jsonl.h"

static const struct cli_option options[] = {
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Turns JSON lines, as jsonenc writes them, back into a stream, marks included.\n",
	.example = "jsondec perf.jsonl | afagg -b region | aftab",
	.options = options,
	.kind = CLI_READER,
	.reads = GUESS_JSON_LINES,
};

static int
decode(const void *opt, const char *name, struct evwrite *w, struct err *e)
{
	return jsonl_decode(name, opt, w, e);
}

/* Reports streams without an end.  After any other error, adds a mark that says so. */
static void
end_marks(struct cli *c, struct evwrite *w, const struct marks *m)
{
	const char *input;
	struct err e;
	size_t at = 0;
	enum mark_count i;
	bool whole = c->status == CLI_OK;

	for (i = 0; i < MARK_COUNTS; i++)
		cli_judge_count(c, "", i, m->count[i]);
	if (c->status != CLI_OK && jsonl_lacks_end(m)) {
		w->source = c->noperands == 1 ? c->operands[0] : "-";
		evw_mark_end(w, false, "input incomplete or refused");
	}
	while (whole && marks_missing(m, &at, &input, &e) != 0)
		cli_error(c, input, &e);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct marks marks = { 0 };
	struct jsonl_reader opt = { .to = cli_reporter(&c), .marks = &marks };
	struct evwrite w;

	cli_open(&c, argv[0], &program);
	while (cli_next_option(&c, argc, argv) != -1)
		;
	opt.no_marks = (c.read & EVREAD_NO_MARKS) != 0;
	marks.whole = (c.read & EVREAD_WHOLE) != 0;
	opt.sees_runs = marks.whole || c.strict;
	cli_check(&c, &w, decode, &opt);
	end_marks(&c, &w, &marks);
	marks_free(&marks);
	return cli_finish(&c, &w.out);
}
