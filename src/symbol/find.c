/* SPDX-License-Identifier: ISC */
/* find.c - which file has the symbols of an object. */
#include "src/symbol/find.h"

#include <stdio.h>
#include <string.h>

#include "src/symbol/elf.h"

#define PATH_LEN_MAX FILE_PATH_MAX
#define DEBUG_ROOT "/usr/lib/debug"

enum place {
	AT_LINK_BESIDE,
	AT_LINK_DEBUG_DIR,
	AT_LINK_DEBUG_ROOT,
	AT_CACHE,
	AT_CACHE_DEBUG,
	AT_DEBUG_ROOT_SUFFIX,
	AT_DEBUG_ROOT_PATH,
	AT_DEBUG_ROOT_ID,
	AT_PATH,
	AT_DEBUG_DIR,
	PLACES,
};

struct search {
	const char *symfs; /* or NULL */
	const char *cache;
	const char *path; /* the object's, without the prefix */
	int dir_len; /* of path, up to its last slash */
	char link[PATH_LEN_MAX]; /* the debug link's name, "" for none */
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t id_len; /* 0: unknown */
	struct elf_file *syms, *runtime; /* may be the same */
};

bool
find_is_file(const struct sym_object *o)
{
	return o->pathlen > 1 && o->pathlen < PATH_LEN_MAX && o->path[0] == '/' &&
	    o->path[1] != '/' && memchr(o->path, '\0', o->pathlen) == NULL;
}

/* Writes the place's file name to buf; false where the place does not apply. */
static bool
compose(const struct search *s, enum place place, char *buf, size_t size)
{
	char hex[2 * ELF_BUILD_ID_MAX + 1] = "";
	int n = -1;
	size_t i;

	for (i = 0; i < s->id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", s->id[i]);
	if (place <= AT_LINK_DEBUG_ROOT && s->link[0] == '\0')
		return false;
	if ((place == AT_CACHE || place == AT_CACHE_DEBUG) && s->cache == NULL)
		return false;
	if ((place == AT_CACHE || place == AT_CACHE_DEBUG || place == AT_DEBUG_ROOT_ID) &&
	    s->id_len < 2)
		return false;
	switch (place) {
	case AT_LINK_BESIDE:
		n = snprintf(buf, size, "%.*s/%s", s->dir_len, s->path, s->link);
		break;
	case AT_LINK_DEBUG_DIR:
		n = snprintf(buf, size, "%.*s/.debug/%s", s->dir_len, s->path, s->link);
		break;
	case AT_LINK_DEBUG_ROOT:
		n = snprintf(buf, size, DEBUG_ROOT "%.*s/%s", s->dir_len, s->path, s->link);
		break;
	case AT_CACHE:
		n = snprintf(buf, size, "%s/.build-id/%.2s/%s/elf", s->cache, hex, hex + 2);
		break;
	case AT_CACHE_DEBUG:
		n = snprintf(buf, size, "%s/.build-id/%.2s/%s/debug", s->cache, hex, hex + 2);
		break;
	case AT_DEBUG_ROOT_SUFFIX: n = snprintf(buf, size, DEBUG_ROOT "%s.debug", s->path); break;
	case AT_DEBUG_ROOT_PATH: n = snprintf(buf, size, DEBUG_ROOT "%s", s->path); break;
	case AT_DEBUG_ROOT_ID:
		n = snprintf(buf, size, DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex, hex + 2);
		break;
	case AT_PATH: n = snprintf(buf, size, "%s", s->path); break;
	case AT_DEBUG_DIR:
		n = snprintf(buf, size, "%.*s/.debug%s", s->dir_len, s->path, s->path + s->dir_len);
		break;
	case PLACES: break;
	}
	return n > 0 && (size_t)n < size;
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

/* Old recordings have ids filled up to 20 bytes with zeros. */
static bool
same_id(const struct search *s, const unsigned char *id, size_t len)
{
	if (len == 0 || len > s->id_len || memcmp(s->id, id, len) != 0)
		return false;
	return len == s->id_len ||
	    (s->id_len == ELF_BUILD_ID_MAX && all_zero(s->id + len, s->id_len - len));
}

/* ERR_DATA also where the place does not apply. */
static int
open_place(const struct search *s, enum place place, struct elf_file **out, struct err *e)
{
	char path[PATH_LEN_MAX];
	struct file_name name = { .path = path };

	if (!compose(s, place, path, sizeof path))
		return err_data(e, "no such place");
	if (place != AT_CACHE && place != AT_CACHE_DEBUG)
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
	    len == 0 ? "has no build id, the recording's has one"
		     : "another build id than the recording's");
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

/* Did the system fail, so that what was not found may be there? */
static bool
has_failed(const struct err *e)
{
	return e->code == ERR_SYS && !file_is_away(e);
}

/*
 * What the file at the object's own path says about itself: its debug link, and its build id
 * if it is not known.  Only a failure of the system is an error.
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

/* Takes f for what it has that is still looked for, or closes it. */
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
 * None of the files had what only the one that runs has.  A static program has none of that; a
 * debug file has its names, but not where they are in it.
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
 * Leaves in e why the file at the object's own path was of no use.  Where the system fails at
 * one place, no later one is taken instead: the names there may be others.
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

int
find_symbols(const struct find_roots *roots, const struct sym_object *o, struct symtab **out,
    struct err *e)
{
	struct search s = { .symfs = roots->symfs, .cache = roots->cache };
	char path[PATH_LEN_MAX];
	int rc;

	if (!find_is_file(o))
		return err_data(e, "not a file");
	memcpy(path, o->path, o->pathlen);
	path[o->pathlen] = '\0';
	s.path = path;
	s.dir_len = (int)(strrchr(path, '/') - path);
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
