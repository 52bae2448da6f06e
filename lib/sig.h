/* SPDX-License-Identifier: ISC */
/*
 * sig.h - how a filter handles SIGINT and SIGTERM.
 *
 * While a pipe is read, the first SIGINT is left to the producer, whose exit ends our input.  While
 * a file is read, SIGINT asks to stop.  SIGTERM always asks to stop.  The second signal of either
 * kind kills the program.  Signals are process-wide, so this module has global state.
 */
#ifndef AFPIPE_SIG_H
#define AFPIPE_SIG_H

#include <stdbool.h>

/* Installs handlers for both signals; an ignored signal stays ignored.  Call it once, first. */
void sig_install(void);

/* Declare whether a pipe or a file is read from now on. */
void sig_reading_pipe(void);
void sig_reading_file(void);

/* Returns true once a signal has asked to stop. */
bool sig_stop(void);

enum sig_wait {
	SIG_WAIT_STOP, /* a signal asked to stop */
	SIG_WAIT_IDLE, /* the time is up */
	SIG_WAIT_READY, /* a read would not wait: there are bytes, the end, or an error */
};

/*
 * Waits until fd can be read, at most MS milliseconds (-1: no limit).  If fd is -1, only waits for
 * that time.  A signal between a call of sig_stop and a read would be lost; this function notices
 * it.
 */
enum sig_wait sig_wait_input(int fd, int ms);

#endif
