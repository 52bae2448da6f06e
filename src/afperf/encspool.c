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

#include "lib/mem.h"

#define CHUNK ((size_t)128 * 1024)

/*
 * A token begins with a NUL, which no record has; its kind follows, and the index in the machine's
 * own layout.
 */
#define TOKEN_SIZE (2 + sizeof(size_t))

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

void
enc_put_token(struct afperf_encode *x, enum enc_token token, size_t index)
{
	char text[TOKEN_SIZE] = { '\0', (char)token };

	memcpy(text + 2, &index, sizeof index);
	out_put(&x->spool.out, text, sizeof text);
}

/* Writes what the token stands for.  False without memory. */
static bool
settle_token(struct afperf_encode *x, enum enc_token token, size_t index)
{
	struct slice id;

	if (token == ENC_TOKEN_RUN_INFO)
		return enc_run_info(x, index);
	if (token == ENC_TOKEN_TYPE)
		return enc_measurement_type(x, index);
	id = token == ENC_TOKEN_RUN ? x->def.run[index].id : x->def.measure[index].id;
	out_put(x->out, id.p, id.len);
	return true;
}

/* Copies whole tokens and the bytes between; *used: how much of p.  False without memory. */
static bool
copy_chunk(struct afperf_encode *x, const char *p, size_t n, size_t *used)
{
	size_t index;
	bool ok = true;

	*used = 0;
	while (ok && *used < n) {
		const char *nul = memchr(p + *used, '\0', n - *used);
		size_t run = nul == NULL ? n - *used : (size_t)(nul - (p + *used));

		out_put(x->out, p + *used, run);
		*used += run;
		if (nul == NULL || n - *used < TOKEN_SIZE)
			break;
		memcpy(&index, nul + 2, sizeof index);
		ok = settle_token(x, (enum enc_token)nul[1], index);
		*used += TOKEN_SIZE;
	}
	return ok;
}

/* Copies the spool to the output. */
static int
copy_spool(struct afperf_encode *x, struct err *e)
{
	char *chunk = mem_alloc(CHUNK);
	size_t kept = 0, got, used;
	int rc = chunk == NULL ? err_nomem(e) : spool_rewind(&x->spool, e);

	while (rc == 0 && x->out->error == 0) {
		rc = spool_read(&x->spool, chunk + kept, CHUNK - kept, &got, e);
		if (rc != 0 || got == 0)
			break;
		if (!copy_chunk(x, chunk, kept + got, &used))
			rc = err_nomem(e);
		kept = kept + got - used;
		memmove(chunk, chunk + used, kept);
	}
	mem_free(chunk);
	return rc;
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
		rc = copy_spool(x, e);
	return rc == 0 && x->pinning && !enc_definitions(x) ? err_nomem(e) : rc;
}
