/* SPDX-License-Identifier: ISC */
/* part.c - lines of perundec as the parts of a document. */
#include "src/perun/profile.h"

#include "lib/esc.h"
#include "lib/num.h"
#include "lib/json/jscan.h"

void
part_free(struct part *p)
{
	buf_free(&p->at);
	buf_free(&p->text);
	buf_free(&p->gathered);
}

bool
part_skip(struct slice *s, const char *prefix)
{
	size_t n = strlen(prefix);

	if (s->len < n || memcmp(s->p, prefix, n) != 0)
		return false;
	s->p += n;
	s->len -= n;
	return true;
}

bool
part_skip_index(struct slice *s, uint64_t *n)
{
	const char *slash = s->len == 0 ? NULL : memchr(s->p, '/', s->len);
	struct slice digits = { s->p, slash == NULL ? s->len : (size_t)(slash - s->p) };

	if (!num_get_u64(digits, n))
		return false;
	s->p += digits.len;
	s->len -= digits.len;
	return true;
}

bool
part_is_list(struct slice json)
{
	return json.p[0] == '[' || slice_eq(json, SLICE("{}")) || slice_eq(json, SLICE("\"\""));
}

/* Both texts without their escapes. */
static int
undo(struct part *p, struct slice at, struct slice json, struct err *e)
{
	size_t where;

	p->at.len = p->text.len = 0;
	if (esc_undo(&p->at, at, &where) != 0 || esc_undo(&p->text, json, &where) != 0)
		return err_nomem(e);
	p->pointer = buf_slice(&p->at);
	p->json = buf_slice(&p->text);
	return 0;
}

/*
 * A value in parts, of which the last may be empty.  Of one that is too long the beginning is kept,
 * which is an error later.
 */
static int
gather(struct part *p, const struct ev *ev, enum part_kind *kind, struct err *e)
{
	struct slice part;

	if (!ev_tag(ev, SLICE("part"), &part))
		return 0;
	if (slice_eq(part, SLICE("1")))
		p->gathered.len = 0;
	if (p->gathered.len <= JSCAN_VALUE_MAX && !buf_put(&p->gathered, p->json.p, p->json.len))
		return err_nomem(e);
	p->json = buf_slice(&p->gathered);
	if (!ev_tag(ev, SLICE("parts"), &part))
		*kind = PART_MORE;
	return 0;
}

int
part_line(struct part *p, const struct ev *ev, enum part_kind *kind, struct err *e)
{
	struct slice name = ev->col[EV_KIND], at, json;
	int rc;

	*kind = PART_VALUE;
	if (slice_eq(name, SLICE("header"))) {
		rc = undo(p, ev->col[EV_REGION], ev->col[EV_VALUE], e);
		if (rc == 0)
			rc = gather(p, ev, kind, e);
	} else if ((slice_eq(name, SLICE("sample")) || slice_eq(name, SLICE("model"))) &&
	    ev_tag(ev, SLICE("at"), &at) && ev_tag(ev, SLICE("json"), &json)) {
		rc = undo(p, at, json, e);
	} else {
		p->foreign += !slice_eq(name, SLICE("run"));
		*kind = PART_NONE;
		return 0;
	}
	if (rc == 0 && *kind == PART_VALUE && p->json.len == 0)
		return err_data(e, "a part of a document without its text");
	return rc;
}
