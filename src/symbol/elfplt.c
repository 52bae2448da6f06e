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
#include <string.h>

#include "src/symbol/elfint.h"

#define SUFFIX "@plt"
#define NAME_LEN_MAX 1023 /* with the suffix; longer ones are cut, as in perf */

struct plt {
	uint64_t at, end; /* offsets of the first entry, and of the end, into the file */
	uint64_t entry; /* size of one */
};

static bool
is_x86(const struct elf_file *f)
{
	return f->machine == EM_386 || f->machine == EM_X86_64;
}

/* lld leaves the size out. */
static uint64_t
entry_size(const struct elf_file *f, const struct elf_section *plt)
{
	if (is_x86(f) && plt->entsize != 8 && plt->entsize != 16)
		return plt->align == 8 ? 8 : 16;
	return plt->entsize;
}

static struct plt
lay_out(const struct elf_section *plt, uint64_t header, uint64_t entry)
{
	uint64_t size = plt->size > ELF_STRINGS_MAX ? ELF_STRINGS_MAX : plt->size;

	if (header > size || plt->offset > UINT64_MAX - size)
		return (struct plt){ 0, 0, entry };
	return (struct plt){ plt->offset + header, plt->offset + size, entry };
}

/* By the machine's ABI; elsewhere the section says how large an entry is, and so is the header. */
static struct plt
plt_layout(const struct elf_file *f, const struct elf_section *plt)
{
	switch (f->machine) {
	case EM_ARM: return lay_out(plt, 20, 12);
	case EM_AARCH64: return lay_out(plt, 32, 16);
	case EM_SPARC: return lay_out(plt, 48, 12);
	case EM_SPARCV9: return lay_out(plt, 128, 32);
	default: return lay_out(plt, entry_size(f, plt), entry_size(f, plt));
	}
}

struct plt_names {
	struct elf_file *file;
	struct elf_names names; /* of .dynsym */
	struct plt plt;
	struct symtab *out;
};

/* The symbol that a relocation is about. */
static uint32_t
relocated_symbol(const struct elf_file *f, const unsigned char *rel)
{
	bool swap = f->big != cur_host_big();

	return f->wide ? (uint32_t)ELF64_R_SYM(cur_word64(rel + 8, swap))
		       : ELF32_R_SYM(cur_word32(rel + 4, swap));
}

/* NULL, of length 0, where it has none. */
static const char *
symbol_name(struct plt_names *p, uint32_t symbol, size_t *len)
{
	const struct elf_section *dynsym = &p->file->known[ELF_DYNSYM];
	size_t size = elf_symbol_size(p->file);
	const unsigned char *entry = symbol < dynsym->size / size
	    ? elf_bytes(p->file, dynsym->offset + symbol * size, size)
	    : NULL;
	const char *name =
	    entry != NULL ? elf_name(&p->names, elf_symbol_of(p->file, entry).name, len) : NULL;

	if (name == NULL)
		*len = 0;
	return name;
}

/* Names the entry that belongs to relocation i; there are no more than the section has room for. */
static int
add_entry(void *ctx, uint64_t i, const unsigned char *rel, struct err *e)
{
	struct plt_names *p = ctx;
	char name[NAME_LEN_MAX + 1];
	const char *plain;
	size_t len;

	if (i >= (p->plt.end - p->plt.at) / p->plt.entry)
		return 0;
	plain = symbol_name(p, relocated_symbol(p->file, rel), &len);
	if (len > NAME_LEN_MAX - strlen(SUFFIX))
		len = NAME_LEN_MAX - strlen(SUFFIX);
	if (len > 0)
		memcpy(name, plain, len);
	memcpy(name + len, SUFFIX, sizeof SUFFIX);
	return symtab_add(p->out, p->plt.at + i * p->plt.entry, p->plt.entry, SYM_GLOBAL, name,
	    len + strlen(SUFFIX), e);
}

/* Relocations of nothing but zeros are none, and give no name. */
static int
add_entries(struct plt_names *p, const struct elf_section *rel, struct plt plt, struct err *e)
{
	p->plt = plt;
	return plt.entry == 0 ? 0 : elf_each(p->file, rel, (size_t)rel->entsize, add_entry, p, e);
}

static bool
is_relocation(const struct elf_file *f, const struct elf_section *rel)
{
	size_t size = f->wide ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);

	if (rel->type == SHT_RELA)
		size = f->wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	return (rel->type == SHT_RELA || rel->type == SHT_REL) && elf_is_table(f, rel, size) &&
	    rel->link == f->known[ELF_DYNSYM].index;
}

int
elf_plt_symbols(struct elf_file *f, struct symtab *t, struct err *e)
{
	const struct elf_section *plt = &f->known[ELF_PLT], *sec = &f->known[ELF_PLT_SEC];
	const struct elf_section *dynsym = &f->known[ELF_DYNSYM];
	const struct elf_section *rel =
	    &f->known[f->known[ELF_RELA_PLT].there ? ELF_RELA_PLT : ELF_REL_PLT];
	struct plt_names p = { .file = f, .out = t };
	int rc;

	if (!plt->there || !dynsym->there || !is_relocation(f, rel) ||
	    !elf_is_table(f, dynsym, elf_symbol_size(f)) || !elf_names_open(f, dynsym, &p.names))
		return elf_file_check(f, e);
	rc = add_entries(&p, rel, plt_layout(f, plt), e);
	if (rc == 0 && sec->there && is_x86(f))
		rc = add_entries(&p, rel, lay_out(sec, 0, entry_size(f, sec)), e);
	if (rc == 0)
		rc = elf_names_check(&p.names, e);
	elf_names_close(&p.names);
	return rc;
}
