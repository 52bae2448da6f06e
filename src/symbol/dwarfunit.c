/* SPDX-License-Identifier: ISC */
/* dwarfunit.c - the units of a file, and the other files that have a part of the DWARF. */
#include <dwarf.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/dwarfint.h"

#define HEADER_MOST 64 /* bytes of the header of a unit; versions 2 to 5 have at most 40 */

/* ---- units: DWARF 5, section 7.5.1 */

/* Returns true for units without code: of types, as version 5 has them. */
static bool
has_no_code(unsigned type)
{
	return type == DW_UT_type || type == DW_UT_split_type;
}

/* Reads a unit's header after its length.  *known is false if the unit cannot be used here. */
static bool
read_fields(struct dwarf_window *w, struct dwarf_unit *u, bool *known)
{
	struct cur *c = &w->c;
	struct dwarf_format *f = &u->format;
	unsigned version = cur_u16(c);

	*known = false;
	if (version < 2 || version > 5) {
		w->file->strange = true;
		return cur_ok(c);
	}
	f->version = (uint8_t)version;
	u->type = DW_UT_compile;
	if (version == 5) {
		u->type = cur_u8(c);
		f->address_size = cur_u8(c);
	}
	u->abbrevs = dwarf_number(c, f->offset_size);
	if (version < 5)
		f->address_size = cur_u8(c);
	if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
		u->id = cur_u64(c);
	u->root = dwarf_window_at(w);
	*known = (f->address_size == 4 || f->address_size == 8) &&
	    (u->type == DW_UT_compile || u->type == DW_UT_partial || u->type == DW_UT_skeleton ||
		u->type == DW_UT_split_compile);
	w->file->strange |= !*known && !has_no_code(u->type);
	return cur_ok(c);
}

/* Reads the header at the window's cursor and moves to the next unit. */
static bool
read_unit(struct dwarf_window *w, struct dwarf_unit *u, bool *known)
{
	uint64_t length;
	bool ok;

	*u = (struct dwarf_unit){ .file = w->file,
		.format = { .base = dwarf_window_at(w) },
		.lines = DWARF_NONE,
		.addr_base = DWARF_NONE,
		.str_offsets_base = DWARF_NONE,
		.rnglists_base = DWARF_NONE };
	if (!dwarf_window_want(w, HEADER_MOST))
		return false;
	length = cur_u32(&w->c);
	u->format.offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = cur_u64(&w->c);
	ok = cur_ok(&w->c) && length > 0 && length <= w->end - dwarf_window_at(w);
	u->end = dwarf_window_at(w) + length;
	if (!ok || !read_fields(w, u, known) || u->root > u->end)
		return dwarf_fail(w->file,
		    "the header of a unit of its debug information is damaged");
	dwarf_window_seek(w, u->end);
	return true;
}

static uint64_t
number_of(const struct dwarf_die *die, enum dwarf_slot slot, uint64_t otherwise)
{
	return dwarf_has(die, slot) && die->v[slot].kind == DWARF_IS_NUMBER ? die->v[slot].n
									    : otherwise;
}

bool
dwarf_unit_root(struct dwarf_unit *u, struct dwarf_die *root)
{
	bool split = u->type == DW_UT_split_compile, old = u->format.version < 5;
	uint64_t header = u->format.offset_size == 8 ? 16 : 8;

	if (!dwarf_die_at(u, u->root, root))
		return false;
	u->lines = number_of(root, DWARF_STMT_LIST, DWARF_NONE);
	u->addr_base = number_of(root, DWARF_ADDR_BASE, old ? 0 : DWARF_NONE);
	u->ranges_base = number_of(root, DWARF_RANGES_BASE, 0);
	/* a split unit has no bases: its tables begin after a header (DWARF 5, section 7.26) */
	u->str_offsets_base = number_of(root, DWARF_STR_OFFSETS_BASE, old ? 0 : header);
	u->rnglists_base = number_of(root, DWARF_RNGLISTS_BASE, split ? header + 4 : DWARF_NONE);
	u->is_skeleton = dwarf_has(root, DWARF_DWO_NAME) && u->skeleton == NULL;
	if (dwarf_has(root, DWARF_DWO_ID))
		u->id = root->v[DWARF_DWO_ID].n;
	if (dwarf_has(root, DWARF_LOW) && u->skeleton == NULL)
		return dwarf_address(u, &root->v[DWARF_LOW], &u->low);
	return true;
}

bool
dwarf_units_list(struct dwarf_file *f)
{
	struct dwarf_window w;
	struct dwarf_unit u;
	bool known = false, ok;

	ok = dwarf_window_open(&w, f, DWARF_INFO, 0, UINT64_MAX, DWARF_FEW);
	while (ok && !dwarf_window_is_done(&w)) {
		ok = read_unit(&w, &u, &known);
		if (!ok || !known)
			continue;
		if (f->units == DWARF_UNITS_MAX)
			ok = dwarf_damaged(f->dwarf, "its debug information has too many units");
		else if (!vec_room(f->unit, f->units, f->unit_cap))
			ok = dwarf_nomem(f->dwarf);
		else
			f->unit[f->units++] = u;
	}
	dwarf_window_close(&w);
	if (ok && f->strange)
		return dwarf_damaged(f->dwarf,
		    "its debug information has units of an unknown version or kind");
	return ok;
}

struct dwarf_unit *
dwarf_unit_at(struct dwarf_file *f, uint64_t offset)
{
	size_t low = 0, high = f->units, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (f->unit[mid].end <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->units && offset >= f->unit[low].root ? &f->unit[low] : NULL;
}

/* ---- other files */

/* Keeps the reason why another file is not available.  Returns false. */
static bool
not_there(struct dwarf *d, const char *what, const struct err *why)
{
	if (why->code == ERR_SYS && !file_is_away(why))
		d->why = *why;
	else
		err_data(&d->why, "%s: %.200s", what, why->msg);
	if (d->why.code == ERR_DATA)
		d->why.code = ERR_DOUBT;
	return false;
}

/* Opens the file that .gnu_debugaltlink names: a name, NUL, and a build id. */
static bool
open_alt(struct dwarf *d)
{
	const struct elf_section *s = &d->main.elf->known[ELF_DEBUG_ALT_LINK];
	size_t n = s->size < ELF_BYTES_MAX ? (size_t)s->size : ELF_BYTES_MAX, len;
	const char *name = NULL, *nul;
	struct elf_file *elf;
	struct err e;
	char copy[ELF_BYTES_MAX];

	if (s->there && s->type != SHT_NOBITS)
		name = (const char *)elf_bytes(d->main.elf, s->offset, n);
	if (name == NULL || (nul = memchr(name, 0, n)) == NULL)
		return dwarf_fail(&d->main, "the name of dwz's file is missing");
	memcpy(copy, name, n); /* other reads replace it */
	len = (size_t)(nul - name);
	if (d->related.alt(d->related.ctx, (struct slice){ copy, len },
		(unsigned char *)copy + len + 1, n - len - 1, &elf, &e) != 0)
		return not_there(d, "dwz's file is not available", &e);
	return dwarf_file_open(&d->alt, d, elf, false) && dwarf_units_list(&d->alt);
}

/* Reads the root of each unit in which names are found through bases in the root. */
static bool
read_roots(struct dwarf_file *f)
{
	struct dwarf_die root;
	size_t i;

	for (i = 0; i < f->units; i++)
		if (f->unit[i].format.version >= 5 && !dwarf_unit_root(&f->unit[i], &root))
			return false;
	return true;
}

bool
dwarf_alt(struct dwarf *d, struct dwarf_file **alt)
{
	if (!d->alt_asked) {
		d->alt_asked = true;
		if (!open_alt(d) || !read_roots(&d->alt))
			d->alt_why = d->why;
	}
	*alt = &d->alt;
	if (d->alt_why.code != ERR_NONE)
		d->why = d->alt_why;
	return d->alt_why.code == ERR_NONE;
}

/* ---- split units */

/* The columns of an index: DWARF 5, section 7.3.5.3, and the GCC wiki's DebugFissionDWP. */
enum column { COLUMN_INFO, COLUMN_ABBREV, COLUMN_STR_OFFSETS, COLUMN_RNGLISTS, COLUMNS };

/* The header of .debug_cu_index, and the row of a unit. */
struct index {
	uint32_t version, columns, units, slots;
	uint64_t row; /* from 1; 0: the unit is not in it */
	uint64_t at[COLUMNS]; /* where its parts of the sections begin */
};

static bool
word(struct dwarf_file *f, uint64_t at, uint64_t *v)
{
	return dwarf_number_at(f, DWARF_CU_INDEX, at, 4, v);
}

static bool
read_index_header(struct dwarf_file *f, struct index *x)
{
	struct dwarf_window w;
	bool ok = dwarf_window_open(&w, f, DWARF_CU_INDEX, 0, UINT64_MAX, DWARF_FEW) &&
	    dwarf_window_want(&w, 16);
	uint64_t size = f->data[DWARF_CU_INDEX].size;

	if (!ok)
		return false;
	x->version = cur_u16(&w.c);
	/* version 5 has two bytes, and GNU's version 2 has four */
	if (x->version == 5)
		(void)cur_u16(&w.c);
	else if (f->elf->big)
		x->version = cur_u16(&w.c);
	else
		(void)cur_u16(&w.c);
	x->columns = cur_u32(&w.c);
	x->units = cur_u32(&w.c);
	x->slots = cur_u32(&w.c);
	ok = cur_ok(&w.c) && (x->version == 2 || x->version == 5) && x->columns <= 16 &&
	    (x->slots & (x->slots - 1)) == 0 &&
	    16 + 12 * (uint64_t)x->slots + 4 * x->columns + 8 * (uint64_t)x->columns * x->units <=
		size;
	dwarf_window_close(&w);
	return ok ? true : dwarf_fail(f, "the index of the .dwp file is damaged");
}

/* Finds the row of the unit. */
static bool
find_row(struct dwarf_file *f, uint64_t id, struct index *x)
{
	uint64_t mask = (uint64_t)x->slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1;
	uint64_t found, tries;

	x->row = 0;
	for (tries = 0; tries < x->slots; tries++, slot = (slot + step) & mask) {
		if (!dwarf_number_at(f, DWARF_CU_INDEX, 16 + 8 * slot, 8, &found) ||
		    !word(f, 16 + 8 * (uint64_t)x->slots + 4 * slot, &x->row))
			return false;
		if (x->row == 0 || found == id)
			break;
		x->row = 0;
	}
	return x->row <= x->units ? true : dwarf_fail(f, "the index of the .dwp file is damaged");
}

static bool
read_row(struct dwarf_file *f, struct index *x)
{
	uint64_t names = 16 + 12 * (uint64_t)x->slots, row = names + 4 * x->columns * x->row;
	uint64_t kind, at;
	uint32_t i;

	for (i = 0; i < x->columns; i++) {
		if (!word(f, names + 4 * i, &kind) || !word(f, row + 4 * i, &at))
			return false;
		switch (kind) {
		case DW_SECT_INFO: x->at[COLUMN_INFO] = at; break;
		case DW_SECT_ABBREV: x->at[COLUMN_ABBREV] = at; break;
		case DW_SECT_STR_OFFSETS: x->at[COLUMN_STR_OFFSETS] = at; break;
		case DW_SECT_RNGLISTS:
			if (x->version == 5)
				x->at[COLUMN_RNGLISTS] = at;
			break;
		}
	}
	return true;
}

/* Moves the unit's tables to its parts of the sections. */
static void
move_tables(struct dwarf_unit *u, const struct index *x)
{
	u->str_offsets_base += x->at[COLUMN_STR_OFFSETS];
	u->rnglists_start = x->at[COLUMN_RNGLISTS];
	if (u->rnglists_base != DWARF_NONE)
		u->rnglists_base += x->at[COLUMN_RNGLISTS];
}

/* Reads the unit at that place in the .dwp file. */
static bool
read_packed(struct dwarf_unit *u, struct dwarf_content *c, const struct index *x)
{
	struct dwarf_file *f = &u->file->dwarf->dwp;
	struct dwarf_unit *split = &c->packed;
	struct dwarf_window w;
	struct dwarf_die root;
	bool known = false, ok;

	ok = dwarf_window_open(&w, f, DWARF_INFO, x->at[COLUMN_INFO], UINT64_MAX, DWARF_FEW) &&
	    read_unit(&w, split, &known);
	dwarf_window_close(&w);
	if (!ok)
		return false;
	split->skeleton = u;
	split->abbrevs += x->at[COLUMN_ABBREV];
	if (known && !dwarf_unit_root(split, &root))
		return false;
	if (!known || split->id != u->id)
		return dwarf_fail(f, "the index of the .dwp file is damaged");
	move_tables(split, x);
	c->split = split;
	return true;
}

/* Opens the .dwp file, which most objects do not have. */
static bool
open_dwp(struct dwarf *d)
{
	struct elf_file *elf;
	struct err e;

	d->dwp_asked = true;
	if (d->related.dwp(d->related.ctx, &elf, &e) != 0)
		return e.code != ERR_SYS || file_is_away(&e) ? true : not_there(d, "", &e);
	return dwarf_file_open(&d->dwp, d, elf, true);
}

/* Looks for the unit in the .dwp file. */
static bool
find_packed(struct dwarf_unit *u, struct dwarf_content *c)
{
	struct dwarf *d = u->file->dwarf;
	struct index x = { .version = 0 };

	if (!d->dwp_asked && !open_dwp(d))
		d->dwp_why = d->why;
	if (d->dwp_why.code != ERR_NONE) {
		d->why = d->dwp_why;
		return false;
	}
	if (d->dwp.elf == NULL || d->dwp.data[DWARF_CU_INDEX].size == 0)
		return true;
	if (!read_index_header(&d->dwp, &x) || !find_row(&d->dwp, u->id, &x))
		return false;
	return x.row == 0 || (read_row(&d->dwp, &x) && read_packed(u, c, &x));
}

/* Opens the .dwo file of the unit. */
static bool
open_dwo(struct dwarf_unit *u, struct dwarf_content *c)
{
	struct dwarf *d = u->file->dwarf;
	struct buf dir = { 0 }, name = { 0 };
	struct dwarf_die root;
	struct elf_file *elf;
	struct err e;
	bool ok;

	ok = dwarf_die_at(u, u->root, &root) &&
	    (!dwarf_has(&root, DWARF_COMP_DIR) || dwarf_text(u, &root.v[DWARF_COMP_DIR], &dir)) &&
	    dwarf_text(u, &root.v[DWARF_DWO_NAME], &name);
	if (ok && name.len == 0)
		ok = dwarf_fail(u->file, "the name of a .dwo file is missing");
	else if (ok && (c->dwo = mem_zero(1, sizeof *c->dwo)) == NULL)
		ok = dwarf_nomem(d);
	else if (ok &&
	    d->related.dwo(d->related.ctx, buf_slice(&dir), buf_slice(&name), &elf, &e) != 0)
		ok = not_there(d, "a .dwo file is not available", &e);
	ok = ok && dwarf_file_open(c->dwo, d, elf, true);
	buf_free(&dir);
	buf_free(&name);
	return ok;
}

bool
dwarf_split_open(struct dwarf_unit *u, struct dwarf_content *c)
{
	struct dwarf *d = u->file->dwarf;
	struct dwarf_die root;
	size_t i;

	if (!find_packed(u, c))
		return false;
	if (c->split != u)
		return true;
	if (!open_dwo(u, c) || !dwarf_units_list(c->dwo))
		return false;
	for (i = 0; i < c->dwo->units; i++) {
		c->dwo->unit[i].skeleton = u;
		if (!dwarf_unit_root(&c->dwo->unit[i], &root))
			return false;
		if (c->dwo->unit[i].id == u->id) {
			c->split = &c->dwo->unit[i];
			return true;
		}
	}
	return dwarf_missing(d, "a .dwo file is from another compilation");
}
