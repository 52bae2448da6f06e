/* SPDX-License-Identifier: ISC */
/* student.c - Student's t distribution. */
#include "src/diff/student.h"

#include <math.h>

#define QUARTER 1.5707963267948966 /* of a turn */
#define STEPS 400 /* an even number */
#define HALVINGS 60

/* The area under cos^POWER, by Simpson's rule. */
static double
area(double from, double to, double power)
{
	double step = (to - from) / STEPS, sum = 0;
	int i;

	for (i = 0; i <= STEPS; i++) {
		double weight = i == 0 || i == STEPS ? 1 : i % 2 != 0 ? 4 : 2;

		sum += weight * pow(fmax(cos(from + i * step), 0), power);
	}
	return sum * step / 3;
}

/*
 * With t = sqrt(freedom) * tan(angle), the density of t becomes a power of the cosine, which is
 * easy to integrate.
 */
double
student_reach(double freedom, double outside)
{
	/* farther out, less than 1e-30 is left */
	double end = fmin(QUARTER, 12 / sqrt(freedom)), least = 0, most = end;
	double wanted = outside * area(0, end, freedom - 1);
	int i;

	for (i = 0; i < HALVINGS; i++) {
		double middle = (least + most) / 2;

		if (area(middle, end, freedom - 1) > wanted)
			least = middle;
		else
			most = middle;
	}
	return sqrt(freedom) * tan(least);
}
