/* SPDX-License-Identifier: ISC */
/*
 * dwarf.c - prints the frames at addresses of an object, as llvm-addr2line -a -i -f does.
 *
 *	dwarf FILE [BYTES] <ADDRESSES
 *
 * Addresses are linked ones, in hex, one a line.  Other files are opened where FILE says they are,
 * and FILE.dwp beside it.  Errors of the data are counted on standard error.  BYTES is how much
 * memory there is besides that for opening the file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "src/symbol/dwarf.h"

static int
open_file(const char *path, struct elf_file **out, struct err *e)
{
	struct file_name name = { .path = path };

	return elf_file_open(&name, out, e);
}

/* Opens NAME, which is below DIR unless it is absolute. */
static int
open_below(struct slice dir, struct slice name, struct elf_file **out, struct err *e)
{
	char path[FILE_PATH_MAX];

	if (name.len > 0 && name.p[0] == '/')
		dir.len = 0;
	snprintf(path, sizeof path, "%.*s%s%.*s", (int)dir.len, dir.p, dir.len > 0 ? "/" : "",
	    (int)name.len, name.p);
	return open_file(path, out, e);
}

static int
open_alt(void *ctx, struct slice name, const unsigned char *id, size_t id_len,
    struct elf_file **out, struct err *e)
{
	unsigned char own[ELF_BUILD_ID_MAX];
	const char *slash = strrchr(ctx, '/');
	struct slice dir = { ctx, slash != NULL ? (size_t)(slash - (char *)ctx) : 0 };
	int rc = open_below(dir, name, out, e);

	if (rc != 0)
		return rc;
	if (elf_file_build_id(*out, own) == id_len && memcmp(own, id, id_len) == 0)
		return 0;
	elf_file_close(*out);
	return err_data(e, "another build id");
}

static int
open_dwp(void *ctx, struct elf_file **out, struct err *e)
{
	char path[FILE_PATH_MAX];

	snprintf(path, sizeof path, "%s.dwp", (char *)ctx);
	return open_file(path, out, e);
}

static int
open_dwo(void *ctx, struct slice dir, struct slice name, struct elf_file **out, struct err *e)
{
	(void)ctx;
	return open_below(dir, name, out, e);
}

static void
print(const struct dwarf_frame *f)
{
	printf("%.*s\n", f->function.len > 0 ? (int)f->function.len : 2,
	    f->function.len > 0 ? f->function.p : "??");
	if (f->line > 0)
		printf("%.*s:%" PRIu32 "\n", (int)f->file.len, f->file.p, f->line);
	else
		printf("%.*s:?\n", f->file.len > 0 ? (int)f->file.len : 2,
		    f->file.len > 0 ? f->file.p : "??");
}

static int
find_all(struct dwarf *d)
{
	unsigned long damaged = 0;
	struct dwarf_frame *frame;
	struct err e, last = { 0 };
	uint64_t address;
	size_t n, i;

	while (scanf("%" SCNx64, &address) == 1) {
		if (dwarf_find(d, address, &frame, &n, &e) != 0) {
			last = e;
			damaged++;
		}
		if (last.code == ERR_SYS)
			break;
		printf("0x%" PRIx64 "\n", address);
		for (i = 0; i < n; i++)
			print(&frame[i]);
	}
	if (damaged > 0)
		fprintf(stderr, "%lu %s: %s\n", damaged,
		    last.code == ERR_DOUBT ? "missing" : "damaged", last.msg);
	return last.code == ERR_SYS ? 3 : 0;
}

int
main(int argc, char **argv)
{
	struct dwarf_related related = { argv[1], open_alt, open_dwp, open_dwo };
	struct elf_file *f;
	struct dwarf *d;
	struct err e;
	int rc;

	if (argc < 2)
		return 2;
	if (open_file(argv[1], &f, &e) != 0) {
		fprintf(stderr, "%s: cannot be read: %s\n", argv[1], e.msg);
		return 1;
	}
	if (!dwarf_is_in(f) || dwarf_open(f, &related, &d, &e) != 0) {
		fprintf(stderr, "%s: has no DWARF that can be read\n", argv[1]);
		elf_file_close(f);
		return 1;
	}
	if (argc > 2)
		mem_set_ceiling(mem_used() + strtoull(argv[2], NULL, 10));
	rc = find_all(d);
	dwarf_close(d);
	return rc;
}
