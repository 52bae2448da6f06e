/* SPDX-License-Identifier: ISC */
/*
 * elfsyms.c - the symbols of an ELF file, as offsets into the file that runs.
 *
 * Which symbols count, and how a value becomes an offset, is as in dso__load_sym of
 * Linux' tools/perf/util/symbol-elf.c (6.1).
 */
#include "src/symbol/elf.h"

#include <string.h>

#include "lib/cur.h"
#include "lib/mem.h"
#include "src/symbol/elfint.h"

/*
 * Names may share their tails, so that the sum of their lengths may exceed the
 * string table, but not by much: more is a file that is made to fill the memory.
 */
#define NAME_SHARING_MAX 4
#define NAME_SHARING_SLACK ((size_t)1 << 20)

/* What the symbols of one section have in common. */
struct place {
	bool known;
	bool loaded; /* SHF_ALLOC: it is there at run time */
	bool labels; /* labels in it count: text or data */
	uint64_t addr, offset;
};

struct loader {
	const struct elf_file *syms, *runtime;
	struct elf_table table;
	bool in_room; /* the names of table stay where they are */
	size_t added;
	struct place *place; /* by section index */
	size_t places;
	size_t names_left;
	Elf_Data *opd;
	struct symtab *out;
};

static bool
is_text_or_data(const struct elf_file *f, const GElf_Shdr *shdr)
{
	const char *name = elf_strptr(f->elf, f->shstrndx, shdr->sh_name);

	return name != NULL && (strstr(name, "text") != NULL || strstr(name, "data") != NULL);
}

/*
 * A debug file keeps the headers of the sections that it leaves out, but not where they are
 * in the file that runs.
 */
static struct place
place_of(const struct loader *l, size_t index)
{
	const struct elf_file *f = l->syms;
	Elf_Scn *scn = elf_getscn(f->elf, index);
	struct place p = { .known = false };
	GElf_Shdr shdr;

	if (scn == NULL || gelf_getshdr(scn, &shdr) == NULL)
		return p;
	p.loaded = (shdr.sh_flags & SHF_ALLOC) != 0;
	if (shdr.sh_type == SHT_NOBITS) {
		f = l->runtime;
		scn = elf_getscn(f->elf, index);
		if (scn == NULL || gelf_getshdr(scn, &shdr) == NULL)
			return p;
	}
	p.known = true;
	p.labels = is_text_or_data(f, &shdr);
	p.addr = shdr.sh_addr;
	p.offset = shdr.sh_offset;
	return p;
}

static int
read_places(struct loader *l, struct err *e)
{
	size_t i, n = 0;

	if (elf_getshdrnum(l->syms->elf, &n) != 0 || n > ELF_SECTIONS_MAX)
		return err_data(e, "its section headers cannot be read");
	if ((l->place = mem_alloc((n + 1) * sizeof *l->place)) == NULL)
		return err_nomem(e);
	for (i = 0; i < n; i++)
		l->place[i] = place_of(l, i);
	l->places = n;
	return 0;
}

static bool
is_label(const GElf_Sym *sym)
{
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && visibility != STV_HIDDEN &&
	    visibility != STV_INTERNAL;
}

static bool
is_wanted(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_name == 0 || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT || is_label(sym);
}

/* The marks between code and data that ARM and RISC-V compilers leave: $a, $d, $t.1, ... */
static bool
is_mapping_mark(const struct elf_file *f, const char *name)
{
	if (f->ehdr.e_machine != EM_ARM && f->ehdr.e_machine != EM_AARCH64 &&
	    f->ehdr.e_machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] != '\0' && strchr("adtx", name[1]) != NULL &&
	    (name[2] == '\0' || name[2] == '.');
}

/* 64-bit PowerPC's first ABI: the symbol is a descriptor in .opd, its first word the function. */
static bool
follow_descriptor(const struct loader *l, uint64_t *value)
{
	uint64_t at = *value - l->syms->opd.shdr.sh_addr;
	struct cur c;

	if (l->syms->opd.scn == NULL || l->opd == NULL || l->opd->d_buf == NULL ||
	    at >= l->opd->d_size)
		return false;
	c = cur_over((const unsigned char *)l->opd->d_buf + at, l->opd->d_size - (size_t)at,
	    l->runtime->ehdr.e_ident[EI_DATA] == ELFDATA2MSB);
	*value = cur_u64(&c);
	return cur_ok(&c);
}

static uint64_t
to_offset(const struct elf_file *runtime, const struct place *p, uint64_t value)
{
	const struct elf_load *load = runtime->load;
	size_t i;

	for (i = 0; i < runtime->loads; i++)
		if (value - load[i].vaddr < load[i].size && value >= load[i].vaddr)
			return value - load[i].vaddr + load[i].offset;
	return value - p->addr + p->offset;
}

static unsigned
binding(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	unsigned label = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? SYM_LABEL : 0;

	if (bind == STB_WEAK)
		return SYM_WEAK | label;
	return (bind == STB_GLOBAL ? SYM_GLOBAL : SYM_LOCAL) | label;
}

/* .dynsym mostly says again what .symtab has said; that would only cost memory. */
static bool
is_known(const struct loader *l, uint64_t start, const char *name, size_t len)
{
	const struct symbol *s = l->in_room ? NULL : symtab_find(l->out, start);

	return s != NULL && s->start == start && s->namelen == len &&
	    memcmp(s->name, name, len) == 0;
}

static int
add_symbol(struct loader *l, const GElf_Sym *sym, struct err *e)
{
	const struct place *p;
	uint64_t value = sym->st_value;
	const char *name;
	size_t len;

	if (!is_wanted(sym) || (name = elf_table_name(&l->table, sym->st_name, &len)) == NULL)
		return 0;
	if (is_mapping_mark(l->syms, name) || sym->st_shndx >= l->places)
		return 0;
	p = &l->place[sym->st_shndx];
	if (!p->known || !p->loaded || (is_label(sym) && !p->labels))
		return 0;
	if (l->runtime->opd.scn != NULL && sym->st_shndx == l->runtime->opd.index &&
	    !follow_descriptor(l, &value))
		return 0;
	if (l->syms->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		value &= ~(uint64_t)1;
	if (len > l->names_left)
		return err_data(e, "its symbol names overlap without end");
	l->names_left -= len;
	value = to_offset(l->runtime, p, value);
	if (is_known(l, value, name, len))
		return 0;
	l->added++;
	return (l->in_room ? symtab_add_in_room : symtab_add)(l->out, value, sym->st_size,
	    (enum sym_binding)binding(sym), name, len, e);
}

static int
load_table(struct loader *l, const struct elf_section *s, struct err *e)
{
	GElf_Sym sym;
	size_t i;
	int rc = 0;

	if (!elf_table_open(l->syms, s, l->in_room ? l->out : NULL, &l->table))
		return err_data(e, "its symbol table cannot be read");
	l->names_left = l->table.names_len * NAME_SHARING_MAX + NAME_SHARING_SLACK;
	for (i = 0;
	     rc == 0 && i < l->table.count && gelf_getsym(l->table.syms, (int)i, &sym) != NULL; i++)
		rc = add_symbol(l, &sym, e);
	elf_table_close(&l->table);
	return rc == 0 ? symtab_finish(l->out, SYMTAB_OBJECT, e) : rc;
}

int
elf_symbols(const struct elf_file *syms, const struct elf_file *runtime, struct symtab *t,
    struct err *e)
{
	struct loader l = { .syms = syms, .runtime = runtime, .in_room = true, .out = t };
	int rc;

	if (runtime->opd.scn != NULL)
		l.opd = elf_rawdata(runtime->opd.scn, NULL);
	rc = read_places(&l, e);
	/* First, as what has no size, like _init before the PLT, must not reach across it. */
	if (rc == 0)
		rc = elf_plt_symbols(runtime, t, e);
	if (rc == 0 && syms->symtab.scn != NULL)
		rc = load_table(&l, &syms->symtab, e);
	/* A second table says mostly what the first did, so only what is new is kept. */
	l.in_room = syms->symtab.scn == NULL;
	if (rc == 0 && syms->dynsym.scn != NULL)
		rc = load_table(&l, &syms->dynsym, e);
	mem_free(l.place);
	return rc == 0 && l.added == 0 ? err_data(e, "no symbols in it") : rc;
}
