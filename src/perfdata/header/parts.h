/* SPDX-License-Identifier: ISC */
/*
 * parts.h - shared by the files of this room: features as lines of kind header.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and the write_ functions
 * of tools/perf/util/header.c; from 128 on simpleperf's record_file_format.h.  The names
 * and tags are listed in afstream(5).
 */
#ifndef AFPIPE_PERFDATA_HEADER_PARTS_H
#define AFPIPE_PERFDATA_HEADER_PARTS_H

#include "src/perfdata/header/header.h"

/*
 * The feature being read; readers return false if it is damaged.  A line must be written whole, so
 * each is decoded before it begins.  Bytes after what is known are ignored: newer kernels append.
 */
struct feature {
	struct run *run;
	uint64_t number;
	const char *name;
	struct cur c;
};
typedef bool feature_reader(struct feature *f);

/* ---- feature.c */

/*
 * Is more needed of a feature than its size, by other lines or by its own?  The rest is not read;
 * some is as large as the data.
 */
bool feature_is_read(const struct run *run, uint64_t feature);

/* ---- lines.c */

/*
 * Writes the lines of a feature.  ERR_DATA, without a place, if it is damaged: the lines before the
 * damage are written.
 */
int feature_put(struct run *run, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));

/* Has it lines with more than its size? */
bool feature_has_lines(uint64_t feature);

/* Begins a line up to NAME: the value comes next, then tags. */
struct evwrite *feature_begin(const struct feature *f, const char *name);
void feature_end(const struct feature *f);

/* A text of the header: u32 length, then that many bytes, ended by a NUL. */
bool feature_string(struct cur *c, struct slice *s);

/* ---- android.c: simpleperf's */

feature_reader feature_files, feature_files2, feature_meta_info, feature_debug_unwind;

/* Names simpleperf's tracepoints by its META_INFO, at c. */
int feature_name_tracepoints(struct events *ev, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));

#endif
