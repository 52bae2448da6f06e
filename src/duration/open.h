/* SPDX-License-Identifier: ISC */
/*
 * open.h - the regions and intervals that are open, found by what they are called.
 *
 * Memory is taken as more of them are open than ever before, and used again for the next ones.
 */
#ifndef AFPIPE_OPEN_H
#define AFPIPE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "lib/wide.h"

/* What an interval is; part of its name. */
enum open_kind {
	OPEN_REGION,
	OPEN_SECTION, /* an interval of one */
	OPEN_RUN,
	OPEN_UNION, /* of a section: from when one interval is open until none is */
	OPEN_NAMELESS = 4, /* or-ed in: known by its label, for it has no id */
	OPEN_ENDED = 8, /* or-ed in: has ended just now, and its values may still come */
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
	struct buf last; /* the last value that a sample had, at last_at */
	struct wide last_at;
	bool done; /* its value at the stop has come */
};

struct interval {
	unsigned kind;
	uint32_t run, hash;
	bool open, entered; /* neither stopped nor left out; found by its name */
	bool anonymous; /* of one that has ended: its stop named nothing */
	bool lacks_parent; /* too long to be in its head */
	size_t unplaced; /* length of its head without its place: depth and parent */
	size_t told_depth; /* its depth in the head, and the order of the region around it there, */
	uint64_t told_around; /* plus 1; 0: none */
	struct interval *hidden; /* of the same name: it is found again when this one has left */
	struct interval *hider; /* the one whose hidden this is */
	struct interval *around; /* the region around it; of a section's interval its union */
	struct interval *inner; /* the region directly in it that is open */
	struct interval *next; /* that waits, or is free */
	struct interval *older; /* all there are */
	size_t depth; /* of a region: at its start, and at its stop */
	size_t open_intervals; /* of a union */
	struct wide start;
	struct wide paused; /* before the start */
	struct wide inside, inside_paused; /* time, and paused time, of the regions in it */
	uint64_t order; /* among all starts */
	uint64_t line; /* of the start */
	const char *file; /* that the line is from; borrowed */
	struct buf text;
	struct part id, interval, label;
	struct part head; /* the tags that all its lines have, as far as stack; TABs before each */
	struct part tags; /* those that its start had, the same */
	struct part stop_label; /* of one that has ended: what its stop called it */
	struct part stack; /* the same; of open ones the run has it */
	size_t stack_cut; /* the same: how many labels it lacks */
	size_t slot, stack_len; /* of an open region: where the run's stack has it, if it does */
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
	size_t mask, count; /* of slots, and how many are taken */
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

/* A new one without a name, all of it 0 but its buffers.  NULL when there is no memory. */
struct interval *open_take(struct open *o);

/*
 * From now on it is found by its kind, run, id and interval, and what was found by these before is
 * hidden until it leaves.  False when there is no memory.
 */
bool open_enter(struct open *o, struct interval *v) __attribute__((warn_unused_result));

/* It is no longer found, nor comes back when what hides it leaves.  It may have no name. */
void open_leave(struct open *o, struct interval *v);

/* Gives one back that is not found. */
void open_give(struct open *o, struct interval *v);

#endif
