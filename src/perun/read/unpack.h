/* SPDX-License-Identifier: ISC */
/*
 * unpack.h - the text of a profile, from a plain file or from one of Perun's objects.
 *
 * An object consists of "profile TYPE LENGTH", a NUL and the text, all compressed with zlib.  TYPE
 * is memory, mixed or time, and LENGTH is the number of characters in the text
 * (perun/logic/store.py).
 */
#ifndef AFPIPE_PERUN_READ_UNPACK_H
#define AFPIPE_PERUN_READ_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"

struct unpack;

/* Returns NULL if memory runs out. */
struct unpack *unpack_new(void);
void unpack_close(struct unpack *s);

/* Opens NAME ("-": standard input) and reads enough to recognize the form of the file. */
int unpack_open(struct unpack *s, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the XXH64 hash of the first 64 KiB of the text. */
uint64_t unpack_hash(const struct unpack *s);

/* Returns true if it is one of Perun's objects. */
bool unpack_is_object(const struct unpack *s);

/* Returns true if bytes follow the end of an object.  They are ignored. */
bool unpack_has_rest(const struct unpack *s);

/* A fill function for struct jscan.  ctx is the struct unpack. */
int unpack_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/*
 * A second reader of the rest of the text.  It begins at AHEAD, the bytes that unpack_fill has
 * returned and the caller has not used.  Input that cannot be read twice is copied to an unlinked
 * temporary file.
 */
struct unpack_look {
	struct unpack *s;
	uint64_t at;
};
int unpack_look(struct unpack *s, struct slice ahead, struct unpack_look *look, struct err *e)
    __attribute__((warn_unused_result));

/* Like unpack_fill, but ctx is a struct unpack_look. */
int unpack_look_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

#endif
