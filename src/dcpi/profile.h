/* SPDX-License-Identifier: ISC */
/* profile.h - one input while it is decoded, shared by dcpi.c, binary.c, chunks.c and text.c. */
#ifndef AFPIPE_DCPI_PROFILE_H
#define AFPIPE_DCPI_PROFILE_H

#include "src/dcpi/dcpi.h"
#include "src/dcpi/header.h"
#include "src/dcpi/line.h"
#include "src/dcpi/source.h"

#define DCPI_NO_PROFILE \
	"not a DCPI profile: it begins with neither a header line nor the text of dcpicat"

struct profile {
	const struct dcpi_options *opt;
	struct evwrite *w;
	const char *file; /* for messages: NULL for the operand itself */
	struct source src;
	struct header head;
	struct header_doubts doubts; /* of this profile */
	uint32_t told; /* kinds of doubts of it that have been, as bits */
	struct line line; /* of the binary form's only event */
	char run[18]; /* its id: 0x and 16 digits */
};

/* Reports; returns the code. */
int dcpi_profile_report(const struct profile *p, const struct err *e);

/*
 * What is only doubtful: a warning for the first of its kind (enum header_doubt), or with strict
 * ERR_DATA and nothing reported.
 */
int dcpi_profile_doubt(void *profile, unsigned kind, const struct err *e)
    __attribute__((warn_unused_result));

static inline bool
dcpi_profile_told(const struct profile *p, unsigned kind)
{
	return (p->told >> kind & 1) != 0;
}

/* Do the first bytes, n, come to "version" behind blanks, empty lines or a byte order mark? */
bool dcpi_binary_is_near(const char *s, size_t n);

/* A whole binary profile from the window's first byte to its end; reports what is wrong. */
int dcpi_profile_binary(struct profile *p) __attribute__((warn_unused_result));

/* The profiles that dcpicat has printed, to the end of the input. */
int dcpi_profile_text(struct profile *p) __attribute__((warn_unused_result));

/* The binary part, behind the header.  e is filled, not reported. */
int dcpi_profile_chunks(struct profile *p, struct err *e) __attribute__((warn_unused_result));

/* The run id from the header that has been read, and the names, if they are of that image. */
const struct dcpi_names *dcpi_profile_begin(struct profile *p, struct slice image);

/*
 * The run line: its id, the time of day that epoch says, the machine, the stride where it is not
 * 0, and the header; then it is ended.
 */
void dcpi_profile_run_line(struct profile *p, struct slice epoch, unsigned stride);

/* A measure line up to its tag unit; the caller adds tags and ends it. */
void dcpi_profile_measure(struct profile *p, struct slice measure);

#endif
