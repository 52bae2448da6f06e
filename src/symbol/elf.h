/* SPDX-License-Identifier: ISC */
/*
 * elf.h - one ELF file, and its symbols as offsets into the file that is executed.
 *
 * The file may be crafted: counts are checked against the file's size and named maxima, and
 * whatever does not fit is left out or refused.  Memory is used only for symbols and names that
 * are there, not for what headers claim: holes cost nothing.
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
 * Opens a regular file; the root of name is borrowed.  ERR_SYS if it cannot be opened or read,
 * ERR_DATA if it is not an ELF object.
 */
int elf_file_open(const struct file_name *name, struct elf_file **out, struct err *e)
    __attribute__((warn_unused_result));
void elf_file_close(struct elf_file *f);

/* Closes the descriptor; the file is opened again, and must be the same, when it is next read. */
void elf_file_rest(struct elf_file *f);

/*
 * Has any read of f failed, so that an earlier result may be incomplete?  Returns 0, or ERR_SYS.
 */
int elf_file_check(const struct elf_file *f, struct err *e) __attribute__((warn_unused_result));

/* Copies the NT_GNU_BUILD_ID to id and returns its length, 0 if there is none. */
size_t elf_file_build_id(struct elf_file *f, unsigned char id[ELF_BUILD_ID_MAX]);

/*
 * The name in .gnu_debuglink, valid until the next call; NULL if there is none, or it has a
 * slash.
 */
const char *elf_file_debuglink(struct elf_file *f);

/* Does it have a .symtab?  Does it have what only the executed file has (.dynsym, .opd)? */
bool elf_file_has_symtab(const struct elf_file *f);
bool elf_file_is_runtime(const struct elf_file *f);

/*
 * Is the executable segment without bytes, as in a debug file from objcopy?  Its program headers
 * no longer give the place of the code in the executed file.
 */
bool elf_file_is_hollow(const struct elf_file *f);

/* The first executable segment: its linked address, and its place in the file. */
struct elf_range {
	uint64_t vaddr, offset, size;
};

/* False if there is none. */
bool elf_file_code(const struct elf_file *f, struct elf_range *code);

/*
 * Adds to t, and finishes, the symbols of syms (.symtab, then .dynsym) and the
 * PLT entries (NAME@plt) of runtime, the file that was mapped; both may be the same.
 * Addresses are offsets into runtime, by its program headers.  ERR_DATA if there is nothing
 * but PLT entries (as in perf), or on damage; ERR_SYS if reading fails.  Of two files only one is
 * open at a time.
 */
int elf_symbols(struct elf_file *syms, struct elf_file *runtime, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

#endif
