/* SPDX-License-Identifier: ISC */
/*
 * fuzz.h - shared by the fuzz drivers.
 *
 * A driver is a function that checks one input, and the table that names it.  fuzz.c has the entry
 * for libFuzzer (make fuzz).  With FUZZ_MAIN it has a main, which makes a driver a program:
 *
 *	NAME FILE...			each file
 *	NAME --prefixes STEP FILE...	prefixes of each file, in steps of so many bytes
 *	NAME --flips N SEED FILE...	N copies of each file, with one to four wrong bytes
 *	NAME --each FILE...		copies with one wrong byte, at each place in turn and after
 *					the end: each byte that means something
 *	NAME --write N SEED FILE	writes the N-th copy of --flips to standard output
 *	NAME --mutate N SEED FILE...	N copies of each file, changed by the driver 1 to 4 times
 *	NAME --random N SEED		N inputs that the driver makes
 *
 * It prints the inputs tried, and how many KiB of memory they took.  With FUZZ_KIB in the
 * environment its status is 1 if that is exceeded.  A finding ends it with SIGABRT, and a message
 * that identifies the input.
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
	/* Makes all checks of one input.  Also used in place of missing functions below. */
	bool (*take)(const uint8_t *data, size_t size);
	/*
	 * In place of take: makes those checks of one input that belong to a way, a number below
	 * WAYS.  Named files and prefixes are checked in all ways, and way 0 tells whether they
	 * were read; other inputs in one way, since many inputs find more than many checks of each.
	 */
	bool (*take_way)(size_t way, const uint8_t *data, size_t size);
	size_t ways;
	/* Checks a named file. */
	bool (*file)(const uint8_t *data, size_t size);
	/* Checks the n-th copy of a file with wrong bytes. */
	bool (*copy)(const uint8_t *data, size_t size, uint64_t n);
	/*
	 * Checks the first CUT of SIZE bytes.  It is called with all bytes before it is called with
	 * fewer.
	 */
	bool (*prefix)(const uint8_t *data, size_t size, size_t cut);
	/* Stores an input made from random numbers, for take.  Returns its length. */
	size_t (*make)(uint64_t *state, uint8_t *bytes);
	/*
	 * Changes an input of SIZE bytes, with room for MAX, so that its structure remains.
	 * Returns its new length, or 0 if it has left it as it was.
	 */
	size_t (*mutate)(uint8_t *data, size_t size, size_t max, uint64_t *state);
	/* Bytes with a meaning, and how many of four wrong bytes are taken from them. */
	struct slice meaning;
	unsigned meaning_of_4;
	/* The least percentage of the prefixes of a file that must be rejected. */
	unsigned refused;
};

/* The table of the driver. */
extern const struct fuzz_driver fuzz_driver;

/* Reports a finding: ends the program with SIGABRT. */
_Noreturn void finding(const char *why);

/* Reports a finding unless OK. */
static inline void
check(bool ok, const char *why)
{
	if (!ok)
		finding(why);
}

/* Checks that *e is an error of the input and has a message. */
void check_error(const struct err *e);

/* Returns a random number, the same on every machine (SplitMix64). */
uint64_t random_next(uint64_t *state);

/* Returns a new file without a name, in memory if possible.  It is never closed. */
int scratch(void);

/*
 * Make the file empty, or replace its contents with these bytes.  Its position is then at the
 * start.
 */
void scratch_empty(int fd);
void scratch_put(int fd, const void *data, size_t size);

/* Returns the contents of the file and a NUL, which the caller must free. */
char *scratch_text(int fd, size_t *len);

/*
 * Make standard input that file, from its start, or a pipe with these bytes, at most FUZZ_PIPE_MAX.
 */
void stdin_file(int fd);
void stdin_pipe(const uint8_t *data, size_t size);

#endif
