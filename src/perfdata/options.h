/* SPDX-License-Identifier: ISC */
/* options.h - the options of the decoder; part of perfdata.h. */
#ifndef AFPIPE_PERFDATA_OPTIONS_H
#define AFPIPE_PERFDATA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/report.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"

#define PERF_STACK_MAX 8000

struct perf_options {
	const struct symbolizer *symbolizer; /* NULL: no symbols except those in the recording */
	const struct symbolizer *speller; /* demangles names; NULL: they are not changed */
	const struct symbolizer *unwinder; /* finds unwind information; NULL: do not unwind */
	size_t max_stack; /* maximum frames of an unwound stack, from 1 to PERF_STACK_MAX */
	bool frames; /* print the location of each frame, enough to find its symbol later */
	bool no_stacks; /* no line of a sample keeps its stack: unwind nothing, look up no caller */
	bool no_tags; /* no line of an event keeps a tag */
	bool all; /* print every record as a line, and the header's features */
	bool header; /* print only the header's features; data of a seekable file are not read */
	bool stats; /* print only the number of records of each type */
	bool no_spool; /* read file mode from a pipe in one pass, without the features at its end */
	int fd; /* the recording if its name is "-"; 0 is standard input */
	const char *run; /* run id to use; NULL: derived from the recording */
	bool wall; /* times are those of the day, in nanoseconds since 1970 */
	bool tag_host; /* add the host that the recording names to the tags of events */
	struct slice tags; /* the tags that events get besides; see cli_add_tags */

	struct reporter to;
};

/* Returns true if the header's features are to be printed. */
static inline bool
perf_wants_header(const struct perf_options *opt)
{
	return opt->all || opt->header;
}

#endif
