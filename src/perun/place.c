/* SPDX-License-Identifier: ISC */
/* place.c - the places in a Perun profile. */
#include "src/perun/place.h"

#include <string.h>

#include "lib/num.h"

/* The rules, by container.  A rule without a name applies to any other name, and to an index. */
static const struct {
	enum place_kind container;
	struct slice name;
	enum place_kind kind;
} rules[] = {
	{ PLACE_DOCUMENT, { "snapshots", 9 }, PLACE_SNAPSHOTS },
	{ PLACE_DOCUMENT, { "global", 6 }, PLACE_GLOBAL },
	{ PLACE_DOCUMENT, { "resources", 9 }, PLACE_MAP },
	{ PLACE_DOCUMENT, { "resource_type_map", 17 }, PLACE_COMMONS },
	{ PLACE_DOCUMENT, { "models", 6 }, PLACE_MODELS },
	{ PLACE_DOCUMENT, { NULL, 0 }, PLACE_MEMBER },
	{ PLACE_SNAPSHOTS, { NULL, 0 }, PLACE_SNAPSHOT },
	{ PLACE_SNAPSHOT, { "resources", 9 }, PLACE_RESOURCES },
	{ PLACE_SNAPSHOT, { "models", 6 }, PLACE_MODELS },
	{ PLACE_SNAPSHOT, { NULL, 0 }, PLACE_MEMBER },
	{ PLACE_GLOBAL, { "resources", 9 }, PLACE_RESOURCES },
	{ PLACE_GLOBAL, { "models", 6 }, PLACE_MODELS },
	{ PLACE_GLOBAL, { NULL, 0 }, PLACE_MEMBER },
	{ PLACE_RESOURCES, { NULL, 0 }, PLACE_RESOURCE },
	{ PLACE_MODELS, { NULL, 0 }, PLACE_MODEL },
	{ PLACE_MAP, { NULL, 0 }, PLACE_TYPE },
	{ PLACE_TYPE, { NULL, 0 }, PLACE_ROW },
	{ PLACE_COMMONS, { NULL, 0 }, PLACE_COMMON },
	{ PLACE_MEMBER, { NULL, 0 }, PLACE_ELEMENT },
};

enum place_kind
place_within(enum place_kind container, struct slice name, char first)
{
	size_t i;

	for (i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (rules[i].container != container ||
		    (rules[i].name.p != NULL && !slice_eq(name, rules[i].name)))
			continue;
		return rules[i].kind == PLACE_MAP && first == '[' ? PLACE_RESOURCES : rules[i].kind;
	}
	return PLACE_DEEPER;
}

struct place
place_of(struct slice pointer)
{
	bool is = pointer.len == 0 || pointer.p[0] == '/';
	struct place p = { .pointer = pointer, .kind = is ? PLACE_DOCUMENT : PLACE_DEEPER };
	const char *at = pointer.p, *end, *slash;

	p.top = p.kind;
	if (pointer.len == 0)
		return p;
	end = at + pointer.len;
	while (is && at < end) {
		at++;
		slash = memchr(at, '/', (size_t)(end - at));
		p.list = p.name;
		p.name = (struct slice){ at, (size_t)((slash == NULL ? end : slash) - at) };
		p.kind = place_within(p.kind, p.name, '\0');
		if (p.top == PLACE_DOCUMENT)
			p.top = p.kind;
		if (p.kind == PLACE_SNAPSHOT)
			p.snapshot = p.name;
		at += p.name.len;
	}
	return p;
}

bool
place_index(const struct place *p, uint64_t *index)
{
	return num_get_u64(p->name, index);
}

bool
place_snapshot(const struct place *p, uint64_t *index)
{
	return p->snapshot.p != NULL && num_get_u64(p->snapshot, index);
}

char
place_bracket(enum place_kind kind)
{
	switch (kind) {
	case PLACE_DOCUMENT:
	case PLACE_SNAPSHOT:
	case PLACE_GLOBAL:
	case PLACE_MAP:
	case PLACE_TYPE:
	case PLACE_COMMONS: return '{';
	case PLACE_SNAPSHOTS:
	case PLACE_RESOURCES:
	case PLACE_MODELS: return '[';
	default: return 0;
	}
}

bool
place_is_nothing(struct slice json)
{
	return slice_eq(json, SLICE("{}")) || slice_eq(json, SLICE("[]")) ||
	    slice_eq(json, SLICE("\"\""));
}

bool
place_is_list(struct slice json)
{
	return json.p[0] == '[' || place_is_nothing(json);
}

int
place_refuse(const struct place *p, struct err *e)
{
	switch (p->kind) {
	case PLACE_DOCUMENT: return err_data(e, "the profile is not a dictionary");
	case PLACE_SNAPSHOTS: return err_data(e, "snapshots is not a list");
	case PLACE_SNAPSHOT: return err_data(e, "the snapshot has no resources");
	case PLACE_GLOBAL: return err_data(e, "global is not a dictionary");
	case PLACE_MAP: return err_data(e, "resources is neither a map nor a list");
	case PLACE_COMMONS: return err_data(e, "resource_type_map is not a dictionary");
	case PLACE_COMMON: return err_data(e, "a type in resource_type_map is not a dictionary");
	default: break;
	}
	return err_data(e, "%s%s not a list",
	    p->top == PLACE_SNAPSHOTS    ? "a snapshot's "
		: p->top == PLACE_GLOBAL ? "global's "
					 : "",
	    p->kind != PLACE_MODELS      ? "resources are"
		: p->top == PLACE_MODELS ? "models is"
					 : "models are");
}
