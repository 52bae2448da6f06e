/* SPDX-License-Identifier: ISC */
/*
 * perfconv.c - one recording in the other forms that perf.data has, for the tests.
 *
 * perfconv [--pipe] [--big] [--no-rounds] [--zstd 81|83|0] [--repeat N] FILE >OUT
 *
 * FILE is a little-endian file-mode recording that can be trusted.  --pipe writes perf's pipe
 * mode, --big the other byte order, --repeat (a pipe only) what follows FINISHED_INIT N times,
 * the times moved on, and --no-rounds leaves the marks of rounds out.  --zstd (a pipe only)
 * compresses the kernel's records into records of type 81 or 83, cut anywhere; 0 stands for 83
 * with sizes that have wrapped around, as perf 6.16 writes them.  Header features are carried
 * over; left out are those longer than a record (of a pipe) and those of unknown layout (--big).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "src/perfdata/abi.h"

#define FILE_HEADER 104
#define EVENTS_MAX 64

struct bytes {
	unsigned char *p;
	size_t len;
};

struct event {
	unsigned char *attr; /* its bytes in the file */
	uint32_t size;
	uint64_t sample_type, read_format, flags, branch, user_regs, intr_regs;
	unsigned char *ids;
	uint64_t nids;
	const char *name; /* by EVENT_DESC, else NULL */
};

static struct bytes file;
static struct event event[EVENTS_MAX];
static size_t events;
static struct bytes data, feature[FEAT_MAX];
static bool big, no_rounds, packing, wrapped;
static unsigned pack_type;
static uint64_t cpus; /* available, by NRCPUS */

static void
die(const char *why)
{
	fprintf(stderr, "perfconv: %s\n", why);
	exit(1);
}

static uint64_t
get(const unsigned char *p, int width)
{
	uint64_t v = 0;

	while (width-- > 0)
		v = v << 8 | p[width];
	return v;
}

static void
set(unsigned char *p, uint64_t v, int width)
{
	for (; width-- > 0; v >>= 8)
		*p++ = (unsigned char)v;
}

static unsigned
popcount(uint64_t v)
{
	unsigned n = 0;

	for (; v != 0; v &= v - 1)
		n++;
	return n;
}

/* Walks over fields, and turns each round.  What it returns is the value before. */
struct turn {
	unsigned char *p, *end;
};

static uint64_t
turn(struct turn *t, int width)
{
	uint64_t v;
	int i;

	if (t->end - t->p < width)
		die("a field beyond its record's end");
	v = get(t->p, width);
	for (i = 0; i < width / 2; i++) {
		unsigned char c = t->p[i];

		t->p[i] = t->p[width - 1 - i];
		t->p[width - 1 - i] = c;
	}
	t->p += width;
	return v;
}

static void
pass(struct turn *t, uint64_t n)
{
	if ((uint64_t)(t->end - t->p) < n)
		die("bytes beyond their record's end");
	t->p += n;
}

static void
turn_n(struct turn *t, uint64_t n, int width)
{
	while (n-- > 0)
		turn(t, width);
}

/* Fields by their widths, as "4488". */
static void
turn_fields(struct turn *t, const char *widths)
{
	for (; *widths != '\0'; widths++)
		turn(t, *widths - '0');
}

static void
turn_text(struct turn *t)
{
	uint64_t len = turn(t, 4);

	pass(t, len);
}

/* Bit-fields begin at the other end of each byte. */
static void
turn_bits(struct turn *t)
{
	int i, bit;

	for (i = 0; i < 8; i++) {
		unsigned v = 0;

		for (bit = 0; bit < 8; bit++)
			v |= ((unsigned)t->p[i] >> bit & 1u) << (7 - bit);
		t->p[i] = (unsigned char)v;
	}
	t->p += 8;
}

static void
turn_attr(struct turn *t)
{
	unsigned char *begin = t->p;
	uint64_t size;

	turn(t, 4);
	size = turn(t, 4);
	turn_fields(t, "8888");
	turn_bits(t);
	turn_fields(t, "44888844842244");
	while (t->p < begin + size)
		turn(t, 8);
}

static void
turn_read(struct turn *t, uint64_t format)
{
	uint64_t n = (format & R_GROUP) != 0 ? turn(t, 8) : 1;

	turn_n(t, popcount(format & (R_ENABLED | R_RUNNING)), 8);
	turn_n(t, n * (1 + popcount(format & (R_ID | R_LOST))), 8);
}

static void
turn_regs(struct turn *t, uint64_t mask)
{
	if (turn(t, 8) != 0)
		turn_n(t, popcount(mask), 8);
}

static void
turn_sample(struct turn *t, const struct event *e)
{
	uint64_t have = e->sample_type, n;

	turn_n(t, popcount(have & (S_IDENTIFIER | S_IP)), 8);
	turn_n(t, (have & S_TID) != 0 ? 2 : 0, 4);
	turn_n(t, popcount(have & (S_TIME | S_ADDR | S_ID | S_STREAM_ID)), 8);
	turn_n(t, (have & S_CPU) != 0 ? 2 : 0, 4);
	turn_n(t, (have & S_PERIOD) != 0, 8);
	if (have & S_READ)
		turn_read(t, e->read_format);
	if (have & S_CALLCHAIN)
		turn_n(t, turn(t, 8), 8);
	if (have & S_RAW)
		pass(t, turn(t, 4));
	if (have & S_BRANCH_STACK) {
		n = turn(t, 8);
		turn_n(t, (e->branch & B_HW_INDEX) != 0, 8);
		for (; n > 0; n--) {
			turn_n(t, 2, 8);
			turn_bits(t);
		}
	}
	if (have & S_REGS_USER)
		turn_regs(t, e->user_regs);
	if ((have & S_STACK_USER) && (n = turn(t, 8)) != 0) {
		pass(t, n);
		turn(t, 8);
	}
	turn_n(t, popcount(have & (S_WEIGHT | S_WEIGHT_STRUCT | S_DATA_SRC | S_TRANSACTION)), 8);
	if (have & S_REGS_INTR)
		turn_regs(t, e->intr_regs);
	turn_n(t, popcount(have & (S_PHYS_ADDR | S_CGROUP | S_DATA_PAGE | S_CODE_PAGE)), 8);
	if (t->p != t->end)
		die("a sample that is longer than its fields");
}

/*
 * How features are laid out: 2 4 8 a number of so many bytes, s a text, b as many bytes as the last
 * number says, w as many words as that many bits need, c two u32 for each processor, r all the rest
 * of u32.  (...) is repeated as often as the last number says, {...} to the end.
 */
static const char *const layout[FEAT_MAX] = {
	[FEAT_HOSTNAME] = "s",
	[FEAT_OSRELEASE] = "s",
	[FEAT_VERSION] = "s",
	[FEAT_ARCH] = "s",
	[FEAT_NRCPUS] = "44",
	[FEAT_CPUDESC] = "s",
	[FEAT_CPUID] = "s",
	[FEAT_TOTAL_MEM] = "8",
	[FEAT_CMDLINE] = "4(s)",
	[FEAT_CPU_TOPOLOGY] = "4(s)4(s)c4(s)r",
	[FEAT_NUMA_TOPOLOGY] = "4(488s)",
	[FEAT_BRANCH_STACK] = "",
	[FEAT_PMU_MAPPINGS] = "4(4s)",
	[FEAT_GROUP_DESC] = "4(s44)",
	[FEAT_AUXTRACE] = "8(88)",
	[FEAT_STAT] = "",
	[FEAT_CACHE] = "44(4444sss)",
	[FEAT_SAMPLE_TIME] = "88",
	[FEAT_MEM_TOPOLOGY] = "888(888w)",
	[FEAT_CLOCKID] = "8",
	[FEAT_DIR_FORMAT] = "8",
	[FEAT_BPF_BTF] = "4(44b)",
	[FEAT_COMPRESSED] = "44444",
	[FEAT_CPU_PMU_CAPS] = "4(ss)",
	[FEAT_CLOCK_DATA] = "4488",
	[FEAT_HYBRID_TOPOLOGY] = "4(ss)",
	[FEAT_PMU_CAPS] = "4(4(ss)s)",
	[FEAT_E_MACHINE] = "44",
	[FEAT_CLN_SIZE] = "4",
	[FEAT_META_INFO] = "",
	[FEAT_FILE2] = "{4b}",
};

/* Behind the part of SPEC that begins at p and ends with its bracket. */
static const char *
behind(const char *p)
{
	int open = 1;

	while (open > 0 && *p != '\0') {
		open += (*p == '(' || *p == '{') - (*p == ')' || *p == '}');
		p++;
	}
	return p;
}

/* Up to the end of SPEC, or of the part in brackets that it begins in. */
static void
turn_layout(struct turn *t, const char *spec)
{
	uint64_t last = 0, i;

	for (; *spec != '\0' && strchr(")}", *spec) == NULL && t->p < t->end; spec++) {
		switch (*spec) {
		case 's': turn_text(t); break;
		case 'b': pass(t, last); break;
		case 'w': turn_n(t, (last + 63) / 64, 8); break;
		case 'c': turn_n(t, 2 * cpus, 4); break;
		case 'r': turn_n(t, (uint64_t)(t->end - t->p) / 4, 4); break;
		case '(':
		case '{':
			for (i = 0; *spec == '{' ? t->p < t->end : i < last; i++)
				turn_layout(t, spec + 1);
			spec = behind(spec + 1) - 1;
			break;
		default: last = turn(t, *spec - '0');
		}
	}
}

static void
turn_feature(struct turn *t, unsigned number)
{
	uint64_t n, ids;

	switch (number) {
	case FEAT_EVENT_DESC:
		n = turn(t, 4);
		turn(t, 4);
		for (; n > 0; n--) {
			turn_attr(t);
			ids = turn(t, 4);
			turn_text(t);
			turn_n(t, ids, 8);
		}
		break;
	case FEAT_BUILD_ID:
		while (t->p < t->end) {
			unsigned char *begin = t->p;

			turn_fields(t, "42");
			n = turn(t, 2);
			turn(t, 4);
			t->p = begin + n;
		}
		break;
	case FEAT_TRACING_DATA: break; /* says its byte order itself */
	default: turn_layout(t, layout[number]);
	}
}

/* The features that the converted recordings keep. */
static bool
is_kept(unsigned number)
{
	return !big || layout[number] != NULL || number == FEAT_EVENT_DESC ||
	    number == FEAT_BUILD_ID || number == FEAT_TRACING_DATA;
}

static const struct event *
event_by_id(uint64_t id)
{
	uint64_t n;
	size_t i;

	for (i = 0; i < events; i++)
		for (n = 0; n < event[i].nids; n++)
			if (get(event[i].ids + 8 * n, 8) == id)
				return &event[i];
	return &event[0];
}

/* Where id stands in a sample and in a trailer decides whose it is. */
static const struct event *
event_of(const unsigned char *rec, size_t size)
{
	uint64_t have = event[0].sample_type;

	if ((have & S_IDENTIFIER) == 0)
		return &event[0];
	return event_by_id(get(get(rec, 4) == REC_SAMPLE ? rec + 8 : rec + size - 8, 8));
}

static size_t
trailer_size(const struct event *e)
{
	if ((e->flags & A_SAMPLE_ID_ALL) == 0)
		return 0;
	return 8 *
	    popcount(e->sample_type & (S_TID | S_TIME | S_ID | S_STREAM_ID | S_CPU | S_IDENTIFIER));
}

static void
turn_trailer(struct turn *t, const struct event *e)
{
	uint64_t have = e->sample_type;

	turn_n(t, (have & S_TID) != 0 ? 2 : 0, 4);
	turn_n(t, popcount(have & (S_TIME | S_ID | S_STREAM_ID)), 8);
	turn_n(t, (have & S_CPU) != 0 ? 2 : 0, 4);
	turn_n(t, (have & S_IDENTIFIER) != 0, 8);
}

static void
turn_cpu_map(struct turn *t)
{
	uint64_t type = turn(t, 2), n, width;

	if (type == 2) {
		pass(t, 2);
		turn_fields(t, "22");
		return;
	}
	n = turn(t, 2);
	width = type == 0 ? 2 : turn(t, 2);
	if (width == 8)
		pass(t, 4);
	turn_n(t, n, (int)width);
}

static void
turn_kernel(struct turn *t, uint32_t type, unsigned misc)
{
	switch (type) {
	case REC_MMAP: turn_fields(t, "44888"); break;
	case REC_MMAP2:
		turn_fields(t, "44888");
		if ((misc & MISC_MMAP_BUILD_ID) != 0)
			pass(t, 24);
		else
			turn_fields(t, "4488");
		turn_fields(t, "44");
		break;
	case REC_LOST: turn_fields(t, "88"); break;
	case REC_COMM:
	case REC_ITRACE_START:
	case REC_SWITCH_CPU_WIDE: turn_fields(t, "44"); break;
	case REC_EXIT:
	case REC_FORK: turn_fields(t, "44448"); break;
	case REC_THROTTLE:
	case REC_UNTHROTTLE:
	case REC_AUX: turn_fields(t, "888"); break;
	case REC_LOST_SAMPLES:
	case REC_CGROUP: turn(t, 8); break;
	case REC_SWITCH: break;
	case REC_NAMESPACES:
		turn_fields(t, "44");
		turn_n(t, 2 * turn(t, 8), 8);
		break;
	case REC_KSYMBOL: turn_fields(t, "8422"); break;
	case REC_BPF_EVENT: turn_fields(t, "224"); break;
	default: die("a kernel record that is not known");
	}
}

static void
turn_user(struct turn *t, uint32_t type)
{
	uint64_t n;

	switch (type) {
	case REC_HEADER_ATTR:
		turn_attr(t);
		turn_n(t, (uint64_t)(t->end - t->p) / 8, 8);
		break;
	case REC_BUILD_ID:
	case REC_TRACING_DATA: turn(t, 4); break;
	case REC_FINISHED_ROUND:
	case REC_FINISHED_INIT: break;
	case REC_ID_INDEX:
	case REC_TIME_CONV: turn_n(t, (uint64_t)(t->end - t->p) / 8, 8); break;
	case REC_THREAD_MAP:
		for (n = turn(t, 8); n > 0; n--) {
			turn(t, 8);
			pass(t, 16);
		}
		break;
	case REC_CPU_MAP: turn_cpu_map(t); break;
	case REC_EVENT_UPDATE:
		n = turn(t, 8);
		turn(t, 8);
		if (n == 1)
			turn(t, 8);
		else if (n == 3)
			turn_cpu_map(t);
		break;
	case REC_HEADER_FEATURE: turn_feature(t, (unsigned)turn(t, 8)); break;
	default: die("a record of perf that is not known");
	}
}

static void
put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		die("cannot write");
}

#define PIECE 3000 /* so many bytes go into a compressed record; not a multiple of anything */

static unsigned char raw[PIECE + REC_MAX];
static size_t raw_len;
static ZSTD_CCtx *packer;

/* One compressed record of the first N bytes of raw. */
static void
put_packed(size_t n)
{
	unsigned char rec[16 + PIECE * 2] = { 0 };
	size_t head = pack_type == REC_COMPRESSED ? 8 : 16, size;
	ZSTD_outBuffer out = { rec + head, sizeof rec - head - 8, 0 };
	ZSTD_inBuffer in = { raw, n, 0 };
	struct turn t = { rec, rec + head };

	if (packer == NULL)
		packer = ZSTD_createCCtx();
	if (packer == NULL || ZSTD_compressStream2(packer, &out, &in, ZSTD_e_flush) != 0)
		die("cannot compress");
	size = head + out.pos;
	if (pack_type == REC_COMPRESSED2 && !wrapped)
		size = (size + 7) / 8 * 8;
	set(rec, pack_type, 4);
	set(rec + 6, wrapped ? 0 : size, 2);
	if (head == 16)
		set(rec + 8, out.pos, 8);
	if (big)
		turn_fields(&t, head == 16 ? "4228" : "422");
	put(rec, size);
	raw_len -= n;
	memmove(raw, raw + n, raw_len);
}

static void
pack(const unsigned char *rec, size_t size)
{
	memcpy(raw + raw_len, rec, size);
	for (raw_len += size; raw_len >= PIECE;)
		put_packed(PIECE);
}

static void
pack_rest(void)
{
	if (raw_len > 0)
		put_packed(raw_len);
}

/* Writes a record, in the order that is wanted; rec is turned round in place. */
static void
put_record(unsigned char *rec, size_t size)
{
	uint32_t type = (uint32_t)get(rec, 4);
	unsigned misc = (unsigned)get(rec + 4, 2);
	struct turn t = { rec, rec + size };

	if (big) {
		const struct event *e = event_of(rec, size);

		turn_fields(&t, "422");
		if (type == REC_SAMPLE) {
			turn_sample(&t, e);
		} else if (type >= REC_USER) {
			turn_user(&t, type);
		} else {
			t.end -= trailer_size(e);
			turn_kernel(&t, type, misc);
			t = (struct turn){ rec + size - trailer_size(e), rec + size };
			turn_trailer(&t, e);
		}
	}
	if (packing && type < REC_USER) {
		pack(rec, size);
	} else {
		pack_rest();
		put(rec, size);
	}
}

/* Where the record has its time, or NULL. */
static unsigned char *
time_of(unsigned char *rec, size_t size)
{
	const struct event *e = event_of(rec, size);
	uint64_t have = e->sample_type;

	if (get(rec, 4) >= REC_USER || (have & S_TIME) == 0)
		return NULL;
	if (get(rec, 4) == REC_SAMPLE)
		return rec + 8 + 8 * popcount(have & (S_IDENTIFIER | S_IP | S_TID));
	if (trailer_size(e) == 0)
		return NULL;
	return rec + size - trailer_size(e) + ((have & S_TID) != 0 ? 8 : 0);
}

static struct bytes
section(const unsigned char *p)
{
	uint64_t at = get(p, 8), len = get(p + 8, 8);

	if (at > file.len || len > file.len - at)
		die("a section beyond the end of the file");
	return (struct bytes){ file.p + at, (size_t)len };
}

static void
read_event_names(void)
{
	unsigned char *p = feature[FEAT_EVENT_DESC].p;
	size_t i, n, size;

	if (p == NULL)
		return;
	n = (size_t)get(p, 4);
	size = (size_t)get(p + 4, 4);
	for (p += 8, i = 0; i < n && i < events; i++) {
		uint64_t ids = get(p + size, 4);

		event[i].name = (const char *)p + size + 8;
		p += size + 8 + get(p + size + 4, 4) + 8 * ids;
	}
}

static void
read_file(const char *name)
{
	FILE *fp = fopen(name, "rb");
	struct bytes attrs;
	size_t size, i;
	unsigned bit, n;

	if (fp == NULL || fseek(fp, 0, SEEK_END) != 0)
		die("cannot open");
	file.len = (size_t)ftell(fp);
	file.p = malloc(file.len + 1);
	rewind(fp);
	if (file.p == NULL || fread(file.p, 1, file.len, fp) != file.len)
		die("cannot read");
	fclose(fp);
	if (file.len < FILE_HEADER || memcmp(file.p, "PERFILE2\x68", 9) != 0)
		die("not a little-endian file-mode recording");
	attrs = section(file.p + 24);
	data = section(file.p + 40);
	size = (size_t)get(file.p + 16, 8);
	for (i = 0; i < attrs.len / size && i < EVENTS_MAX; i++) {
		unsigned char *p = attrs.p + i * size;
		struct bytes ids = section(p + size - 16);

		event[i] = (struct event){ .attr = p,
			.size = (uint32_t)get(p + 4, 4),
			.sample_type = get(p + 24, 8),
			.read_format = get(p + 32, 8),
			.flags = get(p + 40, 8),
			.branch = get(p + 72, 8),
			.user_regs = get(p + 80, 8),
			.intr_regs = get(p + 96, 8),
			.ids = ids.p,
			.nids = ids.len / 8 };
	}
	events = i;
	for (bit = 0, n = 0; bit < FEAT_MAX; bit++)
		if ((file.p[72 + bit / 8] >> bit % 8 & 1) != 0)
			feature[bit] = section(data.p + data.len + 16 * n++);
	if (feature[FEAT_NRCPUS].len == 8)
		cpus = get(feature[FEAT_NRCPUS].p, 4);
	read_event_names();
}

/*
 * A record of that type with a first and second u64 (unless they are NULL), and N bytes, padded to
 * 8 where perf does so.
 */
static void
put_made_up(uint32_t type, const uint64_t *first, const uint64_t *second, const void *p, size_t n)
{
	unsigned char rec[REC_MAX] = { 0 };
	size_t at = 8;

	if (first != NULL) {
		set(rec + at, *first, 8);
		at += 8;
	}
	if (second != NULL) {
		set(rec + at, *second, 8);
		at += 8;
	}
	if (n + at + 8 > sizeof rec)
		die("a record that would be too long");
	memcpy(rec + at, p, n);
	at += n;
	if (type != REC_HEADER_FEATURE)
		at = (at + 7) & ~(size_t)7;
	set(rec, type, 4);
	set(rec + 6, at, 2);
	put_record(rec, at);
}

/* The trace's formats follow their record. */
static void
put_tracing_data(const struct bytes *b)
{
	static const unsigned char padding[8];
	unsigned char size[8] = { 0 };
	size_t pad = (8 - b->len % 8) % 8;

	set(size, b->len + pad, 4);
	put_made_up(REC_TRACING_DATA, NULL, NULL, size, sizeof size);
	put(b->p, b->len);
	put(padding, pad);
}

static void
put_build_ids(const struct bytes *b)
{
	unsigned char rec[REC_MAX];
	size_t at, size;

	for (at = 0; at < b->len; at += size) {
		size = (size_t)get(b->p + at + 6, 2);
		memcpy(rec, b->p + at, size);
		set(rec, REC_BUILD_ID, 4);
		put_record(rec, size);
	}
}

static void
put_features(void)
{
	uint64_t number;

	for (number = 0; number < FEAT_MAX; number++) {
		struct bytes *b = &feature[number];

		if (b->p == NULL || !is_kept((unsigned)number))
			continue;
		if (number == FEAT_BUILD_ID)
			put_build_ids(b);
		else if (number == FEAT_TRACING_DATA)
			put_tracing_data(b);
		else if (b->len <= REC_MAX - 32)
			put_made_up(REC_HEADER_FEATURE, &number, NULL, b->p, b->len);
	}
}

static void
put_pipe_header(void)
{
	static const uint64_t name_update = 2;
	unsigned char head[16] = "PERFILE2\x10", all[REC_MAX];
	struct turn t = { head, head + 16 };
	size_t i;

	if (big)
		turn_fields(&t, "88");
	put(head, sizeof head);
	for (i = 0; i < events; i++) {
		memcpy(all, event[i].attr, event[i].size);
		memcpy(all + event[i].size, event[i].ids, 8 * event[i].nids);
		put_made_up(REC_HEADER_ATTR, NULL, NULL, all, event[i].size + 8 * event[i].nids);
	}
	put_features();
	for (i = 0; i < events; i++) {
		uint64_t id = event[i].nids > 0 ? get(event[i].ids, 8) : 0;

		if (event[i].name != NULL && id != 0)
			put_made_up(REC_EVENT_UPDATE, &name_update, &id, event[i].name,
			    strlen(event[i].name) + 1);
	}
}

/* Records from FROM on, times moved on by SHIFT; returns where those behind FINISHED_INIT begin. */
static size_t
put_records(size_t from, uint64_t shift)
{
	unsigned char rec[REC_MAX], *time;
	size_t at, size, body = 0;

	for (at = from; at < data.len; at += size) {
		size = (size_t)get(data.p + at + 6, 2);
		if (size < 8 || size > data.len - at)
			die("a record of no size");
		if (get(data.p + at, 4) == REC_FINISHED_INIT)
			body = at + size;
		memcpy(rec, data.p + at, size);
		if (no_rounds && get(rec, 4) == REC_FINISHED_ROUND)
			continue;
		time = time_of(rec, size);
		if (time != NULL && get(time, 8) != 0)
			set(time, get(time, 8) + shift, 8);
		put_record(rec, size);
	}
	return body;
}

/* How long the recording is. */
static uint64_t
duration(void)
{
	uint64_t first = UINT64_MAX, last = 0, t;
	size_t at, size;

	for (at = 0; at < data.len; at += size) {
		unsigned char *time;

		size = (size_t)get(data.p + at + 6, 2);
		time = time_of(data.p + at, size);
		t = time == NULL ? 0 : get(time, 8);
		if (t == 0)
			continue;
		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	return last - first + 1000;
}

/* Makes the table behind the data say which features are kept.  They stay where they are. */
static unsigned
keep_features(uint64_t at)
{
	unsigned kept = 0, bit;

	memset(file.p + 72, 0, FEAT_MAX / 8);
	for (bit = 0; bit < FEAT_MAX; bit++) {
		if (feature[bit].p == NULL || !is_kept(bit))
			continue;
		set(file.p + at, (uint64_t)(feature[bit].p - file.p), 8);
		set(file.p + at + 8, feature[bit].len, 8);
		at += 16;
		kept++;
		file.p[72 + bit / 8] |= (unsigned char)(1 << bit % 8);
	}
	return kept;
}

/* The header, ids and attrs, of a copy, as they are needed to read the records. */
static void
put_turned_head(size_t len)
{
	unsigned char *head = malloc(len);
	struct turn t;
	size_t i;

	if (head == NULL)
		die("no memory");
	memcpy(head, file.p, len);
	for (i = 0; i < events; i++) {
		size_t place = (size_t)(event[i].attr - file.p);

		t = (struct turn){ head + place, head + place + get(file.p + 16, 8) };
		turn_attr(&t);
		t.p = t.end - 16;
		turn_n(&t, 2, 8);
		place = (size_t)(event[i].ids - file.p);
		t = (struct turn){ head + place, head + place + 8 * event[i].nids };
		turn_n(&t, event[i].nids, 8);
	}
	t = (struct turn){ head, head + FILE_HEADER };
	turn_n(&t, FILE_HEADER / 8, 8);
	put(head, len);
	free(head);
}

static void
put_file(void)
{
	uint64_t at = (uint64_t)(data.p + data.len - file.p);
	unsigned kept = keep_features(at), bit;
	struct turn t;

	if (!big) {
		put(file.p, file.len);
		return;
	}
	put_turned_head((size_t)(data.p - file.p));
	put_records(0, 0);
	for (bit = 0; bit < FEAT_MAX; bit++)
		if (feature[bit].p != NULL && is_kept(bit)) {
			t = (struct turn){ feature[bit].p, feature[bit].p + feature[bit].len };
			turn_feature(&t, bit);
		}
	t = (struct turn){ file.p + at, file.p + file.len };
	turn_n(&t, 2 * kept, 8);
	put(file.p + at, file.len - at);
}

int
main(int argc, char **argv)
{
	uint64_t repeat = 1, i, step;
	bool pipe = false;
	size_t body;
	int a;

	for (a = 1; a < argc && argv[a][0] == '-'; a++) {
		if (strcmp(argv[a], "--pipe") == 0)
			pipe = true;
		else if (strcmp(argv[a], "--big") == 0)
			big = true;
		else if (strcmp(argv[a], "--no-rounds") == 0)
			no_rounds = true;
		else if (strcmp(argv[a], "--zstd") == 0 && a + 1 < argc) {
			packing = true;
			pack_type = atoi(argv[++a]) == 81 ? REC_COMPRESSED : REC_COMPRESSED2;
			wrapped = argv[a][0] == '0';
		} else if (strcmp(argv[a], "--repeat") == 0 && a + 1 < argc)
			repeat = strtoull(argv[++a], NULL, 10);
	}
	if (a + 1 != argc || ((repeat > 1 || packing) && !pipe)) {
		fputs(
		    "usage: perfconv [--pipe] [--big] [--no-rounds] [--zstd 81|83|0] [--repeat N] "
		    "FILE >OUT\n",
		    stderr);
		return 2;
	}
	read_file(argv[a]);
	if (!pipe) {
		put_file();
	} else {
		step = duration();
		put_pipe_header();
		body = put_records(0, 0);
		for (i = 1; i < repeat; i++)
			(void)put_records(body, i * step);
		pack_rest();
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
