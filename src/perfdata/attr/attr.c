/* SPDX-License-Identifier: ISC */
/* attr.c - perf_event_attr: the table of its fields, and the code that reads and writes them. */
#include "src/perfdata/attr/attr.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/tags.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const sample_words[] = { "ip", "tid", "time", "addr", "read", "callchain", "id",
	"cpu", "period", "stream_id", "raw", "branch_stack", "regs_user", "stack_user", "weight",
	"data_src", "identifier", "transaction", "regs_intr", "phys_addr", "aux", "cgroup",
	"data_page_size", "code_page_size", "weight_struct" };

static const char *const read_words[] = { "total_time_enabled", "total_time_running", "id", "group",
	"lost" };

/* NULL: precise_ip, see put_flags */
static const char *const flag_words[] = { "disabled", "inherit", "pinned", "exclusive",
	"exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle", "mmap", "comm", "freq",
	"inherit_stat", "enable_on_exec", "task", "watermark", NULL, NULL, "mmap_data",
	"sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel",
	"exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch",
	"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke",
	"build_id", "inherit_thread", "remove_on_exec", "sigtrap", "defer_callchain",
	"defer_output" };

static const char *const branch_words[] = { "user", "kernel", "hv", "any", "any_call", "any_return",
	"ind_call", "abort_tx", "in_tx", "no_tx", "cond", "call_stack", "ind_jump", "call",
	"no_flags", "no_cycles", "type_save", "hw_index", "priv_save", "counters" };

/* How header lines spell a field.  Except for the first fields, numbers appear only if not 0. */
enum spelling {
	AS_NUMBER,
	AS_HEX,
	AS_WORDS, /* a list of the names of its bits */
	AS_CLOCK, /* signed; written only if the attr has a clock */
};

/* Fields from here on are omitted from all lines if they are 0. */
#define ATTR_OPTIONAL ATTR_WAKEUP

static const struct field {
	const char *key; /* in header lines */
	const char *short_key; /* in header_attr lines, where fields of 8 bytes are in hex */
	uint8_t width; /* bytes */
	uint8_t spelling;
	const char *const *words; /* by bit */
	size_t count;
} fields[ATTR_FIELDS] = {
	[ATTR_TYPE] = { "type", "type", 4, AS_NUMBER, NULL, 0 },
	[ATTR_SIZE] = { "size", "size", 4, AS_NUMBER, NULL, 0 },
	[ATTR_CONFIG] = { "config", "config", 8, AS_HEX, NULL, 0 },
	[ATTR_PERIOD] = { "period", "period", 8, AS_NUMBER, NULL, 0 },
	[ATTR_SAMPLE_TYPE] = { "sample_type", "sample_type", 8, AS_WORDS, sample_words,
	    COUNT(sample_words) },
	[ATTR_READ_FORMAT] = { "read_format", "read_format", 8, AS_WORDS, read_words,
	    COUNT(read_words) },
	[ATTR_FLAGS] = { "flags", "flags", 8, AS_WORDS, flag_words, COUNT(flag_words) },
	[ATTR_WAKEUP] = { "wakeup_events", "wakeup", 4, AS_NUMBER, NULL, 0 },
	[ATTR_BP_TYPE] = { "bp_type", "bp_type", 4, AS_NUMBER, NULL, 0 },
	[ATTR_CONFIG1] = { "config1", "config1", 8, AS_HEX, NULL, 0 },
	[ATTR_CONFIG2] = { "config2", "config2", 8, AS_HEX, NULL, 0 },
	[ATTR_BRANCH_SAMPLE_TYPE] = { "branch_sample_type", "branch_sample_type", 8, AS_WORDS,
	    branch_words, COUNT(branch_words) },
	[ATTR_REGS_USER] = { "sample_regs_user", "regs_user", 8, AS_HEX, NULL, 0 },
	[ATTR_STACK_USER] = { "sample_stack_user", "stack_user", 4, AS_NUMBER, NULL, 0 },
	[ATTR_CLOCKID] = { "clockid", "clockid", 4, AS_CLOCK, NULL, 0 },
	[ATTR_REGS_INTR] = { "sample_regs_intr", "regs_intr", 8, AS_HEX, NULL, 0 },
	[ATTR_AUX_WATERMARK] = { "aux_watermark", "aux_watermark", 4, AS_NUMBER, NULL, 0 },
	[ATTR_MAX_STACK] = { "sample_max_stack", "max_stack", 2, AS_NUMBER, NULL, 0 },
	[ATTR_RESERVED] = { NULL, NULL, 2, AS_NUMBER, NULL, 0 },
	[ATTR_AUX_SAMPLE_SIZE] = { "aux_sample_size", "aux_sample_size", 4, AS_NUMBER, NULL, 0 },
	[ATTR_AUX_ACTION] = { "aux_action", "aux_action", 4, AS_HEX, NULL, 0 },
	[ATTR_SIG_DATA] = { "sig_data", "sig_data", 8, AS_HEX, NULL, 0 },
	[ATTR_CONFIG3] = { "config3", "config3", 8, AS_HEX, NULL, 0 },
	[ATTR_CONFIG4] = { "config4", "config4", 8, AS_HEX, NULL, 0 },
};

void
attr_read(struct attr_values *a, struct cur *c)
{
	size_t i;

	*a = (struct attr_values){ .count = 0 };
	for (i = 0; i < ATTR_FIELDS && cur_left(c) >= fields[i].width; i++)
		switch (fields[i].width) {
		case 2: a->v[i] = cur_u16(c); break;
		case 4: a->v[i] = cur_u32(c); break;
		default: a->v[i] = i == ATTR_FLAGS ? cur_bits64(c) : cur_u64(c);
		}
	a->count = i;
}

/* Returns the field's key.  The period is a frequency if A_FREQ is set. */
static struct slice
key_of(const struct attr_values *a, size_t i, const char *key)
{
	if (i == ATTR_PERIOD && (a->v[ATTR_FLAGS] & A_FREQ) != 0)
		return SLICE("freq");
	return slice_of(key);
}

/* Writes the flags.  precise_ip takes two of the bits and has a tag of its own. */
static void
put_flags(struct evwrite *w, uint64_t flags)
{
	const struct field *f = &fields[ATTR_FLAGS];
	uint64_t precise = flags >> A_PRECISE_SHIFT & 3;

	tags_put_bits(w, slice_of(f->key), flags & ~((uint64_t)3 << A_PRECISE_SHIFT), f->words,
	    f->count);
	if (precise != 0)
		evw_tag_u64(w, SLICE("precise_ip"), precise);
}

static void
put_in_words(struct evwrite *w, const struct attr_values *a, size_t i)
{
	const struct field *f = &fields[i];
	struct slice key = key_of(a, i, f->key);
	uint64_t v = a->v[i];
	bool always = i < ATTR_PERIOD;

	if (i == ATTR_WAKEUP && (a->v[ATTR_FLAGS] & A_WATERMARK) != 0)
		key = SLICE("wakeup_watermark");
	switch (f->spelling) {
	case AS_NUMBER:
		if (always || v != 0)
			evw_tag_u64(w, key, v);
		break;
	case AS_HEX:
		if (always || v != 0)
			evw_tag_hex(w, key, v);
		break;
	case AS_WORDS: tags_put_bits(w, key, v, f->words, f->count); break;
	default: /* AS_CLOCK */
		if ((a->v[ATTR_FLAGS] & A_USE_CLOCKID) != 0)
			evw_tag_i64(w, key, (int32_t)(uint32_t)v);
		break;
	}
}

void
attr_put_words(struct evwrite *w, const struct attr_values *a)
{
	size_t i;

	for (i = 0; i < ATTR_FIELDS; i++)
		if (i == ATTR_FLAGS)
			put_flags(w, a->v[i]);
		else if (fields[i].key != NULL)
			put_in_words(w, a, i);
}

void
attr_put_numbers(struct evwrite *w, const struct attr_values *a)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		struct slice key;

		if (fields[i].key == NULL || (i >= ATTR_OPTIONAL && a->v[i] == 0))
			continue;
		key = key_of(a, i, fields[i].short_key);
		if (fields[i].width == 8 && i != ATTR_PERIOD)
			evw_tag_hex(w, key, a->v[i]);
		else
			evw_tag_u64(w, key, a->v[i]);
	}
}

static uint32_t
popcount(uint64_t v)
{
	uint32_t n = 0;

	for (; v != 0; v &= v - 1)
		n++;
	return n;
}

int
attr_parse(struct attr *a, struct cur *outer, struct err *e)
{
	struct cur peek = *outer, c;
	struct attr_values in;
	uint32_t size;

	(void)cur_u32(&peek); /* type */
	size = cur_u32(&peek);
	if (size == 0)
		size = ATTR_SIZE_MIN;
	if (size < ATTR_SIZE_MIN || size > ATTR_SIZE_MAX)
		return err_data(e, "attr of %u bytes", size);
	c = cur_sub(outer, size);
	if (!cur_ok(&c))
		return err_data(e, "attr of %u bytes does not fit into its space", size);
	attr_read(&in, &c);
	*a = (struct attr){
		.type = (uint32_t)in.v[ATTR_TYPE],
		.config = in.v[ATTR_CONFIG],
		.config1 = in.v[ATTR_CONFIG1],
		.config2 = in.v[ATTR_CONFIG2],
		.period = in.v[ATTR_PERIOD],
		.sample_type = in.v[ATTR_SAMPLE_TYPE],
		.read_format = in.v[ATTR_READ_FORMAT],
		.flags = in.v[ATTR_FLAGS],
		.bp_type = (uint32_t)in.v[ATTR_BP_TYPE],
		.branch_sample_type = in.v[ATTR_BRANCH_SAMPLE_TYPE],
		.regs_user = in.v[ATTR_REGS_USER],
		.regs_intr = in.v[ATTR_REGS_INTR],
		.stack_user = (uint32_t)in.v[ATTR_STACK_USER],
		.max_stack = (uint16_t)in.v[ATTR_MAX_STACK],
		.clockid = (int32_t)(uint32_t)in.v[ATTR_CLOCKID],
	};
	a->nregs_user = popcount(a->regs_user);
	a->nregs_intr = popcount(a->regs_intr);
	a->head_size = 8 * popcount(a->sample_type & S_HEAD);
	a->trailer_size = 8 * popcount(a->sample_type & S_TRAILER);
	return 0;
}

struct slice
attr_unit(const struct attr *a)
{
	/* with a frequency and no periods (perf record --no-period) each sample has the value 1 */
	bool samples = (a->flags & A_FREQ) != 0 && (a->sample_type & (S_PERIOD | S_READ)) == 0;

	if (a->type == PTYPE_SOFTWARE && a->config <= 1 && !samples) /* cpu-clock, task-clock */
		return SLICE("ns");
	return SLICE("count");
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

/* ---- names like those of evsel__name() in tools/perf/util/evsel.c */

static const char *const hardware[] = { "cycles", "instructions", "cache-references",
	"cache-misses", "branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
	"stalled-cycles-backend", "ref-cycles" };

static const char *const software[] = { "cpu-clock", "task-clock", "page-faults",
	"context-switches", "cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy", "bpf-output", "cgroup-switches" };

static const char *const cache[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch",
	"node" };
static const char *const cache_op[] = { "load", "store", "prefetch" };
static const char *const cache_ops[] = { "loads", "stores", "prefetches" };
static const char *const cache_result[] = { "refs", "misses" };

static size_t
put(char *dst, size_t at, const char *s)
{
	while (*s != '\0' && at + 1 < ATTR_NAME_MAX)
		dst[at++] = *s++;
	return at;
}

static size_t
put_modifiers(const struct attr *a, char *dst, size_t at)
{
	unsigned precise = (unsigned)(a->flags >> A_PRECISE_SHIFT & 3);
	bool exclude_guest_default = false;
	size_t colon = at;

	at = put(dst, at, ":");
	if ((a->flags & (A_EXCLUDE_USER | A_EXCLUDE_KERNEL | A_EXCLUDE_HV)) != 0) {
		at = put(dst, at, (a->flags & A_EXCLUDE_KERNEL) == 0 ? "k" : "");
		at = put(dst, at, (a->flags & A_EXCLUDE_USER) == 0 ? "u" : "");
		at = put(dst, at, (a->flags & A_EXCLUDE_HV) == 0 ? "h" : "");
		exclude_guest_default = true;
	}
	if (precise != 0) {
		at = put(dst, at, &"ppp"[3 - precise]);
		exclude_guest_default = true;
	}
	if ((a->flags & A_EXCLUDE_HOST) != 0 ||
	    ((a->flags & A_EXCLUDE_GUEST) != 0) == exclude_guest_default) {
		at = put(dst, at, (a->flags & A_EXCLUDE_HOST) == 0 ? "H" : "");
		at = put(dst, at, (a->flags & A_EXCLUDE_GUEST) == 0 ? "G" : "");
	}
	return at == colon + 1 ? colon : at;
}

static size_t
put_cache(const struct attr *a, char *dst)
{
	uint64_t id = a->config & 0xff, op = a->config >> 8 & 0xff, result = a->config >> 16 & 0xff;
	size_t at;

	if (id >= COUNT(cache))
		return put(dst, 0, "unknown-ext-hardware-cache-type");
	if (op >= COUNT(cache_op))
		return put(dst, 0, "unknown-ext-hardware-cache-op");
	if (result >= COUNT(cache_result))
		return put(dst, 0, "unknown-ext-hardware-cache-result");
	at = put(dst, put(dst, 0, cache[id]), "-");
	if (result == 0)
		return put(dst, at, cache_ops[op]);
	return put(dst, put(dst, put(dst, at, cache_op[op]), "-"), cache_result[result]);
}

static size_t
put_breakpoint(const struct attr *a, char *dst)
{
	char text[40];
	size_t at;

	snprintf(text, sizeof text, "mem:0x%" PRIx64 ":", a->config1);
	at = put(dst, 0, text);
	at = put(dst, at, (a->bp_type & 1) != 0 ? "r" : "");
	at = put(dst, at, (a->bp_type & 2) != 0 ? "w" : "");
	return put(dst, at, (a->bp_type & 4) != 0 ? "x" : "");
}

size_t
attr_made_up_name(const struct attr *a, char dst[ATTR_NAME_MAX])
{
	uint64_t config = a->config & 0xffffffff; /* above it: the PMU's type on hybrid machines */
	char text[40];

	switch (a->type) {
	case PTYPE_HARDWARE:
		return put_modifiers(a, dst,
		    put(dst, 0, config < COUNT(hardware) ? hardware[config] : "unknown-hardware"));
	case PTYPE_SOFTWARE:
		return put_modifiers(a, dst,
		    put(dst, 0, config < COUNT(software) ? software[config] : "unknown-software"));
	case PTYPE_HW_CACHE: return put_modifiers(a, dst, put_cache(a, dst));
	case PTYPE_RAW:
		snprintf(text, sizeof text, "raw 0x%" PRIx64, a->config);
		return put_modifiers(a, dst, put(dst, 0, text));
	case PTYPE_TRACEPOINT: return put(dst, 0, "unknown tracepoint");
	case PTYPE_BREAKPOINT: return put_modifiers(a, dst, put_breakpoint(a, dst));
	}
	snprintf(text, sizeof text, "unknown attr type: %" PRIu32, a->type);
	return put(dst, 0, text);
}
