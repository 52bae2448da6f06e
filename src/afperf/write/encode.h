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
 * As long as each line's run and measure have been defined before it, records are
 * written as the lines come.  From the first line without such a definition, or the
 * first agg line, records wait in a temporary file, and the definitions are written
 * before them at the end.  Memory grows only with the number of runs, measures and
 * section labels, and with the number of regions, sections and intervals that came
 * from AFPerf.
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
 * An AFPerf file to which records are added, all or nothing: the new records come from a temporary
 * file, once that is complete.  The file is locked (fcntl, for writing, all of it) from the open to
 * the close; readers that do not lock it are not held up.
 */
struct afperf_append {
	int fd;
	uint64_t size; /* of the original file */
	bool unended; /* its header, or a last comment, has no line break */
	bool runs_seen; /* it has a run, with an id or without */
	struct ids runs, regions, sections; /* ids in it, IDS_OPEN; the encoder takes them over */
};

/*
 * Opens the file, waits for its lock, and reads it.  ERR_SYS if it cannot be opened, locked or
 * read; ERR_DATA if it is not an AFPerf v1 file, cannot be cut into records, or its last
 * record has no line break and may have been cut; ERR_STOP.
 * Nothing is left open on an error.
 */
int afperf_append_open(struct afperf_append *a, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Adds all of FROM.  ERR_SYS: it could not be written completely, and the file has its old length
 * again (the message states it if even that failed).  ERR_DATA: something else has changed the
 * file meanwhile, and it is left alone.  A signal that would end the program first restores the
 * file's old length, then ends the program.
 */
int afperf_append_commit(struct afperf_append *a, int from, struct err *e)
    __attribute__((warn_unused_result));

void afperf_append_close(struct afperf_append *a);

struct afperf_encode;

/* The spelling of ids. */
enum afperf_spelling { AFPERF_AS_IT_IS, AFPERF_HEX, AFPERF_DECIMAL };

/* The record id of a processed aggregate that came from AFPerf. */
enum afperf_processed { AFPERF_KEEP_ID, AFPERF_BLANK_ID, AFPERF_RUN_ID };

/* { 0 } is the behaviour of afenc without options. */
struct afperf_encode_options {
	bool number; /* blank ids become numbers */
	enum afperf_spelling spelling;
	bool type_numbers; /* record types by number */
	bool crlf;
	enum afperf_processed processed;
	struct afperf_append *append; /* the file to append to, or NULL */
	bool renumber; /* ids that this file already has are replaced */
};

/* o is borrowed until the close; its failures are kept in it.  NULL when there is no memory. */
struct afperf_encode *afperf_encode_open(struct out *o);
/* Call before the first line; the encoder then owns the ids of append. */
void afperf_encode_set(struct afperf_encode *x, const struct afperf_encode_options *opt);
void afperf_encode_close(struct afperf_encode *x);

/*
 * ERR_DATA: the line has something that AFPerf cannot represent, and is left out.
 * ERR_SYS: no memory, or no temporary file; nothing more can be encoded.
 */
int afperf_encode_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes all that is still held back; if there were no lines, an empty container. */
int afperf_encode_end(struct afperf_encode *x, struct err *e) __attribute__((warn_unused_result));

/*
 * Reports what was left out or supplied, one sentence per call: fills text, with a
 * NUL at its end.  Start with *at = 0; false when there are no more.
 */
bool afperf_encode_note(const struct afperf_encode *x, size_t *at, char *text, size_t size);

#endif
