/* SPDX-License-Identifier: ISC */
/* forms.c - the fields of each type of record. */
#include "src/perfdata/abi.h"
#include "src/perfdata/record/record.h"

/* The numbers T in the texts are those of fields.h. */
static const struct form kernel[] = {
	[REC_MMAP] = { "mmap", "pid:d tid:d addr:x len:x pgoff:x file:s", kernrec_mmap, NULL },
	[REC_LOST] = { "lost", "id:x lost:q", NULL, NULL },
	[REC_COMM] = { "comm", "pid:d tid:d name:s", kernrec_comm, NULL },
	[REC_EXIT] = { "exit", "pid:d ppid:d tid:d ptid:d at:q", NULL, NULL },
	[REC_THROTTLE] = { "throttle", "at:q id:x stream:x", NULL, NULL },
	[REC_UNTHROTTLE] = { "unthrottle", "at:q id:x stream:x", NULL, NULL },
	[REC_FORK] = { "fork", "pid:d ppid:d tid:d ptid:d at:q", kernrec_fork, NULL },
	[REC_READ] = { "read", "pid:d tid:d", NULL, NULL },
	[REC_SAMPLE] = { "sample", "", NULL, NULL },
	[REC_MMAP2] = { "mmap", "pid:d tid:d addr:x len:x pgoff:x", kernrec_mmap2, NULL },
	[REC_AUX] = { "aux", "offset:x size:x flags:g3", NULL, NULL },
	[REC_ITRACE_START] = { "itrace_start", "pid:d tid:d", NULL, NULL },
	[REC_LOST_SAMPLES] = { "lost", "lost:q", NULL, NULL },
	[REC_SWITCH] = { "switch", "", kernrec_switch, NULL },
	[REC_SWITCH_CPU_WIDE] = { "switch", "next_prev_pid:d next_prev_tid:d", kernrec_switch,
	    NULL },
	[REC_NAMESPACES] = { "namespaces", "pid:d tid:d", kernrec_namespaces,
	    kernrec_namespaces_fit },
	[REC_KSYMBOL] = { "ksymbol", "addr:x len:y type:w0 flags:f1 name:s", NULL, NULL },
	[REC_BPF_EVENT] = { "bpf_event", "type:w2 flags:h prog:u", kernrec_bpf, NULL },
	[REC_CGROUP] = { "cgroup", "cgroup_id:q cgroup:s", NULL, NULL },
	[REC_TEXT_POKE] = { "text_poke", "addr:x old_len:h new_len:h", kernrec_poke,
	    kernrec_poke_fits },
	[REC_AUX_OUTPUT_HW_ID] = { "aux_output_hw_id", "hw_id:x", NULL, NULL },
	[REC_CALLCHAIN_DEFERRED] = { "callchain_deferred", "cookie:x count:n8", kernrec_chain,
	    NULL },
};

/* TRACING_DATA and BUILD_ID are header lines, facts.h. */
static const struct form user[] = {
	[REC_HEADER_ATTR - REC_USER] = { "header_attr", "", userrec_attr, NULL },
	[REC_EVENT_TYPE - REC_USER] = { "event_type", "id:x name:s", NULL, NULL },
	[REC_FINISHED_ROUND - REC_USER] = { "finished_round", "", NULL, NULL },
	[REC_ID_INDEX - REC_USER] = { "id_index", "entries:n32", userrec_id_index, NULL },
	[REC_AUXTRACE_INFO -
	    REC_USER] = { "auxtrace_info", "type:v4", userrec_auxtrace_info, NULL },
	[REC_AUXTRACE - REC_USER] = { "auxtrace",
	    "size:q offset:x reference:x idx:u thread:d on_cpu:d", NULL, NULL },
	[REC_AUXTRACE_ERROR - REC_USER] = { "auxtrace_error",
	    "type:v5 code:u on_cpu:d pid:d tid:d fmt:u ip:x", userrec_auxtrace_error, NULL },
	[REC_THREAD_MAP - REC_USER] = { "thread_map", "entries:n24", userrec_thread_map, NULL },
	[REC_CPU_MAP - REC_USER] = { "cpu_map", "", userrec_cpus, cpumap_fits },
	[REC_STAT_CONFIG - REC_USER] = { "stat_config", "entries:n16", userrec_stat_config, NULL },
	[REC_STAT - REC_USER] = { "stat", "id:x on_cpu:d thread:d count:q enabled:q running:q",
	    NULL, NULL },
	[REC_STAT_ROUND - REC_USER] = { "stat_round", "type:z6 at:q", NULL, NULL },
	[REC_EVENT_UPDATE -
	    REC_USER] = { "event_update", "type:z7 id:x", userrec_event_update, NULL },
	[REC_TIME_CONV - REC_USER] = { "time_conv",
	    "shift:q mult:q zero:q | cycles:q mask:x cap_zero:b cap_short:b", NULL, NULL },
	[REC_HEADER_FEATURE - REC_USER] = { "header_feature", "feature:q", NULL, NULL },
	[REC_COMPRESSED - REC_USER] = { "compressed", "", userrec_compressed, NULL },
	[REC_FINISHED_INIT - REC_USER] = { "finished_init", "", NULL, NULL },
	[REC_COMPRESSED2 - REC_USER] = { "compressed2", "bytes:q", NULL, NULL },
	[REC_BPF_METADATA -
	    REC_USER] = { "bpf_metadata", "", userrec_metadata, userrec_metadata_fits },
	[REC_SCHEDSTAT_CPU - REC_USER] = { "schedstat_cpu",
	    "at:q on_cpu:d version:h | -:p yld_count:u array_exp:u sched_count:u sched_goidle:u "
	    "ttwu_count:u ttwu_local:u rq_cpu_time:q run_delay:q pcount:q",
	    NULL, NULL },
	[REC_SCHEDSTAT_DOMAIN - REC_USER] = { "schedstat_domain",
	    "at:q on_cpu:d version:h domain:h", userrec_counters, NULL },
};

static const struct form android[] = {
	[REC_SP_KERNEL_SYMBOL - REC_SP] = { "sp_kernel_symbol", "", simpleperf_text, NULL },
	[REC_SP_DSO - REC_SP] = { "sp_dso", "type:q id:q", simpleperf_dso, NULL },
	[REC_SP_SYMBOL - REC_SP] = { "sp_symbol", "addr:x len:x dso_id:q name:s", NULL, NULL },
	[REC_SP_SPLIT - REC_SP] = { "sp_split", "", simpleperf_bytes, NULL },
	[REC_SP_SPLIT_END - REC_SP] = { "sp_split_end", "", NULL, NULL },
	[REC_SP_EVENT_ID - REC_SP] = { "sp_event_id", "entries:n16", simpleperf_ids, NULL },
	[REC_SP_CALLCHAIN - REC_SP] = { "sp_callchain", "pid:d tid:d type:z8 at:q count:n16",
	    simpleperf_chain, NULL },
	[REC_SP_UNWINDING_RESULT - REC_SP] = { "sp_unwinding_result",
	    "at:q used:q | code:q info:x stack_start:x stack_end:x", simpleperf_rest, NULL },
	[REC_SP_TRACING_DATA - REC_SP] = { "sp_tracing_data", "", simpleperf_text, NULL },
};

#define FORM(table, type, base) \
	((type) - (base) < sizeof(table) / sizeof(table)[0] && \
		    (table)[(type) - (base)].kind != NULL \
		? &(table)[(type) - (base)] \
		: NULL)

const struct form *
form_of(uint32_t type)
{
	if (type < REC_USER)
		return FORM(kernel, type, 0);
	if (type < REC_SP)
		return FORM(user, type, REC_USER);
	return FORM(android, type, REC_SP);
}
