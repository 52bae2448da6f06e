/* SPDX-License-Identifier: ISC */
/* decint.h - shared by the parts of the decoder. */
#ifndef AFPIPE_PERUN_READ_DECODER_H
#define AFPIPE_PERUN_READ_DECODER_H

#include "lib/evwrite.h"
#include "lib/tab.h"
#include "src/perun/read/decode.h"
#include "src/perun/flat.h"
#include "lib/json/jscan.h"
#include "src/perun/read/source.h"

/* Limits of a value's text, beyond which it comes in pieces. */
#define PERUN_PIECE ((size_t)1024 * 1024) /* a header line */
#define PERUN_RESOURCE_MAX ((size_t)1024 * 1024) /* a sample or model line */
#define PERUN_TYPE_MAX ((size_t)16 * 1024 * 1024) /* the values of one type of a resource map */
#define PERUN_MAP_MAX ((size_t)64 * 1024 * 1024) /* the types of a resource map */

/* The place of a type's persistent members in the map's text. */
struct typemap_entry {
	size_t off, len;
};

/* The persistent members of each type of a resource map: JSON texts by name. */
struct typemap {
	struct tab names;
	struct typemap_entry *entry;
	size_t cap;
	struct buf text;
	bool known; /* it has been read, or there is none */
	bool full;
};

struct decoder {
	const struct perun_options *opt;
	struct evwrite *w;
	struct source *source;
	struct jscan j;
	struct buf run; /* its id, escaped */
	struct buf pointer; /* to the current place; raw bytes, ~ and / as in RFC 6901 */
	struct buf at; /* the pointer of the list being read, escaped */
	struct buf key; /* scratch: the key of a tag */
	struct flat flat;
	bool announced; /* the run line has been written: nothing is held any longer */
	struct buf app, args, workload; /* of the header, for the run line */
	bool has_time;
	uint64_t time; /* of the snapshot, nanoseconds */
	uint64_t piece; /* of the header line being written */
	uint64_t large; /* number of resources and models that were too large */
	uint64_t grown; /* number of those that become too large when flattened */

	struct typemap types;
	struct jscan other; /* reads the map, and texts from it */
	struct slice other_text; /* the rest of them */
	bool other_open;
	struct buf row; /* a resource of the map: its text and tape */
	struct jscan_token *row_token;
	size_t row_cap, row_tokens;
};

/* lines.c */

/* A container opens: '{' or '['. */
void perun_put_open(struct decoder *d, char bracket);

/* Writes a header line, or several with part=, for the last value read (d->j). */
void perun_put_header(struct decoder *d);

/* The piece of struct jscan, with ctx = d, for header lines. */
int perun_put_piece(void *ctx, struct slice text, struct err *e);

/* Writes the last value read as a sample or model, the INDEX-th of the list d->at. */
int perun_put_sample(struct decoder *d, uint64_t index, struct err *e);
int perun_put_model(struct decoder *d, uint64_t index, struct err *e);

/* Writes a sample whose items are in d->flat. */
void perun_put_items(struct decoder *d, struct slice kind, uint64_t index, struct slice json,
    unsigned flags);

/* Writes the run line and then the lines held; once. */
void perun_announce(struct decoder *d, struct slice format);

/* map.c */

/* Reads the object of types at d->j, which is in the root of the document. */
int perun_map_resources(struct decoder *d, struct err *e);

/* Remembers the type's text. */
int perun_map_keep(struct decoder *d, struct slice name, struct slice text, struct err *e);

void perun_map_free(struct decoder *d);

/* decode.c: appends a name to d->pointer, and cuts it back to a length. */
int perun_push_name(struct decoder *d, struct slice name, struct err *e);

#endif
