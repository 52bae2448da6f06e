/* SPDX-License-Identifier: ISC */
/*
 * decint.h - internals of the decoder, shared by its files.
 *
 * file.c reads the file: it recognizes records, resolves their blank ids, and hands each to
 * define.c, event.c or data.c.  hold.c keeps the records that wait for another one.  field.c reads
 * numbers and reports errors, put.c writes what most lines have in common.
 *
 * A record is judged where it is read: its fields, times, blank ids.  It is taken when everything
 * it refers to has arrived, which may be later, and more than once.  So what may have to wait comes
 * first, then doubts are reported, and nothing is printed before the whole record is known to be
 * good.
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
	DEC_WAITS, /* it is kept until what it refers to has come */
	DEC_BROKEN, /* reported; it is left out */
	DEC_FAILED, /* ERR_SYS in d->failure */
};

/* A record whose ids are resolved. */
struct dec_rec {
	struct record r;
	const struct afperf_layout *layout; /* NULL: a comment, or a type that is not known */
	uint64_t time, start;
	struct ids_ref run, owner, interval;
	bool timed;
	bool group; /* of aggregates: the region only represents their group */
	bool comment;
	uint32_t judged; /* it has waited: fields before this one have had their doubts reported */
};

/* Where the record has that field, from 1; 0 if it has none. */
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
	uint64_t start, stop, line; /* line: of its stop */
};

/* A region that is open. */
struct dec_open {
	const struct ids_entry *region,
	    *inner; /* inner: which of those inside it was the last to stop */
	uint64_t start, inner_start, inner_stop;
	uint64_t stop, stop_line; /* of its stop, if that waits; line 0: it does not */
	uint64_t waiting_stop; /* the earliest stop that waits */
	uint32_t waiting; /* stops that can only be judged after this region's stop */
};

struct dec_run {
	struct slice name; /* as in the run column */
	struct wall_clock clock; /* its unit and start */
	uint64_t minor; /* of its format version */
	struct dec_open *open; /* its open regions, in the order of their starts */
	size_t nopen, open_cap;
	struct dec_span *span; /* for --check: all regions that have stopped */
	size_t nspans, spans_cap;
	uint64_t waits_until; /* the latest stop that has waited; 0: none */
	bool unsorted; /* in open, some region comes before one that started earlier */
};

struct dec_type {
	struct slice name; /* as in the measure column */
	struct slice tail; /* mid=, type=, unit= */
	uint64_t line; /* of its definition */
	uint32_t before; /* the definition before it, or IDS_NONE */
	uint32_t jump, depth; /* a definition far before it; how many are before it */
	enum afperf_datatype datatype;
	char *text; /* owns the slices */
};

/* What ids stand for. */
struct dec_defined {
	struct ids runs, types, regions, sections, intervals, groups;
	struct dec_run *run;
	size_t nruns, runs_cap;
	struct dec_type *type;
	size_t ntypes, types_cap;
	struct ids_entry *first_run;
	bool later; /* a RunInfo has a minor version above 0 */
};

/* The last id read of its kind: most are the same as the one before. */
struct dec_memo {
	char text[20];
	size_t len; /* 0: none */
	struct ids_ref ref;
};

/* The last of each kind, or NULL. */
struct dec_recent {
	struct dec_memo run_id, type_id;
	struct ids_entry *run, *type, *region;
};

/* Labels, each with its tags. */
struct dec_labels {
	struct tab texts; /* as in a line */
	struct tab spelled; /* both fields unchanged */
	uint32_t *spelled_label; /* by number */
	size_t spelled_cap;
};

/* What a blank id means here. */
struct dec_blank {
	enum afperf_scope block; /* of the last event record, for data records without ids */
	bool block_broken; /* the event record was refused */
	struct ids_ref block_ref, block_interval, last_run, last_section;
	uint64_t count[AFPERF_RECORDS]; /* records without ids, by type */
	uint64_t run_infos; /* number of RunInfo records, broken ones included */
	struct ids_stack regions_open, intervals_open; /* those without ids */
};

/* A copy of a record; its text and ends are stored after it. */
struct dec_held {
	struct dec_rec rec;
	size_t size;
};

/* A group of aggregates, as long as it may be one. */
struct dec_group {
	struct dec_held **item;
	size_t n, cap, aggregates, bytes;
	bool closed; /* its stop has come; later records may still belong to the region */
	uint64_t seen; /* number of groups so far */
};

/* A record that waits, or an unused slot. */
struct dec_slot {
	struct dec_held *held; /* or NULL */
	uint32_t next; /* in its list, or IDS_NONE */
};

/* What waits, in lists; their heads are with what they wait for. */
struct dec_hold {
	struct dec_slot *slot;
	size_t n, cap;
	uint32_t unused, wait_later, wait_run; /* heads of lists */
	uint64_t records, bytes;
	struct dec_held **ready; /* a heap of those released: the earliest line first */
	size_t nready, ready_cap;
	struct dec_held *again; /* the one being taken again, unless it waits again */
	bool all_runs; /* no other run will come */
	bool ending; /* nothing more will come */
};

/* Counted oddities that do not change the status. */
enum dec_note {
	NOTE_EARLY,
	NOTE_OPEN_REGION,
	NOTE_OPEN_INTERVAL,
	NOTE_UNIT,
	NOTE_NO_WALL,
	NOTE_DEEP,
	NOTE_UNKNOWN,
	NOTE_EXTRA,
	DEC_NOTES
};

struct dec_count {
	uint64_t n, line; /* line: of the first */
};

/* A pair of a data record. */
struct dec_pair {
	uint32_t type;
	size_t from, len; /* its value in scratch, in the stream's spelling */
};

/* Memory used again for each record. */
struct dec_room {
	struct buf scratch; /* what a record's fields become */
	struct buf plain, shown, number; /* of dec_text, dec_shown, dec_double */
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

/* Reports that field FIELD of the record (from 1; 0: no field) breaks a rule.  BROKEN. */
enum dec_result dec_broken(struct dec *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a rule that leaves the record readable. */
void dec_doubt(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* And for a rule that --lenient relaxes. */
void dec_lenient(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
enum dec_result dec_nomem(struct dec *d);
/* Counts one more for a note at the end. */
void dec_count(struct dec *d, enum dec_note note, uint64_t line);
/* A text of the file for a message, truncated and escaped; valid until the next call. */
const char *dec_shown(struct dec *d, struct slice s);
/* "5", "0xa" or "@3", in a buffer of DEC_REF_MAX. */
#define DEC_REF_MAX 24
const char *dec_ref_text(char *dst, struct ids_ref ref);

/* An unsigned integer of 64 bits in that field; *v and *hex are set with DONE. */
enum dec_result dec_unsigned(struct dec *d, const struct dec_rec *r, size_t field, uint64_t *v,
    bool *hex);
/* An id. */
enum dec_result dec_id(struct dec *d, const struct dec_rec *r, size_t field, struct ids_ref *ref);
/* An id that is likely the same as in the record before. */
enum dec_result dec_usual_id(struct dec *d, const struct dec_rec *r, size_t field,
    struct dec_memo *memo, struct ids_ref *ref);
/* A signed integer between the bounds in that field. */
enum dec_result dec_signed(struct dec *d, const struct dec_rec *r, size_t field, int64_t min,
    int64_t max, const char *type, int64_t *v);
/* A double, appended to scratch in the stream's spelling. */
enum dec_result dec_double(struct dec *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *what);

#define DEC_TEXT_MAX ((size_t)64 * 1024) /* bytes of a text that is kept or repeated */
/* BROKEN if the text of a field is longer than that. */
enum dec_result dec_text_fits(struct dec *d, const struct dec_rec *r, size_t field);
/* Extra fields beyond those of its type: BROKEN unless its run has a later version. */
enum dec_result dec_extra(struct dec *d, const struct dec_rec *r, size_t known,
    const struct dec_run *run);

/* hold.c */

/* A copy that the caller owns.  NULL without memory. */
struct dec_held *dec_copy(const struct dec_rec *r);
/*
 * Keeps the record in the list until it is released.  WAITS; at the end of the file, or if too
 * many wait, BROKEN with "WHAT never defined".
 */
enum dec_result dec_wait(struct dec *d, const struct dec_rec *r, size_t field, uint32_t *list,
    const char *what);
/* Releases the list: its records are taken in the order of their lines, before the next one. */
enum dec_result dec_release(struct dec *d, uint32_t *list);
enum dec_result dec_release_all(struct dec *d);
/* The next record that has been released, until the next call; NULL if there is none. */
struct dec_rec *dec_next_ready(struct dec *d);
void dec_hold_free(struct dec *d);

/* Entries of the tables.  WAITS, BROKEN or FAILED if there is none (yet). */
enum dec_result dec_find_run(struct dec *d, const struct dec_rec *r, struct ids_ref ref,
    struct ids_entry **e);
enum dec_result dec_find(struct dec *d, const struct dec_rec *r, struct ids *table, uint32_t owner,
    struct ids_ref ref, struct ids_entry **e);
/* Marks the entry as defined by the record. */
void dec_set_defined(struct ids_entry *e, const struct dec_rec *r, struct ids_ref ref,
    enum ids_state state);

/* The records, by their roles. */

enum dec_result dec_define(struct dec *d, const struct dec_rec *r);
enum dec_result dec_event(struct dec *d, const struct dec_rec *r);
enum dec_result dec_data(struct dec *d, struct dec_rec *r);

/* define.c */

/* The number of the record's label with its tags, in d->labels. */
enum dec_result dec_label(struct dec *d, const struct dec_rec *r, uint32_t *number);
/* The definition in force for a line; NULL if there is none. */
const struct dec_type *dec_type_at(const struct dec *d, const struct ids_entry *e, uint64_t line);

/* event.c: with --check, at the end of the file: do the regions of the run nest? */
void dec_judge_spans(struct dec *d, struct dec_run *run);

/* put.c */

/*
 * The text of a field, with afenc's spelling of bytes that AFPerf cannot hold undone.
 * Valid until the next call.
 */
struct slice dec_text(struct dec *d, struct slice field, enum text_as as);

/* Columns 1 to 3. */
void dec_put_head(struct dec *d, struct slice kind, const struct dec_rec *r,
    const struct dec_run *run);
/* The region column; label is IDS_NONE if there is none. */
void dec_put_label(struct dec *d, uint32_t label);
/* scope=, id= and interval=, unless these are NULL. */
void dec_put_scope(struct dec *d, struct slice scope, const struct ids_entry *e,
    const struct ids_entry *interval);
/* utc= if requested, the label's tags, extra= if there are extra fields, and the line's end. */
void dec_put_end(struct dec *d, const struct dec_rec *r, const struct dec_run *run, uint32_t label,
    size_t known);
void dec_put_other(struct dec *d, const struct record *r);
void dec_put_comment(struct dec *d, struct slice text);

/* Room for this many bytes. */
size_t dec_put_id(char *dst, const struct ids_entry *e);
size_t dec_put_time(char *dst, uint64_t time, uint64_t scale);

#endif
