/* SPDX-License-Identifier: ISC */
/* elf.c - one ELF file: opening it, and what tells it apart from others. */
#include "src/symbol/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"
#include "src/symbol/elfint.h"

struct elf_section
elf_section_find(const struct elf_file *f, const char *name)
{
	struct elf_section s = { .scn = NULL };
	const char *found;

	while ((s.scn = elf_nextscn(f->elf, s.scn)) != NULL) {
		s.index = elf_ndxscn(s.scn);
		if (gelf_getshdr(s.scn, &s.shdr) == NULL)
			continue;
		found = elf_strptr(f->elf, f->shstrndx, s.shdr.sh_name);
		if (found != NULL && strcmp(found, name) == 0)
			return s;
		if (s.index >= ELF_SECTIONS_MAX)
			break;
	}
	return (struct elf_section){ .scn = NULL };
}

static struct elf_section
find_typed(const struct elf_file *f, const char *name, uint32_t type)
{
	struct elf_section s = elf_section_find(f, name);

	if (s.scn != NULL && s.shdr.sh_type != type)
		s.scn = NULL;
	return s;
}

/* The string table, read into a room of the symbol table that its names are for. */
static const char *
read_names(const struct elf_file *f, const GElf_Shdr *shdr, struct symtab *names)
{
	char *buf;
	size_t done = 0, size = (size_t)shdr->sh_size;
	ssize_t got = 1;

	if (shdr->sh_offset > f->size || shdr->sh_size > f->size - shdr->sh_offset)
		return NULL;
	if ((buf = symtab_room(names, size)) == NULL)
		return NULL;
	while (done < size && (got > 0 || (got < 0 && errno == EINTR))) {
		got = pread(f->fd, buf + done, size - done, (off_t)(shdr->sh_offset + done));
		done += got > 0 ? (size_t)got : 0;
	}
	return done == size ? buf : NULL;
}

static bool
open_names(const struct elf_file *f, const GElf_Shdr *symbols, struct symtab *names,
    struct elf_table *t)
{
	Elf_Scn *scn = elf_getscn(t->elf, symbols->sh_link);
	GElf_Shdr shdr;
	Elf_Data *data;

	if (scn == NULL || gelf_getshdr(scn, &shdr) == NULL)
		return false;
	if (shdr.sh_type != SHT_STRTAB || shdr.sh_size == 0 || shdr.sh_size > ELF_STRINGS_MAX)
		return false;
	t->names_len = (size_t)shdr.sh_size;
	if (names != NULL)
		return (t->names = read_names(f, &shdr, names)) != NULL;
	if ((data = elf_getdata(scn, NULL)) == NULL || data->d_buf == NULL)
		return false;
	t->names = data->d_buf;
	t->names_len = data->d_size;
	return true;
}

bool
elf_table_open(const struct elf_file *f, const struct elf_section *s, struct symtab *names,
    struct elf_table *t)
{
	size_t entsize = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn;

	*t = (struct elf_table){ .elf = NULL };
	if (s->scn == NULL || entsize == 0 || s->shdr.sh_entsize != entsize)
		return false;
	if (s->shdr.sh_size / entsize > ELF_SYMBOLS_MAX ||
	    (t->elf = elf_begin(f->fd, ELF_C_READ, NULL)) == NULL)
		return false;
	scn = elf_getscn(t->elf, s->index);
	t->syms = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	if (t->syms == NULL || t->syms->d_buf == NULL || !open_names(f, &s->shdr, names, t)) {
		elf_table_close(t);
		return false;
	}
	t->count = t->syms->d_size / entsize;
	return true;
}

void
elf_table_close(struct elf_table *t)
{
	elf_end(t->elf);
	t->elf = NULL;
}

const char *
elf_table_name(const struct elf_table *t, uint64_t offset, size_t *len)
{
	const char *name, *nul;

	if (offset >= t->names_len)
		return NULL;
	name = t->names + offset;
	nul = memchr(name, '\0', t->names_len - (size_t)offset);
	if (nul == NULL || nul == name)
		return NULL;
	*len = (size_t)(nul - name);
	return name;
}

static void
read_loads(struct elf_file *f)
{
	size_t i, n = 0;
	GElf_Phdr ph;
	uint64_t size;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return;
	for (i = 0; i < n && i <= UINT16_MAX && f->loads < ELF_LOADS_MAX; i++) {
		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL)
			return;
		size = ph.p_memsz > ph.p_filesz ? ph.p_memsz : ph.p_filesz;
		if (ph.p_type == PT_LOAD && size > 0)
			f->load[f->loads++] = (struct elf_load){ ph.p_vaddr, size, ph.p_offset };
	}
}

/* By read, not by mmap: a file that someone cuts short meanwhile is then an error, not a SIGBUS. */
static int
begin(struct elf_file *f, struct err *e)
{
	struct stat st;

	if (fstat(f->fd, &st) != 0)
		return err_sys(e, errno, "stat");
	if (!S_ISREG(st.st_mode))
		return err_data(e, "not a regular file");
	f->size = (uint64_t)st.st_size;
	if (elf_version(EV_CURRENT) == EV_NONE ||
	    (f->elf = elf_begin(f->fd, ELF_C_READ, NULL)) == NULL)
		return err_data(e, "not an ELF file");
	if (elf_kind(f->elf) != ELF_K_ELF || gelf_getehdr(f->elf, &f->ehdr) == NULL)
		return err_data(e, "not an ELF file");
	if (elf_getshdrstrndx(f->elf, &f->shstrndx) != 0)
		return err_data(e, "no section names");
	f->symtab = find_typed(f, ".symtab", SHT_SYMTAB);
	f->dynsym = find_typed(f, ".dynsym", SHT_DYNSYM);
	f->opd = find_typed(f, ".opd", SHT_PROGBITS);
	read_loads(f);
	return 0;
}

int
elf_file_open(const char *path, struct elf_file **out, struct err *e)
{
	struct elf_file *f = mem_zero(1, sizeof *f);
	int rc;

	if (f == NULL)
		return err_nomem(e);
	f->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	rc = f->fd < 0 ? err_sys(e, errno, "open") : begin(f, e);
	if (rc != 0) {
		elf_file_close(f);
		return rc;
	}
	*out = f;
	return 0;
}

void
elf_file_close(struct elf_file *f)
{
	if (f == NULL)
		return;
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	mem_free(f);
}

bool
elf_file_code(const struct elf_file *f, struct elf_range *code)
{
	size_t n = 0, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return false;
	for (i = 0; i < n && i < ELF_LOADS_MAX; i++) {
		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL || ph.p_type != PT_LOAD ||
		    (ph.p_flags & PF_X) == 0 || ph.p_filesz > UINT64_MAX - ph.p_vaddr)
			continue;
		*code = (struct elf_range){ ph.p_vaddr, ph.p_offset, ph.p_filesz };
		return true;
	}
	return false;
}

bool
elf_file_has_symtab(const struct elf_file *f)
{
	return f->symtab.scn != NULL;
}

bool
elf_file_is_runtime(const struct elf_file *f)
{
	return f->dynsym.scn != NULL || f->opd.scn != NULL;
}

static size_t
note_build_id(Elf_Data *data, unsigned char id[ELF_BUILD_ID_MAX])
{
	size_t at = 0, next, name, desc, len;
	const char *bytes = data->d_buf;
	GElf_Nhdr note;

	for (; bytes != NULL && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0;
	     at = next) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof ELF_NOTE_GNU)
			continue;
		if (memcmp(bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
			continue;
		len = note.n_descsz < ELF_BUILD_ID_MAX ? note.n_descsz : ELF_BUILD_ID_MAX;
		memcpy(id, bytes + desc, len);
		return len;
	}
	return 0;
}

size_t
elf_file_build_id(const struct elf_file *f, unsigned char id[ELF_BUILD_ID_MAX])
{
	static const char *const names[] = { ".note.gnu.build-id", ".notes", ".note" };
	struct elf_section s;
	Elf_Data *data;
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		s = elf_section_find(f, names[i]);
		if (s.scn == NULL)
			continue;
		if (s.shdr.sh_type != SHT_NOTE || s.shdr.sh_size > ELF_STRINGS_MAX)
			return 0;
		data = elf_getdata(s.scn, NULL);
		return data == NULL ? 0 : note_build_id(data, id);
	}
	return 0;
}

const char *
elf_file_debuglink(const struct elf_file *f)
{
	struct elf_section s = elf_section_find(f, ".gnu_debuglink");
	const char *name;
	Elf_Data *data;

	if (s.scn == NULL || s.shdr.sh_type != SHT_PROGBITS || s.shdr.sh_size > ELF_STRINGS_MAX)
		return NULL;
	if ((data = elf_rawdata(s.scn, NULL)) == NULL || (name = data->d_buf) == NULL)
		return NULL;
	if (memchr(name, '\0', data->d_size) == NULL || name[0] == '\0' ||
	    strchr(name, '/') != NULL)
		return NULL;
	return name;
}
