/* SPDX-License-Identifier: ISC */
/*
 * file.c - decodes AFPerf v1 to the stream: one file from its header to its end.
 *
 * The meaning of a blank id depends on the records before it in the file (the specification's
 * "record block ordering").  So blank ids are replaced by numbers here, as records are read and
 * before any record waits.
 *
 * A region without an id that has only aggregates and stops when it starts is not a region.  Groups
 * of aggregates are written this way.  The records of such a region are kept until it is known
 * whether it is a group.
 */
#include "src/afperf/read/decode.h"

#include <stdio.h>

#include "lib/guess.h"
#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/number.h"
#include "lib/vec.h"
#include "src/afperf/read/decint.h"

/*
 * Limits on open regions and intervals without an id.  INTERVALS_MAX is lower because the interval
 * of a section is found by a search.
 */
#define REGIONS_MAX ((size_t)1 << 20)
#define INTERVALS_MAX ((size_t)4096)

/*
 * Returns whether data without an id belong to the record.  Data never belong to the definition of
 * a type or to a pause.
 */
static bool
is_event(const struct afperf_layout *l)
{
	return l->role == ROLE_START || l->role == ROLE_STOP ||
	    (l->role == ROLE_DEFINITION && l->scope != SCOPE_NONE);
}

/* Checks that the text is UTF-8 without NULs. */
static enum dec_result
check_bytes(struct dec *d, const struct dec_rec *r)
{
	size_t i, at, step;

	for (i = 0; (r->r.high || r->r.nul) && i < r->r.n; i++) {
		struct slice s = record_field(&r->r, i);

		for (at = 0; r->r.high && at < s.len; at += step) {
			step = esc_utf8((const unsigned char *)s.p + at, s.len - at);
			if (step == 0)
				return dec_broken(d, r, i + 1, RULE_UTF8, "invalid UTF-8: %s",
				    dec_shown(d, s));
		}
		if (s.len != 0 && memchr(s.p, '\0', s.len) != NULL)
			dec_doubt(d, r, i + 1, RULE_NUL, "NUL byte: %s", dec_shown(d, s));
	}
	return DEC_DONE;
}

/* Returns the layout of the specification's example if the record has that form. */
static const struct afperf_layout *
example_of(const struct dec_rec *r)
{
	const struct afperf_layout *l = afperf_layout_of_example(r->layout->record);

	return l != NULL && r->r.n == l->n + 1U ? l : NULL;
}

/* Reports a record with only so many fields after its type. */
static enum dec_result
lacks_fields(struct dec *d, const struct dec_rec *r, size_t have)
{
	const struct afperf_layout *l = r->layout;
	char names[128] = "";
	size_t n = 0;
	unsigned i;

	for (i = 0; i < l->n && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i == 0 ? "" : ", ",
		    afperf_field_name(l, i));
	return dec_broken(d, r, 0, RULE_FIELDS, "%s needs %u fields after its type (%s), has %zu%s",
	    l->name.p, (unsigned)l->n, names, have, r->r.cut ? ": was the file cut short?" : "");
}

static enum dec_result
check_count(struct dec *d, struct dec_rec *r)
{
	const char *name = r->layout->name.p;
	size_t have = r->r.n - 1;

	if (have < r->layout->n && d->opt.lenient && example_of(r) != NULL) {
		r->layout = example_of(r);
		if (r->layout->record == AFPERF_RUN_INFO)
			dec_lenient(d, r, 0, RULE_FIELDS,
			    "%s without its format version: read as 1.0.0", name);
	}
	if (have < r->layout->n)
		return lacks_fields(d, r, have);
	if (dec_at(r, FIELD_PAIRS) != 0 && have < dec_at(r, FIELD_PAIRS))
		return dec_broken(d, r, 0, RULE_PAIRS, "%s without a measurement", name);
	return DEC_DONE;
}

static inline enum dec_result
read_time(struct dec *d, struct dec_rec *r, enum afperf_field field, uint64_t *v)
{
	struct slice s = dec_field(r, field);
	bool hex;

	if (number_small_unsigned(s, v) && (s.p[0] != '0' || s.len == 1))
		return DEC_DONE;
	r->spelled = true;
	return dec_unsigned(d, r, dec_at(r, field), v, &hex);
}

static enum dec_result
read_times(struct dec *d, struct dec_rec *r)
{
	enum dec_result rc;

	r->timed = r->layout->record != AFPERF_SECTION_INFO || dec_field(r, FIELD_TIME).len != 0;
	if (!r->timed)
		return DEC_DONE;
	rc = read_time(d, r, FIELD_TIME, &r->time);
	r->start = r->time;
	if (rc == DEC_DONE && dec_at(r, FIELD_START) != 0) {
		rc = read_time(d, r, FIELD_START, &r->start);
		if (rc == DEC_DONE && r->time < r->start)
			return dec_broken(d, r, 2, RULE_TIMES,
			    "end timestamp before start timestamp");
	}
	return rc;
}

static enum dec_result
read_ref(struct dec *d, const struct dec_rec *r, size_t field, struct ids_ref *ref)
{
	if (record_field(&r->r, field).len == 0) {
		ref->spelling = IDS_BLANK;
		return DEC_DONE;
	}
	return dec_usual_id(d, r, field,
	    field == dec_at(r, FIELD_RUN)         ? &d->recent.run_id
		: field == dec_at(r, FIELD_OWNER) ? &d->recent.owner_id
						  : &d->recent.interval_id,
	    ref);
}

static enum dec_result
no_block(struct dec *d, const struct dec_rec *r, size_t field, const char *what)
{
	return dec_broken(d, r, field + 1, RULE_BLOCK,
	    d->blank.left_out ? "blank id, and no %s comes before it, or it was left out"
			      : "blank id, and no %s comes before it",
	    what);
}

static enum dec_result
push(struct dec *d, const struct dec_rec *r, struct ids_stack *s, struct ids_ref ref,
    struct ids_ref section)
{
	size_t max = s == &d->blank.regions_open ? REGIONS_MAX : INTERVALS_MAX;

	if (s->n == max)
		return dec_broken(d, r, 0, RULE_SIZE,
		    "%zu of this kind are already open without ids", max);
	return ids_push(s, ref, section) ? DEC_DONE : dec_nomem(d);
}

/*
 * Pops the innermost open item off the stack or, if the section is given, the innermost item of
 * that section.
 */
static bool
pop(struct ids_stack *s, struct ids_ref *section, struct ids_ref *ref)
{
	struct ids_open *o = ids_innermost(s, *section);

	if (o == NULL)
		return false;
	*ref = o->self;
	*section = o->section;
	ids_pop(s, o);
	return true;
}

/* Returns the id of a record without one: its number among the blank ids of its kind. */
static struct ids_ref
fresh(struct dec *d, const struct dec_rec *r)
{
	return (struct ids_ref){ ++d->blank.count[r->layout->record], IDS_BLANK };
}

/*
 * Resolves the blank ids of a record that opens, closes or describes a subject, and begins its
 * block.
 */
static enum dec_result
event_ids(struct dec *d, struct dec_rec *r)
{
	switch (r->layout->record) {
	case AFPERF_RUN_INFO:
		if (r->run.spelling == IDS_BLANK)
			r->run = fresh(d, r);
		d->blank.last_run = r->run;
		break;
	case AFPERF_REGION_START:
		if (r->owner.spelling == IDS_BLANK) {
			r->owner = fresh(d, r);
			return push(d, r, &d->blank.regions_open, r->owner,
			    (struct ids_ref){ 0, IDS_ABSENT });
		}
		break;
	case AFPERF_REGION_STOP:
		if (r->owner.spelling == IDS_BLANK &&
		    (!pop(&d->blank.regions_open, &(struct ids_ref){ 0, IDS_ABSENT }, &r->owner) ||
			r->owner.spelling == IDS_ABSENT))
			return no_block(d, r, dec_at(r, FIELD_OWNER),
			    "open RegionStart without an id");
		break;
	case AFPERF_SECTION_INFO:
		if (r->owner.spelling == IDS_BLANK)
			r->owner = fresh(d, r);
		d->blank.last_section = r->owner;
		break;
	case AFPERF_SECTION_START:
		if (r->owner.spelling == IDS_BLANK)
			r->owner = d->blank.last_section;
		if (r->owner.spelling == IDS_ABSENT)
			return no_block(d, r, dec_at(r, FIELD_OWNER), "SectionInfo");
		if (r->interval.spelling == IDS_BLANK) {
			r->interval = fresh(d, r);
			return push(d, r, &d->blank.intervals_open, r->interval, r->owner);
		}
		break;
	case AFPERF_SECTION_STOP:
		if (r->interval.spelling == IDS_BLANK) {
			if (!pop(&d->blank.intervals_open, &r->owner, &r->interval) ||
			    r->interval.spelling == IDS_ABSENT)
				return no_block(d, r, dec_at(r, FIELD_INTERVAL),
				    "open SectionStart without an interval id");
		} else if (r->owner.spelling == IDS_BLANK) {
			r->owner = d->blank.last_section;
		}
		if (r->owner.spelling == IDS_ABSENT)
			return no_block(d, r, dec_at(r, FIELD_OWNER), "SectionInfo");
		break;
	}
	return DEC_DONE;
}

static void
begin_block(struct dec *d, const struct dec_rec *r)
{
	d->blank.block_broken = false;
	d->blank.block_ref = r->owner;
	d->blank.block_interval = r->interval;
	d->blank.block = r->layout->record == AFPERF_SECTION_INFO ? SCOPE_NONE : r->layout->scope;
}

/*
 * Resolves blank ids of data.  Data without the id of a region or section belong to the record
 * above.
 */
static enum dec_result
data_ids(struct dec *d, struct dec_rec *r)
{
	bool section = dec_at(r, FIELD_INTERVAL) != 0, processed = dec_is_processed(r);
	enum afperf_scope want = section ? SCOPE_SECTION : SCOPE_REGION;
	bool here = d->blank.block == want && !d->blank.block_broken;

	if (processed && r->owner.spelling == IDS_BLANK &&
	    !(here && d->blank.block_ref.spelling == IDS_BLANK)) {
		if (d->blank.run_infos > 1)
			dec_doubt(d, r, dec_at(r, FIELD_OWNER) + 1, RULE_WHICH_RUN,
			    "blank record id in a file of several runs: the last one is used");
		r->owner.spelling = IDS_ABSENT;
		r->run.spelling = IDS_BLANK;
		return DEC_DONE;
	}
	if (r->owner.spelling == IDS_BLANK) {
		if (!here)
			return no_block(d, r, dec_at(r, FIELD_OWNER),
			    section ? "SectionStart or SectionStop" : "RegionStart or RegionStop");
		r->owner = d->blank.block_ref;
	}
	if (section && !processed && r->interval.spelling == IDS_BLANK) {
		if (!here || !ids_same(r->owner, d->blank.block_ref))
			return no_block(d, r, dec_at(r, FIELD_INTERVAL),
			    "SectionStart or SectionStop");
		r->interval = d->blank.block_interval;
	}
	return DEC_DONE;
}

static enum dec_result
resolve(struct dec *d, struct dec_rec *r)
{
	enum dec_result rc = DEC_DONE;

	if (is_event(r->layout))
		rc = event_ids(d, r);
	else if (dec_at(r, FIELD_OWNER) != 0)
		rc = data_ids(d, r);
	if (rc != DEC_DONE || r->run.spelling != IDS_BLANK || r->layout->record == AFPERF_RUN_INFO)
		return rc;
	if (d->blank.last_run.spelling == IDS_ABSENT && d->blank.run_infos == 0 &&
	    dec_is_processed(r)) {
		r->run.spelling = IDS_ABSENT; /* the only run, which will come later */
		return DEC_DONE;
	}
	if (d->blank.last_run.spelling == IDS_ABSENT)
		return no_block(d, r,
		    dec_at(r, FIELD_RUN) != 0 ? dec_at(r, FIELD_RUN) : dec_at(r, FIELD_OWNER),
		    "RunInfo");
	if (r->layout->record == AFPERF_PAUSE_RESUME)
		dec_doubt(d, r, dec_at(r, FIELD_RUN) + 1, RULE_PAUSE_RUN,
		    "blank run id in a PauseResume: the last run is used");
	r->run = d->blank.last_run;
	return DEC_DONE;
}

/*
 * Omits an event.  Data that belong to a rejected event are rejected, too, and not assigned to
 * another event.  Returns false when memory runs out.
 */
static bool
leave_out(struct dec *d, const struct dec_rec *r)
{
	bool region = r->layout->record == AFPERF_REGION_START;
	size_t inner = region ? dec_at(r, FIELD_OWNER) : dec_at(r, FIELD_INTERVAL);
	struct ids_ref none = { 0, IDS_ABSENT };

	d->blank.block_broken = d->blank.left_out = true;
	if ((!region && r->layout->record != AFPERF_SECTION_START) || r->r.n <= inner ||
	    record_field(&r->r, inner).len != 0)
		return true;
	return push(d, r, region ? &d->blank.regions_open : &d->blank.intervals_open, none,
		   region ? none : r->owner) != DEC_FAILED;
}

/* Makes all checks of a record that depend only on the records before it. */
static enum dec_result
understand(struct dec *d, struct dec_rec *r)
{
	bool event = is_event(r->layout);
	enum dec_result rc = check_bytes(d, r);

	if (r->layout->record == AFPERF_RUN_INFO) {
		d->blank.run_infos++;
		d->blank.last_run.spelling = IDS_ABSENT;
	} else if (r->layout->record == AFPERF_SECTION_INFO) {
		d->blank.last_section.spelling = IDS_ABSENT;
	}
	if (rc == DEC_DONE)
		rc = check_count(d, r);
	if (rc == DEC_DONE)
		rc = read_times(d, r);
	if (rc == DEC_DONE && dec_at(r, FIELD_RUN) != 0)
		rc = read_ref(d, r, dec_at(r, FIELD_RUN), &r->run);
	if (rc == DEC_DONE && dec_at(r, FIELD_OWNER) != 0)
		rc = read_ref(d, r, dec_at(r, FIELD_OWNER), &r->owner);
	if (rc == DEC_DONE && dec_at(r, FIELD_INTERVAL) != 0)
		rc = read_ref(d, r, dec_at(r, FIELD_INTERVAL), &r->interval);
	if (rc == DEC_DONE)
		rc = resolve(d, r);
	if (rc == DEC_DONE && event)
		begin_block(d, r);
	else if (rc == DEC_BROKEN && event && !leave_out(d, r))
		return DEC_FAILED;
	if (rc == DEC_BROKEN && r->layout->record == AFPERF_RUN_INFO &&
	    !dec_refuse(d, DEC_RUN, (struct ids_ref){ 0, IDS_ABSENT }))
		return dec_nomem(d);
	return rc;
}

static enum dec_result
unknown(struct dec *d, const struct dec_rec *r)
{
	char what[128];

	if (d->def.later) {
		dec_count(d, NOTE_UNKNOWN, r->r.line);
		if (d->opt.all)
			dec_put_other(d, &r->r);
		return DEC_DONE;
	}
	snprintf(what, sizeof what, "unknown record type '%s'",
	    dec_shown(d, record_field(&r->r, 0)));
	if (d->hold.ending)
		return dec_broken(d, r, 1, RULE_RECORD_TYPE, "%s", what);
	return dec_wait(d, r, 1, &d->hold.wait_later, what);
}

static enum dec_result
take(struct dec *d, struct dec_rec *r)
{
	if (r->comment) {
		dec_put_comment(d, r->r.text);
		return DEC_DONE;
	}
	if (r->layout == NULL)
		return unknown(d, r);
	switch (r->layout->role) {
	case ROLE_DEFINITION: return dec_define(d, r);
	case ROLE_POINT:
	case ROLE_AGGREGATE: return dec_data(d, r);
	default: return dec_event(d, r);
	}
}

/* Processes the records that have been released. */
static enum dec_result
take_ready(struct dec *d)
{
	struct dec_rec *r;
	enum dec_result rc = DEC_DONE;

	while (rc != DEC_FAILED && (r = dec_next_ready(d)) != NULL)
		rc = take(d, r);
	return rc;
}

/* Processes the record, and then the records that have waited for it. */
static enum dec_result
take_now(struct dec *d, struct dec_rec *r)
{
	enum dec_result rc = take(d, r);

	return rc == DEC_FAILED || d->hold.nready == 0 ? rc : take_ready(d);
}

/* Sets the number of a group, so that its aggregates find the data of its start. */
static void
make_group(struct dec *d)
{
	size_t i;

	d->group.seen++;
	d->blank.count[AFPERF_REGION_START]--;
	for (i = 0; i < d->group.n; i++) {
		d->group.item[i]->rec.group = true;
		d->group.item[i]->rec.owner.id = d->group.seen;
	}
	d->blank.block = SCOPE_NONE;
}

/* Processes, one by one, the records that might have been a group. */
static enum dec_result
end_group(struct dec *d)
{
	enum dec_result rc = DEC_DONE;
	size_t i, n = d->group.n;

	d->group.n = d->group.aggregates = d->group.bytes = 0;
	d->group.closed = false;
	for (i = 0; i < n; i++) {
		if (rc != DEC_FAILED)
			rc = take_now(d, &d->group.item[i]->rec);
		mem_free(d->group.item[i]);
	}
	return rc;
}

/*
 * Decides whether the region was a group.  Only the next record shows this, since data of a region
 * may follow its stop.
 */
static enum dec_result
decide_group(struct dec *d, const struct dec_rec *next)
{
	bool data = next != NULL && next->layout != NULL && dec_at(next, FIELD_PAIRS) != 0 &&
	    dec_at(next, FIELD_OWNER) != 0 && dec_at(next, FIELD_INTERVAL) == 0 &&
	    next->r.n > dec_at(next, FIELD_OWNER) && dec_field(next, FIELD_OWNER).len == 0;

	if (!data)
		make_group(d);
	return end_group(d);
}

static enum dec_result
add_to_group(struct dec *d, const struct dec_rec *r)
{
	struct dec_held *copy;

	if (!vec_room(d->group.item, d->group.n, d->group.cap))
		return dec_nomem(d);
	copy = dec_copy(r);
	if (copy == NULL)
		return dec_nomem(d);
	d->group.item[d->group.n++] = copy;
	d->group.bytes += r->r.text.len;
	return DEC_DONE;
}

static bool
has_room(const struct dec *d)
{
	return d->group.n < AFPERF_GROUP_RECORDS && d->group.bytes < AFPERF_GROUP_BYTES;
}

/*
 * Processes a record, or keeps it if it may be part of a group of aggregates: a region without an
 * id that has only aggregates and stops when it starts.
 */
static enum dec_result
submit(struct dec *d, struct dec_rec *r)
{
	const struct dec_rec *start = d->group.n == 0 ? NULL : &d->group.item[0]->rec;
	bool start_blank =
	    r->layout->record == AFPERF_REGION_START && r->owner.spelling == IDS_BLANK;
	enum dec_result rc;

	if (start == NULL && !start_blank)
		return take_now(d, r);
	if (start != NULL && r->owner.spelling == IDS_BLANK && ids_same(r->owner, start->owner)) {
		if (r->layout->record == AFPERF_REGION_AGGREGATE && dec_is_processed(r) &&
		    (d->group.aggregates == 0 || has_room(d))) {
			d->group.aggregates++;
			return add_to_group(d, r);
		}
		if (r->layout->record == AFPERF_REGION_STOP && d->group.aggregates > 0 &&
		    r->time == start->time) {
			d->group.closed = true;
			return add_to_group(d, r);
		}
	}
	rc = end_group(d);
	if (rc == DEC_FAILED)
		return rc;
	return start_blank ? add_to_group(d, r) : take_now(d, r);
}

static enum dec_result
before_header(struct dec *d)
{
	if (d->group.n == 0)
		return DEC_DONE;
	return d->group.closed ? decide_group(d, NULL) : end_group(d);
}

static enum dec_result
take_comment(struct dec *d, const struct record *record)
{
	struct dec_rec r = { .r = *record, .comment = true };

	r.r.n = 0;
	if (d->group.n != 0 && has_room(d))
		return add_to_group(d, &r);
	if (before_header(d) == DEC_FAILED)
		return DEC_FAILED;
	return take(d, &r);
}

/* Sets all but r->r, which is not copied: reading it just after it was written is slow. */
static void
begin_record(struct dec_rec *r, enum afperf_record type)
{
	static const struct ids_ref none = { 0, 0 };

	r->layout = type != 0 && type != AFPERF_RECORDS ? &afperf_layouts[type] : NULL;
	r->time = r->start = 0;
	r->run = r->owner = r->interval = none;
	r->timed = r->spelled = r->group = r->comment = r->settled = false;
	r->judged = 0;
}

/* Takes the record r->r. */
static enum dec_result
record(struct dec *d, struct dec_rec *r)
{
	enum afperf_record type = afperf_record_of(record_field(&r->r, 0));
	enum dec_result rc = DEC_DONE;

	begin_record(r, type);
	if (d->group.closed && decide_group(d, r) == DEC_FAILED)
		return DEC_FAILED;
	if (r->layout != NULL) {
		rc = understand(d, r);
		return rc == DEC_DONE ? submit(d, r) : rc;
	}
	if (d->group.n != 0 && end_group(d) == DEC_FAILED)
		return DEC_FAILED;
	rc = check_bytes(d, r);
	if (rc == DEC_DONE && type == 0)
		return dec_broken(d, r, 1, RULE_RECORD_TYPE,
		    "unknown record type 0: it is reserved");
	if (rc == DEC_DONE && record_field(&r->r, 0).len == 0)
		return dec_broken(d, r, 1, RULE_RECORD_TYPE, "no record type");
	return rc == DEC_DONE ? take_now(d, r) : rc;
}

static enum dec_result
settle_waiting(struct dec *d)
{
	enum dec_result rc = d->group.closed ? decide_group(d, NULL) : end_group(d);

	if (rc == DEC_FAILED)
		return rc;
	d->hold.all_runs = true;
	if (dec_release(d, &d->hold.wait_run) != DEC_DONE || take_ready(d) == DEC_FAILED)
		return DEC_FAILED;
	d->hold.ending = true;
	return dec_release_all(d) == DEC_DONE ? take_ready(d) : DEC_FAILED;
}

#define MAGIC_LEN (sizeof(AFPERF_MAGIC) - 1)
#define VERSION_AT ((size_t)10) /* the position of "1" in the header */

static bool
begins(struct slice s, const char *with, size_t n)
{
	return s.len >= n && memcmp(s.p, with, n) == 0;
}

/* Describes a file that does not begin with the header. */
static const char *
why_no_header(struct slice s)
{
	struct slice cut = { AFPERF_MAGIC, s.len };

	if (begins(s, ESC_BOM, sizeof ESC_BOM - 1))
		return "byte order mark before the header";
	if (begins(s, "\xff\xfe", 2) || begins(s, "\xfe\xff", 2) || begins(s, "#\0", 2))
		return "not an AFPerf file: is it UTF-16?";
	if (s.len < MAGIC_LEN && slice_eq(s, cut))
		return "the header is cut short: it must have 16 bytes";
	if (!begins(s, AFPERF_MAGIC, VERSION_AT))
		return "not an AFPerf file";
	if (s.p[VERSION_AT] != '1')
		return "another version of AFPerf: only version 1 is read";
	return begins(s, AFPERF_MAGIC, MAGIC_LEN)
	    ? "text after the 16 bytes of the header"
	    : "the header is not padded with blanks to 16 bytes, as printf '%-16s\\n' "
	      "'# AFPerf v1' does";
}

/*
 * Reads the first line.  Returns 0 or an error.  If it is ERR_DATA without a message, it has been
 * reported already.
 */
static int
read_header(struct dec *d, struct err *e)
{
	struct afperf_report report = { .weight = AFPERF_ERROR, .rule = RULE_HEADER };
	struct slice s;
	int rc = records_peek(&d->in, MAGIC_LEN + 2, &s, e);

	if (rc != 0)
		return rc;
	if (s.len == 0)
		return err_data(e, "empty: no header");
	if (begins(s, AFPERF_MAGIC, MAGIC_LEN)) {
		if (s.len == MAGIC_LEN || s.p[MAGIC_LEN] == '\n' ||
		    begins((struct slice){ s.p + MAGIC_LEN, s.len - MAGIC_LEN }, "\r\n", 2)) {
			records_skip(&d->in,
			    s.len == MAGIC_LEN           ? MAGIC_LEN
				: s.p[MAGIC_LEN] == '\n' ? MAGIC_LEN + 1
							 : MAGIC_LEN + 2);
			d->in.unterminated = s.len == MAGIC_LEN;
			return 0;
		}
	}
	rc = records_peek(&d->in, GUESS_BYTES, &s, e);
	if (rc != 0 || guess_refuse(s.p, s.len, GUESS_AFPERF, e) != 0)
		return e->code;
	err_line(&report.e, 1, "%s", why_no_header(s));
	d->opt.report(d->opt.ctx, &report);
	return err_data(e, "%s", "");
}

/*
 * Reports a missing line break at the end.  RFC 4180 allows this, but a truncated value would be
 * wrong.
 */
static void
say_unterminated(struct dec *d)
{
	struct afperf_report report = { .weight = AFPERF_DOUBT, .rule = RULE_UNTERMINATED };

	err_line(&report.e, d->in.lines, "ends without a line break: it may have been cut");
	d->opt.report(d->opt.ctx, &report);
	d->w->count[MARK_UNTERMINATED]++;
}

/* Processes a line that begins with '#': a repeated header or a comment. */
static int
comment(struct dec *d, const struct record *r, struct err *e)
{
	struct afperf_report report = { .weight = AFPERF_DOUBT, .rule = RULE_LATER_HEADER };

	if (!begins(r->text, AFPERF_MAGIC, VERSION_AT)) {
		if (!d->opt.all)
			return 0;
		if (take_comment(d, r) == DEC_FAILED)
			d->failure.code = ERR_SYS;
		if (r->cut)
			say_unterminated(d);
		return 0;
	}
	if (before_header(d) == DEC_FAILED)
		d->failure.code = ERR_SYS;
	if (slice_eq(r->text, SLICE(AFPERF_MAGIC)))
		return 0;
	if (r->text.len == VERSION_AT || r->text.p[VERSION_AT] == '1') {
		err_line(&report.e, r->line, "header differs from the first");
		d->opt.report(d->opt.ctx, &report);
		return 0;
	}
	report.weight = AFPERF_ERROR;
	report.rule = RULE_HEADER;
	err_line(&report.e, r->line, "header of another version: the rest is not read");
	d->opt.report(d->opt.ctx, &report);
	return err_data(e, "%s", "");
}

static void
say_broken(struct dec *d, enum afperf_rule rule, const struct err *e)
{
	struct afperf_report report = { .weight = AFPERF_ERROR, .rule = rule, .e = *e };

	d->opt.report(d->opt.ctx, &report);
	d->blank.block_broken = d->blank.left_out = true;
}

/* Drops the lines that were built in memory, if no lines are wanted. */
static void
drop_lines(struct dec *d)
{
	if (d->opt.check)
		evw_drop_held(d->w);
}

static int
read_records(struct dec *d, struct err *e)
{
	struct dec_rec r = { .r = { .n = 0 } };
	enum afperf_rule rule;
	int rc = 0;

	while (rc == 0 && !evw_failed(d->w)) {
		switch (records_next(&d->in, &r.r, &rule, e)) {
		case RECORDS_RECORD:
			if (record(d, &r) == DEC_FAILED)
				d->failure.code = ERR_SYS;
			break;
		case RECORDS_COMMENT: rc = comment(d, &r.r, e); break;
		case RECORDS_BROKEN:
		case RECORDS_LOST: say_broken(d, rule, e); break;
		case RECORDS_END:
			if (d->in.unterminated)
				say_unterminated(d);
			return 0;
		case RECORDS_FAILED: return e->code;
		}
		if (d->failure.code != 0) {
			*e = d->failure;
			return e->code;
		}
		drop_lines(d);
	}
	return rc;
}

/* Handles regions, intervals and records that are still open at the end of the file. */
static int
finish(struct dec *d, struct err *e)
{
	struct ids_entry *entry;
	size_t i;

	if (settle_waiting(d) == DEC_FAILED || d->failure.code != 0) {
		*e = d->failure;
		return ERR_SYS;
	}
	for (i = 0; (entry = ids_at(&d->def.regions, i)) != NULL; i++)
		if (entry->state == IDS_OPEN)
			dec_count(d, NOTE_OPEN_REGION, entry->origin);
	for (i = 0; (entry = ids_at(&d->def.intervals, i)) != NULL; i++)
		if (entry->state == IDS_OPEN)
			dec_count(d, NOTE_OPEN_INTERVAL, entry->origin);
	for (i = 0; i < d->def.nruns; i++)
		dec_judge_spans(d, &d->def.run[i]);
	drop_lines(d);
	return 0;
}

static void
say_notes(struct dec *d)
{
	static const char *const text[DEC_NOTES] = {
		[NOTE_EARLY] = "events before the start of their run",
		[NOTE_OPEN_REGION] = "regions that are never stopped",
		[NOTE_OPEN_INTERVAL] = "intervals that are never stopped",
		[NOTE_LATE_STOP] = "stops written at the end since a region in them never stops",
		[NOTE_UNIT] = "measurement types with an unusual unit",
		[NOTE_NO_WALL] = "runs without a wall clock time",
		[NOTE_DEEP] = "regions nested too deeply to check for crossings",
		[NOTE_UNKNOWN] = "records of an unknown type",
		[NOTE_EXTRA] = "records with unknown fields",
		[NOTE_NO_RUN] = "records left out because the RunInfo of their run was refused",
		[NOTE_CROSSING] = "regions that end inside others",
	};
	static const char *const effect[DEC_NOTES] = {
		[NOTE_OPEN_REGION] = "; afdur reports them as errors",
		[NOTE_OPEN_INTERVAL] = "; afdur reports them as errors",
		[NOTE_LATE_STOP] = "; afdur needs --sort",
		[NOTE_CROSSING] = "; what may overlap are intervals of a section",
	};
	char line[200];
	int i;

	for (i = 0; i < DEC_NOTES; i++) {
		if (d->seen[i].n == 0)
			continue;
		snprintf(line, sizeof line, "%s: %llu (first in line %llu)%s", text[i],
		    (unsigned long long)d->seen[i].n, (unsigned long long)d->seen[i].line,
		    effect[i] == NULL ? "" : effect[i]);
		d->opt.note(d->opt.ctx, line);
	}
}

static void
free_all(struct dec *d)
{
	size_t i;

	records_close(&d->in);
	dec_hold_free(d);
	for (i = 0; i < d->group.n; i++)
		mem_free(d->group.item[i]);
	mem_free(d->group.item);
	for (i = 0; i < d->def.nruns; i++) {
		mem_free((void *)(uintptr_t)d->def.run[i].name.p);
		mem_free(d->def.run[i].open);
		mem_free(d->def.run[i].span);
	}
	for (i = 0; i < d->def.ntypes; i++)
		mem_free(d->def.type[i].text);
	mem_free(d->def.run);
	mem_free(d->def.type);
	mem_free(d->room.pair);
	mem_free(d->blank.regions_open.item);
	mem_free(d->blank.intervals_open.item);
	ids_free(&d->def.runs);
	ids_free(&d->def.types);
	ids_free(&d->def.refused);
	ids_free(&d->def.regions);
	ids_free(&d->def.sections);
	ids_free(&d->def.intervals);
	ids_free(&d->def.groups);
	tab_free(&d->labels.texts);
	tab_free(&d->labels.spelled);
	mem_free(d->labels.spelled_label);
	buf_free(&d->room.scratch);
	buf_free(&d->room.plain);
	buf_free(&d->room.shown);
	buf_free(&d->room.number);
}

int
afperf_decode(const char *name, const struct afperf_decode_options *opt, struct evwrite *w,
    struct err *e)
{
	struct dec d = { .opt = *opt, .w = w };
	struct in in;
	int rc = in_open(&in, name, e), end;

	if (rc != 0)
		return rc;
	in.idle = opt->check ? NULL : &w->out;
	d.hold.unused = d.hold.wait_later = d.hold.wait_run = IDS_NONE;
	rc = records_open(&d.in, in, opt->record_max) ? read_header(&d, e) : err_nomem(e);
	if (rc == 0) {
		if (opt->check)
			evw_hold(w);
		rc = read_records(&d, e);
		if (rc == 0 || rc == ERR_DATA) {
			end = finish(&d, e);
			rc = rc == 0 ? end : rc;
		}
		say_notes(&d);
		if (opt->check)
			evw_release(w);
	}
	in_close(&in);
	free_all(&d);
	return rc;
}
