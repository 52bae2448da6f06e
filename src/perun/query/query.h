/* SPDX-License-Identifier: ISC */
/*
 * query.h - computes Perun's results for a profile from a stream of perundec: its queries
 * (profile/query.py) and its conversions (profile/convert.py).  For filters/perunquery.c.
 *
 *	q = query_open(&out, what, key, compat, &e);
 *	for each line query_line(q, &ev, &e);
 *	while (query_rest(q, &rc, &e)) report e if rc is not 0;
 *	while (query_note(q, &at, text, sizeof text)) report text;
 *
 * Most results are lines of JSON, spelled as by json.dumps.
 */
#ifndef AFPIPE_PERUN_QUERY_QUERY_H
#define AFPIPE_PERUN_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/perun/query/what.h"

struct query;

/*
 * Begins a query.  o and KEY (NULL if none is needed) are borrowed.  Returns NULL when memory runs
 * out.
 */
struct query *query_open(struct out *o, enum query_what what, const char *key, bool compat,
    struct err *e);
void query_close(struct query *q);

/*
 * Processes a line.  Returns ERR_DATA if Perun would raise an exception at this line.  Further
 * lines may follow, except for QUERY_HEAP and QUERY_HEAT, whose document is then incomplete and
 * must not be continued.  Returns ERR_SYS if memory runs out or the temporary file fails.
 */
int query_line(struct query *q, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes the results that had to wait.  Call it after the last line, until it returns false.  Each
 * call may fail at one resource (*rc and *e).
 */
bool query_rest(struct query *q, int *rc, struct err *e);

/*
 * Reports missing members, repeated members and omissions, one text per call, after the end.  Start
 * with *at = 0.  Returns false at the end.
 */
bool query_note(const struct query *q, size_t *at, char *text, size_t size);

#endif
