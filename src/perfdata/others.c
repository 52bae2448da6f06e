/* SPDX-License-Identifier: ISC */
/* others.c - the lines of all records but samples. */
#include <string.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

/*
 * How a record is laid out behind its header, as KEY:TYPE parted by blanks:
 * d s32, u u32, h u16, b u8, q u64, x u64 in hex, y u32 in hex, s the text that is
 * left, 4 or 1 so many bytes passed over.  pid and tid go to the line's first tags.
 */
struct form {
	uint32_t type;
	const char *kind, *fields;
};

static const struct form forms[] = {
	{ REC_MMAP, "mmap", "pid:d tid:d addr:x len:x pgoff:x file:s" },
	{ REC_LOST, "lost", "id:x lost:q" },
	{ REC_LOST_SAMPLES, "lost", "lost:q" },
	{ REC_COMM, "comm", "pid:d tid:d name:s" },
	{ REC_EXIT, "exit", "pid:d ppid:d tid:d ptid:d at:q" },
	{ REC_THROTTLE, "throttle", "at:q id:x stream:x" },
	{ REC_UNTHROTTLE, "unthrottle", "at:q id:x stream:x" },
	{ REC_FORK, "fork", "pid:d ppid:d tid:d ptid:d at:q" },
	{ REC_AUX, "aux", "offset:x size:x flags:x" },
	{ REC_ITRACE_START, "itrace_start", "pid:d tid:d" },
	{ REC_SWITCH, "switch", "" },
	{ REC_SWITCH_CPU_WIDE, "switch", "next_prev_pid:d next_prev_tid:d" },
	{ REC_KSYMBOL, "ksymbol", "addr:x len:y type:h flags:h name:s" },
	{ REC_BPF_EVENT, "bpf_event", "type:h flags:h prog:u" },
	{ REC_CGROUP, "cgroup", "cgroup:q path:s" },
	{ REC_TEXT_POKE, "text_poke", "addr:x old_len:h new_len:h" },
	{ REC_AUX_OUTPUT_HW_ID, "aux_output_hw_id", "hw_id:x" },
	{ REC_CALLCHAIN_DEFERRED, "callchain_deferred", "cookie:x frames:q" },
	{ REC_READ, "read", "pid:d tid:d" },
	{ REC_NAMESPACES, "namespaces", "pid:d tid:d" },
	{ REC_HEADER_ATTR, "header_attr", "" },
	{ REC_EVENT_TYPE, "event_type", "id:x name:s" },
	{ REC_TRACING_DATA, "tracing_data", "bytes:u" },
	{ REC_BUILD_ID, "build_id", "" },
	{ REC_FINISHED_ROUND, "finished_round", "" },
	{ REC_ID_INDEX, "id_index", "entries:q" },
	{ REC_AUXTRACE_INFO, "auxtrace_info", "type:u" },
	{ REC_AUXTRACE, "auxtrace", "size:q offset:x reference:x idx:u thread:d on_cpu:d" },
	{ REC_AUXTRACE_ERROR, "auxtrace_error", "type:u code:u on_cpu:d pid:d tid:d" },
	{ REC_THREAD_MAP, "thread_map", "entries:q" },
	{ REC_CPU_MAP, "cpu_map", "type:h" },
	{ REC_STAT_CONFIG, "stat_config", "entries:q" },
	{ REC_STAT_ROUND, "stat_round", "type:q at:q" },
	{ REC_EVENT_UPDATE, "event_update", "type:q id:x" },
	{ REC_TIME_CONV, "time_conv", "shift:q mult:q zero:q" },
	{ REC_HEADER_FEATURE, "header_feature", "feature:q" },
	{ REC_COMPRESSED, "compressed", "" },
	{ REC_FINISHED_INIT, "finished_init", "" },
	{ REC_COMPRESSED2, "compressed2", "" },
	{ REC_BPF_METADATA, "bpf_metadata", "" },
	{ REC_SCHEDSTAT_CPU, "schedstat_cpu", "at:q on_cpu:d" },
	{ REC_SCHEDSTAT_DOMAIN, "schedstat_domain", "at:q on_cpu:d" },
};

static const struct form *
form_of(uint32_t type)
{
	static const struct form mmap2 = { REC_MMAP2, "mmap", "pid:d tid:d addr:x len:x pgoff:x" };
	size_t i;

	if (type == REC_MMAP2)
		return &mmap2;
	for (i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (forms[i].type == type)
			return &forms[i];
	return NULL;
}

static void
one_field(struct evwrite *w, struct slice key, char type, struct cur *c)
{
	struct slice text;

	switch (type) {
	case 'd': evw_tag_i64(w, key, (int32_t)cur_u32(c)); break;
	case 'u': evw_tag_u64(w, key, cur_u32(c)); break;
	case 'y': evw_tag_hex(w, key, cur_u32(c)); break;
	case 'h': evw_tag_u64(w, key, cur_u16(c)); break;
	case 'b': evw_tag_u64(w, key, cur_u8(c)); break;
	case 'q': evw_tag_u64(w, key, cur_u64(c)); break;
	case 'x': evw_tag_hex(w, key, cur_u64(c)); break;
	case 's':
		text.p = cur_rest_string(c, &text.len);
		evw_tag_text(w, key, text);
		break;
	}
}

/* Takes the next KEY:TYPE off *spec; false at its end. */
static bool
next_field(const char **spec, struct slice *key, char *type)
{
	const char *colon;

	while (**spec == ' ')
		++*spec;
	colon = strchr(*spec, ':');
	if (colon == NULL)
		return false;
	*key = (struct slice){ *spec, (size_t)(colon - *spec) };
	*type = colon[1];
	*spec = colon + 2;
	return true;
}

static bool
is_who(struct slice key)
{
	return slice_eq(key, SLICE("pid")) || slice_eq(key, SLICE("tid"));
}

static void
fields(struct evwrite *w, const char *spec, struct cur *c)
{
	struct slice key;
	char type;

	while (next_field(&spec, &key, &type)) {
		if (is_who(key))
			(void)cur_u32(c);
		else
			one_field(w, key, type, c);
	}
}

static size_t
width_of(char type)
{
	switch (type) {
	case 'q':
	case 'x': return 8;
	case 'h': return 2;
	case 'b': return 1;
	default: return 4;
	}
}

/* pid and tid out of the record itself, where it has them. */
static void
find_who(const char *spec, struct cur c, struct trailer *t)
{
	struct slice key;
	char type;

	while (next_field(&spec, &key, &type) && type != 's') {
		uint32_t v;

		if (!is_who(key)) {
			(void)cur_take(&c, width_of(type));
			continue;
		}
		v = cur_u32(&c);
		if (slice_eq(key, SLICE("pid")))
			t->pid = v;
		else
			t->tid = v;
		t->have |= S_TID;
	}
}

/* What MMAP2 has between pgoff and the file's name. */
static void
mmap2_fields(struct evwrite *w, const struct rec *r, struct cur *c)
{
	uint32_t prot, flags;

	if ((r->misc & MISC_MMAP_BUILD_ID) != 0) {
		uint8_t len = cur_u8(c);
		const unsigned char *id;

		(void)cur_take(c, 3);
		id = cur_take(c, BUILD_ID_MAX);
		evw_tag_begin(w, SLICE("build_id"));
		evw_hex_bytes(w, id, id == NULL ? 0 : len < BUILD_ID_MAX ? len : BUILD_ID_MAX);
		evw_tag_end(w, SLICE("build_id"));
	} else {
		fields(w, "maj:u min:u ino:q ino_generation:q", c);
	}
	prot = cur_u32(c);
	flags = cur_u32(c);
	evw_tag_hex(w, SLICE("prot"), prot);
	evw_tag_hex(w, SLICE("flags"), flags);
	fields(w, "file:s", c);
}

static void
misc_words(struct evwrite *w, const struct rec *r)
{
	if (r->type == REC_COMM && (r->misc & MISC_COMM_EXEC) != 0)
		evw_tag_u64(w, SLICE("exec"), 1);
	if (r->type != REC_SWITCH && r->type != REC_SWITCH_CPU_WIDE)
		return;
	evw_tag_raw(w, SLICE("dir"), (r->misc & MISC_SWITCH_OUT) != 0 ? SLICE("out") : SLICE("in"));
	if ((r->misc & MISC_SWITCH_PREEMPT) != 0)
		evw_tag_u64(w, SLICE("preempt"), 1);
}

/* The columns and first four tags of every line that is no sample. */
void
emit_head(struct decoder *d, struct slice kind, const struct trailer *t, struct slice measure,
    const uint64_t *value)
{
	struct evwrite *w = d->w;
	const struct thread *th = NULL;

	evw_begin(w, kind);
	if (t->time != 0 && t->time != UINT64_MAX)
		evw_u64(w, t->time);
	else
		evw_none(w);
	evw_raw(w, (struct slice){ d->run.p, d->run.len });
	evw_none(w);
	evw_raw(w, measure);
	if (value != NULL)
		evw_u64(w, *value);
	else
		evw_none(w);
	if ((t->have & S_TID) != 0) {
		evw_tag_i64(w, SLICE("pid"), (int32_t)t->pid);
		evw_tag_i64(w, SLICE("tid"), (int32_t)t->tid);
		th = tasks_thread(&d->tasks, t->pid, t->tid);
	} else {
		evw_bytes(w, "\tpid=.\ttid=.", 12);
	}
	evw_tag_raw(w, SLICE("comm"),
	    th == NULL ? SLICE(".") : (struct slice){ th->comm.p, th->comm.len });
	if ((t->have & S_CPU) != 0 && t->cpu != UINT32_MAX)
		evw_tag_u64(w, SLICE("cpu"), t->cpu);
	else
		evw_tag_raw(w, SLICE("cpu"), SLICE("."));
}

/* The trailer of a kernel record; records that perf makes up have none. */
static struct trailer
trailer_of(struct decoder *d, const struct rec *r)
{
	struct trailer t = { 0 };
	const struct attr *a;

	if (d->attrs == 0 || r->type >= REC_USER)
		return t;
	a = attrs_of_other(d, r);
	if ((a->flags & A_SAMPLE_ID_ALL) != 0)
		(void)trailer_decode(&t, a, r, d->big_endian);
	return t;
}

/* A cursor over a record's fields, its trailer not counted. */
static struct cur
body(struct decoder *d, const struct rec *r)
{
	size_t size = r->size - (size_t)REC_HEADER, trailer = 0;

	if (d->attrs > 0 && r->type < REC_USER) {
		const struct attr *a = attrs_of_other(d, r);

		trailer = (a->flags & A_SAMPLE_ID_ALL) != 0 ? attr_trailer_size(a) : 0;
	}
	return cur_over(r->p + REC_HEADER, size - (trailer <= size ? trailer : 0), d->big_endian);
}

static size_t
field_size(char type)
{
	return strchr("qx", type) != NULL ? 8
	    : strchr("duy", type) != NULL ? 4
	    : type == 'h'                 ? 2
					  : type == 'b';
}

bool
others_fit(struct decoder *d, const struct rec *r)
{
	const struct form *f = form_of(r->type);
	const char *spec = f == NULL ? "" : f->fields;
	size_t need = 0;
	struct cur c = body(d, r);
	struct slice key;
	char type;

	while (next_field(&spec, &key, &type))
		need += field_size(type);
	return need <= cur_left(&c);
}

/* What was lost: how many records, and why.  Losses of unknown extent count as one. */
static bool
loss(const struct decoder *d, const struct rec *r, uint64_t *n, struct slice *why, uint64_t *id)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, d->big_endian);

	*id = 0;
	switch (r->type) {
	case REC_LOST:
		*id = cur_u64(&c);
		*n = cur_u64(&c);
		*why = SLICE("lost");
		break;
	case REC_LOST_SAMPLES:
		*n = cur_u64(&c);
		*why =
		    (r->misc & MISC_LOST_SAMPLES_BPF) != 0 ? SLICE("bpf") : SLICE("lost_samples");
		break;
	case REC_THROTTLE:
		(void)cur_u64(&c);
		*id = cur_u64(&c);
		*n = 1;
		*why = SLICE("throttle");
		break;
	case REC_AUX:
		(void)cur_take(&c, 16);
		*n = (cur_u64(&c) & (AUX_TRUNCATED | AUX_PARTIAL | AUX_COLLISION)) != 0;
		*why = SLICE("aux");
		break;
	default: return false;
	}
	return cur_ok(&c) && *n != 0;
}

/* True of a record that its lost line says all of. */
static bool
is_told(const struct decoder *d, const struct rec *r)
{
	struct slice why;
	uint64_t n, id;

	return (r->type == REC_LOST || r->type == REC_LOST_SAMPLES) && loss(d, r, &n, &why, &id);
}

void
emit_other(struct decoder *d, const struct rec *r)
{
	const struct form *f = form_of(r->type);
	struct trailer t = trailer_of(d, r);
	struct cur c = body(d, r);

	if (is_told(d, r))
		return;
	if (f != NULL)
		find_who(f->fields, c, &t);
	emit_head(d, f == NULL ? SLICE("unknown") : slice_of(f->kind), &t, SLICE("."), NULL);
	if (f == NULL) {
		evw_tag_u64(d->w, SLICE("type"), r->type);
		evw_tag_u64(d->w, SLICE("size"), r->size);
	} else {
		fields(d->w, f->fields, &c);
		if (r->type == REC_MMAP2)
			mmap2_fields(d->w, r, &c);
		misc_words(d->w, r);
	}
	if (d->late)
		evw_tag_u64(d->w, SLICE("late"), 1);
	evw_end(d->w);
}

/* A count that cannot be true stays the largest there is. */
static uint64_t
plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Where perf reads the counters' own losses (PERF_FORMAT_LOST) it writes their sum as
 * LOST_SAMPLES at the end, and LOST records before that are part of it.  What counters
 * say themselves, in samples and READ records, is a third view of the same.
 */
static void
sum_losses(struct decoder *d)
{
	uint64_t most;

	if ((d->attr[0].read_format & R_LOST) == 0)
		most = plus(d->lost.records, d->lost.samples);
	else
		most = d->lost.records > d->lost.samples ? d->lost.records : d->lost.samples;
	if (most < d->lost.counters)
		most = d->lost.counters;
	d->w->lost = plus(d->lost_before, plus(most, d->lost.others));
}

static void
count_loss(struct decoder *d, const struct rec *r, uint64_t n)
{
	if (r->type == REC_LOST)
		d->lost.records = plus(d->lost.records, n);
	else if (r->type != REC_LOST_SAMPLES)
		d->lost.others = plus(d->lost.others, n);
	else if ((r->misc & MISC_LOST_SAMPLES_BPF) == 0) /* those somebody asked to drop */
		d->lost.samples = plus(d->lost.samples, n);
	sum_losses(d);
}

void
emit_lost(struct decoder *d, const struct rec *r)
{
	struct trailer t = trailer_of(d, r);
	struct slice measure = SLICE("."), why;
	const struct id_entry *entry;
	uint64_t n = 0, id;

	if (!loss(d, r, &n, &why, &id))
		return;
	entry = idmap_find(&d->ids, id != 0 ? id : t.id, WHO_ANY);
	if (entry != NULL)
		measure =
		    (struct slice){ d->attr[entry->attr].name.p, d->attr[entry->attr].name.len };
	emit_head(d, SLICE("lost"), &t, measure, &n);
	evw_tag_raw(d->w, SLICE("why"), why);
	if (d->late)
		evw_tag_u64(d->w, SLICE("late"), 1);
	evw_end(d->w);
	count_loss(d, r, n);
}

void
emit_lost_count(struct decoder *d, const struct trailer *t, uint32_t attr, uint64_t n)
{
	const struct buf *name = &d->attr[attr].name;

	emit_head(d, SLICE("lost"), t, (struct slice){ name->p, name->len }, &n);
	evw_tag_raw(d->w, SLICE("why"), SLICE("read"));
	if (d->late)
		evw_tag_u64(d->w, SLICE("late"), 1);
	evw_end(d->w);
	d->lost.counters = plus(d->lost.counters, n);
	sum_losses(d);
}
