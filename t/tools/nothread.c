/* SPDX-License-Identifier: ISC */
/*
 * nothread.c - a library to be preloaded: only NOTHREAD threads, or none, can be started.  The file
 * descriptor NOTHREAD_FD, if it is set, gets a line for each.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <dlfcn.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	static int left = -1;
	const char *n = getenv("NOTHREAD"), *fd = getenv("NOTHREAD_FD");
	create *real;

	if (left < 0)
		left = n == NULL ? 0 : atoi(n);
	if (left == 0)
		return EAGAIN;
	left--;
	if (fd != NULL)
		dprintf(atoi(fd), "a thread\n");
	*(void **)&real = dlsym((void *)-1L, "pthread_create");
	return real(thread, attr, start, arg);
}
