/* SPDX-License-Identifier: ISC */
/* stack.c - the stack of a region as its lines have it: no more of it than is allowed. */
#include "src/duration/durint.h"

#define CUT "[...]" /* in the place of the labels that are left out */
#define CUT_LEN (sizeof CUT - 1)

/* The first labels of the stack, *n of them, or fewer where these are longer than max. */
static size_t
first_labels(struct slice stack, size_t *n, size_t max)
{
	size_t found = 0, len = 0;

	while (found < *n) {
		const char *from = stack.p + len + (found != 0), *end = stack.p + stack.len;
		const char *semicolon = memchr(from, ';', (size_t)(end - from));
		size_t next = (size_t)((semicolon == NULL ? end : semicolon) - stack.p);

		if (next > max)
			break;
		len = next;
		found++;
	}
	*n = found;
	return len;
}

static struct slice
last_label(struct slice stack)
{
	size_t n = 0;

	while (n < stack.len && stack.p[stack.len - n - 1] != ';')
		n++;
	return (struct slice){ stack.p + stack.len - n, n };
}

bool
dur_stack(struct duration *d, const struct interval *v, struct dur_stack *s)
{
	struct slice all = { d->run[v->run].stack.p, v->stack_len }, last;
	size_t labels = v->depth + 1, kept, len;
	struct buf *b = &d->stack;

	*s = (struct dur_stack){ .text = all };
	if (labels <= d->max_stack && all.len <= DUR_STACK_MAX)
		return true;
	last = last_label(all);
	s->text = SLICE("");
	s->cut = labels;
	if (last.len + CUT_LEN + 2 > DUR_STACK_MAX)
		return true;
	kept = (labels <= d->max_stack ? labels : d->max_stack) - 1;
	len = first_labels(all, &kept, DUR_STACK_MAX - CUT_LEN - 2 - last.len);
	b->len = 0;
	if (!buf_put(b, all.p, len) || (kept != 0 && !buf_putc(b, ';')) ||
	    !buf_put(b, CUT ";", CUT_LEN + 1) || !buf_put(b, last.p, last.len))
		return false;
	s->text = buf_slice(b);
	s->cut = labels - 1 - kept;
	return true;
}
