/* SPDX-License-Identifier: ISC */
/* words.c - the tags that the encoder knows, in one walk over a line. */
#include "src/afperf/encint.h"

#define IS(word) (memcmp(key.p, word, sizeof(word) - 1) == 0)

/* Where the value of that key goes, or NULL. */
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

/* Tags of a label, which stand with its start; what is said by other fields, or written apart. */
static bool
is_elsewhere(struct slice key)
{
	return (key.len > 4 && IS("tag.")) || (key.len == 3 && IS("utc")) ||
	    (key.len == 5 && IS("extra"));
}

void
enc_words_read(const struct ev *ev, struct enc_words *w)
{
	const struct slice none = SLICE(".");
	size_t i;

	*w =
	    (struct enc_words){ none, none, none, none, none, none, none, none, { NULL, 0 }, 0, 0 };
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1, *end = ev->base + ev->cut[i + 1];
		const char *eq = memchr(p, '=', (size_t)(end - p));
		struct slice key = { p, eq == NULL ? 0 : (size_t)(eq - p) };
		struct slice *to = eq == NULL ? NULL : word_of(w, key);

		if (to != NULL)
			*to = (struct slice){ eq + 1, (size_t)(end - eq) - 1 };
		if (is_elsewhere(key))
			w->tags++;
		else if (to == NULL)
			w->others++;
	}
}
