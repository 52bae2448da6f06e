/* SPDX-License-Identifier: ISC */
/*
 * kallsyms.h - the symbols of a kernel, as /proc/kallsyms lists them.
 *
 * A line is "ADDRESS TYPE NAME", for modules with "\t[MODULE]" behind it; see the
 * kernel's kernel/kallsyms.c.  As in perf, symbols of the types T W D B (and t w d b)
 * count, local ARM mapping symbols ($a) and the entry trampolines do not, a name
 * stands without its module, and a symbol reaches to the next one.
 */
#ifndef AFPIPE_SYMBOL_KALLSYMS_H
#define AFPIPE_SYMBOL_KALLSYMS_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/symtab.h"

/* What to do where the reference symbol is not where the recording has it. */
enum kallsyms_policy {
	KALLSYMS_RELOCATE, /* the same kernel, moved at boot: move it, drop the modules */
	KALLSYMS_REFUSE, /* another kernel or another boot */
};

/*
 * Reads the list from fd (which stays the caller's) to its end and makes a
 * finished table of it.  ref_name NULL: the recording names no reference symbol,
 * and the list is taken as it is.  ERR_DATA: no symbols, all addresses hidden (zero),
 * the reference symbol missing, or elsewhere under KALLSYMS_REFUSE.  ERR_SYS as usual.
 */
int kallsyms_load(int fd, const char *ref_name, uint64_t ref_addr, enum kallsyms_policy policy,
    struct symtab **out, struct err *e) __attribute__((warn_unused_result));

#endif
