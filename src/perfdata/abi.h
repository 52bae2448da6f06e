/* SPDX-License-Identifier: ISC */
/*
 * abi.h - numbers of the perf.data format.
 *
 * Sources: include/uapi/linux/perf_event.h (kernel records, sample_type, read_format,
 * misc bits), tools/lib/perf/include/perf/event.h (user records, 64 and up) and
 * tools/perf/Documentation/perf.data-file-format.txt (header, features).
 */
#ifndef AFPIPE_PERFDATA_ABI_H
#define AFPIPE_PERFDATA_ABI_H

#include <stdint.h>

#define BIT64(n) ((uint64_t)1 << (n))

/* perf_event_attr.type */
enum {
	PTYPE_HARDWARE,
	PTYPE_SOFTWARE,
	PTYPE_TRACEPOINT,
	PTYPE_HW_CACHE,
	PTYPE_RAW,
	PTYPE_BREAKPOINT,
};

#define SW_DUMMY 9 /* perf_event_attr.config of a software event that never happens */
#define SW_BPF_OUTPUT 10

/* The event of perf record --off-cpu, and the least of its times that are none. */
#define OFF_CPU_NAME "offcpu-time"
#define OFF_CPU_TIME (UINT64_MAX << 32)
#define OFF_CPU_STACK 32 /* addresses of its callchains */

/* perf_event_attr.sample_type */
#define S_IP BIT64(0)
#define S_TID BIT64(1)
#define S_TIME BIT64(2)
#define S_ADDR BIT64(3)
#define S_READ BIT64(4)
#define S_CALLCHAIN BIT64(5)
#define S_ID BIT64(6)
#define S_CPU BIT64(7)
#define S_PERIOD BIT64(8)
#define S_STREAM_ID BIT64(9)
#define S_RAW BIT64(10)
#define S_BRANCH_STACK BIT64(11)
#define S_REGS_USER BIT64(12)
#define S_STACK_USER BIT64(13)
#define S_WEIGHT BIT64(14)
#define S_DATA_SRC BIT64(15)
#define S_IDENTIFIER BIT64(16)
#define S_TRANSACTION BIT64(17)
#define S_REGS_INTR BIT64(18)
#define S_PHYS_ADDR BIT64(19)
#define S_AUX BIT64(20)
#define S_CGROUP BIT64(21)
#define S_DATA_PAGE BIT64(22)
#define S_CODE_PAGE BIT64(23)
#define S_WEIGHT_STRUCT BIT64(24)
/* The fields that precede those of variable length: 8 bytes each. */
#define S_HEAD \
	(S_IDENTIFIER | S_IP | S_TID | S_TIME | S_ADDR | S_ID | S_STREAM_ID | S_CPU | S_PERIOD)

/* The fields of the trailer of records other than SAMPLE: 8 bytes each. */
#define S_TRAILER (S_TID | S_TIME | S_ID | S_STREAM_ID | S_CPU | S_IDENTIFIER)

/* perf_event_attr.read_format */
#define R_ENABLED BIT64(0)
#define R_RUNNING BIT64(1)
#define R_ID BIT64(2)
#define R_GROUP BIT64(3)
#define R_LOST BIT64(4)
#define R_KNOWN (R_ENABLED | R_RUNNING | R_ID | R_GROUP | R_LOST)

/* perf_event_attr.clockid: CLOCK_ of Linux's time.h */
enum {
	CLOCK_ID_REALTIME = 0,
	CLOCK_ID_MONOTONIC = 1,
	CLOCK_ID_MONOTONIC_RAW = 4,
	CLOCK_ID_BOOTTIME = 7,
	CLOCK_ID_TAI = 11,
};

/* perf_event_attr's bit-field, numbered from its first bit */
#define A_INHERIT BIT64(1)
#define A_EXCLUDE_USER BIT64(4)
#define A_EXCLUDE_KERNEL BIT64(5)
#define A_EXCLUDE_HV BIT64(6)
#define A_FREQ BIT64(10)
#define A_WATERMARK BIT64(14)
#define A_PRECISE_SHIFT 15
#define A_SAMPLE_ID_ALL BIT64(18)
#define A_EXCLUDE_HOST BIT64(19)
#define A_EXCLUDE_GUEST BIT64(20)
#define A_USE_CLOCKID BIT64(25)
#define A_DEFER_CALLCHAIN BIT64(38)

/* perf_event_attr.branch_sample_type */
#define B_CALL_STACK BIT64(11)
#define B_HW_INDEX BIT64(17)
#define B_COUNTERS BIT64(19)

/* perf_branch_entry's bit-field, numbered from its first bit */
#define BRANCH_MISPRED BIT64(0)
#define BRANCH_PREDICTED BIT64(1)
#define BRANCH_IN_TX BIT64(2)
#define BRANCH_ABORT BIT64(3)
#define BRANCH_CYCLES_SHIFT 4 /* 16 bits */
#define BRANCH_TYPE_SHIFT 20 /* 4 */
#define BRANCH_SPEC_SHIFT 24 /* 2 */
#define BRANCH_NEW_TYPE_SHIFT 26 /* 4: valid if the type is the last one */
#define BRANCH_PRIV_SHIFT 30 /* 3 */

/* perf_event_header.misc */
#define MISC_CPUMODE 7
#define MISC_PARSE_TIMEOUT (1 << 12)
#define MISC_MMAP_DATA (1 << 13)
#define MISC_COMM_EXEC (1 << 13)
#define MISC_FORK_EXEC (1 << 13)
#define MISC_SWITCH_OUT (1 << 13)
#define MISC_SWITCH_PREEMPT (1 << 14)
#define MISC_MMAP_BUILD_ID (1 << 14)
#define MISC_BUILD_ID_SIZE (1 << 15)
#define MISC_LOST_SAMPLES_BPF (1 << 15)

enum cpumode {
	MODE_UNKNOWN,
	MODE_KERNEL,
	MODE_USER,
	MODE_HYPERVISOR,
	MODE_GUEST_KERNEL,
	MODE_GUEST_USER,
};

/* Markers in callchains: (uint64_t)-4095 and above are never addresses. */
#define CONTEXT_MAX ((uint64_t)-4095)
#define CONTEXT_HV ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define CONTEXT_GUEST ((uint64_t)-2048)
#define CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define CONTEXT_GUEST_USER ((uint64_t)-2560)

/* perf_event_header.type */
enum {
	REC_MMAP = 1,
	REC_LOST,
	REC_COMM,
	REC_EXIT,
	REC_THROTTLE,
	REC_UNTHROTTLE,
	REC_FORK,
	REC_READ,
	REC_SAMPLE,
	REC_MMAP2,
	REC_AUX,
	REC_ITRACE_START,
	REC_LOST_SAMPLES,
	REC_SWITCH,
	REC_SWITCH_CPU_WIDE,
	REC_NAMESPACES,
	REC_KSYMBOL,
	REC_BPF_EVENT,
	REC_CGROUP,
	REC_TEXT_POKE,
	REC_AUX_OUTPUT_HW_ID,
	REC_CALLCHAIN_DEFERRED,
	REC_KERNEL_END, /* the last one, plus 1: input/magic.c recognizes records by it */
	REC_USER = 64,
	REC_HEADER_ATTR = 64,
	REC_EVENT_TYPE,
	REC_TRACING_DATA,
	REC_BUILD_ID,
	REC_FINISHED_ROUND,
	REC_ID_INDEX,
	REC_AUXTRACE_INFO,
	REC_AUXTRACE,
	REC_AUXTRACE_ERROR,
	REC_THREAD_MAP,
	REC_CPU_MAP,
	REC_STAT_CONFIG,
	REC_STAT,
	REC_STAT_ROUND,
	REC_EVENT_UPDATE,
	REC_TIME_CONV,
	REC_HEADER_FEATURE,
	REC_COMPRESSED,
	REC_FINISHED_INIT,
	REC_COMPRESSED2,
	REC_BPF_METADATA,
	REC_SCHEDSTAT_CPU,
	REC_SCHEDSTAT_DOMAIN,
	REC_PERF_END, /* perf's last one, plus 1 */
	/* Android's simpleperf */
	REC_SP = 32768,
	REC_SP_KERNEL_SYMBOL,
	REC_SP_DSO,
	REC_SP_SYMBOL,
	REC_SP_SPLIT, /* a piece of a record that is longer than 64 KiB */
	REC_SP_SPLIT_END,
	REC_SP_EVENT_ID,
	REC_SP_CALLCHAIN,
	REC_SP_UNWINDING_RESULT,
	REC_SP_TRACING_DATA,
};

/* THREAD_MAP: bytes of a thread's name */
#define THREAD_COMM_SIZE 16

/* EVENT_UPDATE: the property that it updates */
enum {
	UPDATE_UNIT,
	UPDATE_SCALE,
	UPDATE_NAME,
	UPDATE_CPUS,
};

/* AUX record flags */
#define AUX_TRUNCATED 1
#define AUX_PARTIAL 4
#define AUX_COLLISION 8

/* header features */
enum {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID,
	FEAT_HOSTNAME,
	FEAT_OSRELEASE,
	FEAT_VERSION,
	FEAT_ARCH,
	FEAT_NRCPUS,
	FEAT_CPUDESC,
	FEAT_CPUID,
	FEAT_TOTAL_MEM,
	FEAT_CMDLINE,
	FEAT_EVENT_DESC,
	FEAT_CPU_TOPOLOGY,
	FEAT_NUMA_TOPOLOGY,
	FEAT_BRANCH_STACK,
	FEAT_PMU_MAPPINGS,
	FEAT_GROUP_DESC,
	FEAT_AUXTRACE,
	FEAT_STAT,
	FEAT_CACHE,
	FEAT_SAMPLE_TIME,
	FEAT_MEM_TOPOLOGY,
	FEAT_CLOCKID,
	FEAT_DIR_FORMAT,
	FEAT_BPF_PROG_INFO,
	FEAT_BPF_BTF,
	FEAT_COMPRESSED,
	FEAT_CPU_PMU_CAPS,
	FEAT_CLOCK_DATA,
	FEAT_HYBRID_TOPOLOGY,
	FEAT_PMU_CAPS,
	FEAT_CPU_DOMAIN_INFO,
	FEAT_E_MACHINE,
	FEAT_CLN_SIZE,
	FEAT_FILE = 128, /* simpleperf's features begin here */
	FEAT_META_INFO,
	FEAT_DEBUG_UNWIND,
	FEAT_DEBUG_UNWIND_FILE,
	FEAT_FILE2,
	FEAT_MAX = 256,
};

/* Every record begins with u32 type, u16 misc and u16 size.  The size includes these 8 bytes. */
#define REC_HEADER 8
#define REC_MAX 65535

#endif
