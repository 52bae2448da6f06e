/* SPDX-License-Identifier: ISC */
/* zeros.c - results of 0: the combinations of contexts and values, in the order of results. */
#include "src/aggregate/zeros.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

/* A context or a value of a measure. */
struct entry {
	struct slice text; /* its keys, separated by TABs */
	uint32_t rank; /* of the measure, when all lines are known */
	uint32_t measure; /* number in a->measures */
	uint32_t run, mid; /* of its lines, or MIXED; or UNSEEN */
	bool counts; /* they are those of lines whose weight is not 0 */
	uint32_t shared; /* how many keys it shares with the entry before it, from the first one */
};

/* The entries of one set of keys, sorted by their texts and ranks when they are ready. */
struct side {
	struct tab texts; /* of those seen: the keys, a TAB, and the number of the measure */
	struct entry *entry; /* in the order of texts at first */
	size_t cap;
	size_t n; /* entries that differ, when they are ready */
	size_t distinct; /* texts that differ */
};

enum { CONTEXTS, VALUES, SIDES };

struct range {
	size_t from, to; /* entries */
};

/* What is chosen from one key on. */
struct level {
	struct range left[SIDES]; /* the entries that have the texts of the keys before */
	struct range now; /* of the key's own side: those with the current text of the key, too */
};

struct zeros {
	struct side side[SIDES];
	size_t nkeys;
	int informant; /* the side that gives the run, mid and total of a result; see put_zero */
	bool of_values[GROUPING_KEYS_MAX]; /* by key */
	size_t index[GROUPING_KEYS_MAX]; /* by key: its place among those of its side */
	/* The next combination, in the order of results. */
	struct level level[GROUPING_KEYS_MAX + 1]; /* the last one has the measures of it */
	bool done; /* there is none */
	struct cells cells; /* one cell, which has no lines */
	struct buf keys; /* of a result */
	struct buf part[SIDES]; /* of the group that is being noted */
};

struct zeros *
zeros_new(void)
{
	return mem_zero(1, sizeof(struct zeros));
}

void
zeros_free(struct zeros *z)
{
	int i;

	if (z == NULL)
		return;
	for (i = 0; i < SIDES; i++) {
		tab_free(&z->side[i].texts);
		mem_free(z->side[i].entry);
		buf_free(&z->part[i]);
	}
	aggregate_free_cells(&z->cells, 1);
	buf_free(&z->keys);
	mem_free(z);
}

/*
 * ---- noting groups
 */

/* Divides the keys of a group among the two sides. */
static bool
divide(struct zeros *z, const struct aggregate *a, struct slice keys)
{
	struct slice key[GROUPING_KEYS_MAX];
	size_t i;
	bool ok = true;

	(void)aggregate_split(keys, key, a->by.nkeys);
	z->part[CONTEXTS].len = z->part[VALUES].len = 0;
	for (i = 0; ok && i < a->by.nkeys; i++) {
		struct buf *b = &z->part[a->by.key[i].zeros ? VALUES : CONTEXTS];

		ok = buf_put(b, key[i].p, key[i].len) && buf_putc(b, '\t');
	}
	return ok;
}

/* Notes the run or the mid of one more group.  Those of damaged ones are not known. */
static void
see_number(uint32_t *all, uint32_t one)
{
	if (one == BROKEN || one == UNSEEN)
		return;
	*all = *all == UNSEEN || *all == one ? one : MIXED;
}

/*
 * Notes the run and the mid of one more group, or of a part of one: it may be noted several times
 * before its parts are joined.  Those of lines of weight 0 add nothing if there are others.
 */
static void
see_origin(struct entry *x, uint32_t run, uint32_t mid, bool counts)
{
	if (x->counts && !counts)
		return;
	if (counts && !x->counts)
		x->run = x->mid = UNSEEN;
	x->counts = counts;
	see_number(&x->run, run);
	see_number(&x->mid, mid);
}

/* Adds the text of a side, and notes a group that has it.  Returns false if memory runs out. */
static bool
add(struct side *s, struct buf *text, uint32_t measure, const struct group *g)
{
	size_t number;
	bool fresh;

	if (!buf_put(text, (const char *)&measure, sizeof measure))
		return false;
	number = tab_add(&s->texts, buf_slice(text), &fresh);
	if (number == TAB_NONE || !vec_room(s->entry, number, s->cap))
		return false;
	if (fresh)
		s->entry[number] = (struct entry){ .text = { s->texts.item[number].p,
						       text->len - sizeof measure - 1 },
			.measure = measure,
			.run = UNSEEN,
			.mid = UNSEEN };
	see_origin(&s->entry[number], g->run, g->mid, g->total.n != 0);
	return true;
}

bool
zeros_see(struct zeros *z, const struct aggregate *a, struct slice keys, uint32_t measure,
    const struct group *g)
{
	return divide(z, a, keys) && add(&z->side[VALUES], &z->part[VALUES], measure, g) &&
	    add(&z->side[CONTEXTS], &z->part[CONTEXTS], measure, g);
}

/*
 * ---- the combinations
 */

static int
compare(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int c = slice_cmp(a->text, b->text);

	return c != 0 ? c : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Returns how many keys two texts share, from the first one.  Both have the same number of keys. */
static uint32_t
shared_keys(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len, i;
	uint32_t keys = 0;

	for (i = 0; i < n && a.p[i] == b.p[i]; i++)
		keys += a.p[i] == '\t';
	/* the key that was reached is the last of both, or differs */
	return keys + (i == a.len && i == b.len);
}

/* Sorts the entries, and joins those of the same measure after all. */
static void
sort(struct side *s, const struct results *r)
{
	size_t i;

	for (i = 0; i < s->texts.count; i++)
		s->entry[i].rank = r->identity[s->entry[i].measure].rank;
	if (s->texts.count != 0)
		qsort(s->entry, s->texts.count, sizeof *s->entry, compare);
	for (i = 0; i < s->texts.count; i++) {
		struct entry *x = &s->entry[i], *last = s->n == 0 ? NULL : &s->entry[s->n - 1];

		if (last != NULL && compare(last, x) == 0) {
			see_origin(last, x->run, x->mid, x->counts);
			continue;
		}
		x->shared = last == NULL ? 0 : shared_keys(last->text, x->text);
		s->distinct += last == NULL || !slice_eq(last->text, x->text);
		s->entry[s->n++] = *x;
	}
}

/* Counts the results of all measures, or returns more than ZEROS_MAX if there are more. */
static uint64_t
count_results(const struct zeros *z, const struct results *r, uint64_t *room)
{
	uint64_t sum = 0;
	size_t i;
	int k;

	for (k = 0; k < SIDES; k++)
		for (i = 0; i < z->side[k].n; i++)
			room[z->side[k].entry[i].rank * (size_t)SIDES + (size_t)k]++;
	for (i = 0; i < r->texts.count; i++)
		sum += room[i * SIDES + CONTEXTS] * room[i * SIDES + VALUES];
	return sum;
}

/*
 * Checks how many results there will be, and how many combinations are looked at, which are more if
 * the measures have different ones.
 */
static int
check_size(const struct zeros *z, const struct aggregate *a, const struct results *r, struct err *e)
{
	uint64_t *room = mem_zero(r->texts.count * SIDES + 1, sizeof *room), n;
	uint64_t pairs = (uint64_t)z->side[CONTEXTS].distinct * z->side[VALUES].distinct;

	if (room == NULL)
		return err_nomem(e);
	n = count_results(z, r, room);
	mem_free(room);
	n = n < pairs ? pairs : n;
	if (n <= ZEROS_MAX)
		return 0;
	return err_data(e,
	    "--zeros %s would give %" PRIu64 " results, since there are %zu combinations of the "
	    "other keys, and %zu of these; the most is %" PRIu64,
	    a->option[AGGREGATE_ZEROS], n, z->side[CONTEXTS].distinct, z->side[VALUES].distinct,
	    ZEROS_MAX);
}

static int
side_of(const struct zeros *z, size_t key)
{
	return z->of_values[key] ? VALUES : CONTEXTS;
}

/* Chooses the next text of a key, the first one at first. */
static void
choose(struct zeros *z, size_t key)
{
	struct level *l = &z->level[key];
	int which = side_of(z, key);
	const struct side *s = &z->side[which];
	size_t to = l->now.to + 1;

	while (to < l->left[which].to && s->entry[to].shared > z->index[key])
		to++;
	l->now = (struct range){ l->now.to, to };
}

/* Chooses the first texts of all keys from one on. */
static void
descend(struct zeros *z, size_t key)
{
	for (; key < z->nkeys; key++) {
		struct level *l = &z->level[key], *next = l + 1;
		int which = side_of(z, key);

		l->now.to = l->left[which].from;
		choose(z, key);
		memcpy(next->left, l->left, sizeof next->left);
		next->left[which] = l->now;
	}
}

/* Goes on to the next keys. */
static void
next_keys(struct zeros *z)
{
	size_t key = z->nkeys;

	while (key > 0) {
		struct level *l = &z->level[--key];
		int which = side_of(z, key);

		if (l->now.to == l->left[which].to)
			continue;
		choose(z, key);
		l[1].left[1 - which] = l->left[1 - which];
		l[1].left[which] = l->now;
		descend(z, key + 1);
		return;
	}
	z->done = true;
}

/*
 * Finds the first measure of the current keys that both sides have, from the current ones on, or
 * goes on to the next keys.
 */
static void
find_measure(struct zeros *z)
{
	while (!z->done) {
		struct range *c = &z->level[z->nkeys].left[CONTEXTS],
			     *v = &z->level[z->nkeys].left[VALUES];

		while (c->from < c->to && v->from < v->to) {
			uint32_t of_context = z->side[CONTEXTS].entry[c->from].rank,
				 of_value = z->side[VALUES].entry[v->from].rank;

			if (of_context == of_value)
				return;
			if (of_context < of_value)
				c->from++;
			else
				v->from++;
		}
		next_keys(z);
	}
}

/* Goes on to the next combination. */
static void
next(struct zeros *z)
{
	z->level[z->nkeys].left[CONTEXTS].from++;
	find_measure(z);
}

int
zeros_ready(struct zeros *z, const struct aggregate *a, const struct results *r, struct err *e)
{
	size_t seen[SIDES] = { 0, 0 }, i;

	z->nkeys = a->by.nkeys;
	for (i = 0; i < z->nkeys; i++) {
		z->of_values[i] = a->by.key[i].zeros;
		z->index[i] = seen[side_of(z, i)]++;
		if (z->of_values[i] && a->by.key[i].column == EV_RUN)
			z->informant = VALUES;
	}
	for (i = 0; i < SIDES; i++) {
		sort(&z->side[i], r);
		z->level[0].left[i] = (struct range){ 0, z->side[i].n };
	}
	z->done = z->side[VALUES].n == 0;
	if (!z->done) {
		descend(z, 0);
		find_measure(z);
	}
	if (!aggregate_room(a, &z->cells, 0))
		return err_nomem(e);
	return check_size(z, a, r, e);
}

/*
 * ---- writing
 */

static const struct entry *
current(const struct zeros *z, int which)
{
	return &z->side[which].entry[z->level[z->nkeys].left[which].from];
}

/* Joins the keys of the current combination. */
static bool
join_keys(struct zeros *z)
{
	struct slice rest[SIDES] = { current(z, CONTEXTS)->text, current(z, VALUES)->text }, key;
	size_t i;
	bool ok = true;

	z->keys.len = 0;
	for (i = 0; ok && i < z->nkeys; i++) {
		struct slice *from = &rest[side_of(z, i)];

		*from = aggregate_split(*from, &key, 1);
		ok = (i == 0 || buf_putc(&z->keys, '\t')) && buf_put(&z->keys, key.p, key.len);
	}
	return ok;
}

/*
 * Writes the current combination, whose keys have been joined, as a group without lines.  Its run,
 * mid and total are those of its context or, if the run is a value, of that run: the lines of the
 * context may all be of another one.
 */
static int
put_zero(const struct zeros *z, const struct aggregate *a, const struct results *r,
    struct results_out *out, struct err *e)
{
	const struct entry *from = current(z, z->informant);
	struct group *g = &z->cells.group[0];

	g->run = from->run;
	g->mid = from->mid;
	return results_put(a, r, out,
	    &(struct placed){ buf_slice(&z->keys), from->measure, &z->cells, 0 }, e);
}

int
zeros_put(const struct aggregate *a, const struct results *r, struct results_out *out,
    const struct placed *p, struct err *e)
{
	struct zeros *z = out->zeros;
	uint32_t rank = r->identity[p->measure].rank;
	int rc = 0;

	/* each group is one of the combinations, which have the same order */
	while (rc == 0 && !z->done && !evw_failed(out->w)) {
		if (!join_keys(z))
			return err_nomem(e);
		if (current(z, CONTEXTS)->rank == rank && slice_eq(buf_slice(&z->keys), p->keys))
			break;
		rc = put_zero(z, a, r, out, e);
		next(z);
	}
	if (rc != 0)
		return rc;
	if (!z->done)
		next(z);
	return results_put(a, r, out, p, e);
}

int
zeros_put_rest(const struct aggregate *a, const struct results *r, struct results_out *out,
    struct err *e)
{
	struct zeros *z = out->zeros;
	int rc = 0;

	while (rc == 0 && !z->done && !evw_failed(out->w)) {
		rc = join_keys(z) ? put_zero(z, a, r, out, e) : err_nomem(e);
		next(z);
	}
	return rc;
}
