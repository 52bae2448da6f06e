/* SPDX-License-Identifier: ISC */
/* afenc.c - writes the stream to an AFPerf file, a new one or the end of an existing one. */
#include <unistd.h>

#include "lib/cli.h"
#include "lib/spool.h"
#include "src/afperf/append.h"
#include "src/afperf/encode.h"

static const char usage[] =
    "usage: afenc [--ids] [--hex | --decimal] [--record-numbers] [--record-id keep|blank|run]\n"
    "             [--crlf] [--append FILE [--renumber]] [FILE...]\n"
    "\n"
    "Writes the runs, measures, samples, spans, pauses and aggregates of a stream as\n"
    "an AFPerf v1 file, and reports on standard error what it left out.\n"
    "\n"
    "      --ids             give numbers to regions and sections without an id\n"
    "      --hex, --decimal  write all ids so, not as they were\n"
    "      --record-numbers  write the types of records as numbers\n"
    "      --record-id HOW   of processed aggregates: keep what was, blank, or run\n"
    "      --crlf            end records in CR LF\n"
    "      --append FILE     add to this AFPerf file, all or nothing\n"
    "      --renumber        with --append: new numbers for ids in FILE\n" CLI_READER_HELP;

enum {
	OPT_IDS = 256,
	OPT_HEX,
	OPT_DECIMAL,
	OPT_RECORD_NUMBERS,
	OPT_RECORD_ID,
	OPT_CRLF,
	OPT_APPEND,
	OPT_RENUMBER
};

static const struct option options[] = {
	{ "ids", no_argument, NULL, OPT_IDS },
	{ "hex", no_argument, NULL, OPT_HEX },
	{ "decimal", no_argument, NULL, OPT_DECIMAL },
	{ "record-numbers", no_argument, NULL, OPT_RECORD_NUMBERS },
	{ "record-id", required_argument, NULL, OPT_RECORD_ID },
	{ "crlf", no_argument, NULL, OPT_CRLF },
	{ "append", required_argument, NULL, OPT_APPEND },
	{ "renumber", no_argument, NULL, OPT_RENUMBER },
	CLI_READER_OPTIONS,
};

/* What is asked for. */
struct job {
	struct afperf_encode_options encode;
	const char *append; /* a file's name, or NULL */
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

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
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

enum came { CAME_NOTHING, CAME_LINES, CAME_TO_NAUGHT };

/* To naught: memory or the temporary file failed. */
static enum came
encode_lines(struct cli *c, struct evread *r, struct afperf_encode *x, const struct out *o)
{
	struct ev ev;
	struct err e;
	enum came came = CAME_NOTHING;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		came = CAME_LINES;
		if (afperf_encode_line(x, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (e.code == ERR_SYS)
			return CAME_TO_NAUGHT;
	}
	return came;
}

static void
say_notes(struct cli *c, const struct afperf_encode *x, const struct out *o)
{
	char text[512];
	unsigned at = 0;

	while (o->error == 0 && afperf_encode_note(x, &at, text, sizeof text))
		cli_note(c, "%s", text);
}

/* The whole stream to o. */
static void
encode(struct cli *c, char **names, size_t n, const struct job *j, struct out *o)
{
	struct evread *r = evread_open(names, n, c->read);
	struct afperf_encode *x = r == NULL ? NULL : afperf_encode_open(o);
	struct err e;
	enum came came;

	if (x == NULL) {
		err_nomem(&e);
		cli_die(c, &e);
	}
	afperf_encode_set(x, &j->encode);
	if (j->append == NULL)
		evread_set_idle(r, o);
	came = encode_lines(c, r, x, o);
	/* an empty input gives no file; a whole stream that says nothing, an empty container */
	if ((came == CAME_LINES || (came == CAME_NOTHING && c->status == CLI_OK)) &&
	    afperf_encode_end(x, &e) != 0)
		cli_error(c, NULL, &e);
	say_notes(c, x, o);
	afperf_encode_close(x);
	cli_reader_end(c, r);
	evread_close(r);
}

/* To a temporary file first, and from there to the named one, if all is well. */
static void
append(struct cli *c, char **names, size_t n, struct job *j)
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
	encode(c, names, n, j, &s.out);
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
	struct err e;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &job);
	if (job.append != NULL) {
		append(&c, argv + optind, (size_t)(argc - optind), &job);
		return cli_end(&c);
	}
	if (!out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	encode(&c, argv + optind, (size_t)(argc - optind), &job, &o);
	return cli_finish(&c, &o);
}
