/* SPDX-License-Identifier: ISC */
/* result.c - the results: groups in order, each with its statistics or as a partial result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/in.h"
#include "lib/mem.h"
#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"

/*
 * ---- the identities of measures, when all lines are known
 */

/*
 * Settles a unit that was not known when the lines came.  In a partial result of events it stays
 * open, since another one may have the measure line, unless that came after the events: they have
 * no unit then, as they would have none in a single run.
 */
static void
settle_unit(struct aggregate *a, struct identified *id)
{
	struct slice unit = units_said(&a->units, id->part[ID_RUN], id->part[ID_MEASURE]);

	if (!a->partial)
		id->part[ID_UNIT] = unit;
	else if (a->input != INPUT_PARTS && !slice_is_nothing(unit))
		id->part[ID_UNIT] = SLICE(".");
}

/* Stores the text by which identities are compared, with the unit that is now known. */
static bool
name_identity(struct aggregate *a, struct identified *id, struct buf *text)
{
	size_t i, n = a->partial ? IDENTITY : ID_RUN;
	bool ok = true;

	if (slice_eq(id->part[ID_UNIT], SLICE(UNIT_UNKNOWN)))
		settle_unit(a, id);
	text->len = 0;
	for (i = 0; ok && i < n; i++)
		ok = (i == 0 || buf_putc(text, '\t')) &&
		    buf_put(text, id->part[i].p, id->part[i].len);
	return ok;
}

static int
cmp_texts(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* Gives identities their ranks: the order of their texts. */
static bool
rank(struct results *r, const uint32_t *text)
{
	size_t n = r->texts.count, i;
	struct slice *sorted = n == 0 ? NULL : mem_alloc(n * sizeof *sorted);
	uint32_t *place = n == 0 ? NULL : mem_alloc(n * sizeof *place);

	if (n != 0 && (sorted == NULL || place == NULL)) {
		mem_free(sorted);
		mem_free(place);
		return false;
	}
	for (i = 0; i < n; i++)
		sorted[i] = r->texts.item[i];
	if (n != 0)
		qsort(sorted, n, sizeof *sorted, cmp_texts);
	for (i = 0; i < n; i++)
		place[tab_find(&r->texts, sorted[i])] = (uint32_t)i;
	for (i = 0; i < r->identities; i++)
		r->identity[i].rank = place[text[i]];
	mem_free(sorted);
	mem_free(place);
	return true;
}

/*
 * Decides which identities show their unit.  If two identities of a measure have different units,
 * each one shows its unit.  Otherwise an identity does so only if a line itself gave the unit, or
 * if a measure line of the measure says something else: that line is before the results, so a
 * reader would take its unit for theirs.
 */
static bool
judge_units(const struct aggregate *a, struct results *r)
{
	struct tab names = { 0 };
	size_t n = r->identities, i, k, *first = mem_zero(n + 1, sizeof *first);
	bool *several = mem_zero(n + 1, sizeof *several), *says = mem_zero(n + 1, sizeof *says);
	bool ok = first != NULL && several != NULL && says != NULL, fresh;

	for (i = 0; ok && i < n; i++) {
		const struct identified *id = &r->identity[i];

		k = tab_add(&names, id->part[ID_MEASURE], &fresh);
		ok = k != TAB_NONE;
		if (ok && fresh)
			first[k] = i;
		if (ok && !slice_eq(id->part[ID_UNIT], r->identity[first[k]].part[ID_UNIT]))
			several[k] = true;
		says[id->rank] |= a->said[i].unit;
	}
	for (i = 0; ok && i < n; i++) {
		struct identified *id = &r->identity[i];
		struct slice unit = id->part[ID_UNIT], m = id->part[ID_MEASURE];

		id->shows_unit = slice_is_nothing(unit) ? units_any(&a->units, m)
							: says[id->rank] ||
			several[tab_find(&names, m)] || !slice_eq(units_common(&a->units, m), unit);
	}
	tab_free(&names);
	mem_free(first);
	mem_free(several);
	mem_free(says);
	return ok;
}

/* Decides whose groups are no parts of a total because of their scopes, and whose have no rate. */
static bool
judge_lines(const struct aggregate *a, struct results *r)
{
	size_t n = r->identities, i;
	unsigned char *about = mem_zero(n + 1, sizeof *about);

	for (i = 0; about != NULL && i < n; i++)
		about[r->identity[i].rank] |= a->said[i].about;
	for (i = 0; about != NULL && i < n; i++)
		r->identity[i].overlaps = nesting_overlaps(about[r->identity[i].rank]);
	for (i = 0; about != NULL && i < n; i++)
		r->identity[i].untimed = (about[r->identity[i].rank] & ABOUT_UNTIMED) != 0;
	mem_free(about);
	return about != NULL;
}

/* Finds the total of an identity whose text is NAME, which may get longer. */
static bool
find_whole(const struct aggregate *a, struct results *r, struct identified *id, struct buf *name)
{
	struct slice run = id->part[ID_RUN];
	size_t number;

	if (a->total_by_run && !(buf_putc(name, '\t') && buf_put(name, run.p, run.len)))
		return false;
	number = tab_add(&r->wholes, buf_slice(name), NULL);
	id->whole = (uint32_t)number;
	return number != TAB_NONE;
}

static bool
identify(struct aggregate *a, struct results *r)
{
	size_t n = a->measures.count, i;
	uint32_t *text = mem_alloc((n + 1) * sizeof *text);
	struct buf name = { 0 };
	bool ok;

	r->identities = n;
	r->identity = mem_zero(n + 1, sizeof *r->identity);
	ok = text != NULL && r->identity != NULL;
	for (i = 0; ok && i < n; i++) {
		size_t number;

		measures_split(a, i, r->identity[i].part);
		r->identity[i].texts = measures_are_texts(a, r->identity[i].part);
		ok = name_identity(a, &r->identity[i], &name);
		number = ok ? tab_add(&r->texts, buf_slice(&name), NULL) : TAB_NONE;
		ok = number != TAB_NONE && find_whole(a, r, &r->identity[i], &name);
		text[i] = (uint32_t)number;
	}
	ok = ok && rank(r, text) && judge_units(a, r) && judge_lines(a, r);
	mem_free(text);
	buf_free(&name);
	return ok;
}

/*
 * ---- joining what is the same group after all
 */

bool
results_count(struct slice tags)
{
	struct slice n;

	/* only the first piece of a state has the number, and states of nothing have no other */
	return !ev_tag_in(tags, SLICE("agg.n"), &n) || !slice_eq(n, SLICE("0"));
}

int
results_take_tags(const struct aggregate *a, const struct state *st, struct slice tags,
    struct err *e)
{
	unsigned seen = 0;
	struct ev_tag tag;

	while (ev_next_tag(&tags, &tag))
		if (state_is_tag(tag.key) &&
		    state_take(&a->stats.keep, st, tag.key, tag.value, &seen, e) != 0)
			return (int)e->code;
	return state_taken(&a->stats.keep, seen, e);
}

/* Adds one state to another by means of its text, which is what partial results do. */
static int
join_states(const struct aggregate *a, const struct state *dst, const struct state *src,
    struct err *e)
{
	struct state_piece at = { 0 };
	struct buf text = { 0 };
	bool more = true;
	int rc = state_settle(&a->stats.keep, src, e);

	while (rc == 0 && more) {
		text.len = 0;
		if (!state_write(&a->stats.keep, src, &at, &text, &more))
			rc = err_nomem(e);
		else
			rc = results_take_tags(a, dst, (struct slice){ text.p + 1, text.len - 1 },
			    e);
	}
	buf_free(&text);
	return rc;
}

int
results_join(const struct aggregate *a, const struct cells *into, size_t to,
    const struct cells *from, size_t number, struct err *e)
{
	struct state dst = cells_state(into, to), src = cells_state(from, number);
	struct group *g = &into->group[to];
	const struct group *other = &from->group[number];

	if (other->run == BROKEN)
		g->run = BROKEN;
	if (g->run == BROKEN)
		return 0;
	aggregate_see(g, other->run, other->mid, other->start, other->end, other->total.n != 0);
	if (from->counted != NULL)
		cells_count(into, to, from->counted[number]);
	return join_states(a, &dst, &src, e);
}

/* Joins the totals of equal identities, settles them, and writes what lines say of them. */
static int
join_totals(struct aggregate *a, struct results *r, struct err *e)
{
	size_t n = r->identities < a->totals.cap ? r->identities : a->totals.cap, i;

	r->total = mem_alloc((r->wholes.count + 1) * sizeof *r->total);
	if (r->total == NULL)
		return err_nomem(e);
	for (i = 0; i < r->wholes.count; i++)
		r->total[i] = MIXED;
	for (i = 0; i < n; i++) {
		uint32_t *to = &r->total[r->identity[i].whole];

		if (a->totals.group[i].run == UNSEEN)
			continue;
		if (*to == MIXED)
			*to = (uint32_t)i;
		else if (results_join(a, &a->totals, *to, &a->totals, i, e) != 0)
			return (int)e->code;
	}
	for (i = 0; i < n; i++) {
		struct state st = cells_state(&a->totals, i);

		if (a->totals.group[i].run != UNSEEN && state_settle(&a->stats.keep, &st, e) != 0)
			return (int)e->code;
	}
	if (a->several && !a->partial && !results_put_totals(a, r))
		return err_nomem(e);
	return 0;
}

/*
 * ---- the whole
 */

struct slice
results_keys(const struct aggregate *a, size_t number, uint32_t *measure)
{
	struct slice text = a->groups.item[number], key[GROUPING_KEYS_MAX], rest;

	*measure = 0;
	if (a->measures.count == 1)
		return text;
	rest = aggregate_split(text, key, a->by.nkeys);
	if (rest.len != 0) {
		memcpy(measure, rest.p + rest.len - GROUP_MEASURE, GROUP_MEASURE);
		text.len -= 1 + GROUP_MEASURE;
	}
	return text;
}

/*
 * Checks that the groups of each total together have its lines, which is not so if a partial result
 * was lost or appears twice.
 */
static int
check_totals(const struct aggregate *a, const struct results *r, const uint64_t *n, struct err *e)
{
	size_t i;

	if (a->several || !aggregate_wants_totals(a))
		return 0;
	for (i = 0; i < r->wholes.count; i++)
		if (r->total[i] != MIXED && a->totals.group[r->total[i]].run != BROKEN &&
		    a->totals.group[r->total[i]].total.n != n[i])
			return err_data(e,
			    "partial results are missing, or appear twice: the "
			    "groups of a measure and its total differ");
	return 0;
}

static void
free_results(struct results *r)
{
	tab_free(&r->texts);
	tab_free(&r->wholes);
	mem_free(r->identity);
	mem_free(r->total);
	buf_free(&r->total_text);
	mem_free(r->total_at);
}

void
aggregate_finish(struct aggregate *a)
{
	a->finished = true;
}

/* Returns ERR_DATA for the groups that have been left out. */
static int
refuse_misfits(const struct results_out *out, struct err *e)
{
	*e = out->misfit;
	return out->misfits == 1 ? (int)e->code
				 : err_add(e, " (groups left out: %" PRIu64 ")", out->misfits);
}

/* Writes all groups, and counts what they lack.  Fails like aggregate_write. */
static int
write_groups(struct aggregate *a, const struct results *r, struct evwrite *w, struct err *e)
{
	struct results_out out = { .w = w,
		.watch = a->watch.on && !a->interim ? &a->watch : NULL,
		.n = mem_zero(r->wholes.count + 1, sizeof *out.n) };
	int rc;

	if (out.n == NULL)
		return err_nomem(e);
	rc = a->spill != NULL ? spill_write(a, r, &out, e) : results_write(a, r, &out, e);
	a->rateless = out.rateless;
	a->pooled_rates = out.pooled_rates;
	a->clocks = out.clocks;
	a->shareless = out.shareless;
	a->bins = out.bins;
	if (rc == 0 && out.misfits != 0)
		rc = refuse_misfits(&out, e);
	if (rc == 0 && !a->partial && !a->interim && !evw_failed(w))
		rc = check_totals(a, r, out.n, e);
	buf_free(&out.shared);
	mem_free(out.n);
	return rc;
}

int
aggregate_write(struct aggregate *a, struct evwrite *w, struct err *e)
{
	struct results r = { 0 };
	int rc = identify(a, &r) ? 0 : err_nomem(e);

	if (rc == 0)
		rc = join_totals(a, &r, e);
	if (rc == 0 && a->partial)
		rc = part_put_whole(a, &r, w, e);
	if (rc == 0)
		rc = write_groups(a, &r, w, e);
	free_results(&r);
	return rc;
}

int
aggregate_check_interim(const struct aggregate *a, struct err *e)
{
	size_t at = 0;
	int rc = 0;

	if (aggregate_missing(a, &at, e) != 0)
		rc = ERR_DOUBT;
	else if (a->input == INPUT_PARTS)
		rc = err_data(e, "partial results are merged only at the end");
	else if (a->spill != NULL)
		rc = err_data(e, "groups have been moved to disk");
	return rc == 0 ? 0 : (e->code = ERR_DOUBT);
}

/*
 * The identities of measures differ if the lines are not partial results, so nothing is joined
 * here, and groups remain as they are.
 */
int
aggregate_write_interim(struct aggregate *a, struct evwrite *w, struct err *e)
{
	struct results r = { 0 };
	int rc = aggregate_check_interim(a, e);

	if (rc != 0)
		return rc;
	a->from = a->upto;
	a->upto = a->newest;
	a->interim = true;
	evw_interim_begin(w, ++a->interims);
	if (!identify(a, &r))
		rc = err_nomem(e);
	if (rc == 0)
		rc = join_totals(a, &r, e);
	if (rc == 0)
		rc = write_groups(a, &r, w, e);
	if (rc == 0)
		evw_interim_end(w, a->interims);
	else
		evw_interim_drop(w);
	a->interim = false;
	free_results(&r);
	return rc;
}

static int
open_results(void *ctx, size_t i, const char *name, struct in *in, struct err *e)
{
	const struct aggregate *a = ctx;

	(void)i;
	(void)name;
	(void)e;
	*in = (struct in){ .fd = a->results, .ours = true, .seekable = true };
	return 0;
}

/* Writes the results to the file, and goes back to its start. */
static int
store_results(struct aggregate *a, struct err *e)
{
	struct evwrite w;
	int rc;

	if (!evw_open(&w, a->results, "afagg"))
		return err_nomem(e);
	rc = aggregate_write(a, &w, e);
	if (rc == 0 && (!evw_flush(&w) || lseek(a->results, 0, SEEK_SET) != 0))
		rc = err_sys(e, w.out.error != 0 ? w.out.error : errno,
		    "cannot write the temporary file");
	out_free(&w.out);
	return rc;
}

int
aggregate_read(struct aggregate *a, struct evread **r, struct err *e)
{
	static char *const name[] = { "the merged results" };
	int rc = in_temp(&a->results, e);

	if (rc != 0)
		return rc;
	rc = store_results(a, e);
	if (rc == 0) {
		*r = evread_open(name, 1, EVREAD_NO_MARKS);
		rc = *r == NULL ? err_nomem(e) : 0;
	}
	if (rc == 0)
		evread_set_opener(*r, open_results, a);
	else
		(void)close(a->results);
	return rc;
}
