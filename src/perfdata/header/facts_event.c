/* SPDX-License-Identifier: ISC */
/*
 * facts_event.c - facts of the header about events, their groups, and the units (PMUs)
 * that count them.
 */
#include "src/perfdata/abi.h"
#include "src/perfdata/header/facts.h"
#include "src/perfdata/record/fields.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The offset of the bit-field in an attr. */
#define FLAGS_AT 40

static const char *const sample_words[] = {
	"ip",
	"tid",
	"time",
	"addr",
	"read",
	"callchain",
	"id",
	"cpu",
	"period",
	"stream_id",
	"raw",
	"branch_stack",
	"regs_user",
	"stack_user",
	"weight",
	"data_src",
	"identifier",
	"transaction",
	"regs_intr",
	"phys_addr",
	"aux",
	"cgroup",
	"data_page_size",
	"code_page_size",
	"weight_struct",
};

static const char *const read_words[] = {
	"total_time_enabled",
	"total_time_running",
	"id",
	"group",
	"lost",
};

static const char *const flag_words[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	NULL, /* precise_ip has two bits, and a tag of its own */
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};

static const char *const branch_words[] = {
	"user",
	"kernel",
	"hv",
	"any",
	"any_call",
	"any_return",
	"ind_call",
	"abort_tx",
	"in_tx",
	"no_tx",
	"cond",
	"call_stack",
	"ind_jump",
	"call",
	"no_flags",
	"no_cycles",
	"type_save",
	"hw_index",
	"priv_save",
	"counters",
};

/* Numbers are printed if they are not 0. */
static void
some_u64(struct evwrite *w, struct slice key, uint64_t v)
{
	if (v != 0)
		evw_tag_u64(w, key, v);
}

static void
some_hex(struct evwrite *w, struct slice key, uint64_t v)
{
	if (v != 0)
		evw_tag_hex(w, key, v);
}

/* Fields from PERF_ATTR_SIZE_VER1 on: 0 if the attr is too short for them. */
static void
newer_fields(struct evwrite *w, struct cur *c, uint64_t flags)
{
	int32_t clockid;

	some_hex(w, SLICE("config2"), cur_u64(c));
	fields_put_bits(w, SLICE("branch_sample_type"), cur_u64(c), branch_words,
	    COUNT(branch_words));
	some_hex(w, SLICE("sample_regs_user"), cur_u64(c));
	some_u64(w, SLICE("sample_stack_user"), cur_u32(c));
	clockid = (int32_t)cur_u32(c);
	if ((flags & A_USE_CLOCKID) != 0)
		evw_tag_i64(w, SLICE("clockid"), clockid);
	some_hex(w, SLICE("sample_regs_intr"), cur_u64(c));
	some_u64(w, SLICE("aux_watermark"), cur_u32(c));
	some_u64(w, SLICE("sample_max_stack"), cur_u16(c));
	(void)cur_u16(c);
	some_u64(w, SLICE("aux_sample_size"), cur_u32(c));
	some_hex(w, SLICE("aux_action"), cur_u32(c));
	some_hex(w, SLICE("sig_data"), cur_u64(c));
	some_hex(w, SLICE("config3"), cur_u64(c));
	some_hex(w, SLICE("config4"), cur_u64(c));
}

/* The attr at c; it holds at least the fields of PERF_ATTR_SIZE_VER0. */
static void
put_attr(struct evwrite *w, struct cur c)
{
	struct cur peek = c;
	uint64_t flags, read_format;

	(void)cur_take(&peek, FLAGS_AT);
	flags = cur_bits64(&peek);
	evw_tag_u64(w, SLICE("type"), cur_u32(&c));
	evw_tag_u64(w, SLICE("size"), cur_u32(&c));
	evw_tag_hex(w, SLICE("config"), cur_u64(&c));
	some_u64(w, (flags & A_FREQ) != 0 ? SLICE("freq") : SLICE("period"), cur_u64(&c));
	fields_put_bits(w, SLICE("sample_type"), cur_u64(&c), sample_words, COUNT(sample_words));
	read_format = cur_u64(&c);
	fields_put_bits(w, SLICE("read_format"), read_format, read_words, COUNT(read_words));
	(void)cur_u64(&c);
	fields_put_bits(w, SLICE("flags"), flags & ~((uint64_t)3 << A_PRECISE_SHIFT), flag_words,
	    COUNT(flag_words));
	some_u64(w, SLICE("precise_ip"), flags >> A_PRECISE_SHIFT & 3);
	some_u64(w, (flags & A_WATERMARK) != 0 ? SLICE("wakeup_watermark") : SLICE("wakeup_events"),
	    cur_u32(&c));
	some_u64(w, SLICE("bp_type"), cur_u32(&c));
	some_hex(w, SLICE("config1"), cur_u64(&c));
	newer_fields(w, &c, flags);
}

bool
facts_events(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), attr_size = cur_u32(&f->c), i;

	if (!cur_ok(&f->c) || (n > 0 && attr_size < ATTR_SIZE_MIN))
		return false;
	for (i = 0; i < n; i++) {
		struct cur attr = cur_sub(&f->c, attr_size), ids;
		uint32_t nids = cur_u32(&f->c);
		struct slice name;
		struct evwrite *w;

		if (!fact_string(&f->c, &name) || nids > cur_left(&f->c) / 8)
			return false;
		ids = cur_sub(&f->c, (size_t)nids * 8);
		w = fact_begin(f->d, f->name);
		evw_text(w, name);
		put_attr(w, attr);
		evw_tag_u64(w, SLICE("ids_count"), nids);
		fact_hex_list(w, SLICE("ids"), ids);
		fact_end(f->d, f->number);
	}
	return true;
}

/*
 * The names of the group's events, the leader first.  An event is in only one group, so
 * all groups together have no more than *left events.
 */
static void
put_members(struct evwrite *w, const struct decoder *d, uint32_t leader, uint32_t members,
    size_t *left)
{
	size_t n = leader < d->attrs ? d->attrs - leader : 0, i, k;

	n = members < n ? members : n;
	n = *left < n ? *left : n;
	*left -= n;
	if (n == 0)
		return;
	evw_tag_begin(w, SLICE("events"));
	for (i = 0; i < n; i++) {
		const struct buf *name = &d->attr[leader + i].name;

		evw_bytes(w, ";", i > 0);
		for (k = 0; k < name->len; k++) /* escaped as a column already */
			evw_bytes(w, name->p[k] == ';' ? "\\x3b" : name->p + k,
			    name->p[k] == ';' ? 4 : 1);
	}
	evw_tag_end(w, SLICE("events"));
}

bool
facts_groups(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;
	size_t left = f->d->attrs;

	for (i = 0; i < n; i++) {
		struct slice name;
		uint32_t leader, members;
		struct evwrite *w;

		if (!fact_string(&f->c, &name))
			return false;
		leader = cur_u32(&f->c);
		members = cur_u32(&f->c);
		if (!cur_ok(&f->c))
			return false;
		w = fact_begin(f->d, f->name);
		evw_text(w, name);
		evw_tag_u64(w, SLICE("leader"), leader);
		evw_tag_u64(w, SLICE("members"), members);
		put_members(w, f->d, leader, members, &left);
		fact_end(f->d, f->number);
	}
	return cur_ok(&f->c);
}

bool
facts_pmus(struct feature *f)
{
	uint32_t n = cur_u32(&f->c), i;

	for (i = 0; i < n; i++) {
		uint32_t type = cur_u32(&f->c);
		struct slice name;
		struct evwrite *w;

		if (!fact_string(&f->c, &name))
			return false;
		w = fact_begin(f->d, f->name);
		evw_text(w, name);
		evw_tag_u64(w, SLICE("type"), type);
		fact_end(f->d, f->number);
	}
	return cur_ok(&f->c);
}

/* n pairs of name and value; pmu.p is NULL for the processor's own capabilities. */
static bool
put_caps(struct feature *f, struct cur *c, uint32_t n, struct slice pmu)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct slice name, value;
		struct evwrite *w;

		if (!fact_string(c, &name) || !fact_string(c, &value))
			return false;
		w = fact_begin(f->d, f->name);
		evw_text(w, name);
		if (pmu.p != NULL)
			evw_tag_text(w, SLICE("pmu"), pmu);
		evw_tag_text(w, SLICE("value"), value);
		fact_end(f->d, f->number);
	}
	return true;
}

bool
facts_cpu_pmu_caps(struct feature *f)
{
	uint32_t n = cur_u32(&f->c);

	return cur_ok(&f->c) && put_caps(f, &f->c, n, (struct slice){ NULL, 0 });
}

/* The name of the unit follows its capabilities. */
bool
facts_pmu_caps(struct feature *f)
{
	uint32_t pmus = cur_u32(&f->c), i, k;

	for (i = 0; i < pmus; i++) {
		uint32_t n = cur_u32(&f->c);
		struct cur caps = f->c;
		struct slice s;

		for (k = 0; k < n; k++)
			if (!fact_string(&f->c, &s) || !fact_string(&f->c, &s))
				return false;
		if (!fact_string(&f->c, &s) || !put_caps(f, &caps, n, s))
			return false;
	}
	return cur_ok(&f->c);
}
