/* SPDX-License-Identifier: ISC */
/* needed.c - tags that were left out although they are needed. */
#include "src/trace/needed.h"

#include "lib/mem.h"
#include "lib/vec.h"

static const struct slice names[] = { SLICE_INIT("stack"), SLICE_INIT("pid"), SLICE_INIT("tid"),
	SLICE_INIT("cpu"), SLICE_INIT("id"), SLICE_INIT("interval") };

#define NAMES (sizeof names / sizeof names[0])

void
needed_free(struct needed *n)
{
	tab_free(&n->runs);
	mem_free(n->lacks);
}

bool
needed_run(struct needed *n, const struct ev *ev)
{
	unsigned lacks = (1u << NAMES) - 1;
	struct slice list, key;
	size_t i, run;

	if (!ev_tag(ev, SLICE("tags"), &list))
		return true;
	while (ev_next_element(&list, &key))
		for (i = 0; i < NAMES; i++)
			if (slice_eq(key, names[i]))
				lacks &= ~(1u << i);
	run = tab_add(&n->runs, ev->col[EV_RUN], NULL);
	if (run == TAB_NONE || !vec_room(n->lacks, run, n->cap))
		return false;
	n->lacks[run] = lacks;
	n->any |= lacks;
	return true;
}

int
needed_check(struct needed *n, const struct ev *ev, unsigned tags, struct err *e)
{
	size_t run = tab_find(&n->runs, ev->col[EV_RUN]), i = 0;

	if (run == TAB_NONE || (n->lacks[run] & tags) == 0)
		return 0;
	while ((n->lacks[run] & tags & (1u << i)) == 0)
		i++;
	n->any = 0;
	return err_line(e, ev->number,
	    "the tag '%.*s' of the events was left out (--tags), and is needed here",
	    (int)names[i].len, names[i].p);
}
