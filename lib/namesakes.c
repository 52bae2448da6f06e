/* SPDX-License-Identifier: ISC */
/* namesakes.c - whether values of several events with the same name are in the same groups. */
#include "lib/namesakes.h"

#include "lib/num.h"

bool
namesakes_are_told_by(struct slice key)
{
	static const struct slice keys[] = { SLICE_INIT("event"), SLICE_INIT("id"),
		SLICE_INIT("mid") };

	return SLICE_AMONG(key, keys);
}

void
namesakes_free(struct namesakes *n)
{
	tab_free(&n->seen);
	buf_free(&n->text);
}

static bool
add_field(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/*
 * Adds a measure of a run, and that with its event.  Until an event is found, each of the former is
 * followed by the only one of the latter.
 */
static bool
add(struct namesakes *n, struct slice measure, struct slice event)
{
	bool first, fresh;
	size_t last;

	if (tab_add(&n->seen, measure, &first) == TAB_NONE ||
	    (last = tab_add(&n->seen, event, &fresh)) == TAB_NONE)
		return false;
	n->last = n->seen.item[last];
	n->found = fresh && !first;
	n->wanted = !n->found;
	return true;
}

bool
namesakes_see(struct namesakes *n, const struct ev *ev, struct slice event)
{
	struct buf *b = &n->text;
	uint64_t number;
	size_t len;

	if (!num_get_u64(event, &number)) /* it is of another program */
		return true;
	b->len = 0;
	if (!add_field(b, ev->col[EV_RUN]) || !add_field(b, ev->col[EV_MEASURE]))
		return false;
	len = b->len;
	if (!add_field(b, event))
		return false;
	return slice_eq(buf_slice(b), n->last) || add(n, (struct slice){ b->p, len }, buf_slice(b));
}

bool
namesakes_look(struct namesakes *n, const struct ev *ev)
{
	struct slice event;

	return n->found || !ev_tag(ev, SLICE("event"), &event) || namesakes_see(n, ev, event);
}

bool
namesakes_next(const struct namesakes *n, size_t *at, struct slice *run, struct slice *measure,
    struct slice *event)
{
	struct slice text;

	if (n->found || *at + 1 >= n->seen.count)
		return false;
	text = n->seen.item[*at + 1]; /* a TAB comes before each of the three */
	*at += 2;
	text = (struct slice){ text.p + 1, text.len - 1 };
	return slice_cut(&text, '\t', run) && slice_cut(&text, '\t', measure) &&
	    slice_cut(&text, '\t', event);
}

bool
namesakes_join(struct namesakes *n, const struct namesakes *from)
{
	size_t i;

	if (from->found) {
		n->found = true;
		n->wanted = false;
	}
	for (i = 0; n->wanted && i + 1 < from->seen.count; i += 2)
		if (!add(n, from->seen.item[i], from->seen.item[i + 1]))
			return false;
	return true;
}
