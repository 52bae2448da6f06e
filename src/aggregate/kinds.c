/* SPDX-License-Identifier: ISC */
/* kinds.c - the list of afstream(5), less run, measure and lost, which are kept. */
#include "src/aggregate/kinds.h"

#include <stddef.h>

static const char *const details[] = {
	"section",
	"start",
	"stop",
	"sample",
	"span",
	"agg",
	"pause",
	"model",
	"header",
	"comment",
	"other",
	/* records of perf.data, which are printed on request */
	"mmap",
	"comm",
	"fork",
	"exit",
	"read",
	"switch",
	"throttle",
	"unthrottle",
	"aux",
	"itrace_start",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"cgroup",
	"text_poke",
	"aux_output_hw_id",
	"callchain_deferred",
	"header_attr",
	"event_type",
	"tracing_data",
	"build_id",
	"finished_round",
	"id_index",
	"auxtrace_info",
	"auxtrace",
	"auxtrace_error",
	"thread_map",
	"cpu_map",
	"stat_config",
	"stat",
	"stat_round",
	"event_update",
	"time_conv",
	"header_feature",
	"compressed",
	"finished_init",
	"compressed2",
	"bpf_metadata",
	"schedstat_cpu",
	"schedstat_domain",
};

bool
kind_is_detail(struct slice kind)
{
	size_t i;

	for (i = 0; i < sizeof details / sizeof details[0]; i++)
		if (slice_eq(kind, slice_of(details[i])))
			return true;
	return false;
}
