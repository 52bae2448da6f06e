/* SPDX-License-Identifier: ISC */
/*
 * doc.h - writes a JSON document from its parts, given in order with their pointers.
 *
 * Containers that earlier parts have not opened are opened if a profile has them there (place.h).
 * A part that comes too late for its place is rejected.
 */
#ifndef AFPIPE_PERUN_WRITE_DOC_H
#define AFPIPE_PERUN_WRITE_DOC_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/json/jvalue.h"
#include "lib/out.h"
#include "lib/slice.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "src/perun/place.h"

#define DOC_LEVELS 8 /* nested containers that have lines of their own */

/* An open container. */
struct doc_level {
	size_t pointer; /* length of its pointer */
	char bracket; /* '{' or '[' */
	bool rows; /* a type of a resource map: its lists are being collected */
	uint64_t n; /* elements so far */
	uint64_t next; /* for a list: the smallest index allowed next */
	struct tab names; /* for an object: its members so far, structural members and types only */
};

/* A list of a type of a resource map. */
struct doc_column {
	struct buf name, values; /* the JSON of both, without brackets */
};

/* The lists of the open type, from its resources. */
struct doc_rows {
	struct doc_column *column;
	size_t columns, cap;
	bool begun; /* there is a resource */
};

struct doc {
	struct out *o;
	bool dumps; /* spell as json.dumps, without origin and without repeated members */
	struct buf type; /* with dumps: the bytes of header.type */
	bool has_type, has_origin;

	/* Internal. */
	bool begun, ended;
	bool announced; /* a line has opened the type whose first resource comes next, if any */
	struct buf pointer; /* to the innermost container */
	struct doc_level level[DOC_LEVELS];
	unsigned levels;
	struct doc_rows rows;
	struct jvalue v; /* the value being written */
	struct buf name, spelled; /* scratch */
	uint64_t part; /* parts of a value so far; 0 if no value is open */
	struct buf gathered; /* with dumps, the parts */
	struct spool parts; /* without dumps, the parts wait here to be checked */
};

/* Returns false when memory runs out. */
bool doc_open(struct doc *d, struct out *o, bool dumps) __attribute__((warn_unused_result));
void doc_close(struct doc *d);

/* Opens the container at POINTER. */
int doc_container(struct doc *d, struct slice pointer, char bracket, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Processes a line that opens a container.  A type of a resource map is opened by its first
 * resource only: if all of them have been removed, the document must not have the type, since a
 * type without lists is a resource.
 */
int doc_opening(struct doc *d, const struct place *p, char bracket, struct err *e)
    __attribute__((warn_unused_result));

/* Writes a value, which must be JSON. */
int doc_value(struct doc *d, const struct place *p, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* Adds part N of a value, counted from 1.  No more parts follow the last. */
int doc_part(struct doc *d, const struct place *p, struct slice json, uint64_t n, bool last,
    struct err *e) __attribute__((warn_unused_result));

/* Checks that part N comes next, where *PART is the number of parts so far, and counts it. */
int doc_next_part(uint64_t *part, uint64_t n, bool last, struct err *e);

/* Closes all open containers.  An empty document is "{}". */
int doc_end(struct doc *d, struct err *e) __attribute__((warn_unused_result));

/*
 * Call these for a value that the caller writes itself.  doc_go_to writes everything that precedes
 * the value.  doc_put writes a part of its text, which must be JSON in the spelling that dumps
 * requires.
 */
int doc_go_to(struct doc *d, struct slice pointer, struct err *e)
    __attribute__((warn_unused_result));
void doc_put(struct doc *d, struct slice s);

#endif
