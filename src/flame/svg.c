/* SPDX-License-Identifier: ISC */
/*
 * svg.c - a static picture: one graph below the other, with the notes at the end.
 *
 * Frames narrower than a pixel are not drawn, but counted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "src/flame/flameint.h"

#define WIDTH 1200.0
#define MARGIN 10.0
#define ROW 17.0
#define LETTER 7.3 /* the width of a letter, a little more than in most fonts */
#define ROWS_MAX 400u
#define INTEGERS_END 1e15 /* larger ones are shown with twelve digits */
#define NAME_SHOWN 400 /* bytes of a name in a tooltip */

/* A panel as it is drawn. */
struct drawing {
	const struct flame *f;
	const struct panel *p;
	double *total[FLAME_SIDES];
	double *left; /* of AFTER */
	uint32_t *depth;
	uint32_t rows; /* the highest depth that is drawn, plus 1 */
	uint64_t hidden;
};

static void
drawing_free(struct drawing *d)
{
	mem_free(d->total[FLAME_AFTER]);
	mem_free(d->total[FLAME_BEFORE]);
	mem_free(d->left);
	mem_free(d->depth);
}

static double
share(const struct drawing *d, uint32_t i, enum flame_side side)
{
	double all = d->total[side][NODE_ROOT];

	return all > 0 ? d->total[side][i] / all : 0;
}

static double
width(const struct drawing *d, uint32_t i)
{
	return share(d, i, FLAME_AFTER) * (WIDTH - 2 * MARGIN);
}

static bool
is_drawn(const struct drawing *d, uint32_t i)
{
	return i == NODE_ROOT || (width(d, i) >= 1 && d->depth[i] < ROWS_MAX);
}

static void
add_up(struct drawing *d, enum flame_side side)
{
	const struct panel *p = d->p;
	double *total = d->total[side];
	size_t i;

	for (i = p->nodes; i-- > 0;) {
		double self = 0;

		(void)num_get_double(slice_of(flame_weight(p, (uint32_t)i, side)), &self);
		total[i] += self;
		if (i != NODE_ROOT)
			total[p->node[i].parent] += total[i];
	}
}

/* Computes where frames begin, and counts those that are not drawn. */
static void
arrange(struct drawing *d)
{
	const struct panel *p = d->p;
	uint32_t i = NODE_ROOT, child;
	double x;

	d->rows = 1;
	do {
		x = d->left[i];
		for (child = p->node[i].child; child != NODE_ROOT; child = p->node[child].next) {
			d->left[child] = x;
			d->depth[child] = d->depth[i] + 1;
			x += d->total[FLAME_AFTER][child];
		}
		if (!is_drawn(d, i))
			d->hidden++;
		else if (d->depth[i] >= d->rows)
			d->rows = d->depth[i] + 1;
		i = flame_walk(p, i);
	} while (i != NODE_ROOT);
}

/* Fails only if memory runs out. */
static bool
drawing_of(struct drawing *d, const struct flame *f, const struct panel *p)
{
	int side;

	*d = (struct drawing){ .f = f, .p = p };
	for (side = 0; side < FLAME_SIDES; side++)
		d->total[side] = mem_zero(p->nodes, sizeof *d->total[side]);
	d->left = mem_zero(p->nodes, sizeof *d->left);
	d->depth = mem_zero(p->nodes, sizeof *d->depth);
	if (d->total[FLAME_AFTER] == NULL || d->total[FLAME_BEFORE] == NULL || d->left == NULL ||
	    d->depth == NULL)
		return false;
	for (side = 0; side < FLAME_SIDES; side++)
		add_up(d, (enum flame_side)side);
	arrange(d);
	return true;
}

__attribute__((format(printf, 2, 3))) static void
print(struct out *o, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	flame_put(o, text);
}

static double
rounded_to(double v, int digits)
{
	char text[NUM_MAX];

	(void)snprintf(text, sizeof text, "%.*g", digits, v);
	(void)num_get_double(slice_of(text), &v);
	return v;
}

/*
 * Writes a number as the page does: an integer of usual size with commas between thousands, and any
 * other one with twelve digits, because it may be a sum that is not exact.
 */
static void
put_number(struct out *o, double v)
{
	char text[NUM_MAX];
	size_t i, n;

	if (v != floor(v) || v >= INTEGERS_END) {
		out_put(o, text, num_put_double(text, rounded_to(v, 12)));
		return;
	}
	n = num_put_u64(text, (uint64_t)v);
	for (i = 0; i < n; i++) {
		if (i != 0 && (n - i) % 3 == 0)
			flame_put(o, ",");
		out_put(o, text + i, 1);
	}
}

/* Writes a time with four digits in the unit that suits it after rounding. */
static void
put_time(struct out *o, double ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { " ns", 1 }, { " \u00b5s", 1e3 }, { " ms", 1e6 }, { " s", 1e9 } };
	const size_t last = sizeof units / sizeof units[0] - 1;
	char text[NUM_MAX];
	double rounded;
	size_t k;

	for (k = 0;; k++) {
		rounded = rounded_to(ns / units[k].ns, 4);
		if (k == last || fabs(rounded) < 1000)
			break;
	}
	out_put(o, text, num_put_double(text, rounded));
	flame_put(o, units[k].unit);
}

/* Writes a value with its unit and, for times, also in a readable unit, as the page does. */
static void
put_value(struct out *o, const struct panel *p, double v)
{
	struct slice unit = buf_slice(&p->unit);
	bool is_time = slice_eq(unit, SLICE("ns")) && fabs(v) >= 1000;

	if (is_time) {
		put_time(o, v);
		flame_put(o, " (");
	}
	put_number(o, v);
	if (!slice_eq(unit, SLICE("."))) {
		flame_put(o, " ");
		flame_put_markup(o, unit);
	}
	flame_put(o, is_time ? ")" : "");
}

static struct slice
name_of(const struct flame *f, const struct panel *p, uint32_t i)
{
	return i == NODE_ROOT ? SLICE("all") : f->names.item[p->node[i].name];
}

/* Returns as many bytes of a text as fit, with letters of other scripts twice as wide. */
static size_t
fitting(struct slice s, double letters)
{
	size_t i = 0, n;

	while (i < s.len) {
		n = esc_utf8((const unsigned char *)s.p + i, s.len - i);
		letters -= n > 2 ? 2 : 1;
		if (letters < 0)
			break;
		i += n == 0 ? 1 : n;
	}
	return i;
}

/* The same name has the same colour in each picture. */
static uint32_t
hash_of(struct slice s)
{
	uint32_t h = 2166136261u;
	size_t i;

	for (i = 0; i < s.len && i < NAME_SHOWN; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h ^ h >> 15;
}

static void
put_color(struct out *o, const struct drawing *d, uint32_t i)
{
	double a = share(d, i, FLAME_AFTER), b = share(d, i, FLAME_BEFORE), c;
	uint32_t h;

	if (i == NODE_ROOT) {
		flame_put(o, "#dfe3e8");
	} else if (d->f->compares) {
		c = sqrt(fabs(a - b) / (a > b ? a : b));
		if (a > b)
			print(o, "rgb(%.0f,%.0f,%.0f)", 240 - c * 10, 240 - c * 155, 240 - c * 165);
		else
			print(o, "rgb(%.0f,%.0f,%.0f)", 240 - c * 155, 240 - c * 90, 240 + c * 8);
	} else {
		h = hash_of(name_of(d->f, d->p, i));
		print(o, "rgb(%u,%u,%u)", 235 + h % 20, 150 + h / 256 % 80, 110 + h / 65536 % 40);
	}
}

static void
put_tip(struct out *o, const struct drawing *d, uint32_t i)
{
	struct slice name = name_of(d->f, d->p, i);

	flame_put(o, "<title>");
	flame_put_markup(o, (struct slice){ name.p, (size_t)slice_shown(name, NAME_SHOWN) });
	flame_put(o, name.len > NAME_SHOWN ? "..., " : ", ");
	put_value(o, d->p, d->total[FLAME_AFTER][i]);
	print(o, ", %.2f%%", share(d, i, FLAME_AFTER) * 100);
	if (d->f->compares) {
		flame_put(o, "; before ");
		put_value(o, d->p, d->total[FLAME_BEFORE][i]);
		print(o, ", %.2f%%", share(d, i, FLAME_BEFORE) * 100);
	}
	flame_put(o, "</title>");
}

/* The inner svg element clips the text, whatever the font is. */
static void
put_box(struct out *o, const struct drawing *d, uint32_t i, double y)
{
	double all = d->total[FLAME_AFTER][NODE_ROOT],
	       w = i == NODE_ROOT ? WIDTH - 2 * MARGIN : width(d, i);
	double x = MARGIN + (all > 0 ? d->left[i] / all : 0) * (WIDTH - 2 * MARGIN);
	struct slice name = name_of(d->f, d->p, i);
	size_t n = fitting(name, (w - 6) / LETTER);

	print(o, "<g><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" fill=\"", x, y,
	    w > 3 ? w - 0.6 : w, ROW - 1);
	put_color(o, d, i);
	flame_put(o, "\"/>");
	put_tip(o, d, i);
	if (n < name.len)
		n = fitting(name, (w - 6) / LETTER - 2);
	if (n > 2 || n == name.len) {
		print(o,
		    "<svg x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\"><text x=\"3\" "
		    "y=\"12\">",
		    x, y, w, ROW - 1);
		flame_put_markup(o, (struct slice){ name.p, n });
		flame_put(o, n < name.len ? "..</text></svg>" : "</text></svg>");
	}
	flame_put(o, "</g>\n");
}

static void
begin_line(struct out *o, double *y)
{
	*y += ROW;
	print(o, "<text x=\"%.0f\" y=\"%.1f\">", MARGIN, *y - 4);
}

/* Draws a panel below *y, which is then its end. */
static void
draw(struct out *o, struct drawing *d, double *y)
{
	uint32_t i = NODE_ROOT;

	begin_line(o, y);
	flame_put(o, slice_is_nothing(buf_slice(&d->p->measure)) ? "all measures: " : "");
	if (!slice_is_nothing(buf_slice(&d->p->measure))) {
		flame_put_markup(o, buf_slice(&d->p->measure));
		flame_put(o, ": ");
	}
	put_value(o, d->p, d->total[FLAME_AFTER][NODE_ROOT]);
	if (d->f->compares) {
		flame_put(o, "; before: ");
		put_value(o, d->p, d->total[FLAME_BEFORE][NODE_ROOT]);
		flame_put(o, "; red: a larger share than before, blue: a smaller one");
	}
	flame_put(o, "</text>\n");
	do {
		uint32_t row = d->f->upwards ? d->rows - 1 - d->depth[i] : d->depth[i];

		if (is_drawn(d, i))
			put_box(o, d, i, *y + row * ROW);
		i = flame_walk(d->p, i);
	} while (i != NODE_ROOT && o->error == 0);
	*y += d->rows * ROW;
	if (d->hidden != 0) {
		begin_line(o, y);
		print(o,
		    "frames that are not drawn, because they are narrower than a pixel, "
		    "deeper than %u levels, or without a weight: %" PRIu64 "</text>\n",
		    ROWS_MAX, d->hidden);
	}
}

static void
put_notes(struct out *o, const struct flame *f, double *y)
{
	size_t i, n;

	for (i = 0; i < f->notes.len; i += n + 1) {
		n = strlen(f->notes.p + i);
		begin_line(o, y);
		flame_put_markup(o, (struct slice){ f->notes.p + i, n });
		flame_put(o, "</text>\n");
	}
}

static size_t
count_notes(const struct flame *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->notes.len; i++)
		n += f->notes.p[i] == '\0';
	return n;
}

static void
put_head(struct out *o, const struct flame *f, double height)
{
	print(o,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
	    "viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" font-size=\"12\">\n",
	    WIDTH, height, WIDTH, height);
	flame_put(o, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	print(o, "<text x=\"%.0f\" y=\"22\" font-size=\"16\" font-weight=\"bold\">", MARGIN);
	flame_put_markup(o, buf_slice(&f->title));
	flame_put(o, "</text>\n");
}

int
flame_write_svg(struct flame *f, struct out *o, struct err *e)
{
	struct drawing *d = mem_zero(f->panels + 1, sizeof *d);
	double height = 40 + ROW * (double)count_notes(f), y = 30;
	bool ok = d != NULL;
	size_t i;

	for (i = 0; ok && i < f->panels; i++) {
		ok = drawing_of(&d[i], f, &f->panel[i]);
		height += ROW * (d[i].rows + 1 + (d[i].hidden != 0)) + MARGIN;
	}
	if (ok)
		put_head(o, f, height);
	for (i = 0; ok && i < f->panels; i++, y += MARGIN)
		draw(o, &d[i], &y);
	if (ok) {
		put_notes(o, f, &y);
		flame_put(o, "</svg>\n");
	}
	for (i = 0; d != NULL && i < f->panels; i++)
		drawing_free(&d[i]);
	mem_free(d);
	return ok ? 0 : err_nomem(e);
}
