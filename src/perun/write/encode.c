/* SPDX-License-Identifier: ISC */
/* encode.c - a stream to a Perun profile. */
#include "src/perun/write/encode.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spool.h"
#include "src/perun/write/convert.h"
#include "src/perun/write/doc.h"
#include "src/perun/write/plain.h"
#include "src/perun/profile.h"
#include "src/perun/repeat.h"

#define CHUNK ((size_t)64 * 1024)
#define LABEL_MAX 64
#define SHA1_BYTES 20

/* What the stream was made from, as its first lines say. */
enum origin { UNKNOWN, PERUN, OTHER };

enum note { NOTE_KINDS, NOTE_TEXTLESS, NOTE_VALUELESS, NOTE_UNITS, NOTE_TAGS, NOTE_RUNS, NOTES };

struct perun_encode {
	struct out *o; /* what was asked for */
	struct spool spool; /* PERUN_PACK, PERUN_NAME: the document */
	enum perun_form form;
	enum origin origin;
	struct doc doc;
	struct plain plain;
	struct convert *convert; /* NULL: the format stays */
	struct repeat repeat; /* of what is converted */
	struct profile profile;
	uint64_t part; /* parts so far of a value that is converted; 0: none is open */
	struct buf json; /* scratch */
	bool ended; /* the lines */
	bool wants_origin;
	uint64_t resources; /* of OTHER */
	uint64_t left_out[NOTES];
};

struct perun_encode *
perun_encode_open(struct out *o, enum perun_form form, enum perun_format format, struct err *e)
{
	struct perun_encode *x = mem_zero(1, sizeof *x);
	bool plain = form == PERUN_PLAIN;
	int rc = x == NULL ? err_nomem(e) : 0;

	if (rc != 0)
		return NULL;
	x->o = o;
	x->form = form;
	if (!plain)
		rc = spool_open(&x->spool, e);
	if (rc == 0 && !doc_open(&x->doc, plain ? o : &x->spool.out, !plain))
		rc = err_nomem(e);
	if (rc == 0 && format != PERUN_AS_IT_IS) {
		x->convert = convert_open(&x->doc,
		    format == PERUN_RESOURCES ? CONVERT_TO_MAP : CONVERT_TO_SNAPSHOTS);
		if (x->convert == NULL)
			rc = err_nomem(e);
	}
	if (rc != 0) {
		perun_encode_close(x);
		return NULL;
	}
	return x;
}

void
perun_encode_close(struct perun_encode *x)
{
	if (x == NULL)
		return;
	spool_close(&x->spool);
	convert_close(x->convert);
	doc_close(&x->doc);
	plain_free(&x->plain);
	repeat_free(&x->repeat);
	profile_free(&x->profile);
	buf_free(&x->json);
	mem_free(x);
}

void
perun_encode_want_origin(struct perun_encode *x)
{
	x->wants_origin = true;
}

/* To the document, or to what converts it. */
static int
put_container(struct perun_encode *x, const struct place *p, char bracket, struct err *e)
{
	return x->convert != NULL ? convert_container(x->convert, p, bracket, e)
				  : doc_container(&x->doc, p->pointer, bracket, e);
}

static int
put_value(struct perun_encode *x, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	return x->convert != NULL ? convert_value(x->convert, p, json, number, e)
				  : doc_value(&x->doc, p, json, e);
}

/* A part of a value; what is converted has to be whole. */
static int
put_part(struct perun_encode *x, struct profile_item *item, struct err *e)
{
	bool whole;
	int rc;

	if (item->part == 0)
		return err_data(e, "a part without its number");
	if (x->convert == NULL || !convert_owns(x->convert, &item->place))
		return doc_part(&x->doc, &item->place, item->json, item->part, item->last, e);
	rc = doc_next_part(&x->part, item->part, item->last, e);
	if (rc == 0)
		rc = profile_join(&x->profile, item, &whole, e);
	if (rc != 0 || !whole)
		return rc;
	if (item->json.len > JSCAN_VALUE_MAX)
		return err_data(e, "a value of more than 16 MiB: this cannot be converted");
	return put_value(x, &item->place, item->json, item->line, e);
}

/* Members that occur twice are converted each time, unlike in Perun; a note reports it. */
static int
look_for_repeat(struct perun_encode *x, const struct profile_item *item, struct err *e)
{
	bool again;
	int rc;

	if (x->convert == NULL || (item->is_part && item->part != 1))
		return 0;
	rc = repeat_see(&x->repeat, &item->place, &again, e);
	if (rc == 0 && again && convert_owns(x->convert, &item->place))
		rc = repeat_count(&x->repeat, &item->place, e);
	return rc;
}

/* A container, a value, or a part of one. */
static int
take_header(struct perun_encode *x, struct profile_item *item, struct err *e)
{
	int rc = look_for_repeat(x, item, e);

	if (rc != 0)
		return rc;
	if (item->is_part)
		return put_part(x, item, e);
	if (slice_eq(item->json, SLICE("{")) || slice_eq(item->json, SLICE("[")))
		return put_container(x, &item->place, item->json.p[0], e);
	return put_value(x, &item->place, item->json, item->line, e);
}

static bool
is_kind(const struct ev *ev, const char *kind)
{
	return slice_eq(ev->col[EV_KIND], slice_of(kind));
}

/*
 * Did the stream come from a document?  The first line that shows it decides; a run of perundec's
 * does not, since afagg passes it on.
 */
static enum origin
origin_of(const struct ev *ev)
{
	struct slice v, region = ev->col[EV_REGION];

	if (is_kind(ev, "header") && (slice_is_nothing(region) || region.p[0] == '/'))
		return PERUN;
	if (ev_tag(ev, SLICE("json"), &v) && ev_tag(ev, SLICE("at"), &v))
		return PERUN;
	if (is_kind(ev, "sample") || is_kind(ev, "span") || is_kind(ev, "agg"))
		return OTHER;
	return UNKNOWN;
}

static int
take_perun(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	struct profile_item item;
	int rc = profile_part(&x->profile, ev, &item, e);

	if (rc != 0)
		return rc;
	if (item.kind == PROFILE_HEADER)
		return take_header(x, &item, e);
	if (item.kind != PROFILE_NONE)
		return put_value(x, &item.place, item.json, item.line, e);
	if (is_kind(ev, "sample") || is_kind(ev, "model") || is_kind(ev, "agg") ||
	    is_kind(ev, "span"))
		x->left_out[NOTE_TEXTLESS]++;
	else
		x->left_out[NOTE_KINDS] += !is_kind(ev, "run");
	return 0;
}

/* A container or a value at that pointer. */
static int
put_at(struct perun_encode *x, struct slice pointer, struct slice json, uint64_t number,
    struct err *e)
{
	struct place p = place_of(pointer);

	return json.len == 1 && (json.p[0] == '{' || json.p[0] == '[')
	    ? put_container(x, &p, json.p[0], e)
	    : put_value(x, &p, json, number, e);
}

/* The members that come before the first resource. */
static int
begin_other(struct perun_encode *x, struct err *e)
{
	static const struct slice first[][2] = { { { "", 0 }, { "{", 1 } },
		{ { "/snapshots", 10 }, { "[", 1 } }, { { "/snapshots/0", 12 }, { "{", 1 } },
		{ { "/snapshots/0/time", 17 }, { "\"0.0\"", 5 } },
		{ { "/snapshots/0/resources", 22 }, { "[", 1 } } };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < sizeof first / sizeof first[0]; i++)
		rc = put_at(x, first[i][0], first[i][1], 0, e);
	return rc;
}

static int
put_other(struct perun_encode *x, uint64_t number, struct err *e)
{
	static const char prefix[] = "/snapshots/0/resources/";
	char pointer[sizeof prefix + NUM_MAX];
	size_t n = sizeof prefix - 1;
	int rc = x->resources == 0 ? begin_other(x, e) : 0;

	memcpy(pointer, prefix, n);
	n += num_put_u64(pointer + n, x->resources++);
	return rc != 0 ? rc
		       : put_at(x, (struct slice){ pointer, n }, buf_slice(&x->json), number, e);
}

static int
take_other(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	enum plain_got got = PLAIN_VALUELESS;
	int rc;

	if (is_kind(ev, "run"))
		return plain_run(&x->plain, ev, e);
	if (is_kind(ev, "measure"))
		return plain_measure(&x->plain, ev, e);
	if (!is_kind(ev, "sample") && !is_kind(ev, "span") && !is_kind(ev, "agg")) {
		x->left_out[NOTE_KINDS]++;
		return 0;
	}
	x->json.len = 0;
	rc = plain_resource(&x->plain, ev, &x->json, &got, e);
	if (rc == 0 && got == PLAIN_RESOURCE)
		return put_other(x, ev->number, e);
	x->left_out[NOTE_VALUELESS] += rc == 0 && got == PLAIN_VALUELESS;
	return rc;
}

int
perun_encode_line(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	int rc;

	if (x->origin == UNKNOWN)
		x->origin = origin_of(ev);
	rc = x->origin == PERUN ? take_perun(x, ev, e) : take_other(x, ev, e);
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

/* A member that comes after the resources; these are written first. */
static int
end_with(struct perun_encode *x, struct slice pointer, struct slice json, struct err *e)
{
	struct place p = place_of(pointer);

	return doc_value(&x->doc, &p, json, e);
}

static int
end_other(struct perun_encode *x, struct err *e)
{
	int rc = x->resources == 0 ? begin_other(x, e) : 0;

	x->left_out[NOTE_RUNS] = x->plain.runs;
	x->left_out[NOTE_TAGS] = x->plain.tags;
	x->left_out[NOTE_UNITS] = x->plain.others;
	x->json.len = 0;
	if (rc == 0)
		rc = plain_header(&x->plain, &x->json, e);
	if (rc == 0)
		rc = end_with(x, SLICE("/header"), buf_slice(&x->json), e);
	x->json.len = 0;
	if (rc == 0)
		rc = plain_collector(&x->plain, &x->json, e);
	if (rc == 0)
		rc = end_with(x, SLICE("/collector_info"), buf_slice(&x->json), e);
	return rc == 0 ? end_with(x, SLICE("/postprocessors"), SLICE("[]"), e) : rc;
}

/* SHA-1 (FIPS 180-4, 6.1). */
struct sha1 {
	uint32_t h[5];
	uint64_t len;
	unsigned char block[64];
};

static uint32_t
rotate(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

static void
sha1_begin(struct sha1 *s)
{
	*s = (struct sha1){ .h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } };
}

static void
take_block(struct sha1 *s)
{
	static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], f, next;
	const unsigned char *p = s->block;
	unsigned i;

	for (i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (i = 0; i < 80; i++) {
		f = i < 20              ? (b & c) | (~b & d)
		    : i < 40 || i >= 60 ? b ^ c ^ d
					: (b & c) | (b & d) | (c & d);
		next = rotate(a, 5) + f + e + k[i / 20] + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

static void
sha1_add(struct sha1 *s, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n > 0) {
		size_t have = s->len % 64, part = 64 - have < n ? 64 - have : n;

		memcpy(s->block + have, p, part);
		s->len += part;
		p += part;
		n -= part;
		if (s->len % 64 == 0)
			take_block(s);
	}
}

static void
sha1_end(struct sha1 *s, unsigned char digest[SHA1_BYTES])
{
	static const unsigned char pad[64] = { 0x80 };
	uint64_t bits = s->len * 8;
	unsigned char length[8];
	unsigned i;

	for (i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha1_add(s, pad, 1 + (119 - s->len % 64) % 64);
	sha1_add(s, length, sizeof length);
	for (i = 0; i < SHA1_BYTES; i++)
		digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

/* Takes the object's bytes in their order; last: there are no more. */
typedef int take_bytes(void *ctx, const void *data, size_t n, bool last, struct err *e);

/*
 * Perun's object of a document (perun/logic/commands.py: add): the label with its NUL, then the
 * document, compressed as Python's zlib.compress does.  Its name is the SHA-1 of both.
 */
static int
each_chunk(struct spool *doc, struct slice type, take_bytes *take, void *ctx, struct err *e)
{
	char label[LABEL_MAX], chunk[CHUNK];
	int rc = spool_rewind(doc, e), n;
	off_t len, at;
	size_t got = 1;

	if (rc != 0)
		return rc;
	len = lseek(doc->file.fd, 0, SEEK_END);
	if (len < 0)
		return err_sys(e, EIO, "cannot read the temporary file");
	n = snprintf(label, sizeof label, "profile %.*s %llu", (int)type.len, type.p,
	    (unsigned long long)len);
	rc = take(ctx, label, (size_t)n + 1, false, e);
	for (at = 0; rc == 0 && at < len; at += (off_t)got) {
		rc = spool_read(doc, chunk, CHUNK, &got, e);
		if (rc == 0 && got == 0)
			rc = err_data(e, "the temporary file has become shorter");
		if (rc == 0)
			rc = take(ctx, chunk, got, at + (off_t)got == len, e);
	}
	return rc;
}

struct packer {
	z_stream z;
	struct out *o;
};

static int
take_zlib(void *ctx, const void *data, size_t n, bool last, struct err *e)
{
	struct packer *p = ctx;
	unsigned char input[CHUNK];
	char *room;

	memcpy(input, data, n);
	p->z.next_in = input;
	p->z.avail_in = (uInt)n;
	do {
		room = out_room(p->o, CHUNK);
		if (room == NULL)
			return err_nomem(e);
		p->z.next_out = (unsigned char *)room;
		p->z.avail_out = CHUNK;
		if (deflate(&p->z, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
			return err_data(e, "zlib refuses to go on");
		out_commit(p->o, CHUNK - p->z.avail_out);
	} while (p->z.avail_out == 0);
	return 0;
}

static int
pack_object(struct out *o, struct spool *doc, struct slice type, struct err *e)
{
	struct packer p = { .o = o };
	int rc;

	if (deflateInit(&p.z, Z_DEFAULT_COMPRESSION) != Z_OK)
		return err_nomem(e);
	rc = each_chunk(doc, type, take_zlib, &p, e);
	(void)deflateEnd(&p.z);
	return rc;
}

static int
take_sha1(void *ctx, const void *data, size_t n, bool last, struct err *e)
{
	(void)last;
	(void)e;
	sha1_add(ctx, data, n);
	return 0;
}

static int
pack_name(struct out *o, struct spool *doc, struct slice type, struct err *e)
{
	unsigned char digest[SHA1_BYTES];
	char text[2 * SHA1_BYTES + 2];
	struct sha1 s;
	int rc, i;

	sha1_begin(&s);
	rc = each_chunk(doc, type, take_sha1, &s, e);
	if (rc != 0)
		return rc;
	sha1_end(&s, digest);
	for (i = 0; i < SHA1_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	text[2 * SHA1_BYTES] = '\n';
	out_put(o, text, 2 * SHA1_BYTES + 1);
	return 0;
}

static int
pack(struct perun_encode *x, struct err *e)
{
	struct slice type = buf_slice(&x->doc.type);

	if (x->spool.out.error == 0 && x->wants_origin && !x->doc.has_origin)
		return err_data(e, "the profile has no 'origin': Perun would not pack it");
	if (x->spool.out.error == 0 && !x->doc.has_type)
		return err_data(e, "the header has no type: this cannot be packed");
	if (x->spool.out.error == 0 && !slice_eq(type, SLICE("memory")) &&
	    !slice_eq(type, SLICE("mixed")) && !slice_eq(type, SLICE("time")))
		return err_data(e,
		    "header.type is none of memory, mixed and time: Perun would "
		    "not read the object");
	if (x->form == PERUN_NAME)
		return pack_name(x->o, &x->spool, type, e);
	return pack_object(x->o, &x->spool, type, e);
}

/* The header of a document that was none. */
static int
end_lines(struct perun_encode *x, struct err *e)
{
	x->ended = true;
	if (x->part != 0)
		return err_data(e, "the last parts of a value are missing");
	return x->origin == PERUN || (x->origin == UNKNOWN && x->plain.perun) ? 0 : end_other(x, e);
}

bool
perun_encode_rest(struct perun_encode *x, int *rc, struct err *e)
{
	bool more = x->convert != NULL;

	*rc = x->ended ? 0 : end_lines(x, e);
	if (*rc == 0 && more)
		*rc = convert_end(x->convert, &more, e);
	return more && *rc != ERR_SYS;
}

int
perun_encode_end(struct perun_encode *x, struct err *e)
{
	int rc = doc_end(&x->doc, e);

	if (rc == 0 && x->form != PERUN_PLAIN)
		rc = pack(x, e);
	return rc;
}

bool
perun_encode_note(const struct perun_encode *x, size_t *at, char *text, size_t size)
{
	static const char *const words[NOTES] = {
		[NOTE_KINDS] = "left out %llu lines of other kinds",
		[NOTE_TEXTLESS] = "left out %llu lines without json= and at=: nowhere to put them",
		[NOTE_VALUELESS] = "left out %llu lines without a value",
		[NOTE_UNITS] =
		    "left out %llu lines in other units than their measure's first: %.*s",
		[NOTE_TAGS] = "left out %llu tags: resources have no place for them",
		[NOTE_RUNS] = "%llu more runs: the header is that of the first",
	};
	bool more;

	for (; *at < NOTES; ++*at) {
		if (x->left_out[*at] == 0)
			continue;
		snprintf(text, size, words[*at], (unsigned long long)x->left_out[*at],
		    (int)x->plain.other_names.len,
		    x->plain.other_names.len == 0 ? "" : x->plain.other_names.p);
		++*at;
		return true;
	}
	if (x->convert == NULL)
		return false;
	if (*at == NOTES) {
		++*at;
		if (repeat_note(&x->repeat, text, size))
			return true;
	}
	*at -= NOTES + 1;
	more = convert_note(x->convert, at, text, size);
	*at += NOTES + 1;
	return more;
}
