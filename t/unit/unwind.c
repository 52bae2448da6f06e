/* SPDX-License-Identifier: ISC */
/*
 * unwind.c - tests the unwinder with tables of small programs: operations of expressions, call
 * frame instructions, forms of entries, and steps without unwind information.
 *
 * A function at 0x401000 (0x1000 in the object, whose addresses are 0x400000 lower) has 256 bytes.
 * The stack begins at 0x7000 and has 64 bytes, of which the byte at N is N + 1.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/mem.h"
#include "src/unwind/unwind.h"
#include "t/unit/check.h"

#define FROM UINT64_C(0x1000)
#define BIAS UINT64_C(0x400000)
#define CODE_SIZE 0x100
#define STACK UINT64_C(0x7000)
#define STACK_SIZE 64
#define FRAMES 8

static struct check check;

/* Bytes, with the sizes and the order of a target. */
struct bytes {
	struct buf b;
	bool big;
};

static void
put(struct bytes *b, uint64_t v, unsigned size)
{
	unsigned i;

	for (i = 0; i < size; i++)
		if (!buf_putc(&b->b, (char)(v >> 8 * (b->big ? size - 1 - i : i))))
			CHECK(&check, false, "no memory");
}

static void
put_bytes(struct bytes *b, const char *p, size_t n)
{
	CHECK(&check, n == 0 || buf_put(&b->b, p, n), "no memory");
}

/* What a section is like; zeros are a .debug_frame of 64 bits, with records of 32 bits. */
struct form {
	bool eh, narrow, big, long_records;
	bool no_cfa; /* the common part has no rules */
	bool relative; /* addresses are relative to their own place */
	unsigned version; /* 0: 1 for .eh_frame, otherwise 3 */
	const char *letters; /* the augmentation */
	const char *data; /* of the augmentation */
	size_t data_len;
	unsigned column; /* of the return address; 0: 16 */
	unsigned code_factor; /* 0: 1 */
	unsigned address_size; /* of version 4; 0: as the file has it */
	unsigned selector_size; /* of version 4 */
};

static void
put_record(struct bytes *to, const struct form *f, const struct bytes *record)
{
	if (f->long_records) {
		put(to, UINT32_MAX, 4);
		put(to, record->b.len, 8);
	} else {
		put(to, record->b.len, 4);
	}
	put_bytes(to, record->b.p, record->b.len);
}

/* Appends the entry that others share, with "CFA: r7 + 8; r16: at CFA - 8". */
static void
put_common(struct bytes *to, const struct form *f)
{
	struct bytes c = { .big = f->big };
	unsigned version = f->version != 0 ? f->version : f->eh ? 1 : 3;
	const char *letters = f->letters != NULL ? f->letters : "";

	if (f->eh)
		put(&c, 0, 4);
	else
		put(&c, f->long_records ? UINT64_MAX : UINT32_MAX, f->long_records ? 8 : 4);
	put(&c, version, 1);
	put_bytes(&c, letters, strlen(letters) + 1);
	if (strcmp(letters, "eh") == 0)
		put(&c, 0, f->narrow ? 4 : 8);
	if (version == 4) {
		put(&c, f->address_size != 0 ? f->address_size : f->narrow ? 4 : 8, 1);
		put(&c, f->selector_size, 1);
	}
	put(&c, f->code_factor != 0 ? f->code_factor : 1, 1);
	put(&c, 0x78, 1); /* data factor: -8 */
	put(&c, f->column != 0 ? f->column : 16, 1);
	if (letters[0] == 'z') {
		put(&c, f->data_len, 1);
		put_bytes(&c, f->data, f->data != NULL ? f->data_len : 0);
	}
	if (!f->no_cfa)
		put_bytes(&c, "\x0c\x07\x08\x90\x01", 5);
	put_record(to, f, &c);
	buf_free(&c.b);
}

/* Appends an entry for the addresses from FROM on, with that program. */
static void
put_entry_at(struct bytes *to, const struct form *f, size_t common, uint64_t from, uint64_t code,
    const char *program, size_t n)
{
	unsigned size = f->address_size != 0 ? f->address_size : f->narrow ? 4 : 8;
	struct bytes c = { .big = f->big };

	if (f->eh)
		put(&c, to->b.len - common + (f->long_records ? 12 : 4), 4);
	else
		put(&c, common, f->long_records ? 8 : 4);
	put(&c, f->relative ? from - (to->b.len + 8) : from, size);
	put(&c, code, size);
	if (f->letters != NULL && f->letters[0] == 'z')
		put(&c, 0, 1);
	put_bytes(&c, program, n);
	put_record(to, f, &c);
	buf_free(&c.b);
}

static void
put_entry(struct bytes *to, const struct form *f, size_t common, const char *program, size_t n)
{
	put_entry_at(to, f, common, FROM, CODE_SIZE, program, n);
}

/* Makes the rules of a section, which it takes over. */
static struct cfi *
rules_of(const struct form *f, struct bytes *b)
{
	struct cfi_format format = { .wide = !f->narrow, .big_endian = f->big };
	struct cfi *c = cfi_new();
	struct err e;

	CHECK(&check,
	    c != NULL &&
		cfi_add_section(c, f->eh ? CFI_EH_FRAME : CFI_DEBUG_FRAME, &b->b, &format, &e) == 0,
	    "no memory");
	cfi_finish(c);
	return c;
}

static struct cfi *
rules(const struct form *f, const char *program, size_t n)
{
	struct bytes b = { .big = f->big };

	put_common(&b, f);
	put_entry(&b, f, 0, program, n);
	return rules_of(f, &b);
}

/* ---- call frame instructions: the rule at a place in the function, as text */

static void
spell_register(char *to, size_t size, const struct cfi_register *r)
{
	static const char *const how[] = { "same", "gone", "*c", "c", "r", "*x", "x" };
	size_t n = strlen(to);

	if (r->how == CFI_UNDEFINED)
		snprintf(to + n, size - n, " r%u=gone", r->number);
	else if (r->how >= CFI_AT_EXPRESSION)
		snprintf(to + n, size - n, " r%u=%s", r->number, how[r->how]);
	else
		snprintf(to + n, size - n, " r%u=%s%+d", r->number, how[r->how], r->value);
}

static const char *
spell(const struct cfi_rule *rule, char *to, size_t size)
{
	uint8_t i;

	if (rule->cfa.how == CFI_IS_EXPRESSION)
		snprintf(to, size, "x");
	else
		snprintf(to, size, "r%u%+d", rule->cfa.number, rule->cfa.value);
	for (i = 0; i < rule->n; i++)
		spell_register(to, size, &rule->reg[i]);
	snprintf(to + strlen(to), size - strlen(to), " [%" PRIx64 ",%" PRIx64 ")", rule->from,
	    rule->to);
	return to;
}

#define BYTES(text) text, sizeof(text) - 1

static const struct program {
	const char *name, *bytes;
	size_t n;
	unsigned at; /* in the function */
	const char *want; /* NULL: no rule */
} programs[] = {
	{ "nothing", BYTES(""), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "nop, AArch64's state", BYTES("\x00\x2d"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "offset", BYTES("\x86\x02"), 0, "r7+8 r6=*c-16 r16=*c-8 [1000,1100)" },
	{ "offset of the first register", BYTES("\x80\x02"), 0,
	    "r7+8 r0=*c-16 r16=*c-8 [1000,1100)" },
	{ "offset of the last register", BYTES("\xa0\x02"), 0,
	    "r7+8 r16=*c-8 r32=*c-16 [1000,1100)" },
	{ "offset_extended", BYTES("\x05\x06\x03"), 0, "r7+8 r6=*c-24 r16=*c-8 [1000,1100)" },
	{ "offset_extended_sf", BYTES("\x11\x06\x7f"), 0, "r7+8 r6=*c+8 r16=*c-8 [1000,1100)" },
	{ "GNU_negative_offset_extended", BYTES("\x2f\x06\x02"), 0,
	    "r7+8 r6=*c+16 r16=*c-8 [1000,1100)" },
	{ "val_offset", BYTES("\x14\x06\x02"), 0, "r7+8 r6=c-16 r16=*c-8 [1000,1100)" },
	{ "val_offset_sf", BYTES("\x15\x06\x7e"), 0, "r7+8 r6=c+16 r16=*c-8 [1000,1100)" },
	{ "undefined", BYTES("\x07\x06"), 0, "r7+8 r6=gone r16=*c-8 [1000,1100)" },
	{ "same_value", BYTES("\x86\x02\x08\x06"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "register", BYTES("\x09\x06\x03"), 0, "r7+8 r6=r+3 r16=*c-8 [1000,1100)" },
	{ "expression", BYTES("\x10\x06\x01\x30"), 0, "r7+8 r6=*x r16=*c-8 [1000,1100)" },
	{ "val_expression", BYTES("\x16\x06\x01\x30"), 0, "r7+8 r6=x r16=*c-8 [1000,1100)" },
	{ "an expression that is cut", BYTES("\x16\x06\x05\x30"), 0, NULL },
	{ "restore", BYTES("\x90\x05\xd0"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "restore_extended", BYTES("\x90\x05\x06\x10"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "restore_extended of a vector", BYTES("\x06\x30"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "def_cfa", BYTES("\x0c\x06\x10"), 0, "r6+16 r16=*c-8 [1000,1100)" },
	{ "def_cfa_sf", BYTES("\x12\x06\x7e"), 0, "r6+16 r16=*c-8 [1000,1100)" },
	{ "def_cfa_register", BYTES("\x0d\x06"), 0, "r6+8 r16=*c-8 [1000,1100)" },
	{ "def_cfa_offset", BYTES("\x0e\x20"), 0, "r7+32 r16=*c-8 [1000,1100)" },
	{ "def_cfa_offset_sf", BYTES("\x13\x7c"), 0, "r7+32 r16=*c-8 [1000,1100)" },
	{ "def_cfa_expression", BYTES("\x0f\x01\x30"), 0, "x r16=*c-8 [1000,1100)" },
	{ "def_cfa of a vector", BYTES("\x0c\x30\x10"), 0, NULL },
	{ "def_cfa beyond 31 bits", BYTES("\x0e\x80\x80\x80\x80\x08"), 0, NULL },
	{ "def_cfa below -31 bits", BYTES("\x13\x81\x80\x80\x80\x01"), 0, NULL },
	{ "offset beyond 31 bits", BYTES("\x86\x80\x80\x80\x80\x02"), 0, NULL },
	{ "offset below -31 bits", BYTES("\x11\x06\x80\x80\x80\x80\x7e"), 0, NULL },
	{ "offset of a vector", BYTES("\xa5\x02"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "offset and restore of the first vector", BYTES("\xa1\x02\xe1"), 0,
	    "r7+8 r16=*c-8 [1000,1100)" },
	{ "def_cfa of the first vector", BYTES("\x0c\x21\x10"), 0, NULL },
	{ "GNU_args_size", BYTES("\x2e\x10"), 0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "remember_state, restore_state", BYTES("\x0a\x0e\x20\x86\x02\x0b"), 0,
	    "r7+8 r16=*c-8 [1000,1100)" },
	{ "restore_state alone", BYTES("\x0b"), 0, NULL },
	{ "64 states",
	    BYTES("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		  "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		  "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		  "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"),
	    0, "r7+8 r16=*c-8 [1000,1100)" },
	{ "65 states",
	    BYTES("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		  "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		  "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
		  "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"),
	    0, NULL },
	{ "advance_loc, before", BYTES("\x44\x0e\x20"), 3, "r7+8 r16=*c-8 [1000,1004)" },
	{ "advance_loc, after", BYTES("\x44\x0e\x20"), 4, "r7+32 r16=*c-8 [1004,1100)" },
	{ "advance_loc1", BYTES("\x02\x04\x0e\x20\x02\x05\x0e\x30"), 8,
	    "r7+32 r16=*c-8 [1004,1009)" },
	{ "advance_loc2", BYTES("\x03\x04\x00\x0e\x20"), 4, "r7+32 r16=*c-8 [1004,1100)" },
	{ "advance_loc4", BYTES("\x04\x04\x00\x00\x00\x0e\x20"), 4, "r7+32 r16=*c-8 [1004,1100)" },
	{ "advance_loc8", BYTES("\x1d\x04\x00\x00\x00\x00\x00\x00\x00\x0e\x20"), 4,
	    "r7+32 r16=*c-8 [1004,1100)" },
	{ "set_loc", BYTES("\x01\x04\x10\x00\x00\x00\x00\x00\x00\x0e\x20"), 4,
	    "r7+32 r16=*c-8 [1004,1100)" },
	{ "set_loc, backwards", BYTES("\x01\x04\x00\x00\x00\x00\x00\x00\x00\x0e\x20"), 4,
	    "r7+32 r16=*c-8 [1000,1100)" },
	{ "a row beyond the function", BYTES("\x03\x00\x02\x0e\x20"), 4,
	    "r7+8 r16=*c-8 [1000,1100)" },
	{ "def_cfa_register after an expression", BYTES("\x0f\x01\x30\x0d\x06"), 0, NULL },
	{ "def_cfa_offset after an expression", BYTES("\x0f\x01\x30\x0e\x20"), 0, NULL },
	{ "def_cfa_offset_sf after an expression", BYTES("\x0f\x01\x30\x13\x7c"), 0, NULL },
	{ "def_cfa after an expression", BYTES("\x0f\x01\x30\x0c\x06\x10"), 0,
	    "r6+16 r16=*c-8 [1000,1100)" },
	{ "an unknown instruction", BYTES("\x3f\x00"), 0, NULL },
	{ "an operand that is missing", BYTES("\x86"), 0, NULL },
	{ "a number that is cut", BYTES("\x86\x80"), 0, NULL },
	{ "a number of ten bytes", BYTES("\x11\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0,
	    "r7+8 r6=*c+8 r16=*c-8 [1000,1100)" },
	{ "the highest offset of a CFA", BYTES("\x0e\xff\xff\xff\xff\x07"), 0,
	    "r7+2147483647 r16=*c-8 [1000,1100)" },
	{ "the lowest offset of a CFA", BYTES("\x13\x80\x80\x80\x80\x01"), 0,
	    "r7-2147483648 r16=*c-8 [1000,1100)" },
	{ "the lowest offset", BYTES("\x86\x80\x80\x80\x80\x01"), 0,
	    "r7+8 r6=*c-2147483648 r16=*c-8 [1000,1100)" },
	{ "the highest register", BYTES("\x09\x06\xff\xff\xff\xff\x07"), 0,
	    "r7+8 r6=r+2147483647 r16=*c-8 [1000,1100)" },
	{ "nothing is run after damage", BYTES("\x0b\x0e\x20"), 0, NULL },
	{ "beyond the function", BYTES(""), CODE_SIZE, NULL },
};

/* Checks that an instruction that follows is run. */
static void
test_next(const struct form *form, const struct program *p)
{
	struct bytes b = { .big = false };
	struct cfi_rule rule;
	struct cfi *c;
	uint8_t i;

	put_bytes(&b, p->bytes, p->n);
	put_bytes(&b, "\x89\x01", 2);
	c = rules(form, b.b.p, b.b.len);
	CHECK(&check, cfi_find(c, FROM, &rule), "%s", p->name);
	for (i = 0; i < rule.n && rule.reg[i].number != 9; i++)
		;
	CHECK(&check, i < rule.n, "%s", p->name);
	cfi_free(c);
	buf_free(&b.b);
}

static void
test_programs(void)
{
	static const struct form form = { .version = 3 };
	const struct program *p;
	struct cfi_rule rule;
	struct cfi *c;
	char text[1000];
	bool found;

	for (p = programs; p < programs + sizeof programs / sizeof *programs; p++) {
		c = rules(&form, p->bytes, p->n);
		found = cfi_find(c, FROM + p->at, &rule);
		CHECK(&check, found == (p->want != NULL), "%s", p->name);
		if (found && p->want != NULL)
			CHECK(&check, strcmp(spell(&rule, text, sizeof text), p->want) == 0,
			    "%s: %s", p->name, text);
		cfi_free(c);
		if (p->want != NULL && p->at == 0)
			test_next(&form, p);
	}
}

/* ---- the forms of entries */

static const struct entry_case {
	const char *name;
	struct form form;
	bool found, signal;
} entries[] = {
	{ ".debug_frame", { .version = 3 }, true, false },
	{ "version 1", { .version = 1 }, true, false },
	{ "version 2", { .version = 2 }, false, false },
	{ "version 4", { .version = 4 }, true, false },
	{ "version 4, other addresses", { .version = 4, .address_size = 2 }, false, false },
	{ "version 4, segments", { .version = 4, .selector_size = 2 }, false, false },
	{ "version 4, addresses of 4 bytes", { .version = 4, .address_size = 4 }, true, false },
	{ "no rule for the CFA", { .no_cfa = true }, false, false },
	{ "relative addresses",
	    { .eh = true, .relative = true, .letters = "zR", .data = "\x10", .data_len = 1 }, true,
	    false },
	{ "data beyond the record", { .eh = true, .letters = "zR", .data_len = 99 }, false, false },
	{ "64-bit records", { .long_records = true }, true, false },
	{ "32 bits", { .narrow = true }, true, false },
	{ "big-endian", { .big = true }, true, false },
	{ ".eh_frame", { .eh = true }, true, false },
	{ ".eh_frame, 64-bit records", { .eh = true, .long_records = true }, true, false },
	{ "old gcc", { .eh = true, .letters = "eh" }, true, false },
	{ "letters without a size", { .eh = true, .letters = "R" }, false, false },
	{ "addresses as they are", { .eh = true, .letters = "zR", BYTES("\x00"), 0, 0, 0, 0 }, true,
	    false },
	{ "8-byte addresses", { .eh = true, .letters = "zR", BYTES("\x04"), 0, 0, 0, 0 }, true,
	    false },
	{ "signed 8-byte addresses", { .eh = true, .letters = "zR", BYTES("\x0c"), 0, 0, 0, 0 },
	    true, false },
	{ "4-byte addresses",
	    { .eh = true, .narrow = true, .letters = "zR", BYTES("\x03"), 0, 0, 0, 0 }, true,
	    false },
	{ "signed 4-byte addresses",
	    { .eh = true, .narrow = true, .letters = "zR", BYTES("\x0b"), 0, 0, 0, 0 }, true,
	    false },
	{ "relative to something else", { .eh = true, .letters = "zR", BYTES("\x30"), 0, 0, 0, 0 },
	    false, false },
	{ "the address of an address",
	    { .eh = true, .relative = true, .letters = "zR", .data = "\x90", .data_len = 1 }, false,
	    false },
	{ "no addresses", { .eh = true, .letters = "zR", BYTES("\xff"), 0, 0, 0, 0 }, false,
	    false },
	{ "an unknown form", { .eh = true, .letters = "zR", BYTES("\x05"), 0, 0, 0, 0 }, false,
	    false },
	{ "a signal frame", { .eh = true, .letters = "zRS", BYTES("\x00"), 0, 0, 0, 0 }, true,
	    true },
	{ "a language's data", { .eh = true, .letters = "zLR", BYTES("\x1b\x00"), 0, 0, 0, 0 },
	    true, false },
	{ "data without a byte for a letter", { .eh = true, .letters = "zR" }, false, false },
	{ "a personality of an unknown form",
	    { .eh = true, .letters = "zPR", BYTES("\x05\x00\x00\x00"), 0, 0, 0, 0 }, false, false },
	{ "a personality that is cut",
	    { .eh = true, .letters = "zPR", BYTES("\x03\x01\x02\x00"), 0, 0, 0, 0 }, false, false },
	{ "a personality and a language's data",
	    { .eh = true, .letters = "zPLRS", BYTES("\x0b\x01\x02\x03\x04\x1b\x00"), 0, 0, 0, 0 },
	    true, true },
	{ "the same in another order",
	    { .eh = true, .letters = "zRLPS", BYTES("\x00\x1b\x0b\x01\x02\x03\x04"), 0, 0, 0, 0 },
	    true, true },
	{ "a personality",
	    { .eh = true, .letters = "zPR", BYTES("\x0b\x01\x02\x03\x04\x00"), 0, 0, 0, 0 }, true,
	    false },
	{ "a personality of 2 bytes",
	    { .eh = true, .letters = "zPRS", BYTES("\x02\x01\x02\x00"), 0, 0, 0, 0 }, true, true },
	{ "a personality of 2 bytes with a sign",
	    { .eh = true, .letters = "zPRS", BYTES("\x0a\x01\x02\x00"), 0, 0, 0, 0 }, true, true },
	{ "a personality as LEB128",
	    { .eh = true, .letters = "zPRS", BYTES("\x01\x81\x02\x00"), 0, 0, 0, 0 }, true, true },
	{ "a personality as signed LEB128",
	    { .eh = true, .letters = "zPRS", BYTES("\x09\x81\x02\x00"), 0, 0, 0, 0 }, true, true },
	{ "AArch64's letters", { .eh = true, .letters = "zRBGS", BYTES("\x00"), 0, 0, 0, 0 }, true,
	    true },
	{ "an unknown letter ends the list",
	    { .eh = true, .letters = "zR!S", BYTES("\x00"), 0, 0, 0, 0 }, true, false },
	{ "an unknown letter after data that are cut", { .eh = true, .letters = "zR!" }, false,
	    false },
	{ "a return address in a vector", { .column = 64 }, false, false },
	{ "a return address in the first vector", { .column = 33 }, false, false },
	{ "one in the last register", { .column = 32 }, true, false },
};

static void
test_entries(void)
{
	const struct entry_case *k;
	struct cfi_rule rule;
	struct cfi *c;

	for (k = entries; k < entries + sizeof entries / sizeof *entries; k++) {
		c = rules(&k->form, "", 0);
		CHECK(&check, cfi_find(c, FROM, &rule) == k->found, "%s", k->name);
		CHECK(&check, !k->found || rule.signal == k->signal, "%s", k->name);
		CHECK(&check, !k->found || cfi_count(c) == 1, "%s", k->name);
		CHECK(&check, !k->found || (rule.from == FROM && rule.to == FROM + CODE_SIZE), "%s",
		    k->name);
		cfi_free(c);
	}
}

/* Entries in any order, of several commons; records that are cut; segments. */
static void
test_sections(void)
{
	static const struct form form = { .version = 3 }, eh = { .eh = true };
	struct bytes b = { .big = false };
	struct cfi_rule rule;
	struct cfi *c;
	struct err e;
	size_t second, whole, i;

	put_common(&b, &form);
	put_entry(&b, &form, 0, BYTES("\x0e\x10"));
	second = b.b.len;
	put_common(&b, &form);
	put_entry(&b, &form, second, BYTES("\x0e\x20"));
	put_entry(&b, &form, 5, BYTES("\x0e\x30")); /* its common is none */
	put_entry(&b, &form, 1000, BYTES("\x0e\x30"));
	c = rules_of(&form, &b);
	CHECK(&check, cfi_count(c) == 2 && cfi_find(c, FROM, &rule) && rule.cfa.value == 0x20,
	    "the last of two");
	CHECK(&check, cfi_add_segment(c, 0x3000, 0x100, 0x200, &e) == 0, "no memory");
	CHECK(&check, cfi_shift(c, 0x210) == 0x2e00 && cfi_shift(c, 0x300) == 0, "segments");
	CHECK(&check, !cfi_find(c, 0x210, &rule), "no function there");
	for (i = 0; i < 300; i++) /* no more than 256 are kept */
		CHECK(&check, cfi_add_segment(c, 0x10000 * i, 1, 0x10000 * i + 0x500, &e) == 0,
		    "no memory");
	CHECK(&check, cfi_shift(c, UINT64_C(0x10000) * 254 + 0x500) == (uint64_t)-0x500, "kept");
	CHECK(&check, cfi_shift(c, UINT64_C(0x10000) * 255 + 0x500) == 0, "not kept");
	cfi_free(c);
	put_common(&b, &eh);
	put_entry(&b, &eh, 0, BYTES(""));
	put(&b, 0, 4); /* the end; nothing is read after it */
	put_entry(&b, &eh, 0, BYTES(""));
	c = rules_of(&eh, &b);
	CHECK(&check, cfi_count(c) == 1, "entries after the end");
	cfi_free(c);
	put_common(&b, &eh);
	put_entry(&b, &eh, 0, BYTES("\x0e\x10"));
	whole = b.b.len;
	b.b.len -= 3;
	c = rules_of(&eh, &b);
	CHECK(&check, whole > 3 && cfi_count(c) == 0, "an entry that is cut");
	cfi_free(c);
	cfi_free(NULL);
}

/* Returns the number of entries of a section that f begins and the bytes end. */
static size_t
count_of(const struct form *f, struct bytes *b)
{
	struct cfi *c = rules_of(f, b);
	size_t n = cfi_count(c);

	cfi_free(c);
	*b = (struct bytes){ .big = f->big };
	return n;
}

/* Entries that are left out. */
static void
test_left_out(void)
{
	static const struct form form = { .version = 3 }, eh = { .eh = true };
	struct bytes b = { .big = false };
	size_t i, at;

	put_common(&b, &form);
	put_entry_at(&b, &form, 0, FROM, 0, "", 0);
	put_entry_at(&b, &form, 0, 0, CODE_SIZE, "", 0);
	CHECK(&check, count_of(&form, &b) == 0, "code that was dropped");
	put_common(&b, &form);
	at = b.b.len;
	put_entry(&b, &form, at, "", 0);
	CHECK(&check, count_of(&form, &b) == 0, "an entry is not common");
	put(&b, 6, 4);
	put(&b, UINT32_MAX, 4);
	put_bytes(&b, "\x03z", 2);
	put_entry(&b, &form, 0, "", 0);
	CHECK(&check, count_of(&form, &b) == 0, "letters without an end");
	put(&b, 8, 4);
	put(&b, UINT32_MAX, 4);
	put_bytes(&b, "\x03\0\x01\x78", 4);
	put_entry(&b, &form, 0, "", 0);
	CHECK(&check, count_of(&form, &b) == 0, "a common part that ends before its column");
	put_common(&b, &form);
	put_entry(&b, &form, 0, "", 0);
	put(&b, UINT32_MAX, 4);
	put(&b, UINT64_MAX, 8); /* the highest length */
	put_entry(&b, &form, 0, "", 0);
	CHECK(&check, count_of(&form, &b) == 1, "a record beyond the section");
	put_common(&b, &eh);
	put(&b, 20, 4);
	put(&b, 1000, 4); /* before the section */
	put(&b, FROM, 8);
	put(&b, CODE_SIZE, 8);
	CHECK(&check, count_of(&eh, &b) == 0, "common before the section");
	for (i = 0; i < 2; i++) { /* a large entry, and a large common part */
		put_common(&b, &form);
		put_entry(&b, &form, 0, "", 0);
		at = b.b.len;
		put(&b, CFI_ENTRY_MAX + 1, 4);
		put(&b, i == 0 ? 0 : UINT32_MAX, 4);
		put(&b, i == 0 ? FROM : UINT64_C(0x107801000003), 8);
		put(&b, CODE_SIZE, 8);
		while (b.b.len < at + 4 + CFI_ENTRY_MAX + 1)
			put(&b, 0, 1);
		if (i == 1)
			put_entry(&b, &form, at, "", 0);
		CHECK(&check, count_of(&form, &b) == 1, "a large one");
	}
}

/* The order of entries, and those that are very long. */
static void
test_order(void)
{
	static const struct form form = { .version = 3 };
	struct bytes b = { .big = false };
	struct cfi_rule rule;
	struct cfi *c;
	unsigned i;

	put_common(&b, &form);
	for (i = 9; i > 0; i--)
		put_entry_at(&b, &form, 0, FROM * i, CODE_SIZE, (char[]){ 0x0e, (char)i }, 2);
	put_entry_at(&b, &form, 0, FROM * 5, CODE_SIZE, BYTES("\x0e\x40"));
	put_entry_at(&b, &form, 0, FROM * 16, UINT64_C(1) << 33, BYTES("\x0e\x50"));
	c = rules_of(&form, &b);
	CHECK(&check, cfi_count(c) == 11, "%zu", cfi_count(c));
	for (i = 1; i < 10; i++)
		CHECK(&check,
		    cfi_find(c, FROM * i + 5, &rule) &&
			rule.cfa.value == (int32_t)(i == 5 ? 0x40 : i),
		    "%u: %d", i, rule.cfa.value);
	CHECK(&check, cfi_find(c, FROM * 16 + 0xfffffffe, &rule) && rule.cfa.value == 0x50,
	    "a long one");
	CHECK(&check, !cfi_find(c, FROM * 16 + 0xffffffff, &rule), "its end");
	cfi_free(c);
}

/* Of each kind of section, three entries in each order. */
static void
test_orders(void)
{
	static const struct form forms[] = { { .version = 3 }, { .eh = true } };
	static const unsigned orders[][3] = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 },
		{ 3, 1, 2 }, { 3, 2, 1 } };
	struct bytes b = { .big = false };
	struct cfi_rule rule;
	struct cfi *c;
	unsigned i, k;

	for (i = 0; i < 2 * sizeof orders / sizeof *orders; i++) {
		const struct form *f = &forms[i % 2];
		const unsigned *order = orders[i / 2];

		put_common(&b, f);
		for (k = 0; k < 3; k++)
			put_entry_at(&b, f, 0, FROM * order[k], CODE_SIZE,
			    (char[]){ 0x0e, (char)order[k] }, 2);
		c = rules_of(f, &b);
		b = (struct bytes){ .big = false };
		for (k = 1; k <= 3; k++)
			CHECK(&check, cfi_find(c, FROM * k, &rule) && rule.cfa.value == (int32_t)k,
			    "order %u: %d", i, rule.cfa.value);
		cfi_free(c);
	}
}

/* Many entries, from the highest address to the lowest. */
static void
test_falling(void)
{
	static const struct form form = { .version = 3 };
	const unsigned many = 10000; /* so that fresh memory, full of zeros, is behind the last */
	struct bytes b = { .big = false };
	struct cfi_rule rule;
	struct cfi *c;
	unsigned i;

	put_common(&b, &form);
	for (i = many; i > 0; i--)
		put_entry_at(&b, &form, 0, FROM * i, CODE_SIZE, (char[]){ 0x0e, (char)(i % 100) },
		    2);
	c = rules_of(&form, &b);
	for (i = many; i > 0; i--)
		if (!cfi_find(c, FROM * i, &rule) || rule.cfa.value != (int32_t)(i % 100))
			break;
	CHECK(&check, i == 0, "entry %u", i);
	cfi_free(c);
}

/* Addresses at the ends of what 32 and 64 bits hold, as they are and relative to their places. */
static void
test_addresses(void)
{
	static const struct form forms[] = {
		{ .eh = true, .letters = "zR", BYTES("\x00"), 0, 0, 0, 0 },
		{ .eh = true, .relative = true, .letters = "zR", BYTES("\x10"), 0, 0, 0, 0 }
	};
	static const struct {
		bool narrow;
		uint64_t section, from;
	} cases[] = { { false, 0x2000, 0x1000 }, { false, UINT64_C(0x7f0012340000), 0x1000 },
		{ false, 0x1000, UINT64_C(0xffffffff81000000) }, { true, 0xfffff000, 0x1000 },
		{ true, 0x1000, 0xfffff000 } };
	struct bytes b = { .big = false };
	struct cfi_rule rule;
	unsigned i;

	for (i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		struct form f = forms[i % 2];
		struct cfi_format format = { .address = cases[i / 2].section,
			.wide = !cases[i / 2].narrow };
		uint64_t from = cases[i / 2].from;
		struct cfi *c = cfi_new();
		struct err e;

		f.narrow = cases[i / 2].narrow;
		put_common(&b, &f);
		put_entry_at(&b, &f, 0, from - (f.relative ? format.address : 0), CODE_SIZE, "", 0);
		CHECK(&check, c != NULL && cfi_add_section(c, CFI_EH_FRAME, &b.b, &format, &e) == 0,
		    "no memory");
		cfi_finish(c);
		CHECK(&check, cfi_find(c, from, &rule) && rule.from == from, "case %u", i);
		cfi_free(c);
	}
}

/* Memory that runs out. */
static void
test_memory(void)
{
	static const struct form form = { .version = 3 };
	static const struct cfi_format format = { .wide = true };
	struct cfi *c = cfi_new();
	struct bytes b = { .big = false };
	struct err e;

	put_common(&b, &form);
	put_entry(&b, &form, 0, "", 0);
	mem_set_ceiling(mem_used() + 100);
	CHECK(&check, cfi_new() == NULL, "rules");
	CHECK(&check, unwinder_new() == NULL, "an unwinder without its cache");
	mem_set_ceiling(mem_used());
	CHECK(&check, unwinder_new() == NULL, "an unwinder");
	CHECK(&check, cfi_add_segment(c, 0, 1, 0, &e) == ERR_SYS, "a segment");
	CHECK(&check, cfi_add_section(c, CFI_DEBUG_FRAME, &b.b, &format, &e) == ERR_SYS,
	    "a section");
	mem_set_ceiling(UINT64_MAX);
	cfi_free(c);
}

/* ---- stacks */

struct target {
	enum unwind_arch arch;
	bool big;
	bool mapped; /* all addresses belong to the object, otherwise only the function */
	uint64_t wide; /* the size of the function; 0: CODE_SIZE */
	const struct cfi *cfi;
};

static void
object_at(void *ctx, uint64_t address, struct unwind_object *o)
{
	const struct target *t = ctx;

	*o = (struct unwind_object){ .why = UNWIND_NO_MAPPING };
	if (t->mapped || address - FROM - BIAS < (t->wide != 0 ? t->wide : CODE_SIZE)) {
		o->cfi = t->cfi;
		o->place = address - BIAS;
		o->why = UNWIND_NO_INFO;
	}
}

struct stack {
	enum unwind_end end;
	size_t n;
	uint64_t ip[FRAMES];
};

static struct stack
walk(struct target *t, const struct unwind_registers *r, const unsigned char *bytes, size_t len)
{
	struct unwind_stack s = { .arch = t->arch,
		.registers = r,
		.bytes = bytes,
		.len = len,
		.big_endian = t->big,
		.max = FRAMES,
		.object_at = object_at,
		.ctx = t };
	struct unwinder *u = unwinder_new();
	struct stack found;
	uint64_t at;

	found.end = unwind(u, &s, found.ip, &found.n, &at);
	CHECK(&check, found.n == 0 || at == found.ip[found.n - 1], "another last address");
	unwinder_free(u);
	return found;
}

/* Registers 0 to 3 have their number times 16; 4 and 5 were not recorded. */
static struct unwind_registers
registers(unsigned sp)
{
	struct unwind_registers r = { .known = 0xf | UINT64_C(1) << UNWIND_PC | UINT64_C(1) << sp };
	unsigned i;

	for (i = 0; i < 4; i++)
		r.r[i] = 16 * (uint64_t)i;
	r.r[sp] = STACK;
	r.r[UNWIND_PC] = FROM + BIAS;
	return r;
}

static void
fill(unsigned char bytes[STACK_SIZE])
{
	size_t i;

	for (i = 0; i < STACK_SIZE; i++)
		bytes[i] = (unsigned char)(i + 1);
}

/* ---- expressions: the return address is their value; the CFA, 0x7008, is on their stack */

#define BAD UNWIND_DAMAGED
#define SHORT UNWIND_SHORT
#define ZERO UNWIND_WHOLE
#define OK UNWIND_NO_MAPPING /* of the caller's address */

static const struct expression {
	const char *name, *bytes;
	size_t n;
	enum unwind_end end;
	uint64_t value; /* if OK */
} expressions[] = {
	{ "nothing: the CFA", BYTES(""), OK, 0x7008 },
	{ "addr", BYTES("\x03\x01\x00\x00\x00\x00\x00\x00\x00"), OK, BIAS + 1 },
	{ "const1u", BYTES("\x08\xff"), OK, 0xff },
	{ "const1s", BYTES("\x09\xff"), OK, UINT64_MAX },
	{ "const2u", BYTES("\x0a\xfe\xff"), OK, 0xfffe },
	{ "const2s", BYTES("\x0b\xfe\xff"), OK, UINT64_MAX - 1 },
	{ "const4u", BYTES("\x0c\xfe\xff\xff\xff"), OK, 0xfffffffe },
	{ "const4s", BYTES("\x0d\xfe\xff\xff\xff"), OK, UINT64_MAX - 1 },
	{ "const8u", BYTES("\x0e\x01\x02\x03\x04\x05\x06\x07\x08"), OK, 0x0807060504030201 },
	{ "const8s", BYTES("\x0f\x01\x02\x03\x04\x05\x06\x07\x08"), OK, 0x0807060504030201 },
	{ "constu", BYTES("\x10\x80\x01"), OK, 128 },
	{ "consts", BYTES("\x11\x7f"), OK, UINT64_MAX },
	{ "consts of nine bytes", BYTES("\x11\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), OK,
	    UINT64_MAX },
	{ "deref", BYTES("\x77\x00\x06"), OK, 0x0807060504030201 },
	{ "deref, the last word", BYTES("\x77\x38\x06"), OK, 0x403f3e3d3c3b3a39 },
	{ "deref beyond the copy", BYTES("\x77\xb9\x80\x00\x06"), SHORT, 0 },
	{ "deref before the copy", BYTES("\x77\x7f\x06"), SHORT, 0 },
	{ "deref of nothing", BYTES("\x13\x06"), BAD, 0 },
	{ "deref_size of nothing", BYTES("\x13\x94\x08"), BAD, 0 },
	{ "deref_size 1", BYTES("\x77\x01\x94\x01"), OK, 2 },
	{ "deref_size 2", BYTES("\x77\x01\x94\x02"), OK, 0x302 },
	{ "deref_size 4", BYTES("\x77\x01\x94\x04"), OK, 0x5040302 },
	{ "deref_size 8", BYTES("\x77\x01\x94\x08"), OK, 0x0908070605040302 },
	{ "deref_size 3", BYTES("\x77\x01\x94\x03"), BAD, 0 },
	{ "dup", BYTES("\x39\x12\x22"), OK, 18 },
	{ "drop", BYTES("\x39\x38\x13"), OK, 9 },
	{ "drop too much", BYTES("\x13\x13\x31"), BAD, 0 },
	{ "over", BYTES("\x39\x38\x14"), OK, 9 },
	{ "over nothing", BYTES("\x14"), BAD, 0 },
	{ "pick", BYTES("\x39\x38\x37\x15\x02"), OK, 9 },
	{ "pick too deep", BYTES("\x39\x38\x37\x15\x04"), BAD, 0 },
	{ "swap", BYTES("\x39\x31\x16\x1c"), OK, UINT64_MAX - 7 },
	{ "rot", BYTES("\x39\x38\x37\x17\x1c"), OK, 1 },
	{ "rot, the top", BYTES("\x39\x38\x37\x17"), OK, 8 },
	{ "abs", BYTES("\x09\xfb\x19"), OK, 5 },
	{ "abs of a positive", BYTES("\x35\x19"), OK, 5 },
	{ "and", BYTES("\x3d\x3b\x1a"), OK, 9 },
	{ "div", BYTES("\x09\xf9\x32\x1b"), OK, UINT64_MAX - 2 },
	{ "div of a positive by -1", BYTES("\x35\x09\xff\x1b"), OK, UINT64_MAX - 4 },
	{ "div by 0", BYTES("\x39\x30\x1b"), BAD, 0 },
	{ "div by -1", BYTES("\x0e\x00\x00\x00\x00\x00\x00\x00\x80\x09\xff\x1b"), OK,
	    UINT64_C(1) << 63 },
	{ "minus", BYTES("\x39\x32\x1c"), OK, 7 },
	{ "mod", BYTES("\x39\x35\x1d"), OK, 4 },
	{ "mod 0", BYTES("\x39\x30\x1d"), BAD, 0 },
	{ "mul", BYTES("\x39\x35\x1e"), OK, 45 },
	{ "neg", BYTES("\x39\x1f"), OK, UINT64_MAX - 8 },
	{ "not", BYTES("\x39\x20"), OK, UINT64_MAX - 9 },
	{ "or", BYTES("\x39\x34\x21"), OK, 13 },
	{ "plus", BYTES("\x39\x34\x22"), OK, 13 },
	{ "plus_uconst", BYTES("\x39\x23\x80\x01"), OK, 137 },
	{ "shl", BYTES("\x39\x34\x24"), OK, 144 },
	{ "shl by 64", BYTES("\x39\x08\x40\x24"), ZERO, 0 },
	{ "shr", BYTES("\x09\xff\x34\x25"), OK, UINT64_MAX >> 4 },
	{ "shr by 64", BYTES("\x39\x08\x40\x25"), ZERO, 0 },
	{ "shra", BYTES("\x09\xf0\x32\x26"), OK, UINT64_MAX - 3 },
	{ "shra of a positive", BYTES("\x08\xf0\x32\x26"), OK, 0x3c },
	{ "shra by 64", BYTES("\x09\xf0\x08\x40\x26"), OK, UINT64_MAX },
	{ "xor", BYTES("\x3d\x3b\x27"), OK, 6 },
	{ "bra", BYTES("\x31\x28\x01\x00\x30\x35"), OK, 5 },
	{ "bra, taken", BYTES("\x39\x31\x28\x01\x00\x30"), OK, 9 },
	{ "bra, not taken", BYTES("\x39\x30\x28\x01\x00\x35"), OK, 5 },
	{ "skip", BYTES("\x39\x2f\x01\x00\x35"), OK, 9 },
	{ "skip back", BYTES("\x39\x2f\x04\x00\x35\x2f\x03\x00\x2f\xf9\xff"), OK, 5 },
	{ "bra back to the start", BYTES("\x0a\x00\x10\x1c\x12\x0a\x08\x10\x2b\x28\xf4\xff"), OK,
	    0x1008 },
	{ "skip for ever", BYTES("\x2f\xfd\xff"), BAD, 0 },
	{ "skip beyond the end", BYTES("\x39\x2f\x01\x00"), BAD, 0 },
	{ "skip before the start", BYTES("\x39\x2f\xfb\xff"), BAD, 0 },
	{ "eq", BYTES("\x39\x39\x29"), OK, 1 },
	{ "not eq", BYTES("\x39\x38\x29"), ZERO, 0 },
	{ "ge", BYTES("\x39\x39\x2a"), OK, 1 },
	{ "not ge", BYTES("\x09\xff\x30\x2a"), ZERO, 0 },
	{ "ge of a greater one", BYTES("\x39\x38\x2a"), OK, 1 },
	{ "gt", BYTES("\x39\x38\x2b"), OK, 1 },
	{ "not gt", BYTES("\x39\x39\x2b"), ZERO, 0 },
	{ "gt of a smaller one", BYTES("\x09\xff\x30\x2b"), ZERO, 0 },
	{ "le", BYTES("\x09\xff\x30\x2c"), OK, 1 },
	{ "not le", BYTES("\x39\x38\x2c"), ZERO, 0 },
	{ "le of equal ones", BYTES("\x39\x39\x2c"), OK, 1 },
	{ "lt", BYTES("\x09\xff\x30\x2d"), OK, 1 },
	{ "not lt", BYTES("\x39\x39\x2d"), ZERO, 0 },
	{ "lt of a greater one", BYTES("\x39\x38\x2d"), ZERO, 0 },
	{ "ne", BYTES("\x39\x38\x2e"), OK, 1 },
	{ "not ne", BYTES("\x39\x39\x2e"), ZERO, 0 },
	{ "lit31", BYTES("\x4f"), OK, 31 },
	{ "reg, which is no value", BYTES("\x50"), BAD, 0 },
	{ "breg of the first register", BYTES("\x70\x05"), OK, 5 },
	{ "breg", BYTES("\x73\x7f"), OK, 47 },
	{ "breg of a register that was not recorded", BYTES("\x74\x00"), BAD, 0 },
	{ "bregx", BYTES("\x92\x03\x01"), OK, 49 },
	{ "bregx of a vector", BYTES("\x92\x40\x01"), BAD, 0 },
	{ "bregx of a column beyond the pc's", BYTES("\x92\x21\x00"), BAD, 0 },
	{ "breg of the pc", BYTES("\x80\x00"), OK, FROM + BIAS },
	{ "nop", BYTES("\x39\x96"), OK, 9 },
	{ "stack_value", BYTES("\x39\x9f"), OK, 9 },
	{ "an operation for variables", BYTES("\x39\x9b"), BAD, 0 },
	{ "an operand that is cut", BYTES("\x39\x0c\x01"), BAD, 0 },
	{ "64 values",
	    BYTES("\x31\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		  "\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		  "\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		  "\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x39"),
	    OK, 9 },
	{ "65 values",
	    BYTES("\x31\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		  "\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		  "\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		  "\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x39"),
	    BAD, 0 },
};

/* A program that makes a register an expression: the instruction, its operands and the bytes. */
static struct cfi *
with_expression(const struct form *f, unsigned instruction, int column, const char *p, size_t n)
{
	struct bytes program = { .big = f->big };
	struct cfi *c;

	put(&program, instruction, 1);
	if (column >= 0)
		put(&program, (uint64_t)column, 1);
	put(&program, n, 1);
	put_bytes(&program, p, n);
	c = rules(f, program.b.p, program.b.len);
	buf_free(&program.b);
	return c;
}

static void
test_expressions(void)
{
	static const struct form form = { .version = 3 };
	const struct unwind_registers r = registers(7);
	unsigned char bytes[STACK_SIZE];
	const struct expression *x;
	struct target t = { .arch = UNWIND_X86_64 };
	struct stack s;
	struct cfi *c;

	fill(bytes);
	for (x = expressions; x < expressions + sizeof expressions / sizeof *expressions; x++) {
		t.cfi = c = with_expression(&form, 0x16, 16, x->bytes, x->n);
		s = walk(&t, &r, bytes, sizeof bytes);
		CHECK(&check, s.end == x->end && s.n == (x->end == OK ? 2 : 1),
		    "%s: end %d, %zu frames", x->name, (int)s.end, s.n);
		CHECK(&check, s.n < 2 || s.ip[1] == x->value - 1, "%s: %" PRIx64, x->name,
		    s.ip[1] + 1);
		cfi_free(c);
	}
	t.cfi = c = with_expression(&form, 0x10, 16, BYTES("\x77\xc0\x00"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_SHORT, "end %d", (int)s.end);
	cfi_free(c);
	/* at an address, as the CFA, and an empty one there */
	t.cfi = c = with_expression(&form, 0x10, 16, BYTES("\x77\x08"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.ip[1] == 0x100f0e0d0c0b0a09 - 1, "%" PRIx64, s.ip[1]);
	cfi_free(c);
	t.cfi = c = with_expression(&form, 0x10, 16, BYTES("\x13\x13"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_DAMAGED, "end %d", (int)s.end);
	cfi_free(c);
	t.cfi = c = with_expression(&form, 0x0f, -1, BYTES("\x77\x10"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.ip[1] == 0x100f0e0d0c0b0a09 - 1, "%" PRIx64, s.ip[1]);
	cfi_free(c);
	t.cfi = c = with_expression(&form, 0x0f, -1, BYTES(""));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_DAMAGED, "end %d", (int)s.end);
	cfi_free(c);
}

/* The same with values of 32 bits, of either byte order. */
static void
test_narrow(void)
{
	static const struct expression cases[] = {
		{ "deref", BYTES("\x74\x00\x06"), OK, 0x04030201 },
		{ "a sum", BYTES("\x09\xff\x32\x22"), OK, 1 },
		{ "a comparison", BYTES("\x09\xff\x30\x2d"), OK, 1 },
		{ "abs", BYTES("\x09\xfb\x19"), OK, 5 },
		{ "addr", BYTES("\x03\x01\x01\x01\x01"), OK, 0x01010101 + BIAS },
		{ "deref beyond the copy", BYTES("\x74\xc0\x00\x06"), SHORT, 0 },
	};
	const struct unwind_registers r = registers(4);
	unsigned char bytes[STACK_SIZE];
	struct form form = { .narrow = true, .column = 8 };
	struct target t = { .arch = UNWIND_I386 };
	struct stack s;
	struct cfi *c;
	size_t i;

	fill(bytes);
	for (i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
		const struct expression *x = &cases[i / 2];

		t.big = form.big = i % 2 != 0;
		/* the CFA is r4 + 8 */
		t.cfi = c = with_expression(&form, 0x16, 8, x->bytes, x->n);
		s = walk(&t,
		    &(struct unwind_registers){ .known = r.known | 1 << 7,
			.r = { [4] = STACK, [7] = STACK, [UNWIND_PC] = FROM + BIAS } },
		    bytes, sizeof bytes);
		CHECK(&check, s.end == x->end && s.n == (x->end == OK ? 2 : 1),
		    "%s: end %d, %zu frames", x->name, (int)s.end, s.n);
		if (s.n == 2 && i < 2)
			CHECK(&check, s.ip[1] == (t.big ? 0x01020304 : 0x04030201) - 1,
			    "%s: %" PRIx64, x->name, s.ip[1]);
		else if (s.n == 2)
			CHECK(&check, s.ip[1] == x->value - 1, "%s: %" PRIx64, x->name, s.ip[1]);
		cfi_free(c);
	}
}

/* ---- steps by rules */

static const struct step {
	const char *name, *bytes;
	size_t n;
	enum unwind_end end;
	uint64_t pc; /* of the caller, if the end is OK */
} steps[] = {
	{ "the return address at the CFA", BYTES("\x90\x00"), OK, 0x100f0e0d0c0b0a09 },
	{ "and before it", BYTES(""), OK, 0x0807060504030201 },
	{ "beyond the copy", BYTES("\x0e\xc8\x00"), SHORT, 0 },
	{ "the last word of the copy", BYTES("\x0e\xc0\x00"), OK, 0x403f3e3d3c3b3a39 },
	{ "a byte after that", BYTES("\x0e\xc1\x00"), SHORT, 0 },
	{ "in a register", BYTES("\x09\x10\x03"), OK, 48 },
	{ "in a register that was not recorded", BYTES("\x09\x10\x05"), BAD, 0 },
	{ "the same, and another register beyond the copy", BYTES("\x83\x77\x09\x10\x05"), BAD, 0 },
	{ "by a bad expression, and another register beyond the copy",
	    BYTES("\x83\x77\x16\x10\x01\x13"), BAD, 0 },
	{ "beyond the copy, and another register by a bad expression",
	    BYTES("\x16\x03\x01\x13\x0e\xc8\x00"), SHORT, 0 },
	{ "in a vector", BYTES("\x09\x10\x21"), BAD, 0 },
	{ "as the CFA", BYTES("\x14\x10\x01"), OK, 0x7000 },
	{ "the CFA by an expression that reads beyond the copy", BYTES("\x0f\x04\x77\xc0\x00\x06"),
	    SHORT, 0 },
	{ "a frame without bytes", BYTES("\x0e\x00\x09\x10\x03"), OK, 48 },
	{ "undefined: the outermost function", BYTES("\x07\x10"), UNWIND_WHOLE, 0 },
	{ "the CFA by a register that was not recorded", BYTES("\x0c\x05\x08"), BAD, 0 },
	{ "the same with more than offsets", BYTES("\x0c\x05\x08\x09\x03\x02"), BAD, 0 },
	{ "another register beyond the copy", BYTES("\x86\x77"), OK, 0x0807060504030201 },
	{ "another register before the return address", BYTES("\x83\x01\x90\x00"), OK,
	    0x100f0e0d0c0b0a09 },
	{ "other registers that cannot be found", BYTES("\x07\x03\x09\x02\x05"), OK,
	    0x0807060504030201 },
};

static void
test_steps(void)
{
	static const struct form form = { .version = 3 };
	const struct unwind_registers r = registers(7);
	unsigned char bytes[STACK_SIZE];
	struct target t = { .arch = UNWIND_X86_64 };
	struct unwind_registers less;
	const struct step *k;
	struct stack s;
	struct cfi *c;

	fill(bytes);
	for (k = steps; k < steps + sizeof steps / sizeof *steps; k++) {
		t.cfi = c = rules(&form, k->bytes, k->n);
		s = walk(&t, &r, bytes, sizeof bytes);
		CHECK(&check, s.end == k->end && s.n == (k->end == OK ? 2 : 1),
		    "%s: end %d, %zu frames", k->name, (int)s.end, s.n);
		CHECK(&check, s.n < 2 || s.ip[1] == k->pc - 1, "%s: %" PRIx64, k->name, s.ip[1]);
		cfi_free(c);
	}
	t.cfi = c = rules(&form, "", 0);
	less = r;
	less.known &= ~(UINT64_C(1) << UNWIND_PC);
	s = walk(&t, &less, bytes, sizeof bytes);
	CHECK(&check, s.n == 0 && s.end == UNWIND_NO_REGISTERS, "no pc");
	less = r;
	less.known &= ~(UINT64_C(1) << 7);
	s = walk(&t, &less, bytes, sizeof bytes);
	CHECK(&check, s.n == 0 && s.end == UNWIND_NO_REGISTERS, "no stack pointer");
	cfi_free(c);
	/* a return address that nothing has changed */
	t.cfi = c = rules(&(struct form){ .column = 3 }, BYTES("\x08\x03"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.ip[1] == 47, "end %d", (int)s.end);
	cfi_free(c);
	/* a caller without rules, whose stack pointer is not known */
	t.cfi = c = rules(&form, BYTES("\x07\x07"));
	t.mapped = true;
	less = r;
	less.known |= 1 << 6;
	less.r[6] = STACK;
	s = walk(&t, &less, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.end == UNWIND_NO_INFO, "end %d, %zu frames", (int)s.end, s.n);
	t.mapped = false;
	cfi_free(c);
	/* a return address that is not recorded, and without a rule of its own */
	t.cfi = c = rules(&(struct form){ .column = 5 }, BYTES("\xd0\x08\x10"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_DAMAGED, "end %d", (int)s.end);
	cfi_free(c);
	t.cfi = c = rules(&(struct form){ .column = 5 }, BYTES("\x83\x77\xd0\x08\x10"));
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_DAMAGED, "end %d", (int)s.end);
	cfi_free(c);
	/* a rule that leads back to the same place and stack pointer */
	t.cfi = c = rules(&form, BYTES("\x0e\x00\x14\x10\x00\x09\x10\x03"));
	t.mapped = true;
	less = r;
	less.r[3] = FROM + BIAS;
	s = walk(&t, &less, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_DAMAGED, "end %d, %zu frames", (int)s.end, s.n);
	cfi_free(c);
	/* the same one frame later */
	t.cfi = c = rules(&form, BYTES("\x0c\x02\x00\x09\x10\x03"));
	less.r[2] = STACK + 8;
	less.r[3] += 4;
	s = walk(&t, &less, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.end == UNWIND_DAMAGED, "end %d, %zu frames", (int)s.end, s.n);
	cfi_free(c);
	/* the limit: each frame is eight bytes further */
	less.r[3] += 8;
	t.cfi = c = rules(&form, BYTES("\x09\x10\x03"));
	s = walk(&t, &less, bytes, sizeof bytes);
	CHECK(&check, s.n == FRAMES && s.end == UNWIND_LIMIT, "end %d, %zu frames", (int)s.end,
	    s.n);
	cfi_free(c);
}

/*
 * A register whose value is beyond the copy has none in the caller, which needs it.  The second
 * half of the cases has a rule that is more than offsets from the CFA.
 */
static void
test_lost(void)
{
	static const struct form form = { .version = 3 };
	struct target t = { .arch = UNWIND_X86_64 };
	const struct unwind_registers r = registers(7);
	struct bytes b = { .big = false };
	unsigned i;

	put(&b, FROM + BIAS + 0x11, 8);
	for (i = 0; i < 8; i++) {
		/* one of r1 to r3 is lost, and the caller's return address is in one of them */
		char program[] = { '\x81', 1, '\x82', 1, '\x83', 1, i < 4 ? 0x05 : 0x14, 0x05, 1,
			0x50, 0x08, 1, 0x08, 2, 0x08, 3, 0x09, 16, 2 };
		bool lost = i % 4 == 2;
		struct stack s;
		struct cfi *c;

		if (i % 4 > 0)
			program[2 * (i % 4) - 1] = 0x77;
		t.cfi = c = rules(&form, program, sizeof program);
		s = walk(&t, &r, (unsigned char *)b.b.p, b.b.len);
		CHECK(&check, s.n == (lost ? 2 : FRAMES), "%u: %zu frames", i, s.n);
		CHECK(&check, s.end == (lost ? UNWIND_DAMAGED : UNWIND_LIMIT), "%u: end %d", i,
		    (int)s.end);
		cfi_free(c);
	}
	buf_free(&b.b);
}

/* Registers that a step does not mention are the same in the caller, and the others are not. */
static void
test_kept(void)
{
	static const struct form form = { .version = 3 };
	struct target t = { .arch = UNWIND_X86_64 };
	struct unwind_registers r = registers(7);
	struct bytes b = { .big = false };
	unsigned i;

	for (i = 1; i <= 3; i++) /* the return addresses */
		put(&b, FROM + BIAS + 0x10 * i + 1, 8);
	r.r[0] = 0x5001;
	for (i = 0; i < 2; i++) {
		/* three frames of 8 bytes, and one whose return address is in r0 */
		char program[] = { i == 0 ? 0x05 : 0x14, 3, 1, 0x70, 0x09, 16, 0 };
		struct stack s;
		struct cfi *c;
		unsigned k;

		t.cfi = c = rules(&form, program, sizeof program);
		s = walk(&t, &r, (unsigned char *)b.b.p, b.b.len);
		CHECK(&check, s.end == OK && s.n == 5 && s.ip[4] == 0x5000, "%zu frames", s.n);
		for (k = 1; k <= 3 && k < s.n; k++)
			CHECK(&check, s.ip[k] == FROM + BIAS + 0x10 * k, "frame %u: %" PRIx64, k,
			    s.ip[k]);
		cfi_free(c);
	}
	buf_free(&b.b);
}

/* AArch64: the register of the return address has it in the caller, too, as after the return. */
static void
test_link(void)
{
	static const struct form form = { .column = 30 };
	struct target t = { .arch = UNWIND_AARCH64 };
	struct unwind_registers r = registers(31);
	struct bytes b = { .big = false };
	unsigned i;

	put(&b, FROM + BIAS + 0x11, 8);
	r.known |= 1 << 30;
	r.r[30] = 0x5001;
	for (i = 0; i < 2; i++) {
		char program[] = { 0x0c, 31, 8, '\x9e', 1, i == 0 ? 0x05 : 0x14, 3, 1, 0x50, 0x08,
			30, 0x08, 3 };
		struct stack s;
		struct cfi *c;

		t.cfi = c = rules(&form, program, sizeof program);
		s = walk(&t, &r, (unsigned char *)b.b.p, b.b.len);
		CHECK(&check, s.n == FRAMES && s.ip[2] == s.ip[1], "%u: %zu frames", i, s.n);
		cfi_free(c);
	}
	buf_free(&b.b);
}

/* What a signal has interrupted was not left by a call. */
static void
test_signal(void)
{
	struct cfi *c =
	    rules(&(struct form){ .eh = true, .letters = "zRS", BYTES("\x00"), 0, 0, 0, 0 },
		BYTES("\x09\x10\x03"));
	struct target t = { .arch = UNWIND_X86_64, .cfi = c };
	const struct unwind_registers r = registers(7);
	unsigned char bytes[STACK_SIZE];
	struct stack s;

	fill(bytes);
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.ip[1] == 48, "%zu frames, %" PRIx64, s.n, s.ip[1]);
	cfi_free(c);
}

/* Nothing has called the code that a handler returns to, and its entry begins one byte earlier. */
static void
test_end_of_handler(void)
{
	static const struct form handler = { .eh = true },
				 ending = { .eh = true,
					 .letters = "zRS",
					 .data = "\x00",
					 .data_len = 1 };
	const uint64_t here = FROM + 0x80;
	struct target t = { .arch = UNWIND_X86_64 };
	const struct unwind_registers r = registers(7);
	struct bytes b = { .big = false };
	unsigned char bytes[STACK_SIZE];
	struct stack s;
	struct cfi *c;
	size_t second;

	fill(bytes);
	put_common(&b, &handler);
	put_entry_at(&b, &handler, 0, FROM, 0x7f,
	    BYTES("\x16\x10\x09\x03\x80\x10\x00\x00\x00\x00\x00\x00"));
	second = b.b.len;
	put_common(&b, &ending);
	put_entry_at(&b, &ending, second, here - 1, 0x10, BYTES("\x09\x10\x03"));
	t.cfi = c = rules_of(&ending, &b);
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 3 && s.ip[0] == FROM + BIAS && s.ip[1] == here + BIAS && s.ip[2] == 48,
	    "%zu frames, %" PRIx64 ", %" PRIx64, s.n, s.ip[1], s.ip[2]);
	cfi_free(c);
}

/* An address in an expression, in an object whose addresses are not the offsets of its file. */
static void
test_bias(void)
{
	const uint64_t shift = 0x5000;
	static const struct form form = { .version = 3 };
	struct target t = { .arch = UNWIND_X86_64 };
	const struct unwind_registers r = registers(7);
	struct bytes b = { .big = false };
	unsigned char bytes[STACK_SIZE];
	struct stack s;
	struct cfi *c;
	struct err e;

	fill(bytes);
	put_common(&b, &form);
	put_entry_at(&b, &form, 0, FROM + shift, CODE_SIZE,
	    BYTES("\x16\x10\x09\x03\x01\x00\x00\x00\x00\x00\x00\x00"));
	t.cfi = c = rules_of(&form, &b);
	CHECK(&check, cfi_add_segment(c, FROM + shift, CODE_SIZE, FROM, &e) == 0, "no memory");
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.ip[1] == BIAS - shift, "%zu frames, %" PRIx64, s.n, s.ip[1]);
	cfi_free(c);
}

/* A return address of four bytes beyond the copy. */
static void
test_narrow_step(void)
{
	struct cfi *c =
	    rules(&(struct form){ .narrow = true, .column = 8 }, BYTES("\x0c\x04\x48\x88\x01"));
	struct target t = { .arch = UNWIND_I386, .cfi = c };
	struct unwind_registers r = registers(4);
	unsigned char bytes[STACK_SIZE];
	struct stack s;

	fill(bytes);
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 1 && s.end == UNWIND_SHORT, "end %d, %zu frames", (int)s.end, s.n);
	cfi_free(c);
}

/* ---- steps by the frame pointer */

static const struct frame_case {
	const char *name;
	enum unwind_arch arch;
	uint64_t fp; /* 1: not recorded */
	uint64_t next, pc; /* what it points to */
	bool mapped;
	enum unwind_end end;
	size_t n;
} frames[] = {
	{ "the next one is 0", UNWIND_X86_64, STACK, 0, 0x1234, true, UNWIND_WHOLE, 2 },
	{ "it is 0", UNWIND_X86_64, 0, 0, 0, true, UNWIND_WHOLE, 1 },
	{ "not recorded", UNWIND_X86_64, 1, 0, 0, true, UNWIND_NO_INFO, 1 },
	{ "below the stack", UNWIND_X86_64, STACK - 8, 0, 0, true, UNWIND_NO_INFO, 1 },
	{ "not aligned", UNWIND_X86_64, STACK + 4, 0, 0, true, UNWIND_NO_INFO, 1 },
	{ "beyond the copy", UNWIND_X86_64, STACK + STACK_SIZE, 0, 0, true, UNWIND_SHORT, 1 },
	{ "at the copy's end", UNWIND_X86_64, STACK + STACK_SIZE - 8, 0, 0, true, UNWIND_SHORT, 1 },
	{ "a return address of 0", UNWIND_X86_64, STACK, STACK, 0, true, UNWIND_WHOLE, 1 },
	{ "a return address of nothing", UNWIND_X86_64, STACK, 0, 0x1234, false, UNWIND_NO_INFO,
	    1 },
	{ "a call at the end of the object", UNWIND_X86_64, STACK, 0, FROM + BIAS + CODE_SIZE,
	    false, UNWIND_WHOLE, 2 },
	{ "a return address before the object", UNWIND_X86_64, STACK, 0, FROM + BIAS, false,
	    UNWIND_NO_INFO, 1 },
	{ "the next one is inside of the frame", UNWIND_X86_64, STACK, STACK + 8, 0x1234, true,
	    UNWIND_NO_INFO, 2 },
	{ "i386", UNWIND_I386, STACK, 0, 0x1234, true, UNWIND_WHOLE, 2 },
	{ "AArch64, a signed address", UNWIND_AARCH64, STACK, 0, UINT64_C(0x12a5000000001234), true,
	    UNWIND_WHOLE, 2 },
	{ "ARM has none", UNWIND_ARM, STACK, 0, 0x1234, true, UNWIND_NO_INFO, 1 },
};

static void
test_frame_pointers(void)
{
	static const struct {
		unsigned sp, fp, word;
	} arch[] = { [UNWIND_X86_64] = { 7, 6, 8 },
		[UNWIND_I386] = { 4, 5, 4 },
		[UNWIND_AARCH64] = { 31, 29, 8 },
		[UNWIND_ARM] = { 13, 11, 4 } };
	const struct frame_case *k;
	struct form empty = { .version = 2 }; /* no rules in it */
	struct cfi *none = rules(&empty, "", 0);

	for (k = frames; k < frames + sizeof frames / sizeof *frames; k++) {
		struct unwind_registers r = registers(arch[k->arch].sp);
		struct target t = { .arch = k->arch, .mapped = k->mapped, .cfi = none };
		struct bytes b = { .big = false };
		struct stack s;

		put(&b, k->next, arch[k->arch].word);
		put(&b, k->pc, arch[k->arch].word);
		while (b.b.len < STACK_SIZE)
			put(&b, 0xff, 1);
		r.r[arch[k->arch].fp] = k->fp;
		if (k->fp != 1)
			r.known |= UINT64_C(1) << arch[k->arch].fp;
		s = walk(&t, &r, (unsigned char *)b.b.p, b.b.len);
		CHECK(&check, s.end == k->end && s.n == k->n, "%s: end %d, %zu frames", k->name,
		    (int)s.end, s.n);
		CHECK(&check, s.n < 2 || s.ip[1] == (k->pc & ((UINT64_C(1) << 48) - 1)) - 1,
		    "%s: %" PRIx64, k->name, s.ip[1]);
		buf_free(&b.b);
	}
	cfi_free(none);
}

/* ARM: the return address is in r14, and its lowest bit says which instructions are there. */
static void
test_arm(void)
{
	const struct form form = { .narrow = true, .column = 14 };
	struct cfi *c = rules(&form, BYTES("\x0d\x0d\x08\x10"));
	struct target t = { .arch = UNWIND_ARM, .cfi = c };
	struct unwind_registers r = registers(13);
	unsigned char bytes[STACK_SIZE];
	struct stack s;

	fill(bytes);
	r.known |= 1 << 14;
	r.r[14] = 0x2001;
	s = walk(&t, &r, bytes, sizeof bytes);
	CHECK(&check, s.n == 2 && s.ip[1] == 0x1fff, "%zu frames, %" PRIx64, s.n, s.ip[1]);
	cfi_free(c);
}

/* Rules of many places, which do not all fit into the cache. */
static void
test_cache(void)
{
	static const struct form form = { .version = 3 };
	struct bytes b = { .big = false };
	struct unwind_registers r = registers(7);
	struct unwinder *u = unwinder_new();
	unsigned char bytes[STACK_SIZE];
	struct target t = { .arch = UNWIND_X86_64 };
	struct unwind_stack s = { .arch = UNWIND_X86_64,
		.registers = &r,
		.bytes = bytes,
		.len = sizeof bytes,
		.max = FRAMES,
		.object_at = object_at,
		.ctx = &t };
	uint64_t ip[FRAMES], at, place;
	struct cfi *c;
	size_t n;

	fill(bytes);
	put_common(&b, &form);
	put_entry_at(&b, &form, 0, FROM, 0x8000, BYTES("\x03\x00\x40\x0e\x10"));
	t.cfi = c = rules_of(&form, &b);
	t.wide = 0x8000;
	for (place = 0; place < 0x8000; place++) {
		r.r[UNWIND_PC] = FROM + BIAS + place;
		(void)unwind(u, &s, ip, &n, &at);
		CHECK(&check,
		    n == 2 &&
			ip[1] == (place < 0x4000 ? 0x0807060504030201 : 0x100f0e0d0c0b0a09) - 1,
		    "%" PRIx64 ": %zu frames", place, n);
	}
	unwinder_free(u);
	cfi_free(c);
}

/* ---- registers of samples */

static void
test_registers(void)
{
	struct unwind_registers r;
	struct bytes b = { .big = false };
	uint64_t i;

	for (i = 1; i <= 8; i++)
		put(&b, UINT64_C(0x1000000000) + i, 8);
	/* ax, bx, sp, ip, flags, ds, r8, and one that there is not */
	unwind_take_registers(UNWIND_X86_64, 0x1010383 | UINT64_C(1) << 40,
	    cur_over(b.b.p, b.b.len, false), &r);
	CHECK(&check, r.known == (0x189 | UINT64_C(1) << UNWIND_PC), "%" PRIx64, r.known);
	CHECK(&check, r.r[0] == 0x1000000001 && r.r[3] == 0x1000000002 && r.r[7] == 0x1000000003,
	    "%" PRIx64, r.r[7]);
	CHECK(&check, r.r[UNWIND_PC] == 0x1000000004, "%" PRIx64, r.r[UNWIND_PC]);
	unwind_take_registers(UNWIND_I386, 0x101, cur_over(b.b.p, b.b.len, false), &r);
	CHECK(&check, r.r[0] == 1 && r.r[UNWIND_PC] == 2, "%" PRIx64, r.r[UNWIND_PC]);
	unwind_take_registers(UNWIND_AARCH64, UINT64_C(1) << 32 | UINT64_C(1) << 31,
	    cur_over(b.b.p, b.b.len, false), &r);
	CHECK(&check, r.r[31] == 0x1000000001 && r.r[UNWIND_PC] == 0x1000000002, "%" PRIx64,
	    r.r[UNWIND_PC]);
	/* values that are cut */
	unwind_take_registers(UNWIND_X86_64, 7, cur_over(b.b.p, 15, false), &r);
	CHECK(&check, r.known == 1, "%" PRIx64, r.known);
	buf_free(&b.b);
}

int
main(void)
{
	test_programs();
	test_entries();
	test_sections();
	test_left_out();
	test_order();
	test_orders();
	test_falling();
	test_addresses();
	test_expressions();
	test_narrow();
	test_steps();
	test_lost();
	test_kept();
	test_link();
	test_signal();
	test_end_of_handler();
	test_bias();
	test_narrow_step();
	test_frame_pointers();
	test_arm();
	test_registers();
	test_cache();
	test_memory();
	unwinder_free(NULL);
	return check_end(&check);
}
