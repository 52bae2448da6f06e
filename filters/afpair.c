/* SPDX-License-Identifier: ISC */
/* afpair.c - turns pairs of events into spans, with the time from the first to the second. */
#include <getopt.h>

#include "lib/cli.h"
#include "lib/sig.h"
#include "src/pair/pair.h"

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

struct job {
	struct roles *roles;
	struct pair *pair;
};

static void
set_sched(struct cli *c, struct job *j)
{
	struct err e;

	cli_check_setting(c, "sched", roles_sched(j->roles, &e), &e);
	cli_check_setting(c, "sched", pair_on(j->pair, "tid", &e), &e);
	cli_check_setting(c, "sched", pair_keep(j->pair, "preempt?", &e), &e);
	if (!cli_has(c, OPT_NAME))
		cli_check_setting(c, "sched", pair_name(j->pair, "off-cpu", &e), &e);
}

static void
set_calls(struct cli *c, struct job *j)
{
	struct err e;

	cli_check_setting(c, "calls", roles_calls(j->roles, &e), &e);
	cli_check_setting(c, "calls", pair_on(j->pair, "tid", &e), &e);
	pair_set_calls(j->pair);
}

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_FROM: rc = roles_set(j->roles, PAIR_FROM, optarg, &e); break;
	case OPT_TO: rc = roles_set(j->roles, PAIR_TO, optarg, &e); break;
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
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	set_shortcut(c, j);
	cli_check_setting(c, "keep-to", pair_ready(j->pair, &e), &e);
	roles_ready(j->roles);
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
		rc = roles_of(j->roles, &ev, &roles, &e);
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
report_rest(struct cli *c, struct job *j, const struct evwrite *w)
{
	size_t at = 0;
	struct err e;

	if (w->lines != 0 || c->status == CLI_OK)
		while (!sig_stop() && roles_rest(j->roles, &e))
			cli_say(c, &e);
	if (roles_sampled(j->roles, &e))
		cli_say(c, &e);
	while (!sig_stop() && pair_rest(j->pair, &at, &e))
		cli_say(c, &e);
}

int
main(int argc, char **argv)
{
	struct evread *r;
	struct evwrite w;
	struct job j;
	struct cli c;

	cli_open(&c, argv[0], &program);
	j = (struct job){ roles_new(), pair_new(&w) };
	if (j.roles == NULL || j.pair == NULL)
		cli_die_of_memory(&c);
	parse(&c, &j, argc, argv);
	pair_reads(j.pair, cli_require, &c);
	roles_reads(j.roles, cli_require, &c);
	r = cli_read(&c);
	cli_stream_open(&c, &w, r);
	if (take_all(&c, &j, r, &w) && !evw_failed(&w))
		report_rest(&c, &j, &w);
	cli_stream_end(&c, &w, r);
	roles_free(j.roles);
	pair_free(j.pair);
	evread_close(r);
	return cli_finish(&c, &w.out);
}
