/* SPDX-License-Identifier: ISC */
/* docpart.c - values that come in parts. */
#include <unistd.h>

#include "lib/in.h"
#include "src/perun/write/docint.h"

#define GATHER_MAX ((size_t)1 << 30) /* of a value in parts that is spelled anew */
#define PIECE ((size_t)1024 * 1024)

void
doc_close_parts(struct docwrite *d)
{
	if (!d->has_parts)
		return;
	(void)close(d->parts.fd);
	out_free(&d->parts);
	d->has_parts = false;
}

static int
begin_parts(struct docwrite *d, struct err *e)
{
	int fd, rc;

	doc_close_parts(d);
	rc = in_temp(&fd, e);
	if (rc != 0)
		return rc;
	d->has_parts = true;
	if (!out_open(&d->parts, fd)) {
		d->parts.fd = fd;
		return err_nomem(e);
	}
	return 0;
}

/* The parts again, from the temporary file. */
struct again {
	struct in in;
	uint64_t at;
};

static int
fill_again(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct again *a = ctx;
	int rc = in_read_at(&a->in, a->at, dst, n, got, e);

	a->at += *got;
	return rc;
}

static int
ignore(void *ctx, struct slice text, struct err *e)
{
	(void)ctx;
	(void)text;
	(void)e;
	return 0;
}

static int
write_out(void *ctx, struct slice text, struct err *e)
{
	(void)e;
	doc_put(ctx, text);
	return 0;
}

/* Reads all parts as one JSON text, which goes to TAKE. */
static int
read_parts(struct docwrite *d, int (*take)(void *ctx, struct slice text, struct err *e),
    struct err *e)
{
	struct again a = { .in = { .fd = d->parts.fd, .seekable = true } };
	struct jscan j = { .fill = fill_again, .ctx = &a, .piece = take, .piece_ctx = d };
	int rc, c = 0;

	if (!jscan_open(&j))
		return err_nomem(e);
	rc = jscan_value(&j, PIECE, e);
	if (rc == 0)
		rc = take(d, (struct slice){ j.text, j.text_len }, e);
	if (rc == 0)
		rc = jscan_peek(&j, &c, e);
	if (rc == 0 && c != -1)
		rc = jscan_expected(&j, "the end", e);
	if (rc == ERR_DATA)
		e->place = ERR_NOWHERE;
	jscan_close(&j);
	return rc;
}

/* All parts are there: checked, then written. */
static int
end_parts(struct docwrite *d, struct slice pointer, struct err *e)
{
	int rc = 0;

	if (!out_flush(&d->parts))
		return err_sys(e, d->parts.error, "cannot write the temporary file");
	rc = read_parts(d, ignore, e);
	if (rc == 0 && pointer.len == 0 && !d->begun)
		d->begun = d->ended = true;
	else if (rc == 0)
		rc = doc_go_to(d, pointer, e);
	if (rc == 0)
		rc = read_parts(d, write_out, e);
	doc_close_parts(d);
	return rc;
}

static int
gather(struct docwrite *d, struct slice json, struct err *e)
{
	if (d->gathered.len + json.len > GATHER_MAX)
		return err_data(e, "a value of more than 1 GiB: this cannot be packed");
	return buf_put(&d->gathered, json.p, json.len) ? 0 : err_nomem(e);
}

int
doc_part(struct docwrite *d, struct slice pointer, struct slice json, uint64_t n, bool last,
    struct err *e)
{
	int rc = 0;

	if (n != d->part + 1)
		return err_data(e, "a part of a value without those before it");
	d->part = last ? 0 : n;
	if (n == 1) {
		d->gathered.len = 0;
		rc = d->dumps ? 0 : begin_parts(d, e);
	}
	if (rc == 0 && d->dumps)
		rc = gather(d, json, e);
	else if (rc == 0 && json.len != 0)
		out_put(&d->parts, json.p, json.len);
	if (rc != 0) {
		d->part = 0;
		return rc;
	}
	if (!last)
		return 0;
	return d->dumps ? doc_value(d, pointer, buf_slice(&d->gathered), e)
			: end_parts(d, pointer, e);
}
