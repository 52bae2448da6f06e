/* SPDX-License-Identifier: ISC */
/* demangle.c - names of C++, Rust and D functions, by libiberty. */
#include "src/symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

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

/* D's function returns its result in memory of malloc. */
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
	return strncmp(name, "_D", 2) == 0 && demangle_d(r, name);
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
