/* SPDX-License-Identifier: ISC */
/* afdec.c - AFPerf in, the stream out. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/num.h"
#include "lib/sig.h"
#include "src/afperf/decode.h"

static const char usage[] =
    "usage: afdec [--all] [--wall] [--lenient] [--strict] [--check] [--wait N] "
    "[--max-record BYTES] [FILE...]\n"
    "Decodes AFPerf v1 files to a stream.\n"
    "\n"
    "  --all               also print comments, and of later format versions the\n"
    "                      records and fields that are not known\n"
    "  --wall              put the time of day (UTC) on each line\n"
    "  --lenient           read what the examples of the format's page break\n"
    "  --strict            end with status 1 also where the page leaves a rule open\n"
    "  --check             print no stream, and say every rule that is broken\n"
    "  --wait N            at most N records wait for what they refer to (1048576)\n"
    "  --max-record BYTES  refuse longer records (16777216)\n"
    "  --help, --version\n";

enum { OPT_ALL = 256, OPT_WALL, OPT_LENIENT, OPT_STRICT, OPT_CHECK, OPT_WAIT, OPT_MAX_RECORD };

static const struct option options[] = {
	{ "all", no_argument, NULL, OPT_ALL },
	{ "wall", no_argument, NULL, OPT_WALL },
	{ "lenient", no_argument, NULL, OPT_LENIENT },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "wait", required_argument, NULL, OPT_WAIT },
	{ "max-record", required_argument, NULL, OPT_MAX_RECORD },
	CLI_LONG_OPTIONS,
};

/* What messages are about. */
struct place {
	struct cli *cli;
	const char *name;
	bool strict, check;
	bool refused; /* something was left out */
};

/* Errors by their words; warnings, and all of --check, with the name of the rule. */
static void
report(void *ctx, const struct afperf_report *r)
{
	struct place *p = ctx;
	struct err e = r->e;
	bool error = r->weight == AFPERF_ERROR;
	const char *rule = afperf_rule_name(r->rule);

	p->refused |= error;
	if (p->check)
		p->cli->said = p->cli->noted = 0; /* there is nothing else that it is for */
	if (!error || p->check)
		snprintf(e.msg, sizeof e.msg, "%s%.*s [%s]",
		    error ? "" : "warning: ", (int)(sizeof e.msg - 48), r->e.msg, rule);
	if (error || p->strict || p->check)
		cli_error(p->cli, p->name, &e);
	else
		cli_note(p->cli, "%s:%llu: %s", p->name, (unsigned long long)e.pos, e.msg);
}

static void
note(void *ctx, const char *text)
{
	const struct place *p = ctx;

	if (p->check)
		p->cli->noted = 0;
	cli_note(p->cli, "%s: %s", p->name, text);
}

/* One file between its marks. */
static void
decode(struct cli *c, struct evwrite *w, struct afperf_decode_options *opt, bool strict,
    const char *name)
{
	struct place place = { c, name, strict, opt->check, false };
	struct err e = { .code = 0 };
	const char *reason;
	int rc;

	opt->report = report;
	opt->note = note;
	opt->ctx = &place;
	if (!opt->check)
		evw_mark_open(w, name);
	rc = afperf_decode(name, opt, w, &e);
	if (rc == ERR_STOP)
		c->status = c->status > CLI_DATA ? c->status : CLI_DATA;
	else if (rc != 0 && e.msg[0] != '\0')
		cli_error(c, name, &e);
	reason = rc == ERR_STOP               ? "interrupted"
	    : rc == ERR_SYS                   ? "failed"
	    : rc == ERR_DATA || place.refused ? "input incomplete or refused"
					      : NULL;
	if (!opt->check)
		evw_mark_end(w, reason == NULL, reason);
}

static size_t
number(const struct cli *c, const char *option)
{
	uint64_t v;

	if (!num_get_u64(slice_of(optarg), &v) || v > UINT32_MAX / 4)
		cli_usage(c, "%s: not a number up to %lu: %s", option,
		    (unsigned long)(UINT32_MAX / 4), optarg);
	return (size_t)v;
}

static bool
parse(struct cli *c, int argc, char **argv, struct afperf_decode_options *o)
{
	bool strict = false;
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		switch (opt) {
		case OPT_ALL: o->all = true; break;
		case OPT_WALL: o->wall = true; break;
		case OPT_LENIENT: o->lenient = true; break;
		case OPT_STRICT: strict = true; break;
		case OPT_CHECK: o->check = true; break;
		case OPT_WAIT: o->wait_max = number(c, "--wait"); break;
		case OPT_MAX_RECORD: o->record_max = number(c, "--max-record"); break;
		}
	}
	return strict;
}

int
main(int argc, char **argv)
{
	struct afperf_decode_options opt = { .record_max = AFPERF_RECORD_MAX,
		.wait_max = AFPERF_WAIT_MAX };
	struct cli c;
	struct evwrite w;
	struct err e;
	bool strict;

	cli_open(&c, argv[0], usage);
	strict = parse(&c, argc, argv, &opt);
	if (!evw_open(&w, STDOUT_FILENO, c.name)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	if (optind == argc)
		decode(&c, &w, &opt, strict, "-");
	for (; optind < argc && !evw_failed(&w) && !sig_stop(); optind++)
		decode(&c, &w, &opt, strict, argv[optind]);
	if (w.omitted > 0)
		cli_note(&c, "tags left out of lines that would be longer than 16 MiB: %llu",
		    (unsigned long long)w.omitted);
	return cli_finish(&c, &w.out);
}
