/* SPDX-License-Identifier: ISC */
/*
 * attrs.h - the event of a sample, and the time of a record.
 *
 * Both are needed for every record, so the common cases are inlined here; the rest
 * is in attrs.c.
 */
#ifndef AFPIPE_PERFDATA_ATTRS_H
#define AFPIPE_PERFDATA_ATTRS_H

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

struct attr *attrs_by_id(struct decoder *d, uint64_t id);
uint64_t attrs_other_time(struct decoder *d, const struct rec *r);

/* A u64 of the record, 0 if the record is too short. */
static inline uint64_t
attrs_u64_at(const struct decoder *d, const struct rec *r, size_t at)
{
	return r->size < at + 8 ? 0 : cur_word64(r->p + at, d->big_endian != cur_host_big());
}

/* Both 0 and the largest value mean that there is no time. */
static inline uint64_t
attrs_timestamp(uint64_t time)
{
	return time == UINT64_MAX ? 0 : time;
}

/* The attr of a SAMPLE; NULL if its id is unknown (*id is that id), or if d->mixed. */
static inline struct attr *
attrs_of_sample(struct decoder *d, const struct rec *r, uint64_t *id)
{
	const struct recent_id *recent;

	if (d->id_at == 0)
		return d->mixed ? NULL : d->attr;
	*id = attrs_u64_at(d, r, d->id_at);
	recent = &d->recent[*id % RECENT_IDS];
	return recent->id == *id ? &d->attr[recent->attr] : attrs_by_id(d, *id);
}

/* Time of a kernel record, 0 if it has none. */
static inline uint64_t
attrs_time(struct decoder *d, const struct rec *r)
{
	if (r->type == REC_SAMPLE && d->time_at != 0)
		return attrs_timestamp(attrs_u64_at(d, r, d->time_at));
	return attrs_other_time(d, r);
}

#endif
