/* SPDX-License-Identifier: ISC */
/* afsym.c - gives the lines of a stream the names of the places in their frames. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cli.h"
#include "lib/esc.h"
#include "src/symbol/resolve.h"
#include "src/symbol/symbolizer.h"

enum {
	OPT_SYMFS = 1,
	OPT_KALLSYMS,
	OPT_NO_DEMANGLE,
	OPT_BUILDID_DIR,
	OPT_DEBUG_DIR,
	OPT_INLINE,
	OPT_SRCLINE,
};

static const struct cli_option options[] = {
	{ "symfs", "DIR", "look for object files below DIR", OPT_SYMFS, 0 },
	{ "buildid-dir", "DIR", "take object files from this build-id cache (default: ~/.debug)",
	    OPT_BUILDID_DIR, 0 },
	{ "debug-dir", "DIR", "take debug files from DIR (default: /usr/lib/debug)", OPT_DEBUG_DIR,
	    0 },
	{ "kallsyms", "FILE", "take kernel symbols from FILE", OPT_KALLSYMS, 0 },
	{ "inline", NULL, "add the functions that the compiler inlined", OPT_INLINE, 0 },
	{ "srcline", NULL, "print the lines of source", OPT_SRCLINE, 0 },
	{ "no-demangle", NULL, "print names of C++, Rust and D functions as in the object files",
	    OPT_NO_DEMANGLE, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Gives a stream the names of the places in its frames tags, as perfdec does\n"
		 "while it decodes; for streams from perfdec --no-symbols.\n",
	.options = options,
	.kind = CLI_READER,
};

static void
parse(struct cli *c, int argc, char **argv, struct symbol_options *so)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_SYMFS: so->symfs = optarg; break;
		case OPT_BUILDID_DIR: so->build_id_cache = optarg; break;
		case OPT_DEBUG_DIR: so->debug_dir = optarg; break;
		case OPT_KALLSYMS: so->kallsyms = optarg; break;
		case OPT_INLINE: so->wanted |= SYM_INLINED; break;
		case OPT_SRCLINE: so->wanted |= SYM_LINES; break;
		case OPT_NO_DEMANGLE: so->mangled = true; break;
		}
	}
}

/* Processes all lines.  Returns false when the system failed. */
static bool
resolve_all(struct cli *c, struct resolver *x, struct evread *r, struct evwrite *w)
{
	struct ev ev;
	struct err e;
	int rc;

	while (cli_next(c, r, w, &ev)) {
		if ((rc = resolver_line(x, &ev, w, &e)) == 0)
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
	if (n->samples != 0 && n->resolved == 0)
		cli_note(c,
		    "no sample has a frames tag, so there is nothing to look up "
		    "(perfdec --no-symbols or --frames writes it)");
	else if (n->samples != n->resolved)
		cli_note(c, "%llu of %llu samples have no frames tag and keep their names",
		    (unsigned long long)(n->samples - n->resolved), (unsigned long long)n->samples);
	if (n->expanded != 0)
		cli_note(c, "%llu samples have inlined functions already and are unchanged",
		    (unsigned long long)n->expanded);
}

int
main(int argc, char **argv)
{
	struct symbol_options so = { .build_id_cache = NULL };
	struct symbol_engine *engine;
	struct symbolizer face;
	struct resolver *x;
	struct evread *r;
	struct evwrite w;
	struct cli c;
	struct err e;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &so);
	if ((engine = symbol_engine_open(&so, &e)) == NULL)
		cli_die(&c, &e);
	face = symbol_engine_face(engine);
	if ((x = resolver_open(&face)) == NULL)
		cli_die_of_memory(&c);
	r = cli_read(&c);
	cli_stream_open(&c, &w, r);
	if (resolve_all(&c, x, r, &w) && !evw_failed(&w))
		report_counts(&c, resolver_counts(x));
	cli_stream_end(&c, &w, r);
	resolver_close(x);
	symbol_engine_close(engine);
	evread_close(r);
	return cli_finish(&c, &w.out);
}
