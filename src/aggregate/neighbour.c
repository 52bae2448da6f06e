/* SPDX-License-Identifier: ISC */
/* neighbour.c - the callers or the callees of a function anywhere in the stack. */
#include "src/aggregate/neighbour.h"

#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/short.h"

#define SHOWN_MAX 60 /* bytes of a name in a message */
#define INLINED " (perfdec --inline shows those that the compiler has inlined)"
#define SPECIAL "^.[$()|*+?{\\," /* in a regular expression, or in a list of keys */

static const struct slice none = { NULL, 0 };

void
neighbour_free(struct neighbour *n)
{
	buf_free(&n->column);
	buf_free(&n->element);
	if (n->pattern != NULL)
		pattern_free(n->pattern);
	mem_free(n->pattern);
	buf_free(&n->room);
	buf_free(&n->like);
}

int
neighbour_set(struct neighbour *n, enum neighbour_side side, struct slice function, struct err *e)
{
	n->side = side;
	return buf_put(&n->column, function.p, function.len) && buf_putc(&n->column, '\0') &&
		esc_append_column(&n->element, function)
	    ? 0
	    : err_nomem(e);
}

int
neighbour_set_pattern(struct neighbour *n, enum neighbour_side side, struct slice regex,
    struct err *e)
{
	n->side = side;
	n->pattern = mem_zero(1, sizeof *n->pattern);
	return n->pattern == NULL ? err_nomem(e) : pattern_make(n->pattern, regex, e);
}

/* Returns the function as in a column. */
static struct slice
name_of(const struct neighbour *n)
{
	return (struct slice){ n->column.p, n->pattern != NULL ? 0 : n->column.len - 1 };
}

/* Returns 1 if it is the function, otherwise 0, or -1 if memory runs out. */
static inline int
is_function(const struct neighbour *n, struct slice name, struct slice function)
{
	return n->pattern != NULL ? pattern_knows(n->pattern, name) : short_eq(name, function);
}

/* What has been found in a stack. */
struct place {
	bool there;
	size_t inner; /* elements after the outermost call */
	struct slice before, after; /* the caller and the callee of the last call looked at */
};

/*
 * Looks for the function.  ALL says whether all calls matter, not only the outermost one.  Returns
 * 0, or -1 if memory runs out.
 */
static int
find_place(const struct neighbour *n, struct slice stack, bool all, struct place *x)
{
	struct slice function = buf_slice(&n->element), element, last = none;
	bool next = false;
	int is;

	*x = (struct place){ .there = false };
	while (ev_next_element(&stack, &element)) {
		is = x->there && !all ? 0 : is_function(n, element, function);
		if (is < 0)
			return -1;
		x->inner += x->there;
		if (is != 0)
			x->before = last;
		if (is != 0 || next)
			x->after = is != 0 ? none : element;
		x->there |= is != 0;
		next = is != 0;
		last = element;
	}
	return 0;
}

int
neighbour_find(struct neighbour *n, const struct ev *ev, struct slice stack, struct slice *found)
{
	bool nested = ev_is_nested_measure(ev->col[EV_MEASURE]);
	bool callee = n->side == NEIGHBOUR_CALLEE;
	struct place x;

	*found = SLICE(".");
	if (slice_is_nothing(stack))
		return is_function(n, ev->col[EV_REGION], name_of(n));
	if (find_place(n, stack, callee && !nested, &x) != 0)
		return -1;
	if (!x.there || (nested && x.inner != callee))
		return 0;
	*found = callee ? x.after : x.before;
	if (found->p == NULL)
		*found = callee ? SLICE("[self]") : SLICE("[root]");
	else
		*found = esc_element(*found, &n->room);
	return found->p == NULL ? -1 : 1;
}

static bool
contains(struct slice s, struct slice part)
{
	size_t i;

	for (i = 0; i + part.len <= s.len; i++)
		if (memcmp(s.p + i, part.p, part.len) == 0)
			return true;
	return false;
}

void
neighbour_see_like(struct neighbour *n, struct slice stack)
{
	struct slice element;

	while (n->pattern == NULL && n->like.len == 0 && ev_next_element(&stack, &element))
		if (contains(element, buf_slice(&n->element)))
			(void)!buf_put(&n->like, element.p, element.len);
}

int
neighbour_missing(const struct neighbour *n, struct err *e)
{
	struct slice name = name_of(n), like = buf_slice(&n->like);
	const char *side = n->side == NEIGHBOUR_CALLEE ? "callee" : "caller";

	if (n->pattern != NULL)
		return err_data(e, "no stack has a function that matches '%.*s'" INLINED,
		    slice_shown(pattern_text(n->pattern), SHOWN_MAX), n->pattern->text.p);
	(void)err_data(e, "no stack has the function '%.*s'", slice_shown(name, SHOWN_MAX), name.p);
	(void)(like.len != 0 ? err_add(e, ", but %.*s", slice_shown(like, SHOWN_MAX), like.p)
			     : err_add(e, INLINED));
	if (like.len != 0 && strpbrk(name.p, SPECIAL) == NULL)
		(void)err_add(e, ", which %s~%.*s finds", side, slice_shown(name, SHOWN_MAX),
		    name.p);
	return e->code;
}

struct slice
neighbour_shown(const struct neighbour *n, char *room, size_t size)
{
	struct slice regex;
	int len;

	if (n->pattern == NULL)
		return name_of(n);
	regex = pattern_text(n->pattern);
	len = snprintf(room, size, "a function that matches '%.*s'", slice_shown(regex, SHOWN_MAX),
	    regex.p);
	return (struct slice){ room, len < 0 ? 0 : (size_t)len };
}
