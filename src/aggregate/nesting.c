/* SPDX-License-Identifier: ISC */
/* nesting.c - whether a group adds up durations that contain each other. */
#include "src/aggregate/nesting.h"

#define SEEN_MAX ((size_t)65536) /* texts that are remembered */

/* What the texts in seen begin with; they end with a stack. */
#define REGION 'r' /* that of a line */
#define AROUND 'a' /* that of a region around it */

void
nesting_free(struct nesting *n)
{
	tab_free(&n->seen);
	buf_free(&n->text);
}

bool
nesting_is_possible(const struct grouping *by)
{
	static const struct slice tells[] = { SLICE_INIT("stack"), SLICE_INIT("frame"),
		SLICE_INIT("leaf") };
	size_t i, t;

	for (i = 0; i < by->nkeys; i++) {
		if (by->key[i].column == EV_REGION || by->key[i].source == KEY_NEIGHBOUR)
			return false;
		for (t = 0; t < sizeof tells / sizeof tells[0]; t++)
			if (slice_eq(by->key[i].tag, tells[t]) && by->key[i].source != KEY_STACK)
				return false;
	}
	return true;
}

static bool
add_field(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/* Makes the text begin with the group, whose runs do not contain each other. */
static bool
begin_text(struct nesting *n, const struct grouping *by, const struct ev *ev,
    const struct slice *tag)
{
	size_t i;

	n->text.len = 0;
	if (!buf_putc(&n->text, REGION) || !add_field(&n->text, ev->col[EV_MEASURE]) ||
	    !add_field(&n->text, ev->col[EV_RUN]))
		return false;
	for (i = 0; i < by->nkeys; i++)
		if (!add_field(&n->text, grouping_text(ev, tag, by->place[i])))
			return false;
	return true;
}

/* Adds a text of the same group, or returns TAB_NONE if memory runs out. */
static size_t
add_text(struct nesting *n, char as, size_t group, struct slice stack, bool *fresh)
{
	n->text.len = group;
	n->text.p[0] = as;
	return add_field(&n->text, stack) ? tab_add(&n->seen, buf_slice(&n->text), fresh)
					  : TAB_NONE;
}

/* Sets found if the last text is also there with AS. */
static void
look_for(struct nesting *n, char as)
{
	n->text.p[0] = as;
	n->found = n->found || tab_find(&n->seen, buf_slice(&n->text)) != TAB_NONE;
}

bool
nesting_see(struct nesting *n, const struct grouping *by, const struct ev *ev,
    const struct slice *tag)
{
	struct slice stack, rest, element;
	size_t group;
	bool fresh;

	if (!ev_is_nested_measure(ev->col[EV_MEASURE]) || !ev_tag(ev, SLICE("stack"), &stack))
		return true;
	if (!begin_text(n, by, ev, tag))
		return false;
	group = n->text.len;
	if (add_text(n, REGION, group, stack, &fresh) == TAB_NONE)
		return false;
	look_for(n, AROUND);
	rest = stack;
	while (fresh && ev_next_element(&rest, &element) && rest.p != NULL) {
		struct slice outer = { stack.p, (size_t)(element.p + element.len - stack.p) };

		if (add_text(n, AROUND, group, outer, NULL) == TAB_NONE)
			return false;
		look_for(n, REGION);
	}
	n->watching = !n->found && n->seen.count < SEEN_MAX;
	return true;
}

bool
nesting_join(struct nesting *n, const struct nesting *from)
{
	size_t i;

	n->found = n->found || from->found;
	for (i = 0; !n->found && i < from->seen.count; i++) {
		struct slice text = from->seen.item[i];

		n->text.len = 0;
		if (!buf_put(&n->text, text.p, text.len) ||
		    tab_add(&n->seen, text, NULL) == TAB_NONE)
			return false;
		look_for(n, text.p[0] == REGION ? AROUND : REGION);
	}
	return true;
}
