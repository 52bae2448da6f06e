/* SPDX-License-Identifier: ISC */
/*
 * msan.c - for t/tools/msan: tells MemorySanitizer that the stat functions of glibc, which clang 14
 * does not know, set what they are given.  The linker calls these instead (--wrap).
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/stat.h>

/* of clang, declared here since lint compiles this with gcc, too */
void __msan_unpoison(const volatile void *p, size_t size);
int __real_stat64(const char *path, struct stat64 *st);
int __real_lstat64(const char *path, struct stat64 *st);
int __real_fstat64(int fd, struct stat64 *st);
int __real_fstatat64(int fd, const char *path, struct stat64 *st, int flags);
int __wrap_stat64(const char *path, struct stat64 *st);
int __wrap_lstat64(const char *path, struct stat64 *st);
int __wrap_fstat64(int fd, struct stat64 *st);
int __wrap_fstatat64(int fd, const char *path, struct stat64 *st, int flags);

static int
set(int rc, struct stat64 *st)
{
	if (rc == 0)
		__msan_unpoison(st, sizeof *st);
	return rc;
}

int
__wrap_stat64(const char *path, struct stat64 *st)
{
	return set(__real_stat64(path, st), st);
}

int
__wrap_lstat64(const char *path, struct stat64 *st)
{
	return set(__real_lstat64(path, st), st);
}

int
__wrap_fstat64(int fd, struct stat64 *st)
{
	return set(__real_fstat64(fd, st), st);
}

int
__wrap_fstatat64(int fd, const char *path, struct stat64 *st, int flags)
{
	return set(__real_fstatat64(fd, path, st, flags), st);
}
