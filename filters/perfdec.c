/* SPDX-License-Identifier: ISC */
/* perfdec.c - decodes perf.data to a stream. */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/sandbox.h"
#include "src/perfdata/perfdata.h"
#include "src/symbol/lookup.h"

#define MAX_STACK 127 /* as in perf */

enum {
	OPT_NO_SYMBOLS = 1,
	OPT_FRAMES,
	OPT_ALL,
	OPT_HEADER,
	OPT_STATS,
	OPT_RUN,
	OPT_NO_SPOOL,
	OPT_NO_UNWIND,
	OPT_MAX_STACK,
	OPT_TAG,
	OPT_WALL,
};

#define WHAT CLI_ONE_OF(1)

static const struct cli_option options[] = {
	LOOKUP_OPTIONS("list all objects without symbols on standard error"),
	{ "no-symbols", NULL, "do not look up symbols in files; implies --frames", OPT_NO_SYMBOLS,
	    0 },
	{ "frames", NULL, "print the place of each frame, for a later look-up", OPT_FRAMES, 0 },
	{ "no-unwind", NULL, "do not look for callers in copies of stacks", OPT_NO_UNWIND,
	    CLI_BRIEF },
	{ "max-stack", "N", "unwind at most N frames of a stack (default: 127)", OPT_MAX_STACK,
	    CLI_BRIEF },
	CLI_TAGS_OPTION,
	{ "tag", "KEY=VALUE", "add this tag to each event", OPT_TAG, 0 },
	{ "wall", NULL, "print times of day, in nanoseconds since 1970", OPT_WALL, CLI_ONCE },
	{ "all", NULL, "print every record, not only samples and losses", OPT_ALL, WHAT },
	{ "header", NULL, "print only the contents of the header", OPT_HEADER, WHAT },
	{ "stats", NULL, "print only the number of records of each type", OPT_STATS, WHAT },
	{ "run", "ID", "use ID as the run id", OPT_RUN, CLI_BRIEF },
	{ "no-spool", NULL, "read a pipe in one pass, without the names at its end", OPT_NO_SPOOL,
	    CLI_BRIEF },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

/* Of --tag, only host can be completed: the keys of the stream are those that it refuses. */
static const char *
word(int id, size_t i)
{
	return id == OPT_TAG && i == 0 ? "host" : NULL;
}

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Decodes perf.data (a file, a directory, or perf's pipe format) to a stream.\n",
	.example = "perfdec perf.data | afagg -b region | aftab",
	.options = options,
	.kind = CLI_DECODER,
	.reads = GUESS_PERF,
	.needs = SANDBOX_PROCESSES,
	.usual = "perf.data", /* as for all commands of perf */
	.word = word,
};

struct job {
	struct perf_options opt;
	struct buf tags; /* those of --tag, except the host */
	struct lookup lookup;
	bool symbols, unwind;
};

/* What is not written need not be computed. */
static void
heed_tags(struct cli *c, struct perf_options *po)
{
	po->no_tags = c->few && c->tags.keys.count == 0;
	po->no_stacks = !cli_keeps(c, SLICE("stack")) && !cli_keeps(c, SLICE("lines"));
	if (cli_has(c, OPT_FRAMES) && !cli_keeps(c, SLICE("frames")))
		cli_usage(c, "--frames writes the tag 'frames', which --tags leaves out");
	po->frames &= cli_keeps(c, SLICE("frames"));
}

/*
 * Returns true for a key of the stream that no line of an event has already, and that no program
 * computes from others.
 */
static bool
is_free_key(struct slice key)
{
	static const char *const used[] = { "kind", "time", "run", "region", "measure", "value",
		"addr", "at", "aux", "aux_size", "branch_counters", "branches", "buildid", "by",
		"bytes", "caller", "cgroup", "cgroup_id", "code_page_size", "comm", "count",
		"counters", "cpu", "data", "data_page_size", "data_src", "deferred", "dso",
		"enabled", "event_id", "event_stream", "forced", "frame", "frames", "hw_idx", "id",
		"ids", "inlined", "ins_lat", "ip", "ips", "iregs", "late", "leaf", "line", "lines",
		"lost", "mid", "misc", "mode", "n", "of", "omitted", "pcomm", "pgoff", "phys_addr",
		"pid", "place", "ppid", "raw", "record", "ref", "retire_lat", "root", "round",
		"running", "scale", "scaled_unit", "sps", "stack", "stack_dump", "stack_used",
		"start", "stat", "stream", "symoff", "thread", "tid", "total", "transaction",
		"type", "unit", "uregs", "uregs_mask", "iregs_mask", "weight", "why", "window" };
	static const struct slice prefixes[] = { SLICE_INIT("agg."), SLICE_INIT("mem_"),
		SLICE_INIT("part."), SLICE_INIT("stack."), SLICE_INIT("tp."), SLICE_INIT("tx_") };
	size_t i;

	for (i = 0; i < sizeof used / sizeof used[0]; i++)
		if (slice_eq(key, slice_of(used[i])))
			return false;
	for (i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (key.len >= prefixes[i].len &&
		    memcmp(key.p, prefixes[i].p, prefixes[i].len) == 0)
			return false;
	for (i = 0; i < key.len; i++)
		if (!((key.p[i] >= 'a' && key.p[i] <= 'z') ||
			(i > 0 &&
			    ((key.p[i] >= '0' && key.p[i] <= '9') || key.p[i] == '_' ||
				key.p[i] == '.'))))
			return false;
	return key.len != 0;
}

/* Takes KEY=VALUE, or the word host. */
static void
take_tag(struct cli *c, struct job *j, const char *tag)
{
	struct slice key = { tag, strcspn(tag, "=") }, there = buf_slice(&j->tags);
	const char *value = tag + key.len + 1;
	bool host = slice_eq(key, SLICE("host")), twice = host && j->opt.tag_host;
	struct ev_tag other;

	if (!is_free_key(key))
		cli_usage(c,
		    "--tag %s: a key has the letters a-z, 0-9, _ and ., and is not yet used", tag);
	if (there.len != 0)
		there = (struct slice){ there.p + 1, there.len - 1 };
	while (ev_next_tag(&there, &other))
		twice |= slice_eq(other.key, key);
	if (twice)
		cli_usage(c, "--tag %.*s is given twice", (int)key.len, key.p);
	if (tag[key.len] == '\0') {
		if (!host)
			cli_usage(c, "--tag %s needs a value", tag);
		j->opt.tag_host = true;
		return;
	}
	if (!buf_putc(&j->tags, '\t') || !buf_put(&j->tags, key.p, key.len) ||
	    !buf_putc(&j->tags, '=') ||
	    (*value == '\0' ? !buf_putc(&j->tags, '.')
			    : !esc_append(&j->tags, value, strlen(value), ESC_COLUMN)))
		cli_die_of_memory(c);
}

static int
decode(const void *job, const char *name, struct evwrite *w, struct err *e)
{
	const struct job *j = job;
	struct err reported;
	int rc = perf_decode(name, &j->opt, w, &reported);

	(void)e;
	if (rc == 0 && symbol_engine_failed(j->lookup.engine))
		return ERR_SYS;
	return rc == 0 && symbol_engine_damaged(j->lookup.engine) ? ERR_DATA : rc;
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	struct perf_options *po = &j->opt;
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_NO_SYMBOLS:
			j->symbols = false;
			po->frames = true;
			break;
		case OPT_FRAMES: po->frames = true; break;
		case OPT_ALL: po->all = true; break;
		case OPT_HEADER: po->header = true; break;
		case OPT_STATS: po->stats = true; break;
		case OPT_RUN:
			if (*optarg == '\0')
				cli_usage(c, "--run needs an id that is not empty");
			po->run = optarg;
			break;
		case OPT_NO_SPOOL: po->no_spool = true; break;
		case OPT_TAG: take_tag(c, j, optarg); break;
		case OPT_WALL: po->wall = true; break;
		case OPT_NO_UNWIND: j->unwind = false; break;
		case OPT_MAX_STACK:
			po->max_stack = (size_t)cli_number(c, "max-stack", 1, PERF_STACK_MAX);
			break;
		default: (void)lookup_option(&j->lookup, opt, optarg);
		}
	}
	if (po->wall && (po->header || po->stats))
		cli_usage(c, "--wall cannot be used with --header or --stats");
	if (!j->symbols && j->lookup.missing)
		cli_usage(c, "--missing cannot be used with --no-symbols, which looks for nothing");
	if (!j->symbols && j->lookup.options.wanted != 0)
		cli_usage(c,
		    "--inline and --srcline cannot be used with --no-symbols: "
		    "give them to afsym");
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .opt = { .to = cli_reporter(&c), .max_stack = MAX_STACK },
		.symbols = true,
		.unwind = true };
	struct evwrite w;
	struct err e;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	heed_tags(&c, &j.opt);
	j.opt.tags = buf_slice(&j.tags);
	if (j.tags.len != 0 || j.opt.tag_host)
		cli_add_tags(&c, j.opt.tags);
	if (lookup_open(&j.lookup, &e) != 0)
		cli_die(&c, &e);
	j.opt.symbolizer = j.symbols ? &j.lookup.face : NULL;
	j.opt.speller = &j.lookup.face;
	j.opt.unwinder = j.unwind ? &j.lookup.face : NULL;
	cli_decode(&c, &w, decode, &j);
	lookup_report(&j.lookup, &j.opt.to);
	lookup_close(&j.lookup);
	buf_free(&j.tags);
	return cli_finish(&c, &w.out);
}
