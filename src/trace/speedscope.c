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
#include "lib/wide.h"
#include "src/trace/traceint.h"

struct total {
	struct wide whole; /* of the integers */
	double rest; /* of everything else */
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
add_value(struct total *sum, struct slice number)
{
	struct wide v;
	double d;

	if (wide_get(number, &v) == WIDE_OK && wide_add(sum->whole, v, &v))
		sum->whole = v;
	else if (num_get_double(number, &d))
		sum->rest += d;
}

/* Writes the sum, which is exact if all values are integers below 2^128. */
static void
put_total(struct jwrite *j, const struct total *sum)
{
	char text[NUM_MAX];
	size_t n;

	if (sum->rest == 0)
		n = wide_put(text, sum->whole);
	else
		n = num_put_double(text,
		    sum->rest + (double)sum->whole.lo + (double)sum->whole.hi * 0x1p64);
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
	struct total sum = { { 0, 0 }, 0 };
	char room[NUM_MAX];
	struct slice v;
	size_t i;

	for (i = 0; i < p->n; i++)
		add_value(&sum, trace_value(t, p->sample[i].value, room));
	jwrite_raw(j, "{\"type\":\"sampled\",\"name\":");
	trace_put_name(t, j, p);
	jwrite_raw(j, ",\"unit\":\"");
	jwrite_raw(j, unit_of(buf_slice(&t->measure[p->measure].unit)));
	jwrite_raw(j, "\",\"startValue\":0,\"endValue\":");
	put_total(j, &sum);
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
