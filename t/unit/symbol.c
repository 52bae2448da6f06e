/* SPDX-License-Identifier: ISC */
/*
 * symbol.c - queries the symbol engine, for t/symbol.bats.
 *
 * usage: symbol [-s SYMFS] [-k KALLSYMS] [-c CACHE] < QUESTIONS
 *
 *	add START LEN BINDING NAME	to a separate table (numbers in hex; BINDING is a number)
 *	finish object|kernel, relocate DELTA, find ADDR	query that table
 *	object PATH BUILDID|- OFFSET, kernel REF|- REFADDR ADDR [BUILDID], jit PID ADDR
 *	dump PID PATH		"dump" or "none"
 *	append PATH, rewrite PATH, chmod PATH, cut PATH	changes the file: one byte more, its first
 *		byte written again, only its mode, or nothing left of it
 *
 * Each question that has an answer gives a line NAME+0xOFFSET or "none".  Objects without symbols
 * are listed at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/symbol/symbolizer.h"

#define WORDS 5

/* Also checks the end of the name, and the range that is said to have the same answer. */
static void
answer(const struct symtab *t, uint64_t addr)
{
	struct span span = { 0, UINT64_MAX };
	const struct symbol *s = t != NULL ? symtab_find_span(t, addr, &span) : NULL;

	if (s == NULL)
		puts("none");
	else
		printf("%.*s+0x%" PRIx64 "\n", (int)s->namelen, s->name, addr - s->start);
	if (s != NULL && s->name[s->namelen] != '\0')
		puts("no NUL after the name");
	if (t != NULL &&
	    (!span_has(span, addr) || symtab_find(t, span.from) != s ||
		symtab_find(t, span.to - 1) != s))
		printf("not all of 0x%" PRIx64 " to 0x%" PRIx64 "\n", span.from, span.to);
}

static uint64_t
hex(const char *s)
{
	return strtoull(s, NULL, 16);
}

/* Converts hex digits to bytes.  Returns their number. */
static size_t
build_id(const char *digits, unsigned char id[20])
{
	char pair[3] = "";
	size_t n;

	for (n = 0; n < 20 && strlen(digits) >= 2 * n + 2; n++) {
		memcpy(pair, digits + 2 * n, 2);
		id[n] = (unsigned char)hex(pair);
	}
	return n;
}

/* The texts are other ones after each call, and at another place, since they are the caller's. */
static void
ask_kernel(const struct symbolizer *s, char **w)
{
	static struct given {
		char name[64];
		unsigned char id[20];
	} all[3];
	static unsigned count;
	struct given *given = &all[count++ % 3];
	struct sym_kernel k = { .ref_name = strcmp(w[1], "-") != 0 ? given->name : NULL,
		.ref_addr = hex(w[2]),
		.build_id_len = build_id(w[4], given->id) };

	(void)snprintf(given->name, sizeof given->name, "%s", w[1]);
	if (k.build_id_len != 0)
		k.build_id = given->id;

	answer(s->kernel(s->ctx, &k), hex(w[3]));
	memset(given->name, 'x', sizeof given->name - 1);
	memset(given->id, 'x', sizeof given->id);
}

static void
ask_object(const struct symbolizer *s, char **w)
{
	unsigned char id[20];
	struct sym_object o = { .path = w[1], .pathlen = strlen(w[1]) };

	if (strcmp(w[2], "-") != 0) {
		o.build_id_len = build_id(w[2], id);
		o.build_id = id;
	}
	answer(s->object(s->ctx, &o), hex(w[3]));
}

static void
ask_jit(const struct symbolizer *s, char **w)
{
	struct sym_process p = { .pid = (uint32_t)strtoul(w[1], NULL, 10) };

	answer(s->jit(s->ctx, &p), hex(w[2]));
}

static void
ask_dump(const struct symbolizer *s, char **w)
{
	struct sym_dump d = { .path = slice_of(w[2]),
		.process = { .pid = (uint32_t)strtoul(w[1], NULL, 10) } };

	puts(s->dump(s->ctx, &d) != NULL ? "dump" : "none");
}

static int
change(const char *how, const char *path, struct err *e)
{
	FILE *f = fopen(path, "r+");
	bool ok = f != NULL;
	int first = ok ? fgetc(f) : EOF;

	if (strcmp(how, "append") == 0)
		ok = ok && fseek(f, 0, SEEK_END) == 0 && fputc('\n', f) != EOF;
	else if (strcmp(how, "rewrite") == 0)
		ok = ok && fseek(f, 0, SEEK_SET) == 0 && fputc(first, f) != EOF;
	else if (strcmp(how, "chmod") == 0)
		ok = ok && fchmod(fileno(f), 0600) == 0;
	else
		ok = ok && ftruncate(fileno(f), 0) == 0;
	if (f != NULL && fclose(f) != 0)
		ok = false;
	return ok ? 0 : err_sys(e, errno, path);
}

static int
ask(const struct symbolizer *s, struct symtab *t, char **w, struct err *e)
{
	int rc = 0;

	if (strcmp(w[0], "add") == 0)
		rc = symtab_add(t, hex(w[1]), hex(w[2]), (enum sym_binding)atoi(w[3]), w[4],
		    strlen(w[4]), e);
	else if (strcmp(w[0], "relocate") == 0)
		symtab_relocate(t, hex(w[1]));
	else if (strcmp(w[0], "finish") == 0)
		rc = symtab_finish(t, strcmp(w[1], "kernel") == 0 ? SYMTAB_KERNEL : SYMTAB_OBJECT,
		    e);
	else if (strcmp(w[0], "find") == 0)
		answer(t, hex(w[1]));
	else if (strcmp(w[0], "object") == 0)
		ask_object(s, w);
	else if (strcmp(w[0], "kernel") == 0)
		ask_kernel(s, w);
	else if (strcmp(w[0], "jit") == 0)
		ask_jit(s, w);
	else if (strcmp(w[0], "dump") == 0)
		ask_dump(s, w);
	else
		rc = change(w[0], w[1], e);
	return rc;
}

static int
serve(struct symbol_engine *engine, struct symtab *t, struct err *e)
{
	struct symbolizer face = symbol_engine_face(engine);
	static char line[8192];
	char *w[WORDS];
	int rc = 0, i;

	while (rc == 0 && fgets(line, sizeof line, stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		w[0] = strtok(line, " ");
		for (i = 1; i < WORDS; i++)
			if ((w[i] = strtok(NULL, i == WORDS - 1 ? "" : " ")) == NULL)
				w[i] = line + sizeof line - 1;
		if (w[0] != NULL)
			rc = ask(&face, t, w, e);
	}
	return rc;
}

int
main(int argc, char **argv)
{
	struct symbol_options o = { .symfs = NULL };
	struct symbol_engine *engine;
	struct symtab *t = symtab_new();
	struct symbol_miss miss;
	struct err e;
	size_t pos = 0;
	int c, rc;

	while ((c = getopt(argc, argv, "s:k:c:")) != -1) {
		if (c == '?')
			return 2;
		*(c == 's' ? &o.symfs : c == 'k' ? &o.kallsyms : &o.build_id_cache) = optarg;
	}
	if (t == NULL || (engine = symbol_engine_open(&o, &e)) == NULL) {
		fprintf(stderr, "symbol: %s\n", t == NULL ? "no memory" : e.msg);
		symtab_free(t);
		return 3;
	}
	rc = serve(engine, t, &e);
	if (rc != 0)
		fprintf(stderr, "symbol: %s\n", e.msg);
	while (symbol_engine_next_miss(engine, &pos, &miss))
		if (!miss.normal && (miss.renamed == 0 || miss.samples != 0))
			printf("miss %.*s: %s\n", (int)miss.path.len, miss.path.p, miss.reason);
	symbol_engine_close(engine);
	symtab_free(t);
	return rc;
}
