/* SPDX-License-Identifier: ISC */
/* symbol.c - fuzzes the ELF reader, the lists of kernel and JIT symbols, and the lookup. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/symbol/elf.h"
#include "src/symbol/lists.h"
#include "t/fuzz/fuzz.h"

static void
look_up(struct symtab *t)
{
	uint64_t addr;

	for (addr = 0; addr < 1 << 13; addr += 5)
		if (symtab_find(t, addr) != NULL && symtab_find(t, addr)->start > addr)
			abort();
	symtab_free(t);
}

static void
read_elf(const struct file_name *name)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	uint32_t crc;
	struct symtab *t = symtab_new();
	struct elf_file *f;
	struct err e;

	if (t != NULL && elf_file_open(name, &f, &e) == 0) {
		elf_file_build_id(f, id);
		elf_file_debuglink(f, &crc);
		if (elf_symbols(f, f, t, &e) == 0)
			look_up(t);
		else
			symtab_free(t);
		elf_file_close(f);
		return;
	}
	symtab_free(t);
}

static bool
take(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/afpipe-fuzz-XXXXXX";
	struct file_name name = { .path = path };
	struct symtab *t;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	read_elf(&name);
	if (lseek(fd, 0, SEEK_SET) == 0 &&
	    kallsyms_load(fd, "_text", 0x100, KALLSYMS_RELOCATE, &t, NULL) == 0)
		look_up(t);
	if (perfmap_load(&name, &t, NULL) == 0)
		look_up(t);
	close(fd);
	unlink(path);
	return true;
}

const struct fuzz_driver fuzz_driver = { .take = take };
