/* SPDX-License-Identifier: ISC */
/*
 * decoder.h - drives the code in the directories below: decides which record goes where, and when.
 * Used by perfdata.c, records.c and order.c.  Callers outside src/perfdata use perfdata.h.
 */
#ifndef AFPIPE_PERFDATA_DECODER_H
#define AFPIPE_PERFDATA_DECODER_H

#include "src/perfdata/attr/attr.h"
#include "src/perfdata/header/header.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/options.h"
#include "src/perfdata/record/record.h"
#include "src/perfdata/run/run.h"
#include "src/perfdata/sample/sample.h"
#include "src/perfdata/state/state.h"

struct held;
struct held_list {
	struct held *first, *last;
	size_t bytes;
};

/* Limits for a sample that waits for a part of its callchain; see order.c. */
#define DEFER_NS UINT64_C(1000000000)
#define DEFER_BYTES ((size_t)4 * 1024 * 1024)

/*
 * The limit for samples that have stepped aside.  Beyond it the oldest one is printed incomplete.
 */
#define DEFER_ASIDE_BYTES ((size_t)4 * 1024 * 1024)

/*
 * The number of user parts kept for samples that were taken after them but before the task returned
 * to user space.
 */
#define DEFER_KEPT 256

/* Callchains whose user part comes later.  { 0 } is a valid empty struct. */
struct deferral {
	struct held_list waiting, aside;
	struct u32tab part; /* by tid: the user part that the thread waits for, or its last one */
	uint32_t kept[DEFER_KEPT]; /* tids whose user part has come; new ones replace old ones */
	size_t keeps;
};

/* The kernel's records while they are put into time order. */
struct order {
	struct queue queue;
	struct deferral defer;
	bool wanted; /* records are printed, not only the header or counts */
	bool directory; /* other files for the same time follow, so rounds guarantee nothing */
	bool window; /* an endless pipe without rounds: sorted only within memory */
	bool ordered; /* a finished round has been read */
	uint64_t newest, next_limit; /* the newest time read, and the limit of the next flush */
	struct err failure; /* the error that stopped a record, for callers without an err */
};

/* The state of pipe mode. */
struct pipe {
	bool is; /* perf's pipe format */
	bool old; /* types from 69 on are header features; see records.c */
	struct buf old_names; /* if old: the raw EVENT_DESC */
};

/* The pieces read so far of a split simpleperf record. */
struct split {
	struct buf piece;
	bool dropped; /* there were too many */
};

struct decoder {
	const struct perf_options *opt;
	struct evwrite *w;
	struct input input;
	uint64_t samples_before; /* samples printed for the recordings before this one */

	/* the state of one recording: everything from here on is reset for each recording */
	struct events events;
	struct state state;
	struct run run;
	struct header header;
	struct samples samples;
	struct perfstat stat;
	struct unknown unknown;
	struct stats stats;
	struct order order;
	struct pipe pipe;
	struct split split;
	uint64_t trace_bytes; /* bytes of AUXTRACE records, which are not decoded */
	uint64_t trace_errors; /* AUXTRACE_ERROR records: where perf could not decode a trace */
};

/* ---- records.c: handles every record as it is read */

/* Handles a record from a feed or from inside a compressed record.  CTX is the decoder. */
int records_take(void *ctx, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
void records_free(struct decoder *d);

/* ---- order.c: handles the kernel's records in time order */

/*
 * order_take accepts a kernel record, which takes effect and is printed after all older ones.
 * order_take_samples does the same for the samples that come next in the feed, up to one that
 * order_take has to look at; call it after order_take.  order_round ends a round, and order_end
 * ends the recording.
 */
int order_take(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
int order_take_samples(struct decoder *d, struct feed *f, struct err *e)
    __attribute__((warn_unused_result));
int order_round(struct decoder *d, struct err *e) __attribute__((warn_unused_result));
int order_end(struct decoder *d, struct err *e) __attribute__((warn_unused_result));
void order_free(struct order *o);

/* Stores the error that stopped the handling of a record, or the output's error. */
void order_failure(const struct decoder *d, struct err *e);

#endif
