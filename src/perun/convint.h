/* SPDX-License-Identifier: ISC */
/* convint.h - what the parts of a conversion share. */
#ifndef AFPIPE_PERUN_CONVINT_H
#define AFPIPE_PERUN_CONVINT_H

#include "lib/evsort.h"
#include "src/perun/convert.h"
#include "src/perun/flat.h"
#include "src/perun/value.h"

#define PATH_MAX_TOKENS 6
#define SNAPSHOTS_MAX 1000000 /* numbers of snapshots are below that */
#define NO_SNAPSHOT UINT64_MAX

/* A pointer's tokens, as they are spelled in it. */
struct path {
	struct slice token[PATH_MAX_TOKENS];
	size_t n; /* PATH_MAX_TOKENS: so many or more */
};

static inline bool
path_is(const struct path *p, size_t i, const char *name)
{
	return i < p->n && slice_eq(p->token[i], slice_of(name));
}

enum convert_left {
	LEFT_MEMBERS, /* of a snapshot or global */
	LEFT_MODELS, /* of snapshots, or of global where there are others */
	LEFT_SAME, /* resources that are all type, and so one */
	LEFT_OWN, /* a resource's own snapshot or time, where the snapshot's counts */
	KEPT_TIMES, /* a resource's time that is not its snapshot's */
	LEFTS
};

/* A member of a resource that all of its type have. */
struct tomap_pair {
	struct slice name; /* bytes */
	size_t at; /* where it begins */
	struct member m;
};

/* An older profile to a map of resources. */
struct tomap {
	struct tab identities; /* of types: 16 bytes each */
	struct tab uids; /* names of types without #N */
	uint32_t *uses; /* of each uid: so many types */
	size_t uses_cap;
	struct evsort *types, *cells;
	struct buf times, global_time; /* JSON; times: one of each snapshot so far, each with LF */
	struct buf time; /* of the snapshot at hand */
	bool in_snapshot, has_resources, has_time;
	uint64_t index, snapshots; /* the one at hand: in the document; from 0 */
	bool in_global, global_members, global_resources;
	bool has_models; /* at the top */
	struct tomap_pair *pair; /* persistent members of the resource at hand */
	size_t pairs, pair_cap;
	uint64_t seed;
};

/* A map of resources to snapshots. */
struct tosnap {
	struct tab names; /* of types */
	struct evsort *rows, *resources;
	struct buf type; /* persistent members of the type at hand, without its brackets */
	struct buf time; /* its time, JSON, or empty; then that of the snapshot at hand */
	uint64_t number; /* of the type */
	bool has_type, bad_type;
	uint64_t snapshot; /* where it belongs, or NO_SNAPSHOT */
};

struct convert {
	struct docwrite *d;
	enum convert_to to;
	bool converted, passed; /* parts of the one format, and of the other */
	unsigned stage; /* of the end */
	bool second; /* another document has begun, which was said: its parts are passed over */
	bool list; /* resources at the top are a list */
	struct value v, uid;
	struct flat flat;
	struct members members;
	struct buf text, name, spelled, line; /* scratch */
	struct evsort *models;
	uint64_t model; /* so many */
	uint64_t left[LEFTS];
	struct tomap map;
	struct tosnap snap;
};

/* convert.c */

/* A text to be had again in the order of KEY, with NUMBER. */
int conv_keep(struct convert *c, struct evsort **s, struct wide key, uint64_t number,
    struct slice text, struct err *e);

/* The next of them; *text.p is NULL at the end.  *s may be NULL for none. */
int conv_next(struct evsort *s, uint64_t *number, struct slice *text, struct err *e);

/* Appends a token to a pointer: ~ and / are escaped. */
bool conv_token(struct buf *pointer, struct slice name) __attribute__((warn_unused_result));

/* The JSON of a token of c->v as the document spells it, appended to *b. */
bool conv_spell(struct convert *c, uint32_t token, struct buf *b)
    __attribute__((warn_unused_result));

/* The list of models that were kept, at POINTER. */
int conv_put_models(struct convert *c, struct slice pointer, struct err *e);

/* The text of a token of v. */
static inline struct slice
conv_text(const struct value *v, uint32_t token)
{
	const struct jscan_token *k = &v->j.token[token];
	uint32_t quote = k->kind == JSCAN_STRING;

	return (struct slice){ v->j.text + k->off - quote, k->len + 2 * quote };
}

/* What Python's for goes through without a word, and finds nothing in. */
static inline bool
conv_is_nothing(struct slice json)
{
	return slice_eq(json, SLICE("{}")) || slice_eq(json, SLICE("[]")) ||
	    slice_eq(json, SLICE("\"\""));
}

/* tomap.c */
void tomap_free(struct tomap *m);
int tomap_container(struct convert *c, const struct path *p, char bracket, struct err *e);
int tomap_value(struct convert *c, const struct path *p, struct slice json, uint64_t number,
    struct err *e);
int tomap_check(struct convert *c, struct err *e); /* at the end, before the following */
int tomap_end(struct convert *c, struct err *e);

/* tosnap.c */
void tosnap_free(struct tosnap *s);
int tosnap_container(struct convert *c, const struct path *p, struct err *e);
int tosnap_value(struct convert *c, const struct path *p, struct slice json, uint64_t number,
    struct err *e);

/* A resource goes to its snapshot; *more: there are others. */
int tosnap_next(struct convert *c, bool *more, struct err *e);
int tosnap_end(struct convert *c, struct err *e);

#endif
