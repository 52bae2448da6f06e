/* SPDX-License-Identifier: ISC */
/*
 * decint.h - internals of the decoder, shared by its files.
 *
 * file.c reads the file: it recognizes records, resolves their blank ids, and hands each to
 * define.c, event.c or data.c.  hold.c keeps the records that wait for another one.  field.c reads
 * numbers and reports errors.  put.c writes the parts that most lines share.
 *
 * The fields, times and blank ids of a record are checked where it is read.  The record is
 * processed when everything it refers to has arrived, which may be later, and may be tried more
 * than once.  So the steps that may have to wait come first, then doubts are reported, and nothing
 * is printed before the whole record is known to be good.
 */
#ifndef AFPIPE_AFPERF_READ_DECINT_H
#define AFPIPE_AFPERF_READ_DECINT_H

#include "lib/esc.h"
#include "lib/num.h"
#include "lib/tab.h"
#include "lib/wide.h"
#include "src/afperf/afperf.h"
#include "src/afperf/ids.h"
#include "src/afperf/read/decode.h"
#include "src/afperf/records.h"
#include "src/afperf/text.h"
#include "src/afperf/wall.h"

/* The outcome of a record. */
enum dec_result {
	DEC_DONE,
	DEC_WAITS, /* kept until the record it refers to has come */
	DEC_BROKEN, /* reported and left out */
	DEC_FAILED, /* ERR_SYS in d->failure */
};

/* A record whose ids are resolved. */
struct dec_rec {
	struct record r;
	const struct afperf_layout *layout; /* NULL for a comment or an unknown type */
	uint64_t time, start;
	struct ids_ref run, owner, interval;
	bool timed;
	bool spelled; /* a time may be spelled in another way than in the stream */
	bool group; /* the region only represents a group of aggregates */
	bool comment;
	bool settled; /* it has waited for a type: run and label of its region are those below */
	uint32_t settled_run, settled_label;
	/* if it has waited: doubts about fields before this one have been reported */
	uint32_t judged;
};

/* Returns the position of the field in the record, from 1, or 0 if the record does not have it. */
static inline size_t
dec_at(const struct dec_rec *r, enum afperf_field field)
{
	return r->layout->at[field];
}

static inline struct slice
dec_field(const struct dec_rec *r, enum afperf_field field)
{
	return record_field(&r->r, dec_at(r, field));
}

static inline bool
dec_is_processed(const struct dec_rec *r)
{
	return dec_at(r, FIELD_AGGREGATION) != 0 && dec_field(r, FIELD_AGGREGATION).len != 0;
}

/* A region that has stopped. */
struct dec_span {
	const struct ids_entry *region;
	uint64_t start, stop, line; /* line is that of its stop */
};

/* A region that is open. */
struct dec_open {
	const struct ids_entry *region,
	    *inner; /* inner is the last of the regions inside it to stop */
	uint64_t start, inner_start, inner_stop;
	uint64_t stop, stop_line; /* of its stop, if that waits; otherwise stop_line is 0 */
	uint64_t waiting_stop; /* the time of the earliest waiting stop */
	uint32_t waiting; /* stops that can only be judged after this region's stop */
};

struct dec_run {
	struct slice name; /* as in the run column */
	struct wall_clock clock; /* its time unit and start */
	uint64_t minor; /* of its format version */
	struct dec_open *open; /* its open regions, in the order of their starts */
	size_t nopen, open_cap;
	struct dec_span *span; /* all regions that have stopped; for --check */
	size_t nspans, spans_cap;
	uint64_t waits_until; /* time of the latest stop that has waited; 0 if none */
	uint64_t latest; /* time of the latest start or stop of a region that has been written */
	bool unsorted; /* some region in open comes before a region that started earlier */
	bool pool; /* it stands for several runs, which have no line */
};

struct dec_type {
	struct slice name; /* as in the measure column */
	struct slice tail; /* the tags mid, unit and type */
	size_t mid; /* length of the first of them */
	uint64_t line; /* of its definition */
	uint32_t before; /* the definition before it, or IDS_NONE */
	/* an index far back in the chain; how many definitions precede this one */
	uint32_t jump, depth;
	enum afperf_datatype datatype;
	char *text; /* the memory of the slices */
};

/* What records can define, other than types. */
/* DEC_TYPE + N are the types of run N. */
enum dec_subject { DEC_RUN, DEC_REGION, DEC_GROUP, DEC_SECTION, DEC_INTERVAL, DEC_TYPE };

/* The meaning of ids. */
struct dec_defined {
	struct ids runs, types, regions, sections, intervals, groups;
	struct dec_run *run;
	size_t nruns, runs_cap;
	struct dec_type *type;
	size_t ntypes, types_cap;
	struct ids_entry *first_run;
	bool later; /* some RunInfo has a minor version above 0 */
	/*
	 * Runs and types that a refused record would have defined, and what records of these runs
	 * would have: the owner is an enum dec_subject.
	 */
	struct ids refused;
	bool any_refused,
	    nameless; /* there is one; there is a run without an id that can be read */
};

/* The last id read of its kind.  Most ids are the same as the one before. */
struct dec_memo {
	char text[20];
	size_t len; /* 0 if there is none */
	struct ids_ref ref;
};

/* The most recent id and entry of each kind.  Entries may be NULL. */
struct dec_recent {
	struct dec_memo run_id, owner_id, interval_id, type_id;
	struct ids_entry *run, *type, *region;
	uint32_t label; /* 1 + the last label printed, or 0 */
	size_t label_len; /* of it, without its tags */
};

/* Labels, each with its tags. */
struct dec_labels {
	struct tab texts; /* as in the stream */
	struct tab spelled; /* both fields unchanged */
	uint32_t *spelled_label; /* by the number in spelled */
	size_t spelled_cap;
	bool timeless; /* the label that was made last is that of results without a time */
};

/* The current meaning of blank ids. */
struct dec_blank {
	/* the scope of the last event record, for data records without ids */
	enum afperf_scope block;
	bool block_broken; /* that event record was rejected */
	bool left_out; /* some record has been rejected */
	struct ids_ref block_ref, block_interval, last_run, last_section;
	uint64_t count[AFPERF_RECORDS]; /* records without ids, by type */
	uint64_t run_infos; /* number of RunInfo records, broken ones included */
	struct ids_stack regions_open, intervals_open; /* open regions and intervals without ids */
};

/* A copy of a record; its text and ends are stored after it. */
struct dec_held {
	struct dec_rec rec;
	size_t size;
};

/* A group of aggregates, while the region may still be one. */
struct dec_group {
	struct dec_held **item;
	size_t n, cap, aggregates, bytes;
	bool closed; /* its stop has come, but later records may still belong to the region */
	uint64_t seen; /* groups so far */
};

/* A record that waits, or an unused slot. */
struct dec_slot {
	struct dec_held *held; /* or NULL */
	uint32_t next; /* in its list, or IDS_NONE */
};

/* The waiting records, in lists.  The head of each list is stored with the item it waits for. */
struct dec_hold {
	struct dec_slot *slot;
	size_t n, cap;
	uint32_t unused, wait_later, wait_run; /* list heads */
	uint64_t records, bytes;
	struct dec_held **ready; /* a heap of released records, the earliest line first */
	size_t nready, ready_cap;
	struct dec_held *again; /* the record being processed again, until it waits again */
	bool all_runs; /* no other runs will come */
	bool ending; /* nothing more will come */
};

/* Counted oddities that do not change the status. */
enum dec_note {
	NOTE_EARLY,
	NOTE_OPEN_REGION,
	NOTE_OPEN_INTERVAL,
	NOTE_LATE_STOP,
	NOTE_UNIT,
	NOTE_NO_WALL,
	NOTE_DEEP,
	NOTE_UNKNOWN,
	NOTE_EXTRA,
	NOTE_NO_RUN,
	NOTE_CROSSING,
	DEC_NOTES
};

struct dec_count {
	uint64_t n, line; /* line is the first one in the file */
};

/* A pair of a data record. */
struct dec_pair {
	uint32_t type;
	size_t from, len; /* its value in scratch, in the stream's spelling */
};

/* Memory that is reused for each record. */
struct dec_room {
	struct buf scratch; /* the converted fields of a record */
	struct buf plain, shown, number; /* used by dec_text, dec_shown, dec_double */
	struct dec_pair *pair;
	size_t pairs_cap;
};

struct dec {
	struct afperf_decode_options opt;
	struct evwrite *w;
	struct err failure;
	struct records in;
	struct dec_defined def;
	struct dec_labels labels;
	struct dec_recent recent;
	struct dec_blank blank;
	struct dec_group group;
	struct dec_hold hold;
	struct dec_count seen[DEC_NOTES];
	uint64_t doubts; /* reported so far */
	struct dec_room room;
};

/* field.c */

/*
 * Reports that field FIELD of the record (from 1, or 0 for the record as a whole) breaks a rule.
 * Returns BROKEN.
 */
enum dec_result dec_broken(struct dec *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Does the same for a rule that leaves the record readable. */
void dec_doubt(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Does the same for a rule that --lenient relaxes. */
void dec_lenient(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
enum dec_result dec_nomem(struct dec *d);
/* Counts one more case for a note at the end. */
void dec_count(struct dec *d, enum dec_note note, uint64_t line);
/* Returns a text of the file truncated and escaped for a message.  Valid until the next call. */
const char *dec_shown(struct dec *d, struct slice s);
/* Writes "5", "0xa" or "@3" to dst, which has room for DEC_REF_MAX bytes. */
#define DEC_REF_MAX 24
const char *dec_ref_text(char *dst, struct ids_ref ref);

/* Reads an unsigned integer of 64 bits from the field.  Sets *v and *hex if the result is DONE. */
enum dec_result dec_unsigned(struct dec *d, const struct dec_rec *r, size_t field, uint64_t *v,
    bool *hex);
/* Reads an id. */
enum dec_result dec_id(struct dec *d, const struct dec_rec *r, size_t field, struct ids_ref *ref);
/* Reads an id that is probably the same as in the record before. */
enum dec_result dec_usual_id(struct dec *d, const struct dec_rec *r, size_t field,
    struct dec_memo *memo, struct ids_ref *ref);
/* Reads a signed integer within the bounds from the field. */
enum dec_result dec_signed(struct dec *d, const struct dec_rec *r, size_t field, int64_t min,
    int64_t max, const char *type, int64_t *v);
/* Reads a double and appends it to scratch in the stream's spelling. */
enum dec_result dec_double(struct dec *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *what);

#define DEC_TEXT_MAX ((size_t)64 * 1024) /* bytes of a text that is kept or repeated */
/* Returns BROKEN if the text of the field is longer than DEC_TEXT_MAX. */
enum dec_result dec_text_fits(struct dec *d, const struct dec_rec *r, size_t field);
/*
 * Checks for fields beyond those of the record type.  Returns BROKEN if there are any, unless the
 * run has a later version.
 */
enum dec_result dec_extra(struct dec *d, const struct dec_rec *r, size_t known,
    const struct dec_run *run);
/* Counts a record with such fields for the note at the end, once it will not be tried again. */
void dec_note_extra(struct dec *d, const struct dec_rec *r, size_t known,
    const struct dec_run *run);

/* hold.c */

/* Returns a copy that the caller owns, or NULL when memory runs out. */
struct dec_held *dec_copy(const struct dec_rec *r);
/*
 * Keeps the record in the list until it is released, and returns WAITS.  At the end of the file, or
 * if too many records wait, returns BROKEN with "WHAT never defined".
 */
enum dec_result dec_wait(struct dec *d, const struct dec_rec *r, size_t field, uint32_t *list,
    const char *what);
/*
 * Releases the list.  Its records are processed in the order of their lines, before the next record
 * is read.
 */
enum dec_result dec_release(struct dec *d, uint32_t *list);
enum dec_result dec_release_all(struct dec *d);
/* Returns the next released record, valid until the next call, or NULL if there is none. */
struct dec_rec *dec_next_ready(struct dec *d);
void dec_hold_free(struct dec *d);

/*
 * Keeps in mind that the record that defines this was refused, so that records that refer to it are
 * only counted at the end.  Returns false when memory runs out.
 */
bool dec_refuse(struct dec *d, uint32_t subject, struct ids_ref ref)
    __attribute__((warn_unused_result));
/* At the end: returns true if a refused record would have defined it. */
bool dec_is_refused(struct dec *d, uint32_t subject, struct ids_ref ref);

/* Find entries of the tables.  Return WAITS, BROKEN or FAILED if there is no entry (yet). */
enum dec_result dec_find_run(struct dec *d, const struct dec_rec *r, struct ids_ref ref,
    struct ids_entry **e);
enum dec_result dec_find(struct dec *d, const struct dec_rec *r, struct ids *table, uint32_t owner,
    struct ids_ref ref, struct ids_entry **e);
/* Marks the entry as defined by the record. */
void dec_set_defined(struct ids_entry *e, const struct dec_rec *r, struct ids_ref ref,
    enum ids_state state);

/* Process records by their roles. */

enum dec_result dec_define(struct dec *d, const struct dec_rec *r);
enum dec_result dec_event(struct dec *d, const struct dec_rec *r);
enum dec_result dec_data(struct dec *d, struct dec_rec *r);

/* define.c */

/* Sets *number to the number, in d->labels, of the record's label with its tags. */
enum dec_result dec_label(struct dec *d, const struct dec_rec *r, uint32_t *number);
/* Returns the definition in force at a line, or NULL if there is none. */
const struct dec_type *dec_type_at(const struct dec *d, const struct ids_entry *e, uint64_t line);

/* event.c.  With --check, checks at the end of the file whether the regions of the run nest. */
void dec_judge_spans(struct dec *d, struct dec_run *run);

/* put.c */

/*
 * Returns the text of a field, with afenc's spelling of bytes that AFPerf cannot hold undone.
 * Valid until the next call.
 */
struct slice dec_text(struct dec *d, struct slice field, enum text_as as);

/* Writes columns 1 to 3. */
void dec_put_head(struct dec *d, struct slice kind, const struct dec_rec *r,
    const struct dec_run *run);
/*
 * Returns the text of a label, "." if it is IDS_NONE.  *tags is set to its tags, each after a TAB.
 */
struct slice dec_label_text(struct dec *d, uint32_t label, struct slice *tags);
/* Writes the region column.  The label is IDS_NONE if there is none. */
void dec_put_label(struct dec *d, uint32_t label);
/* Writes scope= and id=. */
void dec_put_scope(struct dec *d, struct slice scope, const struct ids_entry *e);
/*
 * Writes utc= if requested, the label's tags, extra= if there are extra fields, which are counted,
 * and the end of the line.
 */
void dec_put_end(struct dec *d, const struct dec_rec *r, const struct dec_run *run, uint32_t label,
    size_t known);
void dec_put_other(struct dec *d, const struct record *r);
void dec_put_comment(struct dec *d, struct slice text);

/* Write to dst and return the number of bytes written. */
size_t dec_put_id(char *dst, const struct ids_entry *e);
/* field is FIELD_TIME or FIELD_START, and time its value. */
size_t dec_put_time(char *dst, const struct dec_rec *r, enum afperf_field field, uint64_t time,
    const struct dec_run *run);

#endif
