/* SPDX-License-Identifier: ISC */
/*
 * memory.c - where a sample's data came from, and the state of its transaction.
 *
 * Bits: union perf_mem_data_src and PERF_TXN_* in include/uapi/linux/perf_event.h.
 */
#include "src/perfdata/decoder.h"
#include "src/perfdata/record/fields.h"

#define COUNT(names) (sizeof(names) / sizeof(names)[0])

/* A group of bits, the lowest of which means "not available". */
static void
group(struct evwrite *w, struct slice key, uint64_t bits, const char *const *names, size_t count)
{
	if ((bits & 1) == 0)
		fields_put_bits(w, key, bits, names, count);
}

static void
level(struct evwrite *w, uint64_t v)
{
	static const char *const names[] = { NULL, "hit", "miss", "L1", "LFB", "L2", "L3",
		"local_RAM", "remote_RAM_1", "remote_RAM_2", "remote_cache_1", "remote_cache_2",
		"IO", "uncached" };
	static const char *const numbers[] = { NULL, "L1", "L2", "L3", "L4", "L2_MHB",
		"memory_side_cache", "L0", "uncached", "CXL", "IO", "any_cache", "LFB", "RAM",
		"PMEM", NULL };
	const char *number = numbers[v >> 33 & 15];

	group(w, SLICE("mem_lvl"), v >> 5 & 0x3fff, names, COUNT(names));
	if (number != NULL)
		evw_tag_raw(w, SLICE("mem_lvl_num"), slice_of(number));
	if ((v >> 37 & 1) != 0)
		evw_tag_u64(w, SLICE("mem_remote"), 1);
	if ((v >> 43 & 7) != 0)
		evw_tag_u64(w, SLICE("mem_hops"), v >> 43 & 7);
}

/* The number, then the known parts in words: "not available" is not printed. */
void
memory_put(struct evwrite *w, uint64_t v)
{
	static const char *const ops[] = { NULL, "load", "store", "prefetch", "exec" };
	static const char *const snoops[] = { NULL, "none", "hit", "miss", "hitm" };
	static const char *const snoopx[] = { "fwd", "peer" };
	static const char *const tlbs[] = { NULL, "hit", "miss", "L1", "L2", "walker", "fault" };
	static const char *const blocks[] = { NULL, "data", "addr" };

	evw_tag_hex(w, SLICE("data_src"), v);
	if (v == 0)
		return;
	group(w, SLICE("mem_op"), v & 31, ops, COUNT(ops));
	level(w, v);
	group(w, SLICE("mem_snoop"), v >> 19 & 31, snoops, COUNT(snoops));
	fields_put_bits(w, SLICE("mem_snoopx"), v >> 38 & 3, snoopx, COUNT(snoopx));
	group(w, SLICE("mem_tlb"), v >> 26 & 127, tlbs, COUNT(tlbs));
	if ((v >> 24 & 1) == 0)
		evw_tag_raw(w, SLICE("mem_lock"), (v >> 25 & 1) != 0 ? SLICE("yes") : SLICE("no"));
	group(w, SLICE("mem_blk"), v >> 40 & 7, blocks, COUNT(blocks));
	if ((v >> 46 & 31) != 0)
		evw_tag_u64(w, SLICE("mem_region"), v >> 46 & 31);
}

void
memory_put_transaction(struct evwrite *w, uint64_t v)
{
	static const char *const names[] = { "elision", "transaction", "sync", "async", "retry",
		"conflict", "capacity_write", "capacity_read" };

	evw_tag_hex(w, SLICE("transaction"), v);
	fields_put_bits(w, SLICE("tx_flags"), v & 0xffffffff, names, COUNT(names));
	if (v >> 32 != 0)
		evw_tag_hex(w, SLICE("tx_abort"), v >> 32);
}
