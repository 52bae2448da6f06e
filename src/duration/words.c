/* SPDX-License-Identifier: ISC */
/* words.c - the name and the tags of a line, and its name in messages. */
#include <stdio.h>

#include "lib/num.h"
#include "lib/short.h"
#include "src/duration/durint.h"

#define LABEL_SHOWN 60

/* How much of a text is shown: characters are never split. */
static int
shown(struct slice s, size_t max)
{
	size_t n = s.len < max ? s.len : max;

	while (n > 0 && n < s.len && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

/* The destination of the value of a known tag; NULL for any other tag. */
static struct slice *
place(struct dur_line *l, struct slice key)
{
	switch (key.len) {
	case 2: return short_eq(key, SLICE("id")) ? &l->id : NULL;
	case 3:
		return short_eq(key, SLICE("mid")) ? &l->mid
		    : short_eq(key, SLICE("utc"))  ? &l->utc
						   : NULL;
	case 4:
		return short_eq(key, SLICE("unit")) ? &l->unit
		    : short_eq(key, SLICE("type"))  ? &l->type
						    : NULL;
	case 5:
		return short_eq(key, SLICE("scope")) ? &l->scope
		    : short_eq(key, SLICE("start"))  ? &l->start
						     : NULL;
	case 8: return short_eq(key, SLICE("interval")) ? &l->interval : NULL;
	}
	return NULL;
}

/* Is it a tag with another meaning in the output? */
static bool
is_ours(struct slice key)
{
	switch (key.len) {
	case 5: return short_eq(key, SLICE("depth")) || short_eq(key, SLICE("stack"));
	case 6: return short_eq(key, SLICE("parent")) || short_eq(key, SLICE("paused"));
	case 7: return short_eq(key, SLICE("elapsed")) || short_eq(key, SLICE("omitted"));
	case 9: return short_eq(key, SLICE("stack_cut"));
	}
	return false;
}

static int
name_it(struct dur_line *l, struct err *e)
{
	l->name = (struct open_name){ OPEN_REGION, l->run, l->id, l->interval };
	if (l->scope.len == 0)
		l->name.kind = l->interval.len != 0 ? OPEN_SECTION : OPEN_REGION;
	else if (short_eq(l->scope, SLICE("section")))
		l->name.kind = OPEN_SECTION;
	else if (short_eq(l->scope, SLICE("run")))
		l->name.kind = OPEN_RUN;
	else if (!short_eq(l->scope, SLICE("region")))
		return err_line(e, l->ev->number, "scope \"%.*s\" is none of region, section, run",
		    shown(l->scope, LABEL_SHOWN), l->scope.p);
	if (l->name.kind == OPEN_REGION)
		l->name.interval.len = 0;
	if (l->id.len == 0) {
		l->name.kind |= OPEN_NAMELESS;
		l->name.id = l->ev->col[EV_REGION];
	}
	return 0;
}

int
dur_words(struct duration *d, const struct ev *ev, struct dur_line *l, struct err *e)
{
	struct slice none = SLICE("");
	size_t i;

	l->ev = ev;
	l->scope = l->id = l->interval = l->start = l->mid = l->unit = l->type = l->utc = none;
	d->others.len = 0;
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1;
		size_t len = ev->cut[i + 1] - ev->cut[i] - 1;
		const char *eq = memchr(p, '=', len);
		struct slice key = { p, eq == NULL ? 0 : (size_t)(eq - p) };
		struct slice value = { p + key.len + 1, len - key.len - 1 };
		struct slice *to = eq == NULL ? NULL : place(l, key);

		if (to == NULL) {
			if (!is_ours(key) && !buf_put(&d->others, p - 1, len + 1))
				return err_nomem(e);
		} else if (!slice_is_nothing(value)) {
			*to = value;
		}
	}
	l->others = d->others.len == 0 ? none : buf_slice(&d->others);
	return name_it(l, e);
}

int
dur_time(struct slice text, const char *what, struct wide *t, struct err *e)
{
	t->hi = 0;
	if (num_get_u64(text, &t->lo) || wide_get(text, t) == WIDE_OK)
		return 0;
	return err_data(e, "%s \"%.*s\" is no time of up to 128 bits", what,
	    shown(text, LABEL_SHOWN), text.p);
}

const char *
dur_scope(unsigned kind)
{
	static const char *const scopes[] = { "region", "section", "run", "section" };

	return scopes[kind & OPEN_SCOPE];
}

static const char *
describe(char text[DUR_SHOWN_MAX], const struct open_name *name, struct slice label)
{
	size_t len = 0;
	bool nameless = (name->kind & OPEN_NAMELESS) != 0;

	if (name->interval.len != 0)
		len = (size_t)snprintf(text, DUR_SHOWN_MAX, "interval %.*s of ",
		    shown(name->interval, 24), name->interval.p);
	len += (size_t)snprintf(text + len, DUR_SHOWN_MAX - len, "%s%s%.*s", dur_scope(name->kind),
	    nameless ? "" : " ", nameless ? 0 : shown(name->id, 24), name->id.p);
	if (!slice_is_nothing(label))
		snprintf(text + len, DUR_SHOWN_MAX - len, " \"%.*s\"", shown(label, LABEL_SHOWN),
		    label.p);
	return text;
}

const char *
dur_describe(char text[DUR_SHOWN_MAX], const struct dur_line *line)
{
	return describe(text, &line->name, line->ev->col[EV_REGION]);
}

const char *
dur_describe_open(char text[DUR_SHOWN_MAX], const struct interval *v)
{
	struct open_name name = { v->kind, v->run, open_text(v, v->id), open_text(v, v->interval) };

	return describe(text, &name, open_text(v, v->label));
}
