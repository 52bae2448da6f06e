/* SPDX-License-Identifier: ISC */
/* sigwrite.c - if preloaded, sends SIGTERM while pwrite writes. */
#include <signal.h>
#include <unistd.h>

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	ssize_t written = -1;

	if (lseek(fd, at, SEEK_SET) == at)
		written = write(fd, p, n);
	(void)raise(SIGTERM);
	return written;
}
