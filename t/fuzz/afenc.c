/* SPDX-License-Identifier: ISC */
/*
 * afenc.c - fuzzes the encoder of AFPerf: a stream goes in, and the decoder reads what comes out.
 *
 * With libFuzzer: make fuzz.  With FUZZ_MAIN it is a program:
 *	afenc FILE...			encodes each
 *	afenc --prefixes STEP FILE	all prefixes
 *	afenc --flips N SEED FILE	N copies of FILE with one to four wrong bytes
 * Always: what is written can be cut into records of AFPerf; and it is read without an error,
 * unless the stream claims to have been AFPerf, whose records are written as they are said to have
 * been.  Even then ids are defined once and before they are used, and what starts stops once and
 * later: only where another error has had a record left out may others miss it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/afperf/decode.h"
#include "src/afperf/encode.h"
#include "t/fuzz/fuzz.h"

static void
fill(int fd, const void *data, size_t size)
{
	check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size, "cannot write");
	check(lseek(fd, 0, SEEK_SET) == 0, "cannot seek");
}

static void
as_input(int fd)
{
	check(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
}

/* What the lines say. */
struct claims {
	bool native; /* they were AFPerf */
	bool blank; /* there is a run that had no id */
	bool several; /* and others, which may be defined late: between it and what goes by it */
	char run[64]; /* the last */
	size_t len;
};

static void
read_claims(struct claims *c, const struct ev *ev)
{
	struct slice value, run = ev->col[EV_RUN], kind = ev->col[EV_KIND];

	if (run.len > sizeof c->run)
		run.len = sizeof c->run;
	if (!slice_eq(kind, SLICE("comment")) && !slice_eq(kind, SLICE("other"))) {
		c->several |= c->len != 0 && !slice_eq(run, (struct slice){ c->run, c->len });
		memcpy(c->run, run.p, run.len);
		c->len = run.len;
	}
	c->blank |= run.p[0] == '@';
	c->native |= ev_tag(ev, SLICE("scope"), &value) || ev_tag(ev, SLICE("record"), &value) ||
	    ev_tag(ev, SLICE("afperf"), &value) || ev_tag(ev, SLICE("extra"), &value);
}

/* Standard input to the file. */
static struct claims
encode(const struct afperf_encode_options *opt, int to)
{
	struct evread *in = evread_open(NULL, 0, EVREAD_NO_MARKS);
	struct afperf_encode *x;
	struct out o;
	struct ev ev;
	struct err e;
	char note[512];
	struct claims claims = { .native = false };
	unsigned at = 0;
	int rc;

	check(in != NULL && out_open(&o, to), "no memory");
	x = afperf_encode_open(&o);
	check(x != NULL, "no memory");
	afperf_encode_set(x, opt);
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc < 0)
			continue;
		read_claims(&claims, &ev);
		rc = afperf_encode_line(x, &ev, &e);
		check(rc == 0 || (rc == ERR_DATA && e.pos == ev.number && e.msg[0] != '\0'),
		    "the encoder fails");
	}
	check(afperf_encode_end(x, &e) == 0 && out_flush(&o), "the encoder fails at the end");
	while (afperf_encode_note(x, &at, note, sizeof note))
		check(note[0] != '\0' && strlen(note) < sizeof note, "a note without words");
	afperf_encode_close(x);
	out_free(&o);
	evread_close(in);
	claims.blank = claims.blank && !opt->number;
	return claims;
}

struct seen {
	bool native;
	bool left_out; /* a record, for what the stream claims */
};

/* What is refused by what has come before, not for what the line itself claims. */
static bool
is_of_ids(enum afperf_rule rule)
{
	return rule == RULE_UNIQUE || rule == RULE_DEFINED || rule == RULE_BLOCK ||
	    rule == RULE_TIMES;
}

static void
report(void *ctx, const struct afperf_report *r)
{
	struct seen *s = ctx;

	if (r->weight != AFPERF_ERROR)
		return;
	check(s->native, r->e.msg);
	check(r->rule != RULE_QUOTING && r->rule != RULE_RECORD_END, r->e.msg);
	check(s->left_out || !is_of_ids(r->rule), r->e.msg);
	s->left_out = true;
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

static void
decode(const struct claims *claims, int null)
{
	struct seen seen = { claims->native, claims->blank && claims->several };
	struct afperf_decode_options opt = { .all = true,
		.record_max = AFPERF_RECORD_MAX,
		.wait_max = 1000,
		.report = report,
		.note = note,
		.ctx = &seen };
	struct evwrite w;
	struct err e = { .code = 0 };
	int rc;

	check(evw_open(&w, null, "afdec"), "no memory");
	rc = afperf_decode("-", &opt, &w, &e);
	check(rc == 0 || (claims->native && rc == ERR_DATA), e.msg[0] != '\0' ? e.msg : "it fails");
	check(w.out.error == 0, "cannot write");
	evw_close(&w);
}

static const struct afperf_encode_options ways[] = {
	{ .number = false },
	{ .number = true, .spelling = AFPERF_HEX, .crlf = true },
	{ .type_numbers = true, .spelling = AFPERF_DECIMAL, .processed = AFPERF_BLANK_ID },
	{ .number = true, .type_numbers = true, .processed = AFPERF_RUN_ID },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int in = -1, file, stream;
	struct claims claims;
	size_t way;

	if (in < 0) {
		in = scratch();
		file = scratch();
		stream = scratch();
	}
	fill(in, data, size);
	for (way = 0; way < sizeof ways / sizeof ways[0]; way++) {
		if (way != 0 && way != 1 + size % 3)
			continue;
		fill(file, "", 0);
		as_input(in);
		claims = encode(&ways[way], file);
		as_input(file);
		fill(stream, "", 0);
		decode(&claims, stream);
	}
	return 0;
}

#ifdef FUZZ_MAIN
/* Bytes that mean something are more likely than others. */
static void
flips(uint64_t count, uint64_t seed, const uint8_t *data, size_t size)
{
	static const char bytes[] = "\t\n.;=\\@0x1\",#-";
	uint8_t *p = malloc(size + 1);
	uint64_t n, k, state = seed;

	check(p != NULL && size > 0, "nothing to damage");
	for (n = 0; n < count; n++) {
		memcpy(p, data, size);
		for (k = 1 + random_next(&state) % 4; k > 0; k--)
			p[random_next(&state) % size] = random_next(&state) % 2 == 0
			    ? (uint8_t)random_next(&state)
			    : (uint8_t)bytes[random_next(&state) % (sizeof bytes - 1)];
		LLVMFuzzerTestOneInput(p, size);
	}
	free(p);
}

int
main(int argc, char **argv)
{
	bool prefixes = argc == 4 && strcmp(argv[1], "--prefixes") == 0;
	bool damage = argc == 5 && strcmp(argv[1], "--flips") == 0;
	size_t size, cut, step;
	uint8_t *data;
	int i;

	for (i = prefixes || damage ? argc - 1 : 1; i < argc; i++) {
		data = load(argv[i], &size);
		step = prefixes ? strtoul(argv[2], NULL, 10) : 0;
		for (cut = 0; prefixes && cut < size; cut += step)
			LLVMFuzzerTestOneInput(data, cut);
		if (damage)
			flips(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), data, size);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
#endif
