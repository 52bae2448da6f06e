/* SPDX-License-Identifier: ISC */
/*
 * symbolizer.h - how a decoder finds symbols for the objects that it meets.
 *
 * Decoders (src/perfdata, src/dcpi) hold a struct symbolizer, which src/symbol fills in, and do not
 * depend on where the symbols come from.  A call may read files, so a decoder calls once per object
 * and keeps the result.
 */
#ifndef AFPIPE_SYMBOLIZER_H
#define AFPIPE_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "lib/symtab.h"
#include "lib/tab.h"

struct cfi; /* src/unwind/cfi.h */

/* The file that a mapping record names; see Linux' struct perf_record_mmap2. */
struct sym_file {
	uint32_t major, minor; /* of the device */
	uint64_t inode; /* 0: not in the record */
	uint64_t generation; /* 0: unknown */
};

/* Where and when a recording was made. */
struct sym_origin {
	struct slice host; /* the machine, as uname -n prints it; empty: unknown */
	uint64_t end; /* no sample is newer: nanoseconds since the epoch; 0: unknown */
	bool past; /* it was not made just now, and its end is not known */
};

struct sym_object {
	const char *path; /* as the recording spells it; for a JIT map the dso name, e.g. //anon */
	size_t pathlen;
	const unsigned char *build_id; /* NULL where unknown */
	size_t build_id_len; /* at most 20 */
	bool unclear; /* the recording has several build ids for the path, so the file is unknown */
	struct sym_file file; /* all 0 if the mapping has a build id or no identity */
	uint32_t pid; /* a process that mapped it, or 0 */
	const struct sym_origin *origin; /* of the recording, or NULL */
};

struct sym_kernel {
	const char *ref_name; /* its reference symbol, "_text" or "_stext"; NULL: none */
	uint64_t ref_addr; /* its address in the recording */
	struct slice release; /* of the recording's kernel, as uname -r prints it; empty: unknown */
	const char *kallsyms; /* a file with its symbols that came with the recording; NULL: none */
	const unsigned char *build_id; /* NULL where unknown */
	size_t build_id_len; /* at most 20 */
};

/* A function at a place, inlined or not, with the source line of the instruction or of the call. */
struct sym_line {
	struct slice function; /* as its source spells it; empty if unknown */
	struct slice file; /* empty if unknown */
	uint32_t line; /* 0 if unknown */
};

/* What is looked up besides names. */
enum sym_wanted {
	SYM_INLINED = 1, /* the inlined functions of a place */
	SYM_LINES = 2, /* lines of source */
};

/* A process of the recording, and how to recognize it if it is still running here. */
struct sym_process {
	uint32_t pid; /* in the recording */
	/* the start address and the name of a file that it had mapped; p is NULL if unknown */
	uint64_t address;
	struct slice file;
	const struct sym_origin *origin; /* of the recording, or NULL */
	bool dumped; /* it has mapped a jitdump, which is asked first */
};

/* The clock of a recording's times, for comparing them with those of a JIT compiler. */
enum sym_clock_kind {
	SYM_CLOCK_OTHER, /* times cannot be compared */
	SYM_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC */
	SYM_CLOCK_PERF, /* perf's own */
};

struct sym_clock {
	enum sym_clock_kind kind;
	/*
	 * With SYM_CLOCK_PERF: a count of the processor's clock is the time
	 * zero + (count * mult >> shift); mult is 0 if this is not known.
	 */
	uint64_t shift, mult, zero;
};

/* A jitdump: the file in which a JIT compiler lists its code. */
struct sym_dump {
	struct slice path; /* as the recording spells it */
	uint64_t inode; /* of the file that the process mapped; 0: unknown */
	bool own; /* the process itself mapped it; otherwise its parent may have */
	struct sym_process process;
	struct sym_clock clock;
};

/* Returns the pid in the name of a jitdump, ".../jit-PID.dump", or 0 for any other name. */
static inline uint32_t
sym_dump_pid(struct slice path)
{
	struct slice base = slice_base(path);
	uint32_t pid = 0;
	size_t i;

	if (base.len < 4 || memcmp(base.p, "jit-", 4) != 0)
		return 0;
	for (i = 4; i < base.len && base.p[i] >= '0' && base.p[i] <= '9'; i++) {
		if (pid > (INT32_MAX - 9) / 10)
			return 0;
		pid = pid * 10 + (uint32_t)(base.p[i] - '0');
	}
	return base.len - i == 5 && memcmp(base.p + i, ".dump", 5) == 0 ? pid : 0;
}

struct jitdump; /* src/symbol/jitdump.h */

/* The code at an address at one point in time. */
struct sym_code {
	const struct symbol *symbol; /* NULL: no code is known there */
	struct span address, time; /* where and when the result is the same */
	bool never; /* no code was ever known there, at any time */
	uint64_t shift; /* for unwinding: the place in its unwind information less the address */
	uint32_t number; /* internal */
};

struct symbolizer {
	void *ctx;
	unsigned wanted; /* enum sym_wanted */

	/*
	 * Returns the symbols of an object file, by offset into it, or NULL if there are none.  A
	 * file that is not the recorded one is never used, unless the user asked for it.
	 */
	const struct symtab *(*object)(void *ctx, const struct sym_object *o);

	/*
	 * Returns the unwind information of an object file, by offset into it.  Returns NULL if the
	 * file is not available or is from another build, and then sets *no_file, or if the file
	 * has no unwind information.
	 */
	const struct cfi *(*unwind)(void *ctx, const struct sym_object *o, bool *no_file);

	/*
	 * Returns the symbols of the kernel and its modules, by address, or NULL if there are none.
	 */
	const struct symtab *(*kernel)(void *ctx, const struct sym_kernel *k);

	/*
	 * Returns the symbols in the map file of a process's JIT compiler, by address, or NULL.
	 */
	const struct symtab *(*jit)(void *ctx, const struct sym_process *p);

	/*
	 * Returns the symbols that the file has had since the last call of jit or jit_later, or
	 * NULL if there are none.  They come before those of earlier calls.  A compiler adds code
	 * while the program runs, and a recording may be decoded at the same time.  May be NULL.
	 */
	const struct symtab *(*jit_later)(void *ctx, const struct sym_process *p);

	/*
	 * Returns the code of a jitdump, or NULL if the file is not used.  It lives as long as the
	 * symbolizer.
	 */
	struct jitdump *(*dump)(void *ctx, const struct sym_dump *d);

	/*
	 * Does the same for a file that dump has been called for, and may have grown since.  What
	 * was found in the earlier result remains valid.  May be NULL.
	 */
	struct jitdump *(*dump_later)(void *ctx, const struct sym_dump *d);

	/* Finds the code of a jitdump at an address at one point in time. */
	void (
	    *code)(const struct jitdump *d, uint64_t address, uint64_t time, struct sym_code *out);

	/* Finds the line of source at an address in code that was found; false: unknown. */
	bool (*code_line)(const struct jitdump *d, const struct sym_code *code, uint64_t address,
	    struct sym_line *out);

	/* Returns the unwind information of code that was found, or NULL if there is none. */
	const struct cfi *(*code_unwind)(const struct jitdump *d, const struct sym_code *code);

	/*
	 * About the last call of object, kernel or jit.  guessed returns true if the symbols are
	 * those of a file that is not known to be the recorded one (--force).  unnamed adds to the
	 * number of samples that have no name for lack of symbols.  Either may be NULL.
	 */
	bool (*guessed)(void *ctx);
	void (*unnamed)(void *ctx, uint64_t samples);

	/*
	 * Returns the name of a symbol of an object file as its source spells it, or else the
	 * symbol's own name.  It lives as long as the symbolizer.  p is NULL if memory runs out.
	 * If the function is missing, names are printed as they are.
	 */
	struct slice (*name)(void *ctx, const struct symbol *s);

	/*
	 * Returns the functions at a place of an object file, innermost first: inlined ones, then
	 * the function itself.  *count is 0 if nothing is known.  The result is valid until the
	 * next call, and its texts live as long as the symbolizer.  Needed only if wanted is not 0.
	 */
	const struct sym_line *(
	    *lines)(void *ctx, const struct sym_object *o, uint64_t place, size_t *count);
};

/* ---- symbolizer.c: the texts that describe a place, as elements of lists */

/* Each text is stored once and lives until sym_texts_free.  { 0 } is valid and empty. */
struct sym_texts {
	struct tab spelled;
	struct buf scratch;
};

void sym_texts_free(struct sym_texts *t);

/*
 * Returns a name as an element of a list: the name itself, or an escaped copy.  p is NULL if memory
 * runs out.
 */
struct slice sym_spell(struct sym_texts *t, struct slice name);

/* Elements are separated by ';', outermost first. */
struct sym_place {
	struct slice functions; /* the function and the functions inlined in it */
	struct slice leaf; /* the last of them */
	struct slice lines; /* FILE:LINE for each of them, or "?"; empty unless wanted */
	struct slice line; /* the last of these; empty if it is unknown */
	bool inlined; /* leaf is an inlined function, so symbol does not have that name */
};

/*
 * Describes a place of a function.  If s is NULL, names are as in the files.  o is the object file,
 * or NULL if the function is not in a file.
 * Returns false if memory runs out.
 */
bool sym_describe(const struct symbolizer *s, struct sym_texts *t, const struct sym_object *o,
    const struct symbol *symbol, uint64_t place, struct sym_place *out)
    __attribute__((warn_unused_result));

/*
 * Adds the line of code that is not in a file to the description of its place.  l is NULL if the
 * line is not known.  Returns false if memory runs out.
 */
bool sym_describe_line(struct sym_texts *t, const struct sym_line *l, struct sym_place *out)
    __attribute__((warn_unused_result));

#endif
