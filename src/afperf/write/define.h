/* SPDX-License-Identifier: ISC */
/*
 * define.h - the runs and measurement types of a stream, as AFPerf will define
 * them.
 *
 * Data lines may come before the run and measure lines that describe their run and
 * measure, or without them; an entry is made by the first of these and filled in as
 * more is known.  It is settled when its id is fixed, which is when its record is
 * written.
 */
#ifndef AFPIPE_AFPERF_WRITE_DEFINE_H
#define AFPIPE_AFPERF_WRITE_DEFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/afperf/afperf.h"
#include "src/afperf/ids.h"
#include "src/afperf/write/encode.h"

#define DEFINE_TIME_MAX 39 /* digits of 128 bits */

struct define_time {
	char digits[DEFINE_TIME_MAX];
	uint8_t len; /* 0: none */
};

/* Numbers of measures, the first and the last of a list. */
struct define_list {
	size_t first, last; /* TAB_NONE if it is empty */
};

/* The measures of a run with one name, or one id.  A redefined type has many. */
struct define_known {
	size_t latest; /* the last one defined, of those with the id, or with the name and no id */
	size_t in_force; /* for an id: the one whose record was written last */
	size_t owner; /* for an id: its owner, apart from those that redefine it in place */
};

/* Entries by key, all of one type. */
struct define_index {
	struct tab keys;
	char *entry;
	size_t cap;
};

/* A measure that only data lines have named, under one of the names that match it. */
struct define_open_entry {
	size_t measure, next;
};

/* Measures that no line has defined. */
struct define_open {
	struct define_index lists; /* of entries, by name, unit and id: struct define_list */
	struct define_open_entry *entry;
	size_t n, cap;
};

struct define_run {
	struct slice name; /* the text of the run column; "." is the pool of several runs */
	struct slice id; /* as AFPerf writes it, once settled */
	struct slice tags; /* of its run line */
	struct define_time start;
	bool declared; /* a run line has come */
	bool timed; /* the time of that line is the start */
	bool written;
	bool native; /* it came from AFPerf: see native.c */
	bool blank; /* and had no id there */
	bool renumbered; /* its id is not the same as its name */
	uint64_t minor; /* of its format version, which may have fields that ours lacks */
	const struct afperf_time_unit *unit; /* of its times in AFPerf */
	struct define_list measures;
};

/* The kinds of a measure's values so far. */
enum define_seen { SEEN_INT = 1, SEEN_DOUBLE = 2, SEEN_TEXT = 4 };

/* What the data of a measure were so far, and where its record is. */
struct define_state {
	unsigned seen; /* enum define_seen; only kinds that the type cannot hold matter */
	uint64_t large; /* how many of the values are integers that no double can hold */
	bool used; /* by data */
	bool superseded; /* by another with that id: its record has to be written again */
	bool written;
	bool pinned; /* its record is in the spool, and is made when all values have been seen */
	bool ahead; /* the same, before the spool */
};

struct define_measure {
	size_t run;
	struct slice name, stream_id, unit, time, summary,
	    description; /* stream text; "." for none */
	struct slice id; /* as AFPerf writes it, once settled */
	enum afperf_datatype type;
	uint64_t defined; /* rank of its last measure line, 0 if there was none */
	size_t next_in_run; /* or TAB_NONE */
	bool in_place; /* its record is among the data, because it redefines a type */
	struct define_state state;
};

/* The last measure that a data line named; the table owns its texts. */
struct define_recent {
	struct slice measure, unit, id;
	size_t run, number;
};
#define DEFINE_RECENT 4

/* The names of measures in data lines, and possible names of defined ones. */
struct define_alias {
	struct tab names;
	size_t *of; /* the measure, by number of the name */
	size_t cap;
	struct define_recent recent[DEFINE_RECENT];
	unsigned next; /* in recent, to be replaced */
};

/* The ids that runs and types get. */
struct define_ids {
	enum afperf_spelling spelling;
	bool number; /* blank ids become numbers */
	bool renumber; /* ids used in the container are replaced; without it they clash */
	struct ids runs, types; /* ids in use; those of runs may begin with a container's */
	struct slice clash; /* the last id requested that the container has; empty: none */
	uint64_t renumbered; /* runs */
	uint64_t spare; /* the last number used for an id whose hash was taken */
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
};

void define_free(struct define *d);

/* What a data line gives for its measure. */
struct define_name {
	size_t run;
	struct slice measure, unit, id, type; /* "." if not given */
};

/* Is it only digits, at most DEFINE_TIME_MAX of them, without a leading zero? */
bool define_is_time(struct slice s);

/* Compares two times. */
int define_time_cmp(struct slice a, struct slice b);

static inline struct slice
define_time_text(const struct define_time *t)
{
	return (struct slice){ t->digits, t->len };
}

/* Converts a time to the run's unit, 64 bits in AFPerf.  False if that is impossible. */
bool define_time_in_unit(const struct define_run *run, struct slice *time);

void define_time_set(struct define_time *t, struct slice s);

/* The index of the run of that name, new or not.  TAB_NONE when there is no memory. */
size_t define_run_named(struct define *d, struct slice name);

/* The index of the measure that a data line names, new or not.  TAB_NONE without memory. */
size_t define_measure_named(struct define *d, const struct define_name *name, struct buf *scratch);

enum define_result {
	DEFINED_SAME, /* nothing new */
	DEFINED_NEW,
	DEFINED_AGAIN, /* after data that use its previous definition */
	DEFINED_UNTIMELY, /* its time cannot be given in the run's unit */
	DEFINED_NOMEM,
};

/* Takes a run line.  AGAIN: it differs from an earlier one and is ignored. */
enum define_result define_run(struct define *d, const struct ev *ev, size_t *run);

/*
 * Takes a measure line.  AGAIN: the record of *measure has to be written at the place
 * of the line.
 */
enum define_result define_measure(struct define *d, const struct ev *ev, size_t *measure);

/* Fix the ids: the same for the same input.  False when there is no memory. */
bool define_settle_run(struct define *d, size_t run) __attribute__((warn_unused_result));
bool define_settle_measure(struct define *d, size_t measure) __attribute__((warn_unused_result));

/*
 * At the end: measures of the pool, which has no measure lines, take datatype and unit
 * from those of the runs, if these agree.  False when there is no memory.
 */
bool define_inherit(struct define *d) __attribute__((warn_unused_result));

/* Its record is written: any other with its id is no longer in force.  False without memory. */
bool define_put_in_force(struct define *d, size_t measure) __attribute__((warn_unused_result));

/* Is it an unsigned integer of 64 bits, decimal or hexadecimal, and so a valid id? */
bool define_is_id(struct slice s);

/* Is it @N, which means a blank id? */
bool define_is_blank(struct slice s, uint64_t *n);

/* Are they the same number, in whatever spelling? */
bool define_same_id(struct slice a, struct slice b);

/* The datatype that holds all its values, and the unit for that type. */
enum afperf_datatype define_measure_type(const struct define_measure *m);
struct slice define_measure_unit(const struct define_measure *m);

/* Can the type hold values of that kind (one bit)? */
bool define_type_holds(enum afperf_datatype type, enum define_seen seen);

#endif
