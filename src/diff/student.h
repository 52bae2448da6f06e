/* SPDX-License-Identifier: ISC */
/* student.h - Student's t distribution. */
#ifndef AFPIPE_DIFF_STUDENT_H
#define AFPIPE_DIFF_STUDENT_H

/*
 * Returns the distance from 0 beyond which, to either side, this part of the distribution is.
 * FREEDOM, the degrees of freedom, is 3 or more, and need not be a whole number.
 */
double student_reach(double freedom, double outside);

#endif
