/* SPDX-License-Identifier: ISC */
/*
 * seed.h - what input cannot know of our hash tables.
 */
#ifndef AFPIPE_PERFDATA_SEED_H
#define AFPIPE_PERFDATA_SEED_H

#include <stdint.h>

/*
 * An odd multiplier, another in each run of the program and each call.  The high bits
 * of a key's product with it are its place (multiply-shift), so no keys collide in
 * every run.  What is printed must not depend on it.
 */
uint64_t seed_make(void);

#endif
