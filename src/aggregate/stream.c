/* SPDX-License-Identifier: ISC */
/* stream.c - what happens to each line of a stream that is aggregated (a hot path). */
#include "src/aggregate/stream.h"

#include "src/aggregate/jobs.h"

/* Reports what a line is refused for.  Returns false if the counts would be wrong from now on. */
static bool
judge(struct aggregate_stream *s, int rc, const struct err *e)
{
	if (rc == 0 || (e->code == ERR_DATA && e->alike && s->alike++ != 0))
		return true;
	report_error(&s->to, evread_name(s->r), e);
	return e->code != ERR_SYS;
}

/* Processes a line that is not a value.  Returns false if memory runs out. */
static bool
take(struct aggregate_stream *s, const struct ev *ev)
{
	struct aggregate *a = s->a;
	struct err e;

	switch (aggregate_fate(a, ev)) {
	case AGGREGATE_TAKE: break;
	case AGGREGATE_PART: return judge(s, aggregate_part(a, ev, &e), &e);
	case AGGREGATE_MEASURE:
		if (!judge(s, aggregate_measure(a, ev, &e), &e))
			return false;
		evw_line(s->w, ev->text);
		break;
	case AGGREGATE_PASS:
		if (!judge(s, aggregate_see_run(a, ev, &e), &e))
			return false;
		evw_line_about(s->w, ev, SLICE(""));
		break;
	case AGGREGATE_DROP: kinds_leave_line(&s->left, ev); break;
	}
	return true;
}

/* Stores up to MAX lines that are to be processed here.  Returns 0 at the end. */
static size_t
next_lines(struct aggregate_stream *s, struct jobs *jobs, struct ev *ev, size_t max)
{
	struct err e;
	int rc;

	while ((rc = jobs != NULL ? jobs_next(jobs, ev, max, &e) : evread_next(s->r, ev, &e)) < 0)
		report_error(&s->to, evread_name(s->r), &e);
	if (rc == 0 || evw_failed(s->w))
		return 0;
	return jobs != NULL ? (size_t)rc : 1 + evread_more(s->r, ev + 1, max - 1);
}

/* Returns false if memory runs out. */
static bool
take_lines(struct aggregate_stream *s, struct jobs *jobs)
{
	struct ev ev[AGGREGATE_AHEAD];
	struct err e;
	size_t n, i;
	int rc;

	while ((n = next_lines(s, jobs, ev, AGGREGATE_AHEAD)) != 0) {
		aggregate_expect(s->a, ev, n);
		for (i = 0; i < n && !evw_failed(s->w); i++) {
			i += aggregate_add_some(s->a, ev + i, n - i, &rc, &e);
			if (rc != 0 ? !judge(s, rc, &e) : i < n && !take(s, &ev[i]))
				return false;
		}
	}
	return true;
}

bool
aggregate_stream_read(struct aggregate_stream *s)
{
	struct jobs *jobs = jobs_open(s->a, s->r, s->jobs, &s->left);
	bool ok = take_lines(s, jobs);
	struct err e;

	return judge(s, jobs_close(jobs, &e), &e) && ok;
}
