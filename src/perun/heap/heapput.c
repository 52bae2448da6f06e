/* SPDX-License-Identifier: ISC */
/* heapput.c - a heap map's text. */

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "src/perun/heap/heapint.h"
#include "src/perun/pytext.h"

/* What a snapshot gets, in this order; where it has such a member, that one's place is kept. */
static const char *const results[] = { "map", "max_address", "min_address", "sum_amount",
	"max_amount", "min_amount" };
#define RESULTS (sizeof results / sizeof results[0])

static const char *const totals[TALLIES] = { "max_address", "min_address", "max_sum_amount",
	"max_amount", "min_amount" };

static char *
put(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)

/* A block whose numbers are of the usual kind. */
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
 * A block of a snapshot before.  Perun copies the list of blocks before it has looked up the
 * uids of the new ones, so these are looked up a second time here, and the first place stays.
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

/* The snapshot's own blocks, also those that it frees again, and those that were there before. */
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

/* NAME and a colon, bytes as they are in the text. */
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
put_result(struct heap *h, size_t i, const struct tally *t, struct err *e)
{
	return i == 0 ? put_map(h, e) : put_number(h, &t->of[i - 1], e);
}

static void
put_member(struct heap *h, const struct snapshot_member *m)
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

/* Statistics are of maps that are not empty. */
int
heapput_snapshot(struct heap *h, const struct tally *t, struct err *e)
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
	struct tally *all = &h->map.all;
	int rc = heap_bound(&all->of[TALLY_MAX_ADDRESS], &all->of[TALLY_MIN_ADDRESS], e), i;

	for (i = 0; i < TALLIES && rc == 0; i++) {
		rc = put_name(h, slice_of(totals[i]), i == 0, e);
		if (rc == 0)
			rc = put_number(h, &all->of[i], e);
	}
	return rc;
}

int
heapput_end(struct heap *h, struct err *e)
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
