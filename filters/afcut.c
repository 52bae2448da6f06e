/* SPDX-License-Identifier: ISC */
/* afcut.c - prints chosen columns and tags of a stream as plain tab-separated text. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/esc.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mixed.h"
#include "src/cut/cut.h"

enum { OPT_KIND = 1, OPT_HEADER, OPT_RAW };

static const struct cli_option options[] = {
	{ "kind", "KIND,...", "print all lines of these kinds, and no others", OPT_KIND, 0 },
	{ "header", NULL, "print a line with the names first", OPT_HEADER, 0 },
	{ "raw", NULL, "undo the escapes, and print an empty field instead of .", OPT_RAW, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "KEY[?][,KEY[?]...] [FILE...]",
	.about =
	    "Prints columns (kind time run region measure value) and tags (cpu, comm,\n"
	    "tag.x ...) of each line, separated by TABs.  A tag that a line does not have\n"
	    "is printed as a dot; one that no line has is an error, unless it is KEY?.\n"
	    "A line about others (run, measure ...) with no key but time and run is left out.\n",
	.example = "perfdec perf.data | afcut -k sample comm,region | sort | uniq -c",
	.options = options,
	.kind = CLI_READER,
};

struct job {
	struct cut *cut;
	struct keys_kinds kinds; /* if there are none, all are printed */
	size_t kinds_checked, keys_checked; /* for end */
	bool header, raw;
	uint64_t lines;
	struct mixed mixed; /* the records */
	struct out *out;
	struct buf text; /* a value without its escapes */
};

static void
see_column(void *ctx, struct slice name)
{
	struct job *j = ctx;

	mixed_column(&j->mixed, name);
}

/* Returns the operand KEY. */
static const char *
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	const char *keys;
	struct err e;
	int opt, rc;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_KIND:
			cli_check_setting(c, "kind", keys_add_kinds(&j->kinds, optarg, &e), &e);
			break;
		case OPT_HEADER: j->header = true; break;
		case OPT_RAW: j->raw = true; break;
		}
	keys = cli_operand(c, "KEY");
	rc = cut_choose(j->cut, keys, &e);
	if (rc == ERR_DATA)
		cli_usage(c, "KEY: %s", e.msg);
	if (rc != 0)
		cli_die(c, &e);
	cut_reads(j->cut,
	    kinds_have_events(j->kinds.kind, j->kinds.n) ? cli_require : cli_require_of_run, c);
	cut_reads(j->cut, see_column, j);
	j->mixed.by_kind |= j->kinds.n != 0;
	return keys;
}

/* Appends the bytes of the value to j->text. */
static int
undo(struct job *j, const struct ev *ev, size_t key, struct slice value, struct err *e)
{
	size_t begin = j->text.len, at;
	struct slice name = j->cut->key[key];

	/* the reader has checked the escapes, so only allocation can fail */
	if (esc_undo(&j->text, value, &at) != 0)
		return err_nomem(e);
	for (at = begin; at < j->text.len; at++)
		if (j->text.p[at] == '\t' || j->text.p[at] == '\n')
			return err_line(e, ev->number, "--raw: a %s in %.*s",
			    j->text.p[at] == '\t' ? "TAB" : "newline", slice_shown(name, 40),
			    name.p);
	return 0;
}

static int
cut_raw(struct job *j, const struct ev *ev, struct err *e)
{
	size_t i;
	int rc = 0;

	j->text.len = 0;
	for (i = 0; i < j->cut->count; i++) {
		struct slice value = cut_value(j->cut, ev, i);

		if (i > 0 && !buf_putc(&j->text, '\t'))
			return err_nomem(e);
		if (rc == 0)
			rc = undo(j, ev, i, value, e);
	}
	if (rc == 0 && !buf_putc(&j->text, '\n'))
		rc = err_nomem(e);
	if (rc == 0)
		out_put(j->out, j->text.p, j->text.len);
	return rc;
}

static void
put_field(struct out *o, struct slice s, char end)
{
	char *p = out_room(o, s.len + 1);

	if (p == NULL)
		return;
	memcpy(p, s.p, s.len);
	p[s.len] = end;
	out_commit(o, s.len + 1);
}

static int
cut_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	size_t i;

	if (j->kinds.n != 0 && !keys_see_kind(&j->kinds, ev->col[EV_KIND])) {
		cut_see_run(j->cut, ev);
		return 0;
	}
	j->lines++;
	cut_see(j->cut, ev);
	if (j->kinds.n == 0 && cut_is_beside(j->cut, ev))
		return 0;
	if (!mixed_see(&j->mixed, ev))
		return err_nomem(e);
	if (j->raw)
		return cut_raw(j, ev, e);
	for (i = 0; i < j->cut->count; i++)
		put_field(j->out, cut_value(j->cut, ev, i), i + 1 < j->cut->count ? '\t' : '\n');
	return 0;
}

/*
 * Kinds that are asked for and do not exist are probably misspelled, as are keys that no line has.
 * Each call reports one of them.
 */
static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;

	if (keys_kinds_missing(&j->kinds, &j->kinds_checked, e) != 0) {
		*more = true;
		return e->code;
	}
	*more = j->lines != 0 && cut_missing(j->cut, &j->keys_checked, e) != 0;
	return *more ? (int)e->code : 0;
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	struct job *j = ctx;

	return mixed_note(&j->mixed, at, text, size);
}

int
main(int argc, char **argv)
{
	struct out o;
	struct job j = { .out = &o };
	struct cli c;
	const char *keys;
	size_t i;

	cli_open(&c, argv[0], &program);
	j.cut = cut_new();
	if (j.cut == NULL)
		cli_die_of_memory(&c);
	keys = parse(&c, argc, argv, &j);
	cli_write(&c, &o);
	for (i = 0; j.header && i < j.cut->count; i++)
		put_field(&o, j.cut->key[i], i + 1 < j.cut->count ? '\t' : '\n');
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j,
		.line = cut_line,
		.end = end,
		.note = note,
		.takes_parts = true });
	if (j.lines == 0 && c.noperands == 0 && access(keys, F_OK) == 0)
		cli_note(&c, "%s, which is a file, was taken as the KEY", keys);
	buf_free(&j.text);
	mixed_free(&j.mixed);
	cut_free(j.cut);
	return cli_finish(&c, &o);
}
