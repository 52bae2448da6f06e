/* SPDX-License-Identifier: ISC */
/* known.c - finds the measures of a run by name, id and unit, however many there are. */

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/define.h"

/* The entry of that key, made if it is new.  NULL without memory. */
static struct afperf_known *
known_of(struct afperf_index *x, struct slice key)
{
	bool fresh;
	size_t n;

	/* room first, so that no key is without its entry */
	if (!vec_room(x->known, x->keys.count, x->cap))
		return NULL;
	n = tab_add(&x->keys, key, &fresh);
	if (n == TAB_NONE)
		return NULL;
	if (fresh)
		x->known[n] = (struct afperf_known){ TAB_NONE, TAB_NONE, TAB_NONE };
	return &x->known[n];
}

void
afperf_known_free(struct afperf_define *d)
{
	tab_free(&d->by_name.keys);
	mem_free(d->by_name.known);
	tab_free(&d->by_id.keys);
	mem_free(d->by_id.known);
	tab_free(&d->open.keys);
	mem_free(d->open.list);
	mem_free(d->open.entry);
}

static bool
name_key(struct buf *b, size_t run, struct slice name)
{
	b->len = 0;
	return buf_put(b, &run, sizeof run) && buf_put(b, name.p, name.len);
}

/* Ids are equal if their numbers are; an id that is not a number is compared as text. */
static bool
id_key(struct buf *b, size_t run, struct slice id)
{
	uint64_t v;

	b->len = 0;
	if (!buf_put(b, &run, sizeof run))
		return false;
	if (afperf_get_id(id, &v))
		return buf_putc(b, '#') && buf_put(b, &v, sizeof v);
	return buf_putc(b, '"') && buf_put(b, id.p, id.len);
}

struct afperf_known *
afperf_named(struct afperf_define *d, size_t run, struct slice name)
{
	return name_key(&d->key, run, name) ? known_of(&d->by_name, buf_slice(&d->key)) : NULL;
}

struct afperf_known *
afperf_with_id(struct afperf_define *d, size_t run, struct slice id)
{
	return id_key(&d->key, run, id) ? known_of(&d->by_id, buf_slice(&d->key)) : NULL;
}

bool
afperf_known_name(struct afperf_define *d, size_t measure)
{
	struct afperf_measure *m = &d->measure[measure];
	struct afperf_run *r = &d->run[m->run];
	struct afperf_known *k = afperf_named(d, m->run, m->name);

	if (k == NULL)
		return false;
	m->next_in_run = TAB_NONE;
	if (m->defined != 0 && slice_is_nothing(m->source_id))
		k->latest = measure;
	if (r->measures.first == TAB_NONE)
		r->measures.first = measure;
	else
		d->measure[r->measures.last].next_in_run = measure;
	r->measures.last = measure;
	return true;
}

bool
afperf_known_id(struct afperf_define *d, size_t measure)
{
	const struct afperf_measure *m = &d->measure[measure];
	struct afperf_known *k;

	if (slice_is_nothing(m->source_id))
		return true;
	k = afperf_with_id(d, m->run, m->source_id);
	if (k == NULL)
		return false;
	if (k->owner == TAB_NONE)
		k->owner = measure;
	if (k->latest == TAB_NONE || m->defined > d->measure[k->latest].defined)
		k->latest = measure;
	return true;
}

bool
afperf_put_in_force(struct afperf_define *d, size_t measure)
{
	const struct afperf_measure *m = &d->measure[measure];
	struct afperf_known *k;

	/* an unsettled one will get that id; if not, putting it in force does no harm */
	if (m->id.len != 0 ? !afperf_same_id(m->id, m->source_id) : !afperf_is_id(m->source_id))
		return true;
	k = afperf_with_id(d, m->run, m->source_id);
	if (k == NULL)
		return false;
	if (k->in_force != TAB_NONE)
		d->measure[k->in_force].superseded = true;
	k->in_force = measure;
	return true;
}

static bool
open_key(struct buf *b, size_t run, struct slice name, struct slice unit, struct slice id)
{
	return name_key(b, run, name) && buf_putc(b, '\t') && buf_put(b, unit.p, unit.len) &&
	    buf_putc(b, '\t') && buf_put(b, id.p, id.len);
}

/* The list of that key, made if it is new. */
static struct afperf_list *
open_list(struct afperf_open *o, struct slice key)
{
	bool fresh;
	size_t n;

	/* room first, so that no key is without its list */
	if (!vec_room(o->list, o->keys.count, o->cap))
		return NULL;
	n = tab_add(&o->keys, key, &fresh);
	if (n == TAB_NONE)
		return NULL;
	if (fresh)
		o->list[n] = (struct afperf_list){ TAB_NONE, TAB_NONE };
	return &o->list[n];
}

static bool
list_append(struct afperf_open *o, struct afperf_list *list, size_t measure)
{
	size_t n = o->entries;

	if (!vec_room(o->entry, n, o->entries_cap))
		return false;
	o->entry[n] = (struct afperf_open_entry){ measure, TAB_NONE };
	if (list->first == TAB_NONE)
		list->first = n;
	else
		o->entry[list->last].next = n;
	list->last = n;
	o->entries++;
	return true;
}

/* Adds it under its unit and id, and under any. */
bool
afperf_open_add(struct afperf_define *d, size_t measure)
{
	const struct afperf_measure *m = &d->measure[measure];
	struct afperf_list *list;
	int i;

	for (i = 0; i < 4; i++) {
		if (!open_key(&d->key, m->run, m->name, (i & 1) != 0 ? m->unit : AFPERF_ANY,
			(i & 2) != 0 ? m->source_id : AFPERF_ANY))
			return false;
		list = open_list(&d->open, buf_slice(&d->key));
		if (list == NULL || !list_append(&d->open, list, measure))
			return false;
	}
	return true;
}

static bool
is_any_or(struct slice wanted, struct slice has)
{
	return slice_eq(wanted, AFPERF_ANY) || slice_eq(wanted, has);
}

/* The first of the list that still belongs there; those before it are dropped. */
static size_t
first_of(struct afperf_define *d, struct afperf_list *list, struct slice unit, struct slice id)
{
	const struct afperf_measure *m;

	for (; list->first != TAB_NONE; list->first = d->open.entry[list->first].next) {
		m = &d->measure[d->open.entry[list->first].measure];
		if (m->defined == 0 && is_any_or(unit, m->unit) && is_any_or(id, m->source_id))
			return d->open.entry[list->first].measure;
	}
	return TAB_NONE;
}

bool
afperf_open_first(struct afperf_define *d, size_t run, struct slice name, struct slice unit,
    struct slice id, size_t *measure)
{
	const struct slice units[] = { unit, SLICE(".") }, ids[] = { id, SLICE(".") };
	size_t i, n, found;

	*measure = TAB_NONE;
	for (i = 0; i < 4; i++) {
		if (!open_key(&d->key, run, name, units[i & 1], ids[i >> 1]))
			return false;
		n = tab_find(&d->open.keys, buf_slice(&d->key));
		found = n == TAB_NONE ? TAB_NONE
				      : first_of(d, &d->open.list[n], units[i & 1], ids[i >> 1]);
		if (found < *measure)
			*measure = found;
	}
	return true;
}
