/* SPDX-License-Identifier: ISC */
/*
 * line.h - data shared by all lines of one sample while they are written.
 */
#ifndef AFPIPE_PERFDATA_LINE_H
#define AFPIPE_PERFDATA_LINE_H

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

/* A chain is at most as long as its record, and so is a part of it that came later. */
#define CHAIN_MAX (2 * (REC_MAX / 8))

/* Modes by their letter, in the order of enum cpumode; unknown has none. */
#define MODE_LETTERS "?kuhgG"

struct line {
	const struct sample *s;
	const struct rec *rec;
	struct attr *attr; /* defines the sample's layout; lines may be of other events */
	struct thread *thread; /* NULL if the sample names none */
	struct slice who; /* its pid, tid and comm tags; p is NULL for none */
	enum cpumode mode;
	bool with_id; /* its only extra tag is the id */
	uint64_t place; /* where ip lies in at's object */
	const struct frame *at;
	struct frame at_copy; /* a copy of *at, if other frames are looked up after it */
	bool deferred; /* the chain lacks its user part, which never came */
	size_t frames;
	struct slice frame[CHAIN_MAX]; /* names, innermost first */
};

/* chain.c: finds the names of all frames of the chain; if it is empty, of ip alone. */
void chain_find(struct decoder *d, struct line *l);

/* Does the chain of s have callers in user code? */
bool chain_has_user_callers(const struct sample *s);

/* The tag stack: names, root first. */
void chain_put_stack(struct evwrite *w, const struct line *l);

/* The tag frames: the place of each frame of the stack. */
void chain_put_places(struct decoder *d, const struct line *l);

#endif
