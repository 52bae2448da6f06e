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
 * The header is written before the first count, chunks as they come, and the footer at the end.
 * Memory is needed for the header and one chunk, at four bytes per slot.
 */
#ifndef AFPIPE_DCPI_ENCODE_H
#define AFPIPE_DCPI_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

struct dcpi_encode;

/*
 * Opens an encoder.  o is borrowed until the close, and its failures are kept in it.  Returns NULL
 * when memory runs out.
 */
struct dcpi_encode *dcpi_encode_open(struct out *o);
void dcpi_encode_close(struct dcpi_encode *x);

/*
 * Encodes a line.  Returns ERR_DATA if the line is rejected.  If dcpi_encode_refused is then true,
 * the whole profile is rejected and no footer is written.  Otherwise only the line is omitted.
 * Returns ERR_SYS if memory runs out; the caller must then stop.
 */
int dcpi_encode_line(struct dcpi_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));
bool dcpi_encode_refused(const struct dcpi_encode *x);

/* Writes the last chunk and the footer.  Returns ERR_DATA if there is no header. */
int dcpi_encode_end(struct dcpi_encode *x, struct err *e) __attribute__((warn_unused_result));

/*
 * Reports omissions, one sentence per call, in text, which ends with a NUL.  Start with *at = 0.
 * Returns false when there are no more.
 */
bool dcpi_encode_note(const struct dcpi_encode *x, size_t *at, char *text, size_t size);

#endif
