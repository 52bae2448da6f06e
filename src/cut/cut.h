/* SPDX-License-Identifier: ISC */
/*
 * cut.h - the columns and tags that are chosen from each line, and whether any line has them.
 *
 *	c = cut_new(); cut_choose(c, "comm,cpu?", &e);
 *	for each line: cut_see(c, &ev); cut_value(c, &ev, i) for i below c->count
 *	for (at = 0; cut_missing(c, &at, &e) != 0;) report e
 *	cut_free(c);
 */
#ifndef AFPIPE_CUT_CUT_H
#define AFPIPE_CUT_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/keys.h"
#include "lib/short.h"
#include "lib/slice.h"

#define CUT_KEYS_MAX 256

struct cut {
	struct slice key[CUT_KEYS_MAX];
	enum ev_column column[CUT_KEYS_MAX]; /* EV_COLUMNS for a tag */
	bool stat[CUT_KEYS_MAX]; /* it is a statistic of some aggregate */
	size_t count;
	struct keys tags; /* those that some line must have */
};

/* Returns NULL if memory runs out. */
struct cut *cut_new(void);
void cut_free(struct cut *c);

/*
 * Chooses the keys of a list such as "comm,cpu?", which is borrowed.  Some line must have each of
 * them, unless "?" follows it.  Returns ERR_DATA for an empty name or too many, and ERR_SYS if
 * memory runs out.
 */
int cut_choose(struct cut *c, const char *list, struct err *e) __attribute__((warn_unused_result));

/* Passes on the names that the values are taken from. */
void cut_reads(const struct cut *c, ev_key_sink *sink, void *ctx);

/* Notes the tags of a line, for cut_missing. */
static inline void
cut_see(struct cut *c, const struct ev *ev)
{
	if (keys_done(&c->tags))
		return;
	keys_see(&c->tags, ev);
	keys_see_run(&c->tags, ev);
}

/* Notes the tags of a run line that is not printed, likewise. */
static inline void
cut_see_run(struct cut *c, const struct ev *ev)
{
	if (!keys_done(&c->tags))
		keys_see_run(&c->tags, ev);
}

/* For cut_value: what is printed for tag I, which the line does not have. */
struct slice cut_absent(struct cut *c, const struct ev *ev, size_t i);

/* Returns the value of key I, with its escapes, or "." if the line has none. */
static inline struct slice
cut_value(struct cut *c, const struct ev *ev, size_t i)
{
	struct slice value;

	if (c->column[i] != EV_COLUMNS)
		return ev->col[c->column[i]];
	return ev_tag(ev, c->key[i], &value) ? value : cut_absent(c, ev, i);
}

/* For cut_is_beside: the same, for any kind of line. */
bool cut_lacks_all(const struct cut *c, const struct ev *ev);

/*
 * Returns true if the line describes others (a run, a measure, losses) and has none of the keys but
 * time and run, so that its record would tell nothing.
 */
static inline bool
cut_is_beside(const struct cut *c, const struct ev *ev)
{
	/* nearly all lines are samples */
	return !short_eq(ev->col[EV_KIND], SLICE("sample")) && cut_lacks_all(c, ev);
}

/*
 * Stores an error for the next key that no line had.  *at is 0 at first.  Returns ERR_DATA, or 0 if
 * there are no more.
 */
int cut_missing(const struct cut *c, size_t *at, struct err *e) __attribute__((warn_unused_result));

#endif
