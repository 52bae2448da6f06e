/* SPDX-License-Identifier: ISC */
/*
 * metainfo.c - names of tracepoints that simpleperf keeps in its META_INFO feature.
 *
 * Keys and values, each up to its NUL.  The value of event_type_info is a line for each
 * event, NAME,TYPE,CONFIG, that of the older tracepoint_events NAME CONFIG
 * (simpleperf/cmd_record.cpp).  Other events are named as perf names them.
 */
#include "lib/num.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

/* What stands before the next SEP, which is passed over; all where there is none. */
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

static int
name_event(struct decoder *d, struct slice name, struct slice config, struct err *e)
{
	uint64_t id;
	size_t i;

	if (!num_get_u64(config, &id))
		return 0;
	for (i = 0; i < d->attrs; i++) {
		struct attr *a = &d->attr[i];

		if (a->type != PTYPE_TRACEPOINT || a->config != id || a->named || a->announced)
			continue;
		a->named = true;
		if (attr_set_name(a, name, e) != 0)
			return e->code;
	}
	return 0;
}

static int
name_events(struct decoder *d, struct slice lines, char sep, struct err *e)
{
	while (lines.len > 0) {
		struct slice line = part(&lines, '\n'), name = part(&line, sep);

		if (sep == ',' && !slice_eq(part(&line, sep), SLICE("2")))
			continue; /* no tracepoint */
		if (name_event(d, name, part(&line, sep), e) != 0)
			return e->code;
	}
	return 0;
}

int
metainfo_names(struct decoder *d, struct cur *c, struct err *e)
{
	size_t n = cur_left(c);
	struct slice text = { (const char *)cur_take(c, n), n };

	while (text.len > 0) {
		struct slice key = part(&text, '\0'), value = part(&text, '\0');

		if (slice_eq(key, SLICE("event_type_info")) && name_events(d, value, ',', e) != 0)
			return e->code;
		if (slice_eq(key, SLICE("tracepoint_events")) && name_events(d, value, ' ', e) != 0)
			return e->code;
	}
	return 0;
}
