/* SPDX-License-Identifier: ISC */
/* progress.c - shows on a terminal how far a file has been read. */
#include "lib/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define SECOND ((uint64_t)1000000000)
#define DELAY (2 * SECOND) /* before the line appears */
#define PERIOD (SECOND / 4) /* between two changes of it */
#define MIB ((uint64_t)1024 * 1024)
#define PROGRESS_MAX 120 /* bytes of the line */

static void
put(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n; /* nothing depends on what is shown */
}

/*
 * Returns true if the terminal is in its usual mode and belongs to us.  A program that uses the
 * whole screen switches the line mode off.
 */
static bool
may_show(void)
{
	struct termios t;

	return tcgetattr(STDERR_FILENO, &t) == 0 && (t.c_lflag & ICANON) != 0 &&
	    tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* The cursor stays at the beginning of the line, so that other output replaces the text. */
static void
show(struct progress *p, uint64_t size, uint64_t passed)
{
	char text[PROGRESS_MAX];
	double rate = (double)p->at / ((double)passed / (double)SECOND);
	uint64_t left = rate < 1 ? 0 : (uint64_t)((double)(size - p->at) / rate);

	snprintf(text, sizeof text,
	    "\r%.20s: %" PRIu64 "%% of %" PRIu64 " MiB, %" PRIu64 " MiB/s, %" PRIu64 ":%02" PRIu64
	    " left\033[K\r",
	    p->name, p->at / (size / 100 + 1), size / MIB, (uint64_t)rate / MIB, left / 60,
	    left % 60);
	put(text);
	p->shown = true;
}

/* Called after each read. */
static void
look(void *progress, const struct in *in)
{
	struct progress *p = progress;
	uint64_t t = in_now();
	off_t at;

	if (in->size == 0 || t < p->next)
		return;
	at = lseek(in->fd, 0, SEEK_CUR);
	/* another file, or the same one from its beginning */
	if (at < 0 || (uint64_t)at < p->at || p->begun == 0) {
		progress_clear(p);
		p->begun = t;
	}
	p->at = at < 0 ? 0 : (uint64_t)at;
	p->next = t + PERIOD;
	if (t - p->begun >= DELAY && p->at < in->size && may_show())
		show(p, in->size, t - p->begun);
	else
		progress_clear(p);
}

void
progress_open(struct progress *p, const char *name)
{
	const char *term = getenv("TERM");

	if (p->name != NULL || isatty(STDERR_FILENO) == 0 || isatty(STDOUT_FILENO) != 0 ||
	    term == NULL || strcmp(term, "dumb") == 0)
		return;
	*p = (struct progress){ .name = name };
	in_watch(look, p);
}

void
progress_clear(struct progress *p)
{
	if (p->shown)
		put("\r\033[K");
	p->shown = false;
}
