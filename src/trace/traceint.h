/* SPDX-License-Identifier: ISC */
/* traceint.h - what has been collected; for collect.c, speedscope.c and firefox.c. */
#ifndef AFPIPE_TRACE_TRACEINT_H
#define AFPIPE_TRACE_TRACEINT_H

#include "lib/buf.h"
#include "lib/json/jwrite.h"
#include "lib/pace.h"
#include "lib/tab.h"
#include "src/trace/threads.h"
#include "src/trace/trace.h"

#define TIME_NONE UINT64_MAX
#define VALUE_TEXT 0x80000000u /* the value is a number in trace.values, plus this */
#define NODE_NONE UINT32_MAX

struct sample {
	uint64_t time; /* in nanoseconds on the clock of its run */
	uint32_t node;
	uint32_t value; /* itself, or VALUE_TEXT + number */
};

/* The samples of one measure and one thread, in the order of time after trace_settle. */
struct profile {
	size_t thread, measure;
	struct sample *sample;
	size_t n, cap;
	uint64_t last; /* time of the last sample */
	bool unsorted;
};

struct measure {
	struct slice name, unit; /* as in the stream */
};

/* A stack is a node: a frame below another node.  Parents have smaller numbers. */
struct node {
	uint32_t parent, frame; /* parent may be NODE_NONE */
};

enum trace_note {
	NOTE_UNTIMED,
	NOTE_TIMES,
	NOTE_NEGATIVE,
	NOTE_NOT_FINITE,
	NOTE_HUGE,
	NOTE_LARGE,
	NOTE_LINES,
	NOTES
};

struct trace {
	enum trace_target target;
	struct fold *fold; /* which lines are used; its parts are the measures */
	struct threads threads;
	struct tab profile_keys; /* uint32_t thread, uint32_t measure */
	struct profile *profile;
	size_t profiles_cap, current;

	struct tab frames; /* NAME TAB FILE TAB LINE, all as in the stream, but with ';' itself */
	struct tab nodes; /* struct node */
	struct tab values; /* JSON numbers */
	struct tab stacks; /* the stack and lines of a line */
	uint32_t *stack_node; /* of each */
	size_t stacks_cap;
	struct buf text; /* scratch */

	struct pace pace;
	struct buf remarks; /* each ends in NUL */
	uint64_t count[NOTES];
};

/* Returns the measure of a profile. */
static inline struct measure
trace_measure(const struct trace *t, size_t i)
{
	struct measure m = { { NULL, 0 }, { NULL, 0 } };

	(void)fold_part(t->fold, i, &m.name, &m.unit);
	return m;
}

struct node trace_node(const struct trace *t, uint32_t node);

/* Stores the parts of frame I.  The file may be empty, and the line 0. */
void trace_frame(const struct trace *t, size_t i, struct slice *name, struct slice *file,
    uint64_t *line);

/* Returns the text of a value; room has NUM_MAX bytes. */
struct slice trace_value(const struct trace *t, uint32_t value, char *room);

/* Writes the remarks as a list of strings, without the brackets. */
void trace_put_remarks(const struct trace *t, struct jwrite *j, const char *before,
    const char *after);

/* Writes a name for people: that of the thread and its numbers, and of the measure and its unit. */
void trace_put_name(struct trace *t, struct jwrite *j, const struct profile *p);

int speedscope_write(struct trace *t, struct jwrite *j, struct err *e)
    __attribute__((warn_unused_result));
int firefox_write(struct trace *t, struct jwrite *j, struct err *e)
    __attribute__((warn_unused_result));

#endif
