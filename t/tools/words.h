/* SPDX-License-Identifier: ISC */
/*
 * words.h - lines of words, for the programs of the tests that make files from text.  MAKER is the
 * name of the program, defined before this is included.
 */
#ifndef AFPIPE_TOOLS_WORDS_H
#define AFPIPE_TOOLS_WORDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long line_number; /* of the text; 0: none is being read */

/* Ends the program with that message unless OK is true. */
static void
must(int ok, const char *why)
{
	if (ok)
		return;
	fprintf(stderr, MAKER ": line %lu: %s\n", line_number, why);
	exit(1);
}

/* Takes the next word, which must be there. */
static char *
word(char **rest)
{
	char *begin_of = *rest + strspn(*rest, " "), *stop = begin_of + strcspn(begin_of, " ");

	must(*begin_of != '\0', "a word is missing");
	*rest = *stop == '\0' ? stop : stop + 1;
	*stop = '\0';
	return begin_of;
}

/* Takes the next word as a number, which may be negative. */
static uint64_t
number(char **rest)
{
	char *w = word(rest), *stop;
	uint64_t v = w[0] == '-' ? (uint64_t)strtoll(w, &stop, 0) : strtoull(w, &stop, 0);

	must(*stop == '\0', "not a number");
	return v;
}

#endif
