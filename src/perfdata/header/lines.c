/* SPDX-License-Identifier: ISC */
/*
 * lines.c - writes features as lines of kind header: the table of features, and a reader for each.
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/num.h"
#include "src/perfdata/header/parts.h"
#include "src/perfdata/tags.h"

#define STRING_MAX ((uint32_t)1024 * 1024)
#define COMPRESSED_ZSTD 1

/* ---- how lines are written */

struct evwrite *
feature_begin(const struct feature *f, const char *name)
{
	struct evwrite *w = f->run->w;

	evw_begin(w, SLICE("header"));
	evw_none(w);
	evw_raw(w, buf_slice(&f->run->id));
	evw_none(w);
	evw_raw(w, slice_of(name));
	return w;
}

/* Ends a line.  After EVENT_DESC the names of the events are known, so the run may begin. */
void
feature_end(const struct feature *f)
{
	evw_end(f->run->w);
	if (f->number > FEAT_EVENT_DESC)
		run_hold_less(f->run);
}

static void
put_text(const struct feature *f, const char *name, struct slice value)
{
	evw_text(feature_begin(f, name), value);
	feature_end(f);
}

static void
put_u64(const struct feature *f, const char *name, uint64_t value)
{
	evw_u64(feature_begin(f, name), value);
	feature_end(f);
}

bool
feature_string(struct cur *c, struct slice *s)
{
	uint32_t len = cur_u32(c);
	struct cur text = cur_sub(c, len > STRING_MAX ? SIZE_MAX : len);

	s->p = cur_rest_string(&text, &s->len);
	return cur_ok(c);
}

/* ---- readers of the shortest features */

static bool
put_one_text(struct feature *f)
{
	struct slice s;

	if (!feature_string(&f->c, &s))
		return false;
	put_text(f, f->name, s);
	return true;
}

static bool
put_one_u64(struct feature *f)
{
	uint64_t v = cur_u64(&f->c);

	if (!cur_ok(&f->c))
		return false;
	put_u64(f, f->name, v);
	return true;
}

static bool
put_one_u32(struct feature *f)
{
	uint32_t v = cur_u32(&f->c);

	if (!cur_ok(&f->c))
		return false;
	put_u64(f, f->name, v);
	return true;
}

/* Handles a feature without contents, whose presence is enough. */
static bool
put_flag(struct feature *f)
{
	evw_none(feature_begin(f, f->name));
	feature_end(f);
	return true;
}

/* Writes the offsets of AUX trace records.  simpleperf writes the index without its length. */
static bool
put_auxtrace(struct feature *f)
{
	uint64_t n = cur_left(&f->c) / 16;

	if (cur_left(&f->c) % 16 == 8) {
		n = cur_u64(&f->c);
		if (n > cur_left(&f->c) / 16)
			return false;
	}
	for (; n > 0; n--) {
		uint64_t offset = cur_u64(&f->c);
		struct evwrite *w = feature_begin(f, f->name);

		evw_u64(w, offset);
		evw_tag_u64(w, SLICE("size"), cur_u64(&f->c));
		feature_end(f);
	}
	return cur_left(&f->c) == 0;
}

static bool
put_sample_time(struct feature *f)
{
	uint64_t first = cur_u64(&f->c), last = cur_u64(&f->c);

	if (!cur_ok(&f->c))
		return false;
	put_u64(f, "sample_time_first", first);
	put_u64(f, "sample_time_last", last);
	return true;
}

static bool
put_clock_data(struct feature *f)
{
	uint32_t version = cur_u32(&f->c);
	int32_t id = (int32_t)cur_u32(&f->c);
	uint64_t wall = cur_u64(&f->c), time = cur_u64(&f->c);
	const char *clock = attr_clock_name(id);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = feature_begin(f, f->name);
	evw_u64(w, time);
	evw_tag_u64(w, SLICE("wall_ns"), wall);
	evw_tag_i64(w, SLICE("clockid"), id);
	if (clock != NULL)
		evw_tag_raw(w, SLICE("clock"), slice_of(clock));
	evw_tag_u64(w, SLICE("version"), version);
	feature_end(f);
	return true;
}

static bool
put_compressed(struct feature *f)
{
	uint32_t version = cur_u32(&f->c), type = cur_u32(&f->c), level = cur_u32(&f->c),
		 ratio = cur_u32(&f->c), mmap_len = cur_u32(&f->c);
	struct evwrite *w;

	if (!cur_ok(&f->c))
		return false;
	w = feature_begin(f, f->name);
	if (type == COMPRESSED_ZSTD)
		evw_raw(w, SLICE("zstd"));
	else
		evw_u64(w, type);
	evw_tag_u64(w, SLICE("version"), version);
	evw_tag_u64(w, SLICE("level"), level);
	evw_tag_u64(w, SLICE("ratio"), ratio);
	evw_tag_u64(w, SLICE("mmap_len"), mmap_len);
	feature_end(f);
	return true;
}

/* Writes the words as a list.  command_line has joined them already. */
static bool
put_cmdline(struct feature *f)
{
	const struct buf *line = &f->run->origin.cmdline;
	uint32_t n = cur_u32(&f->c), i;
	struct cur walk = f->c;
	struct evwrite *w;
	struct slice s;

	for (i = 0; i < n; i++)
		if (!feature_string(&walk, &s))
			return false;
	if (!cur_ok(&f->c))
		return false;
	w = feature_begin(f, f->name);
	if (line->len != 0)
		evw_raw(w, buf_slice(line));
	else
		evw_none(w);
	evw_tag_begin(w, SLICE("argv"));
	for (i = 0; i < n; i++) {
		(void)feature_string(&f->c, &s);
		evw_bytes(w, ";", i > 0);
		evw_element(w, s);
	}
	evw_bytes(w, ".", n == 0);
	evw_tag_end(w, SLICE("argv"));
	feature_end(f);
	return true;
}

/* ---- the machine: processors, memory, caches */

/* The number of processors to look for if their actual number is not known. */
#define CPUS_SOUGHT 8192
#define DIES_SOUGHT 1024

/* The maximum number of memory blocks in a node: 32 TiB with the smallest blocks. */
#define BLOCKS_MAX ((uint64_t)1 << 24)

/* Reads the numbers of processors.  The other features that count processors come later. */
static bool
put_nr_cpus(struct feature *f)
{
	uint32_t available = cur_u32(&f->c), online = cur_u32(&f->c);

	if (!cur_ok(&f->c))
		return false;
	f->run->origin.cpus = available;
	put_u64(f, "nr_cpus_available", available);
	put_u64(f, "nr_cpus_online", online);
	return true;
}

static bool
put_total_mem(struct feature *f)
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

/* Reads a count and that many texts, and writes each as a line. */
static bool
put_texts(struct feature *f, const char *name)
{
	uint32_t n = cur_u32(&f->c), i;
	struct slice s;

	for (i = 0; i < n; i++) {
		if (!feature_string(&f->c, &s))
			return false;
		put_text(f, name, s);
	}
	return cur_ok(&f->c);
}

/*
 * Returns true if the ids of n processors at c, which are there, are followed by nothing or by the
 * dies of n processors.
 */
static bool
is_count(struct cur c, size_t n)
{
	uint32_t dies, i;

	(void)cur_take(&c, n * 8);
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
 * Returns the number of processors whose ids are at c.  NRCPUS, which comes earlier, gives that
 * number.  Without it, the right number is the one that uses up the bytes exactly.
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

/* Reads the topology.  perf before 4.4 wrote no ids of processors, and before 5.3 no dies. */
static bool
put_cpu_topology(struct feature *f)
{
	struct cur ids, dies = { 0 };
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

static bool
put_numa(struct feature *f)
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

static bool
put_caches(struct feature *f)
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

/* Writes the set bits as the kernel writes lists of processors: 0-23,32.  Returns their number. */
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

	(void)cur_u64(&f->c); /* the number of bits, repeated */
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

static bool
put_mem_topology(struct feature *f)
{
	uint64_t version = cur_u64(&f->c), block_size = cur_u64(&f->c), n = cur_u64(&f->c);

	if (!cur_ok(&f->c) || version != 1)
		return false;
	put_u64(f, "mem_block_size", block_size);
	for (; n > 0; n--)
		if (!put_mem_node(f, block_size))
			return false;
	return true;
}

static bool
put_hybrid(struct feature *f)
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

/* Writes a domain.  Domains have names from version 17 of /proc/schedstat on. */
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

static bool
put_cpu_domains(struct feature *f)
{
	uint32_t version = cur_u32(&f->c), domains = cur_u32(&f->c), i;

	if (!cur_ok(&f->c))
		return false;
	put_u64(f, "schedstat_version", version);
	put_u64(f, "max_sched_domains", domains);
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

static bool
put_e_machine(struct feature *f)
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

/* ---- events, their groups, and the units (PMUs) that count them */

/* Writes a tag with a list of the u64 values in c, in hex.  Writes no tag if there are none. */
static void
put_hex_list(struct evwrite *w, struct slice key, struct cur c)
{
	if (cur_left(&c) >= 8)
		tags_put_words(w, key, &c);
}

static bool
put_events(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), attr_size = cur_u32(&f->c), i;

	if (!cur_ok(&f->c) || (n > 0 && attr_size < ATTR_SIZE_MIN))
		return false;
	for (i = 0; i < n; i++) {
		struct cur attr = cur_sub(&f->c, attr_size), ids;
		struct attr_values values;
		uint32_t nids = cur_u32(&f->c);
		struct slice name;
		struct evwrite *w;

		if (!feature_string(&f->c, &name) || nids > cur_left(&f->c) / 8)
			return false;
		ids = cur_sub(&f->c, (size_t)nids * 8);
		w = feature_begin(f, f->name);
		evw_text(w, name);
		attr_read(&values, &attr);
		attr_put_words(w, &values);
		evw_tag_u64(w, SLICE("ids_count"), nids);
		put_hex_list(w, SLICE("ids"), ids);
		feature_end(f);
	}
	return true;
}

/*
 * Writes the names of the group's events, the leader first.  An event is in only one group, so all
 * groups together have no more than *left events.
 */
static void
put_members(struct evwrite *w, const struct events *ev, uint32_t leader, uint32_t members,
    size_t *left)
{
	size_t n = leader < ev->count ? ev->count - leader : 0, i, k;

	n = members < n ? members : n;
	n = *left < n ? *left : n;
	*left -= n;
	if (n == 0)
		return;
	evw_tag_begin(w, SLICE("events"));
	for (i = 0; i < n; i++) {
		const struct buf *name = &ev->item[leader + i].name;

		evw_bytes(w, ";", i > 0);
		for (k = 0; k < name->len; k++) /* already escaped as a column */
			evw_bytes(w, name->p[k] == ';' ? "\\x3b" : name->p + k,
			    name->p[k] == ';' ? 4 : 1);
	}
	evw_tag_end(w, SLICE("events"));
}

static bool
put_groups(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;
	size_t left = f->run->events->count;

	for (i = 0; i < n; i++) {
		struct slice name;
		uint32_t leader, members;
		struct evwrite *w;

		if (!feature_string(&f->c, &name))
			return false;
		leader = cur_u32(&f->c);
		members = cur_u32(&f->c);
		if (!cur_ok(&f->c))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, name);
		evw_tag_u64(w, SLICE("leader"), leader);
		evw_tag_u64(w, SLICE("members"), members);
		put_members(w, f->run->events, leader, members, &left);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

static bool
put_pmus(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t type = cur_u32(&f->c);
		struct slice name;
		struct evwrite *w;

		if (!feature_string(&f->c, &name))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, name);
		evw_tag_u64(w, SLICE("type"), type);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

/* Writes n pairs of name and value.  pmu.p is NULL for the processor's own capabilities. */
static bool
put_caps(struct feature *f, struct cur *c, uint32_t n, struct slice pmu)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct slice name, value;
		struct evwrite *w;

		if (!feature_string(c, &name) || !feature_string(c, &value))
			return false;
		w = feature_begin(f, f->name);
		evw_text(w, name);
		if (pmu.p != NULL)
			evw_tag_text(w, SLICE("pmu"), pmu);
		evw_tag_text(w, SLICE("value"), value);
		feature_end(f);
	}
	return true;
}

static bool
put_cpu_pmu_caps(struct feature *f)
{
	uint32_t n = cur_u32(&f->c);

	return cur_ok(&f->c) && put_caps(f, &f->c, n, (struct slice){ NULL, 0 });
}

/* Reads the capabilities of a unit, whose name follows them. */
static bool
put_pmu_caps(struct feature *f)
{
	uint32_t pmus = cur_u32(&f->c), i, k;

	for (i = 0; i < pmus; i++) {
		uint32_t n = cur_u32(&f->c);
		struct cur caps = f->c;
		struct slice s;

		for (k = 0; k < n; k++)
			if (!feature_string(&f->c, &s) || !feature_string(&f->c, &s))
				return false;
		if (!feature_string(&f->c, &s))
			return false;
		(void)put_caps(f, &caps, n, s);
	}
	return cur_ok(&f->c);
}

/*
 * ---- BPF programs: struct bpf_prog_info in include/uapi/linux/bpf.h, inside struct perf_bpil in
 * tools/perf/util/bpf-utils.h.  Its pointers are offsets into the data after it.
 */

#define TAG_SIZE 8
#define PROGRAM_NAME_SIZE 16

struct program {
	uint32_t type, id;
	const unsigned char *tag;
	uint32_t jited_len, xlated_len;
	uint64_t load_time;
	uint32_t uid, maps;
	struct slice name;
	uint32_t functions, lens; /* numbers of functions and of lens */
	uint64_t function_at, len_at; /* offsets in the data */
	uint32_t btf;
};

/* Reads the info.  In older kernels it is shorter, and missing fields are 0. */
static void
take_program(struct program *p, struct cur c)
{
	struct cur name;

	*p = (struct program){ .type = cur_u32(&c) };
	p->id = cur_u32(&c);
	p->tag = cur_take(&c, TAG_SIZE);
	p->jited_len = cur_u32(&c);
	p->xlated_len = cur_u32(&c);
	(void)cur_take(&c, 16);
	p->load_time = cur_u64(&c);
	p->uid = cur_u32(&c);
	p->maps = cur_u32(&c);
	(void)cur_u64(&c);
	name = cur_sub(&c, PROGRAM_NAME_SIZE);
	p->name.p = cur_rest_string(&name, &p->name.len);
	(void)cur_take(&c, 24);
	p->functions = cur_u32(&c);
	p->lens = cur_u32(&c);
	p->function_at = cur_u64(&c);
	p->len_at = cur_u64(&c);
	p->btf = cur_u32(&c);
}

/* Returns an array inside the data, empty if it does not fit. */
static struct cur
array(struct cur data, uint64_t at, uint32_t n, unsigned width)
{
	struct cur none = { .bad = true };

	if (at > cur_left(&data) || n > (cur_left(&data) - at) / width)
		return none;
	(void)cur_take(&data, (size_t)at);
	return cur_sub(&data, (size_t)n * width);
}

static void
put_u32_list(struct evwrite *w, struct slice key, struct cur c)
{
	char digits[NUM_MAX];
	bool more = false;

	if (cur_left(&c) == 0)
		return;
	evw_tag_begin(w, key);
	for (; cur_left(&c) > 0; more = true) {
		evw_bytes(w, ";", more);
		evw_bytes(w, digits, num_put_u64(digits, cur_u32(&c)));
	}
	evw_tag_end(w, key);
}

static void
put_program(struct feature *f, const struct program *p, struct cur data)
{
	struct evwrite *w = feature_begin(f, f->name);

	evw_u64(w, p->id);
	evw_tag_u64(w, SLICE("type"), p->type);
	evw_tag_begin(w, SLICE("tag"));
	evw_hex_bytes(w, p->tag, p->tag == NULL ? 0 : TAG_SIZE);
	evw_tag_end(w, SLICE("tag"));
	evw_tag_text(w, SLICE("name"), p->name);
	evw_tag_u64(w, SLICE("jited_len"), p->jited_len);
	evw_tag_u64(w, SLICE("xlated_len"), p->xlated_len);
	evw_tag_u64(w, SLICE("load_time"), p->load_time);
	evw_tag_u64(w, SLICE("uid"), p->uid);
	evw_tag_u64(w, SLICE("maps"), p->maps);
	evw_tag_u64(w, SLICE("btf"), p->btf);
	put_hex_list(w, SLICE("addrs"), array(data, p->function_at, p->functions, 8));
	put_u32_list(w, SLICE("lens"), array(data, p->len_at, p->lens, 4));
	evw_tag_u64(w, SLICE("bytes"), cur_left(&data));
	feature_end(f);
}

static bool
put_bpf_progs(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t info_len = cur_u32(&f->c), data_len = cur_u32(&f->c);
		struct cur info, data;
		struct program p;

		(void)cur_u64(&f->c); /* a mask of the arrays that are present */
		info = cur_sub(&f->c, info_len);
		data = cur_sub(&f->c, data_len);
		if (!cur_ok(&f->c))
			return false;
		take_program(&p, info);
		put_program(f, &p, data);
	}
	return cur_ok(&f->c);
}

static bool
put_btfs(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t id = cur_u32(&f->c), size = cur_u32(&f->c);
		struct evwrite *w;

		if (cur_take(&f->c, size) == NULL)
			return false;
		w = feature_begin(f, f->name);
		evw_u64(w, id);
		evw_tag_u64(w, SLICE("bytes"), size);
		feature_end(f);
	}
	return cur_ok(&f->c);
}

/* ---- the table */

struct feature_row {
	unsigned feature;
	const char *name;
	feature_reader *read; /* NULL: only its size is printed, or, for BUILD_ID, see feature.c */
};

static const struct feature_row rows[] = {
	{ FEAT_TRACING_DATA, "tracing_data", NULL },
	{ FEAT_BUILD_ID, "build_id", NULL },
	{ FEAT_HOSTNAME, "hostname", put_one_text },
	{ FEAT_OSRELEASE, "os_release", put_one_text },
	{ FEAT_VERSION, "version", put_one_text },
	{ FEAT_ARCH, "arch", put_one_text },
	{ FEAT_NRCPUS, "nr_cpus", put_nr_cpus },
	{ FEAT_CPUDESC, "cpu_desc", put_one_text },
	{ FEAT_CPUID, "cpu_id", put_one_text },
	{ FEAT_TOTAL_MEM, "total_mem", put_total_mem },
	{ FEAT_CMDLINE, "cmdline", put_cmdline },
	{ FEAT_EVENT_DESC, "event", put_events },
	{ FEAT_CPU_TOPOLOGY, "cpu", put_cpu_topology },
	{ FEAT_NUMA_TOPOLOGY, "numa_node", put_numa },
	{ FEAT_BRANCH_STACK, "branch_stack", put_flag },
	{ FEAT_PMU_MAPPINGS, "pmu", put_pmus },
	{ FEAT_GROUP_DESC, "group", put_groups },
	{ FEAT_AUXTRACE, "auxtrace", put_auxtrace },
	{ FEAT_STAT, "stat", put_flag },
	{ FEAT_CACHE, "cache", put_caches },
	{ FEAT_SAMPLE_TIME, "sample_time", put_sample_time },
	{ FEAT_MEM_TOPOLOGY, "mem_node", put_mem_topology },
	{ FEAT_CLOCKID, "clockid_res", put_one_u64 },
	{ FEAT_DIR_FORMAT, "dir_format", put_one_u64 },
	{ FEAT_BPF_PROG_INFO, "bpf_prog", put_bpf_progs },
	{ FEAT_BPF_BTF, "btf", put_btfs },
	{ FEAT_COMPRESSED, "compressed", put_compressed },
	{ FEAT_CPU_PMU_CAPS, "cpu_pmu_cap", put_cpu_pmu_caps },
	{ FEAT_CLOCK_DATA, "clock_data", put_clock_data },
	{ FEAT_HYBRID_TOPOLOGY, "hybrid", put_hybrid },
	{ FEAT_PMU_CAPS, "pmu_cap", put_pmu_caps },
	{ FEAT_CPU_DOMAIN_INFO, "cpu_domain", put_cpu_domains },
	{ FEAT_E_MACHINE, "e_machine", put_e_machine },
	{ FEAT_CLN_SIZE, "cln_size", put_one_u32 },
	{ FEAT_FILE, "file", feature_files },
	{ FEAT_META_INFO, "meta_info", feature_meta_info },
	{ FEAT_DEBUG_UNWIND, "debug_unwind", feature_debug_unwind },
	{ FEAT_DEBUG_UNWIND_FILE, "debug_unwind_file", NULL },
	{ FEAT_FILE2, "file", feature_files2 },
};

static const struct feature_row *
row_of(uint64_t feature)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].feature == feature)
			return &rows[i];
	return NULL;
}

bool
feature_has_lines(uint64_t feature)
{
	const struct feature_row *row = row_of(feature);

	return row != NULL && row->read != NULL;
}

int
feature_put(struct run *run, unsigned feature, struct cur c, struct err *e)
{
	const struct feature_row *row = row_of(feature);
	struct feature f = { run, feature, NULL, c };

	if (row == NULL || row->read == NULL) {
		feature_put_size(run, feature, cur_left(&c));
		return 0;
	}
	f.name = row->name;
	if (row->read(&f))
		return 0;
	return err_data(e, "header feature %u (%s) is damaged", feature, f.name);
}

void
feature_put_size(struct run *run, uint64_t feature, uint64_t bytes)
{
	const struct feature_row *row = row_of(feature);
	struct feature f = { .run = run, .number = feature };
	struct evwrite *w;
	char name[40];

	if (row != NULL) {
		w = feature_begin(&f, row->name);
		/* pipe mode pads it to a multiple of 8; print the same size in both modes */
		evw_u64(w, feature == FEAT_TRACING_DATA ? (bytes + 7) & ~(uint64_t)7 : bytes);
	} else {
		snprintf(name, sizeof name, "feature.%" PRIu64, feature);
		w = feature_begin(&f, name);
		evw_none(w);
		evw_tag_u64(w, SLICE("bytes"), bytes);
	}
	feature_end(&f);
}
