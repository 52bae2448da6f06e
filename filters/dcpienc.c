/* SPDX-License-Identifier: ISC */
/* dcpienc.c - encodes the stream as a DCPI profile. */
#include "lib/cli.h"
#include "src/dcpi/encode.h"

static const struct cli_option options[] = { { 0 } };

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Writes the counts of a stream from dcpidec, or from afagg after it, as one DCPI\n"
		 "profile.\n",
	.example = "dcpidec *.dcpi | afagg -b addr,image -s sum | dcpienc >sum.prof",
	.options = options,
	.kind = CLI_READER,
};

/* Encodes a line.  No more lines are needed for a profile that is rejected as a whole. */
static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	int rc = dcpi_encode_line(ctx, ev, e);

	return rc != 0 && dcpi_encode_refused(ctx) ? ERR_STOP : rc;
}

static int
end(void *ctx, bool *more, struct err *e)
{
	(void)more;
	return dcpi_encode_end(ctx, e);
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	return dcpi_encode_note(ctx, at, text, size);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct dcpi_encode *x;

	cli_open(&c, argv[0], &program);
	(void)cli_next_option(&c, argc, argv);
	cli_write_binary(&c, &o);
	x = dcpi_encode_open(&o);
	if (x == NULL)
		cli_die_of_memory(&c);
	cli_require(&c, SLICE("*"));
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = x, .line = take_line, .end = end, .note = note });
	dcpi_encode_close(x);
	return cli_finish(&c, &o);
}
