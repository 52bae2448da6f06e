/* SPDX-License-Identifier: ISC */
/* interim.c - interim results, one after another or one in place of another. */
#include "src/table/interim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/num.h"

/* What any terminal understands: home and clear; cut long lines, or break them as usual. */
#define CLEAR "\033[H\033[J"
#define CUT_LINES "\033[?7l"
#define BREAK_LINES "\033[?7h"
#define LINES 24 /* of a terminal that does not say */
#define LINES_OF_HEADING 3 /* with an empty line, and the one of the cursor */

/* Returns true if standard output is a terminal, which shows one result at a time. */
static bool
is_live(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

int
interim_begin(void *ctx, struct err *e)
{
	struct interim *x = ctx;

	table_close(x->table);
	x->table = table_open_beside(x->final);
	return x->table == NULL ? err_nomem(e) : 0;
}

/* A line that has no place in the table is left to the final result, where it is reported. */
int
interim_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct interim *x = ctx;

	return table_line(x->table, ev, e) == ERR_SYS ? ERR_SYS : 0;
}

/* Writes a heading, with a number unless that is 0. */
static void
put_heading(struct interim *x, const char *text, uint64_t number)
{
	char digits[NUM_MAX + 1];

	if (is_live())
		out_puts(x->out, CLEAR);
	else if (x->shown != 0)
		out_puts(x->out, "\n");
	out_puts(x->out, text);
	if (number != 0) {
		out_puts(x->out, " ");
		out_put(x->out, digits, num_put_u64(digits, number));
	}
	out_puts(x->out, "\n\n");
}

/* Returns how many lines of the terminal the tables may take. */
static size_t
lines_for_tables(void)
{
	struct winsize size = { .ws_row = 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
		size.ws_row = LINES;
	return size.ws_row > LINES_OF_HEADING ? size.ws_row - LINES_OF_HEADING : 1;
}

/* Prints as much as a terminal shows, so that nothing scrolls. */
static int
print_live(struct interim *x, struct err *e)
{
	struct table_view view = *x->view;
	size_t fit = table_fit(x->table, lines_for_tables());
	int rc;

	if (view.top == 0 || view.top_of.len != 0 || fit < view.top)
		view.top = fit;
	view.top_of = SLICE("");
	out_puts(x->out, CUT_LINES);
	rc = table_print(x->table, &view, x->out, e);
	out_puts(x->out, BREAK_LINES);
	return rc;
}

/* Results without a group are not shown, so those that are have numbers of their own. */
int
interim_end(void *ctx, uint64_t number, struct err *e)
{
	struct interim *x = ctx;
	int rc = 0;

	(void)number;
	if (table_counts(x->table)->aggregates != 0) { /* with windows there may be no new one */
		rc = table_join_runs(x->table, e);
		put_heading(x, "interim result", x->shown + 1);
		if (rc == 0)
			rc = is_live() ? print_live(x, e)
				       : table_print(x->table, x->view, x->out, e);
		(void)out_flush(x->out);
		x->shown++;
	}
	interim_close(x);
	return rc;
}

void
interim_final(struct interim *x)
{
	if (x->shown != 0)
		put_heading(x, "final result", 0);
}

void
interim_close(struct interim *x)
{
	table_close(x->table);
	x->table = NULL;
}
