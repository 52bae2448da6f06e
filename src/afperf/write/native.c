/* SPDX-License-Identifier: ISC */
/*
 * native.c - writes lines that afdec printed from AFPerf records as the same records again.
 *
 * Their tag scope= shows what they are.  An id that was blank is @N; it is written blank as long
 * as a reader would resolve it to the same: data right after a start or stop to that region or
 * interval, a stop to the innermost that is open, all else to the last RunInfo or SectionInfo.
 *
 * A region that would look like a group of aggregates, because the record that distinguished it
 * was moved, gets a header inside it, which has no meaning but that no group has one.
 */
#include "lib/csv.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "src/afperf/write/encint.h"
#include "src/afperf/text.h"

#define OF_A_THING 1 /* in the runs' ids: it belongs to a region or section, as aggregates show */

/* The entry of a region or a section, made if new.  Most lines have the same as the last. */
static struct ids_entry *
thing_of(struct enc_native *n, enum enc_scope scope, const struct enc_ref *ref)
{
	struct ids_entry *e = n->recent_region;

	if (scope != ENC_REGION)
		return ids_get(&n->sections, 0, ref->id, ref->blank);
	if (e == NULL || e->id != ref->id || e->blank != ref->blank)
		e = n->recent_region = ids_get(&n->regions, 0, ref->id, ref->blank);
	return e;
}

struct ids_entry *
enc_known(struct enc_native *n, enum enc_scope scope, size_t run, const struct enc_ref *ref)
{
	struct ids_entry *e = ref->there ? thing_of(n, scope, ref) : NULL;

	return e != NULL && e->state != IDS_AWAITED && e->run == run ? e : NULL;
}

static struct ids_entry *
interval_of(struct enc_native *n, const struct ids_entry *section, const struct enc_ref *interval)
{
	return ids_get(&n->intervals, ids_number(&n->sections, section), interval->id,
	    interval->blank);
}

bool
enc_known_interval(struct enc_native *n, const struct ids_entry *section,
    const struct enc_ref *interval)
{
	const struct ids_entry *e = interval->there ? interval_of(n, section, interval) : NULL;

	return e != NULL && e->state != IDS_AWAITED;
}

static int
refuse(const struct ev *ev, struct err *e, const char *what, const struct enc_ref *ref,
    const char *why)
{
	return err_line(e, ev->number, "%s %.*s %s", what, (int)ref->text.len, ref->text.p, why);
}

/* Ids are unique in a run: an id of another run may be reused once that region has stopped. */
static const char *
against_new(const struct enc_event *v, const struct ids_entry *entry)
{
	if (entry->state == IDS_AWAITED)
		return NULL;
	if (!v->start)
		return "is defined twice";
	return v->scope == ENC_REGION && entry->state == IDS_DONE && entry->run != v->run
	    ? NULL
	    : "is started twice";
}

static const char *
against_stop(const struct enc_event *v, const struct ids_entry *entry)
{
	if (entry->state == IDS_AWAITED)
		return "has not been started";
	if (entry->run != v->run)
		return "is of another run";
	if (entry->state == IDS_DONE)
		return "is stopped twice";
	return v->time < entry->start ? "stops before it starts" : NULL;
}

int
enc_event_fits(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v,
    struct ids_entry **entry, struct err *e)
{
	struct enc_native *n = &x->native;
	const char *what = v->scope == ENC_REGION ? "region" : "section", *why;
	const struct enc_ref *ref = &v->ref;

	*entry = thing_of(n, v->scope, ref);
	if (*entry != NULL && v->interval.there) {
		if ((*entry)->state == IDS_AWAITED)
			return refuse(ev, e, what, ref, "has not been defined");
		if ((*entry)->run != v->run)
			return refuse(ev, e, what, ref, "is of another run");
		what = "interval";
		ref = &v->interval;
		*entry = interval_of(n, *entry, ref);
	}
	if (*entry == NULL)
		return err_nomem(e);
	why = v->stop ? against_stop(v, *entry) : against_new(v, *entry);
	return why == NULL ? 0 : refuse(ev, e, what, ref, why);
}

void
enc_event_done(const struct enc_event *v, struct ids_entry *entry)
{
	entry->state = v->start ? IDS_OPEN : IDS_DONE;
	if (v->stop)
		return;
	entry->run = (uint32_t)v->run;
	entry->start = v->time;
}

bool
enc_owns_processed(struct afperf_encode *x, const struct enc_use *u, enum enc_scope scope)
{
	struct ids_entry *run = ids_get(&x->def.run_ids, 0, u->ref.id, false);

	if (run == NULL || (run->state != IDS_AWAITED && run->run != OF_A_THING) ||
	    enc_known(&x->native, scope, u->run, &u->ref) == NULL)
		return false;
	run->state = IDS_DONE;
	run->run = OF_A_THING;
	return true;
}

int
enc_extra_fits(const struct ev *ev, struct slice extra, uint64_t minor, size_t most, struct err *e)
{
	struct slice element;
	size_t n;

	if (extra.p == NULL)
		return 0;
	for (n = 0; n <= most && ev_next_element(&extra, &element); n++)
		;
	return minor > 0 && n <= most
	    ? 0
	    : err_line(e, ev->number, "extra= has fields that its run's version has not");
}

/* Is it only blanks, or something that a reader would take for a comment? */
static bool
is_no_record(struct slice name)
{
	size_t i;

	for (i = 0; i < name.len && (name.p[i] == ' ' || name.p[i] == '\t'); i++)
		;
	return i == name.len || name.p[0] == '#';
}

int
enc_other_fits(struct afperf_encode *x, const struct ev *ev, struct slice record, struct err *e)
{
	struct slice name;
	size_t i;

	x->scratch.len = 0;
	if (!buf_room(&x->scratch, 1) || !afperf_text(&x->scratch, record, AFPERF_FIELD))
		return err_nomem(e);
	name = buf_slice(&x->scratch);
	if (is_no_record(name) || afperf_record_of(name) != AFPERF_RECORDS)
		return err_line(e, ev->number, "record= is no type that AFPerf 1.0 has not");
	for (i = x->def.runs; i > 0 && x->def.run[i - 1].minor == 0; i--)
		;
	return i > 0
	    ? 0
	    : err_line(e, ev->number, "a record that is not known, and no run of a later version");
}

void
enc_native_free(struct enc_native *n)
{
	ids_free(&n->regions);
	ids_free(&n->sections);
	ids_free(&n->intervals);
	tab_free(&n->labels);
	mem_free(n->regions_open.ref);
	mem_free(n->regions_open.section);
	mem_free(n->intervals_open.ref);
	mem_free(n->intervals_open.section);
}

void
enc_native_apart(struct afperf_encode *x)
{
	if (x->native.group)
		x->native.block = ENC_NO_SCOPE;
	x->native.group = x->native.bare = false;
}

enum enc_scope
enc_scope_named(struct slice name)
{
	switch (name.len) {
	case 3: return memcmp(name.p, "run", 3) == 0 ? ENC_RUN : ENC_NO_SCOPE;
	case 5: return memcmp(name.p, "group", 5) == 0 ? ENC_AGGREGATES : ENC_NO_SCOPE;
	case 6: return memcmp(name.p, "region", 6) == 0 ? ENC_REGION : ENC_NO_SCOPE;
	case 7: return memcmp(name.p, "section", 7) == 0 ? ENC_SECTION : ENC_NO_SCOPE;
	default: return ENC_NO_SCOPE;
	}
}

/* False if it is not an id. */
static bool
read_ref(struct slice text, struct enc_ref *ref)
{
	*ref = (struct enc_ref){ .text = text };
	if (slice_is_nothing(text))
		return true;
	ref->there = true;
	ref->blank = text.len > 1 && text.p[0] == '@';
	if (ref->blank) /* counted from 1 */
		return num_get_u64((struct slice){ text.p + 1, text.len - 1 }, &ref->id) &&
		    ref->id != 0;
	return num_get_u64(text, &ref->id) || num_get_hex(text, &ref->id);
}

static bool
same_ref(const struct enc_ref *a, const struct enc_ref *b)
{
	return a->there == b->there && a->blank == b->blank && a->id == b->id;
}

int
enc_no_place(const struct ev *ev, struct err *e)
{
	return err_line(e, ev->number,
	    "its id was blank, and with other records between AFPerf cannot say which it was");
}

bool
enc_run_is_told(const struct afperf_encode *x, size_t run)
{
	return !x->def.run[run].blank || x->native.run == run;
}

/* The label is REGION, then its tags, a TAB before each: is its region this one? */
static bool
is_label(struct slice label, struct slice region)
{
	return label.len >= region.len && memcmp(label.p, region.p, region.len) == 0 &&
	    (label.len == region.len || label.p[region.len] == '\t');
}

/* The name of the region or section at its start or definition. */
static struct slice
label_of(const struct enc_native *n, const struct ids_entry *thing)
{
	return n->labels.item[thing->line];
}

/* Keeps the label of a line that starts or defines something, for later lines. */
static bool
keep_label(struct enc_native *n, const struct ev *ev, struct slice own, struct buf *b,
    struct ids_entry *thing)
{
	struct slice region = ev->col[EV_REGION];
	size_t number;

	b->len = 0;
	if (!buf_put(b, region.p, region.len) || !buf_put(b, own.p, own.len))
		return false;
	number = tab_add(&n->labels, buf_slice(b), NULL);
	if (number >= IDS_LINE_MAX)
		return false;
	thing->line = (unsigned)number & IDS_LINE_MAX;
	return true;
}

/* Its own tags are restored only if they are those of its start. */
static size_t
other_tags(struct slice label, struct slice region, const struct enc_words *w)
{
	struct slice tags = { label.p + region.len, label.len - region.len };
	size_t i, n = 0;

	for (i = 0; !slice_eq(tags, w->own) && i < w->own.len; i++)
		n += w->own.p[i] == '\t';
	return n;
}

/* Does it have the same subject as the last line?  A defined one stays defined. */
static bool
is_last(const struct enc_native *n, enum enc_scope scope, const struct enc_use *u)
{
	return n->last == scope && n->last_run == u->run && same_ref(&n->last_thing, &u->ref) &&
	    (scope == ENC_REGION || same_ref(&n->last_interval, &u->interval));
}

/* The region or section of the line, if AFPerf can name it. */
static bool
is_of_known(struct enc_native *n, struct enc_use *u, enum enc_scope scope)
{
	const struct ids_entry *thing;

	if (is_last(n, scope, u))
		return true;
	thing = enc_known(n, scope, u->run, &u->ref);
	if (thing == NULL || (scope == ENC_SECTION && !enc_known_interval(n, thing, &u->interval)))
		return false;
	n->last = scope;
	n->last_run = u->run;
	n->last_thing = u->ref;
	n->last_interval = u->interval;
	n->last_thing.text = n->last_interval.text = SLICE(""); /* borrowed */
	n->last_label = label_of(n, thing);
	return true;
}

/* An aggregate of a run has no label; one of a region, from afdec --lenient, has the region's. */
static bool
is_processed_label(struct enc_native *n, const struct enc_use *u, enum enc_scope scope,
    struct slice run, struct slice region)
{
	const struct ids_entry *thing = u->ref.blank || define_same_id(u->ref.text, run)
	    ? NULL
	    : enc_known(n, scope, u->run, &u->ref);

	return thing == NULL ? slice_is_nothing(region) : is_label(label_of(n, thing), region);
}

bool
enc_is_native(struct afperf_encode *x, const struct ev *ev, struct enc_use *u, enum enc_scope scope)
{
	struct enc_native *n = &x->native;
	struct slice region = ev->col[EV_REGION];

	u->ref = u->interval = (struct enc_ref){ .text = SLICE(".") };
	if (scope == ENC_NO_SCOPE || x->def.measure[u->measure].seen != 0 ||
	    x->def.measure[u->measure].defined == 0)
		return false;
	if (scope == ENC_RUN)
		return slice_is_nothing(region);
	if (scope == ENC_AGGREGATES)
		return !slice_is_nothing(u->word.stat);
	if (!read_ref(u->word.id, &u->ref) || !read_ref(u->word.interval, &u->interval))
		return false;
	if (!slice_is_nothing(u->word.stat))
		return is_processed_label(n, u, scope, x->def.run[u->run].name, region);
	if (!is_of_known(n, u, scope) || !is_label(n->last_label, region))
		return false;
	u->word.others += other_tags(n->last_label, region, &u->word);
	return true;
}

static bool
is_block(const struct enc_native *n, enum enc_scope scope, const struct enc_ref *ref,
    const struct enc_ref *interval)
{
	if (!ref->blank && !interval->blank)
		return true;
	return n->block == scope && same_ref(&n->thing, ref) &&
	    (!interval->blank || same_ref(&n->interval, interval));
}

/*
 * The id of a processed aggregate: its run's (*of_run), blank, or a region's.  A blank one that a
 * reader would resolve to a region or another run becomes the run's.  False if a blank id cannot
 * be expressed.
 */
static bool
processed_is_told(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum enc_scope scope, struct enc_ref *ref, bool *of_run)
{
	const struct enc_native *n = &x->native;
	const struct define_run *r = &x->def.run[u->run];
	struct enc_ref none = { .id = 0 };
	bool runs = ref->blank ? slice_eq(ref->text, ev->col[EV_RUN])
			       : ref->there && define_same_id(ref->text, r->name);
	bool of_block = n->block == scope && n->blank_block;

	*of_run = false;
	if (ref->there && !runs) /* a blank one means its run in any place */
		return !ref->blank && enc_owns_processed(x, u, scope);
	if (of_block && !n->group && r->blank) /* a reader assigns it to the block's run */
		return ref->there && n->block_run == u->run;
	if (r->blank) /* a header separates it from a group */
		return n->run == u->run;
	*of_run = x->opt.processed == AFPERF_RUN_ID || n->run != u->run || of_block ||
	    (ref->there && x->opt.processed == AFPERF_KEEP_ID);
	*ref = none;
	return true;
}

/* The record that an event or data belong to. */
static bool
put_owner(struct afperf_encode *x, enum enc_scope scope, const struct enc_ref *ref)
{
	struct enc_ids *t = scope == ENC_REGION ? &x->region_ids : &x->section_ids;

	if (!enc_id_settle(x, t, 0, ref))
		return false;
	enc_id_put(x, t, 0, ref);
	return true;
}

static bool
put_interval(struct afperf_encode *x, const struct enc_ref *section, const struct enc_ref *interval)
{
	uint32_t owner;

	if (!interval->there) {
		enc_blank(x);
		return true;
	}
	if (!enc_id_owner(x, section, &owner) ||
	    !enc_id_settle(x, &x->interval_ids, owner, interval))
		return false;
	enc_id_put(x, &x->interval_ids, owner, interval);
	return true;
}

/* Among other records it has no meaning. */
static void
put_header(struct afperf_encode *x)
{
	out_put(x->to, AFPERF_MAGIC, sizeof AFPERF_MAGIC - 1);
	enc_end(x);
	enc_native_apart(x);
}

static int
refuse_data(const struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    struct err *e)
{
	if (!slice_is_nothing(u->word.stat) && u->ref.there && !u->ref.blank)
		return err_line(e, ev->number,
		    "id= is neither that of its run nor of a region or section of it");
	if (x->opt.number)
		return err_line(e, ev->number,
		    "a processed aggregate of a region whose id was blank cannot have a number");
	return enc_no_place(ev, e);
}

int
enc_native_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum enc_scope scope, struct err *e)
{
	static const enum afperf_record records[][2] = {
		[ENC_RUN] = { AFPERF_RUN_POINT, AFPERF_RUN_AGGREGATE },
		[ENC_REGION] = { AFPERF_REGION_POINT, AFPERF_REGION_AGGREGATE },
		[ENC_SECTION] = { AFPERF_SECTION_POINT, AFPERF_SECTION_AGGREGATE },
	};
	bool aggregate = !slice_eq(ev->col[EV_KIND], SLICE("sample"));
	bool processed = !slice_is_nothing(u->word.stat);
	struct enc_ref ref = u->ref;
	bool told, of_run = false, ok = true;

	told = scope == ENC_RUN ? enc_run_is_told(x, u->run)
	    : processed         ? processed_is_told(x, ev, u, scope, &ref, &of_run)
				: x->opt.number || is_block(&x->native, scope, &ref, &u->interval);
	if (!told)
		return refuse_data(x, ev, u, e);
	enc_block_close(x);
	if (x->native.group && processed && x->def.run[u->run].blank)
		put_header(x);
	if (processed && scope == ENC_REGION && ref.blank)
		x->native.aggregates = true;
	else
		enc_native_apart(x);
	enc_begin(x, records[scope][aggregate]);
	enc_raw(x, u->end);
	if (aggregate)
		enc_raw(x, u->start);
	if (scope == ENC_RUN || of_run)
		enc_run_id(x, u->run);
	else
		ok = put_owner(x, scope, &ref);
	if (scope == ENC_SECTION)
		ok = ok && put_interval(x, &ref, &u->interval);
	if (aggregate)
		enc_text(x, u->word.stat);
	enc_pair(x, u);
	if (!ok || !enc_fields(x, u->word.extra))
		return err_nomem(e);
	enc_end(x);
	return 0;
}

static bool
push(struct enc_open *o, const struct enc_ref *ref, const struct enc_ref *section)
{
	if (o->n == o->cap) {
		size_t cap = o->cap == 0 ? 16 : o->cap * 2;
		struct enc_ref *p = mem_resize(o->ref, cap * sizeof *p), *q;

		if (p == NULL)
			return false;
		o->ref = p;
		q = mem_resize(o->section, cap * sizeof *q);
		if (q == NULL)
			return false;
		o->section = q;
		o->cap = cap;
	}
	o->ref[o->n] = *ref;
	o->section[o->n++] = *section;
	return true;
}

/*
 * Removes the innermost open one: is it this one?  For intervals, the innermost of the section if
 * that has an id.
 */
static bool
pop(struct enc_open *o, const struct enc_ref *ref, const struct enc_ref *section)
{
	size_t i;

	for (i = o->n; i-- > 0;) {
		if (section->there && !section->blank && !same_ref(&o->section[i], section))
			continue;
		if (!same_ref(&o->ref[i], ref) || !same_ref(&o->section[i], section))
			return false;
		memmove(o->ref + i, o->ref + i + 1, (o->n - i - 1) * sizeof *o->ref);
		memmove(o->section + i, o->section + i + 1, (o->n - i - 1) * sizeof *o->section);
		o->n--;
		return true;
	}
	return false;
}

static int
read_event(struct afperf_encode *x, const struct ev *ev, struct enc_event *v, struct err *e)
{
	struct slice time = ev->col[EV_TIME];
	struct enc_words w;
	size_t i;

	enc_words_read(ev, &w);
	v->extra = w.extra;
	v->own = w.own;
	v->others = w.others;
	v->scope = enc_scope_named(w.scope);
	v->start = slice_eq(ev->col[EV_KIND], SLICE("start"));
	v->stop = slice_eq(ev->col[EV_KIND], SLICE("stop"));
	if (v->scope != ENC_SECTION && (v->scope != ENC_REGION || !(v->start || v->stop)))
		return err_line(e, ev->number, "a line of this kind has another scope=");
	if (!read_ref(w.id, &v->ref) || !v->ref.there || !read_ref(w.interval, &v->interval) ||
	    v->interval.there != (v->scope == ENC_SECTION && (v->start || v->stop)))
		return err_line(e, ev->number, "id= or interval= is missing, or is no id");
	v->run = define_run_named(&x->def, ev->col[EV_RUN]);
	if (v->run == TAB_NONE)
		return err_nomem(e);
	v->time = 0;
	v->time_text = slice_is_nothing(time) ? SLICE("") : time;
	if (v->time_text.len == 0)
		return v->start || v->stop ? err_line(e, ev->number, "no time") : 0;
	if (!define_is_time(time))
		return err_line(e, ev->number, "not a time");
	if (!define_time_in_unit(&x->def.run[v->run], &v->time_text))
		return err_line(e, ev->number,
		    "no multiple of the run's unit of time, or beyond 64 bits");
	for (i = 0; i < v->time_text.len; i++)
		v->time = v->time * 10 + (unsigned)(v->time_text.p[i] - '0');
	return 0;
}

/* Would a reader resolve the blank ids correctly?  Records the new state. */
static bool
is_told(struct afperf_encode *x, const struct enc_event *v)
{
	struct enc_native *n = &x->native;
	struct enc_ref none = { .id = 0 };
	const struct enc_ref *inner = v->scope == ENC_REGION ? &v->ref : &v->interval;
	const struct enc_ref *section = v->scope == ENC_REGION ? &none : &v->ref;

	if (x->opt.number)
		return true;
	if (!v->start && !v->stop)
		return enc_run_is_told(x, v->run);
	if (v->scope == ENC_REGION && v->start && !enc_run_is_told(x, v->run))
		return false;
	if (v->stop && inner->blank)
		return pop(v->scope == ENC_REGION ? &n->regions_open : &n->intervals_open, inner,
		    section);
	return v->scope == ENC_REGION || !v->ref.blank || same_ref(&n->section, &v->ref);
}

static bool
keep_in_mind(struct afperf_encode *x, const struct enc_event *v)
{
	struct enc_native *n = &x->native;
	struct enc_ref none = { .id = 0 };

	n->block = v->start || v->stop ? v->scope : ENC_NO_SCOPE;
	n->blank_block = v->ref.blank && !x->opt.number;
	n->block_run = v->run;
	n->thing = v->ref;
	n->interval = v->interval;
	n->thing.text = n->interval.text = SLICE(""); /* borrowed */
	n->bare = v->start && v->scope == ENC_REGION && n->blank_block;
	n->group = n->aggregates = false;
	define_time_set(&n->start, v->time_text);
	if (n->bare && !push(&n->regions_open, &n->thing, &none))
		return false;
	if (v->start && v->interval.blank && !x->opt.number &&
	    !push(&n->intervals_open, &n->interval, &n->thing))
		return false;
	if (v->start)
		n->last = ENC_NO_SCOPE; /* the id may have been another run's */
	if (v->scope == ENC_SECTION && !v->start && !v->stop)
		n->section = n->thing;
	return true;
}

static bool
put_label(struct afperf_encode *x, const struct ev *ev)
{
	struct buf tags = { 0 };
	struct slice rest = ev->tags;
	struct ev_tag tag;
	bool ok = true;

	while (ok && ev_next_tag(&rest, &tag))
		if (tag.key.len > 4 && memcmp(tag.key.p, "tag.", 4) == 0)
			ok = afperf_tag(&tags, (struct slice){ tag.key.p + 4, tag.key.len - 4 },
			    tag.value);
	enc_text(x, ev->col[EV_REGION]);
	enc_tags(x, &tags);
	buf_free(&tags);
	return ok;
}

/* A stop, or the start of an interval, has the label of its region or section, or none. */
static int
check_label(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v, struct err *e)
{
	const struct ids_entry *thing;
	struct slice label;

	if (!v->stop && !v->interval.there)
		return 0;
	thing = enc_known(&x->native, v->scope, v->run, &v->ref);
	if (thing == NULL)
		return err_nomem(e);
	label = label_of(&x->native, thing);
	if (!is_label(label, ev->col[EV_REGION]))
		return err_line(e, ev->number, "%s %.*s is called otherwise where it %s",
		    v->interval.there ? "section" : "region", (int)v->ref.text.len, v->ref.text.p,
		    v->interval.there ? "is defined" : "starts");
	return 0;
}

/* The record's fields.  False without memory. */
static bool
put_event(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v)
{
	bool defines = !v->stop && !v->interval.there, ok;

	enc_begin(x,
	    v->scope == ENC_REGION      ? (v->start ? AFPERF_REGION_START : AFPERF_REGION_STOP)
		: !v->start && !v->stop ? AFPERF_SECTION_INFO
		: v->start              ? AFPERF_SECTION_START
					: AFPERF_SECTION_STOP);
	enc_raw(x, v->time_text);
	if (defines)
		enc_run_id(x, v->run);
	ok = put_owner(x, v->scope, &v->ref);
	if (ok && v->interval.there)
		ok = put_interval(x, &v->ref, &v->interval);
	if (ok && defines)
		ok = put_label(x, ev);
	ok = ok && enc_fields(x, v->extra) && keep_in_mind(x, v);
	enc_end(x);
	return ok;
}

int
enc_native_event(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct enc_event v;
	struct ids_entry *entry;
	bool defined;
	int rc = read_event(x, ev, &v, e);

	if (rc != 0)
		return rc;
	if (!enc_is_defined(x, v.run, TAB_NONE, &defined))
		return err_nomem(e);
	if (!defined || !x->def.run[v.run].declared)
		return err_line(e, ev->number, "its run has not been defined");
	rc = enc_event_fits(x, ev, &v, &entry, e);
	if (rc == 0)
		rc = check_label(x, ev, &v, e);
	if (rc == 0)
		rc = enc_extra_fits(ev, v.extra, x->def.run[v.run].minor, SIZE_MAX, e);
	if (rc == 0 && !is_told(x, &v))
		rc = enc_no_place(ev, e);
	if (rc != 0)
		return rc;
	if (x->spooling && !enc_spool_define(x, v.run, TAB_NONE))
		return err_nomem(e);
	enc_block_close(x);
	if (v.stop && v.scope == ENC_REGION && x->native.bare && x->native.aggregates &&
	    slice_eq(v.time_text, define_time_text(&x->native.start)))
		put_header(x);
	if (!v.stop && !v.interval.there && !keep_label(&x->native, ev, v.own, &x->scratch, entry))
		return err_nomem(e);
	x->tags += v.others;
	x->tag_lines += v.others != 0;
	enc_event_done(&v, entry);
	return put_event(x, ev, &v) ? 0 : err_nomem(e);
}

bool
enc_fields(struct afperf_encode *x, struct slice list)
{
	struct slice element;
	bool ok = true;

	while (ok && ev_next_element(&list, &element)) {
		x->scratch.len = 0;
		ok = afperf_text(&x->scratch, element, AFPERF_FIELD);
		enc_blank(x);
		csv_field_put(x->to, x->scratch.p, x->scratch.len);
	}
	return ok;
}

int
enc_other(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct slice fields = { NULL, 0 };

	enc_block_close(x);
	enc_native_apart(x);
	afperf_put_text(x->to, &x->scratch, ev_get(ev, SLICE("record")));
	(void)ev_tag(ev, SLICE("fields"), &fields);
	if (!enc_fields(x, fields))
		return err_nomem(e);
	enc_end(x);
	return 0;
}

int
enc_comment(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct buf *b = &x->scratch;

	b->len = 0;
	if (!buf_room(b, 1) || !afperf_text(b, ev->col[EV_VALUE], AFPERF_FIELD))
		return err_nomem(e);
	if (memchr(b->p, '\n', b->len) != NULL)
		return err_line(e, ev->number, "a comment of several lines");
	if (b->len != 0 && b->p[b->len - 1] == '\r')
		return err_line(e, ev->number, "a comment that ends in a carriage return");
	if (b->len >= 9 && memcmp(b->p, " AFPerf v", 9) == 0)
		return err_line(e, ev->number, "a comment that would be a header");
	enc_block_room(x, b->len + 1);
	out_put(x->to, "#", 1);
	out_put(x->to, b->p, b->len);
	enc_end(x);
	return 0;
}
