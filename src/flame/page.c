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

#include "lib/num.h"
#include "src/flame/flameint.h"

#include "src/flame/assets.inc"

static void
put(struct out *o, const char *s)
{
	out_put(o, s, strlen(s));
}

static void
put_asset(struct out *o, const unsigned char *asset)
{
	put(o, (const char *)asset);
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

/* The texts of the stream are UTF-8 without control characters. */
static void
put_json(struct out *o, struct slice s)
{
	size_t i, from = 0;

	put(o, "\"");
	for (i = 0; i < s.len; i++) {
		const char *escape = json_escape(s.p + i, s.len - i);

		if (escape == NULL)
			continue;
		out_put(o, s.p + from, i - from);
		put(o, escape);
		from = *escape == '\\' && s.p[i] == '\xe2' ? i + 3 : i + 1;
		i = from - 1;
	}
	out_put(o, s.p + from, s.len - from);
	put(o, "\"");
}

static void
put_html(struct out *o, struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		switch (s.p[i]) {
		case '<': put(o, "&lt;"); break;
		case '>': put(o, "&gt;"); break;
		case '&': put(o, "&amp;"); break;
		case '"': put(o, "&quot;"); break;
		default: out_put(o, s.p + i, 1);
		}
}

static void
put_texts(struct out *o, const char *name, const struct tab *t)
{
	size_t i;

	put(o, ",\n\"");
	put(o, name);
	put(o, "\":[");
	for (i = 0; i < t->count; i++) {
		put(o, i == 0 ? "" : ",");
		put_json(o, t->item[i]);
	}
	put(o, "]");
}

static void
put_notes(struct out *o, const struct flame *f)
{
	size_t i, n;

	put(o, ",\n\"notes\":[");
	for (i = 0; i < f->notes.len; i += n + 1) {
		n = strlen(f->notes.p + i);
		put(o, i == 0 ? "" : ",");
		put_json(o, (struct slice){ f->notes.p + i, n });
	}
	put(o, "]");
}

static void
put_names(struct out *o, const struct panel *p)
{
	uint32_t i = NODE_ROOT;

	put(o, "\"n\":[0");
	while ((i = flame_walk(p, i)) != NODE_ROOT) {
		put(o, ",");
		put_number(o, p->node[i].name);
	}
	put(o, "]");
}

static void
put_levels(struct out *o, const struct panel *p)
{
	uint32_t i, last = NODE_ROOT, up, at;

	put(o, ",\n\"u\":[0");
	for (i = NODE_ROOT; (i = flame_walk(p, i)) != NODE_ROOT; last = i) {
		for (up = 0, at = last; at != p->node[i].parent; up++)
			at = p->node[at].parent;
		put(o, ",");
		put_number(o, up);
	}
	put(o, "]");
}

static void
put_weights(struct out *o, const char *name, const struct panel *p, enum flame_side side)
{
	uint32_t i = NODE_ROOT;

	put(o, ",\n\"");
	put(o, name);
	put(o, "\":[0");
	while ((i = flame_walk(p, i)) != NODE_ROOT) {
		put(o, ",");
		put(o, flame_weight(p, i, side));
	}
	put(o, "]");
}

static void
put_objects(struct out *o, const struct panel *p)
{
	uint32_t i = NODE_ROOT;

	put(o, ",\n\"o\":[0");
	while ((i = flame_walk(p, i)) != NODE_ROOT) {
		put(o, ",");
		if (p->node[i].object == OBJECT_SEVERAL)
			put(o, "-1");
		else
			put_number(o, p->node[i].object);
	}
	put(o, "]");
}

static void
put_panel(struct out *o, const struct flame *f, const struct panel *p)
{
	put(o, "{\"measure\":");
	put_json(o, buf_slice(&p->measure));
	put(o, ",\"unit\":");
	put_json(o, buf_slice(&p->unit));
	put(o, ",\n");
	put_names(o, p);
	put_levels(o, p);
	put_weights(o, "w", p, FLAME_AFTER);
	if (f->compares)
		put_weights(o, "b", p, FLAME_BEFORE);
	if (f->objects.count != 0)
		put_objects(o, p);
	put(o, "}");
}

static void
put_data(struct out *o, const struct flame *f)
{
	size_t i;

	put(o, "{\"version\":1,\"title\":");
	put_json(o, buf_slice(&f->title));
	put(o, f->upwards ? ",\"upwards\":true" : ",\"upwards\":false");
	put(o, f->compares ? ",\"compares\":true" : ",\"compares\":false");
	put_notes(o, f);
	put_texts(o, "names", &f->names);
	put_texts(o, "objects", &f->objects);
	put(o, ",\n\"panels\":[");
	for (i = 0; i < f->panels && o->error == 0; i++) {
		put(o, i == 0 ? "" : ",\n");
		put_panel(o, f, &f->panel[i]);
	}
	put(o, "]}\n");
}

int
flame_write_page(struct flame *f, struct out *o, struct err *e)
{
	const char *at = (const char *)asset_page, *mark;

	(void)e;
	/* the page has marks {{title}}, {{style}}, {{data}} and {{script}} */
	for (; (mark = strstr(at, "{{")) != NULL; at = strstr(mark, "}}") + 2) {
		out_put(o, at, (size_t)(mark - at));
		switch (mark[2]) {
		case 't': put_html(o, buf_slice(&f->title)); break;
		case 'd': put_data(o, f); break;
		default: put_asset(o, mark[3] == 't' ? asset_style : asset_script);
		}
	}
	put(o, at);
	return 0;
}
int flame_write_svg(struct flame *f, struct out *o, struct err *e) { (void)f; (void)o; (void)e; return 0; }
