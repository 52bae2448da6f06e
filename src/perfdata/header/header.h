/* SPDX-License-Identifier: ISC */
/*
 * header.h - what comes before and besides the records: the file header, and its features.
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
	bool has_dir_format; /* the header marks it as a directory's, with this version: */
	uint64_t dir_version;
	uint64_t id_bytes; /* of all sections of ids */
	uint8_t times[FEAT_MAX]; /* how often each feature was read: a pipe may repeat it */
};

/* ---- file.c: mode, byte order, events and features; where the records are */

struct data_section {
	bool pipe; /* perf's pipe format */
	bool unfinished; /* the header was never completed: records to the end of the file */
	uint64_t offset, size; /* of the records; UINT64_MAX: to the end */
};

/* Reads all of it and leaves the input at the records.  Damage in features is reported. */
int header_read(struct header *h, struct data_section *data, struct err *e)
    __attribute__((warn_unused_result));
/* Reads the header of a later recording in pipe mode, at OFFSET, the position of f. */
int header_read_joined(struct header *h, struct feed *f, uint64_t offset, struct err *e)
    __attribute__((warn_unused_result));

/* ---- feature.c: one feature, from the file's end or from a HEADER_FEATURE record */

/* Does it hold anything? */
bool feature_is_given(uint64_t feature, const struct cur *c);

/*
 * Takes what other lines need from it, and writes its lines if they are wanted.  ERR_DATA,
 * without a place, if it is damaged: the lines before the damage are written.
 */
int feature_read(struct header *h, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* The same without a line. */
int feature_use(struct header *h, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* Takes one entry of the build id list, or a HEADER_BUILD_ID record. */
int feature_read_build_id(struct header *h, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* ---- lines.c: features as lines */

/* Writes the line of a feature that is not read. */
void feature_put_size(struct run *run, uint64_t feature, uint64_t bytes);

#endif
