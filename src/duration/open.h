/* SPDX-License-Identifier: ISC */
/*
 * open.h - the open regions and intervals, found by their names.
 *
 * Memory grows with the largest number of them that are open at the same time, and is reused.
 */
#ifndef AFPIPE_OPEN_H
#define AFPIPE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "lib/wide.h"

/* The kind of an interval, which is part of its name. */
enum open_kind {
	OPEN_REGION,
	OPEN_SECTION, /* an interval of a section */
	OPEN_RUN,
	OPEN_UNION, /* a section's union: from its first interval's start until none is open */
	OPEN_NAMELESS = 4, /* ORed in: known by its label, because it has no id */
	OPEN_ENDED = 8, /* ORed in: it has just ended, and its values may still come */
	OPEN_SCOPE = 3, /* the mask of the scope */
};

/* A part of an interval's text. */
struct part {
	size_t at, len;
};

/* A measure's value at the start of an interval. */
struct snap {
	struct part what; /* measure, mid, unit and type with TABs between */
	struct part value;
	struct buf last; /* the value of the last sample, at last_at */
	struct wide last_at;
	bool done; /* its value at the stop has come */
	bool sampled; /* its value at the start is in a sample, which is passed on */
};

struct interval {
	unsigned kind;
	uint32_t run, hash;
	/* open: neither stopped nor left out; entered: can be found by its name */
	bool open, entered;
	bool late; /* its stop waits for those of regions inside it */
	bool refused; /* its stop went back in time and was left out */
	bool anonymous; /* if ended: its stop had neither an id nor a label */
	bool lacks_parent; /* the parent is too long for its head */
	size_t unplaced; /* length of its head without the depth and parent tags */
	/* according to its head: its depth, and the order of the region around it plus 1, or 0 */
	size_t told_depth;
	uint64_t told_around;
	/* an interval with the same name, found again when this one has left */
	struct interval *hidden;
	struct interval *hider; /* the interval that hides this one */
	struct interval *around; /* the region around it; for an interval of a section, the union */
	struct interval *inner; /* the open region directly inside it */
	struct interval *next; /* the next one that waits, or is free */
	struct interval *older; /* the list of all intervals */
	size_t depth; /* for a region, its depth at its start, and then at its stop */
	size_t open_intervals; /* for a union */
	struct wide start;
	struct wide paused; /* time paused before the start */
	struct wide inside, inside_paused; /* time, and paused time, of the regions inside it */
	uint64_t order; /* among all starts */
	uint64_t line; /* of the start */
	const char *file; /* the input with that line; borrowed */
	struct buf text;
	struct part id, interval, label;
	struct part head; /* the tags on all its lines, up to stack, each with a TAB before it */
	struct part tags; /* the tags of its start, in the same form */
	struct part stop_label; /* if it has ended: the label in its stop */
	struct part stack; /* if it has ended: its stack, which is in the run for open regions */
	size_t stack_cut; /* if it has ended: the number of labels left out */
	size_t slot, stack_len; /* for an open region, its place in the run's stack, if any */
	struct snap *snap;
	size_t snaps, snaps_cap;
};

struct open_name {
	unsigned kind;
	uint32_t run;
	struct slice id, interval;
};

struct open_slot {
	uint32_t hash;
	struct interval *v; /* NULL if the slot is free */
};

struct open {
	struct open_slot *slot;
	size_t mask, count; /* the mask for slots; the number of slots in use */
	uint64_t seed; /* of the hashes; set when the first interval is taken */
	struct interval *free, *all;
};

static inline struct slice
open_text(const struct interval *v, struct part part)
{
	return (struct slice){ v->text.p + part.at, part.len };
}

void open_free(struct open *o); /* { 0 } is an empty table */

/* Returns the interval with that name, or NULL. */
struct interval *open_find(const struct open *o, const struct open_name *name);

/* Returns a new interval without a name, all 0 except its buffers, or NULL when memory runs out. */
struct interval *open_take(struct open *o);

/*
 * Enters v under its kind, run, id and interval.  An interval that was entered under the same name
 * before is hidden until v leaves.  Returns false when memory runs out.
 */
bool open_enter(struct open *o, struct interval *v) __attribute__((warn_unused_result));

/*
 * Removes v, so it is no longer found, not even when the interval that hides it leaves.  It may
 * have no name.
 */
void open_leave(struct open *o, struct interval *v);

/* Frees an interval that has left. */
void open_give(struct open *o, struct interval *v);

#endif
