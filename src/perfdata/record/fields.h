/* SPDX-License-Identifier: ISC */
/*
 * fields.h - writes the fields of a record as tags, from a text that describes their layout.
 *
 * The text is KEY:TYPE separated by blanks, in the order of the record:
 *	b h u q		unsigned, 1 2 4 8 bytes		d i	signed, 4 8 bytes
 *	y x		in hex, 4 8 bytes		s	the rest as text
 *	nN		8 bytes: how many items of N bytes follow
 *	wT vT zT	a number of 2 4 8 bytes with names in table T
 *	fT gT		bits of 2 8 bytes with names in table T
 *	p		2 bytes of padding
 * Fields after a | are missing in older records.
 * pid and tid are skipped: they go to the line's first tags.
 */
#ifndef AFPIPE_PERFDATA_FIELDS_H
#define AFPIPE_PERFDATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/evwrite.h"
#include "lib/slice.h"

/* The tables of names, by the number T in a text. */
enum {
	NAMES_KSYMBOL,
	NAMES_KSYMBOL_FLAGS,
	NAMES_BPF_EVENT,
	NAMES_AUX_FLAGS,
	NAMES_AUXTRACE,
	NAMES_AUXTRACE_ERROR,
	NAMES_STAT_ROUND,
	NAMES_EVENT_UPDATE,
	NAMES_SP_CHAIN,
	NAMES_STAT_CONFIG,
};

/*
 * Writes all fields of the record as tags.  A missing one is not printed.  Returns the
 * number of items that follow, if a field counts them.
 */
uint64_t fields_put(struct evwrite *w, const char *text, struct cur *c);

/* Are all fields there, and the items that they count? */
bool fields_fit(const char *text, struct cur c);

/* Takes pid and tid from the record.  True if it has both. */
bool fields_who(const char *text, struct cur c, uint32_t *pid, uint32_t *tid);

/* The name of V in table T, NULL if it has none. */
const char *fields_name(unsigned t, uint64_t v);

/*
 * A tag with a list of the names of the bits of V, lowest first; bits without a name come
 * last, as one number in hex.  No tag for 0.  names has COUNT entries, NULL for no name.
 */
void fields_put_bits(struct evwrite *w, struct slice key, uint64_t v, const char *const *names,
    size_t count);

/* A cursor over n items of SIZE bytes, or over as many as there are; c moves past them. */
struct cur fields_items(struct cur *c, uint64_t n, size_t size);

/* A tag with a list of the 8-byte words to the cursor's end, in hex; "." for none. */
void fields_put_words(struct evwrite *w, struct slice key, struct cur *c);

/* A tag with bytes as hex digits. */
void fields_put_bytes(struct evwrite *w, struct slice key, const unsigned char *p, size_t n);

/* An element of a list (call evw_tag_begin first), after a ';' unless it is the first. */
void fields_item(struct evwrite *w, bool first, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the list; "." if it is empty. */
void fields_list_end(struct evwrite *w, struct slice key, bool empty);

#endif
