/* SPDX-License-Identifier: ISC */
/* jitted.c - the code in JIT memory, which depends on the process and the time. */
#include "lib/evwrite.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/state/state.h"

#define NEAR_BITS 8
#define JITTED_BITS 10
/*
 * Nanoseconds of the recording between two looks at a file that may grow.  Those at a dump begin
 * with a shorter step when it has grown, since memory that has been used again has the name of its
 * old code until the next look.
 */
#define LATER_STEP ((uint64_t)100000000)
#define GROWING_STEP ((uint64_t)10000000)

/* Returns the interface for JIT code, which unwinding needs, too, or NULL. */
static const struct symbolizer *
jit_face(const struct dsos *d)
{
	return d->symbolizer != NULL ? d->symbolizer : d->unwinder;
}

struct sym_clock
state_clock(const struct state *s)
{
	struct sym_clock c = { .kind = SYM_CLOCK_OTHER,
		.shift = s->clock_shift,
		.mult = s->clock_mult,
		.zero = s->clock_zero };
	bool monotonic = true, own = true;
	size_t i;

	for (i = 0; i < s->events->count; i++) {
		const struct attr *a = &s->events->item[i].attr;
		bool chosen = (a->flags & A_USE_CLOCKID) != 0;

		if ((a->sample_type & S_TIME) == 0)
			return c;
		monotonic &= chosen && a->clockid == CLOCK_ID_MONOTONIC;
		own &= !chosen;
	}
	c.kind = monotonic ? SYM_CLOCK_MONOTONIC : own ? SYM_CLOCK_PERF : SYM_CLOCK_OTHER;
	return c;
}

static struct sym_process
process_of(struct state *s, uint32_t pid)
{
	const struct process *p = tasks_process(&s->tasks, pid);
	struct sym_process known = { .pid = pid, .origin = dsos_origin(&s->dsos) };

	if (p != NULL) {
		known.address = p->file.address;
		known.file = p->file.path;
	}
	return known;
}

/* Requests the code of a dump, or what the file has had since. */
static void
seek_dump(struct state *s, struct process_dump *d)
{
	const struct symbolizer *face = jit_face(&s->dsos);
	struct sym_dump dump = { .path = d->path,
		.inode = d->inode,
		.own = d->own,
		.process = process_of(s, d->pid),
		.clock = state_clock(s) };
	struct jitdump *code;

	code = (d->sought ? face->dump_later : face->dump)(face->ctx, &dump);
	d->step = !d->sought || code != d->code ? GROWING_STEP : 2 * d->step;
	if (d->step > LATER_STEP)
		d->step = LATER_STEP;
	if (code != NULL)
		d->code = code;
	d->sought = true;
	d->due = face->dump_later == NULL || s->now.time > UINT64_MAX - d->step
	    ? UINT64_MAX
	    : s->now.time + d->step;
}

/* Looks at the dumps of the process that are due.  If one has grown, no earlier result is valid. */
static void
look_at_dumps(struct state *s)
{
	struct process *p = s->now.process;
	struct process_dump *d;
	bool grown = false;

	for (d = p->dumps; d != NULL; d = d->next) {
		const struct jitdump *before = d->code;
		bool sought;

		if (d->sought && (s->now.time < d->due || d->due == UINT64_MAX))
			continue;
		sought = d->sought;
		seek_dump(s, d);
		grown |= sought && d->code != before;
	}
	if (grown)
		p->dumps_serial = ++s->tasks.dumps_serial;
}

/* Finds the code at ip now in all dumps of the process.  The newest code wins. */
static void
find_code(struct state *s, struct jitted *j, uint64_t ip)
{
	struct sym_code c, *all = &j->code;
	struct process_dump *d;
	uint64_t newest = 0;

	*all = (struct sym_code){ .never = true,
		.address = { 0, UINT64_MAX },
		.time = { 0, UINT64_MAX } };
	for (d = s->now.process->dumps; d != NULL; d = d->next) {
		bool forked = s->now.time > d->until;

		if (d->code == NULL)
			continue;
		jit_face(&s->dsos)->code(d->code, ip, forked ? d->until : s->now.time, &c);
		if (c.symbol != NULL && (all->symbol == NULL || c.time.from > newest)) {
			newest = c.time.from;
			all->symbol = c.symbol;
			all->shift = c.shift;
			all->number = c.number;
			j->dump = d->code;
		}
		all->never &= c.never;
		all->address = span_intersection(all->address, c.address);
		all->time = span_intersection(all->time,
		    forked ? (struct span){ d->until, UINT64_MAX }
			   : span_intersection(c.time, (struct span){ 0, d->until }));
	}
}

struct span
jitted_until_due(const struct state *s)
{
	const struct process_dump *d;
	struct span span = { 0, UINT64_MAX };

	for (d = s->now.process->dumps; d != NULL; d = d->next)
		if (d->sought && d->due < span.to)
			span.to = d->due;
	return span;
}

struct jitted *
jitted_at(struct state *s, struct dso *dso, uint64_t ip)
{
	uint64_t serial, key;
	struct jitted *j;

	look_at_dumps(s);
	serial = s->now.process->dumps_serial;
	key = ip >> NEAR_BITS ^ serial << 32 ^ (uint64_t)(uintptr_t)dso << 20;
	if (s->jitted == NULL &&
	    (s->jitted = mem_zero((size_t)1 << JITTED_BITS, sizeof *s->jitted)) == NULL) {
		evw_nomem(s->w);
		return NULL;
	}
	j = &s->jitted[key * 0x9e3779b97f4a7c15u >> (64 - JITTED_BITS)];
	if (j->dso == dso && j->serial == serial && span_has(j->code.address, ip) &&
	    span_has(j->code.time, s->now.time))
		return j;
	*j = (struct jitted){ .serial = serial, .dso = dso };
	find_code(s, j, ip);
	dso->dumped |= s->now.process->dumps != NULL;
	return j;
}

void
jitted_load(struct state *s, struct dso *o)
{
	const struct symbolizer *face = jit_face(&s->dsos);
	struct sym_process process;

	if (!o->loaded && face != NULL) {
		process = process_of(s, o->pid);
		process.dumped = o->dumped;
		o->symbols = face->jit(face->ctx, &process);
	}
	o->loaded = true;
}

uint64_t
jitted_due(const struct state *s, const struct dso *o)
{
	const struct symbolizer *face = jit_face(&s->dsos);

	if (face == NULL || face->jit_later == NULL || s->now.time > UINT64_MAX - LATER_STEP)
		return UINT64_MAX;
	return o->later == NULL ? s->now.time : o->later->due;
}

bool
jitted_is_due(const struct state *s, const struct dso *o)
{
	uint64_t due = jitted_due(s, o);

	return due != UINT64_MAX && due <= s->now.time;
}

/* Reads what the map has had since the last time.  Returns false if that is nothing. */
static bool
read_on(struct state *s, struct dso *o)
{
	const struct symbolizer *face = jit_face(&s->dsos);
	struct dso_later *l = o->later;
	struct sym_process process;
	const struct symtab *tab;

	if (!jitted_is_due(s, o))
		return false;
	if (l == NULL)
		l = o->later = mem_zero(1, sizeof *l);
	if (l == NULL || !vec_room(l->tab, l->n, l->cap)) {
		evw_nomem(s->w);
		return false;
	}
	l->due = s->now.time + LATER_STEP;
	process = process_of(s, o->pid);
	if ((tab = face->jit_later(face->ctx, &process)) == NULL)
		return false;
	l->tab[l->n++] = tab;
	s->dsos.changes++;
	return true;
}

/* Looks into all that has been read of a map.  What was listed last counts. */
static const struct symbol *
find_listed(const struct dso *o, uint64_t ip, struct span *span)
{
	size_t i = o->later == NULL ? 0 : o->later->n;
	const struct symbol *symbol = NULL;
	struct span found;

	*span = (struct span){ 0, UINT64_MAX };
	while (symbol == NULL && i-- > 0) {
		symbol = symtab_find_span(o->later->tab[i], ip, &found);
		*span = span_intersection(*span, found);
	}
	if (symbol == NULL && o->symbols != NULL) {
		symbol = symtab_find_span(o->symbols, ip, &found);
		*span = span_intersection(*span, found);
	}
	return symbol;
}

const struct symbol *
jitted_listed(struct state *s, struct dso *o, uint64_t ip, struct span *span)
{
	const struct symbol *symbol;

	jitted_load(s, o);
	symbol = find_listed(o, ip, span);
	return symbol == NULL && read_on(s, o) ? find_listed(o, ip, span) : symbol;
}

/* Returns true if a jitdump of the process could be read. */
static bool
has_dump(const struct process *p)
{
	const struct process_dump *d = p->dumps;

	while (d != NULL && d->code == NULL)
		d = d->next;
	return d != NULL;
}

void
jitted_unwind(struct state *s, struct dso *dso, uint64_t ip, struct unwind_object *o)
{
	struct jitted *j = s->dsos.unwinder == NULL ? NULL : jitted_at(s, dso, ip);
	struct span span;

	o->why = UNWIND_NO_FILE;
	if (j == NULL)
		return;
	if (has_dump(s->now.process))
		o->why = UNWIND_UNLISTED;
	if (j->code.symbol != NULL) {
		o->cfi = s->dsos.unwinder->code_unwind(j->dump, &j->code);
		o->place = ip + j->code.shift;
		o->why = UNWIND_NO_INFO;
	} else if (j->code.never && jitted_listed(s, dso, ip, &span) != NULL) {
		o->why = UNWIND_NO_INFO;
	}
}
