/* SPDX-License-Identifier: ISC */
/* event.c - the value of dcpicat's event line, as dcpicat(1) describes it. */
#include "src/dcpi/event.h"

#include "src/dcpi/value.h"

/* Takes ":DIGITS" off the end of *s. */
static bool
take_last(struct slice *s, uint64_t *v)
{
	size_t n = s->len;
	struct slice digits;

	while (n > 0 && s->p[n - 1] != ':')
		n--;
	if (n == 0)
		return false;
	digits = (struct slice){ s->p + n, s->len - n };
	s->len = n - 1;
	return digits.len != 0 && dcpi_value_digits(digits) == digits.len &&
	    dcpi_value_decimal(digits, v);
}

bool
dcpi_event_parse(struct slice value, struct event *e)
{
	size_t n = dcpi_value_digits(value), at = n;
	const char *colon;

	while (at < value.len && (value.p[at] == ' ' || value.p[at] == '\t'))
		at++;
	if (n == 0 || at == n || !dcpi_value_decimal((struct slice){ value.p, n }, &e->weight))
		return false;
	e->measure = (struct slice){ value.p + at, value.len - at };
	if (!take_last(&e->measure, &e->share) || !take_last(&e->measure, &e->period))
		return false;
	colon = e->measure.len == 0 ? NULL : memchr(e->measure.p, ':', e->measure.len);
	e->set = (struct slice){ e->measure.p, colon == NULL ? 0 : (size_t)(colon - e->measure.p) };
	e->name = e->measure;
	if (colon != NULL)
		e->name = (struct slice){ colon + 1, e->measure.len - e->set.len - 1 };
	return e->name.len != 0 && (colon == NULL || e->set.len != 0);
}
