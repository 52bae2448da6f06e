/* SPDX-License-Identifier: ISC */
/*
 * burn.c - the program of the demonstration: three kinds of work that a profile distinguishes.
 *
 * share/demo/record builds and records it.  It does not use the C library while it works, so that
 * all names are its own.
 */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define PRIMES 200000
#define ROWS 96
#define KEYS 11000

static unsigned char composite[PRIMES];
static double left[ROWS][ROWS], right[ROWS][ROWS], product[ROWS][ROWS];
static unsigned key[KEYS];

NOINLINE unsigned
sieve(void)
{
	unsigned i, j, found = 0;

	for (i = 2; i < PRIMES; i++)
		composite[i] = 0;
	for (i = 2; i < PRIMES; i++) {
		if (composite[i])
			continue;
		found++;
		for (j = i + i; j < PRIMES; j += i)
			composite[j] = 1;
	}
	return found;
}

NOINLINE double
dot(unsigned row, unsigned column)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < ROWS; i++)
		sum += left[row][i] * right[i][column];
	return sum;
}

NOINLINE double
multiply(void)
{
	unsigned i, j;

	for (i = 0; i < ROWS; i++)
		for (j = 0; j < ROWS; j++)
			product[i][j] = dot(i, j);
	return product[ROWS - 1][ROWS - 1];
}

NOINLINE unsigned
partition(unsigned low, unsigned high)
{
	unsigned pivot = key[high], at = low, i, swap;

	for (i = low; i < high; i++) {
		if (key[i] > pivot)
			continue;
		swap = key[i];
		key[i] = key[at];
		key[at++] = swap;
	}
	key[high] = key[at];
	key[at] = pivot;
	return at;
}

NOINLINE void
quicksort(unsigned low, unsigned high)
{
	unsigned middle;

	if (low >= high)
		return;
	middle = partition(low, high);
	if (middle > low)
		quicksort(low, middle - 1);
	quicksort(middle + 1, high);
}

NOINLINE void
shuffle(unsigned seed)
{
	unsigned i;

	for (i = 0; i < KEYS; i++) {
		seed = seed * 1664525 + 1013904223;
		key[i] = seed >> 8;
	}
}

NOINLINE double
step(unsigned n)
{
	double sum = sieve();

	sum += multiply();
	shuffle(n);
	quicksort(0, KEYS - 1);
	return sum + key[0];
}

int
main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100, i, j;
	double sum = 0;

	for (i = 0; i < ROWS; i++)
		for (j = 0; j < ROWS; j++) {
			left[i][j] = i + j;
			right[i][j] = i > j ? 1.0 : 0.5;
		}
	for (i = 0; i < n; i++)
		sum += step(i);
	printf("%g\n", sum);
	return 0;
}
