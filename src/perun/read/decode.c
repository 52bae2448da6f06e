/* SPDX-License-Identifier: ISC */
/*
 * decode.c - converts a Perun profile to lines: decides which part of the text becomes which lines,
 * reads maps of resources, and writes the lines.
 *
 * A map of resources is {TYPE: {NAME: [VALUE...]}}.  Each of its resources consists of one value
 * from each list and of the type's members in resource_type_map.
 */
#include "src/perun/read/decode.h"

#include <stdio.h>

#include "lib/short.h"
#include "lib/esc.h"
#include "lib/json/jscan.h"
#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/seconds.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "lib/wide.h"
#include "src/perun/flat.h"
#include "src/perun/place.h"
#include "src/perun/pytext.h"
#include "src/perun/read/typeunits.h"
#include "src/perun/read/unpack.h"
#include "src/perun/repeat.h"
#include "src/perun/rows.h"

#define HELD_MAX ((size_t)8 * 1024 * 1024) /* maximum bytes of lines that wait for the run line */
#define STOP (-1) /* a result of the walk: the output has failed */
#define COLUMN_MAX ((size_t)64 * 1024) /* bytes of a region, a measure or a text value */
#define SHORT_TAG ((size_t)4096)
#define SHORT_LINE (EV_LINE_MAX / 2)

/* Limits for the text of a value.  Longer values are read in pieces. */
#define PIECE_MAX ((size_t)1024 * 1024) /* a header line */
#define RESOURCE_MAX ((size_t)1024 * 1024) /* a sample or model line */
#define TYPE_MAX ((size_t)16 * 1024 * 1024) /* the values of one type of a resource map */
#define MAP_MAX ((size_t)64 * 1024 * 1024) /* the types of a resource map */

/* The position in the map's text of the members that a type's resources have in common, as JSON. */
struct map_entry {
	size_t off, len;
};

/*
 * A map of resources: the members that the resources of each type have in common, by the type's
 * name.
 */
struct map {
	struct tab names;
	struct map_entry *entry;
	size_t cap;
	struct buf text;
	bool known; /* all common members have been read, or there are none */
	bool ahead; /* they have been read from the whole rest of the document */
	bool full; /* there was no space for the rest */
	uint64_t large; /* number of types whose common members were too large */

	struct jscan other; /* reads resource_type_map, ahead of the document or from text */
	struct slice other_text; /* the rest of the text that it reads */
	bool other_open;
	struct rows rows; /* the resources of the current type */
};

/* Data about the program for the run line. */
struct about {
	bool announced; /* the run line has been written; no lines are held any longer */
	struct buf app, args, workload;
};

struct decoder {
	const struct perun_options *opt;
	struct evwrite *w;
	struct unpack *unpack;
	struct jscan j;
	struct buf run; /* its id, escaped */
	struct about about;
	enum place_kind container; /* being read */
	enum place_kind top; /* the member of the document that is being read */
	struct repeat repeat;
	struct buf pointer; /* pointer to the value being read; raw bytes, ~ and / as in RFC 6901 */
	struct buf list; /* the pointer of the list being read, escaped */
	bool has_members, is_profile; /* the document has members; some that profiles have */
	bool has_time;
	uint64_t time; /* the time of the snapshot, in nanoseconds */
	bool stamped; /* its resources have times in nanoseconds, as perunenc writes them */
	uint64_t not_times; /* number of times of snapshots that are not times */
	uint64_t piece; /* the part number of the header line being written */
	uint64_t large; /* number of resources and models that were too large */
	uint64_t uneven; /* number of types of a resource map that are not lists of one length */
	uint64_t grown; /* number of those that become too large when flattened */
	struct typeunits units;
	bool units_known; /* the header has been read, or there is none */
	bool units_unread; /* it is too large */
	uint64_t headers; /* number of headers */
	struct map map;
	struct flat flat; /* the items of the line being written */
	struct buf key; /* scratch: the key of a tag, or the name of a frame */
	struct buf stack;
	uint32_t *frame; /* scratch: the frames of a trace */
	size_t frame_cap;
};

/* Returns true if the item is an integer that is a time in the stream. */
static bool
is_time(const struct flat_item *i)
{
	struct wide ns;

	return i->kind == JSCAN_INTEGER && wide_get(i->value, &ns) == WIDE_OK;
}

/* Begins a line.  Its time is that in the resource, which may be NULL, or that of the snapshot. */
static void
put_head(struct decoder *d, struct slice kind, const struct flat_item *stamp)
{
	evw_begin(d->w, kind);
	if (stamp != NULL && is_time(stamp))
		evw_raw(d->w, stamp->value);
	else if (d->has_time)
		evw_u64(d->w, d->time);
	else
		evw_none(d->w);
	evw_raw(d->w, buf_slice(&d->run));
}

static void
put_header_head(struct decoder *d)
{
	evw_begin(d->w, SLICE("header"));
	evw_none(d->w);
	evw_raw(d->w, buf_slice(&d->run));
	evw_text(d->w, buf_slice(&d->pointer));
	evw_none(d->w);
}

/* Writes the line of an opening container, whose bracket is '{' or '['. */
static void
put_open(struct decoder *d, char bracket)
{
	put_header_head(d);
	evw_raw(d->w, (struct slice){ &bracket, 1 });
	evw_end(d->w);
}

static void
put_part(struct decoder *d, struct slice text)
{
	put_header_head(d);
	evw_text(d->w, text);
	evw_tag_u64(d->w, SLICE("part"), ++d->piece);
}

/* Writes parts of PIECE_MAX bytes until at most that many are left of the text. */
static void
put_parts(struct decoder *d, struct slice *text)
{
	while (text->len > PIECE_MAX) {
		put_part(d, (struct slice){ text->p, PIECE_MAX });
		evw_end(d->w);
		text->p += PIECE_MAX;
		text->len -= PIECE_MAX;
	}
}

/* The piece function of struct jscan for header lines.  ctx is d. */
static int
put_piece(void *ctx, struct slice text, struct err *e)
{
	struct decoder *d = ctx;

	(void)e;
	put_parts(d, &text);
	put_part(d, text);
	evw_end(d->w);
	return 0;
}

/* Writes a header line, or several with part=, for the last value read (d->j). */
static void
put_header(struct decoder *d)
{
	struct slice text = { d->j.text, d->j.text_len };

	put_parts(d, &text);
	if (d->piece != 0) {
		put_part(d, text);
		evw_tag_u64(d->w, SLICE("parts"), d->piece);
	} else {
		put_header_head(d);
		evw_text(d->w, text);
	}
	evw_end(d->w);
	d->piece = 0;
}

/* Returns the first member with that name from item FROM on, or NULL. */
static const struct flat_item *
member_from(const struct flat *f, size_t from, struct slice name)
{
	size_t i;

	for (i = from; i < f->n; i++)
		if (f->item[i].top && slice_eq(f->item[i].path, name))
			return &f->item[i];
	return NULL;
}

/* Returns the member of the resource with that name, or NULL. */
static const struct flat_item *
member(const struct flat *f, struct slice name)
{
	return member_from(f, 0, name);
}

/*
 * Removes those of the first OWN items that belong to a member which the items after them have,
 * too.  The items inside a member come right before it.
 */
static void
drop_replaced(struct flat *f, size_t own)
{
	size_t i, begin = 0, kept = 0;

	for (i = 0; i < own; i++) {
		if (!f->item[i].top)
			continue;
		if (member_from(f, own, f->item[i].path) == NULL) {
			if (kept != begin)
				memmove(f->item + kept, f->item + begin,
				    (i + 1 - begin) * sizeof *f->item);
			kept += i + 1 - begin;
		}
		begin = i + 1;
	}
	if (kept == begin)
		return;
	memmove(f->item + kept, f->item + begin, (f->n - begin) * sizeof *f->item);
	f->n -= begin - kept;
}

/* Returns true if the member has a value for a column. */
static bool
says(const struct flat_item *i)
{
	return i != NULL && i->value.len != 0 && i->value.len <= COLUMN_MAX &&
	    !(i->kind == JSCAN_WORD && i->value.p[0] == 'N');
}

static void
put_column(struct decoder *d, const struct flat_item *i)
{
	if (!says(i))
		evw_none(d->w);
	else if (i->clean && !slice_is_nothing(i->value))
		evw_raw(d->w, i->value);
	else
		evw_text(d->w, i->value);
}

/* Writes a part of a column.  In a part, "" and "." have no special meaning. */
static char *
write_part(char *p, struct slice s)
{
	if (s.len != 0 && !slice_is_nothing(s))
		return p + esc_write(p, s.p, s.len, ESC_COLUMN);
	return short_copy(p, s.p, s.len);
}

static void
put_measure(struct decoder *d, const struct flat_item *type, const struct flat_item *subtype)
{
	struct slice first = says(type) ? type->value : SLICE("");
	char *p;

	if (!says(subtype)) {
		put_column(d, type);
		return;
	}
	p = evw_room(d->w, (first.len + subtype->value.len + 1) * ESC_MAX_GROWTH + 4);
	if (p == NULL)
		return;
	*p++ = '\t';
	p = write_part(p, first);
	*p++ = '.';
	evw_advance(d->w, write_part(p, subtype->value));
}

static void
put_unit(struct decoder *d, const struct flat_item *type, const struct flat_item *subtype)
{
	struct slice unit;

	if (!says(type))
		return;
	if (!typeunits_find(&d->units, type->value, says(subtype) ? subtype->value : SLICE(""),
		&unit))
		evw_nomem(d->w);
	else if (unit.len != 0)
		evw_tag_text(d->w, SLICE("unit"), unit);
}

/* Writes the value column.  Returns true if the value is a text. */
static bool
put_value(struct decoder *d, const struct flat_item *i)
{
	if (i == NULL || i->value.len > COLUMN_MAX) {
		evw_none(d->w);
		return false;
	}
	switch (i->kind) {
	case JSCAN_INTEGER: evw_raw(d->w, i->value); return false;
	case JSCAN_FLOAT: evw_double(d->w, pytext_double(i->value)); return false;
	case JSCAN_WORD:
		if (i->value.p[0] == 'T' || i->value.p[0] == 'F')
			evw_raw(d->w, i->value.p[0] == 'T' ? SLICE("1") : SLICE("0"));
		else
			evw_raw(d->w, i->value.p[0] == 'N' ? SLICE(".") : i->value);
		return false;
	}
	evw_text(d->w, i->value);
	return true;
}

/*
 * Writes an item that is long or must be escaped.  If it is omitted, omitted= names it "p", since
 * the key is not kept until the end of the line.
 */
static void
put_long_item(struct decoder *d, const struct flat_item *i)
{
	d->key.len = 0;
	/* inside a key the text "." has no special meaning */
	if (!buf_put(&d->key, "p..", slice_is_nothing(i->path) ? 3 : 2) ||
	    (d->key.len == 2 && !esc_append(&d->key, i->path.p, i->path.len, ESC_KEY))) {
		evw_nomem(d->w);
		return;
	}
	evw_tag_begin(d->w, buf_slice(&d->key));
	evw_value(d->w, i->value);
	evw_tag_end(d->w, SLICE("p"));
}

static void
put_tags(struct decoder *d)
{
	size_t i;

	for (i = 0; i < d->flat.n; i++) {
		const struct flat_item *item = &d->flat.item[i];
		struct slice path = item->path, v = item->value;
		char *p;

		if (path.len == 0)
			continue; /* an empty name cannot be a key in the stream */
		if (!item->clean || path.len + v.len > SHORT_TAG || evw_length(d->w) > SHORT_LINE ||
		    v.len == 0 || slice_is_nothing(v) || slice_is_nothing(path)) {
			put_long_item(d, item);
			continue;
		}
		p = evw_room(d->w, path.len + v.len + 4);
		if (p == NULL)
			return;
		memcpy(p, "\tp.", 3);
		p = short_copy(p + 3, path.p, path.len);
		*p++ = '=';
		evw_advance(d->w, short_copy(p, v.p, v.len));
	}
	if (d->flat.too_long) {
		evw_name_omitted(d->w, SLICE("p"));
		d->grown++;
	}
}

static void
put_at(struct decoder *d, uint64_t index)
{
	char *p;

	evw_tag_begin(d->w, SLICE("at"));
	evw_bytes(d->w, d->list.p, d->list.len);
	p = evw_room(d->w, NUM_MAX + 1);
	if (p != NULL) {
		*p++ = '/';
		evw_advance(d->w, p + num_put_u64(p, index));
	}
	evw_tag_end(d->w, SLICE("at"));
}

/* An object: its text and its tokens, of which the first is the object itself. */
struct object {
	const char *text;
	const struct jscan_token *token;
};

/*
 * Returns the value of the member with that name in the object at INDEX, the last one if it is
 * repeated, or 0 if there is none.
 */
static uint32_t
find_member(const struct object *o, uint32_t index, struct slice name)
{
	const struct jscan_token *t = o->token;
	uint32_t i, found = 0;

	if (t[index].kind != JSCAN_OBJECT)
		return 0;
	for (i = index + 1; i < t[index].next; i = t[i + 1].next)
		if ((t[i].len == name.len || (t[i].flags & JSCAN_ESCAPED) != 0) &&
		    jscan_is(o->text, &t[i], name))
			found = i + 1;
	return found;
}

/* Appends the name of a frame, after the separator if there are frames before it. */
static bool
put_name(struct buf *stack, struct slice name, bool clean)
{
	size_t i = 0;

	if (!buf_room(stack, 1 + name.len) || (stack->len != 0 && !buf_putc(stack, ';')))
		return false;
	if (name.len == 0)
		return buf_putc(stack, '.');
	while (clean && i < name.len && name.p[i] != ';')
		i++;
	if (i < name.len || slice_is_nothing(name))
		return esc_append(stack, name.p, name.len, ESC_ELEMENT);
	stack->len = (size_t)(short_copy(stack->p + stack->len, name.p, name.len) - stack->p);
	return true;
}

/*
 * Appends a frame to the stack: its function, otherwise its func, otherwise the frame itself if it
 * is a string.
 */
static bool
put_frame(struct decoder *d, const struct object *o, uint32_t frame)
{
	uint32_t name = find_member(o, frame, SLICE("function"));
	const struct jscan_token *k;

	if (name == 0)
		name = find_member(o, frame, SLICE("func"));
	if (name == 0 && o->token[frame].kind == JSCAN_STRING)
		name = frame;
	k = &o->token[name];
	if (name != 0 && k->kind == JSCAN_STRING && (k->flags & JSCAN_ESCAPED) == 0)
		return put_name(&d->stack, jscan_inside(o->text, k), k->flags == 0);
	d->key.len = 0;
	return (name == 0 || pytext_str_of(&d->key, o->text, o->token, name)) &&
	    put_name(&d->stack, buf_slice(&d->key), false);
}

/*
 * Returns true for a frame from Perun's newer collectors, which name a frame's function func and
 * write the outermost frame first.
 */
static bool
is_newer(const struct object *o, uint32_t frame)
{
	return find_member(o, frame, SLICE("func")) != 0 &&
	    find_member(o, frame, SLICE("function")) == 0;
}

/*
 * Appends the frames of a trace, root first.  With newer collectors the uid, which is the innermost
 * frame, is not in the trace.
 */
static bool
put_frames(struct decoder *d, const struct object *o, uint32_t trace, const struct object *own)
{
	const struct jscan_token *t = o->token;
	bool newer = is_newer(o, trace + 1), ok = true;
	uint32_t i, uid;
	size_t n = 0;

	for (i = trace + 1; i < t[trace].next; i = t[i].next) {
		if (!vec_room(d->frame, n, d->frame_cap))
			return false;
		d->frame[n++] = i;
	}
	for (i = 0; ok && i < n; i++)
		ok = put_frame(d, o, d->frame[newer ? i : n - 1 - i]);
	uid = newer ? find_member(own, 0, SLICE("uid")) : 0;
	return ok && (uid == 0 || put_frame(d, own, uid));
}

/*
 * Writes the stack tag if the resource, which consists of these objects, has a trace with frames.
 * If several of them have a member, it is that of the first.
 */
static void
put_stack(struct decoder *d, const struct object *o, size_t objects)
{
	uint32_t trace = 0;
	size_t i, uid;

	for (i = 0; i < objects && trace == 0; i++)
		trace = find_member(&o[i], 0, SLICE("trace"));
	if (trace == 0 || o[i - 1].token[trace].kind != JSCAN_ARRAY ||
	    o[i - 1].token[trace].next == trace + 1)
		return;
	for (uid = 0; uid + 1 < objects && find_member(&o[uid], 0, SLICE("uid")) == 0; uid++)
		;
	d->stack.len = 0;
	if (put_frames(d, &o[i - 1], trace, &o[uid]))
		evw_tag_raw(d->w, SLICE("stack"), buf_slice(&d->stack));
	else
		evw_nomem(d->w);
}

/*
 * Writes a line of that kind for the items in d->flat, which come from these objects.  json is the
 * text of the resource or model itself, and flags are those of its strings.
 */
static void
put_items(struct decoder *d, struct slice kind, uint64_t index, struct slice json, unsigned flags,
    const struct object *o, size_t objects)
{
	const struct flat *f = &d->flat;
	const struct flat_item *stamp = d->stamped ? member(f, SLICE("timestamp")) : NULL;
	bool model = kind.p[0] == 'm', text;

	put_head(d, kind, stamp);
	put_column(d, member(f, SLICE("uid")));
	if (model)
		put_column(d, member(f, SLICE("model")));
	else
		put_measure(d, member(f, SLICE("type")), member(f, SLICE("subtype")));
	text = put_value(d, member(f, model ? SLICE("r_square") : SLICE("amount")));
	if (!model)
		put_unit(d, member(f, SLICE("type")), member(f, SLICE("subtype")));
	if (text)
		evw_tag_raw(d->w, SLICE("type"), SLICE("text"));
	put_at(d, index);
	if (flags == 0)
		evw_tag_raw(d->w, SLICE("json"), json);
	else
		evw_tag_text(d->w, SLICE("json"), json);
	if (!model)
		put_stack(d, o, objects);
	put_tags(d);
	evw_end(d->w);
}

/* Begins the list at d->pointer, to which the next elements belong. */
static int
begin_list(struct decoder *d, struct err *e)
{
	d->list.len = 0;
	return esc_append(&d->list, d->pointer.p, d->pointer.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

/* Writes the last value read, which is element INDEX of the list, as a line of that kind. */
static int
put_element(struct decoder *d, struct slice kind, uint64_t index, struct err *e)
{
	struct slice json = { d->j.text, d->j.text_len };

	if (!flat_begin(&d->flat, json.len) || !flat_add(&d->flat, json.p, d->j.token))
		return err_nomem(e);
	put_items(d, kind, index, json, d->j.flags, &(struct object){ json.p, d->j.token }, 1);
	return 0;
}

static void
put_run_tag(struct decoder *d, struct slice key, const struct buf *value)
{
	if (value->len != 0 && value->len <= COLUMN_MAX)
		evw_tag_text(d->w, key, buf_slice(value));
}

/* Writes the run line, followed by the lines held, unless this has been done already. */
static void
put_run(struct decoder *d, struct slice format)
{
	if (d->about.announced)
		return;
	d->about.announced = true;
	evw_insert(d->w);
	evw_begin(d->w, SLICE("run"));
	evw_none(d->w);
	evw_raw(d->w, buf_slice(&d->run));
	evw_none(d->w);
	evw_none(d->w);
	evw_none(d->w);
	evw_tag_raw(d->w, SLICE("format"), format);
	put_run_tag(d, SLICE("app"), &d->about.app);
	put_run_tag(d, SLICE("args"), &d->about.args);
	put_run_tag(d, SLICE("workload"), &d->about.workload);
	evw_end(d->w);
	evw_release(d->w);
}

static void
map_free(struct map *m)
{
	tab_free(&m->names);
	mem_free(m->entry);
	buf_free(&m->text);
	if (m->other_open)
		jscan_close(&m->other);
	rows_free(&m->rows);
}

/* Keeps the JSON of the members that a type's resources have in common, which J has read. */
static int
keep_common(struct map *m, struct slice name, const struct jscan *j, struct err *e)
{
	struct slice json = { j->text, j->text_len };
	size_t i;

	m->large += j->in_pieces;
	if (j->in_pieces)
		return 0;
	if (m->text.len + json.len > MAP_MAX) {
		m->full = true;
		return 0;
	}
	i = tab_add(&m->names, name, NULL);
	if (i == TAB_NONE || !vec_room(m->entry, i, m->cap))
		return err_nomem(e);
	m->entry[i] = (struct map_entry){ m->text.len, json.len };
	return buf_put(&m->text, json.p, json.len) ? 0 : err_nomem(e);
}

/*
 * Opens a second scanner.  It drops values that are not needed, and errors that will be reported
 * when the text is read again.
 */
static int
open_other(struct map *m, struct err *e)
{
	if (!m->other_open && !jscan_open(&m->other))
		return err_nomem(e);
	m->other_open = true;
	jscan_restart(&m->other);
	m->other.piece = jscan_drop;
	return 0;
}

static int
take_common(void *ctx, struct slice name, struct err *e)
{
	struct map *m = ctx;
	int rc = jscan_value(&m->other, PIECE_MAX, e);

	return rc == 0 ? keep_common(m, name, &m->other, e) : rc;
}

/* Reads a member of the document that may be needed before its place is reached. */
static int
take_ahead(struct decoder *d, struct slice name, int c, struct err *e)
{
	struct jscan *j = &d->map.other;
	int rc;

	if (c == '{' && place_within(PLACE_DOCUMENT, name, (char)c) == PLACE_COMMONS)
		return jscan_members(j, take_common, &d->map, e);
	if (!slice_eq(name, SLICE("header")))
		return jscan_skip(j, e);
	rc = jscan_value(j, PIECE_MAX, e);
	if (rc == 0 && !j->in_pieces)
		rc = typeunits_add(&d->units, j->text, j->token, e);
	return rc;
}

/* Continues to read after the value at d->map.other, up to the end of the document. */
static int
read_ahead(struct decoder *d, struct buf *name, struct err *e)
{
	struct jscan *j = &d->map.other;
	bool first = false, more = true;
	int c = 0, rc = jscan_skip(j, e);

	while (rc == 0) {
		rc = jscan_next(j, '}', &first, &more, e);
		if (rc != 0 || !more)
			break;
		name->len = 0;
		rc = jscan_name(j, name, e);
		if (rc == 0)
			rc = jscan_peek(j, &c, e);
		if (rc == 0)
			rc = take_ahead(d, buf_slice(name), c, e);
	}
	return rc;
}

/*
 * Reads the rest of the document.  The header and resource_type_map, which say more about
 * resources, may come after them as well as before them.
 */
static int
look_ahead(struct decoder *d, struct err *e)
{
	struct unpack_look look;
	struct buf name = { 0 };
	int rc = unpack_look(d->unpack, jscan_ahead(&d->j), &look, e);

	if (rc == 0)
		rc = open_other(&d->map, e);
	if (rc == 0) {
		d->map.other.fill = unpack_look_fill;
		d->map.other.ctx = &look;
		rc = read_ahead(d, &name, e);
	}
	d->map.known = d->map.ahead = d->units_known = true;
	buf_free(&name);
	/* damage will be found again and reported there */
	return rc == ERR_DATA ? 0 : rc;
}

/*
 * Reads the members that the type's resources have in common into m->other.  *found is false if
 * there are none.
 */
static int
find_common(struct map *m, struct slice type, bool *found, struct err *e)
{
	size_t i = tab_find(&m->names, type);
	int rc;

	*found = false;
	if (i == TAB_NONE)
		return 0;
	rc = open_other(m, e);
	if (rc != 0)
		return rc;
	m->other_text = (struct slice){ m->text.p + m->entry[i].off, m->entry[i].len };
	m->other.fill = jscan_fill_text;
	m->other.ctx = &m->other_text;
	rc = jscan_value(&m->other, PIECE_MAX, e);
	/* it was a whole value when it was kept */
	*found = rc == 0 && m->other.token[0].kind == JSCAN_OBJECT;
	return rc;
}

enum type_form {
	TYPE_LISTS, /* equally long */
	TYPE_LARGE, /* or a resource would be too large */
	TYPE_UNEVEN, /* no lists, or not equally long */
};

/*
 * Finds the number of values in each list.  A type without lists has one resource, which consists
 * of the common members.
 */
static enum type_form
count_rows(const struct jscan *j, size_t *rows)
{
	const struct jscan_token *t = j->token;
	size_t n, longest, len = 0;
	uint32_t i;

	if (j->in_pieces)
		return TYPE_LARGE;
	if (t[0].kind != JSCAN_OBJECT)
		return TYPE_UNEVEN;
	*rows = t[0].next == 1;
	for (i = 1; i < t[0].next; i = t[i + 1].next) {
		if (t[i + 1].kind != JSCAN_ARRAY)
			return TYPE_UNEVEN;
		n = rows_count(t, i + 1, &longest);
		len += t[i].len + longest;
		if (len > RESOURCE_MAX)
			return TYPE_LARGE;
		if (i > 1 && n != *rows)
			return TYPE_UNEVEN;
		*rows = n;
	}
	return TYPE_LISTS;
}

static int
put_row(struct decoder *d, uint64_t index, bool common, struct err *e)
{
	struct map *m = &d->map;
	struct object o[2];
	size_t own, n = 0;

	if (!rows_next(&m->rows))
		return err_nomem(e);
	if (!flat_begin(&d->flat, m->rows.row.len + (common ? m->other.text_len : 0)) ||
	    !flat_add(&d->flat, m->rows.row.p, m->rows.tape))
		return err_nomem(e);
	own = d->flat.n;
	if (common) {
		if (!flat_add(&d->flat, m->other.text, m->other.token))
			return err_nomem(e);
		drop_replaced(&d->flat, own);
		o[n++] = (struct object){ m->other.text, m->other.token };
	}
	o[n++] = (struct object){ m->rows.row.p, m->rows.tape };
	put_items(d, SLICE("sample"), index, buf_slice(&m->rows.row), d->j.flags, o, n);
	return 0;
}

static int
put_rows(struct decoder *d, struct slice type, size_t n, struct err *e)
{
	struct rows *r = &d->map.rows;
	const struct jscan_token *t = d->j.token;
	bool common;
	size_t row;
	uint32_t i;
	int rc = find_common(&d->map, type, &common, e);

	if (rc != 0)
		return rc;
	r->text = d->j.text;
	r->token = t;
	r->lists.n = 0;
	for (i = 1; i < t[0].next; i = t[i + 1].next)
		if (!jdict_add(&r->lists, (struct jdict_member){ i, i + 1 }))
			return err_nomem(e);
	rows_begin(r);
	put_open(d, '{');
	rc = begin_list(d, e);
	for (row = 0; row < n && rc == 0 && !evw_failed(d->w); row++)
		rc = put_row(d, row, common, e);
	return rc;
}

/*
 * Reads the lists of the type at d->pointer, and writes a line for each resource, or header lines.
 */
static int
read_type(struct decoder *d, struct slice name, struct err *e)
{
	int rc = jscan_value(&d->j, TYPE_MAX, e);
	enum type_form form;
	size_t rows = 0;

	if (rc != 0)
		return rc;
	form = count_rows(&d->j, &rows);
	if (form == TYPE_LISTS && rows != 0)
		return put_rows(d, name, rows, e);
	d->large += form == TYPE_LARGE;
	d->uneven += form == TYPE_UNEVEN;
	put_header(d);
	return 0;
}

/* Writes the next value as header lines. */
static int
header(struct decoder *d, struct err *e)
{
	int rc;

	rc = jscan_value(&d->j, PIECE_MAX, e);
	if (rc == 0)
		put_header(d);
	return rc;
}

/*
 * Writes a resource or model of a list as a line of its own, unless it is too large or not an
 * object.
 */
static int
element(struct decoder *d, bool model, uint64_t index, struct err *e)
{
	int rc = jscan_value(&d->j, RESOURCE_MAX, e);

	if (rc == 0 && !d->j.in_pieces && d->j.token[0].kind == JSCAN_OBJECT)
		return put_element(d, model ? SLICE("model") : SLICE("sample"), index, e);
	if (rc == 0) {
		d->large += d->j.in_pieces;
		put_header(d);
	}
	return rc;
}

/* Sets the snapshot's time from a text or a number.  Counts all other values except null. */
static int
set_time(struct decoder *d, struct err *e)
{
	const struct jscan_token *k = d->j.token;

	d->has_time = false;
	if (!d->j.in_pieces) {
		d->key.len = 0;
		if (k->kind == JSCAN_STRING ? !jtext_undo(&d->key, jscan_inside(d->j.text, k))
					    : !buf_put(&d->key, d->j.text, d->j.text_len))
			return err_nomem(e);
		if (slice_eq(buf_slice(&d->key), SLICE("null")))
			return 0;
		d->has_time = seconds_get(buf_slice(&d->key), &d->time);
	}
	d->not_times += !d->has_time;
	return 0;
}

/*
 * Stores a member of the header for the run line if it is a string.  If it is repeated, the last
 * one is used.
 */
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

	d->units_known = true;
	d->headers++;
	d->units_unread |= d->j.in_pieces;
	if (d->j.in_pieces || t[0].kind != JSCAN_OBJECT)
		return 0;
	for (i = 1; !d->about.announced && i < t[0].next && rc == 0; i = t[i + 1].next)
		rc = take_text(d, &t[i], &t[i + 1], e);
	return rc == 0 ? typeunits_add(&d->units, d->j.text, t, e) : rc;
}

/* Writes the run line as soon as the format is known. */
static void
announce_at(struct decoder *d, enum place_kind kind)
{
	switch (kind) {
	case PLACE_MAP:
	case PLACE_RESOURCES:
	case PLACE_COMMONS:
	case PLACE_MODELS: put_run(d, SLICE("resources")); break;
	case PLACE_SNAPSHOTS:
	case PLACE_GLOBAL: put_run(d, SLICE("snapshots")); break;
	default:
		if (evw_held(d->w).len > HELD_MAX)
			put_run(d, SLICE("snapshots"));
	}
}

/* Returns true if resources come in that container, and their units or types are not yet known. */
static bool
needs_look(const struct decoder *d, enum place_kind kind)
{
	switch (kind) {
	case PLACE_MAP: return !d->map.known || !d->units_known;
	case PLACE_RESOURCES:
	case PLACE_SNAPSHOTS:
	case PLACE_GLOBAL: return !d->units_known;
	default: return false;
	}
}

static int container(struct decoder *d, enum place_kind kind, struct err *e);

/*
 * Reads the value at that kind of place.  C is its first byte, and INDEX or NAME its place in the
 * container.
 */
static int
value(struct decoder *d, enum place_kind kind, uint64_t index, struct slice name, int c,
    struct err *e)
{
	char bracket = place_bracket(kind);
	int rc;

	if (kind == PLACE_RESOURCE || kind == PLACE_MODEL)
		return element(d, kind == PLACE_MODEL, index, e);
	if (kind == PLACE_TYPE)
		return read_type(d, name, e);
	if (bracket != 0 && c == bracket)
		return container(d, kind, e);
	rc = header(d, e);
	if (rc == 0 && kind == PLACE_COMMON && !d->map.ahead)
		rc = keep_common(&d->map, name, &d->j, e);
	return rc;
}

/* Stores the data in a member that later lines need. */
static int
take_member(struct decoder *d, struct slice name, struct err *e)
{
	if (d->container != PLACE_DOCUMENT && slice_eq(name, SLICE("timestamps")))
		d->stamped = !d->j.in_pieces &&
		    slice_eq((struct slice){ d->j.text, d->j.text_len }, SLICE("\"ns\""));
	if (d->container != PLACE_DOCUMENT)
		return slice_eq(name, SLICE("time")) ? set_time(d, e) : 0;
	return slice_eq(name, SLICE("header")) ? take_header(d, e) : 0;
}

/* Returns true for a member that any profile has, other than places of resources or models. */
static bool
is_of_profile(struct slice name)
{
	return slice_eq(name, SLICE("origin")) || slice_eq(name, SLICE("header")) ||
	    slice_eq(name, SLICE("collector_info")) || slice_eq(name, SLICE("postprocessors"));
}

/*
 * Counts a member that occurs twice.  Both become lines, unlike in Perun, and a note says so.  Of
 * the common members of a type only the last are used, as in Perun.
 */
static int
look_for_repeat(struct decoder *d, struct slice name, struct err *e)
{
	struct place p = { .kind = place_within(d->container, name, '\0'), .name = name };
	bool again;
	int rc;

	d->top = d->container == PLACE_DOCUMENT ? p.kind : d->top;
	p.top = d->top;
	if (p.kind == PLACE_COMMON)
		return 0;
	rc = repeat_see(&d->repeat, &p, &again, e);
	return rc == 0 && again ? repeat_count(&d->repeat, &p, e) : rc;
}

static int
read_member(void *ctx, struct slice name, struct err *e)
{
	struct decoder *d = ctx;
	enum place_kind within = d->container, kind;
	size_t keep = d->pointer.len;
	int c, rc = jtext_push_name(&d->pointer, name) ? jscan_peek(&d->j, &c, e) : err_nomem(e);

	if (rc == 0)
		rc = look_for_repeat(d, name, e);
	if (rc != 0)
		return rc;
	kind = place_within(within, name, (char)c);
	if (within == PLACE_DOCUMENT) {
		d->has_members = true;
		d->is_profile |= kind != PLACE_MEMBER || is_of_profile(name);
		announce_at(d, kind);
	}
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

	if (rc == 0 && within == PLACE_SNAPSHOTS)
		rc = look_for_repeat(d, SLICE(""), e);
	if (rc == 0)
		rc = value(d, place_within(within, SLICE(""), (char)c), index, SLICE(""), c, e);
	d->pointer.len = keep;
	d->container = within;
	return rc == 0 && evw_failed(d->w) ? STOP : rc;
}

/* A time is that of one snapshot. */
static void
forget_time(struct decoder *d, enum place_kind kind)
{
	if (kind == PLACE_SNAPSHOT || kind == PLACE_GLOBAL)
		d->has_time = d->stamped = false;
}

/* Reads a container that has a line of its own, and its contents. */
static int
container(struct decoder *d, enum place_kind kind, struct err *e)
{
	char bracket = place_bracket(kind);
	int rc = needs_look(d, kind) ? look_ahead(d, e) : 0;

	put_open(d, bracket);
	d->container = kind;
	forget_time(d, kind);
	if (rc == 0 && bracket == '[') {
		rc = begin_list(d, e);
		return rc == 0 ? jscan_elements(&d->j, read_element, d, e) : rc;
	}
	if (rc == 0)
		rc = jscan_members(&d->j, read_member, d, e);
	forget_time(d, kind);
	d->map.known |= kind == PLACE_COMMONS;
	return rc;
}

static int
document(struct decoder *d, struct err *e)
{
	int c, rc = jscan_peek(&d->j, &c, e);

	if (rc != 0)
		return rc;
	if (c == -1 && d->j.line == 1 && d->j.column == 1)
		return err_data(e, "empty text");
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
	d->j.piece = put_piece;
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

/*
 * Reports an object that was read to its end, and is something else.  Perun itself takes one
 * without members, and other values, as profiles without resources.
 */
static void
judge(const struct decoder *d)
{
	struct err e;

	if (!d->has_members || d->is_profile || unpack_is_object(d->unpack))
		return;
	(void)err_data(&e,
	    "this is JSON, but not a Perun profile: it has none of origin, header, "
	    "collector_info, postprocessors, resources, snapshots, global and models");
	report_error(&d->opt->to, NULL, &e);
}

static void
say(const struct decoder *d)
{
	char text[256];

	say_count(d, d->large,
	    "resources, models or types are too large for a line and appear only as header lines");
	say_count(d, d->uneven,
	    "types of resources are not lists of one length and appear only as header lines");
	say_count(d, d->grown, "deeply nested resources or models lack some of their p. tags");
	say_count(d, d->not_times,
	    "times of snapshots are not numbers of seconds from 0 to 18446744073: their samples "
	    "have no time");
	if (d->map.full)
		report_note(&d->opt->to,
		    "the types of the resource map exceed 64 MiB: samples of the other types "
		    "have only the values that vary");
	say_count(d, d->map.large,
	    "types in resource_type_map are longer than 1 MiB: their samples have only the values "
	    "that vary");
	if (d->units_unread)
		report_note(&d->opt->to,
		    "the header is longer than 1 MiB: the units in it are not used");
	if (d->headers > 1)
		report_note(&d->opt->to,
		    "header appears twice: resources have the units in the one before them");
	if (repeat_note(&d->repeat, text, sizeof text))
		report_note(&d->opt->to, text);
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
	buf_free(&d->stack);
	mem_free(d->frame);
	flat_free(&d->flat);
	repeat_free(&d->repeat);
	buf_free(&d->about.app);
	buf_free(&d->about.args);
	buf_free(&d->about.workload);
	map_free(&d->map);
	typeunits_free(&d->units);
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
		put_run(&d, SLICE("snapshots"));
		if (rc == 0)
			judge(&d);
		say(&d);
	}
	end(&d);
	return rc;
}
