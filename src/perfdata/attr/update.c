/* SPDX-License-Identifier: ISC */
/*
 * update.c - changes of an event that perf sends after its attr.
 *
 * Layout: struct perf_record_event_update in tools/lib/perf/include/perf/event.h.
 */
#include <string.h>

#include "lib/esc.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

static int
take_unit(struct attr *a, struct cur *c, struct err *e)
{
	struct slice unit;

	unit.p = cur_rest_string(c, &unit.len);
	a->scaled_unit.len = 0;
	return esc_append(&a->scaled_unit, unit.p, unit.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

static void
take_scale(struct attr *a, struct cur *c)
{
	uint64_t bits = cur_u64(c);

	memcpy(&a->scale, &bits, sizeof a->scale);
}

static int
take_name(struct attr *a, struct cur *c, struct err *e)
{
	struct slice name;

	name.p = cur_rest_string(c, &name.len);
	if (name.len == 0)
		return 0; /* no measure would have it */
	a->named = true;
	return attr_set_name(a, name, e);
}

static int
take_cpus(struct attr *a, struct cur *c, struct err *e)
{
	a->cpus.len = 0;
	if (cpumap_take(&a->own_cpus, c, e) != 0)
		return e->code;
	return cpumap_put(&a->own_cpus, ',', &a->cpus) ? 0 : err_nomem(e);
}

int
attrs_update(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);
	uint64_t type = cur_u64(&c), id = cur_u64(&c);
	const struct id_entry *entry = idmap_find(&d->ids, id);
	struct attr *a;
	int rc = 0;

	if (entry == NULL)
		return 0;
	a = &d->attr[entry->attr];
	switch (type) {
	case UPDATE_UNIT: rc = take_unit(a, &c, e); break;
	case UPDATE_SCALE: take_scale(a, &c); break;
	case UPDATE_NAME: rc = take_name(a, &c, e); break;
	case UPDATE_CPUS: rc = take_cpus(a, &c, e); break;
	default: return 0;
	}
	if (rc == 0 && !cur_ok(&c))
		rc = err_byte(e, r->offset, "event update of %u bytes is too short", r->size);
	if (rc == 0 && a->announced &&
	    (type == UPDATE_NAME || d->counting)) { /* the line printed before is out of date */
		a->announced = false;
		run_measure(d, a);
	}
	return rc;
}
