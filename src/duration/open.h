/* SPDX-License-Identifier: ISC */
/*
 * open.h - the open regions and intervals, found by their names.
 *
 * Memory grows with the largest number open at the same time, and is reused for later ones.
 */
#ifndef AFPIPE_OPEN_H
#define AFPIPE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "lib/wide.h"

/* The kind of an interval; part of its name. */
enum open_kind {
	OPEN_REGION,
	OPEN_SECTION, /* an interval of a section */
	OPEN_RUN,
	OPEN_UNION, /* of a section: from when one interval is open until none is */
	OPEN_NAMELESS = 4, /* or-ed in: known by its label, because it has no id */
	OPEN_ENDED = 8, /* or-ed in: it has just ended, and its values may still come */
	OPEN_SCOPE = 3, /* mask */
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
};

struct interval {
	unsigned kind;
	uint32_t run, hash;
	bool open, entered; /* neither stopped nor left out; can be found by its name */
	bool anonymous; /* if it has ended: its stop named nothing */
	bool lacks_parent; /* the parent is too long for its head */
	size_t unplaced; /* length of its head without its place: depth and parent */
	size_t told_depth; /* its depth in the head, and the order of the region around it there, */
	uint64_t told_around; /* plus 1; 0: none */
	struct interval *hidden; /* one with the same name, found again when this one has left */
	struct interval *hider; /* the one whose hidden this is */
	struct interval *around; /* the region around it; for a section's interval its union */
	struct interval *inner; /* the open region directly in it */
	struct interval *next; /* that waits, or is free */
	struct interval *older; /* list of all */
	size_t depth; /* for a region: at its start, and at its stop */
	size_t open_intervals; /* of a union */
	struct wide start;
	struct wide paused; /* before the start */
	struct wide inside, inside_paused; /* time, and paused time, of the regions in it */
	uint64_t order; /* among all starts */
	uint64_t line; /* of the start */
	const char *file; /* the input of that line; borrowed */
	struct buf text;
	struct part id, interval, label;
	struct part head; /* the tags on all its lines, up to stack, each with a TAB before it */
	struct part tags; /* the tags of its start, in the same form */
	struct part stop_label; /* if it has ended: the label in its stop */
	struct part stack; /* the same; for open ones the run has it */
	size_t stack_cut; /* the same: how many labels are left out */
	size_t slot, stack_len; /* for an open region: its place in the run's stack, if any */
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
	struct interval *v; /* NULL: free */
};

struct open {
	struct open_slot *slot;
	size_t mask, count; /* for the slots; number of slots in use */
	uint64_t seed; /* of the hashes; set when the first is taken */
	struct interval *free, *all;
};

static inline struct slice
open_text(const struct interval *v, struct part part)
{
	return (struct slice){ v->text.p + part.at, part.len };
}

void open_free(struct open *o); /* { 0 } is empty */

/* The interval of that name, or NULL. */
struct interval *open_find(const struct open *o, const struct open_name *name);

/* A new one without a name, all 0 except its buffers.  NULL when there is no memory. */
struct interval *open_take(struct open *o);

/*
 * From now on v is found by its kind, run, id and interval; one found by these before is hidden
 * until v leaves.  False when there is no memory.
 */
bool open_enter(struct open *o, struct interval *v) __attribute__((warn_unused_result));

/* v is no longer found, not even when the one that hides it leaves.  It may have no name. */
void open_leave(struct open *o, struct interval *v);

/* Gives back one that has left. */
void open_give(struct open *o, struct interval *v);

#endif
