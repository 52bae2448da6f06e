/* SPDX-License-Identifier: ISC */
/* parts.h - shared by the files of src/perfdata/state; private to them. */
#ifndef AFPIPE_PERFDATA_STATE_PARTS_H
#define AFPIPE_PERFDATA_STATE_PARTS_H

#include "src/perfdata/state/state.h"

/* ---- jitted.c */

/* A result for an address in JIT memory, valid for a process and a span of time. */
struct jitted {
	uint64_t serial; /* of the process's list of dumps */
	struct dso *dso; /* NULL if the slot is free */
	struct sym_code code;
	struct jitdump *dump; /* the one that lists the code, or NULL */
	bool named; /* the frame is known, for its range of addresses */
	struct frame frame;
};

static inline struct span
span_intersection(struct span a, struct span b)
{
	return (struct span){ a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to };
}

/*
 * Returns the code that the jitdumps of the current sample's process list at ip, an address in JIT
 * memory, at its time.  Valid until the next call.  Returns NULL if memory runs out.
 */
struct jitted *jitted_at(struct state *s, struct dso *dso, uint64_t ip);

/* Returns the symbols of the JIT map of the object's process, or NULL. */
const struct symtab *jitted_symbols(struct state *s, struct dso *o);

/* Finds out how to unwind code in JIT memory.  Code that nothing lists is not known. */
void jitted_unwind(struct state *s, struct dso *dso, uint64_t ip, struct unwind_object *o);

#endif
