/* SPDX-License-Identifier: ISC */
/*
 * afperf.c - fuzzes the decoder of AFPerf and, with its output, the encoder.
 *
 * The lines of a prefix must be the first lines of the whole file, except for those of the
 * truncated record.  The reader of the stream must accept every line, and every report must have a
 * line number.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/afperf/read/decode.h"
#include "src/afperf/write/encode.h"
#include "t/fuzz/afmutate.h"
#include "t/fuzz/fuzz.h"

#define LAST_LINES 12 /* lines of a truncated record, or of a truncated group */

struct run {
	int status; /* of afperf_decode */
	unsigned errors, unterminated;
	char *text; /* the stream, from the last call */
	size_t len;
};

static void
report(void *ctx, const struct afperf_report *report)
{
	struct run *r = ctx;
	const struct err *e = &report->e;

	r->errors += report->weight == AFPERF_ERROR;
	r->unterminated += report->rule == RULE_UNTERMINATED;
	check(e->place == ERR_LINE && e->pos > 0, "a report without a line");
	check(e->msg[0] != '\0' && strlen(e->msg) < sizeof e->msg, "a report without words");
	check(afperf_rule_name(report->rule) != NULL, "a report without a rule");
	check(report->weight == AFPERF_DOUBT || report->rule < RULE_POLICIES,
	    "an error of a policy");
	check(report->weight != AFPERF_DOUBT || report->rule >= RULE_POLICIES, "a doubt of a rule");
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* Reads each line with the reader of the stream, and encodes it if possible. */
static void
read_back(int fd, const struct run *r, uint64_t lines, int to)
{
	struct evread *in;
	struct afperf_encode *x;
	struct out o;
	struct ev ev;
	struct err e;
	uint64_t n = 0;
	int rc, errors = 0;

	stdin_file(fd);
	in = evread_open(NULL, 0, 0);
	check(in != NULL && out_open(&o, to), "no memory");
	x = afperf_encode_open(&o);
	check(x != NULL, "no memory");
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc < 0) {
			check(strstr(e.msg, "ended partial") != NULL && errors++ == 0, e.msg);
			continue;
		}
		n++;
		rc = afperf_encode_line(x, &ev, &e);
		check(rc == 0 || (rc == ERR_DATA && e.pos == ev.number), "the encoder fails");
	}
	check(afperf_encode_end(x, &e) == 0 && out_flush(&o), "the encoder fails at the end");
	check(n == lines, "the end mark counts other lines than there are");
	check((errors != 0) == (r->status != 0 || r->errors != 0), "status and end mark disagree");
	afperf_encode_close(x);
	out_free(&o);
	evread_close(in);
}

static void
keep_text(int fd, struct run *r)
{
	free(r->text);
	r->text = scratch_text(fd, &r->len);
}

/* Decodes standard input to fd. */
static uint64_t
decode(const struct afperf_decode_options *with, struct run *r, int fd)
{
	struct afperf_decode_options opt = *with;
	struct evwrite w;
	struct err e = { .code = 0 };

	opt.report = report;
	opt.note = note;
	opt.ctx = r;
	r->errors = r->unterminated = 0;
	scratch_empty(fd);
	check(evw_open(&w, fd, "afdec"), "no memory");
	evw_mark_open(&w, "-");
	r->status = afperf_decode("-", &opt, &w, &e);
	check(r->status == 0 || r->status == ERR_DATA, e.msg[0] != 0 ? e.msg : "it fails");
	check(r->status == 0 || r->errors != 0 || e.msg[0] != '\0', "refused without words");
	evw_mark_end(&w, r->status == 0 && r->errors == 0, NULL);
	check(w.out.error == 0, "cannot write");
	out_free(&w.out);
	return w.lines;
}

static void
decode_bytes(const uint8_t *data, size_t size, const struct afperf_decode_options *opt,
    struct run *r)
{
	static int in = -1, stream, file;
	uint64_t lines;

	if (in < 0) {
		in = scratch();
		stream = scratch();
		file = scratch();
	}
	scratch_put(in, data, size);
	scratch_empty(file);
	stdin_file(in);
	lines = decode(opt, r, stream);
	keep_text(stream, r);
	if (!opt->check)
		read_back(stream, r, lines, file);
}

#define SMALL .record_max = 1 << 20, .wait_max = 1000
static const struct afperf_decode_options plain = { SMALL };
static const struct afperf_decode_options everything = { .all = true,
	.wall = true,
	.lenient = true,
	SMALL };
static const struct afperf_decode_options narrow = { .all = true, .record_max = 64, .wait_max = 3 };
static const struct afperf_decode_options only_check = { .check = true, SMALL };
static const struct afperf_decode_options named = { .run = "own", SMALL };

static bool
is_read(const struct run *r)
{
	return r->status == 0 && r->errors == 0;
}

static const struct afperf_decode_options *const ways[] = { &plain, &everything, &narrow,
	&only_check, &named };

/* Finds the next line at *p that is not a mark.  Returns 0 at the end. */
static int
next_line(const char **p, const char **line, size_t *len)
{
	while (**p != '\0') {
		*line = *p;
		*len = strcspn(*p, "\n");
		*p += *len + 1;
		if (**line != '#')
			return 1;
	}
	return 0;
}

/* Checks that each line is of that run, or of none. */
static void
check_runs(const char *text, const char *run)
{
	const char *line, *column;
	size_t len, n;

	while (next_line(&text, &line, &len)) {
		column = strchr(line, '\t');
		column = column == NULL ? NULL : strchr(column + 1, '\t');
		check(column != NULL, "a line without a run");
		n = strcspn(++column, "\t\n");
		check((n == 1 && *column == '.') ||
			(n == strlen(run) && memcmp(column, run, n) == 0),
		    "a line of another run than --run");
	}
}

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static struct run r;

	decode_bytes(data, size, ways[way], &r);
	if (ways[way]->run != NULL)
		check_runs(r.text, ways[way]->run);
	return is_read(&r);
}

static void
check_prefix(const char *part, const char *whole)
{
	const char *a, *b;
	size_t la, lb, last = 0;

	while (next_line(&part, &a, &la)) {
		if (last == 0 && next_line(&whole, &b, &lb) && la == lb && memcmp(a, b, la) == 0)
			continue;
		check(++last <= LAST_LINES, "the lines of a prefix are not the whole's");
	}
}

/*
 * Returns whether the cut is in a line that is neither a comment nor blank.  A line in quotes may
 * look like a comment.
 */
static bool
is_in_record(const uint8_t *data, size_t cut)
{
	size_t from = cut;

	while (from > 0 && data[from - 1] != '\n')
		from--;
	while (from < cut && (data[from] == ' ' || data[from] == '\t'))
		from++;
	return from < cut && data[from] != '#';
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	static struct run part, whole;

	if (cut == size) {
		decode_bytes(data, size, &plain, &whole);
		check(is_read(&whole), "the file itself is damaged");
		return true;
	}
	decode_bytes(data, cut, &plain, &part);
	check(cut >= 16 || part.status != 0, "a header that is cut is taken");
	check(part.unterminated == 1 || !is_read(&part) || !is_in_record(data, cut),
	    "a record that is cut is taken");
	check_prefix(part.text, whole.text);
	return is_read(&part);
}

/* Most cuts are inside a record, many of them inside a text. */
const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = sizeof ways / sizeof ways[0],
	.prefix = prefix,
	.refused = 25,
	.mutate = af_mutate,
	.meaning = SLICE_INIT(",\"\n\r#0x1@;=. "),
	.meaning_of_4 = 2,
};
