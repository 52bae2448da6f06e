/* SPDX-License-Identifier: ISC */
/* attr.c - perf_event_attr: what was counted and how its samples are laid out. */
#include "src/perfdata/attr/attr.h"

#include "lib/esc.h"
#include "src/perfdata/abi.h"

static uint32_t
popcount(uint64_t v)
{
	uint32_t n = 0;

	for (; v != 0; v &= v - 1)
		n++;
	return n;
}

/* A field of newer versions: 0 where the attr is too short for it. */
static uint64_t
newer_u64(struct cur *c)
{
	return cur_left(c) >= 8 ? cur_u64(c) : 0;
}

static uint32_t
newer_u32(struct cur *c)
{
	return cur_left(c) >= 4 ? cur_u32(c) : 0;
}

int
attr_parse(struct attr *a, struct cur *outer, struct err *e)
{
	struct cur peek = *outer, c;
	uint32_t size;

	*a = (struct attr){ .type = cur_u32(&peek) };
	size = cur_u32(&peek);
	if (size == 0)
		size = ATTR_SIZE_MIN;
	if (size < ATTR_SIZE_MIN || size > ATTR_SIZE_MAX)
		return err_data(e, "attr of %u bytes", size);
	c = cur_sub(outer, size);
	if (!cur_ok(&c))
		return err_data(e, "attr of %u bytes does not fit where it is", size);
	(void)cur_take(&c, 8);
	a->config = cur_u64(&c);
	a->period = cur_u64(&c);
	a->sample_type = cur_u64(&c);
	a->read_format = cur_u64(&c);
	a->flags = cur_bits64(&c);
	(void)cur_u32(&c); /* wakeup_events */
	a->bp_type = cur_u32(&c);
	a->config1 = cur_u64(&c);
	a->config2 = newer_u64(&c);
	a->branch_sample_type = newer_u64(&c);
	a->regs_user = newer_u64(&c);
	a->stack_user = newer_u32(&c);
	a->clockid = (int32_t)newer_u32(&c);
	a->regs_intr = newer_u64(&c);
	a->nregs_user = popcount(a->regs_user);
	a->nregs_intr = popcount(a->regs_intr);
	a->head_size = 8 * popcount(a->sample_type & S_HEAD);
	return 0;
}

void
attr_free(struct attr *a)
{
	buf_free(&a->name);
	buf_free(&a->column);
	buf_free(&a->scaled_unit);
	buf_free(&a->cpus);
	cpumap_free(&a->own_cpus);
}

int
attr_set_name(struct attr *a, struct slice raw, struct err *e)
{
	a->name.len = a->column.len = 0;
	if (esc_append(&a->name, raw.p, raw.len, ESC_COLUMN) && buf_putc(&a->column, '\t') &&
	    buf_put(&a->column, a->name.p, a->name.len) && buf_putc(&a->column, '\t'))
		return 0;
	return err_nomem(e);
}

struct slice
attr_unit(const struct attr *a)
{
	if (a->type == PTYPE_SOFTWARE && a->config <= 1) /* cpu-clock, task-clock */
		return SLICE("ns");
	return SLICE("count");
}

size_t
attr_trailer_size(const struct attr *a)
{
	return 8 *
	    popcount(a->sample_type & (S_TID | S_TIME | S_ID | S_STREAM_ID | S_CPU | S_IDENTIFIER));
}

const char *
attr_clock_name(int32_t clockid)
{
	switch (clockid) {
	case CLOCK_ID_REALTIME: return "realtime";
	case CLOCK_ID_MONOTONIC: return "monotonic";
	case CLOCK_ID_MONOTONIC_RAW: return "monotonic_raw";
	case CLOCK_ID_BOOTTIME: return "boottime";
	case CLOCK_ID_TAI: return "tai";
	}
	return NULL;
}
