/* SPDX-License-Identifier: ISC */
/* trace.c - the tracing data of a recording, and the tags of a tracepoint's samples. */
#include "src/perfdata/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cur.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"

/* ---- the formats of events in the tracing data */

static const unsigned char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

void
tracedata_free(struct tracedata *t)
{
	while (t->formats != NULL) {
		struct trace_format *next = t->formats->next;

		trace_format_free(t->formats);
		t->formats = next;
	}
	buf_free(&t->blob);
	mem_free(t->event);
	*t = (struct tracedata){ .event = NULL };
}

/* Reads a text up to its NUL, which is skipped. */
static struct slice
take_name(struct cur *c)
{
	struct slice s;

	s.p = cur_string(c, &s.len);
	return s;
}

/* Reads a u64 length, then that many bytes. */
static struct slice
take_text(struct cur *c)
{
	uint64_t n = cur_u64(c);
	struct slice s = { NULL, 0 };

	if (n > cur_left(c))
		c->bad = true;
	s.p = (const char *)cur_take(c, (size_t)n);
	if (s.p != NULL)
		s.len = (size_t)n;
	return s;
}

static bool
take_part(struct cur *c, const char *name)
{
	struct slice s = take_name(c);

	if (s.len != strlen(name) || memcmp(s.p, name, s.len) != 0)
		c->bad = true;
	(void)take_text(c);
	return cur_ok(c);
}

/* Stores the text after PREFIX on the line at *p in *rest, and skips the line. */
static bool
take_line(const char **p, const char *end, const char *prefix, struct slice *rest)
{
	size_t n = strlen(prefix);
	const char *lf = *p < end ? memchr(*p, '\n', (size_t)(end - *p)) : NULL;

	if (lf == NULL || (size_t)(lf - *p) < n || memcmp(*p, prefix, n) != 0)
		return false;
	rest->p = *p + n;
	rest->len = (size_t)(lf - rest->p);
	*p = lf + 1;
	return true;
}

static uint32_t
offset_of(const struct tracedata *t, struct slice s)
{
	return (uint32_t)(s.p - t->blob.p);
}

/*
 * Adds an event.  A text that does not begin like the kernel's is skipped, since no event could
 * refer to it.
 */
static int
add_event(struct tracedata *t, struct slice system, struct slice text, struct err *e)
{
	const char *p = text.p, *end = text.p + text.len;
	struct trace_event *to;
	struct slice name, id;
	uint64_t number;

	if (!take_line(&p, end, "name: ", &name) || !take_line(&p, end, "ID: ", &id) ||
	    !num_get_u64(id, &number))
		return 0;
	if (t->count == TRACE_EVENTS_MAX)
		return err_data(e, "more than %zu events", TRACE_EVENTS_MAX);
	if (!vec_room(t->event, t->count, t->cap))
		return err_nomem(e);
	to = &t->event[t->count++];
	*to = (struct trace_event){ .id = number };
	to->system = offset_of(t, system);
	to->system_len = (uint32_t)system.len;
	to->name = offset_of(t, name);
	to->name_len = (uint32_t)name.len;
	to->text = offset_of(t, text);
	to->text_len = (uint32_t)text.len;
	return 0;
}

static int
take_events(struct tracedata *t, struct cur *c, struct slice system, struct err *e)
{
	uint32_t n = cur_u32(c);

	for (; n > 0 && cur_ok(c); n--) {
		struct slice text = take_text(c);

		if (cur_ok(c) && add_event(t, system, text, e) != 0)
			return e->code;
	}
	return 0;
}

static int
take_systems(struct tracedata *t, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c);

	for (; n > 0 && cur_ok(c); n--)
		if (take_events(t, c, take_name(c), e) != 0)
			return e->code;
	return 0;
}

/* Compares by id.  If several events have the same id, the first one is used, as in perf. */
static int
compare(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->text < y->text ? -1 : x->text > y->text;
}

/* Skips the texts of the kernel's symbols and formats, and the names of tasks.  All are unused. */
static void
pass_rest(struct cur *c, struct slice version)
{
	(void)cur_take(c, cur_u32(c));
	(void)cur_take(c, cur_u32(c));
	if (version.len >= 3 && memcmp(version.p, "0.6", 3) >= 0)
		(void)take_text(c);
}

static struct slice
take_header(struct tracedata *t, struct cur *c)
{
	const unsigned char *begin = cur_take(c, sizeof magic);
	struct slice version;

	if (begin == NULL || memcmp(begin, magic, sizeof magic) != 0)
		c->bad = true;
	version = take_name(c);
	t->machine.big_endian = cur_u8(c) != 0;
	t->machine.long_size = cur_u8(c) == 4 ? 4 : 8;
	c->swap = t->machine.big_endian != cur_host_big();
	(void)cur_u32(c); /* the size of a page */
	return version;
}

int
tracedata_index(struct tracedata *t, struct err *e)
{
	struct slice version, ftrace = { t->blob.p, 0 };
	struct cur c;
	int rc = 0;

	t->count = 0;
	if (t->blob.len == 0)
		return err_data(e, "tracing data with a wrong beginning");
	c = cur_over(t->blob.p, t->blob.len, false);
	version = take_header(t, &c);
	if (!cur_ok(&c))
		return err_data(e, "tracing data with a wrong beginning");
	(void)take_part(&c, "header_page");
	(void)take_part(&c, "header_event");
	rc = take_events(t, &c, ftrace, e);
	if (rc == 0)
		rc = take_systems(t, &c, e);
	if (t->count > 0)
		qsort(t->event, t->count, sizeof *t->event, compare);
	if (rc != 0)
		return rc;
	pass_rest(&c, version);
	return cur_ok(&c)
	    ? 0
	    : err_data(e, "tracing data that end after %zu bytes, before they are complete",
		  (size_t)(c.p - (const unsigned char *)t->blob.p));
}

static struct trace_event *
find(const struct tracedata *t, uint64_t id)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->event[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->event[low].id == id ? &t->event[low] : NULL;
}

static struct slice
system_of(const struct tracedata *t, const struct trace_event *ev)
{
	/* the tracer's own events are in a list without a name */
	if (ev->system == 0)
		return SLICE("ftrace");
	return (struct slice){ t->blob.p + ev->system, ev->system_len };
}

int
tracedata_name(const struct tracedata *t, uint64_t id, struct buf *dst, struct err *e)
{
	const struct trace_event *ev = find(t, id);
	struct slice system;

	if (ev == NULL)
		return 0;
	system = system_of(t, ev);
	if (buf_put(dst, system.p, system.len) && buf_putc(dst, ':') &&
	    buf_put(dst, t->blob.p + ev->name, ev->name_len))
		return 0;
	return err_nomem(e);
}

int
tracedata_format(struct tracedata *t, uint64_t id, const struct trace_format **f, struct err *e)
{
	struct trace_event *ev = find(t, id);
	struct slice text;

	*f = NULL;
	if (ev == NULL || ev->bad)
		return 0;
	text = (struct slice){ t->blob.p + ev->text, ev->text_len };
	if (ev->format == NULL) {
		struct err why;

		if (trace_format_parse(text, t->machine, &ev->format, &why) != 0) {
			ev->bad = true;
			if (why.code != ERR_DATA) {
				*e = why;
				return why.code;
			}
			return err_data(e, "the format of the tracepoint with id %llu: %s",
			    (unsigned long long)id, why.msg);
		}
		ev->format->next = t->formats;
		t->formats = ev->format;
	}
	*f = ev->format;
	return 0;
}

/* ---- the raw bytes of a sample as tags */

/*
 * The kernel pads its structure to a multiple of at most 8.  It then pads the bytes so that,
 * together with the length before them, they are a multiple of 8, too.  Together that makes at most
 * 7 + 4 bytes.
 */
#define PADDING_MAX 11

/* The state while one sample's fields are printed. */
struct walk {
	struct evwrite *w;
	const unsigned char *raw;
	size_t n;
	bool big_endian;
	size_t end; /* end of the bytes that were printed or are known to be there */
	size_t budget; /* bytes left for located fields; they may not share any */
};

static uint64_t
take_number(struct cur *c, unsigned width)
{
	switch (width) {
	case 1: return cur_u8(c);
	case 2: return cur_u16(c);
	case 4: return cur_u32(c);
	}
	return cur_u64(c);
}

/* Sign-extends a number of WIDTH bytes to 64 bits. */
static int64_t
extend(uint64_t v, unsigned width)
{
	switch (width) {
	case 1: return (int8_t)v;
	case 2: return (int16_t)v;
	case 4: return (int32_t)v;
	}
	return (int64_t)v;
}

/* Writes an element of a list. */
static size_t
put_number(char *p, const struct trace_field *f, uint64_t v)
{
	if (f->kind == TRACE_POINTERS)
		return num_put_hex(p, v);
	return f->is_signed ? num_put_i64(p, extend(v, f->width)) : num_put_u64(p, v);
}

/* Writes a list.  Bytes that do not fill a whole element are padding. */
static void
put_list(struct evwrite *w, const struct trace_field *f, struct cur c)
{
	bool first = true;

	evw_tag_begin(w, f->key);
	while (cur_left(&c) >= f->width) {
		char *p = evw_room(w, NUM_MAX + 1);

		if (p == NULL)
			return;
		if (!first)
			*p++ = ';';
		first = false;
		evw_advance(w, p + put_number(p, f, take_number(&c, f->width)));
	}
	if (first)
		evw_bytes(w, ".", 1);
	evw_tag_end(w, f->key);
}

static void
put_field(struct evwrite *w, const struct trace_field *f, struct cur c)
{
	struct slice text;

	switch (f->kind) {
	case TRACE_INT:
		if (f->is_signed)
			evw_tag_i64(w, f->key, extend(take_number(&c, f->width), f->width));
		else
			evw_tag_u64(w, f->key, take_number(&c, f->width));
		break;
	case TRACE_POINTER: evw_tag_hex(w, f->key, take_number(&c, f->width)); break;
	case TRACE_TEXT:
		text.p = cur_rest_string(&c, &text.len);
		evw_tag_text(w, f->key, text);
		break;
	case TRACE_INTS:
	case TRACE_POINTERS: put_list(w, f, c); break;
	default:
		evw_tag_begin(w, f->key);
		evw_hex_bytes(w, c.p, cur_left(&c));
		evw_tag_end(w, f->key);
	}
}

/* Finds the field's bytes.  Returns false if some of them are missing. */
static bool
locate(struct walk *k, const struct trace_field *f, struct cur *c)
{
	size_t at = f->offset, size = f->size;

	if (at > k->n || size > k->n - at)
		return false;
	if (f->storage == TRACE_TO_END) {
		size = k->n - at;
	} else if (f->storage != TRACE_HERE) {
		struct cur loc = cur_over(k->raw + at, size, k->big_endian);
		uint32_t where = cur_u32(&loc);

		at = (where & 0xffff) + (f->storage == TRACE_REL_LOC ? at + size : 0);
		size = where >> 16;
		if (size == 0)
			at = 0;
		if (at > k->n || size > k->n - at || size > k->budget)
			return false;
		k->budget -= size;
	}
	if (at + size > k->end)
		k->end = at + size;
	*c = cur_over(k->raw + at, size, k->big_endian);
	return true;
}

/* Finds the Nth of several texts. */
static bool
locate_text(struct walk *k, const struct trace_field *f, size_t n, struct cur *c)
{
	const struct trace_field one = { .offset = f->offset + (uint32_t)(n * 4),
		.size = 4,
		.storage = TRACE_LOC };

	return locate(k, &one, c);
}

/* Writes several texts as a list.  Returns false if bytes of any of them are missing. */
static bool
put_texts(struct walk *k, const struct trace_field *f)
{
	struct walk ahead = *k;
	size_t count = f->size / 4, i;
	struct slice text;
	struct cur c = { 0 };

	for (i = 0; i < count; i++)
		if (!locate_text(&ahead, f, i, &c))
			return false;
	evw_tag_begin(k->w, f->key);
	for (i = 0; i < count; i++) {
		(void)locate_text(k, f, i, &c); /* as just before */
		text.p = cur_rest_string(&c, &text.len);
		evw_bytes(k->w, ";", i != 0);
		evw_element(k->w, text);
	}
	evw_tag_end(k->w, f->key);
	return true;
}

static bool
put_found(struct walk *k, const struct trace_field *f)
{
	struct cur c;

	if (f->kind == TRACE_TEXTS)
		return put_texts(k, f);
	if (!locate(k, f, &c))
		return false;
	put_field(k->w, f, c);
	return true;
}

enum trace_rest
trace_format_put(struct evwrite *w, const struct trace_format *f, bool with_common,
    const unsigned char *raw, size_t n)
{
	struct walk k = { w, raw, n, f->big_endian, f->end, n };
	bool whole = true;
	size_t i;

	for (i = with_common ? 0 : f->common; i < f->count; i++)
		whole = put_found(&k, &f->field[i]) && whole;
	if (!whole)
		return TRACE_SHORT;
	return n > k.end && n - k.end > PADDING_MAX ? TRACE_MORE : TRACE_ALL;
}
