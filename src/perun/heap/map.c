/* SPDX-License-Identifier: ISC */
/* heapmap.c - which blocks are allocated, snapshot by snapshot. */

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perun/heap/heapint.h"
#include "src/perun/pytext.h"

static void
tally_free(struct tally *t)
{
	size_t i;

	for (i = 0; i < TALLIES; i++)
		pynum_free(&t->of[i]);
	t->any = false;
}

void
heapmap_free(struct heapmap *m)
{
	struct live_block *b;
	size_t i;

	while ((b = live_shift(&m->own)) != NULL)
		live_drop(&m->live, b);
	live_close(&m->live);
	uids_free(&m->uids);
	tab_free(&m->subtypes);
	tab_free(&m->names);
	for (i = 0; i < m->member_cap; i++)
		buf_free(&m->member[i].json);
	mem_free(m->member);
	tally_free(&m->all);
	buf_free(&m->text);
}

/* What Python's if takes for false. */
static bool
is_falsy(const struct jvalue *v, uint32_t token)
{
	const struct jscan_token *k = &v->j.token[token];
	struct slice s = { v->j.text + k->off, k->len };

	switch (k->kind) {
	case JSCAN_OBJECT:
	case JSCAN_ARRAY: return k->next == token + 1;
	case JSCAN_STRING: return s.len == 0;
	case JSCAN_INTEGER: return slice_eq(s, SLICE("0")) || slice_eq(s, SLICE("-0"));
	case JSCAN_FLOAT: return pytext_double(s) == 0;
	}
	return s.p[0] == 'n' || s.p[0] == 'f';
}

/* The subtype's spelling becomes a number; *frees: it is "free". */
static int
take_subtype(struct heap *h, uint32_t token, uint32_t *number, bool *frees, struct err *e)
{
	const struct jscan_token *k = &h->v.j.token[token];
	struct slice s = { h->v.j.text + k->off - 1, k->len + 2 };
	size_t n;

	if (k->kind != JSCAN_STRING || k->flags != 0) {
		h->map.text.len = 0;
		if (!pytext_dumps(&h->map.text, h->v.j.text, h->v.j.token, token))
			return err_nomem(e);
		s = buf_slice(&h->map.text);
	}
	*frees = slice_eq(s, SLICE("\"free\""));
	if (*frees)
		return 0;
	n = tab_add(&h->map.subtypes, s, NULL);
	*number = (uint32_t)n;
	return n < UINT32_MAX ? 0 : err_nomem(e);
}

static int
take_number(struct heap *h, const char *name, uint32_t token, struct pynum *n, struct err *e)
{
	int rc = pynum_read(n, h->v.j.text, &h->v.j.token[token], e);

	return rc == ERR_DATA ? err_data(e, "the resource's %s is no number", name) : rc;
}

/* The uid's own text is kept where it has to be looked up again. */
static int
take_uid(struct heap *h, uint32_t token, struct live_block *b, struct err *e)
{
	const struct jscan_token *k = &h->v.j.token[token];
	size_t quote = k->kind == JSCAN_STRING, len = k->len + 2 * quote;
	bool again;
	int rc;

	if (k->kind == JSCAN_INTEGER || (k->kind == JSCAN_WORD && h->v.j.text[k->off] == 't'))
		return pynum_read(&b->uid, h->v.j.text, k, e);
	rc = uids_find(&h->map.uids, &h->v, token, &b->uid, &again, e);
	if (rc != 0 || !again)
		return rc;
	b->again = mem_alloc(len + 1);
	if (b->again == NULL)
		return err_nomem(e);
	memcpy(b->again, h->v.j.text + k->off - quote, len);
	b->again[len] = '\0';
	return 0;
}

/* The four members that Perun asks for; *dropped: the uid says nothing, so all of it is. */
static int
read_block(struct heap *h, struct live_block *b, bool *dropped, struct err *e)
{
	uint32_t address, subtype, amount, uid;
	int rc = heap_token(h, "address", &address, e);

	*dropped = false;
	if (rc == 0)
		rc = heap_token(h, "subtype", &subtype, e);
	if (rc == 0)
		rc = heap_token(h, "amount", &amount, e);
	if (rc == 0)
		rc = heap_token(h, "uid", &uid, e);
	if (rc != 0)
		return rc;
	*dropped = is_falsy(&h->v, uid);
	if (*dropped)
		return 0;
	rc = take_subtype(h, subtype, &b->subtype, &b->frees, e);
	if (rc != 0)
		return rc;
	rc = take_number(h, "address", address, &b->address, e);
	if (b->frees) {
		*dropped = rc == ERR_DATA; /* nothing is allocated at what is no number */
		return rc == ERR_DATA ? 0 : rc;
	}
	if (rc == 0)
		rc = take_number(h, "amount", amount, &b->amount, e);
	return rc != 0 ? rc : take_uid(h, uid, b, e);
}

int
heapmap_resource(struct heap *h, struct err *e)
{
	struct live_block *b = live_new(&h->map.live);
	bool dropped;
	int rc;

	if (b == NULL)
		return err_nomem(e);
	rc = read_block(h, b, &dropped, e);
	if (rc != 0 || dropped)
		live_drop(&h->map.live, b);
	else
		live_append(&h->map.own, b);
	return rc;
}

static int
spell(struct heap *h, struct buf *to, struct slice json, struct err *e)
{
	int rc = jvalue_read(&h->v, json, e);

	if (rc != 0)
		return rc;
	return pytext_dumps(to, h->v.j.text, h->v.j.token, 0) ? 0 : err_nomem(e);
}

/* The open snapshot's member of that name, which is new perhaps; NULL without memory. */
static struct snapshot_member *
member(struct heapmap *m, struct slice name, bool *fresh)
{
	size_t n = tab_add(&m->names, name, fresh);

	if (n == TAB_NONE || !vec_room_zero(m->member, n, m->member_cap))
		return NULL;
	return &m->member[n];
}

/* Of a name that repeats the last value counts, at the first one's place. */
int
heapmap_member(struct heap *h, struct slice name, struct slice json, struct err *e)
{
	struct snapshot_member *m = member(&h->map, name, NULL);

	if (m == NULL)
		return err_nomem(e);
	m->json.len = 0;
	m->list = slice_eq(json, SLICE("["));
	if (m->list)
		return buf_putc(&m->json, '[') ? 0 : err_nomem(e);
	return spell(h, &m->json, json, e);
}

int
heapmap_element(struct heap *h, struct slice name, struct slice json, struct err *e)
{
	bool fresh;
	struct snapshot_member *m = member(&h->map, name, &fresh);

	if (m == NULL)
		return err_nomem(e);
	if (fresh || !m->list) {
		m->json.len = 0;
		m->list = true;
		if (!buf_putc(&m->json, '['))
			return err_nomem(e);
	}
	if (m->json.len > 1 && !buf_put(&m->json, ", ", 2))
		return err_nomem(e);
	return spell(h, &m->json, json, e);
}

static int
count_block(struct tally *t, const struct live_block *b, struct err *e)
{
	struct pynum end, sum;
	int rc = pynum_add(&end, &b->address, &b->amount, e);

	if (rc != 0)
		return rc;
	rc = heap_greatest(&t->of[TALLY_MAX_ADDRESS], &end, t->any, e);
	pynum_free(&end);
	if (rc == 0)
		rc = heap_least(&t->of[TALLY_MIN_ADDRESS], &b->address, t->any, e);
	if (rc == 0)
		rc = pynum_add(&sum, &t->of[TALLY_SUM], &b->amount, e);
	if (rc != 0)
		return rc;
	pynum_free(&t->of[TALLY_SUM]);
	t->of[TALLY_SUM] = sum;
	rc = heap_greatest(&t->of[TALLY_MAX], &b->amount, t->any, e);
	if (rc == 0)
		rc = heap_least(&t->of[TALLY_MIN], &b->amount, t->any, e);
	t->any = true;
	return rc;
}

static int
count_blocks(const struct heapmap *m, struct tally *t, struct err *e)
{
	const struct live_block *b;
	int rc = 0;

	for (b = m->own.first; b != NULL && rc == 0; b = b->next)
		if (!b->frees)
			rc = count_block(t, b, e);
	for (b = m->live.list.first; b != NULL && rc == 0; b = b->next)
		rc = count_block(t, b, e);
	return rc;
}

static int
add_to_all(struct tally *all, const struct tally *t, struct err *e)
{
	int rc = 0, i;

	for (i = 0; i < TALLIES && rc == 0; i++) {
		if (i == TALLY_MIN_ADDRESS || i == TALLY_MIN)
			rc = heap_least(&all->of[i], &t->of[i], all->any, e);
		else
			rc = heap_greatest(&all->of[i], &t->of[i], all->any, e);
	}
	all->any = true;
	return rc;
}

/* What the snapshot has allocated and freed, in its order. */
static int
settle(struct heapmap *m, struct err *e)
{
	struct live_block *b;
	bool ok = true;

	while (ok && (b = live_shift(&m->own)) != NULL) {
		if (b->frees)
			live_release(&m->live, &b->address);
		else
			ok = live_allocate(&m->live, b);
		if (b->frees || !ok)
			live_drop(&m->live, b);
	}
	return ok ? 0 : err_nomem(e);
}

int
heapmap_snapshot(struct heap *h, struct err *e)
{
	struct tally t = { .any = false };
	int rc = count_blocks(&h->map, &t, e);

	if (rc == 0)
		rc = heapput_snapshot(h, &t, e);
	if (rc == 0 && t.any)
		rc = add_to_all(&h->map.all, &t, e);
	tally_free(&t);
	tab_free(&h->map.names);
	return rc != 0 ? rc : settle(&h->map, e);
}

int
heapmap_end(struct heap *h, struct err *e)
{
	if (h->has_snapshots && !h->map.all.any)
		return err_data(e, "nothing is allocated in any of the snapshots");
	return heapput_end(h, e);
}
