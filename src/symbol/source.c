/* SPDX-License-Identifier: ISC */
/* source.c - the source of an object: inlined functions and lines. */
#include "src/symbol/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/mem.h"
#include "src/symbol/elf.h"

struct source {
	const struct places *places;
	char path[FILE_PATH_MAX]; /* of the object, as the recording spells it; "" for [vdso] */
	struct elf_range *segment; /* of the executed file */
	size_t segments;
	struct dwarf *dwarf;
};

/* ---- files that the DWARF refers to */

/* Opens a path that belongs to the recorded machine. */
static int
open_recorded(const struct source *d, const char *path, struct elf_file **out, struct err *e)
{
	struct file_name name = { .root = d->places->symfs, .path = path };

	return elf_file_open(&name, out, e);
}

/*
 * Writes DIR/NAME, or NAME alone if it is absolute.  Returns ERR_DATA if that is too long.  Neither
 * contains a NUL.
 */
static int
join(char path[FILE_PATH_MAX], struct slice dir, struct slice name, struct err *e)
{
	bool alone = name.len > 0 && name.p[0] == '/';
	int n;

	if (dir.len >= FILE_PATH_MAX || name.len >= FILE_PATH_MAX || name.len == 0)
		return err_data(e, "no such name");
	n = snprintf(path, FILE_PATH_MAX, "%.*s%s%.*s", alone ? 0 : (int)dir.len,
	    dir.len == 0 ? "" : dir.p, alone ? "" : "/", (int)name.len, name.p);
	return n < FILE_PATH_MAX ? 0 : err_data(e, "no such name");
}

static struct slice
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (struct slice){ path, slash == NULL ? 0 : (size_t)(slash - path) };
}

static int
open_dwo(void *ctx, struct slice dir, struct slice name, struct elf_file **out, struct err *e)
{
	const struct source *d = ctx;
	char path[FILE_PATH_MAX];
	struct slice base = name;
	size_t i;
	int rc = join(path, dir, name, e);

	if (rc == 0 && (rc = open_recorded(d, path, out, e)) == 0)
		return 0;
	if (places_have_failed(e))
		return rc;
	for (i = 0; i < name.len; i++)
		if (name.p[i] == '/')
			base = (struct slice){ name.p + i + 1, name.len - i - 1 };
	rc = join(path, folder_of(d->path), base, e);
	return rc == 0 ? open_recorded(d, path, out, e) : rc;
}

static int
open_dwp(void *ctx, struct elf_file **out, struct err *e)
{
	const struct source *d = ctx;
	char path[FILE_PATH_MAX];
	int n = snprintf(path, sizeof path, "%s.dwp", d->path);

	if (d->path[0] == '\0' || n >= FILE_PATH_MAX)
		return err_data(e, "no such name");
	return open_recorded(d, path, out, e);
}

/* Opens dwz's file if it has that build id. */
static int
open_checked(const struct file_name *name, const unsigned char *id, size_t id_len,
    struct elf_file **out, struct err *e)
{
	unsigned char own[ELF_BUILD_ID_MAX];
	struct elf_file *f;
	int rc;

	if ((rc = elf_file_open(name, &f, e)) != 0)
		return rc;
	if (id_len == elf_file_build_id(f, own) && memcmp(id, own, id_len) == 0) {
		*out = f;
		return 0;
	}
	if ((rc = elf_file_check(f, e)) == 0)
		rc = err_data(e, "dwz's shared file has a different build id");
	elf_file_close(f);
	return rc;
}

static int
open_alt(void *ctx, struct slice name, const unsigned char *id, size_t id_len,
    struct elf_file **out, struct err *e)
{
	const struct source *d = ctx;
	char path[FILE_PATH_MAX];
	struct file_name file = { .path = path };
	int rc;

	if (id_len == 0 || id_len > ELF_BUILD_ID_MAX)
		return err_data(e, "dwz's shared file has no build id");
	if (places_debug_file(d->places, id, id_len, path, &file.root)) {
		rc = open_checked(&file, id, id_len, out, e);
		if (rc == 0 || places_have_failed(e))
			return rc;
	}
	file.root = d->places->symfs;
	rc = join(path, folder_of(d->path), name, e);
	return rc == 0 ? open_checked(&file, id, id_len, out, e) : rc;
}

/* ---- the object */

/*
 * Takes the parts of all files: the segments of the one that ran, and the first DWARF.  Files that
 * have neither are closed.
 */
static int
collect(struct source *d, struct search *s, struct err *e)
{
	struct dwarf_related related = { d, open_alt, open_dwp, open_dwo };
	struct elf_file *f;
	int rc = 0;

	while (
	    rc == 0 && (d->segment == NULL || d->dwarf == NULL) && (f = search_next(s)) != NULL) {
		if (d->segment == NULL && !elf_file_is_hollow(f))
			rc = elf_file_segments(f, &d->segment, &d->segments, e);
		if (rc != 0 || d->dwarf != NULL || !dwarf_is_in(f)) {
			elf_file_close(f);
		} else if ((rc = dwarf_open(f, &related, &d->dwarf, e)) != 0) {
			elf_file_close(f);
		} else {
			dwarf_rest(d->dwarf);
		}
	}
	if (rc == 0 && s->failed)
		*e = s->why;
	return rc == 0 && s->failed ? e->code : rc;
}

int
source_open(struct search *s, struct source **out, struct err *e)
{
	struct source *d = mem_zero(1, sizeof *d);
	int rc;

	if (d == NULL)
		return err_nomem(e);
	d->places = s->places;
	memcpy(d->path, s->path, sizeof d->path);
	rc = collect(d, s, e);
	if (rc == 0 && d->dwarf == NULL)
		rc = err_data(e, "no debug information");
	else if (rc == 0 && d->segment == NULL)
		rc = err_data(e, "only its debug file was found");
	if (rc != 0) {
		source_close(d);
		return rc;
	}
	*out = d;
	return 0;
}

void
source_close(struct source *d)
{
	if (d == NULL)
		return;
	dwarf_close(d->dwarf);
	mem_free(d->segment);
	mem_free(d);
}

void
source_rest(struct source *d)
{
	dwarf_rest(d->dwarf);
}

int
source_find(struct source *d, uint64_t offset, struct dwarf_frame **frame, size_t *count,
    struct err *e)
{
	const struct elf_range *s = d->segment;
	size_t i;

	for (i = 0; i < d->segments; i++)
		if (offset >= s[i].offset && offset - s[i].offset < s[i].size)
			return dwarf_find(d->dwarf, offset - s[i].offset + s[i].vaddr, frame, count,
			    e);
	*count = 0;
	return 0;
}
