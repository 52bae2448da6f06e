/* SPDX-License-Identifier: ISC */
/* group.c - lines directly after each other that are one start, or one stop. */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/short.h"
#include "lib/vec.h"
#include "src/duration/durint.h"

#define GROUP_MAX ((size_t)1024) /* measures that are distinguished; further ones belong to it */

bool
dur_is_anonymous(const struct dur_line *line)
{
	return line->name.kind == (OPEN_REGION | OPEN_NAMELESS) &&
	    slice_is_nothing(line->ev->col[EV_REGION]);
}

bool
dur_stopped_so(const struct interval *v, const struct dur_line *line)
{
	struct slice label = line->ev->col[EV_REGION];

	if (v->anonymous || dur_is_anonymous(line))
		return v->anonymous && dur_is_anonymous(line);
	return slice_is_nothing(label) || short_eq(label, open_text(v, v->stop_label));
}

/* Does the line name it as the group's first line did?  A start's label is checked later. */
static bool
is_same(const struct dur_group *g, const struct dur_line *line)
{
	const struct interval *v = g->v;

	if (!v->open && v->anonymous)
		return dur_is_anonymous(line);
	return (v->open || dur_stopped_so(v, line)) &&
	    (v->kind & ~(unsigned)OPEN_ENDED) == line->name.kind &&
	    short_eq(open_text(v, v->id), line->name.id) &&
	    short_eq(open_text(v, v->interval), line->name.interval);
}

static uint64_t
hash_what(const struct duration *d)
{
	return XXH3_64bits_withSeed(d->what.p, d->what.len, d->open.seed);
}

/* The hash is seeded and has 64 bits, so nobody can construct two measures with the same hash. */
static bool
has_what(const struct dur_group *g, uint64_t hash)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->what[i] == hash)
			return true;
	return false;
}

static bool
put_what(struct dur_group *g, uint64_t hash)
{
	if (g->n == GROUP_MAX)
		return true;
	if (!vec_room(g->what, g->n, g->cap))
		return false;
	g->what[g->n++] = hash;
	return true;
}

int
dur_group_take(struct duration *d, const struct dur_line *line, struct interval **v)
{
	struct dur_group *g = &d->run[line->run].group;
	uint64_t hash;

	*v = NULL;
	if (!dur_has_measure(line))
		return 0;
	if (!dur_snap_what(d, line))
		return ERR_SYS;
	if (g->v == NULL || g->n == 0 || !is_same(g, line))
		return 0;
	hash = hash_what(d);
	if (has_what(g, hash))
		return 0;
	*v = g->v;
	return put_what(g, hash) ? 0 : ERR_SYS;
}

bool
dur_group_has(const struct duration *d, const struct dur_line *line, const struct interval *v)
{
	const struct dur_group *g = &d->run[line->run].group;

	return g->v == v && has_what(g, hash_what(d));
}

bool
dur_group_begin(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct dur_group *g = &d->run[line->run].group;

	g->v = v;
	g->n = 0;
	return !dur_has_measure(line) || put_what(g, hash_what(d));
}
