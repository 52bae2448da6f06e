/* SPDX-License-Identifier: ISC */
/*
 * place.h - the places in a Perun profile: what a name in a container, or a JSON pointer, means.
 *
 *	{ NAME: VALUE...,
 *	  "snapshots": [ { NAME: VALUE..., "resources": [...], "models": [...] }... ],
 *	  "global": { NAME: VALUE..., "resources": [...], "models": [...] },
 *	  "resources": { TYPE: { NAME: [VALUE...]... }... },	(very old ones have a list)
 *	  "resource_type_map": { TYPE: {...}... },
 *	  "models": [...] }
 */
#ifndef AFPIPE_PERUN_PLACE_H
#define AFPIPE_PERUN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"

enum place_kind {
	PLACE_DOCUMENT,
	PLACE_SNAPSHOTS,
	PLACE_SNAPSHOT,
	PLACE_GLOBAL,
	PLACE_RESOURCES, /* a list of them */
	PLACE_RESOURCE,
	PLACE_MODELS,
	PLACE_MODEL,
	PLACE_MAP, /* resources of the document: a map of types */
	PLACE_TYPE, /* of the map: its lists; or, where they are a list, a resource */
	PLACE_ROW, /* /resources/TYPE/INDEX: the values of a resource, one from each list */
	PLACE_COMMONS, /* resource_type_map */
	PLACE_COMMON, /* what all resources of a type have */
	PLACE_MEMBER, /* any other member of the document, a snapshot or global */
	PLACE_ELEMENT, /* inside a PLACE_MEMBER */
	PLACE_DEEPER, /* in a resource, a model, what a type has in common, or an element */
	PLACES
};

/*
 * The place of NAME, or of an index, in a container.  FIRST is the first byte of the value there,
 * which distinguishes a map from a list, or '\0' if it is not known.
 */
enum place_kind place_within(enum place_kind container, struct slice name, char first);

struct place {
	struct slice pointer;
	enum place_kind kind;
	enum place_kind top; /* the member of the document that it is, or that contains it */
	struct slice snapshot; /* in a snapshot: its index, as it is spelled */
	struct slice list; /* the name of the list or type that contains it, as in the pointer */
	struct slice name; /* the last name or index, as it is spelled in the pointer */
};

/* POINTER must outlive the place.  For text that is not a pointer, the kind is PLACE_DEEPER. */
struct place place_of(struct slice pointer);

/* False if the last name is not an index. */
bool place_index(const struct place *p, uint64_t *index);

/* False if it is not in a snapshot, or if the snapshot has no index. */
bool place_snapshot(const struct place *p, uint64_t *index);

/* The bracket of the container that Perun has at that place: '{', '[', or 0 for any value. */
char place_bracket(enum place_kind kind);

/* Does Python's for loop accept it?  It must be a list, the bracket of one, or empty. */
bool place_is_list(struct slice json);

/* Does the loop accept it and find no elements? */
bool place_is_nothing(struct slice json);

/* ERR_DATA: the value at the place has the wrong form. */
int place_refuse(const struct place *p, struct err *e);

#endif
