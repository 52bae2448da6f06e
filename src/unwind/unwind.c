/* SPDX-License-Identifier: ISC */
/* unwind.c - finds the callers of a place from registers and a copy of the stack. */
#include "src/unwind/unwind.h"

#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"

#define RULE_BITS 13 /* 2^RULE_BITS rules are cached */
#define OPERATIONS_MAX 1000 /* per expression, since an expression may loop */
#define VALUES_MAX 64 /* on the stack of an expression */

/* ---- registers */

struct arch {
	bool wide; /* addresses have 64 bits */
	uint8_t sp, fp;
	uint8_t recorded; /* number of registers that perf can record */
	uint8_t pc; /* perf's number for the pc */
	uint8_t pc_column; /* DWARF's number for the pc */
	const uint8_t *number; /* maps perf's numbers to DWARF's; NULL if they are the same */
};

#define NO 0xff /* a register that is not used */

/*
 * DWARF's numbers, by perf's.  Source: System V ABI, AMD64 supplement, figure 3.36, and i386
 * supplement, table 2.14.
 */
static const uint8_t x86_64_number[] = { 0, 3, 2, 1, 4, 5, 6, 7, UNWIND_PC, NO, NO, NO, NO, NO, NO,
	NO, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t i386_number[] = { 0, 3, 1, 2, 6, 7, 5, 4, UNWIND_PC };

static const struct arch arches[UNWIND_ARCHES] = {
	[UNWIND_X86_64] = { true, 7, 6, sizeof x86_64_number, 8, 16, x86_64_number },
	[UNWIND_I386] = { false, 4, 5, sizeof i386_number, 8, 8, i386_number },
	[UNWIND_AARCH64] = { true, 31, 29, 33, 32, 32, NULL },
	[UNWIND_ARM] = { false, 13, 11, 16, 15, 15, NULL },
};

void
unwind_take_registers(enum unwind_arch arch, uint64_t mask, struct cur values,
    struct unwind_registers *to)
{
	const struct arch *a = &arches[arch];
	unsigned i, number;
	uint64_t v;

	to->known = 0;
	for (i = 0; i < 64 && cur_left(&values) >= 8; i++) {
		if ((mask >> i & 1) == 0)
			continue;
		v = cur_u64(&values);
		number = i >= a->recorded ? NO
		    : i == a->pc          ? UNWIND_PC
		    : a->number == NULL   ? i
					  : a->number[i];
		if (number == NO)
			continue;
		to->r[number] = a->wide ? v : (uint32_t)v;
		to->known |= UINT64_C(1) << number;
	}
}

static bool
get(const struct unwind_registers *r, uint64_t number, uint64_t *v)
{
	if (number >= CFI_REGISTERS || (r->known >> number & 1) == 0)
		return false;
	*v = r->r[number];
	return true;
}

static void
put(struct unwind_registers *r, unsigned number, uint64_t v)
{
	r->r[number] = v;
	r->known |= UINT64_C(1) << number;
}

/* ---- memory: only the copy of the stack can be read */

/* The state shared by all steps of one stack. */
struct walk {
	const struct unwind_stack *stack;
	const struct arch *arch;
	uint64_t start; /* the address that was copied first */
	bool swap; /* its byte order is not the host's */
	struct unwind_registers now;
	enum unwind_end why; /* the reason for the last failure */
};

/* Returns the bytes at an address, or NULL, with w->why, if the copy does not hold them. */
static HINT_INLINE const unsigned char *
bytes_at(struct walk *w, uint64_t address, unsigned size)
{
	uint64_t at = address - w->start;

	if (at <= w->stack->len && size <= w->stack->len - at)
		return w->stack->bytes + at;
	w->why = UNWIND_SHORT;
	return NULL;
}

static bool
load(struct walk *w, uint64_t address, unsigned size, uint64_t *v)
{
	const unsigned char *p = bytes_at(w, address, size);
	struct cur c;

	if (p == NULL)
		return false;
	c = cur_over(p, size, w->stack->big_endian);
	switch (size) {
	case 1: *v = cur_u8(&c); break;
	case 2: *v = cur_u16(&c); break;
	case 4: *v = cur_u32(&c); break;
	case 8: *v = cur_u64(&c); break;
	default: return false;
	}
	return true;
}

static HINT_INLINE bool
load_word(struct walk *w, uint64_t address, uint64_t *v)
{
	const unsigned char *p;

	if (w->arch->wide) {
		p = bytes_at(w, address, 8);
		*v = p != NULL ? cur_word64(p, w->swap) : 0;
	} else {
		p = bytes_at(w, (uint32_t)address, 4);
		*v = p != NULL ? cur_word32(p, w->swap) : 0;
	}
	return p != NULL;
}

/* ---- expressions: DWARF 5, section 2.5 */

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0,
	OP_BREG0 = 0x70,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
	OP_STACK_VALUE = 0x9f,
};

struct evaluation {
	struct walk *walk;
	struct cur c, all;
	uint64_t bias; /* the object's addresses in the process less its linked addresses */
	uint64_t value[VALUES_MAX];
	size_t n;
	bool bad;
};

static void
push(struct evaluation *x, uint64_t v)
{
	if (x->n == VALUES_MAX)
		x->bad = true;
	else
		x->value[x->n++] = x->walk->arch->wide ? v : (uint32_t)v;
}

static uint64_t
pop(struct evaluation *x)
{
	if (x->n == 0) {
		x->bad = true;
		return 0;
	}
	return x->value[--x->n];
}

/* Returns the value that is I below the top. */
static uint64_t
peek(struct evaluation *x, size_t i)
{
	if (i >= x->n) {
		x->bad = true;
		return 0;
	}
	return x->value[x->n - 1 - i];
}

/* Returns a value as a signed number. */
static int64_t
signed_value(const struct evaluation *x, uint64_t v)
{
	return x->walk->arch->wide ? (int64_t)v : (int32_t)(uint32_t)v;
}

static void
push_register(struct evaluation *x, uint64_t number, int64_t offset)
{
	uint64_t v;

	if (get(&x->walk->now, number, &v))
		push(x, v + (uint64_t)offset);
	else
		x->bad = true;
}

static void
dereference(struct evaluation *x, unsigned size)
{
	uint64_t at = pop(x), v;

	if (!x->bad && load(x->walk, at, size, &v))
		push(x, v);
	else
		x->bad = true;
}

/* Moves the cursor by a number of bytes within the expression. */
static void
jump(struct evaluation *x, int16_t by)
{
	ptrdiff_t at = x->c.p - x->all.p + by;

	if (at < 0 || at > x->all.end - x->all.p) {
		x->bad = true;
		return;
	}
	x->c = x->all;
	(void)cur_take(&x->c, (size_t)at);
}

static void
divide(struct evaluation *x, uint8_t op)
{
	uint64_t by = pop(x), v = pop(x);
	int64_t a = signed_value(x, v), b = signed_value(x, by);

	if (by == 0)
		x->bad = true;
	else if (op == OP_MOD)
		push(x, v % by);
	else
		push(x, b == -1 ? 0 - v : (uint64_t)(a / b));
}

static void
shift(struct evaluation *x, uint8_t op)
{
	uint64_t by = pop(x), v = pop(x);
	int64_t s = signed_value(x, v);
	unsigned n = by < 64 ? (unsigned)by : 63;

	if (op == OP_SHRA)
		push(x, s < 0 ? ~(~(uint64_t)s >> n) : (uint64_t)s >> n);
	else if (by >= 64)
		push(x, 0);
	else
		push(x, op == OP_SHL ? v << n : v >> n);
}

static void
compare(struct evaluation *x, uint8_t op)
{
	int64_t b = signed_value(x, pop(x)), a = signed_value(x, pop(x));

	switch (op) {
	case OP_EQ: push(x, a == b); break;
	case OP_GE: push(x, a >= b); break;
	case OP_GT: push(x, a > b); break;
	case OP_LE: push(x, a <= b); break;
	case OP_LT: push(x, a < b); break;
	default: push(x, a != b); break;
	}
}

/* Runs an operation on the top one or two values of the stack. */
static void
calculate(struct evaluation *x, uint8_t op)
{
	uint64_t b;

	switch (op) {
	case OP_ABS:
		b = pop(x);
		push(x, signed_value(x, b) < 0 ? 0 - b : b);
		break;
	case OP_AND: b = pop(x), push(x, pop(x) & b); break;
	case OP_MINUS: b = pop(x), push(x, pop(x) - b); break;
	case OP_MUL: b = pop(x), push(x, pop(x) * b); break;
	case OP_NEG: push(x, 0 - pop(x)); break;
	case OP_NOT: push(x, ~pop(x)); break;
	case OP_OR: b = pop(x), push(x, pop(x) | b); break;
	case OP_PLUS: b = pop(x), push(x, pop(x) + b); break;
	case OP_XOR: b = pop(x), push(x, pop(x) ^ b); break;
	case OP_DIV:
	case OP_MOD: divide(x, op); break;
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA: shift(x, op); break;
	case OP_EQ:
	case OP_GE:
	case OP_GT:
	case OP_LE:
	case OP_LT:
	case OP_NE: compare(x, op); break;
	default: x->bad = true;
	}
}

static void
rearrange(struct evaluation *x, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case OP_DUP: push(x, peek(x, 0)); break;
	case OP_DROP: (void)pop(x); break;
	case OP_OVER: push(x, peek(x, 1)); break;
	case OP_PICK: push(x, peek(x, cur_u8(&x->c))); break;
	case OP_SWAP:
		a = pop(x), b = pop(x);
		push(x, a), push(x, b);
		break;
	default: /* OP_ROT */
		a = pop(x), b = pop(x), c = pop(x);
		push(x, a), push(x, c), push(x, b);
	}
}

/* Runs an operation with an operand.  Returns false if op is not such an operation. */
static bool
push_operand(struct evaluation *x, uint8_t op)
{
	struct cur *c = &x->c;
	uint64_t number;

	switch (op) {
	case OP_ADDR: push(x, (x->walk->arch->wide ? cur_u64(c) : cur_u32(c)) + x->bias); break;
	case OP_CONST1U: push(x, cur_u8(c)); break;
	case OP_CONST1S: push(x, (uint64_t)(int8_t)cur_u8(c)); break;
	case OP_CONST2U: push(x, cur_u16(c)); break;
	case OP_CONST2S: push(x, (uint64_t)(int16_t)cur_u16(c)); break;
	case OP_CONST4U: push(x, cur_u32(c)); break;
	case OP_CONST4S: push(x, (uint64_t)(int32_t)cur_u32(c)); break;
	case OP_CONST8U:
	case OP_CONST8S: push(x, cur_u64(c)); break;
	case OP_CONSTU: push(x, cfi_uleb(c)); break;
	case OP_CONSTS: push(x, (uint64_t)cfi_sleb(c)); break;
	case OP_PLUS_UCONST: push(x, pop(x) + cfi_uleb(c)); break;
	case OP_BREGX:
		number = cfi_uleb(c);
		push_register(x, number, cfi_sleb(c));
		break;
	default: return false;
	}
	return true;
}

static void
operate(struct evaluation *x, uint8_t op)
{
	int16_t by;

	if (op >= OP_LIT0 && op < OP_LIT0 + 32) {
		push(x, (uint64_t)(op - OP_LIT0));
	} else if (op >= OP_BREG0 && op < OP_BREG0 + 32) {
		push_register(x, (uint64_t)(op - OP_BREG0), cfi_sleb(&x->c));
	} else if (op == OP_DEREF) {
		dereference(x, x->walk->arch->wide ? 8 : 4);
	} else if (op == OP_DEREF_SIZE) {
		dereference(x, cur_u8(&x->c));
	} else if (op == OP_SKIP || op == OP_BRA) {
		by = (int16_t)cur_u16(&x->c);
		if (op == OP_SKIP || pop(x) != 0)
			jump(x, by);
	} else if (op >= OP_DUP && op <= OP_ROT) {
		rearrange(x, op);
	} else if (op != OP_NOP && op != OP_STACK_VALUE && !push_operand(x, op)) {
		calculate(x, op);
	}
}

/*
 * Evaluates the expression.  The stack initially contains the CFA, or nothing if cfa is NULL.  Only
 * a load that fails sets w->why.
 */
static HINT_APART bool
evaluate(struct walk *w, struct cur expression, const uint64_t *cfa, uint64_t bias, uint64_t *v)
{
	struct evaluation x = { .walk = w, .c = expression, .all = expression, .bias = bias };
	size_t steps;

	if (cfa != NULL)
		push(&x, *cfa);
	for (steps = 0; cur_left(&x.c) > 0 && !x.bad && steps < OPERATIONS_MAX; steps++)
		operate(&x, cur_u8(&x.c));
	if (x.bad || !cur_ok(&x.c) || cur_left(&x.c) > 0 || x.n == 0)
		return false;
	*v = x.value[x.n - 1];
	return true;
}

/* ---- steps */

struct cached {
	const struct cfi *cfi; /* NULL if the slot is free */
	uint64_t place;
	bool none; /* there is no rule for the place */
	bool simple; /* all that it changes is stored at the CFA, which is a register's value */
	struct cfi_rule rule;
};

struct unwinder {
	struct cached *cache; /* direct-mapped */
};

struct unwinder *
unwinder_new(void)
{
	struct unwinder *u = mem_zero(1, sizeof *u);

	if (u == NULL)
		return NULL;
	u->cache = mem_zero((size_t)1 << RULE_BITS, sizeof *u->cache);
	if (u->cache == NULL) {
		mem_free(u);
		return NULL;
	}
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	if (u != NULL)
		mem_free(u->cache);
	mem_free(u);
}

/*
 * Returns true if the rule of a cache entry needs only the CFA and the stack.  The return address,
 * if it is among the registers, is moved to the front, so that nothing is changed where it fails.
 */
static bool
make_simple(struct cfi_rule *rule)
{
	const struct cfi_register first = rule->reg[0];
	uint8_t i, at = 0;

	if (rule->cfa.how != CFI_REGISTER || rule->n == 0)
		return false;
	for (i = 0; i < rule->n; i++) {
		if (rule->reg[i].how != CFI_AT_CFA)
			return false;
		if (rule->reg[i].number == rule->return_column)
			at = i;
	}
	rule->reg[0] = rule->reg[at];
	rule->reg[at] = first;
	return rule->reg[0].number == rule->return_column;
}

/* Returns the entry for the place.  It is valid until the next call. */
static const struct cached *
rule_at(struct unwinder *u, const struct unwind_object *o)
{
	uint64_t key = (o->place ^ (uint64_t)(uintptr_t)o->cfi << 20) * 0x9e3779b97f4a7c15u;
	struct cached *c = &u->cache[key >> (64 - RULE_BITS)];

	if (c->cfi != o->cfi || c->place != o->place) {
		c->none = !cfi_find(o->cfi, o->place, &c->rule);
		c->simple = !c->none && make_simple(&c->rule);
		c->cfi = o->cfi;
		c->place = o->place;
	}
	return c;
}

/* Stores the caller's value of a register in *v.  Returns false, with w->why, if that fails. */
static HINT_INLINE bool
caller_value(struct walk *w, const struct unwind_object *o, const struct cfi_rule *rule,
    const struct cfi_register *r, uint64_t cfa, uint64_t bias, uint64_t *v)
{
	w->why = UNWIND_DAMAGED; /* a load that fails changes this */
	switch (r->how) {
	case CFI_AT_CFA: return load_word(w, cfa + (uint64_t)(int64_t)r->value, v);
	case CFI_IS_CFA: *v = cfa + (uint64_t)(int64_t)r->value; return true;
	case CFI_REGISTER: return get(&w->now, (uint64_t)(int64_t)r->value, v);
	case CFI_AT_EXPRESSION:
		return evaluate(w, cfi_expression(o->cfi, rule, r), &cfa, bias, v) &&
		    load_word(w, *v, v);
	case CFI_IS_EXPRESSION: return evaluate(w, cfi_expression(o->cfi, rule, r), &cfa, bias, v);
	}
	return false;
}

static bool
frame_address(struct walk *w, const struct unwind_object *o, const struct cfi_rule *rule,
    uint64_t bias, uint64_t *cfa)
{
	if (rule->cfa.how == CFI_IS_EXPRESSION)
		return evaluate(w, cfi_expression(o->cfi, rule, &rule->cfa), NULL, bias, cfa);
	if (!get(&w->now, rule->cfa.number, cfa))
		return false;
	*cfa += (uint64_t)(int64_t)rule->cfa.value;
	return true;
}

/* The same as step_by_rule for a simple rule, in place. */
static bool
step_simply(struct walk *w, const struct cfi_rule *rule)
{
	struct unwind_registers *r = &w->now;
	uint64_t cfa, v;
	uint8_t i;

	w->why = UNWIND_DAMAGED;
	if (!get(r, rule->cfa.number, &cfa))
		return false;
	cfa += (uint64_t)(int64_t)rule->cfa.value;
	if (!load_word(w, cfa + (uint64_t)(int64_t)rule->reg[0].value, &v))
		return false;
	put(r, rule->return_column, v);
	put(r, UNWIND_PC, v);
	put(r, w->arch->sp, cfa);
	for (i = 1; i < rule->n; i++) {
		if (load_word(w, cfa + (uint64_t)(int64_t)rule->reg[i].value, &v))
			put(r, rule->reg[i].number, v);
		else
			r->known &= ~(UINT64_C(1) << rule->reg[i].number);
	}
	return true;
}

/*
 * Computes the caller's registers.  Returns false at the outermost function, with w->why set to
 * UNWIND_WHOLE, or if the return address cannot be found.
 */
static bool
step_by_rule(struct walk *w, const struct unwind_object *o, const struct cfi_rule *rule,
    uint64_t address)
{
	uint64_t bias = address - (o->place + cfi_shift(o->cfi, o->place)), cfa, v;
	struct unwind_registers caller = w->now;
	uint8_t i;

	w->why = UNWIND_DAMAGED;
	if (!frame_address(w, o, rule, bias, &cfa))
		return false;
	put(&caller, w->arch->sp, cfa);
	for (i = 0; i < rule->n; i++) {
		const struct cfi_register *r = &rule->reg[i];

		if (caller_value(w, o, rule, r, cfa, bias, &v)) {
			put(&caller, r->number, v);
			continue;
		}
		caller.known &= ~(UINT64_C(1) << r->number);
		if (r->number != rule->return_column)
			continue;
		if (r->how == CFI_UNDEFINED)
			w->why = UNWIND_WHOLE;
		return false;
	}
	w->why = UNWIND_DAMAGED;
	if (!get(&caller, rule->return_column, &v))
		return false;
	put(&caller, UNWIND_PC, v);
	w->now = caller;
	return true;
}

/* Clears the bits that are not part of the address: a signature, or 32-bit ARM's Thumb bit. */
static uint64_t
plain_address(const struct arch *a, uint64_t pc)
{
	if (a == &arches[UNWIND_AARCH64])
		return pc & ((UINT64_C(1) << 48) - 1);
	if (a == &arches[UNWIND_ARM])
		return pc & ~(uint64_t)1;
	return a->wide ? pc : (uint32_t)pc;
}

/*
 * Follows the frame pointer, which points to the caller's frame pointer; the return address comes
 * after that.  The ABIs require a frame pointer of 0 in the outermost function, and some programs
 * begin with a return address of 0; w->why is then UNWIND_WHOLE.  A return address outside any
 * object shows that the register is not used as a frame pointer.
 */
static bool
step_by_frame_pointer(struct walk *w)
{
	uint64_t fp, sp, word = w->arch->wide ? 8 : 4, next, pc;
	struct unwind_object o;

	if (w->arch == &arches[UNWIND_ARM] || !get(&w->now, w->arch->fp, &fp) ||
	    !get(&w->now, w->arch->sp, &sp))
		return false;
	if (fp == 0)
		w->why = UNWIND_WHOLE;
	if (fp < sp || fp % word != 0)
		return false;
	if (!load_word(w, fp, &next) || !load_word(w, fp + word, &pc))
		return false;
	if (plain_address(w->arch, pc) == 0) {
		w->why = UNWIND_WHOLE;
		return false;
	}
	w->stack->object_at(w->stack->ctx, plain_address(w->arch, pc) - 1, &o);
	if (o.why == UNWIND_NO_MAPPING)
		return false;
	put(&w->now, w->arch->fp, next);
	put(&w->now, w->arch->sp, fp + 2 * word);
	put(&w->now, UNWIND_PC, pc);
	return true;
}

/* Takes one step.  Returns false at the end of the stack and sets w->why to the reason. */
static bool
step(struct unwinder *u, struct walk *w, uint64_t address, bool *interrupted)
{
	struct unwind_object o = { .why = UNWIND_NO_MAPPING };
	const struct cached *c = NULL;

	w->stack->object_at(w->stack->ctx, address, &o);
	if (o.cfi != NULL)
		c = rule_at(u, &o);
	if (c != NULL && !c->none) {
		*interrupted = c->rule.signal;
		return c->simple ? step_simply(w, &c->rule)
				 : step_by_rule(w, &o, &c->rule, address);
	}
	*interrupted = false;
	w->why = o.cfi != NULL ? UNWIND_NO_INFO : o.why;
	return w->why == UNWIND_NO_INFO && step_by_frame_pointer(w);
}

enum unwind_end
unwind(struct unwinder *u, const struct unwind_stack *stack, uint64_t *ip, size_t *n, uint64_t *at)
{
	struct walk w = { .stack = stack,
		.arch = &arches[stack->arch],
		.swap = stack->big_endian != cur_host_big() };
	bool interrupted = true, steps;
	uint64_t pc, sp, before;

	*n = 0;
	*at = 0;
	w.now = *stack->registers;
	if ((w.now.known >> UNWIND_PC & 1) == 0 || !get(&w.now, w.arch->sp, &sp))
		return UNWIND_NO_REGISTERS;
	pc = w.now.r[UNWIND_PC];
	for (w.start = sp;;) {
		if (*n == stack->max)
			return UNWIND_LIMIT;
		put(&w.now, w.arch->pc_column, pc);
		*at = interrupted ? pc : pc - 1;
		ip[(*n)++] = *at;
		before = pc;
		steps = step(u, &w, *at, &interrupted);
		if (interrupted)
			*at = ip[*n - 1] = before; /* nothing has called what ends a handler */
		if (!steps)
			return w.why;
		pc = plain_address(w.arch, w.now.r[UNWIND_PC]);
		if (pc == 0)
			return UNWIND_WHOLE;
		if (pc == before && w.now.r[w.arch->sp] == sp)
			return UNWIND_DAMAGED; /* the rule leads back to the same frame */
		sp = w.now.r[w.arch->sp];
	}
}
