/* SPDX-License-Identifier: ISC */
/* frames.c - lines with only some of the frames of their stacks. */
#include "src/select/frames.h"

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"

static const struct slice none = SLICE_INIT("[none]");

/* What a tag describes, which decides whether a line keeps it. */
enum about {
	ABOUT_EVENT, /* anything else: it stays */
	ABOUT_STACK,
	ABOUT_LINES, /* a list like the stack */
	ABOUT_LEAF, /* the innermost frame */
	ABOUT_ALL, /* all frames, or their places */
};

static const struct {
	struct slice key;
	enum about about;
} described[] = {
	{ SLICE_INIT("ip"), ABOUT_LEAF },
	{ SLICE_INIT("dso"), ABOUT_LEAF },
	{ SLICE_INIT("forced"), ABOUT_LEAF },
	{ SLICE_INIT("symoff"), ABOUT_LEAF },
	{ SLICE_INIT("line"), ABOUT_LEAF },
	{ SLICE_INIT("stack"), ABOUT_STACK },
	{ SLICE_INIT("lines"), ABOUT_LINES },
	{ SLICE_INIT("place"), ABOUT_ALL },
	{ SLICE_INIT("frames"), ABOUT_ALL },
	{ SLICE_INIT("inlined"), ABOUT_ALL },
	{ SLICE_INIT("depth"), ABOUT_ALL },
	{ SLICE_INIT("parent"), ABOUT_ALL },
};

int
frames_set(struct frames *f, enum frames_which which, const char *regex, struct err *e)
{
	f->which = which;
	return pattern_make(&f->pattern, slice_of(regex), e);
}

void
frames_free(struct frames *f)
{
	pattern_free(&f->pattern);
	mem_free(f->frame);
	buf_free(&f->region);
}

static bool
is_mark(struct slice name)
{
	return name.len != 0 && name.p[0] == '[' &&
	    (short_eq(name, SLICE("[truncated]")) || short_eq(name, SLICE("[...]")));
}

/* Returns 1 if the frame stays, otherwise 0, or -1 if memory runs out. */
static inline int
stays(struct frames *f, struct slice name)
{
	int rc = pattern_knows(&f->pattern, name);

	return rc < 0 ? -1 : (rc != 0) == (f->which == FRAMES_MATCHING);
}

/* Finds the frames that are left.  *some is set if one of them is no mark, and has a name. */
static int
choose(struct frames *f, struct slice stack, bool *some, struct err *e)
{
	struct slice name;
	int rc;

	*some = f->leaf = false;
	for (f->count = f->all = 0; ev_next_element(&stack, &name); f->all++) {
		bool mark = is_mark(name);

		rc = mark ? 1 : stays(f, name);
		if (rc < 0 || (rc != 0 && !vec_room(f->frame, f->count, f->cap)))
			return err_nomem(e);
		f->leaf = rc != 0 && !mark;
		*some |= rc != 0 && !mark && name.len != 0;
		if (rc != 0)
			f->frame[f->count++] = (struct frame){ name, f->all };
	}
	f->leaf = f->leaf && *some;
	return 0;
}

static enum about
about_of(struct slice tag, struct slice *value)
{
	size_t i;

	for (i = 0; i < sizeof described / sizeof described[0]; i++) {
		size_t n = described[i].key.len;

		if (tag.len <= n || tag.p[n] != '=' || memcmp(tag.p, described[i].key.p, n) != 0)
			continue;
		*value = (struct slice){ tag.p + n + 1, tag.len - n - 1 };
		return described[i].about;
	}
	return ABOUT_EVENT;
}

static void
put_stack(const struct frames *f, struct evwrite *w, bool some)
{
	size_t i;

	evw_tag_begin(w, SLICE("stack"));
	for (i = 0; i < f->count; i++) {
		if (i != 0)
			evw_bytes(w, ";", 1);
		evw_bytes(w, f->frame[i].name.p, f->frame[i].name.len);
	}
	if (!some && f->count != 0)
		evw_bytes(w, ";", 1);
	if (!some)
		evw_bytes(w, none.p, none.len);
	evw_tag_end(w, SLICE("stack"));
}

/* Writes the elements of a list like the stack that belong to the frames left. */
static void
put_lines(const struct frames *f, struct evwrite *w, struct slice list, bool some)
{
	struct slice element;
	size_t i = 0, n = 0;

	if (ev_count_elements(list) != f->all)
		return;
	evw_tag_begin(w, SLICE("lines"));
	for (; ev_next_element(&list, &element); i++) {
		if (n == f->count || f->frame[n].index != i)
			continue;
		if (n++ != 0)
			evw_bytes(w, ";", 1);
		evw_bytes(w, element.p, element.len);
	}
	if (!some && n != 0)
		evw_bytes(w, ";", 1);
	if (!some)
		evw_bytes(w, "?", 1);
	evw_tag_end(w, SLICE("lines"));
}

static void
put_tags(const struct frames *f, const struct ev *ev, struct evwrite *w, bool some)
{
	struct slice tag, value;
	size_t i;

	for (i = 0; i < ev->ntags; i++) {
		tag = ev_tag_at(ev, i);
		switch (about_of(tag, &value)) {
		case ABOUT_EVENT: evw_raw(w, tag); break;
		case ABOUT_STACK: put_stack(f, w, some); break;
		case ABOUT_LINES: put_lines(f, w, value, some); break;
		case ABOUT_LEAF:
			if (f->leaf)
				evw_raw(w, tag);
			break;
		case ABOUT_ALL: break;
		}
	}
}

/*
 * Returns whether the region of a line with a stack is the uid of a Perun resource.  It names a
 * function more closely than the frames do, so the function would have two names: this one in lines
 * that keep their innermost frame, and that of its frame in all others.
 */
static bool
is_uid(const struct ev *ev)
{
	struct slice json;

	return ev_tag(ev, SLICE("json"), &json);
}

/*
 * Returns the region: the last frame that is left and is no mark, of which there is one if SOME is
 * set.  p is NULL if memory runs out.
 */
static struct slice
find_region(struct frames *f, const struct ev *ev, bool some)
{
	size_t i = f->count;

	if (!some)
		return none;
	if (f->leaf && !is_uid(ev))
		return ev->col[EV_REGION];
	while (is_mark(f->frame[i - 1].name))
		i--;
	return f->frame[i - 1].name.len == 0 ? SLICE(".")
					     : esc_element(f->frame[i - 1].name, &f->region);
}

/* Writes a line of which some frame is not left, or whose region is not its last frame. */
static int
write_changed(struct frames *f, const struct ev *ev, struct evwrite *w, bool some, struct err *e)
{
	struct slice region = find_region(f, ev, some);

	if (region.p == NULL)
		return err_nomem(e);
	evw_begin(w, ev->col[EV_KIND]);
	evw_raw(w, ev->col[EV_TIME]);
	evw_raw(w, ev->col[EV_RUN]);
	evw_column(w, region);
	evw_raw(w, ev->col[EV_MEASURE]);
	evw_raw(w, ev->col[EV_VALUE]);
	put_tags(f, ev, w, some);
	evw_end_line(w);
	f->resources += (!some || f->count < f->all) && is_uid(ev);
	return 0;
}

/* Returns true if the region of a line without a stack is its only frame. */
static bool
is_frame(const struct ev *ev)
{
	struct slice kind = ev->col[EV_KIND];

	return !slice_is_nothing(ev->col[EV_REGION]) &&
	    (slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span")));
}

/* Does what choose does for a line without a stack. */
static int
choose_region(struct frames *f, const struct ev *ev, bool *some, struct err *e)
{
	int rc = stays(f, ev->col[EV_REGION]);

	f->count = f->all = 0; /* elements of lines= belong to no frame */
	f->leaf = *some = rc > 0;
	return rc < 0 ? err_nomem(e) : 0;
}

int
frames_write(struct frames *f, const struct ev *ev, struct evwrite *w, struct err *e)
{
	struct slice stack;
	bool some, listed = ev_tag(ev, SLICE("stack"), &stack) && !slice_is_nothing(stack);

	if (!listed && !is_frame(ev)) {
		evw_line(w, ev->text);
		return 0;
	}
	if ((listed ? choose(f, stack, &some, e) : choose_region(f, ev, &some, e)) != 0)
		return (int)e->code;
	if (!f->leaf && ev_is_nested_measure(ev->col[EV_MEASURE])) {
		f->nested++;
		return 0;
	}
	f->lines++;
	f->none += !some;
	if (!some || (listed && (f->count != f->all || is_uid(ev))))
		return write_changed(f, ev, w, some, e);
	evw_line(w, ev->text);
	return 0;
}
