/* SPDX-License-Identifier: ISC */
/* jscanint.h - shared by the parts of jscan: the window, and the writer of a value. */
#ifndef AFPIPE_JSON_JSCANINT_H
#define AFPIPE_JSON_JSCANINT_H

#include <string.h>

#include "lib/json/jscan.h"

#define JSCAN_WINDOW ((size_t)256 * 1024)
#define JSCAN_WINDOW_MAX (JSCAN_TOKEN_MAX + JSCAN_WINDOW)

/* jscan.c */

/* Keeps an error, so that later calls return it. */
int jscan_remember(struct jscan *j, struct err *e);

/* The text is wrong at window[at]. */
int jscan_wrong(struct jscan *j, size_t at, const char *what);

/* The text at p is wrong: something else was expected. */
int jscan_expected_at(struct jscan *j, const char *p, const char *what);

/*
 * Appends more bytes; those before pos are dropped, so pos becomes 0.  False at the end, or if
 * reading failed, which is in j->rc.
 */
bool jscan_more(struct jscan *j);

/* Makes at least n bytes available from p on, if there are that many; p may move. */
const char *jscan_need(struct jscan *j, const char *p, size_t n);

/* p is at a NUL: true if that is only the end of the window, and more follows. */
bool jscan_is_more(struct jscan *j, const char **p);

/* Skips to the next byte that is not white space. */
static inline const char *
jscan_skip(struct jscan *j, const char *p)
{
	static const char blanks[8] = { ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ' };

	for (;;) {
		if ((unsigned char)*p > ' ')
			return p;
		if (*p == '\n') {
			p++;
			while ((size_t)(j->window + j->len - p) >= 8 && memcmp(p, blanks, 8) == 0)
				p += 8;
		} else if (*p == ' ' || *p == '\t' || *p == '\r') {
			p++;
		} else if (*p != '\0' || !jscan_is_more(j, &p)) {
			return p;
		}
	}
}

/* The place where the value's text is written, and the end of its room. */
struct writer {
	char *t, *limit;
};

/*
 * Gives pieces of exactly the limit to j->piece, until no more than that is left.  So the pieces
 * do not depend on how the text came.
 */
int jscan_hand_out(struct jscan *j, struct writer *w);

static inline int
jscan_room(struct jscan *j, struct writer *w)
{
	return w->t <= w->limit ? 0 : jscan_hand_out(j, w);
}

/* jtoken.c */

/* Takes the string whose quote is at *p, with its quotes. */
int jscan_string(struct jscan *j, const char **p, struct writer *w, uint8_t *flags);

/* A number or a word. */
int jscan_scalar(struct jscan *j, const char **p, struct writer *w, uint8_t *kind);

#endif
