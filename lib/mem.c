/* SPDX-License-Identifier: ISC */
/* mem.c - counted heap memory, with one ceiling for the whole program. */
#define _GNU_SOURCE /* madvise, mremap */
#include "lib/mem.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20)
#define LARGE_BLOCK ((size_t)8 << 20) /* smaller ones might waste too much of their last page */
#define CACHE_LINE ((size_t)64)

/* The counts are added up by several threads.  The ceiling is set before there are any. */
static struct {
	atomic_size_t used;
	atomic_bool refused;
	uint64_t ceiling;
} mem = { 0, false, UINT64_MAX };

static size_t
used(void)
{
	return atomic_load_explicit(&mem.used, memory_order_relaxed);
}

static void
count(size_t n)
{
	(void)atomic_fetch_add_explicit(&mem.used, n, memory_order_relaxed);
}

static void
discount(size_t n)
{
	(void)atomic_fetch_sub_explicit(&mem.used, n, memory_order_relaxed);
}

static void
set_refused(bool refused)
{
	atomic_store_explicit(&mem.refused, refused, memory_order_relaxed);
}

static bool
fits(size_t n)
{
	bool refused = n > mem.ceiling || used() > mem.ceiling - n;

	if (refused)
		set_refused(true);
	return !refused;
}

static void *
counted(void *p)
{
	if (p != NULL)
		count(malloc_usable_size(p));
	else
		set_refused(false); /* the system had no memory */
	return p;
}

void *
mem_alloc(size_t size)
{
	return fits(size) ? counted(malloc(size)) : NULL;
}

void *
mem_zero(size_t n, size_t size)
{
	/* calloc itself rejects a product that is too large */
	return fits(size == 0 || n <= SIZE_MAX / size ? n * size : 0) ? counted(calloc(n, size))
								      : NULL;
}

void *
mem_resize(void *p, size_t size)
{
	size_t before = p == NULL ? 0 : malloc_usable_size(p);
	void *moved;

	if (size > before && !fits(size - before))
		return NULL;
	moved = realloc(p, size);
	if (moved != NULL)
		discount(before);
	return counted(moved);
}

void
mem_free(void *p)
{
	if (p != NULL)
		discount(malloc_usable_size(p));
	free(p);
}

/* Asks for large pages, which may be refused: then nothing changes.  P and SIZE are whole ones. */
static void *
in_large_pages(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	(void)madvise(p, size, MADV_HUGEPAGE);
#else
	(void)size;
#endif
	return p;
}

/*
 * What comes before an array.  A large array has pages of its own, so that the system can move it
 * without copying it, and without clearing as much memory again.
 */
struct array {
	size_t size; /* bytes of the block */
	unsigned short lead; /* bytes of it before the array */
	bool mapped;
};

#define SMALL_ARRAY ((size_t)512) /* bytes of an array that need not begin at a cache line */
#define SMALL_LEAD ((size_t)16)

_Static_assert(sizeof(struct array) <= SMALL_LEAD, "the header of a small array");

static struct array *
of_array(void *p)
{
	return (struct array *)p - 1;
}

static void *
to_array(void *block, size_t lead, size_t size, bool mapped)
{
	char *p = (char *)block + lead;

	*of_array(p) = (struct array){ size, (unsigned short)lead, mapped };
	return p;
}

static void *
block_of(void *p)
{
	return (char *)p - of_array(p)->lead;
}

/* Maps SIZE bytes from the start of a large page on. */
static char *
map(size_t size)
{
	char *p = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);
	size_t before;

	if (p == MAP_FAILED) {
		set_refused(false); /* the system had no memory */
		return NULL;
	}
	before = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
	if (before != 0)
		(void)munmap(p, before);
	(void)munmap(p + before + size, LARGE_PAGE - before);
	return in_large_pages(p + before, size);
}

/*
 * Moves a large array.  The system keeps large pages whole if they begin at a large page both
 * before and after.
 */
static void *
move(void *p, size_t size)
{
#ifdef MREMAP_FIXED
	size_t before = of_array(p)->size;
	char *to = fits(size - before) ? map(size) : NULL;

	if (to == NULL)
		return NULL;
	if (mremap(block_of(p), before, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
		(void)munmap(to, size);
		set_refused(false);
		return NULL;
	}
	count(size - before);
	return to_array(to, CACHE_LINE, size, true);
#else
	(void)p;
	(void)size;
	return NULL;
#endif
}

static bool
can_move(const void *p, size_t size)
{
#ifdef MREMAP_FIXED
	const struct array *old = p == NULL ? NULL : of_array((void *)(uintptr_t)p);

	return old != NULL && old->mapped && size >= old->size;
#else
	(void)p;
	(void)size;
	return false;
#endif
}

void *
mem_array(void *p, size_t kept, size_t size)
{
	bool large = size >= LARGE_BLOCK, small = size <= SMALL_ARRAY;
	size_t align = large ? LARGE_PAGE
	    : small          ? 1
			     : CACHE_LINE,
	       lead = small ? SMALL_LEAD : CACHE_LINE;
	void *to = NULL;

	if (size > SIZE_MAX - CACHE_LINE - 2 * LARGE_PAGE)
		return NULL;
	size = (size + lead + align - 1) / align * align;
	if (can_move(p, size))
		return move(p, size);
	if (fits(size))
		to = large  ? map(size)
		    : small ? counted(malloc(size))
			    : counted(aligned_alloc(align, size));
	if (to == NULL)
		return NULL;
	if (large)
		count(size);
	to = to_array(to, lead, size, large);
	if (kept != 0)
		memcpy(to, p, kept);
	mem_array_free(p);
	return to;
}

void
mem_array_free(void *p)
{
	if (p == NULL)
		return;
	if (of_array(p)->mapped) {
		discount(of_array(p)->size);
		(void)munmap(block_of(p), of_array(p)->size);
	} else {
		mem_free(block_of(p));
	}
}

void *
mem_array_zeros(void *p, size_t kept, size_t size)
{
	char *to = mem_array(p, kept, size);

	/* the pages of a large array are 0 until they are written to */
	if (to != NULL && !of_array(to)->mapped)
		memset(to + kept, 0, size - kept);
	return to;
}

bool
mem_claim(size_t n)
{
	if (!fits(n))
		return false;
	count(n);
	return true;
}

void
mem_release(size_t n)
{
	discount(n);
}

size_t
mem_buffer(size_t n)
{
	while (n > 4096 && n > mem.ceiling / 64)
		n /= 2;
	return n;
}

uint64_t
mem_used(void)
{
	return used();
}

void
mem_set_ceiling(uint64_t bytes)
{
	mem.ceiling = bytes;
}

uint64_t
mem_ceiling(void)
{
	return mem.ceiling;
}

bool
mem_refused(void)
{
	return atomic_load_explicit(&mem.refused, memory_order_relaxed);
}

/* Reads the start of a small file as a string.  Returns false if it cannot be read. */
static bool
read_start(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;
	size_t have = 0;

	while (fd >= 0 && have < room - 1 && (n = read(fd, text + have, room - 1 - have)) > 0)
		have += (size_t)n;
	if (fd >= 0)
		(void)close(fd);
	text[have] = '\0';
	return n >= 0 && have > 0;
}

/*
 * Returns the number in DIR/FILE, or most if the number is missing or larger ("max" is not a
 * number).
 */
static uint64_t
bounded_by(const char *dir, const char *file, uint64_t most)
{
	char path[4096], text[64];
	uint64_t v;
	int n = snprintf(path, sizeof path, "%s/%s", dir, file);

	if ((size_t)n >= sizeof path || !read_start(path, text, sizeof text))
		return most;
	v = strtoull(text, NULL, 10);
	return *text >= '0' && *text <= '9' && v < most ? v : most;
}

/*
 * Returns the lowest limit of our control group and its parents (cgroups(7)).  The group is given
 * in a line "0::/PATH" in version 2, and "N:...memory...:/PATH" in version 1.  In a container PATH
 * may not be mounted, and the root of the mount is then the container's own group.
 */
static uint64_t
bounded_by_groups(uint64_t most)
{
	char text[4096], dir[4200], *line, *next, *path, *slash;

	if (!read_start("/proc/self/cgroup", text, sizeof text))
		return most;
	for (line = text; line != NULL && *line != '\0'; line = next) {
		bool v2 = strncmp(line, "0::", 3) == 0;
		const char *root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
		const char *file = v2 ? "memory.max" : "memory.limit_in_bytes";

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		path = strstr(line, v2 ? "::" : ":memory:");
		if (path == NULL)
			continue;
		path += v2 ? 2 : 8;
		do {
			snprintf(dir, sizeof dir, "%s%s", root, path);
			most = bounded_by(dir, file, most);
			slash = strrchr(path, '/');
			if (slash != NULL)
				*slash = '\0';
		} while (slash != NULL);
	}
	return most;
}

uint64_t
mem_default_ceiling(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;

	return bounded_by_groups(all) / 2;
}
