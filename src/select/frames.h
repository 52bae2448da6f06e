/* SPDX-License-Identifier: ISC */
/*
 * frames.h - lines with only some of the frames of their stacks.
 *
 * The region becomes the last frame that is left, and tags that describe other frames are left out.
 * A line without such a frame keeps its value: its region, and its stack if it has one, are
 * "[none]".  Marks for frames that are not known, "[truncated]" and "[...]", stay in the stack.
 */
#ifndef AFPIPE_SELECT_FRAMES_H
#define AFPIPE_SELECT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"
#include "lib/pattern.h"

enum frames_which { FRAMES_ALL, FRAMES_MATCHING, FRAMES_OTHERS };

/* A frame that is left. */
struct frame {
	struct slice name; /* as in the list */
	size_t index;
};

/* { 0 } leaves lines as they are. */
struct frames {
	enum frames_which which;
	struct pattern pattern;
	uint64_t lines; /* that have frames */
	uint64_t none; /* of them, those of which none is left */
	uint64_t resources; /* lines that lost frames, but not in json= */
	uint64_t nested; /* values that were left out, since values around them contain them */
	/* Of the line. */
	struct frame *frame;
	size_t count, cap, all;
	bool leaf; /* the last one is left */
	struct buf region;
};

/* Sets the pattern.  Fails like pattern_make. */
int frames_set(struct frames *f, enum frames_which which, const char *regex, struct err *e)
    __attribute__((warn_unused_result));
void frames_free(struct frames *f);

/* Writes the line of an event.  Fails only if memory runs out. */
int frames_write(struct frames *f, const struct ev *ev, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

#endif
