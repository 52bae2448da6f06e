/* SPDX-License-Identifier: ISC */
/* parts.h - shared by the files of this directory. */
#ifndef AFPIPE_PERFDATA_SAMPLE_PARTS_H
#define AFPIPE_PERFDATA_SAMPLE_PARTS_H

#include "src/perfdata/sample/sample.h"

/*
 * A chain is at most as long as its record, and so is a user part that came later.  Unwinding
 * replaces the user part, and a stack that ends early has one more frame.
 */
#define CHAIN_MAX (2 * (REC_MAX / 8) + 1)
#define UNWIND_STACK_MAX (REC_MAX / 8)

/* Data shared by all lines of one sample while they are written. */
struct sample_line {
	const struct sample *s;
	const struct rec *rec;
	struct event *event; /* defines the sample's layout; lines may belong to other events */
	struct thread *thread; /* NULL if the sample names none */
	struct slice who; /* its pid, tid and comm tags */
	uint32_t who_serial; /* no other tags have it; 0: others may have it */
	enum cpumode mode;
	uint64_t place; /* the place of ip in at's object */
	const struct frame *at;
	struct frame at_copy; /* a copy of *at, if other frames are looked up later */
	struct sym_place detail_copy; /* of its detail */
	bool deferred; /* the chain lacks its user part, which never came */
	bool truncated; /* there are more callers, which are not known */
	bool
	    calls; /* the chain's addresses in user code are those of calls, not return addresses */
	struct slice outer; /* the names of its outermost frames, as text, outermost first */
	size_t outer_frames; /* the number of these */
	size_t frames; /* the number of all others */
	struct slice frame[CHAIN_MAX]; /* their names, innermost first */
	struct slice lines[CHAIN_MAX]; /* as many; set only if lines are wanted */
};

/* ---- stacks.c: the addresses of a chain, and their names */

/* A walk over the addresses of a chain, with their modes.  An unknown marker ends it. */
struct chain_walk {
	const unsigned char *p, *end; /* whole words */
	const unsigned char *begin;
	bool swap;
	bool calls; /* addresses in user code are those of calls, not return addresses */
	enum cpumode mode;
};

/* Begins a walk.  Addresses without a marker before them are in user mode, as in perf. */
static inline struct chain_walk
chain_over(const struct cur *c)
{
	size_t bytes = cur_left(c) & ~(size_t)7;

	return (struct chain_walk){ .p = c->p,
		.begin = c->p,
		.end = bytes == 0 ? c->p : c->p + bytes,
		.swap = c->swap,
		.mode = MODE_USER };
}

/* Returns the mode of the addresses after a marker, or MODE_UNKNOWN for an unknown marker. */
enum cpumode chain_mode(uint64_t marker);

/* Returns false at the end. */
static inline bool
chain_next(struct chain_walk *k, uint64_t *ip)
{
	while (k->p != k->end) {
		*ip = cur_word64(k->p, k->swap);
		k->p += 8;
		if (*ip < CONTEXT_MAX)
			return true;
		k->mode = chain_mode(*ip);
		if (k->mode == MODE_UNKNOWN)
			return false;
	}
	return false;
}

/* How a walk has ended. */
enum chain_end {
	CHAIN_WHOLE, /* after its last word */
	CHAIN_DEFERRED, /* at the marker of a user part that comes later */
	CHAIN_CUT, /* at another unknown marker: what the words after it are is not known */
};

static inline enum chain_end
chain_ended(const struct chain_walk *k)
{
	if (k->mode != MODE_UNKNOWN)
		return CHAIN_WHOLE;
	return cur_word64(k->p - 8, k->swap) == CONTEXT_USER_DEFERRED ? CHAIN_DEFERRED : CHAIN_CUT;
}

/*
 * Finds the names of all frames of the chain: sets outer, outer_frames, frames, frame, deferred and
 * truncated of l.  The text of outer is valid until the next call.
 */
void stacks_find(struct samples *to, struct sample_line *l);
void stacks_free(struct stacks *s);

/* ---- emit.c: chains that do not stay as they were recorded */

/*
 * Appends the words of the chain up to and including its user marker; *marked is false if it has
 * none.  Returns false if memory runs out.
 */
bool chain_copy_kernel(struct buf *b, struct cur chain, bool *marked)
    __attribute__((warn_unused_result));

/* Makes these words, in the host's byte order, the chain of the sample.  They are borrowed. */
void chain_replace(struct sample *s, const struct buf *words);

/* ---- offcpu.c: the samples of perf record --off-cpu */

/*
 * Sets the fields of a sample of a BPF program that are elsewhere, and takes those out of s->have
 * that are not known.  Returns ERR_DATA if its raw bytes are too short.
 */
int off_cpu_take(struct samples *to, struct sample_line *l, struct sample *s, struct err *e)
    __attribute__((warn_unused_result));

/* ---- callers.c: unwinds stack copies, counts stacks that end early */

/*
 * callers_find unwinds the stack copy in s and adds the callers to its chain, which may be empty.
 * callers_skip does not unwind but counts the stack as incomplete.  Both set l->truncated and
 * return false if memory runs out.
 */
bool callers_find(struct samples *to, struct sample_line *l, struct sample *s)
    __attribute__((warn_unused_result));
bool callers_skip(struct samples *to, struct sample_line *l) __attribute__((warn_unused_result));
void callers_free(struct callers *c);

/* Counts a chain that an unknown marker ended, unless l is truncated already; then it is. */
void callers_cut(struct samples *to, struct sample_line *l);

/* Counts a chain that the kernel has cut at its limit; l is truncated then. */
void callers_full(struct samples *to, struct sample_line *l);

/* ---- counters.c: the counters in a SAMPLE or READ record */

/* One counter of a read_format part.  Fields that its format lacks are 0. */
struct counter {
	uint64_t format;
	uint64_t id, value, enabled, running, lost;
};

struct readings {
	const struct event *event; /* the event that defines their layout */
	struct cur part;
	uint64_t id; /* of the record's event, 0 if it has none */
	struct thread *thread; /* the thread they belong to if the event is inherited, or NULL */
	bool final; /* the thread has ended: the next thread with that tid starts from 0 */
	struct trailer at; /* time, thread, cpu */
	uint64_t offset; /* offset of the record */
};

/*
 * Receives each counter with its event's number and its growth since it was last read.  If the
 * value has become smaller, the growth is the value.  Either all counters are passed or, with
 * ERR_DATA, none.
 */
typedef void counters_sink(void *ctx, uint32_t event, const struct counter *c, uint64_t grown);
int counters_take(struct samples *to, const struct readings *r, counters_sink *sink, void *ctx,
    struct err *e) __attribute__((warn_unused_result));

/* Writes the tags for the counter's total and its times. */
void counters_put_tags(struct evwrite *w, const struct counter *c);

/* ---- extras.c: the less usual tags of a sample */

/* counter is the one whose line this is, or NULL if the value is a period. */
void extras_put(struct samples *to, const struct sample_line *l, const struct counter *counter);

#endif
