/* SPDX-License-Identifier: ISC */
/*
 * lookup.h - common to programs that look up symbols: options, and messages at the end.
 */
#ifndef AFPIPE_SYMBOL_LOOKUP_H
#define AFPIPE_SYMBOL_LOOKUP_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/file.h"
#include "lib/out.h"
#include "lib/report.h"
#include "src/symbol/symbolizer.h"

/* { .missing = false } is valid before lookup_option. */
struct lookup {
	struct symbol_options options;
	bool missing; /* --missing was given */
	struct symbol_engine *engine;
	struct symbolizer face;
	char cache[FILE_PATH_MAX];
};

/* The ids of the options, above those of any program. */
enum {
	LOOKUP_SYMFS = 1000,
	LOOKUP_BUILDID_DIR,
	LOOKUP_DEBUG_DIR,
	LOOKUP_KALLSYMS,
	LOOKUP_FORCE,
	LOOKUP_MISSING,
	LOOKUP_INLINE,
	LOOKUP_SRCLINE,
	LOOKUP_NO_DEMANGLE,
};

/* Rows for the program's table of struct cli_option.  missing is the text of --missing. */
#define LOOKUP_OPTIONS(missing) \
	{ "symfs", "DIR", "look for object files below DIR", LOOKUP_SYMFS, 0 }, \
	    { "buildid-dir", "DIR", "a cache of object files by build id (default: ~/.debug)", \
		    LOOKUP_BUILDID_DIR, 0 }, \
	    { "debug-dir", "DIR", "debug files are in DIR (default: /usr/lib/debug)", \
		    LOOKUP_DEBUG_DIR, 0 }, \
	    { "kallsyms", "FILE", "take kernel symbols from FILE", LOOKUP_KALLSYMS, 0 }, \
	    { "force", NULL, "use object files that may not be the recorded ones", LOOKUP_FORCE, \
		    0 }, \
	    { "missing", NULL, missing, LOOKUP_MISSING, 0 }, \
	    { "inline", NULL, "add the functions that the compiler inlined", LOOKUP_INLINE, 0 }, \
	    { "srcline", NULL, "print source lines", LOOKUP_SRCLINE, 0 }, \
	{ \
		"no-demangle", NULL, "leave names of C++, Rust and D functions as they are", \
		    LOOKUP_NO_DEMANGLE, 0 \
	}

/* Takes one of these options.  argument is borrowed. */
void lookup_option(struct lookup *l, int id, const char *argument);

/*
 * Opens the engine.  Takes perf's own build-id cache, unless another directory serves as / or an
 * option names one.  Returns 0, or the code of *e: a file or folder that an option names is not
 * there, or memory has run out.
 */
int lookup_open(struct lookup *l, struct err *e) __attribute__((warn_unused_result));
void lookup_close(struct lookup *l);

/*
 * Writes the objects without symbols, those with the most samples first: lines of path, build id
 * (or "."), number of samples and reason, separated by TABs and escaped as in the stream.  Those
 * that are no files, such as the kernel, are reported.
 */
void lookup_list_missing(const struct lookup *l, struct out *o, const struct reporter *to);

/*
 * Reports names that are missing because a file is missing; to the user this looks like code
 * without names.  Objects whose symbols may exist, because the system failed, are errors.  With
 * --missing all objects are listed.
 */
void lookup_report(struct lookup *l, const struct reporter *to);

#endif
