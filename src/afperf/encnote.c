/* SPDX-License-Identifier: ISC */
/* encnote.c - notes about what the encoder left out or supplied. */
#include <inttypes.h>
#include <stdio.h>

#include "src/afperf/encint.h"

#define KINDS_SHOWN 16
#define KIND_MAX 40 /* bytes of a kind's name */

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static bool
kinds(const struct afperf_encode *x, char *text, size_t size)
{
	size_t len = 0, i;

	for (i = 0; i < x->kinds.count && i < KINDS_SHOWN; i++) {
		struct slice kind = x->kinds.item[i];
		int n = snprintf(text + len, size - len, "%s%" PRIu64 " %.*s line%s",
		    i == 0 ? "left out " : ", ", x->kind_count[i],
		    (int)(kind.len < KIND_MAX ? kind.len : KIND_MAX), kind.p,
		    plural(x->kind_count[i]));

		if (n < 0 || (size_t)n >= size - len)
			break;
		len += (size_t)n;
	}
	if (i < x->kinds.count)
		snprintf(text + len, size - len, " and %zu more kinds", x->kinds.count - i);
	return x->kinds.count != 0;
}

static bool
tags(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "left out %" PRIu64 " tag%s of %" PRIu64 " line%s: "
	    "AFPerf has no place for them",
	    x->tags, plural(x->tags), x->tag_lines, plural(x->tag_lines));
	return x->tags != 0;
}

static bool
values(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size, "left out %" PRIu64 " line%s without a value", x->values,
	    plural(x->values));
	return x->values != 0;
}

static bool
untimed(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size, "wrote time 0 for %" PRIu64 " line%s without a time", x->untimed,
	    plural(x->untimed));
	return x->untimed != 0;
}

static bool
early(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "wrote %" PRIu64 " point%s from before the start of their section: "
	    "the stream is not sorted by time",
	    x->early, plural(x->early));
	return x->early != 0;
}

static bool
renumbered(const struct afperf_encode *x, char *text, size_t size)
{
	uint64_t n = x->renumbered + x->def.renumbered;

	snprintf(text, size, "gave another number to %" PRIu64 " id%s that %s in use", n, plural(n),
	    n == 1 ? "was" : "were");
	return n != 0;
}

static bool
large(const struct afperf_encode *x, char *text, size_t size)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < x->def.measures; i++)
		if (afperf_measure_type(&x->def.measure[i]) == AFPERF_DOUBLE)
			n += x->def.measure[i].large;
	snprintf(text, size,
	    "wrote %" PRIu64 " integer%s as values of type double: readers will round %s", n,
	    plural(n), n == 1 ? "it" : "them");
	return n != 0;
}

static bool
unknown_runs(const struct afperf_encode *x, char *text, size_t size)
{
	size_t n = 0, i;

	for (i = 0; i < x->def.runs; i++)
		n += !x->def.run[i].declared && !slice_is_nothing(x->def.run[i].name);
	snprintf(text, size, "no run line for %zu run%s: made from the data", n, plural(n));
	return n != 0;
}

static bool
unknown_measures(const struct afperf_encode *x, char *text, size_t size)
{
	size_t n = 0, i;

	for (i = 0; i < x->def.measures; i++) {
		const struct afperf_measure *m = &x->def.measure[i];

		n += m->defined == 0 && !slice_is_nothing(x->def.run[m->run].name);
	}
	snprintf(text, size, "no measure line for %zu measure%s: made from the data", n, plural(n));
	return n != 0;
}

bool
afperf_encode_note(const struct afperf_encode *x, size_t *at, char *text, size_t size)
{
	static bool (*const notes[])(const struct afperf_encode *, char *, size_t) = {
		unknown_runs,
		unknown_measures,
		kinds,
		tags,
		values,
		untimed,
		early,
		large,
		renumbered,
	};

	while (*at < sizeof notes / sizeof notes[0])
		if (notes[(*at)++](x, text, size))
			return true;
	return false;
}
