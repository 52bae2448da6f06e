/* SPDX-License-Identifier: ISC */
/* heapint.h - shared by heap.c and map.c. */
#ifndef AFPIPE_PERUN_HEAPINT_H
#define AFPIPE_PERUN_HEAPINT_H

#include "lib/buf.h"
#include "lib/json/jvalue.h"
#include "lib/out.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "src/perun/heap/pynum.h"
#include "src/perun/profile.h"

/* Writes a literal. */
#define OUT_TEXT(o, literal) out_put((o), (literal), sizeof(literal) - 1)

struct live_block {
	struct pynum address, amount;
	struct pynum uid; /* the index of its uid, or the uid itself if that is an integer */
	char *again; /* the JSON of the uid with a NUL, for a second lookup, or NULL; owned */
	uint32_t subtype;
	bool frees; /* this is not a block but an entry that frees the block at the address */

	struct live_block *next, *before; /* in the list */

	/*
	 * Internal.  Apart from the field `later`, these are used only by the first block at an
	 * address.
	 */
	struct live_block *later; /* the next block at the same address */
	struct live_block *last; /* the last block there */
	struct live_block *chain; /* in the bucket */
	uint64_t hash;
};

struct live_list {
	struct live_block *first, *last;
};

struct live {
	struct live_list list; /* the blocks that are allocated */

	/* Internal. */
	struct live_block **bucket;
	/* the number of buckets, a power of two, and the number of addresses in them */
	size_t buckets, addresses;
	uint64_t seed;
	struct live_block *spare;
	struct live_chunk *chunk;
};

/* Statistics of the blocks of a snapshot, and of all snapshots. */
enum heap_stat { STAT_MAX_ADDRESS, STAT_MIN_ADDRESS, STAT_SUM, STAT_MAX, STAT_MIN };
#define HEAP_STATS 5

struct heap_stats {
	struct pynum of[HEAP_STATS];
	bool any;
};

/*
 * The list `info`, and the index of each uid in it.  Two uids are the same if function, line and
 * source are equal.  Once the list has a uid, a uid without these three cannot be looked up.
 */
struct heap_uids {
	struct tab known; /* a text that is the same for equal uids */
	uint64_t *at; /* by number in known: the index in info */
	size_t cap;
	uint64_t count; /* the length of info */
	bool odd; /* the first uid lacks one of the three */
	struct buf info; /* JSON, without brackets */
	struct buf identity; /* scratch */
};

/* A member of the open snapshot, spelled except for the bracket that ends a list. */
struct heap_member {
	struct buf json;
	bool list;
};

struct heap_map {
	struct live live;
	struct live_list own; /* blocks of the open snapshot, and entries that free blocks */
	struct heap_uids uids;
	struct tab subtypes; /* spelled */
	struct tab names; /* the names of the open snapshot's members */
	struct heap_member *member;
	size_t member_cap;
	struct heap_stats all;
	bool begun; /* the document has begun */
	uint64_t snapshots; /* snapshots written */
	struct buf text;
};

struct heat {
	struct pynum max, min; /* address */
	bool any;
	struct spool later; /* the resources */
	struct buf text;
	uint64_t low, beyond; /* resources that are missing from the map, or incomplete in it */
};

struct heap {
	struct out *o;
	bool is_heat; /* a heat map, not a heap map */
	bool compat;
	struct profile profile;
	struct jvalue v;
	uint64_t line; /* number of the current line */

	bool begun; /* the line of the document itself has come */
	bool has_snapshots;
	bool in_snapshot, has_resources; /* a snapshot is open; it has a list of resources */
	bool any_snapshot;
	uint64_t snapshot; /* number of the open snapshot, or of the last one */
	bool has_unit;
	struct buf unit; /* spelled */

	struct heap_map map;
	struct heat heat;
};

/*
 * Sets *max to the difference of max and min, bounded as in Perun: at least 500, at most 1,000,000.
 */
int heap_bound(struct pynum *max, const struct pynum *min, struct err *e)
    __attribute__((warn_unused_result));

/* Set *best to other if other is less (or greater), or if there was no value before. */
int heap_least(struct pynum *best, const struct pynum *other, bool any, struct err *e)
    __attribute__((warn_unused_result));
int heap_greatest(struct pynum *best, const struct pynum *other, bool any, struct err *e)
    __attribute__((warn_unused_result));

/* map.c */
void heapmap_free(struct heap_map *m);
int heapmap_resource(struct heap *h, struct err *e) __attribute__((warn_unused_result));

/* Processes a member of the open snapshot.  json is "[" if elements follow. */
int heapmap_member(struct heap *h, struct slice name, struct slice json, struct err *e)
    __attribute__((warn_unused_result));
int heapmap_element(struct heap *h, struct slice name, struct slice json, struct err *e)
    __attribute__((warn_unused_result));
int heapmap_snapshot(struct heap *h, struct err *e) __attribute__((warn_unused_result));
int heapmap_end(struct heap *h, struct err *e) __attribute__((warn_unused_result));

#endif
