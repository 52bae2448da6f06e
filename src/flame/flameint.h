/* SPDX-License-Identifier: ISC */
/* flameint.h - what the files of src/flame share: the sides, and the trees of frames. */
#ifndef AFPIPE_FLAMEINT_H
#define AFPIPE_FLAMEINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/pace.h"
#include "lib/tab.h"
#include "src/flame/flame.h"

#define NODE_ROOT 0u /* every tree has it; it is also "none" for links */
#define OBJECT_NONE 0u
#define OBJECT_SEVERAL UINT32_MAX

/* A frame in one place of a tree.  Links are the numbers of nodes of the same tree. */
struct node {
	uint32_t parent, name;
	uint32_t child, last, next; /* its first and last child; its next sibling */
	uint32_t object; /* 1 + number, or one of the above */
	size_t self[FLAME_SIDES]; /* its own weight: an offset in weights, with a NUL; 0: none */
};

/*
 * The nodes of a stack: the last one and, to be reached from there in a bounded time, the last one
 * of the first SHARED_MAX frames.
 */
#define SHARED_MAX 2000u

struct leaf {
	uint32_t node, near, near_depth;
};

/* The frames of one measure. */
struct panel {
	struct buf measure, unit; /* as in the stream */
	bool has[FLAME_SIDES]; /* the side has it */
	struct node *node; /* parents come before their children */
	size_t nodes, cap;
	uint32_t *slot; /* finds children; open addressing, 0 is free */
	size_t mask;
	struct buf weights;
	struct slice last; /* the stack added last, and its frames: where each ends, and its node */
	size_t *end, end_cap;
	uint32_t *path;
	size_t path_cap, depth;
	struct leaf *leaf; /* of each stack number, for charts over time */
	size_t leaf_cap, leaves;
};

#define MOMENT_WHOLE UINT32_MAX

/* A part of a thread's chart: samples with equal or joined stacks, or a span. */
struct moment {
	uint64_t from, to; /* the times of the first and the last sample, or of the span */
	struct slice stack; /* samples: the text, or that of one of the joined stacks */
	uint32_t what; /* the number of the stack, or of the span's name */
	uint32_t frames; /* samples: how many frames they share, or WHOLE if their stacks are equal;
			    spans: the depth, or WHOLE if they have none */
	uint32_t n; /* number of samples */
};

#define NO_PANEL SIZE_MAX

struct thread {
	size_t panel; /* NO_PANEL: spans */
	size_t run; /* its number */
	uint32_t pid, tid, comm; /* numbers of names */
	struct moment *moment;
	size_t moments, cap;
	uint64_t n, last; /* number of lines; the time of the last one */
	uint64_t dropped, longest; /* spans left out, and the longest of them in nanoseconds */
	bool unsorted;
};

struct timing {
	size_t slices; /* 0: no chart over time */
	struct thread *thread;
	size_t threads, threads_cap, current;
	struct tab keys, runs;
	uint64_t *base; /* the first time of each run */
	size_t base_cap;
	struct buf key;
	struct pace pace;
	uint64_t untimed;
};

/* What has been read of a stream. */
struct side {
	struct fold *fold;
	uint64_t large; /* number of resources left out */
};

struct flame {
	struct side side[FLAME_SIDES];
	bool two; /* both are read, and not only that of AFTER */
	bool rootless; /* stacks begin with functions */
	bool counts; /* weights are numbers of events */
	struct panel *panel;
	size_t panels, panels_cap;
	struct tab names, objects;
	struct buf title, notes; /* each note ends in NUL */
	uint64_t seed;
	bool compares; /* of two streams, or of changes, which have both weights */
	bool upwards;
	struct timing time;
};

bool flame_open_sides(struct flame *f) __attribute__((warn_unused_result));
void flame_free_sides(struct flame *f);

/*
 * Stores the graph of a side's next measure and unit, as in the stream, in *panel: that of the
 * other side, or else a new one.  Fails only if memory runs out.
 */
int flame_panel(struct flame *f, enum flame_side side, struct slice measure, struct slice unit,
    size_t *panel, struct err *e) __attribute__((warn_unused_result));

/*
 * After the last stack: numbers of events have no unit, but that of their values is still in the
 * name of a measure that has several.  Fails only if memory runs out.
 */
int flame_name_counts(struct flame *f, struct err *e) __attribute__((warn_unused_result));

/*
 * Adds a stack: its frames as in the stream, separated by ';', and its weight in digits with an
 * optional point.  The weight is copied; the stack must stay where it is until the picture is
 * written.  Each stack comes once for each side; sorted stacks are fastest.  The object is that of
 * the innermost frame, "." if it is not known, NULL if there are several.  Fails only if memory
 * runs out.
 */
int flame_add(struct flame *f, size_t panel, enum flame_side side, struct slice stack,
    struct slice weight, struct slice object, struct err *e) __attribute__((warn_unused_result));

/* Makes NUMBER, for flame_moment, that of the panel's last stack.  Fails only without memory. */
int flame_number(struct flame *f, size_t panel, size_t number, struct err *e)
    __attribute__((warn_unused_result));

/* After the last stack: makes that panel the first one. */
void flame_show_first(struct flame *f, size_t panel);

/*
 * Adds a sample, which has stack NUMBER of the panel with that index, to the chart of its thread.
 * The text of the stack must stay where it is.  Fails only if memory runs out.
 */
int flame_moment(struct flame *f, size_t panel, size_t number, struct slice stack,
    const struct ev *ev, struct err *e) __attribute__((warn_unused_result));

/* Adds a line of kind span.  Fails only if memory runs out. */
int flame_span(struct flame *f, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Visits the nodes below the root, parents first.  Start with NODE_ROOT; returns it at the end. */
uint32_t flame_walk(const struct panel *p, uint32_t node);

/* Returns the weight as digits, or "0". */
const char *flame_weight(const struct panel *p, uint32_t node, enum flame_side side);

/* Puts the moments into the order of time, joined where they have to be. */
void flame_settle(struct flame *f);
void flame_free_time(struct flame *f);

/* The longest time between two samples of a thread that is not shown as a gap. */
uint64_t flame_gap(const struct flame *f);

/* Write a constant, and a text without the characters that HTML and XML do not allow in it. */
void flame_put(struct out *o, const char *s);
void flame_put_markup(struct out *o, struct slice s);

#endif
