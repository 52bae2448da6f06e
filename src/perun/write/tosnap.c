/* SPDX-License-Identifier: ISC */
/*
 * tosnap.c - converts a map of resources to snapshots, and resources that are not in a snapshot to
 * global.
 */
#include <stdio.h>

#include "lib/json/jtext.h"
#include "lib/num.h"
#include "src/perun/write/conversion.h"

/* A type or a resource is kept as T or R, the number of the type, a TAB, and JSON. */
#define IS_TYPE 'T'
#define IS_ROW 'R'

void
tosnap_free(struct tosnap *s)
{
	tab_free(&s->names);
	sorted_free(&s->rows);
	sorted_free(&s->resources);
	buf_free(&s->type);
	buf_free(&s->time);
}

static int
keep_row(struct convert *c, struct slice type, char what, struct slice json, uint64_t number,
    struct err *e)
{
	size_t n = tab_add(&c->snap.names, type, NULL);
	char digits[NUM_MAX];

	c->text.len = 0;
	if (n == TAB_NONE || !buf_putc(&c->text, what) ||
	    !buf_put(&c->text, digits, num_put_u64(digits, n)) || !buf_putc(&c->text, '\t') ||
	    !buf_put(&c->text, json.p, json.len))
		return err_nomem(e);
	return sorted_add(&c->snap.rows, (struct wide){ n, what == IS_ROW }, number,
	    buf_slice(&c->text), e);
}

/* Keeps a resource of the snapshot: its time, a TAB, and JSON. */
static int
keep_resource(struct convert *c, uint64_t snapshot, struct slice time, struct slice json,
    struct err *e)
{
	struct buf *b = &c->spelled;

	b->len = 0;
	if (!buf_put(b, time.p, time.len) || !buf_putc(b, '\t') || !buf_put(b, json.p, json.len))
		return err_nomem(e);
	return sorted_add(&c->snap.resources, (struct wide){ 0, snapshot }, snapshot, buf_slice(b),
	    e);
}

/* Returns whether the type has no resources. */
static bool
has_empty_lists(struct convert *c)
{
	const struct jscan_token *t = c->v.j.token;
	uint32_t i;

	if (t[0].kind != JSCAN_OBJECT)
		return false;
	for (i = 1; i < t[0].next; i = t[i + 1].next)
		if (t[i + 1].kind != JSCAN_ARRAY || t[i + 1].next != i + 2)
			return false;
	return true;
}

static int
resources_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	bool object = c->v.j.token[0].kind == JSCAN_OBJECT;
	uint64_t n;

	if (p->kind == PLACE_MAP)
		return place_is_nothing(json) ? 0 : place_refuse(p, e);
	if (c->list)
		return keep_resource(c, NO_SNAPSHOT, SLICE(""), json, e);
	if (p->kind == PLACE_ROW && object && place_index(p, &n))
		return keep_row(c, p->list, IS_ROW, json, number, e);
	if (p->kind == PLACE_TYPE && has_empty_lists(c))
		return 0;
	return err_data(e, "the type's lists are not equally long, or too large to be converted");
}

int
tosnap_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	if (p->top == PLACE_MAP)
		return resources_value(c, p, json, number, e);
	if (p->kind == PLACE_MODEL)
		return conv_keep_model(c, json, number, e);
	if (p->kind == PLACE_MODELS || p->kind == PLACE_COMMONS)
		return place_is_nothing(json) ? 0 : place_refuse(p, e);
	if (p->kind == PLACE_COMMON && c->v.j.token[0].kind == JSCAN_OBJECT)
		return keep_row(c, p->name, IS_TYPE, json, number, e);
	return err_data(e, "a type in resource_type_map is not a dictionary");
}

/* Finds the snapshot of the type in c->v. */
static int
find_snapshot(struct convert *c, struct err *e)
{
	uint32_t token = jvalue_member(&c->v, 0, SLICE("snapshot"));
	uint64_t *n = &c->snap.snapshot;

	*n = NO_SNAPSHOT;
	if (token == JVALUE_NO_MEMORY)
		return err_nomem(e);
	if (token == JVALUE_NONE)
		return 0;
	if (c->v.j.token[token].kind != JSCAN_INTEGER ||
	    !num_get_u64(jvalue_spelling(&c->v, token), n) || *n >= SNAPSHOTS_MAX)
		return err_data(e, "the type's snapshot is not a number below %d", SNAPSHOTS_MAX);
	return 0;
}

/*
 * Writes all members of the type in c->v except snapshot and time to c->snap.type, and finds its
 * time.
 */
static int
take_members(struct convert *c, struct err *e)
{
	struct tosnap *s = &c->snap;
	const struct jscan_token *t = c->v.j.token;
	uint32_t time = jvalue_member(&c->v, 0, SLICE("time")),
		 snapshot = jvalue_member(&c->v, 0, SLICE("snapshot")), i;
	struct slice text;
	bool ok = time != JVALUE_NO_MEMORY && snapshot != JVALUE_NO_MEMORY;

	s->type.len = s->time.len = c->members.n = 0;
	ok = ok && jdict_push(&c->members, c->v.j.text, t, 0);
	for (i = 0; ok && i < c->members.n; i++) {
		struct jdict_member m = c->members.m[i];

		text = jvalue_spelling(&c->v, m.value);
		if (m.value == time)
			ok = buf_put(&s->time, text.p, text.len);
		if (m.value == time || m.value == snapshot)
			continue;
		ok = ok && (s->type.len == 0 || buf_putc(&s->type, ','));
		text = jvalue_spelling(&c->v, m.name);
		ok = ok && buf_put(&s->type, text.p, text.len) && buf_putc(&s->type, ':');
		text = jvalue_spelling(&c->v, m.value);
		ok = ok && buf_put(&s->type, text.p, text.len);
	}
	return ok ? 0 : err_nomem(e);
}

static int
take_type(struct convert *c, uint64_t type, struct slice json, struct err *e)
{
	struct tosnap *s = &c->snap;
	int rc = jvalue_read(&c->v, json, e);

	s->number = type;
	s->has_type = true;
	if (rc == 0)
		rc = find_snapshot(c, e);
	s->bad_type = rc != 0;
	return rc == 0 ? take_members(c, e) : rc;
}

/* Keeps a resource: its own members, then those of its type. */
static int
take_row(struct convert *c, uint64_t type, struct slice json, struct err *e)
{
	struct tosnap *s = &c->snap;
	struct buf *b = &c->text;
	bool comma = json.len > 2 && s->type.len != 0;

	if (!s->has_type || s->number != type)
		return err_data(e, "resource_type_map does not have the resource's type");
	if (s->bad_type)
		return 0; /* the error has been reported for the type */
	b->len = 0;
	if (!buf_put(b, json.p, json.len - 1) || (comma && !buf_putc(b, ',')) ||
	    !buf_put(b, s->type.p, s->type.len) || !buf_putc(b, '}'))
		return err_nomem(e);
	return keep_resource(c, s->snapshot, buf_slice(&s->time), buf_slice(b), e);
}

int
tosnap_next(struct convert *c, bool *more, struct err *e)
{
	struct slice text, digits, json;
	uint64_t number = 0, type = 0;
	const char *tab;
	int rc = sorted_next(&c->snap.rows, &number, &text, e);

	*more = rc == 0 && text.p != NULL;
	if (!*more)
		return rc;
	tab = memchr(text.p, '\t', text.len); /* keep_row has put it there, after a number */
	digits = (struct slice){ text.p + 1, (size_t)(tab - text.p) - 1 };
	(void)num_get_u64(digits, &type);
	json = (struct slice){ tab + 1, text.len - digits.len - 2 };
	rc = text.p[0] == IS_TYPE ? take_type(c, type, json, e) : take_row(c, type, json, e);
	return rc == 0 ? 0 : err_at_line(e, number);
}

/* Writes a value at the pointer in c->name. */
static int
put_value(struct convert *c, struct slice json, struct err *e)
{
	struct place p = place_of(buf_slice(&c->name));

	return doc_value(c->d, &p, json, e);
}

/* Opens snapshot N, or global, with its time. */
static int
open_list(struct convert *c, uint64_t n, struct slice time, struct err *e)
{
	struct buf *b = &c->name;
	size_t base;
	bool ok;
	int rc;

	b->len = 0;
	if (n == NO_SNAPSHOT)
		ok = jtext_push_name(b, SLICE("global"));
	else
		ok = jtext_push_name(b, SLICE("snapshots")) && jtext_push_index(b, n);
	if (!ok)
		return err_nomem(e);
	base = b->len;
	rc = doc_container(c->d, buf_slice(b), '{', e);
	if (rc == 0 && time.len != 0)
		rc = jtext_push_name(b, SLICE("time")) ? put_value(c, time, e) : err_nomem(e);
	b->len = base;
	if (rc == 0)
		rc = jtext_push_name(b, SLICE("resources"))
		    ? doc_container(c->d, buf_slice(b), '[', e)
		    : err_nomem(e);
	return rc;
}

/* Writes the I-th resource of the open list, whose pointer is c->name. */
static int
put_resource(struct convert *c, uint64_t i, struct slice time, struct slice json, struct err *e)
{
	struct buf *b = &c->text;
	size_t base = c->name.len;
	bool other = time.len != 0 && !slice_eq(time, buf_slice(&c->snap.time));
	int rc;

	b->len = 0;
	if (!buf_put(b, json.p, json.len) || !jtext_push_index(&c->name, i))
		return err_nomem(e);
	if (other) {
		c->left[KEPT_TIMES]++;
		b->len--;
		if ((json.len > 2 && !buf_putc(b, ',')) || !buf_put(b, "\"time\":", 7) ||
		    !buf_put(b, time.p, time.len) || !buf_putc(b, '}'))
			return err_nomem(e);
	}
	rc = put_value(c, buf_slice(b), e);
	c->name.len = base;
	return rc;
}

/* Opens all lists up to the list of the resource.  The lists between are empty. */
static int
open_up_to(struct convert *c, uint64_t n, uint64_t *next, struct slice time, struct err *e)
{
	struct buf *b = &c->snap.time;
	int rc = 0;

	for (; n != NO_SNAPSHOT && *next < n && rc == 0; ++*next)
		rc = open_list(c, *next, SLICE(""), e);
	*next = n == NO_SNAPSHOT ? n : n + 1;
	b->len = 0;
	if (!buf_put(b, time.p, time.len))
		return err_nomem(e);
	return rc == 0 ? open_list(c, n, time, e) : rc;
}

/* Opens global for the models if no resource has opened it. */
static int
put_rest(struct convert *c, bool has_snapshots, bool has_global, struct err *e)
{
	int rc = 0;

	if (c->model == 0 && !has_global && !has_snapshots)
		return doc_container(c->d, SLICE("/snapshots"), '[', e);
	if (c->model == 0)
		return 0;
	if (!has_global)
		rc = open_list(c, NO_SNAPSHOT, SLICE(""), e);
	return rc == 0 ? conv_put_models(c, "/global/models", e) : rc;
}

int
tosnap_end(struct convert *c, struct err *e)
{
	uint64_t n = 0, at = 0, next = 0, i = 0;
	bool any = false, has_snapshots = false;
	struct slice text, time;
	const char *tab;
	int rc;

	while ((rc = sorted_next(&c->snap.resources, &n, &text, e)) == 0 && text.p != NULL) {
		tab = memchr(text.p, '\t', text.len); /* keep_resource has put it there */
		time = (struct slice){ text.p, (size_t)(tab - text.p) };
		if (!any || n != at) {
			rc = open_up_to(c, n, &next, time, e);
			if (rc != 0)
				return rc;
			any = true;
			at = n;
			i = 0;
		}
		has_snapshots |= n != NO_SNAPSHOT;
		rc = put_resource(c, i++, time, (struct slice){ tab + 1, text.len - time.len - 1 },
		    e);
		if (rc != 0)
			return rc;
	}
	return rc == 0 ? put_rest(c, has_snapshots, any && at == NO_SNAPSHOT, e) : rc;
}
