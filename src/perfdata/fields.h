/* SPDX-License-Identifier: ISC */
/*
 * fields.h - the fields of a record as tags, by a text that says how they lie.
 *
 * The text is KEY:TYPE parted by blanks, in the order of the record:
 *	b h u q		unsigned, 1 2 4 8 bytes		d i	signed, 4 8 bytes
 *	y x		in hex, 4 8 bytes		s	the text that is left
 *	nN		8 bytes: how many items of N bytes follow
 *	wT vT zT	a number of 2 4 8 bytes that has names: table T
 *	fT gT		bits of 2 8 bytes that have names: table T
 *	p		2 bytes that mean nothing
 * Behind a | stand fields that older records do not have.
 * pid and tid are passed over: they go to the line's first tags.
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
 * All of the record's fields as tags.  One that is not there is not printed.  Returns
 * how many items follow, where a field counts them.
 */
uint64_t fields_put(struct evwrite *w, const char *text, struct cur *c);

/* Are they there, and the items that they count? */
bool fields_fit(const char *text, struct cur c);

/* pid and tid out of the record, where it has both.  True if it has. */
bool fields_who(const char *text, struct cur c, uint32_t *pid, uint32_t *tid);

/* The name of V in table T, NULL where it has none. */
const char *fields_name(unsigned t, uint64_t v);

/*
 * A tag with a list of the names of the bits of V, lowest first; bits without a name come
 * last, as one number in hex.  No tag for 0.  names has COUNT entries, NULL for no name.
 */
void fields_put_bits(struct evwrite *w, struct slice key, uint64_t v, const char *const *names,
    size_t count);

/* A cursor over n items of SIZE bytes, or over as many as there are; c is behind them. */
struct cur fields_items(struct cur *c, uint64_t n, size_t size);

/* A tag with a list of the 8-byte words to the cursor's end, in hex; "." for none. */
void fields_put_words(struct evwrite *w, struct slice key, struct cur *c);

/* Bytes as hex digits. */
void fields_put_bytes(struct evwrite *w, struct slice key, const unsigned char *p, size_t n);

/* An element of a list (evw_tag_begin before them), behind a ';' unless it is the first. */
void fields_item(struct evwrite *w, bool first, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The list's end; "." where it is empty. */
void fields_list_end(struct evwrite *w, struct slice key, bool empty);

#endif
