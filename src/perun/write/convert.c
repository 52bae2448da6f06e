/* SPDX-License-Identifier: ISC */
/* convert.c - converts one of Perun's formats to the other: selects the parts to convert. */
#include "src/perun/write/convert.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "src/perun/pytext.h"
#include "src/perun/write/conversion.h"

struct convert *
convert_open(struct doc *d, enum convert_to to)
{
	struct convert *c = mem_zero(1, sizeof *c);

	if (c == NULL)
		return NULL;
	c->d = d;
	c->to_map = to == CONVERT_TO_MAP;
	c->models.memory = c->map.types.memory = c->map.cells.memory = SORT_MEMORY;
	c->snap.rows.memory = c->snap.resources.memory = SORT_MEMORY;
	if (!jvalue_open(&c->v) || !jvalue_open(&c->uid)) {
		convert_close(c);
		return NULL;
	}
	return c;
}

void
convert_close(struct convert *c)
{
	if (c == NULL)
		return;
	jvalue_close(&c->v);
	jvalue_close(&c->uid);
	flat_free(&c->flat);
	jdict_free(&c->members);
	buf_free(&c->text);
	buf_free(&c->name);
	buf_free(&c->spelled);
	sorted_free(&c->models);
	tomap_free(&c->map);
	tosnap_free(&c->snap);
	mem_free(c);
}

bool
conv_spell(struct convert *c, uint32_t token, struct buf *b)
{
	struct slice s = jvalue_spelling(&c->v, token);

	return c->d->dumps ? pytext_dumps(b, c->v.j.text, c->v.j.token, token)
			   : buf_put(b, s.p, s.len);
}

/* The formats of Perun that have a part. */
enum format { FORMAT_ANY, FORMAT_SNAPSHOTS, FORMAT_MAP, FORMAT_LIST, FORMAT_MODELS };

static enum format
format_of(const struct convert *c, const struct place *p)
{
	switch (p->top) {
	case PLACE_SNAPSHOTS:
	case PLACE_GLOBAL: return FORMAT_SNAPSHOTS;
	case PLACE_MAP: return c->list ? FORMAT_LIST : FORMAT_MAP;
	case PLACE_COMMONS: return FORMAT_MAP;
	case PLACE_MODELS: return FORMAT_MODELS;
	default: return FORMAT_ANY;
	}
}

static bool
is_ours(const struct convert *c, enum format format)
{
	if (c->to_map)
		return format == FORMAT_SNAPSHOTS || format == FORMAT_LIST;
	return format == FORMAT_MAP || format == FORMAT_LIST || format == FORMAT_MODELS;
}

bool
convert_owns(const struct convert *c, const struct place *p)
{
	return is_ours(c, format_of(c, p));
}

/*
 * Returns the format of a part.  Resources of the document are a list or a map, as their first line
 * shows.
 */
static enum format
look_at(struct convert *c, const struct place *p, char first)
{
	uint64_t n;

	if (p->kind == PLACE_MAP)
		c->list = first == '[';
	else if (p->kind == PLACE_TYPE && !c->converted && !c->passed)
		c->list = first == '{' && place_index(p, &n);
	return format_of(c, p);
}

/* Rejects a document with both formats.  In Perun one would replace the other. */
static int
check_mix(struct convert *c, enum format format, struct err *e)
{
	bool ours = is_ours(c, format);

	if (format == FORMAT_ANY || format == FORMAT_MODELS)
		return 0;
	c->converted |= ours;
	c->passed |= !ours;
	return c->converted && c->passed
	    ? err_data(e, "both a map of resources and snapshots: this cannot be converted")
	    : 0;
}

int
convert_container(struct convert *c, const struct place *p, char bracket, struct err *e)
{
	enum format format = look_at(c, p, bracket);
	int rc = c->second ? 0 : check_mix(c, format, e);

	if (rc != 0 || c->second)
		return rc;
	if (c->to_map && format == FORMAT_MODELS)
		c->map.has_models = true;
	if (!is_ours(c, format)) {
		rc = doc_opening(c->d, p, bracket, e);
		c->second = p->pointer.len == 0 && rc != 0;
		return rc;
	}
	/* when converting to snapshots, the pointers of its contents are enough */
	return c->to_map ? tomap_container(c, p, e) : 0;
}

int
convert_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	enum format format = look_at(c, p, json.len == 0 ? '\0' : json.p[0]);
	int rc = c->second ? 0 : check_mix(c, format, e);

	if (c->second)
		return 0;
	if (rc == 0 && c->to_map && format == FORMAT_MODELS)
		c->map.has_models = true;
	if (rc == 0 && !is_ours(c, format))
		return doc_value(c->d, p, json, e);
	if (rc == 0)
		rc = jvalue_read(&c->v, json, e);
	if (rc != 0)
		return rc;
	json = (struct slice){ c->v.j.text, c->v.j.text_len };
	return c->to_map ? tomap_value(c, p, json, number, e) : tosnap_value(c, p, json, number, e);
}

int
conv_keep_model(struct convert *c, struct slice json, uint64_t number, struct err *e)
{
	return sorted_add(&c->models, (struct wide){ 0, c->model++ }, number, json, e);
}

int
conv_put_models(struct convert *c, const char *pointer, struct err *e)
{
	struct place p;
	struct slice json;
	uint64_t i, number;
	size_t base = strlen(pointer);
	int rc;

	c->name.len = 0;
	if (!buf_put(&c->name, pointer, base))
		return err_nomem(e);
	rc = doc_container(c->d, buf_slice(&c->name), '[', e);
	for (i = 0; rc == 0; i++) {
		rc = sorted_next(&c->models, &number, &json, e);
		if (rc != 0 || json.p == NULL)
			return rc;
		c->name.len = base;
		if (!jtext_push_index(&c->name, i))
			return err_nomem(e);
		p = place_of(buf_slice(&c->name));
		rc = doc_value(c->d, &p, json, e);
	}
	return rc;
}

int
convert_end(struct convert *c, bool *more, struct err *e)
{
	bool again = false;
	int rc = 0;

	*more = true;
	switch (c->stage) {
	case 0:
		c->stage = 1;
		*more = !c->d->ended;
		if (!*more)
			return err_data(e,
			    "the document is not a dictionary: this cannot be converted");
		return c->to_map ? tomap_check(c, e) : 0;
	case 1:
		if (!c->to_map)
			rc = tosnap_next(c, &again, e);
		c->stage = again ? 1 : 2;
		return rc;
	}
	*more = false;
	if (c->passed)
		return 0;
	return c->to_map ? tomap_end(c, e) : tosnap_end(c, e);
}

bool
convert_note(const struct convert *c, size_t *at, char *text, size_t size)
{
	static const char *const words[LEFTS] = {
		[LEFT_MEMBERS] = "left out %" PRIu64
				 " members of snapshots and global: a map has no place for them",
		[LEFT_MODELS] = "left out %" PRIu64
				" models: Perun would have no models there, or different ones",
		[LEFT_SAME] =
		    "left out %" PRIu64
		    " resources without values of their own: in a map they coincide with others",
		[LEFT_OWN] = "left out %" PRIu64
			     " members snapshot and time of resources: the snapshot's own are used",
		[KEPT_TIMES] =
		    "%" PRIu64
		    " resources have a different time from the first one in their snapshot",
	};

	for (; *at < LEFTS; ++*at) {
		if (c->left[*at] == 0)
			continue;
		snprintf(text, size, words[*at], c->left[*at]);
		++*at;
		return true;
	}
	return false;
}
