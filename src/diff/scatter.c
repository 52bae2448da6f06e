/* SPDX-License-Identifier: ISC */
/*
 * scatter.c - keys that tell runs apart: those with other values in each run, such as tid, and
 * those of which each run has one value, such as run.host.  A group is then in one run, or in some,
 * and counts as 0 in all others, so that no change of it is ever beyond chance.
 */
#include <math.h>
#include <string.h>

#include "lib/keys.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define MUCH 0.1 /* what groups of one run must have of a side, at least */

/* Where the results of a group, or those with a value of a key, are. */
struct place {
	uint32_t run[DIFF_SIDES]; /* plus 1; 0: none so far */
	bool several; /* a side has two runs with it */
};

/* How many of the groups of one run have a key, and those with values of one run. */
struct key {
	size_t groups, alone;
};

/* The keys and values of the groups of one run. */
struct scatter {
	struct tab texts, names; /* KEY=VALUE, KEY */
	struct place *place;
	struct key *key;
	size_t place_cap, key_cap;
};

static void
put_in(struct place *p, const struct result *r)
{
	p->several = p->several || (p->run[r->side] != 0 && p->run[r->side] != r->run + 1);
	p->run[r->side] = r->run + 1;
}

/* Returns true if absent runs count as 0, and there are enough of them to hide all changes. */
static bool
may_scatter(const struct diff *d, const struct family *f)
{
	enum diff_side s;

	for (s = 0; s < DIFF_SIDES; s++)
		if (!f->seen[s] || d->side[s].pooled || f->runs[s] < DIFF_RUNS_MIN)
			return false;
	return f->adds;
}

/* Returns true for a result that is there: zeros may have been added for groups without lines. */
static bool
is_there(const struct result *r)
{
	return !r->missing && r->value != 0;
}

/*
 * Finds the groups of one run among the results FROM to TO, of one family.  Returns their part of
 * the side in which it is larger.
 */
static double
find_alone(struct diff *d, size_t from, size_t to)
{
	double all[DIFF_SIDES] = { 0, 0 }, alone[DIFF_SIDES] = { 0, 0 };
	size_t i, end;
	enum diff_side s;

	for (i = from; i < to; i = end) {
		struct place p = { .several = false };
		double sum[DIFF_SIDES] = { 0, 0 };

		for (end = i; end < to && d->result[end].group == d->result[i].group; end++)
			if (is_there(&d->result[end])) {
				put_in(&p, &d->result[end]);
				sum[d->result[end].side] += fabs(d->result[end].value);
			}
		d->group[d->result[i].group].alone = !p.several;
		for (s = 0; s < DIFF_SIDES; s++) {
			all[s] += sum[s];
			alone[s] += p.several ? 0 : sum[s];
		}
	}
	for (s = 0; s < DIFF_SIDES; s++)
		alone[s] = all[s] > 0 ? alone[s] / all[s] : 0;
	return fmax(alone[DIFF_BEFORE], alone[DIFF_AFTER]);
}

/* Notes the runs that have each value.  Returns false if memory runs out. */
static bool
add_values(const struct diff *d, struct scatter *x, size_t from, size_t to)
{
	size_t i, n;

	for (i = from; i < to; i++) {
		struct slice rest = diff_group_keys(d, d->result[i].group);

		while (is_there(&d->result[i]) && rest.len != 0) {
			n = tab_add(&x->texts, diff_field(&rest), NULL);
			if (n == TAB_NONE || !vec_room_zero(x->place, n, x->place_cap))
				return false;
			put_in(&x->place[n], &d->result[i]);
		}
	}
	return true;
}

/* Counts the keys of the groups of one run, after add_values.  Returns false if memory runs out. */
static bool
count_keys(const struct diff *d, struct scatter *x, size_t from, size_t to)
{
	size_t i, n, value;

	for (i = from; i < to; i++) {
		struct slice rest = diff_group_keys(d, d->result[i].group);

		while (d->group[d->result[i].group].alone && is_there(&d->result[i]) &&
		    rest.len != 0) {
			struct slice text = diff_field(&rest), name;

			value = tab_find(&x->texts, text);
			(void)slice_cut(&text, '=', &name);
			n = tab_add(&x->names, name, NULL);
			if (n == TAB_NONE || !vec_room_zero(x->key, n, x->key_cap))
				return false;
			x->key[n].groups++;
			x->key[n].alone += !x->place[value].several;
		}
	}
	return true;
}

/* Adds a key to the names in b. */
static bool
add_name(struct buf *b, struct slice name)
{
	return buf_puts(b, b->len == 0 ? "" : ", ") &&
	    buf_put(b, name.p, (size_t)slice_shown(name, SHOWN_MAX));
}

/*
 * Names the keys of which most values are in one run only, in d->name.  Functions and addresses may
 * be, if they are rare.
 */
static bool
name_keys(struct diff *d, const struct scatter *x)
{
	struct buf *b = &d->name;
	size_t i;

	b->len = 0;
	for (i = 0; i < x->names.count; i++)
		if (2 * x->key[i].alone > x->key[i].groups && !keys_is_place(x->names.item[i]) &&
		    !add_name(b, x->names.item[i]))
			return false;
	return true;
}

static bool
find_keys(struct diff *d, size_t from, size_t to)
{
	struct scatter x = { .place_cap = 0 };
	bool ok = add_values(d, &x, from, to) && count_keys(d, &x, from, to) && name_keys(d, &x);

	tab_free(&x.texts);
	tab_free(&x.names);
	mem_free(x.place);
	mem_free(x.key);
	return ok;
}

/* What is known of a key: its values are numbers plus 1, and 0 is none so far. */
struct fixed {
	size_t first[DIFF_SIDES];
	bool varies; /* some run has two values */
	bool several; /* two runs of a side have different ones */
};

/* The keys of all groups, and their value in each run. */
struct fixture {
	struct tab texts, names; /* KEY=VALUE, KEY */
	struct fixed *key;
	size_t key_cap;
	size_t *value; /* of each key, side and run */
	size_t value_cap, runs;
};

/* Returns true if some group of each side is in all of its runs: then no key tells these apart. */
static bool
is_everywhere(const struct diff *d, const struct family *f, size_t from, size_t to)
{
	bool found[DIFF_SIDES] = { false, false };
	size_t i, end;
	enum diff_side s;

	for (i = from; i < to; i = end) {
		size_t n[DIFF_SIDES] = { 0, 0 };

		for (end = i; end < to && d->result[end].group == d->result[i].group; end++)
			n[d->result[end].side] += is_there(&d->result[end]);
		for (s = 0; s < DIFF_SIDES; s++)
			found[s] = found[s] || n[s] == f->runs[s];
	}
	return found[DIFF_BEFORE] && found[DIFF_AFTER];
}

/* Notes the value TEXT, KEY=VALUE, of a key in the run of a result. */
static bool
note_value(struct fixture *x, struct slice text, const struct result *r)
{
	struct slice rest = text, name;
	struct fixed *k;
	size_t key, value = tab_add(&x->texts, text, NULL), *first, *here;

	(void)slice_cut(&rest, '=', &name);
	key = tab_add(&x->names, name, NULL);
	if (value++ == TAB_NONE || key == TAB_NONE || !vec_room_zero(x->key, key, x->key_cap) ||
	    !vec_room_zero(x->value, (key + 1) * DIFF_SIDES * x->runs, x->value_cap))
		return false;
	k = &x->key[key];
	first = &k->first[r->side];
	here = &x->value[(key * DIFF_SIDES + r->side) * x->runs + r->run];
	k->varies = k->varies || (*here != 0 && *here != value);
	k->several = k->several || (*first != 0 && *first != value);
	*first = *here = value;
	return true;
}

/* Notes the values of all keys in all runs.  Returns false if memory runs out. */
static bool
note_values(const struct diff *d, struct fixture *x, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++) {
		struct slice rest = diff_group_keys(d, d->result[i].group);

		while (is_there(&d->result[i]) && rest.len != 0)
			if (!note_value(x, diff_field(&rest), &d->result[i]))
				return false;
	}
	return true;
}

/*
 * Names the keys of which each run has one value, but not all runs of a side the same, in d->name.
 * Returns false if memory runs out.
 */
static bool
find_fixed(struct diff *d, size_t from, size_t to)
{
	size_t before = d->side[DIFF_BEFORE].runs.count, after = d->side[DIFF_AFTER].runs.count, i;
	struct fixture x = { .runs = before > after ? before : after };
	bool ok = note_values(d, &x, from, to);

	d->name.len = 0;
	for (i = 0; ok && i < x.names.count; i++)
		if (x.key[i].several && !x.key[i].varies && !keys_is_place(x.names.item[i]))
			ok = add_name(&d->name, x.names.item[i]);
	tab_free(&x.texts);
	tab_free(&x.names);
	mem_free(x.key);
	mem_free(x.value);
	return ok;
}

/* Does that unless some group has no such key.  Returns false if memory runs out. */
static bool
look_for_fixed(struct diff *d, struct family *f, size_t from, size_t to)
{
	size_t i;

	if (is_everywhere(d, f, from, to))
		return true;
	if (!find_fixed(d, from, to))
		return false;
	f->scattered = d->name.len != 0;
	for (i = from; f->scattered && i < to; i++)
		d->group[d->result[i].group].alone = true;
	return !f->scattered || d->fixed.len != 0 || buf_put(&d->fixed, d->name.p, d->name.len);
}

/* Looks at the keys of the results FROM to TO, of one family.  Returns false if memory runs out. */
static bool
look_at_family(struct diff *d, size_t from, size_t to)
{
	uint32_t number = d->group[d->result[from].group].family;
	struct family *f = &d->family[number];
	double alone;

	if (!may_scatter(d, f))
		return true;
	alone = find_alone(d, from, to);
	if (alone > MUCH && !find_keys(d, from, to))
		return false;
	f->scattered = alone > MUCH && d->name.len != 0;
	if (!f->scattered)
		return look_for_fixed(d, f, from, to);
	if (d->scattered.len != 0)
		return true;
	d->alone = alone;
	d->alone_family = number;
	return buf_put(&d->scattered, d->name.p, d->name.len);
}

bool
diff_look_at_keys(struct diff *d)
{
	size_t from, to, i, k;

	for (from = 0; from < d->results; from = to) {
		uint32_t family = d->group[d->result[from].group].family;

		for (to = from; to < d->results; to++)
			if (d->group[d->result[to].group].family != family)
				break;
		if (!look_at_family(d, from, to))
			return false;
	}
	for (i = 0; i < d->effects; i++) {
		const struct group *g = &d->group[d->effect[i].group];

		for (k = 0; k < d->x->limits; k++)
			d->scattered_of[k] += (d->effect[i].judged >> k & 1) != 0 && g->alone &&
			    d->family[g->family].scattered;
	}
	return true;
}

/* Does the same for keys of which each run has one value. */
static bool
fixed_note(const struct diff *d, struct err *e)
{
	if (d->fixed.len == 0)
		return false;
	err_data(e,
	    "each run has one value of %.*s and counts as 0 in the groups of the others, so their "
	    "means are too small, and no change is beyond chance: compare one value at a time "
	    "(afsel --where, before afdiff), or use --ignore",
	    (int)d->fixed.len, d->fixed.p);
	e->code = ERR_DOUBT;
	return true;
}

bool
diff_key_note(const struct diff *d, struct err *e)
{
	const struct family *f = &d->family[d->alone_family];
	struct slice stat, m, keys = { d->scattered.p, d->scattered.len };
	bool window = slice_eq(keys, SLICE("window")), several;

	/* if no group is on both sides, that is what is said about the keys */
	if (d->apart.len != 0)
		return false;
	if (keys.len == 0)
		return fixed_note(d, e);
	stat = f->part[PART_STAT];
	m = f->part[PART_MEASURE];
	several = memchr(keys.p, ',', keys.len) != NULL;
	err_data(e,
	    "%.0f%% of the %.*s of %.*s is in groups that only one run has, so their changes show "
	    "nothing: %.*s differ%s from run to run (%s)",
	    floor(100 * d->alone), slice_shown(stat, SHOWN_MAX), stat.p, slice_shown(m, SHOWN_MAX),
	    m.p, (int)keys.len, keys.p, several ? "" : "s",
	    window        ? "afagg --window-from first"
		: several ? "afagg without these keys"
			  : "afagg without that key");
	e->code = ERR_DOUBT;
	return true;
}
