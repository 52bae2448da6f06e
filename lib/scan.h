/* SPDX-License-Identifier: ISC */
/*
 * scan.h - finds the TABs and LFs in a text, and the part of it that needs a closer look.
 *
 * It makes one pass over all bytes read, before they are cut into lines.  This is where a reader
 * spends its time.
 */
#ifndef AFPIPE_SCAN_H
#define AFPIPE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
	uint32_t *at; /* the offsets of the TABs and LFs, ascending */
	size_t n, cap;
	uint32_t *line; /* for each LF its index in at, ascending */
	size_t lines, line_cap;
	size_t odd_end; /* no byte from here on needs a closer look; see scan_is_clean */
};

/* { 0 } is an empty scan. */
void scan_free(struct scan *s);

/* Adds the TABs and LFs in text[from, to), to <= UINT32_MAX.  Returns false if memory runs out. */
bool scan_add(struct scan *s, const char *text, size_t from, size_t to)
    __attribute__((warn_unused_result));

/*
 * Returns where the next line after the one at FROM begins that starts with either byte, or TO if
 * there is none before TO.
 */
size_t scan_line(const char *text, size_t from, size_t to, char a, char b);

/*
 * Forgets the first DONE offsets, and the first GONE bytes of the text, which contained them, and
 * the LFs among them.
 */
void scan_shift(struct scan *s, size_t done, size_t gone);

/*
 * Returns true if the text has none of the bytes that are rare in a stream: controls other than TAB
 * and LF, DEL, the backslash, and all bytes above ASCII.
 */
bool scan_is_clean(const char *text, size_t n);

#endif
