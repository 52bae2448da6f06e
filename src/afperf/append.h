/* SPDX-License-Identifier: ISC */
/*
 * append.h - an AFPerf file that records are added to.
 *
 * All or nothing: what is added comes from a temporary file, once it is whole.  The file is
 * locked (fcntl, for writing, all of it) from the open to the close; readers that do not ask
 * for a lock are not held up.
 */
#ifndef AFPIPE_AFPERF_APPEND_H
#define AFPIPE_AFPERF_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/afperf/ids.h"

struct afperf_append {
	int fd;
	uint64_t size; /* of the file as it was */
	bool unended; /* its header, or a last comment, has no line break */
	bool runs_seen; /* it has a run, blank or not */
	struct ids runs, regions, sections; /* that it has, IDS_OPEN; the encoder takes them */
};

/*
 * Opens the file, waits for its lock, and reads it.  ERR_SYS where it cannot be opened, locked or
 * read, ERR_DATA where it is no AFPerf v1 file, cannot be cut into records, or its last
 * record has no line break and may have been cut; ERR_STOP.
 * Nothing is left open on an error.
 */
int afperf_append_open(struct afperf_append *a, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Adds all that is in FROM.  ERR_SYS: it could not be written whole, and the file has its old
 * length again (the message says so if not even that could be done).  ERR_DATA: something else has
 * changed the file meanwhile, and it is left alone.  A signal that would end the program also gives
 * the file its old length, and ends the program.
 */
int afperf_append_commit(struct afperf_append *a, int from, struct err *e)
    __attribute__((warn_unused_result));

void afperf_append_close(struct afperf_append *a);

#endif
