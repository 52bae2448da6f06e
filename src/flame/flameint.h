/* SPDX-License-Identifier: ISC */
/* flameint.h - what the files of src/flame share: the trees of frames. */
#ifndef AFPIPE_FLAMEINT_H
#define AFPIPE_FLAMEINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/tab.h"
#include "src/flame/flame.h"

#define NODE_ROOT 0u /* every tree has it; it is also "none" for links */
#define OBJECT_NONE 0u
#define OBJECT_SEVERAL UINT32_MAX

/* A frame in its place.  Links are the numbers of nodes of the same tree. */
struct node {
	uint32_t parent, name;
	uint32_t child, last, next; /* its first and last child; its next sibling */
	uint32_t object; /* 1 + number, or one of the above */
	size_t self[FLAME_SIDES]; /* its own weight: an offset in weights, with a NUL; 0: none */
};

/* The frames of one measure. */
struct panel {
	struct buf measure, unit; /* as in the stream */
	struct node *node; /* parents come before their children */
	size_t nodes, cap;
	uint32_t *slot; /* finds children; open addressing, 0 is free */
	size_t mask;
	struct buf weights;
	struct slice last; /* the stack added last, and its frames: where each ends, and its node */
	size_t *end, end_cap;
	uint32_t *path;
	size_t path_cap, depth;
};

struct flame {
	struct panel *panel;
	size_t panels, panels_cap;
	struct tab names, objects;
	struct buf title, notes; /* each note ends in NUL */
	uint64_t seed;
	bool compares, upwards;
};

/* Visits the nodes below the root, parents first.  Start with NODE_ROOT; returns it at the end. */
uint32_t flame_walk(const struct panel *p, uint32_t node);

/* Returns the weight as digits, or "0". */
const char *flame_weight(const struct panel *p, uint32_t node, enum flame_side side);

/* Write a constant, and a text without the characters that HTML and XML do not allow in it. */
void flame_put(struct out *o, const char *s);
void flame_put_markup(struct out *o, struct slice s);

#endif
