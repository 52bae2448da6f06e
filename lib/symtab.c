/* SPDX-License-Identifier: ISC */
/*
 * symtab.c - the symbols of one object, looked up by address.  If several symbols start at one
 * address, only one is kept.
 *
 * The end of a symbol without a size, and the choice between several names, follow
 * symbols__fixup_end and symbols__fixup_duplicate of Linux' tools/perf/util/symbol.c, in that
 * order, so that a profile reads the same in both tools.
 */
#include "lib/symtab.h"

#include <stdbool.h>
#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/slice.h"

/* In symbol.binding: */
#define SYM_CAPPED 0x40 /* the symbol ends where the next one starts, or before that at its end */
#define SYM_OPEN_ENDED 0x80 /* its end was set in this way */

#define KERNEL_PAGE 4096 /* the unit that perf rounds to, whatever the machine's page size */

static bool
is_sorted(const struct symbol *s, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (s[i - 1].start > s[i].start)
			return false;
	return true;
}

/*
 * Sorts n symbols by start, stably.  It may replace the array, which has *cap elements.  This is a
 * radix sort, byte by byte, lowest first.
 */
static int
sort_symbols(struct symbol **sym, size_t *cap, size_t n, struct err *e)
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

/* Returns "[MODULE]", which follows the NUL of the name, or an empty text for the kernel proper. */
static struct slice
module_of(const struct symbol *s)
{
	return (s->binding & SYM_MODULE) == 0 ? SLICE("") : slice_of(s->name + s->namelen + 1);
}

/*
 * Sets the missing ends.  A kernel and its modules may be far apart, with other code between them,
 * so the last symbol of each must not fill the gap.
 */
static void
close_ends(struct symbol *s, size_t n, enum symtab_kind kind)
{
	uint64_t end;
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i].end != s[i].start && (s[i].binding & SYM_CAPPED) == 0)
			continue;
		end = i + 1 < n ? s[i + 1].start : page_after(s[i].start);
		if (kind == SYMTAB_KERNEL && i + 1 < n &&
		    ((s[i].binding | s[i + 1].binding) & SYM_MODULE) != 0 &&
		    !slice_eq(module_of(&s[i]), module_of(&s[i + 1])))
			end = page_after(s[i].start);
		if ((s[i].binding & SYM_CAPPED) == 0 || end < s[i].end)
			s[i].end = end;
		s[i].binding = (s[i].binding & ~(uint32_t)SYM_CAPPED) | SYM_OPEN_ENDED;
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

/* Returns true if b, which follows a and has the same start, has the better name. */
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

/*
 * Keeps one symbol for each start.  n must not be 0.  Adds to *renamed the number of symbols of a
 * JIT that replace others.  Returns the number of symbols left.
 */
static size_t
keep_unique(struct symbol *s, size_t n, enum symtab_kind kind, size_t *renamed)
{
	size_t i, last = 0;

	for (i = 1; i < n; i++) {
		if (s[i].start != s[last].start) {
			s[++last] = s[i];
		} else if (kind == SYMTAB_JIT || is_better(&s[last], &s[i])) {
			*renamed += kind == SYMTAB_JIT &&
			    !slice_eq((struct slice){ s[last].name, s[last].namelen },
				(struct slice){ s[i].name, s[i].namelen });
			s[last] = s[i];
		}
	}
	/* Only a symbol that starts at 2^64-1, as in a hostile table, is still empty. */
	return s[last].end > s[last].start ? last + 1 : last;
}

#define SYMBOLS_MAX ((size_t)64 << 20)
#define NAMES_MAX ((size_t)1 << 30)
#define NAME_MAX_LEN ((size_t)1 << 20)
#define CHUNK_SIZE ((size_t)256 << 10) /* names live in chunks, so that they never move */
#define CHUNK_FIRST ((size_t)128) /* since many tables have only one name */
#define FIRST_CAP 64

struct chunk {
	struct chunk *next;
	size_t used, size;
	char bytes[];
};

/* A range of addresses with the same result.  Pieces are built only if symbols overlap. */
struct piece {
	uint64_t start;
	uint32_t sym; /* index, or NO_SYMBOL */
};
#define NO_SYMBOL UINT32_MAX

struct symtab {
	struct symbol *sym;
	size_t n, cap;
	struct chunk *chunks;
	size_t name_bytes;
	struct piece *piece; /* NULL: no symbols overlap */
	size_t pieces;
	const struct symtab_parts *parts; /* NULL: it has all symbols itself */
	size_t renamed; /* see symtab_renamed */
};

struct symtab *
symtab_new(void)
{
	return mem_zero(1, sizeof(struct symtab));
}

void
symtab_free(struct symtab *t)
{
	struct chunk *c, *next;

	if (t == NULL)
		return;
	for (c = t->chunks; c != NULL; c = next) {
		next = c->next;
		mem_free(c);
	}
	mem_free(t->piece);
	mem_free(t->sym);
	mem_free(t);
}

size_t
symtab_count(const struct symtab *t)
{
	return t->n;
}

size_t
symtab_renamed(const struct symtab *t)
{
	return t->renamed;
}

static HINT_APART struct chunk *
add_chunk(struct symtab *t, size_t len)
{
	size_t size = t->name_bytes < CHUNK_SIZE ? t->name_bytes : CHUNK_SIZE;
	struct chunk *c;

	size = size > CHUNK_FIRST ? size : CHUNK_FIRST;
	size = size > len ? size : len;
	if ((c = mem_alloc(sizeof *c + size)) == NULL)
		return NULL;
	*c = (struct chunk){ .next = t->chunks, .used = 0, .size = size };
	return t->chunks = c;
}

/* Returns space for a text, which never moves. */
static HINT_INLINE char *
room(struct symtab *t, size_t len)
{
	struct chunk *c = t->chunks;

	if ((c == NULL || c->size - c->used < len) && (c = add_chunk(t, len)) == NULL)
		return NULL;
	c->used += len;
	t->name_bytes += len;
	return c->bytes + c->used - len;
}

static HINT_APART bool
grow(struct symtab *t)
{
	size_t cap = t->cap + t->cap / 2 + FIRST_CAP;
	struct symbol *sym;

	if (cap > SYMBOLS_MAX)
		cap = SYMBOLS_MAX;
	if (cap > SIZE_MAX / sizeof *sym || (sym = mem_resize(t->sym, cap * sizeof *sym)) == NULL)
		return false;
	t->sym = sym;
	t->cap = cap;
	return true;
}

int
symtab_add(struct symtab *t, uint64_t start, uint64_t len, enum sym_binding binding,
    const char *name, size_t namelen, struct err *e)
{
	char *copy;

	if (t->n >= SYMBOLS_MAX)
		return err_data(e, "more than %zu symbols", SYMBOLS_MAX);
	if (namelen > NAME_MAX_LEN || namelen >= NAMES_MAX - t->name_bytes)
		return err_data(e, "symbol names are too long");
	if ((t->n == t->cap && !grow(t)) || (copy = room(t, namelen + 1)) == NULL)
		return err_nomem(e);
	*short_copy(copy, name, namelen) = '\0';
	t->sym[t->n++] = (struct symbol){
		.start = start,
		.end = len > UINT64_MAX - start ? UINT64_MAX : start + len,
		.name = copy,
		.namelen = (uint32_t)namelen,
		.binding = (uint32_t)binding,
	};
	return 0;
}

int
symtab_add_open(struct symtab *t, uint64_t start, uint64_t most, enum sym_binding binding,
    const char *name, size_t namelen, struct err *e)
{
	int rc = symtab_add(t, start, most, binding, name, namelen, e);

	if (rc == 0)
		t->sym[t->n - 1].binding |= SYM_CAPPED;
	return rc;
}

int
symtab_add_of_module(struct symtab *t, uint64_t start, enum sym_binding binding, const char *text,
    size_t len, size_t namelen, struct err *e)
{
	struct chunk *c;

	if (symtab_add(t, start, 0, binding, text, len, e) != 0)
		return (int)e->code;
	c = t->chunks;
	c->bytes[c->used - (len + 1) + namelen] = '\0'; /* see module_of */
	t->sym[t->n - 1].namelen = (uint32_t)namelen;
	t->sym[t->n - 1].binding |= SYM_MODULE;
	return 0;
}

void
symtab_relocate(struct symtab *t, uint64_t delta)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		if (t->sym[i].binding & SYM_MODULE)
			continue;
		t->sym[n] = t->sym[i];
		t->sym[n].start += delta;
		t->sym[n].end += delta;
		n++;
	}
	t->n = n;
}

static bool
has_overlap(const struct symtab *t)
{
	size_t i;

	for (i = 1; i < t->n; i++)
		if (t->sym[i - 1].end > t->sym[i].start)
			return true;
	return false;
}

static void
put_piece(struct symtab *t, uint64_t start, uint32_t sym)
{
	if (t->pieces > 0 && t->piece[t->pieces - 1].start == start)
		t->pieces--;
	t->piece[t->pieces++] = (struct piece){ start, sym };
}

/* The symbols that cover the current address.  Their ends decrease from bottom to top. */
struct open_symbols {
	uint32_t *sym;
	size_t depth;
};

static uint64_t
top_end(const struct symtab *t, const struct open_symbols *open)
{
	return t->sym[open->sym[open->depth - 1]].end;
}

/* Closes symbols that end at or before addr.  If none is left open, under comes next. */
static void
end_up_to(struct symtab *t, struct open_symbols *open, uint64_t addr, uint32_t under)
{
	uint64_t end;

	while (open->depth > 0 && (end = top_end(t, open)) <= addr) {
		open->depth--;
		put_piece(t, end, open->depth > 0 ? open->sym[open->depth - 1] : under);
	}
}

static void
open_symbol(struct symtab *t, struct open_symbols *open, uint32_t i)
{
	const struct symbol *s = &t->sym[i];

	end_up_to(t, open, s->start, NO_SYMBOL);
	if (open->depth > 0 && s->binding & SYM_OPEN_ENDED) {
		end_up_to(t, open, s->end - 1, i);
		if (open->depth > 0)
			return;
	} else {
		/* A symbol that ends inside s is never visible again. */
		while (open->depth > 0 && top_end(t, open) <= s->end)
			open->depth--;
		put_piece(t, s->start, i);
	}
	open->sym[open->depth++] = i;
}

/*
 * Cuts overlapping symbols into pieces, each of which belongs to the covering symbol that starts
 * last.  However, a label without a size, inside a function with a size, is only a place in that
 * function.  (Perf's result there depends on the shape of its tree.)
 */
static int
cut(struct symtab *t, struct err *e)
{
	struct open_symbols open = { .sym = mem_alloc(t->n * sizeof *open.sym) };
	size_t i;

	t->pieces = 0;
	t->piece = mem_alloc((2 * t->n + 1) * sizeof *t->piece);
	if (open.sym == NULL || t->piece == NULL) {
		mem_free(open.sym);
		return err_nomem(e);
	}
	for (i = 0; i < t->n; i++)
		open_symbol(t, &open, (uint32_t)i);
	end_up_to(t, &open, UINT64_MAX, NO_SYMBOL);
	mem_free(open.sym);
	return 0;
}

static void
shrink(struct symtab *t)
{
	struct symbol *sym = mem_resize(t->sym, t->n * sizeof *sym);
	struct piece *piece;

	if (sym != NULL) {
		t->sym = sym;
		t->cap = t->n;
	}
	if (t->piece != NULL && (piece = mem_resize(t->piece, t->pieces * sizeof *piece)) != NULL)
		t->piece = piece;
}

int
symtab_finish(struct symtab *t, enum symtab_kind kind, struct err *e)
{
	int rc;

	mem_free(t->piece);
	t->piece = NULL;
	if (t->n == 0)
		return 0;
	if ((rc = sort_symbols(&t->sym, &t->cap, t->n, e)) != 0)
		return rc;
	close_ends(t->sym, t->n, kind);
	t->n = keep_unique(t->sym, t->n, kind, &t->renamed);
	if (has_overlap(t) && (rc = cut(t, e)) != 0)
		return rc;
	if (t->n > 0)
		shrink(t);
	return 0;
}

static const struct symbol *
find_piece(const struct symtab *t, uint64_t addr, struct span *span)
{
	size_t lo = 0, hi = t->pieces, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->piece[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	span->from = lo == 0 ? 0 : t->piece[lo - 1].start;
	span->to = lo == t->pieces ? UINT64_MAX : t->piece[lo].start;
	if (lo == 0 || t->piece[lo - 1].sym == NO_SYMBOL)
		return NULL;
	return &t->sym[t->piece[lo - 1].sym];
}

static const struct symbol *
find(const struct symtab *t, uint64_t addr, struct span *span)
{
	size_t lo = 0, hi = t->n, mid;

	if (t->piece != NULL)
		return find_piece(t, addr, span);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->sym[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0 && addr < t->sym[lo - 1].end) {
		*span = (struct span){ t->sym[lo - 1].start, t->sym[lo - 1].end };
		return &t->sym[lo - 1];
	}
	span->from = lo == 0 ? 0 : t->sym[lo - 1].end;
	span->to = lo == t->n ? UINT64_MAX : t->sym[lo].start;
	return NULL;
}

void
symtab_set_parts(struct symtab *t, const struct symtab_parts *parts)
{
	t->parts = parts;
}

const struct symbol *
symtab_find_span(const struct symtab *t, uint64_t addr, struct span *span)
{
	struct span part = { 0, UINT64_MAX };
	const struct symtab *of;
	const struct symbol *s = NULL;

	if (t->parts == NULL)
		return find(t, addr, span);
	*span = part;
	if ((of = t->parts->find(t->parts->ctx, addr, &part)) != NULL)
		s = symtab_find_span(of, addr, span);
	*span = span_intersection(*span, part);
	return s;
}

const struct symbol *
symtab_find(const struct symtab *t, uint64_t addr)
{
	struct span span;

	return symtab_find_span(t, addr, &span);
}

bool
symtab_is_of(const struct symbol *s, struct slice object)
{
	if (!slice_begins(object, SLICE("[")) || slice_begins(object, SLICE("[kernel")) ||
	    slice_begins(object, SLICE("[guest.")))
		return true;
	return slice_eq(object, module_of(s));
}
