/* SPDX-License-Identifier: ISC */
/* convert.c - from one of Perun's formats to the other: which parts are converted. */
#include "src/perun/write/convert.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/perun/write/convint.h"
#include "src/perun/pytext.h"

#define BEFORE "\t\t\t\t\t" /* evsort's lines have six columns */
#define BEFORE_LEN (sizeof BEFORE - 1)

struct convert *
convert_open(struct doc *d, enum convert_to to)
{
	struct convert *c = mem_zero(1, sizeof *c);

	if (c == NULL)
		return NULL;
	c->d = d;
	c->to = to;
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
	buf_free(&c->line);
	evsort_free(c->models);
	tomap_free(&c->map);
	tosnap_free(&c->snap);
	mem_free(c);
}

int
conv_keep(struct convert *c, struct evsort **s, struct wide key, uint64_t number, struct slice text,
    struct err *e)
{
	struct buf *line = &c->line;
	struct ev ev = { .number = number };

	if (*s == NULL && (*s = evsort_new(EVSORT_MEMORY / 4)) == NULL)
		return err_nomem(e);
	line->len = 0;
	if (!buf_put(line, BEFORE, BEFORE_LEN) || !buf_put(line, text.p, text.len))
		return err_nomem(e);
	ev.text = buf_slice(line);
	ev.col[EV_RUN] = (struct slice){ line->p, 0 };
	return evsort_add(*s, "", &ev, key, e);
}

int
conv_next(struct evsort *s, uint64_t *number, struct slice *text, struct err *e)
{
	const char *file;
	struct ev ev;
	int rc = s == NULL ? 0 : evsort_next(s, &file, &ev, e);

	*text = (struct slice){ NULL, 0 };
	if (rc < 0)
		return e->code;
	if (rc == 0)
		return 0;
	*number = ev.number;
	*text = (struct slice){ ev.text.p + BEFORE_LEN, ev.text.len - BEFORE_LEN };
	return 0;
}

bool
conv_token(struct buf *pointer, struct slice name)
{
	size_t i;
	bool ok = buf_putc(pointer, '/');

	for (i = 0; i < name.len && ok; i++) {
		if (name.p[i] == '~' || name.p[i] == '/')
			ok = buf_put(pointer, name.p[i] == '~' ? "~0" : "~1", 2);
		else
			ok = buf_putc(pointer, name.p[i]);
	}
	return ok;
}

bool
conv_spell(struct convert *c, uint32_t token, struct buf *b)
{
	struct slice s = conv_text(&c->v, token);

	return c->d->dumps ? pytext_dumps(b, c->v.j.text, c->v.j.token, token)
			   : buf_put(b, s.p, s.len);
}

static struct path
path_of(struct slice pointer)
{
	struct path p = { .n = 0 };
	size_t at = 0, from;

	while (at < pointer.len && p.n < PATH_MAX_TOKENS) {
		from = ++at;
		while (at < pointer.len && pointer.p[at] != '/')
			at++;
		p.token[p.n++] = (struct slice){ pointer.p + from, at - from };
	}
	return p;
}

/* What a part of a document belongs to. */
enum part { PART_OTHER, PART_OLDER, PART_NEWER, PART_LIST, PART_MODELS };

static enum part
part_of(const struct convert *c, const struct path *p)
{
	if (path_is(p, 0, "snapshots") || path_is(p, 0, "global"))
		return PART_OLDER;
	if (path_is(p, 0, "resources"))
		return c->list ? PART_LIST : PART_NEWER;
	if (path_is(p, 0, "resource_type_map"))
		return PART_NEWER;
	return path_is(p, 0, "models") ? PART_MODELS : PART_OTHER;
}

static bool
is_ours(const struct convert *c, enum part part)
{
	if (c->to == CONVERT_TO_MAP)
		return part == PART_OLDER || part == PART_LIST;
	return part == PART_NEWER || part == PART_LIST || part == PART_MODELS;
}

bool
convert_owns(const struct convert *c, struct slice pointer)
{
	struct path p = path_of(pointer);

	return is_ours(c, part_of(c, &p));
}

/* Resources at the top are a list or a map, which the first of their lines shows. */
static enum part
look_at(struct convert *c, const struct path *p, char first)
{
	uint64_t n;

	if (p->n == 1 && path_is(p, 0, "resources"))
		c->list = first == '[';
	else if (p->n == 2 && path_is(p, 0, "resources") && !c->converted && !c->passed)
		c->list = first == '{' && num_get_u64(p->token[1], &n);
	return part_of(c, p);
}

/* Both formats in one document: Perun would let one take the place of the other. */
static int
check_mix(struct convert *c, enum part part, struct err *e)
{
	bool ours = is_ours(c, part);

	if (part == PART_OTHER || part == PART_MODELS)
		return 0;
	c->converted |= ours;
	c->passed |= !ours;
	return c->converted && c->passed
	    ? err_data(e, "both a map of resources and snapshots: this cannot be converted")
	    : 0;
}

int
convert_container(struct convert *c, struct slice pointer, char bracket, struct err *e)
{
	struct path p = path_of(pointer);
	enum part part = look_at(c, &p, bracket);
	int rc = c->second ? 0 : check_mix(c, part, e);

	if (rc != 0 || c->second)
		return rc;
	if (c->to == CONVERT_TO_MAP && part == PART_MODELS)
		c->map.has_models = true;
	if (!is_ours(c, part)) {
		rc = doc_container(c->d, pointer, bracket, e);
		c->second = pointer.len == 0 && rc != 0;
		return rc;
	}
	return c->to == CONVERT_TO_MAP ? tomap_container(c, &p, bracket, e)
				       : tosnap_container(c, &p, e);
}

int
convert_value(struct convert *c, struct slice pointer, struct slice json, uint64_t number,
    struct err *e)
{
	struct path p = path_of(pointer);
	enum part part = look_at(c, &p, json.len == 0 ? '\0' : json.p[0]);
	int rc = c->second ? 0 : check_mix(c, part, e);

	if (c->second)
		return 0;
	if (rc == 0 && c->to == CONVERT_TO_MAP && part == PART_MODELS)
		c->map.has_models = true;
	if (rc == 0 && !is_ours(c, part))
		return doc_value(c->d, pointer, json, e);
	if (rc == 0)
		rc = jvalue_read(&c->v, json, e);
	if (rc != 0)
		return rc;
	json = (struct slice){ c->v.j.text, c->v.j.text_len };
	return c->to == CONVERT_TO_MAP ? tomap_value(c, &p, json, number, e)
				       : tosnap_value(c, &p, json, number, e);
}

int
conv_put_models(struct convert *c, struct slice pointer, struct err *e)
{
	char digits[NUM_MAX];
	struct slice json;
	uint64_t i, number;
	size_t base = pointer.len;
	int rc;

	c->name.len = 0;
	if (!buf_put(&c->name, pointer.p, pointer.len))
		return err_nomem(e);
	rc = doc_container(c->d, buf_slice(&c->name), '[', e);
	for (i = 0; rc == 0; i++) {
		rc = conv_next(c->models, &number, &json, e);
		if (rc != 0 || json.p == NULL)
			return rc;
		c->name.len = base;
		if (!conv_token(&c->name, (struct slice){ digits, num_put_u64(digits, i) }))
			return err_nomem(e);
		rc = doc_value(c->d, buf_slice(&c->name), json, e);
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
			    "the document is no dictionary: this cannot be converted");
		return c->to == CONVERT_TO_MAP ? tomap_check(c, e) : 0;
	case 1:
		if (c->to == CONVERT_TO_SNAPSHOTS)
			rc = tosnap_next(c, &again, e);
		c->stage = again ? 1 : 2;
		return rc;
	}
	*more = false;
	if (c->passed)
		return 0;
	return c->to == CONVERT_TO_MAP ? tomap_end(c, e) : tosnap_end(c, e);
}

bool
convert_note(const struct convert *c, size_t *at, char *text, size_t size)
{
	static const char *const words[LEFTS] = {
		[LEFT_MEMBERS] = "left out %" PRIu64
				 " members of snapshots and global: a map has no place for them",
		[LEFT_MODELS] = "left out %" PRIu64 " models: Perun has none there, or others",
		[LEFT_SAME] = "left out %" PRIu64
			      " resources without a value: in a map they are one with others",
		[LEFT_OWN] = "left out %" PRIu64
			     " members snapshot and time of resources: the snapshot's count",
		[KEPT_TIMES] =
		    "%" PRIu64 " resources have another time than the first of their snapshot",
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
