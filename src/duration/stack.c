/* SPDX-License-Identifier: ISC */
/*
 * stack.c - the stack of a region as printed on its lines, within the limit.
 *
 * The run keeps the text of its outermost open regions: at most as many as a line may have, and
 * only those needed since their order last changed.
 */
#include "lib/vec.h"
#include "src/duration/durint.h"

#define CUT "[...]" /* in place of the labels left out */
#define CUT_LEN (sizeof CUT - 1)

/* The label as an element of a list. */
static bool
put_element(struct buf *b, struct slice label)
{
	for (;;) {
		const char *semicolon = memchr(label.p, ';', label.len);
		size_t n = semicolon == NULL ? label.len : (size_t)(semicolon - label.p);

		if (!buf_put(b, label.p, n))
			return false;
		if (semicolon == NULL)
			return true;
		if (!buf_put(b, "\\x3b", 4))
			return false;
		label = (struct slice){ semicolon + 1, label.len - n - 1 };
	}
}

static size_t
end_of(const struct dur_run *run, size_t labels)
{
	return labels == 0 ? 0 : run->spelled[labels - 1]->stack_len;
}

/* Spells the next region.  False when there is no memory. */
static bool
spell(struct dur_run *run, struct interval *v)
{
	size_t n = run->nspelled;

	if (!vec_room(run->spelled, n, run->spelled_cap))
		return false;
	run->stack.len = 0;
	if (n != 0) {
		run->stack.len = end_of(run, n);
		if (!buf_putc(&run->stack, ';'))
			return false;
	}
	if (!put_element(&run->stack, open_text(v, v->label)))
		return false;
	v->slot = n;
	v->stack_len = run->stack.len;
	run->spelled[run->nspelled++] = v;
	return true;
}

/* Lines have no more of it than this. */
static bool
is_enough(const struct dur_run *run, size_t labels)
{
	return run->nspelled >= labels || end_of(run, run->nspelled) > DUR_STACK_MAX;
}

static bool
is_spelled(const struct dur_run *run, const struct interval *v)
{
	return v->slot < run->nspelled && run->spelled[v->slot] == v;
}

bool
dur_spell_top(struct duration *d, struct interval *v)
{
	struct dur_run *run = &d->run[v->run];

	if (run->nspelled != v->depth || is_enough(run, d->max_stack))
		return true;
	return spell(run, v);
}

void
dur_unspell(struct dur_run *run, const struct interval *v)
{
	if (is_spelled(run, v))
		run->nspelled = v->slot;
}

/* The outermost regions, the mark of the cut, and v.  False when there is no memory. */
static bool
cut(struct duration *d, const struct interval *v)
{
	struct dur_run *run = &d->run[v->run];
	size_t labels = v->depth + 1, kept = labels < d->max_stack ? labels - 1 : d->max_stack - 1;
	struct slice last = open_text(v, v->label);
	struct buf *b = &d->cut;
	size_t len;

	d->stack = (struct dur_stack){ SLICE(""), labels };
	b->len = 0;
	if (last.len > DUR_STACK_MAX)
		return true;
	if (!put_element(b, last))
		return false;
	len = b->len;
	if (len + CUT_LEN + 2 > DUR_STACK_MAX)
		return true;
	if (kept > run->nspelled)
		kept = run->nspelled;
	while (kept != 0 && end_of(run, kept) + CUT_LEN + 2 + len > DUR_STACK_MAX)
		kept--;
	b->len = 0;
	if (!buf_put(b, run->stack.p, end_of(run, kept)) || (kept != 0 && !buf_putc(b, ';')) ||
	    !buf_put(b, CUT ";", CUT_LEN + 1) || !put_element(b, last))
		return false;
	d->stack = (struct dur_stack){ buf_slice(b), labels - 1 - kept };
	return true;
}

/* As many as a line may have, of those around v and of v.  False when there is no memory. */
static bool
spell_around(struct duration *d, const struct interval *v)
{
	struct dur_run *run = &d->run[v->run];
	struct interval *next =
	    run->nspelled == 0 ? run->bottom : run->spelled[run->nspelled - 1]->inner;
	size_t labels = v->depth + 1 < d->max_stack ? v->depth + 1 : d->max_stack;

	for (; !is_enough(run, labels); next = next->inner)
		if (!spell(run, next))
			return false;
	return true;
}

bool
dur_stack(struct duration *d, const struct interval *v)
{
	struct dur_run *run = &d->run[v->run];

	if (!is_spelled(run, v) && !spell_around(d, v))
		return false;
	if (!is_spelled(run, v) || v->stack_len > DUR_STACK_MAX)
		return cut(d, v);
	d->stack = (struct dur_stack){ { run->stack.p, v->stack_len }, 0 };
	return true;
}
