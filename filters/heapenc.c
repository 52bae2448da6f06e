/* SPDX-License-Identifier: ISC */
/* heapenc.c - a stream of perundec in, Perun's heap map or heat map out, as JSON. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/perun/heap.h"

static const char usage[] =
    "usage: heapenc --heap|--heat [--compat] [FILE...]\n"
    "Makes the map of allocations that Perun draws from a memory profile; JSON, on one line.\n"
    "\n"
    "  --heap               in each snapshot, which blocks are allocated where\n"
    "  --heat               of each address, how many allocations have had it\n"
    "  --compat             fail where Perun does, and keep its quirks\n" CLI_READER_HELP;

enum { OPT_HEAP = 1, OPT_HEAT, OPT_COMPAT };

static const struct option options[] = {
	{ "heap", no_argument, NULL, OPT_HEAP },
	{ "heat", no_argument, NULL, OPT_HEAT },
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
};

struct asked {
	enum heap_what what;
	bool compat;
};

static void
parse(struct cli *c, int argc, char **argv, struct asked *a)
{
	int opt, map = 0;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		if (opt == OPT_COMPAT)
			a->compat = true;
		else if (map != 0 && map != opt)
			cli_usage(c, "only one of --heap and --heat can be asked for");
		else
			map = opt;
	}
	if (map == 0)
		cli_usage(c, "which map, --heap or --heat?");
	a->what = map == OPT_HEAP ? HEAP_MAP : HEAP_HEAT;
}

/* False if there will be no map: a document continued after an error would look complete. */
static bool
map_lines(struct cli *c, struct evread *r, struct heap *h, const struct out *o)
{
	struct ev ev;
	struct err e;
	bool any = false;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		any = true;
		if (heap_line(h, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		return false;
	}
	return o->error == 0 && (any || c->status == CLI_OK);
}

static void
say_notes(struct cli *c, const struct heap *h)
{
	char text[256];
	unsigned at = 0;

	while (heap_note(h, &at, text, sizeof text))
		cli_note(c, "%s", text);
}

int
main(int argc, char **argv)
{
	struct asked a = { .compat = false };
	struct cli c;
	struct out o;
	struct evread *r;
	struct heap *h;
	struct err e;
	bool whole;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &a);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	h = heap_open(&o, a.what, a.compat, &e);
	if (h == NULL)
		cli_die(&c, &e);
	evread_set_idle(r, &o);
	whole = map_lines(&c, r, h, &o);
	if (whole && heap_end(h, &e) != 0) {
		cli_error(&c, evread_name(r), &e);
		whole = false;
	}
	if (whole)
		say_notes(&c, h);
	heap_close(h);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
