/* SPDX-License-Identifier: ISC */
/* afcut.c - chosen columns and tags of a stream as plain tab-separated text. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/esc.h"

#define KEYS_MAX 256

static const char usage[] =
    "usage: afcut [--kind KIND[,KIND...]] [--header] [--raw] KEY[,KEY...] [FILE...]\n"
    "\n"
    "Prints columns (kind time run region measure value) and tags (cpu, comm, tag.x ...)\n"
    "of each line, with a TAB between them and . for what a line does not have.\n"
    "\n"
    "      --kind KIND[,KIND...]  only lines of these kinds (all)\n"
    "      --header               the names first\n"
    "      --raw                  bytes, not escapes; nothing, not .\n" CLI_READER_HELP;

struct list {
	struct slice item[KEYS_MAX];
	size_t count;
};

struct cut {
	struct list keys, kinds;
	bool found[KEYS_MAX]; /* some line has that key */
	bool header, raw;
	uint64_t lines;
	struct buf text; /* of a value without its escapes */
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
		l->item[l->count++] = (struct slice){ text, n };
		if (text[n] == '\0')
			return;
		text += n + 1;
	}
}

static void
parse(struct cli *c, int argc, char **argv, struct cut *t)
{
	static const struct option longs[] = { { "kind", required_argument, NULL, 'k' },
		{ "header", no_argument, NULL, 'e' }, { "raw", no_argument, NULL, 'r' },
		CLI_READER_OPTIONS };
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", longs)) != -1)
		switch (opt) {
		case 'k': split_list(c, "--kind", optarg, &t->kinds); break;
		case 'e': t->header = true; break;
		case 'r': t->raw = true; break;
		}
	if (optind == argc)
		cli_usage(c, "which KEY?");
	split_list(c, "KEY", argv[optind++], &t->keys);
}

static bool
is_wanted(const struct cut *t, struct slice kind)
{
	size_t i;

	for (i = 0; i < t->kinds.count; i++)
		if (slice_eq(t->kinds.item[i], kind))
			return true;
	return t->kinds.count == 0;
}

static struct slice
look_up(struct cut *t, const struct ev *ev, size_t key)
{
	enum ev_column column = ev_column_named(t->keys.item[key]);
	struct slice value;

	if (column == EV_COLUMNS && !ev_tag(ev, t->keys.item[key], &value))
		return SLICE(".");
	t->found[key] = true;
	return column == EV_COLUMNS ? value : ev->col[column];
}

/* Appends the value's bytes to t->text. */
static int
undo(struct cut *t, const struct ev *ev, size_t key, struct slice value, struct err *e)
{
	size_t begin = t->text.len, at;
	struct slice name = t->keys.item[key];

	/* the reader has checked the escapes: only memory can fail */
	if (esc_undo(&t->text, value, &at) != 0)
		return err_nomem(e);
	for (at = begin; at < t->text.len; at++)
		if (t->text.p[at] == '\t' || t->text.p[at] == '\n')
			return err_line(e, ev->number, "--raw: a %s in %.*s",
			    t->text.p[at] == '\t' ? "TAB" : "newline",
			    (int)(name.len < 40 ? name.len : 40), name.p);
	return 0;
}

static int
cut_raw(struct cut *t, const struct ev *ev, struct out *o, struct err *e)
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
		out_put(o, t->text.p, t->text.len);
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

static void
cut_line(struct cut *t, const struct ev *ev, struct out *o)
{
	size_t i;

	for (i = 0; i < t->keys.count; i++)
		put_field(o, look_up(t, ev, i), i + 1 < t->keys.count ? '\t' : '\n');
}

static void
cut_lines(struct cli *c, struct evread *r, struct cut *t, struct out *o)
{
	struct ev ev;
	struct err e;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		if (!is_wanted(t, ev.col[EV_KIND]))
			continue;
		t->lines++;
		if (!t->raw)
			cut_line(t, &ev, o);
		else if (cut_raw(t, &ev, o, &e) != 0)
			cli_error(c, evread_name(r), &e);
	}
}

int
main(int argc, char **argv)
{
	struct cut t = { .lines = 0 };
	struct cli c;
	struct out o;
	struct evread *r;
	struct err e;
	size_t i;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &t);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	evread_set_idle(r, &o);
	for (i = 0; t.header && i < t.keys.count; i++)
		put_field(&o, t.keys.item[i], i + 1 < t.keys.count ? '\t' : '\n');
	cut_lines(&c, r, &t, &o);
	for (i = 0; t.lines != 0 && i < t.keys.count; i++)
		if (!t.found[i])
			cli_note(&c, "no line has %.*s", (int)t.keys.item[i].len, t.keys.item[i].p);
	buf_free(&t.text);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
