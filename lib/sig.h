/* SPDX-License-Identifier: ISC */
/*
 * sig.h - how a filter handles SIGINT and SIGTERM.
 *
 * While a pipe is read the first SIGINT is left to the producer: its exit is our
 * end of input.  While a file is read SIGINT asks to stop.  SIGTERM always asks to
 * stop.  The second of either kills.  Signals are process-wide, so this module has
 * global state.
 */
#ifndef AFPIPE_SIG_H
#define AFPIPE_SIG_H

#include <stdbool.h>

/* Installs handlers for both signals; one that is ignored stays ignored.  Call once, first. */
void sig_install(void);

/* Set what is being read from now on. */
void sig_reading_pipe(void);
void sig_reading_file(void);

/* True once a signal has asked to stop. */
bool sig_stop(void);

enum sig_wait {
	SIG_WAIT_STOP, /* a signal asked to stop */
	SIG_WAIT_IDLE, /* the time is over */
	SIG_WAIT_READY, /* a read would not wait: there are bytes, the end, or an error */
};

/*
 * Waits until fd can be read, at most MS milliseconds (-1: no limit); with fd -1 it only waits for
 * the time.  A signal between a call of sig_stop and a read would be lost: this function sees it.
 */
enum sig_wait sig_wait_input(int fd, int ms);

#endif
