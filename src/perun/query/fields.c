/* SPDX-License-Identifier: ISC */
/* fields.c - the queries of flattened resources: their items, their fields, those with numbers. */
#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "src/perun/pytext.h"
#include "src/perun/query/answer.h"

enum field_state {
	FIELD_NUMBER = 1, /* it has held a number; with --compat: and was not discarded since */
	FIELD_OTHER = 2, /* it has held something else */
};

static bool
is_number(const struct flat_item *i)
{
	return i->kind == JSCAN_INTEGER || i->kind == JSCAN_FLOAT ||
	    (i->kind == JSCAN_WORD && !slice_eq(i->value, SLICE("None")));
}

/* A value as JSON: what is not a scalar has become a text. */
static bool
put_value(struct answer *a, const struct flat_item *i)
{
	static const char *const words[][2] = { { "True", "true" }, { "False", "false" },
		{ "None", "null" }, { "nan", "NaN" }, { "inf", "Infinity" },
		{ "-inf", "-Infinity" } };
	size_t w;

	if (i->kind <= JSCAN_STRING)
		return jtext_quote(&a->text, i->value);
	for (w = 0; w < sizeof words / sizeof words[0]; w++)
		if (slice_eq(i->value, slice_of(words[w][0])))
			return buf_put(&a->text, words[w][1], strlen(words[w][1]));
	return buf_put(&a->text, i->value.p, i->value.len);
}

static int
put_items(struct answer *a, struct err *e)
{
	const struct flat_item *item = a->flat.item;
	size_t i;
	bool ok;

	a->text.len = 0;
	ok = buf_putc(&a->text, '[');
	for (i = 0; ok && i < a->flat.n; i++)
		ok = (i == 0 || buf_put(&a->text, ", ", 2)) && buf_putc(&a->text, '[') &&
		    jtext_quote(&a->text, item[i].path) && buf_put(&a->text, ", ", 2) &&
		    put_value(a, &item[i]) && buf_putc(&a->text, ']');
	if (!ok || !buf_put(&a->text, "]\n", 2))
		return err_nomem(e);
	out_put(a->o, a->text.p, a->text.len);
	return 0;
}

static int
put_name(struct answer *a, struct slice name, struct err *e)
{
	a->text.len = 0;
	if (!jtext_quote(&a->text, name) || !buf_putc(&a->text, '\n'))
		return err_nomem(e);
	out_put(a->o, a->text.p, a->text.len);
	return 0;
}

static int
put_fields(struct answer *a, struct err *e)
{
	size_t i;
	bool fresh;
	int rc = 0;

	for (i = 0; rc == 0 && i < a->flat.n; i++) {
		if (tab_add(&a->seen, a->flat.item[i].path, &fresh) == TAB_NONE)
			return err_nomem(e);
		if (fresh)
			rc = put_name(a, a->flat.item[i].path, e);
	}
	return rc;
}

/* The state of a field, which is new perhaps; NULL without memory. */
static uint8_t *
state_of(struct answer *a, struct slice path)
{
	size_t n = tab_add(&a->seen, path, NULL), cap;
	uint8_t *state;

	if (n == TAB_NONE)
		return NULL;
	if (n >= a->state_cap) {
		cap = a->state_cap < 64 ? 128 : a->state_cap * 2;
		state = mem_resize(a->state, cap);
		if (state == NULL)
			return NULL;
		memset(state + a->state_cap, 0, cap - a->state_cap);
		a->state = state;
		a->state_cap = cap;
	}
	return &a->state[n];
}

/*
 * Older code discards the field that is named as the value is, newer code the field itself; but
 * both take it again where it holds a number later.
 */
static void
discard(struct answer *a, const struct flat_item *item, uint8_t *state)
{
	size_t n;

	*state |= FIELD_OTHER;
	if (!a->compat)
		return;
	if (a->newer) {
		*state &= (uint8_t)~FIELD_NUMBER;
	} else if (item->kind <= JSCAN_STRING) {
		n = tab_find(&a->seen, item->value);
		if (n != TAB_NONE)
			a->state[n] &= (uint8_t)~FIELD_NUMBER;
	}
}

static int
note_numbers(struct answer *a, struct err *e)
{
	size_t i;

	for (i = 0; i < a->flat.n; i++) {
		uint8_t *state = state_of(a, a->flat.item[i].path);

		if (state == NULL)
			return err_nomem(e);
		if (is_number(&a->flat.item[i]))
			*state |= FIELD_NUMBER;
		else
			discard(a, &a->flat.item[i], state);
	}
	return 0;
}

/* The snapshot that the resource says, where Perun takes it from there, or that number. */
static int
add_to_frame(struct answer *a, uint64_t snapshot, struct err *e)
{
	char digits[NUM_MAX];
	struct frame_cell c = { .value = { digits, num_put_u64(digits, snapshot) },
		.kind = JSCAN_INTEGER };
	size_t i;

	for (i = 0; a->newer && i < a->flat.n; i++) {
		const struct flat_item *item = &a->flat.item[i];

		if (!item->top || !slice_eq(item->path, SLICE("snapshot")))
			continue;
		if (item->kind <= JSCAN_ARRAY)
			return err_data(e, "the resource's snapshot is no number");
		c = (struct frame_cell){ .value = item->value, .kind = item->kind };
	}
	return frame_add(&a->frame, &a->flat, &c, e);
}

int
answer_items(struct answer *a, uint64_t snapshot, struct err *e)
{
	const struct jscan_token *token = a->v.j.token;

	if (token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the resource is no dictionary");
	a->flat.named_lists = a->newer;
	if (!flat_begin(&a->flat, a->v.j.text_len) || !flat_add(&a->flat, a->v.j.text, token))
		return err_nomem(e);
	if (a->flat.too_long)
		return err_data(e, "flattened the resource is too long: it is nested too deep");
	if (a->flat.empty_name)
		return err_data(e, "a member of a dictionary in the resource has an empty name");
	if (a->flat.odd_name)
		return err_data(e, "a name in a list of names and values is no text");
	switch (a->what) {
	case QUERY_ITEMS: return put_items(a, e);
	case QUERY_FIELDS: return put_fields(a, e);
	case QUERY_FRAME: return add_to_frame(a, snapshot, e);
	default: return note_numbers(a, e);
	}
}

static int
by_name(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

int
answer_numeric(struct answer *a, struct err *e)
{
	struct slice *name = mem_alloc((a->seen.count + 1) * sizeof *name);
	size_t i, n = 0;
	int rc = 0;

	if (name == NULL)
		return err_nomem(e);
	for (i = 0; i < a->seen.count; i++)
		if ((a->state[i] & FIELD_NUMBER) != 0 &&
		    (a->compat || (a->state[i] & FIELD_OTHER) == 0))
			name[n++] = a->seen.item[i];
	qsort(name, n, sizeof *name, by_name);
	for (i = 0; rc == 0 && i < n; i++)
		rc = put_name(a, name[i], e);
	mem_free(name);
	return rc;
}
