/* SPDX-License-Identifier: ISC */
/* process.h - whether a process of the recording is still running here, and its view of files. */
#ifndef AFPIPE_SYMBOL_PROCESS_H
#define AFPIPE_SYMBOL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/symbolizer.h"

struct process_view {
	char root[32]; /* the directory that the process sees as / */
	uint32_t pid; /* its own pid as it sees it */
};

/*
 * Fills *out if the process is the recorded one.  Returns false if it is not, or if this is not
 * known.  A pid alone proves nothing, since pids are reused and other machines have the same ones.
 * But the addresses of a process's mappings are random, so one that maps the same file at the same
 * address is the same process.  Nothing is certain if addresses are not random here.
 */
bool process_find(const struct sym_process *p, struct process_view *out);

#endif
