/* SPDX-License-Identifier: ISC */
/* heap.c - a profile's snapshots, their resources, and the unit, for either map. */
#include "src/perun/heap/heap.h"

#include <stdio.h>

#include "lib/mem.h"
#include "src/perun/heap/heapint.h"
#include "src/perun/pytext.h"

#define BOUND_MIN 500
#define BOUND_MAX 1000000

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
	h->what = what;
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
	part_free(&h->part);
	jvalue_close(&h->v);
	buf_free(&h->unit);
	mem_free(h);
}

int
heap_token(struct heap *h, const char *name, uint32_t *token, struct err *e)
{
	*token = jvalue_member(&h->v, 0, slice_of(name));
	if (*token == JVALUE_NO_MEMORY)
		return err_nomem(e);
	return *token != JVALUE_NONE ? 0 : err_data(e, "the resource has no %s", name);
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
		return err_data(e, "the resource is no dictionary");
	return h->what == HEAP_MAP ? heapmap_resource(h, e) : heat_resource(h, e);
}

static int
end_snapshot(struct heap *h, struct err *e)
{
	if (!h->in_snapshot)
		return 0;
	h->in_snapshot = false;
	if (!h->has_resources)
		return err_data(e, "the snapshot before has no resources");
	return h->what == HEAP_MAP ? heapmap_snapshot(h, e) : 0;
}

/* The snapshot of that number is open; it may be that its own line was filtered out. */
static int
to_snapshot(struct heap *h, uint64_t n, struct err *e)
{
	int rc;

	if (h->in_snapshot && h->snapshot == n)
		return 0;
	if (h->any_snapshot && n <= h->snapshot)
		return err_data(e, "the snapshot comes a second time, or too late");
	rc = end_snapshot(h, e);
	h->any_snapshot = true;
	h->has_snapshots = h->in_snapshot = true;
	h->snapshot = n;
	h->has_resources = false;
	return rc;
}

static int
take_resources(struct heap *h, struct slice json, struct err *e)
{
	if (h->has_resources)
		return err_data(e, "the snapshot's resources come a second time");
	h->has_resources = true;
	return part_is_list(json) ? 0 : err_data(e, "a snapshot's resources are no list");
}

/* The part at NUMBER/MEMBER or NUMBER/MEMBER/INDEX in snapshots; *at begins after the number. */
static int
take_member(struct heap *h, struct slice at, struct slice json, struct err *e)
{
	const char *slash = at.len == 0 ? NULL : memchr(at.p, '/', at.len);
	struct slice name = { at.p, slash == NULL ? at.len : (size_t)(slash - at.p) };
	uint64_t n;

	if (slash == NULL)
		return slice_eq(name, SLICE("resources")) ? take_resources(h, json, e)
		    : h->what == HEAP_MAP                 ? heapmap_member(h, name, json, e)
							  : 0;
	at.p += name.len + 1;
	at.len -= name.len + 1;
	if (!part_skip_index(&at, &n) || at.len != 0)
		return err_data(e, "this is no part of a snapshot");
	if (slice_eq(name, SLICE("resources")))
		return take_resource(h, json, e);
	return h->what == HEAP_MAP ? heapmap_element(h, name, json, e) : 0;
}

static int
take_snapshot_part(struct heap *h, struct slice at, struct slice json, struct err *e)
{
	bool was_open;
	uint64_t n;
	int rc;

	if (!part_skip_index(&at, &n))
		return err_data(e, "this is no part of the snapshots");
	was_open = h->in_snapshot && h->snapshot == n;
	rc = to_snapshot(h, n, e);
	if (rc != 0)
		return rc;
	if (at.len == 0 && was_open)
		return err_data(e, "the snapshot comes a second time");
	if (at.len == 0)
		return slice_eq(json, SLICE("{"))
		    ? 0
		    : err_data(e, "the snapshot is no dictionary with resources");
	at.p++;
	at.len--;
	return take_member(h, at, json, e);
}

/* header.units.memory, which comes last in the result. */
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
take_part(struct heap *h, struct slice at, struct slice json, struct err *e)
{
	if (at.len == 0) {
		if (h->begun)
			return err_data(e, "a second document begins: a map is of one");
		h->begun = true;
		return json.p[0] == '{' ? 0 : err_data(e, "the profile is no dictionary");
	}
	if (slice_eq(at, SLICE("/header")))
		return take_header(h, json, e);
	if (slice_eq(at, SLICE("/snapshots"))) {
		if (h->has_snapshots)
			return err_data(e, "the snapshots come a second time");
		h->has_snapshots = true;
		return part_is_list(json) ? 0 : err_data(e, "snapshots is no list");
	}
	if (part_skip(&at, "/snapshots/"))
		return take_snapshot_part(h, at, json, e);
	return end_snapshot(h, e);
}

int
heap_line(struct heap *h, const struct ev *ev, struct err *e)
{
	enum part_kind kind;
	int rc;

	h->line = ev->number;
	rc = part_line(&h->part, ev, &kind, e);
	if (rc == 0 && kind == PART_VALUE)
		rc = take_part(h, h->part.pointer, h->part.json, e);
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

int
heap_end(struct heap *h, struct err *e)
{
	int rc = end_snapshot(h, e);

	if (rc != 0)
		return rc;
	if (!h->has_snapshots && h->compat)
		return err_data(e, "the profile has no snapshots");
	if (h->has_snapshots && !h->has_unit)
		return err_data(e, "the profile's header has no units.memory");
	if (!h->has_unit && !buf_put(&h->unit, "null", 4))
		return err_nomem(e);
	return h->what == HEAP_MAP ? heapmap_end(h, e) : heat_end(h, e);
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
		    "resources reach beyond the map, which has them up to its end" },
		{ h->part.foreign > 0, h->part.foreign, "lines that are no part of a profile" },
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
