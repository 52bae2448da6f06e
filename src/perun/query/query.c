/* SPDX-License-Identifier: ISC */
/*
 * query.c - finds the resources and models among the items of a profile, in Perun's order.  Maps of
 * allocations have rules of their own, which are in the directory heap.
 */
#include "src/perun/query/query.h"

#include <stdio.h>

#include "lib/mem.h"
#include "lib/spool.h"
#include "lib/vec.h"
#include "src/perun/heap/heap.h"
#include "src/perun/profile.h"
#include "src/perun/query/answer.h"
#include "src/perun/repeat.h"
#include "src/perun/rows.h"

#define NOT_YET UINT32_MAX

/* A resource that waits in the temporary file, followed by its text. */
struct waiting {
	uint64_t line;
	uint32_t type; /* number of its type, or NOT_YET for a resource of global */
};

/* The stages after the last line. */
enum stage { STAGE_SNAPSHOT, STAGE_REWIND, STAGE_WAITING, STAGE_END };

/* The resources of a type that do not have lines of their own. */
struct type_rows {
	struct jvalue v; /* the lists of the type */
	bool open;
	struct rows rows;
	size_t left;
	bool equal; /* all lists have the same length */
};

struct query {
	struct answer a;
	/* for QUERY_HEAP and QUERY_HEAT, which use nothing else but a.o; otherwise NULL */
	struct heap *heap;
	bool has_map; /* for QUERY_HEAP and QUERY_HEAT: the document is complete */
	struct profile profile;
	bool begun; /* the line of the document itself has been read */
	bool refused; /* a second document has begun */
	bool has_snapshots;
	bool in_snapshot, has_resources; /* a snapshot is open; it has a list of resources */
	uint64_t snapshots; /* so far */

	struct tab types; /* the types, by the name in pointers */
	struct buf *type; /* JSON of each type, by number; empty if it has not been read yet */
	size_t type_cap;
	struct type_rows rows;
	struct buf merged; /* a resource with the common members of its type */

	struct repeat repeat;
	struct spool later;
	enum stage stage;
};

static bool
open_parts(struct query *q, bool compat, struct err *e)
{
	if (q->a.what == QUERY_HEAP || q->a.what == QUERY_HEAT) {
		q->heap =
		    heap_open(q->a.o, q->a.what == QUERY_HEAP ? HEAP_MAP : HEAP_HEAT, compat, e);
		return q->heap != NULL;
	}
	if (answer_open(&q->a))
		return true;
	(void)err_nomem(e);
	return false;
}

struct query *
query_open(struct out *o, enum query_what what, const char *key, bool compat, struct err *e)
{
	struct query *q = mem_zero(1, sizeof *q);

	if (q == NULL) {
		(void)err_nomem(e);
		return NULL;
	}
	q->a.o = o;
	q->a.what = what;
	q->a.key = slice_of(key == NULL ? "" : key);
	q->a.compat = compat;
	if (open_parts(q, compat, e))
		return q;
	mem_free(q);
	return NULL;
}

void
query_close(struct query *q)
{
	size_t i;

	if (q == NULL)
		return;
	if (q->heap != NULL) {
		heap_close(q->heap);
		mem_free(q);
		return;
	}
	spool_close(&q->later);
	for (i = 0; i < q->type_cap; i++)
		buf_free(&q->type[i]);
	mem_free(q->type);
	tab_free(&q->types);
	jvalue_close(&q->rows.v);
	rows_free(&q->rows.rows);
	repeat_free(&q->repeat);
	profile_free(&q->profile);
	buf_free(&q->merged);
	answer_close(&q->a);
	mem_free(q);
}

/* Returns the number of a type, which may be new, or NOT_YET if memory runs out. */
static uint32_t
type_number(struct query *q, struct slice name)
{
	size_t n = tab_add(&q->types, name, NULL);

	if (n == TAB_NONE || n >= NOT_YET || !vec_room_zero(q->type, n, q->type_cap))
		return NOT_YET;
	return (uint32_t)n;
}

static int
take_common(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;
	struct slice json = item->json;
	uint32_t n = type_number(q, item->place.name);

	if (n == NOT_YET)
		return err_nomem(e);
	if (json.len < 2 || json.p[0] != '{')
		return place_refuse(&item->place, e);
	q->type[n].len = 0;
	return buf_put(&q->type[n], json.p, json.len) ? 0 : err_nomem(e);
}

/*
 * Answers for a resource of a map: its own members, then those that all resources of its type
 * share.
 */
static int
answer_typed(struct query *q, uint32_t type, struct slice json, struct err *e)
{
	struct slice common = buf_slice(&q->type[type]);
	struct buf *m = &q->merged;

	if (common.len == 0)
		return err_data(e, "resource_type_map does not have the resource's type");
	if (json.len < 2 || json.p[0] != '{')
		return err_data(e, "the resource is not a dictionary");
	m->len = 0;
	if (!buf_put(m, json.p, json.len - 1) ||
	    (json.len > 2 && common.len > 2 && !buf_putc(m, ',')) ||
	    !buf_put(m, common.p + 1, common.len - 1))
		return err_nomem(e);
	return answer_resource(&q->a, 0, buf_slice(m), e);
}

static int
put_later(struct query *q, uint32_t type, uint64_t line, struct slice json, struct err *e)
{
	struct waiting w = { line, type };
	int rc = spool_open(&q->later, e);
	char *p;

	if (rc != 0)
		return rc;
	p = spool_room(&q->later, sizeof w + json.len);
	if (p == NULL)
		return err_nomem(e);
	memcpy(p, &w, sizeof w);
	if (json.len != 0)
		memcpy(p + sizeof w, json.p, json.len);
	return spool_put(&q->later, sizeof w + json.len, e);
}

/*
 * Answers for a resource of a map at once if its type is known and no resource before it waits.
 * Otherwise the resource waits.
 */
static int
take_typed(struct query *q, struct slice name, uint64_t line, struct slice json, struct err *e)
{
	uint32_t type = type_number(q, name);

	if (type == NOT_YET)
		return err_nomem(e);
	q->a.newer = true;
	if (!spool_is_open(&q->later) && q->type[type].len != 0)
		return answer_typed(q, type, json, e);
	return put_later(q, type, line, json, e);
}

/*
 * Reads the lists of a type that is given as one value.  If several lists have the same name, the
 * last one is used.
 */
static int
read_lists(struct type_rows *r, struct slice json, struct err *e)
{
	struct jdict *lists = &r->rows.lists;
	size_t i, n, longest;
	int rc;

	if (json.len > JSCAN_VALUE_MAX)
		return err_data(e, "the type's lists take more than 16 MiB");
	if (!r->open && !jvalue_open(&r->v))
		return err_nomem(e);
	r->open = true;
	rc = jvalue_read(&r->v, json, e);
	if (rc != 0)
		return rc;
	r->rows.text = r->v.j.text;
	r->rows.token = r->v.j.token;
	if (r->v.j.token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the type is not a dictionary of lists");
	lists->n = 0;
	if (!jdict_push(lists, r->v.j.text, r->v.j.token, 0))
		return err_nomem(e);
	r->left = 1;
	r->equal = true;
	for (i = 0; i < lists->n; i++) {
		if (r->v.j.token[lists->m[i].value].kind != JSCAN_ARRAY)
			return err_data(e, "the type is not a dictionary of lists");
		n = rows_count(r->v.j.token, lists->m[i].value, &longest);
		r->equal = r->equal && (i == 0 || n == r->left);
		r->left = i == 0 || n < r->left ? n : r->left; /* zip ends with the shortest list */
	}
	rows_begin(&r->rows);
	return 0;
}

/*
 * Processes a type of a map that is given as one value, so its resources have no lines of their
 * own.
 */
static int
take_type(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;
	struct type_rows *r = &q->rows;
	int rc;

	if (!answer_wants_resources(&q->a) || slice_eq(item->json, SLICE("{")))
		return 0;
	rc = read_lists(r, item->json, e);
	if (rc == 0 && !r->equal && !q->a.compat)
		return err_data(e, "the type's lists are not equally long");
	for (; rc == 0 && r->left != 0; r->left--) {
		if (!rows_next(&r->rows))
			return err_nomem(e);
		rc = take_typed(q, item->place.name, item->line, buf_slice(&r->rows.row), e);
	}
	return rc;
}

/* Processes a resource of a map, /resources/TYPE/INDEX. */
static int
take_row(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;

	if (item->kind != PROFILE_SAMPLE || !answer_wants_resources(&q->a))
		return 0;
	return take_typed(q, item->place.list, item->line, item->json, e);
}

/*
 * Processes a resource of a list.  Resources of global come after all snapshots, wherever they are
 * in the document.
 */
static int
take_resource(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;
	uint64_t n;

	if (item->kind == PROFILE_HEADER && !place_index(&item->place, &n))
		return 0;
	if (!answer_wants_resources(&q->a))
		return 0;
	if (item->place.top == PLACE_GLOBAL && item->place.kind == PLACE_RESOURCE)
		return q->a.what == QUERY_FLAME ? 0
						: put_later(q, NOT_YET, item->line, item->json, e);
	if (item->place.top == PLACE_MAP && item->place.kind != PLACE_MAP)
		return err_data(e, "a resource without its place in a type");
	if (!place_snapshot(&item->place, &n))
		return item->kind == PROFILE_HEADER
		    ? 0
		    : err_data(e, "this is not the place of a resource");
	if (n >= q->snapshots)
		q->snapshots = n + 1;
	q->has_resources = q->has_snapshots = true;
	return answer_resource(&q->a, n, item->json, e);
}

static int
take_model(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;
	const struct place *p = &item->place;
	uint64_t n;

	if (item->kind == PROFILE_HEADER &&
	    (!place_index(p, &n) || (p->top == PLACE_SNAPSHOTS && !place_snapshot(p, &n))))
		return 0;
	if (answer_wants_resources(&q->a) || (q->a.compat && p->snapshot.p != NULL))
		return 0;
	return answer_model(&q->a, item->json, e);
}

/* Ends the open snapshot. */
static int
end_snapshot(struct query *q, struct err *e)
{
	bool missing = q->in_snapshot && !q->has_resources;

	q->in_snapshot = false;
	return missing && answer_wants_resources(&q->a)
	    ? err_data(e, "the previous snapshot has no resources")
	    : 0;
}

static int
take_snapshot(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;
	uint64_t n;
	int rc;

	if (!place_snapshot(&item->place, &n))
		return 0;
	rc = end_snapshot(q, e);
	q->snapshots = n + 1;
	q->in_snapshot = slice_eq(item->json, SLICE("{"));
	q->has_resources = false;
	if (rc != 0 || q->in_snapshot || !answer_wants_resources(&q->a))
		return rc;
	return place_refuse(&item->place, e);
}

/* Checks that a value that the query reads as a list is a list. */
static int
take_list(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;
	const struct place *p = &item->place;
	uint64_t n;

	if (p->top == PLACE_GLOBAL && q->a.what == QUERY_FLAME)
		return 0;
	if (p->kind == PLACE_SNAPSHOTS)
		q->has_snapshots = true;
	else if (p->top == PLACE_SNAPSHOTS && !place_snapshot(p, &n))
		return 0;
	else if (p->top == PLACE_SNAPSHOTS)
		q->has_resources = true;
	if (answer_wants_resources(&q->a) == (p->kind == PLACE_MODELS) || place_is_list(item->json))
		return 0;
	return place_refuse(p, e);
}

/* Checks models.  Only the models of global have to be a list. */
static int
take_models(void *ctx, const struct profile_item *item, struct err *e)
{
	return item->place.top == PLACE_GLOBAL ? take_list(ctx, item, e) : 0;
}

static int
take_global(void *ctx, const struct profile_item *item, struct err *e)
{
	const struct query *q = ctx;

	if (q->a.what == QUERY_FLAME || item->json.p[0] == '{')
		return 0;
	return place_refuse(&item->place, e);
}

static int
take_map(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;

	(void)e;
	q->a.newer = item->json.p[0] == '{';
	return 0;
}

static int
take_document(void *ctx, const struct profile_item *item, struct err *e)
{
	struct query *q = ctx;

	q->refused = q->begun;
	q->begun = true;
	if (q->refused)
		return err_data(e, "a second document begins: a query is for one");
	return item->json.p[0] == '{' ? 0 : place_refuse(&item->place, e);
}

static profile_take_item *const takes[PLACES] = {
	[PLACE_DOCUMENT] = take_document,
	[PLACE_SNAPSHOTS] = take_list,
	[PLACE_SNAPSHOT] = take_snapshot,
	[PLACE_GLOBAL] = take_global,
	[PLACE_RESOURCES] = take_list,
	[PLACE_RESOURCE] = take_resource,
	[PLACE_MODELS] = take_models,
	[PLACE_MODEL] = take_model,
	[PLACE_MAP] = take_map,
	[PLACE_TYPE] = take_type,
	[PLACE_ROW] = take_row,
	[PLACE_COMMON] = take_common,
};

/*
 * Processes a line.  A sample line is a resource, and a model line is a model, whatever its
 * pointer.
 */
static int
take_line(struct query *q, const struct profile_item *item, struct err *e)
{
	if (item->kind == PROFILE_MODEL)
		return take_model(q, item, e);
	if (item->kind == PROFILE_SAMPLE)
		return item->place.kind == PLACE_ROW ? take_row(q, item, e)
						     : take_resource(q, item, e);
	return profile_take(item, takes, q, e);
}

/* Returns whether the query uses the member at the place, which is a repeated member. */
static bool
looks_at(const struct query *q, const struct place *p)
{
	bool resources = answer_wants_resources(&q->a);

	if (p->top != PLACE_SNAPSHOTS && p->top != PLACE_GLOBAL)
		return resources != (p->kind == PLACE_MODELS);
	if (p->top == PLACE_GLOBAL && q->a.what == QUERY_FLAME)
		return false;
	if (p->top == PLACE_SNAPSHOTS && !resources && q->a.compat)
		return false;
	return p->kind == p->top || p->kind == (resources ? PLACE_RESOURCES : PLACE_MODELS);
}

/*
 * Checks for a repeated member.  Each occurrence is in the result, but with compat a repeated
 * member is an error.
 */
static int
check_repeat(struct query *q, const struct profile_item *item, struct err *e)
{
	bool again = false;
	int rc = 0;

	if (item->kind == PROFILE_HEADER)
		rc = repeat_see(&q->repeat, &item->place, &again, e);
	if (rc != 0 || !again || !looks_at(q, &item->place))
		return rc;
	return q->a.compat ? repeat_refuse(&item->place, e)
			   : repeat_count(&q->repeat, &item->place, e);
}

static int
take_item(struct query *q, const struct profile_item *item, struct err *e)
{
	struct err repeat;
	int again = check_repeat(q, item, &repeat);
	int rc = again == ERR_SYS ? again : take_line(q, item, e);

	if (again == 0 || (rc != 0 && again != ERR_SYS))
		return rc;
	*e = repeat;
	return again;
}

int
query_line(struct query *q, const struct ev *ev, struct err *e)
{
	struct profile_item item;
	struct slice format;
	bool whole;
	int rc;

	if (q->heap != NULL)
		return heap_line(q->heap, ev, e);
	if (q->refused)
		return 0;
	rc = profile_read(&q->profile, ev, &item, &whole, e);
	if (rc == 0 && whole)
		rc = take_item(q, &item, e);
	if (item.kind == PROFILE_NONE && slice_eq(ev->col[EV_KIND], SLICE("run")) &&
	    ev_tag(ev, SLICE("format"), &format))
		q->a.newer = slice_eq(format, SLICE("resources"));
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

/* Answers for the next waiting resource.  *more is set if there was one. */
static int
answer_waiting(struct query *q, bool *more, struct err *e)
{
	struct slice record, json;
	struct waiting w;
	int rc = spool_is_open(&q->later) ? spool_next(&q->later, &record, e) : 0;

	*more = rc == 0 && spool_is_open(&q->later) && record.p != NULL;
	if (!*more)
		return rc;
	memcpy(&w, record.p, sizeof w);
	json = (struct slice){ record.p + sizeof w, record.len - sizeof w };
	rc = w.type == NOT_YET ? answer_resource(&q->a, q->a.newer ? 0 : q->snapshots, json, e)
			       : answer_typed(q, w.type, json, e);
	return rc == 0 ? 0 : err_at_line(e, w.line);
}

/*
 * Returns the name of the part that the profile lacks, if this is why a flame graph has no lines,
 * or NULL.
 */
static const char *
missing(const struct query *q)
{
	if (q->a.what != QUERY_FLAME || q->refused)
		return NULL;
	if (q->a.newer)
		return q->a.any ? NULL : "resources";
	return q->has_snapshots ? NULL : "snapshots";
}

/* Writes the results that are known only at the end. */
static int
end_answer(struct query *q, struct err *e)
{
	int rc = profile_missing(&q->profile, e);

	if (rc == 0)
		rc = answer_end(&q->a, e);
	if (rc == 0 && q->a.compat && missing(q) != NULL)
		return err_data(e, "the profile has no %s", missing(q));
	return rc;
}

bool
query_rest(struct query *q, int *rc, struct err *e)
{
	bool more = false;

	*rc = 0;
	if (q->heap != NULL) {
		*rc = heap_end(q->heap, e);
		q->has_map = *rc == 0;
		return false;
	}
	switch (q->stage) {
	case STAGE_SNAPSHOT: *rc = end_snapshot(q, e); break;
	case STAGE_REWIND: *rc = spool_is_open(&q->later) ? spool_rewind(&q->later, e) : 0; break;
	case STAGE_WAITING: *rc = answer_waiting(q, &more, e); break;
	case STAGE_END: *rc = end_answer(q, e); return false;
	}
	q->stage += more ? 0 : 1;
	return more || *rc != ERR_SYS;
}

/* Writes one of the notes.  Returns false if there is nothing to report. */
static bool
note(const struct query *q, size_t which, char *text, size_t size)
{
	switch (which) {
	case 0:
		if (missing(q) == NULL || q->a.compat || q->a.o->error != 0)
			return false;
		snprintf(text, size, "the profile has no %s: nothing to write", missing(q));
		return true;
	case 1: return repeat_note(&q->repeat, text, size);
	case 2:
		snprintf(text, size, "no %s has this key: %.*s",
		    answer_wants_resources(&q->a) ? "resource" : "model",
		    slice_shown(q->a.key, 100), q->a.key.p);
		return q->a.sought && !q->a.has_key;
	case 3:
		snprintf(text, size, "left out %llu resources whose trace is empty",
		    (unsigned long long)q->a.frameless);
		return q->a.frameless != 0;
	case 4: return answer_note(&q->a, text, size);
	default:
		snprintf(text, size, "left out %llu lines that are not part of a profile",
		    (unsigned long long)q->profile.foreign);
		return q->profile.foreign != 0;
	}
}

bool
query_note(const struct query *q, size_t *at, char *text, size_t size)
{
	if (q->heap != NULL)
		return q->has_map && heap_note(q->heap, at, text, size);
	while (*at < 6)
		if (note(q, (*at)++, text, size))
			return true;
	return false;
}
