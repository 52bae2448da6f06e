/* SPDX-License-Identifier: ISC */
/* order.c - puts the kernel's records in time order and applies each in its turn. */
#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"
#include "src/perfdata/decoder.h"

/* More than the buffers of any machine can hold, so no round is this large. */
#define PATIENCE ((uint64_t)256 * 1024 * 1024)

/* ---- one record in its turn */

/*
 * Handles any record except a sample.  Updates names and maps first, so that the record's own line
 * already uses them.
 */
static HINT_APART int
act_other(struct decoder *d, const struct rec *r, struct err *e)
{
	int rc = state_update(&d->state, r, d->events.big_endian, e);

	if (rc == 0)
		rc = record_check(&d->run, &d->unknown, r, e);
	loss_emit(&d->samples, r);
	if (r->type == REC_READ)
		rc = rc == 0 ? read_emit(&d->samples, r, e) : rc;
	else if (d->opt->all)
		record_put(&d->run, r);
	return rc;
}

/* Handles an error.  Damage is reported, and reading continues with the next record. */
static HINT_APART int
failed(struct decoder *d, const struct rec *r, int rc, struct err *e)
{
	if (rc != ERR_DATA) {
		d->order.failure = *e;
		return rc;
	}
	if (e->place == ERR_NOWHERE) {
		e->place = ERR_BYTE;
		e->pos = r->offset;
	}
	input_report(&d->input, e);
	return 0;
}

/*
 * Applies a record in its turn and prints its lines.  Reports errors in it.  An error that stops
 * the decoder is left in the order's failure.
 */
static HINT_INLINE int
act(struct decoder *d, const struct rec *r)
{
	struct err e;
	int rc = r->type == REC_SAMPLE ? sample_emit(&d->samples, r, &e) : act_other(d, r, &e);

	if (rc != 0)
		rc = failed(d, r, rc, &e);
	if (evw_is_holding(d->w))
		run_hold_less(&d->run);
	return evw_failed(d->w) ? ERR_SYS : rc;
}

/*
 * ---- callchains whose user part comes later (Linux 6.19)
 *
 * A callchain may end with PERF_CONTEXT_USER_DEFERRED and a cookie.  When its task returns to user
 * space, a CALLCHAIN_DEFERRED record with that tid and cookie brings the user part, for all samples
 * that wait for it (include/uapi/linux/perf_event.h).
 *
 * For recordings with such events there is a waiting list between the queue and the printing.  A
 * sample that waits holds up the records after it, so that they stay in time order, but for no
 * longer than DEFER_NS of the recording and DEFER_BYTES of records.  Then it steps aside, and is
 * printed late, when its user part comes.  A sample whose user part can no longer come (because its
 * thread has ended, or has returned to user space in the meantime) is printed without it.
 */

/* The user part that all samples with one tid and cookie wait for. */
struct user_part {
	uint32_t refs; /* one for the table, and one for each held sample */
	uint32_t tid;
	uint64_t cookie;
	enum { PART_AWAITED, PART_CAME, PART_NEVER } state;
	unsigned char *ips; /* if PART_CAME: the addresses as recorded */
	size_t len;
	size_t number; /* counts parts in the order of arrival */
	struct held *first, *last; /* samples that have stepped aside */
};

/* A copy of a record, which waits longer than its block lives. */
struct held {
	struct held *next, *prev;
	struct held *kin; /* the next sample of the same part that has stepped aside */
	struct user_part *part; /* NULL if it has no deferred callchain */
	uint64_t time;
	bool late;
	struct rec rec;
	unsigned char bytes[];
};

static void
append(struct held_list *list, struct held *h)
{
	h->next = NULL;
	h->prev = list->last;
	*(list->last == NULL ? &list->first : &list->last->next) = h;
	list->last = h;
	list->bytes += sizeof *h + h->rec.size;
}

static void
take_out(struct held_list *list, struct held *h)
{
	*(h->prev == NULL ? &list->first : &h->prev->next) = h->next;
	*(h->next == NULL ? &list->last : &h->next->prev) = h->prev;
	list->bytes -= sizeof *h + h->rec.size;
}

/* Drops n references. */
static void
drop_part(struct user_part *p, uint32_t n)
{
	p->refs -= n;
	if (p->refs != 0)
		return;
	mem_free(p->ips);
	mem_free(p);
}

/* Frees a held record.  The last sample that waits for a part removes it from the table, too. */
static void
free_held(struct deferral *f, struct held *h)
{
	struct user_part *p = h->part;
	bool last = p != NULL && p->refs == 2 && p->state == PART_AWAITED;

	mem_free(h);
	if (last)
		u32tab_drop(&f->part, p->tid);
	if (p != NULL)
		drop_part(p, last ? 2 : 1);
}

static void
free_list(struct deferral *f, struct held_list *list)
{
	struct held *h;

	while ((h = list->first) != NULL) {
		take_out(list, h);
		free_held(f, h);
	}
}

static void
free_deferral(struct deferral *f)
{
	struct user_part *p;
	size_t pos = 0;

	free_list(f, &f->waiting);
	free_list(f, &f->aside);
	while ((p = u32tab_next(&f->part, &pos)) != NULL)
		drop_part(p, 1);
	u32tab_free(&f->part);
}

static HINT_APART int
print(struct decoder *d, const struct rec *r, const struct user_part *p, bool late)
{
	bool was = d->run.late;
	struct cur ips;
	int rc;

	if (p != NULL && p->state == PART_CAME) {
		ips = cur_over(p->ips, p->len, d->events.big_endian);
		d->samples.user_part = &ips;
	}
	d->run.late = late;
	rc = act(d, r);
	d->run.late = was;
	d->samples.user_part = NULL;
	return rc;
}

/* Prints the oldest sample that has stepped aside for a part. */
static int
print_aside(struct decoder *d, struct user_part *p)
{
	struct held *h = p->first;
	int rc;

	take_out(&d->order.defer.aside, h);
	p->first = h->kin;
	if (p->first == NULL)
		p->last = NULL;
	d->w->count[MARK_LATE] += !h->late;
	rc = print(d, &h->rec, p, true);
	free_held(&d->order.defer, h);
	return rc;
}

static void
step_aside(struct decoder *d, struct held *h)
{
	struct user_part *p = h->part;

	take_out(&d->order.defer.waiting, h);
	append(&d->order.defer.aside, h);
	h->kin = NULL;
	*(p->last == NULL ? &p->first : &p->last->kin) = h;
	p->last = h;
}

/* Prints the waiting records up to the first one that must continue to wait. */
static int
drain(struct decoder *d)
{
	struct deferral *f = &d->order.defer;
	uint64_t now = d->order.queue.last;
	struct held *h;
	int rc = 0;

	while (rc == 0 && (h = f->waiting.first) != NULL) {
		if (h->part == NULL || h->part->state != PART_AWAITED) {
			take_out(&f->waiting, h);
			rc = print(d, &h->rec, h->part, h->late);
			free_held(f, h);
		} else if (f->waiting.bytes > DEFER_BYTES || now - h->time > DEFER_NS) {
			step_aside(d, h);
		} else {
			break;
		}
	}
	while (rc == 0 && f->aside.bytes > DEFER_ASIDE_BYTES)
		rc = print_aside(d, f->aside.first->part);
	return rc;
}

/* Prints the samples that have stepped aside for a part, which has come or will not come. */
static int
settle(struct decoder *d, struct user_part *p)
{
	int rc = 0;

	while (rc == 0 && p->first != NULL)
		rc = print_aside(d, p);
	return rc;
}

/* Removes a part from the table.  Later lookups of its tid get another part. */
static int
give_up(struct decoder *d, struct user_part *p)
{
	int rc;

	if (p == NULL)
		return 0;
	u32tab_drop(&d->order.defer.part, p->tid);
	if (p->state == PART_AWAITED)
		p->state = PART_NEVER;
	rc = settle(d, p);
	drop_part(p, 1);
	return rc;
}

/*
 * Returns the part for (tid, cookie), creating it if necessary.  Returns NULL if a late record
 * refers to an older part, or if *rc is an error.  A task gets another cookie only after it has
 * returned to user space, so nothing more can come for the previous cookie.
 */
static struct user_part *
part_of(struct decoder *d, uint32_t tid, uint64_t cookie, int *rc)
{
	struct deferral *f = &d->order.defer;
	struct user_part *p = u32tab_find(&f->part, tid);

	*rc = 0;
	if (p != NULL && p->cookie == cookie)
		return p;
	if (p != NULL && d->run.late)
		return NULL;
	*rc = give_up(d, p);
	p = *rc != 0 ? NULL : mem_zero(1, sizeof *p);
	if (p == NULL) {
		*rc = ERR_SYS;
		return NULL;
	}
	p->refs = 1;
	p->tid = tid;
	p->cookie = cookie;
	if (u32tab_put(&f->part, tid, p))
		return p;
	mem_free(p);
	*rc = ERR_SYS;
	return NULL;
}

/* Keeps a newly arrived part for a while, and drops the oldest one. */
static void
keep(struct deferral *f, struct user_part *p)
{
	uint32_t *slot = &f->kept[f->keeps % DEFER_KEPT];
	struct user_part *old = f->keeps < DEFER_KEPT ? NULL : u32tab_find(&f->part, *slot);

	if (old != NULL && old->state == PART_CAME && old->number + DEFER_KEPT == f->keeps) {
		u32tab_drop(&f->part, old->tid);
		drop_part(old, 1);
	}
	*slot = p->tid;
	p->number = f->keeps++;
}

/*
 * Returns the tid.  If the record's attr does not distinguish threads, all threads are treated as
 * one.
 */
static uint32_t
tid_of(uint64_t have, uint32_t tid)
{
	return (have & S_TID) != 0 ? tid : UINT32_MAX;
}

/* Reads a user part: u64 cookie, nr; u64 ips[nr]. */
static int
user_part(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = events_body(&d->events, r);
	uint64_t cookie = cur_u64(&c), nr = cur_u64(&c);
	struct trailer t = events_trailer(&d->events, r);
	struct user_part *p;
	int rc;

	if (!cur_ok(&c) || nr > cur_left(&c) / 8)
		return err_byte(e, r->offset, "deferred callchain of %u bytes is too short",
		    r->size);
	p = part_of(d, tid_of(t.have, t.tid), cookie, &rc);
	if (p == NULL || p->state != PART_AWAITED)
		return rc;
	p->len = (size_t)nr * 8;
	p->ips = mem_alloc(p->len + 1);
	if (p->ips == NULL)
		return err_nomem(e);
	memcpy(p->ips, c.p, p->len);
	p->state = PART_CAME;
	keep(&d->order.defer, p);
	return settle(d, p);
}

/* Drops a thread that has ended, or whose number now belongs to a new thread. */
static int
forget_thread(struct decoder *d, const struct rec *r)
{
	struct cur c = rec_fields(r, d->events.big_endian);

	(void)cur_take(&c, 8);
	return d->run.late ? 0 : give_up(d, u32tab_find(&d->order.defer.part, cur_u32(&c)));
}

/* Returns the part that a sample waits for, or NULL if none. */
static struct user_part *
asked_for(struct decoder *d, const struct rec *r, int *rc)
{
	uint64_t id, cookie;
	struct event *event = events_of_sample(&d->events, r, &id);
	struct sample s;
	struct cur c;
	struct err e;

	*rc = 0;
	if (event == NULL || (event->attr.sample_type & S_CALLCHAIN) == 0 ||
	    sample_decode(&s, &event->attr, event->attr.sample_type, r, d->events.big_endian, &e) !=
		0 ||
	    s.chain_count < 2)
		return NULL; /* the error is reported when the record is printed */
	c = s.chain;
	(void)cur_take(&c, ((size_t)s.chain_count - 2) * 8);
	if (cur_u64(&c) != CONTEXT_USER_DEFERRED)
		return NULL;
	cookie = cur_u64(&c);
	return part_of(d, tid_of(s.have, s.tid), cookie, rc);
}

static int
hold(struct decoder *d, const struct rec *r, struct user_part *p, struct err *e)
{
	struct held *h = mem_alloc(sizeof *h + r->size);

	if (h == NULL)
		return err_nomem(e);
	*h =
	    (struct held){ .part = p, .time = d->order.queue.last, .late = d->run.late, .rec = *r };
	memcpy(h->bytes, r->p, r->size);
	h->rec.p = h->bytes;
	if (p != NULL)
		p->refs++;
	append(&d->order.defer.waiting, h);
	return 0;
}

static int
defer_take(struct decoder *d, const struct rec *r, struct err *e)
{
	struct user_part *p = NULL;
	int rc = 0;

	e->code = ERR_NONE;
	if (r->type == REC_SAMPLE)
		p = asked_for(d, r, &rc);
	else if (r->type == REC_CALLCHAIN_DEFERRED)
		rc = user_part(d, r, e);
	else if (r->type == REC_FORK || r->type == REC_EXIT)
		rc = forget_thread(d, r);
	if (rc == ERR_DATA) {
		input_report(&d->input, e);
		rc = 0;
	}
	if (rc != 0)
		return rc;
	if (d->order.defer.waiting.first == NULL && (p == NULL || p->state != PART_AWAITED))
		return print(d, r, p, d->run.late);
	rc = hold(d, r, p, e);
	return rc == 0 ? drain(d) : rc;
}

static int
defer_end(struct decoder *d)
{
	struct deferral *f = &d->order.defer;
	struct held *h;
	int rc = 0;

	while (rc == 0 && f->aside.first != NULL)
		rc = print_aside(d, f->aside.first->part);
	while (rc == 0 && (h = f->waiting.first) != NULL) {
		take_out(&f->waiting, h);
		rc = print(d, &h->rec, h->part, h->late);
		free_held(f, h);
	}
	return rc;
}

/* ---- time order */

static HINT_APART int
take_deferring(struct decoder *d, const struct rec *r)
{
	struct err e;
	int rc = defer_take(d, r, &e);

	if (rc != 0 && e.code != ERR_NONE)
		d->order.failure = e;
	return rc;
}

static HINT_INLINE int
process(struct decoder *d, const struct rec *r)
{
	return d->events.defers ? take_deferring(d, r) : act(d, r);
}

static HINT_APART void
note_first(struct decoder *d, const struct rec *r)
{
	d->run.first_time = events_shown_time(&d->events, r);
	d->run.first_seen = d->run.first_time != 0;
}

/* Receives the records that leave the queue. */
static int
in_order(void *ctx, const struct rec *r)
{
	struct decoder *d = ctx;

	if (!d->run.first_seen)
		note_first(d, r);
	return process(d, r);
}

static int
flush(struct decoder *d, uint64_t limit, struct err *e)
{
	return queue_flush(&d->order.queue, limit, in_order, d, e);
}

/*
 * Handles a record that is older than records already printed.  It is printed now and marked as
 * late.
 */
static HINT_APART int
late(struct decoder *d, const struct rec *r)
{
	int rc;

	d->run.late = true;
	d->w->count[MARK_LATE] += r->type == REC_SAMPLE || d->opt->all;
	rc = process(d, r);
	d->run.late = false;
	return rc;
}

/* Handles a record without a time. */
static HINT_APART int
at_once(struct decoder *d, const struct rec *r)
{
	return process(d, r);
}

/*
 * After PATIENCE bytes without a round, sorts only as much as fits in memory.  An endless pipe
 * without rounds, which perf record never makes, would otherwise be spooled forever.
 */
static int
keep_window(struct decoder *d, struct err *e)
{
	uint64_t middle;

	if (d->input.in.seekable || d->order.ordered)
		return 0;
	if (!d->order.window && d->order.queue.spilled > PATIENCE) {
		d->order.window = true;
		input_note(&d->input, "no rounds: from here on only the last 32 MiB are sorted");
	}
	if (!d->order.window || !queue_is_full(&d->order.queue))
		return 0;
	if (queue_middle(&d->order.queue, &middle, e) != 0)
		return e->code;
	return flush(d, middle, e);
}

static HINT_APART int
not_printed(const struct decoder *d, const struct rec *r, struct err *e)
{
	return d->events.count != 0
	    ? 0
	    : err_byte(e, r->offset,
		  "a record before any event: the stream has lost its beginning");
}

int
order_take(struct decoder *d, const struct rec *r, struct err *e)
{
	uint64_t time;
	int rc;

	if (!d->order.wanted || d->events.count == 0)
		return not_printed(d, r, e);
	time = events_time(&d->events, r);
	if (time == 0)
		return at_once(d, r);
	if (time > d->order.newest)
		d->order.newest = time;
	if (time < d->order.queue.last)
		return late(d, r);
	rc = keep_window(d, e);
	return rc != 0 ? rc : queue_add(&d->order.queue, time, r, e);
}

/*
 * Samples whose time is at the same place in all events need nothing but the queue, unless its
 * memory may have to be limited, see keep_window.
 */
int
order_take_samples(struct decoder *d, struct feed *f, struct err *e)
{
	struct alike like = { REC_SAMPLE, d->events.time_at, d->order.queue.last };

	if (!d->order.wanted || d->events.time_at == 0 ||
	    !(d->input.in.seekable || d->order.ordered))
		return 0;
	like.oldest += like.oldest == 0;
	return queue_add_alike(&d->order.queue, f, &like, &d->order.newest, e);
}

/*
 * Handles the end of a round, which guarantees that nothing older than the newest record of the
 * previous round will come (tools/perf/util/ordered-events.c).
 */
int
order_round(struct decoder *d, struct err *e)
{
	int rc;

	if (d->order.directory)
		return 0;
	rc = flush(d, d->order.next_limit, e);
	d->order.ordered = true;
	d->order.next_limit = d->order.newest;
	if (rc == 0 && !d->input.in.seekable && d->run.known)
		(void)evw_flush(d->w);
	return rc;
}

int
order_end(struct decoder *d, struct err *e)
{
	int rc;

	e->code = ERR_NONE;
	rc = flush(d, UINT64_MAX, e);
	if (rc == 0)
		rc = defer_end(d);
	if (rc != 0 && e->code == ERR_NONE)
		order_failure(d, e);
	return rc;
}

void
order_free(struct order *o)
{
	queue_free(&o->queue);
	free_deferral(&o->defer);
}

void
order_failure(const struct decoder *d, struct err *e)
{
	if (d->order.failure.code != ERR_NONE)
		*e = d->order.failure;
	else
		err_nomem(e);
}
