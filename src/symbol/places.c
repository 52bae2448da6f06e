/* SPDX-License-Identifier: ISC */
/* places.c - finds the files of an object. */
#include "src/symbol/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#define DEBUG_ROOT "/usr/lib/debug"

enum place {
	AT_PATH,
	AT_PROCESS,
	AT_CACHE,
	AT_CACHE_DEBUG,
	AT_CACHE_VDSO,
	AT_DEBUG_ROOT_ID,
	AT_LINK_BESIDE,
	AT_LINK_DEBUG_DIR,
	AT_LINK_DEBUG_ROOT,
	AT_DEBUG_ROOT_SUFFIX,
	AT_DEBUG_ROOT_PATH,
	AT_DEBUG_DIR,
	AT_RUNNING_VDSO,
	AT_MINI,
	AT_FETCHED_DEBUG,
	AT_FETCHED,
	PLACES,
	AT_CACHE_KALLSYMS = PLACES, /* for kernels; not a place of an object */
};

/*
 * The file names of the places.  %P is the object's path, %D its directory, %N its last part, %L
 * the name in its debug link, and %X its build id as XX/REST.  %C is perf's build-id cache and %U
 * the directory of debug files.  A place is skipped if one of its parts is not known.
 */
static const char *const place_form[PLACES + 1] = {
	[AT_PATH] = "%P",
	[AT_PROCESS] = "%P", /* below the root of the process */
	[AT_CACHE] = "%C/.build-id/%X/elf",
	[AT_CACHE_DEBUG] = "%C/.build-id/%X/debug",
	[AT_CACHE_VDSO] = "%C/.build-id/%X/vdso",
	[AT_DEBUG_ROOT_ID] = "%U/.build-id/%X.debug",
	[AT_LINK_BESIDE] = "%D/%L",
	[AT_LINK_DEBUG_DIR] = "%D/.debug/%L",
	[AT_LINK_DEBUG_ROOT] = "%U%D/%L",
	[AT_DEBUG_ROOT_SUFFIX] = "%U%P.debug",
	[AT_DEBUG_ROOT_PATH] = "%U%P",
	[AT_DEBUG_DIR] = "%D/.debug%N",
	[AT_RUNNING_VDSO] = NULL, /* not a file but memory */
	[AT_MINI] = NULL, /* inside a file */
	[AT_FETCHED_DEBUG] = NULL, /* at a path that the debuginfod client returns */
	[AT_FETCHED] = NULL,
	[AT_CACHE_KALLSYMS] = "%C/.build-id/%X/kallsyms",
};

bool
places_are_there(const struct sym_object *o)
{
	if (o->pathlen == 6 && memcmp(o->path, "[vdso]", 6) == 0)
		return o->build_id != NULL;
	return o->pathlen > 1 && o->pathlen < FILE_PATH_MAX && o->path[0] == '/' &&
	    o->path[1] != '/' && memchr(o->path, '\0', o->pathlen) == NULL;
}

#define ID_TEXT (2 * ELF_BUILD_ID_MAX + 2)

/* Writes the build id as "XX/REST", or "" if it is not known. */
static void
spell_id(const struct search *s, char text[ID_TEXT])
{
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < s->id_len; i++)
		n += (size_t)snprintf(text + n, ID_TEXT - n, i == 0 ? "%02x/" : "%02x", s->id[i]);
}

/* Writes the place's file name to buf.  Returns false if there is none. */
static bool
compose(const struct search *s, enum place place, char buf[FILE_PATH_MAX])
{
	const char *form = place_form[place], *part;
	const char *debug_dir = s->places->debug_dir;
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
		case 'C': part = s->places->cache; break;
		case 'U': part = debug_dir != NULL ? debug_dir : DEBUG_ROOT; break;
		}
		if (part == NULL || *part == '\0')
			return false;
		put = snprintf(buf + n, FILE_PATH_MAX - n, "%.*s",
		    part == form       ? 1
			: *form == 'D' ? (int)s->dir_len
				       : FILE_PATH_MAX,
		    part);
		n += put > 0 ? (size_t)put : 0;
		if (put < 0 || n >= FILE_PATH_MAX)
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

bool
places_have_failed(const struct err *e)
{
	return e->code == ERR_SYS && !file_is_away(e);
}

/* ---- is a file the recorded one? */

/* Compares build ids.  Old recordings have ids padded to 20 bytes with zeros. */
static bool
same_id(const struct search *s, const unsigned char *id, size_t len)
{
	if (len == 0 || len > s->id_len || memcmp(s->id, id, len) != 0)
		return false;
	return len == s->id_len ||
	    (s->id_len == ELF_BUILD_ID_MAX && all_zero(s->id + len, s->id_len - len));
}

static bool
is_link(enum place place)
{
	return place == AT_LINK_BESIDE || place == AT_LINK_DEBUG_DIR || place == AT_LINK_DEBUG_ROOT;
}

bool
places_are_elsewhere(const struct sym_origin *origin)
{
	struct utsname now;

	return origin->host.len != 0 &&
	    (uname(&now) != 0 || !slice_eq(origin->host, slice_of(now.nodename)));
}

/*
 * Returns true if perf inject -j made the file from a jitdump, and the record of its mapping: that
 * has the generation 1, whatever the file has (jit_repipe_code_load of perf's util/jitdump.c).
 */
static bool
is_injected(const struct sym_object *o)
{
	struct slice base = slice_base((struct slice){ o->path, o->pathlen });

	return o->file.generation == 1 && base.len > 7 && memcmp(base.p, "jitted-", 7) == 0;
}

/*
 * Returns true if f is the file of that device, inode and generation.  Devices without a major
 * number belong to file systems (btrfs, overlayfs) that report one number to stat and another in
 * mappings.
 */
static bool
is_mapped_file(struct elf_file *f, const struct sym_object *o)
{
	const struct sym_file *file = &o->file;
	struct elf_stamp stamp = elf_file_stamp(f);
	uint64_t generation;

	if (stamp.inode != file->inode)
		return false;
	if (major(stamp.device) != 0 &&
	    (major(stamp.device) != file->major || minor(stamp.device) != file->minor))
		return false;
	return file->generation == 0 || is_injected(o) || !elf_file_generation(f, &generation) ||
	    generation == (uint32_t)file->generation;
}

/*
 * Returns true if f replaced the mapped file before the recording ended.  perf lists the build ids
 * of the files that it finds at the end, so the listed id is then the id of f, and not the id of
 * the file that ran.
 */
static bool
has_replaced(const struct search *s, enum place place, struct elf_file *f)
{
	const struct sym_object *o = s->object;
	struct elf_stamp stamp = elf_file_stamp(f);
	uint64_t end = o->origin != NULL ? o->origin->end : 0;

	return (place == AT_PATH || place == AT_PROCESS) && s->places->symfs == NULL &&
	    o->build_id != NULL && o->file.inode != 0 && o->origin != NULL &&
	    !places_are_elsewhere(o->origin) && major(stamp.device) != 0 &&
	    major(stamp.device) == o->file.major && minor(stamp.device) == o->file.minor &&
	    !is_mapped_file(f, o) && (end == 0 || stamp.renamed <= end);
}

/* Checks a file that neither a build id nor a CRC identifies. */
static int
check_origin(const struct search *s, enum place place, struct elf_file *f, struct err *e)
{
	static const struct sym_origin unknown = { .end = 0 };
	const struct sym_object *o = s->object;
	const struct sym_origin *origin = o->origin != NULL ? o->origin : &unknown;
	struct elf_stamp stamp = elf_file_stamp(f);
	bool mapped = o->file.inode != 0;

	if (s->places->symfs != NULL)
		return 0; /* the user put it there for this recording */
	if (places_are_elsewhere(origin))
		return err_data(e,
		    "no build id, and from another machine, so it cannot be checked");
	if (origin->past)
		return err_data(e,
		    "no build id, and the recording has no date, so it cannot be checked");
	if (place != AT_PATH && !(place == AT_PROCESS && mapped) && !s->fits)
		return err_data(e, "no build id, so it cannot be checked");
	if (mapped && (place == AT_PATH || place == AT_PROCESS)) {
		if (!is_mapped_file(f, o))
			return err_data(e,
			    "no build id, and a different device or inode, so it cannot be "
			    "checked");
		if (origin->end == 0 || stamp.changed <= origin->end)
			return 0; /* only renamed since then, so still the same file */
	} else if (origin->end == 0) {
		return err_data(e, "no build id and no date, so it cannot be checked");
	} else if (stamp.changed <= origin->end && stamp.renamed <= origin->end) {
		return 0;
	}
	return err_data(e, "no build id, and newer than the recording, so it cannot be checked");
}

static int
check_crc(const struct search *s, struct elf_file *f, struct err *e)
{
	uint32_t crc;
	int rc = elf_file_crc(f, &crc, e);

	if (rc != 0 || crc == s->crc)
		return rc;
	return err_data(e, "its CRC differs from the one in .gnu_debuglink");
}

static int
check(struct search *s, enum place place, struct elf_file *f, struct err *e)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(f, id);

	if (elf_file_check(f, e) != 0)
		return e->code;
	if (place == AT_PATH && s->policy == PLACES_FORCED)
		return 0;
	if (same_id(s, id, len)) {
		if (!has_replaced(s, place, f))
			return 0;
		s->next = PLACES; /* a file with that id elsewhere is just as wrong */
		return s->object->origin->end != 0
		    ? err_data(e, "it replaced the file that ran during the recording")
		    : err_data(e,
			  "it may have replaced the file that ran, and the recording's end is not "
			  "known: decode the file itself");
	}
	if (s->id_len != 0 && (len != 0 || !is_link(place)))
		return err_data(e,
		    len == 0 ? "it has no build id, but the recording gives one"
			     : "its build id differs from the recording's");
	return is_link(place) ? check_crc(s, f, e) : check_origin(s, place, f, e);
}

/* ---- the search */

/* Sets the root for the place.  Directories given by options are not below symfs. */
static void
set_root(const struct search *s, enum place place, struct file_name *name)
{
	const char *form = place_form[place];

	if (place == AT_PROCESS)
		name->root = s->root;
	else if (form[1] != 'C' && (form[1] != 'U' || s->places->debug_dir == NULL))
		name->root = s->places->symfs;
}

/* Opens a file from a server.  Does not fetch the executed file if it is already there. */
static int
open_fetched(const struct search *s, enum place place, struct elf_file **out, struct err *e)
{
	enum fetch_kind kind = place == AT_FETCHED ? FETCH_OBJECT : FETCH_DEBUG;
	struct file_name name = { .root = NULL };
	int rc;

	if (s->places->fetch == NULL || s->id_len == 0 || s->path[0] == '\0' ||
	    (kind == FETCH_OBJECT && s->fits))
		return err_data(e, "no such place");
	rc = fetch_file(s->places->fetch, kind, s->id, s->id_len, s->path, &name.path, e);
	return rc == 0 ? elf_file_open(&name, out, e) : rc;
}

/* Opens the file at a place.  Also returns ERR_DATA if the place does not apply. */
static int
open_place(const struct search *s, enum place place, struct elf_file **out, struct err *e)
{
	char path[FILE_PATH_MAX];
	struct file_name name = { .path = path };

	if (place == AT_RUNNING_VDSO && s->path[0] == '\0' && s->id_len != 0)
		return elf_vdso_open(out, e);
	if (place == AT_FETCHED || place == AT_FETCHED_DEBUG)
		return open_fetched(s, place, out, e);
	if (!compose(s, place, path) || (place == AT_PROCESS && s->root[0] == '\0'))
		return err_data(e, "no such place");
	set_root(s, place, &name);
	return elf_file_open(&name, out, e);
}

/* Opens the file inside the .gnu_debugdata of a file that fits. */
static int
open_mini(struct search *s, struct elf_file **out, struct err *e)
{
	struct elf_file *f;
	int rc = open_place(s, (enum place)s->mini, &f, e);

	if (rc != 0)
		return rc;
	rc = check(s, (enum place)s->mini, f, e);
	if (rc == 0)
		rc = elf_mini_open(f, out, e);
	elf_file_close(f);
	return rc;
}

/*
 * Takes from a file that fits the information about the others: its debug link, its build id if
 * that is not known, and whether it has symbols inside .gnu_debugdata.
 */
static int
learn(struct search *s, enum place place, struct elf_file *f, struct err *e)
{
	uint32_t crc;
	const char *link = s->link[0] == '\0' ? elf_file_debuglink(f, &crc) : NULL;

	if (link != NULL && strlen(link) < sizeof s->link) {
		memcpy(s->link, link, strlen(link) + 1);
		s->crc = crc;
	}
	if (place == AT_PATH) {
		s->fits = true;
		if (s->policy == PLACES_FORCED)
			s->id_len = 0; /* its debug files must match the file, not the recording */
	}
	if (s->id_len == 0)
		s->id_len = elf_file_build_id(f, s->id);
	if (s->mini == PLACES && elf_file_has_mini(f))
		s->mini = place;
	return elf_file_check(f, e);
}

static int
open_fitting(struct search *s, enum place place, struct elf_file **out, struct err *e)
{
	struct elf_file *f;
	int rc;

	if (place == AT_MINI)
		return s->mini != PLACES ? open_mini(s, out, e) : err_data(e, "there is none");
	if ((rc = open_place(s, place, &f, e)) != 0)
		return rc;
	if ((rc = check(s, place, f, e)) != 0 || (rc = learn(s, place, f, e)) != 0) {
		elf_file_close(f);
		return rc;
	}
	*out = f;
	return 0;
}

/* Sets the path of an object and the root of its process.  The vdso is not in a file. */
static void
set_path(struct search *s, const struct sym_object *o)
{
	if (o->path[0] != '/')
		return;
	memcpy(s->path, o->path, o->pathlen);
	s->path[o->pathlen] = '\0';
	s->dir_len = (size_t)(strrchr(s->path, '/') - s->path);
	if (s->places->symfs == NULL && o->pid != 0)
		(void)snprintf(s->root, sizeof s->root, "/proc/%" PRIu32 "/root", o->pid);
}

void
search_begin(struct search *s, const struct places *places, const struct sym_object *o,
    enum places_policy policy)
{
	*s = (struct search){ .places = places, .object = o, .policy = policy, .mini = PLACES };
	err_data(&s->why, "no symbols in it");
	set_path(s, o);
	if (o->build_id != NULL && !all_zero(o->build_id, o->build_id_len)) {
		memcpy(s->id, o->build_id, o->build_id_len);
		s->id_len = o->build_id_len;
	}
}

/* Returns true if the place is a server, whose answer should be reported. */
static bool
was_asked(const struct search *s, enum place place)
{
	return place == AT_FETCHED_DEBUG && s->places->fetch != NULL && s->id_len != 0;
}

struct elf_file *
search_next(struct search *s)
{
	struct elf_file *f;
	struct err why;
	enum place place;

	while (s->next < PLACES && !s->failed) {
		place = (enum place)s->next++;
		if (open_fitting(s, place, &f, &why) == 0) {
			s->found++;
			return f;
		}
		s->failed = places_have_failed(&why);
		if (place == AT_PATH || s->failed || was_asked(s, place))
			s->why = why;
	}
	return NULL;
}

bool
places_kernel_list(const struct places *places, const struct sym_kernel *k,
    char path[FILE_PATH_MAX])
{
	struct search s = { .places = places, .id_len = k->build_id_len };

	if (k->build_id == NULL)
		return false;
	memcpy(s.id, k->build_id, k->build_id_len);
	return compose(&s, AT_CACHE_KALLSYMS, path);
}

bool
places_debug_file(const struct places *places, const unsigned char *id, size_t len,
    char path[FILE_PATH_MAX], const char **root)
{
	struct search s = { .places = places, .id_len = len };
	struct file_name name = { .root = NULL };

	memcpy(s.id, id, len);
	set_root(&s, AT_DEBUG_ROOT_ID, &name);
	*root = name.root;
	return compose(&s, AT_DEBUG_ROOT_ID, path);
}
