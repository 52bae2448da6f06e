/* SPDX-License-Identifier: ISC */
/*
 * spill.h - sorted runs of records on disk, and their merge.
 *
 * A run is a sequence of { u64 time, u64 offset, the record } in the host's byte
 * order (the file never leaves this process).  The oldest record of all runs is
 * always available; equal times leave in the order of their runs.
 */
#ifndef AFPIPE_PERFDATA_SPILL_H
#define AFPIPE_PERFDATA_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/block.h"

struct spill;

/* NULL with *e set when there is no memory or no temporary file. */
struct spill *spill_open(bool big_endian, struct err *e);
void spill_close(struct spill *s);

/* To write a run: begin, add in order of time, end. */
int spill_begin(struct spill *s, struct err *e) __attribute__((warn_unused_result));
int spill_add(struct spill *s, uint64_t time, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
int spill_end(struct spill *s, struct err *e) __attribute__((warn_unused_result));

/* The oldest record; false when none is left.  *r is valid until spill_pop. */
bool spill_peek(const struct spill *s, uint64_t *time, struct rec *r);
int spill_pop(struct spill *s, struct err *e) __attribute__((warn_unused_result));

#endif
