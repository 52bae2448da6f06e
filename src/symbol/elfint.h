/* SPDX-License-Identifier: ISC */
/*
 * elfint.h - what the parts of the ELF reader share; not for others.
 *
 *	elfread.c   bytes of a file: in blocks that are remembered, and how failures are kept
 *	elf.c       the header, sections, segments, build id, debug link
 *	elfsyms.c   symbols; elfplt.c: PLT entries
 *
 * The file is read here and not by libelf: that takes memory for what headers claim before anyone
 * can ask how much (a file with holes claims gigabytes), reads whole sections, and does not tell a
 * failure of the system from damage.  It is not mapped either: a file that is cut short meanwhile,
 * or a disk that fails, would be a signal.
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
#define ELF_LOADS_MAX 256 /* a program has less than ten */

#define ELF_BLOCK_BITS 14
#define ELF_BLOCK ((size_t)1 << ELF_BLOCK_BITS)
#define ELF_BLOCKS ((size_t)512) /* remembered at once: 8 MiB */
#define ELF_BYTES_MAX 4096 /* of one elf_bytes */

/* The sections that are found by name, the first of each. */
enum elf_known {
	ELF_SYMTAB,
	ELF_DYNSYM,
	ELF_OPD,
	ELF_PLT,
	ELF_PLT_SEC,
	ELF_RELA_PLT,
	ELF_REL_PLT,
	ELF_BUILD_ID_NOTE,
	ELF_NOTES,
	ELF_NOTE,
	ELF_DEBUGLINK,
	ELF_KNOWN
};

struct elf_section {
	bool there;
	size_t index;
	uint32_t type, link, name;
	uint64_t flags, addr, offset, size, align, entsize;
};

struct elf_load {
	uint64_t vaddr, size, offset;
};

/* Bytes from number * ELF_BLOCK on; p is NULL where all of them are 0, as in a hole. */
struct elf_block {
	bool used;
	uint64_t number;
	unsigned char *p;
};

struct elf_file {
	struct file_name name;
	char *path; /* name.path, a copy */
	int fd; /* -1: to be opened again when it is read */
	dev_t dev;
	ino_t ino;
	struct elf_file *partner; /* the file that is closed when this one is opened, or NULL */
	struct err why; /* the first failure of the system; code 0: none */
	uint64_t size;
	bool wide, big; /* 64 bits; the most significant byte first */
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
	unsigned char joint[ELF_BYTES_MAX]; /* bytes of two blocks */
};

/* Opens the file again if it is closed.  False, with f->why, where that fails. */
bool elf_reopen(struct elf_file *f);

/* Fills dst, and all beyond the file's end with 0; false, with f->why, where reading fails. */
bool elf_read(struct elf_file *f, uint64_t offset, void *dst, size_t n);

/*
 * n bytes (at most ELF_BYTES_MAX) at offset, good until the next call for f; NULL where the file
 * has not that many, or reading fails (f->why).
 */
const unsigned char *elf_bytes(struct elf_file *f, uint64_t offset, size_t n);

/* A block, NULL where reading fails.  Good until the next call. */
const unsigned char *elf_block(struct elf_file *f, uint64_t number, bool *zero);

/* Whether all n bytes at p are 0. */
bool elf_is_zero(const void *p, size_t n);

/* Header I of a section; not there where I is none, or cannot be read. */
struct elf_section elf_section_at(struct elf_file *f, size_t i);

/* Is the section's name one with that text in it? */
bool elf_section_has_name(struct elf_file *f, const struct elf_section *s, const char *text);

struct elf_symbol {
	uint32_t name, section;
	uint64_t value, size;
	unsigned type, bind, visibility;
};

/* The size of one in the file, and what its bytes at p say. */
size_t elf_symbol_size(const struct elf_file *f);
struct elf_symbol elf_symbol_of(const struct elf_file *f, const unsigned char *p);

/* The names of a symbol table. */
struct elf_names {
	struct elf_file *file;
	uint64_t offset, size;
	struct buf joint; /* a name of several blocks */
	unsigned char *seen; /* a bit for each block: counted in there */
	uint64_t first; /* the number of the first block */
	uint64_t there; /* bytes in blocks that hold something, as far as they were read */
	uint64_t taken; /* bytes of names that were looked at */
};

/* Those of the section that symbols links to; false where it is no string table, or no memory. */
bool elf_names_open(struct elf_file *f, const struct elf_section *symbols, struct elf_names *n);
void elf_names_close(struct elf_names *n);

/*
 * The name at offset, good until the next call; NULL where there is none, it is not terminated or
 * above ELF_NAME_MAX, or all names so far are more than the file can hold, even if many share
 * their tails.  Such a file was made to fill the memory, and elf_names_check says so.
 */
const char *elf_name(struct elf_names *n, uint64_t offset, size_t *len);

/* ERR_SYS where reading has failed, ERR_DATA where the names have no end. */
int elf_names_check(const struct elf_names *n, struct err *e) __attribute__((warn_unused_result));

/* Is s a table of symbols (or of anything with entries of that size) within the maxima? */
bool elf_is_table(const struct elf_file *f, const struct elf_section *s, size_t entsize);

/*
 * Reads a table entry by entry, in order, and passes over those that are all 0; goes on while
 * take returns 0.  Returns what it returned last, or ERR_SYS.
 */
int elf_each(struct elf_file *f, const struct elf_section *s, size_t entsize,
    int (*take)(void *ctx, uint64_t i, const unsigned char *entry, struct err *e), void *ctx,
    struct err *e) __attribute__((warn_unused_result));

/* Adds the PLT entries of f to t, without finishing it. */
int elf_plt_symbols(struct elf_file *f, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

#endif
