/* SPDX-License-Identifier: ISC */
/*
 * ev.h - one line of the stream, afstream(5), as a reader returns it.
 *
 * All slices are the line's own escaped text.  Each text has only one spelling (readers reject any
 * other), so escaped texts may be compared without undoing the escapes.
 */
#ifndef AFPIPE_EV_H
#define AFPIPE_EV_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/short.h"
#include "lib/slice.h"

#define EV_LINE_MAX ((size_t)16 * 1024 * 1024) /* bytes of a line without its LF */
#define EV_VERSION "1"

enum ev_column { EV_KIND, EV_TIME, EV_RUN, EV_REGION, EV_MEASURE, EV_VALUE, EV_COLUMNS };

struct ev {
	uint64_t number; /* the line's number in its input, from 1 */
	struct slice text; /* the whole line without its LF */
	struct slice col[EV_COLUMNS];
	struct slice tags; /* the text after column 6, without the leading TAB; may be empty */
	/* The positions of the tags: tag i is between base + cut[i] + 1 and base + cut[i + 1]. */
	const char *base;
	const uint32_t *cut;
	size_t ntags;
};

/*
 * Cuts a line that a writer of this program has made, so it is not checked.  AT has room for MAX
 * offsets, one for each TAB and one for the end.  Returns false if they are too many, or the
 * columns too few.
 */
bool ev_cut(struct slice line, uint32_t *at, size_t max, struct ev *ev)
    __attribute__((warn_unused_result));

/*
 * The beginning of the keys that mean a tag of the run line of the line's run, as run.host.  Lines
 * have such tags if the program has asked its reader for them.
 */
#define EV_OF_RUN "run."

static inline bool
ev_is_of_run(struct slice key)
{
	return key.len > sizeof EV_OF_RUN - 1 &&
	    memcmp(key.p, EV_OF_RUN, sizeof EV_OF_RUN - 1) == 0;
}

/* One tag, as returned by ev_next_tag. */
struct ev_tag {
	struct slice key, value;
};

/*
 * Removes the next tag from *rest, which starts as ev->tags.  Returns false at the end.  A tag
 * without '=' has an empty key and the whole text as its value.
 */
bool ev_next_tag(struct slice *rest, struct ev_tag *tag);

/*
 * Returns true for the tags that say what the columns mean: the unit and the type of the value, the
 * id of its measure, which of several events with its name that is, the time at which a span
 * starts, and whether values contain others; and which statistic of what a result is.  Decoders
 * never leave them out.
 */
bool ev_is_basic_tag(struct slice key);

/*
 * Returns true for a key that no decoder writes on a line of an event, and that no program computes
 * from others, so that it can be one of --tag.
 */
bool ev_is_free_key(struct slice key);

/*
 * Returns the prefix of a key that comes from the source of an event ("tag.", "tp.", "p." or
 * "hdr."), or an empty text.  It is part of KEY.
 */
struct slice ev_source_prefix(struct slice key);

/* Receives the keys of the tags that something reads, one by one. */
typedef void ev_key_sink(void *ctx, struct slice key);

/* Finds the first tag with that key, given in escaped form.  Returns false if there is none. */
bool ev_tag(const struct ev *ev, struct slice key, struct slice *value);

/* Does the same in the text of some tags, such as ev->tags.  It may begin with a TAB. */
bool ev_tag_in(struct slice tags, struct slice key, struct slice *value);

/*
 * Returns the region or, for a result without one, the value of its key frame, leaf, caller, callee
 * or root if it has only one of these.  Otherwise returns ".".
 */
struct slice ev_function(const struct ev *ev);

/* Returns the text of tag I, below ev->ntags. */
static inline struct slice
ev_tag_at(const struct ev *ev, size_t i)
{
	return (struct slice){ ev->base + ev->cut[i] + 1, ev->cut[i + 1] - ev->cut[i] - 1 };
}

/*
 * Keys of tags, each with a number from 0 on, for code that looks for several of them on each line.
 * { 0 } has none.
 */
#define EV_KEYS_MAX 128

struct ev_keys {
	size_t count;
	struct slice key[EV_KEYS_MAX]; /* borrowed */
	unsigned char first[256]; /* 1 + the last key with this hash, or 0 */
	unsigned char next[EV_KEYS_MAX]; /* 1 + the key before it with the same hash, or 0 */
};

/*
 * Returns the hash of the first two bytes of KEY=VALUE or of KEY, which is not empty.  The second
 * byte of a key of one byte is taken to be '='.
 */
static inline unsigned char
ev_keys_hash(struct slice key)
{
	unsigned second = (unsigned char)(key.len > 1 ? key.p[1] : '=');

	return (unsigned char)((unsigned char)key.p[0] + 31 * second);
}

/* Adds a key, which is not empty.  Returns its number.  There must be room for it. */
size_t ev_keys_add(struct ev_keys *k, struct slice key);

/*
 * Returns the number of a tag's key, and then stores its value, or EV_KEYS_MAX.  Of equal keys it
 * is the last one added.
 */
static inline size_t
ev_keys_find(const struct ev_keys *k, struct slice tag, struct slice *value)
{
	size_t i;

	for (i = tag.len == 0 ? 0 : k->first[ev_keys_hash(tag)]; i != 0; i = k->next[i - 1]) {
		struct slice key = k->key[i - 1];

		if (tag.len <= key.len || tag.p[key.len] != '=' ||
		    !short_eq((struct slice){ tag.p, key.len }, key))
			continue;
		*value = (struct slice){ tag.p + key.len + 1, tag.len - key.len - 1 };
		return i - 1;
	}
	return EV_KEYS_MAX;
}

/* Returns the value of a tag by its key, and "." if the line has no such tag. */
struct slice ev_get(const struct ev *ev, struct slice key);

/*
 * Returns the name of the line's process: the tag pcomm, or else comm if the thread is the first of
 * its process, whose name it has.  "." if neither is known.
 */
struct slice ev_process(const struct ev *ev);

/* Returns true for the key whose value ev_process returns, since many lines do not have it. */
static inline bool
ev_is_process(struct slice key)
{
	return slice_eq(key, SLICE("pcomm"));
}

/* Passes on the key and, for that of ev_process, the other tags that it needs. */
void ev_reads(struct slice key, ev_key_sink *sink, void *ctx);

/* Returns the column called NAME, or EV_COLUMNS if there is none. */
enum ev_column ev_column_named(struct slice name);

/*
 * Returns true for the columns kind, time and value.  Those of a result are its own, so if they are
 * keys of its group, it has tags of these names.
 */
static inline bool
ev_result_has_tag(enum ev_column column)
{
	return column == EV_KIND || column == EV_TIME || column == EV_VALUE;
}

/*
 * Returns the text of the group in a column below EV_COLUMNS: on a result or a change of results
 * the tag of that name, if ev_result_has_tag and the line has it, and otherwise the column.
 */
struct slice ev_of_group(const struct ev *ev, enum ev_column column);

/* Returns the name of a column below EV_COLUMNS. */
struct slice ev_column_name(enum ev_column column);

/*
 * Removes the next element from a list such as the stack tag, in escaped form.  Returns false at
 * the end.
 */
bool ev_next_element(struct slice *rest, struct slice *element);

/* Returns the number of elements of a list. */
size_t ev_count_elements(struct slice list);

/*
 * Removes the first elements of both lists as long as they are the same, in stacks the outermost
 * frames.  Returns their number.  A list without elements left has p NULL.
 */
size_t ev_drop_shared(struct slice *a, struct slice *b);

/*
 * Splits an element of the tag lines, FILE:LINE.  *file is empty if there is none, *line 0 if it is
 * not known.
 */
void ev_split_line(struct slice element, struct slice *file, uint64_t *line);

/*
 * Returns true for a measure of durations whose values contain each other: that of a region
 * contains those of the regions inside it, and intervals of sections overlap.  So values of
 * different regions are no parts of one whole.  The names are those of afdur: inclusive, union,
 * NAME.delta; also as perunenc spells them, such as "time.inclusive sum".
 */
bool ev_is_nested_measure(struct slice measure);

/* Does the same for the measure `self`, the parts of durations that add up to the whole. */
bool ev_is_self_measure(struct slice measure);

/*
 * Returns true if the value is a text (type=text), even if it looks like a number.  A count of
 * texts is a number.
 */
bool ev_value_is_text(const struct ev *ev);

/*
 * Returns true for a value of a whole run, region or section, a span or agg line with the tag
 * scope: it contains those of the regions and sections inside.  Not for the measures of afdur,
 * which are known by their names.
 */
bool ev_is_of_whole(const struct ev *ev);

/*
 * Returns true for the last line of a resource that is too large for a sample.  Such a resource is
 * written in parts, as lines of kind header whose region ends in /resources/NUMBER (or, in a map of
 * resources, is /resources/TYPE/NUMBER).  Only the last part has the tag parts.
 */
bool ev_is_large_resource(const struct ev *ev);

/* The note of a program that leaves them out: a format for their number, a uint64_t. */
#define EV_LARGE_LEFT_OUT "left out resources larger than 1 MiB: %" PRIu64 " (see perunquery)"

#endif
