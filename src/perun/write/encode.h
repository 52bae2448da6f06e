/* SPDX-License-Identifier: ISC */
/*
 * encode.h - encodes a stream as a Perun profile, for filters/perunenc.c.
 *
 *	x = perun_encode_open(&out, form, &e);
 *	for each line perun_encode_line(x, &ev, &e);
 *	while (perun_encode_rest(x, &rc, &e)) report e if rc is not 0;
 *	perun_encode_end(x, &e);
 *
 * A stream of perundec is written back as the original document.  In any other stream each sample,
 * span and agg line becomes a resource.
 */
#ifndef AFPIPE_PERUN_WRITE_ENCODE_H
#define AFPIPE_PERUN_WRITE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

enum perun_form {
	PERUN_PLAIN, /* the document, unchanged */
	PERUN_PACK, /* Perun's object: json.dumps without origin, a label, zlib */
	PERUN_NAME, /* the name of that object: its SHA-1 as 40 hexadecimal digits, and LF */
};

enum perun_format {
	PERUN_AS_IT_IS, /* the format of the document; snapshots if there was none */
	PERUN_SNAPSHOTS,
	PERUN_RESOURCES, /* a map of resources, as in newer versions */
};

struct perun_encode;

/*
 * Opens an encoder.  o is borrowed.  Returns NULL when memory runs out or there is no temporary
 * file.
 */
struct perun_encode *perun_encode_open(struct out *o, enum perun_form form,
    enum perun_format format, struct err *e);
void perun_encode_close(struct perun_encode *x);

/*
 * Packs only a profile with origin, as Perun does.  Without it perun_encode_end returns ERR_DATA.
 */
void perun_encode_want_origin(struct perun_encode *x);

/*
 * Processes a line.  Returns ERR_DATA, with the line as its place, if the line cannot be written.
 * Returns ERR_SYS if memory runs out or the temporary file fails; there will then be no document.
 */
int perun_encode_line(struct perun_encode *x, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes the parts that waited to be converted.  Call it after the last line, until it returns
 * false.  Each call may fail at one part (*rc and *e).  If all lines were left out, this fails with
 * ERR_DATA, and there will be no document.
 */
bool perun_encode_rest(struct perun_encode *x, int *rc, struct err *e);

/* Ends the document.  Returns ERR_DATA if it cannot be packed. */
int perun_encode_end(struct perun_encode *x, struct err *e) __attribute__((warn_unused_result));

/* Reports omissions, one text per call.  Start with *at = 0.  Returns false at the end. */
bool perun_encode_note(const struct perun_encode *x, size_t *at, char *text, size_t size);

#endif
