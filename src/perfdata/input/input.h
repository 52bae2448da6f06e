/* SPDX-License-Identifier: ISC */
/*
 * input.h - turns the bytes of a recording into records, and sorts these by time.
 *
 * Nothing here depends on the meaning of a record's fields.
 *
 * Conventions in all parts of src/perfdata: calls that have an err parameter return 0 or the code
 * that they stored in it, unless stated otherwise.  ERR_DATA without a place refers to the current
 * record, and whoever reports it adds the place (err_at_byte).  Times are those of the recording,
 * in ns; 0 means none.  Offsets count bytes of the input; in a directory they run consecutively
 * through all its files.  A rec and a cur are borrowed for the call.
 */
#ifndef AFPIPE_PERFDATA_INPUT_H
#define AFPIPE_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "lib/in.h"
#include "lib/report.h"
#include "lib/runs.h"
#include "src/perfdata/abi.h"

struct extsort;
struct unpack;

/* ---- queue.c: blocks, the memory that records are read into and wait in */

/*
 * A block is filled from the input in one piece.  It lives while it is being read or while a record
 * in it waits for its turn.  Records are identified by block and offset, so a waiting record costs
 * 16 bytes and no copy.
 */

/* At the front of each block: room for the part of a record that was in the previous block. */
#define BLOCK_HEAD ((size_t)REC_MAX + 1)
#define BLOCK_BODY ((size_t)512 * 1024)

struct block {
	unsigned char *data; /* BLOCK_HEAD + BLOCK_BODY bytes */
	uint64_t base; /* offset of data[0] in the input (may wrap below 0 because of the head) */
	uint64_t packed; /* if not 0, offset of the compressed data that held its records */
	uint32_t refs;
	uint32_t next_free;
};

struct blocks {
	struct block *item;
	uint32_t count, free; /* free: 1 + the first free block, 0 for none */
	size_t cap;
	uint32_t used;
};

/* A record as it was read.  p is valid while its block is held. */
struct rec {
	const unsigned char *p; /* its header */
	uint32_t type;
	uint16_t misc, size; /* for COMPRESSED2 only the header's size; see stored_size */
	uint16_t stored_size; /* the size stored in the record */
	uint32_t block, at; /* its block, and its offset there */
	uint64_t offset; /* offset of its header in the input */
};

/* Reads the header of the record at r->p, which the caller guarantees to be there. */
static inline void
rec_read_header(struct rec *r, bool big_endian)
{
	uint64_t head = cur_word64(r->p, big_endian != cur_host_big());

	r->type = (uint32_t)(big_endian ? head >> 32 : head);
	r->misc = (uint16_t)(big_endian ? head >> 16 : head >> 32);
	r->size = (uint16_t)(big_endian ? head : head >> 48);
}

/* Returns a cursor over everything after the record's header, including the trailer. */
static inline struct cur
rec_fields(const struct rec *r, bool big_endian)
{
	return cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, big_endian);
}

/* { 0 } is a valid empty pool. */
void blocks_free(struct blocks *b);

/* Gets a block with one reference and puts its number in *n. */
int blocks_get(struct blocks *b, uint32_t *n, struct err *e) __attribute__((warn_unused_result));

static inline void
blocks_hold(struct blocks *b, uint32_t n)
{
	b->item[n].refs++;
}

static inline void
blocks_drop(struct blocks *b, uint32_t n)
{
	struct block *k = &b->item[n];

	if (--k->refs == 0) {
		k->next_free = b->free;
		b->free = n + 1;
		b->used--;
	}
}

/* ---- input.c: the operand, a file or a directory of files; reports errors in it */

#define INPUT_PATH 4096 /* bytes for the path of a file in a directory */

/*
 * perf record --threads writes DIR/data, a recording with everything except most of the records,
 * and DIR/data.0, data.1, ..., one for each recording thread, which have records but no header
 * (tools/perf/util/data.c; HEADER_DIR_FORMAT in perf.data-file-format.txt).  Here the files are
 * treated as one sequence of bytes, so that a position is a single number until it is reported.
 */
#define SIBLINGS_MAX 65536

struct sibling {
	uint32_t number; /* N of data.N */
	uint64_t base; /* offset of its first byte in the sequence, once reading it has begun */
};

struct input {
	struct in in;
	struct blocks blocks;
	const struct reporter *to;
	bool damaged; /* something was reported */
	bool failed; /* a system failure kept a part from being read; it has been reported */

	const char *directory; /* its path, borrowed; NULL: the operand is one file */
	struct sibling *sibling; /* the data.N files, by number */
	size_t siblings, siblings_begun;
	size_t odd; /* number of files named data.* without a number */
	char kallsyms[INPUT_PATH]; /* a file of the kernel's symbols in the directory, or empty */
	struct runs runs; /* of the recordings that are joined in it */
};

/*
 * Opens the recording NAME: a file, a directory, or "-" for the descriptor fd.  *i must be
 * initialized to { .to = ... }.  The caller must call input_close even after an error.
 */
int input_open(struct input *i, const char *name, int fd, bool with_kallsyms, struct err *e)
    __attribute__((warn_unused_result));
void input_close(struct input *i);

/* Reports e and marks the input as damaged.  The caller can continue. */
void input_report(struct input *i, const struct err *e);
/* Reports that the input is good but does not have what was asked for. */
void input_refuse(const struct input *i, const struct err *e);
/* Prints a note about something that is not an error. */
void input_note(const struct input *i, const char *text);

/* Finds the data.N files of the directory.  Returns ERR_SYS, or ERR_DATA if there are too many. */
int input_list_siblings(struct input *i, struct err *e) __attribute__((warn_unused_result));
/* Opens the N-th of these files.  In messages, its offsets start at BASE. */
int input_open_sibling(struct input *i, size_t n, uint64_t base, struct in *in, struct err *e)
    __attribute__((warn_unused_result));

/* ---- magic.c: recognizes the first bytes of a recording, and of other files */

/*
 * Layout: tools/perf/Documentation/perf.data-file-format.txt; version 1 as in
 * check_magic_endian() of tools/perf/util/header.c.
 */
#define MAGIC_SIZE 16 /* magic and header size: all that pipe mode has */
#define FILE_HEADER_SIZE 104
#define OLD_HEADER_SIZE 72 /* in early version 1, which has no features */

/*
 * Returns true if these are the first eight bytes of a recording of version 2, in either byte
 * order.
 */
bool magic_is(const unsigned char p[8]);

/*
 * Finds the byte order and the header's size, which is MAGIC_SIZE for pipe mode and larger for file
 * mode.  Returns ERR_DATA if it is not a recording, and names the kind of file if that is known.
 */
int magic_read(const unsigned char head[MAGIC_SIZE], bool *big_endian, uint64_t *size,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Reports what kind of file begins with the n bytes at p, which are not those of a recording.
 * Always returns ERR_DATA.
 */
int magic_refuse(const unsigned char *p, size_t n, struct err *e);

/* ---- feed.c: splits a sequence of bytes into records */

/*
 * A feed reads the data section of a file, a pipe after its header, or one data.N of a directory.
 * It finds where records begin and end.
 */
struct feed {
	struct in *in; /* NULL: the bytes come from unpack */
	struct unpack *unpack;
	struct feed *inner; /* the records inside the compressed records so far, or NULL */
	struct blocks *blocks;
	bool big_endian;
	uint64_t left; /* bytes of the input still to be read; UINT64_MAX: to its end */
	uint64_t offset; /* of the next byte to be read from the input */
	uint32_t block; /* the current one */
	bool have_block;
	size_t at, len; /* position in it, and number of bytes read into it */
	bool ended;
};

/*
 * in must be positioned at OFFSET.  The next LENGTH bytes are records (UINT64_MAX: all bytes to the
 * end).  All pointers are borrowed.
 */
void feed_open(struct feed *f, struct in *in, struct blocks *blocks, bool big_endian,
    uint64_t offset, uint64_t length);
void feed_close(struct feed *f);

/*
 * Returns 1 if *r is the next record, in a block that the caller must hold to keep it beyond the
 * next call.  Returns 0 at the end.  Returns -1 with the error in *e (a truncated record, an
 * impossible size, a failed read), after which there are no more records.  Returns FEED_ANOTHER if
 * another recording begins instead of a record (pipes joined by cat); feed_take then returns its
 * bytes.
 */
#define FEED_ANOTHER 2
int feed_next_other(struct feed *f, struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* Most records are the kernel's own, and are in the block. */
static inline int
feed_next(struct feed *f, struct rec *r, struct err *e)
{
	size_t left = f->len - f->at;

	if (left < REC_HEADER || f->unpack != NULL)
		return feed_next_other(f, r, e);
	r->p = f->blocks->item[f->block].data + f->at;
	rec_read_header(r, f->big_endian);
	if (r->type >= REC_USER || r->size < REC_HEADER || r->size > left)
		return feed_next_other(f, r, e);
	r->stored_size = r->size;
	r->block = f->block;
	r->at = (uint32_t)f->at;
	r->offset = f->offset - left;
	f->at += r->size;
	return 1;
}

/*
 * Finds the n bytes of payload (at most REC_MAX) that follow a record.  *got is less only at the
 * end of the input.  The bytes are valid until the next call.
 */
int feed_take(struct feed *f, size_t n, const unsigned char **p, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* Skips the n bytes of payload that follow a record and are not part of its size. */
int feed_skip(struct feed *f, uint64_t n, struct err *e) __attribute__((warn_unused_result));

/* Sets the byte order of all further records and ends the compressed stream. */
void feed_begin_anew(struct feed *f, bool big_endian);

/* ---- feed.c: compressed records, and the records inside them */

/* Receives each record inside, with the feed that it comes from. */
typedef int packed_sink(void *ctx, struct feed *inner, const struct rec *r, struct err *e);

/*
 * Begins a compressed record.  *body gets the bytes of a COMPRESSED2 record that are not data, and
 * is valid until the next call.  They are the length of the data, which is needed because the size
 * of the record wraps around if the data are long.
 */
int packed_begin(struct feed *f, const struct rec *r, struct cur *body, struct err *e)
    __attribute__((warn_unused_result));

/* Passes each record inside to sink.  Damage that does not end the feed is reported. */
int packed_read(struct input *i, struct feed *f, const struct rec *r, struct cur body,
    packed_sink *sink, void *ctx, struct err *e) __attribute__((warn_unused_result));

/* Call it at the end of f.  Reports an incomplete last record inside. */
void packed_end(struct input *i, const struct feed *f);

/* ---- queue.c: sorts records by time */

/*
 * perf.data is sorted only within each CPU's buffer.  Records wait here until a finished round
 * guarantees that no older ones can come.  Whatever exceeds QUEUE_MEMORY is written in sorted runs
 * to an unlinked temporary file and merged from there.  So the order is exact and memory is
 * bounded, no matter how long a round is.  Records with equal times leave in the order in which
 * they came.
 */
#define QUEUE_MEMORY ((size_t)32 * 1024 * 1024)

struct queue_entry {
	uint64_t time;
	uint32_t block, at;
};

struct queue {
	struct blocks *blocks;
	bool big_endian;
	size_t memory; /* QUEUE_MEMORY, or less in tests */
	/* sorted runs, one after another, in the order in which they came */
	struct queue_entry *entry;
	size_t count, cap;
	size_t *run; /* the index where each run begins */
	size_t runs, run_cap;
	struct queue_entry *due, *spare; /* the records of a flush, and space to sort them */
	size_t due_count, due_cap;
	size_t *piece; /* the index where each sorted piece of due begins */
	size_t pieces, piece_cap;
	struct extsort *disk; /* the records on disk; NULL for none */
	uint64_t spilled; /* number of bytes ever written to disk */
	uint64_t last; /* time of the last record that left */
};

/* Receives the records that leave.  A value other than 0 stops the flush and is returned. */
typedef int queue_sink(void *ctx, const struct rec *r);

void queue_init(struct queue *q, struct blocks *blocks, bool big_endian);
void queue_free(struct queue *q);

/* Adds r and holds its block.  Records are written to disk when memory is used up. */
int queue_add(struct queue *q, uint64_t time, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* Records that the queue may take from a feed itself. */
struct alike {
	uint32_t type;
	size_t time_at; /* the offset of a record's time, after its header */
	uint64_t oldest; /* not 0; older records are not taken */
};

/*
 * Adds the next records of a feed that has returned a record, as long as they are alike, have a
 * time, and are in the block of that record as a whole.  *newest becomes the newest of their times,
 * unless it is newer.
 */
int queue_add_alike(struct queue *q, struct feed *f, const struct alike *like, uint64_t *newest,
    struct err *e) __attribute__((warn_unused_result));

/* Returns true if the next record would exceed the memory. */
bool queue_is_full(const struct queue *q);

/* Finds the median time of the records in memory.  There must be some. */
int queue_middle(struct queue *q, uint64_t *time, struct err *e)
    __attribute__((warn_unused_result));

/* Passes all records with time <= limit to sink, in order. */
int queue_flush(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
    __attribute__((warn_unused_result));

#endif
