/* SPDX-License-Identifier: ISC */
/* task.c - processes and threads: their names and address spaces over time. */
#include "src/perfdata/task.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"

int
tasks_init(struct tasks *t, struct err *e)
{
	*t = (struct tasks){ .account = { .room = MAPS_COPIED_MAX } };
	t->kernel = maps_new(&t->account);
	return t->kernel == NULL ? err_nomem(e) : 0;
}

static void
free_thread(struct thread *th)
{
	buf_free(&th->comm);
	buf_free(&th->text);
	idmap_free(&th->counters);
	mem_free(th);
}

static void
free_process(struct process *p)
{
	maps_drop(p->maps);
	buf_free(&p->text);
	mem_free(p);
}

void
tasks_free(struct tasks *t)
{
	struct process *p;
	struct thread *th;
	size_t pos = 0;

	while ((th = u32tab_next(&t->threads, &pos)) != NULL)
		free_thread(th);
	pos = 0;
	while ((p = u32tab_next(&t->processes, &pos)) != NULL)
		free_process(p);
	u32tab_free(&t->threads);
	u32tab_free(&t->processes);
	maps_drop(t->kernel);
	buf_free(&t->scratch);
	*t = (struct tasks){ 0 };
}

static struct process *
find_process(struct tasks *t, uint32_t pid)
{
	struct process *p = u32tab_find(&t->processes, pid);

	if (p != NULL)
		return p;
	p = mem_zero(1, sizeof *p);
	if (p == NULL)
		return NULL;
	p->pid = pid;
	p->maps = maps_new(&t->account);
	if (p->maps == NULL || !u32tab_put(&t->processes, pid, p)) {
		free_process(p);
		return NULL;
	}
	return p;
}

/* What a thread that nothing names is called. */
static bool
put_default_name(struct buf *b, uint32_t tid)
{
	char text[16];
	int n = snprintf(text, sizeof text, ":%" PRId32, (int32_t)tid);

	return tid == 0 ? buf_put(b, "swapper", 7) : buf_put(b, text, (size_t)n);
}

/* first is the process's first thread, NULL where it is not known. */
static bool
put_process_text(struct buf *b, uint32_t pid, const struct thread *first)
{
	b->len = 0;
	if (!buf_put(b, "\tpcomm=", 7))
		return false;
	return first == NULL ? put_default_name(b, pid)
			     : buf_put(b, first->comm.p, first->comm.len);
}

static void
remove_thread(struct tasks *t, struct thread *th)
{
	struct process *p = th->process;

	if (--p->threads == 0) {
		u32tab_drop(&t->processes, p->pid);
		free_process(p);
	} else if (th->tid == p->pid && !put_process_text(&p->text, p->pid, th)) {
		p->text.len = 0; /* without memory it goes by its number */
	}
	u32tab_drop(&t->threads, th->tid);
	free_thread(th);
	t->last = NULL;
}

/* A thread has another name: its process too, if it is the first. */
static void
forget_name(struct thread *th)
{
	th->comm.len = th->text.len = 0;
	if (th->tid == th->process->pid)
		th->process->text.len = 0;
}

static struct thread *
make_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct process *p = find_process(t, pid);
	struct thread *th;

	th = p == NULL ? NULL : mem_zero(1, sizeof *th);
	if (th == NULL)
		return NULL;
	th->tid = tid;
	th->process = p;
	if (!put_default_name(&th->comm, tid) || !u32tab_put(&t->threads, tid, th)) {
		free_thread(th);
		return NULL;
	}
	p->threads++;
	return th;
}

struct thread *
tasks_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct thread *th = t->last;

	if (th != NULL && th->tid == tid)
		return th;
	th = u32tab_find(&t->threads, tid);
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
	forget_name(th);
	th->named = true;
	return esc_append(&th->comm, comm.p, comm.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

int
tasks_fork(struct tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid,
    bool keep_maps, struct err *e)
{
	struct thread *child = u32tab_find(&t->threads, tid), *parent;

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
		forget_name(child);
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
	struct thread *th = u32tab_find(&t->threads, tid);
	uint32_t *place = &t->exited[t->exits % EXITED_MAX];
	struct thread *old;

	if (th == NULL || th->exited)
		return;
	if (t->exits >= EXITED_MAX && *place != tid) {
		old = u32tab_find(&t->threads, *place);
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

const struct buf *
process_text_new(struct tasks *t, const struct thread *th, uint32_t pid)
{
	struct process *p = th->process->pid == pid ? th->process : u32tab_find(&t->processes, pid);
	struct buf *text = p == NULL ? &t->scratch : &p->text;
	const struct thread *first;

	if (p != NULL && text->len != 0)
		return text;
	first = u32tab_find(&t->threads, pid);
	if (first != NULL && first->process->pid != pid)
		first = NULL;
	return put_process_text(text, pid, first) ? text : NULL;
}
