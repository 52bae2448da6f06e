/* SPDX-License-Identifier: ISC */
/* afcut.c - prints chosen columns and tags of a stream as plain tab-separated text. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/esc.h"
#include "lib/keys.h"

#define KEYS_MAX 256

enum { OPT_KIND = 1, OPT_HEADER, OPT_RAW };

static const struct cli_option options[] = {
	{ "kind", "KIND,...", "print only lines of these kinds (default: all)", OPT_KIND, 0 },
	{ "header", NULL, "print a line with the names first", OPT_HEADER, 0 },
	{ "raw", NULL, "undo the escapes, and print an empty field instead of .", OPT_RAW, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "KEY[?][,KEY[?]...] [FILE...]",
	.about = "Prints columns (kind time run region measure value) and tags (cpu, comm,\n"
		 "tag.x ...) of each line, separated by TABs.  A tag that a line does not have\n"
		 "is printed as a dot; one that no line has is an error, unless it is KEY?.\n",
	.example = "perfdec perf.data | afcut -k sample comm,region | sort | uniq -c",
	.options = options,
	.kind = CLI_READER,
};

struct list {
	struct slice item[KEYS_MAX];
	enum ev_column column[KEYS_MAX]; /* EV_COLUMNS for a tag */
	size_t count;
};

struct cut {
	struct list keys, kinds;
	struct keys tags; /* of the keys, those that are not columns */
	bool stat[KEYS_MAX]; /* it is a statistic of some aggregate */
	bool kind_seen[KEYS_MAX]; /* some line has the kind */
	size_t kinds_checked, tags_checked; /* for end */
	bool header, raw;
	uint64_t lines;
	struct out *out;
	struct buf text; /* a value without its escapes */
};

static void
split_list(struct cli *c, const char *what, const char *text, struct list *l)
{
	for (;;) {
		size_t n = strcspn(text, ",");

		if (n == 0)
			cli_usage(c, "%s: an empty name", what);
		if (l->count == KEYS_MAX)
			cli_usage(c, "%s: more than %d names", what, KEYS_MAX);
		l->item[l->count] = (struct slice){ text, n };
		l->column[l->count] = ev_column_named(l->item[l->count]);
		l->count++;
		if (text[n] == '\0')
			return;
		text += n + 1;
	}
}

/* Removes the "?" of an optional key.  Any other one must be on some line. */
static void
want_key(struct cli *c, struct cut *t, size_t i)
{
	struct slice *key = &t->keys.item[i];
	bool optional = slice_ends(*key, SLICE("?")), process, ok = true;

	key->len -= optional;
	if (key->len == 0)
		cli_usage(c, "KEY: an empty name");
	t->keys.column[i] = ev_column_named(*key);
	process = slice_eq(*key, SLICE("pcomm"));
	cli_require(c, *key);
	if (process)
		cli_require(c, SLICE("comm"));
	if (!optional)
		ok = process ? keys_want_for(&t->tags, SLICE("comm"), *key)
			     : keys_want(&t->tags, *key);
	if (!ok)
		cli_die_of_memory(c);
}

static void
parse(struct cli *c, int argc, char **argv, struct cut *t)
{
	size_t i;
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_KIND: split_list(c, "--kind", optarg, &t->kinds); break;
		case OPT_HEADER: t->header = true; break;
		case OPT_RAW: t->raw = true; break;
		}
	split_list(c, "KEY", cli_operand(c, "KEY"), &t->keys);
	for (i = 0; i < t->keys.count; i++)
		want_key(c, t, i);
}

static bool
is_wanted(struct cut *t, struct slice kind)
{
	size_t i;

	for (i = 0; i < t->kinds.count; i++)
		if (slice_eq(t->kinds.item[i], kind))
			return t->kind_seen[i] = true;
	return t->kinds.count == 0;
}

static struct slice
look_up(struct cut *t, const struct ev *ev, size_t key)
{
	enum ev_column column = t->keys.column[key];
	struct slice value;

	if (column == EV_COLUMNS && !ev_tag(ev, t->keys.item[key], &value)) {
		if (slice_eq(t->keys.item[key], SLICE("pcomm")))
			return ev_process(ev);
		if (!t->stat[key] && !keys_has(&t->tags, t->keys.item[key]))
			t->stat[key] =
			    ev_tag(ev, SLICE("stat"), &value) && slice_eq(value, t->keys.item[key]);
		return SLICE(".");
	}
	return column == EV_COLUMNS ? value : ev->col[column];
}

/* Appends the bytes of the value to t->text. */
static int
undo(struct cut *t, const struct ev *ev, size_t key, struct slice value, struct err *e)
{
	size_t begin = t->text.len, at;
	struct slice name = t->keys.item[key];

	/* the reader has checked the escapes, so only allocation can fail */
	if (esc_undo(&t->text, value, &at) != 0)
		return err_nomem(e);
	for (at = begin; at < t->text.len; at++)
		if (t->text.p[at] == '\t' || t->text.p[at] == '\n')
			return err_line(e, ev->number, "--raw: a %s in %.*s",
			    t->text.p[at] == '\t' ? "TAB" : "newline", slice_shown(name, 40),
			    name.p);
	return 0;
}

static int
cut_raw(struct cut *t, const struct ev *ev, struct err *e)
{
	size_t i;
	int rc = 0;

	t->text.len = 0;
	for (i = 0; i < t->keys.count; i++) {
		struct slice value = look_up(t, ev, i);

		if (i > 0 && !buf_putc(&t->text, '\t'))
			return err_nomem(e);
		if (rc == 0)
			rc = undo(t, ev, i, value, e);
	}
	if (rc == 0 && !buf_putc(&t->text, '\n'))
		rc = err_nomem(e);
	if (rc == 0)
		out_put(t->out, t->text.p, t->text.len);
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
	struct cut *t = ctx;
	size_t i;

	if (!is_wanted(t, ev->col[EV_KIND]))
		return 0;
	t->lines++;
	if (!keys_done(&t->tags))
		keys_see(&t->tags, ev);
	if (t->raw)
		return cut_raw(t, ev, e);
	for (i = 0; i < t->keys.count; i++)
		put_field(t->out, look_up(t, ev, i), i + 1 < t->keys.count ? '\t' : '\n');
	return 0;
}

static bool
is_statistic(const struct cut *t, struct slice name)
{
	size_t i;

	for (i = 0; i < t->keys.count; i++)
		if (slice_eq(t->keys.item[i], name))
			return t->stat[i];
	return false;
}

/*
 * Kinds that are asked for and do not exist are probably misspelled, as are keys that no line has.
 * Each call reports one of them.
 */
static int
end(void *ctx, bool *more, struct err *e)
{
	struct cut *t = ctx;
	struct slice name;

	while (t->kinds_checked < t->kinds.count) {
		size_t i = t->kinds_checked++;

		*more = true;
		if (!t->kind_seen[i] && keys_check_kind(t->kinds.item[i], e) != 0)
			return e->code;
	}
	*more = false;
	if (t->lines == 0 || keys_missing(&t->tags, &t->tags_checked, e) == 0)
		return 0;
	*more = true;
	name = t->tags.names.item[t->tags_checked - 1];
	if (is_statistic(t, name))
		return err_data(e,
		    "no line has %.*s: it is a statistic, which csvenc --wide stat makes a column",
		    (int)name.len, name.p);
	return e->code;
}

int
main(int argc, char **argv)
{
	struct out o;
	struct cut t = { .out = &o };
	struct cli c;
	size_t i;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &t);
	cli_write(&c, &o);
	for (i = 0; t.header && i < t.keys.count; i++)
		put_field(&o, t.keys.item[i], i + 1 < t.keys.count ? '\t' : '\n');
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &t, .line = cut_line, .end = end, .takes_parts = true });
	if (t.lines == 0 && c.noperands == 0 && access(t.keys.item[0].p, F_OK) == 0)
		cli_note(&c, "%s, which is a file, was taken as the KEY", t.keys.item[0].p);
	buf_free(&t.text);
	keys_free(&t.tags);
	return cli_finish(&c, &o);
}
