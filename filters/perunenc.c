/* SPDX-License-Identifier: ISC */
/* perunenc.c - encodes the stream as a Perun profile. */
#include <getopt.h>
#include <string.h>

#include "lib/cli.h"
#include "src/perun/write/encode.h"

enum { OPT_FORMAT = 1, OPT_PACK, OPT_NAME, OPT_COMPAT };

static const struct cli_option options[] = {
	{ "format", "snapshots|resources", "the document: resources is the map of newer versions",
	    OPT_FORMAT, CLI_ONCE },
	{ "pack", NULL, "write the object that Perun's store would keep (zlib)", OPT_PACK,
	    CLI_ONE_OF(1) },
	{ "name", NULL, "write that object's name (SHA-1)", OPT_NAME, CLI_ONE_OF(1) },
	{ "compat", NULL, "pack only a profile with origin, as Perun does", OPT_COMPAT, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about =
	    "Writes a stream as a Perun profile.  A stream from perundec becomes its original\n"
	    "document; in any other stream each sample, span and aggregate becomes a\n"
	    "resource.\n",
	.example = "perfdec perf.data | perunenc >run.perf",
	.options = options,
	.kind = CLI_READER,
};

struct job {
	struct cli *cli;
	struct perun_encode *encode;
	enum perun_form form;
	enum perun_format format;
	enum { NOT_ENDING, CONVERTING, CONVERTED } stage;
};

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return perun_encode_line(j->encode, ev, e);
}

/*
 * Returns whether the document may be ended.  A packed object with an incomplete document would
 * look complete, so it is not written.
 */
static bool
may_end(const struct job *j)
{
	return j->form == PERUN_PLAIN || j->cli->status == CLI_OK;
}

/* Writes the parts that waited to be converted, one after the other, and then the end. */
static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc;

	if ((j->stage == NOT_ENDING || j->stage == CONVERTED) && !may_end(j))
		return 0;
	if (j->stage == CONVERTED)
		return perun_encode_end(j->encode, e);
	*more = true;
	j->stage = perun_encode_rest(j->encode, &rc, e) ? CONVERTING : CONVERTED;
	return rc;
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	const struct job *j = ctx;

	return perun_encode_note(j->encode, at, text, size);
}

static enum perun_format
format_named(const struct cli *c, const char *name)
{
	if (strcmp(name, "snapshots") == 0)
		return PERUN_SNAPSHOTS;
	if (strcmp(name, "resources") != 0)
		cli_usage(c, "--format: snapshots or resources, not %s", name);
	return PERUN_RESOURCES;
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_FORMAT: j->format = format_named(c, optarg); break;
		case OPT_PACK: j->form = PERUN_PACK; break;
		case OPT_NAME: j->form = PERUN_NAME; break;
		}
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .cli = &c, .form = PERUN_PLAIN };
	struct out o;
	struct err e;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	if (j.form == PERUN_PACK)
		cli_write_binary(&c, &o);
	else
		cli_write(&c, &o);
	j.encode = perun_encode_open(&o, j.form, j.format, &e);
	if (j.encode == NULL)
		cli_die(&c, &e);
	if (cli_has(&c, OPT_COMPAT))
		perun_encode_want_origin(j.encode);
	cli_require(&c, SLICE("*"));
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j, .line = take_line, .end = end, .note = note });
	perun_encode_close(j.encode);
	return cli_finish(&c, &o);
}
