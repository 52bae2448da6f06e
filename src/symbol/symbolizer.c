/* SPDX-License-Identifier: ISC */
/* symbolizer.c - symbols for a decoder, from files, kernels and JIT maps. */
#include "src/symbol/symbolizer.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/file.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/symbolizer.h"
#include "lib/symtab.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "src/symbol/demangle.h"
#include "src/symbol/elf.h"
#include "src/symbol/jitdump.h"
#include "src/symbol/lists.h"
#include "src/symbol/places.h"
#include "src/symbol/process.h"
#include "src/symbol/source.h"

/* ---- objects */

/*
 * The files with the parts of an object.  The first file with a .symtab gives the names.  The first
 * one whose code is there gives the layout, and has the names in .dynsym and the PLT.
 */
struct parts {
	struct elf_file *syms, *runtime; /* may be the same file */
};

/* Uses f for the parts that are still needed, or closes it if it has none of them. */
static void
use(struct parts *p, struct elf_file *f)
{
	bool used = false;

	if (p->syms == NULL && elf_file_has_symtab(f)) {
		p->syms = f;
		used = true;
	}
	if (p->runtime == NULL && !elf_file_is_hollow(f)) {
		p->runtime = f;
		used = true;
	}
	if (!used)
		elf_file_close(f);
	else if (p->syms == NULL || p->runtime == NULL)
		elf_file_rest(f);
}

static void
close_parts(struct parts *p)
{
	elf_file_close(p->syms);
	if (p->runtime != p->syms)
		elf_file_close(p->runtime);
}

static int
collect(struct search *s, struct parts *p, struct err *e)
{
	struct elf_file *f;

	while ((p->syms == NULL || p->runtime == NULL) && (f = search_next(s)) != NULL)
		use(p, f);
	if (s->failed || (p->syms == NULL && p->runtime == NULL)) {
		*e = s->why;
		return e->code;
	}
	if (p->runtime == NULL)
		return err_data(e,
		    "only its debug file was found, which does not show where its code is");
	if (p->syms == NULL)
		p->syms = p->runtime;
	return 0;
}

static int
load(const struct parts *p, struct symtab **out, struct err *e)
{
	struct symtab *t = symtab_new();
	int rc;

	if (t == NULL)
		return err_nomem(e);
	rc = elf_symbols(p->syms, p->runtime, t, e);
	if (rc != 0) {
		symtab_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

/*
 * Makes a finished table of the object's symbols; *exported is set if they are only those that it
 * exports.  Returns ERR_DATA if no file matches, and the
 * message gives the reason for the file at the object's own path.  Returns ERR_SYS if that file is
 * not available (file_is_away), or if the system failed at any of the places.
 */
static int
find_symbols(struct search *s, struct symtab **out, bool *exported, struct err *e)
{
	struct parts p = { NULL, NULL };
	int rc = collect(s, &p, e);

	if (rc == 0) {
		*exported = !elf_file_has_symtab(p.syms);
		rc = load(&p, out, e);
	}
	close_parts(&p);
	return rc;
}

/* Adds the unwind information in the files of all places, until nothing is missing. */
static int
gather_unwind(struct search *s, struct cfi *c, unsigned *wanted, struct err *e)
{
	struct elf_file *f;
	int rc = 0;

	while (rc == 0 && *wanted != 0 && (f = search_next(s)) != NULL) {
		rc = elf_unwind_info(f, c, wanted, e);
		elf_file_close(f);
	}
	if (rc == 0 && s->failed)
		*e = s->why;
	return rc == 0 && s->failed ? e->code : rc;
}

/*
 * Collects the unwind information of the object.  Returns ERR_DATA if none was found.  *no_file is
 * set if this is because there is no file with its code.
 */
static int
find_unwind(struct search *s, struct cfi **out, bool *no_file, struct err *e)
{
	unsigned wanted = ELF_UNWIND_ALL;
	struct cfi *c = cfi_new();
	int rc = c == NULL ? err_nomem(e) : gather_unwind(s, c, &wanted, e);

	*no_file = (wanted & ELF_UNWIND_SEGMENTS) != 0;
	if (rc == 0 && (*no_file || cfi_count(c) == 0))
		rc = err_data(e,
		    *no_file ? "its file was not found" : "no unwind information in it");
	if (rc != 0) {
		cfi_free(c);
		return rc;
	}
	cfi_finish(c);
	*out = c;
	return 0;
}

#define KERNEL_NAME "[kernel.kallsyms]"

enum entry_kind { ENTRY_OBJECT, ENTRY_KERNEL, ENTRY_JIT, ENTRY_UNWIND, ENTRY_SOURCE, ENTRY_DUMP };

/* A kernel whose own code is known, and how to find its other code when that is needed. */
struct kernel {
	struct symbol_engine *engine;
	size_t entry;
	struct symtab_parts parts; /* the tables of its own code and of other code */
	struct kernel_text *text; /* the symbols of its own code */
	struct span own; /* where that is; empty once they cannot be read */
	struct symtab *others; /* the symbols of its other code; NULL: none, or not yet sought */
	bool sought;
	struct sym_kernel k; /* with its texts below */
	unsigned char id[ELF_BUILD_ID_MAX];
	char texts[];
};

/* The result for one object, kernel or process that was requested. */
struct entry {
	enum entry_kind kind;
	struct symtab *tab; /* NULL: a miss */
	struct cfi *cfi; /* for ENTRY_UNWIND; NULL: none */
	struct source *source; /* for ENTRY_SOURCE; NULL: none */
	struct jitdump *dump; /* for ENTRY_DUMP; NULL: none */
	struct kernel *kernel; /* for ENTRY_KERNEL, if tab is only for its own code; else NULL */
	bool no_file; /* it is NULL because its file is not available */
	bool failed; /* a miss because the system failed, not because a file is missing */
	bool normal; /* a JIT map or vdso that does not exist, or an object without a file */
	bool dumped; /* for ENTRY_JIT: the process has a jitdump */
	bool forced; /* found, but in a file that only --force accepts, for that reason */
	bool reported; /* another entry reports that */
	bool exported; /* for ENTRY_OBJECT: its tab has only what the object exports */
	bool damaged; /* for ENTRY_SOURCE: its debug information is */
	bool ceiling; /* if failed: because memory beyond --max-memory was needed */
	char *reason; /* the reason, or NULL if nobody needs to know */
	struct slice path; /* the path of an object; part of its key */
	struct slice build_id; /* of the object; part of its key; empty if unknown */
	uint32_t pid; /* for a JIT map, and for a jitdump the process that has mapped it */
	const struct entry *listing; /* for a JIT map that does not exist: the jitdump instead */
	struct perfmap_end end; /* of what has been read of it */
	struct symtab **later; /* what was read after tab */
	size_t laters, later_cap;
	size_t number; /* of the request */
	uint64_t samples; /* the number of samples that have no name because symbols are missing */
};

/* What is known of a kernel's build.  Empty: nothing. */
struct build {
	struct buf id, release;
};

struct symbol_engine {
	struct places places;
	bool force;
	int kallsyms; /* descriptor, or -1 */
	bool kallsyms_read;
	struct build listed; /* the kernel that this list has named */
	bool failed; /* memory ran out before a request was entered */
	bool mangled;
	struct buf demangled; /* scratch */
	struct tab names; /* demangled ones */
	struct source *reading; /* the one whose files may be open, or NULL */
	struct sym_line *line; /* the result of the last call of lines */
	size_t line_cap;
	unsigned wanted; /* enum sym_wanted */
	struct tab keys;
	struct entry *entry; /* by number in keys */
	size_t cap;
	size_t last; /* the number of the last one that was requested */
	struct entry **miss; /* entries to be reported, most samples first; NULL at first */
	size_t misses;
};

/* The bytes that distinguish an entry from all others.  A path within them stays where it is. */
struct key {
	enum entry_kind kind;
	struct slice path, more;
	const struct sym_object *object; /* or NULL */
	size_t id_len; /* the length of a build id, which is all of MORE; or 0 */
};

/* Appends everything besides path and build id that decides whether a file is the object's. */
static bool
put_identity(struct buf *b, const struct sym_object *o)
{
	const struct sym_origin *from = o->origin;
	char flags = (char)((o->unclear ? 1 : 0) + (from != NULL && from->past ? 2 : 0));

	if (!buf_putc(b, flags) || !buf_put(b, (const char *)&o->file, sizeof o->file))
		return false;
	return from == NULL ||
	    (buf_put(b, (const char *)&from->end, sizeof from->end) &&
		buf_put(b, from->host.p, from->host.len));
}

static bool
put_key(struct buf *b, const struct key *k)
{
	uint64_t len = k->path.len;
	char kind = (char)k->kind;

	return buf_putc(b, kind) && buf_put(b, (const char *)&len, sizeof len) &&
	    buf_put(b, k->path.p, k->path.len) && buf_put(b, k->more.p, k->more.len) &&
	    (k->object == NULL || put_identity(b, k->object));
}

/*
 * Returns the entry with that key, creating it if necessary (and then setting *fresh).  If memory
 * runs out, records that and returns NULL.
 */
static struct entry *
intern(struct symbol_engine *s, const struct key *k, bool *fresh)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;
	struct slice kept;

	/* make room first, so that a new key always has its entry */
	if (vec_room(s->entry, s->keys.count, s->cap) && put_key(&b, k))
		n = tab_add(&s->keys, buf_slice(&b), fresh);
	buf_free(&b);
	s->last = n;
	if (n == TAB_NONE) {
		s->failed = true;
		return NULL;
	}
	if (*fresh) {
		kept = s->keys.item[n];
		kept.p += 1 + sizeof(uint64_t);
		s->entry[n] = (struct entry){ .kind = k->kind,
			.path = { kept.p, k->path.len },
			.build_id = { kept.p + k->path.len, k->id_len },
			.number = n };
	}
	return &s->entry[n];
}

/* Stores the reason why nothing was found, or why the result is doubtful. */
static void
settle(struct entry *en, const struct err *e)
{
	size_t len = strlen(e->msg) + 1;

	en->failed |= places_have_failed(e) && !en->forced;
	en->ceiling = e->ceiling;
	mem_free(en->reason);
	en->reason = mem_alloc(len);
	if (en->reason != NULL)
		memcpy(en->reason, e->msg, len);
	else
		en->failed = true; /* and "out of memory" is its reason */
}

static void
jit_path(char path[JIT_PATH_MAX], uint32_t pid)
{
	(void)snprintf(path, JIT_PATH_MAX, "/tmp/perf-%" PRIu32 ".map", pid);
}

/* Returns the key of an object: its path, and its build id or the file that was mapped. */
static struct key
object_key(enum entry_kind kind, const struct sym_object *o)
{
	struct key key = { .kind = kind, .path = { o->path, o->pathlen }, .object = o };

	if (o->build_id != NULL) {
		key.more = (struct slice){ (const char *)o->build_id, o->build_id_len };
		key.id_len = o->build_id_len;
	}
	return key;
}

/*
 * Looks for the symbols or the unwind information of an object under one policy.  Returns true if
 * there is nothing more to try: something was found, a file without it fits, or the system failed.
 */
static bool
try(const struct symbol_engine *s, struct entry *en, const struct sym_object *o,
    enum places_policy policy, struct err *e)
{
	struct search find;
	int rc;

	search_begin(&find, &s->places, o, policy);
	if (en->kind == ENTRY_UNWIND)
		rc = find_unwind(&find, &en->cfi, &en->no_file, e);
	else if (en->kind == ENTRY_SOURCE)
		rc = source_open(&find, &en->source, e);
	else
		rc = find_symbols(&find, &en->tab, &en->exported, e);
	return rc == 0 || find.failed || find.found > 0;
}

/* Returns true if the other entry of the object reports that it was forced. */
static bool
is_reported(const struct symbol_engine *s, enum entry_kind kind, const struct sym_object *o)
{
	struct key key = object_key(kind == ENTRY_OBJECT ? ENTRY_UNWIND : ENTRY_OBJECT, o);
	struct buf b = { 0 };
	size_t n = put_key(&b, &key) ? tab_find(&s->keys, buf_slice(&b)) : TAB_NONE;

	buf_free(&b);
	return n != TAB_NONE && s->entry[n].forced;
}

static bool
has_result(const struct entry *en)
{
	return en->tab != NULL || en->cfi != NULL || en->source != NULL;
}

/*
 * Looks first in the files that fit.  If there are none and --force was given, uses the one at the
 * object's path.
 */
static void
look_up(struct symbol_engine *s, struct entry *en, const struct sym_object *o)
{
	struct err e, other = { 0 };
	bool done = false;

	if (o->unclear)
		err_data(&e, "the recording lists several build ids for it");
	else
		done = try(s, en, o, PLACES_CHECKED, &e);
	if (!done && s->force) {
		done = try(s, en, o, PLACES_FORCED, &other);
		en->forced = has_result(en);
		en->reported = en->forced && is_reported(s, en->kind, o);
		if (done && places_have_failed(&other))
			e = other;
	}
	if (en->forced || !has_result(en))
		settle(en, &e);
}

static const struct symtab *
object(void *ctx, const struct sym_object *o)
{
	struct symbol_engine *s = ctx;
	struct key key = object_key(ENTRY_OBJECT, o);
	struct entry *en;
	struct err e;
	bool fresh;

	if ((en = intern(s, &key, &fresh)) == NULL)
		return NULL;
	if (fresh && !places_are_there(o)) {
		err_data(&e, "not a file");
		settle(en, &e);
		en->normal = true;
	} else if (fresh) {
		look_up(s, en, o);
		en->normal = !en->failed && o->path[0] != '/';
	}
	return en->tab;
}

static const struct cfi *
unwind_info(void *ctx, const struct sym_object *o, bool *no_file)
{
	struct symbol_engine *s = ctx;
	struct key key = object_key(ENTRY_UNWIND, o);
	struct entry *en;
	bool fresh;

	*no_file = true;
	if (!places_are_there(o))
		return NULL;
	if ((en = intern(s, &key, &fresh)) == NULL)
		return NULL;
	if (fresh) {
		en->no_file = true;
		look_up(s, en, o);
	}
	*no_file = en->no_file;
	return en->cfi;
}

/* Returns a name as its source spells it.  p is NULL if memory runs out. */
static struct slice
spelled(struct symbol_engine *s, struct slice own)
{
	size_t n;

	if (s->mangled)
		return own;
	if (!demangle(&s->demangled, own))
		return (struct slice){ NULL, 0 };
	if (s->demangled.len == 0)
		return own;
	n = tab_add(&s->names, buf_slice(&s->demangled), NULL);
	return n == TAB_NONE ? (struct slice){ NULL, 0 } : s->names.item[n];
}

/* Returns the source of an object, with its files ready to be read, or NULL. */
static struct entry *
source_of(struct symbol_engine *s, const struct sym_object *o)
{
	struct key key = object_key(ENTRY_SOURCE, o);
	struct entry *en;
	bool fresh;

	if ((en = intern(s, &key, &fresh)) == NULL)
		return NULL;
	if (fresh)
		look_up(s, en, o);
	if (en->source == NULL)
		return NULL;
	if (s->reading != NULL && s->reading != en->source)
		source_rest(s->reading);
	s->reading = en->source;
	return en;
}

/* Makes room for n lines, and copies the frames with their names as the source spells them. */
static const struct sym_line *
copy_frames(struct symbol_engine *s, const struct dwarf_frame *f, size_t n)
{
	size_t i;

	if (n > s->line_cap) {
		mem_free(s->line);
		s->line = mem_alloc(n * sizeof *s->line);
		s->line_cap = s->line == NULL ? 0 : n;
	}
	for (i = 0; i < n && s->line != NULL; i++) {
		s->line[i] = (struct sym_line){ f[i].function, f[i].file, f[i].line };
		if (f[i].function.len != 0)
			s->line[i].function = spelled(s, f[i].function);
		s->failed |= f[i].function.len != 0 && s->line[i].function.p == NULL;
	}
	s->failed |= n != 0 && s->line == NULL;
	return s->line;
}

static const struct sym_line *
lines(void *ctx, const struct sym_object *o, uint64_t place, size_t *count)
{
	struct symbol_engine *s = ctx;
	struct dwarf_frame *frame;
	struct entry *en = NULL;
	const struct sym_line *l;
	struct err e;
	int rc;

	*count = 0;
	if (places_are_there(o))
		en = source_of(s, o);
	if (en == NULL)
		return NULL;
	rc = source_find(en->source, place, &frame, count, &e);
	if (rc != 0 && (en->reason == NULL || (rc == ERR_DATA && !en->damaged)))
		settle(en, &e);
	en->damaged |= rc == ERR_DATA;
	l = copy_frames(s, frame, *count);
	if (l == NULL)
		*count = 0;
	return l;
}

#define NOTES_MAX 4096 /* bytes of a kernel's notes: usually a few hundred */

static bool
is_running(struct slice release)
{
	struct utsname now;

	return release.len == 0 || (uname(&now) == 0 && slice_eq(release, slice_of(now.release)));
}

/*
 * Returns false if the running kernel is another build.  /sys/kernel/notes holds its ELF notes, one
 * of which is { 4, length, NT_GNU_BUILD_ID, "GNU", build id } in the machine's byte order.
 */
static bool
is_running_build(const struct sym_kernel *k)
{
	unsigned char notes[NOTES_MAX], note[4 * sizeof(uint32_t) + ELF_BUILD_ID_MAX];
	uint32_t head[3] = { sizeof ELF_NOTE_GNU, (uint32_t)k->build_id_len, NT_GNU_BUILD_ID };
	size_t n = sizeof head + sizeof ELF_NOTE_GNU + k->build_id_len, at;
	ssize_t got;
	int fd;

	if (k->build_id == NULL || (fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC)) < 0)
		return true;
	got = read(fd, notes, sizeof notes);
	(void)close(fd);
	memcpy(note, head, sizeof head);
	memcpy(note + sizeof head, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU);
	memcpy(note + sizeof head + sizeof ELF_NOTE_GNU, k->build_id, k->build_id_len);
	for (at = 0; got > 0 && at + n <= (size_t)got; at += sizeof(uint32_t))
		if (memcmp(notes + at, note, n) == 0)
			return true;
	return got <= 0;
}

/* Loads a list, but rejects a list that is not from the recorded boot.  Closes fd. */
static int
load_own(int fd, const struct sym_kernel *k, struct symtab **tab, struct err *e)
{
	int rc = kallsyms_load(fd, k->ref_name, k->ref_addr, KALLSYMS_REFUSE, tab, e);

	(void)close(fd);
	return rc;
}

static int
load_brought(const struct sym_kernel *k, struct symtab **tab, struct err *e)
{
	struct file_name name = { .path = k->kallsyms };
	struct stat st;
	int fd, rc = file_open(&name, &fd, &st, e);

	if (rc == ERR_SYS)
		return err_sys(e, e->errnum, "the recording's own list");
	return rc == 0 ? load_own(fd, k, tab, e) : rc;
}

static int
load_running(const struct symbol_engine *s, const struct sym_kernel *k, struct symtab **tab,
    struct err *e)
{
	int fd;

	if (s->places.symfs != NULL)
		return err_data(e, "no kallsyms file given");
	if (!is_running(k->release))
		return err_data(e,
		    "no kallsyms file given, and the running kernel has a different release");
	if (!is_running_build(k))
		return err_data(e,
		    "no kallsyms file given, and the running kernel has a different build id");
	if (k->ref_name == NULL)
		return err_data(e,
		    "no kallsyms file given, and the recording names no reference symbol");
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, errno, "/proc/kallsyms") : load_own(fd, k, tab, e);
}

/* Finds the symbols of a kernel's code that is not its own. */
static const struct symtab *
find_others(struct kernel *kernel)
{
	struct err e;

	if (!kernel->sought) {
		kernel->sought = true;
		if (load_running(kernel->engine, &kernel->k, &kernel->others, &e) != 0)
			settle(&kernel->engine->entry[kernel->entry], &e);
	}
	return kernel->others;
}

/*
 * Does so for its own code, too, from now on, because the list of that cannot be read.  The reason
 * is reported only if there is no other list.
 */
static const struct symtab *
give_up_text(struct kernel *kernel, const struct err *reason)
{
	const struct symtab *t = find_others(kernel);

	kernel->own = (struct span){ 0, 0 };
	if (t == NULL && reason->code != ERR_DATA)
		settle(&kernel->engine->entry[kernel->entry], reason);
	return t;
}

/* Finds the symbols around an address of a kernel. */
static const struct symtab *
find_part(void *ctx, uint64_t addr, struct span *span)
{
	struct kernel *kernel = ctx;
	const struct symtab *t;
	struct err e;

	if (addr < kernel->own.from || addr >= kernel->own.to) {
		if (addr < kernel->own.from)
			span->to = kernel->own.from;
		else
			span->from = kernel->own.to;
		return find_others(kernel);
	}
	if (kernel_text_find(kernel->text, addr, &t, span, &e) != 0)
		return give_up_text(kernel, &e);
	*span = span_intersection(*span, kernel->own);
	return t;
}

/* Returns NULL if memory runs out. */
static struct kernel *
kernel_new(struct symbol_engine *s, size_t entry, const struct sym_kernel *k)
{
	size_t name = strlen(k->ref_name) + 1;
	struct kernel *kernel = mem_zero(1, sizeof *kernel + name + k->release.len);

	if (kernel == NULL)
		return NULL;
	kernel->engine = s;
	kernel->entry = entry;
	kernel->parts = (struct symtab_parts){ .find = find_part, .ctx = kernel };
	kernel->k = *k;
	kernel->k.ref_name = memcpy(kernel->texts, k->ref_name, name);
	kernel->k.build_id = memcpy(kernel->id, k->build_id, k->build_id_len);
	if (k->release.len != 0)
		kernel->k.release.p = memcpy(kernel->texts + name, k->release.p, k->release.len);
	return kernel;
}

static void
kernel_free(struct kernel *kernel)
{
	if (kernel == NULL)
		return;
	kernel_text_free(kernel->text);
	symtab_free(kernel->others);
	mem_free(kernel);
}

/*
 * Loads the symbols of the kernel's own code from the list in perf's build-id cache.  They depend
 * only on its build and its address.  The list's modules may be those of another boot, since perf
 * makes it once for each build.  Returns ERR_DATA if there is no such list.
 */
static int
load_cached(struct symbol_engine *s, struct entry *en, const struct sym_kernel *k, struct err *e)
{
	char path[FILE_PATH_MAX];
	struct file_name name = { .path = path };
	struct kernel *kernel;
	struct stat st;
	int fd, rc;

	if (k->ref_name == NULL || !places_kernel_list(&s->places, k, path))
		return err_data(e, "its build id, its reference symbol or the cache is not known");
	if (file_open(&name, &fd, &st, e) != 0)
		return e->code;
	kernel = kernel_new(s, en->number, k);
	en->tab = symtab_new();
	rc = kernel == NULL || en->tab == NULL
	    ? err_nomem(e)
	    : kernel_text_open(fd, k->ref_name, k->ref_addr, &kernel->text, &kernel->own, e);
	if (rc != 0) {
		(void)close(fd);
		kernel_free(kernel);
		symtab_free(en->tab);
		en->tab = NULL;
		return rc;
	}
	en->kernel = kernel;
	symtab_set_parts(en->tab, &kernel->parts);
	return 0;
}

/* Returns true if k is known to be another kernel than b, not only another boot of it. */
static bool
is_other_build(const struct build *b, const struct sym_kernel *k)
{
	struct slice id = { (const char *)k->build_id, k->build_id_len };

	if (b->id.len != 0 && id.len != 0)
		return !slice_eq(buf_slice(&b->id), id);
	return b->release.len != 0 && k->release.len != 0 &&
	    !slice_eq(buf_slice(&b->release), k->release);
}

/*
 * Loads the list given by the user.  It can be that of one kernel only, but most symbols of another
 * one would be found in it, too, and give wrong names.  A pipe can be read only once.
 */
static int
load_given(struct symbol_engine *s, const struct sym_kernel *k, struct symtab **tab, struct err *e)
{
	int rc;

	if (is_other_build(&s->listed, k))
		return err_data(e, "--kallsyms gives one list, which is used for another kernel");
	if (s->kallsyms_read && lseek(s->kallsyms, 0, SEEK_SET) != 0)
		return err_data(e, "the kallsyms file cannot be read twice");
	s->kallsyms_read = true;
	rc = kallsyms_load(s->kallsyms, k->ref_name, k->ref_addr, KALLSYMS_RELOCATE, tab, e);
	if (rc != 0 || s->listed.id.len + s->listed.release.len != 0)
		return rc;
	if (buf_put(&s->listed.id, k->build_id, k->build_id_len) &&
	    buf_put(&s->listed.release, k->release.p, k->release.len))
		return 0;
	symtab_free(*tab);
	*tab = NULL;
	return err_nomem(e);
}

/*
 * Loads the list given by the user, else the one that came with the recording, else that in perf's
 * cache and the running kernel's, which the kernel takes long to print.
 */
static int
load_kernel(struct symbol_engine *s, struct entry *en, const struct sym_kernel *k, struct err *e)
{
	struct err other;
	int rc;

	if (s->kallsyms >= 0)
		return load_given(s, k, &en->tab, e);
	if (k->kallsyms != NULL)
		return load_brought(k, &en->tab, e);
	if (load_cached(s, en, k, &other) == 0)
		return 0;
	rc = load_running(s, k, &en->tab, e);
	if (rc == ERR_DATA && places_have_failed(&other))
		*e = other;
	return rc == 0 ? 0 : e->code;
}

static const struct symtab *
kernel(void *ctx, const struct sym_kernel *k)
{
	struct symbol_engine *s = ctx;
	uint64_t ref_addr = k->ref_name != NULL ? k->ref_addr : 0;
	struct buf text = { 0 };
	struct entry *en = NULL;
	struct key key;
	struct err e;
	bool fresh;

	if ((k->ref_name == NULL || buf_puts(&text, k->ref_name)) && buf_putc(&text, '\n') &&
	    buf_put(&text, k->release.p, k->release.len) && buf_putc(&text, '\n') &&
	    (k->kallsyms == NULL || buf_puts(&text, k->kallsyms)) && buf_putc(&text, '\n') &&
	    buf_put(&text, k->build_id, k->build_id_len)) {
		key = (struct key){ .kind = ENTRY_KERNEL,
			.path = buf_slice(&text),
			.more = { (const char *)&ref_addr, sizeof ref_addr } };
		en = intern(s, &key, &fresh);
	}
	buf_free(&text);
	if (en == NULL) {
		s->failed = true;
		return NULL;
	}
	if (fresh) {
		if (load_kernel(s, en, k, &e) != 0)
			settle(en, &e);
	}
	return en->tab;
}

/*
 * Finds the directory in which a process sees its files, if it is still running.  If the user has
 * named another root, no process here is one of the recording.
 */
static bool
find_view(const struct symbol_engine *s, const struct sym_process *p, struct process_view *view)
{
	return s->places.symfs == NULL && process_find(p, view);
}

/*
 * Finds the entry of a process's JIT map.  A process in a container writes its map inside the
 * container, under the pid that it has there.
 */
static struct entry *
jit_entry(struct symbol_engine *s, const struct sym_process *p, bool *fresh)
{
	const char here = p->origin != NULL && places_are_elsewhere(p->origin) ? 0 : 1;
	struct key key = { .kind = ENTRY_JIT,
		.path = { (const char *)&p->pid, sizeof p->pid },
		.more = { &here, sizeof here } };

	return intern(s, &key, fresh);
}

/* Reads what the map has had since it was read last, if ever. */
static int
load_jit(const struct symbol_engine *s, struct entry *en, const struct sym_process *p,
    struct symtab **out, struct err *e)
{
	char path[JIT_PATH_MAX];
	struct file_name name = { .root = s->places.symfs, .path = path };
	struct process_view view;

	if (s->places.symfs == NULL && p->origin != NULL && places_are_elsewhere(p->origin))
		return err_data(e, "the recording is from another machine");
	jit_path(path, p->pid);
	if (find_view(s, p, &view)) {
		jit_path(path, view.pid);
		name.root = view.root;
	}
	return perfmap_load(&name, &en->end, out, e);
}

/* Looks up a JIT map.  Most processes have none, so only a map that cannot be read is reported. */
static void
begin_jit(const struct symbol_engine *s, struct entry *en, const struct sym_process *p)
{
	struct err e;
	int rc;

	en->pid = p->pid;
	rc = load_jit(s, en, p, &en->tab, &e);
	if (rc != 0)
		settle(en, &e);
	en->normal = rc == ERR_SYS && (e.errnum == ENOENT || e.errnum == ENOTDIR);
}

static const struct symtab *
jit(void *ctx, const struct sym_process *p)
{
	struct symbol_engine *s = ctx;
	struct entry *en;
	bool fresh;

	if ((en = jit_entry(s, p, &fresh)) == NULL)
		return NULL;
	if (fresh)
		begin_jit(s, en, p);
	en->dumped |= p->dumped;
	return en->tab;
}

/*
 * What cannot be read this time may be readable the next time, so it is not reported, unless the
 * system failed: then the names until the next time are missing.
 */
static const struct symtab *
jit_later(void *ctx, const struct sym_process *p)
{
	struct symbol_engine *s = ctx;
	struct symtab *tab = NULL;
	struct entry *en;
	struct err e;
	bool fresh;

	if ((en = jit_entry(s, p, &fresh)) == NULL)
		return NULL;
	if (fresh) { /* the recording has told its origin since */
		begin_jit(s, en, p);
		return en->tab;
	}
	if (load_jit(s, en, p, &tab, &e) != 0) {
		if (places_have_failed(&e))
			settle(en, &e);
		return NULL;
	}
	if (en->tab == NULL) {
		en->normal = false;
		return en->tab = tab;
	}
	if (!vec_room(en->later, en->laters, en->later_cap)) {
		symtab_free(tab);
		s->failed = true;
		return NULL;
	}
	return en->later[en->laters++] = tab;
}

/*
 * Returns true if the file lists the code of this process.  The pid in its name is the pid that the
 * process itself sees, which differs in a container.  But a forked process has a mapping of its
 * parent's file, too.
 */
static bool
is_of_process(const struct sym_dump *d, const struct process_view *view, uint32_t pid)
{
	if (pid == 0)
		return false;
	if (view != NULL)
		return pid == view->pid;
	return pid == d->process.pid || (d->own && d->inode != 0);
}

/* Below a root that the user names, files have other inodes. */
static int
load_dump(const struct symbol_engine *s, const struct sym_dump *d, struct jitdump **out,
    struct err *e)
{
	struct jitdump_expected expected = { .pid = sym_dump_pid(d->path),
		.inode = s->places.symfs == NULL ? d->inode : 0,
		.clock = d->clock,
		.lines = (s->wanted & SYM_LINES) != 0 };
	char path[FILE_PATH_MAX];
	struct file_name name = { .root = s->places.symfs, .path = path };
	struct process_view view;
	bool runs = find_view(s, &d->process, &view);

	if (s->places.symfs == NULL && d->process.origin != NULL &&
	    places_are_elsewhere(d->process.origin))
		return err_data(e, "the recording is from another machine");
	if (d->path.len >= sizeof path || d->path.len == 0 || d->path.p[0] != '/' ||
	    memchr(d->path.p, '\0', d->path.len) != NULL)
		return err_data(e, "not a file");
	if (!is_of_process(d, runs ? &view : NULL, expected.pid))
		return err_data(e, "it is not known to belong to process %" PRIu32, d->process.pid);
	memcpy(path, d->path.p, d->path.len);
	path[d->path.len] = '\0';
	if (runs)
		name.root = view.root;
	return jitdump_load(&name, &expected, out, e);
}

static struct entry *
dump_entry(struct symbol_engine *s, const struct sym_dump *d, bool *fresh)
{
	uint64_t more[] = { d->process.pid, d->inode, d->own,
		d->process.origin != NULL && places_are_elsewhere(d->process.origin), d->clock.kind,
		d->clock.shift, d->clock.mult, d->clock.zero };
	struct key key = { .kind = ENTRY_DUMP,
		.path = d->path,
		.more = { (const char *)more, sizeof more } };

	return intern(s, &key, fresh);
}

static struct jitdump *
dump(void *ctx, const struct sym_dump *d)
{
	struct symbol_engine *s = ctx;
	struct entry *en;
	struct err e;
	bool fresh;

	if ((en = dump_entry(s, d, &fresh)) == NULL)
		return NULL;
	en->pid = d->process.pid;
	if (fresh && load_dump(s, d, &en->dump, &e) != 0)
		settle(en, &e);
	return en->dump;
}

/*
 * A file that could not be used at first may have had no header then.  A failure to read on leaves
 * what has been read.  If the system failed, names are missing until the next time.
 */
static struct jitdump *
dump_later(void *ctx, const struct sym_dump *d)
{
	struct symbol_engine *s = ctx;
	struct entry *en;
	struct err e;
	bool fresh;

	if ((en = dump_entry(s, d, &fresh)) == NULL)
		return NULL;
	if (load_dump(s, d, &en->dump, &e) != 0) {
		if (en->dump == NULL || places_have_failed(&e))
			settle(en, &e);
	} else if (!en->failed) {
		mem_free(en->reason);
		en->reason = NULL;
	}
	return en->dump;
}

/* Opens the list that the user names, which may be a pipe from zcat. */
static int
open_kallsyms(const char *path, int *out, struct err *e)
{
	int fd = in_descriptor(path);
	struct stat st;

	if (fd < 0)
		return err_sys(e, errno, path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_sys(e, EISDIR, path);
	}
	*out = fd;
	return 0;
}

struct symbol_engine *
symbol_engine_open(const struct symbol_options *o, struct err *e)
{
	struct symbol_engine *s = mem_zero(1, sizeof *s);

	if (s == NULL) {
		err_nomem(e);
		return NULL;
	}
	s->places = (struct places){ .symfs = o->symfs,
		.cache = o->build_id_cache,
		.debug_dir = o->debug_dir,
		.fetch = o->fetch };
	s->force = o->force;
	s->kallsyms = -1;
	s->last = TAB_NONE;
	s->mangled = o->mangled;
	s->wanted = o->wanted;
	if (o->kallsyms != NULL && open_kallsyms(o->kallsyms, &s->kallsyms, e) != 0) {
		mem_free(s);
		return NULL;
	}
	return s;
}

void
symbol_engine_close(struct symbol_engine *s)
{
	size_t i, k;

	if (s == NULL)
		return;
	for (i = 0; i < s->keys.count; i++) {
		symtab_free(s->entry[i].tab);
		for (k = 0; k < s->entry[i].laters; k++)
			symtab_free(s->entry[i].later[k]);
		mem_free(s->entry[i].later);
		kernel_free(s->entry[i].kernel);
		cfi_free(s->entry[i].cfi);
		source_close(s->entry[i].source);
		jitdump_free(s->entry[i].dump);
		mem_free(s->entry[i].reason);
	}
	if (s->kallsyms >= 0)
		close(s->kallsyms);
	buf_free(&s->listed.id);
	buf_free(&s->listed.release);
	mem_free(s->line);
	mem_free(s->entry);
	mem_free(s->miss);
	tab_free(&s->keys);
	tab_free(&s->names);
	buf_free(&s->demangled);
	mem_free(s);
}

static struct slice
name_of(void *ctx, const struct symbol *symbol)
{
	return spelled(ctx, (struct slice){ symbol->name, symbol->namelen });
}

static bool
guessed(void *ctx)
{
	const struct symbol_engine *s = ctx;

	return s->last != TAB_NONE && s->entry[s->last].forced;
}

static void
unnamed(void *ctx, uint64_t samples)
{
	struct symbol_engine *s = ctx;

	if (s->last != TAB_NONE)
		s->entry[s->last].samples += samples;
}

struct symbolizer
symbol_engine_face(struct symbol_engine *s)
{
	return (struct symbolizer){ .ctx = s,
		.wanted = s->wanted,
		.lines = lines,
		.object = object,
		.kernel = kernel,
		.jit = jit,
		.jit_later = jit_later,
		.dump = dump,
		.dump_later = dump_later,
		.code = jitdump_find,
		.code_line = jitdump_line,
		.code_unwind = jitdump_unwind,
		.unwind = unwind_info,
		.guessed = guessed,
		.unnamed = unnamed,
		.name = name_of };
}

/* Returns why some of the code of a jitdump has no name or, if all has, no line. */
static const char *
doubt_of(const struct jitdump *d)
{
	const char *doubt = jitdump_doubt(d);

	return doubt != NULL ? doubt : jitdump_line_doubt(d);
}

/* Returns how many addresses a JIT map lists with several names. */
static size_t
renamed(const struct entry *en)
{
	return en->kind == ENTRY_JIT && en->tab != NULL ? symtab_renamed(en->tab) : 0;
}

static void
fill_miss(const struct entry *en, struct symbol_miss *out)
{
	switch (en->kind) {
	case ENTRY_OBJECT:
	case ENTRY_DUMP:
	case ENTRY_UNWIND:
	case ENTRY_SOURCE: out->path = en->path; break;
	case ENTRY_KERNEL: out->path = slice_of(KERNEL_NAME); break;
	case ENTRY_JIT:
		if (en->listing != NULL) {
			out->path = en->listing->path;
			break;
		}
		jit_path(out->jit, en->pid);
		out->path = slice_of(out->jit);
		break;
	}
	out->samples = en->samples;
	out->build_id = en->build_id;
	out->lines =
	    en->kind == ENTRY_SOURCE || (en->dump != NULL && jitdump_doubt(en->dump) == NULL);
	out->normal = en->normal && en->listing == NULL;
	out->no_map = en->kind == ENTRY_JIT && en->normal && !en->dumped;
	out->forced = en->forced && !en->reported;
	out->exported = en->tab != NULL && en->exported && !out->forced;
	out->failed = en->failed;
	out->ceiling = en->ceiling;
	out->unlisted = en->listing != NULL || (en->kind == ENTRY_JIT && en->tab != NULL);
	out->renamed = renamed(en);
	out->partly =
	    en->dump != NULL || en->source != NULL || (en->kind == ENTRY_KERNEL && en->tab != NULL);
	out->damaged = en->damaged;
	out->reason = out->exported ? "only what it exports has names, and it has no debug file"
	    : out->unlisted && !en->failed ? "it does not list that code"
	    : en->dump != NULL             ? doubt_of(en->dump)
	    : en->reason != NULL           ? en->reason
	    : out->partly && !en->failed   ? "its list has none there, or those of another module"
					   : "out of memory";
}

/* Returns true if names are missing that should exist. */
static bool
is_miss(const struct entry *en)
{
	if (en->dump != NULL)
		return doubt_of(en->dump) != NULL;
	if (en->kind == ENTRY_SOURCE)
		return en->reason != NULL && (en->damaged || !en->reported);
	if (en->kind == ENTRY_UNWIND)
		return en->failed || (en->forced && !en->reported);
	if (en->tab == NULL)
		return !en->normal || en->samples != 0;
	if (en->kind == ENTRY_JIT)
		return en->samples != 0 || renamed(en) != 0;
	if (en->kind == ENTRY_KERNEL)
		return en->failed || en->samples != 0;
	return (en->forced && !en->reported) || (en->exported && en->samples != 0);
}

static int
by_samples(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a,
			   *y = *(const struct entry *const *)b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/*
 * Finds the jitdump of a process that did not list all of its code, or NULL.  If there are several,
 * one that says why is preferred.
 */
static struct entry *
find_dump(const struct symbol_engine *s, uint32_t pid)
{
	struct entry *found = NULL;
	size_t i;

	for (i = 0; i < s->keys.count; i++) {
		struct entry *en = &s->entry[i];

		if (en->kind != ENTRY_DUMP || en->pid != pid || en->dump == NULL)
			continue;
		if (jitdump_doubt(en->dump) != NULL)
			return en;
		if (found == NULL)
			found = en;
	}
	return found;
}

/*
 * Moves the samples that neither a jitdump nor a map names to the jitdump, if that says why.
 * Otherwise the map's entry tells which jitdump it is.
 */
static void
blame_dumps(struct symbol_engine *s)
{
	struct entry *en, *dump;
	size_t i;

	for (i = 0; i < s->keys.count; i++) {
		en = &s->entry[i];
		en->listing = NULL;
		if (!en->dumped || !en->normal || en->samples == 0 ||
		    (dump = find_dump(s, en->pid)) == NULL)
			continue;
		if (jitdump_doubt(dump->dump) == NULL) {
			en->listing = dump;
			continue;
		}
		dump->samples += en->samples;
		en->samples = 0;
	}
}

/* Returns what is said about the symbols of an object, as a number. */
static unsigned
verdict(const struct entry *en)
{
	return (unsigned)en->kind << 4 | (en->forced ? 8U : 0) | (en->failed ? 4U : 0) |
	    (en->damaged ? 2U : 0) | (en->exported ? 1U : 0);
}

/* Orders entries by object and by what is said about it. */
static int
compare_objects(const struct entry *x, const struct entry *y)
{
	unsigned said[] = { verdict(x), verdict(y) };
	int order = slice_cmp(x->build_id, y->build_id);

	if (order == 0)
		order = slice_cmp(x->path, y->path);
	if (order == 0)
		order = (said[0] > said[1]) - (said[0] < said[1]);
	if (order == 0)
		order =
		    strcmp(x->reason == NULL ? "" : x->reason, y->reason == NULL ? "" : y->reason);
	return order;
}

static int
by_object(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a,
			   *y = *(const struct entry *const *)b;
	int order = compare_objects(x, y);

	return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/*
 * Joins the misses of an object that several recordings have in common, which its build id shows:
 * the first one gets the samples of all.
 */
static void
join_misses(struct symbol_engine *s)
{
	size_t i, kept = 0;

	qsort(s->miss, s->misses, sizeof *s->miss, by_object);
	for (i = 0; i < s->misses; i++) {
		struct entry *en = s->miss[i];

		if (kept != 0 && en->build_id.len != 0 &&
		    compare_objects(s->miss[kept - 1], en) == 0) {
			s->miss[kept - 1]->samples += en->samples;
			en->samples = 0;
		} else {
			s->miss[kept++] = en;
		}
	}
	s->misses = kept;
}

/* Lists the misses.  If memory runs out there are none, and the engine has failed. */
static void
list_misses(struct symbol_engine *s)
{
	size_t i;

	s->misses = 0;
	mem_free(s->miss);
	s->miss = mem_alloc((s->keys.count + 1) * sizeof *s->miss);
	s->failed |= s->miss == NULL;
	blame_dumps(s);
	for (i = 0; i < s->keys.count && s->miss != NULL; i++) {
		struct entry *en = &s->entry[i];

		if (is_miss(en))
			s->miss[s->misses++] = en;
	}
	if (s->misses > 1) {
		join_misses(s);
		qsort(s->miss, s->misses, sizeof *s->miss, by_samples);
	}
}

bool
symbol_engine_next_miss(struct symbol_engine *s, size_t *pos, struct symbol_miss *out)
{
	if (*pos == 0)
		list_misses(s);
	if (*pos == s->misses)
		return false;
	fill_miss(s->miss[(*pos)++], out);
	return true;
}

bool
symbol_engine_failed(const struct symbol_engine *s)
{
	bool failed = s->failed;
	size_t i;

	for (i = 0; i < s->keys.count; i++)
		failed |= s->entry[i].failed || jitdump_failed(s->entry[i].dump);
	return failed;
}

bool
symbol_engine_damaged(const struct symbol_engine *s)
{
	size_t i;

	for (i = 0; i < s->keys.count && !s->entry[i].damaged; i++)
		;
	return i < s->keys.count;
}
