/* SPDX-License-Identifier: ISC */
/* elfcfi.c - the unwind information of an ELF file. */
#include <string.h>

#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"

#define CHUNK ((size_t)256 * 1024)
#define UNPACKED_MAX ((size_t)64 << 20) /* of a compressed section */

static int
add_segments(const struct elf_file *f, struct cfi *c, struct err *e)
{
	size_t i;

	for (i = 0; i < f->loads; i++) {
		const struct elf_load *l = &f->load[i];

		if (cfi_add_segment(c, l->vaddr, l->in_file, l->offset, e) != 0)
			return e->code;
	}
	return 0;
}

/* Returns false if the section has too many bytes, or none in the file, as in a debug file. */
static bool
has_bytes(const struct elf_file *f, const struct elf_section *s)
{
	return s->there && s->type != SHT_NOBITS && s->size > 0 && s->size <= CFI_SECTION_MAX &&
	    s->offset <= f->size && s->size <= f->size - s->offset;
}

/*
 * Appends the bytes of the section up to the first CHUNK that is all zeros.  No entry is there, so
 * a hole in the file takes no memory.
 */
static int
read_bytes(struct elf_file *f, const struct elf_section *s, struct buf *to, struct err *e)
{
	uint64_t left = s->size;
	size_t n;

	for (; left > 0; left -= n) {
		n = left < CHUNK ? (size_t)left : CHUNK;
		if (!buf_room(to, n))
			return err_nomem(e);
		if (!elf_read(f, s->offset + to->len, to->p + to->len, n))
			return elf_file_check(f, e);
		if (elf_is_zero(to->p + to->len, n))
			break;
		to->len += n;
	}
	return 0;
}

/* Adds the section and clears its bit in *wanted, unless it is damaged. */
static int
add_section(struct elf_file *f, const struct elf_section *s, enum cfi_section_kind kind,
    struct cfi *c, unsigned *wanted, struct err *e)
{
	struct cfi_format format = { .address = s->addr, .wide = f->wide, .big_endian = f->big };
	struct buf bytes = { 0 };
	int rc = s->packing != ELF_PLAIN ? elf_section_unpack(f, s, UNPACKED_MAX, &bytes, e)
					 : read_bytes(f, s, &bytes, e);

	if (rc == 0) {
		rc = cfi_add_section(c, kind, &bytes, &format, e);
		*wanted &= ~(1u << kind);
	}
	buf_free(&bytes);
	return rc == ERR_DATA ? 0 : rc;
}

int
elf_unwind_info(struct elf_file *f, struct cfi *c, unsigned *wanted, struct err *e)
{
	static const enum elf_known known[CFI_SECTIONS] = { ELF_EH_FRAME, ELF_DEBUG_FRAME };
	const struct elf_section *s;
	int rc = 0;
	unsigned i;

	if ((*wanted & ELF_UNWIND_SEGMENTS) != 0 && f->loads > 0 && !elf_file_is_hollow(f)) {
		rc = add_segments(f, c, e);
		*wanted &= ~ELF_UNWIND_SEGMENTS;
	}
	for (i = 0; i < CFI_SECTIONS && rc == 0; i++) {
		s = &f->known[known[i]];
		if ((*wanted & 1u << i) == 0 || !has_bytes(f, s))
			continue;
		rc = add_section(f, s, (enum cfi_section_kind)i, c, wanted, e);
	}
	return rc;
}
