/* SPDX-License-Identifier: ISC */
/*
 * elfplt.c - the entries of the PLT of an ELF file, by which code calls functions of other objects.
 *
 * An entry jumps to the address in a slot of the GOT, and the relocation of this slot has the name.
 * The order of relocations is not always that of the entries (GNU ld writes those of ifuncs last),
 * and the size of an entry depends on the linker and its options.  On x86, AArch64 and ARM the
 * instructions are therefore read.  On other machines the order counts, as in perf.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/cur.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"

#define SUFFIX "@plt"
#define NAME_LEN_MAX 1023 /* including the suffix; longer names are truncated, as in perf */

#define STUB_MAX 32 /* bytes of an entry that are read */

#define HEADER ".plt" /* the name of the code before the first entry, as in perf since 6.3 */
#define HEADER_MAX 128 /* bytes; that of SPARC V9 */

/* An entry, as its instructions tell. */
struct stub {
	uint64_t slot; /* linked address */
	size_t size;
};

/* The relocation of a slot. */
struct slot {
	uint64_t address;
	uint32_t symbol;
};

struct plt {
	struct elf_file *file;
	struct elf_names names; /* the names of .dynsym */
	const struct elf_section *rel;
	struct symtab *out;

	/* If the instructions are read: */
	struct slot *slot; /* sorted by address */
	size_t slots, cap;
	uint64_t got; /* of i386: the address that is in %ebx */

	/* Otherwise: the offset of the first entry, and of the end, into the file. */
	uint64_t at, end;
	uint64_t entry; /* its size */
};

static bool
is_x86(const struct elf_file *f)
{
	return f->machine == EM_386 || f->machine == EM_X86_64;
}

/* Returns the symbol that a relocation refers to. */
static uint32_t
relocated_symbol(const struct elf_file *f, const unsigned char *rel)
{
	bool swap = f->big != cur_host_big();

	return f->wide ? (uint32_t)ELF64_R_SYM(cur_word64(rel + 8, swap))
		       : ELF32_R_SYM(cur_word32(rel + 4, swap));
}

/* Returns the address that a relocation changes. */
static uint64_t
relocated_slot(const struct elf_file *f, const unsigned char *rel)
{
	bool swap = f->big != cur_host_big();

	return f->wide ? cur_word64(rel, swap) : cur_word32(rel, swap);
}

/* Returns the symbol's name, or NULL with length 0 if it has none. */
static const char *
symbol_name(struct plt *p, uint32_t symbol, size_t *len)
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

/* Adds an entry at an offset of the file.  Of an ifunc it has no name but its suffix. */
static int
add_entry(struct plt *p, uint64_t at, uint64_t size, uint32_t symbol, struct err *e)
{
	char name[NAME_LEN_MAX + 1];
	size_t len;
	const char *plain = symbol_name(p, symbol, &len);

	if (len > NAME_LEN_MAX - strlen(SUFFIX))
		len = NAME_LEN_MAX - strlen(SUFFIX);
	if (len > 0)
		memcpy(name, plain, len);
	memcpy(name + len, SUFFIX, sizeof SUFFIX);
	return symtab_add(p->out, at, size, SYM_GLOBAL, name, len + strlen(SUFFIX), e);
}

/* Returns the N-th number of 32 bits of code, which is little-endian on these machines. */
static uint32_t
word_of(const unsigned char *p, size_t n)
{
	return cur_word32(p + 4 * n, cur_host_big());
}

/* Returns the size of an entry on x86, which lld omits. */
static uint64_t
x86_size(const struct elf_section *plt)
{
	if (plt->entsize != 8 && plt->entsize != 16)
		return plt->align == 8 ? 8 : 16;
	return plt->entsize;
}

/* ---- entries by their instructions; p has STUB_MAX bytes, and AT is their linked address */

/* Finds the slot of a relocation by its number. */
static bool
slot_of(const struct plt *t, uint64_t number, uint64_t *slot)
{
	size_t size = (size_t)t->rel->entsize;
	const unsigned char *rel = number < t->rel->size / size
	    ? elf_bytes(t->file, t->rel->offset + number * size, size)
	    : NULL;

	if (rel != NULL)
		*slot = relocated_slot(t->file, rel);
	return rel != NULL;
}

/* Returns the number of a relocation from the operand of "push". */
static uint64_t
pushed(const struct plt *t, uint32_t operand)
{
	return t->file->machine == EM_X86_64 ? operand : operand / t->rel->entsize;
}

/*
 * Reads "jmp *SLOT", after endbr and with a bnd prefix or not.  With endbr the lazy half of an
 * entry has "push" instead, of the number (i386: the offset) of its relocation.
 */
static bool
x86_stub(const struct plt *t, const unsigned char *p, uint64_t at, uint64_t *slot)
{
	bool wide = t->file->machine == EM_X86_64;
	size_t i = (word_of(p, 0) & 0xfeffffff) == 0xfa1e0ff3 ? 4 : 0;
	uint32_t n;

	i += p[i] == 0xf2 ? 1 : 0;
	n = cur_word32(p + i + 2, cur_host_big());
	if (p[i] == 0xff && p[i + 1] == 0x25)
		*slot = wide ? at + i + 6 + (uint64_t)(int32_t)n : n;
	else if (!wide && p[i] == 0xff && p[i + 1] == 0xa3)
		*slot = (uint32_t)(t->got + n);
	else if (p[i] == 0x68)
		return slot_of(t, pushed(t, cur_word32(p + i + 1, cur_host_big())), slot);
	else
		return false;
	return true;
}

/*
 * Reads "adrp x16, PAGE; ldr x17, [x16, #LOW]", after bti or not, to the jump and the nops after
 * it.
 */
static bool
aarch64_stub(const unsigned char *p, uint64_t at, struct stub *out)
{
	size_t i = word_of(p, 0) == 0xd503245f ? 1 : 0, n;
	uint32_t adrp = word_of(p, i), ldr = word_of(p, i + 1);
	uint64_t page = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	if ((page & 0x100000) != 0)
		page |= ~(uint64_t)0x1fffff;
	out->slot = ((at + 4 * i) & ~(uint64_t)0xfff) + (page << 12) + (ldr >> 10 & 0xfff) * 8;
	for (n = i + 2; n < 6 && word_of(p, n) != 0xd61f0220; n++)
		;
	for (n++; n < 6 && word_of(p, n) == 0xd503201f; n++)
		;
	out->size = 4 * n;
	return true;
}

/* Returns the constant of an ARM instruction: 8 bits, rotated. */
static uint32_t
arm_constant(uint32_t w)
{
	uint32_t v = w & 0xff, by = (w >> 8 & 0xf) * 2;

	return by == 0 ? v : v >> by | v << (32 - by);
}

/*
 * Reads "add ip, pc, #A; add ip, ip, #B; ldr pc, [ip, #C]!", with any number of adds, and lld's
 * "ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; .word".  Thumb code enters by "bx pc; nop".
 */
static bool
arm_stub(const unsigned char *p, uint64_t at, struct stub *out)
{
	size_t i = word_of(p, 0) == 0x46c04778 ? 1 : 0;
	uint32_t ip = (uint32_t)at + 4 * (uint32_t)i + 8;

	if (word_of(p, i) == 0xe59fc004 && word_of(p, i + 1) == 0xe08cc00f &&
	    word_of(p, i + 2) == 0xe59cf000) {
		out->slot = (uint32_t)(ip + 4 + word_of(p, i + 3));
		out->size = 4 * (i + 4);
		return true;
	}
	if ((word_of(p, i) & 0xfffff000) != 0xe28fc000)
		return false;
	ip += arm_constant(word_of(p, i));
	for (i++; i < 6 && (word_of(p, i) & 0xfffff000) == 0xe28cc000; i++)
		ip += arm_constant(word_of(p, i));
	out->slot = (uint32_t)(ip + (word_of(p, i) & 0xfff));
	out->size = 4 * (i + 1);
	return (word_of(p, i) & 0xfffff000) == 0xe5bcf000;
}

/* Reads the entry at an offset of the file, if one begins there. */
static bool
read_stub(const struct plt *t, const struct elf_section *s, uint64_t at, struct stub *out)
{
	unsigned char bytes[STUB_MAX] = { 0 };
	uint64_t left = s->offset + s->size - at, address = at - s->offset + s->addr;
	size_t n = left < STUB_MAX ? (size_t)left : STUB_MAX;
	const unsigned char *p = elf_bytes(t->file, at, n);

	if (p == NULL)
		return false;
	memcpy(bytes, p, n);
	switch (t->file->machine) {
	case EM_ARM: return arm_stub(bytes, address, out);
	case EM_AARCH64: return aarch64_stub(bytes, address, out);
	default: out->size = (size_t)x86_size(s); return x86_stub(t, bytes, address, &out->slot);
	}
}

/* Returns the relocation of the slot, or NULL. */
static const struct slot *
find_slot(const struct plt *t, uint64_t address)
{
	size_t low = 0, high = t->slots, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->slot[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->slots && t->slot[low].address == address ? &t->slot[low] : NULL;
}

/*
 * Names the code between the beginning of a section and its first entry, at an offset of the file.
 */
static int
add_header(const struct plt *t, const struct elf_section *s, uint64_t first, struct err *e)
{
	uint64_t size = first - s->offset;

	return size == 0 || size > HEADER_MAX
	    ? 0
	    : symtab_add(t->out, s->offset, size, SYM_GLOBAL, HEADER, strlen(HEADER), e);
}

/*
 * Adds the entries of a section.  No more is read than so many relocations can need, however long
 * the section is.
 */
static int
add_stubs(struct plt *t, const struct elf_section *s, struct err *e)
{
	uint64_t most = ((uint64_t)t->slots + 4) * STUB_MAX, at = s->offset, end;
	size_t step = is_x86(t->file) ? (size_t)x86_size(s) : 4;
	const struct slot *slot;
	struct stub stub;
	bool begun = false;
	int rc = 0;

	if (s->type == SHT_NOBITS || s->offset > t->file->size)
		return 0;
	end = s->size < most ? s->offset + s->size : s->offset + most;
	while (rc == 0 && at < end) {
		if (!read_stub(t, s, at, &stub) || (slot = find_slot(t, stub.slot)) == NULL) {
			at += step;
			continue;
		}
		rc = begun ? 0 : add_header(t, s, at, e);
		begun = true;
		if (rc == 0)
			rc = add_entry(t, at, stub.size, slot->symbol, e);
		at += stub.size;
	}
	return rc;
}

static int
take_slot(void *ctx, uint64_t i, const unsigned char *rel, struct err *e)
{
	struct plt *t = ctx;

	(void)i;
	if (!vec_room(t->slot, t->slots, t->cap))
		return err_nomem(e);
	t->slot[t->slots++] =
	    (struct slot){ relocated_slot(t->file, rel), relocated_symbol(t->file, rel) };
	return 0;
}

static int
by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Adds the entries whose instructions are read. */
static int
add_read(struct plt *t, struct err *e)
{
	const struct elf_section *known = t->file->known;
	int rc = elf_each(t->file, t->rel, (size_t)t->rel->entsize, take_slot, t, e);

	if (t->slots > 0)
		qsort(t->slot, t->slots, sizeof *t->slot, by_address);
	t->got = known[known[ELF_GOT_PLT].there ? ELF_GOT_PLT : ELF_GOT].addr;
	if (rc == 0)
		rc = add_stubs(t, &known[ELF_PLT], e);
	if (rc == 0 && known[ELF_PLT_SEC].there && is_x86(t->file))
		rc = add_stubs(t, &known[ELF_PLT_SEC], e);
	mem_free(t->slot);
	return rc;
}

/* ---- entries in the order of their relocations */

static void
lay_out(struct plt *t, uint64_t header, uint64_t entry)
{
	const struct elf_section *plt = &t->file->known[ELF_PLT];
	uint64_t size = plt->size > ELF_STRINGS_MAX ? ELF_STRINGS_MAX : plt->size;

	t->entry = entry;
	if (header > size || plt->offset > UINT64_MAX - size)
		return;
	t->at = plt->offset + header;
	t->end = plt->offset + size;
}

/*
 * Names the entry that belongs to relocation i.  There are no more entries than fit in the section.
 * Relocations that consist of zeros are not counted and give no name.
 */
static int
take_entry(void *ctx, uint64_t i, const unsigned char *rel, struct err *e)
{
	struct plt *p = ctx;

	if (i >= (p->end - p->at) / p->entry)
		return 0;
	return add_entry(p, p->at + i * p->entry, p->entry, relocated_symbol(p->file, rel), e);
}

/*
 * Adds the entries according to the machine's ABI.  On machines not listed the section gives the
 * size of an entry, and the header has the same size.
 */
static int
add_in_order(struct plt *t, struct err *e)
{
	const struct elf_section *plt = &t->file->known[ELF_PLT];
	uint64_t entsize = plt->entsize;
	int rc;

	switch (t->file->machine) {
	case EM_SPARC: lay_out(t, 48, 12); break;
	case EM_SPARCV9: lay_out(t, 128, 32); break;
	default: lay_out(t, entsize, entsize);
	}
	if (t->entry == 0)
		return 0;
	rc = t->at < t->end ? add_header(t, plt, t->at, e) : 0;
	return rc != 0 ? rc : elf_each(t->file, t->rel, (size_t)t->rel->entsize, take_entry, t, e);
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
	const struct elf_section *dynsym = &f->known[ELF_DYNSYM];
	const struct elf_section *rel =
	    &f->known[f->known[ELF_RELA_PLT].there ? ELF_RELA_PLT : ELF_REL_PLT];
	struct plt p = { .file = f, .rel = rel, .out = t };
	int rc;

	if (!f->known[ELF_PLT].there || !dynsym->there || !is_relocation(f, rel) ||
	    !elf_is_table(f, dynsym, elf_symbol_size(f)) || !elf_names_open(f, dynsym, &p.names))
		return elf_file_check(f, e);
	rc = is_x86(f) || f->machine == EM_AARCH64 || f->machine == EM_ARM ? add_read(&p, e)
									   : add_in_order(&p, e);
	if (rc == 0)
		rc = elf_names_check(&p.names, e);
	elf_names_close(&p.names);
	return rc;
}
