/* SPDX-License-Identifier: ISC */
/*
 * heap.h - the maps of allocations that Perun draws (profile/convert.py: to_heap_map_format,
 * to_heat_map_format), from a stream of perundec, for query.c.
 *
 *	h = heap_open(&out, what, compat, &e);
 *	for each line heap_line(h, &ev, &e);
 *	heap_end(h, &e);
 *
 * The result is one line of JSON, spelled as by json.dumps.  A heap map is written snapshot by
 * snapshot.  Memory is needed for one snapshot, the allocated blocks and the distinct uids.  A heat
 * map has at most a million cells, and resources wait in a temporary file.
 */
#ifndef AFPIPE_PERUN_HEAP_H
#define AFPIPE_PERUN_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

enum heap_what {
	HEAP_MAP, /* the allocated blocks in each snapshot */
	HEAP_HEAT, /* how often each address was allocated */
};

struct heap;

/* Begins a map.  o is borrowed.  Returns NULL when memory runs out. */
struct heap *heap_open(struct out *o, enum heap_what what, bool compat, struct err *e);
void heap_close(struct heap *h);

/*
 * Processes a line.  Returns ERR_DATA if Perun would raise an exception at this line.  The output
 * so far is then not a complete document and must not be continued.  Returns ERR_SYS if memory runs
 * out or the temporary file fails.
 */
int heap_line(struct heap *h, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes the rest of the document, after the last line.  Errors are as above. */
int heap_end(struct heap *h, struct err *e) __attribute__((warn_unused_result));

/* Reports omissions, one text per call.  Start with *at = 0.  Returns false at the end. */
bool heap_note(const struct heap *h, size_t *at, char *text, size_t size);

#endif
