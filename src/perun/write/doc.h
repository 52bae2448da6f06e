/* SPDX-License-Identifier: ISC */
/*
 * docwrite.h - writes a JSON document from its parts, given in order with their pointers.
 *
 * Containers not opened by earlier parts are opened if a profile's structure shows what they are;
 * a part that comes too late for its place is refused.
 */
#ifndef AFPIPE_PERUN_WRITE_DOC_H
#define AFPIPE_PERUN_WRITE_DOC_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/out.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "lib/json/jscan.h"

#define DOC_FRAMES 8 /* nested containers that have lines of their own */

/* An open container. */
struct doc_frame {
	size_t pointer; /* length of its pointer */
	char bracket; /* '{' or '[' */
	bool rows; /* a type of a resource map: its lists are being collected */
	uint64_t n; /* elements so far */
	uint64_t next; /* of a list: the least index allowed next */
	struct tab names; /* of an object: its members so far; only structure and types */
};

/* A list of a type of a resource map. */
struct doc_column {
	struct buf name, values; /* the JSON of both, without brackets */
};

struct docwrite {
	struct out *o;
	bool dumps; /* spell as json.dumps, without origin and without repeated members */
	struct buf type; /* dumps: header.type, bytes */
	bool has_type, has_origin;

	/* Internal. */
	bool begun, ended;
	struct buf pointer;
	struct doc_frame frame[DOC_FRAMES];
	unsigned frames;
	struct jscan j;
	struct slice left; /* the rest of the text that j reads */
	struct doc_column *column;
	size_t columns, column_cap;
	uint64_t rows;
	struct buf spelled;
	struct buf gathered; /* dumps: a value in parts */
	uint64_t part; /* parts of a value so far, 0 if none is open */
	struct out parts; /* they wait in a temporary file, to be checked */
	bool has_parts;
};

/* False without memory. */
bool doc_open(struct docwrite *d, struct out *o, bool dumps) __attribute__((warn_unused_result));
void doc_close(struct docwrite *d);

/* Opens the container at POINTER. */
int doc_container(struct docwrite *d, struct slice pointer, char bracket, struct err *e)
    __attribute__((warn_unused_result));

/* Writes a value, which must be JSON. */
int doc_value(struct docwrite *d, struct slice pointer, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* Takes a part of a value, the N-th from 1; last: no more follow. */
int doc_part(struct docwrite *d, struct slice pointer, struct slice json, uint64_t n, bool last,
    struct err *e) __attribute__((warn_unused_result));

/* Closes all open containers.  An empty document is "{}". */
int doc_end(struct docwrite *d, struct err *e) __attribute__((warn_unused_result));

#endif
