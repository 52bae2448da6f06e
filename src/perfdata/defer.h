/* SPDX-License-Identifier: ISC */
/*
 * defer.h - callchains whose user part comes later (Linux 6.19).
 *
 * A callchain may end with PERF_CONTEXT_USER_DEFERRED and a cookie.  When its task goes back to
 * user space, a CALLCHAIN_DEFERRED record with that tid and cookie brings the user part, for
 * all samples that wait for it (include/uapi/linux/perf_event.h).
 *
 * For recordings with such events there is a waiting line between the queue and the printing.  A
 * sample that waits holds up the records after it, so that they stay in the order of time, but for
 * no longer than DEFER_NS of the recording and DEFER_BYTES of records.  Then it steps aside, and is
 * printed late, when its user part comes.  A sample whose user part can no longer come (its
 * thread has ended, or has been in user space meanwhile) is printed without it.
 */
#ifndef AFPIPE_PERFDATA_DEFER_H
#define AFPIPE_PERFDATA_DEFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/input/block.h"
#include "src/perfdata/state/u32tab.h"

#define DEFER_NS UINT64_C(1000000000)
#define DEFER_BYTES ((size_t)4 * 1024 * 1024)

/* Limit for samples that have stepped aside: beyond it the oldest is printed as it is. */
#define DEFER_ASIDE_BYTES ((size_t)4 * 1024 * 1024)

/* User parts kept for samples taken later, before the task is back in user space. */
#define DEFER_KEPT 256

struct held;
struct user_part;
struct decoder;

struct held_list {
	struct held *first, *last;
	size_t bytes;
};

/* { 0 } is a valid empty one. */
struct deferral {
	struct held_list line, aside;
	struct u32tab part; /* by tid: the user part it waits for, or its last one */
	uint32_t kept[DEFER_KEPT]; /* tids whose user part has come; a new one replaces the old */
	size_t keeps;
};

void defer_free(struct deferral *f);

/* Takes a record in its turn: it is printed, or waits. */
int defer_take(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* At the end of the recording: nothing more comes. */
int defer_end(struct decoder *d) __attribute__((warn_unused_result));

#endif
