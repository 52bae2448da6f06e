/* SPDX-License-Identifier: ISC */
/* pack.h - Perun's object for a document (perun/logic/commands.py: add), and its name. */
#ifndef AFPIPE_PERUN_WRITE_PACK_H
#define AFPIPE_PERUN_WRITE_PACK_H

#include "lib/err.h"
#include "lib/out.h"
#include "lib/slice.h"
#include "lib/spool.h"

/*
 * DOC contains the bytes of the document, all ASCII.  pack_object writes the label and the
 * document, compressed as by Python's zlib.compress.  pack_name writes the SHA-1 of both.
 */
int pack_object(struct out *o, struct spool *doc, struct slice type, struct err *e)
    __attribute__((warn_unused_result));
int pack_name(struct out *o, struct spool *doc, struct slice type, struct err *e)
    __attribute__((warn_unused_result));

#endif
