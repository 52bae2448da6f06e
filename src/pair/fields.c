/* SPDX-License-Identifier: ISC */
/* fields.c - takes columns and tags from a line in one pass over it. */
#include "src/pair/fields.h"

#include "lib/short.h"

size_t
fields_add(struct fields *f, struct slice key)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (slice_eq(f->item[i].key, key))
			return i;
	f->item[f->count] = (struct field){ .key = key, .column = ev_column_named(key) };
	return f->count++;
}

bool
fields_copies(const struct fields *f, struct slice key)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (f->item[i].copied && slice_eq(f->item[i].key, key))
			return true;
	return false;
}

/* Sets the value of the field with the key of this tag, unless it has one. */
static void
read_tag(struct fields *f, const char *tag, size_t len)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		struct field *x = &f->item[i];

		if (len > x->key.len + 1 && tag[x->key.len] == '=' &&
		    short_eq((struct slice){ tag, x->key.len }, x->key)) {
			if (x->value.p == NULL)
				x->value =
				    (struct slice){ tag + x->key.len + 1, len - x->key.len - 1 };
			return;
		}
	}
}

void
fields_read(struct fields *f, const struct ev *ev)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		f->item[i].value = f->item[i].column != EV_COLUMNS ? ev->col[f->item[i].column]
								   : (struct slice){ NULL, 0 };
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1;

		read_tag(f, p, (size_t)(ev->base + ev->cut[i + 1] - p));
	}
	for (i = 0; i < f->count; i++) {
		f->item[i].present = f->item[i].value.p != NULL;
		if (!f->item[i].present)
			f->item[i].value = SLICE(".");
	}
}
