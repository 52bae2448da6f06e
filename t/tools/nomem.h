/* SPDX-License-Identifier: ISC */
/*
 * nomem.h - what fault.c asks of a process with nomem.c: to run the command.  With each request come
 * NOMEM_FILES descriptors, for standard input, output and error.  The answer is the status, as an
 * int, that waitpid gave.  Before each run the count (NOMEM_FD) is set to 0.
 */
#ifndef AFPIPE_TOOLS_NOMEM_H
#define AFPIPE_TOOLS_NOMEM_H

#define NOMEM_FILES 3

struct nomem_request {
	long k; /* the allocation that fails; 0: none */
	int more; /* all after it fail, too */
};

#endif
