/* SPDX-License-Identifier: ISC */
/* sigat.c - preloaded: SIGTERM comes just before the N-th (SIGAT) read, write, poll or lock. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static void *
real(const char *name64, const char *name)
{
	static long calls;
	const char *at = getenv("SIGAT");
	void *f = dlsym(RTLD_NEXT, name64);

	if (at != NULL && ++calls == atol(at))
		(void)raise(SIGTERM);
	return f != NULL ? f : dlsym(RTLD_NEXT, name);
}

int
poll(struct pollfd *p, nfds_t n, int ms)
{
	int (*call)(struct pollfd *, nfds_t, int);

	*(void **)&call = real("poll", "poll");
	return call(p, n, ms);
}

ssize_t
read(int fd, void *to, size_t n)
{
	ssize_t (*call)(int, void *, size_t);

	*(void **)&call = real("read", "read");
	return call(fd, to, n);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	ssize_t (*call)(int, const void *, size_t);

	*(void **)&call = real("write", "write");
	return call(fd, p, n);
}

ssize_t
pread(int fd, void *to, size_t n, off_t at)
{
	ssize_t (*call)(int, void *, size_t, off_t);

	*(void **)&call = real("pread64", "pread");
	return call(fd, to, n, at);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	ssize_t (*call)(int, const void *, size_t, off_t);

	*(void **)&call = real("pwrite64", "pwrite");
	return call(fd, p, n, at);
}

int
fcntl(int fd, int cmd, ...)
{
	int (*call)(int, int, ...);
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	*(void **)&call = real("fcntl64", "fcntl");
	return call(fd, cmd, arg);
}
