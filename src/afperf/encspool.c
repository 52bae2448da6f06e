/* SPDX-License-Identifier: ISC */
/*
 * encspool.c - records that wait until all runs and measures are known.
 *
 * Definitions are written at the end, before the records that have waited.  So records that wait
 * must not refer to the last RunInfo, because it is not yet known which one that will be.  But a
 * run without an id has no other name.  Its RunInfo and its types are pinned: a token in the spool
 * marks the place of each, and the record is made when the spool is copied.  If such a run is the
 * last before the spool, all other definitions are pinned, too.
 */
#include "src/afperf/encint.h"

int
enc_spool_begin(struct afperf_encode *x, struct err *e)
{
	struct enc_native *n = &x->native;
	int rc;

	if (x->spooling)
		return 0;
	rc = spool_open(&x->spool, e);
	if (rc != 0)
		return rc;
	enc_block_close(x);
	enc_native_apart(x);
	n->block = ENC_NO_SCOPE;
	x->pinning = n->run != TAB_NONE && x->def.run[n->run].blank;
	if (!x->pinning)
		n->run = TAB_NONE;
	x->spooling = true;
	x->to = &x->spool.out;
	return 0;
}

bool
enc_spool_define(struct afperf_encode *x, size_t run, size_t measure)
{
	const struct afperf_run *r = &x->def.run[run];
	struct afperf_measure *m;

	if (x->pinning && !r->written && !enc_run_here(x, run))
		return false;
	if (measure == TAB_NONE)
		return true;
	m = &x->def.measure[measure];
	if (!m->written && !x->pinning && !r->blank)
		m->written = m->ahead = true;
	/* a record already written is too narrow once values have widened its type */
	if (m->written && (m->pinned || m->ahead || m->seen == 0))
		return true;
	return enc_measure_here(x, measure, NULL);
}

/* In the order of the runs, so that ids do not depend on what was pinned. */
static bool
settle_all(struct afperf_encode *x)
{
	size_t i, m;

	for (i = 0; i < x->def.runs; i++) {
		if (!afperf_settle_run(&x->def, i))
			return false;
		for (m = x->def.run[i].measures.first; m != TAB_NONE;
		     m = x->def.measure[m].next_in_run)
			if (!afperf_settle_measure(&x->def, m))
				return false;
	}
	return true;
}

static bool
put_token(void *ctx, enum spool_token token, size_t index)
{
	struct afperf_encode *x = ctx;
	struct slice id;

	if (token == SPOOL_RUN_INFO)
		return enc_run_info(x, index);
	if (token == SPOOL_TYPE)
		return enc_measurement_type(x, index);
	id = token == SPOOL_RUN ? x->def.run[index].id : x->def.measure[index].id;
	out_put(x->out, id.p, id.len);
	return true;
}

int
enc_spool_end(struct afperf_encode *x, struct err *e)
{
	bool spooled = x->spooling;
	int rc = 0;

	x->to = x->out;
	x->spooling = false;
	x->ending = true;
	if (!afperf_inherit(&x->def) || !settle_all(x) || (!x->pinning && !enc_definitions(x)))
		return err_nomem(e);
	if (spooled)
		rc = spool_copy(&x->spool, x->out, put_token, x, e);
	return rc == 0 && x->pinning && !enc_definitions(x) ? err_nomem(e) : rc;
}
