/* SPDX-License-Identifier: ISC */
/* duration.c - turns start and stop lines into spans. */
#include "src/duration/duration.h"

#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/duration/durint.h"

#define NO_RUN UINT32_MAX

struct duration *
duration_new(struct evwrite *w, unsigned flags)
{
	struct duration *d = mem_zero(1, sizeof *d);

	if (d != NULL) {
		d->w = w;
		d->flags = flags;
		d->max_stack = DURATION_MAX_STACK;
	}
	return d;
}

void
duration_set_max_stack(struct duration *d, size_t labels)
{
	d->max_stack = labels;
}

void
duration_free(struct duration *d)
{
	size_t i;

	if (d == NULL)
		return;
	for (i = 0; i < d->runs.count && i < d->runs_cap; i++) {
		buf_free(&d->run[i].stack);
		mem_free(d->run[i].spelled);
		pauses_free(&d->run[i].pauses);
		mem_free(d->run[i].group.what);
	}
	mem_free(d->run);
	tab_free(&d->runs);
	open_free(&d->open);
	buf_free(&d->others);
	buf_free(&d->tags);
	buf_free(&d->cut);
	buf_free(&d->what);
	buf_free(&d->value);
	buf_free(&d->measure);
	buf_free(&d->key);
	tab_free(&d->deltas);
	units_free(&d->units);
	mem_free(d->unfinished);
	mem_free(d);
}

/* The run's number; NO_RUN when there is no memory. */
static uint32_t
run_of(struct duration *d, struct slice name)
{
	size_t n;
	bool fresh;

	if (d->runs.count != 0 && short_eq(name, d->last_run))
		return d->last;
	n = tab_add(&d->runs, name, &fresh);
	if (n == TAB_NONE)
		return NO_RUN;
	if (!vec_room(d->run, n, d->runs_cap))
		return NO_RUN;
	if (fresh)
		d->run[n] = (struct dur_run){ .top = NULL };
	d->last_run = d->runs.item[n];
	d->last = (uint32_t)n;
	return d->last;
}

static int
at_line(const struct dur_line *line, struct err *e)
{
	return err_at_line(e, line->ev->number);
}

static int
read_line(struct duration *d, const struct ev *ev, struct dur_line *line, struct err *e)
{
	int rc;

	d->lines++;
	line->run = run_of(d, ev->col[EV_RUN]);
	if (line->run == NO_RUN)
		return err_nomem(e);
	rc = dur_words(d, ev, line, e);
	if (rc == 0)
		rc = dur_time(ev->col[EV_TIME], "time", &line->time, e);
	return rc == ERR_DATA ? at_line(line, e) : rc;
}

static int
read_pause(struct duration *d, const struct ev *ev, struct dur_line *line, struct wide *start,
    struct err *e)
{
	int rc = read_line(d, ev, line, e);

	if (rc != 0)
		return rc;
	if (line->start.len == 0)
		return err_line(e, ev->number, "pause without start=");
	if (dur_time(line->start, "start", start, e) != 0)
		return at_line(line, e);
	if (wide_cmp(*start, line->time) > 0)
		return err_line(e, ev->number, "pause that ends before it starts");
	return 0;
}

int
duration_foresee(struct duration *d, const struct ev *ev, struct err *e)
{
	struct dur_line line;
	struct wide start;
	int rc;

	if ((d->flags & DURATION_DEDUCT) == 0 || !short_eq(ev->col[EV_KIND], SLICE("pause")))
		return 0;
	rc = read_pause(d, ev, &line, &start, e);
	if (rc == 0 && !pauses_add(&d->run[line.run].pauses, start, line.time))
		return err_nomem(e);
	return rc == ERR_SYS ? rc : 0;
}

/* A pause is written unchanged; a damaged one deducts nothing, and its error is reported here. */
static int
take_pause(struct duration *d, const struct ev *ev, struct err *e)
{
	struct dur_line line;
	struct wide start;

	evw_line(d->w, ev->text);
	return (d->flags & DURATION_DEDUCT) != 0 ? read_pause(d, ev, &line, &start, e) : 0;
}

/* The time of a start or a stop never goes back. */
static int
go_on(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct dur_run *run = &d->run[line->run];
	int c = wide_cmp(line->time, run->now);

	if (c < 0)
		return err_line(e, line->ev->number,
		    "goes back in time: it is left out; use --sort, or sort -s -t "
		    "\"$(printf '\\t')\" -k 3,3 -k 2,2n before");
	if (c > 0) {
		run->group.v = NULL;
		run->fresh = NULL;
		run->nfresh = 0;
		dur_forget_ended(d, run);
		run->now = line->time;
	}
	return 0;
}

static bool
is_region(const struct dur_line *line)
{
	return (line->name.kind & OPEN_SCOPE) == OPEN_REGION;
}

static int
take_start(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v;
	int rc = go_on(d, line, e);

	if (rc != 0)
		return rc;
	if (dur_group_take(d, line, &v) != 0)
		return err_nomem(e);
	if (v != NULL && v->open && dur_snap_is_more(d, line, v))
		return dur_snap_start(d, line, v) ? 0 : err_nomem(e);
	d->run[line->run].group.v = NULL;
	return is_region(line) ? dur_region_start(d, line, e) : dur_section_start(d, line, e);
}

/* The one just ended whose stop named it so; if that stop named nothing, the last one. */
static struct interval *
find_ended(const struct duration *d, const struct dur_line *line)
{
	struct open_name name = line->name;
	struct interval *v;

	name.kind |= OPEN_ENDED;
	v = dur_is_anonymous(line) ? d->run[line->run].group.v : open_find(&d->open, &name);
	return v != NULL && !v->open && dur_stopped_so(v, line) ? v : NULL;
}

static bool
is_open(const struct duration *d, const struct dur_line *line)
{
	return dur_is_anonymous(line) ? d->run[line->run].top != NULL
				      : open_find(&d->open, &line->name) != NULL;
}

/* The one ended at this time, if the line is one more value of its stop; else NULL. */
static struct interval *
ended(struct duration *d, const struct dur_line *line)
{
	struct interval *v;

	if (!dur_has_measure(line))
		return NULL;
	v = find_ended(d, line);
	if (v == NULL || dur_snap_waits(d, line, v))
		return v;
	/* with a measure that has already come the line is another stop */
	return is_open(d, line) || dur_snap_is_done(d, v) || dur_group_has(d, line, v) ? NULL : v;
}

static int
take_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v;
	int rc = go_on(d, line, e);

	if (rc != 0)
		return rc;
	if (dur_group_take(d, line, &v) != 0)
		return err_nomem(e);
	if (v != NULL && !v->open)
		return dur_snap_stop(d, line, v) ? 0 : err_nomem(e);
	v = ended(d, line);
	if (v != NULL)
		return dur_group_begin(d, line, v) && dur_snap_stop(d, line, v) ? 0 : err_nomem(e);
	d->run[line->run].group.v = NULL;
	return is_region(line) ? dur_region_stop(d, line, e) : dur_section_stop(d, line, e);
}

/* A damaged sample is not an error here: it is written unchanged. */
static int
take_sample(struct duration *d, const struct ev *ev, struct err *e)
{
	struct dur_line line;
	int rc;

	evw_line(d->w, ev->text);
	if (d->open.count == 0)
		return 0;
	rc = read_line(d, ev, &line, e);
	if (rc == ERR_DATA)
		return 0;
	if (rc == 0 && !dur_snap_sample(d, &line))
		return err_nomem(e);
	return rc;
}

static int
take_mark(struct duration *d, const char *file, const struct ev *ev,
    int (*take)(struct duration *, const struct dur_line *, struct err *), struct err *e)
{
	struct dur_line line = { .file = file };
	int rc = read_line(d, ev, &line, e);

	if ((d->flags & DURATION_KEEP) != 0)
		evw_line(d->w, ev->text);
	return rc != 0 ? rc : take(d, &line, e);
}

bool
duration_is_timed(const struct ev *ev, struct wide *time)
{
	struct slice kind = ev->col[EV_KIND];

	return (short_eq(kind, SLICE("start")) || short_eq(kind, SLICE("stop")) ||
		   short_eq(kind, SLICE("sample"))) &&
	    dur_time(ev->col[EV_TIME], "time", time, NULL) == 0;
}

int
duration_line(struct duration *d, const char *file, const struct ev *ev, struct err *e)
{
	struct slice kind = ev->col[EV_KIND];

	if (short_eq(kind, SLICE("start")))
		return take_mark(d, file, ev, take_start, e);
	if (short_eq(kind, SLICE("stop")))
		return take_mark(d, file, ev, take_stop, e);
	if (short_eq(kind, SLICE("sample")))
		return take_sample(d, ev, e);
	if (short_eq(kind, SLICE("pause")))
		return take_pause(d, ev, e);
	if (short_eq(kind, SLICE("measure")) && !units_declare(&d->units, ev))
		return err_nomem(e);
	evw_line(d->w, ev->text);
	return 0;
}
