/* SPDX-License-Identifier: ISC */
/*
 * sandbox.h - gives up what a program that reads outside bytes never needs, so that a fault in a
 * parser cannot start a program, reach the network or change a file.
 *
 * Two means of Linux are used, each if it is there: seccomp(2) and landlock(7).  Elsewhere nothing
 * is given up, and this is not reported: a sandbox protects against faults of ours and changes no
 * result.  (libseccomp is not used: it makes a thousand allocations, and when one of them fails it
 * crashes.)
 *
 * Tools that work inside the process may need what is given up.  A build whose coverage is measured
 * writes files at its end: compile it with -DNO_SANDBOX.  Sanitizers start a program that names
 * functions, so with them processes stay allowed.  Valgrind needs AFPIPE_SANDBOX=0.
 */
#ifndef AFPIPE_LIB_SANDBOX_H
#define AFPIPE_LIB_SANDBOX_H

/* Allows connections, threads that make them, and writing a cache of files. */
#define SANDBOX_FETCHES 1u

/*
 * Allows what belongs to other processes to be read (/proc/PID/root), which Landlock denies: it is
 * not used then.
 */
#define SANDBOX_PROCESSES 2u

/*
 * Takes effect for the rest of the process, and cannot be undone.  Files can still be read; the
 * descriptors that are open can still be written, and so can temporary files of in_temp.  Whoever
 * tries anything else ends the process: a message on standard error names the system call, and the
 * exit status is 3; where signals are blocked, SIGSYS kills it.  NEEDS are some of the above.
 *
 * Only filters call this, after the options and before the first outside byte.
 */
void sandbox_enter(unsigned needs);

#endif
