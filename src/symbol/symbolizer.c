/* SPDX-License-Identifier: ISC */
/* symbolizer.c - symbols for a decoder: of files, of kernels, of JIT maps. */
#include "src/symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/mem.h"
#include "src/symbol/find.h"
#include "src/symbol/kallsyms.h"
#include "src/symbol/perfmap.h"

#define FIRST_SLOTS 64 /* a power of two */
#define ENTRIES_MAX ((size_t)1 << 20) /* more objects than that in one recording are crafted */
#define MAP_PATH_MAX 4096
#define KERNEL_NAME "[kernel.kallsyms]"

enum entry_kind { ENTRY_OBJECT, ENTRY_KERNEL, ENTRY_JIT };

/* One thing asked for.  The key's bytes are all that tells it apart; see the key_ functions. */
struct entry {
	enum entry_kind kind;
	struct symtab *tab; /* NULL: a miss */
	bool failed; /* for want of memory or by a fault of the disk, not for want of a file */
	char *reason; /* why, or NULL where nobody needs to know */
	size_t pathlen; /* of the key: the path comes first */
	size_t keylen;
	uint64_t hash;
	unsigned char key[];
};

struct symbol_engine {
	struct find_roots roots;
	int kallsyms; /* descriptor, or -1 */
	bool kallsyms_read;
	bool failed; /* something was not even entered */
	struct entry **entry; /* in the order of asking */
	size_t n, cap;
	uint32_t *slot; /* index + 1 into entry; 0: free */
	size_t slots; /* a power of two, at least twice n */
};

/* FNV-1a. */
static uint64_t
hash_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *b = p;

	while (n-- > 0)
		h = (h ^ *b++) * UINT64_C(0x100000001b3);
	return h;
}

static size_t
probe(const struct symbol_engine *s, const struct entry *like)
{
	size_t i = (size_t)like->hash & (s->slots - 1);
	const struct entry *en;

	for (; s->slot[i] != 0; i = (i + 1) & (s->slots - 1)) {
		en = s->entry[s->slot[i] - 1];
		if (en->hash == like->hash && en->kind == like->kind &&
		    en->pathlen == like->pathlen && en->keylen == like->keylen &&
		    memcmp(en->key, like->key, en->keylen) == 0)
			break;
	}
	return i;
}

static bool
grow(struct symbol_engine *s)
{
	size_t slots = s->slots == 0 ? FIRST_SLOTS : 2 * s->slots, i;
	uint32_t *slot = mem_zero(slots, sizeof *slot);
	struct entry **entry;

	if (slot == NULL)
		return false;
	if ((entry = mem_resize(s->entry, slots / 2 * sizeof(struct entry *))) == NULL) {
		mem_free(slot);
		return false;
	}
	mem_free(s->slot);
	s->slot = slot;
	s->slots = slots;
	s->entry = entry;
	s->cap = slots / 2;
	for (i = 0; i < s->n; i++)
		s->slot[probe(s, s->entry[i])] = (uint32_t)(i + 1);
	return true;
}

/*
 * The entry of that key, made if it is new (*fresh).  The key is PATH followed by MORE.
 * NULL: no memory, or too many.
 */
static struct entry *
intern(struct symbol_engine *s, enum entry_kind kind, const void *path, size_t pathlen,
    const void *more, size_t morelen, bool *fresh)
{
	struct entry *en = mem_alloc(sizeof *en + pathlen + morelen);
	size_t at;

	*fresh = false;
	if (en == NULL)
		return NULL;
	*en = (struct entry){ .kind = kind, .pathlen = pathlen, .keylen = pathlen + morelen };
	memcpy(en->key, path, pathlen);
	if (morelen > 0)
		memcpy(en->key + pathlen, more, morelen);
	en->hash = hash_bytes(UINT64_C(0xcbf29ce484222325) + (unsigned)kind, en->key, en->keylen);
	if (s->n == s->cap && (s->n >= ENTRIES_MAX || !grow(s))) {
		mem_free(en);
		return NULL;
	}
	at = probe(s, en);
	if (s->slot[at] != 0) {
		mem_free(en);
		return s->entry[s->slot[at] - 1];
	}
	s->entry[s->n++] = en;
	s->slot[at] = (uint32_t)s->n;
	*fresh = true;
	return en;
}

static void
settle(struct entry *en, int rc, struct symtab *tab, const struct err *e)
{
	size_t len;

	if (rc == 0) {
		en->tab = tab;
		return;
	}
	en->failed = rc == ERR_SYS &&
	    (e->errnum == ENOMEM || e->errnum == EIO || e->errnum == EMFILE || e->errnum == ENFILE);
	len = strlen(e->msg) + 1;
	if ((en->reason = mem_alloc(len)) != NULL)
		memcpy(en->reason, e->msg, len);
}

/* No memory, or more objects than there can be. */
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
	struct symtab *tab = NULL;
	struct entry *en;
	struct err e;
	bool fresh;
	int rc;

	if (!find_is_file(o))
		return NULL;
	en = intern(s, ENTRY_OBJECT, o->path, o->pathlen, o->build_id,
	    o->build_id != NULL ? o->build_id_len : 0, &fresh);
	if (en == NULL)
		return miss_all(s);
	if (fresh) {
		rc = find_symbols(&s->roots, o, &tab, &e);
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

/* A list that a kernel gave (NAME in messages), of the boot that was recorded or of none. */
static int
load_own(const char *path, const char *name, const struct sym_kernel *k, struct symtab **tab,
    struct err *e)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_sys(e, errno, name);
	rc = kallsyms_load(fd, k->ref_name, k->ref_addr, KALLSYMS_REFUSE, tab, e);
	close(fd);
	return rc;
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
		return load_own(k->kallsyms, "the recording's own list", k, tab, e);
	if (!is_running(k->release))
		return err_data(e,
		    "no kallsyms file given, and the running kernel is of another release");
	if (k->ref_name == NULL)
		return err_data(e,
		    "no kallsyms file given, and the recording names no reference symbol");
	return load_own("/proc/kallsyms", "/proc/kallsyms", k, tab, e);
}

static const struct symtab *
kernel(void *ctx, const struct sym_kernel *k)
{
	struct symbol_engine *s = ctx;
	uint64_t ref_addr = k->ref_name != NULL ? k->ref_addr : 0;
	struct buf key = { 0 };
	struct symtab *tab = NULL;
	struct entry *en = NULL;
	struct err e;
	bool fresh;
	int rc;

	if ((k->ref_name == NULL || buf_put(&key, k->ref_name, strlen(k->ref_name))) &&
	    buf_putc(&key, '\n') && buf_put(&key, k->release.p, k->release.len) &&
	    buf_putc(&key, '\n') &&
	    (k->kallsyms == NULL || buf_put(&key, k->kallsyms, strlen(k->kallsyms))))
		en = intern(s, ENTRY_KERNEL, key.p, key.len, &ref_addr, sizeof ref_addr, &fresh);
	buf_free(&key);
	if (en == NULL)
		return miss_all(s);
	if (fresh) {
		rc = load_kernel(s, k, &tab, &e);
		settle(en, rc, tab, &e);
	}
	return en->tab;
}

static const struct symtab *
jit(void *ctx, uint32_t pid)
{
	struct symbol_engine *s = ctx;
	char path[MAP_PATH_MAX];
	struct symtab *tab = NULL;
	struct entry *en;
	bool fresh;
	int n;

	en = intern(s, ENTRY_JIT, &pid, sizeof pid, NULL, 0, &fresh);
	if (en == NULL)
		return miss_all(s);
	if (!fresh)
		return en->tab;
	if (s->roots.symfs != NULL) {
		n = snprintf(path, sizeof path, "%s/tmp/perf-%lu.map", s->roots.symfs,
		    (unsigned long)pid);
		if (n > 0 && (size_t)n < sizeof path && perfmap_load(path, &tab, NULL) == 0)
			return en->tab = tab;
	}
	snprintf(path, sizeof path, "/tmp/perf-%lu.map", (unsigned long)pid);
	if (perfmap_load(path, &tab, NULL) == 0)
		en->tab = tab;
	return en->tab;
}

/* Not O_NONBLOCK: the user names it, and it may well be a pipe from zcat. */
static int
open_kallsyms(const char *path, int *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
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
	for (i = 0; i < s->n; i++) {
		symtab_free(s->entry[i]->tab);
		mem_free(s->entry[i]->reason);
		mem_free(s->entry[i]);
	}
	if (s->kallsyms >= 0)
		close(s->kallsyms);
	mem_free(s->entry);
	mem_free(s->slot);
	mem_free(s);
}

struct symbolizer
symbol_engine_face(struct symbol_engine *s)
{
	return (struct symbolizer){ .ctx = s, .object = object, .kernel = kernel, .jit = jit };
}

bool
symbol_engine_next_miss(const struct symbol_engine *s, size_t *pos, struct symbol_miss *out)
{
	const struct entry *en;

	while (*pos < s->n) {
		en = s->entry[(*pos)++];
		if (en->tab != NULL || en->kind == ENTRY_JIT)
			continue;
		out->path = en->kind == ENTRY_KERNEL ? KERNEL_NAME : (const char *)en->key;
		out->pathlen = en->kind == ENTRY_KERNEL ? strlen(KERNEL_NAME) : en->pathlen;
		out->failed = en->failed;
		out->reason = en->reason != NULL ? en->reason : "out of memory";
		return true;
	}
	return false;
}

bool
symbol_engine_failed(const struct symbol_engine *s)
{
	bool failed = s->failed;
	size_t i;

	for (i = 0; i < s->n; i++)
		failed |= s->entry[i]->failed;
	return failed;
}
