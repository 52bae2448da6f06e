/* SPDX-License-Identifier: ISC */
/*
 * perunquery.c - fuzzes Perun's queries, and its table, for a stream.
 *
 * Every line of an answer must be one JSON value in ASCII, every row of the table must have as many
 * fields as the first, and errors must have messages.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/json/jvalue.h"
#include "src/perun/query/query.h"
#include "t/fuzz/fuzz.h"

static const struct {
	enum query_what what;
	const char *key;
} queries[] = { { QUERY_RESOURCES, NULL }, { QUERY_ITEMS, NULL }, { QUERY_FIELDS, NULL },
	{ QUERY_NUMERIC, NULL }, { QUERY_KEYS, "uid" }, { QUERY_KEYS, "trace::function" },
	{ QUERY_VALUES, "amount" }, { QUERY_VALUES, "uid:line" }, { QUERY_FRAME, NULL },
	{ QUERY_MODELS, NULL }, { QUERY_MODEL_VALUES, "coeffs::value" }, { QUERY_PLOT, NULL } };

static void
check_json(struct slice text)
{
	struct jvalue v;
	struct err e;
	size_t i;

	check(jvalue_open(&v), "no memory");
	while (text.len != 0) {
		const char *end = memchr(text.p, '\n', text.len);
		struct slice line = { text.p, end == NULL ? 0 : (size_t)(end - text.p) };

		check(end != NULL, "an answer without its end");
		for (i = 0; i < line.len; i++)
			check(line.p[i] >= ' ' && line.p[i] < 0x7f, "an answer that is not ASCII");
		check(jvalue_read(&v, line, &e) == 0, "an answer that is no JSON");
		text.p += line.len + 1;
		text.len -= line.len + 1;
	}
	jvalue_close(&v);
}

static void
check_table(struct slice text)
{
	size_t i, fields = 1, want = 0;
	bool quoted = false;

	for (i = 0; i < text.len; i++) {
		quoted ^= text.p[i] == '"';
		if (quoted)
			continue;
		fields += text.p[i] == ',';
		if (text.p[i] != '\n')
			continue;
		check(want == 0 || want == fields, "a row of another length");
		want = fields;
		fields = 1;
	}
	check(!quoted && (text.len == 0 || text.p[text.len - 1] == '\n'), "a row without its end");
}

/* Returns the answer to a query for the stream in fd, which the caller must free. */
static struct out
ask(int fd, size_t query, bool compat)
{
	struct evread *r;
	struct query *q;
	struct out o;
	struct ev ev;
	struct err e = { 0 };
	bool more = true;
	int rc;

	stdin_file(fd);
	r = evread_open(NULL, 0, 0);
	check(r != NULL && out_open(&o, -1), "no memory");
	o.hold = true;
	q = query_open(&o, queries[query].what, queries[query].key, compat, &e);
	check(q != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc < 0 || query_line(q, &ev, &e) == 0)
			continue;
		check_error(&e);
		check(e.place == ERR_LINE && e.pos == ev.number, "an error without its line");
	}
	while (more) {
		e = (struct err){ 0 };
		more = query_rest(q, &rc, &e);
		if (rc != 0)
			check_error(&e);
	}
	query_close(q);
	evread_close(r);
	check(o.error == 0, "an answer that is not whole");
	return o;
}

#define WAYS (2 * sizeof queries / sizeof queries[0])

static void
one_way(const uint8_t *data, size_t size, size_t way)
{
	static int in = -1;
	struct out o;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	o = ask(in, way / 2, way % 2 != 0);
	if (queries[way / 2].what == QUERY_FRAME)
		check_table((struct slice){ o.p, o.len });
	else
		check_json((struct slice){ o.p, o.len });
	out_free(&o);
}

/* Tries one of the ways, chosen by the bytes. */
static bool
take(const uint8_t *data, size_t size)
{
	size_t i, sum = size;

	for (i = 0; i < size; i++)
		sum += data[i];
	one_way(data, size, sum % WAYS);
	return true;
}

static bool
every_way(const uint8_t *data, size_t size)
{
	size_t way;

	for (way = 0; way < WAYS; way++)
		one_way(data, size, way);
	return true;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.file = every_way,
	.meaning = SLICE_INIT("\t\n.\\=/0123456789{}[]\",:-eNtn"),
	.meaning_of_4 = 2,
};
