/* SPDX-License-Identifier: ISC */
/* section.c - all other samples, spans and aggregates, as sections and groups. */
#include "lib/vec.h"
#include "src/afperf/write/encint.h"
#include "src/afperf/text.h"

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
	if (define_time_cmp(time, define_time_text(&s->last)) >= 0)
		define_time_set(&s->last, time);
	else if (define_time_cmp(time, define_time_text(&s->first)) < 0)
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
		define_time_set(&s->first, u->end);
		define_time_set(&s->last, u->end);
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
		define_time_set(&x->block_time, u->end);
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
	interval_record(x, AFPERF_SECTION_STOP, define_time_text(&x->block_time), x->block_section,
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
		interval_record(x, AFPERF_SECTION_STOP, define_time_text(&s->last), i, s->interval);
		enc_end(x);
	}
}

bool
enc_is_word(struct slice key)
{
	return slice_eq(key, SLICE("stat")) || slice_eq(key, SLICE("mid")) ||
	    slice_eq(key, SLICE("type")) || slice_eq(key, SLICE("unit"));
}

bool
enc_block_key(struct afperf_encode *x, const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN], region = ev->col[EV_REGION], rest = ev->tags, at = rest;
	struct ev_tag tag;

	x->key.len = 0;
	/* run and region are adjacent in the line */
	if (!buf_put(&x->key, ev->col[EV_TIME].p, (size_t)(run.p - ev->col[EV_TIME].p)) ||
	    !buf_put(&x->key, run.p, (size_t)(region.p + region.len - run.p)))
		return false;
	for (; ev_next_tag(&rest, &tag); at = rest)
		if (!enc_is_word(tag.key) && !slice_eq(tag.key, SLICE("extra")) &&
		    (!buf_putc(&x->key, '\t') ||
			!buf_put(&x->key, at.p, (size_t)(tag.value.p + tag.value.len - at.p))))
			return false;
	return true;
}

void
enc_block_close(struct afperf_encode *x)
{
	if (x->block == ENC_INTERVAL) {
		enc_interval_stop(x);
	} else if (x->block == ENC_GROUP) {
		enc_begin(x, AFPERF_REGION_STOP);
		enc_raw(x, define_time_text(&x->block_time));
		enc_blank(x);
		enc_end(x);
	}
	x->block = ENC_NONE;
}

void
enc_block_room(struct afperf_encode *x, size_t bytes)
{
	if (x->block != ENC_GROUP)
		return;
	/* the bytes are an estimate */
	if (x->block_records >= AFPERF_GROUP_RECORDS - 2 ||
	    x->block_bytes >= AFPERF_GROUP_BYTES / 2)
		enc_block_close(x);
	x->block_records++;
	x->block_bytes += bytes;
}

bool
enc_block_goes_on(struct afperf_encode *x, enum enc_block block)
{
	struct buf swap = x->key;

	if (x->block == block && x->key.len == x->block_key.len &&
	    memcmp(x->key.p, x->block_key.p, x->key.len) == 0)
		return true;
	enc_block_close(x);
	x->block = block;
	x->key = x->block_key;
	x->block_key = swap;
	return false;
}

/* All tags without a field: the other keys of the group, and the number of its lines. */
static bool
group_tags(const struct ev *ev, struct buf *tags)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;

	while (ev_next_tag(&rest, &tag)) {
		struct slice key = tag.key;

		if (enc_is_word(key) || slice_eq(key, SLICE("start")) ||
		    slice_eq(key, SLICE("utc")) || slice_eq(key, SLICE("extra")) ||
		    (slice_eq(key, SLICE("scope")) && slice_eq(tag.value, SLICE("group"))))
			continue;
		if (key.len > 4 && memcmp(key.p, "tag.", 4) == 0)
			key = (struct slice){ key.p + 4, key.len - 4 };
		if (!afperf_tag(tags, key, tag.value))
			return false;
	}
	return true;
}

static bool
group_start(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	struct buf tags = { 0 };
	bool ok = group_tags(ev, &tags);

	if (ok) {
		enc_begin(x, AFPERF_REGION_START);
		enc_raw(x, u->start);
		enc_run_id(x, u->run);
		enc_blank(x);
		enc_text(x, ev->col[EV_REGION]);
		enc_tags(x, &tags);
		enc_end(x);
	}
	buf_free(&tags);
	return ok;
}

int
enc_agg(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	if (!enc_block_key(x, ev))
		return err_nomem(e);
	enc_block_room(x, 128 + u->value.len + u->word.stat.len + u->word.extra.len);
	if (!enc_block_goes_on(x, ENC_GROUP)) {
		if (!enc_run_is_told(x, u->run)) {
			x->block = ENC_NONE;
			return enc_no_place(ev, e);
		}
		define_time_set(&x->block_time, u->start);
		x->native.block = ENC_REGION;
		x->native.blank_block = true;
		x->native.group = true;
		x->native.bare = false;
		x->native.thing = (struct enc_ref){ .there = true, .blank = true };
		x->native.block_run = u->run;
		x->block_records = 2;
		x->block_bytes = 256 + ev->col[EV_REGION].len + ev->tags.len + u->value.len;
		if (!group_start(x, ev, u)) {
			x->block = ENC_NONE;
			return err_nomem(e);
		}
	}
	enc_begin(x, AFPERF_REGION_AGGREGATE);
	enc_raw(x, u->end);
	enc_raw(x, u->start);
	enc_blank(x);
	enc_text(x, u->word.stat);
	enc_pair(x, u);
	if (!enc_fields(x, u->word.extra))
		return err_nomem(e);
	enc_end(x);
	return 0;
}
