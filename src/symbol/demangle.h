/* SPDX-License-Identifier: ISC */
/*
 * demangle.h - the names of C++, Rust and D functions as their sources spell them.
 *
 * libiberty does the work, as in perf: C++ names have template arguments but no parameters.  A
 * mangled name can be made to expand without end, so the result is limited.
 */
#ifndef AFPIPE_SYMBOL_DEMANGLE_H
#define AFPIPE_SYMBOL_DEMANGLE_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/slice.h"

#define DEMANGLE_NAME_MAX 16384 /* of a mangled name; longer ones are left as they are */
#define DEMANGLE_MAX ((size_t)64 * 1024) /* of the result; longer ones, too */

/*
 * Replaces the contents of *out with the demangled name.  The text after an '@' (a symbol version,
 * or "plt") is kept.  Leaves *out empty if the name is not a mangled one or exceeds a limit.
 * Returns false if memory runs out.
 */
bool demangle(struct buf *out, struct slice name) __attribute__((warn_unused_result));

#endif
