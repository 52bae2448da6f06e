/* SPDX-License-Identifier: ISC */
/*
 * dwarf.c - fuzzes the DWARF reader: an input is an ELF file, which is also its own .dwo and .dwp
 * file and dwz's shared file.
 *
 * Addresses of its code are looked up in two orders.  Always: every look-up ends, the frames are
 * whole, and an answer without an error does not depend on earlier look-ups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "src/symbol/dwarf.h"
#include "t/fuzz/fuzz.h"

#define ADDRESSES 61
#define FRAMES_MAX 1001
#define CEILING ((uint64_t)800 << 20)

static char path[64];

static int
open_self(struct elf_file **out, struct err *e)
{
	struct file_name name = { .path = path };

	return elf_file_open(&name, out, e);
}

static uint64_t
mix(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n-- > 0)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h * UINT64_C(0x100000001b3);
}

static int
open_alt(void *ctx, struct slice name, const unsigned char *id, size_t id_len,
    struct elf_file **out, struct err *e)
{
	(void)ctx;
	check(memchr(name.p, 0, name.len) == NULL, "a name with a NUL");
	check(mix(0, id, id_len) != 1, "an id that cannot be read");
	return open_self(out, e);
}

static int
open_dwp(void *ctx, struct elf_file **out, struct err *e)
{
	(void)ctx;
	return open_self(out, e);
}

static int
open_dwo(void *ctx, struct slice dir, struct slice name, struct elf_file **out, struct err *e)
{
	(void)ctx;
	check(name.len > 0 && (dir.len == 0 || dir.p != NULL), "a file without a name");
	return open_self(out, e);
}

/* What was found at an address. */
struct answer {
	int rc;
	size_t n;
	uint64_t hash;
};

static struct answer
ask(struct dwarf *d, uint64_t address)
{
	struct answer a = { .hash = 0 };
	struct dwarf_frame *f;
	struct err e;
	size_t i;

	a.rc = dwarf_find(d, address, &f, &a.n, &e);
	check(a.rc == 0 || a.rc == ERR_DATA || a.rc == ERR_DOUBT || (a.rc == ERR_SYS && e.ceiling),
	    "a failure");
	check(a.rc == 0 || (e.code == a.rc && e.msg[0] != '\0'), "an error without words");
	check(a.n <= FRAMES_MAX, "too many frames");
	for (i = 0; i < a.n; i++) {
		check(f[i].function.p != NULL && f[i].file.p != NULL, "a text that is missing");
		check(f[i].line == 0 || f[i].file.len > 0, "a line without a file");
		a.hash = mix(a.hash, f[i].function.p, f[i].function.len);
		a.hash = mix(a.hash, f[i].file.p, f[i].file.len);
		a.hash = mix(a.hash, &f[i].line, sizeof f[i].line);
	}
	return a;
}

static struct dwarf *
start(void)
{
	static const struct dwarf_related related = { NULL, open_alt, open_dwp, open_dwo };
	struct elf_file *f;
	struct dwarf *d;
	struct err e;

	if (open_self(&f, &e) != 0)
		return NULL;
	if (dwarf_is_in(f) && dwarf_open(f, &related, &d, &e) == 0)
		return d;
	elf_file_close(f);
	return NULL;
}

/* Where to look: in the code, and where files are usually linked. */
static uint64_t
address_of(const struct elf_range *code, size_t i)
{
	uint64_t step = code->size / (ADDRESSES - 1) + 1;

	return code->vaddr + i * step;
}

static bool
look_up(const struct elf_range *code)
{
	struct answer first[ADDRESSES], again;
	struct dwarf *d = start(), *other = start();
	bool found = false;
	size_t i;

	for (i = 0; d != NULL && i < ADDRESSES; i++) {
		first[i] = ask(d, address_of(code, i));
		found |= first[i].n > 0;
	}
	for (i = ADDRESSES; other != NULL && d != NULL && i-- > 0;) {
		again = ask(other, address_of(code, i));
		check(again.rc != 0 || first[i].rc != 0 ||
			(again.n == first[i].n && again.hash == first[i].hash),
		    "another answer in another order");
		dwarf_rest(other);
	}
	dwarf_close(d);
	dwarf_close(other);
	return found;
}

static bool
take(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct elf_range code = { .vaddr = 0, .size = 4096 };
	struct elf_file *f;
	struct err e;

	if (fd < 0)
		fd = scratch();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	scratch_put(fd, data, size);
	mem_set_ceiling(CEILING);
	if (open_self(&f, &e) != 0)
		return false;
	(void)elf_file_code(f, &code);
	elf_file_close(f);
	if (code.size == 0 || code.size > (uint64_t)1 << 20)
		code.size = 4096;
	return look_up(&code);
}

const struct fuzz_driver fuzz_driver = { .take = take };
