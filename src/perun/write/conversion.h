/* SPDX-License-Identifier: ISC */
/* conversion.h - shared by the parts of a conversion. */
#ifndef AFPIPE_PERUN_WRITE_CONVERSION_H
#define AFPIPE_PERUN_WRITE_CONVERSION_H

#include "src/perun/flat.h"
#include "src/perun/place.h"
#include "src/perun/sorted.h"
#include "src/perun/write/doc.h"

#define SNAPSHOTS_MAX 1000000 /* numbers of snapshots are below this */
#define NO_SNAPSHOT UINT64_MAX
#define SORT_MEMORY (EVSORT_MEMORY / 4)

enum convert_left {
	LEFT_MEMBERS, /* members of a snapshot or of global */
	LEFT_MODELS, /* models of snapshots, or of global if there are others */
	LEFT_SAME, /* resources without members of their own, which are merged */
	LEFT_OWN, /* a resource's own snapshot or time, replaced by the snapshot's */
	KEPT_TIMES, /* a resource's time that differs from the time of its snapshot */
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
	struct tab uids; /* the names of types, without #N */
	uint32_t *uses; /* by uid: number of types with it */
	size_t uses_cap;
	struct sorted types, cells;
	/* JSON; times contains the time of each snapshot so far, followed by an LF */
	struct buf times, global_time;
	struct buf time; /* of the current snapshot */
	bool in_snapshot, has_resources;
	/* the current snapshot's number in the document, and the number of snapshots so far */
	uint64_t index, snapshots;
	bool global_members, global_resources;
	bool has_models; /* the document itself has models */
	struct tomap_pair *pair; /* persistent members of the current resource */
	size_t pairs, pair_cap;
	uint64_t seed;
};

/* Converts a map of resources to snapshots. */
struct tosnap {
	struct tab names; /* of types */
	struct sorted rows, resources;
	struct buf type; /* persistent members of the current type, without its brackets */
	/* the time of the type as JSON, or empty; then the time of the current snapshot */
	struct buf time;
	uint64_t number; /* of the type */
	bool has_type, bad_type;
	uint64_t snapshot; /* the snapshot of the type, or NO_SNAPSHOT */
};

struct convert {
	struct doc *d;
	bool to_map; /* otherwise to snapshots */
	/* there were parts in the source format, and parts already in the target format */
	bool converted, passed;
	unsigned stage; /* the stage of convert_end */
	bool second; /* a second document has begun, which was reported; its parts are skipped */
	bool list; /* the document's resources are a list */
	struct jvalue v, uid;
	struct flat flat;
	struct jdict members;
	struct buf text, name, spelled; /* scratch */
	struct sorted models;
	uint64_t model; /* number of models */
	uint64_t left[LEFTS];
	struct tomap map;
	struct tosnap snap;
};

/* convert.c */

/* Appends the JSON of a token of c->v to *b, in the spelling of the document. */
bool conv_spell(struct convert *c, uint32_t token, struct buf *b)
    __attribute__((warn_unused_result));

/* Keep a model, and write the list of all kept models at POINTER. */
int conv_keep_model(struct convert *c, struct slice json, uint64_t number, struct err *e);
int conv_put_models(struct convert *c, const char *pointer, struct err *e);

/* tomap.c */
void tomap_free(struct tomap *m);
int tomap_container(struct convert *c, const struct place *p, struct err *e);
int tomap_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e);
/* Checks the document at the end.  Call it before tomap_end. */
int tomap_check(struct convert *c, struct err *e);
int tomap_end(struct convert *c, struct err *e);

/* tosnap.c */
void tosnap_free(struct tosnap *s);
int tosnap_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e);

/* Writes a resource to its snapshot.  *more is set if there are others. */
int tosnap_next(struct convert *c, bool *more, struct err *e);
int tosnap_end(struct convert *c, struct err *e);

#endif
