/* SPDX-License-Identifier: ISC */
/*
 * sig.h - how a filter handles SIGINT and SIGTERM.
 *
 * While a pipe is read, the first SIGINT is left to the producer, whose exit ends our input.  While
 * a file is read, SIGINT asks to stop.  SIGTERM always asks to stop.  The second signal of either
 * kind kills the program.  Signals are process-wide, so this module has global state.  It stays as
 * it is, and no descriptor is opened, unless sig_install has been called: libafpipe does not.
 */
#ifndef AFPIPE_SIG_H
#define AFPIPE_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Installs handlers for both signals; an ignored signal stays ignored.  Call it once, first. */
void sig_install(void);

/* Declare whether a pipe or a file is read from now on. */
void sig_reading_pipe(void);
void sig_reading_file(void);

/* Returns true once a signal has asked to stop. */
bool sig_stop(void);

/* Returns true once a SIGINT has been left to the producer. */
bool sig_left_to_producer(void);

/* Asks to stop, as a signal would. */
void sig_ask_stop(void);

/*
 * A terminal in a special mode.  A signal that kills the program first writes RESET, restores MODE,
 * and copies what HELD, a file, has to STDERR_FD.
 */
struct sig_terminal {
	int fd;
	struct termios mode;
	char reset[256];
	size_t reset_len;
	int held, stderr_fd;
};

/* Guards a terminal, which must stay where it is, or none (NULL). */
void sig_guard_terminal(const struct sig_terminal *t);

/*
 * Returns true if the user asked to suspend the program (SIGTSTP) since the last call, while a
 * terminal is guarded.  sig_suspend then does it, and returns when the program continues.
 */
bool sig_take_suspend(void);
void sig_suspend(void);

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
