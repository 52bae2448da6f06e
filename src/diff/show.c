/* SPDX-License-Identifier: ISC */
/* show.c - the changes, as lines of the stream or as tables for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fit.h"
#include "lib/mem.h"
#include "lib/units.h"
#include "src/diff/diffint.h"

#define CELL_MAX 64 /* bytes of a number in a table */
#define RATE_MAX 400 /* bytes of the unit of a rate */
#define WIDE 1e12 /* numbers from here on do not fit into their column */

static void
put_number(struct evwrite *w, struct slice key, double v)
{
	char text[NUM_MAX];

	evw_tag_raw(w, key, (struct slice){ text, num_put_double(text, v) });
}

static void
put_part(struct evwrite *w, struct slice key, struct slice value)
{
	if (!slice_is_nothing(value))
		evw_tag_raw(w, key, value);
}

/* Writes the tags that say how the group has changed. */
static void
put_change(struct evwrite *w, const struct effect *x)
{
	static const struct slice mean[] = { SLICE_INIT("before"), SLICE_INIT("after") };
	static const struct slice runs[] = { SLICE_INIT("n.before"), SLICE_INIT("n.after") };
	enum diff_side s;

	for (s = 0; s < DIFF_SIDES; s++)
		if (x->there[s])
			put_number(w, mean[s], x->mean[s]);
		else
			evw_tag_raw(w, mean[s], SLICE("."));
	if (x->known)
		put_number(w, SLICE("change"), x->change);
	if (x->spread) {
		put_number(w, SLICE("delta.lo"), x->delta_in.lo);
		put_number(w, SLICE("delta.hi"), x->delta_in.hi);
	}
	if (x->relative_spread) {
		put_number(w, SLICE("change.lo"), x->change_in.lo);
		put_number(w, SLICE("change.hi"), x->change_in.hi);
	}
	if (x->spread)
		put_number(w, SLICE("p"), x->p);
	for (s = 0; s < DIFF_SIDES; s++)
		evw_tag_u64(w, runs[s], x->n[s]);
}

/* Writes the limits that the group exceeds, as a list. */
static void
put_beyond(const struct diff *d, struct evwrite *w, uint64_t beyond)
{
	size_t i;
	bool first = true;

	if (beyond == 0)
		return;
	evw_tag_begin(w, SLICE("beyond"));
	for (i = 0; i < d->x->limits; i++) {
		if ((beyond >> i & 1) == 0)
			continue;
		if (!first)
			evw_bytes(w, ";", 1);
		evw_element(w, d->x->limit[i].text);
		first = false;
	}
	evw_tag_end(w, SLICE("beyond"));
}

static const struct slice per_name[] = {
	[DIFF_PER_NOTHING] = SLICE_INIT("."),
	[DIFF_PER_TOTAL] = SLICE_INIT("total"),
	[DIFF_PER_TIME] = SLICE_INIT("time"),
	[DIFF_PER_COUNT] = SLICE_INIT("count"),
};

bool
diff_per_named(const char *name, enum diff_per *per)
{
	size_t i;

	for (i = DIFF_PER_TOTAL; i < sizeof per_name / sizeof per_name[0]; i++)
		if (slice_eq(per_name[i], slice_of(name))) {
			*per = (enum diff_per)i;
			return true;
		}
	return false;
}

struct slice
diff_group_name(const struct diff *d, size_t group)
{
	struct slice rest = d->item[group];
	size_t i;

	for (i = 0; i < FAMILY_PARTS; i++)
		(void)diff_field(&rest);
	return rest;
}

struct slice
diff_group_keys(const struct diff *d, size_t group)
{
	struct slice rest = diff_group_name(d, group);

	(void)diff_field(&rest);
	return rest;
}

/* Returns the time if the field is window=TIME; else p is NULL. */
static struct slice
window_of(struct slice field)
{
	static const struct slice key = SLICE_INIT("window=");

	if (field.len <= key.len || memcmp(field.p, key.p, key.len) != 0)
		return (struct slice){ NULL, 0 };
	return (struct slice){ field.p + key.len, field.len - key.len };
}

void
diff_look_at_names(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->effects; i++) {
		struct family *f = &d->family[d->group[d->effect[i].group].family];
		struct slice rest = diff_group_name(d, d->effect[i].group), window;

		f->has_region |= !slice_is_nothing(diff_field(&rest)) || rest.len == 0;
		while (rest.len != 0) {
			window = window_of(diff_field(&rest));
			f->odd_window |= window.p != NULL && !seconds_see(window, &f->decimals);
		}
	}
}

struct slice
diff_next_part(const struct family *f, struct slice *name, char room[DIFF_PART_MAX])
{
	struct slice part = diff_field(name), window;
	size_t key;

	if (!f->has_region && slice_is_nothing(part))
		part = diff_field(name);
	window = window_of(part);
	if (window.p == NULL || f->odd_window || slice_is_nothing(window))
		return part;
	key = part.len - window.len;
	memcpy(room, part.p, key);
	return (struct slice){ room, key + seconds_put(room + key, window, f->decimals) };
}

static void
put_effect(const struct diff *d, struct evwrite *w, const struct effect *x)
{
	const struct family *f = &d->family[d->group[x->group].family];
	struct slice rest = diff_group_name(d, x->group), region = diff_field(&rest);

	evw_begin(w, SLICE("diff"));
	evw_none(w);
	evw_none(w);
	evw_raw(w, region);
	evw_raw(w, f->part[PART_MEASURE]);
	if (x->known)
		evw_double(w, x->delta);
	else
		evw_none(w);
	while (rest.len != 0) {
		struct slice tag = diff_field(&rest);
		const char *equals = memchr(tag.p, '=', tag.len);
		size_t n = (size_t)(equals - tag.p);

		evw_tag_raw(w, (struct slice){ tag.p, n },
		    (struct slice){ equals + 1, tag.len - n - 1 });
	}
	evw_tag_raw(w, SLICE("stat"), f->part[PART_STAT]);
	put_change(w, x);
	if (d->side[DIFF_BEFORE].overlaps || d->side[DIFF_AFTER].overlaps)
		evw_tag_raw(w, SLICE("overlap"), SLICE("1"));
	put_part(w, SLICE("normalised"), per_name[d->x->per]);
	put_part(w, SLICE("percentile"), f->part[PART_METHOD]);
	put_part(w, SLICE("of"), f->part[PART_OF]);
	put_part(w, SLICE("windows"), f->part[PART_WINDOWS]);
	if (d->x->per == DIFF_PER_NOTHING)
		put_part(w, SLICE("unit"), f->part[PART_UNIT]);
	put_part(w, SLICE("type"), f->part[PART_TYPE]);
	put_beyond(d, w, x->limits[BEYOND]);
	evw_end(w);
}

void
diff_put(const struct diff *d, struct evwrite *w)
{
	size_t i;

	for (i = 0; i < d->effects && !evw_failed(w); i++)
		put_effect(d, w, &d->effect[i]);
}

static void
print_text(struct out *o, const char *text)
{
	out_put(o, text, strlen(text));
}

/* Prints the head of the table of a family. */
static void
print_head(const struct diff *d, struct out *o, const struct family *f)
{
	static const struct slice names[] = { SLICE_INIT(" per total"), SLICE_INIT(" per second"),
		SLICE_INIT(" per event") };
	struct slice unit = f->part[PART_UNIT], of = f->part[PART_OF];
	struct slice stat = f->part[PART_STAT];
	char text[128], rate[RATE_MAX];

	out_put(o, f->part[PART_MEASURE].p, f->part[PART_MEASURE].len);
	if (!slice_is_nothing(unit) && units_stat_has(stat) && units_stat_has(of)) {
		print_text(o, " [");
		out_put(o, unit.p, unit.len);
		print_text(o, "]");
	}
	print_text(o, ", ");
	out_put(o, stat.p, stat.len);
	out_put(o, rate, units_put_rate(rate, sizeof rate, stat, unit));
	if (!slice_is_nothing(of)) {
		print_text(o, " of ");
		out_put(o, of.p, of.len);
		out_put(o, rate, units_put_inner_rate(rate, sizeof rate, of, unit));
	}
	if (d->x->per != DIFF_PER_NOTHING)
		out_put(o, names[d->x->per - 1].p, names[d->x->per - 1].len);
	snprintf(text, sizeof text, ": runs: %" PRIu32 " before, %" PRIu32 " after\n",
	    f->runs[DIFF_BEFORE], f->runs[DIFF_AFTER]);
	print_text(o, text);
	snprintf(text, sizeof text, "%12s %12s %9s  %-19s %8s  group\n", "before", "after",
	    "change", "interval", "p");
	print_text(o, text);
}

/* Digits that are of no use, such as those of a limit that is hardly one, are not shown. */
static const char *
percent(char *text, double v)
{
	if (isfinite(v))
		snprintf(text, CELL_MAX, fabs(v) < 1e5 ? "%+.2f%%" : "%+.3g%%", v * 100);
	else
		snprintf(text, CELL_MAX, "%s", v < 0 ? "-inf" : "+inf");
	return text;
}

/* Large numbers are shown with all digits before the point, as far as these fit into the column. */
static const char *
figure(char *text, bool there, double v)
{
	if (!there)
		return ".";
	snprintf(text, CELL_MAX, fabs(v) >= 1e6 && fabs(v) < WIDE ? "%.0f" : "%.7g", v);
	return text;
}

/* How a table is printed. */
struct printing {
	const struct diff *d;
	const struct family *family;
	const struct diff_view *view;
	struct fit names;
	struct out *o;
};

static void
print_effect(struct printing *p, const struct effect *x)
{
	char cell[6][CELL_MAX], in[2 * CELL_MAX + 2] = ".", line[8 * CELL_MAX];
	char part[DIFF_PART_MAX];
	struct slice rest = diff_group_name(p->d, x->group);

	if (x->relative_spread)
		snprintf(in, sizeof in, "%s..%s", percent(cell[0], x->change_in.lo),
		    percent(cell[1], x->change_in.hi));
	snprintf(cell[5], CELL_MAX, "%.4f", x->p);
	snprintf(line, sizeof line, "%12s %12s %9s  %-19s %8s %c",
	    figure(cell[2], x->there[DIFF_BEFORE], x->mean[DIFF_BEFORE]),
	    figure(cell[3], x->there[DIFF_AFTER], x->mean[DIFF_AFTER]),
	    x->known ? percent(cell[4], x->change) : ".", in, x->spread ? cell[5] : ".",
	    x->limits[BEYOND] != 0 ? '!' : ' ');
	print_text(p->o, line);
	while (rest.len != 0) {
		struct slice tag = diff_next_part(p->family, &rest, part);

		if (p->view->width != 0)
			tag = fit_name(&p->names, tag, p->view->width);
		out_put(p->o, tag.p, tag.len);
		print_text(p->o, rest.len != 0 ? " " : "");
	}
	print_text(p->o, "\n");
}

const char *
diff_view_column(size_t i)
{
	static const char *const names[] = { [DIFF_SIZE] = "delta",
		[DIFF_BY_BEFORE] = "before",
		[DIFF_BY_AFTER] = "after",
		[DIFF_CHANGE] = "change",
		[DIFF_P] = "p",
		[DIFF_GROUP] = "group" };

	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

int
diff_view_sort(struct diff_view *v, const char *text, struct err *e)
{
	size_t n = strcspn(text, ":"), i = 0;
	const char *name;

	while ((name = diff_view_column(i)) != NULL &&
	    !slice_eq(slice_of(name), (struct slice){ text, n }))
		i++;
	if (name == NULL)
		return err_data(e, "expected before, after, delta, change, p or group");
	v->sort = (enum diff_column)i;
	v->up = strcmp(text + n, ":asc") == 0 ||
	    (text[n] == '\0' && (v->sort == DIFF_P || v->sort == DIFF_GROUP));
	if (!v->up && text[n] != '\0' && strcmp(text + n, ":desc") != 0)
		return err_data(e, "expected :asc or :desc after the name of a column");
	return 0;
}

/* A row of a table: its effect, and by what it is sorted. */
struct row {
	const struct effect *x;
	bool known;
	double key; /* the least comes first */
};

static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x); /* as in the stream */
}

static struct row
row_of(const struct effect *x, const struct diff_view *v)
{
	struct row r = { x, x->known, 0 };

	switch (v->sort) {
	case DIFF_SIZE: r.key = fabs(x->delta); break;
	case DIFF_BY_BEFORE:
		r.known = x->there[DIFF_BEFORE];
		r.key = x->mean[DIFF_BEFORE];
		break;
	case DIFF_BY_AFTER:
		r.known = x->there[DIFF_AFTER];
		r.key = x->mean[DIFF_AFTER];
		break;
	case DIFF_CHANGE: r.key = x->change; break;
	case DIFF_P:
		r.known = x->spread;
		r.key = x->p;
		break;
	case DIFF_GROUP:
		r.known = true;
		r.key = x->group; /* numbered in the order of their texts */
		break;
	}
	if (!v->up)
		r.key = -r.key;
	return r;
}

#define BEYOND_MORE 10 /* rows beyond a limit that are printed after the first ones */

/*
 * Moves the rows to be printed to the front: the first TOP, and then some of those beyond a limit.
 * Returns their number.
 */
static size_t
choose_rows(struct row *row, size_t n, size_t top)
{
	size_t end = top == 0 || top > n ? n : top, i;

	for (i = end; i < n && end < top + BEYOND_MORE; i++)
		if (row[i].x->limits[BEYOND] != 0)
			row[end++] = row[i];
	return end;
}

/* Sees the names of the rows to be printed.  Returns false if memory runs out. */
static bool
see_names(struct printing *p, const struct row *row, size_t n)
{
	char part[DIFF_PART_MAX];
	size_t i;
	bool ok = true;

	for (i = 0; i < n && p->view->width != 0; i++) {
		struct slice rest = diff_group_name(p->d, row[i].x->group);

		while (ok && rest.len != 0)
			ok = fit_see(&p->names, diff_next_part(p->family, &rest, part),
			    p->view->width);
	}
	return ok;
}

static void
print_hidden(struct out *o, size_t hidden, size_t beyond)
{
	char text[96];

	if (hidden == 0)
		return;
	if (beyond == 0)
		snprintf(text, sizeof text, "... %zu more\n", hidden);
	else
		snprintf(text, sizeof text, "... %zu more, beyond a limit: %zu\n", hidden, beyond);
	print_text(o, text);
}

/* Prints the first rows, and more that are beyond a limit.  Returns false if memory runs out. */
static bool
print_table(struct printing *p, struct row *row, size_t n)
{
	size_t beyond = 0, shown, i;

	p->family = &p->d->family[p->d->group[row->x->group].family];
	qsort(row, n, sizeof *row, compare_rows);
	for (i = 0; i < n; i++)
		beyond += row[i].x->limits[BEYOND] != 0;
	shown = choose_rows(row, n, p->view->top);
	if (!fit_open(&p->names) || !see_names(p, row, shown))
		return false;
	print_head(p->d, p->o, p->family);
	for (i = 0; i < shown && p->o->error == 0; i++) {
		print_effect(p, row[i].x);
		beyond -= row[i].x->limits[BEYOND] != 0;
	}
	print_hidden(p->o, n - shown, beyond);
	return true;
}

int
diff_print(const struct diff *d, const struct diff_view *v, struct out *o, struct err *e)
{
	struct printing p = { .d = d, .view = v, .o = o };
	struct row *row = mem_zero(d->effects + 1, sizeof *row);
	size_t i, n;
	bool ok = row != NULL;

	for (i = 0; ok && i < d->effects; i += n) {
		for (n = 0; i + n < d->effects && d->effect[i + n].block == d->effect[i].block; n++)
			row[n] = row_of(&d->effect[i + n], v);
		print_text(o, i == 0 ? "" : "\n");
		ok = print_table(&p, row, n);
		fit_close(&p.names);
	}
	mem_free(row);
	return ok ? 0 : err_nomem(e);
}
