/* SPDX-License-Identifier: ISC */
/* jsonenc.c - writes a stream as JSON lines, marks included. */
#include <getopt.h>
#include <stdio.h>

#include "lib/cli.h"
#include "lib/marks.h"
#include "src/jsonl/jsonl.h"

enum { OPT_NUMBERS = 1 };

static const struct cli_option options[] = {
	{ "numbers", NULL,
	    "write all that looks like a number as one: also runs, tags and large numbers",
	    OPT_NUMBERS, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Writes a stream as JSON lines: each line and each mark is an object.\n",
	.example = "perfdec perf.data | jsonenc >perf.jsonl",
	.options = options,
	.kind = CLI_READER,
};

struct job {
	struct jsonl *to;
	struct marks marks; /* of what has been written */
	bool unsure; /* memory ran out, so they are not known */
};

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return jsonl_line(j->to, ev, e);
}

static void
take_hashed(void *ctx, struct slice line)
{
	struct job *j = ctx;
	struct err e;

	if (marks_take(&j->marks, line, 0, &e) == ERR_SYS)
		j->unsure = true;
	/* the reader refuses another version with all lines of it */
	if (j->marks.refused)
		j->marks.refused = false;
	else
		jsonl_hashed(j->to, line);
}

/* Says in the output that it is not complete, unless its marks say so already. */
static void
end_marks(struct cli *c, struct job *j)
{
	struct err e;

	if (marks_end_input(&j->marks, "-", 0, &e) != 0)
		j->unsure = true;
	if (c->status != CLI_OK && (j->unsure || jsonl_lacks_end(&j->marks)))
		jsonl_hashed(j->to,
		    SLICE("#end\tjsonenc\t-\t0\tpartial\tinput incomplete or refused"));
	marks_free(&j->marks);
}

int
main(int argc, char **argv)
{
	struct out o;
	struct job j = { .unsure = false };
	bool numbers = false;
	struct cli c;

	cli_open(&c, argv[0], &program);
	while (cli_next_option(&c, argc, argv) == OPT_NUMBERS)
		numbers = true;
	cli_write(&c, &o);
	j.to = jsonl_open(&o, numbers);
	if (j.to == NULL)
		cli_die_of_memory(&c);
	c.hashed = take_hashed;
	c.hashed_ctx = &j;
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j, .line = take_line, .takes_parts = true });
	end_marks(&c, &j);
	jsonl_close(j.to);
	return cli_finish(&c, &o);
}
