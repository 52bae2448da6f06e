/* SPDX-License-Identifier: ISC */
/* extras.c - the less usual tags of a sample. */
#include <inttypes.h>
#include <string.h>

#include "src/perfdata/sample/parts.h"
#include "src/perfdata/tags.h"

#define COUNT(names) (sizeof(names) / sizeof(names)[0])

/* ---- the last branches */

#define BRANCH_NAME 32 /* bytes for the name of a branch's type */
#define BRANCH_MAX (6 * NUM_MAX + 3 * BRANCH_NAME)

/* If TYPE has this value, new_type gives the type. */
#define BRANCH_TYPE_EXTENDED 15

/* Returns the name as perf spells it (util/branch.c). */
static const char *
type_name(uint64_t flags)
{
	static const char *const names[] = { "", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET",
		"SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX" };
	static const char *const newer[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5" };
	uint64_t type = flags >> BRANCH_TYPE_SHIFT & 15, more = flags >> BRANCH_NEW_TYPE_SHIFT & 15;

	if (type != BRANCH_TYPE_EXTENDED)
		return names[type];
	return more < sizeof newer / sizeof newer[0] ? newer[more] : "NEW";
}

static char *
put_word(char *p, const char *s)
{
	size_t n = strlen(s);

	*p++ = '/';
	memcpy(p, s, n);
	return p + n;
}

/*
 * Writes FROM/TO/PREDICTION/TX/ABORT/CYCLES/TYPE/SPEC as perf prints them, then the privilege
 * level.
 */
static char *
put_branch(char *p, uint64_t from, uint64_t to, uint64_t flags)
{
	static const char *const specs[] = { "-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
		"SPEC_CORRECT_PATH" };
	static const char *const privs[] = { "-", "u", "k", "h", "-", "-", "-", "-" };

	p += num_put_hex(p, from);
	*p++ = '/';
	p += num_put_hex(p, to);
	*p++ = '/';
	*p++ = (flags & BRANCH_MISPRED) != 0 ? 'M' : (flags & BRANCH_PREDICTED) != 0 ? 'P' : '-';
	*p++ = '/';
	*p++ = (flags & BRANCH_IN_TX) != 0 ? 'X' : '-';
	*p++ = '/';
	*p++ = (flags & BRANCH_ABORT) != 0 ? 'A' : '-';
	*p++ = '/';
	p += num_put_u64(p, flags >> BRANCH_CYCLES_SHIFT & 0xffff);
	p = put_word(p, type_name(flags));
	p = put_word(p, specs[flags >> BRANCH_SPEC_SHIFT & 3]);
	return put_word(p, privs[flags >> BRANCH_PRIV_SHIFT & 7]);
}

/* Writes the branches, newest first. */
static void
branch_entries(struct evwrite *w, const struct sample *s)
{
	struct cur c = s->branch;
	uint64_t i;

	evw_tag_begin(w, SLICE("branches"));
	for (i = 0; i < s->branch_count; i++) {
		uint64_t from = cur_u64(&c), to = cur_u64(&c), flags = cur_bits64(&c);
		char *p = evw_room(w, BRANCH_MAX);

		if (p == NULL)
			return;
		if (i > 0)
			*p++ = ';';
		evw_advance(w, put_branch(p, from, to, flags));
	}
	if (s->branch_count == 0)
		evw_bytes(w, ".", 1);
	evw_tag_end(w, SLICE("branches"));
}

/*
 * Writes a word for each branch.  It contains the event counts up to the branch, as packed by the
 * processor.
 */
static void
branch_counters(struct evwrite *w, const struct sample *s)
{
	struct cur c = s->branch_counters;
	char text[NUM_MAX + 1];
	bool any = false;

	evw_tag_begin(w, SLICE("branch_counters"));
	for (; cur_left(&c) >= 8; any = true) {
		evw_bytes(w, ";", any);
		evw_bytes(w, text, num_put_hex(text, cur_u64(&c)));
	}
	evw_tag_end(w, SLICE("branch_counters"));
}

static void
branches(struct evwrite *w, const struct sample *s)
{
	branch_entries(w, s);
	if (s->branch_hw_index != UINT64_MAX)
		evw_tag_u64(w, SLICE("hw_idx"), s->branch_hw_index);
	if (cur_left(&s->branch_counters) >= 8)
		branch_counters(w, s);
}

/*
 * ---- the source of the data, and the state of the transaction: union perf_mem_data_src and
 * PERF_TXN_* in include/uapi/linux/perf_event.h
 */

/* Writes the names of a group of bits, the lowest of which means "not available". */
static void
bit_group(struct evwrite *w, struct slice key, uint64_t bits, const char *const *names,
    size_t count)
{
	if ((bits & 1) == 0)
		tags_put_bits(w, key, bits, names, count);
}

static void
memory_level(struct evwrite *w, uint64_t v)
{
	static const char *const names[] = { NULL, "hit", "miss", "L1", "LFB", "L2", "L3",
		"local_RAM", "remote_RAM_1", "remote_RAM_2", "remote_cache_1", "remote_cache_2",
		"IO", "uncached" };
	static const char *const numbers[] = { NULL, "L1", "L2", "L3", "L4", "L2_MHB",
		"memory_side_cache", "L0", "uncached", "CXL", "IO", "any_cache", "LFB", "RAM",
		"PMEM", NULL };
	const char *number = numbers[v >> 33 & 15];

	bit_group(w, SLICE("mem_lvl"), v >> 5 & 0x3fff, names, COUNT(names));
	if (number != NULL)
		evw_tag_raw(w, SLICE("mem_lvl_num"), slice_of(number));
	if ((v >> 37 & 1) != 0)
		evw_tag_u64(w, SLICE("mem_remote"), 1);
	if ((v >> 43 & 7) != 0)
		evw_tag_u64(w, SLICE("mem_hops"), v >> 43 & 7);
}

/* Writes the number, then its known parts as words.  "not available" is not printed. */
static void
data_source(struct evwrite *w, uint64_t v)
{
	static const char *const ops[] = { NULL, "load", "store", "prefetch", "exec" };
	static const char *const snoops[] = { NULL, "none", "hit", "miss", "hitm" };
	static const char *const snoopx[] = { "fwd", "peer" };
	static const char *const tlbs[] = { NULL, "hit", "miss", "L1", "L2", "walker", "fault" };
	static const char *const blocks[] = { NULL, "data", "addr" };

	evw_tag_hex(w, SLICE("data_src"), v);
	if (v == 0)
		return;
	bit_group(w, SLICE("mem_op"), v & 31, ops, COUNT(ops));
	memory_level(w, v);
	bit_group(w, SLICE("mem_snoop"), v >> 19 & 31, snoops, COUNT(snoops));
	tags_put_bits(w, SLICE("mem_snoopx"), v >> 38 & 3, snoopx, COUNT(snoopx));
	bit_group(w, SLICE("mem_tlb"), v >> 26 & 127, tlbs, COUNT(tlbs));
	if ((v >> 24 & 1) == 0)
		evw_tag_raw(w, SLICE("mem_lock"), (v >> 25 & 1) != 0 ? SLICE("yes") : SLICE("no"));
	bit_group(w, SLICE("mem_blk"), v >> 40 & 7, blocks, COUNT(blocks));
	if ((v >> 46 & 31) != 0)
		evw_tag_u64(w, SLICE("mem_region"), v >> 46 & 31);
}

static void
transaction(struct evwrite *w, uint64_t v)
{
	static const char *const names[] = { "elision", "transaction", "sync", "async", "retry",
		"conflict", "capacity_write", "capacity_read" };

	evw_tag_hex(w, SLICE("transaction"), v);
	tags_put_bits(w, SLICE("tx_flags"), v & 0xffffffff, names, COUNT(names));
	if (v >> 32 != 0)
		evw_tag_hex(w, SLICE("tx_abort"), v >> 32);
}

/* ---- the fields of a tracepoint */

static void
find_format(struct run *run, struct event *event, const struct sample_line *l)
{
	struct err e;
	int rc = tracedata_format(&run->events->tracing, event->attr.config, &event->format, &e);

	event->format_sought = true;
	if (rc == ERR_DATA) {
		err_at_byte(&e, l->rec->offset);
		input_report(run->input, &e);
	} else if (rc != 0) {
		evw_nomem(run->w);
	}
}

/* Writes the fields.  Returns false if the tags do not cover the whole sample. */
static bool
tracepoint(struct run *run, const struct sample_line *l)
{
	const struct sample *s = l->s;
	struct event *event = l->event;
	enum trace_rest rest;
	struct err e;

	if (!event->format_sought)
		find_format(run, event, l);
	if (event->format == NULL)
		return false;
	rest = trace_format_put(run->w, event->format, run->opt->all, s->raw, s->raw_size);
	if (rest == TRACE_SHORT && !event->short_reported) {
		event->short_reported = true;
		err_byte(&e, l->rec->offset,
		    "sample with %" PRIu32 " raw bytes: its event's format has fields beyond them",
		    s->raw_size);
		input_report(run->input, &e);
	}
	return rest == TRACE_ALL;
}

/* ---- all of these tags */

/* Writes ABI:VALUE;VALUE... in the order of the attr's mask, low bit first. */
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

/* Writes the three numbers in one word: latency, instruction latency, retire latency. */
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

/* Writes registers, raw bytes and stack dumps, which are long and rarely needed. */
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
		tags_put_bytes(w, SLICE("stack_dump"), s->stack, (size_t)s->stack_size);
	}
	if ((s->have & S_RAW) != 0)
		tags_put_bytes(w, SLICE("raw"), s->raw, s->raw_size);
	if ((s->have & S_AUX) != 0) {
		evw_tag_u64(w, SLICE("aux_size"), s->aux_size);
		tags_put_bytes(w, SLICE("aux"), s->aux, (size_t)s->aux_size);
	}
}

/* Writes the id as it was recorded, and its path if a record gave one. */
static void
control_group(struct run *run, uint64_t id)
{
	const struct slice *path = state_cgroup(run->state, id);

	evw_tag_u64(run->w, SLICE("cgroup_id"), id);
	if (path != NULL)
		evw_tag_raw(run->w, SLICE("cgroup"), *path);
}

/*
 * Returns the id of the line's event.  Of a counter without one only that of its sample is known.
 */
static uint64_t
id_of(const struct sample *s, const struct counter *counter)
{
	return counter != NULL && (counter->format & R_ID) != 0 ? counter->id : s->id;
}

void
extras_put(struct samples *to, const struct sample_line *l, const struct counter *counter)
{
	struct evwrite *w = to->run->w;
	const struct sample *s = l->s;
	uint64_t have = s->have;
	bool complete = true;

	if (have & S_ADDR)
		evw_tag_hex(w, SLICE("addr"), s->addr);
	if (have & S_PHYS_ADDR)
		evw_tag_hex(w, SLICE("phys_addr"), s->phys_addr);
	if (have & (S_WEIGHT | S_WEIGHT_STRUCT))
		weight(w, s);
	if (have & S_DATA_SRC)
		data_source(w, s->data_src);
	if (have & S_TRANSACTION)
		transaction(w, s->transaction);
	if (have & S_DATA_PAGE)
		evw_tag_u64(w, SLICE("data_page_size"), s->data_page);
	if (have & S_CODE_PAGE)
		evw_tag_u64(w, SLICE("code_page_size"), s->code_page);
	if (have & S_BRANCH_STACK)
		branches(w, s);
	if (have & S_STREAM_ID)
		evw_tag_hex(w, SLICE("stream"), s->stream_id);
	if (have & (S_ID | S_IDENTIFIER))
		evw_tag_hex(w, SLICE("id"), id_of(s, counter));
	if (have & S_CGROUP)
		control_group(to->run, s->cgroup);
	if ((have & S_RAW) != 0 && l->event->attr.type == PTYPE_TRACEPOINT)
		complete = tracepoint(to->run, l);
	if (to->run->opt->all)
		bulk(w, &l->event->attr, s);
	else if (!complete)
		tags_put_bytes(w, SLICE("raw"), s->raw, s->raw_size);
}
