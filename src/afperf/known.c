/* SPDX-License-Identifier: ISC */
/* known.c - finds the measures of a run, by name and by id, however many there are. */

#include "lib/mem.h"
#include "src/afperf/define.h"

/* What is known of that key, made if there was nothing.  NULL without memory. */
static struct afperf_known *
known_of(struct afperf_index *x, struct slice key)
{
	bool fresh;
	size_t n = tab_add(&x->keys, key, &fresh);

	if (n == TAB_NONE)
		return NULL;
	if (fresh && n >= x->cap) {
		size_t cap = x->cap == 0 ? 16 : x->cap * 2;
		struct afperf_known *p = mem_resize(x->known, cap * sizeof *p);

		if (p == NULL)
			return NULL;
		x->known = p;
		x->cap = cap;
	}
	if (fresh)
		x->known[n] =
		    (struct afperf_known){ { TAB_NONE, TAB_NONE }, TAB_NONE, TAB_NONE, TAB_NONE };
	return &x->known[n];
}

void
afperf_index_free(struct afperf_index *x)
{
	tab_free(&x->keys);
	mem_free(x->known);
	*x = (struct afperf_index){ 0 };
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
	m->next_open = m->next_in_run = TAB_NONE;
	if (m->defined == 0) {
		if (k->open.first == TAB_NONE)
			k->open.first = measure;
		else
			d->measure[k->open.last].next_open = measure;
		k->open.last = measure;
	} else if (slice_is_nothing(m->source_id)) {
		k->latest = measure;
	}
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

	/* one that is not settled will have that id, or else it is put in force for nothing */
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
