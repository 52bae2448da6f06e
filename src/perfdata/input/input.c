/* SPDX-License-Identifier: ISC */
/* input.c - the operand, a file or a directory of files; reports errors in it. */
#include "src/perfdata/input/input.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/vec.h"

/*
 * Sets PATH to DIR/NAME and *mode to its mode, or to 0 if it is not accessible.  Returns ERR_SYS if
 * this cannot be determined.
 */
static int
look_for(const char *dir, const char *name, char path[INPUT_PATH], mode_t *mode, struct err *e)
{
	struct stat st = { .st_mode = 0 };
	int n = snprintf(path, INPUT_PATH, "%s/%s", dir, name);

	if (n < 0 || n >= INPUT_PATH)
		err_sys(e, ENAMETOOLONG, "cannot open");
	else if (stat(path, &st) == 0)
		e->code = ERR_NONE;
	else
		err_sys(e, errno, "cannot read");
	*mode = st.st_mode;
	return e->code == ERR_NONE || file_is_away(e) ? 0 : e->code;
}

static bool
is_directory(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Finds the kernel's symbols from perf record --kcore.  If there are none, only names are missing.
 */
static int
find_kallsyms(struct input *i, struct err *e)
{
	char path[INPUT_PATH];
	mode_t mode;

	if (look_for(i->directory, "kcore_dir/kallsyms", path, &mode, e) != 0)
		return e->code;
	if (S_ISREG(mode))
		memcpy(i->kallsyms, path, sizeof path);
	return 0;
}

int
input_open(struct input *i, const char *name, int fd, bool with_kallsyms, struct err *e)
{
	char data[INPUT_PATH];
	mode_t mode;
	int rc;

	i->in.fd = -1;
	if (strcmp(name, "-") == 0)
		return in_open_fd(&i->in, fd, e);
	if (!is_directory(name))
		return in_open(&i->in, name, e);
	if (look_for(name, "data", data, &mode, e) != 0)
		return e->code;
	if (mode == 0)
		return in_open(&i->in, name, e);
	i->directory = name;
	rc = in_open_regular(&i->in, data, e);
	if (rc != 0)
		err_at_byte(e, 0);
	return rc == 0 && with_kallsyms ? find_kallsyms(i, e) : rc;
}

void
input_close(struct input *i)
{
	in_close(&i->in);
	mem_free(i->sibling);
	blocks_free(&i->blocks);
	runs_free(&i->runs);
}

/* Reads the N of data.N as perf spells it: decimal, without leading zeros. */
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
add(struct input *i, size_t *cap, uint32_t number, struct err *e)
{
	if (i->siblings == SIBLINGS_MAX)
		return err_data(e, "more than %d files of records", SIBLINGS_MAX);
	if (!vec_room(i->sibling, i->siblings, *cap))
		return err_nomem(e);
	i->sibling[i->siblings++] = (struct sibling){ .number = number };
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int
input_list_siblings(struct input *i, struct err *e)
{
	DIR *dir = opendir(i->directory);
	struct dirent *entry;
	uint32_t number;
	size_t cap = 0;
	int rc = 0;

	if (dir == NULL)
		return err_sys(e, errno, "cannot read the directory");
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "data.", 5) != 0)
			continue;
		if (take_number(entry->d_name + 5, &number))
			rc = add(i, &cap, number, e);
		else
			i->odd++;
	}
	if (rc == 0 && errno != 0)
		rc = err_sys(e, errno, "cannot read the directory");
	(void)closedir(dir);
	if (i->siblings > 1)
		qsort(i->sibling, i->siblings, sizeof *i->sibling, by_number);
	return rc;
}

/* Writes the path of the N-th sibling to PATH.  Returns ERR_SYS if it does not fit. */
static int
path_of(const struct input *i, size_t n, char path[INPUT_PATH], struct err *e)
{
	int len =
	    snprintf(path, INPUT_PATH, "%s/data.%" PRIu32, i->directory, i->sibling[n].number);

	return len > 0 && len < INPUT_PATH ? 0 : err_sys(e, ENAMETOOLONG, "cannot open");
}

int
input_open_sibling(struct input *i, size_t n, uint64_t base, struct in *in, struct err *e)
{
	char path[INPUT_PATH];

	i->sibling[n].base = base;
	i->siblings_begun = n + 1;
	if (path_of(i, n, path, e) != 0)
		return e->code;
	return in_open_regular(in, path, e);
}

/*
 * Writes the path of the file that contains the byte of e to PATH, and makes e's place relative to
 * that file (system failures get no place).  Returns NULL if e is not about a byte, or if the
 * operand is one file.
 */
static const char *
file_of(const struct input *in, struct err *e, char path[INPUT_PATH])
{
	struct err ignored;
	size_t i = in->siblings_begun;

	if (in->directory == NULL || e->place != ERR_BYTE)
		return NULL;
	while (i > 0 && in->sibling[i - 1].base > e->pos)
		i--;
	if (e->code == ERR_SYS)
		e->place = ERR_NOWHERE;
	if (i == 0) {
		(void)snprintf(path, INPUT_PATH, "%s/data", in->directory); /* was opened */
		return path;
	}
	if (path_of(in, i - 1, path, &ignored) != 0)
		return NULL;
	e->pos -= in->sibling[i - 1].base;
	return path;
}

void
input_refuse(const struct input *i, const struct err *e)
{
	char path[INPUT_PATH];
	struct err local = *e;
	const char *file = file_of(i, &local, path);

	report_error(i->to, file, &local);
}

void
input_report(struct input *i, const struct err *e)
{
	i->damaged = true;
	input_refuse(i, e);
}

void
input_note(const struct input *i, const char *text)
{
	report_note(i->to, text);
}
