/* SPDX-License-Identifier: ISC */
/* pyrepr.h - spells JSON's values as Python's str() does, containers included. */
#ifndef AFPIPE_PERUN_PYREPR_H
#define AFPIPE_PERUN_PYREPR_H

#include "lib/buf.h"
#include "lib/json/jscan.h"

/*
 * Appends str(json.loads(TEXT)) for the value at token[INDEX] of a tape: a text unchanged,
 * everything within containers as in repr().  There, characters that Unicode has not assigned are
 * unchanged.  False without memory.
 */
bool pyrepr_str(struct buf *out, const char *text, const struct jscan_token *token, uint32_t index)
    __attribute__((warn_unused_result));

#endif
