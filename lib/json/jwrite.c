/* SPDX-License-Identifier: ISC */
/* jwrite.c - writes parts of a JSON text. */
#include "lib/json/jwrite.h"

#include <errno.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/json/jtext.h"
#include "lib/num.h"
#include "lib/number.h"

void
jwrite_free(struct jwrite *j)
{
	buf_free(&j->text);
	buf_free(&j->quoted);
}

void
jwrite_raw(struct jwrite *j, const char *s)
{
	out_put(j->out, s, strlen(s));
}

void
jwrite_no_memory(struct jwrite *j)
{
	out_fail(j->out, ENOMEM);
}

void
jwrite_text(struct jwrite *j, struct slice s)
{
	j->quoted.len = 0;
	if (jtext_quote(&j->quoted, s))
		out_put(j->out, j->quoted.p, j->quoted.len);
	else
		jwrite_no_memory(j);
}

void
jwrite_element(struct jwrite *j, struct slice s)
{
	j->text.len = 0;
	if (esc_append_element(&j->text, s))
		jwrite_text(j, buf_slice(&j->text));
	else
		jwrite_no_memory(j);
}

void
jwrite_u64(struct jwrite *j, uint64_t v)
{
	char text[NUM_MAX];

	out_put(j->out, text, num_put_u64(text, v));
}

void
jwrite_decimal(struct jwrite *j, uint64_t v, unsigned decimals)
{
	char digits[NUM_MAX], text[2 * NUM_MAX];
	size_t n = num_put_u64(digits, v), len = 0, point;

	while (decimals > 0 && digits[n - 1] == '0' && v != 0) {
		n--;
		decimals--;
	}
	if (v == 0)
		decimals = 0;
	point = n > decimals ? n - decimals : 0;
	memcpy(text, digits, point);
	len = point;
	if (point == 0)
		text[len++] = '0';
	if (decimals > 0) {
		text[len++] = '.';
		memset(text + len, '0', decimals - (n - point));
		len += decimals - (n - point);
		memcpy(text + len, digits + point, n - point);
		len += n - point;
	}
	out_put(j->out, text, len);
}

bool
jwrite_number(struct slice value, char *room, struct slice *number)
{
	struct number v;
	struct err e;

	if (number_get(value, &v, &e) != 0 || v.kind > NUMBER_DOUBLE)
		return false;
	*number = (struct slice){ room, number_put(room, &v) };
	return true;
}
