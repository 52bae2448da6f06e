/* SPDX-License-Identifier: ISC */
/* profile.h - one input while it is decoded, shared by decode.c, binary.c and text.c. */
#ifndef AFPIPE_DCPI_PROFILE_H
#define AFPIPE_DCPI_PROFILE_H

#include "lib/buf.h"
#include "lib/runs.h"
#include "src/dcpi/dcpi.h"
#include "src/dcpi/header.h"
#include "src/dcpi/line.h"
#include "src/dcpi/source.h"

#define DCPI_NO_PROFILE \
	"not a DCPI profile: it begins with neither a header line nor the text of dcpicat"

struct profile {
	const struct dcpi_options *opt;
	struct evwrite *w;
	const char *file; /* for messages; NULL for the operand itself */
	struct source src;
	struct header head;
	struct header_doubts doubts; /* of this profile */
	bool only; /* the input has no other profile */
	uint32_t told; /* kinds of doubts already reported for it, as bits */
	struct line line; /* the line of the only event of the binary form */
	struct buf run; /* its id, escaped */
	struct runs runs; /* of all profiles of the operand */
};

/* Reports an error and returns its code. */
int dcpi_profile_report(const struct profile *p, const struct err *e);

/*
 * Handles a doubt: reports a warning for the first of its kind (enum header_doubt), or with strict
 * returns ERR_DATA and reports nothing.
 */
int dcpi_profile_doubt(void *profile, unsigned kind, const struct err *e)
    __attribute__((warn_unused_result));

static inline bool
dcpi_profile_told(const struct profile *p, unsigned kind)
{
	return (p->told >> kind & 1) != 0;
}

/*
 * Returns whether the first n bytes have "version" after blanks, empty lines or a byte order mark.
 */
bool dcpi_binary_is_near(const char *s, size_t n);

/*
 * Decodes a whole binary profile from the first byte of the window to its end, and reports errors.
 */
int dcpi_profile_binary(struct profile *p) __attribute__((warn_unused_result));

/* Decodes profiles printed by dcpicat, to the end of the input. */
int dcpi_profile_text(struct profile *p) __attribute__((warn_unused_result));

/*
 * Sets the run id, from the options or else from the header, and *names to the names if they are
 * for that image, or else to NULL.  Fails with ERR_SYS.
 */
int dcpi_profile_begin(struct profile *p, struct slice image, struct dcpi_names **names,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes the run line: its id, the time of day from epoch, the machine, the stride unless it is 0,
 * and the header.
 */
void dcpi_profile_run_line(struct profile *p, struct slice epoch, unsigned stride);

/* Writes a measure line up to its unit tag.  The caller adds tags and ends the line. */
void dcpi_profile_measure(struct profile *p, struct slice measure);

#endif
