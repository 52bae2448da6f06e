/* SPDX-License-Identifier: ISC */
/* forms.c - whether results of afagg that are added up have different keys. */
#include "lib/forms.h"

void
forms_free(struct forms *f)
{
	tab_free(&f->seen);
	buf_free(&f->text);
	*f = (struct forms){ 0 };
}

static bool
add_field(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/* Returns whether the line is a result of afagg that may be a part of a sum. */
static bool
is_part(const struct ev *ev)
{
	struct slice stat = ev_get(ev, SLICE("stat")), total;

	return !slice_is_nothing(ev_get(ev, SLICE("n"))) && !ev_tag(ev, SLICE("total"), &total) &&
	    (slice_eq(stat, SLICE("sum")) || slice_eq(stat, SLICE("count")));
}

/* Makes the text of what is added up with the line. */
static bool
begin_text(struct forms *f, const struct ev *ev, struct slice part)
{
	static const struct slice tags[] = { SLICE_INIT("stat"), SLICE_INIT("of"),
		SLICE_INIT("unit"), SLICE_INIT("type") };
	size_t i;
	bool ok;

	f->text.len = 0;
	ok = add_field(&f->text, ev->col[EV_RUN]) && add_field(&f->text, ev->col[EV_MEASURE]) &&
	    add_field(&f->text, part);
	for (i = 0; ok && i < sizeof tags / sizeof tags[0]; i++)
		ok = add_field(&f->text, ev_get(ev, tags[i]));
	return ok;
}

/* Adds the names of the keys, which come before the statistic. */
static bool
add_keys(struct forms *f, const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag key;
	bool ok = buf_putc(&f->text, '\n');

	while (ok && ev_next_tag(&rest, &key) && !slice_eq(key.key, SLICE("stat")))
		ok = buf_put(&f->text, key.key.p, key.key.len) && buf_putc(&f->text, ',');
	return ok;
}

bool
forms_see(struct forms *f, const struct ev *ev, struct slice part)
{
	bool first, fresh;

	if (f->differ || !is_part(ev))
		return true;
	if (!begin_text(f, ev, part) || tab_add(&f->seen, buf_slice(&f->text), &first) == TAB_NONE)
		return false;
	if (!add_keys(f, ev) || tab_add(&f->seen, buf_slice(&f->text), &fresh) == TAB_NONE)
		return false;
	f->differ = fresh && !first;
	return true;
}
