/* SPDX-License-Identifier: ISC */
/* answer.c - the answer to a query for one resource or model. */
#include "src/perun/query/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"

enum field_state {
	/* the field has had a number as value and, with --compat, has not been discarded since */
	FIELD_NUMBER = 1,
	FIELD_OTHER = 2, /* it has had a value of another kind */
};

#define FLAME_MEASURES 5 /* so many are in a note; one more is told apart from them */
#define POINTS 51
#define LEAST 1e-6 /* the least x; values nearer to 0 are moved to this */

enum formula { CONSTANT, LINEAR, LOGARITHMIC, QUADRATIC, POWER, EXPONENTIAL, FORMULAS };

static const struct {
	const char *name;
	unsigned coefficients;
} formulas[FORMULAS] = {
	[CONSTANT] = { "constant", 2 },
	[LINEAR] = { "linear", 2 },
	[LOGARITHMIC] = { "logarithmic", 2 },
	[QUADRATIC] = { "quadratic", 3 },
	[POWER] = { "power", 2 },
	[EXPONENTIAL] = { "exponential", 2 },
};

struct curve {
	enum formula formula;
	double b[3], start, end;
	bool has[3];
	double x[POINTS], y[POINTS];
};

bool
answer_open(struct answer *a)
{
	a->order.memory = EVSORT_MEMORY;
	return jvalue_open(&a->v);
}

void
answer_close(struct answer *a)
{
	jvalue_close(&a->v);
	flat_free(&a->flat);
	mem_free(a->found);
	buf_free(&a->text);
	buf_free(&a->identity);
	tab_free(&a->seen);
	mem_free(a->state);
	pandas_free(&a->table);
	sorted_free(&a->order);
}

static int
put_line(struct answer *a)
{
	out_put(a->o, a->text.p, a->text.len);
	out_put(a->o, "\n", 1);
	return 0;
}

static bool
dump(struct answer *a, uint32_t index)
{
	return pytext_dumps(&a->text, a->v.j.text, a->v.j.token, index);
}

static bool
put_number(struct answer *a, uint64_t n)
{
	char digits[NUM_MAX];

	return buf_put(&a->text, digits, num_put_u64(digits, n));
}

/* Writes [NUMBER, VALUE].  The number is that of the token, if there is one. */
static int
put_pair(struct answer *a, uint64_t n, uint32_t token, struct err *e)
{
	a->text.len = 0;
	if (!buf_putc(&a->text, '[') ||
	    !(token == JVALUE_NONE ? put_number(a, n) : dump(a, token)) ||
	    !buf_put(&a->text, ", ", 2) || !dump(a, 0) || !buf_putc(&a->text, ']'))
		return err_nomem(e);
	return put_line(a);
}

static int
put_resource(struct answer *a, uint64_t snapshot, struct err *e)
{
	uint32_t token = JVALUE_NONE;

	if (a->newer && a->v.j.token[0].kind == JSCAN_OBJECT)
		token = jvalue_member(&a->v, 0, SLICE("snapshot"));
	return token == JVALUE_NO_MEMORY ? err_nomem(e) : put_pair(a, snapshot, token, e);
}

/* Adds a token to found.  Returns false when memory runs out. */
static bool
answer_found(struct answer *a, uint32_t token)
{
	if (!vec_room(a->found, a->n_found, a->found_cap))
		return false;
	a->found[a->n_found++] = token;
	return true;
}

/*
 * Applies Python's "in" to a value that is not a dictionary.  Returns true if "in", or the access
 * that follows it, raises an exception.
 */
static bool
raises(struct jvalue *v, uint32_t index, struct slice name)
{
	const struct jscan_token *k = &v->j.token[index];
	struct slice s = jvalue_inside(v, index);
	uint32_t i;
	size_t at;

	if (k->kind == JSCAN_ARRAY) {
		for (i = index + 1; i < k->next; i = v->j.token[i].next)
			if (v->j.token[i].kind == JSCAN_STRING && jvalue_is(v, i, name) > 0)
				return true;
		return false;
	}
	if (k->kind != JSCAN_STRING)
		return true;
	if ((k->flags & JSCAN_ESCAPED) != 0) {
		v->name.len = 0;
		if (!jtext_undo(&v->name, s))
			return true;
		s = buf_slice(&v->name);
	}
	for (at = 0; at + name.len <= s.len; at++)
		if (name.len == 0 || memcmp(s.p + at, name.p, name.len) == 0)
			return true;
	return false;
}

/*
 * Follows a path like Perun's all_key_values_of.  Names are separated by ":", and an empty name
 * means each element of a list.  Adds to a->found.
 */
static void
follow(struct answer *a, uint32_t index, struct slice path)
{
	const char *colon;
	struct slice name, rest = path;
	struct jvalue *v = &a->v;
	uint32_t i;
	bool last = false;

	while (!last) {
		colon = rest.len == 0 ? NULL : memchr(rest.p, ':', rest.len);
		last = colon == NULL;
		name = (struct slice){ rest.p, last ? rest.len : (size_t)(colon - rest.p) };
		rest.p += name.len + !last;
		rest.len -= name.len + !last;
		if (name.len == 0 && v->j.token[index].kind == JSCAN_ARRAY) {
			for (i = index + 1; i < v->j.token[index].next; i = v->j.token[i].next)
				follow(a, i, rest);
			return;
		}
		if (v->j.token[index].kind != JSCAN_OBJECT) {
			a->into_scalar |= raises(v, index, name);
			return;
		}
		index = jvalue_member(v, index, name);
		if (index == JVALUE_NO_MEMORY)
			a->no_memory = true;
		if (index >= JVALUE_NO_MEMORY)
			return;
	}
	a->no_memory |= !answer_found(a, index);
}

static int
walk(struct answer *a, struct err *e)
{
	a->n_found = 0;
	a->into_scalar = a->no_memory = false;
	follow(a, 0, a->key);
	a->sought = true;
	a->has_key |= a->n_found != 0;
	if (a->no_memory)
		return err_nomem(e);
	if (a->into_scalar && a->compat)
		return err_data(e, "the key leads into a value that is not a dictionary");
	return 0;
}

static int
put_keys(struct answer *a, struct err *e)
{
	size_t i;
	bool ok;
	int rc = walk(a, e);

	if (rc != 0)
		return rc;
	a->text.len = 0;
	ok = buf_putc(&a->text, '[');
	for (i = 0; ok && i < a->n_found; i++)
		ok = (i == 0 || buf_put(&a->text, ", ", 2)) && dump(a, a->found[i]);
	return ok && buf_putc(&a->text, ']') ? put_line(a) : err_nomem(e);
}

static int
put_values(struct answer *a, struct err *e)
{
	size_t i;
	int rc = walk(a, e);

	for (i = 0; i < a->n_found; i++) {
		bool fresh;

		a->identity.len = a->text.len = 0;
		if (!pytext_identity(&a->identity, &a->v, a->found[i]) ||
		    tab_add(&a->seen, buf_slice(&a->identity), &fresh) == TAB_NONE)
			return err_nomem(e);
		if (!fresh)
			continue;
		if (!dump(a, a->found[i]))
			return err_nomem(e);
		(void)put_line(a);
	}
	return rc;
}

static bool
is_number(const struct flat_item *i)
{
	return i->kind == JSCAN_INTEGER || i->kind == JSCAN_FLOAT ||
	    (i->kind == JSCAN_WORD && !slice_eq(i->value, SLICE("None")));
}

/* Writes a value as JSON.  A value that is not a scalar has been converted to text. */
static bool
put_item_value(struct answer *a, const struct flat_item *i)
{
	static const char *const words[][2] = { { "True", "true" }, { "False", "false" },
		{ "None", "null" }, { "nan", "NaN" }, { "inf", "Infinity" },
		{ "-inf", "-Infinity" } };
	size_t w;

	if (i->kind <= JSCAN_STRING)
		return jtext_quote(&a->text, i->value);
	for (w = 0; w < sizeof words / sizeof words[0]; w++)
		if (slice_eq(i->value, slice_of(words[w][0])))
			return buf_puts(&a->text, words[w][1]);
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
		    put_item_value(a, &item[i]) && buf_putc(&a->text, ']');
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

/* Returns the state of a field, creating it if necessary, or NULL if memory runs out. */
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
 * Discards a field that is not a number.  Older versions of Perun discard the field whose name is
 * that value, newer ones the field itself.  Both accept it again if it has a number later.
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

/*
 * Adds a resource to the table.  The snapshot is the one that the resource names if Perun would
 * look there, otherwise SNAPSHOT.
 */
static int
add_to_table(struct answer *a, uint64_t snapshot, struct err *e)
{
	char digits[NUM_MAX];
	struct pandas_cell c = { .value = { digits, num_put_u64(digits, snapshot) },
		.kind = JSCAN_INTEGER };
	size_t i;

	for (i = 0; a->newer && i < a->flat.n; i++) {
		const struct flat_item *item = &a->flat.item[i];

		if (!item->top || !slice_eq(item->path, SLICE("snapshot")))
			continue;
		if (item->kind <= JSCAN_ARRAY)
			return err_data(e, "the resource's snapshot is not a number");
		c = (struct pandas_cell){ .value = item->value, .kind = item->kind };
	}
	return pandas_add(&a->table, &a->flat, &c, e);
}

static int
answer_items(struct answer *a, uint64_t snapshot, struct err *e)
{
	const struct jscan_token *token = a->v.j.token;

	if (token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the resource is not a dictionary");
	a->flat.named_lists = a->newer;
	if (!flat_begin(&a->flat, a->v.j.text_len) || !flat_add(&a->flat, a->v.j.text, token))
		return err_nomem(e);
	if (a->flat.too_long)
		return err_data(e,
		    "the resource is too long when flattened: it is nested too deeply");
	if (a->flat.empty_name)
		return err_data(e, "a member of a dictionary in the resource has an empty name");
	if (a->flat.odd_name)
		return err_data(e, "a name in a list of names and values is not a string");
	switch (a->what) {
	case QUERY_ITEMS: return put_items(a, e);
	case QUERY_FIELDS: return put_fields(a, e);
	case QUERY_FRAME: return add_to_table(a, snapshot, e);
	default: return note_numbers(a, e);
	}
}

static int
by_name(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

static int
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

static bool
is_word(const struct answer *a, uint32_t index, struct slice word)
{
	return jscan_is(a->v.j.text, &a->v.j.token[index], word);
}

static int
number(const struct answer *a, uint32_t index, const char *name, double *d, struct err *e)
{
	struct slice s = jvalue_inside(&a->v, index);
	uint8_t kind = a->v.j.token[index].kind;

	if (kind < JSCAN_INTEGER || (kind == JSCAN_WORD && s.p[0] == 'n'))
		return err_data(e, "the model's %s is not a number", name);
	*d = kind == JSCAN_WORD && s.p[0] == 't' ? 1 : pytext_double(s);
	return 0;
}

static int
read_formula(struct answer *a, struct curve *c, struct err *e)
{
	uint32_t index;
	unsigned i;
	int rc = jvalue_need(&a->v, 0, "the model", "model", &index, e);

	if (rc != 0)
		return rc;
	for (i = 0; i < FORMULAS; i++) {
		if (is_word(a, index, slice_of(formulas[i].name))) {
			c->formula = (enum formula)i;
			return 0;
		}
	}
	return err_data(e,
	    "the model is not constant, linear, logarithmic, quadratic, power "
	    "or exponential");
}

/* Reads a coefficient from its list: {"name": "b0", "value": 1.5}.  Unknown names are skipped. */
static int
read_coefficient(struct answer *a, uint32_t index, struct curve *c, struct err *e)
{
	static const struct slice names[] = { { "b0", 2 }, { "b1", 2 }, { "b2", 2 } };
	uint32_t name, value;
	unsigned i = 0;

	if (a->v.j.token[index].kind != JSCAN_OBJECT)
		return err_data(e, "a coefficient of the model is not a dictionary");
	name = jvalue_member(&a->v, index, SLICE("name"));
	value = jvalue_member(&a->v, index, SLICE("value"));
	if (name == JVALUE_NO_MEMORY || value == JVALUE_NO_MEMORY)
		return err_nomem(e);
	if (name == JVALUE_NONE)
		return 0;
	while (i < 3 && !is_word(a, name, names[i]))
		i++;
	if (i == 3)
		return 0;
	c->has[i] = true;
	c->b[i] = 0;
	return value == JVALUE_NONE ? 0 : number(a, value, "coefficient", &c->b[i], e);
}

static int
read_coefficients(struct answer *a, struct curve *c, struct err *e)
{
	uint32_t list, i;
	unsigned n;
	int rc = jvalue_need(&a->v, 0, "the model", "coeffs", &list, e);

	if (rc == 0 && a->v.j.token[list].kind != JSCAN_ARRAY)
		rc = err_data(e, "the model's coeffs is not a list");
	for (i = list + 1; rc == 0 && i < a->v.j.token[list].next; i = a->v.j.token[i].next)
		rc = read_coefficient(a, i, c, e);
	for (n = 0; rc == 0 && a->compat && n < formulas[c->formula].coefficients; n++)
		if (!c->has[n])
			rc = err_data(e, "the model has no coefficient b%u", n);
	return rc;
}

static int
read_curve(struct answer *a, struct curve *c, struct err *e)
{
	const char *start = a->newer ? "x_start" : "x_interval_start";
	const char *end = a->newer ? "x_end" : "x_interval_end";
	uint32_t index;
	int rc;

	if (a->v.j.token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the model is not a dictionary");
	rc = jvalue_need(&a->v, 0, "the model", start, &index, e);
	if (rc == 0)
		rc = number(a, index, start, &c->start, e);
	if (rc == 0)
		rc = jvalue_need(&a->v, 0, "the model", end, &index, e);
	if (rc == 0)
		rc = number(a, index, end, &c->end, e);
	if (rc == 0)
		rc = read_formula(a, c, e);
	return rc != 0 ? rc : read_coefficients(a, c, e);
}

static double
value_at(const struct curve *c, double x)
{
	const double *b = c->b;
	double part;

	/* a product in a variable of its own is rounded as in Perun and not fused with the sum */
	switch (c->formula) {
	case LOGARITHMIC: part = b[1] * log(x); break;
	case POWER: return b[0] * pow(x, b[1]);
	case EXPONENTIAL: return b[0] * pow(b[1], x);
	default: part = b[1] * x; break;
	}
	part = b[0] + part;
	if (c->formula == QUADRATIC) {
		double square = x * x;

		square = b[2] * square;
		part += square;
	}
	return part;
}

static int
compute(struct curve *c, struct err *e)
{
	double step = (c->end - c->start) / (POINTS - 1);
	unsigned i;

	for (i = 0; i < POINTS; i++) {
		double x = i * step;

		x += c->start;
		if (i == POINTS - 1)
			x = c->end;
		if (fabs(x) < LEAST)
			x = LEAST;
		if (c->formula == LOGARITHMIC && x < 0)
			return err_data(e, "the logarithmic model's interval begins below 0");
		c->x[i] = x;
		c->y[i] = value_at(c, x);
	}
	return 0;
}

static bool
put_points(struct buf *out, const double *d)
{
	unsigned i;
	bool ok = buf_putc(out, '[');

	for (i = 0; ok && i < POINTS; i++)
		ok = (i == 0 || buf_put(out, ", ", 2)) && pytext_dumps_double(out, d[i]);
	return ok && buf_putc(out, ']');
}

/* Writes a member.  plot_x and plot_y get the points as their value. */
static bool
put_plotted(struct answer *a, struct jdict_member m, struct curve *c, bool *x, bool *y)
{
	bool is_x = is_word(a, m.name, SLICE("plot_x")), is_y = is_word(a, m.name, SLICE("plot_y"));

	*x |= is_x;
	*y |= is_y;
	if (!pytext_dumps(&a->text, a->v.j.text, a->v.j.token, m.name) ||
	    !buf_put(&a->text, ": ", 2))
		return false;
	if (is_x || is_y)
		return put_points(&a->text, is_x ? c->x : c->y);
	return pytext_dumps(&a->text, a->v.j.text, a->v.j.token, m.value);
}

static int
answer_plot(struct answer *a, struct err *e)
{
	struct curve c = { .formula = CONSTANT };
	struct jdict *s = &a->v.members;
	bool x = false, y = false, ok;
	size_t i;
	int rc = read_curve(a, &c, e);

	if (rc == 0)
		rc = compute(&c, e);
	if (rc != 0)
		return rc;
	s->n = 0;
	ok = jdict_push(s, a->v.j.text, a->v.j.token, 0) && buf_putc(&a->text, '{');
	for (i = 0; ok && i < s->n; i++)
		ok = (i == 0 || buf_put(&a->text, ", ", 2)) && put_plotted(a, s->m[i], &c, &x, &y);
	s->n = 0;
	if (ok && !x)
		ok = buf_put(&a->text, ", \"plot_x\": ", 12) && put_points(&a->text, c.x);
	if (ok && !y)
		ok = buf_put(&a->text, ", \"plot_y\": ", 12) && put_points(&a->text, c.y);
	return ok && buf_putc(&a->text, '}') ? 0 : err_nomem(e);
}

/*
 * Finds the member of the dictionary at INDEX.  *token is JVALUE_NONE if there is none.  Returns
 * ERR_SYS if memory runs out.
 */
static int
find_member(struct answer *a, uint32_t index, const char *key, uint32_t *token, struct err *e)
{
	*token = jvalue_member(&a->v, index, slice_of(key));
	return *token == JVALUE_NO_MEMORY ? err_nomem(e) : 0;
}

static bool
put_text(struct answer *a, const char *s)
{
	return buf_puts(&a->text, s);
}

static bool
put_str(struct answer *a, uint32_t token)
{
	return pytext_str_of(&a->text, a->v.j.text, a->v.j.token, token);
}

/* Writes function()~source~line. */
static int
put_place(struct answer *a, uint32_t function, uint32_t source, uint32_t line, struct err *e)
{
	bool ok = put_str(a, function) && put_text(a, "()~") && put_str(a, source) &&
	    put_text(a, "~") && put_str(a, line);

	return ok ? 0 : err_nomem(e);
}

/*
 * Writes a frame like to_string_line.  Newer versions use func if one of the three members is
 * missing.
 */
static int
put_frame(struct answer *a, uint32_t index, const char *of, struct err *e)
{
	static const char *const keys[] = { "function", "source", "line" };
	uint32_t token[3], func;
	size_t i;
	int rc = 0;

	if (a->v.j.token[index].kind != JSCAN_OBJECT)
		return err_data(e, "%s is not a dictionary", of);
	for (i = 0; i < 3 && rc == 0; i++) {
		rc = find_member(a, index, keys[i], &token[i], e);
		if (rc != 0 || token[i] != JVALUE_NONE)
			continue;
		if (!a->newer)
			return err_data(e, "%s has no %s", of, keys[i]);
		rc = jvalue_need(&a->v, index, of, "func", &func, e);
		if (rc == 0 && !put_str(a, func))
			rc = err_nomem(e);
		return rc;
	}
	return rc != 0 ? rc : put_place(a, token[0], token[1], token[2], e);
}

/*
 * Checks that Python's for loop accepts the trace: a list or an empty value.  Other values raise an
 * exception.
 */
static int
check_trace(struct answer *a, uint32_t trace, struct err *e)
{
	const struct jscan_token *k = &a->v.j.token[trace];
	bool empty = (k->kind == JSCAN_STRING && k->len == 0) ||
	    (k->kind == JSCAN_OBJECT && k->next == trace + 1 && !a->newer);

	return k->kind == JSCAN_ARRAY || empty ? 0 : err_data(e, "the trace is not a list");
}

/* Writes the frames in the order of the trace, or in reverse.  *any is set if there is a frame. */
static int
put_frames(struct answer *a, uint32_t trace, bool *any, struct err *e)
{
	const struct jscan_token *t = a->v.j.token;
	size_t n = 0, k;
	uint32_t i;
	int rc = check_trace(a, trace, e);

	a->n_found = 0;
	for (i = trace + 1; rc == 0 && i < t[trace].next; i = t[i].next, n++)
		if (!answer_found(a, i))
			return err_nomem(e);
	for (k = 0; k < n && rc == 0; k++) {
		if (*any && !put_text(a, ";"))
			return err_nomem(e);
		*any = true;
		rc = put_frame(a, a->found[a->newer ? n - 1 - k : k], "a frame of the trace", e);
	}
	return rc;
}

/* Writes the uid, with which newer versions begin. */
static int
put_uid(struct answer *a, bool *any, struct err *e)
{
	uint32_t uid;
	int rc = jvalue_need(&a->v, 0, "the resource", "uid", &uid, e);

	*any = true;
	if (rc != 0)
		return rc;
	if (a->v.j.token[uid].kind == JSCAN_STRING)
		return put_str(a, uid) ? 0 : err_nomem(e);
	return put_frame(a, uid, "the uid", e);
}

static int
is_free(struct answer *a, bool *yes, struct err *e)
{
	const struct jscan_token *k;
	uint32_t subtype;
	int rc = find_member(a, 0, "subtype", &subtype, e);

	*yes = false;
	if (rc != 0 || (subtype == JVALUE_NONE && a->newer))
		return rc;
	if (subtype == JVALUE_NONE)
		return err_data(e, "the resource has no subtype");
	k = &a->v.j.token[subtype];
	if (k->kind != JSCAN_STRING)
		return 0;
	a->identity.len = 0;
	if (!jtext_undo(&a->identity, jscan_inside(a->v.j.text, k)))
		return err_nomem(e);
	*yes = slice_eq(buf_slice(&a->identity), SLICE("free"));
	return 0;
}

/*
 * Finds the number of the resource's snapshot.  *shown is set if the number is at least 0, the
 * first that Perun shows.
 */
static int
snapshot_of(struct answer *a, uint64_t *n, bool *shown, struct err *e)
{
	const struct jscan_token *k;
	struct slice s;
	uint32_t token;
	int rc = find_member(a, 0, "snapshot", &token, e);

	*n = 0;
	*shown = true;
	if (rc != 0 || token == JVALUE_NONE)
		return rc;
	k = &a->v.j.token[token];
	s = jscan_inside(a->v.j.text, k);
	*n = k->kind == JSCAN_WORD && s.p[0] == 't';
	if (k->kind == JSCAN_WORD && (s.p[0] == 't' || s.p[0] == 'f'))
		return 0;
	if (k->kind == JSCAN_INTEGER && (s.p[0] == '-' || num_get_u64(s, n))) {
		*shown = s.p[0] != '-' || s.p[1] == '0';
		return 0;
	}
	return err_data(e, "the resource's snapshot is not the number of a snapshot");
}

/* Writes lines of the first snapshot at once.  Lines of other snapshots wait for all of those. */
static int
put_ordered(struct answer *a, uint64_t snapshot, struct err *e)
{
	if (snapshot != 0)
		return sorted_add(&a->order, (struct wide){ 0, snapshot }, 0, buf_slice(&a->text),
		    e);
	out_put(a->o, a->text.p, a->text.len);
	return 0;
}

/*
 * Remembers the measure of a resource that has a line, which is its subtype or else its type.
 * Allocations of memory are one measure, whatever their subtype.
 */
static int
see_measure(struct answer *a, struct err *e)
{
	const struct jscan_token *k = a->v.j.token;
	uint32_t type = jvalue_member(&a->v, 0, SLICE("type")), subtype;
	bool ok = type != JVALUE_NO_MEMORY;

	if (a->seen.count > FLAME_MEASURES || type == JVALUE_NONE)
		return 0;
	if (ok && k[type].kind == JSCAN_STRING &&
	    !slice_eq(jvalue_inside(&a->v, type), SLICE("memory"))) {
		subtype = jvalue_member(&a->v, 0, SLICE("subtype"));
		ok = subtype != JVALUE_NO_MEMORY;
		if (ok && subtype != JVALUE_NONE && k[subtype].kind == JSCAN_STRING)
			type = subtype;
	}
	ok = ok && tab_add(&a->seen, jvalue_inside(&a->v, type), NULL) != TAB_NONE;
	return ok ? 0 : err_nomem(e);
}

static int
answer_flame(struct answer *a, struct err *e)
{
	uint32_t trace, amount;
	uint64_t snapshot = 0;
	bool any = false, skip = false, shown = true;
	int rc = 0;

	if (a->v.j.token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the resource is not a dictionary");
	a->any = true;
	a->text.len = 0;
	if (a->newer)
		rc = snapshot_of(a, &snapshot, &shown, e);
	if (rc == 0 && shown)
		rc = is_free(a, &skip, e);
	if (rc != 0 || skip || !shown)
		return rc;
	if (a->newer)
		rc = put_uid(a, &any, e);
	if (rc == 0)
		rc = jvalue_need(&a->v, 0, "the resource", "trace", &trace, e);
	if (rc == 0)
		rc = put_frames(a, trace, &any, e);
	a->frameless += rc == 0 && !any;
	if (rc != 0 || !any)
		return rc;
	rc = jvalue_need(&a->v, 0, "the resource", "amount", &amount, e);
	if (rc != 0)
		return rc;
	if (!put_text(a, " ") || !put_str(a, amount) || !put_text(a, "\n"))
		return err_nomem(e);
	rc = see_measure(a, e);
	return rc != 0 ? rc : put_ordered(a, snapshot, e);
}

static int
answer_flame_end(struct answer *a, struct err *e)
{
	struct slice line;
	uint64_t number;
	int rc = 0;

	while (a->o->error == 0 && (rc = sorted_next(&a->order, &number, &line, e)) == 0 &&
	    line.p != NULL)
		out_put(a->o, line.p, line.len);
	return rc;
}

int
answer_resource(struct answer *a, uint64_t snapshot, struct slice json, struct err *e)
{
	int rc = jvalue_read(&a->v, json, e);

	if (rc != 0)
		return rc;
	switch (a->what) {
	case QUERY_RESOURCES: return put_resource(a, snapshot, e);
	case QUERY_KEYS: return put_keys(a, e);
	case QUERY_VALUES: return put_values(a, e);
	case QUERY_FLAME: return answer_flame(a, e);
	default: return answer_items(a, snapshot, e);
	}
}

int
answer_model(struct answer *a, struct slice json, struct err *e)
{
	uint64_t n = a->models++;
	int rc = jvalue_read(&a->v, json, e);

	if (rc != 0)
		return rc;
	if (a->what == QUERY_MODEL_VALUES)
		return put_values(a, e);
	if (a->what == QUERY_MODELS)
		return put_pair(a, n, JVALUE_NONE, e);
	a->text.len = 0;
	if (!buf_putc(&a->text, '[') || !put_number(a, n) || !buf_put(&a->text, ", ", 2))
		return err_nomem(e);
	rc = answer_plot(a, e);
	if (rc == 0 && !buf_putc(&a->text, ']'))
		return err_nomem(e);
	return rc != 0 ? rc : put_line(a);
}

bool
answer_note(const struct answer *a, char *text, size_t size)
{
	size_t i, n;

	if (a->what != QUERY_FLAME || a->seen.count < 2)
		return false;
	n = (size_t)snprintf(text, size,
	    "lines of several measures, which a flame graph adds up (see --where of afsel): ");
	for (i = 0; i < a->seen.count && i < FLAME_MEASURES && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%.*s", i == 0 ? "" : ", ",
		    slice_shown(a->seen.item[i], 60), a->seen.item[i].p);
	if (a->seen.count > FLAME_MEASURES && n < size)
		snprintf(text + n, size - n, ", ...");
	return true;
}

int
answer_end(struct answer *a, struct err *e)
{
	if (a->what == QUERY_FRAME)
		return pandas_write(&a->table, a->o, e);
	if (a->what == QUERY_FLAME)
		return answer_flame_end(a, e);
	return a->what == QUERY_NUMERIC ? answer_numeric(a, e) : 0;
}
