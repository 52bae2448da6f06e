/* SPDX-License-Identifier: ISC */
/* attrs.c - the list of events, and which of them a record belongs to. */

#include "src/perfdata/attr/attrs.h"

#include "lib/vec.h"

/* The bits that decide where time and id are. */
#define S_PLACES (S_IDENTIFIER | S_IP | S_TID | S_TIME | S_ADDR | S_ID | S_STREAM_ID | S_CPU)

static int
name_by_fields(struct attr *a, struct err *e)
{
	char name[ATTR_NAME_MAX];
	size_t n = attr_made_up_name(a, name);

	return attr_set_name(a, (struct slice){ name, n }, e);
}

/* Byte offset of a field in a SAMPLE, by the bits of those before it. */
static size_t
place_of(uint64_t sample_type, uint64_t field)
{
	static const uint64_t before[] = { S_IDENTIFIER, S_IP, S_TID, S_TIME, S_ADDR, S_ID };
	size_t at = REC_HEADER, i;

	for (i = 0; i < sizeof before / sizeof before[0] && before[i] != field; i++)
		if ((sample_type & before[i]) != 0)
			at += 8;
	return at;
}

/* The offset of the id that identifies a sample's event; 0 if there is none. */
static size_t
place_of_id(uint64_t sample_type)
{
	if ((sample_type & S_IDENTIFIER) != 0)
		return REC_HEADER;
	return (sample_type & S_ID) != 0 ? place_of(sample_type, S_ID) : 0;
}

static bool
is_laid_out_alike(const struct attr *a, const struct attr *b)
{
	return a->sample_type == b->sample_type &&
	    ((a->sample_type & S_READ) == 0 || a->read_format == b->read_format);
}

int
attrs_add(struct decoder *d, struct cur *c, struct err *e)
{
	struct attr *a;

	if (d->attrs >= ATTRS_MAX)
		return err_data(e, "more than %d events", ATTRS_MAX);
	if (!vec_room(d->attr, d->attrs, d->attr_cap))
		return err_nomem(e);
	a = &d->attr[d->attrs];
	if (attr_parse(a, c, e) != 0)
		return e->code;
	d->one_layout = d->attrs == 0 ||
	    (d->one_layout && ((a->sample_type ^ d->attr[0].sample_type) & S_PLACES) == 0);
	d->attrs++;
	d->prints = !d->opt->header && !d->opt->stats;
	d->defers |= (a->flags & A_DEFER_CALLCHAIN) != 0;
	d->time_at =
	    d->one_layout && (a->sample_type & S_TIME) != 0 ? place_of(a->sample_type, S_TIME) : 0;
	d->id_at = d->attrs > 1 ? place_of_id(d->attr[0].sample_type) : 0;
	d->mixed |= d->id_at == 0 && !is_laid_out_alike(a, &d->attr[0]);
	if (name_by_fields(a, e) != 0)
		return e->code;
	return tracing_name(d, a, e);
}

int
attrs_add_id(struct decoder *d, size_t attr, uint64_t id, struct err *e)
{
	struct attr *a = &d->attr[attr];
	struct id_entry *entry;

	if (a->first_id == 0)
		a->first_id = id;
	if (!idmap_add(&d->ids, id, (uint32_t)attr))
		return err_nomem(e);
	entry = idmap_find(&d->ids, id);
	if (entry->attr == attr)
		entry->nth = a->ids++ & (IDMAP_MAX * 2 - 1);
	return 0;
}

/* perf uses id 0 in records that it makes up itself; it means the first event. */
struct attr *
attrs_by_id(struct decoder *d, uint64_t id)
{
	struct id_entry *entry;

	if (id == 0)
		return &d->attr[0];
	entry = idmap_find(&d->ids, id);
	if (entry == NULL)
		return NULL;
	d->recent[id % RECENT_IDS] = (struct recent_id){ id, entry->attr };
	return &d->attr[entry->attr];
}

struct attr *
attrs_of_other(struct decoder *d, const struct rec *r)
{
	struct attr *first = d->attr, *a = NULL;
	struct trailer t;

	if (d->attrs == 1 || (first->flags & A_SAMPLE_ID_ALL) == 0)
		return first;
	if ((first->sample_type & S_IDENTIFIER) != 0)
		a = r->size >= REC_HEADER + 8
		    ? attrs_by_id(d, attrs_u64_at(d, r, r->size - (size_t)8))
		    : NULL;
	else if ((first->sample_type & S_ID) != 0 && trailer_decode(&t, first, r, d->big_endian))
		a = attrs_by_id(d, t.id);
	return a == NULL ? first : a;
}

uint64_t
attrs_other_time(struct decoder *d, const struct rec *r)
{
	const struct attr *a = d->attr;
	struct trailer t;
	uint64_t id = 0;

	if (d->attrs == 0)
		return 0;
	if (r->type == REC_SAMPLE) {
		a = attrs_of_sample(d, r, &id);
		if (a == NULL || (a->sample_type & S_TIME) == 0)
			return 0;
		return attrs_timestamp(attrs_u64_at(d, r, place_of(a->sample_type, S_TIME)));
	}
	if (!d->one_layout)
		a = attrs_of_other(d, r);
	if ((a->flags & A_SAMPLE_ID_ALL) == 0 || !trailer_decode(&t, a, r, d->big_endian))
		return 0;
	return attrs_timestamp(t.time);
}
