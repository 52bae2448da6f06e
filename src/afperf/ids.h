/* SPDX-License-Identifier: ISC */
/*
 * ids.h - the ids of an AFPerf file and their meaning, in one table for each kind; and the stack of
 * open regions or intervals without an id.
 *
 * The first record with an id creates its entry, whether it defines the id or refers to it.
 * Entries never move.  An id takes 32 bytes and its share of the slots, at most 50 bytes in all
 * while the slots grow.
 */
#ifndef AFPIPE_AFPERF_IDS_H
#define AFPIPE_AFPERF_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX
#define IDS_TIMELESS UINT64_MAX /* the results of a group have no time */
#define IDS_ORIGIN_MAX ((1u << 28) - 1)

/* The spelling of an id in a record. */
enum ids_spelling { IDS_ABSENT, IDS_DEC, IDS_HEX, IDS_BLANK };

struct ids_ref {
	uint64_t id; /* if blank, its number among the blank ids of its kind, from 1 */
	uint8_t spelling; /* enum ids_spelling */
};

/* Returns whether the ids are the same, however they are spelled.  Neither may be absent. */
static inline bool
ids_same(struct ids_ref a, struct ids_ref b)
{
	return a.id == b.id && (a.spelling == IDS_BLANK) == (b.spelling == IDS_BLANK);
}

/*
 * An open region or interval without an id.  The innermost is last.  Intervals have their section.
 */
struct ids_open {
	struct ids_ref self, section; /* the section is absent for a region */
};

struct ids_stack {
	struct ids_open *item;
	size_t n, cap;
};

/* Returns false when memory runs out. */
bool ids_push(struct ids_stack *s, struct ids_ref self, struct ids_ref section)
    __attribute__((warn_unused_result));
/*
 * Returns the innermost item or, if the section has an id, the innermost item of that section.
 * Returns NULL if there is none.
 */
struct ids_open *ids_innermost(const struct ids_stack *s, struct ids_ref section);
void ids_pop(struct ids_stack *s, struct ids_open *which);

enum ids_state {
	/* not yet defined; detail is the head of the list of waiting records, or IDS_NONE */
	IDS_AWAITED,
	IDS_OPEN, /* defined; a region or an interval has started */
	IDS_DONE, /* stopped */
};

struct ids_entry {
	uint64_t id;
	/* of a region or an interval, in the run's unit; of a group, IDS_TIMELESS or 0 */
	uint64_t start;
	/* part of the key: the run of a type, the section of an interval; otherwise 0 */
	uint32_t owner;
	uint32_t run; /* number of its run */
	/*
	 * the number of a run or a type, or the texts of a region or a section; see enum ids_state
	 */
	uint32_t detail;
	/* the line of its definition, or the maximum; in the encoder, the number of its label */
	unsigned origin : 28;
	unsigned hex : 1; /* the spelling of the id in the definition */
	unsigned blank : 1; /* part of the key: the id was blank, and id is its number */
	unsigned state : 2; /* enum ids_state */
};

struct ids {
	struct ids_entry **chunk;
	uint32_t *slot; /* open addressing; the number of the entry plus 1 */
	unsigned char
	    *mark; /* by slot, in the same memory: a part of its hash, or 0 if it is free */
	size_t n, chunks, mask;
	uint64_t seed[2]; /* of the hash */
	bool failed; /* memory ran out for an entry */
};

void ids_free(struct ids *t);

/* Returns the entry of the key, creating it if necessary, or NULL if memory runs out. */
struct ids_entry *ids_get(struct ids *t, uint32_t owner, uint64_t id, bool blank);

/* Returns the number of the entry: entries are numbered from 0 in the order of their creation. */
uint32_t ids_number(const struct ids *t, const struct ids_entry *e);

/* Returns the entry with that number, or NULL. */
struct ids_entry *ids_at(const struct ids *t, size_t number);

#endif
