/* SPDX-License-Identifier: ISC */
/* decoder.h - shared by the parts of the decoder. */
#ifndef AFPIPE_PERUN_READ_DECODER_H
#define AFPIPE_PERUN_READ_DECODER_H

#include "lib/evwrite.h"
#include "lib/json/jscan.h"
#include "lib/tab.h"
#include "src/perun/flat.h"
#include "src/perun/place.h"
#include "src/perun/read/unpack.h"
#include "src/perun/rows.h"

/* Limits of a value's text, beyond which it comes in pieces. */
#define PERUN_PIECE ((size_t)1024 * 1024) /* a header line */
#define PERUN_RESOURCE_MAX ((size_t)1024 * 1024) /* a sample or model line */
#define PERUN_TYPE_MAX ((size_t)16 * 1024 * 1024) /* the values of one type of a resource map */
#define PERUN_MAP_MAX ((size_t)64 * 1024 * 1024) /* the types of a resource map */

/* Where in the map's text the JSON of what a type's resources have in common is. */
struct map_entry {
	size_t off, len;
};

/* A map of resources: what the resources of each type have in common, by the type's name. */
struct map {
	struct tab names;
	struct map_entry *entry;
	size_t cap;
	struct buf text;
	bool known; /* all has been read, or there is none */
	bool full; /* the rest has not been kept */

	struct jscan other; /* reads resource_type_map ahead of the document, and from text */
	struct slice other_text; /* the rest of that */
	bool other_open;
	struct rows rows; /* of the current type */
};

/* What the run line tells of the program. */
struct about {
	bool announced; /* it has been written: nothing is held any longer */
	struct buf app, args, workload;
};

struct decoder {
	const struct perun_options *opt;
	struct evwrite *w;
	struct unpack *unpack;
	struct jscan j;
	struct buf run; /* its id, escaped */
	struct about about;
	enum place_kind container; /* being read */
	struct buf pointer; /* to the value being read; raw bytes, ~ and / as in RFC 6901 */
	struct buf list; /* the pointer of the list being read, escaped */
	bool has_time;
	uint64_t time; /* of the snapshot, nanoseconds */
	uint64_t piece; /* of the header line being written */
	uint64_t large; /* number of resources and models that were too large */
	uint64_t grown; /* number of those that become too large when flattened */
	struct map map;
	struct flat flat; /* of the line being written */
	struct buf key; /* scratch: the key of a tag */
};

/* lines.c */

/* A container opens: '{' or '['. */
void lines_open(struct decoder *d, char bracket);

/* Writes a header line, or several with part=, for the last value read (d->j). */
void lines_header(struct decoder *d);

/* The piece of struct jscan, with ctx = d, for header lines. */
int lines_piece(void *ctx, struct slice text, struct err *e);

/* The elements that follow are those of the list at d->pointer. */
int lines_begin_list(struct decoder *d, struct err *e) __attribute__((warn_unused_result));

/* Writes the last value read as a line of that kind, the INDEX-th of the list. */
int lines_element(struct decoder *d, struct slice kind, uint64_t index, struct err *e)
    __attribute__((warn_unused_result));

/* The same for items in d->flat; flags: those of the strings in the JSON (enum jscan_flag). */
void lines_items(struct decoder *d, struct slice kind, uint64_t index, struct slice json,
    unsigned flags);

/* Writes the run line and then the lines held; once. */
void lines_run(struct decoder *d, struct slice format);

/* map.c */

/* Before the types of a map are read: what they have in common, if that comes later. */
int map_find_types(struct decoder *d, struct err *e) __attribute__((warn_unused_result));

/* Keeps the JSON of what a type has in common. */
int map_keep(struct map *m, struct slice name, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* Reads the lists of the type at d->pointer: a line for each resource, or header lines. */
int map_type(struct decoder *d, struct slice name, struct err *e)
    __attribute__((warn_unused_result));

void map_free(struct map *m);

#endif
