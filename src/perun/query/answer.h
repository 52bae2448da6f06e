/* SPDX-License-Identifier: ISC */
/* answer.h - what a query answers for one resource or model. */
#ifndef AFPIPE_PERUN_QUERY_ANSWER_H
#define AFPIPE_PERUN_QUERY_ANSWER_H

#include "lib/buf.h"
#include "lib/json/jvalue.h"
#include "lib/out.h"
#include "lib/tab.h"
#include "src/perun/flat.h"
#include "src/perun/query/pandas.h"
#include "src/perun/query/what.h"
#include "src/perun/sorted.h"

/* The options of a query, and what it remembers of earlier resources and models. */
struct answer {
	struct out *o;
	enum query_what what;
	struct slice key;
	bool compat;
	bool newer; /* a map of resources: the rules of Perun's newer code */

	struct jvalue v;
	struct flat flat;
	uint32_t *found; /* tokens, of the values at the key */
	size_t n_found, found_cap;
	bool into_scalar; /* the key led into a scalar, or a name into a list that has it */
	bool no_memory;
	struct buf text, identity; /* scratch */
	struct tab seen; /* fields, or identities of values */
	uint8_t *state; /* of each field: enum field_state */
	size_t state_cap;
	uint64_t models;
	struct pandas table;
	struct sorted order; /* QUERY_FLAME: lines of later snapshots */
	bool any; /* QUERY_FLAME: there has been a resource */
};

bool answer_open(struct answer *a) __attribute__((warn_unused_result));
void answer_close(struct answer *a);

/* One resource of that snapshot; with newer the resource itself gives its snapshot. */
int answer_resource(struct answer *a, uint64_t snapshot, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* One model. */
int answer_model(struct answer *a, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* The results known only at the end. */
int answer_end(struct answer *a, struct err *e) __attribute__((warn_unused_result));

/* True for a query of resources, false for one of models. */
static inline bool
answer_wants_resources(const struct answer *a)
{
	return a->what < QUERY_MODELS;
}

#endif
