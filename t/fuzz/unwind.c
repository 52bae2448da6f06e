/* SPDX-License-Identifier: ISC */
/*
 * unwind.c - fuzzes the unwinder with crafted unwind information, registers and stacks.
 *
 * An input consists of the architecture; flags (1: .debug_frame, 2: big-endian, 4: 32 bits); six
 * bytes without a meaning; the pc and the address of the section, eight bytes each, least byte
 * first; two bytes with the length of the stack; the stack; and the section.  Registers point into
 * the stack.
 *
 * Always: unwinding ends, finds no more frames than it may, begins with the pc, gives the same
 * frames again when all rules are cached, and a smaller limit only cuts the stack.
 */
#include <stdlib.h>
#include <string.h>

#include "src/unwind/unwind.h"
#include "t/fuzz/fuzz.h"

#define HEADER 26
#define FRAMES_MAX 64
#define STACK_AT UINT64_C(0x7ff000)

static void
object_at(void *ctx, uint64_t address, struct unwind_object *o)
{
	*o = (struct unwind_object){ .cfi = ctx, .place = address, .why = UNWIND_NO_INFO };
	if (address < 0x1000)
		*o = (struct unwind_object){ .why = UNWIND_NO_MAPPING };
}

static uint64_t
number(const uint8_t *p)
{
	uint64_t v = 0;
	size_t i;

	for (i = 8; i > 0; i--)
		v = v << 8 | p[i - 1];
	return v;
}

static struct cfi *
section(const uint8_t *data, const uint8_t *p, size_t n)
{
	struct cfi_format format = { .address = number(data + 16),
		.wide = (data[1] & 4) == 0,
		.big_endian = (data[1] & 2) != 0 };
	struct cfi *c = cfi_new();
	struct buf bytes = { 0 };
	struct err e;

	check(c != NULL && buf_put(&bytes, p, n), "no memory");
	check(cfi_add_section(c, (data[1] & 1) != 0 ? CFI_DEBUG_FRAME : CFI_EH_FRAME, &bytes,
		  &format, &e) == 0,
	    "no memory");
	check(bytes.p == NULL, "the bytes were not taken");
	cfi_finish(c);
	return c;
}

static void
unwind_all(const struct unwind_stack *s, uint64_t pc)
{
	uint64_t ip[FRAMES_MAX], again[FRAMES_MAX], at;
	struct unwind_stack less = *s;
	struct unwinder *u = unwinder_new();
	enum unwind_end end, end_again;
	size_t n, m;

	check(u != NULL, "no memory");
	end = unwind(u, s, ip, &n, &at);
	check(n >= 1 && n <= s->max, "not a possible number of frames");
	check(end < UNWIND_ENDS && (end == UNWIND_LIMIT) == (n == s->max && end == UNWIND_LIMIT),
	    "not a possible end");
	check(ip[0] == pc, "the first frame is not the pc");
	check(at == ip[n - 1], "the last address is not the last frame");
	end_again = unwind(u, s, again, &m, &at);
	check(end == end_again && n == m && memcmp(ip, again, n * sizeof *ip) == 0,
	    "other frames from the cache");
	less.max = (n + 1) / 2;
	end = unwind(u, &less, again, &m, &at);
	check(m == less.max && memcmp(ip, again, m * sizeof *ip) == 0, "other frames of fewer");
	check(m == n || end == UNWIND_LIMIT, "the limit was not reported");
	unwinder_free(u);
}

static bool
take(const uint8_t *data, size_t size)
{
	static const uint8_t stack_pointer[UNWIND_ARCHES] = { 7, 4, 31, 13 }; /* DWARF's numbers */
	struct unwind_registers r = { .known = (UINT64_C(1) << CFI_REGISTERS) - 1 };
	struct unwind_stack s = { .registers = &r, .max = FRAMES_MAX, .object_at = object_at };
	struct cfi *c;
	uint64_t pc;
	size_t i;

	if (size < HEADER)
		return false;
	s.arch = (enum unwind_arch)(data[0] % UNWIND_ARCHES);
	s.big_endian = (data[1] & 2) != 0;
	s.bytes = data + HEADER;
	s.len = (size_t)(data[24] | data[25] << 8);
	s.len = s.len < size - HEADER ? s.len : size - HEADER;
	pc = number(data + 8);
	if (s.arch == UNWIND_I386 || s.arch == UNWIND_ARM)
		pc = (uint32_t)pc;
	for (i = 0; i < CFI_REGISTERS; i++)
		r.r[i] = STACK_AT + 8 * i;
	r.r[stack_pointer[s.arch]] = STACK_AT;
	r.r[UNWIND_PC] = pc;
	r.known |= UINT64_C(1) << UNWIND_PC;
	c = section(data, data + HEADER + s.len, size - HEADER - s.len);
	s.ctx = c;
	unwind_all(&s, pc);
	cfi_free(c);
	return true;
}

const struct fuzz_driver fuzz_driver = { .take = take };
