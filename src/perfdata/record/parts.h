/* SPDX-License-Identifier: ISC */
/* parts.h - shared by the files of this directory. */
#ifndef AFPIPE_PERFDATA_RECORD_PARTS_H
#define AFPIPE_PERFDATA_RECORD_PARTS_H

#include "src/perfdata/record/record.h"

/*
 * ---- line.c: writes the fields of a record as tags, following a text that describes their layout
 */

/*
 * The text consists of KEY:TYPE pairs, separated by blanks, in the order of the record:
 *	b h u q		unsigned, 1 2 4 8 bytes		d	signed, 4 bytes
 *	y x		in hex, 4 8 bytes		s	the rest as text
 *	nN		8 bytes: how many items of N bytes follow
 *	wT vT zT	a number of 2 4 8 bytes with names in table T
 *	fT gT		bits of 2 8 bytes with names in table T
 *	p		2 bytes of padding
 * f, g, w, v and z also write KEY_name if table T has a name for the value.
 *
 * Fields after a | are missing in older records.  record_check makes sure that all fields before
 * the | are there, except a text, which needs no NUL, may be missing, and must be the last field.
 * Bytes after the fields are ignored, since newer kernels append fields.
 *
 * pid and tid have 4 bytes and are skipped here, since they are the line's first tags.
 */

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
 * Writes all fields of the record as tags, except missing ones.  Returns the number of items that
 * follow, if a field counts them.
 */
uint64_t fields_put(struct evwrite *w, const char *text, struct cur *c);

/* Returns the name of V in table T, or NULL if it has none. */
const char *fields_name(unsigned t, uint64_t v);

/* Returns a cursor over n items of SIZE bytes, or over as many as there are.  c moves past them. */
struct cur fields_items(struct cur *c, uint64_t n, size_t size);

/* ---- types.c: the table of types */

struct record_type {
	const char *kind; /* of its line; NULL: it has no line of its own */
	const char *name; /* perf's name for it, if that differs from kind; else NULL */
	const char *fields; /* the text described above; NULL for none */
	/* Writes tags for the rest of the record, which is at c and has n items.  May be NULL. */
	void (*rest)(struct run *run, const struct rec *r, struct cur *c, uint64_t n);
	/*
	 * Returns true if everything that `rest` reads is there.  Called only if the fields are
	 * there; c is at the record's first field.  NULL means that it is always there.
	 */
	bool (*fits)(struct cur c);
};

/* Returns the row of a type, or NULL if it is unknown. */
const struct record_type *record_type_of(uint32_t type);

#endif
