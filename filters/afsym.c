/* SPDX-License-Identifier: ISC */
/* afsym.c - looks up the functions in the frames tags of a stream. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/sandbox.h"
#include "src/symbol/fetch.h"
#include "src/symbol/lookup.h"
#include "src/symbol/resolve.h"

enum { OPT_DEBUGINFOD = 1, OPT_TIMEOUT };

#define SECONDS 60 /* for each file */
#define SECONDS_MAX 86400
#define NSEC ((uint64_t)1000000000)

static const struct cli_option options[] = {
	LOOKUP_OPTIONS("print the objects without symbols, instead of the stream"),
	{ "debuginfod", NULL, "fetch missing files from the servers in DEBUGINFOD_URLS",
	    OPT_DEBUGINFOD, 0 },
	{ "timeout", "DURATION", "give up on a file after that time (default: 60s)", OPT_TIMEOUT,
	    0 },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Looks up the functions of a stream from perfdec --no-symbols, and writes the\n"
		 "stream with their names.\n",
	.example = "perfdec --no-symbols perf.data | afsym | afagg -b region | aftab",
	.options = options,
	.kind = CLI_READER,
	.needs = SANDBOX_PROCESSES,
};

struct job {
	struct lookup lookup;
	struct fetch_options fetch;
	bool fetches;
	struct resolver *resolver;
	struct evwrite w; /* unless objects are listed */
};

/* Returns the argument of --timeout in seconds, rounded up. */
static uint64_t
timeout(const struct cli *c)
{
	uint64_t seconds = (cli_duration(c, "timeout", 1000) + NSEC - 1) / NSEC;

	if (seconds > SECONDS_MAX)
		cli_usage(c, "--timeout: more than %ds", SECONDS_MAX);
	return seconds;
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_DEBUGINFOD: j->fetches = true; break;
		case OPT_TIMEOUT: j->fetch.seconds = timeout(c); break;
		default: lookup_option(&j->lookup, opt, optarg);
		}
	}
	if (cli_has(c, OPT_TIMEOUT) && !j->fetches)
		cli_usage(c, "--timeout without --debuginfod");
	if (j->fetches && getenv("DEBUGINFOD_URLS") == NULL)
		cli_usage(c, "--debuginfod: DEBUGINFOD_URLS names no server");
}

/* Shows how much of a file has been fetched, on a terminal only. */
static void
show_progress(void *ctx, const char *name, uint64_t got, uint64_t all)
{
	(void)ctx;
	if (isatty(STDERR_FILENO) == 0)
		return;
	if (name == NULL)
		fputs("\r\033[K", stderr);
	else if (all == 0)
		fprintf(stderr, "\r\033[Kfetching %.60s", name);
	else
		fprintf(stderr, "\r\033[Kfetching %.60s: %" PRIu64 " of %" PRIu64 " KiB", name,
		    got / 1024, all / 1024);
}

/* Opens everything that the job asks for. */
static void
open_job(struct cli *c, struct job *j)
{
	struct err e;

	if (j->fetches && (j->lookup.options.fetch = fetch_open(&j->fetch, &e)) == NULL)
		cli_die(c, &e);
	if (lookup_open(&j->lookup, &e) != 0)
		cli_die(c, &e);
}

static int
take_line(void *ctx, const char *file, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	(void)file;
	if (resolver_check(ev, e) != 0)
		return ERR_SYS; /* as after a failure of the system, nothing more is read */
	return j->lookup.missing ? resolver_only_look_up(j->resolver, ev, e)
				 : resolver_line(j->resolver, ev, &j->w, e);
}

/* Looks up all lines, and writes them unless objects are listed.  Returns false if that failed. */
static bool
resolve(struct cli *c, struct job *j, struct evread *r)
{
	const struct evwrite *w = j->lookup.missing ? NULL : &j->w;
	char text[256];
	size_t at = 0;

	if (!cli_lines(c, r, w, &(struct cli_lines){ .ctx = j, .line = take_line }) ||
	    (w != NULL && evw_failed(w)))
		return false;
	while (resolver_note(j->resolver, &at, text, sizeof text))
		cli_note(c, "%s", text);
	resolver_report_unnamed(j->resolver);
	return true;
}

static void
report_fetched(struct cli *c, const struct fetch *f)
{
	const struct fetch_counts *n = fetch_counts(f);

	cli_note(c,
	    "debuginfod: files found: %" PRIu64 ", not found: %" PRIu64 ", failed: %" PRIu64,
	    n->found, n->missing, n->failed);
}

/* Prints the files without symbols instead of the stream. */
static int
list_missing(struct cli *c, struct job *j)
{
	struct evread *r = cli_read(c);
	struct reporter to = cli_reporter(c);
	struct out o;

	cli_write(c, &o);
	if (resolve(c, j, r)) {
		lookup_list_missing(&j->lookup, &o, &to);
		if (symbol_engine_failed(j->lookup.engine))
			lookup_report(&j->lookup, &to);
	}
	if (j->fetches)
		report_fetched(c, j->lookup.options.fetch);
	evread_close(r);
	return cli_finish(c, &o);
}

/* Writes the stream with names. */
static int
write_stream(struct cli *c, struct job *j)
{
	struct reporter to = cli_reporter(c);
	struct evread *r = cli_read(c);

	cli_stream_open(c, &j->w, r);
	if (resolve(c, j, r)) {
		lookup_report(&j->lookup, &to);
		if (j->fetches)
			report_fetched(c, j->lookup.options.fetch);
	}
	cli_stream_end(c, &j->w, r);
	evread_close(r);
	return cli_finish(c, &j->w.out);
}

int
main(int argc, char **argv)
{
	struct job j = { .fetch = { SECONDS, show_progress, NULL } };
	struct cli c;
	int status;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	open_job(&c, &j);
	cli_sandbox(&c, j.fetches ? SANDBOX_FETCHES : 0);
	resolver_reads(cli_require, &c);
	if ((j.resolver = resolver_open(&j.lookup.face)) == NULL)
		cli_die_of_memory(&c);
	status = j.lookup.missing ? list_missing(&c, &j) : write_stream(&c, &j);
	resolver_close(j.resolver);
	lookup_close(&j.lookup);
	fetch_close(j.lookup.options.fetch);
	return status;
}
