/* SPDX-License-Identifier: ISC */
/* section.c - sections, whose intervals may overlap, and intervals of a run. */
#include "src/duration/durint.h"

static struct open_name
union_name(const struct dur_line *line)
{
	return (struct open_name){ (line->name.kind & ~(unsigned)OPEN_SCOPE) | OPEN_UNION,
		line->run, line->name.id, SLICE("") };
}

/* Opens the section, unless it is open already. */
static struct interval *
open_union(struct duration *d, const struct dur_line *line)
{
	struct dur_line of = *line;
	struct interval *u;

	of.name = union_name(line);
	of.others = SLICE("");
	u = open_find(&d->open, &of.name);
	if (u != NULL)
		return u;
	u = dur_begin(d, &of);
	if (u == NULL)
		return NULL;
	u->open = false;
	return open_enter(&d->open, u) ? u : NULL;
}

int
dur_section_start(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = open_find(&d->open, &line->name), *u = NULL;

	if (v != NULL)
		return dur_start_again(d, line, v, e);
	if ((line->name.kind & OPEN_SCOPE) == OPEN_SECTION) {
		u = open_union(d, line);
		if (u == NULL)
			return err_nomem(e);
		u->open_intervals++;
	}
	v = dur_begin(d, line);
	if (v == NULL || !open_enter(&d->open, v) || !dur_snap_start(d, line, v) ||
	    !dur_group_begin(d, line, v))
		return err_nomem(e);
	v->around = u;
	return 0;
}

static void
put(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which)
{
	dur_span(d, line, v, which, wide_sub(line->time, v->start), dur_paused(d, line, v));
}

int
dur_section_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = open_find(&d->open, &line->name), *u;
	char text[DUR_SHOWN_MAX];

	if (v == NULL)
		return err_line(e, line->ev->number, "stop of %s, which is not open",
		    dur_describe(text, line));
	u = v->around;
	put(d, line, v, DUR_INCLUSIVE);
	if (dur_end(d, line, v, e) != 0)
		return e->code;
	if (u == NULL || --u->open_intervals != 0)
		return 0;
	put(d, line, u, DUR_UNION);
	open_leave(&d->open, u);
	open_give(&d->open, u);
	return 0;
}
