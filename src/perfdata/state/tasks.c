/* SPDX-License-Identifier: ISC */
/* tasks.c - processes and threads: their names and address spaces over time. */
#include "src/perfdata/state/state.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seed.h"

void
tasks_init(struct tasks *t)
{
	*t = (struct tasks){ .maps = { .dice = seed_make() } };
}

/* Joins the parts into one text with one reference.  A name is never empty. */
static struct task_text *
make_text(struct slice before, struct slice name)
{
	size_t len = before.len + name.len;
	struct task_text *text = len > UINT32_MAX ? NULL : mem_zero(1, sizeof *text + len);

	if (text == NULL)
		return NULL;
	*text = (struct task_text){ .refs = 1, .len = (uint32_t)len };
	if (before.len != 0)
		memcpy(text->p, before.p, before.len);
	memcpy(text->p + before.len, name.p, name.len);
	return text;
}

static void
drop_text(struct task_text **text)
{
	if (*text != NULL && --(*text)->refs == 0)
		mem_free(*text);
	*text = NULL;
}

static void
drop_tags(struct thread *th)
{
	mem_free(th->text);
	th->text = NULL;
}

static void
free_thread(struct thread *th)
{
	drop_text(&th->name);
	drop_tags(th);
	if (th->counters != NULL)
		idmap_free(th->counters);
	mem_free(th->counters);
	mem_free(th);
}

static void
drop_dumps(struct process *p)
{
	struct process_dump *next;

	for (; p->dumps != NULL; p->dumps = next) {
		next = p->dumps->next;
		mem_free(p->dumps);
	}
	p->dumps_serial = 0;
}

/* Frees a process, except its maps, which are freed with the pool. */
static void
free_process(struct process *p)
{
	drop_text(&p->text);
	drop_dumps(p);
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
	map_pool_free(&t->maps);
	drop_text(&t->nobody);
	buf_free(&t->scratch);
	*t = (struct tasks){ .exits = 0 };
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
	if (!u32tab_put(&t->processes, pid, p)) {
		free_process(p);
		return NULL;
	}
	return p;
}

struct process *
tasks_process(const struct tasks *t, uint32_t pid)
{
	return u32tab_find(&t->processes, pid);
}

int
tasks_add_dump(struct tasks *t, struct process *p, const struct process_dump *dump, struct err *e)
{
	struct process_dump *d, **at = &p->dumps;
	size_t n = 0;

	for (d = p->dumps; d != NULL; d = d->next, n++)
		if (d->path.p == dump->path.p && d->inode == dump->inode)
			return 0;
	if (n >= PROCESS_DUMPS_MAX)
		return 0;
	if ((d = mem_alloc(sizeof *d)) == NULL)
		return err_nomem(e);
	*d = *dump;
	d->next = *at;
	*at = d;
	p->dumps_serial = ++t->dumps_serial;
	return 0;
}

/* Gives a child the dumps of its parent, which list the code that was there before the fork. */
static bool
inherit_dumps(struct tasks *t, struct process *child, const struct process *parent, uint64_t time)
{
	struct process_dump **at = &child->dumps, *d;
	const struct process_dump *from;

	drop_dumps(child);
	for (from = parent->dumps; from != NULL; from = from->next) {
		if ((d = mem_alloc(sizeof *d)) == NULL)
			return false;
		*d = *from;
		d->next = NULL;
		d->until = d->until < time ? d->until : time;
		*at = d;
		at = &d->next;
		child->dumps_serial = ++t->dumps_serial;
	}
	return true;
}

/* Returns the name of a thread without a recorded name. */
static struct slice
default_name(uint32_t tid, char room[THREAD_NAME_ROOM])
{
	int n = snprintf(room, THREAD_NAME_ROOM, ":%" PRId32, (int32_t)tid);

	return tid == 0 ? SLICE("swapper") : (struct slice){ room, (size_t)n };
}

struct slice
thread_name(const struct thread *th, char room[THREAD_NAME_ROOM])
{
	return th->name != NULL ? task_text_slice(th->name) : default_name(th->tid, room);
}

struct slice
tasks_name(const struct tasks *t, uint32_t tid, char room[THREAD_NAME_ROOM])
{
	const struct thread *th = u32tab_find(&t->threads, tid);

	return th != NULL ? thread_name(th, room) : default_name(tid, room);
}

/* Makes the text of a process.  first is its first thread, or NULL if that is not known. */
static struct task_text *
make_process_text(uint32_t pid, const struct thread *first)
{
	char room[THREAD_NAME_ROOM];

	return make_text(SLICE("\tpcomm="),
	    first == NULL ? default_name(pid, room) : thread_name(first, room));
}

/* Removes a thread.  Returns false if memory runs out; its process then loses its name. */
static bool
remove_thread(struct tasks *t, struct thread *th)
{
	struct process *p = th->process;
	bool named = true;

	if (--p->threads == 0) {
		u32tab_drop(&t->processes, p->pid);
		maps_free(&p->maps, &t->maps);
		free_process(p);
	} else if (th->tid == p->pid) {
		drop_text(&p->text);
		p->text = make_process_text(p->pid, th);
		named = p->text != NULL;
	}
	u32tab_drop(&t->threads, th->tid);
	t->recent[th->tid % RECENT_THREADS] = NULL;
	free_thread(th);
	return named;
}

/*
 * Drops the name of a thread that is getting a new one.  If it is the first thread of its process,
 * the process's name is dropped as well.
 */
static void
forget_name(struct thread *th)
{
	drop_text(&th->name);
	drop_tags(th);
	if (th->tid == th->process->pid)
		drop_text(&th->process->text);
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
	if (!u32tab_put(&t->threads, tid, th)) {
		free_thread(th);
		return NULL;
	}
	p->threads++;
	return th;
}

bool
tasks_has(const struct tasks *t, uint32_t pid, uint32_t tid)
{
	const struct thread *th = u32tab_find(&t->threads, tid);

	return th != NULL && th->process->pid == pid;
}

struct thread *
tasks_thread_other(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct thread *th = u32tab_find(&t->threads, tid);

	if (th == NULL)
		th = make_thread(t, pid, tid);
	t->recent[tid % RECENT_THREADS] = th;
	return th;
}

/*
 * Sets a name from comm, which is raw.  An exec does not change the maps, as in perf.  The mappings
 * of the new program come in records of their own and replace the old ones.  Until then, samples
 * still have callers in the old program.
 */
static int
tasks_comm(struct tasks *t, struct thread *th, struct slice comm, struct err *e)
{
	forget_name(th);
	t->scratch.len = 0;
	if (esc_append(&t->scratch, comm.p, comm.len, ESC_COLUMN))
		th->name = make_text(SLICE(""), buf_slice(&t->scratch));
	return th->name != NULL ? 0 : err_nomem(e);
}

/* A FORK record. */
struct forked {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
	bool keep_maps; /* false if it was made for a task already running, whose mappings follow */
};

static int
tasks_fork(struct tasks *t, const struct forked *f, struct err *e)
{
	uint32_t pid = f->pid, tid = f->tid, ppid = f->ppid, ptid = f->ptid;
	struct thread *child = u32tab_find(&t->threads, tid), *parent;

	if (child != NULL && tid != ptid && !remove_thread(t, child))
		return err_nomem(e);
	parent = tasks_thread(t, ppid, ptid);
	if (parent != NULL && parent->process->pid != ppid) {
		/*
		 * it belongs to another process, since the event that would have removed it was
		 * lost
		 */
		parent = remove_thread(t, parent) ? tasks_thread(t, ppid, ptid) : NULL;
	}
	child = parent == NULL ? NULL : tasks_thread(t, pid, tid);
	if (child == NULL)
		return err_nomem(e);
	if (child == parent)
		return 0;
	forget_name(child); /* the process before it with its number may have left one */
	if (parent->name != NULL) {
		child->name = parent->name;
		child->name->refs++;
	}
	if (child->process != parent->process && f->keep_maps) {
		maps_free(&child->process->maps, &t->maps);
		child->process->maps = maps_share(&parent->process->maps);
		child->process->file = parent->process->file;
		if (!inherit_dumps(t, child->process, parent->process, f->time))
			return err_nomem(e);
	}
	return 0;
}

static int
tasks_exit(struct tasks *t, uint32_t tid, struct err *e)
{
	struct thread *th = u32tab_find(&t->threads, tid);
	uint32_t *slot = &t->exited[t->exits % EXITED_MAX];
	struct thread *old;

	if (th == NULL || th->exited)
		return 0;
	if (t->exits >= EXITED_MAX) {
		old = u32tab_find(&t->threads, *slot);
		if (old != NULL && old->exited && !remove_thread(t, old))
			return err_nomem(e);
	}
	th->exited = true;
	*slot = tid;
	t->exits++;
	return 0;
}

int
tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map, struct err *e)
{
	struct thread *th = tasks_thread(t, pid, tid);
	struct process *p = th == NULL ? NULL : th->process;

	if (p == NULL)
		return err_nomem(e);
	if (map->dso->kind == DSO_FILE && map->start >= p->file.address) {
		p->file.address = map->start;
		p->file.path = map->dso->path;
	}
	return maps_put(&p->maps, map, &t->maps, e);
}

int
tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
{
	return maps_put(&t->kernel, map, &t->maps, e);
}

struct idmap *
thread_counters(struct thread *th)
{
	if (th->counters == NULL)
		th->counters = mem_zero(1, sizeof *th->counters);
	return th->counters;
}

struct task_text *
thread_text_new(struct tasks *t, struct thread *th, uint32_t pid)
{
	char text[2 * NUM_MAX + 24], room[THREAD_NAME_ROOM], *p = text;
	struct slice name = thread_name(th, room);

	memcpy(p, "\tpid=", 5);
	p += 5;
	p += num_put_i64(p, (int32_t)pid);
	memcpy(p, "\ttid=", 5);
	p += 5;
	p += num_put_i64(p, (int32_t)th->tid);
	memcpy(p, "\tcomm=", 6);
	p += 6;
	drop_tags(th);
	th->text = make_text((struct slice){ text, (size_t)(p - text) }, name);
	if (th->text == NULL)
		return NULL;
	th->text->pid = pid;
	t->texts += t->texts != UINT32_MAX;
	th->text->serial = t->texts != UINT32_MAX ? t->texts : 0;
	return th->text;
}

struct slice
process_text_new(struct tasks *t, const struct thread *th, uint32_t pid)
{
	struct process *p = th->process->pid == pid ? th->process : u32tab_find(&t->processes, pid);
	struct task_text **text = p == NULL ? &t->nobody : &p->text;
	const struct thread *first;

	if (p != NULL && *text != NULL)
		return task_text_slice(*text);
	first = u32tab_find(&t->threads, pid);
	if (first != NULL && first->process->pid != pid)
		first = NULL;
	drop_text(text);
	*text = make_process_text(pid, first);
	return *text == NULL ? (struct slice){ NULL, 0 } : task_text_slice(*text);
}

/* ---- records */

/* Drops everything that certainly ended with the old program. */
static void
end_program(struct process *p)
{
	drop_dumps(p);
	p->file.path.p = NULL;
	p->file.address = 0;
}

static int
take_comm(struct tasks *t, const struct rec *r, bool big_endian, struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	uint32_t pid = cur_u32(&c), tid = cur_u32(&c);
	struct thread *th;
	struct slice name;

	name.p = cur_rest_string(&c, &name.len);
	if (!cur_ok(&c))
		return err_byte(e, r->offset, "name record of %u bytes is too short", r->size);
	if ((th = tasks_thread(t, pid, tid)) == NULL)
		return err_nomem(e);
	if (tasks_comm(t, th, name, e) != 0)
		return e->code;
	/* if another thread calls exec, the first one ends, and the other one gets its number */
	th->exited = false;
	if ((r->misc & MISC_COMM_EXEC) != 0)
		end_program(th->process);
	return 0;
}

static int
take_fork_or_exit(struct tasks *t, const struct rec *r, uint64_t time, bool big_endian,
    struct err *e)
{
	struct cur c = rec_fields(r, big_endian);
	struct forked f = { .pid = cur_u32(&c), .time = time };

	f.ppid = cur_u32(&c);
	f.tid = cur_u32(&c);
	f.ptid = cur_u32(&c);
	f.keep_maps = (r->misc & MISC_FORK_EXEC) == 0;

	if (!cur_ok(&c))
		return err_byte(e, r->offset, "fork or exit record of %u bytes is too short",
		    r->size);
	return r->type == REC_EXIT ? tasks_exit(t, f.tid, e) : tasks_fork(t, &f, e);
}

int
tasks_take(struct tasks *t, const struct rec *r, uint64_t time, bool big_endian, struct err *e)
{
	return r->type == REC_COMM ? take_comm(t, r, big_endian, e)
				   : take_fork_or_exit(t, r, time, big_endian, e);
}
