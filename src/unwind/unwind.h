/* SPDX-License-Identifier: ISC */
/*
 * unwind.h - finds the callers of a place in a program from registers and a copy of the stack.
 *
 * Each step looks up the rule for the place (cfi.h) and uses it to compute the caller's registers.
 * Rules are cached by object and place, since most samples are at few different places.  If an
 * object has no rule for a place, the step follows the frame pointer instead.
 */
#ifndef AFPIPE_UNWIND_UNWIND_H
#define AFPIPE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/unwind/cfi.h"

enum unwind_arch { UNWIND_X86_64, UNWIND_I386, UNWIND_AARCH64, UNWIND_ARM, UNWIND_ARCHES };

/*
 * Registers by DWARF number, except that the pc is always UNWIND_PC.  Bit N of KNOWN is set if r[N]
 * has a value.
 */
#define UNWIND_PC CFI_REGISTERS
struct unwind_registers {
	uint64_t known;
	uint64_t r[CFI_REGISTERS + 1];
};

/*
 * Stores the registers of a perf sample in *to.  The bits of MASK say which registers were sampled;
 * VALUES holds their values in the order of these bits.  perf numbers the bits as in Linux,
 * arch/ARCH/include/uapi/asm/perf_regs.h.
 */
void unwind_take_registers(enum unwind_arch arch, uint64_t mask, struct cur values,
    struct unwind_registers *to);

/* Why a stack ends. */
enum unwind_end {
	UNWIND_WHOLE, /* its outermost function was reached */
	UNWIND_LIMIT, /* the maximum number of frames was reached */
	UNWIND_NO_REGISTERS, /* the pc or the stack pointer was not recorded */
	UNWIND_NO_MAPPING, /* nothing is mapped at an address */
	UNWIND_NO_FILE, /* an object's file is not available */
	UNWIND_UNLISTED, /* memory for generated code, and nothing says what is there */
	UNWIND_NO_INFO, /* there is neither unwind information nor a frame pointer for a place */
	UNWIND_SHORT, /* the stack copy does not include an address that is needed */
	UNWIND_DAMAGED, /* the unwind information makes no sense here */
	/* For users of this file that do not unwind a stack at all. */
	UNWIND_ARCH, /* the architecture is not in the list above */
	UNWIND_SKIPPED, /* unwinding was not requested */
	UNWIND_ENDS
};

/* The object mapped at an address. */
struct unwind_object {
	const struct cfi *cfi; /* if NULL, WHY gives the reason */
	uint64_t place; /* the address as a place in the object */
	enum unwind_end why; /* if cfi is NULL: UNWIND_NO_MAPPING to _NO_INFO */
};

struct unwind_stack {
	enum unwind_arch arch;
	const struct unwind_registers *registers;
	const unsigned char *bytes; /* the copy, which begins at the stack pointer */
	size_t len;
	bool big_endian;
	size_t max; /* maximum number of addresses to find */

	/* Fills *object for an address of the recorded process. */
	void (*object_at)(void *ctx, uint64_t address, struct unwind_object *object);
	void *ctx;
};

struct unwinder;

/* Returns NULL if memory runs out. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *u);

/*
 * Writes the addresses of the stack to ip, innermost first, and their number to *n.  The first
 * address is the pc.  A caller's address is its return address less one, which is inside the call
 * instruction.  It is the exact address if a signal interrupted the caller, and for the code that a
 * signal handler returns to, which begins there.  Returns why the stack ends and sets *at to the
 * last of these addresses.
 */
enum unwind_end unwind(struct unwinder *u, const struct unwind_stack *stack, uint64_t *ip,
    size_t *n, uint64_t *at);

#endif
