/* SPDX-License-Identifier: ISC */
/*
 * places.h - finds the files of an object: the one that ran, and those with its debug information.
 *
 * A file is looked for in these places: the recorded path (below SYMFS if that is given), the same
 * path in the mount namespace of a process that is still running, perf's build-id cache, and the
 * directory of debug files (by build id, by the name in .gnu_debuglink, by path), .gnu_debugdata
 * inside one of the files found so far, and debuginfod servers, only if the user asked for them.
 * Unlike perf we do not look in the current directory.
 *
 * A file is used only if it is the recorded one:
 *	- its build id is that of the recording.  If the recording gives none, the id of the file at
 *	  the recorded path takes its place, so that its debug file must match it;
 *	- where the build id of one file is missing, the CRC in .gnu_debuglink is that of the debug
 *	  file;
 *	- the file at the recorded path of an object without a build id is trusted below SYMFS.
 *	  Otherwise the recording must be of this machine.  Device, inode and generation of the
 *	  mapping must be those of the file; if the recording does not have them, the file must be
 *	  older than the recording.
 * With PLACES_FORCED the file at the recorded path is used whatever it is.
 */
#ifndef AFPIPE_SYMBOL_PLACES_H
#define AFPIPE_SYMBOL_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/file.h"
#include "lib/symbolizer.h"
#include "src/symbol/elf.h"
#include "src/symbol/fetch.h"

/* The directories.  Borrowed; each may be NULL. */
struct places {
	const char *symfs; /* serves as / for every path that the recording names */
	const char *cache; /* perf's build-id cache ($HOME/.debug), used as given */
	const char
	    *debug_dir; /* with debug files, used as given; NULL: /usr/lib/debug below symfs */
	struct fetch *fetch; /* gets files from servers */
};

enum places_policy { PLACES_CHECKED, PLACES_FORCED };

#define PLACES_ROOT_MAX 32

/* A search for the files of one object, in order. */
struct search {
	const struct places *places;
	const struct sym_object *object;
	enum places_policy policy;
	unsigned next; /* the next place */
	bool failed; /* the system failed, so that a file that was not found may exist */
	bool fits; /* the file at the object's path is the recorded one */
	size_t found; /* the number of files that fit, so far */
	struct err why; /* why no file was usable: the reason for the one at the object's path */
	char path[FILE_PATH_MAX]; /* the object's path; "" if it is [vdso] */
	size_t dir_len; /* length of path up to its last slash */
	char root[PLACES_ROOT_MAX]; /* of the process that mapped the object, or "" */
	char link[FILE_PATH_MAX]; /* the debug link's name, "" for none */
	uint32_t crc; /* of the file that link names */
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t id_len; /* 0: unknown */
	unsigned mini; /* the place of the file that has .gnu_debugdata */
};

/*
 * Returns true if an object of that name can have files: an absolute path, or the vdso.  Excludes
 * [heap], //anon, memfd:... and all other names.
 */
bool places_are_there(const struct sym_object *o);

/*
 * Begins a search.  o must be one for which places_are_there is true.  Both pointers are borrowed,
 * and s must stay where it is while any of its files is open.
 */
void search_begin(struct search *s, const struct places *places, const struct sym_object *o,
    enum places_policy policy);

/*
 * Returns the next file that fits, which the caller closes, or NULL at the end.  s->why then has
 * ERR_DATA or ERR_SYS; s->failed means that the system failed.  After that no later file is used
 * instead, since the names there may be different.
 */
struct elf_file *search_next(struct search *s);

/*
 * Writes the path of the kernel's symbols in perf's cache to path.  Returns false if there is no
 * cache or the build id is not known.
 */
bool places_kernel_list(const struct places *places, const struct sym_kernel *k,
    char path[FILE_PATH_MAX]);

/*
 * Writes the path of the debug file with that build id, of at most ELF_BUILD_ID_MAX bytes, in the
 * directory of debug files, to path, and sets *root to the directory that serves as / for it.
 * Returns false if there is none.
 */
bool places_debug_file(const struct places *places, const unsigned char *id, size_t len,
    char path[FILE_PATH_MAX], const char **root);

/* Returns true if the recording is known to be of another machine, where inodes mean nothing. */
bool places_are_elsewhere(const struct sym_origin *origin);

/* Returns true if the system failed, so that a file that was not found may exist. */
bool places_have_failed(const struct err *e);

#endif
