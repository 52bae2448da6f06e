/* SPDX-License-Identifier: ISC */
/* options.h - what the caller of the decoder asked for; part of perfdata.h. */
#ifndef AFPIPE_PERFDATA_OPTIONS_H
#define AFPIPE_PERFDATA_OPTIONS_H

#include <stdbool.h>

#include "lib/report.h"
#include "lib/symbolizer.h"

struct perf_options {
	const struct symbolizer *symbolizer; /* NULL: no symbols */
	bool frames; /* print the place of each frame, enough to find its symbol later */
	bool all; /* every record as a line, and the header's features */
	bool header; /* only the header's features; the data of a seekable file is not read */
	bool stats; /* only the number of records of each type */
	bool no_spool; /* read file mode from a pipe in one pass, without the features at its end */
	const char *run; /* run id to use; NULL: made from the recording */

	struct reporter to;
};

/* Should the header's features be printed? */
static inline bool
perf_wants_header(const struct perf_options *opt)
{
	return opt->all || opt->header;
}

#endif
