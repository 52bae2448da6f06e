/* SPDX-License-Identifier: ISC */
/* csv.c - a field of a comma-separated record. */
#include "lib/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdint.h>

bool
csv_field_is_special(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == ',' || s[i] == '"')
			return true;
	return false;
}

size_t
csv_field_quote(char *dst, const char *s, size_t n)
{
	return csv_write2(dst, CSV_FIELD_MAX(n), s, n, '"');
}

void
csv_field_put(struct out *o, const char *s, size_t n)
{
	char *p;

	if (n == 0)
		return;
	if (!csv_field_is_special(s, n)) {
		out_put(o, s, n);
		return;
	}
	if (n > SIZE_MAX / 4) {
		o->error = o->error != 0 ? o->error : ENOMEM;
		return;
	}
	p = out_room(o, CSV_FIELD_MAX(n));
	if (p != NULL)
		out_commit(o, csv_field_quote(p, s, n));
}
