/* SPDX-License-Identifier: ISC */
/* tree.c - from stacks to trees of frames. */
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/units.h"
#include "lib/vec.h"
#include "src/flame/flameint.h"

#define SLOTS_FIRST ((size_t)1024)
#define NODES_MAX ((size_t)UINT32_MAX / 2)
#define NAME_SHOWN 100 /* bytes of a name in a note */

struct flame *
flame_new(void)
{
	struct flame *f = mem_zero(1, sizeof *f);

	if (f == NULL)
		return NULL;
	f->seed = seed_make() | 1;
	if (flame_open_sides(f) && buf_puts(&f->title, "Flame graph"))
		return f;
	flame_free(f);
	return NULL;
}

void
flame_free(struct flame *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->panels; i++) {
		struct panel *p = &f->panel[i];

		buf_free(&p->measure);
		buf_free(&p->unit);
		buf_free(&p->weights);
		mem_free(p->node);
		mem_free(p->slot);
		mem_free(p->end);
		mem_free(p->path);
		mem_free(p->leaf);
	}
	flame_free_time(f);
	flame_free_sides(f);
	mem_free(f->panel);
	tab_free(&f->names);
	tab_free(&f->objects);
	buf_free(&f->title);
	buf_free(&f->notes);
	mem_free(f);
}

int
flame_set_title(struct flame *f, const char *title, struct err *e)
{
	f->title.len = 0;
	return esc_append(&f->title, title, strlen(title), ESC_MESSAGE) ? 0 : err_nomem(e);
}

void
flame_compare(struct flame *f)
{
	f->compares = f->two = true;
}

void
flame_upwards(struct flame *f)
{
	f->upwards = true;
}

int
flame_note(struct flame *f, const char *text, struct err *e)
{
	return esc_append(&f->notes, text, strlen(text), ESC_MESSAGE) && buf_putc(&f->notes, '\0')
	    ? 0
	    : err_nomem(e);
}

/* Adds the root, and a byte to weights so that offset 0 is free. */
static bool
begin(struct panel *p, struct slice measure, struct slice unit)
{
	p->slot = mem_zero(SLOTS_FIRST, sizeof *p->slot);
	p->mask = SLOTS_FIRST - 1;
	if (p->slot == NULL || !vec_room(p->node, 0, p->cap) || !buf_putc(&p->weights, '\0'))
		return false;
	p->node[0] = (struct node){ .parent = NODE_ROOT };
	p->nodes = 1;
	return buf_put(&p->measure, measure.p, measure.len) && buf_put(&p->unit, unit.p, unit.len);
}

int
flame_panel(struct flame *f, enum flame_side side, struct slice measure, struct slice unit,
    size_t *panel, struct err *e)
{
	bool fresh;
	size_t i;

	for (i = 0; i < f->panels; i++)
		if (!f->panel[i].has[side] && slice_eq(buf_slice(&f->panel[i].measure), measure) &&
		    slice_eq(buf_slice(&f->panel[i].unit), unit))
			break;
	*panel = i;
	fresh = i == f->panels;
	if (fresh && !vec_room(f->panel, i, f->panels_cap))
		return err_nomem(e);
	if (fresh)
		f->panel[f->panels++] = (struct panel){ 0 };
	f->panel[i].has[side] = true;
	return !fresh || begin(&f->panel[i], measure, unit) ? 0 : err_nomem(e);
}

/* Returns true if another graph is of the same measure. */
static bool
has_other_unit(const struct flame *f, size_t panel)
{
	size_t i = 0;

	while (i < f->panels &&
	    (i == panel ||
		!slice_eq(buf_slice(&f->panel[i].measure), buf_slice(&f->panel[panel].measure))))
		i++;
	return i < f->panels;
}

/* Stores the name of a measure that has several units: MEASURE [UNIT]. */
static bool
put_name_with_unit(struct buf *name, const struct panel *p)
{
	struct slice measure = buf_slice(&p->measure);

	if (slice_is_nothing(measure))
		measure = SLICE("all measures");
	return units_put_name(name, measure, buf_slice(&p->unit));
}

int
flame_name_counts(struct flame *f, struct err *e)
{
	struct buf *names = mem_zero(f->panels + 1, sizeof *names);
	bool ok = names != NULL;
	size_t i;

	for (i = 0; ok && i < f->panels; i++)
		ok = !has_other_unit(f, i) || put_name_with_unit(&names[i], &f->panel[i]);
	for (i = 0; ok && i < f->panels; i++) {
		f->panel[i].unit.len = 0;
		ok = buf_putc(&f->panel[i].unit, '.');
		if (names[i].len == 0)
			continue;
		buf_free(&f->panel[i].measure);
		f->panel[i].measure = names[i];
		names[i] = (struct buf){ 0 };
	}
	for (i = 0; names != NULL && i < f->panels; i++)
		buf_free(&names[i]);
	mem_free(names);
	return ok ? 0 : err_nomem(e);
}

void
flame_show_first(struct flame *f, size_t panel)
{
	struct panel first = f->panel[panel];
	size_t i, *at;

	memmove(f->panel + 1, f->panel, panel * sizeof *f->panel);
	f->panel[0] = first;
	for (i = 0; i < f->time.threads; i++) {
		at = &f->time.thread[i].panel;
		*at = *at == panel ? 0 : *at < panel ? *at + 1 : *at;
	}
}

/* Multiplies by odd numbers, one of them secret, so that input cannot aim at a slot. */
static size_t
hash_of(const struct flame *f, uint32_t parent, uint32_t name)
{
	uint64_t h = ((uint64_t)parent << 32 | name) * f->seed;

	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 24);
}

static bool
grow_slots(const struct flame *f, struct panel *p)
{
	size_t n = (p->mask + 1) * 2, i, at;
	uint32_t *slot = mem_zero(n, sizeof *slot);

	if (slot == NULL)
		return false;
	for (i = 1; i < p->nodes; i++) {
		at = hash_of(f, p->node[i].parent, p->node[i].name) & (n - 1);
		while (slot[at] != 0)
			at = (at + 1) & (n - 1);
		slot[at] = (uint32_t)i;
	}
	mem_free(p->slot);
	p->slot = slot;
	p->mask = n - 1;
	return true;
}

static void
link_child(struct panel *p, uint32_t parent, uint32_t child)
{
	struct node *n = &p->node[parent];

	if (n->child == NODE_ROOT)
		n->child = child;
	else
		p->node[n->last].next = child;
	n->last = child;
}

/* Returns the child of that name, which is added if it is new, or NODE_ROOT if memory runs out. */
static uint32_t
child_of(struct flame *f, struct panel *p, uint32_t parent, struct slice text)
{
	size_t name = tab_add(&f->names, text, NULL), at;
	uint32_t i;

	if (name == TAB_NONE || p->nodes > NODES_MAX || !vec_room(p->node, p->nodes, p->cap) ||
	    (p->nodes * 2 > p->mask && !grow_slots(f, p)))
		return NODE_ROOT;
	at = hash_of(f, parent, (uint32_t)name) & p->mask;
	for (; (i = p->slot[at]) != 0; at = (at + 1) & p->mask)
		if (p->node[i].parent == parent && p->node[i].name == name)
			return i;
	i = (uint32_t)p->nodes++;
	p->slot[at] = i;
	p->node[i] = (struct node){ .parent = parent, .name = (uint32_t)name };
	link_child(p, parent, i);
	return i;
}

/* Returns the number of frames that the stack shares with the one added last. */
static size_t
shared(const struct panel *p, struct slice stack)
{
	size_t n = stack.len < p->last.len ? stack.len : p->last.len, i = 0, k = 0;

	while (i < n && stack.p[i] == p->last.p[i])
		i++;
	while (
	    k < p->depth && p->end[k] <= i && (p->end[k] == stack.len || stack.p[p->end[k]] == ';'))
		k++;
	return k;
}

/* Finds the node of the stack's last frame.  Returns NODE_ROOT if memory runs out. */
static uint32_t
find(struct flame *f, struct panel *p, struct slice stack)
{
	size_t k = shared(p, stack), from = k == 0 ? 0 : p->end[k - 1] + 1;
	uint32_t node = k == 0 ? NODE_ROOT : p->path[k - 1];
	struct slice rest, frame;

	p->last = stack;
	p->depth = k;
	if (from > stack.len)
		return node;
	rest = (struct slice){ stack.p + from, stack.len - from };
	while (ev_next_element(&rest, &frame)) {
		node = child_of(f, p, node, frame);
		if (node == NODE_ROOT || !vec_room(p->end, p->depth, p->end_cap) ||
		    !vec_room(p->path, p->depth, p->path_cap))
			return NODE_ROOT;
		p->end[p->depth] = (size_t)(frame.p - stack.p) + frame.len;
		p->path[p->depth++] = node;
	}
	return node;
}

static bool
set_object(struct flame *f, struct node *n, struct slice object)
{
	size_t i;

	if (object.p == NULL) {
		n->object = OBJECT_SEVERAL;
	} else if (!slice_is_nothing(object)) {
		i = tab_add(&f->objects, object, NULL);
		if (i == TAB_NONE)
			return false;
		n->object = n->object == OBJECT_NONE || n->object == i + 1 ? (uint32_t)i + 1
									   : OBJECT_SEVERAL;
	}
	return true;
}

int
flame_add(struct flame *f, size_t panel, enum flame_side side, struct slice stack,
    struct slice weight, struct slice object, struct err *e)
{
	struct panel *p = &f->panel[panel];
	uint32_t i = find(f, p, stack);

	if (i == NODE_ROOT || !set_object(f, &p->node[i], object))
		return err_nomem(e);
	p->node[i].self[side] = p->weights.len;
	if (!buf_put(&p->weights, weight.p, weight.len) || !buf_putc(&p->weights, '\0'))
		return err_nomem(e);
	return 0;
}

int
flame_number(struct flame *f, size_t panel, size_t number, struct err *e)
{
	struct panel *p = &f->panel[panel];
	size_t near;

	if (!vec_room_zero(p->leaf, number, p->leaf_cap))
		return err_nomem(e);
	near = p->depth < SHARED_MAX ? p->depth : SHARED_MAX; /* no stack is without frames */
	p->leaf[number] = (struct leaf){ p->path[p->depth - 1], p->path[near - 1], (uint32_t)near };
	p->leaves = number < p->leaves ? p->leaves : number + 1;
	return 0;
}

uint32_t
flame_walk(const struct panel *p, uint32_t node)
{
	if (p->node[node].child != NODE_ROOT)
		return p->node[node].child;
	while (node != NODE_ROOT && p->node[node].next == NODE_ROOT)
		node = p->node[node].parent;
	return node == NODE_ROOT ? NODE_ROOT : p->node[node].next;
}

const char *
flame_weight(const struct panel *p, uint32_t node, enum flame_side side)
{
	size_t at = p->node[node].self[side];

	return at == 0 ? "0" : p->weights.p + at;
}

/* Returns true if the panel has weights of that side alone. */
static bool
is_only(const struct panel *p, enum flame_side side)
{
	bool any[FLAME_SIDES] = { false };
	uint32_t node;
	int i;

	for (node = flame_walk(p, NODE_ROOT); node != NODE_ROOT; node = flame_walk(p, node))
		for (i = 0; i < FLAME_SIDES; i++)
			any[i] |= p->node[node].self[i] != 0;
	return any[side] && any[FLAME_BEFORE] != any[FLAME_AFTER];
}

/* Returns true, and the measure, if its graphs have one side each, in different units. */
static bool
units_differ(const struct flame *f, struct slice *measure)
{
	size_t i, k;

	for (i = 0; i < f->panels; i++) {
		*measure = buf_slice(&f->panel[i].measure);
		if (slice_is_nothing(*measure) || !is_only(&f->panel[i], FLAME_BEFORE))
			continue;
		for (k = 0; k < f->panels; k++)
			if (slice_eq(buf_slice(&f->panel[k].measure), *measure) &&
			    is_only(&f->panel[k], FLAME_AFTER))
				return true;
	}
	return false;
}

/* Returns true if no root has stacks of both sides. */
static bool
roots_differ(const struct flame *f)
{
	bool any[FLAME_SIDES] = { false }, root[FLAME_SIDES];
	size_t i;
	uint32_t node;
	int side;

	for (i = 0; i < f->panels; i++) {
		const struct panel *p = &f->panel[i];

		for (node = flame_walk(p, NODE_ROOT); node != NODE_ROOT;
		     node = flame_walk(p, node)) {
			for (side = 0; side < FLAME_SIDES; side++) {
				if (p->node[node].parent == NODE_ROOT)
					root[side] = false;
				root[side] |= p->node[node].self[side] != 0;
				any[side] |= root[side];
			}
			if (root[FLAME_BEFORE] && root[FLAME_AFTER])
				return false;
		}
	}
	return any[FLAME_BEFORE] && any[FLAME_AFTER];
}

/* Appends the measures that only this side has. */
static void
name_alone(const struct flame *f, enum flame_side side, struct buf *names)
{
	size_t i;

	for (i = 0; i < f->panels; i++) {
		const struct panel *p = &f->panel[i];

		if (!slice_is_nothing(buf_slice(&p->measure)) && is_only(p, side))
			units_name(names, buf_slice(&p->measure), buf_slice(&p->unit));
	}
}

/* Stores which measures only one side has.  If memory runs out, some are missing. */
static bool
are_alone(const struct flame *f, char *text, size_t size)
{
	static const char what[] = "not compared, since only one side has it: ";
	struct buf before = { 0 }, after = { 0 };
	bool any;

	name_alone(f, FLAME_BEFORE, &before);
	name_alone(f, FLAME_AFTER, &after);
	any = before.len != 0 || after.len != 0;
	if (!any)
		*text = '\0';
	else if (before.len == 0)
		snprintf(text, size, "%s%.*s (after)", what, (int)after.len, after.p);
	else if (after.len == 0)
		snprintf(text, size, "%s%.*s (before)", what, (int)before.len, before.p);
	else
		snprintf(text, size, "%s%.*s (before), %.*s (after)", what, (int)before.len,
		    before.p, (int)after.len, after.p);
	buf_free(&before);
	buf_free(&after);
	return any;
}

/* Returns true if some graph has both sides. */
static bool
are_both(const struct flame *f)
{
	size_t i = 0;

	while (i < f->panels &&
	    (is_only(&f->panel[i], FLAME_BEFORE) || is_only(&f->panel[i], FLAME_AFTER)))
		i++;
	return i < f->panels;
}

bool
flame_is_apart(const struct flame *f, char *text, size_t size)
{
	struct slice measure;

	if (!f->two)
		return false;
	if (units_differ(f, &measure)) {
		snprintf(text, size,
		    "before and after give %.*s in different units, so it is not compared",
		    slice_shown(measure, NAME_SHOWN), measure.p);
		return true;
	}
	if (f->rootless || !are_both(f) || !roots_differ(f))
		return are_alone(f, text, size);
	snprintf(text, size,
	    "before and after share no root, so all functions differ; --root . leaves roots out");
	return true;
}
