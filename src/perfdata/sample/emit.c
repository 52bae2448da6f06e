/* SPDX-License-Identifier: ISC */
/* emit.c - the lines of a sample. */
#include <errno.h>
#include <string.h>

#include "lib/copy.h"
#include "src/perfdata/attr/attrs.h"
#include "src/perfdata/record/fields.h"
#include "src/perfdata/sample/line.h"

/* The parts of a line of bounded length: numbers, keys, separators. */
#define LINE_FIXED 512

/* Fields with tags of their own, after the usual ones. */
#define S_EXTRAS (~(S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_CALLCHAIN))

/* The region is a column; only ';' is spelled differently there than in a list. */
static char *
put_region(char *p, const struct line *l)
{
	const struct symbol *s = l->at->symbol;

	if (s != NULL && s->name != l->at->name)
		return p + esc_write(p, s->name, s->namelen, ESC_COLUMN);
	if (s == NULL && l->at->dso != NULL)
		return copy_short(p, l->at->dso->texts->region.p, l->at->dso->texts->region.len);
	return copy_short(p, l->at->name, l->at->namelen);
}

static char *
put_where(char *p, const struct line *l)
{
	if (l->mode != MODE_UNKNOWN) {
		p = copy_short(p, "\tmode=", 6);
		*p++ = MODE_LETTERS[l->mode];
	}
	p = copy_short(p, "\tip=", 4);
	p += num_put_hex(p, l->s->ip);
	if (l->at->dso != NULL)
		p = copy_short(p, l->at->dso->texts->tag.p, l->at->dso->texts->tag.len);
	if (l->at->symbol != NULL) {
		p = copy_short(p, "\tsymoff=", 8);
		p += num_put_hex(p, l->place - l->at->start);
	}
	return p;
}

/* The time: its high digits are mostly the same as in the sample before. */
static char *
put_time(char *p, struct recent_time *recent, uint64_t time)
{
	if (time < recent->base || time - recent->base >= RECENT_STEP || recent->len == 0) {
		recent->base = time - time % RECENT_STEP;
		recent->len = recent->base == 0 ? 0 : num_put_u64(recent->text, time / RECENT_STEP);
	}
	if (recent->len == 0)
		return p + num_put_u64(p, time);
	memcpy(p, recent->text, sizeof recent->text);
	p += recent->len;
	num_put_8(p, (uint32_t)(time - recent->base));
	return p + 8;
}

/* A value: mostly the same as before, a fixed period. */
static char *
put_value(char *p, struct recent_value *recent, uint64_t value)
{
	if (value != recent->value || recent->len == 0) {
		recent->value = value;
		recent->len = num_put_u64(recent->text, value);
	}
	memcpy(p, recent->text, sizeof recent->text);
	return p + recent->len;
}

static size_t
head_size(const struct decoder *d, const struct attr *a, const struct line *l)
{
	size_t n = LINE_FIXED + d->run_column.len + a->column.len;

	n += (size_t)l->at->namelen * ESC_MAX_GROWTH;
	n += l->at->dso == NULL ? 0 : l->at->dso->texts->region.len;
	n += l->who.len;
	return n + (l->at->dso == NULL ? 0 : l->at->dso->texts->tag.len);
}

/* For a thread that is not its process's first: the name of the first.  NULL without memory. */
static char *
put_process(struct decoder *d, const struct line *l, char *p)
{
	struct slice text = process_text(&d->tasks, l->thread, l->s->pid);

	evw_advance(d->w, p);
	if (text.p == NULL)
		evw_nomem(d->w);
	p = text.p == NULL ? NULL : evw_room(d->w, text.len + LINE_FIXED);
	return p == NULL ? NULL : copy_short(p, text.p, text.len);
}

/* Columns and the tags up to symoff, in one piece of memory; nothing if there is no memory. */
static void
put_head(struct decoder *d, const struct attr *a, const struct line *l, uint64_t value)
{
	const struct sample *s = l->s;
	char *p;

	evw_start(d->w);
	p = evw_room(d->w, head_size(d, a, l));
	if (p == NULL)
		return;
	memcpy(p, "sample\t", 7);
	p += 7;
	if ((s->have & S_TIME) != 0)
		p = put_time(p, &d->recent_time, s->time);
	else
		*p++ = '.';
	p = copy_short(p, d->run_column.p, d->run_column.len);
	p = put_region(p, l);
	p = copy_short(p, a->column.p, a->column.len);
	p = put_value(p, &d->recent_value, value);
	p = l->who.p == NULL ? copy_short(p, "\tpid=.\ttid=.\tcomm=.", 19)
			     : copy_short(p, l->who.p, l->who.len);
	memcpy(p, "\tcpu=", 5);
	p += 5;
	if ((s->have & S_CPU) != 0 && s->cpu != UINT32_MAX)
		p += num_put_u64(p, s->cpu);
	else
		*p++ = '.';
	if ((s->have & S_IP) != 0)
		p = put_where(p, l);
	if (l->who.p != NULL && s->tid != s->pid && (p = put_process(d, l, p)) == NULL)
		return;
	evw_advance(d->w, p);
}

/* The tag id: there are few ids, one for each event and CPU, so their texts are kept. */
static void
put_id(struct decoder *d, uint64_t id)
{
	struct recent_value *recent = &d->recent_ids[id % RECENT_IDS];
	char *p = evw_room(d->w, sizeof recent->text);

	if (p == NULL)
		return;
	if (id != recent->value || recent->len == 0) {
		recent->value = id;
		memcpy(recent->text, "\tid=", 4);
		recent->len = 4 + num_put_hex(recent->text + 4, id);
	}
	memcpy(p, recent->text, sizeof recent->text);
	evw_advance(d->w, p + recent->len);
}

static void
put_counter(struct evwrite *w, const struct counter *c)
{
	evw_tag_u64(w, SLICE("count"), c->value);
	if ((c->format & R_ENABLED) != 0)
		evw_tag_u64(w, SLICE("enabled"), c->enabled);
	if ((c->format & R_RUNNING) != 0)
		evw_tag_u64(w, SLICE("running"), c->running);
}

/* Bytes of fields that only newer versions of perf know. */
static void
put_rest(struct evwrite *w, struct cur c)
{
	size_t n = cur_left(&c);

	fields_put_bytes(w, SLICE("rest"), cur_take(&c, n), n);
}

/*
 * Writes a line for one event; counter is NULL if the value is a period.  If the head
 * failed, the writer has the error and drops the line.
 */
static void
put_line(struct decoder *d, const struct attr *a, const struct line *l, uint64_t value,
    const struct counter *counter)
{
	put_head(d, a, l, value);
	if ((l->s->have & S_CALLCHAIN) != 0) {
		chain_put_stack(d->w, l);
		if (l->deferred)
			evw_tag_u64(d->w, SLICE("deferred"), 1);
	}
	if (d->opt->frames && (l->s->have & (S_IP | S_CALLCHAIN)) != 0)
		chain_put_places(d, l);
	if (l->with_id)
		put_id(d, l->s->id);
	else if ((l->s->have & S_EXTRAS) != 0)
		extras_emit(d, l);
	if (counter != NULL)
		put_counter(d->w, counter);
	if (d->opt->all && cur_left(&l->s->rest) >= 8)
		put_rest(d->w, l->s->rest);
	if (d->late)
		evw_tag_u64(d->w, SLICE("late"), 1);
	evw_end(d->w);
}

struct counted {
	struct decoder *d;
	const struct line *l;
};

/* PERF_SAMPLE_READ: a line for each counter that grew. */
static void
put_counted(void *ctx, uint32_t attr, const struct counter *c, uint64_t grown)
{
	const struct counted *to = ctx;

	if (grown != 0)
		put_line(to->d, &to->d->attr[attr], to->l, grown, c);
}

static int
put_counters(struct decoder *d, const struct attr *a, const struct line *l, struct err *e)
{
	const struct sample *s = l->s;
	struct counted to = { d, l };
	struct readings r = { .a = a,
		.part = s->read,
		.id = s->id,
		.thread = (s->have & S_TID) != 0 ? l->thread : NULL,
		.at = { .have = s->have, .pid = s->pid, .tid = s->tid, .cpu = s->cpu },
		.offset = l->rec->offset };

	r.at.time = (s->have & S_TIME) != 0 ? s->time : 0;
	return counts_take(d, &r, put_counted, &to, e);
}

static int
find_thread(struct decoder *d, struct line *l, struct err *e)
{
	const struct sample *s = l->s;
	bool named = (s->have & S_TID) != 0;

	l->thread =
	    tasks_thread(&d->tasks, named ? s->pid : UINT32_MAX, named ? s->tid : UINT32_MAX);
	if (l->thread == NULL)
		return err_nomem(e);
	l->who = named ? thread_text(l->thread, s->pid) : (struct slice){ NULL, 0 };
	return named && l->who.p == NULL ? err_nomem(e) : 0;
}

/*
 * Counts a sample whose callers are only in its stack dump.  perf would unwind that, which needs
 * the registers, too.  Kernel threads have neither.
 */
static HINT_APART void
count_copy(struct decoder *d, const struct sample *s)
{
	bool whole = (s->have & S_REGS_USER) != 0 && s->user_abi != 0 && s->stack_dynamic != 0;

	if (whole && !chain_has_user_callers(s))
		d->w->count[MARK_NOT_UNWOUND]++;
}

int
emit_sample(struct decoder *d, const struct rec *r, struct err *e)
{
	static const struct frame nowhere = { .name = "[unknown]", .namelen = 9 };
	uint64_t id = 0;
	struct attr *a = attrs_of_sample(d, r, &id);
	struct sample s;
	struct line l;

	if (a == NULL && d->mixed)
		return err_byte(e, r->offset,
		    "sample of one of %zu events that are laid out in different ways: nothing in "
		    "it tells which",
		    d->attrs);
	if (a == NULL)
		return err_byte(e, r->offset, "sample of unknown event id 0x%llx",
		    (unsigned long long)id);
	if (sample_decode(&s, a, r, d->big_endian, e) != 0)
		return e->code;
	d->unknown.samples += cur_left(&s.rest) >= 8;
	if (!d->run_known)
		run_begin(d, &s);
	l.s = &s;
	l.rec = r;
	l.attr = a;
	l.mode = (r->misc & MISC_CPUMODE) <= MODE_GUEST_USER
	    ? (enum cpumode)(r->misc & MISC_CPUMODE)
	    : MODE_UNKNOWN;
	if (find_thread(d, &l, e) != 0)
		return e->code;
	l.at = (s.have & S_IP) != 0
	    ? frames_find(d->frames, &d->tasks, l.thread, l.mode, s.ip, &l.place)
	    : &nowhere;
	l.with_id = (s.have & S_EXTRAS) == S_ID || (s.have & S_EXTRAS) == S_IDENTIFIER;
	if ((s.have & S_CALLCHAIN) != 0 || d->opt->frames) {
		l.at_copy = *l.at;
		l.at = &l.at_copy;
	}
	if ((s.have & S_CALLCHAIN) != 0) {
		if ((a->branch_sample_type & B_CALL_STACK) != 0 && (s.have & S_BRANCH_STACK) != 0)
			lbr_chain(d, &s);
		chain_find(d, &l);
	}
	d->samples++;
	if ((s.have & S_STACK_USER) != 0)
		count_copy(d, &s);
	if ((s.have & S_READ) != 0)
		return put_counters(d, a, &l, e);
	put_line(d, a, &l, s.period, NULL);
	return 0;
}
