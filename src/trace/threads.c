/* SPDX-License-Identifier: ISC */
/* threads.c - the runs, processes and threads of a stream. */
#include "src/trace/threads.h"

#include "lib/mem.h"
#include "lib/vec.h"

#define NO_NAME UINT32_MAX /* memory ran out */

void
threads_free(struct threads *t)
{
	tab_free(&t->names);
	tab_free(&t->runs);
	tab_free(&t->process_keys);
	tab_free(&t->thread_keys);
	mem_free(t->app);
	mem_free(t->process);
	mem_free(t->thread);
	buf_free(&t->key);
}

static uint32_t
name_of(struct threads *t, struct slice s)
{
	size_t i = tab_add(&t->names, s, NULL);

	return i < NO_NAME ? (uint32_t)i : NO_NAME;
}

/* Returns the number of a run, or THREADS_NONE. */
static size_t
run_of(struct threads *t, struct slice id)
{
	bool fresh;
	size_t i = tab_add(&t->runs, id, &fresh);

	if (i == TAB_NONE || !vec_room(t->app, i, t->apps_cap))
		return THREADS_NONE;
	if (fresh)
		t->app[i] = name_of(t, SLICE("."));
	return t->app[i] == NO_NAME ? THREADS_NONE : i;
}

bool
threads_run(struct threads *t, const struct ev *ev)
{
	size_t run = run_of(t, ev->col[EV_RUN]);
	struct slice app;

	if (run == THREADS_NONE)
		return false;
	if (ev_tag(ev, SLICE("app"), &app))
		t->app[run] = name_of(t, app);
	return t->app[run] != NO_NAME;
}

static bool
put_key(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/* Adds a process.  t->key is its key. */
static size_t
process_of(struct threads *t, const struct ev *ev, struct slice pid)
{
	bool fresh;
	size_t i = tab_add(&t->process_keys, buf_slice(&t->key), &fresh);
	struct process *p;

	if (i == TAB_NONE || !vec_room(t->process, i, t->processes_cap))
		return THREADS_NONE;
	p = &t->process[i];
	if (fresh)
		*p = (struct process){ run_of(t, ev->col[EV_RUN]), name_of(t, pid),
			name_of(t, SLICE(".")), 0 };
	return p->run == THREADS_NONE || p->pid == NO_NAME || p->name == NO_NAME ? THREADS_NONE : i;
}

/* Adds a thread and its process. */
static size_t
add(struct threads *t, const struct ev *ev, struct slice pid, size_t process_len)
{
	size_t i = tab_add(&t->thread_keys, buf_slice(&t->key), NULL);
	struct thread *th;

	if (i == TAB_NONE || !vec_room(t->thread, i, t->threads_cap))
		return THREADS_NONE;
	th = &t->thread[i];
	th->tid = name_of(t, ev_get(ev, SLICE("tid")));
	th->comm = name_of(t, SLICE("."));
	t->key.len = process_len;
	th->process = process_of(t, ev, pid);
	return th->tid == NO_NAME || th->comm == NO_NAME || th->process == THREADS_NONE
	    ? THREADS_NONE
	    : i;
}

/* The last name is used, but that of a process's main thread before those of others. */
static bool
see_names(struct threads *t, struct thread *th, const struct ev *ev)
{
	struct process *p = &t->process[th->process];
	struct slice comm = ev_get(ev, SLICE("comm")), pcomm;
	unsigned sure = ev_tag(ev, SLICE("pcomm"), &pcomm) || th->tid == p->pid ? 2 : 1;

	if (!slice_is_nothing(comm) && !slice_eq(comm, threads_text(t, th->comm)))
		th->comm = name_of(t, comm);
	if (sure == 1 || th->tid == p->pid)
		pcomm = comm;
	if (!slice_is_nothing(pcomm) && sure >= p->sure) {
		p->sure = sure;
		if (!slice_eq(pcomm, threads_text(t, p->name)))
			p->name = name_of(t, pcomm);
	}
	return th->comm != NO_NAME && p->name != NO_NAME;
}

size_t
threads_find(struct threads *t, const struct ev *ev)
{
	struct slice pid = ev_get(ev, SLICE("pid")), tid = ev_get(ev, SLICE("tid"));
	size_t process_len, i;

	t->key.len = 0;
	if (!buf_put(&t->key, ev->col[EV_RUN].p, ev->col[EV_RUN].len) || !put_key(&t->key, pid))
		return THREADS_NONE;
	process_len = t->key.len;
	if (!put_key(&t->key, tid) ||
	    (t->split_idle && slice_eq(tid, SLICE("0")) &&
		!put_key(&t->key, ev_get(ev, SLICE("cpu")))))
		return THREADS_NONE;
	i = t->last;
	if (i >= t->thread_keys.count || !slice_eq(t->thread_keys.item[i], buf_slice(&t->key)))
		i = tab_find(&t->thread_keys, buf_slice(&t->key));
	if (i == TAB_NONE)
		i = add(t, ev, pid, process_len);
	if (i == THREADS_NONE || !see_names(t, &t->thread[i], ev))
		return THREADS_NONE;
	t->last = i;
	return i;
}

static bool
put(struct buf *b, const char *before, struct slice s)
{
	return buf_puts(b, before) && buf_put(b, s.p, s.len);
}

bool
threads_name_process(const struct threads *t, size_t process, struct buf *b)
{
	const struct process *p = &t->process[process];
	struct slice name = threads_text(t, p->name), pid = threads_text(t, p->pid);
	struct slice app = threads_text(t, t->app[p->run]);

	b->len = 0;
	if (!slice_is_nothing(name))
		return put(b, "", name);
	if (!slice_is_nothing(pid))
		return put(b, "process ", pid);
	return slice_is_nothing(app) ? put(b, "run ", t->runs.item[p->run]) : put(b, "", app);
}

bool
threads_name(const struct threads *t, size_t thread, struct buf *b)
{
	const struct thread *th = &t->thread[thread];
	struct slice comm = threads_text(t, th->comm), tid = threads_text(t, th->tid);
	struct slice key = t->thread_keys.item[thread];
	size_t tab = key.len;

	if (slice_is_nothing(tid))
		return threads_name_process(t, th->process, b);
	b->len = 0;
	if (slice_is_nothing(comm) ? !put(b, "thread ", tid) : !put(b, "", comm))
		return false;
	if (!t->split_idle || !slice_eq(tid, SLICE("0")))
		return true;
	while (key.p[tab - 1] != '\t')
		tab--;
	key = (struct slice){ key.p + tab, key.len - tab };
	return slice_is_nothing(key) || put(b, " on cpu ", key);
}
