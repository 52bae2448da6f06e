/* SPDX-License-Identifier: ISC */
/* tags.h - writes tags with lists of bits, words, bytes and items. */
#ifndef AFPIPE_PERFDATA_TAGS_H
#define AFPIPE_PERFDATA_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/evwrite.h"
#include "lib/slice.h"

/*
 * Writes a tag with a list of the names of the bits of V, lowest first.  Bits without a name come
 * last, as one number in hex.  Writes no tag if V is 0.  names has COUNT entries; NULL means no
 * name.
 */
void tags_put_bits(struct evwrite *w, struct slice key, uint64_t v, const char *const *names,
    size_t count);

/* Writes a tag with a list of the 8-byte words up to the cursor's end, in hex; "." for none. */
void tags_put_words(struct evwrite *w, struct slice key, struct cur *c);

/* Writes a tag with bytes as hex digits.  p may be NULL for none. */
void tags_put_bytes(struct evwrite *w, struct slice key, const unsigned char *p, size_t n);

/* Writes an element of a list (call evw_tag_begin first), after a ';' unless it is the first. */
void tags_put_item(struct evwrite *w, bool first, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the list, which becomes "." if it is empty. */
void tags_end_list(struct evwrite *w, struct slice key, bool empty);

#endif
