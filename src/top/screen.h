/* SPDX-License-Identifier: ISC */
/*
 * screen.h - the terminal of the live table: its keys and its lines.
 *
 *	s = screen_open();			NULL without a terminal
 *	regularly: if (screen_is_ready(s)) { while ((key = screen_key(s)) != SCREEN_NONE) ...;
 *	    screen_begin(s); screen_put(s, ...); screen_end(s); }
 *	screen_close(s);
 *
 * The keys come from /dev/tty, which is also where the table appears, since standard input is the
 * stream.  What the program writes to standard error meanwhile is held back until the screen is
 * closed.  Before a signal kills the program, the terminal is restored (lib/sig.h).
 */
#ifndef AFPIPE_TOP_SCREEN_H
#define AFPIPE_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/slice.h"

struct screen;

/*
 * Returns NULL if standard output is not a terminal, if there is no /dev/tty, if it cannot show a
 * table (TERM), or if memory runs out.  The program may be in the background.
 */
struct screen *screen_open(void);

/* Restores the terminal, and writes what was held back.  Takes NULL, too. */
void screen_close(struct screen *s);

/*
 * Suspends the program if the user wants that.  Returns true if the terminal is ours, so that
 * keys can be read, and has taken all that was drawn: the program must not wait because output is
 * stopped or slow, or because it was put in the background.
 */
bool screen_is_ready(struct screen *s);

/* Returns true if the program is in the foreground, and the terminal can show a table. */
bool screen_is_ours(const struct screen *s);

/* Keys other than bytes. */
enum screen_key {
	SCREEN_NONE = -1,
	SCREEN_ENTER = '\n',
	SCREEN_ESCAPE = 27,
	SCREEN_UP = 0x100,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_ERASE,
	SCREEN_CHANGED, /* the size has changed, or the program continues: draw again */
	SCREEN_OTHER,
};

/* Returns the next key, or SCREEN_NONE.  Never waits. */
int screen_key(struct screen *s);

size_t screen_width(const struct screen *s);
size_t screen_height(const struct screen *s);

enum screen_style {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_DIM,
	SCREEN_WARNING,
	SCREEN_TITLE, /* the names of columns */
	SCREEN_SORTED, /* the name of the one by which rows are sorted */
	SCREEN_CHOSEN, /* the row on which keys act */
	SCREEN_KEY, /* the name of a key */
	SCREEN_STYLES
};

/* Clears what will be drawn; draws all of it at once, without waiting for the terminal. */
void screen_begin(struct screen *s);
void screen_end(struct screen *s);

/* Gives a whole line a style. */
void screen_fill(struct screen *s, size_t line, enum screen_style style);

/* Returns how many columns screen_put needs for all of a text.  SCREEN is a struct screen. */
size_t screen_columns(const void *screen, struct slice text);

/*
 * Writes a text without control characters, as in the stream, at most WIDTH columns of it.  Returns
 * the number of columns.  Characters that take two columns or none are counted as such; those that
 * the terminal cannot show become "?".
 */
size_t screen_put(struct screen *s, size_t line, size_t column, struct slice text, size_t width,
    enum screen_style style);

/* Repaints everything, in case another program has written to the terminal. */
void screen_repaint(struct screen *s);

/*
 * Returns the last line of what has been held back, without "PROGRAM: ", or an empty text.  It is
 * in room.
 */
struct slice screen_message(const struct screen *s, char *room, size_t size);

#endif
