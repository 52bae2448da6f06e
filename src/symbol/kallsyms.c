/* SPDX-License-Identifier: ISC */
/* kallsyms.c - the symbols of a kernel, as /proc/kallsyms lists them. */
#include "src/symbol/kallsyms.h"

#include <stdbool.h>
#include <string.h>

#include "src/symbol/lines.h"

struct entry {
	uint64_t addr;
	char type;
	const char *name;
	size_t namelen;
	bool module;
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
	en->module = tab != NULL;
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

static unsigned
binding(const struct entry *en)
{
	unsigned flag = en->module ? SYM_MODULE : 0;

	if (en->type == 'W')
		return SYM_WEAK | flag;
	return (en->type >= 'A' && en->type <= 'Z' ? SYM_GLOBAL : SYM_LOCAL) | flag;
}

static void
note_reference(struct reference *ref, const struct entry *en)
{
	if (ref->name == NULL || ref->found || en->module || strchr("tTwW", en->type) == NULL)
		return;
	if (en->namelen == strlen(ref->name) && memcmp(en->name, ref->name, en->namelen) == 0) {
		ref->listed = en->addr;
		ref->found = true;
	}
}

static int
read_list(int fd, struct symtab *t, struct reference *ref, bool *hidden, struct err *e)
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
		if (en.addr != 0)
			*hidden = false;
		note_reference(ref, &en);
		rc = symtab_add(t, en.addr, 0, (enum sym_binding)binding(&en), en.name, en.namelen,
		    e);
		if (rc != 0)
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
	struct symtab *t = symtab_new();
	bool hidden = true;
	int rc;

	if (t == NULL)
		return err_nomem(e);
	rc = read_list(fd, t, &ref, &hidden, e);
	if (rc == 0)
		rc = settle(t, &ref, policy, hidden, e);
	if (rc != 0) {
		symtab_free(t);
		return rc;
	}
	*out = t;
	return 0;
}
