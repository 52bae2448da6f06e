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

#endif
