/* SPDX-License-Identifier: ISC */
/*
 * elfplt.c - names for the entries of the procedure linkage table.
 *
 * No symbol table lists them; the n-th relocation of .rela.plt (or .rel.plt) names
 * the n-th entry, as in dso__synthesize_plt_symbols of Linux'
 * tools/perf/util/symbol-elf.c.  As in perf since 6.3, and not in 6.1, also the entries
 * of .plt.sec (x86 with indirect branch tracking) and of a .plt by lld have names, and
 * _init does not hide the first entry.
 */
#include <stdlib.h>
#include <string.h>

#include "src/symbol/elfint.h"

#define SUFFIX "@plt"
#define NAME_LEN_MAX 1023 /* with the suffix; longer ones are cut, as in perf */

struct plt {
	uint64_t at, end; /* offsets of the next entry, and of the end, into the file */
	uint64_t entry; /* size of one */
};

static bool
is_x86(const struct elf_file *f)
{
	return f->ehdr.e_machine == EM_386 || f->ehdr.e_machine == EM_X86_64;
}

/* lld leaves the size out. */
static uint64_t
entry_size(const struct elf_file *f, const GElf_Shdr *plt)
{
	if (is_x86(f) && plt->sh_entsize != 8 && plt->sh_entsize != 16)
		return plt->sh_addralign == 8 ? 8 : 16;
	return plt->sh_entsize;
}

static struct plt
lay_out(const GElf_Shdr *plt, uint64_t header, uint64_t entry)
{
	uint64_t size = plt->sh_size > ELF_STRINGS_MAX ? ELF_STRINGS_MAX : plt->sh_size;

	if (header > size || plt->sh_offset > UINT64_MAX - size)
		return (struct plt){ 0, 0, entry };
	return (struct plt){ plt->sh_offset + header, plt->sh_offset + size, entry };
}

/* By the machine's ABI; elsewhere the section says how large an entry is, and so is the header. */
static struct plt
plt_layout(const struct elf_file *f, const GElf_Shdr *plt)
{
	switch (f->ehdr.e_machine) {
	case EM_ARM: return lay_out(plt, 20, 12);
	case EM_AARCH64: return lay_out(plt, 32, 16);
	case EM_SPARC: return lay_out(plt, 48, 12);
	case EM_SPARCV9: return lay_out(plt, 128, 32);
	default: return lay_out(plt, entry_size(f, plt), entry_size(f, plt));
	}
}

static bool
relocated_symbol(Elf_Data *rel, uint32_t type, size_t i, int *symbol)
{
	uint64_t info;
	GElf_Rela rela;
	GElf_Rel plain;

	if (type == SHT_RELA) {
		if (gelf_getrela(rel, (int)i, &rela) == NULL)
			return false;
		info = rela.r_info;
	} else {
		if (gelf_getrel(rel, (int)i, &plain) == NULL)
			return false;
		info = plain.r_info;
	}
	*symbol = (int)(GELF_R_SYM(info) & INT32_MAX);
	return true;
}

static int
add_entry(const struct elf_table *dyn, int symbol, const struct plt *plt, struct symtab *t,
    struct err *e)
{
	char name[NAME_LEN_MAX + 1];
	const char *plain = "";
	size_t len = 0;
	GElf_Sym sym;

	if (gelf_getsym(dyn->syms, symbol, &sym) != NULL) {
		plain = elf_table_name(dyn, sym.st_name, &len);
		if (plain == NULL) {
			plain = "";
			len = 0;
		}
	}
	if (len > NAME_LEN_MAX - strlen(SUFFIX))
		len = NAME_LEN_MAX - strlen(SUFFIX);
	memcpy(name, plain, len);
	memcpy(name + len, SUFFIX, sizeof SUFFIX);
	return symtab_add(t, plt->at, plt->entry, SYM_GLOBAL, name, len + strlen(SUFFIX), e);
}

/* No more entries than the section has room for, whatever the relocations say. */
static int
add_entries(const struct elf_table *dyn, Elf_Data *rel, uint32_t type, struct plt plt,
    struct symtab *t, struct err *e)
{
	int symbol, rc;
	size_t i;

	if (plt.entry == 0)
		return 0;
	for (i = 0; plt.end - plt.at >= plt.entry && relocated_symbol(rel, type, i, &symbol); i++) {
		if ((rc = add_entry(dyn, symbol, &plt, t, e)) != 0)
			return rc;
		plt.at += plt.entry;
	}
	return 0;
}

int
elf_plt_symbols(const struct elf_file *f, struct symtab *t, struct err *e)
{
	struct elf_section plt = elf_section_find(f, ".plt"),
			   rel = elf_section_find(f, ".rela.plt");
	struct elf_section sec = elf_section_find(f, ".plt.sec");
	struct elf_table dyn;
	Elf_Data *data;
	int rc;

	if (rel.scn == NULL)
		rel = elf_section_find(f, ".rel.plt");
	if (plt.scn == NULL || rel.scn == NULL ||
	    (rel.shdr.sh_type != SHT_RELA && rel.shdr.sh_type != SHT_REL))
		return 0;
	if (f->dynsym.scn == NULL || rel.shdr.sh_link != f->dynsym.index ||
	    rel.shdr.sh_size > ELF_STRINGS_MAX)
		return 0;
	if ((data = elf_getdata(rel.scn, NULL)) == NULL ||
	    !elf_table_open(f, &f->dynsym, NULL, &dyn))
		return 0;
	rc = add_entries(&dyn, data, rel.shdr.sh_type, plt_layout(f, &plt.shdr), t, e);
	if (rc == 0 && sec.scn != NULL && is_x86(f))
		rc = add_entries(&dyn, data, rel.shdr.sh_type,
		    lay_out(&sec.shdr, 0, entry_size(f, &sec.shdr)), t, e);
	elf_table_close(&dyn);
	return rc;
}
