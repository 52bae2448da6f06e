/* SPDX-License-Identifier: ISC */
/*
 * fuzz.h - what the drivers share: how they fail, files without a name, and, where they are
 * programs (FUZZ_MAIN), whole files and repeatable random numbers.
 */
#ifndef AFPIPE_FUZZ_FUZZ_H
#define AFPIPE_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends the program with SIGABRT, which is a finding, unless it is so. */
static inline void
check(int ok, const char *why)
{
	if (ok)
		return;
	fprintf(stderr, "fuzz: %s\n", why);
	abort();
}

/* A file without a name, in memory where that can be had. */
static inline int
scratch(void)
{
	char path[] = "/dev/shm/afpipe-fuzz-XXXXXX", other[] = "/tmp/afpipe-fuzz-XXXXXX";
	char *name = path;
	int fd = mkstemp(path);

	if (fd < 0) {
		name = other;
		fd = mkstemp(other);
	}
	check(fd >= 0 && unlink(name) == 0, "no temporary file");
	return fd;
}

/* The file's bytes, the caller's to free. */
static inline uint8_t *
load(const char *name, size_t *size)
{
	FILE *fp = fopen(name, "rb");
	uint8_t *p;
	long n;

	check(fp != NULL && fseek(fp, 0, SEEK_END) == 0, "cannot open the file");
	n = ftell(fp);
	check(n >= 0, "cannot tell the file's size");
	rewind(fp);
	*size = (size_t)n;
	p = malloc(*size + 1);
	check(p != NULL && fread(p, 1, *size, fp) == *size, "cannot read the file");
	fclose(fp);
	return p;
}

/* SplitMix64: the same numbers on every machine. */
static inline uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
