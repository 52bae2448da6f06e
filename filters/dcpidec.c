/* SPDX-License-Identifier: ISC */
/* dcpidec.c - decodes DCPI profiles to the stream. */
#include <getopt.h>
#include <stdlib.h>

#include "lib/cli.h"
#include "lib/mem.h"
#include "src/dcpi/dcpi.h"
#include "src/dcpi/images.h"
#include "src/dcpi/line.h"
#include "src/symbol/elf.h"
#include "src/symbol/symbolizer.h"

enum { OPT_STRIDE = 1, OPT_ZEROS, OPT_EVENTS, OPT_IMAGE, OPT_NO_DEMANGLE, OPT_RUN };

static const struct cli_option options[] = {
	CLI_TAGS_OPTION,
	CLI_TAG_OPTION,
	{ "stride", "4|1", "bytes from one count of a chunk to the next (4)", OPT_STRIDE, 0 },
	{ "zeros", NULL, "also print counts of zero", OPT_ZEROS, 0 },
	{ "events", NULL, "add the number of events that the samples represent", OPT_EVENTS, 0 },
	{ "image", "FILE", "take the procedure names of its profiles from the ELF image FILE",
	    OPT_IMAGE, 0 },
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

struct job {
	struct cli *cli;
	const struct dcpi_options *opt;
	size_t left; /* operands */
};

/* Reports files of which it is not known what they are the images of. */
static void
check_images(struct cli *c, const struct dcpi_images *m)
{
	struct err e;
	size_t i;

	for (i = 0; i < m->count; i++)
		if (dcpi_images_check(m, i, &e) != 0)
			cli_error(c, m->names[i].path, &e);
}

static int
decode(const void *ctx, const char *name, struct evwrite *w, struct err *e)
{
	struct job *job = *(struct job *const *)ctx;
	const struct dcpi_images *m = job->opt->images;
	int rc = dcpi_decode(name, job->opt, w);

	(void)e; /* every error has been reported */
	/* here, so that the end mark tells */
	if (--job->left == 0 && rc != ERR_STOP)
		check_images(job->cli, m);
	return rc;
}

/* Adds a file to the images.  Names that are the same cannot be told apart. */
static void
add_image(struct cli *c, struct dcpi_images *m, const char *path)
{
	struct dcpi_names *more = mem_resize(m->names, (m->count + 1) * sizeof *more);
	struct slice name = slice_base(slice_of(path));
	size_t i;

	if (more == NULL)
		cli_die_of_memory(c);
	m->names = more;
	for (i = 0; i < m->count; i++)
		if (slice_eq(slice_base(slice_of(more[i].path)), name))
			cli_usage(c, "--image: %s and %s have the same name", more[i].path, path);
	more[m->count++] = (struct dcpi_names){ .path = path };
}

static void
parse(struct cli *c, int argc, char **argv, struct dcpi_options *o, struct symbol_options *so,
    struct dcpi_images *m)
{
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
		case OPT_IMAGE: add_image(c, m, optarg); break;
		case OPT_RUN: o->run = cli_run_id(c); break;
		case OPT_NO_DEMANGLE: so->mangled = true; break;
		}
	}
	if (o->events)
		cli_writes(c, "events", "events");
	o->strict = c->strict;
}

/* Reads the names of the code of an image.  Ends the program if there are none. */
static void
read_names(struct cli *c, struct dcpi_names *n)
{
	struct file_name name = { .path = n->path };
	struct elf_file *f = NULL;
	struct elf_range code;
	struct err e;
	int rc;

	n->symbols = symtab_new();
	rc = n->symbols == NULL ? err_nomem(&e) : elf_file_open(&name, &f, &e);
	if (rc == 0)
		rc = elf_symbols(f, f, n->symbols, &e);
	if (rc == 0 && !elf_file_code(f, &code))
		rc = err_data(&e, "no code in it");
	if (rc != 0) {
		cli_error(c, n->path, &e);
		exit(c->status);
	}
	n->from = code.vaddr;
	n->to = code.vaddr + code.size;
	n->delta = code.vaddr - code.offset;
	elf_file_close(f);
}

/* Reads the images and finds out what they are the images of.  Ends the program if it cannot. */
static void
read_images(struct cli *c, const struct dcpi_options *o, const struct symbolizer *speller)
{
	struct dcpi_images *m = o->images;
	struct err e;
	size_t i;

	cli_sandbox(c, 0);
	for (i = 0; i < m->count; i++) {
		read_names(c, &m->names[i]);
		m->names[i].speller = speller;
	}
	if (dcpi_survey(c->operands, c->noperands, o, &e) != 0)
		cli_die(c, &e);
	if (m->whole)
		check_images(c, m);
	if (c->status != 0)
		exit(c->status);
}

/* Notes what has no names.  Code of two images may have the same addresses. */
static void
note_nameless(struct cli *c, const struct dcpi_images *m)
{
	size_t i, n = dcpi_images_nameless(m);

	if (n > (m->count == 0) && c->said == 0)
		cli_note(c, "%zu %simage%s: addresses without names%s", n,
		    m->count == 0 ? "" : "other ", n == 1 ? "" : "s",
		    n == 1 ? "" : ", which several may have (afagg --by image,region)");
	for (i = 0; i < m->count; i++)
		if (m->names[i].found == 0 && m->names[i].missed != 0)
			cli_note(c, "%s: none of the addresses is in one of its procedures",
			    m->names[i].path);
}

/* Notes that samples do not stand for equally many events. */
static void
note_rates(struct cli *c, const struct dcpi_rates *r)
{
	char shown[HEADER_SHOWN];

	if (r->differs.p == NULL)
		return;
	dcpi_header_shown(shown, r->differs);
	cli_note(c,
	    "profiles of %s have different sampling periods, so their samples cannot be compared: "
	    "--events, and afagg --of events",
	    shown);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct dcpi_images images = { .count = 0 };
	struct dcpi_rates rates = { .cap = 0 };
	struct dcpi_options opt = { .stride = 4,
		.images = &images,
		.rates = &rates,
		.to = cli_reporter(&c) };
	struct job job = { &c, &opt, 1 }, *jobs = &job;
	struct evwrite w;
	struct symbol_options so = { .symfs = NULL };
	struct symbol_engine *engine = NULL;
	struct symbolizer speller;
	struct err e;
	size_t i;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &opt, &so, &images);
	if (images.count != 0) {
		if ((engine = symbol_engine_open(&so, &e)) == NULL)
			cli_die(&c, &e);
		speller = symbol_engine_face(engine);
		read_images(&c, &opt, &speller);
	}
	if (c.noperands != 0)
		job.left = c.noperands;
	cli_decode(&c, &w, decode, &jobs);
	note_nameless(&c, &images);
	note_rates(&c, &rates);
	dcpi_rates_free(&rates);
	for (i = 0; i < images.count; i++)
		symtab_free(images.names[i].symbols);
	mem_free(images.names);
	dcpi_images_free(&images);
	symbol_engine_close(engine);
	return cli_finish(&c, &w.out);
}
