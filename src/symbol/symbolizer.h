/* SPDX-License-Identifier: ISC */
/*
 * symbolizer.h - symbols for a decoder, from files, kernels and JIT maps.
 *
 * Each object, kernel and process is looked up only once, even if nothing was found.  Tables live
 * until the engine is closed.  Files are fetched from a network only if the options say how.
 *
 * Kernels: a list given with --kallsyms is trusted.  If it has the recording's reference symbol at
 * a different address, the kernel was moved at boot (KASLR).  The kernel's own symbols are then
 * shifted by the difference, as in perf, and those of modules are omitted, because modules are
 * placed independently.  A list without the reference symbol belongs to a different kernel and
 * gives no symbols.  It names one kernel, the first in the input that it can be of: a kernel with
 * another build id or release then has no symbols.  Without --kallsyms a list that came with the
 * recording (perf record --kcore) is used, if its reference symbol has the same address as in the
 * recording.  Without either, the kernel's own code is looked up in the list that perf's build-id
 * cache has of the recorded build, if the reference symbol has the same address there.  For all
 * other code, and without such a list, the running kernel's /proc/kallsyms is used only if its
 * release and the address of its reference symbol are those of the recording.  The release is
 * needed because without KASLR every kernel has that symbol at the same address.  It is read only
 * when such an address is looked up, because the kernel takes long to print it.
 *
 * JIT maps: /tmp/perf-PID.map, below SYMFS if that is given.  lists.h says which files are trusted.
 * Jitdumps: the file that the process mapped, below SYMFS if that is given.  While the process is
 * running, both are files as it sees them, which may be those of a container (process.h).
 */
#ifndef AFPIPE_SYMBOL_SYMBOLIZER_H
#define AFPIPE_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"

struct symbol_options {
	struct fetch *fetch; /* gets files from servers; NULL: nothing is fetched */
	unsigned wanted; /* enum sym_wanted */
	bool force; /* the file at an object's path is used even if it may be another one */
	bool mangled; /* names are left as they are in the files */
	const char *symfs; /* the directory that serves as / for every file, or NULL */
	const char *kallsyms; /* a file with the kernel's symbols, or NULL */
	const char *build_id_cache; /* perf's, e.g. $HOME/.debug, or NULL; not under symfs */
	const char
	    *debug_dir; /* for debug files, or NULL: /usr/lib/debug; if given, not under symfs */
};

struct symbol_engine;

/*
 * The strings must live as long as the engine.  If memory runs out or the kallsyms file cannot be
 * opened, returns NULL and fills e.
 */
struct symbol_engine *symbol_engine_open(const struct symbol_options *o, struct err *e);
void symbol_engine_close(struct symbol_engine *s);

/* Returns the interface for decoders, valid until the engine is closed. */
struct symbolizer symbol_engine_face(struct symbol_engine *s);

#define JIT_PATH_MAX 32

struct symbol_miss {
	/* raw bytes, as the recording spells it; "[kernel.kallsyms]" for a kernel */
	struct slice path;
	const char *reason; /* printable */
	uint64_t
	    samples; /* the number of samples in the object itself, not in functions it calls */
	struct slice build_id; /* raw; empty if unknown */
	bool lines; /* it has symbols, but neither lines nor inlined functions */
	/* there cannot be symbols ([vdso], memfd), or there is no JIT map; samples is not 0 */
	bool normal;
	bool no_map; /* a JIT map that does not exist, of a process without a jitdump; normal */
	bool forced; /* there are symbols, but only --force accepts their file, for that reason */
	bool exported; /* the file names only what it exports, and samples are in other code */
	/*
	 * The number of addresses that a JIT map lists with several names.  If samples is 0, that
	 * is all that there is to say of it.
	 */
	size_t renamed;
	bool unlisted; /* a JIT map or a jitdump that did not list all code */
	bool partly; /* only some of its code has no names or no lines */
	bool damaged; /* if partly and lines: because its debug information is damaged */
	bool failed; /* the system failed, so there may well be symbols */
	bool ceiling; /* if failed: the limit of --max-memory was the cause */
	char jit[JIT_PATH_MAX]; /* room for the path of a JIT map */
};

/*
 * Returns the objects that had no symbols when requested, or not all of them, or only those of a
 * file that is not known to be the recorded one: files, kernels, jitdumps and JIT maps.  A file of
 * several recordings is returned once if its build id is known.  Those with the most samples come
 * first, and then the order is that of the first requests.  Start with *pos = 0, and do not look up
 * anything until the end, when it returns false.
 */
bool symbol_engine_next_miss(struct symbol_engine *s, size_t *pos, struct symbol_miss *out);

/*
 * Returns true if the system has failed anywhere, at a miss or before there was one (for lack of
 * memory).
 */
bool symbol_engine_failed(const struct symbol_engine *s);

/*
 * Returns true if debug information that was read is damaged, so that frames may lack the functions
 * that are inlined there.
 */
bool symbol_engine_damaged(const struct symbol_engine *s);

#endif
