/* SPDX-License-Identifier: ISC */
/*
 * heap.c - reads a profile's snapshots, their resources and the unit for both maps, and makes the
 * heat map, which shows how often each address was allocated.
 */
#include "src/perun/heap/heap.h"

#include <stdio.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spool.h"
#include "src/perun/heap/heapint.h"
#include "src/perun/pytext.h"

#define BOUND_MIN 500
#define BOUND_MAX 1000000

/*
 * A resource that waits in the temporary file until the beginning of the map is known.  The texts
 * of its address and its amount follow it.
 */
struct waiting {
	uint64_t line;
	struct jscan_token address, amount; /* with off 0; amount.len is 0 if it is missing */
};

/*
 * The cells of the map.  A step is the number of allocations of a cell less that of the cell before
 * it.
 */
struct cells {
	int64_t *step; /* len + 1 steps */
	int64_t len;
};

static void
heat_free(struct heat *t)
{
	pynum_free(&t->max);
	pynum_free(&t->min);
	spool_close(&t->later);
	buf_free(&t->text);
}

static int
keep(struct heap *h, uint32_t address, uint32_t amount, struct err *e)
{
	const struct jscan_token *k = h->v.j.token;
	struct waiting w = { .line = h->line, .address = k[address] };
	int rc = spool_open(&h->heat.later, e);
	size_t n;
	char *p;

	if (rc != 0)
		return rc;
	if (amount != JVALUE_NONE)
		w.amount = k[amount];
	if (w.amount.kind <= JSCAN_STRING)
		/* if it is not a number, its text does not matter */
		w.amount.len = amount != JVALUE_NONE;
	w.address.off = w.amount.off = 0;
	n = sizeof w + w.address.len + w.amount.len;
	p = spool_room(&h->heat.later, n);
	if (p == NULL)
		return err_nomem(e);
	memcpy(p, &w, sizeof w);
	memcpy(p + sizeof w, h->v.j.text + k[address].off, w.address.len);
	if (amount != JVALUE_NONE)
		memcpy(p + sizeof w + w.address.len, h->v.j.text + k[amount].off, w.amount.len);
	return spool_put(&h->heat.later, n, e);
}

/* Extends the bounds of the map.  A missing amount is 0 here. */
static int
widen(struct heap *h, const struct pynum *address, uint32_t amount, struct err *e)
{
	struct pynum size = PYNUM(0), end;
	int rc = 0;

	if (amount != JVALUE_NONE)
		rc = pynum_read(&size, h->v.j.text, &h->v.j.token[amount], e);
	if (rc == ERR_DATA)
		return err_data(e, "the resource's amount is not a number");
	if (rc == 0) {
		rc = pynum_add(&end, address, &size, e);
		pynum_free(&size);
	}
	if (rc != 0)
		return rc;
	rc = heap_greatest(&h->heat.max, &end, h->heat.any, e);
	if (rc == 0)
		rc = heap_least(&h->heat.min, address, h->heat.any, e);
	pynum_free(&end);
	h->heat.any = true;
	return rc;
}

static int
heat_resource(struct heap *h, struct err *e)
{
	uint32_t address, amount;
	struct pynum start, zero = PYNUM(0);
	int rc = jvalue_need(&h->v, 0, "the resource", "address", &address, e);

	if (rc != 0)
		return rc;
	amount = jvalue_member(&h->v, 0, SLICE("amount"));
	if (amount == JVALUE_NO_MEMORY)
		return err_nomem(e);
	rc = pynum_read(&start, h->v.j.text, &h->v.j.token[address], e);
	if (rc == ERR_DATA)
		return err_data(e, "the resource's address is not a number");
	if (rc != 0)
		return rc;
	if (pynum_less(&zero, &start))
		rc = widen(h, &start, amount, e);
	pynum_free(&start);
	return rc != 0 ? rc : keep(h, address, amount, e);
}

static void
warm(struct cells *c, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	c->step[from]++;
	c->step[to]--;
}

/*
 * Adds a resource that is not wholly inside the map.  Addresses of 0 or less do not affect the
 * bounds of the map, and a resource may extend beyond the upper bound.  Perun counts a negative
 * index from the end, as Python does, or fails.
 */
static int
warm_odd(struct heap *h, struct cells *c, const struct pynum *first, const struct pynum *size,
    struct err *e)
{
	int64_t from = first->as.i, to;

	if (!h->compat && (first->kind != PYNUM_INT || from < 0)) {
		h->heat.low++;
		return 0;
	}
	if (!h->compat) {
		h->heat.beyond++;
		warm(c, from, c->len);
		return 0;
	}
	if (first->kind != PYNUM_INT || from < -c->len)
		return err_data(e, "the resource's address is before the map");
	if (size->kind == PYNUM_BIG || size->as.i > c->len - from)
		return err_data(e, "the resource reaches beyond the map");
	to = from + size->as.i;
	warm(c, c->len + from, c->len + (to < 0 ? to : 0));
	warm(c, 0, to);
	return 0;
}

/* Adds a resource whose address is not above the map. */
static int
warm_resource(struct heap *h, struct cells *c, const struct pynum *address,
    const struct pynum *size, struct err *e)
{
	struct pynum first, zero = PYNUM(0);
	int rc;

	if (size->kind == PYNUM_FLOAT)
		return err_data(e, "the resource's amount is not an integer");
	if (!pynum_less(&zero, size))
		return 0;
	if (address->kind == PYNUM_FLOAT)
		return err_data(e, "the resource's address is not an integer");
	rc = pynum_sub(&first, address, &h->heat.min, e);
	if (rc != 0)
		return rc;
	if (first.kind == PYNUM_INT && first.as.i >= 0 && size->kind <= PYNUM_BOOL &&
	    size->as.i <= c->len - first.as.i)
		warm(c, first.as.i, first.as.i + size->as.i);
	else
		rc = warm_odd(h, c, &first, size, e);
	pynum_free(&first);
	return rc;
}

static int
warm_waiting(struct heap *h, struct cells *c, const struct waiting *w, const char *text,
    struct err *e)
{
	struct pynum address, size;
	int rc = pynum_read(&address, text, &w->address, e);

	if (rc != 0 || pynum_less(&h->heat.max, &address)) {
		if (rc == 0)
			pynum_free(&address);
		return rc;
	}
	if (w->amount.len == 0)
		rc = err_data(e, "the resource has no amount");
	else
		rc = pynum_read(&size, text + w->address.len, &w->amount, e);
	if (rc == 0) {
		rc = warm_resource(h, c, &address, &size, e);
		pynum_free(&size);
	} else if (rc == ERR_DATA && w->amount.len != 0) {
		rc = err_data(e, "the resource's amount is not an integer");
	}
	pynum_free(&address);
	return rc;
}

static int
warm_all(struct heap *h, struct cells *c, struct err *e)
{
	struct slice record;
	struct waiting w;
	int rc = spool_rewind(&h->heat.later, e);

	while (rc == 0 && (rc = spool_next(&h->heat.later, &record, e)) == 0 && record.p != NULL) {
		memcpy(&w, record.p, sizeof w);
		rc = warm_waiting(h, c, &w, record.p + sizeof w, e);
		if (rc != 0)
			(void)err_at_line(e, w.line);
	}
	spool_close(&h->heat.later);
	return rc;
}

static void
put_cells(struct out *o, const struct cells *c)
{
	int64_t i, sum = 0;
	char *p, *start;

	for (i = 0; i < c->len; i++) {
		sum += c->step[i];
		start = p = out_room(o, NUM_MAX + 2);
		if (p == NULL)
			return;
		if (i != 0) {
			*p++ = ',';
			*p++ = ' ';
		}
		if (sum < 10)
			*p++ = (char)('0' + sum);
		else
			p += num_put_i64(p, sum);
		out_commit(o, (size_t)(p - start));
	}
}

static int
put_all(struct heap *h, const struct cells *c, struct err *e)
{
	struct buf *t = &h->heat.text;

	t->len = 0;
	if (!buf_put(t, "{\"type\": \"heat\", \"stats\": {\"max_address\": ", 42) ||
	    !pynum_dumps(t, &h->heat.max) || !buf_put(t, ", \"min_address\": ", 17) ||
	    !pynum_dumps(t, &h->heat.min) || !buf_put(t, "}, \"map\": [", 11))
		return err_nomem(e);
	out_put(h->o, t->p, t->len);
	put_cells(h->o, c);
	OUT_TEXT(h->o, "], \"unit\": ");
	out_put(h->o, h->unit.p, h->unit.len);
	OUT_TEXT(h->o, "}\n");
	return 0;
}

static void
put_empty(struct heap *h)
{
	OUT_TEXT(h->o, "{\"type\": \"heat\", \"stats\": {}, \"map\": [], \"unit\": ");
	out_put(h->o, h->unit.p, h->unit.len);
	OUT_TEXT(h->o, "}\n");
}

static int
heat_end(struct heap *h, struct err *e)
{
	struct pynum len;
	struct cells c;
	int rc;

	if (!h->has_snapshots) {
		put_empty(h);
		return 0;
	}
	if (!h->heat.any)
		return err_data(e, "no resource in the snapshots has an address above 0");
	rc = heap_bound(&h->heat.max, &h->heat.min, e);
	if (rc == 0)
		rc = pynum_sub(&len, &h->heat.max, &h->heat.min, e);
	if (rc != 0)
		return rc;
	if (len.kind != PYNUM_INT)
		return err_data(e, "the map's first and last address are not integers");
	c.len = len.as.i;
	c.step = mem_zero((size_t)c.len + 1, sizeof *c.step);
	if (c.step == NULL)
		return err_nomem(e);
	rc = warm_all(h, &c, e);
	if (rc == 0)
		rc = put_all(h, &c, e);
	mem_free(c.step);
	return rc;
}

struct heap *
heap_open(struct out *o, enum heap_what what, bool compat, struct err *e)
{
	struct heap *h = mem_zero(1, sizeof *h);

	if (h == NULL || !jvalue_open(&h->v)) {
		mem_free(h);
		(void)err_nomem(e);
		return NULL;
	}
	h->o = o;
	h->is_heat = what == HEAP_HEAT;
	h->compat = compat;
	return h;
}

void
heap_close(struct heap *h)
{
	if (h == NULL)
		return;
	heapmap_free(&h->map);
	heat_free(&h->heat);
	profile_free(&h->profile);
	jvalue_close(&h->v);
	buf_free(&h->unit);
	mem_free(h);
}

static int
replace(struct pynum *best, const struct pynum *other, struct err *e)
{
	pynum_free(best);
	return pynum_copy(best, other) ? 0 : err_nomem(e);
}

int
heap_least(struct pynum *best, const struct pynum *other, bool any, struct err *e)
{
	return any && !pynum_less(other, best) ? 0 : replace(best, other, e);
}

int
heap_greatest(struct pynum *best, const struct pynum *other, bool any, struct err *e)
{
	return any && !pynum_less(best, other) ? 0 : replace(best, other, e);
}

int
heap_bound(struct pynum *max, const struct pynum *min, struct err *e)
{
	struct pynum least = PYNUM(BOUND_MIN), most = PYNUM(BOUND_MAX), span, bound;
	int rc = pynum_sub(&span, max, min, e);

	if (rc != 0)
		return rc;
	if (pynum_less(&span, &least))
		rc = pynum_add(&bound, min, &least, e);
	else if (pynum_less(&most, &span))
		rc = pynum_add(&bound, min, &most, e);
	else if (!pynum_copy(&bound, max))
		rc = err_nomem(e);
	pynum_free(&span);
	if (rc != 0)
		return rc;
	pynum_free(max);
	*max = bound;
	return 0;
}

static int
take_resource(struct heap *h, struct slice json, struct err *e)
{
	int rc = jvalue_read(&h->v, json, e);

	h->has_resources = true;
	if (rc != 0)
		return rc;
	if (h->v.j.token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the resource is not a dictionary");
	return h->is_heat ? heat_resource(h, e) : heapmap_resource(h, e);
}

static int
end_snapshot(struct heap *h, struct err *e)
{
	if (!h->in_snapshot)
		return 0;
	h->in_snapshot = false;
	if (!h->has_resources)
		return err_data(e, "the previous snapshot has no resources");
	return h->is_heat ? 0 : heapmap_snapshot(h, e);
}

/*
 * Opens the item's snapshot if it is not open.  The snapshot's own line may have been filtered out,
 * but otherwise must be the first line of the snapshot.
 */
static int
be_in_snapshot(struct heap *h, const struct profile_item *item, struct err *e)
{
	uint64_t n;
	int rc;

	if (!place_snapshot(&item->place, &n))
		return err_data(e, "this is not part of the snapshots");
	if (h->in_snapshot && h->snapshot == n && item->place.kind != PLACE_SNAPSHOT)
		return 0;
	if (h->any_snapshot && n <= h->snapshot)
		return err_data(e, "the snapshot appears twice, or too late");
	rc = end_snapshot(h, e);
	h->any_snapshot = true;
	h->has_snapshots = h->in_snapshot = true;
	h->snapshot = n;
	h->has_resources = false;
	return rc;
}

static int
take_snapshot(void *ctx, const struct profile_item *item, struct err *e)
{
	int rc = be_in_snapshot(ctx, item, e);

	if (rc != 0 || slice_eq(item->json, SLICE("{")))
		return rc;
	return err_data(e, "the snapshot is not a dictionary with resources");
}

/* Ends the last snapshot, at any item outside the snapshots. */
static int
take_other(void *ctx, const struct profile_item *item, struct err *e)
{
	(void)item;
	return end_snapshot(ctx, e);
}

static int
take_resources(void *ctx, const struct profile_item *item, struct err *e)
{
	struct heap *h = ctx;
	int rc;

	if (item->place.top != PLACE_SNAPSHOTS)
		return take_other(ctx, item, e);
	rc = be_in_snapshot(h, item, e);
	if (rc != 0)
		return rc;
	if (h->has_resources)
		return err_data(e, "the snapshot's resources appear twice");
	h->has_resources = true;
	return place_is_list(item->json) ? 0 : place_refuse(&item->place, e);
}

/* Processes any other member of a snapshot, which the heap map includes as well. */
static int
take_member(void *ctx, const struct profile_item *item, struct err *e)
{
	struct heap *h = ctx;
	int rc;

	if (item->place.top != PLACE_SNAPSHOTS)
		return take_other(ctx, item, e);
	rc = be_in_snapshot(h, item, e);
	return rc == 0 && !h->is_heat ? heapmap_member(h, item->place.name, item->json, e) : rc;
}

/* Processes an element of a list in a snapshot. */
static int
take_element(void *ctx, const struct profile_item *item, struct err *e)
{
	struct heap *h = ctx;
	uint64_t n;
	int rc;

	if (item->place.top != PLACE_SNAPSHOTS)
		return take_other(ctx, item, e);
	rc = be_in_snapshot(h, item, e);
	if (rc != 0)
		return rc;
	if (item->place.kind == PLACE_DEEPER || !place_index(&item->place, &n))
		return err_data(e, "this is not part of a snapshot");
	if (item->place.kind == PLACE_RESOURCE)
		return take_resource(h, item->json, e);
	return h->is_heat ? 0 : heapmap_element(h, item->place.list, item->json, e);
}

/* Reads header.units.memory, which comes last in the result. */
static int
take_header(struct heap *h, struct slice json, struct err *e)
{
	static const char *const path[] = { "units", "memory" };
	uint32_t token = 0;
	size_t i;
	int rc = jvalue_read(&h->v, json, e);

	h->has_unit = false;
	h->unit.len = 0;
	for (i = 0; rc == 0 && i < 2; i++) {
		if (h->v.j.token[token].kind != JSCAN_OBJECT)
			return 0;
		token = jvalue_member(&h->v, token, slice_of(path[i]));
		if (token == JVALUE_NO_MEMORY)
			return err_nomem(e);
		if (token == JVALUE_NONE)
			return 0;
	}
	if (rc != 0)
		return rc;
	h->has_unit = true;
	return pytext_dumps(&h->unit, h->v.j.text, h->v.j.token, token) ? 0 : err_nomem(e);
}

static int
take_document(void *ctx, const struct profile_item *item, struct err *e)
{
	struct heap *h = ctx;

	if (h->begun)
		return err_data(e, "a second document begins: a map is for one");
	h->begun = true;
	return item->json.p[0] == '{' ? 0 : place_refuse(&item->place, e);
}

static int
take_snapshots(void *ctx, const struct profile_item *item, struct err *e)
{
	struct heap *h = ctx;

	if (h->has_snapshots)
		return err_data(e, "the snapshots appear twice");
	h->has_snapshots = true;
	return place_is_list(item->json) ? 0 : place_refuse(&item->place, e);
}

static int
take_any_member(void *ctx, const struct profile_item *item, struct err *e)
{
	return slice_eq(item->place.pointer, SLICE("/header")) ? take_header(ctx, item->json, e)
							       : take_member(ctx, item, e);
}

static profile_take_item *const takes[PLACES] = {
	[PLACE_DOCUMENT] = take_document,
	[PLACE_SNAPSHOTS] = take_snapshots,
	[PLACE_SNAPSHOT] = take_snapshot,
	[PLACE_GLOBAL] = take_other,
	[PLACE_RESOURCES] = take_resources,
	[PLACE_RESOURCE] = take_element,
	[PLACE_MODELS] = take_member,
	[PLACE_MODEL] = take_element,
	[PLACE_MAP] = take_other,
	[PLACE_TYPE] = take_other,
	[PLACE_ROW] = take_other,
	[PLACE_COMMONS] = take_other,
	[PLACE_COMMON] = take_other,
	[PLACE_MEMBER] = take_any_member,
	[PLACE_ELEMENT] = take_element,
	[PLACE_DEEPER] = take_element,
};

int
heap_line(struct heap *h, const struct ev *ev, struct err *e)
{
	struct profile_item item;
	bool whole;
	int rc = profile_read(&h->profile, ev, &item, &whole, e);

	h->line = ev->number;
	if (rc == 0 && whole)
		rc = profile_take(&item, takes, h, e);
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

int
heap_end(struct heap *h, struct err *e)
{
	int rc = end_snapshot(h, e);

	if (rc == 0)
		rc = profile_missing(&h->profile, e);
	if (rc != 0)
		return rc;
	if (!h->has_snapshots && h->compat)
		return err_data(e, "the profile has no snapshots");
	if (h->has_snapshots && !h->has_unit)
		return err_data(e, "the profile's header has no units.memory");
	if (!h->has_unit && !buf_put(&h->unit, "null", 4))
		return err_nomem(e);
	return h->is_heat ? heat_end(h, e) : heapmap_end(h, e);
}

bool
heap_note(const struct heap *h, size_t *at, char *text, size_t size)
{
	const struct {
		bool is;
		uint64_t n;
		const char *what;
	} note[] = {
		{ !h->has_snapshots && !h->compat, 0,
		    "the profile has no snapshots: the map is empty" },
		{ h->heat.low > 0, h->heat.low,
		    "resources at address 0 or below are not in the map" },
		{ h->heat.beyond > 0, h->heat.beyond,
		    "resources reach beyond the map and are counted up to its end" },
		{ h->profile.foreign > 0, h->profile.foreign,
		    "lines that are not part of a profile" },
	};

	for (; *at < sizeof note / sizeof note[0]; ++*at) {
		if (!note[*at].is)
			continue;
		if (note[*at].n == 0)
			snprintf(text, size, "%s", note[*at].what);
		else
			snprintf(text, size, "%s%llu %s", *at == 3 ? "left out " : "",
			    (unsigned long long)note[*at].n, note[*at].what);
		++*at;
		return true;
	}
	return false;
}
