/* SPDX-License-Identifier: ISC */
/* span.c - the output: span lines, and their measure lines. */
#include <errno.h>
#include <string.h>

#include "lib/num.h"
#include "lib/short.h"
#include "src/duration/duration.h"
#include "src/duration/durint.h"

#define TAGS_FEW ((size_t)16) /* up to this many tags are searched one by one */

static const struct slice names[DUR_MEASURES] = {
	{ "inclusive", 9 },
	{ "self", 4 },
	{ "union", 5 },
};

/* Writes tags, each with a TAB before it.  Tags that do not fit are omitted one by one. */
static void
put_tags(struct evwrite *w, struct slice tags)
{
	struct ev_tag tag;

	if (tags.len == 0)
		return;
	if (evw_length(w) + tags.len <= EV_LINE_MAX - EVW_LINE_ROOM) {
		evw_bytes(w, tags.p, tags.len);
		return;
	}
	tags = (struct slice){ tags.p + 1, tags.len - 1 };
	while (ev_next_tag(&tags, &tag))
		evw_tag_raw(w, tag.key, tag.value);
}

/* What tags are compared by: the key, or the whole tag. */
typedef struct slice tag_part(const struct ev_tag *tag);

static struct slice
key_of(const struct ev_tag *tag)
{
	return tag->key;
}

static struct slice
whole(const struct ev_tag *tag)
{
	const char *end = tag->value.p + tag->value.len;

	return (struct slice){ tag->key.p, (size_t)(end - tag->key.p) };
}

/* Those parts of all tags of a line. */
struct parts {
	struct slice tags; /* as ev_next_tag takes them */
	tag_part *part;
	struct tab many; /* if there are more than TAGS_FEW */
	bool in_tab;
};

static bool
has_part(const struct parts *x, struct slice part)
{
	struct slice rest = x->tags;
	struct ev_tag tag;

	if (x->in_tab)
		return tab_find(&x->many, part) != TAB_NONE;
	while (ev_next_tag(&rest, &tag))
		if (short_eq(x->part(&tag), part))
			return true;
	return false;
}

/*
 * Reads the parts of tags, the first of which has a TAB before it.  Returns false when memory runs
 * out.
 */
static bool
read_parts(struct parts *x, struct slice tags, tag_part *part)
{
	struct slice rest;
	struct ev_tag tag;
	size_t n = 0;

	if (tags.len != 0)
		tags = (struct slice){ tags.p + 1, tags.len - 1 };
	*x = (struct parts){ .tags = tags, .part = part };
	for (rest = tags; n <= TAGS_FEW && ev_next_tag(&rest, &tag);)
		n++;
	x->in_tab = n > TAGS_FEW;
	for (rest = tags; x->in_tab && ev_next_tag(&rest, &tag);)
		if (tab_add(&x->many, part(&tag), NULL) == TAB_NONE)
			return false;
	return true;
}

/*
 * Adds those tags of the line whose keys the start did not have.  Returns false when memory runs
 * out.
 */
static bool
add_tags(struct duration *d, struct slice tags, struct slice rest)
{
	struct parts keys;
	struct ev_tag tag;
	bool ok = read_parts(&keys, tags, key_of);

	rest = (struct slice){ rest.p + 1, rest.len - 1 };
	while (ok && ev_next_tag(&rest, &tag))
		if (tag.key.len != 0 && !has_part(&keys, tag.key))
			ok = buf_putc(&d->tags, '\t') &&
			    buf_put(&d->tags, tag.key.p, tag.key.len) && buf_putc(&d->tags, '=') &&
			    buf_put(&d->tags, tag.value.p, tag.value.len);
	tab_free(&keys.many);
	return ok;
}

bool
dur_are_strangers(struct slice one, struct slice other)
{
	struct slice a, b;

	return one.len != 0 && other.len != 0 && ev_tag_in(one, SLICE("tid"), &a) &&
	    ev_tag_in(other, SLICE("tid"), &b) && !slice_is_nothing(a) && !slice_is_nothing(b) &&
	    !short_eq(a, b);
}

bool
dur_keep_shared(struct interval *u, struct slice tags)
{
	struct slice all = open_text(u, u->tags), rest;
	char *to = u->text.p + u->tags.at;
	struct parts others;
	struct ev_tag tag;
	bool ok;

	if (all.len == 0 || slice_eq(all, tags))
		return true;
	ok = read_parts(&others, tags, whole);
	rest = (struct slice){ all.p + 1, all.len - 1 };
	while (ok && ev_next_tag(&rest, &tag)) {
		struct slice s = whole(&tag);

		if (!has_part(&others, s))
			continue;
		*to++ = '\t';
		memmove(to, s.p, s.len);
		to += s.len;
	}
	u->tags.len = (size_t)(to - all.p);
	tab_free(&others.many);
	return ok;
}

/*
 * Writes the tags of the start and of the line, which are joined once for all lines made from both:
 * a line ends one interval at most.
 */
static void
put_others(struct duration *d, const struct dur_line *line, const struct interval *v)
{
	struct slice tags = open_text(v, v->tags), rest = line->others;

	if (rest.len == 0 || slice_eq(tags, rest)) {
		put_tags(d->w, tags);
		return;
	}
	if (d->tags_line != d->lines) {
		d->tags.len = 0;
		d->tags_line = d->lines;
		/* without ids, regions are told apart only by their labels */
		d->strangers += line->id.len == 0 && dur_are_strangers(tags, rest);
		if (!buf_put(&d->tags, tags.p, tags.len) || !add_tags(d, tags, rest))
			evw_nomem(d->w);
	}
	put_tags(d->w, buf_slice(&d->tags));
}

/*
 * Writes the tags of a delta, if they are short.  An interval may have many deltas, and each would
 * repeat the tags of its start.
 */
static void
put_others_of_delta(struct duration *d, const struct dur_line *line, const struct interval *v)
{
	if (v->tags.len + line->others.len <= DUR_STACK_MAX) {
		put_others(d, line, v);
		return;
	}
	dur_exceed(d, DUR_LONG_DELTA);
	evw_name_omitted(d->w, SLICE("tags"));
}

/* Ends a line.  The utc tag gives the time of day at the line's time. */
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

/* Defines the measure of a line before its first span. */
static void
define(struct duration *d, uint32_t run, enum dur_measure which, struct slice type)
{
	struct evwrite *w = d->w;

	if (d->run[run].defined[which])
		return;
	d->run[run].defined[which] = true;
	evw_begin(w, SLICE("measure"));
	evw_none(w);
	evw_column(w, d->runs.item[run]);
	evw_none(w);
	evw_raw(w, names[which]);
	evw_none(w);
	if (type.len != 0)
		evw_tag_raw(w, SLICE("type"), type);
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
	evw_column(w, d->runs.item[line->run]);
	evw_column(w, label);
	evw_column(w, measure);
	evw_column(w, value);
}

/*
 * Writes the tags that are on all lines of an interval, except a parent that is too long to be
 * repeated.
 */
static void
put_head(struct duration *d, const struct interval *v)
{
	put_tags(d->w, open_text(v, v->head));
	if (v->lacks_parent) {
		dur_exceed(d, DUR_LONG_PARENT);
		evw_name_omitted(d->w, SLICE("parent"));
	}
}

static void
put_stack(struct duration *d, const struct interval *v)
{
	struct dur_stack s = d->stack;
	struct evwrite *w = d->w;

	if ((v->kind & OPEN_SCOPE) != OPEN_REGION)
		return;
	if ((v->kind & OPEN_ENDED) != 0)
		s = (struct dur_stack){ open_text(v, v->stack), v->stack_cut };
	w->count[MARK_CUT_STACKS] += s.cut != 0;
	if (s.text.len == 0) {
		evw_name_omitted(w, SLICE("stack"));
		return;
	}
	evw_tag_raw(w, SLICE("stack"), s.text);
	if (s.cut != 0)
		evw_tag_u64(w, SLICE("stack_cut"), s.cut);
}

/* Returns the type that holds an integer.  There is none for more than 64 bits. */
static struct slice
type_of_integer(struct slice value)
{
	int64_t i;

	return num_get_i64(value, &i) ? SLICE("int64") : SLICE("");
}

void
dur_span(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which, struct wide elapsed, struct wide paused)
{
	char text[WIDE_DIGITS + NUM_MAX];
	struct slice value = spell(text, wide_sub(elapsed, paused)), type = type_of_integer(value);
	struct evwrite *w = d->w;

	define(d, line->run, which, type);
	put_columns(d, line, open_text(v, v->label), names[which], value);
	put_head(d, v);
	put_stack(d, v);
	if ((d->flags & DURATION_DEDUCT) != 0) {
		evw_tag_raw(w, SLICE("elapsed"), spell(text, elapsed));
		evw_tag_raw(w, SLICE("paused"), spell(text, paused));
	}
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	if (type.len != 0)
		evw_tag_raw(w, SLICE("type"), type);
	if (which == DUR_UNION)
		put_tags(w, open_text(v, v->tags));
	else
		put_others(d, line, v);
	put_end(w, line);
}

/* The name of the difference of two values. */
struct delta {
	struct slice measure, mid, unit, type;
};

struct slice
dur_next_part(struct slice *what)
{
	const char *tab = memchr(what->p, '\t', what->len);
	struct slice part = { what->p, tab == NULL ? what->len : (size_t)(tab - what->p) };

	what->p += part.len + (tab != NULL);
	what->len -= part.len + (tab != NULL);
	return part;
}

/* Writes a name and ".delta", escaped.  Returns false when memory runs out. */
static bool
put_grown(struct buf *b, struct slice name)
{
	if (short_eq(name, SLICE("\\.")))
		name = SLICE(".");
	return buf_put(b, name.p, name.len) && buf_put(b, ".delta", 6);
}

static bool
is_integer_type(struct slice type)
{
	size_t skip = type.len != 0 && type.p[0] == 'u';

	return type.len >= skip + 3 && memcmp(type.p + skip, "int", 3) == 0;
}

/* Returns the type of the values, if it can hold the difference as well. */
static struct slice
type_of_delta(struct slice type, struct slice value)
{
	if (!is_integer_type(type))
		return type;
	return num_is_integer(value) ? type_of_integer(value) : SLICE("double");
}

/*
 * Returns the unit of a delta.  If neither start nor stop has a unit, this is the unit in the
 * measure line, if any.  It is "." if there is none, but the measure line of the delta has one.
 */
static struct slice
unit_of_delta(struct duration *d, uint32_t run, struct slice measure, struct slice unit)
{
	struct slice id = d->runs.item[run];

	if (unit.len == 0)
		unit = units_said(&d->units, id, measure);
	if (slice_is_nothing(unit) &&
	    slice_is_nothing(units_said(&d->units, id, buf_slice(&d->measure))))
		return SLICE("");
	return unit;
}

/*
 * Makes a separate measure and id for a delta, so that values and their differences are not added
 * together.
 */
static bool
name_delta(struct duration *d, uint32_t run, struct slice what, struct slice value,
    struct delta *delta)
{
	struct slice measure = dur_next_part(&what), mid = dur_next_part(&what);
	size_t len;

	d->measure.len = 0;
	if (!put_grown(&d->measure, measure))
		return false;
	delta->unit = unit_of_delta(d, run, measure, dur_next_part(&what));
	delta->type = type_of_delta(dur_next_part(&what), value);
	len = d->measure.len;
	if (mid.len != 0 && !put_grown(&d->measure, mid))
		return false;
	delta->measure = (struct slice){ d->measure.p, len };
	delta->mid = (struct slice){ d->measure.p + len, d->measure.len - len };
	return true;
}

static void
put_tag(struct evwrite *w, struct slice key, struct slice value)
{
	if (value.len != 0)
		evw_tag_raw(w, key, value);
}

/* Like define, for a delta.  Returns false when memory runs out. */
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
	evw_column(w, d->runs.item[run]);
	evw_none(w);
	evw_column(w, delta->measure);
	evw_none(w);
	put_tag(w, SLICE("id"), delta->mid);
	put_tag(w, SLICE("type"), delta->type);
	put_tag(w, SLICE("unit"), delta->unit);
	evw_end(w);
	return units_say(&d->units, d->runs.item[run], delta->measure,
	    delta->unit.len == 0 ? SLICE(".") : delta->unit);
}

bool
dur_span_delta(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct slice what, struct slice value)
{
	struct slice label = open_text(v, v->label);
	struct evwrite *w = d->w;
	struct delta delta;

	if (!name_delta(d, line->run, what, value, &delta) ||
	    !define_delta(d, line->run, what, &delta))
		return false;
	put_columns(d, line, label.len <= DUR_STACK_MAX ? label : SLICE("."), delta.measure, value);
	if (label.len > DUR_STACK_MAX) {
		dur_exceed(d, DUR_LONG_DELTA);
		evw_name_omitted(w, SLICE("column"));
	}
	put_head(d, v);
	put_stack(d, v);
	put_tag(w, SLICE("mid"), delta.mid);
	put_tag(w, SLICE("unit"), delta.unit);
	put_tag(w, SLICE("type"), delta.type);
	put_others_of_delta(d, line, v);
	put_end(w, line);
	return true;
}
