/* SPDX-License-Identifier: ISC */
/* extras.c - a sample's tags beyond the usual ones. */
#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/line.h"

/* FROM/TO/PREDICTION/TX/ABORT/CYCLES as perf prints branches, newest first, parted by ';'. */
static void
branches(struct evwrite *w, const struct sample *s)
{
	struct cur c = s->branch;
	uint64_t i;

	evw_tag_begin(w, SLICE("branches"));
	for (i = 0; i < s->branch_count; i++) {
		uint64_t from = cur_u64(&c), to = cur_u64(&c), flags = cur_bits64(&c);
		char text[96];
		int n;

		n = snprintf(text, sizeof text, "%s0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%u",
		    i > 0 ? ";" : "", from, to,
		    (flags & 1) != 0       ? 'M'
			: (flags & 2) != 0 ? 'P'
					   : '-',
		    (flags & 4) != 0 ? 'X' : '-', (flags & 8) != 0 ? 'A' : '-',
		    (unsigned)(flags >> 4 & 0xffff));
		evw_bytes(w, text, (size_t)n);
	}
	if (s->branch_count == 0)
		evw_bytes(w, ".", 1);
	evw_tag_end(w, SLICE("branches"));
}

/* ABI:VALUE;VALUE... in the order of the attr's mask, low bit first. */
static void
registers(struct evwrite *w, struct slice key, uint64_t abi, struct cur values)
{
	char text[NUM_MAX];

	evw_tag_begin(w, key);
	evw_bytes(w, text, num_put_u64(text, abi));
	while (cur_left(&values) >= 8) {
		evw_bytes(w, ";", 1);
		evw_bytes(w, text, num_put_hex(text, cur_u64(&values)));
	}
	evw_tag_end(w, key);
}

static void
bytes(struct evwrite *w, struct slice key, const unsigned char *p, size_t n)
{
	evw_tag_begin(w, key);
	evw_hex_bytes(w, p, n);
	evw_tag_end(w, key);
}

/* Three figures in one word: latency, instruction latency, retire latency. */
static void
weight(struct evwrite *w, const struct sample *s)
{
	if ((s->have & S_WEIGHT_STRUCT) == 0) {
		evw_tag_u64(w, SLICE("weight"), s->weight);
		return;
	}
	evw_tag_u64(w, SLICE("weight"), s->weight & 0xffffffff);
	evw_tag_u64(w, SLICE("ins_lat"), s->weight >> 32 & 0xffff);
	evw_tag_u64(w, SLICE("retire_lat"), s->weight >> 48);
}

/* Registers, raw bytes and stack dumps: long, and of use to few. */
static void
bulk(struct evwrite *w, const struct attr *a, const struct sample *s)
{
	if ((s->have & S_REGS_USER) != 0) {
		evw_tag_hex(w, SLICE("uregs_mask"), a->regs_user);
		registers(w, SLICE("uregs"), s->user_abi, s->user_regs);
	}
	if ((s->have & S_REGS_INTR) != 0) {
		evw_tag_hex(w, SLICE("iregs_mask"), a->regs_intr);
		registers(w, SLICE("iregs"), s->intr_abi, s->intr_regs);
	}
	if ((s->have & S_STACK_USER) != 0) {
		evw_tag_u64(w, SLICE("stack_used"), s->stack_dynamic);
		bytes(w, SLICE("stack_dump"), s->stack, (size_t)s->stack_size);
	}
	if ((s->have & S_RAW) != 0)
		bytes(w, SLICE("raw"), s->raw, s->raw_size);
	if ((s->have & S_AUX) != 0)
		evw_tag_u64(w, SLICE("aux_size"), s->aux_size);
}

/* The id as it was recorded, and the path where a record has named it. */
static void
control_group(struct decoder *d, uint64_t id)
{
	const struct id_entry *entry = idmap_find(&d->cgroups.number, id);

	evw_tag_u64(d->w, SLICE("cgroup_id"), id);
	if (entry != NULL)
		evw_tag_raw(d->w, SLICE("cgroup"), d->cgroups.path.item[entry->attr]);
}

#define S_USUAL (S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_CALLCHAIN | S_ID | S_IDENTIFIER)

void
extras_emit(struct decoder *d, const struct line *l)
{
	struct evwrite *w = d->w;
	const struct sample *s = l->s;
	uint64_t have = s->have;
	bool told = true;

	if ((have & S_USUAL) == have) { /* what perf record -a leaves, without a detour */
		evw_tag_hex(w, SLICE("id"), s->id);
		return;
	}
	if (have & S_ADDR)
		evw_tag_hex(w, SLICE("addr"), s->addr);
	if (have & S_PHYS_ADDR)
		evw_tag_hex(w, SLICE("phys_addr"), s->phys_addr);
	if (have & (S_WEIGHT | S_WEIGHT_STRUCT))
		weight(w, s);
	if (have & S_DATA_SRC)
		evw_tag_hex(w, SLICE("data_src"), s->data_src);
	if (have & S_TRANSACTION)
		evw_tag_hex(w, SLICE("transaction"), s->transaction);
	if (have & S_DATA_PAGE)
		evw_tag_u64(w, SLICE("data_page_size"), s->data_page);
	if (have & S_CODE_PAGE)
		evw_tag_u64(w, SLICE("code_page_size"), s->code_page);
	if (have & S_BRANCH_STACK)
		branches(w, s);
	if (have & S_STREAM_ID)
		evw_tag_hex(w, SLICE("stream"), s->stream_id);
	if (have & (S_ID | S_IDENTIFIER))
		evw_tag_hex(w, SLICE("id"), s->id);
	if (have & S_CGROUP)
		control_group(d, s->cgroup);
	if ((have & S_RAW) != 0 && l->attr->type == PTYPE_TRACEPOINT)
		told = tracing_emit(d, l);
	if (d->opt->all)
		bulk(w, l->attr, s);
	else if (!told)
		bytes(w, SLICE("raw"), s->raw, s->raw_size);
}
