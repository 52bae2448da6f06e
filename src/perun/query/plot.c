/* SPDX-License-Identifier: ISC */
/* plot.c - the points of a model (Perun's plot_data_from_coefficients_of). */
#include <math.h>
#include <stdio.h>

#include "src/perun/pytext.h"
#include "src/perun/query/answer.h"

#define POINTS 51
#define LEAST 1e-6 /* what is nearer to 0 is moved there */

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

static struct slice
text_of(const struct answer *a, uint32_t index)
{
	return (struct slice){ a->v.j.text + a->v.j.token[index].off, a->v.j.token[index].len };
}

static bool
is_word(const struct answer *a, uint32_t index, struct slice word)
{
	return jscan_is(a->v.j.text, &a->v.j.token[index], word);
}

/* The member's token, which has to be there. */
static int
required(struct answer *a, const char *name, uint32_t *index, struct err *e)
{
	*index = jvalue_member(&a->v, 0, slice_of(name));
	if (*index == JVALUE_NO_MEMORY)
		return err_nomem(e);
	return *index == JVALUE_NONE ? err_data(e, "the model has no %s", name) : 0;
}

static int
number(const struct answer *a, uint32_t index, const char *name, double *d, struct err *e)
{
	struct slice s = text_of(a, index);
	uint8_t kind = a->v.j.token[index].kind;

	if (kind < JSCAN_INTEGER || (kind == JSCAN_WORD && s.p[0] == 'n'))
		return err_data(e, "the model's %s is no number", name);
	*d = kind == JSCAN_WORD && s.p[0] == 't' ? 1 : pytext_double(s);
	return 0;
}

static int
read_formula(struct answer *a, struct curve *c, struct err *e)
{
	uint32_t index;
	unsigned i;
	int rc = required(a, "model", &index, e);

	if (rc != 0)
		return rc;
	for (i = 0; i < FORMULAS; i++) {
		if (is_word(a, index, slice_of(formulas[i].name))) {
			c->formula = (enum formula)i;
			return 0;
		}
	}
	return err_data(e,
	    "the model is none of constant, linear, logarithmic, quadratic, power "
	    "and exponential");
}

/* One of the list: {"name": "b0", "value": 1.5}.  A name that is not known is passed over. */
static int
read_coefficient(struct answer *a, uint32_t index, struct curve *c, struct err *e)
{
	static const struct slice names[] = { { "b0", 2 }, { "b1", 2 }, { "b2", 2 } };
	uint32_t name, value;
	unsigned i = 0;

	if (a->v.j.token[index].kind != JSCAN_OBJECT)
		return err_data(e, "a coefficient of the model is no dictionary");
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
	int rc = required(a, "coeffs", &list, e);

	if (rc == 0 && a->v.j.token[list].kind != JSCAN_ARRAY)
		rc = err_data(e, "the model's coeffs is no list");
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
		return err_data(e, "the model is no dictionary");
	rc = required(a, start, &index, e);
	if (rc == 0)
		rc = number(a, index, start, &c->start, e);
	if (rc == 0)
		rc = required(a, end, &index, e);
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

	/* a product in a variable of its own is rounded as Perun's is: not fused with the sum */
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

/* A member, its value replaced where it is one of the points. */
static bool
put_member(struct answer *a, struct jdict_member m, struct curve *c, bool *x, bool *y)
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

int
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
		ok = (i == 0 || buf_put(&a->text, ", ", 2)) && put_member(a, s->m[i], &c, &x, &y);
	s->n = 0;
	if (ok && !x)
		ok = buf_put(&a->text, ", \"plot_x\": ", 12) && put_points(&a->text, c.x);
	if (ok && !y)
		ok = buf_put(&a->text, ", \"plot_y\": ", 12) && put_points(&a->text, c.y);
	return ok && buf_putc(&a->text, '}') ? 0 : err_nomem(e);
}
