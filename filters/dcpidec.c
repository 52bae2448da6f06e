/* SPDX-License-Identifier: ISC */
/* dcpidec.c - decodes DCPI profiles to the stream. */
#include <getopt.h>
#include <stdlib.h>

#include "lib/cli.h"
#include "src/dcpi/dcpi.h"
#include "src/symbol/elf.h"
#include "src/symbol/symbolizer.h"

enum { OPT_STRIDE = 1, OPT_ZEROS, OPT_EVENTS, OPT_IMAGE, OPT_NO_DEMANGLE, OPT_RUN };

static const struct cli_option options[] = {
	CLI_TAGS_OPTION,
	CLI_TAG_OPTION,
	{ "stride", "4|1", "bytes from one count of a chunk to the next (4)", OPT_STRIDE, 0 },
	{ "zeros", NULL, "also print counts of zero", OPT_ZEROS, 0 },
	{ "events", NULL, "add the number of events that the samples represent", OPT_EVENTS, 0 },
	{ "image", "FILE", "take procedure names from the ELF image FILE", OPT_IMAGE, 0 },
	{ "no-demangle", NULL, "leave names of C++, Rust and D procedures as they are",
	    OPT_NO_DEMANGLE, 0 },
	{ "run", "ID", "use ID as the run id, of all profiles", OPT_RUN, 0 },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Decodes DCPI profiles (binary 0.06 and 0.07, or the text of dcpicat) to a\n"
		 "stream.\n",
	.example = "dcpidec run.dcpi | afagg -b image,addr | aftab -n 10",
	.options = options,
	.kind = CLI_DECODER,
	.reads = GUESS_DCPI,
};

static int
decode(const void *opt, const char *name, struct evwrite *w, struct err *e)
{
	(void)e; /* every error has been reported */
	return dcpi_decode(name, opt, w);
}

static const char *
parse(struct cli *c, int argc, char **argv, struct dcpi_options *o, struct symbol_options *so)
{
	const char *image = NULL;
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_STRIDE:
			if (strcmp(optarg, "4") != 0 && strcmp(optarg, "1") != 0)
				cli_usage(c, "--stride: not 4 or 1: %s", optarg);
			o->stride = (unsigned)(*optarg - '0');
			break;
		case OPT_ZEROS: o->zeros = true; break;
		case OPT_EVENTS: o->events = true; break;
		case OPT_IMAGE: image = optarg; break;
		case OPT_RUN: o->run = cli_run_id(c); break;
		case OPT_NO_DEMANGLE: so->mangled = true; break;
		}
	}
	o->strict = c->strict;
	return image;
}

/* Reads the names of the code of the image.  Ends the program if there are none. */
static struct dcpi_names
read_names(struct cli *c, const char *path, struct symtab *t)
{
	struct file_name name = { .path = path };
	struct elf_file *f = NULL;
	struct elf_range code;
	struct dcpi_names n = { .symbols = t };
	struct err e;
	int rc = t == NULL ? err_nomem(&e) : elf_file_open(&name, &f, &e);

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
	struct cli c;
	struct dcpi_options opt = { .stride = 4, .to = cli_reporter(&c) };
	struct dcpi_names names = { .symbols = NULL };
	struct evwrite w;
	struct symtab *table = NULL;
	struct symbol_options so = { .symfs = NULL };
	struct symbol_engine *engine = NULL;
	struct symbolizer speller;
	const char *image;
	struct err e;

	cli_open(&c, argv[0], &program);
	image = parse(&c, argc, argv, &opt, &so);
	if (image != NULL) {
		if ((engine = symbol_engine_open(&so, &e)) == NULL)
			cli_die(&c, &e);
		speller = symbol_engine_face(engine);
		table = symtab_new();
		names = read_names(&c, image, table);
		names.speller = &speller;
		opt.names = &names;
	}
	cli_decode(&c, &w, decode, &opt);
	if (names.found == 0 && names.missed != 0)
		cli_note(&c, "%s: none of the addresses is in one of its procedures", image);
	symtab_free(table);
	symbol_engine_close(engine);
	return cli_finish(&c, &w.out);
}
