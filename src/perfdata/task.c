/* SPDX-License-Identifier: ISC */
/* task.c - processes and threads: their names and address spaces over time. */
#include "src/perfdata/task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/esc.h"
#include "lib/num.h"

#define TASKS_MAX ((size_t)1 << 26)

static size_t
home(uint32_t id, size_t mask)
{
	return (size_t)(id * 0x9e3779b1u >> 8) & mask;
}

int
tasks_init(struct tasks *t, struct err *e)
{
	*t = (struct tasks){ .thread_mask = 255, .process_mask = 255 };
	t->thread = calloc(t->thread_mask + 1, sizeof(struct thread *));
	t->process = calloc(t->process_mask + 1, sizeof(struct process *));
	t->kernel = maps_new();
	return t->thread == NULL || t->process == NULL || t->kernel == NULL ? err_nomem(e) : 0;
}

static void
free_thread(struct thread *th)
{
	buf_free(&th->comm);
	buf_free(&th->text);
	free(th);
}

void
tasks_free(struct tasks *t)
{
	size_t i;

	for (i = 0; t->thread != NULL && i <= t->thread_mask; i++)
		if (t->thread[i] != NULL)
			free_thread(t->thread[i]);
	for (i = 0; t->process != NULL && i <= t->process_mask; i++)
		if (t->process[i] != NULL) {
			maps_drop(t->process[i]->maps);
			free(t->process[i]);
		}
	free(t->thread);
	free(t->process);
	maps_drop(t->kernel);
	*t = (struct tasks){ 0 };
}

static struct thread **
thread_slot(const struct tasks *t, uint32_t tid)
{
	size_t i = home(tid, t->thread_mask);

	while (t->thread[i] != NULL && t->thread[i]->tid != tid)
		i = (i + 1) & t->thread_mask;
	return &t->thread[i];
}

static struct process **
process_slot(const struct tasks *t, uint32_t pid)
{
	size_t i = home(pid, t->process_mask);

	while (t->process[i] != NULL && t->process[i]->pid != pid)
		i = (i + 1) & t->process_mask;
	return &t->process[i];
}

static bool
grow_threads(struct tasks *t)
{
	size_t old = t->thread_mask + 1, i;
	struct thread **was = t->thread, **now = calloc(old * 2, sizeof(struct thread *));

	if (now == NULL || old > TASKS_MAX) {
		free(now);
		return false;
	}
	t->thread = now;
	t->thread_mask = old * 2 - 1;
	for (i = 0; i < old; i++)
		if (was[i] != NULL)
			*thread_slot(t, was[i]->tid) = was[i];
	free(was);
	return true;
}

static bool
grow_processes(struct tasks *t)
{
	size_t old = t->process_mask + 1, i;
	struct process **was = t->process, **now = calloc(old * 2, sizeof(struct process *));

	if (now == NULL || old > TASKS_MAX) {
		free(now);
		return false;
	}
	t->process = now;
	t->process_mask = old * 2 - 1;
	for (i = 0; i < old; i++)
		if (was[i] != NULL)
			*process_slot(t, was[i]->pid) = was[i];
	free(was);
	return true;
}

static struct process *
find_process(struct tasks *t, uint32_t pid)
{
	struct process **slot = process_slot(t, pid), *p;

	if (*slot != NULL)
		return *slot;
	if (t->processes * 2 > t->process_mask) {
		if (!grow_processes(t))
			return NULL;
		slot = process_slot(t, pid);
	}
	p = calloc(1, sizeof *p);
	if (p == NULL)
		return NULL;
	p->pid = pid;
	p->maps = maps_new();
	if (p->maps == NULL) {
		free(p);
		return NULL;
	}
	*slot = p;
	t->processes++;
	return p;
}

/* Closes the gap that a removed slot leaves in open addressing. */
static void
remove_process(struct tasks *t, struct process *p)
{
	size_t i = (size_t)(process_slot(t, p->pid) - t->process), j = i;

	maps_drop(p->maps);
	free(p);
	t->process[i] = NULL;
	t->processes--;
	while (t->process[j = (j + 1) & t->process_mask] != NULL) {
		struct process *moved = t->process[j];

		t->process[j] = NULL;
		*process_slot(t, moved->pid) = moved;
	}
}

static void
remove_thread(struct tasks *t, struct thread *th)
{
	size_t i = (size_t)(thread_slot(t, th->tid) - t->thread), j = i;
	struct process *p = th->process;

	if (--p->threads == 0)
		remove_process(t, p);
	free_thread(th);
	t->thread[i] = NULL;
	t->threads--;
	t->last = NULL;
	while (t->thread[j = (j + 1) & t->thread_mask] != NULL) {
		struct thread *moved = t->thread[j];

		t->thread[j] = NULL;
		*thread_slot(t, moved->tid) = moved;
	}
}

static bool
name_by_default(struct thread *th)
{
	char text[16];
	int n = snprintf(text, sizeof text, ":%" PRId32, (int32_t)th->tid);

	return th->tid == 0 ? buf_put(&th->comm, "swapper", 7)
			    : buf_put(&th->comm, text, (size_t)n);
}

static struct thread *
make_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct process *p = find_process(t, pid);
	struct thread *th;

	if (p == NULL || (t->threads * 2 > t->thread_mask && !grow_threads(t)))
		return NULL;
	th = calloc(1, sizeof *th);
	if (th == NULL)
		return NULL;
	th->tid = tid;
	th->process = p;
	if (!name_by_default(th)) {
		free_thread(th);
		return NULL;
	}
	p->threads++;
	*thread_slot(t, tid) = th;
	t->threads++;
	return th;
}

struct thread *
tasks_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct thread *th = t->last;

	if (th != NULL && th->tid == tid)
		return th;
	th = *thread_slot(t, tid);
	if (th == NULL)
		th = make_thread(t, pid, tid);
	t->last = th;
	return th;
}

int
tasks_comm(struct tasks *t, uint32_t pid, uint32_t tid, struct slice comm, struct err *e)
{
	struct thread *th = tasks_thread(t, pid, tid);

	if (th == NULL)
		return err_nomem(e);
	th->comm.len = th->text.len = 0;
	th->named = true;
	return esc_append(&th->comm, comm.p, comm.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

int
tasks_fork(struct tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
    bool keep_maps, struct err *e)
{
	struct thread *child = *thread_slot(t, tid), *parent;

	if (child != NULL && tid != ptid)
		remove_thread(t, child);
	parent = tasks_thread(t, ppid, ptid);
	if (parent != NULL && parent->process->pid != ppid) {
		/* another process's: the event that would have removed it was lost */
		remove_thread(t, parent);
		parent = tasks_thread(t, ppid, ptid);
	}
	child = parent == NULL ? NULL : tasks_thread(t, pid, tid);
	if (child == NULL)
		return err_nomem(e);
	if (child == parent)
		return 0;
	if (parent->named) {
		child->comm.len = child->text.len = 0;
		child->named = true;
		if (!buf_put(&child->comm, parent->comm.p, parent->comm.len))
			return err_nomem(e);
	}
	if (child->process != parent->process && keep_maps) {
		maps_drop(child->process->maps);
		child->process->maps = maps_share(parent->process->maps);
	}
	return 0;
}

void
tasks_exit(struct tasks *t, uint32_t tid)
{
	struct thread *th = *thread_slot(t, tid);
	uint32_t *place = &t->exited[t->exits % EXITED_MAX];
	struct thread *old;

	if (th == NULL || th->exited)
		return;
	if (t->exits >= EXITED_MAX && *place != tid) {
		old = *thread_slot(t, *place);
		if (old != NULL && old->exited)
			remove_thread(t, old);
	}
	th->exited = true;
	*place = tid;
	t->exits++;
}

int
tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map, struct err *e)
{
	struct thread *th = tasks_thread(t, pid, tid);

	return th == NULL ? err_nomem(e) : maps_put(&th->process->maps, map, e);
}

int
tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
{
	return maps_put(&t->kernel, map, e);
}

const struct buf *
thread_text(struct thread *th, uint32_t pid)
{
	char text[2 * NUM_MAX + 24], *p = text;

	if (th->text.len != 0 && th->text_pid == pid)
		return &th->text;
	th->text.len = 0;
	th->text_pid = pid;
	memcpy(p, "\tpid=", 5);
	p += 5;
	p += num_put_i64(p, (int32_t)pid);
	memcpy(p, "\ttid=", 5);
	p += 5;
	p += num_put_i64(p, (int32_t)th->tid);
	memcpy(p, "\tcomm=", 6);
	p += 6;
	if (!buf_put(&th->text, text, (size_t)(p - text)) ||
	    !buf_put(&th->text, th->comm.p, th->comm.len))
		return NULL;
	return &th->text;
}
