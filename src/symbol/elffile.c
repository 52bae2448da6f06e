/* SPDX-License-Identifier: ISC */
/* elffile.c - one ELF file: opens it, and reads the data that distinguish it from others. */
#define _GNU_SOURCE /* SEEK_DATA */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <zlib.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

#include "lib/mem.h"
#include "src/symbol/elf.h"
#include "src/symbol/elfint.h"

/*
 * Names may share their tails, so the sum of their lengths may exceed the bytes that exist, but not
 * by much.
 */
#define NAME_SHARING_MAX 4
#define NAME_SHARING_SLACK ((uint64_t)4 << 20)

#define CRC_FILE_MAX ((uint64_t)1 << 32) /* reading it takes seconds */
#define CRC_CHUNK ((size_t)256 * 1024)

#define TABLE_CHUNK ((size_t)48 << 10)

/* Records a failure.  Only the first one is reported. */
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

/* Opens the file again if it is closed.  Returns false and sets f->why if that fails. */
static bool
elf_reopen(struct elf_file *f)
{
	struct err e;
	struct stat st;
	int fd;

	if (f->fd >= 0 || f->memory != NULL)
		return true;
	if (f->partner != NULL)
		elf_file_rest(f->partner);
	if (file_open(&f->name, &fd, &st, &e) != 0)
		return fail(f, e.code == ERR_SYS ? e.errnum : ESTALE, "open");
	f->fd = fd;
	if (st.st_dev == f->stamp.device && st.st_ino == f->stamp.inode)
		return true;
	elf_file_rest(f);
	return fail(f, ESTALE, "open");
}

bool
elf_read(struct elf_file *f, uint64_t offset, void *dst, size_t n)
{
	size_t done = 0, want = n;
	ssize_t got = 1;

	if (!elf_reopen(f))
		return false;
	if (offset > f->size || n > f->size - offset)
		n = offset > f->size ? 0 : (size_t)(f->size - offset);
	if (f->memory != NULL && n > 0) {
		memcpy(dst, f->memory + offset, n);
		done = n;
	}
	while (done < n && got != 0) {
		got = pread(f->fd, (char *)dst + done, n - done, (off_t)(offset + done));
		if (got < 0 && errno != EINTR)
			return fail(f, errno, "read");
		done += got > 0 ? (size_t)got : 0;
	}
	if (done < want)
		memset((char *)dst + done, 0, want - done);
	return true;
}

bool
elf_is_zero(const void *p, size_t n)
{
	const unsigned char *b = p;

	return b[0] == 0 && memcmp(b, b + 1, n - 1) == 0;
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

/* Returns a block, valid until the next call, or NULL if reading fails. */
static const unsigned char *
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
}

/* Returns the block with the byte at offset, and counts it when it is first seen. */
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

/* Returns a name that continues in the next block, as one text. */
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
	return is_endless(n) ? err_data(e, "its symbol names overlap too much") : 0;
}

bool
elf_is_table(const struct elf_file *f, const struct elf_section *s, size_t entsize)
{
	return s->there && s->entsize == entsize && s->size / entsize <= ELF_SYMBOLS_MAX &&
	    s->offset <= f->size && s->size <= f->size - s->offset;
}

/*
 * Returns how many of the LEFT bytes at offset are known to be in a hole, rounded down to whole
 * entries.
 */
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

#define NOTES_MAX ((uint64_t)64 << 10) /* a build id is among the first notes */

static struct cur
cur_of(const struct elf_file *f, const unsigned char *p, size_t n)
{
	return cur_over(p, n, f->big);
}

/* Reads a number as wide as the file's addresses. */
static uint64_t
word(const struct elf_file *f, struct cur *c)
{
	return f->wide ? cur_u64(c) : cur_u32(c);
}

static size_t
section_size(const struct elf_file *f)
{
	return f->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static struct elf_section
read_section(struct elf_file *f, size_t i)
{
	size_t size = section_size(f);
	const unsigned char *p = elf_bytes(f, f->sections_at + i * size, size);
	struct elf_section s = { .there = p != NULL, .index = i };
	struct cur c;

	if (p == NULL)
		return s;
	c = cur_of(f, p, size);
	s.name = cur_u32(&c);
	s.type = cur_u32(&c);
	s.flags = word(f, &c);
	s.packing = (s.flags & SHF_COMPRESSED) != 0 ? ELF_PACKED : ELF_PLAIN;
	s.addr = word(f, &c);
	s.offset = word(f, &c);
	s.size = word(f, &c);
	s.link = cur_u32(&c);
	(void)cur_u32(&c); /* info */
	s.align = word(f, &c);
	s.entsize = word(f, &c);
	return s;
}

struct elf_section
elf_section_at(struct elf_file *f, size_t i)
{
	return i < f->sections ? read_section(f, i) : (struct elf_section){ .there = false };
}

void
elf_section_name(struct elf_file *f, struct elf_section *s, char name[ELF_SECTION_NAME_MAX])
{
	static const char packed[] = ".zdebug_";
	const struct elf_section *strings = &f->strings;
	const unsigned char *p;
	uint64_t left;
	size_t n;

	name[0] = '\0';
	if (!strings->there || strings->type != SHT_STRTAB || s->name >= strings->size ||
	    strings->offset > f->size || strings->size > f->size - strings->offset)
		return;
	left = strings->size - s->name;
	n = left < ELF_SECTION_NAME_MAX - 1 ? (size_t)left : ELF_SECTION_NAME_MAX - 1;
	if ((p = elf_bytes(f, strings->offset + s->name, n)) == NULL)
		return;
	memcpy(name, p, n);
	name[n] = '\0';
	if (strncmp(name, packed, sizeof packed - 1) != 0)
		return;
	memmove(name + 1, name + 2, strlen(name) - 1);
	if (s->packing == ELF_PLAIN)
		s->packing = ELF_PACKED_GNU;
}

bool
elf_section_has_name(struct elf_file *f, const struct elf_section *s, const char *text)
{
	char name[ELF_SECTION_NAME_MAX];
	struct elf_section copy = *s;

	elf_section_name(f, &copy, name);
	return strstr(name, text) != NULL;
}

/* Stores the first section of each known name. */
static void
find_sections(struct elf_file *f)
{
	static const char *const names[] = {
		[ELF_SYMTAB] = ".symtab",
		[ELF_DYNSYM] = ".dynsym",
		[ELF_OPD] = ".opd",
		[ELF_PLT] = ".plt",
		[ELF_PLT_SEC] = ".plt.sec",
		[ELF_GOT_PLT] = ".got.plt",
		[ELF_GOT] = ".got",
		[ELF_RELA_PLT] = ".rela.plt",
		[ELF_REL_PLT] = ".rel.plt",
		[ELF_BUILD_ID_NOTE] = ".note.gnu.build-id",
		[ELF_NOTES] = ".notes",
		[ELF_NOTE] = ".note",
		[ELF_DEBUGLINK] = ".gnu_debuglink",
		[ELF_EH_FRAME] = ".eh_frame",
		[ELF_DEBUG_FRAME] = ".debug_frame",
		[ELF_DEBUG_INFO] = ".debug_info",
		[ELF_DEBUG_ALT_LINK] = ".gnu_debugaltlink",
		[ELF_DEBUGDATA] = ".gnu_debugdata",
	};
	char name[ELF_SECTION_NAME_MAX];
	struct elf_section s;
	size_t i, k;

	for (i = 1; i < f->sections && f->why.code == ERR_NONE; i++) {
		s = read_section(f, i);
		if (!s.there || s.type == SHT_NULL)
			continue;
		elf_section_name(f, &s, name);
		for (k = 0; k < ELF_KNOWN; k++)
			if (!f->known[k].there && strcmp(name, names[k]) == 0)
				f->known[k] = s;
	}
}

/* Ignores the section if it has another type. */
static void
want_type(struct elf_file *f, enum elf_known k, uint32_t type)
{
	f->known[k].there &= f->known[k].type == type;
}

/* Reads one program header, which describes a segment. */
static void
take_segment(struct elf_file *f, struct cur c)
{
	uint32_t type = cur_u32(&c), flags = 0;
	uint64_t offset, vaddr, filesize, memsize;

	if (f->wide)
		flags = cur_u32(&c);
	offset = word(f, &c);
	vaddr = word(f, &c);
	(void)word(f, &c); /* physical address */
	filesize = word(f, &c);
	memsize = word(f, &c);
	if (!f->wide)
		flags = cur_u32(&c);
	if (type != PT_LOAD)
		return;
	if ((flags & PF_X) != 0 && !f->has_code && filesize <= UINT64_MAX - vaddr) {
		f->code = (struct elf_range){ vaddr, offset, filesize };
		f->has_code = true;
	}
	if (memsize < filesize)
		memsize = filesize;
	if (memsize > 0)
		f->load[f->loads++] = (struct elf_load){ vaddr, memsize, offset, filesize };
}

static void
read_segments(struct elf_file *f, uint64_t at, size_t n)
{
	size_t size = f->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), i;
	const unsigned char *p;

	for (i = 0; i < n && f->loads < ELF_LOADS_MAX; i++) {
		if ((p = elf_bytes(f, at + i * size, size)) == NULL)
			return;
		take_segment(f, cur_of(f, p, size));
	}
}

/* Reads the section headers.  Numbers that do not fit into the header are in section 0. */
static int
read_sections(struct elf_file *f, size_t n, size_t strings, struct err *e)
{
	struct elf_section first;

	if (f->sections_at == 0 || f->sections_at >= f->size)
		return 0;
	first = read_section(f, 0);
	if (n == 0)
		n = first.there && first.size < SIZE_MAX ? (size_t)first.size : 0;
	if (n > ELF_SECTIONS_MAX)
		return err_data(e, "it claims to have %zu sections", n);
	if (n > (f->size - f->sections_at) / section_size(f))
		return err_data(e, "some of its section headers are missing");
	f->sections = n;
	f->strings = elf_section_at(f, strings == SHN_XINDEX ? first.link : strings);
	find_sections(f);
	want_type(f, ELF_SYMTAB, SHT_SYMTAB);
	want_type(f, ELF_DYNSYM, SHT_DYNSYM);
	want_type(f, ELF_OPD, SHT_PROGBITS);
	want_type(f, ELF_DEBUGLINK, SHT_PROGBITS);
	want_type(f, ELF_DEBUGDATA, SHT_PROGBITS);
	return 0;
}

static int
read_header(struct elf_file *f, struct err *e)
{
	size_t size = sizeof(Elf64_Ehdr), segments, sections, strings;
	const unsigned char *p = elf_bytes(f, 0, sizeof(Elf32_Ehdr));
	uint64_t segments_at;
	struct cur c;

	if (p == NULL || memcmp(p, ELFMAG, SELFMAG) != 0 ||
	    (p[EI_CLASS] != ELFCLASS32 && p[EI_CLASS] != ELFCLASS64) ||
	    (p[EI_DATA] != ELFDATA2LSB && p[EI_DATA] != ELFDATA2MSB) || p[EI_VERSION] != EV_CURRENT)
		return err_data(e, "not an ELF file");
	f->wide = p[EI_CLASS] == ELFCLASS64;
	f->big = p[EI_DATA] == ELFDATA2MSB;
	if (!f->wide)
		size = sizeof(Elf32_Ehdr);
	else if ((p = elf_bytes(f, 0, size)) == NULL)
		return err_data(e, "not an ELF file");
	c = cur_of(f, p + EI_NIDENT + 2, size - EI_NIDENT - 2); /* after the type */
	f->machine = cur_u16(&c);
	(void)cur_u32(&c); /* version */
	(void)word(f, &c); /* entry */
	segments_at = word(f, &c);
	f->sections_at = word(f, &c);
	(void)cur_u32(&c); /* flags */
	(void)cur_u32(&c); /* size of this header, size of a program header */
	segments = cur_u16(&c);
	(void)cur_u16(&c); /* size of a section header */
	sections = cur_u16(&c);
	strings = cur_u16(&c);
	if (segments_at != 0)
		read_segments(f, segments_at, segments);
	return read_sections(f, sections, strings, e);
}

static int
begin(struct elf_file *f, const struct file_name *name, const struct stat *st, struct err *e)
{
	size_t len = strlen(name->path) + 1;
	int rc;

	f->stamp = (struct elf_stamp){ .device = st->st_dev,
		.inode = st->st_ino,
		.changed = file_time(&st->st_mtim),
		.renamed = file_time(&st->st_ctim) };
	f->size = (uint64_t)st->st_size;
	if ((f->path = mem_alloc(len)) == NULL)
		return err_nomem(e);
	memcpy(f->path, name->path, len);
	f->name = *name;
	f->name.path = f->path;
	rc = read_header(f, e);
	return f->why.code != ERR_NONE ? elf_file_check(f, e) : rc;
}

int
elf_file_open(const struct file_name *name, struct elf_file **out, struct err *e)
{
	struct elf_file *f;
	struct stat st;
	int fd, rc = file_open(name, &fd, &st, e);

	if (rc != 0)
		return rc;
	if ((f = mem_zero(1, sizeof *f)) == NULL) {
		(void)close(fd);
		return err_nomem(e);
	}
	f->fd = fd;
	if ((rc = begin(f, name, &st, e)) != 0) {
		elf_file_close(f);
		return rc;
	}
	*out = f;
	return 0;
}

int
elf_memory_open(struct buf *bytes, struct elf_file **out, struct err *e)
{
	static const struct file_name name = { .path = "" };
	struct stat st = { .st_size = (off_t)bytes->len };
	struct elf_file *f = mem_zero(1, sizeof *f);

	if (f == NULL)
		return err_nomem(e);
	f->fd = -1;
	f->own = *bytes;
	f->memory = (const unsigned char *)f->own.p;
	*bytes = (struct buf){ 0 };
	if (begin(f, &name, &st, e) != 0) {
		elf_file_close(f);
		return e->code;
	}
	*out = f;
	return 0;
}

/*
 * Sets *length to that of this process's mapping at START, according to /proc/self/maps, or to 0 if
 * there is none.
 */
static int
mapped_length(uintptr_t start, uint64_t *length, struct err *e)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	char line[512];

	*length = 0;
	if (maps == NULL)
		return err_sys(e, errno, "/proc/self/maps");
	while (*length == 0 && fgets(line, sizeof line, maps) != NULL)
		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && from == start)
			*length = to - from;
	(void)fclose(maps);
	return 0;
}

int
elf_vdso_open(struct elf_file **out, struct err *e)
{
	static const struct file_name name = { .path = "[vdso]" };
	uintptr_t start = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct stat st = { .st_size = 0 };
	struct elf_file *f;
	uint64_t length;
	int rc = mapped_length(start, &length, e);

	if (rc != 0)
		return rc;
	if (length == 0)
		return err_data(e, "this kernel has no vdso");
	st.st_size = (off_t)length;
	if ((f = mem_zero(1, sizeof *f)) == NULL)
		return err_nomem(e);
	f->fd = -1;
	f->memory = (const unsigned char *)start;
	if (begin(f, &name, &st, e) != 0) {
		elf_file_close(f);
		return e->code;
	}
	*out = f;
	return 0;
}

void
elf_file_rest(struct elf_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
}

void
elf_file_close(struct elf_file *f)
{
	size_t i;

	if (f == NULL)
		return;
	elf_file_rest(f);
	for (i = 0; i < ELF_BLOCKS; i++)
		mem_free(f->block[i].p);
	buf_free(&f->own);
	mem_free(f->path);
	mem_free(f);
}

int
elf_file_check(const struct elf_file *f, struct err *e)
{
	if (f->why.code != ERR_NONE && e != NULL)
		*e = f->why;
	return f->why.code;
}

int
elf_file_segments(const struct elf_file *f, struct elf_range **out, size_t *count, struct err *e)
{
	size_t i;

	if (f->loads == 0)
		return err_data(e, "no segments in it");
	if ((*out = mem_alloc(f->loads * sizeof **out)) == NULL)
		return err_nomem(e);
	for (i = 0; i < f->loads; i++)
		(*out)[i] =
		    (struct elf_range){ f->load[i].vaddr, f->load[i].offset, f->load[i].in_file };
	*count = f->loads;
	return 0;
}

bool
elf_file_code(const struct elf_file *f, struct elf_range *code)
{
	*code = f->code;
	return f->has_code;
}

bool
elf_file_has_symtab(const struct elf_file *f)
{
	return f->known[ELF_SYMTAB].there;
}

bool
elf_file_is_hollow(const struct elf_file *f)
{
	return f->has_code && f->code.size == 0;
}

/* Returns the next place where a part of a note may begin, counted from the section's start. */
static uint64_t
aligned(const struct elf_section *s, uint64_t at)
{
	return s->align == 8 ? (at + 7) & ~(uint64_t)7 : (at + 3) & ~(uint64_t)3;
}

static size_t
note_build_id(struct elf_file *f, const struct elf_section *s, unsigned char id[ELF_BUILD_ID_MAX])
{
	uint64_t at = 0, end = s->size < NOTES_MAX ? s->size : NOTES_MAX, name, size, desc;
	const unsigned char *p;
	uint32_t type;
	struct cur c;
	size_t len;

	for (; at < end && end - at >= sizeof(Elf32_Nhdr); at = aligned(s, desc + size)) {
		if ((p = elf_bytes(f, s->offset + at, sizeof(Elf32_Nhdr))) == NULL)
			return 0;
		c = cur_of(f, p, sizeof(Elf32_Nhdr));
		name = cur_u32(&c);
		size = cur_u32(&c);
		type = cur_u32(&c);
		at += sizeof(Elf32_Nhdr);
		desc = aligned(s, at + name);
		if (desc > end || size > end - desc)
			return 0;
		if (type != NT_GNU_BUILD_ID || name != sizeof ELF_NOTE_GNU)
			continue;
		p = elf_bytes(f, s->offset + at, sizeof ELF_NOTE_GNU);
		if (p == NULL || memcmp(p, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
			continue;
		len = size < ELF_BUILD_ID_MAX ? (size_t)size : ELF_BUILD_ID_MAX;
		if ((p = elf_bytes(f, s->offset + desc, len)) == NULL)
			return 0;
		memcpy(id, p, len);
		return len;
	}
	return 0;
}

size_t
elf_file_build_id(struct elf_file *f, unsigned char id[ELF_BUILD_ID_MAX])
{
	static const enum elf_known places[] = { ELF_BUILD_ID_NOTE, ELF_NOTES, ELF_NOTE };
	const struct elf_section *s;
	size_t i;

	for (i = 0; i < sizeof places / sizeof places[0]; i++) {
		s = &f->known[places[i]];
		if (s->there)
			return s->type == SHT_NOTE ? note_build_id(f, s, id) : 0;
	}
	return 0;
}

const char *
elf_file_debuglink(struct elf_file *f, uint32_t *crc)
{
	const struct elf_section *s = &f->known[ELF_DEBUGLINK];
	size_t n = s->size < FILE_PATH_MAX ? (size_t)s->size : FILE_PATH_MAX, at;
	const char *name;

	if (!s->there || n == 0 || (name = (const char *)elf_bytes(f, s->offset, n)) == NULL)
		return NULL;
	if (memchr(name, '\0', n) == NULL || name[0] == '\0' || strchr(name, '/') != NULL)
		return NULL;
	at = (strlen(name) + 1 + 3) & ~(size_t)3;
	if (at > n || n - at < sizeof *crc)
		return NULL;
	*crc = cur_word32((const unsigned char *)name + at, f->big != cur_host_big());
	return name;
}

int
elf_file_crc(struct elf_file *f, uint32_t *crc, struct err *e)
{
	unsigned char *p;
	uint64_t at;
	size_t n;

	if (f->size > CRC_FILE_MAX)
		return err_data(e, "too large for its CRC to be checked");
	if ((p = mem_alloc(CRC_CHUNK)) == NULL)
		return err_nomem(e);
	*crc = (uint32_t)crc32(0, NULL, 0);
	for (at = 0; at < f->size; at += n) {
		n = f->size - at < CRC_CHUNK ? (size_t)(f->size - at) : CRC_CHUNK;
		if (!elf_read(f, at, p, n))
			break;
		*crc = (uint32_t)crc32(*crc, p, (unsigned)n);
	}
	mem_free(p);
	return elf_file_check(f, e);
}

struct elf_stamp
elf_file_stamp(const struct elf_file *f)
{
	return f->stamp;
}

bool
elf_file_generation(const struct elf_file *f, uint64_t *generation)
{
#ifdef FS_IOC_GETVERSION
	unsigned v[2] = { 0, 0 }; /* the request is defined for a long, but an int is written */

	if (f->fd >= 0 && ioctl(f->fd, FS_IOC_GETVERSION, v) == 0) {
		*generation = v[0];
		return true;
	}
#endif
	(void)f;
	*generation = 0;
	return false;
}
