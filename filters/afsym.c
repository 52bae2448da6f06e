/* SPDX-License-Identifier: ISC */
/* afsym.c - looks up the functions in the frames tags of a stream. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/esc.h"
#include "lib/num.h"
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

/* Returns true, with *e, if the line is a result of places: naming it would merge no groups. */
static bool
is_result(const struct ev *ev, struct err *e)
{
	struct slice frames;

	if (!slice_eq(ev->col[EV_KIND], SLICE("agg")) || !ev_tag(ev, SLICE("frames"), &frames))
		return false;
	err_data(e, "results by frames cannot get names: afsym belongs before afagg");
	return true;
}

/*
 * Processes all lines; without w, only looks up.  Returns false when the system failed, or at the
 * first result.
 */
static bool
resolve_all(struct cli *c, struct resolver *x, struct evread *r, struct evwrite *w)
{
	struct ev ev;
	struct err e;
	int rc;

	while (cli_next(c, r, w, &ev)) {
		if (is_result(&ev, &e)) {
			cli_error(c, evread_name(r), &e);
			return false;
		}
		rc = w != NULL ? resolver_line(x, &ev, w, &e) : resolver_only_look_up(x, &ev, &e);
		if (rc == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (rc == ERR_SYS)
			return false;
	}
	return true;
}

static void
report_counts(struct cli *c, const struct resolver_counts *n)
{
	if (n->unknown != 0)
		cli_note(c,
		    "%" PRIu64 " samples without a name have no frames tag "
		    "(perfdec --no-symbols or --frames writes it)",
		    n->unknown);
	if (n->expanded != 0)
		cli_note(c, "%" PRIu64 " samples have inlined functions already and are unchanged",
		    n->expanded);
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

static void
report_fetched(struct cli *c, const struct fetch *f)
{
	const struct fetch_counts *n = fetch_counts(f);

	cli_note(c,
	    "debuginfod: files found: %" PRIu64 ", not found: %" PRIu64 ", failed: %" PRIu64,
	    n->found, n->missing, n->failed);
}

static void
put_missing(struct out *o, const struct symbol_miss *miss)
{
	struct slice reason = slice_of(miss->reason);
	char *line = out_room(o,
	    (miss->path.len + reason.len) * ESC_MAX_GROWTH + 2 * miss->build_id.len + NUM_MAX +
		sizeof "\t.\t\t\n");
	char *p = line;

	if (p == NULL)
		return;
	p += esc_write(p, miss->path.p, miss->path.len, ESC_COLUMN);
	*p++ = '\t';
	p += num_put_bytes(p, miss->build_id.p, miss->build_id.len);
	if (miss->build_id.len == 0)
		*p++ = '.';
	*p++ = '\t';
	p += num_put_u64(p, miss->samples);
	*p++ = '\t';
	p += esc_write(p, reason.p, reason.len, ESC_COLUMN);
	*p++ = '\n';
	out_commit(o, (size_t)(p - line));
}

/* Prints the files without symbols instead of the stream. */
static int
list_missing(struct cli *c, struct job *j, struct resolver *x)
{
	struct evread *r = cli_read(c);
	struct reporter to = cli_reporter(c);
	struct symbol_miss miss;
	size_t pos = 0;
	struct out o;

	cli_write(c, &o);
	if (resolve_all(c, x, r, NULL)) {
		report_counts(c, resolver_counts(x));
		resolver_report_unnamed(x);
		while (symbol_engine_next_miss(j->lookup.engine, &pos, &miss))
			if (!miss.normal && !miss.failed && !miss.forced && miss.path.p[0] == '/' &&
			    (miss.renamed == 0 || miss.samples != 0))
				put_missing(&o, &miss);
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
resolve_stream(struct cli *c, struct job *j, struct resolver *x)
{
	struct reporter to = cli_reporter(c);
	struct evread *r = cli_read(c);
	struct evwrite w;

	cli_stream_open(c, &w, r);
	if (resolve_all(c, x, r, &w) && !evw_failed(&w)) {
		report_counts(c, resolver_counts(x));
		resolver_report_unnamed(x);
		lookup_report(&j->lookup, &to);
		if (j->fetches)
			report_fetched(c, j->lookup.options.fetch);
	}
	cli_stream_end(c, &w, r);
	evread_close(r);
	return cli_finish(c, &w.out);
}

int
main(int argc, char **argv)
{
	struct job j = { .fetch = { SECONDS, show_progress, NULL } };
	struct resolver *x;
	struct cli c;
	int status;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	open_job(&c, &j);
	cli_sandbox(&c, j.fetches ? SANDBOX_FETCHES : 0);
	cli_require(&c, SLICE("frames"));
	if ((x = resolver_open(&j.lookup.face)) == NULL)
		cli_die_of_memory(&c);
	status = j.lookup.missing ? list_missing(&c, &j, x) : resolve_stream(&c, &j, x);
	resolver_close(x);
	lookup_close(&j.lookup);
	fetch_close(j.lookup.options.fetch);
	return status;
}
