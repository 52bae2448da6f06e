/* SPDX-License-Identifier: ISC */
/*
 * native.c - writes lines that afdec printed from AFPerf records as the same records again.
 *
 * Their scope tag shows their record type.  An id that was blank is @N.  It is written blank as
 * long as a reader would resolve it to the same subject.  A reader resolves data directly after a
 * start or stop to that region or interval, a stop to the innermost open one, and everything else
 * to the last RunInfo or SectionInfo.
 *
 * A region may look like a group of aggregates because the record that distinguished it was moved.
 * A header is then written inside it.  The header has no meaning, but no group has one, so the
 * region is not read as a group.
 */
#include "lib/mem.h"
#include "lib/num.h"
#include "src/afperf/text.h"
#include "src/afperf/write/encint.h"

#define IS(word) (memcmp(key.p, word, sizeof(word) - 1) == 0)

/* Returns the place for the value of the key, or NULL. */
static struct slice *
word_of(struct enc_words *w, struct slice key)
{
	switch (key.len) {
	case 2: return IS("id") ? &w->id : NULL;
	case 3: return IS("mid") ? &w->mid : NULL;
	case 4: return IS("unit") ? &w->unit : IS("type") ? &w->type : IS("stat") ? &w->stat : NULL;
	case 5:
		return IS("scope") ? &w->scope
		    : IS("start")  ? &w->start
		    : IS("extra")  ? &w->extra
				   : NULL;
	case 8: return IS("interval") ? &w->interval : NULL;
	default: return NULL;
	}
}

/* Returns whether the tag becomes another field or is written separately. */
static bool
is_elsewhere(struct slice key)
{
	return (key.len == 3 && IS("utc")) || (key.len == 5 && IS("extra"));
}

/*
 * Adds a tag of the label.  Such tags are adjacent, as afdec writes them.  Otherwise they do not
 * belong to a label.
 */
static bool
add_own(struct enc_words *w, struct slice tag)
{
	if (w->own.len != 0 && w->own.p + w->own.len != tag.p)
		return false;
	w->own.p = w->own.len == 0 ? tag.p : w->own.p;
	w->own.len += tag.len;
	return true;
}

/*
 * Returns false if the tag begins with other letters than the keys that word_of and is_elsewhere
 * know, and those of tags of a label.
 */
static inline bool
is_likely(const char *p, const char *end)
{
#define BIT(letter) (UINT32_C(1) << ((letter)&31))
	/* by the first letter of a key, the second ones */
	static const uint32_t second[32] = {
		['e' & 31] = BIT('x'),
		['i' & 31] = BIT('d') | BIT('n'),
		['m' & 31] = BIT('i'),
		['s' & 31] = BIT('c') | BIT('t'),
		['t' & 31] = BIT('a') | BIT('y'),
		['u' & 31] = BIT('n') | BIT('t'),
	};

	return end - p > 1 && (second[p[0] & 31] & BIT(p[1])) != 0;
#undef BIT
}

/* Returns true for the tag of samples that begins as some words do. */
static inline bool
is_stack(const char *p, const char *end)
{
	return end - p > 5 && memcmp(p, "stac", 4) == 0 && p[5] == '=';
}

#define WORD_MAX 8 /* bytes of the longest key that word_of knows */

/* Returns the key of a tag, or an empty slice for a key that is neither a word nor one of tag. */
static inline struct slice
key_of(const char *p, const char *end)
{
	size_t n = (size_t)(end - p), i = 0;
	const char *eq;

	if (n > 4 && memcmp(p, "tag.", 4) == 0) {
		eq = memchr(p, '=', n);
		return (struct slice){ p, eq == NULL ? 0 : (size_t)(eq - p) };
	}
	for (n = n <= WORD_MAX ? n : WORD_MAX + 1; i < n && p[i] != '='; i++)
		;
	return (struct slice){ p, i < n ? i : 0 };
}

/* Reads a tag that is likely to be a word or one of tag. */
static void
read_word(struct enc_words *w, const char *p, const char *end, struct slice none)
{
	static const char empty[] = "."; /* its address differs from that of NONE */
	struct slice key = key_of(p, end);
	const char *eq = p + key.len; /* if there is a key */
	struct slice *to = word_of(w, key);

	if (to != NULL && to->p != none.p && to->p != NULL)
		to = NULL; /* if a tag is repeated, the first one is used, as everywhere */
	else if (to != NULL && (eq + 1 < end || to == &w->extra))
		*to = (struct slice){ eq + 1, (size_t)(end - eq) - 1 };
	else if (to != NULL)
		*to = (struct slice){ empty, 1 };
	if (key.len > 4 && IS("tag.") ? add_own(w, (struct slice){ p - 1, (size_t)(end - p) + 1 })
				      : is_elsewhere(key))
		w->tags++;
	else if (to == NULL)
		w->others++;
}

void
enc_words_read(const struct ev *ev, struct enc_words *w)
{
	static const char nothing[] = ".";
	const struct slice none = { nothing, 1 };
	size_t i;

	*w = (struct enc_words){ none, none, none, none, none, none, none, none, { NULL, 0 },
		{ ev->tags.p, 0 }, 0, 0 };
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1, *end = ev->base + ev->cut[i + 1];

		if (is_likely(p, end) && !is_stack(p, end))
			read_word(w, p, end, none);
		else
			w->others++;
	}
	if (slice_is_nothing(w->unit) && w->unit.p != nothing)
		w->unit = DEFINE_NO_UNIT; /* whatever the unit of the measure */
}

bool
enc_has_no_words(const struct ev *ev)
{
	const char *p = ev->base + ev->cut[0] + 1, *end;
	size_t i;

	for (i = 1; i <= ev->ntags; i++, p = end + 1) {
		end = ev->base + ev->cut[i];
		if (is_likely(p, end) && !is_stack(p, end))
			return false;
	}
	return true;
}

/* state of a run's id: aggregates show that the id belongs to a region or section */
#define OF_A_THING 1

static struct ids_entry *
get(struct ids *t, uint32_t owner, struct ids_ref ref)
{
	return ids_get(t, owner, ref.id, ref.spelling == IDS_BLANK);
}

static bool
is_there(struct ids_ref ref)
{
	return ref.spelling != IDS_ABSENT;
}

/*
 * Returns the entry of a region or section, creating it if necessary.  Most lines have the same
 * subject as the line before.
 */
static struct ids_entry *
thing_of(struct enc_native *n, enum afperf_scope scope, struct ids_ref ref)
{
	struct ids_entry *e = n->recent_region;

	if (scope != SCOPE_REGION)
		return get(&n->sections, 0, ref);
	if (e == NULL || e->id != ref.id || e->blank != (ref.spelling == IDS_BLANK))
		e = n->recent_region = get(&n->regions, 0, ref);
	return e;
}

/*
 * Returns the region or section if it belongs to the run and has been defined, otherwise NULL.
 * Also returns NULL if memory runs out.  The table has then failed, which is checked after each
 * line.
 */
static struct ids_entry *
known(struct enc_native *n, enum afperf_scope scope, size_t run, struct ids_ref ref)
{
	struct ids_entry *e = is_there(ref) ? thing_of(n, scope, ref) : NULL;

	return e != NULL && e->state != IDS_AWAITED && e->run == run ? e : NULL;
}

static struct ids_entry *
interval_of(struct enc_native *n, const struct ids_entry *section, struct ids_ref interval)
{
	return get(&n->intervals, ids_number(&n->sections, section), interval);
}

/* Returns whether the interval belongs to the section. */
static bool
is_known_interval(struct enc_native *n, const struct ids_entry *section, struct ids_ref interval)
{
	const struct ids_entry *e = is_there(interval) ? interval_of(n, section, interval) : NULL;

	return e != NULL && e->state != IDS_AWAITED;
}

static int
refuse(const struct ev *ev, struct err *e, const char *what, const struct enc_ref *ref,
    const char *why)
{
	return err_line(e, ev->number, "%s %.*s %s", what, (int)ref->text.len, ref->text.p, why);
}

/*
 * Returns an objection to a new id, or NULL.  Ids are unique in a run, but an id of another run may
 * be reused once its region has stopped.
 */
static const char *
against_new(const struct enc_event *v, const struct ids_entry *entry)
{
	if (entry->state == IDS_AWAITED)
		return NULL;
	if (v->role != ROLE_START)
		return "is defined twice";
	return v->scope == SCOPE_REGION && entry->state == IDS_DONE && entry->run != v->run
	    ? NULL
	    : "is started twice";
}

static const char *
against_stop(const struct enc_event *v, const struct ids_entry *entry)
{
	if (entry->state == IDS_AWAITED)
		return "has not been started";
	if (entry->run != v->run)
		return "belongs to another run";
	if (entry->state == IDS_DONE)
		return "is stopped twice";
	return v->time < entry->start ? "stops before it starts" : NULL;
}

/*
 * Checks whether the event is allowed here.  *entry is the region, section or interval that it
 * starts, stops or defines.
 */
static int
event_fits(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v,
    struct ids_entry **entry, struct err *e)
{
	struct enc_native *n = &x->native;
	const char *what = v->scope == SCOPE_REGION ? "region" : "section", *why;
	const struct enc_ref *ref = &v->ref;

	*entry = thing_of(n, v->scope, ref->id);
	if (*entry != NULL && is_there(v->interval.id)) {
		if ((*entry)->state == IDS_AWAITED)
			return refuse(ev, e, what, ref, "has not been defined");
		if ((*entry)->run != v->run)
			return refuse(ev, e, what, ref, "belongs to another run");
		what = "interval";
		ref = &v->interval;
		*entry = interval_of(n, *entry, ref->id);
	}
	if (*entry == NULL)
		return err_nomem(e);
	why = v->role == ROLE_STOP ? against_stop(v, *entry) : against_new(v, *entry);
	return why == NULL ? 0 : refuse(ev, e, what, ref, why);
}

/* Records that the event has been written. */
static void
event_done(const struct enc_event *v, struct ids_entry *entry)
{
	entry->state = v->role == ROLE_START ? IDS_OPEN : IDS_DONE;
	if (v->role == ROLE_STOP)
		return;
	entry->run = (uint32_t)v->run;
	entry->start = v->time;
}

/*
 * Returns whether a reader would assign a processed aggregate with the id to the region or section.
 * If so, no run may use the id from now on.
 */
static bool
owns_processed(struct afperf_encode *x, const struct enc_use *u, enum afperf_scope scope)
{
	struct ids_entry *run;
	uint64_t id;

	if (known(&x->native, scope, u->run, u->ref.id) == NULL ||
	    !enc_id_written(x, scope, &u->ref, &id))
		return false;
	run = ids_get(&x->def.ids.runs, 0, id, false);
	if (run == NULL || (run->state != IDS_AWAITED && run->run != OF_A_THING))
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
	    : err_line(e, ev->number, "extra= has fields that its run's version does not have");
}

/*
 * Returns whether the name consists of blanks only, or would be mistaken for a comment by a reader.
 */
static bool
is_not_record(struct slice name)
{
	size_t i;

	for (i = 0; i < name.len && (name.p[i] == ' ' || name.p[i] == '\t'); i++)
		;
	return i == name.len || name.p[0] == '#';
}

/* Checks whether a record of an unknown type may be written. */
static int
other_fits(struct afperf_encode *x, const struct ev *ev, struct slice record, struct err *e)
{
	struct slice name;
	size_t i;

	x->scratch.len = 0;
	if (!buf_room(&x->scratch, 1) || !text_append(&x->scratch, record, TEXT_FIELD))
		return err_nomem(e);
	name = buf_slice(&x->scratch);
	if (is_not_record(name) || afperf_record_of(name) != AFPERF_RECORDS)
		return err_line(e, ev->number, "record= is not the name of an unknown type");
	for (i = x->def.runs; i > 0 && x->def.run[i - 1].minor == 0; i--)
		;
	return i > 0
	    ? 0
	    : err_line(e, ev->number, "an unknown record without a run of a later version");
}

void
enc_native_free(struct enc_native *n)
{
	ids_free(&n->regions);
	ids_free(&n->sections);
	ids_free(&n->intervals);
	tab_free(&n->labels);
	mem_free(n->regions_open.item);
	mem_free(n->intervals_open.item);
}

void
enc_native_apart(struct afperf_encode *x)
{
	struct enc_above *above = &x->native.above;

	if (above->group)
		above->scope = SCOPE_NONE;
	above->group = above->bare = false;
}

/* Reads an id.  Returns false if the text is not an id. */
static bool
read_ref(struct slice text, struct enc_ref *ref)
{
	struct ids_ref *id = &ref->id;

	*ref = (struct enc_ref){ .text = text };
	if (slice_is_nothing(text))
		return true;
	id->spelling = IDS_DEC;
	if (text.len > 1 && text.p[0] == '@') { /* numbered from 1 */
		id->spelling = IDS_BLANK;
		return num_get_u64((struct slice){ text.p + 1, text.len - 1 }, &id->id) &&
		    id->id != 0;
	}
	if (num_get_u64(text, &id->id))
		return true;
	id->spelling = IDS_HEX;
	return num_get_hex(text, &id->id);
}

static bool
same_ref(struct ids_ref a, struct ids_ref b)
{
	return is_there(a) == is_there(b) && ids_same(a, b);
}

int
enc_no_place(const struct ev *ev, struct err *e)
{
	return err_line(e, ev->number,
	    "its id was blank, and other records have come in between, "
	    "so AFPerf cannot identify it");
}

/*
 * Returns whether the label, which is a region and its tags with a TAB before each, has this
 * region.
 */
static bool
is_label(struct slice label, struct slice region)
{
	return label.len >= region.len && memcmp(label.p, region.p, region.len) == 0 &&
	    (label.len == region.len || label.p[region.len] == '\t');
}

/* Returns the label of the region or section at its start or definition. */
static struct slice
label_of(const struct enc_native *n, const struct ids_entry *thing)
{
	return n->labels.item[thing->origin];
}

/* Keeps the label of a start or definition for later lines. */
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
	if (number >= IDS_ORIGIN_MAX)
		return false;
	thing->origin = (unsigned)number & IDS_ORIGIN_MAX;
	return true;
}

/*
 * Returns the number of the label's tags that cannot be restored: none if they are the tags of its
 * start, otherwise all.
 */
static size_t
other_tags(struct slice label, struct slice region, struct slice own)
{
	struct slice tags = { label.p + region.len, label.len - region.len };
	size_t i, n = 0;

	for (i = 0; !slice_eq(tags, own) && i < own.len; i++)
		n += own.p[i] == '\t';
	return n;
}

/*
 * Returns whether the line has the same subject as the last line.  A defined subject stays defined.
 */
static bool
is_last(const struct enc_last *l, enum afperf_scope scope, const struct enc_use *u)
{
	return l->scope == scope && l->run == u->run && same_ref(l->thing, u->ref.id) &&
	    (scope == SCOPE_REGION || same_ref(l->interval, u->interval.id));
}

/* Finds the region or section of the line, if it can be named in AFPerf. */
static bool
is_of_known(struct enc_native *n, struct enc_use *u, enum afperf_scope scope)
{
	const struct ids_entry *thing;

	if (is_last(&n->last, scope, u))
		return true;
	thing = known(n, scope, u->run, u->ref.id);
	if (thing == NULL ||
	    (scope == SCOPE_SECTION && !is_known_interval(n, thing, u->interval.id)))
		return false;
	n->last = (struct enc_last){ scope, u->run, u->ref.id, u->interval.id, label_of(n, thing) };
	return true;
}

/*
 * Returns whether a processed aggregate has the right label.  An aggregate of a run has none; an
 * aggregate of a region, from afdec --lenient, has the label of the region.
 */
static bool
is_processed_label(struct enc_native *n, const struct enc_use *u, enum afperf_scope scope,
    struct slice run, struct slice region)
{
	const struct ids_entry *thing =
	    u->ref.id.spelling == IDS_BLANK || define_same_id(u->ref.text, run)
	    ? NULL
	    : known(n, scope, u->run, u->ref.id);

	return thing == NULL ? slice_is_nothing(region) : is_label(label_of(n, thing), region);
}

bool
enc_is_native(struct afperf_encode *x, const struct ev *ev, struct enc_use *u,
    enum afperf_scope scope)
{
	struct enc_native *n = &x->native;
	struct slice region = ev->col[EV_REGION];

	if (x->def.measure[u->measure].state.seen != 0 || x->def.measure[u->measure].defined == 0)
		return false;
	if (scope == SCOPE_RUN)
		return slice_is_nothing(region);
	if (scope == SCOPE_GROUP)
		return !slice_is_nothing(u->word.stat);
	if (!read_ref(u->word.id, &u->ref) || !read_ref(u->word.interval, &u->interval))
		return false;
	if (!slice_is_nothing(u->word.stat))
		return is_processed_label(n, u, scope, x->def.run[u->run].name, region);
	if (!is_of_known(n, u, scope) || !is_label(n->last.label, region))
		return false;
	u->word.others += other_tags(n->last.label, region, u->word.own);
	return true;
}

/* Returns whether a reader would resolve both ids correctly if they are blank. */
static bool
is_above(const struct enc_above *above, enum afperf_scope scope, struct ids_ref ref,
    struct ids_ref interval)
{
	if (ref.spelling != IDS_BLANK && interval.spelling != IDS_BLANK)
		return true;
	return above->scope == scope && same_ref(above->thing, ref) &&
	    (interval.spelling != IDS_BLANK || same_ref(above->interval, interval));
}

/*
 * Chooses the id of a processed aggregate: the id of its run (*of_run), a blank id, or the id of a
 * region, which is counted, since the format forbids it.  A blank id that a reader would resolve to
 * a region or another run becomes the id of the run.  Returns false if a blank id cannot be
 * expressed.
 */
static bool
processed_is_told(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum afperf_scope scope, struct enc_ref *ref, bool *of_run)
{
	const struct enc_native *n = &x->native;
	const struct enc_above *above = &n->above;
	const struct define_run *r = &x->def.run[u->run];
	bool there = is_there(ref->id), blank = ref->id.spelling == IDS_BLANK;
	bool runs = blank ? slice_eq(ref->text, ev->col[EV_RUN])
			  : there && define_same_id(ref->text, r->name);
	bool of_block = above->scope == scope && above->blank;

	*of_run = false;
	if (there && !runs) { /* a blank id always means the run */
		bool owns = !blank && owns_processed(x, u, scope);

		x->left.lenient += owns;
		return owns;
	}
	/* a reader assigns the aggregate to the run of the block */
	if (of_block && !above->group && r->blank)
		return there && above->run == u->run;
	if (r->blank) /* a header separates the aggregate from a group */
		return n->run == u->run;
	*of_run = x->opt.processed == AFPERF_RUN_ID || n->run != u->run || of_block ||
	    (there && x->opt.processed == AFPERF_KEEP_ID);
	*ref = (struct enc_ref){ .text = SLICE("") };
	return true;
}

/* Writes a header, which has no meaning among other records. */
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
	if (!slice_is_nothing(u->word.stat) && is_there(u->ref.id) &&
	    u->ref.id.spelling != IDS_BLANK)
		return err_line(e, ev->number,
		    "id= names neither the line's run nor one of that run's regions or sections");
	if (x->opt.number)
		return err_line(e, ev->number,
		    "a processed aggregate of a region whose id was blank cannot have a number");
	return enc_no_place(ev, e);
}

int
enc_native_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum afperf_scope scope, struct err *e)
{
	enum afperf_role role = u->kind == ENC_SAMPLE ? ROLE_POINT : ROLE_AGGREGATE;
	bool processed = !slice_is_nothing(u->word.stat);
	char owner[NUM_MAX], interval[NUM_MAX];
	struct enc_ref ref = u->ref;
	struct enc_record v = { .run = u->run,
		.pair = u,
		.text = { [FIELD_TIME] = u->end,
		    [FIELD_START] = u->start,
		    [FIELD_AGGREGATION] = u->word.stat } };
	bool told, of_run = false;

	if (scope == SCOPE_RUN)
		told = enc_run_is_told(x, u->run);
	else if (processed)
		told = processed_is_told(x, ev, u, scope, &ref, &of_run);
	else
		told = x->opt.number || is_above(&x->native.above, scope, ref.id, u->interval.id);
	if (!told)
		return refuse_data(x, ev, u, e);
	enc_block_close(x);
	if (x->native.above.group && processed && x->def.run[u->run].blank)
		put_header(x);
	if (processed && scope == SCOPE_REGION && ref.id.spelling == IDS_BLANK)
		x->native.above.aggregates = true;
	else
		enc_native_apart(x);
	if (of_run)
		v.text[FIELD_OWNER] = enc_run_id(x, u->run, owner);
	else if (scope != SCOPE_RUN && !enc_owner(x, scope, &ref, owner, &v.text[FIELD_OWNER]))
		return err_nomem(e);
	if (scope == SCOPE_SECTION &&
	    !enc_interval(x, &ref, &u->interval, interval, &v.text[FIELD_INTERVAL]))
		return err_nomem(e);
	enc_put(x, x->record[role][scope], &v);
	if (!enc_put_fields(x, u->word.extra))
		return err_nomem(e);
	enc_end(x);
	return 0;
}

/*
 * Removes the innermost open region or interval, and returns whether it is SELF.  If the section of
 * an interval has an id, only intervals of that section are considered.
 */
static bool
pop(struct ids_stack *s, struct ids_ref self, struct ids_ref section)
{
	struct ids_open *o = ids_innermost(s, section);

	if (o == NULL || !same_ref(o->self, self) || !same_ref(o->section, section))
		return false;
	ids_pop(s, o);
	return true;
}

static int
read_event(struct afperf_encode *x, const struct ev *ev, struct enc_event *v, struct err *e)
{
	struct slice kind = ev->col[EV_KIND], time = ev->col[EV_TIME];
	struct enc_words w;
	bool defines;
	size_t i;

	enc_words_read(ev, &w);
	v->extra = w.extra;
	v->own = w.own;
	v->others = w.others;
	v->scope = afperf_scope_named(w.scope);
	v->role = slice_eq(kind, SLICE("start")) ? ROLE_START
	    : slice_eq(kind, SLICE("stop"))      ? ROLE_STOP
						 : ROLE_DEFINITION;
	defines = v->role == ROLE_DEFINITION;
	if (v->scope != SCOPE_SECTION && (v->scope != SCOPE_REGION || defines))
		return err_line(e, ev->number, "a line of this kind cannot have this scope=");
	if (!read_ref(w.id, &v->ref) || !is_there(v->ref.id) ||
	    !read_ref(w.interval, &v->interval) ||
	    is_there(v->interval.id) != (v->scope == SCOPE_SECTION && !defines))
		return err_line(e, ev->number, "id= or interval= is missing, or is not an id");
	v->run = define_run_named(&x->def, ev->col[EV_RUN]);
	if (v->run == TAB_NONE)
		return err_nomem(e);
	v->time = 0;
	v->time_text = slice_is_nothing(time) ? SLICE("") : time;
	if (v->time_text.len == 0)
		return defines ? 0 : err_line(e, ev->number, "no time");
	if (!define_is_time(time))
		return err_line(e, ev->number, "not a time");
	if (!define_time_in_unit(&x->def.run[v->run], &v->time_text))
		return err_line(e, ev->number,
		    "not a multiple of the run's unit of time, or beyond 64 bits");
	for (i = 0; i < v->time_text.len; i++)
		v->time = v->time * 10 + (unsigned)(v->time_text.p[i] - '0');
	return 0;
}

/* Returns whether a reader would resolve the blank ids correctly.  Records the new state. */
static bool
is_told(struct afperf_encode *x, const struct enc_event *v)
{
	struct enc_native *n = &x->native;
	bool region = v->scope == SCOPE_REGION;
	struct ids_ref none = { 0, IDS_ABSENT };
	struct ids_ref inner = region ? v->ref.id : v->interval.id;

	if (x->opt.number)
		return true;
	if (v->role == ROLE_DEFINITION)
		return enc_run_is_told(x, v->run);
	if (region && v->role == ROLE_START && !enc_run_is_told(x, v->run))
		return false;
	if (v->role == ROLE_STOP && inner.spelling == IDS_BLANK)
		return pop(region ? &n->regions_open : &n->intervals_open, inner,
		    region ? none : v->ref.id);
	return region || v->ref.id.spelling != IDS_BLANK || same_ref(n->section, v->ref.id);
}

static bool
keep_in_mind(struct afperf_encode *x, const struct enc_event *v)
{
	struct enc_native *n = &x->native;
	bool blank = v->ref.id.spelling == IDS_BLANK && !x->opt.number;
	bool start = v->role == ROLE_START;

	n->above = (struct enc_above){ .scope = v->role == ROLE_DEFINITION ? SCOPE_NONE : v->scope,
		.run = v->run,
		.thing = v->ref.id,
		.interval = v->interval.id,
		.blank = blank,
		.bare = start && v->scope == SCOPE_REGION && blank };
	if (n->above.bare) {
		define_time_set(&n->above.start, v->time_text);
		if (!ids_push(&n->regions_open, v->ref.id, (struct ids_ref){ 0, IDS_ABSENT }))
			return false;
	}
	if (start && v->interval.id.spelling == IDS_BLANK && !x->opt.number &&
	    !ids_push(&n->intervals_open, v->interval.id, v->ref.id))
		return false;
	if (start)
		n->last.scope = SCOPE_NONE; /* the id may have belonged to another run */
	if (v->role == ROLE_DEFINITION)
		n->section = v->ref.id;
	return true;
}

/* Collects the tags of the label. */
static bool
label_tags(const struct ev *ev, struct buf *tags)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	bool ok = true;

	while (ok && ev_next_tag(&rest, &tag))
		if (text_cut_tag(&tag.key))
			ok = text_append_tag(tags, tag.key, tag.value);
	return ok;
}

/*
 * Returns whether the record has the label.  The label of an interval is in its section's record.
 */
static bool
has_label(const struct enc_event *v)
{
	return v->role != ROLE_STOP && !is_there(v->interval.id);
}

/*
 * Checks that a stop, or the start of an interval, has the label of its region or section, and
 * counts tags that the label does not have.
 */
static int
check_label(struct afperf_encode *x, const struct ev *ev, struct enc_event *v, struct err *e)
{
	const struct ids_entry *thing;
	struct slice label;

	if (has_label(v))
		return 0;
	thing = known(&x->native, v->scope, v->run, v->ref.id);
	if (thing == NULL)
		return err_nomem(e);
	label = label_of(&x->native, thing);
	if (!is_label(label, ev->col[EV_REGION]))
		return err_line(e, ev->number, "%s %.*s has a different name where it %s",
		    v->scope == SCOPE_SECTION ? "section" : "region", (int)v->ref.text.len,
		    v->ref.text.p, v->scope == SCOPE_SECTION ? "is defined" : "starts");
	v->others += other_tags(label, ev->col[EV_REGION], v->own);
	return 0;
}

/* Writes an event.  Returns false when memory runs out. */
static bool
put_event(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v)
{
	char owner[NUM_MAX], interval[NUM_MAX];
	struct buf tags = { 0 };
	struct enc_record record = { .run = v->run,
		.tags = &tags,
		.text = { [FIELD_TIME] = v->time_text, [FIELD_LABEL] = ev->col[EV_REGION] } };
	bool ok = enc_owner(x, v->scope, &v->ref, owner, &record.text[FIELD_OWNER]) &&
	    (v->scope == SCOPE_REGION ||
		enc_interval(x, &v->ref, &v->interval, interval, &record.text[FIELD_INTERVAL])) &&
	    (!has_label(v) || label_tags(ev, &tags));

	if (ok) {
		enc_put(x, x->record[v->role][v->scope], &record);
		ok = enc_put_fields(x, v->extra) && keep_in_mind(x, v);
		enc_end(x);
	}
	buf_free(&tags);
	return ok;
}

int
enc_native_event(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	const struct enc_above *above = &x->native.above;
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
	rc = event_fits(x, ev, &v, &entry, e);
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
	if (v.role == ROLE_STOP && v.scope == SCOPE_REGION && above->bare && above->aggregates &&
	    slice_eq(v.time_text, define_time_text(&above->start)))
		put_header(x);
	if (has_label(&v) && !keep_label(&x->native, ev, v.own, &x->scratch, entry))
		return err_nomem(e);
	x->left.tags += v.others;
	x->left.tag_lines += v.others != 0;
	x->left.event_values += !slice_is_nothing(ev->col[EV_VALUE]);
	event_done(&v, entry);
	return put_event(x, ev, &v) ? 0 : err_nomem(e);
}

int
enc_other(struct afperf_encode *x, const struct ev *ev, struct slice record, struct err *e)
{
	struct slice fields = { NULL, 0 };
	int rc = other_fits(x, ev, record, e);

	if (rc != 0)
		return rc;
	enc_block_close(x);
	enc_native_apart(x);
	text_put(x->to, &x->scratch, record);
	(void)ev_tag(ev, SLICE("fields"), &fields);
	if (!enc_put_fields(x, fields))
		return err_nomem(e);
	enc_end(x);
	return 0;
}

int
enc_comment(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct buf *b = &x->scratch;

	b->len = 0;
	if (!buf_room(b, 1) || !text_append(b, ev->col[EV_VALUE], TEXT_FIELD))
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
