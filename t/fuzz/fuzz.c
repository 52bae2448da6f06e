/* SPDX-License-Identifier: ISC */
/*
 * fuzz.c - shared by the fuzz drivers: the sweeps over one file, the entry for libFuzzer and, with
 * FUZZ_MAIN, the program; see fuzz.h.
 */
#include "t/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The input being tried: its file, if any, its kind, and its number. */
static struct {
	const char *file, *kind;
	uint64_t n;
} trying;

void
finding(const char *why)
{
	if (trying.file != NULL)
		fprintf(stderr, "fuzz: %s, %s %" PRIu64 ": %s\n", trying.file, trying.kind,
		    trying.n, why);
	else
		fprintf(stderr, "fuzz: %s\n", why);
	abort();
}

void
check_error(const struct err *e)
{
	check(e->code == ERR_DATA, e->msg);
	check(e->msg[0] != '\0' && memchr(e->msg, '\0', sizeof e->msg) != NULL,
	    "an error without words");
}

uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

int
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

void
scratch_empty(int fd)
{
	check(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "cannot empty a file");
}

void
scratch_put(int fd, const void *data, size_t size)
{
	scratch_empty(fd);
	check(pwrite(fd, data, size, 0) == (ssize_t)size, "cannot write");
}

char *
scratch_text(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *p;

	check(size >= 0, "cannot seek");
	*len = (size_t)size;
	p = malloc(*len + 1);
	check(p != NULL && pread(fd, p, *len, 0) == size, "cannot read back");
	p[*len] = '\0';
	return p;
}

void
stdin_file(int fd)
{
	check(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
}

void
stdin_pipe(const uint8_t *data, size_t size)
{
	int end[2];

	check(pipe(end) == 0, "pipe");
	check(write(end[1], data, size) == (ssize_t)size && close(end[1]) == 0,
	    "cannot fill the pipe");
	check(dup2(end[0], STDIN_FILENO) >= 0 && close(end[0]) == 0, "dup2");
}

static bool
take_one(size_t n, const uint8_t *data, size_t size)
{
	return fuzz_driver.ways == 0 ? fuzz_driver.take(data, size)
				     : fuzz_driver.take_way(n % fuzz_driver.ways, data, size);
}

#ifndef FUZZ_MAIN
#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
uint64_t __wrap_seed_make(void);

/*
 * The seeds of hash tables depend on the input only, so that each run of a driver executes the same
 * code for it.  (t/tools/fuzz directs the calls of seed_make to this.)
 */
static uint64_t seed_state;

uint64_t
__wrap_seed_make(void)
{
	return random_next(&seed_state) | 1;
}

/*
 * The length of an input chooses the way, so that it stays the same when bytes change.  The length
 * of some is always a multiple of eight.
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	seed_state = XXH3_64bits(data, size);
	(void)take_one(size / 8 + size % 8, data, size);
	return 0;
}

/* Every other change is the driver's own, if it has any. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	uint64_t state = seed;
	size_t n = 0;

	if (fuzz_driver.mutate != NULL && random_next(&state) % 2 == 0)
		n = fuzz_driver.mutate(data, size, max, &state);
	return n != 0 ? n : LLVMFuzzerMutate(data, size, max);
}
#else
/* The inputs that a mode has tried, from all files. */
struct tally {
	uint64_t tried, refused;
};

static void
count(struct tally *t, bool taken)
{
	t->tried++;
	t->refused += !taken;
	trying.file = NULL;
}

/* Notes that the next input is the N-th of the KIND. */
static void
try(const char *file, const char *kind, uint64_t n)
{
	trying.file = file;
	trying.kind = kind;
	trying.n = n;
}

/* Returns the bytes of the file, which the caller must free. */
static uint8_t *
load(const char *name, size_t *size)
{
	FILE *fp = fopen(name, "rb");
	uint8_t *p;
	long n;

	try(name, "byte", 0);
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

static bool
take_all(const uint8_t *data, size_t size)
{
	bool taken = take_one(0, data, size);
	size_t way;

	for (way = 1; way < fuzz_driver.ways; way++)
		(void)take_one(way, data, size);
	return taken;
}

static void
whole(struct tally *t, const char *name, const uint8_t *data, size_t size)
{
	try(name, "bytes", size);
	count(t, (fuzz_driver.file == NULL ? take_all : fuzz_driver.file)(data, size));
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	return fuzz_driver.prefix == NULL ? take_all(data, cut)
					  : fuzz_driver.prefix(data, size, cut);
}

static void
prefixes(struct tally *t, size_t step, const char *name, const uint8_t *data, size_t size)
{
	struct tally here = { 0, 0 };
	size_t cut;

	try(name, "cut at", size);
	(void)prefix(data, size, size);
	for (cut = 0; cut < size; cut += step) {
		try(name, "cut at", cut);
		count(&here, prefix(data, size, cut));
	}
	try(name, "prefixes", here.tried);
	check(here.refused * 100 >= here.tried * fuzz_driver.refused, "too few are refused");
	t->tried += here.tried;
	t->refused += here.refused;
}

/* Makes the n-th damaged copy with that seed, the same on every machine. */
static void
damage(uint8_t *p, const uint8_t *data, size_t size, uint64_t n, uint64_t seed)
{
	const struct slice *meaning = &fuzz_driver.meaning;
	uint64_t state = seed * 1000003 + n, k;

	check(size > 0, "nothing to damage");
	memcpy(p, data, size);
	for (k = 1 + random_next(&state) % 4; k > 0; k--) {
		size_t at = random_next(&state) % size;

		if (meaning->len != 0 && random_next(&state) % 4 < fuzz_driver.meaning_of_4)
			p[at] = (uint8_t)meaning->p[random_next(&state) % meaning->len];
		else
			p[at] ^= (uint8_t)(1 + random_next(&state) % 255);
	}
}

static uint8_t *
room_for(size_t size)
{
	uint8_t *p = malloc(size + 1);

	check(p != NULL, "no memory");
	return p;
}

static void
flips(struct tally *t, uint64_t copies, uint64_t seed, const char *name, const uint8_t *data,
    size_t size)
{
	uint8_t *p = room_for(size);
	uint64_t n;

	for (n = 0; n < copies; n++) {
		try(name, "copy", n);
		damage(p, data, size, n, seed);
		count(t,
		    fuzz_driver.copy == NULL ? take_one((size_t)n, p, size)
					     : fuzz_driver.copy(p, size, n));
	}
	free(p);
}

static void
mutations(struct tally *t, uint64_t copies, uint64_t seed, const char *name, const uint8_t *data,
    size_t size)
{
	size_t max = 2 * size + 4096, len, changed;
	uint8_t *p = room_for(max);
	uint64_t n, k, state;

	for (n = 0; n < copies; n++) {
		try(name, "mutation", n);
		state = seed * 1000003 + n;
		memcpy(p, data, size);
		len = size;
		for (k = 1 + random_next(&state) % 4; k > 0; k--) {
			changed = fuzz_driver.mutate(p, len, max, &state);
			check(changed <= max, "more than there is room for");
			len = changed != 0 ? changed : len;
		}
		count(t, take_one((size_t)n, p, len));
	}
	free(p);
}

static void
each(struct tally *t, const char *name, const uint8_t *data, size_t size)
{
	uint8_t *p = room_for(size + 1);
	size_t at, k;

	for (at = 0; at <= size; at++) {
		memcpy(p, data, size);
		for (k = 0; k < fuzz_driver.meaning.len; k++) {
			p[at] = (uint8_t)fuzz_driver.meaning.p[k];
			try(name, "wrong byte", at);
			count(t, take_all(p, at < size ? size : size + 1));
		}
	}
	free(p);
}

static void
at_random(struct tally *t, uint64_t inputs, uint64_t seed)
{
	uint8_t bytes[FUZZ_MADE_MAX];
	uint64_t n, state;

	for (n = 0; n < inputs; n++) {
		state = seed * 1000003 + n;
		try("random", "input", n);
		count(t, take_one((size_t)n, bytes, fuzz_driver.make(&state, bytes)));
	}
}

static int
write_copy(uint64_t n, uint64_t seed, const char *name)
{
	size_t size;
	uint8_t *data = load(name, &size), *p = room_for(size);
	bool written;

	damage(p, data, size, n, seed);
	written = fwrite(p, 1, size, stdout) == size && fflush(stdout) == 0;
	free(data);
	free(p);
	return written ? 0 : 1;
}

/* Checks the memory used, which must not depend on sizes that a small input claims. */
static int
within_memory(void)
{
	const char *limit = getenv("FUZZ_KIB");
	struct rusage used;

	check(getrusage(RUSAGE_SELF, &used) == 0, "getrusage");
	printf("KiB used at most: %ld\n", used.ru_maxrss);
	return limit == NULL || used.ru_maxrss <= strtol(limit, NULL, 10) ? 0 : 1;
}

static const struct mode {
	const char *option, *what;
	int numbers;
} modes[] = {
	{ NULL, "files", 0 },
	{ "--prefixes", "prefixes", 1 },
	{ "--flips", "damaged copies", 2 },
	{ "--mutate", "mutations", 2 },
	{ "--each", "wrong bytes", 0 },
	{ "--random", "inputs", 2 },
	{ "--write", NULL, 2 },
};

enum { FILES, PREFIXES, FLIPS, MUTATE, EACH, RANDOM, WRITE, MODES };

static void
run(struct tally *t, int mode, const uint64_t *number, const char *name)
{
	size_t size;
	uint8_t *data = load(name, &size);

	if (mode == PREFIXES)
		prefixes(t, number[0], name, data, size);
	else if (mode == FLIPS)
		flips(t, number[0], number[1], name, data, size);
	else if (mode == MUTATE)
		mutations(t, number[0], number[1], name, data, size);
	else if (mode == EACH)
		each(t, name, data, size);
	else
		whole(t, name, data, size);
	free(data);
}

int
main(int argc, char **argv)
{
	struct tally t = { 0, 0 };
	uint64_t number[2] = { 0, 0 };
	int mode = MODES - 1, i = 1, k;

	while (mode > 0 && (argc < 2 || strcmp(argv[1], modes[mode].option) != 0))
		mode--;
	i += mode > 0;
	for (k = 0; k < modes[mode].numbers && i < argc; k++)
		number[k] = strtoull(argv[i++], NULL, 10);
	check(mode != PREFIXES || number[0] > 0, "no step");
	check(mode != RANDOM || fuzz_driver.make != NULL, "this driver makes no inputs");
	check(mode != MUTATE || fuzz_driver.mutate != NULL, "this driver mutates nothing");
	check((mode == RANDOM) == (i == argc), "operands");
	if (mode == WRITE)
		return write_copy(number[0], number[1], argv[i]);
	if (mode == RANDOM)
		at_random(&t, number[0], number[1]);
	for (; i < argc; i++)
		run(&t, mode, number, argv[i]);
	printf("%" PRIu64 " %s, %" PRIu64 " refused\n", t.tried, modes[mode].what, t.refused);
	return within_memory();
}
#endif
