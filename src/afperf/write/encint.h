/* SPDX-License-Identifier: ISC */
/*
 * encint.h - internals of the encoder, shared by its files: encode.c takes the lines,
 * words.c their tags, encid.c ids, encdef.c writes definitions, encspool.c keeps
 * records that wait, native.c writes lines that came from AFPerf, encrule.c checks that
 * those are allowed in their place, section.c writes other samples and spans, group.c
 * aggregates, encnote.c reports what was left out.
 */
#ifndef AFPIPE_AFPERF_ENCINT_H
#define AFPIPE_AFPERF_ENCINT_H

#include "lib/buf.h"
#include "lib/short.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "src/afperf/write/define.h"
#include "src/afperf/write/encode.h"
#include "src/afperf/ids.h"
#include "lib/short.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "src/afperf/write/define.h"
#include "src/afperf/write/encode.h"
#include "src/afperf/ids.h"
#include "src/afperf/afperf.h"

/* A region label of raw data.  Its intervals may overlap, so it becomes a section. */
struct enc_section {
	size_t run;
	uint64_t id;
	struct define_time first, last; /* of its samples */
	uint64_t interval; /* of its samples */
	uint64_t intervals; /* begun so far */
	bool sampled;
};

enum enc_block { ENC_NONE, ENC_GROUP, ENC_INTERVAL };

/* An id as in a line. */
struct enc_ref {
	struct slice text; /* digits; borrowed */
	uint64_t id; /* for a blank one its number */
	bool there, blank;
};

enum enc_scope { ENC_NO_SCOPE, ENC_RUN, ENC_REGION, ENC_SECTION, ENC_AGGREGATES };

/* The contents of a start, a stop or a section. */
struct enc_event {
	enum enc_scope scope;
	bool start, stop; /* neither: a section */
	struct enc_ref ref, interval;
	size_t run;
	uint64_t time; /* in its run's unit; 0 if it has none */
	struct slice time_text; /* empty if it has none */
	struct slice extra;
	struct slice own; /* as in struct enc_words */
	size_t others;
};

/* Open intervals without an id, each with its section. */
struct enc_open {
	struct enc_ref *ref, *section;
	size_t n, cap;
};

/* How a reader would resolve blank ids, see native.c. */
struct enc_native {
	/* Named in lines; run, start and state are set once they are defined, or started. */
	struct ids regions, sections, intervals;
	struct tab labels; /* of regions and sections, each with its tags; an entry's line is one */
	struct ids_entry *recent_region; /* or NULL */
	struct enc_ref section; /* the last SectionInfo's */
	size_t run; /* the last RunInfo's; TAB_NONE: none, or others may still precede it */
	enum enc_scope block; /* the scope of the last event */
	bool blank_block; /* its subject has no id in the file */
	struct enc_ref thing, interval; /* its subject */
	size_t block_run;
	bool group; /* it was a group of aggregates, and nothing has followed it */
	bool bare, aggregates; /* a region without an id with no data, or only aggregates */
	struct define_time start; /* of that */
	enum enc_scope last; /* the scope of the last data with a defined subject */
	size_t last_run;
	struct enc_ref last_thing, last_interval;
	struct slice last_label;
	struct enc_open regions_open, intervals_open; /* without ids */
};

/* The new ids of one kind; see encid.c. */
struct enc_ids {
	struct ids *seen; /* ids in the stream: detail is the number in taken, or IDS_NONE */
	struct ids taken; /* ids written; IDS_OPEN: they were in the container before */
	uint64_t next; /* where to look for a free one */
};

/* A run, and one of its measures (or TAB_NONE). */
struct enc_waiting {
	size_t run, measure;
};

struct afperf_encode {
	struct afperf_encode_options opt;
	bool maps; /* ids may be replaced */
	struct enc_ids region_ids, section_ids, interval_ids;
	uint64_t renumbered;
	struct enc_ref clash; /* with an id of the container; reported with its line */
	const char *clash_of;
	struct slice name[AFPERF_RECORDS]; /* of the record types */
	struct slice end; /* of a record */
	struct out *out; /* the file */
	struct out *to; /* destination of records: out, or the spool's */
	struct spool spool;
	bool begun; /* the header is written */
	bool spooling;
	bool pinning; /* no definition may come before the records in the spool */
	bool ending; /* all lines have been seen */
	struct define def;
	struct enc_waiting
	    *waiting; /* their lines have come, and their records may have to be written */
	size_t nwaiting, waiting_cap;
	struct buf scratch;

	struct enc_native native;

	struct tab labels; /* RUN TAB REGION, number of the section */
	struct enc_section *section;
	size_t sections, sections_cap;

	/* Records that belong together, to be closed by a stop. */
	enum enc_block block;
	struct buf block_key, key;
	struct define_time block_time; /* of the stop */
	size_t block_section;
	uint64_t block_interval;
	size_t block_records, block_bytes; /* of a group */

	struct tab kinds; /* left out */
	uint64_t *kind_count;
	size_t kinds_cap;
	uint64_t tags, tag_lines, values, untimed, early; /* left out or supplied, see encnote.c */
};

/* The tags that the encoder knows; "." if the line does not have them. */
struct enc_words {
	struct slice stat, start, mid, unit, type, scope, id, interval;
	struct slice extra; /* p is NULL if there is none: "." is one empty field */
	struct slice own; /* the tags of the label, a TAB before each */
	size_t others; /* number of tags that AFPerf has no place for */
	size_t tags; /* number of own tags and of tags covered by other fields */
};

/* The contents of a data line. */
struct enc_use {
	struct enc_words word;
	size_t run, measure;
	struct slice start, end; /* digits */
	struct slice value; /* stream text; empty for the empty text */
	bool number; /* the value is a number */
	struct enc_ref ref, interval; /* of a line that came from AFPerf */
};

/* words.c */
void enc_words_read(const struct ev *ev, struct enc_words *w);

/* Fields.  A record is its name, fields that each write their comma first, and the end. */

static inline void
enc_begin(struct afperf_encode *x, enum afperf_record record)
{
	out_put(x->to, x->name[record].p, x->name[record].len);
}

/* Digits and our own names, which need no quotes. */
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

/* Fixes the new id.  owner: the section of an interval, else 0. */
bool enc_id_settle(struct afperf_encode *x, struct enc_ids *t, uint32_t owner,
    const struct enc_ref *ref) __attribute__((warn_unused_result));
/* Writes it, as a field. */
void enc_id_put(struct afperf_encode *x, struct enc_ids *t, uint32_t owner,
    const struct enc_ref *ref);
/* The next unused number. */
bool enc_id_free(struct enc_ids *t, uint32_t owner, uint64_t *id)
    __attribute__((warn_unused_result));
/* The number of a section, as the owner of its intervals.  False without memory. */
bool enc_id_owner(struct afperf_encode *x, const struct enc_ref *section, uint32_t *owner)
    __attribute__((warn_unused_result));

void enc_u64(struct afperf_encode *x, uint64_t v);
void enc_text(struct afperf_encode *x, struct slice text);
void enc_tags(struct afperf_encode *x, const struct buf *tags);
void enc_run_id(struct afperf_encode *x, size_t run);

/* The pair of type id and value that ends a point or an aggregate. */
void enc_pair(struct afperf_encode *x, const struct enc_use *u);

/* Writes the records of a run and a measure, without extra fields and end.  False: no memory. */
bool enc_run_info(struct afperf_encode *x, size_t run) __attribute__((warn_unused_result));
bool enc_measurement_type(struct afperf_encode *x, size_t measure)
    __attribute__((warn_unused_result));

/* The same, complete, as the next record; ev is the measure's line, or NULL. */
bool enc_run_here(struct afperf_encode *x, size_t run) __attribute__((warn_unused_result));
bool enc_measure_here(struct afperf_encode *x, size_t measure, const struct ev *ev)
    __attribute__((warn_unused_result));

/* Writes all records of runs and measures not yet written that can no longer change. */
bool enc_definitions(struct afperf_encode *x) __attribute__((warn_unused_result));

/*
 * *defined: have the records that a line of that run and measure (or TAB_NONE) needs been written,
 * or will they be?  False without memory.
 */
bool enc_is_defined(struct afperf_encode *x, size_t run, size_t measure, bool *defined)
    __attribute__((warn_unused_result));

/* encspool.c: records that wait until all definitions are known. */

/* What is not known yet: the ids of a run and of a type; their records without the end. */
enum enc_token {
	ENC_TOKEN_RUN = 'r',
	ENC_TOKEN_MEASURE = 'm',
	ENC_TOKEN_RUN_INFO = 'R',
	ENC_TOKEN_TYPE = 'M',
};

void enc_put_token(struct afperf_encode *x, enum enc_token token, size_t index);

/* From here on records wait. */
int enc_spool_begin(struct afperf_encode *x, struct err *e);
/*
 * Writes the definitions that a line of that run and measure (or TAB_NONE) needs in this place.
 * All others are written before the records that wait.
 */
bool enc_spool_define(struct afperf_encode *x, size_t run, size_t measure)
    __attribute__((warn_unused_result));
/* At the end: writes definitions, and all records that have waited. */
int enc_spool_end(struct afperf_encode *x, struct err *e);

/* Does AFPerf have a field for this tag of an agg or a span line? */
bool enc_is_word(struct slice key);

/* The line's group or interval, as text to compare, in x->key. */
bool enc_block_key(struct afperf_encode *x, const struct ev *ev)
    __attribute__((warn_unused_result));

/* Does the line continue the open block?  Otherwise the block is closed. */
bool enc_block_goes_on(struct afperf_encode *x, enum enc_block block);
void enc_block_close(struct afperf_encode *x);
/*
 * Counts one more record of a group, or inside it.  A reader limits the records of a group: if
 * there is no more room, the group is closed.
 */
void enc_block_room(struct afperf_encode *x, size_t bytes);

/* The lines.  0 or an error, as afperf_encode_line. */
int enc_sample(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    struct err *e);
int enc_span(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e);
int enc_agg(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e);

/* encrule.c: checks lines that came from AFPerf against earlier ones. */

/*
 * The region or section, if it belongs to that run and has been defined; else NULL.  NULL without
 * memory, too: the table has then failed, which is checked after each line.
 */
struct ids_entry *enc_known(struct enc_native *n, enum enc_scope scope, size_t run,
    const struct enc_ref *ref);
/* Does the interval belong to that section? */
bool enc_known_interval(struct enc_native *n, const struct ids_entry *section,
    const struct enc_ref *interval);
/* Is the event allowed here?  *entry is what it starts, stops or defines. */
int enc_event_fits(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v,
    struct ids_entry **entry, struct err *e);
/* Records that the event has been written. */
void enc_event_done(const struct enc_event *v, struct ids_entry *entry);
/*
 * Would a reader assign a processed aggregate with that id to that region or section?  If so, no
 * run gets the id from now on.
 */
bool enc_owns_processed(struct afperf_encode *x, const struct enc_use *u, enum enc_scope scope);
/* Does the run's version allow fields that ours lacks, up to MOST?  0 or ERR_DATA. */
int enc_extra_fits(const struct ev *ev, struct slice extra, uint64_t minor, size_t most,
    struct err *e);
/* May a record of that type, which we do not know, be written? */
int enc_other_fits(struct afperf_encode *x, const struct ev *ev, struct slice record,
    struct err *e);

/* native.c: lines that came from records of AFPerf. */
enum enc_scope enc_scope_named(struct slice name);
/* May the line be written as the original record?  Only if its region or section was, too. */
bool enc_is_native(struct afperf_encode *x, const struct ev *ev, struct enc_use *u,
    enum enc_scope scope);
int enc_native_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum enc_scope scope, struct err *e);
int enc_native_event(struct afperf_encode *x, const struct ev *ev, struct err *e);
/* Would a reader resolve a blank run id to this run?  If not, its lines cannot be written. */
bool enc_run_is_told(const struct afperf_encode *x, size_t run);
int enc_no_place(const struct ev *ev, struct err *e);
int enc_other(struct afperf_encode *x, const struct ev *ev, struct err *e);
int enc_comment(struct afperf_encode *x, const struct ev *ev, struct err *e);
/* The fields of extra= or fields=, each with its comma; none if list.p is NULL. */
bool enc_fields(struct afperf_encode *x, struct slice list) __attribute__((warn_unused_result));
void enc_native_free(struct enc_native *n);
/* The next record does not belong to the one before it. */
void enc_native_apart(struct afperf_encode *x);

void enc_interval_stop(struct afperf_encode *x); /* of the open block */
void enc_section_stops(struct afperf_encode *x); /* of all sections with samples */

#endif
