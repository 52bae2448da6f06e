/* SPDX-License-Identifier: ISC */
/* afdur.c - reads a stream with starts and stops, and writes it with the spans between them. */
#include <getopt.h>

#include "lib/cli.h"
#include "lib/evsort.h"
#include "lib/sig.h"
#include "src/duration/duration.h"

enum { OPT_DEDUCT_PAUSES = 1, OPT_SORT, OPT_KEEP, OPT_MAX_STACK };

static const struct cli_option options[] = {
	{ "deduct-pauses", NULL, "deduct the time of pauses; reads the input twice",
	    OPT_DEDUCT_PAUSES, 0 },
	{ "sort", NULL, "sort by run and time first", OPT_SORT, 0 },
	{ "keep", NULL, "also write start and stop lines", OPT_KEEP, 0 },
	{ "max-stack", "N", "cut stacks of more than N regions (256)", OPT_MAX_STACK, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Turns starts and stops into span lines: the time that regions took, with the\n"
		 "regions inside them (inclusive) and without (self); the time that intervals of\n"
		 "sections took, separately (inclusive) and together (union); and the growth of\n"
		 "measures from start to stop.\n",
	.example = "afdec run.afperf | afdur | afagg -b region -s count,sum,max | aftab",
	.options = options,
	.kind = CLI_READER,
};

/* The task of the program, as given by its options. */
struct job {
	unsigned duration; /* flags */
	size_t max_stack;
	bool sort;
};

static struct job
parse(struct cli *c, int argc, char **argv)
{
	struct job j = { .max_stack = DURATION_MAX_STACK };
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_DEDUCT_PAUSES: j.duration |= DURATION_DEDUCT; break;
		case OPT_SORT:
			j.sort = true;
			j.duration |= DURATION_SORTED;
			break;
		case OPT_KEEP: j.duration |= DURATION_KEEP; break;
		case OPT_MAX_STACK:
			j.max_stack = (size_t)cli_number(c, "max-stack", 1, SIZE_MAX);
			break;
		}
	return j;
}

/* Reports an error, if any.  Returns false if the system failed and nothing more can be done. */
static bool
is_fine(struct cli *c, const char *file, int rc, const struct err *e)
{
	if (rc != 0)
		cli_error(c, file, e);
	return rc != ERR_SYS;
}

static int
foresee(void *ctx, const struct ev *ev, struct err *e)
{
	return duration_foresee(ctx, ev, e);
}

static int
take_line(void *ctx, const char *file, const struct ev *ev, struct err *e)
{
	return duration_line(ctx, file, ev, e);
}

/* Reads unsorted lines.  Lines that have a time wait in SORTED until all have been read. */
static bool
read_unsorted(struct cli *c, struct duration *d, struct evread *r, struct evwrite *w,
    struct evsort *sorted)
{
	struct wide time;
	struct ev ev;
	struct err e;
	int rc;

	while (cli_next(c, r, w, &ev)) {
		if (duration_is_timed(&ev, &time)) {
			rc = evsort_add(sorted, evread_name(r), &ev, time, &e);
		} else {
			rc = duration_foresee(d, &ev, &e);
			if (rc == 0)
				rc = duration_line(d, evread_name(r), &ev, &e);
		}
		if (!is_fine(c, evread_name(r), rc, &e))
			return false;
	}
	return true;
}

/* Processes the stops that have waited for others at their time.  NEXT is NULL at the end. */
static bool
take_late(struct cli *c, struct duration *d, const struct ev *next)
{
	const char *file;
	struct err e;
	int rc;

	while (duration_late(d, next, &file, &rc, &e))
		if (!is_fine(c, file, rc, &e))
			return false;
	return true;
}

static bool
take_sorted(struct cli *c, struct duration *d, struct evread *r, struct evwrite *w)
{
	struct evsort *sorted = evsort_new(EVSORT_MEMORY);
	const char *file;
	struct ev ev;
	struct err e;
	bool fine;
	int rc;

	if (sorted == NULL)
		cli_die_of_memory(c);
	fine = read_unsorted(c, d, r, w, sorted);
	while (fine && !evw_failed(w) && !sig_stop() &&
	    (rc = evsort_next(sorted, &file, &ev, &e)) != 0)
		fine = rc > 0
		    ? take_late(c, d, &ev) && is_fine(c, file, duration_line(d, file, &ev, &e), &e)
		    : is_fine(c, NULL, ERR_SYS, &e);
	evsort_free(sorted);
	return fine && take_late(c, d, NULL);
}

/* Processes all input.  Returns false when the system failed. */
static bool
take_all(struct cli *c, struct duration *d, const struct job *j, struct evread *r,
    struct evwrite *w)
{
	const struct cli_lines x = { d, take_line, foresee, "pauses may be missing" };

	if (j->sort)
		return take_sorted(c, d, r, w);
	return (j->duration & DURATION_DEDUCT) != 0 ? cli_lines_twice(c, r, w, &x)
						    : cli_lines(c, r, w, &x);
}

static void
report_rest(struct cli *c, struct duration *d)
{
	struct duration_rest rest;
	size_t at = 0;

	while (!sig_stop() && duration_rest(d, &at, &rest))
		if (rest.note)
			cli_note(c, "%s", rest.e.msg);
		else
			cli_error(c, rest.file, &rest.e);
}

int
main(int argc, char **argv)
{
	struct job j;
	struct duration *d;
	struct evread *r;
	struct evwrite w;
	struct cli c;

	cli_open(&c, argv[0], &program);
	j = parse(&c, argc, argv);
	duration_reads(cli_require, &c);
	r = cli_read(&c);
	cli_stream_open(&c, &w, r);
	d = duration_new(&w, j.duration);
	if (d == NULL)
		cli_die_of_memory(&c);
	duration_set_max_stack(d, j.max_stack);
	if (take_all(&c, d, &j, r, &w) && !evw_failed(&w))
		report_rest(&c, d);
	cli_stream_end(&c, &w, r);
	duration_free(d);
	evread_close(r);
	return cli_finish(&c, &w.out);
}
