/* SPDX-License-Identifier: ISC */
/*
 * dwarfname.c - the names of functions.
 *
 * GCC gives a C++ function with internal linkage no linkage name.  Its own name is then the same as
 * those of functions of other namespaces, so the names of the namespaces and classes around its
 * declaration are put before it.  An entry does not refer to the entries around it: they are found
 * by a walk through the unit, which is made when the first name needs it.
 */
#include <dwarf.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/symbol/dwarfint.h"

/* Codes of languages that older <dwarf.h> lack (the list of DW_AT_language on dwarfstd.org). */
#define CPLUSPLUS_17 0x2a
#define CPLUSPLUS_20 0x2b
#define CPLUSPLUS_23 0x3a

/* ---- scopes */

/* The state of the walk through a unit. */
struct walk {
	struct dwarf_unit *u;
	struct dwarf_scopes *scopes;
	struct {
		uint32_t at;
		uint32_t scope; /* its number, or that of the scope around it */
		bool is_scope;
	} level[DWARF_DEPTH_MAX + 1]; /* the entries around the next one */
	unsigned added; /* levels whose scopes have numbers */
};

static bool
is_scope(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	    tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

/* Numbers the DEPTH scopes around a function. */
static bool
add_scopes(struct walk *k, unsigned depth)
{
	struct dwarf_scopes *s = k->scopes;
	uint32_t outer;

	while (k->added < depth) {
		outer = k->level[k->added++].scope;
		k->level[k->added].scope = outer;
		if (!k->level[k->added].is_scope)
			continue;
		if (!vec_room(s->scope, s->n, s->cap))
			return dwarf_nomem(k->u->file->dwarf);
		k->level[k->added].scope = (uint32_t)s->n;
		s->scope[s->n++] =
		    (struct dwarf_scope){ .at = k->level[k->added].at, .outer = outer };
	}
	return true;
}

/* Ends a list of children. */
static void
end_level(struct walk *k, uint32_t at, unsigned depth)
{
	if (k->added != depth || depth == 0)
		return;
	if (k->level[depth].is_scope)
		k->scopes->scope[k->level[depth].scope].end = at;
	k->added--;
}

static bool
take(void *ctx, const struct dwarf_die *die, uint32_t at, unsigned depth)
{
	struct walk *k = ctx;

	if (die->tag == 0) {
		end_level(k, at, depth);
		return true;
	}
	if (die->tag == DW_TAG_subprogram && !add_scopes(k, depth))
		return false;
	if (die->children) {
		k->level[depth + 1].at = at;
		k->level[depth + 1].is_scope = is_scope(die->tag);
	}
	return true;
}

/* Returns true unless the unit says that its language is another.  (dwz's units say nothing.) */
static bool
may_be_cplusplus(const struct dwarf_die *root)
{
	if (!dwarf_has(root, DWARF_LANGUAGE))
		return true;
	switch (root->v[DWARF_LANGUAGE].n) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case CPLUSPLUS_17:
	case CPLUSPLUS_20:
	case CPLUSPLUS_23:
	case DW_LANG_ObjC_plus_plus: return true;
	}
	return false;
}

static bool
read_scopes(struct dwarf_unit *u)
{
	struct dwarf *d = u->file->dwarf;
	struct walk k = { .u = u, .level = { { .scope = DWARF_NO_NODE } } };
	struct dwarf_die root;

	if (!dwarf_die_at(u, u->root, &root))
		return false;
	if ((k.scopes = mem_zero(1, sizeof *k.scopes)) == NULL)
		return dwarf_nomem(d);
	u->scopes = k.scopes;
	if (may_be_cplusplus(&root) && !dwarf_walk(u, take, &k)) {
		mem_free(k.scopes->scope);
		mem_free(k.scopes);
		u->scopes = NULL;
		return false;
	}
	d->cached += sizeof *k.scopes + k.scopes->cap * sizeof *k.scopes->scope;
	return true;
}

void
dwarf_scopes_drop(struct dwarf_unit *u)
{
	struct dwarf_scopes *s = u->scopes;

	if (s == NULL)
		return;
	u->file->dwarf->cached -= sizeof *s + s->cap * sizeof *s->scope;
	mem_free(s->scope);
	mem_free(s);
	u->scopes = NULL;
}

/* Finds the scope around the entry at that offset.  *outer is DWARF_NONE if there is none. */
static bool
find_scope(struct dwarf_unit *u, uint64_t offset, uint64_t *outer)
{
	const struct dwarf_scope *s;
	uint64_t at = offset - u->format.base;
	size_t low = 0, high, mid;
	uint32_t i;

	*outer = DWARF_NONE;
	if (u->scopes == NULL && !read_scopes(u))
		return false;
	s = u->scopes->scope;
	for (high = u->scopes->n; low < high;) {
		mid = low + (high - low) / 2;
		if (s[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	/* a scope that the unit cuts off has no end, and is that of all that follows */
	for (i = low > 0 ? (uint32_t)low - 1 : DWARF_NO_NODE; i != DWARF_NO_NODE; i = s[i].outer)
		if (s[i].end == 0 || s[i].end > at)
			break;
	if (i != DWARF_NO_NODE)
		*outer = u->format.base + s[i].at;
	return true;
}

/* ---- names */

/* A function, or a scope around it. */
struct named {
	struct dwarf_unit *unit; /* of its declaration */
	uint64_t at; /* its declaration */
	unsigned tag;
	struct dwarf_unit *name_unit; /* of its name */
	struct dwarf_value name; /* DWARF_IS_OTHER: none */
	struct dwarf_unit *linkage_unit; /* NULL: it has no linkage name */
	struct dwarf_value linkage;
	bool external;
};

/* Moves to the entry that v refers to.  *u is NULL if it is not in a unit. */
static bool
follow(struct dwarf_unit **u, const struct dwarf_value *v)
{
	struct dwarf_file *f = (*u)->file;

	if (v->kind == DWARF_IS_REF && v->n >= (*u)->root && v->n < (*u)->end)
		return true;
	if (v->kind == DWARF_IS_ALT_REF && !dwarf_alt(f->dwarf, &f))
		return false;
	if (v->kind != DWARF_IS_REF && v->kind != DWARF_IS_ALT_REF) {
		*u = NULL;
		return true;
	}
	*u = dwarf_unit_at(f, v->n);
	return *u != NULL
	    ? true
	    : dwarf_fail(f, "its debug information refers to bytes that do not exist");
}

static bool
is_function(unsigned tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	    tag == DW_TAG_entry_point;
}

/* Takes what an entry says about the function or scope. */
static void
take_entry(struct named *n, struct dwarf_unit *u, const struct dwarf_die *die)
{
	n->unit = u;
	n->at = die->at;
	n->tag = die->tag;
	n->external |= dwarf_has(die, DWARF_EXTERNAL);
	if (dwarf_has(die, DWARF_LINKAGE_NAME)) {
		n->linkage_unit = u;
		n->linkage = die->v[DWARF_LINKAGE_NAME];
	}
	if (n->name.kind == DWARF_IS_OTHER && dwarf_has(die, DWARF_NAME)) {
		n->name_unit = u;
		n->name = die->v[DWARF_NAME];
	}
}

/* Follows the entry at that offset to its declaration, or to its linkage name. */
static bool
trace(struct dwarf_unit *u, uint64_t at, struct named *n)
{
	enum dwarf_slot next;
	struct dwarf_die die;
	unsigned depth;

	*n = (struct named){ .unit = NULL };
	for (depth = 0; depth < DWARF_ORIGINS_MAX && u != NULL; depth++) {
		if (!dwarf_die_at(u, at, &die))
			return false;
		if (depth > 0 && is_function(die.tag) != is_function(n->tag))
			return dwarf_fail(u->file,
			    "a function of its debug information is damaged");
		take_entry(n, u, &die);
		next = dwarf_has(&die, DWARF_ORIGIN) ? DWARF_ORIGIN : DWARF_SPECIFICATION;
		if (n->linkage_unit != NULL || !dwarf_has(&die, next))
			break;
		at = die.v[next].n;
		if (!follow(&u, &die.v[next]))
			return false;
	}
	return true;
}

/* Appends a text that cannot be empty. */
static bool
append_text(struct dwarf_unit *u, const struct dwarf_value *v, struct buf *to)
{
	size_t before = to->len;

	if (!dwarf_text(u, v, to))
		return false;
	if (to->len == before)
		return dwarf_fail(u->file, "a name in its debug information is missing");
	return to->len <= DWARF_TEXT_MAX
	    ? true
	    : dwarf_missing(u->file->dwarf, "a name in it is too long");
}

/* Appends the name of a scope and "::".  What has no name is spelled as in demangled names. */
static bool
append_scope(const struct named *n, struct buf *to)
{
	bool ok;

	if (n->name.kind != DWARF_IS_OTHER)
		return append_text(n->name_unit, &n->name, to) &&
		    (buf_puts(to, "::") || dwarf_nomem(n->name_unit->file->dwarf));
	if (is_function(n->tag))
		return true;
	ok = buf_puts(to,
	    n->tag == DW_TAG_namespace ? "(anonymous namespace)::" : "{unnamed type}::");
	return ok ? true : dwarf_nomem(n->unit->file->dwarf);
}

/* Appends the names of the scopes around the declaration, the outermost first. */
static bool
append_scopes(const struct named *function, struct buf *to)
{
	struct named scope[DWARF_SCOPES_MAX];
	const struct named *inner = function;
	uint64_t outer;
	size_t n;

	for (n = 0;; n++) {
		if (!find_scope(inner->unit, inner->at, &outer))
			return false;
		if (outer == DWARF_NONE)
			break;
		if (n == DWARF_SCOPES_MAX)
			return dwarf_fail(inner->unit->file,
			    "a function of its debug information is damaged");
		if (!trace(inner->unit, outer, &scope[n]))
			return false;
		inner = &scope[n];
	}
	while (n > 0)
		if (!append_scope(&scope[--n], to))
			return false;
	return true;
}

bool
dwarf_name(struct dwarf_unit *u, uint64_t at, struct buf *to)
{
	struct named n;

	if (!trace(u, at, &n))
		return false;
	if (!is_function(n.tag))
		return dwarf_fail(u->file, "a function of its debug information is damaged");
	if (n.linkage_unit != NULL)
		return append_text(n.linkage_unit, &n.linkage, to);
	if (n.name.kind == DWARF_IS_OTHER)
		return true;
	/* an external function without a linkage name is one of C, whose symbol is its name */
	return (n.external || append_scopes(&n, to)) && append_text(n.name_unit, &n.name, to);
}
