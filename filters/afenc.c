/* SPDX-License-Identifier: ISC */
/* afenc.c - the stream to an AFPerf file. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/afperf/encode.h"

static const char usage[] =
    "usage: afenc [--no-marks] [FILE...]\n"
    "\n"
    "Writes the runs, measures, samples, spans, pauses and aggregates of a stream as\n"
    "an AFPerf v1 file, and says on standard error what it had to leave out.\n"
    "\n"
    "      --no-marks  take the input as whole, whatever its marks say\n"
    "      --help      print this\n"
    "      --version   print the version\n";

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

int
main(int argc, char **argv)
{
	static const struct option longs[] = { { "no-marks", no_argument, NULL, 'n' },
		CLI_LONG_OPTIONS };
	struct cli c;
	struct out o;
	struct evread *r;
	struct afperf_encode *x = NULL;
	struct err e;
	enum came came;
	unsigned flags = 0;

	cli_open(&c, argv[0], usage);
	while (cli_option(&c, argc, argv, ":", longs) == 'n')
		flags |= EVREAD_NO_MARKS;
	r = evread_open(argv + optind, (size_t)(argc - optind), flags);
	if (r != NULL && out_open(&o, STDOUT_FILENO))
		x = afperf_encode_open(&o);
	if (x == NULL) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	evread_set_idle(r, &o);
	came = encode_lines(&c, r, x, &o);
	/* an empty input gives no file; a whole stream that says nothing, an empty container */
	if ((came == CAME_LINES || (came == CAME_NOTHING && c.status == CLI_OK)) &&
	    afperf_encode_end(x, &e) != 0)
		cli_error(&c, NULL, &e);
	say_notes(&c, x, &o);
	afperf_encode_close(x);
	evread_close(r);
	return cli_finish(&c, &o);
}
