/* SPDX-License-Identifier: ISC */
/*
 * memory.c - files in memory for the drivers of make fuzz, which open some thousands a second.
 *
 * The linker (--wrap, see t/tools/fuzz) directs the calls of drivers, lib and src to the functions
 * here.  Temporary files and pipes are then blocks of memory, whose descriptors begin at FIRST.
 * Standard input is one of them after dup2.  All other descriptors and names are the system's.
 *
 * Also, buffers are as small as under the lowest --max-memory: buffers of the usual size would take
 * most of the time, and no input would reach their end.  Large blocks that have been freed are used
 * again, since the sanitizers take a millisecond for a block of 16 MiB.
 */
#define _GNU_SOURCE /* O_TMPFILE, SEEK_DATA */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <malloc.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define FIRST 10000 /* the first of our descriptors */
#define COUNT 64
#define NAME_MAX_LEN 64
#define KEPT ((size_t)1 << 20) /* larger blocks are not used again */
#define DEVICE 7777
#define TMPFS 0x01021994
#define BUFFER ((size_t)4096)
#if __has_feature(memory_sanitizer) /* a block that is used again would count as initialized */
#define LARGE SIZE_MAX
#else
#define LARGE ((size_t)96 << 10) /* blocks of this size are used again */
#endif
#define POISONED ((size_t)4096) /* bytes at the start of a free block: their use is a finding */
#define PAGE ((uintptr_t)4096)

struct file {
	char name[NAME_MAX_LEN]; /* empty: it has none */
	char *p;
	size_t len, cap;
	unsigned opens;
	bool pipe;
};

/* An open file.  Copies of a descriptor share it. */
struct description {
	struct file *file; /* NULL: free */
	size_t at;
	unsigned copies;
};

static struct {
	struct file file[COUNT];
	struct description description[COUNT];
	struct description *of[COUNT], *input; /* by descriptor, and standard input */
} our;

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __real_pread64(int fd, void *p, size_t n, off_t at);
ssize_t __real_pwrite64(int fd, const void *p, size_t n, off_t at);
off_t __real_lseek64(int fd, off_t to, int whence);
int __real_ftruncate64(int fd, off_t size);
int __real_close(int fd);
int __real_dup2(int from, int to);
int __real_open64(const char *name, int flags, ...);
int __real_unlink(const char *name);
int __real_fstat64(int fd, struct stat *st);
int __real_stat64(const char *name, struct stat *st);
int __real_fstatfs64(int fd, struct statfs *fs);
int __real_fcntl64(int fd, int what, ...);
int __real_poll(struct pollfd *p, nfds_t n, int ms);
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);

/* Returns what fd refers to, or NULL if it is the system's. */
static struct description *
ours(int fd)
{
	if (fd == STDIN_FILENO)
		return our.input;
	return fd >= FIRST && fd < FIRST + COUNT ? our.of[fd - FIRST] : NULL;
}

static struct file *
new_file(bool pipe)
{
	size_t i = 0;

	while (i < COUNT && (our.file[i].opens != 0 || our.file[i].name[0] != '\0'))
		i++;
	if (i == COUNT)
		abort();
	our.file[i].len = 0;
	our.file[i].pipe = pipe;
	return &our.file[i];
}

static int
new_descriptor(struct file *f)
{
	size_t i = 0, k = 0;

	while (i < COUNT && our.description[i].file != NULL)
		i++;
	while (k < COUNT && our.of[k] != NULL)
		k++;
	if (i == COUNT || k == COUNT)
		abort(); /* a driver or a function that it calls does not close its files */
	f->opens++;
	our.description[i] = (struct description){ .file = f, .copies = 1 };
	our.of[k] = &our.description[i];
	return FIRST + (int)k;
}

static void
drop(struct description *d)
{
	struct file *f = d->file;

	if (--d->copies != 0)
		return;
	d->file = NULL;
	if (--f->opens != 0 || f->cap <= KEPT)
		return;
	free(f->p);
	f->p = NULL;
	f->cap = 0;
}

static void
resize(struct file *f, size_t len)
{
	if (len > f->cap) {
		f->cap = len * 2;
		f->p = realloc(f->p, f->cap);
		if (f->p == NULL)
			abort();
	}
	if (len > f->len)
		memset(f->p + f->len, 0, len - f->len);
	f->len = len;
}

static ssize_t
get(const struct file *f, size_t at, void *p, size_t n)
{
	size_t left = at < f->len ? f->len - at : 0;

	n = n < left ? n : left;
	if (n != 0)
		memcpy(p, f->p + at, n);
	return (ssize_t)n;
}

static ssize_t
put(struct file *f, size_t at, const void *p, size_t n)
{
	if (n != 0 && at + n > f->len)
		resize(f, at + n);
	if (n != 0)
		memcpy(f->p + at, p, n);
	return (ssize_t)n;
}

/* ---- descriptors */

ssize_t
__wrap_read(int fd, void *p, size_t n)
{
	struct description *d = ours(fd);
	ssize_t got;

	if (d == NULL)
		return __real_read(fd, p, n);
	got = get(d->file, d->at, p, n);
	d->at += (size_t)got;
	return got;
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
	struct description *d = ours(fd);

	if (d == NULL)
		return __real_write(fd, p, n);
	(void)put(d->file, d->at, p, n);
	d->at += n;
	return (ssize_t)n;
}

ssize_t
__wrap_pread64(int fd, void *p, size_t n, off_t at)
{
	const struct description *d = ours(fd);

	return d == NULL ? __real_pread64(fd, p, n, at) : get(d->file, (size_t)at, p, n);
}

ssize_t
__wrap_pwrite64(int fd, const void *p, size_t n, off_t at)
{
	const struct description *d = ours(fd);

	return d == NULL ? __real_pwrite64(fd, p, n, at) : put(d->file, (size_t)at, p, n);
}

off_t
__wrap_lseek64(int fd, off_t to, int whence)
{
	struct description *d = ours(fd);

	if (d == NULL)
		return __real_lseek64(fd, to, whence);
	if (d->file->pipe) {
		errno = ESPIPE;
		return -1;
	}
	if (whence == SEEK_DATA) {
		errno = ENXIO;
		return (size_t)to < d->file->len ? to : -1;
	}
	to += whence == SEEK_CUR ? (off_t)d->at : whence == SEEK_END ? (off_t)d->file->len : 0;
	if (to < 0) {
		errno = EINVAL;
		return -1;
	}
	d->at = (size_t)to;
	return to;
}

int
__wrap_ftruncate64(int fd, off_t size)
{
	const struct description *d = ours(fd);

	if (d == NULL)
		return __real_ftruncate64(fd, size);
	resize(d->file, (size_t)size);
	return 0;
}

int
__wrap_close(int fd)
{
	struct description *d = ours(fd);

	if (d == NULL)
		return __real_close(fd);
	if (fd == STDIN_FILENO)
		our.input = NULL;
	else
		our.of[fd - FIRST] = NULL;
	drop(d);
	return 0;
}

int
__wrap_dup2(int from, int to)
{
	struct description *d = ours(from);

	if (d == NULL || to != STDIN_FILENO)
		return __real_dup2(from, to);
	d->copies++;
	if (our.input != NULL)
		drop(our.input);
	our.input = d;
	return to;
}

int
__wrap_pipe(int fd[2])
{
	struct file *f = new_file(true);

	fd[0] = new_descriptor(f);
	fd[1] = new_descriptor(f);
	return 0;
}

/* A pipe that is empty can be read only if it has ended. */
static bool
is_ready(const struct description *d)
{
	return d != NULL && (!d->file->pipe || d->at < d->file->len || d->file->opens == 1);
}

int
__wrap_poll(struct pollfd *p, nfds_t n, int ms)
{
	nfds_t i;
	int ready = 0;

	for (i = 0; i < n; i++) {
		p[i].revents = is_ready(ours(p[i].fd)) ? p[i].events : 0;
		ready += p[i].revents != 0;
	}
	return ready != 0 ? ready : __real_poll(p, n, ms);
}

int
__wrap_fcntl64(int fd, int what, ...)
{
	va_list args;
	void *argument;

	va_start(args, what);
	argument = va_arg(args, void *);
	va_end(args);
	if (ours(fd) == NULL)
		return __real_fcntl64(fd, what, argument);
	errno = EINVAL;
	return what == F_SETFL || what == F_SETFD || what == F_GETFL || what == F_GETFD ? 0 : -1;
}

/* ---- names */

static struct file *
find(const char *name)
{
	static const char self[] = "/proc/self/fd/";
	const struct description *d = NULL;
	size_t i;

	if (strncmp(name, self, sizeof self - 1) == 0)
		d = ours(atoi(name + sizeof self - 1));
	if (d != NULL)
		return d->file;
	for (i = 0; i < COUNT; i++)
		if (our.file[i].name[0] != '\0' && strcmp(our.file[i].name, name) == 0)
			return &our.file[i];
	return NULL;
}

int
__wrap_mkstemp64(char *template)
{
	static unsigned number;
	struct file *f = new_file(false);
	size_t len = strlen(template);

	if (len < 6 || len >= sizeof f->name)
		abort();
	snprintf(template + len - 6, 7, "%06u", number++ % 1000000);
	memcpy(f->name, template, len + 1);
	return new_descriptor(f);
}

int
__wrap_unlink(const char *name)
{
	struct file *f = find(name);

	if (f == NULL)
		return __real_unlink(name);
	f->name[0] = '\0';
	return 0;
}

int
__wrap_open64(const char *name, int flags, ...)
{
	struct file *f = (flags & O_TMPFILE) == O_TMPFILE ? new_file(false) : find(name);
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return f == NULL ? __real_open64(name, flags, mode) : new_descriptor(f);
}

static void
describe(const struct file *f, struct stat *st)
{
	*st = (struct stat){ .st_mode = 0600 | (f->pipe ? S_IFIFO : S_IFREG),
		.st_size = (off_t)f->len,
		.st_uid = geteuid(),
		.st_dev = DEVICE,
		.st_ino = (ino_t)(f - our.file) + 1,
		.st_nlink = 1,
		.st_blksize = 4096 };
}

int
__wrap_fstat64(int fd, struct stat *st)
{
	const struct description *d = ours(fd);

	if (d == NULL)
		return __real_fstat64(fd, st);
	describe(d->file, st);
	return 0;
}

int
__wrap_stat64(const char *name, struct stat *st)
{
	const struct file *f = find(name);

	if (f == NULL)
		return __real_stat64(name, st);
	describe(f, st);
	return 0;
}

int
__wrap_fstatfs64(int fd, struct statfs *fs)
{
	if (ours(fd) == NULL)
		return __real_fstatfs64(fd, fs);
	*fs = (struct statfs){ .f_type = TMPFS };
	return 0;
}

/* ---- memory */

size_t
__wrap_mem_buffer(size_t n)
{
	return n < BUFFER ? n : BUFFER;
}

/* Large blocks that have been freed. */
static struct {
	void *p; /* or NULL */
	size_t size;
} kept[COUNT];

static size_t oldest; /* of them if all are in use: blocks of rare sizes must make room */

/* Returns a block of that size that has been freed, or NULL. */
static void *
again(size_t size)
{
	void *p;
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (kept[i].p != NULL && kept[i].size == size) {
			p = kept[i].p;
			kept[i].p = NULL;
			ASAN_UNPOISON_MEMORY_REGION(p, POISONED);
			return p;
		}
	return NULL;
}

void *
__wrap_malloc(size_t size)
{
	void *p = size < LARGE ? NULL : again(size);

	return p != NULL ? p : __real_malloc(size);
}

/* Clears whole pages by giving them back: most of them will not be used. */
void *
__wrap_calloc(size_t n, size_t size)
{
	char *p = n == 0 || size < LARGE / n || size > SIZE_MAX / n ? NULL : again(n * size);
	uintptr_t from = ((uintptr_t)p + PAGE - 1) & ~(PAGE - 1);
	uintptr_t to = ((uintptr_t)p + n * size) & ~(PAGE - 1);

	if (p == NULL)
		return __real_calloc(n, size);
	if (madvise((void *)from, to - from, MADV_DONTNEED) != 0)
		abort();
	memset(p, 0, from - (uintptr_t)p);
	memset((void *)to, 0, (uintptr_t)p + n * size - to);
	return p;
}

void
__wrap_free(void *p)
{
	size_t size = p == NULL ? 0 : malloc_usable_size(p), i, place = COUNT;

	for (i = 0; size >= LARGE && i < COUNT; i++) {
		if (kept[i].p == p)
			abort(); /* it has been freed before */
		if (kept[i].p == NULL)
			place = i;
	}
	if (size < LARGE) {
		__real_free(p);
		return;
	}
	if (place == COUNT) {
		place = oldest++ % COUNT;
		ASAN_UNPOISON_MEMORY_REGION(kept[place].p, POISONED);
		__real_free(kept[place].p);
	}
	kept[place].p = p;
	kept[place].size = size;
	ASAN_POISON_MEMORY_REGION(p, POISONED);
}

void *
__wrap_realloc(void *p, size_t size)
{
	size_t old = p == NULL ? 0 : malloc_usable_size(p);
	void *moved;

	if (old < LARGE && size < LARGE)
		return __real_realloc(p, size);
	moved = __wrap_malloc(size);
	if (moved != NULL && old != 0)
		memcpy(moved, p, old < size ? old : size);
	if (moved != NULL)
		__wrap_free(p);
	return moved;
}

/*
 * A small quarantine stays in the caches, short stacks are found faster (a finding happens again
 * with ASAN_OPTIONS=malloc_context_size=30), and strstr should not measure a whole page for a word
 * at its start.
 */
const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=1:thread_local_quarantine_size_kb=16:malloc_context_size=2:"
	       "allocator_release_to_os_interval_ms=-1:intercept_strstr=0";
}

/* Takes the place of the functions by which comparisons of texts guide libFuzzer. */
void fuzz_no_hook(void);

void
fuzz_no_hook(void)
{
}
