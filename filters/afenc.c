/* SPDX-License-Identifier: ISC */
/* afenc.c - writes the stream to an AFPerf file, a new one or the end of an existing one. */
#include <getopt.h>

#include "lib/cli.h"
#include "lib/spool.h"
#include "src/afperf/write/encode.h"

enum {
	OPT_IDS = 1,
	OPT_HEX,
	OPT_DECIMAL,
	OPT_RECORD_NUMBERS,
	OPT_RECORD_ID,
	OPT_CRLF,
	OPT_APPEND,
	OPT_RENUMBER
};

static const struct cli_option options[] = {
	{ "ids", NULL, "give numbers to regions and sections without an id", OPT_IDS, 0 },
	{ "hex", NULL, "write all ids in hexadecimal (default: as they were)", OPT_HEX,
	    CLI_LAST_OF(1) },
	{ "decimal", NULL, "write all ids in decimal (default: as they were)", OPT_DECIMAL,
	    CLI_LAST_OF(1) },
	{ "record-numbers", NULL, "write record types as numbers", OPT_RECORD_NUMBERS, 0 },
	{ "record-id", "keep|blank|run",
	    "the id of processed aggregates: the original one (keep), none, or the run's",
	    OPT_RECORD_ID, 0 },
	{ "crlf", NULL, "end records in CR LF", OPT_CRLF, 0 },
	{ "append", "FILE", "add all records to this AFPerf file, or none", OPT_APPEND, 0 },
	{ "renumber", NULL, "with --append: replace ids that FILE already has", OPT_RENUMBER, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Writes the runs, measures, samples, spans, pauses and aggregates of a stream as\n"
		 "an AFPerf v1 file, and reports on standard error what it left out.\n",
	.example = "perfdec perf.data | afenc >run.afperf",
	.options = options,
	.kind = CLI_READER,
};

/* The options. */
struct job {
	struct afperf_encode_options encode;
	const char *append; /* the name of a file, or NULL */
};

static enum afperf_processed
processed_named(const struct cli *c, const char *name)
{
	struct slice s = slice_of(name);

	if (slice_eq(s, SLICE("keep")))
		return AFPERF_KEEP_ID;
	if (slice_eq(s, SLICE("blank")))
		return AFPERF_BLANK_ID;
	if (!slice_eq(s, SLICE("run")))
		cli_usage(c, "--record-id: not keep, blank or run: %s", name);
	return AFPERF_RUN_ID;
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_IDS: j->encode.number = true; break;
		case OPT_HEX: j->encode.spelling = AFPERF_HEX; break;
		case OPT_DECIMAL: j->encode.spelling = AFPERF_DECIMAL; break;
		case OPT_RECORD_NUMBERS: j->encode.type_numbers = true; break;
		case OPT_RECORD_ID: j->encode.processed = processed_named(c, optarg); break;
		case OPT_CRLF: j->encode.crlf = true; break;
		case OPT_APPEND: j->append = optarg; break;
		case OPT_RENUMBER: j->encode.renumber = true; break;
		}
	}
	if (j->encode.renumber && j->append == NULL)
		cli_usage(c, "--renumber without --append");
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	return afperf_encode_line(ctx, ev, e);
}

static int
end(void *ctx, bool *more, struct err *e)
{
	(void)more;
	return afperf_encode_end(ctx, e);
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	return afperf_encode_note(ctx, at, text, size);
}

/* Encodes the whole stream to o. */
static void
encode(struct cli *c, const struct job *j, struct out *o)
{
	struct afperf_encode *x = afperf_encode_open(o);

	if (x == NULL)
		cli_die_of_memory(c);
	afperf_encode_set(x, &j->encode);
	cli_require(c, SLICE("*"));
	cli_encode(c, o,
	    &(struct cli_encoder){ .ctx = x, .line = take_line, .end = end, .note = note });
	afperf_encode_close(x);
}

/*
 * Encodes to a temporary file first, which is then appended to the named file if there was no
 * error.
 */
static void
append(struct cli *c, struct job *j)
{
	struct afperf_append a;
	struct spool s = { .at = 0 };
	struct err e;

	if (afperf_append_open(&a, j->append, &e) != 0) {
		cli_error(c, j->append, &e);
		return;
	}
	j->encode.append = &a;
	if (spool_open(&s, &e) != 0)
		cli_die(c, &e);
	encode(c, j, &s.out);
	if (spool_rewind(&s, &e) != 0)
		cli_error(c, NULL, &e);
	if (c->status != CLI_OK)
		cli_note(c, "%s: nothing is appended", j->append);
	else if (afperf_append_commit(&a, s.file.fd, &e) != 0)
		cli_error(c, j->append, &e);
	spool_close(&s);
	afperf_append_close(&a);
}

int
main(int argc, char **argv)
{
	struct job job = { .append = NULL };
	struct cli c;
	struct out o;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &job);
	if (job.append != NULL) {
		append(&c, &job);
		return cli_end(&c);
	}
	cli_write(&c, &o);
	encode(&c, &job, &o);
	return cli_finish(&c, &o);
}
