/* SPDX-License-Identifier: ISC */
/*
 * state.h - the state that records change over time: processes and threads, their mappings, and the
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
#include "lib/hint.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"
#include "lib/tab.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attr.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/options.h"
#include "src/unwind/unwind.h"

/* ---- u32tab.c: maps pids and tids to values */

struct u32tab_slot {
	uint32_t key;
	void *value; /* NULL if the slot is free */
};

/* { 0 } is a valid empty table. */
struct u32tab {
	struct u32tab_slot *slot; /* open addressing */
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask, since the high bits of the product are used */
	uint64_t seed;
};

#define U32TAB_MAX ((size_t)1 << 26)

/* Frees the table, not its values. */
void u32tab_free(struct u32tab *t);

/* Returns NULL if the key is not there. */
void *u32tab_find(const struct u32tab *t, uint32_t key);

/* Adds a new key.  value is not NULL.  Returns false if memory runs out or the table is full. */
bool u32tab_put(struct u32tab *t, uint32_t key, void *value) __attribute__((warn_unused_result));

/* Removes the key, if it is there. */
void u32tab_drop(struct u32tab *t, uint32_t key);

/* Walks all values in no particular order.  Start with *pos = 0.  Returns NULL at the end. */
void *u32tab_next(const struct u32tab *t, size_t *pos);

/* ---- listed.c: the symbols that the recording itself has (simpleperf) */

/* { 0 } is valid and empty. */
struct listed {
	struct tab path; /* of the objects */
	struct symtab **table; /* by number in path */
	size_t cap;
};

void listed_free(struct listed *l);

/*
 * Takes t, the finished table of the object at that path, by place in it.  The first table of each
 * path is kept, since a pipe may repeat it.
 */
int listed_put(struct listed *l, struct slice path, struct symtab *t, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the table of a path, or NULL. */
const struct symtab *listed_find(const struct listed *l, struct slice path);

/* ---- state.c: the objects that addresses belong to: files, the kernel, JIT memory */

#define BUILD_ID_MAX 20

enum dso_kind {
	DSO_FILE, /* addresses are offsets into it */
	DSO_KERNEL, /* the kernel or a module: plain addresses, one table of symbols for all */
	/* executable memory without a file: plain addresses, symbols in jitdumps or perf-PID.map */
	DSO_JIT,
	DSO_BPF, /* one kernel symbol, given by the recording itself */
	DSO_BARE, /* memory without symbols: stacks, heaps; plain addresses */
};

/* The spellings of an object, in one block of memory. */
struct dso_texts {
	/* "\tdso=" and the path, escaped, and "\tforced=1" if guessed; for short_copy_blocks */
	struct slice tag;
	struct slice region; /* "[name]" for addresses without a symbol, escaped as a column */
	struct slice bracket; /* "[name]" for frames without a symbol, escaped as an element */
	char bytes[];
};

/* ":PATH[@BUILDID]+" */
struct dso_place {
	size_t len;
	char text[];
};

/* The symbols that a JIT compiler has added to its map since it was first read. */
struct dso_later {
	const struct symtab **tab; /* the newest last */
	size_t n, cap;
	uint64_t due; /* the time from which the map may be looked at again */
};

/* There may be millions of these, and few are ever looked up. */
struct dso {
	uint8_t kind; /* enum dso_kind */
	uint8_t build_id_len; /* 0: unknown */
	bool unclear; /* the recording's list has several build ids for the path */
	bool loaded; /* its symbols have been requested */
	bool guessed; /* its symbols are those of a file that is not known to be the recorded one */
	/* for DSO_FILE the first process that mapped it, for DSO_JIT the process, else 0 */
	uint32_t pid;
	struct slice path; /* raw; owned by the table */
	bool unwind_sought; /* its unwind information has been requested */
	bool dumped; /* for DSO_JIT: the process has a jitdump */
	bool no_file; /* it has no unwind information because its file is not available */
	const struct cfi *cfi; /* its unwind information; NULL: none */
	uint64_t unnamed; /* the number of samples in it that have no symbol */
	const struct symtab *symbols;
	struct dso_later *later; /* for DSO_JIT: what its map has had later; NULL at first */
	const struct symtab *listed; /* those in the recording itself, which come first; or NULL */
	struct symtab *own; /* for DSO_BPF */
	struct dso *under; /* for DSO_BPF: the kernel's range under it, to be restored; or NULL */
	struct dso_texts *texts; /* NULL until requested */
	struct dso_place *place; /* NULL until requested, and always for DSO_JIT */
	unsigned char build_id[BUILD_ID_MAX];
	struct sym_file file; /* for DSO_FILE whose mapping has no build id; else all 0 */
};

/* Where the recording is from.  All pointers are borrowed; what they point to may still change. */
struct state_origin {
	const char *kallsyms; /* a file with the kernel's symbols, or NULL */
	const struct buf *release; /* of the kernel, empty if not known */
	const struct buf *host; /* the machine's name, empty if not known */
	uint64_t end; /* no sample is newer: nanoseconds since the epoch; 0: unknown */
};

struct dsos {
	struct tab key; /* kind, pid or build id if it distinguishes equal paths, and path */
	struct buf scratch;
	struct dso **item; /* by number in key */
	size_t cap;
	struct tab named; /* paths with a build id from the recording's list */
	unsigned char (*id)[BUILD_ID_MAX + 1]; /* by number in named: length or UNCLEAR, id */
	size_t idcap;
	struct listed listed;
	const struct symbolizer *symbolizer; /* NULL: no symbols */
	const struct symbolizer *speller; /* NULL: names are printed as they are */
	const struct symbolizer *unwinder; /* NULL: no unwind information */
	struct dso *kernel; /* the kernel itself, once it has been mapped */
	uint32_t changes; /* the number of changes to these facts and to JIT maps, from 1 */
	const char *ref_name; /* the kernel's reference symbol, NULL if the recording has none */
	char ref_buf[16];
	uint64_t ref_addr;
	struct state_origin origin;
	struct sym_origin machine; /* the same for the symbolizer, while it looks */
};

/*
 * Stores the build id that the recording's list gives for PATH.  len is at most BUILD_ID_MAX.  If
 * the list has two ids for one path, it is not known which file a mapping without an id means, and
 * objects with that path are unclear.
 */
int dsos_set_build_id(struct dsos *d, struct slice path, const unsigned char *id, size_t len,
    struct err *e) __attribute__((warn_unused_result));

/* Returns where the recording is from, as the symbolizer expects it. */
const struct sym_origin *dsos_origin(struct dsos *d);

/* ---- maps.c: the objects in an address space, by address */

/*
 * Ranges never overlap: a new one replaces the parts of older ones that it covers.  A process and
 * its children share everything that none of them has changed: a space is a tree, and a change
 * copies only the nodes on its path.  So a change takes time and memory in proportion to the
 * logarithm of the number of ranges, and sharing takes none.
 */
struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t shift; /* address + shift is the place in the object (modulo 2^64) */
	struct dso *dso;
};

/*
 * A node of a treap: ordered by start from left to right, and no node is heavier than its parent.
 * Weights are random, so that no order of mappings makes the tree deep.
 */
struct map_node {
	struct map map;
	struct map_node *left, *right;
	uint32_t refs; /* references from nodes above it and from spaces */
	uint32_t weight;
};

/* { 0 } is a valid empty space. */
struct maps {
	struct map_node *root;
	/* the last ones found, or NULL: samples often stay in one place, stacks in two objects */
	const struct map_node *last, *other;
	uint64_t version; /* differs from that of any space with other ranges */
};

/*
 * A pool from which the nodes of all spaces are allocated.  { .dice = seed_make() } is a valid
 * empty pool.
 */
struct map_pool {
	uint64_t dice; /* the state of the random number generator */
	struct map_node *free; /* a list, linked by left */
	uint64_t versions; /* the last version of a space */
	struct map_chunk *chunk;
};

static inline bool
map_node_has(const struct map_node *n, uint64_t addr)
{
	return n != NULL && addr >= n->map.start && addr < n->map.end;
}

/* Frees the pool together with all spaces that use its nodes. */
void map_pool_free(struct map_pool *pool);

/* Returns a space with the same ranges. */
struct maps maps_share(const struct maps *m);
void maps_free(struct maps *m, struct map_pool *pool);

/*
 * Adds [start, end) to m.  An empty range changes nothing.  If dso is NULL, the range is only
 * removed.  If memory runs out, some older ranges of m may be lost.
 */
int maps_put(struct maps *m, const struct map *map, struct map_pool *pool, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the range with ADDR, which has an object, or NULL.  Valid until the space changes. */
const struct map *maps_find(struct maps *m, uint64_t addr);

/* ---- tasks.c: processes and threads, with their names and address spaces */

/*
 * The rules are perf's (tools/perf/util/machine.c), so that the names are the same.  A thread is
 * found by its tid, and a child gets the name of the thread that forked it.  Thread 0 is "swapper",
 * and a thread without a name is ":TID".
 */
/* The number of exited threads that are remembered, for records that come late. */
#define EXITED_MAX 1024

/* The number of threads that are found without a hash table. */
#define RECENT_THREADS 64

/* A text without spare capacity, since there may be millions of tasks. */
struct task_text {
	union {
		uint32_t refs; /* of a name, which a child shares with its parent */
		uint32_t serial; /* of the tags of a thread; see thread_text */
	};
	uint32_t pid; /* for the tags of a thread: the pid that they were made for */
	uint32_t len;
	char p[];
};

/* A file in which a process's JIT compiler lists its code. */
struct process_dump {
	struct process_dump *next; /* an older one, or NULL */
	struct slice path; /* raw; the table of objects owns it */
	uint32_t pid; /* the process that mapped it: this one, or one that forked it */
	uint64_t inode; /* 0: unknown */
	bool own; /* it was recorded as it happened; else the mapping may be its parent's */
	uint64_t until; /* the time of that fork: later code is not in this process */
	bool sought; /* its code has been requested */
	uint64_t due, step; /* if so, the time from which the file may be looked at again */
	struct jitdump *code; /* NULL: none */
};

#define PROCESS_DUMPS_MAX 16 /* more are ignored; a process has one */

struct process {
	uint32_t pid;
	uint32_t threads;
	struct maps maps;
	/* the highest file that its program has mapped; path.p is NULL if it has mapped none */
	struct {
		uint64_t address;
		struct slice path;
	} file;
	struct process_dump *dumps; /* newest first; or NULL */
	uint64_t dumps_serial; /* identifies this list among those of all processes; 0: empty */
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
	uint64_t dumps_serial; /* the last one given to a process */
	struct thread
	    *recent[RECENT_THREADS]; /* found lately, by the low bits of the tid; or NULL */
	uint32_t texts; /* the last serial of the tags of a thread */
	struct task_text *nobody; /* the last text requested for a missing process */
	struct buf scratch;
	uint32_t exited[EXITED_MAX];
	size_t exits;
};

void tasks_init(struct tasks *t);
void tasks_free(struct tasks *t);

/* Returns true if the process is known to have that thread. */
bool tasks_has(const struct tasks *t, uint32_t pid, uint32_t tid);

/*
 * Returns the thread, creating it if necessary, or NULL if memory runs out.  Valid until the next
 * exit.
 */
struct thread *tasks_thread_other(struct tasks *t, uint32_t pid, uint32_t tid);

static inline struct thread *
tasks_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct thread *th = t->recent[tid % RECENT_THREADS];

	return th != NULL && th->tid == tid ? th : tasks_thread_other(t, pid, tid);
}

/* Handles a COMM, FORK or EXIT record of that time. */
int tasks_take(struct tasks *t, const struct rec *r, uint64_t time, bool big_endian, struct err *e)
    __attribute__((warn_unused_result));

/* Add a mapping to the process (user) or to the kernel's space. */
int tasks_map_user(struct tasks *t, uint32_t pid, uint32_t tid, const struct map *map,
    struct err *e) __attribute__((warn_unused_result));
int tasks_map_kernel(struct tasks *t, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the process, or NULL if it is not known. */
struct process *tasks_process(const struct tasks *t, uint32_t pid);

/* Adds a jitdump that the process has mapped, unless it has it already.  dump->path must last. */
int tasks_add_dump(struct tasks *t, struct process *p, const struct process_dump *dump,
    struct err *e) __attribute__((warn_unused_result));

/* The space needed for the name of a thread without a recorded name. */
#define THREAD_NAME_ROOM 16

/* Returns the thread's name, escaped as a column.  It may be stored in room. */
struct slice thread_name(const struct thread *th, char room[THREAD_NAME_ROOM]);
/* Does the same for the thread with that tid, which may be unknown. */
struct slice tasks_name(const struct tasks *t, uint32_t tid, char room[THREAD_NAME_ROOM]);

/*
 * Returns the map of the thread's counters, creating it if necessary, or NULL if memory runs out.
 */
struct idmap *thread_counters(struct thread *th);

/* Make the texts for thread_text and process_text that are not known yet. */
struct task_text *thread_text_new(struct tasks *t, struct thread *th, uint32_t pid);
struct slice process_text_new(struct tasks *t, const struct thread *th, uint32_t pid);

static inline struct slice
task_text_slice(const struct task_text *text)
{
	return (struct slice){ text->p, text->len };
}

/*
 * Returns the tags pid, tid and comm of a line, TAB first, or NULL if memory runs out.  No other
 * text has the same serial, unless that is 0.
 */
static inline const struct task_text *
thread_text(struct tasks *t, struct thread *th, uint32_t pid)
{
	if (th->text != NULL && th->text->pid == pid)
		return th->text;
	return thread_text_new(t, th, pid);
}

/*
 * Returns the tag pcomm, TAB first: the name of the process pid, which is that of its first thread.
 * th is the thread of the current record.  Valid until the next call.  p is NULL if memory runs
 * out.
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
 * One result, valid for all places [from, to) of an object.  A place is the position of an address
 * in its object; see enum dso_kind.
 */
#define FRAME_REGION 62
struct frame {
	uint64_t from, to;
	struct dso *dso; /* NULL: the address is not mapped */
	const char *name; /* escaped as an element: the function, [dso] or [unknown] */
	uint32_t namelen; /* with detail, the name may have several elements, separated by ';' */
	uint32_t room; /* for the texts of a sample in it: region, object, line */
	const struct symbol *symbol; /* NULL: there is no symbol for it */
	uint64_t start; /* start of the symbol */
	const struct sym_place *detail; /* inlined functions, lines; NULL: not wanted or none */
	bool escaped; /* the last element of the name has escapes */
	uint8_t region_len; /* 0: use frame_put_region, since it is longer than FRAME_REGION */
	char region[FRAME_REGION];
};

/* The size of neighbourhoods, the number of those in the index, and in a line of it. */
#define FRAME_NEAR_BITS 6
#define FRAME_INDEX_BITS 16
#define FRAME_LINE_BITS 5

/* Returns a number of that many bits for a place, or for a neighbourhood. */
static inline size_t
frame_slot(const struct dso *dso, uint64_t place, unsigned bits)
{
	uint64_t key = place ^ (uint64_t)(uintptr_t)dso << 20;

	return (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/*
 * Returns the place in the index of the neighbourhood of a place.  Neighbourhoods that are next to
 * each other share a line of the processor's cache.
 */
static inline size_t
frame_near(const struct dso *dso, uint64_t place)
{
	size_t line = frame_slot(dso, place >> (FRAME_NEAR_BITS + FRAME_LINE_BITS),
	    FRAME_INDEX_BITS - FRAME_LINE_BITS);

	return line << FRAME_LINE_BITS |
	    (size_t)(place >> FRAME_NEAR_BITS & ((1u << FRAME_LINE_BITS) - 1));
}

static inline bool
frame_has(const struct frame *f, const struct dso *dso, uint64_t place)
{
	return f->dso == dso && place >= f->from && place < f->to;
}

/* Writes the region: the last function, or the object.  It may be as long as the name. */
char *frame_put_region(char *p, const struct frame *f);

struct frames;

/* ---- state.c: the whole state */

/* Control groups: the paths given by records. */
struct cgroups {
	struct idmap number; /* by id: the number of the path, kept as the entry's event */
	struct tab path; /* escaped */
	struct buf scratch;
};

/* The sample whose addresses are looked up.  The code at an address may depend on it. */
struct moment {
	struct process *process;
	uint64_t time; /* 0 if it has none */
};

struct state {
	struct moment now; /* set it before state_frame and state_unwind_object are called */
	/*
	 * The times at which the frames are the same that state_frame has returned.  It becomes
	 * shorter with each call; set it before the first one.
	 */
	struct span same;
	struct tasks tasks;
	struct dsos dsos;
	struct frames *frames;
	const struct frame *table; /* parts of frames, for state_frame; NULL if there are details */
	const uint16_t *near;
	unsigned wanted; /* enum sym_wanted; if not 0, return addresses are to be told apart */
	struct jitted *jitted; /* the cache for JIT memory; NULL until there is any */
	struct cgroups cgroups;
	struct evwrite *w; /* its error is set if memory runs out */
	struct events *events; /* borrowed */
	uint64_t unread; /* processes whose mappings perf record did not read to the end */
	/* how the processor's clock relates to perf's, see struct sym_clock; 0: unknown */
	uint64_t clock_shift, clock_mult, clock_zero;
};

/*
 * opt (its symbolizer and unwinder are used), events and what origin points to are borrowed.
 * Returns ERR_SYS if memory runs out.
 */
int state_open(struct state *s, struct evwrite *w, const struct perf_options *opt,
    struct events *events, const struct state_origin *origin, struct err *e)
    __attribute__((warn_unused_result));
void state_free(struct state *s);

/* Passes the number of samples in objects without symbols to the symbolizer. */
void state_report_unnamed(struct state *s);

/*
 * Applies a record to maps and names.  For types that change neither, does nothing and returns 0.
 */
int state_update(struct state *s, const struct rec *r, bool big_endian, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes the relation of clocks from a TIME_CONV record whose fields have been checked.  Returns
 * ERR_DATA if its shift is not that of a number of 64 bits; the relation known before then stays.
 */
int state_take_clock(struct state *s, const struct rec *r, bool big_endian, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns the frame at ip for thread th in that mode.  *place is the place in the object, or ip
 * itself if there is none.  The result is never NULL and is valid until the next call.  Hypervisor
 * and guest addresses are unknown, since their maps are not in the recording.  The kernel's map
 * ends with its text proper; code after that with a symbol (init text, entry trampolines) belongs
 * to the kernel, too.
 */
const struct frame *state_frame_other(struct state *s, const struct thread *th, enum cpumode mode,
    uint64_t ip, uint64_t *place);

/* Most addresses are in the mapping of one of the previous ones, in a function that is known. */
static HINT_INLINE const struct frame *
state_frame(struct state *s, const struct thread *th, enum cpumode mode, uint64_t ip,
    uint64_t *place)
{
	const struct maps *maps = mode == MODE_KERNEL ? &s->tasks.kernel : &th->process->maps;
	const struct map_node *n = maps->last;
	const struct frame *f;

	if (!map_node_has(n, ip))
		n = maps->other;
	if (map_node_has(n, ip) && s->table != NULL && (mode == MODE_KERNEL || mode == MODE_USER)) {
		*place = ip + n->map.shift;
		f = &s->table[s->near[frame_near(n->map.dso, *place)]];
		if (frame_has(f, n->map.dso, *place))
			return f;
	}
	return state_frame_other(s, th, mode, ip, place);
}

/*
 * Everything besides the time that the frames of a process depend on.  As long as it is the same,
 * state_frame returns the same names.
 */
struct state_stamp {
	uint64_t user, kernel; /* the versions of their spaces */
	uint64_t dumps; /* the serial of the list of dumps */
	uint64_t changes; /* the number of changes to the kernel's facts and to JIT maps */
};

static inline struct state_stamp
state_stamp(const struct state *s, const struct process *p)
{
	return (struct state_stamp){ p->maps.version, s->tasks.kernel.version, p->dumps_serial,
		s->dsos.changes };
}

/*
 * Does the same for a return address.  It belongs to the function at ip, as in perf, but inlined
 * functions and lines are those of the call before it.
 */
const struct frame *state_caller(struct state *s, const struct thread *th, enum cpumode mode,
    uint64_t ip, uint64_t *place);

/*
 * Fills *o with the information that unwinding needs about an address in th's process.  Returns the
 * object at that address, or NULL if nothing is mapped there.
 */
const struct dso *state_unwind_object(struct state *s, const struct thread *th, uint64_t ip,
    struct unwind_object *o);

/* ---- jitted.c: the clock of the recording, for comparing its times with those of jitdumps */

struct sym_clock state_clock(const struct state *s);

/* ---- state.c: places */

/* Makes the text for state_place. */
struct slice state_place_new(struct state *s, struct dso *o);

/*
 * Returns ":PATH@BUILDID+" for the object of a frame that state_frame has returned, the text
 * between mode and offset in an element of frames.  For JIT memory of a process with a jitdump PATH
 * is that of the dump.  PATH is escaped.  It is valid until the next call, and empty if memory runs
 * out.
 */
static inline struct slice
state_place(struct state *s, struct dso *o)
{
	return o->place != NULL ? (struct slice){ o->place->text, o->place->len }
				: state_place_new(s, o);
}

/* Returns the path of a control group, escaped, or NULL if no record gave one. */
const struct slice *state_cgroup(const struct state *s, uint64_t id);

/* ---- jitted.c: the code in JIT memory, for state.c */

/* A result for an address in JIT memory, valid for a process and a span of time. */
struct jitted {
	uint64_t serial; /* of the process's list of dumps */
	struct dso *dso; /* NULL if the slot is free */
	struct sym_code code;
	struct jitdump *dump; /* the one that lists the code, or NULL */
	bool named; /* the frame is known, for its range of addresses */
	uint32_t changes; /* then: dsos.changes at that time */
	struct frame frame;
	struct sym_place detail; /* if lines are wanted, for the frame's only address */
};

/*
 * Returns the code that the jitdumps of the current sample's process list at ip, an address in JIT
 * memory, at its time.  Valid until the next call.  Returns NULL if memory runs out; the writer
 * then has the error.
 */
struct jitted *jitted_at(struct state *s, struct dso *dso, uint64_t ip);

/* Returns the time for which results are valid: until a dump may be looked at again. */
struct span jitted_until_due(const struct state *s);

/* Requests the symbols of the JIT map of the object's process. */
void jitted_load(struct state *s, struct dso *o);

/*
 * Finds an address in the JIT map, and stores the range with the same result.  Code without a name
 * may be listed later, so the map is read on if it is due.  Returns NULL if it is not listed.
 */
const struct symbol *jitted_listed(struct state *s, struct dso *o, uint64_t ip, struct span *span);

/* Returns the time from which code that is not listed may be, or UINT64_MAX if it will not be. */
uint64_t jitted_due(const struct state *s, const struct dso *o);
/* Returns true if that time has come.  A sample may have the time UINT64_MAX, too. */
bool jitted_is_due(const struct state *s, const struct dso *o);

/* Finds out how to unwind code in JIT memory.  Code that nothing lists is not known. */
void jitted_unwind(struct state *s, struct dso *dso, uint64_t ip, struct unwind_object *o);

#endif
