/* SPDX-License-Identifier: ISC */
/* heat.c - how often each address was allocated. */
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spool.h"
#include "src/perun/heap/heapint.h"

/*
 * A resource that waits in the temporary file until it is known where the map begins; the texts
 * of its address and its amount follow.
 */
struct waiting {
	uint64_t line;
	struct jscan_token address, amount; /* off is 0; amount.len 0: it has none */
};

/* The cells, as what is added from each on. */
struct cells {
	int64_t *step; /* len + 1 of them */
	int64_t len;
};

void
heat_free(struct heat *t)
{
	pynum_free(&t->max);
	pynum_free(&t->min);
	spool_close(&t->later);
	buf_free(&t->text);
}

static int
keep(struct heap *h, uint32_t address, uint32_t amount, struct err *e)
{
	const struct jscan_token *k = h->v.j.token;
	struct waiting w = { .line = h->line, .address = k[address] };
	int rc = spool_open(&h->heat.later, e);
	size_t n;
	char *p;

	if (rc != 0)
		return rc;
	if (amount != JVALUE_NONE)
		w.amount = k[amount];
	if (w.amount.kind <= JSCAN_STRING)
		w.amount.len = amount != JVALUE_NONE; /* all such are the same: no numbers */
	w.address.off = w.amount.off = 0;
	n = sizeof w + w.address.len + w.amount.len;
	p = spool_room(&h->heat.later, n);
	if (p == NULL)
		return err_nomem(e);
	memcpy(p, &w, sizeof w);
	memcpy(p + sizeof w, h->v.j.text + k[address].off, w.address.len);
	if (amount != JVALUE_NONE)
		memcpy(p + sizeof w + w.address.len, h->v.j.text + k[amount].off, w.amount.len);
	return spool_put(&h->heat.later, n, e);
}

/* The map's bounds; an amount that is missing is 0 here. */
static int
widen(struct heap *h, const struct pynum *address, uint32_t amount, struct err *e)
{
	struct pynum size = PYNUM(0), end;
	int rc = 0;

	if (amount != JVALUE_NONE)
		rc = pynum_read(&size, h->v.j.text, &h->v.j.token[amount], e);
	if (rc == ERR_DATA)
		return err_data(e, "the resource's amount is no number");
	if (rc == 0) {
		rc = pynum_add(&end, address, &size, e);
		pynum_free(&size);
	}
	if (rc != 0)
		return rc;
	rc = heap_greatest(&h->heat.max, &end, h->heat.any, e);
	if (rc == 0)
		rc = heap_least(&h->heat.min, address, h->heat.any, e);
	pynum_free(&end);
	h->heat.any = true;
	return rc;
}

int
heat_resource(struct heap *h, struct err *e)
{
	uint32_t address, amount;
	struct pynum start, zero = PYNUM(0);
	int rc = jvalue_need(&h->v, 0, "the resource", "address", &address, e);

	if (rc != 0)
		return rc;
	amount = jvalue_member(&h->v, 0, SLICE("amount"));
	if (amount == JVALUE_NO_MEMORY)
		return err_nomem(e);
	rc = pynum_read(&start, h->v.j.text, &h->v.j.token[address], e);
	if (rc == ERR_DATA)
		return err_data(e, "the resource's address is no number");
	if (rc != 0)
		return rc;
	if (pynum_less(&zero, &start))
		rc = widen(h, &start, amount, e);
	pynum_free(&start);
	return rc != 0 ? rc : keep(h, address, amount, e);
}

static void
warm(struct cells *c, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	c->step[from]++;
	c->step[to]--;
}

/*
 * Addresses at and below 0 have no part in the map's bounds, and what is bounded may reach beyond
 * them.  Perun takes such an index from the end, as Python does, or fails.
 */
static int
warm_odd(struct heap *h, struct cells *c, const struct pynum *first, const struct pynum *size,
    struct err *e)
{
	int64_t from = first->as.i, to;

	if (!h->compat && (first->kind != PYNUM_INT || from < 0)) {
		h->heat.low++;
		return 0;
	}
	if (!h->compat) {
		h->heat.beyond++;
		warm(c, from, c->len);
		return 0;
	}
	if (first->kind != PYNUM_INT || from < -c->len)
		return err_data(e, "the resource's address is before the map");
	if (size->kind == PYNUM_BIG || size->as.i > c->len - from)
		return err_data(e, "the resource reaches beyond the map");
	to = from + size->as.i;
	warm(c, c->len + from, c->len + (to < 0 ? to : 0));
	warm(c, 0, to);
	return 0;
}

/* A resource that is not above the map. */
static int
warm_resource(struct heap *h, struct cells *c, const struct pynum *address,
    const struct pynum *size, struct err *e)
{
	struct pynum first, zero = PYNUM(0);
	int rc;

	if (size->kind == PYNUM_FLOAT)
		return err_data(e, "the resource's amount is no integer");
	if (!pynum_less(&zero, size))
		return 0;
	if (address->kind == PYNUM_FLOAT)
		return err_data(e, "the resource's address is no integer");
	rc = pynum_sub(&first, address, &h->heat.min, e);
	if (rc != 0)
		return rc;
	if (first.kind == PYNUM_INT && first.as.i >= 0 && size->kind <= PYNUM_BOOL &&
	    size->as.i <= c->len - first.as.i)
		warm(c, first.as.i, first.as.i + size->as.i);
	else
		rc = warm_odd(h, c, &first, size, e);
	pynum_free(&first);
	return rc;
}

static int
warm_waiting(struct heap *h, struct cells *c, const struct waiting *w, const char *text,
    struct err *e)
{
	struct pynum address, size;
	int rc = pynum_read(&address, text, &w->address, e);

	if (rc != 0 || pynum_less(&h->heat.max, &address)) {
		if (rc == 0)
			pynum_free(&address);
		return rc;
	}
	if (w->amount.len == 0)
		rc = err_data(e, "the resource has no amount");
	else
		rc = pynum_read(&size, text + w->address.len, &w->amount, e);
	if (rc == 0) {
		rc = warm_resource(h, c, &address, &size, e);
		pynum_free(&size);
	} else if (rc == ERR_DATA && w->amount.len != 0) {
		rc = err_data(e, "the resource's amount is no integer");
	}
	pynum_free(&address);
	return rc;
}

static int
warm_all(struct heap *h, struct cells *c, struct err *e)
{
	struct slice record;
	struct waiting w;
	int rc = spool_rewind(&h->heat.later, e);

	while (rc == 0 && (rc = spool_next(&h->heat.later, &record, e)) == 0 && record.p != NULL) {
		memcpy(&w, record.p, sizeof w);
		rc = warm_waiting(h, c, &w, record.p + sizeof w, e);
		if (rc != 0)
			(void)err_at_line(e, w.line);
	}
	spool_close(&h->heat.later);
	return rc;
}

static void
put_cells(struct out *o, const struct cells *c)
{
	int64_t i, sum = 0;
	char *p, *start;

	for (i = 0; i < c->len; i++) {
		sum += c->step[i];
		start = p = out_room(o, NUM_MAX + 2);
		if (p == NULL)
			return;
		if (i != 0) {
			*p++ = ',';
			*p++ = ' ';
		}
		if (sum < 10)
			*p++ = (char)('0' + sum);
		else
			p += num_put_i64(p, sum);
		out_commit(o, (size_t)(p - start));
	}
}

static int
put_all(struct heap *h, const struct cells *c, struct err *e)
{
	struct buf *t = &h->heat.text;

	t->len = 0;
	if (!buf_put(t, "{\"type\": \"heat\", \"stats\": {\"max_address\": ", 42) ||
	    !pynum_dumps(t, &h->heat.max) || !buf_put(t, ", \"min_address\": ", 17) ||
	    !pynum_dumps(t, &h->heat.min) || !buf_put(t, "}, \"map\": [", 11))
		return err_nomem(e);
	out_put(h->o, t->p, t->len);
	put_cells(h->o, c);
	OUT_TEXT(h->o, "], \"unit\": ");
	out_put(h->o, h->unit.p, h->unit.len);
	OUT_TEXT(h->o, "}\n");
	return 0;
}

static void
put_empty(struct heap *h)
{
	OUT_TEXT(h->o, "{\"type\": \"heat\", \"stats\": {}, \"map\": [], \"unit\": ");
	out_put(h->o, h->unit.p, h->unit.len);
	OUT_TEXT(h->o, "}\n");
}

int
heat_end(struct heap *h, struct err *e)
{
	struct pynum len;
	struct cells c;
	int rc;

	if (!h->has_snapshots) {
		put_empty(h);
		return 0;
	}
	if (!h->heat.any)
		return err_data(e, "no resource in the snapshots has an address above 0");
	rc = heap_bound(&h->heat.max, &h->heat.min, e);
	if (rc == 0)
		rc = pynum_sub(&len, &h->heat.max, &h->heat.min, e);
	if (rc != 0)
		return rc;
	if (len.kind != PYNUM_INT)
		return err_data(e, "the map's first and last address are no integers");
	c.len = len.as.i;
	c.step = mem_zero((size_t)c.len + 1, sizeof *c.step);
	if (c.step == NULL)
		return err_nomem(e);
	rc = warm_all(h, &c, e);
	if (rc == 0)
		rc = put_all(h, &c, e);
	mem_free(c.step);
	return rc;
}
