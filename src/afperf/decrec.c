/* SPDX-License-Identifier: ISC */
/*
 * decrec.c - recognizes records, and resolves their ids.
 *
 * The meaning of a blank id depends on the records before it in the file (the page's "record block
 * ordering"), so blank ids become numbers here, as records are read, before anything waits.
 */
#include <stdio.h>

#include "lib/mem.h"
#include "src/afperf/decint.h"

/* Limits of what is open without an id; intervals are searched for that of a section. */
#define REGIONS_MAX ((size_t)1 << 20)
#define INTERVALS_MAX ((size_t)4096)

/* type, n, time, start, run, owner, interval, aggregation, pairs, label */
static const struct dec_layout layouts[AFPERF_RECORDS] = {
	[AFPERF_MEASUREMENT_TYPE] = { AFPERF_MEASUREMENT_TYPE, 8, 1, 0, 2, 0, 0, 0, 0, 0 },
	[AFPERF_PAUSE_RESUME] = { AFPERF_PAUSE_RESUME, 3, 1, 2, 3, 0, 0, 0, 0, 0 },
	[AFPERF_REGION_AGGREGATE] = { AFPERF_REGION_AGGREGATE, 4, 1, 2, 0, 3, 0, 4, 5, 0 },
	[AFPERF_REGION_POINT] = { AFPERF_REGION_POINT, 2, 1, 0, 0, 2, 0, 0, 3, 0 },
	[AFPERF_REGION_START] = { AFPERF_REGION_START, 5, 1, 0, 2, 3, 0, 0, 0, 4 },
	[AFPERF_REGION_STOP] = { AFPERF_REGION_STOP, 2, 1, 0, 0, 2, 0, 0, 0, 0 },
	[AFPERF_RUN_AGGREGATE] = { AFPERF_RUN_AGGREGATE, 4, 1, 2, 3, 0, 0, 4, 5, 0 },
	[AFPERF_RUN_INFO] = { AFPERF_RUN_INFO, 8, 1, 0, 5, 0, 0, 0, 0, 0 },
	[AFPERF_RUN_POINT] = { AFPERF_RUN_POINT, 2, 1, 0, 2, 0, 0, 0, 3, 0 },
	[AFPERF_SECTION_AGGREGATE] = { AFPERF_SECTION_AGGREGATE, 5, 1, 2, 0, 3, 4, 5, 6, 0 },
	[AFPERF_SECTION_INFO] = { AFPERF_SECTION_INFO, 5, 1, 0, 2, 3, 0, 0, 0, 4 },
	[AFPERF_SECTION_POINT] = { AFPERF_SECTION_POINT, 3, 1, 0, 0, 2, 3, 0, 4, 0 },
	[AFPERF_SECTION_START] = { AFPERF_SECTION_START, 3, 1, 0, 0, 2, 3, 0, 0, 0 },
	[AFPERF_SECTION_STOP] = { AFPERF_SECTION_STOP, 3, 1, 0, 0, 2, 3, 0, 0, 0 },
};

/* The page's examples: RunInfo without its version, starts and sections without their run. */
static const struct dec_layout short_run = { AFPERF_RUN_INFO, 7, 1, 0, 4, 0, 0, 0, 0, 0 };
static const struct dec_layout short_region = { AFPERF_REGION_START, 4, 1, 0, 0, 2, 0, 0, 0, 3 };
static const struct dec_layout short_section = { AFPERF_SECTION_INFO, 4, 1, 0, 0, 2, 0, 0, 0, 3 };

/* 0: the reserved number.  RECORDS: an unknown type. */
static enum afperf_record
type_of(struct slice s)
{
	uint64_t n;

	if (s.len > 0 && s.p[0] <= '9' && dec_digits(s, &n))
		return n < AFPERF_RECORDS ? (enum afperf_record)n : AFPERF_RECORDS;
	return afperf_record_named(s);
}

static bool
is_event(enum afperf_record type)
{
	return type == AFPERF_RUN_INFO || type == AFPERF_REGION_START ||
	    type == AFPERF_REGION_STOP || type == AFPERF_SECTION_START ||
	    type == AFPERF_SECTION_STOP || type == AFPERF_SECTION_INFO;
}

/* Checks that the text is UTF-8 without NULs. */
static enum dec
check_bytes(struct afperf_decode *d, const struct dec_rec *r)
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

static const struct dec_layout *
lenient_layout(const struct dec_rec *r)
{
	if (r->at->type == AFPERF_RUN_INFO && r->r.n == 8)
		return &short_run;
	if (r->r.n != 5)
		return NULL;
	return r->at->type == AFPERF_REGION_START ? &short_region
	    : r->at->type == AFPERF_SECTION_INFO  ? &short_section
						  : NULL;
}

static enum dec
check_count(struct afperf_decode *d, struct dec_rec *r)
{
	const char *name = afperf_record_name((enum afperf_record)r->at->type).p;
	size_t have = r->r.n - 1;

	if (have < r->at->n && d->opt.lenient && lenient_layout(r) != NULL) {
		r->at = lenient_layout(r);
		if (r->at == &short_run)
			dec_lenient(d, r, 0, RULE_FIELDS,
			    "%s without its format version: taken for 1.0.0", name);
	}
	if (have < r->at->n)
		return dec_broken(d, r, 0, RULE_FIELDS,
		    "%s needs %u fields after its type, has %zu%s", name, (unsigned)r->at->n, have,
		    r->r.cut ? ": is the file cut short?" : "");
	if (r->at->pairs != 0 && have < r->at->pairs)
		return dec_broken(d, r, 0, RULE_PAIRS, "%s without a measurement", name);
	return DEC_DONE;
}

static enum dec
read_times(struct afperf_decode *d, struct dec_rec *r)
{
	uint8_t form;
	enum dec rc;

	r->timed = r->at->type != AFPERF_SECTION_INFO || record_field(&r->r, r->at->time).len != 0;
	if (!r->timed)
		return DEC_DONE;
	rc = dec_unsigned(d, r, r->at->time, &r->time, &form);
	r->start = r->time;
	if (rc == DEC_DONE && r->at->start != 0) {
		rc = dec_unsigned(d, r, r->at->start, &r->start, &form);
		if (rc == DEC_DONE && r->time < r->start)
			return dec_broken(d, r, 2, RULE_TIMES,
			    "end timestamp before start timestamp");
	}
	return rc;
}

static enum dec
read_ref(struct afperf_decode *d, const struct dec_rec *r, size_t field, struct dec_ref *ref)
{
	if (record_field(&r->r, field).len == 0) {
		ref->form = REF_BLANK;
		return DEC_DONE;
	}
	if (field == r->at->run)
		return dec_id(d, r, field, &d->run_memo, ref);
	return dec_unsigned(d, r, field, &ref->id, &ref->form);
}

static enum dec
no_block(struct afperf_decode *d, const struct dec_rec *r, size_t field, const char *what)
{
	return dec_broken(d, r, field + 1, RULE_BLOCK,
	    d->block_broken ? "blank id, and no %s comes before it, or it was left out"
			    : "blank id, and no %s comes before it",
	    what);
}

static enum dec
push(struct afperf_decode *d, const struct dec_rec *r, struct dec_stack *s, struct dec_ref ref,
    struct dec_ref section)
{
	size_t max = s == &d->regions_open ? REGIONS_MAX : INTERVALS_MAX;

	if (s->n == max)
		return dec_broken(d, r, 0, RULE_SIZE, "%zu of these without ids are open", max);
	if (s->n == s->cap) {
		size_t cap = s->cap == 0 ? 16 : s->cap * 2;
		struct dec_ref *p = mem_resize(s->ref, cap * sizeof *p), *q;

		if (p != NULL)
			s->ref = p;
		q = p == NULL ? NULL : mem_resize(s->section, cap * sizeof *q);
		if (q == NULL)
			return dec_nomem(d);
		s->section = q;
		s->cap = cap;
	}
	s->ref[s->n] = ref;
	s->section[s->n++] = section;
	return DEC_DONE;
}

/* Takes the innermost open one off the stack; of that section, if one is named. */
static bool
pop(struct dec_stack *s, struct dec_ref *section, struct dec_ref *ref)
{
	size_t i;

	for (i = s->n; i-- > 0;) {
		if (section->form != REF_BLANK && section->form != REF_NONE &&
		    !dec_same_ref(s->section[i], *section))
			continue;
		*ref = s->ref[i];
		*section = s->section[i];
		memmove(s->ref + i, s->ref + i + 1, (s->n - i - 1) * sizeof *s->ref);
		memmove(s->section + i, s->section + i + 1, (s->n - i - 1) * sizeof *s->section);
		s->n--;
		return true;
	}
	return false;
}

/* An id for a record without one: its number among those of its kind. */
static struct dec_ref
fresh(struct afperf_decode *d, const struct dec_rec *r)
{
	return (struct dec_ref){ ++d->count[r->at->type], REF_BLANK };
}

/* A record that opens, closes or describes something: its blank ids, and the block it begins. */
static enum dec
event_ids(struct afperf_decode *d, struct dec_rec *r)
{
	switch (r->at->type) {
	case AFPERF_RUN_INFO:
		if (r->run.form == REF_BLANK)
			r->run = fresh(d, r);
		d->last_run = r->run;
		break;
	case AFPERF_REGION_START:
		if (r->owner.form == REF_BLANK) {
			r->owner = fresh(d, r);
			return push(d, r, &d->regions_open, r->owner,
			    (struct dec_ref){ 0, REF_NONE });
		}
		break;
	case AFPERF_REGION_STOP:
		if (r->owner.form == REF_BLANK &&
		    (!pop(&d->regions_open, &(struct dec_ref){ 0, REF_NONE }, &r->owner) ||
			r->owner.form == REF_NONE))
			return no_block(d, r, r->at->owner, "open RegionStart without an id");
		break;
	case AFPERF_SECTION_INFO:
		if (r->owner.form == REF_BLANK)
			r->owner = fresh(d, r);
		d->last_section = r->owner;
		break;
	case AFPERF_SECTION_START:
		if (r->owner.form == REF_BLANK)
			r->owner = d->last_section;
		if (r->owner.form == REF_NONE)
			return no_block(d, r, r->at->owner, "SectionInfo");
		if (r->interval.form == REF_BLANK) {
			r->interval = fresh(d, r);
			return push(d, r, &d->intervals_open, r->interval, r->owner);
		}
		break;
	case AFPERF_SECTION_STOP:
		if (r->interval.form == REF_BLANK) {
			if (!pop(&d->intervals_open, &r->owner, &r->interval) ||
			    r->interval.form == REF_NONE)
				return no_block(d, r, r->at->interval,
				    "open SectionStart without an interval id");
		} else if (r->owner.form == REF_BLANK) {
			r->owner = d->last_section;
		}
		if (r->owner.form == REF_NONE)
			return no_block(d, r, r->at->owner, "SectionInfo");
		break;
	}
	return DEC_DONE;
}

static void
begin_block(struct afperf_decode *d, const struct dec_rec *r)
{
	d->block_broken = false;
	d->block_ref = r->owner;
	d->block_interval = r->interval;
	switch (r->at->type) {
	case AFPERF_RUN_INFO: d->block = BLOCK_RUN; break;
	case AFPERF_REGION_START:
	case AFPERF_REGION_STOP: d->block = BLOCK_REGION; break;
	case AFPERF_SECTION_START:
	case AFPERF_SECTION_STOP: d->block = BLOCK_SECTION; break;
	default: d->block = BLOCK_NONE; break;
	}
}

/* Data without the id of a region or a section belong to the record above them. */
static enum dec
data_ids(struct afperf_decode *d, struct dec_rec *r)
{
	bool section = r->at->interval != 0, processed = dec_is_processed(r);
	enum dec_block want = section ? BLOCK_SECTION : BLOCK_REGION;
	bool here = d->block == want && !d->block_broken;

	if (processed && r->owner.form == REF_BLANK && !(here && d->block_ref.form == REF_BLANK)) {
		if (d->run_infos > 1)
			dec_doubt(d, r, r->at->owner + (size_t)1, RULE_WHICH_RUN,
			    "blank record id in a file of several runs: the last one is taken");
		r->owner.form = REF_NONE;
		r->run.form = REF_BLANK;
		return DEC_DONE;
	}
	if (r->owner.form == REF_BLANK) {
		if (!here)
			return no_block(d, r, r->at->owner,
			    section ? "SectionStart or SectionStop" : "RegionStart or RegionStop");
		r->owner = d->block_ref;
	}
	if (section && !processed && r->interval.form == REF_BLANK) {
		if (!here || !dec_same_ref(r->owner, d->block_ref))
			return no_block(d, r, r->at->interval, "SectionStart or SectionStop");
		r->interval = d->block_interval;
	}
	return DEC_DONE;
}

static enum dec
resolve(struct afperf_decode *d, struct dec_rec *r)
{
	enum dec rc = DEC_DONE;

	if (is_event((enum afperf_record)r->at->type))
		rc = event_ids(d, r);
	else if (r->at->owner != 0)
		rc = data_ids(d, r);
	if (rc != DEC_DONE || r->run.form != REF_BLANK || r->at->type == AFPERF_RUN_INFO)
		return rc;
	if (d->last_run.form == REF_NONE && d->run_infos == 0 && dec_is_processed(r)) {
		r->run.form = REF_NONE; /* the only run that will come */
		return DEC_DONE;
	}
	if (d->last_run.form == REF_NONE)
		return no_block(d, r, r->at->run != 0 ? r->at->run : r->at->owner, "RunInfo");
	if (r->at->type == AFPERF_PAUSE_RESUME)
		dec_doubt(d, r, r->at->run + (size_t)1, RULE_PAUSE_RUN,
		    "blank run id in a PauseResume: the last run is taken");
	r->run = d->last_run;
	return DEC_DONE;
}

/*
 * Data that belong to a refused event are refused, too, and are not given to another.  False
 * without memory.
 */
static bool
leave_out(struct afperf_decode *d, const struct dec_rec *r)
{
	bool region = r->at->type == AFPERF_REGION_START;
	size_t inner = region ? r->at->owner : r->at->interval;
	struct dec_ref none = { 0, REF_NONE };

	d->block_broken = true;
	if ((!region && r->at->type != AFPERF_SECTION_START) || r->r.n <= inner ||
	    record_field(&r->r, inner).len != 0)
		return true;
	return push(d, r, region ? &d->regions_open : &d->intervals_open, none,
		   region ? none : r->owner) != DEC_FAILED;
}

/* Everything that can be checked of a record in its place. */
static enum dec
understand(struct afperf_decode *d, struct dec_rec *r)
{
	bool event = is_event((enum afperf_record)r->at->type);
	enum dec rc = check_bytes(d, r);

	if (r->at->type == AFPERF_RUN_INFO) {
		d->run_infos++;
		d->last_run.form = REF_NONE;
	} else if (r->at->type == AFPERF_SECTION_INFO) {
		d->last_section.form = REF_NONE;
	}
	if (rc == DEC_DONE)
		rc = check_count(d, r);
	if (rc == DEC_DONE)
		rc = read_times(d, r);
	if (rc == DEC_DONE && r->at->run != 0)
		rc = read_ref(d, r, r->at->run, &r->run);
	if (rc == DEC_DONE && r->at->owner != 0)
		rc = read_ref(d, r, r->at->owner, &r->owner);
	if (rc == DEC_DONE && r->at->interval != 0)
		rc = read_ref(d, r, r->at->interval, &r->interval);
	if (rc == DEC_DONE)
		rc = resolve(d, r);
	if (rc == DEC_DONE && event)
		begin_block(d, r);
	else if (rc == DEC_BROKEN && event && !leave_out(d, r))
		return DEC_FAILED;
	return rc;
}

static enum dec
unknown(struct afperf_decode *d, const struct dec_rec *r)
{
	char what[128];

	if (d->later) {
		dec_count(d, NOTE_UNKNOWN, r->r.line);
		if (d->opt.all)
			dec_put_other(d, &r->r);
		return DEC_DONE;
	}
	snprintf(what, sizeof what, "unknown record type '%s'",
	    dec_shown(d, record_field(&r->r, 0)));
	if (d->ending)
		return dec_broken(d, r, 1, RULE_RECORD_TYPE, "%s", what);
	return dec_wait(d, r, 1, &d->wait_later, what);
}

enum dec
dec_take(struct afperf_decode *d, struct dec_rec *r)
{
	if (r->comment) {
		dec_put_comment(d, r->r.text);
		return DEC_DONE;
	}
	if (r->at == NULL)
		return unknown(d, r);
	switch (r->at->type) {
	case AFPERF_RUN_INFO: return dec_run_info(d, r);
	case AFPERF_MEASUREMENT_TYPE: return dec_measurement_type(d, r);
	case AFPERF_SECTION_INFO: return dec_section_info(d, r);
	case AFPERF_REGION_START: return dec_region_start(d, r);
	case AFPERF_REGION_STOP: return dec_region_stop(d, r);
	case AFPERF_SECTION_START: return dec_section_start(d, r);
	case AFPERF_SECTION_STOP: return dec_section_stop(d, r);
	case AFPERF_PAUSE_RESUME: return dec_pause(d, r);
	default: return dec_data(d, r);
	}
}

enum dec
dec_record(struct afperf_decode *d, const struct record *record)
{
	struct dec_rec r = { .r = *record };
	enum afperf_record type = type_of(record_field(record, 0));
	bool known = type != 0 && type != AFPERF_RECORDS;
	enum dec rc = DEC_DONE;

	r.at = known ? &layouts[type] : NULL;
	if (d->group_closed && dec_decide_group(d, &r) == DEC_FAILED)
		return DEC_FAILED;
	if (known) {
		rc = understand(d, &r);
		return rc == DEC_DONE ? dec_submit(d, &r) : rc;
	}
	if (d->ngroup != 0 && dec_end_group(d) == DEC_FAILED)
		return DEC_FAILED;
	rc = check_bytes(d, &r);
	if (rc == DEC_DONE && type == 0)
		return dec_broken(d, &r, 1, RULE_RECORD_TYPE,
		    "unknown record type 0: it is reserved");
	if (rc == DEC_DONE && record_field(record, 0).len == 0)
		return dec_broken(d, &r, 1, RULE_RECORD_TYPE, "no record type");
	return rc == DEC_DONE ? dec_take_now(d, &r) : rc;
}

enum dec
dec_finish(struct afperf_decode *d)
{
	enum dec rc = d->group_closed ? dec_decide_group(d, NULL) : dec_end_group(d);

	if (rc == DEC_FAILED)
		return rc;
	d->all_runs = true;
	if (dec_release(d, &d->wait_run) != DEC_DONE || dec_run_ready(d) == DEC_FAILED)
		return DEC_FAILED;
	d->ending = true;
	return dec_release_all(d);
}
