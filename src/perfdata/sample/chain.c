/* SPDX-License-Identifier: ISC */
/* chain.c - a sample's callchain: its frames by name and by place. */
#include "lib/copy.h"
#include "src/perfdata/sample/parts.h"

static enum cpumode
mode_of_marker(uint64_t marker)
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

/* Walks a chain: addresses with their mode.  An unknown marker ends it. */
struct walk {
	const unsigned char *p, *end; /* whole words */
	bool swap;
	enum cpumode mode;
};

/* Addresses without a marker before them are in user mode, as in perf. */
static struct walk
walk_over(const struct cur *c)
{
	size_t bytes = cur_left(c) & ~(size_t)7;

	return (struct walk){ c->p, bytes == 0 ? c->p : c->p + bytes, c->swap, MODE_USER };
}

static inline bool
next_address(struct walk *k, uint64_t *ip)
{
	while (k->p != k->end) {
		*ip = cur_word64(k->p, k->swap);
		k->p += 8;
		if (*ip < CONTEXT_MAX)
			return true;
		k->mode = mode_of_marker(*ip);
		if (k->mode == MODE_UNKNOWN)
			return false;
	}
	return false;
}

/* True if it ended with the marker of a deferred user part. */
static inline bool
add_frames(struct samples *to, struct sample_line *l, struct walk k)
{
	uint64_t ip = 0, place;
	size_t n = l->frames;

	while (next_address(&k, &ip)) {
		const struct frame *f = frames_find(to->run->state->frames, &to->run->state->tasks,
		    l->thread, k.mode, ip, &place);

		l->frame[n++] = (struct slice){ f->name, f->namelen };
	}
	l->frames = n;
	return k.mode == MODE_UNKNOWN && ip == CONTEXT_USER_DEFERRED;
}

/* The rare case: the user part came in a separate record, or never came. */
static void
add_user_part(struct samples *to, struct sample_line *l)
{
	l->deferred = to->user_part == NULL;
	if (to->user_part != NULL)
		(void)add_frames(to, l, walk_over(to->user_part));
}

void
chain_find(struct samples *to, struct sample_line *l)
{
	l->frames = 0;
	l->deferred = false;
	if (add_frames(to, l, walk_over(&l->s->chain)))
		add_user_part(to, l);
	if (l->frames == 0)
		l->frame[l->frames++] = (struct slice){ l->at->name, l->at->namelen };
}

/* The first user address is the place of the sample or of the entry into the kernel. */
bool
chain_has_user_callers(const struct sample *s)
{
	struct walk k = walk_over(&s->chain);
	uint64_t ip;
	size_t n = 0;

	while ((s->have & S_CALLCHAIN) != 0 && n < 2 && next_address(&k, &ip))
		n += k.mode == MODE_USER;
	return n == 2;
}

void
chain_put_stack(struct evwrite *w, const struct sample_line *l)
{
	size_t i, n = 0;
	char *p;

	for (i = 0; i < l->frames && n <= EV_LINE_MAX; i++)
		n += l->frame[i].len + 1;
	evw_tag_begin(w, SLICE("stack"));
	p = evw_room(w, n);
	if (p == NULL)
		return;
	if (n > EV_LINE_MAX) {
		/* the tag will be too long and left out: take no memory for the rest */
		evw_advance(w, p + n);
		evw_tag_end(w, SLICE("stack"));
		return;
	}
	for (i = l->frames; i > 0; i--) {
		p = copy_short(p, l->frame[i - 1].p, l->frame[i - 1].len);
		*p++ = ';';
	}
	evw_advance(w, p - 1);
	evw_tag_end(w, SLICE("stack"));
}

/* MODE:DSO[@BUILDID]+0xOFFSET, enough to find the symbol later, with a ';' after it. */
static void
put_place(struct samples *to, const struct sample_line *l, enum cpumode mode, uint64_t ip)
{
	uint64_t place;
	const struct frame *f = frames_find(to->run->state->frames, &to->run->state->tasks,
	    l->thread, mode, ip, &place);
	struct slice text = f->dso == NULL ? SLICE(":[unknown]+") : dso_place(f->dso);
	char *p = evw_room(to->run->w, text.len + NUM_MAX + 2);

	if (text.len == 0)
		evw_nomem(to->run->w);
	if (p == NULL)
		return;
	*p++ = MODE_LETTERS[mode];
	p = copy_short(p, text.p, text.len);
	p += num_put_hex(p, place);
	evw_advance(to->run->w, p);
}

/* A frame's address, kept for another lookup. */
struct spot {
	uint64_t ip;
	enum cpumode mode;
};

static size_t
find_spots(struct spot *spot, size_t n, struct walk k)
{
	uint64_t ip;

	while (next_address(&k, &ip))
		spot[n++] = (struct spot){ ip, k.mode };
	return n;
}

void
chain_put_places(struct samples *to, const struct sample_line *l)
{
	struct spot spot[CHAIN_MAX];
	size_t n = 0;

	if ((l->s->have & S_CALLCHAIN) != 0)
		n = find_spots(spot, 0, walk_over(&l->s->chain));
	if (to->user_part != NULL)
		n = find_spots(spot, n, walk_over(to->user_part));
	if (n == 0)
		spot[n++] = (struct spot){ l->s->ip, l->mode };
	evw_tag_begin(to->run->w, SLICE("frames"));
	while (n-- > 0 && evw_length(to->run->w) <= EV_LINE_MAX) {
		put_place(to, l, spot[n].mode, spot[n].ip);
		if (n != 0)
			evw_bytes(to->run->w, ";", 1);
	}
	evw_tag_end(to->run->w, SLICE("frames"));
}

/* ---- chains whose user part the processor recorded as branches (--call-graph lbr) */

static bool
put_word(struct buf *b, uint64_t v)
{
	return buf_put(b, &v, sizeof v);
}

/* The chain up to and including its user marker; false if it has none. */
static bool
copy_kernel_part(struct buf *b, struct cur chain)
{
	bool ok = true;

	while (ok && cur_left(&chain) >= 8) {
		uint64_t ip = cur_u64(&chain);

		ok = put_word(b, ip);
		if (ip == CONTEXT_USER)
			return ok;
	}
	return false;
}

/*
 * With PERF_SAMPLE_BRANCH_CALL_STACK the branch stack holds the calls that have not
 * returned.  As in perf (resolve_lbr_callchain_sample of tools/perf/util/machine.c) they
 * replace what the chain has after its user marker: the target of the newest, then the
 * source of each.
 */
void
chain_take_branches(struct samples *to, struct sample *s)
{
	struct buf *b = &to->lbr_words;
	struct cur branch = s->branch;
	uint64_t i;
	bool ok;

	b->len = 0;
	if (s->branch_count == 0 || !copy_kernel_part(b, s->chain))
		return;
	for (ok = true, i = 0; ok && i < s->branch_count; i++) {
		uint64_t source = cur_u64(&branch), target = cur_u64(&branch);

		(void)cur_u64(&branch);
		ok = (i > 0 || put_word(b, target)) && put_word(b, source);
	}
	if (!ok) {
		evw_nomem(to->run->w);
		return;
	}
	s->chain = cur_over(b->p, b->len, cur_host_big());
	s->chain_count = b->len / sizeof(uint64_t);
}
