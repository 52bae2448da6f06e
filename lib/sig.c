/* SPDX-License-Identifier: ISC */
/* sig.c - how a filter takes SIGINT and SIGTERM. */
#include "lib/sig.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stop_asked, from_pipe;

static void
on_signal(int sig)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };

	/* the second one kills, whatever the program is waiting for */
	sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
	if (sig != SIGINT || !from_pipe)
		stop_asked = 1;
}

static void
take(int sig)
{
	struct sigaction sa, old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sa.sa_handler = on_signal;
	sa.sa_flags = 0; /* no restart: a blocked read returns, and we look */
	sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
}

void
sig_install(void)
{
	take(SIGINT);
	take(SIGTERM);
}

void
sig_reading_pipe(void)
{
	from_pipe = 1;
}

void
sig_reading_file(void)
{
	from_pipe = 0;
}

bool
sig_stop(void)
{
	return stop_asked != 0;
}
