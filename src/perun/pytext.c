/* SPDX-License-Identifier: ISC */
/* pytext.c - JSON's scalars as Python's str() and json.dumps() spell them. */
#include "src/perun/pytext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/json/jdict.h"

/* True where the text is what repr() would give: few enough digits, a point, no zeros to drop. */
static bool
is_repr(struct slice s)
{
	size_t i = s.p[0] == '-', from = i, point = 0, digits = 0;

	for (; i < s.len; i++) {
		if (s.p[i] == '.')
			point = i;
		else if (s.p[i] >= '0' && s.p[i] <= '9')
			digits += digits != 0 || s.p[i] != '0';
		else
			return false;
	}
	if (point == 0 || digits == 0 || digits > 15)
		return false;
	if (s.p[s.len - 1] == '0' && s.len - point > 2)
		return false;
	if (s.p[from] != '0')
		return true;
	for (i = point + 1; i < s.len && i <= point + 4; i++)
		if (s.p[i] != '0')
			return true; /* at least 0.0001, and so without exponent */
	return false;
}

double
pytext_double(struct slice s)
{
	char few[64], *copy = few, *end;
	double v;

	if (s.len == 0)
		return 0;
	if (s.len >= sizeof few && (copy = mem_alloc(s.len + 1)) == NULL)
		return 0;
	memcpy(copy, s.p, s.len);
	copy[s.len] = '\0';
	v = strtod(copy, &end);
	if (copy != few)
		mem_free(copy);
	return v;
}

/* PyOS_double_to_string with 'r': an exponent from 1e16 on and below 1e-4. */
static size_t
put_repr(char *dst, double v)
{
	char digits[NUM_DIGITS_MAX], *d = dst;
	int point, i;
	size_t n = num_shortest(digits, fabs(v), &point);

	if (signbit(v))
		*d++ = '-';
	if (point > 16 || point < -3) {
		*d++ = digits[0];
		if (n > 1) {
			*d++ = '.';
			memcpy(d, digits + 1, n - 1);
			d += n - 1;
		}
		return (size_t)(d - dst) +
		    (size_t)sprintf(d, "e%c%02d", point > 0 ? '+' : '-', abs(point - 1));
	}
	for (i = point; i < 1; i++) {
		*d++ = '0';
		if (i == point)
			*d++ = '.';
	}
	for (i = 0; i < (int)n; i++) {
		if (i == point && i != 0)
			*d++ = '.';
		*d++ = digits[i];
	}
	for (; i < point; i++)
		*d++ = '0';
	if ((int)n <= point) {
		*d++ = '.';
		*d++ = '0';
	}
	return (size_t)(d - dst);
}

static size_t
put_text(char *dst, const char *s)
{
	size_t n = strlen(s);

	memcpy(dst, s, n);
	return n;
}

static size_t
put_float(char *dst, struct slice number, const char *infinite)
{
	double v;

	if (number.len < PYTEXT_FLOAT_MAX && is_repr(number)) {
		memcpy(dst, number.p, number.len);
		return number.len;
	}
	v = pytext_double(number);
	if (isinf(v)) {
		dst[0] = '-';
		return (v < 0) + put_text(dst + (v < 0), infinite);
	}
	if (v == 0)
		return put_text(dst, signbit(v) ? "-0.0" : "0.0");
	return put_repr(dst, v);
}

size_t
pytext_str_float(char *dst, struct slice number)
{
	return put_float(dst, number, "inf");
}

size_t
pytext_dumps_float(char *dst, struct slice number)
{
	return put_float(dst, number, "Infinity");
}

static struct slice
str_word(char first, size_t len)
{
	switch (first) {
	case 't': return SLICE("True");
	case 'f': return SLICE("False");
	case 'n': return SLICE("None");
	case 'N': return SLICE("nan");
	}
	return len == 8 ? SLICE("inf") : SLICE("-inf");
}

struct slice
pytext_str(struct buf *out, const char *text, const struct jscan_token *k)
{
	struct slice s = { text + k->off, k->len };
	size_t from = out->len;

	switch (k->kind) {
	case JSCAN_STRING:
		if ((k->flags & JSCAN_ESCAPED) == 0 || !jtext_undo(out, s))
			return s;
		break;
	case JSCAN_INTEGER: return s.len == 2 && memcmp(s.p, "-0", 2) == 0 ? SLICE("0") : s;
	case JSCAN_FLOAT:
		if (s.len < PYTEXT_FLOAT_MAX && is_repr(s))
			return s;
		out->len += pytext_str_float(out->p + out->len, s);
		break;
	default: return str_word(s.p[0], s.len);
	}
	return (struct slice){ out->p + from, out->len - from };
}

/* What pytext_dumps goes through. */
struct dumper {
	struct buf *out;
	const char *text;
	const struct jscan_token *token;
	struct jdict members;
	struct buf scratch;
};

static bool
dump_scalar(struct dumper *x, const struct jscan_token *k)
{
	struct slice s = { x->text + k->off, k->len };
	char number[PYTEXT_FLOAT_MAX];

	x->scratch.len = 0;
	if (k->kind == JSCAN_STRING)
		return jtext_undo(&x->scratch, s) && jtext_quote(x->out, buf_slice(&x->scratch));
	if (k->kind == JSCAN_FLOAT)
		s = (struct slice){ number, pytext_dumps_float(number, s) };
	else if (k->kind == JSCAN_INTEGER && s.len == 2 && s.p[0] == '-' && s.p[1] == '0')
		s = SLICE("0");
	return buf_put(x->out, s.p, s.len);
}

static bool dump(struct dumper *x, uint32_t index);

static bool
dump_object(struct dumper *x, uint32_t index)
{
	size_t from = x->members.n, i;
	bool ok = jdict_push(&x->members, x->text, x->token, index) && buf_putc(x->out, '{');

	for (i = from; ok && i < x->members.n; i++) {
		struct jdict_member m = x->members.m[i];

		ok = (i == from || buf_put(x->out, ", ", 2)) && dump_scalar(x, &x->token[m.name]) &&
		    buf_put(x->out, ": ", 2) && dump(x, m.value);
	}
	x->members.n = from;
	return ok && buf_putc(x->out, '}');
}

static bool
dump(struct dumper *x, uint32_t index)
{
	const struct jscan_token *k = &x->token[index];
	uint32_t i;
	bool ok;

	if (k->kind == JSCAN_OBJECT)
		return dump_object(x, index);
	if (k->kind != JSCAN_ARRAY)
		return dump_scalar(x, k);
	ok = buf_putc(x->out, '[');
	for (i = index + 1; ok && i < k->next; i = x->token[i].next)
		ok = (i == index + 1 || buf_put(x->out, ", ", 2)) && dump(x, i);
	return ok && buf_putc(x->out, ']');
}

bool
pytext_dumps(struct buf *out, const char *text, const struct jscan_token *token, uint32_t index)
{
	struct dumper x = { .out = out, .text = text, .token = token };
	bool ok = dump(&x, index);

	jdict_free(&x.members);
	buf_free(&x.scratch);
	return ok;
}
