/* SPDX-License-Identifier: ISC */
/*
 * block.c - a library to be preloaded: open files with the path in BLOCK appear as block devices,
 * whose size fstat does not know.
 */
#define _GNU_SOURCE /* AT_EMPTY_PATH */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

int
fstat(int fd, struct stat *st)
{
	const char *path = getenv("BLOCK");
	struct stat named;

	if (fstatat(fd, "", st, AT_EMPTY_PATH) != 0)
		return -1;
	if (path == NULL || stat(path, &named) != 0 || named.st_dev != st->st_dev ||
	    named.st_ino != st->st_ino)
		return 0;
	st->st_mode = S_IFBLK | (st->st_mode & 07777);
	st->st_size = 0;
	return 0;
}
