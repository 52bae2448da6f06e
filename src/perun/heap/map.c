/* SPDX-License-Identifier: ISC */
/*
 * map.c - the heap map, which shows the allocated blocks snapshot by snapshot, and its text.
 *
 * Allocated blocks are kept in the order of their allocation and found by address.  Adding and
 * freeing a block takes constant time, whatever the number of blocks.
 */
#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seed.h"
#include "lib/vec.h"
#include "src/perun/heap/heapint.h"
#include "src/perun/pytext.h"

#define CHUNK 256 /* number of blocks that are allocated together */

struct live_chunk {
	struct live_chunk *next;
	struct live_block block[CHUNK];
};

/* Frees a block that is in no list. */
static void
live_drop(struct live *l, struct live_block *b)
{
	pynum_free(&b->address);
	pynum_free(&b->amount);
	pynum_free(&b->uid);
	mem_free(b->again);
	b->next = l->spare;
	l->spare = b;
}

/* Returns a new block, zeroed and in no list, or NULL when memory runs out. */
static struct live_block *
live_new(struct live *l)
{
	struct live_chunk *chunk;
	struct live_block *b;
	size_t i;

	if (l->spare == NULL) {
		chunk = mem_alloc(sizeof *chunk);
		if (chunk == NULL)
			return NULL;
		chunk->next = l->chunk;
		l->chunk = chunk;
		for (i = 0; i < CHUNK; i++)
			chunk->block[i].next = i + 1 < CHUNK ? &chunk->block[i + 1] : NULL;
		l->spare = chunk->block;
	}
	b = l->spare;
	l->spare = b->next;
	*b = (struct live_block){ .next = NULL };
	return b;
}

static void
live_append(struct live_list *list, struct live_block *b)
{
	b->next = NULL;
	b->before = list->last;
	if (list->last != NULL)
		list->last->next = b;
	else
		list->first = b;
	list->last = b;
}

static void
take_out(struct live_list *list, struct live_block *b)
{
	if (b->before != NULL)
		b->before->next = b->next;
	else
		list->first = b->next;
	if (b->next != NULL)
		b->next->before = b->before;
	else
		list->last = b->before;
}

/* Removes the first block of a list and returns it, or NULL if the list is empty. */
static struct live_block *
live_shift(struct live_list *list)
{
	struct live_block *b = list->first;

	if (b != NULL)
		take_out(list, b);
	return b;
}

/* Doubles the number of buckets when there is an address for each. */
static bool
grow(struct live *l)
{
	size_t buckets = l->buckets == 0 ? 1024 : l->buckets * 2, i;
	struct live_block **bucket, *b;

	if (l->addresses < l->buckets)
		return true;
	bucket = mem_zero(buckets, sizeof *bucket);
	if (bucket == NULL)
		return false;
	if (l->buckets == 0)
		l->seed = seed_make();
	for (i = 0; i < l->buckets; i++) {
		while ((b = l->bucket[i]) != NULL) {
			l->bucket[i] = b->chain;
			b->chain = bucket[b->hash & (buckets - 1)];
			bucket[b->hash & (buckets - 1)] = b;
		}
	}
	mem_free(l->bucket);
	l->bucket = bucket;
	l->buckets = buckets;
	return true;
}

/*
 * Returns the link that points to the first block at the address or, if there is none, that would
 * point to it.
 */
static struct live_block **
find(const struct live *l, const struct pynum *address, uint64_t hash)
{
	struct live_block **b = &l->bucket[hash & (l->buckets - 1)];

	while (*b != NULL && ((*b)->hash != hash || !pynum_equal(&(*b)->address, address)))
		b = &(*b)->chain;
	return b;
}

/*
 * Adds a block that is in no list.  Returns false if memory runs out; the block is then still in no
 * list.
 */
static bool
live_allocate(struct live *l, struct live_block *b)
{
	struct live_block **at;

	/* NaN is not equal to itself, so it is never found */
	if (pynum_equal(&b->address, &b->address)) {
		if (!grow(l))
			return false;
		b->hash = pynum_hash(&b->address, l->seed);
		at = find(l, &b->address, b->hash);
		if (*at != NULL) {
			(*at)->last->later = b;
			(*at)->last = b;
		} else {
			b->last = b;
			*at = b;
			l->addresses++;
		}
	}
	live_append(&l->list, b);
	return true;
}

/* Frees the block that was allocated first at this address, if there is one. */
static void
live_release(struct live *l, const struct pynum *address)
{
	struct live_block **at, *b;

	if (l->addresses == 0)
		return;
	at = find(l, address, pynum_hash(address, l->seed));
	b = *at;
	if (b == NULL)
		return;
	if (b->later != NULL) {
		b->later->last = b->last;
		b->later->chain = b->chain;
		*at = b->later;
	} else {
		*at = b->chain;
		l->addresses--;
	}
	take_out(&l->list, b);
	live_drop(l, b);
}

/* Frees everything.  The caller must first drop the blocks in its own lists. */
static void
live_close(struct live *l)
{
	struct live_chunk *chunk;
	struct live_block *b;

	while ((b = live_shift(&l->list)) != NULL)
		live_drop(l, b);
	mem_free(l->bucket);
	while ((chunk = l->chunk) != NULL) {
		l->chunk = chunk->next;
		mem_free(chunk);
	}
	*l = (struct live){ .bucket = NULL };
}

static const char *const keys[] = { "function", "line", "source" };
#define KEYS (sizeof keys / sizeof keys[0])

static void
uids_free(struct heap_uids *u)
{
	tab_free(&u->known);
	mem_free(u->at);
	buf_free(&u->info);
	buf_free(&u->identity);
}

/*
 * Writes the identity of a uid, by which uids are compared, to u->identity.  *missing is the key
 * that it lacks, or NULL.  *nan is set if a value is NaN, which is equal to nothing in Python.
 */
static int
identify(struct heap_uids *u, struct jvalue *v, uint32_t token, const char **missing, bool *nan,
    struct err *e)
{
	uint32_t value;
	size_t i;

	u->identity.len = 0;
	*nan = false;
	*missing = NULL;
	for (i = 0; i < KEYS && *missing == NULL; i++) {
		value = JVALUE_NONE;
		if (v->j.token[token].kind == JSCAN_OBJECT)
			value = jvalue_member(v, token, slice_of(keys[i]));
		if (value == JVALUE_NONE) {
			*missing = keys[i];
			continue;
		}
		if (value == JVALUE_NO_MEMORY || !pytext_identity(&u->identity, v, value))
			return err_nomem(e);
		*nan |=
		    v->j.token[value].kind == JSCAN_WORD && v->j.text[v->j.token[value].off] == 'N';
	}
	return 0;
}

/* Appends an element to info. */
static int
append(struct heap_uids *u, const struct jvalue *v, uint32_t token, struct err *e)
{
	if ((u->count != 0 && !buf_put(&u->info, ", ", 2)) ||
	    !pytext_dumps(&u->info, v->j.text, v->j.token, token))
		return err_nomem(e);
	u->count++;
	return 0;
}

/* Finds the index in info of the uid with that number in the table.  A new uid is appended. */
static int
known_at(struct heap_uids *u, size_t number, bool fresh, uint64_t *place, struct err *e)
{
	if (!vec_room(u->at, number, u->cap))
		return err_nomem(e);
	if (fresh)
		u->at[number] = u->count;
	*place = u->at[number];
	return 0;
}

/*
 * Finds the index of the uid at the token.  *again is set if a second lookup would give a different
 * index or fail.  Returns ERR_DATA if the uid cannot be looked up.
 */
static int
uids_find(struct heap_uids *u, struct jvalue *v, uint32_t token, struct pynum *place, bool *again,
    struct err *e)
{
	const char *missing;
	bool nan, fresh = true;
	uint64_t at = u->count;
	size_t number;
	int rc = identify(u, v, token, &missing, &nan, e);

	if (rc != 0)
		return rc;
	if (u->count != 0 && u->odd)
		return err_data(e,
		    "the first uid lacks function, line or source: "
		    "no other can be compared with it");
	if (u->count != 0 && missing != NULL)
		return err_data(e, "the resource's uid has no %s", missing);
	u->odd |= missing != NULL;
	*again = nan || missing != NULL;
	if (!*again) {
		number = tab_add(&u->known, buf_slice(&u->identity), &fresh);
		if (number == TAB_NONE)
			return err_nomem(e);
		rc = known_at(u, number, fresh, &at, e);
	}
	if (rc == 0 && fresh)
		rc = append(u, v, token, e);
	*place = PYNUM((int64_t)at);
	return rc;
}

static void
stats_free(struct heap_stats *t)
{
	size_t i;

	for (i = 0; i < HEAP_STATS; i++)
		pynum_free(&t->of[i]);
	t->any = false;
}

void
heapmap_free(struct heap_map *m)
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
	stats_free(&m->all);
	buf_free(&m->text);
}

/* Returns whether the value is false for Python's if. */
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

/* Gives a number to the spelling of the subtype.  *frees is set if it is "free". */
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

	return rc == ERR_DATA ? err_data(e, "the resource's %s is not a number", name) : rc;
}

/* Reads a uid.  Its own text is kept if it has to be looked up again. */
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

/* Reads the four members that Perun uses.  *dropped is set if Perun ignores the resource. */
static int
read_block(struct heap *h, struct live_block *b, bool *dropped, struct err *e)
{
	uint32_t address, subtype, amount, uid;
	int rc = jvalue_need(&h->v, 0, "the resource", "address", &address, e);

	*dropped = false;
	if (rc == 0)
		rc = jvalue_need(&h->v, 0, "the resource", "subtype", &subtype, e);
	if (rc == 0)
		rc = jvalue_need(&h->v, 0, "the resource", "amount", &amount, e);
	if (rc == 0)
		rc = jvalue_need(&h->v, 0, "the resource", "uid", &uid, e);
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
		/* nothing is allocated at an address that is not a number */
		*dropped = rc == ERR_DATA;
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

/*
 * Returns the open snapshot's member with that name, creating it if necessary, or NULL if memory
 * runs out.
 */
static struct heap_member *
member(struct heap_map *m, struct slice name, bool *fresh)
{
	size_t n = tab_add(&m->names, name, fresh);

	if (n == TAB_NONE || !vec_room_zero(m->member, n, m->member_cap))
		return NULL;
	return &m->member[n];
}

/* Adds a member.  If a name is repeated, the last value is used, in the place of the first one. */
int
heapmap_member(struct heap *h, struct slice name, struct slice json, struct err *e)
{
	struct heap_member *m = member(&h->map, name, NULL);

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
	struct heap_member *m = member(&h->map, name, &fresh);

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
count_block(struct heap_stats *t, const struct live_block *b, struct err *e)
{
	struct pynum end, sum;
	int rc = pynum_add(&end, &b->address, &b->amount, e);

	if (rc != 0)
		return rc;
	rc = heap_greatest(&t->of[STAT_MAX_ADDRESS], &end, t->any, e);
	pynum_free(&end);
	if (rc == 0)
		rc = heap_least(&t->of[STAT_MIN_ADDRESS], &b->address, t->any, e);
	if (rc == 0)
		rc = pynum_add(&sum, &t->of[STAT_SUM], &b->amount, e);
	if (rc != 0)
		return rc;
	pynum_free(&t->of[STAT_SUM]);
	t->of[STAT_SUM] = sum;
	rc = heap_greatest(&t->of[STAT_MAX], &b->amount, t->any, e);
	if (rc == 0)
		rc = heap_least(&t->of[STAT_MIN], &b->amount, t->any, e);
	t->any = true;
	return rc;
}

static int
count_blocks(const struct heap_map *m, struct heap_stats *t, struct err *e)
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
add_to_all(struct heap_stats *all, const struct heap_stats *t, struct err *e)
{
	int rc = 0, i;

	for (i = 0; i < HEAP_STATS && rc == 0; i++) {
		if (i == STAT_MIN_ADDRESS || i == STAT_MIN)
			rc = heap_least(&all->of[i], &t->of[i], all->any, e);
		else
			rc = heap_greatest(&all->of[i], &t->of[i], all->any, e);
	}
	all->any = true;
	return rc;
}

/* Applies the allocations and frees of the snapshot, in their order. */
static int
settle(struct heap_map *m, struct err *e)
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

/*
 * The members that a snapshot gets, in this order.  Members that the snapshot already has keep
 * their place.
 */
static const char *const results[] = { "map", "max_address", "min_address", "sum_amount",
	"max_amount", "min_amount" };
#define RESULTS (sizeof results / sizeof results[0])

static const char *const totals[HEAP_STATS] = { "max_address", "min_address", "max_sum_amount",
	"max_amount", "min_amount" };

static char *
put(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)

/* Writes a block whose numbers are all of the usual kind. */
static void
put_usual(struct heap *h, const struct live_block *b)
{
	struct slice subtype = h->map.subtypes.item[b->subtype];
	char *start = out_room(h->o, subtype.len + 3 * NUM_MAX + 64), *p = start;

	if (p == NULL)
		return;
	p = PUT(p, "{\"address\": ");
	p += num_put_i64(p, b->address.as.i);
	p = PUT(p, ", \"subtype\": ");
	p = put(p, subtype.p, subtype.len);
	p = PUT(p, ", \"amount\": ");
	p += num_put_i64(p, b->amount.as.i);
	p = PUT(p, ", \"uid\": ");
	p += num_put_i64(p, b->uid.as.i);
	*p++ = '}';
	out_commit(h->o, (size_t)(p - start));
}

static int
put_block(struct heap *h, const struct live_block *b, const struct pynum *uid, struct err *e)
{
	struct slice subtype = h->map.subtypes.item[b->subtype];
	struct buf *t = &h->map.text;

	if (b->address.kind == PYNUM_INT && b->amount.kind == PYNUM_INT &&
	    b->uid.kind == PYNUM_INT && uid == &b->uid) {
		put_usual(h, b);
		return 0;
	}
	t->len = 0;
	if (!buf_put(t, "{\"address\": ", 12) || !pynum_dumps(t, &b->address) ||
	    !buf_put(t, ", \"subtype\": ", 13) || !buf_put(t, subtype.p, subtype.len) ||
	    !buf_put(t, ", \"amount\": ", 12) || !pynum_dumps(t, &b->amount) ||
	    !buf_put(t, ", \"uid\": ", 9) || !pynum_dumps(t, uid) || !buf_putc(t, '}'))
		return err_nomem(e);
	out_put(h->o, t->p, t->len);
	return 0;
}

/*
 * Writes a block of an earlier snapshot.  Perun copies the list of blocks before it has looked up
 * the uids of the new ones, so these are looked up a second time here.  The first index stays in
 * use.
 */
static int
put_carried(struct heap *h, struct live_block *b, struct err *e)
{
	struct pynum uid;
	bool again;
	int rc;

	if (b->again == NULL)
		return put_block(h, b, &b->uid, e);
	rc = jvalue_read(&h->v, slice_of(b->again), e);
	if (rc == 0)
		rc = uids_find(&h->map.uids, &h->v, 0, &uid, &again, e);
	mem_free(b->again);
	b->again = NULL;
	return rc != 0 ? rc : put_block(h, b, &uid, e);
}

/* Writes the snapshot's own blocks, including those that it frees again, then the earlier ones. */
static int
put_map(struct heap *h, struct err *e)
{
	struct live_block *b;
	bool first = true;
	int rc = 0;

	OUT_TEXT(h->o, "[");
	for (b = h->map.own.first; b != NULL && rc == 0; b = b->next) {
		if (b->frees)
			continue;
		out_put(h->o, ", ", first ? 0 : 2);
		rc = put_block(h, b, &b->uid, e);
		first = false;
	}
	for (b = h->map.live.list.first; b != NULL && rc == 0; b = b->next) {
		out_put(h->o, ", ", first ? 0 : 2);
		rc = put_carried(h, b, e);
		first = false;
	}
	OUT_TEXT(h->o, "]");
	return rc;
}

/* Writes NAME, whose bytes are unchanged, and a colon. */
static int
put_name(struct heap *h, struct slice name, bool first, struct err *e)
{
	h->map.text.len = 0;
	if (!jtext_quote(&h->map.text, name))
		return err_nomem(e);
	out_put(h->o, ", ", first ? 0 : 2);
	out_put(h->o, h->map.text.p, h->map.text.len);
	OUT_TEXT(h->o, ": ");
	return 0;
}

static int
put_number(struct heap *h, const struct pynum *n, struct err *e)
{
	h->map.text.len = 0;
	if (!pynum_dumps(&h->map.text, n))
		return err_nomem(e);
	out_put(h->o, h->map.text.p, h->map.text.len);
	return 0;
}

static int
put_result(struct heap *h, size_t i, const struct heap_stats *t, struct err *e)
{
	return i == 0 ? put_map(h, e) : put_number(h, &t->of[i - 1], e);
}

static void
put_member(struct heap *h, const struct heap_member *m)
{
	out_put(h->o, m->json.p, m->json.len);
	if (m->list)
		OUT_TEXT(h->o, "]");
}

static size_t
result_named(struct slice name)
{
	size_t i;

	for (i = 0; i < RESULTS; i++)
		if (slice_eq(name, slice_of(results[i])))
			break;
	return i;
}

static void
begin(struct heap *h)
{
	if (!h->map.begun)
		OUT_TEXT(h->o, "{\"type\": \"heap\", \"snapshots\": [");
	h->map.begun = true;
}

/* Writes a snapshot.  An empty map has no statistics. */
static int
put_snapshot(struct heap *h, const struct heap_stats *t, struct err *e)
{
	size_t i, n, last = t->any ? RESULTS : 1;
	bool put_already[RESULTS + 1] = { false };
	int rc = 0;

	begin(h);
	out_put(h->o, ", ", h->map.snapshots == 0 ? 0 : 2);
	OUT_TEXT(h->o, "{");
	h->map.snapshots++;
	for (n = 0; n < h->map.names.count && rc == 0; n++) {
		rc = put_name(h, h->map.names.item[n], n == 0, e);
		i = result_named(h->map.names.item[n]);
		put_already[i] = true;
		if (rc == 0 && i < last)
			rc = put_result(h, i, t, e);
		else if (rc == 0)
			put_member(h, &h->map.member[n]);
	}
	for (i = 0; i < last && rc == 0; i++) {
		if (put_already[i])
			continue;
		rc = put_name(h, slice_of(results[i]), n == 0, e);
		if (rc == 0)
			rc = put_result(h, i, t, e);
		n++;
	}
	if (rc == 0)
		OUT_TEXT(h->o, "}");
	return rc;
}

static int
put_stats(struct heap *h, struct err *e)
{
	struct heap_stats *all = &h->map.all;
	int rc = heap_bound(&all->of[STAT_MAX_ADDRESS], &all->of[STAT_MIN_ADDRESS], e), i;

	for (i = 0; i < HEAP_STATS && rc == 0; i++) {
		rc = put_name(h, slice_of(totals[i]), i == 0, e);
		if (rc == 0)
			rc = put_number(h, &all->of[i], e);
	}
	return rc;
}

static int
put_end(struct heap *h, struct err *e)
{
	int rc = 0;

	begin(h);
	OUT_TEXT(h->o, "], \"info\": [");
	if (h->map.uids.count != 0)
		out_put(h->o, h->map.uids.info.p, h->map.uids.info.len);
	OUT_TEXT(h->o, "], \"stats\": {");
	if (h->has_snapshots)
		rc = put_stats(h, e);
	if (rc != 0)
		return rc;
	OUT_TEXT(h->o, "}, \"unit\": ");
	out_put(h->o, h->unit.p, h->unit.len);
	OUT_TEXT(h->o, "}\n");
	return 0;
}

int
heapmap_snapshot(struct heap *h, struct err *e)
{
	struct heap_stats t = { .any = false };
	int rc = count_blocks(&h->map, &t, e);

	if (rc == 0)
		rc = put_snapshot(h, &t, e);
	if (rc == 0 && t.any)
		rc = add_to_all(&h->map.all, &t, e);
	stats_free(&t);
	tab_free(&h->map.names);
	return rc != 0 ? rc : settle(&h->map, e);
}

int
heapmap_end(struct heap *h, struct err *e)
{
	if (h->has_snapshots && !h->map.all.any)
		return err_data(e, "nothing is allocated in any of the snapshots");
	return put_end(h, e);
}
