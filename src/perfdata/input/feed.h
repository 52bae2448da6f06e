/* SPDX-License-Identifier: ISC */
/*
 * feed.h - splits a run of bytes into records.
 *
 * One feed reads the data section of a file, a pipe after its header, or one data.N
 * of a directory.  It knows where records begin and end, but nothing about their
 * contents.
 */
#ifndef AFPIPE_PERFDATA_FEED_H
#define AFPIPE_PERFDATA_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "src/perfdata/input/block.h"
#include "src/perfdata/input/unpack.h"

struct feed {
	struct in *in; /* NULL: the bytes come from unpack */
	struct unpack *unpack;
	struct feed *inner; /* the records in the compressed ones so far, or NULL */
	struct blocks *blocks;
	bool big_endian;
	uint64_t left; /* bytes of the input still to read; UINT64_MAX: to its end */
	uint64_t offset; /* of the next byte to be read from the input */
	uint32_t block; /* the current one */
	bool have_block;
	size_t at, len; /* of what is read in it */
	bool ended;
};

/*
 * in is positioned at OFFSET; the next LENGTH bytes are records (UINT64_MAX: all to
 * the end).  Everything is borrowed.
 */
void feed_open(struct feed *f, struct in *in, struct blocks *blocks, bool big_endian,
    uint64_t offset, uint64_t length);
void feed_close(struct feed *f);

/*
 * 1: *r is the next record, in a block that the caller must hold to keep it beyond
 * the next call.  0: the end.  -1: *e tells what is wrong (a record cut short, an
 * impossible size, a failed read); nothing follows.  FEED_ANOTHER: another recording
 * begins in place of a record (cat joins pipes); feed_take gives its bytes.
 */
#define FEED_ANOTHER 2
int feed_next(struct feed *f, struct rec *r, struct err *e) __attribute__((warn_unused_result));

/*
 * The feed of the records inside compressed records.  Bytes are given piece by piece;
 * feed_next on the inner feed returns 0 when it needs more.  NULL when there is no memory.
 */
struct feed *feed_inner(struct feed *f);

/* Is the inner feed in the middle of a record? */
bool feed_is_torn(const struct feed *f);

/* After damage: drops the incomplete record. */
void feed_drop(struct feed *f);

/*
 * The n bytes of payload (at most REC_MAX) that follow a record; *got is less only at the
 * end of the input.  They are valid until the next call.
 */
int feed_take(struct feed *f, size_t n, const unsigned char **p, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* From here on records have this byte order; the compressed stream ends. */
void feed_begin_anew(struct feed *f, bool big_endian);

/* Skips the n bytes of payload after a record, which its size does not count. */
int feed_skip(struct feed *f, uint64_t n, struct err *e) __attribute__((warn_unused_result));

#endif
