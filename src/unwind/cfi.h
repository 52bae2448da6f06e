/* SPDX-License-Identifier: ISC */
/*
 * cfi.h - the call frame information of one object: how to find the caller of a place in its code.
 *
 * Reads .eh_frame and .debug_frame.  Their formats are described in DWARF 5, section 6.4, and in
 * the Linux Standard Base, "Exception Frames".  The bytes are not trusted: malformed entries are
 * omitted, and the work for one lookup is bounded by the length of one entry.
 *
 *	c = cfi_new();
 *	cfi_add_segment(c, vaddr, size, offset, &e) ...		from the program headers
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

/* Number of DWARF registers tracked, starting at 0; the highest is the pc of AArch64. */
#define CFI_REGISTERS 33

#define CFI_SECTION_MAX ((size_t)256 << 20)
#define CFI_ENTRY_MAX ((size_t)1 << 20)

/* The ways to find the value of a register in the caller. */
enum cfi_how {
	CFI_SAME, /* it was not changed */
	CFI_UNDEFINED, /* it cannot be found; if this is the return address, there is no caller */
	CFI_AT_CFA, /* stored at the canonical frame address plus VALUE */
	CFI_IS_CFA, /* the canonical frame address plus VALUE itself */
	CFI_REGISTER, /* in the register VALUE */
	CFI_AT_EXPRESSION, /* stored at the address that an expression gives */
	CFI_IS_EXPRESSION, /* the result of an expression */
};

struct cfi_register {
	uint8_t number;
	uint8_t how; /* enum cfi_how */
	int32_t value; /* for expressions, see cfi_expression */
};

/* How to find the callers of the places [from, to) of an object. */
struct cfi_rule {
	uint64_t from, to;
	uint8_t section; /* internal: the section that contains its expressions */
	uint8_t return_column; /* the register that contains the return address */
	bool signal; /* this is a signal return frame: a signal interrupted the caller */
	uint8_t n; /* number of registers that are not CFI_SAME */
	struct cfi_register cfa; /* CFI_REGISTER, to which VALUE is added, or CFI_IS_EXPRESSION */
	struct cfi_register reg[CFI_REGISTERS];
};

struct cfi;

enum cfi_section_kind { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_SECTIONS };

struct cfi_format {
	uint64_t address; /* the section's linked address */
	bool wide, big_endian; /* whether the file is 64-bit, and its byte order */
};

/* Returns NULL if memory runs out. */
struct cfi *cfi_new(void);
void cfi_free(struct cfi *c);

/*
 * Adds a code segment: SIZE bytes linked at VADDR are at OFFSET in the file.  If no segment is
 * added, places are linked addresses.  Returns ERR_SYS if memory runs out.
 */
int cfi_add_segment(struct cfi *c, uint64_t vaddr, uint64_t size, uint64_t offset, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes over the section's bytes, at most CFI_SECTION_MAX, and leaves *bytes empty.  Call it once
 * for each kind at most.  Omits malformed entries.  Returns ERR_SYS if memory runs out.
 */
int cfi_add_section(struct cfi *c, enum cfi_section_kind kind, struct buf *bytes,
    const struct cfi_format *format, struct err *e) __attribute__((warn_unused_result));

/* Sorts the entries.  Call it once, before the first lookup. */
void cfi_finish(struct cfi *c);

/* Returns false if no entry covers PLACE (an offset into the file) or the entry is damaged. */
bool cfi_find(const struct cfi *c, uint64_t place, struct cfi_rule *rule);

/*
 * Returns a cursor over the expression of one of the rule's registers, or of its CFA.  The cursor
 * is bad if the expression cannot be read.
 */
struct cur cfi_expression(const struct cfi *c, const struct cfi_rule *rule,
    const struct cfi_register *r);

/* Returns the linked address of the place less the place itself. */
uint64_t cfi_shift(const struct cfi *c, uint64_t place);

/* Read DWARF's variable-length numbers (LEB128) and discard any bits above the 64th. */
uint64_t cfi_uleb(struct cur *c);
int64_t cfi_sleb(struct cur *c);

/* Returns the number of entries that were read. */
size_t cfi_count(const struct cfi *c);

#endif
