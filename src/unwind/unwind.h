/* SPDX-License-Identifier: ISC */
/*
 * unwind.h - finds the callers of a place in a program from registers and a copy of the stack.
 *
 * Each step takes the rule for the place (cfi.h) and computes the caller's registers from it.  Rules
 * are cached by object and place, since samples stop in few places.  Where an object has no rule for
 * a place, the frame pointer is followed.
 */
#ifndef AFPIPE_UNWIND_UNWIND_H
#define AFPIPE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/unwind/cfi.h"

enum unwind_arch { UNWIND_X86_64, UNWIND_I386, UNWIND_AARCH64, UNWIND_ARM, UNWIND_ARCHES };

/*
 * Registers in DWARF's numbering, with the pc as UNWIND_PC whatever its number there; bit N of
 * KNOWN: r[N] has a value.
 */
#define UNWIND_PC CFI_REGISTERS
struct unwind_registers {
	uint64_t known;
	uint64_t r[CFI_REGISTERS + 1];
};

/* The number of the stack pointer. */
unsigned unwind_stack_pointer(enum unwind_arch arch);

/*
 * Takes registers as perf samples them: MASK says which, VALUES are in the order of its bits, in the
 * given byte order (a cursor).  Source: arch/ARCH/include/uapi/asm/perf_regs.h of Linux.
 */
void unwind_take_registers(enum unwind_arch arch, uint64_t mask, struct cur values,
    struct unwind_registers *to);

/* Why a stack ends. */
enum unwind_end {
	UNWIND_WHOLE, /* at its outermost function */
	UNWIND_LIMIT, /* more frames than wanted */
	UNWIND_NO_REGISTERS, /* pc or stack pointer were not recorded */
	UNWIND_NO_MAPPING, /* nothing is mapped at an address */
	UNWIND_NO_FILE, /* an object's file is not at hand */
	UNWIND_NO_INFO, /* an object has no unwind information for a place, nor a frame pointer */
	UNWIND_SHORT, /* the copy of the stack ends before what is needed */
	UNWIND_DAMAGED, /* the unwind information makes no sense here */
	/* For callers, if they do not unwind a stack at all. */
	UNWIND_ARCH, /* an architecture that is not in the list above */
	UNWIND_SKIPPED, /* it was not wanted */
	UNWIND_ENDS
};

/* What is at an address. */
struct unwind_object {
	const struct cfi *cfi; /* NULL: see why */
	uint64_t place; /* of the address in the object */
	enum unwind_end why; /* if cfi is NULL: UNWIND_NO_MAPPING, _NO_FILE or _NO_INFO */
};

struct unwind_stack {
	enum unwind_arch arch;
	const struct unwind_registers *registers;
	const unsigned char *bytes; /* the copy, from the stack pointer on */
	size_t len;
	bool big_endian;
	size_t max; /* addresses to find, at most */

	/* Fills *object for an address of the recorded process. */
	void (*object_at)(void *ctx, uint64_t address, struct unwind_object *object);
	void *ctx;
};

struct unwinder;

/* NULL when there is no memory. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *u);

/*
 * Writes the addresses of the stack to ip, innermost first, and their number to *n.  The first is
 * the pc; of callers it is the return address less one, which is inside of the call, except where a
 * signal interrupted them.  Returns why the stack ends; *at is the last address looked up.
 */
enum unwind_end unwind(struct unwinder *u, const struct unwind_stack *stack, uint64_t *ip,
    size_t *n, uint64_t *at);

#endif
