/* SPDX-License-Identifier: ISC */
/*
 * elf.h - one ELF file, with its symbols as offsets into the file that is executed.
 *
 * The file may be crafted.  Counts are checked against the file's size and named maxima, and
 * whatever does not fit is omitted or rejected.  Memory is used only for symbols and names that
 * exist, not for those that headers claim, so holes in the file cost nothing.
 */
#ifndef AFPIPE_SYMBOL_ELF_H
#define AFPIPE_SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/file.h"
#include "lib/symtab.h"
#include "src/unwind/cfi.h"

#define ELF_BUILD_ID_MAX 20 /* longer ones are truncated, as in perf's records */

struct elf_file;

/*
 * Opens a regular file.  The root of name is borrowed.  Returns ERR_SYS if it cannot be opened or
 * read, and ERR_DATA if it is not an ELF object.
 */
int elf_file_open(const struct file_name *name, struct elf_file **out, struct err *e)
    __attribute__((warn_unused_result));
void elf_file_close(struct elf_file *f);

/*
 * Opens the object that the running kernel maps into every process, "[vdso]".  Returns ERR_DATA if
 * there is none.
 */
int elf_vdso_open(struct elf_file **out, struct err *e) __attribute__((warn_unused_result));

/* Closes the descriptor.  The next read opens the file again, which must then be the same. */
void elf_file_rest(struct elf_file *f);

/*
 * Returns ERR_SYS if any read of f has failed, so that an earlier result may be incomplete, else 0.
 */
int elf_file_check(const struct elf_file *f, struct err *e) __attribute__((warn_unused_result));

/* Copies the NT_GNU_BUILD_ID to id and returns its length, 0 if there is none. */
size_t elf_file_build_id(struct elf_file *f, unsigned char id[ELF_BUILD_ID_MAX]);

/*
 * Returns the name in .gnu_debuglink, valid until the next call, and sets *crc to the CRC of the
 * file of that name.  Returns NULL if there is none or it has a slash.
 */
const char *elf_file_debuglink(struct elf_file *f, uint32_t *crc);

/*
 * Sets *crc to the CRC-32 of the whole file, as .gnu_debuglink has it.  Returns ERR_SYS if reading
 * fails, and ERR_DATA if the file is too large.
 */
int elf_file_crc(struct elf_file *f, uint32_t *crc, struct err *e)
    __attribute__((warn_unused_result));

/* The facts about a file from stat.  Times are nanoseconds since the epoch. */
struct elf_stamp {
	dev_t device;
	uint64_t inode;
	uint64_t changed, renamed; /* mtime, and ctime, which programs cannot set */
};

struct elf_stamp elf_file_stamp(const struct elf_file *f);

/* Sets *generation to the generation of the inode.  Returns false if the file system has none. */
bool elf_file_generation(const struct elf_file *f, uint64_t *generation);

/* Returns true if the file has .gnu_debugdata, a small ELF file with more symbols. */
bool elf_file_has_mini(const struct elf_file *f);

/*
 * Opens the file inside .gnu_debugdata, in memory.  It does not depend on f.  Returns ERR_DATA if
 * there is none or it is damaged or too large.
 */
int elf_mini_open(struct elf_file *f, struct elf_file **out, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if the file has a .symtab. */
bool elf_file_has_symtab(const struct elf_file *f);

/*
 * Returns true if the executable segment has no bytes, as in a debug file from objcopy.  Its
 * program headers then do not give the place of the code in the executed file.
 */
bool elf_file_is_hollow(const struct elf_file *f);

/* A segment: its linked address and its place in the file. */
struct elf_range {
	uint64_t vaddr, offset, size;
};

/*
 * Copies the segments to *out, which the caller frees with mem_free.  Their sizes are those in the
 * file, since what is only in memory (.bss) has no offsets: those belong to other segments.
 * Returns ERR_DATA if there are none.
 */
int elf_file_segments(const struct elf_file *f, struct elf_range **out, size_t *count,
    struct err *e) __attribute__((warn_unused_result));

/* Finds the first executable segment.  Returns false if there is none. */
bool elf_file_code(const struct elf_file *f, struct elf_range *code);

/*
 * Adds to t the symbols of syms (.symtab, then .dynsym, or that of runtime if syms is from
 * .gnu_debugdata) and the PLT entries (NAME@plt) of runtime, the file that was mapped, and finishes
 * t.  Both files may be the same.  Addresses are offsets into runtime, according to its program
 * headers.  Returns ERR_DATA if there is nothing but PLT entries (as in perf) or on damage, and
 * ERR_SYS if reading fails.  Of two files only one is open at a time.
 */
int elf_symbols(struct elf_file *syms, struct elf_file *runtime, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

/* Bits for the data that unwinding needs, from one or more files.  Bits below are section kinds. */
#define ELF_UNWIND_SEGMENTS (1u << CFI_SECTIONS)
#define ELF_UNWIND_ALL (ELF_UNWIND_SEGMENTS | (ELF_UNWIND_SEGMENTS - 1))

/*
 * Adds to c the data in f that *wanted asks for, and clears the bits of the data found.  Does not
 * use the segments of a file whose code is elsewhere (elf_file_is_hollow), or sections that are too
 * large or damaged.  Returns ERR_SYS if reading fails.
 */
int elf_unwind_info(struct elf_file *f, struct cfi *c, unsigned *wanted, struct err *e)
    __attribute__((warn_unused_result));

#endif
