/* SPDX-License-Identifier: ISC */
/* top.c - the live table: what keys do, and what is drawn when. */
#include "src/top/top.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/sig.h"
#include "src/top/screen.h"

#define NSEC ((uint64_t)1000000000)
#define PATH_MAX_FUNCTIONS 32 /* functions into which the user may descend */
#define FILTER_MAX 64 /* bytes */
#define PARTS 2 /* tables on the screen: callers above callees */
#define MSEC ((uint64_t)1000000) /* nanoseconds */
#define LINES_AROUND 2 /* lines of the terminal that the final tables leave free */
#define IDLE 9 /* after a drawing, this many times as long is left to reading */
#define SCREEN_KEYS_MAX 32 /* keys that are handled before something is drawn */
#define WIDTH 256 /* of keys, at most; less if the screen is narrow */
#define CTRL_L 12

/* What must be done before the screen shows the state. */
enum stale { FRESH, STALE_SCREEN, STALE_LAYOUT, STALE_NUMBERS };

/* One table on the screen. */
struct part {
	struct table *table;
	struct table_view view; /* of the pane */
	struct table_pane *pane; /* NULL: nothing to show */
	size_t first; /* row on the screen */
};

struct top {
	struct sums *sums;
	struct screen *screen;
	struct top_settings set;
	enum stale stale;
	bool quit, paused, windows;
	bool ended; /* the input has */
	/* What the user has chosen. */
	struct buf path[PATH_MAX_FUNCTIONS]; /* the functions descended into */
	size_t depth;
	struct buf measure; /* the name of the table (table_name); empty: the first one */
	struct buf sort;
	struct table_view view; /* as in the settings at first; without the sort */
	char filter[FILTER_MAX];
	size_t filter_len;
	bool typing; /* the filter */
	bool full; /* the last character that was typed has no room */
	size_t chosen; /* the row, counted over all parts */
	struct buf chosen_name; /* of its group; empty: none */
	/* What is shown. */
	struct part part[PARTS];
	size_t parts;
	uint64_t from; /* of the window */
	char why[sizeof((struct err *)0)->msg]; /* there is no table; or "" */
	/* Rates. */
	uint64_t next; /* time of the next tables */
	uint64_t next_rates;
	uint64_t rated; /* time at which these were counted; 0: never */
	struct sums_counts counts;
	double rate, loss_rate; /* per second */
};

/* Replaces a text.  If memory runs out, it becomes empty, which only changes what is shown. */
static void
set_text(struct buf *b, struct slice text)
{
	b->len = 0;
	(void)!buf_put(b, text.p, text.len);
}

struct top *
top_open(struct sums *sums, const struct top_settings *settings)
{
	struct top *t = mem_zero(1, sizeof *t);
	struct err e;

	if (t == NULL)
		return NULL;
	t->sums = sums;
	t->set = *settings;
	t->view = settings->view;
	t->windows = settings->windows;
	t->stale = STALE_NUMBERS;
	set_text(&t->sort, settings->view.sort);
	t->screen = screen_open();
	if (t->screen == NULL || sums_want_live(sums, &e) != 0) {
		top_close(t);
		return NULL;
	}
	if (t->windows)
		sums_want_windows(sums, settings->window);
	return t;
}

static void
close_parts(struct top *t)
{
	size_t i;

	for (i = 0; i < t->parts; i++) {
		table_pane_close(t->part[i].pane);
		table_close(t->part[i].table);
		t->part[i].pane = NULL;
		t->part[i].table = NULL;
	}
	t->parts = 0;
}

void
top_close(struct top *t)
{
	size_t i;

	if (t == NULL)
		return;
	close_parts(t);
	for (i = 0; i < PATH_MAX_FUNCTIONS; i++)
		buf_free(&t->path[i]);
	buf_free(&t->measure);
	buf_free(&t->sort);
	buf_free(&t->chosen_name);
	screen_close(t->screen);
	mem_free(t);
}

/* Returns the view of a table: sorted as chosen or, if it has no such column, as at first. */
static struct table_view
view_of(const struct top *t, const struct table *table)
{
	struct table_view view = t->view;

	view.sort = buf_slice(&t->sort);
	if (!table_has(table, view.sort)) {
		view.sort = t->set.view.sort;
		view.order = t->set.view.order;
	}
	return view;
}

struct table_view
top_leave(struct top *t, const struct table *final)
{
	struct table_view view = final != NULL ? view_of(t, final) : t->set.view;
	size_t height = screen_height(t->screen);

	if (view.top == 0 && final != NULL && height > LINES_AROUND)
		view.top = table_fit(final, height - LINES_AROUND);
	screen_close(t->screen);
	t->screen = NULL;
	return view;
}

bool
top_has_quit(const struct top *t)
{
	return t->quit;
}

static void
raise_stale(struct top *t, enum stale stale)
{
	if (t->stale < stale)
		t->stale = stale;
}

/*
 * ---- from numbers to tables
 */

static size_t
rows_of(const struct part *p)
{
	return p->pane == NULL ? 0 : table_pane_rows(p->pane);
}

static size_t
all_rows(const struct top *t)
{
	size_t n = 0, i;

	for (i = 0; i < t->parts; i++)
		n += rows_of(&t->part[i]);
	return n;
}

/* Finds the part and the row of what the user has chosen.  Returns false if nothing is shown. */
static bool
find_chosen(struct top *t, struct part **part, size_t *row)
{
	size_t i;

	*row = t->chosen;
	for (i = 0; i < t->parts; i++) {
		*part = &t->part[i];
		if (*row < rows_of(*part))
			return true;
		*row -= rows_of(*part);
	}
	return false;
}

/* Remembers the group that is chosen, so that it stays so when its row moves. */
static void
remember_chosen(struct top *t)
{
	struct part *part;
	size_t row;

	if (t->chosen != 0 && find_chosen(t, &part, &row))
		set_text(&t->chosen_name, table_pane_name(part->pane, row));
	else
		t->chosen_name.len = 0;
}

static void
restore_chosen(struct top *t)
{
	size_t n = all_rows(t), i, row, before = 0;

	for (i = 0; t->chosen_name.len != 0 && i < t->parts; before += rows_of(&t->part[i++]))
		for (row = 0; row < rows_of(&t->part[i]); row++)
			if (slice_eq(table_pane_name(t->part[i].pane, row),
				buf_slice(&t->chosen_name))) {
				t->chosen = before + row;
				return;
			}
	if (t->chosen >= n)
		t->chosen = n == 0 ? 0 : n - 1;
}

/* Returns the measure at the beginning of the name of a table. */
static struct slice
measure_of(struct slice name)
{
	const char *tab = name.len == 0 ? NULL : memchr(name.p, '\t', name.len);

	return tab == NULL ? name : (struct slice){ name.p, (size_t)(tab - name.p) };
}

/* Returns the table of the measure that is shown, or the number of tables if there is none. */
static size_t
table_wanted(struct top *t, const struct table *table)
{
	struct slice name = buf_slice(&t->measure), measure = measure_of(name);
	size_t n = table_count(table), i;

	if (name.len == 0)
		measure = t->view.measure;
	for (i = 0; i < n; i++)
		if (slice_eq(table_name(table, i), name))
			return i;
	for (i = 0; i < n; i++)
		if (measure.len == 0 || slice_eq(measure_of(table_name(table, i)), measure))
			return i;
	return n;
}

/* Opens the panes of the tables. */
static void
lay_out(struct top *t)
{
	struct slice match = { t->filter, t->filter_len };
	struct err e;
	size_t i, k;

	if (t->parts != 0)
		t->why[0] = '\0';
	for (i = 0; i < t->parts; i++) {
		struct part *p = &t->part[i];

		table_pane_close(p->pane);
		p->pane = NULL;
		p->view = view_of(t, p->table);
		p->view.width = WIDTH;
		k = table_wanted(t, p->table);
		if (k < table_count(p->table) &&
		    table_pane_open(&p->pane, p->table, k, &p->view, match, &e) != 0)
			(void)snprintf(t->why, sizeof t->why, "%s", e.msg);
		if (p->pane != NULL && t->measure.len == 0)
			set_text(&t->measure, table_name(p->table, k));
	}
	if (t->parts != 0 && t->part[0].pane == NULL && t->why[0] == '\0')
		(void)snprintf(t->why, sizeof t->why, "no samples of this measure yet");
	restore_chosen(t);
}

/* Makes the tables anew. */
static void
collect(struct top *t)
{
	enum sums_part first = t->depth != 0 ? SUMS_CALLERS : t->windows ? SUMS_WINDOW : SUMS_ALL;
	size_t n = t->depth != 0 ? 2 : 1, i;
	struct sums_view view = { .ended = t->ended };
	struct err e;

	close_parts(t);
	t->why[0] = '\0';
	for (i = 0; i < n; i++) {
		view.part = (enum sums_part)((size_t)first + i);
		if (t->depth != 0)
			view.function = buf_slice(&t->path[t->depth - 1]);
		if (sums_table(t->sums, &view, &t->part[i].table, &e) != 0) {
			(void)snprintf(t->why, sizeof t->why, "%s", e.msg);
			close_parts(t);
			return;
		}
		t->parts++;
	}
	t->from = view.from;
}

static void
measure_rates(struct top *t, uint64_t time)
{
	struct sums_counts counts = sums_counts(t->sums);
	double passed = (double)(time - t->rated) / (double)NSEC;

	if (t->rated != 0 && passed > 0) {
		t->rate = (double)(counts.taken - t->counts.taken) / passed;
		t->loss_rate = (double)(counts.lost - t->counts.lost) / passed;
	}
	t->rated = time;
	t->counts = counts;
}

/* Returns the function in the row that is chosen, or an empty text. */
static struct slice
chosen_function(struct top *t)
{
	static const char *const keys[] = { "callee", "caller", "region", "frame", "leaf", "root" };
	struct part *part;
	size_t row, i;

	if (!find_chosen(t, &part, &row))
		return SLICE("");
	for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		struct slice f = table_pane_key(part->pane, row, slice_of(keys[i]));

		if (f.p != NULL && !slice_is_nothing(f) && !slice_eq(f, SLICE("[self]")) &&
		    !slice_eq(f, SLICE("[root]")))
			return f;
	}
	return SLICE("");
}

/*
 * ---- drawing
 */

/* A line of the screen, written from left to right. */
struct pen {
	struct top *t;
	size_t line, at;
};

__attribute__((format(printf, 3, 4))) static void
put(struct pen *p, enum screen_style style, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n > 0)
		p->at += screen_put(p->t->screen, p->line, p->at, slice_of(text), SIZE_MAX, style);
}

static void
put_slice(struct pen *p, enum screen_style style, struct slice text)
{
	p->at += screen_put(p->t->screen, p->line, p->at, text, SIZE_MAX, style);
}

/* The first line: what is shown. */
static void
draw_head(struct top *t, size_t line)
{
	struct pen p = { t, line, 0 };
	struct table_pane *pane = t->parts == 0 ? NULL : t->part[0].pane;
	char name[SUMS_NAME_MAX];

	if (t->paused)
		put(&p, SCREEN_SORTED, " PAUSED ");
	if (t->paused)
		put(&p, SCREEN_PLAIN, " ");
	if (pane != NULL)
		put_slice(&p, SCREEN_BOLD, table_pane_title(pane));
	else
		put(&p, SCREEN_BOLD, "aftop");
	if (t->depth != 0) {
		put(&p, SCREEN_PLAIN, "  callers and callees of ");
		put_slice(&p, SCREEN_BOLD, buf_slice(&t->path[t->depth - 1]));
		return;
	}
	if (t->windows && t->parts != 0)
		put(&p, SCREEN_BOLD, "  %s", sums_name_window(t->from, t->set.window, name));
	else if (t->windows)
		put(&p, SCREEN_BOLD, "  last window of %.9gs",
		    (double)t->set.window / (double)NSEC);
	else
		put(&p, SCREEN_PLAIN, "  sum of all");
	put(&p, SCREEN_PLAIN, "  by %s", t->set.by);
	if (pane != NULL && t->filter_len != 0)
		put(&p, SCREEN_PLAIN, ", %zu of %zu", table_pane_rows(pane),
		    table_pane_groups(pane));
	else if (pane != NULL)
		put(&p, SCREEN_PLAIN, ", %zu group%s", table_pane_groups(pane),
		    table_pane_groups(pane) == 1 ? "" : "s");
}

/* The second line: rates, and the last message. */
static void
draw_rates(struct top *t, size_t line)
{
	char room[4096];
	struct slice message = screen_message(t->screen, room, sizeof room);
	const struct sums_counts *n = &t->counts;
	struct pen p = { t, line, 0 };

	if (sig_left_to_producer())
		put(&p, SCREEN_WARNING, "Ctrl-C: the stream ends; again: kill  ");
	if (t->ended)
		put(&p, SCREEN_BOLD, "end of the input  ");
	put(&p, SCREEN_PLAIN, "%" PRIu64 " sample%s", n->taken, n->taken == 1 ? "" : "s");
	if (!t->ended)
		put(&p, SCREEN_PLAIN, ", %.0f/s", t->rate);
	put(&p, n->losses != 0 ? SCREEN_WARNING : SCREEN_PLAIN, "  %" PRIu64 " lost", n->lost);
	if (!t->ended)
		put(&p, n->losses != 0 ? SCREEN_WARNING : SCREEN_PLAIN, ", %.0f/s", t->loss_rate);
	if (t->depth != 0 && t->parts != 0 && n->stackless != 0)
		put(&p, SCREEN_WARNING, "  %" PRIu64 " sample%s not in these tables", n->stackless,
		    n->stackless == 1 ? " is" : "s are");
	if (t->windows && n->late != 0)
		put(&p, SCREEN_WARNING, "  %" PRIu64 " too late for their window", n->late);
	if (t->windows && n->untimed != 0)
		put(&p, SCREEN_WARNING, "  %" PRIu64 " without a time", n->untimed);
	if (message.len == 0)
		return;
	put(&p, SCREEN_PLAIN, "  ");
	put_slice(&p, SCREEN_WARNING, message);
}

static void
draw_cell(struct top *t, size_t line, const struct table_cell *c, enum screen_style style)
{
	size_t width = screen_columns(t->screen, c->text),
	       blank = c->right && width < c->width ? c->width - width : 0;

	(void)screen_put(t->screen, line, c->at + blank, c->text, c->width - blank, style);
}

/* Draws a table in so many lines, the names of its columns first. */
static void
draw_part(struct top *t, struct part *p, size_t line, size_t lines, size_t chosen)
{
	const struct table_room room = { screen_width(t->screen), screen_columns, t->screen };
	size_t rows = rows_of(p), n = lines - 1, columns, i, k;
	struct table_cell cell;

	if (p->pane == NULL || lines == 0)
		return;
	if (chosen != SIZE_MAX && chosen < p->first)
		p->first = chosen;
	if (chosen != SIZE_MAX && n != 0 && chosen >= p->first + n)
		p->first = chosen - n + 1;
	if (p->first + n > rows)
		p->first = rows > n ? rows - n : 0;
	n = rows < n ? rows : n;
	columns = table_pane_columns(p->pane);
	table_pane_fit(p->pane, p->first, n, &room);
	screen_fill(t->screen, line, SCREEN_TITLE);
	for (k = 0; k < columns; k++) {
		cell = table_pane_heading(p->pane, k);
		draw_cell(t, line, &cell, cell.sorted ? SCREEN_SORTED : SCREEN_TITLE);
	}
	for (i = 0; i < n; i++) {
		enum screen_style style = p->first + i == chosen ? SCREEN_CHOSEN : SCREEN_PLAIN;

		line++;
		if (style == SCREEN_CHOSEN)
			screen_fill(t->screen, line, style);
		for (k = 0; k < columns; k++) {
			cell = table_pane_cell(p->pane, p->first + i, k);
			draw_cell(t, line, &cell, style);
		}
	}
}

/* Divides the lines between two tables.  What one does not need, the other one gets. */
static size_t
lines_of_first(const struct top *t, size_t lines)
{
	size_t a = rows_of(&t->part[0]) + 1, b = rows_of(&t->part[1]) + 1, half = lines / 2;

	if (t->parts < 2 || lines < 2)
		return lines;
	if (a <= half || a + b <= lines)
		return a;
	return b < lines - half ? lines - b : half;
}

static void
draw_parts(struct top *t, size_t line, size_t lines)
{
	size_t first = lines_of_first(t, lines), row = 0;
	struct part *chosen = NULL;

	if (t->why[0] != '\0') {
		struct pen p = { t, line + lines / 3, 2 };

		put(&p, SCREEN_BOLD, "%s", t->why);
		return;
	}
	if (!find_chosen(t, &chosen, &row))
		chosen = NULL;
	if (t->parts > 0)
		draw_part(t, &t->part[0], line, first, chosen == &t->part[0] ? row : SIZE_MAX);
	if (t->parts > 1)
		draw_part(t, &t->part[1], line + first, lines - first,
		    chosen == &t->part[1] ? row : SIZE_MAX);
}

/* The last line: the keys, or the filter that is being typed. */
static void
draw_keys(struct top *t, size_t line)
{
	static const struct {
		const char *key, *text;
		bool needs_function; /* in the row that is chosen */
	} keys[] = {
		{ "q", "quit", false },
		{ "p", "pause", false },
		{ "/", "filter", false },
		{ "s", "sort", false },
		{ "r", "reverse", false },
		{ "Enter", "callers", true },
		{ "w", "window", false },
		{ "m", "measure", false },
		{ "h", "units", false },
	};
	bool function = chosen_function(t).len != 0;
	struct pen p = { t, line, 0 };
	size_t i;

	if (t->typing || t->filter_len != 0) {
		put(&p, SCREEN_KEY, t->typing ? "filter:" : "/");
		put(&p, SCREEN_BOLD, " ");
		put_slice(&p, SCREEN_BOLD, (struct slice){ t->filter, t->filter_len });
		put(&p, t->typing ? SCREEN_KEY : SCREEN_PLAIN, t->typing ? " " : "  ");
	}
	if (t->typing) {
		put(&p, SCREEN_PLAIN, "  Enter: keep it  Esc: no filter");
		return;
	}
	if (t->filter_len != 0 || t->depth != 0) {
		put(&p, SCREEN_KEY, "Esc");
		put(&p, SCREEN_PLAIN, t->depth != 0 ? " back  " : " no filter  ");
	}
	for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (keys[i].needs_function && !function)
			continue;
		if (p.at + strlen(keys[i].key) + 1 + strlen(keys[i].text) > screen_width(t->screen))
			break;
		put(&p, SCREEN_KEY, "%s", keys[i].key);
		put(&p, SCREEN_PLAIN, " %s  ", keys[i].text);
	}
}

static void
draw(struct top *t)
{
	size_t height = screen_height(t->screen), head = height >= 6 ? 2 : 1, foot = height >= 5;

	screen_begin(t->screen);
	draw_head(t, 0);
	if (head == 2)
		draw_rates(t, 1);
	if (height > head + foot)
		draw_parts(t, head, height - head - foot);
	if (foot != 0)
		draw_keys(t, height - 1);
	screen_end(t->screen);
}

/*
 * ---- keys
 */

/* Shows something else from its first row on. */
static void
change_place(struct top *t)
{
	t->chosen = 0;
	t->chosen_name.len = 0;
	t->filter_len = 0;
	close_parts(t);
	memset(t->part, 0, sizeof t->part);
	raise_stale(t, STALE_NUMBERS);
}

static void
descend(struct top *t)
{
	struct slice f = chosen_function(t);

	if (f.len == 0 || t->depth == PATH_MAX_FUNCTIONS)
		return;
	set_text(&t->path[t->depth], f);
	if (t->path[t->depth].len == 0)
		return;
	t->depth++;
	change_place(t);
}

static void
go_back(struct top *t)
{
	if (t->depth != 0) {
		t->depth--;
		change_place(t);
	} else if (t->filter_len != 0) {
		t->filter_len = 0;
		raise_stale(t, STALE_LAYOUT);
	}
}

/* Sorts by the next column, or by the one before. */
static void
change_sort(struct top *t, bool next)
{
	struct table_pane *pane = t->parts == 0 ? NULL : t->part[0].pane;
	size_t n = pane == NULL ? 0 : table_pane_columns(pane), k = 0, i;
	struct table_cell cell;

	for (i = 0; i < n; i++)
		if (table_pane_heading(pane, i).sorted)
			k = i;
	for (i = 0; i < n; i++) {
		k = (k + (next ? 1 : n - 1)) % n;
		cell = table_pane_heading(pane, k);
		if (!cell.share)
			break;
	}
	if (n == 0)
		return;
	set_text(&t->sort, cell.name);
	t->view.order = TABLE_USUAL;
	raise_stale(t, STALE_LAYOUT);
}

static void
reverse(struct top *t)
{
	struct table_pane *pane = t->parts == 0 ? NULL : t->part[0].pane;
	size_t n = pane == NULL ? 0 : table_pane_columns(pane), i;
	struct table_cell cell;

	for (i = 0; i < n; i++) {
		cell = table_pane_heading(pane, i);
		if (!cell.sorted)
			continue;
		set_text(&t->sort, cell.name); /* the usual column has an order only by name */
		t->view.order = cell.ascending ? TABLE_DESCENDING : TABLE_ASCENDING;
		raise_stale(t, STALE_LAYOUT);
		return;
	}
}

/* Shows the next measure, or the next unit of the only one wanted. */
static void
change_measure(struct top *t)
{
	const struct table *table = t->parts == 0 ? NULL : t->part[0].table;
	size_t n = table == NULL ? 0 : table_count(table), i, k;
	struct slice only = t->view.measure;

	k = n == 0 ? 0 : table_wanted(t, table);
	for (i = 0; i < n; i++) {
		k = k + 1 < n ? k + 1 : 0; /* also if none is shown */
		if (only.len == 0 || slice_eq(measure_of(table_name(table, k)), only))
			break;
	}
	if (i == n)
		return;
	set_text(&t->measure, table_name(table, k));
	raise_stale(t, STALE_LAYOUT);
}

static void
change_windows(struct top *t)
{
	t->windows = !t->windows;
	if (t->windows)
		sums_want_windows(t->sums, t->set.window);
	raise_stale(t, STALE_NUMBERS);
}

static void
move_to(struct top *t, size_t row)
{
	size_t n = all_rows(t);

	t->chosen = row < n ? row : n == 0 ? 0 : n - 1;
	raise_stale(t, STALE_SCREEN);
}

/* Adds a byte to the filter: all bytes of a character (in UTF-8), or none. */
static void
type(struct top *t, int byte)
{
	size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;

	if ((byte & 0xc0) != 0x80)
		t->full = length > sizeof t->filter - t->filter_len;
	if (!t->full && t->filter_len < sizeof t->filter)
		t->filter[t->filter_len++] = (char)byte;
}

static void
press_typing(struct top *t, int key)
{
	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE)
		t->typing = false;
	if (key == SCREEN_ESCAPE)
		t->filter_len = 0;
	if (key == SCREEN_ERASE && t->filter_len != 0)
		while (--t->filter_len != 0 && (t->filter[t->filter_len] & 0xc0) == 0x80)
			;
	if (key >= ' ' && key < SCREEN_UP)
		type(t, key);
	raise_stale(t, STALE_LAYOUT);
}

/* Moves the choice.  Returns false for other keys. */
static bool
press_moving(struct top *t, int key)
{
	size_t page = screen_height(t->screen) > 6 ? screen_height(t->screen) - 5 : 1;

	switch (key) {
	case 'k':
	case SCREEN_UP: move_to(t, t->chosen == 0 ? 0 : t->chosen - 1); return true;
	case 'j':
	case SCREEN_DOWN: move_to(t, t->chosen + 1); return true;
	case SCREEN_PAGE_UP: move_to(t, t->chosen < page ? 0 : t->chosen - page); return true;
	case SCREEN_PAGE_DOWN: move_to(t, t->chosen + page); return true;
	case SCREEN_HOME: move_to(t, 0); return true;
	case SCREEN_END: move_to(t, SIZE_MAX); return true;
	}
	return false;
}

static void
press(struct top *t, int key)
{
	raise_stale(t, STALE_SCREEN);
	/* a size that is the same again has not left the terminal's lines as they were */
	if (key == SCREEN_CHANGED || key == CTRL_L) {
		screen_repaint(t->screen);
		return;
	}
	if (t->typing) {
		press_typing(t, key);
		return;
	}
	if (press_moving(t, key)) {
		remember_chosen(t);
		return;
	}
	switch (key) {
	case 'q': t->quit = true; break;
	case ' ':
	case 'p': t->paused = !t->paused; break;
	case '/': t->typing = true; break;
	case 's':
	case SCREEN_RIGHT: change_sort(t, true); break;
	case SCREEN_LEFT: change_sort(t, false); break;
	case 'r': reverse(t); break;
	case 'm': change_measure(t); break;
	case 'w': change_windows(t); break;
	case 'h':
		t->view.human = !t->view.human;
		raise_stale(t, STALE_LAYOUT);
		break;
	case SCREEN_ENTER: descend(t); break;
	case SCREEN_ESCAPE:
	case SCREEN_ERASE: go_back(t); break;
	}
}

void
top_tick(void *top)
{
	struct top *t = top;
	uint64_t begun;
	int key, n;

	if (t->quit || !screen_is_ready(t->screen))
		return;
	for (n = 0; n < SCREEN_KEYS_MAX && t->stale < STALE_NUMBERS; n++) {
		if ((key = screen_key(t->screen)) == SCREEN_NONE)
			break;
		press(t, key);
		if (t->stale == STALE_LAYOUT) { /* the next key acts on what this one has changed */
			lay_out(t);
			t->stale = STALE_SCREEN;
		}
	}
	if (t->quit) {
		if (!t->ended)
			sig_ask_stop();
		return;
	}
	begun = in_now();
	if (begun >= t->next_rates && !t->ended) {
		measure_rates(t, begun);
		t->next_rates = begun + t->set.every;
		raise_stale(t, STALE_SCREEN);
	}
	if (begun >= t->next && !t->paused)
		raise_stale(t, STALE_NUMBERS);
	if (t->stale == FRESH)
		return;
	if (t->stale >= STALE_NUMBERS)
		collect(t);
	if (t->stale >= STALE_LAYOUT)
		lay_out(t);
	draw(t);
	if (t->stale >= STALE_NUMBERS) {
		uint64_t end = in_now(), rest = end + IDLE * (end - begun);

		t->next = begun + t->set.every > rest ? begun + t->set.every : rest;
		if (t->ended)
			t->next = UINT64_MAX;
	}
	t->stale = FRESH;
}

/* Returns true if somebody can still press keys. */
static bool
has_user(const struct top *t)
{
	return !t->quit && !sig_stop() && screen_is_ours(t->screen);
}

bool
top_stay(struct top *t)
{
	struct err e;
	size_t at = 0;

	if (!has_user(t) || sig_left_to_producer() || sums_counts(t->sums).taken == 0 ||
	    aggregate_missing(sums_all(t->sums), &at, &e) != 0)
		return false;
	sig_reading_file(); /* nobody else needs a signal */
	t->ended = true;
	t->next = 0;
	measure_rates(t, in_now());
	screen_repaint(t->screen); /* other programs of the pipeline have had their last word */
	raise_stale(t, STALE_SCREEN);
	while (has_user(t)) {
		top_tick(t);
		(void)sig_wait_input(-1, (int)(TOP_TICK / MSEC));
	}
	return true;
}
