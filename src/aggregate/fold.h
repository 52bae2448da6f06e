/* SPDX-License-Identifier: ISC */
/*
 * fold.h - events in, folded stacks out: what flamegraph.pl reads, sorted, each stack once.
 *
 *	f = fold_new();
 *	fold_set_root(f, "comm", &e) ...		what is asked
 *	for each line: fold_line(f, &ev, stack, &e);
 *	fold_write(f, &out, &e);
 *	fold_free(f);
 *
 * Memory is that of the different stacks.
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
 * Columns and tags, parted by commas, that are the first frames of each stack where a line has
 * them; "." for none ("comm" if never called).  ERR_DATA for an empty word or too many.
 */
int fold_set_root(struct fold *f, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The only measure that counts; without it the first that comes and is no inclusive one.  Of
 * either, only the first unit: that of the line's tag unit or of its measure line.
 */
int fold_set_measure(struct fold *f, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/* The only kind of lines; without it sample and span, or agg, whichever comes first. */
void fold_set_kind(struct fold *f, const char *kind);

/* Adds up all measures; units that differ are noted. */
void fold_all_measures(struct fold *f);

/* Weigh by the number of events instead of the sum of their values. */
void fold_count(struct fold *f);

/* Does the line count, as far as kind and measure say it?  Call it for each line, in order. */
bool fold_wants(struct fold *f, const struct ev *ev);

/*
 * Takes a line that fold_wants.  STACK, a list as the tag stack is, overrides that one unless
 * its p is NULL.  ERR_DATA, with the line's place, for a value that is no number.
 */
int fold_line(struct fold *f, const struct ev *ev, struct slice stack, struct err *e)
    __attribute__((warn_unused_result));

/* All stacks in bytewise order.  Fails only without memory; o->error has the rest. */
int fold_write(struct fold *f, struct out *o, struct err *e) __attribute__((warn_unused_result));

/* What was left out, one text a call; false at the end.  Start with *at = 0. */
bool fold_note(const struct fold *f, unsigned *at, char *text, size_t size);

#endif
