/* SPDX-License-Identifier: ISC */
/* collect.c - collects the samples of each thread and measure, with their stacks. */
#include "src/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/number.h"
#include "lib/vec.h"
#include "src/trace/traceint.h"

#define EXACT_MAX ((uint64_t)1 << 53) /* JavaScript rounds larger numbers */
#define SECONDS_BITS 1013 /* of seconds that are a double in milliseconds */

struct trace *
trace_new(enum trace_target target)
{
	struct trace *t = mem_zero(1, sizeof *t);

	if (t == NULL)
		return NULL;
	t->target = target;
	t->fold = fold_new();
	if (t->fold == NULL) {
		mem_free(t);
		return NULL;
	}
	fold_set_measures(t->fold, FOLD_EACH);
	return t;
}

void
trace_free(struct trace *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->profile_keys.count && i < t->profiles_cap; i++)
		mem_free(t->profile[i].sample);
	mem_free(t->profile);
	fold_free(t->fold);
	threads_free(&t->threads);
	tab_free(&t->profile_keys);
	tab_free(&t->frames);
	tab_free(&t->nodes);
	tab_free(&t->values);
	tab_free(&t->stacks);
	mem_free(t->stack_node);
	buf_free(&t->text);
	buf_free(&t->remarks);
	mem_free(t);
}

int
trace_set(struct trace *t, enum fold_setting which, const char *argument, struct err *e)
{
	return fold_set(t->fold, which, argument, e);
}

void
trace_told(struct trace *t)
{
	fold_told(t->fold);
}

int
trace_missing(const struct trace *t, struct err *e)
{
	uint64_t out = t->count[NOTE_UNTIMED] + t->count[NOTE_TIMES] + t->count[NOTE_NEGATIVE] +
	    t->count[NOTE_NOT_FINITE] + t->count[NOTE_HUGE];

	if (fold_missing(t->fold, e) != 0)
		return e->code;
	return t->profile_keys.count == 0 && out != 0 ? err_data(e, KINDS_NOTHING) : 0;
}

int
trace_remark(struct trace *t, const char *text, struct err *e)
{
	return buf_put(&t->remarks, text, strlen(text) + 1) ? 0 : err_nomem(e);
}

/* ---- stacks */

/* Returns the frame of a name and an element of lines, or NODE_NONE if memory runs out. */
static uint32_t
frame_of(struct trace *t, struct slice name, struct slice line)
{
	char digits[NUM_MAX];
	struct slice file;
	uint64_t number;
	size_t i;

	if (slice_is_nothing(name))
		name = SLICE("[unknown]");
	ev_split_line(line, &file, &number);
	t->text.len = 0;
	if (!esc_append_element(&t->text, name) || !buf_putc(&t->text, '\t') ||
	    !esc_append_element(&t->text, file) || !buf_putc(&t->text, '\t') ||
	    !buf_put(&t->text, digits, num_put_u64(digits, number)))
		return NODE_NONE;
	i = tab_add(&t->frames, buf_slice(&t->text), NULL);
	return i < NODE_NONE ? (uint32_t)i : NODE_NONE;
}

/* Adds a frame below *node.  Returns false if memory runs out. */
static bool
descend(struct trace *t, uint32_t *node, struct slice name, struct slice line)
{
	struct node n = { *node, frame_of(t, name, line) };
	size_t i;

	if (n.frame == NODE_NONE)
		return false;
	i = tab_add(&t->nodes, (struct slice){ (const char *)&n, sizeof n }, NULL);
	*node = i < NODE_NONE ? (uint32_t)i : NODE_NONE;
	return *node != NODE_NONE;
}

/* Adds the frames of a line below *node.  Returns false if memory runs out. */
static bool
add_stack(struct trace *t, uint32_t *node, const struct ev *ev, struct slice stack,
    struct slice lines)
{
	struct slice name, line = SLICE("?");
	bool has_lines = lines.len != 0;

	if (stack.len == 0)
		return descend(t, node, ev_function(ev), has_lines ? lines : line);
	if (has_lines && ev_count_elements(lines) != ev_count_elements(stack)) {
		t->count[NOTE_LINES]++;
		has_lines = false;
	}
	while (ev_next_element(&stack, &name)) {
		if (has_lines)
			(void)ev_next_element(&lines, &line);
		if (!descend(t, node, name, line))
			return false;
	}
	return true;
}

/* Returns the node of a line's stack and lines, or NODE_NONE if memory runs out. */
static uint32_t
find_stack(struct trace *t, const struct ev *ev, struct slice stack)
{
	struct slice lines = { "", 0 }, region = stack.len == 0 ? ev_function(ev) : stack;
	uint32_t node = NODE_NONE;
	bool fresh;
	size_t i;

	(void)ev_tag(ev, stack.len == 0 ? SLICE("line") : SLICE("lines"), &lines);
	t->text.len = 0;
	if (!buf_putc(&t->text, stack.len == 0 ? 'r' : 's') ||
	    !buf_put(&t->text, region.p, region.len) || !buf_putc(&t->text, '\t') ||
	    !buf_put(&t->text, lines.p, lines.len) ||
	    !vec_room(t->stack_node, t->stacks.count, t->stacks_cap))
		return NODE_NONE;
	i = tab_add(&t->stacks, buf_slice(&t->text), &fresh);
	if (i == TAB_NONE)
		return NODE_NONE;
	if (fresh && !add_stack(t, &node, ev, stack, lines))
		return NODE_NONE;
	if (fresh)
		t->stack_node[i] = node;
	return t->stack_node[i];
}

struct node
trace_node(const struct trace *t, uint32_t node)
{
	struct node n;

	memcpy(&n, t->nodes.item[node].p, sizeof n);
	return n;
}

void
trace_frame(const struct trace *t, size_t i, struct slice *name, struct slice *file, uint64_t *line)
{
	struct slice s = t->frames.item[i];
	const char *tab = memchr(s.p, '\t', s.len);
	const char *next = memchr(tab + 1, '\t', s.len - (size_t)(tab + 1 - s.p));

	*name = (struct slice){ s.p, (size_t)(tab - s.p) };
	*file = (struct slice){ tab + 1, (size_t)(next - tab) - 1 };
	(void)num_get_u64((struct slice){ next + 1, (size_t)(s.p + s.len - next) - 1 }, line);
}

/* ---- values */

/* Returns why the target cannot show a value of that unit, or NOTES if it can. */
static enum trace_note
judge_value(const struct trace *t, const struct number *v, struct slice unit)
{
	if (v->kind > NUMBER_DOUBLE)
		return NOTE_NOT_FINITE;
	if (t->target == TRACE_SPEEDSCOPE)
		return v->negative ? NOTE_NEGATIVE : NOTES;
	return slice_eq(unit, SLICE("s")) && (int)wide_bits(v->m) + v->exp > SECONDS_BITS
	    ? NOTE_HUGE
	    : NOTES;
}

/*
 * Stores the value of a line.  *usable is false if the target cannot show it, which is counted.
 * Returns ERR_DATA if it is not a number, and ERR_SYS if memory runs out.
 */
static int
read_value(struct trace *t, struct slice text, struct slice unit, uint32_t *value, bool *usable,
    struct err *e)
{
	char number[NUMBER_PUT_MAX];
	enum trace_note unfit;
	struct number v;
	int64_t small;
	size_t i;

	*usable = true;
	if (number_small(text, &small) && small >= 0 && small < VALUE_TEXT) {
		*value = (uint32_t)small;
		return 0;
	}
	if (number_get(text, &v, e) != 0)
		return e->code;
	if (v.kind == NUMBER_DOUBLE && v.m.lo == 0)
		v.negative = false;
	unfit = judge_value(t, &v, unit);
	*usable = unfit == NOTES;
	if (!*usable) {
		t->count[unfit]++;
		return 0;
	}
	t->count[NOTE_LARGE] += v.kind == NUMBER_INTEGER && (v.m.hi != 0 || v.m.lo > EXACT_MAX);
	i = tab_add(&t->values, (struct slice){ number, number_put(number, &v) }, NULL);
	if (i >= VALUE_TEXT)
		return err_nomem(e);
	*value = VALUE_TEXT + (uint32_t)i;
	return 0;
}

struct slice
trace_value(const struct trace *t, uint32_t value, char *room)
{
	if (value >= VALUE_TEXT)
		return t->values.item[value - VALUE_TEXT];
	return (struct slice){ room, num_put_u64(room, value) };
}

/* ---- lines */

/* Returns NULL if memory runs out. */
static struct profile *
profile_of(struct trace *t, size_t thread, size_t measure)
{
	uint32_t key[2] = { (uint32_t)thread, (uint32_t)measure };
	bool fresh;
	size_t i = t->current;

	if (i < t->profile_keys.count && t->profile[i].thread == thread &&
	    t->profile[i].measure == measure)
		return &t->profile[i];
	if (!vec_room_zero(t->profile, t->profile_keys.count, t->profiles_cap))
		return NULL;
	i = tab_add(&t->profile_keys, (struct slice){ (const char *)key, sizeof key }, &fresh);
	if (i == TAB_NONE)
		return NULL;
	if (fresh)
		t->profile[i] = (struct profile){ .thread = thread, .measure = measure };
	t->current = i;
	return &t->profile[i];
}

static bool
add_sample(struct trace *t, struct profile *p, struct sample s)
{
	if (!vec_room(p->sample, p->n, p->cap))
		return false;
	if (p->n != 0 && s.time < p->last)
		p->unsorted = true;
	else if (p->n != 0 && s.time > p->last && s.time != TIME_NONE)
		pace_add(&t->pace, s.time - p->last);
	p->sample[p->n++] = s;
	p->last = s.time;
	return true;
}

/* Adds an event of that measure. */
static int
add_event(struct trace *t, size_t measure, const struct ev *ev, struct err *e)
{
	struct slice stack = fold_stack(t->fold, ev), unit = trace_measure(t, measure).unit;
	struct sample s = { TIME_NONE, 0, 0 };
	struct profile *p;
	size_t thread;
	bool usable;

	if (read_value(t, ev->col[EV_VALUE], unit, &s.value, &usable, e) != 0)
		return err_at_line(e, ev->number);
	if (!num_get_u64(ev->col[EV_TIME], &s.time)) {
		s.time = TIME_NONE;
		t->count[slice_is_nothing(ev->col[EV_TIME]) ? NOTE_UNTIMED : NOTE_TIMES] += usable;
		usable = usable && t->target == TRACE_SPEEDSCOPE;
	}
	if (!usable)
		return 0;
	thread = threads_find(&t->threads, ev);
	s.node = find_stack(t, ev, stack);
	if (thread == THREADS_NONE || s.node == NODE_NONE)
		return err_nomem(e);
	p = profile_of(t, thread, measure);
	return p != NULL && add_sample(t, p, s) ? 0 : err_nomem(e);
}

int
trace_line(struct trace *t, const struct ev *ev, struct err *e)
{
	size_t measure;
	int rc;

	if (slice_eq(ev->col[EV_KIND], SLICE("run")) && !threads_run(&t->threads, ev))
		return err_nomem(e);
	rc = fold_choose(t->fold, ev, &measure, e);
	return rc != 0 || measure == FOLD_PARTS_MAX ? rc : add_event(t, measure, ev, e);
}

/* ---- the end */

/* Sorts by time, and keeps the order of equal times.  The input determines n. */
static void
sort(struct sample *s, struct sample *scratch, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	sort(s, scratch, half);
	sort(s + half, scratch, n - half);
	memcpy(scratch, s, n * sizeof *s);
	while (i < half || j < n)
		s[k++] = j == n || (i < half && scratch[i].time <= scratch[j].time) ? scratch[i++]
										    : scratch[j++];
}

static bool
settle(struct profile *p)
{
	struct sample *scratch;

	if (!p->unsorted)
		return true;
	scratch = mem_alloc(p->n * sizeof *scratch);
	if (scratch == NULL)
		return false;
	sort(p->sample, scratch, p->n);
	mem_free(scratch);
	p->unsorted = false;
	return true;
}

int
trace_write(struct trace *t, struct out *o, struct err *e)
{
	struct jwrite j = { .out = o };
	size_t i;
	int rc;

	for (i = 0; i < t->profile_keys.count; i++)
		if (!settle(&t->profile[i]))
			return err_nomem(e);
	rc = t->target == TRACE_SPEEDSCOPE ? speedscope_write(t, &j, e) : firefox_write(t, &j, e);
	jwrite_free(&j);
	return rc;
}

void
trace_put_remarks(const struct trace *t, struct jwrite *j, const char *before, const char *after)
{
	size_t i, n;

	for (i = 0; i < t->remarks.len; i += n + 1) {
		n = strlen(t->remarks.p + i);
		jwrite_raw(j, i == 0 ? "" : ",");
		jwrite_raw(j, before);
		jwrite_text(j, (struct slice){ t->remarks.p + i, n });
		jwrite_raw(j, after);
	}
}

static bool
put(struct buf *b, const char *before, struct slice s)
{
	return buf_puts(b, before) && buf_put(b, s.p, s.len);
}

void
trace_put_name(struct trace *t, struct jwrite *j, const struct profile *p)
{
	const struct threads *ts = &t->threads;
	const struct thread *th = &ts->thread[p->thread];
	const struct process *process = &ts->process[th->process];
	struct measure m = trace_measure(t, p->measure);
	struct slice pid = threads_text(ts, process->pid), tid = threads_text(ts, th->tid);
	bool ok = threads_name(ts, p->thread, &t->text);

	if (ok && !slice_is_nothing(tid))
		ok = slice_is_nothing(pid) ? put(&t->text, " ", tid)
					   : put(&t->text, " ", pid) && put(&t->text, "/", tid);
	if (ok && ts->runs.count > 1)
		ok = put(&t->text, ", run ", ts->runs.item[process->run]);
	ok = ok && put(&t->text, ": ", m.name);
	if (ok && !slice_is_nothing(m.unit))
		ok = put(&t->text, " [", m.unit) && buf_putc(&t->text, ']');
	if (ok)
		jwrite_text(j, buf_slice(&t->text));
	else
		jwrite_no_memory(j);
}

bool
trace_note(const struct trace *t, size_t *at, char *text, size_t size)
{
	static const char *const words[NOTES] = {
		[NOTE_UNTIMED] = "left out lines without a time: %" PRIu64,
		[NOTE_TIMES] = "left out lines whose time is not a number below 2^64: %" PRIu64,
		[NOTE_NEGATIVE] = "left out negative values, which speedscope refuses: %" PRIu64,
		[NOTE_NOT_FINITE] = "left out values that JSON cannot hold (inf, nan): %" PRIu64,
		[NOTE_HUGE] = "left out values too large for the program in milliseconds: %" PRIu64,
		[NOTE_LARGE] =
		    "values above 2^53, exact in the output, but rounded by the program: "
		    "%" PRIu64,
		[NOTE_LINES] =
		    "stacks used without lines, since these do not match the frames: %" PRIu64,
	};
	static const char *const last[NOTES] = {
		[NOTE_UNTIMED] = "lines without a time, which come last: %" PRIu64,
		[NOTE_TIMES] =
		    "lines whose time is not a number below 2^64, which come last: %" PRIu64,
	};
	size_t of_fold;

	for (; *at < NOTES; ++*at) {
		bool kept = t->target == TRACE_SPEEDSCOPE && last[*at] != NULL;

		if (t->count[*at] == 0)
			continue;
		snprintf(text, size, kept ? last[*at] : words[*at], t->count[*at]);
		++*at;
		return true;
	}
	of_fold = *at - NOTES;
	if (!fold_note(t->fold, &of_fold, text, size))
		return false;
	*at = NOTES + of_fold;
	return true;
}
