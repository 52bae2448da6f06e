/* SPDX-License-Identifier: ISC */
/* flame.c - Perun's to_flame_graph_format: a line of frames and the amount for each resource. */
#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/num.h"
#include "src/perun/pytext.h"
#include "src/perun/query/answer.h"

/* The member of the dictionary at INDEX.  ERR_SYS; JVALUE_NONE where it has none. */
static int
member(struct answer *a, uint32_t index, const char *key, uint32_t *token, struct err *e)
{
	*token = jvalue_member(&a->v, index, slice_of(key));
	return *token == JVALUE_NO_MEMORY ? err_nomem(e) : 0;
}

static bool
put(struct answer *a, const char *s)
{
	return buf_put(&a->text, s, strlen(s));
}

static bool
put_str(struct answer *a, uint32_t token)
{
	return pytext_str_of(&a->text, a->v.j.text, a->v.j.token, token);
}

/* function()~source~line */
static int
put_place(struct answer *a, uint32_t function, uint32_t source, uint32_t line, struct err *e)
{
	bool ok = put_str(a, function) && put(a, "()~") && put_str(a, source) && put(a, "~") &&
	    put_str(a, line);

	return ok ? 0 : err_nomem(e);
}

/* to_string_line: the newer one takes func where one of the three is not there. */
static int
put_frame(struct answer *a, uint32_t index, const char *of, struct err *e)
{
	static const char *const keys[] = { "function", "source", "line" };
	uint32_t token[3], func;
	size_t i;
	int rc = 0;

	if (a->v.j.token[index].kind != JSCAN_OBJECT)
		return err_data(e, "%s is no dictionary", of);
	for (i = 0; i < 3 && rc == 0; i++) {
		rc = member(a, index, keys[i], &token[i], e);
		if (rc != 0 || token[i] != JVALUE_NONE)
			continue;
		if (!a->newer)
			return err_data(e, "%s has no %s", of, keys[i]);
		rc = jvalue_need(&a->v, index, of, "func", &func, e);
		if (rc == 0 && !put_str(a, func))
			rc = err_nomem(e);
		return rc;
	}
	return rc != 0 ? rc : put_place(a, token[0], token[1], token[2], e);
}

/* What Python's for goes through: the elements, or nothing; others raise there or in the frame. */
static int
check_trace(struct answer *a, uint32_t trace, struct err *e)
{
	const struct jscan_token *k = &a->v.j.token[trace];
	bool empty = (k->kind == JSCAN_STRING && k->len == 0) ||
	    (k->kind == JSCAN_OBJECT && k->next == trace + 1 && !a->newer);

	return k->kind == JSCAN_ARRAY || empty ? 0 : err_data(e, "the trace is no list");
}

/* In the trace's order, or against it; *any: there is a frame. */
static int
put_frames(struct answer *a, uint32_t trace, bool *any, struct err *e)
{
	const struct jscan_token *t = a->v.j.token;
	size_t n = 0, k;
	uint32_t i;
	int rc = check_trace(a, trace, e);

	a->n_found = 0;
	for (i = trace + 1; rc == 0 && i < t[trace].next; i = t[i].next, n++)
		if (!answer_found(a, i))
			return err_nomem(e);
	for (k = 0; k < n && rc == 0; k++) {
		if (*any && !put(a, ";"))
			return err_nomem(e);
		*any = true;
		rc = put_frame(a, a->found[a->newer ? n - 1 - k : k], "a frame of the trace", e);
	}
	return rc;
}

/* The newer one begins with the uid. */
static int
put_uid(struct answer *a, bool *any, struct err *e)
{
	uint32_t uid;
	int rc = jvalue_need(&a->v, 0, "the resource", "uid", &uid, e);

	*any = true;
	if (rc != 0)
		return rc;
	if (a->v.j.token[uid].kind == JSCAN_STRING)
		return put_str(a, uid) ? 0 : err_nomem(e);
	return put_frame(a, uid, "the uid", e);
}

static int
is_free(struct answer *a, bool *yes, struct err *e)
{
	const struct jscan_token *k;
	uint32_t subtype;
	int rc = member(a, 0, "subtype", &subtype, e);

	*yes = false;
	if (rc != 0 || (subtype == JVALUE_NONE && a->newer))
		return rc;
	if (subtype == JVALUE_NONE)
		return err_data(e, "the resource has no subtype");
	k = &a->v.j.token[subtype];
	if (k->kind != JSCAN_STRING)
		return 0;
	a->identity.len = 0;
	if (!jtext_undo(&a->identity, jscan_inside(a->v.j.text, k)))
		return err_nomem(e);
	*yes = slice_eq(buf_slice(&a->identity), SLICE("free"));
	return 0;
}

/* The resource's number of a snapshot; *shown: Perun counts from 0 up to the greatest. */
static int
snapshot_of(struct answer *a, uint64_t *n, bool *shown, struct err *e)
{
	const struct jscan_token *k;
	struct slice s;
	uint32_t token;
	int rc = member(a, 0, "snapshot", &token, e);

	*n = 0;
	*shown = true;
	if (rc != 0 || token == JVALUE_NONE)
		return rc;
	k = &a->v.j.token[token];
	s = jscan_inside(a->v.j.text, k);
	*n = k->kind == JSCAN_WORD && s.p[0] == 't';
	if (k->kind == JSCAN_WORD && (s.p[0] == 't' || s.p[0] == 'f'))
		return 0;
	if (k->kind == JSCAN_INTEGER && (s.p[0] == '-' || num_get_u64(s, n))) {
		*shown = s.p[0] != '-' || s.p[1] == '0';
		return 0;
	}
	return err_data(e, "the resource's snapshot is no number of one");
}

/* Lines of the first snapshot can go at once; the others wait for all. */
static int
put_ordered(struct answer *a, uint64_t snapshot, struct err *e)
{
	if (snapshot != 0)
		return sorted_add(&a->order, (struct wide){ 0, snapshot }, 0, buf_slice(&a->text),
		    e);
	out_put(a->o, a->text.p, a->text.len);
	return 0;
}

int
answer_flame(struct answer *a, struct err *e)
{
	uint32_t trace, amount;
	uint64_t snapshot = 0;
	bool any = false, skip = false, shown = true;
	int rc = 0;

	if (a->v.j.token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the resource is no dictionary");
	a->any = true;
	a->text.len = 0;
	if (a->newer)
		rc = snapshot_of(a, &snapshot, &shown, e);
	if (rc == 0 && shown)
		rc = is_free(a, &skip, e);
	if (rc != 0 || skip || !shown)
		return rc;
	if (a->newer)
		rc = put_uid(a, &any, e);
	if (rc == 0)
		rc = jvalue_need(&a->v, 0, "the resource", "trace", &trace, e);
	if (rc == 0)
		rc = put_frames(a, trace, &any, e);
	if (rc != 0 || !any)
		return rc;
	rc = jvalue_need(&a->v, 0, "the resource", "amount", &amount, e);
	if (rc != 0)
		return rc;
	if (!put(a, " ") || !put_str(a, amount) || !put(a, "\n"))
		return err_nomem(e);
	return put_ordered(a, snapshot, e);
}

int
answer_flame_end(struct answer *a, struct err *e)
{
	struct slice line;
	uint64_t number;
	int rc = 0;

	while (a->o->error == 0 && (rc = sorted_next(&a->order, &number, &line, e)) == 0 &&
	    line.p != NULL)
		out_put(a->o, line.p, line.len);
	return rc;
}
