/* SPDX-License-Identifier: ISC */
/* tags.c - writes tags with lists of bits, words, bytes and items. */
#include "src/perfdata/tags.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"

#define ITEM_MAX 512

void
tags_put_bits(struct evwrite *w, struct slice key, uint64_t v, const char *const *names,
    size_t count)
{
	char text[NUM_MAX];
	bool any = false;
	size_t i;

	if (v == 0)
		return;
	evw_tag_begin(w, key);
	for (i = 0; i < count; i++) {
		if ((v >> i & 1) == 0 || names[i] == NULL)
			continue;
		v &= ~((uint64_t)1 << i);
		evw_bytes(w, ";", any);
		evw_bytes(w, names[i], strlen(names[i]));
		any = true;
	}
	if (v != 0) {
		evw_bytes(w, ";", any);
		evw_bytes(w, text, num_put_hex(text, v));
	}
	evw_tag_end(w, key);
}

void
tags_put_words(struct evwrite *w, struct slice key, struct cur *c)
{
	char text[NUM_MAX];
	bool any = false;

	evw_tag_begin(w, key);
	for (; cur_left(c) >= 8; any = true) {
		evw_bytes(w, ";", any);
		evw_bytes(w, text, num_put_hex(text, cur_u64(c)));
	}
	tags_end_list(w, key, !any);
}

void
tags_put_bytes(struct evwrite *w, struct slice key, const unsigned char *p, size_t n)
{
	evw_tag_begin(w, key);
	evw_hex_bytes(w, p, p == NULL ? 0 : n);
	evw_tag_end(w, key);
}

void
tags_put_item(struct evwrite *w, bool first, const char *format, ...)
{
	char text[ITEM_MAX];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	evw_bytes(w, ";", !first);
	if (n >= 0)
		evw_element(w,
		    (struct slice){ text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1 });
}

void
tags_end_list(struct evwrite *w, struct slice key, bool empty)
{
	if (empty)
		evw_bytes(w, ".", 1);
	evw_tag_end(w, key);
}
