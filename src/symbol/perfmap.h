/* SPDX-License-Identifier: ISC */
/*
 * perfmap.h - the symbols that a JIT compiler wrote for perf.
 *
 * The file is /tmp/perf-PID.map with lines "START SIZE NAME", both numbers in hex;
 * see Linux' tools/perf/Documentation/jit-interface.txt.  The line of code that was
 * discarded and overwritten stays, so of lines with one START the last counts.
 */
#ifndef AFPIPE_SYMBOL_PERFMAP_H
#define AFPIPE_SYMBOL_PERFMAP_H

#include "lib/err.h"
#include "lib/file.h"
#include "lib/symtab.h"

/*
 * Makes a finished table of the file.  Lines of another form are left out, and so is a last one
 * without a line break, which the JIT compiler may still be writing.  Anyone can write to /tmp: as
 * in perf, only a regular file (not a link) that belongs to root or to the caller is trusted.
 * ERR_SYS if it cannot be opened or read, ERR_DATA if it is not trusted or has no symbols.
 */
int perfmap_load(const struct file_name *name, struct symtab **out, struct err *e)
    __attribute__((warn_unused_result));

#endif
