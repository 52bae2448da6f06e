/* SPDX-License-Identifier: ISC */
/*
 * task.h - processes and threads: their names and address spaces over time.
 *
 * The rules are those of perf (tools/perf/util/machine.c), so that names come out
 * the same: a thread is found by its tid, a child takes the name of the thread that
 * forked it, "swapper" is thread 0, and a thread that nothing names is ":TID".
 */
#ifndef AFPIPE_PERFDATA_TASK_H
#define AFPIPE_PERFDATA_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "src/perfdata/idmap.h"
#include "src/perfdata/maps.h"
#include "src/perfdata/u32tab.h"

/* Threads that have exited are remembered this long, for records that come late. */
#define EXITED_MAX 1024

/* Text that takes no more than it needs: there may be millions of tasks. */
struct task_text {
	uint32_t refs; /* of a name: a child shares its parent's */
	uint32_t pid; /* of the tags of a thread: what they were made for */
	uint32_t len;
	char p[];
};

struct process {
	uint32_t pid;
	uint32_t threads;
	struct maps maps;
	struct task_text *text; /* "\tpcomm=..", NULL until asked for */
};

struct thread {
	uint32_t tid;
	bool exited;
	struct process *process;
	struct task_text *name; /* escaped, as a column; NULL: no record gave one */
	struct task_text *text; /* "\tpid=..\ttid=..\tcomm=..", NULL until asked for */
	struct idmap *counters; /* of inherited events that are read with it, by id; or NULL */
};

struct tasks {
	struct u32tab threads; /* by tid */
	struct u32tab processes; /* by pid */
	struct maps kernel;
	struct map_pool maps; /* what kernel and the processes have theirs from */
	struct thread *last; /* found last */
	struct task_text *nobody; /* the text asked for last of a process that is not there */
	struct buf scratch;
	uint32_t exited[EXITED_MAX];
	size_t exits;
};

void tasks_init(struct tasks *t);
void tasks_free(struct tasks *t);

/* The thread, made if it is new.  NULL when there is no memory.  Valid until the next exit. */
struct thread *tasks_thread(struct tasks *t, uint32_t pid, uint32_t tid);

/*
 * comm is raw.  An exec changes no maps, as in perf: the new program's come in records
 * of their own and take the place of the old, and samples on the way still have
 * callers in the old one.
 */
int tasks_comm(struct tasks *t, uint32_t pid, uint32_t tid, struct slice comm, struct err *e)
    __attribute__((warn_unused_result));

/* keep_maps false: a fork made up for a task that ran already, whose mappings follow. */
int tasks_fork(struct tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
    bool keep_maps, struct err *e) __attribute__((warn_unused_result));
int tasks_exit(struct tasks *t, uint32_t tid, struct err *e) __attribute__((warn_unused_result));

/* Puts a mapping into the process (user) or the kernel's space. */
int tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map,
    struct err *e) __attribute__((warn_unused_result));
int tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* What a thread that nothing names is called takes so much. */
#define THREAD_NAME_ROOM 16

/* Its name, escaped as a column; it may be in room. */
struct slice thread_name(const struct thread *th, char room[THREAD_NAME_ROOM]);

/* Where its counters are kept, made if there are none yet.  NULL when there is no memory. */
struct idmap *thread_counters(struct thread *th);

/* thread_text and process_text, where they are not known yet. */
struct slice thread_text_new(struct thread *th, uint32_t pid);
struct slice process_text_new(struct tasks *t, const struct thread *th, uint32_t pid);

static inline struct slice
task_text_slice(const struct task_text *text)
{
	return (struct slice){ text->p, text->len };
}

/* The tags pid, tid and comm of a line, TAB first.  p is NULL when there is no memory. */
static inline struct slice
thread_text(struct thread *th, uint32_t pid)
{
	if (th->text != NULL && th->text->pid == pid)
		return task_text_slice(th->text);
	return thread_text_new(th, pid);
}

/*
 * The tag pcomm, TAB first: the name of the process pid, which is that of its first thread.  th is
 * the thread of the record that asks.  Valid until the next call.  p is NULL when there is no
 * memory.
 */
static inline struct slice
process_text(struct tasks *t, const struct thread *th, uint32_t pid)
{
	if (th->process->pid == pid && th->process->text != NULL)
		return task_text_slice(th->process->text);
	return process_text_new(t, th, pid);
}

#endif
