/* SPDX-License-Identifier: ISC */
/*
 * elfint.h - shared by the parts of the ELF reader and the DWARF reader; private to them.
 *
 *	elffile.c   bytes of a file, in cached blocks, and the first failure; the header, sections,
 *	            segments, build id, debug link
 *	elfsyms.c   symbols
 *	elfplt.c    the entries of the PLT
 *	elfcfi.c    unwind information
 *	elfpack.c   compressed sections, and the file inside .gnu_debugdata
 *
 * The file is read here and not by libelf, which allocates as much as the headers claim before
 * anyone can check how much (a file with holes claims gigabytes), reads whole sections, and does
 * not distinguish a failure of the system from damage.  Nor is the file mapped, because a file that
 * is truncated in the meantime, or a failing disk, would cause a signal.
 */
#ifndef AFPIPE_SYMBOL_ELFINT_H
#define AFPIPE_SYMBOL_ELFINT_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/file.h"
#include "src/symbol/elf.h"

#define ELF_SYMBOLS_MAX ((uint64_t)64 << 20)
#define ELF_STRINGS_MAX ((uint64_t)1 << 30)
#define ELF_SECTIONS_MAX ((uint64_t)1 << 20)
#define ELF_NAME_MAX ((size_t)1 << 20)
#define ELF_SECTION_NAME_MAX 256 /* with the NUL; longer ones are cut */
#define ELF_LOADS_MAX 256 /* a program has fewer than ten */

#define ELF_BLOCK_BITS 14
#define ELF_BLOCK ((size_t)1 << ELF_BLOCK_BITS)
#define ELF_BLOCKS ((size_t)512) /* cached at once: 8 MiB */
#define ELF_BYTES_MAX 4096 /* per call to elf_bytes */

/* The sections found by name.  The first section of each name is used. */
enum elf_known {
	ELF_SYMTAB,
	ELF_DYNSYM,
	ELF_OPD,
	ELF_PLT,
	ELF_PLT_SEC,
	ELF_GOT_PLT,
	ELF_GOT,
	ELF_RELA_PLT,
	ELF_REL_PLT,
	ELF_BUILD_ID_NOTE,
	ELF_NOTES,
	ELF_NOTE,
	ELF_DEBUGLINK,
	ELF_EH_FRAME,
	ELF_DEBUG_FRAME,
	ELF_DEBUG_INFO,
	ELF_DEBUG_ALT_LINK,
	ELF_DEBUGDATA,
	ELF_KNOWN
};

enum elf_packing {
	ELF_PLAIN,
	ELF_PACKED, /* SHF_COMPRESSED: zlib or zstd */
	ELF_PACKED_GNU, /* .zdebug_NAME: zlib, as before SHF_COMPRESSED existed */
};

struct elf_section {
	bool there;
	enum elf_packing packing;
	size_t index;
	uint32_t type, link, name;
	uint64_t flags, addr, offset, size, align, entsize;
};

struct elf_load {
	uint64_t vaddr, size, offset;
	uint64_t in_file; /* its first bytes, which have offsets; a .bss has none */
};

/* The bytes from number * ELF_BLOCK on.  p is NULL if all of them are 0, as in a hole. */
struct elf_block {
	bool used;
	uint64_t number;
	unsigned char *p;
};

struct elf_file {
	struct file_name name;
	char *path; /* name.path, a copy */
	const unsigned char *memory; /* the bytes themselves, instead of a file; or NULL */
	struct buf own; /* the same, if they belong to it */
	int fd; /* -1: it is opened again when it is read */
	struct elf_stamp stamp;
	struct elf_file *partner; /* the file to close when this one is opened, or NULL */
	struct err why; /* the first failure of the system; code 0: none */
	uint64_t size;
	bool wide, big; /* has 64 bits; is big-endian */
	unsigned machine;
	uint64_t sections_at;
	size_t sections;
	struct elf_section strings; /* the names of sections */
	struct elf_section known[ELF_KNOWN];
	struct elf_load load[ELF_LOADS_MAX];
	size_t loads;
	bool has_code;
	struct elf_range code;
	struct elf_block block[ELF_BLOCKS]; /* by the low bits of their numbers */
	unsigned char joint[ELF_BYTES_MAX]; /* bytes that span two blocks */
};

/*
 * Returns n bytes (at most ELF_BYTES_MAX) at offset, valid until the next call for f.  Returns NULL
 * if the file does not have that many, or if reading fails, which sets f->why.
 */
const unsigned char *elf_bytes(struct elf_file *f, uint64_t offset, size_t n);

/*
 * Copies n bytes at offset to dst, with 0 for bytes that the file does not have.  Returns false and
 * sets f->why if reading fails.
 */
bool elf_read(struct elf_file *f, uint64_t offset, void *dst, size_t n);

/* Returns true if all n bytes at p, at least one, are 0. */
bool elf_is_zero(const void *p, size_t n);

/* Like elf_file_open, but for bytes in memory.  Takes them over, and leaves *bytes empty. */
int elf_memory_open(struct buf *bytes, struct elf_file **out, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Appends the contents of a compressed section to `to`.  Returns ERR_DATA if they are damaged or
 * more than max bytes (less than 4 GiB), or ERR_SYS.
 */
int elf_section_unpack(struct elf_file *f, const struct elf_section *s, size_t max, struct buf *to,
    struct err *e) __attribute__((warn_unused_result));

/* Returns the header of section I, marked as missing if there is none or it cannot be read. */
struct elf_section elf_section_at(struct elf_file *f, size_t i);

/*
 * Stores as much of the section's name as fits, with a NUL.  The name .zdebug_NAME becomes
 * .debug_NAME, and s->packing records this.
 */
void elf_section_name(struct elf_file *f, struct elf_section *s, char name[ELF_SECTION_NAME_MAX]);

/* Returns true if the section's name contains that text. */
bool elf_section_has_name(struct elf_file *f, const struct elf_section *s, const char *text);

struct elf_symbol {
	uint32_t name, section;
	uint64_t value, size;
	unsigned type, bind, visibility;
};

/* Return the size of a symbol in the file, and the symbol decoded from its bytes at p. */
size_t elf_symbol_size(const struct elf_file *f);
struct elf_symbol elf_symbol_of(const struct elf_file *f, const unsigned char *p);

/* The names of a symbol table. */
struct elf_names {
	struct elf_file *file;
	uint64_t offset, size;
	struct buf joint; /* a name that spans blocks */
	unsigned char *seen; /* a bit for each block that has been counted in `there` */
	uint64_t first; /* the number of the first block */
	uint64_t there; /* bytes in blocks that are not empty, of those read so far */
	uint64_t taken; /* bytes of names that have been read */
};

/*
 * Opens the section that symbols links to.  Returns false if it is not a string table or memory
 * runs out.
 */
bool elf_names_open(struct elf_file *f, const struct elf_section *symbols, struct elf_names *n);
void elf_names_close(struct elf_names *n);

/*
 * Returns the name at offset, valid until the next call.  Returns NULL if there is none, if it is
 * not terminated or longer than ELF_NAME_MAX, or if all names so far are more than the file can
 * contain, even if many names share their tails.  Such a file was made to fill the memory, and
 * elf_names_check reports it.
 */
const char *elf_name(struct elf_names *n, uint64_t offset, size_t *len);

/*
 * Returns ERR_SYS if reading has failed, and ERR_DATA if there are more names than the file can
 * contain.
 */
int elf_names_check(const struct elf_names *n, struct err *e) __attribute__((warn_unused_result));

/* Returns true if s is a table of symbols (or of any entries of that size) within the limits. */
bool elf_is_table(const struct elf_file *f, const struct elf_section *s, size_t entsize);

/* Adds the PLT entries of f to t, as NAME@plt, without finishing it. */
int elf_plt_symbols(struct elf_file *f, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads a table entry by entry, in order, skips entries that are all 0, and continues while take
 * returns 0.  Returns the last result of take, or ERR_SYS.
 */
int elf_each(struct elf_file *f, const struct elf_section *s, size_t entsize,
    int (*take)(void *ctx, uint64_t i, const unsigned char *entry, struct err *e), void *ctx,
    struct err *e) __attribute__((warn_unused_result));

#endif
