/* SPDX-License-Identifier: ISC */
/* frame.c - addresses to names, remembered. */
#include "src/perfdata/frame.h"

#include <stdlib.h>

#include "lib/buf.h"
#include "lib/esc.h"

/*
 * Two memories, both direct-mapped: by address in one address space, and by place
 * in one object, which serves when another process maps the same object elsewhere.
 */
#define BY_IP_BITS 14
#define BY_PLACE_BITS 14

struct place {
	const struct dso *dso;
	uint64_t addr;
	const char *name;
	const struct symbol *symbol;
	uint32_t namelen;
};

struct frames {
	struct dsos *dsos;
	struct frame unknown;
	struct tab spelled;	/* names that are not plain, escaped */
	struct buf scratch;
	struct frame by_ip[(size_t)1 << BY_IP_BITS];
	struct place by_place[(size_t)1 << BY_PLACE_BITS];
};

struct frames *
frames_open(struct dsos *dsos)
{
	struct frames *f = calloc(1, sizeof *f);

	if (f != NULL) {
		f->dsos = dsos;
		f->unknown = (struct frame){ .name = "[unknown]", .namelen = 9 };
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
spread(uint64_t a, uint64_t b, unsigned bits)
{
	return (size_t)((a ^ b << 40) * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* The symbol's name as a list element: itself, or a copy that is escaped once. */
static bool
spell(struct frames *f, struct place *p, const struct symbol *s)
{
	size_t n;

	p->name = s->name;
	p->namelen = s->namelen;
	if (esc_is_plain(s->name, s->namelen, ESC_ELEMENT))
		return true;
	f->scratch.len = 0;
	if (!esc_append(&f->scratch, s->name, s->namelen, ESC_ELEMENT))
		return false;
	n = tab_add(&f->spelled, (struct slice){ f->scratch.p, f->scratch.len }, NULL);
	if (n == TAB_NONE)
		return false;
	p->name = f->spelled.item[n].p;
	p->namelen = (uint32_t)f->spelled.item[n].len;
	return true;
}

static const struct place *
find_place(struct frames *f, struct dso *dso, uint64_t addr)
{
	struct place *p = &f->by_place[spread(addr, (uint64_t)(uintptr_t)dso, BY_PLACE_BITS)];

	if (p->dso == dso && p->addr == addr)
		return p;
	*p = (struct place){ .dso = dso, .addr = addr, .symbol = dso_symbol(f->dsos, dso, addr) };
	if (p->symbol == NULL || !spell(f, p, p->symbol)) {
		p->symbol = NULL;
		p->name = dso->bracket.p;
		p->namelen = (uint32_t)dso->bracket.len;
	}
	return p;
}

/* The kernel itself, for an address that is in no map of it but has a symbol; else NULL. */
static struct dso *
kernel_by_symbol(struct frames *f, const struct tasks *t, const struct maps *m, uint64_t ip)
{
	const struct symbol *s;

	if (m != t->kernel || f->dsos->kernel == NULL)
		return NULL;
	s = dso_symbol(f->dsos, f->dsos->kernel, ip);
	return s == NULL || (s->binding & SYM_MODULE) != 0 ? NULL : f->dsos->kernel;
}

static void
fill(struct frames *f, const struct tasks *t, const struct maps *m, uint64_t ip, struct frame *out)
{
	const struct map *map = maps_find(m, ip);
	struct dso *dso = map != NULL ? map->dso : kernel_by_symbol(f, t, m, ip);
	const struct place *p;

	*out = f->unknown;
	out->addr = out->ip = ip;
	out->generation = m->generation;
	if (dso == NULL)
		return;
	out->addr = map != NULL ? ip + map->shift : ip;
	out->dso = dso;
	p = find_place(f, dso, out->addr);
	out->name = p->name;
	out->namelen = p->namelen;
	out->symbol = p->symbol;
	out->symoff = p->symbol == NULL ? 0 : p->addr - p->symbol->start;
}

const struct frame *
frames_find(struct frames *f, const struct tasks *t, const struct thread *th, enum cpumode mode, uint64_t ip)
{
	const struct maps *m = space(t, th, mode);
	struct frame *known;

	if (m == NULL) {
		f->unknown.addr = ip;
		return &f->unknown;
	}
	known = &f->by_ip[spread(ip, m->generation, BY_IP_BITS)];
	if (known->ip != ip || known->generation != m->generation)
		fill(f, t, m, ip, known);
	return known;
}
