/* SPDX-License-Identifier: ISC */
/* perundec.c - Perun profiles in, the stream out. */
#include <unistd.h>

#include "lib/cli.h"
#include "lib/sig.h"
#include "src/perun/decode.h"

static const char usage[] =
    "usage: perundec [--run ID] [FILE...]\n"
    "Decodes Perun's profiles (JSON, or the packed objects of its store) to a stream.\n"
    "\n"
    "  --run ID             use ID as the run id\n"
    "  --help, --version    say this, say which version this is\n";

enum { OPT_RUN = 1 };

static const struct option options[] = {
	{ "run", required_argument, NULL, OPT_RUN },
	CLI_LONG_OPTIONS,
};

/* The input that messages are about. */
struct place {
	struct cli *cli;
	const char *name;
};

static void
note(void *ctx, const char *text)
{
	const struct place *p = ctx;

	cli_note(p->cli, "%s: %s", p->name, text);
}

static const char *
end_reason(int rc)
{
	return rc == ERR_STOP ? "interrupted" : rc == ERR_DATA ? "damaged" : "failed";
}

/* One profile between its marks. */
static void
decode(struct cli *c, struct evwrite *w, struct perun_options *opt, const char *name)
{
	struct place place = { c, name };
	struct err e;
	int rc;

	opt->note = note;
	opt->ctx = &place;
	evw_mark_open(w, name);
	rc = perun_decode(name, opt, w, &e);
	if (rc == ERR_STOP)
		c->status = c->status > CLI_DATA ? c->status : CLI_DATA;
	else if (rc != 0)
		cli_error(c, name, &e);
	evw_mark_end(w, rc == 0, rc == 0 ? NULL : end_reason(rc));
}

int
main(int argc, char **argv)
{
	struct perun_options opt = { .run = NULL };
	struct cli c;
	struct evwrite w;
	struct err e;

	cli_open(&c, argv[0], usage);
	while (cli_option(&c, argc, argv, ":", options) == OPT_RUN) {
		if (*optarg == '\0')
			cli_usage(&c, "--run needs an id that is not empty");
		opt.run = optarg;
	}
	if (!evw_open(&w, STDOUT_FILENO, c.name)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	if (optind == argc)
		decode(&c, &w, &opt, "-");
	for (; optind < argc && !evw_failed(&w) && !sig_stop(); optind++)
		decode(&c, &w, &opt, argv[optind]);
	if (w.omitted > 0)
		cli_note(&c, "tags left out of lines that would be longer than 16 MiB: %llu",
		    (unsigned long long)w.omitted);
	return cli_finish(&c, &w.out);
}
