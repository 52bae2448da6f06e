/* SPDX-License-Identifier: ISC */
/* perfdec.c - decodes perf.data to a stream. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cli.h"
#include "lib/esc.h"
#include "src/perfdata/perfdata.h"
#include "src/symbol/symbolizer.h"

#define MAX_STACK 127 /* as in perf */
#define CACHE_PATH_MAX 4096
#define PATH_SHOWN 4096 /* bytes of a path in a note */
#define FAILED_PATH_SHOWN 100 /* the same, spelled, in an error */

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
	OPT_DEBUG_DIR,
	OPT_FORCE,
	OPT_MISSING
};

#define WHAT CLI_ONE_OF(1)

static const struct cli_option options[] = {
	{ "symfs", "DIR", "look for object files below DIR", OPT_SYMFS, 0 },
	{ "buildid-dir", "DIR", "take object files from this build-id cache (default: ~/.debug)",
	    OPT_BUILDID_DIR, 0 },
	{ "debug-dir", "DIR", "take debug files from DIR (default: /usr/lib/debug)", OPT_DEBUG_DIR,
	    0 },
	{ "kallsyms", "FILE", "take kernel symbols from FILE", OPT_KALLSYMS, 0 },
	{ "force", NULL, "use object files that may not be the recorded ones", OPT_FORCE, 0 },
	{ "missing", NULL, "list all objects without symbols", OPT_MISSING, 0 },
	{ "no-symbols", NULL, "do not look up symbols in files; implies --frames", OPT_NO_SYMBOLS,
	    0 },
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

/* Spells "no symbols for PATH: REASON (N samples)". */
static void
spell_miss(const struct symbol_miss *miss, char *text, size_t size)
{
	char path[PATH_SHOWN * ESC_MAX_GROWTH];
	size_t n = esc_write(path, miss->path.p,
	    miss->path.len < PATH_SHOWN ? miss->path.len : PATH_SHOWN, ESC_COLUMN);

	if (miss->failed && n > FAILED_PATH_SHOWN)
		n = FAILED_PATH_SHOWN;
	snprintf(text, size, "no symbols for %.*s: %.100s (%" PRIu64 " sample%s)", (int)n, path,
	    miss->reason, miss->samples, miss->samples == 1 ? "" : "s");
}

/* Reports an object whose symbols may exist, because the system failed. */
static void
say_failure(struct cli *c, const struct symbol_miss *miss)
{
	struct err e = { .code = ERR_SYS, .ceiling = miss->ceiling };

	spell_miss(miss, e.msg, sizeof e.msg);
	cli_error(c, NULL, &e);
}

static void
say_forced(const struct cli *c, const struct symbol_miss *miss)
{
	char path[PATH_SHOWN * ESC_MAX_GROWTH];
	size_t n = esc_write(path, miss->path.p,
	    miss->path.len < PATH_SHOWN ? miss->path.len : PATH_SHOWN, ESC_COLUMN);

	cli_list(c, "the names of %.*s are a guess: %s", (int)n, path, miss->reason);
}

/* The objects without symbols that are only counted. */
struct others {
	size_t n;
	uint64_t samples;
};

/*
 * Reports one miss.  Without --missing, only the kernel, because an option may give its file, and
 * the other object with the most samples are named.
 */
static void
say_miss(struct cli *c, const struct symbol_miss *miss, bool all, struct others *others)
{
	bool kernel = miss->path.len > 0 && miss->path.p[0] == '[';
	char text[PATH_SHOWN * ESC_MAX_GROWTH + 256];

	spell_miss(miss, text, sizeof text);
	if (miss->failed)
		say_failure(c, miss);
	else if (miss->forced)
		say_forced(c, miss);
	else if (all)
		cli_list(c, "%s", text);
	else if (!miss->normal && (kernel || others->n++ == 0))
		cli_note(c, "%s", text);
	else if (!miss->normal)
		others->samples += miss->samples;
}

/*
 * Reports names that are missing because a file is missing.  To the user this looks like code
 * without names.
 */
static void
say_misses(struct cli *c, struct symbol_engine *engine, bool all)
{
	struct others others = { 0, 0 };
	struct symbol_miss miss;
	struct err e;
	size_t pos = 0;
	bool said = false;

	while (symbol_engine_next_miss(engine, &pos, &miss)) {
		say_miss(c, &miss, all, &others);
		said |= miss.failed;
	}
	if (others.n > 1)
		cli_note(c,
		    "no symbols for %zu other object%s (%" PRIu64
		    " sample%s); --missing lists them",
		    others.n - 1, others.n == 2 ? "" : "s", others.samples,
		    others.samples == 1 ? "" : "s");
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

/* What the program itself has to do. */
struct choices {
	bool symbols, unwind;
	bool missing; /* list the objects without symbols */
};

static void
parse(struct cli *c, int argc, char **argv, struct perf_options *po, struct symbol_options *so,
    struct choices *want)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_SYMFS: so->symfs = optarg; break;
		case OPT_BUILDID_DIR: so->build_id_cache = optarg; break;
		case OPT_DEBUG_DIR: so->debug_dir = optarg; break;
		case OPT_KALLSYMS: so->kallsyms = optarg; break;
		case OPT_NO_SYMBOLS:
			want->symbols = false;
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
		case OPT_FORCE: so->force = true; break;
		case OPT_MISSING: want->missing = true; break;
		case OPT_NO_DEMANGLE: so->mangled = true; break;
		case OPT_NO_UNWIND: want->unwind = false; break;
		case OPT_MAX_STACK:
			po->max_stack = cli_number(c, "--max-stack", 1, PERF_STACK_MAX);
			break;
		}
	}
	if (want->missing && !want->symbols)
		cli_usage(c, "--missing does not go with --no-symbols, which looks for nothing");
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
	struct choices want = { .symbols = true, .unwind = true };

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j.opt, &so, &want);
	set_cache(&so, cache, sizeof cache);
	j.engine = open_symbols(&c, &so);
	face = symbol_engine_face(j.engine);
	j.opt.symbolizer = want.symbols ? &face : NULL;
	j.opt.speller = &face;
	j.opt.unwinder = want.unwind ? &face : NULL;
	cli_decode(&c, &w, decode, &j);
	say_misses(&c, j.engine, want.missing);
	symbol_engine_close(j.engine);
	return cli_finish(&c, &w.out);
}
