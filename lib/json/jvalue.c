/* SPDX-License-Identifier: ISC */
/* jvalue.c - a JSON value in memory. */
#include "lib/json/jvalue.h"

#include "lib/json/jtext.h"

bool
jvalue_open(struct jvalue *v)
{
	*v = (struct jvalue){ .members = { .m = NULL } };
	if (!jscan_open(&v->j))
		return false;
	v->j.fill = jscan_fill_text;
	v->j.ctx = &v->left;
	return true;
}

void
jvalue_close(struct jvalue *v)
{
	jscan_close(&v->j);
	jdict_free(&v->members);
	buf_free(&v->name);
}

static int
read_up_to(struct jvalue *v, struct slice json, size_t limit, struct err *e)
{
	int c, rc;

	v->left = json;
	jscan_restart(&v->j);
	rc = jscan_value(&v->j, limit, e);
	if (rc == 0)
		rc = jscan_peek(&v->j, &c, e);
	if (rc == 0 && c != -1)
		rc = jscan_expected(&v->j, "the end", e);
	if (rc == ERR_DATA)
		e->place = ERR_NOWHERE; /* the user has not seen the lines of the value */
	return rc;
}

int
jvalue_read(struct jvalue *v, struct slice json, struct err *e)
{
	return read_up_to(v, json, JSCAN_VALUE_MAX, e);
}

int
jvalue_read_long(struct jvalue *v, struct slice json, struct err *e)
{
	return read_up_to(v, json, json.len < JSCAN_VALUE_MAX ? JSCAN_VALUE_MAX : json.len + 1, e);
}

struct slice
jvalue_spelling(const struct jvalue *v, uint32_t index)
{
	return jscan_spelling(v->j.text, &v->j.token[index]);
}

struct slice
jvalue_inside(const struct jvalue *v, uint32_t index)
{
	return jscan_inside(v->j.text, &v->j.token[index]);
}

int
jvalue_is(struct jvalue *v, uint32_t index, struct slice text)
{
	if ((v->j.token[index].flags & JSCAN_ESCAPED) == 0)
		return slice_eq(jvalue_inside(v, index), text);
	v->name.len = 0;
	if (!jtext_undo(&v->name, jvalue_inside(v, index)))
		return -1;
	return slice_eq(buf_slice(&v->name), text);
}

uint32_t
jvalue_member(struct jvalue *v, uint32_t index, struct slice name)
{
	uint32_t i, end = v->j.token[index].next, found = JVALUE_NONE;
	int same;

	for (i = index + 1; i < end; i = v->j.token[i + 1].next) {
		same = jvalue_is(v, i, name);
		if (same < 0)
			return JVALUE_NO_MEMORY;
		if (same > 0)
			found = i + 1;
	}
	return found;
}

int
jvalue_need(struct jvalue *v, uint32_t index, const char *of, const char *name, uint32_t *member,
    struct err *e)
{
	*member = jvalue_member(v, index, slice_of(name));
	if (*member == JVALUE_NO_MEMORY)
		return err_nomem(e);
	return *member == JVALUE_NONE ? err_data(e, "%s has no %s", of, name) : 0;
}
