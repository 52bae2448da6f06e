/* SPDX-License-Identifier: ISC */
/* kinds.h - which kinds of lines afstream(5) knows, and which of them outlive an aggregation. */
#ifndef AFPIPE_KINDS_H
#define AFPIPE_KINDS_H

#include <stdbool.h>

#include "lib/slice.h"

/* One that an aggregation makes pointless: it says something of single events. */
bool kind_is_detail(struct slice kind);

#endif
