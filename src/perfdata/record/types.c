/* SPDX-License-Identifier: ISC */
/*
 * types.c - the table of record types: the kind and the fields of their lines, and code for
 * everything that a list of fields cannot describe.
 *
 * lib/kinds.c determines whether programs that transform the stream pass on a kind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "src/perfdata/record/parts.h"
#include "src/perfdata/tags.h"

#define ERROR_TEXT 64
#define METADATA_KEY 64
#define METADATA_VALUE 256
#define METADATA_ITEM (METADATA_KEY + METADATA_VALUE)
#define METADATA_NAME 512 /* KSYM_NAME_LEN, which was smaller in older kernels */

/* ---- the kernel's records */

static void
put_mmap(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	unsigned mode = r->misc & MISC_CPUMODE;

	(void)c, (void)n;
	if ((r->misc & MISC_MMAP_DATA) != 0)
		evw_tag_u64(run->w, SLICE("data"), 1);
	if ((r->misc & MISC_PARSE_TIMEOUT) != 0)
		evw_tag_u64(run->w, SLICE("timeout"), 1);
	if (mode != MODE_UNKNOWN && mode <= MODE_GUEST_USER)
		evw_tag_raw(run->w, SLICE("mode"), (struct slice){ &MODE_LETTERS[mode], 1 });
}

/* Writes the fields of MMAP2 between pgoff and the file's name. */
static void
put_mmap2(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct evwrite *w = run->w;
	uint32_t prot, flags;

	if ((r->misc & MISC_MMAP_BUILD_ID) != 0) {
		uint8_t len = cur_u8(c);
		const unsigned char *id;

		(void)cur_take(c, 3);
		id = cur_take(c, BUILD_ID_MAX);
		tags_put_bytes(w, SLICE("build_id"), id, len < BUILD_ID_MAX ? len : BUILD_ID_MAX);
	} else {
		fields_put(w, "maj:u min:u ino:q ino_generation:q", c);
	}
	prot = cur_u32(c);
	flags = cur_u32(c);
	if (!cur_ok(c))
		return;
	evw_tag_hex(w, SLICE("prot"), prot);
	evw_tag_hex(w, SLICE("flags"), flags);
	fields_put(w, "file:s", c);
	put_mmap(run, r, c, n);
}

static void
put_comm(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)c, (void)n;
	if ((r->misc & MISC_COMM_EXEC) != 0)
		evw_tag_u64(run->w, SLICE("exec"), 1);
}

static void
put_fork(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)c, (void)n;
	if ((r->misc & MISC_FORK_EXEC) != 0)
		evw_tag_u64(run->w, SLICE("exec"), 1);
}

static void
put_switch(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)c, (void)n;
	evw_tag_raw(run->w, SLICE("dir"),
	    (r->misc & MISC_SWITCH_OUT) != 0 ? SLICE("out") : SLICE("in"));
	if ((r->misc & MISC_SWITCH_PREEMPT) != 0)
		evw_tag_u64(run->w, SLICE("preempt"), 1);
}

/*
 * Writes DEV:INO for each namespace.  The key is the one used in /proc/PID/ns, with _ns added if
 * that key has another meaning.
 */
static void
put_namespaces(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid_ns", "user", "mnt",
		"cgroup_ns" };
	uint64_t count = cur_u64(c), i;

	(void)r, (void)n;
	for (i = 0; i < count && cur_left(c) >= 16; i++) {
		uint64_t dev = cur_u64(c), ino = cur_u64(c);
		char key[NUM_MAX + 2] = "ns", text[2 * NUM_MAX], *p = text;
		struct slice name = { key, 2 };

		if (i < sizeof names / sizeof names[0])
			name = slice_of(names[i]);
		else
			name.len += num_put_u64(key + 2, i);
		p += num_put_u64(p, dev);
		*p++ = ':';
		p += num_put_u64(p, ino);
		evw_tag_raw(run->w, name, (struct slice){ text, (size_t)(p - text) });
	}
}

static bool
namespaces_fit(struct cur c)
{
	uint64_t n;

	(void)cur_take(&c, 8);
	n = cur_u64(&c);
	return cur_ok(&c) && n <= cur_left(&c) / 16;
}

static void
put_bpf(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	if (cur_left(c) >= 8)
		tags_put_bytes(run->w, SLICE("tag"), cur_take(c, 8), 8);
}

/*
 * Writes the bytes of code before and after the change.  Their lengths are in the two fields before
 * them.
 */
static void
put_poke(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur lengths = events_body(run->events, r);
	const unsigned char *before, *after;
	uint16_t old_len, new_len;

	(void)cur_u64(&lengths);
	old_len = cur_u16(&lengths);
	new_len = cur_u16(&lengths);
	(void)n;
	before = cur_take(c, old_len);
	after = cur_take(c, new_len);
	if (!cur_ok(c))
		return;
	tags_put_bytes(run->w, SLICE("old"), before, old_len);
	tags_put_bytes(run->w, SLICE("new"), after, new_len);
}

static bool
poke_fits(struct cur c)
{
	uint16_t old_len, new_len;

	(void)cur_u64(&c);
	old_len = cur_u16(&c);
	new_len = cur_u16(&c);
	return cur_left(&c) >= (size_t)old_len + new_len;
}

static void
put_chain(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur ips = fields_items(c, n, 8);

	(void)r;
	tags_put_words(run->w, SLICE("ips"), &ips);
}

/* ---- perf's own records */

/* Reads a text of ROOM bytes, which are there, or up to a NUL inside them. */
static struct slice
take_text(struct cur *c, size_t room)
{
	struct cur part = cur_sub(c, room);
	struct slice s;

	s.p = cur_rest_string(&part, &s.len);
	return s;
}

static void
put_attr(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct attr_values values;
	struct cur peek = *c, attr;
	uint32_t size;

	(void)r, (void)n;
	(void)cur_u32(&peek); /* type */
	size = cur_u32(&peek);
	attr = cur_sub(c, size == 0 ? ATTR_SIZE_MIN : size);
	if (!cur_ok(&attr))
		return;
	attr_read(&values, &attr);
	if (values.count <= ATTR_FLAGS)
		return;
	attr_put_numbers(run->w, &values);
	if (cur_left(&attr) > 0)
		tags_put_bytes(run->w, SLICE("more"), attr.p, cur_left(&attr));
	tags_put_words(run->w, SLICE("ids"), c);
}

/*
 * Writes the entries.  After all entries, newer versions of perf append the guest and the virtual
 * processor of each.
 */
static void
put_id_index(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 32);
	bool guests = n != 0 && n <= cur_left(c) / 16, first = true;

	(void)r;
	evw_tag_begin(run->w, SLICE("ids"));
	for (; cur_left(&items) >= 32; first = false) {
		uint64_t id = cur_u64(&items), idx = cur_u64(&items);
		int64_t cpu = (int64_t)cur_u64(&items), tid = (int64_t)cur_u64(&items);

		tags_put_item(run->w, first, "0x%" PRIx64 ":%" PRIu64 ":%" PRId64 ":%" PRId64, id,
		    idx, cpu, tid);
		if (guests) {
			int64_t machine = (int64_t)cur_u64(c), vcpu = (int64_t)cur_u64(c);
			char text[64];
			int len =
			    snprintf(text, sizeof text, ":%" PRId64 ":%" PRId64, machine, vcpu);

			evw_bytes(run->w, text, (size_t)len);
		}
	}
	tags_end_list(run->w, SLICE("ids"), first);
}

static void
put_auxtrace_info(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	(void)cur_u32(c); /* reserved */
	tags_put_words(run->w, SLICE("priv"), c);
}

/* Writes the error.  The first format has no time, and the third also has the guest. */
static void
put_auxtrace_error(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur head = events_body(run->events, r);
	uint32_t format;

	(void)n;
	(void)cur_take(&head, 20);
	format = cur_u32(&head);
	if (format >= 1)
		fields_put(run->w, "at:q", c);
	if (format >= 2 && cur_left(c) >= ERROR_TEXT) {
		struct cur text = cur_sub(c, ERROR_TEXT);

		fields_put(run->w, "message:s", &text);
		fields_put(run->w, "machine:d vcpu:d", c);
	} else {
		fields_put(run->w, "message:s", c);
	}
}

static void
put_thread_map(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 8 + THREAD_COMM_SIZE);
	bool first = true;

	(void)r;
	evw_tag_begin(run->w, SLICE("threads"));
	for (; cur_left(&items) >= 8 + THREAD_COMM_SIZE; first = false) {
		int64_t pid = (int64_t)cur_u64(&items);
		struct slice comm = take_text(&items, THREAD_COMM_SIZE);

		tags_put_item(run->w, first, "%" PRId64 ":%.*s", pid, (int)comm.len, comm.p);
	}
	tags_end_list(run->w, SLICE("threads"), first);
}

static void
put_cpus(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur peek = *c;
	uint16_t encoding = cur_u16(&peek);
	struct cpumap cpus = { 0 };
	struct buf list = { 0 };
	struct err e;

	(void)r, (void)n;
	if (!cur_ok(&peek))
		return;
	if (cpumap_take(&cpus, c, &e) == ERR_SYS || !cpumap_put(&cpus, ';', &list))
		evw_nomem(run->w);
	evw_tag_u64(run->w, SLICE("encoding"), encoding);
	evw_tag_raw(run->w, SLICE("cpus"), list.len == 0 ? SLICE(".") : buf_slice(&list));
	buf_free(&list);
	cpumap_free(&cpus);
}

static void
put_stat_config(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 16);
	bool first = true;

	(void)r;
	evw_tag_begin(run->w, SLICE("config"));
	for (; cur_left(&items) >= 16; first = false) {
		uint64_t tag = cur_u64(&items), value = cur_u64(&items);
		const char *name = fields_name(NAMES_STAT_CONFIG, tag);

		if (name != NULL)
			tags_put_item(run->w, first, "%s:%" PRIu64, name, value);
		else
			tags_put_item(run->w, first, "%" PRIu64 ":%" PRIu64, tag, value);
	}
	tags_end_list(run->w, SLICE("config"), first);
}

static void
put_scale(struct evwrite *w, struct cur *c)
{
	uint64_t bits = cur_u64(c);
	char text[NUM_MAX];
	double v;

	if (!cur_ok(c))
		return;
	memcpy(&v, &bits, sizeof v);
	evw_tag_begin(w, SLICE("scale"));
	evw_bytes(w, text, num_put_double(text, v));
	evw_tag_end(w, SLICE("scale"));
}

static void
put_event_update(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur head = events_body(run->events, r);

	switch (cur_u64(&head)) {
	case UPDATE_UNIT: fields_put(run->w, "unit:s", c); break;
	case UPDATE_SCALE: put_scale(run->w, c); break;
	case UPDATE_NAME: fields_put(run->w, "name:s", c); break;
	case UPDATE_CPUS: put_cpus(run, r, c, n); break;
	}
}

static void
put_compressed(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	evw_tag_u64(run->w, SLICE("bytes"), cur_left(c));
}

/*
 * Returns true if the items that are counted after a name of that many bytes fill the rest exactly.
 */
static bool
metadata_fills(struct cur c, size_t name, uint64_t *n)
{
	(void)cur_take(&c, name);
	*n = cur_u64(&c);
	return cur_ok(&c) && *n <= cur_left(&c) / METADATA_ITEM &&
	    *n * METADATA_ITEM == cur_left(&c);
}

/*
 * Finds the length of the program's name, which is not in the record and depends on the kernel.
 * Returns 0 if no length fits.
 */
static size_t
metadata_name(struct cur c, uint64_t *n)
{
	size_t size = cur_left(&c), items, rest;

	if (metadata_fills(c, METADATA_NAME, n))
		return METADATA_NAME;
	for (items = size / METADATA_ITEM + 1; items-- > 0;) {
		rest = 8 + METADATA_ITEM * items;
		if (rest < size && size - rest < METADATA_NAME && metadata_fills(c, size - rest, n))
			return size - rest;
	}
	return 0;
}

static bool
metadata_fits(struct cur c)
{
	uint64_t n;

	return metadata_name(c, &n) != 0;
}

static void
put_metadata(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	size_t length = metadata_name(*c, &n);
	struct cur name = cur_sub(c, length);
	bool first = true;

	(void)r;
	if (length == 0)
		return;
	(void)cur_u64(c);
	fields_put(run->w, "prog:s", &name);
	evw_tag_u64(run->w, SLICE("entries"), n);
	evw_tag_begin(run->w, SLICE("metadata"));
	for (; cur_left(c) >= METADATA_ITEM; first = false) {
		struct slice key = take_text(c, METADATA_KEY);
		struct slice value = take_text(c, METADATA_VALUE);

		tags_put_item(run->w, first, "%.*s:%.*s", (int)key.len, key.p, (int)value.len,
		    value.p);
	}
	tags_end_list(run->w, SLICE("metadata"), first);
}

/* Writes the counters.  Their number and meaning depend on the version. */
static void
put_counters(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	bool first = true;

	(void)r, (void)n;
	evw_tag_begin(run->w, SLICE("counters"));
	for (; cur_left(c) >= 4; first = false)
		tags_put_item(run->w, first, "%" PRIu32, cur_u32(c));
	tags_end_list(run->w, SLICE("counters"), first);
}

/* ---- simpleperf's records */

static void
put_sp_bytes(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	evw_tag_u64(run->w, SLICE("bytes"), cur_left(c));
}

/* Writes a dso.  Older records have the name where newer ones have the lowest address. */
static void
put_sp_dso(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	bool older = cur_left(c) < 8 || c->p[0] == '/' || c->p[0] == '[';

	(void)r, (void)n;
	if (!older)
		fields_put(run->w, "min_vaddr:x", c);
	fields_put(run->w, "name:s", c);
}

/* Writes the fields that newer versions have after the known ones. */
static void
put_sp_rest(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	if (cur_left(c) > 0)
		tags_put_bytes(run->w, SLICE("more"), c->p, cur_left(c));
}

static void
put_sp_ids(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 16);
	bool first = true;

	(void)r;
	evw_tag_begin(run->w, SLICE("ids"));
	for (; cur_left(&items) >= 16; first = false) {
		uint64_t attr = cur_u64(&items), id = cur_u64(&items);

		tags_put_item(run->w, first, "%" PRIu64 ":0x%" PRIx64, attr, id);
	}
	tags_end_list(run->w, SLICE("ids"), first);
}

/* Writes a count, that many addresses, then as many stack pointers. */
static void
put_sp_chain(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur ips = fields_items(c, n, 8), sps = fields_items(c, n, 8);

	(void)r;
	tags_put_words(run->w, SLICE("ips"), &ips);
	tags_put_words(run->w, SLICE("sps"), &sps);
}

/* Writes a 4-byte length, then that many bytes: the kernel's symbols, or tracing data. */
static void
put_sp_text(struct run *run, const struct rec *r, struct cur *c, uint64_t n)
{
	uint32_t stored = cur_u32(c);
	size_t len = stored < cur_left(c) ? stored : cur_left(c);
	const unsigned char *p = cur_take(c, len);

	(void)n;
	if (p == NULL)
		return;
	evw_tag_u64(run->w, SLICE("bytes"), stored);
	if (r->type == REC_SP_KERNEL_SYMBOL)
		evw_tag_text(run->w, SLICE("text"), (struct slice){ (const char *)p, len });
	else
		tags_put_bytes(run->w, SLICE("data"), p, len);
}

/* ---- the table */

/* The numbers T in the texts are defined in parts.h. */
static const struct record_type kernel[] = {
	[REC_MMAP] = { .kind = "mmap",
	    .fields = "pid:d tid:d addr:x len:x pgoff:x file:s",
	    .rest = put_mmap },
	[REC_LOST] = { .kind = "lost", .fields = "id:x lost:q" },
	[REC_COMM] = { .kind = "comm", .fields = "pid:d tid:d name:s", .rest = put_comm },
	[REC_EXIT] = { .kind = "exit", .fields = "pid:d ppid:d tid:d ptid:d at:q" },
	[REC_THROTTLE] = { .kind = "throttle", .fields = "at:q id:x stream:x" },
	[REC_UNTHROTTLE] = { .kind = "unthrottle", .fields = "at:q id:x stream:x" },
	[REC_FORK] = { .kind = "fork",
	    .fields = "pid:d ppid:d tid:d ptid:d at:q",
	    .rest = put_fork },
	[REC_READ] = { .kind = "read", .fields = "pid:d tid:d" },
	[REC_SAMPLE] = { .kind = "sample" },
	[REC_MMAP2] = { .kind = "mmap",
	    .name = "mmap2",
	    .fields = "pid:d tid:d addr:x len:x pgoff:x",
	    .rest = put_mmap2 },
	[REC_AUX] = { .kind = "aux", .fields = "offset:x size:x flags:g3" },
	[REC_ITRACE_START] = { .kind = "itrace_start", .fields = "pid:d tid:d" },
	[REC_LOST_SAMPLES] = { .kind = "lost", .name = "lost_samples", .fields = "lost:q" },
	[REC_SWITCH] = { .kind = "switch", .rest = put_switch },
	[REC_SWITCH_CPU_WIDE] = { .kind = "switch",
	    .name = "switch_cpu_wide",
	    .fields = "next_prev_pid:d next_prev_tid:d",
	    .rest = put_switch },
	[REC_NAMESPACES] = { .kind = "namespaces",
	    .fields = "pid:d tid:d",
	    .rest = put_namespaces,
	    .fits = namespaces_fit },
	[REC_KSYMBOL] = { .kind = "ksymbol", .fields = "addr:x len:y type:w0 flags:f1 name:s" },
	[REC_BPF_EVENT] = { .kind = "bpf_event",
	    .fields = "type:w2 flags:h prog:u",
	    .rest = put_bpf },
	[REC_CGROUP] = { .kind = "cgroup", .fields = "cgroup_id:q cgroup:s" },
	[REC_TEXT_POKE] = { .kind = "text_poke",
	    .fields = "addr:x old_len:h new_len:h",
	    .rest = put_poke,
	    .fits = poke_fits },
	[REC_AUX_OUTPUT_HW_ID] = { .kind = "aux_output_hw_id", .fields = "hw_id:x" },
	[REC_CALLCHAIN_DEFERRED] = { .kind = "callchain_deferred",
	    .fields = "cookie:x count:n8",
	    .rest = put_chain },
};

/* TRACING_DATA and BUILD_ID become lines of kind header. */
static const struct record_type user[] = {
	[REC_HEADER_ATTR - REC_USER] = { .kind = "header_attr", .rest = put_attr },
	[REC_EVENT_TYPE - REC_USER] = { .kind = "event_type",
	    .name = "header_event_type",
	    .fields = "id:x name:s" },
	[REC_TRACING_DATA - REC_USER] = { .name = "header_tracing_data" },
	[REC_BUILD_ID - REC_USER] = { .name = "header_build_id" },
	[REC_FINISHED_ROUND - REC_USER] = { .kind = "finished_round" },
	[REC_ID_INDEX -
	    REC_USER] = { .kind = "id_index", .fields = "entries:n32", .rest = put_id_index },
	[REC_AUXTRACE_INFO -
	    REC_USER] = { .kind = "auxtrace_info", .fields = "type:v4", .rest = put_auxtrace_info },
	[REC_AUXTRACE - REC_USER] = { .kind = "auxtrace",
	    .fields = "size:q offset:x reference:x idx:u thread:d on_cpu:d" },
	[REC_AUXTRACE_ERROR - REC_USER] = { .kind = "auxtrace_error",
	    .fields = "type:v5 code:u on_cpu:d pid:d tid:d fmt:u ip:x",
	    .rest = put_auxtrace_error },
	[REC_THREAD_MAP -
	    REC_USER] = { .kind = "thread_map", .fields = "entries:n24", .rest = put_thread_map },
	[REC_CPU_MAP - REC_USER] = { .kind = "cpu_map", .rest = put_cpus, .fits = cpumap_fits },
	[REC_STAT_CONFIG -
	    REC_USER] = { .kind = "stat_config", .fields = "entries:n16", .rest = put_stat_config },
	[REC_STAT - REC_USER] = { .kind = "stat",
	    .fields = "id:x on_cpu:d thread:d count:q enabled:q running:q" },
	[REC_STAT_ROUND - REC_USER] = { .kind = "stat_round", .fields = "type:z6 at:q" },
	[REC_EVENT_UPDATE - REC_USER] = { .kind = "event_update",
	    .fields = "type:z7 id:x",
	    .rest = put_event_update },
	[REC_TIME_CONV - REC_USER] = { .kind = "time_conv",
	    .fields = "shift:q mult:q zero:q | cycles:q mask:x cap_zero:b cap_short:b" },
	[REC_HEADER_FEATURE - REC_USER] = { .kind = "header_feature", .fields = "feature:q" },
	[REC_COMPRESSED - REC_USER] = { .kind = "compressed", .rest = put_compressed },
	[REC_FINISHED_INIT - REC_USER] = { .kind = "finished_init" },
	[REC_COMPRESSED2 - REC_USER] = { .kind = "compressed2", .fields = "bytes:q" },
	[REC_BPF_METADATA -
	    REC_USER] = { .kind = "bpf_metadata", .rest = put_metadata, .fits = metadata_fits },
	[REC_SCHEDSTAT_CPU - REC_USER] = { .kind = "schedstat_cpu",
	    .fields = "at:q on_cpu:d version:h | -:p yld_count:u array_exp:u sched_count:u "
		      "sched_goidle:u ttwu_count:u ttwu_local:u rq_cpu_time:q run_delay:q "
		      "pcount:q" },
	[REC_SCHEDSTAT_DOMAIN - REC_USER] = { .kind = "schedstat_domain",
	    .fields = "at:q on_cpu:d version:h domain:h",
	    .rest = put_counters },
};

static const struct record_type android[] = {
	[REC_SP_KERNEL_SYMBOL - REC_SP] = { .kind = "sp_kernel_symbol", .rest = put_sp_text },
	[REC_SP_DSO - REC_SP] = { .kind = "sp_dso", .fields = "type:q id:q", .rest = put_sp_dso },
	[REC_SP_SYMBOL -
	    REC_SP] = { .kind = "sp_symbol", .fields = "addr:x len:x dso_id:q name:s" },
	[REC_SP_SPLIT - REC_SP] = { .kind = "sp_split", .rest = put_sp_bytes },
	[REC_SP_SPLIT_END - REC_SP] = { .kind = "sp_split_end" },
	[REC_SP_EVENT_ID -
	    REC_SP] = { .kind = "sp_event_id", .fields = "entries:n16", .rest = put_sp_ids },
	[REC_SP_CALLCHAIN - REC_SP] = { .kind = "sp_callchain",
	    .fields = "pid:d tid:d type:z8 at:q count:n16",
	    .rest = put_sp_chain },
	[REC_SP_UNWINDING_RESULT - REC_SP] = { .kind = "sp_unwinding_result",
	    .fields = "at:q used:q | code:q info:x stack_start:x stack_end:x",
	    .rest = put_sp_rest },
	[REC_SP_TRACING_DATA - REC_SP] = { .kind = "sp_tracing_data", .rest = put_sp_text },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns the row of a type in that table, or NULL if there is none. */
static const struct record_type *
row_of(const struct record_type *table, size_t count, uint32_t row)
{
	if (row >= count || (table[row].kind == NULL && table[row].name == NULL))
		return NULL;
	return &table[row];
}

const struct record_type *
record_type_of(uint32_t type)
{
	if (type < REC_USER)
		return row_of(kernel, COUNT(kernel), type);
	if (type < REC_SP)
		return row_of(user, COUNT(user), type - REC_USER);
	return row_of(android, COUNT(android), type - REC_SP);
}
