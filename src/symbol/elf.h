/* SPDX-License-Identifier: ISC */
/*
 * elf.h - one ELF file, and its symbols as offsets into the file that runs.
 *
 * The file may be crafted: counts are compared with what the file holds and with
 * named maxima, and whatever does not fit is left out or refused.  Memory is taken for symbols and
 * names that are there, not for what headers claim: holes cost none.
 */
#ifndef AFPIPE_SYMBOL_ELF_H
#define AFPIPE_SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/file.h"
#include "lib/symtab.h"

#define ELF_BUILD_ID_MAX 20 /* longer ones are cut, as in perf's records */

struct elf_file;

/*
 * Opens a regular file; the root of name is borrowed.  ERR_SYS where it cannot be opened or read,
 * ERR_DATA where it is no ELF object.
 */
int elf_file_open(const struct file_name *name, struct elf_file **out, struct err *e)
    __attribute__((warn_unused_result));
void elf_file_close(struct elf_file *f);

/* Gives the descriptor back; the file is opened again, and must be the same, when it is read. */
void elf_file_rest(struct elf_file *f);

/*
 * Has anything that was asked of f failed, so that an answer may be less than the file has?
 * Returns 0, or ERR_SYS.
 */
int elf_file_check(const struct elf_file *f, struct err *e) __attribute__((warn_unused_result));

/* Copies the NT_GNU_BUILD_ID to id and returns its length, 0 where there is none. */
size_t elf_file_build_id(struct elf_file *f, unsigned char id[ELF_BUILD_ID_MAX]);

/*
 * The name in .gnu_debuglink, good until the next call; NULL where there is none, or one
 * with a slash in it.
 */
const char *elf_file_debuglink(struct elf_file *f);

/* Whether it has a .symtab; whether it has what only the file that runs has (.dynsym, .opd). */
bool elf_file_has_symtab(const struct elf_file *f);
bool elf_file_is_runtime(const struct elf_file *f);

/*
 * Whether the executable segment has no bytes in it: a debug file as objcopy makes it, whose
 * program headers no longer tell where code is in the file that runs.
 */
bool elf_file_is_hollow(const struct elf_file *f);

/* Where the first executable segment lies: as it is linked, and in the file. */
struct elf_range {
	uint64_t vaddr, offset, size;
};

/* False where there is none. */
bool elf_file_code(const struct elf_file *f, struct elf_range *code);

/*
 * Adds to t, and finishes, the symbols of syms (.symtab, then .dynsym) and the
 * PLT entries (NAME@plt) of runtime, the file that was mapped; both may be the same.
 * Addresses are offsets into runtime, by its program headers.  ERR_DATA where there is nothing
 * but PLT entries (as in perf), or damage; ERR_SYS where reading fails.  Of two files only one is
 * open at a time.
 */
int elf_symbols(struct elf_file *syms, struct elf_file *runtime, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

#endif
