/* SPDX-License-Identifier: ISC */
/*
 * query.h - what Perun computes from a profile, from a stream of perundec: its queries
 * (profile/query.py) and its conversions (profile/convert.py); for filters/perunquery.c.
 *
 *	q = query_open(&out, what, key, compat, &e);
 *	for each line query_line(q, &ev, &e);
 *	while (query_rest(q, &rc, &e)) report e if rc is not 0;
 *	while (query_note(q, &at, text, sizeof text)) report text;
 *
 * Most results are lines of JSON, spelled as by json.dumps.
 */
#ifndef AFPIPE_PERUN_QUERY_H
#define AFPIPE_PERUN_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

enum query_what {
	QUERY_RESOURCES, /* all_resources_of: [SNAPSHOT, RESOURCE] */
	QUERY_ITEMS, /* all_items_of: [[KEY, VALUE], ...] of each resource */
	QUERY_FIELDS, /* all_resource_fields_of */
	QUERY_NUMERIC, /* all_numerical_resource_fields_of, sorted */
	QUERY_FRAME, /* resources_to_pandas_dataframe: not JSON, but a CSV table */
	QUERY_KEYS, /* all_key_values_of KEY: an array of each resource */
	QUERY_VALUES, /* unique_resource_values_of KEY */
	QUERY_FLAME, /* to_flame_graph_format: not JSON, but lines of frames and the amount */
	QUERY_MODELS, /* all_models_of: [NUMBER, MODEL] */
	QUERY_MODEL_VALUES, /* unique_model_values_of KEY */
	QUERY_PLOT, /* plot_data_from_coefficients_of: [NUMBER, MODEL with points] */
	QUERY_HEAP, /* to_heap_map_format: one line of JSON */
	QUERY_HEAT, /* to_heat_map_format: one line of JSON */
};

struct query;

/* NULL without memory.  o and KEY (NULL if none is needed) are borrowed. */
struct query *query_open(struct out *o, enum query_what what, const char *key, bool compat,
    struct err *e);
void query_close(struct query *q);

/*
 * Takes a line.  ERR_DATA: Perun would raise an exception; the place is the line.  Further lines
 * may still be given, except to QUERY_HEAP and QUERY_HEAT: their document is incomplete and must
 * not be continued.  ERR_SYS: memory or the temporary file failed.
 */
int query_line(struct query *q, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * After the last line: writes what had to wait.  Until it returns false each call may have failed
 * at one resource (*rc and *e).
 */
bool query_rest(struct query *q, int *rc, struct err *e);

/*
 * After the end: reports what is missing, appears twice or was left out, one text per call; false
 * after the last.  Start with *at = 0.
 */
bool query_note(const struct query *q, size_t *at, char *text, size_t size);

#endif
