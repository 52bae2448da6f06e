/* SPDX-License-Identifier: ISC */
/* syscalls.c - the names of Linux's system calls, by architecture and number. */
#include "src/pair/syscalls.h"

#include <stddef.h>

/* The tables.  contrib/syscalls prints them from the headers of the kernel. */
#include "src/pair/syscalls.inc"

struct syscalls {
	struct slice arch;
	const char *const *name; /* by number; NULL if there is no such call */
	size_t count;
};

#define TABLE(text, table) \
	{ \
		SLICE_INIT(text), (table), sizeof(table) / sizeof((table)[0]) \
	}

/* 32-bit kernels for x86 and ARM give the model of the processor. */
static const struct syscalls tables[] = {
	TABLE("x86_64", x86_64),
	TABLE("aarch64", aarch64),
	TABLE("arm64", aarch64),
	TABLE("i386", i386),
	TABLE("i486", i386),
	TABLE("i586", i386),
	TABLE("i686", i386),
	TABLE("arm", arm),
	TABLE("armv5tel", arm),
	TABLE("armv6l", arm),
	TABLE("armv7l", arm),
	TABLE("armv8l", arm),
	TABLE("riscv64", riscv64),
};

const struct syscalls *
syscalls_of(struct slice arch)
{
	size_t i;

	for (i = 0; i < sizeof tables / sizeof tables[0]; i++)
		if (slice_eq(arch, tables[i].arch))
			return &tables[i];
	return NULL;
}

/* Returns the other architecture whose programs a processor of x86_64 runs, or NULL. */
static const struct syscalls *
other_of(const struct syscalls *t)
{
	if (t != NULL && t->name == x86_64)
		return syscalls_of(SLICE("i386"));
	return t != NULL && t->name == i386 ? syscalls_of(SLICE("x86_64")) : NULL;
}

static bool
is_exec(const struct syscalls *t, uint64_t number)
{
	const char *name = syscalls_name(t, number);

	return name != NULL &&
	    (slice_eq(slice_of(name), SLICE("execve")) ||
		slice_eq(slice_of(name), SLICE("execveat")));
}

enum syscalls_exec
syscalls_exec(const struct syscalls *t, uint64_t begun, uint64_t ended)
{
	const struct syscalls *other = other_of(t);

	if (other == NULL)
		return SYSCALLS_OTHER;
	if (begun == SYSCALLS_UNSEEN || is_exec(t, begun))
		return is_exec(t, ended)    ? SYSCALLS_SAME
		    : is_exec(other, ended) ? SYSCALLS_ENTERS
					    : SYSCALLS_OTHER;
	return is_exec(other, begun) && is_exec(t, ended) ? SYSCALLS_LEAVES : SYSCALLS_OTHER;
}

const char *
syscalls_name(const struct syscalls *t, uint64_t number)
{
	return number < t->count ? t->name[number] : NULL;
}
