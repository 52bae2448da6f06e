/* SPDX-License-Identifier: ISC */
/*
 * sig.h - how a filter takes SIGINT and SIGTERM.
 *
 * While a pipe is read the first SIGINT is left to the producer, whose end is our
 * end of input.  While a file is read SIGINT asks to stop.  SIGTERM always asks to
 * stop.  The second of either kills.  Signals are process-wide, so this is the one
 * place with state of its own.
 */
#ifndef AFPIPE_SIG_H
#define AFPIPE_SIG_H

#include <stdbool.h>

/* Takes both signals over; one that is ignored stays ignored.  Call once, first. */
void sig_install(void);

/* Says what is being read from now on. */
void sig_reading_pipe(void);
void sig_reading_file(void);

/* True once a signal asked to stop. */
bool sig_stop(void);

enum sig_wait {
	SIG_WAIT_STOP, /* a signal asked to stop */
	SIG_WAIT_IDLE, /* the time is over */
	SIG_WAIT_READY, /* a read does not wait: for bytes, the end, or an error */
};

/*
 * Waits until fd can be read, or MS milliseconds (-1: without end); fd may be -1, for the time
 * alone.  Asking sig_stop and then calling read would lose a signal between the two: this sees it.
 */
enum sig_wait sig_wait_input(int fd, int ms);

#endif
