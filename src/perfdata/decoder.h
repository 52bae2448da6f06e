/* SPDX-License-Identifier: ISC */
/*
 * decoder.h - what the parts of the perf.data decoder share while they read one
 * recording.  Callers outside src/perfdata use perfdata.h.
 */
#ifndef AFPIPE_PERFDATA_DECODER_H
#define AFPIPE_PERFDATA_DECODER_H

#include "lib/evwrite.h"
#include "lib/in.h"
#include "lib/tab.h"
#include "src/perfdata/attr.h"
#include "src/perfdata/defer.h"
#include "src/perfdata/directory.h"
#include "src/perfdata/dso.h"
#include "src/perfdata/feed.h"
#include "src/perfdata/frame.h"
#include "src/perfdata/idmap.h"
#include "src/perfdata/perfdata.h"
#include "src/perfdata/queue.h"
#include "src/perfdata/sample.h"
#include "src/perfdata/stats.h"
#include "src/perfdata/task.h"
#include "src/perfdata/tracedata.h"

#define ATTRS_MAX 65536
#define PATH_BYTES 4096 /* for the path of a directory's file */

/* Lines that wait for the run id, which the first sample makes; beyond this it is made without. */
#define HELD_MAX ((size_t)8 * 1024 * 1024)

/* What the header tells of the recording as a whole; escaped, empty where it does not. */
struct facts {
	struct buf host, os, version, arch, cmdline;
	uint32_t cpus; /* available; 0: not known */
	bool has_clock; /* CLOCK_DATA: wall clock and event clock at one moment */
	uint64_t wall_ns, clock_ns;
};

/* Control groups: the paths of those that records have named. */
struct cgroups {
	struct idmap number; /* by id: of the path, as an entry's attr */
	struct tab path; /* escaped */
	struct buf scratch;
};

/* An id that was found, and its attr; id 0 for none. */
#define RECENT_IDS 64
struct recent_id {
	uint64_t id; /* 0: the first event's, as perf's own records have it */
	uint32_t attr;
};

/* The digits above a step of time: most samples have those of the one before. */
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

/* How many of each unknown type; those beyond the last are counted together. */
#define UNKNOWN_TYPES 16
struct unknown {
	uint64_t samples; /* with bytes behind the fields that are known */
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
	const char *kallsyms; /* the kernel's symbols as the recording brought them, or NULL */
	bool damaged; /* something was reported */
	struct err failure; /* what stopped a record's turn, for those who have no err at hand */
	bool failed; /* the system failed to give some part, which was reported */
	uint64_t lost_before; /* what the recordings before this one lost */
	uint64_t samples; /* that were printed */

	/* of one recording: all from here on begins anew with each */
	bool big_endian;
	bool has_dir_format; /* the header says that it is a directory's, and of which version: */
	uint64_t dir_version;
	bool directory; /* other files follow, of the same time: rounds promise nothing */
	bool pipe; /* perf's pipe format */
	bool old_pipe; /* types from 69 on are header features, see oldpipe.c */
	struct buf old_names; /* with it: EVENT_DESC as it came */
	bool window; /* an unending pipe without rounds: order holds within memory only */

	struct attr *attr;
	size_t attrs, attr_cap;
	bool prints; /* there are events, and more is wanted than the header or counts */
	struct idmap ids;
	uint64_t id_bytes; /* of all sections of ids in the header */
	bool one_layout; /* all attrs lay out samples alike as far as time and id go */
	size_t time_at; /* with one_layout: where a sample's time stands; 0: not known, or none */
	size_t id_at; /* where the id stands that tells a sample's event; 0: all are the first's */
	bool mixed; /* events lay samples out in different ways, and no sample tells its event */
	struct recent_time recent_time;
	struct recent_value recent_value;
	struct recent_value recent_ids[RECENT_IDS]; /* their tags, by the low bits */
	struct recent_id recent[RECENT_IDS]; /* by the id's low bits: every CPU has its own */
	struct facts facts;
	uint8_t feature_times[FEAT_MAX]; /* how often each was read: a pipe may repeat it */
	struct buf lbr_words; /* the chain in hand, where branches are a part of it */
	struct tracedata tracing;

	struct queue queue;
	bool defers; /* some event has callchains whose user part comes later */
	struct deferral defer;
	const struct cur *user_part; /* of the sample in hand, where it came; else NULL */
	struct tasks tasks;
	struct dsos dsos;
	struct frames *frames;
	struct statrec *statrec; /* what perf stat record says of all its counters; NULL: nothing */
	bool counting; /* there are counters of perf stat record */
	struct cgroups cgroups;

	bool ordered; /* any finished round yet */
	uint64_t newest, next_limit; /* times, of what was read and for the next round's flush */
	struct {
		uint64_t records, samples, counters, others;
	} lost; /* what LOST records say, what LOST_SAMPLES say, what counters say, and the rest */
	struct unknown unknown;
	struct buf split; /* the pieces of a record of simpleperf so far */
	bool split_dropped; /* they were too many */
	uint64_t trace_bytes; /* of AUXTRACE records, which nothing here decodes */
	bool late; /* the record in hand is older than what has been printed */

	struct stats stats;

	uint64_t lines_before; /* of w, when lines began to wait for the run id */
	bool run_known;
	bool first_seen;
	uint64_t first_time; /* of the first record that has one */
	struct buf run_column; /* the run id between two TABs */
	struct buf run; /* the run id as a column; until it is known, as many bytes of stand-in */
};

/*
 * What all of these calls share, unless they say otherwise:
 *
 * Those that take an err return 0 or the code that they left in it; ERR_DATA without a place
 * is about the record in hand, which whoever reports it adds (err_at_byte).  Times are those of
 * the recording, in ns, 0 for none; offsets are bytes of the input, in a directory of all its
 * files in a row (directory.h).  A rec and a cur are borrowed for the call.  Lines go to d->w,
 * whose failure (evw_failed) is looked at once for each record.
 */

/* perfdata.c */
/* Says e, and that the input was not whole; goes on. */
void decoder_report(struct decoder *d, const struct err *e);
/* Says what the user should know that is no fault. */
void decoder_note(const struct decoder *d, const char *text);
/* Any record, as it is read: from a feed, or from inside of a compressed record. */
int decoder_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
/* SIZE bytes of records, or all; their places are counted on from OFFSET.  *end is behind them. */
int decoder_read(struct decoder *d, struct in *in, uint64_t offset, uint64_t size, uint64_t *end,
    struct err *e) __attribute__((warn_unused_result));

/* Are the header's facts to be printed? */
static inline bool
decoder_wants_header(const struct decoder *d)
{
	return d->opt->all || d->opt->header;
}

/* header.c: the file header, attrs and features; leaves d->in at the records. */
struct layout {
	bool pipe;
	bool unfinished; /* the header was never completed: records to the end of the file */
	uint64_t data, size; /* where the records are; UINT64_MAX: to the end */
};
int header_read(struct decoder *d, struct layout *l, struct err *e)
    __attribute__((warn_unused_result));
/* The header of a recording that follows another, in pipe mode, at OFFSET where f stands. */
int header_read_joined(struct decoder *d, struct feed *f, uint64_t offset, struct err *e)
    __attribute__((warn_unused_result));

/* feature.c: one header feature, from the file's end or from a HEADER_FEATURE record. */
bool feature_is_said(uint64_t feature, const struct cur *c); /* does it hold anything? */
int feature_read(struct decoder *d, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* The same without a line: only what others need of it. */
int feature_use(struct decoder *d, unsigned feature, struct cur c, struct err *e)
    __attribute__((warn_unused_result));
/* One entry of the build id list, or a HEADER_BUILD_ID record. */
int feature_build_id(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* attrs.c: the list of events.  An attr stays where it is until the next one is added. */
int attrs_add(struct decoder *d, struct cur *c, struct err *e) __attribute__((warn_unused_result));
int attrs_add_id(struct decoder *d, size_t attr, uint64_t id, struct err *e)
    __attribute__((warn_unused_result));
/*
 * The attr of a record other than SAMPLE, the first where nothing tells.  There must be one.
 * For SAMPLE, and for times, see attrs.h.
 */
struct attr *attrs_of_other(struct decoder *d, const struct rec *r);

/* update.c: what an EVENT_UPDATE record adds to an event: its name, unit, scale or cpus. */
int attrs_update(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* run.c: the lines that all others refer to, and the run id. */
/* From here on lines wait, with a stand-in for the id. */
void run_hold(struct decoder *d);
/* Drops the lines that wait, and waits no longer: something has failed. */
void run_drop(struct decoder *d);
/* Makes the id, writes the run line and those of the events, and lets go what waits. */
void run_begin(struct decoder *d, const struct sample *first); /* NULL: there is no sample */
/* The same with a counter that makes a sample, unless it has begun: all of T may be 0. */
void run_begin_counter(struct decoder *d, const struct trailer *t, uint64_t count);
/* Begins it without a sample where too many lines wait. */
void run_hold_less(struct decoder *d);
/* The measure line of an event, where the run has begun and it is not written yet. */
void run_measure(struct decoder *d, struct attr *a);

/*
 * siblings.c: what other files there are, if the recording is a directory (d->directory), and
 * all their records, places counted on from END.  What is wrong with one file is said.
 */
void siblings_find(struct decoder *d, bool unfinished);
int siblings_read(struct decoder *d, uint64_t end, struct err *e)
    __attribute__((warn_unused_result));

/* perfrec.c: a record of perf itself, which acts where it is read. */
int perfrec_take(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* packed.c: gives each record inside of the compressed record r to decoder_record. */
int packed_records(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
/* Says so if the last one was not whole. */
void packed_end(struct decoder *d, const struct feed *f);

/* oldpipe.c: the header features that perf 3.x of ChromeOS sent as records of their own. */
bool oldpipe_is(struct decoder *d, const struct rec *r, unsigned *feature);
int oldpipe_record(struct decoder *d, const struct rec *r, unsigned feature, struct err *e)
    __attribute__((warn_unused_result));
/* Tries their names of the events on those that there are so far. */
int oldpipe_names(struct decoder *d, struct err *e) __attribute__((warn_unused_result));

/* simpleperf.c: a record, or a piece of one that is longer than 64 KiB. */
int simpleperf_record(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* perfstat.c: perf stat record.  The record's fields are there (others_check). */
int statrec_take(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
void statrec_end(struct decoder *d); /* prints what still waits for its round */
void statrec_free(struct statrec *s);

/*
 * order.c: a kernel record acts and is printed when all older ones have (order_take); a
 * round ends; all records up to a time leave.
 */
int order_take(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
int order_round(struct decoder *d, struct err *e) __attribute__((warn_unused_result));
int order_flush(struct decoder *d, uint64_t limit, struct err *e)
    __attribute__((warn_unused_result));
/*
 * Acts upon a record in its turn, and prints its lines.  Says what is wrong with it; what keeps
 * the decoder from going on is left in d->failure.
 */
int order_act(struct decoder *d, const struct rec *r) __attribute__((warn_unused_result));

/* state.c: what a record changes of maps and names. */
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

/* branches.c: those of its last branches. */
void branches_put(struct evwrite *w, const struct sample *s);

/* memory.c: data_src and transaction, as numbers and in words. */
void memory_put(struct evwrite *w, uint64_t data_src);
void memory_put_transaction(struct evwrite *w, uint64_t transaction);

/* tracing.c: tracepoints.  All do with what tracing data there are so far. */
/* Names an event that the file has not named. */
int tracing_name(struct decoder *d, struct attr *a, struct err *e)
    __attribute__((warn_unused_result));
/* Takes the tracing data from the header feature. */
int tracing_feature(struct decoder *d, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));
/* Takes them from where c stands, a u32 of their size and as many bytes, as simpleperf has them. */
int tracing_inside(struct decoder *d, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));
/* Takes them from a record, or from what stands behind it, and says what is wrong with them. */
int tracing_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
/* The tags of a tracepoint's fields.  False if they do not tell all that the sample holds. */
bool tracing_emit(struct decoder *d, const struct line *l);

/* metainfo.c: names tracepoints of simpleperf's. */
int metainfo_names(struct decoder *d, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));

/* counts.c: the counters in a SAMPLE or READ record. */
struct readings {
	const struct attr *a; /* that lays them out */
	struct cur part;
	uint64_t id; /* of the record's event, 0 where it says none */
	struct thread *thread; /* whose they are where the event is inherited, or NULL */
	bool final; /* the thread has ended: the next of that tid begins anew */
	struct trailer at; /* when, which thread, which cpu */
	uint64_t offset; /* of the record */
};
/*
 * Takes each counter, with its event's index and how much it has grown since it was last
 * read (the counter itself where it is smaller than then); all of them or, with
 * ERR_DATA, none.
 */
typedef void counts_sink(void *ctx, uint32_t attr, const struct counter *c, uint64_t grown);
int counts_take(struct decoder *d, const struct readings *r, counts_sink *sink, void *ctx,
    struct err *e) __attribute__((warn_unused_result));

/* readrec.c: the lines of a READ record. */
int emit_read(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* loss.c: the lost line of a record that tells of losses; others give none. */
void emit_lost(struct decoder *d, const struct rec *r);
/* A lost line: a counter of the event says that N more samples of it were lost. */
void emit_lost_count(struct decoder *d, const struct trailer *t, uint32_t attr, uint64_t n);

/* others.c: the lines of all other records. */
/* ERR_DATA if a record has not all the fields of its type.  Counts those of unknown ones. */
int others_check(struct decoder *d, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));
void emit_other(struct decoder *d, const struct rec *r);

/* unknown.c: records of types without a name.  Their number is told at the end. */
void unknown_count(struct decoder *d, uint32_t type);
void unknown_tell(const struct decoder *d);

/* stats.c: the lines that say how many records there were. */
void stats_emit(struct decoder *d);

#endif
