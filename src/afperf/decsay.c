/* SPDX-License-Identifier: ISC */
/* decsay.c - error messages about records. */
#include <stdarg.h>
#include <stdio.h>

#include "lib/esc.h"
#include "src/afperf/decint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */

static void
say(struct afperf_decode *d, enum afperf_weight weight, const struct dec_rec *r, size_t field,
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

enum dec
dec_broken(struct afperf_decode *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, AFPERF_ERROR, r, field, rule, fmt, ap);
	va_end(ap);
	return DEC_BROKEN;
}

void
dec_doubt(struct afperf_decode *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, AFPERF_DOUBT, r, field, rule, fmt, ap);
	va_end(ap);
}

void
dec_lenient(struct afperf_decode *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, AFPERF_LENIENT, r, field, rule, fmt, ap);
	va_end(ap);
}

void
dec_count(struct afperf_decode *d, enum dec_note note, uint64_t line)
{
	if (d->seen[note].n++ == 0)
		d->seen[note].line = line;
}

void
dec_say_notes(struct afperf_decode *d)
{
	static const char *const text[DEC_NOTES] = {
		[NOTE_EARLY] = "events before the start of their run",
		[NOTE_OPEN_REGION] = "regions that are never stopped",
		[NOTE_OPEN_INTERVAL] = "intervals that are never stopped",
		[NOTE_UNIT] = "measurement types with an unusual unit",
		[NOTE_NO_WALL] = "runs without a wall clock time",
		[NOTE_DEEP] = "regions too deep to see whether they nest",
		[NOTE_UNKNOWN] = "records of a type that is not known",
		[NOTE_EXTRA] = "records with fields that are not known",
	};
	char line[160];
	int i;

	for (i = 0; i < DEC_NOTES; i++) {
		if (d->seen[i].n == 0)
			continue;
		snprintf(line, sizeof line, "%s: %llu (first in line %llu)", text[i],
		    (unsigned long long)d->seen[i].n, (unsigned long long)d->seen[i].line);
		d->opt.note(d->opt.ctx, line);
	}
}

enum dec
dec_nomem(struct afperf_decode *d)
{
	err_nomem(&d->failure);
	return DEC_FAILED;
}

const char *
dec_shown(struct afperf_decode *d, struct slice s)
{
	bool cut = s.len > SHOWN_MAX;

	d->shown.len = 0;
	if (cut)
		s.len = SHOWN_MAX;
	if ((s.len != 0 && !esc_append(&d->shown, s.p, s.len, ESC_MESSAGE)) ||
	    !buf_put(&d->shown, cut ? "..." : "", cut ? 4 : 1))
		return "";
	return d->shown.p;
}

const char *
dec_ref_text(char *dst, struct dec_ref ref)
{
	size_t n = ref.form == REF_BLANK ? 1 : 0;

	if (ref.form == REF_BLANK)
		dst[0] = '@';
	n += ref.form == REF_HEX ? num_put_hex(dst, ref.id) : num_put_u64(dst + n, ref.id);
	dst[n] = '\0';
	return dst;
}
