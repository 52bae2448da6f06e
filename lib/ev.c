/* SPDX-License-Identifier: ISC */
/* ev.c - one line of the stream: its columns, tags and lists by name. */
#include "lib/ev.h"

#include "lib/num.h"
#include "lib/short.h"

static const struct slice names[EV_COLUMNS] = {
	{ "kind", 4 },
	{ "time", 4 },
	{ "run", 3 },
	{ "region", 6 },
	{ "measure", 7 },
	{ "value", 5 },
};

/* Removes and returns the part of *rest before the next SEPARATOR. */
static struct slice
take_until(struct slice *rest, char separator)
{
	const char *end = memchr(rest->p, separator, rest->len);
	struct slice s = { rest->p, end == NULL ? rest->len : (size_t)(end - rest->p) };

	if (end == NULL)
		*rest = (struct slice){ rest->p + rest->len, 0 };
	else
		*rest = (struct slice){ end + 1, rest->len - s.len - 1 };
	return s;
}

bool
ev_cut(struct slice line, uint32_t *at, size_t max, struct ev *ev)
{
	size_t n = 0, i, begin = 0;

	for (i = 0; i <= line.len; i++) {
		if (i < line.len && line.p[i] != '\t')
			continue;
		if (n == max)
			return false;
		at[n++] = (uint32_t)i;
	}
	if (n < EV_COLUMNS)
		return false;
	for (i = 0; i < EV_COLUMNS; begin = at[i++] + 1)
		ev->col[i] = (struct slice){ line.p + begin, at[i] - begin };
	begin = begin < line.len ? begin : line.len;
	ev->number = 0;
	ev->text = line;
	ev->tags = (struct slice){ line.p + begin, line.len - begin };
	ev->base = line.p;
	ev->cut = at + EV_COLUMNS - 1;
	ev->ntags = n - EV_COLUMNS;
	return true;
}

bool
ev_next_tag(struct slice *rest, struct ev_tag *tag)
{
	struct slice s;
	const char *eq;

	if (rest->len == 0)
		return false;
	s = take_until(rest, '\t');
	eq = memchr(s.p, '=', s.len);
	if (eq == NULL) {
		*tag = (struct ev_tag){ .key = { s.p, 0 }, .value = s };
		return true;
	}
	tag->key = (struct slice){ s.p, (size_t)(eq - s.p) };
	tag->value = (struct slice){ eq + 1, s.len - tag->key.len - 1 };
	return true;
}

bool
ev_is_basic_tag(struct slice key)
{
	switch (key.len) {
	case 2: return memcmp(key.p, "of", 2) == 0;
	case 3: return memcmp(key.p, "mid", 3) == 0;
	case 4:
		return memcmp(key.p, "type", 4) == 0 || memcmp(key.p, "unit", 4) == 0 ||
		    memcmp(key.p, "stat", 4) == 0;
	case 5:
		return memcmp(key.p, "start", 5) == 0 || memcmp(key.p, "scope", 5) == 0 ||
		    memcmp(key.p, "event", 5) == 0 || memcmp(key.p, "total", 5) == 0;
	case 7: return memcmp(key.p, "windows", 7) == 0;
	case 10: return memcmp(key.p, "percentile", 10) == 0;
	}
	return false;
}

bool
ev_is_free_key(struct slice key)
{
	static const char *const used[] = { "kind", "time", "run", "region", "measure", "value",
		"addr", "after", "again", "at", "aux", "aux_size", "before", "beyond",
		"branch_counters", "branches", "buildid", "by", "bytes", "caller", "cgroup",
		"cgroup_id", "change", "change.hi", "change.lo", "code_page_size", "comm", "count",
		"counters", "cpu", "data", "data_page_size", "data_src", "deferred", "delta.hi",
		"delta.lo", "depth", "dso", "elapsed", "enabled", "event", "event_id",
		"event_stream", "events", "extra", "forced", "frame", "frames", "hi", "hw_idx",
		"id", "ids", "image", "inlined", "ins_lat", "interval", "ip", "ips", "iregs",
		"iregs_mask", "json", "late", "leaf", "line", "lines", "lo", "lost", "mid", "misc",
		"mode", "n", "n.after", "n.before", "normalised", "of", "off", "omitted", "overlap",
		"p", "parent", "paused", "pcomm", "percentile", "period", "pgoff", "phys_addr",
		"pid", "place", "ppid", "preempt", "raw", "record", "ref", "retire_lat", "root",
		"round", "running", "scale", "scaled_unit", "scope", "share", "sps", "stack",
		"stack_cut", "stack_dump", "stack_used", "start", "stat", "stream", "symoff",
		"syscall", "thread", "tid", "total", "transaction", "type", "unit", "uregs",
		"uregs_mask", "utc", "weight", "why", "window", "windows" };
	static const struct slice prefixes[] = { SLICE_INIT("agg."), SLICE_INIT("mem_"),
		SLICE_INIT("p."), SLICE_INIT("part."), SLICE_INIT("stack."), SLICE_INIT("tag."),
		SLICE_INIT("tp."), SLICE_INIT("tx_") };
	size_t i;

	for (i = 0; i < sizeof used / sizeof used[0]; i++)
		if (slice_eq(key, slice_of(used[i])))
			return false;
	for (i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (slice_begins(key, prefixes[i]))
			return false;
	for (i = 0; i < key.len; i++)
		if (!((key.p[i] >= 'a' && key.p[i] <= 'z') ||
			(i > 0 &&
			    ((key.p[i] >= '0' && key.p[i] <= '9') || key.p[i] == '_' ||
				key.p[i] == '.'))))
			return false;
	return key.len != 0;
}

struct slice
ev_source_prefix(struct slice key)
{
	static const struct slice prefixes[] = { SLICE_INIT("tag."), SLICE_INIT("tp."),
		SLICE_INIT("p."), SLICE_INIT("hdr.") };
	size_t i;

	for (i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (slice_begins(key, prefixes[i]))
			return (struct slice){ key.p, prefixes[i].len };
	return SLICE("");
}

struct slice
ev_function(const struct ev *ev)
{
	static const struct slice keys[] = { SLICE_INIT("frame"), SLICE_INIT("leaf"),
		SLICE_INIT("caller"), SLICE_INIT("callee"), SLICE_INIT("root") };
	struct slice region = ev->col[EV_REGION], found = SLICE("."), value;
	size_t i, n = 0;

	if (!slice_is_nothing(region) || slice_eq(ev->col[EV_KIND], SLICE("sample")))
		return region;
	for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (ev_tag(ev, keys[i], &value)) {
			found = value;
			n++;
		}
	return n == 1 ? found : region;
}

bool
ev_tag_in(struct slice tags, struct slice key, struct slice *value)
{
	const char *p = tags.p, *end = tags.p + tags.len;

	while (p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		const char *stop = tab == NULL ? end : tab;

		if ((size_t)(stop - p) > key.len && p[key.len] == '=' &&
		    memcmp(p, key.p, key.len) == 0) {
			p += key.len + 1;
			*value = (struct slice){ p, (size_t)(stop - p) };
			return true;
		}
		p = stop + 1;
	}
	return false;
}

bool
ev_tag(const struct ev *ev, struct slice key, struct slice *value)
{
	size_t i;

	for (i = 0; i < ev->ntags; i++) {
		struct slice tag = ev_tag_at(ev, i);

		if (tag.len <= key.len || tag.p[key.len] != '=' ||
		    !short_eq((struct slice){ tag.p, key.len }, key))
			continue;
		*value = (struct slice){ tag.p + key.len + 1, tag.len - key.len - 1 };
		return true;
	}
	return false;
}

size_t
ev_keys_add(struct ev_keys *k, struct slice key)
{
	unsigned char *first = &k->first[ev_keys_hash(key)];

	k->next[k->count] = *first;
	*first = (unsigned char)(k->count + 1);
	k->key[k->count] = key;
	return k->count++;
}

enum ev_column
ev_column_named(struct slice name)
{
	int i;

	for (i = 0; i < EV_COLUMNS; i++)
		if (slice_eq(names[i], name))
			break;
	return (enum ev_column)i;
}

struct slice
ev_column_name(enum ev_column column)
{
	return names[column];
}

struct slice
ev_get(const struct ev *ev, struct slice key)
{
	struct slice value;

	return ev_tag(ev, key, &value) ? value : SLICE(".");
}

struct slice
ev_of_group(const struct ev *ev, enum ev_column column)
{
	struct slice kind = ev->col[EV_KIND], value;

	return ev_result_has_tag(column) &&
		(slice_eq(kind, SLICE("agg")) || slice_eq(kind, SLICE("diff"))) &&
		ev_tag(ev, names[column], &value)
	    ? value
	    : ev->col[column];
}

struct slice
ev_process(const struct ev *ev)
{
	struct slice name = ev_get(ev, SLICE("pcomm")), pid = ev_get(ev, SLICE("pid"));

	/* Without a pid, as on results by comm, comm may be the name of any thread. */
	if (!slice_is_nothing(name) || slice_is_nothing(pid) ||
	    !slice_eq(pid, ev_get(ev, SLICE("tid"))))
		return name;
	return ev_get(ev, SLICE("comm"));
}

void
ev_reads(struct slice key, ev_key_sink *sink, void *ctx)
{
	sink(ctx, key);
	if (!ev_is_process(key))
		return;
	sink(ctx, SLICE("pid"));
	sink(ctx, SLICE("tid"));
	sink(ctx, SLICE("comm"));
}

bool
ev_next_element(struct slice *rest, struct slice *element)
{
	if (rest->p == NULL)
		return false;
	if (memchr(rest->p, ';', rest->len) == NULL) {
		*element = *rest;
		*rest = (struct slice){ NULL, 0 };
		return true;
	}
	*element = take_until(rest, ';');
	return true;
}

size_t
ev_count_elements(struct slice list)
{
	struct slice element;
	size_t n = 0;

	while (ev_next_element(&list, &element))
		n++;
	return n;
}

size_t
ev_drop_shared(struct slice *a, struct slice *b)
{
	struct slice rest_a = *a, rest_b = *b, x, y;
	size_t n = 0;

	while (ev_next_element(&rest_a, &x) && ev_next_element(&rest_b, &y) && slice_eq(x, y)) {
		*a = rest_a;
		*b = rest_b;
		n++;
	}
	return n;
}

void
ev_split_line(struct slice element, struct slice *file, uint64_t *line)
{
	size_t colon = element.len;

	*line = 0;
	*file = (struct slice){ "", 0 };
	while (colon > 0 && element.p[colon - 1] != ':')
		colon--;
	if (colon == 0)
		return;
	*file = (struct slice){ element.p, colon - 1 };
	element = (struct slice){ element.p + colon, element.len - colon };
	if (!num_get_u64(element, line) || *line > INT64_MAX)
		*line = 0;
}

/* Removes what perunenc and perundec add to the name of a measure: a type, and a statistic. */
static struct slice
without_perun(struct slice measure)
{
	static const struct slice types[] = { SLICE_INIT("time."), SLICE_INIT("memory."),
		SLICE_INIT("mixed.") };
	struct slice name;
	const char *blank;
	size_t i;

	if (measure.len == 0 || (measure.p[0] != 't' && measure.p[0] != 'm'))
		return measure; /* most */
	for (i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (measure.len <= types[i].len || memcmp(measure.p, types[i].p, types[i].len) != 0)
			continue;
		name = (struct slice){ measure.p + types[i].len, measure.len - types[i].len };
		blank = memchr(name.p, ' ', name.len);
		if (blank != NULL)
			name.len = (size_t)(blank - name.p);
		return name;
	}
	return measure;
}

bool
ev_is_nested_measure(struct slice measure)
{
	struct slice end = SLICE(".delta");

	measure = without_perun(measure);
	return slice_eq(measure, SLICE("inclusive")) || slice_eq(measure, SLICE("union")) ||
	    (measure.len > end.len && slice_ends(measure, end));
}

bool
ev_is_self_measure(struct slice measure)
{
	return slice_eq(without_perun(measure), SLICE("self"));
}

bool
ev_value_is_text(const struct ev *ev)
{
	static const struct slice numbers[] = { SLICE_INIT("count"), SLICE_INIT("distinct"),
		SLICE_INIT("hist") };
	struct slice whole = SLICE("type=text"), type, stat;
	size_t i;

	/* most lines have no such text: that is faster to see than a tag's name is found */
	for (i = 0; i < ev->ntags && !slice_eq(ev_tag_at(ev, i), whole); i++)
		;
	return i < ev->ntags && ev_tag(ev, SLICE("type"), &type) && slice_eq(type, SLICE("text")) &&
	    !(ev_tag(ev, SLICE("stat"), &stat) && SLICE_AMONG(stat, numbers));
}

bool
ev_is_of_whole(const struct ev *ev)
{
	struct slice kind = ev->col[EV_KIND], measure = ev->col[EV_MEASURE], scope;

	return (slice_eq(kind, SLICE("span")) || slice_eq(kind, SLICE("agg"))) &&
	    ev_tag(ev, SLICE("scope"), &scope) &&
	    (slice_eq(scope, SLICE("run")) || slice_eq(scope, SLICE("region")) ||
		slice_eq(scope, SLICE("section"))) &&
	    !ev_is_self_measure(measure) && !ev_is_nested_measure(measure);
}

bool
ev_is_large_resource(const struct ev *ev)
{
	static const struct slice list = { "/resources/", 11 };
	struct slice at = ev->col[EV_REGION], parts;
	size_t n = at.len;

	if (!slice_eq(ev->col[EV_KIND], SLICE("header")) || !ev_tag(ev, SLICE("parts"), &parts))
		return false;
	while (n > 0 && at.p[n - 1] >= '0' && at.p[n - 1] <= '9')
		n--;
	if (n == at.len || n < list.len)
		return false;
	if (memcmp(at.p + n - list.len, list.p, list.len) == 0)
		return true;
	if (memcmp(at.p, list.p, list.len) != 0 || at.p[n - 1] != '/' || n == list.len)
		return false;
	/* /resources/TYPE/NUMBER */
	return memchr(at.p + list.len, '/', n - 1 - list.len) == NULL;
}
