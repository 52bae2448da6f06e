/* SPDX-License-Identifier: ISC */
/*
 * plain.h - resources of a Perun profile from lines that did not come from one.
 *
 * perunenc.1, "Other streams", describes the resource of a line and the header.
 */
#ifndef AFPIPE_PERUN_WRITE_PLAIN_H
#define AFPIPE_PERUN_WRITE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/namesakes.h"
#include "lib/tab.h"
#include "lib/units.h"

enum plain_got {
	PLAIN_RESOURCE,
	PLAIN_VALUELESS, /* the line has no value and gives no resource */
	PLAIN_OTHER_UNIT, /* its measure has a different unit in the header, so it is left out */
};

/* A measure, or a statistic of it or of a tag. */
struct quantity {
	const char *type; /* of its resources; NULL: there is none yet */
	bool perun; /* its measure begins with this type, and is from perundec */
	struct buf unit; /* the unit of the first resource; empty if it had none */
	struct buf subtype; /* as JSON */
};

/* Data collected for the header. */
struct plain {
	struct tab names; /* of quantities: MEASURE TAB STATISTIC TAB TAG, escaped */
	struct quantity *quantity;
	struct units units; /* from the measure lines */
	struct namesakes namesakes; /* nothing in a resource's type tells such events apart */
	size_t cap;
	bool has_run;
	bool perun; /* the first run is from perundec */
	struct tab perun_runs; /* runs from perundec, whose measures are types and subtypes */
	struct buf run, app, cmd, args, workload; /* data of the first run */
	uint64_t tags; /* number of tags that have no place in a resource */
	uint64_t runs; /* number of runs besides the first */
	uint64_t overlapping; /* number of results whose groups overlap */
	uint64_t whole; /* number of values of a whole run, region or section */
	uint64_t placeless; /* number of results that have no function */
	uint64_t others; /* number of lines whose unit differs from their measure's */
	struct buf other_names; /* names of some measures of these lines, for a note */
	struct buf all_names; /* names of some quantities, likewise */
	struct buf whole_names; /* names of some quantities that are no parts of a sum, likewise */
	struct buf text; /* scratch */
};

/* { 0 } is valid before the first line. */
void plain_free(struct plain *p);

/* Process a run line and a measure line.  Return ERR_SYS if memory runs out, as all of these. */
int plain_run(struct plain *p, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));
int plain_measure(struct plain *p, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Appends the JSON of the resource of a sample, span or agg line, if *got is PLAIN_RESOURCE. */
int plain_resource(struct plain *p, const struct ev *ev, struct buf *json, enum plain_got *got,
    struct err *e) __attribute__((warn_unused_result));

/* Append the JSON of the members header and collector_info, after the last line. */
int plain_header(struct plain *p, struct buf *json, struct err *e)
    __attribute__((warn_unused_result));
int plain_collector(struct plain *p, struct buf *json, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes a note if resources are of several quantities, which a flame graph of Perun adds up.
 * Returns false if that is right, as with the kinds of allocations of Perun's memory collector.
 */
bool plain_note(const struct plain *p, char *text, size_t size);

/* Does the same if resources are of quantities that do not add up, such as means. */
bool plain_note_wholes(const struct plain *p, char *text, size_t size);

#endif
