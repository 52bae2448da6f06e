/* SPDX-License-Identifier: ISC */
/*
 * pprof.h - a stream's stacks as a profile for pprof: the message Profile of pprof's profile.proto,
 * compressed with gzip.
 *
 *	p = pprof_new();
 *	pprof_set_labels(p, "comm,cpu", &e);		settings
 *	for each line: pprof_run(p, &ev, &e), or pprof_add(p, number, &ev, stack, &e)
 *	for each measure: pprof_name(p, &measure, &e)
 *	pprof_comment(p, "what the numbers do not contain") ...
 *	pprof_write(p, &out, &e);
 *	pprof_free(p);
 *
 * Memory grows with the number of distinct samples (stacks with labels) and of distinct locations.
 * The profile depends on the lines, not on their order, except for the order of the measures.
 */
#ifndef AFPIPE_PPROF_H
#define AFPIPE_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/keys.h"
#include "lib/out.h"
#include "lib/slice.h"

struct pprof;

#define PPROF_LABELS_MAX 16
#define PPROF_COLUMNS_MAX 64 /* measures */

/* Returns NULL if memory runs out. */
struct pprof *pprof_new(void);
void pprof_free(struct pprof *p);

/*
 * Sets the columns and tags, separated by commas, that become labels; "." means none.  The default
 * is the process, the thread and the processor.  Returns ERR_DATA for an empty word, a word that
 * appears twice, or too many words.
 */
int pprof_set_labels(struct pprof *p, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/* Passes on the tags that the labels need, if the user has named them. */
void pprof_reads(const struct pprof *p, ev_key_sink *sink, void *ctx);

/* Reads a line of kind run, which may give the time of day.  Fails only if memory runs out. */
int pprof_run(struct pprof *p, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Adds an event, or a sum or a count of afagg, to its STACK; if that is empty, the region is the
 * only frame.  Lines with the same NUMBER, which is below PPROF_COLUMNS_MAX, are of one measure,
 * and added up.  Returns ERR_DATA, with the line as its place, for a value that a profile cannot
 * hold exactly, and ERR_SYS if memory runs out.
 */
int pprof_add(struct pprof *p, size_t number, const struct ev *ev, struct slice stack,
    struct err *e) __attribute__((warn_unused_result));

/* A measure that lines have been added to, spelled as in the stream. */
struct pprof_measure {
	size_t number;
	struct slice name, unit;
};

/* Names a measure, once, before pprof_write.  Fails only if memory runs out. */
int pprof_name(struct pprof *p, const struct pprof_measure *m, struct err *e)
    __attribute__((warn_unused_result));

/* Adds a text for readers of the profile (pprof -comments).  Fails only if memory runs out. */
int pprof_comment(struct pprof *p, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores an error for the next label that the user has named and no line has.  *at is 0 at first.
 * Returns ERR_DATA, or 0 if there are no more.
 */
int pprof_missing(const struct pprof *p, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

/* Makes the measure with that number the one that pprof shows by default, if it has values. */
void pprof_show_first(struct pprof *p, size_t number);

/*
 * Writes the profile.  Returns ERR_DATA, and writes nothing, if a value or a total does not fit
 * into 64 bits, or if two types of samples have the same name, and ERR_SYS if memory runs out.
 * o->error has other failures.
 */
int pprof_write(struct pprof *p, struct out *o, struct err *e) __attribute__((warn_unused_result));

/* Returns the number of values that had more than 15 digits and were rounded. */
uint64_t pprof_rounded(const struct pprof *p);

/* Returns the number of measures that were written in a fraction of their unit. */
uint64_t pprof_fractions(const struct pprof *p);

/* Returns the number of stacks used without addresses or lines, which do not match the frames. */
uint64_t pprof_unplaced(const struct pprof *p);

#endif
