/* SPDX-License-Identifier: ISC */
/* directory.c - the files of a recording that is a directory. */
#include "src/perfdata/input/directory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* N of data.N as perf spells it: decimal, without leading zeros. */
static bool
take_number(const char *digits, uint32_t *n)
{
	size_t len = strlen(digits), i;

	*n = 0;
	if (len == 0 || len > 9 || (digits[0] == '0' && len > 1))
		return false;
	for (i = 0; i < len; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return false;
		*n = *n * 10 + (uint32_t)(digits[i] - '0');
	}
	return true;
}

static int
add(struct directory *d, uint32_t number, struct err *e)
{
	size_t n = d->count;

	if (n == DIR_FILES_MAX)
		return err_data(e, "more than %d files of records", DIR_FILES_MAX);
	/* room doubles: it is used up at each power of two */
	if ((n & (n - 1)) == 0) {
		struct dir_file *file = mem_resize(d->file, (n == 0 ? 1 : 2 * n) * sizeof *file);

		if (file == NULL)
			return err_nomem(e);
		d->file = file;
	}
	d->file[d->count++] = (struct dir_file){ .number = number };
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	const struct dir_file *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int
directory_list(struct directory *d, struct err *e)
{
	DIR *dir = opendir(d->path);
	struct dirent *entry;
	uint32_t number;
	int rc = 0;

	if (dir == NULL)
		return err_sys(e, errno, "cannot read the directory");
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "data.", 5) != 0)
			continue;
		if (take_number(entry->d_name + 5, &number))
			rc = add(d, number, e);
		else
			d->odd++;
	}
	if (rc == 0 && errno != 0)
		rc = err_sys(e, errno, "cannot read the directory");
	(void)closedir(dir);
	if (d->count > 1)
		qsort(d->file, d->count, sizeof *d->file, by_number);
	return rc;
}

void
directory_free(struct directory *d)
{
	mem_free(d->file);
	*d = (struct directory){ 0 };
}

int
directory_path(const struct directory *d, size_t i, char *path, size_t size, struct err *e)
{
	int n = snprintf(path, size, "%s/data.%" PRIu32, d->path, d->file[i].number);

	return n > 0 && (size_t)n < size ? 0 : err_sys(e, ENAMETOOLONG, "cannot open");
}

const char *
directory_place(const struct directory *d, struct err *e, char *path, size_t size)
{
	struct err ignored;
	size_t i = d->begun;
	int n;

	if (d->path == NULL || e->place != ERR_BYTE)
		return NULL;
	while (i > 0 && d->file[i - 1].base > e->pos)
		i--;
	if (e->code == ERR_SYS)
		e->place = ERR_NOWHERE;
	if (i == 0) {
		n = snprintf(path, size, "%s/data", d->path);
		return n > 0 && (size_t)n < size ? path : NULL;
	}
	if (directory_path(d, i - 1, path, size, &ignored) != 0)
		return NULL;
	e->pos -= d->file[i - 1].base;
	return path;
}
