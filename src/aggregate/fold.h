/* SPDX-License-Identifier: ISC */
/*
 * fold.h - folds events, aggregates, or changes of aggregates into stacks for flamegraph.pl:
 * sorted, each stack once, with its weight, or with those before and after the change.
 *
 *	f = fold_new();
 *	fold_set_root(f, "comm", &e) ...		settings
 *	for each line: fold_line(f, &ev, &e);
 *	fold_write(f, &out, &e);
 *	fold_free(f);
 *
 * Memory grows with the number of distinct stacks.
 */
#ifndef AFPIPE_FOLD_H
#define AFPIPE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

struct fold;

#define FOLD_ROOTS_MAX 16

/* Returns NULL if memory runs out. */
struct fold *fold_new(void);
void fold_free(struct fold *f);

/*
 * Sets the columns and tags, separated by commas, that become the first frames of each stack if a
 * line has them.  "." means none, and the default is "comm".  Returns ERR_DATA for an empty word or
 * too many.
 */
int fold_set_root(struct fold *f, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Sets the only measure to use; the default is the first one that is not inclusive.  In both cases
 * only the first unit is used, which comes from the line's unit tag or its measure line.
 */
int fold_set_measure(struct fold *f, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Sets the only kind of lines to use.  The default is sample and span, or agg, or diff, whichever
 * comes first.
 */
void fold_set_kind(struct fold *f, const char *kind);

/* Adds up all measures.  Differing units are noted. */
void fold_all_measures(struct fold *f);

/* Makes the number of events the weight, instead of the sum of their values. */
void fold_count(struct fold *f);

/*
 * Reads the next line, of any kind.  Returns ERR_DATA, with the line as its place, for a value that
 * is not a number, ERR_DATA for the first of groups that overlap, and ERR_SYS if memory runs out.
 */
int fold_line(struct fold *f, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes all stacks in bytewise order.  Fails only if memory runs out.  o->error has other
 * failures.
 */
int fold_write(struct fold *f, struct out *o, struct err *e) __attribute__((warn_unused_result));

/* Reports what was omitted, one text per call.  Start with *at = 0.  Returns false at the end. */
bool fold_note(const struct fold *f, size_t *at, char *text, size_t size);

#endif
