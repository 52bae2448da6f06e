/* SPDX-License-Identifier: ISC */
/* frame.c - addresses to names, remembered. */
#include "src/perfdata/frame.h"

#include <stdlib.h>

#include "lib/buf.h"
#include "lib/esc.h"

/*
 * Answers are remembered by the neighbourhood of the address: functions are longer
 * than that, so most addresses find the answer of another one.
 */
#define NEAR_BITS 6
#define TABLE_BITS 13

struct frames {
	struct dsos *dsos;
	struct tab spelled; /* names that are not plain, escaped */
	struct buf scratch;
	struct frame unknown;
	struct frame *table; /* direct-mapped */
};

struct frames *
frames_open(struct dsos *dsos)
{
	struct frames *f = calloc(1, sizeof *f);

	if (f == NULL)
		return NULL;
	f->dsos = dsos;
	f->unknown = (struct frame){ .name = "[unknown]", .namelen = 9 };
	f->table = calloc((size_t)1 << TABLE_BITS, sizeof *f->table);
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
	free(f->table);
	free(f);
}

static const struct maps *
space(const struct tasks *t, const struct thread *th, enum cpumode mode)
{
	if (mode == MODE_KERNEL)
		return t->kernel;
	return mode == MODE_USER ? th->process->maps : NULL;
}

static size_t
slot(uint64_t ip, uint32_t generation)
{
	return (size_t)((ip >> NEAR_BITS ^ (uint64_t)generation << 40) * 0x9e3779b97f4a7c15u >>
	    (64 - TABLE_BITS));
}

/* The symbol's name as a list element: itself, or a copy that is escaped once. */
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

/* Narrows [from, to) to the part that SPAN, of places in the object, leaves of it. */
static void
narrow(struct frame *out, struct span span)
{
	uint64_t first = out->from + out->shift, last = out->to - 1 + out->shift;

	if (span.from > first)
		out->from += span.from - first;
	if (span.to != UINT64_MAX && span.to <= last)
		out->to -= last - (span.to - 1);
}

static void
find_name(struct frames *f, struct frame *out, uint64_t ip)
{
	struct span span;
	const struct symbol *s = dso_symbol(f->dsos, out->dso, ip + out->shift, &span);

	narrow(out, span);
	if (s != NULL && spell(f, out, s)) {
		out->symbol = s;
		out->origin = s->start - out->shift;
		return;
	}
	out->name = out->dso->bracket.p;
	out->namelen = (uint32_t)out->dso->bracket.len;
}

/* The kernel itself, for an address that is in no map of it but has a symbol; else NULL. */
static struct dso *
kernel_by_symbol(struct frames *f, const struct tasks *t, const struct maps *m, uint64_t ip)
{
	const struct symbol *s;
	struct span span;

	if (m != t->kernel || f->dsos->kernel == NULL)
		return NULL;
	s = dso_symbol(f->dsos, f->dsos->kernel, ip, &span);
	return s == NULL || (s->binding & SYM_MODULE) != 0 ? NULL : f->dsos->kernel;
}

static void
fill(struct frames *f, const struct tasks *t, const struct maps *m, uint64_t ip, struct frame *out)
{
	struct span span;
	const struct map *map = maps_find(m, ip, &span);

	*out = f->unknown;
	out->generation = m->generation;
	out->from = span.from;
	out->to = span.to;
	out->dso = map != NULL ? map->dso : kernel_by_symbol(f, t, m, ip);
	out->shift = map != NULL ? map->shift : 0;
	if (out->dso != NULL) {
		find_name(f, out, ip);
	} else if (m == t->kernel) {
		out->from = ip; /* a symbol may stand elsewhere in the gap */
		out->to = ip + 1;
	}
}

const struct frame *
frames_find(struct frames *f, const struct tasks *t, const struct thread *th, enum cpumode mode,
    uint64_t ip)
{
	const struct maps *m = space(t, th, mode);
	struct frame *known;

	if (m == NULL)
		return &f->unknown;
	known = &f->table[slot(ip, m->generation)];
	if (known->generation != m->generation || ip < known->from || ip >= known->to)
		fill(f, t, m, ip, known);
	return known;
}
