/* SPDX-License-Identifier: ISC */
/*
 * line.h - writes the sample lines of one event of one profile.
 *
 * Parts that are the same on each line are escaped once.
 */
#ifndef AFPIPE_DCPI_LINE_H
#define AFPIPE_DCPI_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/evwrite.h"
#include "lib/tab.h"
#include "src/dcpi/dcpi.h"

#define DCPI_SHARE_WHOLE 10000 /* the share of an event that was counted all the time */

/* A sampling period and the share of the time during which the event was counted. */
struct dcpi_rate {
	uint64_t period;
	bool known; /* the period fits; otherwise there is no estimate */
	uint64_t share; /* in units of 1/10000 */
};

/* The rates of the events of all profiles so far.  { 0 } has none. */
struct dcpi_rates {
	struct tab events; /* their names */
	struct dcpi_rate *rate; /* the first one of each */
	size_t cap;
	struct slice differs; /* an event that has several rates; p is NULL if there is none */
};

void dcpi_rates_free(struct dcpi_rates *r);

struct dcpi_names; /* images.h */

struct line {
	struct dcpi_names *names; /* or NULL */
	bool events;
	struct dcpi_rate rate;
	struct buf head; /* from "sample" to the TAB before the region */
	struct buf measure; /* TAB, measure, TAB */
	struct buf tail; /* starting at the image tag */
	struct buf region; /* the region from the last address up to TO, if names has one */
	uint64_t to;
	char hex[16]; /* digits of the last address */
	uint64_t last;
};

/* One count. */
struct line_sample {
	uint64_t addr, off, count;
	bool has_addr; /* otherwise it is beyond 2^64 */
	bool has_off; /* otherwise it is before the text */
};

/* The common parts of the lines of one event. */
struct line_event {
	struct slice run;
	struct slice measure, image, period; /* raw; period is empty if there is none */
	struct dcpi_rate rate;
};

/*
 * Prepares the lines of an event.  *l must be zeroed before the first call.  Returns false when
 * memory runs out.
 */
bool dcpi_line_open(struct line *l, const struct line_event *event, const struct dcpi_options *opt,
    struct dcpi_names *names) __attribute__((warn_unused_result));
void dcpi_line_close(struct line *l);

void dcpi_line_put(struct line *l, struct evwrite *w, const struct line_sample *s);

#endif
