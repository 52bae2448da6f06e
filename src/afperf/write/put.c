/* SPDX-License-Identifier: ISC */
/*
 * put.c - writes records: their fields, according to the table of record types, and their ids; the
 * records RunInfo and MeasurementType; the spool, in which records wait until all runs and measures
 * are known.
 *
 * Most ids are unchanged.  If blank ids become numbers, or the container already has ids, a table
 * maps each id to its new one: the same number if that is not in use, or the next free number.
 *
 * Definitions are written at the end, before the records that have waited.  So waiting records must
 * not refer to the last RunInfo, because it is not yet known which one that will be.  But a run
 * without an id cannot be referred to in any other way.  Its RunInfo and its types are pinned: a
 * token in the spool marks the place of each, and the record is made when the spool is copied.  If
 * such a run is the last before the spool, all other definitions are pinned, too.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/csv.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "src/afperf/text.h"
#include "src/afperf/wall.h"
#include "src/afperf/write/encint.h"

#define CHUNK ((size_t)128 * 1024)

/*
 * A token takes the place of anything that is not yet known in the spool: the id of a run or of a
 * type, or the record of either without its end.  It begins with a NUL, which no record has,
 * followed by its kind and the index in the byte order of the machine.
 */
enum token { TOKEN_RUN = 'r', TOKEN_MEASURE = 'm', TOKEN_RUN_INFO = 'R', TOKEN_TYPE = 'M' };
#define TOKEN_SIZE (2 + sizeof(uint32_t))

static struct slice
make_token(char *room, enum token token, size_t index)
{
	uint32_t number = (uint32_t)index; /* a table of names (lib/tab.h) has fewer */

	room[0] = '\0';
	room[1] = (char)token;
	memcpy(room + 2, &number, sizeof number);
	return (struct slice){ room, TOKEN_SIZE };
}

/* Each field writes the comma before it. */

/* Writes digits or one of our own names, which need no quotes. */
static inline void
put_raw(struct afperf_encode *x, struct slice s)
{
	char *p = out_room(x->to, s.len + 1);

	if (p == NULL)
		return;
	*p = ',';
	short_copy(p + 1, s.p, s.len);
	out_commit(x->to, s.len + 1);
}

static void
put_text(struct afperf_encode *x, struct slice text)
{
	put_raw(x, SLICE(""));
	text_put(x->to, &x->scratch, text);
}

static void
put_tags(struct afperf_encode *x, const struct buf *tags)
{
	put_raw(x, SLICE(""));
	if (tags != NULL)
		csv_field_put(x->to, tags->p, tags->len);
}

/* Writes the id of a run or a type. */
static inline void
put_settled(struct afperf_encode *x, struct slice id, enum token token, size_t index)
{
	char room[TOKEN_SIZE];

	put_raw(x, x->spooling ? make_token(room, token, index) : id);
}

/* Writes the pair of type id and value that ends a point or an aggregate. */
static inline void
put_pair(struct afperf_encode *x, const struct enc_use *u)
{
	put_settled(x, x->def.measure[u->measure].id, TOKEN_MEASURE, u->measure);
	if (u->number)
		put_raw(x, u->value);
	else if (u->value.len == 0)
		put_raw(x, SLICE("\"\"")); /* an empty value, not a missing one */
	else
		put_text(x, u->value);
}

struct slice
enc_run_id(const struct afperf_encode *x, size_t run, char *room)
{
	return x->spooling ? make_token(room, TOKEN_RUN, run) : x->def.run[run].id;
}

/*
 * Writes the name of a record and the times and ids that follow, which most records begin with.
 * Returns the next field.
 */
static inline const uint8_t *
put_head(struct afperf_encode *x, enum afperf_record record, const struct slice *text)
{
	const uint8_t *field = afperf_layouts[record].field;
	struct slice name = x->name[record];
	char *start = out_room(x->to,
	    name.len + text[FIELD_TIME].len + text[FIELD_START].len + text[FIELD_OWNER].len +
		text[FIELD_INTERVAL].len + FIELD_INTERVAL);
	char *p = start;

	if (p == NULL)
		return field;
	p = short_copy(p, name.p, name.len);
	for (; *field != FIELD_NONE && *field <= FIELD_INTERVAL; field++) {
		*p = ',';
		p = short_copy(p + 1, text[*field].p, text[*field].len);
	}
	out_commit(x->to, (size_t)(p - start));
	return field;
}

/*
 * Writes a record.  TEXT has an element for each field of the record, and is blank where it is not
 * set.
 */
static inline void
put_record(struct afperf_encode *x, enum afperf_record record, const struct enc_record *v,
    const struct slice *text)
{
	const uint8_t *field = put_head(x, record, text);

	for (; *field != FIELD_NONE; field++) {
		if (*field <= FIELD_INTERVAL || *field >= FIELD_TYPE)
			put_raw(x, text[*field]);
		else if (*field == FIELD_RUN)
			put_settled(x, x->def.run[v->run].id, TOKEN_RUN, v->run);
		else if (*field == FIELD_PAIRS)
			put_pair(x, v->pair);
		else if (*field == FIELD_TAGS)
			put_tags(x, v->tags);
		else
			put_text(x, text[*field]);
	}
}

void
enc_put(struct afperf_encode *x, enum afperf_record record, const struct enc_record *v)
{
	put_record(x, record, v, v->text);
}

bool
enc_put_fields(struct afperf_encode *x, struct slice list)
{
	struct slice element;
	bool ok = true;

	while (ok && ev_next_element(&list, &element)) {
		x->scratch.len = 0;
		ok = text_append(&x->scratch, element, TEXT_FIELD);
		put_raw(x, SLICE(""));
		csv_field_put(x->to, x->scratch.p, x->scratch.len);
	}
	return ok;
}

struct slice
enc_number(const struct afperf_encode *x, uint64_t v, char *room)
{
	return (struct slice){ room,
		x->opt.spelling == AFPERF_HEX ? num_put_hex(room, v) : num_put_u64(room, v) };
}

bool
enc_id_free(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, uint64_t *id)
{
	const struct ids_entry *run = NULL; /* an interval may have the id of a run */
	struct ids_entry *e;

	do {
		*id = ++t->next;
		e = ids_get(&t->taken, owner, *id, false);
		if (t != &x->ids.interval &&
		    (run = ids_get(&x->def.ids.runs, 0, *id, false)) == NULL)
			return false;
	} while (
	    e != NULL && (e->state != IDS_AWAITED || (run != NULL && run->state != IDS_AWAITED)));
	if (e != NULL)
		e->state = IDS_DONE;
	return e != NULL;
}

/*
 * Finds the new id for an id that may have to be replaced.  owner is the section of an interval,
 * otherwise 0.
 */
static bool
new_id(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, const struct enc_ref *ref,
    uint64_t *id)
{
	bool blank = ref->id.spelling == IDS_BLANK;
	struct ids_entry *e = ids_get(t->seen, owner, ref->id.id, blank), *taken;

	if (e == NULL)
		return false;
	if (e->detail != IDS_NONE) {
		*id = ids_at(&t->taken, e->detail)->id;
		return true;
	}
	taken = ids_get(&t->taken, owner, ref->id.id, false);
	if (taken == NULL)
		return false;
	if (taken->state == IDS_OPEN && !blank && !x->opt.renumber) {
		x->ids.clash = *ref;
		x->ids.clash_of = t == &x->ids.region ? "region" : "section";
	} else if (taken->state != IDS_AWAITED) {
		x->ids.renumbered += !blank;
		if (!enc_id_free(x, t, owner, id) ||
		    (taken = ids_get(&t->taken, owner, *id, false)) == NULL)
			return false;
	} else {
		taken->state = IDS_DONE;
	}
	e->detail = ids_number(&t->taken, taken);
	*id = taken->id;
	return true;
}

/* Sets *text to the id as it is written, which is empty if blank. */
static bool
id_text(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, const struct enc_ref *ref,
    char *room, struct slice *text)
{
	bool blank = ref->id.spelling == IDS_BLANK, hex = x->opt.spelling == AFPERF_HEX;
	uint64_t id = ref->id.id;

	*text = SLICE("");
	if (ref->id.spelling == IDS_ABSENT || (blank && !x->opt.number))
		return true;
	*text = ref->text;
	if (!x->ids.maps && x->opt.spelling == AFPERF_AS_IT_IS)
		return true;
	if (x->ids.maps && (x->opt.number || t != &x->ids.interval) &&
	    !new_id(x, t, owner, ref, &id))
		return false;
	if (x->opt.spelling == AFPERF_AS_IT_IS) {
		if (!blank && id == ref->id.id)
			return true;
		hex = ref->id.spelling == IDS_HEX;
	}
	*text = (struct slice){ room, hex ? num_put_hex(room, id) : num_put_u64(room, id) };
	return true;
}

bool
enc_id_written(struct afperf_encode *x, enum afperf_scope scope, const struct enc_ref *ref,
    uint64_t *id)
{
	*id = ref->id.id;
	return !x->ids.maps ||
	    new_id(x, scope == SCOPE_REGION ? &x->ids.region : &x->ids.section, 0, ref, id);
}

bool
enc_owner(struct afperf_encode *x, enum afperf_scope scope, const struct enc_ref *ref, char *room,
    struct slice *text)
{
	return id_text(x, scope == SCOPE_REGION ? &x->ids.region : &x->ids.section, 0, ref, room,
	    text);
}

bool
enc_interval(struct afperf_encode *x, const struct enc_ref *section, const struct enc_ref *interval,
    char *room, struct slice *text)
{
	struct ids *seen = x->ids.section.seen;
	const struct ids_entry *e = NULL;

	if (x->opt.number && interval->id.spelling != IDS_ABSENT) {
		e = ids_get(seen, 0, section->id.id, section->id.spelling == IDS_BLANK);
		if (e == NULL)
			return false;
	}
	return id_text(x, &x->ids.interval, e == NULL ? 0 : ids_number(seen, e), interval, room,
	    text);
}

static bool
is_wall(struct slice s)
{
	struct wall w;
	double v;

	return num_get_double(s, &v) && wall_read(s, &w);
}

/* Returns whether RunInfo has a field for the tag, or the tag is written elsewhere. */
static bool
has_field(const struct ev_tag *tag)
{
	if (slice_eq(tag->key, SLICE("wall")))
		return is_wall(tag->value);
	return slice_eq(tag->key, SLICE("unit")) || slice_eq(tag->key, SLICE("app")) ||
	    slice_eq(tag->key, SLICE("version")) || slice_eq(tag->key, SLICE("afperf")) ||
	    slice_eq(tag->key, SLICE("extra")) || slice_eq(tag->key, SLICE("utc"));
}

/* Appends a tag with the ids of the other runs, which shows the runs that were pooled. */
static bool
name_pooled(struct afperf_encode *x, size_t pool, struct buf *tags)
{
	struct buf ids = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < x->def.runs; i++) {
		if (i == pool)
			continue;
		ok = define_settle_run(&x->def, i) && (ids.len == 0 || buf_putc(&ids, ' ')) &&
		    buf_put(&ids, x->def.run[i].id.p, x->def.run[i].id.len);
	}
	ok = ok && (ids.len == 0 || text_append_tag(tags, SLICE("pooled"), buf_slice(&ids))) &&
	    (x->def.run[pool].declared ||
		text_append_tag(tags, SLICE(AFPERF_MARK), SLICE(AFPERF_MARK_POOL)));
	buf_free(&ids);
	return ok;
}

static bool
run_tags(struct afperf_encode *x, size_t run, struct buf *tags)
{
	const struct define_run *r = &x->def.run[run];
	struct slice rest = r->tags;
	struct ev_tag tag;
	uint64_t n;
	bool ok = true;

	if (slice_is_nothing(r->name))
		ok = name_pooled(x, run, tags);
	else if (r->renumbered ||
	    (!define_is_id(r->name) && !r->blank && !(r->native && define_is_blank(r->name, &n))))
		ok = text_append_tag(tags, SLICE("run"), r->name);
	while (ok && ev_next_tag(&rest, &tag))
		if (!has_field(&tag)) {
			(void)text_cut_tag(&tag.key);
			ok = text_append_tag(tags, tag.key, tag.value);
		}
	return ok;
}

/* Writes the fields that AFPerf 1.0.0 does not have, from the tags of a line. */
static bool
line_extra(struct afperf_encode *x, struct slice tags)
{
	struct slice list;

	return !ev_tag_in(tags, SLICE("extra"), &list) || enc_put_fields(x, list);
}

/* Returns the start of a run, or 0 if it is not known. */
static struct slice
start_of(const struct define_run *r)
{
	return r->start.len == 0 ? SLICE("0") : define_time_text(&r->start);
}

/* Writes a token in place of a record. */
static void
put_pin(struct afperf_encode *x, enum token token, size_t index)
{
	char room[TOKEN_SIZE];

	out_put(x->to, make_token(room, token, index).p, TOKEN_SIZE);
}

static struct slice
tag_of(const struct define_run *r, struct slice key)
{
	struct slice value;

	return ev_tag_in(r->tags, key, &value) ? value : SLICE(".");
}

/* Writes the record of a run without its extra fields and without its end. */
static bool
put_run_info(struct afperf_encode *x, size_t run)
{
	struct define_run *r = &x->def.run[run];
	struct slice wall = tag_of(r, SLICE("wall"));
	struct buf tags = { 0 };
	bool ok = define_settle_run(&x->def, run) && run_tags(x, run, &tags);

	if (ok) {
		struct enc_record v = { .run = run, .tags = &tags };
		struct slice text[AFPERF_FIELDS] = {
			[FIELD_TIME] = start_of(r),
			[FIELD_TIME_UNIT] = r->unit->word,
			[FIELD_WALL] = is_wall(wall) ? wall : SLICE(""),
			[FIELD_VERSION] =
			    r->native ? tag_of(r, SLICE("afperf")) : SLICE(AFPERF_FORMAT_VERSION),
			[FIELD_APP] = tag_of(r, SLICE("app")),
			[FIELD_APP_VERSION] = tag_of(r, SLICE("version")),
		};

		put_record(x, AFPERF_RUN_INFO, &v, text);
	}
	buf_free(&tags);
	return ok;
}

/*
 * Keeps a definition out of a group, which must not be interrupted.  An interval may be
 * interrupted, since its records contain its id.
 */
static void
stand_apart(struct afperf_encode *x)
{
	if (x->block.kind == ENC_GROUP)
		enc_block_close(x);
	enc_native_apart(x);
}

bool
enc_run_here(struct afperf_encode *x, size_t run)
{
	struct define_run *r = &x->def.run[run];
	bool ok = true;

	stand_apart(x);
	if (x->spooling)
		put_pin(x, TOKEN_RUN_INFO, run);
	else
		ok = put_run_info(x, run);
	ok = ok && (r->minor == 0 || line_extra(x, r->tags));
	enc_end(x);
	r->written = true;
	x->native.run = run;
	x->native.above.scope = SCOPE_NONE;
	return ok;
}

/* Writes the record of a type without its extra fields and without its end. */
static bool
put_measurement_type(struct afperf_encode *x, size_t measure)
{
	struct define_measure *m = &x->def.measure[measure];
	bool ok = define_settle_measure(&x->def, measure);
	struct enc_record v = { .run = m->run };
	struct slice text[AFPERF_FIELDS] = {
		[FIELD_TIME] = slice_is_nothing(m->time) ? start_of(&x->def.run[m->run]) : m->time,
		[FIELD_TYPE] = m->id,
		[FIELD_NAME] = m->name,
		[FIELD_DATATYPE] = afperf_datatype_name(define_measure_type(m)),
		[FIELD_UNITS] = define_measure_unit(&x->def, m),
		[FIELD_SUMMARY] = m->summary,
		[FIELD_DESCRIPTION] = m->description,
	};

	if (ok)
		put_record(x, AFPERF_MEASUREMENT_TYPE, &v, text);
	return ok;
}

bool
enc_measure_here(struct afperf_encode *x, size_t measure, const struct ev *line)
{
	struct define_measure *m = &x->def.measure[measure];
	bool ok = true;

	stand_apart(x);
	m->state.pinned = x->spooling;
	if (x->spooling)
		put_pin(x, TOKEN_TYPE, measure);
	else
		ok = put_measurement_type(x, measure);
	ok = ok && (line == NULL || x->def.run[m->run].minor == 0 || line_extra(x, line->tags)) &&
	    define_put_in_force(&x->def, measure);
	enc_end(x);
	m->state.written = true;
	m->state.superseded = false;
	return ok;
}

/*
 * Returns whether the record can no longer change.  The start of a run is known once its line has
 * been read, and the id of the pool once all runs are known.
 */
static bool
run_is_final(const struct afperf_encode *x, const struct define_run *r)
{
	return x->ending || (r->timed && !slice_is_nothing(r->name));
}

/*
 * Returns whether a record has to be written now.  If no line gives a datatype, the values
 * determine it.
 */
static bool
needs_record(const struct afperf_encode *x, const struct define_measure *m)
{
	if (x->ending && m->state.ahead)
		return true;
	return !m->state.written && (x->ending || (m->defined != 0 && m->type != AFPERF_DATATYPES));
}

/* Writes the records of all measures of a run, in the order in which they came. */
static bool
types_of(struct afperf_encode *x, const struct define_run *r)
{
	size_t i;

	for (i = r->measures.first; i != TAB_NONE; i = x->def.measure[i].next_in_run)
		if (needs_record(x, &x->def.measure[i]) && !enc_measure_here(x, i, NULL))
			return false;
	return true;
}

/*
 * Writes a run and its measures, at the end.  Runs without an id are written where their lines are.
 */
static bool
all_of(struct afperf_encode *x, size_t run)
{
	const struct define_run *r = &x->def.run[run];

	return r->blank || ((r->written || enc_run_here(x, run)) && types_of(x, r));
}

/* Writes a run or measure that has come since the last call. */
static bool
one_of(struct afperf_encode *x, const struct enc_waiting *w)
{
	const struct define_run *r = &x->def.run[w->run];

	if (r->blank || (!r->written && !run_is_final(x, r)))
		return true;
	if (!r->written) /* this includes measures that came before the run */
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

bool
enc_is_defined(struct afperf_encode *x, size_t run, size_t measure, bool *defined)
{
	*defined = x->spooling;
	if (x->spooling)
		return true;
	if (x->nwaiting != 0 && !enc_definitions(x))
		return false;
	*defined = x->def.run[run].written &&
	    (measure == TAB_NONE || x->def.measure[measure].state.written);
	return true;
}

int
enc_spool_begin(struct afperf_encode *x, struct err *e)
{
	struct enc_native *n = &x->native;
	int rc;

	if (x->spooling)
		return 0;
	rc = spool_open(&x->spool, e);
	if (rc != 0)
		return rc;
	enc_block_close(x);
	enc_native_apart(x);
	n->above.scope = SCOPE_NONE;
	x->pinning = n->run != TAB_NONE && x->def.run[n->run].blank;
	if (!x->pinning)
		n->run = TAB_NONE;
	x->spooling = true;
	x->to = &x->spool.out;
	return 0;
}

bool
enc_spool_define(struct afperf_encode *x, size_t run, size_t measure)
{
	const struct define_run *r = &x->def.run[run];
	struct define_measure *m;

	if (x->pinning && !r->written && !enc_run_here(x, run))
		return false;
	if (measure == TAB_NONE)
		return true;
	m = &x->def.measure[measure];
	if (!m->state.written && !x->pinning && !r->blank)
		m->state.written = m->state.ahead = true;
	/* a record that has been written is too narrow once values have widened its type */
	if (m->state.written && (m->state.pinned || m->state.ahead || m->state.seen == 0))
		return true;
	return enc_measure_here(x, measure, NULL);
}

/* Settles all ids in the order of the runs, so ids do not depend on which records were pinned. */
static bool
settle_all(struct afperf_encode *x)
{
	size_t i, m;

	for (i = 0; i < x->def.runs; i++) {
		if (!define_settle_run(&x->def, i))
			return false;
		for (m = x->def.run[i].measures.first; m != TAB_NONE;
		     m = x->def.measure[m].next_in_run)
			if (!define_settle_measure(&x->def, m))
				return false;
	}
	return true;
}

/*
 * Writes the n bytes before a token, and the id or record that the token represents.  Returns false
 * when memory runs out.
 */
static inline bool
settle_token(struct afperf_encode *x, const char *before, size_t n, const char *token)
{
	struct slice id = SLICE("");
	uint32_t index;
	char *p, *end;

	memcpy(&index, token + 2, sizeof index);
	if (token[1] == TOKEN_RUN)
		id = x->def.run[index].id;
	else if (token[1] == TOKEN_MEASURE)
		id = x->def.measure[index].id;
	p = out_room(x->out, n + id.len);
	if (p == NULL)
		return false;
	end = short_copy(short_copy(p, before, n), id.p, id.len);
	out_commit(x->out, (size_t)(end - p));
	if (token[1] == TOKEN_RUN_INFO)
		return put_run_info(x, index);
	return token[1] != TOKEN_TYPE || put_measurement_type(x, index);
}

/*
 * Copies the bytes of a chunk and replaces whole tokens.  *used is the number of bytes used.
 * Returns false when memory runs out.
 */
static bool
copy_chunk(struct afperf_encode *x, const char *p, size_t n, size_t *used)
{
	const char *at = p, *end = p + n, *nul;
	bool ok = true;

	while (ok && at < end) {
		nul = memchr(at, '\0', (size_t)(end - at));
		if (nul == NULL || (size_t)(end - nul) < TOKEN_SIZE) {
			nul = nul == NULL ? end : nul;
			out_put(x->out, at, (size_t)(nul - at));
			at = nul;
			break;
		}
		ok = settle_token(x, at, (size_t)(nul - at), nul);
		at = nul + TOKEN_SIZE;
	}
	*used = (size_t)(at - p);
	return ok;
}

/* Copies the spool to the output. */
static int
copy_spool(struct afperf_encode *x, struct err *e)
{
	char *chunk = mem_alloc(CHUNK);
	size_t kept = 0, got, used;
	int rc = chunk == NULL ? err_nomem(e) : spool_rewind(&x->spool, e);

	while (rc == 0 && x->out->error == 0) {
		rc = spool_read(&x->spool, chunk + kept, CHUNK - kept, &got, e);
		if (rc != 0 || got == 0)
			break;
		if (!copy_chunk(x, chunk, kept + got, &used))
			rc = err_nomem(e);
		kept = kept + got - used;
		memmove(chunk, chunk + used, kept);
	}
	mem_free(chunk);
	return rc;
}

int
enc_spool_end(struct afperf_encode *x, struct err *e)
{
	bool spooled = x->spooling;
	int rc = 0;

	x->to = x->out;
	x->spooling = false;
	x->ending = true;
	if (!define_inherit(&x->def) || !settle_all(x) || (!x->pinning && !enc_definitions(x)))
		return err_nomem(e);
	if (spooled)
		rc = copy_spool(x, e);
	return rc == 0 && x->pinning && !enc_definitions(x) ? err_nomem(e) : rc;
}
