/* SPDX-License-Identifier: ISC */
/*
 * facts.h - the header's contents as lines of kind header, one fact per line.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and the write_ functions
 * of tools/perf/util/header.c; from 128 on simpleperf's record_file_format.h.  The names
 * and tags are listed in afstream(5).
 */
#ifndef AFPIPE_PERFDATA_FACTS_H
#define AFPIPE_PERFDATA_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/slice.h"
#include "src/perfdata/decoder.h"

/* Do the feature's lines contain more than its size in bytes? */
bool facts_reads(uint64_t feature);

/*
 * Writes the lines of the feature whose bytes c covers.  ERR_DATA, without a place, if it is
 * damaged: the lines before the damage are written.
 */
int facts_feature(struct decoder *d, uint64_t feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));

/* Writes the line of a feature that is not read. */
void facts_size(struct decoder *d, uint64_t feature, uint64_t bytes);

/* One entry of the list of build ids. */
struct build_id {
	const unsigned char *id;
	size_t len;
	unsigned mode; /* enum cpumode */
	int32_t pid; /* of a guest's kernel; otherwise -1 */
	struct slice file;
};
void facts_build_id(struct decoder *d, const struct build_id *b);

/*
 * For facts_*.c.  The feature being read; readers return false if it is damaged.  A line
 * must be written whole, so each fact is decoded before its line begins.
 */
struct feature {
	struct decoder *d;
	uint64_t number;
	const char *name;
	struct cur c;
};
typedef bool fact_reader(struct feature *f);

/* Begins a line up to the fact's name: the value comes next, then tags. */
struct evwrite *fact_begin(struct decoder *d, const char *name);
void fact_end(struct decoder *d, uint64_t feature);

/* Write whole lines without tags. */
void fact_text(struct feature *f, const char *name, struct slice value);
void fact_u64(struct feature *f, const char *name, uint64_t value);

/* A text of the header: u32 length, then that many bytes, ended by a NUL. */
bool fact_string(struct cur *c, struct slice *s);

/* Writes a tag with a list of the u64 that c covers, in hex.  No tag if there are none. */
void fact_hex_list(struct evwrite *w, struct slice key, struct cur c);

/* facts_text.c */
fact_reader facts_one_text, facts_one_u64, facts_one_u32, facts_flag, facts_nr_cpus, facts_cmdline,
    facts_total_mem;
/* facts_event.c */
fact_reader facts_events, facts_groups, facts_pmus, facts_cpu_pmu_caps, facts_pmu_caps;
/* facts_machine.c */
fact_reader facts_cpu_topology, facts_numa, facts_caches, facts_mem_topology, facts_hybrid,
    facts_cpu_domains, facts_e_machine;
/* facts_data.c */
fact_reader facts_auxtrace, facts_sample_time, facts_clock_data, facts_compressed;
/* facts_bpf.c */
fact_reader facts_bpf_progs, facts_btfs;
/* facts_android.c */
fact_reader facts_files, facts_files2, facts_meta_info, facts_debug_unwind;

#endif
