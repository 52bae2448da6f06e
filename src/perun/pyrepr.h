/* SPDX-License-Identifier: ISC */
/* pyrepr.h - JSON's values as Python's str() spells them, containers too. */
#ifndef AFPIPE_PERUN_PYREPR_H
#define AFPIPE_PERUN_PYREPR_H

#include "lib/buf.h"
#include "src/perun/jscan.h"

/*
 * Appends str(json.loads(TEXT)) of the value at token[INDEX] of a tape: a text as it is, all
 * within containers as repr() has it.  Characters that Unicode has not assigned stand as they
 * are in there.  False without memory.
 */
bool pyrepr_str(struct buf *out, const char *text, const struct jscan_token *token, uint32_t index)
    __attribute__((warn_unused_result));

#endif
