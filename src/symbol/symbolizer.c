/* SPDX-License-Identifier: ISC */
/*
 * symbolizer.c - symbols for a decoder, from files, kernels and JIT maps.
 *
 * The file with the symbols of an object is looked for in several places, in perf's order: the
 * file's .gnu_debuglink (beside it, in .debug/, under /usr/lib/debug), perf's build-id cache,
 * /usr/lib/debug/PATH.debug, /usr/lib/debug/PATH, /usr/lib/debug/.build-id/XX/REST.debug, the file
 * itself, and .debug/NAME beside it.  The first file with a .symtab gives the names.  The first
 * file with a .dynsym gives the layout; if there is none, any file that is not a debug file does.
 * Nothing is fetched from a network, and unlike perf we do not look in the current directory.
 *
 * A file whose build id is not the object's is skipped.  If the recording gives no build id, the
 * one in the file at the object's path is used, so that its debug file must match it.
 */
#include "src/symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
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
#include "src/symbol/process.h"

struct find_roots {
	const char *symfs; /* the folder that serves as / for every path, or NULL */
	const char *cache; /* perf's build-id cache ($HOME/.debug), used as given, or NULL */
	const char *debug_dir; /* with debug files, used as given; NULL: DEBUG_ROOT, below symfs */
};

#define PATH_LEN_MAX FILE_PATH_MAX
#define DEBUG_ROOT "/usr/lib/debug"

enum place {
	AT_LINK_BESIDE,
	AT_LINK_DEBUG_DIR,
	AT_LINK_DEBUG_ROOT,
	AT_CACHE,
	AT_CACHE_DEBUG,
	AT_CACHE_VDSO,
	AT_DEBUG_ROOT_SUFFIX,
	AT_DEBUG_ROOT_PATH,
	AT_DEBUG_ROOT_ID,
	AT_PATH,
	AT_DEBUG_DIR,
	AT_RUNNING_VDSO,
	PLACES,
	AT_CACHE_KALLSYMS = PLACES, /* for kernels; not a place of an object */
};

/*
 * The file names of the places.  %P is the object's path, %D its folder, %N its last part, %L the
 * name in its debug link, and %X its build id as XX/REST.  %C is perf's build-id cache, which is
 * not below symfs.  A place is skipped if one of its parts is not known.
 */
static const char *const place_form[PLACES + 1] = {
	[AT_LINK_BESIDE] = "%D/%L",
	[AT_LINK_DEBUG_DIR] = "%D/.debug/%L",
	[AT_LINK_DEBUG_ROOT] = "%U%D/%L",
	[AT_CACHE] = "%C/.build-id/%X/elf",
	[AT_CACHE_DEBUG] = "%C/.build-id/%X/debug",
	[AT_CACHE_VDSO] = "%C/.build-id/%X/vdso",
	[AT_DEBUG_ROOT_SUFFIX] = "%U%P.debug",
	[AT_DEBUG_ROOT_PATH] = "%U%P",
	[AT_DEBUG_ROOT_ID] = "%U/.build-id/%X.debug",
	[AT_PATH] = "%P",
	[AT_DEBUG_DIR] = "%D/.debug%N",
	[AT_RUNNING_VDSO] = NULL, /* not a file but memory */
	[AT_CACHE_KALLSYMS] = "%C/.build-id/%X/kallsyms",
};

struct search {
	const char *symfs; /* or NULL */
	const char *cache, *debug_dir; /* as in struct find_roots */
	char path[PATH_LEN_MAX]; /* the object's path, without the prefix; "" if it is [vdso] */
	size_t dir_len; /* length of path up to its last slash */
	char link[PATH_LEN_MAX]; /* the debug link's name, "" for none */
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t id_len; /* 0: unknown */
	struct elf_file *syms, *runtime; /* may be the same file */
};

/*
 * Returns true if an object of that name can have symbols: an absolute path, or the vdso.  Excludes
 * [heap], //anon, memfd:... and all other names.
 */
static bool
find_is_file(const struct sym_object *o)
{
	if (o->pathlen == 6 && memcmp(o->path, "[vdso]", 6) == 0)
		return o->build_id != NULL;
	return o->pathlen > 1 && o->pathlen < PATH_LEN_MAX && o->path[0] == '/' &&
	    o->path[1] != '/' && memchr(o->path, '\0', o->pathlen) == NULL;
}

#define ID_TEXT (2 * ELF_BUILD_ID_MAX + 2)

/* Writes the build id as "XX/REST", or "" if it is not known. */
static void
spell_id(const struct search *s, char text[ID_TEXT])
{
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < s->id_len && s->id_len > 1; i++)
		n += (size_t)snprintf(text + n, ID_TEXT - n, i == 0 ? "%02x/" : "%02x", s->id[i]);
}

/* Writes the place's file name to buf.  Returns false if there is none. */
static bool
compose(const struct search *s, enum place place, char *buf, size_t size)
{
	const char *form = place_form[place], *part;
	char id[ID_TEXT];
	size_t n = 0;
	int put;

	spell_id(s, id);
	for (; form != NULL && *form != '\0'; form++) {
		part = *form != '%' ? form : NULL;
		switch (part == NULL ? *++form : '\0') {
		case 'P':
		case 'D': part = s->path; break;
		case 'N': part = s->path + s->dir_len; break;
		case 'L': part = s->link; break;
		case 'X': part = id; break;
		case 'C': part = s->cache; break;
		case 'U': part = s->debug_dir != NULL ? s->debug_dir : DEBUG_ROOT; break;
		}
		if (part == NULL || *part == '\0')
			return false;
		put = snprintf(buf + n, size - n, "%.*s",
		    part == form       ? 1
			: *form == 'D' ? (int)s->dir_len
				       : (int)size,
		    part);
		n += put > 0 ? (size_t)put : 0;
		if (put < 0 || n >= size)
			return false;
	}
	return form != NULL;
}

static bool
all_zero(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

/* Compares build ids.  Old recordings have ids padded to 20 bytes with zeros. */
static bool
same_id(const struct search *s, const unsigned char *id, size_t len)
{
	if (len == 0 || len > s->id_len || memcmp(s->id, id, len) != 0)
		return false;
	return len == s->id_len ||
	    (s->id_len == ELF_BUILD_ID_MAX && all_zero(s->id + len, s->id_len - len));
}

/* Opens the file at a place.  Also returns ERR_DATA if the place does not apply. */
static int
open_place(const struct search *s, enum place place, struct elf_file **out, struct err *e)
{
	char path[PATH_LEN_MAX];
	struct file_name name = { .path = path };

	if (place == AT_RUNNING_VDSO && s->path[0] == '\0' && s->id_len != 0)
		return elf_vdso_open(out, e);
	if (!compose(s, place, path, sizeof path))
		return err_data(e, "no such place");
	/* what an option names is not below symfs */
	if (place_form[place][1] != 'C' && (place_form[place][1] != 'U' || s->debug_dir == NULL))
		name.root = s->symfs;
	return elf_file_open(&name, out, e);
}

static int
check_id(const struct search *s, struct elf_file *f, struct err *e)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len;

	if (s->id_len == 0)
		return 0;
	len = elf_file_build_id(f, id);
	if (elf_file_check(f, e) != 0)
		return e->code;
	if (same_id(s, id, len))
		return 0;
	return err_data(e,
	    len == 0 ? "it has no build id, but the recording gives one"
		     : "its build id differs from the recording's");
}

static int
open_fitting(const struct search *s, enum place place, struct elf_file **out, struct err *e)
{
	struct elf_file *f;
	int rc;

	if ((rc = open_place(s, place, &f, e)) != 0)
		return rc;
	if ((rc = check_id(s, f, e)) != 0) {
		elf_file_close(f);
		return rc;
	}
	*out = f;
	return 0;
}

/* Returns true if the system failed, so that a file that was not found may exist. */
static bool
has_failed(const struct err *e)
{
	return e->code == ERR_SYS && !file_is_away(e);
}

/*
 * Reads the debug link of the file at the object's own path, and its build id if that is not known.
 * Only a failure of the system is an error.
 */
static int
ask_file(struct search *s, const struct sym_object *o, struct err *e)
{
	struct elf_file *f;
	const char *link;
	int rc;

	if (o->build_id != NULL && o->build_id_len <= sizeof s->id &&
	    !all_zero(o->build_id, o->build_id_len)) {
		memcpy(s->id, o->build_id, o->build_id_len);
		s->id_len = o->build_id_len;
	}
	if (open_place(s, AT_PATH, &f, e) != 0)
		return has_failed(e) ? e->code : 0;
	if (s->id_len == 0)
		s->id_len = elf_file_build_id(f, s->id);
	link = elf_file_debuglink(f);
	if (link != NULL && strlen(link) < sizeof s->link)
		memcpy(s->link, link, strlen(link) + 1);
	rc = elf_file_check(f, e);
	elf_file_close(f);
	return rc;
}

/* Uses f for the parts that are still needed, or closes it if it has none of them. */
static void
use(struct search *s, struct elf_file *f)
{
	bool used = false;

	if (s->syms == NULL && elf_file_has_symtab(f)) {
		s->syms = f;
		used = true;
	}
	if (s->runtime == NULL && elf_file_is_runtime(f)) {
		s->runtime = f;
		used = true;
	}
	if (!used)
		elf_file_close(f);
	else if (s->syms == NULL || s->runtime == NULL)
		elf_file_rest(f);
}

/*
 * Finds the executed file if no file had the sections that only an executed file has.  A static
 * program has none of these sections.  A debug file has their names, but not their places in the
 * executed file.
 */
static int
find_runtime(struct search *s, struct err *e)
{
	struct elf_file *f;

	if (!elf_file_is_hollow(s->syms)) {
		s->runtime = s->syms;
		return 0;
	}
	if (open_fitting(s, AT_PATH, &f, e) == 0) {
		if (!elf_file_is_hollow(f)) {
			s->runtime = f;
			return 0;
		}
		elf_file_close(f);
	} else if (has_failed(e)) {
		return e->code;
	}
	return err_data(e, "only its debug file was found, which does not tell where its code is");
}

/*
 * Searches all places.  If there is no result, e gives the reason why the file at the object's own
 * path was not usable.  If the system fails at one place, no later place is used instead, since the
 * names there may be different.
 */
static int
search(struct search *s, struct err *e)
{
	struct elf_file *f = NULL;
	enum place place;
	struct err why;
	int rc = err_data(e, "no symbols in it"), failed;

	for (place = 0; place < PLACES && (s->syms == NULL || s->runtime == NULL); place++) {
		failed = open_fitting(s, place, &f, &why);
		if (failed == 0) {
			use(s, f);
		} else if (place == AT_PATH || has_failed(&why)) {
			*e = why;
			rc = failed;
			if (has_failed(&why))
				return rc;
		}
	}
	if (s->syms == NULL)
		s->syms = s->runtime;
	if (s->syms == NULL)
		return rc;
	return s->runtime != NULL ? 0 : find_runtime(s, e);
}

static int
load(struct search *s, struct symtab **out, struct err *e)
{
	struct symtab *t = symtab_new();
	int rc;

	if (t == NULL)
		return err_nomem(e);
	rc = elf_symbols(s->syms, s->runtime, t, e);
	if (rc != 0) {
		symtab_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

/*
 * Sets the path of an object for which find_is_file is true.  The vdso is not in a file of that
 * name.
 */
static void
set_path(struct search *s, const struct sym_object *o)
{
	if (o->path[0] != '/')
		return;
	memcpy(s->path, o->path, o->pathlen);
	s->path[o->pathlen] = '\0';
	s->dir_len = (size_t)(strrchr(s->path, '/') - s->path);
}

/*
 * Makes a finished table of the object's symbols.  Returns ERR_DATA if no file matches, and the
 * message gives the reason for the file at the object's own path.  Returns ERR_SYS if that file is
 * not available (file_is_away), or if the system failed at any of the places.
 */
static int
find_symbols(const struct find_roots *roots, const struct sym_object *o, struct symtab **out,
    struct err *e)
{
	struct search s = { .symfs = roots->symfs,
		.cache = roots->cache,
		.debug_dir = roots->debug_dir };
	int rc;

	if (!find_is_file(o))
		return err_data(e, "not a file");
	set_path(&s, o);
	rc = ask_file(&s, o, e);
	if (rc == 0)
		rc = search(&s, e);
	if (rc == 0)
		rc = load(&s, out, e);
	elf_file_close(s.syms);
	if (s.runtime != s.syms)
		elf_file_close(s.runtime);
	return rc;
}

/* Adds the unwind information in the files of all places, until nothing is missing. */
static int
gather_unwind(struct search *s, struct cfi *c, unsigned *wanted, struct err *e)
{
	struct elf_file *f = NULL;
	enum place place;
	int rc = 0;

	for (place = 0; place < PLACES && rc == 0 && *wanted != 0; place++) {
		rc = open_fitting(s, place, &f, e);
		if (rc == 0) {
			rc = elf_unwind_info(f, c, wanted, e);
			elf_file_close(f);
		} else if (!has_failed(e)) {
			rc = 0; /* the file is not there */
		}
	}
	return rc;
}

/*
 * Collects the unwind information of the object.  Returns ERR_DATA if none was found.  *no_file is
 * set if this is because there is no file with its code.
 */
static int
find_unwind(const struct find_roots *roots, const struct sym_object *o, struct cfi **out,
    bool *no_file, struct err *e)
{
	struct search s = { .symfs = roots->symfs,
		.cache = roots->cache,
		.debug_dir = roots->debug_dir };
	unsigned wanted = ELF_UNWIND_ALL;
	struct cfi *c;
	int rc;

	set_path(&s, o);
	c = cfi_new();
	rc = c == NULL ? err_nomem(e) : ask_file(&s, o, e);
	if (rc == 0)
		rc = gather_unwind(&s, c, &wanted, e);
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

enum entry_kind { ENTRY_OBJECT, ENTRY_KERNEL, ENTRY_JIT, ENTRY_UNWIND, ENTRY_DUMP };

/* The result for one object, kernel or process that was requested. */
struct entry {
	enum entry_kind kind;
	struct symtab *tab; /* NULL: a miss */
	struct cfi *cfi; /* for ENTRY_UNWIND; NULL: none */
	struct jitdump *dump; /* for ENTRY_DUMP; NULL: none */
	bool no_file; /* it is NULL because its file is not available */
	bool failed; /* a miss because the system failed, not because a file is missing */
	bool absent; /* a JIT map or vdso that does not exist, which is normal and not a miss */
	bool ceiling; /* if failed: because memory beyond --max-memory was needed */
	char *reason; /* the reason, or NULL if nobody needs to know */
	struct slice path; /* the path of an object; part of its key */
	uint32_t pid; /* for a JIT map */
};

struct symbol_engine {
	struct find_roots roots;
	int kallsyms; /* descriptor, or -1 */
	bool kallsyms_read;
	bool failed; /* memory ran out before a request was entered */
	bool mangled;
	struct buf demangled; /* scratch */
	struct tab names; /* demangled ones */
	struct tab keys;
	struct entry *entry; /* by number in keys */
	size_t cap;
};

/* The bytes that distinguish an entry from all others.  A path within them stays where it is. */
struct key {
	enum entry_kind kind;
	struct slice path, more;
};

/*
 * Returns the entry of that key, creating it if necessary (and then setting *fresh), or NULL if
 * memory runs out.
 */
static struct entry *
intern(struct symbol_engine *s, const struct key *k, bool *fresh)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;
	uint64_t len = k->path.len;
	char kind = (char)k->kind;
	struct slice kept;

	/* make room first, so that a new key always has its entry */
	if (vec_room(s->entry, s->keys.count, s->cap) && buf_putc(&b, kind) &&
	    buf_put(&b, (const char *)&len, sizeof len) && buf_put(&b, k->path.p, k->path.len) &&
	    buf_put(&b, k->more.p, k->more.len))
		n = tab_add(&s->keys, buf_slice(&b), fresh);
	buf_free(&b);
	if (n == TAB_NONE)
		return NULL;
	if (*fresh) {
		kept = s->keys.item[n];
		s->entry[n] = (struct entry){ .kind = k->kind,
			.path = { kept.p + 1 + sizeof len, k->path.len } };
	}
	return &s->entry[n];
}

static void
settle(struct entry *en, int rc, struct symtab *tab, const struct err *e)
{
	size_t len;

	if (rc == 0) {
		en->tab = tab;
		return;
	}
	en->failed = rc == ERR_SYS && !file_is_away(e);
	en->ceiling = e->ceiling;
	len = strlen(e->msg) + 1;
	if ((en->reason = mem_alloc(len)) != NULL)
		memcpy(en->reason, e->msg, len);
}

static void
jit_path(char path[JIT_PATH_MAX], uint32_t pid)
{
	(void)snprintf(path, JIT_PATH_MAX, "/tmp/perf-%" PRIu32 ".map", pid);
}

/* Records that memory ran out. */
static const struct symtab *
miss_all(struct symbol_engine *s)
{
	s->failed = true;
	return NULL;
}

static const struct symtab *
object(void *ctx, const struct sym_object *o)
{
	struct symbol_engine *s = ctx;
	struct key key = { ENTRY_OBJECT, { o->path, o->pathlen },
		{ (const char *)o->build_id, 0 } };
	struct symtab *tab = NULL;
	struct entry *en;
	struct err e;
	bool fresh;
	int rc;

	if (!find_is_file(o))
		return NULL;
	if (o->build_id != NULL)
		key.more.len = o->build_id_len;
	if ((en = intern(s, &key, &fresh)) == NULL)
		return miss_all(s);
	if (fresh) {
		rc = o->unclear ? err_data(&e, "the recording lists several build ids for it")
				: find_symbols(&s->roots, o, &tab, &e);
		settle(en, rc, tab, &e);
		en->absent = !en->failed && o->path[0] != '/';
	}
	return en->tab;
}

static const struct cfi *
unwind_info(void *ctx, const struct sym_object *o, bool *no_file)
{
	struct symbol_engine *s = ctx;
	struct key key = { ENTRY_UNWIND, { o->path, o->pathlen },
		{ (const char *)o->build_id, o->build_id != NULL ? o->build_id_len : 0 } };
	struct entry *en;
	struct err e;
	bool fresh;
	int rc;

	*no_file = true;
	if (!find_is_file(o) || o->unclear)
		return NULL;
	if ((en = intern(s, &key, &fresh)) == NULL) {
		s->failed = true;
		return NULL;
	}
	if (fresh) {
		rc = find_unwind(&s->roots, o, &en->cfi, &en->no_file, &e);
		settle(en, rc, NULL, &e);
	}
	*no_file = en->no_file;
	return en->cfi;
}

static bool
is_running(struct slice release)
{
	struct utsname now;

	return release.len == 0 || (uname(&now) == 0 && slice_eq(release, slice_of(now.release)));
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
load_running(const struct sym_kernel *k, struct symtab **tab, struct err *e)
{
	int fd;

	if (!is_running(k->release))
		return err_data(e,
		    "no kallsyms file given, and the running kernel has another release");
	if (k->ref_name == NULL)
		return err_data(e,
		    "no kallsyms file given, and the recording names no reference symbol");
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, errno, "/proc/kallsyms") : load_own(fd, k, tab, e);
}

/* Loads the list that perf's build-id cache has of that kernel; ERR_DATA if there is none. */
static int
load_cached(const struct symbol_engine *s, const struct sym_kernel *k, struct symtab **tab,
    struct err *e)
{
	struct search find = { .cache = s->roots.cache, .id_len = k->build_id_len };
	char path[PATH_LEN_MAX];
	struct file_name name = { .path = path };
	struct stat st;
	int fd;

	if (k->ref_name == NULL || k->build_id == NULL || k->build_id_len > sizeof find.id)
		return err_data(e, "its build id or its reference symbol is not known");
	memcpy(find.id, k->build_id, k->build_id_len);
	if (!compose(&find, AT_CACHE_KALLSYMS, path, sizeof path))
		return err_data(e, "no cache");
	return file_open(&name, &fd, &st, e) == 0 ? load_own(fd, k, tab, e) : e->code;
}

/*
 * Loads the list given by the user, else the one that came with the recording, else the running
 * kernel's, or if that is another kernel, the one in perf's cache.  A pipe can be read only once.
 */
static int
load_kernel(struct symbol_engine *s, const struct sym_kernel *k, struct symtab **tab, struct err *e)
{
	struct err other;
	int rc;

	if (s->kallsyms >= 0) {
		if (s->kallsyms_read && lseek(s->kallsyms, 0, SEEK_SET) != 0)
			return err_data(e, "the kallsyms file cannot be read twice");
		s->kallsyms_read = true;
		return kallsyms_load(s->kallsyms, k->ref_name, k->ref_addr, KALLSYMS_RELOCATE, tab,
		    e);
	}
	if (k->kallsyms != NULL)
		return load_brought(k, tab, e);
	rc = load_running(k, tab, e);
	if (rc != ERR_DATA)
		return rc;
	if (load_cached(s, k, tab, &other) == 0)
		return 0;
	if (has_failed(&other))
		*e = other;
	return e->code;
}

static const struct symtab *
kernel(void *ctx, const struct sym_kernel *k)
{
	struct symbol_engine *s = ctx;
	uint64_t ref_addr = k->ref_name != NULL ? k->ref_addr : 0;
	struct buf text = { 0 };
	struct symtab *tab = NULL;
	struct entry *en = NULL;
	struct key key;
	struct err e;
	bool fresh;
	int rc;

	if ((k->ref_name == NULL || buf_puts(&text, k->ref_name)) && buf_putc(&text, '\n') &&
	    buf_put(&text, k->release.p, k->release.len) && buf_putc(&text, '\n') &&
	    (k->kallsyms == NULL || buf_puts(&text, k->kallsyms)) && buf_putc(&text, '\n') &&
	    buf_put(&text, k->build_id, k->build_id_len)) {
		key = (struct key){ ENTRY_KERNEL, buf_slice(&text),
			{ (const char *)&ref_addr, sizeof ref_addr } };
		en = intern(s, &key, &fresh);
	}
	buf_free(&text);
	if (en == NULL)
		return miss_all(s);
	if (fresh) {
		rc = load_kernel(s, k, &tab, &e);
		settle(en, rc, tab, &e);
	}
	return en->tab;
}

/*
 * Finds the folder in which a process sees its files, if it is still running.  Nothing that runs
 * here is the recording's if the user has named another root.
 */
static bool
find_view(const struct symbol_engine *s, const struct sym_process *p, struct process_view *view)
{
	return s->roots.symfs == NULL && process_find(p, view);
}

/*
 * Looks up a JIT map.  A process without a map is normal and not a miss, but a map that cannot be
 * read is a miss.  A process in a container writes its map in there, under the pid that it has
 * there.
 */
static const struct symtab *
jit(void *ctx, const struct sym_process *p)
{
	struct symbol_engine *s = ctx;
	struct key key = { ENTRY_JIT, { (const char *)&p->pid, sizeof p->pid }, { "", 0 } };
	char path[JIT_PATH_MAX];
	struct file_name name = { .root = s->roots.symfs, .path = path };
	struct process_view view;
	struct symtab *tab = NULL;
	struct entry *en;
	struct err e;
	bool fresh;
	int rc;

	if ((en = intern(s, &key, &fresh)) == NULL)
		return miss_all(s);
	if (fresh) {
		en->pid = p->pid;
		jit_path(path, p->pid);
		if (find_view(s, p, &view)) {
			jit_path(path, view.pid);
			name.root = view.root;
		}
		rc = perfmap_load(&name, &tab, &e);
		settle(en, rc, tab, &e);
		en->absent = rc == ERR_SYS && (e.errnum == ENOENT || e.errnum == ENOTDIR);
	}
	return en->tab;
}

/*
 * Returns true if the file lists the code of this process.  The pid in its name is the one that the
 * process sees, which is another one in a container.  But a process that was forked has a mapping
 * of its parent's file, too.
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
		.inode = s->roots.symfs == NULL ? d->inode : 0,
		.clock = d->clock };
	char path[PATH_LEN_MAX];
	struct file_name name = { .root = s->roots.symfs, .path = path };
	struct process_view view;
	bool runs = find_view(s, &d->process, &view);

	if (d->path.len >= sizeof path || d->path.len == 0 || d->path.p[0] != '/' ||
	    memchr(d->path.p, '\0', d->path.len) != NULL)
		return err_data(e, "not a file");
	if (!is_of_process(d, runs ? &view : NULL, expected.pid))
		return err_data(e, "it is not known to be of process %" PRIu32, d->process.pid);
	memcpy(path, d->path.p, d->path.len);
	path[d->path.len] = '\0';
	if (runs)
		name.root = view.root;
	return jitdump_load(&name, &expected, out, e);
}

static struct jitdump *
dump(void *ctx, const struct sym_dump *d)
{
	struct symbol_engine *s = ctx;
	uint64_t more[] = { d->process.pid, d->inode, d->own, d->clock.kind, d->clock.shift,
		d->clock.mult, d->clock.zero };
	struct key key = { ENTRY_DUMP, d->path, { (const char *)more, sizeof more } };
	struct entry *en;
	struct err e;
	bool fresh;
	int rc;

	if ((en = intern(s, &key, &fresh)) == NULL) {
		s->failed = true;
		return NULL;
	}
	if (fresh) {
		rc = load_dump(s, d, &en->dump, &e);
		settle(en, rc, NULL, &e);
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
		return err_sys(e, EISDIR, "read");
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
	s->roots = (struct find_roots){ .symfs = o->symfs,
		.cache = o->build_id_cache,
		.debug_dir = o->debug_dir };
	s->kallsyms = -1;
	s->mangled = o->mangled;
	if (o->kallsyms != NULL && open_kallsyms(o->kallsyms, &s->kallsyms, e) != 0) {
		mem_free(s);
		return NULL;
	}
	return s;
}

void
symbol_engine_close(struct symbol_engine *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->keys.count; i++) {
		symtab_free(s->entry[i].tab);
		cfi_free(s->entry[i].cfi);
		jitdump_free(s->entry[i].dump);
		mem_free(s->entry[i].reason);
	}
	if (s->kallsyms >= 0)
		close(s->kallsyms);
	mem_free(s->entry);
	tab_free(&s->keys);
	tab_free(&s->names);
	buf_free(&s->demangled);
	mem_free(s);
}

static struct slice
name_of(void *ctx, const struct symbol *symbol)
{
	struct symbol_engine *s = ctx;
	struct slice own = { symbol->name, symbol->namelen };
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

struct symbolizer
symbol_engine_face(struct symbol_engine *s)
{
	return (struct symbolizer){ .ctx = s,
		.object = object,
		.kernel = kernel,
		.jit = jit,
		.dump = dump,
		.code = jitdump_find,
		.code_unwind = jitdump_unwind,
		.unwind = unwind_info,
		.name = name_of };
}

static void
fill_miss(const struct entry *en, struct symbol_miss *out)
{
	switch (en->kind) {
	case ENTRY_OBJECT:
	case ENTRY_DUMP:
	case ENTRY_UNWIND: out->path = en->path; break;
	case ENTRY_KERNEL: out->path = slice_of(KERNEL_NAME); break;
	case ENTRY_JIT:
		jit_path(out->jit, en->pid);
		out->path = slice_of(out->jit);
		break;
	}
	out->failed = en->failed;
	out->ceiling = en->ceiling;
	out->partly = en->dump != NULL;
	out->reason = en->dump != NULL ? jitdump_doubt(en->dump)
	    : en->reason != NULL       ? en->reason
				       : "out of memory";
}

/* Returns true if names are missing that there should be. */
static bool
is_miss(const struct entry *en)
{
	if (en->dump != NULL)
		return jitdump_doubt(en->dump) != NULL;
	return en->tab == NULL && !en->absent && (en->kind != ENTRY_UNWIND || en->failed);
}

bool
symbol_engine_next_miss(const struct symbol_engine *s, size_t *pos, struct symbol_miss *out)
{
	const struct entry *en;

	while (*pos < s->keys.count) {
		en = &s->entry[(*pos)++];
		if (!is_miss(en))
			continue;
		fill_miss(en, out);
		return true;
	}
	return false;
}

bool
symbol_engine_failed(const struct symbol_engine *s)
{
	bool failed = s->failed;
	size_t i;

	for (i = 0; i < s->keys.count; i++)
		failed |= s->entry[i].failed;
	return failed;
}
