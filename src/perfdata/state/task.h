/* SPDX-License-Identifier: ISC */
/*
 * task.h - processes and threads: their names and address spaces over time.
 *
 * The rules are those of perf (tools/perf/util/machine.c), so that names are the
 * same: a thread is found by its tid, a child takes the name of the thread that
 * forked it, "swapper" is thread 0, and a thread without a name is ":TID".
 */
#ifndef AFPIPE_PERFDATA_TASK_H
#define AFPIPE_PERFDATA_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "src/perfdata/attr/idmap.h"
#include "src/perfdata/state/maps.h"
#include "src/perfdata/state/u32tab.h"

/* How many exited threads are remembered, for records that come late. */
#define EXITED_MAX 1024

/* Text without spare room: there may be millions of tasks. */
struct task_text {
	uint32_t refs; /* for a name: a child shares its parent's */
	uint32_t pid; /* for the tags of a thread: the pid that they were made for */
	uint32_t len;
	char p[];
};

struct process {
	uint32_t pid;
	uint32_t threads;
	struct maps maps;
	struct task_text *text; /* "\tpcomm=..", NULL until requested */
};

struct thread {
	uint32_t tid;
	bool exited;
	struct process *process;
	struct task_text *name; /* escaped, as a column; NULL: no record gave one */
	struct task_text *text; /* "\tpid=..\ttid=..\tcomm=..", NULL until requested */
	struct idmap *counters; /* of inherited events read with this thread, by id; or NULL */
};

struct tasks {
	struct u32tab threads; /* by tid */
	struct u32tab processes; /* by pid */
	struct maps kernel;
	struct map_pool maps; /* the nodes of the maps of kernel and processes */
	struct thread *last; /* the last one found */
	struct task_text *nobody; /* the last text requested of a missing process */
	struct buf scratch;
	uint32_t exited[EXITED_MAX];
	size_t exits;
};

void tasks_init(struct tasks *t);
void tasks_free(struct tasks *t);

/* The thread, made if it is new.  NULL when there is no memory.  Valid until the next exit. */
struct thread *tasks_thread(struct tasks *t, uint32_t pid, uint32_t tid);

/*
 * comm is raw.  An exec does not change the maps, as in perf: those of the new program come
 * in records of their own and replace the old, and samples until then still have callers
 * in the old program.
 */
int tasks_comm(struct tasks *t, uint32_t pid, uint32_t tid, struct slice comm, struct err *e)
    __attribute__((warn_unused_result));

/* keep_maps false: a fork synthesized for a task already running, whose mappings follow. */
int tasks_fork(struct tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
    bool keep_maps, struct err *e) __attribute__((warn_unused_result));
int tasks_exit(struct tasks *t, uint32_t tid, struct err *e) __attribute__((warn_unused_result));

/* Puts a mapping into the process (user) or the kernel's space. */
int tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map,
    struct err *e) __attribute__((warn_unused_result));
int tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* The room for the name of a thread without a recorded name. */
#define THREAD_NAME_ROOM 16

/* Its name, escaped as a column; it may be stored in room. */
struct slice thread_name(const struct thread *th, char room[THREAD_NAME_ROOM]);

/* The map of its counters, made if there is none yet.  NULL when there is no memory. */
struct idmap *thread_counters(struct thread *th);

/* thread_text and process_text, if they are not known yet. */
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
 * the thread of the current record.  Valid until the next call.  p is NULL when there is no
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
