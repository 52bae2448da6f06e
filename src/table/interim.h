/* SPDX-License-Identifier: ISC */
/*
 * interim.h - the interim results of afagg --every, each with a heading: on a terminal it replaces
 * the one before, elsewhere it follows it.
 *
 *	struct interim x = { .final = table, .view = &view, .out = &o };
 *	interim_begin(&x, &e), interim_line(&x, &ev, &e) for its lines, interim_end(&x, n, &e)
 *	interim_final(&x);				before the tables of the final result
 *	interim_close(&x);
 *
 * The functions fit into struct evread_interim.
 */
#ifndef AFPIPE_TABLE_INTERIM_H
#define AFPIPE_TABLE_INTERIM_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/table/table.h"

/* All three pointers are borrowed. */
struct interim {
	struct table *final; /* of the final result, which gets the measure lines */
	const struct table_view *view;
	struct out *out; /* on standard output */
	uint64_t shown; /* number of interim results so far */
	struct table *table; /* internal: NULL outside an interim result */
};

/* Begin a result, add a line, and print the result.  Fail only if memory runs out. */
int interim_begin(void *x, struct err *e);
int interim_line(void *x, const struct ev *ev, struct err *e);
int interim_end(void *x, uint64_t number, struct err *e);

/* Writes the heading of the final result, unless there was no interim one. */
void interim_final(struct interim *x);

void interim_close(struct interim *x);

#endif
