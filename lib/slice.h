/* SPDX-License-Identifier: ISC */
/* slice.h - borrowed bytes: a pointer and a length, never NUL-terminated. */
#ifndef AFPIPE_SLICE_H
#define AFPIPE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *p;
	size_t len;
};

/* The same, for static initializers. */
#define SLICE_INIT(literal) \
	{ \
		(literal), sizeof(literal) - 1 \
	}

#define SLICE(literal) ((struct slice){ (literal), sizeof(literal) - 1 })

static inline struct slice
slice_of(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

static inline bool
slice_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* Returns true if s begins with BEGIN. */
static inline bool
slice_begins(struct slice s, struct slice begin)
{
	return s.len >= begin.len && slice_eq((struct slice){ s.p, begin.len }, begin);
}

/* Returns true if s ends with END. */
static inline bool
slice_ends(struct slice s, struct slice end)
{
	return s.len >= end.len &&
	    slice_eq((struct slice){ s.p + (s.len - end.len), end.len }, end);
}

/* Compares bytewise; a prefix comes first. */
static inline int
slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

/*
 * Returns how many bytes of s a message shows ("%.*s"): at most MAX, without cutting a character.
 */
static inline int
slice_shown(struct slice s, size_t max)
{
	size_t n = s.len < max ? s.len : max;

	while (n > 0 && n < s.len && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

/* Returns the last component of a path, which is empty after a final '/'. */
static inline struct slice
slice_base(struct slice path)
{
	size_t i = path.len;

	while (i > 0 && path.p[i - 1] != '/')
		i--;
	return (struct slice){ path.p + i, path.len - i };
}

/* Returns where the part first appears in s, or s.len if it does not.  The part is not empty. */
static inline size_t
slice_find(struct slice s, struct slice part)
{
	size_t i;

	for (i = 0; i + part.len <= s.len; i++)
		if (memcmp(s.p + i, part.p, part.len) == 0)
			return i;
	return s.len;
}

/*
 * Cuts the first field off a list, up to the separator, which goes with it.  Returns false if the
 * list is empty.
 */
static inline bool
slice_cut(struct slice *list, char separator, struct slice *field)
{
	const char *end = list->len == 0 ? NULL : memchr(list->p, separator, list->len);

	*field = *list;
	if (list->len == 0)
		return false;
	if (end != NULL)
		field->len = (size_t)(end - list->p);
	list->p += field->len + (end != NULL);
	list->len -= field->len + (end != NULL);
	return true;
}

/* Returns whether it is one of n texts. */
static inline bool
slice_is_one(struct slice s, const struct slice *texts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (slice_eq(s, texts[i]))
			return true;
	return false;
}

/* The same for an array of texts. */
#define SLICE_AMONG(s, array) slice_is_one(s, array, sizeof(array) / sizeof((array)[0]))

/* Returns true for ".", which means nothing in a column or as a tag's value. */
static inline bool
slice_is_nothing(struct slice s)
{
	return s.len == 1 && s.p[0] == '.';
}

#endif
