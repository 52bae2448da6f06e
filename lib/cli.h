/* SPDX-License-Identifier: ISC */
/*
 * cli.h - the messages of every filter on standard error, and its exit status.
 *
 * Only filters link this: src and lib neither print nor exit.
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
#include "lib/report.h"

#define AFPIPE_VERSION "0.1.0"

enum cli_status {
	CLI_OK = 0, /* all was read and written */
	CLI_DATA = 1, /* input damaged, refused or incomplete; lines already written are valid */
	CLI_USAGE = 2,
	CLI_SYS = 3, /* open, read, write or memory failed */
};

/* State of the command line: the usage text (first line: the synopsis), the worst status so far. */
struct cli {
	const char *name; /* the program's, for messages */
	const char *usage;
	int status;
	unsigned said, noted; /* errors and notes so far, limited separately */
	const char *operand; /* the one being decoded, for messages */
	unsigned read; /* enum evread_flags, as the options request */
	bool strict; /* --strict: doubts are errors */
};

/*
 * The options that many filters share, and their text for --help.  Put one of these at the end of
 * a filter's own options.  cli_option handles all of them by itself.
 */
enum { CLI_NO_MARKS = 0x7f00, CLI_WHOLE, CLI_STRICT, CLI_MAX_MEMORY };
/* clang-format off */
#define CLI_DECODER_OPTIONS \
	{ "strict", no_argument, NULL, CLI_STRICT }, \
	{ "max-memory", required_argument, NULL, CLI_MAX_MEMORY }, \
	{ "help", no_argument, NULL, 'h' }, \
	{ "version", no_argument, NULL, 'V' }, \
	{ NULL, 0, NULL, 0 }
#define CLI_READER_OPTIONS \
	{ "no-marks", no_argument, NULL, CLI_NO_MARKS }, \
	{ "whole", no_argument, NULL, CLI_WHOLE }, \
	CLI_DECODER_OPTIONS
#define CLI_DECODER_HELP \
	"\n" \
	"  --strict             end with status 1 also for what is only doubtful\n" \
	"  --max-memory SIZE    use at most SIZE bytes, or SIZE K, M, G or T (half of the\n" \
	"                       machine's memory)\n" \
	"  --help, --version    print this, print the version\n"
#define CLI_READER_HELP \
	"\n" \
	"  --no-marks           take the input as whole, whatever its marks say\n" \
	"  --whole              check that each stream of the input begins and ends once, and\n" \
	"                       has all of its lines" CLI_DECODER_HELP
/* clang-format on */

/* Call first: installs the signal handlers and keeps the standard descriptors from being reused. */
void cli_open(struct cli *c, const char *argv0, const char *usage);

/*
 * getopt_long with our own messages.  It handles the options above and refuses unknown ones, so it
 * returns only the filter's own options, or -1 at the end.  Long options may not be abbreviated;
 * SHORTS begins with ':'.
 */
int cli_option(struct cli *c, int argc, char *const *argv, const char *shorts,
    const struct option *longs);

/* Reports what is wrong with the command line and exits with CLI_USAGE. */
_Noreturn void cli_usage(const struct cli *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Prints "prog: FILE: PLACE: text" and sets the status for e; FILE may be NULL.
 * A doubt does not change the status unless --strict was given.  After 20 messages further ones
 * are only counted, and cli_finish reports their number; the status is still kept.
 */
void cli_error(struct cli *c, const char *file, const struct err *e);

/* Prints "prog: text" and does not change the status. */
void cli_note(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a doubt: an error with status 1 if --strict was given. */
void cli_doubt(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* For failures before anything can be read or written: reports e and exits. */
_Noreturn void cli_die(struct cli *c, const struct err *e);

/*
 * Reads the next line of r; problems on the way are reported and counted.  False at the end.
 * If w is not NULL and has failed, it returns false at once.
 */
bool cli_next(struct cli *c, struct evread *r, const struct evwrite *w, struct ev *ev);

/*
 * Opens w on standard output and writes the opening mark of a filter that reads r
 * (for filters from stream to stream).  Exits when there is no memory.
 */
void cli_stream_open(struct cli *c, struct evwrite *w, struct evread *r);

/* Writes the end mark, partial if anything was wrong; the counts of r's marks are passed on. */
void cli_stream_end(struct cli *c, struct evwrite *w, const struct evread *r);

/*
 * For a reader that writes no stream, at its end: reports the counts in the marks of its input,
 * since no later program will.
 */
void cli_reader_end(struct cli *c, const struct evread *r);

/*
 * Decodes one operand to w.  Returns 0 or the worst of enum err_code; what is wrong has been
 * reported, unless it is in *e, whose message is empty at first.
 */
typedef int cli_decoder(const void *opt, const char *name, struct evwrite *w, struct err *e);

/* Prints what a decoder reports: errors, and notes as doubts.  Both about the operand. */
struct reporter cli_reporter(struct cli *c);

/*
 * The main loop of a decoder: opens w on standard output and decodes each operand, or standard
 * input if there is none, between its marks.  The end mark is partial if DECODE fails.
 */
void cli_decode(struct cli *c, struct evwrite *w, char *const *names, size_t n, cli_decoder *decode,
    const void *opt);

/* The same for a decoder that is only to report what is wrong, and writes no lines: no marks. */
void cli_check(struct cli *c, struct evwrite *w, char *const *names, size_t n, cli_decoder *decode,
    const void *opt);

/*
 * Writes what is left, closes standard output and returns the exit status.  If the
 * pipe was closed, the program ends by SIGPIPE.
 */
int cli_finish(struct cli *c, struct out *o);

/* The exit status of a program that has written nothing to standard output. */
int cli_end(struct cli *c);

#endif
