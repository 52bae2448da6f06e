/* SPDX-License-Identifier: ISC */
/*
 * symsort.h - chooses one name for each address where symbols start.
 *
 * Where a symbol without a size ends, and which of several names wins, follows
 * symbols__fixup_end and symbols__fixup_duplicate of Linux' tools/perf/util/symbol.c,
 * in that order, so that a profile reads the same in both tools.  For lib/symtab.c.
 */
#ifndef AFPIPE_SYMSORT_H
#define AFPIPE_SYMSORT_H

#include "lib/symtab.h"

#define SYM_OPEN_ENDED 0x80 /* in symbol.binding: it ends where the next one starts */

/* Sorts n symbols by start, stably.  May replace the array, which has *cap elements. */
int symsort(struct symbol **sym, size_t *cap, size_t n, struct err *e)
    __attribute__((warn_unused_result));

/* Sets the ends of sorted symbols without a size. */
void symsort_close_ends(struct symbol *s, size_t n, enum symtab_kind kind);

/* Keeps one symbol for each start; n > 0.  Returns how many are left. */
size_t symsort_unique(struct symbol *s, size_t n, enum symtab_kind kind);

#endif
