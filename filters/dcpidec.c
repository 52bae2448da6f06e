/* SPDX-License-Identifier: ISC */
/* dcpidec.c - DCPI profiles in, the stream out. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/sig.h"
#include "src/dcpi/dcpi.h"
#include "src/symbol/elf.h"

static const char usage[] =
    "usage: dcpidec [--stride 4|1] [--zeros] [--events] [--image FILE] [--strict] [FILE...]\n"
    "Decodes DCPI profiles (binary 0.06 and 0.07, or the text of dcpicat) to a stream.\n"
    "\n"
    "  --stride 4|1   bytes from one count of a chunk to the next (4)\n"
    "  --zeros        counts of zero are lines too\n"
    "  --events       say how many events the samples stand for\n"
    "  --image FILE   name the procedures as the ELF image FILE does\n"
    "  --strict       refuse what is only doubtful\n"
    "  --help, --version\n";

enum { OPT_STRIDE = 256, OPT_ZEROS, OPT_EVENTS, OPT_IMAGE, OPT_STRICT };

static const struct option options[] = {
	{ "stride", required_argument, NULL, OPT_STRIDE },
	{ "zeros", no_argument, NULL, OPT_ZEROS },
	{ "events", no_argument, NULL, OPT_EVENTS },
	{ "image", required_argument, NULL, OPT_IMAGE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	CLI_LONG_OPTIONS,
};

/* The input that messages are about. */
struct place {
	struct cli *cli;
	const char *name;
};

static void
report(void *ctx, const char *file, const struct err *e)
{
	const struct place *p = ctx;

	cli_error(p->cli, file != NULL ? file : p->name, e);
}

static void
warn(void *ctx, const char *file, const struct err *e)
{
	const struct place *p = ctx;

	if (file == NULL)
		file = p->name;
	if (e->place == ERR_LINE)
		cli_note(p->cli, "%s:%" PRIu64 ": %s", file, e->pos, e->msg);
	else if (e->place == ERR_BYTE)
		cli_note(p->cli, "%s: 0x%" PRIx64 ": %s", file, e->pos, e->msg);
	else
		cli_note(p->cli, "%s: %s", file, e->msg);
}

/* One operand between its marks. */
static void
decode(struct cli *c, struct evwrite *w, struct dcpi_options *opt, const char *name)
{
	struct place place = { c, name };
	int rc;

	opt->report = report;
	opt->warn = warn;
	opt->ctx = &place;
	evw_mark_open(w, name);
	rc = dcpi_decode(name, opt, w);
	if (rc == ERR_STOP)
		c->status = c->status > CLI_DATA ? c->status : CLI_DATA;
	evw_mark_end(w, rc == 0,
	    rc == 0              ? NULL
		: rc == ERR_STOP ? "interrupted"
		: rc == ERR_DATA ? "damaged"
				 : "failed");
}

static const char *
parse(struct cli *c, int argc, char **argv, struct dcpi_options *o)
{
	const char *image = NULL;
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		switch (opt) {
		case OPT_STRIDE:
			if (strcmp(optarg, "4") != 0 && strcmp(optarg, "1") != 0)
				cli_usage(c, "--stride: not 4 or 1: %s", optarg);
			o->stride = (unsigned)(*optarg - '0');
			break;
		case OPT_ZEROS: o->zeros = true; break;
		case OPT_EVENTS: o->events = true; break;
		case OPT_IMAGE: image = optarg; break;
		case OPT_STRICT: o->strict = true; break;
		}
	}
	return image;
}

/* The names of the image's code; ends where there are none to be had. */
static struct dcpi_names
read_names(struct cli *c, const char *path, struct symtab *t)
{
	struct elf_file *f = NULL;
	struct elf_range code;
	struct dcpi_names n = { .symbols = t };
	struct err e;
	int rc = t == NULL ? err_nomem(&e) : elf_file_open(path, &f, &e);

	if (rc == 0)
		rc = elf_symbols(f, f, t, &e);
	if (rc == 0 && !elf_file_code(f, &code))
		rc = err_data(&e, "no code in it");
	if (rc != 0) {
		cli_error(c, path, &e);
		exit(c->status);
	}
	n.from = code.vaddr;
	n.to = code.vaddr + code.size;
	n.delta = code.vaddr - code.offset;
	elf_file_close(f);
	return n;
}

int
main(int argc, char **argv)
{
	struct dcpi_options opt = { .stride = 4 };
	struct dcpi_names names = { .symbols = NULL };
	struct cli c;
	struct evwrite w;
	struct err e;
	struct symtab *table = NULL;
	const char *image;

	cli_open(&c, argv[0], usage);
	image = parse(&c, argc, argv, &opt);
	if (image != NULL) {
		table = symtab_new();
		names = read_names(&c, image, table);
		opt.names = &names;
	}
	if (!evw_open(&w, STDOUT_FILENO, c.name)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	if (optind == argc)
		decode(&c, &w, &opt, "-");
	for (; optind < argc && !evw_failed(&w) && !sig_stop(); optind++)
		decode(&c, &w, &opt, argv[optind]);
	if (w.omitted > 0)
		cli_note(&c, "tags left out of lines that would be longer than 16 MiB: %llu",
		    (unsigned long long)w.omitted);
	symtab_free(table);
	return cli_finish(&c, &w.out);
}
