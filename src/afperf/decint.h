/* SPDX-License-Identifier: ISC */
/*
 * decint.h - the inside of the decoder, shared by its files: decode.c reads the file, decrec.c
 * makes out which record stands there and what its ids mean, decgroup.c which of them are groups of
 * aggregates, dechold.c keeps what waits, decdef.c, dectype.c, declabel.c, decevent.c (with
 * decnest.c and decspan.c) and decdata.c take the records, decput.c and decwall.c print, decsay.c
 * says what is wrong.
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

/* What became of a record. */
enum dec {
	DEC_DONE,
	DEC_WAITS, /* it is kept until what it refers to has come */
	DEC_BROKEN, /* said; it is left out */
	DEC_FAILED, /* ERR_SYS in d->failure */
};

/* How an id is spelled. */
enum dec_form { REF_NONE, REF_DEC, REF_HEX, REF_BLANK };

struct dec_ref {
	uint64_t id; /* BLANK: its number among the blank ones of its kind, from 1 */
	uint8_t form; /* enum dec_form */
};

/* The last id of its kind that was read: most are the same again. */
struct dec_memo {
	char text[20];
	size_t len; /* 0: none */
	struct dec_ref ref;
};

/* Where the fields of a record stand; 0 where it has none such.  Field 0 is the type. */
struct dec_layout {
	uint8_t type; /* enum afperf_record */
	uint8_t n; /* the last of the fixed fields */
	uint8_t time, start, run, owner, interval, aggregation;
	uint8_t pairs; /* the first type id */
	uint8_t label; /* tags follow it */
};

/* A record whose ids mean something. */
struct dec_rec {
	struct record r;
	const struct dec_layout *at;
	uint64_t time, start;
	struct dec_ref run, owner, interval;
	bool timed;
	bool group; /* of aggregates: a region that stands for their group only */
	bool comment;
	uint32_t said; /* it has waited: of the fields before that it has been said what is odd */
};

struct dec_held;

/* Seconds since 1970 and nanoseconds after them. */
struct dec_wall {
	int64_t sec;
	uint32_t nsec;
	bool known;
};

struct dec_run {
	struct slice name; /* as the run column has it */
	uint64_t scale; /* nanoseconds of its unit */
	uint64_t start; /* in its unit */
	uint64_t minor; /* of its format version */
	struct dec_wall wall; /* at its start */
	struct dec_open *open; /* its regions that are open, as they were started */
	size_t nopen, open_cap;
	struct dec_span *span; /* of --check: all that have stopped */
	size_t nspans, spans_cap;
	uint64_t waits_until; /* the latest stop that has waited; 0: none has */
	bool unsorted; /* one of them was started later than another that stands above it */
};

/* A region that has stopped. */
struct dec_span {
	const struct ids_entry *region;
	uint64_t start, stop, line; /* line: of its stop */
};

/* A region that is open. */
struct dec_open {
	const struct ids_entry *region,
	    *inner; /* inner: which of those inside of it stopped last */
	uint64_t start, inner_start, inner_stop;
	uint64_t stop, stop_line; /* of its stop where that waits; line 0: none does */
	uint64_t waiting_stop; /* the earliest of those that wait */
	uint32_t waiting; /* stops that can only be judged when this one has stopped */
};

struct dec_type {
	struct slice name; /* as the measure column has it */
	struct slice tail; /* mid=, type=, unit= */
	uint64_t line; /* where its definition stands */
	uint32_t before; /* the definition before it, or IDS_NONE */
	uint32_t jump, depth; /* one that is far before it; how many are before it */
	enum afperf_datatype datatype;
	char *text; /* owns the slices */
};

/* What the last event record was, for data records without ids. */
enum dec_block { BLOCK_NONE, BLOCK_RUN, BLOCK_REGION, BLOCK_SECTION };

/* What changes no status, counted. */
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
	struct tab texts; /* LABEL and its tags, as a line has them */
	struct tab spelled; /* both fields as they are */
	uint32_t *spelled_label; /* by number */
	size_t spelled_cap;
	uint64_t doubts; /* said so far */
	struct dec_memo run_memo, type_memo;
	struct ids_entry *first_run;
	struct ids_entry *recent_run, *recent_type, *recent_region; /* or NULL */
	bool later; /* a RunInfo has a minor version above 0 */

	/* Blank ids */
	enum dec_block block;
	bool block_broken; /* the event record was refused */
	struct dec_ref block_ref, block_interval, last_run, last_section;
	uint64_t count[AFPERF_RECORDS]; /* without ids, by type */
	uint64_t run_infos; /* that there were, also broken ones */
	struct dec_stack regions_open, intervals_open; /* those without ids */

	/* A group of aggregates, as long as it may be one */
	struct dec_held **group;
	size_t ngroup, group_cap, group_aggregates, group_bytes;
	bool group_closed; /* its stop has come; what follows may still belong to the region */
	uint64_t groups_seen;

	/* What waits */
	struct dec_held **held; /* by number */
	uint32_t *held_next;
	size_t nheld, held_cap;
	uint32_t held_free, wait_later, wait_run; /* heads of lists */
	uint64_t waiting, waiting_bytes;
	struct dec_held *again; /* that is just being taken once more, unless it waits again */
	struct dec_held **ready; /* a heap: the earliest line first */
	size_t nready, ready_cap;
	bool all_runs; /* no other one will come */
	bool ending; /* nothing more will come */

	struct dec_count seen[DEC_NOTES];
	struct buf scratch, plain, shown, number;
	struct dec_pair *pair;
	size_t pairs_cap;
};

/* A pair of a data record. */
struct dec_pair {
	uint32_t type;
	size_t from, len; /* its value in scratch, as the stream spells it */
};

/* decsay.c */

/* Says that field FIELD of the record (from 1; 0: none of them) breaks a rule.  BROKEN. */
enum dec dec_broken(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a rule that leaves the record readable. */
void dec_doubt(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* And for one that --lenient makes readable. */
void dec_lenient(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
enum dec dec_nomem(struct afperf_decode *d);
/* One more of what is said at the end. */
void dec_count(struct afperf_decode *d, enum dec_note note, uint64_t line);
void dec_say_notes(struct afperf_decode *d);
/* A text of the file for a message, cut and escaped; valid until the next call. */
const char *dec_shown(struct afperf_decode *d, struct slice s);
/* "5", "0xa" or "@3", in a buffer of DEC_REF_MAX. */
#define DEC_REF_MAX 24
const char *dec_ref_text(char *dst, struct dec_ref ref);

/* decnum.c */

/* Nothing but the digits of an integer of 64 bits, decimal or hexadecimal? */
bool dec_digits(struct slice s, uint64_t *v);
/* An unsigned integer of 64 bits in that field; *v and *form are set with DONE. */
enum dec dec_unsigned(struct afperf_decode *d, const struct dec_rec *r, size_t field, uint64_t *v,
    uint8_t *form);
/* The same for an id that is likely to be that of the record before. */
enum dec dec_id(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    struct dec_memo *memo, struct dec_ref *ref);
/* A signed one between the bounds, as the value of that field. */
enum dec dec_signed(struct afperf_decode *d, const struct dec_rec *r, size_t field, int64_t min,
    int64_t max, const char *type, int64_t *v);
/* A double, put at the end of d->scratch as the stream spells it. */
enum dec dec_double(struct afperf_decode *d, const struct dec_rec *r, size_t field,
    enum afperf_rule rule, const char *what);

/* decrec.c */

/* A record as it was read.  It takes it, or keeps it. */
enum dec dec_record(struct afperf_decode *d, const struct record *r);
/* A record whose ids are known, now or once more. */
enum dec dec_take(struct afperf_decode *d, struct dec_rec *r);
/* At the end of the file: what waits. */
enum dec dec_finish(struct afperf_decode *d);

/* decgroup.c */

/* A record whose ids are known: takes it, or keeps it as long as it may be of a group. */
enum dec dec_submit(struct afperf_decode *d, struct dec_rec *r);
/* A group that is whole, or what follows says that it is none; next may be NULL. */
enum dec dec_decide_group(struct afperf_decode *d, const struct dec_rec *next);
/* It is none. */
enum dec dec_end_group(struct afperf_decode *d);
/* Takes it, and after it what has waited for it. */
enum dec dec_take_now(struct afperf_decode *d, struct dec_rec *r);
/* A header, which no group has in its midst. */
enum dec dec_header(struct afperf_decode *d);
/* A comment, to be printed where it stands. */
enum dec dec_comment(struct afperf_decode *d, const struct record *r);

static inline bool
dec_same_ref(struct dec_ref a, struct dec_ref b)
{
	return a.id == b.id && (a.form == REF_BLANK) == (b.form == REF_BLANK);
}

/* As its definition spells it. */
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
	struct dec_rec rec; /* its text and ends stand behind it */
	size_t size;
};

/* A copy that is the caller's.  NULL without memory. */
struct dec_held *dec_copy(const struct dec_rec *r);
/*
 * Keeps the record in the list until it is let go.  WAITS; at the end of the file, or where too
 * many wait, BROKEN with "WHAT never defined".
 */
enum dec dec_wait(struct afperf_decode *d, const struct dec_rec *r, size_t field, uint32_t *list,
    const char *what);
/* All of the list are taken, in the order of their lines, before the next record is read. */
enum dec dec_release(struct afperf_decode *d, uint32_t *list);
/* Takes what has been let go. */
enum dec dec_run_ready(struct afperf_decode *d);
enum dec dec_release_all(struct afperf_decode *d);
void dec_hold_free(struct afperf_decode *d);

/* Entries of the tables.  WAITS, BROKEN or FAILED where there is none (yet). */
enum dec dec_find_run(struct afperf_decode *d, const struct dec_rec *r, struct dec_ref ref,
    struct ids_entry **e);
enum dec dec_find(struct afperf_decode *d, const struct dec_rec *r, struct ids *table,
    uint32_t owner, struct dec_ref ref, struct ids_entry **e);

/* The record defines what the entry stands for. */
void dec_set_defined(struct ids_entry *e, const struct dec_rec *r, struct dec_ref ref,
    enum ids_state state);

/* decdef.c, dectype.c */
enum dec dec_run_info(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_measurement_type(struct afperf_decode *d, const struct dec_rec *r);
enum dec dec_section_info(struct afperf_decode *d, const struct dec_rec *r);
/* The definition that is in force for a line; NULL where there is none. */
const struct dec_type *dec_type_at(const struct afperf_decode *d, const struct ids_entry *e,
    uint64_t line);

/* declabel.c */

#define DEC_TEXT_MAX ((size_t)64 * 1024) /* bytes of a text that is kept or repeated */

/* The text of a field is not too long for that.  BROKEN else. */
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
/* Stops it.  WAITS where a region inside of it is open.  Releases what has waited for this one. */
enum dec dec_nest_stop(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    struct ids_entry *e);
/* Says that the one region, whose stop the record is, ends inside of the other.  BROKEN. */
enum dec dec_nest_crosses(struct afperf_decode *d, const struct dec_rec *r,
    const struct ids_entry *outer, const struct ids_entry *inner);

/* decspan.c: the same of all regions of a run, at its end. */
enum dec dec_span_add(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    const struct ids_entry *e);
void dec_span_judge(struct afperf_decode *d, struct dec_run *run);

/* decdata.c */
enum dec dec_data(struct afperf_decode *d, struct dec_rec *r);

/* decwall.c */

/* A number as the stream spells it, as seconds.  False where it is none or is beyond the years. */
bool dec_wall_read(struct slice s, struct dec_wall *w);
/* "\tutc=" and the time of day at that time of the run; its length.  dst: DEC_WALL_MAX bytes. */
#define DEC_WALL_MAX 40
size_t dec_wall_put(char *dst, const struct dec_run *run, uint64_t time);

/* decput.c */

/*
 * The text of a field without the spelling that afenc gives to bytes that AFPerf cannot hold.
 * Valid until the next call.
 */
struct slice dec_text(struct afperf_decode *d, struct slice field, enum afperf_as as);
/* Appends "\ttag.NAME=VALUE" for each tag of the field. */
enum dec dec_tags(struct afperf_decode *d, const struct dec_rec *r, size_t field, struct buf *to);

/* Fields more than a record of its type has: BROKEN unless its run is of a later version. */
enum dec dec_extra(struct afperf_decode *d, const struct dec_rec *r, size_t known,
    const struct dec_run *run);

/* Columns 1 to 3. */
void dec_put_head(struct afperf_decode *d, struct slice kind, const struct dec_rec *r,
    const struct dec_run *run);
/* The region column; label is IDS_NONE where there is none. */
void dec_put_label(struct afperf_decode *d, uint32_t label);
/* scope=, id= and interval=, where these are not NULL. */
void dec_put_scope(struct afperf_decode *d, struct slice scope, const struct ids_entry *e,
    const struct ids_entry *interval);
/* Tags with TABs before each: those for which the line has no room are left out. */
void dec_put_tags(struct evwrite *w, struct slice tags);
/* utc= where asked for, the label's tags, extra= where there is such, and the end of the line. */
void dec_put_end(struct afperf_decode *d, const struct dec_rec *r, const struct dec_run *run,
    uint32_t label, size_t known);
void dec_put_other(struct afperf_decode *d, const struct record *r);
void dec_put_comment(struct afperf_decode *d, struct slice text);

/* Room for this many bytes. */
size_t dec_put_id(char *dst, const struct ids_entry *e);
size_t dec_put_time(char *dst, uint64_t time, uint64_t scale);

#endif
