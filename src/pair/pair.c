/* SPDX-License-Identifier: ISC */
/* pair.c - finds the two lines of each interval, and writes the span between them. */
#include "src/pair/pair.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "lib/wide.h"
#include "src/pair/fields.h"
#include "src/pair/pending.h"
#include "src/pair/syscalls.h"

#define SHOWN_MAX 60 /* bytes of a word in a message */
#define CPUS_MAX ((uint64_t)8192) /* the most that Linux has */

enum naming { NAMING_AUTO, NAMING_NONE, NAMING_GIVEN };

/* What is counted for the reports at the end. */
enum tally {
	TALLY_SPANS,
	TALLY_EDGE_TO, /* no first line yet */
	TALLY_OPEN, /* no second line; counted by the table of open intervals */
	TALLY_AGAIN, /* a second first line */
	TALLY_AWAY, /* the same, if it is a thread that leaves a CPU */
	TALLY_ALONE, /* no first line since the last span */
	TALLY_OTHER_CALL, /* the second line is about another system call */
	TALLY_NO_KEY,
	TALLY_ACROSS, /* spans with losses inside them */
	TALLY_MOVED, /* spans that ended on another CPU before losses on the first one were told */
	TALLY_LOSSES_UNTIMED,
	TALLY_FOREIGN, /* programs that begin whose system calls have other numbers */
	TALLY_UNNAMED, /* spans of a run without known system calls */
	TALLY_UNNUMBERED, /* system calls that begin, without the tag for their number */
	TALLIES
};

struct pair_run {
	struct wide now; /* the time of its last line with a role */
	uint64_t losses; /* its lost lines so far */
	/*
	 * By CPU: the spans that began there and ended on another one since its last line.  The
	 * losses on a CPU are told before its next event, which is perhaps after the end of a span.
	 */
	uint64_t *moved;
	size_t cpus;
	const struct syscalls *calls; /* by its architecture, or NULL */
	bool seen; /* a line with a role */
	bool defined; /* its measure line has been written */
	uint64_t described; /* its run lines: if there are several, they may be of several runs */
	uint64_t misfits; /* then: lines that go back in time, which are reported as one */
};

struct pair {
	struct evwrite *w;
	struct tab texts; /* of the settings */
	struct slice name;
	struct fields from, to;
	size_t on_from[FIELDS_MAX], on_to[FIELDS_MAX], on;
	size_t call_from, call_to; /* tp.id */
	size_t cpu_from, cpu_to;
	uint64_t cpu; /* of the current line, or CPUS_MAX */
	struct keys from_keys, to_keys; /* those that lines must have */
	const struct syscalls *calls;
	enum naming naming;
	bool loose, by_call;
	struct tab runs;
	struct pair_run *run;
	size_t runs_cap;
	uint32_t last_run;
	uint64_t losses; /* lost lines without a run */
	struct pending pending;
	struct buf key; /* of the current line */
	uint64_t tally[TALLIES], froms, tos;
};

struct pair *
pair_new(struct evwrite *w)
{
	struct pair *p = mem_zero(1, sizeof *p);

	if (p != NULL) {
		p->w = w;
		p->name = SLICE("latency");
	}
	return p;
}

void
pair_free(struct pair *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->runs.count && i < p->runs_cap; i++)
		mem_free(p->run[i].moved);
	tab_free(&p->texts);
	keys_free(&p->from_keys);
	keys_free(&p->to_keys);
	tab_free(&p->runs);
	mem_free(p->run);
	pending_free(&p->pending);
	buf_free(&p->key);
	mem_free(p);
}

static void
pass_process(struct slice key, ev_key_sink *sink, void *ctx)
{
	if (ev_is_process(key))
		ev_reads(key, sink, ctx);
}

void
pair_reads(const struct pair *p, ev_key_sink *sink, void *ctx)
{
	size_t i;

	keys_pass(&p->from_keys, sink, ctx);
	keys_pass(&p->to_keys, sink, ctx);
	for (i = 0; i < p->from.count; i++) /* even if they are optional */
		if (ev_is_of_run(p->from.item[i].key))
			sink(ctx, p->from.item[i].key);
	for (i = 0; i < p->to.count; i++)
		if (ev_is_of_run(p->to.item[i].key))
			sink(ctx, p->to.item[i].key);
	for (i = 0; i < p->on; i++) {
		pass_process(p->from.item[p->on_from[i]].key, sink, ctx);
		pass_process(p->to.item[p->on_to[i]].key, sink, ctx);
	}
}

/* Settings. */

/* Stores a text of the user, spelled as in the stream. */
static int
intern(struct pair *p, struct slice s, enum esc_as as, struct slice *out, struct err *e)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;

	if (s.len == 0)
		return err_data(e, "an empty name");
	if (esc_append(&b, s.p, s.len, as))
		n = tab_add(&p->texts, buf_slice(&b), NULL);
	buf_free(&b);
	if (n == TAB_NONE)
		return err_nomem(e);
	*out = p->texts.item[n];
	return 0;
}

/* Adds the field KEY or KEY?. */
static int
add_field(struct pair *p, struct fields *f, struct keys *keys, struct slice word, size_t *at,
    struct err *e)
{
	bool optional = word.len > 1 && word.p[word.len - 1] == '?';
	struct slice key;
	int rc = intern(p, (struct slice){ word.p, word.len - optional }, ESC_KEY, &key, e);

	if (rc != 0)
		return rc;
	*at = fields_add(f, key);
	if (*at >= FIELDS_MAX)
		return err_data(e, "more than %zu keys", FIELDS_MAX);
	if (!optional &&
	    !(ev_is_process(key) ? keys_want_or(keys, SLICE("pid"), key) : keys_want(keys, key)))
		return err_nomem(e);
	return 0;
}

/* The tags that only a span's own lines may give it. */
static bool
is_ours(struct slice key)
{
	return slice_eq(key, SLICE("start")) || slice_eq(key, SLICE("unit")) ||
	    slice_eq(key, SLICE("type")) || slice_eq(key, SLICE("syscall")) ||
	    slice_eq(key, SLICE("lost")) || slice_eq(key, SLICE("omitted"));
}

static int
add_on(struct pair *p, struct slice word, struct err *e)
{
	const char *eq = memchr(word.p, '=', word.len);
	struct slice a = word, b = word;
	struct field *f;
	int rc;

	if (eq != NULL) {
		a.len = (size_t)(eq - word.p);
		b = (struct slice){ eq + 1, word.len - a.len - 1 };
	}
	if (p->on == FIELDS_MAX)
		return err_data(e, "more than %zu keys", FIELDS_MAX);
	rc = add_field(p, &p->from, &p->from_keys, a, &p->on_from[p->on], e);
	if (rc == 0)
		rc = add_field(p, &p->to, &p->to_keys, b, &p->on_to[p->on], e);
	if (rc == 0) {
		f = &p->from.item[p->on_from[p->on++]];
		f->copied = !is_ours(f->key);
	}
	return rc;
}

static int
add_copied(struct pair *p, struct fields *f, struct keys *keys, struct slice word, struct err *e)
{
	size_t at;
	int rc = add_field(p, f, keys, word, &at, e);

	if (rc != 0)
		return rc;
	if (f->item[at].column != EV_COLUMNS)
		return err_data(e, "%.*s is a column: only tags can be kept (and the region is)",
		    slice_shown(word, SHOWN_MAX), word.p);
	if (is_ours(f->item[at].key))
		return err_data(e, "%.*s means something else on a span",
		    slice_shown(word, SHOWN_MAX), word.p);
	f->item[at].copied = true;
	return 0;
}

static int
add_keep(struct pair *p, struct slice word, struct err *e)
{
	return add_copied(p, &p->from, &p->from_keys, word, e);
}

static int
add_keep_to(struct pair *p, struct slice word, struct err *e)
{
	return add_copied(p, &p->to, &p->to_keys, word, e);
}

static int
each_word(struct pair *p, const char *list,
    int (*add)(struct pair *p, struct slice word, struct err *e), struct err *e)
{
	for (;;) {
		size_t n = strcspn(list, ",");
		int rc = add(p, (struct slice){ list, n }, e);

		if (rc != 0 || list[n] == '\0')
			return rc;
		list += n + 1;
	}
}

int
pair_on(struct pair *p, const char *list, struct err *e)
{
	return each_word(p, list, add_on, e);
}

int
pair_keep(struct pair *p, const char *list, struct err *e)
{
	return each_word(p, list, add_keep, e);
}

int
pair_keep_to(struct pair *p, const char *list, struct err *e)
{
	return each_word(p, list, add_keep_to, e);
}

int
pair_name(struct pair *p, const char *name, struct err *e)
{
	return intern(p, slice_of(name), ESC_COLUMN, &p->name, e);
}

int
pair_syscalls(struct pair *p, const char *arch, struct err *e)
{
	p->naming = strcmp(arch, "none") == 0 ? NAMING_NONE : NAMING_GIVEN;
	if (p->naming == NAMING_NONE)
		return 0;
	p->calls = syscalls_of(slice_of(arch));
	if (p->calls == NULL)
		return err_data(e,
		    "the system calls of '%.*s' are not known (of x86_64, i386, aarch64, arm and "
		    "riscv64 they are)",
		    SHOWN_MAX, arch);
	return 0;
}

void
pair_set_calls(struct pair *p)
{
	p->by_call = true;
}

void
pair_set_loose(struct pair *p)
{
	p->loose = true;
}

int
pair_ready(struct pair *p, struct err *e)
{
	static const struct slice always[] = { SLICE_INIT("pid"), SLICE_INIT("tid"),
		SLICE_INIT("comm"), SLICE_INIT("pcomm"), SLICE_INIT("cpu"), SLICE_INIT("stack") };
	size_t i, n;

	for (i = 0; i < sizeof always / sizeof always[0]; i++) {
		n = fields_add(&p->from, always[i]);
		p->from.item[n].copied = true;
	}
	p->call_from = fields_add(&p->from, SLICE("tp.id"));
	p->call_to = fields_add(&p->to, SLICE("tp.id"));
	p->cpu_from = fields_add(&p->from, SLICE("cpu"));
	p->cpu_to = fields_add(&p->to, SLICE("cpu"));
	for (i = 0; i < p->to.count; i++)
		if (p->to.item[i].copied && fields_copies(&p->from, p->to.item[i].key))
			return err_data(e, "%.*s would appear twice, from both events",
			    slice_shown(p->to.item[i].key, SHOWN_MAX), p->to.item[i].key.p);
	return 0;
}

/* From lines to spans. */

static struct pair_run *
run_of(struct pair *p, const struct ev *ev, struct err *e)
{
	struct slice id = ev->col[EV_RUN];
	size_t n;

	if (p->runs.count != 0 && short_eq(p->runs.item[p->last_run], id))
		return &p->run[p->last_run];
	if (!vec_room_zero(p->run, p->runs.count, p->runs_cap)) {
		(void)err_nomem(e);
		return NULL;
	}
	n = tab_add(&p->runs, id, NULL);
	if (n == TAB_NONE) {
		(void)err_nomem(e);
		return NULL;
	}
	p->last_run = (uint32_t)n;
	return &p->run[n];
}

/* Returns the spans of the run that have moved from the CPU, or NULL if it is not known. */
static uint64_t *
moved_from(const struct pair_run *run, uint64_t cpu)
{
	return cpu < run->cpus ? &run->moved[cpu] : NULL;
}

/* Notes an event on a CPU: what was lost there before it has been told. */
static bool
see_cpu(struct pair *p, struct pair_run *run, struct slice text)
{
	if (!num_get_u64(text, &p->cpu) || p->cpu >= CPUS_MAX) {
		p->cpu = CPUS_MAX;
		return true;
	}
	if (!vec_room_zero(run->moved, (size_t)p->cpu, run->cpus))
		return false;
	run->moved[p->cpu] = 0;
	return true;
}

/* Counts losses, which may be within intervals. */
static int
see_loss(struct pair *p, const struct ev *ev, struct err *e)
{
	struct pair_run *run;
	uint64_t n, cpu, *moved;

	if (!kinds_loss(ev, &n))
		return 0;
	p->tally[TALLY_LOSSES_UNTIMED] += slice_is_nothing(ev->col[EV_TIME]);
	if (slice_is_nothing(ev->col[EV_RUN])) {
		p->losses++;
		return 0;
	}
	run = run_of(p, ev, e);
	if (run == NULL)
		return ERR_SYS;
	run->losses++;
	moved = num_get_u64(ev_get(ev, SLICE("cpu")), &cpu) ? moved_from(run, cpu) : NULL;
	if (moved != NULL && !slice_is_nothing(ev->col[EV_TIME])) {
		p->tally[TALLY_MOVED] += *moved;
		*moved = 0;
	}
	return 0;
}

/* Handles a line without a role. */
static int
pass(struct pair *p, const struct ev *ev, struct err *e)
{
	struct slice kind = ev->col[EV_KIND], arch;
	struct pair_run *run;

	if (short_eq(kind, SLICE("run"))) {
		run = run_of(p, ev, e);
		if (run == NULL)
			return ERR_SYS;
		run->described++;
		keys_see_run(&p->from_keys, ev);
		keys_see_run(&p->to_keys, ev);
		if (ev_tag(ev, SLICE("arch"), &arch))
			run->calls = syscalls_of(arch);
	} else if (short_eq(kind, SLICE("lost")) && see_loss(p, ev, e) != 0) {
		return ERR_SYS;
	}
	evw_line_about(p->w, ev, SLICE("syscall;lost"));
	return 0;
}

/* Makes the key of a line.  Sets *lacks if a part of it has no value. */
static int
make_key(struct pair *p, const struct fields *f, const size_t *on, const struct ev *ev, bool *lacks,
    struct err *e)
{
	size_t i;

	*lacks = false;
	p->key.len = 0;
	for (i = 0; i < p->on; i++) {
		struct slice v = f->item[on[i]].value;

		if (slice_is_nothing(v) && ev_is_process(f->item[on[i]].key))
			v = ev_process(ev);
		*lacks = *lacks || slice_is_nothing(v);
		if (!buf_put(&p->key, v.p, v.len) || !buf_putc(&p->key, '\t'))
			return err_nomem(e);
	}
	return 0;
}

static void
doubt(struct pair *p, enum tally which)
{
	p->tally[which]++;
	p->w->count[MARK_UNPAIRED]++;
}

static struct slice
spell(char text[WIDE_DIGITS + NUM_MAX], struct wide t)
{
	return (struct slice){ text, t.hi == 0 ? num_put_u64(text, t.lo) : wide_put(text, t) };
}

/* Defines the measure before the first span of a run. */
static void
define(struct pair *p, struct pair_run *run, struct slice id, bool fits)
{
	struct evwrite *w = p->w;

	if (run->defined)
		return;
	run->defined = true;
	evw_begin(w, SLICE("measure"));
	evw_none(w);
	evw_column(w, id);
	evw_none(w);
	evw_raw(w, p->name);
	evw_none(w);
	if (fits)
		evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	evw_end(w);
}

/* Returns the name of the system call in a measure such as syscalls:sys_enter_read, or nothing. */
static struct slice
call_in(struct slice measure, struct slice before)
{
	if (measure.len <= before.len || memcmp(measure.p, before.p, before.len) != 0)
		return (struct slice){ "", 0 };
	return (struct slice){ measure.p + before.len, measure.len - before.len };
}

/* Returns the name that the measure of the first line had. */
static struct slice
call_of(const struct begun *b)
{
	return (struct slice){ b->text.p + b->text.len - b->call_len, b->call_len };
}

/* Returns the table for the numbers of a run, or NULL. */
static const struct syscalls *
calls_of(const struct pair *p, const struct pair_run *run)
{
	return p->naming == NAMING_GIVEN ? p->calls : run->calls;
}

static void
put_call(struct pair *p, const struct pair_run *run, const struct begun *b)
{
	const struct syscalls *calls = calls_of(p, run);
	const char *name;

	if (p->naming == NAMING_NONE)
		return;
	if (!b->numbered) {
		if (b->call_len != 0)
			evw_tag_raw(p->w, SLICE("syscall"), call_of(b));
		return;
	}
	p->tally[TALLY_UNNAMED] += calls == NULL;
	name = calls == NULL ? NULL : syscalls_name(calls, b->number);
	if (name != NULL)
		evw_tag_raw(p->w, SLICE("syscall"), slice_of(name));
	else
		evw_tag_u64(p->w, SLICE("syscall"), b->number);
}

static void
put_span(struct pair *p, struct pair_run *run, const struct begun *b)
{
	char text[WIDE_DIGITS + NUM_MAX], start[WIDE_DIGITS + NUM_MAX];
	struct slice region = { b->text.p + b->key_len, b->region_len };
	struct slice rest = { region.p + region.len,
		b->text.len - b->key_len - region.len - b->call_len };
	struct wide elapsed = wide_sub(run->now, b->time);
	bool fits = elapsed.hi == 0 && elapsed.lo <= INT64_MAX;
	struct slice id = p->runs.item[p->last_run];
	struct evwrite *w = p->w;
	struct ev_tag tag;
	uint64_t *moved;
	size_t i;

	define(p, run, id, fits);
	evw_begin(w, SLICE("span"));
	evw_raw(w, spell(text, run->now));
	evw_column(w, id);
	evw_column(w, region);
	evw_column(w, p->name);
	evw_raw(w, spell(text, elapsed));
	evw_tag_raw(w, SLICE("start"), spell(start, b->time));
	while (ev_next_tag(&rest, &tag))
		evw_tag_raw(w, tag.key, tag.value);
	for (i = 0; i < p->to.count; i++)
		if (p->to.item[i].copied && p->to.item[i].present)
			evw_tag_raw(w, p->to.item[i].key, p->to.item[i].value);
	put_call(p, run, b);
	if (b->losses != run->losses + p->losses) {
		evw_tag_raw(w, SLICE("lost"), SLICE("1"));
		p->tally[TALLY_ACROSS]++;
	} else if (b->cpu != p->cpu && (moved = moved_from(run, b->cpu)) != NULL) {
		(*moved)++;
	}
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	if (fits)
		evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	evw_end(w);
	p->tally[TALLY_SPANS]++;
}

/* Returns true if the line ends a system call that has a number. */
static bool
ends_call(const struct pair *p, const struct ev *ev, uint64_t *number)
{
	return short_eq(ev->col[EV_MEASURE], SLICE("raw_syscalls:sys_exit")) &&
	    num_get_u64(p->to.item[p->call_to].value, number);
}

/* Returns true if a call that has begun with one number and ended with another is an execve. */
static bool
is_exec(struct pair *p, const struct pair_run *run, uint64_t *begun, uint64_t ended)
{
	switch (syscalls_exec(calls_of(p, run), *begun, ended)) {
	case SYSCALLS_OTHER: return false;
	case SYSCALLS_SAME: break;
	case SYSCALLS_ENTERS: p->tally[TALLY_FOREIGN] += p->naming != NAMING_NONE; break;
	case SYSCALLS_LEAVES: *begun = ended; break;
	}
	return true;
}

/*
 * Takes an end without a beginning as the first line of a run.  A recording of one program begins
 * inside the execve that starts it.
 */
static void
take_first(struct pair *p, struct pair_run *run, const struct ev *ev)
{
	uint64_t begun = SYSCALLS_UNSEEN, ended;

	if (!run->seen && ends_call(p, ev, &ended))
		(void)is_exec(p, run, &begun, ended);
}

/* Returns true if the line ends another system call than the one that began. */
static bool
is_other_call(struct pair *p, const struct pair_run *run, const struct ev *ev, struct begun *b)
{
	uint64_t number;

	if (p->by_call && b->call_len != 0)
		return !slice_eq(call_of(b),
		    call_in(ev->col[EV_MEASURE], SLICE("syscalls:sys_exit_")));
	/* after a return from a signal it is -1 */
	return b->numbered && ends_call(p, ev, &number) && number != b->number &&
	    !is_exec(p, run, &b->number, number);
}

static int
end(struct pair *p, struct pair_run *run, const struct ev *ev, struct err *e)
{
	struct begun *b;
	bool lacks;
	int rc;

	p->tos++;
	fields_read(&p->to, ev);
	if (!see_cpu(p, run, p->to.item[p->cpu_to].value))
		return err_nomem(e);
	rc = make_key(p, &p->to, p->on_to, ev, &lacks, e);
	if (rc != 0)
		return rc;
	b = lacks ? NULL : pending_find(&p->pending, p->last_run, buf_slice(&p->key));
	if (lacks) {
		doubt(p, TALLY_NO_KEY);
	} else if (b != NULL && is_other_call(p, run, ev, b)) {
		doubt(p, TALLY_OTHER_CALL);
		pending_drop(&p->pending, b);
	} else if (b != NULL) {
		put_span(p, run, b);
		pending_drop(&p->pending, b);
	} else if (!pending_known(&p->pending, p->last_run, buf_slice(&p->key))) {
		p->tally[TALLY_EDGE_TO]++;
		take_first(p, run, ev);
	} else if (p->loose) {
		p->tally[TALLY_ALONE]++;
	} else {
		doubt(p, TALLY_ALONE);
	}
	return 0;
}

/*
 * Returns true if threads leave a CPU and come back.  Without -a, perf sees sched_switch only when
 * one of the threads that it records leaves, so that a thread seems to leave again and again.
 */
static bool
is_of_switches(const struct pair *p)
{
	size_t i;

	for (i = 0; i < p->on; i++)
		if (slice_eq(p->from.item[p->on_from[i]].key, SLICE("tp.prev_pid")) &&
		    slice_eq(p->to.item[p->on_to[i]].key, SLICE("tp.next_pid")))
			return true;
	return false;
}

/* Counts a first line while an interval is open, which is dropped or, with loose, goes on. */
static void
begin_again(struct pair *p, const struct pair_run *run, struct begun *open)
{
	bool lost = run->losses + p->losses != open->losses;
	enum tally which = is_of_switches(p) && !lost ? TALLY_AWAY : TALLY_AGAIN;

	if (p->loose && which == TALLY_AGAIN)
		p->tally[which]++;
	else
		doubt(p, which);
	if (!p->loose)
		pending_drop(&p->pending, open);
}

/* Stores what the span will need. */
static bool
keep(struct pair *p, struct begun *b, const struct ev *ev)
{
	struct slice region = ev->col[EV_REGION];
	struct buf *t = &b->text;
	bool ok = buf_put(t, region.p, region.len), first = true;
	size_t i;

	b->region_len = region.len;
	for (i = 0; ok && i < p->from.count; i++) {
		const struct field *f = &p->from.item[i];

		if (!f->copied || f->column != EV_COLUMNS || !f->present)
			continue;
		ok = (first || buf_putc(t, '\t')) && buf_put(t, f->key.p, f->key.len) &&
		    buf_putc(t, '=') && buf_put(t, f->value.p, f->value.len);
		first = false;
	}
	return ok;
}

/* Stores which system call begins, if it is one, even if it will not be named: its end must fit. */
static bool
keep_call(struct pair *p, struct begun *b, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE],
		     name = call_in(measure, SLICE("syscalls:sys_enter_"));
	const struct field *number = &p->from.item[p->call_from];
	bool raw = short_eq(measure, SLICE("raw_syscalls:sys_enter"));

	p->tally[TALLY_UNNUMBERED] += raw && !number->present;
	b->numbered = (raw || p->naming == NAMING_GIVEN) && num_get_u64(number->value, &b->number);
	b->call_len = name.len;
	return buf_put(&b->text, name.p, name.len);
}

static int
begin(struct pair *p, struct pair_run *run, const struct ev *ev, struct err *e)
{
	struct begun *b;
	bool lacks;
	int rc;

	p->froms++;
	fields_read(&p->from, ev);
	if (!see_cpu(p, run, p->from.item[p->cpu_from].value))
		return err_nomem(e);
	rc = make_key(p, &p->from, p->on_from, ev, &lacks, e);
	if (rc != 0)
		return rc;
	if (lacks) {
		doubt(p, TALLY_NO_KEY);
		return 0;
	}
	b = pending_find(&p->pending, p->last_run, buf_slice(&p->key));
	if (b != NULL)
		begin_again(p, run, b);
	if (b != NULL && p->loose)
		return 0;
	b = pending_add(&p->pending, p->last_run, buf_slice(&p->key));
	if (b == NULL || !keep(p, b, ev) || !keep_call(p, b, ev))
		return err_nomem(e);
	b->time = run->now;
	b->cpu = p->cpu;
	b->losses = run->losses + p->losses;
	return 0;
}

/* Leaves out a line with a role whose time is before that of an earlier one. */
static int
go_back(struct pair_run *run, const struct ev *ev, struct err *e)
{
	if (run->described > 1) {
		run->misfits++;
		return 0;
	}
	return err_line(e, ev->number,
	    "goes back in time: it is left out; use sort -s -t \"$(printf '\\t')\" "
	    "-k 3,3 -k 2,2n before");
}

int
pair_line(struct pair *p, const struct ev *ev, unsigned roles, struct err *e)
{
	struct slice text = ev->col[EV_TIME];
	struct wide time = { 0, 0 };
	struct pair_run *run;
	int rc = 0;

	if (roles == 0)
		return pass(p, ev, e);
	if (slice_eq(ev->col[EV_KIND], SLICE("part")))
		return err_line(e, ev->number, KINDS_PARTS);
	if (!num_get_u64(text, &time.lo) && wide_get(text, &time) != WIDE_OK)
		return err_line(e, ev->number, "time \"%.*s\" is not a time of up to 128 bits",
		    slice_shown(text, SHOWN_MAX), text.p);
	run = run_of(p, ev, e);
	if (run == NULL)
		return ERR_SYS;
	if (wide_cmp(time, run->now) < 0)
		return go_back(run, ev, e);
	run->now = time;
	if ((roles & PAIR_TO) != 0) {
		if (!keys_done(&p->to_keys))
			keys_see(&p->to_keys, ev);
		rc = end(p, run, ev, e);
	}
	if (rc == 0 && (roles & PAIR_FROM) != 0) {
		if (!keys_done(&p->from_keys))
			keys_see(&p->from_keys, ev);
		rc = begin(p, run, ev, e);
	}
	run->seen = true;
	return rc;
}

/* What is reported at the end. */

__attribute__((format(printf, 3, 4))) static bool
report(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	*e = (struct err){ .code = code };
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	return true;
}

/* What a number is a part of, so that its size can be judged. */
enum whole { OF_NOTHING, OF_FROMS, OF_TOS, OF_EVENTS, OF_SPANS };

/* How something is reported. */
struct remark {
	const char *text;
	bool doubt;
	enum whole whole;
};

static const struct remark remarks[TALLIES] = {
	[TALLY_EDGE_TO] = { "left out intervals that did not begin in the recording", false,
	    OF_NOTHING },
	[TALLY_OPEN] = { "left out intervals that did not end in the recording", false,
	    OF_NOTHING },
	[TALLY_AGAIN] = { "left out intervals that began again before they ended, so totals are "
			  "too small (see --loose)",
	    true, OF_FROMS },
	[TALLY_AWAY] = { "left out intervals that began again before they ended, so totals are "
			 "too small (perf record sees who comes back only with -a, and not while "
			 "it starts or ends)",
	    true, OF_FROMS },
	[TALLY_ALONE] = { "left out ends of intervals that had not begun, so totals are too small "
			  "(see --loose)",
	    true, OF_TOS },
	[TALLY_OTHER_CALL] = { "left out intervals that ended as another system call", true,
	    OF_TOS },
	[TALLY_NO_KEY] = { "left out events without a value for a key of --on", true, OF_EVENTS },
	[TALLY_ACROSS] = { "intervals during which events were lost (lost=1), which may be two "
			   "(perf record loses fewer with a larger -m)",
	    false, OF_SPANS },
	[TALLY_MOVED] = { "intervals that ended on another CPU before events were reported as "
			  "lost on the first one, so they may be two (perf record loses fewer with "
			  "a larger -m)",
	    false, OF_SPANS },
	[TALLY_LOSSES_UNTIMED] = { "losses at an unknown time, so any interval may be wrong", false,
	    OF_NOTHING },
	[TALLY_FOREIGN] = { "programs began whose system calls have other numbers (32-bit ones "
			    "on a 64-bit kernel), so names of these are wrong (afsel chooses them, "
			    "--syscalls i386 names them)",
	    true, OF_NOTHING },
	[TALLY_UNNUMBERED] = { "system calls without a number (tp.id), so they have no names, and "
			       "the end of another call may end them",
	    false, OF_FROMS },
	[TALLY_UNNAMED] = { "intervals of a run whose system calls have no names here (see "
			    "--syscalls)",
	    false, OF_NOTHING },
};

/* The same with --loose, where it differs. */
static const struct remark loose_remarks[TALLIES] = {
	[TALLY_AGAIN] = { "left out events in an interval that had already begun", false,
	    OF_FROMS },
	[TALLY_AWAY] = { "threads left a CPU again before they came back, so intervals are too "
			 "long (perf record sees who comes back only with -a, and not while it "
			 "starts or ends)",
	    true, OF_FROMS },
	[TALLY_ALONE] = { "left out ends of intervals that had not begun", false, OF_TOS },
};

static uint64_t
size_of(const struct pair *p, enum whole whole)
{
	const uint64_t size[] = { [OF_FROMS] = p->froms,
		[OF_TOS] = p->tos,
		[OF_EVENTS] = p->froms + p->tos,
		[OF_SPANS] = p->tally[TALLY_SPANS] };

	return size[whole];
}

static bool
report_count(const struct pair *p, enum tally which, struct err *e)
{
	const struct remark *r =
	    p->loose && loose_remarks[which].text != NULL ? &loose_remarks[which] : &remarks[which];
	uint64_t n = which == TALLY_OPEN ? p->pending.count : p->tally[which];

	if (which == TALLY_SPANS ? n != 0 || p->froms == 0 || p->tos == 0 : n == 0)
		return false;
	if (which == TALLY_SPANS)
		return report(e, ERR_NONE, "left out all events, because no two agree in --on");
	(void)report(e, r->doubt ? ERR_DOUBT : ERR_NONE, "%s: %" PRIu64, r->text, n);
	if (r->whole != OF_NOTHING)
		(void)err_add(e, " of %" PRIu64, size_of(p, r->whole));
	return true;
}

/* Describes what does not fit because run I is several.  Returns false if there is nothing. */
static bool
report_misfits(const struct pair *p, size_t i, struct err *e)
{
	struct slice id = p->runs.item[i];

	if (p->run[i].misfits == 0)
		return false;
	return report(e, ERR_DATA, KINDS_MIXED, slice_shown(id, SHOWN_MAX), id.p,
	    p->run[i].misfits);
}

bool
pair_rest(struct pair *p, size_t *at, struct err *e)
{
	size_t first = p->from_keys.wanted, last = first + p->to_keys.wanted, sub;

	if (*at < first && p->froms != 0 && keys_missing(&p->from_keys, at, e) != 0)
		return true;
	if (*at < first)
		*at = first;
	sub = *at - first;
	if (*at < last && p->tos != 0 && keys_missing(&p->to_keys, &sub, e) != 0) {
		*at = first + sub;
		return true;
	}
	if (*at < last)
		*at = last;
	while (*at < last + TALLIES)
		if (report_count(p, (enum tally)((*at)++ - last), e))
			return true;
	while (*at < last + TALLIES + p->runs.count)
		if (report_misfits(p, (*at)++ - last - TALLIES, e))
			return true;
	return false;
}
