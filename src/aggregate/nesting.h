/* SPDX-License-Identifier: ISC */
/*
 * nesting.h - whether a group adds up values that contain each other.
 *
 * The inclusive time of a region contains that of each region inside it.  If no key tells regions
 * apart, their sum counts the same time several times.  It does so if a group has a line of a
 * region and one of a region further out, as their stacks show.
 *
 * The same is true of what was measured for a whole run, region or section (see ev_is_of_whole).
 * These lines have no stacks, so it is enough that a group has two scopes or two regions.  Results
 * of regions have none either, but may be those of regions that do not contain each other.
 *
 * A result by region contains those by region and comm, as the names of their keys show.
 */
#ifndef AFPIPE_AGGREGATE_NESTING_H
#define AFPIPE_AGGREGATE_NESTING_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/aggregate/grouping.h"

struct nesting {
	bool wanted; /* some statistic adds up */
	bool regions; /* no key tells regions apart */
	bool watching; /* there is such a measure, and a group may still be found */
	bool found; /* a group with a region and one around it */
	bool pooled; /* a group with results of several regions, which may contain each other */
	bool mixed; /* a group with several scopes, or with the values of several whole regions */
	bool forms; /* the lines are results, which should all have the same keys */
	bool means; /* of results, which then should have the same keys in all runs */
	bool joins; /* they are joined by the rules of their statistics: extremes may overlap */
	bool formed; /* a group with results of a run that have different keys */
	struct tab seen; /* the stacks of the lines of each group, and of the regions around them */
	struct buf text, form; /* scratch */
};

void nesting_free(struct nesting *n);

/*
 * What the lines of a measure are about, a bit each: the scopes of AFPerf, whether some value is
 * that of a whole run, region or section, and whether some line has no time, so that it is not
 * known whether it belongs to the duration of its run.
 */
enum about {
	ABOUT_RUN = 1,
	ABOUT_REGION = 2,
	ABOUT_SECTION = 4,
	ABOUT_WHOLE = 8,
	ABOUT_UNTIMED = 16,
	ABOUT_ALL = 31
};

/* Returns what a line with that scope is about. */
unsigned nesting_about(const struct ev *ev, struct slice scope);

/* Returns true if values of lines that are about all that are no parts of one total. */
bool nesting_overlaps(unsigned about);

/* Returns true if no key tells regions apart. */
bool nesting_is_possible(const struct grouping *by);

/*
 * Looks at a line that is added to the group of its keys.  Sets found, or stops watching if there
 * is too much to remember.  Returns false if memory runs out.
 */
bool nesting_see(struct nesting *n, const struct grouping *by, const struct ev *ev,
    const struct slice *tag) __attribute__((warn_unused_result));

/* Forgets all texts about results, of which there may be many, and looks no more. */
void nesting_forget(struct nesting *n);

/*
 * For partial results: returns the next text that another one needs, from *at on, which is 0 at
 * first; at the end its p is NULL.
 */
struct slice nesting_next_text(const struct nesting *n, const struct grouping *by, size_t *at);

/*
 * Takes such a text, of a group with the same keys.  Returns ERR_DATA if it is none, and ERR_SYS if
 * memory runs out.
 */
int nesting_take_text(struct nesting *n, const struct grouping *by, struct slice text,
    struct err *e) __attribute__((warn_unused_result));

/* Adds what another one has seen of the same groups.  Returns false if memory runs out. */
bool nesting_join(struct nesting *n, const struct nesting *from)
    __attribute__((warn_unused_result));

#endif
