/* SPDX-License-Identifier: ISC */
/* elfint.h - what elf.c, elfsyms.c and elfplt.c share; not for others. */
#ifndef AFPIPE_SYMBOL_ELFINT_H
#define AFPIPE_SYMBOL_ELFINT_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/elf.h"

#define ELF_SYMBOLS_MAX ((size_t)64 << 20)
#define ELF_STRINGS_MAX ((size_t)1 << 30)
#define ELF_SECTIONS_MAX ((size_t)1 << 20)
#define ELF_LOADS_MAX 256 /* a program has less than ten */

struct elf_section {
	Elf_Scn *scn; /* NULL: the file has none of that name and type */
	size_t index;
	GElf_Shdr shdr;
};

struct elf_load {
	uint64_t vaddr, size, offset;
};

struct elf_file {
	int fd;
	uint64_t size;
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t shstrndx;
	struct elf_section symtab, dynsym, opd;
	struct elf_load load[ELF_LOADS_MAX];
	size_t loads;
};

/*
 * A symbol table with its names, checked against each other.  It is read through
 * a descriptor of its own, so that closing it gives the memory back.
 */
struct elf_table {
	Elf *elf;
	Elf_Data *syms;
	size_t count;
	const char *names;
	size_t names_len;
};

/* The first section of that name; scn is NULL where there is none. */
struct elf_section elf_section_find(const struct elf_file *f, const char *name);

/*
 * The names go to a room of NAMES, which outlives the table, or with NULL nowhere.
 * False where the section is no readable symbol table within the maxima.
 */
bool elf_table_open(const struct elf_file *f, const struct elf_section *s, struct symtab *names,
    struct elf_table *t);
void elf_table_close(struct elf_table *t);

/* The name at offset, of *len bytes; NULL where it is empty or not terminated. */
const char *elf_table_name(const struct elf_table *t, uint64_t offset, size_t *len);

/* Adds the PLT entries of f to t, without finishing it. */
int elf_plt_symbols(const struct elf_file *f, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

#endif
