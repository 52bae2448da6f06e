/* SPDX-License-Identifier: ISC */
/* event.h - the value of dcpicat's event line: WEIGHT [SET:]NAME:PERIOD:SHARE. */
#ifndef AFPIPE_DCPI_EVENT_H
#define AFPIPE_DCPI_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

struct event {
	uint64_t weight; /* sum of the event's counts in the profile */
	struct slice measure; /* SET:NAME or NAME */
	struct slice set, name; /* for ProfileMe the sample set, else empty */
	uint64_t period;
	uint64_t share; /* of 10000: the share of the time during which the event was counted */
};

/* False if it does not have that form.  The slices point into value. */
bool dcpi_event_parse(struct slice value, struct event *e);

#endif
