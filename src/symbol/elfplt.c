/* SPDX-License-Identifier: ISC */
/*
 * elfplt.c - names for the entries of the procedure linkage table.
 *
 * No symbol table lists them; the n-th relocation of .rela.plt (or .rel.plt) names
 * the n-th entry, as in dso__synthesize_plt_symbols of Linux'
 * tools/perf/util/symbol-elf.c (6.1).
 */
#include <stdlib.h>
#include <string.h>

#include "src/symbol/elfint.h"

#define SUFFIX "@plt"
#define NAME_LEN_MAX 1023	/* with the suffix; longer ones are cut, as in perf */

struct plt {
	uint64_t at;		/* offset of the next entry into the file */
	uint64_t entry;		/* size of one */
};

/* By the machine's ABI; where the section says how large an entry is, its header is as large. */
static struct plt
plt_layout(const struct elf_file *f, const GElf_Shdr *plt)
{
	switch (f->ehdr.e_machine) {
	case EM_ARM:
		return (struct plt){ plt->sh_offset + 20, 12 };
	case EM_AARCH64:
		return (struct plt){ plt->sh_offset + 32, 16 };
	case EM_SPARC:
		return (struct plt){ plt->sh_offset + 48, 12 };
	case EM_SPARCV9:
		return (struct plt){ plt->sh_offset + 128, 32 };
	default:
		return (struct plt){ plt->sh_offset + plt->sh_entsize, plt->sh_entsize };
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
add_entry(const struct elf_table *dyn, int symbol, const struct plt *plt, struct symtab *t, struct err *e)
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

int
elf_plt_symbols(const struct elf_file *f, struct symtab *t, struct err *e)
{
	struct elf_section plt = elf_section_find(f, ".plt"), rel = elf_section_find(f, ".rela.plt");
	struct elf_table dyn;
	struct plt at;
	Elf_Data *data;
	size_t i;
	int symbol, rc;

	if (rel.scn == NULL)
		rel = elf_section_find(f, ".rel.plt");
	if (plt.scn == NULL || rel.scn == NULL || (rel.shdr.sh_type != SHT_RELA && rel.shdr.sh_type != SHT_REL))
		return 0;
	if (f->dynsym.scn == NULL || rel.shdr.sh_link != f->dynsym.index || !elf_table_open(f, &f->dynsym, &dyn))
		return 0;
	at = plt_layout(f, &plt.shdr);
	if (at.entry == 0 || rel.shdr.sh_size > ELF_STRINGS_MAX || (data = elf_getdata(rel.scn, NULL)) == NULL)
		return 0;
	/* No more entries than the section has room for, whatever the relocations say. */
	for (i = 0; i < plt.shdr.sh_size / at.entry && relocated_symbol(data, rel.shdr.sh_type, i, &symbol); i++) {
		if ((rc = add_entry(&dyn, symbol, &at, t, e)) != 0)
			return rc;
		at.at += at.entry;
	}
	return symtab_finish(t, SYMTAB_OBJECT, e);
}
