/* SPDX-License-Identifier: ISC */
/* trace.c - the stack of a Perun resource as the stream spells stacks. */
#include "src/perun/trace.h"

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"

bool
trace_open(struct trace *t)
{
	*t = (struct trace){ .json = { NULL, 0, 0 } };
	return jvalue_open(&t->v);
}

void
trace_close(struct trace *t)
{
	if (t->v.j.fill != NULL)
		jvalue_close(&t->v);
	mem_free(t->frame);
	buf_free(&t->json);
	buf_free(&t->name);
	buf_free(&t->stack);
}

static bool
is_object(const struct trace *t, uint32_t index)
{
	return t->v.j.token[index].kind == JSCAN_OBJECT;
}

/* The name of a frame: function, else func, else the frame itself if it is a text. */
static uint32_t
name_of(struct trace *t, uint32_t index)
{
	uint32_t token;

	if (!is_object(t, index))
		return t->v.j.token[index].kind == JSCAN_STRING ? index : JVALUE_NONE;
	token = jvalue_member(&t->v, index, SLICE("function"));
	return token == JVALUE_NONE ? jvalue_member(&t->v, index, SLICE("func")) : token;
}

static bool
put_frame(struct trace *t, uint32_t index)
{
	uint32_t token = name_of(t, index);

	t->name.len = 0;
	if (token == JVALUE_NO_MEMORY || (t->stack.len != 0 && !buf_putc(&t->stack, ';')))
		return false;
	if (token != JVALUE_NONE && !pytext_str_of(&t->name, t->v.j.text, t->v.j.token, token))
		return false;
	if (t->name.len == 0)
		return buf_putc(&t->stack, '.');
	return esc_append(&t->stack, t->name.p, t->name.len, ESC_ELEMENT);
}

/* The frames of the newer collectors have func and no function. */
static bool
is_newer(struct trace *t, uint32_t frame)
{
	return is_object(t, frame) &&
	    jvalue_member(&t->v, frame, SLICE("func")) < JVALUE_NO_MEMORY &&
	    jvalue_member(&t->v, frame, SLICE("function")) == JVALUE_NONE;
}

static bool
put_trace(struct trace *t, uint32_t trace)
{
	const struct jscan_token *k = t->v.j.token;
	bool newer = is_newer(t, trace + 1), ok = true;
	uint32_t i, uid;
	size_t n = 0, at;

	for (i = trace + 1; i < k[trace].next; i = k[i].next) {
		if (!vec_room(t->frame, n, t->cap))
			return false;
		t->frame[n++] = i;
	}
	for (at = 0; ok && at < n; at++)
		ok = put_frame(t, t->frame[newer ? at : n - 1 - at]);
	uid = newer && ok ? jvalue_member(&t->v, 0, SLICE("uid")) : JVALUE_NONE;
	return ok && (uid == JVALUE_NONE || put_frame(t, uid));
}

int
trace_stack(struct trace *t, const struct ev *ev, struct slice *stack, struct err *e)
{
	struct slice json;
	uint32_t trace;
	size_t at;
	int rc;

	*stack = (struct slice){ NULL, 0 };
	if (!ev_tag(ev, SLICE("json"), &json))
		return 0;
	t->json.len = t->stack.len = 0;
	if (esc_undo(&t->json, json, &at) != 0)
		return err_nomem(e);
	rc = jvalue_read(&t->v, buf_slice(&t->json), e);
	if (rc != 0) {
		return err_at_line(e, ev->number);
	}
	if (!is_object(t, 0))
		return 0;
	trace = jvalue_member(&t->v, 0, SLICE("trace"));
	if (trace == JVALUE_NO_MEMORY)
		return err_nomem(e);
	if (trace == JVALUE_NONE || t->v.j.token[trace].kind != JSCAN_ARRAY ||
	    t->v.j.token[trace].next == trace + 1)
		return 0;
	if (!put_trace(t, trace))
		return err_nomem(e);
	*stack = buf_slice(&t->stack);
	return 0;
}
