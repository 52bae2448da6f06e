/* SPDX-License-Identifier: ISC */
/* rejected.c - the runs of which an expression holds for no event, and their losses. */
#include "src/select/rejected.h"

#include "lib/mem.h"
#include "lib/kinds.h"
#include "lib/num.h"
#include "lib/vec.h"

void
rejected_free(struct rejected *r)
{
	tab_free(&r->runs);
	mem_free(r->is);
}

int
rejected_has(struct rejected *r, struct expr *x, const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN];
	bool describes = slice_eq(ev->col[EV_KIND], SLICE("run")), fresh;
	size_t n;
	int rc;

	if (!x->of_run || slice_is_nothing(run))
		return 0;
	n = tab_add(&r->runs, run, &fresh);
	if (n == TAB_NONE || !vec_room_zero(r->is, n, r->cap))
		return -1;
	if (fresh || describes) {
		rc = expr_may_hold(x, ev);
		if (rc < 0)
			return -1;
		r->is[n] = rc == 0;
	}
	return r->is[n];
}

bool
rejected_any(const struct rejected *r)
{
	size_t i = 0;

	while (i < r->runs.count && !r->is[i])
		i++;
	return i < r->runs.count;
}

void
rejected_count(struct rejected *r, const struct ev *ev)
{
	bool lost = slice_eq(ev->col[EV_KIND], SLICE("lost"));
	enum mark_count which = lost ? MARK_LOST : MARK_INCOMPLETE;
	uint64_t n;

	if (!(lost ? kinds_loss(ev, &n) : num_get_u64(ev->col[EV_VALUE], &n)))
		return;
	r->count[which] = num_plus(r->count[which], n);
}
