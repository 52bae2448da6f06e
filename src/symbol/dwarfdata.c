/* SPDX-License-Identifier: ISC */
/* dwarfdata.c - the bytes of DWARF sections, and the entries (DIEs) in them. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/dwarfint.h"

#define PIECE ((size_t)64 << 10) /* read at once */
#define ENTRY_LEAST 256 /* bytes of an entry to have before it is read; most have fewer */
#define SPEC_MOST 32 /* bytes of an attribute's three numbers */

bool
dwarf_damaged(struct dwarf *d, const char *what)
{
	if (d->why.code == ERR_NONE)
		err_data(&d->why, "%s", what);
	return false;
}

bool
dwarf_missing(struct dwarf *d, const char *what)
{
	if (d->why.code == ERR_NONE) {
		err_data(&d->why, "%s", what);
		d->why.code = ERR_DOUBT;
	}
	return false;
}

bool
dwarf_nomem(struct dwarf *d)
{
	if (d->why.code == ERR_NONE)
		err_nomem(&d->why);
	return false;
}

bool
dwarf_fail(struct dwarf_file *f, const char *what)
{
	if (f->dwarf->why.code == ERR_NONE && elf_file_check(f->elf, &f->dwarf->why) != 0)
		return false;
	return dwarf_damaged(f->dwarf, what);
}

/* ---- sections */

static void
find_section(struct dwarf_file *f, const struct elf_section *s, const char *name, bool split)
{
	static const char *const names[DWARF_SECTIONS] = {
		[DWARF_INFO] = ".debug_info",
		[DWARF_ABBREV] = ".debug_abbrev",
		[DWARF_LINE] = ".debug_line",
		[DWARF_LINE_STR] = ".debug_line_str",
		[DWARF_STR] = ".debug_str",
		[DWARF_STR_OFFSETS] = ".debug_str_offsets",
		[DWARF_ADDR] = ".debug_addr",
		[DWARF_RANGES] = ".debug_ranges",
		[DWARF_RNGLISTS] = ".debug_rnglists",
		[DWARF_CU_INDEX] = ".debug_cu_index",
	};
	size_t len = strlen(name), k;

	if (split && strcmp(name + len - 4, ".dwo") == 0)
		len -= 4;
	else if (split && strcmp(name, names[DWARF_CU_INDEX]) != 0)
		return;
	for (k = 0; k < DWARF_SECTIONS; k++) {
		if (f->data[k].section.there || strlen(names[k]) != len ||
		    memcmp(name, names[k], len) != 0)
			continue;
		f->data[k].section = *s;
		f->data[k].size = s->size;
		if (s->offset > f->elf->size || s->size > f->elf->size - s->offset)
			f->data[k].bad =
			    "a section of its debug information reaches beyond its end";
		f->data[k].packed = s->packing != ELF_PLAIN;
	}
}

bool
dwarf_file_open(struct dwarf_file *f, struct dwarf *d, struct elf_file *elf, bool split)
{
	char name[ELF_SECTION_NAME_MAX];
	struct elf_section s;
	size_t i;

	*f = (struct dwarf_file){ .dwarf = d, .elf = elf };
	for (i = 1; i < elf->sections && elf->why.code == ERR_NONE; i++) {
		s = elf_section_at(elf, i);
		if (!s.there || s.type == SHT_NULL || s.type == SHT_NOBITS || s.size == 0)
			continue;
		elf_section_name(elf, &s, name);
		if (strncmp(name, ".debug_", 7) == 0)
			find_section(f, &s, name, split);
	}
	return elf->why.code == ERR_NONE ? true : dwarf_fail(f, "");
}

void
dwarf_file_close(struct dwarf_file *f)
{
	size_t i;

	for (i = 0; i < DWARF_SECTIONS; i++)
		buf_free(&f->data[i].bytes);
	for (i = 0; i < f->units; i++)
		dwarf_scopes_drop(&f->unit[i]);
	mem_free(f->unit);
	elf_file_close(f->elf);
	*f = (struct dwarf_file){ .elf = NULL };
}

/* Decompresses the section.  If it is damaged, it is then empty. */
static bool
unpack(struct dwarf_file *f, struct dwarf_data *s)
{
	struct err *why = &f->dwarf->why;
	struct err e;
	int rc;

	rc = elf_section_unpack(f->elf, &s->section, (size_t)DWARF_INFLATED_MAX, &s->bytes, &e);
	if (rc != 0 && why->code == ERR_NONE)
		*why = e;
	if (rc == ERR_SYS)
		return false;
	s->packed = false;
	s->size = rc == 0 ? s->bytes.len : 0;
	if (rc != 0)
		s->bad = "a compressed section of its debug information is damaged";
	return rc == 0;
}

bool
dwarf_window_open(struct dwarf_window *w, struct dwarf_file *f, enum dwarf_section which,
    uint64_t from, uint64_t to, enum dwarf_extent extent)
{
	struct dwarf_data *s = &f->data[which];

	w->file = f;
	w->which = which;
	w->piece = extent == DWARF_FEW ? sizeof w->few : PIECE;
	w->bytes = (struct buf){ 0 };
	w->end = w->loaded = 0;
	w->c = (struct cur){ .bad = true };
	if (s->bad != NULL)
		return dwarf_fail(f, s->bad);
	if (s->packed && !unpack(f, s))
		return false;
	w->end = to < s->size ? to : s->size;
	if (from > w->end)
		return dwarf_fail(f, "its debug information refers to bytes that do not exist");
	dwarf_window_seek(w, from);
	return true;
}

void
dwarf_window_close(struct dwarf_window *w)
{
	buf_free(&w->bytes);
}

void
dwarf_window_seek(struct dwarf_window *w, uint64_t offset)
{
	uint64_t at = dwarf_window_at(w);

	if (cur_ok(&w->c) && offset >= at && offset <= w->loaded) {
		w->c.p += offset - at;
		return;
	}
	w->loaded = offset;
	w->c = cur_over(NULL, 0, w->file->elf->big);
}

bool
dwarf_window_limit(struct dwarf_window *w, uint64_t end)
{
	if (dwarf_window_at(w) > end)
		return false;
	if (w->loaded > end)
		w->c.end -= w->loaded - end, w->loaded = end;
	w->end = end < w->end ? end : w->end;
	return true;
}

/* Makes the n bytes at that offset, and no others, available. */
static bool
load(struct dwarf_window *w, uint64_t at, size_t n)
{
	struct dwarf_data *s = &w->file->data[w->which];
	unsigned char *p = w->few;
	const unsigned char *from;

	w->c.bad = true;
	if (!dwarf_work(w->file->dwarf, n))
		return false;
	if (s->bytes.p != NULL) {
		w->c = cur_over(s->bytes.p + at, n, w->file->elf->big);
	} else {
		if (n > sizeof w->few) {
			w->bytes.len = 0;
			if (!buf_room(&w->bytes, n))
				return dwarf_nomem(w->file->dwarf);
			p = (unsigned char *)w->bytes.p;
		}
		if (n <= ELF_BYTES_MAX) {
			if ((from = elf_bytes(w->file->elf, s->section.offset + at, n)) == NULL)
				return dwarf_fail(w->file, "its file has become shorter");
			memcpy(p, from, n);
		} else if (!elf_read(w->file->elf, s->section.offset + at, p, n)) {
			return dwarf_fail(w->file, "");
		}
		w->c = cur_over(p, n, w->file->elf->big);
	}
	w->loaded = at + n;
	return true;
}

bool
dwarf_window_want(struct dwarf_window *w, size_t n)
{
	uint64_t at = dwarf_window_at(w), left = w->end - at;

	if (w->c.bad)
		return dwarf_fail(w->file, "its debug information is damaged");
	if (cur_left(&w->c) >= n || w->loaded >= w->end)
		return true;
	n = n > w->piece ? n : w->piece;
	return load(w, at, n < left ? n : (size_t)left);
}

uint64_t
dwarf_number(struct cur *c, unsigned size)
{
	uint64_t low;

	switch (size) {
	case 1: return cur_u8(c);
	case 2: return cur_u16(c);
	case 3:
		low = cur_u8(c);
		return c->swap != cur_host_big() ? low << 16 | cur_u16(c)
						 : low | (uint64_t)cur_u16(c) << 8;
	case 4: return cur_u32(c);
	case 8: return cur_u64(c);
	}
	c->bad = true;
	return 0;
}

bool
dwarf_number_at(struct dwarf_file *f, enum dwarf_section which, uint64_t offset, unsigned size,
    uint64_t *v)
{
	struct dwarf_window w;
	bool ok = offset <= UINT64_MAX - size &&
	    dwarf_window_open(&w, f, which, offset, offset + size, DWARF_FEW) &&
	    dwarf_window_want(&w, size);

	if (!ok)
		return dwarf_fail(f, "its debug information refers to bytes that do not exist");
	*v = dwarf_number(&w.c, size);
	ok = cur_ok(&w.c);
	dwarf_window_close(&w);
	return ok ? true : dwarf_fail(f, "its debug information is damaged");
}

/* ---- abbreviations: DWARF 5, section 7.5.3 */

struct spec {
	uint16_t form;
	uint8_t slot; /* enum dwarf_slot */
	int64_t constant; /* for DW_FORM_implicit_const */
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool children;
	bool code_is_inside; /* it is, or can contain, a function with code */
	bool function;
	bool sibling; /* has DW_AT_sibling */
	bool variable; /* its size depends on its contents; else it is the sum of: */
	uint32_t bytes, addresses, offsets;
	uint32_t spec, specs; /* its first attribute, and how many it has */
};

struct dwarf_abbrevs {
	struct dwarf_file *file;
	uint64_t offset;
	struct abbrev *abbrev; /* sorted by code */
	size_t n, cap;
	struct spec *spec;
	size_t specs, spec_cap;
	bool dense; /* codes are 1, 2, 3 ... */
};

static enum dwarf_slot
slot_of(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling: return DWARF_SIBLING;
	case DW_AT_name: return DWARF_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name: return DWARF_LINKAGE_NAME;
	case DW_AT_low_pc: return DWARF_LOW;
	case DW_AT_high_pc: return DWARF_HIGH;
	case DW_AT_ranges: return DWARF_RANGE_LIST;
	case DW_AT_abstract_origin: return DWARF_ORIGIN;
	case DW_AT_specification:
	case DW_AT_extension: return DWARF_SPECIFICATION;
	case DW_AT_call_file: return DWARF_CALL_FILE;
	case DW_AT_call_line: return DWARF_CALL_LINE;
	case DW_AT_declaration: return DWARF_DECLARATION;
	case DW_AT_external: return DWARF_EXTERNAL;
	case DW_AT_language: return DWARF_LANGUAGE;
	case DW_AT_stmt_list: return DWARF_STMT_LIST;
	case DW_AT_comp_dir: return DWARF_COMP_DIR;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name: return DWARF_DWO_NAME;
	case DW_AT_GNU_dwo_id: return DWARF_DWO_ID;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: return DWARF_ADDR_BASE;
	case DW_AT_str_offsets_base: return DWARF_STR_OFFSETS_BASE;
	case DW_AT_rnglists_base: return DWARF_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base: return DWARF_RANGES_BASE;
	}
	return DWARF_OTHER;
}

/* Adds the size of a form to the size of the entry. */
static void
add_size(struct abbrev *a, unsigned form)
{
	switch (form) {
	case DW_FORM_implicit_const:
	case DW_FORM_flag_present: break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: a->bytes += 1; break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: a->bytes += 2; break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: a->bytes += 3; break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: a->bytes += 4; break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: a->bytes += 8; break;
	case DW_FORM_data16: a->bytes += 16; break;
	case DW_FORM_addr: a->addresses++; break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt: a->offsets++; break;
	default: a->variable = true;
	}
}

static bool
may_contain_code(unsigned tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_entry_point:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_common_block:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: /* Rust's have methods */
	case DW_TAG_variant_part:
	case DW_TAG_variant: return true;
	}
	return tag >= DW_TAG_lo_user;
}

/* Reads the attributes of a declaration up to the pair of zeros. */
static bool
read_specs(struct dwarf_window *w, struct dwarf_abbrevs *t, struct abbrev *a)
{
	uint64_t name, form;
	int64_t constant;

	for (;;) {
		if (!dwarf_window_want(w, SPEC_MOST))
			return false;
		name = dwarf_uleb(&w->c);
		form = dwarf_uleb(&w->c);
		constant = form == DW_FORM_implicit_const ? cfi_sleb(&w->c) : 0;
		if (!cur_ok(&w->c) || form > UINT16_MAX || t->specs == UINT32_MAX)
			return dwarf_fail(w->file, "its abbreviations are damaged");
		if (name == 0 && form == 0)
			return true;
		if (!vec_room(t->spec, t->specs, t->spec_cap))
			return dwarf_nomem(w->file->dwarf);
		t->spec[t->specs++] =
		    (struct spec){ (uint16_t)form, (uint8_t)slot_of(name), constant };
		a->specs++;
		a->sibling |= name == DW_AT_sibling;
		add_size(a, (unsigned)form);
	}
}

/* Reads a declaration; a->code is 0 at the end of the table. */
static bool
read_abbrev(struct dwarf_window *w, struct dwarf_abbrevs *t, struct abbrev *a)
{
	uint64_t tag;

	if (!dwarf_window_want(w, SPEC_MOST))
		return false;
	*a = (struct abbrev){ .code = dwarf_uleb(&w->c), .spec = (uint32_t)t->specs };
	if (a->code == 0)
		return cur_ok(&w->c) ? true : dwarf_fail(w->file, "its abbreviations are damaged");
	tag = dwarf_uleb(&w->c);
	a->children = cur_u8(&w->c) != 0;
	if (tag == 0 || tag > UINT16_MAX)
		return dwarf_fail(w->file, "its abbreviations are damaged");
	a->tag = (uint16_t)tag;
	a->function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
	a->code_is_inside = may_contain_code((unsigned)tag);
	return read_specs(w, t, a);
}

static int
by_code(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return (x->spec > y->spec) - (x->spec < y->spec);
}

static bool
read_table(struct dwarf_abbrevs *t)
{
	struct dwarf_window w;
	struct abbrev a;
	bool ok = dwarf_window_open(&w, t->file, DWARF_ABBREV, t->offset, UINT64_MAX, DWARF_FEW);

	w.piece = ELF_BYTES_MAX / 2;
	t->dense = true;
	while (ok && !dwarf_window_is_done(&w)) {
		ok = read_abbrev(&w, t, &a);
		if (!ok || a.code == 0)
			break;
		ok = vec_room(t->abbrev, t->n, t->cap);
		if (!ok) {
			(void)dwarf_nomem(t->file->dwarf);
			break;
		}
		t->abbrev[t->n++] = a;
		t->dense &= a.code == t->n;
	}
	dwarf_window_close(&w);
	if (ok && !t->dense)
		qsort(t->abbrev, t->n, sizeof *t->abbrev, by_code);
	return ok;
}

static size_t
table_memory(const struct dwarf_abbrevs *t)
{
	return sizeof *t + t->cap * sizeof *t->abbrev + t->spec_cap * sizeof *t->spec;
}

static void
free_table(struct dwarf_abbrevs *t)
{
	mem_free(t->abbrev);
	mem_free(t->spec);
	mem_free(t);
}

void
dwarf_abbrevs_drop(struct dwarf *d)
{
	size_t i;

	for (i = 0; i < DWARF_TABLES; i++) {
		if (d->table[i] == NULL)
			continue;
		d->cached -= table_memory(d->table[i]);
		free_table(d->table[i]);
		d->table[i] = NULL;
	}
}

/*
 * Returns the abbreviations of the unit, valid until the next call.  Returns NULL if they are
 * damaged or memory runs out.
 */
static const struct dwarf_abbrevs *
abbrevs_of(struct dwarf_unit *u)
{
	struct dwarf *d = u->file->dwarf;
	uint64_t hash = (u->abbrevs ^ (uintptr_t)u->file >> 6) * UINT64_C(0x9e3779b97f4a7c15);
	struct dwarf_abbrevs **slot = &d->table[hash >> 32 & (DWARF_TABLES - 1)], *t = *slot;

	if (t != NULL && t->file == u->file && t->offset == u->abbrevs)
		return t;
	if ((t = mem_zero(1, sizeof *t)) == NULL) {
		(void)dwarf_nomem(d);
		return NULL;
	}
	t->file = u->file;
	t->offset = u->abbrevs;
	if (!read_table(t)) {
		free_table(t);
		return NULL;
	}
	if (*slot != NULL) {
		d->cached -= table_memory(*slot);
		free_table(*slot);
	}
	d->cached += table_memory(t);
	return *slot = t;
}

static const struct abbrev *
find_abbrev(const struct dwarf_abbrevs *t, uint64_t code)
{
	size_t low = 0, high = t->n, mid;

	if (t->dense)
		return code - 1 < t->n ? &t->abbrev[code - 1] : NULL;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->abbrev[mid].code < code)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->n && t->abbrev[low].code == code ? &t->abbrev[low] : NULL;
}

/* ---- forms: DWARF 5, section 7.5.6 */

static void
skip(struct cur *c, uint64_t n)
{
	if (n > cur_left(c))
		c->bad = true;
	else
		c->p += n;
}

static void
set(struct dwarf_value *v, enum dwarf_kind kind, uint64_t n)
{
	v->kind = kind;
	v->n = n;
}

/* Reads a string that is stored in place. */
static void
read_string(struct dwarf_window *w, struct dwarf_value *v)
{
	size_t len;

	set(v, w->which == DWARF_LINE ? DWARF_IS_LINE_TEXT : DWARF_IS_TEXT, dwarf_window_at(w));
	(void)cur_string(&w->c, &len);
}

static void
read_reference(struct cur *c, const struct dwarf_format *f, unsigned form, struct dwarf_value *v)
{
	uint64_t n = 0;

	switch (form) {
	case DW_FORM_ref1: n = cur_u8(c); break;
	case DW_FORM_ref2: n = cur_u16(c); break;
	case DW_FORM_ref4: n = cur_u32(c); break;
	case DW_FORM_ref8: n = cur_u64(c); break;
	case DW_FORM_ref_udata: n = dwarf_uleb(c); break;
	default: /* DW_FORM_ref_addr */
		n = dwarf_number(c, f->version <= 2 ? f->address_size : f->offset_size);
		set(v, DWARF_IS_REF, n);
		return;
	}
	set(v, DWARF_IS_REF, n <= UINT64_MAX - f->base ? f->base + n : UINT64_MAX);
}

/* Reads the forms of less common kinds. */
static void
read_other(struct dwarf_window *w, const struct dwarf_format *f, unsigned form,
    struct dwarf_value *v)
{
	struct cur *c = &w->c;

	switch (form) {
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index: set(v, DWARF_IS_STR_INDEX, dwarf_uleb(c)); break;
	case DW_FORM_strx1: set(v, DWARF_IS_STR_INDEX, cur_u8(c)); break;
	case DW_FORM_strx2: set(v, DWARF_IS_STR_INDEX, cur_u16(c)); break;
	case DW_FORM_strx3: set(v, DWARF_IS_STR_INDEX, dwarf_number(c, 3)); break;
	case DW_FORM_strx4: set(v, DWARF_IS_STR_INDEX, cur_u32(c)); break;
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index: set(v, DWARF_IS_ADDRESS_INDEX, dwarf_uleb(c)); break;
	case DW_FORM_addrx1: set(v, DWARF_IS_ADDRESS_INDEX, cur_u8(c)); break;
	case DW_FORM_addrx2: set(v, DWARF_IS_ADDRESS_INDEX, cur_u16(c)); break;
	case DW_FORM_addrx3: set(v, DWARF_IS_ADDRESS_INDEX, dwarf_number(c, 3)); break;
	case DW_FORM_addrx4: set(v, DWARF_IS_ADDRESS_INDEX, cur_u32(c)); break;
	case DW_FORM_rnglistx: set(v, DWARF_IS_LIST_INDEX, dwarf_uleb(c)); break;
	case DW_FORM_loclistx: set(v, DWARF_IS_OTHER, dwarf_uleb(c)); break;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt: set(v, DWARF_IS_ALT_STR, dwarf_number(c, f->offset_size)); break;
	case DW_FORM_GNU_ref_alt: set(v, DWARF_IS_ALT_REF, dwarf_number(c, f->offset_size)); break;
	case DW_FORM_ref_sup4: set(v, DWARF_IS_ALT_REF, cur_u32(c)); break;
	case DW_FORM_ref_sup8: set(v, DWARF_IS_ALT_REF, cur_u64(c)); break;
	case DW_FORM_ref_sig8: skip(c, 8); break;
	case DW_FORM_data16: skip(c, 16); break;
	case DW_FORM_block1: skip(c, cur_u8(c)); break;
	case DW_FORM_block2: skip(c, cur_u16(c)); break;
	case DW_FORM_block4: skip(c, cur_u32(c)); break;
	default: c->bad = true;
	}
}

void
dwarf_form(struct dwarf_window *w, const struct dwarf_format *f, unsigned form, int64_t constant,
    struct dwarf_value *v)
{
	struct cur *c = &w->c;

	set(v, DWARF_IS_OTHER, 0);
	while (form == DW_FORM_indirect && cur_ok(c)) {
		form = (unsigned)dwarf_uleb(c);
		if (form == DW_FORM_implicit_const)
			c->bad = true;
	}
	switch (form) {
	case DW_FORM_addr: set(v, DWARF_IS_ADDRESS, dwarf_number(c, f->address_size)); break;
	case DW_FORM_flag:
	case DW_FORM_data1: set(v, DWARF_IS_NUMBER, cur_u8(c)); break;
	case DW_FORM_data2: set(v, DWARF_IS_NUMBER, cur_u16(c)); break;
	case DW_FORM_data4: set(v, DWARF_IS_NUMBER, cur_u32(c)); break;
	case DW_FORM_data8: set(v, DWARF_IS_NUMBER, cur_u64(c)); break;
	case DW_FORM_udata: set(v, DWARF_IS_NUMBER, dwarf_uleb(c)); break;
	case DW_FORM_sdata: set(v, DWARF_IS_NUMBER, (uint64_t)cfi_sleb(c)); break;
	case DW_FORM_implicit_const: set(v, DWARF_IS_NUMBER, (uint64_t)constant); break;
	case DW_FORM_flag_present: set(v, DWARF_IS_NUMBER, 1); break;
	case DW_FORM_sec_offset: set(v, DWARF_IS_NUMBER, dwarf_number(c, f->offset_size)); break;
	case DW_FORM_strp: set(v, DWARF_IS_STR, dwarf_number(c, f->offset_size)); break;
	case DW_FORM_line_strp: set(v, DWARF_IS_LINE_STR, dwarf_number(c, f->offset_size)); break;
	case DW_FORM_string: read_string(w, v); break;
	case DW_FORM_block:
	case DW_FORM_exprloc: skip(c, dwarf_uleb(c)); break;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr: read_reference(c, f, form, v); break;
	default: read_other(w, f, form, v);
	}
}

/* ---- entries: DWARF 5, section 7.5.2 */

static void
read_attributes(struct dwarf_window *w, const struct dwarf_format *f, const struct dwarf_abbrevs *t,
    const struct abbrev *a, struct dwarf_die *die)
{
	struct dwarf_value other, *v;
	const struct spec *s;
	uint32_t i;

	for (i = 0; i < a->specs && cur_ok(&w->c); i++) {
		s = &t->spec[a->spec + i];
		v = s->slot == DWARF_OTHER ? &other : &die->v[s->slot];
		dwarf_form(w, f, s->form, s->constant, v);
		/* Go writes flags that are not set */
		if ((s->slot != DWARF_DECLARATION && s->slot != DWARF_EXTERNAL) || v->n != 0)
			die->have |= 1u << s->slot;
	}
}

/* Moves on to the next entry with the same parent, if this one gives its place. */
static void
skip_children(struct dwarf_window *w, struct dwarf_die *die)
{
	uint64_t to = die->v[DWARF_SIBLING].n;

	if (!cur_ok(&w->c) || !dwarf_has(die, DWARF_SIBLING) ||
	    die->v[DWARF_SIBLING].kind != DWARF_IS_REF || to <= dwarf_window_at(w) || to > w->end)
		return;
	dwarf_window_seek(w, to);
	die->children = false;
}

/* Reads an entry that is not a function. */
static void
pass(struct dwarf_window *w, const struct dwarf_format *f, const struct dwarf_abbrevs *t,
    const struct abbrev *a, struct dwarf_die *die)
{
	if (a->children && a->sibling && !a->code_is_inside) {
		read_attributes(w, f, t, a, die);
		skip_children(w, die);
	} else if (!a->variable) {
		skip(&w->c,
		    (uint64_t)a->bytes + (uint64_t)a->addresses * f->address_size +
			(uint64_t)a->offsets * f->offset_size);
	} else {
		read_attributes(w, f, t, a, die);
	}
	die->have = 0;
}

/* Which entries next_die reads; of the others it sets only at, tag and children. */
enum interest { ALL_DIES, CODE_DIES };

/*
 * Reads the entry at the window's cursor and moves to the next one, which is a child of it or has
 * the same parent, or ends a list.  CODE_DIES: children that have nothing to do with code are
 * skipped if possible.
 */
static bool
next_die(struct dwarf_window *w, struct dwarf_unit *u, const struct dwarf_abbrevs *t,
    enum interest interest, struct dwarf_die *die)
{
	const struct abbrev *a;
	struct cur start;
	size_t n = ENTRY_LEAST;
	uint64_t code;

	for (;; n *= 4) {
		if (!dwarf_window_want(w, n))
			return false;
		start = w->c;
		die->at = dwarf_window_at(w);
		die->tag = 0;
		die->children = false;
		die->have = 0;
		code = dwarf_uleb(&w->c);
		if (code == 0 && cur_ok(&w->c))
			return true;
		if ((a = find_abbrev(t, code)) == NULL)
			return dwarf_fail(u->file, "an entry of its debug information is damaged");
		die->tag = a->tag;
		die->children = a->children;
		if (interest == CODE_DIES && !a->function)
			pass(w, &u->format, t, a, die);
		else
			read_attributes(w, &u->format, t, a, die);
		if (cur_ok(&w->c) && interest == CODE_DIES && a->children &&
		    dwarf_has(die, DWARF_DECLARATION))
			skip_children(w, die);
		if (cur_ok(&w->c))
			return true;
		w->c = start;
		if (w->loaded >= w->end || n >= DWARF_ENTRY_MAX)
			return dwarf_fail(u->file, "an entry of its debug information is damaged");
	}
}

bool
dwarf_die_at(struct dwarf_unit *u, uint64_t at, struct dwarf_die *die)
{
	const struct dwarf_abbrevs *t = abbrevs_of(u);
	struct dwarf_window w;
	bool ok;

	if (t == NULL)
		return false;
	ok = dwarf_window_open(&w, u->file, DWARF_INFO, at, u->end, DWARF_FEW) &&
	    next_die(&w, u, t, ALL_DIES, die);
	dwarf_window_close(&w);
	return ok;
}

/* Passes on the entries under the window's cursor. */
static bool
walk(struct dwarf_window *w, struct dwarf_unit *u, const struct dwarf_abbrevs *t, dwarf_take *take,
    void *ctx)
{
	struct dwarf *d = u->file->dwarf;
	struct dwarf_die die;
	unsigned depth = 0;
	uint64_t at;

	do {
		if (!next_die(w, u, t, CODE_DIES, &die))
			return false;
		at = die.at - u->format.base;
		if (at >= DWARF_NO_NODE)
			return dwarf_damaged(d, "a unit of its debug information is too large");
		if (die.tag != 0 && die.children && depth == DWARF_DEPTH_MAX)
			return dwarf_damaged(d, "its debug information is nested too deeply");
		if (!take(ctx, &die, (uint32_t)at, depth))
			return false;
		if (die.tag != 0)
			depth += die.children;
		else
			depth -= depth > 0;
	} while (depth > 0 && !dwarf_window_is_done(w));
	return true;
}

bool
dwarf_walk(struct dwarf_unit *u, dwarf_take *take, void *ctx)
{
	const struct dwarf_abbrevs *t = abbrevs_of(u);
	struct dwarf_window w;
	bool ok;

	if (t == NULL || !dwarf_window_open(&w, u->file, DWARF_INFO, u->root, u->end, DWARF_MANY))
		return false;
	ok = walk(&w, u, t, take, ctx);
	dwarf_window_close(&w);
	return ok;
}
