/* SPDX-License-Identifier: ISC */
/*
 * define.h - the runs and measurement types of a stream, as AFPerf will define
 * them.
 *
 * Data lines may come before the lines that describe their run and measure, or without such lines.
 * The first line of either sort creates an entry, which is filled in as more is known.  An entry is
 * settled when its id is fixed, which is when its record is written.
 */
#ifndef AFPIPE_AFPERF_WRITE_DEFINE_H
#define AFPIPE_AFPERF_WRITE_DEFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/ev.h"
#include "lib/number.h"
#include "lib/short.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/afperf/afperf.h"
#include "src/afperf/ids.h"
#include "src/afperf/write/encode.h"

#define DEFINE_TIME_MAX 39 /* digits of a number of 128 bits */

struct define_time {
	char digits[DEFINE_TIME_MAX];
	uint8_t len; /* 0 if there is none */
};

/* The numbers of the first and the last measure in a list. */
struct define_list {
	size_t first, last; /* TAB_NONE if it is empty */
};

/* The measures of a run that share a name or an id, such as the definitions of a redefined type. */
struct define_known {
	size_t latest; /* the last one defined with that id, or with that name and no id */
	size_t in_force; /* of the measures with an id, the one whose record was written last */
	size_t owner; /* the owner of an id, not counting measures that redefine it in place */
};

/* Entries by key, all of one type. */
struct define_index {
	struct tab keys;
	char *entry;
	size_t cap;
};

/* A measure that has appeared only in data lines, under one of the names that match it. */
struct define_open_entry {
	size_t measure, next;
};

/* Measures that no line has defined. */
struct define_open {
	struct define_index lists; /* lists of entries, by name, unit and id: struct define_list */
	struct define_open_entry *entry;
	size_t n, cap;
};

struct define_run {
	struct slice name; /* the text of the run column; "." means the pool of several runs */
	struct slice id; /* as AFPerf writes it, once settled */
	struct slice tags; /* the tags of its run line */
	struct define_time start;
	bool declared; /* a run line has been read */
	bool timed; /* that line has a time, which is the start */
	bool written;
	bool native; /* it came from AFPerf; see native.c */
	bool blank; /* it had no id in AFPerf */
	bool renumbered; /* its id is not the same as its name */
	uint64_t minor; /* of its format version, which may have fields that our version lacks */
	const struct afperf_time_unit *unit; /* the unit of its times in AFPerf */
	struct define_list measures;
};

/* The kinds of a measure's values so far. */
enum define_seen { SEEN_INT = 1, SEEN_DOUBLE = 2, SEEN_TEXT = 4 };

/* The data of a measure so far, and the place of its record. */
struct define_state {
	unsigned seen; /* enum define_seen; only kinds that the type cannot hold matter */
	uint64_t large; /* number of integer values that no double can hold */
	bool used; /* by data lines */
	/* superseded by another measure with that id, so its record must be written again */
	bool superseded;
	bool written;
	/* its record has a place in the spool and is created once all values have been seen */
	bool pinned;
	bool ahead; /* the same, but its place is before the spool */
};

struct define_measure {
	size_t run;
	struct slice name, stream_id, unit, time, summary,
	    description; /* stream text; "." for none */
	struct slice id; /* as AFPerf writes it, once settled */
	enum afperf_datatype type;
	uint64_t defined; /* rank of its last measure line; 0 if there was none */
	size_t next_in_run; /* or TAB_NONE */
	bool in_place; /* its record is among the data because it redefines a type */
	bool united; /* some lines of values have its unit, and others none */
	size_t twin; /* 1 + the measure of its texts, if it has numbers, or the reverse; or 0 */
	struct define_state state;
};

/* The last measure named by a data line.  The table owns its texts. */
struct define_recent {
	struct slice measure, unit, id;
	size_t run, number;
	bool bare; /* the line had neither a unit nor an id */
};
#define DEFINE_RECENT 4

/* The names of measures in data lines, and possible names of defined measures. */
struct define_alias {
	struct tab names;
	size_t *of; /* the measure, by number of the name */
	size_t cap;
	struct define_recent recent[DEFINE_RECENT]; /* an unused one has no name */
	unsigned next; /* the entry of recent to replace next */
};

/* The ids assigned to runs and types. */
struct define_ids {
	enum afperf_spelling spelling;
	bool number; /* blank ids become numbers */
	bool renumber; /* ids that the container already uses are replaced; otherwise they clash */
	/* ids in use; those of runs may begin with the ids of a container */
	struct ids runs, types;
	struct slice clash; /* the last requested id that the container already has, or empty */
	uint64_t renumbered; /* number of runs */
	uint64_t spare; /* the last number used for an id whose hash was already in use */
};

struct define {
	struct define_ids ids;
	struct tab text; /* owns all slices here */
	struct tab run_names;
	size_t last_run; /* the last one requested */
	struct define_alias alias;
	struct define_index by_name, by_id; /* struct define_known */
	struct define_open open;
	struct buf key;
	struct define_run *run;
	size_t runs, runs_cap;
	struct define_measure *measure;
	size_t measures, measures_cap;
	uint64_t definitions;
	uint64_t undescribed; /* measures of the pool without the texts of the runs */
};

void define_free(struct define *d);

#define DEFINE_NO_UNIT SLICE("") /* the unit of values that are known to have none */

/* The description of a measure in a data line. */
struct define_name {
	size_t run;
	struct slice measure, unit, id, type; /* "." if not given */
};

/* The same as define_is_time for texts of more than NUMBER_SMALL_DIGITS. */
bool define_is_long_time(struct slice s);

/* Returns whether s consists of at most DEFINE_TIME_MAX digits, without a leading zero. */
static inline bool
define_is_time(struct slice s)
{
	uint64_t v;

	return number_small_unsigned(s, &v) ? s.p[0] != '0' || s.len == 1 : define_is_long_time(s);
}

static inline uint64_t
define_time_word(const char *p)
{
	return cur_word64((const unsigned char *)p, !cur_host_big());
}

/* Compares two times.  Most have the same length, and more than eight digits. */
static inline int
define_time_cmp(struct slice a, struct slice b)
{
	uint64_t v, w;
	size_t i;

	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	if (a.len < sizeof v)
		return memcmp(a.p, b.p, a.len);
	for (i = 0;; i = i + 2 * sizeof v <= a.len ? i + sizeof v : a.len - sizeof v) {
		v = define_time_word(a.p + i);
		w = define_time_word(b.p + i);
		if (v != w || i + sizeof v == a.len)
			return (v > w) - (v < w);
	}
}

static inline struct slice
define_time_text(const struct define_time *t)
{
	return (struct slice){ t->digits, t->len };
}

/* The same as define_time_in_unit for any time. */
bool define_time_scaled(const struct define_run *run, struct slice *time);

/*
 * Converts a time to the run's unit, which has 64 bits in AFPerf.  Returns false if that is
 * impossible.
 */
static inline bool
define_time_in_unit(const struct define_run *run, struct slice *time)
{
	return (run->unit->zeros == 0 && time->len < 20) || define_time_scaled(run, time);
}

void define_time_set(struct define_time *t, struct slice s);

/*
 * Returns the index of the run with that name, creating it if necessary, or TAB_NONE if memory runs
 * out.
 */
size_t define_run_named(struct define *d, struct slice name);

/*
 * Returns the index of the measure that a data line names, creating it if necessary, or TAB_NONE if
 * memory runs out.
 */
size_t define_measure_named(struct define *d, const struct define_name *name, struct buf *scratch);
/*
 * Returns the index of the measure for a value that is a text, or is not.  It is the measure itself
 * unless that has values of the other sort, which a line or the values so far show: a datatype that
 * holds both would make texts of numbers.  Returns TAB_NONE if memory runs out.
 */
size_t define_measure_for(struct define *d, size_t measure, bool text);

/*
 * Find the run and the measure that a line without unit and id names, if lines that came lately
 * have named them, too.  Otherwise they return TAB_NONE.
 */
static inline size_t
define_run_again(const struct define *d, struct slice name)
{
	size_t n = d->last_run;

	return n < d->runs && short_eq(d->run[n].name, name) ? n : TAB_NONE;
}

static inline size_t
define_measure_again(const struct define *d, size_t run, struct slice measure)
{
	size_t i;

	for (i = 0; i < DEFINE_RECENT; i++) {
		const struct define_recent *r = &d->alias.recent[i];

		if (r->bare && r->run == run && short_eq(r->measure, measure))
			return r->number;
	}
	return TAB_NONE;
}

enum define_result {
	DEFINED_SAME, /* nothing new */
	DEFINED_NEW,
	DEFINED_AGAIN, /* redefined after data that use its previous definition */
	DEFINED_UNTIMELY, /* its time cannot be expressed in the run's unit */
	DEFINED_NOMEM,
};

/* Processes a run line.  DEFINED_AGAIN means that it differs from an earlier one and is ignored. */
enum define_result define_run(struct define *d, const struct ev *ev, size_t *run);

/*
 * Processes a measure line.  DEFINED_AGAIN means that the record of *measure must be written where
 * the line is.
 */
enum define_result define_measure(struct define *d, const struct ev *ev, size_t *measure);

/* Fix the ids.  The same input gives the same ids.  Return false when memory runs out. */
bool define_settle_run(struct define *d, size_t run) __attribute__((warn_unused_result));
bool define_settle_measure(struct define *d, size_t measure) __attribute__((warn_unused_result));

/*
 * Gives the measures of the pool, which has no measure lines, the datatype and unit of the runs'
 * measures if these agree, and then their summary and description if these do.  Call it at the end.
 * Returns false when memory runs out.
 */
bool define_inherit(struct define *d) __attribute__((warn_unused_result));

/*
 * Records that the measure's record is being written, so any other measure with the same id is no
 * longer in force.  Returns false when memory runs out.
 */
bool define_put_in_force(struct define *d, size_t measure) __attribute__((warn_unused_result));

/*
 * Returns whether s is an unsigned integer of 64 bits, decimal or hexadecimal, and so a valid id.
 */
bool define_is_id(struct slice s);

/* Returns whether s is @N, which means a blank id. */
bool define_is_blank(struct slice s, uint64_t *n);

/* Returns whether both are the same number, however they are spelled. */
bool define_same_id(struct slice a, struct slice b);

/*
 * Returns the datatype that holds all values of the measure.  define_measure_unit returns the unit
 * for that datatype.
 */
enum afperf_datatype define_measure_type(const struct define_measure *m);
struct slice define_measure_unit(const struct define *d, const struct define_measure *m);

/* Returns whether the type can hold values of that kind (one bit). */
static inline bool
define_type_holds(enum afperf_datatype type, enum define_seen seen)
{
	if (seen == SEEN_TEXT)
		return type >= AFPERF_ENUM;
	return seen == SEEN_INT ? type >= AFPERF_INT64 : type >= AFPERF_DOUBLE;
}

#endif
