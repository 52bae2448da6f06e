/* SPDX-License-Identifier: ISC */
/*
 * state.h - what records change over time: processes and threads, what is mapped where, and the
 * objects and names that addresses belong to.
 */
#ifndef AFPIPE_PERFDATA_STATE_H
#define AFPIPE_PERFDATA_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"
#include "lib/tab.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attr.h"
#include "src/perfdata/input/input.h"

/* ---- u32tab.c: from pids and tids to values */

struct u32tab_slot {
	uint32_t key;
	void *value; /* NULL if free */
};

/* { 0 } is a valid empty table. */
struct u32tab {
	struct u32tab_slot *slot; /* open addressing */
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask: the high bits of the product are used */
	uint64_t seed;
};

#define U32TAB_MAX ((size_t)1 << 26)

/* Frees the table, not its values. */
void u32tab_free(struct u32tab *t);

/* NULL if the key is not there. */
void *u32tab_find(const struct u32tab *t, uint32_t key);

/* Adds a new key; value is not NULL.  False when there is no memory or room. */
bool u32tab_put(struct u32tab *t, uint32_t key, void *value) __attribute__((warn_unused_result));

/* Removes the key, if it is there. */
void u32tab_drop(struct u32tab *t, uint32_t key);

/* Walks all values, in no order: start with *pos = 0; NULL at the end. */
void *u32tab_next(const struct u32tab *t, size_t *pos);

/* ---- state.c: the objects that addresses lie in: files, the kernel, JIT memory */

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
	const struct buf *release; /* of the kernel, empty if not known; borrowed */
	const char *kallsyms; /* a file with its symbols, or NULL; borrowed */
};

/*
 * Takes the build id that the file's list gives for PATH.  len is at most BUILD_ID_MAX.  If the
 * list has two for one path, it is not known which file a mapping without an id means: objects of
 * that path are unclear.
 */
int dsos_set_build_id(struct dsos *d, struct slice path, const unsigned char *id, size_t len,
    struct err *e) __attribute__((warn_unused_result));

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

/* ---- maps.c: which object lies where in an address space */

/*
 * Ranges never overlap: a new one replaces what it covers of older ones.  A process and its
 * children share all that none of them has changed: a space is a tree, and a change copies
 * only the nodes on its path.  So a change takes time and memory in proportion to the
 * logarithm of the number of ranges, and sharing takes none.
 */
struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t shift; /* address + shift is the place in the object (modulo 2^64) */
	struct dso *dso;
};

/*
 * A treap: by start from left to right, no node heavier than its parent.  Weights are
 * random, so that no order of mappings makes it deep.
 */
struct map_node {
	struct map map;
	struct map_node *left, *right;
	uint32_t refs; /* from nodes above it and from spaces */
	uint32_t weight;
};

/* { 0 } is a valid empty space. */
struct maps {
	struct map_node *root;
	const struct map_node *last; /* the last one found: samples stay in one place for a while */
};

/* All spaces take their nodes from it.  { .dice = seed_make() } is a valid empty one. */
struct map_pool {
	uint64_t dice; /* the state of the random numbers */
	struct map_node *free; /* a list, linked by left */
	struct map_chunk *chunk;
};

/* Frees it together with all spaces that use its nodes. */
void map_pool_free(struct map_pool *pool);

/* A space with the same ranges. */
struct maps maps_share(const struct maps *m);
void maps_free(struct maps *m, struct map_pool *pool);

/*
 * Puts [start, end) into m.  An empty range changes nothing.  If dso is NULL the range is only
 * removed.  Without memory some older ranges of m may be missing.
 */
int maps_put(struct maps *m, const struct map *map, struct map_pool *pool, struct err *e)
    __attribute__((warn_unused_result));

/* The range that holds ADDR, or NULL; valid until the space changes. */
const struct map *maps_find(struct maps *m, uint64_t addr);

/* ---- tasks.c: processes and threads: their names and address spaces */

/*
 * The rules are those of perf (tools/perf/util/machine.c), so that names are the
 * same: a thread is found by its tid, a child takes the name of the thread that
 * forked it, "swapper" is thread 0, and a thread without a name is ":TID".
 */
/* How many exited threads are remembered, for records that come late. */
#define EXITED_MAX 1024

/* Text without spare room: there may be millions of tasks. */
struct task_text {
	uint32_t refs; /* for a name: a child shares its parent's */
	uint32_t pid; /* for the tags of a thread: the pid that they were made for */
	uint32_t len;
	char p[];
};

struct process {
	uint32_t pid;
	uint32_t threads;
	struct maps maps;
	struct task_text *text; /* "\tpcomm=..", NULL until requested */
};

struct thread {
	uint32_t tid;
	bool exited;
	struct process *process;
	struct task_text *name; /* escaped, as a column; NULL: no record gave one */
	struct task_text *text; /* "\tpid=..\ttid=..\tcomm=..", NULL until requested */
	struct idmap *counters; /* of inherited events read with this thread, by id; or NULL */
};

struct tasks {
	struct u32tab threads; /* by tid */
	struct u32tab processes; /* by pid */
	struct maps kernel;
	struct map_pool maps; /* the nodes of the maps of kernel and processes */
	struct thread *last; /* the last one found */
	struct task_text *nobody; /* the last text requested of a missing process */
	struct buf scratch;
	uint32_t exited[EXITED_MAX];
	size_t exits;
};

void tasks_init(struct tasks *t);
void tasks_free(struct tasks *t);

/* The thread, made if it is new.  NULL when there is no memory.  Valid until the next exit. */
struct thread *tasks_thread(struct tasks *t, uint32_t pid, uint32_t tid);

/* Takes a COMM, FORK or EXIT record. */
int tasks_take(struct tasks *t, const struct rec *r, bool big_endian, struct err *e)
    __attribute__((warn_unused_result));

/* Puts a mapping into the process (user) or the kernel's space. */
int tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map,
    struct err *e) __attribute__((warn_unused_result));
int tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* The room for the name of a thread without a recorded name. */
#define THREAD_NAME_ROOM 16

/* Its name, escaped as a column; it may be stored in room. */
struct slice thread_name(const struct thread *th, char room[THREAD_NAME_ROOM]);

/* The map of its counters, made if there is none yet.  NULL when there is no memory. */
struct idmap *thread_counters(struct thread *th);

/* thread_text and process_text, if they are not known yet. */
struct slice thread_text_new(struct thread *th, uint32_t pid);
struct slice process_text_new(struct tasks *t, const struct thread *th, uint32_t pid);

static inline struct slice
task_text_slice(const struct task_text *text)
{
	return (struct slice){ text->p, text->len };
}

/* The tags pid, tid and comm of a line, TAB first.  p is NULL when there is no memory. */
static inline struct slice
thread_text(struct thread *th, uint32_t pid)
{
	if (th->text != NULL && th->text->pid == pid)
		return task_text_slice(th->text);
	return thread_text_new(th, pid);
}

/*
 * The tag pcomm, TAB first: the name of the process pid, which is that of its first thread.  th is
 * the thread of the current record.  Valid until the next call.  p is NULL when there is no
 * memory.
 */
static inline struct slice
process_text(struct tasks *t, const struct thread *th, uint32_t pid)
{
	if (th->process->pid == pid && th->process->text != NULL)
		return task_text_slice(th->process->text);
	return process_text_new(t, th, pid);
}

/* ---- state.c: the names of addresses, with a cache */

/*
 * One result, valid for all places [from, to) of an object.  A place is where an address lies in
 * its object; see enum dso_kind.
 */
struct frame {
	uint64_t from, to;
	struct dso *dso; /* NULL: no mapping covers it */
	const struct symbol *symbol; /* NULL: none covers it */
	uint64_t start; /* of the symbol */
	const char *name; /* escaped as an element: the function, [dso] or [unknown] */
	uint32_t namelen;
};

struct frames;

/* ---- state.c: all of it */

/* Control groups: the paths that records have given. */
struct cgroups {
	struct idmap number; /* by id: the number of the path, kept as the entry's event */
	struct tab path; /* escaped */
	struct buf scratch;
};

struct state {
	struct tasks tasks;
	struct dsos dsos;
	struct frames *frames;
	struct cgroups cgroups;
};

/*
 * Everything is borrowed: symbolizer (NULL: no symbols), kallsyms (a file of the kernel's symbols;
 * NULL: none) and release (the kernel's, read when its symbols are).  ERR_SYS without memory.
 */
int state_open(struct state *s, struct evwrite *w, const struct symbolizer *symbolizer,
    const char *kallsyms, const struct buf *release, struct err *e)
    __attribute__((warn_unused_result));
void state_free(struct state *s);

/* Applies what a record changes in maps and names; nothing, and 0, for other types. */
int state_update(struct state *s, const struct rec *r, bool big_endian, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The frame at ip for thread th in that mode; *place is the place in the object (ip itself
 * if there is none).  Never NULL; valid until the next call.
 * Hypervisor and guest addresses are unknown: their maps are not in the recording.  The
 * kernel's map ends with its text proper; code after that with a symbol (init text, entry
 * trampolines) belongs to the kernel, too.
 */
const struct frame *state_frame(struct state *s, const struct thread *th, enum cpumode mode,
    uint64_t ip, uint64_t *place);

/* The path of a control group, escaped; NULL if no record gave one. */
const struct slice *state_cgroup(const struct state *s, uint64_t id);

#endif
