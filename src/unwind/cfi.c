/* SPDX-License-Identifier: ISC */
/* cfi.c - the call frame information of one object. */
#include "src/unwind/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define STATES_MAX 64 /* remembered states; compilers nest one or two */
#define SEGMENTS_MAX 256

/* Pointer encodings: Linux Standard Base, "DWARF Exception Header Encoding". */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORM = 0x0f, /* mask; the other bits say what the pointer is relative to */
	PE_PCREL = 0x10,
};

/* Call frame instructions: DWARF 5, section 7.24.  The last four are MIPS', AArch64's and GNU's. */
enum {
	CFA_ADVANCE_LOC = 0x40, /* this and the next two have their operand in the low six bits */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC,
	CFA_ADVANCE_LOC1,
	CFA_ADVANCE_LOC2,
	CFA_ADVANCE_LOC4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME_VALUE,
	CFA_REGISTER,
	CFA_REMEMBER_STATE,
	CFA_RESTORE_STATE,
	CFA_DEF_CFA,
	CFA_DEF_CFA_REGISTER,
	CFA_DEF_CFA_OFFSET,
	CFA_DEF_CFA_EXPRESSION,
	CFA_EXPRESSION,
	CFA_OFFSET_EXTENDED_SF,
	CFA_DEF_CFA_SF,
	CFA_DEF_CFA_OFFSET_SF,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF,
	CFA_VAL_EXPRESSION,
	CFA_ADVANCE_LOC8 = 0x1d,
	CFA_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct segment {
	uint64_t vaddr, size, offset;
};

/* A function's entry (FDE), which covers the linked addresses [from, from + size). */
struct entry {
	uint64_t from;
	uint32_t size, at; /* at: its offset in the section */
};

struct section {
	struct buf bytes;
	struct cfi_format format;
	struct entry *entry; /* sorted by FROM after cfi_finish */
	size_t n, cap;
};

struct cfi {
	struct section section[CFI_SECTIONS];
	struct segment *segment;
	size_t segments, segment_cap;
};

/* The information that an entry shares with others (CIE). */
struct common {
	bool ok;
	uint64_t at; /* its offset in the section */
	uint8_t version, encoding, return_column;
	bool wide; /* addresses have 64 bits */
	bool augmented; /* its entries have augmentation data */
	bool signal;
	uint64_t code_factor;
	int64_t data_factor;
	struct cur program;
};

/* ---- numbers */

/* Reads groups of seven bits.  Sets *bits to their total width and *last to the last byte. */
static uint64_t
groups(struct cur *c, unsigned *bits, uint8_t *last)
{
	uint64_t v = 0;

	*bits = 0;
	do {
		*last = cur_u8(c);
		if (*bits < 64)
			v |= (uint64_t)(*last & 0x7f) << *bits;
		*bits += 7;
	} while ((*last & 0x80) != 0); /* which is 0 beyond the end */
	return v;
}

uint64_t
cfi_uleb(struct cur *c)
{
	unsigned bits;
	uint8_t last;

	return groups(c, &bits, &last);
}

int64_t
cfi_sleb(struct cur *c)
{
	unsigned bits;
	uint8_t last;
	uint64_t v = groups(c, &bits, &last);

	if (bits < 64 && (last & 0x40) != 0)
		v |= ~(uint64_t)0 << bits;
	return (int64_t)v;
}

/* Reads a number encoded as FORM.  An unknown form makes the cursor bad. */
static uint64_t
encoded(struct cur *c, uint8_t form, bool wide)
{
	switch (form & PE_FORM) {
	case PE_ABSPTR: return wide ? cur_u64(c) : cur_u32(c);
	case PE_ULEB128: return cfi_uleb(c);
	case PE_UDATA2: return cur_u16(c);
	case PE_UDATA4: return cur_u32(c);
	case PE_UDATA8:
	case PE_SDATA8: return cur_u64(c);
	case PE_SLEB128: return (uint64_t)cfi_sleb(c);
	case PE_SDATA2: return (uint64_t)(int16_t)cur_u16(c);
	case PE_SDATA4: return (uint64_t)(int32_t)cur_u32(c);
	}
	c->bad = true;
	return 0;
}

/* Returns the cursor's offset in its section. */
static size_t
position(const struct section *s, const struct cur *c)
{
	return (size_t)(c->p - (const unsigned char *)s->bytes.p);
}

/* Reads an address as .eh_frame encodes it. */
static uint64_t
address(const struct section *s, struct cur *c, const struct common *m)
{
	uint64_t v = 0;

	if ((m->encoding & ~PE_FORM) == PE_PCREL)
		v = s->format.address + position(s, c);
	else if (m->encoding > PE_FORM)
		c->bad = true; /* indirect, or relative to something unknown in a linked file */
	v += encoded(c, m->encoding, m->wide);
	return m->wide ? v : (uint32_t)v;
}

/* ---- entries */

/* Returns a cursor over the section, starting at AT.  Beyond the end, that cursor is bad. */
static struct cur
cursor_at(const struct section *s, uint64_t at)
{
	struct cur c = cur_over(s->bytes.p, s->bytes.len, s->format.big_endian);

	(void)cur_take(&c, at < SIZE_MAX ? (size_t)at : SIZE_MAX);
	return c;
}

/* Returns a cursor over the next record, without its length.  At the end, that cursor is bad. */
static struct cur
record(struct cur *c, bool *wide)
{
	uint64_t len = cur_u32(c);

	*wide = len == UINT32_MAX;
	if (*wide)
		len = cur_u64(c);
	return cur_sub(c, len < SIZE_MAX ? (size_t)len : SIZE_MAX);
}

/*
 * Reads the id of a record.  Returns true for a CIE; otherwise it sets *common to the offset of the
 * FDE's CIE.
 */
static bool
is_common(const struct section *s, bool eh, bool wide, struct cur *c, uint64_t *common)
{
	size_t at = position(s, c);
	uint64_t id = wide && !eh ? cur_u64(c) : cur_u32(c);

	*common = eh ? at - id : id; /* an id before the section becomes an offset beyond it */
	return eh ? id == 0 : id == (wide ? UINT64_MAX : UINT32_MAX);
}

/*
 * Reads the augmentation data of a CIE, up to the first unknown letter.  Returns false if they are
 * damaged.
 */
static bool
read_augmentation(const char *letters, struct cur data, struct common *m)
{
	uint8_t form;

	for (; *letters != '\0'; letters++) {
		switch (*letters) {
		case 'R': m->encoding = cur_u8(&data); break;
		case 'L': (void)cur_u8(&data); break;
		case 'P':
			form = cur_u8(&data);
			(void)encoded(&data, form, m->wide);
			break;
		case 'S': m->signal = true; break;
		case 'B': /* return addresses are signed with the B key */
		case 'G': break; /* tagged memory */
		default: return cur_ok(&data);
		}
	}
	return cur_ok(&data);
}

/* Reads the CIE at AT. */
static struct common
read_common(const struct section *s, bool eh, uint64_t at)
{
	struct common m = { .at = at, .wide = s->format.wide };
	struct cur all = cursor_at(s, at), c;
	const char *letters;
	uint64_t unused;
	size_t n;
	uint8_t size;
	bool wide;

	c = record(&all, &wide);
	if (!cur_ok(&c) || cur_left(&c) > CFI_ENTRY_MAX || !is_common(s, eh, wide, &c, &unused))
		return m;
	m.version = cur_u8(&c);
	letters = cur_string(&c, &n);
	if (letters == NULL || (m.version != 1 && m.version != 3 && m.version != 4))
		return m;
	if (strcmp(letters, "eh") == 0)
		(void)encoded(&c, PE_ABSPTR, m.wide); /* from compilers before 2002 */
	if (m.version == 4) {
		size = cur_u8(&c);
		if (cur_u8(&c) != 0 || (size != 4 && size != 8))
			return m; /* segment selectors or an unusual address size */
		m.wide = size == 8;
	}
	m.code_factor = cfi_uleb(&c);
	m.data_factor = cfi_sleb(&c);
	n = m.version == 1 ? cur_u8(&c) : (size_t)cfi_uleb(&c);
	m.return_column = n < CFI_REGISTERS ? (uint8_t)n : CFI_REGISTERS;
	m.augmented = letters[0] == 'z';
	if (m.augmented && !read_augmentation(letters + 1, cur_sub(&c, (size_t)cfi_uleb(&c)), &m))
		return m;
	m.program = c;
	m.ok = cur_ok(&c) && m.return_column < CFI_REGISTERS &&
	    (m.augmented || letters[0] == '\0' || strcmp(letters, "eh") == 0);
	return m;
}

/* Returns the program of an FDE.  The cursor is after its address range. */
static struct cur
entry_program(struct cur c, const struct common *m)
{
	if (m->augmented)
		(void)cur_sub(&c, (size_t)cfi_uleb(&c));
	return c;
}

/* Adds the entry if its range is not empty. */
static bool
add_entry(struct section *s, size_t at, struct cur c, const struct common *m)
{
	uint64_t from = address(s, &c, m), size = encoded(&c, m->encoding & PE_FORM, m->wide);

	if (!cur_ok(&c) || size == 0 || from == 0)
		return true; /* code that the linker dropped */
	if (!vec_room(s->entry, s->n, s->cap))
		return false;
	s->entry[s->n++] =
	    (struct entry){ from, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, (uint32_t)at };
	return true;
}

/* Lists the entries of a section.  Returns false if memory runs out. */
static bool
list_entries(struct section *s, bool eh)
{
	struct cur all = cursor_at(s, 0), c;
	struct common m = { .ok = false };
	uint64_t common;
	size_t at;
	bool wide;

	while (cur_left(&all) > 4) {
		at = position(s, &all);
		c = record(&all, &wide);
		if (!cur_ok(&c) || (eh && cur_left(&c) == 0))
			return true; /* the end, or the next record cannot be found */
		if (cur_left(&c) > CFI_ENTRY_MAX || is_common(s, eh, wide, &c, &common))
			continue;
		if (!m.ok || m.at != common)
			m = read_common(s, eh, common);
		if (m.ok && !add_entry(s, at, c, &m))
			return false;
	}
	return true;
}

struct cfi *
cfi_new(void)
{
	return mem_zero(1, sizeof(struct cfi));
}

void
cfi_free(struct cfi *c)
{
	size_t i;

	for (i = 0; c != NULL && i < CFI_SECTIONS; i++) {
		buf_free(&c->section[i].bytes);
		mem_free(c->section[i].entry);
	}
	if (c != NULL)
		mem_free(c->segment);
	mem_free(c);
}

int
cfi_add_segment(struct cfi *c, uint64_t vaddr, uint64_t size, uint64_t offset, struct err *e)
{
	if (c->segments == SEGMENTS_MAX)
		return 0;
	if (!vec_room(c->segment, c->segments, c->segment_cap))
		return err_nomem(e);
	c->segment[c->segments++] = (struct segment){ vaddr, size, offset };
	return 0;
}

int
cfi_add_section(struct cfi *c, enum cfi_section_kind kind, struct buf *bytes,
    const struct cfi_format *format, struct err *e)
{
	struct section *s = &c->section[kind];

	s->bytes = *bytes;
	*bytes = (struct buf){ NULL, 0, 0 };
	s->format = *format;
	return list_entries(s, kind == CFI_EH_FRAME) ? 0 : err_nomem(e);
}

static int
by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Linkers usually write the entries in address order, and then they need not be sorted. */
void
cfi_finish(struct cfi *c)
{
	size_t i, k;

	for (i = 0; i < CFI_SECTIONS; i++) {
		struct section *s = &c->section[i];

		for (k = 1; k < s->n && s->entry[k - 1].from <= s->entry[k].from; k++)
			;
		if (k < s->n)
			qsort(s->entry, s->n, sizeof *s->entry, by_address);
	}
}

size_t
cfi_count(const struct cfi *c)
{
	return c->section[CFI_EH_FRAME].n + c->section[CFI_DEBUG_FRAME].n;
}

uint64_t
cfi_shift(const struct cfi *c, uint64_t place)
{
	size_t i;

	for (i = 0; i < c->segments; i++)
		if (place - c->segment[i].offset < c->segment[i].size)
			return c->segment[i].vaddr - c->segment[i].offset;
	return 0;
}

/* Returns the last entry that begins at or before the address if it covers it, otherwise NULL. */
static const struct entry *
entry_at(const struct section *s, uint64_t address)
{
	size_t low = 0, high = s->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->entry[mid].from <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || address - s->entry[low - 1].from >= s->entry[low - 1].size)
		return NULL;
	return &s->entry[low - 1];
}

/* ---- programs */

/* The state of the machine that runs programs: one row of the table that DWARF describes. */
struct state {
	struct cfi_register cfa;
	struct cfi_register reg[CFI_REGISTERS];
};

struct machine {
	const struct section *section;
	const struct common *common;
	struct state now, initial;
	struct state *remembered; /* STATES_MAX of them, on the caller's stack */
	size_t depth;
	uint64_t from, to; /* the row's addresses; to is the next row's first, once it is found */
	bool bad;
};

static void
set(struct machine *m, uint64_t number, enum cfi_how how, int64_t value)
{
	if (value < INT32_MIN || value > INT32_MAX) {
		m->bad = true;
		return;
	}
	if (number < CFI_REGISTERS) /* finding a caller does not need the others */
		m->now.reg[number] =
		    (struct cfi_register){ (uint8_t)number, (uint8_t)how, (int32_t)value };
}

/* Multiplies modulo 2^64.  The function set rejects values that do not fit. */
static int64_t
factored(const struct machine *m, uint64_t n)
{
	return (int64_t)(n * (uint64_t)m->common->data_factor);
}

static void
set_cfa(struct machine *m, uint64_t number, int64_t offset)
{
	if (number >= CFI_REGISTERS || offset < INT32_MIN || offset > INT32_MAX)
		m->bad = true;
	m->now.cfa = (struct cfi_register){ (uint8_t)number, CFI_REGISTER, (int32_t)offset };
}

/*
 * Changes the register or the offset of the CFA.  DWARF allows that only if it has both: the CFA of
 * anything else would be made up.
 */
static void
change_cfa(struct machine *m, uint64_t number, int64_t offset)
{
	if (m->now.cfa.how != CFI_REGISTER)
		m->bad = true;
	set_cfa(m, number, offset);
}

/* Skips an expression and returns the offset of its length. */
static int64_t
skip_expression(struct machine *m, struct cur *c)
{
	int64_t at = (int64_t)position(m->section, c);

	(void)cur_sub(c, (size_t)cfi_uleb(c));
	return at;
}

static void
set_cfa_expression(struct machine *m, struct cur *c)
{
	m->now.cfa = (struct cfi_register){ 0, CFI_IS_EXPRESSION, (int32_t)skip_expression(m, c) };
}

static void
restore(struct machine *m, uint64_t number)
{
	if (number < CFI_REGISTERS)
		m->now.reg[number] = m->initial.reg[number];
}

static void
remember_state(struct machine *m)
{
	if (m->depth == STATES_MAX)
		m->bad = true;
	else
		m->remembered[m->depth++] = m->now;
}

/* Restores the CFA, too, as GCC and the C++ runtimes do. */
static void
restore_state(struct machine *m)
{
	if (m->depth == 0)
		m->bad = true;
	else
		m->now = m->remembered[--m->depth];
}

/* Runs the instructions that set registers and the CFA. */
static void
define(struct machine *m, uint8_t op, struct cur *c)
{
	uint64_t r = cfi_uleb(c);

	switch (op) {
	case CFA_OFFSET_EXTENDED: set(m, r, CFI_AT_CFA, factored(m, cfi_uleb(c))); break;
	case CFA_OFFSET_EXTENDED_SF:
		set(m, r, CFI_AT_CFA, factored(m, (uint64_t)cfi_sleb(c)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set(m, r, CFI_AT_CFA, factored(m, 0 - cfi_uleb(c)));
		break;
	case CFA_VAL_OFFSET: set(m, r, CFI_IS_CFA, factored(m, cfi_uleb(c))); break;
	case CFA_VAL_OFFSET_SF: set(m, r, CFI_IS_CFA, factored(m, (uint64_t)cfi_sleb(c))); break;
	case CFA_RESTORE_EXTENDED: restore(m, r); break;
	case CFA_UNDEFINED: set(m, r, CFI_UNDEFINED, 0); break;
	case CFA_SAME_VALUE: set(m, r, CFI_SAME, 0); break;
	case CFA_REGISTER: set(m, r, CFI_REGISTER, (int64_t)cfi_uleb(c)); break;
	case CFA_EXPRESSION: set(m, r, CFI_AT_EXPRESSION, skip_expression(m, c)); break;
	case CFA_VAL_EXPRESSION: set(m, r, CFI_IS_EXPRESSION, skip_expression(m, c)); break;
	case CFA_DEF_CFA: set_cfa(m, r, (int64_t)cfi_uleb(c)); break;
	case CFA_DEF_CFA_SF: set_cfa(m, r, factored(m, (uint64_t)cfi_sleb(c))); break;
	case CFA_DEF_CFA_REGISTER: change_cfa(m, r, m->now.cfa.value); break;
	case CFA_DEF_CFA_OFFSET: change_cfa(m, m->now.cfa.number, (int64_t)r); break;
	case CFA_GNU_ARGS_SIZE: break;
	default: m->bad = true;
	}
}

/* Moves on to a later row.  Returns true if that row is beyond the address wanted. */
static bool
advance(struct machine *m, uint64_t to, uint64_t address)
{
	if (to > address) {
		m->to = to < m->to ? to : m->to;
		return true;
	}
	m->from = to > m->from ? to : m->from;
	return false;
}

/* Runs an instruction.  Returns true if the row for the address is complete. */
static bool
run_one(struct machine *m, struct cur *c, uint64_t address_wanted, uint64_t *loc)
{
	uint64_t factor = m->common->code_factor;
	uint8_t op = cur_u8(c), low = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_ADVANCE_LOC: return advance(m, *loc += low * factor, address_wanted);
	case CFA_OFFSET: set(m, low, CFI_AT_CFA, factored(m, cfi_uleb(c))); return false;
	case CFA_RESTORE: restore(m, low); return false;
	}
	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE: return false;
	case CFA_SET_LOC: *loc = address(m->section, c, m->common); break;
	case CFA_ADVANCE_LOC1: *loc += cur_u8(c) * factor; break;
	case CFA_ADVANCE_LOC2: *loc += cur_u16(c) * factor; break;
	case CFA_ADVANCE_LOC4: *loc += cur_u32(c) * factor; break;
	case CFA_ADVANCE_LOC8: *loc += cur_u64(c) * factor; break;
	case CFA_REMEMBER_STATE: remember_state(m); return false;
	case CFA_RESTORE_STATE: restore_state(m); return false;
	case CFA_DEF_CFA_EXPRESSION: set_cfa_expression(m, c); return false;
	case CFA_DEF_CFA_OFFSET_SF:
		change_cfa(m, m->now.cfa.number, factored(m, (uint64_t)cfi_sleb(c)));
		return false;
	default: define(m, op, c); return false;
	}
	return advance(m, *loc, address_wanted);
}

static void
run(struct machine *m, struct cur program, uint64_t address_wanted)
{
	uint64_t loc = m->from;

	while (cur_left(&program) > 0 && !m->bad)
		if (run_one(m, &program, address_wanted, &loc))
			break;
	m->bad |= !cur_ok(&program);
}

static void
set_rule(struct cfi_rule *rule, const struct machine *m, uint64_t shift)
{
	size_t i;

	rule->from = m->from - shift;
	rule->to = m->to - shift;
	rule->return_column = m->common->return_column;
	rule->signal = m->common->signal;
	rule->cfa = m->now.cfa;
	rule->n = 0;
	for (i = 0; i < CFI_REGISTERS; i++)
		if (m->now.reg[i].how != CFI_SAME)
			rule->reg[rule->n++] = m->now.reg[i];
}

/* Runs the programs of the entry up to the address.  Returns false if they are damaged. */
static bool
compile(const struct section *s, bool eh, const struct entry *entry, uint64_t address_wanted,
    uint64_t shift, struct cfi_rule *rule)
{
	struct state remembered[STATES_MAX];
	struct cur all = cursor_at(s, entry->at), c;
	struct common common;
	struct machine m = { .section = s, .common = &common, .remembered = remembered };
	uint64_t at;
	bool wide;

	/* list_entries has found that these records are whole */
	c = record(&all, &wide);
	(void)is_common(s, eh, wide, &c, &at);
	common = read_common(s, eh, at);
	(void)address(s, &c, &common);
	(void)encoded(&c, common.encoding & PE_FORM, common.wide);
	m.now.cfa.how = CFI_UNDEFINED;
	run(&m, common.program, UINT64_MAX);
	m.initial = m.now;
	m.from = entry->from;
	m.to = entry->from + entry->size;
	run(&m, entry_program(c, &common), address_wanted);
	if (m.bad || m.now.cfa.how == CFI_UNDEFINED)
		return false;
	set_rule(rule, &m, shift);
	return true;
}

bool
cfi_find(const struct cfi *c, uint64_t place, struct cfi_rule *rule)
{
	uint64_t shift = cfi_shift(c, place), address_wanted = place + shift;
	const struct entry *entry;
	uint8_t i;

	for (i = 0; i < CFI_SECTIONS; i++) {
		entry = entry_at(&c->section[i], address_wanted);
		rule->section = i;
		if (entry != NULL &&
		    compile(&c->section[i], i == CFI_EH_FRAME, entry, address_wanted, shift, rule))
			return true;
	}
	return false;
}

struct cur
cfi_expression(const struct cfi *c, const struct cfi_rule *rule, const struct cfi_register *r)
{
	struct cur all = cursor_at(&c->section[rule->section], (size_t)r->value);

	return cur_sub(&all, (size_t)cfi_uleb(&all));
}
