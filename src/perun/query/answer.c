/* SPDX-License-Identifier: ISC */
/* answer.c - what a query says of one resource or model. */

#include "lib/mem.h"
#include "lib/num.h"
#include "src/perun/pytext.h"
#include "src/perun/query/answer.h"

bool
answer_open(struct answer *a)
{
	return jvalue_open(&a->v);
}

void
answer_close(struct answer *a)
{
	jvalue_close(&a->v);
	flat_free(&a->flat);
	mem_free(a->path.found);
	buf_free(&a->text);
	buf_free(&a->identity);
	tab_free(&a->seen);
	mem_free(a->state);
	frame_free(&a->frame);
	evsort_free(a->order);
}

static int
put_line(struct answer *a)
{
	out_put(a->o, a->text.p, a->text.len);
	out_put(a->o, "\n", 1);
	return 0;
}

static bool
dump(struct answer *a, uint32_t index)
{
	return pytext_dumps(&a->text, a->v.j.text, a->v.j.token, index);
}

static bool
put_number(struct answer *a, uint64_t n)
{
	char digits[NUM_MAX];

	return buf_put(&a->text, digits, num_put_u64(digits, n));
}

/* [NUMBER, VALUE]; the number is the token's, where there is one. */
static int
put_pair(struct answer *a, uint64_t n, uint32_t token, struct err *e)
{
	a->text.len = 0;
	if (!buf_putc(&a->text, '[') ||
	    !(token == JVALUE_NONE ? put_number(a, n) : dump(a, token)) ||
	    !buf_put(&a->text, ", ", 2) || !dump(a, 0) || !buf_putc(&a->text, ']'))
		return err_nomem(e);
	return put_line(a);
}

static int
put_resource(struct answer *a, uint64_t snapshot, struct err *e)
{
	uint32_t token = JVALUE_NONE;

	if (a->newer && a->v.j.token[0].kind == JSCAN_OBJECT)
		token = jvalue_member(&a->v, 0, SLICE("snapshot"));
	return token == JVALUE_NO_MEMORY ? err_nomem(e) : put_pair(a, snapshot, token, e);
}

static int
walk(struct answer *a, struct err *e)
{
	a->path.n = 0;
	a->path.scalar = false;
	value_walk(&a->v, 0, a->key, &a->path);
	if (a->path.no_memory)
		return err_nomem(e);
	if (a->path.scalar && a->compat)
		return err_data(e, "the key leads into a value that is no dictionary");
	return 0;
}

static int
put_keys(struct answer *a, struct err *e)
{
	size_t i;
	bool ok;
	int rc = walk(a, e);

	if (rc != 0)
		return rc;
	a->text.len = 0;
	ok = buf_putc(&a->text, '[');
	for (i = 0; ok && i < a->path.n; i++)
		ok = (i == 0 || buf_put(&a->text, ", ", 2)) && dump(a, a->path.found[i]);
	return ok && buf_putc(&a->text, ']') ? put_line(a) : err_nomem(e);
}

static int
put_values(struct answer *a, struct err *e)
{
	size_t i;
	int rc = walk(a, e);

	for (i = 0; i < a->path.n; i++) {
		bool fresh;

		a->identity.len = a->text.len = 0;
		if (!value_identity(&a->v, a->path.found[i], &a->identity) ||
		    tab_add(&a->seen, buf_slice(&a->identity), &fresh) == TAB_NONE)
			return err_nomem(e);
		if (!fresh)
			continue;
		if (!dump(a, a->path.found[i]))
			return err_nomem(e);
		(void)put_line(a);
	}
	return rc;
}

int
answer_resource(struct answer *a, uint64_t snapshot, struct slice json, struct err *e)
{
	int rc = jvalue_read(&a->v, json, e);

	if (rc != 0)
		return rc;
	switch (a->what) {
	case QUERY_RESOURCES: return put_resource(a, snapshot, e);
	case QUERY_KEYS: return put_keys(a, e);
	case QUERY_VALUES: return put_values(a, e);
	case QUERY_FLAME: return answer_flame(a, e);
	default: return answer_items(a, snapshot, e);
	}
}

int
answer_model(struct answer *a, struct slice json, struct err *e)
{
	uint64_t n = a->models++;
	int rc = jvalue_read(&a->v, json, e);

	if (rc != 0)
		return rc;
	if (a->what == QUERY_MODEL_VALUES)
		return put_values(a, e);
	if (a->what == QUERY_MODELS)
		return put_pair(a, n, JVALUE_NONE, e);
	a->text.len = 0;
	if (!buf_putc(&a->text, '[') || !put_number(a, n) || !buf_put(&a->text, ", ", 2))
		return err_nomem(e);
	rc = answer_plot(a, e);
	if (rc == 0 && !buf_putc(&a->text, ']'))
		return err_nomem(e);
	return rc != 0 ? rc : put_line(a);
}

int
answer_end(struct answer *a, struct err *e)
{
	if (a->what == QUERY_FRAME)
		return frame_write(&a->frame, a->o, e);
	if (a->what == QUERY_FLAME)
		return answer_flame_end(a, e);
	return a->what == QUERY_NUMERIC ? answer_numeric(a, e) : 0;
}
