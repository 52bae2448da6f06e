/* SPDX-License-Identifier: ISC */
/* runs.c - runs that one input has twice. */
#include "lib/runs.h"

#include "lib/marks.h"

#define SHOWN_MAX 80 /* bytes of an id in a message; --run takes any */

void
runs_free(struct runs *r)
{
	tab_free(&r->id);
	tab_free(&r->twice);
}

bool
runs_add(struct runs *r, struct slice id, struct evwrite *w, const struct reporter *to,
    const char *file)
{
	struct err e;
	bool fresh;

	if (tab_add(&r->id, id, &fresh) == TAB_NONE)
		return false;
	if (fresh)
		return true;
	if (tab_add(&r->twice, id, &fresh) == TAB_NONE)
		return false;
	if (!fresh)
		return true;
	w->count[MARK_TWICE]++;
	err_data(&e,
	    "run %.*s comes twice in this input: is it counted twice? (several runs with one id: "
	    "see afpipe-cookbook(7))",
	    slice_shown(id, SHOWN_MAX), id.p);
	report_doubt(to, file, &e);
	return true;
}
