/* SPDX-License-Identifier: ISC */
/*
 * evwrite.h - the one writer of the stream, afstream(5).
 *
 *	evw_open(&w, 1, "perfdec");
 *	evw_mark_open(&w, "run.data");
 *	evw_begin(&w, SLICE("sample"));
 *	evw_u64(&w, time); evw_raw(&w, run); ...	columns 2 to 6, in order
 *	evw_tag_text(&w, SLICE("comm"), comm);		then tags
 *	evw_end(&w);
 *	evw_mark_end(&w, true, NULL);
 *	evw_flush(&w);
 *
 * Failures (a full disk, no memory) are kept in w->out.error and never stop the caller, who should
 * check evw_failed() once per record.
 */
#ifndef AFPIPE_EVWRITE_H
#define AFPIPE_EVWRITE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/marks.h"
#include "lib/num.h"
#include "lib/out.h"
#include "lib/slice.h"

#define EVW_OMITTED_MAX 16

/* What is done with the tags of lines of events.  Keys are as in the stream (ESC_KEY). */
struct evw_tags {
	bool all; /* they keep all tags, not only those in keys */
	struct ev_keys keys;
	/* further tags at their end and at that of lines about losses, each after a TAB */
	struct slice added;
	bool met[EV_KEYS_MAX]; /* by number: some line has it, or it is added */
	bool events; /* a line of an event has been written */
};

bool evw_tags_have(const struct evw_tags *t, struct slice key);
/* Returns true if the key is that of one of the tags that are added. */
bool evw_tags_add(const struct evw_tags *t, struct slice key);

struct evwrite {
	struct out out;
	struct evw_tags *only; /* NULL: lines keep their tags; set before the first line */
	size_t at; /* length of the line being built, which follows the committed bytes */
	size_t tag; /* where the open tag begins in it (evw_tag_begin) */
	const char *producer;
	const char *source; /* of the open mark; borrowed from the caller until evw_mark_end */
	/*
	 * NULL, or what was asked for and the source does not have, which a decoder has reported:
	 * the reason in the end mark if all has been read.  evw_mark_open clears it.
	 */
	const char *lacks;
	uint64_t lines; /* since the mark */
	uint64_t count[MARK_COUNTS]; /* for the end mark; evw_mark_open clears them */
	uint64_t omitted; /* total of tags omitted because their lines would be too long */
	size_t nomit; /* number of names in omit for this line */
	struct slice omit[EVW_OMITTED_MAX];
	uint64_t lines_held; /* the value of lines when evw_hold or evw_interim_begin was called */
	size_t inserted; /* where the lines after evw_insert begin in the buffer */
};

/* producer must outlive w.  Free with out_free(&w->out).  Returns false if memory runs out. */
bool evw_open(struct evwrite *w, int fd, const char *producer) __attribute__((warn_unused_result));

static inline bool
evw_failed(const struct evwrite *w)
{
	return w->out.error != 0;
}

/* Records that memory ran out for a part of a line, unless an earlier failure has been recorded. */
static inline void
evw_nomem(struct evwrite *w)
{
	if (w->out.error == 0)
		w->out.error = ENOMEM;
}

bool evw_flush(struct evwrite *w);

/*
 * Returns true if the failure was lack of memory.  Then the failure is cleared and only whole lines
 * are kept, so that an end mark can follow.  The caller reports the failure (err_nomem).
 */
bool evw_recover(struct evwrite *w);

/*
 * Write marks.  The opening mark is flushed at once, so that readers see it before the caller opens
 * its input.
 */
void evw_mark_open(struct evwrite *w, const char *source);
void evw_mark_end(struct evwrite *w, bool complete, const char *reason);

/*
 * Returns room for n more bytes of the current line, or NULL if memory runs out.  Write there, then
 * call evw_advance with the number of bytes used.
 */
char *evw_more(struct evwrite *w, size_t n);

static inline char *
evw_room(struct evwrite *w, size_t n)
{
	if (w->out.cap - w->out.len - w->at >= n)
		return w->out.p + w->out.len + w->at;
	return evw_more(w, n);
}

static inline void
evw_advance(struct evwrite *w, const char *end)
{
	w->at = (size_t)(end - (w->out.p + w->out.len));
}

/* Appends bytes that need no escaping, unchanged. */
static inline void
evw_bytes(struct evwrite *w, const char *s, size_t n)
{
	char *p = evw_room(w, n);

	if (p == NULL)
		return;
	memcpy(p, s, n);
	w->at += n;
}

/* Begins a line that the caller writes in place (evw_room), starting with its kind. */
static inline void
evw_start(struct evwrite *w)
{
	w->at = 0;
	w->nomit = 0;
}

/* Returns the length of the line so far. */
static inline size_t
evw_length(const struct evwrite *w)
{
	return w->at;
}

/* Begins a line with its kind.  Exactly five more columns follow, then tags. */
static inline void
evw_begin(struct evwrite *w, struct slice kind)
{
	evw_start(w);
	evw_bytes(w, kind.p, kind.len);
}

void evw_u64(struct evwrite *w, uint64_t v);
void evw_double(struct evwrite *w, double v);
/*
 * Escapes s.  A text that is empty, or too long for a line (then with omitted=column), becomes ".".
 */
void evw_text(struct evwrite *w, struct slice s);
void evw_raw(struct evwrite *w, struct slice s); /* already escaped */
void evw_none(struct evwrite *w); /* "." */

/*
 * Writes a column that is already escaped.  Columns from several lines may be too long for one
 * line: EVW_LINE_ROOM bytes stay free, or the column is "." (then with omitted=column).
 */
#define EVW_LINE_ROOM ((size_t)4096)
void evw_column(struct evwrite *w, struct slice s);

/* Write a tag with one value.  key is a constant, or the caller has escaped it (ESC_KEY). */
void evw_tag_u64(struct evwrite *w, struct slice key, uint64_t v);
void evw_tag_i64(struct evwrite *w, struct slice key, int64_t v);
void evw_tag_hex(struct evwrite *w, struct slice key, uint64_t v);
void evw_tag_text(struct evwrite *w, struct slice key, struct slice s); /* as evw_text */
void evw_tag_raw(struct evwrite *w, struct slice key, struct slice s); /* already escaped */

/*
 * Write a tag in parts: everything written between begin and end is its value (evw_bytes, evw_room,
 * evw_value).  A tag that would make the line too long is removed at the end, counted, and named in
 * omitted=NAME.  The name is usually the key.  It is borrowed until evw_end.
 */
void evw_tag_begin(struct evwrite *w, struct slice key);
void evw_tag_end(struct evwrite *w, struct slice name);

/* Writes s, escaped as by evw_text, as the whole value of a tag. */
void evw_value(struct evwrite *w, struct slice s);

/*
 * Adds omitted=NAME to the line for something that the caller has omitted.  Each name appears only
 * once.  evw_omit also counts it as omitted because of the line's length.
 */
void evw_name_omitted(struct evwrite *w, struct slice name);
void evw_omit(struct evwrite *w, struct slice name);

/* Writes bytes as lower-case hex digits inside a tag, or "." if there are none. */
void evw_hex_bytes(struct evwrite *w, const unsigned char *s, size_t n);

/*
 * Writes an element of a list inside a tag.  ';' is escaped, too; the caller writes it between
 * elements.
 */
void evw_element(struct evwrite *w, struct slice s);

/*
 * Ends the line and counts it.  If w->only is set, a line of an event loses all other tags, save
 * those of ev_is_basic_tag, and a run line says so, in its tag tags.
 */
void evw_end(struct evwrite *w);

/* Does the same, inline, for the lines of a hot path. */
static inline void
evw_end_line(struct evwrite *w)
{
	size_t end = w->out.len + w->at;

	if (w->only != NULL || w->nomit != 0 || w->out.error != 0 || end == w->out.cap) {
		evw_end(w);
		return;
	}
	w->out.p[end] = '\n';
	w->out.len = end + 1;
	w->at = 0;
	w->lines++;
}

/*
 * Keeps all further lines in memory until evw_release.  Meanwhile evw_held returns them, and their
 * bytes may be changed in place.  Lines written after evw_insert go in front of them:
 *
 *	evw_hold(&w); lines; evw_insert(&w); the lines that come first; evw_release(&w);
 */
void evw_hold(struct evwrite *w);
bool evw_is_holding(const struct evwrite *w);
void evw_insert(struct evwrite *w);
void evw_release(struct evwrite *w); /* may be called without evw_hold */

struct evw_held {
	char *p; /* valid until the next line */
	size_t len;
};

struct evw_held evw_held(const struct evwrite *w);

/*
 * Passes the lines that another writer holds on to w, with its first failure.  The other one still
 * holds, and is empty.
 */
void evw_pass(struct evwrite *w, struct evwrite *held);

/* Removes the held lines and does not count them.  Further lines are still held. */
void evw_drop_held(struct evwrite *w);

/*
 * An interim result, between its marks.  The kind of its lines begins with EVW_INTERIM, as in
 * EVW_INTERIM "agg", which makes them comments for all programs that do not ask for them.  They are
 * not counted.  number is that of the result, from 1.  No lines may be held meanwhile.
 */
#define EVW_INTERIM "#interim\t"

void evw_interim_begin(struct evwrite *w, uint64_t number);
void evw_interim_end(struct evwrite *w, uint64_t number);
void evw_interim_drop(struct evwrite *w); /* instead of the end: no program shows the result */

/* Copies a line of another stream unchanged. */
void evw_line(struct evwrite *w, struct slice text);

/*
 * Copies a line, for programs whose lines of events have tags of their own.  If a run line has the
 * tag tags, which says which tags the events have, the names in OWN, a list like that one, are
 * added to it.  If OWN is empty, the tag is left out, as for results.
 */
void evw_line_about(struct evwrite *w, const struct ev *ev, struct slice own);

#endif
