/* SPDX-License-Identifier: ISC */
/* collect.c - collects lines: locations, labels, and sums for each distinct sample. */
#include "src/pprof/pprof.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seconds.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/pprof/pprofint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define SCALE_MAX 18 /* 10^18 is the largest power of 10 below 2^63 */
#define NSEC INT64_C(1000000000)

static const char default_labels[] = "pcomm,comm,pid,tid,cpu";

struct pprof *
pprof_new(void)
{
	struct pprof *p = mem_zero(1, sizeof *p);

	if (p == NULL)
		return NULL;
	if (pprof_set_labels(p, default_labels, NULL) != 0) {
		pprof_free(p);
		return NULL;
	}
	p->named = false;
	return p;
}

void
pprof_free(struct pprof *p)
{
	size_t i;

	for (i = 0; i < PPROF_COLUMNS_MAX; i++) {
		if (p->measure[i] == NULL)
			continue;
		buf_free(&p->measure[i]->name);
		buf_free(&p->measure[i]->unit);
		mem_free(p->measure[i]->sum);
		mem_free(p->measure[i]);
	}
	buf_free(&p->label_text);
	keys_free(&p->keys);
	tab_free(&p->locations);
	tab_free(&p->values);
	tab_free(&p->stacks);
	tab_free(&p->sets);
	pprof_samples_free(&p->samples);
	buf_free(&p->text);
	buf_free(&p->words);
	tab_free(&p->shapes);
	mem_free(p->shape);
	tab_free(&p->runs);
	mem_free(p->clock);
	buf_free(&p->comments);
	mem_free(p);
}

uint64_t
pprof_rounded(const struct pprof *p)
{
	return p->rounded;
}

uint64_t
pprof_fractions(const struct pprof *p)
{
	return p->fractions;
}

uint64_t
pprof_unplaced(const struct pprof *p)
{
	return p->unplaced;
}

void
pprof_show_first(struct pprof *p, size_t number)
{
	p->foremost = number;
}

/* ---- settings */

static int
take_label(struct pprof *p, struct slice name, size_t *end, struct err *e)
{
	size_t i, from = p->label_text.len;

	if (name.len == 0)
		return err_data(e, "empty word in a list: no blanks around commas");
	if (p->labels == PPROF_LABELS_MAX)
		return err_data(e, "more than %d words", PPROF_LABELS_MAX);
	if (!esc_append(&p->label_text, name.p, name.len, ESC_KEY))
		return err_nomem(e);
	name = (struct slice){ p->label_text.p + from, p->label_text.len - from };
	for (i = 0; i < p->labels; i++)
		if (slice_eq(name,
			(struct slice){ p->label_text.p + (i == 0 ? 0 : end[i - 1]),
			    end[i] - (i == 0 ? 0 : end[i - 1]) }))
			return err_data(e, "the word '%.*s' appears twice",
			    slice_shown(name, SHOWN_MAX), name.p);
	end[p->labels++] = p->label_text.len;
	return 0;
}

/* Finds the places of the labels, and the tags to search lines for. */
static void
find_places(struct pprof *p)
{
	static const char *const names[TAGS] = {
		[TAG_STAT] = "stat",
		[TAG_START] = "start",
		[TAG_LINE] = "line",
		[TAG_LINES] = "lines",
		[TAG_FRAMES] = "frames",
		[TAG_INLINED] = "inlined",
	};
	size_t i, n;

	p->wanted = (struct ev_keys){ .count = 0 };
	p->process = EV_KEYS_MAX;
	for (i = 0; i < TAGS; i++)
		(void)ev_keys_add(&p->wanted, slice_of(names[i]));
	for (i = 0; i < p->labels; i++) {
		p->place[i] = ev_column_named(p->label[i]);
		if (p->place[i] != EV_COLUMNS)
			continue;
		for (n = 0; n < TAGS && !slice_eq(p->wanted.key[n], p->label[i]); n++)
			;
		n = n < TAGS ? n : ev_keys_add(&p->wanted, p->label[i]);
		p->place[i] += n;
		if (ev_is_process(p->label[i]))
			p->process = n;
	}
}

int
pprof_set_labels(struct pprof *p, const char *list, struct err *e)
{
	size_t end[PPROF_LABELS_MAX], i, n, from = 0;
	bool none = strcmp(list, ".") == 0;
	int rc = 0;

	p->labels = p->label_text.len = 0;
	p->named = true;
	for (; !none; list += n + 1) {
		n = strcspn(list, ",");
		if ((rc = take_label(p, (struct slice){ list, n }, end, e)) != 0)
			return rc;
		if (list[n] == '\0')
			break;
	}
	for (i = 0; i < p->labels; from = end[i++])
		p->label[i] = (struct slice){ p->label_text.p + from, end[i] - from };
	find_places(p);
	return 0;
}

void
pprof_reads(const struct pprof *p, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; p->named && i < p->labels; i++)
		sink(ctx, p->label[i]);
	if (p->named && p->process != EV_KEYS_MAX)
		ev_reads(p->wanted.key[p->process], sink, ctx);
}

/* ---- tags */

/* Finds the line's tags.  If one is repeated, the first one is used, except for labels. */
static void
find_tags(struct pprof *p, const struct ev *ev)
{
	struct slice value;
	size_t i, n;

	for (i = 0; i < p->wanted.count; i++)
		p->tag[i] = (struct slice){ NULL, 0 };
	p->repeated = false;
	for (i = 0; i < ev->ntags; i++) {
		n = ev_keys_find(&p->wanted, ev_tag_at(ev, i), &value);
		if (n == EV_KEYS_MAX)
			continue;
		p->repeated |= p->tag[n].p != NULL;
		if (p->tag[n].p == NULL)
			p->tag[n] = value;
	}
	if (p->process == EV_KEYS_MAX || p->tag[p->process].p != NULL)
		return;
	value = ev_process(ev);
	if (!slice_is_nothing(value))
		p->tag[p->process] = value;
}

/* ---- times */

static struct clock *
clock_of(struct pprof *p, struct slice run)
{
	size_t n = p->last_run;

	if (n < p->runs.count && short_eq(p->runs.item[n], run))
		return &p->clock[n];
	n = tab_add(&p->runs, run, NULL);
	if (n == TAB_NONE || !vec_room_zero(p->clock, n, p->clock_cap))
		return NULL;
	p->last_run = n;
	return &p->clock[n];
}

/* Reads a time of day in seconds since 1970, as nanoseconds. */
static bool
read_wall(struct slice s, int64_t *wall)
{
	int64_t sec;
	uint32_t ns;

	if (!seconds_get_wall(s, &sec, &ns) || sec < 0 || sec > INT64_MAX / NSEC ||
	    sec * NSEC > INT64_MAX - (int64_t)ns)
		return false;
	*wall = sec * NSEC + (int64_t)ns;
	return true;
}

int
pprof_run(struct pprof *p, const struct ev *ev, struct err *e)
{
	struct wide at = { 0, 0 };
	struct slice text;
	struct clock *c;
	int64_t wall;

	keys_see_run(&p->keys, ev);
	if (!ev_tag(ev, SLICE("wall"), &text) || !read_wall(text, &wall) ||
	    (!slice_is_nothing(ev->col[EV_TIME]) && wide_get(ev->col[EV_TIME], &at) != WIDE_OK))
		return 0;
	c = clock_of(p, ev->col[EV_RUN]);
	if (c == NULL)
		return err_nomem(e);
	c->at = at;
	c->wall = wall;
	c->dated = true;
	return 0;
}

static void
see_time(struct clock *c, struct slice text)
{
	struct wide t;

	if (wide_get(text, &t) != WIDE_OK)
		return;
	if (!c->timed || wide_cmp(t, c->first) < 0)
		c->first = t;
	if (!c->timed || wide_cmp(t, c->last) > 0)
		c->last = t;
	c->timed = true;
}

static bool
see_times(struct pprof *p, const struct ev *ev)
{
	struct clock *c = clock_of(p, ev->col[EV_RUN]);

	if (c == NULL)
		return false;
	see_time(c, ev->col[EV_TIME]);
	if (p->tag[TAG_START].p != NULL)
		see_time(c, p->tag[TAG_START]);
	return true;
}

/* ---- values */

static int64_t
power_of_10(unsigned n)
{
	int64_t v = 1;

	while (n-- > 0)
		v *= 10;
	return v;
}

/* A value is m * 10^-scale, as it is spelled. */
struct decimal {
	int64_t m;
	unsigned scale;
	bool rounded; /* to DIGITS_KEPT */
};

/*
 * The last digits of a double are often those of a rounding error, as in 0.1 + 0.2.  Keeping them
 * would leave no room for other values in the 64 bits.
 */
#define DIGITS_KEPT 15

/* Shortens the digits to DIGITS_KEPT; *point is where their decimal point is. */
static size_t
round_digits(char *digits, size_t n, int *point)
{
	size_t i = DIGITS_KEPT;
	bool up;

	if (n <= DIGITS_KEPT)
		return n;
	up = digits[i] >= '5';
	while (up && i > 0) {
		up = digits[i - 1] == '9';
		digits[i - 1] = up ? '0' : (char)(digits[i - 1] + 1);
		i--;
	}
	if (up) {
		digits[0] = '1';
		++*point;
		return 1;
	}
	for (n = DIGITS_KEPT; n > 1 && digits[n - 1] == '0';)
		n--;
	return n;
}

/* Multiplies by a power of 10.  Returns false if the product is not between -2^63 and 2^63. */
static bool
raise_to(int64_t *m, unsigned power)
{
	int64_t by = power_of_10(power);

	if (*m > INT64_MAX / by || *m < -INT64_MAX / by)
		return false;
	*m *= by;
	return true;
}

/* Sets *d to a finite double in the digits that the stream has. */
static bool
take_double(double v, struct decimal *d)
{
	char digits[NUM_DIGITS_MAX];
	int point = 0, scale;
	size_t n = 0, i;

	d->m = 0;
	if (v != 0)
		n = num_shortest(digits, fabs(v), &point);
	d->rounded = n > DIGITS_KEPT;
	n = round_digits(digits, n, &point);
	for (i = 0; i < n; i++)
		d->m = d->m * 10 + (digits[i] - '0');
	d->m = v < 0 ? -d->m : d->m;
	scale = (int)n - point;
	if (n == 0)
		scale = 0;
	d->scale = scale < 0 ? 0 : (unsigned)scale;
	return scale <= SCALE_MAX && scale >= -SCALE_MAX &&
	    (scale >= 0 || raise_to(&d->m, (unsigned)-scale));
}

/* Reads an integer in any spelling.  Returns false if it does not fit into 64 bits. */
static bool
read_integer(struct slice s, int64_t *v)
{
	bool negative = s.p[0] == '-';
	struct wide w;

	if (wide_get((struct slice){ s.p + negative, s.len - negative }, &w) != WIDE_OK ||
	    w.hi != 0 || w.lo > (uint64_t)INT64_MAX + negative)
		return false;
	*v = negative ? (int64_t)(0 - w.lo) : (int64_t)w.lo;
	return true;
}

static int
read_decimal(struct slice s, struct decimal *d, struct err *e)
{
	int shown = slice_shown(s, SHOWN_MAX);
	double v;

	*d = (struct decimal){ 0 };
	if (num_get_i64(s, &d->m) || (num_is_integer(s) && read_integer(s, &d->m)))
		return 0;
	if (num_is_integer(s))
		return err_data(e, "a profile of 64 bits cannot hold the value %.*s", shown, s.p);
	if (!num_get_double(s, &v))
		return err_data(e, "not a number: '%.*s'", shown, s.p);
	if (!isfinite(v) || num_is_out_of_range(s, v) || !take_double(v, d))
		return err_data(e, "a profile of 64 bits cannot hold the value %.*s", shown, s.p);
	return 0;
}

/* Returns true if each sum of a column has at most 64 bits, besides its sign. */
static bool
have_64_bits(const struct measure *m, enum pprof_column c)
{
	size_t i;

	for (i = 0; i < m->cap; i++)
		if (wide_magnitude(m->sum[i][c]).hi != 0)
			return false;
	return true;
}

void
measure_rescale(struct measure *m, enum pprof_column c, unsigned scale)
{
	uint64_t by = (uint64_t)power_of_10(scale - m->scale[c]);
	size_t i;

	for (i = 0; i < m->cap; i++) {
		struct wide *sum = &m->sum[i][c], v = wide_mul(wide_magnitude(*sum).lo, by);

		*sum = wide_is_negative(*sum) ? wide_negated(v) : v;
	}
	m->scale[c] = scale;
}

/* Adds to a sum, which cannot overflow: each value has at most 63 bits. */
static int
add_value(struct measure *m, enum pprof_column c, size_t sample, struct decimal d, struct err *e)
{
	struct wide v, *sum;

	if (!vec_room_zero(m->sum, sample, m->cap))
		return err_nomem(e);
	if (d.scale > m->scale[c]) {
		if (!have_64_bits(m, c))
			return err_data(e, "the sums do not fit into 64 bits with %u decimals",
			    d.scale);
		measure_rescale(m, c, d.scale);
	}
	if (d.scale < m->scale[c] && !raise_to(&d.m, m->scale[c] - d.scale))
		return err_data(e, "a value does not fit into 64 bits with %u decimals",
		    m->scale[c]);
	v = (struct wide){ d.m < 0 ? UINT64_MAX : 0, (uint64_t)d.m };
	sum = &m->sum[sample][c];
	(void)wide_add(*sum, v, sum);
	m->used[c] = true;
	return 0;
}

/* ---- locations */

/* The lists of a line, root first, with as many elements as they need; p is NULL for none. */
struct lists {
	struct slice stack, lines, frames, inlined;
};

/* Returns the number of elements of stack that frames stands for, or SIZE_MAX. */
static size_t
count_expanded(struct slice frames, struct slice inlined)
{
	size_t n = ev_count_elements(frames);
	struct slice element;
	uint64_t more;

	if (inlined.p == NULL)
		return n;
	if (ev_count_elements(inlined) != n)
		return SIZE_MAX;
	while (ev_next_element(&inlined, &element)) {
		if (!num_get_u64(element, &more) || more > EV_LINE_MAX - n)
			return SIZE_MAX;
		n += (size_t)more; /* a line has no more elements than bytes */
	}
	return n;
}

static struct lists
find_lists(const struct pprof *p, struct slice stack)
{
	const struct slice none = { NULL, 0 };
	bool region = stack.len == 0;

	return (struct lists){ .stack = region ? none : stack,
		.lines = p->tag[region ? TAG_LINE : TAG_LINES],
		.frames = p->tag[TAG_FRAMES],
		.inlined = region ? none : p->tag[TAG_INLINED] };
}

/* Removes the lists that do not fit the stack, and then returns false. */
static bool
fit_lists(struct lists *l)
{
	const struct slice none = { NULL, 0 };
	size_t n = l->stack.p == NULL ? 1 : ev_count_elements(l->stack);
	bool fits = true;

	if (l->lines.p != NULL && ev_count_elements(l->lines) != n) {
		l->lines = none;
		fits = false;
	}
	if (l->frames.p != NULL && count_expanded(l->frames, l->inlined) != n) {
		l->frames = l->inlined = none;
		fits = false;
	}
	if (l->frames.p == NULL)
		l->inlined = none;
	return fits;
}

/* Appends TAB NAME TAB LINE for the next element of the stack. */
static bool
put_function(struct buf *b, struct lists *l, struct slice name)
{
	struct slice line = SLICE("?");

	if (l->stack.p != NULL)
		(void)ev_next_element(&l->stack, &name);
	if (l->lines.p != NULL)
		(void)ev_next_element(&l->lines, &line);
	if (slice_is_nothing(name))
		name = SLICE("[unknown]");
	return buf_putc(b, '\t') && esc_append_element(b, name) && buf_putc(b, '\t') &&
	    esc_append_element(b, line);
}

/* Writes the next location to p->text. */
static bool
compose_location(struct pprof *p, struct lists *l, struct slice region)
{
	struct slice place = SLICE("."), text;
	uint64_t more = 0;

	if (l->frames.p != NULL)
		(void)ev_next_element(&l->frames, &place);
	if (l->inlined.p != NULL) { /* fit_lists has checked its numbers */
		(void)ev_next_element(&l->inlined, &text);
		(void)num_get_u64(text, &more);
	}
	p->text.len = 0;
	if (!esc_append_element(&p->text, place) || !put_function(&p->text, l, region))
		return false;
	while (more-- > 0)
		if (!put_function(&p->text, l, region))
			return false;
	return true;
}

static bool
put_word(struct buf *b, size_t v)
{
	uint32_t word = (uint32_t)v;

	return buf_put(b, &word, sizeof word);
}

/* Turns the words around: the stream's stacks begin at the root. */
static void
turn_around(struct buf *b)
{
	size_t i = 0, j = b->len / sizeof(uint32_t) - 1;
	uint32_t x, y;

	for (; i < j; i++, j--) {
		memcpy(&x, b->p + i * sizeof x, sizeof x);
		memcpy(&y, b->p + j * sizeof y, sizeof y);
		memcpy(b->p + i * sizeof x, &y, sizeof x);
		memcpy(b->p + j * sizeof y, &x, sizeof y);
	}
}

/* Stores the number of the stack. */
static bool
add_stack(struct pprof *p, struct lists *l, struct slice region, uint32_t *stack)
{
	size_t i;

	p->words.len = 0;
	do {
		if (!compose_location(p, l, region))
			return false;
		i = tab_add(&p->locations, buf_slice(&p->text), NULL);
		if (i == TAB_NONE || !put_word(&p->words, i))
			return false;
	} while (l->stack.p != NULL);
	turn_around(&p->words);
	i = tab_add(&p->stacks, buf_slice(&p->words), NULL);
	*stack = (uint32_t)i;
	return i != TAB_NONE;
}

static bool
put_column(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && (s.len == 0 || buf_put(b, s.p, s.len));
}

/*
 * Stores what determines the line's locations.  It begins with a TAB, unless it is no more than the
 * stack.
 */
static bool
put_shape(struct pprof *p, const struct lists *l, struct slice region, struct slice *shape)
{
	*shape = l->stack;
	if (l->stack.p != NULL && l->lines.p == NULL && l->frames.p == NULL && l->inlined.p == NULL)
		return true;
	p->text.len = 0;
	if (!put_column(&p->text, l->stack.p == NULL ? region : l->stack) ||
	    !put_column(&p->text, l->lines) || !put_column(&p->text, l->frames) ||
	    !put_column(&p->text, l->inlined) ||
	    !buf_putc(&p->text, l->stack.p == NULL ? 'r' : 's'))
		return false;
	*shape = buf_slice(&p->text);
	return true;
}

/* Stores the number of the line's stack.  Many lines have that of the line before. */
static bool
find_stack(struct pprof *p, const struct ev *ev, struct slice stack, uint32_t *number)
{
	struct lists l = find_lists(p, stack);
	size_t i = p->last_shape;
	struct slice function = ev_function(ev), text;
	bool fresh = false;

	if (!put_shape(p, &l, function, &text))
		return false;
	if (i >= p->shapes.count || !short_eq(p->shapes.item[i], text))
		i = tab_add(&p->shapes, text, &fresh);
	if (i == TAB_NONE || !vec_room(p->shape, i, p->shape_cap))
		return false;
	p->last_shape = i;
	if (fresh) {
		p->shape[i].fits = fit_lists(&l);
		if (!add_stack(p, &l, function, &p->shape[i].stack))
			return false;
	}
	p->unplaced += !p->shape[i].fits;
	*number = p->shape[i].stack;
	return true;
}

/* ---- labels */

/* Returns where put_label keeps the number of a value, which is not empty. */
static uint32_t *
recent_place(struct pprof *p, size_t label, struct slice value)
{
	unsigned last = (unsigned char)value.p[value.len - 1];
	unsigned before = (unsigned char)value.p[value.len / 2];

	return &p->recent[label][(last + 3 * before) % RECENT];
}

/* Returns whether value I is that of the label. */
static bool
is_value(const struct pprof *p, size_t i, size_t label, struct slice value)
{
	struct slice text;

	if (i >= p->values.count)
		return false;
	text = p->values.item[i];
	return text.len == value.len + 2 && text.p[0] == (char)('0' + label) &&
	    short_eq((struct slice){ text.p + 2, value.len }, value);
}

/* Values mostly come again soon, and then are found without being hashed. */
static bool
put_label(struct pprof *p, size_t label, struct slice value)
{
	uint32_t *recent = NULL;
	size_t i;

	if (slice_is_nothing(value))
		return true;
	if (value.len != 0) {
		recent = recent_place(p, label, value);
		if (is_value(p, *recent, label, value))
			return put_word(&p->words, *recent);
	}
	p->text.len = 0;
	if (!buf_putc(&p->text, (char)('0' + label)) || !buf_putc(&p->text, '\t') ||
	    !esc_append_element(&p->text, value))
		return false;
	i = tab_add(&p->values, buf_slice(&p->text), NULL);
	if (recent != NULL)
		*recent = (uint32_t)i;
	return i != TAB_NONE && put_word(&p->words, i);
}

/* Appends the values of a tag that may be there several times, or FIRST if that is of no tag. */
static bool
put_repeated(struct pprof *p, size_t label, const struct ev *ev, struct slice first)
{
	bool is_tag = false;
	struct slice value;
	size_t i;

	for (i = 0; i < ev->ntags; i++) {
		if (ev_keys_find(&p->wanted, ev_tag_at(ev, i), &value) + EV_COLUMNS !=
		    p->place[label])
			continue;
		is_tag = true;
		if (!put_label(p, label, value))
			return false;
	}
	return is_tag || put_label(p, label, first);
}

/* Appends the line's labels to p->words, in the order of the settings. */
static bool
put_labels(struct pprof *p, const struct ev *ev)
{
	size_t i;

	for (i = 0; i < p->labels; i++) {
		size_t place = p->place[i];
		struct slice value = place < EV_COLUMNS ? ev_of_group(ev, (enum ev_column)place)
							: p->tag[place - EV_COLUMNS];

		if (value.p == NULL)
			continue;
		if (!(place >= EV_COLUMNS && p->repeated ? put_repeated(p, i, ev, value)
							 : put_label(p, i, value)))
			return false;
	}
	return true;
}

/* A label that is the process needs no line with its tag: it may be that of a first thread. */
static bool
need_label(struct pprof *p, struct slice label)
{
	return ev_is_process(label) ? keys_need_or(&p->keys, SLICE("pid"), label)
				    : keys_need(&p->keys, label);
}

static bool
see_keys(struct pprof *p, const struct ev *ev)
{
	size_t i;

	if (!p->named)
		return true;
	if (p->keys.wanted == 0)
		for (i = 0; i < p->labels; i++)
			if (!need_label(p, p->label[i]))
				return false;
	if (!keys_done(&p->keys))
		keys_see(&p->keys, ev);
	return true;
}

int
pprof_missing(const struct pprof *p, size_t *at, struct err *e)
{
	return keys_missing(&p->keys, at, e);
}

/* ---- lines */

static struct measure *
measure_of(struct pprof *p, size_t number)
{
	struct measure *to = p->measure[number];

	if (to != NULL)
		return to;
	to = mem_zero(1, sizeof *to);
	if (to == NULL)
		return NULL;
	p->measure[number] = to;
	if (number >= p->measures)
		p->measures = number + 1;
	return to;
}

int
pprof_name(struct pprof *p, const struct pprof_measure *m, struct err *e)
{
	struct measure *to = p->measure[m->number];

	if (to == NULL) /* all of its lines were refused */
		return 0;
	return buf_put(&to->name, m->name.p, m->name.len) &&
		buf_put(&to->unit, m->unit.p, m->unit.len)
	    ? 0
	    : err_nomem(e);
}

/* Adds an event: its value, and 1; or the statistic of several. */
static int
add_line(const struct pprof *p, struct measure *m, size_t sample, struct decimal d, struct err *e)
{
	struct slice stat = p->tag[TAG_STAT];
	int rc;

	if (stat.p != NULL)
		return add_value(m, slice_eq(stat, SLICE("count")) ? COLUMN_COUNT : COLUMN_VALUE,
		    sample, d, e);
	rc = add_value(m, COLUMN_VALUE, sample, d, e);
	return rc != 0 ? rc : add_value(m, COLUMN_COUNT, sample, (struct decimal){ .m = 1 }, e);
}

/* Stores the number of the line's set of labels.  Many lines have that of the line before. */
static bool
find_set(struct pprof *p, const struct ev *ev, uint32_t *number)
{
	size_t i = p->last_set;

	p->words.len = 0;
	if (!put_labels(p, ev))
		return false;
	if (i >= p->sets.count || !short_eq(p->sets.item[i], buf_slice(&p->words)))
		i = tab_add(&p->sets, buf_slice(&p->words), NULL);
	p->last_set = i;
	*number = (uint32_t)i;
	return i != TAB_NONE;
}

/* Stores the number of the line's sample. */
static bool
find_sample(struct pprof *p, const struct ev *ev, struct slice stack, size_t *number)
{
	struct sample s;

	if (!find_stack(p, ev, stack, &s.stack) || !find_set(p, ev, &s.set))
		return false;
	*number = pprof_samples_add(&p->samples, s);
	return *number != SAMPLES_NONE;
}

int
pprof_add(struct pprof *p, size_t number, const struct ev *ev, struct slice stack, struct err *e)
{
	struct measure *to;
	struct decimal d;
	size_t sample;

	if (read_decimal(ev->col[EV_VALUE], &d, e) != 0)
		return err_at_line(e, ev->number);
	find_tags(p, ev);
	to = measure_of(p, number);
	if (to == NULL || !see_keys(p, ev) || !see_times(p, ev) ||
	    !find_sample(p, ev, stack, &sample))
		return err_nomem(e);
	p->rounded += d.rounded;
	if (add_line(p, to, sample, d, e) == 0)
		return 0;
	p->full = true;
	return err_at_line(e, ev->number);
}

int
pprof_comment(struct pprof *p, const char *text, struct err *e)
{
	return buf_put(&p->comments, text, strlen(text) + 1) ? 0 : err_nomem(e);
}
