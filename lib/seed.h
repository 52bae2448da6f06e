/* SPDX-License-Identifier: ISC */
/*
 * seed.h - what input cannot know of our hash tables.
 */
#ifndef AFPIPE_SEED_H
#define AFPIPE_SEED_H

#include <stdint.h>

/*
 * Another in each run of the program and each call.  For texts it seeds the hash; for numbers it is
 * an odd multiplier, and the high bits of the product are the place (multiply-shift): no keys
 * collide in every run.  What is printed must not depend on it.
 */
uint64_t seed_make(void);

#endif
