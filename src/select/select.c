/* SPDX-License-Identifier: ISC */
/* select.c - chooses lines by kind, time and conditions, and reports problems at the end. */
#include "src/select/select.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/select/rejected.h"
#include "src/select/window.h"

#define KINDS_MAX ((size_t)256)
#define SHOWN_MAX 60 /* bytes of a word in a message */
#define MEASURES_MAX ((size_t)256) /* that are known by name */

enum fate {
	KEEP, /* not an event */
	JUDGE,
	DROP,
};

/* What is only whole with all of its lines: which of them were left out and kept. */
struct wholes {
	struct tab name;
	uint8_t *seen; /* by number; bit 0: some were left out; bit 1: some were kept */
	size_t cap;
	bool split; /* one has both */
};

struct select {
	struct tab kinds; /* the kinds to test, escaped; if there are none, all events */
	bool seen[KINDS_MAX];
	struct window window;
	struct expr expr;
	struct frames frames;
	struct keys keys;
	struct tab measures; /* of measure lines, the first few; for messages */
	struct slice last_kind; /* of the last line, and how such lines are handled */
	char last_kind_text[32];
	enum fate last_fate;
	bool last_event;
	bool last_result; /* it is one, and was not asked for by its kind */
	bool last_pools; /* it may be one of several runs, and runs are chosen */
	/* of select_passes_on: runs with starts and stops, and the columns of a table */
	bool passes_on;
	struct wholes runs, columns;
	struct wholes *last_whole; /* which of them has lines of this kind, or NULL */
	struct wholes about; /* instead, for lines about runs and losses; it is never split */
	struct rejected rejected;
	bool pooled
	    [2]; /* some results that only their run could rule out, but are of several, are */
	struct buf column; /* scratch */
	uint64_t lines, judged, kept, untimed;
	uint64_t outside; /* lines that --time left out */
	uint64_t results; /* lines tested by time that are results, and were not asked for */
	uint64_t unchanged; /* results with functions, which select_write left as they are */
};

struct select *
select_new(void)
{
	return mem_zero(1, sizeof(struct select));
}

static void
wholes_free(struct wholes *w)
{
	tab_free(&w->name);
	mem_free(w->seen);
}

void
select_free(struct select *s)
{
	if (s == NULL)
		return;
	tab_free(&s->kinds);
	window_free(&s->window);
	expr_free(&s->expr);
	frames_free(&s->frames);
	keys_free(&s->keys);
	tab_free(&s->measures);
	wholes_free(&s->runs);
	wholes_free(&s->columns);
	rejected_free(&s->rejected);
	buf_free(&s->column);
	mem_free(s);
}

static int
add_kind(struct select *s, struct slice kind, struct err *e)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;
	bool fresh;

	if (kind.len == 0)
		return err_data(e, "an empty name");
	if (s->kinds.count == KINDS_MAX)
		return err_data(e, "more than %zu kinds", KINDS_MAX);
	if (esc_append(&b, kind.p, kind.len, ESC_COLUMN))
		n = tab_add(&s->kinds, buf_slice(&b), &fresh);
	buf_free(&b);
	return n == TAB_NONE ? err_nomem(e) : 0;
}

int
select_kinds(struct select *s, const char *list, struct err *e)
{
	for (;;) {
		size_t n = strcspn(list, ",");
		int rc = add_kind(s, (struct slice){ list, n }, e);

		if (rc != 0 || list[n] == '\0')
			return rc;
		list += n + 1;
	}
}

int
select_time(struct select *s, const char *window, struct err *e)
{
	return window_set(&s->window, window, e);
}

int
select_where(struct select *s, enum expr_join join, const char *text, struct err *e)
{
	return expr_add(&s->expr, join, slice_of(text), &s->keys, e);
}

int
select_measure(struct select *s, const char *name, struct err *e)
{
	struct buf text = { 0 };
	bool ok = buf_puts(&text, "measure=\"");
	int rc;

	for (; ok && *name != '\0'; name++)
		ok = (strchr("\"\\", *name) == NULL || buf_putc(&text, '\\')) &&
		    buf_putc(&text, *name);
	ok = ok && buf_puts(&text, "\"");
	rc = ok ? select_kinds(s, "sample", e) : err_nomem(e);
	if (rc == 0)
		rc = expr_add(&s->expr, EXPR_AND, buf_slice(&text), &s->keys, e);
	buf_free(&text);
	return rc;
}

int
select_frames(struct select *s, enum frames_which which, const char *regex, struct err *e)
{
	struct slice typed =
	    which == FRAMES_MATCHING ? SLICE("--keep-frames") : SLICE("--drop-frames");

	if (!keys_need_for(&s->keys, SLICE("stack"), typed))
		return err_nomem(e);
	return frames_set(&s->frames, which, regex, e);
}

bool
select_has_frames(const struct select *s)
{
	return s->frames.which != FRAMES_ALL;
}

void
select_passes_on(struct select *s)
{
	s->passes_on = true;
}

void
select_ready(struct select *s)
{
	expr_ready(&s->expr);
}

bool
select_tests_events(const struct select *s)
{
	return kinds_have_events(s->kinds.item, s->kinds.count);
}

void
select_reads(const struct select *s, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < s->expr.count; i++) {
		if (s->expr.condition[i].column != EV_COLUMNS)
			sink(ctx, ev_column_name(s->expr.condition[i].column));
		if (s->expr.condition[i].process)
			ev_reads(s->expr.condition[i].tag, sink, ctx);
		if (ev_is_of_run(s->expr.condition[i].tag)) /* it may be optional */
			sink(ctx, s->expr.condition[i].tag);
	}
	keys_pass(&s->keys, sink, ctx);
}

void
select_names(const struct select *s, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < s->expr.count; i++)
		sink(ctx, s->expr.condition[i].tag);
}

/* Returns what is only whole with all of its lines of this kind, or NULL. */
static struct wholes *
whole_of(struct select *s, struct slice kind)
{
	if (slice_eq(kind, SLICE("start")) || slice_eq(kind, SLICE("stop")))
		return &s->runs;
	if (slice_eq(kind, SLICE("run")) || kind_tells_loss(kind))
		return &s->about;
	return slice_eq(kind, SLICE("agg")) || slice_eq(kind, SLICE("part")) ? &s->columns : NULL;
}

/* Finds out how lines of this kind are treated. */
static HINT_APART void
judge_kind(struct select *s, struct slice name)
{
	size_t n = tab_find(&s->kinds, name);

	s->last_event = kind_is_event(name);
	s->last_result = n == TAB_NONE && kind_is_result(name);
	s->last_whole = s->passes_on ? whole_of(s, name) : NULL;
	if (n != TAB_NONE) {
		s->seen[n] = true;
		s->last_fate = JUDGE;
		s->last_event = true;
	} else if (!s->last_event) {
		s->last_fate = KEEP;
	} else {
		s->last_fate = s->kinds.count == 0 ? JUDGE : DROP;
	}
	s->last_pools = s->last_fate == JUDGE && s->passes_on && kind_is_result(name) &&
	    s->expr.of_run && !s->expr.of_no_run;
	s->last_kind = (struct slice){ s->last_kind_text, 0 };
	if (name.len <= sizeof s->last_kind_text) {
		memcpy(s->last_kind_text, name.p, name.len);
		s->last_kind.len = name.len;
	}
}

static inline void
find_fate(struct select *s, struct slice kind)
{
	if (!short_eq(kind, s->last_kind))
		judge_kind(s, kind);
}

bool
select_looks_ahead(const struct select *s)
{
	return window_looks_ahead(&s->window);
}

int
select_foresee(struct select *s, const struct ev *ev, struct err *e)
{
	find_fate(s, ev->col[EV_KIND]);
	return s->last_event ? window_foresee(&s->window, ev, e) : 0;
}

/* Notes the tags of a line.  The key frame needs a stack, or a group by frame. */
static void
see_keys(struct select *s, const struct ev *ev)
{
	struct slice frame;
	size_t stack;

	keys_see(&s->keys, ev);
	if (!condition_group_frame(ev, &frame))
		return;
	stack = tab_find(&s->keys.names, SLICE("stack"));
	if (stack < s->keys.wanted)
		keys_saw(&s->keys, stack);
}

/* Notes the name in a measure line.  If memory runs out, no message mentions it. */
static HINT_APART void
see_measure(struct select *s, struct slice name)
{
	bool fresh;

	if (s->measures.count < MEASURES_MAX)
		(void)tab_add(&s->measures, name, &fresh);
}

/*
 * Notes a run line, also one that --kind names, and a loss that a rejected run has had.  Returns
 * false if memory runs out.
 */
static bool
see_about(struct select *s, const struct ev *ev, bool kept)
{
	int rc = rejected_has(&s->rejected, &s->expr, ev);

	if (rc > 0 && !kept && kind_tells_loss(ev->col[EV_KIND]))
		rejected_count(&s->rejected, ev);
	return rc >= 0;
}

/*
 * Returns true for a result of which aftab shows percentages, and stores its statistic, or the
 * list of them in a partial result.
 */
static bool
has_percentage(const struct ev *ev, struct slice *stat)
{
	static const struct slice added[] = { SLICE_INIT("sum"), SLICE_INIT("count") };
	struct slice tag, rest, one;
	bool found = false;

	if (slice_eq(ev->col[EV_KIND], SLICE("part"))) {
		if (ev_tag(ev, SLICE("part.over"), &tag)) /* it is of no group */
			return false;
		if (!ev_tag(ev, SLICE("part.stat"), stat))
			*stat = SLICE("count,sum"); /* the default of afagg */
	} else if (ev_tag(ev, SLICE("total"), &tag) || !ev_tag(ev, SLICE("stat"), stat)) {
		return false;
	}
	for (rest = *stat; !found && slice_cut(&rest, ',', &one);)
		found = SLICE_AMONG(one, added);
	return found;
}

/*
 * Notes a line of what is only whole with all of its lines: starts and stops of a run, and the
 * counts or sums of a measure, whose percentages aftab computes unless they have a total.  Returns
 * false if memory runs out.
 */
static HINT_APART bool
see_whole(struct select *s, const struct ev *ev, bool kept)
{
	struct wholes *w = s->last_whole;
	struct slice name = ev->col[EV_RUN], stat;
	size_t n;
	int rc;

	if (w == &s->about)
		return see_about(s, ev, kept);
	if (w == &s->columns) {
		if (!has_percentage(ev, &stat))
			return true;
		/* percentages are meant to be those of the runs that are kept */
		rc = kept ? 0 : rejected_has(&s->rejected, &s->expr, ev);
		if (rc != 0)
			return rc > 0;
		name = ev->col[EV_MEASURE];
		s->column.len = 0;
		if (!buf_put(&s->column, name.p, name.len) || !buf_putc(&s->column, '\t') ||
		    !buf_put(&s->column, stat.p, stat.len))
			return false;
		name = buf_slice(&s->column);
	}
	n = tab_add(&w->name, name, NULL);
	if (n == TAB_NONE || !vec_room_zero(w->seen, n, w->cap))
		return false;
	w->seen[n] |= kept ? 2 : 1;
	w->split = w->seen[n] == 3;
	return true;
}

/*
 * Stores whether a line that is not tested is kept: if others refer to it, it is, unless it is
 * about a run of which no event will be.
 */
static HINT_APART int
keep_untested(struct select *s, const struct ev *ev, bool *keep, struct err *e)
{
	int rejected = 0;

	if (s->passes_on && s->expr.of_run)
		rejected = rejected_has(&s->rejected, &s->expr, ev);
	if (rejected < 0)
		return err_nomem(e);
	*keep = rejected == 0;
	if (slice_eq(ev->col[EV_KIND], SLICE("measure")))
		see_measure(s, ev->col[EV_MEASURE]);
	else if (!keys_done(&s->keys))
		keys_see_run(&s->keys, ev);
	return 0;
}

/* Notes what becomes of a result of several runs.  Returns false if memory runs out. */
static HINT_APART bool
see_pooled(struct select *s, const struct ev *ev, bool kept)
{
	struct slice over;
	int rc;

	/* what belongs to no group may have no run, although the groups have one */
	if (s->pooled[kept] || !slice_is_nothing(ev->col[EV_RUN]) ||
	    ev_tag(ev, SLICE("part.over"), &over))
		return true;
	rc = expr_may_hold_by_run(&s->expr, ev);
	s->pooled[kept] = rc > 0;
	return rc >= 0;
}

/* Returns true if such results are kept with runs that are not, or left out with runs that are. */
static bool
splits_pools(const struct select *s)
{
	return (s->pooled[false] && s->rejected.runs.count != 0) ||
	    (s->pooled[true] && rejected_any(&s->rejected));
}

static inline int
judge_line(struct select *s, const struct ev *ev, bool *keep, struct err *e)
{
	enum window_place place = WINDOW_INSIDE;
	int rc = 0;

	*keep = false;
	s->lines++;
	find_fate(s, ev->col[EV_KIND]);
	if (s->window.given) {
		rc = window_run(&s->window, ev, e);
		if (rc == 0 && s->last_event)
			rc = window_place(&s->window, ev, &place, e);
		if (rc != 0)
			return rc;
	}
	if (s->last_fate != JUDGE)
		return s->last_fate == KEEP ? keep_untested(s, ev, keep, e) : 0;
	s->judged++;
	s->results += s->window.given && s->last_result;
	s->outside += place == WINDOW_OUTSIDE;
	if (!keys_done(&s->keys))
		see_keys(s, ev);
	if (s->expr.unrecorded || s->expr.far)
		expr_see(&s->expr, ev);
	if (place == WINDOW_OUTSIDE)
		return 0;
	rc = expr_holds(&s->expr, ev);
	if (rc < 0)
		return err_nomem(e);
	if (rc == 0 && s->kept == 0 && expr_see_frames(&s->expr, ev) != 0)
		return err_nomem(e);
	*keep = rc != 0 && place == WINDOW_INSIDE;
	s->kept += *keep;
	s->untimed += rc != 0 && place == WINDOW_UNTIMED;
	return 0;
}

int
select_line(struct select *s, const struct ev *ev, bool *keep, struct err *e)
{
	int rc = judge_line(s, ev, keep, e);

	if (rc == 0 && s->last_pools && !see_pooled(s, ev, *keep))
		return err_nomem(e);
	if (rc == 0 && s->last_whole != NULL && !s->last_whole->split && !see_whole(s, ev, *keep))
		return err_nomem(e);
	return rc;
}

/* Returns true for a result by functions, of which select_frames would leave some. */
static bool
has_functions(const struct ev *ev)
{
	struct slice value;

	return ev_tag(ev, SLICE("stack"), &value) || condition_group_frame(ev, &value);
}

int
select_write(struct select *s, const struct ev *ev, struct evwrite *w, struct err *e)
{
	if (s->last_fate == JUDGE && !kind_is_result(ev->col[EV_KIND]))
		return frames_write(&s->frames, ev, w, e);
	s->unchanged += s->last_fate == JUDGE && has_functions(ev);
	evw_line(w, ev->text);
	return 0;
}

uint64_t
select_rejected(const struct select *s, enum mark_count which)
{
	return s->rejected.count[which];
}

/* The reports at the end. */

/* Keys that afagg computes, and what is like them here. */
static const struct {
	struct slice name;
	const char *instead;
} computed[] = {
	{ SLICE_INIT("caller"), "stack~'CALLER;NAME$' finds a function with its caller" },
	{ SLICE_INIT("root"), "frame=NAME finds a function anywhere in the stack" },
	{ SLICE_INIT("leaf"), "region=NAME is the innermost function" },
	{ SLICE_INIT("count"), "a result is a line, so 'stat=count && value>N'" },
	{ SLICE_INIT("sum"), "a result is a line, so 'stat=sum && value>N'" },
	{ SLICE_INIT("mean"), "a result is a line, so 'stat=mean && value>N'" },
	{ SLICE_INIT("min"), "a result is a line, so 'stat=min && value>N'" },
	{ SLICE_INIT("max"), "a result is a line, so 'stat=max && value>N'" },
};

/* Stores an error for the next name that no line had. */
static bool
key_rest(const struct select *s, size_t *at, struct err *e)
{
	struct slice name;
	size_t i;

	if (keys_missing(&s->keys, at, e) == 0)
		return false;
	name = s->keys.names.item[*at - 1];
	for (i = 0; i < sizeof computed / sizeof computed[0]; i++)
		if (slice_eq(name, computed[i].name))
			(void)err_data(e, "no line has '%.*s', which only afagg computes: %s",
			    (int)name.len, name.p, computed[i].instead);
	return true;
}

/* Stores a note. */
__attribute__((format(printf, 2, 3))) static bool
note(struct err *e, const char *fmt, ...)
{
	va_list ap;

	*e = (struct err){ .code = ERR_NONE };
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	return true;
}

static bool
kind_rest(const struct select *s, size_t i, struct err *e)
{
	return !s->seen[i] && s->lines != 0 && keys_check_kind(s->kinds.item[i], e) != 0;
}

static bool
condition_rest(const struct select *s, size_t i, struct err *e)
{
	const struct condition *c = &s->expr.condition[i];

	return c->odd != 0 &&
	    note(e, "values of %.*s that are not numbers, so no comparison holds: %" PRIu64,
		slice_shown(c->tag, SHOWN_MAX), c->tag.p, c->odd);
}

/* Returns true if some key has no value on any line, which then is the reason for much. */
static bool
lacks_values(const struct select *s)
{
	return s->expr.unrecorded && s->judged != 0 && keys_done(&s->keys);
}

static bool
unrecorded_rest(const struct select *s, size_t i, struct err *e)
{
	struct slice key;
	char text[256];

	if (!lacks_values(s) || !expr_is_unrecorded(&s->expr, i, &key))
		return false;
	keys_unrecorded(key, text, sizeof text);
	return note(e, "%s", text);
}

static bool
far_rest(const struct select *s, size_t i, struct err *e)
{
	char text[256];

	return expr_is_far(&s->expr, i, text, sizeof text) && note(e, "%s", text);
}

static bool
case_rest(const struct select *s, size_t i, struct err *e)
{
	char text[256];

	return expr_has_other_case(&s->expr, i, text, sizeof text) && note(e, "%s", text);
}

/* Reports that no line was chosen, with what may be the reason. */
static bool
none_kept(const struct select *s, struct err *e)
{
	char text[320];
	bool known = s->outside != 0 ? window_explain(&s->window, text, sizeof text)
	    : lacks_values(s)        ? false
				     : expr_advise(&s->expr, &s->measures, text, sizeof text);

	return note(e, "none of %" PRIu64 " lines was chosen%s%s%s", s->judged, known ? " (" : "",
	    known ? text : "", known ? ")" : "");
}

static bool
window_rest(const struct select *s, struct err *e)
{
	char text[256];

	return window_cuts_nothing(&s->window, text, sizeof text) && note(e, "%s", text);
}

static bool
unchanged_rest(const struct select *s, struct err *e)
{
	return s->unchanged != 0 &&
	    err_data(e,
		"--%s-frames changes no results (lines of kind agg, part or diff), so their stacks "
		"still have all frames: put afsel before afagg",
		s->frames.which == FRAMES_MATCHING ? "keep" : "drop") != 0;
}

/* Notes how many lines have none of the frames that are left. */
static bool
frames_rest(const struct frames *f, struct err *e)
{
	const char *how = f->which == FRAMES_MATCHING ? "that matches" : "that does not match";
	struct slice regex;

	if (f->none == 0)
		return false;
	regex = pattern_text(&f->pattern);
	return note(e,
	    "%" PRIu64 " of %" PRIu64 " lines have no frame %s '%.*s': their region is [none]",
	    f->none, f->lines, how, slice_shown(regex, SHOWN_MAX), regex.p);
}

static bool
nested_rest(const struct frames *f, struct err *e)
{
	return f->nested != 0 &&
	    note(e,
		"left out values of inclusive, union and .delta whose regions do not stay: %" PRIu64
		" (the values of regions around them contain them)",
		f->nested);
}

static bool
resources_rest(const struct frames *f, struct err *e)
{
	return f->resources != 0 &&
	    note(e,
		"perunenc and perunquery do not see which frames were left out, since they read "
		"json=: lines that have it: %" PRIu64,
		f->resources);
}

enum {
	REST_RESULTS,
	REST_POOLED,
	REST_UNTIMED,
	REST_EARLY,
	REST_NONE_KEPT,
	REST_RUNS,
	REST_COLUMNS,
	REST_UNCHANGED,
	REST_FRAMES,
	REST_NESTED,
	REST_RESOURCES,
	REST_WINDOW,
	REST_END
};

static bool
other_rest(const struct select *s, size_t i, struct err *e)
{
	if (i == REST_RESULTS)
		return s->results != 0 &&
		    err_data(e,
			"--time tests results (lines of kind agg, part or diff) by the time of "
			"their last event; put afsel before afagg, or name their --kind") != 0;
	if (i == REST_POOLED)
		return splits_pools(s) &&
		    err_data(e,
			"results of several runs (run=.) cannot be chosen by run, since they "
			"contain those of all: put afsel before afagg, or use afagg --by "
			"run,...") != 0;
	if (s->results != 0) /* the counts are of no use */
		return false;
	if (i == REST_UNTIMED)
		return s->untimed != 0 &&
		    note(e, "lines without a time, left out because of --time: %" PRIu64,
			s->untimed);
	if (i == REST_COLUMNS)
		return s->columns.split &&
		    note(e,
			"only some results of a measure were chosen: percentages of aftab will be "
			"parts of those (afagg --stat share gives parts of all)");
	if (i == REST_RUNS)
		return s->runs.split &&
		    note(e,
			"only some starts and stops of a run were chosen: afdur computes self "
			"times, depths and stacks from all of them, so put afsel after it");
	if (i == REST_NONE_KEPT)
		return s->kept == 0 && s->judged != 0 && keys_done(&s->keys) && none_kept(s, e);
	if (i == REST_UNCHANGED)
		return unchanged_rest(s, e);
	if (i == REST_FRAMES || i == REST_NESTED)
		return i == REST_FRAMES ? frames_rest(&s->frames, e) : nested_rest(&s->frames, e);
	if (i == REST_RESOURCES)
		return resources_rest(&s->frames, e);
	if (i == REST_WINDOW)
		return window_rest(s, e);
	if (s->window.early == 0)
		return false;
	(void)err_data(e, "lines with a time before the first event of their run: %" PRIu64,
	    s->window.early);
	e->code = ERR_DOUBT;
	return true;
}

bool
select_rest(const struct select *s, size_t *at, struct err *e)
{
	static bool (*const of_condition[])(const struct select *s, size_t i, struct err *e) = {
		condition_rest,
		unrecorded_rest,
		case_rest,
		far_rest,
	};
	size_t first = s->keys.wanted, count = s->expr.count, conditions = first + s->kinds.count,
	       others = conditions + sizeof of_condition / sizeof of_condition[0] * count;

	if (*at < first && s->judged != 0 && key_rest(s, at, e))
		return true;
	if (*at < first)
		*at = first;
	while (*at < others + REST_END) {
		size_t i = (*at)++;

		if (i < conditions ? kind_rest(s, i - first, e)
			: i < others
			? of_condition[(i - conditions) / count](s, (i - conditions) % count, e)
			: other_rest(s, i - others, e))
			return true;
	}
	return false;
}
