/* SPDX-License-Identifier: ISC */
/*
 * dwarf.c - prints the frames at addresses of an object, as llvm-addr2line -a -i -f does.
 *
 *	dwarf FILE [BYTES] <ADDRESSES
 *	dwarf -r FILE <ADDRESSES
 *
 * Addresses are linked ones, in hex, one a line.  Other files are opened where FILE says they are,
 * and FILE.dwp beside it.  Errors of the data are counted on standard error.  BYTES is how much
 * memory there is besides that for opening the file.
 *
 * -r: looks each address up again and again while something is refused, at each place in turn: the
 * right to read on, memory, and reads.  A look-up that does not fail finds the same frames as
 * without, also one that comes after a look-up that has failed.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "src/symbol/dwarf.h"
#include "src/symbol/dwarfint.h"
#include "t/unit/calls.h"
#include "t/unit/check.h"

static struct check check;

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
print(FILE *to, const struct dwarf_frame *f)
{
	fprintf(to, "%.*s\n", f->function.len > 0 ? (int)f->function.len : 2,
	    f->function.len > 0 ? f->function.p : "??");
	if (f->line > 0)
		fprintf(to, "%.*s:%" PRIu32 "\n", (int)f->file.len, f->file.p, f->line);
	else
		fprintf(to, "%.*s:?\n", f->file.len > 0 ? (int)f->file.len : 2,
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
			print(stdout, &frame[i]);
	}
	if (damaged > 0)
		fprintf(stderr, "%lu %s: %s\n", damaged,
		    last.code == ERR_DOUBT ? "missing" : "damaged", last.msg);
	return last.code == ERR_SYS ? 3 : 0;
}

/* ---- what is refused */

enum kind { WORK, MEMORY, READS, KINDS };

/* What there is without. */
struct found {
	char *text; /* the frames */
	size_t units;
};

/* Refuses everything after that many bytes, or the one read after that many reads. */
static void
refuse(enum kind kind, struct dwarf *d, uint64_t after)
{
	if (kind == WORK)
		d->work = after - DWARF_WORK_PER_LOOK; /* which the look-up adds */
	else if (kind == MEMORY)
		mem_set_ceiling(mem_used() + after);
	else
		calls_fail(CALL_PREAD, (unsigned)after, 1, EIO);
}

static void
allow(struct dwarf *d)
{
	d->work = UINT64_MAX / 2;
	mem_set_ceiling(UINT64_MAX);
	(void)calls_reset(CALL_PREAD);
}

/* Looks an address up.  The frames are in *text, which the caller frees. */
static int
look_up(struct dwarf *d, uint64_t address, char **text, struct err *e)
{
	struct dwarf_frame *frame;
	size_t size, n, i;
	FILE *to = open_memstream(text, &size);
	int rc = dwarf_find(d, address, &frame, &n, e);

	for (i = 0; to != NULL && i < n; i++)
		print(to, &frame[i]);
	if (to == NULL || fclose(to) != 0)
		exit(3);
	return rc;
}

/* Checks that a look-up fails as it should, or finds the frames.  Returns its status. */
static int
try(struct dwarf *d, uint64_t address, enum kind kind, uint64_t after, const char *want)
{
	const char *message = kind == WORK ? "its debug information refers to itself too often"
	    : kind == MEMORY               ? "it needs more memory"
					   : "Input/output error";
	struct err e = { .code = ERR_NONE };
	char *text;
	int rc = look_up(d, address, &text, &e);

	if (rc != 0)
		CHECK(&check,
		    rc == (kind == WORK ? ERR_DATA : ERR_SYS) && strstr(e.msg, message) != NULL,
		    "0x%" PRIx64 ", %d after %" PRIu64 ": %s", address, kind, after, e.msg);
	else
		CHECK(&check, strcmp(text, want) == 0, "0x%" PRIx64 ", %d after %" PRIu64 ": %s",
		    address, kind, after, text);
	free(text);
	return rc;
}

static int
open_dwarf(char *path, struct dwarf **d, struct err *e)
{
	struct dwarf_related related = { path, open_alt, open_dwp, open_dwo };
	struct elf_file *f;
	int rc = open_file(path, &f, e);

	if (rc == 0 && (rc = dwarf_open(f, &related, d, e)) != 0)
		elf_file_close(f);
	return rc;
}

/* Looks an address up with a refusal, and without it.  Returns true if that refused nothing. */
static bool
is_enough(char *path, uint64_t address, enum kind kind, uint64_t after, const struct found *want)
{
	struct dwarf *d;
	struct err e;
	int rc;

	if (kind == READS)
		refuse(kind, NULL, after);
	if (open_dwarf(path, &d, &e) != 0) {
		CHECK(&check, kind == READS && e.code == ERR_SYS && e.errnum == EIO, "%s", e.msg);
		return false;
	}
	if (kind != READS)
		refuse(kind, d, after);
	rc = try(d, address, kind, after, want->text);
	if (kind == READS && calls[CALL_PREAD].failed == 0)
		rc = 0;
	else if (kind == READS && rc == 0) /* it was not needed */
		rc = ERR_SYS;
	allow(d);
	if (try(d, address, kind, after, want->text) == 0)
		CHECK(&check, d->main.units == want->units, "%zu units", d->main.units);
	dwarf_close(d);
	return rc == 0;
}

static int
refuse_all(char *path)
{
	static const unsigned steps[KINDS] = { [WORK] = 4, [MEMORY] = 16, [READS] = 1 };
	uint64_t address, after;
	enum kind kind;
	struct dwarf *d;
	struct err e;
	struct found want;

	while (scanf("%" SCNx64, &address) == 1) {
		if (open_dwarf(path, &d, &e) != 0 || look_up(d, address, &want.text, &e) != 0)
			return 1;
		want.units = d->main.units;
		dwarf_close(d);
		for (kind = 0; kind < KINDS; kind++) {
			for (after = 0; !is_enough(path, address, kind, after, &want);)
				after += steps[kind] + (kind != READS ? after / 256 : 0);
			CHECK(&check, after > 0, "%d: nothing was refused", kind);
		}
		free(want.text);
	}
	return check_end(&check);
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
	if (argc == 3 && strcmp(argv[1], "-r") == 0)
		return refuse_all(argv[2]);
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
