/* SPDX-License-Identifier: ISC */
/* parts.h - shared by the files of this directory. */
#ifndef AFPIPE_PERFDATA_INPUT_PARTS_H
#define AFPIPE_PERFDATA_INPUT_PARTS_H

#include "src/perfdata/input/input.h"

/* ---- glued.c: compressed records that perf 6.16 and later join by mistake */

/*
 * A COMPRESSED2 record (struct perf_record_compressed2, tools/lib/perf/include/perf/event.h) has
 * u64 data_size and that many bytes of zstd data.  zstd_compress_stream_to_records() splits data
 * that do not fit into one record of 64 KiB, but record__pushfn() then writes these records as if
 * they were one.  The first header has the total size, modulo 2^16, and its data_size counts
 * everything that follows.  The others keep a header with their own size and a data_size that was
 * never set.
 */

/* Length of a COMPRESSED2 record's header and data_size. */
#define PACKED2_HEAD 16

/* The most data in one record: PERF_SAMPLE_MAX_SIZE - PACKED2_HEAD - 1.  Longer data are glued. */
#define PACKED2_MAX ((size_t)65519)

/* The maximum size of glued records: that of one perf buffer (perf record --mmap-pages). */
#define GLUED_MAX ((size_t)32 * 1024 * 1024)

/* The bytes after the first PACKED2_HEAD.  If the input was truncated, LEN is less than TOTAL. */
struct glued {
	const unsigned char *p;
	size_t len, total;
	bool big_endian;
};

/*
 * Finds *first, the number of zstd bytes in the first record.  It is chosen so that the headers
 * after these bytes lead from one to the next exactly to the end, or to where the input was
 * truncated.  Returns ERR_DATA if there is no such number.
 */
int glued_find(const struct glued *g, size_t *first, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns the size of the record whose header is at AT, header included, or 0 if there cannot be
 * one.
 */
size_t glued_size(const struct glued *g, size_t at);

#endif
