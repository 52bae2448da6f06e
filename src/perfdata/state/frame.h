/* SPDX-License-Identifier: ISC */
/*
 * frame.h - finds the names of addresses, with a cache.
 */
#ifndef AFPIPE_PERFDATA_FRAME_H
#define AFPIPE_PERFDATA_FRAME_H

#include <stdint.h>

#include "lib/evwrite.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/state/dso.h"
#include "src/perfdata/state/maps.h"
#include "src/perfdata/state/task.h"

/* One result, valid for all places [from, to) of an object. */
struct frame {
	uint64_t from, to;
	struct dso *dso; /* NULL: no mapping covers it */
	const struct symbol *symbol; /* NULL: none covers it */
	uint64_t start; /* of the symbol */
	const char *name; /* escaped as an element: the function, [dso] or [unknown] */
	uint32_t namelen;
};

struct frames;

/*
 * Both are borrowed.  NULL when there is no memory.  If memory runs out later, w's error is set,
 * as for writing.
 */
struct frames *frames_open(struct dsos *dsos, struct evwrite *w);
void frames_close(struct frames *f);

/*
 * The frame at ip for thread th in that mode; *place is the place in the object (ip itself
 * if there is none).  Never NULL; valid until the next call.
 * Hypervisor and guest addresses are unknown: their maps are not in the recording.  The
 * kernel's map ends with its text proper; code after that with a symbol (init text, entry
 * trampolines) belongs to the kernel, too.
 */
const struct frame *frames_find(struct frames *f, struct tasks *t, const struct thread *th,
    enum cpumode mode, uint64_t ip, uint64_t *place);

#endif
