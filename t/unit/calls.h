/* SPDX-License-Identifier: ISC */
/*
 * calls.h - the system calls of a unit test, of which the next ones can be made to fail or to do
 * less.  A test includes it once; these functions then take the place of the C library's (glibc,
 * with _FILE_OFFSET_BITS=64).
 */
#ifndef AFPIPE_UNIT_CALLS_H
#define AFPIPE_UNIT_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum call {
	CALL_READ,
	CALL_PREAD,
	CALL_WRITE,
	CALL_OPEN,
	CALL_OPENAT2,
	CALL_FSTAT,
	CALL_FSTATAT,
	CALL_STATFS, /* also fstatfs */
	CALL_FCNTL,
	CALL_LSEEK,
	CALL_TRUNCATE,
	CALL_MKSTEMP,
	CALL_READLINK,
	CALLS
};

/* What happens to the calls of a kind: after PASS of them, COUNT fail, with ERROR. */
struct call_plan {
	unsigned pass, count;
	int error;
	size_t most; /* bytes that each call reads or writes; 0: no limit */
	unsigned failed; /* how many have failed */
};

static struct call_plan calls[CALLS];
static uint32_t calls_magic; /* what statfs says is the type of the file system; 0: the truth */
static bool calls_other_file; /* fstat says that it is another file */

#define REAL(f, name) (*(void **)&(f) = dlsym(RTLD_NEXT, name))

/* Makes calls fail: COUNT of them, after PASS that do not. */
static inline void
calls_fail(enum call c, unsigned pass, unsigned count, int error)
{
	calls[c] = (struct call_plan){ .pass = pass, .count = count, .error = error };
}

/* Lets all calls do what they should.  Returns true if one of that kind has failed. */
static inline bool
calls_reset(enum call c)
{
	bool failed = calls[c].failed != 0;

	memset(calls, 0, sizeof calls);
	calls_magic = 0;
	calls_other_file = false;
	return failed;
}

/* Returns true if this call fails. */
static inline bool
call_fails(enum call c)
{
	struct call_plan *p = &calls[c];

	if (p->count == 0)
		return false;
	if (p->pass != 0) {
		p->pass--;
		return false;
	}
	p->count--;
	p->failed++;
	errno = p->error;
	return true;
}

static inline size_t
call_size(enum call c, size_t n)
{
	return calls[c].most != 0 && n > calls[c].most ? calls[c].most : n;
}

ssize_t
read(int fd, void *p, size_t n)
{
	ssize_t (*call)(int, void *, size_t);

	REAL(call, "read");
	return call_fails(CALL_READ) ? -1 : call(fd, p, call_size(CALL_READ, n));
}

ssize_t
write(int fd, const void *p, size_t n)
{
	ssize_t (*call)(int, const void *, size_t);

	REAL(call, "write");
	return call_fails(CALL_WRITE) ? -1 : call(fd, p, call_size(CALL_WRITE, n));
}

ssize_t
pread(int fd, void *p, size_t n, off_t at)
{
	ssize_t (*call)(int, void *, size_t, off_t);

	REAL(call, "pread64");
	return call_fails(CALL_PREAD) ? -1 : call(fd, p, call_size(CALL_PREAD, n), at);
}

int
open(const char *name, int flags, ...)
{
	int (*call)(const char *, int, ...), mode;
	va_list args;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	REAL(call, "open64");
	return call_fails(CALL_OPEN) ? -1 : call(name, flags, mode);
}

/* With _FORTIFY_SOURCE, as in packages, this is an open with flags that are not constant. */
int __open64_2(const char *name, int flags);

int
__open64_2(const char *name, int flags)
{
	int (*call)(const char *, int, ...);

	REAL(call, "open64");
	return call_fails(CALL_OPEN) ? -1 : call(name, flags);
}

/* The only call of this sort is openat2. */
long
syscall(long number, ...)
{
	long (*call)(long, ...), a, b, c, d;
	va_list args;

	va_start(args, number);
	a = va_arg(args, long);
	b = va_arg(args, long);
	c = va_arg(args, long);
	d = va_arg(args, long);
	va_end(args);
	REAL(call, "syscall");
	return call_fails(CALL_OPENAT2) ? -1 : call(number, a, b, c, d);
}

int
fstat(int fd, struct stat *st)
{
	int (*call)(int, struct stat *), rc;

	REAL(call, "fstat64");
	rc = call_fails(CALL_FSTAT) ? -1 : call(fd, st);
	st->st_ino += calls_other_file;
	return rc;
}

int
fstatat(int at, const char *name, struct stat *st, int flags)
{
	int (*call)(int, const char *, struct stat *, int);

	REAL(call, "fstatat64");
	return call_fails(CALL_FSTATAT) ? -1 : call(at, name, st, flags);
}

int
fstatfs(int fd, struct statfs *fs)
{
	int (*call)(int, struct statfs *), rc;

	REAL(call, "fstatfs64");
	rc = call_fails(CALL_STATFS) ? -1 : call(fd, fs);
	if (calls_magic != 0)
		memcpy(&fs->f_type, &(__typeof__(fs->f_type)){ calls_magic }, sizeof fs->f_type);
	return rc;
}

int
statfs(const char *name, struct statfs *fs)
{
	int (*call)(const char *, struct statfs *);

	REAL(call, "statfs64");
	return call_fails(CALL_STATFS) ? -1 : call(name, fs);
}

int
fcntl(int fd, int what, ...)
{
	int (*call)(int, int, ...);
	va_list args;
	long argument;

	va_start(args, what);
	argument = va_arg(args, long);
	va_end(args);
	REAL(call, "fcntl64");
	return call_fails(CALL_FCNTL) ? -1 : call(fd, what, argument);
}

off_t
lseek(int fd, off_t to, int whence)
{
	off_t (*call)(int, off_t, int);

	REAL(call, "lseek64");
	return call_fails(CALL_LSEEK) ? -1 : call(fd, to, whence);
}

int
ftruncate(int fd, off_t size)
{
	int (*call)(int, off_t);

	REAL(call, "ftruncate64");
	return call_fails(CALL_TRUNCATE) ? -1 : call(fd, size);
}

int
mkstemp(char *name)
{
	int (*call)(char *);

	REAL(call, "mkstemp64");
	return call_fails(CALL_MKSTEMP) ? -1 : call(name);
}

ssize_t
readlink(const char *name, char *to, size_t n)
{
	ssize_t (*call)(const char *, char *, size_t);

	REAL(call, "readlink");
	if (call_fails(CALL_READLINK))
		return errno == 0 ? 0 : -1;
	return call(name, to, n);
}

#endif
