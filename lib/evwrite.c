/* SPDX-License-Identifier: ISC */
/* evwrite.c - the one writer of the stream. */
#include "lib/evwrite.h"

#include <errno.h>

#include "lib/hint.h"
#include "lib/kinds.h"

/* The space reserved in each line for the names of omitted tags. */
#define OMITTED_ROOM ((size_t)1024)

bool
evw_open(struct evwrite *w, int fd, const char *producer)
{
	*w = (struct evwrite){ .producer = producer };
	return out_open(&w->out, fd);
}

bool
evw_flush(struct evwrite *w)
{
	return out_flush(&w->out);
}

char *
evw_more(struct evwrite *w, size_t n)
{
	return out_more(&w->out, w->at, n);
}

static void
commit(struct evwrite *w)
{
	out_commit(&w->out, w->at);
	w->at = 0;
}

void
evw_mark_open(struct evwrite *w, const char *source)
{
	w->source = source;
	w->lacks = NULL;
	w->lines = 0;
	memset(w->count, 0, sizeof w->count);
	evw_begin(w, SLICE("#afstream"));
	evw_raw(w, SLICE(EV_VERSION));
	evw_text(w, slice_of(w->producer));
	evw_text(w, slice_of(source));
	evw_bytes(w, "\n", 1);
	commit(w);
	(void)evw_flush(w);
}

void
evw_mark_end(struct evwrite *w, bool complete, const char *reason)
{
	size_t i;

	evw_begin(w, SLICE("#end"));
	evw_text(w, slice_of(w->producer));
	evw_text(w, slice_of(w->source));
	evw_u64(w, w->lines);
	evw_raw(w, complete ? SLICE("complete") : SLICE("partial"));
	if (reason != NULL)
		evw_text(w, slice_of(reason));
	for (i = 0; i < MARK_COUNTS; i++)
		if (w->count[i] != 0)
			evw_tag_u64(w, mark_words[i].key, w->count[i]);
	evw_bytes(w, "\n", 1);
	commit(w);
	(void)evw_flush(w);
}

static void
put_interim(struct evwrite *w, struct slice mark, uint64_t number)
{
	evw_begin(w, mark);
	evw_text(w, slice_of(w->producer));
	evw_text(w, slice_of(w->source));
	evw_u64(w, number);
}

void
evw_interim_begin(struct evwrite *w, uint64_t number)
{
	put_interim(w, SLICE("#interim_begin"), number);
	evw_bytes(w, "\n", 1);
	commit(w);
	w->lines_held = w->lines;
}

void
evw_interim_drop(struct evwrite *w)
{
	w->lines = w->lines_held;
}

void
evw_interim_end(struct evwrite *w, uint64_t number)
{
	put_interim(w, SLICE("#interim_end"), number);
	evw_u64(w, w->lines - w->lines_held);
	evw_bytes(w, "\n", 1);
	commit(w);
	evw_interim_drop(w);
	(void)evw_flush(w);
}

/* Columns.  Each function first writes the TAB before its column. */

void
evw_u64(struct evwrite *w, uint64_t v)
{
	char *p = evw_room(w, 1 + NUM_MAX);

	if (p == NULL)
		return;
	*p++ = '\t';
	evw_advance(w, p + num_put_u64(p, v));
}

void
evw_double(struct evwrite *w, double v)
{
	char *p = evw_room(w, 1 + NUM_MAX);

	if (p == NULL)
		return;
	*p++ = '\t';
	evw_advance(w, p + num_put_double(p, v));
}

static void
put_escaped(struct evwrite *w, struct slice s, enum esc_as as)
{
	char *p;

	if (s.len > EV_LINE_MAX / ESC_MAX_GROWTH && s.len > EV_LINE_MAX) {
		/*
		 * too long in any spelling; one byte over the limit makes sure that the tag is
		 * omitted
		 */
		p = evw_room(w, EV_LINE_MAX + 1);
		if (p != NULL)
			w->at += EV_LINE_MAX + 1;
		return;
	}
	p = evw_room(w, s.len * ESC_MAX_GROWTH + 2);
	if (p != NULL)
		evw_advance(w, p + esc_write(p, s.p, s.len, as));
}

bool
evw_tags_have(const struct evw_tags *t, struct slice key)
{
	size_t i = 0;

	while (i < t->keys.count && !slice_eq(key, t->keys.key[i]))
		i++;
	return i < t->keys.count;
}

/* Returns true if the line would have had what has that name: "p" is all tags "p.NAME", too. */
static bool
is_missed(const struct evwrite *w, struct slice name)
{
	size_t i;

	if (w->only == NULL || w->only->all || evw_tags_have(w->only, name) ||
	    evw_tags_add(w->only, name) || ev_is_basic_tag(name) || slice_eq(name, SLICE("column")))
		return true;
	for (i = 0; i < w->only->keys.count; i++) {
		struct slice key = w->only->keys.key[i];

		if (key.len > name.len && key.p[name.len] == '.' &&
		    memcmp(key.p, name.p, name.len) == 0)
			return true;
	}
	return false;
}

void
evw_name_omitted(struct evwrite *w, struct slice name)
{
	size_t i;

	if (!is_missed(w, name))
		return;
	for (i = 0; i < w->nomit; i++)
		if (slice_eq(w->omit[i], name))
			return;
	if (w->nomit < EVW_OMITTED_MAX)
		w->omit[w->nomit++] = name;
}

void
evw_omit(struct evwrite *w, struct slice name)
{
	w->omitted += is_missed(w, name);
	evw_name_omitted(w, name);
}

void
evw_text(struct evwrite *w, struct slice s)
{
	size_t from = w->at;

	evw_bytes(w, "\t", 1);
	put_escaped(w, s, ESC_COLUMN);
	if (w->at > EV_LINE_MAX - OMITTED_ROOM) {
		w->at = from;
		evw_omit(w, SLICE("column"));
		evw_none(w);
	}
}

void
evw_raw(struct evwrite *w, struct slice s)
{
	char *p = evw_room(w, s.len + 1);

	if (p == NULL)
		return;
	*p++ = '\t';
	memcpy(p, s.p, s.len);
	evw_advance(w, p + s.len);
}

void
evw_column(struct evwrite *w, struct slice s)
{
	if (evw_length(w) + s.len <= EV_LINE_MAX - EVW_LINE_ROOM) {
		evw_raw(w, s);
		return;
	}
	evw_omit(w, SLICE("column"));
	evw_none(w);
}

void
evw_none(struct evwrite *w)
{
	evw_bytes(w, "\t.", 2);
}

/* Tags. */

static char *
tag_room(struct evwrite *w, struct slice key, size_t n)
{
	char *p = evw_room(w, key.len + 2 + n);

	if (p == NULL)
		return NULL;
	*p++ = '\t';
	memcpy(p, key.p, key.len);
	p += key.len;
	*p++ = '=';
	return p;
}

void
evw_tag_u64(struct evwrite *w, struct slice key, uint64_t v)
{
	char *p = tag_room(w, key, NUM_MAX);

	if (p != NULL)
		evw_advance(w, p + num_put_u64(p, v));
}

void
evw_tag_i64(struct evwrite *w, struct slice key, int64_t v)
{
	char *p = tag_room(w, key, NUM_MAX);

	if (p != NULL)
		evw_advance(w, p + num_put_i64(p, v));
}

void
evw_tag_hex(struct evwrite *w, struct slice key, uint64_t v)
{
	char *p = tag_room(w, key, NUM_MAX);

	if (p != NULL)
		evw_advance(w, p + num_put_hex(p, v));
}

void
evw_tag_text(struct evwrite *w, struct slice key, struct slice s)
{
	evw_tag_begin(w, key);
	evw_value(w, s);
	evw_tag_end(w, key);
}

void
evw_tag_raw(struct evwrite *w, struct slice key, struct slice s)
{
	evw_tag_begin(w, key);
	evw_bytes(w, s.p, s.len);
	evw_tag_end(w, key);
}

void
evw_tag_begin(struct evwrite *w, struct slice key)
{
	char *p;

	w->tag = w->at;
	p = tag_room(w, key, 0);
	if (p != NULL)
		evw_advance(w, p);
}

void
evw_tag_end(struct evwrite *w, struct slice name)
{
	if (w->at <= EV_LINE_MAX - OMITTED_ROOM)
		return;
	w->at = w->tag;
	evw_omit(w, name);
}

void
evw_value(struct evwrite *w, struct slice s)
{
	put_escaped(w, s, ESC_COLUMN);
}

void
evw_hex_bytes(struct evwrite *w, const unsigned char *s, size_t n)
{
	char *p = evw_room(w, n * 2 + 1);

	if (p == NULL)
		return;
	if (n == 0)
		*p++ = '.';
	evw_advance(w, p + num_put_bytes(p, s, n));
}

void
evw_element(struct evwrite *w, struct slice s)
{
	put_escaped(w, s, ESC_ELEMENT);
}

static void
put_omitted(struct evwrite *w)
{
	/* each name has a separator, and the key and the end of the line count, too */
	size_t limit = OMITTED_ROOM / EVW_OMITTED_MAX - 2, i;

	for (i = 0; i < w->nomit; i++) {
		if (i == 0)
			evw_bytes(w, "\tomitted=", 9);
		else
			evw_bytes(w, ";", 1);
		evw_bytes(w, w->omit[i].p, w->omit[i].len < limit ? w->omit[i].len : limit);
	}
	w->nomit = 0;
}

/* Removes the tags after the columns, which end at AT, that the line does not keep. */
static void
drop_tags(struct evwrite *w, size_t at)
{
	char *p = w->out.p + w->out.len, *to = p + at, *from = to, *end = p + w->at;
	struct slice value;

	while (from < end) {
		char *next = memchr(from + 1, '\t', (size_t)(end - from - 1));
		size_t n = (size_t)((next == NULL ? end : next) - from);
		const char *equals = memchr(from, '=', n);
		struct slice key = { from + 1, equals == NULL ? 0 : (size_t)(equals - from - 1) };
		size_t i = ev_keys_find(&w->only->keys, (struct slice){ from + 1, n - 1 }, &value);

		if (i != EV_KEYS_MAX)
			w->only->met[i] = true;
		if (i != EV_KEYS_MAX || ev_is_basic_tag(key)) {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	evw_advance(w, to);
}

bool
evw_tags_add(const struct evw_tags *t, struct slice key)
{
	struct slice added = t->added;
	struct ev_tag tag;

	if (added.len != 0)
		added = (struct slice){ added.p + 1, added.len - 1 };
	while (ev_next_tag(&added, &tag))
		if (slice_eq(tag.key, key))
			return true;
	return false;
}

/* Writes the keys of the tags that lines keep, and of those that are added. */
static void
put_kept(struct evwrite *w)
{
	struct slice added = w->only->added;
	struct ev_tag tag;
	size_t i, n;

	evw_tag_begin(w, SLICE("tags"));
	for (i = n = 0; i < w->only->keys.count; i++) {
		if (evw_tags_add(w->only, w->only->keys.key[i])) {
			w->only->met[i] = true;
			continue;
		}
		if (n++ != 0)
			evw_bytes(w, ";", 1);
		evw_bytes(w, w->only->keys.key[i].p, w->only->keys.key[i].len);
	}
	if (added.len != 0)
		added = (struct slice){ added.p + 1, added.len - 1 };
	while (ev_next_tag(&added, &tag)) {
		if (n++ != 0)
			evw_bytes(w, ";", 1);
		evw_bytes(w, tag.key.p, tag.key.len);
	}
	if (n == 0)
		evw_bytes(w, "none", 4);
	evw_tag_end(w, SLICE("tags"));
}

static void
put_added(struct evwrite *w)
{
	struct slice added = w->only->added;
	struct ev_tag tag;

	if (added.len == 0)
		return;
	if (w->at + added.len <= EV_LINE_MAX - OMITTED_ROOM) {
		evw_bytes(w, added.p, added.len);
		return;
	}
	added = (struct slice){ added.p + 1, added.len - 1 };
	while (ev_next_tag(&added, &tag))
		evw_omit(w, tag.key);
}

static HINT_APART void
keep_only(struct evwrite *w)
{
	const char *p = w->out.p + w->out.len, *tab = memchr(p, '\t', w->at);
	struct slice kind = { p, tab == NULL ? w->at : (size_t)(tab - p) };
	bool event = kind_is_event(kind);
	int columns;

	if (slice_eq(kind, SLICE("run")) && !w->only->all)
		put_kept(w);
	if (tab == NULL || (!event && !kind_tells_loss(kind)))
		return;
	w->only->events |= event;
	if (event && !w->only->all) {
		for (columns = 1; columns < EV_COLUMNS && tab != NULL; columns++)
			tab = memchr(tab + 1, '\t', w->at - (size_t)(tab + 1 - p));
		if (tab != NULL)
			drop_tags(w, (size_t)(tab - p));
	}
	put_added(w);
}

void
evw_end(struct evwrite *w)
{
	if (w->only != NULL && !evw_failed(w))
		keep_only(w);
	if (w->nomit != 0)
		put_omitted(w);
	evw_bytes(w, "\n", 1);
	if (evw_failed(w))
		w->at = 0;
	else
		w->lines++;
	commit(w);
}

bool
evw_recover(struct evwrite *w)
{
	if (w->out.error != ENOMEM)
		return false;
	w->out.error = 0;
	return true;
}

void
evw_hold(struct evwrite *w)
{
	(void)evw_flush(w);
	w->out.hold = true;
	w->lines_held = w->lines;
	w->inserted = 0;
}

bool
evw_is_holding(const struct evwrite *w)
{
	return w->out.hold;
}

struct evw_held
evw_held(const struct evwrite *w)
{
	return (struct evw_held){ w->out.p, w->out.len };
}

void
evw_drop_held(struct evwrite *w)
{
	w->out.len = 0;
	w->lines = w->lines_held;
}

void
evw_pass(struct evwrite *w, struct evwrite *held)
{
	out_put_large(&w->out, held->out.p, held->out.len);
	if (w->out.error == 0)
		w->out.error = held->out.error;
	w->lines += held->lines - held->lines_held;
	w->omitted += held->omitted;
	held->omitted = 0;
	evw_drop_held(held);
}

void
evw_insert(struct evwrite *w)
{
	w->inserted = w->out.len;
}

static void
reverse(char *p, char *end)
{
	while (p < end) {
		char c = *p;

		*p++ = *--end;
		*end = c;
	}
}

/* Moves the last lines to the front in place.  It does not allocate, so it cannot fail. */
void
evw_release(struct evwrite *w)
{
	char *p = w->out.p;

	if (w->out.hold && w->inserted != 0) {
		reverse(p, p + w->inserted);
		reverse(p + w->inserted, p + w->out.len);
		reverse(p, p + w->out.len);
	}
	w->inserted = 0;
	w->out.hold = false;
}

void
evw_line(struct evwrite *w, struct slice text)
{
	char *p;

	w->at = 0;
	p = evw_room(w, text.len + 1);
	if (p == NULL)
		return;
	memcpy(p, text.p, text.len);
	p[text.len] = '\n';
	w->at = text.len + 1;
	commit(w);
	w->lines++;
}

void
evw_line_about(struct evwrite *w, const struct ev *ev, struct slice own)
{
	struct slice list, before = ev->text;
	const char *end;

	if (!slice_eq(ev->col[EV_KIND], SLICE("run")) || !ev_tag(ev, SLICE("tags"), &list)) {
		evw_line(w, ev->text);
		return;
	}
	end = list.p + list.len;
	before.len = (size_t)(list.p - ev->text.p) - 6; /* a TAB and "tags=" */
	if (slice_eq(list, SLICE("none")))
		list.len = 0;
	evw_start(w);
	evw_bytes(w, before.p, before.len);
	if (own.len != 0) {
		evw_bytes(w, "\ttags=", 6);
		evw_bytes(w, list.p, list.len);
		evw_bytes(w, ";", list.len != 0);
		evw_bytes(w, own.p, own.len);
	}
	evw_bytes(w, end, (size_t)(ev->text.p + ev->text.len - end));
	evw_end(w);
}
