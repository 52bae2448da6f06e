/* SPDX-License-Identifier: ISC */
/*
 * header.h - the file header and its features, which come before, after or between the records.
 */
#ifndef AFPIPE_PERFDATA_HEADER_H
#define AFPIPE_PERFDATA_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/run/run.h"

/* { .run = ... } is valid at the start of a recording. */
struct header {
	struct run *run;
	bool has_dir_format; /* the header is that of a directory, with this version: */
	uint64_t dir_version;
	uint64_t id_bytes; /* total size of all id sections */
	uint8_t times[FEAT_MAX]; /* how often each feature was read, since a pipe may repeat it */
};

/* ---- file.c: mode, byte order, events and features; the location of the records */

struct data_section {
	bool pipe; /* perf's pipe format */
	bool unfinished; /* the header was never completed; records extend to the file's end */
	uint64_t offset, size; /* of the records; UINT64_MAX: to the end */
};

/* Reads the whole header and leaves the input at the records.  Damage in features is reported. */
int header_read(struct header *h, struct data_section *data, struct err *e)
    __attribute__((warn_unused_result));
/* Reads the header of a later recording in pipe mode at OFFSET, the current position of f. */
int header_read_joined(struct header *h, struct feed *f, uint64_t offset, struct err *e)
    __attribute__((warn_unused_result));

/* ---- feature.c: one feature, from the file's end or from a HEADER_FEATURE record */

/* Returns true if the feature has any content. */
bool feature_is_given(uint64_t feature, const struct cur *c);

/*
 * Stores the information that other lines need, and writes the feature's lines if they are wanted.
 * Returns ERR_DATA, without a place, if the feature is damaged; the lines before the damage have
 * been written.
 */
int feature_read(struct header *h, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* Does the same, but writes no line. */
int feature_use(struct header *h, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* Reads one entry of the build id list, or a HEADER_BUILD_ID record. */
int feature_read_build_id(struct header *h, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* ---- lines.c: features as lines */

/* Writes the line of a feature that is not read.  The line gives only the feature's size. */
void feature_put_size(struct run *run, uint64_t feature, uint64_t bytes);

#endif
