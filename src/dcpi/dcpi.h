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
#include "lib/symbolizer.h"
#include "lib/symtab.h"

#define DCPI_ID_MAX ((size_t)256) /* bytes of an image, the name of an event, or a period */

/*
 * Names of the addresses [from, to) of one image.  The table uses address - delta.  The image is
 * the first one found in the operands that are decoded with these names.  is_met is false until it
 * has been found.
 */
struct dcpi_names {
	const struct symtab *symbols;
	const struct symbolizer *speller; /* demangles the names; NULL: they are not changed */
	uint64_t from, to, delta;
	bool is_met;
	char image[DCPI_ID_MAX];
	size_t imagelen;
	uint64_t found, missed; /* look-ups; those of one procedure in a row are one */
};

struct dcpi_options {
	unsigned stride; /* bytes between two counts of a chunk: 4 or 1 */
	bool zeros; /* counts of zero become lines, too */
	bool events; /* estimated events as a tag */
	const char *run; /* the run id of all profiles, or NULL: that of the header */
	bool strict; /* doubtful input is rejected */
	struct dcpi_names *names; /* shared by all operands, or NULL */
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

#endif
