/* SPDX-License-Identifier: ISC */
/*
 * threads.h - the runs, processes and threads of a stream, and their names.
 *
 * A line without pid and tid belongs to a process and a thread of its run that have neither.
 */
#ifndef AFPIPE_TRACE_THREADS_H
#define AFPIPE_TRACE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define THREADS_NONE SIZE_MAX

/* Names are spelled as in the stream, and are numbers in threads.names. */
struct thread {
	size_t process;
	uint32_t tid, comm; /* comm: the last one, or "." */
};

struct process {
	size_t run;
	uint32_t pid, name; /* the last name; "." if none is known */
	unsigned sure; /* how sure the name is: 2 if it is that of the main thread */
};

struct threads {
	struct tab names, runs, process_keys, thread_keys;
	uint32_t *app; /* of each run: its app tag, or "." */
	size_t apps_cap;
	struct process *process;
	size_t processes_cap;
	struct thread *thread;
	size_t threads_cap;
	bool split_idle; /* thread 0 is a thread for each processor */
	size_t last; /* the thread of the last line */
	struct buf key; /* scratch */
};

/* { 0 } is a valid empty struct. */
void threads_free(struct threads *t);

/* Notes the tags of a line of kind run.  Returns false if memory runs out. */
bool threads_run(struct threads *t, const struct ev *ev) __attribute__((warn_unused_result));

/* Returns the number of the line's thread, or THREADS_NONE if memory runs out. */
size_t threads_find(struct threads *t, const struct ev *ev);

/* Return a text for people, in b, as the stream spells it.  Return false if memory runs out. */
bool threads_name_process(const struct threads *t, size_t process, struct buf *b)
    __attribute__((warn_unused_result));
bool threads_name(const struct threads *t, size_t thread, struct buf *b)
    __attribute__((warn_unused_result));

static inline struct slice
threads_text(const struct threads *t, uint32_t name)
{
	return t->names.item[name];
}

#endif
