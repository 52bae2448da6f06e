/* SPDX-License-Identifier: ISC */
/* extras.c - a sample's tags beyond the usual ones. */
#include "src/perfdata/sample/line.h"

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

/* Registers, raw bytes and stack dumps: long, and rarely needed. */
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
	if ((s->have & S_AUX) != 0) {
		evw_tag_u64(w, SLICE("aux_size"), s->aux_size);
		bytes(w, SLICE("aux"), s->aux, (size_t)s->aux_size);
	}
}

/* The id as it was recorded, and its path if a record gave one. */
static void
control_group(struct decoder *d, uint64_t id)
{
	const struct id_entry *entry = idmap_find(&d->cgroups.number, id);

	evw_tag_u64(d->w, SLICE("cgroup_id"), id);
	if (entry != NULL)
		evw_tag_raw(d->w, SLICE("cgroup"), d->cgroups.path.item[entry->attr]);
}

void
extras_emit(struct decoder *d, const struct line *l)
{
	struct evwrite *w = d->w;
	const struct sample *s = l->s;
	uint64_t have = s->have;
	bool told = true;

	if (have & S_ADDR)
		evw_tag_hex(w, SLICE("addr"), s->addr);
	if (have & S_PHYS_ADDR)
		evw_tag_hex(w, SLICE("phys_addr"), s->phys_addr);
	if (have & (S_WEIGHT | S_WEIGHT_STRUCT))
		weight(w, s);
	if (have & S_DATA_SRC)
		memory_put(w, s->data_src);
	if (have & S_TRANSACTION)
		memory_put_transaction(w, s->transaction);
	if (have & S_DATA_PAGE)
		evw_tag_u64(w, SLICE("data_page_size"), s->data_page);
	if (have & S_CODE_PAGE)
		evw_tag_u64(w, SLICE("code_page_size"), s->code_page);
	if (have & S_BRANCH_STACK)
		branches_put(w, s);
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
