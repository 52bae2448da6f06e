/* SPDX-License-Identifier: ISC */
/* merge.h - the headers of several profiles of one image and event, as one. */
#ifndef AFPIPE_DCPI_MERGE_H
#define AFPIPE_DCPI_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/tab.h"
#include "src/dcpi/header.h"

struct merge {
	struct header head; /* what they come to */
	struct header next; /* the one that comes in */
	struct buf text; /* a word or value of it */
	struct tab lines; /* of head, once there is more than one run */
	unsigned stride; /* 4 or 1; 0 before the first */
	uint64_t runs; /* with a header */
	uint64_t differ[WORD_UNKNOWN]; /* values given up for those of the first, by word */
};

void dcpi_merge_free(struct merge *m);

/*
 * Takes a run line's tags hdr.*.  *has says whether there were any.  ERR_DATA: they are no header
 * of a profile 0.x, or do not agree in image, tstart, tsize, event, period, platform or stride
 * with those before.  *changed: the header is no longer what it was.
 */
int dcpi_merge_run(struct merge *m, const struct ev *ev, bool *has, bool *changed, struct err *e)
    __attribute__((warn_unused_result));

#endif
