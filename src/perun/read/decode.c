/* SPDX-License-Identifier: ISC */
/* decode.c - a Perun profile from end to end: which part of the text becomes which lines. */
#include "src/perun/read/decode.h"

#include <stdio.h>

#include "lib/json/jtext.h"
#include "src/perun/read/decoder.h"

#define HELD_MAX ((size_t)8 * 1024 * 1024) /* lines that wait for the run's, at most */
#define NANO UINT64_C(1000000000)
#define STOP (-1) /* of the walk: the output has failed */

/* The value that comes, as header lines. */
static int
header(struct decoder *d, struct err *e)
{
	int rc;

	rc = jscan_value(&d->j, PERUN_PIECE, e);
	if (rc == 0)
		lines_header(d);
	return rc;
}

/* A resource or model of the list d->list: a line of its own, unless it is too large or no object. */
static int
element(struct decoder *d, bool model, uint64_t index, struct err *e)
{
	int rc = jscan_value(&d->j, PERUN_RESOURCE_MAX, e);

	if (rc == 0 && !d->j.in_pieces && d->j.token[0].kind == JSCAN_OBJECT)
		return lines_element(d, model ? SLICE("model") : SLICE("sample"), index, e);
	if (rc == 0) {
		d->large += d->j.in_pieces;
		lines_header(d);
	}
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
	if (k->kind == JSCAN_STRING ? !jtext_undo(&d->key, jscan_inside(d->j.text, k))
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
	struct buf *to = jscan_is(d->j.text, name, SLICE("cmd")) ? &d->about.app
	    : jscan_is(d->j.text, name, SLICE("args"))           ? &d->about.args
	    : jscan_is(d->j.text, name, SLICE("workload"))       ? &d->about.workload
								 : NULL;

	if (to == NULL)
		return 0;
	to->len = 0;
	if (value->kind == JSCAN_STRING && !jtext_undo(to, jscan_inside(d->j.text, value)))
		return err_nomem(e);
	return 0;
}

static int
take_header(struct decoder *d, struct err *e)
{
	const struct jscan_token *t = d->j.token;
	uint32_t i;
	int rc = 0;

	if (d->about.announced || d->j.in_pieces || t[0].kind != JSCAN_OBJECT)
		return 0;
	for (i = 1; i < t[0].next && rc == 0; i = t[i + 1].next)
		rc = take_text(d, &t[i], &t[i + 1], e);
	return rc;
}

/* The run line is written as soon as the format is known. */
static void
announce_at(struct decoder *d, enum place_kind kind)
{
	switch (kind) {
	case PLACE_MAP:
	case PLACE_RESOURCES:
	case PLACE_COMMONS:
	case PLACE_MODELS: lines_run(d, SLICE("resources")); break;
	case PLACE_SNAPSHOTS:
	case PLACE_GLOBAL: lines_run(d, SLICE("snapshots")); break;
	default:
		if (evw_held(d->w).len > HELD_MAX)
			lines_run(d, SLICE("snapshots"));
	}
}

static int container(struct decoder *d, enum place_kind kind, struct err *e);

/* The value at that place, of which C is the first byte; it is the INDEX-th, or has that name. */
static int
value(struct decoder *d, enum place_kind kind, uint64_t index, struct slice name, int c,
    struct err *e)
{
	char bracket = place_bracket(kind);
	int rc;

	if (kind == PLACE_RESOURCE || kind == PLACE_MODEL)
		return element(d, kind == PLACE_MODEL, index, e);
	if (kind == PLACE_TYPE)
		return map_type(d, name, e);
	if (bracket != 0 && c == bracket)
		return container(d, kind, e);
	rc = header(d, e);
	if (rc == 0 && kind == PLACE_COMMON && !d->j.in_pieces)
		rc = map_keep(&d->map, name, (struct slice){ d->j.text, d->j.text_len }, e);
	return rc;
}

/* What a member says of the lines that follow. */
static int
take_member(struct decoder *d, struct slice name, struct err *e)
{
	if (d->container != PLACE_DOCUMENT)
		return slice_eq(name, SLICE("time")) ? set_time(d, e) : 0;
	return slice_eq(name, SLICE("header")) ? take_header(d, e) : 0;
}

static int
read_member(void *ctx, struct slice name, struct err *e)
{
	struct decoder *d = ctx;
	enum place_kind within = d->container, kind;
	size_t keep = d->pointer.len;
	int c, rc = jtext_push_name(&d->pointer, name) ? jscan_peek(&d->j, &c, e) : err_nomem(e);

	if (rc != 0)
		return rc;
	kind = place_within(within, name, (char)c);
	if (within == PLACE_DOCUMENT)
		announce_at(d, kind);
	rc = value(d, kind, 0, name, c, e);
	d->pointer.len = keep;
	d->container = within;
	if (rc == 0 && kind == PLACE_MEMBER)
		rc = take_member(d, name, e);
	return rc == 0 && evw_failed(d->w) ? STOP : rc;
}

static int
read_element(void *ctx, uint64_t index, struct err *e)
{
	struct decoder *d = ctx;
	enum place_kind within = d->container;
	size_t keep = d->pointer.len;
	int c, rc = jtext_push_index(&d->pointer, index) ? jscan_peek(&d->j, &c, e) : err_nomem(e);

	if (rc == 0)
		rc = value(d, place_within(within, SLICE(""), (char)c), index, SLICE(""), c, e);
	d->pointer.len = keep;
	d->container = within;
	return rc == 0 && evw_failed(d->w) ? STOP : rc;
}

/* A container that has a line of its own, and what is in it. */
static int
container(struct decoder *d, enum place_kind kind, struct err *e)
{
	char bracket = place_bracket(kind);
	int rc = kind == PLACE_MAP && !d->map.known ? map_find_types(d, e) : 0;

	lines_open(d, bracket);
	d->container = kind;
	d->has_time &= kind != PLACE_SNAPSHOT && kind != PLACE_GLOBAL;
	if (rc == 0 && bracket == '[') {
		rc = lines_begin_list(d, e);
		return rc == 0 ? jscan_elements(&d->j, read_element, d, e) : rc;
	}
	if (rc == 0)
		rc = jscan_members(&d->j, read_member, d, e);
	d->has_time &= kind != PLACE_SNAPSHOT && kind != PLACE_GLOBAL;
	d->map.known |= kind == PLACE_COMMONS;
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
	rc = c == '{' ? container(d, PLACE_DOCUMENT, e) : header(d, e);
	if (rc == 0 && !evw_failed(d->w)) {
		rc = jscan_peek(&d->j, &c, e);
		if (rc == 0 && c != -1)
			rc = jscan_expected(&d->j, "the end", e);
	}
	return rc == STOP ? 0 : rc;
}

static int
begin(struct decoder *d, const char *name, struct err *e)
{
	char id[NUM_MAX];
	struct slice run = { id, 2 };
	int rc = unpack_open(d->unpack, name, e), i;
	uint64_t hash;

	if (rc != 0)
		return rc;
	memcpy(id, "0x", 2);
	hash = unpack_hash(d->unpack);
	for (i = 60; i >= 0; i -= 4)
		id[run.len++] = "0123456789abcdef"[hash >> i & 15];
	if (d->opt->run != NULL)
		run = slice_of(d->opt->run);
	if (!esc_append(&d->run, run.p, run.len, ESC_COLUMN) || !jscan_open(&d->j))
		return err_nomem(e);
	d->j.fill = unpack_fill;
	d->j.ctx = d->unpack;
	d->j.piece = lines_piece;
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
	if (d->map.full)
		report_note(&d->opt->to,
		    "the resource map's types are more than 64 MiB: "
		    "the samples of the others have only what varies");
	if (unpack_has_rest(d->unpack))
		report_note(&d->opt->to, "bytes after the packed object are ignored");
}

static void
end(struct decoder *d)
{
	unpack_close(d->unpack);
	jscan_close(&d->j);
	buf_free(&d->run);
	buf_free(&d->pointer);
	buf_free(&d->list);
	buf_free(&d->key);
	flat_free(&d->flat);
	buf_free(&d->about.app);
	buf_free(&d->about.args);
	buf_free(&d->about.workload);
	map_free(&d->map);
}

int
perun_decode(const char *name, const struct perun_options *opt, struct evwrite *w, struct err *e)
{
	struct decoder d = { .opt = opt, .w = w, .unpack = unpack_new() };
	int rc;

	if (d.unpack == NULL)
		return err_nomem(e);
	rc = begin(&d, name, e);
	if (rc == 0) {
		evw_hold(w);
		rc = document(&d, e);
		lines_run(&d, SLICE("snapshots"));
		say(&d);
	}
	end(&d);
	return rc;
}
