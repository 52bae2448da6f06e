/* SPDX-License-Identifier: ISC */
/*
 * encode.h - encodes the stream as AFPerf.
 *
 *	x = afperf_encode_open(&out);
 *	optionally afperf_encode_set(x, &options);
 *	for each line: afperf_encode_line(x, &ev, &e);
 *	afperf_encode_end(x, &e);
 *	then print the notes (afperf_encode_note)
 *	afperf_encode_close(x);
 *
 * Records are written as the lines come, as long as the run and measure of each line have been
 * defined before it.  Once a line without such definitions, or an agg line, comes, all further
 * records wait in a temporary file, and at the end the definitions are written before them.  Memory
 * grows only with the number of runs, measures and section labels, and with the number of regions,
 * sections and intervals that came from AFPerf.
 */
#ifndef AFPIPE_AFPERF_WRITE_ENCODE_H
#define AFPIPE_AFPERF_WRITE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/afperf/ids.h"

/*
 * An AFPerf file to which records are added, all or nothing.  The new records are copied from a
 * temporary file once it is complete.  The whole file is locked for writing (with fcntl) from the
 * open to the close.  Readers that do not lock it are not delayed.
 */
struct afperf_append {
	int fd;
	uint64_t size; /* of the original file */
	bool unended; /* its header, or a last comment, has no line break */
	bool runs_seen; /* it has a run, with or without an id */
	struct ids runs, regions, sections; /* ids in it, IDS_OPEN; the encoder takes them over */
};

/*
 * Opens the file, waits for its lock, and reads it.  Returns ERR_SYS if the file cannot be opened,
 * locked or read.  Returns ERR_DATA if it is not an AFPerf v1 file, cannot be split into records,
 * or its last record has no line break and may have been truncated.  Returns ERR_STOP if a signal
 * asked to stop.  After an error nothing is left open.
 */
int afperf_append_open(struct afperf_append *a, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Appends all of FROM.  Returns ERR_SYS if it could not be written completely; the file then has
 * its old length again (if even that failed, the message says so).  Returns ERR_DATA if another
 * program has changed the file in the meantime; the file is then left alone.  If a signal would end
 * the program, the file is first restored to its old length.
 */
int afperf_append_commit(struct afperf_append *a, int from, struct err *e)
    __attribute__((warn_unused_result));

void afperf_append_close(struct afperf_append *a);

struct afperf_encode;

/* The spelling of ids. */
enum afperf_spelling { AFPERF_AS_IT_IS, AFPERF_HEX, AFPERF_DECIMAL };

/* The record id of a processed aggregate that came from AFPerf. */
enum afperf_processed { AFPERF_KEEP_ID, AFPERF_BLANK_ID, AFPERF_RUN_ID };

/* { 0 } gives the behaviour of afenc without options. */
struct afperf_encode_options {
	bool number; /* blank ids become numbers */
	enum afperf_spelling spelling;
	bool type_numbers; /* record types by number */
	bool crlf;
	enum afperf_processed processed;
	struct afperf_append *append; /* the file to append to, or NULL */
	bool renumber; /* ids that the file already has are replaced */
};

/*
 * Opens an encoder.  o is borrowed until the close, and its failures are kept in it.  Returns NULL
 * when memory runs out.
 */
struct afperf_encode *afperf_encode_open(struct out *o);
/* Sets options, before the first line.  The encoder then owns the ids of append. */
void afperf_encode_set(struct afperf_encode *x, const struct afperf_encode_options *opt);
void afperf_encode_close(struct afperf_encode *x);

/*
 * Encodes a line.  Returns ERR_DATA if AFPerf cannot represent something in the line; the line is
 * then omitted.  Returns ERR_SYS if memory runs out or the temporary file fails; nothing more can
 * then be encoded.
 */
int afperf_encode_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes all records that have waited, or an empty container if there were no lines. */
int afperf_encode_end(struct afperf_encode *x, struct err *e) __attribute__((warn_unused_result));

/*
 * Reports omissions and additions, one sentence per call, in text, which ends with a NUL.  Start
 * with *at = 0.  Returns false when there are no more.
 */
bool afperf_encode_note(const struct afperf_encode *x, size_t *at, char *text, size_t size);

#endif
