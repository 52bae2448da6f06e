/* SPDX-License-Identifier: ISC */
/* elfread.c - bytes of an ELF file: in blocks that are remembered, and how failures are kept. */
#define _GNU_SOURCE /* SEEK_DATA */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "src/symbol/elfint.h"

/*
 * Names may share their tails, so that the sum of their lengths may exceed the bytes that are
 * there, but not by much.
 */
#define NAME_SHARING_MAX 4
#define NAME_SHARING_SLACK ((uint64_t)4 << 20)

#define TABLE_CHUNK ((size_t)48 << 10)

/* What has failed first is what is reported. */
static bool
fail(struct elf_file *f, int errnum, const char *what)
{
	if (f->why.code == ERR_NONE)
		err_sys(&f->why, errnum, what);
	return false;
}

static bool
fail_nomem(struct elf_file *f)
{
	if (f->why.code == ERR_NONE)
		err_nomem(&f->why);
	return false;
}

bool
elf_reopen(struct elf_file *f)
{
	struct err e;
	struct stat st;

	if (f->fd >= 0)
		return true;
	if (f->partner != NULL)
		elf_file_rest(f->partner);
	if (file_open(&f->name, &f->fd, &st, &e) != 0) {
		f->fd = -1;
		return fail(f, e.code == ERR_SYS ? e.errnum : ESTALE, "open");
	}
	if (st.st_dev == f->dev && st.st_ino == f->ino)
		return true;
	elf_file_rest(f);
	return fail(f, ESTALE, "open");
}

bool
elf_read(struct elf_file *f, uint64_t offset, void *dst, size_t n)
{
	size_t done = 0;
	ssize_t got = 1;

	if (!elf_reopen(f))
		return false;
	if (offset > f->size || n > f->size - offset)
		n = offset > f->size ? 0 : (size_t)(f->size - offset);
	while (done < n && got != 0) {
		got = pread(f->fd, (char *)dst + done, n - done, (off_t)(offset + done));
		if (got < 0 && errno != EINTR)
			return fail(f, errno, "read");
		done += got > 0 ? (size_t)got : 0;
	}
	if (done < n)
		memset((char *)dst + done, 0, n - done);
	return true;
}

bool
elf_is_zero(const void *p, size_t n)
{
	const unsigned char *b = p;

	return n == 0 || (b[0] == 0 && memcmp(b, b + 1, n - 1) == 0);
}

static bool
read_block(struct elf_file *f, struct elf_block *b, uint64_t number)
{
	unsigned char *p = b->p != NULL ? b->p : mem_alloc(ELF_BLOCK);

	b->used = false;
	if ((b->p = p) == NULL)
		return fail_nomem(f);
	if (!elf_read(f, number << ELF_BLOCK_BITS, p, ELF_BLOCK))
		return false;
	if (elf_is_zero(p, ELF_BLOCK)) {
		mem_free(p);
		b->p = NULL;
	}
	b->used = true;
	b->number = number;
	return true;
}

const unsigned char *
elf_block(struct elf_file *f, uint64_t number, bool *zero)
{
	static const unsigned char zeros[ELF_BLOCK];
	struct elf_block *b = &f->block[number % ELF_BLOCKS];

	if ((!b->used || b->number != number) && !read_block(f, b, number))
		return NULL;
	*zero = b->p == NULL;
	return *zero ? zeros : b->p;
}

const unsigned char *
elf_bytes(struct elf_file *f, uint64_t offset, size_t n)
{
	size_t at = (size_t)(offset % ELF_BLOCK), first = ELF_BLOCK - at;
	const unsigned char *p;
	bool zero;

	if (offset > f->size || n > f->size - offset || n > ELF_BYTES_MAX)
		return NULL;
	if ((p = elf_block(f, offset >> ELF_BLOCK_BITS, &zero)) == NULL || n <= first)
		return p == NULL ? NULL : p + at;
	memcpy(f->joint, p + at, first);
	if ((p = elf_block(f, (offset >> ELF_BLOCK_BITS) + 1, &zero)) == NULL)
		return NULL;
	memcpy(f->joint + first, p, n - first);
	return f->joint;
}

bool
elf_names_open(struct elf_file *f, const struct elf_section *symbols, struct elf_names *n)
{
	struct elf_section s = elf_section_at(f, symbols->link);
	uint64_t end;

	*n = (struct elf_names){ .file = f, .offset = s.offset, .size = s.size };
	if (!s.there || s.type != SHT_STRTAB || s.size == 0 || s.size > ELF_STRINGS_MAX)
		return false;
	if (s.offset > f->size || s.size > f->size - s.offset)
		return false;
	n->first = s.offset >> ELF_BLOCK_BITS;
	end = (s.offset + s.size - 1) >> ELF_BLOCK_BITS;
	n->seen = mem_zero((size_t)(end - n->first) / 8 + 1, 1);
	return n->seen != NULL ? true : fail_nomem(f);
}

void
elf_names_close(struct elf_names *n)
{
	buf_free(&n->joint);
	mem_free(n->seen);
	n->seen = NULL;
}

/* The block with the byte at offset, which is counted when it is first seen. */
static const unsigned char *
name_block(struct elf_names *n, uint64_t offset)
{
	uint64_t number = offset >> ELF_BLOCK_BITS;
	size_t bit = (size_t)(number - n->first);
	unsigned char mask = (unsigned char)(1u << bit % 8);
	bool zero;
	const unsigned char *p = elf_block(n->file, number, &zero);

	if (p != NULL && (n->seen[bit / 8] & mask) == 0) {
		n->seen[bit / 8] |= mask;
		n->there += zero ? 0 : ELF_BLOCK;
	}
	return p;
}

/* A name that goes on in the next block, put together. */
static const char *
long_name(struct elf_names *n, uint64_t at, uint64_t end, size_t *len)
{
	const unsigned char *p, *nul;
	size_t from, most;

	for (n->joint.len = 0; at < end && n->joint.len <= ELF_NAME_MAX; at += most) {
		from = (size_t)(at % ELF_BLOCK);
		most = ELF_BLOCK - from < end - at ? ELF_BLOCK - from : (size_t)(end - at);
		if ((p = name_block(n, at)) == NULL)
			return NULL;
		nul = memchr(p + from, '\0', most);
		if (!buf_put(&n->joint, (const char *)p + from,
			nul != NULL ? (size_t)(nul - p) - from + 1 : most)) {
			(void)fail_nomem(n->file);
			return NULL;
		}
		if (nul != NULL) {
			*len = n->joint.len - 1;
			return *len > 0 ? n->joint.p : NULL;
		}
	}
	return NULL;
}

static bool
is_endless(const struct elf_names *n)
{
	return n->taken > n->there * NAME_SHARING_MAX + NAME_SHARING_SLACK;
}

const char *
elf_name(struct elf_names *n, uint64_t offset, size_t *len)
{
	uint64_t at = n->offset + offset, end = n->offset + n->size;
	size_t from = (size_t)(at % ELF_BLOCK), most;
	const unsigned char *p, *nul;
	const char *name;

	if (offset >= n->size || is_endless(n) || (p = name_block(n, at)) == NULL)
		return NULL;
	most = ELF_BLOCK - from < end - at ? ELF_BLOCK - from : (size_t)(end - at);
	nul = memchr(p + from, '\0', most);
	if (nul == NULL) {
		name = long_name(n, at, end, len);
		n->taken += n->joint.len;
		return name;
	}
	*len = (size_t)(nul - p) - from;
	n->taken += *len;
	return *len > 0 ? (const char *)p + from : NULL;
}

int
elf_names_check(const struct elf_names *n, struct err *e)
{
	if (n->file->why.code != ERR_NONE) {
		*e = n->file->why;
		return e->code;
	}
	return is_endless(n) ? err_data(e, "its symbol names overlap without end") : 0;
}

bool
elf_is_table(const struct elf_file *f, const struct elf_section *s, size_t entsize)
{
	return s->there && s->entsize == entsize && s->size / entsize <= ELF_SYMBOLS_MAX &&
	    s->offset <= f->size && s->size <= f->size - s->offset;
}

/* How many of left bytes at offset are in a hole, as far as can be told: whole entries. */
static uint64_t
hole(const struct elf_file *f, uint64_t offset, uint64_t left, size_t entsize)
{
#ifdef SEEK_DATA
	off_t data = lseek(f->fd, (off_t)offset, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? left : 0;
	return (uint64_t)data - offset < left ? ((uint64_t)data - offset) / entsize * entsize
					      : left;
#else
	(void)f, (void)offset, (void)left, (void)entsize;
	return 0;
#endif
}

int
elf_each(struct elf_file *f, const struct elf_section *s, size_t entsize,
    int (*take)(void *ctx, uint64_t i, const unsigned char *entry, struct err *e), void *ctx,
    struct err *e)
{
	size_t chunk = TABLE_CHUNK / entsize * entsize, n, at;
	uint64_t left = s->size / entsize * entsize, offset = s->offset, skip;
	unsigned char *p = mem_alloc(chunk);
	int rc = p == NULL ? err_nomem(e) : 0;

	for (; rc == 0 && left > 0; left -= n, offset += n) {
		n = left < chunk ? (size_t)left : chunk;
		if (!elf_read(f, offset, p, n)) {
			*e = f->why;
			rc = e->code;
			break;
		}
		if (elf_is_zero(p, n)) {
			skip = hole(f, offset + n, left - n, entsize);
			left -= skip;
			offset += skip;
			continue;
		}
		for (at = 0; rc == 0 && at < n; at += entsize)
			if (!elf_is_zero(p + at, entsize))
				rc = take(ctx, (offset - s->offset + at) / entsize, p + at, e);
	}
	mem_free(p);
	return rc;
}

size_t
elf_symbol_size(const struct elf_file *f)
{
	return f->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

struct elf_symbol
elf_symbol_of(const struct elf_file *f, const unsigned char *p)
{
	struct cur c = cur_over(p, elf_symbol_size(f), f->big);
	struct elf_symbol s = { .name = cur_u32(&c) };
	unsigned info, other;

	if (!f->wide) {
		s.value = cur_u32(&c);
		s.size = cur_u32(&c);
	}
	info = cur_u8(&c);
	other = cur_u8(&c);
	s.section = cur_u16(&c);
	if (f->wide) {
		s.value = cur_u64(&c);
		s.size = cur_u64(&c);
	}
	s.type = ELF32_ST_TYPE(info);
	s.bind = ELF32_ST_BIND(info);
	s.visibility = ELF32_ST_VISIBILITY(other);
	return s;
}
