/* SPDX-License-Identifier: ISC */
/*
 * ids.h - the ids of an AFPerf file: their meaning, one table for each kind; and what is open
 * without one.
 *
 * An entry is made by the first record with the id, whether that defines it or refers to it.
 * Entries never move.  An id costs 32 bytes and its share of the slots, at most 46 while these
 * grow.
 */
#ifndef AFPIPE_AFPERF_IDS_H
#define AFPIPE_AFPERF_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX
#define IDS_ORIGIN_MAX ((1u << 28) - 1)

/* How a record spells an id. */
enum ids_spelling { IDS_ABSENT, IDS_DEC, IDS_HEX, IDS_BLANK };

struct ids_ref {
	uint64_t id; /* BLANK: its number among the blank ids of its kind, from 1 */
	uint8_t spelling; /* enum ids_spelling */
};

/* The same id in whatever spelling?  Neither is absent. */
static inline bool
ids_same(struct ids_ref a, struct ids_ref b)
{
	return a.id == b.id && (a.spelling == IDS_BLANK) == (b.spelling == IDS_BLANK);
}

/* What is open without an id, the innermost last; intervals with their section. */
struct ids_open {
	struct ids_ref self, section; /* section: absent for a region */
};

struct ids_stack {
	struct ids_open *item;
	size_t n, cap;
};

/* False without memory. */
bool ids_push(struct ids_stack *s, struct ids_ref self, struct ids_ref section)
    __attribute__((warn_unused_result));
/* The innermost; of that section, if it has an id.  NULL if there is none. */
struct ids_open *ids_innermost(const struct ids_stack *s, struct ids_ref section);
void ids_pop(struct ids_stack *s, struct ids_open *which);

enum ids_state {
	IDS_AWAITED, /* not defined: detail heads the list of waiting records, or IDS_NONE */
	IDS_OPEN, /* defined; for a region or an interval: started */
	IDS_DONE, /* stopped */
};

struct ids_entry {
	uint64_t id;
	uint64_t start; /* of a region or an interval, in the run's unit */
	uint32_t owner; /* part of the key: the run of a type, the section of an interval; else 0 */
	uint32_t run; /* number of its run */
	/* a run or a type: its number; a region or a section: its texts; see enum ids_state */
	uint32_t detail;
	/* of its definition: the line, or the maximum; in the encoder, its label's number */
	unsigned origin : 28;
	unsigned hex : 1; /* the spelling of the id in the definition */
	unsigned blank : 1; /* part of the key: there was no id, and this is its number */
	unsigned state : 2; /* enum ids_state */
};

struct ids {
	struct ids_entry **chunk;
	uint32_t *slot; /* open addressing: number of the entry plus 1 */
	size_t n, chunks, mask;
	uint64_t seed[2]; /* of the hash */
	bool failed; /* there was no memory for an entry */
};

void ids_free(struct ids *t);

/* The entry of that key, made if it is new.  NULL when there is no memory. */
struct ids_entry *ids_get(struct ids *t, uint32_t owner, uint64_t id, bool blank);

/* The number of the entry, from 0, in the order in which they were made. */
uint32_t ids_number(const struct ids *t, const struct ids_entry *e);

/* The entry of that number, or NULL. */
struct ids_entry *ids_at(const struct ids *t, size_t number);

#endif
