/* SPDX-License-Identifier: ISC */
/*
 * elfholes.c - makes an ELF file of a few pages that claims to have gigabytes, for the tests.
 *
 * elfholes FILE SECTION...: makes the named sections, which are holes except for this:
 *
 *	symtab	symbols of zeros, after one function "there" at 0x10; 512 MiB
 *	far	like symtab, but small; 1024 symbols with names spread over 1 GiB of strings
 *	names	like far, but all names are one text of 64 KiB
 *	plt	512 MiB of relocations and PLT entries
 *	note	512 MiB of notes; debuglink and opd are of the same size
 *	strings	the names of sections are in 1 GiB of strings
 *	count	1 Mi more sections
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUGE ((size_t)512 << 20)
#define FAR 1024
#define LONG 65536

static FILE *fp;
static Elf64_Shdr shdr[32];
static unsigned sections = 1;
static char strings[1024] = "";
static size_t stringslen = 1, end = 4096;

static void
put(size_t at, const void *p, size_t n)
{
	if (fseek(fp, (long)at, SEEK_SET) != 0 || fwrite(p, 1, n, fp) != n) {
		perror("elfholes");
		exit(3);
	}
}

/* Adds a section at the end of the file.  Returns the offset at which it begins. */
static size_t
section(const char *name, unsigned type, size_t size, size_t entsize)
{
	Elf64_Shdr *s = &shdr[sections++];

	*s = (Elf64_Shdr){ .sh_name = (Elf64_Word)stringslen,
		.sh_type = type,
		.sh_flags = SHF_ALLOC,
		.sh_addr = end,
		.sh_offset = end,
		.sh_size = size,
		.sh_link = sections,
		.sh_addralign = 4,
		.sh_entsize = entsize };
	memcpy(strings + stringslen, name, strlen(name) + 1);
	stringslen += strlen(name) + 1;
	end += (size + 4095) / 4096 * 4096;
	return (size_t)s->sh_offset;
}

static void
put_symbol(size_t at, size_t i, size_t name, size_t value)
{
	Elf64_Sym sym = { .st_name = (Elf64_Word)name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = value,
		.st_size = 8 };

	put(at + i * sizeof sym, &sym, sizeof sym);
}

/* Adds a table of that size with count symbols, and its strings. */
static void
symbols(const char *name, unsigned type, size_t size, size_t count, const char *what)
{
	size_t at = section(name, type, size, sizeof(Elf64_Sym)), i;
	size_t names = section(".str", SHT_STRTAB, 2 * HUGE, 0), step = 2 * HUGE / FAR;
	static char text[LONG];

	put(names + 1, "there", 6);
	put_symbol(at, 1, 1, 0x10);
	for (i = 2; i < count; i++)
		put_symbol(at, i, strcmp(what, "names") == 0 ? 4096 : (i - 1) * step, 16 * i);
	memset(text, 'x', sizeof text);
	if (strcmp(what, "names") == 0)
		put(names + 4096, text, sizeof text);
}

static void
add(const char *what)
{
	if (strcmp(what, "symtab") == 0)
		symbols(".symtab", SHT_SYMTAB, HUGE, 2, what);
	else if (strcmp(what, "far") == 0 || strcmp(what, "names") == 0)
		symbols(".symtab", SHT_SYMTAB, FAR * sizeof(Elf64_Sym), FAR, what);
	else if (strcmp(what, "plt") == 0) {
		shdr[sections + 2].sh_link = sections;
		symbols(".dynsym", SHT_DYNSYM, HUGE, 2, what);
		section(".rela.plt", SHT_RELA, HUGE, sizeof(Elf64_Rela));
		shdr[sections - 1].sh_link = sections - 3;
		section(".plt", SHT_PROGBITS, HUGE, 16);
	} else if (strcmp(what, "note") == 0)
		section(".note.gnu.build-id", SHT_NOTE, HUGE, 0);
	else if (strcmp(what, "debuglink") == 0)
		section(".gnu_debuglink", SHT_PROGBITS, HUGE, 0);
	else if (strcmp(what, "opd") == 0)
		section(".opd", SHT_PROGBITS, HUGE, 0);
}

static int
has(char **argv, const char *what)
{
	while (*++argv != NULL)
		if (strcmp(*argv, what) == 0)
			return 1;
	return 0;
}

int
main(int argc, char **argv)
{
	Elf64_Ehdr h = { .e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof h,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr) };
	int i;

	if (argc < 2 || (fp = fopen(argv[1], "wb")) == NULL)
		return 2;
	section(".text", SHT_PROGBITS, 4096, 0);
	for (i = 2; i < argc; i++)
		add(argv[i]);
	h.e_shstrndx = (Elf64_Half)sections;
	section(".shstrtab", SHT_STRTAB, has(argv, "strings") ? 2 * HUGE : 1024, 0);
	put((size_t)shdr[h.e_shstrndx].sh_offset, strings, stringslen);
	h.e_shnum = (Elf64_Half)sections;
	h.e_shoff = end;
	end += sizeof shdr;
	if (has(argv, "count")) {
		h.e_shnum = 0;
		shdr[0].sh_size = 1 << 20;
		end += (size_t)64 << 20;
	}
	memcpy(h.e_ident, ELFMAG "\2\1\1", 7);
	put(0, &h, sizeof h);
	put((size_t)h.e_shoff, shdr, sizeof shdr);
	put(end - 1, "", 1);
	return fclose(fp) == 0 ? 0 : 3;
}
