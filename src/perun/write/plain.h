/* SPDX-License-Identifier: ISC */
/* plain.h - resources of a Perun profile from lines that did not come from a Perun profile. */
#ifndef AFPIPE_PERUN_WRITE_PLAIN_H
#define AFPIPE_PERUN_WRITE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/tab.h"
#include "lib/units.h"

struct plain_measure {
	bool used; /* a resource has it */
	struct buf unit; /* that of the first one; empty: none */
};

/* Data collected for the header. */
struct plain {
	struct tab measures; /* names, escaped */
	struct plain_measure *measure;
	struct units units; /* from the measure lines */
	size_t cap;
	bool has_run;
	bool perun; /* the first run is perundec's: measures are types and subtypes */
	struct buf run, app, cmd, args, workload; /* of the first run */
	uint64_t tags; /* tags without a place in a resource */
	uint64_t runs; /* runs besides the first */
	uint64_t others; /* lines whose unit differs from their measure's */
	struct buf other_names; /* of some of these, for a note */
	struct buf text; /* scratch */
};

void plain_free(struct plain *p);

int plain_run(struct plain *p, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));
int plain_measure(struct plain *p, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

enum plain_got {
	PLAIN_RESOURCE,
	PLAIN_VALUELESS, /* the line has no value: no resource */
	PLAIN_OTHER_UNIT, /* its measure has another unit in the header: no resource */
};

/* Appends a resource's JSON. */
int plain_resource(struct plain *p, const struct ev *ev, struct buf *json, enum plain_got *got,
    struct err *e) __attribute__((warn_unused_result));

/* Append the JSON of the members header and collector_info. */
int plain_header(struct plain *p, struct buf *json, struct err *e)
    __attribute__((warn_unused_result));
int plain_collector(struct plain *p, struct buf *json, struct err *e)
    __attribute__((warn_unused_result));

#endif
