/* SPDX-License-Identifier: ISC */
/* region.c - regions, which nest. */
#include <inttypes.h>

#include "lib/num.h"
#include "lib/short.h"
#include "src/duration/durint.h"

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

/* Tags depth and parent, behind the head. */
static bool
put_place(struct interval *v)
{
	char digits[NUM_MAX];
	struct slice parent =
	    v->around == NULL ? SLICE(".") : open_text(v->around, v->around->label);
	bool ok = buf_put(&v->text, "\tdepth=", 7) &&
	    buf_put(&v->text, digits, num_put_u64(digits, v->depth));

	v->unplaced = v->head.len;
	v->lacks_parent = parent.len > DUR_PARENT_MAX;
	if (!v->lacks_parent)
		ok = ok && buf_put(&v->text, "\tparent=", 8) &&
		    buf_put(&v->text, parent.p, parent.len);
	v->head.len = v->text.len - v->head.at;
	return ok;
}

/* The head once more, with the place where it is now. */
static bool
put_new_place(struct interval *v)
{
	size_t at = v->text.len;

	if (!buf_room(&v->text, v->unplaced))
		return false;
	memcpy(v->text.p + at, v->text.p + v->head.at, v->unplaced);
	v->text.len += v->unplaced;
	v->head = (struct part){ at, v->unplaced };
	return put_place(v);
}

static bool
push(struct duration *d, struct interval *v)
{
	struct dur_run *run = &d->run[v->run];

	v->around = run->top;
	v->depth = run->top == NULL ? 0 : run->top->depth + 1;
	if ((run->top != NULL && !buf_putc(&run->stack, ';')) ||
	    !put_element(&run->stack, open_text(v, v->label)) || !put_place(v))
		return false;
	v->stack_len = run->stack.len;
	run->top = v;
	return open_enter(&d->open, v);
}

static void
pop(struct dur_run *run)
{
	run->top = run->top->around;
	run->stack.len = run->top == NULL ? 0 : run->top->stack_len;
}

/* The innermost region, if it is called as the line says; else NULL. */
static struct interval *
same_top(const struct duration *d, const struct dur_line *line)
{
	struct interval *v = d->run[line->run].top;

	return v != NULL && v->kind == line->name.kind &&
		short_eq(open_text(v, v->id), line->name.id)
	    ? v
	    : NULL;
}

/*
 * The open region that the line speaks of, or NULL: of those without an id the innermost of the
 * label, or, for a line without one, the innermost of all, whatever its label.
 */
static struct interval *
find(const struct duration *d, const struct dur_line *line)
{
	struct interval *v;

	if (dur_is_anonymous(line))
		return d->run[line->run].top;
	v = same_top(d, line);
	return v != NULL ? v : open_find(&d->open, &line->name);
}

int
dur_region_start(struct duration *d, const struct dur_line *line, struct err *e)
{
	bool nameless = (line->name.kind & OPEN_NAMELESS) != 0;
	struct interval *v = nameless ? NULL : open_find(&d->open, &line->name);
	char text[DUR_SHOWN_MAX];

	if (v != NULL && dur_snap_is_more(d, line, v))
		return dur_snap_start(d, line, v) ? 0 : err_nomem(e);
	if (v != NULL)
		return err_line(e, line->ev->number,
		    "start of %s, which is open since line %" PRIu64, dur_describe(text, line),
		    v->line);
	v = dur_begin(d, line);
	if (v == NULL || !push(d, v) || !dur_snap_start(d, line, v) || !dur_group_begin(d, line, v))
		return err_nomem(e);
	return 0;
}

/* What was inside of it is inside of the region around it. */
static void
leave_out_top(struct duration *d, struct dur_run *run)
{
	struct interval *v = run->top, *around = v->around;

	(void)wide_add(around->inside, v->inside, &around->inside);
	(void)wide_add(around->inside_paused, v->inside_paused, &around->inside_paused);
	pop(run);
	dur_snap_drop(d, v);
	open_leave(&d->open, v);
	open_give(&d->open, v);
}

/* Of the stack, with what parts it from those below. */
static size_t
label_len(const struct interval *v)
{
	return v->stack_len + 1 - (v->around == NULL ? 0 : v->around->stack_len + 1);
}

/* Its label, of so many bytes, behind those as far as that end.  False without memory. */
static bool
raise_label(struct buf *stack, const struct interval *v, size_t len, size_t end)
{
	size_t behind = v->stack_len + 1, n = len - 1;

	if (!buf_room(stack, n))
		return false;
	memcpy(stack->p + stack->len, stack->p + behind - len, n);
	memmove(stack->p + behind - len, stack->p + behind, end - behind);
	stack->p[end - len] = ';';
	memcpy(stack->p + end - n, stack->p + stack->len, n);
	return true;
}

/* Those from there down to v are one region less deep; its label took so many bytes. */
static void
lower_others(struct interval *o, const struct interval *v, size_t label)
{
	for (;; o = o->around) {
		o->moved = true;
		o->depth--;
		o->stack_len -= label;
		if (o->around == v)
			break;
	}
	o->around = v->around;
}

/*
 * Those above it, up to *upper, began with it and stop later: it lies inside of them, and what has
 * stopped inside of them inside of it.  False when there is no memory.
 */
static bool
raise_region(struct dur_run *run, struct interval **upper, struct interval *v)
{
	struct interval *around = *upper;
	size_t label = label_len(v), end = around->stack_len;

	if (!raise_label(&run->stack, v, label, end))
		return false;
	lower_others(around, v, label);
	v->around = around;
	v->depth = around->depth + 1;
	v->stack_len = end;
	v->moved = true;
	(void)wide_add(v->inside, around->inside, &v->inside);
	(void)wide_add(v->inside_paused, around->inside_paused, &v->inside_paused);
	around->inside = around->inside_paused = (struct wide){ 0, 0 };
	*upper = v;
	return true;
}

/* Where the uppermost is that began before the time at which v stops: the others lie behind v. */
static struct interval **
upper_of(struct dur_run *run, const struct interval *v, struct wide time)
{
	struct interval **o = &run->top;

	while (*o != v && wide_cmp((*o)->start, time) == 0 && wide_cmp(v->start, time) != 0)
		o = &(*o)->around;
	return o;
}

/* Leaves out what is open inside of v; ERR_DATA where there was any. */
static int
close_inner(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct err *e)
{
	struct dur_run *run = &d->run[line->run];
	char outer[DUR_SHOWN_MAX], inner[DUR_SHOWN_MAX];
	size_t more = run->top->depth - v->depth;

	if (more == 0)
		return 0;
	(void)dur_describe_open(outer, v);
	(void)dur_describe_open(inner, run->top);
	if (more == 1)
		err_line(e, line->ev->number,
		    "stop of %.90s while %.90s of line %" PRIu64 " is open: that is left out",
		    outer, inner, run->top->line);
	else
		err_line(e, line->ev->number,
		    "stop of %.70s while %zu regions in it are open: they are left out, "
		    "%.70s of line %" PRIu64 " first",
		    outer, more, inner, run->top->line);
	while (run->top != v)
		leave_out_top(d, run);
	return ERR_DATA;
}

static int
stop(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e)
{
	struct dur_run *run = &d->run[line->run];
	struct wide elapsed = wide_sub(line->time, v->start), paused = { 0, 0 };
	struct interval *around = v->around;
	size_t end = v->stack_len, label = label_len(v);

	if ((d->flags & DURATION_DEDUCT) != 0)
		paused = wide_sub(pauses_until(&run->pauses, line->time), v->paused);
	dur_span(d, line, v, DUR_INCLUSIVE, elapsed, paused);
	dur_span(d, line, v, DUR_SELF, wide_sub(elapsed, v->inside),
	    wide_sub(paused, v->inside_paused));
	if (around != NULL) {
		(void)wide_add(around->inside, elapsed, &around->inside);
		(void)wide_add(around->inside_paused, paused, &around->inside_paused);
	}
	if (run->top == v)
		run->top = around;
	else
		lower_others(run->top, v, label);
	if (dur_end(d, line, v, e) != 0)
		return e->code;
	if (run->top == around) {
		run->stack.len = around == NULL ? 0 : around->stack_len;
		return 0;
	}
	memmove(run->stack.p + end + 1 - label, run->stack.p + end + 1, run->stack.len - end - 1);
	run->stack.len -= label;
	return 0;
}

int
dur_region_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = find(d, line), **upper;
	struct dur_run *run = &d->run[line->run];
	char text[DUR_SHOWN_MAX];
	struct err crossed;
	int rc = 0;

	if (v == NULL)
		return err_line(e, line->ev->number, "stop of %s, which is not open",
		    dur_describe(text, line));
	upper = upper_of(run, v, line->time);
	if (*upper != v && wide_cmp(v->start, (*upper)->start) == 0 && !raise_region(run, upper, v))
		return err_nomem(e);
	if (v->moved && !put_new_place(v))
		return err_nomem(e);
	if (*upper != v)
		rc = close_inner(d, line, v, &crossed);
	if (stop(d, line, v, e) != 0)
		return e->code;
	if (rc != 0)
		*e = crossed;
	return rc;
}
