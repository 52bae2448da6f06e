/* SPDX-License-Identifier: ISC */
/* kinds.c - the list of kinds in afstream(5). */
#include "lib/kinds.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/num.h"

#define NAME_ROOM 64 /* for a name, and what is before and after it */

const struct kind kinds[] = {
	/* the most frequent ones first */
	{ .name = "sample" },
	{ .name = "span" },
	{ .name = "agg", .result = true },
	{ .name = "part", .result = true },
	{ .name = "diff", .result = true },
	{ .name = "start" },
	{ .name = "stop" },
	{ .name = "run", .outlives = true, .about = true },
	{ .name = "measure", .outlives = true, .about = true },
	{ .name = "lost", .outlives = true },
	{ .name = "incomplete", .outlives = true },
	{ .name = "origin", .about = true },
	{ .name = "section", .about = true },
	{ .name = "header", .about = true },
	{ .name = "pause", .stays = true },
	{ .name = "model" },
	{ .name = "comment" },
	{ .name = "other" },
	/* records of perf.data, most of them printed on request */
	{ .name = "read" },
	{ .name = "mmap" },
	{ .name = "comm" },
	{ .name = "fork" },
	{ .name = "exit" },
	{ .name = "switch" },
	{ .name = "throttle" },
	{ .name = "unthrottle" },
	{ .name = "aux" },
	{ .name = "itrace_start" },
	{ .name = "namespaces" },
	{ .name = "ksymbol" },
	{ .name = "bpf_event" },
	{ .name = "cgroup" },
	{ .name = "text_poke" },
	{ .name = "aux_output_hw_id" },
	{ .name = "callchain_deferred" },
	{ .name = "header_attr" },
	{ .name = "event_type" },
	{ .name = "finished_round" },
	{ .name = "id_index" },
	{ .name = "auxtrace_info" },
	{ .name = "auxtrace" },
	{ .name = "auxtrace_error" },
	{ .name = "thread_map" },
	{ .name = "cpu_map" },
	{ .name = "stat_config" },
	{ .name = "stat" },
	{ .name = "stat_round" },
	{ .name = "event_update" },
	{ .name = "time_conv" },
	{ .name = "header_feature" },
	{ .name = "compressed" },
	{ .name = "finished_init" },
	{ .name = "compressed2" },
	{ .name = "bpf_metadata" },
	{ .name = "schedstat_cpu" },
	{ .name = "schedstat_domain" },
	{ .name = "sp_kernel_symbol" },
	{ .name = "sp_dso" },
	{ .name = "sp_symbol" },
	{ .name = "sp_split" },
	{ .name = "sp_split_end" },
	{ .name = "sp_event_id" },
	{ .name = "sp_callchain" },
	{ .name = "sp_unwinding_result" },
	{ .name = "sp_tracing_data" },
	{ .name = "unknown" },
	{ 0 },
};

const struct kind *
kind_named(struct slice name)
{
	const struct kind *k = kinds;

	while (k->name != NULL && !slice_eq(name, slice_of(k->name)))
		k++;
	return k->name == NULL ? NULL : k;
}

bool
kind_is_event(struct slice name)
{
	const struct kind *k = kind_named(name);

	return k != NULL && !k->outlives && !k->about && !k->stays;
}

bool
kind_is_result(struct slice name)
{
	const struct kind *k = kind_named(name);

	return k != NULL && k->result;
}

bool
kinds_have_events(const struct slice *kind, size_t n)
{
	size_t i = 0;

	while (i < n && !kind_is_event(kind[i]))
		i++;
	return n == 0 || i < n;
}

bool
kind_tells_loss(struct slice name)
{
	const struct kind *k = kind_named(name);

	return k != NULL && k->outlives && !k->about;
}

uint64_t
kinds_counted_again(const struct ev *ev)
{
	uint64_t n, again;

	if (!slice_eq(ev->col[EV_KIND], SLICE("lost")) || !num_get_u64(ev->col[EV_VALUE], &n) ||
	    !num_get_u64(ev_get(ev, SLICE("again")), &again))
		return 0;
	return again <= n ? again : 0; /* more than there are is no number of them */
}

bool
kinds_loss(const struct ev *ev, uint64_t *n)
{
	*n = 0;
	if (slice_eq(ev_get(ev, SLICE("why")), SLICE("bpf")))
		return false;
	if (!num_get_u64(ev->col[EV_VALUE], n))
		return true;
	*n -= kinds_counted_again(ev);
	return *n != 0;
}

bool
kind_is_about(struct slice name)
{
	const struct kind *k = kind_named(name);

	return k != NULL && k->about;
}

void
kinds_left_free(struct kinds_left *k)
{
	tab_free(&k->kinds);
}

void
kinds_leave(struct kinds_left *k, struct slice kind, uint64_t lines)
{
	size_t i = k->kinds.count < KINDS_LEFT ? tab_add(&k->kinds, kind, NULL)
					       : tab_find(&k->kinds, kind);

	if (i != TAB_NONE)
		k->n[i] += lines;
	else if (!kind_is_about(kind))
		k->n[KINDS_LEFT] += lines;
}

void
kinds_leave_line(struct kinds_left *k, const struct ev *ev)
{
	kinds_leave(k, ev->col[EV_KIND], 1);
	k->large += ev_is_large_resource(ev);
}

void
kinds_left_told(struct kinds_left *k, struct slice kind)
{
	size_t i = tab_find(&k->kinds, kind);

	if (i != TAB_NONE)
		k->n[i] = 0;
}

/*
 * Adds a number and a word to the list, or three dots if it would not leave room for dots after it.
 * Returns false then.
 */
static bool
list_add(char *text, size_t size, size_t *len, uint64_t n, struct slice word)
{
	static const char dots[] = ", ...";
	const char *comma = *len == 0 ? "" : ", ";
	size_t room = size - *len;
	size_t need = (size_t)snprintf(text + *len, room, "%s%" PRIu64 " %.*s", comma, n,
	    slice_shown(word, 40), word.p);
	bool fits = need + sizeof dots <= room;

	if (!fits)
		(void)snprintf(text + *len, room, "%s", dots);
	*len += fits ? need : 0;
	return fits;
}

/* Puts the list of kinds into text.  Returns its length; *all says whether it has every kind. */
static size_t
list_kinds(const struct kinds_left *k, char *text, size_t size, bool *all)
{
	size_t i, len = 0;
	bool fits = true;

	for (i = 0; fits && i < k->kinds.count; i++) {
		if (k->n[i] != 0 && !kind_is_about(k->kinds.item[i]))
			fits = list_add(text, size, &len, k->n[i], k->kinds.item[i]);
	}
	if (fits && k->n[KINDS_LEFT] != 0)
		fits = list_add(text, size, &len, k->n[KINDS_LEFT], SLICE("of further kinds"));
	*all = fits;
	return len;
}

bool
kinds_left_note(const struct kinds_left *k, const char *what, char *text, size_t size)
{
	static const char advice[] = "; afdur turns starts and stops into spans";
	size_t begin = (size_t)snprintf(text, size, "left out lines of %s: ", what);
	size_t starts = tab_find(&k->kinds, SLICE("start")), len;
	bool all;

	len = list_kinds(k, text + begin, size - begin, &all);
	if (all && starts != TAB_NONE && k->n[starts] != 0 && size - begin - len >= sizeof advice)
		memcpy(text + begin + len, advice, sizeof advice);
	return len != 0;
}

void
kinds_left_names(const struct kinds_left *k, char *text, size_t size)
{
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < k->kinds.count && n < size - NAME_ROOM; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%.*s", i == 0 ? "" : ", ",
		    slice_shown(k->kinds.item[i], 40), k->kinds.item[i].p);
	if (i < k->kinds.count)
		snprintf(text + n, size - n, ", ...");
}

bool
kinds_several_note(const struct kinds_left *k, const char *begun, char *text, size_t size)
{
	size_t begin = (size_t)snprintf(text, size, "%s: ", begun);
	bool all;

	return k->kinds.count > 1 && list_kinds(k, text + begin, size - begin, &all) != 0;
}

bool
kinds_left_has(const struct kinds_left *k, struct slice kind)
{
	return tab_find(&k->kinds, kind) != TAB_NONE;
}

int
kinds_left_results(const struct kinds_left *k, const char *advice, struct err *e)
{
	if (kinds_left_has(k, SLICE("agg")))
		return err_data(e, "no events, only results (lines of kind agg): %s", advice);
	if (kinds_left_has(k, SLICE("diff")))
		return err_data(e, "no events, only changes (lines of kind diff)");
	return 0;
}
