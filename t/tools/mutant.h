/* SPDX-License-Identifier: ISC */
/*
 * mutant.h - included in the sources that t/tools/mutate has changed.  MUTANT(n) is 1 in a process
 * that is to behave as mutant n, and records that the place was reached.
 *
 * It includes nothing, because sources define what they want of the system before they include
 * anything.  The weak definitions are for programs of the tests that are linked without mutant.o,
 * which have no mutants.
 */
#ifndef AFPIPE_MUTANT_H
#define AFPIPE_MUTANT_H

#define MUTANT_MAX 16384

#if defined MUTANT_NEVER
#define MUTANT(n) 0
#else
extern unsigned mutant_active;
extern unsigned char *mutant_reached;
#define MUTANT(n) (mutant_reached[n] = 1, mutant_active == (n))
#if !defined MUTANT_STRONG
unsigned char mutant_nothing[MUTANT_MAX] __attribute__((weak));
unsigned char *mutant_reached __attribute__((weak)) = mutant_nothing;
unsigned mutant_active __attribute__((weak));
#endif
#endif

#endif
