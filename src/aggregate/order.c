/* SPDX-License-Identifier: ISC */
/*
 * order.c - the groups in order: those of the aggregation, and those that threads have added.
 *
 * Each thread's groups are sorted where they are, in a thread each, and the sorted lists are merged
 * while they are written, which is when groups of the same identity are joined.  The order is then
 * cut into pieces.  Threads write the lines of a piece to memory, and the caller's thread passes
 * the pieces on in their order.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crew.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/textsort.h"
#include "lib/vec.h"
#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"
#include "src/aggregate/zeros.h"

#define ROWS_AHEAD ((size_t)32) /* rows whose groups are fetched ahead */
#define ROWS_MANY ((size_t)4096) /* fewer are not worth a thread */
#define PIECE_SIZE ((size_t)256 * 1024) /* about; bytes of lines */
#define LINE_USUAL ((size_t)96) /* bytes of a line besides the keys */
#define ROWS_LEAST ((size_t)16) /* of a piece; if these do not fit, one thread writes all */
#define PIECES_EACH 3 /* pieces for each thread that have not been passed on */

/* The groups of one aggregation, as rows in order. */
struct list {
	struct aggregate *a;
	const struct mapping *map; /* from its numbers to those of the result; NULL: the same */
	struct textsort_row *row;
	size_t n;
	size_t longest; /* bytes of the text of a group */
};

/* A place in the order: before all groups that are not lower. */
struct cut {
	struct slice keys;
	uint32_t rank;
};

/* A piece that is being written, or waits to be passed on. */
struct piece {
	struct evwrite w;
	struct results_out out;
	bool done;
	int rc;
	struct err e;
};

struct order {
	struct aggregate *a;
	const struct results *r;
	struct list *list;
	size_t lists;
	size_t threads; /* with the caller's */
	struct cut *cut;
	size_t cuts, cuts_cap;
	struct piece *piece; /* a ring */
	size_t pieces;
	/* LOCK guards these, and done of each piece. */
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	size_t sorting; /* the next list to sort */
	size_t next, passed; /* the next piece to write, and those that have been passed on */
	bool ending;
};

/*
 * ---- lists
 */

/* Returns the length of the keys in the text of a group. */
static size_t
keys_length(const void *ctx, struct slice text)
{
	const struct aggregate *a = ctx;
	struct slice key[GROUPING_KEYS_MAX];
	struct slice rest = aggregate_split(text, key, a->by.nkeys);

	return rest.len == 0 ? text.len : text.len - 1 - GROUP_MEASURE;
}

/* Returns whether a group belongs to the result that is being written. */
static bool
is_due(const struct aggregate *a, struct slice keys)
{
	struct slice key[GROUPING_KEYS_MAX];

	if (!a->interim || a->by.windowed == GROUPING_NONE)
		return true;
	(void)aggregate_split(keys, key, a->by.nkeys);
	return grouping_window_ends(&a->by, key[a->by.windowed], a->from, a->upto);
}

/* Returns the texts of the keys of a group, and stores the number of its measure in the result. */
static struct slice
keys_of(const struct list *l, size_t number, uint32_t *measure)
{
	struct slice keys = results_keys(l->a, number, measure);

	if (l->map != NULL)
		*measure = l->map->measure[*measure];
	return keys;
}

/* Sorts the groups that are due. */
static void
sort(struct list *l, const struct results *r)
{
	const struct textsort_texts texts = { l->a->groups.item,
		l->a->measures.count > 1 ? keys_length : NULL, l->a };
	size_t i;

	if (l->map != NULL)
		join_renumber(l->a, l->map);
	for (i = 0; i < l->a->groups.count; i++) {
		uint32_t measure;
		struct slice keys = keys_of(l, i, &measure);

		l->row[l->n].number = (uint32_t)i;
		l->row[l->n].rank = r->identity[measure].rank;
		l->n += is_due(l->a, keys);
		l->longest = keys.len > l->longest ? keys.len : l->longest;
	}
	textsort(l->row, l->n, &texts);
}

/* Sorts lists until there are no more, in any thread. */
static void *
sort_lists(void *ctx)
{
	struct order *o = ctx;

	(void)pthread_mutex_lock(&o->lock);
	while (o->sorting < o->lists) {
		struct list *l = &o->list[o->sorting++];

		(void)pthread_mutex_unlock(&o->lock);
		sort(l, o->r);
		(void)pthread_mutex_lock(&o->lock);
	}
	(void)pthread_mutex_unlock(&o->lock);
	return NULL;
}

static void
sort_all(struct order *o)
{
	pthread_t thread[CREW_MAX];
	size_t n = crew_start(thread, o->threads - 1, sort_lists, o, 0);

	(void)sort_lists(o);
	crew_end(thread, n);
}

/* Returns the memory for a row of each group, which is that of the look-ups if there are none. */
static struct textsort_row *
make_rows(struct aggregate *a)
{
	size_t n = a->groups.count;

	_Static_assert(sizeof(struct textsort_row) <= TAB_SPACE, "a row fits into the space");
	return a->finished ? tab_give_up(&a->groups)
			   : mem_array(NULL, 0, n * sizeof(struct textsort_row));
}

/* Lists the aggregations that have groups.  Returns false if memory runs out. */
static bool
make_lists(struct order *o)
{
	struct aggregate *a = o->a;
	size_t i;

	o->list = mem_zero(a->shares + 1, sizeof *o->list);
	for (i = 0; o->list != NULL && i <= a->shares; i++) {
		struct list *l = &o->list[o->lists];

		*l = i == 0 ? (struct list){ .a = a }
			    : (struct list){ .a = a->share[i - 1].a, .map = &a->share[i - 1].map };
		if (l->a->groups.count == 0)
			continue;
		l->row = make_rows(l->a);
		if (l->row == NULL)
			return false;
		o->lists++;
	}
	return o->list != NULL;
}

/*
 * ---- merging
 */

/* The next group of a list. */
struct cursor {
	const struct list *list;
	size_t at, end; /* into row */
	size_t fetched; /* groups before this row have been fetched ahead */
	size_t shared; /* bytes with which the keys of all groups of all cursors begin */
	struct slice keys;
	uint64_t head; /* the next eight bytes of the keys, the first one highest, or zeros */
	uint32_t measure;
};

/*
 * Fetches the groups of some rows, and the places of the texts of others.  They are anywhere in
 * memory, so that each may wait for an entry of the page table, too.  Between the many instructions
 * that write a group these waits would come one by one; here they come together.
 */
static HINT_INLINE void
fetch_groups(const struct cursor *c, size_t from, size_t end)
{
	const struct aggregate *a = c->list->a;
	const struct textsort_row *row = c->list->row;

	for (; from < end && from < c->end; from++) {
		struct slice text = a->groups.item[row[from].number];

		hint_soon(text.p);
		hint_soon(text.p + text.len);
		cells_soon(&a->cells, row[from].number);
	}
}

static HINT_INLINE void
fetch_texts(const struct cursor *c, size_t from, size_t end)
{
	for (; from < end && from < c->end; from++)
		hint_soon(&c->list->a->groups.item[c->list->row[from].number]);
}

static uint64_t
head_of(struct slice keys, size_t at)
{
	uint64_t head = 0;
	size_t i;

	for (i = at; i < at + sizeof head; i++)
		head = head << 8 | (i < keys.len ? (unsigned char)keys.p[i] : 0);
	return head;
}

/* Reads the identity of the group at the cursor, unless the list is at its end. */
static void
load(struct cursor *c)
{
	if (c->at >= c->end)
		return;
	if (c->at >= c->fetched) {
		fetch_groups(c, c->at + ROWS_AHEAD, c->at + 2 * ROWS_AHEAD);
		fetch_texts(c, c->at + 2 * ROWS_AHEAD, c->at + 3 * ROWS_AHEAD);
		c->fetched = c->at + ROWS_AHEAD;
	}
	c->keys = keys_of(c->list, c->list->row[c->at].number, &c->measure);
	c->head = head_of(c->keys, c->shared);
}

static inline const struct textsort_row *
row_at(const struct cursor *c)
{
	return &c->list->row[c->at];
}

static int
compare(struct slice keys, uint32_t rank, const struct cut *with)
{
	int c = slice_cmp(keys, with->keys);

	return c != 0 ? c : (rank > with->rank) - (rank < with->rank);
}

static bool
is_lower(const struct cursor *x, const struct cursor *y)
{
	if (x->head != y->head)
		return x->head < y->head;
	return compare(x->keys, row_at(x)->rank, &(struct cut){ y->keys, row_at(y)->rank }) < 0;
}

/* Returns the cursor at the lowest group, the first of several, or NULL if there is none. */
static struct cursor *
lowest(struct cursor *c, size_t n)
{
	struct cursor *low = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (c[i].at < c[i].end && (low == NULL || is_lower(&c[i], low)))
			low = &c[i];
	return low;
}

static bool
is_same(const struct cursor *x, const struct cursor *y)
{
	const struct textsort_row *a = row_at(x), *b = row_at(y);

	return y->at < y->end && x->head == y->head && a->rank == b->rank &&
	    short_eq(x->keys, y->keys);
}

/* Joins the other groups of the same identity to a group, and goes on after them. */
static int
join_same(const struct order *o, const struct cursor *to, struct cursor *c, size_t n, struct err *e)
{
	struct cells *cells = &to->list->a->cells;
	size_t i;
	int rc = 0;

	for (i = 0; i < n; i++)
		for (; rc == 0 && is_same(to, &c[i]); c[i].at++, load(&c[i]))
			rc = c[i].list == to->list
			    ? results_join(o->a, cells, row_at(to)->number, cells,
				  row_at(&c[i])->number, e)
			    : join_cell(o->a, cells, row_at(to)->number, &c[i].list->a->cells,
				  row_at(&c[i])->number, e);
	return rc;
}

/* Returns where a list has the cut, or ELSEWHERE if that is NULL. */
static size_t
find_cut(const struct list *l, const struct cut *cut, size_t elsewhere)
{
	size_t from = 0, to = l->n, middle;
	uint32_t measure;

	if (cut == NULL)
		return elsewhere;
	while (from < to) {
		middle = from + (to - from) / 2;
		if (compare(keys_of(l, l->row[middle].number, &measure), l->row[middle].rank, cut) <
		    0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Returns how many bytes all keys from the cursors on share.  It is enough to look at the ends. */
static size_t
shared_bytes(const struct cursor *c, size_t n)
{
	struct slice first = { NULL, 0 }, keys;
	size_t shared = SIZE_MAX, i, k, at;
	uint32_t measure;

	for (i = 0; i < 2 * n; i++) {
		const struct cursor *x = &c[i / 2];

		if (x->at == x->end)
			continue;
		keys = keys_of(x->list, x->list->row[i % 2 == 0 ? x->at : x->end - 1].number,
		    &measure);
		if (shared == SIZE_MAX) {
			first = keys;
			shared = keys.len;
		}
		for (k = 0, at = keys.len < shared ? keys.len : shared;
		     k < at && keys.p[k] == first.p[k]; k++)
			;
		shared = k;
	}
	return shared;
}

/* Sets cursors to the groups between two cuts. */
static void
begin(const struct order *o, const struct cut *from, const struct cut *to, struct cursor *c)
{
	size_t n = o->lists, shared, i;

	for (i = 0; i < n; i++) {
		const struct list *l = &o->list[i];
		size_t at = find_cut(l, from, 0);

		c[i] = (struct cursor){ .list = l,
			.at = at,
			.end = find_cut(l, to, l->n),
			.fetched = at };
		fetch_texts(&c[i], at, at + 2 * ROWS_AHEAD);
	}
	shared = shared_bytes(c, n);
	for (i = 0; i < n; i++) {
		c[i].shared = shared;
		fetch_groups(&c[i], c[i].at, c[i].at + ROWS_AHEAD);
		load(&c[i]);
	}
}

/* Writes the groups between two cuts, or from the start, or to the end. */
static int
write_between(const struct order *o, const struct cut *from, const struct cut *to,
    struct results_out *out, struct err *e)
{
	int (*put)(const struct aggregate *, const struct results *, struct results_out *,
	    const struct placed *, struct err *) = out->zeros != NULL ? zeros_put : results_put;
	struct cursor c[CREW_MAX + 1], *low, x;
	int rc = 0;

	begin(o, from, to, c);
	while (rc == 0 && !evw_failed(out->w) && (low = lowest(c, o->lists)) != NULL) {
		x = *low;
		low->at++;
		load(low);
		rc = join_same(o, &x, c, o->lists, e);
		if (rc == 0)
			rc = put(o->a, o->r, out,
			    &(struct placed){ x.keys, x.measure, &x.list->a->cells,
				row_at(&x)->number },
			    e);
	}
	return rc;
}

/*
 * ---- pieces
 */

static int
cmp_cuts(const void *a, const void *b)
{
	const struct cut *x = a;

	return compare(x->keys, x->rank, b);
}

/*
 * Returns how many groups of each list a piece may have, or 0 if there is to be one piece only: if
 * a group may have many lines, or long ones, which would take much memory, or if all groups must be
 * seen in their order.
 */
static size_t
rows_of_piece(const struct order *o)
{
	size_t longest = 0, rows, i;
	bool bounded = !o->a->partial && o->a->nzeros == 0 && !o->a->watch.on;

	for (i = 0; i < o->lists; i++)
		longest = o->list[i].longest > longest ? o->list[i].longest : longest;
	for (i = 0; i < o->a->stats.n; i++)
		bounded &= o->a->stats.wanted[i].stat != STAT_HIST;
	rows = PIECE_SIZE / o->a->stats.n / (LINE_USUAL + longest);
	return bounded && rows >= ROWS_LEAST ? rows : 0;
}

/* Cuts the order so that no list has more than ROWS groups between two cuts. */
static bool
cut_lists(struct order *o, size_t rows)
{
	size_t i, k;

	for (i = 0; i < o->lists; i++) {
		const struct list *l = &o->list[i];

		for (k = rows; k < l->n; k += rows) {
			uint32_t measure;

			if (!vec_room(o->cut, o->cuts, o->cuts_cap))
				return false;
			o->cut[o->cuts++] =
			    (struct cut){ keys_of(l, l->row[k].number, &measure), l->row[k].rank };
		}
	}
	if (o->cuts != 0)
		qsort(o->cut, o->cuts, sizeof *o->cut, cmp_cuts);
	return true;
}

static bool
make_pieces(struct order *o)
{
	size_t n = o->threads * PIECES_EACH, wholes = o->r->wholes.count;

	o->piece = mem_zero(n, sizeof *o->piece);
	for (; o->piece != NULL && o->pieces < n; o->pieces++) {
		struct piece *p = &o->piece[o->pieces];

		if (!evw_open(&p->w, -1, NULL))
			return false;
		evw_hold(&p->w);
		p->out =
		    (struct results_out){ .w = &p->w, .n = mem_zero(wholes + 1, sizeof *p->out.n) };
		if (p->out.n == NULL) {
			out_free(&p->w.out);
			return false;
		}
	}
	return o->piece != NULL;
}

static void
free_pieces(struct order *o)
{
	size_t i;

	for (i = 0; i < o->pieces; i++) {
		buf_free(&o->piece[i].out.shared);
		mem_free(o->piece[i].out.n);
		out_free(&o->piece[i].w.out);
	}
	mem_free(o->piece);
	mem_free(o->cut);
}

/* Takes the next piece and writes it.  With the lock, which is free meanwhile. */
static void
write_next(struct order *o)
{
	size_t i = o->next++;
	struct piece *p = &o->piece[i % o->pieces];

	(void)pthread_mutex_unlock(&o->lock);
	p->rc = write_between(o, i == 0 ? NULL : &o->cut[i - 1], i == o->cuts ? NULL : &o->cut[i],
	    &p->out, &p->e);
	(void)pthread_mutex_lock(&o->lock);
	p->done = true;
	(void)pthread_cond_signal(&o->done);
}

/* Returns whether there is a piece to write, and room for it. */
static bool
can_write(const struct order *o)
{
	return o->next <= o->cuts && o->next - o->passed < o->pieces;
}

static void *
write_pieces(void *ctx)
{
	struct order *o = ctx;

	(void)pthread_mutex_lock(&o->lock);
	while (!o->ending && o->next <= o->cuts)
		if (can_write(o))
			write_next(o);
		else
			(void)pthread_cond_wait(&o->work, &o->lock);
	(void)pthread_mutex_unlock(&o->lock);
	return NULL;
}

/* Waits until a piece has been written, and writes others, or itself, meanwhile. */
static void
await(struct order *o, const struct piece *p)
{
	(void)pthread_mutex_lock(&o->lock);
	while (!p->done)
		if (can_write(o))
			write_next(o);
		else
			(void)pthread_cond_wait(&o->done, &o->lock);
	(void)pthread_mutex_unlock(&o->lock);
}

/* Passes a piece on.  Its place in the ring is then free. */
static int
pass_on(struct order *o, struct piece *p, struct evwrite *w, struct err *e)
{
	int rc = p->rc;

	if (rc != 0)
		*e = p->e;
	evw_pass(w, &p->w);
	(void)pthread_mutex_lock(&o->lock);
	p->done = false;
	o->passed++;
	(void)pthread_cond_signal(&o->work);
	(void)pthread_mutex_unlock(&o->lock);
	return rc;
}

/* Adds up what the pieces have counted. */
static void
count_pieces(const struct order *o, struct results_out *out)
{
	size_t i, k;

	for (i = 0; i < o->pieces; i++) {
		out->clocks += o->piece[i].out.clocks;
		out->rateless += o->piece[i].out.rateless;
		out->pooled_rates += o->piece[i].out.pooled_rates;
		out->shareless += o->piece[i].out.shareless;
		for (k = 0; k < o->r->wholes.count; k++)
			out->n[k] += o->piece[i].out.n[k];
	}
}

static int
write_in_threads(struct order *o, struct results_out *out, struct err *e)
{
	pthread_t thread[CREW_MAX];
	size_t n = crew_start(thread, o->threads - 1, write_pieces, o, 0), i;
	int rc = 0;

	for (i = 0; rc == 0 && i <= o->cuts && !evw_failed(out->w); i++) {
		await(o, &o->piece[i % o->pieces]);
		rc = pass_on(o, &o->piece[i % o->pieces], out->w, e);
	}
	(void)pthread_mutex_lock(&o->lock);
	o->ending = true;
	(void)pthread_cond_broadcast(&o->work);
	(void)pthread_mutex_unlock(&o->lock);
	crew_end(thread, n);
	count_pieces(o, out);
	return rc;
}

/*
 * ---- the whole
 */

/* Finds the zeros between the groups of all lists. */
static int
find_zeros(const struct order *o, struct results_out *out, struct err *e)
{
	size_t i, k;

	if (o->a->nzeros == 0 || o->a->partial)
		return 0;
	out->zeros = zeros_new();
	for (i = 0; out->zeros != NULL && i < o->lists; i++)
		for (k = 0; k < o->list[i].n; k++) {
			const struct list *l = &o->list[i];
			uint32_t measure, number = l->row[k].number;
			struct slice keys = keys_of(l, number, &measure);

			if (!zeros_see(out->zeros, o->a, keys, measure, &l->a->cells.group[number]))
				return err_nomem(e);
		}
	return out->zeros == NULL ? err_nomem(e) : zeros_ready(out->zeros, o->a, o->r, e);
}

static int
write_lists(struct order *o, struct results_out *out, struct err *e)
{
	size_t rows;
	int rc;

	sort_all(o);
	if (find_zeros(o, out, e) != 0)
		return (int)e->code;
	rows = o->threads > 1 && out->w->only == NULL ? rows_of_piece(o) : 0;
	if (rows == 0) {
		rc = write_between(o, NULL, NULL, out, e);
		return rc == 0 && out->zeros != NULL ? zeros_put_rest(o->a, o->r, out, e) : rc;
	}
	rc = cut_lists(o, rows) && make_pieces(o) ? write_in_threads(o, out, e) : err_nomem(e);
	free_pieces(o);
	return rc;
}

int
results_write(struct aggregate *a, const struct results *r, struct results_out *out, struct err *e)
{
	struct order o = { .a = a, .r = r };
	size_t all = a->groups.count, i;
	int rc;

	for (i = 0; i < a->shares; i++)
		all += a->share[i].a->groups.count;
	o.threads = all < ROWS_MANY || a->shares == 0 ? 1 : a->shares;
	(void)pthread_mutex_init(&o.lock, NULL);
	(void)pthread_cond_init(&o.work, NULL);
	(void)pthread_cond_init(&o.done, NULL);
	rc = make_lists(&o) ? write_lists(&o, out, e) : err_nomem(e);
	zeros_free(out->zeros);
	for (i = 0; i < o.lists; i++)
		mem_array_free(o.list[i].row);
	mem_free(o.list);
	(void)pthread_cond_destroy(&o.done);
	(void)pthread_cond_destroy(&o.work);
	(void)pthread_mutex_destroy(&o.lock);
	return rc;
}
