/* SPDX-License-Identifier: ISC */
/* span.c - what comes out: span lines, and the measures that they are of. */
#include "lib/num.h"
#include "lib/short.h"
#include "src/duration/durint.h"

#define LINE_ROOM ((size_t)4096) /* left free of each line by what is copied in one piece */
#define STACK_MAX ((size_t)64 * 1024) /* or a deep recursion would fill the disk */

static const struct slice names[DUR_MEASURES] = {
	{ "time", 4 },
	{ "self", 4 },
	{ "union", 5 },
	{ "pause", 5 },
};

/* Tags with TABs before each; those that find no room are left out one by one. */
static void
put_tags(struct evwrite *w, struct slice tags)
{
	struct ev_tag tag;

	if (tags.len == 0)
		return;
	if (w->at + tags.len <= EV_LINE_MAX - LINE_ROOM) {
		evw_bytes(w, tags.p, tags.len);
		return;
	}
	tags = (struct slice){ tags.p + 1, tags.len - 1 };
	while (ev_next_tag(&tags, &tag))
		evw_tag_raw(w, tag.key, tag.value);
}

static bool
has_key(struct slice tags, struct slice key)
{
	struct ev_tag tag;

	if (tags.len != 0)
		tags = (struct slice){ tags.p + 1, tags.len - 1 };
	while (ev_next_tag(&tags, &tag))
		if (slice_eq(tag.key, key))
			return true;
	return false;
}

/* The tags of the start, and those of the line that the start did not have. */
static void
put_others(struct evwrite *w, const struct dur_line *line, const struct interval *v)
{
	struct slice tags = open_text(v, v->tags), rest = line->others;
	struct ev_tag tag;

	put_tags(w, tags);
	if (rest.len == 0 || slice_eq(tags, rest))
		return;
	rest = (struct slice){ rest.p + 1, rest.len - 1 };
	while (ev_next_tag(&rest, &tag))
		if (tag.key.len != 0 && !has_key(tags, tag.key))
			evw_tag_raw(w, tag.key, tag.value);
}

static struct slice
spell(char text[WIDE_DIGITS + NUM_MAX], struct wide t)
{
	return (struct slice){ text,
		t.hi == 0 ? num_put_u64(text, t.lo) : wide_put(text, t) };
}

/* The line's measure is defined before the first span of it. */
static void
define(struct duration *d, uint32_t run, enum dur_measure which)
{
	struct evwrite *w = d->w;

	if (d->run[run].defined[which])
		return;
	d->run[run].defined[which] = true;
	evw_begin(w, SLICE("measure"));
	evw_none(w);
	evw_raw(w, d->runs.item[run]);
	evw_none(w);
	evw_raw(w, names[which]);
	evw_none(w);
	evw_bytes(w, "\ttype=int64\tunit=ns", 19);
	evw_end(w);
}

static void
put_columns(struct duration *d, const struct dur_line *line, struct slice label,
    struct slice measure, struct slice value)
{
	struct evwrite *w = d->w;

	evw_begin(w, SLICE("span"));
	evw_raw(w, line->ev->col[EV_TIME]);
	evw_raw(w, d->runs.item[line->run]);
	evw_raw(w, label);
	evw_raw(w, measure);
	evw_raw(w, value);
}

static void
put_stack(struct duration *d, const struct interval *v)
{
	const struct buf *open = &d->run[v->run].stack;
	struct slice stack = open_text(v, v->stack);
	struct evwrite *w = d->w;

	if ((v->kind & OPEN_SCOPE) != OPEN_REGION)
		return;
	if (stack.len == 0)
		stack = (struct slice){ open->p, v->stack_len };
	if (stack.len <= STACK_MAX) {
		evw_tag_raw(w, SLICE("stack"), stack);
		return;
	}
	d->stacks++;
	if (w->nomit < EVW_OMITTED_MAX)
		w->omit[w->nomit++] = SLICE("stack");
}

void
dur_span(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which, struct wide elapsed, struct wide paused)
{
	char text[WIDE_DIGITS + NUM_MAX];
	struct evwrite *w = d->w;

	define(d, line->run, which);
	put_columns(d, line, open_text(v, v->label), names[which],
	    spell(text, wide_sub(elapsed, paused)));
	put_tags(w, open_text(v, v->head));
	put_stack(d, v);
	if ((d->flags & DURATION_DEDUCT) != 0) {
		evw_tag_raw(w, SLICE("elapsed"), spell(text, elapsed));
		evw_tag_raw(w, SLICE("paused"), spell(text, paused));
	}
	evw_bytes(w, "\tunit=ns\ttype=int64", 19);
	if (which == DUR_UNION)
		put_tags(w, open_text(v, v->tags));
	else
		put_others(w, line, v);
	evw_end(w);
}

void
dur_span_delta(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct slice what, struct slice value)
{
	static const struct slice keys[] = { { "mid", 3 }, { "unit", 4 }, { "type", 4 } };
	struct evwrite *w = d->w;
	struct slice part[4];
	size_t i;

	for (i = 0; i < 4; i++) {
		const char *tab = memchr(what.p, '\t', what.len);

		part[i] = (struct slice){ what.p,
			tab == NULL ? what.len : (size_t)(tab - what.p) };
		what.p += part[i].len + (tab != NULL);
		what.len -= part[i].len + (tab != NULL);
	}
	put_columns(d, line, open_text(v, v->label), part[0], value);
	put_tags(w, open_text(v, v->head));
	put_stack(d, v);
	for (i = 1; i < 4; i++)
		if (part[i].len != 0)
			evw_tag_raw(w, keys[i - 1], part[i]);
	put_others(w, line, v);
	evw_end(w);
}

void
dur_span_pause(struct duration *d, const struct dur_line *line, struct wide elapsed)
{
	char text[WIDE_DIGITS + NUM_MAX];
	struct evwrite *w = d->w;

	define(d, line->run, DUR_PAUSE);
	put_columns(d, line, line->ev->col[EV_REGION], names[DUR_PAUSE], spell(text, elapsed));
	evw_bytes(w, "\tscope=run", 10);
	if (line->id.len != 0)
		evw_tag_raw(w, SLICE("id"), line->id);
	evw_tag_raw(w, SLICE("start"), line->start);
	evw_bytes(w, "\tunit=ns\ttype=int64", 19);
	put_tags(w, line->others);
	evw_end(w);
}
