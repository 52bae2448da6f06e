/* SPDX-License-Identifier: ISC */
/*
 * cfi.h - the call frame information of one object: how to find the caller of a place in its code.
 *
 * Reads .eh_frame and .debug_frame.  Formats: DWARF 5, section 6.4, and the Linux Standard Base,
 * "Exception Frames".  The bytes may be crafted: an entry that does not fit is left out, and work
 * for one lookup is bounded by the length of one entry.
 *
 *	c = cfi_new();
 *	cfi_add_segment(c, vaddr, size, offset, &e) ...		as the program headers say
 *	cfi_add_section(c, CFI_EH_FRAME, &bytes, format, &e);
 *	cfi_finish(c);
 *	cfi_find(c, place, &rule);
 */
#ifndef AFPIPE_UNWIND_CFI_H
#define AFPIPE_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/err.h"

/* DWARF registers from 0 on that are followed; the highest is the pc of 32-bit ARM and AArch64. */
#define CFI_REGISTERS 33

#define CFI_SECTION_MAX ((size_t)256 << 20)
#define CFI_ENTRY_MAX ((size_t)1 << 20)

/* How the value of a register in the caller is found. */
enum cfi_how {
	CFI_SAME, /* it was not changed */
	CFI_UNDEFINED, /* it cannot be found; for the return address: there is no caller */
	CFI_AT_CFA, /* stored at the canonical frame address plus VALUE */
	CFI_IS_CFA, /* the canonical frame address plus VALUE itself */
	CFI_REGISTER, /* in the register VALUE */
	CFI_AT_EXPRESSION, /* stored at the address that an expression gives */
	CFI_IS_EXPRESSION, /* what an expression gives */
};

struct cfi_register {
	uint8_t number;
	uint8_t how; /* enum cfi_how */
	int32_t value; /* or for expressions: see cfi_expression */
};

/* How to get from the places [from, to) of an object to their caller. */
struct cfi_rule {
	uint64_t from, to;
	uint8_t section; /* internal: where its expressions are */
	uint8_t return_column; /* the register with the return address */
	bool signal; /* the frame of a signal handler's return: the caller was interrupted */
	uint8_t n; /* registers that are not CFI_SAME */
	struct cfi_register cfa; /* CFI_REGISTER, with VALUE to be added; or CFI_IS_EXPRESSION */
	struct cfi_register reg[CFI_REGISTERS];
};

struct cfi;

enum cfi_section_kind { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_SECTIONS };

struct cfi_format {
	uint64_t address; /* where the section is linked */
	bool wide, big_endian; /* of the file: 64 bits; byte order */
};

/* NULL when there is no memory. */
struct cfi *cfi_new(void);
void cfi_free(struct cfi *c);

/*
 * Adds a segment of code: SIZE bytes linked at VADDR are at OFFSET of the file.  Without any
 * segment places are linked addresses.  ERR_SYS without memory.
 */
int cfi_add_segment(struct cfi *c, uint64_t vaddr, uint64_t size, uint64_t offset, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes the section's bytes, at most CFI_SECTION_MAX; *bytes is empty afterwards.  ERR_SYS without
 * memory.  What is not well-formed is left out.
 */
int cfi_add_section(struct cfi *c, enum cfi_section_kind kind, struct buf *bytes,
    const struct cfi_format *format, struct err *e) __attribute__((warn_unused_result));

/* Sorts the entries; call it once, before the first lookup. */
void cfi_finish(struct cfi *c);

/* False if no entry covers PLACE (an offset into the file), or the entry is damaged. */
bool cfi_find(const struct cfi *c, uint64_t place, struct cfi_rule *rule);

/* The expression of a register (or the CFA) of the rule.  Its cursor is bad if there is none. */
struct cur cfi_expression(const struct cfi *c, const struct cfi_rule *rule,
    const struct cfi_register *r);

/* The difference between the linked address of the place and the place itself. */
uint64_t cfi_shift(const struct cfi *c, uint64_t place);

/* DWARF's numbers of variable length; what exceeds 64 bits is cut. */
uint64_t cfi_uleb(struct cur *c);
int64_t cfi_sleb(struct cur *c);

/* The number of entries that were read. */
size_t cfi_count(const struct cfi *c);

#endif
