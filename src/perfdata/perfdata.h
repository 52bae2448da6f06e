/* SPDX-License-Identifier: ISC */
/*
 * perfdata.h - decodes perf.data, in any of its modes, to the stream.
 */
#ifndef AFPIPE_PERFDATA_PERFDATA_H
#define AFPIPE_PERFDATA_PERFDATA_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/report.h"
#include "lib/symbolizer.h"

struct perf_options {
	const struct symbolizer *symbolizer; /* NULL: no symbols */
	bool frames; /* print the place of each frame, enough to find its symbol later */
	bool all; /* every record as a line, and the header's facts */
	bool header; /* only the header's facts; the data of a seekable file is not read */
	bool stats; /* only the number of records of each type */
	bool no_spool; /* read file mode from a pipe in one pass, without the features at its end */
	const char *run; /* run id to use; NULL: made from the recording */

	struct reporter to;
};

/*
 * Decodes the recording NAME (a file, a directory made by perf record --threads, or
 * "-") and writes its lines to w, between marks that the caller writes.  Returns 0
 * if all was read; otherwise a code, and the error has been reported unless the code
 * is ERR_STOP or w failed.  ERR_DATA: the input is damaged; all readable parts were read.
 */
int perf_decode(const char *name, const struct perf_options *opt, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

#endif
