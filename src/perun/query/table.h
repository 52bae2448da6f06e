/* SPDX-License-Identifier: ISC */
/*
 * frame.h - writes flattened resources as the CSV of Perun's table, the result of
 * resources_to_pandas_dataframe(PROFILE).to_csv(index=False) with pandas 1.5.
 *
 * The spelling of a number depends on all values of its column, so resources wait in a temporary
 * file.
 */
#ifndef AFPIPE_PERUN_FRAME_H
#define AFPIPE_PERUN_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/spool.h"
#include "lib/out.h"
#include "lib/tab.h"
#include "src/perun/flat.h"

#define FRAME_COLUMNS_MAX 16384
#define FRAME_NAMES_MAX ((size_t)4 * 1024 * 1024) /* bytes of all their names */

/* The state of a column, from its values so far. */
struct frame_column {
	unsigned seen; /* enum frame_seen */
	uint64_t values, row; /* number of values, and the resource of the last one */
	uint32_t cell; /* of that resource */
};

/* A value of the current resource, or in the file. */
struct frame_cell {
	struct slice value;
	uint32_t column;
	uint8_t kind; /* enum jscan_kind */
};

/* { 0 } is empty. */
struct frame {
	struct tab names;
	size_t names_len;
	struct frame_column *column;
	size_t column_cap;
	struct frame_column snapshots; /* the column of the snapshot, not a member of resources */
	struct frame_cell *cell;
	size_t cells, cell_cap;
	uint64_t rows; /* number of all resources, those left out included */
	struct spool rest;
	bool refused; /* no table can be made: further resources are skipped */
};

void frame_free(struct frame *f);

/*
 * Adds a resource, and the number of its snapshot.  ERR_DATA: Perun or pandas would raise an
 * exception; ERR_SYS.
 */
int frame_add(struct frame *f, const struct flat *flat, const struct frame_cell *snapshot,
    struct err *e) __attribute__((warn_unused_result));

/* After the last: writes all.  ERR_DATA: pandas would raise an exception; ERR_SYS. */
int frame_write(struct frame *f, struct out *o, struct err *e) __attribute__((warn_unused_result));

#endif
