/* SPDX-License-Identifier: ISC */
/*
 * bins.c - whether histograms have the same bins.  Each bin is a group, and one that a run does not
 * have is 0, so that with other bins everything would seem to be new, or gone.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */

struct bin {
	uint32_t family;
	double lo, hi;
};

/* Reads the number after KEY= if the field is that. */
static bool
read_end(struct slice field, struct slice key, double *v)
{
	struct slice name;

	(void)slice_cut(&field, '=', &name);
	return slice_eq(name, key) && num_get_double(field, v);
}

/* Finds the ends of a bin among the keys of a group.  Returns false if it is none. */
static bool
find_bin(const struct diff *d, size_t group, struct bin *b)
{
	struct slice rest = diff_group_keys(d, group), field;
	bool has_lo = false, has_hi = false;

	b->family = d->group[group].family;
	if (!slice_eq(d->family[b->family].part[PART_STAT], SLICE("hist")))
		return false;
	while (rest.len != 0) {
		field = diff_field(&rest);
		has_lo = has_lo || read_end(field, SLICE("lo"), &b->lo);
		has_hi = has_hi || read_end(field, SLICE("hi"), &b->hi);
	}
	return has_lo && has_hi && b->lo < b->hi;
}

static int
compare_bins(const void *a, const void *b)
{
	const struct bin *x = a, *y = b;

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->lo < y->lo || x->lo > y->lo)
		return x->lo < y->lo ? -1 : 1;
	return (x->hi > y->hi) - (x->hi < y->hi);
}

/* Returns ERR_DATA if two of the bins, which are sorted, overlap. */
static int
check_bins(const struct diff *d, const struct bin *bin, size_t n, struct err *e)
{
	size_t i;

	for (i = 1; i < n; i++) {
		const struct bin *x = &bin[i - 1], *y = &bin[i];
		struct slice m = d->family[y->family].part[PART_MEASURE];

		if (compare_bins(x, y) != 0 && x->family == y->family && y->lo < x->hi)
			return err_data(e,
			    "%.*s: the bins differ (%g to %g, and %g to %g): use the same --bins "
			    "for all runs of both",
			    slice_shown(m, SHOWN_MAX), m.p, x->lo, x->hi, y->lo, y->hi);
	}
	return 0;
}

int
diff_check_bins(const struct diff *d, struct err *e)
{
	struct bin *bin = mem_zero(d->groups.count + 1, sizeof *bin);
	size_t n = 0, i;
	int rc;

	if (bin == NULL)
		return err_nomem(e);
	for (i = 0; i < d->groups.count; i++)
		n += find_bin(d, i, &bin[n]);
	qsort(bin, n, sizeof *bin, compare_bins);
	rc = check_bins(d, bin, n, e);
	mem_free(bin);
	return rc;
}
