/* SPDX-License-Identifier: ISC */
/*
 * kallsyms.h - the symbols of a kernel, as /proc/kallsyms lists them.
 *
 * A line is "ADDRESS TYPE NAME", for modules followed by "\t[MODULE]"; see the kernel's
 * kernel/kallsyms.c.  As in perf, symbols of the types T W D B (and t w d b) are taken,
 * local ARM mapping symbols ($a) and the entry trampolines are not, names do not include
 * the module, and a symbol extends to the next one.
 */
#ifndef AFPIPE_SYMBOL_KALLSYMS_H
#define AFPIPE_SYMBOL_KALLSYMS_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/symtab.h"

/* What to do if the reference symbol has another address than in the recording. */
enum kallsyms_policy {
	KALLSYMS_RELOCATE, /* the same kernel, moved at boot: shift it, drop the modules */
	KALLSYMS_REFUSE, /* another kernel or another boot */
};

/*
 * Reads the list from fd (which the caller still owns) to its end and makes a finished
 * table of it.  If ref_name is NULL the recording names no reference symbol, and the list
 * is used unchanged.  ERR_DATA: no symbols, all addresses hidden (zero), the reference
 * symbol missing, or elsewhere under KALLSYMS_REFUSE.  ERR_SYS as usual.
 */
int kallsyms_load(int fd, const char *ref_name, uint64_t ref_addr, enum kallsyms_policy policy,
    struct symtab **out, struct err *e) __attribute__((warn_unused_result));

#endif
