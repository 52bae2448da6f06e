/* SPDX-License-Identifier: ISC */
/*
 * append.h - adds records to an AFPerf file.
 *
 * All or nothing: the new records come from a temporary file, once that is complete.  The file is
 * locked (fcntl, for writing, all of it) from the open to the close; readers that do not lock it
 * are not held up.
 */
#ifndef AFPIPE_AFPERF_APPEND_H
#define AFPIPE_AFPERF_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/afperf/ids.h"

struct afperf_append {
	int fd;
	uint64_t size; /* of the original file */
	bool unended; /* its header, or a last comment, has no line break */
	bool runs_seen; /* it has a run, with an id or without */
	struct ids runs, regions, sections; /* ids in it, IDS_OPEN; the encoder takes them over */
};

/*
 * Opens the file, waits for its lock, and reads it.  ERR_SYS if it cannot be opened, locked or
 * read; ERR_DATA if it is not an AFPerf v1 file, cannot be cut into records, or its last
 * record has no line break and may have been cut; ERR_STOP.
 * Nothing is left open on an error.
 */
int afperf_append_open(struct afperf_append *a, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Adds all of FROM.  ERR_SYS: it could not be written completely, and the file has its old length
 * again (the message states it if even that failed).  ERR_DATA: something else has changed the
 * file meanwhile, and it is left alone.  A signal that would end the program first restores the
 * file's old length, then ends the program.
 */
int afperf_append_commit(struct afperf_append *a, int from, struct err *e)
    __attribute__((warn_unused_result));

void afperf_append_close(struct afperf_append *a);

#endif
