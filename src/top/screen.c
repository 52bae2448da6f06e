/* SPDX-License-Identifier: ISC */
/* screen.c - the terminal of the live table, by ncurses. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#define NCURSES_WIDECHAR 1

#include "src/top/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "lib/esc.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/sig.h"

#define ESCAPE_MS 25 /* a key's further bytes come within this time */

/*
 * ncurses writes a screen in one go, and waits if the terminal does not take it.  Therefore it
 * draws to a file, which has the terminal's descriptor meanwhile, and the file is written to the
 * terminal without waiting.  No screen is drawn before the one before it has been written.
 */
struct screen {
	FILE *tty; /* for ncurses: keys, the mode, and what is not part of a screen */
	int real; /* the terminal, also while TTY is the file */
	int now; /* the terminal, too; a write to it never waits */
	int drawn; /* the file */
	off_t written; /* of it */
	WINDOW *keys; /* reading keys from it draws nothing */
	SCREEN *curses; /* NULL until the terminal is ours */
	bool shown; /* the terminal is in our mode */
	bool changed; /* all must be drawn again */
	bool utf8;
	bool failed; /* ncurses cannot use the terminal */
	struct sig_terminal guard; /* also has the descriptors of held messages */
};

/*
 * ---- messages that are held back
 */

static bool
hold_messages(struct screen *s)
{
	struct err e;

	s->guard.held = s->guard.stderr_fd = -1;
	if (in_temp(&s->guard.held, &e) != 0)
		return false;
	s->guard.stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return s->guard.stderr_fd >= 0 && fcntl(s->guard.held, F_SETFL, O_APPEND) == 0 &&
	    dup2(s->guard.held, STDERR_FILENO) >= 0;
}

static void
release_messages(struct screen *s)
{
	char text[1024];
	off_t at = 0;
	ssize_t n, done = 0;

	if (s->guard.stderr_fd >= 0) {
		(void)dup2(s->guard.stderr_fd, STDERR_FILENO);
		while ((n = pread(s->guard.held, text, sizeof text, at)) > 0) {
			at += n;
			done = write(STDERR_FILENO, text, (size_t)n);
		}
		(void)done;
		(void)close(s->guard.stderr_fd);
	}
	if (s->guard.held >= 0)
		(void)close(s->guard.held);
}

struct slice
screen_message(const struct screen *s, char *room, size_t size)
{
	struct stat st;
	off_t at;
	ssize_t n;
	char *begin, *colon;

	if (s->guard.held < 0 || fstat(s->guard.held, &st) != 0 || st.st_size == 0)
		return SLICE("");
	at = (size_t)st.st_size > size ? st.st_size - (off_t)size : 0;
	n = pread(s->guard.held, room, size, at);
	while (n > 0 && room[n - 1] == '\n')
		n--;
	if (n <= 0)
		return SLICE("");
	for (begin = room + n; begin > room && begin[-1] != '\n';)
		begin--;
	colon = memchr(begin, ':', (size_t)(room + n - begin));
	if (colon != NULL && colon + 2 < room + n && colon[1] == ' ')
		begin = colon + 2;
	return (struct slice){ begin, (size_t)(room + n - begin) };
}

/*
 * ---- the mode of the terminal
 */

static const char *
capability(const char *name)
{
	const char *text = tigetstr(name);

	return text == NULL || text == (const char *)-1 ? "" : text;
}

/* Adds a capability of the terminal to what restores it. */
static void
add_reset(struct sig_terminal *g, const char *name)
{
	const char *text = capability(name);
	size_t n = strlen(text);

	if (n > sizeof g->reset - g->reset_len)
		return;
	memcpy(g->reset + g->reset_len, text, n);
	g->reset_len += n;
}

/* Lets Ctrl-S and Ctrl-Q reach us as keys: stopped output would only stop the table. */
static void
set_mode(int fd)
{
	struct termios mode;

	(void)cbreak();
	(void)noecho();
	(void)nonl();
	if (tcgetattr(fd, &mode) != 0)
		return;
	mode.c_iflag &= (tcflag_t) ~(IXON | IXOFF);
	(void)tcsetattr(fd, TCSADRAIN, &mode);
	(void)def_prog_mode();
}

static void
set_colors(void)
{
	if (!has_colors() || start_color() == ERR)
		return;
	(void)use_default_colors();
	(void)init_pair(SCREEN_WARNING, COLOR_YELLOW, -1);
	(void)init_pair(SCREEN_TITLE, COLOR_BLACK, COLOR_GREEN);
	(void)init_pair(SCREEN_SORTED, COLOR_BLACK, COLOR_CYAN);
	(void)init_pair(SCREEN_CHOSEN, COLOR_BLACK, COLOR_CYAN);
	(void)init_pair(SCREEN_KEY, COLOR_BLACK, COLOR_CYAN);
}

/*
 * Makes sure that ncurses has memory for the terminal, since it ends the program or crashes if
 * memory runs out.  It keeps several copies of each character.
 */
static bool
has_memory(int fd)
{
	struct winsize size;
	size_t cells = 0;
	void *there;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		cells = (size_t)size.ws_row * size.ws_col;
	there = mem_alloc((size_t)256 * 1024 + cells * 4 * sizeof(cchar_t));
	mem_free(there);
	return there != NULL;
}

/* Begins to use the terminal.  Returns false if it cannot show a table. */
static bool
start(struct screen *s)
{
	int fd = fileno(s->tty);

	if (!has_memory(fd))
		return false;
	s->curses = newterm(NULL, s->tty, s->tty);
	if (s->curses == NULL)
		return false;
	s->keys = newpad(1, 1);
	if (s->keys == NULL || *capability("cup") == '\0' || *capability("clear") == '\0') {
		(void)endwin();
		delscreen(s->curses);
		s->curses = NULL;
		return false;
	}
	add_reset(&s->guard, "sgr0");
	add_reset(&s->guard, "rmkx");
	add_reset(&s->guard, "cnorm");
	add_reset(&s->guard, "rmcup");
	set_mode(fd);
	(void)keypad(s->keys, TRUE);
	(void)nodelay(s->keys, TRUE);
	(void)typeahead(-1);
	(void)set_escdelay(ESCAPE_MS);
	(void)curs_set(0);
	set_colors();
	s->shown = true;
	return true;
}

static bool
is_foreground(const struct screen *s)
{
	return tcgetpgrp(s->real) == getpgrp();
}

/* Writes what has been drawn to FD, a descriptor of the terminal.  Returns true if that is all. */
static bool
write_drawn(struct screen *s, int fd)
{
	char text[4096];
	ssize_t n, done = 0;

	while ((n = pread(s->drawn, text, sizeof text, s->written)) > 0) {
		done = write(fd, text, (size_t)n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EAGAIN)
			return false;
		if (done <= 0)
			break; /* there is no terminal any more */
		s->written += done;
	}
	s->written = 0;
	(void)lseek(s->drawn, 0, SEEK_SET);
	return ftruncate(s->drawn, 0) == 0;
}

/* Clears the last line, in which other output begins, if the terminal shows no other screen. */
static void
free_last_line(void)
{
	if (*capability("rmcup") != '\0')
		return;
	(void)move(LINES - 1, 0);
	(void)clrtoeol();
	(void)refresh();
}

static void
leave(struct screen *s)
{
	if (s->shown && is_foreground(s)) {
		(void)write_drawn(s, s->real);
		free_last_line();
		(void)endwin();
	}
	s->shown = false;
}

/* Opens the terminal and all that is needed to use it. */
static bool
open_terminal(struct screen *s)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	struct err e;

	s->tty = fd < 0 ? NULL : fdopen(fd, "r+");
	if (s->tty == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	s->real = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	s->now = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	s->guard.fd = s->real;
	return s->real >= 0 && s->now >= 0 && in_temp(&s->drawn, &e) == 0 &&
	    tcgetattr(fd, &s->guard.mode) == 0;
}

static void
close_terminal(struct screen *s)
{
	const int fds[] = { s->real, s->now, s->drawn };
	size_t i;

	if (s->tty != NULL)
		(void)fclose(s->tty);
	for (i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
}

struct screen *
screen_open(void)
{
	struct screen *s = isatty(STDOUT_FILENO) ? mem_zero(1, sizeof *s) : NULL;

	if (s == NULL)
		return NULL;
	s->guard.held = s->guard.stderr_fd = -1;
	s->real = s->now = s->drawn = -1;
	(void)setlocale(LC_CTYPE, "");
	s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!open_terminal(s) || !hold_messages(s)) {
		screen_close(s);
		return NULL;
	}
	/* before ncurses begins, which would handle SIGTSTP itself, and stop in the background */
	sig_guard_terminal(&s->guard);
	if (is_foreground(s) && !start(s)) {
		screen_close(s);
		return NULL;
	}
	return s;
}

void
screen_close(struct screen *s)
{
	if (s == NULL)
		return;
	leave(s);
	sig_guard_terminal(NULL);
	if (s->curses != NULL)
		delscreen(s->curses);
	release_messages(s);
	close_terminal(s);
	mem_free(s);
}

bool
screen_is_ours(const struct screen *s)
{
	return is_foreground(s) && !s->failed;
}

/* Uses the terminal again. */
static void
resume(struct screen *s)
{
	s->shown = reset_prog_mode() == OK; /* refresh cannot, as it draws to a file */
	(void)raise(SIGWINCH); /* nobody tells a program in the background of a new size */
}

bool
screen_is_ready(struct screen *s)
{
	if (sig_take_suspend()) {
		leave(s);
		sig_suspend();
	}
	if (!screen_is_ours(s))
		return false;
	if (!s->shown) {
		s->changed = true;
		if (s->curses != NULL)
			resume(s);
		else if (!start(s))
			s->failed = true;
	}
	return s->shown && write_drawn(s, s->now);
}

/*
 * ---- keys
 */

int
screen_key(struct screen *s)
{
	static const struct {
		int code, key;
	} keys[] = {
		{ KEY_UP, SCREEN_UP },
		{ KEY_DOWN, SCREEN_DOWN },
		{ KEY_PPAGE, SCREEN_PAGE_UP },
		{ KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME },
		{ KEY_END, SCREEN_END },
		{ KEY_LEFT, SCREEN_LEFT },
		{ KEY_RIGHT, SCREEN_RIGHT },
		{ KEY_BACKSPACE, SCREEN_ERASE },
		{ 127, SCREEN_ERASE },
		{ '\b', SCREEN_ERASE },
		{ '\r', SCREEN_ENTER },
		{ KEY_ENTER, SCREEN_ENTER },
		{ KEY_RESIZE, SCREEN_CHANGED },
	};
	size_t i;
	int c;

	if (s->changed) {
		s->changed = false;
		return SCREEN_CHANGED;
	}
	c = wgetch(s->keys);
	if (c == ERR)
		return SCREEN_NONE;
	for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (c == keys[i].code)
			return keys[i].key;
	return c < 0x100 ? c : SCREEN_OTHER;
}

/*
 * ---- drawing
 */

size_t
screen_width(const struct screen *s)
{
	(void)s;
	return COLS < 0 ? 0 : (size_t)COLS;
}

size_t
screen_height(const struct screen *s)
{
	(void)s;
	return LINES < 0 ? 0 : (size_t)LINES;
}

static chtype
style_of(enum screen_style style)
{
	static const chtype with_colors[SCREEN_STYLES] = {
		[SCREEN_BOLD] = A_BOLD,
		[SCREEN_DIM] = A_DIM,
		[SCREEN_WARNING] = A_BOLD | COLOR_PAIR(SCREEN_WARNING),
		[SCREEN_TITLE] = COLOR_PAIR(SCREEN_TITLE),
		[SCREEN_SORTED] = COLOR_PAIR(SCREEN_SORTED),
		[SCREEN_CHOSEN] = COLOR_PAIR(SCREEN_CHOSEN),
		[SCREEN_KEY] = COLOR_PAIR(SCREEN_KEY),
	};
	static const chtype without[SCREEN_STYLES] = {
		[SCREEN_BOLD] = A_BOLD,
		[SCREEN_WARNING] = A_BOLD,
		[SCREEN_TITLE] = A_BOLD | A_UNDERLINE,
		[SCREEN_SORTED] = A_BOLD | A_REVERSE,
		[SCREEN_CHOSEN] = A_REVERSE,
		[SCREEN_KEY] = A_REVERSE,
	};

	return has_colors() ? with_colors[style] : without[style];
}

void
screen_begin(struct screen *s)
{
	(void)s;
	(void)erase();
}

void
screen_end(struct screen *s)
{
	int fd = fileno(s->tty);

	if (dup2(s->drawn, fd) < 0)
		return;
	(void)refresh();
	(void)dup2(s->real, fd);
	(void)write_drawn(s, s->now);
}

void
screen_repaint(struct screen *s)
{
	(void)s;
	(void)clearok(stdscr, TRUE);
}

void
screen_fill(struct screen *s, size_t line, enum screen_style style)
{
	size_t i;

	if (line >= screen_height(s))
		return;
	(void)move((int)line, 0);
	for (i = 0; i < screen_width(s); i++)
		(void)addch(' ' | style_of(style));
}

/* Returns the bytes of the first character, and how many columns it takes; -1: it is not shown. */
static size_t
next_character(const struct screen *s, struct slice text, int *columns)
{
	size_t n = esc_utf8((const unsigned char *)text.p, text.len);
	mbstate_t state;
	wchar_t c;

	*columns = n == 1 && (unsigned char)*text.p >= ' ' && *text.p != 127 ? 1 : -1;
	if (n <= 1 || !s->utf8)
		return n == 0 ? 1 : n;
	memset(&state, 0, sizeof state);
	if (mbrtowc(&c, text.p, n, &state) == n)
		*columns = wcwidth(c);
	return n;
}

size_t
screen_columns(const void *screen, struct slice text)
{
	size_t used = 0, n;
	int columns;

	for (; text.len != 0; text = (struct slice){ text.p + n, text.len - n }) {
		n = next_character(screen, text, &columns);
		used += (size_t)(columns < 0 ? 1 : columns);
	}
	return used;
}

size_t
screen_put(struct screen *s, size_t line, size_t column, struct slice text, size_t width,
    enum screen_style style)
{
	size_t used = 0, room = screen_width(s), n;
	int columns;

	if (line >= screen_height(s) || column >= room)
		return 0;
	room = width < room - column ? width : room - column;
	(void)move((int)line, (int)column);
	(void)attrset((int)style_of(style));
	for (; text.len != 0; text = (struct slice){ text.p + n, text.len - n }) {
		n = next_character(s, text, &columns);
		if (columns == 0 && used == 0)
			continue; /* it would change the character before the text */
		if (used + (size_t)(columns < 0 ? 1 : columns) > room)
			break;
		if (columns < 0)
			(void)addch('?');
		else
			(void)addnstr(text.p, (int)n);
		used += (size_t)(columns < 0 ? 1 : columns);
	}
	(void)attrset(A_NORMAL);
	return used;
}
