/* SPDX-License-Identifier: ISC */
/* answer.h - the answer of a query for one resource or model. */
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

/* The options of a query, and the state kept from earlier resources and models. */
struct answer {
	struct out *o;
	enum query_what what;
	struct slice key;
	bool compat;
	bool newer; /* the rules of newer Perun versions apply, because resources are a map */

	struct jvalue v;
	struct flat flat;
	uint32_t *found; /* tokens of the values at the key */
	size_t n_found, found_cap;
	bool sought, has_key; /* a value, and a value with the key, has been there */
	/* the key led into a scalar, or a name led into a list that contains the name */
	bool into_scalar;
	bool no_memory;
	struct buf text, identity; /* scratch */
	struct tab seen; /* fields, identities of values, or measures, for QUERY_FLAME */
	uint8_t *state; /* enum field_state of each field */
	size_t state_cap;
	uint64_t models;
	struct pandas table;
	struct sorted order; /* lines of later snapshots, for QUERY_FLAME */
	bool any; /* there has been a resource, for QUERY_FLAME */
	uint64_t frameless; /* number of resources without frames, which give no line, likewise */
};

bool answer_open(struct answer *a) __attribute__((warn_unused_result));
void answer_close(struct answer *a);

/*
 * Answers for one resource of the snapshot.  If newer is set, the resource itself gives its
 * snapshot.
 */
int answer_resource(struct answer *a, uint64_t snapshot, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* Answers for one model. */
int answer_model(struct answer *a, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* Writes the results that are known only at the end. */
int answer_end(struct answer *a, struct err *e) __attribute__((warn_unused_result));

/* Writes a note if a flame graph of the lines would add up several measures, or returns false. */
bool answer_note(const struct answer *a, char *text, size_t size);

/* Returns true for a query of resources, false for a query of models. */
static inline bool
answer_wants_resources(const struct answer *a)
{
	return a->what < QUERY_MODELS;
}

#endif
