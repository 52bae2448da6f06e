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

struct process {
	uint32_t pid;
	uint32_t threads;
	struct maps *maps;
	struct buf text; /* "\tpcomm=..", empty until asked for */
};

struct thread {
	uint32_t tid;
	struct process *process;
	bool named; /* a record gave the name */
	bool exited;
	struct buf comm; /* escaped, as a column */
	uint32_t text_pid; /* what text was made for */
	struct buf text; /* "\tpid=..\ttid=..\tcomm=..", empty until asked for */
	struct idmap counters; /* of inherited events that are read with it, by id */
};

struct tasks {
	struct u32tab threads; /* by tid */
	struct u32tab processes; /* by pid */
	struct maps_account account;
	struct maps *kernel;
	struct thread *last; /* found last */
	struct buf scratch;
	uint32_t exited[EXITED_MAX];
	size_t exits;
};

int tasks_init(struct tasks *t, struct err *e) __attribute__((warn_unused_result));
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
void tasks_exit(struct tasks *t, uint32_t tid);

/* Puts a mapping into the process (user) or the kernel's space. */
int tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map,
    struct err *e) __attribute__((warn_unused_result));
int tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* The tags pid, tid and comm of a line, TAB first.  NULL when there is no memory. */
const struct buf *thread_text(struct thread *th, uint32_t pid);

/*
 * The tag pcomm, TAB first: the name of the process pid, which is that of its first thread.  th is
 * the thread of the record that asks.  Valid until the next call.  NULL when there is no memory.
 */
const struct buf *process_text_new(struct tasks *t, const struct thread *th, uint32_t pid);

static inline const struct buf *
process_text(struct tasks *t, const struct thread *th, uint32_t pid)
{
	if (th->process->pid == pid && th->process->text.len != 0)
		return &th->process->text;
	return process_text_new(t, th, pid);
}

#endif
