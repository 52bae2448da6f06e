/* SPDX-License-Identifier: ISC */
/*
 * dwarf.h - the DWARF of one object: inlined functions and source lines.
 *
 * Reads versions 2 to 5, with 32 and 64 bits and of either byte order, split DWARF (.dwo and .dwp)
 * and dwz's shared files.  Formats: DWARF 5, chapter 7; for version 4 with .dwo files and for
 * DW_FORM_GNU_ref_alt, the GCC wiki's DebugFission and the dwz manual page.
 *
 * Nothing is read before it is needed: the first look-up reads the head of every unit, and the
 * first in a unit reads its functions and line program.  The bytes are not trusted.  The work for
 * an object is limited in proportion to its size and the number of look-ups, however its parts
 * refer to each other.
 */
#ifndef AFPIPE_SYMBOL_DWARF_H
#define AFPIPE_SYMBOL_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "src/symbol/elf.h"

/*
 * How to open the files that an object's DWARF refers to.  Each function stores a file, which then
 * belongs to the struct dwarf, or returns ERR_DATA or ERR_SYS (see file_is_away); it is then not
 * called again for this file.  Texts are as the object spells them, and valid only during the call.
 */
struct dwarf_related {
	void *ctx;

	/* dwz's shared file (.gnu_debugaltlink).  The caller must check its build id. */
	int (*alt)(void *ctx, struct slice name, const unsigned char *id, size_t id_len,
	    struct elf_file **out, struct err *e);

	/* All .dwo files of the object in one (OBJECT.dwp).  Units are checked by their ids. */
	int (*dwp)(void *ctx, struct elf_file **out, struct err *e);

	/* The .dwo file NAME, below DIR if NAME is relative.  Its unit is checked by its id. */
	int (*dwo)(void *ctx, struct slice dir, struct slice name, struct elf_file **out,
	    struct err *e);
};

struct dwarf;

/* Returns true if the file has DWARF that describes code. */
bool dwarf_is_in(const struct elf_file *f);

/*
 * f is the file for which dwarf_is_in is true: the object, or its debug file.  On success it
 * belongs to the struct dwarf; on failure the caller still owns it.  *related is copied.  Returns
 * ERR_DATA for damage, and ERR_SYS if reading fails or memory runs out.
 */
int dwarf_open(struct elf_file *f, const struct dwarf_related *related, struct dwarf **out,
    struct err *e) __attribute__((warn_unused_result));
void dwarf_close(struct dwarf *d);

/* Closes all descriptors.  The next look-up opens the files again, which must then be the same. */
void dwarf_rest(struct dwarf *d);

/* A function, and the place in it. */
struct dwarf_frame {
	struct slice function; /* its linkage name, or else its name; empty: unknown */
	struct slice file; /* absolute if the directory of the compilation is; empty: unknown */
	uint32_t line; /* from 1; 0: unknown */
};

/*
 * Finds the frames at a linked address of the object, the innermost first: inlined functions, and
 * last the function that contains them.  The innermost place comes from the line table; the other
 * places are the calls.  If only the place is known, there is one frame without a function.  *count
 * is 0 if nothing is known.  *frame is valid until the next call, and its texts as long as d.
 *
 * Returns ERR_DATA if this part of the DWARF is damaged, and ERR_DOUBT if a file that it refers to
 * is not available or a name is too long; *frame then has the frames that are known, possibly
 * without some inlined functions.  Returns ERR_SYS if reading fails or memory runs out, with *count
 * 0.
 */
int dwarf_find(struct dwarf *d, uint64_t vaddr, struct dwarf_frame **frame, size_t *count,
    struct err *e) __attribute__((warn_unused_result));

#endif
