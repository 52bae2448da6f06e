/* SPDX-License-Identifier: ISC */
/*
 * symtab.h - the symbols of one object, looked up by address.
 *
 * Fill the table with symtab_add, call symtab_finish, then look up.  The caller defines the
 * addresses: for ELF objects they are offsets into the file (as in mappings), for kernels and JIT
 * maps plain addresses.
 */
#ifndef AFPIPE_SYMTAB_H
#define AFPIPE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"

enum sym_binding {
	SYM_LOCAL,
	SYM_GLOBAL,
	SYM_WEAK,
	SYM_BINDING = 3, /* mask of the above */
	/* Flags for the choice between symbols, or-ed in. */
	SYM_LABEL = 4, /* has no type: a function or object at the same start is preferred */
	SYM_MODULE = 0x100, /* set by symtab_add_of_module */
};

struct symbol {
	uint64_t start, end; /* [start, end); a finished table has no empty symbol */
	const char *name; /* raw bytes as in the source, NUL-terminated, owned by the table */
	uint32_t namelen;
	uint32_t binding; /* enum sym_binding with its flags */
};

/* [from, to); to is UINT64_MAX if there is no end. */
struct span {
	uint64_t from, to;
};

static inline struct span
span_intersection(struct span a, struct span b)
{
	return (struct span){ a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to };
}

static inline bool
span_has(struct span s, uint64_t v)
{
	return v >= s.from && (v < s.to || s.to == UINT64_MAX);
}

struct symtab;

/* Returns NULL if memory runs out. */
struct symtab *symtab_new(void);
void symtab_free(struct symtab *t);

/*
 * Adds a symbol and copies its name.  If len is 0 the size is unknown, and the symbol extends to
 * the next one.  Returns ERR_DATA beyond 64 Mi symbols, 1 GiB of names or 1 MiB of one name, and
 * ERR_SYS if memory runs out.
 */
int symtab_add(struct symtab *t, uint64_t start, uint64_t len, enum sym_binding binding,
    const char *name, size_t namelen, struct err *e) __attribute__((warn_unused_result));

/*
 * Adds a symbol of unknown size that extends to the next one, but over at most MOST bytes, not 0.
 */
int symtab_add_open(struct symtab *t, uint64_t start, uint64_t most, enum sym_binding binding,
    const char *name, size_t namelen, struct err *e) __attribute__((warn_unused_result));

/*
 * Adds a symbol of unknown size of a kernel module, which never extends into another one.  The
 * text, of len bytes, is the symbol's name, of namelen bytes, one byte, and "[MODULE]".
 */
int symtab_add_of_module(struct symtab *t, uint64_t start, enum sym_binding binding,
    const char *text, size_t len, size_t namelen, struct err *e)
    __attribute__((warn_unused_result));

/* Shifts all symbols added so far by delta (modulo 2^64) and drops those of modules. */
void symtab_relocate(struct symtab *t, uint64_t delta);

enum symtab_kind {
	SYMTAB_OBJECT,
	SYMTAB_KERNEL,
	SYMTAB_JIT, /* memory is reused: among symbols with equal starts the last one added wins */
};

/*
 * Sorts the symbols, sets the missing ends, and keeps one of the names that share a start (the
 * choice is perf's, see symtab.c).  More symbols may be added afterwards if symtab_finish is called
 * again.  Where starts are equal, later batches come after earlier ones.  Fails only if memory runs
 * out.
 */
int symtab_finish(struct symtab *t, enum symtab_kind kind, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns the symbol of a finished table that covers addr, or NULL.  If several do, returns the one
 * that starts last.  It lives as long as the table.
 */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

/* Does the same.  *span is the range around addr that has the same result, which may be NULL. */
const struct symbol *symtab_find_span(const struct symtab *t, uint64_t addr, struct span *span);

/*
 * Returns whether s, of the table of a kernel, may be the code of an object of the recording.  That
 * of a module, "[MODULE]", has only symbols of this module: where it was, a list of another time
 * has those of others.
 */
bool symtab_is_of(const struct symbol *s, struct slice object);

/* How to find the tables of which a table consists. */
struct symtab_parts {
	/*
	 * Returns the finished table for addr, or NULL if there is none.  It must live as long as
	 * the whole.  *span, which is the whole address space, may become a range around addr for
	 * which the result is the same.
	 */
	const struct symtab *(*find)(void *ctx, uint64_t addr, struct span *span);
	void *ctx;
};

/* Makes the table consist of others.  The struct is borrowed. */
void symtab_set_parts(struct symtab *t, const struct symtab_parts *parts);

size_t symtab_count(const struct symtab *t);

/*
 * Returns how many symbols of a finished table SYMTAB_JIT took the place of another one, with
 * another name, that started there.
 */
size_t symtab_renamed(const struct symtab *t);

#endif
