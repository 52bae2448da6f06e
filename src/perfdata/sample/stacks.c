/* SPDX-License-Identifier: ISC */
/*
 * stacks.c - the names of the frames of a callchain.
 *
 * The outer frames of a thread's stack are usually those of its previous sample.  For some threads
 * the last stack is kept as text, together with its addresses.  Of the next chain only the frames
 * inside the common ones are looked up.  Kept are the addresses after the last marker: they have
 * one mode, and the outermost frame is the last of them.
 */
#include "lib/buf.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/symtab.h"
#include "lib/vec.h"
#include "src/perfdata/sample/parts.h"

#define STACKS 256 /* the number of threads */
#define STACK_WORTH 6 /* shorter chains are looked up faster than kept */
#define STACK_FRAMES_MAX 512
#define STACK_TEXT_MAX ((size_t)24 * 1024)
#define STACKS_BYTES_MAX ((size_t)2 * 1024 * 1024) /* beyond it all are forgotten */

struct known_frame {
	uint64_t word; /* the address, in the host's byte order */
	size_t end; /* the length of the text up to its name's end */
};

/* { 0 } is valid and empty. */
struct known_stack {
	struct state_stamp stamp; /* with this state, */
	struct span time; /* at these times, */
	enum cpumode mode; /* and in this mode the text is right */
	size_t frames, cap;
	struct known_frame *frame; /* outermost first */
	struct buf text; /* their names, with ';' between them */
};

enum cpumode
chain_mode(uint64_t marker)
{
	switch (marker) {
	case CONTEXT_HV: return MODE_HYPERVISOR;
	case CONTEXT_KERNEL: return MODE_KERNEL;
	case CONTEXT_USER: return MODE_USER;
	case CONTEXT_GUEST:
	case CONTEXT_GUEST_KERNEL: return MODE_GUEST_KERNEL;
	case CONTEXT_GUEST_USER: return MODE_GUEST_USER;
	}
	return MODE_UNKNOWN;
}

/* No address in a chain is as high as this. */
#define NO_ADDRESS UINT64_MAX

/* Walks to the end, and returns where it is.  The frame of the address OWN is l->at. */
static HINT_INLINE struct chain_walk
walk_frames(struct state *state, struct sample_line *l, struct chain_walk k, bool swap,
    uint64_t own)
{
	const struct thread *thread = l->thread;
	struct slice *to = l->frame + l->frames;
	uint64_t ip, place;

	k.swap = swap;
	while (chain_next(&k, &ip)) {
		const struct frame *f = ip == own && k.mode == l->mode
		    ? l->at
		    : state_frame(state, thread, k.mode, ip, &place);

		*to++ = (struct slice){ f->name, f->namelen };
	}
	l->frames = (size_t)(to - l->frame);
	return k;
}

/* Adds the frames up to the end of a walk. */
static void
add_frames(struct state *state, struct sample_line *l, struct chain_walk *k, uint64_t own)
{
	*k = k->swap ? walk_frames(state, l, *k, true, own) : walk_frames(state, l, *k, false, own);
}

/* ---- stacks that are kept */

static void
forget(struct known_stack *s)
{
	mem_free(s->frame);
	buf_free(&s->text);
	*s = (struct known_stack){ .frames = 0 };
}

void
stacks_free(struct stacks *s)
{
	size_t i;

	for (i = 0; i < STACKS && s->known != NULL; i++)
		forget(&s->known[i]);
	mem_free(s->known);
	*s = (struct stacks){ NULL, 0 };
}

/* Returns the stack that is kept for a thread, or NULL if memory runs out. */
static struct known_stack *
stack_of(struct stacks *s, uint32_t tid)
{
	if (s->bytes > STACKS_BYTES_MAX)
		stacks_free(s);
	if (s->known == NULL)
		s->known = mem_zero(STACKS, sizeof *s->known);
	return s->known == NULL ? NULL : &s->known[tid % STACKS];
}

static bool
is_same(const struct state_stamp *a, const struct state_stamp *b)
{
	return a->user == b->user && a->kernel == b->kernel && a->dumps == b->dumps &&
	    a->changes == b->changes;
}

/* Returns the number of outermost words of a walk that are those of the stack. */
static inline size_t
count_same(const struct known_stack *s, const struct chain_walk *k, bool swap)
{
	size_t n = (size_t)(k->end - k->p) / 8, i;
	const unsigned char *p = k->end;

	if (n > s->frames)
		n = s->frames;
	for (i = 0; i < n; i++) {
		p -= 8;
		if (cur_word64(p, swap) != s->frame[i].word)
			break;
	}
	return i;
}

/* Returns the number of outermost frames of a walk whose names are known. */
static size_t
count_known(const struct known_stack *s, const struct state *state, const struct state_stamp *now,
    const struct chain_walk *k)
{
	if (!is_same(&s->stamp, now) || !span_has(s->time, state->now.time))
		return 0;
	return k->swap ? count_same(s, k, true) : count_same(s, k, false);
}

/*
 * Makes room for n more frames, at least one, with names of LEN bytes in all.  Returns false if
 * there is none.
 */
static bool
make_room(struct stacks *all, struct known_stack *s, size_t n, size_t len)
{
	size_t before = s->text.cap + s->cap * sizeof *s->frame;
	bool ok = s->frames + n <= STACK_FRAMES_MAX && s->text.len + len <= STACK_TEXT_MAX &&
	    vec_room(s->frame, s->frames + n - 1, s->cap) && buf_room(&s->text, len);

	all->bytes += s->text.cap + s->cap * sizeof *s->frame - before;
	return ok;
}

/*
 * Keeps the frames of l after the last marker of the chain, and takes them out of l, whose outer
 * frames they become.  k is a walk that has ended inside of the frames that are known.
 */
static void
keep_frames(struct stacks *all, struct known_stack *s, struct sample_line *l,
    const struct chain_walk *k)
{
	const struct slice *name = l->frame + l->frames;
	const unsigned char *p;
	size_t len = 0;
	char *to;

	for (p = k->end; p != k->begin && cur_word64(p - 8, k->swap) < CONTEXT_MAX; p -= 8)
		len += (--name)->len + 1;
	if (p != k->end && make_room(all, s, (size_t)(k->end - p) / 8, len)) {
		to = s->text.p + s->text.len;
		for (p = k->end; l->frame + l->frames != name; l->frames--) {
			p -= 8;
			if (s->frames != 0)
				*to++ = ';';
			to = short_copy(to, l->frame[l->frames - 1].p, l->frame[l->frames - 1].len);
			s->frame[s->frames++] = (struct known_frame){ cur_word64(p, k->swap),
				(size_t)(to - s->text.p) };
		}
		s->text.len = (size_t)(to - s->text.p);
	}
	l->outer = buf_slice(&s->text);
	l->outer_frames = s->frames;
}

/*
 * Looks up the frames that are not known, and sets *known to the number of those that are.  All of
 * these determine how long the names are right, even that of the sample's own address.
 */
static struct chain_walk
find_inner(struct state *state, struct sample_line *l, const struct known_stack *s, size_t *known)
{
	struct chain_walk whole = chain_over(&l->s->chain), k = whole;

	k.end -= *known * 8;
	add_frames(state, l, &k, NO_ADDRESS);
	if (*known == 0 || k.mode == s->mode)
		return k;
	*known = l->frames = 0;
	k = whole;
	add_frames(state, l, &k, NO_ADDRESS);
	return k;
}

/* Does what stacks_find does for a chain whose frames are not kept. */
static void
find_all(struct samples *to, struct sample_line *l)
{
	struct state *state = to->run->state;
	struct chain_walk k = chain_over(&l->s->chain);
	enum chain_end end;

	l->frames = 0;
	add_frames(state, l, &k, (l->s->have & S_IP) != 0 ? l->s->ip : NO_ADDRESS);
	end = chain_ended(&k);
	if (end == CHAIN_DEFERRED) {
		/* in this rare case the user part came separately or never came */
		l->deferred = to->user_part == NULL;
		if (l->deferred)
			return;
		k = chain_over(to->user_part);
		add_frames(state, l, &k, NO_ADDRESS);
		end = chain_ended(&k);
	}
	if (end != CHAIN_WHOLE)
		callers_cut(to, l);
}

void
stacks_find(struct samples *to, struct sample_line *l)
{
	struct state *state = to->run->state;
	struct chain_walk k = chain_over(&l->s->chain);
	struct state_stamp now;
	struct known_stack *s;
	size_t known;

	l->frames = l->outer_frames = 0;
	l->deferred = false;
	if (k.end - k.p < 8 * STACK_WORTH || l->truncated ||
	    (s = stack_of(&to->stacks, l->thread->tid)) == NULL) {
		find_all(to, l);
		return;
	}
	now = state_stamp(state, l->thread->process);
	known = count_known(s, state, &now, &k);
	state->same = (struct span){ 0, UINT64_MAX };
	k = find_inner(state, l, s, &known);
	if (k.mode == MODE_UNKNOWN) {
		find_all(to, l);
		return;
	}
	s->frames = known;
	s->text.len = known == 0 ? 0 : s->frame[known - 1].end;
	s->time = known == 0 ? state->same : span_intersection(s->time, state->same);
	s->stamp = now;
	s->mode = k.mode;
	keep_frames(&to->stacks, s, l, &k);
}
