/* SPDX-License-Identifier: ISC */
/* cpumap.c - a set of processors, as in CPU_MAP and EVENT_UPDATE records. */
#include "src/perfdata/attr/attr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

enum { MAP_LIST, MAP_MASK, MAP_RANGE };

#define LIST_ANY 0xffffu

void
cpumap_free(struct cpumap *m)
{
	mem_free(m->range);
	mem_free(m->upward);
	*m = (struct cpumap){ 0 };
}

bool
cpumap_fits(struct cur c)
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
		(void)cur_take(&c, 4);
	return cur_ok(&c) && (size == 4 || size == 8) && n <= cur_left(&c) / size;
}

/* Appends processors first to last. */
static int
add(struct cpumap *m, uint32_t first, uint32_t last, struct err *e)
{
	struct cpu_range *at = m->ranges == 0 ? NULL : &m->range[m->ranges - 1];
	bool joins = at != NULL && at->last != CPU_ANY && first == at->last + 1;

	m->sorted = at == NULL || (m->sorted && at->last < first);
	if (joins) {
		at->last = last;
	} else {
		if (!vec_room(m->range, m->ranges, m->cap))
			return err_nomem(e);
		m->range[m->ranges++] = (struct cpu_range){ first, last, m->count };
	}
	m->count += last - first + 1;
	return 0;
}

static int
take_list(struct cpumap *m, struct cur *c, struct err *e)
{
	uint16_t n = cur_u16(c), i;

	for (i = 0; i < n; i++) {
		uint32_t cpu = cur_u16(c);

		cpu = cpu == LIST_ANY ? CPU_ANY : cpu;
		if (add(m, cpu, cpu, e) != 0)
			return e->code;
	}
	return 0;
}

static int
take_mask(struct cpumap *m, struct cur *c, struct err *e)
{
	uint16_t n = cur_u16(c), size = cur_u16(c);
	uint32_t i, bit;

	if (size == 8)
		(void)cur_take(c, 4);
	for (i = 0; i < n; i++) {
		uint64_t mask = size == 4 ? cur_u32(c) : cur_u64(c);

		for (bit = 0; bit < size * 8u; bit++) {
			uint32_t cpu = i * size * 8u + bit;

			if ((mask >> bit & 1) != 0 && add(m, cpu, cpu, e) != 0)
				return e->code;
		}
	}
	return 0;
}

static int
take_range(struct cpumap *m, struct cur *c, struct err *e)
{
	uint8_t any = cur_u8(c);
	uint32_t first, last;

	(void)cur_u8(c);
	first = cur_u16(c);
	last = cur_u16(c);
	if (first > last)
		return err_data(e, "range of processors that ends before it begins");
	if (any != 0 && add(m, CPU_ANY, CPU_ANY, e) != 0)
		return e->code;
	return add(m, first, last, e);
}

static int
by_first(const void *a, const void *b)
{
	const struct cpu_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/*
 * Makes a sorted copy of the ranges, since perf looks up each processor in whatever order the
 * record lists them.
 */
static int
sort(struct cpumap *m, struct err *e)
{
	size_t i, n = 0;

	m->upward = mem_alloc(m->ranges * sizeof *m->upward);
	if (m->upward == NULL)
		return err_nomem(e);
	memcpy(m->upward, m->range, m->ranges * sizeof *m->upward);
	qsort(m->upward, m->ranges, sizeof *m->upward, by_first);
	for (i = 1; i < m->ranges; i++)
		if (m->upward[i].first > m->upward[n].last)
			m->upward[++n] = m->upward[i];
		else if (m->upward[i].last > m->upward[n].last)
			m->upward[n].last = m->upward[i].last;
	m->upwards = n + 1;
	return 0;
}

int
cpumap_take(struct cpumap *m, struct cur *c, struct err *e)
{
	int rc = 0;

	cpumap_free(m);
	if (!cpumap_fits(*c))
		return err_data(e, "list of processors that does not fit into its space");
	switch (cur_u16(c)) {
	case MAP_LIST: rc = take_list(m, c, e); break;
	case MAP_MASK: rc = take_mask(m, c, e); break;
	case MAP_RANGE: rc = take_range(m, c, e); break;
	}
	return rc == 0 && m->ranges != 0 && !m->sorted ? sort(m, e) : rc;
}

bool
cpumap_has(const struct cpumap *m, uint32_t cpu)
{
	const struct cpu_range *range = m->upward != NULL ? m->upward : m->range;
	size_t low = 0, high = m->upward != NULL ? m->upwards : m->ranges, end = high;

	while (low < high) { /* finds the first range that does not end below cpu */
		size_t middle = low + (high - low) / 2;

		if (range[middle].last < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && range[low].first <= cpu;
}

uint32_t
cpumap_at(const struct cpumap *m, uint32_t n)
{
	size_t low = 0, high = m->ranges;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (m->range[middle].before <= n)
			low = middle;
		else
			high = middle;
	}
	return m->range[low].first + (n - m->range[low].before);
}

bool
cpumap_put(const struct cpumap *m, char separator, struct buf *b)
{
	char text[32];
	size_t i;
	bool ok = true;

	for (i = 0; ok && i < m->ranges; i++) {
		const struct cpu_range *at = &m->range[i];
		int n;

		if (at->first == CPU_ANY)
			n = snprintf(text, sizeof text, "any");
		else if (at->first == at->last)
			n = snprintf(text, sizeof text, "%" PRIu32, at->first);
		else
			n = snprintf(text, sizeof text, "%" PRIu32 "-%" PRIu32, at->first,
			    at->last);
		ok = (i == 0 || buf_putc(b, separator)) && buf_put(b, text, (size_t)n);
	}
	return ok;
}
