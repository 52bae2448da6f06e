/* SPDX-License-Identifier: ISC */
/* cpumap.c - a set of processors, as CPU_MAP and EVENT_UPDATE records hold one. */
#include "src/perfdata/cpumap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAP_LIST, MAP_MASK, MAP_RANGE };

#define LIST_ANY 0xffffu

void
cpumap_free(struct cpumap *m)
{
	free(m->cpu);
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

/* Room for n, which the bytes of the record bound. */
static int
make_room(struct cpumap *m, size_t n, struct err *e)
{
	cpumap_free(m);
	m->cpu = n == 0 ? NULL : malloc(n * sizeof *m->cpu);
	return n == 0 || m->cpu != NULL ? 0 : err_nomem(e);
}

static int
take_list(struct cpumap *m, struct cur *c, struct err *e)
{
	uint16_t n = cur_u16(c), i;

	if (make_room(m, n, e) != 0)
		return e->code;
	for (i = 0; i < n; i++) {
		uint32_t cpu = cur_u16(c);

		m->cpu[m->n++] = cpu == LIST_ANY ? CPU_ANY : cpu;
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
	if (make_room(m, (size_t)n * size * 8, e) != 0)
		return e->code;
	for (i = 0; i < n; i++) {
		uint64_t mask = size == 4 ? cur_u32(c) : cur_u64(c);

		for (bit = 0; bit < size * 8u; bit++)
			if ((mask >> bit & 1) != 0)
				m->cpu[m->n++] = i * size * 8u + bit;
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
	if (make_room(m, (size_t)(last - first) + 2, e) != 0)
		return e->code;
	if (any != 0)
		m->cpu[m->n++] = CPU_ANY;
	for (; first <= last; first++)
		m->cpu[m->n++] = first;
	return 0;
}

int
cpumap_take(struct cpumap *m, struct cur *c, struct err *e)
{
	int rc = 0;

	cpumap_free(m);
	if (!cpumap_fits(*c))
		return err_data(e, "list of processors that does not fit where it stands");
	switch (cur_u16(c)) {
	case MAP_LIST: rc = take_list(m, c, e); break;
	case MAP_MASK: rc = take_mask(m, c, e); break;
	case MAP_RANGE: rc = take_range(m, c, e); break;
	}
	return rc;
}

bool
cpumap_put(const struct cpumap *m, char parting, struct buf *b)
{
	char text[32];
	size_t i, last;
	bool ok = true;

	for (i = 0; ok && i < m->n; i = last + 1) {
		int n;

		for (last = i; last + 1 < m->n && m->cpu[last] != CPU_ANY &&
		     m->cpu[last + 1] == m->cpu[last] + 1;
		     last++)
			;
		if (m->cpu[i] == CPU_ANY && last == i)
			n = snprintf(text, sizeof text, "any");
		else if (last == i)
			n = snprintf(text, sizeof text, "%" PRIu32, m->cpu[i]);
		else
			n = snprintf(text, sizeof text, "%" PRIu32 "-%" PRIu32, m->cpu[i],
			    m->cpu[last]);
		ok = (i == 0 || buf_putc(b, parting)) && buf_put(b, text, (size_t)n);
	}
	return ok;
}
