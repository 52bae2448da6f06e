/* SPDX-License-Identifier: ISC */
/* decode.c - the fields of a SAMPLE record. */
#include "src/perfdata/sample/sample.h"

/* Returns the bytes of one counter in a group. */
static size_t
counter_size(uint64_t format)
{
	return (size_t)8 *
	    (1u + ((format & R_ID) != 0 ? 1u : 0u) + ((format & R_LOST) != 0 ? 1u : 0u));
}

static void
pass_counters(struct cur *c, uint64_t format)
{
	uint64_t nr = 1;

	if ((format & R_GROUP) != 0)
		nr = cur_u64(c);
	if ((format & R_ENABLED) != 0)
		(void)cur_take(c, 8);
	if ((format & R_RUNNING) != 0)
		(void)cur_take(c, 8);
	(void)sample_items(c, nr, counter_size(format));
}

static void
take_read(struct sample *s, struct cur *c, uint64_t format)
{
	const unsigned char *begin = c->p;

	pass_counters(c, format);
	s->read = *c;
	s->read.p = begin;
	s->read.end = c->p;
}

static void
take_branches(struct sample *s, const struct attr *a, struct cur *c)
{
	s->branch_count = cur_u64(c);
	s->branch_hw_index = (a->branch_sample_type & B_HW_INDEX) != 0 ? cur_u64(c) : UINT64_MAX;
	s->branch = sample_items(c, s->branch_count, 24);
	s->branch_counters =
	    sample_items(c, (a->branch_sample_type & B_COUNTERS) != 0 ? s->branch_count : 0, 8);
}

static void
take_stack(struct sample *s, struct cur *c)
{
	struct cur dump;

	s->stack_size = cur_u64(c);
	s->stack = NULL;
	s->stack_dynamic = 0;
	if (s->stack_size == 0)
		return;
	dump = sample_items(c, s->stack_size, 1);
	s->stack = dump.p;
	s->stack_dynamic = cur_u64(c);
}

static void
take_raw(struct sample *s, struct cur *c)
{
	struct cur raw;

	s->raw_size = cur_u32(c);
	raw = sample_items(c, s->raw_size, 1);
	s->raw = raw.p;
}

/* Reads the fields after the callchain, which most recordings do not have. */
static void
take_after_chain(struct sample *s, const struct attr *a, struct cur *c)
{
	uint64_t have = s->have;

	if (have & S_RAW)
		take_raw(s, c);
	if (have & S_BRANCH_STACK)
		take_branches(s, a, c);
	if (have & S_REGS_USER) {
		s->user_abi = cur_u64(c);
		s->user_regs = sample_items(c, s->user_abi != 0 ? a->nregs_user : 0, 8);
	}
	if (have & S_STACK_USER)
		take_stack(s, c);
	if (have & (S_WEIGHT | S_WEIGHT_STRUCT))
		s->weight = cur_u64(c);
	if (have & S_DATA_SRC)
		s->data_src = cur_u64(c);
	if (have & S_TRANSACTION)
		s->transaction = cur_u64(c);
	if (have & S_REGS_INTR) {
		s->intr_abi = cur_u64(c);
		s->intr_regs = sample_items(c, s->intr_abi != 0 ? a->nregs_intr : 0, 8);
	}
	if (have & S_PHYS_ADDR)
		s->phys_addr = cur_u64(c);
	if (have & S_CGROUP)
		s->cgroup = cur_u64(c);
	if (have & S_DATA_PAGE)
		s->data_page = cur_u64(c);
	if (have & S_CODE_PAGE)
		s->code_page = cur_u64(c);
	if (have & S_AUX) {
		s->aux_size = cur_u64(c);
		s->aux = sample_items(c, s->aux_size, 1).p;
	}
}

#define S_AFTER_CHAIN \
	(S_RAW | S_BRANCH_STACK | S_REGS_USER | S_STACK_USER | S_WEIGHT | S_WEIGHT_STRUCT | \
	    S_DATA_SRC | S_TRANSACTION | S_REGS_INTR | S_PHYS_ADDR | S_CGROUP | S_DATA_PAGE | \
	    S_CODE_PAGE | S_AUX)

bool
sample_take_rest(struct sample *s, const struct attr *a, struct cur *c)
{
	if (s->have & S_READ) {
		if ((a->read_format & ~R_KNOWN) != 0)
			return false;
		take_read(s, c, a->read_format);
	}
	if (s->have & S_CALLCHAIN)
		sample_take_chain(s, c);
	if (s->have & S_AFTER_CHAIN)
		take_after_chain(s, a, c);
	return cur_ok(c);
}

int
sample_refuse(const struct attr *a, const struct rec *r, struct err *e)
{
	uint64_t unknown = a->read_format & ~R_KNOWN;

	if ((a->sample_type & S_READ) != 0 && unknown != 0)
		return err_byte(e, r->offset,
		    "sample with counters of an unknown read_format (0x%llx)",
		    (unsigned long long)unknown);
	return err_byte(e, r->offset, "sample of %u bytes is too short for its contents", r->size);
}
