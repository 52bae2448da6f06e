/* SPDX-License-Identifier: ISC */
/*
 * pprofenc.c - fuzzes the profile that pprofenc makes from a stream.
 *
 * The message is read again: each field must be whole, each number that refers to something must be
 * valid, and each sample must have a value for each type.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/buf.h"
#include "lib/evread.h"
#include "src/aggregate/fold.h"
#include "src/pprof/pprof.h"
#include "t/fuzz/fuzz.h"

/* Makes the profile of the stream on standard input.  Returns true if nothing was refused. */
static bool
make(struct out *o)
{
	struct evread *r = evread_open(NULL, 0, 0);
	struct fold *f = fold_new();
	struct pprof *p = pprof_new();
	struct pprof_measure m;
	size_t number;
	bool good = true;
	struct ev ev;
	struct err e;
	int rc;

	check(r != NULL && f != NULL && p != NULL && out_open(o, -1), "no memory");
	o->hold = true;
	fold_set_measures(f, FOLD_EACH);
	fold_with_counts(f);
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc < 0) {
			good = false;
			continue;
		}
		if (slice_eq(ev.col[EV_KIND], SLICE("run")))
			check(pprof_run(p, &ev, &e) == 0, "a run that is refused");
		rc = fold_choose(f, &ev, &number, &e);
		if (rc == 0 && number != FOLD_PARTS_MAX)
			rc = pprof_add(p, number, &ev, fold_stack(f, &ev), &e);
		if (rc != 0)
			check_error(&e);
		good = good && rc == 0;
	}
	for (m.number = 0; fold_part(f, m.number, &m.name, &m.unit); m.number++)
		check(pprof_name(p, &m, &e) == 0, "no memory for a name");
	if (pprof_write(p, o, &e) != 0) {
		check_error(&e);
		check(o->len == 0, "a profile that is refused and written");
		good = false;
	}
	pprof_free(p);
	fold_free(f);
	evread_close(r);
	return good;
}

static void
unzip(struct buf *b, const struct out *o)
{
	z_stream z = { 0 };
	int rc;

	z.next_in = (unsigned char *)o->p;
	z.avail_in = (unsigned)o->len;
	check(inflateInit2(&z, 15 + 16) == Z_OK, "no memory");
	do {
		check(buf_room(b, 65536), "no memory");
		z.next_out = (unsigned char *)b->p + b->len;
		z.avail_out = 65536;
		rc = inflate(&z, Z_NO_FLUSH);
		b->len += 65536 - z.avail_out;
	} while (rc == Z_OK);
	check(rc == Z_STREAM_END && z.avail_in == 0, "gzip that is not whole");
	inflateEnd(&z);
}

/* ---- the wire format */

static uint64_t
varint(struct slice *s)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (;;) {
		unsigned char c;

		check(s->len != 0 && shift < 64, "a varint that does not end");
		c = (unsigned char)*s->p++;
		s->len--;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
		shift += 7;
	}
}

struct field {
	uint64_t number, v; /* v: of a varint */
	struct slice bytes; /* p is NULL for a varint */
};

static bool
next_field(struct slice *s, struct field *f)
{
	uint64_t tag, n;

	if (s->len == 0)
		return false;
	tag = varint(s);
	*f = (struct field){ .number = tag >> 3 };
	check((tag & 7) == 0 || (tag & 7) == 2, "another type of field");
	if ((tag & 7) == 0) {
		f->v = varint(s);
		return true;
	}
	n = varint(s);
	check(n <= s->len, "a field beyond the end");
	f->bytes = (struct slice){ s->p, (size_t)n };
	s->p += n;
	s->len -= (size_t)n;
	return true;
}

struct counts {
	uint64_t of[16]; /* number of fields, by their number */
};

static uint64_t
count_varints(struct slice s, uint64_t most)
{
	uint64_t n = 0, v;

	for (; s.len != 0; n++) {
		v = varint(&s);
		check(most == 0 || (v >= 1 && v <= most), "an id of no location");
	}
	return n;
}

static void
check_sample(struct slice s, const struct counts *c)
{
	struct field f, label;

	while (next_field(&s, &f)) {
		if (f.number == 1)
			check(count_varints(f.bytes, c->of[4]) != 0, "a sample without a location");
		else if (f.number == 2)
			check(count_varints(f.bytes, 0) == c->of[1], "not a value for each type");
		while (f.number == 3 && next_field(&f.bytes, &label))
			check(label.v < c->of[6], "no such string");
	}
}

static void
check_location(struct slice s, const struct counts *c)
{
	struct field f, line;
	bool mapped = false, named = false;

	while (next_field(&s, &f)) {
		mapped |= f.number == 2 && f.v <= c->of[3];
		while (f.number == 4 && next_field(&f.bytes, &line))
			if (line.number == 1) {
				check(line.v >= 1 && line.v <= c->of[5], "no such function");
				named = true;
			}
	}
	check(mapped && named, "a location without a mapping or a function");
}

static void
check_strings(struct slice s, const struct counts *c, uint64_t first, uint64_t last)
{
	struct field f;

	while (next_field(&s, &f))
		check(f.number < first || f.number > last || f.v < c->of[6], "no such string");
}

static void
check_profile(struct slice all)
{
	struct counts c = { 0 };
	struct slice s = all;
	struct field f;

	while (next_field(&s, &f)) {
		check(f.number < 16, "an unknown field");
		c.of[f.number]++;
	}
	for (s = all; next_field(&s, &f);) {
		switch (f.number) {
		case 1: check_strings(f.bytes, &c, 1, 2); break;
		case 2: check_sample(f.bytes, &c); break;
		case 3: check_strings(f.bytes, &c, 5, 6); break;
		case 4: check_location(f.bytes, &c); break;
		case 5: check_strings(f.bytes, &c, 2, 4); break;
		}
	}
	check(c.of[2] == 0 || c.of[1] != 0, "samples without a type");
}

static bool
take(const uint8_t *data, size_t size)
{
	static int in = -1;
	struct buf text = { 0 };
	struct out o;
	bool good;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	stdin_file(in);
	good = make(&o);
	if (o.len != 0) {
		unzip(&text, &o);
		check_profile((struct slice){ text.p, text.len });
	}
	buf_free(&text);
	out_free(&o);
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\t\n.\\=;:@+-01x?k"),
	.meaning_of_4 = 2,
};
