/* SPDX-License-Identifier: ISC */
/*
 * parts.h - shared by the files of this directory: features as lines of kind header.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and the write_ functions of
 * tools/perf/util/header.c; from number 128 on, simpleperf's record_file_format.h.  The names and
 * tags are listed in afstream(5).
 */
#ifndef AFPIPE_PERFDATA_HEADER_PARTS_H
#define AFPIPE_PERFDATA_HEADER_PARTS_H

#include "src/perfdata/header/header.h"

/*
 * The feature being read.  Readers return false if it is damaged.  Only whole lines may be written,
 * so each line is decoded before it is begun.  Bytes after the known ones are ignored, since newer
 * kernels append fields.
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
 * Returns true if other lines or the feature's own lines need more than its size.  Other features
 * are not read, since some are as large as the data.
 */
bool feature_is_read(const struct run *run, uint64_t feature);

/* ---- lines.c */

/*
 * Writes the lines of a feature.  Returns ERR_DATA, without a place, if the feature is damaged; the
 * lines before the damage have been written.
 */
int feature_put(struct run *run, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if the feature has lines with more than its size. */
bool feature_has_lines(uint64_t feature);

/* Begins a line up to NAME.  The value comes next, then tags. */
struct evwrite *feature_begin(const struct feature *f, const char *name);
void feature_end(const struct feature *f);

/* Reads a text of the header: u32 length, then that many bytes, which contain a final NUL. */
bool feature_string(struct cur *c, struct slice *s);

/* ---- android.c: simpleperf's features */

feature_reader feature_files, feature_files2, feature_meta_info, feature_debug_unwind;

/* Keeps the symbols in FEAT_FILE or FEAT_FILE2, at c. */
int feature_list_symbols(struct listed *listed, unsigned feature, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));

/* Names simpleperf's tracepoints from its META_INFO, at c. */
int feature_name_tracepoints(struct events *ev, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));

#endif
