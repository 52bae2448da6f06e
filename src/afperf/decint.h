/* SPDX-License-Identifier: ISC */
/*
 * decint.h - internals of the decoder, shared by its files: decode.c reads the file, decrec.c
 * recognizes records and resolves their ids, decgroup.c finds groups of aggregates, dechold.c
 * keeps records that wait, decdef.c, dectype.c, declabel.c, decevent.c (with decnest.c and
 * decspan.c) and decdata.c take the records, decput.c and decwall.c print, decsay.c reports
 * errors.
 */
#ifndef AFPIPE_AFPERF_DECINT_H
#define AFPIPE_AFPERF_DECINT_H

#include "lib/esc.h"
#include "lib/num.h"
#include "lib/tab.h"
#include "lib/wide.h"
#include "src/afperf/decode.h"
#include "src/afperf/ids.h"
#include "src/afperf/record.h"
#include "src/afperf/records.h"
#include "src/afperf/text.h"

/* The outcome of a record. */
enum dec {
	DEC_DONE,
	DEC_WAITS, /* it is kept until what it refers to has come */
	DEC_BROKEN, /* reported; it is left out */
	DEC_FAILED, /* ERR_SYS in d->failure */
};

/* The spelling of an id. */
enum dec_form { REF_NONE, REF_DEC, REF_HEX, REF_BLANK };

struct dec_ref {
	uint64_t id; /* BLANK: its number among the blank ids of its kind, from 1 */
	uint8_t form; /* enum dec_form */
};

/* The last id read of its kind: most are the same as the one before. */
struct dec_memo {
	char text[20];
	size_t len; /* 0: none */
	struct dec_ref ref;
};

/* The places of a record's fields; 0 if it has no such field.  Field 0 is the type. */
struct dec_layout {
	uint8_t type; /* enum afperf_record */
	uint8_t n; /* the last of the fixed fields */
	uint8_t time, start, run, owner, interval, aggregation;
	uint8_t pairs; /* the first type id */
	uint8_t label; /* tags follow it */
};

/* A record whose ids are resolved. */
struct dec_rec {
	struct record r;
	const struct dec_layout *at;
	uint64_t time, start;
	struct dec_ref run, owner, interval;
	bool timed;
	bool group; /* of aggregates: the region only represents their group */
	bool comment;
	uint32_t said; /* it has waited: fields before this one have had their doubts reported */
};

struct dec_held;

/* Seconds since 1970 and nanoseconds after them. */
struct dec_wall {
	int64_t sec;
	uint32_t nsec;
	bool known;
};

struct dec_run {
	struct slice name; /* as in the run column */
	uint64_t scale; /* nanoseconds of its unit */
	uint64_t start; /* in its unit */
	uint64_t minor; /* of its format version */
	struct dec_wall wall; /* at its start */
	struct dec_open *open; /* its open regions, in the order of their starts */
	size_t nopen, open_cap;
	struct dec_span *span; /* for --check: all regions that have stopped */
	size_t nspans, spans_cap;
	uint64_t waits_until; /* the latest stop that has waited; 0: none */
	bool unsorted; /* in open, some region comes before one that started earlier */
};

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

struct dec_type {
	struct slice name; /* as in the measure column */
	struct slice tail; /* mid=, type=, unit= */
	uint64_t line; /* of its definition */
	uint32_t before; /* the definition before it, or IDS_NONE */
	uint32_t jump, depth; /* a definition far before it; how many are before it */
	enum afperf_datatype datatype;
	char *text; /* owns the slices */
};

/* The kind of the last event record, for data records without ids. */
enum dec_block { BLOCK_NONE, BLOCK_RUN, BLOCK_REGION, BLOCK_SECTION };

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

struct dec_stack {
	struct dec_ref *ref, *section;
	size_t n, cap;
};

struct afperf_decode {
	struct afperf_decode_options opt;
	struct evwrite *w;
	struct err failure;
	struct records in;

	struct ids runs, types, regions, sections, intervals, groups;
	struct dec_run *run;
	size_t nruns, runs_cap;
	struct dec_type *type;
	size_t ntypes, types_cap;
	struct tab texts; /* LABEL and its tags, as in a line */
	struct tab spelled; /* both fields unchanged */
	uint32_t *spelled_label; /* by number */
	size_t spelled_cap;
	uint64_t doubts; /* reported so far */
	struct dec_memo run_memo, type_memo;
	struct ids_entry *first_run;
	struct ids_entry *recent_run, *recent_type, *recent_region; /* or NULL */
	bool later; /* a RunInfo has a minor version above 0 */

	/* Blank ids */
	enum dec_block block;
	bool block_broken; /* the event record was refused */
	struct dec_ref block_ref, block_interval, last_run, last_section;
	uint64_t count[AFPERF_RECORDS]; /* records without ids, by type */
	uint64_t run_infos; /* number of RunInfo records, broken ones included */
	struct dec_stack regions_open, intervals_open; /* those without ids, innermost last */

	/* A group of aggregates, as long as it may be one */
	struct dec_held **group;
	size_t ngroup, group_cap, group_aggregates, group_bytes;
	bool group_closed; /* its stop has come; later records may still belong to the region */
	uint64_t groups_seen;

	/* What waits */
	struct dec_held **held; /* by number */
	uint32_t *held_next;
	size_t nheld, held_cap;
	uint32_t held_free, wait_later, wait_run; /* heads of lists */
	uint64_t waiting, waiting_bytes;
	struct dec_held *again; /* the one being taken again, unless it waits again */
	struct dec_held **ready; /* a heap: the earliest line first */
	size_t nready, ready_cap;
	bool all_runs; /* no other run will come */
	bool ending; /* nothing more will come */

	struct dec_count seen[DEC_NOTES];
	struct buf scratch, plain, shown, number;
	struct dec_pair *pair;
	size_t pairs_cap;
};

/* A pair of a data record. */
struct dec_pair {
	uint32_t type;
	size_t from, len; /* its value in scratch, in the stream's spelling */
};

/* decsay.c */

/* Reports that field FIELD of the record (from 1; 0: no field) breaks a rule.  BROKEN. */
enum dec dec_broken(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a rule that leaves the record readable. */
void dec_doubt(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* And for a rule that --lenient relaxes. */
void dec_lenient(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
enum dec dec_nomem(struct afperf_decode *d);
/* Counts one more for a note at the end. */
void dec_count(struct afperf_decode *d, enum dec_note note, uint64_t line);
void dec_say_notes(struct afperf_decode *d);
/* A text of the file for a message, truncated and escaped; valid until the next call. */
const char *dec_shown(struct afperf_decode *d, struct slice s);
/* "5", "0xa" or "@3", in a buffer of DEC_REF_MAX. */
#define DEC_REF_MAX 24
const char *dec_ref_text(char *dst, struct dec_ref ref);

/* decnum.c */

/* Is it only the digits of an integer of 64 bits, decimal or hexadecimal? */
bool dec_digits(struct slice s, uint64_t *v);
/* An unsigned integer of 64 bits in that field; *v and *form are set with DONE. */
enum dec dec_unsigned(struct afperf_decode *d, const struct dec_rec *r, size_t field, uint64_t *v,
    uint8_t *form);
/* The same for an id that is likely the same as in the record before. */
enum dec dec_id(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    struct dec_memo *memo, struct dec_ref *ref);
/* A signed integer between the bounds in that field. */
enum dec dec_signed(struct afperf_decode *d, const struct dec_rec *r, size_t field, int64_t min,
    int64_t max, const char *type, int64_t *v);
/* A double, appended to d->scratch in the stream's spelling. */
enum dec dec_double(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *what);

/* decrec.c */

/* Takes a record as it was read, or keeps it. */
enum dec dec_record(struct afperf_decode *d, const struct record *r);
/* Takes a record whose ids are known, for the first time or again. */
enum dec dec_take(struct afperf_decode *d, struct dec_rec *r);
/* At the end of the file: settles the records that wait. */
enum dec dec_finish(struct afperf_decode *d);

/* decgroup.c */

/* Takes a record whose ids are known, or keeps it as long as it may belong to a group. */
enum dec dec_submit(struct afperf_decode *d, struct dec_rec *r);
/* Decides whether the records kept are a group, given the record after them, or NULL. */
enum dec dec_decide_group(struct afperf_decode *d, const struct dec_rec *next);
/* They are not a group. */
enum dec dec_end_group(struct afperf_decode *d);
/* Takes it, and then the records that have waited for it. */
enum dec dec_take_now(struct afperf_decode *d, struct dec_rec *r);
/* A header, which is never inside a group. */
enum dec dec_header(struct afperf_decode *d);
/* A comment, printed in its place. */
enum dec dec_comment(struct afperf_decode *d, const struct record *r);

static inline bool
dec_same_ref(struct dec_ref a, struct dec_ref b)
{
	return a.id == b.id && (a.form == REF_BLANK) == (b.form == REF_BLANK);
}

/* The id as its definition spells it. */
static inline struct dec_ref
dec_ref_of(const struct ids_entry *e)
{
	return (struct dec_ref){ e->id, e->blank ? REF_BLANK : e->hex ? REF_HEX : REF_DEC };
}

static inline bool
dec_is_processed(const struct dec_rec *r)
{
	return r->at->aggregation != 0 && record_field(&r->r, r->at->aggregation).len != 0;
}

/* dechold.c */

struct dec_held {
	struct dec_rec rec; /* its text and ends are stored after it */
	size_t size;
};

/* A copy that the caller owns.  NULL without memory. */
struct dec_held *dec_copy(const struct dec_rec *r);
/*
 * Keeps the record in the list until it is released.  WAITS; at the end of the file, or if too
 * many wait, BROKEN with "WHAT never defined".
 */
enum dec dec_wait(struct afperf_decode *d, const struct dec_rec *r, size_t field, uint32_t *list,
    const char *what);
/* Releases the list: its records are taken in the order of their lines, before the next one. */
enum dec dec_release(struct afperf_decode *d, uint32_t *list);
/* Takes the records that have been released. */
enum dec dec_run_ready(struct afperf_decode *d);
enum dec dec_release_all(struct afperf_decode *d);
void dec_hold_free(struct afperf_decode *d);

/* Entries of the tables.  WAITS, BROKEN or FAILED if there is none (yet). */
enum dec dec_find_run(struct afperf_decode *d, const struct dec_rec *r, struct dec_ref ref,
    struct ids_entry **e);
enum dec dec_find(struct afperf_decode *d, const struct dec_rec *r, struct ids *table,
    uint32_t owner, struct dec_ref ref, struct ids_entry **e);

/* Marks the entry as defined by the record. */
void dec_set_defined(struct ids_entry *e, const struct dec_rec *r, struct dec_ref ref,
    enum ids_state state);

/* decdef.c, dectype.c */
enum dec dec_run_info(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_measurement_type(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_section_info(struct afperf_decode *d, const struct dec_rec *r);
/* The definition in force for a line; NULL if there is none. */
const struct dec_type *dec_type_at(const struct afperf_decode *d, const struct ids_entry *e,
    uint64_t line);

/* declabel.c */

#define DEC_TEXT_MAX ((size_t)64 * 1024) /* bytes of a text that is kept or repeated */

/* BROKEN if the text of a field is longer than that. */
enum dec dec_text_fits(struct afperf_decode *d, const struct dec_rec *r, size_t field);
/* The number of the record's label with its tags, in d->texts. */
enum dec dec_label(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number);

/* decevent.c */
enum dec dec_region_start(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_region_stop(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_section_start(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_section_stop(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_pause(struct afperf_decode *d, const struct dec_rec *r);

/* decnest.c: do the regions of a run nest? */
enum dec dec_nest_start(struct afperf_decode *d, struct dec_run *run, const struct ids_entry *e);
/* Stops it.  WAITS if a region inside it is open.  Releases the records that waited for it. */
enum dec dec_nest_stop(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    struct ids_entry *e);
/* Reports that one region, whose stop is the record, ends inside the other.  BROKEN. */
enum dec dec_nest_crosses(struct afperf_decode *d, const struct dec_rec *r,
    const struct ids_entry *outer, const struct ids_entry *inner);

/* decspan.c: the same for all regions of a run, at its end. */
enum dec dec_span_add(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    const struct ids_entry *e);
void dec_span_judge(struct afperf_decode *d, struct dec_run *run);

/* decdata.c */
enum dec dec_data(struct afperf_decode *d, struct dec_rec *r);

/* decwall.c */

/* Reads seconds in the stream's spelling.  False if not a number or not in years 0 to 9999. */
bool dec_wall_read(struct slice s, struct dec_wall *w);
/* Writes "\tutc=" and the time of day at that time of the run to dst, of DEC_WALL_MAX bytes. */
#define DEC_WALL_MAX 40
size_t dec_wall_put(char *dst, const struct dec_run *run, uint64_t time);

/* decput.c */

/*
 * The text of a field, with afenc's spelling of bytes that AFPerf cannot hold undone.
 * Valid until the next call.
 */
struct slice dec_text(struct afperf_decode *d, struct slice field, enum afperf_as as);
/* Appends "\ttag.NAME=VALUE" for each tag of the field. */
enum dec dec_tags(struct afperf_decode *d, const struct dec_rec *r, size_t field, struct buf *to);

/* Extra fields beyond those of its type: BROKEN unless its run has a later version. */
enum dec dec_extra(struct afperf_decode *d, const struct dec_rec *r, size_t known,
    const struct dec_run *run);

/* Columns 1 to 3. */
void dec_put_head(struct afperf_decode *d, struct slice kind, const struct dec_rec *r,
    const struct dec_run *run);
/* The region column; label is IDS_NONE if there is none. */
void dec_put_label(struct afperf_decode *d, uint32_t label);
/* scope=, id= and interval=, unless these are NULL. */
void dec_put_scope(struct afperf_decode *d, struct slice scope, const struct ids_entry *e,
    const struct ids_entry *interval);
/* Tags, each with a TAB before it; those that do not fit in the line are left out. */
void dec_put_tags(struct evwrite *w, struct slice tags);
/* utc= if requested, the label's tags, extra= if there are extra fields, and the line's end. */
void dec_put_end(struct afperf_decode *d, const struct dec_rec *r, const struct dec_run *run,
    uint32_t label, size_t known);
void dec_put_other(struct afperf_decode *d, const struct record *r);
void dec_put_comment(struct afperf_decode *d, struct slice text);

/* Room for this many bytes. */
size_t dec_put_id(char *dst, const struct ids_entry *e);
size_t dec_put_time(char *dst, uint64_t time, uint64_t scale);

#endif
