/* SPDX-License-Identifier: ISC */
/*
 * place.h - the places in a Perun profile: the meaning of a name in a container, or of a JSON
 * pointer.
 *
 *	{ NAME: VALUE...,
 *	  "snapshots": [ { NAME: VALUE..., "resources": [...], "models": [...] }... ],
 *	  "global": { NAME: VALUE..., "resources": [...], "models": [...] },
 *	  "resources": { TYPE: { NAME: [VALUE...]... }... },	(a list in very old profiles)
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
	PLACE_RESOURCES, /* a list of resources */
	PLACE_RESOURCE,
	PLACE_MODELS,
	PLACE_MODEL,
	PLACE_MAP, /* the resources of the document, as a map of types */
	/* a type of the map, with its lists, or a resource if resources are a list */
	PLACE_TYPE,
	PLACE_ROW, /* /resources/TYPE/INDEX, the values of a resource, one from each list */
	PLACE_COMMONS, /* resource_type_map */
	PLACE_COMMON, /* the members that all resources of a type have in common */
	PLACE_MEMBER, /* any other member of the document, a snapshot or global */
	PLACE_ELEMENT, /* inside a PLACE_MEMBER */
	PLACE_DEEPER, /* inside a resource, a model, the common members of a type, or an element */
	PLACES
};

/*
 * Returns the kind of place of NAME, which may be an index, in a container.  FIRST is the first
 * byte of the value there, which distinguishes a map from a list, or '\0' if it is not known.
 */
enum place_kind place_within(enum place_kind container, struct slice name, char first);

struct place {
	struct slice pointer;
	enum place_kind kind;
	enum place_kind top; /* the member of the document that is the place, or contains it */
	struct slice snapshot; /* in a snapshot: the index of the snapshot, as it is spelled */
	/* the name of the list or type that contains the place, as in the pointer */
	struct slice list;
	struct slice name; /* the last name or index, as it is spelled in the pointer */
};

/*
 * Returns the place of a pointer, which must outlive it.  The place of any other text is of kind
 * PLACE_DEEPER.
 */
struct place place_of(struct slice pointer);

/* Gets the index.  Returns false if the last name is not an index. */
bool place_index(const struct place *p, uint64_t *index);

/*
 * Gets the index of the snapshot.  Returns false if the place is not in a snapshot, or the snapshot
 * has no index.
 */
bool place_snapshot(const struct place *p, uint64_t *index);

/*
 * Returns the bracket of the container that Perun stores at such a place: '{', '[', or 0 for any
 * value.
 */
char place_bracket(enum place_kind kind);

/*
 * Returns whether a for loop of Python accepts the value: a list, the bracket of a list, or an
 * empty value.
 */
bool place_is_list(struct slice json);

/* Returns whether such a loop accepts the value and finds no elements. */
bool place_is_nothing(struct slice json);

/* Returns ERR_DATA with a message that the value at the place has the wrong form. */
int place_refuse(const struct place *p, struct err *e);

#endif
