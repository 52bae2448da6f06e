/* SPDX-License-Identifier: ISC */
/*
 * afenc.c - fuzzes the encoder of AFPerf: a stream goes in, and the decoder reads what comes out.
 *
 * With libFuzzer: make fuzz.  With FUZZ_MAIN it is a program:
 *	afenc FILE...			encodes each
 *	afenc --prefixes STEP FILE	all prefixes
 *	afenc --flips N SEED FILE	N copies of FILE with one to four wrong bytes
 *	afenc --random N SEED		N streams that afmake.h makes
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
#include "src/afperf/encint.h"
#include "t/fuzz/afmake.h"
#include "t/fuzz/facts.h"
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

/* What runs are called: each its name in the stream, and how the file's stream has it. */
struct names {
	char *said[256], *found[256];
	size_t n, blank;
};

static struct names names;

/* The run line has been taken: one whose id is blank is counted. */
static void
name_blank(const struct afperf_encode *x, struct slice run)
{
	size_t number = tab_find(&x->def.run_names, run), i;
	char text[32];

	if (number == TAB_NONE || !x->def.run[number].blank || names.n == 256)
		return;
	for (i = 0; i < names.n; i++)
		if (slice_eq(slice_of(names.said[i]), run))
			return;
	snprintf(text, sizeof text, "@%zu", ++names.blank);
	names.said[names.n] = copy_of(run);
	names.found[names.n++] = copy_of(slice_of(text));
}

/* An id whatever its spelling. */
static char *
plain_id(struct slice id)
{
	char text[32];
	uint64_t v;

	if (!num_get_u64(id, &v) && !num_get_hex(id, &v))
		return copy_of(id);
	snprintf(text, sizeof text, "%" PRIu64, v);
	return copy_of(slice_of(text));
}

static void
name_all(const struct afperf_encode *x)
{
	size_t i;

	for (i = 0; i < x->def.runs && names.n < 256; i++) {
		const struct afperf_run *r = &x->def.run[i];

		if (r->blank)
			continue;
		names.said[names.n] = copy_of(r->name);
		names.found[names.n++] = plain_id(r->id);
	}
}

static void
forget_names(void)
{
	for (; names.n > 0; names.n--) {
		free(names.said[names.n - 1]);
		free(names.found[names.n - 1]);
	}
	names.blank = 0;
}

/* Gives the runs of what was said the names that are found. */
static void
rename_runs(struct facts *f)
{
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		for (k = 0; k < names.n && strcmp(names.said[k], f->p[i].run) != 0; k++)
			;
		if (k == names.n)
			continue;
		free(f->p[i].run);
		f->p[i].run = copy_of(slice_of(names.found[k]));
	}
}

/* The runs of what is found, whatever the spelling of their ids. */
static void
plain_runs(struct facts *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		char *id = plain_id(slice_of(f->p[i].run));

		free(f->p[i].run);
		f->p[i].run = id;
	}
}

/* Standard input to the file. */
static struct claims
encode(const struct afperf_encode_options *opt, int to, struct facts *said)
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
		if (rc != 0)
			continue;
		facts_take(said, &ev, true);
		if (slice_eq(ev.col[EV_KIND], SLICE("run")))
			name_blank(x, ev.col[EV_RUN]);
	}
	check(afperf_encode_end(x, &e) == 0 && out_flush(&o), "the encoder fails at the end");
	while (afperf_encode_note(x, &at, note, sizeof note))
		check(note[0] != '\0' && strlen(note) < sizeof note, "a note without words");
	name_all(x);
	rename_runs(said);
	afperf_encode_close(x);
	out_free(&o);
	evread_close(in);
	claims.blank = claims.blank && !opt->number;
	return claims;
}

struct seen {
	bool native;
	bool left_out; /* a record, for what the stream claims */
	bool left_out_any;
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
	s->left_out_any = true;
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

/* Compares the stream of what was written with what was to be. */
static void
judge(struct facts *said, int stream, bool lost)
{
	struct evread *in;
	struct facts found = { 0 };
	struct ev ev;
	struct err e;
	int rc;

	as_input(stream);
	in = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(in != NULL, "no memory");
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc < 0) {
			check(strstr(e.msg, "empty") != NULL, e.msg);
			continue;
		}
		facts_take(&found, &ev, false);
	}
	evread_close(in);
	plain_runs(&found);
	facts_compare(said, &found, lost);
	facts_free(&found);
}

/* Whether something was left out. */
static bool
decode(const struct claims *claims, int null)
{
	struct seen seen = { claims->native, claims->blank && claims->several, false };
	struct afperf_decode_options opt = { .all = true,
		.record_max = AFPERF_RECORD_MAX,
		.wait_max = AFPERF_WAIT_MAX,
		.report = report,
		.note = note,
		.ctx = &seen };
	struct evwrite w;
	struct err e = { .code = 0 };
	int rc;

	check(evw_open(&w, null, "afdec"), "no memory");
	rc = afperf_decode("-", &opt, &w, &e);
	check(rc == 0 || (claims->native && rc == ERR_DATA), e.msg[0] != '\0' ? e.msg : "it fails");
	check(evw_flush(&w), "cannot write");
	evw_close(&w);
	return seen.left_out_any || rc != 0;
}

static const struct afperf_encode_options ways[] = {
	{ .number = false },
	{ .number = true, .spelling = AFPERF_HEX, .crlf = true },
	{ .type_numbers = true, .spelling = AFPERF_DECIMAL, .processed = AFPERF_BLANK_ID },
	{ .number = true, .type_numbers = true, .processed = AFPERF_RUN_ID },
};

static void
there_and_back(const void *data, size_t size)
{
	static int in = -1, file, stream;
	struct facts said = { 0 };
	struct claims claims;
	size_t way;
	bool lost;

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
		claims = encode(&ways[way], file, &said);
		as_input(file);
		fill(stream, "", 0);
		lost = decode(&claims, stream);
		judge(&said, stream, lost);
		facts_free(&said);
		forget_names();
	}
}

/* To the file that FUZZ_STREAM names: the last one is that of a finding. */
static void
show(const struct make *m)
{
	const char *name = getenv("FUZZ_STREAM");
	FILE *fp = name == NULL ? NULL : fopen(name, "wb");

	if (fp == NULL)
		return;
	fwrite(m->text, 1, m->len, fp);
	fclose(fp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A stream, or behind a NUL what one is made of. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct make make;

	if (size == 0 || *data != '\0') {
		there_and_back(data, size);
		return 0;
	}
	make_stream(&make, data + 1, size - 1);
	show(&make);
	there_and_back(make.text, make.len);
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

/* Streams that random numbers make. */
static void
random_streams(uint64_t count, uint64_t seed)
{
	uint8_t choices[400];
	uint64_t n, state = seed;
	size_t i, size;

	for (n = 0; n < count; n++) {
		size = 20 + random_next(&state) % (sizeof choices - 20);
		for (i = 0; i < size; i++)
			choices[i] = (uint8_t)random_next(&state);
		choices[0] = 0;
		LLVMFuzzerTestOneInput(choices, size);
	}
}

int
main(int argc, char **argv)
{
	bool prefixes = argc == 4 && strcmp(argv[1], "--prefixes") == 0;
	bool damage = argc == 5 && strcmp(argv[1], "--flips") == 0;
	size_t size, cut, step;
	uint8_t *data;
	int i;

	if (argc == 4 && strcmp(argv[1], "--random") == 0) {
		random_streams(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
		return 0;
	}
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
