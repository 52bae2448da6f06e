/* SPDX-License-Identifier: ISC */
/* order.c - puts the kernel's records in the order of time and applies each in its turn. */
#include "lib/hint.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attrs.h"
#include "src/perfdata/decoder.h"

/* More than the buffers of any machine hold, so no round is this large. */
#define PATIENCE ((uint64_t)256 * 1024 * 1024)

/* Any record but a sample: names and maps first, so that its own line already has them. */
static HINT_APART int
act_other(struct decoder *d, const struct rec *r, struct err *e)
{
	int rc = state_update(d, r, e);

	if (rc == 0)
		rc = others_check(d, r, e);
	emit_lost(d, r);
	if (r->type == REC_READ)
		rc = rc == 0 ? emit_read(d, r, e) : rc;
	else if (d->opt->all)
		emit_other(d, r);
	return rc;
}

/* Damage is reported, and reading continues with the next record. */
static HINT_APART int
failed(struct decoder *d, const struct rec *r, int rc, struct err *e)
{
	if (rc != ERR_DATA) {
		d->failure = *e;
		return rc;
	}
	if (e->place == ERR_NOWHERE) {
		e->place = ERR_BYTE;
		e->pos = r->offset;
	}
	decoder_report(d, e);
	return 0;
}

int
order_act(struct decoder *d, const struct rec *r)
{
	struct err e;
	int rc = r->type == REC_SAMPLE ? emit_sample(d, r, &e) : act_other(d, r, &e);

	if (rc != 0)
		rc = failed(d, r, rc, &e);
	if (evw_is_holding(d->w))
		run_hold_less(d);
	return evw_failed(d->w) ? ERR_SYS : rc;
}

static HINT_APART int
defer(struct decoder *d, const struct rec *r)
{
	struct err e;
	int rc = defer_take(d, r, &e);

	if (rc != 0 && e.code != ERR_NONE)
		d->failure = e;
	return rc;
}

static int
process(struct decoder *d, const struct rec *r)
{
	return d->defers ? defer(d, r) : order_act(d, r);
}

/* Receives the records that leave the queue. */
static int
in_order(void *ctx, const struct rec *r)
{
	struct decoder *d = ctx;

	if (!d->first_seen) {
		d->first_seen = true;
		d->first_time = attrs_time(d, r);
	}
	return process(d, r);
}

int
order_flush(struct decoder *d, uint64_t limit, struct err *e)
{
	return queue_flush(&d->queue, limit, in_order, d, e);
}

/* A record older than what has been printed: it is printed now and marked as late. */
static HINT_APART int
late(struct decoder *d, const struct rec *r)
{
	int rc;

	d->late = true;
	d->w->count[MARK_LATE] += r->type == REC_SAMPLE || d->opt->all;
	rc = process(d, r);
	d->late = false;
	return rc;
}

/*
 * An endless pipe without a round, which perf record never makes, would be spooled for
 * ever.  So after PATIENCE bytes only what fits in memory is sorted.
 */
static int
keep_window(struct decoder *d, struct err *e)
{
	uint64_t middle;

	if (d->in.seekable || d->ordered)
		return 0;
	if (!d->window && d->queue.spilled > PATIENCE) {
		d->window = true;
		decoder_note(d, "no rounds: from here on order is that of the last 32 MiB");
	}
	if (!d->window || d->queue.count == 0 || !queue_is_full(&d->queue))
		return 0;
	if (queue_middle(&d->queue, &middle, e) != 0)
		return e->code;
	return order_flush(d, middle, e);
}

static HINT_APART int
not_printed(const struct decoder *d, const struct rec *r, struct err *e)
{
	return d->attrs != 0 ? 0
			     : err_byte(e, r->offset,
				   "a record before any event: the stream has lost its beginning");
}

int
order_take(struct decoder *d, const struct rec *r, struct err *e)
{
	uint64_t time;
	int rc;

	if (!d->prints)
		return not_printed(d, r, e);
	time = attrs_time(d, r);
	if (time == 0)
		return process(d, r);
	if (time > d->newest)
		d->newest = time;
	if (time < d->queue.last)
		return late(d, r);
	rc = keep_window(d, e);
	return rc != 0 ? rc : queue_add(&d->queue, time, r, e);
}

/*
 * A round guarantees that nothing older than the newest record of the round before
 * will come (tools/perf/util/ordered-events.c).
 */
int
order_round(struct decoder *d, struct err *e)
{
	int rc;

	if (d->directory)
		return 0;
	rc = order_flush(d, d->next_limit, e);
	d->ordered = true;
	d->next_limit = d->newest;
	if (rc == 0 && !d->in.seekable && d->run_known)
		(void)evw_flush(d->w);
	return rc;
}
