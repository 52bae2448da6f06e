/* SPDX-License-Identifier: ISC */
/*
 * callers.c - unwinds the stack copy of a sample and counts the stacks that end early.
 */
#include <stdio.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/sample/parts.h"
#include "src/perfdata/tags.h"

#define COPY_MAX 65528 /* the largest size that perf record takes: whole 8 bytes below 64 KiB */

/* PERF_SAMPLE_REGS_ABI: include/uapi/linux/perf_event.h. */
enum { ABI_NONE, ABI_32, ABI_64 };

/* Each reason as a word, for the why tag of incomplete lines, and as text, for messages. */
static const struct {
	struct slice word;
	const char *text;
} reasons[UNWIND_ENDS] = {
	[UNWIND_NO_REGISTERS] = { SLICE_INIT("registers"), "no registers" },
	[UNWIND_NO_MAPPING] = { SLICE_INIT("no_mapping"), "no mapping" },
	[UNWIND_NO_FILE] = { SLICE_INIT("no_file"), "no object file" },
	[UNWIND_UNLISTED] = { SLICE_INIT("unlisted"), "code that its jitdump does not list" },
	[UNWIND_NO_INFO] = { SLICE_INIT("no_info"), "no unwind information" },
	[UNWIND_SHORT] = { SLICE_INIT("short_copy"), "stack copy too short" },
	[UNWIND_DAMAGED] = { SLICE_INIT("damaged"), "information does not fit" },
	[UNWIND_SKIPPED] = { SLICE_INIT("skipped"), "not unwound" },
	[UNWIND_ARCH] = { SLICE_INIT("arch"), "unknown architecture" },
};

/* The number of stacks that ended early for one reason in one object. */
struct shortfall {
	enum unwind_end why;
	struct slice object; /* a raw path, owned by the state; p is NULL if there is none */
	uint64_t n;
};

void
callers_free(struct callers *c)
{
	unwinder_free(c->unwinder);
	mem_free(c->shortfall);
	buf_free(&c->chain);
}

/* Returns true for i386 to i686. */
static bool
is_i386(struct slice name)
{
	return name.len == 4 && name.p[0] == 'i' && memcmp(name.p + 2, "86", 2) == 0;
}

/* Finds the architecture of a recording by its name (uname -m) or by the registers sampled. */
static bool
find_arch(const struct run *run, const struct sample_line *l, enum unwind_arch *arch)
{
	struct slice name = buf_slice(&run->origin.arch);
	bool narrow = l->s->user_abi == ABI_32;
	bool arm = (l->event->attr.regs_user >> 32 & 1) != 0;

	if (slice_eq(name, SLICE("x86_64")) || is_i386(name) || (name.len == 0 && !arm))
		*arch = narrow ? UNWIND_I386 : UNWIND_X86_64;
	else if (slice_eq(name, SLICE("aarch64")) || name.len == 0)
		*arch = narrow ? UNWIND_ARM : UNWIND_AARCH64;
	else if (name.len >= 3 && memcmp(name.p, "arm", 3) == 0)
		*arch = UNWIND_ARM;
	else
		return false;
	return true;
}

/* The process in which the unwinder looks up addresses. */
struct process_view {
	struct run *run;
	const struct thread *thread;
};

static void
object_at(void *ctx, uint64_t address, struct unwind_object *object)
{
	const struct process_view *v = ctx;

	(void)state_unwind_object(v->run->state, v->thread, address, object);
}

/* Counts a stack that ended early at the address AT.  Returns false if memory runs out. */
static bool
count_shortfall(struct callers *c, const struct process_view *v, enum unwind_end why, uint64_t at)
{
	struct unwind_object object;
	const struct dso *dso = NULL;
	struct slice path = { NULL, 0 };
	size_t i;

	if (why != UNWIND_SKIPPED && why != UNWIND_ARCH && why != UNWIND_NO_REGISTERS)
		dso = state_unwind_object(v->run->state, v->thread, at, &object);
	if (dso != NULL)
		path = dso->path;
	v->run->w->count[MARK_INCOMPLETE]++;
	c->incomplete++;
	for (i = 0; i < c->shortfalls; i++)
		if (c->shortfall[i].why == why && c->shortfall[i].object.p == path.p)
			break;
	if (i == c->shortfalls) {
		if (!vec_room(c->shortfall, i, c->cap))
			return false;
		c->shortfall[c->shortfalls++] = (struct shortfall){ why, path, 0 };
	}
	c->shortfall[i].n++;
	return true;
}

/* Appends the addresses to the kernel part of the chain.  Returns false if memory runs out. */
static bool
join_chain(struct callers *c, struct sample *s, const uint64_t *ip, size_t n)
{
	static const uint64_t marker = CONTEXT_USER;
	bool marked = false;

	c->chain.len = 0;
	if (!chain_copy_kernel(&c->chain, s->chain, &marked) ||
	    (!marked && !buf_put(&c->chain, &marker, sizeof marker)) ||
	    !buf_put(&c->chain, ip, n * sizeof *ip))
		return false;
	chain_replace(s, &c->chain);
	return true;
}

static enum unwind_end
unwind_copy(struct samples *to, const struct sample_line *l, struct process_view *v, uint64_t *ip,
    size_t *n, uint64_t *at)
{
	const struct sample *s = l->s;
	struct unwind_registers registers;
	struct unwind_stack stack = {
		.registers = &registers,
		.bytes = s->stack,
		.len = (size_t)s->stack_dynamic,
		.big_endian = to->run->events->big_endian,
		.max = to->run->opt->max_stack,
		.object_at = object_at,
		.ctx = v,
	};

	*n = 0;
	*at = 0;
	if (!find_arch(to->run, l, &stack.arch))
		return UNWIND_ARCH;
	unwind_take_registers(stack.arch, l->event->attr.regs_user, s->user_regs, &registers);
	return unwind(to->callers.unwinder, &stack, ip, n, at);
}

bool
callers_find(struct samples *to, struct sample_line *l, struct sample *s)
{
	struct callers *c = &to->callers;
	struct process_view v = { to->run, l->thread };
	uint64_t ip[UNWIND_STACK_MAX], at;
	enum unwind_end end;
	size_t n;

	c->copies++;
	c->largest = l->event->attr.stack_user >= COPY_MAX;
	if (c->unwinder == NULL && (c->unwinder = unwinder_new()) == NULL)
		return false;
	end = unwind_copy(to, l, &v, ip, &n, &at);
	l->truncated = end != UNWIND_WHOLE;
	l->calls = n != 0;
	if (end == UNWIND_LIMIT) {
		to->run->w->count[MARK_INCOMPLETE]++;
		c->deeper++;
	} else if (end != UNWIND_WHOLE && !count_shortfall(c, &v, end, at)) {
		return false;
	}
	return n == 0 || join_chain(c, s, ip, n);
}

bool
callers_skip(struct samples *to, struct sample_line *l)
{
	struct process_view v = { to->run, l->thread };

	to->callers.copies++;
	l->truncated = true;
	return count_shortfall(&to->callers, &v, UNWIND_SKIPPED, 0);
}

void
callers_cut(struct samples *to, struct sample_line *l)
{
	if (l->truncated)
		return;
	l->truncated = true;
	to->run->w->count[MARK_INCOMPLETE]++;
	to->callers.cut++;
}

void
callers_full(struct samples *to, struct sample_line *l)
{
	l->truncated = true;
	to->run->w->count[MARK_INCOMPLETE]++;
	to->callers.full++;
}

/* Writes the number of stacks that end early for one reason.  object.p is NULL if there is none. */
static void
put_incomplete(struct run *run, struct slice why, struct slice object, uint64_t n)
{
	struct evwrite *w = run->w;

	evw_begin(w, SLICE("incomplete"));
	evw_none(w);
	evw_raw(w, buf_slice(&run->id));
	evw_none(w);
	evw_text(w, SLICE("unwind"));
	evw_u64(w, n);
	evw_tag_text(w, SLICE("why"), why);
	if (object.p != NULL)
		evw_tag_text(w, SLICE("object"), object);
	evw_end(w);
}

/* Returns the number of stacks that end early for a reason. */
static uint64_t
shortfalls_of(const struct callers *c, enum unwind_end why)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < c->shortfalls; i++)
		n += c->shortfall[i].why == why ? c->shortfall[i].n : 0;
	return n;
}

/* Appends ", TEXT: N" for the reason if any stack ended for that reason. */
static size_t
put_reason(const struct callers *c, enum unwind_end why, char *text, size_t len, size_t size)
{
	uint64_t n = shortfalls_of(c, why);
	int put;

	if (n == 0)
		return len;
	put = snprintf(text + len, size - len, "%s%s: %llu", len == 0 ? "" : ", ",
	    reasons[why].text, (unsigned long long)n);
	return put > 0 && (size_t)put < size - len ? len + (size_t)put : len;
}

const char *
callers_advice(const struct callers *c)
{
	enum unwind_end i, most = UNWIND_WHOLE;

	for (i = UNWIND_WHOLE; i < UNWIND_ENDS; i++)
		if (shortfalls_of(c, i) > shortfalls_of(c, most))
			most = i;
	switch (most) {
	case UNWIND_SHORT:
		return c->largest ? "" : "; perf record --call-graph dwarf,65528 copies more";
	case UNWIND_UNLISTED:
		return "; a compiler may list code late: decode a stored recording, when the "
		       "program has ended";
	default: return "";
	}
}

bool
callers_end(struct samples *to, char *text, size_t size)
{
	const struct callers *c = &to->callers;
	size_t i, len = 0;

	for (i = 0; i < c->shortfalls; i++) {
		const struct shortfall *s = &c->shortfall[i];

		put_incomplete(to->run, reasons[s->why].word, s->object, s->n);
	}
	if (c->cut != 0)
		put_incomplete(to->run, SLICE("unknown_marker"), (struct slice){ NULL, 0 }, c->cut);
	if (c->full + c->deeper != 0)
		put_incomplete(to->run, SLICE("max_stack"), (struct slice){ NULL, 0 },
		    c->full + c->deeper);
	text[0] = '\0';
	for (i = 0; i < UNWIND_ENDS; i++)
		len = put_reason(c, (enum unwind_end)i, text, len, size);
	return c->incomplete != 0;
}
