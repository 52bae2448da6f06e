/* SPDX-License-Identifier: ISC */
/*
 * section.c - samples and spans as points and intervals of sections.
 *
 * Regions must nest, but what a profiler samples or another tool measures need not.  So
 * a region of the stream becomes a section, whose intervals may overlap.
 */

#include "lib/vec.h"
#include "src/afperf/encint.h"

/* A number that no section from AFPerf has or gets: it is entered as one of no run. */
static bool
new_id(struct afperf_encode *x, uint64_t *id)
{
	/* ids of a file may begin anywhere, but hardly any is above the middle */
	uint64_t above = x->native.sections.n != x->sections ? UINT64_C(1) << 63 : 0;
	struct ids_entry *e;

	if (x->maps)
		return enc_id_free(&x->section_ids, 0, id);
	do {
		*id = ++x->section_ids.next + above;
		e = ids_get(&x->native.sections, 0, *id, false);
	} while (e != NULL && e->state != IDS_AWAITED);
	if (e == NULL)
		return false;
	e->state = IDS_DONE;
	e->run = IDS_NONE;
	return true;
}

/* Blank ids refer to the last event: now to this one. */
static void
stand_between(struct enc_native *n)
{
	n->block = ENC_NO_SCOPE;
	n->group = n->bare = false;
}

static bool
new_section(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	if (!vec_room(x->section, x->sections, x->sections_cap))
		return false;
	x->section[x->sections] = (struct enc_section){ .run = u->run };
	if (!new_id(x, &x->section[x->sections].id))
		return false;
	x->sections++;
	stand_between(&x->native);
	x->native.section = (struct enc_ref){ .there = false };
	enc_begin(x, AFPERF_SECTION_INFO);
	enc_raw(x, u->start);
	enc_run_id(x, u->run);
	enc_u64(x, x->section[x->sections - 1].id);
	enc_text(x, ev->col[EV_REGION]);
	enc_blank(x);
	enc_end(x);
	return true;
}

/* Run and region, which are adjacent in the line. */
static struct slice
label_of(const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN], region = ev->col[EV_REGION];

	return (struct slice){ run.p, (size_t)(region.p + region.len - run.p) };
}

/* Would a reader assign a new section to another run? */
static bool
has_no_place(const struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	return !enc_run_is_told(x, u->run) && tab_find(&x->labels, label_of(ev)) == TAB_NONE;
}

/* The line's section, by its number among those made here. */
static size_t
section_of(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	bool fresh;
	size_t n = tab_add(&x->labels, label_of(ev), &fresh);

	if (n != TAB_NONE && fresh && !new_section(x, ev, u))
		return TAB_NONE;
	return n;
}

/* Writes an event of an interval: its start, its stop, or the beginning of its data. */
static void
interval_record(struct afperf_encode *x, enum afperf_record record, struct slice time,
    size_t section, uint64_t interval)
{
	if (record != AFPERF_SECTION_POINT)
		stand_between(&x->native);
	enc_begin(x, record);
	enc_raw(x, time);
	enc_u64(x, x->section[section].id);
	enc_u64(x, interval);
}

static void
sample_time(struct afperf_encode *x, struct enc_section *s, struct slice time)
{
	if (afperf_time_cmp(time, afperf_time_text(&s->last)) >= 0)
		afperf_time_set(&s->last, time);
	else if (afperf_time_cmp(time, afperf_time_text(&s->first)) < 0)
		x->early++;
}

int
enc_sample(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	size_t n;
	struct enc_section *s;

	if (has_no_place(x, ev, u))
		return enc_no_place(ev, e);
	enc_block_close(x);
	n = section_of(x, ev, u);
	if (n == TAB_NONE)
		return err_nomem(e);
	s = &x->section[n];
	if (!s->sampled) {
		s->sampled = true;
		s->interval = s->intervals++;
		afperf_time_set(&s->first, u->end);
		afperf_time_set(&s->last, u->end);
		interval_record(x, AFPERF_SECTION_START, u->end, n, s->interval);
		enc_end(x);
	}
	sample_time(x, s, u->end);
	interval_record(x, AFPERF_SECTION_POINT, u->end, n, s->interval);
	enc_pair(x, u);
	enc_end(x);
	return 0;
}

int
enc_span(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	if (has_no_place(x, ev, u))
		return enc_no_place(ev, e);
	if (!enc_block_key(x, ev))
		return err_nomem(e);
	if (!enc_block_goes_on(x, ENC_INTERVAL)) {
		x->block_section = section_of(x, ev, u);
		if (x->block_section == TAB_NONE) {
			x->block = ENC_NONE;
			return err_nomem(e);
		}
		x->block_interval = x->section[x->block_section].intervals++;
		afperf_time_set(&x->block_time, u->end);
		interval_record(x, AFPERF_SECTION_START, u->start, x->block_section,
		    x->block_interval);
		enc_end(x);
	}
	enc_begin(x, AFPERF_SECTION_AGGREGATE);
	enc_raw(x, u->end);
	enc_raw(x, u->start);
	enc_u64(x, x->section[x->block_section].id);
	enc_u64(x, x->block_interval);
	enc_blank(x);
	enc_pair(x, u);
	enc_end(x);
	return 0;
}

void
enc_interval_stop(struct afperf_encode *x)
{
	interval_record(x, AFPERF_SECTION_STOP, afperf_time_text(&x->block_time), x->block_section,
	    x->block_interval);
	enc_end(x);
}

void
enc_section_stops(struct afperf_encode *x)
{
	size_t i;

	for (i = 0; i < x->sections; i++) {
		const struct enc_section *s = &x->section[i];

		if (!s->sampled)
			continue;
		interval_record(x, AFPERF_SECTION_STOP, afperf_time_text(&s->last), i, s->interval);
		enc_end(x);
	}
}
