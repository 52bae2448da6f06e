/* SPDX-License-Identifier: ISC */
/*
 * fetch.h - object files from debuginfod servers, by build id.
 *
 * libdebuginfod depends on a web client.  It is not linked but loaded by fetch_open, so that
 * programs start fast and work without it.  It takes the servers from DEBUGINFOD_URLS and keeps
 * files in its own cache, below $HOME; see debuginfod_find_debuginfo(3).
 */
#ifndef AFPIPE_SYMBOL_FETCH_H
#define AFPIPE_SYMBOL_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

enum fetch_kind {
	FETCH_DEBUG, /* the debug file */
	FETCH_OBJECT, /* the file that is executed */
};

struct fetch_options {
	uint64_t seconds; /* the time limit for each file */
	/*
	 * Called several times a second while the file of an object is fetched, with the number of
	 * bytes so far and in all, each 0 if unknown; and once more with name NULL when it is done.
	 */
	void (*progress)(void *ctx, const char *name, uint64_t got, uint64_t all);
	void *ctx;
};

struct fetch_counts {
	uint64_t found; /* files that were fetched, or were in the cache */
	uint64_t missing; /* no server has them */
	uint64_t failed; /* time has run out, or there was no answer */
};

struct fetch;

/*
 * The options are borrowed.  Returns NULL and fills e if the library is not installed, no server is
 * named, or memory runs out.
 */
struct fetch *fetch_open(const struct fetch_options *o, struct err *e);
void fetch_close(struct fetch *f);

/*
 * Fetches a file.  name is the object's, for the progress.  *path, which belongs to the struct
 * fetch, is valid until the next call.  Returns ERR_DATA, with the reason, if there is none or it
 * could not be fetched.
 */
int fetch_file(struct fetch *f, enum fetch_kind kind, const unsigned char *build_id, size_t len,
    const char *name, const char **path, struct err *e) __attribute__((warn_unused_result));

const struct fetch_counts *fetch_counts(const struct fetch *f);

#endif
