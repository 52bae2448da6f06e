/* SPDX-License-Identifier: ISC */
/* known.c - finds the measures of a run, by name and by id, however many there are. */
#include <stdlib.h>

#include "src/afperf/define.h"

/* The list of that key, made if there was none.  NULL without memory. */
static struct afperf_list *
list_of(struct afperf_lists *l, struct slice key)
{
	bool fresh;
	size_t n = tab_add(&l->keys, key, &fresh);

	if (n == TAB_NONE)
		return NULL;
	if (fresh && n >= l->cap) {
		size_t cap = l->cap == 0 ? 16 : l->cap * 2;
		struct afperf_list *p = realloc(l->list, cap * sizeof *p);

		if (p == NULL)
			return NULL;
		l->list = p;
		l->cap = cap;
	}
	if (fresh)
		l->list[n] = (struct afperf_list){ TAB_NONE, TAB_NONE };
	return &l->list[n];
}

static size_t
first_of(const struct afperf_lists *l, struct slice key)
{
	size_t n = tab_find(&l->keys, key);

	return n == TAB_NONE ? n : l->list[n].first;
}

void
afperf_lists_free(struct afperf_lists *l)
{
	tab_free(&l->keys);
	free(l->list);
	*l = (struct afperf_lists){ 0 };
}

static bool
name_key(struct buf *b, size_t run, struct slice name)
{
	b->len = 0;
	return buf_put(b, &run, sizeof run) && buf_put(b, name.p, name.len);
}

/* Ids are the same if their numbers are; what is no number is a text. */
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

bool
afperf_known_name(struct afperf_define *d, size_t measure)
{
	struct afperf_measure *m = &d->measure[measure];
	struct afperf_run *r = &d->run[m->run];
	struct afperf_list *l =
	    name_key(&d->key, m->run, m->name) ? list_of(&d->by_name, buf_slice(&d->key)) : NULL;

	if (l == NULL)
		return false;
	m->next_named = m->next_in_run = m->next_with_id = TAB_NONE;
	if (l->first == TAB_NONE)
		l->first = measure;
	else
		d->measure[l->last].next_named = measure;
	l->last = measure;
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
	struct afperf_list *l;

	if (slice_is_nothing(m->source_id))
		return true;
	l = id_key(&d->key, m->run, m->source_id) ? list_of(&d->by_id, buf_slice(&d->key)) : NULL;
	if (l == NULL)
		return false;
	if (l->first == TAB_NONE)
		l->first = measure;
	else
		d->measure[l->last].next_with_id = measure;
	l->last = measure;
	return true;
}

bool
afperf_first_named(struct afperf_define *d, size_t run, struct slice name, size_t *first)
{
	if (!name_key(&d->key, run, name))
		return false;
	*first = first_of(&d->by_name, buf_slice(&d->key));
	return true;
}

bool
afperf_first_with_id(struct afperf_define *d, size_t run, struct slice id, size_t *first)
{
	*first = TAB_NONE;
	if (slice_is_nothing(id))
		return true;
	if (!id_key(&d->key, run, id))
		return false;
	*first = first_of(&d->by_id, buf_slice(&d->key));
	return true;
}
