/* SPDX-License-Identifier: ISC */
/* afpair.c - turns pairs of events into spans, with the time from the first to the second. */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/esc.h"
#include "lib/kinds.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/sig.h"
#include "src/pair/pair.h"
#include "src/select/select.h"

#define SHOWN_MAX 60 /* bytes of a word in a message */

enum {
	OPT_FROM = 1,
	OPT_TO,
	OPT_ON,
	OPT_SCHED,
	OPT_CALLS,
	OPT_KEEP,
	OPT_KEEP_TO,
	OPT_NAME,
	OPT_SYSCALLS,
	OPT_LOOSE
};

static const struct cli_option options[] = {
	{ "from", "COND",
	    "the events that begin an interval: samples of this measure, or events for which this "
	    "condition (see afsel) holds",
	    OPT_FROM, CLI_ONCE },
	{ "to", "COND", "the events that end one; an event may end one and begin another", OPT_TO,
	    CLI_ONCE },
	{ "on", "KEY[=KEY],...", "two events pair if they agree in these keys", OPT_ON, 0 },
	{ "sched", NULL,
	    "the time that threads do not run, from perf record --switch-events and perfdec --all",
	    OPT_SCHED, CLI_ONE_OF(1) },
	{ "calls", NULL, "the time that system calls take, from perf trace record or syscalls:*",
	    OPT_CALLS, CLI_ONE_OF(1) },
	{ "keep", "KEY,...",
	    "tags of the first event to keep, besides the keys, pid, tid, comm, cpu and stack",
	    OPT_KEEP, 0 },
	{ "keep-to", "KEY,...", "tags of the second event to keep", OPT_KEEP_TO, CLI_BRIEF },
	{ "name", "NAME", "the measure of the spans (default: latency)", OPT_NAME, CLI_ONCE },
	{ "syscalls", "ARCH",
	    "tp.id is a system call of x86_64, i386, aarch64, arm or riscv64; or none (default: "
	    "in raw_syscalls:sys_enter, by the run's arch)",
	    OPT_SYSCALLS, CLI_ONCE },
	{ "loose", NULL, "allow other events between those that pair", OPT_LOOSE, 0 },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about =
	    "Turns pairs of events into span lines: the time that system calls took, the time\n"
	    "for which threads did not run, or the time between any two events.\n",
	.example = "perfdec --all perf.data | afpair --sched | afagg -b comm | aftab",
	.options = options,
	.kind = CLI_READER,
};

/* The events that begin intervals, or those that end them. */
struct side {
	const char *option;
	struct select *select;
	struct buf measure; /* as in the stream, if they are given by their measure */
	bool measured; /* some line has that measure */
	struct buf
	    longer; /* a measure that ends with a colon and that name, such as raw_syscalls: */
};

enum { FROM, TO, SIDES };

struct job {
	struct side side[SIDES];
	struct pair *pair;
	char kind[16]; /* of the last line, if it is short */
	size_t kind_len;
	bool event; /* a line of that kind is an event */
	uint64_t paired, sampled; /* events with a role; those of them that stand for several */
	bool sched_switch; /* there is this tracepoint, which --sched does not read */
};

static void
set_side(struct cli *c, struct side *s, const char *text)
{
	struct err e;

	if (*text == '\0')
		cli_usage(c, "--%s: expected a measure or a condition", s->option);
	if (strpbrk(text, "=!~<>") != NULL)
		cli_check_setting(c, s->option, select_where(s->select, EXPR_AND, text, &e), &e);
	else if (esc_append(&s->measure, text, strlen(text), ESC_COLUMN))
		cli_check_setting(c, s->option, select_measure(s->select, text, &e), &e);
	else
		cli_die_of_memory(c);
}

static void
set_sched(struct cli *c, struct job *j)
{
	struct err e;

	set_side(c, &j->side[FROM], "kind=switch && dir=out && tid!=0");
	set_side(c, &j->side[TO], "kind=switch && dir=in && tid!=0");
	cli_check_setting(c, "sched", pair_on(j->pair, "tid", &e), &e);
	cli_check_setting(c, "sched", pair_keep(j->pair, "preempt?", &e), &e);
	if (!cli_has(c, OPT_NAME))
		cli_check_setting(c, "sched", pair_name(j->pair, "off-cpu", &e), &e);
}

static void
set_calls(struct cli *c, struct job *j)
{
	struct err e;

	set_side(c, &j->side[FROM], "kind=sample && measure~syscalls:sys_enter");
	set_side(c, &j->side[TO], "kind=sample && measure~syscalls:sys_exit");
	cli_check_setting(c, "calls", pair_on(j->pair, "tid", &e), &e);
	pair_set_calls(j->pair);
}

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_FROM: set_side(c, &j->side[FROM], optarg); break;
	case OPT_TO: set_side(c, &j->side[TO], optarg); break;
	case OPT_ON: rc = pair_on(j->pair, optarg, &e); break;
	case OPT_KEEP: rc = pair_keep(j->pair, optarg, &e); break;
	case OPT_KEEP_TO: rc = pair_keep_to(j->pair, optarg, &e); break;
	case OPT_NAME: rc = pair_name(j->pair, optarg, &e); break;
	case OPT_SYSCALLS: rc = pair_syscalls(j->pair, optarg, &e); break;
	case OPT_LOOSE: pair_set_loose(j->pair); break;
	}
	cli_check_setting(c, options[opt - 1].name, rc, &e);
}

/* Sets --from, --to and --on if they follow from another option. */
static void
set_shortcut(struct cli *c, struct job *j)
{
	bool sched = cli_has(c, OPT_SCHED), calls = cli_has(c, OPT_CALLS);

	if (!sched && !calls) {
		if (!cli_has(c, OPT_FROM) || !cli_has(c, OPT_TO) || !cli_has(c, OPT_ON))
			cli_usage(c, "--from, --to and --on are needed, or --sched or --calls");
		return;
	}
	if (cli_has(c, OPT_FROM) || cli_has(c, OPT_TO) || cli_has(c, OPT_ON))
		cli_usage(c, "--%s has its own --from, --to and --on", sched ? "sched" : "calls");
	if (sched)
		set_sched(c, j);
	else
		set_calls(c, j);
}

static void
parse(struct cli *c, struct job *j, int argc, char **argv)
{
	struct err e;
	int opt, i;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	set_shortcut(c, j);
	cli_check_setting(c, "keep-to", pair_ready(j->pair, &e), &e);
	for (i = 0; i < SIDES; i++)
		select_ready(j->side[i].select);
}

/* Returns whether the line is an event, which may have a role. */
static bool
is_event(struct job *j, struct slice name)
{
	if (short_eq(name, (struct slice){ j->kind, j->kind_len }))
		return j->event;
	j->event = kind_is_event(name);
	j->kind_len = name.len <= sizeof j->kind ? name.len : 0;
	memcpy(j->kind, name.p, j->kind_len);
	return j->event;
}

/* Notes the measure that a measure line defines. */
static void
see_measure(struct job *j, const struct ev *ev)
{
	struct slice name = ev->col[EV_MEASURE];
	int i;

	j->sched_switch |= slice_eq(name, SLICE("sched:sched_switch"));

	for (i = 0; i < SIDES; i++) {
		struct side *s = &j->side[i];
		struct slice given = buf_slice(&s->measure);

		if (slice_eq(name, given))
			s->measured = true;
		else if (s->longer.len == 0 && given.len != 0 && name.len > given.len &&
		    name.p[name.len - given.len - 1] == ':' &&
		    memcmp(name.p + name.len - given.len, given.p, given.len) == 0 &&
		    !buf_put(&s->longer, name.p, name.len))
			buf_free(&s->longer); /* then it is not suggested */
	}
}

/* Finds the roles of a line.  Returns ERR_SYS if memory runs out. */
static int
roles_of(struct job *j, const struct ev *ev, unsigned *roles, struct err *e)
{
	static const unsigned role[SIDES] = { PAIR_FROM, PAIR_TO };
	bool keep;
	int i, rc;

	*roles = 0;
	if (!is_event(j, ev->col[EV_KIND])) {
		if (short_eq(ev->col[EV_KIND], SLICE("measure")))
			see_measure(j, ev);
		return 0;
	}
	for (i = 0; i < SIDES; i++) {
		rc = select_line(j->side[i].select, ev, &keep, e);
		if (rc != 0)
			return rc;
		if (keep) {
			*roles |= role[i];
			j->side[i].measured = true;
		}
	}
	return 0;
}

/*
 * Counts an event, and whether it is a tracepoint of which only one in several was recorded: the
 * value is then the number of events since the last one.  The value of sched_stat_* is a time.
 */
static void
count_event(struct job *j, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE];
	uint64_t value;

	j->paired++;
	if (short_eq(ev->col[EV_VALUE], SLICE("1")) ||
	    memchr(measure.p, ':', measure.len) == NULL ||
	    slice_find(measure, SLICE("sched:sched_stat_")) == 0 ||
	    !short_eq(ev->col[EV_KIND], SLICE("sample")))
		return;
	j->sampled += num_get_u64(ev->col[EV_VALUE], &value) && value > 1;
}

/* Returns false if the system failed. */
static bool
take_all(struct cli *c, struct job *j, struct evread *r, struct evwrite *w)
{
	unsigned roles;
	struct ev ev;
	struct err e;
	int rc;

	while (cli_next(c, r, w, &ev)) {
		rc = roles_of(j, &ev, &roles, &e);
		if (rc == 0 && roles != 0)
			count_event(j, &ev);
		if (rc == 0)
			rc = pair_line(j->pair, &ev, roles, &e);
		if (rc != 0)
			cli_error(c, evread_name(r), &e);
		if (rc == ERR_SYS)
			return false;
	}
	return true;
}

static void
report_item(struct cli *c, const char *option, const struct err *e)
{
	struct err with;

	if (option == NULL)
		with = *e;
	else
		(void)err_data(&with, "--%s: %s", option, e->msg);
	with.code = e->code;
	cli_say(c, &with);
}

static void
report_side(struct cli *c, const struct side *s)
{
	size_t at = 0;
	struct err e;

	while (!sig_stop() && select_rest(s->select, &at, &e))
		report_item(c, s->option, &e);
	if (s->measure.len == 0 || s->measured)
		return;
	(void)err_data(&e, "no line has the measure '%.*s'%s%.*s%s",
	    slice_shown(buf_slice(&s->measure), SHOWN_MAX), s->measure.p,
	    s->longer.len != 0 ? "; did you mean " : "",
	    slice_shown(buf_slice(&s->longer), SHOWN_MAX), s->longer.len != 0 ? s->longer.p : "",
	    s->longer.len != 0 ? "?" : "");
	report_item(c, s->option, &e);
}

/* Reports that no line is one that --sched or --calls is about. */
static void
report_none(struct cli *c, const struct job *j)
{
	bool sched = cli_has(c, OPT_SCHED);
	struct err e;

	if (sched)
		(void)err_data(&e, "no line is a switch of threads: %s",
		    j->sched_switch
			? "sched:sched_switch is paired as in \"Where threads sleep\" in "
			  "afpipe-cookbook(7)"
			: "perf record --switch-events, and perfdec --all");
	else
		(void)err_data(&e,
		    "no line is a system call: perf trace record, or perf record -e 'syscalls:*'");
	report_item(c, sched ? "sched" : "calls", &e);
}

static void
report_rest(struct cli *c, struct job *j, const struct evwrite *w)
{
	size_t at = 0;
	struct err e;

	/* names cannot be judged without a line */
	if ((cli_has(c, OPT_SCHED) || cli_has(c, OPT_CALLS)) && !j->side[FROM].measured &&
	    !j->side[TO].measured && (w->lines != 0 || c->status == CLI_OK)) {
		report_none(c, j);
	} else if (w->lines != 0 || c->status == CLI_OK) {
		report_side(c, &j->side[FROM]);
		report_side(c, &j->side[TO]);
	}
	if (j->sampled != 0)
		cli_note(c,
		    "%" PRIu64 " of %" PRIu64
		    " events stand for several (perf record -F or -c): the "
		    "others were not recorded, and intervals skip them",
		    j->sampled, j->paired);
	while (!sig_stop() && pair_rest(j->pair, &at, &e))
		report_item(c, NULL, &e);
}

int
main(int argc, char **argv)
{
	struct job j = { .side = { { .option = "from" }, { .option = "to" } } };
	struct evread *r;
	struct evwrite w;
	struct cli c;
	int i;

	cli_open(&c, argv[0], &program);
	j.pair = pair_new(&w);
	for (i = 0; i < SIDES; i++)
		j.side[i].select = select_new();
	if (j.pair == NULL || j.side[FROM].select == NULL || j.side[TO].select == NULL)
		cli_die_of_memory(&c);
	parse(&c, &j, argc, argv);
	pair_reads(j.pair, cli_require, &c);
	for (i = 0; i < SIDES; i++)
		select_reads(j.side[i].select, cli_require, &c);
	r = cli_read(&c);
	cli_stream_open(&c, &w, r);
	if (take_all(&c, &j, r, &w) && !evw_failed(&w))
		report_rest(&c, &j, &w);
	cli_stream_end(&c, &w, r);
	for (i = 0; i < SIDES; i++) {
		select_free(j.side[i].select);
		buf_free(&j.side[i].measure);
		buf_free(&j.side[i].longer);
	}
	pair_free(j.pair);
	evread_close(r);
	return cli_finish(&c, &w.out);
}
