/* SPDX-License-Identifier: ISC */
/*
 * dso.h - the objects that addresses lie in: files, the kernel, JIT memory.
 */
#ifndef AFPIPE_PERFDATA_DSO_H
#define AFPIPE_PERFDATA_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"
#include "lib/tab.h"

#define BUILD_ID_MAX 20

enum dso_kind {
	DSO_FILE, /* addresses are offsets into it */
	DSO_KERNEL, /* the kernel or a module: plain addresses, one table of symbols for all */
	DSO_JIT, /* anonymous executable memory: plain addresses, /tmp/perf-PID.map */
	DSO_BPF, /* one kernel symbol that the recording itself gives */
	DSO_BARE, /* memory without symbols: stacks, heaps; plain addresses */
};

/* Its spellings, in one block of memory. */
struct dso_texts {
	struct slice tag; /* "\tdso=" and the path, escaped */
	struct slice region; /* "[name]" for places without a symbol, escaped as a column */
	struct slice bracket; /* "[name]" for frames without a symbol, escaped as an element */
	char bytes[];
};

/* ":PATH[@BUILDID]+" */
struct dso_place {
	size_t len;
	char text[];
};

/* There may be millions, of which few are ever looked up. */
struct dso {
	uint8_t kind; /* enum dso_kind */
	uint8_t build_id_len; /* 0: unknown */
	bool unclear; /* the file's own list has several build ids for the path */
	bool loaded; /* its symbols have been requested */
	uint32_t pid; /* of DSO_JIT; for DSO_BPF it distinguishes equal names */
	struct slice path; /* raw; owned by the table */
	const struct symtab *symbols;
	struct symtab *own; /* of DSO_BPF */
	struct dso *under; /* of DSO_BPF: the kernel's range under it, back when it goes, or NULL */
	struct dso_texts *texts; /* NULL until requested */
	struct dso_place *place; /* NULL until requested */
	unsigned char build_id[BUILD_ID_MAX];
};

struct dsos {
	struct tab key; /* kind, what distinguishes equal paths (pid, build id), and path */
	struct buf scratch;
	struct dso **item; /* by number in key */
	size_t cap;
	struct tab named; /* paths with a build id from the file's own list */
	unsigned char (*id)[BUILD_ID_MAX + 1]; /* by number in named: length or UNCLEAR, the id */
	size_t idcap;
	const struct symbolizer *symbolizer; /* NULL: no symbols */
	struct dso *kernel; /* the kernel itself, once it is mapped */
	const char *ref_name; /* the kernel's reference symbol, NULL if the recording has none */
	char ref_buf[16];
	uint64_t ref_addr;
	struct slice release; /* of the kernel; borrowed */
	const char *kallsyms; /* a file with its symbols, or NULL; borrowed */
};

/* { .symbolizer = ... } is a valid empty table. */
void dsos_free(struct dsos *d);

/*
 * The object of that kind and path, made if it is new; it lives as long as the table.
 * NULL when there is no memory.
 */
struct dso *dsos_get(struct dsos *d, enum dso_kind kind, struct slice path, uint32_t pid);

/*
 * The same for a file, with the build id of its mapping (len 0: none): files with one path and
 * different build ids are different objects.  Without a build id it gets the one listed for the
 * path.
 */
struct dso *dsos_get_file(struct dsos *d, struct slice path, const unsigned char *id, size_t len);

/* The same for kernel code: a program that is loaded again may be longer than before. */
struct dso *dsos_get_code(struct dsos *d, struct slice name, uint64_t addr, uint64_t len);

/*
 * Takes the build id that the file's list gives for PATH.  len is at most BUILD_ID_MAX.  If the
 * list has two for one path, it is not known which file a mapping without an id means: objects of
 * that path are unclear.
 */
int dsos_set_build_id(struct dsos *d, struct slice path, const unsigned char *id, size_t len,
    struct err *e) __attribute__((warn_unused_result));

/* Gives o, which has another name (a module), the build id that the file lists for PATH. */
void dso_take_listed_build_id(const struct dsos *d, struct dso *o, struct slice path);

/* Sets the build id from a mapping of the kernel or a module, unless one is already known. */
void dso_set_build_id(struct dso *o, const unsigned char *id, size_t len);

/* Makes the texts of an object without them.  False when there is no memory. */
bool dso_make_texts(struct dso *o);

/*
 * ":PATH@BUILDID+", the text between mode and offset in an element of frames; PATH is escaped.
 * Valid until o's build id is set.  Empty when there is no memory.
 */
struct slice dso_place_new(struct dso *o);

static inline struct slice
dso_place(struct dso *o)
{
	return o->place != NULL ? (struct slice){ o->place->text, o->place->len }
				: dso_place_new(o);
}

/* Makes o, of kind DSO_BPF and not yet loaded, the one symbol [start, start+len). */
int dso_set_symbol(struct dso *o, uint64_t start, uint64_t len, struct slice name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The symbol at ADDR (whose meaning depends on kind), or NULL; *span is the range around it with
 * the same result.  The first call loads the object's symbols.
 */
const struct symbol *dso_symbol(struct dsos *d, struct dso *o, uint64_t addr, struct span *span);

#endif
