/* SPDX-License-Identifier: ISC */
/* demangle.c - names of C++, Rust and D functions, by libiberty. */
#include "src/symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define D_EXPANDED_MAX ((size_t)1 << 19) /* characters of a D name without back references */
#define D_BRANCHES_MAX 12 /* identifiers of a D name that may be those of functions */

/* The result so far.  libiberty cannot be told to stop, so a result that is too long jumps out. */
struct result {
	struct buf *out;
	bool no_memory;
	jmp_buf stop;
};

static void
take(const char *text, size_t len, void *ctx)
{
	struct result *r = ctx;

	r->no_memory = !buf_put(r->out, text, len);
	if (r->no_memory || r->out->len > DEMANGLE_MAX)
		longjmp(r->stop, 1);
}

/* Demangles with one of libiberty's functions, which keep nothing that would have to be freed. */
static bool
demangle_by(struct result *r, int (*function)(const char *, int, demangle_callbackref, void *),
    const char *name)
{
	r->out->len = 0;
	if (setjmp(r->stop) != 0 || function(name, 0, take, r) == 0)
		r->out->len = 0;
	return r->out->len != 0;
}

/*
 * Returns the maximum number of characters to which a back reference at name[at] expands; sum[i] is
 * the number for the first i characters.  The reference is a distance back to an identifier, which
 * begins with its length, or to a type, which ends before the reference.  See "Name mangling" in
 * the ABI chapter of D's specification.
 */
static size_t
referenced(const char *name, size_t at, const uint32_t *sum)
{
	size_t distance = 0, len = 0;
	const char *p = name + at + 1;

	while (*p >= 'A' && *p <= 'Z' && distance <= at)
		distance = distance * 26 + (size_t)(*p++ - 'A');
	if (*p < 'a' || *p > 'z')
		return 0;
	distance = distance * 26 + (size_t)(*p - 'a');
	if (distance == 0 || distance > at)
		return 0;
	p = name + at - distance;
	if (*p < '0' || *p > '9')
		return sum[at] - sum[at - distance];
	while (*p >= '0' && *p <= '9' && len <= DEMANGLE_NAME_MAX)
		len = len * 10 + (size_t)(*p++ - '0');
	return len <= DEMANGLE_NAME_MAX ? len : 0;
}

/*
 * Returns true if the D name stays short when all its back references are followed.  Each of them
 * can double the text before it, and libiberty's function can neither be stopped nor limited.
 */
static bool
expands_little(const char *name)
{
	uint32_t sum[DEMANGLE_NAME_MAX + 1];
	size_t i, more;

	sum[0] = 0;
	for (i = 0; name[i] != '\0'; i++) {
		more = 1 + (name[i] == 'Q' ? referenced(name, i, sum) : 0);
		if (more > D_EXPANDED_MAX - sum[i])
			return false;
		sum[i + 1] = sum[i] + (uint32_t)more;
	}
	return true;
}

/*
 * Returns true if few identifiers are followed by the letter of a function's type.  libiberty's
 * function tries to read each one as a function, and without it if that fails, so the time may
 * double for each of them that is within another one.
 */
static bool
branches_little(const char *name)
{
	bool at[DEMANGLE_NAME_MAX + 1] = { false };
	size_t i, n, branches = 0;
	const char *p, *end = name + strlen(name);

	for (i = 0; name[i] != '\0'; i++) {
		n = 0;
		p = name + i;
		if (*p == 'Q') { /* an identifier from before */
			for (p++; *p >= 'A' && *p <= 'Z'; p++)
				;
			n = *p >= 'a' && *p <= 'z';
		}
		for (; *p >= '0' && *p <= '9' && n <= DEMANGLE_NAME_MAX; p++)
			n = n * 10 + (size_t)(*p - '0');
		if (n == 0 || n >= (size_t)(end - p) || at[p + n - name])
			continue;
		at[p + n - name] = true;
		branches += strchr("MFUWVRY", p[n]) != NULL;
	}
	return branches <= D_BRANCHES_MAX;
}

/* D's function returns its result in memory from malloc. */
static bool
demangle_d(struct result *r, const char *name)
{
	char *text = dlang_demangle(name, 0);

	r->out->len = 0;
	if (text != NULL && strlen(text) <= DEMANGLE_MAX)
		r->no_memory = !buf_puts(r->out, text);
	free(text); /* from malloc */
	return r->out->len != 0;
}

/* Rust comes first: its older names are C++ names with a hash at their end. */
static bool
demangle_any(struct result *r, const char *name)
{
	if (strncmp(name, "_R", 2) == 0 || strncmp(name, "_ZN", 3) == 0) {
		if (demangle_by(r, rust_demangle_callback, name) || r->no_memory)
			return !r->no_memory;
	}
	if (strncmp(name, "_Z", 2) == 0)
		return demangle_by(r, cplus_demangle_v3_callback, name);
	return strncmp(name, "_D", 2) == 0 && expands_little(name) && branches_little(name) &&
	    demangle_d(r, name);
}

bool
demangle(struct buf *out, struct slice name)
{
	const char *at = memchr(name.p, '@', name.len);
	size_t len = at == NULL ? name.len : (size_t)(at - name.p);
	struct result r = { .out = out };
	char copy[DEMANGLE_NAME_MAX + 1];

	out->len = 0;
	if (len < 3 || len > DEMANGLE_NAME_MAX || name.p[0] != '_')
		return true;
	memcpy(copy, name.p, len);
	copy[len] = '\0';
	if (strlen(copy) != len || !demangle_any(&r, copy))
		return !r.no_memory;
	return buf_put(out, name.p + len, name.len - len);
}
