/* SPDX-License-Identifier: ISC */
/* csvenc.c - a stream in, a CSV table of its lines out. */
#include <unistd.h>

#include "lib/cli.h"
#include "lib/kinds.h"
#include "src/sheet/sheet.h"

#define KINDS_MAX 256

static const char usage[] =
    "usage: csvenc [--columns NAMES] [--kind KIND[,KIND...]] [--escaped] [FILE...]\n"
    "Writes a stream as CSV (RFC 4180), the names of the columns first.\n"
    "\n"
    "  --columns NAMES          these columns and tags, separated by commas, at once (all)\n"
    "  --kind KIND[,KIND...]    lines of these kinds, or all (all but run, measure, section\n"
    "                           and header)\n"
    "  --escaped                keep the stream's escapes\n" CLI_READER_HELP;

enum { OPT_COLUMNS = 1, OPT_KIND, OPT_ESCAPED, OPT_PERUN, OPT_COMPAT };

static const struct option options[] = {
	{ "columns", required_argument, NULL, OPT_COLUMNS },
	{ "kind", required_argument, NULL, OPT_KIND },
	{ "escaped", no_argument, NULL, OPT_ESCAPED },
	{ "perun", no_argument, NULL, OPT_PERUN }, /* these two have moved */
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
};

struct wanted {
	const char *columns; /* NULL: all */
	struct slice kind[KINDS_MAX]; /* none: the usual ones */
	size_t kinds;
	bool every_kind, escaped;
};

static void
add_kinds(struct cli *c, struct wanted *w, const char *text)
{
	for (;;) {
		struct slice kind = { text, strcspn(text, ",") };

		if (kind.len == 0)
			cli_usage(c, "--kind: an empty name");
		if (w->kinds == KINDS_MAX)
			cli_usage(c, "--kind: more than %d names", KINDS_MAX);
		w->every_kind |= slice_eq(kind, SLICE("all"));
		w->kind[w->kinds++] = kind;
		text += kind.len;
		if (*text++ == '\0')
			return;
	}
}

static void
parse(struct cli *c, int argc, char **argv, struct wanted *w)
{
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1)
		switch (opt) {
		case OPT_COLUMNS: w->columns = optarg; break;
		case OPT_KIND: add_kinds(c, w, optarg); break;
		case OPT_ESCAPED: w->escaped = true; break;
		case OPT_PERUN: cli_usage(c, "--perun is now 'perunquery frame'");
		case OPT_COMPAT: cli_usage(c, "--compat is now 'perunquery --compat frame'");
		}
	if (w->columns != NULL && w->columns[0] == '\0')
		cli_usage(c, "--columns: which?");
}

static bool
is_wanted(const struct wanted *w, struct slice kind)
{
	const struct kind *known;
	size_t i;

	if (w->kinds == 0) {
		known = kind_named(kind);
		return known == NULL || !known->about;
	}
	for (i = 0; i < w->kinds; i++)
		if (slice_eq(w->kind[i], kind))
			return true;
	return w->every_kind;
}

static void
say_unseen(struct cli *c, const struct sheet *s)
{
	size_t i = 0;
	struct slice name;

	while (sheet_unseen(s, &i, &name))
		cli_note(c, "no line has %.*s", (int)name.len, name.p);
}

static void
make_sheet(struct cli *c, struct evread *r, const struct wanted *w, struct sheet *s,
    const struct out *o)
{
	uint64_t lines = 0, taken = 0, large = 0;
	struct ev ev;
	struct err e;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		lines++;
		if (!is_wanted(w, ev.col[EV_KIND])) {
			large += ev_is_large_resource(&ev);
			continue;
		}
		taken++;
		if (sheet_line(s, &ev, &e) != 0) {
			cli_error(c, evread_name(r), &e);
			return;
		}
	}
	if (sheet_end(s, &e) != 0)
		cli_error(c, NULL, &e);
	if (large > 0)
		cli_note(c, "left out resources larger than 1 MiB: %llu (see perunquery)",
		    (unsigned long long)large);
	if (lines != 0 && taken == 0)
		cli_note(c, "left out all lines: none is of the kinds that are wanted");
	else if (taken != 0)
		say_unseen(c, s);
}

static void
sheet_of(struct cli *c, struct evread *r, const struct wanted *w, struct out *o)
{
	struct sheet *s = sheet_open(o);
	struct err e;

	if (s == NULL) {
		err_nomem(&e);
		cli_die(c, &e);
	}
	if (w->escaped)
		sheet_keep_escapes(s);
	if (w->columns != NULL && sheet_name(s, w->columns, &e) != 0) {
		if (e.code == ERR_DATA)
			cli_usage(c, "--columns: %s", e.msg);
		cli_die(c, &e);
	}
	make_sheet(c, r, w, s, o);
	sheet_close(s);
}

int
main(int argc, char **argv)
{
	struct wanted w = { .kinds = 0 };
	struct cli c;
	struct out o;
	struct evread *r;
	struct err e;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &w);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	evread_set_idle(r, &o);
	sheet_of(&c, r, &w, &o);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
