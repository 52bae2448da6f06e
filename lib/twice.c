/* SPDX-License-Identifier: ISC */
/* twice.c - operands that are read twice. */
#include "lib/twice.h"

#include <errno.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/mem.h"

enum state {
	FRESH, /* opened by its name each time */
	BORROWED, /* a file that was already open, read from its position */
	COPIED,
	FAILED,
};

struct operand {
	enum state state;
	struct in in;
	off_t begin;
	struct err err;
};

struct twice {
	size_t count;
	struct operand operand[];
};

struct twice *
twice_new(size_t n)
{
	size_t count = n == 0 ? 1 : n;
	struct twice *t = mem_zero(1, sizeof *t + count * sizeof t->operand[0]);

	if (t != NULL)
		t->count = count;
	return t;
}

void
twice_free(struct twice *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->count; i++)
		if (t->operand[i].state == COPIED)
			in_close(&t->operand[i].in);
	mem_free(t);
}

static int
open_first(struct operand *o, const char *name, struct in *in, struct err *e)
{
	int rc = in_open(in, name, e);

	if (rc != 0)
		return rc;
	if (in->seekable && in->ours)
		return 0;
	if (in->seekable) {
		o->begin = lseek(in->fd, 0, SEEK_CUR);
		o->state = BORROWED;
		o->in = *in;
		return 0;
	}
	rc = in_spool(in, NULL, 0, e);
	if (rc != 0) {
		in_close(in);
		o->state = FAILED;
		o->err = *e;
		return rc;
	}
	o->state = COPIED;
	o->in = *in;
	in->ours = false;
	return 0;
}

int
twice_open(void *ctx, size_t i, const char *name, struct in *in, struct err *e)
{
	struct twice *t = ctx;
	struct operand *o = &t->operand[i];

	if (o->state == FRESH)
		return open_first(o, name, in, e);
	if (o->state == FAILED) {
		*e = o->err;
		return e->code;
	}
	if (lseek(o->in.fd, o->begin, SEEK_SET) < 0)
		return err_sys(e, errno, "cannot read again");
	*in = o->in;
	in->ours = false;
	return 0;
}

/* Adds a line to the digest.  The seed for each line is the hash of the lines before it. */
void
twice_see(struct twice_seen *s, struct slice line)
{
	s->lines++;
	s->hash = XXH3_64bits_withSeed(line.p, line.len, s->hash);
}
