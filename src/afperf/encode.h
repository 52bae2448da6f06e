/* SPDX-License-Identifier: ISC */
/*
 * encode.h - the stream to AFPerf.
 *
 *	x = afperf_encode_open(&out);
 *	perhaps afperf_encode_set(x, &options);
 *	for each line: afperf_encode_line(x, &ev, &e);
 *	afperf_encode_end(x, &e);
 *	then say the notes
 *	afperf_encode_close(x);
 *
 * As long as each line's run and measure have been defined before it, records are
 * written as the lines come.  From the first line on where that is not so, and from
 * the first agg line on, records wait in a temporary file, and the definitions are
 * written before them at the end.  Memory grows with the number of runs, measures
 * and section labels only, and with that of the regions, sections and intervals of what
 * was AFPerf before.
 */
#ifndef AFPIPE_AFPERF_ENCODE_H
#define AFPIPE_AFPERF_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/afperf/append.h"

struct afperf_encode;

/* How ids are spelled. */
enum afperf_spelling { AFPERF_AS_IT_IS, AFPERF_HEX, AFPERF_DECIMAL };

/* The record id of a processed aggregate that was AFPerf. */
enum afperf_processed { AFPERF_KEEP_ID, AFPERF_BLANK_ID, AFPERF_RUN_ID };

/* { 0 } is what afenc does without options. */
struct afperf_encode_options {
	bool number; /* blank ids become numbers */
	enum afperf_spelling spelling;
	bool type_numbers; /* record types by number */
	bool crlf;
	enum afperf_processed processed;
	struct afperf_append *append; /* what is added to, or NULL */
	bool renumber; /* ids that it has already get others */
};

/* o is borrowed until the close; its failures stay in it.  NULL when there is no memory. */
struct afperf_encode *afperf_encode_open(struct out *o);
/* Before the first line; what append has is the encoder's from then on. */
void afperf_encode_set(struct afperf_encode *x, const struct afperf_encode_options *opt);
void afperf_encode_close(struct afperf_encode *x);

/*
 * ERR_DATA: the line says something that AFPerf cannot hold, and is left out.
 * ERR_SYS: no memory, or no temporary file; nothing more can be encoded.
 */
int afperf_encode_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes all that is still held back; without any line, an empty container. */
int afperf_encode_end(struct afperf_encode *x, struct err *e) __attribute__((warn_unused_result));

/*
 * What was left out, or made up, one sentence a call: text is filled, with a NUL
 * at its end.  Start with *at = 0; false when there is no more.
 */
bool afperf_encode_note(const struct afperf_encode *x, unsigned *at, char *text, size_t size);

#endif
