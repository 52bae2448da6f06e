/* SPDX-License-Identifier: ISC */
/*
 * symbolizer.h - symbols for a decoder: of files, of kernels, of JIT maps.
 *
 * Each object, kernel and process is looked up only once, even if nothing was found;
 * tables live until the engine is closed.  Nothing is ever fetched from a network.
 *
 * Kernels: with --kallsyms that list is trusted.  If its address of the recording's reference
 * symbol differs, the kernel was moved at boot (KASLR): the kernel's own symbols are shifted by
 * the difference, as in perf, and those of modules are left out, because modules are placed
 * independently.  A list without the reference symbol belongs to another kernel and gives no
 * symbols.  Without --kallsyms a list that came with the recording (perf record --kcore) is used,
 * if its reference symbol has the same address as in the recording.  Without either, the running
 * kernel's /proc/kallsyms is used only if its release and the address of its reference symbol are
 * those of the recording: without KASLR every kernel has that symbol at the same address.
 *
 * JIT maps: /tmp/perf-PID.map, below SYMFS if that is given; see perfmap.h for which are
 * trusted.
 */
#ifndef AFPIPE_SYMBOL_SYMBOLIZER_H
#define AFPIPE_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"

struct symbol_options {
	const char *symfs; /* the folder that serves as / for every file looked up, or NULL */
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

/* Valid until the engine is closed. */
struct symbolizer symbol_engine_face(struct symbol_engine *s);

#define JIT_PATH_MAX 32

struct symbol_miss {
	/* raw bytes, as the recording spells it; "[kernel.kallsyms]" for a kernel */
	struct slice path;
	const char *reason; /* printable */
	bool failed; /* the system failed: there may well be symbols */
	bool ceiling; /* if failed: because of the limit of --max-memory */
	char jit[JIT_PATH_MAX]; /* room for the path of a JIT map */
};

/*
 * Returns what had no symbols when requested, in the order of the first requests: files and
 * kernels, and JIT maps that could not be read; but not what cannot have any ([vdso], //anon) nor
 * processes without a JIT map.  Start with *pos = 0; false at the end.
 */
bool symbol_engine_next_miss(const struct symbol_engine *s, size_t *pos, struct symbol_miss *out);

/* Did the system fail anywhere, at a miss or before there was one (memory)? */
bool symbol_engine_failed(const struct symbol_engine *s);

#endif
