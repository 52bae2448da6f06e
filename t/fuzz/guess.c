/* SPDX-License-Identifier: ISC */
/*
 * guess.c - fuzzes the recognition of a file by its first bytes.
 *
 * Any program may be asked.  A file that several programs refuse is the same for all of them, none
 * refuses what it reads, and bytes after the first ones change nothing.
 */
#include "lib/guess.h"

#include <stdlib.h>
#include <string.h>

#include "t/fuzz/fuzz.h"

/* Returns the length of what the file is said to be: the text before the comma. */
static size_t
said(const struct err *e)
{
	const char *end = strchr(e->msg, ',');

	check(strncmp(e->msg, "this is ", 8) == 0 && end != NULL, "another message");
	return (size_t)(end - e->msg);
}

static bool
take(const uint8_t *data, size_t size)
{
	size_t n = size < GUESS_BYTES ? size : GUESS_BYTES;
	uint8_t *first = malloc(n + 1);
	struct err e, again;
	int form, rc;
	bool any = false;

	check(first != NULL, "no memory");
	memcpy(first, data, n);
	for (form = GUESS_STREAM; form <= GUESS_JSON_LINES; form++) {
		rc = guess_refuse(data, size, (enum guess_form)form, &e);
		check(rc == guess_refuse(first, n, (enum guess_form)form, &again),
		    "later bytes matter");
		any |= rc != 0;
		if (rc == 0)
			continue;
		check_error(&e);
		check(strcmp(e.msg, again.msg) == 0 && said(&e) > 8, "another message");
	}
	free(first);
	return !any;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\x1f\x8b\x78\n ;.,:0123456789{[\"kind"),
	.meaning_of_4 = 2,
};
