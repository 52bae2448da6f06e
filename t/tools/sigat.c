/* SPDX-License-Identifier: ISC */
/*
 * sigat.c - if preloaded, sends SIGTERM just before the SIGAT-th read, write, poll or lock.  With
 * SIGAT=wait it comes before the program waits for the first time, for input, the writer of a pipe
 * or a lock, after the program has checked for the last time whether it should stop.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Called before a call that may wait. */
static void
come(int waits)
{
	static long calls, waited;
	const char *at = getenv("SIGAT");

	if (at == NULL)
		return;
	if (strcmp(at, "wait") == 0 ? waits && waited++ == 0 : ++calls == atol(at))
		(void)raise(SIGTERM);
}

/* Returns the function of the C library.  Programs for large files call NAME64. */
static void *
real(const char *name64, const char *name)
{
	void *f = dlsym(RTLD_NEXT, name64);

	return f != NULL ? f : dlsym(RTLD_NEXT, name);
}

static int
real_poll(struct pollfd *p, nfds_t n, int ms)
{
	int (*call)(struct pollfd *, nfds_t, int);

	*(void **)&call = real("poll", "poll");
	return call(p, n, ms);
}

int
poll(struct pollfd *p, nfds_t n, int ms)
{
	come(ms < 0 && real_poll(p, n, 0) == 0);
	return real_poll(p, n, ms);
}

ssize_t
read(int fd, void *to, size_t n)
{
	ssize_t (*call)(int, void *, size_t);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	*(void **)&call = real("read", "read");
	come(real_poll(&p, 1, 0) == 0);
	return call(fd, to, n);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	ssize_t (*call)(int, const void *, size_t);

	*(void **)&call = real("write", "write");
	come(0);
	return call(fd, p, n);
}

ssize_t
pread(int fd, void *to, size_t n, off_t at)
{
	ssize_t (*call)(int, void *, size_t, off_t);

	*(void **)&call = real("pread64", "pread");
	come(0);
	return call(fd, to, n, at);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	ssize_t (*call)(int, const void *, size_t, off_t);

	*(void **)&call = real("pwrite64", "pwrite");
	come(0);
	return call(fd, p, n, at);
}

int
open(const char *name, int flags, ...)
{
	int (*call)(const char *, int, ...);
	struct stat st;
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(ap, int) : 0;
	va_end(ap);
	*(void **)&call = real("open64", "open");
	if ((flags & O_NONBLOCK) == 0 && stat(name, &st) == 0 && S_ISFIFO(st.st_mode))
		come(1);
	return call(name, flags, mode);
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
	come(cmd == F_SETLKW && call(fd, F_SETLK, arg) != 0);
	return call(fd, cmd, arg);
}
