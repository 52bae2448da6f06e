/* SPDX-License-Identifier: ISC */
/*
 * encint.h - internals of the encoder, shared by its files.
 *
 * stream.c processes the lines and counts omissions.  Lines that were once records of AFPerf become
 * the same records again (native.c).  All other samples and spans become sections, and aggregates
 * become groups (section.c).  define.c keeps the runs and measurement types that lines refer to.
 * put.c writes records and keeps the records that wait for definitions.
 */
#ifndef AFPIPE_AFPERF_WRITE_ENCINT_H
#define AFPIPE_AFPERF_WRITE_ENCINT_H

#include "lib/buf.h"
#include "lib/namesakes.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/afperf/afperf.h"
#include "src/afperf/ids.h"
#include "src/afperf/write/define.h"
#include "src/afperf/write/encode.h"

/* An id as in a line. */
struct enc_ref {
	struct ids_ref id;
	struct slice text; /* digits; borrowed */
};

/*
 * The tags that the encoder uses; "." if the line does not have them.  unit is DEFINE_NO_UNIT if
 * its tag says that there is none.
 */
struct enc_words {
	struct slice stat, start, mid, unit, type, scope, id, interval;
	struct slice extra; /* p is NULL if there is no extra tag, since "." is one empty field */
	struct slice own; /* the tags of the label, each with a TAB before it */
	size_t others; /* number of tags without a place in AFPerf */
	size_t tags; /* number of own tags and of tags that become other fields */
};

/* The kinds of data lines. */
enum enc_kind { ENC_SAMPLE, ENC_SPAN, ENC_AGG };

/* The contents of a data line. */
struct enc_use {
	enum enc_kind kind;
	struct enc_words word;
	size_t run, measure;
	struct slice start, end; /* digits */
	struct slice value; /* stream text, but an empty text is empty, not "." */
	bool number; /* the value is a number */
	struct enc_ref ref, interval; /* the ids of a line that came from AFPerf */
};

/* The contents of a start, a stop or a section. */
struct enc_event {
	enum afperf_scope scope;
	enum afperf_role role;
	struct enc_ref ref, interval;
	size_t run;
	uint64_t time; /* in its run's unit; 0 if it has none */
	struct slice time_text; /* empty if it has none */
	struct slice extra;
	struct slice own; /* as in struct enc_words */
	size_t others;
};

/*
 * The contents of a record of data or of an event.  Contents for which the record type has no field
 * are ignored.  A field without contents is blank.
 */
struct enc_record {
	size_t run;
	const struct buf *tags;
	const struct enc_use *pair;
	/* indexed by enum afperf_field; numbers as they will be written, texts as in the stream */
	struct slice text[FIELD_LABEL + 1];
};

/* A region label of raw data.  Its intervals may overlap, so it becomes a section. */
struct enc_section {
	size_t run;
	char id[20]; /* as it is written */
	uint8_t id_len;
	struct define_time first, last; /* of its samples */
	char interval[20]; /* of its samples, as it is written */
	uint8_t interval_len;
	uint64_t intervals; /* begun so far */
	bool sampled;
};

#define ENC_RECENT 512

struct enc_sections {
	struct tab labels; /* RUN TAB REGION, number of the section */
	/* 1 + the section that a label with this short hash had last, or 0 */
	uint32_t recent[ENC_RECENT];
	struct enc_section *item;
	size_t n, cap;
};

enum enc_blocks { ENC_NONE, ENC_GROUP, ENC_INTERVAL };

/* Records that belong together, and that a stop will close. */
struct enc_block {
	enum enc_blocks kind;
	struct buf key, next; /* the keys of this block and of the line */
	struct define_time time; /* of the stop */
	size_t section;
	uint64_t interval;
	size_t records, bytes; /* of a group */
};

/* The subject of the last data line with a defined subject. */
struct enc_last {
	enum afperf_scope scope;
	size_t run;
	struct ids_ref thing, interval;
	struct slice label;
};

/* The last event.  A reader resolves blank ids of data to its subject. */
struct enc_above {
	enum afperf_scope scope;
	size_t run;
	struct ids_ref thing, interval;
	struct define_time start; /* if bare is set */
	bool blank; /* its subject has no id in the file */
	bool group; /* it was a group of aggregates, and no record has followed it */
	/* it is a region without an id that has no data, or only aggregates */
	bool bare, aggregates;
};

/* The state that determines how a reader would resolve blank ids; see native.c. */
struct enc_native {
	/*
	 * Ids seen in lines.  The run, start and state of an entry are set once it is defined or
	 * started.
	 */
	struct ids regions, sections, intervals;
	struct tab
	    /*
	     * labels of regions and sections, each with its tags; the origin of an entry is the
	     * number of a label
	     */
	    labels;
	struct ids_entry *recent_region; /* or NULL */
	struct ids_ref section; /* the section of the last SectionInfo */
	/*
	 * the run of the last RunInfo; TAB_NONE if there is none, or if definitions of other runs
	 * may still precede this point
	 */
	size_t run;
	struct enc_above above;
	struct enc_last last;
	struct ids_stack regions_open, intervals_open; /* without ids */
};

/* The new ids of one kind; see put.c. */
struct enc_ids {
	struct ids *seen; /* ids in the stream; detail is the number in taken, or IDS_NONE */
	struct ids taken; /* ids written; IDS_OPEN means that the container already had the id */
	uint64_t next; /* where to look for a free id */
};

struct enc_new_ids {
	bool maps; /* ids may be replaced */
	struct enc_ids region, section, interval;
	uint64_t renumbered;
	/* an id that clashes with an id of the container; reported with its line */
	struct enc_ref clash;
	const char *clash_of; /* or NULL */
};

/* A run, and one of its measures (or TAB_NONE). */
struct enc_waiting {
	size_t run, measure;
};

/* Counts of items left out or supplied. */
struct enc_left {
	struct tab kinds; /* the kinds of lines left out */
	uint64_t *kind_count;
	size_t kinds_cap;
	uint64_t tags, tag_lines, values, untimed, early;
	uint64_t event_values; /* of events that have no values in AFPerf, such as starts */
	uint64_t lenient; /* aggregates that only afdec --lenient reads, as it did before */
};

struct afperf_encode {
	struct afperf_encode_options opt;
	struct slice name[AFPERF_RECORDS]; /* of the record types */
	/* enum afperf_record, indexed by role and scope */
	uint8_t record[AFPERF_ROLES][SCOPE_GROUP];
	struct slice end; /* the end of a record */
	struct out *out; /* the file */
	struct out *to; /* destination of records: out, or the spool's out */
	struct spool spool;
	bool begun; /* the header has been written */
	bool spooling;
	bool pinning; /* no definition may come before the records in the spool */
	bool ending; /* all lines have been seen */
	struct define def;
	struct units units; /* of the measure lines, for results of several runs */
	struct namesakes namesakes; /* wanted if measure lines name events that have some */
	struct enc_waiting
	    *waiting; /* their lines have come, so their records may have to be written */
	size_t nwaiting, waiting_cap;
	struct buf scratch;
	struct enc_new_ids ids;
	struct enc_native native;
	struct enc_sections made;
	struct enc_block block;
	struct enc_left left;
};

/* put.c: records. */

/* Writes the record without its extra fields and without its end. */
void enc_put(struct afperf_encode *x, enum afperf_record record, const struct enc_record *v);
/* Writes the fields of extra= or fields=, each with its comma, or nothing if list.p is NULL. */
bool enc_put_fields(struct afperf_encode *x, struct slice list) __attribute__((warn_unused_result));

static inline void
enc_end(struct afperf_encode *x)
{
	char *p = out_room(x->to, 2);

	if (p == NULL)
		return;
	memcpy(p, x->end.p, 2); /* LF, NUL or CR, LF */
	out_commit(x->to, x->end.len);
}

/*
 * Returns the id of a run as it is written in place of the id of a region or section.  room has
 * NUM_MAX bytes.
 */
struct slice enc_run_id(const struct afperf_encode *x, size_t run, char *room);
/* Returns an id of our own as it is written.  room has NUM_MAX bytes. */
struct slice enc_number(const struct afperf_encode *x, uint64_t v, char *room);
/*
 * Set *text to the id of a region or section, or of an interval, as it is written: empty if blank.
 * It may be a new id.  Return false when memory runs out.
 */
bool enc_owner(struct afperf_encode *x, enum afperf_scope scope, const struct enc_ref *ref,
    char *room, struct slice *text) __attribute__((warn_unused_result));
bool enc_interval(struct afperf_encode *x, const struct enc_ref *section,
    const struct enc_ref *interval, char *room, struct slice *text)
    __attribute__((warn_unused_result));
/*
 * Sets *id to the next number that nothing of this kind has.  Nor has a run, unless it is for an
 * interval: the id in an aggregate may be that of a run, a region or a section.
 */
bool enc_id_free(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, uint64_t *id)
    __attribute__((warn_unused_result));
/* Sets *id to the number that is written for a region or section whose id is not blank. */
bool enc_id_written(struct afperf_encode *x, enum afperf_scope scope, const struct enc_ref *ref,
    uint64_t *id) __attribute__((warn_unused_result));

/*
 * Write the definition of a run or a measure as the next record.  line is the measure line, or
 * NULL.
 */
bool enc_run_here(struct afperf_encode *x, size_t run) __attribute__((warn_unused_result));
bool enc_measure_here(struct afperf_encode *x, size_t measure, const struct ev *line)
    __attribute__((warn_unused_result));
/* Writes all records of runs and measures not yet written that can no longer change. */
bool enc_definitions(struct afperf_encode *x) __attribute__((warn_unused_result));

/*
 * Sets *defined to whether the records that a line of that run and measure (or TAB_NONE) needs have
 * been written or will be.  Returns false when memory runs out.
 */
bool enc_is_defined(struct afperf_encode *x, size_t run, size_t measure, bool *defined)
    __attribute__((warn_unused_result));

/* Makes records wait, from here on, until all definitions are known. */
int enc_spool_begin(struct afperf_encode *x, struct err *e);
/*
 * Writes the definitions that a line of that run and measure (or TAB_NONE) needs at this point.
 * All other definitions are written before the waiting records.
 */
bool enc_spool_define(struct afperf_encode *x, size_t run, size_t measure)
    __attribute__((warn_unused_result));
/* Writes the definitions, and all records that have waited, at the end. */
int enc_spool_end(struct afperf_encode *x, struct err *e);

/*
 * section.c: data lines that were not records of AFPerf.  Returns 0 or an error, like
 * afperf_encode_line.
 */

int enc_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e);
void enc_section_stops(struct afperf_encode *x); /* writes the stops of all sections with samples */
/* Writes the stop of the open block, if there is one. */
void enc_block_close(struct afperf_encode *x);
/*
 * Counts one more record that a reader would add to the open group.  A reader limits the records of
 * a group, so a full group is closed.
 */
void enc_block_room(struct afperf_encode *x, size_t bytes);

/* native.c: lines that came from records of AFPerf. */

void enc_words_read(const struct ev *ev, struct enc_words *w);
/* Returns true only if the line has no tag that enc_words_read would find. */
bool enc_has_no_words(const struct ev *ev);
/*
 * Returns whether the line may be written as the original record.  This requires that its region or
 * section has been written that way, too.
 */
bool enc_is_native(struct afperf_encode *x, const struct ev *ev, struct enc_use *u,
    enum afperf_scope scope);
int enc_native_data(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u,
    enum afperf_scope scope, struct err *e);
int enc_native_event(struct afperf_encode *x, const struct ev *ev, struct err *e);
int enc_other(struct afperf_encode *x, const struct ev *ev, struct slice record, struct err *e);
int enc_comment(struct afperf_encode *x, const struct ev *ev, struct err *e);
/*
 * Returns whether a reader would resolve the id of this run correctly.  If not, its lines cannot be
 * written.
 */
static inline bool
enc_run_is_told(const struct afperf_encode *x, size_t run)
{
	return !x->def.run[run].blank || x->native.run == run;
}

int enc_no_place(const struct ev *ev, struct err *e);
/*
 * Checks that the run's version allows fields that our version lacks, up to MOST of them.  Returns
 * 0 or ERR_DATA.
 */
int enc_extra_fits(const struct ev *ev, struct slice extra, uint64_t minor, size_t most,
    struct err *e);
/* Records that the next record does not belong to the previous one. */
void enc_native_apart(struct afperf_encode *x);
void enc_native_free(struct enc_native *n);

#endif
