/* SPDX-License-Identifier: ISC */
/* cut.c - the keys that are chosen, their values on a line, and those that no line has. */
#include "src/cut/cut.h"

#include <string.h>

#include "lib/kinds.h"
#include "lib/mem.h"

struct cut *
cut_new(void)
{
	return mem_zero(1, sizeof(struct cut));
}

void
cut_free(struct cut *c)
{
	if (c == NULL)
		return;
	keys_free(&c->tags);
	mem_free(c);
}

/* Adds a key, without the "?" of an optional one.  Any other one must be on some line. */
static int
choose(struct cut *c, struct slice key, struct err *e)
{
	bool optional = slice_ends(key, SLICE("?")), ok = true;

	key.len -= optional;
	if (key.len == 0)
		return err_data(e, "an empty name");
	if (c->count == CUT_KEYS_MAX)
		return err_data(e, "more than %d names", CUT_KEYS_MAX);
	c->key[c->count] = key;
	c->column[c->count++] = ev_column_named(key);
	if (!optional)
		ok = ev_is_process(key) ? keys_want_or(&c->tags, SLICE("pid"), key)
					: keys_want(&c->tags, key);
	return ok ? 0 : err_nomem(e);
}

int
cut_choose(struct cut *c, const char *list, struct err *e)
{
	int rc;

	for (;; list++) {
		size_t n = strcspn(list, ",");

		rc = choose(c, (struct slice){ list, n }, e);
		list += n;
		if (rc != 0 || *list == '\0')
			return rc;
	}
}

void
cut_reads(const struct cut *c, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		ev_reads(c->key[i], sink, ctx);
}

struct slice
cut_absent(struct cut *c, const struct ev *ev, size_t i)
{
	struct slice value;

	if (ev_is_process(c->key[i]))
		return ev_process(ev);
	if (!c->stat[i] && !keys_has(&c->tags, c->key[i]))
		c->stat[i] = ev_tag(ev, SLICE("stat"), &value) && slice_eq(value, c->key[i]);
	return SLICE(".");
}

/* Returns true if the line has the key.  Time and run place a line, but say nothing of its own. */
static bool
has_key(const struct cut *c, const struct ev *ev, size_t i)
{
	struct slice value;

	if (c->column[i] == EV_TIME || c->column[i] == EV_RUN)
		return false;
	if (c->column[i] != EV_COLUMNS)
		return !slice_eq(ev->col[c->column[i]], SLICE("."));
	return ev_tag(ev, c->key[i], &value) ||
	    (ev_is_process(c->key[i]) && !slice_eq(ev_process(ev), SLICE(".")));
}

bool
cut_lacks_all(const struct cut *c, const struct ev *ev)
{
	const struct kind *kind = kind_named(ev->col[EV_KIND]);
	size_t i = 0;

	if (kind == NULL || (!kind->about && !kind->outlives))
		return false;
	while (i < c->count && !has_key(c, ev, i))
		i++;
	return i == c->count;
}

static bool
is_statistic(const struct cut *c, struct slice name)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (slice_eq(c->key[i], name))
			return c->stat[i];
	return false;
}

int
cut_missing(const struct cut *c, size_t *at, struct err *e)
{
	struct slice name;

	if (keys_missing(&c->tags, at, e) == 0)
		return 0;
	name = c->tags.names.item[*at - 1];
	if (is_statistic(c, name))
		return err_data(e,
		    "no line has %.*s: it is a statistic, which csvenc --wide stat makes a column",
		    (int)name.len, name.p);
	return e->code;
}
