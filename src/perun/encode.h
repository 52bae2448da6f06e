/* SPDX-License-Identifier: ISC */
/*
 * encode.h - a stream to a Perun profile: what filters/perunenc.c sees.
 *
 *	x = perun_encode_open(&out, form, &e);
 *	for each line perun_encode_line(x, &ev, &e);
 *	perun_encode_end(x, &e);
 *
 * A stream of perundec is written back as the document that it was; of any other one each
 * sample, span and agg line becomes a resource.
 */
#ifndef AFPIPE_PERUN_ENCODE_H
#define AFPIPE_PERUN_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

enum perun_form {
	PERUN_PLAIN, /* the document, as it comes */
	PERUN_PACK, /* Perun's object: json.dumps without origin, a label, zlib */
	PERUN_NAME, /* that object's name: SHA-1 as 40 hexadecimal digits and LF */
};

struct perun_encode;

/* NULL without memory or a temporary file.  o is borrowed. */
struct perun_encode *perun_encode_open(struct out *o, enum perun_form form, struct err *e);
void perun_encode_close(struct perun_encode *x);

/*
 * Takes a line.  ERR_DATA: that line cannot be written, the place is its number; ERR_SYS:
 * memory or the temporary file failed, and there will be no document.
 */
int perun_encode_line(struct perun_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Ends the document.  ERR_DATA where it cannot be packed. */
int perun_encode_end(struct perun_encode *x, struct err *e) __attribute__((warn_unused_result));

/* What was left out, one text a call; false at the end.  Start with *at = 0. */
bool perun_encode_note(const struct perun_encode *x, unsigned *at, char *text, size_t size);

#endif
