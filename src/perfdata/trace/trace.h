/* SPDX-License-Identifier: ISC */
/*
 * trace.h - tracepoints: turns the text of their formats into the tags of their samples.
 *
 * The kernel describes each tracepoint in a text (events/SYSTEM/NAME/format of tracefs), which is
 * in the tracing data of the recording.  It is parsed once, into a table of fields with the keys of
 * their tags, so that printing a sample needs neither memory nor the text.
 */
#ifndef AFPIPE_PERFDATA_TRACE_H
#define AFPIPE_PERFDATA_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/slice.h"

/* ---- format.c: the fields of one tracepoint */

enum trace_kind {
	TRACE_INT, /* decimal */
	TRACE_POINTER, /* hexadecimal */
	TRACE_TEXT, /* characters up to the first NUL */
	TRACE_INTS, /* arrays of the first two */
	TRACE_POINTERS,
	TRACE_TEXTS, /* several texts; the field has a u32 for each, as with TRACE_LOC */
	TRACE_BYTES, /* everything else, as hexadecimal digits */
};

enum trace_storage {
	TRACE_HERE, /* size bytes at offset */
	TRACE_TO_END, /* everything from offset to the end */
	TRACE_LOC, /* the u32 at offset: length in its upper half, offset in its lower */
	TRACE_REL_LOC, /* the same, but the offset counts from the end of that u32 */
};

struct trace_field {
	struct slice key; /* of its tag, escaped */
	uint32_t offset, size;
	uint8_t width; /* bytes of an integer or a pointer: 1, 2, 4, 8 */
	uint8_t kind, storage; /* enum trace_kind, enum trace_storage */
	bool is_signed;
};

struct trace_format {
	struct trace_format *next; /* for the owner's list */
	struct trace_field *field; /* in the order of the text */
	size_t count, common; /* the first COMMON are the fields that all events have */
	size_t end; /* end of the last field, as far as the text shows */
	struct buf keys;
	bool big_endian;
};

/* The writer's machine, as given by the tracing data. */
struct trace_machine {
	bool big_endian;
	unsigned long_size; /* 4 or 8 */
};

/*
 * Parses an event's text.  Returns ERR_DATA, without a place, if it is not a format.  The caller
 * frees *f with trace_format_free.
 */
int trace_format_parse(struct slice text, struct trace_machine machine, struct trace_format **f,
    struct err *e) __attribute__((warn_unused_result));

void trace_format_free(struct trace_format *f);

/* ---- trace.c: the tracing data of a recording, and the tags printed with them */

/* Layout: read_trace_header and the functions after it in tools/perf/util/trace-event-read.c. */
#define TRACE_DATA_MAX ((size_t)64 * 1024 * 1024)
#define TRACE_EVENTS_MAX ((size_t)1024 * 1024)

/*
 * A recording should have tracing data only once.  Each time they are repeated, all its events are
 * looked up again.
 */
#define TRACE_TIMES_MAX 64

/* The place of an event's format in the tracing data. */
struct trace_event {
	uint64_t id; /* attr.config of its events */
	uint32_t system, system_len, name, name_len, text, text_len;
	struct trace_format *format; /* NULL: not requested yet, or bad */
	bool bad; /* it was requested and could not be made */
};

struct tracedata {
	struct buf blob;
	unsigned times; /* how often tracing data have been read */
	struct trace_event *event; /* by id */
	size_t count, cap;
	struct trace_machine machine;
	struct trace_format *formats; /* all formats made, even those from earlier tracing data */
};

/* { 0 } is a valid empty struct. */
void tracedata_free(struct tracedata *t);

/*
 * Finds the events in t->blob, which the caller has filled.  Earlier events are forgotten, but
 * formats that were returned stay valid.  If the blob is damaged, returns ERR_DATA without a place,
 * and the events before the damage are known.
 */
int tracedata_index(struct tracedata *t, struct err *e) __attribute__((warn_unused_result));

/* Appends SYSTEM:NAME of an event to dst, or nothing if it is unknown.  Returns 0 or ERR_SYS. */
int tracedata_name(const struct tracedata *t, uint64_t id, struct buf *dst, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Sets *f to the format of an event, which lives as long as t, or to NULL if there is none.
 * Returns ERR_DATA, once for each event, if its text is not a format.
 */
int tracedata_format(struct tracedata *t, uint64_t id, const struct trace_format **f, struct err *e)
    __attribute__((warn_unused_result));

enum trace_rest {
	TRACE_ALL, /* the tags contain all bytes */
	TRACE_MORE, /* more bytes follow the fields than padding can be */
	TRACE_SHORT, /* fields beyond the n bytes are omitted */
};

/*
 * Writes a tag for each field of the n raw bytes of a sample.  The fields that all events have are
 * written only if WITH_COMMON is set.
 */
enum trace_rest trace_format_put(struct evwrite *w, const struct trace_format *f, bool with_common,
    const unsigned char *raw, size_t n);

#endif
