/* SPDX-License-Identifier: ISC */
/*
 * feed.h - a run of bytes to records.
 *
 * One feed reads the data section of a file, a pipe from behind its header, or one
 * data.N of a directory.  It knows where records begin and end, nothing of what is
 * in them.
 */
#ifndef AFPIPE_PERFDATA_FEED_H
#define AFPIPE_PERFDATA_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "src/perfdata/block.h"
#include "src/perfdata/unpack.h"

struct feed {
	struct in *in; /* NULL: the bytes come from unpack */
	struct unpack *unpack;
	struct feed *inner; /* what is in the compressed records met so far, or NULL */
	struct blocks *blocks;
	bool big_endian;
	uint64_t left; /* bytes of the input that are still ours; UINT64_MAX: to its end */
	uint64_t offset; /* of the next byte to be read from the input */
	uint32_t block; /* the current one */
	bool have_block;
	size_t at, len; /* of what is read in it */
	bool ended;
};

/*
 * in stands at OFFSET of the input; LENGTH bytes of it are records (UINT64_MAX: all
 * to the end).  Everything is borrowed.
 */
void feed_open(struct feed *f, struct in *in, struct blocks *blocks, bool big_endian,
    uint64_t offset, uint64_t length);
void feed_close(struct feed *f);

/*
 * 1: *r is the next record, in a block that the caller must hold to keep it beyond
 * the next call.  0: the end.  -1: *e says what is wrong (a record cut short, a size
 * that cannot be, a read that failed); nothing follows.  FEED_ANOTHER: where a record
 * should stand another recording begins (cat joins pipes); feed_take gives its bytes.
 */
#define FEED_ANOTHER 2
int feed_next(struct feed *f, struct rec *r, struct err *e) __attribute__((warn_unused_result));

/*
 * The records inside of compressed records.  Bytes are given piece by piece; feed_next
 * on the inner feed returns 0 when it needs more.  NULL when there is no memory.
 */
struct feed *feed_inner(struct feed *f);

/* Is the inner feed in the middle of a record? */
bool feed_is_torn(const struct feed *f);

/* Drops what is torn, after damage. */
void feed_drop(struct feed *f);

/*
 * The n bytes of payload (at most REC_MAX) that follow a record; *got is less only at the
 * end of the input.  They stay until the next call.
 */
int feed_take(struct feed *f, size_t n, const unsigned char **p, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* Records are of this byte order from here on; what was compressed ends. */
void feed_begin_anew(struct feed *f, bool big_endian);

/* Passes over the n bytes of payload that follow a record outside its size. */
int feed_skip(struct feed *f, uint64_t n, struct err *e) __attribute__((warn_unused_result));

#endif
