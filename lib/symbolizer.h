/* SPDX-License-Identifier: ISC */
/*
 * symbolizer.h - what a decoder may ask about the objects that it meets.
 *
 * Decoders (src/perfdata, src/dcpi) hold one of these and do not know where the
 * symbols come from; src/symbol fills it in.  A call may read files, so a decoder
 * asks once per object and keeps the answer.
 */
#ifndef AFPIPE_SYMBOLIZER_H
#define AFPIPE_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"
#include "lib/symtab.h"

struct sym_object {
	const char *path; /* as the recording spells it; for a JIT map the dso name, e.g. //anon */
	size_t pathlen;
	const unsigned char *build_id; /* NULL where unknown */
	size_t build_id_len; /* at most 20 */
	bool
	    unclear; /* the recording has several build ids for the path: which file is not known */
};

struct sym_kernel {
	const char *ref_name; /* its reference symbol, "_text" or "_stext"; NULL: none */
	uint64_t ref_addr; /* where it was */
	struct slice release; /* of the recording's kernel, as uname -r prints it; empty: unknown */
	const char *kallsyms; /* a file that the recording brought, with its symbols; NULL: none */
};

struct symbolizer {
	void *ctx;

	/*
	 * Symbols of an object file, by offset into it.  NULL: none to be had.
	 * A file whose build id differs from the recording's is never used.
	 */
	const struct symtab *(*object)(void *ctx, const struct sym_object *o);

	/* Symbols of the kernel and its modules, by address.  NULL: none to be had. */
	const struct symtab *(*kernel)(void *ctx, const struct sym_kernel *k);

	/* Symbols that a JIT of process pid left in its map file, by address.  NULL: none. */
	const struct symtab *(*jit)(void *ctx, uint32_t pid);
};

#endif
