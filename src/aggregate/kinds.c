/* SPDX-License-Identifier: ISC */
/* kinds.c - the list of afstream(5), less run, measure and lost, which are kept. */
#include "src/aggregate/kinds.h"

#include <stddef.h>

static const char *const details[] = {
	"section",
	"start",
	"stop",
	"sample",
	"span",
	"agg",
	"pause",
	"model",
	"header",
	"comment",
	"other",
	/* records of perf.data, which are printed on request */
	"mmap",
	"comm",
	"fork",
	"exit",
	"read",
	"switch",
	"throttle",
	"unthrottle",
	"aux",
	"itrace_start",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"cgroup",
	"text_poke",
	"aux_output_hw_id",
	"callchain_deferred",
};

bool
kind_is_detail(struct slice kind)
{
	size_t i;

	for (i = 0; i < sizeof details / sizeof details[0]; i++)
		if (slice_eq(kind, slice_of(details[i])))
			return true;
	return false;
}
