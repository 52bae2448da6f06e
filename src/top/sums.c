/* SPDX-License-Identifier: ISC */
/*
 * sums.c - the aggregations of the live table: all lines, the last windows, and stacks, which give
 * the callers and callees of any function.
 */
#include "src/top/sums.h"

#include <string.h>

#include "lib/buf.h"
#include "lib/evwrite.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seconds.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/aggregate/neighbour.h"

#define OFFSETS_MAX 256 /* columns and tags of a result */
#define CHECK_MEMORY 256 /* lines */
#define STACKS_PART 4 /* stacks may use memory up to this part of what the program may use */
#define NSEC ((uint64_t)1000000000)
#define SHOW_PART 2 /* with more than this part in use, no table is made */

struct sums {
	const char *option[AGGREGATE_OPTIONS];
	bool live;
	struct aggregate *all;
	struct aggregate *stacks; /* by region and stack; NULL: none */
	struct table *base; /* the measure lines; at the end, all results */
	struct sums_counts counts;
	struct kinds_left left;
	uint64_t parts; /* lines of kind part */
	/* Measure lines, for aggregations that begin later. */
	struct tab measures;
	struct units units;
	struct buf measure_lines;
	/* Windows. */
	uint64_t window; /* their size, or 0 */
	struct aggregate *now, *last; /* NULL: none */
	uint64_t now_at, last_at; /* their numbers: they begin at that many times the size */
	bool begun; /* now_at is known */
};

struct sums *
sums_new(void)
{
	struct sums *s = mem_zero(1, sizeof *s);

	if (s == NULL)
		return NULL;
	s->all = aggregate_new();
	s->base = table_open();
	if (s->all != NULL && s->base != NULL)
		return s;
	sums_free(s);
	return NULL;
}

void
sums_free(struct sums *s)
{
	if (s == NULL)
		return;
	aggregate_free(s->all);
	aggregate_free(s->stacks);
	aggregate_free(s->now);
	aggregate_free(s->last);
	table_close(s->base);
	tab_free(&s->measures);
	kinds_left_free(&s->left);
	units_free(&s->units);
	buf_free(&s->measure_lines);
	mem_free(s);
}

int
sums_set(struct sums *s, enum aggregate_option option, const char *argument, struct err *e)
{
	s->option[option] = argument;
	return aggregate_set(s->all, option, argument, e);
}

void
sums_want_windows(struct sums *s, uint64_t size)
{
	s->window = size;
}

const struct aggregate *
sums_all(const struct sums *s)
{
	return s->all;
}

struct sums_counts
sums_counts(const struct sums *s)
{
	struct sums_counts counts = s->counts;

	counts.taken = aggregate_taken(s->all);
	return counts;
}

struct kinds_left *
sums_left(struct sums *s)
{
	return &s->left;
}

/*
 * ---- aggregations
 */

/* Calls TAKE with each line of TEXT. */
typedef int taker(void *ctx, const struct ev *ev, struct err *e);

static int
each_line(struct slice text, taker *take, void *ctx, struct err *e)
{
	uint32_t at[OFFSETS_MAX];
	struct ev ev;
	int rc = 0;

	while (rc == 0 && text.len != 0) {
		const char *end = memchr(text.p, '\n', text.len);
		struct slice line = { text.p, (size_t)(end - text.p) };

		if (!ev_cut(line, at, OFFSETS_MAX, &ev))
			return err_data(e, "a result has too many tags to show");
		rc = take(ctx, &ev, e);
		text = (struct slice){ end + 1, text.len - line.len - 1 };
	}
	return rc;
}

/* Calls TAKE with each result. */
static int
each_result(struct aggregate *a, taker *take, void *ctx, struct err *e)
{
	struct evwrite w;
	int rc;

	if (!evw_open(&w, -1, ""))
		return err_nomem(e);
	w.out.hold = true;
	rc = aggregate_write(a, &w, e);
	if (rc == 0 && evw_failed(&w))
		rc = err_nomem(e);
	if (rc == 0)
		rc = each_line((struct slice){ w.out.p, w.out.len }, take, ctx, e);
	out_free(&w.out);
	return rc;
}

static int
take_measure(void *aggregate, const struct ev *ev, struct err *e)
{
	return aggregate_measure(aggregate, ev, e);
}

/* Opens another aggregation with the settings, but with these keys and statistics if not NULL. */
static int
open_another(const struct sums *s, const char *by, const char *stat, struct aggregate **out,
    struct err *e)
{
	const char *option[AGGREGATE_OPTIONS] = {
		[AGGREGATE_BY] = by != NULL ? by : s->option[AGGREGATE_BY],
		[AGGREGATE_STAT] = stat != NULL ? stat : s->option[AGGREGATE_STAT],
		[AGGREGATE_KIND] = s->option[AGGREGATE_KIND],
	};
	struct aggregate *a = aggregate_new();
	int i, rc = a == NULL ? err_nomem(e) : 0;

	for (i = 0; rc == 0 && i < AGGREGATE_OPTIONS; i++)
		if (option[i] != NULL)
			rc = aggregate_set(a, (enum aggregate_option)i, option[i], e);
	if (rc == 0)
		rc = aggregate_ready(a, e);
	if (rc == 0)
		rc = each_line(buf_slice(&s->measure_lines), take_measure, a, e);
	if (rc != 0) {
		aggregate_free(a);
		a = NULL;
	}
	*out = a;
	return rc;
}

int
sums_ready(struct sums *s, struct err *e)
{
	if (s->option[AGGREGATE_BY] == NULL && sums_set(s, AGGREGATE_BY, SUMS_BY, e) != 0)
		return e->code;
	return aggregate_ready(s->all, e);
}

int
sums_want_live(struct sums *s, struct err *e)
{
	const char *kind = s->option[AGGREGATE_KIND], *stat = s->option[AGGREGATE_STAT];
	/* results are joined by the rules of their statistics, as they are without the stacks */
	bool joins = stat == NULL && kind != NULL && strcmp(kind, "agg") == 0;

	s->live = true;
	return open_another(s, "region?,stack?", joins ? NULL : "count,sum", &s->stacks, e);
}

/*
 * ---- lines
 */

/* Begins the window of that number. */
static int
turn(struct sums *s, uint64_t at, struct err *e)
{
	struct aggregate *fresh;

	if (open_another(s, NULL, NULL, &fresh, e) != 0)
		return (int)e->code;
	aggregate_set_duration(fresh, s->window);
	if (s->now != NULL) {
		aggregate_free(s->last);
		s->last = s->now;
		s->last_at = s->now_at;
	}
	s->now = fresh;
	s->now_at = at;
	return 0;
}

static int
add_to_window(struct sums *s, const struct ev *ev, struct err *e)
{
	uint64_t time, at;

	if (!num_get_u64(ev->col[EV_TIME], &time)) {
		s->counts.untimed++;
		return 0;
	}
	at = time / s->window;
	if (!s->begun) {
		s->begun = true;
		s->now_at = at;
	} else if (at > s->now_at && turn(s, at, e) != 0) {
		return (int)e->code;
	}
	s->counts.late += at < s->now_at;
	return s->now == NULL || at < s->now_at ? 0 : aggregate_add(s->now, ev, e);
}

/* Adds the line to the stacks, unless there are too many. */
static void
add_to_stacks(struct sums *s, const struct ev *ev)
{
	struct err e;

	if (s->stacks != NULL && aggregate_taken(s->all) % CHECK_MEMORY == 0 &&
	    mem_used() > mem_ceiling() / STACKS_PART) {
		aggregate_free(s->stacks);
		s->stacks = NULL;
	}
	if (s->stacks == NULL || aggregate_add(s->stacks, ev, &e) != 0)
		s->counts.stackless++;
}

/* Keeps a measure line that says something new. */
static int
keep_measure(struct sums *s, const struct ev *ev, struct err *e)
{
	struct slice before = units_said(&s->units, ev->col[EV_RUN], ev->col[EV_MEASURE]), now;
	bool fresh, ok;

	ok = tab_add(&s->measures, ev->text, &fresh) != TAB_NONE && units_declare(&s->units, ev);
	now = units_said(&s->units, ev->col[EV_RUN], ev->col[EV_MEASURE]);
	if (ok && (fresh || !slice_eq(before, now)))
		ok = buf_put(&s->measure_lines, ev->text.p, ev->text.len) &&
		    buf_putc(&s->measure_lines, '\n');
	return ok ? 0 : err_nomem(e);
}

static int
take_measure_line(struct sums *s, const struct ev *ev, struct err *e)
{
	if (aggregate_measure(s->all, ev, e) != 0 || keep_measure(s, ev, e) != 0 ||
	    table_line(s->base, ev, e) != 0)
		return (int)e->code;
	if (s->stacks != NULL && aggregate_measure(s->stacks, ev, e) != 0)
		return (int)e->code;
	return s->now == NULL ? 0 : aggregate_measure(s->now, ev, e);
}

static int
take_event(struct sums *s, const struct ev *ev, struct err *e)
{
	int rc = aggregate_add(s->all, ev, e);

	if (rc != 0)
		return rc;
	if (s->live)
		add_to_stacks(s, ev);
	return s->window == 0 ? 0 : add_to_window(s, ev, e);
}

/* Counts a loss as the end mark does. */
static void
count_loss(struct sums *s, const struct ev *ev)
{
	uint64_t n;

	s->counts.losses += kinds_loss(ev, &n);
	s->counts.lost += n;
}

static void
count_other(struct sums *s, const struct ev *ev)
{
	if (slice_eq(ev->col[EV_KIND], SLICE("lost")))
		count_loss(s, ev);
	else
		kinds_leave_line(&s->left, ev);
}

int
sums_line(struct sums *s, const struct ev *ev, struct err *e)
{
	switch (aggregate_fate(s->all, ev)) {
	case AGGREGATE_TAKE: return take_event(s, ev, e);
	case AGGREGATE_MEASURE: return take_measure_line(s, ev, e);
	case AGGREGATE_PART: return s->parts++ == 0 ? err_data(e, KINDS_PARTS) : 0;
	case AGGREGATE_PASS: count_other(s, ev); return aggregate_see_run(s->all, ev, e);
	case AGGREGATE_DROP: count_other(s, ev); break;
	}
	return 0;
}

/*
 * ---- callers and callees
 */

/*
 * From stacks to the neighbours of a function.  Counts that are joined lose their unit, but in the
 * tables they belong to the sums that have it.  So while results are joined, the unit is a key.
 */
#define UNIT_KEY SLICE("tag.unit")

struct walk {
	struct neighbour of;
	struct aggregate *joined;
	struct evwrite w; /* the line being made */
	struct table *table;
};

static struct slice
key_of(const struct neighbour *n)
{
	return n->side == NEIGHBOUR_CALLEE ? SLICE("callee") : SLICE("caller");
}

static const char *
keys_of(const struct neighbour *n)
{
	return n->side == NEIGHBOUR_CALLEE ? "callee,tag.unit?" : "caller,tag.unit?";
}

static void
copy_tag(struct walk *x, const struct ev *ev, struct slice key)
{
	struct slice value;

	if (ev_tag(ev, key, &value))
		evw_tag_raw(&x->w, key, value);
}

/* Begins a result with the measure and the value of another one, of all times, runs and regions. */
static void
begin_line(struct walk *x, const struct ev *ev)
{
	x->w.out.len = 0;
	evw_begin(&x->w, SLICE("agg"));
	evw_none(&x->w);
	evw_none(&x->w);
	evw_none(&x->w);
	evw_raw(&x->w, ev->col[EV_MEASURE]);
	evw_raw(&x->w, ev->col[EV_VALUE]);
}

static int
end_line(struct walk *x, uint32_t at[OFFSETS_MAX], struct ev *line, struct err *e)
{
	evw_end(&x->w);
	if (evw_failed(&x->w))
		return err_nomem(e);
	if (!ev_cut((struct slice){ x->w.out.p, x->w.out.len - 1 }, at, OFFSETS_MAX, line))
		return err_data(e, "a result has too many tags to show");
	return 0;
}

/* Makes a result of one stack a result of the neighbour, and joins it with others. */
static int
take_stack(void *walk, const struct ev *ev, struct err *e)
{
	struct walk *x = walk;
	struct slice neighbour, total, unit;
	uint32_t at[OFFSETS_MAX];
	struct ev line;
	int rc;

	rc = neighbour_find(&x->of, ev, ev_get(ev, SLICE("stack")), &neighbour);
	if (rc <= 0)
		return rc == 0 ? 0 : err_nomem(e);
	begin_line(x, ev);
	evw_tag_raw(&x->w, key_of(&x->of), neighbour);
	copy_tag(x, ev, SLICE("stat"));
	copy_tag(x, ev, SLICE("n"));
	copy_tag(x, ev, SLICE("of"));
	copy_tag(x, ev, SLICE("type"));
	/* with the sign before it, since unit=. is not the same as no unit */
	if (ev_tag(ev, SLICE("unit"), &unit))
		evw_tag_raw(&x->w, UNIT_KEY, (struct slice){ unit.p - 1, unit.len + 1 });
	/* these values contain each other, as those of whole regions do: no shares here, either */
	if (ev_tag(ev, SLICE("total"), &total))
		evw_tag_raw(&x->w, SLICE("scope"), SLICE("region"));
	if (end_line(x, at, &line, e) != 0)
		return (int)e->code;
	return aggregate_add(x->joined, &line, e);
}

/* Shows a result that has been joined: with its unit, which is no key there. */
static int
take_joined(void *walk, const struct ev *ev, struct err *e)
{
	struct walk *x = walk;
	struct slice rest = ev->tags;
	struct ev_tag tag;
	uint32_t at[OFFSETS_MAX];
	struct ev line;

	begin_line(x, ev);
	while (ev_next_tag(&rest, &tag))
		if (!slice_eq(tag.key, UNIT_KEY))
			evw_tag_raw(&x->w, tag.key, tag.value);
		else if (!slice_is_nothing(tag.value))
			evw_tag_raw(&x->w, SLICE("unit"),
			    (struct slice){ tag.value.p + 1, tag.value.len - 1 });
	if (end_line(x, at, &line, e) != 0)
		return (int)e->code;
	return table_line(x->table, &line, e);
}

static int
open_joined(struct walk *x, struct err *e)
{
	int rc;

	x->joined = aggregate_new();
	if (x->joined == NULL || !evw_open(&x->w, -1, ""))
		return err_nomem(e);
	x->w.out.hold = true;
	rc = aggregate_set(x->joined, AGGREGATE_BY, keys_of(&x->of), e);
	if (rc == 0)
		rc = aggregate_set(x->joined, AGGREGATE_KIND, "agg", e);
	return rc == 0 ? aggregate_ready(x->joined, e) : rc;
}

static int
take_result(void *table, const struct ev *ev, struct err *e)
{
	return table_line(table, ev, e);
}

static int
find_neighbours(struct sums *s, const struct sums_view *view, struct table *t, struct err *e)
{
	struct walk x = { .table = t };
	int rc = neighbour_set(&x.of,
	    view->part == SUMS_CALLEES ? NEIGHBOUR_CALLEE : NEIGHBOUR_CALLER, view->function, e);

	if (rc == 0)
		rc = open_joined(&x, e);
	if (rc == 0)
		rc = each_result(s->stacks, take_stack, &x, e);
	if (rc == 0 && aggregate_taken(x.joined) != 0)
		rc = each_result(x.joined, take_joined, &x, e);
	aggregate_free(x.joined);
	out_free(&x.w.out);
	neighbour_free(&x.of);
	return rc;
}

/*
 * ---- tables
 */

/* Describes why there is no table, with ERR_DOUBT. */
static int
none(struct err *e, const char *why)
{
	(void)err_data(e, "%s", why);
	return (int)(e->code = ERR_DOUBT);
}

/* Writes a time with so many decimals.  Returns its end. */
static char *
put_time(char *text, uint64_t ns, int decimals)
{
	char digits[NUM_MAX];

	return text +
	    seconds_put(text, (struct slice){ digits, num_put_u64(digits, ns) }, decimals);
}

const char *
sums_name_window(uint64_t from, uint64_t size, char name[SUMS_NAME_MAX])
{
	uint64_t unit = NSEC / 10;
	int decimals = 1;
	char *end;

	for (; size % unit != 0; decimals++)
		unit /= 10;
	end = put_time(name, from, decimals);
	memcpy(end, " to ", 4);
	*put_time(end + 4, from + size, decimals) = '\0';
	return name;
}

/* Describes, with ERR_DOUBT, which window will be the first complete one, if any. */
static int
no_window(const struct sums *s, const struct sums_view *view, struct err *e)
{
	uint64_t from = (s->now_at + (s->now == NULL)) * s->window; /* half a window is not shown */
	char name[SUMS_NAME_MAX];

	if (view->ended && s->begun)
		return none(e, "no window was complete before the end of the input");
	if (view->ended && s->counts.untimed != 0)
		return none(e, "no window: no sample has a time");
	if (view->ended)
		return none(e,
		    "no window was collected: --last, or the key w before the end, begins with it");
	if (!s->begun)
		return none(e, "no window is complete yet: it begins with the next samples");
	(void)err_data(e, "no window is complete yet: %s is %s",
	    sums_name_window(from, s->window, name), s->now == NULL ? "next" : "being collected");
	return (int)(e->code = ERR_DOUBT);
}

static int
check_view(const struct sums *s, const struct sums_view *view, struct err *e)
{
	const struct aggregate *a = view->part == SUMS_ALL ? s->all
	    : view->part == SUMS_WINDOW                    ? s->last
							   : s->stacks;

	if (mem_used() > mem_ceiling() / SHOW_PART)
		return none(e, "too many groups to show; they are still counted");
	if (a == NULL && view->part == SUMS_WINDOW)
		return no_window(s, view, e);
	if (a == NULL)
		return none(e, "too many stacks: callers and callees are not known");
	return aggregate_taken(a) == 0
	    ? none(e, "no samples yet (perf record -m 4 hands them on sooner)")
	    : aggregate_check_interim(a, e);
}

int
sums_table(struct sums *s, struct sums_view *view, struct table **table, struct err *e)
{
	struct table *t;
	int rc = check_view(s, view, e);

	if (rc != 0)
		return rc;
	t = table_open_beside(s->base);
	if (t == NULL)
		return err_nomem(e);
	view->from = s->last_at * s->window;
	if (view->part == SUMS_CALLERS || view->part == SUMS_CALLEES)
		rc = find_neighbours(s, view, t, e);
	else
		rc = each_result(view->part == SUMS_ALL ? s->all : s->last, take_result, t, e);
	if (rc != 0) {
		table_close(t);
		return rc;
	}
	*table = t;
	return 0;
}

int
sums_final(struct sums *s, struct table **table, struct err *e)
{
	*table = s->base;
	return each_result(s->all, take_result, s->base, e);
}
