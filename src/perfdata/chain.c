/* SPDX-License-Identifier: ISC */
/* chain.c - a sample's callchain: its frames by name and by place. */
#include "lib/copy.h"
#include "src/perfdata/line.h"

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

/* Walks a chain: addresses with their mode.  A marker that nobody knows ends it. */
struct walk {
	struct cur c;
	enum cpumode mode;
};

static bool
next_address(struct walk *k, uint64_t *ip)
{
	while (cur_left(&k->c) >= 8) {
		*ip = cur_u64(&k->c);
		if (*ip < CONTEXT_MAX)
			return true;
		k->mode = mode_of_marker(*ip);
		if (k->mode == MODE_UNKNOWN)
			return false;
	}
	return false;
}

/* True where it ended with the promise of a user part. */
static inline bool
add_frames(struct decoder *d, struct line *l, struct walk k)
{
	uint64_t ip, place;

	while (next_address(&k, &ip)) {
		const struct frame *f =
		    frames_find(d->frames, &d->tasks, l->thread, k.mode, ip, &place);

		l->frame[l->frames++] = (struct slice){ f->name, f->namelen };
	}
	return k.mode == MODE_UNKNOWN && ip == CONTEXT_USER_DEFERRED;
}

/* Off the usual way: the user part came in a record of its own, or never did. */
static void
add_user_part(struct decoder *d, struct line *l)
{
	l->deferred = d->user_part == NULL;
	if (d->user_part != NULL)
		(void)add_frames(d, l, (struct walk){ *d->user_part, MODE_USER });
}

/* Addresses without a marker before them are the user's, as in perf. */
void
chain_find(struct decoder *d, struct line *l)
{
	l->frames = 0;
	l->deferred = false;
	if (add_frames(d, l, (struct walk){ l->s->chain, MODE_USER }))
		add_user_part(d, l);
	if (l->frames == 0)
		l->frame[l->frames++] = (struct slice){ l->at->name, l->at->namelen };
}

void
chain_put_stack(struct evwrite *w, const struct line *l)
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
		/* whatever is there, the tag will be left out: take no memory for the rest of it */
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

/* As a part of an element, "" and "." are only themselves. */
static void
put_path(struct evwrite *w, struct slice path)
{
	if (path.len == 0 || slice_is_nothing(path))
		evw_bytes(w, path.p, path.len);
	else
		evw_element(w, path);
}

/* MODE:DSO[@BUILDID]+0xOFFSET, all that is needed to find the symbol later. */
static void
put_place(struct decoder *d, const struct line *l, enum cpumode mode, uint64_t ip)
{
	static const char hex[] = "0123456789abcdef";
	uint64_t place;
	const struct frame *f = frames_find(d->frames, &d->tasks, l->thread, mode, ip, &place);
	struct evwrite *w = d->w;
	char text[2 * BUILD_ID_MAX + NUM_MAX + 8], *p = text;
	uint8_t i;

	text[0] = MODE_LETTERS[mode];
	text[1] = ':';
	evw_bytes(w, text, 2);
	if (f->dso == NULL)
		evw_bytes(w, "[unknown]", 9);
	else
		put_path(w, f->dso->path);
	if (f->dso != NULL && f->dso->build_id_len != 0) {
		*p++ = '@';
		for (i = 0; i < f->dso->build_id_len; i++) {
			*p++ = hex[f->dso->build_id[i] >> 4];
			*p++ = hex[f->dso->build_id[i] & 15];
		}
	}
	*p++ = '+';
	p += num_put_hex(p, place);
	evw_bytes(w, text, (size_t)(p - text));
}

/* A frame's address, to be looked up again. */
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
chain_put_places(struct decoder *d, const struct line *l)
{
	struct spot spot[CHAIN_MAX];
	size_t n = 0;

	if ((l->s->have & S_CALLCHAIN) != 0)
		n = find_spots(spot, 0, (struct walk){ l->s->chain, MODE_USER });
	if (d->user_part != NULL)
		n = find_spots(spot, n, (struct walk){ *d->user_part, MODE_USER });
	if (n == 0)
		spot[n++] = (struct spot){ l->s->ip, l->mode };
	evw_tag_begin(d->w, SLICE("frames"));
	while (n-- > 0 && d->w->at <= EV_LINE_MAX) {
		put_place(d, l, spot[n].mode, spot[n].ip);
		if (n > 0)
			evw_bytes(d->w, ";", 1);
	}
	evw_tag_end(d->w, SLICE("frames"));
}
