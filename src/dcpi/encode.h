/* SPDX-License-Identifier: ISC */
/*
 * encode.h - encodes the stream as a DCPI profile, in the version of its header.
 *
 *	x = dcpi_encode_open(&out);
 *	for each line: dcpi_encode_line(x, &ev, &e);
 *	dcpi_encode_end(x, &e);
 *	then print the notes (dcpi_encode_note)
 *	dcpi_encode_close(x);
 *
 * The header is written before the first count, chunks as they come, the footer at the end.
 * Memory is needed for one chunk, at four bytes a slot, and the header.
 */
#ifndef AFPIPE_DCPI_ENCODE_H
#define AFPIPE_DCPI_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

struct dcpi_encode;

/* o is borrowed until the close; its failures are kept in it.  NULL when there is no memory. */
struct dcpi_encode *dcpi_encode_open(struct out *o);
void dcpi_encode_close(struct dcpi_encode *x);

/*
 * ERR_DATA: the line is refused.  If dcpi_encode_refused is then true, so is the whole profile,
 * and no footer is written; else only the line is left out.  ERR_SYS: no memory; stop then.
 */
int dcpi_encode_line(struct dcpi_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));
bool dcpi_encode_refused(const struct dcpi_encode *x);

/* Writes what is held back, and the footer.  ERR_DATA if there is no header for it. */
int dcpi_encode_end(struct dcpi_encode *x, struct err *e) __attribute__((warn_unused_result));

/*
 * Reports what was left out, one sentence per call: fills text, with a NUL at its end.  Start with
 * *at = 0; false when there are no more.
 */
bool dcpi_encode_note(const struct dcpi_encode *x, size_t *at, char *text, size_t size);

#endif
