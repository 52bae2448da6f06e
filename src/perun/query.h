/* SPDX-License-Identifier: ISC */
/*
 * query.h - Perun's queries (profile/query.py) over a stream of perundec, as lines of JSON
 * spelled as by json.dumps, and its table of resources; for filters/afquery.c and csvenc.c.
 *
 *	q = query_open(&out, what, key, compat, &e);
 *	for each line query_line(q, &ev, &e);
 *	while (query_rest(q, &rc, &e)) report e if rc is not 0;
 */
#ifndef AFPIPE_PERUN_QUERY_H
#define AFPIPE_PERUN_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

enum query_what {
	QUERY_RESOURCES, /* all_resources_of: [SNAPSHOT, RESOURCE] */
	QUERY_ITEMS, /* all_items_of: [[KEY, VALUE], ...] of each resource */
	QUERY_FIELDS, /* all_resource_fields_of */
	QUERY_NUMERIC, /* all_numerical_resource_fields_of, sorted */
	QUERY_FRAME, /* resources_to_pandas_dataframe: a CSV table */
	QUERY_KEYS, /* all_key_values_of KEY: an array of each resource */
	QUERY_VALUES, /* unique_resource_values_of KEY */
	QUERY_FLAME, /* to_flame_graph_format: not JSON, but lines of frames and the amount */
	QUERY_MODELS, /* all_models_of: [NUMBER, MODEL] */
	QUERY_MODEL_VALUES, /* unique_model_values_of KEY */
	QUERY_PLOT, /* plot_data_from_coefficients_of: [NUMBER, MODEL with points] */
};

struct query;

/* NULL without memory.  o and KEY (NULL if none is needed) are borrowed. */
struct query *query_open(struct out *o, enum query_what what, const char *key, bool compat,
    struct err *e);
void query_close(struct query *q);

/*
 * Takes a line.  ERR_DATA: Perun would raise an exception; the place is the line.  Further lines
 * may still be given.  ERR_SYS: memory or the temporary file failed.
 */
int query_line(struct query *q, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * After the last line: writes what had to wait.  Until it returns false each call may have failed
 * at one resource (*rc and *e).
 */
bool query_rest(struct query *q, int *rc, struct err *e);

/*
 * After the end of QUERY_FLAME: what the profile lacks, so that there is no line, or NULL.  With
 * compat it has been an error.
 */
const char *query_missing(const struct query *q);

/*
 * After the end: a text of the members that the query uses and that occur twice in the document;
 * false if there are none.  With compat each has been an error.
 */
bool query_repeats(const struct query *q, char *text, size_t size);

/* The number of lines that are not part of a profile. */
uint64_t query_left_out(const struct query *q);

#endif
