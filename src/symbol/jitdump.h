/* SPDX-License-Identifier: ISC */
/*
 * jitdump.h - the code that a JIT compiler lists in a jitdump, by address and time.
 *
 * A compiler that works for perf writes a file jit-PID.dump with a record for each function that it
 * makes or moves.  Source: Linux, tools/perf/Documentation/jitdump-specification.txt.  Memory is
 * reused, so the function at an address depends on the time.  The records' times are those of
 * CLOCK_MONOTONIC, or counts of the processor's clock (the flag ARCH_TIMESTAMP).
 *
 * A record with the lines of a function comes before the record with its code.  Lines are used only
 * if all of that record can be understood, and if they are within the code.
 *
 * The file may still be growing, and may be crafted.  The last record is often cut off, which is
 * not an error.  What comes later can be added.  The records after a damaged one cannot be read, so
 * code has names only up to the time of that record.
 */
#ifndef AFPIPE_SYMBOL_JITDUMP_H
#define AFPIPE_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/file.h"
#include "lib/symbolizer.h"

struct cfi;
struct jitdump;

struct jitdump_expected {
	uint32_t pid; /* of the process that wrote the file, as the process sees it */
	uint64_t inode; /* of the file that it mapped; 0: unknown */
	struct sym_clock clock;
	bool lines; /* lines of source are wanted */
};

/*
 * Reads a file, if *d is NULL.  Otherwise *d is from an earlier call for the same file, and is
 * replaced by one that also has what has come since, if anything has; what was found in the earlier
 * one remains.  It belongs to the new one then.  After a failure *d is as before.
 *
 * As with JIT maps (lists.h), it is trusted only if it is a regular file that
 * belongs to root or to the caller.  If its times cannot be compared with the recording's, only
 * those addresses have names that the whole file gives one function.  Returns ERR_DATA if the file
 * is not trusted, is not a jitdump, or is not the expected one, ERR_SYS if it cannot be read, and
 * ERR_STOP if a signal asked to stop.
 */
int jitdump_load(const struct file_name *name, const struct jitdump_expected *expected,
    struct jitdump **d, struct err *e) __attribute__((warn_unused_result));
void jitdump_free(struct jitdump *d);

/* Finds the code at an address at one point in time.  Ignores the time if it cannot be compared. */
void jitdump_find(const struct jitdump *d, uint64_t address, uint64_t time, struct sym_code *out);

/*
 * Returns the unwind information of code that jitdump_find has found, or NULL if the file has none
 * or memory runs out.  Its places are out->address + out->shift.
 */
const struct cfi *jitdump_unwind(const struct jitdump *d, const struct sym_code *code);

/* Returns true if memory ran out for unwind information. */
bool jitdump_failed(const struct jitdump *d);

/*
 * Finds the line of source at an address in code that jitdump_find has found.  Returns false if it
 * is not known.  The texts live as long as d.
 */
bool jitdump_line(const struct jitdump *d, const struct sym_code *code, uint64_t address,
    struct sym_line *out);

/* Returns why lines that the file has are not used, or NULL if all are. */
const char *jitdump_line_doubt(const struct jitdump *d);

/* Returns why some of the file's code has no names, or NULL if all of it has. */
const char *jitdump_doubt(const struct jitdump *d);

#endif
