/* SPDX-License-Identifier: ISC */
/*
 * line.h - what all lines of one sample share while they are written.
 */
#ifndef AFPIPE_PERFDATA_LINE_H
#define AFPIPE_PERFDATA_LINE_H

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

/* A chain is as long as its record at most, and so is a part of it that came later. */
#define CHAIN_MAX (2 * (REC_MAX / 8))

/* Modes by their letter, in the order of enum cpumode; unknown has none. */
#define MODE_LETTERS "?kuhgG"

struct line {
	const struct sample *s;
	const struct rec *rec;
	struct attr *attr; /* that lays the sample out; lines may be of others */
	struct thread *thread; /* NULL where the sample names none */
	struct slice who; /* its pid, tid and comm tags; p is NULL for none */
	enum cpumode mode;
	bool with_id; /* its id is the only extra */
	uint64_t place; /* where ip lies in at's object */
	const struct frame *at;
	struct frame at_copy; /* of it, where other frames are looked up after it */
	bool deferred; /* the chain lacks its user part, which never came */
	size_t frames;
	struct slice frame[CHAIN_MAX]; /* names, innermost first */
};

/* chain.c: finds the names of all frames of the chain; without any, of ip alone. */
void chain_find(struct decoder *d, struct line *l);

/* Has the chain of s callers in user code? */
bool chain_has_user_callers(const struct sample *s);

/* The tag stack: names, root first. */
void chain_put_stack(struct evwrite *w, const struct line *l);

/* The tag frames: where each of the stack's frames lies. */
void chain_put_places(struct decoder *d, const struct line *l);

#endif
