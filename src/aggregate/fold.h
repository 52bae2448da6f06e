/* SPDX-License-Identifier: ISC */
/*
 * fold.h - folds events to stacks for flamegraph.pl: sorted, each stack once.
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

/* NULL when there is no memory. */
struct fold *fold_new(void);
void fold_free(struct fold *f);

/*
 * Columns and tags, separated by commas, that become the first frames of each stack if a line has
 * them; "." for none ("comm" if never called).  ERR_DATA for an empty word or too many.
 */
int fold_set_root(struct fold *f, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The only measure to take; without it the first one that is not inclusive.  In both cases only
 * the first unit is taken, from the line's tag unit or its measure line.
 */
int fold_set_measure(struct fold *f, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/* The only kind of lines to take; without it sample and span, or agg, whichever comes first. */
void fold_set_kind(struct fold *f, const char *kind);

/* Adds up all measures; units that differ are noted. */
void fold_all_measures(struct fold *f);

/* Weigh by the number of events instead of the sum of their values. */
void fold_count(struct fold *f);

/*
 * Takes the next line, which may be any.  ERR_DATA, with the number of the line, if its value is not
 * a number; ERR_SYS if memory runs out.
 */
int fold_line(struct fold *f, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes all stacks in bytewise order.  Fails only without memory; o->error has other failures. */
int fold_write(struct fold *f, struct out *o, struct err *e) __attribute__((warn_unused_result));

/* Reports what was left out, one text per call; false at the end.  Start with *at = 0. */
bool fold_note(const struct fold *f, size_t *at, char *text, size_t size);

#endif
