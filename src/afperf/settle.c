/* SPDX-License-Identifier: ISC */
/* settle.c - fixes the ids, datatypes and units of runs and measures in AFPerf. */
#include <xxhash.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/afperf/define.h"

bool
afperf_get_id(struct slice s, uint64_t *v)
{
	return num_get_u64(s, v) || num_get_hex(s, v);
}

bool
afperf_is_id(struct slice s)
{
	uint64_t v;

	return afperf_get_id(s, &v);
}

bool
afperf_is_blank(struct slice s, uint64_t *n)
{
	return s.len > 1 && s.p[0] == '@' && num_get_u64((struct slice){ s.p + 1, s.len - 1 }, n);
}

static size_t
spell(enum afperf_spelling spelling, uint64_t v, char *to)
{
	return spelling == AFPERF_DECIMAL ? num_put_u64(to, v) : num_put_hex(to, v);
}

struct slice
afperf_spelled(enum afperf_spelling spelling, struct slice id, char *scratch)
{
	uint64_t v;

	if (spelling == AFPERF_AS_IT_IS || !afperf_get_id(id, &v))
		return id;
	return (struct slice){ scratch, spell(spelling, v, scratch) };
}

static bool
keep_id(struct afperf_define *d, uint64_t hash, struct slice *id)
{
	char text[NUM_MAX];

	*id = (struct slice){ text, spell(d->spelling, hash, text) };
	return afperf_define_keep(d, id);
}

/* Takes that id if it is free. */
enum take { TAKE_DONE, TAKE_OURS, TAKE_THEIRS, TAKE_NOMEM };

static enum take
take_id(struct ids *t, size_t owner, uint64_t id)
{
	struct ids_entry *e = ids_get(t, (uint32_t)owner, id, false);

	if (e == NULL)
		return TAKE_NOMEM;
	if (e->state != IDS_AWAITED)
		return e->state == IDS_OPEN ? TAKE_THEIRS : TAKE_OURS;
	e->state = IDS_DONE;
	return TAKE_DONE;
}

/* A permutation of all numbers without visible order (SplitMix64). */
static uint64_t
scattered(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

/*
 * The hash or, if that is in use, the next spare id.  Spare ids do not depend on the hash, and
 * each is tried once, so the time is never quadratic, whatever the names.
 */
static bool
take_hash(struct afperf_define *d, struct ids *t, size_t owner, uint64_t hash, struct slice *id)
{
	enum take took = take_id(t, owner, hash);

	while (took == TAKE_OURS || took == TAKE_THEIRS) {
		hash = scattered(++d->spare);
		took = take_id(t, owner, hash);
	}
	return took == TAKE_DONE && keep_id(d, hash, id);
}

/* The id of a run whose name is not an id: a hash.  The same recording again clashes, too. */
static bool
settle_name(struct afperf_define *d, struct afperf_run *r, uint64_t hash)
{
	const struct ids_entry *e = ids_get(&d->run_ids, 0, hash, false);

	if (e == NULL)
		return false;
	if (e->state == IDS_OPEN) {
		if (!d->renumber)
			d->clash = r->name;
		d->renumbered += d->renumber;
	}
	return take_hash(d, &d->run_ids, 0, hash, &r->id);
}

/* The pool's id is made from the names that it pools, whatever their order. */
static bool
settle_pool(struct afperf_define *d, struct afperf_run *pool)
{
	uint64_t hash = XXH64(pool->name.p, pool->name.len, 0);
	size_t i;

	for (i = 0; i < d->runs; i++)
		if (&d->run[i] != pool)
			hash ^= XXH64(d->run[i].name.p, d->run[i].name.len, 1);
	return settle_name(d, pool, hash);
}

bool
afperf_same_id(struct slice a, struct slice b)
{
	uint64_t x, y;

	return afperf_get_id(a, &x) && afperf_get_id(b, &y) && x == y;
}

bool
afperf_settle_run(struct afperf_define *d, size_t run)
{
	struct afperf_run *r = &d->run[run];
	char text[NUM_MAX];
	uint64_t v;
	enum take took;

	if (r->id.len != 0 || r->blank)
		return true;
	if (slice_is_nothing(r->name))
		return settle_pool(d, r);
	if (!afperf_get_id(r->name, &v) &&
	    !(d->number && r->native && afperf_is_blank(r->name, &v)))
		return settle_name(d, r, XXH64(r->name.p, r->name.len, 0));
	took = take_id(&d->run_ids, 0, v);
	if (took == TAKE_NOMEM)
		return false;
	if (took == TAKE_DONE || (took == TAKE_THEIRS && !d->renumber)) {
		if (took == TAKE_THEIRS)
			d->clash = r->name;
		r->id = afperf_spelled(d->spelling, r->name, text);
		if (r->name.p[0] == '@')
			r->id = (struct slice){ text,
				d->spelling == AFPERF_HEX ? num_put_hex(text, v)
							  : num_put_u64(text, v) };
		return afperf_define_keep(d, &r->id);
	}
	d->renumbered++;
	r->renumbered = true;
	return take_hash(d, &d->run_ids, 0, XXH64(r->name.p, r->name.len, 0), &r->id);
}

bool
afperf_settle_measure(struct afperf_define *d, size_t measure)
{
	struct afperf_measure *m = &d->measure[measure];
	struct slice run = d->run[m->run].name;
	char text[NUM_MAX];
	enum take took;
	uint64_t v;

	if (m->id.len != 0)
		return true;
	if (afperf_get_id(m->source_id, &v)) {
		const struct afperf_known *k = afperf_with_id(d, m->run, m->source_id);

		took = k == NULL                         ? TAKE_NOMEM
		    : k->owner == measure || m->in_place ? take_id(&d->type_ids, m->run, v)
							 : TAKE_OURS;
		if (took == TAKE_NOMEM)
			return false;
		/* a measure line may redefine a type whose data are written; nothing else may */
		if (took == TAKE_DONE || m->in_place) {
			m->id = afperf_spelled(d->spelling, m->source_id, text);
			return afperf_define_keep(d, &m->id);
		}
	}
	return take_hash(d, &d->type_ids, m->run,
	    XXH64(m->name.p, m->name.len, XXH64(run.p, run.len, 0)), &m->id);
}

/* What the definitions of measures with one name give, and whether they agree. */
struct agreed {
	const struct afperf_measure *last;
	bool differ;
};

static void
inherit(const struct agreed *a, struct afperf_measure *m)
{
	if (a->last == NULL || a->differ)
		return;
	m->type = m->type == AFPERF_DATATYPES ? a->last->type : m->type;
	m->unit = slice_is_nothing(m->unit) ? a->last->unit : m->unit;
	m->summary = a->last->summary;
	m->description = a->last->description;
}

static bool
is_heir(const struct afperf_define *d, const struct afperf_measure *m)
{
	return m->defined == 0 && slice_is_nothing(d->run[m->run].name);
}

bool
afperf_inherit(struct afperf_define *d)
{
	struct tab names = { 0 };
	struct agreed *agreed = mem_zero(d->measures + 1, sizeof *agreed);
	bool ok = agreed != NULL;
	size_t i, n;

	for (i = 0; ok && i < d->measures; i++)
		if (is_heir(d, &d->measure[i]))
			ok = tab_add(&names, d->measure[i].name, NULL) != TAB_NONE;
	for (i = 0; ok && i < d->measures; i++) {
		const struct afperf_measure *m = &d->measure[i];

		n = m->defined == 0 ? TAB_NONE : tab_find(&names, m->name);
		if (n == TAB_NONE)
			continue;
		if (agreed[n].last != NULL)
			agreed[n].differ |= agreed[n].last->type != m->type ||
			    !slice_eq(agreed[n].last->unit, m->unit);
		agreed[n].last = m;
	}
	for (i = 0; ok && i < d->measures; i++)
		if (is_heir(d, &d->measure[i]))
			inherit(&agreed[tab_find(&names, d->measure[i].name)], &d->measure[i]);
	mem_free(agreed);
	tab_free(&names);
	return ok;
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
		type = AFPERF_BOOL; /* the narrowest: widened below by the values seen */
	else if (m->seen == 0)
		return type;
	if ((m->seen & AFPERF_SEEN_TEXT) != 0 && !afperf_type_holds(type, AFPERF_SEEN_TEXT))
		return AFPERF_STRING;
	if ((m->seen & AFPERF_SEEN_DOUBLE) != 0 && !afperf_type_holds(type, AFPERF_SEEN_DOUBLE))
		return AFPERF_DOUBLE;
	return type > AFPERF_INT64 ? type : AFPERF_INT64;
}

/* For time AFPerf has only the short names of units. */
static struct slice
short_unit(struct slice unit)
{
	if (slice_eq(unit, SLICE("nanoseconds")))
		return SLICE("ns");
	if (slice_eq(unit, SLICE("microseconds")))
		return SLICE("us");
	if (slice_eq(unit, SLICE("milliseconds")))
		return SLICE("ms");
	return slice_eq(unit, SLICE("seconds")) ? SLICE("s") : unit;
}

struct slice
afperf_measure_unit(const struct afperf_measure *m)
{
	enum afperf_datatype type = afperf_measure_type(m);
	bool unsaid = m->unit.len == 0 || slice_is_nothing(m->unit);

	if (type == AFPERF_STRING)
		return unsaid || slice_eq(m->unit, SLICE("count")) ? SLICE("text")
								   : short_unit(m->unit);
	if (!unsaid && !slice_eq(m->unit, SLICE("text")) &&
	    (type != AFPERF_ENUM || !slice_eq(m->unit, SLICE("count"))))
		return short_unit(m->unit);
	return type == AFPERF_BOOL || type == AFPERF_ENUM ? SLICE("-") : SLICE("count");
}
