/* SPDX-License-Identifier: ISC */
/*
 * evname.c - the names that perf makes up for events without a name in the file.
 *
 * They are the same as from evsel__name() in tools/perf/util/evsel.c.
 */
#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",
	"task-clock",
	"page-faults",
	"context-switches",
	"cpu-migrations",
	"minor-faults",
	"major-faults",
	"alignment-faults",
	"emulation-faults",
	"dummy",
	"bpf-output",
	"cgroup-switches",
};

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
