/* SPDX-License-Identifier: ISC */
/*
 * fuzz.h - what the fuzz drivers share.
 *
 * A driver is a function that checks one input, and the table that names it.  fuzz.c has
 * libFuzzer's entry (make fuzz).  With FUZZ_MAIN it has a main, which makes a driver a program:
 *
 *	NAME FILE...			each file
 *	NAME --prefixes STEP FILE...	prefixes of each file, in steps of so many bytes
 *	NAME --flips N SEED FILE...	N copies of each file, with one to four wrong bytes
 *	NAME --each FILE...		copies with one wrong byte, at each place in turn and after
 *					the end: each byte that means something
 *	NAME --write N SEED FILE	writes the N-th copy of --flips to standard output
 *	NAME --random N SEED		N inputs that the driver makes
 *
 * It prints what was tried, and how many KiB of memory it took.  With FUZZ_KIB in the environment
 * its status is 1 if that is more.  A finding ends it with SIGABRT, and a message that says which
 * input it was.
 */
#ifndef AFPIPE_FUZZ_FUZZ_H
#define AFPIPE_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"

#define FUZZ_PIPE_MAX 65536 /* bytes that a pipe holds */
#define FUZZ_MADE_MAX 400 /* bytes of an input of --random, at most */

/* Every function but make returns whether the input was read without an error. */
struct fuzz_driver {
	/* All checks on one input; also used for whatever has no function of its own below. */
	bool (*take)(const uint8_t *data, size_t size);
	/* A file that is named. */
	bool (*file)(const uint8_t *data, size_t size);
	/* The n-th copy of a file with wrong bytes. */
	bool (*copy)(const uint8_t *data, size_t size, uint64_t n);
	/* The first CUT of SIZE bytes.  It is called with all of them before it is with less. */
	bool (*prefix)(const uint8_t *data, size_t size, size_t cut);
	/* Stores an input of random numbers, for take; returns its length. */
	size_t (*make)(uint64_t *state, uint8_t *bytes);
	/* Bytes that mean something, and how many of four wrong bytes are one of them. */
	struct slice meaning;
	unsigned meaning_of_4;
	/* How many percent of the prefixes of a file are refused, at least. */
	unsigned refused;
};

/* The one table of each driver. */
extern const struct fuzz_driver fuzz_driver;

/* Ends the program with SIGABRT, which is a finding. */
_Noreturn void finding(const char *why);

/* The same, unless it is so. */
static inline void
check(bool ok, const char *why)
{
	if (!ok)
		finding(why);
}

/* Checks that it is an error of the input, with words. */
void check_error(const struct err *e);

/* SplitMix64: the same numbers on every machine. */
uint64_t random_next(uint64_t *state);

/* A new file without a name, in memory where that is possible; it is never closed. */
int scratch(void);

/* Makes the file empty; gives it these bytes; its position is at the start. */
void scratch_empty(int fd);
void scratch_put(int fd, const void *data, size_t size);

/* What the file has, and a NUL; the caller's to free. */
char *scratch_text(int fd, size_t *len);

/* Standard input is that file, from its start; a pipe with these bytes, FUZZ_PIPE_MAX at most. */
void stdin_file(int fd);
void stdin_pipe(const uint8_t *data, size_t size);

#endif
