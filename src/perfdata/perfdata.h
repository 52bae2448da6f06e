/* SPDX-License-Identifier: ISC */
/*
 * perfdata.h - decodes perf.data, in any of its modes, to the stream.
 */
#ifndef AFPIPE_PERFDATA_PERFDATA_H
#define AFPIPE_PERFDATA_PERFDATA_H

#include "lib/err.h"
#include "lib/evwrite.h"
#include "src/perfdata/options.h"

/*
 * Decodes the recording NAME (a file, a directory made by perf record --threads, or "-", which is
 * opt->fd) and writes its lines to w, between marks that the caller writes.  Returns 0 if
 * everything was read.  Otherwise it returns a code, and the error has been reported unless the
 * code is ERR_STOP or w failed.  ERR_DATA means that the input is damaged, and that all readable
 * parts were read.
 */
int perf_decode(const char *name, const struct perf_options *opt, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

#endif
