/* SPDX-License-Identifier: ISC */
/* kallsyms.c - the symbols of a kernel, as /proc/kallsyms lists them. */
#include "src/symbol/kallsyms.h"

#include <stdbool.h>
#include <string.h>

#include "lib/slice.h"
#include "lib/tab.h"
#include "src/symbol/lines.h"

struct entry {
	uint64_t addr;
	char type;
	const char *name;
	size_t namelen;
	struct slice module; /* "[name]", empty for the kernel itself */
};

struct list {
	struct symtab *t;
	struct tab modules;
	bool hidden; /* all addresses are 0 */
};

struct reference {
	const char *name; /* NULL: none */
	uint64_t addr; /* in the recording */
	uint64_t listed; /* in the list */
	bool found;
};

static bool
parse(const char *line, size_t len, struct entry *en)
{
	const char *end = line + len, *p = lines_hex(line, end, &en->addr), *tab;

	if (p == NULL || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	en->type = p[1];
	en->name = p + 3;
	tab = memchr(en->name, '\t', (size_t)(end - en->name));
	en->module = tab != NULL ? (struct slice){ tab + 1, (size_t)(end - tab) - 1 } : SLICE("");
	en->namelen = (size_t)((tab != NULL ? tab : end) - en->name);
	return en->namelen > 0 && memchr(en->name, '\0', en->namelen) == NULL;
}

static bool
begins(const struct entry *en, const char *with)
{
	size_t n = strlen(with);

	return en->namelen >= n && memcmp(en->name, with, n) == 0;
}

static bool
is_wanted(const struct entry *en)
{
	if (strchr("tTwWdDbB", en->type) == NULL || en->type == '\0' || en->name[0] == '$')
		return false;
	return !begins(en, "_entry_trampoline") && !begins(en, "__entry_SYSCALL_64_trampoline");
}

/* False without memory. */
static bool
find_binding(struct list *list, const struct entry *en, unsigned *binding)
{
	size_t n = 0;

	*binding = en->type == 'W'               ? SYM_WEAK
	    : en->type >= 'A' && en->type <= 'Z' ? SYM_GLOBAL
						 : SYM_LOCAL;
	if (en->module.len == 0)
		return true;
	n = tab_add(&list->modules, en->module, NULL);
	*binding |= ((unsigned)n + 1) * SYM_MODULE_ONE & SYM_MODULE;
	return n != TAB_NONE;
}

static void
note_reference(struct reference *ref, const struct entry *en)
{
	if (ref->name == NULL || ref->found || en->module.len != 0 ||
	    strchr("tTwW", en->type) == NULL)
		return;
	if (en->namelen == strlen(ref->name) && memcmp(en->name, ref->name, en->namelen) == 0) {
		ref->listed = en->addr;
		ref->found = true;
	}
}

static int
add_entry(struct list *list, struct reference *ref, const struct entry *en, struct err *e)
{
	unsigned binding;

	if (en->addr != 0)
		list->hidden = false;
	note_reference(ref, en);
	if (!find_binding(list, en, &binding))
		return err_nomem(e);
	return symtab_add(list->t, en->addr, 0, (enum sym_binding)binding, en->name, en->namelen,
	    e);
}

static int
read_list(int fd, struct list *list, struct reference *ref, struct err *e)
{
	struct lines *l = lines_open(fd);
	struct entry en;
	const char *line;
	size_t len;
	int rc;

	if (l == NULL)
		return err_nomem(e);
	while ((rc = lines_next(l, &line, &len, e)) == 0 && line != NULL) {
		if (!parse(line, len, &en) || !is_wanted(&en))
			continue;
		if ((rc = add_entry(list, ref, &en, e)) != 0)
			break;
	}
	/* the last symbol would reach over all that is missing */
	if (rc == 0 && lines_are_cut(l))
		rc = err_data(e, "it ends without a line break: it was cut");
	lines_close(l);
	return rc;
}

static int
settle(struct symtab *t, const struct reference *ref, enum kallsyms_policy policy, bool hidden,
    struct err *e)
{
	if (symtab_count(t) == 0)
		return err_data(e, "no symbols in it");
	if (hidden)
		return err_data(e, "its addresses are hidden");
	if (ref->name != NULL && !ref->found)
		return err_data(e, "not the recording's kernel: the reference symbol is missing");
	if (ref->name != NULL && ref->listed != ref->addr) {
		if (policy == KALLSYMS_REFUSE)
			return err_data(e, "not the recording's kernel, or not the same boot");
		symtab_relocate(t, ref->addr - ref->listed);
	}
	return symtab_finish(t, SYMTAB_KERNEL, e);
}

int
kallsyms_load(int fd, const char *ref_name, uint64_t ref_addr, enum kallsyms_policy policy,
    struct symtab **out, struct err *e)
{
	struct reference ref = { .name = ref_name, .addr = ref_addr };
	struct list list = { .t = symtab_new(), .hidden = true };
	int rc;

	if (list.t == NULL)
		return err_nomem(e);
	rc = read_list(fd, &list, &ref, e);
	tab_free(&list.modules);
	if (rc == 0)
		rc = settle(list.t, &ref, policy, list.hidden, e);
	if (rc != 0) {
		symtab_free(list.t);
		return rc;
	}
	*out = list.t;
	return 0;
}
