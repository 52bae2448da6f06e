/* SPDX-License-Identifier: ISC */
/* csv.c - a field of a comma-separated record. */
#include "lib/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* A field of n bytes takes at most this many. */
#define FIELD_MAX(n) (2 * (n) + 2)

/* Has it to be quoted?  For a comma, a quote or a control byte. */
static bool
is_special(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == ',' || s[i] == '"')
			return true;
	return false;
}

void
csv_field_put(struct out *o, const char *s, size_t n)
{
	char *p;

	if (n == 0)
		return;
	if (!is_special(s, n)) {
		out_put(o, s, n);
		return;
	}
	if (n > SIZE_MAX / 4) {
		o->error = o->error != 0 ? o->error : ENOMEM;
		return;
	}
	p = out_room(o, FIELD_MAX(n));
	if (p != NULL)
		out_commit(o, csv_write2(p, FIELD_MAX(n), s, n, '"'));
}
