/* SPDX-License-Identifier: ISC */
/*
 * unpack.h - the text of a profile, from a plain file or from one of Perun's objects.
 *
 * An object is "profile TYPE LENGTH", a NUL and the text, compressed with zlib; TYPE is memory,
 * mixed or time, LENGTH the number of the text's characters (perun/logic/store.py).
 */
#ifndef AFPIPE_PERUN_READ_UNPACK_H
#define AFPIPE_PERUN_READ_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"

struct unpack;

/* NULL without memory. */
struct unpack *unpack_new(void);
void unpack_close(struct unpack *s);

/* Opens NAME ("-": standard input) and reads enough to know what it is. */
int unpack_open(struct unpack *s, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/* XXH64 of the first 64 KiB of the text. */
uint64_t unpack_hash(const struct unpack *s);

/* Are there bytes after the end of an object, which are ignored? */
bool unpack_has_rest(const struct unpack *s);

/* The fill of struct jscan; ctx is the struct unpack. */
int unpack_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/*
 * A second reader of what follows, from AHEAD on, the bytes that unpack_fill gave and the caller
 * has not used.  Input that cannot be read twice is copied to an unlinked temporary file.
 */
struct unpack_look {
	struct unpack *s;
	uint64_t at;
};
int unpack_look(struct unpack *s, struct slice ahead, struct unpack_look *look, struct err *e)
    __attribute__((warn_unused_result));

/* The same for ctx = a struct unpack_look. */
int unpack_look_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

#endif
