/* SPDX-License-Identifier: ISC */
/*
 * metainfo.c - names of tracepoints that simpleperf keeps in its META_INFO feature.
 *
 * It has keys and values, each ended by NUL.  The value of event_type_info has a line for
 * each event, NAME,TYPE,CONFIG; the older tracepoint_events has NAME CONFIG
 * (simpleperf/cmd_record.cpp).  Other events get the names that perf gives them.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

/* Takes the text before the next SEP, and skips SEP; all of it if there is none. */
static struct slice
part(struct slice *text, char sep)
{
	const char *end = text->len == 0 ? NULL : memchr(text->p, sep, text->len);
	size_t n = end == NULL ? text->len : (size_t)(end - text->p);
	struct slice s = { text->p, n };

	n += end != NULL;
	text->p += n;
	text->len -= n;
	return s;
}

/* An event that has no name yet. */
struct nameless {
	uint64_t config;
	struct attr *attr;
};

/* All of them, by config: there may be as many lines as events. */
struct namelesses {
	struct nameless *item;
	size_t count;
};

static int
compare(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	return (x->config > y->config) - (x->config < y->config);
}

static int
find_nameless(const struct decoder *d, struct namelesses *n, struct err *e)
{
	size_t i;

	n->item = mem_alloc((d->attrs + 1) * sizeof *n->item);
	if (n->item == NULL)
		return err_nomem(e);
	for (i = 0; i < d->attrs; i++) {
		struct attr *a = &d->attr[i];

		if (a->type == PTYPE_TRACEPOINT && !a->named && !a->announced)
			n->item[n->count++] = (struct nameless){ a->config, a };
	}
	qsort(n->item, n->count, sizeof *n->item, compare);
	return 0;
}

/* All of one config get their name together, so the first shows whether they have it. */
static int
name_event(const struct namelesses *n, struct slice name, struct slice config, struct err *e)
{
	size_t low = 0, high = n->count;
	uint64_t id;

	if (!num_get_u64(config, &id))
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->item[middle].config < id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n->count && n->item[low].config == id && !n->item[low].attr->named; low++) {
		n->item[low].attr->named = true;
		if (attr_set_name(n->item[low].attr, name, e) != 0)
			return e->code;
	}
	return 0;
}

static int
name_events(const struct namelesses *n, struct slice lines, char sep, struct err *e)
{
	while (lines.len > 0) {
		struct slice line = part(&lines, '\n'), name = part(&line, sep);

		if (sep == ',' && !slice_eq(part(&line, sep), SLICE("2")))
			continue; /* not a tracepoint */
		if (name_event(n, name, part(&line, sep), e) != 0)
			return e->code;
	}
	return 0;
}

int
metainfo_names(struct decoder *d, struct cur *c, struct err *e)
{
	size_t n = cur_left(c);
	struct slice text = { (const char *)cur_take(c, n), n };
	struct namelesses nameless = { NULL, 0 };
	int rc = find_nameless(d, &nameless, e);

	while (rc == 0 && text.len > 0) {
		struct slice key = part(&text, '\0'), value = part(&text, '\0');

		if (slice_eq(key, SLICE("event_type_info")))
			rc = name_events(&nameless, value, ',', e);
		else if (slice_eq(key, SLICE("tracepoint_events")))
			rc = name_events(&nameless, value, ' ', e);
	}
	mem_free(nameless.item);
	return rc;
}
