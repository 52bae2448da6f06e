/* SPDX-License-Identifier: ISC */
/* show.c - prints the tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/fit.h"
#include "lib/keys.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seconds.h"
#include "lib/units.h"
#include "src/table/figure.h"
#include "src/table/tableint.h"

#define WIDTH_MAX ((size_t)256) /* width of any column; a longer cell ends its line */
#define GAP ((size_t)2)
#define LINES_AROUND ((size_t)4) /* of a table: title, names, the number of other rows, and a gap */
#define KEY_MIN ((size_t)5) /* width of a key on a small screen */
#define EXACT FIGURE_EXACT /* every integer up to this is exact as a double */
#define TINY 1e-7 /* a column whose largest number is below this is shown unrounded */

struct column {
	struct slice name;
	struct slice stat, value; /* the statistic, and the value of the key that is in columns */
	size_t at; /* its index in the grid */
	size_t run; /* which run the value is, if the key is run */
	size_t width; /* in code points */
	size_t cut; /* to how many code points its names are cut, unless they would look alike */
	bool is_key;
	bool is_time; /* a key in nanoseconds, which is shown in seconds with `decimals` */
	bool is_fixed; /* some of its numbers have decimals */
	int decimals;
	double total; /* for a share, the total that it is a share of, unless groups overlap */
	bool is_share; /* this column is a percentage of the column before it */
	bool is_change; /* a part, shown as a percentage */
	bool is_interval; /* of a difference */
};

struct layout {
	const struct table *t;
	const struct block *b;
	const struct table_view *view;
	struct slice
	    unit; /* of the results, empty if they have none or it is not that of the values */
	struct slice value_unit; /* of what was aggregated */
	bool by_stat; /* several statistics, so that the columns of a key's values name them */
	bool wide_time; /* the key whose values are columns is a time, shown in seconds */
	int wide_decimals;
	struct column *column;
	size_t columns;
	char *names, *names_end; /* of the columns of a key's values, as they are shown; or NULL */
	const struct grid *sorted; /* where the column is by which rows are sorted */
	size_t sort; /* its index */
	bool same[TABLE_COLUMNS_MAX]; /* by index: columns of stats with the same statistic */
	size_t then; /* the statistic that decides if this is equal, or TAB_NONE */
	bool ascending;
	bool by_size; /* numbers are compared without their signs */
	size_t percent_of; /* the column of keys for --percent-of */
	struct slice share; /* the name of the column of shares */
	bool shares; /* there is a column of them */
	double *parts; /* totals by text + 1 of that key, or NULL without --percent-of or the key */
	bool by_type, by_start, by_run; /* needed to tell groups apart */
	size_t *row; /* those that are shown, in the order of printing */
	struct fit *alike; /* or NULL */
	const struct table_room *room; /* the screen that shows the table, or NULL */
	struct out *o;
};

/* Removes the sign and leading zeros.  Returns true if there was a minus. */
static bool
strip(struct slice *s)
{
	bool negative = s->p[0] == '-';
	size_t n = negative;

	while (n < s->len && s->p[n] == '0')
		n++;
	*s = (struct slice){ s->p + n, s->len - n };
	return negative;
}

static int
compare_integers(struct slice a, struct slice b)
{
	bool negative = strip(&a);
	int c;

	if (strip(&b) != negative)
		return negative ? -1 : 1;
	c = a.len != b.len ? (a.len < b.len ? -1 : 1) : memcmp(a.p, b.p, a.len);
	return negative ? -c : c;
}

/*
 * Converts the text to a double, which is infinite for an integer too large for a double.  Returns
 * false if it is not a number.
 */
static bool
number(struct slice s, double *v)
{
	if (num_get_double(s, v))
		return true;
	if (!num_is_integer(s))
		return false;
	*v = s.p[0] == '-' ? -HUGE_VAL : HUGE_VAL;
	return true;
}

/* Returns the digits of a number whose double is v.  Doubles beyond 2^53 are integers as well. */
static struct slice
digits_of(struct slice s, double v, char *dst)
{
	return num_is_integer(s) ? s : (struct slice){ dst, figure_fixed(dst, v, 0) };
}

/* Compares two numbers, none of which is nan, exactly even beyond 2^53. */
static int
compare_numbers(struct slice a, struct slice b)
{
	char text_a[FIGURE_MAX], text_b[FIGURE_MAX];
	double x = 0, y = 0;

	if (num_is_integer(a) && num_is_integer(b))
		return compare_integers(a, b);
	(void)number(a, &x);
	(void)number(b, &y);
	if (x == y && isinf(x)) /* an integer is finite, however long */
		return ((int)num_is_integer(b) - (int)num_is_integer(a)) * (x > 0 ? 1 : -1);
	if (x == y && fabs(x) >= EXACT)
		return compare_integers(digits_of(a, x, text_a), digits_of(b, y, text_b));
	return (x > y) - (x < y);
}

/* The sorts of cells, in the order of their rows. */
enum sort { SORT_NUMBER, SORT_HEX, SORT_TEXT, SORT_NOTHING };

/* *v is the number, if it is one. */
static enum sort
sort_of(struct slice s, double *v)
{
	uint64_t hex;

	if (slice_is_nothing(s))
		return SORT_NOTHING;
	if (number(s, v) && !isnan(*v))
		return SORT_NUMBER;
	return num_get_hex(s, &hex) ? SORT_HEX : SORT_TEXT;
}

/* Compares two cells of the same sort. */
static int
compare_alike(enum sort sort, struct slice a, struct slice b)
{
	uint64_t x = 0, y = 0;

	switch (sort) {
	case SORT_NUMBER: return compare_numbers(a, b);
	case SORT_TEXT: return slice_cmp(a, b);
	case SORT_HEX:
		(void)num_get_hex(a, &x);
		(void)num_get_hex(b, &y);
		return (x > y) - (x < y);
	case SORT_NOTHING: break;
	}
	return 0;
}

/* Numbers come before texts, and empty cells last, whatever the DIRECTION (1: ascending, or -1). */
static int
compare_cells(struct slice a, struct slice b, int direction)
{
	double v;
	enum sort x = sort_of(a, &v), y = sort_of(b, &v);

	return x != y ? (int)x - (int)y : direction * compare_alike(x, a, b);
}

int
table_compare_cells(struct slice a, struct slice b)
{
	return compare_cells(a, b, 1);
}

/* A row that is being sorted. */
struct entry {
	const struct layout *l;
	struct slice value;
	double number; /* the value, for SORT_NUMBER */
	size_t row;
	enum sort sort; /* of the value */
};

/* Compares two values as compare_cells does.  Only equal doubles need a look at the digits. */
static int
compare_values(const struct entry *a, const struct entry *b, int direction)
{
	if (a->sort != b->sort)
		return (int)a->sort - (int)b->sort;
	if (a->sort == SORT_NUMBER && (a->number < b->number || a->number > b->number))
		return a->number < b->number ? -direction : direction;
	return direction * compare_alike(a->sort, a->value, b->value);
}

/*
 * Equal values are in the order of a statistic, largest first, if there is one, and then of their
 * keys: first all but the start.
 */
static int
compare_entries(const struct entry *a, const struct entry *b, int direction)
{
	const struct block *block = a->l->b;
	const struct grid *keys = &block->keys;
	int c = compare_values(a, b, direction);
	size_t i, then = a->l->then;

	if (c == 0 && then != TAB_NONE)
		c = compare_cells(grid_get(a->l->t, &block->stats, a->row, then),
		    grid_get(b->l->t, &block->stats, b->row, then), -1);
	for (i = 0; c == 0 && i < keys->names.count; i++)
		if (!slice_eq(keys->names.item[i], SLICE("start")))
			c = compare_cells(grid_get(a->l->t, keys, a->row, i),
			    grid_get(b->l->t, keys, b->row, i), 1);
	return c != 0 ? c : slice_cmp(block->rows.item[a->row], block->rows.item[b->row]);
}

static int
compare_ascending(const void *a, const void *b)
{
	return compare_entries(a, b, 1);
}

static int
compare_descending(const void *a, const void *b)
{
	return compare_entries(a, b, -1);
}

static int
compare_names(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* Removes and returns the text before the next LF of a row's name, or all the rest. */
static struct slice
next_part(struct slice *name)
{
	const char *end = memchr(name->p, '\n', name->len);
	struct slice part = { name->p, end == NULL ? name->len : (size_t)(end - name->p) };

	name->p += part.len + (end != NULL);
	name->len -= part.len + (end != NULL);
	return part;
}

/* Returns whether the keys of each row come after those of the row before, as afagg writes them. */
static bool
are_ascending(const struct tab *rows)
{
	size_t i;

	for (i = 1; i < rows->count; i++) {
		struct slice a = rows->item[i - 1], b = rows->item[i];

		if (slice_cmp(next_part(&a), next_part(&b)) >= 0)
			return false;
	}
	return true;
}

/*
 * Determines whether any groups differ only in their type, or only in their times.  Returns false
 * if memory runs out.
 */
static bool
tell_apart(struct layout *l)
{
	size_t n = l->b->rows.count, i;
	struct slice *name;

	if (are_ascending(&l->b->rows))
		return true;
	name = mem_alloc(n * sizeof *name);
	if (name == NULL)
		return false;
	memcpy(name, l->b->rows.item, n * sizeof *name);
	qsort(name, n, sizeof *name, compare_names);
	for (i = 1; i < n; i++) {
		struct slice a = name[i - 1], b = name[i];

		if (!slice_eq(next_part(&a), next_part(&b)))
			continue;
		if (slice_eq(next_part(&a), next_part(&b)))
			l->by_start = true;
		else
			l->by_type = true;
	}
	mem_free(name);
	return true;
}

/* Returns the keys of the row but for the run, which comes first. */
static struct slice
without_run(struct slice name)
{
	struct slice keys = next_part(&name);
	const char *end = memchr(keys.p, '\t', keys.len);

	return end == NULL ? keys
			   : (struct slice){ end + 1, keys.len - (size_t)(end + 1 - keys.p) };
}

/* Returns true if the key is a label that users give to events (--tag) or that the run has. */
static bool
is_label(struct slice key)
{
	return ev_is_of_run(key) || ev_is_free_key(key);
}

/* Returns true if each value of the key is of one run.  RUN_OF has room for all texts, and is 0. */
static bool
has_own_runs(const struct grid *keys, size_t key, size_t run_key, uint32_t *run_of)
{
	const uint32_t *cell = keys->cell;
	size_t i;

	for (i = 0; i < keys->rows; i++, cell += keys->stride) {
		if (run_of[cell[key]] != 0 && run_of[cell[key]] != cell[run_key])
			return false;
		run_of[cell[key]] = cell[run_key];
	}
	return true;
}

/*
 * Determines whether the run is needed although each group has one: not if a label, such as that of
 * the node, tells the runs apart, since nobody has asked for their ids then.  Returns false if
 * memory runs out.
 */
static bool
look_for_labels(struct layout *l)
{
	const struct grid *keys = &l->b->keys;
	size_t run_key = tab_find(&keys->names, SLICE("run")), texts = l->t->text.count + 1, i;
	uint32_t *run_of;

	if (run_key == TAB_NONE || slice_eq(l->view->percent_of, SLICE("run")) ||
	    slice_eq(l->view->top_of, SLICE("run")))
		return true;
	run_of = mem_alloc(texts * sizeof *run_of);
	if (run_of == NULL)
		return false;
	for (i = TABLE_KEYS_ALWAYS; i < keys->names.count && l->by_run; i++) {
		memset(run_of, 0, texts * sizeof *run_of);
		l->by_run =
		    !is_label(keys->names.item[i]) || !has_own_runs(keys, i, run_key, run_of);
	}
	mem_free(run_of);
	return true;
}

/*
 * Determines whether the run is needed.  If some groups have none, they have events of several
 * runs, and the runs of the others are no keys unless groups differ in nothing else.  Returns false
 * if memory runs out.
 */
static bool
tell_runs_apart(struct layout *l)
{
	const struct tab *rows = &l->b->rows;
	size_t n = rows->count, none = table_pooled_rows(l->b), i;
	struct slice *name;

	l->by_run = none == 0 || none == n;
	if (l->by_run)
		return none != 0 || look_for_labels(l);
	name = mem_alloc(n * sizeof *name);
	if (name == NULL)
		return false;
	for (i = 0; i < n; i++)
		name[i] = without_run(rows->item[i]);
	qsort(name, n, sizeof *name, compare_names);
	for (i = 1; i < n && !l->by_run; i++)
		l->by_run = slice_eq(name[i - 1], name[i]);
	mem_free(name);
	return true;
}

/*
 * Returns the cell to sort the row by.  If a key's values are columns, it is the first of those of
 * the statistic, in the order of sorting.
 */
static struct slice
sort_cell(const struct layout *l, size_t row)
{
	struct slice cell = grid_get(l->t, l->sorted, row, l->sort);
	size_t i;

	if (l->by_size && cell.len > 1 && cell.p[0] == '-')
		return (struct slice){ cell.p + 1, cell.len - 1 };
	if (l->sorted != &l->b->stats)
		return cell;
	for (i = 0; i < l->sorted->names.count; i++) {
		struct slice other = grid_get(l->t, l->sorted, row, i);

		if (l->same[i] && compare_cells(other, cell, l->ascending ? 1 : -1) < 0)
			cell = other;
	}
	return cell;
}

/* Restores the heap whose item AT may come before one below it.  The top of the heap comes last. */
static void
sink(struct entry *heap, size_t n, size_t at, int (*compare)(const void *, const void *))
{
	struct entry self = heap[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (compare(&self, &heap[child]) >= 0)
			break;
		heap[at] = heap[child];
	}
	heap[at] = self;
}

/* Fills ENTRY, which has room for N rows, with those that come first, in order. */
static void
choose_rows(const struct layout *l, struct entry *entry, size_t n)
{
	int (*compare)(const void *, const void *) =
	    l->ascending ? compare_ascending : compare_descending;
	size_t i, k;

	for (i = 0; i < l->b->rows.count; i++) {
		struct entry next = { .l = l, .value = sort_cell(l, i), .row = i };

		next.sort = sort_of(next.value, &next.number);
		if (i < n) {
			entry[i] = next;
			for (k = i + 1 == n && n < l->b->rows.count ? n / 2 : 0; k-- > 0;)
				sink(entry, n, k, compare);
		} else if (compare(&next, &entry[0]) < 0) {
			entry[0] = next;
			sink(entry, n, 0, compare);
		}
	}
	qsort(entry, n, sizeof *entry, compare);
}

/* Finds the N rows that come first.  Returns false if memory runs out. */
static bool
sort_rows(struct layout *l, size_t n)
{
	struct entry *entry;
	size_t i;

	if (!tell_apart(l) || !tell_runs_apart(l))
		return false;
	entry = mem_zero(n, sizeof *entry);
	l->row = mem_zero(n, sizeof *l->row);
	if (entry == NULL || l->row == NULL) {
		mem_free(entry);
		return false;
	}
	choose_rows(l, entry, n);
	for (i = 0; i < n; i++)
		l->row[i] = entry[i].row;
	mem_free(entry);
	return true;
}

/* Returns whether an option names the key, so that the table makes no sense without it. */
static bool
is_asked_for(const struct layout *l, size_t key)
{
	return (l->sorted == &l->b->keys && l->sort == key) || l->percent_of == key ||
	    table_key(l->b, l->view->top_of) == key;
}

/*
 * Returns whether the column of a key is superfluous: a run that is the same in all rows, no region
 * in any row, or a type or start that is not needed.  Tags are there only if they are keys.
 */
static bool
says_nothing(const struct layout *l, size_t key)
{
	struct slice name = l->b->keys.names.item[key], first = grid_get(l->t, &l->b->keys, 0, key);
	size_t i;

	if (slice_eq(name, SLICE("start")))
		return !l->by_start && !is_asked_for(l, key);
	if (slice_eq(name, SLICE("type")))
		return !l->by_type && !is_asked_for(l, key);
	if (!slice_eq(name, SLICE("run")) &&
	    (!slice_eq(name, SLICE("region")) || !slice_is_nothing(first)))
		return false;
	if (slice_eq(name, SLICE("run")) && !l->by_run)
		return !is_asked_for(l, key);
	for (i = 1; i < l->b->rows.count; i++)
		if (!slice_eq(first, grid_get(l->t, &l->b->keys, i, key)))
			return false;
	return true;
}

/* Returns the place of the row in l->parts: the number of its text in the key of --percent-of. */
static size_t
part_of(const struct layout *l, size_t row)
{
	const struct grid *keys = &l->b->keys;
	uint32_t n = keys->cell[row * keys->stride + l->percent_of];

	return n != 0 && slice_is_nothing(l->t->text.item[n - 1]) ? 0 : n;
}

/*
 * Finds the total of the row's share: that of the rows with the same key or of the table or, if
 * groups overlap, the one that the line gave.  Returns false if there is none.
 */
static bool
total_for(const struct layout *l, const struct column *share, size_t row, double *total)
{
	const struct grid *totals = &l->b->totals;
	size_t at;

	if (!l->b->overlaps) {
		*total = l->parts != NULL ? l->parts[part_of(l, row)] : share->total;
		return *total > 0 && isfinite(*total);
	}
	at = tab_find(&totals->names, l->b->stats.names.item[share->at]);
	return at != TAB_NONE && row < totals->rows &&
	    number(grid_get(l->t, totals, row, at), total);
}

/* Adds up the column, in all rows and for each key.  Returns false if a value is below 0 or inf. */
static bool
add_up(struct layout *l, struct column *share)
{
	size_t i;
	double v;

	for (i = 0; i < l->b->rows.count; i++) {
		if (!number(grid_get(l->t, &l->b->stats, i, share->at), &v))
			continue;
		if (!(v >= 0) || isinf(v))
			return false;
		share->total += v;
		if (l->parts != NULL)
			l->parts[part_of(l, i)] += v;
	}
	return true;
}

/*
 * Computes the totals of shares, which may be those of runs.  Returns false if shares would be
 * misleading, or mean nothing.
 */
static bool
find_total(struct layout *l, struct column *share)
{
	size_t i, known = 0;
	double total, first = 0;

	if (ev_is_nested_measure(l->b->measure) &&
	    slice_eq(l->b->stats.names.item[share->at], SLICE("sum")))
		return false;
	if (l->view->percent_of.len != 0 && (l->parts == NULL || l->b->overlaps))
		return false;
	if (!add_up(l, share))
		return false;
	if (!l->b->overlaps)
		return share->total > 0 && isfinite(share->total);
	for (i = 0; i < l->b->rows.count; i++) {
		if (!total_for(l, share, i, &total))
			continue;
		if (!(total > 0) || isinf(total))
			return false;
		if (known++ == 0)
			first = total;
		if (total != first)
			share->name = SLICE("% of run");
	}
	return known > 0;
}

/* Returns whether the number V is shown as in the stream: it has no fraction to round. */
static bool
is_unrounded(struct slice value, double v)
{
	return !num_is_integer(value) && !(fabs(v) < EXACT);
}

/*
 * Decides whether the numbers of a column are printed unchanged and, if not, with how many
 * decimals.
 */
static void
judge_numbers(const struct layout *l, struct column *c)
{
	double max = 0, v;
	size_t i;

	for (i = 0; i < l->b->rows.count; i++) {
		struct slice value = grid_get(l->t, &l->b->stats, i, c->at);

		if (!number(value, &v) || is_unrounded(value, v))
			continue;
		c->is_fixed |= !num_is_integer(value);
		if (isfinite(v) && fabs(v) > max)
			max = fabs(v);
	}
	c->is_fixed &= max >= TINY || max == 0;
	c->decimals = figure_decimals(max);
}

/* Returns true for a key whose values are shown in seconds if all of them are times. */
static bool
wants_seconds(const struct layout *l, struct slice key)
{
	return slice_eq(key, SLICE("window")) || (l->view->human && slice_eq(key, SLICE("time")));
}

/* Shows times in seconds if all of them are times. */
static void
judge_times(const struct layout *l, struct column *c)
{
	size_t i;

	for (i = 0; i < l->b->rows.count; i++)
		if (!seconds_see(grid_get(l->t, &l->b->keys, i, c->at), &c->decimals))
			return;
	c->is_time = true;
}

/* Does the same for times that are columns. */
static void
judge_wide(struct layout *l, const struct column *c, size_t n)
{
	size_t i;

	l->wide_time = wants_seconds(l, l->t->wide);
	for (i = 0; i < n; i++) {
		l->wide_time = l->wide_time && seconds_see(c[i].value, &l->wide_decimals);
		l->by_stat |= !slice_eq(c[i].stat, c[0].stat);
	}
}

/* Orders columns by the value of the key, or as the runs came, and then as they came. */
static int
compare_columns(const void *pa, const void *pb)
{
	const struct column *a = pa, *b = pb;
	int c = (a->run > b->run) - (a->run < b->run);

	if (c == 0)
		c = compare_cells(a->value, b->value, 1);
	return c != 0 ? c : (a->at > b->at) - (a->at < b->at);
}

static void
add_key(struct layout *l, size_t key)
{
	struct column *c = &l->column[l->columns++];

	*c = (struct column){ .name = l->b->keys.names.item[key], .at = key, .is_key = true };
	if (wants_seconds(l, c->name))
		judge_times(l, c);
}

static bool
is_interval(struct slice stat, enum table_interval which)
{
	return slice_eq(stat, table_interval_name(which));
}

/*
 * Returns whether the column is one of intervals that is left out: those of differences are needed
 * only if those of changes do not give all verdicts.
 */
static bool
is_needless(const struct layout *l, struct slice stat)
{
	const struct block *b = l->b;

	if (!table_is_change(b))
		return false;
	return is_interval(stat, TABLE_OF_DIFFERENCE) ? !b->by_difference
	    : is_interval(stat, TABLE_OF_CHANGE)      ? b->by_difference && !b->by_change
						      : false;
}

/* Makes room for the names of columns.  Returns false if memory runs out. */
static bool
open_names(struct layout *l)
{
	const struct tab *stats = &l->b->stats.names;
	size_t i, n = 1;

	for (i = 0; i < stats->count; i++)
		n += stats->item[i].len;
	l->names = l->names_end = mem_alloc(n);
	return l->names != NULL;
}

/* Returns VALUE STAT. */
static struct slice
shown_name(struct layout *l, const struct column *c)
{
	char *p = l->names_end;

	memcpy(p, c->value.p, c->value.len);
	p[c->value.len] = ' ';
	memcpy(p + c->value.len + 1, c->stat.p, c->stat.len);
	l->names_end += c->value.len + 1 + c->stat.len;
	return (struct slice){ p, (size_t)(l->names_end - p) };
}

/* Adds the column of a statistic. */
static struct column *
add_stat(struct layout *l, size_t stat)
{
	struct column *c = &l->column[l->columns++];
	bool is_change = table_is_change(l->b);

	*c = (struct column){ .name = l->b->stats.names.item[stat], .at = stat };
	c->stat = is_change ? l->b->stat : table_stat(l->t, c->name, &c->value);
	if (l->t->wide.len != 0)
		c->name = shown_name(l, c);
	c->is_change = is_change && slice_eq(c->name, SLICE("change"));
	c->is_interval = is_change && is_interval(c->name, TABLE_OF_DIFFERENCE);
	c->run = slice_eq(l->t->wide, SLICE("run")) ? tab_find(&l->t->runs, c->value) : 0;
	judge_numbers(l, c);
	return c;
}

static bool
choose_columns(struct layout *l)
{
	size_t keys = l->b->keys.names.count, stats = l->b->stats.names.count, base, i;
	struct column *c;

	l->column = mem_zero(keys + stats + 1, sizeof *l->column);
	if (l->column == NULL || (l->t->wide.len != 0 && !open_names(l)))
		return false;
	for (i = 0; i < keys; i++)
		if (!says_nothing(l, i))
			add_key(l, i);
	base = table_column(l->t, l->b, SLICE("sum"));
	if (base == TAB_NONE)
		base = table_column(l->t, l->b, SLICE("count"));
	for (i = 0; i < stats; i++) {
		if (is_needless(l, l->b->stats.names.item[i]))
			continue;
		c = add_stat(l, i);
		if (i != base || l->t->wide.len != 0)
			continue;
		c[1] = (struct column){ .name = l->share, .at = i, .is_share = true };
		if (find_total(l, &c[1])) {
			l->columns++;
			l->shares = true;
		}
	}
	if (l->t->wide.len == 0)
		return true;
	c = l->column + l->columns - stats;
	qsort(c, stats, sizeof *c, compare_columns);
	judge_wide(l, c, stats);
	return true;
}

static size_t
figure_share(char *dst, double v, double total)
{
	double part = isfinite(100 * v) ? 100 * v / total : 100 * (v / total);
	size_t n = figure_fixed(dst, part, 1);

	dst[n] = '%';
	return n + 1;
}

/* Returns an exact integer, followed by decimals, at least one, if dst has room for them. */
static struct slice
with_zeros(struct slice integer, int decimals, char *dst)
{
	size_t n = (size_t)decimals;

	if (integer.len + 1 + n > FIGURE_MAX)
		return integer;
	memcpy(dst, integer.p, integer.len);
	dst[integer.len] = '.';
	memset(dst + integer.len + 1, '0', n);
	return (struct slice){ dst, integer.len + 1 + n };
}

/* Writes an end of an interval, as it is unless it is a plain number. */
static size_t
put_end(char *dst, struct slice text, struct slice unit)
{
	double v;

	if (number(text, &v) && !isinf(v))
		return figure_human(dst, v, unit);
	memcpy(dst, text.p, text.len);
	return text.len;
}

/* Returns an interval for people: its ends are numbers with a unit, or percentages. */
static struct slice
human_interval(struct slice interval, struct slice unit, char *dst)
{
	struct slice lo = { interval.p, 0 }, hi;
	size_t n;

	while (lo.len + 2 <= interval.len && memcmp(lo.p + lo.len, "..", 2) != 0)
		lo.len++;
	/* a text of that length leaves room for a unit */
	if (lo.len + 2 > interval.len || interval.len > FIGURE_MAX / 2)
		return interval;
	hi = (struct slice){ lo.p + lo.len + 2, interval.len - lo.len - 2 };
	n = put_end(dst, lo, unit);
	memcpy(dst + n, "..", 2);
	return (struct slice){ dst, n + 2 + put_end(dst + n + 2, hi, unit) };
}

/* Returns the text of a cell as printed.  It is in dst if it has to be formatted. */
static struct slice
shown(const struct layout *l, const struct column *c, size_t row, char *dst)
{
	struct slice value = grid_get(l->t, c->is_key ? &l->b->keys : &l->b->stats, row, c->at);
	double v, total;

	if (c->is_time && !slice_is_nothing(value))
		return (struct slice){ dst, seconds_put(dst, value, c->decimals) };
	if (c->is_interval && l->view->human)
		return human_interval(value, units_stat_has(c->stat) ? l->unit : SLICE(""), dst);
	if (c->is_key || !number(value, &v) || (isinf(v) && num_is_integer(value)))
		return value;
	if (c->is_change)
		return (struct slice){ dst, figure_percent(dst, v) };
	if (c->is_share)
		return total_for(l, c, row, &total)
		    ? (struct slice){ dst, figure_share(dst, v, total) }
		    : SLICE(".");
	if (l->view->human)
		return (struct slice){ dst,
			figure_human(dst, v, units_stat_has(c->stat) ? l->unit : SLICE("")) };
	if (!c->is_fixed || is_unrounded(value, v))
		return value;
	if (num_is_integer(value))
		return with_zeros(value, c->decimals, dst);
	return (struct slice){ dst, figure_fixed(dst, v, c->decimals) };
}

/* Appends a text to the N bytes in dst, which has room for it.  Returns the new length. */
static size_t
append(char *dst, size_t n, struct slice text)
{
	memcpy(dst + n, text.p, text.len);
	return n + text.len;
}

/* Returns whether a column is named after a value that is cut if it is too long. */
static bool
cuts_value(const struct layout *l, const struct column *c)
{
	return l->t->wide.len != 0 && !c->is_key && !l->wide_time && l->view->width != 0 &&
	    l->alike != NULL;
}

/*
 * Returns the name of a column as printed.  It is in dst if it has to be formatted.  A value is
 * valid until the next call.
 */
static struct slice
heading(const struct layout *l, const struct column *c, char *dst)
{
	bool by_value = l->t->wide.len != 0 && !c->is_key,
	     time = by_value && l->wide_time && !slice_is_nothing(c->value);
	bool rate = !c->is_key && !c->is_share && !table_is_change(l->b) &&
	    slice_eq(c->stat, SLICE("rate")) && (!by_value || l->by_stat);
	struct slice text = !by_value ? c->name
	    : cuts_value(l, c)        ? fit_name(l->alike, c->value, l->view->width)
				      : c->value;
	size_t n;

	if (!time && !rate && (!by_value || !l->by_stat))
		return text;
	if (text.len + c->stat.len > FIGURE_MAX / 2)
		return c->name;
	n = time ? seconds_put(dst, text, l->wide_decimals) : append(dst, 0, text);
	if (by_value && l->by_stat) {
		n = append(dst, n, SLICE(" "));
		n = append(dst, n, c->stat);
	}
	if (rate)
		n += units_put_rate(dst + n, FIGURE_MAX - n, c->stat, l->value_unit);
	return (struct slice){ dst, n };
}

/* Returns whether the cells of a column are cut if they are too long. */
static bool
is_cut(const struct layout *l, const struct column *c)
{
	return c->is_key && l->view->width != 0;
}

/* Returns how many columns a text takes: one for each code point, if no screen says more. */
static size_t
width_of(const struct layout *l, struct slice text)
{
	return l->room == NULL ? fit_width(text) : l->room->columns(l->room->screen, text);
}

/* Sets the widths of columns for these rows.  Keys that are cut get at most KEY_WIDTH. */
static void
set_widths(struct layout *l, size_t from, size_t rows, size_t key_width)
{
	char figure[FIGURE_MAX];
	size_t i, k;

	for (k = 0; k < l->columns; k++) {
		struct column *c = &l->column[k];

		c->width = width_of(l, heading(l, c, figure));
		for (i = from; i < from + rows; i++) {
			size_t w = width_of(l, shown(l, c, l->row[i], figure));

			/* a name that is alone on its line needs no room in the others */
			if (w > c->width && (w <= WIDTH_MAX || is_cut(l, c) || !c->is_key))
				c->width = w;
		}
		if (c->width > WIDTH_MAX)
			c->width = WIDTH_MAX;
		if (is_cut(l, c) && c->width > key_width)
			c->width = key_width;
		c->cut = c->width;
	}
}

/* Finds the names of columns that are cut which would look alike. */
static bool
find_alike_values(const struct layout *l)
{
	bool ok = true;
	size_t k;

	for (k = 0; ok && k < l->columns; k++)
		if (cuts_value(l, &l->column[k]))
			ok = fit_see(l->alike, l->column[k].value, l->view->width);
	fit_seen(l->alike);
	return ok;
}

/* Finds the names in columns that are cut which would look alike. */
static bool
find_alike(const struct layout *l, size_t rows)
{
	char figure[FIGURE_MAX];
	size_t k, i;
	bool ok = true;

	for (k = 0; ok && k < l->columns; k++) {
		const struct column *c = &l->column[k];

		for (i = 0; ok && i < rows && is_cut(l, c); i++)
			ok = fit_see(l->alike, shown(l, c, l->row[i], figure), c->cut);
		fit_seen(l->alike);
	}
	return ok;
}

/* Returns how a text is shown in that column. */
static struct slice
fitted(const struct layout *l, const struct column *c, struct slice text)
{
	return is_cut(l, c) ? fit_name(l->alike, text, c->cut) : text;
}

/*
 * Widens columns to the names that are not cut because they would look alike.  Names get their
 * numbers here, so this goes from row to row, as they are printed.
 */
static void
widen(struct layout *l, size_t rows)
{
	char figure[FIGURE_MAX];
	size_t i, k, w;

	for (i = 0; i < rows; i++)
		for (k = 0; k < l->columns; k++) {
			struct column *c = &l->column[k];

			if (!is_cut(l, c))
				continue;
			w = fit_width(fitted(l, c, shown(l, c, l->row[i], figure)));
			if (w > c->width && w <= WIDTH_MAX)
				c->width = w;
		}
}

static void
put_blanks(struct out *o, size_t n)
{
	char *p = out_room(o, n);

	if (p == NULL)
		return;
	memset(p, ' ', n);
	out_commit(o, n);
}

/* Returns where the column begins on its line. */
static size_t
place_of(const struct layout *l, size_t column)
{
	size_t at = 0, k;

	for (k = 0; k < column; k++)
		at += l->column[k].width + GAP;
	return at;
}

/*
 * Aligns keys to the left, numbers and times to the right, without blanks at the end of a line.
 * After a cell that is wider than its column, the row continues on the next line.
 */
static void
put_cell(const struct layout *l, size_t k, struct slice text)
{
	const struct column *c = &l->column[k];
	struct slice fit = fitted(l, c, text);
	size_t w = fit_width(fit);

	if (k > 0)
		put_blanks(l->o, GAP);
	if (w > c->width && k + 1 < l->columns) {
		out_put(l->o, fit.p, fit.len);
		out_put(l->o, "\n", 1);
		put_blanks(l->o, place_of(l, k + 1) - GAP);
		return;
	}
	if (!c->is_key || c->is_time)
		put_blanks(l->o, c->width > w ? c->width - w : 0);
	out_put(l->o, fit.p, fit.len);
	if (c->is_key && !c->is_time) /* statistics follow */
		put_blanks(l->o, c->width > w ? c->width - w : 0);
}

/* Writes the name of a statistic, and what its results are per second. */
static void
put_stat(const struct layout *l, struct slice stat)
{
	char unit[FIGURE_MAX];

	out_put(l->o, stat.p, stat.len);
	out_put(l->o, unit, units_put_rate(unit, sizeof unit, stat, l->value_unit));
}

/* Writes the name of the results that were aggregated. */
static void
put_inner(const struct layout *l)
{
	char unit[FIGURE_MAX];

	out_put(l->o, l->b->of.p, l->b->of.len);
	out_put(l->o, unit, units_put_inner_rate(unit, sizeof unit, l->b->of, l->value_unit));
}

/* Prints what has changed. */
static void
put_change(const struct layout *l)
{
	const struct block *b = l->b;

	if (!table_is_change(b))
		return;
	out_put(l->o, ", change of ", 12);
	put_stat(l, b->stat);
	if (slice_is_nothing(b->normalised))
		return;
	out_put(l->o, " by ", 4);
	out_put(l->o, b->normalised.p, b->normalised.len);
}

/*
 * Returns the statistic of all columns if these are named only after the values of a key: then the
 * title must name it.
 */
static struct slice
only_statistic(const struct layout *l)
{
	struct slice value;

	if (l->t->wide.len == 0 || l->by_stat || l->b->stats.names.count == 0)
		return SLICE("");
	return table_stat(l->t, l->b->stats.names.item[0], &value);
}

/* Writes the measure with its unit. */
static void
put_measure(const struct layout *l)
{
	struct slice stat = only_statistic(l);

	out_put(l->o, l->b->measure.p, l->b->measure.len);
	if (l->unit.len != 0 && (stat.len == 0 || units_stat_has(stat))) {
		out_put(l->o, " [", 2);
		out_put(l->o, l->unit.p, l->unit.len);
		out_put(l->o, "]", 1);
	}
	if (stat.len != 0) {
		out_put(l->o, ", ", 2);
		put_stat(l, stat);
	}
	put_change(l);
	if (!slice_is_nothing(l->b->of)) {
		out_put(l->o, ", of ", 5);
		put_inner(l);
	}
}

/* Writes a time in seconds, or as it is if it is none. */
static void
put_seconds(struct out *o, struct slice ns)
{
	char text[SECONDS_MAX];
	int decimals = 0;

	if (!slice_is_nothing(ns) && seconds_see(ns, &decimals))
		out_put(o, text, seconds_put(text, ns, decimals));
	else
		out_put(o, ns.p, ns.len);
}

/* Writes how the windows lie (SIZE[/STEP][@first]), if those of other tables lie in another way. */
static void
put_windows(const struct layout *l)
{
	struct slice rest = l->b->windows, span, size, from;

	if (slice_is_nothing(rest) || !table_windows_differ(l->t) ||
	    !slice_cut(&rest, '@', &span) || !slice_cut(&span, '/', &size))
		return;
	out_puts(l->o, ", windows of ");
	put_seconds(l->o, size);
	if (slice_cut(&span, '/', &size)) {
		out_puts(l->o, " every ");
		put_seconds(l->o, size);
	}
	if (slice_cut(&rest, '@', &from)) {
		out_puts(l->o, " from ");
		out_put(l->o, from.p, from.len);
	}
}

static void
put_title(const struct layout *l)
{
	char figure[NUM_MAX];
	size_t n = l->b->rows.count;

	put_measure(l);
	put_windows(l);
	out_put(l->o, ": ", 2);
	out_put(l->o, figure, num_put_u64(figure, n));
	out_put(l->o, n == 1 ? " group\n" : " groups\n", n == 1 ? 7 : 8);
}

static int
compare_numbers_of_rows(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Adds up the column in all rows but the first N in l->row, which are sorted by their numbers. */
static double
sum_of_others(const struct layout *l, const struct column *c, size_t n)
{
	size_t i, next = 0;
	double sum = 0, v;

	for (i = 0; i < l->b->rows.count; i++)
		if (next < n && l->row[next] == i)
			next++;
		else if (number(grid_get(l->t, &l->b->stats, i, c->at), &v))
			sum += v;
	return sum;
}

/*
 * Prints the number of groups that --top omits and, if it means anything, their share.  Changes the
 * order of l->row.
 */
static void
put_rest(const struct layout *l, size_t rows)
{
	char figure[FIGURE_MAX];
	size_t n = l->b->rows.count, k;

	if (rows == n)
		return;
	out_put(l->o, "... ", 4);
	out_put(l->o, figure, num_put_u64(figure, n - rows));
	out_put(l->o, " more", 5);
	qsort(l->row, rows, sizeof *l->row, compare_numbers_of_rows);
	for (k = 0; k < l->columns; k++) {
		const struct column *c = &l->column[k];

		if (!c->is_share || l->b->overlaps || l->parts != NULL)
			continue;
		out_put(l->o, ", ", 2);
		out_put(l->o, figure, figure_share(figure, sum_of_others(l, c, rows), c->total));
		out_put(l->o, " of ", 4);
		out_put(l->o, c[-1].name.p, c[-1].name.len);
	}
	out_put(l->o, "\n", 1);
}

/* Returns the statistic to sort by if nothing else is wanted: sum, or else the first one. */
static size_t
usual_statistic(const struct layout *l)
{
	size_t sum = table_column(l->t, l->b, l->by_size ? SLICE("difference") : SLICE("sum"));

	return sum == TAB_NONE ? 0 : sum;
}

/*
 * Chooses the column to sort by: the wanted one, else the usual statistic, which also orders the
 * rows that have the same value of a wanted key.  A whole table of windows or times is in their
 * order, each of them by that statistic.
 */
static void
choose_order(struct layout *l)
{
	struct slice wanted = l->view->sort;
	size_t key = table_key(l->b, wanted);

	l->then = TAB_NONE;
	l->sorted = &l->b->stats;
	l->sort = table_column(l->t, l->b, wanted);
	if (l->sort == TAB_NONE && key != TAB_NONE) {
		l->sorted = &l->b->keys;
		l->sort = key;
	}
	if (l->sort != TAB_NONE) {
		l->ascending = l->view->order == TABLE_ASCENDING ||
		    (l->view->order == TABLE_USUAL && l->sorted == &l->b->keys);
		if (l->sorted == &l->b->keys && !table_is_change(l->b))
			l->then = usual_statistic(l);
		return;
	}
	l->by_size = table_is_change(l->b);
	l->sort = usual_statistic(l);
	key = tab_find(&l->b->keys.names, SLICE("window"));
	if (key == TAB_NONE)
		key = tab_find(&l->b->keys.names, SLICE("time"));
	if (key == TAB_NONE || l->view->top != 0 || l->by_size)
		return;
	l->then = l->sort;
	l->sorted = &l->b->keys;
	l->sort = key;
	l->ascending = true;
}

/* Marks the columns that sort_cell compares. */
static void
find_same(struct layout *l)
{
	const struct tab *names = &l->b->stats.names;
	struct slice value, stat;
	size_t i;

	if (l->t->wide.len == 0 || l->sorted != &l->b->stats || names->count == 0)
		return;
	stat = table_stat(l->t, names->item[l->sort], &value);
	for (i = 0; i < names->count; i++)
		l->same[i] = slice_eq(table_stat(l->t, names->item[i], &value), stat);
}

/*
 * Decides on the columns, and finds the N rows that come first.  Returns ERR_SYS if memory runs
 * out.
 */
static int
lay_out(struct layout *l, size_t n, struct err *e)
{
	choose_order(l);
	find_same(l);
	return sort_rows(l, n) && choose_columns(l) ? 0 : err_nomem(e);
}

/*
 * Moves the first rows with each text of the key to the front, in their order.  Returns how many
 * these are, or TAB_NONE if memory runs out.
 */
static size_t
first_of_each(struct layout *l, size_t key)
{
	const struct grid *keys = &l->b->keys;
	size_t n = l->b->rows.count, rows = 0, others = 0, i;
	size_t *shown = mem_zero(l->t->text.count + 1, sizeof *shown);
	size_t *other = mem_zero(n, sizeof *other);

	if (shown == NULL || other == NULL) {
		rows = TAB_NONE;
		n = 0;
	}
	for (i = 0; i < n; i++) {
		size_t row = l->row[i];

		if (shown[keys->cell[row * keys->stride + key]]++ < l->view->top)
			l->row[rows++] = row;
		else
			other[others++] = row;
	}
	for (i = 0; i < others; i++)
		l->row[rows + i] = other[i];
	mem_free(shown);
	mem_free(other);
	return rows;
}

static int
print_block(struct layout *l, struct err *e)
{
	char figure[FIGURE_MAX];
	size_t rows = l->b->rows.count, top_of = table_key(l->b, l->view->top_of), i, k;

	if (l->view->top_of.len == 0 && l->view->top != 0 && l->view->top < rows)
		rows = l->view->top;
	if (lay_out(l, rows, e) != 0)
		return (int)e->code;
	if (top_of != TAB_NONE && (rows = first_of_each(l, top_of)) == TAB_NONE)
		return err_nomem(e);
	if (!fit_open(l->alike) || !find_alike_values(l))
		return err_nomem(e);
	set_widths(l, 0, rows, l->view->width == 0 ? WIDTH_MAX : l->view->width);
	if (!find_alike(l, rows))
		return err_nomem(e);
	widen(l, rows);
	put_title(l);
	for (k = 0; k < l->columns; k++)
		put_cell(l, k, heading(l, &l->column[k], figure));
	out_put(l->o, "\n", 1);
	for (i = 0; i < rows; i++) {
		for (k = 0; k < l->columns; k++)
			put_cell(l, k, shown(l, &l->column[k], l->row[i], figure));
		out_put(l->o, "\n", 1);
	}
	put_rest(l, rows);
	return 0;
}

static void
free_layout(struct layout *l)
{
	mem_free(l->column);
	mem_free(l->names);
	mem_free(l->row);
}

/* Prints one table.  PARTS has room for the totals of --percent-of, all 0, and is left so. */
static int
print_table(struct layout *l, double *parts, struct err *e)
{
	struct fit alike = { .text = { .fd = -1 } };
	size_t i;
	int rc;

	l->percent_of = table_key(l->b, l->view->percent_of);
	l->parts = l->percent_of == TAB_NONE ? NULL : parts;
	l->alike = &alike;
	rc = print_block(l, e);
	fit_close(&alike);
	for (i = 0; l->parts != NULL && i < l->b->rows.count; i++)
		l->parts[part_of(l, i)] = 0;
	free_layout(l);
	return rc;
}

/* Removes the suffix.  Returns whether it was there. */
static bool
take_suffix(struct slice *s, struct slice suffix)
{
	bool ends = slice_ends(*s, suffix);

	s->len -= ends ? suffix.len : 0;
	return ends;
}

int
table_view_sort(struct table_view *view, const char *text, struct err *e)
{
	view->sort = slice_of(text);
	view->order = take_suffix(&view->sort, SLICE(":asc")) ? TABLE_ASCENDING
	    : take_suffix(&view->sort, SLICE(":desc"))        ? TABLE_DESCENDING
							      : TABLE_USUAL;
	return view->sort.len == 0 ? err_data(e, "an empty name") : 0;
}

int
table_view_top(struct table_view *view, const char *text, struct err *e)
{
	size_t n = strcspn(text, ":");
	uint64_t v;

	if (!num_get_u64((struct slice){ text, n }, &v) || v == 0 || v > SIZE_MAX)
		return err_data(e, "expected a number from 1 on, or N:KEY");
	view->top = (size_t)v;
	view->top_of = slice_of(text + n + (text[n] != '\0'));
	return text[n] == '\0' || view->top_of.len != 0 ? 0 : err_data(e, "an empty name");
}

/* Appends what the first table can be sorted by. */
static bool
list_names(const struct table *t, struct buf *list)
{
	const struct block *b = &t->block[0];
	const struct tab *stats = &b->stats.names;
	struct slice value, name;
	size_t i;
	bool ok = table_list_keys(t, list);

	for (i = 0; ok && i < stats->count; i++) {
		name = table_stat(t, stats->item[i], &value);
		if (table_column(t, b, name) == i)
			ok = buf_puts(list, list->len == 0 ? "" : ", ") &&
			    buf_put(list, name.p, name.len);
	}
	return ok;
}

/* Refuses the name of the column of shares, also "percent": says what it is the share of. */
static int
refuse_share(const struct table *t, struct slice sort, struct err *e)
{
	const char *of = table_has(t, SLICE("sum")) ? "sum" : "count";

	if ((!slice_eq(sort, SLICE("%")) && !slice_eq(sort, SLICE("percent"))) ||
	    !table_has(t, slice_of(of)))
		return 0;
	return err_data(e, "--sort: %.*s is the share of %s: use --sort %s", (int)sort.len, sort.p,
	    of, of);
}

int
table_check_sort(const struct table *t, const struct table_view *view, struct err *e)
{
	struct slice sort = view->sort;
	struct buf list = { 0 };
	const char *colon;
	bool several;

	if (sort.len == 0 || table_has(t, sort))
		return 0;
	colon = memchr(sort.p, ':', sort.len);
	if (colon != NULL && table_has(t, (struct slice){ sort.p, (size_t)(colon - sort.p) }))
		return err_data(e, "--sort: the order is asc or desc, not '%s'",
		    colon + 1); /* the text of an option */
	if (sort.len > 1 && (sort.p[0] == '-' || sort.p[0] == '+') &&
	    table_has(t, (struct slice){ sort.p + 1, sort.len - 1 }))
		return err_data(e,
		    "--sort: no sign belongs before %.*s: the largest comes first, or with "
		    "%.*s:asc the smallest",
		    (int)sort.len - 1, sort.p + 1, (int)sort.len - 1, sort.p + 1);
	if (refuse_share(t, sort, e) != 0)
		return e->code;
	several = memchr(sort.p, ',', sort.len) != NULL;
	if (several ? !buf_puts(&list, "only one is possible")
		    : t->blocks.count != 0 && !list_names(t, &list))
		list.len = 0;
	(void)err_data(e, "--sort: no group has this key or statistic: %.*s%s%.*s%s",
	    slice_shown(sort, 100), sort.p,
	    list.len == 0 ? ""
		: several ? " ("
			  : " (there are: ",
	    slice_shown(buf_slice(&list), TABLE_NAMES_MAX), list.len == 0 ? "" : list.p,
	    list.len == 0 ? "" : ")");
	buf_free(&list);
	return (int)e->code;
}

static struct layout
layout_of(struct table *t, size_t i, const struct table_view *view, struct out *o)
{
	struct layout l = { .t = t, .b = &t->block[i], .view = view, .o = o };

	l.value_unit = table_unit(t, l.b);
	/* results of counts have no unit, although their measure has one */
	l.unit = units_stat_has(l.b->of) && units_stat_has(l.b->stat) ? l.value_unit : SLICE("");
	l.percent_of = TAB_NONE;
	l.share = SLICE("%");
	return l;
}

size_t
table_fit(const struct table *t, size_t lines)
{
	size_t n = t->blocks.count, others = n * LINES_AROUND;

	return n == 0 || lines < others + n ? 1 : (lines - others) / n;
}

static bool
is_wanted(const struct block *b, const struct table_view *view)
{
	return view->measure.len == 0 || slice_eq(b->measure, view->measure);
}

int
table_check_measure(const struct table *t, const struct table_view *view, struct err *e)
{
	struct tab others = { .count = 0 };
	size_t i;
	int rc = 0;

	for (i = 0; i < t->blocks.count && !is_wanted(&t->block[i], view); i++)
		keys_note_measure(&others, t->block[i].measure);
	if (i == t->blocks.count && view->measure.len != 0)
		rc = keys_no_measure(view->measure, &others, e);
	tab_free(&others);
	return rc;
}

int
table_print(struct table *t, const struct table_view *view, struct out *o, struct err *e)
{
	struct slice key = view->percent_of;
	double *parts = key.len == 0 ? NULL : mem_zero(t->text.count + 1, sizeof *parts);
	struct buf share = { 0 };
	bool any = false;
	size_t i;
	int rc = 0;

	if ((key.len != 0 && parts == NULL) || !buf_put(&share, "% of ", 5) ||
	    !buf_put(&share, key.p, key.len))
		rc = err_nomem(e);
	for (i = 0; rc == 0 && i < t->blocks.count; i++) {
		struct layout l = layout_of(t, i, view, o);

		if (!is_wanted(l.b, view))
			continue;
		l.share = (struct slice){ share.p, key.len == 0 ? 1 : share.len };
		if (any)
			out_put(o, "\n", 1);
		any = true;
		rc = print_table(&l, parts, e);
		t->has_shares |= l.shares;
	}
	buf_free(&share);
	mem_free(parts);
	return rc;
}

/*
 * ---- a table for a screen
 */

struct table_pane {
	struct layout l;
	struct out text; /* of a cell that is cut; nothing is written */
	struct table_room room;
	size_t rows;
	char figure[FIGURE_MAX];
};

size_t
table_count(const struct table *t)
{
	return t->blocks.count;
}

struct slice
table_name(const struct table *t, size_t i)
{
	return t->blocks.item[i];
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns whether the text has the other one in it, in whatever case of ASCII letters. */
static bool
has_text(struct slice text, struct slice other)
{
	size_t i, k;

	for (i = 0; i + other.len <= text.len; i++) {
		for (k = 0; k < other.len && lower(text.p[i + k]) == lower(other.p[k]);)
			k++;
		if (k == other.len)
			return true;
	}
	return false;
}

static bool
row_matches(const struct layout *l, size_t row, struct slice match)
{
	size_t k;

	for (k = 0; k < l->columns; k++)
		if (l->column[k].is_key &&
		    has_text(grid_get(l->t, &l->b->keys, row, l->column[k].at), match))
			return true;
	return match.len == 0;
}

int
table_pane_open(struct table_pane **pane, struct table *t, size_t i, const struct table_view *view,
    struct slice match, struct err *e)
{
	struct table_pane *p = mem_zero(1, sizeof *p);
	size_t row;

	*pane = NULL;
	if (p == NULL)
		return err_nomem(e);
	p->l = layout_of(t, i, view, &p->text);
	if (!out_open(&p->text, -1) || lay_out(&p->l, p->l.b->rows.count, e) != 0) {
		table_pane_close(p);
		return err_nomem(e);
	}
	p->text.hold = true;
	for (row = 0; row < p->l.b->rows.count; row++)
		if (row_matches(&p->l, p->l.row[row], match))
			p->l.row[p->rows++] = p->l.row[row];
	*pane = p;
	return 0;
}

void
table_pane_close(struct table_pane *p)
{
	if (p == NULL)
		return;
	out_free(&p->text);
	free_layout(&p->l);
	mem_free(p);
}

size_t
table_pane_rows(const struct table_pane *p)
{
	return p->rows;
}

size_t
table_pane_groups(const struct table_pane *p)
{
	return p->l.b->rows.count;
}

size_t
table_pane_columns(const struct table_pane *p)
{
	return p->l.columns;
}

/* Returns the width of the screen that is needed if keys are cut to that. */
static size_t
width_with(const struct layout *l, size_t key_width)
{
	size_t width = 0, k;

	for (k = 0; k < l->columns; k++) {
		const struct column *c = &l->column[k];

		width += (k > 0 ? GAP : 0) +
		    (is_cut(l, c) && c->width > key_width ? key_width : c->width);
	}
	return width;
}

void
table_pane_fit(struct table_pane *p, size_t from, size_t n, const struct table_room *room)
{
	struct layout *l = &p->l;
	size_t key_width = WIDTH_MAX, k;

	p->room = *room;
	l->room = &p->room;
	set_widths(l, from, n, WIDTH_MAX);
	while (key_width > KEY_MIN && width_with(l, key_width) > room->width)
		key_width--;
	for (k = 0; k < l->columns; k++)
		if (is_cut(l, &l->column[k]) && l->column[k].width > key_width)
			l->column[k].width = key_width;
}

#define CUT_MIN 3 /* room for ... */

/* Cuts a text to so many columns, in which fewer characters have room if some are wide. */
static struct slice
cut_cell(struct table_pane *p, struct slice text, size_t width)
{
	struct slice cut;
	size_t n;

	for (n = width; n > CUT_MIN; n--) {
		cut = fit_cut(&p->text, text, n);
		if (width_of(&p->l, cut) <= width)
			return cut;
	}
	return SLICE("...");
}

static struct table_cell
cell_of(struct table_pane *p, size_t column, struct slice text)
{
	const struct layout *l = &p->l;
	const struct column *c = &l->column[column];
	struct table_cell cell = { .text = text,
		.width = c->width,
		.right = !c->is_key || c->is_time,
		.sorted =
		    !c->is_share && c->at == l->sort && c->is_key == (l->sorted == &l->b->keys),
		.ascending = l->ascending,
		.name = c->name,
		.share = c->is_share };

	cell.at = place_of(l, column);
	if (is_cut(l, c) && width_of(l, text) > c->width && c->width > CUT_MIN)
		cell.text = cut_cell(p, text, c->width);
	return cell;
}

struct table_cell
table_pane_cell(struct table_pane *p, size_t row, size_t column)
{
	return cell_of(p, column, shown(&p->l, &p->l.column[column], p->l.row[row], p->figure));
}

struct table_cell
table_pane_heading(struct table_pane *p, size_t column)
{
	return cell_of(p, column, heading(&p->l, &p->l.column[column], p->figure));
}

struct slice
table_pane_title(struct table_pane *p)
{
	p->text.len = 0;
	put_measure(&p->l);
	return (struct slice){ p->text.p, p->text.len };
}

struct slice
table_pane_key(const struct table_pane *p, size_t row, struct slice name)
{
	size_t key = table_key(p->l.b, name);

	return key == TAB_NONE ? (struct slice){ NULL, 0 }
			       : grid_get(p->l.t, &p->l.b->keys, p->l.row[row], key);
}

struct slice
table_pane_name(const struct table_pane *p, size_t row)
{
	struct slice name = p->l.b->rows.item[p->l.row[row]];

	return next_part(&name);
}
