/* SPDX-License-Identifier: ISC */
/* dwarffind.c - the DWARF of one object: its units, and the frames at an address. */
#include "src/symbol/dwarf.h"

#include <dwarf.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/dwarfint.h"

#define CHUNK 128 /* bytes of a text to read at first */

/* ---- units */

/* Reads the root of the unit, and adds its addresses to *r. */
static bool
index_unit(struct dwarf_unit *u, uint32_t value, struct dwarf_ranges *r)
{
	struct dwarf_die root;
	size_t before = r->n, ignored = r->ignored;
	bool code, listed;

	if (!dwarf_unit_root(u, &root))
		return false;
	u->doubtful = !dwarf_ranges_of(u, &root, value, r);
	code = root.tag == DW_TAG_compile_unit || root.tag == DW_TAG_skeleton_unit;
	listed = dwarf_has(&root, DWARF_RANGE_LIST);
	u->empty = listed && r->n == before && r->ignored == ignored;
	u->rangeless = code && root.children &&
	    (u->doubtful || u->empty ||
		(!listed && (!dwarf_has(&root, DWARF_HIGH) || u->format.version < 3)));
	if (u->empty && !root.children) /* its functions, if any, are elsewhere (split DWARF) */
		u->doubtful = !dwarf_damaged(u->file->dwarf, DWARF_EMPTY_LIST);
	return !u->doubtful;
}

/*
 * Keeps an error in the data, and continues, since the rest can still be used.  Returns false for
 * failures of the system.
 */
static bool
forgive(struct dwarf *d, struct err *why)
{
	if (d->why.code == ERR_SYS)
		return false;
	if (why->code == ERR_NONE)
		*why = d->why;
	d->why.code = ERR_NONE;
	return true;
}

/* Of two units with the same address, the first one wins. */
static uint32_t
unit_value(size_t unit)
{
	return (uint32_t)(DWARF_UNITS_MAX - unit);
}

static bool
index_units(struct dwarf *d)
{
	struct dwarf_file *f = &d->main;
	size_t i;

	f->units = d->unit_ranges.n = 0; /* of a look-up that has failed */
	if (!dwarf_units_list(f) && !forgive(d, &d->index_why))
		return false;
	for (i = 0; i < f->units; i++) {
		if (!index_unit(&f->unit[i], unit_value(i), &d->unit_ranges) &&
		    !forgive(d, &d->index_why))
			return false;
	}
	return dwarf_map_make(d, &d->map, &d->unit_ranges);
}

/* ---- contents of units */

static size_t
memory_of(const struct dwarf_content *c)
{
	size_t n = sizeof *c + c->code.cap * sizeof *c->code.node +
	    c->code.map.cap * sizeof *c->code.map.piece + c->lines.row_cap * sizeof *c->lines.row +
	    c->lines.map.cap * sizeof *c->lines.map.piece +
	    c->lines.sequence_cap * sizeof *c->lines.sequence +
	    (c->lines.dir_cap + c->lines.name_cap) * sizeof *c->lines.dir;

	if (c->dwo != NULL && c->dwo->elf != NULL)
		n += sizeof *c->dwo->elf +
		    (size_t)(c->dwo->elf->size < ELF_BLOCKS * ELF_BLOCK ? c->dwo->elf->size
									: ELF_BLOCKS * ELF_BLOCK);
	return n;
}

static void
drop(struct dwarf *d, struct dwarf_unit *u)
{
	struct dwarf_content *c = u->content;

	if (c == NULL)
		return;
	d->cached -= c->memory;
	dwarf_code_free(&c->code);
	dwarf_lines_free(&c->lines);
	if (c->dwo != NULL) {
		dwarf_abbrevs_drop(d); /* they refer to the file */
		dwarf_file_close(c->dwo);
		mem_free(c->dwo);
	}
	dwarf_scopes_drop(&c->packed);
	mem_free(c);
	u->content = NULL;
}

static void
drop_scopes(struct dwarf_file *f)
{
	size_t i;

	for (i = 0; i < f->units; i++)
		dwarf_scopes_drop(&f->unit[i]);
}

/* Drops the contents not used since the last call or, if that is not enough, all contents. */
static void
make_room(struct dwarf *d)
{
	uint64_t last = d->last_drop;
	size_t i, round;

	for (round = 0; round < 2 && d->cached > DWARF_CACHE_MAX / 2; round++) {
		for (i = 0; i < d->main.units; i++)
			if (round > 0 || d->main.unit[i].used <= last)
				drop(d, &d->main.unit[i]);
		dwarf_abbrevs_drop(d);
		drop_scopes(&d->main);
		drop_scopes(&d->alt);
	}
	d->last_drop = d->clock;
}

static bool
read_content(struct dwarf_unit *u, struct dwarf_content *c)
{
	struct dwarf *d = u->file->dwarf;

	c->split = u;
	if (u->doubtful)
		c->why = d->index_why;
	if (u->lines != DWARF_NONE && !dwarf_lines_read(u, &c->lines)) {
		dwarf_lines_free(&c->lines);
		if (!forgive(d, &c->why))
			return false;
	}
	if (u->is_skeleton && !dwarf_split_open(u, c))
		return forgive(d, &c->why);
	if (!dwarf_code_read(c->split, &c->code, NULL, 0)) {
		dwarf_code_free(&c->code);
		return forgive(d, &c->why);
	}
	return true;
}

/* Returns the contents of the unit, or NULL on failures of the system. */
static struct dwarf_content *
content(struct dwarf_unit *u)
{
	struct dwarf *d = u->file->dwarf;

	u->used = ++d->clock;
	if (u->content != NULL)
		return u->content;
	if (d->cached > DWARF_CACHE_MAX)
		make_room(d);
	if ((u->content = mem_zero(1, sizeof *u->content)) == NULL) {
		(void)dwarf_nomem(d);
		return NULL;
	}
	if (!read_content(u, u->content)) {
		drop(d, u);
		return NULL;
	}
	u->content->memory = memory_of(u->content);
	d->cached += u->content->memory;
	return u->content;
}

/* Looks for functions in a unit whose root gives no addresses. */
static bool
walk_unit(struct dwarf *d, size_t i)
{
	struct dwarf_unit *u = &d->main.unit[i];
	struct dwarf_code code = { .node = NULL };
	size_t before = d->unit_ranges.n;
	bool ok = dwarf_code_read(u, &code, &d->unit_ranges, unit_value(i));

	dwarf_code_free(&code);
	if (ok && u->empty && d->unit_ranges.n != before)
		ok = dwarf_damaged(d, DWARF_EMPTY_LIST);
	u->doubtful |= !ok;
	return ok || forgive(d, &d->index_why);
}

/* Looks for functions in all such units. */
static bool
walk_units(struct dwarf *d)
{
	size_t i;

	for (i = 0; i < d->main.units; i++)
		if (d->main.unit[i].rangeless && !walk_unit(d, i))
			return false;
	if (d->unit_ranges.n == 0 && d->unit_ranges.ignored > 0) {
		(void)dwarf_damaged(d, "its debug information describes none of its code");
		(void)forgive(d, &d->index_why);
	}
	return dwarf_map_make(d, &d->map, &d->unit_ranges);
}

/* Finds the unit at the address.  Leaves *u as it is, NULL, if there is none. */
static bool
find_unit(struct dwarf *d, uint64_t address, struct dwarf_unit **u)
{
	uint32_t value;

	if (!d->indexed && !index_units(d))
		return false;
	d->indexed = true;
	value = dwarf_map_find(&d->map, address);
	if (value == DWARF_NO_NODE && !d->walked) {
		if (!walk_units(d))
			return false;
		d->walked = true;
		value = dwarf_map_find(&d->map, address);
	}
	if (value != DWARF_NO_NODE)
		*u = &d->main.unit[DWARF_UNITS_MAX - value];
	return true;
}

/* ---- texts */

/* Appends the text at that offset of a section. */
static bool
append_text(struct dwarf_file *f, enum dwarf_section which, uint64_t at, struct buf *to)
{
	struct dwarf_window w;
	const unsigned char *nul;
	size_t n = CHUNK, have;
	bool ok = dwarf_window_open(&w, f, which, at, UINT64_MAX, DWARF_FEW);

	w.piece = CHUNK;
	for (; ok; n *= 4) {
		if (!(ok = dwarf_window_want(&w, n)))
			break;
		have = cur_left(&w.c);
		nul = have > 0 ? memchr(w.c.p, 0, have) : NULL;
		if (nul != NULL && !buf_put(to, w.c.p, (size_t)(nul - w.c.p)))
			ok = dwarf_nomem(f->dwarf);
		if (nul != NULL)
			break;
		if (w.loaded >= w.end)
			ok = dwarf_fail(f, "a string in its debug information has no end");
		else if (n >= DWARF_TEXT_MAX)
			ok = dwarf_missing(f->dwarf, "a name in it is too long");
	}
	dwarf_window_close(&w);
	return ok;
}

static bool
append_indexed(struct dwarf_unit *u, uint64_t index, struct buf *to)
{
	uint64_t at;

	return dwarf_table_entry(u, DWARF_TABLE_STR_OFFSETS, index, u->format.offset_size, &at) &&
	    append_text(u->file, DWARF_STR, at, to);
}

bool
dwarf_text(struct dwarf_unit *u, const struct dwarf_value *v, struct buf *to)
{
	struct dwarf_file *alt;

	switch (v->kind) {
	case DWARF_IS_TEXT: return append_text(u->file, DWARF_INFO, v->n, to);
	case DWARF_IS_LINE_TEXT: return append_text(u->file, DWARF_LINE, v->n, to);
	case DWARF_IS_STR: return append_text(u->file, DWARF_STR, v->n, to);
	case DWARF_IS_LINE_STR: return append_text(u->file, DWARF_LINE_STR, v->n, to);
	case DWARF_IS_STR_INDEX: return append_indexed(u, v->n, to);
	case DWARF_IS_ALT_STR:
		return dwarf_alt(u->file->dwarf, &alt) && append_text(alt, DWARF_STR, v->n, to);
	default: return true;
	}
}

/* Keeps the text, and makes it a slice. */
static bool
keep(struct dwarf *d, const struct buf *text, struct slice *out)
{
	size_t n = text->len > 0 ? tab_add(&d->texts, buf_slice(text), NULL) : TAB_NONE;

	*out = (struct slice){ "", 0 };
	if (text->len == 0)
		return true;
	if (n == TAB_NONE)
		return dwarf_nomem(d);
	*out = d->texts.item[n];
	return true;
}

/* ---- frames */

/* The state of a look-up. */
struct look {
	struct dwarf *d;
	struct dwarf_unit *u;
	struct dwarf_content *c;
	struct buf dir; /* of the compilation */
	size_t n;
};

static bool
read_dir(struct look *k)
{
	struct dwarf_die root;

	return dwarf_die_at(k->u, k->u->root, &root) &&
	    (!dwarf_has(&root, DWARF_COMP_DIR) ||
		dwarf_text(k->u, &root.v[DWARF_COMP_DIR], &k->dir));
}

/* Adds a frame with the place.  The function follows. */
static bool
add_frame(struct look *k, uint32_t file, uint32_t line)
{
	struct dwarf *d = k->d;
	struct dwarf_frame *f;

	if (!vec_room(d->frame, k->n, d->frame_cap))
		return dwarf_nomem(d);
	f = &d->frame[k->n++];
	*f = (struct dwarf_frame){ .function = { "", 0 }, .line = line };
	d->path.len = 0;
	if (!dwarf_lines_path(k->u, &k->c->lines, file, buf_slice(&k->dir), &d->path)) {
		d->path.len = 0;
		if (!forgive(d, &k->c->why))
			return false;
	}
	if (d->path.len == 0)
		f->line = 0;
	return keep(d, &d->path, &f->file);
}

static bool
name_frame(struct look *k, const struct dwarf_node *node)
{
	struct dwarf *d = k->d;
	struct dwarf_unit *u = k->c->split;

	d->path.len = 0;
	if (!dwarf_name(u, u->format.base + node->at, &d->path)) {
		d->path.len = 0;
		if (!forgive(d, &k->c->why))
			return false;
	}
	return keep(d, &d->path, &d->frame[k->n - 1].function);
}

/* Adds the frames at the address, the innermost first. */
static bool
add_frames(struct look *k, uint64_t address)
{
	const struct dwarf_code *code = &k->c->code;
	uint32_t number = dwarf_map_find(&code->map, address), file = 0, line = 0;
	const struct dwarf_node *node;

	if (k->c->lines.rows > 0 && !dwarf_lines_find(k->u, &k->c->lines, address, &file, &line) &&
	    !forgive(k->d, &k->c->why))
		return false;
	if (number == DWARF_NO_NODE && line == 0 && file == 0)
		return true;
	if (!add_frame(k, file, line))
		return false;
	while (number != DWARF_NO_NODE) {
		node = &code->node[number];
		if (!name_frame(k, node))
			return false;
		number = node->parent;
		if (number != DWARF_NO_NODE && !add_frame(k, node->call_file, node->call_line))
			return false;
	}
	return true;
}

static bool
look(struct look *k, uint64_t address)
{
	if (!find_unit(k->d, address, &k->u))
		return false;
	if (k->u == NULL) {
		k->d->why = k->d->index_why;
		return k->d->why.code == ERR_NONE;
	}
	if ((k->c = content(k->u)) == NULL)
		return false;
	if (!read_dir(k) && !forgive(k->d, &k->c->why))
		return false;
	if (!add_frames(k, address))
		return false;
	k->d->why = k->c->why;
	return k->d->why.code == ERR_NONE;
}

int
dwarf_find(struct dwarf *d, uint64_t vaddr, struct dwarf_frame **frame, size_t *count,
    struct err *e)
{
	struct look k = { .d = d };
	bool ok;

	d->why.code = ERR_NONE;
	d->work += DWARF_WORK_PER_LOOK;
	ok = look(&k, vaddr);
	buf_free(&k.dir);
	if (k.c != NULL && k.c->dwo != NULL && k.c->dwo->elf != NULL)
		elf_file_rest(k.c->dwo->elf);
	*frame = d->frame;
	*count = ok || d->why.code != ERR_SYS ? k.n : 0;
	if (!ok)
		*e = d->why;
	return ok ? 0 : e->code;
}

/* ---- all */

bool
dwarf_is_in(const struct elf_file *f)
{
	const struct elf_section *s = &f->known[ELF_DEBUG_INFO];

	return s->there && s->type != SHT_NOBITS && s->size > 0;
}

/* Sets how much may be read: in proportion to the size of the sections. */
static void
set_work(struct dwarf *d)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < DWARF_SECTIONS; i++)
		size += d->main.data[i].size;
	if (size > d->main.elf->size)
		size = d->main.elf->size;
	d->work = size * DWARF_WORK_PER_BYTE;
}

int
dwarf_open(struct elf_file *f, const struct dwarf_related *related, struct dwarf **out,
    struct err *e)
{
	struct dwarf *d = mem_zero(1, sizeof *d);

	if (d == NULL)
		return err_nomem(e);
	d->related = *related;
	if (!dwarf_file_open(&d->main, d, f, false)) {
		*e = d->why;
		d->main.elf = NULL;
		dwarf_close(d);
		return e->code;
	}
	set_work(d);
	*out = d;
	return 0;
}

void
dwarf_close(struct dwarf *d)
{
	size_t i;

	if (d == NULL)
		return;
	for (i = 0; i < d->main.units; i++)
		drop(d, &d->main.unit[i]);
	dwarf_abbrevs_drop(d);
	dwarf_file_close(&d->main);
	dwarf_file_close(&d->alt);
	dwarf_file_close(&d->dwp);
	mem_free(d->unit_ranges.range);
	mem_free(d->map.piece);
	mem_free(d->frame);
	tab_free(&d->texts);
	buf_free(&d->path);
	mem_free(d);
}

void
dwarf_rest(struct dwarf *d)
{
	elf_file_rest(d->main.elf);
	if (d->alt.elf != NULL)
		elf_file_rest(d->alt.elf);
	if (d->dwp.elf != NULL)
		elf_file_rest(d->dwp.elf);
}
