/* SPDX-License-Identifier: ISC */
/* region.c - nested regions, and the stacks of their labels. */
#include <inttypes.h>

#include "lib/esc.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/duration/durint.h"

#define CUT "[...]" /* replaces the omitted labels */
#define CUT_LEN (sizeof CUT - 1)

static size_t
end_of(const struct dur_run *run, size_t labels)
{
	return labels == 0 ? 0 : run->stacked[labels - 1]->stack_len;
}

/* Appends the label of the next region to the run's stack.  Returns false when memory runs out. */
static bool
push_label(struct dur_run *run, struct interval *v)
{
	size_t n = run->nstacked;

	if (!vec_room(run->stacked, n, run->stacked_cap))
		return false;
	run->stack.len = 0;
	if (n != 0) {
		run->stack.len = end_of(run, n);
		if (!buf_putc(&run->stack, ';'))
			return false;
	}
	if (!esc_append_column(&run->stack, open_text(v, v->label)))
		return false;
	v->slot = n;
	v->stack_len = run->stack.len;
	run->stacked[run->nstacked++] = v;
	return true;
}

/* Returns whether the stack has enough labels.  Lines never contain more labels than that. */
static bool
is_enough(const struct dur_run *run, size_t labels)
{
	return run->nstacked >= labels || end_of(run, run->nstacked) > DUR_STACK_MAX;
}

static bool
is_stacked(const struct dur_run *run, const struct interval *v)
{
	return v->slot < run->nstacked && run->stacked[v->slot] == v;
}

/* Appends a region that is now the innermost, if all regions around it are in the stack. */
static bool
dur_push_top(struct duration *d, struct interval *v)
{
	struct dur_run *run = &d->run[v->run];

	if (run->nstacked != v->depth || is_enough(run, d->max_stack))
		return true;
	return push_label(run, v);
}

/*
 * Removes this region and the regions inside it from the stack, since the order of the open regions
 * changes there.
 */
static void
dur_unstack(struct dur_run *run, const struct interval *v)
{
	if (is_stacked(run, v))
		run->nstacked = v->slot;
}

/*
 * Makes a shortened stack of the outermost regions, the mark CUT, and v.  Returns false when memory
 * runs out.
 */
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
	if (!esc_append_column(b, last))
		return false;
	len = b->len;
	if (len + CUT_LEN + 2 > DUR_STACK_MAX)
		return true;
	if (kept > run->nstacked)
		kept = run->nstacked;
	while (kept != 0 && end_of(run, kept) + CUT_LEN + 2 + len > DUR_STACK_MAX)
		kept--;
	b->len = 0;
	if (!buf_put(b, run->stack.p, end_of(run, kept)) || (kept != 0 && !buf_putc(b, ';')) ||
	    !buf_put(b, CUT ";", CUT_LEN + 1) || !esc_append_column(b, last))
		return false;
	d->stack = (struct dur_stack){ buf_slice(b), labels - 1 - kept };
	return true;
}

/*
 * Appends the regions around v and v itself, up to the number that a line may have.  Returns false
 * when memory runs out.
 */
static bool
push_around(struct duration *d, const struct interval *v)
{
	struct dur_run *run = &d->run[v->run];
	struct interval *next =
	    run->nstacked == 0 ? run->bottom : run->stacked[run->nstacked - 1]->inner;
	size_t labels = v->depth + 1 < d->max_stack ? v->depth + 1 : d->max_stack;

	for (; !is_enough(run, labels); next = next->inner)
		if (!push_label(run, next))
			return false;
	return true;
}

/*
 * Sets d->stack to the stack of an open region of known depth.  Returns false when memory runs out.
 */
static bool
dur_stack(struct duration *d, const struct interval *v)
{
	struct dur_run *run = &d->run[v->run];

	if (!is_stacked(run, v) && !push_around(d, v))
		return false;
	if (!is_stacked(run, v) || v->stack_len > DUR_STACK_MAX)
		return cut(d, v);
	d->stack = (struct dur_stack){ { run->stack.p, v->stack_len }, 0 };
	return true;
}

static uint64_t
around_of(const struct interval *v)
{
	return v->around == NULL ? 0 : v->around->order + 1;
}

/* Adds the depth and parent tags to the head, which is at the end of the text. */
static bool
put_place(struct interval *v)
{
	char digits[NUM_MAX];
	struct slice parent =
	    v->around == NULL ? SLICE(".") : open_text(v->around, v->around->label);
	bool ok = buf_put(&v->text, "\tdepth=", 7) &&
	    buf_put(&v->text, digits, num_put_u64(digits, v->depth));

	v->unplaced = v->head.len;
	v->told_depth = v->depth;
	v->told_around = around_of(v);
	v->lacks_parent = parent.len > DUR_PARENT_MAX;
	if (!v->lacks_parent)
		ok = ok && buf_put(&v->text, "\tparent=", 8) &&
		    buf_put(&v->text, parent.p, parent.len);
	v->head.len = v->text.len - v->head.at;
	return ok;
}

/* Makes the head again, with its current place. */
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

/*
 * Inserts v between two neighbours in the run.  BELOW is the outer neighbour, or NULL if v becomes
 * the outermost region.
 */
static void
put_above(struct dur_run *run, struct interval *v, struct interval *below)
{
	v->around = below;
	v->inner = below == NULL ? run->bottom : below->inner;
	if (v->inner != NULL)
		dur_unstack(run, v->inner);
	*(below == NULL ? &run->bottom : &below->inner) = v;
	*(v->inner == NULL ? &run->top : &v->inner->around) = v;
}

/*
 * Removes v from the run.  Regions inside it are now inside the region around it.  v itself keeps
 * its neighbours.
 */
static void
take_out(struct dur_run *run, const struct interval *v)
{
	dur_unstack(run, v);
	if (run->fresh == v)
		run->fresh = v->inner;
	*(v->around == NULL ? &run->bottom : &v->around->inner) = v->inner;
	*(v->inner == NULL ? &run->top : &v->inner->around) = v->around;
}

static bool
push(struct duration *d, struct interval *v)
{
	struct dur_run *run = &d->run[v->run];

	put_above(run, v, run->top);
	v->depth = run->regions++;
	if (run->nfresh++ == 0)
		run->fresh = v;
	return put_place(v) && dur_push_top(d, v) && open_enter(&d->open, v);
}

static inline void
drop(struct dur_run *run, const struct interval *v)
{
	take_out(run, v);
	run->regions--;
	run->nfresh -= wide_cmp(v->start, run->now) == 0;
}

/* Returns the innermost region if it has the name of the line, or NULL. */
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
 * Returns the open region that the line stops, or NULL.  Among regions without an id this is the
 * innermost one with the label or, for a line without a label, the innermost one.
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

	if (v != NULL)
		return dur_start_again(d, line, v, e);
	v = dur_begin(d, line);
	if (v == NULL || !push(d, v) || !dur_snap_start(d, line, v) || !dur_group_begin(d, line, v))
		return err_nomem(e);
	return 0;
}

/*
 * Omits a region that crosses another one.  Regions inside it are now inside the region around it.
 */
static void
leave_out(struct duration *d, struct dur_run *run, struct interval *v)
{
	struct interval *around = v->around;

	(void)wide_add(around->inside, v->inside, &around->inside);
	(void)wide_add(around->inside_paused, v->inside_paused, &around->inside_paused);
	drop(run, v);
	v->snaps = 0; /* the error about the region is enough */
	open_leave(&d->open, v);
	open_give(&d->open, v);
}

/*
 * Moves v inside UPPER.  UPPER, and the regions between it and v, began with v and stop later, so v
 * is inside them, and regions that have stopped inside them are inside v.
 */
static void
raise_region(struct dur_run *run, struct interval *upper, struct interval *v)
{
	take_out(run, v);
	put_above(run, v, upper);
	(void)wide_add(v->inside, upper->inside, &v->inside);
	(void)wide_add(v->inside_paused, upper->inside_paused, &v->inside_paused);
	upper->inside = upper->inside_paused = (struct wide){ 0, 0 };
}

/*
 * Returns the innermost region that began before v stops.  Any regions that began later come after
 * v.
 */
static struct interval *
upper_of(const struct dur_run *run, const struct interval *v, struct wide time)
{
	return run->fresh == NULL || wide_cmp(v->start, time) == 0 ? run->top : run->fresh->around;
}

/*
 * Omits the regions that cross v, from UPPER, the innermost of them, outwards to the regions that
 * began with v.  Returns ERR_DATA.
 */
static int
leave_out_crossing(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct interval *upper, struct err *e)
{
	struct dur_run *run = &d->run[line->run];
	char outer[DUR_SHOWN_MAX], inner[DUR_SHOWN_MAX];
	uint64_t at = upper->line;
	size_t n = 0;

	(void)dur_describe_open(outer, v);
	(void)dur_describe_open(inner, upper);
	for (; wide_cmp(v->start, upper->start) < 0; n++) {
		struct interval *around = upper->around;

		leave_out(d, run, upper);
		upper = around;
	}
	if (n == 1)
		return err_line(e, line->ev->number,
		    "stop of %.90s while %.90s of line %" PRIu64 " is open: the latter is left out",
		    outer, inner, at);
	return err_line(e, line->ev->number,
	    "stop of %.70s while %zu regions in it are open: they are left out, "
	    "%.70s of line %" PRIu64 " first",
	    outer, n, inner, at);
}

static int
stop(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e)
{
	struct dur_run *run = &d->run[line->run];
	struct wide elapsed = wide_sub(line->time, v->start), paused = dur_paused(d, line, v);
	struct interval *around = v->around;

	if (!dur_stack(d, v))
		return err_nomem(e);
	dur_span(d, line, v, DUR_INCLUSIVE, elapsed, paused);
	dur_span(d, line, v, DUR_SELF, wide_sub(elapsed, v->inside),
	    wide_sub(paused, v->inside_paused));
	if (around != NULL) {
		(void)wide_add(around->inside, elapsed, &around->inside);
		(void)wide_add(around->inside_paused, paused, &around->inside_paused);
		d->guests +=
		    dur_are_strangers(open_text(around, around->tags), open_text(v, v->tags));
	}
	drop(run, v);
	return dur_end(d, line, v, e);
}

int
dur_region_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = find(d, line), *upper;
	struct dur_run *run = &d->run[line->run];
	char text[DUR_SHOWN_MAX];
	struct err crossed;
	bool crosses;
	int rc = 0;

	if (v == NULL)
		return err_line(e, line->ev->number, "stop of %s, which is not open",
		    dur_describe(text, line));
	upper = upper_of(run, v, line->time);
	crosses = upper != v && wide_cmp(v->start, upper->start) != 0;
	if ((crosses || v->late) && dur_may_wait(d))
		return dur_wait(d, line, v, e);
	if (crosses) {
		rc = leave_out_crossing(d, line, v, upper, &crossed);
		upper = upper_of(run, v, line->time);
	}
	if (upper != v)
		raise_region(run, upper, v);
	v->depth = run->regions - 1;
	if (v != run->top)
		v->depth -= run->nfresh;
	if ((v->told_depth != v->depth || v->told_around != around_of(v)) && !put_new_place(v))
		return err_nomem(e);
	if (stop(d, line, v, e) != 0)
		return e->code;
	if (rc != 0)
		*e = crossed;
	return rc;
}
