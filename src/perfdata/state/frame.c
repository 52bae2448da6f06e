/* SPDX-License-Identifier: ISC */
/* frame.c - finds the names of addresses, with a cache. */
#include "src/perfdata/state/frame.h"

#include <errno.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/mem.h"

/*
 * Results are cached by object and neighbourhood.  Functions are longer than that, so most
 * addresses find the result of another one, and processes share results.
 */
#define NEAR_BITS 8
#define TABLE_BITS 13

struct frames {
	struct dsos *dsos;
	struct evwrite *w; /* its error is set when there is no memory */
	struct tab spelled; /* names that need escaping, escaped */
	struct buf scratch;
	struct frame unknown;
	struct frame *table; /* direct-mapped */
};

struct frames *
frames_open(struct dsos *dsos, struct evwrite *w)
{
	struct frames *f = mem_zero(1, sizeof *f);

	if (f == NULL)
		return NULL;
	f->dsos = dsos;
	f->w = w;
	f->unknown = (struct frame){ .name = "[unknown]", .namelen = 9 };
	f->table = mem_zero((size_t)1 << TABLE_BITS, sizeof *f->table);
	if (f->table == NULL) {
		frames_close(f);
		return NULL;
	}
	return f;
}

void
frames_close(struct frames *f)
{
	if (f == NULL)
		return;
	tab_free(&f->spelled);
	buf_free(&f->scratch);
	mem_free(f->table);
	mem_free(f);
}

static size_t
slot(const struct dso *dso, uint64_t place)
{
	uint64_t key = place >> NEAR_BITS ^ (uint64_t)(uintptr_t)dso << 20;

	return (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - TABLE_BITS));
}

/*
 * The symbol's name as a list element: itself, or a copy that is escaped once.  False without
 * memory.
 */
static bool
spell(struct frames *f, struct frame *out, const struct symbol *s)
{
	size_t n;

	out->name = s->name;
	out->namelen = s->namelen;
	if (esc_is_plain(s->name, s->namelen, ESC_ELEMENT))
		return true;
	f->scratch.len = 0;
	if (!esc_append(&f->scratch, s->name, s->namelen, ESC_ELEMENT))
		return false;
	n = tab_add(&f->spelled, (struct slice){ f->scratch.p, f->scratch.len }, NULL);
	if (n == TAB_NONE)
		return false;
	out->name = f->spelled.item[n].p;
	out->namelen = (uint32_t)f->spelled.item[n].len;
	return true;
}

/* Without memory, out is the unknown frame and the writer has the error. */
static HINT_APART void
fill(struct frames *f, struct frame *out, struct dso *dso, uint64_t place)
{
	struct span span;
	const struct symbol *s = dso_symbol(f->dsos, dso, place, &span);

	*out = (struct frame){ .from = span.from, .to = span.to, .dso = dso };
	if ((dso->texts == NULL && !dso_make_texts(dso)) || (s != NULL && !spell(f, out, s))) {
		evw_nomem(f->w);
		*out = f->unknown;
	} else if (s != NULL) {
		out->symbol = s;
		out->start = s->start;
	} else {
		out->name = dso->texts->bracket.p;
		out->namelen = (uint32_t)dso->texts->bracket.len;
	}
}

static inline const struct frame *
remembered(struct frames *f, struct dso *dso, uint64_t place)
{
	struct frame *known = &f->table[slot(dso, place)];

	if (known->dso != dso || place < known->from || place >= known->to)
		fill(f, known, dso, place);
	return known;
}

/* An address outside all maps of the kernel belongs to the kernel if it has a symbol. */
static HINT_APART const struct frame *
without_map(struct frames *f, uint64_t ip)
{
	const struct frame *known;

	if (f->dsos->kernel == NULL)
		return &f->unknown;
	known = remembered(f, f->dsos->kernel, ip);
	return known->symbol == NULL || (known->symbol->binding & SYM_MODULE) != 0 ? &f->unknown
										   : known;
}

const struct frame *
frames_find(struct frames *f, struct tasks *t, const struct thread *th, enum cpumode mode,
    uint64_t ip, uint64_t *place)
{
	const struct map *map;

	*place = ip;
	if (mode != MODE_KERNEL && mode != MODE_USER)
		return &f->unknown;
	map = maps_find(mode == MODE_KERNEL ? &t->kernel : &th->process->maps, ip);
	if (map == NULL)
		return mode == MODE_KERNEL ? without_map(f, ip) : &f->unknown;
	*place += map->shift;
	return map->dso == NULL ? &f->unknown : remembered(f, map->dso, *place);
}
