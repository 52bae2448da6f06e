/* SPDX-License-Identifier: ISC */
/*
 * elfsyms.c - the symbols of an ELF file, as offsets into the file that is executed.
 *
 * The choice of symbols, and the conversion of values to offsets, are as in dso__load_sym of Linux'
 * tools/perf/util/symbol-elf.c (6.1).
 */
#include <string.h>

#include "lib/cur.h"
#include "lib/mem.h"
#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"

/* The data shared by the symbols of one section. */
struct place {
	bool asked; /* the other fields have been set */
	bool known;
	bool loaded; /* SHF_ALLOC: it exists at run time */
	bool labels; /* labels in it are used: text or data */
	uint64_t addr, offset, size;
};

struct loader {
	struct elf_file *syms, *runtime;
	struct elf_names names;
	bool again; /* a second table, which mostly repeats the first */
	size_t added;
	struct place *place; /* by section index */
	size_t places;
	struct symtab *out;
};

/*
 * Fills *p.  A debug file keeps the headers of the sections that it omits, but not their places in
 * the executed file.  Segments show these; a file without segments, which is not linked yet, has
 * the same sections.
 */
static void
ask_place(const struct loader *l, size_t index, struct place *p)
{
	struct elf_section s = elf_section_at(l->syms, index);

	p->asked = true;
	p->loaded = (s.flags & SHF_ALLOC) != 0;
	p->labels =
	    elf_section_has_name(l->syms, &s, "text") || elf_section_has_name(l->syms, &s, "data");
	p->addr = s.addr;
	p->size = s.size;
	if (s.there && s.type == SHT_NOBITS && l->runtime->loads == 0)
		s = elf_section_at(l->runtime, index);
	p->known = s.there && (l->runtime->loads > 0 || s.type != SHT_NOBITS);
	p->offset = s.offset;
}

/* Returns the place of a section, or NULL if there is no such section. */
static const struct place *
place_of(const struct loader *l, size_t index)
{
	if (index >= l->places)
		return NULL;
	if (!l->place[index].asked)
		ask_place(l, index, &l->place[index]);
	return &l->place[index];
}

static int
make_places(struct loader *l, struct err *e)
{
	l->places = l->syms->sections;
	l->place = mem_zero(l->places + 1, sizeof *l->place);
	return l->place == NULL ? err_nomem(e) : 0;
}

static bool
is_label(const struct elf_symbol *sym)
{
	return sym->type == STT_NOTYPE && sym->visibility != STV_HIDDEN &&
	    sym->visibility != STV_INTERNAL;
}

static bool
is_wanted(const struct elf_symbol *sym)
{
	if (sym->name == 0 || sym->section == SHN_UNDEF || sym->section >= SHN_LORESERVE)
		return false;
	return sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC || sym->type == STT_OBJECT ||
	    is_label(sym);
}

/*
 * Returns true for the marks between code and data that ARM and RISC-V compilers leave: $a, $d,
 * $t.1, ...
 */
static bool
is_mapping_mark(const struct elf_file *f, const char *name)
{
	if (f->machine != EM_ARM && f->machine != EM_AARCH64 && f->machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] != '\0' && strchr("adtx", name[1]) != NULL &&
	    (name[2] == '\0' || name[2] == '.');
}

/*
 * Handles 64-bit PowerPC's first ABI: the symbol is a descriptor in .opd, whose first word is the
 * address of the function.
 */
static bool
follow_descriptor(const struct loader *l, uint64_t *value)
{
	const struct elf_section *opd = &l->runtime->known[ELF_OPD];
	uint64_t at = *value - l->syms->known[ELF_OPD].addr;
	const unsigned char *p;

	if (!l->syms->known[ELF_OPD].there || at >= opd->size || opd->size - at < sizeof *value ||
	    (p = elf_bytes(l->runtime, opd->offset + at, sizeof *value)) == NULL)
		return false;
	*value = cur_word64(p, l->runtime->big != cur_host_big());
	return true;
}

/*
 * Makes *value the offset into the executed file.  Returns false if it has none, as in a .bss: the
 * offset in the header of such a section is that of another one.
 */
static bool
to_offset(const struct elf_file *runtime, const struct place *p, uint64_t *value)
{
	const struct elf_load *load = runtime->load;
	size_t i;

	for (i = 0; i < runtime->loads; i++)
		if (*value - load[i].vaddr < load[i].in_file && *value >= load[i].vaddr) {
			*value += load[i].offset - load[i].vaddr;
			return true;
		}
	*value += p->offset - p->addr;
	return runtime->loads == 0;
}

/*
 * Returns how many bytes a symbol without a size covers at most: those up to the end of its
 * section.  The code after that may have no name, such as the PLT of a static program, after _init.
 */
static uint64_t
extent(const struct loader *l, const struct elf_symbol *sym, const struct place *p)
{
	const struct elf_section *opd = &l->runtime->known[ELF_OPD];
	uint64_t at = sym->value - p->addr;

	if (opd->there && sym->section == opd->index)
		return UINT64_MAX; /* the function is in another section */
	return at < p->size ? p->size - at : 0;
}

static enum sym_binding
binding(const struct elf_symbol *sym)
{
	unsigned label = sym->type == STT_NOTYPE ? SYM_LABEL : 0;

	if (sym->bind == STB_WEAK)
		return (enum sym_binding)(SYM_WEAK | label);
	return (enum sym_binding)((sym->bind == STB_GLOBAL ? SYM_GLOBAL : SYM_LOCAL) | label);
}

/*
 * Returns true if the symbol is known already.  Symbols that .dynsym repeats would only cost
 * memory.
 */
static bool
is_known(const struct loader *l, uint64_t start, const char *name, size_t len)
{
	const struct symbol *s = l->again ? symtab_find(l->out, start) : NULL;

	return s != NULL && s->start == start && s->namelen == len &&
	    memcmp(s->name, name, len) == 0;
}

static int
add_symbol(void *ctx, uint64_t i, const unsigned char *entry, struct err *e)
{
	struct loader *l = ctx;
	struct elf_symbol sym = elf_symbol_of(l->syms, entry);
	const struct elf_section *opd = &l->runtime->known[ELF_OPD];
	const struct place *p;
	uint64_t value = sym.value, most;
	const char *name;
	size_t len;

	(void)i;
	if (!is_wanted(&sym) || (p = place_of(l, sym.section)) == NULL)
		return 0;
	if (!p->known || !p->loaded || (is_label(&sym) && !p->labels))
		return 0;
	if (opd->there && sym.section == opd->index && !follow_descriptor(l, &value))
		return 0;
	if (l->syms->machine == EM_ARM && sym.type == STT_FUNC)
		value &= ~(uint64_t)1;
	if ((name = elf_name(&l->names, sym.name, &len)) == NULL || is_mapping_mark(l->syms, name))
		return 0;
	if (!to_offset(l->runtime, p, &value) || is_known(l, value, name, len))
		return 0;
	if (sym.size == 0 && (most = extent(l, &sym, p)) == 0)
		return 0;
	l->added++;
	return sym.size != 0 ? symtab_add(l->out, value, sym.size, binding(&sym), name, len, e)
			     : symtab_add_open(l->out, value, most, binding(&sym), name, len, e);
}

static int
load_table(struct loader *l, const struct elf_section *s, struct err *e)
{
	size_t entsize = elf_symbol_size(l->syms);
	int rc;

	if (!elf_is_table(l->syms, s, entsize) || !elf_names_open(l->syms, s, &l->names))
		return elf_file_check(l->syms, e) != 0
		    ? e->code
		    : err_data(e, "its symbol table cannot be read");
	rc = elf_each(l->syms, s, entsize, add_symbol, l, e);
	if (rc == 0)
		rc = elf_names_check(&l->names, e);
	elf_names_close(&l->names);
	return rc == 0 ? symtab_finish(l->out, SYMTAB_OBJECT, e) : rc;
}

/*
 * Goes on with the file that was mapped.  The one in .gnu_debugdata has only the symbols that
 * .dynsym does not have; a debug file has all.
 */
static int
leave_syms(struct loader *l, struct err *e)
{
	if (elf_file_check(l->syms, e) != 0)
		return e->code;
	l->syms = l->runtime;
	mem_free(l->place);
	return make_places(l, e);
}

static int
load_tables(struct loader *l, struct err *e)
{
	const struct elf_section *symtab = &l->syms->known[ELF_SYMTAB];
	const struct elf_section *dynsym = &l->syms->known[ELF_DYNSYM];
	int rc = make_places(l, e);

	if (rc == 0)
		rc = elf_plt_symbols(l->runtime, l->out, e);
	if (rc == 0 && symtab->there)
		rc = load_table(l, symtab, e);
	l->again = symtab->there;
	if (rc == 0 && l->syms->own.len != 0 && l->syms != l->runtime)
		rc = leave_syms(l, e);
	dynsym = &l->syms->known[ELF_DYNSYM];
	if (rc == 0 && dynsym->there)
		rc = load_table(l, dynsym, e);
	if (rc == 0)
		rc = elf_file_check(l->syms, e);
	if (rc == 0)
		rc = elf_file_check(l->runtime, e);
	mem_free(l->place);
	return rc == 0 && l->added == 0 ? err_data(e, "no symbols in it") : rc;
}

int
elf_symbols(struct elf_file *syms, struct elf_file *runtime, struct symtab *t, struct err *e)
{
	struct loader l = { .syms = syms, .runtime = runtime, .out = t };
	int rc;

	if (syms != runtime) {
		syms->partner = runtime;
		runtime->partner = syms;
	}
	rc = load_tables(&l, e);
	syms->partner = runtime->partner = NULL;
	return rc;
}
