/* SPDX-License-Identifier: ISC */
/*
 * speedscope.c - speedscope's own format, as its file-format-schema.json defines it (version 1.25).
 *
 * Each thread and measure is a profile of type sampled, whose weights are the values.
 */
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/trace/traceint.h"

#define LIMB_DIGITS 8 /* num_put_8 */
#define LIMB_BASE ((uint64_t)100000000)
#define LIMBS_BELOW ((size_t)43) /* decimals of a double, which are at most 341 */
#define LIMBS ((size_t)43 + 42) /* and digits of 2^64 doubles */

/*
 * An exact sum of weights, as they are written: speedscope adds up what it reads, and nothing else
 * is the sum of it.  limb[i] counts 10^(8 * (i - LIMBS_BELOW)).
 */
struct sum {
	uint32_t limb[LIMBS];
};

static const char *
unit_of(struct slice unit)
{
	static const struct {
		const char *stream, *speedscope;
	} units[] = { { "ns", "nanoseconds" }, { "us", "microseconds" }, { "ms", "milliseconds" },
		{ "s", "seconds" }, { "B", "bytes" }, { "bytes", "bytes" } };
	size_t i;

	for (i = 0; i < sizeof units / sizeof units[0]; i++)
		if (slice_eq(unit, slice_of(units[i].stream)))
			return units[i].speedscope;
	return "none";
}

static void
add_at(struct sum *s, size_t i, uint64_t v)
{
	for (; v != 0; i++, v /= LIMB_BASE) {
		v += s->limb[i];
		s->limb[i] = (uint32_t)(v % LIMB_BASE);
	}
}

/* Adds 0.DIGITS * 10^point. */
static void
add_digits(struct sum *s, const char *digits, size_t n, int point)
{
	static const uint32_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	size_t i, place = LIMBS_BELOW * LIMB_DIGITS + (size_t)point;

	for (i = 0; i < n; i++) {
		place--;
		add_at(s, place / LIMB_DIGITS,
		    (uint64_t)(digits[i] - '0') * power[place % LIMB_DIGITS]);
	}
}

/* Adds a sample's value, which is an integer below 2^128 or a double, and not below 0. */
static void
add_value(struct sum *s, const struct trace *t, uint32_t value)
{
	char room[NUM_MAX], digits[NUM_DIGITS_MAX];
	struct slice number;
	size_t n;
	int point;
	double d;

	if (value < VALUE_TEXT) {
		add_at(s, LIMBS_BELOW, value);
		return;
	}
	number = trace_value(t, value, room);
	if (num_is_integer(number)) {
		add_digits(s, number.p, number.len, (int)number.len);
	} else { /* it is above 0, whose spelling is that of an integer */
		(void)num_get_double(number, &d);
		n = num_shortest(digits, d, &point);
		add_digits(s, digits, n, point);
	}
}

static void
put_sum(struct jwrite *j, const struct sum *s)
{
	char text[LIMBS * LIMB_DIGITS];
	size_t i = LIMBS - 1, n = 0;

	while (i > LIMBS_BELOW && s->limb[i] == 0)
		i--;
	jwrite_u64(j, s->limb[i]);
	while (i-- > 0) {
		num_put_8(text + n, s->limb[i]);
		n += LIMB_DIGITS;
		if (i != LIMBS_BELOW)
			continue;
		out_put(j->out, text, n);
		n = 0;
	}
	while (n > 0 && text[n - 1] == '0')
		n--;
	jwrite_raw(j, n == 0 ? "" : ".");
	out_put(j->out, text, n);
}

static void
put_frames(const struct trace *t, struct jwrite *j)
{
	struct slice name, file;
	uint64_t line;
	size_t i;

	for (i = 0; i < t->frames.count; i++) {
		trace_frame(t, i, &name, &file, &line);
		jwrite_raw(j, i == 0 ? "\n{\"name\":" : ",\n{\"name\":");
		jwrite_text(j, name);
		if (file.len != 0) {
			jwrite_raw(j, ",\"file\":");
			jwrite_text(j, file);
		}
		if (line != 0) {
			jwrite_raw(j, ",\"line\":");
			jwrite_u64(j, line);
		}
		jwrite_raw(j, "}");
	}
}

/* The frames of a stack, which a node has from the innermost to the outermost. */
struct stack {
	uint32_t *frame;
	size_t n, cap;
};

static bool
put_stack(const struct trace *t, struct jwrite *j, struct stack *s, uint32_t node)
{
	struct node n;

	for (s->n = 0; node != NODE_NONE; node = n.parent) {
		n = trace_node(t, node);
		if (!vec_room(s->frame, s->n, s->cap))
			return false;
		s->frame[s->n++] = n.frame;
	}
	jwrite_raw(j, "[");
	while (s->n > 0) {
		jwrite_u64(j, s->frame[--s->n]);
		jwrite_raw(j, s->n == 0 ? "" : ",");
	}
	jwrite_raw(j, "]");
	return true;
}

static bool
put_samples(const struct trace *t, struct jwrite *j, const struct profile *p)
{
	struct stack s = { NULL, 0, 0 };
	bool ok = true;
	size_t i;

	jwrite_raw(j, ",\"samples\":[");
	for (i = 0; i < p->n && ok && j->out->error == 0; i++) {
		jwrite_raw(j, i == 0 ? "" : ",");
		ok = put_stack(t, j, &s, p->sample[i].node);
	}
	mem_free(s.frame);
	return ok;
}

static bool
put_profile(struct trace *t, struct jwrite *j, const struct profile *p)
{
	struct sum sum = { { 0 } };
	char room[NUM_MAX];
	struct slice v;
	size_t i;

	for (i = 0; i < p->n; i++)
		add_value(&sum, t, p->sample[i].value);
	jwrite_raw(j, "{\"type\":\"sampled\",\"name\":");
	trace_put_name(t, j, p);
	jwrite_raw(j, ",\"unit\":\"");
	jwrite_raw(j, unit_of(trace_measure(t, p->measure).unit));
	jwrite_raw(j, "\",\"startValue\":0,\"endValue\":");
	put_sum(j, &sum);
	if (!put_samples(t, j, p))
		return false;
	jwrite_raw(j, "],\n\"weights\":[");
	for (i = 0; i < p->n && j->out->error == 0; i++) {
		v = trace_value(t, p->sample[i].value, room);
		jwrite_raw(j, i == 0 ? "" : ",");
		out_put(j->out, v.p, v.len);
	}
	jwrite_raw(j, "]}");
	return true;
}

/* Returns the profile that is shown first: the one with most samples. */
static size_t
first_shown(const struct trace *t)
{
	size_t best = 0, i;

	for (i = 1; i < t->profile_keys.count; i++)
		if (t->profile[i].n > t->profile[best].n)
			best = i;
	return best;
}

/* The name is the only text that speedscope shows. */
static bool
put_title(struct trace *t, struct jwrite *j)
{
	size_t i, n;

	t->text.len = 0;
	for (i = 0; i < t->remarks.len; i += n + 1) {
		n = strlen(t->remarks.p + i);
		if ((i != 0 && !buf_puts(&t->text, "; ")) ||
		    !buf_put(&t->text, t->remarks.p + i, n))
			return false;
	}
	jwrite_text(j, t->text.len == 0 ? SLICE("afpipe") : buf_slice(&t->text));
	return true;
}

int
speedscope_write(struct trace *t, struct jwrite *j, struct err *e)
{
	size_t i;

	jwrite_raw(j,
	    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	    "\"exporter\":\"afpipe traceenc\",\n\"name\":");
	if (!put_title(t, j))
		return err_nomem(e);
	jwrite_raw(j, ",\n\"activeProfileIndex\":");
	jwrite_u64(j, first_shown(t));
	jwrite_raw(j, ",\n\"shared\":{\"frames\":[");
	put_frames(t, j);
	jwrite_raw(j, "]},\n\"profiles\":[");
	for (i = 0; i < t->profile_keys.count; i++) {
		jwrite_raw(j, i == 0 ? "\n" : ",\n");
		if (!put_profile(t, j, &t->profile[i]))
			return err_nomem(e);
	}
	jwrite_raw(j, "]}\n");
	return 0;
}
