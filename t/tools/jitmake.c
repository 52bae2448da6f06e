/* SPDX-License-Identifier: ISC */
/*
 * jitmake.c - makes a jitdump from lines of text, or is a JIT compiler itself, for the tests.
 *
 *	jitmake [--big] <TEXT >jit-PID.dump
 *
 *	header PID [FLAGS [VERSION [SIZE]]]
 *	load TIME PID ADDR SIZE INDEX NAME
 *	move TIME PID OLD NEW SIZE INDEX
 *	lines TIME ADDR [OFFSET LINE FILE]...	FILE - : as before
 *	unwind TIME HDR_SIZE [HEX]
 *	close TIME
 *	record TYPE TIME [HEX]		any record
 *	cut N				leaves out the last N bytes of the file
 *
 * Numbers are as in C.  With --big the file is of the other byte order.
 *
 *	jitmake --run FOLDER MS
 *
 * Makes code at run time, lists it in FOLDER/jit-PID.dump and calls it, MS milliseconds in each of
 * these phases (x86_64 only):
 *
 *	spin_first			alone
 *	spin_second			at the same address, where it has replaced spin_first
 *	spin_second			after it has moved to another address
 *	framed -> spin_third		framed keeps a frame pointer
 *	frameless -> spin_fourth	these do not, but have unwind information
 *
 *	jitmake --stay FOLDER MS
 *
 * Does the same, then calls spin_mapped, which only /tmp/perf-PID.map lists, makes FOLDER/done, and
 * waits for the end of standard input.
 *
 * Format: Linux, tools/perf/Documentation/jitdump-specification.txt.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MAKER "jitmake"
#include "t/tools/words.h"

#define FILE_MAX (1 << 22)

enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO };

static unsigned char file[FILE_MAX];
static size_t len, written;
static int big;

static void
put_bytes(const void *p, size_t n)
{
	must(n <= sizeof file - len, "too long");
	memcpy(file + len, p, n);
	len += n;
}

static void
put(uint64_t v, int width)
{
	unsigned char byte;
	int i;

	for (i = 0; i < width; i++) {
		byte = (unsigned char)(v >> 8 * (big ? width - 1 - i : i));
		put_bytes(&byte, 1);
	}
}

/* Begins a record.  Returns where it begins. */
static size_t
begin(uint32_t type, uint64_t time)
{
	size_t at = len;

	put(type, 4);
	put(0, 4);
	put(time, 8);
	return at;
}

/* Ends the record that began at AT: stores its size. */
static void
end(size_t at)
{
	size_t all = len;

	len = at + 4;
	put(all - at, 4);
	len = all;
}

static void
put_header(uint32_t pid, uint64_t flags, uint32_t version, uint32_t size)
{
	put(0x4a695444, 4);
	put(version, 4);
	put(size, 4);
	put(62, 4); /* EM_X86_64 */
	put(0, 4);
	put(pid, 4);
	put(1, 8);
	put(flags, 8);
}

struct code {
	uint32_t pid;
	uint64_t address, size, index;
	const char *name;
	const void *bytes; /* NULL: any */
};

static void
put_load(uint64_t time, const struct code *c)
{
	size_t at = begin(LOAD, time);
	uint64_t i;

	put(c->pid, 4);
	put(c->pid, 4);
	put(c->address, 8);
	put(c->address, 8);
	put(c->size, 8);
	put(c->index, 8);
	put_bytes(c->name, strlen(c->name) + 1);
	if (c->bytes != NULL)
		put_bytes(c->bytes, (size_t)c->size);
	else
		for (i = 0; i < c->size; i++)
			put(0x90, 1);
	end(at);
}

static void
put_move(uint64_t time, uint64_t old, const struct code *c)
{
	size_t at = begin(MOVE, time);

	put(c->pid, 4);
	put(c->pid, 4);
	put(c->address, 8);
	put(old, 8);
	put(c->address, 8);
	put(c->size, 8);
	put(c->index, 8);
	end(at);
}

static void
put_line(uint64_t address, uint64_t line, const char *path)
{
	put(address, 8);
	put(line, 4);
	put(0, 4); /* column */
	put_bytes(path, strlen(path) + 1);
}

/* Ends a record of lines, of which there are n. */
static void
end_lines(size_t at, uint64_t n)
{
	size_t all = len;

	len = at + 24;
	put(n, 8);
	len = all;
	while (len % 8 != 0)
		put(0, 1);
	end(at);
}

/* ---- a file from text */

/* Returns the next number, or OTHERWISE if there is none. */
static uint64_t
option(char **rest, uint64_t otherwise)
{
	return **rest != '\0' ? number(rest) : otherwise;
}

static void
put_hex(const char *digits)
{
	unsigned byte;

	for (; sscanf(digits, "%2x", &byte) == 1; digits += 2)
		put(byte, 1);
}

static void
header(char *rest)
{
	uint64_t pid = number(&rest), flags = option(&rest, 0), version = option(&rest, 1);

	put_header((uint32_t)pid, flags, (uint32_t)version, (uint32_t)option(&rest, 40));
}

static void
load(char *rest)
{
	uint64_t time = number(&rest);
	struct code c = { .pid = (uint32_t)number(&rest) };

	c.address = number(&rest);
	c.size = number(&rest);
	c.index = number(&rest);
	c.name = rest;
	put_load(time, &c);
}

static void
move(char *rest)
{
	uint64_t time = number(&rest), old;
	struct code c = { .pid = (uint32_t)number(&rest) };

	old = number(&rest);
	c.address = number(&rest);
	c.size = number(&rest);
	c.index = number(&rest);
	put_move(time, old, &c);
}

static void
put_unwinding(uint64_t time, uint64_t header_size, const void *bytes, size_t n)
{
	size_t at = begin(UNWINDING_INFO, time);

	put(n, 8);
	put(header_size, 8);
	put(0, 8); /* not mapped */
	put_bytes(bytes, n);
	while (len % 8 != 0)
		put(0, 1);
	end(at);
}

static void
lines(char *rest)
{
	size_t at = begin(DEBUG_INFO, number(&rest));
	uint64_t start = number(&rest), offset, line, n;
	const char *path;

	put(start, 8);
	put(0, 8);
	for (n = 0; *rest != '\0'; n++) {
		offset = number(&rest);
		line = number(&rest);
		path = word(&rest);
		put_line(start + offset, line, strcmp(path, "-") == 0 ? "\xff" : path);
	}
	end_lines(at, n);
}

static void
unwind(char *rest)
{
	uint64_t time = number(&rest), header_size = number(&rest);
	unsigned char bytes[4096];
	size_t n = 0;
	unsigned byte;

	for (; sscanf(rest, "%2x", &byte) == 1 && n < sizeof bytes; rest += 2)
		bytes[n++] = (unsigned char)byte;
	put_unwinding(time, header_size, bytes, n);
}

static void
any_record(char *rest)
{
	uint32_t type = (uint32_t)number(&rest);
	size_t at = begin(type, number(&rest));

	put_hex(rest);
	end(at);
}

static void
close_record(char *rest)
{
	end(begin(CLOSE, number(&rest)));
}

static void
cut(char *rest)
{
	size_t n = (size_t)number(&rest);

	must(n <= len, "too much to leave out");
	len -= n;
}

static void
from_text(void)
{
	static const struct {
		const char *what;
		void (*make)(char *rest);
	} all[] = { { "header", header }, { "load", load }, { "move", move }, { "unwind", unwind },
		{ "lines", lines }, { "close", close_record }, { "record", any_record },
		{ "cut", cut } };
	static char text[1 << 18];
	size_t i;

	while (fgets(text, sizeof text, stdin) != NULL) {
		char *rest = text, *what;

		line_number++;
		text[strcspn(text, "\n")] = '\0';
		if (text[0] == '\0' || text[0] == '#')
			continue;
		what = word(&rest);
		for (i = 0; i < sizeof all / sizeof all[0]; i++)
			if (strcmp(what, all[i].what) == 0)
				break;
		must(i < sizeof all / sizeof all[0], "no such record");
		all[i].make(rest);
	}
	must(fwrite(file, 1, len, stdout) == len && fflush(stdout) == 0, "cannot write");
}

/* ---- a compiler */

#define PAGE 4096

/* push rbp; mov rbp, rsp; do n--; while (n != 0); pop rbp; ret */
static const unsigned char spin_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb,
	0x5d, 0xc3 };

/* do n--; while (n != 0); ret */
static const unsigned char bare_spin_code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

/* push rbp; mov rbp, rsp; call *rsi; pop rbp; ret */
static const unsigned char framed_code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3 };

/* push rbp; mov ebp, 0xdead; sub rsp, 16; call *rsi; add rsp, 16; pop rbp; ret */
static const unsigned char frameless_code[] = { 0x55, 0xbd, 0xad, 0xde, 0, 0, 0x48, 0x83, 0xec, 16,
	0xff, 0xd6, 0x48, 0x83, 0xc4, 16, 0x5d, 0xc3 };

/*
 * Version 1, "zR", code factor 1, data factor -8, return address in column 16, pc-relative.  The
 * CFA is rsp + 8, the return address is at CFA - 8.
 */
static const unsigned char common_entry[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16,
	1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0 };

/*
 * The rules of frameless_code.  From byte 1 on the CFA is rsp + 16 and rbp is at CFA - 16; from 10
 * on it is rsp + 32; from 16 on rsp + 16; from 17 on it is rsp + 8, and rbp is as it was.
 */
static const unsigned char frameless_rules[15] = { 0x41, 0x0e, 16, 0x86, 2, 0x49, 0x0e, 32, 0x46,
	0x0e, 16, 0x41, 0x0e, 8, 0xc6 };
static const unsigned char bare_spin_rules[15] = { 0 };

#define UNWIND_HEADER 20 /* bytes of the .eh_frame_hdr */

struct compiler {
	int fd;
	uint32_t pid;
	uint64_t index;
	unsigned char *memory;
};

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
flush(struct compiler *c)
{
	must(write(c->fd, file + written, len - written) == (ssize_t)(len - written),
	    "cannot write");
	written = len;
}

/* Opens the jitdump and maps it, which shows perf where it is. */
static void
start(struct compiler *c, const char *folder)
{
	char path[4096];

	c->pid = (uint32_t)getpid();
	snprintf(path, sizeof path, "%s/jit-%d.dump", folder, (int)getpid());
	c->fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0666);
	must(c->fd >= 0, "cannot make the file");
	put_header(c->pid, 0, 1, 40);
	flush(c);
	must(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, c->fd, 0) != MAP_FAILED, "mmap");
	c->memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(c->memory != MAP_FAILED, "mmap");
}

/*
 * Lists lines of code: 1 to 3 of NAME.jit, from the start, from byte 4 and for the last byte.  perf
 * does not use the last entry of a function.
 */
static void
list_lines(const struct code *c)
{
	size_t at = begin(DEBUG_INFO, now());
	char path[64];

	snprintf(path, sizeof path, "/src/%s.jit", c->name);
	put(c->address, 8);
	put(0, 8);
	put_line(c->address, 1, path);
	put_line(c->address + 4, 2, path);
	put_line(c->address + c->size - 1, 3, path);
	end_lines(at, 3);
}

/* Puts code into memory and lists it. */
static unsigned char *
compile(struct compiler *c, size_t at, const char *name, const unsigned char *code, size_t size)
{
	struct code listed = { c->pid, (uint64_t)(uintptr_t)(c->memory + at), size, ++c->index,
		name, code };

	memcpy(c->memory + at, code, size);
	list_lines(&listed);
	put_load(now(), &listed);
	flush(c);
	return c->memory + at;
}

/*
 * Lists unwind information for the code that is compiled next: an .eh_frame of two entries, which
 * is supposed to follow the code at the next multiple of 8, and its .eh_frame_hdr.
 */
static void
put_rules(uint32_t size, const unsigned char rules[15])
{
	unsigned char bytes[256];
	size_t from = len, n;
	uint32_t padded = (size + 7) & ~UINT32_C(7);

	put_bytes(common_entry, sizeof common_entry);
	put(28, 4);
	put(28, 4); /* back to the common entry */
	put(-(uint64_t)(padded + 32), 4); /* the code is before the .eh_frame */
	put(size, 4);
	put(0, 1);
	put_bytes(rules, 15);
	put(0, 4);
	put(0x3b031b01, 4);
	put(-(uint64_t)64, 4); /* back to the .eh_frame */
	put(1, 4); /* entry: the code, and what describes it */
	put(-(uint64_t)(padded + 60), 4);
	put(-(uint64_t)36, 4);
	n = len - from;
	memcpy(bytes, file + from, n);
	len = from;
	put_unwinding(now(), UNWIND_HEADER, bytes, n);
}

static void
relocate(struct compiler *c, size_t from, size_t to, size_t size)
{
	struct code listed = { c->pid, (uint64_t)(uintptr_t)(c->memory + to), size, c->index, "",
		NULL };

	memmove(c->memory + to, c->memory + from, size);
	memset(c->memory + from, 0xcc, size);
	put_move(now(), (uint64_t)(uintptr_t)(c->memory + from), &listed);
	flush(c);
}

__attribute__((noinline)) static void
run_for(unsigned ms, const unsigned char *outer, const unsigned char *spin)
{
	uint64_t stop = now() + ms * UINT64_C(1000000);
	void (*function)(uint64_t n, const unsigned char *callee);

	memcpy(&function, &outer, sizeof function);
	while (now() < stop)
		function(100000, spin);
	__asm__ volatile("");
}

static void
run(struct compiler *c, const char *folder, unsigned ms)
{
	unsigned char *spin, *outer;

	start(c, folder);
	run_for(ms, compile(c, 0, "spin_first", spin_code, sizeof spin_code), NULL);
	run_for(ms, compile(c, 0, "spin_second", spin_code, sizeof spin_code), NULL);
	relocate(c, 0, PAGE, sizeof spin_code);
	run_for(ms, c->memory + PAGE, NULL);
	spin = compile(c, 2 * PAGE, "spin_third", spin_code, sizeof spin_code);
	outer = compile(c, 2 * PAGE + 256, "framed", framed_code, sizeof framed_code);
	run_for(ms, outer, spin);
	put_rules(sizeof frameless_code, frameless_rules);
	outer = compile(c, 2 * PAGE + 512, "frameless", frameless_code, sizeof frameless_code);
	put_rules(sizeof bare_spin_code, bare_spin_rules);
	spin = compile(c, 2 * PAGE + 1024, "spin_fourth", bare_spin_code, sizeof bare_spin_code);
	run_for(ms, outer, spin);
	end(begin(CLOSE, now()));
	flush(c);
}

/* Runs code that only a JIT map lists, and waits. */
static void
stay(struct compiler *c, const char *folder, unsigned ms)
{
	unsigned char *spin = c->memory + 3 * PAGE;
	char path[4096], byte;
	FILE *map;

	memcpy(spin, spin_code, sizeof spin_code);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	must(map != NULL &&
		fprintf(map, "%" PRIxPTR " %zx spin_mapped\n", (uintptr_t)spin, sizeof spin_code) >
		    0 &&
		fclose(map) == 0,
	    "cannot write the map");
	run_for(ms, spin, NULL);
	snprintf(path, sizeof path, "%s/done", folder);
	must(open(path, O_CREAT | O_WRONLY, 0666) >= 0, "cannot make the file");
	while (read(0, &byte, 1) > 0)
		;
}

int
main(int argc, char **argv)
{
	struct compiler c = { .fd = -1 };

	if (argc == 4 && (strcmp(argv[1], "--run") == 0 || strcmp(argv[1], "--stay") == 0)) {
		run(&c, argv[2], (unsigned)atoi(argv[3]));
		if (strcmp(argv[1], "--stay") == 0)
			stay(&c, argv[2], (unsigned)atoi(argv[3]));
		return 0;
	}
	big = argc == 2 && strcmp(argv[1], "--big") == 0;
	must(argc == 1 || big, "no such option");
	from_text();
	return 0;
}
