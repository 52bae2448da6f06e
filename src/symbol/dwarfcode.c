/* SPDX-License-Identifier: ISC */
/* dwarfcode.c - which addresses belong to which unit and to which function. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/dwarfint.h"

#define ITEM_MOST 64 /* bytes of an item of a range list: a byte and two numbers */

/* ---- maps */

static int
by_from(const void *a, const void *b)
{
	const struct dwarf_range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* The ranges that have begun, as a heap with the highest value first. */
struct heap {
	const struct dwarf_range **item;
	size_t n;
};

static void
heap_push(struct heap *h, const struct dwarf_range *r)
{
	size_t i = h->n++, up;

	for (; i > 0 && h->item[up = (i - 1) / 2]->value < r->value; i = up)
		h->item[i] = h->item[up];
	h->item[i] = r;
}

static void
heap_pop(struct heap *h)
{
	const struct dwarf_range *last = h->item[--h->n];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && h->item[child + 1]->value > h->item[child]->value)
			child++;
		if (h->item[child]->value <= last->value)
			break;
		h->item[i] = h->item[child];
	}
	h->item[i] = last;
}

static bool
add_piece(struct dwarf_map *m, uint64_t from, uint32_t value)
{
	if (m->n > 0 && m->piece[m->n - 1].from == from)
		m->n--;
	if (m->n > 0 ? m->piece[m->n - 1].value == value : value == DWARF_NO_NODE)
		return true;
	if (!vec_room(m->piece, m->n, m->cap))
		return false;
	m->piece[m->n].from = from;
	m->piece[m->n++].value = value;
	return true;
}

/* Ends the ranges that do not extend beyond TO, and adds the pieces that begin at their ends. */
static bool
end_ranges(struct dwarf_map *m, struct heap *h, uint64_t to)
{
	uint64_t at;

	while (h->n > 0 && h->item[0]->to <= to) {
		at = h->item[0]->to;
		while (h->n > 0 && h->item[0]->to <= at)
			heap_pop(h);
		if (!add_piece(m, at, h->n > 0 ? h->item[0]->value : DWARF_NO_NODE))
			return false;
	}
	return true;
}

/* Adds a range to the heap, without the ranges that can never come first. */
static void
begin_range(struct heap *h, const struct dwarf_range *r)
{
	if (h->n > 0 && h->item[0]->value >= r->value && h->item[0]->to >= r->to)
		return;
	while (h->n > 0 && h->item[0]->value <= r->value && h->item[0]->to <= r->to)
		heap_pop(h);
	heap_push(h, r);
}

bool
dwarf_map_make(struct dwarf *d, struct dwarf_map *m, struct dwarf_ranges *r)
{
	struct heap h = { .item = mem_alloc((r->n + 1) * sizeof *h.item) };
	bool ok = h.item != NULL;
	size_t i;

	m->n = 0;
	for (i = 1; i < r->n && by_from(&r->range[i - 1], &r->range[i]) <= 0; i++)
		;
	if (i < r->n)
		qsort(r->range, r->n, sizeof *r->range, by_from);
	for (i = 0; ok && i < r->n; i++) {
		ok = end_ranges(m, &h, r->range[i].from);
		begin_range(&h, &r->range[i]);
		ok = ok && add_piece(m, r->range[i].from, h.item[0]->value);
	}
	ok = ok && end_ranges(m, &h, UINT64_MAX);
	mem_free(h.item);
	return ok ? true : dwarf_nomem(d);
}

uint32_t
dwarf_map_find(const struct dwarf_map *m, uint64_t address)
{
	size_t low = 0, high = m->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->piece[mid].from <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? m->piece[low - 1].value : DWARF_NO_NODE;
}

/* ---- ranges of entries: DWARF 5, sections 2.17 and 7.25 */

/*
 * Code that the linker dropped has an address at or after 0, or near the end (lld).  Segments are
 * sorted by address, and only a file that is not linked has code at 0.
 */
static bool
is_dropped(const struct elf_file *f, uint64_t from)
{
	return (f->loads > 0 && from == 0) || (f->has_code && from < f->code.vaddr) ||
	    from >= UINT64_MAX - 1 || (!f->wide && from >= UINT32_MAX - 1);
}

/* Returns true unless no segment has that address. */
static bool
may_be_code(const struct elf_file *f, uint64_t address)
{
	size_t i;

	for (i = 0; i < f->loads; i++)
		if (address >= f->load[i].vaddr && address - f->load[i].vaddr < f->load[i].size)
			return true;
	return f->loads == 0 || f->loads == ELF_LOADS_MAX;
}

bool
dwarf_ranges_add(struct dwarf *d, struct dwarf_ranges *r, uint64_t from, uint64_t to,
    uint32_t value)
{
	if (from == to || is_dropped(d->main.elf, from)) {
		r->ignored++;
		return true;
	}
	if (from > to || !may_be_code(d->main.elf, from))
		return dwarf_damaged(d,
		    "an address of its debug information is outside of its code");
	if (r->n == DWARF_RANGES_MAX)
		return dwarf_damaged(d, "its debug information has too many ranges");
	if (!vec_room(r->range, r->n, r->cap))
		return dwarf_nomem(d);
	r->range[r->n++] = (struct dwarf_range){ from, to, value };
	return true;
}

/* Returns the unit that has the addresses and their bases. */
static struct dwarf_unit *
owner(struct dwarf_unit *u)
{
	return u->skeleton != NULL ? u->skeleton : u;
}

/* The layout of each table: DWARF 5, sections 7.26 to 7.28. */
static const struct {
	enum dwarf_section section;
	unsigned after; /* bytes of the header after its version */
	const char *damaged;
} tables[] = {
	[DWARF_TABLE_ADDR] = { DWARF_ADDR, 2, "an address of its debug information is damaged" },
	[DWARF_TABLE_STR_OFFSETS] = { DWARF_STR_OFFSETS, 2,
	    "a string in its debug information is damaged" },
	[DWARF_TABLE_RNGLISTS] = { DWARF_RNGLISTS, 6,
	    "a range list of its debug information is damaged" },
};

/* Checks the header that is before the table. */
static bool
check_table(struct dwarf_unit *u, enum dwarf_table table, uint64_t base)
{
	const enum dwarf_section section = tables[table].section;
	unsigned size = u->format.offset_size;
	uint64_t at = base - tables[table].after - 2, length, version; /* AT: of the version */

	if (u->format.version < 5 || (u->checked & 1u << table) != 0)
		return true;
	if (base < size + 2u + tables[table].after)
		return false;
	if (!dwarf_number_at(u->file, section, at - size, size, &length) ||
	    !dwarf_number_at(u->file, section, at, 2, &version) || version != 5 ||
	    length > u->file->data[section].size - at)
		return false;
	u->checked |= (uint8_t)(1u << table);
	return true;
}

bool
dwarf_table_entry(struct dwarf_unit *u, enum dwarf_table table, uint64_t index, unsigned size,
    uint64_t *v)
{
	uint64_t base = table == DWARF_TABLE_ADDR ? u->addr_base
	    : table == DWARF_TABLE_STR_OFFSETS    ? u->str_offsets_base
						  : u->rnglists_base;

	if (base == DWARF_NONE || index > (UINT64_MAX - base) / size ||
	    !check_table(u, table, base))
		return dwarf_fail(u->file, tables[table].damaged);
	return dwarf_number_at(u->file, tables[table].section, base + index * size, size, v);
}

bool
dwarf_address(struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *address)
{
	struct dwarf_unit *o = owner(u);

	*address = v->n;
	if (v->kind == DWARF_IS_ADDRESS)
		return true;
	if (v->kind != DWARF_IS_ADDRESS_INDEX)
		return dwarf_fail(u->file, "an address of its debug information is damaged");
	return dwarf_table_entry(o, DWARF_TABLE_ADDR, v->n, o->format.address_size, address);
}

static bool
indexed(struct dwarf_unit *u, struct cur *c, uint64_t *address)
{
	struct dwarf_value v = { DWARF_IS_ADDRESS_INDEX, dwarf_uleb(c) };

	return dwarf_address(u, &v, address);
}

/* Reads pairs of addresses up to a pair of zeros, as in versions up to 4. */
static bool
read_pairs(struct dwarf_unit *u, uint64_t at, uint32_t value, struct dwarf_ranges *r)
{
	const struct dwarf_unit *o = owner(u);
	unsigned size = o->format.address_size;
	uint64_t base = o->low, from, to, last = size == 8 ? UINT64_MAX : UINT32_MAX;
	struct dwarf_window w;
	bool ok = dwarf_window_open(&w, o->file, DWARF_RANGES, at, UINT64_MAX, DWARF_FEW);

	while (ok) {
		ok = dwarf_window_want(&w, (size_t)2 * size);
		from = dwarf_number(&w.c, size);
		to = dwarf_number(&w.c, size);
		if (!cur_ok(&w.c))
			ok =
			    dwarf_fail(o->file, "a range list of its debug information is damaged");
		if (!ok || (from == 0 && to == 0))
			break;
		if (from == last)
			base = to;
		else
			ok = dwarf_ranges_add(u->file->dwarf, r, (base + from) & last,
			    (base + to) & last, value);
	}
	dwarf_window_close(&w);
	return ok;
}

/* Reads one item of a list.  *from and *to are equal if it is not a range. */
static bool
read_item(struct dwarf_unit *u, struct cur *c, unsigned kind, uint64_t *base, uint64_t *from,
    uint64_t *to)
{
	unsigned size = owner(u)->format.address_size;
	bool ok = true;

	*from = *to = 0;
	switch (kind) {
	case DW_RLE_base_addressx: return indexed(u, c, base);
	case DW_RLE_startx_endx: return indexed(u, c, from) && indexed(u, c, to);
	case DW_RLE_startx_length:
		ok = indexed(u, c, from);
		*to = *from + dwarf_uleb(c);
		break;
	case DW_RLE_offset_pair:
		*from = *base + dwarf_uleb(c);
		*to = *base + dwarf_uleb(c);
		break;
	case DW_RLE_base_address: *base = dwarf_number(c, size); break;
	case DW_RLE_start_end:
		*from = dwarf_number(c, size);
		*to = dwarf_number(c, size);
		break;
	case DW_RLE_start_length:
		*from = dwarf_number(c, size);
		*to = *from + dwarf_uleb(c);
		break;
	default: c->bad = true;
	}
	return ok;
}

static bool
read_list(struct dwarf_unit *u, uint64_t at, uint32_t value, struct dwarf_ranges *r)
{
	uint64_t base = owner(u)->low, from, to;
	struct dwarf_window w;
	bool ok = dwarf_window_open(&w, u->file, DWARF_RNGLISTS, at, UINT64_MAX, DWARF_FEW);
	unsigned kind;

	while (ok && (ok = dwarf_window_want(&w, ITEM_MOST))) {
		kind = cur_u8(&w.c);
		if (kind == DW_RLE_end_of_list && cur_ok(&w.c))
			break;
		ok = read_item(u, &w.c, kind, &base, &from, &to);
		if (ok && !cur_ok(&w.c))
			ok =
			    dwarf_fail(u->file, "a range list of its debug information is damaged");
		ok = ok && dwarf_ranges_add(u->file->dwarf, r, from, to, value);
	}
	dwarf_window_close(&w);
	return ok;
}

/* Reads the list that v refers to. */
static bool
read_ranges(struct dwarf_unit *u, const struct dwarf_value *v, uint32_t value,
    struct dwarf_ranges *r)
{
	unsigned size = u->format.offset_size;
	uint64_t at = v->n;

	if (u->format.version < 5) {
		/* GNU's split units share the skeleton's section, and have a part of it */
		if (u->skeleton != NULL)
			at = at <= UINT64_MAX - u->skeleton->ranges_base
			    ? at + u->skeleton->ranges_base
			    : UINT64_MAX;
		return read_pairs(u, at, value, r);
	}
	if (v->kind == DWARF_IS_LIST_INDEX) {
		if (!dwarf_table_entry(u, DWARF_TABLE_RNGLISTS, v->n, size, &at))
			return false;
		at += u->rnglists_base;
	} else {
		at += u->rnglists_start;
	}
	return read_list(u, at, value, r);
}

bool
dwarf_ranges_of(struct dwarf_unit *u, const struct dwarf_die *die, uint32_t value,
    struct dwarf_ranges *r)
{
	const struct dwarf_value *high = &die->v[DWARF_HIGH];
	uint64_t from, to;

	if (dwarf_has(die, DWARF_RANGE_LIST))
		return read_ranges(u, &die->v[DWARF_RANGE_LIST], value, r);
	if (!dwarf_has(die, DWARF_LOW) || !dwarf_has(die, DWARF_HIGH))
		return true;
	if (!dwarf_address(u, &die->v[DWARF_LOW], &from))
		return false;
	if (high->kind == DWARF_IS_NUMBER)
		to = from + high->n;
	else if (!dwarf_address(u, high, &to))
		return false;
	return dwarf_ranges_add(u->file->dwarf, r, from, to, value);
}

/* ---- functions */

/* The state of the walk through a unit. */
struct walk {
	struct dwarf_unit *u;
	struct dwarf_code *code;
	struct dwarf_ranges ranges;
	uint32_t parent[DWARF_DEPTH_MAX + 1]; /* by depth: the function around the entries */
};

static uint32_t
number_of(const struct dwarf_die *die, enum dwarf_slot slot)
{
	const struct dwarf_value *v = &die->v[slot];

	return dwarf_has(die, slot) && v->kind == DWARF_IS_NUMBER && v->n <= UINT32_MAX
	    ? (uint32_t)v->n
	    : 0;
}

static bool
add_function(struct walk *k, const struct dwarf_die *die, uint32_t at, uint32_t parent)
{
	struct dwarf_code *c = k->code;
	uint32_t node = (uint32_t)c->nodes;
	size_t before = k->ranges.n + k->ranges.ignored;

	if (c->nodes >= DWARF_NO_NODE)
		return dwarf_damaged(k->u->file->dwarf,
		    "a unit of its debug information is too large");
	if (!vec_room(c->node, c->nodes, c->cap))
		return dwarf_nomem(k->u->file->dwarf);
	c->node[c->nodes++] = (struct dwarf_node){ .at = at,
		.parent = die->tag == DW_TAG_inlined_subroutine ? parent : DWARF_NO_NODE,
		.call_file = number_of(die, DWARF_CALL_FILE),
		.call_line = number_of(die, DWARF_CALL_LINE) };
	if (!dwarf_ranges_of(k->u, die, node, &k->ranges))
		return false;
	if (dwarf_has(die, DWARF_RANGE_LIST) && k->ranges.n + k->ranges.ignored == before)
		return dwarf_fail(k->u->file, DWARF_EMPTY_LIST);
	return true;
}

static bool
take(void *ctx, const struct dwarf_die *die, uint32_t at, unsigned depth)
{
	struct walk *k = ctx;
	uint32_t node = k->parent[depth];

	if ((die->tag == DW_TAG_subprogram && !dwarf_has(die, DWARF_DECLARATION)) ||
	    die->tag == DW_TAG_inlined_subroutine) {
		node = (uint32_t)k->code->nodes;
		if (!add_function(k, die, at, k->parent[depth]))
			return false;
	}
	if (die->children)
		k->parent[depth + 1] = node;
	return true;
}

static bool
add_all(struct dwarf *d, const struct dwarf_ranges *from, struct dwarf_ranges *to, uint32_t value)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		if (!dwarf_ranges_add(d, to, from->range[i].from, from->range[i].to, value))
			return false;
	return true;
}

bool
dwarf_code_read(struct dwarf_unit *u, struct dwarf_code *c, struct dwarf_ranges *all,
    uint32_t value)
{
	struct walk k = { .u = u, .code = c, .parent = { DWARF_NO_NODE } };
	struct dwarf *d = u->file->dwarf;
	bool ok = dwarf_walk(u, take, &k) && (all == NULL || add_all(d, &k.ranges, all, value)) &&
	    dwarf_map_make(d, &c->map, &k.ranges);

	mem_free(k.ranges.range);
	return ok;
}

void
dwarf_code_free(struct dwarf_code *c)
{
	mem_free(c->node);
	mem_free(c->map.piece);
	*c = (struct dwarf_code){ .node = NULL };
}
