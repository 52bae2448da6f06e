/* SPDX-License-Identifier: ISC */
/*
 * decoder.h - shared by the parts of the perf.data decoder while they read one
 * recording.  Callers outside src/perfdata use perfdata.h.
 */
#ifndef AFPIPE_PERFDATA_DECODER_H
#define AFPIPE_PERFDATA_DECODER_H

#include "lib/evwrite.h"
#include "lib/in.h"
#include "lib/tab.h"
#include "src/perfdata/attr/attr.h"
#include "src/perfdata/defer.h"
#include "src/perfdata/input/directory.h"
#include "src/perfdata/state/dso.h"
#include "src/perfdata/input/feed.h"
#include "src/perfdata/state/frame.h"
#include "src/perfdata/attr/idmap.h"
#include "src/perfdata/perfdata.h"
#include "src/perfdata/input/queue.h"
#include "src/perfdata/sample/sample.h"
#include "src/perfdata/record/stats.h"
#include "src/perfdata/state/task.h"
#include "src/perfdata/trace/tracedata.h"

#define ATTRS_MAX 65536
#define PATH_BYTES 4096 /* for the path of a file in a directory */

/* Bytes of lines that wait for the run id, made from the first sample; beyond this without it. */
#define HELD_MAX ((size_t)8 * 1024 * 1024)

/* What the header gives for the whole recording; escaped, empty if not given. */
struct facts {
	struct buf host, os, version, arch, cmdline;
	uint32_t cpus; /* available; 0: not known */
	bool has_clock; /* CLOCK_DATA: wall clock and event clock at one moment */
	uint64_t wall_ns, clock_ns;
};

/* Control groups: the paths that records have given. */
struct cgroups {
	struct idmap number; /* by id: the number of the path, kept in the entry's attr */
	struct tab path; /* escaped */
	struct buf scratch;
};

/* An id that was found, and its attr; 0 means that there is no id. */
#define RECENT_IDS 64
struct recent_id {
	uint64_t id; /* 0: the first event's, as in perf's own records */
	uint32_t attr;
};

/* The digits of a time above a step: most samples share them with the previous one. */
#define RECENT_STEP 100000000u
struct recent_time {
	uint64_t base; /* a multiple of the step */
	size_t len; /* 0: not known */
	char text[16];
};

struct recent_value {
	uint64_t value;
	size_t len; /* 0: not known */
	char text[24];
};

/* Counts of records by unknown type; types beyond the last are counted together. */
#define UNKNOWN_TYPES 16
struct unknown {
	uint64_t samples; /* with bytes after the known fields */
	uint64_t records;
	size_t types;
	struct {
		uint32_t type;
		uint64_t records;
	} of[UNKNOWN_TYPES];
};

struct decoder {
	/* of the input */
	const struct perf_options *opt;
	struct evwrite *w;
	struct in in;
	struct blocks blocks;
	struct directory dir;
	const char *kallsyms; /* a file of the kernel's symbols from the recording, or NULL */
	bool damaged; /* something was reported */
	struct err failure; /* what stopped a record's turn, for callers without an err */
	bool failed; /* a part could not be read because of a system failure; reported */
	uint64_t lost_before; /* losses of the recordings before this one */
	uint64_t samples; /* printed */

	/* of one recording: all from here on is reset for each */
	bool big_endian;
	bool has_dir_format; /* the header marks it as a directory's, with this version: */
	uint64_t dir_version;
	bool directory; /* other files of the same time follow: rounds guarantee nothing */
	bool pipe; /* perf's pipe format */
	bool old_pipe; /* types from 69 on are header features, see oldpipe.c */
	struct buf old_names; /* with it: the raw EVENT_DESC */
	bool window; /* an endless pipe without rounds: sorted only within memory */

	struct attr *attr;
	size_t attrs, attr_cap;
	bool prints; /* there are events, and more than the header or counts is wanted */
	struct idmap ids;
	uint64_t id_bytes; /* of all sections of ids in the header */
	bool one_layout; /* all attrs have time and id at the same places in samples */
	size_t time_at; /* with one_layout: offset of a sample's time; 0: not known, or none */
	size_t id_at; /* offset of the id that gives a sample's event; 0: all are the first's */
	bool mixed; /* layouts differ between events, and samples do not identify their event */
	struct recent_time recent_time;
	struct recent_value recent_value;
	struct recent_value recent_ids[RECENT_IDS]; /* their tags, by the low bits */
	struct recent_id recent[RECENT_IDS]; /* by the id's low bits: every CPU has its own */
	struct facts facts;
	uint8_t feature_times[FEAT_MAX]; /* how often each was read: a pipe may repeat it */
	struct buf lbr_words; /* the current chain, if branches are a part of it */
	struct tracedata tracing;

	struct queue queue;
	bool defers; /* some event has callchains with a deferred user part */
	struct deferral defer;
	const struct cur *user_part; /* of the current sample, if it came; else NULL */
	struct tasks tasks;
	struct dsos dsos;
	struct frames *frames;
	struct statrec *statrec; /* state of perf stat record's counters; NULL: none */
	bool counting; /* there are counters of perf stat record */
	struct cgroups cgroups;

	bool ordered; /* a finished round has been read */
	uint64_t newest, next_limit; /* times: the newest read; the limit of the next flush */
	struct {
		uint64_t records, samples, counters, others;
	} lost; /* by LOST records, by LOST_SAMPLES, by counters, and the rest */
	struct unknown unknown;
	struct buf split; /* the pieces so far of a split record of simpleperf */
	bool split_dropped; /* they were too many */
	uint64_t trace_bytes; /* of AUXTRACE records, which are not decoded */
	bool late; /* the current record is older than what has been printed */

	struct stats stats;

	bool run_known;
	bool first_seen;
	uint64_t first_time; /* of the first record with a time */
	struct buf run_column; /* the run id between two TABs */
	struct buf run; /* the run id as a column; until it is known, a placeholder as long */
};

/*
 * Conventions of all calls below, unless stated otherwise:
 *
 * Calls that take an err return 0 or the code that they stored in it.  ERR_DATA without a place
 * refers to the current record; the code that reports it adds the place (err_at_byte).  Times
 * are those of the recording, in ns, 0 for none.  Offsets are bytes of the input; in a directory
 * they count through all its files in a row (directory.h).  A rec and a cur are borrowed for the
 * call.  Lines go to d->w, whose failure (evw_failed) is checked once for each record.
 */

/* perfdata.c */
/* Reports e, marks the input as damaged, and continues. */
void decoder_report(struct decoder *d, const struct err *e);
/* Prints a note about something that is not an error. */
void decoder_note(const struct decoder *d, const char *text);
/* Handles any record as it is read, from a feed or from inside a compressed record. */
int decoder_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
/* Reads SIZE bytes of records, or all; their places count from OFFSET.  *end is after them. */
int decoder_read(struct decoder *d, struct in *in, uint64_t offset, uint64_t size, uint64_t *end,
    struct err *e) __attribute__((warn_unused_result));

/* Should the header's facts be printed? */
static inline bool
decoder_wants_header(const struct decoder *d)
{
	return d->opt->all || d->opt->header;
}

/* header.c: the file header, attrs and features; leaves d->in at the records. */
struct layout {
	bool pipe;
	bool unfinished; /* the header was never completed: records to the end of the file */
	uint64_t data, size; /* place and size of the records; UINT64_MAX: to the end */
};
int header_read(struct decoder *d, struct layout *l, struct err *e)
    __attribute__((warn_unused_result));
/* Reads the header of a later recording in pipe mode, at OFFSET, the position of f. */
int header_read_joined(struct decoder *d, struct feed *f, uint64_t offset, struct err *e)
    __attribute__((warn_unused_result));

/* feature.c: one header feature, from the file's end or from a HEADER_FEATURE record. */
bool feature_is_said(uint64_t feature, const struct cur *c); /* does it hold anything? */
int feature_read(struct decoder *d, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* The same without a line: takes only what other parts need. */
int feature_use(struct decoder *d, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* Takes one entry of the build id list, or a HEADER_BUILD_ID record. */
int feature_build_id(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* attrs.c: the list of events.  A pointer to an attr is valid until the next one is added. */
int attrs_add(struct decoder *d, struct cur *c, struct err *e) __attribute__((warn_unused_result));
int attrs_add_id(struct decoder *d, size_t attr, uint64_t id, struct err *e)
    __attribute__((warn_unused_result));
/*
 * The attr of a record other than SAMPLE; the first if the record has no id.  There must be one.
 * For SAMPLE, and for times, see attrs.h.
 */
struct attr *attrs_of_other(struct decoder *d, const struct rec *r);

/* update.c: what an EVENT_UPDATE record adds to an event: its name, unit, scale or cpus. */
int attrs_update(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* run.c: the lines that all others refer to, and the run id. */
/* From here on lines wait, with a placeholder for the id. */
void run_hold(struct decoder *d);
/* After a failure: drops the lines that wait, and holds no more. */
void run_drop(struct decoder *d);
/* Makes the id, writes the run line and the events' lines, and releases the waiting lines. */
void run_begin(struct decoder *d, const struct sample *first); /* NULL: no sample */
/* The same for a counter that makes a sample, unless the run has begun; all of T may be 0. */
void run_begin_counter(struct decoder *d, const struct trailer *t, uint64_t count);
/* Begins the run without a sample if too many lines wait. */
void run_hold_less(struct decoder *d);
/* Writes the measure line of an event, if the run has begun and it has not been written. */
void run_measure(struct decoder *d, struct attr *a);

/*
 * siblings.c: finds the other files, if the recording is a directory (d->directory), and reads
 * all their records; places count on from END.  Errors in single files are reported.
 */
void siblings_find(struct decoder *d, bool unfinished);
int siblings_read(struct decoder *d, uint64_t end, struct err *e)
    __attribute__((warn_unused_result));

/* perfrec.c: handles a record of perf itself, which takes effect as soon as it is read. */
int perfrec_take(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* packed.c: gives each record inside the compressed record r to decoder_record. */
int packed_records(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
/* Reports it if the last record was incomplete. */
void packed_end(struct decoder *d, const struct feed *f);

/* oldpipe.c: the header features that perf 3.x of ChromeOS sent as separate record types. */
bool oldpipe_is(struct decoder *d, const struct rec *r, unsigned *feature);
int oldpipe_record(struct decoder *d, const struct rec *r, unsigned feature, struct err *e)
    __attribute__((warn_unused_result));
/* Tries to apply their names of events to the events so far. */
int oldpipe_names(struct decoder *d, struct err *e) __attribute__((warn_unused_result));

/* simpleperf.c: a record, or a piece of one that is longer than 64 KiB. */
int simpleperf_record(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* perfstat.c: perf stat record.  The record's fields have been checked (others_check). */
int statrec_take(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
void statrec_end(struct decoder *d); /* prints what still waits for its round */
void statrec_free(struct statrec *s);

/*
 * order.c: a kernel record takes effect and is printed after all older ones (order_take); a
 * round ends; all records up to a time leave.
 */
int order_take(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
int order_round(struct decoder *d, struct err *e) __attribute__((warn_unused_result));
int order_flush(struct decoder *d, uint64_t limit, struct err *e)
    __attribute__((warn_unused_result));
/*
 * Applies a record in its turn and prints its lines.  Reports what is wrong with it; an error that
 * stops the decoder is left in d->failure.
 */
int order_act(struct decoder *d, const struct rec *r) __attribute__((warn_unused_result));

/* state.c: applies a record's changes of maps and names. */
int state_update(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* emit.c: the lines of a sample. */
int emit_sample(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* extras.c: a sample's tags beyond the usual ones. */
struct line;
void extras_emit(struct decoder *d, const struct line *l);

/* lbr.c: puts the branches of a call stack into the chain, whose words are then d's. */
void lbr_chain(struct decoder *d, struct sample *s);

/* branches.c: the tags of its last branches. */
void branches_put(struct evwrite *w, const struct sample *s);

/* memory.c: data_src and transaction, as numbers and in words. */
void memory_put(struct evwrite *w, uint64_t data_src);
void memory_put_transaction(struct evwrite *w, uint64_t transaction);

/* tracing.c: tracepoints.  All calls use the tracing data read so far. */
/* Names an event that the file has not named. */
int tracing_name(struct decoder *d, struct attr *a, struct err *e)
    __attribute__((warn_unused_result));
/* Takes the tracing data from the header feature. */
int tracing_feature(struct decoder *d, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));
/* Takes them from c: a u32 size and that many bytes, as simpleperf stores them. */
int tracing_inside(struct decoder *d, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));
/* Takes them from a record, or from the data after it, and reports what is wrong with them. */
int tracing_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
/* Writes the tags of a tracepoint's fields.  False if they do not cover the whole sample. */
bool tracing_emit(struct decoder *d, const struct line *l);

/* metainfo.c: names simpleperf's tracepoints. */
int metainfo_names(struct decoder *d, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));

/* counts.c: the counters in a SAMPLE or READ record. */
struct readings {
	const struct attr *a; /* that defines their layout */
	struct cur part;
	uint64_t id; /* of the record's event, 0 if it has none */
	struct thread *thread; /* their thread if the event is inherited, or NULL */
	bool final; /* the thread has ended: the next one with that tid starts from 0 */
	struct trailer at; /* time, thread, cpu */
	uint64_t offset; /* of the record */
};
/*
 * Receives each counter with its event's index and its growth since it was last read (its
 * value, if it is smaller than then).  It receives all of them or, with ERR_DATA, none.
 */
typedef void counts_sink(void *ctx, uint32_t attr, const struct counter *c, uint64_t grown);
int counts_take(struct decoder *d, const struct readings *r, counts_sink *sink, void *ctx,
    struct err *e) __attribute__((warn_unused_result));

/* readrec.c: the lines of a READ record. */
int emit_read(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* loss.c: writes the lost line of a record that reports losses; none for other records. */
void emit_lost(struct decoder *d, const struct rec *r);
/* Writes a lost line: a counter of the event reports that N more of its samples were lost. */
void emit_lost_count(struct decoder *d, const struct trailer *t, uint32_t attr, uint64_t n);

/* others.c: the lines of all other records. */
/* ERR_DATA if a record lacks fields of its type.  Counts records of unknown types. */
int others_check(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
void emit_other(struct decoder *d, const struct rec *r);

/* unknown.c: records of types without a name.  Their number is reported at the end. */
void unknown_count(struct decoder *d, uint32_t type);
void unknown_tell(const struct decoder *d);

/* stats.c: the lines with the numbers of records. */
void stats_emit(struct decoder *d);

#endif
