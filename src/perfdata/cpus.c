/* SPDX-License-Identifier: ISC */
/*
 * cpus.c - a set of processors, as CPU_MAP and EVENT_UPDATE hold it.
 *
 * Three ways (struct perf_record_cpu_map_data, packed): a list of numbers, a mask of
 * words of 4 or 8 bytes, one range.
 */
#include "src/perfdata/abi.h"
#include "src/perfdata/fields.h"
#include "src/perfdata/record.h"

enum {
	MAP_LIST,
	MAP_MASK,
	MAP_RANGE,
};

#define ANY_CPU 0xffff

/* Joins neighbours, as they come. */
struct ranges {
	struct evwrite *w;
	bool open, any;
	uint32_t from, to;
};

static void
range_end(struct ranges *g)
{
	if (!g->open)
		return;
	if (g->from == g->to)
		fields_item(g->w, !g->any, "%u", (unsigned)g->from);
	else
		fields_item(g->w, !g->any, "%u-%u", (unsigned)g->from, (unsigned)g->to);
	g->any = true;
	g->open = false;
}

static void
range_add(struct ranges *g, uint32_t cpu)
{
	if (g->open && cpu == g->to + 1) {
		g->to = cpu;
		return;
	}
	range_end(g);
	g->open = true;
	g->from = g->to = cpu;
}

static void
any_cpu(struct ranges *g)
{
	range_end(g);
	fields_item(g->w, !g->any, "any");
	g->any = true;
}

static void
put_list(struct ranges *g, struct cur *c)
{
	struct cur cpus = fields_items(c, cur_u16(c), 2);

	while (cur_left(&cpus) >= 2) {
		uint16_t cpu = cur_u16(&cpus);

		if (cpu == ANY_CPU)
			any_cpu(g);
		else
			range_add(g, cpu);
	}
}

static void
put_mask(struct ranges *g, struct cur *c)
{
	uint16_t n = cur_u16(c), size = cur_u16(c);
	struct cur words;
	uint32_t cpu = 0;

	if (size != 4 && size != 8)
		return;
	if (size == 8)
		(void)cur_u32(c);
	words = fields_items(c, n, size);
	while (cur_left(&words) >= size) {
		uint64_t word = size == 4 ? cur_u32(&words) : cur_u64(&words);
		uint32_t i;

		for (i = 0; i < 8u * size; i++, cpu++)
			if ((word >> i & 1) != 0)
				range_add(g, cpu);
	}
}

static void
put_range(struct ranges *g, struct cur *c)
{
	uint8_t any = cur_u8(c);
	uint16_t from, to;

	(void)cur_u8(c);
	from = cur_u16(c);
	to = cur_u16(c);
	if (any != 0)
		any_cpu(g);
	range_end(g);
	g->open = cur_ok(c);
	g->from = from;
	g->to = to;
}

void
cpus_put(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct ranges g = { .w = d->w };
	uint16_t type = cur_u16(c);

	(void)r, (void)n;
	if (!cur_ok(c))
		return;
	evw_tag_u64(d->w, SLICE("encoding"), type);
	evw_tag_begin(d->w, SLICE("cpus"));
	switch (type) {
	case MAP_LIST: put_list(&g, c); break;
	case MAP_MASK: put_mask(&g, c); break;
	case MAP_RANGE: put_range(&g, c); break;
	}
	range_end(&g);
	if (!g.any)
		evw_bytes(d->w, ".", 1);
	evw_tag_end(d->w, SLICE("cpus"));
}

bool
cpus_fit(struct cur c)
{
	uint16_t type = cur_u16(&c), n, size;

	if (type == MAP_RANGE)
		return cur_left(&c) >= 6;
	n = cur_u16(&c);
	if (type == MAP_LIST)
		return cur_ok(&c) && n <= cur_left(&c) / 2;
	if (type != MAP_MASK)
		return cur_ok(&c);
	size = cur_u16(&c);
	if (size == 8)
		(void)cur_u32(&c);
	return cur_ok(&c) && (size == 4 || size == 8) && n <= cur_left(&c) / size;
}
