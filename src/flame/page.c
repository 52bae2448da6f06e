/* SPDX-License-Identifier: ISC */
/*
 * page.c - the HTML page: the files of share/flame, and the trees as JSON.
 *
 * The frames of a panel are in the order of flame_walk, after the root.  n has the numbers of their
 * names and u how many levels each frame is above a child of the frame before it.  w and b have the
 * weights of the two sides, without those of inner frames, in all their digits.  o has the objects:
 * 1 + a number, 0 for none and -1 for several.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/flame/flameint.h"

#include "src/flame/assets.inc"

void
flame_put(struct out *o, const char *s)
{
	out_put(o, s, strlen(s));
}

static void
put_asset(struct out *o, const unsigned char *asset)
{
	flame_put(o, (const char *)asset);
}

static void
put_number(struct out *o, uint64_t v)
{
	char text[NUM_MAX];

	out_put(o, text, num_put_u64(text, v));
}

/* Returns how a byte of a JSON text is written inside a script element, or NULL for itself. */
static const char *
json_escape(const char *s, size_t left)
{
	switch (*s) {
	case '"': return "\\\"";
	case '\\': return "\\\\";
	case '<': return "\\u003c";
	case '>': return "\\u003e";
	case '&': return "\\u0026";
	case '\xe2': /* U+2028 and U+2029 end a line of JavaScript */
		if (left >= 3 && s[1] == '\x80' && (s[2] == '\xa8' || s[2] == '\xa9'))
			return s[2] == '\xa8' ? "\\u2028" : "\\u2029";
	}
	return NULL;
}

typedef const char *escaper(const char *s, size_t left);

/* Escapes single bytes, and characters of three bytes that begin with e or f. */
static void
put_escaped(struct out *o, struct slice s, escaper *escape)
{
	size_t i, from = 0;

	for (i = 0; i < s.len; i++) {
		const char *e = escape(s.p + i, s.len - i);

		if (e == NULL)
			continue;
		out_put(o, s.p + from, i - from);
		flame_put(o, e);
		from = ((unsigned char)s.p[i] & 0xf0) == 0xe0 ? i + 3 : i + 1;
		i = from - 1;
	}
	out_put(o, s.p + from, s.len - from);
}

/* The texts of the stream are UTF-8 without control characters. */
static void
put_json(struct out *o, struct slice s)
{
	flame_put(o, "\"");
	put_escaped(o, s, json_escape);
	flame_put(o, "\"");
}

/* Returns how a byte of a text is written as markup, or NULL for itself. */
static const char *
markup_escape(const char *s, size_t left)
{
	switch (*s) {
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '&': return "&amp;";
	case '"': return "&quot;";
	case '\xef': /* XML does not allow U+FFFE and U+FFFF */
		if (left >= 3 && s[1] == '\xbf' && (s[2] == '\xbe' || s[2] == '\xbf'))
			return "\xef\xbf\xbd";
	}
	return NULL;
}

void
flame_put_markup(struct out *o, struct slice s)
{
	put_escaped(o, s, markup_escape);
}

static void
put_texts(struct out *o, const char *name, const struct tab *t)
{
	size_t i;

	flame_put(o, ",\n\"");
	flame_put(o, name);
	flame_put(o, "\":[");
	for (i = 0; i < t->count; i++) {
		flame_put(o, i == 0 ? "" : ",");
		put_json(o, t->item[i]);
	}
	flame_put(o, "]");
}

static void
put_notes(struct out *o, const struct flame *f)
{
	size_t i, n;

	flame_put(o, ",\n\"notes\":[");
	for (i = 0; i < f->notes.len; i += n + 1) {
		n = strlen(f->notes.p + i);
		flame_put(o, i == 0 ? "" : ",");
		put_json(o, (struct slice){ f->notes.p + i, n });
	}
	flame_put(o, "]");
}

static void
put_names(struct out *o, const struct panel *p)
{
	uint32_t i = NODE_ROOT;

	flame_put(o, "\"n\":[0");
	while ((i = flame_walk(p, i)) != NODE_ROOT) {
		flame_put(o, ",");
		put_number(o, p->node[i].name);
	}
	flame_put(o, "]");
}

static void
put_levels(struct out *o, const struct panel *p)
{
	uint32_t i, last = NODE_ROOT, up, at;

	flame_put(o, ",\n\"u\":[0");
	for (i = NODE_ROOT; (i = flame_walk(p, i)) != NODE_ROOT; last = i) {
		for (up = 0, at = last; at != p->node[i].parent; up++)
			at = p->node[at].parent;
		flame_put(o, ",");
		put_number(o, up);
	}
	flame_put(o, "]");
}

static void
put_weights(struct out *o, const char *name, const struct panel *p, enum flame_side side)
{
	uint32_t i = NODE_ROOT;

	flame_put(o, ",\n\"");
	flame_put(o, name);
	flame_put(o, "\":[0");
	while ((i = flame_walk(p, i)) != NODE_ROOT) {
		flame_put(o, ",");
		flame_put(o, flame_weight(p, i, side));
	}
	flame_put(o, "]");
}

static void
put_objects(struct out *o, const struct panel *p)
{
	uint32_t i = NODE_ROOT;

	flame_put(o, ",\n\"o\":[0");
	while ((i = flame_walk(p, i)) != NODE_ROOT) {
		flame_put(o, ",");
		if (p->node[i].object == OBJECT_SEVERAL)
			flame_put(o, "-1");
		else
			put_number(o, p->node[i].object);
	}
	flame_put(o, "]");
}

static void
put_panel(struct out *o, const struct flame *f, const struct panel *p)
{
	flame_put(o, "{\"measure\":");
	put_json(o, buf_slice(&p->measure));
	flame_put(o, ",\"unit\":");
	put_json(o, buf_slice(&p->unit));
	flame_put(o, ",\n");
	put_names(o, p);
	put_levels(o, p);
	put_weights(o, "w", p, FLAME_AFTER);
	if (f->compares)
		put_weights(o, "b", p, FLAME_BEFORE);
	if (f->objects.count != 0)
		put_objects(o, p);
	flame_put(o, "}");
}

/* Numbers the nodes in the order of flame_walk.  Returns NULL if memory runs out. */
static uint32_t *
order_of(const struct panel *p)
{
	uint32_t *order = mem_zero(p->nodes, sizeof *order), i = NODE_ROOT, n = 0;

	while (order != NULL && (i = flame_walk(p, i)) != NODE_ROOT)
		order[i] = ++n;
	return order;
}

/* Returns the node for the frames that the joined samples share, SHARED_MAX at most. */
static uint32_t
node_of(const struct panel *p, const struct moment *m)
{
	const struct leaf *leaf;
	uint32_t i, depth;

	if (m->what >= p->leaves)
		return NODE_ROOT;
	leaf = &p->leaf[m->what];
	if (m->frames == MOMENT_WHOLE)
		return leaf->node;
	for (i = leaf->near, depth = leaf->near_depth; depth > m->frames; depth--)
		i = p->node[i].parent;
	return i;
}

enum column { COLUMN_FROM, COLUMN_LENGTH, COLUMN_WHAT, COLUMN_FRAMES, COLUMN_COUNT, COLUMNS };

/*
 * The columns of a thread: f, the time since the beginning of the one before; l, how long it is; k,
 * the frame's place in the panel, or the name of a span; m, 0 or 1 for joined samples, or 1 + the
 * depth of a span, 0 for none; c, the number of samples.
 */
static uint64_t
cell(const struct flame *f, const struct thread *t, size_t i, enum column which,
    const uint32_t *order)
{
	const struct moment *m = &t->moment[i];
	bool spans = t->panel == NO_PANEL;

	switch (which) {
	case COLUMN_FROM: return m->from - (i == 0 ? f->time.base[t->run] : m[-1].from);
	case COLUMN_LENGTH: return m->to - m->from;
	case COLUMN_WHAT: return spans ? m->what : order[node_of(&f->panel[t->panel], m)];
	case COLUMN_FRAMES:
		return spans ? (m->frames == MOMENT_WHOLE ? 0 : (uint64_t)m->frames + 1)
			     : m->frames != MOMENT_WHOLE;
	default: return m->n;
	}
}

static void
put_field(struct out *o, const char *before, uint64_t v)
{
	flame_put(o, before);
	put_number(o, v);
}

static void
put_thread(struct out *o, const struct flame *f, const struct thread *t, const uint32_t *order)
{
	static const char *const names[COLUMNS] = { "f", "l", "k", "m", "c" };
	bool spans = t->panel == NO_PANEL;
	size_t i;
	int c;

	flame_put(o, "{\"panel\":");
	if (spans)
		flame_put(o, "-1");
	else
		put_number(o, t->panel);
	put_field(o, ",\"run\":", t->run);
	put_field(o, ",\"pid\":", t->pid);
	put_field(o, ",\"tid\":", t->tid);
	if (t->comm != UINT32_MAX)
		put_field(o, ",\"comm\":", t->comm);
	put_field(o, ",\"count\":", t->n);
	put_field(o, ",\"dropped\":", t->dropped);
	put_field(o, ",\"longest\":", t->longest);
	for (c = 0; c < COLUMNS - (spans ? 1 : 0); c++) {
		flame_put(o, ",\n\"");
		flame_put(o, names[c]);
		flame_put(o, "\":[");
		for (i = 0; i < t->moments; i++)
			put_field(o, i == 0 ? "" : ",", cell(f, t, i, (enum column)c, order));
		flame_put(o, "]");
	}
	flame_put(o, "}");
}

/* Fails only if memory runs out. */
static bool
put_threads(struct out *o, const struct flame *f)
{
	const struct timing *t = &f->time;
	uint32_t *order = NULL;
	const char *comma = "";
	size_t i, p;
	bool ok = true;

	flame_put(o, ",\n\"threads\":[");
	for (p = 0; ok && p <= f->panels; p++) {
		order = p == f->panels ? NULL : order_of(&f->panel[p]);
		ok = order != NULL || p == f->panels;
		for (i = 0; ok && i < t->threads; i++) {
			if (t->thread[i].panel != (p == f->panels ? NO_PANEL : p))
				continue;
			flame_put(o, comma);
			put_thread(o, f, &t->thread[i], order);
			comma = ",\n";
		}
		mem_free(order);
	}
	flame_put(o, "]");
	return ok;
}

static bool
put_time(struct out *o, const struct flame *f)
{
	bool ok;

	put_field(o, ",\n\"time\":{\"gap\":", flame_gap(f));
	put_field(o, ",\"untimed\":", f->time.untimed);
	put_texts(o, "runs", &f->time.runs);
	ok = put_threads(o, f);
	flame_put(o, "}");
	return ok;
}

static bool
put_data(struct out *o, const struct flame *f)
{
	size_t i;

	flame_put(o, "{\"version\":1,\"title\":");
	put_json(o, buf_slice(&f->title));
	flame_put(o, f->upwards ? ",\"upwards\":true" : ",\"upwards\":false");
	flame_put(o, f->compares ? ",\"compares\":true" : ",\"compares\":false");
	put_notes(o, f);
	put_texts(o, "names", &f->names);
	put_texts(o, "objects", &f->objects);
	flame_put(o, ",\n\"panels\":[");
	for (i = 0; i < f->panels && o->error == 0; i++) {
		flame_put(o, i == 0 ? "" : ",\n");
		put_panel(o, f, &f->panel[i]);
	}
	flame_put(o, "]");
	if (f->time.slices != 0 && !put_time(o, f))
		return false;
	flame_put(o, "}\n");
	return true;
}

int
flame_write_page(struct flame *f, struct out *o, struct err *e)
{
	const char *at = (const char *)asset_page, *mark;

	flame_settle(f);
	/* the page has marks {{title}}, {{style}}, {{data}} and {{script}} */
	for (; (mark = strstr(at, "{{")) != NULL; at = strstr(mark, "}}") + 2) {
		out_put(o, at, (size_t)(mark - at));
		switch (mark[2]) {
		case 't': flame_put_markup(o, buf_slice(&f->title)); break;
		case 'd':
			if (!put_data(o, f))
				return err_nomem(e);
			break;
		default: put_asset(o, mark[3] == 't' ? asset_style : asset_script);
		}
	}
	flame_put(o, at);
	return 0;
}
