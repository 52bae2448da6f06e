/* SPDX-License-Identifier: ISC */
/* settle.c - the ids, datatypes and units that AFPerf will give to runs and measures. */
#include <xxhash.h>

#include "lib/num.h"
#include "src/afperf/define.h"

bool
afperf_is_id(struct slice s)
{
	uint64_t v;

	return num_get_u64(s, &v) || num_get_hex(s, &v);
}

static bool
keep_id(struct afperf_define *d, uint64_t hash, struct slice *id)
{
	char text[NUM_MAX];

	*id = (struct slice){ text, num_put_hex(text, hash) };
	return afperf_define_keep(d, id);
}

/* The pool's id is made of the names that it pools, in whatever order these came. */
static bool
settle_pool(struct afperf_define *d, struct afperf_run *pool)
{
	uint64_t hash = XXH64(pool->name.p, pool->name.len, 0);
	size_t i;

	for (i = 0; i < d->runs; i++)
		if (&d->run[i] != pool)
			hash ^= XXH64(d->run[i].name.p, d->run[i].name.len, 1);
	return keep_id(d, hash, &pool->id);
}

bool
afperf_same_id(struct slice a, struct slice b)
{
	uint64_t x, y;

	return (num_get_u64(a, &x) || num_get_hex(a, &x)) &&
	    (num_get_u64(b, &y) || num_get_hex(b, &y)) && x == y;
}

static bool
run_id_is_taken(const struct afperf_define *d, struct slice id)
{
	size_t i;

	for (i = 0; i < d->runs; i++)
		if (afperf_same_id(d->run[i].id, id))
			return true;
	return false;
}

bool
afperf_settle_run(struct afperf_define *d, size_t run)
{
	struct afperf_run *r = &d->run[run];

	if (r->id.len != 0 || r->blank)
		return true;
	if (slice_is_nothing(r->name))
		return settle_pool(d, r);
	if (afperf_is_id(r->name) && !run_id_is_taken(d, r->name)) {
		r->id = r->name;
		return true;
	}
	return keep_id(d, XXH64(r->name.p, r->name.len, 0), &r->id);
}

static bool
id_is_taken(const struct afperf_define *d, size_t run, struct slice id)
{
	size_t i;

	for (i = 0; i < d->measures; i++)
		if (d->measure[i].run == run && afperf_same_id(d->measure[i].id, id))
			return true;
	return false;
}

bool
afperf_settle_measure(struct afperf_define *d, size_t measure)
{
	struct afperf_measure *m = &d->measure[measure];
	struct slice run = d->run[m->run].name;
	uint64_t hash;
	struct slice id;

	if (m->id.len != 0)
		return true;
	/* a measure line may redefine a type whose data have been written; nothing else may */
	if (afperf_is_id(m->source_id) && (m->in_place || !id_is_taken(d, m->run, m->source_id))) {
		m->id = m->source_id;
		return true;
	}
	hash = XXH64(m->name.p, m->name.len, XXH64(run.p, run.len, 0));
	do {
		if (!keep_id(d, hash++, &id))
			return false;
	} while (id_is_taken(d, m->run, id));
	m->id = id;
	return true;
}

/* What all lines that define a measure of that name agree on, as if the pool had said it. */
static void
inherit(const struct afperf_define *d, struct afperf_measure *m)
{
	const struct afperf_measure *from = NULL;
	size_t i;

	for (i = 0; i < d->measures; i++) {
		const struct afperf_measure *other = &d->measure[i];

		if (other->defined == 0 || !slice_eq(other->name, m->name))
			continue;
		if (from != NULL &&
		    (!slice_eq(from->unit, other->unit) || from->type != other->type))
			return;
		from = other;
	}
	if (from == NULL)
		return;
	m->type = m->type == AFPERF_DATATYPES ? from->type : m->type;
	m->unit = slice_is_nothing(m->unit) ? from->unit : m->unit;
	m->summary = from->summary;
	m->description = from->description;
}

void
afperf_inherit(struct afperf_define *d)
{
	size_t i;

	for (i = 0; i < d->measures; i++)
		if (d->measure[i].defined == 0 && slice_is_nothing(d->run[d->measure[i].run].name))
			inherit(d, &d->measure[i]);
}

bool
afperf_type_holds(enum afperf_datatype type, enum afperf_seen seen)
{
	if (seen == AFPERF_SEEN_TEXT)
		return type >= AFPERF_ENUM;
	return seen == AFPERF_SEEN_INT ? type >= AFPERF_INT64 : type >= AFPERF_DOUBLE;
}

enum afperf_datatype
afperf_measure_type(const struct afperf_measure *m)
{
	enum afperf_datatype type = m->type;

	if (type == AFPERF_DATATYPES)
		type = AFPERF_BOOL; /* the narrowest: widened below by what was seen */
	else if (m->seen == 0)
		return type;
	if ((m->seen & AFPERF_SEEN_TEXT) != 0 && !afperf_type_holds(type, AFPERF_SEEN_TEXT))
		return AFPERF_STRING;
	if ((m->seen & AFPERF_SEEN_DOUBLE) != 0 && !afperf_type_holds(type, AFPERF_SEEN_DOUBLE))
		return AFPERF_DOUBLE;
	return type > AFPERF_INT64 ? type : AFPERF_INT64;
}

struct slice
afperf_measure_unit(const struct afperf_measure *m)
{
	enum afperf_datatype type = afperf_measure_type(m);

	if (type == AFPERF_STRING)
		return slice_is_nothing(m->unit) || slice_eq(m->unit, SLICE("count"))
		    ? SLICE("text")
		    : m->unit;
	if (!slice_is_nothing(m->unit) && !slice_eq(m->unit, SLICE("text")))
		return m->unit;
	return type == AFPERF_BOOL || type == AFPERF_ENUM ? SLICE("-") : SLICE("count");
}
