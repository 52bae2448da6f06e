/* SPDX-License-Identifier: ISC */
/*
 * resolve.h - puts the names of the places in a line's frames tag into the line.
 *
 * A place is MODE:OBJECT[@IDENTITY]+0xOFFSET, with "-1" after a return address; see frames in
 * afstream(5).  Each place is looked up once, and so is each object.
 */
#ifndef AFPIPE_SYMBOL_RESOLVE_H
#define AFPIPE_SYMBOL_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"
#include "lib/symbolizer.h"

struct resolver;

/* The symbolizer is borrowed.  Returns NULL if memory runs out. */
struct resolver *resolver_open(const struct symbolizer *symbolizer);
void resolver_close(struct resolver *r);

/* Passes on the tags that names depend on. */
void resolver_reads(ev_key_sink *sink, void *ctx);

/*
 * Writes the line with the names of its places, as perfdec writes it if it can look them up itself.
 * A place without a name keeps the one that the line has.  Lines without a frames tag are copied.
 * Lines of kind origin are used and not written.  Returns ERR_DATA if the tag is malformed; the
 * line is then not written.  If memory runs out, sets the writer's error.
 */
int resolver_line(struct resolver *r, const struct ev *ev, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

/* Does the same without writing, for the objects that the symbolizer then misses. */
int resolver_only_look_up(struct resolver *r, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns ERR_DATA for a line that is a result of places, and else 0.  Names would not merge its
 * groups, so there is no point in reading on.
 */
int resolver_check(const struct ev *ev, struct err *e) __attribute__((warn_unused_result));

/* Stores the next note about samples without places.  Returns false at the end. */
bool resolver_note(const struct resolver *r, size_t *at, char *text, size_t size);

/* Gives the symbolizer the number of samples without a name in each object. */
void resolver_report_unnamed(struct resolver *r);

#endif
