/* SPDX-License-Identifier: ISC */
/*
 * nomem.h - what others ask of nomem.c.
 *
 * fault.c asks a process to run the command.  With each request come NOMEM_FILES descriptors, for
 * standard input, output and error.  The answer is the status, as an int, that waitpid gave.
 * Before each run the count (NOMEM_FD) is set to 0.
 *
 * tight.c asks whether a call is to fail that needs memory in some cases only.
 */
#ifndef AFPIPE_TOOLS_NOMEM_H
#define AFPIPE_TOOLS_NOMEM_H

#include <stdint.h>

#define NOMEM_FILES 3

struct nomem_request {
	long k; /* the allocation that fails; 0: none */
	int more; /* all after it fail, too */
};

/* Counts as an allocation when a place, which is not 0, is met first.  Returns 1 if it fails. */
int nomem_place(uint64_t place);

/* Allocations of this thread neither fail nor count. */
void nomem_pause(int on);

#endif
