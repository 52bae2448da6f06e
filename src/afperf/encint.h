/* SPDX-License-Identifier: ISC */
/*
 * encint.h - the inside of the encoder, shared by its files: encode.c takes the
 * lines, words.c their tags, encid.c ids, encdef.c writes what is defined,
 * encspool.c has records wait, native.c writes what was AFPerf before, encrule.c says
 * what of that may be where it is, section.c other samples and spans, group.c
 * aggregates, encnote.c says what was left out.
 */
#ifndef AFPIPE_AFPERF_ENCINT_H
#define AFPIPE_AFPERF_ENCINT_H

#include "lib/buf.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "src/afperf/define.h"
#include "src/afperf/encode.h"
#include "src/afperf/ids.h"
#include "src/afperf/record.h"
#include "src/afperf/spool.h"

/* A region label of raw data: intervals that may overlap, so a section. */
struct enc_section {
	size_t run;
	uint64_t id;
	struct afperf_time first, last; /* of its samples */
	uint64_t interval; /* that its samples are in */
	uint64_t intervals; /* begun so far */
	bool sampled;
};

enum enc_block { ENC_NONE, ENC_GROUP, ENC_INTERVAL };

/* An id as a line has it. */
struct enc_ref {
	struct slice text; /* digits; borrowed */
	uint64_t id; /* of a blank one its number */
	bool there, blank;
};

enum enc_scope { ENC_NO_SCOPE, ENC_RUN, ENC_REGION, ENC_SECTION, ENC_AGGREGATES };

/* What a start, a stop or a section says. */
struct enc_event {
	enum enc_scope scope;
	bool start, stop; /* neither: a section */
	struct enc_ref ref, interval;
	size_t run;
	uint64_t time; /* in its run's unit; 0 where it has none */
	struct slice time_text; /* empty where it has none */
	struct slice extra;
	struct slice own; /* as struct enc_words */
	size_t others;
};

/* Intervals that are open and have no id, each with its section. */
struct enc_open {
	struct enc_ref *ref, *section;
	size_t n, cap;
};

/* What a reader would take blank ids for, see native.c. */
struct enc_native {
	/* That lines have named: run, start and state are set once they are defined, or started. */
	struct ids regions, sections, intervals;
	struct tab labels; /* of regions and sections, each with its tags; an entry's line is one */
	struct ids_entry *recent_region; /* or NULL */
	struct enc_ref section; /* the last SectionInfo's */
	size_t run; /* the last RunInfo's, or TAB_NONE: none, or others may yet come before */
	enum enc_scope block; /* what the last event was of */
	bool blank_block; /* and that has no id in the file */
	struct enc_ref thing, interval; /* and whose */
	size_t block_run;
	bool group; /* it was a group of aggregates, and nothing has come behind it */
	bool bare, aggregates; /* a region without an id and nothing else, or only aggregates */
	struct afperf_time start; /* of that */
	enum enc_scope last; /* what data was of that had been defined */
	size_t last_run;
	struct enc_ref last_thing, last_interval;
	struct slice last_label;
	struct enc_open regions_open, intervals_open; /* without ids */
};

/* What ids of one kind become; see encid.c. */
struct enc_ids {
	struct ids *seen; /* those of the stream: detail is the number in taken, or IDS_NONE */
	struct ids taken; /* what is written; IDS_OPEN: stood in the container before */
	uint64_t next; /* where a free one may be */
};

/* A run, or one of its measures (or TAB_NONE). */
struct enc_waiting {
	size_t run, measure;
};

struct afperf_encode {
	struct afperf_encode_options opt;
	bool maps; /* ids may become others */
	struct enc_ids region_ids, section_ids, interval_ids;
	uint64_t renumbered;
	struct enc_ref clash; /* with an id of the container; told of its line */
	const char *clash_of;
	struct slice name[AFPERF_RECORDS]; /* of the record types */
	struct slice end; /* of a record */
	struct out *out; /* the file */
	struct out *to; /* where records go: out, or the spool's */
	struct spool spool;
	bool begun; /* the header is written */
	bool spooling;
	bool pinning; /* no definition may come before what is in the spool */
	bool ending; /* all lines have been seen */
	struct afperf_define def;
	struct enc_waiting
	    *waiting; /* whose lines have come, and whose records may have to be written */
	size_t nwaiting, waiting_cap;
	struct buf scratch;

	struct enc_native native;

	struct tab labels; /* RUN TAB REGION, number of the section */
	struct enc_section *section;
	size_t sections, sections_cap;

	/* Records that belong together, to be closed by a stop. */
	enum enc_block block;
	struct buf block_key, key;
	struct afperf_time block_time; /* of the stop */
	size_t block_section;
	uint64_t block_interval;
	size_t block_records, block_bytes; /* of a group */

	struct tab kinds; /* that were left out */
	uint64_t *kind_count;
	size_t kinds_cap;
	uint64_t tags, tag_lines, values, untimed, early; /* left out or made up, see encnote.c */
};

/* The tags that the encoder knows; "." where the line has none. */
struct enc_words {
	struct slice stat, start, mid, unit, type, scope, id, interval;
	struct slice extra; /* p is NULL where there is none: "." is one empty field */
	struct slice own; /* the tags of the label, a TAB before each */
	size_t others; /* of keys that AFPerf has no place for */
	size_t tags; /* own, and what other fields say */
};

/* What a data line is about. */
struct enc_use {
	struct enc_words word;
	size_t run, measure;
	struct slice start, end; /* digits */
	struct slice value; /* stream text; empty for the empty text */
	bool number; /* the value is one */
	struct enc_ref ref, interval; /* of what was AFPerf */
};

/* words.c */
void enc_words_read(const struct ev *ev, struct enc_words *w);

/* Fields.  A record is its name, fields that each bring their comma, and the end. */

static inline void
enc_begin(struct afperf_encode *x, enum afperf_record record)
{
	out_put(x->to, x->name[record].p, x->name[record].len);
}

/* Digits, names of ours: nothing to quote. */
static inline void
enc_raw(struct afperf_encode *x, struct slice s)
{
	char *p = out_room(x->to, s.len + 1);

	if (p == NULL)
		return;
	*p = ',';
	short_copy(p + 1, s.p, s.len);
	out_commit(x->to, s.len + 1);
}

static inline void
enc_blank(struct afperf_encode *x)
{
	out_put(x->to, ",", 1);
}

static inline void
enc_end(struct afperf_encode *x)
{
	out_put(x->to, x->end.p, x->end.len);
}

/* encid.c: ids of regions, sections and intervals. */

/* Makes sure that it is known what the id becomes.  owner: the section of an interval, else 0. */
bool enc_id_settle(struct afperf_encode *x, struct enc_ids *t, uint32_t owner,
    const struct enc_ref *ref) __attribute__((warn_unused_result));
/* Writes it, as a field. */
void enc_id_put(struct afperf_encode *x, struct enc_ids *t, uint32_t owner,
    const struct enc_ref *ref);
/* The next number that nothing has. */
bool enc_id_free(struct enc_ids *t, uint32_t owner, uint64_t *id)
    __attribute__((warn_unused_result));
/* The number of a section among all, as the owner of its intervals.  False without memory. */
bool enc_id_owner(struct afperf_encode *x, const struct enc_ref *section, uint32_t *owner)
    __attribute__((warn_unused_result));

void enc_u64(struct afperf_encode *x, uint64_t v);
void enc_text(struct afperf_encode *x, struct slice text);
void enc_tags(struct afperf_encode *x, const struct buf *tags);
void enc_run_id(struct afperf_encode *x, size_t run);

/* The pair of type id and value that ends a point or an aggregate. */
void enc_pair(struct afperf_encode *x, const struct enc_use *u);

/* The records of a run and of a measure, without extra fields and their end.  No memory: false. */
bool enc_run_info(struct afperf_encode *x, size_t run) __attribute__((warn_unused_result));
bool enc_measurement_type(struct afperf_encode *x, size_t measure)
    __attribute__((warn_unused_result));

/* The same, whole, where the next record comes; ev is the measure's line, or NULL. */
bool enc_run_here(struct afperf_encode *x, size_t run) __attribute__((warn_unused_result));
bool enc_measure_here(struct afperf_encode *x, size_t measure, const struct ev *ev)
    __attribute__((warn_unused_result));

/* All records of runs and measures that are not yet written and can no longer change. */
bool enc_definitions(struct afperf_encode *x) __attribute__((warn_unused_result));

/*
 * Are the records written that a line of that run and measure (or TAB_NONE) goes by, or will they
 * be?  False without memory.
 */
bool enc_is_defined(struct afperf_encode *x, size_t run, size_t measure, bool *defined)
    __attribute__((warn_unused_result));

/* encspool.c: records that wait until all definitions are known. */

/* From here on they do. */
int enc_spool_begin(struct afperf_encode *x, struct err *e);
/*
 * Writes what has to be defined right here for a line of that run and measure (or TAB_NONE).
 * Others are defined before all that waits.
 */
bool enc_spool_define(struct afperf_encode *x, size_t run, size_t measure)
    __attribute__((warn_unused_result));
/* At the end: definitions, and all that has waited. */
int enc_spool_end(struct afperf_encode *x, struct err *e);

/* Does AFPerf have a field of its own for what the tag of an agg or a span line says? */
bool enc_is_word(struct slice key);

/* The line's group or interval, as text to compare, in x->key. */
bool enc_block_key(struct afperf_encode *x, const struct ev *ev)
    __attribute__((warn_unused_result));

/* Does the line go on with the open block?  Otherwise that one is closed. */
bool enc_block_goes_on(struct afperf_encode *x, enum enc_block block);
void enc_block_close(struct afperf_encode *x);
/*
 * One more record of a group, or in its midst.  A reader takes only so many of them for a group:
 * where there is no more room, the group is closed.
 */
void enc_block_room(struct afperf_encode *x, size_t bytes);

/* The lines.  0 or an error, as afperf_encode_line. */
int enc_sample(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    struct err *e);
int enc_span(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e);
int enc_agg(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e);

/* encrule.c: what was AFPerf, by what has come before. */

/*
 * The region or section, where it is one of that run that has been defined; else NULL.  NULL
 * without memory, too: the table then has failed, which is looked at after each line.
 */
struct ids_entry *enc_known(struct enc_native *n, enum enc_scope scope, size_t run,
    const struct enc_ref *ref);
/* Is the interval one of that section? */
bool enc_known_interval(struct enc_native *n, const struct ids_entry *section,
    const struct enc_ref *interval);
/* May the event stand here?  *entry is that of what it starts, stops or defines. */
int enc_event_fits(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v,
    struct ids_entry **entry, struct err *e);
/* It has been written. */
void enc_event_done(const struct enc_event *v, struct ids_entry *entry);
/*
 * Would a reader take a processed aggregate with that id for one of that region or section?  If so,
 * no run gets the id from now on.
 */
bool enc_owns_processed(struct afperf_encode *x, const struct enc_use *u, enum enc_scope scope);
/* Does the run's version allow fields that ours has not, up to so many?  0 or ERR_DATA. */
int enc_extra_fits(const struct ev *ev, struct slice extra, uint64_t minor, size_t most,
    struct err *e);
/* May a record of that type be written, which is none of ours? */
int enc_other_fits(struct afperf_encode *x, const struct ev *ev, struct slice record,
    struct err *e);

/* native.c: lines that were records of AFPerf. */
enum enc_scope enc_scope_named(struct slice name);
/* May the line be written as the record that it was?  Its region or section has been, too. */
bool enc_is_native(struct afperf_encode *x, const struct ev *ev, struct enc_use *u,
    enum enc_scope scope);
int enc_native_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum enc_scope scope, struct err *e);
int enc_native_event(struct afperf_encode *x, const struct ev *ev, struct err *e);
/* Is a blank run id taken for this run?  If not, its lines have no place. */
bool enc_run_is_told(const struct afperf_encode *x, size_t run);
int enc_no_place(const struct ev *ev, struct err *e);
int enc_other(struct afperf_encode *x, const struct ev *ev, struct err *e);
int enc_comment(struct afperf_encode *x, const struct ev *ev, struct err *e);
/* The fields of extra= or fields=, each with its comma; none where list.p is NULL. */
bool enc_fields(struct afperf_encode *x, struct slice list) __attribute__((warn_unused_result));
void enc_native_free(struct enc_native *n);
/* A record is written that has nothing to do with the one before it. */
void enc_native_apart(struct afperf_encode *x);

void enc_interval_stop(struct afperf_encode *x); /* of the open block */
void enc_section_stops(struct afperf_encode *x); /* of all that have samples */

#endif
