/* SPDX-License-Identifier: ISC */
/*
 * traceformat.h - the layout of the raw bytes of a tracepoint's samples.
 *
 * The kernel describes each tracepoint in a text (events/SYSTEM/NAME/format of tracefs), which
 * the recording has in its tracing data.  It is parsed once, into a table of fields with the
 * keys of their tags, so that printing a sample needs neither memory nor the text.
 */
#ifndef AFPIPE_PERFDATA_TRACEFORMAT_H
#define AFPIPE_PERFDATA_TRACEFORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/slice.h"

enum trace_kind {
	TRACE_INT, /* decimal */
	TRACE_POINTER, /* hexadecimal */
	TRACE_TEXT, /* characters up to the first NUL */
	TRACE_INTS, /* arrays of the first two */
	TRACE_POINTERS,
	TRACE_BYTES, /* everything else, as hexadecimal digits */
};

enum trace_place {
	TRACE_HERE, /* size bytes at offset */
	TRACE_TO_END, /* all from offset on */
	TRACE_LOC, /* the u32 at offset: length in its upper half, place in its lower */
	TRACE_REL_LOC, /* the same, but the place counts from that u32's end */
};

struct trace_field {
	struct slice key; /* of its tag, escaped */
	uint32_t offset, size;
	uint8_t width; /* bytes of an integer or a pointer: 1, 2, 4, 8 */
	uint8_t kind, place; /* enum trace_kind, enum trace_place */
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
 * Parses an event's text.  ERR_DATA, without a place, if it is not a format.  The caller
 * frees *f with trace_format_free.
 */
int trace_format_parse(struct slice text, struct trace_machine machine, struct trace_format **f,
    struct err *e) __attribute__((warn_unused_result));

void trace_format_free(struct trace_format *f);

enum trace_rest {
	TRACE_ALL, /* the tags contain all bytes */
	TRACE_MORE, /* more bytes follow the fields than padding can be */
	TRACE_SHORT, /* fields beyond the n bytes are left out */
};

/*
 * Writes a tag for each field of the n raw bytes of a sample; the fields that all events have
 * only if WITH_COMMON.
 */
enum trace_rest trace_format_put(struct evwrite *w, const struct trace_format *f, bool with_common,
    const unsigned char *raw, size_t n);

#endif
