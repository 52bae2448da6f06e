/* SPDX-License-Identifier: ISC */
/*
 * elfpack.c - the compressed parts of an ELF file: sections (SHF_COMPRESSED, .zdebug_NAME), and a
 * small ELF file with symbols (.gnu_debugdata).
 *
 * A few bytes can expand to gigabytes.  So the size is limited absolutely, and for .gnu_debugdata
 * also in proportion to the compressed bytes; memory is counted in any case.
 */
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/mem.h"
#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define GNU_HEADER ((size_t)12)
#define ZLIB_RATIO 1100 /* zlib cannot reach more */
#define ZSTD_RATIO 65536 /* a block of 128 KiB takes at least 4 bytes */
#define LEAST ((uint64_t)64 << 10) /* any section may have that size */
#define ZLIB_BYTES ((size_t)48 << 10) /* what zlib allocates, rounded up */
#define ZSTD_BYTES ((size_t)256 << 10) /* what libzstd allocates, rounded up */

#define MINI_PACKED_MAX ((uint64_t)16 << 20)
#define MINI_MAX ((size_t)128 << 20)
#define MINI_RATIO 64 /* symbols and names need a quarter */
#define MINI_CHUNK ((size_t)256 << 10)
#define XZ_MEMORY ((uint64_t)80 << 20) /* enough for xz -9 */

/* ---- compressed sections */

struct packed {
	uint32_t type;
	uint64_t size; /* of the contents */
	size_t header;
};

/* Both return 0, ERR_DATA or ERR_SYS (memory has run out). */
static int
unpack_zlib(char *dst, size_t size, char *p, size_t n)
{
	z_stream z = { .next_in = (unsigned char *)p, .next_out = (unsigned char *)dst };
	int rc = inflateInit(&z);

	if (rc == Z_OK) {
		z.avail_in = (unsigned)n;
		z.avail_out = (unsigned)size;
		rc = inflate(&z, Z_FINISH);
		(void)inflateEnd(&z);
	}
	if (rc == Z_MEM_ERROR)
		return ERR_SYS;
	return rc == Z_STREAM_END && z.avail_out == 0 ? 0 : ERR_DATA;
}

static int
unpack_zstd(char *dst, size_t size, const char *p, size_t n)
{
	size_t rc = ZSTD_decompress(dst, size, p, n);

	if (ZSTD_isError(rc) && ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
		return ERR_SYS;
	return rc == size ? 0 : ERR_DATA;
}

/* Reads the header of a section .zdebug_NAME: "ZLIB", and the size as 8 big-endian bytes. */
static bool
read_packed_gnu(struct elf_file *f, const struct elf_section *s, struct packed *h)
{
	const unsigned char *p;
	struct cur c;

	*h = (struct packed){ .type = ELFCOMPRESS_ZLIB, .header = GNU_HEADER };
	if (s->size < GNU_HEADER || (p = elf_bytes(f, s->offset, GNU_HEADER)) == NULL ||
	    memcmp(p, "ZLIB", 4) != 0)
		return false;
	c = cur_over(p + 4, 8, true);
	h->size = cur_u64(&c);
	return true;
}

/* Reads the header of a compressed section, Elf32_Chdr or Elf64_Chdr in the ELF specification. */
static bool
read_packed(struct elf_file *f, const struct elf_section *s, struct packed *h)
{
	const unsigned char *p;
	struct cur c;

	if (s->packing == ELF_PACKED_GNU)
		return read_packed_gnu(f, s, h);
	h->header = f->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	if (s->size < h->header || (p = elf_bytes(f, s->offset, h->header)) == NULL)
		return false;
	c = cur_over(p, h->header, f->big);
	h->type = cur_u32(&c);
	if (f->wide)
		(void)cur_u32(&c); /* reserved */
	h->size = f->wide ? cur_u64(&c) : cur_u32(&c);
	return h->type == ELFCOMPRESS_ZLIB || h->type == ELFCOMPRESS_ZSTD;
}

/* Reads and decompresses the bytes after the header.  *packed is scratch. */
static int
unpack(struct elf_file *f, const struct elf_section *s, const struct packed *h, struct buf *packed,
    struct buf *to, struct err *e)
{
	size_t n = (size_t)s->size - h->header, size = (size_t)h->size;
	int rc;

	if (!buf_room(packed, n + 1) || !buf_room(to, size + 1))
		return err_nomem(e);
	if (!elf_read(f, s->offset + h->header, packed->p, n))
		return elf_file_check(f, e);
	rc = h->type == ELFCOMPRESS_ZLIB ? unpack_zlib(to->p + to->len, size, packed->p, n)
					 : unpack_zstd(to->p + to->len, size, packed->p, n);
	if (rc == ERR_SYS)
		return err_nomem(e);
	if (rc != 0)
		return err_data(e, "a compressed section is damaged");
	to->len += size;
	return 0;
}

int
elf_section_unpack(struct elf_file *f, const struct elf_section *s, size_t max, struct buf *to,
    struct err *e)
{
	struct buf packed = { 0 };
	struct packed h;
	size_t library;
	int rc;

	if (s->offset > f->size || s->size > f->size - s->offset || !read_packed(f, s, &h))
		return elf_file_check(f, e) != 0 ? e->code : err_data(e, "unknown compression");
	if (h.size > max || s->size > max || h.size > UINT32_MAX || s->size > UINT32_MAX ||
	    h.size > s->size * (h.type == ELFCOMPRESS_ZLIB ? ZLIB_RATIO : ZSTD_RATIO) + LEAST)
		return err_data(e, "a compressed section is too large");
	library = h.type == ELFCOMPRESS_ZLIB ? ZLIB_BYTES : ZSTD_BYTES;
	if (!mem_claim(library))
		return err_nomem(e);
	rc = unpack(f, s, &h, &packed, to, e);
	mem_release(library);
	buf_free(&packed);
	return rc;
}

/* ---- .gnu_debugdata */

static void *
allocate(void *opaque, size_t n, size_t size)
{
	(void)opaque;
	return size != 0 && n > SIZE_MAX / size ? NULL : mem_alloc(n * size);
}

static void
release(void *opaque, void *p)
{
	(void)opaque;
	mem_free(p);
}

/* Decompresses n bytes at p to `to`, at most MAX bytes.  Returns ERR_DATA or ERR_SYS. */
static int
unpack_xz(const char *p, size_t n, size_t max, struct buf *to, struct err *e)
{
	const lzma_allocator allocator = { allocate, release, NULL };
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret rc;

	xz.allocator = &allocator;
	rc = lzma_stream_decoder(&xz, XZ_MEMORY, 0);
	xz.next_in = (const uint8_t *)p;
	xz.avail_in = n;
	while (rc == LZMA_OK && to->len < max) {
		if (!buf_room(to, MINI_CHUNK)) {
			rc = LZMA_MEM_ERROR;
			break;
		}
		xz.next_out = (uint8_t *)to->p + to->len;
		xz.avail_out = MINI_CHUNK;
		rc = lzma_code(&xz, LZMA_FINISH);
		to->len += MINI_CHUNK - xz.avail_out;
	}
	lzma_end(&xz);
	if (rc == LZMA_STREAM_END)
		return 0;
	if (rc == LZMA_MEM_ERROR)
		return err_nomem(e);
	return err_data(e,
	    rc == LZMA_OK ? ".gnu_debugdata is too large" : ".gnu_debugdata is damaged");
}

bool
elf_file_has_mini(const struct elf_file *f)
{
	return f->known[ELF_DEBUGDATA].there;
}

int
elf_mini_open(struct elf_file *f, struct elf_file **out, struct err *e)
{
	const struct elf_section *s = &f->known[ELF_DEBUGDATA];
	struct buf packed = { 0 }, bytes = { 0 };
	size_t max = MINI_MAX;
	int rc;

	if (!s->there || s->size > MINI_PACKED_MAX || s->offset > f->size ||
	    s->size > f->size - s->offset)
		return err_data(e, "no .gnu_debugdata");
	if (s->size < MINI_MAX / MINI_RATIO)
		max = (size_t)s->size * MINI_RATIO + LEAST;
	rc = buf_room(&packed, (size_t)s->size + 1) ? 0 : err_nomem(e);
	if (rc == 0 && !elf_read(f, s->offset, packed.p, (size_t)s->size))
		rc = elf_file_check(f, e);
	if (rc == 0)
		rc = unpack_xz(packed.p, (size_t)s->size, max, &bytes, e);
	buf_free(&packed);
	if (rc == 0)
		rc = elf_memory_open(&bytes, out, e);
	buf_free(&bytes);
	return rc;
}
