/* SPDX-License-Identifier: ISC */
/* condition.c - one condition: its words, and the lines for which it holds. */
#include "src/select/condition.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/wide.h"
#include "src/select/window.h"

#define SHOWN_MAX 60 /* bytes of a word in a message */
/*
 * A number of nanoseconds that a time exceeds by this many digits is probably one of seconds or
 * milliseconds: with fewer it may be one of nanoseconds.
 */
#define FAR_DIGITS 5

static const struct slice nothing = SLICE_INIT(".");

void
condition_free(struct condition *c)
{
	mem_free(c->other);
	if (c->framed != NULL)
		condition_free(c->framed);
	mem_free(c->framed);
	if (c->pattern != NULL)
		pattern_free(c->pattern);
	mem_free(c->pattern);
}

/* Stores the text, escaped. */
static int
intern(struct slice *out, struct tab *texts, struct slice s, enum esc_as as, struct err *e)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;

	if (esc_append(&b, s.p, s.len, as))
		n = tab_add(texts, buf_slice(&b), NULL);
	buf_free(&b);
	if (n == TAB_NONE)
		return err_nomem(e);
	*out = texts->item[n];
	return 0;
}

/* Stores the bytes and a NUL. */
static int
keep(struct slice *out, struct tab *texts, struct slice s, struct err *e)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;

	if (buf_put(&b, s.p, s.len) && buf_putc(&b, '\0'))
		n = tab_add(texts, buf_slice(&b), NULL);
	buf_free(&b);
	if (n == TAB_NONE)
		return err_nomem(e);
	*out = (struct slice){ texts->item[n].p, s.len };
	return 0;
}

static int
make_equal(struct condition *c, const struct condition_words *words, struct tab *texts,
    struct err *e)
{
	struct slice v = words->value;

	if (v.len == 0 || (!words->quoted && slice_is_nothing(v))) {
		c->text = nothing;
		return 0;
	}
	if (memchr(v.p, '=', v.len) != NULL || (!c->elements && memchr(v.p, ';', v.len) != NULL)) {
		int rc = keep(&c->plain, texts, v, e);

		if (rc != 0)
			return rc;
	}
	return intern(&c->text, texts, v, c->elements ? ESC_ELEMENT : ESC_COLUMN, e);
}

static int
make_matches(struct condition *c, struct slice text, struct err *e)
{
	c->pattern = mem_zero(1, sizeof *c->pattern);
	return c->pattern == NULL ? err_nomem(e) : pattern_make(c->pattern, text, e);
}

/*
 * Writes what to do about a text that is not a number, in parentheses after a blank, or nothing.  A
 * time that is not a number of nanoseconds is one for --time of afsel.
 */
static void
advise(const struct condition *c, char *text, size_t size)
{
	bool early = c->op == CONDITION_LESS || c->op == CONDITION_AT_MOST;
	char advice[WIDE_ADVICE_MAX];

	text[0] = '\0';
	if (c->column == EV_TIME && window_is_moment(c->text) && c->text.len <= SHOWN_MAX) {
		(void)snprintf(text, size,
		    " (time is in ns here; afsel --time '%s%.*s%s' takes this)", early ? "," : "",
		    (int)c->text.len, c->text.p, early ? "" : ",");
		return;
	}
	wide_advise(c->text, advice);
	(void)snprintf(text, size, "%s", advice);
}

static int
make_number(struct condition *c, const struct condition_words *words, struct tab *texts,
    struct err *e)
{
	int rc = keep(&c->text, texts, words->value, e);
	char advice[WIDE_ADVICE_MAX + SHOWN_MAX];

	if (rc != 0)
		return rc;
	if (c->elements)
		return err_data(e, "frame has only the operators = != ~ !~");
	if (decimal_read(&c->number, c->text) && c->number.class != DECIMAL_NAN)
		return 0;
	advise(c, advice, sizeof advice);
	return err_data(e, "not a number: '%.*s'%s", slice_shown(c->text, SHOWN_MAX), c->text.p,
	    advice);
}

/* Makes the same condition about the frames of the stack. */
static int
make_framed(struct condition *c, const struct condition_words *words, struct tab *texts,
    struct err *e)
{
	struct condition_words framed = *words;

	framed.key = SLICE("frame");
	c->framed = mem_zero(1, sizeof *c->framed);
	return c->framed == NULL ? err_nomem(e) : condition_make(c->framed, &framed, texts, e);
}

/* Makes the part that depends on the operator. */
static int
make_test(struct condition *c, const struct condition_words *words, struct tab *texts,
    struct err *e)
{
	if (words->op == CONDITION_EQUAL)
		return make_equal(c, words, texts, e);
	if (words->op == CONDITION_MATCHES)
		return make_matches(c, words->value, e);
	return make_number(c, words, texts, e);
}

int
condition_make(struct condition *c, const struct condition_words *words, struct tab *texts,
    struct err *e)
{
	struct slice key = words->key;
	bool path; /* functions with ; between them, which are looked for in the whole stack */
	int rc;

	*c = (struct condition){ .op = words->op };
	c->frame = slice_eq(key, SLICE("frame"));
	c->process = ev_is_process(key);
	path = !c->frame && words->value.len != 0 &&
	    memchr(words->value.p, ';', words->value.len) != NULL;
	if (c->frame || (words->op == CONDITION_MATCHES && slice_eq(key, SLICE("stack")))) {
		c->elements = !path;
		key = SLICE("stack");
	}
	rc = intern(&c->tag, texts, key, ESC_KEY, e);
	if (rc != 0)
		return rc;
	c->column = ev_column_named(c->tag);
	rc = make_test(c, words, texts, e);
	if (rc == 0 && c->column == EV_REGION && words->op <= CONDITION_MATCHES)
		rc = make_framed(c, words, texts, e);
	return rc;
}

/* Finds the first tag with that key. */
static inline struct slice
tag_value(const struct ev *ev, struct slice key)
{
	struct slice value;

	return ev_tag(ev, key, &value) && value.len != 0 ? value : nothing;
}

/*
 * Called if the texts differ but may represent the same bytes: \x3b and \x3d are accepted
 * everywhere.
 */
static HINT_APART int
equals_undone(struct condition *c, struct slice value, struct buf *room)
{
	size_t at;

	if (memchr(value.p, '\\', value.len) == NULL)
		return 0;
	room->len = 0;
	/* the reader has checked the escapes, so only allocation can fail */
	if (esc_undo(room, value, &at) != 0)
		return -1;
	c->equalled |= slice_eq(buf_slice(room), c->plain);
	return slice_eq(buf_slice(room), c->plain);
}

/*
 * Keeps a value as long as the text if only the case of letters differs: of several the first in
 * bytewise order, whatever the order of lines.  If memory runs out, it is not mentioned.
 */
static HINT_APART void
see_case(struct condition *c, struct slice value)
{
	if (strncasecmp(value.p, c->text.p, value.len) != 0 ||
	    (c->other != NULL && memcmp(value.p, c->other, value.len) >= 0))
		return;
	if (c->other == NULL)
		c->other = mem_alloc(value.len);
	if (c->other != NULL)
		memcpy(c->other, value.p, value.len);
}

static inline int
equals(struct condition *c, struct slice value, struct buf *room)
{
	if (short_eq(value, c->text)) {
		c->equalled = true;
		return 1;
	}
	if (!c->equalled && value.len == c->text.len && (value.p[0] | ' ') == (c->text.p[0] | ' '))
		see_case(c, value);
	return c->plain.len != 0 ? equals_undone(c, value, room) : 0;
}

/* Tests each element until one passes. */
static int
any_equals(struct condition *c, struct slice list, struct buf *room)
{
	struct slice element;
	int rc = 0;

	while (rc == 0 && ev_next_element(&list, &element))
		rc = equals(c, element, room);
	return rc;
}

static int
any_matches(struct condition *c, struct slice value, struct buf *room)
{
	struct slice element;
	int rc = 0;

	if (pattern_is_plain_for(c->pattern, value))
		return pattern_has(c->pattern, value);
	if (!c->elements)
		return pattern_matches(c->pattern, value, room);
	while (rc == 0 && ev_next_element(&value, &element))
		rc = pattern_knows(c->pattern, element);
	return rc;
}

static int
compares(struct condition *c, struct slice value)
{
	struct decimal n;
	int order;

	if (slice_is_nothing(value))
		return 0;
	if (!decimal_read(&n, value) || n.class == DECIMAL_NAN) {
		c->odd++;
		return 0;
	}
	order = decimal_cmp(&n, &c->number);
	switch (c->op) {
	case CONDITION_LESS: return order < 0;
	case CONDITION_AT_MOST: return order <= 0;
	case CONDITION_MORE: return order > 0;
	default: return order >= 0;
	}
}

bool
condition_group_frame(const struct ev *ev, struct slice *frame)
{
	return kind_is_result(ev->col[EV_KIND]) && ev_tag(ev, SLICE("frame"), frame);
}

static inline struct slice
value_of(const struct condition *c, const struct ev *ev)
{
	struct slice value;

	if (c->column != EV_COLUMNS)
		value = ev->col[c->column];
	else if (!c->frame || !condition_group_frame(ev, &value))
		value = tag_value(ev, c->tag);
	if (c->process && slice_is_nothing(value))
		value = ev_process(ev);
	return value;
}

struct slice
condition_value(const struct condition *c, const struct ev *ev)
{
	return value_of(c, ev);
}

bool
condition_is_far(const struct condition *c, struct slice time)
{
	struct decimal far = c->number, t, zero = { .class = DECIMAL_FINITE };

	far.point += FAR_DIGITS;
	(void)decimal_read(&t, time); /* it is one */
	return decimal_cmp(&c->number, &zero) > 0 && decimal_cmp(&t, &far) >= 0;
}

int
condition_holds(struct condition *c, const struct ev *ev, struct buf *room)
{
	struct slice value = value_of(c, ev);

	if (c->op == CONDITION_EQUAL)
		return c->elements ? any_equals(c, value, room) : equals(c, value, room);
	if (c->op == CONDITION_MATCHES)
		return any_matches(c, value, room);
	return compares(c, value);
}

bool
condition_is_of_run(const struct condition *c)
{
	return c->column == EV_RUN || ev_is_of_run(c->tag);
}

bool
condition_is_of_no_run(const struct condition *c)
{
	return c->column == EV_RUN && c->op == CONDITION_EQUAL && slice_is_nothing(c->text);
}

int
condition_holds_beside_run(const struct condition *c, const struct ev *ev, struct buf *room)
{
	struct condition own = *c; /* as below */

	own.equalled = true;
	return condition_is_of_run(c) ? 2 : condition_holds(&own, ev, room);
}

int
condition_holds_for_run(const struct condition *c, const struct ev *ev, struct buf *room)
{
	size_t prefix = sizeof EV_OF_RUN - 1;
	struct condition own = *c; /* it counts odd values in vain */

	own.equalled = true; /* so it keeps no value, which nobody would release */
	if (ev_is_of_run(c->tag) && slice_eq(ev->col[EV_KIND], SLICE("run")))
		own.tag = (struct slice){ c->tag.p + prefix, c->tag.len - prefix };
	else if (c->column != EV_RUN)
		return 2;
	return condition_holds(&own, ev, room);
}
