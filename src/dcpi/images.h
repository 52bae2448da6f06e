/* SPDX-License-Identifier: ISC */
/*
 * images.h - which of the images that the user gives belong to which profiles.
 *
 * A profile has the id of its image, and often its path.  A file has no such id, so the image is
 * recognized by its name: the last component of the file's path is that of a path in the profile's
 * header.  From then on, only the id counts.  If the profiles of two ids have that name, nobody
 * knows which one the file is, and it is used for neither.
 */
#ifndef AFPIPE_DCPI_IMAGES_H
#define AFPIPE_DCPI_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "lib/symbolizer.h"
#include "lib/symtab.h"
#include "lib/tab.h"
#include "src/dcpi/header.h"

/* Names of the addresses [from, to) of one image.  The table uses address - delta. */
struct dcpi_names {
	const char *path; /* of the file, as the user gave it */
	struct symtab *symbols;
	const struct symbolizer *speller; /* spells the names */
	uint64_t from, to, delta;
	struct slice id; /* of the image; p is NULL until a profile of it has been seen */
	struct slice other; /* the id of another image of that name; p is NULL if there is none */
	bool late; /* the id was not known yet when its first profile was read */
	uint64_t found, missed; /* look-ups; those of one procedure in a row are one */
};

/* { 0 } has none. */
struct dcpi_images {
	struct dcpi_names *names; /* the caller's */
	size_t count;
	bool surveying; /* the headers of the profiles are looked at, and nothing is written */
	bool whole; /* dcpi_survey has seen all profiles */
	bool alone; /* there is one operand, so its only profile is the only one of the input */
	struct tab ids; /* those of all profiles so far */
	struct buf paths; /* the paths of the first of them, for messages */
};

void dcpi_images_free(struct dcpi_images *m);

/* Looks at the header of a profile with that image.  Fails with ERR_SYS. */
int dcpi_images_see(struct dcpi_images *m, struct slice id, const struct header *h, struct err *e)
    __attribute__((warn_unused_result));

/*
 * All profiles have been seen: if they are of one image, a single file is taken to be that image,
 * whatever its name is.
 */
void dcpi_images_settle(struct dcpi_images *m);

/* Returns the names for the profiles of that image, or NULL. */
struct dcpi_names *dcpi_images_find(const struct dcpi_images *m, struct slice id);

/* Returns ERR_DATA if it is not known which image file I is, unless there were no profiles. */
int dcpi_images_check(const struct dcpi_images *m, size_t i, struct err *e)
    __attribute__((warn_unused_result));

/* Returns how many images have been seen of which there is no file. */
size_t dcpi_images_nameless(const struct dcpi_images *m);

#endif
