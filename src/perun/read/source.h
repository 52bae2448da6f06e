/* SPDX-License-Identifier: ISC */
/*
 * source.h - the text of a profile, from a plain file or from one of Perun's objects.
 *
 * An object is "profile TYPE LENGTH", a NUL and the text, compressed with zlib; TYPE is memory,
 * mixed or time, LENGTH the number of the text's characters (perun/logic/store.py).
 */
#ifndef AFPIPE_PERUN_READ_SOURCE_H
#define AFPIPE_PERUN_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"

struct source;

/* NULL without memory. */
struct source *source_new(void);
void source_close(struct source *s);

/* Opens NAME ("-": standard input) and reads enough to know what it is. */
int source_open(struct source *s, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/* XXH64 of the first 64 KiB of the text. */
uint64_t source_hash(const struct source *s);

/* Are there bytes after the end of an object, which are ignored? */
bool source_has_rest(const struct source *s);

/* The fill of struct jscan; ctx is the source. */
int source_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/*
 * A second reader of what follows, from AHEAD on, the bytes that source_fill gave and the caller
 * has not used.  Input that cannot be read twice is copied to an unlinked temporary file.
 */
struct source_look {
	struct source *s;
	uint64_t at;
};
int source_look(struct source *s, struct slice ahead, struct source_look *look, struct err *e)
    __attribute__((warn_unused_result));

/* The same for ctx = a struct source_look. */
int source_look_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

#endif
