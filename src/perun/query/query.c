/* SPDX-License-Identifier: ISC */
/*
 * query.c - which lines of a stream are resources and models, and in which order Perun has them.
 * Maps of allocations have rules of their own: heap.c does all of that.
 */
#include "src/perun/query/query.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/esc.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/perun/heap/heap.h"
#include "src/perun/profile.h"
#include "src/perun/query/answer.h"
#include "src/perun/repeat.h"
#include "src/perun/query/typerows.h"

#define NOT_YET UINT32_MAX

/* A resource that waits in the temporary file; its text follows. */
struct waiting {
	uint64_t line;
	uint32_t type; /* number of its type, NOT_YET for those of global */
	uint32_t len;
};

struct query {
	struct answer a;
	struct heap
	    *heap; /* QUERY_HEAP and QUERY_HEAT, else NULL; then nothing else is used but a.o */
	bool has_map; /* of these: the document is complete */
	struct buf pointer, json, parts, merged; /* undone texts */
	bool begun; /* the document's own line has come */
	bool refused; /* a second one has come */
	bool has_snapshots;
	bool in_snapshot, has_resources; /* the open snapshot, and whether it has the list */
	uint64_t snapshots; /* so far */

	struct tab types; /* by the name in pointers */
	struct buf *type; /* JSON of the type of that number; empty: not yet */
	size_t type_cap;
	struct typerows rows; /* of a type that has no lines of its own */

	struct repeat repeat;

	struct out later;
	bool has_later, checked_end, answered;
	FILE *again;
	uint64_t left_out;
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
	if (q->again != NULL)
		(void)fclose(q->again);
	else if (q->has_later)
		(void)close(q->later.fd);
	if (q->has_later)
		out_free(&q->later);
	for (i = 0; i < q->type_cap; i++)
		buf_free(&q->type[i]);
	mem_free(q->type);
	tab_free(&q->types);
	typerows_close(&q->rows);
	repeat_free(&q->repeat);
	buf_free(&q->pointer);
	buf_free(&q->json);
	buf_free(&q->parts);
	buf_free(&q->merged);
	answer_close(&q->a);
	mem_free(q);
}

static bool
is_index(struct slice s)
{
	uint64_t n;

	return part_skip_index(&s, &n) && s.len == 0;
}

/* The number of a type, which is new perhaps; NOT_YET without memory. */
static uint32_t
type_number(struct query *q, struct slice name)
{
	size_t n = tab_add(&q->types, name, NULL);

	if (n == TAB_NONE || n >= NOT_YET || !vec_room_zero(q->type, n, q->type_cap))
		return NOT_YET;
	return (uint32_t)n;
}

static int
take_type(struct query *q, struct slice name, struct slice json, struct err *e)
{
	uint32_t n = type_number(q, name);

	if (n == NOT_YET)
		return err_nomem(e);
	if (json.len < 2 || json.p[0] != '{')
		return err_data(e, "a type in resource_type_map is no dictionary");
	q->type[n].len = 0;
	return buf_put(&q->type[n], json.p, json.len) ? 0 : err_nomem(e);
}

/* A resource of a map: its own values, then those that all of its type have. */
static int
answer_typed(struct query *q, uint32_t type, struct slice json, struct err *e)
{
	struct slice common = buf_slice(&q->type[type]);
	struct buf *m = &q->merged;

	if (common.len == 0)
		return err_data(e, "resource_type_map does not have the resource's type");
	if (json.len < 2 || json.p[0] != '{')
		return err_data(e, "the resource is no dictionary");
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
	struct waiting w = { line, type, (uint32_t)json.len };
	int fd, rc = q->has_later ? 0 : in_temp(&fd, e);

	if (rc != 0)
		return rc;
	if (!q->has_later && !out_open(&q->later, fd)) {
		(void)close(fd);
		return err_nomem(e);
	}
	q->has_later = true;
	out_put(&q->later, &w, sizeof w);
	out_put(&q->later, json.p, json.len);
	if (q->later.error != 0)
		return err_sys(e, q->later.error, "cannot write the temporary file");
	return 0;
}

/* A resource of a map: at once, if its type is known and none before it waits. */
static int
take_typed(struct query *q, struct slice name, uint64_t line, struct slice json, struct err *e)
{
	uint32_t type = type_number(q, name);

	if (type == NOT_YET)
		return err_nomem(e);
	q->a.newer = true;
	if (!q->has_later && q->type[type].len != 0)
		return answer_typed(q, type, json, e);
	return put_later(q, type, line, json, e);
}

/* The same, by its pointer after /resources/: TYPE/INDEX. */
static int
take_row(struct query *q, struct slice at, uint64_t line, struct slice json, struct err *e)
{
	size_t n = at.len;

	while (n > 0 && at.p[n - 1] != '/')
		n--;
	if (n == 0)
		return err_data(e, "a resource without its place in a type");
	return take_typed(q, (struct slice){ at.p, n - 1 }, line, json, e);
}

/* A type of a map, whole: its resources have no lines of their own. */
static int
take_rows(struct query *q, struct slice name, uint64_t line, struct slice json, struct err *e)
{
	struct slice row;
	int rc;

	if (!answer_wants_resources(&q->a) || slice_eq(json, SLICE("{")))
		return 0;
	rc = typerows_read(&q->rows, json, e);
	if (rc == 0 && !q->rows.equal && !q->a.compat)
		return err_data(e, "the type's lists are not equally long");
	while (rc == 0 && q->rows.left != 0) {
		row = typerows_next(&q->rows);
		rc = row.p == NULL ? err_nomem(e) : take_typed(q, name, line, row, e);
	}
	return rc;
}

/* Those of global come after all snapshots, wherever they are in the document. */
static int
take_resource(struct query *q, uint64_t line, struct slice json, struct err *e)
{
	struct slice at = buf_slice(&q->pointer);
	uint64_t n;

	if (!answer_wants_resources(&q->a))
		return 0;
	if (part_skip(&at, "/global/resources/"))
		return q->a.what == QUERY_FLAME ? 0 : put_later(q, NOT_YET, line, json, e);
	if (part_skip(&at, "/resources/"))
		return take_row(q, at, line, json, e);
	if (!part_skip(&at, "/snapshots/") || !part_skip_index(&at, &n))
		return err_data(e, "this is no place of a resource");
	if (n >= q->snapshots)
		q->snapshots = n + 1;
	q->has_resources = q->has_snapshots = true;
	return answer_resource(&q->a, n, json, e);
}

static int
take_model(struct query *q, struct slice json, struct err *e)
{
	struct slice at = buf_slice(&q->pointer);

	if (answer_wants_resources(&q->a) || (q->a.compat && part_skip(&at, "/snapshots/")))
		return 0;
	return answer_model(&q->a, json, e);
}

/* The snapshot that was open is over. */
static int
end_snapshot(struct query *q, struct err *e)
{
	bool missing = q->in_snapshot && !q->has_resources;

	q->in_snapshot = false;
	return missing && answer_wants_resources(&q->a)
	    ? err_data(e, "the snapshot before has no resources")
	    : 0;
}

static int
wrong(const struct query *q, bool of_resources, bool good, const char *text, struct err *e)
{
	return good || of_resources != answer_wants_resources(&q->a) ? 0 : err_data(e, "%s", text);
}

/* A line of what is in snapshots, at NUMBER or NUMBER/MEMBER. */
static int
take_snapshot_part(struct query *q, struct slice at, uint64_t line, struct slice json,
    struct err *e)
{
	uint64_t n;
	int rc;

	if (!part_skip_index(&at, &n))
		return 0;
	if (at.len == 0) {
		rc = end_snapshot(q, e);
		q->snapshots = n + 1;
		q->in_snapshot = slice_eq(json, SLICE("{"));
		q->has_resources = false;
		return rc != 0 ? rc
			       : wrong(q, true, q->in_snapshot, "the snapshot has no resources", e);
	}
	if (slice_eq(at, SLICE("/resources"))) {
		q->has_resources = true;
		return wrong(q, true, part_is_list(json), "a snapshot's resources are no list", e);
	}
	if (part_skip(&at, "/resources/") && is_index(at))
		return take_resource(q, line, json, e);
	return part_skip(&at, "/models/") && is_index(at) ? take_model(q, json, e) : 0;
}

/* Does the query use the member there, which occurs twice? */
static bool
looks_at(const struct query *q, struct slice at)
{
	bool resources = answer_wants_resources(&q->a), snapshots, global;
	struct slice key = repeat_key(at), s = at;

	snapshots = part_skip(&s, "/snapshots");
	global = part_skip(&s, "/global");
	if (!snapshots && !global)
		return resources != slice_eq(at, SLICE("/models"));
	if (global && q->a.what == QUERY_FLAME)
		return false;
	if (snapshots && !resources && q->a.compat)
		return false;
	return s.len == 0 || slice_eq(key, resources ? SLICE("resources") : SLICE("models"));
}

/* A member that occurs twice is in the result each time; with compat it is an error. */
static int
check_repeat(struct query *q, struct slice at, struct err *e)
{
	bool again;
	int rc = repeat_see(&q->repeat, at, &again, e);

	if (rc != 0 || !again || !looks_at(q, at))
		return rc;
	return q->a.compat ? repeat_refuse(at, e) : repeat_count(&q->repeat, at, e);
}

/* A header line, whole. */
static int
take_part(struct query *q, uint64_t line, struct slice json, struct err *e)
{
	struct slice at = buf_slice(&q->pointer), s = at;

	if (at.len == 0) {
		q->refused = q->begun;
		q->begun = true;
		if (q->refused)
			return err_data(e, "a second document begins: a query is of one");
		return json.p[0] == '{' ? 0 : err_data(e, "the profile is no dictionary");
	}
	if (part_skip(&s, "/snapshots/"))
		return take_snapshot_part(q, s, line, json, e);
	if (q->a.what == QUERY_FLAME &&
	    (slice_eq(at, SLICE("/global")) || part_skip(&s, "/global/")))
		return 0;
	q->has_snapshots |= slice_eq(at, SLICE("/snapshots"));
	if (slice_eq(at, SLICE("/snapshots")))
		return wrong(q, true, part_is_list(json), "snapshots is no list", e);
	if (slice_eq(at, SLICE("/global")))
		return json.p[0] == '{' ? 0 : err_data(e, "global is no dictionary");
	if (slice_eq(at, SLICE("/global/resources")))
		return wrong(q, true, part_is_list(json), "global's resources are no list", e);
	if (slice_eq(at, SLICE("/global/models")))
		return wrong(q, false, part_is_list(json), "global's models are no list", e);
	if (part_skip(&s, "/global/resources/") && is_index(s))
		return take_resource(q, line, json, e);
	s = at;
	if ((part_skip(&s, "/global/models/") || part_skip(&s, "/models/")) && is_index(s))
		return take_model(q, json, e);
	if (slice_eq(at, SLICE("/resources")))
		q->a.newer = json.p[0] == '{';
	if (part_skip(&s, "/resource_type_map/") && memchr(s.p, '/', s.len) == NULL)
		return take_type(q, s, json, e);
	if (part_skip(&s, "/resources/") && memchr(s.p, '/', s.len) == NULL)
		return take_rows(q, s, line, json, e);
	return 0;
}

static int
undo(struct buf *b, struct slice escaped, struct err *e)
{
	size_t at;

	b->len = 0;
	return esc_undo(b, escaped, &at) == 0 ? 0 : err_nomem(e);
}

static int
take_header(struct query *q, uint64_t line, struct slice json, struct err *e)
{
	struct err repeat;
	int again = check_repeat(q, buf_slice(&q->pointer), &repeat);
	int rc = again == ERR_SYS ? again : take_part(q, line, json, e);

	if (again == 0 || (rc != 0 && again != ERR_SYS))
		return rc;
	*e = repeat;
	return again;
}

static int
header_line(struct query *q, const struct ev *ev, struct err *e)
{
	struct slice part;
	int rc = undo(&q->pointer, ev->col[EV_REGION], e);

	if (rc == 0)
		rc = undo(&q->json, ev->col[EV_VALUE], e);
	if (rc != 0)
		return rc;
	if (!ev_tag(ev, SLICE("part"), &part)) {
		if (q->json.len == 0)
			return err_data(e, "a header line without a value");
		return take_header(q, ev->number, buf_slice(&q->json), e);
	}
	if (slice_eq(part, SLICE("1")))
		q->parts.len = 0;
	if (q->parts.len <= JSCAN_VALUE_MAX && !buf_put(&q->parts, q->json.p, q->json.len))
		return err_nomem(e);
	if (!ev_tag(ev, SLICE("parts"), &part))
		return 0;
	if (q->parts.len == 0)
		return err_data(e, "a header line without a value");
	return take_header(q, ev->number, buf_slice(&q->parts), e);
}

static bool
is_kind(const struct ev *ev, const char *kind)
{
	return slice_eq(ev->col[EV_KIND], slice_of(kind));
}

/* A sample or model, which brings its own text. */
static int
json_line(struct query *q, const struct ev *ev, struct err *e)
{
	struct slice at, json;
	int rc;

	if (!ev_tag(ev, SLICE("at"), &at) || !ev_tag(ev, SLICE("json"), &json)) {
		q->left_out++;
		return 0;
	}
	rc = undo(&q->pointer, at, e);
	if (rc == 0)
		rc = undo(&q->json, json, e);
	if (rc != 0)
		return rc;
	return is_kind(ev, "model") ? take_model(q, buf_slice(&q->json), e)
				    : take_resource(q, ev->number, buf_slice(&q->json), e);
}

int
query_line(struct query *q, const struct ev *ev, struct err *e)
{
	struct slice format;
	int rc = 0;

	if (q->heap != NULL)
		return heap_line(q->heap, ev, e);
	if (q->refused)
		return 0;
	if (is_kind(ev, "header"))
		rc = header_line(q, ev, e);
	else if (is_kind(ev, "sample") || is_kind(ev, "model"))
		rc = json_line(q, ev, e);
	else if (!is_kind(ev, "run"))
		q->left_out++;
	else if (ev_tag(ev, SLICE("format"), &format))
		q->a.newer = slice_eq(format, SLICE("resources"));
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

/* The temporary file from its beginning. */
static int
look_again(struct query *q, struct err *e)
{
	if (!out_flush(&q->later))
		return err_sys(e, q->later.error, "cannot write the temporary file");
	q->again = lseek(q->later.fd, 0, SEEK_SET) == 0 ? fdopen(q->later.fd, "rb") : NULL;
	return q->again != NULL ? 0 : err_sys(e, errno, "cannot read the temporary file");
}

/* The next resource that waits; *none: there is no more. */
static int
answer_waiting(struct query *q, bool *none, struct err *e)
{
	struct waiting w;
	struct slice json;
	int rc;

	*none = fread(&w, sizeof w, 1, q->again) != 1;
	if (*none)
		return ferror(q->again) ? err_sys(e, EIO, "cannot read the temporary file") : 0;
	q->json.len = 0;
	if (!buf_room(&q->json, w.len))
		return err_nomem(e);
	if (fread(q->json.p, 1, w.len, q->again) != w.len)
		return err_sys(e, EIO, "cannot read the temporary file");
	json = (struct slice){ q->json.p, w.len };
	rc = w.type == NOT_YET ? answer_resource(&q->a, q->a.newer ? 0 : q->snapshots, json, e)
			       : answer_typed(q, w.type, json, e);
	return rc == 0 ? 0 : err_at_line(e, w.line);
}

/* What the profile lacks, so that a flame graph has no lines, or NULL. */
static const char *
missing(const struct query *q)
{
	if (q->a.what != QUERY_FLAME || q->refused)
		return NULL;
	if (q->a.newer)
		return q->a.any ? NULL : "resources";
	return q->has_snapshots ? NULL : "snapshots";
}

bool
query_rest(struct query *q, int *rc, struct err *e)
{
	bool none = true;

	*rc = 0;
	if (q->heap != NULL) {
		*rc = heap_end(q->heap, e);
		q->has_map = *rc == 0;
		return false;
	}
	if (!q->checked_end) {
		q->checked_end = true;
		*rc = end_snapshot(q, e);
		if (*rc == 0 && q->has_later)
			*rc = look_again(q, e);
		return *rc != ERR_SYS;
	}
	if (q->has_later && q->again == NULL) {
		*rc = look_again(q, e);
		return *rc != ERR_SYS;
	}
	if (q->again != NULL && !q->answered) {
		*rc = answer_waiting(q, &none, e);
		if (!none)
			return true;
		q->answered = true;
	}
	if (*rc == 0)
		*rc = answer_end(&q->a, e);
	if (*rc == 0 && q->a.compat && missing(q) != NULL)
		*rc = err_data(e, "the profile has no %s", missing(q));
	return false;
}

/* One of the notes; false if there is nothing to report. */
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
	default:
		snprintf(text, size, "left out %llu lines that are no part of a profile",
		    (unsigned long long)q->left_out);
		return q->left_out != 0;
	}
}

bool
query_note(const struct query *q, size_t *at, char *text, size_t size)
{
	if (q->heap != NULL)
		return q->has_map && heap_note(q->heap, at, text, size);
	while (*at < 3)
		if (note(q, (*at)++, text, size))
			return true;
	return false;
}
