/* SPDX-License-Identifier: ISC */
/* feature.c - the table of features, their lines, and what other lines need of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "src/perfdata/header/parts.h"

#define STRING_MAX ((uint32_t)1024 * 1024)
#define COMPRESSED_ZSTD 1

/* ---- how a line is written */

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

/* After EVENT_DESC the names of the events, which the first lines need, are known. */
void
feature_end(const struct feature *f)
{
	evw_end(f->run->w);
	if (f->number > FEAT_EVENT_DESC)
		run_hold_less(f->run);
}

void
feature_put_text(const struct feature *f, const char *name, struct slice value)
{
	evw_text(feature_begin(f, name), value);
	feature_end(f);
}

void
feature_put_u64(const struct feature *f, const char *name, uint64_t value)
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
	return cur_ok(&text) && cur_ok(c);
}

/* ---- readers of the shortest ones */

static bool
put_one_text(struct feature *f)
{
	struct slice s;

	if (!feature_string(&f->c, &s))
		return false;
	feature_put_text(f, f->name, s);
	return true;
}

static bool
put_one_u64(struct feature *f)
{
	uint64_t v = cur_u64(&f->c);

	if (!cur_ok(&f->c))
		return false;
	feature_put_u64(f, f->name, v);
	return true;
}

static bool
put_one_u32(struct feature *f)
{
	uint32_t v = cur_u32(&f->c);

	if (!cur_ok(&f->c))
		return false;
	feature_put_u64(f, f->name, v);
	return true;
}

/* Its presence is all it says. */
static bool
put_flag(struct feature *f)
{
	evw_none(feature_begin(f, f->name));
	feature_end(f);
	return true;
}

/* The places of AUX trace records.  simpleperf writes the index without its length. */
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
	feature_put_u64(f, "sample_time_first", first);
	feature_put_u64(f, "sample_time_last", last);
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

/* The words as a list; command_line has made the whole from them. */
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
	for (i = 0; i < n && feature_string(&f->c, &s); i++) {
		evw_bytes(w, ";", i > 0);
		evw_element(w, s);
	}
	evw_bytes(w, ".", n == 0);
	evw_tag_end(w, SLICE("argv"));
	feature_end(f);
	return true;
}

/* ---- the table */

struct feature_row {
	unsigned feature;
	const char *name;
	feature_reader *read; /* NULL: only its size is printed */
};

static const struct feature_row rows[] = {
	{ FEAT_TRACING_DATA, "tracing_data", NULL },
	{ FEAT_HOSTNAME, "hostname", put_one_text },
	{ FEAT_OSRELEASE, "os_release", put_one_text },
	{ FEAT_VERSION, "version", put_one_text },
	{ FEAT_ARCH, "arch", put_one_text },
	{ FEAT_NRCPUS, "nr_cpus", feature_nr_cpus },
	{ FEAT_CPUDESC, "cpu_desc", put_one_text },
	{ FEAT_CPUID, "cpu_id", put_one_text },
	{ FEAT_TOTAL_MEM, "total_mem", feature_total_mem },
	{ FEAT_CMDLINE, "cmdline", put_cmdline },
	{ FEAT_EVENT_DESC, "event", feature_events },
	{ FEAT_CPU_TOPOLOGY, "cpu", feature_cpu_topology },
	{ FEAT_NUMA_TOPOLOGY, "numa_node", feature_numa },
	{ FEAT_BRANCH_STACK, "branch_stack", put_flag },
	{ FEAT_PMU_MAPPINGS, "pmu", feature_pmus },
	{ FEAT_GROUP_DESC, "group", feature_groups },
	{ FEAT_AUXTRACE, "auxtrace", put_auxtrace },
	{ FEAT_STAT, "stat", put_flag },
	{ FEAT_CACHE, "cache", feature_caches },
	{ FEAT_SAMPLE_TIME, "sample_time", put_sample_time },
	{ FEAT_MEM_TOPOLOGY, "mem_node", feature_mem_topology },
	{ FEAT_CLOCKID, "clockid_res", put_one_u64 },
	{ FEAT_DIR_FORMAT, "dir_format", put_one_u64 },
	{ FEAT_BPF_PROG_INFO, "bpf_prog", feature_bpf_progs },
	{ FEAT_BPF_BTF, "btf", feature_btfs },
	{ FEAT_COMPRESSED, "compressed", put_compressed },
	{ FEAT_CPU_PMU_CAPS, "cpu_pmu_cap", feature_cpu_pmu_caps },
	{ FEAT_CLOCK_DATA, "clock_data", put_clock_data },
	{ FEAT_HYBRID_TOPOLOGY, "hybrid", feature_hybrid },
	{ FEAT_PMU_CAPS, "pmu_cap", feature_pmu_caps },
	{ FEAT_CPU_DOMAIN_INFO, "cpu_domain", feature_cpu_domains },
	{ FEAT_E_MACHINE, "e_machine", feature_e_machine },
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
feature_has_reader(uint64_t feature)
{
	const struct feature_row *row = row_of(feature);

	return row != NULL && row->read != NULL;
}

/* Writes the lines of a feature. */
static int
put_feature(struct run *run, unsigned feature, struct cur c, struct err *e)
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

/* ---- what other lines need: names, build ids, clocks */

static int
take_text(struct buf *b, struct cur *c, struct err *e)
{
	struct slice s;

	if (!feature_string(c, &s))
		return err_data(e, "header feature with a text beyond its end");
	b->len = 0;
	return esc_append(b, s.p, s.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

/* The words of the command, separated by blanks, as perf shows them. */
static int
command_line(struct buf *to, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c), i;
	struct buf line = { 0 };
	struct slice s;
	int rc = 0;

	for (i = 0; rc == 0 && i < n; i++) {
		if (!feature_string(c, &s))
			rc = err_data(e, "command line with a word beyond its end");
		else if ((i > 0 && !buf_putc(&line, ' ')) || !buf_put(&line, s.p, s.len))
			rc = err_nomem(e);
	}
	to->len = 0;
	if (rc == 0 && !esc_append(to, line.p, line.len, ESC_COLUMN))
		rc = err_nomem(e);
	buf_free(&line);
	return rc;
}

static int
event_names(struct events *ev, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c), attr_size = cur_u32(c), i, ids;
	struct slice name;

	for (i = 0; i < n; i++) {
		(void)cur_take(c, attr_size);
		ids = cur_u32(c);
		if (!feature_string(c, &name) || ids > cur_left(c) / 8)
			return err_data(e, "event description %u reaches beyond its end", i);
		(void)cur_take(c, (size_t)ids * 8);
		if (i >= ev->count || ev->item[i].named || name.len == 0)
			continue;
		ev->item[i].named = true;
		if (event_set_name(&ev->item[i], name, e) != 0)
			return e->code;
	}
	return 0;
}

static bool
is_zero(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i] == 0; i++)
		;
	return i == n;
}

/* Older recordings do not store the length of an id: shorter ones (MD5) end in words of zeros. */
static size_t
guessed_length(const unsigned char *id)
{
	size_t len = BUILD_ID_MAX;

	while (len > 0 && is_zero(id + len - 4, 4))
		len -= 4;
	return len;
}

/* The length of an id; STORED is the byte after it. */
static size_t
build_id_length(uint16_t misc, const unsigned char id[BUILD_ID_MAX], uint8_t stored)
{
	if ((misc & MISC_BUILD_ID_SIZE) != 0 && stored <= BUILD_ID_MAX)
		return stored;
	return guessed_length(id);
}

/* One entry of the list of build ids. */
struct build_id {
	const unsigned char *id;
	size_t len;
	unsigned mode; /* enum cpumode */
	int32_t pid; /* of a guest's kernel; otherwise -1 */
	struct slice file;
};

/* The layout of entries by perf before 2.6.35: they have no pid. */
#define OLD_NAME_AT (REC_HEADER + 24)
#define NAME_AT (OLD_NAME_AT + 4)

/* The kernel may be listed by its file's name; anything else in kernel mode is a module. */
static bool
is_vmlinux(const struct build_id *b)
{
	size_t i;

	if (b->mode != MODE_KERNEL || b->file.len == 0 || b->file.p[0] != '/')
		return false;
	for (i = 0; i + 3 <= b->file.len; i++)
		if (memcmp(b->file.p + i, ".ko", 3) == 0)
			return false;
	return true;
}

static void
put_build_id(struct run *run, const struct build_id *b)
{
	struct feature f = { .run = run, .number = FEAT_BUILD_ID };
	struct evwrite *w = feature_begin(&f, "build_id");

	evw_bytes(w, "\t", 1);
	evw_hex_bytes(w, b->id, b->len);
	if (b->mode > MODE_UNKNOWN && b->mode <= MODE_GUEST_USER)
		evw_tag_raw(w, SLICE("mode"), (struct slice){ &MODE_LETTERS[b->mode], 1 });
	evw_tag_i64(w, SLICE("pid"), b->pid);
	evw_tag_text(w, SLICE("file"), b->file);
	feature_end(&f);
}

static int
take_build_id(struct header *h, const struct build_id *b, struct err *e)
{
	if (perf_wants_header(h->run->opt))
		put_build_id(h->run, b);
	if (is_zero(b->id, b->len) || b->mode == MODE_GUEST_KERNEL || b->mode == MODE_GUEST_USER)
		return 0; /* a guest's files are not ours, whatever their names */
	if (is_vmlinux(b) &&
	    dsos_set_build_id(&h->run->state->dsos, SLICE("[kernel.kallsyms]"), b->id, b->len, e) !=
		0)
		return e->code;
	return dsos_set_build_id(&h->run->state->dsos, b->file, b->id, b->len, e);
}

int
feature_read_build_id(struct header *h, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, h->run->events->big_endian);
	struct build_id b = { .mode = r->misc & MISC_CPUMODE, .pid = (int32_t)cur_u32(&c) };
	uint8_t stored;

	b.id = cur_take(&c, BUILD_ID_MAX);
	stored = cur_u8(&c);
	(void)cur_take(&c, 3);
	b.file.p = cur_rest_string(&c, &b.file.len);
	if (!cur_ok(&c))
		return err_data(e, "build id entry of %u bytes is too short", r->size);
	b.len = build_id_length(r->misc, b.id, stored);
	return take_build_id(h, &b, e);
}

/* 0: the directory has only this file (tools/perf/util/data.h); 1: data.N, too. */
static int
dir_format(struct header *h, struct cur *c, struct err *e)
{
	uint64_t version = cur_u64(c);

	if (!cur_ok(c))
		return err_data(e, "directory format is too short");
	h->dir_version = version;
	if (version <= 1)
		return 0;
	return err_data(e,
	    "directory format of version %" PRIu64 ", which is not known: read as version 1",
	    version);
}

static int
old_build_id(struct header *h, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, h->run->events->big_endian);
	struct build_id b = { .mode = r->misc & MISC_CPUMODE };

	b.pid = b.mode == MODE_GUEST_KERNEL ? 0 : -1;
	b.id = cur_take(&c, BUILD_ID_MAX);
	(void)cur_take(&c, 4);
	b.file.p = cur_rest_string(&c, &b.file.len);
	if (!cur_ok(&c))
		return err_data(e, "build id entry of %u bytes is too short", r->size);
	b.len = guessed_length(b.id);
	return take_build_id(h, &b, e);
}

/* Entries look like records, but their type is 0: they are walked by size alone. */
static bool
next_build_id(struct cur *c, struct rec *r)
{
	struct cur head = *c;

	*r = (struct rec){ .p = c->p };
	r->type = cur_u32(&head);
	r->misc = cur_u16(&head);
	r->size = cur_u16(&head);
	return cur_ok(&head) && r->size >= REC_HEADER && cur_take(c, r->size) != NULL;
}

/*
 * Is the list in the old layout?  As in perf (perf_header__read_build_ids), the kernel's
 * name, read from four bytes too late, shows it.
 */
static bool
is_old_list(struct cur c)
{
	static const char tail[] = "nel.kallsyms]";
	struct rec r;

	while (cur_left(&c) > 0 && next_build_id(&c, &r))
		if (r.size >= NAME_AT + sizeof tail - 1 &&
		    memcmp(r.p + NAME_AT, tail, sizeof tail - 1) == 0)
			return true;
	return false;
}

static int
build_ids(struct header *h, struct cur *c, struct err *e)
{
	bool old = is_old_list(*c);
	struct rec r;

	while (cur_left(c) > 0) {
		if (!next_build_id(c, &r))
			return err_data(e, "build id list with an entry beyond its end");
		if ((old ? old_build_id : feature_read_build_id)(h, &r, e) != 0)
			return e->code;
	}
	return 0;
}

/* Takes what other lines need from it. */
int
feature_use(struct header *h, unsigned feature, struct cur c, struct err *e)
{
	struct origin *origin = &h->run->origin;

	switch (feature) {
	case FEAT_HOSTNAME: return take_text(&origin->host, &c, e);
	case FEAT_OSRELEASE: return take_text(&origin->os, &c, e);
	case FEAT_VERSION: return take_text(&origin->version, &c, e);
	case FEAT_ARCH: return take_text(&origin->arch, &c, e);
	case FEAT_CMDLINE: return command_line(&origin->cmdline, &c, e);
	case FEAT_EVENT_DESC: return event_names(h->run->events, &c, e);
	case FEAT_BUILD_ID: return build_ids(h, &c, e);
	case FEAT_TRACING_DATA: return events_take_tracing(h->run->events, &c, e);
	case FEAT_META_INFO: return feature_name_tracepoints(h->run->events, &c, e);
	case FEAT_DIR_FORMAT: return dir_format(h, &c, e);
	case FEAT_CLOCK_DATA:
		(void)cur_u32(&c); /* version */
		(void)cur_u32(&c); /* clockid */
		origin->wall_ns = cur_u64(&c);
		origin->clock_ns = cur_u64(&c);
		origin->has_clock = cur_ok(&c);
		return 0;
	}
	return 0;
}

/* perf leaves a feature empty if it found no data; for two features presence is all. */
bool
feature_is_given(uint64_t feature, const struct cur *c)
{
	return cur_left(c) > 0 || feature == FEAT_BRANCH_STACK || feature == FEAT_STAT;
}

/*
 * perf writes each once.  Applying a feature to the events takes time in proportion to the events,
 * so a hostile file must not repeat both without limit.
 */
#define FEATURE_TIMES_MAX 64

/* If both find the same damage, the first has reported it. */
int
feature_read(struct header *h, unsigned feature, struct cur c, struct err *e)
{
	struct err later;
	int rc;

	if (!feature_is_given(feature, &c))
		return 0;
	if (h->times[feature] == FEATURE_TIMES_MAX)
		return err_data(e, "header feature %u comes more than %d times: not read", feature,
		    FEATURE_TIMES_MAX);
	h->times[feature]++;
	rc = feature_use(h, feature, c, e);
	if ((rc != 0 && rc != ERR_DATA) || !perf_wants_header(h->run->opt) ||
	    feature == FEAT_BUILD_ID)
		return rc;
	if (put_feature(h->run, feature, c, &later) != 0 && rc == 0) {
		*e = later;
		rc = e->code;
	}
	return rc;
}
