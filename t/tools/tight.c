/* SPDX-License-Identifier: ISC */
/*
 * tight.c - is linked with a program to make its buffers and arrays only as large as they must be,
 * so that each addition to one of them needs memory, which nomem.c can refuse.
 *
 * The linker (--wrap, see t/tools/faults) directs the calls to the functions here.  Memory is
 * refused once for each place that asks for it: the addresses of the call and of the calls around
 * it, which the unwinder of the compiler finds without frame pointers.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <errno.h>
#include <unwind.h>

#include "lib/buf.h"
#include "lib/json/jtext.h"
#include "lib/out.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "t/tools/nomem.h"

#define DEPTH 4 /* calls that tell places apart */
#define ALIKE 10000 /* calls from one address, after which there are no new places */
#define FROM (uintptr_t) __builtin_return_address(0)
#define DIFFERENT 16 /* so do sizes, up to this, of what is added to a text */

bool __real_buf_grow(struct buf *b, size_t n);
bool __real_vec_grow(void *array, size_t n, size_t *cap, size_t size);
bool __real_vec_grow_zero(void *array, size_t n, size_t *cap, size_t size);
bool __real_out_open(struct out *o, int fd);
char *__real_out_more(struct out *o, size_t keep, size_t n);
size_t __real_tab_add(struct tab *t, struct slice s, bool *fresh);
bool __real_jtext_quote(struct buf *out, struct slice s);
bool __real_jtext_undo(struct buf *out, struct slice inside);
bool __wrap_buf_grow(struct buf *b, size_t n);
bool __wrap_vec_grow(void *array, size_t n, size_t *cap, size_t size);
bool __wrap_vec_grow_zero(void *array, size_t n, size_t *cap, size_t size);
bool __wrap_out_open(struct out *o, int fd);
char *__wrap_out_more(struct out *o, size_t keep, size_t n);
size_t __wrap_tab_add(struct tab *t, struct slice s, bool *fresh);
bool __wrap_jtext_quote(struct buf *out, struct slice s);
bool __wrap_jtext_undo(struct buf *out, struct slice inside);

static void
pause_nomem(int on)
{
	void (*call)(int);

	*(void **)&call = dlsym(RTLD_DEFAULT, "nomem_pause");
	if (call != NULL)
		call(on);
}

struct place {
	uint64_t hash;
	int depth;
};

static _Unwind_Reason_Code
add_call(struct _Unwind_Context *frame, void *ctx)
{
	struct place *p = ctx;

	/* the first two are functions of this file */
	if (p->depth++ >= 2)
		p->hash = p->hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)_Unwind_GetIP(frame);
	return p->depth < DEPTH + 2 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/*
 * Returns true if the call of its caller, which is to return to FROM, for N bytes, is to fail.  The
 * compiler joins calls that differ only in their arguments.
 */
static __attribute__((noinline)) bool
fails(uintptr_t from, size_t n)
{
	static unsigned calls[4096]; /* by the address: finding the calls around takes a while */
	struct place place = { .hash = n < DIFFERENT ? n + 1 : 1 };
	int (*call)(uint64_t);

	if (__atomic_add_fetch(&calls[from % 4093], 1, __ATOMIC_RELAXED) > ALIKE)
		return false;
	*(void **)&call = dlsym(RTLD_DEFAULT, "nomem_place");
	if (call == NULL)
		return false;
	pause_nomem(1);
	(void)_Unwind_Backtrace(add_call, &place);
	pause_nomem(0);
	return call(place.hash | 1) != 0;
}

bool
__wrap_buf_grow(struct buf *b, size_t n)
{
	bool grown;

	if (fails(FROM, n))
		return false;
	pause_nomem(1);
	grown = __real_buf_grow(b, n);
	pause_nomem(0);
	if (grown)
		b->cap = b->len + n;
	return grown;
}

/* These two make room for the longest text that there could be, if there is not enough. */
bool
__wrap_jtext_quote(struct buf *out, struct slice s)
{
	size_t cap = out->cap;
	bool ok = __real_jtext_quote(out, s);

	if (out->cap != cap)
		out->cap = out->len;
	return ok;
}

bool
__wrap_jtext_undo(struct buf *out, struct slice inside)
{
	size_t cap = out->cap;
	bool ok = __real_jtext_undo(out, inside);

	if (out->cap != cap)
		out->cap = out->len;
	return ok;
}

bool
__wrap_vec_grow(void *array, size_t n, size_t *cap, size_t size)
{
	bool grown;

	if (fails(FROM, 0))
		return false;
	pause_nomem(1);
	grown = __real_vec_grow(array, n, cap, size);
	pause_nomem(0);
	if (grown)
		*cap = n + 1;
	return grown;
}

bool
__wrap_vec_grow_zero(void *array, size_t n, size_t *cap, size_t size)
{
	bool grown;

	if (fails(FROM, 0))
		return false;
	pause_nomem(1);
	grown = __real_vec_grow_zero(array, n, cap, size);
	pause_nomem(0);
	if (grown)
		*cap = n + 1;
	return grown;
}

bool
__wrap_out_open(struct out *o, int fd)
{
	bool opened = __real_out_open(o, fd);

	if (opened)
		o->cap = 0;
	return opened;
}

char *
__wrap_out_more(struct out *o, size_t keep, size_t n)
{
	char *p;

	if (fails(FROM, 0)) {
		o->error = o->error != 0 ? o->error : ENOMEM;
		return NULL;
	}
	pause_nomem(1);
	p = __real_out_more(o, keep, n);
	pause_nomem(0);
	if (p != NULL)
		o->cap = o->len + keep + n;
	return p;
}

size_t
__wrap_tab_add(struct tab *t, struct slice s, bool *fresh)
{
	/* a text that is there needs no memory */
	if (tab_find(t, s) != TAB_NONE || !fails(FROM, 0))
		return __real_tab_add(t, s, fresh);
	if (fresh != NULL)
		*fresh = false;
	return TAB_NONE;
}
