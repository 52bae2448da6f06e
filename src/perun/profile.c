/* SPDX-License-Identifier: ISC */
/* profile.c - reads lines of perundec as items of a profile. */
#include "src/perun/profile.h"

#include "lib/esc.h"
#include "lib/json/jscan.h"
#include "lib/num.h"

void
profile_free(struct profile *p)
{
	buf_free(&p->pointer);
	buf_free(&p->json);
	buf_free(&p->parts);
}

static enum profile_kind
kind_of(const struct ev *ev, struct slice *pointer, struct slice *json)
{
	struct slice kind = ev->col[EV_KIND];
	bool sample = slice_eq(kind, SLICE("sample"));

	if (slice_eq(kind, SLICE("header"))) {
		*pointer = ev->col[EV_REGION];
		*json = ev->col[EV_VALUE];
		return PROFILE_HEADER;
	}
	if (!sample && !slice_eq(kind, SLICE("model")))
		return PROFILE_NONE;
	if (!ev_tag(ev, SLICE("at"), pointer) || !ev_tag(ev, SLICE("json"), json))
		return PROFILE_NONE;
	return sample ? PROFILE_SAMPLE : PROFILE_MODEL;
}

int
profile_missing(const struct profile *p, struct err *e)
{
	if (p->any || p->foreign == 0)
		return 0;
	return err_data(e, "no line is part of a profile of Perun, as perundec writes it");
}

int
profile_part(struct profile *p, const struct ev *ev, struct profile_item *item, struct err *e)
{
	struct slice pointer, json, tag;
	size_t where;

	*item = (struct profile_item){ .line = ev->number };
	item->kind = kind_of(ev, &pointer, &json);
	if (item->kind == PROFILE_NONE) {
		p->foreign += !slice_eq(ev->col[EV_KIND], SLICE("run"));
		return 0;
	}
	p->any = true;
	p->pointer.len = p->json.len = 0;
	if (esc_undo(&p->pointer, pointer, &where) != 0 || esc_undo(&p->json, json, &where) != 0)
		return err_nomem(e);
	item->place = place_of(buf_slice(&p->pointer));
	item->json = buf_slice(&p->json);
	item->is_part = item->kind == PROFILE_HEADER && ev_tag(ev, SLICE("part"), &tag);
	if (item->is_part)
		(void)num_get_u64(tag, &item->part); /* it stays 0 if this is no number */
	item->last = !item->is_part || ev_tag(ev, SLICE("parts"), &tag);
	return 0;
}

int
profile_join(struct profile *p, struct profile_item *item, bool *whole, struct err *e)
{
	*whole = item->last;
	if (item->part == 1)
		p->parts.len = 0;
	if (p->parts.len <= JSCAN_VALUE_MAX && !buf_put(&p->parts, item->json.p, item->json.len))
		return err_nomem(e);
	item->json = buf_slice(&p->parts);
	return 0;
}

int
profile_read(struct profile *p, const struct ev *ev, struct profile_item *item, bool *whole,
    struct err *e)
{
	int rc = profile_part(p, ev, item, e);

	*whole = rc == 0 && item->kind != PROFILE_NONE;
	if (rc == 0 && item->is_part)
		rc = profile_join(p, item, whole, e);
	if (rc == 0 && *whole && item->json.len == 0)
		return err_data(e,
		    item->kind == PROFILE_HEADER ? "a header line without a value"
						 : "an empty json tag");
	return rc;
}

int
profile_take(const struct profile_item *item, profile_take_item *const *take, void *ctx,
    struct err *e)
{
	enum place_kind kind = item->place.kind;

	return take[kind] == NULL ? 0 : take[kind](ctx, item, e);
}
