/* SPDX-License-Identifier: ISC */
/*
 * badclose.c - a library to be preloaded: closing a file that cannot be written does close it, but
 * returns an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <dlfcn.h>

int
close(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	int (*real)(int), rc;

	*(void **)&real = dlsym((void *)-1L, "close");
	rc = real(fd);
	if (rc != 0 || (flags & O_ACCMODE) != O_RDONLY)
		return rc;
	errno = EIO;
	return -1;
}
