/* SPDX-License-Identifier: ISC */
/*
 * spill.c - groups on disk: when memory gets short, all groups are written to a temporary file in
 * order, as the text of their states, and at the end the pieces of the file are merged.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/extsort.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"
#include "src/aggregate/zeros.h"

/*
 * Groups are written when they take this part of the memory that the program may use.  The rest is
 * for arrays that are being doubled, for sorting, and for the buffers of the pieces.
 */
#define SPILL_PART 3
#define SPILL_GROUPS 64 /* fewer are written only if they take twice as much */

/* The start of an item.  The keys, the identity and the tags of the state follow. */
struct head {
	uint32_t keys, id; /* lengths */
	uint32_t measure, run, mid;
	uint32_t zero; /* instead of padding, which would be bytes of the stack */
	struct wide start, end;
	uint64_t counted;
};

static struct head
head_of(const char *item)
{
	struct head h;

	memcpy(&h, item, sizeof h);
	return h;
}

static struct slice
keys_of(const char *item, const struct head *h)
{
	return (struct slice){ item + sizeof *h, h->keys };
}

static struct slice
id_of(const char *item, const struct head *h)
{
	return (struct slice){ item + sizeof *h + h->keys, h->id };
}

static int
cmp_items(const char *a, const char *b)
{
	struct head x = head_of(a), y = head_of(b);
	int c = slice_cmp(keys_of(a, &x), keys_of(b, &y));

	return c != 0 ? c : slice_cmp(id_of(a, &x), id_of(b, &y));
}

/*
 * ---- writing
 */

/* A group to be written.  Its identity is cut after the type, since the unit may still change. */
struct row {
	struct slice keys, id;
	uint32_t number, measure;
};

static int
cmp_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = slice_cmp(x->keys, y->keys);

	return c != 0 ? c : slice_cmp(x->id, y->id);
}

static struct row
row_of(const struct aggregate *a, size_t number)
{
	struct row row = { .number = (uint32_t)number };
	struct slice part[ID_TYPE + 1], text;

	row.keys = results_keys(a, number, &row.measure);
	text = a->measures.item[row.measure];
	(void)aggregate_split(text, part, ID_TYPE + 1);
	row.id = (struct slice){ text.p, part[ID_MEASURE].len + 1 + part[ID_TYPE].len };
	return row;
}

static int
put_item(struct aggregate *a, const struct row *row, struct slice tags, struct err *e)
{
	const struct group *g = &a->cells.group[row->number];
	struct head h = { (uint32_t)row->keys.len, (uint32_t)row->id.len, row->measure, g->run,
		g->mid, 0, g->start, g->end,
		a->cells.counted == NULL ? 0 : a->cells.counted[row->number] };
	size_t n = sizeof h + row->keys.len + row->id.len + tags.len;
	char *p = extsort_room(a->spill, n);

	if (p == NULL)
		return err_nomem(e);
	memcpy(p, &h, sizeof h);
	p += sizeof h;
	if (row->keys.len != 0)
		memcpy(p, row->keys.p, row->keys.len);
	memcpy(p + row->keys.len, row->id.p, row->id.len);
	memcpy(p + row->keys.len + row->id.len, tags.p, tags.len);
	extsort_put(a->spill, n);
	return 0;
}

/* Writes a group, as several items if its state is long. */
static int
put_row(struct aggregate *a, const struct row *row, struct buf *text, struct err *e)
{
	struct state st = cells_state(&a->cells, row->number);
	struct state_piece at = { 0 };
	bool more = true;
	int rc;

	if (a->cells.group[row->number].run == BROKEN)
		return put_item(a, row, SLICE(""), e);
	rc = state_settle(&a->stats.keep, &st, e);
	while (rc == 0 && more) {
		text->len = 0;
		rc = state_write(&a->stats.keep, &st, &at, text, &more)
		    ? put_item(a, row, buf_slice(text), e)
		    : err_nomem(e);
	}
	return rc;
}

static int
put_rows(struct aggregate *a, struct row *row, size_t n, struct err *e)
{
	struct buf text = { 0 };
	size_t i;
	int rc = extsort_begin(a->spill, e);

	qsort(row, n, sizeof *row, cmp_rows);
	for (i = 0; rc == 0 && i < n; i++)
		rc = put_row(a, &row[i], &text, e);
	buf_free(&text);
	return rc == 0 ? extsort_end(a->spill, e) : rc;
}

/* Notes groups for the zeros between them, which are found at the end. */
static int
see_zeros(struct aggregate *a, const struct row *row, size_t n, struct err *e)
{
	size_t i;

	if (a->nzeros == 0 || a->partial)
		return 0;
	if (a->zeros == NULL)
		a->zeros = zeros_new();
	for (i = 0; a->zeros != NULL && i < n; i++)
		if (!zeros_see(a->zeros, a, row[i].keys, row[i].measure,
			&a->cells.group[row[i].number]))
			return err_nomem(e);
	return a->zeros == NULL ? err_nomem(e) : 0;
}

int
spill_groups(struct aggregate *a, struct err *e)
{
	size_t n = a->groups.count, i;
	struct row *row;
	int rc;

	if (n == 0)
		return 0;
	if (a->spill == NULL && extsort_open(&a->spill, cmp_items, e) != 0)
		return (int)e->code;
	row = mem_alloc(n * sizeof *row);
	if (row == NULL)
		return err_nomem(e);
	for (i = 0; i < n; i++)
		row[i] = row_of(a, i);
	rc = see_zeros(a, row, n, e);
	if (rc == 0)
		rc = put_rows(a, row, n, e);
	mem_free(row);
	aggregate_free_groups(a);
	return rc;
}

uint64_t
spill_threshold(void)
{
	return mem_ceiling() / SPILL_PART;
}

bool
spill_is_due(const struct aggregate *a)
{
	return a->groups.count >= SPILL_GROUPS || mem_used() > a->spill_at * 2;
}

void
spill_close(struct aggregate *a)
{
	extsort_close(a->spill);
	a->spill = NULL;
	zeros_free(a->zeros);
	a->zeros = NULL;
}

/*
 * ---- reading
 */

/* The groups with the same keys, measure and type: one for each unit, and so on. */
struct block {
	struct buf text; /* a copy of the keys and the identity */
	struct slice keys, id;
	struct cells cells;
	struct member *member; /* by number in cells, until they are put in order */
	size_t n, cap;
	uint32_t
	    *place; /* by rank: the number in cells + 1, or 0; it is 0 for all ranks at first */
};

struct member {
	uint32_t rank, measure, number; /* number in cells */
};

static void
clear(struct block *b)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct state st = cells_state(&b->cells, i);

		state_release(&st);
		b->cells.group[i] = GROUP_EMPTY;
		if (st.s != NULL)
			*st.s = SPREAD_EMPTY;
		if (st.d != NULL)
			memset(st.d, 0, sizeof *st.d);
		if (b->cells.counted != NULL)
			b->cells.counted[i] = 0;
		b->place[b->member[i].rank] = 0;
	}
	b->n = 0;
}

static bool
begin_block(struct block *b, struct slice keys, struct slice id)
{
	b->text.len = 0;
	if (!buf_put(&b->text, keys.p, keys.len) || !buf_put(&b->text, id.p, id.len))
		return false;
	b->keys = (struct slice){ b->text.p, keys.len };
	b->id = (struct slice){ b->text.p + keys.len, id.len };
	return true;
}

/* Finds the group of that rank in the block, or adds it.  Returns MIXED if memory runs out. */
static size_t
find(const struct aggregate *a, struct block *b, uint32_t rank, uint32_t measure)
{
	size_t i = b->place[rank];

	if (i != 0)
		return i - 1;
	i = b->n;
	if (i >= MIXED || !vec_room(b->member, i, b->cap) ||
	    (i >= b->cells.cap && !aggregate_room(a, &b->cells, i)))
		return MIXED;
	b->member[i] = (struct member){ rank, measure, (uint32_t)i };
	b->place[rank] = (uint32_t)++b->n;
	return i;
}

static int
take_item(struct aggregate *a, const struct results *r, struct block *b, struct slice item,
    struct err *e)
{
	struct head h = head_of(item.p);
	size_t skip = sizeof h + h.keys + h.id + 1; /* the tags begin with a TAB */
	size_t i = find(a, b, r->identity[h.measure].rank, h.measure);
	struct slice tags = { item.p + skip, item.len - skip };
	struct state st;

	if (i == MIXED)
		return err_nomem(e);
	if (h.run == BROKEN)
		b->cells.group[i].run = BROKEN;
	if (b->cells.group[i].run == BROKEN)
		return 0;
	aggregate_see(&b->cells.group[i], h.run, h.mid, h.start, h.end, results_count(tags));
	cells_count(&b->cells, i, h.counted);
	st = cells_state(&b->cells, i);
	return results_take_tags(a, &st, tags, e);
}

static int
cmp_members(const void *a, const void *b)
{
	uint32_t x = ((const struct member *)a)->rank, y = ((const struct member *)b)->rank;

	return (x > y) - (x < y);
}

/* Writes the groups of the block in the order of their ranks. */
static int
put_block(struct aggregate *a, const struct results *r, struct block *b, struct results_out *out,
    struct err *e)
{
	size_t i;
	int rc = 0;

	qsort(b->member, b->n, sizeof *b->member, cmp_members);
	for (i = 0; rc == 0 && i < b->n; i++) {
		const struct placed p = { b->keys, b->member[i].measure, &b->cells,
			b->member[i].number };

		rc = out->zeros != NULL ? zeros_put(a, r, out, &p, e)
					: results_put(a, r, out, &p, e);
	}
	clear(b);
	return rc;
}

static int
merge(struct aggregate *a, const struct results *r, struct block *b, struct results_out *out,
    struct err *e)
{
	struct slice item;
	int rc = 0;

	while (rc == 0 && !evw_failed(out->w) && extsort_peek(a->spill, &item)) {
		struct head h = head_of(item.p);
		struct slice keys = keys_of(item.p, &h), id = id_of(item.p, &h);

		if (b->n != 0 && (!slice_eq(keys, b->keys) || !slice_eq(id, b->id)))
			rc = put_block(a, r, b, out, e);
		if (rc == 0 && b->n == 0 && !begin_block(b, keys, id))
			rc = err_nomem(e);
		if (rc == 0)
			rc = take_item(a, r, b, item, e);
		if (rc == 0)
			rc = extsort_pop(a->spill, e);
	}
	return rc == 0 && b->n != 0 ? put_block(a, r, b, out, e) : rc;
}

int
spill_write(struct aggregate *a, const struct results *r, struct results_out *out, struct err *e)
{
	struct block b = { 0 };
	int rc = spill_groups(a, e);

	out->zeros = a->zeros;
	a->zeros = NULL;
	if (rc == 0 && out->zeros != NULL)
		rc = zeros_ready(out->zeros, a, r, e);
	b.place = mem_zero(r->texts.count + 1, sizeof *b.place);
	if (rc == 0 && b.place == NULL)
		rc = err_nomem(e);
	if (rc == 0)
		rc = merge(a, r, &b, out, e);
	if (rc == 0 && out->zeros != NULL)
		rc = zeros_put_rest(a, r, out, e);
	zeros_free(out->zeros);
	clear(&b);
	aggregate_free_cells(&b.cells, 0);
	buf_free(&b.text);
	mem_free(b.member);
	mem_free(b.place);
	return rc;
}
