/* SPDX-License-Identifier: ISC */
/*
 * lbr.c - callchains whose user part the processor recorded as branches (--call-graph lbr).
 *
 * With PERF_SAMPLE_BRANCH_CALL_STACK the branch stack holds the calls that have not
 * returned.  As in perf (resolve_lbr_callchain_sample of tools/perf/util/machine.c) they
 * replace what the chain has after its user marker: the target of the newest, then the
 * source of each.
 */
#include <errno.h>

#include "src/perfdata/sample/line.h"

static bool
put_word(struct buf *b, uint64_t v)
{
	return buf_put(b, &v, sizeof v);
}

/* The chain up to and including its user marker; false if it has none. */
static bool
copy_kernel_part(struct buf *b, struct cur chain)
{
	bool ok = true;

	while (ok && cur_left(&chain) >= 8) {
		uint64_t ip = cur_u64(&chain);

		ok = put_word(b, ip);
		if (ip == CONTEXT_USER)
			return ok;
	}
	return false;
}

void
lbr_chain(struct decoder *d, struct sample *s)
{
	struct buf *b = &d->lbr_words;
	struct cur branch = s->branch;
	uint64_t i;
	bool ok;

	b->len = 0;
	if (s->branch_count == 0 || !copy_kernel_part(b, s->chain))
		return;
	for (ok = true, i = 0; ok && i < s->branch_count; i++) {
		uint64_t from = cur_u64(&branch), to = cur_u64(&branch);

		(void)cur_u64(&branch);
		ok = (i > 0 || put_word(b, to)) && put_word(b, from);
	}
	if (!ok) {
		evw_nomem(d->w);
		return;
	}
	s->chain = cur_over(b->p, b->len, cur_host_big());
	s->chain_count = b->len / sizeof(uint64_t);
}
