/* SPDX-License-Identifier: ISC */
/*
 * pandas.h - writes flattened resources as the CSV of Perun's table, which is the result of
 * resources_to_pandas_dataframe(PROFILE).to_csv(index=False) with pandas 1.5.
 *
 * The spelling of a number depends on all values of its column, so resources wait in a temporary
 * file.
 */
#ifndef AFPIPE_PERUN_QUERY_PANDAS_H
#define AFPIPE_PERUN_QUERY_PANDAS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/out.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "src/perun/flat.h"

#define PANDAS_COLUMNS_MAX 16384
#define PANDAS_NAMES_MAX ((size_t)4 * 1024 * 1024) /* bytes of all names of columns */

/* The state of a column, from its values so far. */
struct pandas_column {
	unsigned seen; /* enum pandas_seen */
	uint64_t values, row; /* number of values, and the resource of the last one */
	uint32_t cell; /* its cell in that resource */
};

/* A value of the current resource, or of a resource in the file. */
struct pandas_cell {
	struct slice value;
	uint32_t column;
	uint8_t kind; /* enum jscan_kind */
};

/* { 0 } is an empty table. */
struct pandas {
	struct tab names;
	size_t names_len;
	struct pandas_column *column;
	size_t column_cap;
	struct pandas_column snapshots; /* the column of the snapshot, not a member of resources */
	struct pandas_cell *cell;
	size_t cells, cell_cap;
	uint64_t rows; /* number of all resources, including those left out */
	struct spool rest;
	bool refused; /* no table can be made, so further resources are skipped */
};

void pandas_free(struct pandas *t);

/*
 * Adds a resource and the number of its snapshot.  Returns ERR_DATA if Perun or pandas would raise
 * an exception.  Fails with ERR_SYS, too.
 */
int pandas_add(struct pandas *t, const struct flat *flat, const struct pandas_cell *snapshot,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes the table, after the last resource.  Returns ERR_DATA if pandas would raise an exception.
 * Fails with ERR_SYS, too.
 */
int pandas_write(struct pandas *t, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

#endif
