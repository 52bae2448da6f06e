/* SPDX-License-Identifier: ISC */
/*
 * trace.c - fuzzes the three outputs of traceenc.
 *
 * Each must be JSON without repeated keys, whose numbers of frames, stacks and strings are valid,
 * and in which slices nest.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "src/trace/timeline.h"
#include "src/trace/trace.h"
#include "t/fuzz/fuzz.h"

static void
open_output(struct out *o)
{
	check(out_open(o, -1), "no memory");
	o->hold = true;
}

/* Stores the next line of standard input.  Returns false at the end; errors make *good false. */
static bool
next(struct evread *r, struct ev *ev, bool *good)
{
	struct err e;
	int rc;

	while ((rc = evread_next(r, ev, &e)) < 0)
		*good = false;
	return rc > 0;
}

/* ---- speedscope and firefox */

/* Makes the output of the stream on standard input.  Returns true if nothing was refused. */
static bool
make_trace(struct out *o, enum trace_target target)
{
	struct evread *r = evread_open(NULL, 0, 0);
	struct trace *t = trace_new(target);
	char text[512];
	bool good = true;
	struct ev ev;
	struct err e;
	size_t at = 0;

	check(r != NULL && t != NULL, "no memory");
	while (next(r, &ev, &good)) {
		if (trace_line(t, &ev, &e) == 0)
			continue;
		check_error(&e);
		good = false;
	}
	while (trace_note(t, &at, text, sizeof text))
		check(trace_remark(t, text, &e) == 0, "no memory");
	check(trace_write(t, o, &e) == 0 && o->error == 0, "an output that is not whole");
	trace_free(t);
	evread_close(r);
	return good;
}

/* Checks that LIST has N items, each a number below LIMIT, or null if NULLS is set. */
static void
check_list(const json_t *list, size_t n, double limit, bool nulls)
{
	size_t i;

	check(json_is_array(list) && json_array_size(list) == n, "a list of another length");
	for (i = 0; i < n; i++) {
		const json_t *v = json_array_get(list, i);

		check((nulls && json_is_null(v)) ||
			(json_is_number(v) && json_number_value(v) >= 0 &&
			    json_number_value(v) < limit),
		    "a number of nothing");
	}
}

static void
check_speedscope(const json_t *d)
{
	const json_t *profiles = json_object_get(d, "profiles");
	size_t i, k,
	    frames = json_array_size(json_object_get(json_object_get(d, "shared"), "frames"));

	for (i = 0; i < json_array_size(profiles); i++) {
		const json_t *p = json_array_get(profiles, i);
		const json_t *samples = json_object_get(p, "samples");
		size_t n = json_array_size(samples);

		check(n != 0, "a profile without samples");
		check_list(json_object_get(p, "weights"), n, HUGE_VAL, false);
		for (k = 0; k < n; k++) {
			const json_t *s = json_array_get(samples, k);

			check(json_array_size(s) != 0, "a sample without frames");
			check_list(s, json_array_size(s), (double)frames, false);
		}
	}
}

static void
check_firefox(const json_t *d)
{
	const json_t *s = json_object_get(d, "shared"), *threads = json_object_get(d, "threads");
	const json_t *stacks = json_object_get(s, "stackTable");
	const json_t *frames = json_object_get(s, "frameTable");
	const json_t *funcs = json_object_get(s, "funcTable");
	const json_t *sources = json_object_get(s, "sources");
	size_t nstacks = json_array_size(json_object_get(stacks, "frame")), i, n;
	size_t nframes = json_array_size(json_object_get(frames, "func"));
	size_t nfuncs = json_array_size(json_object_get(funcs, "name"));
	size_t nsources = json_array_size(json_object_get(sources, "filename"));
	double strings = (double)json_array_size(json_object_get(s, "stringArray"));

	check_list(json_object_get(stacks, "prefix"), nstacks, (double)nstacks, true);
	check_list(json_object_get(stacks, "frame"), nstacks, (double)nframes, false);
	check_list(json_object_get(frames, "func"), nframes, (double)nfuncs, false);
	check_list(json_object_get(frames, "line"), nframes, HUGE_VAL, true);
	check_list(json_object_get(funcs, "name"), nfuncs, strings, false);
	check_list(json_object_get(funcs, "source"), nfuncs, (double)nsources, true);
	check_list(json_object_get(sources, "filename"), nsources, strings, false);
	for (i = 0; i < json_array_size(threads); i++) {
		s = json_object_get(json_array_get(threads, i), "samples");
		n = json_array_size(json_object_get(s, "weight"));
		check(n != 0, "a thread without samples");
		check_list(json_object_get(s, "stack"), n, (double)nstacks, false);
		check_list(json_object_get(s, "time"), n, HUGE_VAL, false);
	}
}

/* ---- perfetto */

static bool
make_timeline(struct out *o)
{
	struct evread *r = evread_open(NULL, 0, 0);
	struct timeline *l = timeline_new(o);
	char text[512];
	bool good = true, told = false;
	struct ev ev;
	struct err e;
	size_t at = 0;

	check(r != NULL && l != NULL, "no memory");
	while (next(r, &ev, &good))
		check(timeline_line(l, &ev, &e) == 0, "a line that is refused");
	if (timeline_late(l, &told, &e) != 0)
		check_error(&e);
	check(timeline_settle(l, &e) == 0 && timeline_names(l, &e) == 0, "no memory");
	while (timeline_note(l, &at, text, sizeof text))
		timeline_remark(l, text);
	timeline_end(l);
	check(o->error == 0, "an output that is not whole");
	timeline_free(l);
	evread_close(r);
	return good && !told;
}

/* Each end must have the name of the innermost slice of its thread, and all must end. */
static void
check_timeline(const json_t *d)
{
	const json_t *events = json_object_get(d, "traceEvents"), *e;
	json_t *threads = json_object(), *open;
	const char *key, *type;
	char thread[64];
	size_t i, n;

	check(threads != NULL && json_is_array(events), "no events");
	json_array_foreach(events, i, e)
	{
		type = json_string_value(json_object_get(e, "ph"));
		check(type != NULL && strlen(type) == 1 && strchr("BEXCM", *type) != NULL, "type");
		check(*type == 'M' || json_number_value(json_object_get(e, "ts")) >= 0, "a time");
		if (*type != 'B' && *type != 'E')
			continue;
		snprintf(thread, sizeof thread, "%.0f/%.0f",
		    json_number_value(json_object_get(e, "pid")),
		    json_number_value(json_object_get(e, "tid")));
		open = json_object_get(threads, thread);
		if (open == NULL) {
			open = json_array();
			check(json_object_set_new(threads, thread, open) == 0, "no memory");
		}
		n = json_array_size(open);
		if (*type == 'B') {
			check(json_array_append(open, json_object_get(e, "name")) == 0, "memory");
			continue;
		}
		check(n != 0 && json_equal(json_array_get(open, n - 1), json_object_get(e, "name")),
		    "an end of another slice");
		check(json_array_remove(open, n - 1) == 0, "no memory");
	}
	json_object_foreach(threads, key, open)
	    check(json_array_size(open) == 0, "a slice that does not end");
	json_decref(threads);
}

/* ---- an input */

static void
check_output(const struct out *o, void check_it(const json_t *))
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
	json_error_t error;
	json_t *d = json_loadb(o->p, o->len, flags, &error);

	/* a sum may be larger than a double */
	check(d != NULL || json_error_code(&error) == json_error_numeric_overflow, error.text);
	if (d != NULL)
		check_it(d);
	json_decref(d);
}

/* Each way is an output. */
enum way { SPEEDSCOPE, FIREFOX, TIMELINE, WAYS };

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static void (*const checks[WAYS])(
	    const json_t *) = { check_speedscope, check_firefox, check_timeline };
	static int in = -1;
	struct out o;
	bool good;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	stdin_file(in);
	open_output(&o);
	if (way == TIMELINE)
		good = make_timeline(&o);
	else
		good = make_trace(&o, way == FIREFOX ? TRACE_FIREFOX : TRACE_SPEEDSCOPE);
	check_output(&o, checks[way]);
	out_free(&o);
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = WAYS,
	.meaning = SLICE_INIT("\t\n.\\=;:@+-01x?ke"),
	.meaning_of_4 = 2,
};
