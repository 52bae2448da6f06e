/* SPDX-License-Identifier: ISC */
/*
 * afenc.c - fuzzes the encoder of AFPerf: encodes a stream, and reads the result with the decoder.
 *
 * An input that begins with a NUL is made into a stream by afmake.h.  The output must always be
 * read without an error, except that regions may cross.  Every line must come back with its run,
 * region, measure, value and times, unless the encoder has rejected it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/afperf/read/decode.h"
#include "src/afperf/write/encint.h"
#include "t/fuzz/afmake.h"
#include "t/fuzz/facts.h"
#include "t/fuzz/fuzz.h"

#define NAMES_MAX 256

/* The names of runs: in the stream, and in the stream of the file. */
struct names {
	char *said[NAMES_MAX], *found[NAMES_MAX];
	size_t n, blank;
};

static char *
copy_of(struct slice s)
{
	char *p = malloc(s.len + 1);

	check(p != NULL, "no memory");
	memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return p;
}

/* Called when a run line has been accepted: counts runs with a blank id. */
static void
name_blank(struct names *names, const struct afperf_encode *x, struct slice run)
{
	size_t number = tab_find(&x->def.run_names, run), i;
	char text[32];

	if (number == TAB_NONE || !x->def.run[number].blank || names->n == NAMES_MAX)
		return;
	for (i = 0; i < names->n; i++)
		if (slice_eq(slice_of(names->said[i]), run))
			return;
	snprintf(text, sizeof text, "@%zu", ++names->blank);
	names->said[names->n] = copy_of(run);
	names->found[names->n++] = copy_of(slice_of(text));
}

/* Returns an id in one spelling: in *text, or as it is if it is no number. */
static struct slice
plain_id(struct slice id, char text[32])
{
	uint64_t v;

	if (!num_get_u64(id, &v) && !num_get_hex(id, &v))
		return id;
	snprintf(text, 32, "%" PRIu64, v);
	return slice_of(text);
}

static void
name_all(struct names *names, const struct afperf_encode *x)
{
	char text[32];
	size_t i;

	for (i = 0; i < x->def.runs && names->n < NAMES_MAX; i++) {
		const struct define_run *r = &x->def.run[i];

		if (r->blank)
			continue;
		names->said[names->n] = copy_of(r->name);
		/* what is of several runs comes back without a run */
		names->found[names->n++] = copy_of(
		    slice_is_nothing(r->name) && !r->declared ? r->name : plain_id(r->id, text));
	}
}

static void
forget(struct names *names)
{
	for (; names->n > 0; names->n--) {
		free(names->said[names->n - 1]);
		free(names->found[names->n - 1]);
	}
	names->blank = 0;
}

/* Gives the runs of expected facts the names that they have in the file. */
static void
rename_runs(const struct names *names, struct facts *f)
{
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		for (k = 0; k < names->n && strcmp(names->said[k], f->p[i].run) != 0; k++)
			;
		if (k < names->n)
			f->p[i].run = facts_copy(f, slice_of(names->found[k]));
	}
}

/* Gives the ids of runs of found facts one spelling. */
static void
plain_runs(struct facts *f)
{
	char text[32];
	size_t i;

	for (i = 0; i < f->n; i++)
		f->p[i].run = facts_copy(f, plain_id(slice_of(f->p[i].run), text));
}

/* Encodes every line.  Facts of lines that were not rejected are expected. */
static void
encode_lines(struct afperf_encode *x, struct evread *in, struct facts *said, struct names *names)
{
	struct ev ev;
	struct err e;
	int rc;

	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc < 0)
			continue;
		rc = afperf_encode_line(x, &ev, &e);
		check(rc == 0 || (rc == ERR_DATA && e.pos == ev.number && e.msg[0] != '\0'),
		    "the encoder fails");
		if (rc != 0)
			continue;
		facts_take(said, &ev, true);
		if (slice_eq(ev.col[EV_KIND], SLICE("run")))
			name_blank(names, x, ev.col[EV_RUN]);
	}
	check(afperf_encode_end(x, &e) == 0, "the encoder fails at the end");
}

/* Encodes standard input to the file. */
static void
encode(const struct afperf_encode_options *opt, int to, struct facts *said)
{
	struct evread *in = evread_open(NULL, 0, EVREAD_NO_MARKS);
	struct names names = { .n = 0 };
	struct afperf_encode *x;
	struct out o;
	char text[512];
	size_t at = 0;

	check(in != NULL && out_open(&o, to), "no memory");
	x = afperf_encode_open(&o);
	check(x != NULL, "no memory");
	afperf_encode_set(x, opt);
	encode_lines(x, in, said, &names);
	check(out_flush(&o), "cannot write");
	while (afperf_encode_note(x, &at, text, sizeof text))
		check(text[0] != '\0' && strlen(text) < sizeof text, "a note without words");
	name_all(&names, x);
	rename_runs(&names, said);
	forget(&names);
	afperf_encode_close(x);
	out_free(&o);
	evread_close(in);
}

struct seen {
	bool lenient, lost;
};

/*
 * Checks that only some errors are reported.  The encoder does not check whether regions nest, nor
 * whether a region of another run has really stopped, since its stop may have to wait.  Aggregates
 * of a region with its id are read only by --lenient, which has also printed them.
 */
static void
report(void *ctx, const struct afperf_report *r)
{
	struct seen *seen = ctx;

	if (r->weight != AFPERF_ERROR)
		return;
	check(r->rule == RULE_NESTING || (r->rule == RULE_AGGREGATION && !seen->lenient) ||
		(r->rule == RULE_UNIQUE && strstr(r->e.msg, "region") != NULL),
	    r->e.msg);
	seen->lost = true;
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

/* Compares the stream of the output with the expected facts. */
static void
judge(struct facts *said, int stream, bool lost)
{
	struct evread *in;
	struct facts found = { 0 };
	struct ev ev;
	struct err e;
	int rc;

	stdin_file(stream);
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

/* Decodes the output.  Returns whether something was left out. */
static bool
decode(int stream, bool lenient)
{
	struct seen seen = { lenient, false };
	struct afperf_decode_options opt = { .all = true,
		.lenient = lenient,
		.record_max = AFPERF_RECORD_MAX,
		.wait_max = AFPERF_WAIT_MAX,
		.report = report,
		.note = note,
		.ctx = &seen };
	struct evwrite w;
	struct err e = { .code = 0 };

	check(evw_open(&w, stream, "afdec"), "no memory");
	check(afperf_decode("-", &opt, &w, &e) == 0, e.msg[0] != '\0' ? e.msg : "it fails");
	check(evw_flush(&w), "cannot write");
	out_free(&w.out);
	return seen.lost;
}

static const struct afperf_encode_options ways[] = {
	{ .number = false },
	{ .number = true, .spelling = AFPERF_HEX, .crlf = true },
	{ .type_numbers = true, .spelling = AFPERF_DECIMAL, .processed = AFPERF_BLANK_ID },
	{ .number = true, .type_numbers = true, .processed = AFPERF_RUN_ID },
};

/* Writes the stream to the file named by FUZZ_STREAM.  The last stream is that of a finding. */
static void
show(const void *text, size_t size)
{
	const char *name = getenv("FUZZ_STREAM");
	FILE *fp = name == NULL ? NULL : fopen(name, "wb");

	if (fp == NULL)
		return;
	fwrite(text, 1, size, fp);
	fclose(fp);
}

static void
there_and_back(size_t way, const void *data, size_t size)
{
	static int in = -1, file, stream;
	struct facts said = { 0 };

	if (in < 0) {
		in = scratch();
		file = scratch();
		stream = scratch();
	}
	show(data, size);
	scratch_put(in, data, size);
	scratch_empty(file);
	stdin_file(in);
	encode(&ways[way], file, &said);
	stdin_file(file);
	scratch_empty(stream);
	judge(&said, stream, decode(stream, way % 2 == 1));
	facts_free(&said);
}

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static struct make make;

	if (size == 0 || *data != '\0') {
		there_and_back(way, data, size);
		return true;
	}
	make_stream(&make, data + 1, size - 1);
	there_and_back(way, make.text, make.len);
	return true;
}

static size_t
make(uint64_t *state, uint8_t *bytes)
{
	size_t i, size = 20 + random_next(state) % (FUZZ_MADE_MAX - 20);

	bytes[0] = 0;
	for (i = 1; i < size; i++)
		bytes[i] = (uint8_t)random_next(state);
	return size;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = sizeof ways / sizeof ways[0],
	.make = make,
	.meaning = SLICE_INIT("\t\n.;=\\@0x1\",#-"),
	.meaning_of_4 = 2,
};
