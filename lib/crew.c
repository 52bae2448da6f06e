/* SPDX-License-Identifier: ISC */
/* crew.c - threads that do the same work as their caller. */
#include "lib/crew.h"

#include <signal.h>

size_t
crew_start(pthread_t *thread, size_t n, void *(*work)(void *ctx), void *ctx, size_t size)
{
	sigset_t all, before;
	size_t i = 0;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	while (i < n && pthread_create(&thread[i], NULL, work, (char *)ctx + i * size) == 0)
		i++;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return i;
}

void
crew_end(const pthread_t *thread, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		(void)pthread_join(thread[i], NULL);
}
