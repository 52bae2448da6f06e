/* SPDX-License-Identifier: ISC */
/* decint.h - what the parts of the decoder share. */
#ifndef AFPIPE_PERUN_DECINT_H
#define AFPIPE_PERUN_DECINT_H

#include "lib/evwrite.h"
#include "lib/tab.h"
#include "src/perun/decode.h"
#include "src/perun/flat.h"
#include "src/perun/jscan.h"
#include "src/perun/source.h"

/* What a value may have of text before it comes in pieces. */
#define PERUN_PIECE ((size_t)1024 * 1024) /* a header line */
#define PERUN_RESOURCE_MAX ((size_t)1024 * 1024) /* a sample or model line */
#define PERUN_TYPE_MAX ((size_t)16 * 1024 * 1024) /* the values of one type of a resource map */
#define PERUN_MAP_MAX ((size_t)64 * 1024 * 1024) /* the types of a resource map */

/* Where a type's persistent members stand in the map's text. */
struct typemap_entry {
	size_t off, len;
};

/* The persistent members of each type of a resource map: JSON texts by name. */
struct typemap {
	struct tab names;
	struct typemap_entry *entry;
	size_t cap;
	struct buf text;
	bool known; /* there was one, or there is none */
	bool full;
};

struct decoder {
	const struct perun_options *opt;
	struct evwrite *w;
	struct source *source;
	struct jscan j;
	struct buf run; /* its id, escaped */
	struct buf pointer; /* to where we are; raw bytes, ~ and / as RFC 6901 has it */
	struct buf at; /* the pointer of the list that is being read, escaped */
	struct buf key; /* scratch: a tag's */
	struct flat flat;
	bool announced; /* the run line has been written: nothing is held any more */
	struct buf app, args, workload; /* of the header, for the run line */
	bool has_time;
	uint64_t time; /* of the snapshot, nanoseconds */
	uint64_t piece; /* of the header line that is being written */
	uint64_t large; /* resources and models that were too large */
	uint64_t grown; /* those that are more than too large once they are flattened */

	struct typemap types;
	struct jscan other; /* reads the map, and texts out of it */
	struct slice other_text; /* what is left of these */
	bool other_open;
	struct buf row; /* a resource of the map: its text and tape */
	struct jscan_token *row_token;
	size_t row_cap, row_tokens;
};

/* lines.c */

/* A container opens: '{' or '['. */
void perun_put_open(struct decoder *d, char bracket);

/* One header line, or some with part=, for the value that was read last (d->j). */
void perun_put_header(struct decoder *d);

/* The piece of struct jscan, with ctx = d, for header lines. */
int perun_put_piece(void *ctx, struct slice text, struct err *e);

/* The value that was read last as a sample or model, the INDEX-th of the list d->at. */
int perun_put_sample(struct decoder *d, uint64_t index, struct err *e);
int perun_put_model(struct decoder *d, uint64_t index, struct err *e);

/* A sample whose items are in d->flat. */
void perun_put_items(struct decoder *d, struct slice kind, uint64_t index, struct slice json,
    unsigned flags);

/* The run line, and then what was held; once. */
int perun_announce(struct decoder *d, struct slice format, struct err *e);

/* map.c */

/* The object of types at d->j, of a document whose root is what d->j is in. */
int perun_map_resources(struct decoder *d, struct err *e);

/* Remembers the type's text. */
int perun_map_keep(struct decoder *d, struct slice name, struct slice text, struct err *e);

void perun_map_free(struct decoder *d);

/* decode.c: a name's pointer behind d->pointer, and back to so long a one. */
int perun_push_name(struct decoder *d, struct slice name, struct err *e);

#endif
