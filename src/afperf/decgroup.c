/* SPDX-License-Identifier: ISC */
/*
 * decgroup.c - groups of aggregates, which are written as regions.
 *
 * A region without an id that has only aggregates and lasts no time is not a region but a group.
 * Its records are kept until it is known whether this is so.
 */

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/decint.h"

/* Takes it, and then the records that have waited for it. */
enum dec
dec_take_now(struct afperf_decode *d, struct dec_rec *r)
{
	enum dec rc = dec_take(d, r);

	return rc == DEC_FAILED || d->nready == 0 ? rc : dec_run_ready(d);
}

/* Sets the number of a group, so that its aggregates find the data of its start. */
static void
make_group(struct afperf_decode *d)
{
	size_t i;

	d->groups_seen++;
	d->count[AFPERF_REGION_START]--;
	for (i = 0; i < d->ngroup; i++) {
		d->group[i]->rec.group = true;
		d->group[i]->rec.owner.id = d->groups_seen;
	}
	d->block = BLOCK_NONE;
}

/* Takes the records that might have been a group one by one. */
enum dec
dec_end_group(struct afperf_decode *d)
{
	enum dec rc = DEC_DONE;
	size_t i, n = d->ngroup;

	d->ngroup = d->group_aggregates = d->group_bytes = 0;
	d->group_closed = false;
	for (i = 0; i < n; i++) {
		if (rc != DEC_FAILED)
			rc = dec_take_now(d, &d->group[i]->rec);
		mem_free(d->group[i]);
	}
	return rc;
}

/* A region's data may follow its stop: only the next record shows whether it was a group. */
enum dec
dec_decide_group(struct afperf_decode *d, const struct dec_rec *next)
{
	bool data = next != NULL && next->at != NULL && next->at->pairs != 0 &&
	    next->at->owner != 0 && next->at->interval == 0 && next->r.n > next->at->owner &&
	    record_field(&next->r, next->at->owner).len == 0;

	if (!data)
		make_group(d);
	return dec_end_group(d);
}

static enum dec
add_to_group(struct afperf_decode *d, const struct dec_rec *r)
{
	struct dec_held *copy;

	if (!vec_room(d->group, d->ngroup, d->group_cap))
		return dec_nomem(d);
	copy = dec_copy(r);
	if (copy == NULL)
		return dec_nomem(d);
	d->group[d->ngroup++] = copy;
	d->group_bytes += r->r.text.len;
	return DEC_DONE;
}

static bool
has_room(const struct afperf_decode *d)
{
	return d->ngroup < AFPERF_GROUP_RECORDS && d->group_bytes < AFPERF_GROUP_BYTES;
}

/*
 * A region without an id that has only aggregates and lasts no time is how groups of aggregates
 * are written: it is not a region.
 */
enum dec
dec_submit(struct afperf_decode *d, struct dec_rec *r)
{
	const struct dec_rec *start = d->ngroup == 0 ? NULL : &d->group[0]->rec;
	bool start_blank = r->at->type == AFPERF_REGION_START && r->owner.form == REF_BLANK;
	enum dec rc;

	if (start == NULL && !start_blank)
		return dec_take_now(d, r);
	if (start != NULL && r->owner.form == REF_BLANK && dec_same_ref(r->owner, start->owner)) {
		if (r->at->type == AFPERF_REGION_AGGREGATE && dec_is_processed(r) &&
		    (d->group_aggregates == 0 || has_room(d))) {
			d->group_aggregates++;
			return add_to_group(d, r);
		}
		if (r->at->type == AFPERF_REGION_STOP && d->group_aggregates > 0 &&
		    r->time == start->time) {
			d->group_closed = true;
			return add_to_group(d, r);
		}
	}
	rc = dec_end_group(d);
	if (rc == DEC_FAILED)
		return rc;
	return start_blank ? add_to_group(d, r) : dec_take_now(d, r);
}

enum dec
dec_header(struct afperf_decode *d)
{
	if (d->ngroup == 0)
		return DEC_DONE;
	return d->group_closed ? dec_decide_group(d, NULL) : dec_end_group(d);
}

enum dec
dec_comment(struct afperf_decode *d, const struct record *record)
{
	struct dec_rec r = { .r = *record, .comment = true };

	r.r.n = 0;
	if (d->ngroup != 0 && has_room(d))
		return add_to_group(d, &r);
	if (dec_header(d) == DEC_FAILED)
		return DEC_FAILED;
	return dec_take(d, &r);
}
