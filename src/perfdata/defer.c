/* SPDX-License-Identifier: ISC */
/* defer.c - callchains whose user part comes later (Linux 6.19). */
#include "src/perfdata/defer.h"

#include <string.h>

#include "lib/mem.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attrs.h"
#include "src/perfdata/decoder.h"

/* The user part that all samples with one tid and cookie wait for. */
struct user_part {
	uint32_t refs; /* the table's, and one for each held sample */
	uint32_t tid;
	uint64_t cookie;
	enum { PART_AWAITED, PART_CAME, PART_NEVER } state;
	unsigned char *ips; /* of PART_CAME, as they were recorded */
	size_t len;
	size_t number; /* in the order of arrival */
	struct held *first, *last; /* samples that have stepped aside */
};

/* A record copied out of its block, because it waits longer than the block lives. */
struct held {
	struct held *next, *prev;
	struct held *kin; /* the next sample of this part that has stepped aside */
	struct user_part *part; /* NULL: it has no deferred callchain */
	uint64_t time;
	bool late;
	struct rec rec;
	unsigned char bytes[];
};

/* ---- lists */

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

/* The last sample that waits for a part removes it from the table, too. */
static void
free_held(struct deferral *f, struct held *h)
{
	struct user_part *p = h->part;
	bool last = p != NULL && p->refs == 2 && p->state == PART_AWAITED &&
	    u32tab_find(&f->part, p->tid) == p;

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

void
defer_free(struct deferral *f)
{
	struct user_part *p;
	size_t pos = 0;

	free_list(f, &f->line);
	free_list(f, &f->aside);
	while ((p = u32tab_next(&f->part, &pos)) != NULL)
		drop_part(p, 1);
	u32tab_free(&f->part);
}

/* ---- out */

static int
print(struct decoder *d, const struct rec *r, const struct user_part *p, bool late)
{
	bool was = d->late;
	struct cur ips;
	int rc;

	if (p != NULL && p->state == PART_CAME) {
		ips = cur_over(p->ips, p->len, d->big_endian);
		d->user_part = &ips;
	}
	d->late = late;
	rc = order_act(d, r);
	d->late = was;
	d->user_part = NULL;
	return rc;
}

/* Prints the oldest sample of a part that has stepped aside. */
static int
print_aside(struct decoder *d, struct user_part *p)
{
	struct held *h = p->first;
	int rc;

	take_out(&d->defer.aside, h);
	p->first = h->kin;
	if (p->first == NULL)
		p->last = NULL;
	d->w->count[MARK_LATE] += !h->late;
	rc = print(d, &h->rec, p, true);
	free_held(&d->defer, h);
	return rc;
}

static void
step_aside(struct decoder *d, struct held *h)
{
	struct user_part *p = h->part;

	take_out(&d->defer.line, h);
	append(&d->defer.aside, h);
	h->kin = NULL;
	*(p->last == NULL ? &p->first : &p->last->kin) = h;
	p->last = h;
}

/* Prints the head of the line, up to the first record that must wait. */
static int
drain(struct decoder *d)
{
	struct deferral *f = &d->defer;
	uint64_t now = d->queue.last;
	struct held *h;
	int rc = 0;

	while (rc == 0 && (h = f->line.first) != NULL) {
		if (h->part == NULL || h->part->state != PART_AWAITED) {
			take_out(&f->line, h);
			rc = print(d, &h->rec, h->part, h->late);
			free_held(f, h);
		} else if (f->line.bytes > DEFER_BYTES || now - h->time > DEFER_NS) {
			step_aside(d, h);
		} else {
			break;
		}
	}
	while (rc == 0 && f->aside.bytes > DEFER_ASIDE_BYTES)
		rc = print_aside(d, f->aside.first->part);
	return rc;
}

/* The part has come, or will not come: samples that have stepped aside for it are printed. */
static int
settle(struct decoder *d, struct user_part *p)
{
	int rc = 0;

	while (rc == 0 && p->first != NULL)
		rc = print_aside(d, p);
	return rc;
}

/* Removes it from the table: later lookups of that tid get another part. */
static int
give_up(struct decoder *d, struct user_part *p)
{
	int rc;

	if (p == NULL)
		return 0;
	u32tab_drop(&d->defer.part, p->tid);
	if (p->state == PART_AWAITED)
		p->state = PART_NEVER;
	rc = settle(d, p);
	drop_part(p, 1);
	return rc;
}

/* ---- in */

/*
 * The part for (tid, cookie), made if it is new.  NULL if a late record refers to an older one,
 * or if *rc is an error.  A task gets another cookie only after it was back in user space, so
 * nothing more comes for the one before.
 */
static struct user_part *
part_of(struct decoder *d, uint32_t tid, uint64_t cookie, int *rc)
{
	struct deferral *f = &d->defer;
	struct user_part *p = u32tab_find(&f->part, tid);

	*rc = 0;
	if (p != NULL && p->cookie == cookie)
		return p;
	if (p != NULL && d->late)
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

/* Keeps parts that have come for a while, and drops the oldest. */
static void
keep(struct deferral *f, struct user_part *p)
{
	uint32_t *place = &f->kept[f->keeps % DEFER_KEPT];
	struct user_part *old = f->keeps < DEFER_KEPT ? NULL : u32tab_find(&f->part, *place);

	if (old != NULL && old->state == PART_CAME && old->number + DEFER_KEPT == f->keeps) {
		u32tab_drop(&f->part, old->tid);
		drop_part(old, 1);
	}
	*place = p->tid;
	p->number = f->keeps++;
}

/* If the attr of a record does not distinguish threads, all are one. */
static uint32_t
tid_of(uint64_t have, uint32_t tid)
{
	return (have & S_TID) != 0 ? tid : UINT32_MAX;
}

/* A user part: u64 cookie, nr; u64 ips[nr]. */
static int
user_part(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, d->big_endian);
	uint64_t cookie = cur_u64(&c), nr = cur_u64(&c);
	const struct attr *a = attrs_of_other(d, r);
	struct trailer t = { 0 };
	struct user_part *p;
	int rc;

	if (!cur_ok(&c) || nr > cur_left(&c) / 8)
		return err_byte(e, r->offset, "deferred callchain of %u bytes is too short",
		    r->size);
	if ((a->flags & A_SAMPLE_ID_ALL) != 0)
		(void)trailer_decode(&t, a, r, d->big_endian);
	p = part_of(d, tid_of(t.have, t.tid), cookie, &rc);
	if (p == NULL || p->state != PART_AWAITED)
		return rc;
	p->len = (size_t)nr * 8;
	p->ips = mem_alloc(p->len + 1);
	if (p->ips == NULL)
		return err_nomem(e);
	memcpy(p->ips, c.p, p->len);
	p->state = PART_CAME;
	keep(&d->defer, p);
	return settle(d, p);
}

/* A thread has ended, or a new one has its number. */
static int
family(struct decoder *d, const struct rec *r)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, d->big_endian);

	(void)cur_take(&c, 8);
	return d->late ? 0 : give_up(d, u32tab_find(&d->defer.part, cur_u32(&c)));
}

/* The part that a sample waits for; NULL if none. */
static struct user_part *
asked_for(struct decoder *d, const struct rec *r, int *rc)
{
	uint64_t id, cookie;
	struct attr *a = attrs_of_sample(d, r, &id);
	struct sample s;
	struct cur c;
	struct err e;

	*rc = 0;
	if (a == NULL || (a->sample_type & S_CALLCHAIN) == 0 ||
	    sample_decode(&s, a, r, d->big_endian, &e) != 0 || s.chain_count < 2)
		return NULL; /* the error is reported when it is printed */
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
	*h = (struct held){ .part = p, .time = d->queue.last, .late = d->late, .rec = *r };
	memcpy(h->bytes, r->p, r->size);
	h->rec.p = h->bytes;
	if (p != NULL)
		p->refs++;
	append(&d->defer.line, h);
	return 0;
}

int
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
		rc = family(d, r);
	if (rc == ERR_DATA && e->code == ERR_DATA) {
		decoder_report(d, e);
		rc = 0;
	}
	if (rc != 0)
		return rc;
	if (d->defer.line.first == NULL && (p == NULL || p->state != PART_AWAITED))
		return print(d, r, p, d->late);
	rc = hold(d, r, p, e);
	return rc == 0 ? drain(d) : rc;
}

int
defer_end(struct decoder *d)
{
	struct deferral *f = &d->defer;
	struct held *h;
	int rc = 0;

	while (rc == 0 && f->aside.first != NULL)
		rc = print_aside(d, f->aside.first->part);
	while (rc == 0 && (h = f->line.first) != NULL) {
		take_out(&f->line, h);
		rc = print(d, &h->rec, h->part, h->late);
		free_held(f, h);
	}
	return rc;
}
