/* SPDX-License-Identifier: ISC */
/* sig.c - how a filter handles SIGINT and SIGTERM. */
#include "lib/sig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t installed, stop_asked, from_pipe, left;

/*
 * A pipe to ourselves, so that we can wait for a stop signal in the same way as for input.  It is
 * opened only when there is something to wait for, so that reading files does not need its two
 * descriptors.
 */
static volatile sig_atomic_t told = -1, tell = -1;

/* The terminal to be restored before the program is killed. */
static const struct sig_terminal *volatile guarded;
static volatile sig_atomic_t suspend_asked;

/* The signals that kill a program. */
static const int deadly[] = { SIGHUP, SIGQUIT, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
	SIGALRM, SIGUSR1, SIGUSR2, SIGTRAP, SIGSYS, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ };

/* Writes the messages that were held back while the terminal was in use. */
static void
copy_held(const struct sig_terminal *t)
{
	char text[1024];
	off_t at = 0;
	ssize_t n, done = 0;

	while ((n = pread(t->held, text, sizeof text, at)) > 0) {
		at += n;
		done = write(t->stderr_fd, text, (size_t)n);
	}
	(void)done;
}

/* Restores the terminal and lets the signal kill the program.  Only uses what a handler may. */
static void
on_death(int sig)
{
	const struct sig_terminal *t = guarded;
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t set;

	guarded = NULL;
	if (t != NULL && tcgetpgrp(t->fd) == getpgrp()) {
		ssize_t n = write(t->fd, t->reset, t->reset_len);

		(void)n;
		(void)tcsetattr(t->fd, TCSANOW, &t->mode);
	}
	if (t != NULL)
		copy_held(t);
	sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
	sigemptyset(&set);
	(void)sigaddset(&set, sig);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)raise(sig);
}

static void
on_suspend(int sig)
{
	(void)sig;
	suspend_asked = 1;
}

/* Sets the handler of a signal whose handler is OLD. */
static void
replace(int sig, void (*old)(int), void (*handler)(int))
{
	struct sigaction sa;

	if (sigaction(sig, NULL, &sa) != 0 || (sa.sa_flags & SA_SIGINFO) != 0 ||
	    sa.sa_handler != old)
		return;
	sa = (struct sigaction){ .sa_handler = handler };
	sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
}

void
sig_guard_terminal(const struct sig_terminal *t)
{
	size_t i;

	guarded = t;
	for (i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
		replace(deadly[i], t != NULL ? SIG_DFL : on_death, t != NULL ? on_death : SIG_DFL);
	replace(SIGTSTP, t != NULL ? SIG_DFL : on_suspend, t != NULL ? on_suspend : SIG_DFL);
}

bool
sig_take_suspend(void)
{
	bool asked = suspend_asked != 0;

	suspend_asked = 0;
	return asked;
}

void
sig_suspend(void)
{
	replace(SIGTSTP, on_suspend, SIG_DFL);
	(void)raise(SIGTSTP);
	replace(SIGTSTP, SIG_DFL, on_suspend);
}

static void
on_signal(int sig)
{
	struct sigaction sa = { .sa_handler = guarded != NULL ? on_death : SIG_DFL };
	int saved = errno;
	ssize_t n;

	/* the second signal kills, whatever the program is waiting for */
	sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
	if (sig == SIGINT && from_pipe) {
		left = 1;
	} else {
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
	installed = 1;
	take(SIGINT);
	take(SIGTERM);
}

void
sig_reading_pipe(void)
{
	if (installed)
		from_pipe = 1;
}

void
sig_reading_file(void)
{
	if (installed)
		from_pipe = 0;
}

void
sig_ask_stop(void)
{
	stop_asked = 1;
}

bool
sig_left_to_producer(void)
{
	return left != 0;
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

	if (told < 0 && installed)
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
