/* SPDX-License-Identifier: ISC */
/*
 * keys.h - whether the lines of a stream have the columns and tags that the user has named, and the
 * nearest name that they have.
 *
 *	keys_want(&k, SLICE("regoin")) ...		before the first line
 *	for each line: if (!keys_done(&k)) keys_see(&k, &ev);
 *	for (at = 0; keys_missing(&k, &at, &e) != 0;) report e
 *	keys_free(&k);
 *
 * Only lines that the program would take should be passed to keys_see.  If there is none, the
 * caller reports nothing, because no line shows whether the names are right.
 */
#ifndef AFPIPE_KEYS_H
#define AFPIPE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define KEYS_NAMES_MAX ((size_t)4096) /* further names are not remembered */
#define KEYS_NAME_MAX ((size_t)64) /* bytes; a longer name is neither corrected nor suggested */
#define KEYS_PLACES 32
#define KEYS_INSTEAD_MAX 8

/* What a message about a wanted name says. */
struct keys_wanted {
	bool needed; /* it cannot be made optional */
	bool itself; /* no tag of keys_instead will do */
	struct slice typed; /* what the user typed instead; without bytes: the name itself */
	bool bare; /* a line has had the name without "=", which is not a tag */
};

/* A tag with which lines do not need a wanted name, since it would be computed from that. */
struct keys_instead {
	struct slice tag;
	size_t of; /* the number of the name */
	bool seen;
};

struct keys {
	struct tab names; /* the wanted ones first, then the others on the lines */
	size_t wanted, unseen; /* number of wanted names, and of those that no line has had yet */
	bool *seen; /* by number in names, for wanted ones */
	struct keys_wanted *how; /* likewise */
	size_t cap, how_cap;
	struct keys_instead instead[KEYS_INSTEAD_MAX];
	size_t insteads;
	struct slice last[KEYS_PLACES]; /* the names of the last line, by the place of their tags */
	struct tab of_run; /* the tags of run lines */
};

/* { 0 } is a valid empty struct. */
void keys_free(struct keys *k);

/*
 * Adds a name that the input must have, spelled as in the stream (ESC_KEY).  It is copied.  Every
 * line has the columns, and a name may be wanted several times.  Returns false if memory runs out.
 */
bool keys_want(struct keys *k, struct slice name) __attribute__((warn_unused_result));

/* Does the same for a name that cannot be made optional with "?": no message suggests that. */
bool keys_need(struct keys *k, struct slice name) __attribute__((warn_unused_result));

/* Does the same for a name that TYPED, which the user gave, is computed from.  It is borrowed. */
bool keys_want_for(struct keys *k, struct slice name, struct slice typed)
    __attribute__((warn_unused_result));

/*
 * Does the same for a name that the tag TYPED is computed from if a line lacks that tag, as only
 * few are: a line that has TYPED will do.
 */
bool keys_want_or(struct keys *k, struct slice name, struct slice typed)
    __attribute__((warn_unused_result));

/* Does the same for a name that cannot be made optional. */
bool keys_need_or(struct keys *k, struct slice name, struct slice typed)
    __attribute__((warn_unused_result));

/* Does the same for a name that an option, TYPED, needs: it cannot be made optional either. */
bool keys_need_for(struct keys *k, struct slice name, struct slice typed)
    __attribute__((warn_unused_result));

/* Adds all names that OTHER wants. */
bool keys_want_all(struct keys *k, const struct keys *other) __attribute__((warn_unused_result));

/* Passes on the names that are wanted so far. */
void keys_pass(const struct keys *k, ev_key_sink *sink, void *ctx);

/* Returns true if each wanted name has been seen.  Further lines then need not be passed on. */
static inline bool
keys_done(const struct keys *k)
{
	return k->unseen == 0;
}

/*
 * Notes the tags of a line, which comes from a reader.  Nothing is allocated for a line that has
 * the same tags as the line before it.  If memory runs out, some names are not suggested.
 */
void keys_see(struct keys *k, const struct ev *ev);

/*
 * Does the same for a run line, which need not be one that the program takes, and which may come
 * before keys_want.  A wanted name run.KEY then counts as seen if a run line has KEY.  Other lines
 * may be left out.
 */
void keys_see_run(struct keys *k, const struct ev *ev);

/* Returns true if some line had the name, or if it is not wanted. */
bool keys_has(const struct keys *k, struct slice name);

/* Notes that some line had wanted name I, below k->wanted. */
void keys_saw(struct keys *k, size_t i);

/*
 * Stores an error for the next wanted name that no line had, with what the stream calls it, or the
 * nearest name if one is near enough.  *at is 0 at first.  Returns ERR_DATA, or 0 if there are no
 * more.
 */
int keys_missing(const struct keys *k, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

/* Writes that a name is "." on all lines, and why, if a source often does not record it. */
void keys_unrecorded(struct slice name, char *text, size_t size);

/*
 * Returns the name nearest to WANTED, or a slice without bytes if none is near enough.  NAME gives
 * the names from 0 on, and NULL at the end.
 */
struct slice keys_nearest(struct slice wanted, const char *(*name)(const void *ctx, size_t i),
    const void *ctx);

/*
 * For a kind of lines that was asked for and that no line has: returns ERR_DATA if afstream(5) does
 * not list it, since it is probably misspelled, and else 0.
 */
int keys_check_kind(struct slice kind, struct err *e) __attribute__((warn_unused_result));

#define KEYS_KINDS_MAX 256

/* The kinds of lines that the user has named.  { 0 } has none. */
struct keys_kinds {
	struct slice kind[KEYS_KINDS_MAX];
	bool seen[KEYS_KINDS_MAX]; /* some line is of that kind */
	size_t n;
};

/* Adds those of a list, separated by commas, which is borrowed.  Fails with ERR_DATA. */
int keys_add_kinds(struct keys_kinds *k, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if that kind, which a line has, is one of them. */
static inline bool
keys_see_kind(struct keys_kinds *k, struct slice kind)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (slice_eq(k->kind[i], kind))
			return k->seen[i] = true;
	return false;
}

/*
 * Stores an error for the next kind that no line has and keys_check_kind refuses.  *at is 0 at
 * first.  Returns ERR_DATA, or 0 if there are no more.
 */
int keys_kinds_missing(const struct keys_kinds *k, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

/*
 * For a measure that was asked for and that no line has: returns ERR_DATA.  OTHERS are those that
 * lines have, from keys_note_measure, one of which may be meant.
 */
int keys_no_measure(struct slice measure, const struct tab *others, struct err *e);

/* Adds a measure, unless it is long or there are many.  If memory runs out, it is not suggested. */
void keys_note_measure(struct tab *others, struct slice measure);

/* Returns true for a key that names a place in the code, such as region. */
bool keys_is_place(struct slice key);

/* Returns true for a tag that says what a result is, and never of which group it is. */
bool keys_is_result_tag(struct slice key);

/*
 * Returns true for a tag of this result that does so: mid may be one, or else a key of the group,
 * which comes before the statistic.
 */
bool keys_is_of_result(const struct ev *ev, struct slice key);

#endif
