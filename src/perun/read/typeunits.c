/* SPDX-License-Identifier: ISC */
/* typeunits.c - the units of a Perun profile's resources. */
#include "src/perun/read/typeunits.h"

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/vec.h"

void
typeunits_free(struct typeunits *u)
{
	tab_free(&u->names);
	tab_free(&u->texts);
	mem_free(u->text);
	buf_free(&u->scratch);
}

/* Undoes a string of at most MAX bytes.  Anything else gives an empty text. */
static bool
undo(struct buf *out, const char *text, const struct jscan_token *k, size_t max)
{
	out->len = 0;
	return k->kind != JSCAN_STRING || k->len > max || jtext_undo(out, jscan_inside(text, k));
}

static bool
add_unit(struct typeunits *u, const char *text, const struct jscan_token *name,
    const struct jscan_token *value)
{
	size_t i, unit = TAB_NONE;

	if (!undo(&u->scratch, text, name, TYPEUNITS_NAME_MAX))
		return false;
	if (u->scratch.len == 0)
		return true;
	i = tab_add(&u->names, buf_slice(&u->scratch), NULL);
	if (i == TAB_NONE || !vec_room(u->text, i, u->cap) ||
	    !undo(&u->scratch, text, value, TYPEUNITS_TEXT_MAX))
		return false;
	if (u->scratch.len != 0 &&
	    (unit = tab_add(&u->texts, buf_slice(&u->scratch), NULL)) == TAB_NONE)
		return false;
	u->text[i] = (uint32_t)(unit + 1); /* TAB_NONE becomes 0 */
	return true;
}

int
typeunits_add(struct typeunits *u, const char *text, const struct jscan_token *header,
    struct err *e)
{
	const struct jscan_token *t = header;
	uint32_t units = 0, i;

	if (t[0].kind != JSCAN_OBJECT)
		return 0;
	for (i = 1; i < t[0].next; i = t[i + 1].next)
		if (jscan_is(text, &t[i], SLICE("units")))
			units = i + 1;
	if (units == 0 || t[units].kind != JSCAN_OBJECT)
		return 0;
	for (i = units + 1; i < t[units].next; i = t[i + 1].next)
		if (!add_unit(u, text, &t[i], &t[i + 1]))
			return err_nomem(e);
	return 0;
}

static struct slice
unit_of(const struct typeunits *u, struct slice name)
{
	size_t i = tab_find(&u->names, name);

	return i == TAB_NONE || u->text[i] == 0 ? SLICE("") : u->texts.item[u->text[i] - 1];
}

bool
typeunits_find(struct typeunits *u, struct slice type, struct slice subtype, struct slice *unit)
{
	struct buf *b = &u->scratch;

	*unit = SLICE("");
	if (u->names.count == 0)
		return true;
	if (subtype.len != 0 && type.len + subtype.len <= TYPEUNITS_NAME_MAX) {
		b->len = 0;
		if (!buf_put(b, type.p, type.len) || !buf_putc(b, '(') ||
		    !buf_put(b, subtype.p, subtype.len) || !buf_putc(b, ')'))
			return false;
		*unit = unit_of(u, buf_slice(b));
	}
	if (unit->len == 0)
		*unit = unit_of(u, type);
	return true;
}
