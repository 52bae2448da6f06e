/* SPDX-License-Identifier: ISC */
/* symbolizer.c - symbols for a decoder: of files, of kernels, of JIT maps. */
#include "src/symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/file.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "src/symbol/find.h"
#include "src/symbol/kallsyms.h"
#include "src/symbol/perfmap.h"

#define KERNEL_NAME "[kernel.kallsyms]"

enum entry_kind { ENTRY_OBJECT, ENTRY_KERNEL, ENTRY_JIT };

/* What was found for one thing that was asked for. */
struct entry {
	enum entry_kind kind;
	struct symtab *tab; /* NULL: a miss */
	bool failed; /* by a fault of the system, not for want of a file */
	bool absent; /* a JIT map that is not there: the rule, and no miss */
	bool ceiling; /* of failed: for want of memory that --max-memory does not allow */
	char *reason; /* why, or NULL where nobody needs to know */
	struct slice path; /* of an object; it is in its key */
	uint32_t pid; /* of a JIT map */
};

struct symbol_engine {
	struct find_roots roots;
	int kallsyms; /* descriptor, or -1 */
	bool kallsyms_read;
	bool failed; /* something was not even entered */
	struct tab keys;
	struct entry *entry; /* by number in keys */
	size_t cap;
};

/* The bytes that tell an entry from all others; a path within them stays where it is. */
struct key {
	enum entry_kind kind;
	struct slice path, more;
};

/* The entry of that key, made if it is new (*fresh).  NULL without memory. */
static struct entry *
intern(struct symbol_engine *s, const struct key *k, bool *fresh)
{
	struct buf b = { 0 };
	size_t n = TAB_NONE;
	uint64_t len = k->path.len;
	char kind = (char)k->kind;
	struct slice kept;

	/* room first, so that a new key never is without its entry */
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

/* No memory. */
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
	}
	return en->tab;
}

static bool
is_running(struct slice release)
{
	struct utsname now;

	return release.len == 0 || (uname(&now) == 0 && slice_eq(release, slice_of(now.release)));
}

/* A list of the boot that was recorded, or of none; fd is closed. */
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
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? err_sys(e, errno, "/proc/kallsyms") : load_own(fd, k, tab, e);
}

/*
 * The list that was given, else the one that the recording brought, else the running
 * kernel's.  A pipe can be read only once.
 */
static int
load_kernel(struct symbol_engine *s, const struct sym_kernel *k, struct symtab **tab, struct err *e)
{
	if (s->kallsyms >= 0) {
		if (s->kallsyms_read && lseek(s->kallsyms, 0, SEEK_SET) != 0)
			return err_data(e, "the kallsyms file cannot be read twice");
		s->kallsyms_read = true;
		return kallsyms_load(s->kallsyms, k->ref_name, k->ref_addr, KALLSYMS_RELOCATE, tab,
		    e);
	}
	if (k->kallsyms != NULL)
		return load_brought(k, tab, e);
	if (!is_running(k->release))
		return err_data(e,
		    "no kallsyms file given, and the running kernel is of another release");
	if (k->ref_name == NULL)
		return err_data(e,
		    "no kallsyms file given, and the recording names no reference symbol");
	return load_running(k, tab, e);
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

	if ((k->ref_name == NULL || buf_put(&text, k->ref_name, strlen(k->ref_name))) &&
	    buf_putc(&text, '\n') && buf_put(&text, k->release.p, k->release.len) &&
	    buf_putc(&text, '\n') &&
	    (k->kallsyms == NULL || buf_put(&text, k->kallsyms, strlen(k->kallsyms)))) {
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

/* A process without a map is the rule, and no miss; one whose map cannot be read is. */
static const struct symtab *
jit(void *ctx, uint32_t pid)
{
	struct symbol_engine *s = ctx;
	struct key key = { ENTRY_JIT, { (const char *)&pid, sizeof pid }, { "", 0 } };
	char path[JIT_PATH_MAX];
	struct file_name name = { .root = s->roots.symfs, .path = path };
	struct symtab *tab = NULL;
	struct entry *en;
	struct err e;
	bool fresh;
	int rc;

	if ((en = intern(s, &key, &fresh)) == NULL)
		return miss_all(s);
	if (fresh) {
		en->pid = pid;
		jit_path(path, pid);
		rc = perfmap_load(&name, &tab, &e);
		settle(en, rc, tab, &e);
		en->absent = rc == ERR_SYS && (e.errnum == ENOENT || e.errnum == ENOTDIR);
	}
	return en->tab;
}

/* The user names it, and it may well be a pipe from zcat. */
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
	s->roots = (struct find_roots){ .symfs = o->symfs, .cache = o->build_id_cache };
	s->kallsyms = -1;
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
		mem_free(s->entry[i].reason);
	}
	if (s->kallsyms >= 0)
		close(s->kallsyms);
	mem_free(s->entry);
	tab_free(&s->keys);
	mem_free(s);
}

struct symbolizer
symbol_engine_face(struct symbol_engine *s)
{
	return (struct symbolizer){ .ctx = s, .object = object, .kernel = kernel, .jit = jit };
}

static void
fill_miss(const struct entry *en, struct symbol_miss *out)
{
	switch (en->kind) {
	case ENTRY_OBJECT: out->path = en->path; break;
	case ENTRY_KERNEL: out->path = slice_of(KERNEL_NAME); break;
	case ENTRY_JIT:
		jit_path(out->jit, en->pid);
		out->path = slice_of(out->jit);
		break;
	}
	out->failed = en->failed;
	out->ceiling = en->ceiling;
	out->reason = en->reason != NULL ? en->reason : "out of memory";
}

bool
symbol_engine_next_miss(const struct symbol_engine *s, size_t *pos, struct symbol_miss *out)
{
	const struct entry *en;

	while (*pos < s->keys.count) {
		en = &s->entry[(*pos)++];
		if (en->tab != NULL || en->absent)
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
