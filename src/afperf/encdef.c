/* SPDX-License-Identifier: ISC */
/* encdef.c - fields, and the records RunInfo and MeasurementType. */
#include <errno.h>
#include <stdlib.h>

#include "lib/csv.h"
#include "lib/num.h"
#include "src/afperf/encint.h"
#include "src/afperf/text.h"

void
enc_u64(struct afperf_encode *x, uint64_t v)
{
	char text[NUM_MAX];

	enc_raw(x,
	    (struct slice){ text,
		x->opt.spelling == AFPERF_HEX ? num_put_hex(text, v) : num_put_u64(text, v) });
}

void
enc_text(struct afperf_encode *x, struct slice text)
{
	enc_blank(x);
	afperf_put_text(x->to, &x->scratch, text);
}

void
enc_tags(struct afperf_encode *x, const struct buf *tags)
{
	enc_blank(x);
	csv_field_put(x->to, tags->p, tags->len);
}

void
enc_run_id(struct afperf_encode *x, size_t run)
{
	if (!x->spooling) {
		enc_raw(x, x->def.run[run].id);
		return;
	}
	enc_blank(x);
	enc_put_token(x, ENC_TOKEN_RUN, run);
}

void
enc_pair(struct afperf_encode *x, const struct enc_use *u)
{
	if (x->spooling) {
		enc_blank(x);
		enc_put_token(x, ENC_TOKEN_MEASURE, u->measure);
	} else {
		enc_raw(x, x->def.measure[u->measure].id);
	}
	if (u->number)
		enc_raw(x, u->value);
	else if (u->value.len == 0)
		enc_raw(x, SLICE("\"\"")); /* an empty value, not a missing one */
	else
		enc_text(x, u->value);
}

static bool
is_wall(struct slice s)
{
	double v;

	return num_get_double(s, &v) && afperf_is_wall(s);
}

/* Does RunInfo have a field for the tag, or is it written elsewhere? */
static bool
has_field(const struct ev_tag *tag)
{
	if (slice_eq(tag->key, SLICE("wall")))
		return is_wall(tag->value);
	return slice_eq(tag->key, SLICE("unit")) || slice_eq(tag->key, SLICE("app")) ||
	    slice_eq(tag->key, SLICE("version")) || slice_eq(tag->key, SLICE("afperf")) ||
	    slice_eq(tag->key, SLICE("extra")) || slice_eq(tag->key, SLICE("utc"));
}

static struct slice
cut_prefix(struct slice key)
{
	if (key.len > 4 && memcmp(key.p, "tag.", 4) == 0)
		return (struct slice){ key.p + 4, key.len - 4 };
	return key;
}

/* The ids of the other runs, so that it is clear what was pooled. */
static bool
name_pooled(struct afperf_encode *x, size_t pool, struct buf *tags)
{
	struct buf ids = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < x->def.runs; i++) {
		if (i == pool)
			continue;
		ok = afperf_settle_run(&x->def, i) && (ids.len == 0 || buf_putc(&ids, ' ')) &&
		    buf_put(&ids, x->def.run[i].id.p, x->def.run[i].id.len);
	}
	ok = ok && (ids.len == 0 || afperf_tag(tags, SLICE("pooled"), buf_slice(&ids)));
	buf_free(&ids);
	return ok;
}

static bool
run_tags(struct afperf_encode *x, size_t run, struct buf *tags)
{
	const struct afperf_run *r = &x->def.run[run];
	struct slice rest = r->tags;
	struct ev_tag tag;
	uint64_t n;
	bool ok = true;

	if (slice_is_nothing(r->name))
		ok = name_pooled(x, run, tags);
	else if (r->renumbered ||
	    (!afperf_is_id(r->name) && !r->blank && !(r->native && afperf_is_blank(r->name, &n))))
		ok = afperf_tag(tags, SLICE("run"), r->name);
	while (ok && ev_next_tag(&rest, &tag))
		if (!has_field(&tag))
			ok = afperf_tag(tags, cut_prefix(tag.key), tag.value);
	return ok;
}

static struct slice
time_unit(const struct afperf_run *r)
{
	return r->zeros == 9 ? SLICE("seconds")
	    : r->zeros == 6  ? SLICE("milliseconds")
	    : r->zeros == 3  ? SLICE("microseconds")
			     : SLICE("nanoseconds");
}

/* The fields of a line that AFPerf 1.0.0 does not have. */
static bool
line_extra(struct afperf_encode *x, const struct ev *line)
{
	struct slice list;

	return !ev_tag(line, SLICE("extra"), &list) || enc_fields(x, list);
}

bool
enc_run_info(struct afperf_encode *x, size_t run)
{
	struct afperf_run *r = &x->def.run[run];
	struct ev ev = { .tags = r->tags };
	struct slice wall = ev_get(&ev, SLICE("wall"));
	struct buf tags = { 0 };
	bool ok = afperf_settle_run(&x->def, run) && run_tags(x, run, &tags);

	if (ok) {
		enc_begin(x, AFPERF_RUN_INFO);
		enc_raw(x, r->start.len == 0 ? SLICE("0") : afperf_time_text(&r->start));
		enc_raw(x, time_unit(r));
		enc_raw(x, is_wall(wall) ? wall : SLICE(""));
		if (r->native)
			enc_text(x, ev_get(&ev, SLICE("afperf")));
		else
			enc_raw(x, SLICE(AFPERF_FORMAT_VERSION));
		enc_raw(x, r->id);
		enc_text(x, ev_get(&ev, SLICE("app")));
		enc_text(x, ev_get(&ev, SLICE("version")));
		enc_tags(x, &tags);
	}
	buf_free(&tags);
	return ok;
}

/* A group must not be interrupted; an interval may be, since its records have its id. */
static void
stand_apart(struct afperf_encode *x)
{
	if (x->block == ENC_GROUP)
		enc_block_close(x);
	enc_native_apart(x);
}

bool
enc_run_here(struct afperf_encode *x, size_t run)
{
	struct afperf_run *r = &x->def.run[run];
	struct ev line = { .tags = r->tags };
	bool ok = true;

	stand_apart(x);
	if (x->spooling)
		enc_put_token(x, ENC_TOKEN_RUN_INFO, run);
	else
		ok = enc_run_info(x, run);
	ok = ok && (r->minor == 0 || line_extra(x, &line));
	enc_end(x);
	r->written = true;
	x->native.run = run;
	x->native.block = ENC_NO_SCOPE;
	return ok;
}

bool
enc_measurement_type(struct afperf_encode *x, size_t measure)
{
	struct afperf_measure *m = &x->def.measure[measure];
	const struct afperf_time *start = &x->def.run[m->run].start;

	if (!afperf_settle_measure(&x->def, measure))
		return false;
	enc_begin(x, AFPERF_MEASUREMENT_TYPE);
	if (!slice_is_nothing(m->time))
		enc_raw(x, m->time);
	else
		enc_raw(x, start->len == 0 ? SLICE("0") : afperf_time_text(start));
	enc_run_id(x, m->run);
	enc_raw(x, m->id);
	enc_text(x, m->name);
	enc_raw(x, afperf_datatype_name(afperf_measure_type(m)));
	enc_text(x, afperf_measure_unit(m));
	enc_text(x, m->summary);
	enc_text(x, m->description);
	return true;
}

bool
enc_measure_here(struct afperf_encode *x, size_t measure, const struct ev *line)
{
	struct afperf_measure *m = &x->def.measure[measure];
	bool ok = true;

	stand_apart(x);
	m->pinned = x->spooling;
	if (x->spooling)
		enc_put_token(x, ENC_TOKEN_TYPE, measure);
	else
		ok = enc_measurement_type(x, measure);
	ok = ok && (line == NULL || x->def.run[m->run].minor == 0 || line_extra(x, line)) &&
	    afperf_put_in_force(&x->def, measure);
	enc_end(x);
	m->written = true;
	m->superseded = false;
	return ok;
}

/*
 * Can the record no longer change?  The start of a run is known once its line has
 * come, the id of the pool when all runs are known.
 */
static bool
run_is_final(const struct afperf_encode *x, const struct afperf_run *r)
{
	return x->ending || (r->timed && !slice_is_nothing(r->name));
}

/* A datatype that no line gives is that of the values. */
static bool
needs_record(const struct afperf_encode *x, const struct afperf_measure *m)
{
	if (x->ending && m->ahead)
		return true;
	return !m->written && (x->ending || (m->defined != 0 && m->type != AFPERF_DATATYPES));
}

/* The records of all its measures, as they came. */
static bool
types_of(struct afperf_encode *x, const struct afperf_run *r)
{
	size_t i;

	for (i = r->measures.first; i != TAB_NONE; i = x->def.measure[i].next_in_run)
		if (needs_record(x, &x->def.measure[i]) && !enc_measure_here(x, i, NULL))
			return false;
	return true;
}

/* At the end: the run and its measures.  Those without an id are at the places of their lines. */
static bool
all_of(struct afperf_encode *x, size_t run)
{
	const struct afperf_run *r = &x->def.run[run];

	return r->blank || ((r->written || enc_run_here(x, run)) && types_of(x, r));
}

/* Writes one that has come since the last call. */
static bool
one_of(struct afperf_encode *x, const struct enc_waiting *w)
{
	const struct afperf_run *r = &x->def.run[w->run];

	if (r->blank || (!r->written && !run_is_final(x, r)))
		return true;
	if (!r->written) /* those that came before it */
		return enc_run_here(x, w->run) && types_of(x, r);
	return w->measure == TAB_NONE || !needs_record(x, &x->def.measure[w->measure]) ||
	    enc_measure_here(x, w->measure, NULL);
}

static int
by_number(const void *a, const void *b)
{
	struct enc_waiting p, q;

	memcpy(&p, a, sizeof p);
	memcpy(&q, b, sizeof q);
	if (p.run != q.run)
		return p.run < q.run ? -1 : 1;
	return (p.measure > q.measure) - (p.measure < q.measure);
}

bool
enc_definitions(struct afperf_encode *x)
{
	size_t i, n = x->nwaiting;

	x->nwaiting = 0;
	for (i = 0; x->ending && i < x->def.runs; i++)
		if (!all_of(x, i))
			return false;
	if (x->ending)
		return true;
	qsort(x->waiting, n, sizeof *x->waiting, by_number);
	for (i = 0; i < n; i++)
		if (!one_of(x, &x->waiting[i]))
			return false;
	return true;
}
