/* SPDX-License-Identifier: ISC */
/*
 * pattern.h - extended regular expressions, which are looked for in texts of the stream.
 *
 * Texts are compared without their escapes, as bytes.  If one contains NUL bytes, each part between
 * them is tried separately.
 */
#ifndef AFPIPE_PATTERN_H
#define AFPIPE_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "lib/tab.h"

/* { 0 } can be freed. */
struct pattern {
	regex_t
	    *regex; /* NULL: the pattern matches only itself, and has no escapes in the stream */
	struct buf text; /* with a NUL */
	struct tab known; /* texts of pattern_knows, and by number whether they match */
	uint8_t *verdict;
	size_t cap;
	struct buf room; /* of pattern_knows */
};

/*
 * Makes a pattern.  Returns ERR_DATA if the text is no regular expression, or one that the C
 * library would need much time or memory for, and ERR_SYS if memory runs out; p can then only be
 * freed.
 */
int pattern_make(struct pattern *p, struct slice text, struct err *e)
    __attribute__((warn_unused_result));
void pattern_free(struct pattern *p);

/* Returns the pattern as it was given. */
static inline struct slice
pattern_text(const struct pattern *p)
{
	return (struct slice){ p->text.p, p->text.len - 1 };
}

/*
 * Returns 1 if the pattern matches a part of the text, which is in the stream's spelling, otherwise
 * 0, or -1 if memory runs out.  ROOM is scratch.
 */
int pattern_matches(const struct pattern *p, struct slice text, struct buf *room)
    __attribute__((warn_unused_result));

/*
 * Does the same for texts that come again and again, such as names of functions: remembers the
 * first PATTERN_KNOWN_MAX of them, if there is memory.
 */
#define PATTERN_KNOWN_MAX ((size_t)1 << 20)
int pattern_knows(struct pattern *p, struct slice text) __attribute__((warn_unused_result));

/* Returns true if pattern_has decides for the text, which may also be a list. */
static inline bool
pattern_is_plain_for(const struct pattern *p, struct slice text)
{
	return p->regex == NULL && memchr(text.p, '\\', text.len) == NULL;
}

bool pattern_has(const struct pattern *p, struct slice text);

#endif
