/* SPDX-License-Identifier: ISC */
/*
 * cli.h - what every filter says on standard error and how it exits.
 *
 * Only filters link this: the rest of the house neither prints nor exits.
 */
#ifndef AFPIPE_CLI_H
#define AFPIPE_CLI_H

#include <getopt.h>
#include <stdbool.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/out.h"

#define AFPIPE_VERSION "0.1.0"

enum cli_status {
	CLI_OK = 0, /* all was read and written */
	CLI_DATA = 1, /* input damaged, refused or incomplete; lines already written are valid */
	CLI_USAGE = 2,
	CLI_SYS = 3, /* open, read, write or memory failed */
};

/* A filter's face: its usage text (first line: the synopsis), and its worst status so far. */
struct cli {
	const char *name; /* the program's, for messages */
	const char *usage;
	int status;
	unsigned said, noted; /* errors and notes so far: none hides the other */
};

/* Every filter has these two; put them at the end of its options. */
/* clang-format off */
#define CLI_LONG_OPTIONS \
	{ "help", no_argument, NULL, 'h' }, \
	{ "version", no_argument, NULL, 'V' }, \
	{ NULL, 0, NULL, 0 }
/* clang-format on */

/* Call first: takes the signals over and keeps the three standard descriptors from being reused. */
void cli_open(struct cli *c, const char *argv0, const char *usage);

/*
 * getopt_long with our own messages.  Answers --help and --version and refuses
 * unknown options itself, so it returns an option of the filter's own, or -1 at
 * the end.  All long options of the suite are spelled out; SHORTS begins with ':'.
 */
int cli_option(struct cli *c, int argc, char *const *argv, const char *shorts,
    const struct option *longs);

/* Says what is wrong with the command line, and ends with CLI_USAGE. */
_Noreturn void cli_usage(const struct cli *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * "prog: FILE: PLACE: text", and the status that goes with e; FILE may be NULL.
 * After 20 messages only the statuses are kept; cli_finish says how many there were.
 */
void cli_error(struct cli *c, const char *file, const struct err *e);

/* "prog: text" that changes no status. */
void cli_note(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* For failures before there is anything to read or write: says e and ends. */
_Noreturn void cli_die(struct cli *c, const struct err *e);

/*
 * The next line of r; problems are said and counted on the way.  False at the end.
 * As long as w is not NULL and has failed, it returns false at once.
 */
bool cli_next(struct cli *c, struct evread *r, const struct evwrite *w, struct ev *ev);

/*
 * Opens w on standard output and writes the opening mark of a filter that reads r
 * (the stream's own filters).  Dies where there is no memory.
 */
void cli_stream_open(struct cli *c, struct evwrite *w, struct evread *r);

/* Writes its end mark, partial if anything was wrong; lost= and late= are carried on. */
void cli_stream_end(struct cli *c, struct evwrite *w, const struct evread *r);

/*
 * Writes what is left, closes standard output and returns the exit status.  A
 * closed pipe ends the program by SIGPIPE.
 */
int cli_finish(struct cli *c, struct out *o);

#endif
