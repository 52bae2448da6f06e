/* SPDX-License-Identifier: ISC */
/*
 * lists.h - reads symbols from text lists: of a kernel, and of a JIT compiler.
 *
 * A line of /proc/kallsyms is "ADDRESS TYPE NAME", followed by "\t[MODULE]" for modules; see the
 * kernel's kernel/kallsyms.c.  As in perf, symbols of the types T W D B (and t w d b) are used, but
 * local ARM mapping symbols ($a) and the entry trampolines are not.  Names do not include the
 * module, and a symbol extends to the next one.
 *
 * A JIT compiler writes /tmp/perf-PID.map for perf, with lines "START SIZE NAME", both numbers in
 * hex; see Linux' tools/perf/Documentation/jit-interface.txt.  The line for code that was discarded
 * and overwritten stays in the file, so the last of several lines with the same START is used.
 */
#ifndef AFPIPE_SYMBOL_LISTS_H
#define AFPIPE_SYMBOL_LISTS_H

#include <stdint.h>
#include <sys/stat.h>

#include "lib/err.h"
#include "lib/file.h"
#include "lib/symtab.h"

/* What to do if the reference symbol has a different address from that in the recording. */
enum kallsyms_policy {
	KALLSYMS_RELOCATE, /* the same kernel, moved at boot: shift it, drop the modules */
	KALLSYMS_REFUSE, /* another kernel or another boot */
};

/*
 * Reads the list from fd (which the caller still owns) to its end and makes a finished table of it.
 * If ref_name is NULL, the recording names no reference symbol, and the list is used unchanged.
 * Returns ERR_DATA if there are no symbols, if all addresses are hidden (zero), or if the reference
 * symbol is missing or, under KALLSYMS_REFUSE, elsewhere.  Returns ERR_SYS for failures of the
 * system.
 */
int kallsyms_load(int fd, const char *ref_name, uint64_t ref_addr, enum kallsyms_policy policy,
    struct symtab **out, struct err *e) __attribute__((warn_unused_result));

/*
 * The part of a list that depends only on the build of the kernel and on its address: the kernel's
 * own code, [_stext, _etext).  Its symbols stay in the file, and those around an address are read
 * when it is first looked up.
 */
struct kernel_text;

/*
 * Checks the list in the regular file fd, which must be at its beginning, and which *out owns if
 * this succeeds.  *span becomes the range of the code.  A file that was damaged is refused: returns
 * ERR_DATA also if _stext or _etext is missing, if symbols up to there are not in order or have a
 * module, if a line has another form, or if the reference symbol is missing or elsewhere.
 */
int kernel_text_open(int fd, const char *ref_name, uint64_t ref_addr, struct kernel_text **out,
    struct span *span, struct err *e) __attribute__((warn_unused_result));
void kernel_text_free(struct kernel_text *k);

/*
 * Finds the finished table for an address of the code.  It may only be used for addresses in *span,
 * and lives as long as k.  Returns ERR_SYS for failures of the system, and ERR_DATA if the file has
 * changed.
 */
int kernel_text_find(struct kernel_text *k, uint64_t addr, const struct symtab **table,
    struct span *span, struct err *e) __attribute__((warn_unused_result));

/*
 * Opens a file that a JIT compiler wrote and fills *st.  Anyone can write to /tmp.  So, as in perf,
 * only a regular file (not a link) that belongs to root or to the caller is trusted.  Returns
 * ERR_SYS if it cannot be opened, and ERR_DATA if it is not trusted.
 */
int list_open_trusted(const struct file_name *name, int *fd, struct stat *st, struct err *e)
    __attribute__((warn_unused_result));

/* Which file has been read, and up to where.  { 0 } is none. */
struct perfmap_end {
	dev_t dev;
	ino_t ino;
	off_t offset;
};

/*
 * Makes a finished table of what the file has had since *end, and sets *end.  A file that is
 * another one, or has become shorter, is read from its beginning.  Lines of another form, or of a
 * size of 0, are ignored, and a last line without a line break, which the JIT compiler may still be
 * writing, is left for the next time.  Returns ERR_SYS if the file cannot be opened or read, and
 * ERR_DATA if it is not trusted or has no symbols.
 */
int perfmap_load(const struct file_name *name, struct perfmap_end *end, struct symtab **out,
    struct err *e) __attribute__((warn_unused_result));

#endif
