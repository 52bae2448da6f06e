/* SPDX-License-Identifier: ISC */
/*
 * elf.c - fuzzes the ELF reader: symbols, PLT entries, build id, debug link, unwind information,
 * compressed sections and .gnu_debugdata.  Memory is limited, whatever the headers claim.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"
#include "t/fuzz/fuzz.h"

#define MEMORY_MAX ((uint64_t)400 << 20)
#define MINIS_MAX 3 /* a small file may have a small file in it */

static void
look_up(struct symtab *t)
{
	const struct symbol *s;
	uint64_t at;

	for (at = 0; at < 1 << 13; at += 5) {
		s = symtab_find(t, at);
		check(s == NULL || (s->start <= at && at < s->end), "not in the symbol");
		check(s == NULL || strlen(s->name) == s->namelen, "a NUL in a name");
	}
}

static bool
read_symbols(struct elf_file *syms, struct elf_file *runtime)
{
	struct symtab *t = symtab_new();
	struct err e;
	int rc;

	check(t != NULL, "no table");
	rc = elf_symbols(syms, runtime, t, &e);
	if (rc == 0)
		look_up(t);
	else
		check_error(&e);
	symtab_free(t);
	return rc == 0;
}

static void
read_unwind(struct elf_file *f)
{
	unsigned wanted = ELF_UNWIND_ALL;
	struct cfi *c = cfi_new();
	struct cfi_rule rule;
	struct err e;
	uint64_t at;

	check(c != NULL, "no rules");
	if (elf_unwind_info(f, c, &wanted, &e) == 0) {
		cfi_finish(c);
		for (at = 0; at < 1 << 12; at += 7)
			(void)cfi_find(c, at, &rule);
	}
	cfi_free(c);
}

static void
read_rest(struct elf_file *f)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	struct elf_range code;
	const char *link;
	struct err e;
	uint32_t crc;

	check(elf_file_build_id(f, id) <= sizeof id, "a long build id");
	link = elf_file_debuglink(f, &crc);
	check(link == NULL || (link[0] != '\0' && strchr(link, '/') == NULL), "a wrong link");
	(void)elf_file_code(f, &code);
	(void)elf_file_is_hollow(f);
	check(elf_file_crc(f, &crc, &e) == 0, "no CRC");
}

/* Reads f, and the small files inside of it. */
static bool
read_all(struct elf_file *f, unsigned depth)
{
	struct elf_file *mini;
	bool ok = read_symbols(f, f);
	struct err e;

	read_rest(f);
	read_unwind(f);
	if (depth == MINIS_MAX || !elf_file_has_mini(f) || elf_mini_open(f, &mini, &e) != 0)
		return ok;
	ok |= read_symbols(mini, f);
	(void)read_all(mini, depth + 1);
	elf_file_close(mini);
	return ok;
}

static bool
take(const uint8_t *data, size_t size)
{
	struct buf bytes = { 0 };
	struct elf_file *f;
	struct err e;
	bool ok;

	mem_set_ceiling(MEMORY_MAX);
	check(buf_put(&bytes, data, size), "no memory");
	if (elf_memory_open(&bytes, &f, &e) != 0) {
		check_error(&e);
		return false;
	}
	ok = read_all(f, 0);
	elf_file_close(f);
	return ok;
}

const struct fuzz_driver fuzz_driver = { .take = take };
