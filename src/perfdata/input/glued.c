/* SPDX-License-Identifier: ISC */
/* glued.c - finds where to split compressed records that were glued together. */

#include "lib/mem.h"
#include "src/perfdata/input/parts.h"

size_t
glued_size(const struct glued *g, size_t at)
{
	struct cur c;
	uint32_t type;
	uint16_t misc, size;

	if (at > g->len || g->len - at < REC_HEADER)
		return 0;
	c = cur_over(g->p + at, REC_HEADER, g->big_endian);
	type = cur_u32(&c);
	misc = cur_u16(&c);
	size = cur_u16(&c);
	if (type != REC_COMPRESSED2 || misc != 0 || size <= PACKED2_HEAD || size > g->total - at)
		return 0;
	return size;
}

/*
 * Returns true if headers chain from AT to the end.  If not, all offsets on the way are marked in
 * SEEN.  Any chain that reaches one of these offsets fails, too, so each offset is checked only
 * once.
 */
static bool
chains(const struct glued *g, size_t at, unsigned char *seen)
{
	while (at != g->total) {
		size_t size;

		if (g->len < g->total && (at > g->len || g->len - at < REC_HEADER))
			return true; /* the rest was truncated */
		if ((seen[at / 8] >> at % 8 & 1) != 0)
			return false;
		seen[at / 8] |= (unsigned char)(1u << at % 8);
		size = glued_size(g, at);
		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

int
glued_find(const struct glued *g, size_t *first, struct err *e)
{
	unsigned char *seen = mem_zero(g->len / 8 + 1, 1);
	size_t at;
	bool found = false;

	if (seen == NULL)
		return err_nomem(e);
	/* perf fills all records but the last, so the largest size is nearly always right */
	for (at = PACKED2_MAX; at > 0 && !found; at--)
		found = chains(g, at, seen);
	mem_free(seen);
	*first = at + 1;
	return found ? 0
		     : err_data(e,
			   "compressed record of %zu bytes: the boundaries of the records "
			   "joined in it cannot be found",
			   g->total);
}
