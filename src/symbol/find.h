/* SPDX-License-Identifier: ISC */
/*
 * find.h - finds the file with the symbols of an object.
 *
 * The places, in perf's order: the file's .gnu_debuglink (beside it, in .debug/,
 * under /usr/lib/debug), perf's build-id cache, /usr/lib/debug/PATH.debug,
 * /usr/lib/debug/PATH, /usr/lib/debug/.build-id/XX/REST.debug, the file itself, and
 * .debug/NAME beside it.  The first with a .symtab gives the names, the first with a
 * .dynsym the layout, or else any that is not a debug file.  Nothing is fetched from a
 * network, and unlike perf we do not look in the current directory.
 *
 * A file whose build id is not the object's is skipped.  If the recording gives no
 * build id, the one of the file at the object's path is used, so that its debug file
 * must match it.
 */
#ifndef AFPIPE_SYMBOL_FIND_H
#define AFPIPE_SYMBOL_FIND_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/symbolizer.h"
#include "lib/symtab.h"

struct find_roots {
	const char *symfs; /* the folder that serves as / for every path, or NULL */
	const char *cache; /* perf's build-id cache ($HOME/.debug), taken as it is, or NULL */
};

/*
 * Can an object of that name be a file at all?  Not [vdso], [heap], //anon, memfd:...,
 * or anything else that is not an absolute path.
 */
bool find_is_file(const struct sym_object *o);

/*
 * Makes a finished table of the object's symbols.  ERR_DATA: no file matches; the message
 * gives the reason for the file at the object's own path.  ERR_SYS: that file is not
 * available (file_is_away), or the system failed at any of the places.
 */
int find_symbols(const struct find_roots *roots, const struct sym_object *o, struct symtab **out,
    struct err *e) __attribute__((warn_unused_result));

#endif
