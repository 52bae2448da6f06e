/* SPDX-License-Identifier: ISC */
/*
 * firefox.c - the processed profile format of the Firefox Profiler, version 60.
 *
 * Source: src/types/profile.ts, docs-developer/CHANGELOG-formats.md and the step to version 60 in
 * processed-profile-versioning.ts of the Firefox Profiler, which reads older versions, too.
 */
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/trace/traceint.h"

/* The tables that frames refer to. */
struct tables {
	struct tab strings; /* functions' names and files */
	struct tab funcs; /* struct func */
	struct tab sources; /* numbers of strings */
	uint32_t *func_of_frame;
	uint64_t *base; /* of each run: the time that becomes 0 */
};

struct func {
	uint32_t name, source; /* source may be NODE_NONE */
};

static void
free_tables(struct tables *b)
{
	tab_free(&b->strings);
	tab_free(&b->funcs);
	tab_free(&b->sources);
	mem_free(b->func_of_frame);
	mem_free(b->base);
}

/* Returns the number of an item, or NODE_NONE if memory runs out. */
static uint32_t
number_of(struct tab *t, const void *item, size_t len)
{
	size_t i = tab_add(t, (struct slice){ item, len }, NULL);

	return i < NODE_NONE ? (uint32_t)i : NODE_NONE;
}

static bool
add_frame(const struct trace *t, struct tables *b, size_t i)
{
	struct func f = { 0, NODE_NONE };
	struct slice name, file;
	uint64_t line;
	uint32_t string;

	trace_frame(t, i, &name, &file, &line);
	f.name = number_of(&b->strings, name.p, name.len);
	if (file.len != 0) {
		string = number_of(&b->strings, file.p, file.len);
		f.source = number_of(&b->sources, &string, sizeof string);
		if (string == NODE_NONE || f.source == NODE_NONE)
			return false;
	}
	b->func_of_frame[i] = number_of(&b->funcs, &f, sizeof f);
	return f.name != NODE_NONE && b->func_of_frame[i] != NODE_NONE;
}

/* The first sample of a run has the time 0, since a thread's samples are in order. */
static bool
find_bases(const struct trace *t, struct tables *b)
{
	const struct threads *ts = &t->threads;
	size_t i;

	b->base = mem_alloc((ts->runs.count + 1) * sizeof *b->base);
	if (b->base == NULL)
		return false;
	for (i = 0; i < ts->runs.count; i++)
		b->base[i] = UINT64_MAX;
	for (i = 0; i < t->profile_keys.count; i++) {
		const struct profile *p = &t->profile[i];
		uint64_t *base = &b->base[ts->process[ts->thread[p->thread].process].run];

		if (p->sample[0].time < *base) /* there is a profile only for a sample */
			*base = p->sample[0].time;
	}
	return true;
}

static bool
make_tables(const struct trace *t, struct tables *b)
{
	size_t i;

	b->func_of_frame = mem_alloc((t->frames.count + 1) * sizeof *b->func_of_frame);
	if (b->func_of_frame == NULL)
		return false;
	for (i = 0; i < t->frames.count; i++)
		if (!add_frame(t, b, i))
			return false;
	return find_bases(t, b);
}

/* Writes a column of N equal items. */
static void
put_same(struct jwrite *j, const char *name, const char *item, size_t n)
{
	size_t i;

	jwrite_raw(j, ",\n\"");
	jwrite_raw(j, name);
	jwrite_raw(j, "\":[");
	for (i = 0; i < n && j->out->error == 0; i++) {
		jwrite_raw(j, i == 0 ? "" : ",");
		jwrite_raw(j, item);
	}
	jwrite_raw(j, "]");
}

/* Writes one item of a column: a number, or null for NODE_NONE. */
static void
put_item(struct jwrite *j, size_t i, uint32_t v)
{
	jwrite_raw(j, i == 0 ? "" : ",");
	if (v == NODE_NONE)
		jwrite_raw(j, "null");
	else
		jwrite_u64(j, v);
}

static void
put_length(struct jwrite *j, const char *name, size_t n)
{
	jwrite_raw(j, name);
	jwrite_raw(j, "{\"length\":");
	jwrite_u64(j, n);
}

static void
put_stack_table(const struct trace *t, struct jwrite *j)
{
	size_t i, n = t->nodes.count;

	put_length(j, "\"stackTable\":", n);
	jwrite_raw(j, ",\n\"prefix\":[");
	for (i = 0; i < n; i++)
		put_item(j, i, trace_node(t, (uint32_t)i).parent);
	jwrite_raw(j, "],\n\"frame\":[");
	for (i = 0; i < n; i++)
		put_item(j, i, trace_node(t, (uint32_t)i).frame);
	jwrite_raw(j, "]}");
}

static void
put_frame_table(const struct trace *t, struct jwrite *j, const struct tables *b)
{
	static const char *const nulls[] = { "nativeSymbol", "innerWindowID", "column" };
	size_t i, n = t->frames.count;
	struct slice name, file;
	uint64_t line;

	put_length(j, ",\n\"frameTable\":", n);
	put_same(j, "address", "-1", n);
	put_same(j, "inlineDepth", "0", n);
	put_same(j, "category", "0", n);
	put_same(j, "subcategory", "0", n);
	for (i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
		put_same(j, nulls[i], "null", n);
	jwrite_raw(j, ",\n\"func\":[");
	for (i = 0; i < n; i++)
		put_item(j, i, b->func_of_frame[i]);
	jwrite_raw(j, "],\n\"line\":[");
	for (i = 0; i < n; i++) {
		trace_frame(t, i, &name, &file, &line);
		jwrite_raw(j, i == 0 ? "" : ",");
		if (line == 0)
			jwrite_raw(j, "null");
		else
			jwrite_u64(j, line);
	}
	jwrite_raw(j, "]}");
}

static struct func
func_at(const struct tables *b, size_t i)
{
	struct func f;

	memcpy(&f, b->funcs.item[i].p, sizeof f);
	return f;
}

static void
put_func_table(struct jwrite *j, const struct tables *b)
{
	size_t i, n = b->funcs.count;

	put_length(j, ",\n\"funcTable\":", n);
	jwrite_raw(j, ",\n\"name\":[");
	for (i = 0; i < n; i++)
		put_item(j, i, func_at(b, i).name);
	jwrite_raw(j, "],\n\"source\":[");
	for (i = 0; i < n; i++)
		put_item(j, i, func_at(b, i).source);
	jwrite_raw(j, "]");
	put_same(j, "isJS", "false", n);
	put_same(j, "relevantForJS", "false", n);
	put_same(j, "resource", "-1", n);
	put_same(j, "lineNumber", "null", n);
	put_same(j, "columnNumber", "null", n);
	jwrite_raw(j, "}");
}

/* No function has a resource, since a stream has only the object of innermost frames. */
static void
put_shared(const struct trace *t, struct jwrite *j, const struct tables *b)
{
	uint32_t string;
	size_t i;

	jwrite_raw(j, "\"shared\":{");
	put_stack_table(t, j);
	put_frame_table(t, j, b);
	put_func_table(j, b);
	jwrite_raw(j,
	    ",\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],"
	    "\"type\":[]},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
	    "\"address\":[],\"name\":[],\"functionSize\":[]}");
	put_length(j, ",\n\"sources\":", b->sources.count);
	put_same(j, "id", "null", b->sources.count);
	jwrite_raw(j, ",\n\"filename\":[");
	for (i = 0; i < b->sources.count; i++) {
		memcpy(&string, b->sources.item[i].p, sizeof string);
		put_item(j, i, string);
	}
	jwrite_raw(j, "]},\n\"stringArray\":[");
	for (i = 0; i < b->strings.count; i++) {
		jwrite_raw(j, i == 0 ? "\n" : ",\n");
		jwrite_text(j, b->strings.item[i]);
	}
	jwrite_raw(j, "]}");
}

/* ---- threads */

/* How weights of a unit are shown: the program knows bytes, and times in milliseconds. */
static const struct weight {
	const char *unit, *type;
	int exponent; /* of 10, from the unit to milliseconds */
} weights[] = { { "ns", "tracing-ms", -6 }, { "us", "tracing-ms", -3 }, { "ms", "tracing-ms", 0 },
	{ "s", "tracing-ms", 3 }, { "B", "bytes", 0 }, { "bytes", "bytes", 0 },
	{ NULL, "samples", 0 } };

static const struct weight *
weight_of(struct slice unit)
{
	const struct weight *w = weights;

	while (w->unit != NULL && !slice_eq(unit, slice_of(w->unit)))
		w++;
	return w;
}

/* Writes a value times a power of 10, exactly. */
static void
put_weight(struct jwrite *j, struct slice number, int exponent)
{
	const char *e = memchr(number.p, 'e', number.len);
	struct slice digits = number;
	char text[NUM_MAX];
	int64_t own = 0;
	uint64_t v;

	if (exponent <= 0 && num_get_u64(number, &v)) {
		jwrite_decimal(j, v, (unsigned)-exponent);
		return;
	}
	if (e != NULL) {
		digits.len = (size_t)(e - number.p);
		(void)num_get_i64((struct slice){ e + 1, number.len - digits.len - 1 }, &own);
	}
	out_put(j->out, digits.p, digits.len);
	if (exponent == 0 && e == NULL)
		return;
	jwrite_raw(j, "e");
	out_put(j->out, text, num_put_i64(text, own + exponent));
}

static void
put_samples(const struct trace *t, struct jwrite *j, const struct profile *p, uint64_t base)
{
	const struct weight *w = weight_of(trace_measure(t, p->measure).unit);
	char room[NUM_MAX];
	size_t i;

	put_length(j, ",\n\"samples\":", p->n);
	jwrite_raw(j, ",\"weightType\":\"");
	jwrite_raw(j, w->type);
	jwrite_raw(j, "\",\n\"stack\":[");
	for (i = 0; i < p->n && j->out->error == 0; i++)
		put_item(j, i, p->sample[i].node);
	jwrite_raw(j, "],\n\"time\":[");
	for (i = 0; i < p->n && j->out->error == 0; i++) {
		jwrite_raw(j, i == 0 ? "" : ",");
		jwrite_decimal(j, p->sample[i].time - base, 6);
	}
	jwrite_raw(j, "],\n\"weight\":[");
	for (i = 0; i < p->n && j->out->error == 0; i++) {
		jwrite_raw(j, i == 0 ? "" : ",");
		put_weight(j, trace_value(t, p->sample[i].value, room), w->exponent);
	}
	jwrite_raw(j, "]}");
}

/* Writes a number of the stream and, if there are several, the run or the measure it is of. */
static void
put_id(struct trace *t, struct jwrite *j, struct slice id, const char *mark, size_t which)
{
	char digits[NUM_MAX];
	bool ok;

	t->text.len = 0;
	ok = buf_put(&t->text, id.p, id.len);
	if (which != 0)
		ok = ok && buf_puts(&t->text, mark) &&
		    buf_put(&t->text, digits, num_put_u64(digits, which));
	if (ok)
		jwrite_text(j, buf_slice(&t->text));
	else
		jwrite_no_memory(j);
}

static void
put_thread(struct trace *t, struct jwrite *j, const struct tables *b, const struct profile *p)
{
	const struct threads *ts = &t->threads;
	const struct thread *th = &ts->thread[p->thread];
	const struct process *process = &ts->process[th->process];

	jwrite_raw(j, "{\"name\":");
	trace_put_name(t, j, p);
	jwrite_raw(j, ",\"processName\":");
	if (threads_name_process(ts, th->process, &t->text))
		jwrite_text(j, buf_slice(&t->text));
	else
		jwrite_no_memory(j);
	jwrite_raw(j, ",\"pid\":");
	put_id(t, j, threads_text(ts, process->pid), " run ", process->run);
	jwrite_raw(j, ",\"tid\":");
	put_id(t, j, threads_text(ts, th->tid), ".", p->measure);
	jwrite_raw(j,
	    process->pid == th->tid ? ",\"isMainThread\":true" : ",\"isMainThread\":false");
	jwrite_raw(j,
	    ",\n\"processType\":\"default\",\"processStartupTime\":0,"
	    "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
	    "\"pausedRanges\":[],\n\"markers\":{\"length\":0,\"data\":[],\"name\":[],"
	    "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}");
	put_samples(t, j, p, b->base[process->run]);
	jwrite_raw(j, "}");
}

static void
put_meta(const struct trace *t, struct jwrite *j)
{
	uint64_t interval = pace_median_low(&t->pace);

	jwrite_raw(j, "\"meta\":{\"interval\":");
	jwrite_decimal(j, interval == 0 ? 1000000 : interval, 6);
	jwrite_raw(j,
	    ",\"startTime\":0,\"processType\":0,\"stackwalk\":1,\"version\":31,"
	    "\"preprocessedProfileVersion\":60,\n\"product\":\"afpipe\","
	    "\"importedFrom\":\"afpipe traceenc\",\"symbolicated\":true,"
	    "\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,"
	    "\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],\n"
	    "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
	    "\"subcategories\":[\"Other\"]}],\n"
	    "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},\n"
	    "\"extra\":[");
	if (t->remarks.len != 0) {
		jwrite_raw(j, "{\"label\":\"afpipe\",\"entries\":[");
		trace_put_remarks(t, j,
		    "{\"label\":\"note\",\"format\":\"string\",\"value\":", "}");
		jwrite_raw(j, "]}");
	}
	jwrite_raw(j, "]}");
}

int
firefox_write(struct trace *t, struct jwrite *j, struct err *e)
{
	struct tables b = { .base = NULL };
	size_t i;

	if (!make_tables(t, &b)) {
		free_tables(&b);
		return err_nomem(e);
	}
	jwrite_raw(j, "{");
	put_meta(t, j);
	jwrite_raw(j, ",\n\"libs\":[],\n");
	put_shared(t, j, &b);
	jwrite_raw(j, ",\n\"threads\":[");
	for (i = 0; i < t->profile_keys.count; i++) {
		jwrite_raw(j, i == 0 ? "\n" : ",\n");
		put_thread(t, j, &b, &t->profile[i]);
	}
	jwrite_raw(j, "]}\n");
	free_tables(&b);
	return 0;
}
