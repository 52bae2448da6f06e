/* SPDX-License-Identifier: ISC */
/*
 * escape.c - does what a sandbox denies, for the tests: a library to be preloaded.
 *
 * LD_PRELOAD=escape.so ESCAPE=WAY ESCAPE_AT=FILE ESCAPE_PATH=PATH COMMAND: when the command first
 * reads FILE, tries WAY, on PATH if it concerns a file, and reports on standard error whether it
 * succeeded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *
nothing(void *p)
{
	return p;
}

static int
thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) == 0 ? pthread_join(t, NULL) : -1;
}

/* From a thread that was begun in the sandbox. */
static void *
connecting(void *p)
{
	(void)socket(AF_INET, SOCK_STREAM, 0);
	return p;
}

static int
thread_socket(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, connecting, NULL) == 0 ? pthread_join(t, NULL) : -1;
}

static int
temporary(void)
{
	const char *dir = getenv("TMPDIR");

	return open(dir == NULL ? "/tmp" : dir, O_TMPFILE | O_RDWR, 0600) < 0 ? -1 : 0;
}

static int
spawn(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	pid_t pid;

	return posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL) == 0 ? 0 : -1;
}

static int
try(const char *way)
{
	const char *path = getenv("ESCAPE_PATH");

	if (strcmp(way, "exec") == 0)
		return execl("/bin/true", "true", (char *)NULL);
	if (strcmp(way, "fork") == 0)
		return fork() < 0 ? -1 : 0;
	if (strcmp(way, "spawn") == 0)
		return spawn();
	if (strcmp(way, "socket") == 0)
		return socket(AF_INET, SOCK_STREAM, 0) < 0 ? -1 : 0;
	if (strcmp(way, "thread_socket") == 0)
		return thread_socket();
	if (strcmp(way, "ptrace") == 0)
		return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -1 : 0;
	if (strcmp(way, "mount") == 0)
		return mount("none", path, "tmpfs", 0, NULL);
	if (strcmp(way, "chmod") == 0)
		return chmod(path, 0644);
	if (strcmp(way, "unlink") == 0)
		return unlink(path);
	if (strcmp(way, "write") == 0)
		return open(path, O_WRONLY) < 0 ? -1 : 0;
	if (strcmp(way, "create") == 0)
		return open(path, O_CREAT, 0600) < 0 ? -1 : 0;
	if (strcmp(way, "typing") == 0)
		return ioctl(0, TIOCSTI, "x");
	if (strcmp(way, "thread") == 0)
		return thread();
	if (strcmp(way, "temporary") == 0)
		return temporary();
	abort();
}

/* Returns true for the descriptor of the input. */
static int
is_input(int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(getenv("ESCAPE_AT"), &b) == 0 && a.st_ino == b.st_ino;
}

/* Tries it, if this is the first time that the input is read. */
static void
before_reading(int fd)
{
	static int tried;
	const char *way = getenv("ESCAPE");

	if (way != NULL && !tried && is_input(fd)) {
		tried = 1;
		fprintf(stderr, "%s: %s\n", way, try(way) == 0 ? "done" : strerror(errno));
	}
}

ssize_t
read(int fd, void *p, size_t n)
{
	before_reading(fd);
	return syscall(SYS_read, fd, p, n);
}

ssize_t
pread(int fd, void *p, size_t n, off_t at)
{
	before_reading(fd);
	return syscall(SYS_pread64, fd, p, n, at);
}
