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
#ifndef AFPIPE_PERUN_QUERY_QUERY_H
#define AFPIPE_PERUN_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/perun/query/what.h"

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
