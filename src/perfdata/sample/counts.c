/* SPDX-License-Identifier: ISC */
/* counts.c - the counters in a SAMPLE or READ record: whose they are, and how they grow. */
#include <inttypes.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

/*
 * The event of the i-th counter of n.  Without ids it is the record's own event or, in a
 * group that contains all events, it follows from their order; then *c gets an id that
 * identifies the counter.
 */
static bool
find_event(const struct decoder *d, const struct readings *r, uint64_t n, uint64_t i,
    struct counter *c, uint32_t *attr)
{
	const struct id_entry *entry;

	if ((r->a->read_format & R_ID) != 0) {
		entry = idmap_find(&d->ids, c->id);
		*attr = entry == NULL ? 0 : entry->attr;
		return entry != NULL;
	}
	if (n == 1) {
		*attr = (uint32_t)(r->a - d->attr);
		c->id = r->id != 0 ? r->id : UINT64_MAX - *attr;
		return true;
	}
	entry = r->id == 0 ? NULL : idmap_find(&d->ids, r->id);
	*attr = (uint32_t)i;
	c->id = UINT64_MAX - ((uint64_t)(entry == NULL ? 0 : entry->nth) << 16 | i);
	return n == d->attrs;
}

/* Can all of them be decoded? */
static int
check(const struct decoder *d, const struct readings *r, struct err *e)
{
	struct counters walk;
	struct counter c;
	uint64_t n, i;
	uint32_t attr;

	if (!counters_begin(&walk, r->part, r->a->read_format))
		return err_byte(e, r->offset, "more counters than the record has room for");
	n = walk.left;
	for (i = 0; i < n; i++) {
		if (!counters_next(&walk, &c))
			return err_byte(e, r->offset, "more counters than the record has room for");
		if (find_event(d, r, n, i, &c, &attr))
			continue;
		if ((r->a->read_format & R_ID) != 0)
			return err_byte(e, r->offset, "counter of unknown id 0x%" PRIx64, c.id);
		return err_byte(e, r->offset,
		    "%" PRIu64 " counters without ids: which events they are of is not recorded",
		    n);
	}
	return 0;
}

/* Each thread of an inherited event has its own counter, which is dropped with the thread. */
static bool
is_own(const struct decoder *d, const struct readings *r, uint32_t attr)
{
	return r->thread != NULL && (d->attr[attr].flags & A_INHERIT) != 0;
}

/*
 * The entry of the counter, made if there is none yet.  NULL if nothing has to be kept or,
 * with *e set, when there is no memory.
 */
static struct id_entry *
last_reading(struct decoder *d, const struct readings *r, uint32_t attr, uint64_t id, struct err *e)
{
	bool own = is_own(d, r, attr);
	struct idmap *map = &d->ids;

	e->code = ERR_NONE;
	if (own)
		map = r->final ? r->thread->counters : thread_counters(r->thread);
	if (!(r->final && own) && (map == NULL || !idmap_add(map, id, attr)))
		err_nomem(e);
	return map == NULL ? NULL : idmap_find(map, id);
}

/* Takes the growth of one counter.  Its lost line comes first. */
static int
take(struct decoder *d, const struct readings *r, uint32_t attr, const struct counter *c,
    uint64_t *grown, struct err *e)
{
	struct id_entry *entry = last_reading(d, r, attr, c->id, e);
	uint64_t lost = c->lost;

	*grown = c->value;
	if (e->code != ERR_NONE)
		return e->code;
	/* a counter smaller than before has restarted */
	if (entry != NULL && entry->seen && c->value >= entry->last)
		*grown -= entry->last;
	if (entry != NULL && entry->seen && c->lost >= entry->lost)
		lost -= entry->lost;
	if (entry != NULL) {
		entry->seen = r->final && is_own(d, r, attr) ? 0 : 1;
		entry->last = c->value;
		entry->lost = c->lost;
	}
	if (lost != 0)
		emit_lost_count(d, &r->at, attr, lost);
	return 0;
}

int
counts_take(struct decoder *d, const struct readings *r, counts_sink *sink, void *ctx,
    struct err *e)
{
	struct counters walk;
	struct counter c;
	uint64_t n, i, grown = 0;
	uint32_t attr = 0;

	if (check(d, r, e) != 0)
		return e->code;
	if (!counters_begin(&walk, r->part, r->a->read_format))
		return err_data(e, "no counters");
	n = walk.left;
	for (i = 0; counters_next(&walk, &c); i++) {
		(void)find_event(d, r, n, i, &c, &attr);
		if (take(d, r, attr, &c, &grown, e) != 0)
			return e->code;
		sink(ctx, attr, &c, grown);
	}
	return 0;
}
