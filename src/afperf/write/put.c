/* SPDX-License-Identifier: ISC */
/*
 * put.c - the records: fields, ids, RunInfo and MeasurementType, and the spool.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/csv.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "src/afperf/write/encint.h"
#include "src/afperf/text.h"
#include "src/afperf/wall.h"

bool
enc_id_free(struct enc_ids *t, uint32_t owner, uint64_t *id)
{
	struct ids_entry *e;

	do {
		*id = ++t->next;
		e = ids_get(&t->taken, owner, *id, false);
	} while (e != NULL && e->state != IDS_AWAITED);
	if (e != NULL)
		e->state = IDS_DONE;
	return e != NULL;
}

bool
enc_id_owner(struct afperf_encode *x, const struct enc_ref *section, uint32_t *owner)
{
	const struct ids_entry *e;

	*owner = 0;
	if (!x->opt.number)
		return true;
	e = ids_get(x->section_ids.seen, 0, section->id, section->blank);
	if (e == NULL)
		return false;
	*owner = ids_number(x->section_ids.seen, e);
	return true;
}

bool
enc_id_settle(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, const struct enc_ref *ref)
{
	struct ids_entry *e, *taken;
	uint64_t id;

	if (!x->maps || !ref->there || (ref->blank && !x->opt.number))
		return true;
	if (t == &x->interval_ids && !x->opt.number)
		return true;
	e = ids_get(t->seen, owner, ref->id, ref->blank);
	if (e == NULL || e->detail != IDS_NONE)
		return e != NULL;
	taken = ids_get(&t->taken, owner, ref->id, false);
	if (taken == NULL)
		return false;
	e->detail = ids_number(&t->taken, taken);
	if (taken->state == IDS_AWAITED) {
		taken->state = IDS_DONE;
		return true;
	}
	if (taken->state == IDS_OPEN && !ref->blank && !x->opt.renumber) {
		x->clash = *ref;
		x->clash_of = t == &x->region_ids ? "region" : "section";
		return true;
	}
	x->renumbered += !ref->blank;
	if (!enc_id_free(t, owner, &id) || (taken = ids_get(&t->taken, owner, id, false)) == NULL)
		return false;
	e->detail = ids_number(&t->taken, taken);
	return true;
}

void
enc_id_put(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, const struct enc_ref *ref)
{
	bool mapped = x->maps && (x->opt.number || t != &x->interval_ids);
	bool hex = x->opt.spelling == AFPERF_HEX;
	const struct ids_entry *e;
	char text[NUM_MAX];
	uint64_t id = ref->id;

	if (!ref->there || (ref->blank && !x->opt.number)) {
		enc_blank(x);
		return;
	}
	if (mapped && (e = ids_get(t->seen, owner, ref->id, ref->blank)) != NULL &&
	    e->detail != IDS_NONE)
		id = ids_at(&t->taken, e->detail)->id;
	if (x->opt.spelling == AFPERF_AS_IT_IS) {
		if (!ref->blank && id == ref->id) {
			enc_raw(x, ref->text);
			return;
		}
		hex = !ref->blank && ref->text.len > 1 && ref->text.p[1] == 'x';
	}
	enc_raw(x, (struct slice){ text, hex ? num_put_hex(text, id) : num_put_u64(text, id) });
}

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
	struct wall w;
	double v;

	return num_get_double(s, &v) && wall_read(s, &w);
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
		ok = define_settle_run(&x->def, i) && (ids.len == 0 || buf_putc(&ids, ' ')) &&
		    buf_put(&ids, x->def.run[i].id.p, x->def.run[i].id.len);
	}
	ok = ok && (ids.len == 0 || afperf_tag(tags, SLICE("pooled"), buf_slice(&ids)));
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
		ok = afperf_tag(tags, SLICE("run"), r->name);
	while (ok && ev_next_tag(&rest, &tag))
		if (!has_field(&tag))
			ok = afperf_tag(tags, cut_prefix(tag.key), tag.value);
	return ok;
}

static struct slice
time_unit(const struct define_run *r)
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
	struct define_run *r = &x->def.run[run];
	struct ev ev = { .tags = r->tags };
	struct slice wall = ev_get(&ev, SLICE("wall"));
	struct buf tags = { 0 };
	bool ok = define_settle_run(&x->def, run) && run_tags(x, run, &tags);

	if (ok) {
		enc_begin(x, AFPERF_RUN_INFO);
		enc_raw(x, r->start.len == 0 ? SLICE("0") : define_time_text(&r->start));
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
	struct define_run *r = &x->def.run[run];
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
	struct define_measure *m = &x->def.measure[measure];
	const struct define_time *start = &x->def.run[m->run].start;

	if (!define_settle_measure(&x->def, measure))
		return false;
	enc_begin(x, AFPERF_MEASUREMENT_TYPE);
	if (!slice_is_nothing(m->time))
		enc_raw(x, m->time);
	else
		enc_raw(x, start->len == 0 ? SLICE("0") : define_time_text(start));
	enc_run_id(x, m->run);
	enc_raw(x, m->id);
	enc_text(x, m->name);
	enc_raw(x, afperf_datatype_name(define_measure_type(m)));
	enc_text(x, define_measure_unit(m));
	enc_text(x, m->summary);
	enc_text(x, m->description);
	return true;
}

bool
enc_measure_here(struct afperf_encode *x, size_t measure, const struct ev *line)
{
	struct define_measure *m = &x->def.measure[measure];
	bool ok = true;

	stand_apart(x);
	m->pinned = x->spooling;
	if (x->spooling)
		enc_put_token(x, ENC_TOKEN_TYPE, measure);
	else
		ok = enc_measurement_type(x, measure);
	ok = ok && (line == NULL || x->def.run[m->run].minor == 0 || line_extra(x, line)) &&
	    define_put_in_force(&x->def, measure);
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
run_is_final(const struct afperf_encode *x, const struct define_run *r)
{
	return x->ending || (r->timed && !slice_is_nothing(r->name));
}

/* A datatype that no line gives is that of the values. */
static bool
needs_record(const struct afperf_encode *x, const struct define_measure *m)
{
	if (x->ending && m->ahead)
		return true;
	return !m->written && (x->ending || (m->defined != 0 && m->type != AFPERF_DATATYPES));
}

/* The records of all its measures, as they came. */
static bool
types_of(struct afperf_encode *x, const struct define_run *r)
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
	const struct define_run *r = &x->def.run[run];

	return r->blank || ((r->written || enc_run_here(x, run)) && types_of(x, r));
}

/* Writes one that has come since the last call. */
static bool
one_of(struct afperf_encode *x, const struct enc_waiting *w)
{
	const struct define_run *r = &x->def.run[w->run];

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

#define CHUNK ((size_t)128 * 1024)

/*
 * A token begins with a NUL, which no record has; its kind follows, and the index in the machine's
 * own layout.
 */
#define TOKEN_SIZE (2 + sizeof(size_t))

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
	n->block = ENC_NO_SCOPE;
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
	if (!m->written && !x->pinning && !r->blank)
		m->written = m->ahead = true;
	/* a record already written is too narrow once values have widened its type */
	if (m->written && (m->pinned || m->ahead || m->seen == 0))
		return true;
	return enc_measure_here(x, measure, NULL);
}

/* In the order of the runs, so that ids do not depend on what was pinned. */
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

void
enc_put_token(struct afperf_encode *x, enum enc_token token, size_t index)
{
	char text[TOKEN_SIZE] = { '\0', (char)token };

	memcpy(text + 2, &index, sizeof index);
	out_put(&x->spool.out, text, sizeof text);
}

/* Writes what the token stands for.  False without memory. */
static bool
settle_token(struct afperf_encode *x, enum enc_token token, size_t index)
{
	struct slice id;

	if (token == ENC_TOKEN_RUN_INFO)
		return enc_run_info(x, index);
	if (token == ENC_TOKEN_TYPE)
		return enc_measurement_type(x, index);
	id = token == ENC_TOKEN_RUN ? x->def.run[index].id : x->def.measure[index].id;
	out_put(x->out, id.p, id.len);
	return true;
}

/* Copies whole tokens and the bytes between; *used: how much of p.  False without memory. */
static bool
copy_chunk(struct afperf_encode *x, const char *p, size_t n, size_t *used)
{
	size_t index;
	bool ok = true;

	*used = 0;
	while (ok && *used < n) {
		const char *nul = memchr(p + *used, '\0', n - *used);
		size_t run = nul == NULL ? n - *used : (size_t)(nul - (p + *used));

		out_put(x->out, p + *used, run);
		*used += run;
		if (nul == NULL || n - *used < TOKEN_SIZE)
			break;
		memcpy(&index, nul + 2, sizeof index);
		ok = settle_token(x, (enum enc_token)nul[1], index);
		*used += TOKEN_SIZE;
	}
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
