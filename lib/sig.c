/* SPDX-License-Identifier: ISC */
/* sig.c - how a filter handles SIGINT and SIGTERM. */
#include "lib/sig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t stop_asked, from_pipe;

/*
 * A pipe to ourselves, so that we can wait for a stop signal in the same way as for input.  It is
 * opened only when there is something to wait for, so that reading files does not need its two
 * descriptors.
 */
static volatile sig_atomic_t told = -1, tell = -1;

static void
on_signal(int sig)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	int saved = errno;
	ssize_t n;

	/* the second signal kills, whatever the program is waiting for */
	sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
	if (sig != SIGINT || !from_pipe) {
		stop_asked = 1;
		n = write(tell, "", 1); /* fails if there is no pipe */
		(void)n;
	}
	errno = saved;
}

/* Opens the pipe so that no child inherits it and it never replaces a standard descriptor. */
static void
open_pipe(void)
{
	int fd[2], i;

	if (pipe(fd) != 0)
		return;
	if (fd[0] <= STDERR_FILENO || fd[1] <= STDERR_FILENO) {
		(void)close(fd[0]);
		(void)close(fd[1]);
		return;
	}
	for (i = 0; i < 2; i++) {
		(void)fcntl(fd[i], F_SETFD, FD_CLOEXEC);
		(void)fcntl(fd[i], F_SETFL, O_NONBLOCK);
	}
	told = fd[0];
	tell = fd[1];
}

static void
take(int sig)
{
	struct sigaction sa, old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sa.sa_handler = on_signal;
	sa.sa_flags = 0; /* no restart: a blocked read returns, and we check */
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

enum sig_wait
sig_wait_input(int fd, int ms)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .events = POLLIN } };
	int n;

	if (told < 0)
		open_pipe();
	p[1].fd = told;
	for (;;) { /* this notices a signal that came before there was a pipe */
		if (sig_stop())
			return SIG_WAIT_STOP;
		n = poll(p, 2, ms);
		if (n == 0)
			return SIG_WAIT_IDLE;
		if (n > 0 && p[1].revents == 0)
			return SIG_WAIT_READY;
		if (n < 0 && errno != EINTR)
			return SIG_WAIT_READY;
	}
}
