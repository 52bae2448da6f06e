/* SPDX-License-Identifier: ISC */
/*
 * field.c - the numbers of a record, and messages about its fields.
 *
 * According to the specification, integers are decimal or hexadecimal as for strtoll, but not
 * octal.  Doubles are as for strtod, and only white space may follow them.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/short.h"
#include "lib/esc.h"
#include "src/afperf/read/decint.h"

#define SHOWN_MAX 60 /* maximum bytes of a text in a message */

static void
say(struct dec *d, enum afperf_weight weight, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, va_list ap)
{
	struct afperf_report report = { .weight = weight,
		.rule = rule,
		.e = { .code = ERR_DATA, .place = ERR_LINE, .pos = r->r.line } };
	size_t n = 0;

	d->doubts++;
	if (field != 0)
		n = (size_t)snprintf(report.e.msg, sizeof report.e.msg, "field %zu: ", field);
	vsnprintf(report.e.msg + n, sizeof report.e.msg - n, fmt, ap);
	d->opt.report(d->opt.ctx, &report);
}

enum dec_result
dec_broken(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, AFPERF_ERROR, r, field, rule, fmt, ap);
	va_end(ap);
	return DEC_BROKEN;
}

void
dec_doubt(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, AFPERF_DOUBT, r, field, rule, fmt, ap);
	va_end(ap);
}

void
dec_lenient(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, AFPERF_LENIENT, r, field, rule, fmt, ap);
	va_end(ap);
}

void
dec_count(struct dec *d, enum dec_note note, uint64_t line)
{
	if (d->seen[note].n++ == 0 || line < d->seen[note].line)
		d->seen[note].line = line;
}

enum dec_result
dec_nomem(struct dec *d)
{
	err_nomem(&d->failure);
	return DEC_FAILED;
}

const char *
dec_shown(struct dec *d, struct slice s)
{
	bool cut = s.len > SHOWN_MAX;

	d->room.shown.len = 0;
	if (cut)
		s.len = SHOWN_MAX;
	if ((s.len != 0 && !esc_append(&d->room.shown, s.p, s.len, ESC_MESSAGE)) ||
	    !buf_put(&d->room.shown, cut ? "..." : "", cut ? 4 : 1))
		return "";
	return d->room.shown.p;
}

const char *
dec_ref_text(char *dst, struct ids_ref ref)
{
	size_t n = ref.spelling == IDS_BLANK ? 1 : 0;

	if (ref.spelling == IDS_BLANK)
		dst[0] = '@';
	n += ref.spelling == IDS_HEX ? num_put_hex(dst, ref.id) : num_put_u64(dst + n, ref.id);
	dst[n] = '\0';
	return dst;
}

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips everything that strtoll accepts before the digits.  Returns true if there was a blank. */
static bool
take_sign(struct slice *s, bool *negative)
{
	bool blanks = false, sign;

	for (; s->len > 0 && is_space(s->p[0]); s->p++, s->len--)
		blanks = true;
	sign = s->len > 0 && (s->p[0] == '-' || s->p[0] == '+');
	*negative = sign && s->p[0] == '-';
	if (sign) {
		s->p++;
		s->len--;
	}
	return blanks;
}

enum dec_result
dec_unsigned(struct dec *d, const struct dec_rec *r, size_t field, uint64_t *v, bool *hex)
{
	struct slice s = record_field(&r->r, field), rest = s;
	bool blanks, negative;
	enum afperf_digits got = afperf_digits(s, v, hex);

	if (got == DIGITS_OK)
		return DEC_DONE;
	blanks = take_sign(&rest, &negative);
	got = afperf_digits(rest, v, hex);
	if (s.len == 0)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "no integer");
	if (got == DIGITS_OCTAL)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "octal integer %s",
		    dec_shown(d, s));
	if (got == DIGITS_OVER)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "integer of more than 64 bits %s",
		    dec_shown(d, s));
	if (got == DIGITS_BAD || negative)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "%s integer %s",
		    got == DIGITS_BAD ? "bad" : "negative", dec_shown(d, s));
	if (field >= r->judged)
		dec_doubt(d, r, field + 1, RULE_BLANKS, "%s before an integer: %s",
		    blanks ? "blanks" : "a plus sign", dec_shown(d, s));
	return DEC_DONE;
}

enum dec_result
dec_id(struct dec *d, const struct dec_rec *r, size_t field, struct ids_ref *ref)
{
	bool hex = false;
	enum dec_result rc = dec_unsigned(d, r, field, &ref->id, &hex);

	ref->spelling = hex ? IDS_HEX : IDS_DEC;
	return rc;
}

enum dec_result
dec_usual_id(struct dec *d, const struct dec_rec *r, size_t field, struct dec_memo *memo,
    struct ids_ref *ref)
{
	struct slice s = record_field(&r->r, field);
	enum dec_result rc;

	if (s.len != 0 && short_eq(s, (struct slice){ memo->text, memo->len })) {
		*ref = memo->ref;
		return DEC_DONE;
	}
	rc = dec_id(d, r, field, ref);
	if (rc == DEC_DONE && s.p[0] >= '0' && s.len <= sizeof memo->text) {
		memcpy(memo->text, s.p, s.len);
		memo->len = s.len;
		memo->ref.id = ref->id; /* one by one, since they have just been written so */
		memo->ref.spelling = ref->spelling;
	}
	return rc;
}

enum dec_result
dec_signed(struct dec *d, const struct dec_rec *r, size_t field, int64_t min, int64_t max,
    const char *type, int64_t *v)
{
	struct slice s = record_field(&r->r, field), rest = s;
	bool negative, blanks = take_sign(&rest, &negative);
	uint64_t n = 0;
	bool hex;
	enum afperf_digits got = afperf_digits(rest, &n, &hex);

	if (s.len == 0)
		return dec_broken(d, r, field + 1, RULE_VALUE, "empty %s value", type);
	if (got == DIGITS_OCTAL)
		return dec_broken(d, r, field + 1, RULE_VALUE, "octal integer %s", dec_shown(d, s));
	if (got == DIGITS_BAD)
		return dec_broken(d, r, field + 1, RULE_VALUE, "bad %s value %s", type,
		    dec_shown(d, s));
	if (got == DIGITS_OVER || (negative ? n > (uint64_t)0 - (uint64_t)min : n > (uint64_t)max))
		return dec_broken(d, r, field + 1, RULE_VALUE, "value does not fit %s: %s", type,
		    dec_shown(d, s));
	if (blanks)
		dec_doubt(d, r, field + 1, RULE_BLANKS, "blanks before an integer: %s",
		    dec_shown(d, s));
	*v = negative ? (int64_t)(0 - n) : (int64_t)n;
	return DEC_DONE;
}

enum dec_result
dec_double(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *what)
{
	struct slice s = record_field(&r->r, field);
	const char *text;
	char *end;
	bool out_of_range;
	double v;
	size_t n;

	if (!buf_room(&d->room.scratch, NUM_MAX))
		return dec_nomem(d);
	n = num_respell_double(d->room.scratch.p + d->room.scratch.len, s);
	d->room.scratch.len += n;
	if (n != 0)
		return DEC_DONE;
	if (s.len == 0)
		return dec_broken(d, r, field + 1, rule, "empty %s value", what);
	d->room.number.len = 0;
	if (!buf_put(&d->room.number, s.p, s.len) || !buf_putc(&d->room.number, '\0'))
		return dec_nomem(d);
	text = d->room.number.p;
	errno = 0;
	v = strtod(text, &end);
	out_of_range = errno == ERANGE;
	if (end != text)
		while (is_space(*end))
			end++;
	if (end != text + s.len)
		return dec_broken(d, r, field + 1, rule, "bad %s value %s", what, dec_shown(d, s));
	if (out_of_range && isinf(v))
		dec_doubt(d, r, field + 1, RULE_OVERFLOW,
		    "%s is beyond the range of a double: infinity", dec_shown(d, s));
	if (out_of_range && v == 0)
		dec_doubt(d, r, field + 1, RULE_UNDERFLOW, "%s is too small for a double: 0",
		    dec_shown(d, s));
	d->room.scratch.len += num_put_double(d->room.scratch.p + d->room.scratch.len, v);
	return DEC_DONE;
}

enum dec_result
dec_text_fits(struct dec *d, const struct dec_rec *r, size_t field)
{
	if (record_field(&r->r, field).len <= DEC_TEXT_MAX)
		return DEC_DONE;
	return dec_broken(d, r, field + 1, RULE_SIZE, "text longer than %zu bytes", DEC_TEXT_MAX);
}

enum dec_result
dec_extra(struct dec *d, const struct dec_rec *r, size_t known, const struct dec_run *run)
{
	size_t have = r->r.n - 1;

	if (have == known)
		return DEC_DONE;
	if (run->minor > 0)
		return DEC_DONE;
	if (d->opt.lenient && r->layout->record == AFPERF_SECTION_START && have == known + 1) {
		dec_lenient(d, r, known + 2, RULE_FIELDS, "SectionStart with a label: left out");
		return DEC_DONE;
	}
	return dec_broken(d, r, known + 2, RULE_FIELDS, "%s has %zu fields after its type, not %zu",
	    r->layout->name.p, have, known);
}

void
dec_note_extra(struct dec *d, const struct dec_rec *r, size_t known, const struct dec_run *run)
{
	if (run->minor > 0 && r->r.n - 1 > known)
		dec_count(d, NOTE_EXTRA, r->r.line);
}
