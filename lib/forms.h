/* SPDX-License-Identifier: ISC */
/*
 * forms.h - whether results of afagg that are added up have different keys.
 *
 * A result by region contains those by region and comm of the same run, as the names of their keys
 * show.  The region itself is not looked at: a result without one may be that of lines without one.
 */
#ifndef AFPIPE_FORMS_H
#define AFPIPE_FORMS_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"

struct forms {
	bool differ; /* a run has results of a measure and a statistic with different keys */
	struct tab seen; /* runs, measures and statistics, each followed by that with its keys */
	struct buf text; /* scratch */
};

void forms_free(struct forms *f);

/*
 * Looks at a result of kind agg.  Those with different texts in PART are not added up.  Lines of
 * other programs, which have no n, and groups that overlap are no parts of a sum.  Returns false if
 * memory runs out.
 */
bool forms_see(struct forms *f, const struct ev *ev, struct slice part)
    __attribute__((warn_unused_result));

/* What to say if they differ. */
#define FORMS_NOTE \
	"groups have different keys (afagg --by): some contain others, so sums and shares count " \
	"the same several times (to choose some, for example those with comm: " \
	"afsel -k agg -w 'comm~.')"

#endif
