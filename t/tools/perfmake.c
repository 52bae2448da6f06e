/* SPDX-License-Identifier: ISC */
/*
 * perfmake.c - makes a recording in pipe mode from lines of text, for the tests.
 *
 *	comm|exec PID TID TIME NAME
 *	fork|exit PID TID PPID PTID TIME
 *	mmap PID TID TIME k|u ADDR LEN PGOFF NAME
 *	mapdata ...			like mmap, for data
 *	mmap2 PID TID TIME k|u ADDR LEN PGOFF INODE NAME	executable
 *	sample PID TID TIME k|u|h|g|G IP [ADDR|k|u|h|g|G|d...] [r COUNT] [c ID]
 *	deferred PID TID TIME COOKIE [ADDR|u...]
 *	cgroup TIME ID PATH
 *	namespaces PID TID TIME [DEV:INO...]
 *	ksymbol|unksymbol TIME ADDR LEN NAME
 *	lost|lost_samples|lost_bpf|throttle TIME N
 *	buildid HEX NAME		20 bytes at most, without a length
 *	kbuildid HEX NAME		the same, for the kernel
 *	round
 *	clock ID			the clock of all times (clockid_t), before anything else
 *	tracing N			tracing data without events, with N bytes of kernel symbols
 *	event NAME			the name of the event, before anything else
 *	version TEXT			the version of perf
 *	unit|scale|cpus ID WHAT		an event's unit, its scale, or processors (a list as below)
 *	with defer|read|cgroup		before anything else: the user part of callchains comes
 *					later; samples have the counter, which is inherited, or
 *					their control group
 *	unknown TYPE TIME		a record of that type with only its trailer
 *	raw TYPE MISC ITEM...		any record; the kernel's are padded and, but
 *				for SAMPLE, get a trailer of time 1
 *	bytes ITEM...			the same without a header: payload outside of records
 *	attr				the event, if --no-attr left it out at the beginning
 *
 * An ITEM is WIDTH:NUMBER of 1, 2, 4 or 8 bytes, s:TEXT, sN:TEXT padded to N bytes, b:BITS of 8
 * bytes (the first bit lowest), or x:HEX.
 * perfmake [--big] [--no-attr] [--type N] [--branch N]: the other byte order; sample_type and
 * branch_sample_type other than usual, for raw samples.
 *
 *	events N TYPE FORMAT PERIOD FLAGS	N events, in the first line, see below
 *	counted ID PID TID TIME ENABLED RUNNING VALUE:ID:LOST...	a sample with counters
 *	read ID PID TID TIME ENABLED RUNNING VALUE:ID:LOST...		a READ record
 *	threadmap [TID NAME]...
 *	cpumap list|mask4|mask8|range CPU...	CPU -1 is any; a range has the first and the last
 *	statconfig [TAG VALUE]...
 *	stat ID CPU THREAD VALUE ENABLED RUNNING
 *	statround TYPE TIME
 *
 * With events, there are software events 0 to N - 1 with that sample_type, read_format, period and
 * flags, and with the ids 0x10, 0x11 for the first, 0x20, 0x21 for the second and so on.  Without
 * it there is one event, cpu-clock, and all records have pid, tid, time and cpu.  Numbers are as in
 * C. The k, u ... of a callchain are its markers.  d is the marker of a deferred user part, and is
 * followed by its cookie.  With --big the recording is from a machine of the other byte order.  A
 * NAME is the rest of the line, with \xHH for unusual bytes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/perfdata/abi.h"

#define MAKER "perfmake"
#include "t/tools/words.h"

#define EVENT_ID 7
#define WORDS_MAX 9000

static unsigned char rec[REC_MAX + 1];
static size_t len;
static int clock_id = -1; /* -1: perf's own */
static int big, with_defer, with_cgroup, with_read, with_attr = 1, headed;
static uint64_t sample_type = S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_CALLCHAIN, branch_type;

static void
put(uint64_t v, int width)
{
	int at = 0;

	must(len + 8 <= sizeof rec, "record too long");
	while (width-- > 0)
		rec[len++] = (unsigned char)(big ? v >> 8 * width : (v >> 8 * at++));
}

/* Writes a bit-field, whose first bit is the lowest of the first byte, or the highest. */
static void
put_bits(uint64_t v)
{
	int i;

	put(0, 8);
	for (i = 0; i < 64; i++)
		if ((v >> i & 1) != 0)
			rec[len - 8 + (size_t)i / 8] |=
			    (unsigned char)(big ? 0x80 >> i % 8 : 1 << i % 8);
}

static void
begin(uint32_t type, unsigned misc)
{
	len = 0;
	put(type, 4);
	put(misc, 2);
	put(0, 2);
}

static void
end_unpadded(void)
{
	size_t size = len;

	must(size <= REC_MAX, "record too long");
	len = 6;
	put(size, 2);
	must(fwrite(rec, 1, size, stdout) == size, "cannot write");
}

static void
end(void)
{
	while (len % 8 != 0)
		put(0, 1);
	end_unpadded();
}

static void
trailer(uint64_t pid, uint64_t tid, uint64_t time)
{
	put(pid, 4);
	put(tid, 4);
	put(time, 8);
	put(0, 8); /* cpu */
	end();
}

/* Writes a name padded with NULs, as the kernel does. */
static void
put_name(const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned byte;

		if (s[0] == '\\' && sscanf(s, "\\x%2x", &byte) == 1) {
			put(byte, 1);
			s += 3;
		} else {
			put((unsigned char)*s, 1);
		}
	}
	do
		put(0, 1);
	while (len % 8 != 0);
}

static unsigned
mode(const char *w)
{
	const char *all = "?kuhgG", *p = strchr(all, w[0]);

	must(p != NULL && w[1] == '\0', "not a mode");
	return (unsigned)(p - all);
}

static uint64_t
marker(unsigned m)
{
	static const uint64_t all[] = { 0, CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_HV,
		CONTEXT_GUEST_KERNEL, CONTEXT_GUEST_USER };

	return all[m];
}

/* Reads the words of a callchain, up to the end, an "r" or a "c". */
static size_t
chain_words(char **rest, uint64_t *chain)
{
	size_t n = 0;

	while (**rest != '\0' && strchr("cr", **rest) == NULL) {
		char *w = word(rest);

		must(n < WORDS_MAX, "too many frames");
		if (strcmp(w, "d") == 0)
			chain[n++] = CONTEXT_USER_DEFERRED;
		else
			chain[n++] =
			    strchr("kuhgG", w[0]) != NULL ? marker(mode(w)) : strtoull(w, NULL, 0);
	}
	return n;
}

static void
sample(char *rest)
{
	static uint64_t chain[WORDS_MAX];
	uint64_t pid = number(&rest), tid = number(&rest), time = number(&rest), ip;
	unsigned m = mode(word(&rest));
	size_t n, i;

	ip = number(&rest);
	n = chain_words(&rest, chain);
	begin(REC_SAMPLE, m);
	put(ip, 8);
	put(pid, 4);
	put(tid, 4);
	put(time, 8);
	put(0, 8); /* cpu */
	put(1000, 8); /* period */
	if (with_read) {
		(void)word(&rest);
		put(number(&rest), 8);
		put(EVENT_ID, 8);
	}
	put(n, 8);
	for (i = 0; i < n; i++)
		put(chain[i], 8);
	if (with_cgroup) {
		(void)word(&rest);
		put(number(&rest), 8);
	}
	end();
}

static void
deferred(char *rest)
{
	static uint64_t chain[WORDS_MAX];
	uint64_t pid = number(&rest), tid = number(&rest), time = number(&rest);
	uint64_t cookie = number(&rest);
	size_t n = chain_words(&rest, chain), i;

	begin(REC_CALLCHAIN_DEFERRED, 2);
	put(cookie, 8);
	put(n, 8);
	for (i = 0; i < n; i++)
		put(chain[i], 8);
	trailer(pid, tid, time);
}

static void
cgroup(char *rest)
{
	uint64_t time = number(&rest);

	begin(REC_CGROUP, 0);
	put(number(&rest), 8);
	put_name(rest);
	trailer(0, 0, time);
}

static void
namespaces(char *rest)
{
	uint64_t pid = number(&rest), tid = number(&rest), time = number(&rest), n = 0;
	size_t count, all;

	begin(REC_NAMESPACES, 0);
	put(pid, 4);
	put(tid, 4);
	count = len;
	put(0, 8);
	for (; *rest != '\0'; n++) {
		char *dev = word(&rest), *ino = strchr(dev, ':');

		must(ino != NULL, "not DEV:INO");
		put(strtoull(dev, NULL, 0), 8);
		put(strtoull(ino + 1, NULL, 0), 8);
	}
	all = len;
	len = count;
	put(n, 8);
	len = all;
	trailer(pid, tid, time);
}

static void
mapping(char *rest, unsigned misc)
{
	uint64_t pid = number(&rest), tid = number(&rest), time = number(&rest), addr, size;

	begin(REC_MMAP, misc | mode(word(&rest)));
	put(pid, 4);
	put(tid, 4);
	addr = number(&rest);
	size = number(&rest);
	put(addr, 8);
	put(size, 8);
	put(number(&rest), 8);
	put_name(rest);
	trailer(pid, tid, time);
}

/* Writes a mapping with its inode, on device 0. */
static void
mapping2(char *rest)
{
	uint64_t pid = number(&rest), tid = number(&rest), time = number(&rest);
	int i;

	begin(REC_MMAP2, mode(word(&rest)));
	put(pid, 4);
	put(tid, 4);
	for (i = 0; i < 3; i++) /* address, length, offset */
		put(number(&rest), 8);
	put(0, 8); /* device */
	put(number(&rest), 8);
	put(0, 8); /* generation */
	put(5, 4); /* PROT_READ | PROT_EXEC */
	put(2, 4); /* MAP_PRIVATE */
	put_name(rest);
	trailer(pid, tid, time);
}

static void
name(char *rest, unsigned misc)
{
	uint64_t pid = number(&rest), tid = number(&rest), time = number(&rest);

	begin(REC_COMM, misc);
	put(pid, 4);
	put(tid, 4);
	put_name(rest);
	trailer(pid, tid, time);
}

static void
family(char *rest, uint32_t type)
{
	uint64_t pid = number(&rest), tid = number(&rest), ppid = number(&rest),
		 ptid = number(&rest);
	uint64_t time = number(&rest);

	begin(type, 0);
	put(pid, 4);
	put(ppid, 4);
	put(tid, 4);
	put(ptid, 4);
	put(time, 8);
	trailer(pid, tid, time);
}

static void
kernel_symbol(char *rest, unsigned flags)
{
	uint64_t time = number(&rest), addr = number(&rest);

	begin(REC_KSYMBOL, 0);
	put(addr, 8);
	put(number(&rest), 4);
	put(1, 2);
	put(flags, 2);
	put_name(rest);
	trailer(0, 0, time);
}

static void
loss(char *rest, uint32_t type, unsigned misc)
{
	uint64_t time = number(&rest), n = number(&rest);

	begin(type, misc);
	if (type == REC_THROTTLE)
		put(time, 8);
	if (type != REC_LOST_SAMPLES)
		put(EVENT_ID, 8);
	put(n, 8);
	trailer(0, 0, time);
}

static void
build_id(char *rest, unsigned misc)
{
	const char *hex = word(&rest);
	unsigned byte, n;

	begin(REC_BUILD_ID, misc);
	put((uint64_t)-1, 4);
	for (n = 0; n < 20 && sscanf(hex, "%2x", &byte) == 1; n++, hex += 2)
		put(byte, 1);
	for (; n < 24; n++)
		put(0, 1);
	put_name(rest);
	end();
}

/*
 * Writes tracing data after their record, padded to 8: no events, and kernel symbols of any size.
 */
static void
tracing(char *rest)
{
	static const char head[] = "\x17\x08"
				   "Dtracing0.5\0\0\x08\0\x10\0\0header_page\0\0\0\0\0\0\0\0\0"
				   "header_event\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	uint64_t n = number(&rest), size = sizeof head + 4 + n + 4, i;

	begin(REC_TRACING_DATA, 0);
	put(size, 4);
	end();
	must(fwrite(head, 1, sizeof head, stdout) == sizeof head, "cannot write");
	for (i = 0; i < 4; i++)
		must(putchar((int)(n >> 8 * i & 255)) != EOF, "cannot write");
	for (i = 0; i < n; i++)
		must(putchar(0x41) != EOF, "cannot write");
	for (i = sizeof head + 4 + n; i < ((size + 7) & ~(uint64_t)7); i++)
		must(putchar(0) != EOF, "cannot write");
}

static void
unknown(char *rest)
{
	uint64_t type = number(&rest);

	begin((uint32_t)type, 0);
	if (type >= REC_USER)
		end();
	else
		trailer(0, 0, number(&rest));
}

/* Writes TEXT with \xHH, at least N bytes. */
static void
put_text(const char *p, size_t n)
{
	size_t from = len;
	unsigned byte;

	for (; *p != '\0'; p++) {
		if (p[0] == '\\' && sscanf(p, "\\x%2x", &byte) == 1) {
			put(byte, 1);
			p += 3;
		} else {
			put((unsigned char)*p, 1);
		}
	}
	while (len - from < n)
		put(0, 1);
}

static void
items(char *rest)
{
	while (rest[strspn(rest, " ")] != '\0') {
		char *item = word(&rest), *value = strchr(item, ':');
		unsigned byte;

		must(value != NULL, "not an item");
		*value++ = '\0';
		if (item[0] == 's') {
			put_text(value, strtoul(item + 1, NULL, 10));
		} else if (item[0] == 'x') {
			for (; sscanf(value, "%2x", &byte) == 1; value += 2)
				put(byte, 1);
		} else if (item[0] == 'b') {
			put_bits(strtoull(value, NULL, 0));
		} else {
			put(number(&value), atoi(item));
		}
	}
}

static void
raw(char *rest)
{
	uint64_t type = number(&rest), misc = number(&rest);

	begin((uint32_t)type, (unsigned)misc);
	items(rest);
	if (type >= REC_USER) {
		end_unpadded();
		return;
	}
	while (len % 8 != 0)
		put(0, 1);
	if (type == REC_SAMPLE)
		end();
	else
		trailer(0, 0, 1);
}

static void
payload(char *rest)
{
	len = 0;
	items(rest);
	must(fwrite(rec, 1, len, stdout) == len, "cannot write");
}

static void
event_name(char *text)
{
	begin(REC_EVENT_UPDATE, 0);
	put(2, 8);
	put(EVENT_ID, 8);
	put_name(text);
	end();
}

static void
attr(void)
{
	int i;

	begin(REC_HEADER_ATTR, 0);
	put(PTYPE_SOFTWARE, 4);
	put(128, 4);
	put(0, 8);
	put(1000, 8);
	put(sample_type | (with_read ? S_READ : 0) | (with_cgroup ? S_CGROUP : 0), 8);
	put(R_ID, 8);
	put_bits(A_SAMPLE_ID_ALL | A_EXCLUDE_GUEST | (with_read ? A_INHERIT : 0) |
	    (with_defer ? A_DEFER_CALLCHAIN : 0) | (clock_id >= 0 ? A_USE_CLOCKID : 0));
	for (i = 48; i < 128; i += 4)
		if (i == 92)
			put(clock_id >= 0 ? (uint64_t)clock_id : 0, 4);
		else
			put(i == (big ? 76 : 72)       ? branch_type & UINT32_MAX
				: i == (big ? 72 : 76) ? branch_type >> 32
						       : 0,
			    4);
	put(EVENT_ID, 8);
	end();
}

static void
header(void)
{
	headed = 1;
	len = 0;
	put(0x32454c4946524550, 8); /* PERFILE2 */
	put(16, 8);
	must(fwrite(rec, 1, len, stdout) == len, "cannot write");
	if (with_attr)
		attr();
}

/* Writes a text of the header, with its length. */
static void
version(char *text)
{
	begin(REC_HEADER_FEATURE, 0);
	put(FEAT_VERSION, 8);
	put(strlen(text) + 1, 4);
	put_name(text);
	end();
}

/* Writes the body of a CPU_MAP: a list, a mask in words of 4 or 8 bytes, or a range. */
static void
put_cpus(char *rest)
{
	char *form = word(&rest);
	uint64_t mask = 0, cpu[64], n = 0, i, bytes = form[0] == 'm' ? (uint64_t)form[4] - '0' : 0;

	for (; *rest != '\0' && n < 64; n++)
		cpu[n] = number(&rest);
	put(form[0] == 'l' ? 0 : form[0] == 'm' ? 1 : 2, 2);
	if (form[0] == 'l') {
		put(n, 2);
		for (i = 0; i < n; i++)
			put(cpu[i], 2);
	} else if (form[0] == 'm') {
		put(1, 2);
		put(bytes, 2);
		put(0, bytes == 8 ? 4 : 0);
		for (i = 0; i < n; i++)
			mask |= BIT64(cpu[i]);
		put(mask, (int)bytes);
	} else {
		put(0, 2);
		put(cpu[0], 2);
		put(cpu[n - 1], 2);
	}
}

static void
cpu_map(char *rest)
{
	begin(REC_CPU_MAP, 0);
	put_cpus(rest);
	end();
}

/* Writes a unit, a scale, or processors. */
static void
update(const char *what, char *rest)
{
	double scale;
	uint64_t bits;

	begin(REC_EVENT_UPDATE, 0);
	put(what[0] == 'u' ? 0 : what[0] == 's' ? 1 : 3, 8);
	put(number(&rest), 8);
	if (what[0] == 'u') {
		put_name(rest);
	} else if (what[0] == 'c') {
		put_cpus(rest);
	} else {
		scale = strtod(rest, NULL);
		memcpy(&bits, &scale, sizeof bits);
		put(bits, 8);
	}
	end();
}

/* The read_format of all events. */
static uint64_t read_format;

static void
counter_attr(uint64_t config, uint64_t period, uint64_t flags)
{
	int i;

	begin(REC_HEADER_ATTR, 0);
	put(PTYPE_SOFTWARE, 4);
	put(128, 4);
	put(config, 8);
	put(period, 8);
	put(sample_type, 8);
	put(read_format, 8);
	put_bits(flags);
	for (i = 48; i < 128; i += 8)
		put(0, 8);
}

static void
events(char *rest)
{
	uint64_t n = number(&rest), i, period, flags;

	sample_type = number(&rest);
	read_format = number(&rest);
	period = number(&rest);
	flags = number(&rest);
	with_attr = 0;
	header();
	for (i = 0; i < n; i++) {
		counter_attr(i, period, flags);
		put((i + 1) * 0x10, 8);
		put((i + 1) * 0x10 + 1, 8);
		end();
	}
}

/* Writes the parts of ENABLED RUNNING VALUE:ID:LOST... that read_format selects. */
static void
counters(char *rest)
{
	uint64_t enabled = number(&rest), running = number(&rest), n = 0, v;
	bool group = (read_format & R_GROUP) != 0, times = true;
	const char *p;

	for (p = rest; *p != '\0'; p++)
		n += *p == ':';
	if (group)
		put(n / 2, 8);
	while (times || *rest != '\0') {
		char *counter = group && times ? NULL : word(&rest);

		v = counter == NULL ? 0 : strtoull(counter, &counter, 0);
		if (!group)
			put(v, 8);
		if (times && (read_format & R_ENABLED) != 0)
			put(enabled, 8);
		if (times && (read_format & R_RUNNING) != 0)
			put(running, 8);
		times = false;
		if (counter == NULL)
			continue;
		if (group)
			put(v, 8);
		v = strtoull(counter + 1, &counter, 0);
		if ((read_format & R_ID) != 0)
			put(v, 8);
		if ((read_format & R_LOST) != 0)
			put(strtoull(counter + 1, NULL, 0), 8);
	}
}

/* Writes a field that sample_type selects. */
static void
put_if(uint64_t bit, uint64_t v, int width)
{
	if ((sample_type & bit) != 0)
		put(v, width);
}

static void
counted(char *rest)
{
	uint64_t id = number(&rest), pid = number(&rest), tid = number(&rest);
	uint64_t time = number(&rest);

	begin(REC_SAMPLE, 2);
	put_if(S_IDENTIFIER, id, 8);
	put_if(S_IP, 0x1000, 8);
	put_if(S_TID, pid, 4);
	put_if(S_TID, tid, 4);
	put_if(S_TIME, time, 8);
	put_if(S_ID, id, 8);
	put_if(S_CPU, 1, 8);
	put_if(S_PERIOD, 1000, 8);
	if ((sample_type & S_READ) != 0)
		counters(rest);
	end();
}

static void
read_record(char *rest)
{
	uint64_t id = number(&rest), pid = number(&rest), tid = number(&rest);
	uint64_t time = number(&rest);

	begin(REC_READ, 0);
	put(pid, 4);
	put(tid, 4);
	counters(rest);
	put_if(S_TID, pid, 4);
	put_if(S_TID, tid, 4);
	put_if(S_TIME, time, 8);
	put_if(S_ID, id, 8);
	put_if(S_CPU, 1, 8);
	put_if(S_IDENTIFIER, id, 8);
	end();
}

static void
thread_map(char *rest)
{
	size_t at;

	begin(REC_THREAD_MAP, 0);
	put(0, 8);
	while (*rest != '\0') {
		put(number(&rest), 8);
		at = len;
		put_name(word(&rest));
		while (len < at + 16)
			put(0, 1);
		len = at + 16;
		rec[8]++;
	}
	end();
}

/* Writes TAG VALUE..., or another record that is only a count and words. */
static void
stat_config(char *rest)
{
	begin(REC_STAT_CONFIG, 0);
	put(0, 8);
	while (*rest != '\0') {
		put(number(&rest), 8);
		put(number(&rest), 8);
		rec[8]++;
	}
	end();
}

static void
stat_record(char *rest)
{
	begin(REC_STAT, 0);
	put(number(&rest), 8);
	put(number(&rest), 4);
	put(number(&rest), 4);
	put(number(&rest), 8);
	put(number(&rest), 8);
	put(number(&rest), 8);
	end();
}

static void
stat_round(char *rest)
{
	begin(REC_STAT_ROUND, 0);
	put(number(&rest), 8);
	put(number(&rest), 8);
	end();
}

static void
finished_round(char *rest)
{
	(void)rest;
	begin(REC_FINISHED_ROUND, 0);
	end();
}

static void
bare_attr(char *rest)
{
	(void)rest;
	attr();
}

/* Records that need nothing but their line. */
static const struct {
	const char *what;
	void (*make)(char *rest);
} plain[] = {
	{ "sample", sample },
	{ "mmap2", mapping2 },
	{ "deferred", deferred },
	{ "cgroup", cgroup },
	{ "namespaces", namespaces },
	{ "tracing", tracing },
	{ "unknown", unknown },
	{ "raw", raw },
	{ "bytes", payload },
	{ "attr", bare_attr },
	{ "event", event_name },
	{ "version", version },
	{ "counted", counted },
	{ "read", read_record },
	{ "threadmap", thread_map },
	{ "cpumap", cpu_map },
	{ "statconfig", stat_config },
	{ "stat", stat_record },
	{ "statround", stat_round },
	{ "round", finished_round },
};

/* Writes records that have variants. */
static void
variant(const char *what, char *rest)
{
	if (strcmp(what, "mmap") == 0 || strcmp(what, "mapdata") == 0)
		mapping(rest, what[1] == 'a' ? MISC_MMAP_DATA : 0);
	else if (strcmp(what, "comm") == 0 || strcmp(what, "exec") == 0)
		name(rest, what[0] == 'e' ? MISC_COMM_EXEC : 0);
	else if (strcmp(what, "fork") == 0 || strcmp(what, "exit") == 0)
		family(rest, what[0] == 'f' ? REC_FORK : REC_EXIT);
	else if (strcmp(what, "ksymbol") == 0 || strcmp(what, "unksymbol") == 0)
		kernel_symbol(rest, what[0] == 'u');
	else if (strcmp(what, "lost") == 0)
		loss(rest, REC_LOST, 0);
	else if (strcmp(what, "lost_samples") == 0)
		loss(rest, REC_LOST_SAMPLES, 0);
	else if (strcmp(what, "throttle") == 0)
		loss(rest, REC_THROTTLE, 0);
	else if (strcmp(what, "lost_bpf") == 0)
		loss(rest, REC_LOST_SAMPLES, MISC_LOST_SAMPLES_BPF);
	else if (strcmp(what, "buildid") == 0 || strcmp(what, "kbuildid") == 0)
		build_id(rest, what[0] == 'k' ? 1 : 2);
	else if (strcmp(what, "unit") == 0 || strcmp(what, "scale") == 0 ||
	    strcmp(what, "cpus") == 0)
		update(what, rest);
	else
		must(0, "no such record");
}

static void
one_line(char *rest)
{
	char *what = word(&rest);
	size_t i;

	if (strcmp(what, "with") == 0) {
		must(!headed, "too late");
		with_defer |= strcmp(rest, "defer") == 0;
		with_read |= strcmp(rest, "read") == 0;
		with_cgroup |= strcmp(rest, "cgroup") == 0;
		return;
	}
	if (strcmp(what, "clock") == 0) {
		must(!headed, "too late");
		clock_id = atoi(rest);
		return;
	}
	if (strcmp(what, "events") == 0) {
		must(!headed, "too late");
		events(rest);
		return;
	}
	if (!headed)
		header();
	for (i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (strcmp(what, plain[i].what) == 0) {
			plain[i].make(rest);
			return;
		}
	variant(what, rest);
}

int
main(int argc, char **argv)
{
	static char text[1 << 18];
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--big") == 0)
			big = 1;
		else if (strcmp(argv[i], "--no-attr") == 0)
			with_attr = 0;
		else if (strcmp(argv[i], "--type") == 0 && i + 1 < argc)
			sample_type = strtoull(argv[++i], NULL, 0);
		else if (strcmp(argv[i], "--branch") == 0 && i + 1 < argc)
			branch_type = strtoull(argv[++i], NULL, 0);
		else
			must(0, "no such option");
	}
	while (fgets(text, sizeof text, stdin) != NULL) {
		line_number++;
		text[strcspn(text, "\n")] = '\0';
		if (text[0] != '\0' && text[0] != '#')
			one_line(text);
	}
	if (!headed)
		header();
	return fflush(stdout) == 0 ? 0 : 1;
}
