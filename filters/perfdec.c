/* SPDX-License-Identifier: ISC */
/* perfdec.c - decodes perf.data to a stream. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cli.h"
#include "lib/esc.h"
#include "src/perfdata/perfdata.h"
#include "src/symbol/symbolizer.h"

#define MAX_STACK 127 /* as in perf */
#define CACHE_PATH_MAX 4096
#define PATH_SHOWN 128 /* bytes of a path in a message */

enum {
	OPT_SYMFS = 1,
	OPT_KALLSYMS,
	OPT_NO_SYMBOLS,
	OPT_FRAMES,
	OPT_ALL,
	OPT_HEADER,
	OPT_STATS,
	OPT_RUN,
	OPT_NO_SPOOL,
	OPT_NO_UNWIND,
	OPT_MAX_STACK,
	OPT_NO_DEMANGLE,
	OPT_BUILDID_DIR,
	OPT_DEBUG_DIR
};

#define WHAT CLI_ONE_OF(1)

static const struct cli_option options[] = {
	{ "symfs", "DIR", "look for object files below DIR", OPT_SYMFS, 0 },
	{ "buildid-dir", "DIR", "take object files from this build-id cache (default: ~/.debug)",
	    OPT_BUILDID_DIR, 0 },
	{ "debug-dir", "DIR", "take debug files from DIR (default: /usr/lib/debug)", OPT_DEBUG_DIR,
	    0 },
	{ "kallsyms", "FILE", "take kernel symbols from FILE", OPT_KALLSYMS, 0 },
	{ "no-symbols", NULL, "do not look up symbols; implies --frames", OPT_NO_SYMBOLS, 0 },
	{ "no-demangle", NULL, "print names of C++, Rust and D functions as in the object files",
	    OPT_NO_DEMANGLE, 0 },
	{ "frames", NULL, "print the place of each frame, for a later look-up", OPT_FRAMES, 0 },
	{ "no-unwind", NULL, "do not look for callers in copies of stacks", OPT_NO_UNWIND, 0 },
	{ "max-stack", "N", "unwind at most N frames of a stack (default: 127)", OPT_MAX_STACK, 0 },
	{ "all", NULL, "print every record, not only samples and losses", OPT_ALL, WHAT },
	{ "header", NULL, "print only the contents of the header", OPT_HEADER, WHAT },
	{ "stats", NULL, "print only the number of records of each type", OPT_STATS, WHAT },
	{ "run", "ID", "use ID as the run id", OPT_RUN, 0 },
	{ "no-spool", NULL, "read a file from a pipe in one pass, without the names at its end",
	    OPT_NO_SPOOL, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Decodes perf.data (a file, a directory, or perf's pipe format) to a stream.\n",
	.options = options,
	.kind = CLI_DECODER,
};

struct job {
	struct perf_options opt;
	struct symbol_engine *engine;
};

static int
decode(const void *job, const char *name, struct evwrite *w, struct err *e)
{
	const struct job *j = job;
	struct err reported;
	int rc = perf_decode(name, &j->opt, w, &reported);

	(void)e;
	return rc == 0 && symbol_engine_failed(j->engine) ? ERR_SYS : rc;
}

/* Reports an object without names as a note, or as an error if the system failed. */
static void
say_miss(struct cli *c, const struct symbol_miss *miss)
{
	struct err e = { .code = ERR_SYS, .ceiling = miss->ceiling };
	char path[PATH_SHOWN * ESC_MAX_GROWTH];
	size_t n = esc_write(path, miss->path.p,
	    miss->path.len < PATH_SHOWN ? miss->path.len : PATH_SHOWN, ESC_COLUMN);

	snprintf(e.msg, sizeof e.msg, "no symbols for %s%.*s: %.100s",
	    miss->partly ? "some code of " : "", (int)(n < PATH_SHOWN ? n : PATH_SHOWN), path,
	    miss->reason);
	if (miss->failed)
		cli_error(c, NULL, &e);
	else
		cli_note(c, "%s", e.msg);
}

/*
 * Reports names that are missing because a file is missing.  To the user this looks like code
 * without names.  The message names the kernel, because an option may give its file, a jitdump of
 * which only some is not used, because recording otherwise would help, and the first other object.
 */
static void
say_misses(struct cli *c, struct symbol_engine *engine)
{
	struct symbol_miss miss;
	struct err e;
	size_t pos = 0, others = 0;
	bool said = false;

	while (symbol_engine_next_miss(engine, &pos, &miss)) {
		bool other =
		    miss.path.len > 0 && miss.path.p[0] != '[' && !miss.failed && !miss.partly;

		if (!other || others == 0)
			say_miss(c, &miss);
		said |= miss.failed;
		others += other;
	}
	if (others > 1)
		cli_note(c, "no symbols for %zu other objects", others - 1);
	if (!said && symbol_engine_failed(engine)) {
		err_nomem(&e);
		cli_error(c, NULL, &e);
	}
}

static struct symbol_engine *
open_symbols(struct cli *c, const struct symbol_options *so)
{
	struct err e;
	struct symbol_engine *engine = symbol_engine_open(so, &e);

	if (engine == NULL)
		cli_die(c, &e);
	return engine;
}

static void
parse(struct cli *c, int argc, char **argv, struct perf_options *po, struct symbol_options *so,
    bool *symbols, bool *unwind)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_SYMFS: so->symfs = optarg; break;
		case OPT_BUILDID_DIR: so->build_id_cache = optarg; break;
		case OPT_DEBUG_DIR: so->debug_dir = optarg; break;
		case OPT_KALLSYMS: so->kallsyms = optarg; break;
		case OPT_NO_SYMBOLS:
			*symbols = false;
			po->frames = true;
			break;
		case OPT_FRAMES: po->frames = true; break;
		case OPT_ALL: po->all = true; break;
		case OPT_HEADER: po->header = true; break;
		case OPT_STATS: po->stats = true; break;
		case OPT_RUN:
			if (*optarg == '\0')
				cli_usage(c, "--run needs an id that is not empty");
			po->run = optarg;
			break;
		case OPT_NO_SPOOL: po->no_spool = true; break;
		case OPT_NO_DEMANGLE: so->mangled = true; break;
		case OPT_NO_UNWIND: *unwind = false; break;
		case OPT_MAX_STACK:
			po->max_stack = cli_number(c, "--max-stack", 1, PERF_STACK_MAX);
			break;
		}
	}
}

/* Sets perf's own build-id cache, unless another folder serves as / or the option names one. */
static void
set_cache(struct symbol_options *so, char *path, size_t size)
{
	const char *home = getenv("HOME");
	int n = -1;

	if (so->build_id_cache != NULL || so->symfs != NULL || home == NULL || home[0] != '/')
		return;
	n = snprintf(path, size, "%s/.debug", home);
	if (n > 0 && (size_t)n < size)
		so->build_id_cache = path;
}

int
main(int argc, char **argv)
{
	struct symbol_options so = { .build_id_cache = NULL };
	struct cli c;
	struct job j = { .opt = { .to = cli_reporter(&c), .max_stack = MAX_STACK } };
	struct symbolizer face;
	char cache[CACHE_PATH_MAX];
	struct evwrite w;
	bool symbols = true, unwind = true;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j.opt, &so, &symbols, &unwind);
	set_cache(&so, cache, sizeof cache);
	j.engine = open_symbols(&c, &so);
	face = symbol_engine_face(j.engine);
	j.opt.symbolizer = symbols ? &face : NULL;
	j.opt.unwinder = unwind ? &face : NULL;
	cli_decode(&c, &w, decode, &j);
	say_misses(&c, j.engine);
	symbol_engine_close(j.engine);
	return cli_finish(&c, &w.out);
}
