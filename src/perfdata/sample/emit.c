/* SPDX-License-Identifier: ISC */
/*
 * emit.c - writes the lines of a sample: its callchain, then the columns and tags.
 */
#include <string.h>
#include <time.h>

#include "lib/esc.h"
#include "lib/short.h"
#include "src/perfdata/sample/parts.h"
#include "src/perfdata/tags.h"

/* The space for the parts of a line that have a bounded length: numbers, keys, separators. */
#define LINE_FIXED 512

/* The fields with tags of their own, after the usual ones. */
#define S_EXTRAS (~(S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_CALLCHAIN))

/* ---- the callchain: its frames by name and by address */

/* Begins a walk over the chain of the sample itself. */
static struct chain_walk
walk_sample(const struct sample_line *l)
{
	struct chain_walk k = chain_over(&l->s->chain);

	k.calls = l->calls;
	return k;
}

/*
 * Returns true if the address that has just been read is a return address.  The first address after
 * a marker is where its code was interrupted.
 */
static bool
is_return(const struct chain_walk *k)
{
	return !(k->calls && k->mode == MODE_USER) && k->p - k->begin >= 16 &&
	    cur_word64(k->p - 16, k->swap) < CONTEXT_MAX;
}

/* Returns the lines of a frame, or "?" for each element of its name. */
static struct slice
lines_of(const struct frame *f)
{
	return f->detail != NULL ? f->detail->lines : SLICE("?");
}

/* Adds the frames of a chain, with inlined functions and lines. */
static HINT_APART enum chain_end
add_detailed_frames(struct state *state, struct sample_line *l, struct chain_walk k)
{
	uint64_t ip, place;
	size_t n = l->frames;

	while (chain_next(&k, &ip)) {
		const struct frame *f = is_return(&k)
		    ? state_caller(state, l->thread, k.mode, ip, &place)
		    : state_frame(state, l->thread, k.mode, ip, &place);

		l->lines[n] = lines_of(f);
		l->frame[n++] = (struct slice){ f->name, f->namelen };
	}
	l->frames = n;
	return chain_ended(&k);
}

/* Does what stacks_find does, with inlined functions and lines. */
static HINT_APART void
find_detailed_frames(struct samples *to, struct sample_line *l)
{
	enum chain_end end;

	l->frames = l->outer_frames = 0;
	l->lines[0] = lines_of(l->at);
	end = add_detailed_frames(to->run->state, l, walk_sample(l));
	l->deferred = end == CHAIN_DEFERRED && to->user_part == NULL;
	if (end == CHAIN_DEFERRED && to->user_part != NULL)
		end = add_detailed_frames(to->run->state, l, chain_over(to->user_part));
	if (end != CHAIN_WHOLE && !l->deferred)
		callers_cut(to, l);
	l->lines[l->frames == 0 ? 1 : l->frames] = SLICE("?");
}

/* Adds the frame that is printed for a chain without frames or for one that ends early. */
static inline void
complete_frames(struct sample_line *l)
{
	if (l->frames == 0 && l->outer_frames == 0)
		l->frame[l->frames++] = (struct slice){ l->at->name, l->at->namelen };
	if (l->truncated)
		l->frame[l->frames++] = SLICE("[truncated]");
}

/*
 * Returns true if the chain lacks its callers in user code, and they can be added to it.  The first
 * user address is not a caller: it is the address of the sample or of the entry into the kernel.
 * Nothing can be added after a marker that is not known.
 */
static bool
lacks_user_callers(const struct sample *s)
{
	struct chain_walk k;
	uint64_t ip;
	size_t n = 0;

	if ((s->have & S_CALLCHAIN) == 0)
		return true;
	k = chain_over(&s->chain);
	while (n < 2 && chain_next(&k, &ip))
		n += k.mode == MODE_USER;
	return n == 1 || (n == 0 && chain_ended(&k) != CHAIN_CUT);
}

/* Writes a tag with a text for each frame, root first, after the text of the outermost frames. */
static HINT_INLINE void
put_list(struct evwrite *w, const struct sample_line *l, struct slice key, const struct slice *text)
{
	size_t i, n = l->outer_frames == 0 ? 0 : l->outer.len + 1;
	char *p;

	for (i = 0; i < l->frames && n <= EV_LINE_MAX; i++)
		n += text[i].len + 1;
	evw_tag_begin(w, key);
	p = evw_room(w, n);
	if (p == NULL)
		return;
	if (n > EV_LINE_MAX) {
		/* the tag will be omitted because it is too long, so the rest need not be stored */
		evw_advance(w, p + n);
		evw_tag_end(w, key);
		return;
	}
	if (l->outer_frames != 0) {
		memcpy(p, l->outer.p, l->outer.len);
		p += l->outer.len;
		*p++ = ';';
	}
	for (i = l->frames; i > 0; i--) {
		p = short_copy(p, text[i - 1].p, text[i - 1].len);
		*p++ = ';';
	}
	evw_advance(w, p - 1);
	evw_tag_end(w, key);
}

static HINT_APART void
put_lines(struct evwrite *w, const struct sample_line *l)
{
	put_list(w, l, SLICE("lines"), l->lines);
}

/* A frame's address, kept for another lookup. */
struct spot {
	uint64_t ip;
	enum cpumode mode;
	bool is_return;
};

/* Writes MODE:DSO[@BUILDID]+0xOFFSET[-1], which is enough to find the symbol later. */
static void
put_place(const struct run *run, const struct sample_line *l, const struct spot *spot)
{
	enum cpumode mode = spot->mode;
	uint64_t place, ip = spot->ip;
	const struct frame *f = state_frame(run->state, l->thread, mode, ip, &place);
	struct evwrite *w = run->w;
	struct slice text = f->dso == NULL ? SLICE(":[unknown]+") : state_place(run->state, f->dso);
	char *p = evw_room(w, text.len + NUM_MAX + 4);

	if (text.len == 0)
		evw_nomem(w);
	if (p == NULL)
		return;
	*p++ = MODE_LETTERS[mode];
	p = short_copy(p, text.p, text.len);
	p += num_put_hex(p, place);
	if (spot->is_return)
		p = short_copy(p, "-1", 2);
	evw_advance(w, p);
}

static size_t
find_spots(struct spot *spot, size_t n, struct chain_walk k)
{
	uint64_t ip;

	while (chain_next(&k, &ip))
		spot[n++] = (struct spot){ ip, k.mode, is_return(&k) };
	return n;
}

/*
 * Writes the frames tag: the place of each frame of the stack.  The place of the sample itself is
 * its last element, or else has its own tag.
 */
static void
put_places(struct samples *to, const struct sample_line *l)
{
	struct evwrite *w = to->run->w;
	struct spot spot[CHAIN_MAX];
	const struct spot own = { .ip = l->s->ip, .mode = l->mode };
	size_t n = 0;

	if ((l->s->have & S_CALLCHAIN) != 0)
		n = find_spots(spot, 0, walk_sample(l));
	if (to->user_part != NULL)
		n = find_spots(spot, n, chain_over(to->user_part));
	if (n == 0)
		spot[n++] = own;
	if ((l->s->have & S_IP) != 0 && (spot[0].ip != own.ip || spot[0].mode != own.mode)) {
		evw_tag_begin(w, SLICE("place"));
		put_place(to->run, l, &own);
		evw_tag_end(w, SLICE("place"));
	}
	evw_tag_begin(w, SLICE("frames"));
	if (l->truncated)
		evw_bytes(w, "[truncated];", 12);
	while (n-- > 0 && evw_length(w) <= EV_LINE_MAX) {
		put_place(to->run, l, &spot[n]);
		if (n != 0)
			evw_bytes(w, ";", 1);
	}
	evw_tag_end(w, SLICE("frames"));
}

/*
 * Writes how many functions of the stack were inlined in each frame, if there is any: they share
 * the frame's place.
 */
static HINT_APART void
put_inlined(struct evwrite *w, const struct sample_line *l)
{
	size_t i, j;
	uint64_t n, any = 0;
	char *p;

	for (i = 0; i < l->frames && any == 0; i++)
		any = memchr(l->frame[i].p, ';', l->frame[i].len) != NULL;
	if (any == 0)
		return;
	evw_tag_begin(w, SLICE("inlined"));
	p = evw_room(w, l->frames * NUM_MAX);
	if (p == NULL)
		return;
	for (i = l->frames; i > 0; i--) {
		for (n = j = 0; j < l->frame[i - 1].len; j++)
			n += l->frame[i - 1].p[j] == ';';
		p += num_put_u64(p, n);
		*p++ = ';';
	}
	evw_advance(w, p - 1);
	evw_tag_end(w, SLICE("inlined"));
}

/* ---- chains whose user part the processor recorded as branches (--call-graph lbr) */

static bool
put_word(struct buf *b, uint64_t v)
{
	return buf_put(b, &v, sizeof v);
}

bool
chain_copy_kernel(struct buf *b, struct cur chain, bool *marked)
{
	bool ok = true;

	*marked = false;
	while (ok && !*marked && cur_left(&chain) >= 8) {
		uint64_t ip = cur_u64(&chain);

		ok = put_word(b, ip);
		*marked = ip == CONTEXT_USER;
	}
	return ok;
}

void
chain_replace(struct sample *s, const struct buf *words)
{
	s->chain = cur_over(words->p, words->len, cur_host_big());
	s->chain_count = words->len / sizeof(uint64_t);
}

/*
 * Replaces the user part of the chain.  With PERF_SAMPLE_BRANCH_CALL_STACK the branch stack
 * contains the calls that have not returned.  As in perf (resolve_lbr_callchain_sample of
 * tools/perf/util/machine.c), the target of the newest branch and then the source of each branch
 * replace everything after the chain's user marker.  Returns true if it was replaced.
 */
static bool
take_branches(struct samples *to, struct sample *s)
{
	struct buf *b = &to->lbr_words;
	struct cur branch = s->branch;
	uint64_t i;
	bool ok, marked;

	b->len = 0;
	if (s->branch_count == 0)
		return false;
	ok = chain_copy_kernel(b, s->chain, &marked);
	if (ok && !marked)
		return false;
	for (i = 0; ok && i < s->branch_count; i++) {
		uint64_t source = cur_u64(&branch), target = cur_u64(&branch);

		(void)cur_u64(&branch);
		ok = (i > 0 || put_word(b, target)) && put_word(b, source);
	}
	if (!ok) {
		evw_nomem(to->run->w);
		return false;
	}
	chain_replace(s, b);
	return true;
}

/* Returns a time of day that no sample is later than: nanoseconds since the epoch. */
static uint64_t
time_now(void)
{
	struct timespec now = { .tv_sec = 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void
put_clock(struct evwrite *w, struct sym_clock clock)
{
	if (clock.kind != SYM_CLOCK_OTHER)
		evw_tag_text(w, SLICE("clock"),
		    clock.kind == SYM_CLOCK_PERF ? SLICE("perf") : SLICE("monotonic"));
	if (clock.mult == 0)
		return;
	evw_tag_u64(w, SLICE("tsc_shift"), clock.shift);
	evw_tag_u64(w, SLICE("tsc_mult"), clock.mult);
	evw_tag_u64(w, SLICE("tsc_zero"), clock.zero);
}

/*
 * Writes the facts about the machine and its kernel that a later lookup needs, whenever more of
 * them have become known.
 */
static HINT_APART void
put_origin(struct samples *to)
{
	const struct run *run = to->run;
	const struct dsos *d = &run->state->dsos;
	struct evwrite *w = run->w;

	to->changes = d->changes;
	evw_begin(w, SLICE("origin"));
	evw_none(w);
	evw_raw(w, buf_slice(&run->id));
	evw_none(w);
	evw_none(w);
	evw_none(w);
	if (run->origin.host.len != 0)
		evw_tag_raw(w, SLICE("host"), buf_slice(&run->origin.host));
	evw_tag_u64(w, SLICE("end"), d->origin.end != 0 ? d->origin.end : time_now());
	if (d->origin.release->len != 0)
		evw_tag_text(w, SLICE("release"), buf_slice(d->origin.release));
	if (d->kernel != NULL && d->kernel->build_id_len != 0)
		tags_put_bytes(w, SLICE("buildid"), d->kernel->build_id, d->kernel->build_id_len);
	if (d->kernel != NULL && d->ref_name != NULL) {
		evw_tag_text(w, SLICE("ref"), slice_of(d->ref_name));
		evw_tag_hex(w, SLICE("addr"), d->ref_addr);
	}
	if (d->kernel != NULL && d->origin.kallsyms != NULL)
		evw_tag_text(w, SLICE("kallsyms"), slice_of(d->origin.kallsyms));
	if (d->kernel != NULL)
		evw_tag_u64(w, SLICE("kernel"), 1);
	if (!run->opt->wall) /* afsym would look up the code of JITs by times of another clock */
		put_clock(w, state_clock(run->state));
	evw_end(w);
}

/* ---- the line */

static HINT_INLINE char *
put_region(char *p, const struct frame *at)
{
	if (at->region_len == 0)
		return frame_put_region(p, at);
	memcpy(p, at->region, sizeof at->region);
	return p + at->region_len;
}

static char *
put_line_of(char *p, const struct sym_place *at)
{
	if (at->line.len == 0)
		return p;
	p = short_copy(p, "\tline=", 6);
	return short_copy(p, at->line.p, at->line.len);
}

static char *
put_cpu(char *p, uint32_t cpu)
{
	memcpy(p, "\tcpu=.", 6);
	return cpu == UINT32_MAX ? p + 6 : p + 5 + num_put_u64(p + 5, cpu);
}

/* Writes the text up to the address, and keeps it. */
static HINT_APART char *
put_new_where(struct recent_where *where, char *p, const struct sample_line *l, uint32_t cpu)
{
	char *begin = p;

	p = put_cpu(short_copy(p, l->who.p, l->who.len), cpu);
	if (l->mode != MODE_UNKNOWN) {
		memcpy(p, "\tmode=", 6);
		p[6] = MODE_LETTERS[l->mode];
		p += 7;
	}
	p = short_copy(p, "\tip=", 4);
	where->len = 0;
	if (l->who_serial == 0 || (size_t)(p - begin) > sizeof where->text)
		return p;
	*where = (struct recent_where){ .serial = l->who_serial,
		.cpu = cpu,
		.len = (uint8_t)(p - begin) };
	memcpy(where->text, begin, where->len);
	return p;
}

static HINT_INLINE char *
put_where(struct samples *to, char *p, const struct sample_line *l, uint32_t cpu)
{
	struct recent_where *where =
	    &to->recent_where[(l->who_serial * 4 ^ cpu * 20 ^ (unsigned)l->mode) % RECENT_WHERES];

	/* the modes of a thread and a processor have different entries */
	if (where->serial != l->who_serial || where->cpu != cpu || where->len == 0)
		return put_new_where(where, p, l, cpu);
	memcpy(p, where->text, 64);
	if (where->len > 64)
		memcpy(p + 64, where->text + 64, sizeof where->text - 64);
	return p + where->len;
}

/* Writes the tags from pid to symoff. */
static HINT_INLINE char *
put_place_and_thread(struct samples *to, char *p, const struct sample_line *l, uint32_t cpu)
{
	p = put_where(to, p, l, cpu);
	p += num_put_hex(p, l->s->ip);
	if (l->at->dso != NULL)
		p = short_copy_blocks(p, l->at->dso->texts->tag.p, l->at->dso->texts->tag.len);
	if (l->at->detail != NULL && l->at->detail->inlined)
		return put_line_of(p, l->at->detail);
	if (l->at->symbol != NULL) {
		memcpy(p, "\tsymoff=", 8);
		p += 8;
		p += num_put_hex(p, l->place - l->at->start);
	}
	return l->at->detail == NULL ? p : put_line_of(p, l->at->detail);
}

/*
 * Writes the text up to the region, and keeps what the lines after it may share.  At the end of the
 * range nothing is kept, so that the distance of an earlier time from the base is never short.  The
 * base is a time of the recording, so that shifted times cost nothing more.
 */
static HINT_APART char *
put_new_time(char *p, const struct run *run, struct recent_time *recent, uint64_t time)
{
	uint64_t shown = time + run->shift, base = shown - shown % RECENT_STEP;
	size_t len;

	recent->base = base - run->shift;
	recent->len = 0;
	if (run->timeless) {
		p = short_copy(p, "sample\t.", 8);
		return short_copy(p, run->column.p, run->column.len);
	}
	memcpy(p, "sample\t", 7);
	len = 7 + num_put_u64(p + 7, shown);
	short_copy(p + len, run->column.p, run->column.len);
	if (base != 0 && base <= UINT64_MAX - RECENT_STEP &&
	    len + run->column.len <= sizeof recent->text) {
		recent->len = len - 8;
		recent->end = len + run->column.len;
		memcpy(recent->text, p, recent->end);
	}
	return p + len + run->column.len;
}

/* Writes the text up to the region. */
static HINT_INLINE char *
put_time(char *p, const struct run *run, struct recent_time *recent, uint64_t time)
{
	if (recent->len == 0 || time - recent->base >= RECENT_STEP)
		return put_new_time(p, run, recent, time);
	memcpy(p, recent->text, 48);
	if (recent->end > 48)
		memcpy(p + 48, recent->text + 48, sizeof recent->text - 48);
	num_put_8(p + recent->len, (uint32_t)(time - recent->base));
	return p + recent->end;
}

static HINT_APART char *
put_new_value(char *p, struct event *event, uint64_t value)
{
	char *begin = p;

	p = short_copy(p, event->column.p, event->column.len);
	p += num_put_u64(p, value);
	event->recent.value = value;
	event->recent.len = 0;
	if ((size_t)(p - begin) <= sizeof event->recent.text) {
		event->recent.len = (size_t)(p - begin);
		memcpy(event->recent.text, begin, event->recent.len);
	}
	return p;
}

/* Writes the measure and the value. */
static HINT_INLINE char *
put_value(char *p, struct event *event, uint64_t value)
{
	const struct recent_value *recent = &event->recent;

	if (value != recent->value || recent->len == 0)
		return put_new_value(p, event, value);
	memcpy(p, recent->text, sizeof recent->text);
	return p + recent->len;
}

static HINT_INLINE size_t
head_size(const struct run *run, const struct event *event, const struct sample_line *l)
{
	return LINE_FIXED + run->column.len + event->column.len + l->at->room + l->who.len;
}

/*
 * Writes the name of the process's first thread, unless this is that thread.  Returns NULL if
 * memory runs out.
 */
static char *
put_process(struct run *run, const struct sample_line *l, char *p)
{
	struct slice text = process_text(&run->state->tasks, l->thread, l->s->pid);

	evw_advance(run->w, p);
	if (text.p == NULL)
		evw_nomem(run->w);
	p = text.p == NULL ? NULL : evw_room(run->w, text.len + LINE_FIXED);
	return p == NULL ? NULL : short_copy(p, text.p, text.len);
}

static inline bool
wants_callers(const struct perf_options *opt)
{
	return !opt->no_stacks || opt->frames;
}

/* Begins a line with its columns, with room for its head.  Returns NULL if memory runs out. */
static HINT_INLINE char *
put_columns(struct samples *to, struct event *event, const struct sample_line *l, uint64_t have,
    uint64_t value)
{
	struct run *run = to->run;
	char *p;

	evw_start(run->w);
	p = evw_room(run->w, head_size(run, event, l));
	if (p == NULL)
		return NULL;
	if ((have & S_TIME) != 0)
		p = put_time(p, run, &to->recent_time, l->s->time);
	else
		p = short_copy(short_copy(p, "sample\t.", 8), run->column.p, run->column.len);
	p = put_region(p, l->at);
	return put_value(p, event, value);
}

/* Writes the tags up to symoff.  Returns NULL if memory runs out. */
static HINT_INLINE char *
put_place_tags(struct samples *to, const struct sample_line *l, uint64_t have, char *p)
{
	const struct sample *s = l->s;
	uint32_t cpu = (have & S_CPU) != 0 ? s->cpu : UINT32_MAX;

	p = (have & S_IP) != 0 ? put_place_and_thread(to, p, l, cpu)
			       : put_cpu(short_copy(p, l->who.p, l->who.len), cpu);
	return (have & S_TID) != 0 && s->tid != s->pid ? put_process(to->run, l, p) : p;
}

/* Writes the tags about the stack, of which there are some.  Returns NULL if memory runs out. */
static HINT_INLINE char *
put_stack_tags(struct samples *to, const struct sample_line *l, uint64_t have, char *p)
{
	struct run *run = to->run;
	struct evwrite *w = run->w;

	evw_advance(w, p);
	if ((have & S_CALLCHAIN) != 0 && wants_callers(run->opt)) {
		put_list(w, l, SLICE("stack"), l->frame);
		if ((run->state->wanted & SYM_LINES) != 0)
			put_lines(w, l);
		if (l->deferred)
			evw_tag_u64(w, SLICE("deferred"), 1);
	}
	if (run->opt->frames && (have & (S_IP | S_CALLCHAIN)) != 0)
		put_places(to, l);
	if (run->opt->frames && run->state->wanted != 0 && (have & S_CALLCHAIN) != 0)
		put_inlined(w, l);
	return evw_room(w, LINE_FIXED);
}

/* Writes the id tag.  There are few ids, one for each event and CPU, so their texts are cached. */
static HINT_INLINE char *
put_id(struct samples *to, uint64_t id, char *p)
{
	struct recent_id_tag *recent = &to->recent_ids[id % RECENT_IDS];

	if (id != recent->id || recent->len == 0) {
		recent->id = id;
		memcpy(recent->text, "\tid=", 4);
		recent->len = 4 + num_put_hex(recent->text + 4, id);
	}
	memcpy(p, recent->text, sizeof recent->text);
	return p + recent->len;
}

/* Writes the bytes of fields that are known only to newer versions of perf. */
static void
put_rest(struct evwrite *w, struct cur c)
{
	size_t n = cur_left(&c);

	tags_put_bytes(w, SLICE("rest"), cur_take(&c, n), n);
}

/* Returns true if the id is the only extra tag. */
static HINT_INLINE bool
has_only_id(uint64_t have)
{
	return (have & S_EXTRAS) == S_ID || (have & S_EXTRAS) == S_IDENTIFIER;
}

/* Writes the tags that most samples do not have. */
static HINT_APART void
put_rare_tags(struct samples *to, const struct sample_line *l, const struct counter *counter)
{
	struct evwrite *w = to->run->w;

	if ((l->s->have & S_EXTRAS) != 0 && !has_only_id(l->s->have))
		extras_put(to, l, counter);
	if (counter != NULL)
		counters_put_tags(w, counter);
	if (to->run->opt->all && cur_left(&l->s->rest) >= 8)
		put_rest(w, l->s->rest);
	if (to->run->late)
		evw_tag_u64(w, SLICE("late"), 1);
}

/*
 * Writes a line for one event.  HAVE is the sample's.  counter is NULL if the value is a period.
 * If memory runs out, the writer stores the error and drops the line.
 */
static HINT_INLINE void
put_line(struct samples *to, struct event *event, const struct sample_line *l, uint64_t have,
    uint64_t value, const struct counter *counter)
{
	const struct perf_options *opt = to->run->opt;
	struct evwrite *w = to->run->w;
	char *p = put_columns(to, event, l, have, value);

	if (p != NULL && !opt->no_tags) {
		p = put_place_tags(to, l, have, p);
		if (p != NULL && ((have & S_CALLCHAIN) != 0 || opt->frames))
			p = put_stack_tags(to, l, have, p);
		if (p != NULL && has_only_id(have))
			p = put_id(to, l->s->id, p);
	}
	if (p != NULL)
		evw_advance(w, p);
	if (event->number != 0)
		run_put_number(to->run, event);
	if (!opt->no_tags &&
	    (((have & S_EXTRAS) != 0 && !has_only_id(have)) || opt->all || to->run->late))
		put_rare_tags(to, l, counter);
	evw_end_line(w);
}

/* The context of put_grown. */
struct growing {
	struct samples *to;
	const struct sample_line *l;
};

/* For PERF_SAMPLE_READ: writes a line for each counter that grew. */
static void
put_grown(void *ctx, uint32_t event, const struct counter *c, uint64_t grown)
{
	const struct growing *g = ctx;

	if (grown != 0)
		put_line(g->to, &g->to->run->events->item[event], g->l, g->l->s->have, grown, c);
}

static int
put_counters(struct samples *to, const struct sample_line *l, struct err *e)
{
	const struct sample *s = l->s;
	struct growing g = { to, l };
	struct readings r = { .event = l->event,
		.part = s->read,
		.id = s->id,
		.thread = (s->have & S_TID) != 0 ? l->thread : NULL,
		.at = { .have = s->have, .pid = s->pid, .tid = s->tid, .cpu = s->cpu },
		.offset = l->rec->offset };

	r.at.time = (s->have & S_TIME) != 0 ? s->time : 0;
	return counters_take(to, &r, put_grown, &g, e);
}

static HINT_INLINE int
find_thread(struct tasks *tasks, struct sample_line *l, uint64_t have, struct err *e)
{
	const struct sample *s = l->s;
	bool named = (have & S_TID) != 0;
	const struct task_text *text;

	l->thread = tasks_thread(tasks, named ? s->pid : UINT32_MAX, named ? s->tid : UINT32_MAX);
	if (l->thread == NULL)
		return err_nomem(e);
	if (!named) {
		l->who = SLICE("\tpid=.\ttid=.\tcomm=.");
		l->who_serial = 0;
		return 0;
	}
	text = thread_text(tasks, l->thread, s->pid);
	if (text == NULL)
		return err_nomem(e);
	l->who = task_text_slice(text);
	l->who_serial = text->serial;
	return 0;
}

/*
 * Unwinds the stack copy of a sample if its callers are not in the chain.  The sample then has a
 * chain.  Unwinding also requires the registers.  Kernel threads have neither.
 */
static HINT_APART void
take_copy(struct samples *to, struct sample_line *l, struct sample *s)
{
	bool whole = (s->have & S_REGS_USER) != 0 && s->user_abi != 0 && s->stack_dynamic != 0;

	if (!whole || !lacks_user_callers(s))
		return;
	if ((s->have & S_CALLCHAIN) == 0) {
		s->chain = cur_over(NULL, 0, cur_host_big());
		s->chain_count = 0;
		s->have |= S_CALLCHAIN;
	}
	if (to->run->opt->unwinder == NULL ? !callers_skip(to, l) : !callers_find(to, l, s))
		evw_nomem(to->run->w);
}

static HINT_APART void
begin_run(struct run *run, const struct sample *s)
{
	struct first_sample first = {
		.time = (s->have & S_TIME) != 0 ? s->time : 0,
		.ip = (s->have & S_IP) != 0 ? s->ip : 0,
		.pid = (s->have & S_TID) != 0 ? s->pid : 0,
		.tid = (s->have & S_TID) != 0 ? s->tid : 0,
		.cpu = (s->have & S_CPU) != 0 ? s->cpu : 0,
	};

	run_begin(run, &first);
}

/* Reports a sample whose event is not known. */
static HINT_APART int
refuse_event(const struct events *ev, const struct rec *r, uint64_t id, struct err *e)
{
	if (ev->mixed)
		return err_byte(e, r->offset,
		    "sample of one of %zu events with different layouts: nothing in "
		    "it identifies the event",
		    ev->count);
	return err_byte(e, r->offset, "sample of unknown event id 0x%llx", (unsigned long long)id);
}

static HINT_APART void
keep_detail(struct sample_line *l)
{
	l->detail_copy = *l->at_copy.detail;
	l->at_copy.detail = &l->detail_copy;
}

/*
 * Returns true if the chain that the kernel has recorded has no caller, or one where nothing is
 * mapped: the function used the frame pointer for something else.  Farther out that is harmless,
 * since what starts a program often does.  That itself has no caller.
 */
static inline bool
is_stray(const struct sample_line *l, uint64_t have)
{
	static const struct slice unknown = SLICE_INIT("[unknown]"), first = SLICE_INIT("_start");

	if (l->frames > 2 || l->frames == 0 || l->outer_frames != 0 || l->mode != MODE_USER ||
	    (have & S_STACK_USER) != 0 || l->calls || l->truncated)
		return false;
	return !slice_eq(l->frame[0], unknown) &&
	    (l->frames == 2 ? slice_eq(l->frame[1], unknown) : !slice_eq(l->frame[0], first));
}

/* The addresses of a chain where the event sets no limit: sysctl kernel.perf_event_max_stack. */
#define CHAIN_LIMIT 127

static bool
has_addresses(const struct cur *chain, size_t number)
{
	struct chain_walk k = chain_over(chain);
	size_t n = 0;
	uint64_t ip;

	while (chain_next(&k, &ip))
		n++;
	return n == number && chain_ended(&k) == CHAIN_WHOLE;
}

/*
 * Returns true if the chain is as long as the kernel makes it, so that the outermost functions are
 * missing, unless there are exactly as many.  It counts addresses, but not markers.
 */
static inline bool
is_full(const struct sample_line *l, uint64_t have)
{
	size_t limit = l->event->attr.max_stack != 0 ? l->event->attr.max_stack : CHAIN_LIMIT;

	if (cur_left(&l->s->chain) / 8 < limit || (have & S_STACK_USER) != 0 ||
	    (l->event->attr.branch_sample_type & B_CALL_STACK) != 0)
		return false;
	return has_addresses(&l->s->chain, limit);
}

/*
 * Finds the callers of a sample that has any, and the frame of its own place.  Returns HAVE, with
 * a callchain if there was only a stack copy.
 */
static HINT_INLINE uint64_t
find_callers(struct samples *to, struct sample_line *l, struct sample *s, uint64_t have)
{
	struct state *state = to->run->state;

	if (!wants_callers(to->run->opt))
		return have;
	if ((have & S_CALLCHAIN) != 0 && is_full(l, have))
		callers_full(to, l);
	if ((have & S_STACK_USER) != 0) {
		take_copy(to, l, s);
		have = s->have;
	}
	l->at_copy = *l->at;
	l->at = &l->at_copy;
	if (l->at->detail != NULL)
		keep_detail(l);
	if ((have & S_CALLCHAIN) == 0)
		return have;
	if ((l->event->attr.branch_sample_type & B_CALL_STACK) != 0 && (have & S_BRANCH_STACK) != 0)
		l->calls |= take_branches(to, s);
	if (state->wanted == 0)
		stacks_find(to, l);
	else
		find_detailed_frames(to, l);
	to->callers.stray += is_stray(l, have);
	complete_frames(l);
	return have;
}

/*
 * Counts a sample that has all of the one before it, the event's id, too.  Counters have ids of
 * their own.
 */
static HINT_APART void
find_confusion(struct confusion *c, size_t event, const struct sample *s)
{
	const uint64_t needed = S_IP | S_TID | S_TIME;

	if ((s->have & needed) != needed || (s->have & S_READ) != 0)
		return;
	if (s->time == c->time && s->tid == c->tid && s->ip == c->ip && s->id == c->id) {
		c->event = c->samples++ == 0 ? event : c->event;
		return;
	}
	c->id = s->id;
	c->time = s->time;
	c->ip = s->ip;
	c->tid = s->tid;
}

/* The frame of a sample without a place. */
static const struct frame nowhere = { .name = "[unknown]", .namelen = 9, .room = 9 };

/* Reads the sample R of an event, whose sample_type is HAVE, into l and l->s. */
static HINT_INLINE int
take_sample(struct samples *to, const struct rec *r, struct event *event, uint64_t have,
    struct sample_line *l, struct sample *s, struct err *e)
{
	unsigned mode = r->misc & MISC_CPUMODE;

	if (sample_decode(s, &event->attr, have, r, to->run->events->big_endian, e) != 0)
		return e->code;
	to->longer += cur_left(&s->rest) >= 8;
	if (event->repeated)
		find_confusion(&to->confusion, (size_t)(event - to->run->events->item), s);
	l->s = s;
	l->rec = r;
	l->event = event;
	l->mode = mode <= MODE_GUEST_USER ? (enum cpumode)mode : MODE_UNKNOWN;
	return 0;
}

/* Writes the lines of a sample, which is also l->s, with the fields HAVE. */
static HINT_INLINE int
put_sample(struct samples *to, struct sample_line *l, struct sample *s, uint64_t have,
    struct err *e)
{
	struct run *run = to->run;
	struct state *state = run->state;

	if (!run->known)
		begin_run(run, s);
	if (find_thread(&state->tasks, l, have, e) != 0)
		return e->code;
	state->now.process = l->thread->process;
	state->now.time = (have & S_TIME) != 0 ? s->time : 0;
	l->at = (have & S_IP) != 0 ? state_frame(state, l->thread, l->mode, s->ip, &l->place)
				   : &nowhere;
	if (l->at->symbol == NULL && l->at->dso != NULL)
		l->at->dso->unnamed++;
	l->truncated = l->calls = false;
	if ((have & (S_CALLCHAIN | S_STACK_USER)) != 0 || run->opt->frames)
		have = find_callers(to, l, s, have);
	if (run->opt->frames && to->changes != state->dsos.changes)
		put_origin(to);
	*((have & S_CALLCHAIN) != 0 ? &to->with_chain : &to->plain) += 1;
	if ((have & S_READ) != 0)
		return put_counters(to, l, e);
	put_line(to, l->event, l, have, s->period, NULL);
	return 0;
}

/* Samples with the usual fields, which is what the compiler makes the fast variants from. */
static HINT_INLINE int
emit_usual(struct samples *to, const struct rec *r, struct event *event, uint64_t have,
    struct err *e)
{
	struct sample s;
	struct sample_line l;

	if (take_sample(to, r, event, have, &l, &s, e) != 0)
		return e->code;
	return put_sample(to, &l, &s, have, e);
}

/* The fields that most samples have, and those that they may have. */
#define S_USUAL (S_IP | S_TID | S_TIME)
#define S_MAY (S_IDENTIFIER | S_ID | S_CPU | S_PERIOD)

static HINT_APART int
emit_with_chain(struct samples *to, const struct rec *r, struct event *event, struct err *e)
{
	uint64_t have = event->attr.sample_type;

	return emit_usual(to, r, event, (have & S_MAY) | S_USUAL | S_CALLCHAIN, e);
}

static HINT_APART int
emit_other(struct samples *to, const struct rec *r, struct event *event, struct err *e)
{
	struct sample s;
	struct sample_line l;

	if (take_sample(to, r, event, event->attr.sample_type, &l, &s, e) != 0 ||
	    (event->bpf_output && off_cpu_take(to, &l, &s, e) != 0))
		return e->code;
	return put_sample(to, &l, &s, s.have, e);
}

int
sample_emit(struct samples *to, const struct rec *r, struct err *e)
{
	uint64_t id = 0, have;
	struct event *event = events_of_sample(to->run->events, r, &id);

	if (event == NULL)
		return refuse_event(to->run->events, r, id, e);
	have = event->usual;
	if ((have & ~S_MAY) == S_USUAL)
		return emit_usual(to, r, event, (have & S_MAY) | S_USUAL, e);
	return (have & ~S_MAY) == (S_USUAL | S_CALLCHAIN) ? emit_with_chain(to, r, event, e)
							  : emit_other(to, r, event, e);
}

void
samples_free(struct samples *to)
{
	callers_free(&to->callers);
	buf_free(&to->lbr_words);
	stacks_free(&to->stacks);
}
