/* SPDX-License-Identifier: ISC */
/* sides.c - from the lines of one or two streams to the trees; what the trees do not contain. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/flame/flameint.h"

bool
flame_open_sides(struct flame *f)
{
	int side;

	for (side = 0; side < FLAME_SIDES; side++) {
		f->side[side].fold = fold_new();
		if (f->side[side].fold == NULL)
			return false;
		fold_set_measures(f->side[side].fold, FOLD_EACH);
		fold_for_frames(f->side[side].fold);
	}
	return true;
}

void
flame_free_sides(struct flame *f)
{
	int side;

	for (side = 0; side < FLAME_SIDES; side++)
		fold_free(f->side[side].fold);
}

int
flame_set(struct flame *f, enum fold_setting which, const char *argument, struct err *e)
{
	int side, rc = 0;

	f->counts |= which == FOLD_COUNT;
	f->rootless |= which == FOLD_ROOT && strcmp(argument, ".") == 0;
	for (side = 0; rc == 0 && side < FLAME_SIDES; side++)
		rc = fold_set(f->side[side].fold, which, argument, e);
	return rc;
}

void
flame_reads(const struct flame *f, ev_key_sink *sink, void *ctx)
{
	fold_reads(f->side[FLAME_AFTER].fold, sink, ctx);
	if (f->time.slices == 0)
		return;
	sink(ctx, SLICE("pid"));
	sink(ctx, SLICE("tid"));
}

int
flame_line(struct flame *f, enum flame_side side, const struct ev *ev, struct err *e)
{
	struct side *s = &f->side[side];
	size_t panel, number;
	struct slice stack;
	int rc;

	if (ev_is_large_resource(ev)) {
		s->large++;
		return 0;
	}
	rc = fold_line(s->fold, ev, e);
	if (rc != 0 || f->time.slices == 0)
		return rc;
	if (slice_eq(ev->col[EV_KIND], SLICE("span")))
		return flame_span(f, ev, e);
	if (fold_used(s->fold, &panel, &number, &stack))
		return flame_moment(f, panel, number, stack, ev, e);
	return 0;
}

/* Adds a stack.  Lines of kind diff give the weights of both sides. */
static int
add_stack(struct flame *f, size_t panel, enum flame_side side, const struct folded *s,
    struct err *e)
{
	int rc;

	if (s->after.p == NULL)
		return flame_add(f, panel, side, s->stack, s->weight, s->object, e);
	if (f->two)
		return err_data(e,
		    "lines of kind diff already have two sides: --before cannot be used");
	f->compares = true;
	rc = flame_add(f, panel, FLAME_BEFORE, s->stack, s->weight, s->object, e);
	return rc != 0 ? rc : flame_add(f, panel, FLAME_AFTER, s->stack, s->after, s->object, e);
}

/* The panels of AFTER, which comes first, have the numbers of its parts. */
static int
add_side(struct flame *f, enum flame_side side, struct err *e)
{
	struct fold *fold = f->side[side].fold;
	struct slice measure, unit;
	struct folded s;
	size_t i, at, panel;
	int rc = fold_sort(fold, e);

	for (i = 0; rc == 0 && fold_part(fold, i, &measure, &unit); i++) {
		rc = flame_panel(f, side, measure, unit, &panel, e);
		for (at = 0; rc == 0 && fold_next(fold, i, &at, &s);) {
			rc = add_stack(f, panel, side, &s, e);
			if (rc == 0 && f->time.slices != 0)
				rc = flame_number(f, panel, s.number, e);
		}
	}
	return rc;
}

/* Shows first what foldenc would use. */
static void
put_in_order(struct flame *f)
{
	const struct fold *fold = f->side[FLAME_AFTER].fold;
	size_t first = fold_foremost(fold);
	struct slice measure, unit;

	if (fold_part(fold, first, &measure, &unit))
		flame_show_first(f, first);
}

int
flame_end(struct flame *f, struct err *e)
{
	int rc = add_side(f, FLAME_AFTER, e);

	if (rc == 0 && f->two)
		rc = add_side(f, FLAME_BEFORE, e);
	if (rc == 0 && f->counts)
		rc = flame_name_counts(f, e);
	if (rc == 0)
		put_in_order(f);
	if (rc == 0 && fold_missing(f->side[FLAME_AFTER].fold, e) != 0 &&
	    (!f->two || fold_missing(f->side[FLAME_BEFORE].fold, e) != 0))
		rc = e->code;
	return rc;
}

void
flame_told(struct flame *f, enum flame_side side)
{
	fold_told(f->side[side].fold);
}

bool
flame_left_out(const struct flame *f, enum flame_side side, size_t *at, char *text, size_t size)
{
	const struct side *s = &f->side[side];

	if (fold_note(s->fold, at, text, size))
		return true;
	if (*at == SIZE_MAX || s->large == 0)
		return false;
	*at = SIZE_MAX;
	snprintf(text, size, EV_LARGE_LEFT_OUT, s->large);
	return true;
}

int
flame_note_of(struct flame *f, enum flame_side side, const char *text, struct err *e)
{
	char line[640];

	snprintf(line, sizeof line, "%s%s",
	    !f->two                   ? ""
		: side == FLAME_AFTER ? "after: "
				      : "before: ",
	    text);
	return flame_note(f, line, e);
}

int
flame_note_side(struct flame *f, enum flame_side side, struct err *e)
{
	uint64_t stackless = fold_stackless(f->side[side].fold);
	char text[512];
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && flame_left_out(f, side, &at, text, sizeof text))
		rc = flame_note_of(f, side, text, e);
	if (rc != 0 || stackless == 0)
		return rc;
	snprintf(text, sizeof text,
	    "lines without a stack, whose region is their only frame: %" PRIu64, stackless);
	return flame_note_of(f, side, text, e);
}
