/* SPDX-License-Identifier: ISC */
/* decode.c - a Perun profile from end to end: which part of the text becomes which lines. */
#include "src/perun/read/decode.h"

#include <stdio.h>

#include "lib/json/jtext.h"
#include "src/perun/read/decoder.h"
#include "src/perun/pytext.h"

#define HELD_MAX ((size_t)8 * 1024 * 1024) /* lines that wait for the run's, at most */
#define NANO UINT64_C(1000000000)

/* The place of a member in the document. */
enum place { ROOT, SNAPSHOT, GLOBAL };

/* An element of a list that was read in full: a line of its own. */
typedef int put_element(struct decoder *d, uint64_t index, struct err *e);

int
perun_push_name(struct decoder *d, struct slice name, struct err *e)
{
	bool ok = buf_putc(&d->pointer, '/');
	size_t i;

	for (i = 0; i < name.len && ok; i++) {
		if (name.p[i] == '~')
			ok = buf_put(&d->pointer, "~0", 2);
		else if (name.p[i] == '/')
			ok = buf_put(&d->pointer, "~1", 2);
		else
			ok = buf_putc(&d->pointer, name.p[i]);
	}
	return ok ? 0 : err_nomem(e);
}

static int
push_index(struct decoder *d, uint64_t index, struct err *e)
{
	char text[NUM_MAX + 1] = "/";
	size_t n = 1 + num_put_u64(text + 1, index);

	return buf_put(&d->pointer, text, n) ? 0 : err_nomem(e);
}

/* The value that comes, as header lines. */
static int
header(struct decoder *d, struct err *e)
{
	int rc;

	rc = jscan_value(&d->j, PERUN_PIECE, e);
	if (rc == 0)
		perun_put_header(d);
	return rc;
}

/* An element of a list of resources or models. */
static int
element(struct decoder *d, uint64_t index, put_element *put, struct err *e)
{
	size_t keep = d->pointer.len;
	int rc = push_index(d, index, e);

	if (rc == 0)
		rc = jscan_value(&d->j, PERUN_RESOURCE_MAX, e);
	if (rc == 0 && !d->j.in_pieces && d->j.token[0].kind == JSCAN_OBJECT) {
		rc = put(d, index, e);
	} else if (rc == 0) {
		d->large += d->j.in_pieces;
		perun_put_header(d);
	}
	d->pointer.len = keep;
	return rc;
}

static int
list(struct decoder *d, put_element *put, struct err *e)
{
	bool first = true, more = true;
	uint64_t i = 0;
	int rc;

	perun_put_open(d, '[');
	d->at.len = 0;
	if (!esc_append(&d->at, d->pointer.p, d->pointer.len, ESC_COLUMN))
		return err_nomem(e);
	jscan_pass(&d->j);
	d->j.depth++;
	for (;;) {
		rc = jscan_next(&d->j, ']', &first, &more, e);
		if (rc != 0 || !more)
			break;
		rc = element(d, i++, put, e);
		if (rc != 0 || evw_failed(d->w))
			break;
	}
	d->j.depth--;
	return rc;
}

/* Seconds with up to nine digits after the point, as nanoseconds. */
static bool
read_seconds(struct slice s, uint64_t *time)
{
	const char *p = s.p, *end = s.p + s.len;
	uint64_t v = 0, unit = NANO;

	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9' && v < UINT64_MAX / NANO / 20; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	v *= NANO;
	if (p + 1 < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9' && unit > 1; p++)
			v += (unit /= 10) * (uint64_t)(*p - '0');
	*time = v;
	return p == end;
}

/* The snapshot's time: text or number. */
static int
set_time(struct decoder *d, struct err *e)
{
	const struct jscan_token *k = d->j.token;

	d->has_time = false;
	if (d->j.in_pieces || k->kind == JSCAN_WORD || k->kind <= JSCAN_ARRAY)
		return 0;
	d->key.len = 0;
	if (k->kind == JSCAN_STRING
		? !jtext_undo(&d->key, (struct slice){ d->j.text + k->off, k->len })
		: !buf_put(&d->key, d->j.text, d->j.text_len))
		return err_nomem(e);
	d->has_time = read_seconds(buf_slice(&d->key), &d->time);
	return 0;
}

/* A member of the header, if it is a string, for the run line; of equal ones the last counts. */
static int
take_text(struct decoder *d, const struct jscan_token *name, const struct jscan_token *value,
    struct err *e)
{
	struct buf *to = jscan_is(d->j.text, name, SLICE("cmd")) ? &d->app
	    : jscan_is(d->j.text, name, SLICE("args"))           ? &d->args
	    : jscan_is(d->j.text, name, SLICE("workload"))       ? &d->workload
								 : NULL;

	if (to == NULL)
		return 0;
	to->len = 0;
	if (value->kind == JSCAN_STRING &&
	    !jtext_undo(to, (struct slice){ d->j.text + value->off, value->len }))
		return err_nomem(e);
	return 0;
}

static int
take_header(struct decoder *d, struct err *e)
{
	const struct jscan_token *t = d->j.token;
	uint32_t i;
	int rc = 0;

	if (d->announced || d->j.in_pieces || t[0].kind != JSCAN_OBJECT)
		return 0;
	for (i = 1; i < t[0].next && rc == 0; i = t[i + 1].next)
		rc = take_text(d, &t[i], &t[i + 1], e);
	return rc;
}

static int members(struct decoder *d, enum place place, struct err *e);

static int
snapshots(struct decoder *d, struct err *e)
{
	bool first = true, more = true;
	size_t keep = d->pointer.len;
	uint64_t i = 0;
	int rc, c;

	perun_put_open(d, '[');
	jscan_pass(&d->j);
	d->j.depth++;
	for (;;) {
		rc = jscan_next(&d->j, ']', &first, &more, e);
		if (rc != 0 || !more)
			break;
		rc = push_index(d, i++, e);
		if (rc == 0)
			rc = jscan_peek(&d->j, &c, e);
		if (rc == 0)
			rc = c == '{' ? members(d, SNAPSHOT, e) : header(d, e);
		d->pointer.len = keep;
		if (rc != 0 || evw_failed(d->w))
			break;
	}
	d->j.depth--;
	return rc;
}

/* The members of an object of types: kept, and each a header line. */
static int
type_map(struct decoder *d, struct err *e)
{
	bool first = true, more = true;
	size_t keep = d->pointer.len;
	struct buf name = { 0 };
	int rc;

	perun_put_open(d, '{');
	jscan_pass(&d->j);
	d->j.depth++;
	for (;;) {
		rc = jscan_next(&d->j, '}', &first, &more, e);
		if (rc != 0 || !more)
			break;
		name.len = 0;
		rc = jscan_name(&d->j, &name, e);
		if (rc == 0)
			rc = perun_push_name(d, buf_slice(&name), e);
		if (rc == 0)
			rc = header(d, e);
		if (rc == 0 && !d->j.in_pieces)
			rc = perun_map_keep(d, buf_slice(&name),
			    (struct slice){ d->j.text, d->j.text_len }, e);
		d->pointer.len = keep;
		if (rc != 0 || evw_failed(d->w))
			break;
	}
	d->j.depth--;
	d->types.known = true;
	buf_free(&name);
	return rc;
}

/* The run line is written as soon as the format is known. */
static void
announce_at(struct decoder *d, struct slice name)
{
	if (slice_eq(name, SLICE("resources")) || slice_eq(name, SLICE("resource_type_map")) ||
	    slice_eq(name, SLICE("models")))
		perun_announce(d, SLICE("resources"));
	if (slice_eq(name, SLICE("snapshots")) || slice_eq(name, SLICE("global")) ||
	    evw_held(d->w).len > HELD_MAX)
		perun_announce(d, SLICE("snapshots"));
}

static int
root_member(struct decoder *d, struct slice name, int c, bool *done, struct err *e)
{
	*done = true;
	if (c == '[' && slice_eq(name, SLICE("snapshots")))
		return snapshots(d, e);
	if (c == '{' && slice_eq(name, SLICE("global")))
		return members(d, GLOBAL, e);
	if (c == '{' && slice_eq(name, SLICE("resources")))
		return perun_map_resources(d, e);
	if (c == '{' && slice_eq(name, SLICE("resource_type_map")))
		return type_map(d, e);
	*done = false;
	return 0;
}

static int
member(struct decoder *d, enum place place, struct slice name, struct err *e)
{
	bool done = false;
	int c, rc = jscan_peek(&d->j, &c, e);

	if (rc == 0 && place == ROOT) {
		announce_at(d, name);
		rc = root_member(d, name, c, &done, e);
	}
	if (rc != 0 || done)
		return rc;
	if (c == '[' && slice_eq(name, SLICE("resources")))
		return list(d, perun_put_sample, e);
	if (c == '[' && slice_eq(name, SLICE("models")))
		return list(d, perun_put_model, e);
	rc = header(d, e);
	if (rc == 0 && place != ROOT && slice_eq(name, SLICE("time")))
		rc = set_time(d, e);
	if (rc == 0 && place == ROOT && slice_eq(name, SLICE("header")))
		rc = take_header(d, e);
	return rc;
}

/* An object whose members are lines: the document, a snapshot, global. */
static int
members(struct decoder *d, enum place place, struct err *e)
{
	bool first = true, more = true;
	size_t keep = d->pointer.len;
	struct buf name = { 0 };
	int rc;

	perun_put_open(d, '{');
	jscan_pass(&d->j);
	d->j.depth++;
	d->has_time = false;
	for (;;) {
		rc = jscan_next(&d->j, '}', &first, &more, e);
		if (rc != 0 || !more)
			break;
		name.len = 0;
		rc = jscan_name(&d->j, &name, e);
		if (rc == 0)
			rc = perun_push_name(d, buf_slice(&name), e);
		if (rc == 0)
			rc = member(d, place, buf_slice(&name), e);
		d->pointer.len = keep;
		if (rc != 0 || evw_failed(d->w))
			break;
	}
	d->j.depth--;
	d->has_time = false;
	buf_free(&name);
	return rc;
}

static int
document(struct decoder *d, struct err *e)
{
	int c, rc = jscan_peek(&d->j, &c, e);

	if (rc != 0)
		return rc;
	if (c == -1 && d->j.line == 1 && d->j.column == 1 && d->j.len == 0)
		return err_data(e, "not one byte of text");
	rc = c == '{' ? members(d, ROOT, e) : header(d, e);
	if (rc == 0 && !evw_failed(d->w)) {
		rc = jscan_peek(&d->j, &c, e);
		if (rc == 0 && c != -1)
			rc = jscan_expected(&d->j, "the end", e);
	}
	return rc;
}

static int
begin(struct decoder *d, const char *name, struct err *e)
{
	char id[NUM_MAX];
	struct slice run = { id, 2 };
	int rc = source_open(d->source, name, e), i;
	uint64_t hash;

	if (rc != 0)
		return rc;
	memcpy(id, "0x", 2);
	hash = source_hash(d->source);
	for (i = 60; i >= 0; i -= 4)
		id[run.len++] = "0123456789abcdef"[hash >> i & 15];
	if (d->opt->run != NULL)
		run = slice_of(d->opt->run);
	if (!esc_append(&d->run, run.p, run.len, ESC_COLUMN) || !jscan_open(&d->j))
		return err_nomem(e);
	d->j.fill = source_fill;
	d->j.ctx = d->source;
	d->j.piece = perun_put_piece;
	d->j.piece_ctx = d;
	return 0;
}

static void
say_count(const struct decoder *d, uint64_t n, const char *what)
{
	char text[160];

	if (n == 0)
		return;
	snprintf(text, sizeof text, "%llu %s", (unsigned long long)n, what);
	report_note(&d->opt->to, text);
}

static void
say(const struct decoder *d)
{
	say_count(d, d->large,
	    "resources, models or types too large for a line are header lines only");
	say_count(d, d->grown, "resources or models, nested deep, have not all of their p. tags");
	if (d->types.full)
		report_note(&d->opt->to,
		    "the resource map's types are more than 64 MiB: "
		    "the samples of the others have only what varies");
	if (source_has_rest(d->source))
		report_note(&d->opt->to, "bytes after the packed object are ignored");
}

static void
end(struct decoder *d)
{
	source_close(d->source);
	jscan_close(&d->j);
	buf_free(&d->run);
	buf_free(&d->pointer);
	buf_free(&d->at);
	buf_free(&d->key);
	flat_free(&d->flat);
	buf_free(&d->app);
	buf_free(&d->args);
	buf_free(&d->workload);
	perun_map_free(d);
}

int
perun_decode(const char *name, const struct perun_options *opt, struct evwrite *w, struct err *e)
{
	struct decoder d = { .opt = opt, .w = w, .source = source_new() };
	int rc;

	if (d.source == NULL)
		return err_nomem(e);
	rc = begin(&d, name, e);
	if (rc == 0) {
		evw_hold(w);
		rc = document(&d, e);
		perun_announce(&d, SLICE("snapshots"));
		say(&d);
	}
	end(&d);
	return rc;
}
