/* SPDX-License-Identifier: ISC */
/*
 * jsonl.h - the stream as JSON lines, and back.
 *
 * A line of the stream is an object on a line of its own, with the members kind, time, run, region,
 * measure, value and tags, in this order:
 *
 *	{"kind":"sample","time":5,"run":"0x1","region":"f","measure":"cycles","value":7,
 *	"tags":{"pid":"1","stack":"main;f"}}
 *
 * - Texts are spelled as in the stream, with its escapes.  "." is null.
 * - time and value are numbers if they are spelled like one in JSON and a double can hold them:
 *   integers up to 2^53, and others of at most 17 digits after leading zeros.  All others are
 *   strings.
 * - The value of a key that several tags have is an array of their values.  If other tags come
 *   between these, the member order follows: an array of the keys of all tags.
 * - A tag without '=' is a key with the value true.
 * - A line that begins with '#' has the members kind, which is its first word, and words, an array
 *   of the others, which are separated by TABs.
 */
#ifndef AFPIPE_JSONL_H
#define AFPIPE_JSONL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"
#include "lib/marks.h"
#include "lib/out.h"
#include "lib/report.h"

struct jsonl;

/*
 * Opens a writer to o.  If numbers is set, run, tags, and numbers that a double cannot hold are
 * JSON numbers, too, if they are spelled like one and have at most 4096 bytes.  Returns NULL if
 * memory runs out.
 */
struct jsonl *jsonl_open(struct out *o, bool numbers);
void jsonl_close(struct jsonl *j);

/* Writes a line, which comes from a reader.  Fails only if memory runs out. */
int jsonl_line(struct jsonl *j, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes a line that begins with '#'.  A failure is in o->error. */
void jsonl_hashed(struct jsonl *j, struct slice line);

/*
 * The longest line of JSON.  An empty tag, which is a byte of the stream, may be eight bytes of
 * JSON (true, in tags and "", in order).  Nothing else grows as much, apart from what a line has
 * once.
 */
#define JSONL_LINE_MAX (9 * EV_LINE_MAX)

struct jsonl_reader {
	struct reporter to;
	struct marks *marks; /* of all operands */
	bool no_marks; /* marks are left out, whatever they say */
	bool sees_runs; /* runs that also come from another source are reported */
};

/*
 * Reads the named operand and writes its lines and marks to w->out, as they are.  An error in a
 * line is reported with its number, and reading continues: a damaged line is left out.  An opening
 * of another version is left out with the rest of the input.  Doubts are about what readers of the
 * stream accept and writers should not write.  Returns 0 or the code of the error that ends the
 * reading: ERR_DATA for empty input, ERR_SYS, ERR_STOP.
 */
int jsonl_decode(const char *name, const struct jsonl_reader *opt, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns true if marks do not say that their stream is incomplete, so that the writer of an
 * incomplete one must add a mark.
 */
bool jsonl_lacks_end(const struct marks *m);

#endif
