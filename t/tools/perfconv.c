/* SPDX-License-Identifier: ISC */
/*
 * perfconv.c - converts a recording to the other forms of perf.data, for the tests.
 *
 * perfconv [--pipe | --dir DIR] [--big] [--no-rounds] [--repeat N]
 *	[--zstd KIND [--level N] [--window LOG]] FILE >OUT
 *
 * FILE is a trusted little-endian recording in file mode.  --pipe writes perf's pipe mode, and
 * --dir makes a directory like perf record --threads (without rounds, and records with a time go to
 * data.N by processor, or by thread if the processor is not recorded).  Otherwise the result is a
 * file again.  --big writes the other byte order.  --repeat repeats the records after FINISHED_INIT
 * N times, with later times each time.  --no-rounds leaves out the marks of rounds.  --zstd
 * compresses the kernel's records (of a directory those in data.N), cut anywhere, into records of
 * type 81 or 83, or, as perf 6.16 writes them, "wrapped", of type 83 with sizes that exceed 16 bits
 * by one, or "glued", several as one.  --level and --window (a logarithm) are those of zstd.
 * Header features that cannot be converted here are left out.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "src/perfdata/abi.h"

#define FILE_HEADER 104
#define EVENTS_MAX 64
#define LANES_MAX 64

#define PIECE 3000 /* bytes in a compressed record; not a multiple of anything */
#define GLUED_PIECE 500000
#define PACKED2_HEAD 16
#define PACKED2_MAX 65519 /* the most zstd bytes that perf puts into one record */

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
	const char *name; /* from EVENT_DESC, or NULL */
};

/* Output, which goes to fp, or is kept if fp is NULL. */
struct stream {
	FILE *fp;
	unsigned char *kept;
	size_t len, cap;
	bool packing;
	ZSTD_CCtx *packer;
	unsigned char *raw; /* bytes not yet compressed */
	size_t raw_len;
};

enum packing { PACK_NOT, PACK_81, PACK_83, PACK_WRAPPED, PACK_GLUED };

static struct bytes file;
static struct event event[EVENTS_MAX];
static size_t events;
static struct bytes data, feature[64];
static uint64_t processors; /* from NRCPUS */
static bool big, no_rounds;
static enum packing packing;
static int level = 1, window; /* for zstd; without a window, that of the level is used */
static struct stream out; /* the file, the pipe, or data of a directory */
static const char *dir;
static struct stream lane[LANES_MAX]; /* data.N of the directory */

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

/* Walks over fields and reverses the bytes of each.  Returns the value before. */
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

/* Reverses fields with the given widths, such as "4488". */
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

/* Reverses a count and that many times the fields, where s is a text. */
static void
turn_list(struct turn *t, const char *widths)
{
	uint64_t n = turn(t, 4);
	const char *w;

	for (; n > 0; n--)
		for (w = widths; *w != '\0'; w++) {
			if (*w == 's')
				turn_text(t);
			else
				turn(t, *w - '0');
		}
}

/*
 * Reverses lists of cores and of threads, core and socket of each processor, then the same for
 * dies.
 */
static void
turn_topology(struct turn *t)
{
	turn_list(t, "s");
	turn_list(t, "s");
	turn_n(t, 2 * processors, 4);
	if (t->p == t->end)
		return;
	turn_list(t, "s");
	turn_n(t, processors, 4);
}

/* Reverses bit-fields, which begin at the other end of each byte. */
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

static void
turn_feature(struct turn *t, unsigned number)
{
	uint64_t n, ids;

	switch (number) {
	case FEAT_HOSTNAME:
	case FEAT_OSRELEASE:
	case FEAT_VERSION:
	case FEAT_ARCH:
	case FEAT_CPUDESC:
	case FEAT_CPUID: turn_text(t); break;
	case FEAT_NRCPUS: turn_fields(t, "44"); break;
	case FEAT_TOTAL_MEM: turn(t, 8); break;
	case FEAT_CPU_TOPOLOGY: turn_topology(t); break;
	case FEAT_NUMA_TOPOLOGY: turn_list(t, "488s"); break;
	case FEAT_PMU_MAPPINGS: turn_list(t, "4s"); break;
	case FEAT_GROUP_DESC: turn_list(t, "s44"); break;
	case FEAT_CACHE:
		turn(t, 4);
		turn_list(t, "4444sss");
		break;
	case FEAT_SAMPLE_TIME: turn_fields(t, "88"); break;
	case FEAT_MEM_TOPOLOGY: turn_n(t, (uint64_t)(t->end - t->p) / 8, 8); break;
	case FEAT_CLOCKID: turn(t, 8); break;
	case FEAT_CMDLINE:
		for (n = turn(t, 4); n > 0; n--)
			turn_text(t);
		break;
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
	case FEAT_CLOCK_DATA: turn_fields(t, "4488"); break;
	case FEAT_DIR_FORMAT: turn(t, 8); break;
	case FEAT_COMPRESSED: turn_n(t, 5, 4); break;
	}
}

/* Returns whether converted recordings keep the feature, because it can be converted. */
static bool
is_kept(unsigned number)
{
	return (number >= FEAT_TRACING_DATA && number <= FEAT_GROUP_DESC &&
		   number != FEAT_BRANCH_STACK) ||
	    (number >= FEAT_CACHE && number <= FEAT_DIR_FORMAT) || number == FEAT_COMPRESSED ||
	    number == FEAT_CLOCK_DATA;
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

/* Returns the event of a record.  The place of the id in a sample and in a trailer decides. */
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
	case REC_STAT: turn_fields(t, "844888"); break;
	case REC_STAT_CONFIG:
	case REC_STAT_ROUND:
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
put(struct stream *s, const void *p, size_t n)
{
	if (s->fp != NULL) {
		if (fwrite(p, 1, n, s->fp) != n)
			die("cannot write");
		return;
	}
	if (s->cap - s->len < n) {
		s->cap = 2 * (s->len + n);
		s->kept = realloc(s->kept, s->cap);
		if (s->kept == NULL)
			die("no memory");
	}
	memcpy(s->kept + s->len, p, n);
	s->len += n;
}

static void
open_packer(struct stream *s)
{
	/* data that must be too large for one record are compressed as badly as possible */
	int with = packing == PACK_GLUED ? ZSTD_minCLevel() : level;

	s->packer = ZSTD_createCCtx();
	if (s->packer == NULL ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(s->packer, ZSTD_c_compressionLevel, with)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(s->packer, ZSTD_c_windowLog, window)))
		die("cannot compress");
}

/* Appends the first N waiting bytes, compressed, to the LEN bytes at TO. */
static size_t
compress(struct stream *s, size_t n, unsigned char *to, size_t len, size_t cap)
{
	ZSTD_outBuffer z = { to, cap, len };
	ZSTD_inBuffer in = { s->raw, n, 0 };

	if (s->packer == NULL)
		open_packer(s);
	if (ZSTD_compressStream2(s->packer, &z, &in, ZSTD_e_flush) != 0)
		die("cannot compress");
	s->raw_len -= n;
	memmove(s->raw, s->raw + n, s->raw_len);
	return z.pos;
}

/* Pads LEN bytes of zstd up to UPTO at most with empty blocks, which are three zeros each. */
static size_t
fill(unsigned char *to, size_t len, size_t upto)
{
	for (; len + 3 <= upto; len += 3)
		memset(to + len, 0, 3);
	return len;
}

static void
put_packed_head(struct stream *s, size_t size, uint64_t data_size)
{
	unsigned char head[PACKED2_HEAD];
	struct turn t = { head, head + sizeof head };
	size_t n = packing == PACK_81 ? 8 : PACKED2_HEAD;

	set(head, packing == PACK_81 ? REC_COMPRESSED : REC_COMPRESSED2, 4);
	set(head + 4, 0, 2);
	set(head + 6, size, 2); /* modulo 2^16, as perf does */
	set(head + 8, data_size, 8);
	if (big)
		turn_fields(&t, "4228");
	put(s, head, n);
}

/* Writes several records with one size.  The first is full, and the next begins inside a block. */
static void
put_glued(struct stream *s)
{
	static unsigned char z[2 * GLUED_PIECE], rest[2 * GLUED_PIECE];
	size_t len = compress(s, s->raw_len / 2, z, 0, sizeof z), at, n;
	size_t second = compress(s, s->raw_len, rest, 0, sizeof rest), pieces;

	if (len + second <= PACKED2_MAX)
		len = fill(z, len, PACKED2_MAX - second / 2);
	if (second > sizeof z - len)
		die("too much to be glued");
	memcpy(z + len, rest, second);
	len += second;
	pieces = (len + PACKED2_MAX - 1) / PACKED2_MAX;
	n = len + (pieces - 1) * PACKED2_HEAD;
	put_packed_head(s, (PACKED2_HEAD + n + 7) / 8 * 8, n);
	for (at = 0; at < len; at += n) {
		n = len - at < PACKED2_MAX ? len - at : PACKED2_MAX;
		if (at > 0)
			put_packed_head(s, PACKED2_HEAD + n, UINT64_C(0x5300000010005300));
		put(s, z + at, n);
	}
}

/* Writes one compressed record of the first N waiting bytes. */
static void
put_packed(struct stream *s, size_t n)
{
	static const unsigned char zeros[8];
	unsigned char z[PACKED2_MAX];
	size_t len, pad;

	if (packing == PACK_GLUED) {
		put_glued(s);
		return;
	}
	len = compress(s, n, z, 0, sizeof z);
	if (packing == PACK_WRAPPED)
		len = fill(z, len, sizeof z);
	pad = packing == PACK_83 ? (8 - len % 8) % 8 : 0;
	put_packed_head(s, packing == PACK_81 ? 8 + len : (PACKED2_HEAD + len + 7) / 8 * 8, len);
	put(s, z, len);
	put(s, zeros, pad);
}

static void
pack(struct stream *s, const unsigned char *rec, size_t size)
{
	size_t piece = packing == PACK_GLUED ? GLUED_PIECE : PIECE;

	if (s->raw == NULL && (s->raw = malloc(piece + REC_MAX)) == NULL)
		die("no memory");
	memcpy(s->raw + s->raw_len, rec, size);
	for (s->raw_len += size; s->raw_len >= piece;)
		put_packed(s, piece);
}

static void
pack_rest(struct stream *s)
{
	if (s->raw_len > 0)
		put_packed(s, s->raw_len);
}

/* Writes a record in the requested byte order.  rec is converted in place. */
static void
put_record(struct stream *s, unsigned char *rec, size_t size)
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
			if (trailer_size(e) != 0)
				turn_trailer(&t, e);
		}
	}
	if (s->packing && type < REC_USER) {
		pack(s, rec, size);
	} else {
		pack_rest(s);
		put(s, rec, size);
	}
}

/* Returns the place of the record's time, or NULL. */
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

/*
 * Returns the stream for the record.  In a directory it depends on the processor, if the record has
 * a time.
 */
static struct stream *
stream_of(unsigned char *rec, size_t size)
{
	const struct event *e = event_of(rec, size);
	const unsigned char *time = time_of(rec, size), *p;
	uint64_t have = e->sample_type, n = 0;

	if (dir == NULL || time == NULL || get(time, 8) == 0)
		return &out;
	p = time + 8 + 8 * popcount(have & (S_ID | S_STREAM_ID));
	if (get(rec, 4) == REC_SAMPLE)
		p += 8 * popcount(have & S_ADDR);
	if ((have & S_CPU) != 0)
		n = get(p, 4);
	else if ((have & S_TID) != 0)
		n = get(time - 4, 4) % 2;
	if (n >= LANES_MAX)
		die("too many processors");
	return &lane[n];
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
	for (bit = 0, n = 0; bit < 64; bit++)
		if ((get(file.p + 72, 8) >> bit & 1) != 0)
			feature[bit] = section(data.p + data.len + 16 * n++);
	if (feature[FEAT_NRCPUS].p != NULL)
		processors = get(feature[FEAT_NRCPUS].p, 4);
	read_event_names();
}

/*
 * Writes a record of that type with a first and a second u64 (unless they are NULL), and N bytes,
 * padded to 8.
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
	at = (at + n + 7) & ~(size_t)7;
	set(rec, type, 4);
	set(rec + 6, at, 2);
	put_record(&out, rec, at);
}

/* Writes the formats of tracepoints, after a record with their length. */
static void
put_tracing(const struct bytes *b)
{
	static const unsigned char zeros[8];
	unsigned char size[8] = { 0 };

	set(size, b->len, 4);
	put_made_up(REC_TRACING_DATA, NULL, NULL, size, sizeof size);
	put(&out, b->p, b->len);
	put(&out, zeros, (8 - b->len % 8) % 8);
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
	put(&out, head, sizeof head);
	for (i = 0; i < events; i++) {
		memcpy(all, event[i].attr, event[i].size);
		memcpy(all + event[i].size, event[i].ids, 8 * event[i].nids);
		put_made_up(REC_HEADER_ATTR, NULL, NULL, all, event[i].size + 8 * event[i].nids);
	}
	for (i = 0; i < 64; i++) {
		uint64_t number = i;
		size_t at;

		if (feature[i].p == NULL || !is_kept((unsigned)i))
			continue;
		if (i == FEAT_TRACING_DATA) {
			put_tracing(&feature[i]);
			continue;
		}
		if (i != FEAT_BUILD_ID) {
			put_made_up(REC_HEADER_FEATURE, &number, NULL, feature[i].p,
			    feature[i].len);
			continue;
		}
		for (at = 0; at < feature[i].len; at += (size_t)get(feature[i].p + at + 6, 2)) {
			size_t size = (size_t)get(feature[i].p + at + 6, 2);

			memcpy(all, feature[i].p + at, size);
			set(all, REC_BUILD_ID, 4);
			put_record(&out, all, size);
		}
	}
	for (i = 0; i < events; i++) {
		uint64_t id = event[i].nids > 0 ? get(event[i].ids, 8) : 0;

		if (event[i].name != NULL && id != 0)
			put_made_up(REC_EVENT_UPDATE, &name_update, &id, event[i].name,
			    strlen(event[i].name) + 1);
	}
}

/*
 * Writes records from FROM on, with times later by SHIFT.  Returns the offset after FINISHED_INIT.
 */
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
		put_record(stream_of(rec, size), rec, size);
	}
	return body;
}

/* Returns the duration of the recording. */
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

/* Writes the header, ids and attrs, for LEN bytes of records and the features KEPT. */
static void
put_file_head(FILE *fp, uint64_t len, uint64_t kept)
{
	size_t size = (size_t)(data.p - file.p), i;
	unsigned char *head = malloc(size);
	struct stream s = { .fp = fp };
	struct turn t;

	if (head == NULL)
		die("no memory");
	memcpy(head, file.p, size);
	set(head + 48, len, 8);
	memset(head + 72, 0, 32);
	set(head + 72, kept, 8);
	for (i = 0; big && i < events; i++) {
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
	if (big)
		turn_n(&t, FILE_HEADER / 8, 8);
	put(&s, head, size);
	free(head);
}

/* Writes the table of features and the features, after the records, at AT. */
static void
put_features(FILE *fp, uint64_t at, uint64_t kept)
{
	struct stream s = { .fp = fp };
	unsigned char entry[16];
	struct turn t;
	unsigned bit;

	at += 16 * popcount(kept);
	for (bit = 0; bit < 64; bit++) {
		if ((kept >> bit & 1) == 0)
			continue;
		set(entry, at, 8);
		set(entry + 8, feature[bit].len, 8);
		at += feature[bit].len;
		t = (struct turn){ entry, entry + 16 };
		if (big)
			turn_n(&t, 2, 8);
		put(&s, entry, sizeof entry);
	}
	for (bit = 0; bit < 64; bit++) {
		if ((kept >> bit & 1) == 0)
			continue;
		t = (struct turn){ feature[bit].p, feature[bit].p + feature[bit].len };
		if (big)
			turn_feature(&t, bit);
		put(&s, feature[bit].p, feature[bit].len);
	}
}

/* Writes a file of the records that have been kept. */
static void
put_file(FILE *fp)
{
	uint64_t kept = 0;
	unsigned bit;

	for (bit = 0; bit < 64; bit++)
		if (feature[bit].p != NULL && is_kept(bit))
			kept |= BIT64(bit);
	put_file_head(fp, out.len, kept);
	if (fwrite(out.kept, 1, out.len, fp) != out.len)
		die("cannot write");
	put_features(fp, (uint64_t)(data.p - file.p) + out.len, kept);
}

/* Sets the features that describe the form. */
static void
set_form(void)
{
	static unsigned char version[8], compressed[20];

	set(version, 1, 8);
	set(compressed, 1, 4);
	set(compressed + 4, 1, 4); /* zstd */
	set(compressed + 8, 1, 4);
	set(compressed + 12, 4, 4);
	set(compressed + 16, 528384, 4);
	feature[FEAT_DIR_FORMAT] = feature[FEAT_COMPRESSED] = (struct bytes){ NULL, 0 };
	if (dir != NULL)
		feature[FEAT_DIR_FORMAT] = (struct bytes){ version, sizeof version };
	if (packing != PACK_NOT)
		feature[FEAT_COMPRESSED] = (struct bytes){ compressed, sizeof compressed };
}

static FILE *
open_in_dir(const char *name)
{
	char path[4096];
	FILE *fp;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	if ((fp = fopen(path, "wb")) == NULL)
		die("cannot make a file of the directory");
	return fp;
}

static void
open_streams(bool pipe)
{
	char name[16];
	int i;

	out.fp = pipe ? stdout : NULL;
	out.packing = dir == NULL && packing != PACK_NOT;
	if (dir == NULL)
		return;
	if (mkdir(dir, 0777) != 0)
		die("cannot make the directory");
	no_rounds = true;
	for (i = 0; i < LANES_MAX; i++) {
		snprintf(name, sizeof name, "data.%d", i);
		lane[i].fp = open_in_dir(name);
		lane[i].packing = packing != PACK_NOT;
	}
}

/* Closes the files of the directory.  Empty files after the last one with data do not exist. */
static void
close_lanes(void)
{
	char path[4096];
	int i, last = 0;

	for (i = 0; i < LANES_MAX; i++) {
		pack_rest(&lane[i]);
		if (ftell(lane[i].fp) != 0)
			last = i;
		if (fclose(lane[i].fp) != 0)
			die("cannot write");
	}
	for (i = last + 1; i < LANES_MAX; i++) {
		snprintf(path, sizeof path, "%s/data.%d", dir, i);
		if (remove(path) != 0)
			die("cannot remove a file of the directory");
	}
}

static void
convert(bool pipe, uint64_t repeat)
{
	uint64_t i, step = duration();
	size_t body;
	FILE *fp = stdout;

	set_form();
	open_streams(pipe);
	if (pipe)
		put_pipe_header();
	body = put_records(0, 0);
	for (i = 1; i < repeat; i++)
		(void)put_records(body, i * step);
	pack_rest(&out);
	if (dir != NULL) {
		close_lanes();
		fp = open_in_dir("data");
	}
	if (!pipe)
		put_file(fp);
	if (fflush(fp) != 0)
		die("cannot write");
}

static enum packing
packing_of(const char *name)
{
	static const char *const names[] = { "81", "83", "wrapped", "glued" };
	int i;

	for (i = 0; i < 4; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum packing)(PACK_81 + i);
	die("no such way to compress");
	return PACK_NOT;
}

int
main(int argc, char **argv)
{
	uint64_t repeat = 1;
	bool pipe = false;
	int a;

	for (a = 1; a < argc && argv[a][0] == '-'; a++) {
		if (strcmp(argv[a], "--pipe") == 0)
			pipe = true;
		else if (strcmp(argv[a], "--big") == 0)
			big = true;
		else if (strcmp(argv[a], "--no-rounds") == 0)
			no_rounds = true;
		else if (strcmp(argv[a], "--dir") == 0 && a + 1 < argc)
			dir = argv[++a];
		else if (strcmp(argv[a], "--zstd") == 0 && a + 1 < argc)
			packing = packing_of(argv[++a]);
		else if (strcmp(argv[a], "--level") == 0 && a + 1 < argc)
			level = atoi(argv[++a]);
		else if (strcmp(argv[a], "--window") == 0 && a + 1 < argc)
			window = atoi(argv[++a]);
		else if (strcmp(argv[a], "--repeat") == 0 && a + 1 < argc)
			repeat = strtoull(argv[++a], NULL, 10);
	}
	if (a + 1 != argc || (pipe && dir != NULL)) {
		fputs("usage: perfconv [--pipe | --dir DIR] [--big] [--no-rounds] "
		      "[--zstd 81|83|wrapped|glued [--level N] [--window LOG]] [--repeat N] "
		      "FILE >OUT\n",
		    stderr);
		return 2;
	}
	read_file(argv[a]);
	convert(pipe, repeat);
	return 0;
}
