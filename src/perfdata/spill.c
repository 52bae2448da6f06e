/* SPDX-License-Identifier: ISC */
/* spill.c - sorted runs of records on disk, and their merge. */
#include "src/perfdata/spill.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/cur.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/sig.h"

/*
 * Each run has a buffer.  As soon as RUNS_MERGED runs of one level follow each other they are
 * merged into one of the next level, so each record is written a logarithmic number of times.
 * Beyond RUNS_MAX runs, more than a hundred gigabytes, all of them are merged.
 */
#define RUNS_MAX 32
#define RUNS_MERGED 8
#define RUN_BUFFER ((size_t)256 * 1024)
#define ENTRY_HEAD ((size_t)16)
#define ENTRY_MAX (ENTRY_HEAD + REC_MAX)

struct run {
	uint64_t pos, end; /* in the file, of the part not yet in buf */
	unsigned char *buf;
	size_t at, len;
	uint64_t time; /* of the entry at at */
	size_t size; /* of that entry; 0 when the run is used up */
	unsigned level; /* how often its contents were merged */
};

struct spill {
	int fd;
	bool big_endian;
	uint64_t length; /* of the file */
	struct run run[RUNS_MAX + 1];
	size_t runs;
	size_t oldest; /* index of the run with the oldest record; runs when all are used up */
	unsigned char *out; /* RUN_BUFFER bytes of the run being written */
	size_t outlen;
};

struct spill *
spill_open(bool big_endian, struct err *e)
{
	struct spill *s = mem_zero(1, sizeof *s);

	if (s == NULL) {
		err_nomem(e);
		return NULL;
	}
	s->fd = -1;
	s->big_endian = big_endian;
	s->out = mem_alloc(RUN_BUFFER);
	if (s->out == NULL) {
		err_nomem(e);
		spill_close(s);
		return NULL;
	}
	if (in_temp(&s->fd, e) != 0) {
		spill_close(s);
		return NULL;
	}
	return s;
}

void
spill_close(struct spill *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->runs; i++)
		mem_free(s->run[i].buf);
	if (s->fd >= 0)
		(void)close(s->fd);
	mem_free(s->out);
	mem_free(s);
}

static int
write_out(struct spill *s, struct err *e)
{
	size_t done = 0;

	while (done < s->outlen) {
		ssize_t n =
		    pwrite(s->fd, s->out + done, s->outlen - done, (off_t)(s->length + done));

		if (n < 0 && errno != EINTR)
			return err_sys(e, errno, "cannot write the temporary file");
		if (n > 0)
			done += (size_t)n;
	}
	s->length += done;
	s->outlen = 0;
	return 0;
}

/* Reads more after what is not yet used. */
static int
refill(struct spill *s, struct run *r, struct err *e)
{
	size_t keep = r->len - r->at, want;

	if (sig_stop())
		return err_stop(e);
	memmove(r->buf, r->buf + r->at, keep);
	r->at = 0;
	r->len = keep;
	want = RUN_BUFFER - keep;
	if (want > r->end - r->pos)
		want = (size_t)(r->end - r->pos);
	while (want > 0) {
		ssize_t n = pread(s->fd, r->buf + r->len, want, (off_t)r->pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, n < 0 ? errno : EIO, "cannot read the temporary file");
		r->len += (size_t)n;
		r->pos += (uint64_t)n;
		want -= (size_t)n;
	}
	return 0;
}

static uint16_t
record_size(const struct spill *s, const unsigned char *rec)
{
	struct cur c = cur_over(rec, REC_HEADER, s->big_endian);

	(void)cur_take(&c, 6);
	return cur_u16(&c);
}

/* Looks at the entry at r->at. */
static int
look(struct spill *s, struct run *r, struct err *e)
{
	if (r->len - r->at < ENTRY_MAX && r->pos < r->end && refill(s, r, e) != 0)
		return e->code;
	if (r->at == r->len) {
		mem_free(r->buf);
		r->buf = NULL;
		r->size = 0;
		return 0;
	}
	memcpy(&r->time, r->buf + r->at, sizeof r->time);
	r->size = ENTRY_HEAD + record_size(s, r->buf + r->at + ENTRY_HEAD);
	return 0;
}

/* Finds the oldest of the runs from FIRST on. */
static void
find_oldest(struct spill *s, size_t first)
{
	size_t i;

	s->oldest = s->runs;
	for (i = first; i < s->runs; i++)
		if (s->run[i].size != 0 &&
		    (s->oldest == s->runs || s->run[i].time < s->run[s->oldest].time))
			s->oldest = i;
}

bool
spill_peek(const struct spill *s, uint64_t *time, struct rec *out)
{
	const struct run *r = &s->run[s->oldest];
	struct cur c;

	if (s->oldest == s->runs)
		return false;
	*time = r->time;
	*out = (struct rec){ .p = r->buf + r->at + ENTRY_HEAD };
	memcpy(&out->offset, r->buf + r->at + 8, sizeof out->offset);
	c = cur_over(out->p, REC_HEADER, s->big_endian);
	out->type = cur_u32(&c);
	out->misc = cur_u16(&c);
	out->size = cur_u16(&c);
	return true;
}

/* When nothing is left the file starts over, so it is never longer than its peak use. */
static int
start_over(struct spill *s, struct err *e)
{
	s->runs = s->oldest = 0;
	s->length = 0;
	return ftruncate(s->fd, 0) == 0 ? 0
					: err_sys(e, errno, "cannot truncate the temporary file");
}

int
spill_pop(struct spill *s, struct err *e)
{
	struct run *r = &s->run[s->oldest];

	r->at += r->size;
	if (look(s, r, e) != 0)
		return e->code;
	find_oldest(s, 0);
	return s->oldest == s->runs ? start_over(s, e) : 0;
}

/* The run being written is at run[runs] until it is ended. */
static void
open_run(struct spill *s)
{
	s->run[s->runs] = (struct run){ .pos = s->length };
	s->outlen = 0;
}

static int
close_run(struct spill *s, struct err *e)
{
	struct run *r = &s->run[s->runs];

	if (write_out(s, e) != 0)
		return e->code;
	r->end = s->length;
	r->buf = mem_alloc(RUN_BUFFER);
	if (r->buf == NULL)
		return err_nomem(e);
	s->runs++;
	if (look(s, r, e) != 0)
		return e->code;
	find_oldest(s, 0);
	return 0;
}

static int
put(struct spill *s, uint64_t time, uint64_t offset, const unsigned char *rec, size_t size,
    struct err *e)
{
	if (RUN_BUFFER - s->outlen < ENTRY_HEAD + size && write_out(s, e) != 0)
		return e->code;
	memcpy(s->out + s->outlen, &time, 8);
	memcpy(s->out + s->outlen + 8, &offset, 8);
	memcpy(s->out + s->outlen + ENTRY_HEAD, rec, size);
	s->outlen += ENTRY_HEAD + size;
	return 0;
}

/* Makes one run of all from FIRST on, which are adjacent in the order. */
static int
merge_from(struct spill *s, size_t first, struct err *e)
{
	unsigned level = s->run[first].level + 1;
	struct run *r;
	struct rec rec;
	uint64_t time;

	open_run(s);
	for (find_oldest(s, first); spill_peek(s, &time, &rec); find_oldest(s, first)) {
		if (put(s, time, rec.offset, rec.p, rec.size, e) != 0)
			return e->code;
		r = &s->run[s->oldest];
		r->at += r->size;
		if (look(s, r, e) != 0)
			return e->code;
	}
	s->run[first] = s->run[s->runs];
	s->run[first].level = level;
	s->runs = first;
	return close_run(s, e);
}

/* Are there RUNS_MERGED runs of one level at the end? */
static bool
is_due(const struct spill *s)
{
	size_t i, first = s->runs - RUNS_MERGED;

	if (s->runs < RUNS_MERGED)
		return false;
	for (i = first; i < s->runs && s->run[i].level == s->run[first].level; i++)
		;
	return i == s->runs;
}

int
spill_begin(struct spill *s, struct err *e)
{
	size_t i, live = 0;

	for (i = 0; i < s->runs; i++)
		if (s->run[i].size != 0)
			s->run[live++] = s->run[i];
	s->runs = live;
	while (is_due(s))
		if (merge_from(s, s->runs - RUNS_MERGED, e) != 0)
			return e->code;
	if (s->runs == RUNS_MAX && merge_from(s, 0, e) != 0)
		return e->code;
	find_oldest(s, 0);
	open_run(s);
	return 0;
}

int
spill_add(struct spill *s, uint64_t time, const struct rec *r, struct err *e)
{
	return put(s, time, r->offset, r->p, r->size, e);
}

int
spill_end(struct spill *s, struct err *e)
{
	return close_run(s, e);
}
