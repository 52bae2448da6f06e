/* SPDX-License-Identifier: ISC */
/* merge.h - merges the headers of several profiles of one image and event. */
#ifndef AFPIPE_DCPI_MERGE_H
#define AFPIPE_DCPI_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/tab.h"
#include "src/dcpi/header.h"

struct merge {
	struct header head; /* the result */
	struct header next; /* the header being added */
	struct buf text; /* a word or value of it */
	struct tab lines; /* of head, once there is more than one run */
	unsigned stride; /* 4 or 1; 0 before the first */
	uint64_t runs; /* with a header */
	uint64_t differ[WORD_UNKNOWN]; /* by word: values dropped for those of the first */
};

void dcpi_merge_free(struct merge *m);

/*
 * Takes a run line's tags hdr.*.  *has: there were any.  ERR_DATA: they are not the header of a
 * profile 0.x, or differ in image, tstart, tsize, event, period, platform or stride from those
 * before.  *changed: the merged header has changed.
 */
int dcpi_merge_run(struct merge *m, const struct ev *ev, bool *has, bool *changed, struct err *e)
    __attribute__((warn_unused_result));

#endif
