/* SPDX-License-Identifier: ISC */
/* crew.h - threads that do the same work as their caller, who is the only one to get signals. */
#ifndef AFPIPE_CREW_H
#define AFPIPE_CREW_H

#include <pthread.h>
#include <stddef.h>

#define CREW_MAX 64

/*
 * Starts up to n threads, which call work(ctx), work(ctx + size), and so on.  Returns how many were
 * started, which may be none: so the caller must be able to do all the work by itself.
 */
size_t crew_start(pthread_t *thread, size_t n, void *(*work)(void *ctx), void *ctx, size_t size);

/* Waits until the first n threads have ended. */
void crew_end(const pthread_t *thread, size_t n);

#endif
