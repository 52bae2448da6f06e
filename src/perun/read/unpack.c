/* SPDX-License-Identifier: ISC */
/* unpack.c - the text of a profile, from a plain file or from one of Perun's objects. */
#include "src/perun/read/unpack.h"

#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "lib/guess.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/out.h"

#define HEAD ((size_t)64 * 1024)
#define RAW ((size_t)64 * 1024)
#define LABEL_MAX ((size_t)64) /* bytes of an object's first words */

struct unpack {
	struct in in;
	bool open, packed, ended, inflating;
	uint64_t at; /* offset in the file after the bytes read */
	char raw[RAW]; /* bytes that have been read but not inflated */
	size_t raw_at, raw_len;
	z_stream z;
	uint64_t characters, promised; /* in an object's text: so far; by its label */
	char head[HEAD + 1];
	size_t head_at, head_len;
	uint64_t hash;
	struct in spool; /* fd is -1 if there is none */
	uint64_t spool_at;
	bool has_rest;
};

struct unpack *
unpack_new(void)
{
	struct unpack *s = mem_zero(1, sizeof *s);

	if (s != NULL)
		s->spool.fd = -1;
	return s;
}

void
unpack_close(struct unpack *s)
{
	if (s == NULL)
		return;
	if (s->inflating)
		(void)inflateEnd(&s->z);
	if (s->spool.fd >= 0)
		in_close(&s->spool);
	if (s->open)
		in_close(&s->in);
	mem_free(s);
}

uint64_t
unpack_hash(const struct unpack *s)
{
	return s->hash;
}

bool
unpack_is_object(const struct unpack *s)
{
	return s->packed;
}

bool
unpack_has_rest(const struct unpack *s)
{
	return s->has_rest;
}

static int
raw_more(struct unpack *s, struct err *e)
{
	int rc = in_read(&s->in, s->raw, RAW, &s->raw_len, e);

	s->raw_at = 0;
	s->at += s->raw_len;
	return rc;
}

/* Checks that the object's text has the length that its label gives. */
static int
check_length(const struct unpack *s, struct err *e)
{
	if (s->characters == s->promised)
		return 0;
	return err_data(e, "the packed text has %llu characters, but its header gives %llu",
	    (unsigned long long)s->characters, (unsigned long long)s->promised);
}

/* Handles the end of the object. */
static int
end_of_object(struct unpack *s, struct err *e)
{
	int rc;

	s->ended = true;
	if (s->raw_at == s->raw_len && (rc = raw_more(s, e)) != 0)
		return rc;
	s->has_rest = s->raw_at != s->raw_len;
	return check_length(s, e);
}

static int
inflate_some(struct unpack *s, char *dst, size_t n, size_t *got, struct err *e)
{
	int rc = Z_OK, err;
	size_t i;

	s->z.next_out = (unsigned char *)dst;
	s->z.avail_out = (uInt)n;
	while (s->z.avail_out == n && rc != Z_STREAM_END) {
		if (s->raw_at == s->raw_len && (err = raw_more(s, e)) != 0)
			return err;
		if (s->raw_len == 0)
			return err_byte(e, s->at, "the packed object ends too early");
		s->z.next_in = (unsigned char *)s->raw + s->raw_at;
		s->z.avail_in = (uInt)(s->raw_len - s->raw_at);
		rc = inflate(&s->z, Z_NO_FLUSH);
		s->raw_at = s->raw_len - s->z.avail_in;
		if (rc == Z_MEM_ERROR)
			return err_nomem(e);
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			return err_byte(e, s->at - (s->raw_len - s->raw_at),
			    "the packed object is damaged");
	}
	*got = n - s->z.avail_out;
	for (i = 0; i < *got; i++)
		s->characters += ((unsigned char)dst[i] & 0xc0) != 0x80;
	return rc == Z_STREAM_END ? end_of_object(s, e) : 0;
}

static int
text_more(struct unpack *s, char *dst, size_t n, size_t *got, struct err *e)
{
	int rc;

	*got = 0;
	if (s->ended)
		return 0;
	if (s->packed)
		return inflate_some(s, dst, n, got, e);
	if (s->raw_at < s->raw_len) {
		*got = s->raw_len - s->raw_at < n ? s->raw_len - s->raw_at : n;
		memcpy(dst, s->raw + s->raw_at, *got);
		s->raw_at += *got;
		return 0;
	}
	rc = in_read(&s->in, dst, n, got, e);
	s->at += *got;
	s->ended = *got == 0;
	return rc;
}

static int
head_fill(struct unpack *s, struct err *e)
{
	size_t got = 1;
	int rc = 0;

	while (rc == 0 && got != 0 && s->head_len < HEAD) {
		rc = text_more(s, s->head + s->head_len, HEAD - s->head_len, &got, e);
		s->head_len += got;
	}
	s->head[s->head_len] = '\0';
	return rc;
}

/*
 * Reads a length, which is not empty, as Python's int() does: it may have a plus sign, single
 * underscores between digits, and leading zeros.
 */
static bool
get_length(struct slice s, uint64_t *length)
{
	char digits[LABEL_MAX];
	size_t i = s.p[0] == '+', n = 0, zeros = 0;

	for (; i < s.len; i++)
		if (s.p[i] != '_')
			digits[n++] = s.p[i];
		else if (n == 0 || s.p[i - 1] == '_' || i + 1 == s.len)
			return false;
	while (zeros + 1 < n && digits[zeros] == '0')
		zeros++;
	return num_get_u64((struct slice){ digits + zeros, n - zeros }, length);
}

/* Reads "profile TYPE LENGTH", which precedes the text. */
static int
read_label(struct unpack *s, struct err *e)
{
	static const struct slice types[] = { { "memory", 6 }, { "mixed", 5 }, { "time", 4 } };
	struct slice rest = { s->head, 0 };
	size_t i;

	while (rest.len < LABEL_MAX && s->head[rest.len] != '\0')
		rest.len++;
	if (rest.len >= s->head_len || rest.len < 8 || memcmp(rest.p, "profile ", 8) != 0)
		return err_data(e, "not a packed Perun profile");
	s->head_at = rest.len + 1;
	s->characters -= s->head_at;
	rest.p += 8;
	rest.len -= 8;
	for (i = 0; i < 3; i++)
		if (rest.len > types[i].len + 1 && memcmp(rest.p, types[i].p, types[i].len) == 0 &&
		    rest.p[types[i].len] == ' ')
			break;
	if (i == 3)
		return err_data(e, "a packed profile of a type that Perun does not have");
	rest.p += types[i].len + 1;
	rest.len -= types[i].len + 1;
	if (!get_length(rest, &s->promised))
		return err_data(e, "a packed profile without its length");
	return 0;
}

/*
 * Returns true if the file begins like Perun's objects, which are compressed with the largest
 * window.  With a smaller one, "80" would be such a beginning, too.
 */
static bool
is_zlib(const struct unpack *s)
{
	unsigned a = (unsigned char)s->raw[0], b = (unsigned char)s->raw[1];

	return s->raw_len >= 2 && a == 0x78 && (a << 8 | b) % 31 == 0;
}

int
unpack_open(struct unpack *s, const char *name, struct err *e)
{
	off_t from;
	int rc = in_open(&s->in, name, e);

	if (rc != 0)
		return rc;
	s->open = true;
	from = s->in.seekable ? lseek(s->in.fd, 0, SEEK_CUR) : 0;
	s->at = from > 0 ? (uint64_t)from : 0;
	rc = in_fill(&s->in, s->raw, RAW, &s->raw_len, e);
	s->at += s->raw_len;
	if (rc == 0)
		rc = guess_refuse(s->raw, s->raw_len, GUESS_PERUN, e);
	if (rc != 0)
		return rc;
	if (is_zlib(s)) {
		if (inflateInit(&s->z) != Z_OK)
			return err_nomem(e);
		s->packed = s->inflating = true;
		s->promised = UINT64_MAX;
	}
	rc = head_fill(s, e);
	/* a short object ends before its label is read, so its length is checked only here */
	if (s->packed && (rc == 0 || (rc == ERR_DATA && s->ended)))
		rc = read_label(s, e);
	if (rc == 0 && s->packed && s->ended)
		rc = check_length(s, e);
	s->hash = XXH64(s->head + s->head_at, s->head_len - s->head_at, 0);
	return rc;
}

int
unpack_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct unpack *s = ctx;
	int rc;

	if (s->spool.fd >= 0) {
		rc = in_read_at(&s->spool, s->spool_at, dst, n, got, e);
		s->spool_at += *got;
		return rc;
	}
	if (s->head_at == s->head_len)
		return text_more(s, dst, n, got, e);
	*got = s->head_len - s->head_at < n ? s->head_len - s->head_at : n;
	memcpy(dst, s->head + s->head_at, *got);
	s->head_at += *got;
	return 0;
}

/* Copies AHEAD and then the rest of the text to a temporary file. */
static int
spool(struct unpack *s, struct slice ahead, struct err *e)
{
	struct out o;
	size_t got = 1;
	int fd, rc = in_temp(&fd, e);

	if (rc != 0)
		return rc;
	if (!out_open(&o, fd)) {
		(void)close(fd);
		return err_nomem(e);
	}
	out_put(&o, ahead.p, ahead.len);
	while (rc == 0 && got != 0 && o.error == 0) {
		char *p = out_room(&o, RAW);

		if (p == NULL)
			break;
		rc = unpack_fill(s, p, RAW, &got, e);
		out_commit(&o, got);
	}
	(void)out_flush(&o);
	if (rc == 0 && o.error != 0)
		rc = err_sys(e, o.error, "cannot write the temporary file");
	out_free(&o);
	s->spool = (struct in){ .fd = fd, .ours = true, .seekable = true };
	s->spool_at = ahead.len;
	return rc;
}

int
unpack_look(struct unpack *s, struct slice ahead, struct unpack_look *look, struct err *e)
{
	int rc = 0;

	*look = (struct unpack_look){ .s = s };
	if (s->spool.fd >= 0) {
		look->at = s->spool_at - ahead.len;
	} else if (s->in.seekable && !s->packed) {
		look->at =
		    s->at - (s->head_len - s->head_at) - ahead.len - (s->raw_len - s->raw_at);
	} else {
		rc = spool(s, ahead, e);
	}
	return rc;
}

int
unpack_look_fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct unpack_look *look = ctx;
	struct in *in = look->s->spool.fd >= 0 ? &look->s->spool : &look->s->in;
	int rc = in_read_at(in, look->at, dst, n, got, e);

	look->at += *got;
	return rc;
}
