/* SPDX-License-Identifier: ISC */
/* machine.c - features about the machine: processors, memory, caches. */
#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/header/parts.h"

/* How many processors are looked for if their number is not known. */
#define CPUS_SOUGHT 8192
#define DIES_SOUGHT 1024

/* Blocks of memory that a node may have: 32 TiB of the smallest. */
#define BLOCKS_MAX ((uint64_t)1 << 24)

/* The other features that count processors come after this one. */
bool
feature_nr_cpus(struct feature *f)
{
	uint32_t available = cur_u32(&f->c), online = cur_u32(&f->c);

	if (!cur_ok(&f->c))
		return false;
	f->run->origin.cpus = available;
	feature_put_u64(f, "nr_cpus_available", available);
	feature_put_u64(f, "nr_cpus_online", online);
	return true;
}

bool
feature_total_mem(struct feature *f)
{
	uint64_t v = cur_u64(&f->c);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = feature_begin(f, f->name);
	evw_u64(w, v);
	evw_tag_raw(w, SLICE("unit"), SLICE("KiB"));
	feature_end(f);
	return true;
}

/* A count and that many texts, each a line. */
static bool
put_texts(struct feature *f, const char *name)
{
	uint32_t n = cur_u32(&f->c), i;
	struct slice s;

	for (i = 0; i < n; i++) {
		if (!feature_string(&f->c, &s))
			return false;
		feature_put_text(f, name, s);
	}
	return cur_ok(&f->c);
}

/* Are the ids of n processors at c followed by nothing, or by the dies of n processors? */
static bool
is_count(struct cur c, size_t n)
{
	uint32_t dies, i;

	if (cur_take(&c, n * 8) == NULL)
		return false;
	if (cur_left(&c) == 0)
		return true;
	dies = cur_u32(&c);
	if (dies > DIES_SOUGHT)
		return false;
	for (i = 0; i < dies && cur_ok(&c); i++)
		(void)cur_take(&c, cur_u32(&c));
	return cur_ok(&c) && cur_left(&c) == n * 4;
}

/*
 * How many processors have their ids at c.  NRCPUS, which comes before, gives the number;
 * without it, it is the count that uses up the bytes exactly.
 */
static size_t
count_cpus(uint32_t available, struct cur c)
{
	size_t n;

	if (available != 0)
		return available;
	for (n = 1; n <= CPUS_SOUGHT && n <= cur_left(&c) / 8; n++)
		if (is_count(c, n))
			return n;
	return cur_left(&c) / 8;
}

static void
put_cpus(struct feature *f, struct cur ids, struct cur dies)
{
	bool with_dies = cur_left(&dies) > 0;
	uint32_t cpu;

	for (cpu = 0; cur_left(&ids) >= 8; cpu++) {
		struct evwrite *w = feature_begin(f, f->name);

		evw_u64(w, cpu);
		evw_tag_i64(w, SLICE("core"), (int32_t)cur_u32(&ids));
		evw_tag_i64(w, SLICE("socket"), (int32_t)cur_u32(&ids));
		if (with_dies)
			evw_tag_i64(w, SLICE("die"), (int32_t)cur_u32(&dies));
		feature_end(f);
	}
}

/* perf before 4.4 wrote no ids of processors, before 5.3 no dies. */
bool
feature_cpu_topology(struct feature *f)
{
	struct cur ids, dies = { .bad = true };
	size_t n;

	if (!put_texts(f, "sibling_sockets") || !put_texts(f, "sibling_threads"))
		return false;
	if (cur_left(&f->c) == 0)
		return true;
	n = count_cpus(f->run->origin.cpus, f->c);
	if (n > cur_left(&f->c) / 8)
		return false;
	ids = cur_sub(&f->c, n * 8);
	if (cur_left(&f->c) > 0) {
		if (!put_texts(f, "sibling_dies") || n > cur_left(&f->c) / 4)
			return false;
		dies = cur_sub(&f->c, n * 4);
	}
	put_cpus(f, ids, dies);
	return true;
}

bool
feature_numa(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t node = cur_u32(&f->c);
		uint64_t total = cur_u64(&f->c), free = cur_u64(&f->c);
		struct slice cpus;
		struct evwrite *w;

		if (!feature_string(&f->c, &cpus))
			return false;
		w = feature_begin(f, f->name);
		evw_u64(w, node);
		evw_tag_u64(w, SLICE("total"), total);
		evw_tag_u64(w, SLICE("free"), free);
		evw_tag_raw(w, SLICE("unit"), SLICE("KiB"));
		evw_tag_text(w, SLICE("cpus"), cpus);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

bool
feature_caches(struct feature *f)
{
	uint32_t version = cur_u32(&f->c), n = cur_u32(&f->c), i;

	if (version != 1)
		return false;
	for (i = 0; i < n; i++) {
		uint32_t level = cur_u32(&f->c), line = cur_u32(&f->c), sets = cur_u32(&f->c),
			 ways = cur_u32(&f->c);
		struct slice type, size, cpus;
		struct evwrite *w;

		if (!feature_string(&f->c, &type) || !feature_string(&f->c, &size) ||
		    !feature_string(&f->c, &cpus))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, type);
		evw_tag_u64(w, SLICE("level"), level);
		evw_tag_text(w, SLICE("size"), size);
		evw_tag_u64(w, SLICE("line"), line);
		evw_tag_u64(w, SLICE("sets"), sets);
		evw_tag_u64(w, SLICE("ways"), ways);
		evw_tag_text(w, SLICE("cpus"), cpus);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

static void
put_range(struct evwrite *w, uint64_t first, uint64_t last, bool more)
{
	char text[60];
	int n;

	if (first == last)
		n = snprintf(text, sizeof text, "%s%" PRIu64, more ? "," : "", first);
	else
		n = snprintf(text, sizeof text, "%s%" PRIu64 "-%" PRIu64, more ? "," : "", first,
		    last);
	evw_bytes(w, text, (size_t)n);
}

/* The set bits, as the kernel writes lists of processors: 0-23,32.  Returns how many. */
static uint64_t
put_ranges(struct evwrite *w, struct cur words, uint64_t bits)
{
	uint64_t word = 0, count = 0, first = 0, i;
	bool inside = false, more = false;

	for (i = 0; i <= bits; i++) {
		bool set;

		if (i % 64 == 0 && i < bits)
			word = cur_u64(&words);
		set = i < bits && (word >> i % 64 & 1) != 0;
		count += set;
		if (set && !inside)
			first = i;
		if (!set && inside) {
			put_range(w, first, i - 1, more);
			more = true;
		}
		inside = set;
	}
	evw_bytes(w, ".", count == 0);
	return count;
}

static bool
put_mem_node(struct feature *f, uint64_t block_size)
{
	uint64_t node = cur_u64(&f->c), bits, count;
	struct cur words;
	struct evwrite *w;

	(void)cur_u64(&f->c); /* bits, once more */
	bits = cur_u64(&f->c);
	if (bits > BLOCKS_MAX)
		return false;
	words = cur_sub(&f->c, (size_t)((bits + 63) / 64 * 8));
	if (!cur_ok(&f->c))
		return false;
	w = feature_begin(f, f->name);
	evw_u64(w, node);
	evw_tag_begin(w, SLICE("blocks"));
	count = put_ranges(w, words, bits);
	evw_tag_end(w, SLICE("blocks"));
	if (count == 0 || block_size <= UINT64_MAX / count)
		evw_tag_u64(w, SLICE("bytes"), count * block_size);
	feature_end(f);
	return true;
}

bool
feature_mem_topology(struct feature *f)
{
	uint64_t version = cur_u64(&f->c), block_size = cur_u64(&f->c), n = cur_u64(&f->c);

	if (!cur_ok(&f->c) || version != 1)
		return false;
	feature_put_u64(f, "mem_block_size", block_size);
	for (; n > 0; n--)
		if (!put_mem_node(f, block_size))
			return false;
	return true;
}

bool
feature_hybrid(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		struct slice pmu, cpus;
		struct evwrite *w;

		if (!feature_string(&f->c, &pmu) || !feature_string(&f->c, &cpus))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, pmu);
		evw_tag_text(w, SLICE("cpus"), cpus);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

/* Domains have names from version 17 of /proc/schedstat on. */
static bool
put_domain(struct feature *f, uint32_t cpu, bool named)
{
	uint32_t domain = cur_u32(&f->c);
	struct slice name = SLICE(""), mask, cpus;
	struct evwrite *w;

	if ((named && !feature_string(&f->c, &name)) || !feature_string(&f->c, &mask) ||
	    !feature_string(&f->c, &cpus))
		return false;
	w = feature_begin(f, f->name);
	evw_u64(w, cpu);
	evw_tag_u64(w, SLICE("domain"), domain);
	if (named)
		evw_tag_text(w, SLICE("name"), name);
	evw_tag_text(w, SLICE("mask"), mask);
	evw_tag_text(w, SLICE("cpus"), cpus);
	feature_end(f);
	return true;
}

bool
feature_cpu_domains(struct feature *f)
{
	uint32_t version = cur_u32(&f->c), domains = cur_u32(&f->c), i;

	if (!cur_ok(&f->c))
		return false;
	feature_put_u64(f, "schedstat_version", version);
	feature_put_u64(f, "max_sched_domains", domains);
	while (cur_left(&f->c) > 0) {
		uint32_t cpu = cur_u32(&f->c), n = cur_u32(&f->c);

		if (!cur_ok(&f->c))
			return false;
		for (i = 0; i < n; i++)
			if (!put_domain(f, cpu, version >= 17))
				return false;
	}
	return true;
}

bool
feature_e_machine(struct feature *f)
{
	uint32_t machine = cur_u32(&f->c), flags = cur_u32(&f->c);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = feature_begin(f, f->name);
	evw_u64(w, machine);
	evw_tag_hex(w, SLICE("flags"), flags);
	feature_end(f);
	return true;
}
