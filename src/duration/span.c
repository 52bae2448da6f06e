/* SPDX-License-Identifier: ISC */
/* span.c - what comes out: span lines, and the measures that they are of. */
#include <errno.h>

#include "lib/num.h"
#include "lib/short.h"
#include "src/duration/durint.h"

#define LINE_ROOM ((size_t)4096) /* left free of each line by what is copied in one piece */
#define TAGS_FEW ((size_t)16) /* so many are looked through one by one */

static const struct slice names[DUR_MEASURES] = {
	{ "inclusive", 9 },
	{ "self", 4 },
	{ "union", 5 },
};

/* The name of what is left out of the line. */
static void
leave_out(struct evwrite *w, struct slice name)
{
	if (w->nomit < EVW_OMITTED_MAX)
		w->omit[w->nomit++] = name;
}

/* Columns of several lines may be too long for one. */
static void
put_column(struct evwrite *w, struct slice s)
{
	if (w->at + s.len <= EV_LINE_MAX - LINE_ROOM) {
		evw_raw(w, s);
		return;
	}
	w->omitted++;
	leave_out(w, SLICE("column"));
	evw_none(w);
}

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

/* The keys of tags with TABs before each. */
struct keys {
	struct slice tags;
	struct tab many; /* where they are more than a few */
	bool in_tab;
};

static bool
has_key(const struct keys *k, struct slice key)
{
	struct slice rest = k->tags;
	struct ev_tag tag;

	if (k->in_tab)
		return tab_find(&k->many, key) != TAB_NONE;
	while (ev_next_tag(&rest, &tag))
		if (short_eq(tag.key, key))
			return true;
	return false;
}

/* False when there is no memory. */
static bool
read_keys(struct keys *k, struct slice tags)
{
	struct slice rest = tags;
	struct ev_tag tag;
	size_t n = 0;

	*k = (struct keys){ .tags = tags };
	while (n <= TAGS_FEW && ev_next_tag(&rest, &tag))
		n++;
	k->in_tab = n > TAGS_FEW;
	for (rest = tags; k->in_tab && ev_next_tag(&rest, &tag);)
		if (tab_add(&k->many, tag.key, NULL) == TAB_NONE)
			return false;
	return true;
}

/* The tags of the start, and those of the line whose keys the start did not have. */
static void
put_others(struct evwrite *w, const struct dur_line *line, const struct interval *v)
{
	struct slice tags = open_text(v, v->tags), rest = line->others;
	struct keys keys;
	struct ev_tag tag;

	put_tags(w, tags);
	if (rest.len == 0 || slice_eq(tags, rest))
		return;
	if (tags.len != 0)
		tags = (struct slice){ tags.p + 1, tags.len - 1 };
	if (!read_keys(&keys, tags))
		w->out.error = ENOMEM;
	rest = (struct slice){ rest.p + 1, rest.len - 1 };
	while (ev_next_tag(&rest, &tag))
		if (tag.key.len != 0 && !has_key(&keys, tag.key))
			evw_tag_raw(w, tag.key, tag.value);
	tab_free(&keys.many);
}

/* The time of day goes with the time of the line. */
static void
put_end(struct evwrite *w, const struct dur_line *line)
{
	if (line->utc.len != 0)
		evw_tag_raw(w, SLICE("utc"), line->utc);
	evw_end(w);
}

static struct slice
spell(char text[WIDE_DIGITS + NUM_MAX], struct wide t)
{
	return (struct slice){ text, t.hi == 0 ? num_put_u64(text, t.lo) : wide_put(text, t) };
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
	put_column(w, d->runs.item[run]);
	evw_none(w);
	evw_raw(w, names[which]);
	evw_none(w);
	evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	evw_end(w);
}

static void
put_columns(struct duration *d, const struct dur_line *line, struct slice label,
    struct slice measure, struct slice value)
{
	struct evwrite *w = d->w;

	evw_begin(w, SLICE("span"));
	evw_raw(w, line->ev->col[EV_TIME]);
	put_column(w, d->runs.item[line->run]);
	put_column(w, label);
	put_column(w, measure);
	put_column(w, value);
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
	if (!v->lacks_stack && stack.len <= DUR_STACK_MAX) {
		evw_tag_raw(w, SLICE("stack"), stack);
		return;
	}
	d->stacks++;
	leave_out(w, SLICE("stack"));
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
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	if (which == DUR_UNION)
		put_tags(w, open_text(v, v->tags));
	else
		put_others(w, line, v);
	put_end(w, line);
}

/* What is measured, without its id, which is that of the values themselves. */
struct delta {
	struct slice measure, unit, type;
};

static struct slice
take_part(struct slice *what)
{
	const char *tab = memchr(what->p, '\t', what->len);
	struct slice part = { what->p, tab == NULL ? what->len : (size_t)(tab - what->p) };

	what->p += part.len + (tab != NULL);
	what->len -= part.len + (tab != NULL);
	return part;
}

/* A measure of its own, so that nobody adds up values and their growth.  False: no memory. */
static bool
name_delta(struct duration *d, struct slice what, struct delta *delta)
{
	struct slice measure = take_part(&what);

	(void)take_part(&what);
	delta->unit = take_part(&what);
	delta->type = take_part(&what);
	if (short_eq(delta->type, SLICE("int32")))
		delta->type = SLICE("int64");
	if (short_eq(measure, SLICE("\\.")))
		measure = SLICE(".");
	d->measure.len = 0;
	if (!buf_put(&d->measure, measure.p, measure.len) || !buf_put(&d->measure, ".delta", 6))
		return false;
	delta->measure = buf_slice(&d->measure);
	return true;
}

static void
put_kind(struct evwrite *w, const struct delta *delta)
{
	if (delta->unit.len != 0)
		evw_tag_raw(w, SLICE("unit"), delta->unit);
	if (delta->type.len != 0)
		evw_tag_raw(w, SLICE("type"), delta->type);
}

/* As define.  False when there is no memory. */
static bool
define_delta(struct duration *d, uint32_t run, struct slice what, const struct delta *delta)
{
	char digits[NUM_MAX];
	struct evwrite *w = d->w;
	bool fresh;

	d->key.len = 0;
	if (!buf_put(&d->key, digits, num_put_u64(digits, run)) || !buf_putc(&d->key, '\t') ||
	    !buf_put(&d->key, what.p, what.len) ||
	    tab_add(&d->deltas, buf_slice(&d->key), &fresh) == TAB_NONE)
		return false;
	if (!fresh)
		return true;
	evw_begin(w, SLICE("measure"));
	evw_none(w);
	put_column(w, d->runs.item[run]);
	evw_none(w);
	put_column(w, delta->measure);
	evw_none(w);
	if (delta->type.len != 0)
		evw_tag_raw(w, SLICE("type"), delta->type);
	if (delta->unit.len != 0)
		evw_tag_raw(w, SLICE("unit"), delta->unit);
	evw_end(w);
	return true;
}

bool
dur_span_delta(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct slice what, struct slice value)
{
	struct evwrite *w = d->w;
	struct delta delta;

	if (!name_delta(d, what, &delta) || !define_delta(d, line->run, what, &delta))
		return false;
	put_columns(d, line, open_text(v, v->label), delta.measure, value);
	put_tags(w, open_text(v, v->head));
	put_stack(d, v);
	put_kind(w, &delta);
	put_others(w, line, v);
	put_end(w, line);
	return true;
}
