/* SPDX-License-Identifier: ISC */
/* folder.c - the files of a directory. */
#include "src/dcpi/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/mem.h"

static int
add(char ***list, size_t *count, char *path, struct err *e)
{
	size_t n = *count;

	if (n == FOLDER_MAX) {
		mem_free(path);
		return err_data(e, "more than %zu files in the directory", FOLDER_MAX);
	}
	/* room doubles: it is used up at each power of two */
	if ((n & (n - 1)) == 0) {
		char **more = mem_resize(*list, (n == 0 ? 1 : 2 * n) * sizeof *more);

		if (more == NULL) {
			mem_free(path);
			return err_nomem(e);
		}
		*list = more;
	}
	(*list)[(*count)++] = path;
	return 0;
}

static char *
join(const char *dir, const char *name)
{
	size_t d = strlen(dir), n = strlen(name);
	char *path = mem_alloc(d + n + 2);

	if (path == NULL)
		return NULL;
	memcpy(path, dir, d);
	if (d == 0 || dir[d - 1] != '/')
		path[d++] = '/';
	memcpy(path + d, name, n + 1);
	return path;
}

static int
add_entry(struct folder *f, const char *dir, const char *name, struct err *e)
{
	struct stat st;
	char *path;
	bool file;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	path = join(dir, name);
	if (path == NULL)
		return err_nomem(e);
	/* an entry that cannot be examined may be a profile: opening it gives the error */
	file = stat(path, &st) == 0 ? S_ISREG(st.st_mode) : errno != ENOENT && errno != ELOOP;
	if (file)
		return add(&f->path, &f->count, path, e);
	return add(&f->odd_path, &f->odd, path, e);
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
dcpi_folder_list(struct folder *f, const char *dir, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int rc = 0;

	if (d == NULL)
		return err_sys(e, errno, "cannot read the directory");
	while (rc == 0 && (errno = 0, entry = readdir(d)) != NULL)
		rc = add_entry(f, dir, entry->d_name, e);
	if (rc == 0 && errno != 0)
		rc = err_sys(e, errno, "cannot read the directory");
	(void)closedir(d);
	if (f->count > 1)
		qsort(f->path, f->count, sizeof *f->path, by_bytes);
	if (f->odd > 1)
		qsort(f->odd_path, f->odd, sizeof *f->odd_path, by_bytes);
	return rc;
}

static void
free_list(char **list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		mem_free(list[i]);
	mem_free(list);
}

void
dcpi_folder_free(struct folder *f)
{
	free_list(f->path, f->count);
	free_list(f->odd_path, f->odd);
	*f = (struct folder){ 0 };
}
