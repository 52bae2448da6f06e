/* SPDX-License-Identifier: ISC */
/*
 * cfi.c - compares the rules of src/unwind/cfi.c with libdw's for every place of ELF files.
 *
 *	cfi FILE...
 *
 * Prints the number of places compared in each file, and the first differences.  Exits 1 if there
 * are any.  What libdw describes by an expression must be an expression here; its operations are
 * the same bytes of the file.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/symbol/elf.h"

#define SHOWN_MAX 5

static unsigned long differences;

static void
differ(uint64_t at, const char *what)
{
	if (differences++ < SHOWN_MAX)
		printf("0x%" PRIx64 ": %s\n", at, what);
}

/* Is it CFA + OFFSET as a location, or (with value) as a value? */
static int
is_offset(const Dwarf_Op *op, size_t n, int64_t *offset, int *value)
{
	*value = n > 0 && op[n - 1].atom == DW_OP_stack_value;
	n -= (size_t)*value;
	*offset = n == 2 ? (int64_t)op[1].number : 0;
	return n >= 1 && n <= 2 && op[0].atom == DW_OP_call_frame_cfa &&
	    (n == 1 || op[1].atom == DW_OP_plus_uconst);
}

static const struct cfi_register *
find(const struct cfi_rule *rule, int number)
{
	uint8_t i;

	for (i = 0; i < rule->n; i++)
		if (rule->reg[i].number == number)
			return &rule->reg[i];
	return NULL;
}

static void
compare_register(uint64_t at, Dwarf_Frame *frame, const struct cfi_rule *rule, int number)
{
	const struct cfi_register *r = find(rule, number);
	enum cfi_how how = r == NULL ? CFI_SAME : (enum cfi_how)r->how;
	Dwarf_Op memory[3], *op;
	int64_t offset;
	size_t n;
	int value;

	if (dwarf_frame_register(frame, number, memory, &op, &n) != 0)
		return;
	if (n == 0) {
		/* libdw follows the ABI where nothing is said: ours is then the same value */
		if (how != CFI_SAME && how != CFI_UNDEFINED)
			differ(at, "a register that libdw does not restore");
		else if (op == NULL && how == CFI_UNDEFINED)
			differ(at, "a register that libdw leaves as it is");
	} else if (is_offset(op, n, &offset, &value)) {
		/* the ABI's rule for the stack pointer, which unwind.c knows: it is the CFA */
		if (how == CFI_SAME && value && offset == 0)
			return;
		if (how != (value ? CFI_IS_CFA : CFI_AT_CFA) || r->value != offset)
			differ(at, "another offset from the CFA");
	} else if (n == 1 && op[0].atom >= DW_OP_reg0 && op[0].atom <= DW_OP_reg31) {
		if (how != CFI_REGISTER || r->value != op[0].atom - DW_OP_reg0)
			differ(at, "another register");
	} else if (n == 1 && op[0].atom == DW_OP_regx) {
		if (how != CFI_REGISTER || r->value != (int32_t)op[0].number)
			differ(at, "another register");
	} else if (how != CFI_AT_EXPRESSION && how != CFI_IS_EXPRESSION) {
		differ(at, "an expression of libdw");
	}
}

static void
compare_cfa(uint64_t at, Dwarf_Frame *frame, const struct cfi_rule *rule)
{
	int number = -1;
	int64_t offset = 0;
	Dwarf_Op *op;
	size_t n;

	if (dwarf_frame_cfa(frame, &op, &n) != 0)
		return;
	if (n == 1 && op[0].atom >= DW_OP_breg0 && op[0].atom <= DW_OP_breg31) {
		number = op[0].atom - DW_OP_breg0;
		offset = (int64_t)op[0].number;
	} else if (n == 1 && op[0].atom == DW_OP_bregx) {
		number = (int)op[0].number;
		offset = (int64_t)op[0].number2;
	}
	if ((number >= 0) != (rule->cfa.how == CFI_REGISTER) ||
	    (number >= 0 && (rule->cfa.number != number || rule->cfa.value != offset)))
		differ(at, "another CFA");
}

static void
compare(Dwarf_CFI *theirs, const struct cfi *ours, uint64_t at)
{
	struct cfi_rule rule;
	Dwarf_Frame *frame = NULL;
	bool found = cfi_find(ours, at - cfi_shift(ours, at), &rule), signal = false;
	int number, column;

	if (dwarf_cfi_addrframe(theirs, at, &frame) != 0) {
		if (found)
			differ(at, "no entry of libdw");
		return;
	}
	if (!found) {
		differ(at, "an entry of libdw");
		free(frame);
		return;
	}
	column = dwarf_frame_info(frame, NULL, NULL, &signal);
	if (column != rule.return_column || signal != rule.signal)
		differ(at, "another column of the return address, or no signal frame");
	compare_cfa(at, frame, &rule);
	for (number = 0; number < CFI_REGISTERS; number++)
		compare_register(at, frame, &rule, number);
	free(frame);
}

/* Compares all places of the executable sections. */
static unsigned long
compare_code(Elf *elf, Dwarf_CFI *theirs, const struct cfi *ours)
{
	Elf_Scn *section = NULL;
	unsigned long n = 0;
	GElf_Shdr header;
	uint64_t at;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL ||
		    (header.sh_flags & SHF_EXECINSTR) == 0)
			continue;
		for (at = header.sh_addr; at < header.sh_addr + header.sh_size; at++, n++)
			compare(theirs, ours, at);
	}
	return n;
}

static int
compare_file(const char *path)
{
	struct file_name name = { .path = path };
	unsigned wanted = ELF_UNWIND_ALL & ~ELF_UNWIND_SEGMENTS & ~(1u << CFI_DEBUG_FRAME);
	int fd = open(path, O_RDONLY);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *theirs = dwarf_getcfi_elf(elf);
	struct cfi *ours = cfi_new();
	struct elf_file *f;
	struct err e;

	if (elf_file_open(&name, &f, &e) != 0 || elf_unwind_info(f, ours, &wanted, &e) != 0 ||
	    theirs == NULL) {
		printf("%s: cannot be read\n", path);
		return 1;
	}
	cfi_finish(ours);
	/* without segments places are addresses */
	printf("%s: %lu places, %zu entries\n", path, compare_code(elf, theirs, ours),
	    cfi_count(ours));
	cfi_free(ours);
	elf_file_close(f);
	dwarf_cfi_end(theirs);
	elf_end(elf);
	close(fd);
	return 0;
}

int
main(int argc, char **argv)
{
	int i, bad = 0;

	elf_version(EV_CURRENT);
	for (i = 1; i < argc; i++)
		bad |= compare_file(argv[i]);
	return bad || differences != 0;
}
