/* SPDX-License-Identifier: ISC */
/*
 * tomap.c - converts an older profile to a map of resources, as perun/profile/factory.py: Profile
 * does.
 */
#include <stdlib.h>
#include <xxhash.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seed.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"
#include "src/perun/write/conversion.h"

/* Profile.collectable: members that differ from resource to resource of a type. */
static const char *const collectable[] = { "amount", "structure-unit-size", "call-order", "order",
	"address", "timestamp", "exclusive" };
#define COLUMNS (sizeof collectable / sizeof collectable[0])
#define COLUMN_BITS 4 /* bits in the number of a cell, below the number of its type */

enum region { REGION_SNAPSHOT = 'S', REGION_GLOBAL = 'G', REGION_LIST = 'L' };

void
tomap_free(struct tomap *m)
{
	tab_free(&m->identities);
	tab_free(&m->uids);
	mem_free(m->uses);
	mem_free(m->pair);
	sorted_free(&m->types);
	sorted_free(&m->cells);
	buf_free(&m->times);
	buf_free(&m->global_time);
	buf_free(&m->time);
}

static const char *
comma(const struct convert *c)
{
	return c->d->dumps ? ", " : ",";
}

/* Ends the current snapshot. */
static int
end_snapshot(struct convert *c, struct err *e)
{
	struct tomap *m = &c->map;
	bool bad = m->in_snapshot && !m->has_resources;

	if (m->in_snapshot &&
	    (!(m->time.len == 0 ? buf_puts(&m->times, "\"0.0\"")
				: buf_put(&m->times, m->time.p, m->time.len)) ||
		!buf_putc(&m->times, '\n')))
		return err_nomem(e);
	m->in_snapshot = false;
	return bad ? err_data(e, "the previous snapshot has no resources") : 0;
}

static int
begin_snapshot(struct convert *c, struct slice index, struct err *e)
{
	struct tomap *m = &c->map;
	uint64_t n;
	int rc;

	if (!num_get_u64(index, &n))
		return err_data(e, "the pointer has no index for a list");
	if (m->snapshots != 0 && n < m->index)
		return err_data(e, "comes too late: its place in the document has been passed");
	rc = end_snapshot(c, e);
	m->in_snapshot = true;
	m->has_resources = false;
	m->time.len = 0;
	m->index = n;
	m->snapshots++;
	return rc;
}

/* Goes to the snapshot that contains the place, and begins it if no line has opened it. */
static int
be_in(struct convert *c, const struct place *p, struct err *e)
{
	uint64_t n;

	if (c->map.in_snapshot && place_snapshot(p, &n) && n == c->map.index)
		return 0;
	return begin_snapshot(c, p->snapshot, e);
}

int
tomap_container(struct convert *c, const struct place *p, struct err *e)
{
	struct tomap *m = &c->map;
	bool list = p->kind == PLACE_RESOURCES;
	int rc;

	if (p->top == PLACE_GLOBAL) {
		m->global_resources |= list;
		m->global_members |= list || p->kind == PLACE_MODELS || p->kind == PLACE_MEMBER;
		return 0;
	}
	if (p->kind == PLACE_SNAPSHOT)
		return begin_snapshot(c, p->name, e);
	if (p->snapshot.p == NULL)
		return 0;
	rc = be_in(c, p, e);
	m->has_resources |= rc == 0 && (list || p->kind == PLACE_RESOURCE);
	return rc;
}

/* Appends the name of the member as bytes to c->text, and its pair to m->pair. */
static int
push_pair(struct convert *c, struct jdict_member member, struct err *e)
{
	struct tomap *m = &c->map;
	struct tomap_pair *pair;

	if (!vec_room(m->pair, m->pairs, m->pair_cap))
		return err_nomem(e);
	pair = &m->pair[m->pairs++];
	pair->m = member;
	pair->at = c->text.len;
	if (!jtext_undo(&c->text, jvalue_inside(&c->v, member.name)))
		return err_nomem(e);
	pair->name.len = c->text.len - pair->at;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return slice_cmp(((const struct tomap_pair *)a)->name,
	    ((const struct tomap_pair *)b)->name);
}

/*
 * Splits the members of the resource.  value[] gets the tokens of the values that differ between
 * resources, m->pair the other members.
 */
static int
split_members(struct convert *c, uint32_t value[COLUMNS], struct err *e)
{
	struct tomap *m = &c->map;
	size_t i, k;
	int rc;

	c->text.len = m->pairs = c->members.n = 0;
	for (k = 0; k < COLUMNS; k++)
		value[k] = JVALUE_NONE;
	if (!jdict_push(&c->members, c->v.j.text, c->v.j.token, 0))
		return err_nomem(e);
	for (i = 0; i < c->members.n; i++) {
		rc = push_pair(c, c->members.m[i], e);
		if (rc != 0)
			return rc;
	}
	for (i = 0; i < m->pairs; i++)
		m->pair[i].name.p = c->text.p + m->pair[i].at;
	for (i = 0; i < m->pairs;) {
		for (k = 0; k < COLUMNS; k++)
			if (slice_eq(m->pair[i].name, slice_of(collectable[k])))
				break;
		if (k == COLUMNS) {
			i++;
			continue;
		}
		value[k] = m->pair[i].m.value;
		m->pair[i] = m->pair[--m->pairs];
	}
	qsort(m->pair, m->pairs, sizeof *m->pair, by_name);
	return 0;
}

/*
 * Finds the type of a resource by a text that is the same for two resources if Perun assigns both
 * to the same type.
 */
static int
identify(struct convert *c, enum region region, const uint32_t value[COLUMNS], size_t *type,
    bool *fresh, struct err *e)
{
	struct tomap *m = &c->map;
	struct buf *b = &c->spelled;
	char digits[NUM_MAX];
	XXH128_hash_t hash;
	bool ok;
	size_t i;

	b->len = 0;
	ok = buf_putc(b, (char)region) &&
	    buf_put(b, digits, num_put_u64(digits, region == REGION_SNAPSHOT ? m->snapshots : 0));
	for (i = 0; i < COLUMNS && ok; i++)
		ok = buf_putc(b, value[i] == JVALUE_NONE ? '-' : '+');
	for (i = 0; i < m->pairs && ok; i++)
		ok = pytext_dumps(b, c->v.j.text, c->v.j.token, m->pair[i].m.name) &&
		    pytext_dumps(b, c->v.j.text, c->v.j.token, m->pair[i].m.value);
	if (!ok)
		return err_nomem(e);
	if (m->seed == 0)
		m->seed = seed_make();
	hash = XXH3_128bits_withSeed(b->p, b->len, m->seed);
	*type = tab_add(&m->identities, (struct slice){ (const char *)&hash, sizeof hash }, fresh);
	return *type == TAB_NONE ? err_nomem(e) : 0;
}

/* Writes the uid, joined as in Perun, to c->name. */
static int
flatten_uid(struct convert *c, uint32_t uid, struct err *e)
{
	struct slice s = jvalue_spelling(&c->v, uid);
	struct buf *b = &c->spelled;
	int rc;

	c->name.len = b->len = 0;
	if (c->v.j.token[uid].kind > JSCAN_ARRAY)
		return pytext_str_of(&c->name, c->v.j.text, c->v.j.token, uid) ? 0 : err_nomem(e);
	if (!buf_puts(b, "{\"uid\":") || !buf_put(b, s.p, s.len) || !buf_putc(b, '}'))
		return err_nomem(e);
	rc = jvalue_read(&c->uid, buf_slice(b), e);
	if (rc != 0)
		return rc;
	if (flat_has_empty_name(c->uid.j.token, 0, false))
		return err_data(e, "a member of a dictionary in the uid has an empty name");
	if (!flat_begin(&c->flat, b->len) || !flat_add(&c->flat, c->uid.j.text, c->uid.j.token))
		return err_nomem(e);
	if (c->flat.too_long)
		return err_data(e, "the uid is too long when flattened: it is nested too deeply");
	s = c->flat.item[c->flat.n - 1].value;
	return buf_put(&c->name, s.p, s.len) ? 0 : err_nomem(e);
}

/* Writes UID#N to c->name.  N counts the types of that uid. */
static int
name_type(struct convert *c, uint32_t uid, struct err *e)
{
	struct tomap *m = &c->map;
	char digits[NUM_MAX];
	size_t i;
	bool fresh;
	int rc = flatten_uid(c, uid, e);

	if (rc != 0)
		return rc;
	i = tab_add(&m->uids, buf_slice(&c->name), &fresh);
	if (i == TAB_NONE || !vec_room_zero(m->uses, i, m->uses_cap))
		return err_nomem(e);
	if (!buf_putc(&c->name, '#') ||
	    !buf_put(&c->name, digits, num_put_u64(digits, m->uses[i]++)))
		return err_nomem(e);
	return 0;
}

/*
 * Appends the members with names from FROM up to TO, separated by commas, and a TAB to c->spelled.
 */
static bool
put_pairs(struct convert *c, enum region region, struct slice from, struct slice to)
{
	struct tomap *m = &c->map;
	size_t i, begin = c->spelled.len;
	bool ok = true;

	for (i = 0; i < m->pairs && ok; i++) {
		struct slice name = m->pair[i].name;
		bool own = (region == REGION_SNAPSHOT && slice_eq(name, SLICE("snapshot"))) ||
		    (region != REGION_LIST && slice_eq(name, SLICE("time")));

		if (slice_cmp(name, from) < 0 || (to.len != 0 && slice_cmp(name, to) >= 0))
			continue;
		c->left[LEFT_OWN] += own;
		if (own)
			continue;
		ok = (c->spelled.len == begin || buf_puts(&c->spelled, comma(c))) &&
		    conv_spell(c, m->pair[i].m.name, &c->spelled) &&
		    buf_puts(&c->spelled, c->d->dumps ? ": " : ":") &&
		    conv_spell(c, m->pair[i].m.value, &c->spelled);
	}
	return ok && buf_putc(&c->spelled, '\t');
}

/*
 * Keeps the entry of a type: the place of its resources; its members, in three parts, since members
 * from that place come between them; and its name, which may contain any bytes.
 */
static int
keep_type(struct convert *c, enum region region, size_t type, struct err *e)
{
	struct buf *b = &c->spelled;
	char digits[NUM_MAX];
	bool ok;
	int rc;

	b->len = 0;
	ok = buf_putc(b, (char)region) &&
	    buf_put(b, digits, num_put_u64(digits, c->map.snapshots)) && buf_putc(b, '\t') &&
	    put_pairs(c, region, SLICE(""), SLICE("snapshot")) &&
	    put_pairs(c, region, SLICE("snapshot"), SLICE("time")) &&
	    put_pairs(c, region, SLICE("time"), SLICE("")) && buf_put(b, c->name.p, c->name.len);
	if (!ok)
		return err_nomem(e);
	rc = sorted_add(&c->map.types, (struct wide){ 0, type }, 0, buf_slice(b), e);
	if (rc == 0)
		rc = sorted_add(&c->map.cells, (struct wide){ type, 0 },
		    (uint64_t)type << COLUMN_BITS, buf_slice(&c->name), e);
	return rc;
}

static int
add_resource(struct convert *c, enum region region, struct err *e)
{
	uint32_t value[COLUMNS], uid;
	size_t type = 0, k, cells = 0;
	bool fresh = false;
	int rc;

	if (c->v.j.token[0].kind != JSCAN_OBJECT)
		return err_data(e, "the resource is not a dictionary");
	uid = jvalue_member(&c->v, 0, SLICE("uid"));
	if (uid == JVALUE_NONE)
		return err_data(e, "the resource has no uid");
	rc = uid == JVALUE_NO_MEMORY ? err_nomem(e) : split_members(c, value, e);
	if (rc == 0)
		rc = identify(c, region, value, &type, &fresh, e);
	if (rc == 0 && fresh)
		rc = name_type(c, uid, e);
	if (rc == 0 && fresh)
		rc = keep_type(c, region, type, e);
	for (k = 0; k < COLUMNS && rc == 0; k++) {
		if (value[k] == JVALUE_NONE)
			continue;
		cells++;
		c->spelled.len = 0;
		if (!conv_spell(c, value[k], &c->spelled))
			return err_nomem(e);
		rc = sorted_add(&c->map.cells, (struct wide){ type, k + 1 },
		    (uint64_t)type << COLUMN_BITS | (k + 1), buf_slice(&c->spelled), e);
	}
	c->left[LEFT_SAME] += rc == 0 && !fresh && cells == 0;
	return rc;
}

static int
keep_time(struct convert *c, struct buf *b, struct err *e)
{
	b->len = 0;
	return conv_spell(c, 0, b) ? 0 : err_nomem(e);
}

static int
snapshot_value(struct convert *c, const struct place *p, struct slice json, struct err *e)
{
	struct tomap *m = &c->map;
	int rc;

	if (p->kind == PLACE_SNAPSHOTS)
		return place_is_nothing(json) ? 0 : place_refuse(p, e);
	rc = be_in(c, p, e);
	if (rc != 0)
		return rc;
	switch (p->kind) {
	case PLACE_SNAPSHOT: m->has_resources = true; return place_refuse(p, e);
	case PLACE_RESOURCES:
		m->has_resources = true;
		return place_is_nothing(json) ? 0 : place_refuse(p, e);
	case PLACE_RESOURCE: m->has_resources = true; return add_resource(c, REGION_SNAPSHOT, e);
	case PLACE_MODELS:
	case PLACE_MODEL:
		c->left[LEFT_MODELS] += p->kind == PLACE_MODEL || !place_is_nothing(json);
		return 0;
	default: break;
	}
	if (p->kind == PLACE_MEMBER && slice_eq(p->name, SLICE("time")))
		return keep_time(c, &m->time, e);
	if (p->kind == PLACE_MEMBER && slice_eq(p->name, SLICE("timestamps")))
		return 0; /* only perundec reads it */
	c->left[LEFT_MEMBERS]++;
	return 0;
}

static int
global_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	struct tomap *m = &c->map;

	if (p->kind == PLACE_GLOBAL)
		return slice_eq(json, SLICE("{}")) ? 0 : place_refuse(p, e);
	m->global_members = true;
	switch (p->kind) {
	case PLACE_RESOURCES:
		m->global_resources = true;
		return place_is_nothing(json) ? 0 : place_refuse(p, e);
	case PLACE_RESOURCE: m->global_resources = true; return add_resource(c, REGION_GLOBAL, e);
	case PLACE_MODELS: return place_is_nothing(json) ? 0 : place_refuse(p, e);
	case PLACE_MODEL: return conv_keep_model(c, json, number, e);
	default: break;
	}
	if (p->kind == PLACE_MEMBER && slice_eq(p->name, SLICE("time")))
		return keep_time(c, &m->global_time, e);
	c->left[LEFT_MEMBERS]++;
	return 0;
}

int
tomap_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	if (p->top == PLACE_SNAPSHOTS)
		return snapshot_value(c, p, json, e);
	if (p->top == PLACE_GLOBAL)
		return global_value(c, p, json, number, e);
	return p->kind == PLACE_TYPE ? add_resource(c, REGION_LIST, e) : 0;
}

int
tomap_check(struct convert *c, struct err *e)
{
	struct tomap *m = &c->map;
	int rc = end_snapshot(c, e);

	if (rc == 0 && m->global_members && !m->global_resources)
		return err_data(e, "global has no resources");
	return rc;
}

/* Writes the values of each type, list by list. */
static int
put_cells(struct convert *c, struct err *e)
{
	uint64_t number = 0, at = UINT64_MAX;
	struct slice text;
	size_t base = 0;
	bool open = false;
	int rc = doc_container(c->d, SLICE("/resources"), '{', e);

	while (rc == 0 && (rc = sorted_next(&c->map.cells, &number, &text, e)) == 0 &&
	    text.p != NULL) {
		uint64_t column = number & ((1u << COLUMN_BITS) - 1);

		if (number != at && open)
			doc_put(c->d, SLICE("]"));
		open = column != 0;
		if (column == 0) {
			c->name.len = 0;
			if (!buf_puts(&c->name, "/resources") || !jtext_push_name(&c->name, text))
				return err_nomem(e);
			base = c->name.len;
			rc = doc_container(c->d, buf_slice(&c->name), '{', e);
		} else if (number != at) {
			c->name.len = base;
			if (!jtext_push_name(&c->name, slice_of(collectable[column - 1])))
				return err_nomem(e);
			rc = doc_go_to(c->d, buf_slice(&c->name), e);
			doc_put(c->d, SLICE("["));
		} else {
			doc_put(c->d, slice_of(comma(c)));
		}
		if (column != 0)
			doc_put(c->d, text);
		at = number;
	}
	if (open)
		doc_put(c->d, SLICE("]"));
	return rc;
}

/* Removes the text up to the next END from *s and returns it. */
static struct slice
take(struct slice *s, char end)
{
	const char *p = memchr(s->p, end, s->len);
	struct slice part = { s->p, p == NULL ? s->len : (size_t)(p - s->p) };

	s->p += part.len + (p != NULL);
	s->len -= part.len + (p != NULL);
	return part;
}

static bool
put_member(struct convert *c, size_t from, const char *name, struct slice value)
{
	struct buf *b = &c->text;

	if (value.len == 0)
		return true;
	return (b->len == from || buf_puts(b, comma(c))) &&
	    (name == NULL ||
		(buf_putc(b, '"') && buf_puts(b, name) &&
		    buf_puts(b, c->d->dumps ? "\": " : "\":"))) &&
	    buf_put(b, value.p, value.len);
}

/* Writes the entry of a type as JSON to c->text, and its pointer to c->name. */
static bool
put_type(struct convert *c, struct slice entry, struct slice time)
{
	struct slice before, between, after, number = take(&entry, '\t');
	char region = number.p[0], digits[NUM_MAX];
	uint64_t n = 0;
	struct slice snapshot = { digits, 0 };

	number.p++;
	number.len--;
	(void)num_get_u64(number, &n); /* as keep_type has written it */
	if (region == REGION_SNAPSHOT)
		snapshot.len = num_put_u64(digits, n - 1);
	before = take(&entry, '\t');
	between = take(&entry, '\t');
	after = take(&entry, '\t');
	c->name.len = c->text.len = 0;
	if (region == REGION_LIST)
		time.len = 0;
	return buf_puts(&c->name, "/resource_type_map") && jtext_push_name(&c->name, entry) &&
	    buf_putc(&c->text, '{') && put_member(c, 1, NULL, before) &&
	    put_member(c, 1, "snapshot", snapshot) && put_member(c, 1, NULL, between) &&
	    put_member(c, 1, "time", time) && put_member(c, 1, NULL, after) &&
	    buf_putc(&c->text, '}');
}

/* Returns the number of the entry's snapshot, from 1, or 0. */
static uint64_t
snapshot_of(struct slice entry)
{
	struct slice number = take(&entry, '\t');
	uint64_t n = 0;

	if (number.p[0] == REGION_SNAPSHOT)
		(void)num_get_u64((struct slice){ number.p + 1, number.len - 1 }, &n);
	return n;
}

static int
put_types(struct convert *c, struct err *e)
{
	struct tomap *m = &c->map;
	struct slice entry, times = buf_slice(&m->times), time = { NULL, 0 },
			    global = buf_slice(&m->global_time);
	uint64_t number, n = 0, want;
	int rc = doc_container(c->d, SLICE("/resource_type_map"), '{', e);

	if (global.len == 0)
		global = SLICE("\"0.0\"");
	while (
	    rc == 0 && (rc = sorted_next(&m->types, &number, &entry, e)) == 0 && entry.p != NULL) {
		want = snapshot_of(entry);
		for (; n < want; n++)
			time = take(&times, '\n');
		if (!put_type(c, entry, want == 0 ? global : time))
			return err_nomem(e);
		rc = doc_go_to(c->d, buf_slice(&c->name), e);
		doc_put(c->d, buf_slice(&c->text));
	}
	return rc;
}

int
tomap_end(struct convert *c, struct err *e)
{
	int rc = put_cells(c, e);

	if (rc == 0)
		rc = put_types(c, e);
	if (rc == 0 && !c->map.has_models)
		return conv_put_models(c, "/models", e);
	c->left[LEFT_MODELS] += c->model;
	return rc;
}
