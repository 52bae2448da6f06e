/* SPDX-License-Identifier: ISC */
/*
 * stream.h - reads a stream into an aggregation, in one thread or several, and passes on the lines
 * that are to be in the output as well.
 *
 *	struct aggregate_stream s = { .a = a, .r = r, .w = &w, .to = reporter, .jobs = 1 };
 *	if (aggregate_stream_read(&s)) aggregate_write(a, ...), unless aggregate_missing reports
 *	kinds_left_free(&s.left);
 */
#ifndef AFPIPE_AGGREGATE_STREAM_H
#define AFPIPE_AGGREGATE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/kinds.h"
#include "lib/report.h"
#include "src/aggregate/aggregate.h"

struct aggregate_stream {
	struct aggregate *a; /* aggregate_ready has been called */
	struct evread *r;
	struct evwrite *w; /* reading ends when it fails */
	struct reporter to; /* receives errors, with the name of the input that they are about */
	size_t jobs; /* number of threads, from 1 to JOBS_MAX (jobs.h) */
	/* Set: */
	struct kinds_left left; /* the lines that are neither aggregated nor passed on */
	uint64_t alike; /* errors that are alike (lib/err.h), of which the first was reported */
};

/*
 * Reads all lines.  Returns false if memory ran out, which has been reported: the counts are wrong
 * then.
 */
bool aggregate_stream_read(struct aggregate_stream *s) __attribute__((warn_unused_result));

#endif
