/* SPDX-License-Identifier: ISC */
/* words.c - finds the tags that the encoder knows, in one pass over a line. */
#include "src/afperf/encint.h"

#define IS(word) (memcmp(key.p, word, sizeof(word) - 1) == 0)

/* The destination of that key's value, or NULL. */
static struct slice *
word_of(struct enc_words *w, struct slice key)
{
	switch (key.len) {
	case 2: return IS("id") ? &w->id : NULL;
	case 3: return IS("mid") ? &w->mid : NULL;
	case 4: return IS("unit") ? &w->unit : IS("type") ? &w->type : IS("stat") ? &w->stat : NULL;
	case 5:
		return IS("scope") ? &w->scope
		    : IS("start")  ? &w->start
		    : IS("extra")  ? &w->extra
				   : NULL;
	case 8: return IS("interval") ? &w->interval : NULL;
	default: return NULL;
	}
}

/* Is the tag covered by other fields, or written separately? */
static bool
is_elsewhere(struct slice key)
{
	return (key.len == 3 && IS("utc")) || (key.len == 5 && IS("extra"));
}

/* The tags of a label are adjacent, as afdec writes them; otherwise they are not a label's. */
static bool
add_own(struct enc_words *w, struct slice tag)
{
	if (w->own.len != 0 && w->own.p + w->own.len != tag.p)
		return false;
	w->own.p = w->own.len == 0 ? tag.p : w->own.p;
	w->own.len += tag.len;
	return true;
}

void
enc_words_read(const struct ev *ev, struct enc_words *w)
{
	const struct slice none = SLICE(".");
	size_t i;

	*w = (struct enc_words){ none, none, none, none, none, none, none, none, { NULL, 0 },
		{ ev->tags.p, 0 }, 0, 0 };
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1, *end = ev->base + ev->cut[i + 1];
		const char *eq = memchr(p, '=', (size_t)(end - p));
		struct slice key = { p, eq == NULL ? 0 : (size_t)(eq - p) };
		struct slice *to = eq == NULL ? NULL : word_of(w, key);

		if (to != NULL && to->p != none.p && to->p != NULL)
			to = NULL; /* of two the first one counts, as everywhere */
		else if (to != NULL && (eq + 1 < end || to == &w->extra))
			*to = (struct slice){ eq + 1, (size_t)(end - eq) - 1 };
		if (key.len > 4 && IS("tag.")
			? add_own(w, (struct slice){ p - 1, (size_t)(end - p) + 1 })
			: is_elsewhere(key))
			w->tags++;
		else if (to == NULL)
			w->others++;
	}
}
