/* SPDX-License-Identifier: ISC */
/* facts.c - the header's contents as lines: the table of features, and how a line is written. */
#include "src/perfdata/header/facts.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/record/fields.h"
#include "src/perfdata/sample/line.h"

#define STRING_MAX ((uint32_t)1024 * 1024)

struct fact_form {
	unsigned feature;
	const char *name;
	fact_reader *read; /* NULL: only its size is printed */
};

static const struct fact_form forms[] = {
	{ FEAT_TRACING_DATA, "tracing_data", NULL },
	{ FEAT_HOSTNAME, "hostname", facts_one_text },
	{ FEAT_OSRELEASE, "os_release", facts_one_text },
	{ FEAT_VERSION, "version", facts_one_text },
	{ FEAT_ARCH, "arch", facts_one_text },
	{ FEAT_NRCPUS, "nr_cpus", facts_nr_cpus },
	{ FEAT_CPUDESC, "cpu_desc", facts_one_text },
	{ FEAT_CPUID, "cpu_id", facts_one_text },
	{ FEAT_TOTAL_MEM, "total_mem", facts_total_mem },
	{ FEAT_CMDLINE, "cmdline", facts_cmdline },
	{ FEAT_EVENT_DESC, "event", facts_events },
	{ FEAT_CPU_TOPOLOGY, "cpu", facts_cpu_topology },
	{ FEAT_NUMA_TOPOLOGY, "numa_node", facts_numa },
	{ FEAT_BRANCH_STACK, "branch_stack", facts_flag },
	{ FEAT_PMU_MAPPINGS, "pmu", facts_pmus },
	{ FEAT_GROUP_DESC, "group", facts_groups },
	{ FEAT_AUXTRACE, "auxtrace", facts_auxtrace },
	{ FEAT_STAT, "stat", facts_flag },
	{ FEAT_CACHE, "cache", facts_caches },
	{ FEAT_SAMPLE_TIME, "sample_time", facts_sample_time },
	{ FEAT_MEM_TOPOLOGY, "mem_node", facts_mem_topology },
	{ FEAT_CLOCKID, "clockid_res", facts_one_u64 },
	{ FEAT_DIR_FORMAT, "dir_format", facts_one_u64 },
	{ FEAT_BPF_PROG_INFO, "bpf_prog", facts_bpf_progs },
	{ FEAT_BPF_BTF, "btf", facts_btfs },
	{ FEAT_COMPRESSED, "compressed", facts_compressed },
	{ FEAT_CPU_PMU_CAPS, "cpu_pmu_cap", facts_cpu_pmu_caps },
	{ FEAT_CLOCK_DATA, "clock_data", facts_clock_data },
	{ FEAT_HYBRID_TOPOLOGY, "hybrid", facts_hybrid },
	{ FEAT_PMU_CAPS, "pmu_cap", facts_pmu_caps },
	{ FEAT_CPU_DOMAIN_INFO, "cpu_domain", facts_cpu_domains },
	{ FEAT_E_MACHINE, "e_machine", facts_e_machine },
	{ FEAT_CLN_SIZE, "cln_size", facts_one_u32 },
	{ FEAT_FILE, "file", facts_files },
	{ FEAT_META_INFO, "meta_info", facts_meta_info },
	{ FEAT_DEBUG_UNWIND, "debug_unwind", facts_debug_unwind },
	{ FEAT_DEBUG_UNWIND_FILE, "debug_unwind_file", NULL },
	{ FEAT_FILE2, "file", facts_files2 },
};

static const struct fact_form *
form_of(uint64_t feature)
{
	size_t i;

	for (i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (forms[i].feature == feature)
			return &forms[i];
	return NULL;
}

bool
facts_reads(uint64_t feature)
{
	const struct fact_form *form = form_of(feature);

	return form != NULL && form->read != NULL;
}

int
facts_feature(struct decoder *d, uint64_t feature, struct cur c, struct err *e)
{
	const struct fact_form *form = form_of(feature);
	struct feature f = { d, feature, NULL, c };

	if (form == NULL || form->read == NULL) {
		facts_size(d, feature, cur_left(&c));
		return 0;
	}
	f.name = form->name;
	if (form->read(&f))
		return 0;
	return err_data(e, "header feature %" PRIu64 " (%s) is damaged", feature, f.name);
}

void
facts_size(struct decoder *d, uint64_t feature, uint64_t bytes)
{
	const struct fact_form *form = form_of(feature);
	struct evwrite *w;
	char name[40];

	if (form != NULL) {
		w = fact_begin(d, form->name);
		/* pipe mode pads it to a multiple of 8; print the same size in both modes */
		evw_u64(w, feature == FEAT_TRACING_DATA ? (bytes + 7) & ~(uint64_t)7 : bytes);
	} else {
		snprintf(name, sizeof name, "feature.%" PRIu64, feature);
		w = fact_begin(d, name);
		evw_none(w);
		evw_tag_u64(w, SLICE("bytes"), bytes);
	}
	fact_end(d, feature);
}

void
facts_build_id(struct decoder *d, const struct build_id *b)
{
	struct evwrite *w = fact_begin(d, "build_id");

	evw_bytes(w, "\t", 1);
	evw_hex_bytes(w, b->id, b->len);
	if (b->mode > MODE_UNKNOWN && b->mode <= MODE_GUEST_USER)
		evw_tag_raw(w, SLICE("mode"), (struct slice){ &MODE_LETTERS[b->mode], 1 });
	evw_tag_i64(w, SLICE("pid"), b->pid);
	evw_tag_text(w, SLICE("file"), b->file);
	fact_end(d, FEAT_BUILD_ID);
}

struct evwrite *
fact_begin(struct decoder *d, const char *name)
{
	struct evwrite *w = d->w;

	evw_begin(w, SLICE("header"));
	evw_none(w);
	evw_raw(w, buf_slice(&d->run));
	evw_none(w);
	evw_raw(w, slice_of(name));
	return w;
}

/* After EVENT_DESC the names of the events, which the first lines need, are known. */
void
fact_end(struct decoder *d, uint64_t feature)
{
	evw_end(d->w);
	if (feature > FEAT_EVENT_DESC)
		run_hold_less(d);
}

void
fact_text(struct feature *f, const char *name, struct slice value)
{
	evw_text(fact_begin(f->d, name), value);
	fact_end(f->d, f->number);
}

void
fact_u64(struct feature *f, const char *name, uint64_t value)
{
	evw_u64(fact_begin(f->d, name), value);
	fact_end(f->d, f->number);
}

bool
fact_string(struct cur *c, struct slice *s)
{
	uint32_t len = cur_u32(c);
	struct cur text = cur_sub(c, len > STRING_MAX ? SIZE_MAX : len);

	s->p = cur_rest_string(&text, &s->len);
	return cur_ok(&text) && cur_ok(c);
}

void
fact_hex_list(struct evwrite *w, struct slice key, struct cur c)
{
	if (cur_left(&c) >= 8)
		fields_put_words(w, key, &c);
}
