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
 * Failures (a full disk, no memory) are kept in w->out.error and never stop the
 * caller: check evw_failed() once per record.
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

struct evwrite {
	struct out out;
	size_t at; /* length of the line being built, after what is committed */
	size_t tag; /* where the open tag begins in it (evw_tag_begin) */
	const char *producer;
	const char *source; /* of the open mark; borrowed from the caller until evw_mark_end */
	uint64_t lines; /* since the mark */
	uint64_t count[MARK_COUNTS]; /* for the end mark; evw_mark_open clears them */
	uint64_t omitted; /* total of tags left out because their lines would be too long */
	size_t nomit; /* names in omit, for this line */
	struct slice omit[EVW_OMITTED_MAX];
	uint64_t lines_held; /* the value of lines when evw_hold was called */
	size_t inserted; /* where the lines after evw_insert begin in the buffer */
};

/* producer must outlive w; out_free(&w->out) frees it.  False when there is no memory. */
bool evw_open(struct evwrite *w, int fd, const char *producer) __attribute__((warn_unused_result));

static inline bool
evw_failed(const struct evwrite *w)
{
	return w->out.error != 0;
}

/* Records lack of memory for a part of a line, unless there has been another failure. */
static inline void
evw_nomem(struct evwrite *w)
{
	if (w->out.error == 0)
		w->out.error = ENOMEM;
}

bool evw_flush(struct evwrite *w);

/*
 * True if the failure was lack of memory.  It is cleared, and only whole lines are kept, so that
 * an end mark can follow.  The caller reports it (err_nomem).
 */
bool evw_recover(struct evwrite *w);

/* Marks.  The opening is flushed at once, so that readers see it before our input is opened. */
void evw_mark_open(struct evwrite *w, const char *source);
void evw_mark_end(struct evwrite *w, bool complete, const char *reason);

/*
 * Returns room for n more bytes of the current line.  Write there, then call evw_advance with the
 * number of bytes used.  NULL when there is no memory.
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

/* Begins a line that the caller writes in place, beginning with its kind (evw_room). */
static inline void
evw_start(struct evwrite *w)
{
	w->at = 0;
	w->nomit = 0;
}

/* The length of the line so far. */
static inline size_t
evw_length(const struct evwrite *w)
{
	return w->at;
}

/* A line: its kind, then exactly five more columns, then tags. */
static inline void
evw_begin(struct evwrite *w, struct slice kind)
{
	evw_start(w);
	evw_bytes(w, kind.p, kind.len);
}

void evw_u64(struct evwrite *w, uint64_t v);
void evw_double(struct evwrite *w, double v);
/* Escapes s; a text that is empty, or too long for a line (omitted=column), becomes ".". */
void evw_text(struct evwrite *w, struct slice s);
void evw_raw(struct evwrite *w, struct slice s); /* escaped already */
void evw_none(struct evwrite *w); /* "." */

/* Tags with one value.  key is one of ours, or the caller has escaped it (ESC_KEY). */
void evw_tag_u64(struct evwrite *w, struct slice key, uint64_t v);
void evw_tag_i64(struct evwrite *w, struct slice key, int64_t v);
void evw_tag_hex(struct evwrite *w, struct slice key, uint64_t v);
void evw_tag_text(struct evwrite *w, struct slice key, struct slice s); /* as evw_text */
void evw_tag_raw(struct evwrite *w, struct slice key, struct slice s); /* escaped already */

/*
 * A tag in parts: everything written between begin and end is its value (evw_bytes,
 * evw_room, evw_value).  At the end a tag that would make the line too long is removed, counted
 * and named in omitted=NAME.  The name is usually the key; it is borrowed until evw_end.
 */
void evw_tag_begin(struct evwrite *w, struct slice key);
void evw_tag_end(struct evwrite *w, struct slice name);

/* Escapes all of a tag's value, as evw_text does. */
void evw_value(struct evwrite *w, struct slice s);

/*
 * Adds omitted=NAME to the line for something that the caller has left out.  The same name appears
 * only once.  evw_omit also counts it as left out because of the length of the line.
 */
void evw_name_omitted(struct evwrite *w, struct slice name);
void evw_omit(struct evwrite *w, struct slice name);

/* Writes bytes as lower-case hex digits inside a tag; "." if there are none. */
void evw_hex_bytes(struct evwrite *w, const unsigned char *s, size_t n);

/* Escapes an element of a list inside a tag: also ';', which the caller writes between elements. */
void evw_element(struct evwrite *w, struct slice s);

/* Ends the line and counts it. */
void evw_end(struct evwrite *w);

/*
 * Holds all further lines in memory until evw_release.  In between, evw_held returns them, and
 * their bytes may be changed in place.  Lines written after evw_insert go in front of them:
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

/* Removes the held lines, and does not count them.  Further lines are still held. */
void evw_drop_held(struct evwrite *w);

/* Copies a line of another stream unchanged. */
void evw_line(struct evwrite *w, struct slice text);

#endif
