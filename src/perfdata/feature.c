/* SPDX-License-Identifier: ISC */
/* feature.c - the header features that other lines need: names, build ids, clocks. */
#include <string.h>

#include "lib/esc.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define STRING_MAX ((uint32_t)1024 * 1024)

/* u32 length, then so many bytes, of which a NUL ends the text. */
static bool
take_string(struct cur *c, struct slice *s)
{
	uint32_t len = cur_u32(c);
	struct cur text = cur_sub(c, len > STRING_MAX ? SIZE_MAX : len);

	s->p = cur_rest_string(&text, &s->len);
	return cur_ok(&text) && cur_ok(c);
}

static int
fact(struct buf *b, struct cur *c, struct err *e)
{
	struct slice s;

	if (!take_string(c, &s))
		return err_data(e, "header feature with a text beyond its end");
	b->len = 0;
	return esc_append(b, s.p, s.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

/* The words of the command, parted by blanks, as perf shows them. */
static int
command_line(struct decoder *d, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c), i;
	struct buf line = { 0 };
	struct slice s;
	int rc = 0;

	for (i = 0; rc == 0 && i < n; i++) {
		if (!take_string(c, &s))
			rc = err_data(e, "command line with a word beyond its end");
		else if ((i > 0 && !buf_putc(&line, ' ')) || !buf_put(&line, s.p, s.len))
			rc = err_nomem(e);
	}
	d->facts.cmdline.len = 0;
	if (rc == 0 && !esc_append(&d->facts.cmdline, line.p, line.len, ESC_COLUMN))
		rc = err_nomem(e);
	buf_free(&line);
	return rc;
}

static int
event_names(struct decoder *d, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c), attr_size = cur_u32(c), i, ids;
	struct slice name;

	for (i = 0; i < n; i++) {
		(void)cur_take(c, attr_size);
		ids = cur_u32(c);
		if (!take_string(c, &name) || ids > cur_left(c) / 8)
			return err_data(e, "event description %u reaches beyond its end", i);
		(void)cur_take(c, (size_t)ids * 8);
		if (i >= d->attrs || d->attr[i].named)
			continue;
		d->attr[i].named = true;
		if (attr_set_name(&d->attr[i], name, e) != 0)
			return e->code;
	}
	return 0;
}

/* Entries look like records, but their type is 0: they are walked by size alone. */
static int
build_ids(struct decoder *d, struct cur *c, struct err *e)
{
	while (cur_left(c) > 0) {
		struct cur head = *c;
		struct rec r = { .p = c->p };

		r.type = cur_u32(&head);
		r.misc = cur_u16(&head);
		r.size = cur_u16(&head);
		if (!cur_ok(&head) || r.size < REC_HEADER || cur_take(c, r.size) == NULL)
			return err_data(e, "build id list with an entry beyond its end");
		if (feature_build_id(d, &r, e) != 0)
			return e->code;
	}
	return 0;
}

static bool
is_zero(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i] == 0; i++)
		;
	return i == n;
}

/* Older recordings do not say how long an id is: shorter ones (MD5) end in words of zeros. */
static size_t
unsaid_length(const unsigned char *id)
{
	size_t len = BUILD_ID_MAX;

	while (len > 0 && is_zero(id + len - 4, 4))
		len -= 4;
	return len;
}

size_t
build_id_length(uint16_t misc, const unsigned char id[BUILD_ID_MAX], uint8_t said)
{
	if ((misc & MISC_BUILD_ID_SIZE) != 0 && said <= BUILD_ID_MAX)
		return said;
	return unsaid_length(id);
}

int
feature_build_id(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, d->big_endian);
	const unsigned char *id;
	struct slice path;
	size_t len;
	uint8_t said;

	(void)cur_u32(&c); /* pid */
	id = cur_take(&c, BUILD_ID_MAX);
	said = cur_u8(&c);
	(void)cur_take(&c, 3);
	path.p = cur_rest_string(&c, &path.len);
	if (!cur_ok(&c))
		return err_data(e, "build id entry of %u bytes is too short", r->size);
	len = build_id_length(r->misc, id, said);
	return is_zero(id, len) ? 0 : dsos_set_build_id(&d->dsos, path, id, len, e);
}

int
feature_read(struct decoder *d, unsigned feature, struct cur c, struct err *e)
{
	switch (feature) {
	case FEAT_HOSTNAME: return fact(&d->facts.host, &c, e);
	case FEAT_OSRELEASE: return fact(&d->facts.os, &c, e);
	case FEAT_VERSION: return fact(&d->facts.version, &c, e);
	case FEAT_ARCH: return fact(&d->facts.arch, &c, e);
	case FEAT_CMDLINE: return command_line(d, &c, e);
	case FEAT_EVENT_DESC: return event_names(d, &c, e);
	case FEAT_BUILD_ID: return build_ids(d, &c, e);
	case FEAT_CLOCK_DATA:
		(void)cur_u32(&c); /* version */
		(void)cur_u32(&c); /* clockid */
		d->facts.wall_ns = cur_u64(&c);
		d->facts.clock_ns = cur_u64(&c);
		d->facts.has_clock = cur_ok(&c);
		return 0;
	}
	return 0;
}
