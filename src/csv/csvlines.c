/* SPDX-License-Identifier: ISC */
/* csvlines.c - chooses the lines that become rows, and counts the others. */
#include "src/csv/csvlines.h"

#include <stdio.h>

#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/mixed.h"
#include "src/csv/csvtable.h"

struct csvlines {
	struct csvtable *table;
	struct keys_kinds kinds; /* if there are none, the usual ones */
	bool every_kind;
	struct keys columns; /* those that some line must have */
	bool unsure; /* memory ran out, so that columns lacks one */
	bool named; /* columns were set */
	struct mixed mixed; /* the rows then */
	uint64_t lines, taken;
	uint64_t large; /* number of resources left out */
	bool whole; /* the table is complete */
};

struct csvlines *
csvlines_new(void)
{
	return mem_zero(1, sizeof(struct csvlines));
}

void
csvlines_free(struct csvlines *l)
{
	csvtable_close(l->table);
	keys_free(&l->columns);
	mixed_free(&l->mixed);
	mem_free(l);
}

int
csvlines_want_kinds(struct csvlines *l, const char *list, struct err *e)
{
	int rc = keys_add_kinds(&l->kinds, list, e);

	/* "all" is then seen, so that nobody misses a kind of that name */
	l->every_kind = keys_see_kind(&l->kinds, SLICE("all"));
	return rc;
}

static void
want_column(void *ctx, struct slice name)
{
	struct csvlines *l = ctx;

	l->unsure |= !keys_want(&l->columns, name);
}

static void
see_column(void *ctx, struct slice name)
{
	struct csvlines *l = ctx;

	mixed_column(&l->mixed, name);
}

int
csvlines_begin(struct csvlines *l, struct out *o, const struct csv_style *style,
    const char *columns, struct err *e)
{
	l->table = csvtable_open(o, style);
	if (l->table == NULL)
		return err_nomem(e);
	if (columns == NULL)
		return 0;
	l->named = true;
	l->mixed.by_kind = l->kinds.n != 0;
	if (csvtable_name(l->table, columns, e) != 0)
		return e->code;
	csvtable_reads(l->table, see_column, l);
	csvtable_needs(l->table, want_column, l);
	return l->unsure ? err_nomem(e) : 0;
}

void
csvlines_reads(const struct csvlines *l, ev_key_sink *sink, void *ctx)
{
	csvtable_reads(l->table, sink, ctx);
}

bool
csvlines_have_events(const struct csvlines *l)
{
	return l->every_kind || kinds_have_events(l->kinds.kind, l->kinds.n);
}

static bool
is_wanted(struct csvlines *l, struct slice kind)
{
	return l->kinds.n == 0 ? !kind_is_about(kind)
			       : keys_see_kind(&l->kinds, kind) || l->every_kind;
}

int
csvlines_line(struct csvlines *l, const struct ev *ev, struct err *e)
{
	l->lines++;
	if (!is_wanted(l, ev->col[EV_KIND])) {
		l->large += ev_is_large_resource(ev);
		if (!keys_done(&l->columns))
			keys_see_run(&l->columns, ev);
		return 0;
	}
	l->taken++;
	if (l->named && !mixed_see(&l->mixed, ev))
		return err_nomem(e);
	if (!keys_done(&l->columns))
		keys_see(&l->columns, ev);
	return csvtable_line(l->table, ev, e);
}

int
csvlines_end(struct csvlines *l, struct err *e)
{
	int rc = csvtable_end(l->table, e);
	size_t at = 0;

	l->whole = true;
	return rc != 0 || l->lines == 0 ? rc : keys_kinds_missing(&l->kinds, &at, e);
}

int
csvlines_missing(const struct csvlines *l, size_t *at, struct err *e)
{
	return l->taken == 0 ? 0 : keys_missing(&l->columns, at, e);
}

bool
csvlines_note(const struct csvlines *l, size_t *at, char *text, size_t size)
{
	enum { LARGE, MIXED, NOTHING = 100, END };
	size_t i;

	if (!l->whole)
		return false;
	if (*at == LARGE) {
		*at = MIXED;
		if (l->large != 0) {
			snprintf(text, size, EV_LARGE_LEFT_OUT, l->large);
			return true;
		}
	}
	i = *at - MIXED;
	if (*at < NOTHING && mixed_note(&l->mixed, &i, text, size)) {
		*at = MIXED + i;
		return true;
	}
	if (*at == END || l->taken != 0 || l->lines == 0)
		return false;
	*at = END;
	snprintf(text, size, "left out all lines: none is of a selected kind");
	return true;
}
