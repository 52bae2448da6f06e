/* SPDX-License-Identifier: ISC */
/*
 * mem.c - checks the count of memory and its ceiling, arrays of all sizes, what happens when the
 * system has no memory, and the limits of control groups.  mem FOLDER: the folder for its files.
 */
#define _GNU_SOURCE /* syscall, mremap, RTLD_NEXT */
#include "lib/mem.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t/unit/check.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED true /* it maps memory for itself */
#else
#define SANITIZED false
#endif

#define MIB ((size_t)1 << 20)

/* The folder in place of / for the files of control groups, and the file that cannot be read. */
static const char *root = "";
static const char *unreadable = "";

int open64(const char *name, int flags, ...);

/* Takes the place of the C library's function. */
int
open64(const char *name, int flags, ...)
{
	char path[PATH_MAX];
	va_list args;
	int mode;

	va_start(args, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(args, int) : 0;
	va_end(args);
	if (*root == '\0' || (strncmp(name, "/proc/", 6) != 0 && strncmp(name, "/sys/", 5) != 0))
		return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
	/* a folder can be opened, but not read */
	snprintf(path, sizeof path, "%s%s", root, strcmp(name, unreadable) == 0 ? "" : name);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static bool unaligned; /* mmap does not return the start of a large page */
static bool unmovable; /* mremap fails */

/* These two also take the place of the C library's functions. */
void *
mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	size_t more = unaligned ? 4096 : 0;
	void *(*real)(void *, size_t, int, int, int, off_t);
	char *p;

	/* the C library's, since the call itself is another on some systems */
	*(void **)&real = dlsym(RTLD_NEXT, "mmap64");
	p = real(at, size + more, protection, flags, fd, offset);
	if (p == MAP_FAILED || !unaligned)
		return p;
	if (munmap(p, more) != 0)
		abort();
	return p + more;
}

void *
mremap(void *from, size_t size, size_t wanted, int flags, ...)
{
	va_list args;
	void *to;
	long p;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	p = unmovable ? -1 : syscall(SYS_mremap, from, size, wanted, flags, to);
	return p == -1 ? MAP_FAILED : (void *)p;
}

/* ---- the count and the ceiling */

static void
ceiling(struct check *c)
{
	uint64_t before = mem_used();
	char *p = mem_alloc(1000), *q, *z;

	CHECK(c, p != NULL && mem_used() >= before + 1000, "%llu", (unsigned long long)mem_used());
	mem_set_ceiling(mem_used() + 10000);
	CHECK(c, mem_ceiling() == mem_used() + 10000, "ceiling");
	CHECK(c, mem_alloc(10001) == NULL && mem_refused(), "alloc");
	CHECK(c, mem_zero(1, 10001) == NULL && mem_refused(), "zero");
	CHECK(c, mem_resize(p, 20000) == NULL && mem_refused(), "resize");
	CHECK(c, mem_array(NULL, 0, 10001) == NULL && mem_refused(), "array");
	CHECK(c, mem_array_zeros(NULL, 0, 10001) == NULL && mem_refused(), "zeros");
	CHECK(c, mem_alloc(SIZE_MAX / 4) == NULL && mem_refused(), "more than the ceiling");
	CHECK(c, !mem_claim(10001) && mem_refused(), "claim");
	CHECK(c, mem_claim(10000) && mem_alloc(1) == NULL, "all of it is claimed");
	mem_release(10000);
	q = mem_resize(p, 9000);
	CHECK(c, q != NULL, "what fits");
	q = mem_resize(q, 10); /* less is always possible */
	z = mem_zero(3, 5);
	CHECK(c, z != NULL && memcmp(z, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15) == 0, "zeros");
	mem_free(z);
	z = mem_zero(3, 0);
	mem_free(z);
	mem_free(NULL);
	mem_free(q);
	mem_set_ceiling(UINT64_MAX);
	CHECK(c, mem_used() == before, "%lld more", (long long)(mem_used() - before));
}

static void
buffers(struct check *c)
{
	CHECK(c, mem_buffer(1 << 18) == 1 << 18, "no ceiling");
	mem_set_ceiling((uint64_t)64 << 18);
	CHECK(c, mem_buffer(1 << 18) == 1 << 18, "a ceiling that is high enough");
	mem_set_ceiling(((uint64_t)64 << 18) - 1);
	CHECK(c, mem_buffer(1 << 18) == 1 << 17, "%zu", mem_buffer(1 << 18));
	mem_set_ceiling(1);
	CHECK(c, mem_buffer(1 << 18) == 4096 && mem_buffer(100) == 100, "at least");
	mem_set_ceiling(UINT64_MAX);
}

/* ---- arrays */

static void
fill(unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = (unsigned char)(i * 7 + i / 256);
}

/* Returns true if p has the first KEPT bytes of fill, and zeros up to SIZE. */
static bool
has(const unsigned char *p, size_t kept, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (p[i] != (i < kept ? (unsigned char)(i * 7 + i / 256) : 0))
			return false;
	return true;
}

/* Moves an array from size to size, up and down, over all its forms. */
static void
arrays(struct check *c)
{
	static const size_t sizes[] = { 1, 512, 513, 70000, 8 * MIB - 1, 8 * MIB, 20 * MIB,
		64 * MIB, 9 * MIB, 3 * MIB, 100, 0, 12 * MIB, 12 * MIB };
	uint64_t before = mem_used();
	unsigned char *p = NULL, *q;
	size_t i, size = 0;

	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t kept = sizes[i] < size ? sizes[i] : size;

		q = mem_array_zeros(p, kept, sizes[i]);
		CHECK(c, q != NULL && has(q, kept, sizes[i]), "from %zu to %zu", size, sizes[i]);
		if (q == NULL)
			break;
		CHECK(c, sizes[i] <= 512 || (uintptr_t)q % 64 == 0, "%zu bytes at %p", sizes[i],
		    (void *)q);
		CHECK(c, mem_used() >= before + sizes[i], "%zu bytes are not counted", sizes[i]);
		p = q;
		size = sizes[i];
		fill(p, size);
	}
	CHECK(c, mem_array(p, size, SIZE_MAX - 1000) == NULL, "more than there is");
	mem_set_ceiling(mem_used() + MIB);
	CHECK(c, mem_array(p, size, size + 2 * MIB) == NULL && mem_refused(), "not moved");
	mem_set_ceiling(UINT64_MAX);
	CHECK(c, has(p, size, size), "still there");
	mem_array_free(p);
	mem_array_free(NULL);
	CHECK(c, mem_used() == before, "%lld more", (long long)(mem_used() - before));
}

/* ---- a system without memory */

/* Allows no more memory to be mapped, or all of it again. */
static void
limit(bool none)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_AS, &r) != 0)
		abort();
	r.rlim_cur = none ? 1 : r.rlim_max;
	if (setrlimit(RLIMIT_AS, &r) != 0)
		abort();
}

static void
unhelpful(struct check *c)
{
	uint64_t before = mem_used();
	unsigned char *p, *q;

	unaligned = true;
	p = mem_array_zeros(NULL, 0, 20 * MIB);
	CHECK(c, p != NULL && has(p, 0, 20 * MIB) && (uintptr_t)(p - 64) % (2 * MIB) == 0, "%p",
	    (void *)p);
	unaligned = false;
	fill(p, 20 * MIB);
	unmovable = true;
	q = mem_array(p, 20 * MIB, 40 * MIB);
	CHECK(c, q == NULL && !mem_refused() && has(p, 20 * MIB, 20 * MIB), "moved");
	unmovable = false;
	mem_array_free(p);
	CHECK(c, mem_used() == before, "%lld more", (long long)(mem_used() - before));
}

static void
no_memory(struct check *c)
{
	uint64_t before = mem_used();
	unsigned char *large = mem_array(NULL, 0, 10 * MIB), *small = mem_alloc(10);
	void *got[8];
	bool refused[8];
	size_t i, n = 0;

	if (large == NULL || small == NULL)
		abort();
	fill(large, 10 * MIB);
	mem_set_ceiling(0);
	CHECK(c, !mem_claim(1) && mem_refused(), "claim");
	mem_set_ceiling(UINT64_MAX);
	limit(true);
	got[n] = mem_alloc(100 * MIB), refused[n++] = mem_refused();
	got[n] = mem_zero(100, MIB), refused[n++] = mem_refused();
	got[n] = mem_zero(SIZE_MAX / 2, 3), refused[n++] = mem_refused();
	got[n] = mem_resize(small, 100 * MIB), refused[n++] = mem_refused();
	got[n] = mem_array(NULL, 0, 4 * MIB), refused[n++] = mem_refused();
	got[n] = mem_array(NULL, 0, 40 * MIB), refused[n++] = mem_refused();
	got[n] = mem_array(large, 10 * MIB, 40 * MIB), refused[n++] = mem_refused();
	limit(false);
	for (i = 0; i < n; i++)
		CHECK(c, got[i] == NULL && !refused[i], "call %zu", i);
	CHECK(c, has(large, 10 * MIB, 10 * MIB), "lost");
	mem_array_free(large);
	mem_free(small);
	CHECK(c, mem_used() == before, "%lld more", (long long)(mem_used() - before));
}

/* ---- control groups */

/* Writes a file below the folder, and makes the folders before it. */
static void
put_file(const char *name, const char *text)
{
	char path[PATH_MAX], *slash;
	FILE *f;

	snprintf(path, sizeof path, "%s%s", root, name);
	for (slash = path + strlen(root); (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
	f = fopen(path, "w");
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static void
groups(struct check *c, const char *folder)
{
	static const char group[] = "/proc/self/cgroup", v2[] = "/sys/fs/cgroup/",
			  v1[] = "/sys/fs/cgroup/memory/";
	uint64_t all = mem_default_ceiling();
	char name[PATH_MAX], text[5000];

	root = folder;
	CHECK(c, mem_default_ceiling() >= all, "no list of groups");
	put_file(group, "");
	CHECK(c, mem_default_ceiling() >= all, "an empty list");
	all = mem_default_ceiling(); /* half of the machine's */
	put_file(group, "3:cpu:/x\n0::/a/b\n");
	CHECK(c, mem_default_ceiling() == all, "no limits");
	snprintf(name, sizeof name, "%sa/b/memory.max", v2);
	put_file(name, "max\n");
	CHECK(c, mem_default_ceiling() == all, "max");
	put_file(name, "1000000\n");
	CHECK(c, mem_default_ceiling() == 500000, "%llu",
	    (unsigned long long)mem_default_ceiling());
	snprintf(name, sizeof name, "%smemory.max", v2);
	put_file(name, "400000\n");
	CHECK(c, mem_default_ceiling() == 200000, "the root's is less");
	snprintf(name, sizeof name, "%sa/memory.max", v2);
	put_file(name, "18446744073709551615\n");
	CHECK(c, mem_default_ceiling() == 200000, "the parent's is more");
	put_file(name, "");
	CHECK(c, mem_default_ceiling() == 200000, "an empty file");
	put_file(name, "300000");
	CHECK(c, mem_default_ceiling() == 150000, "the parent's is less");
	unreadable = "/sys/fs/cgroup/a/memory.max";
	CHECK(c, mem_default_ceiling() == 200000, "the parent's cannot be read");
	unreadable = group;
	CHECK(c, mem_default_ceiling() == all, "the list cannot be read");
	unreadable = "";
	put_file(group, "5:memory:/m\n4:cpu,memory:/\n"); /* of these, the first is version 1's */
	snprintf(name, sizeof name, "%sm/memory.limit_in_bytes", v1);
	put_file(name, "250000\n");
	CHECK(c, mem_default_ceiling() == 125000, "version 1");
	/* a path that is too long has no limit, and a number that is longer than others is large */
	snprintf(text, sizeof text, "0::/%04085d", 1);
	put_file(group, text);
	CHECK(c, mem_default_ceiling() == 200000, "a long path");
	put_file(group, "0::/a/b\n");
	snprintf(name, sizeof name, "%sa/b/memory.max", v2);
	snprintf(text, sizeof text, "%0100d", 7);
	put_file(name, text);
	CHECK(c, mem_default_ceiling() == 0, "the first 63 digits are zeros");
	root = "";
}

int
main(int argc, char **argv)
{
	struct check c = { 0 };

	if (argc != 2)
		return 2;
	ceiling(&c);
	buffers(&c);
	arrays(&c);
	unhelpful(&c);
	if (!SANITIZED)
		no_memory(&c);
	groups(&c, argv[1]);
	return check_end(&c);
}
