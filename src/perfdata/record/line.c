/* SPDX-License-Identifier: ISC */
/* line.c - the check and the line of a record; records of types that have no name here. */
#include <inttypes.h>
#include <stdio.h>

#include "src/perfdata/record/parts.h"
#include "src/perfdata/sample/sample.h"
#include "src/perfdata/tags.h"

#define TEXT_MAX 512

/* NULL for a type whose records have no line. */
static const struct record_type *
type_with_line(uint32_t number)
{
	const struct record_type *type = record_type_of(number);

	return type == NULL || type->kind == NULL ? NULL : type;
}

static void
count(struct unknown *u, uint32_t type)
{
	size_t i;

	u->records++;
	for (i = 0; i < u->types && u->of[i].type != type; i++)
		;
	if (i == UNKNOWN_TYPES)
		return;
	if (i == u->types) {
		u->types++;
		u->of[i].type = type;
	}
	u->of[i].records++;
}

bool
record_fits(struct unknown *u, uint32_t number, struct cur body)
{
	const struct record_type *type = type_with_line(number);

	if (type == NULL) {
		count(u, number);
		return true;
	}
	return fields_fit(type->fields, body) && (type->fits == NULL || type->fits(body));
}

int
record_check(struct run *run, struct unknown *u, const struct rec *r, struct err *e)
{
	if (record_fits(u, r->type, events_body(run->events, r)))
		return 0;
	return err_byte(e, r->offset, "record of type %" PRIu32 " with %u bytes is too short",
	    r->type, r->size);
}

/* For a type without a name, all that can be printed: its bytes. */
static void
put_unknown(struct run *run, const struct rec *r, struct cur *c)
{
	size_t n = cur_left(c);

	evw_tag_u64(run->w, SLICE("type"), r->type);
	evw_tag_u64(run->w, SLICE("size"), r->size);
	evw_tag_hex(run->w, SLICE("misc"), r->misc);
	tags_put_bytes(run->w, SLICE("raw"), cur_take(c, n), n);
}

/* The event that it belongs to, if the trailer gives one. */
static void
put_trailer_ids(struct evwrite *w, const struct trailer *t)
{
	if ((t->have & (S_ID | S_IDENTIFIER)) != 0)
		evw_tag_hex(w, SLICE("event_id"), t->id);
	if ((t->have & S_STREAM_ID) != 0)
		evw_tag_hex(w, SLICE("event_stream"), t->stream_id);
}

void
record_put_line(struct run *run, const struct rec *r, struct cur c)
{
	const struct record_type *type = type_with_line(r->type);
	struct trailer t = events_trailer(run->events, r);
	uint64_t n;

	if (type != NULL && fields_who(type->fields, c, &t.pid, &t.tid))
		t.have |= S_TID;
	run_put_head(run, type == NULL ? SLICE("unknown") : slice_of(type->kind), &t, SLICE("."),
	    NULL);
	if (type == NULL) {
		put_unknown(run, r, &c);
	} else {
		n = fields_put(run->w, type->fields, &c);
		if (type->rest != NULL)
			type->rest(run, r, &c, n);
	}
	put_trailer_ids(run->w, &t);
	run_put_end(run);
}

void
record_put(struct run *run, const struct rec *r)
{
	if (!loss_is_all(r, run->events->big_endian))
		record_put_line(run, r, events_body(run->events, r));
}

/* If all records are printed or counted, nothing was skipped silently. */
void
unknown_note(const struct unknown *u, const struct run *run)
{
	uint64_t listed = 0;
	char text[TEXT_MAX];
	size_t i, n;

	if (u->records == 0 || run->opt->all || run->opt->stats || run->opt->header)
		return;
	n = (size_t)snprintf(text, sizeof text,
	    "%" PRIu64 " record%s of unknown type ignored:", u->records,
	    u->records == 1 ? "" : "s");
	for (i = 0; i < u->types && n < sizeof text; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%s %" PRIu32 " (%" PRIu64 ")",
		    i == 0 ? "" : ",", u->of[i].type, u->of[i].records);
		listed += u->of[i].records;
	}
	if (listed != u->records && n < sizeof text)
		(void)snprintf(text + n, sizeof text - n, ", others (%" PRIu64 ")",
		    u->records - listed);
	input_note(run->input, text);
}
