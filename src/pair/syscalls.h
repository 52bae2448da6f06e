/* SPDX-License-Identifier: ISC */
/* syscalls.h - the names of Linux's system calls. */
#ifndef AFPIPE_PAIR_SYSCALLS_H
#define AFPIPE_PAIR_SYSCALLS_H

#include <stdint.h>

#include "lib/slice.h"

/* The numbers of one architecture. */
struct syscalls;

/* Returns the table for an architecture as uname -m spells it, or NULL if there is none. */
const struct syscalls *syscalls_of(struct slice arch);

/* Returns the name of a system call, or NULL for an unknown number. */
const char *syscalls_name(const struct syscalls *t, uint64_t number);

/* What the numbers at which a system call begins and ends tell about the program of a thread. */
enum syscalls_exec {
	SYSCALLS_OTHER, /* no program begins */
	SYSCALLS_SAME, /* a program begins whose calls have the numbers of the table, */
	SYSCALLS_ENTERS, /* or those of the other architecture, */
	SYSCALLS_LEAVES, /* or those of the table again */
};

#define SYSCALLS_UNSEEN UINT64_MAX /* the number of an execve that began before the recording */

/*
 * Compares the two numbers of a call.  On x86_64, execve and execveat end as the execve of the
 * program that begins, and that of i386 has another number.
 */
enum syscalls_exec syscalls_exec(const struct syscalls *t, uint64_t begun, uint64_t ended);

#endif
