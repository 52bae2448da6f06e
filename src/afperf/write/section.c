/* SPDX-License-Identifier: ISC */
/*
 * section.c - samples, spans and aggregates that were not records of AFPerf.
 *
 * Regions must nest, but the samples of a profiler and the spans of other tools need not.  So a
 * region of the stream becomes a section, whose intervals may overlap.
 *
 * A processed aggregate has a blank record id and belongs to the record above it (see the
 * specification's "Common Record Fields", record id).  It has no label of its own, so each group of
 * aggregates is a region without an id.  The start of the region has the label and the tags, and is
 * followed by the aggregates and then the stop.  The region has zero length, because regions must
 * be disjoint or nested, and groups overlap.  The aggregates have the real span of the group.
 */
#include "lib/num.h"
#include "lib/number.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/afperf/text.h"
#include "src/afperf/write/encint.h"

/*
 * Makes a section id that no section from AFPerf has or will get, by entering it as the id of a
 * section without a run.
 */
static bool
new_id(struct afperf_encode *x, uint64_t *id)
{
	/* the ids in a file may begin anywhere, but are hardly ever in the upper half */
	uint64_t above = x->native.sections.n != x->made.n ? UINT64_C(1) << 63 : 0;
	struct ids_entry *e;

	if (x->ids.maps)
		return enc_id_free(x, &x->ids.section, 0, id);
	do {
		*id = ++x->ids.section.next + above;
		e = ids_get(&x->native.sections, 0, *id, false);
	} while (e != NULL && e->state != IDS_AWAITED);
	if (e == NULL)
		return false;
	e->state = IDS_DONE;
	e->run = IDS_NONE;
	return true;
}

/*
 * Records that blank ids, which refer to the last event, now refer to the event that is about to be
 * written.
 */
static void
stand_between(struct enc_native *n)
{
	n->above.scope = SCOPE_NONE;
	n->above.group = n->above.bare = false;
}

static bool
new_section(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	struct enc_section *section;
	char room[NUM_MAX];
	struct slice text;
	uint64_t id;

	if (!vec_room(x->made.item, x->made.n, x->made.cap) || !new_id(x, &id))
		return false;
	text = enc_number(x, id, room);
	section = &x->made.item[x->made.n++];
	*section = (struct enc_section){ .run = u->run, .id_len = (uint8_t)text.len };
	memcpy(section->id, text.p, text.len);
	stand_between(&x->native);
	x->native.section = (struct ids_ref){ 0, IDS_ABSENT };
	enc_put(x, AFPERF_SECTION_INFO,
	    &(struct enc_record){ .run = u->run,
		.text = { [FIELD_TIME] = u->start,
		    [FIELD_OWNER] = text,
		    [FIELD_LABEL] = ev->col[EV_REGION] } });
	enc_end(x);
	return true;
}

/* Returns run and region, which are adjacent in the line. */
static struct slice
label_of(const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN], region = ev->col[EV_REGION];

	return (struct slice){ run.p, (size_t)(region.p + region.len - run.p) };
}

/* Returns whether a reader would assign a new section to a different run. */
static bool
has_no_place(const struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	return !enc_run_is_told(x, u->run) && tab_find(&x->made.labels, label_of(ev)) == TAB_NONE;
}

/* Returns the place in x->made.recent for a label with this region. */
static inline size_t
recent_at(struct slice region)
{
	uint64_t h = region.len;

	if (region.len >= 8)
		h += short_word(region.p) ^ short_word(region.p + region.len - 8) << 1;
	else if (region.len >= 4)
		h += number_load4(region.p) ^ number_load4(region.p + region.len - 4) << 32;
	return (h * UINT64_C(0x9e3779b97f4a7c15) >> 32) % ENC_RECENT;
}

/* Returns whether the section, if it is one, has this run and region. */
static inline bool
is_section_of(const struct enc_sections *made, size_t n, const struct ev *ev, size_t run)
{
	size_t before = ev->col[EV_RUN].len + 1;
	struct slice label;

	if (n >= made->n || made->item[n].run != run)
		return false;
	label = made->labels.item[n];
	return short_eq((struct slice){ label.p + before, label.len - before }, ev->col[EV_REGION]);
}

/* Returns the number of the line's section among those made here. */
static size_t
section_of(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	size_t at = recent_at(ev->col[EV_REGION]), n = (size_t)x->made.recent[at] - 1;
	bool fresh;

	if (is_section_of(&x->made, n, ev, u->run))
		return n;
	n = tab_add(&x->made.labels, label_of(ev), &fresh);
	if (n == TAB_NONE || (fresh && !new_section(x, ev, u)))
		return TAB_NONE;
	x->made.recent[at] = (uint32_t)(n + 1);
	return n;
}

/* Writes a record of an interval: its start, its stop, or, with a pair, its data. */
static void
interval_record(struct afperf_encode *x, enum afperf_record record, struct slice time,
    const struct enc_section *s, struct slice interval, const struct enc_use *pair)
{
	if (pair == NULL)
		stand_between(&x->native);
	enc_put(x, record,
	    &(struct enc_record){ .pair = pair,
		.text = { [FIELD_TIME] = time,
		    [FIELD_START] = pair == NULL ? time : pair->start,
		    [FIELD_OWNER] = { s->id, s->id_len },
		    [FIELD_INTERVAL] = interval } });
	enc_end(x);
}

/* Writes a record of the open block, as above. */
static void
block_record(struct afperf_encode *x, enum afperf_record record, struct slice time,
    const struct enc_use *pair)
{
	char room[NUM_MAX];

	interval_record(x, record, time, &x->made.item[x->block.section],
	    enc_number(x, x->block.interval, room), pair);
}

/* Returns the interval of the section's samples. */
static inline struct slice
sampled_interval(const struct enc_section *s)
{
	return (struct slice){ s->interval, s->interval_len };
}

static void
sample_time(struct afperf_encode *x, struct enc_section *s, struct slice time)
{
	if (define_time_cmp(time, define_time_text(&s->last)) >= 0)
		define_time_set(&s->last, time);
	else if (define_time_cmp(time, define_time_text(&s->first)) < 0)
		x->left.early++;
}

/* Returns whether AFPerf has a field for this tag of an agg or a span line. */
static bool
is_word(struct slice key)
{
	return slice_eq(key, SLICE("stat")) || slice_eq(key, SLICE("mid")) ||
	    slice_eq(key, SLICE("type")) || slice_eq(key, SLICE("unit"));
}

/* Stores the line's group or interval in x->block.next as text, for comparisons. */
static bool
block_key(struct afperf_encode *x, const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN], region = ev->col[EV_REGION], rest = ev->tags, at = rest;
	struct ev_tag tag;

	x->block.next.len = 0;
	/* run and region are adjacent in the line */
	if (!buf_put(&x->block.next, ev->col[EV_TIME].p, (size_t)(run.p - ev->col[EV_TIME].p)) ||
	    !buf_put(&x->block.next, run.p, (size_t)(region.p + region.len - run.p)))
		return false;
	for (; ev_next_tag(&rest, &tag); at = rest)
		if (!is_word(tag.key) && !slice_eq(tag.key, SLICE("extra")) &&
		    (!buf_putc(&x->block.next, '\t') ||
			!buf_put(&x->block.next, at.p,
			    (size_t)(tag.value.p + tag.value.len - at.p))))
			return false;
	return true;
}

void
enc_block_close(struct afperf_encode *x)
{
	struct slice time = define_time_text(&x->block.time);

	if (x->block.kind == ENC_NONE)
		return;
	if (x->block.kind == ENC_INTERVAL) {
		block_record(x, AFPERF_SECTION_STOP, time, NULL);
	} else if (x->block.kind == ENC_GROUP) {
		enc_put(x, AFPERF_REGION_STOP,
		    &(struct enc_record){ .text = { [FIELD_TIME] = time } });
		enc_end(x);
	}
	x->block.kind = ENC_NONE;
}

void
enc_block_room(struct afperf_encode *x, size_t bytes)
{
	if (x->block.kind != ENC_GROUP)
		return;
	/* the number of bytes is an estimate */
	if (x->block.records >= AFPERF_GROUP_RECORDS - 2 ||
	    x->block.bytes >= AFPERF_GROUP_BYTES / 2)
		enc_block_close(x);
	x->block.records++;
	x->block.bytes += bytes;
}

/* Returns whether the line continues the open block.  If not, the block is closed. */
static bool
goes_on(struct afperf_encode *x, enum enc_blocks kind)
{
	struct buf swap = x->block.next;

	if (x->block.kind == kind && x->block.next.len == x->block.key.len &&
	    memcmp(x->block.next.p, x->block.key.p, x->block.next.len) == 0)
		return true;
	enc_block_close(x);
	x->block.kind = kind;
	x->block.next = x->block.key;
	x->block.key = swap;
	return false;
}

static int
put_sample(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	struct enc_section *s;
	struct slice interval;
	char room[NUM_MAX];
	size_t n;

	if (has_no_place(x, ev, u))
		return enc_no_place(ev, e);
	enc_block_close(x);
	n = section_of(x, ev, u);
	if (n == TAB_NONE)
		return err_nomem(e);
	s = &x->made.item[n];
	if (!s->sampled) {
		s->sampled = true;
		interval = enc_number(x, s->intervals++, room);
		memcpy(s->interval, interval.p, interval.len);
		s->interval_len = (uint8_t)interval.len;
		define_time_set(&s->first, u->end);
		define_time_set(&s->last, u->end);
		interval_record(x, AFPERF_SECTION_START, u->end, s, interval, NULL);
	}
	sample_time(x, s, u->end);
	interval_record(x, AFPERF_SECTION_POINT, u->end, s, sampled_interval(s), u);
	return 0;
}

static int
put_span(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	if (has_no_place(x, ev, u))
		return enc_no_place(ev, e);
	if (!block_key(x, ev))
		return err_nomem(e);
	if (!goes_on(x, ENC_INTERVAL)) {
		x->block.section = section_of(x, ev, u);
		if (x->block.section == TAB_NONE)
			return err_nomem(e);
		x->block.interval = x->made.item[x->block.section].intervals++;
		define_time_set(&x->block.time, u->end);
		block_record(x, AFPERF_SECTION_START, u->start, NULL);
	}
	block_record(x, AFPERF_SECTION_AGGREGATE, u->end, u);
	return 0;
}

void
enc_section_stops(struct afperf_encode *x)
{
	size_t i;

	for (i = 0; i < x->made.n; i++) {
		const struct enc_section *s = &x->made.item[i];

		if (!s->sampled)
			continue;
		interval_record(x, AFPERF_SECTION_STOP, define_time_text(&s->last), s,
		    sampled_interval(s), NULL);
	}
}

/* Returns whether AFPerf has a field for this tag of a group's line, or it is written elsewhere. */
static bool
has_field(const struct ev_tag *tag)
{
	return is_word(tag->key) || slice_eq(tag->key, SLICE("start")) ||
	    slice_eq(tag->key, SLICE("utc")) || slice_eq(tag->key, SLICE("extra")) ||
	    (slice_eq(tag->key, SLICE("scope")) && slice_eq(tag->value, SLICE("group")));
}

/*
 * Returns whether the tag is written with its whole key, and not as one of the label.  Tags of the
 * label are, too, if the stream has a tag of the same name, or if they would be the mark.
 */
static bool
is_own(const struct ev *ev, struct slice key)
{
	struct slice value;

	return !text_cut_tag(&key) || slice_eq(key, SLICE(AFPERF_MARK)) || ev_tag(ev, key, &value);
}

/*
 * Returns whether the value has no unit, as far as the lines so far tell.  AFPerf has no such
 * numbers, they are counts.  A result of several runs has what the measure lines of all runs say.
 */
static bool
has_no_unit(const struct afperf_encode *x, const struct enc_use *u)
{
	const struct define_measure *m = &x->def.measure[u->measure];

	if (!slice_is_nothing(u->word.unit))
		return slice_eq(u->word.unit, DEFINE_NO_UNIT);
	if (m->defined != 0)
		return slice_eq(m->unit, DEFINE_NO_UNIT);
	return slice_is_nothing(x->def.run[m->run].name) && units_none(&x->units, m->name);
}

/*
 * Marks that the stream's own tags follow.  NONE are the first of these, written once: what the
 * result does not have though AFPerf has it.
 */
static bool
mark_own(struct buf *tags, struct slice *none)
{
	bool ok = text_append_tag(tags, SLICE(AFPERF_MARK), SLICE(AFPERF_MARK_OWN)) &&
	    buf_put(tags, none->p, none->len);

	none->len = 0;
	return ok;
}

/*
 * Collects all tags that have no field: the other keys of the group, and the number of its lines.
 * Marks show which of them are tags of the label.
 */
static bool
group_tags(const struct ev *ev, struct slice none, struct buf *tags)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	bool own = false, ok = true;

	while (ok && ev_next_tag(&rest, &tag)) {
		if (has_field(&tag))
			continue;
		if (is_own(ev, tag.key) != own) {
			own = !own;
			ok = own
			    ? mark_own(tags, &none)
			    : text_append_tag(tags, SLICE(AFPERF_MARK), SLICE(AFPERF_MARK_LABEL));
		}
		if (own) {
			ok = ok && text_append_own_tag(tags, tag.key, tag.value);
		} else {
			(void)text_cut_tag(&tag.key);
			ok = ok && text_append_tag(tags, tag.key, tag.value);
		}
	}
	return ok && (none.len == 0 || mark_own(tags, &none));
}

/* Returns the tags that say what the result of the line does not have: a unit, a time. */
static struct slice
none_of(const struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	bool no_unit = has_no_unit(x, u);

	if (slice_is_nothing(ev->col[EV_TIME]))
		return no_unit ? SLICE(";unit=;start=") : SLICE(";start=");
	return no_unit ? SLICE(";unit=") : SLICE("");
}

static bool
group_start(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	struct buf tags = { 0 };
	bool ok = group_tags(ev, none_of(x, ev, u), &tags);

	if (ok) {
		enc_put(x, AFPERF_REGION_START,
		    &(struct enc_record){ .run = u->run,
			.tags = &tags,
			.text = { [FIELD_TIME] = u->start, [FIELD_LABEL] = ev->col[EV_REGION] } });
		enc_end(x);
	}
	buf_free(&tags);
	return ok;
}

static int
put_agg(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	if (!block_key(x, ev) || (has_no_unit(x, u) && !buf_puts(&x->block.next, "\tunit=.")))
		return err_nomem(e);
	enc_block_room(x, 128 + u->value.len + u->word.stat.len + u->word.extra.len);
	if (!goes_on(x, ENC_GROUP)) {
		if (!enc_run_is_told(x, u->run)) {
			x->block.kind = ENC_NONE;
			return enc_no_place(ev, e);
		}
		define_time_set(&x->block.time, u->start);
		x->native.above = (struct enc_above){ .scope = SCOPE_REGION,
			.run = u->run,
			.thing = { 0, IDS_BLANK },
			.blank = true,
			.group = true };
		x->block.records = 2;
		x->block.bytes = 256 + ev->col[EV_REGION].len + ev->tags.len + u->value.len;
		if (!group_start(x, ev, u)) {
			x->block.kind = ENC_NONE;
			return err_nomem(e);
		}
	}
	enc_put(x, AFPERF_REGION_AGGREGATE,
	    &(struct enc_record){ .pair = u,
		.text = { [FIELD_TIME] = u->end,
		    [FIELD_START] = u->start,
		    [FIELD_AGGREGATION] = u->word.stat } });
	if (!enc_put_fields(x, u->word.extra))
		return err_nomem(e);
	enc_end(x);
	return 0;
}

int
enc_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	switch (u->kind) {
	case ENC_SAMPLE: return put_sample(x, ev, u, e);
	case ENC_SPAN: return put_span(x, ev, u, e);
	default: return put_agg(x, ev, u, e);
	}
}
