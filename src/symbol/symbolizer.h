/* SPDX-License-Identifier: ISC */
/*
 * symbolizer.h - symbols for a decoder: of files, of kernels, of JIT maps.
 *
 * Each object, kernel and process is looked up once, also when there was nothing;
 * tables live until the engine is closed.  Nothing is ever fetched from a network.
 *
 * Kernels: with --kallsyms that list is believed.  Where it has the recording's reference
 * symbol at another address, the kernel was moved at boot (KASLR): the kernel's own symbols are
 * moved by the difference, as perf does, and the modules' are left out, because modules are
 * placed on their own.  A list without the reference symbol is of another kernel and
 * gives nothing.  Without --kallsyms a list that came with the recording (perf record --kcore)
 * is used, if it has the reference symbol where the recording has it.  Without either the
 * running kernel's /proc/kallsyms serves only if it is of the recording's release and has the
 * reference symbol where the recording has it: without KASLR every kernel has it in one place.
 *
 * JIT maps: /tmp/perf-PID.map, below SYMFS where that is given; see perfmap.h for which
 * are believed.
 */
#ifndef AFPIPE_SYMBOL_SYMBOLIZER_H
#define AFPIPE_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"

struct symbol_options {
	const char *symfs; /* the folder that is / for every file looked up, or NULL */
	const char *kallsyms; /* a file with the kernel's symbols, or NULL */
	const char *build_id_cache; /* perf's, e.g. $HOME/.debug, or NULL; not under symfs */
};

struct symbol_engine;

/*
 * The strings must live as long as the engine.  NULL with e filled: no memory, or
 * the kallsyms file cannot be opened.
 */
struct symbol_engine *symbol_engine_open(const struct symbol_options *o, struct err *e);
void symbol_engine_close(struct symbol_engine *s);

/* Good until the engine is closed. */
struct symbolizer symbol_engine_face(struct symbol_engine *s);

#define JIT_PATH_MAX 32

struct symbol_miss {
	/* raw bytes, as the recording spells it; "[kernel.kallsyms]" for a kernel */
	struct slice path;
	const char *reason; /* printable */
	bool failed; /* the system failed: symbols may well be there */
	bool ceiling; /* of failed: it was --max-memory that did not allow it */
	char jit[JIT_PATH_MAX]; /* room for the path of a JIT map */
};

/*
 * What was asked for and had no symbols, in the order of first asking: files and
 * kernels, and JIT maps that could not be read; not what can have none ([vdso], //anon) nor
 * processes without a JIT map.  Start with *pos 0; false at the end.
 */
bool symbol_engine_next_miss(const struct symbol_engine *s, size_t *pos, struct symbol_miss *out);

/* Did the system fail anywhere, a miss or before there was one (memory)? */
bool symbol_engine_failed(const struct symbol_engine *s);

#endif
