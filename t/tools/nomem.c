/* SPDX-License-Identifier: ISC */
/*
 * nomem.c - makes memory run out, for the tests: a library to be preloaded (glibc).
 *
 * LD_PRELOAD=nomem.so NOMEM=K COMMAND: the K-th allocation of the command fails, and with
 * NOMEM_MORE=1 all after it, too.  NOMEM_FD=N: the file N, which has room for a long, is told how
 * many allocations there were.  Those of the C library and of others are among them, those before
 * main are not.
 *
 * NOMEM_SERVER=N: the command runs once for each request that comes from the socket N (nomem.h), in
 * a copy of the process, so that it is loaded only once.
 *
 * Some functions do not survive it: regcomp (glibc 2.36), tep_parse_event (libtraceevent), and
 * those of ncurses that begin with a terminal.  Their callers make sure of the memory beforehand.
 * A call of one therefore counts as one allocation.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "t/tools/nomem.h"

#include <dlfcn.h>
#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES 65536 /* more than a program has */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static struct {
	int counts; /* main has begun, and none of those functions is running */
	int more;
	long k; /* 0: none fails */
	long own, *count;
	uint64_t place[PLACES]; /* those of nomem_place: a hash table */
} state;

static __thread int paused;

static int
fails(void)
{
	long n;

	if (!state.counts || paused)
		return 0;
	n = __atomic_add_fetch(state.count, 1, __ATOMIC_RELAXED);
	if (state.k == 0 || n < state.k || (n > state.k && !state.more))
		return 0;
	errno = ENOMEM;
	return 1;
}

void
nomem_pause(int on)
{
	paused = on;
}

int
nomem_place(uint64_t place)
{
	size_t i = place % PLACES;

	while (state.place[i] != 0 && state.place[i] != place)
		i = (i + 1) % PLACES;
	if (state.place[i] == place)
		return 0;
	state.place[i] = place;
	return fails();
}

/* Receives a request, and its files.  Ends the process when there are no more. */
static struct nomem_request
next_request(int from, int *fd)
{
	struct nomem_request r;
	struct iovec text = { &r, sizeof r };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(NOMEM_FILES * sizeof *fd)];
	} files;
	struct msghdr m = { .msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &files,
		.msg_controllen = sizeof files };

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != sizeof r || m.msg_controllen != sizeof files)
		_exit(0);
	memcpy(fd, CMSG_DATA(&files.head), NOMEM_FILES * sizeof *fd);
	return r;
}

/* Returns in a copy of the process for each request. */
static void
serve(int from)
{
	struct nomem_request r;
	int fd[NOMEM_FILES], i, status;
	pid_t pid;

	for (;;) {
		r = next_request(from, fd);
		*state.count = 0;
		pid = fork();
		if (pid == 0)
			break;
		for (i = 0; i < NOMEM_FILES; i++)
			(void)close(fd[i]);
		if (pid < 0 || waitpid(pid, &status, 0) != pid ||
		    send(from, &status, sizeof status, 0) != sizeof status)
			_exit(1);
	}
	(void)close(from);
	for (i = 0; i < NOMEM_FILES; i++)
		if (dup2(fd[i], i) < 0 || close(fd[i]) != 0)
			_exit(126);
	state.k = r.k;
	state.more = r.more;
}

/* The C library calls this to call main. */
int
__libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
    void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	const char *k = getenv("NOMEM"), *fd = getenv("NOMEM_FD"), *from = getenv("NOMEM_SERVER");
	int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
	    void (*)(void), void *);
	void *p = MAP_FAILED;

	*(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
	if (fd != NULL)
		p = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
	state.count = p == MAP_FAILED ? &state.own : p;
	state.k = k == NULL ? 0 : atol(k);
	state.more = getenv("NOMEM_MORE") != NULL;
	if (from != NULL)
		serve(atoi(from));
	state.counts = 1;
	return start(main, argc, argv, init, fini, rtld_fini, stack_end);
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, n * size);
}

void *
memalign(size_t align, size_t size)
{
	return fails() ? NULL : __libc_memalign(align, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int
posix_memalign(void **p, size_t align, size_t size)
{
	void *got = memalign(align, size);

	if (got == NULL)
		return ENOMEM;
	*p = got;
	return 0;
}

/*
 * Defines a function that does not survive it: a call counts as one allocation, and those within it
 * do not.
 */
#define SPARED(type, name, parameters, arguments, refused) \
	type name parameters; \
	type name parameters \
	{ \
		type(*call) parameters; \
		type result; \
		int counts = state.counts; \
\
		if (fails()) \
			return refused; \
		*(void **)&call = dlsym(RTLD_NEXT, #name); \
		state.counts = 0; \
		result = call arguments; \
		state.counts = counts; \
		return result; \
	}

SPARED(int, regcomp, (regex_t * regex, const char *pattern, int flags), (regex, pattern, flags),
    REG_ESPACE)

struct tep_handle;
SPARED(int, tep_parse_event,
    (struct tep_handle * tep, const char *text, unsigned long size, const char *sys),
    (tep, text, size, sys), -99999) /* TEP_ERRNO__MEM_ALLOC_FAILED */

struct screen;
SPARED(struct screen *, newterm, (const char *type, FILE *out, FILE *in), (type, out, in), NULL)

SPARED(char *, tigetstr, (const char *name), (name), NULL)

SPARED(int, start_color, (void), (), -1)
