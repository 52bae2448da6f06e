/* SPDX-License-Identifier: ISC */
/* convint.h - shared by the parts of a conversion. */
#ifndef AFPIPE_PERUN_WRITE_CONVINT_H
#define AFPIPE_PERUN_WRITE_CONVINT_H

#include "lib/evsort.h"
#include "src/perun/write/convert.h"
#include "src/perun/flat.h"
#include "src/perun/value.h"

#define PATH_MAX_TOKENS 6
#define SNAPSHOTS_MAX 1000000 /* numbers of snapshots are below that */
#define NO_SNAPSHOT UINT64_MAX

/* The tokens of a pointer, in its spelling. */
struct path {
	struct slice token[PATH_MAX_TOKENS];
	size_t n; /* PATH_MAX_TOKENS: that many or more */
};

static inline bool
path_is(const struct path *p, size_t i, const char *name)
{
	return i < p->n && slice_eq(p->token[i], slice_of(name));
}

enum convert_left {
	LEFT_MEMBERS, /* of a snapshot or global */
	LEFT_MODELS, /* of snapshots, or of global if there are others */
	LEFT_SAME, /* resources without own members, which become one */
	LEFT_OWN, /* a resource's own snapshot or time, where the snapshot's is used */
	KEPT_TIMES, /* a resource's time that is not its snapshot's */
	LEFTS
};

/* A member of a resource that all resources of its type have. */
struct tomap_pair {
	struct slice name; /* bytes */
	size_t at; /* its start */
	struct jdict_member m;
};

/* Converts an older profile to a map of resources. */
struct tomap {
	struct tab identities; /* of types: 16 bytes each */
	struct tab uids; /* names of types without #N */
	uint32_t *uses; /* by uid: number of types with it */
	size_t uses_cap;
	struct evsort *types, *cells;
	struct buf times, global_time; /* JSON; times: one of each snapshot so far, each with LF */
	struct buf time; /* of the current snapshot */
	bool in_snapshot, has_resources, has_time;
	uint64_t index, snapshots; /* the current one: number in the document; count from 0 */
	bool in_global, global_members, global_resources;
	bool has_models; /* at the top */
	struct tomap_pair *pair; /* persistent members of the current resource */
	size_t pairs, pair_cap;
	uint64_t seed;
};

/* Converts a map of resources to snapshots. */
struct tosnap {
	struct tab names; /* of types */
	struct evsort *rows, *resources;
	struct buf type; /* persistent members of the current type, without its brackets */
	struct buf time; /* its time, JSON, or empty; then that of the current snapshot */
	uint64_t number; /* of the type */
	bool has_type, bad_type;
	uint64_t snapshot; /* the one it belongs to, or NO_SNAPSHOT */
};

struct convert {
	struct doc *d;
	enum convert_to to;
	bool converted, passed; /* parts of one format, and of the other */
	unsigned stage; /* of the end */
	bool second; /* another document has begun, which was reported: its parts are skipped */
	bool list; /* resources at the top are a list */
	struct jvalue v, uid;
	struct flat flat;
	struct jdict members;
	struct buf text, name, spelled, line; /* scratch */
	struct evsort *models;
	uint64_t model; /* how many */
	uint64_t left[LEFTS];
	struct tomap map;
	struct tosnap snap;
};

/* convert.c */

/* Keeps a text, to be returned in the order of KEY, with NUMBER. */
int conv_keep(struct convert *c, struct evsort **s, struct wide key, uint64_t number,
    struct slice text, struct err *e);

/* The next of them; *text.p is NULL at the end.  *s may be NULL for none. */
int conv_next(struct evsort *s, uint64_t *number, struct slice *text, struct err *e);

/* Appends a token to a pointer: ~ and / are escaped. */
bool conv_token(struct buf *pointer, struct slice name) __attribute__((warn_unused_result));

/* Appends the JSON of a token of c->v to *b, in the document's spelling. */
bool conv_spell(struct convert *c, uint32_t token, struct buf *b)
    __attribute__((warn_unused_result));

/* Writes the list of the kept models, at POINTER. */
int conv_put_models(struct convert *c, struct slice pointer, struct err *e);

/* The text of a token of v. */
static inline struct slice
conv_text(const struct jvalue *v, uint32_t token)
{
	const struct jscan_token *k = &v->j.token[token];
	uint32_t quote = k->kind == JSCAN_STRING;

	return (struct slice){ v->j.text + k->off - quote, k->len + 2 * quote };
}

/* Is it a value that Python's for loop accepts and finds empty? */
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

/* Writes a resource to its snapshot; *more: there are others. */
int tosnap_next(struct convert *c, bool *more, struct err *e);
int tosnap_end(struct convert *c, struct err *e);

#endif
