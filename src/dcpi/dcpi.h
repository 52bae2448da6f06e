/* SPDX-License-Identifier: ISC */
/*
 * dcpi.h - decodes profiles of the DIGITAL Continuous Profiling Infrastructure to the stream.
 *
 * It reads two forms: the binary form of dcpiformat(4), versions 0.06 and 0.07, and the text
 * printed by dcpicat(1), of any version.
 */
#ifndef AFPIPE_DCPI_DCPI_H
#define AFPIPE_DCPI_DCPI_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/report.h"

struct dcpi_images; /* images.h */
struct dcpi_rates; /* line.h */

#define DCPI_ID_MAX ((size_t)256) /* bytes of an image, the name of an event, or a period */

struct dcpi_options {
	unsigned stride; /* bytes between two counts of a chunk: 4 or 1 */
	bool zeros; /* counts of zero become lines, too */
	bool events; /* estimated events as a tag */
	const char *run; /* the run id of all profiles, or NULL: that of the header */
	bool strict; /* doubtful input is rejected */
	struct dcpi_images *images; /* shared by all operands, or NULL */
	struct dcpi_rates *rates; /* likewise */
	struct reporter to;
};

/*
 * Decodes NAME (a file, a directory of profiles, or "-") and writes its lines to w, between marks
 * that the caller writes.  Returns 0 if everything was read.  Otherwise returns a code, and the
 * error has been reported unless the code is ERR_STOP or w failed.  ERR_DATA means that a profile
 * is damaged or rejected.  The lines before the damage have been written.
 */
int dcpi_decode(const char *name, const struct dcpi_options *opt, struct evwrite *w)
    __attribute__((warn_unused_result));

/*
 * Looks at the headers of the profiles in n operands, as far as they can be read twice: files and
 * directories.  Finds out which images they are of, and sets images->whole if these are all
 * profiles.  Fails with ERR_SYS if memory runs out.  An operand that cannot be looked at, but may
 * exist, is reported; all other errors are left to dcpi_decode.
 */
int dcpi_survey(char *const *operands, size_t n, const struct dcpi_options *opt, struct err *e)
    __attribute__((warn_unused_result));

#endif
