/* SPDX-License-Identifier: ISC */
/* symsort.c - chooses one name for each address where symbols start. */
#include "lib/symsort.h"

#include <stdbool.h>
#include <string.h>

#include "lib/mem.h"

#define KERNEL_PAGE 4096 /* what perf rounds to, whatever the machine's page size */

static bool
is_sorted(const struct symbol *s, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (s[i - 1].start > s[i].start)
			return false;
	return true;
}

/* A radix sort: one byte after the other, lowest first. */
int
symsort(struct symbol **sym, size_t *cap, size_t n, struct err *e)
{
	struct symbol *from = *sym, *to, *swap;
	size_t count[8][256], i, sum, c;
	unsigned byte, b;

	if (is_sorted(from, n))
		return 0;
	if ((to = mem_alloc(n * sizeof *to)) == NULL)
		return err_nomem(e);
	memset(count, 0, sizeof count);
	for (i = 0; i < n; i++)
		for (byte = 0; byte < 8; byte++)
			count[byte][from[i].start >> 8 * byte & 0xff]++;
	for (byte = 0; byte < 8; byte++) {
		if (count[byte][from[0].start >> 8 * byte & 0xff] == n)
			continue;
		for (b = 0, sum = 0; b < 256; b++, sum += c) {
			c = count[byte][b];
			count[byte][b] = sum;
		}
		for (i = 0; i < n; i++)
			to[count[byte][from[i].start >> 8 * byte & 0xff]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != *sym)
		*cap = n;
	*sym = from;
	mem_free(to);
	return 0;
}

static uint64_t
page_after(uint64_t addr)
{
	uint64_t up = (addr + KERNEL_PAGE - 1) / KERNEL_PAGE * KERNEL_PAGE;

	return addr > UINT64_MAX - 2 * KERNEL_PAGE ? UINT64_MAX : up + KERNEL_PAGE;
}

/*
 * A kernel and its modules may lie far apart, with other code between them, so the last symbol of
 * each must not fill the gap.
 */
void
symsort_close_ends(struct symbol *s, size_t n, enum symtab_kind kind)
{
	uint64_t end;
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i].end != s[i].start)
			continue;
		end = i + 1 < n ? s[i + 1].start : page_after(s[i].start);
		if (kind == SYMTAB_KERNEL && i + 1 < n &&
		    ((s[i].binding ^ s[i + 1].binding) & SYM_MODULE) != 0)
			end = page_after(s[i].start);
		s[i].end = end;
		s[i].binding |= SYM_OPEN_ENDED;
	}
}

static size_t
underscores(const struct symbol *s)
{
	return strspn(s->name, "_");
}

static bool
is_syscall_alias(const struct symbol *s)
{
	return strncmp(s->name, "SyS", 3) == 0 || strncmp(s->name, "compat_SyS", 10) == 0;
}

/* Is b, which follows a and has the same start, the better name? */
static bool
is_better(const struct symbol *a, const struct symbol *b)
{
	uint32_t bind_a = a->binding & SYM_BINDING, bind_b = b->binding & SYM_BINDING;
	size_t bar_a, bar_b;

	if ((a->end == a->start) != (b->end == b->start))
		return a->end == a->start;
	if ((a->binding ^ b->binding) & SYM_LABEL)
		return (a->binding & SYM_LABEL) != 0;
	if ((bind_a == SYM_WEAK) != (bind_b == SYM_WEAK))
		return bind_a == SYM_WEAK;
	if ((bind_a == SYM_GLOBAL) != (bind_b == SYM_GLOBAL))
		return bind_b == SYM_GLOBAL;
	bar_a = underscores(a);
	bar_b = underscores(b);
	if (bar_a != bar_b)
		return bar_b < bar_a;
	if (a->namelen != b->namelen)
		return b->namelen > a->namelen;
	return is_syscall_alias(a);
}

size_t
symsort_unique(struct symbol *s, size_t n, enum symtab_kind kind)
{
	size_t i, last = 0, kept = 0;

	for (i = 1; i < n; i++) {
		if (s[i].start != s[last].start)
			s[++last] = s[i];
		else if (kind == SYMTAB_JIT || is_better(&s[last], &s[i]))
			s[last] = s[i];
	}
	/* A symbol still empty starts at 2^64-1, in a hostile table. */
	for (i = 0; i <= last; i++)
		if (s[i].end > s[i].start)
			s[kept++] = s[i];
	return kept;
}
