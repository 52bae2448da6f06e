/* SPDX-License-Identifier: ISC */
/*
 * elf.c - tests the ELF reader with small files that are made in memory: headers, notes, debug
 * links, symbols and PLT entries of several machines.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/mem.h"
#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"
#include "t/unit/calls.h"
#include "t/unit/check.h"

#define TEXT_AT 0x1000 /* the address of .text */
#define SECTIONS 12
#define SEGMENTS (ELF_LOADS_MAX + 1)

static struct check check;

struct section {
	const char *name;
	uint32_t type, link;
	uint64_t flags, addr, align, entsize;
	const void *data;
	size_t size;
};

/* What a file is like; the sections begin at index 1, and the names of sections follow them. */
struct image {
	uint16_t machine; /* 0: EM_X86_64 */
	struct section section[SECTIONS];
	struct {
		uint64_t vaddr, size, in_file;
		uint32_t flags;
	} segment[SEGMENTS];
	size_t segments;
	/* of the header: */
	bool no_sections, count_elsewhere, names_elsewhere;
	uint64_t count; /* of sections, in section 0 */
};

static void
append(struct buf *b, const void *p, size_t n)
{
	CHECK(&check, n == 0 || buf_put(b, p, n), "no memory");
}

static size_t
section_count(const struct image *m)
{
	size_t n = 0;

	while (n < SECTIONS && m->section[n].name != NULL)
		n++;
	return n;
}

/* Appends the contents of the sections, and fills their headers. */
static void
put_contents(struct buf *b, const struct image *m, Elf64_Shdr *header, size_t n)
{
	struct buf names = { 0 };
	size_t i;

	append(&names, "", 1);
	for (i = 0; i < n; i++) {
		const struct section *s = &m->section[i];

		header[i + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)names.len,
			.sh_type = s->type,
			.sh_flags = s->flags,
			.sh_addr = s->addr,
			.sh_offset = b->len,
			.sh_size = s->size,
			.sh_link = s->link,
			.sh_addralign = s->align,
			.sh_entsize = s->entsize };
		append(&names, s->name, strlen(s->name) + 1);
		append(b, s->data, s->size);
	}
	header[n + 1] =
	    (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = b->len, .sh_size = names.len };
	append(b, names.p, names.len);
	buf_free(&names);
}

static void
make(const struct image *m, struct buf *b)
{
	Elf64_Shdr header[SECTIONS + 2] = { { 0 } };
	Elf64_Ehdr *h;
	size_t n = section_count(m), i;
	uint64_t at;

	*b = (struct buf){ 0 };
	append(b, &(Elf64_Ehdr){ .e_type = ET_DYN }, sizeof *h);
	for (i = 0; i < m->segments; i++)
		append(b,
		    &(Elf64_Phdr){ .p_type = PT_LOAD,
			.p_flags = m->segment[i].flags,
			.p_vaddr = m->segment[i].vaddr,
			.p_filesz = m->segment[i].in_file,
			.p_memsz = m->segment[i].size },
		    sizeof(Elf64_Phdr));
	put_contents(b, m, header, n);
	at = b->len;
	header[0].sh_size = m->count != 0 ? m->count : m->count_elsewhere ? n + 2 : 0;
	header[0].sh_link = m->names_elsewhere ? (uint32_t)n + 1 : 0;
	append(b, header, (n + 2) * sizeof *header);
	h = (Elf64_Ehdr *)(void *)b->p;
	memcpy(h->e_ident, ELFMAG, SELFMAG);
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = cur_host_big() ? ELFDATA2MSB : ELFDATA2LSB;
	h->e_ident[EI_VERSION] = EV_CURRENT;
	h->e_machine = m->machine != 0 ? m->machine : EM_X86_64;
	h->e_phoff = m->segments > 0 ? sizeof *h : 0;
	h->e_phnum = (uint16_t)m->segments;
	h->e_shoff = m->no_sections ? 0 : at;
	h->e_shnum = m->count_elsewhere || m->count != 0 ? 0 : (uint16_t)(n + 2);
	h->e_shstrndx = m->names_elsewhere ? SHN_XINDEX : (uint16_t)(n + 1);
}

/* Opens the file; if that fails, the message is in *e. */
static struct elf_file *
opened(const struct image *m, struct err *e)
{
	struct elf_file *f = NULL;
	struct buf b;

	make(m, &b);
	*e = (struct err){ .code = ERR_NONE };
	if (elf_memory_open(&b, &f, e) != 0)
		f = NULL;
	buf_free(&b);
	return f;
}

/* ---- headers */

static const unsigned char note[] = { 4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2,
	3 };

#define NOTE(bytes) \
	{ \
		".note.gnu.build-id", SHT_NOTE, 0, 0, 0, 4, 0, bytes, sizeof(bytes) \
	}

static void
test_headers(void)
{
	struct image m = { .section = { NOTE(note) } };
	unsigned char id[ELF_BUILD_ID_MAX];
	struct elf_file *f;
	struct err e;

	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_build_id(f, id) == 3 && id[2] == 3, "plain");
	elf_file_close(f);
	m.count_elsewhere = m.names_elsewhere = true;
	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_build_id(f, id) == 3, "large numbers");
	elf_file_close(f);
	m.count = (uint64_t)1 << 40;
	f = opened(&m, &e);
	CHECK(&check, f == NULL && strcmp(e.msg, "it claims to have 1099511627776 sections") == 0,
	    "%s", e.msg);
	m.count = UINT64_MAX;
	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_build_id(f, id) == 0, "not a number of sections");
	elf_file_close(f);
	m.count = 4;
	f = opened(&m, &e);
	CHECK(&check, f == NULL && strcmp(e.msg, "some of its section headers are missing") == 0,
	    "%s", e.msg);
	m.no_sections = true;
	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_build_id(f, id) == 0, "no sections");
	elf_file_close(f);
	elf_file_close(NULL);
}

static void
test_names(void)
{
	static const struct {
		uint32_t type;
		uint64_t offset, size; /* of the names; the first is relative to where they are */
		const char *name;
	} names[] = { { SHT_STRTAB, 0, sizeof "\0.note.gnu.build-id", ".note.gnu.build-id" },
		{ SHT_STRTAB, 1, sizeof ".note.gnu.build-id", "note.gnu.build-id" },
		{ SHT_STRTAB, 0, 6, ".note" }, { SHT_STRTAB, 0, 2, "." }, { SHT_STRTAB, 0, 1, "" },
		{ SHT_STRTAB, 0, 0, "" }, { SHT_NULL, 0, 20, "" }, { SHT_PROGBITS, 0, 20, "" },
		{ SHT_NOBITS, 0, 20, "" }, { SHT_STRTAB, (uint64_t)1 << 40, 20, "" },
		{ SHT_STRTAB, UINT64_MAX / 2, 20, "" }, { SHT_STRTAB, 0, (uint64_t)1 << 40, "" },
		{ SHT_STRTAB, 0, UINT64_MAX, "" } };
	struct image m = { .section = { NOTE(note) } };
	char name[ELF_SECTION_NAME_MAX];
	struct elf_section section;
	struct elf_file *f;
	Elf64_Shdr last;
	struct buf b;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		make(&m, &b);
		memcpy(&last, b.p + b.len - sizeof last, sizeof last);
		last.sh_type = names[i].type;
		last.sh_offset += names[i].offset;
		last.sh_size = names[i].size;
		memcpy(b.p + b.len - sizeof last, &last, sizeof last);
		CHECK(&check, elf_memory_open(&b, &f, &e) == 0, "names %zu: %s", i, e.msg);
		buf_free(&b);
		section = elf_section_at(f, 1);
		elf_section_name(f, &section, name);
		CHECK(&check, strcmp(name, names[i].name) == 0, "names %zu: %s", i, name);
		elf_file_close(f);
	}
}

static void
test_segments(void)
{
	struct image m = { .segment = { { 0x1000, 0x10, 0x20, PF_X }, { 0x3000, 0, 0, PF_X } },
		.segments = 2 };
	struct elf_range *r, code;
	struct elf_file *f;
	struct err e;
	size_t n;

	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_code(f, &code) && code.vaddr == 0x1000, "code");
	CHECK(&check, elf_file_segments(f, &r, &n, &e) == 0 && n == 1 && r[0].size == 0x20,
	    "the size in the file");
	mem_free(r);
	CHECK(&check, !elf_file_is_hollow(f), "hollow");
	mem_set_ceiling(mem_used());
	CHECK(&check, elf_file_segments(f, &r, &n, &e) == ERR_SYS, "memory");
	CHECK(&check, elf_file_crc(f, &(uint32_t){ 0 }, &e) == ERR_SYS, "memory");
	mem_set_ceiling(UINT64_MAX);
	elf_file_close(f);
	m.segment[0].vaddr = UINT64_MAX - 1; /* beyond the end of addresses */
	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_code(f, &code) && code.vaddr == 0x3000, "code");
	CHECK(&check, elf_file_is_hollow(f), "not hollow");
	elf_file_close(f);
	m.segments = 0;
	f = opened(&m, &e);
	CHECK(&check, f != NULL && elf_file_segments(f, &r, &n, &e) == ERR_DATA, "no segments");
	elf_file_close(f);
	while (m.segments < SEGMENTS)
		m.segment[m.segments++].size = 1;
	f = opened(&m, &e);
	CHECK(&check, f != NULL && f->loads == ELF_LOADS_MAX, "more segments than are kept");
	elf_file_close(f);
}

static void
test_notes(void)
{
	static const unsigned char other[] = { 5, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'X', 'Y', 'Z',
		'W', 0, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'X', 0,
		7, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 'G', 'N', 'U', 0, 8, 0, 0, 0, 4, 0,
		0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 5, 6 };
	static const unsigned char wide[] = { 4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
		5, 6 };
	static const unsigned char cut[] = { 4, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
		5, 6 };
	static const unsigned char name[] = { 99, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U',
		0 };
	static const struct {
		const char *what;
		struct section section;
		size_t want;
	} cases[] = {
		{ "after other notes", NOTE(other), 2 },
		{ "aligned to 8 bytes", { ".notes", SHT_NOTE, 0, 0, 0, 8, 0, wide, sizeof wide },
		    2 },
		{ "too short", NOTE(cut), 0 },
		{ "the name too long", NOTE(name), 0 },
		{ "not a section of notes",
		    { ".note", SHT_PROGBITS, 0, 0, 0, 4, 0, wide, sizeof wide }, 0 },
	};
	unsigned char id[ELF_BUILD_ID_MAX];
	struct image m = { 0 };
	struct elf_file *f;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m.section[0] = cases[i].section;
		f = opened(&m, &e);
		CHECK(&check, f != NULL && elf_file_build_id(f, id) == cases[i].want, "%s",
		    cases[i].what);
		elf_file_close(f);
	}
}

static void
test_links(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *want;
	} cases[] = {
		{ "a.debug\0\1\0\0\0", 12, "a.debug" },
		{ "a.debug\0\1\0\0", 11, NULL },
		{ "a.d\0", 4, NULL },
		{ "a.debug", 7, NULL },
		{ "ab\0", 3, NULL },
		{ "/a\0\0\1\0\0\0", 8, NULL },
		{ "\0\0\0\0\1\0\0\0", 8, NULL },
		{ "", 0, NULL },
	};
	struct image m = { 0 };
	struct elf_file *f;
	const char *name;
	struct err e;
	uint32_t crc;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m.section[0] = (struct section){ ".gnu_debuglink", SHT_PROGBITS, 0, 0, 0, 4, 0,
			cases[i].bytes, cases[i].n };
		f = opened(&m, &e);
		name = elf_file_debuglink(f, &crc);
		CHECK(&check, (name == NULL) == (cases[i].want == NULL), "%zu", i);
		CHECK(&check, name == NULL || (strcmp(name, cases[i].want) == 0 && crc == 1), "%s",
		    name);
		elf_file_close(f);
	}
}

/* ---- symbols */

/* Returns the name of the symbol at an offset of the file, or "-". */
static const char *
named(const struct symtab *t, uint64_t at)
{
	const struct symbol *s = symtab_find(t, at);

	return s != NULL ? s->name : "-";
}

/* Checks that the first and the last of LEN bytes at an offset have that name. */
static void
check_range(const struct symtab *t, uint64_t at, uint64_t len, const char *want)
{
	CHECK(&check, strcmp(named(t, at), want) == 0, "the first byte of %s: %s", want,
	    named(t, at));
	CHECK(&check, strcmp(named(t, at + len - 1), want) == 0, "the last byte of %s: %s", want,
	    named(t, at + len - 1));
}

#define FUNC(name, value) \
	{ \
		name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, value, 4 \
	}
#define LABEL(name, value) \
	{ \
		name, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, 1, value, 4 \
	}

/* The first section is the code, 64 bytes, the second one the names, and the third the symbols. */
static struct image
with_symbols(uint16_t machine, const char *names, size_t n, const Elf64_Sym *sym, size_t syms)
{
	static const char code[64] = { 1 };
	struct image m = { .machine = machine };

	m.section[0] = (struct section){ ".text", SHT_PROGBITS, 0, SHF_ALLOC | SHF_EXECINSTR,
		TEXT_AT, 16, 0, code, sizeof code };
	m.section[1] = (struct section){ ".strtab", SHT_STRTAB, 0, 0, 0, 1, 0, names, n };
	m.section[2] = (struct section){ ".symtab", SHT_SYMTAB, 2, 0, 0, 8, sizeof *sym, sym,
		syms * sizeof *sym };
	return m;
}

/* Reads the symbols; on failure the table is empty, and the message is in *e. */
static struct symtab *
symbols_of(const struct image *m, struct err *e)
{
	struct elf_file *f = opened(m, e);
	struct symtab *t = symtab_new();

	if (f == NULL || elf_symbols(f, f, t, e) != 0) {
		symtab_free(t);
		t = symtab_new();
		CHECK(&check, symtab_finish(t, SYMTAB_OBJECT, &(struct err){ 0 }) == 0, "empty");
	}
	elf_file_close(f);
	return t;
}

/* The offset of .text in the file. */
#define AT (sizeof(Elf64_Ehdr))

static void
test_marks(void)
{
	static const char names[] = "\0f\0$a\0$d.1\0$x\0$\0$abc\0$q";
	static const Elf64_Sym sym[] = { { 0 }, FUNC(1, TEXT_AT), LABEL(3, TEXT_AT + 4),
		LABEL(6, TEXT_AT + 8), LABEL(11, TEXT_AT + 12), LABEL(14, TEXT_AT + 16),
		LABEL(16, TEXT_AT + 20), LABEL(21, TEXT_AT + 24) };
	static const struct {
		uint16_t machine;
		const char *want[7];
	} cases[] = {
		{ EM_X86_64, { "f", "$a", "$d.1", "$x", "$", "$abc", "$q" } },
		{ EM_ARM, { "f", "-", "-", "-", "$", "$abc", "$q" } },
		{ EM_AARCH64, { "f", "-", "-", "-", "$", "$abc", "$q" } },
		{ EM_RISCV, { "f", "-", "-", "-", "$", "$abc", "$q" } },
	};
	struct symtab *t;
	struct image m;
	struct err e;
	size_t i, k;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m = with_symbols(cases[i].machine, names, sizeof names, sym, 8);
		t = symbols_of(&m, &e);
		for (k = 0; k < 7; k++)
			CHECK(&check, strcmp(named(t, AT + 4 * k), cases[i].want[k]) == 0,
			    "machine %u: %s, not %s", cases[i].machine, named(t, AT + 4 * k),
			    cases[i].want[k]);
		symtab_free(t);
	}
}

/* A symbol without a size: up to the next one, and no further than its section. */
static void
test_open_ends(void)
{
	static const char names[] = "\0f\0g\0end\0before\0sized";
	Elf64_Sym sym[] = { { 0 }, FUNC(1, TEXT_AT + 16), FUNC(3, TEXT_AT + 32),
		FUNC(5, TEXT_AT + 64), FUNC(9, TEXT_AT - 4), FUNC(16, TEXT_AT + 40) };
	struct image m = with_symbols(EM_X86_64, names, sizeof names, sym, 6);
	struct symtab *t;
	struct err e;
	size_t i;

	for (i = 1; i < 5; i++)
		sym[i].st_size = 0;
	sym[5].st_size = 100; /* what has a size is taken at its word */
	t = symbols_of(&m, &e);
	check_range(t, AT + 16, 16, "f");
	check_range(t, AT + 32, 8, "g");
	check_range(t, AT + 40, 100, "sized");
	CHECK(&check, strcmp(named(t, AT + 140), "-") == 0, "%s", named(t, AT + 140));
	CHECK(&check, strcmp(named(t, AT - 4), "-") == 0, "%s", named(t, AT - 4));
	CHECK(&check, symtab_count(t) == 3, "%zu symbols", symtab_count(t));
	symtab_free(t);
	m.section[2].size -= sizeof *sym;
	t = symbols_of(&m, &e);
	check_range(t, AT + 32, 32, "g");
	CHECK(&check, strcmp(named(t, AT + 64), "-") == 0, "%s", named(t, AT + 64));
	symtab_free(t);
	/* a section that is only in memory has no offsets */
	m.section[0].type = SHT_NOBITS;
	t = symbols_of(&m, &e);
	CHECK(&check, symtab_count(t) == 0, "%zu symbols", symtab_count(t));
	symtab_free(t);
}

/* ARM: the lowest bit of a function's address says which instructions it has. */
static void
test_thumb(void)
{
	static const char names[] = "\0f\0v";
	static const Elf64_Sym sym[] = { { 0 }, FUNC(1, TEXT_AT + 1),
		{ 3, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 1, TEXT_AT + 9, 4 } };
	struct image m = with_symbols(EM_ARM, names, sizeof names, sym, 3);
	struct symtab *t;
	struct err e;

	t = symbols_of(&m, &e);
	CHECK(&check, strcmp(named(t, AT), "f") == 0, "%s", named(t, AT));
	CHECK(&check, strcmp(named(t, AT + 8), "-") == 0 && strcmp(named(t, AT + 9), "v") == 0,
	    "%s", named(t, AT + 8));
	symtab_free(t);
}

/* 64-bit PowerPC: symbols are descriptors in .opd, with the address of the code. */
static void
test_descriptors(void)
{
	static const char names[] = "\0f\0g\0h";
	static const uint64_t opd[3] = { TEXT_AT + 8, 0, 0 };
	static const Elf64_Sym sym[] = { { 0 },
		{ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 4, 0x2000, 4 },
		{ 3, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 4, 0x2000 + sizeof opd - 4, 4 },
		{ 5, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 4, 0x3000, 4 } };
	struct image m = with_symbols(EM_PPC64, names, sizeof names, sym, 4);
	struct symtab *t;
	struct err e;

	m.section[3] =
	    (struct section){ ".opd", SHT_PROGBITS, 0, SHF_ALLOC, 0x2000, 8, 0, opd, sizeof opd };
	m.segment[0].vaddr = TEXT_AT; /* offset 0 of the file */
	m.segment[0].size = m.segment[0].in_file = 64;
	m.segment[0].flags = PF_X;
	m.segments = 1;
	t = symbols_of(&m, &e);
	CHECK(&check, strcmp(named(t, 8), "f") == 0, "%s", named(t, 8));
	CHECK(&check, symtab_count(t) == 1, "%zu symbols", symtab_count(t));
	symtab_free(t);
}

/* What is not where the file says it is. */
static void
test_nowhere(void)
{
	static const char names[] = "\0f";
	static const Elf64_Sym sym[] = { { 0 }, FUNC(1, TEXT_AT) };
	struct image m = with_symbols(EM_X86_64, names, sizeof names, sym, 2), other = { 0 };
	struct elf_file *syms, *runtime;
	struct symtab *t;
	unsigned char byte = 7;
	struct err e;

	/* an address before a segment that claims all others */
	m.segment[0].vaddr = 0x2000;
	m.segment[0].size = m.segment[0].in_file = UINT64_MAX;
	m.segments = 1;
	t = symbols_of(&m, &e);
	CHECK(&check, symtab_count(t) == 0, "%zu symbols", symtab_count(t));
	symtab_free(t);
	m.segments = 0;
	/* code that neither the debug file nor the executed one has */
	m.section[0].type = SHT_NOBITS;
	syms = opened(&m, &e);
	runtime = opened(&other, &e);
	runtime->sections = 1;
	t = symtab_new();
	CHECK(&check, elf_symbols(syms, runtime, t, &e) == ERR_DATA, "%zu symbols",
	    symtab_count(t));
	symtab_free(t);
	/* names without bytes */
	m.section[0].type = SHT_PROGBITS;
	m.section[1].size = 0;
	t = symbols_of(&m, &e);
	CHECK(&check, symtab_count(t) == 0, "%zu symbols", symtab_count(t));
	symtab_free(t);
	CHECK(&check, elf_read(syms, syms->size, &byte, 1) && byte == 0, "beyond the end");
	CHECK(&check, !elf_is_table(syms, &syms->known[ELF_PLT], 8), "a table that is not there");
	elf_file_close(syms);
	elf_file_close(runtime);
}

#define PLT_AT 0x4000 /* the address of the PLT */
#define SLOT 0x8000 /* of puts, in the GOT */

/* A PLT at the end of all numbers. */
static void
test_no_plt(void)
{
	static const char names[] = "\0f";
	static const Elf64_Sym sym[] = { { 0 }, FUNC(1, TEXT_AT) };
	struct image m = with_symbols(EM_X86_64, names, sizeof names, sym, 2);
	struct elf_file *syms;
	struct symtab *t;
	struct err e;

	syms = opened(&m, &e);
	syms->known[ELF_PLT] = (struct elf_section){ .there = true,
		.type = SHT_PROGBITS,
		.offset = UINT64_MAX - 1,
		.size = 64,
		.align = 16 };
	syms->known[ELF_DYNSYM] = syms->known[ELF_SYMTAB];
	syms->known[ELF_RELA_PLT] = (struct elf_section){ .there = true,
		.type = SHT_RELA,
		.entsize = sizeof(Elf64_Rela),
		.link = (uint32_t)syms->known[ELF_SYMTAB].index };
	t = symtab_new();
	CHECK(&check, elf_symbols(syms, syms, t, &e) == 0 && symtab_count(t) == 1, "%zu symbols",
	    symtab_count(t));
	symtab_free(t);
	elf_file_close(syms);
}

/* Adds a PLT with relocations for two slots, of which the second has no name. */
static struct image
with_plt(uint16_t machine, const char *names, size_t n, const Elf64_Sym *sym, const char *plt,
    size_t size)
{
	static const Elf64_Rela rela[] = { { SLOT + 8, ELF64_R_INFO(9, 7), 0 },
		{ SLOT, ELF64_R_INFO(1, 7), 0 } };
	struct image m = with_symbols(machine, names, n, sym, 3);

	m.section[2].name = ".dynsym";
	m.section[2].type = SHT_DYNSYM;
	m.section[3] =
	    (struct section){ ".rela.plt", SHT_RELA, 3, 0, 0, 8, sizeof *rela, rela, sizeof rela };
	m.section[4] =
	    (struct section){ ".plt", SHT_PROGBITS, 0, SHF_ALLOC, PLT_AT, 16, 0, plt, size };
	return m;
}

/* The offset of the PLT in the file. */
static uint64_t
plt_offset(const struct image *m)
{
	return AT + m->section[0].size + m->section[1].size + m->section[2].size +
	    m->section[3].size;
}

/* The entries of a PLT: their header and size, by machine. */
static void
test_plt(void)
{
	static const char names[] = "\0puts\0main";
	static const Elf64_Sym sym[] = { { 0 },
		{ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0 }, FUNC(6, TEXT_AT) };
	static const char plt[256] = { 1 };
	static const struct {
		uint16_t machine;
		uint64_t entsize, size, first; /* first: of the first entry; 0: none */
		uint64_t entry;
	} cases[] = {
		{ EM_SPARC, 0, 72, 48, 12 },
		{ EM_SPARCV9, 0, 192, 128, 32 },
		{ EM_S390, 32, 96, 32, 32 },
		{ EM_S390, 0, 96, 0, 0 },
		{ EM_SPARCV9, 0, 100, 0, 0 },
		{ EM_X86_64, 16, 96, 0, 0 },
	};
	struct symtab *t;
	struct image m;
	uint64_t at;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m = with_plt(cases[i].machine, names, sizeof names, sym, plt, cases[i].size);
		m.section[4].entsize = cases[i].entsize;
		at = plt_offset(&m);
		t = symbols_of(&m, &e);
		CHECK(&check, strcmp(named(t, AT), "main") == 0, "%zu: %s", i, e.msg);
		if (cases[i].first != 0) {
			check_range(t, at, cases[i].first, ".plt");
			at += cases[i].first;
			check_range(t, at, cases[i].entry, "@plt");
			at += cases[i].entry;
			check_range(t, at, cases[i].entry, "puts@plt");
			at += cases[i].entry;
			CHECK(&check, strcmp(named(t, at), "-") == 0, "%zu: after it", i);
		}
		CHECK(&check, symtab_count(t) == (cases[i].first != 0 ? 4 : 1), "%zu: %zu symbols",
		    i, symtab_count(t));
		symtab_free(t);
	}
}

#define BYTES(s) s, sizeof s - 1

/*
 * Entries whose instructions are read.  Each case is one entry for the slot of puts, at PLT_AT +
 * 16, after a header that is none; the bytes after it do not belong to it.
 */
static void
test_stubs(void)
{
	static const char names[] = "\0puts\0main";
	static const Elf64_Sym sym[] = { { 0 },
		{ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0 }, FUNC(6, TEXT_AT) };
	static const struct {
		const char *what;
		uint16_t machine;
		uint64_t align;
		const char *code;
		size_t n, entry; /* entry: its size, 0 if there is none */
	} cases[] = {
		{ "jmp *SLOT(%rip)", EM_X86_64, 16, BYTES("\xff\x25\xea\x3f\0\0"), 16 },
		{ "of 8 bytes", EM_X86_64, 8, BYTES("\xff\x25\xea\x3f\0\0\x66\x90\xff"), 8 },
		{ "bnd jmp", EM_X86_64, 16, BYTES("\xf2\xff\x25\xe9\x3f\0\0"), 16 },
		{ "endbr64", EM_X86_64, 16, BYTES("\xf3\x0f\x1e\xfa\xff\x25\xe6\x3f\0\0"), 16 },
		{ "endbr64; bnd jmp", EM_X86_64, 16,
		    BYTES("\xf3\x0f\x1e\xfa\xf2\xff\x25\xe5\x3f\0\0"), 16 },
		{ "endbr64; push", EM_X86_64, 16, BYTES("\xf3\x0f\x1e\xfa\x68\1\0\0\0\xe9"), 16 },
		{ "push of no relocation", EM_X86_64, 16, BYTES("\x68\2\0\0\0\xe9"), 0 },
		{ "another slot", EM_X86_64, 16, BYTES("\xff\x25\xeb\x3f\0\0"), 0 },
		{ "a slot relative to %ebx", EM_X86_64, 16, BYTES("\xff\xa3\xea\x3f\0\0"), 0 },
		{ "jmp *SLOT", EM_386, 16, BYTES("\xff\x25\0\x80\0\0"), 16 },
		{ "jmp *SLOT(%ebx)", EM_386, 16, BYTES("\xff\xa3\xfc\xff\xff\xff"), 16 },
		{ "endbr32; jmp *SLOT(%ebx)", EM_386, 16,
		    BYTES("\xf3\x0f\x1e\xfb\xff\xa3\xfc\xff\xff\xff"), 16 },
		{ "endbr32; push", EM_386, 16, BYTES("\xf3\x0f\x1e\xfb\x68\x18\0\0\0"), 16 },
		{ "adrp; ldr; add; br", EM_AARCH64, 16,
		    BYTES("\x30\0\0\x90\x11\x02\x40\xf9\x10\x02\0\x91\x20\x02\x1f\xd6\xfd\x7b"),
		    16 },
		{ "bti; adrp; ldr; add; br; nop", EM_AARCH64, 16,
		    BYTES("\x5f\x24\x03\xd5\x30\0\0\x90\x11\x02\x40\xf9\x10\x02\0\x91"
			  "\x20\x02\x1f\xd6\x1f\x20\x03\xd5\x1f\x20\x03\xd5"),
		    24 },
		{ "adrp; ldr; add; autia; br; nop", EM_AARCH64, 16,
		    BYTES("\x30\0\0\x90\x11\x02\x40\xf9\x10\x02\0\x91\x9f\x21\x03\xd5"
			  "\x20\x02\x1f\xd6\x1f\x20\x03\xd5\x1f\x20\x03\xd5"),
		    24 },
		{ "adrp backwards", EM_AARCH64, 16,
		    BYTES("\xf0\xff\xff\xf0\x11\x02\x40\xf9\x10\x02\0\x91\x20\x02\x1f\xd6"), 0 },
		{ "another register", EM_AARCH64, 16,
		    BYTES("\x31\0\0\x90\x11\x02\x40\xf9\x10\x02\0\x91\x20\x02\x1f\xd6"), 0 },
		{ "add ip, pc; add; ldr pc", EM_ARM, 4,
		    BYTES("\0\xc6\x8f\xe2\x03\xca\x8c\xe2\xe8\xff\xbc\xe5\xd4\xd4\xd4\xd4"), 12 },
		{ "add ip, pc; add; add; ldr pc", EM_ARM, 4,
		    BYTES("\0\xc2\x8f\xe2\0\xc6\x8c\xe2\x03\xca\x8c\xe2\xe8\xff\xbc\xe5\xd4"), 16 },
		{ "bx pc; nop; add ip, pc; add; ldr pc", EM_ARM, 4,
		    BYTES("\x78\x47\xc0\x46\0\xc6\x8f\xe2\x03\xca\x8c\xe2\xe4\xff\xbc\xe5"), 16 },
		{ "ldr ip; add ip, ip, pc; ldr pc; .word", EM_ARM, 4,
		    BYTES("\x04\xc0\x9f\xe5\x0f\xc0\x8c\xe0\0\xf0\x9c\xe5\xe4\x3f\0\0\xd4"), 16 },
		{ "without a load of the pc", EM_ARM, 4,
		    BYTES("\0\xc6\x8f\xe2\x03\xca\x8c\xe2\xe8\xef\xbc\xe5\xd4\xd4\xd4\xd4"), 0 },
	};
	char plt[64];
	struct symtab *t;
	struct image m;
	uint64_t at;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		memset(plt, 0, sizeof plt);
		memcpy(plt + 16, cases[i].code, cases[i].n);
		m = with_plt(cases[i].machine, names, sizeof names, sym, plt, sizeof plt);
		m.section[4].align = cases[i].align;
		m.section[5] = (struct section){ ".got.plt", SHT_PROGBITS, 0, SHF_ALLOC, SLOT + 4,
			4, 0, "", 1 };
		at = plt_offset(&m) + 16;
		t = symbols_of(&m, &e);
		CHECK(&check, symtab_count(t) == (cases[i].entry != 0 ? 3 : 1), "%s: %zu symbols",
		    cases[i].what, symtab_count(t));
		if (cases[i].entry != 0) {
			check_range(t, at, cases[i].entry, "puts@plt");
			check_range(t, at - 16, 16, ".plt");
			CHECK(&check, strcmp(named(t, at + cases[i].entry), "-") == 0, "after %s",
			    cases[i].what);
		}
		symtab_free(t);
	}
}

/* A second PLT, and a name that is too long with its suffix. */
static void
test_second_plt(void)
{
	static char names[1100] = "";
	static const Elf64_Sym sym[] = { { 0 },
		{ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0 },
		FUNC(1090, TEXT_AT) };
	static const char plt[48] = { [16] = '\xff', '\x25', '\xea', '\x3f' };
	static const char second[16] = { '\xff', '\x25', '\xfa', '\x2f' };
	const uint16_t machines[] = { EM_X86_64, EM_S390 };
	struct symtab *t;
	struct image m;
	uint64_t at;
	struct err e;
	size_t i;

	memset(names + 1, 'n', 1050);
	strcpy(names + 1090, "main");
	for (i = 0; i < 2; i++) {
		m = with_plt(machines[i], names, sizeof names, sym, plt, sizeof plt);
		m.section[4].entsize = 16;
		m.section[5] = (struct section){ ".plt.sec", SHT_PROGBITS, 0, SHF_ALLOC,
			PLT_AT + 0x1000, 16, 16, second, sizeof second };
		at = plt_offset(&m) + (i == 0 ? 16 : 32);
		t = symbols_of(&m, &e);
		CHECK(&check, strlen(named(t, at)) == 1023, "%s", named(t, at));
		CHECK(&check, strcmp(named(t, at) + 1019, "@plt") == 0, "%s", named(t, at));
		at = plt_offset(&m) + sizeof plt;
		CHECK(&check, (strlen(named(t, at)) == 1023) == (i == 0), "%s", named(t, at));
		symtab_free(t);
	}
}

/* ---- compressed sections */

#define PLAIN_SIZE 5000

static unsigned char plain[PLAIN_SIZE];

/* Puts a section in the file that is compressed; SIZE is what its header claims. */
static struct image
with_packed(struct buf *b, const char *name, uint32_t type, uint64_t size)
{
	static unsigned char packed[2 * PLAIN_SIZE];
	struct image m = { 0 };
	unsigned long n = sizeof packed;
	unsigned char gnu[12] = "ZLIB";
	unsigned i;

	b->len = 0;
	if (type == ELFCOMPRESS_ZLIB)
		CHECK(&check, compress(packed, &n, plain, sizeof plain) == Z_OK, "zlib");
	else
		n = ZSTD_compress(packed, sizeof packed, plain, sizeof plain, 1);
	for (i = 0; i < 8; i++)
		gnu[4 + i] = (unsigned char)(size >> (56 - 8 * i));
	if (name[1] == 'z')
		append(b, gnu, sizeof gnu);
	else
		append(b, &(Elf64_Chdr){ .ch_type = type, .ch_size = size }, sizeof(Elf64_Chdr));
	append(b, packed, n);
	m.section[0] = (struct section){ name, SHT_PROGBITS, 0, name[1] == 'z' ? 0 : SHF_COMPRESSED,
		0, 1, 0, b->p, b->len };
	return m;
}

/* Unpacks the first section of the file, as changed by the arguments. */
static int
unpack(const struct image *m, size_t max, uint64_t more_offset, uint64_t more_size, struct err *e)
{
	struct elf_file *f = opened(m, e);
	struct elf_section s = elf_section_at(f, 1);
	char name[ELF_SECTION_NAME_MAX];
	struct buf to = { 0 };
	int rc;

	elf_section_name(f, &s, name);
	s.offset += more_offset;
	s.size += more_size;
	rc = elf_section_unpack(f, &s, max, &to, e);
	CHECK(&check, rc != 0 || (to.len == sizeof plain && memcmp(to.p, plain, to.len) == 0),
	    "other contents");
	buf_free(&to);
	elf_file_close(f);
	return rc;
}

static void
test_packed(void)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t size; /* 0: as it is */
		size_t max; /* 0: SIZE_MAX */
		uint64_t more_offset, more_size;
		int want;
	} cases[] = {
		{ ".debug_info", ELFCOMPRESS_ZLIB, 0, 0, 0, 0, 0 },
		{ ".debug_info", 2, 0, 0, 0, 0, 0 },
		{ ".zdebug_info", ELFCOMPRESS_ZLIB, 0, 0, 0, 0, 0 },
		{ ".debug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE - 1, 0, 0, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE + 1, 0, 0, 0, ERR_DATA },
		{ ".debug_info", 2, PLAIN_SIZE - 1, 0, 0, 0, ERR_DATA },
		{ ".debug_info", 2, PLAIN_SIZE + 1, 0, 0, 0, ERR_DATA },
		{ ".debug_info", 9, 0, 0, 0, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, 0, PLAIN_SIZE - 1, 0, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, 1, 20, 0, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, UINT64_C(1) << 33, 0, 0, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, UINT32_MAX, 0, 0, 0, ERR_DATA },
		{ ".debug_info", 2, UINT32_MAX, 0, 0, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, 0, 0, 1 << 20, 0, ERR_DATA },
		{ ".debug_info", ELFCOMPRESS_ZLIB, 0, 0, 0, 1 << 20, ERR_DATA },
		{ ".zdebug_info", ELFCOMPRESS_ZLIB, 0, 0, 1, 0, ERR_DATA }, /* not "ZLIB" */
		{ ".zdebug_info", ELFCOMPRESS_ZLIB, 0, 0, 0, (uint64_t)-70, ERR_DATA },
	};
	struct buf b = { 0 };
	struct image m;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof plain; i++)
		plain[i] = (unsigned char)(i % 50 == 0 ? i / 50 : i % 50);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m = with_packed(&b, cases[i].name, cases[i].type,
		    cases[i].size != 0 ? cases[i].size : PLAIN_SIZE);
		CHECK(&check,
		    unpack(&m, cases[i].max != 0 ? cases[i].max : SIZE_MAX, cases[i].more_offset,
			cases[i].more_size, &e) == cases[i].want,
		    "%zu: %s", i, e.msg);
	}
	/* shorter than the headers */
	m = with_packed(&b, ".zdebug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE);
	m.section[0].size = 11;
	CHECK(&check, unpack(&m, SIZE_MAX, 0, 0, &e) == ERR_DATA, "%s", e.msg);
	m = with_packed(&b, ".debug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE);
	m.section[0].size = 23;
	CHECK(&check, unpack(&m, SIZE_MAX, 0, 0, &e) == ERR_DATA, "%s", e.msg);
	/* the old name and the new flag */
	m = with_packed(&b, ".debug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE);
	m.section[0].name = ".zdebug_info";
	CHECK(&check, unpack(&m, SIZE_MAX, 0, 0, &e) == 0, "%s", e.msg);
	buf_free(&b);
}

/* Puts the bytes into .gnu_debugdata. */
static struct image
with_mini(struct buf *packed, const void *p, size_t n)
{
	struct image m = { 0 };
	size_t size = 0;

	packed->len = 0;
	CHECK(&check, buf_room(packed, n + 1000), "no memory");
	CHECK(&check,
	    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, p, n, (uint8_t *)packed->p, &size,
		packed->cap) == LZMA_OK,
	    "xz");
	packed->len = size;
	m.section[0] = (struct section){ ".gnu_debugdata", SHT_PROGBITS, 0, 0, 0, 1, 0, packed->p,
		packed->len };
	return m;
}

/* Returns the status of opening the small file. */
static int
open_mini(struct elf_file *f, struct err *e)
{
	struct elf_file *mini;
	int rc = elf_mini_open(f, &mini, e);

	if (rc == 0)
		elf_file_close(mini);
	return rc;
}

static void
test_mini(void)
{
	const struct image inner = { .section = { NOTE(note) } };
	static char zeros[500000];
	struct buf b = { 0 }, packed = { 0 };
	struct elf_file *f;
	struct image m;
	struct err e;

	make(&inner, &b);
	m = with_mini(&packed, b.p, b.len);
	f = opened(&m, &e);
	CHECK(&check, elf_file_has_mini(f) && open_mini(f, &e) == 0, "%s", e.msg);
	f->known[ELF_DEBUGDATA].offset = f->size + 1;
	CHECK(&check, open_mini(f, &e) == ERR_DATA, "an offset beyond the file");
	f->known[ELF_DEBUGDATA].offset = 0;
	f->known[ELF_DEBUGDATA].size = f->size + 1;
	CHECK(&check, open_mini(f, &e) == ERR_DATA, "a size beyond the file");
	f->known[ELF_DEBUGDATA].size = UINT64_C(17) << 20;
	CHECK(&check, open_mini(f, &e) == ERR_DATA, "a large size");
	f->known[ELF_DEBUGDATA].there = false;
	CHECK(&check, open_mini(f, &e) == ERR_DATA, "none");
	elf_file_close(f);
	m.section[0].size -= 5;
	f = opened(&m, &e);
	CHECK(&check, open_mini(f, &e) == ERR_DATA, "cut");
	elf_file_close(f);
	m = with_mini(&packed, zeros, sizeof zeros);
	f = opened(&m, &e);
	CHECK(&check,
	    open_mini(f, &e) == ERR_DATA && strcmp(e.msg, ".gnu_debugdata is too large") == 0, "%s",
	    e.msg);
	elf_file_close(f);
	m = with_mini(&packed, "text", 4);
	f = opened(&m, &e);
	CHECK(&check, open_mini(f, &e) == ERR_DATA && strcmp(e.msg, "not an ELF file") == 0, "%s",
	    e.msg);
	elf_file_close(f);
	buf_free(&b);
	buf_free(&packed);
}

/* ---- memory that runs out */

/* Calls a function with more and more memory, until that is enough. */
static unsigned
with_little(int (*call)(const struct image *m, struct err *e), const struct image *m)
{
	uint64_t more;
	unsigned failed = 0;
	struct err e;
	int rc = ERR_SYS;

	for (more = 1; rc != 0 && more < (uint64_t)1 << 32; more += more / 8 + 1) {
		mem_set_ceiling(mem_used() + more);
		rc = call(m, &e);
		CHECK(&check, rc == 0 || rc == ERR_SYS, "%d: %s", rc, e.msg);
		failed += rc != 0;
	}
	mem_set_ceiling(UINT64_MAX);
	CHECK(&check, rc == 0, "never enough");
	return failed;
}

static int
call_unpack(const struct image *m, struct err *e)
{
	uint64_t little = mem_ceiling() - mem_used();
	struct elf_file *f;
	struct buf to = { 0 };
	struct elf_section s;
	int rc;

	mem_set_ceiling(UINT64_MAX);
	f = opened(m, e);
	s = elf_section_at(f, 1);
	mem_set_ceiling(mem_used() + little);
	rc = elf_section_unpack(f, &s, SIZE_MAX, &to, e);
	mem_set_ceiling(UINT64_MAX);
	buf_free(&to);
	elf_file_close(f);
	return rc;
}

static int
call_mini(const struct image *m, struct err *e)
{
	uint64_t little = mem_ceiling() - mem_used();
	struct elf_file *f;
	int rc;

	mem_set_ceiling(UINT64_MAX);
	f = opened(m, e);
	mem_set_ceiling(mem_used() + little);
	rc = open_mini(f, e);
	mem_set_ceiling(UINT64_MAX);
	elf_file_close(f);
	return rc;
}

static int
call_unwind(const struct image *m, struct err *e)
{
	uint64_t little = mem_ceiling() - mem_used();
	unsigned wanted = ELF_UNWIND_ALL;
	struct elf_file *f;
	struct cfi *c;
	int rc;

	mem_set_ceiling(UINT64_MAX);
	f = opened(m, e);
	c = cfi_new();
	mem_set_ceiling(mem_used() + little);
	rc = elf_unwind_info(f, c, &wanted, e);
	mem_set_ceiling(UINT64_MAX);
	CHECK(&check, rc != 0 || (wanted & ELF_UNWIND_SEGMENTS) == 0, "no segments");
	cfi_free(c);
	elf_file_close(f);
	return rc;
}

static void
test_memory(void)
{
	const struct image inner = { .section = { NOTE(note) } };
	static const char frames[] = "\10\0\0\0\0\0\0\0\0\0\0\0";
	struct image m = { .segment = { { 0x1000, 0x10, 0x20, PF_X } }, .segments = 1 };
	struct buf b = { 0 }, packed = { 0 };

	m.section[0] = (struct section){ ".eh_frame", SHT_PROGBITS, 0, SHF_ALLOC, 0x2000, 8, 0,
		frames, sizeof frames };
	CHECK(&check, with_little(call_unwind, &m) > 2, "unwind information");
	m = with_packed(&b, ".debug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE);
	CHECK(&check, with_little(call_unpack, &m) > 2, "a compressed section");
	buf_free(&b);
	make(&inner, &b);
	m = with_mini(&packed, b.p, b.len);
	CHECK(&check, with_little(call_mini, &m) > 2, "a small file");
	buf_free(&b);
	buf_free(&packed);
}

/* ---- files that change */

static void
write_file(const char *path, const struct buf *b)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(&check, fd >= 0 && write(fd, b->p, b->len) == (ssize_t)b->len && close(fd) == 0, "%s",
	    path);
}

static void
test_files(const char *dir)
{
	const struct image m = { .section = { NOTE(note) } };
	char path[1000], other[1000];
	unsigned char byte[2] = { 7, 7 };
	struct file_name name = { .path = path };
	struct elf_file *f;
	struct buf b;
	struct err e;
	uint64_t generation;

	snprintf(path, sizeof path, "%s/one", dir);
	snprintf(other, sizeof other, "%s/other", dir);
	make(&m, &b);
	write_file(path, &b);
	write_file(other, &b);
	CHECK(&check, elf_file_open(&name, &f, &e) == 0, "%s", e.msg);
	elf_file_rest(f);
	CHECK(&check, !elf_file_generation(f, &generation), "of a file that is closed");
	CHECK(&check, elf_read(f, 0, byte, 1) && byte[0] == 0x7f, "opened again");
	CHECK(&check, elf_read(f, b.len - 1, byte, 2) && byte[1] == 0, "beyond its end");
	CHECK(&check, elf_read(f, b.len + 9, byte, 2) && byte[0] == 0, "far beyond its end");
	CHECK(&check, truncate(path, 1) == 0 && elf_read(f, 1, byte, 1) && byte[0] == 0,
	    "it became shorter");
	elf_file_rest(f);
	CHECK(&check, rename(other, path) == 0 && !elf_read(f, 0, byte, 1), "another file");
	CHECK(&check, elf_file_check(f, &e) == ERR_SYS && elf_file_check(f, NULL) == ERR_SYS,
	    "another file");
	CHECK(&check, !elf_read(f, 0, byte, 1), "it stays so");
	elf_file_close(f);
	CHECK(&check, elf_file_open(&name, &f, &e) == 0, "%s", e.msg);
	elf_file_rest(f);
	CHECK(&check, unlink(path) == 0 && mkdir(path, 0700) == 0 && !elf_read(f, 0, byte, 1),
	    "a folder");
	elf_file_close(f);
	buf_free(&b);
}

/* Bytes around the ends of blocks: of an empty one, and of those with one place in the cache. */
static void
test_blocks(const char *dir)
{
	static const uint64_t block[] = { 1, 2, 3, 4, ELF_BLOCKS - 1, ELF_BLOCKS, ELF_BLOCKS + 1,
		ELF_BLOCKS + 2, 1, ELF_BLOCKS, 0 };
	static const size_t few[] = { 0, 1, 2, 100, ELF_BYTES_MAX - 1, ELF_BYTES_MAX };
	const struct image m = { .section = { NOTE(note) } };
	const size_t n = sizeof few / sizeof *few;
	char path[1000];
	struct file_name name = { .path = path };
	const unsigned char *got;
	unsigned char byte;
	struct elf_file *f;
	size_t i, before, size;
	uint64_t at;
	struct buf b;
	struct err e;

	snprintf(path, sizeof path, "%s/blocks", dir);
	make(&m, &b);
	CHECK(&check, b.len < ELF_BLOCK, "%zu", b.len);
	while (b.len < (ELF_BLOCKS + 1) * ELF_BLOCK + 100) {
		byte = b.len >> ELF_BLOCK_BITS == 2 ? 0 : (unsigned char)(b.len * 7 + b.len / 1000);
		append(&b, &byte, 1);
	}
	write_file(path, &b);
	CHECK(&check, elf_file_open(&name, &f, &e) == 0, "%s", e.msg);
	for (i = 0; i < sizeof block / sizeof *block * n * n; i++) {
		before = few[i / n % n];
		size = few[i % n];
		at = block[i / (n * n)] * ELF_BLOCK;
		at -= at > before ? before : 0;
		got = elf_bytes(f, at, size);
		if (at > b.len || size > b.len - at)
			CHECK(&check, got == NULL, "%zu at %zu", size, (size_t)at);
		else
			CHECK(&check, got != NULL && memcmp(got, b.p + at, size) == 0, "%zu at %zu",
			    size, (size_t)at);
	}
	CHECK(&check, elf_bytes(f, 1, ELF_BYTES_MAX + 1) == NULL, "more than it gives");
	CHECK(&check, elf_file_check(f, &e) == 0, "%s", e.msg);
	elf_file_close(f);
	CHECK(&check, unlink(path) == 0, "%s", path);
	buf_free(&b);
}

/* A file whose parts are in different blocks, so that each is read by itself. */
static void
write_parts(const char *path, bool counted)
{
	static unsigned char filler[300000];
	const struct image inner = { .section = { NOTE(note) } };
	struct buf small = { 0 }, packed = { 0 }, mini = { 0 }, b;
	struct image m = { .count_elsewhere = !counted };
	Elf64_Ehdr header;
	/* the head of the note ends with the first block */
	const size_t before = ELF_BLOCK - sizeof(Elf64_Ehdr) - 16;

	memset(filler, 3, sizeof filler);
	make(&inner, &small);
	m.section[0] = (struct section){ ".a", SHT_PROGBITS, 0, 0, 0, 1, 0, filler, before };
	m.section[1] = inner.section[0];
	m.section[2] = (struct section){ ".a", SHT_PROGBITS, 0, 0, 0, 1, 0, filler, ELF_BLOCK };
	m.section[4] = m.section[6] = m.section[8] = m.section[2];
	m.section[3] = with_packed(&packed, ".debug_info", ELFCOMPRESS_ZLIB, PLAIN_SIZE).section[0];
	m.section[5] = with_mini(&mini, small.p, small.len).section[0];
	m.section[7] = (struct section){ ".eh_frame", SHT_PROGBITS, 0, SHF_ALLOC, 0x2000, 8, 0,
		filler, sizeof filler };
	make(&m, &b);
	memcpy(&header, b.p, sizeof header);
	buf_free(&b);
	/* and so do the names of sections, before the headers */
	m.section[8].size += ELF_BLOCK - header.e_shoff % ELF_BLOCK;
	make(&m, &b);
	write_file(path, &b);
	buf_free(&b);
	buf_free(&small);
	buf_free(&packed);
	buf_free(&mini);
}

/* Checks the outcome of a function: success, or a read that failed. */
static void
check_read(int rc, bool right, const struct err *e, const char *what)
{
	CHECK(&check, rc == 0 ? right : rc == ERR_SYS && e->errnum == EIO, "%s: %d, %s", what, rc,
	    e->msg);
}

/* Reads each part of the file. */
static void
read_parts(struct elf_file *f)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	struct err e = { .code = ERR_NONE };
	struct elf_section s = elf_section_at(f, 4);
	char name[ELF_SECTION_NAME_MAX] = "";
	unsigned wanted = 1u << CFI_EH_FRAME;
	struct cfi *c = cfi_new();
	struct buf to = { 0 };
	uint32_t crc = 0;
	size_t len = elf_file_build_id(f, id);
	int rc;

	check_read(elf_file_check(f, &e), len == 3 && id[2] == 3, &e, "build id");
	elf_section_name(f, &s, name);
	check_read(elf_file_check(f, &e), strcmp(name, ".debug_info") == 0, &e, "name");
	rc = elf_section_unpack(f, &s, SIZE_MAX, &to, &e);
	check_read(rc, to.len == PLAIN_SIZE && memcmp(to.p, plain, to.len) == 0, &e, "section");
	buf_free(&to);
	check_read(open_mini(f, &e), true, &e, "small file");
	rc = elf_unwind_info(f, c, &wanted, &e);
	check_read(rc, wanted == 0, &e, "unwind information");
	cfi_free(c);
	rc = elf_file_crc(f, &crc, &e);
	check_read(rc, crc != 0, &e, "CRC");
}

/* Each read fails in turn. */
static void
test_reads(const char *dir)
{
	char path[1000];
	struct file_name name = { .path = path };
	unsigned pass, counted;
	struct elf_file *f;
	struct err e;
	bool failed;
	int rc;

	snprintf(path, sizeof path, "%s/parts", dir);
	for (counted = 0; counted < 2; counted++) {
		write_parts(path, counted != 0);
		for (pass = 0, failed = true; failed; pass++) {
			calls_fail(CALL_PREAD, pass, 1, EIO);
			rc = elf_file_open(&name, &f, &e);
			check_read(rc, true, &e, "open");
			if (rc == 0) {
				read_parts(f);
				elf_file_close(f);
			}
			failed = calls_reset(CALL_PREAD);
		}
		CHECK(&check, pass > 8, "%u reads", pass);
	}
	/* a file whose CRC would take too long */
	CHECK(&check,
	    truncate(path, ((off_t)1 << 32) + 1) == 0 && elf_file_open(&name, &f, &e) == 0 &&
		elf_file_crc(f, &counted, &e) == ERR_DATA,
	    "%s", e.msg);
	elf_file_close(f);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	test_headers();
	test_names();
	test_segments();
	test_notes();
	test_links();
	test_marks();
	test_open_ends();
	test_thumb();
	test_descriptors();
	test_nowhere();
	test_no_plt();
	test_plt();
	test_stubs();
	test_second_plt();
	test_packed();
	test_mini();
	test_memory();
	test_files(argv[1]);
	test_blocks(argv[1]);
	test_reads(argv[1]);
	return check_end(&check);
}
