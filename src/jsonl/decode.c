/* SPDX-License-Identifier: ISC */
/* decode.c - JSON lines as lines of the stream. */
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/guess.h"
#include "lib/in.h"
#include "lib/json/jscan.h"
#include "lib/json/jtext.h"
#include "lib/marks.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/jsonl/jsonl.h"

#define READ_SIZE ((size_t)128 * 1024)
#define SHOWN_MAX 40 /* bytes of a name in a message */

/* A tag; the value is not used if plain is set (a tag without '='). */
struct tag {
	struct slice key, value;
	bool plain, used;
	size_t i;
};

struct decoder {
	struct in in;
	struct evwrite *w;
	const struct jsonl_reader *opt;
	struct buf window; /* input that has not been read yet is [at, len) */
	size_t at;
	bool ended, skipping; /* at the end of the input; inside of a line that is too long */
	bool refused; /* the rest of the input is ignored */
	uint64_t line, lines; /* of JSON; of the stream, without those that begin with '#' */

	struct jscan scan;
	struct slice rest; /* what scan reads */
	/* Of the current line. */
	struct buf texts; /* decoded strings; does not move while a line is read */
	struct slice column[EV_COLUMNS];
	bool has_words;
	size_t words, order, tags; /* tokens of these members, or 0 */
	struct tag *tag;
	size_t ntags, tag_cap;
	struct buf out; /* the line of the stream */
};

/* ---- texts */

static const struct jscan_token *
token_at(const struct decoder *d, size_t i)
{
	return &d->scan.token[i];
}

/*
 * Stores the text of a string, without JSON's escapes.  Returns ERR_DATA if it is not spelled as in
 * the stream.
 */
static int
take_string(struct decoder *d, const struct jscan_token *k, struct slice *out, struct err *e)
{
	struct slice s = jscan_inside(d->scan.text, k);
	size_t from = d->texts.len, at;

	if ((k->flags & JSCAN_ESCAPED) != 0) {
		if (!jtext_undo(&d->texts, s))
			return err_nomem(e);
		s = (struct slice){ d->texts.p + from, d->texts.len - from };
	}
	*out = s;
	if (((k->flags & (JSCAN_ESCAPED | JSCAN_ODD)) != 0) && !esc_is_canonical(s.p, s.len, &at))
		return err_data(e, "a string that is not escaped as in the stream (byte %zu)",
		    at + 1);
	return 0;
}

/* Stores a number as the stream spells it: JSON allows E and +. */
static int
take_number(struct decoder *d, const struct jscan_token *k, struct slice *out, struct err *e)
{
	struct slice s = jscan_spelling(d->scan.text, k);
	size_t i, from = d->texts.len;

	*out = s;
	if (memchr(s.p, 'E', s.len) == NULL && memchr(s.p, '+', s.len) == NULL)
		return 0;
	for (i = 0; i < s.len; i++)
		if (s.p[i] != '+' && !buf_putc(&d->texts, s.p[i] == 'E' ? 'e' : s.p[i]))
			return err_nomem(e);
	*out = (struct slice){ d->texts.p + from, d->texts.len - from };
	return 0;
}

/* Stores a text or a number; null is ".". */
static int
take_text(struct decoder *d, const struct jscan_token *k, struct slice *out, struct err *e)
{
	switch (k->kind) {
	case JSCAN_STRING: return take_string(d, k, out, e);
	case JSCAN_INTEGER:
	case JSCAN_FLOAT: return take_number(d, k, out, e);
	case JSCAN_WORD:
		*out = SLICE(".");
		if (slice_eq(jscan_spelling(d->scan.text, k), SLICE("null")))
			return 0;
	}
	return err_data(e, "a value must be a string, a number or null");
}

/* ---- the members of a line */

static int
take_column(struct decoder *d, enum ev_column i, const struct jscan_token *k, struct err *e)
{
	struct slice name = ev_column_name(i), *to = &d->column[i];
	int rc;

	if (to->p != NULL)
		return err_data(e, "%.*s appears twice", (int)name.len, name.p);
	rc = take_text(d, k, to, e);
	if (rc == 0 && to->len == 0)
		rc = err_data(e, "%.*s is empty; a missing value is null", (int)name.len, name.p);
	return rc;
}

/* Notes the token of a member that is read later. */
static int
note_token(const struct decoder *d, size_t i, enum jscan_kind kind, const char *name, size_t *to,
    struct err *e)
{
	if (*to != 0)
		return err_data(e, "%s appears twice", name);
	if (slice_eq(jscan_spelling(d->scan.text, token_at(d, i)), SLICE("null")))
		return 0;
	*to = i;
	return token_at(d, i)->kind == kind
	    ? 0
	    : err_data(e, "%s is not an %s", name, kind == JSCAN_ARRAY ? "array" : "object");
}

static int
take_member(struct decoder *d, const struct jscan_token *name, size_t i, struct err *e)
{
	struct slice s;
	enum ev_column column;
	int rc = take_string(d, name, &s, e);

	if (rc != 0)
		return rc;
	column = ev_column_named(s);
	if (column != EV_COLUMNS)
		return take_column(d, column, token_at(d, i), e);
	if (slice_eq(s, SLICE("tags")))
		return note_token(d, i, JSCAN_OBJECT, "tags", &d->tags, e);
	if (slice_eq(s, SLICE("words")))
		return note_token(d, i, JSCAN_ARRAY, "words", &d->words, e);
	if (slice_eq(s, SLICE("order")))
		return note_token(d, i, JSCAN_ARRAY, "order", &d->order, e);
	return err_data(e,
	    "unknown member %.*s: an event has kind, time, run, region, measure and value, and "
	    "anything else in tags",
	    slice_shown(s, SHOWN_MAX), s.p);
}

/* ---- tags */

static int
add_tag(struct decoder *d, struct slice key, const struct jscan_token *k, struct err *e)
{
	struct tag t = { .key = key, .i = d->ntags };
	int rc = 0;

	if (k->kind == JSCAN_WORD && slice_eq(jscan_spelling(d->scan.text, k), SLICE("true")))
		t.plain = true;
	else
		rc = take_text(d, k, &t.value, e);
	if (rc != 0)
		return rc;
	if (!vec_room(d->tag, d->ntags, d->tag_cap))
		return err_nomem(e);
	d->tag[d->ntags++] = t;
	return 0;
}

static int
take_tag(struct decoder *d, struct slice key, size_t i, struct err *e)
{
	const struct jscan_token *k = token_at(d, i);
	size_t j;
	int rc = 0;

	if (memchr(key.p, '=', key.len) != NULL)
		return err_data(e, "a key with '=', which must be spelled \\x3d");
	if (k->kind != JSCAN_ARRAY)
		return add_tag(d, key, k, e);
	for (j = i + 1; rc == 0 && j < k->next; j = token_at(d, j)->next)
		rc = add_tag(d, key, token_at(d, j), e);
	return rc;
}

static int
take_tags(struct decoder *d, struct err *e)
{
	struct slice key;
	size_t i;
	int rc = 0;

	if (d->tags == 0)
		return 0;
	for (i = d->tags + 1; rc == 0 && i < token_at(d, d->tags)->next;
	     i = token_at(d, i + 1)->next) {
		rc = take_string(d, token_at(d, i), &key, e);
		if (rc == 0)
			rc = take_tag(d, key, i + 1, e);
	}
	return rc;
}

static int
by_key(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int c = slice_cmp(x->key, y->key);

	return c != 0 ? c : (x->i > y->i) - (x->i < y->i);
}

static int
by_place(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	return (x->i > y->i) - (x->i < y->i);
}

/* Returns the first tag with that key, of tags sorted by key, or ntags. */
static size_t
find_tag(const struct decoder *d, struct slice key)
{
	size_t low = 0, high = d->ntags;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slice_cmp(d->tag[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->ntags && slice_eq(d->tag[low].key, key) ? low : d->ntags;
}

/*
 * Puts the tags in the order of the member order, which has the key of each tag.  The first tag of
 * a key counts those that have been placed in `next`.
 */
static int
order_tags(struct decoder *d, struct err *e)
{
	const struct jscan_token *list = token_at(d, d->order);
	size_t i, n = 0, t, *next;
	struct slice key;
	int rc = 0;

	next = mem_zero(d->ntags + 1, sizeof *next);
	if (next == NULL)
		return err_nomem(e);
	if (d->ntags != 0)
		qsort(d->tag, d->ntags, sizeof *d->tag, by_key);
	for (i = d->order + 1; rc == 0 && i < list->next; i = token_at(d, i)->next, n++) {
		if (token_at(d, i)->kind != JSCAN_STRING) {
			rc = err_data(e, "order contains a value that is not a string");
			break;
		}
		if ((rc = take_string(d, token_at(d, i), &key, e)) != 0)
			break;
		t = find_tag(d, key);
		if (t != d->ntags)
			t += next[t]++;
		if (t >= d->ntags || !slice_eq(d->tag[t].key, key))
			rc = err_data(e, "order and tags do not fit together");
		else
			d->tag[t].i = n;
	}
	mem_free(next);
	if (rc == 0 && n != d->ntags)
		rc = err_data(e, "order and tags do not fit together");
	if (rc == 0 && n != 0)
		qsort(d->tag, d->ntags, sizeof *d->tag, by_place);
	return rc;
}

/* ---- lines */

static bool
is_time(struct slice s)
{
	return slice_is_nothing(s) || (num_is_integer(s) && s.p[0] != '-');
}

/* Returns true for a word in lower case, as all kinds of lines are. */
static bool
is_kind(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') &&
		    (i == 0 || !((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '_')))
			return false;
	return true;
}

/* Returns true for keys of the source, which may be there several times. */
static bool
may_repeat(struct slice key)
{
	return ev_source_prefix(key).len != 0 || slice_begins(key, SLICE(EV_OF_RUN));
}

/* So many keys are compared with one another, of longer lines only neighbours by key. */
#define FEW_TAGS 32

static bool
repeats_among_many(struct decoder *d)
{
	bool found = false;
	size_t i;

	qsort(d->tag, d->ntags, sizeof *d->tag, by_key);
	for (i = 1; i < d->ntags && !found; i++)
		found = d->tag[i].key.len != 0 && slice_eq(d->tag[i - 1].key, d->tag[i].key) &&
		    !may_repeat(d->tag[i].key);
	qsort(d->tag, d->ntags, sizeof *d->tag, by_place);
	return found;
}

/* Returns true if a tag has a key of the stream's own that another has, too. */
static bool
repeats(struct decoder *d)
{
	uint64_t seen = 0; /* a bit for each sum of length and ends, so few keys are compared */
	size_t i, k;

	if (d->ntags > FEW_TAGS)
		return repeats_among_many(d);
	for (i = 0; i < d->ntags; i++) {
		struct slice key = d->tag[i].key;
		uint64_t bit;

		if (key.len == 0)
			continue;
		bit = (uint64_t)1 << ((key.len * 7 + (unsigned char)key.p[0] +
					  (unsigned char)key.p[key.len - 1] * 3u) %
			  64);
		for (k = 0; (seen & bit) != 0 && k < i; k++)
			if (slice_eq(d->tag[k].key, key) && !may_repeat(key))
				return true;
		seen |= bit;
	}
	return false;
}

/* Reports what no writer of a stream should write, although readers accept it. */
static void
doubt_line(struct decoder *d)
{
	const char *what = NULL;
	struct err e;
	size_t i;

	/* no program would find a use for the line, whose results then lack it */
	if (!is_kind(d->column[EV_KIND]))
		what = "a kind that is not a word in lower case, such as \"kind\":\"sample\"";
	else if (d->column[EV_TIME].p != NULL && !is_time(d->column[EV_TIME]))
		what = "a time that is not a number of nanoseconds";
	for (i = 0; i < d->ntags && what == NULL; i++)
		if (d->tag[i].key.len == 0 && !d->tag[i].plain)
			what = "a tag whose key is empty";
		else if (d->tag[i].value.len == 0 && !d->tag[i].plain)
			what = "a tag whose value is empty; a missing value is null";
	if (what == NULL && repeats(d))
		what = "a tag that is there twice, of which the first one counts";
	if (what == NULL)
		return;
	(void)err_line(&e, d->line, "%s", what);
	report_doubt(&d->opt->to, NULL, &e);
}

/* Writes the line to d->out. */
static int
compose_line(struct decoder *d, struct err *e)
{
	size_t i;
	bool ok = true;

	for (i = 0; i < EV_COLUMNS; i++) {
		struct slice s = d->column[i].p == NULL ? SLICE(".") : d->column[i];

		ok = ok && (i == 0 || buf_putc(&d->out, '\t')) && buf_put(&d->out, s.p, s.len);
	}
	for (i = 0; ok && i < d->ntags; i++) {
		const struct tag *t = &d->tag[i];

		ok = buf_putc(&d->out, '\t') && buf_put(&d->out, t->key.p, t->key.len) &&
		    (t->plain ||
			(buf_putc(&d->out, '=') && buf_put(&d->out, t->value.p, t->value.len)));
	}
	return ok ? 0 : err_nomem(e);
}

static int
take_event(struct decoder *d, struct err *e)
{
	int rc;

	if (d->column[EV_KIND].p == NULL)
		return err_data(e,
		    "an object without a \"kind\", which says what the line is, such as "
		    "\"kind\":\"sample\"");
	if (d->column[EV_KIND].p[0] == '#')
		return err_data(e, "a kind that begins with '#' needs words");
	rc = take_tags(d, e);
	if (rc == 0 && d->order != 0)
		rc = order_tags(d, e);
	return rc != 0 ? rc : compose_line(d, e);
}

/* A line that begins with '#'. */
static int
take_words(struct decoder *d, struct err *e)
{
	const struct jscan_token *list = token_at(d, d->words);
	struct slice kind = d->column[EV_KIND], word;
	size_t i;
	int rc = 0;

	if (kind.p == NULL || kind.p[0] != '#')
		return err_data(e, "words without a kind that begins with '#'");
	for (i = 1; i < EV_COLUMNS; i++)
		if (d->column[i].p != NULL || d->tags != 0 || d->order != 0)
			return err_data(e,
			    "an object whose kind begins with '#' may only have words");
	if (!buf_put(&d->out, kind.p, kind.len))
		return err_nomem(e);
	for (i = d->words + 1; rc == 0 && i < list->next; i = token_at(d, i)->next) {
		if (token_at(d, i)->kind != JSCAN_STRING)
			return err_data(e, "words contains a value that is not a string");
		rc = take_string(d, token_at(d, i), &word, e);
		if (rc == 0 && (!buf_putc(&d->out, '\t') || !buf_put(&d->out, word.p, word.len)))
			return err_nomem(e);
	}
	return rc;
}

/* Reads the object of a line of LEN bytes, and writes the line to d->out. */
static int
take_object(struct decoder *d, size_t len, struct err *e)
{
	size_t i;
	int rc = 0, c;

	if (jscan_value(&d->scan, len < JSCAN_VALUE_MAX ? JSCAN_VALUE_MAX : len + 1, e) != 0)
		return e->code;
	if (token_at(d, 0)->kind != JSCAN_OBJECT)
		return err_data(e, "not an object");
	if (jscan_peek(&d->scan, &c, e) != 0)
		return e->code;
	if (c != -1)
		return err_data(e, "more than one object on a line");
	memset(d->column, 0, sizeof d->column);
	d->words = d->order = d->tags = d->ntags = d->texts.len = d->out.len = 0;
	/* no text is longer than its spelling; jtext_undo wants room for one byte more */
	if (!buf_room(&d->texts, d->scan.text_len + 1))
		return err_nomem(e);
	for (i = 1; rc == 0 && i < token_at(d, 0)->next; i = token_at(d, i + 1)->next)
		rc = take_member(d, token_at(d, i), i + 1, e);
	if (rc != 0)
		return rc;
	rc = d->words != 0 ? take_words(d, e) : take_event(d, e);
	if (rc == 0 && d->out.len > EV_LINE_MAX)
		rc = err_data(e, "a line of the stream would be longer than 16 MiB");
	return rc;
}

static bool
is_mark(struct slice kind)
{
	return slice_eq(kind, SLICE("#afstream")) || slice_eq(kind, SLICE("#end"));
}

/* Reports a run that has also come from another source, if wanted.  Fails with ERR_SYS. */
static int
see_run(struct decoder *d, struct err *e)
{
	if (!d->opt->sees_runs || !slice_eq(d->column[EV_KIND], SLICE("run")) ||
	    marks_run(d->opt->marks, d->column[EV_RUN], e) == 0)
		return 0;
	if (e->code != ERR_SYS) {
		e->place = ERR_LINE;
		e->pos = d->line;
		report_error(&d->opt->to, NULL, e);
	}
	return e->code == ERR_SYS ? ERR_SYS : 0;
}

static int
take_line(struct decoder *d, struct slice line, struct err *e)
{
	int rc;

	d->rest = line;
	jscan_restart(&d->scan);
	rc = take_object(d, line.len, e);
	if (rc != 0)
		return rc;
	if (d->out.p[0] == '#' && d->opt->no_marks) {
		if (is_mark(d->column[EV_KIND]))
			return 0;
	} else if (d->out.p[0] == '#') {
		rc = marks_take(d->opt->marks, buf_slice(&d->out), d->lines, e);
		if (d->opt->marks->refused) {
			d->opt->marks->refused = false;
			d->refused = true;
			return rc;
		}
	} else {
		d->lines++;
		doubt_line(d);
		rc = see_run(d, e);
	}
	out_put(&d->w->out, d->out.p, d->out.len);
	out_put(&d->w->out, "\n", 1);
	return rc;
}

/* ---- input */

/* Reports an error of the current line.  Returns its code if reading must end, or else 0. */
static int
report(const struct decoder *d, struct err *e)
{
	if (e->code == ERR_SYS)
		return e->code;
	e->place = ERR_LINE;
	e->pos = d->line;
	report_error(&d->opt->to, NULL, e);
	return 0;
}

static bool
is_blank(struct slice s)
{
	size_t i = 0;

	while (i < s.len && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\r'))
		i++;
	return i == s.len;
}

/* Handles the bytes up to the end of a line.  One that is blank is ignored. */
static int
end_line(struct decoder *d, struct slice line, struct err *e)
{
	d->line++;
	if (d->skipping) {
		d->skipping = false;
		return 0;
	}
	return is_blank(line) || take_line(d, line, e) == 0 ? 0 : report(d, e);
}

/* Reports a line that does not fit, once.  What there is of it is dropped as it is read. */
static void
skip_line(struct decoder *d)
{
	struct err e;

	d->skipping = true;
	(void)err_line(&e, d->line + 1, "a line longer than %zu MiB", JSONL_LINE_MAX >> 20);
	report_error(&d->opt->to, NULL, &e);
}

/* Reads more.  Sets d->ended at the end of the input. */
static int
fill(struct decoder *d, struct err *e)
{
	struct buf *b = &d->window;
	size_t got;
	int rc;

	if (d->at != 0)
		memmove(b->p, b->p + d->at, b->len - d->at);
	b->len -= d->at;
	d->at = 0;
	if (!buf_room(b, READ_SIZE))
		return err_nomem(e);
	rc = in_read(&d->in, b->p + b->len, READ_SIZE, &got, e);
	if (rc != 0)
		return rc;
	b->len += got;
	d->ended = got == 0;
	return 0;
}

static int
read_lines(struct decoder *d, struct err *e)
{
	size_t seen = 0; /* no LF comes before */
	int rc = 0;

	while (rc == 0 && !d->refused && !evw_failed(d->w)) {
		struct slice left = { d->window.p + d->at, d->window.len - d->at };
		const char *end =
		    left.len == seen ? NULL : memchr(left.p + seen, '\n', left.len - seen);

		if (end != NULL)
			left.len = (size_t)(end - left.p);
		/* also if all of it is here: that depends on how much a read returns */
		if (left.len > JSONL_LINE_MAX)
			skip_line(d);
		if (end != NULL) {
			d->at += left.len + 1;
			seen = 0;
			rc = end_line(d, left, e);
		} else if (d->ended) {
			d->at = d->window.len;
			return left.len == 0 && !d->skipping ? 0 : end_line(d, left, e);
		} else if (d->skipping && left.len != 0) {
			d->at = d->window.len;
			seen = 0;
		} else {
			seen = left.len;
			rc = fill(d, e);
		}
	}
	return rc;
}

/* The number of lines without an object that show that an input is nothing of ours. */
#define FOREIGN_LINES 4

/* Returns true if there are some lines, and none begins with a brace. */
static bool
is_foreign(struct slice text)
{
	size_t lines = 0;

	while (text.len != 0 && lines < FOREIGN_LINES) {
		const char *end = memchr(text.p, '\n', text.len);

		if (text.p[0] == '{' || end == NULL)
			return false;
		lines++;
		text.len -= (size_t)(end + 1 - text.p);
		text.p = end + 1;
	}
	return lines == FOREIGN_LINES;
}

/* Reads the first bytes, and refuses an input of another kind. */
static int
begin(struct decoder *d, struct err *e)
{
	int rc = fill(d, e);

	if (rc == 0)
		rc = guess_refuse(d->window.p, d->window.len, GUESS_JSON_LINES, e);
	if (rc == 0 && is_foreign(buf_slice(&d->window)))
		rc = err_data(e, "this is not JSON lines of jsonenc: no line begins with '{'");
	return rc;
}

static void
free_decoder(struct decoder *d)
{
	in_close(&d->in);
	buf_free(&d->window);
	jscan_close(&d->scan);
	buf_free(&d->texts);
	mem_free(d->tag);
	buf_free(&d->out);
}

int
jsonl_decode(const char *name, const struct jsonl_reader *opt, struct evwrite *w, struct err *e)
{
	struct decoder d = { .w = w, .opt = opt };
	struct err end;
	int rc = in_open(&d.in, name, e);

	if (rc != 0)
		return rc;
	d.in.idle = &w->out;
	d.scan.fill = jscan_fill_text;
	d.scan.ctx = &d.rest;
	rc = jscan_open(&d.scan) ? begin(&d, e) : err_nomem(e);
	if (rc == 0)
		rc = read_lines(&d, e);
	if (rc == 0 && d.line == 0)
		rc = err_data(e, "empty input");
	if (marks_end_input(opt->marks, name, d.lines, &end) != 0 && rc == 0 && !d.refused) {
		*e = end;
		rc = e->code;
	}
	free_decoder(&d);
	return rc;
}

bool
jsonl_lacks_end(const struct marks *m)
{
	const char *input;
	struct err e;
	size_t at = 0;

	return !m->partial && marks_missing(m, &at, &input, &e) == 0;
}
