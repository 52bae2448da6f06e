/* SPDX-License-Identifier: ISC */
/*
 * attr.h - the events of a recording: what was counted, the layout of their records, and the event
 * that a record belongs to.
 */
#ifndef AFPIPE_PERFDATA_ATTR_H
#define AFPIPE_PERFDATA_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/slice.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/trace/trace.h"

/* ---- idmap.c: maps an event's id to its number and counter */

/* There may be millions of entries: one for each thread. */
struct id_entry {
	uint64_t id;
	uint64_t last; /* last value of the counter, to compute its growth */
	uint64_t lost; /* lost samples that the counter has reported */
	uint32_t event; /* number */
	unsigned nth : 30; /* number among its event's ids, the same for all events of a group */
	unsigned seen : 1; /* last holds a value */
	unsigned used : 1;
};

/* { 0 } is a valid empty map. */
struct idmap {
	struct id_entry *slot;
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask, since the high bits of the product are used */
	uint64_t seed;
};

#define IDMAP_MAX ((size_t)1 << 24)

void idmap_free(struct idmap *m);

/*
 * Adds id, or finds it; a repeated id keeps its first event.  Returns false if memory runs out or
 * the map is full.
 */
bool idmap_add(struct idmap *m, uint64_t id, uint32_t event) __attribute__((warn_unused_result));

/* Returns NULL if the id is unknown.  Valid until the next add. */
struct id_entry *idmap_find(const struct idmap *m, uint64_t id);

/* ---- cpumap.c: a set of processors, as in CPU_MAP and EVENT_UPDATE records */

/*
 * In a record the set is a list of numbers, a mask in words of 4 or 8 bytes, or one range.  Layout:
 * struct perf_record_cpu_map_data in tools/lib/perf/include/perf/event.h.
 */
#define CPU_ANY UINT32_MAX /* not a processor: whichever one the thread runs on */

/* Consecutive processors.  Ranges save memory if a few bytes of a record specify all processors. */
struct cpu_range {
	uint32_t first, last;
	uint32_t before; /* number of processors in the ranges before it */
};

struct cpumap {
	struct cpu_range *range; /* in the order of the record */
	size_t ranges, cap;
	uint32_t count; /* number of processors; 0: nothing is known */
	bool sorted; /* the ranges are in ascending order */
	struct cpu_range *upward; /* the same ranges in ascending order, joined; NULL if sorted */
	size_t upwards;
};

void cpumap_free(struct cpumap *m);

/* Returns true if the whole set is there.  An unknown form also counts; it gives no processors. */
bool cpumap_fits(struct cur c);

/* Replaces *m with the set at c.  *m is empty for an unknown form and after ERR_DATA. */
int cpumap_take(struct cpumap *m, struct cur *c, struct err *e) __attribute__((warn_unused_result));

bool cpumap_has(const struct cpumap *m, uint32_t cpu);

/* Returns the N-th processor of the record.  N must be less than m->count. */
uint32_t cpumap_at(const struct cpumap *m, uint32_t n);

/*
 * Appends the set as perf prints it: "0-3,8" if SEPARATOR is ','.  Returns false if memory runs
 * out.
 */
bool cpumap_put(const struct cpumap *m, char separator, struct buf *b);

/* ---- attr.c: perf_event_attr */

#define ATTR_SIZE_MIN 64 /* PERF_ATTR_SIZE_VER0 */
#define ATTR_SIZE_MAX 4096
#define ATTR_NAME_MAX 512

/* The fields in their order.  The table in attr.c has their names, widths and spellings. */
enum attr_field {
	ATTR_TYPE,
	ATTR_SIZE,
	ATTR_CONFIG,
	ATTR_PERIOD,
	ATTR_SAMPLE_TYPE,
	ATTR_READ_FORMAT,
	ATTR_FLAGS,
	ATTR_WAKEUP,
	ATTR_BP_TYPE,
	ATTR_CONFIG1,
	ATTR_CONFIG2,
	ATTR_BRANCH_SAMPLE_TYPE,
	ATTR_REGS_USER,
	ATTR_STACK_USER,
	ATTR_CLOCKID,
	ATTR_REGS_INTR,
	ATTR_AUX_WATERMARK,
	ATTR_MAX_STACK,
	ATTR_RESERVED,
	ATTR_AUX_SAMPLE_SIZE,
	ATTR_AUX_ACTION,
	ATTR_SIG_DATA,
	ATTR_CONFIG3,
	ATTR_CONFIG4,
	ATTR_FIELDS,
};

/* The values of the fields.  Fields that an older attr lacks are 0. */
struct attr_values {
	uint64_t v[ATTR_FIELDS];
	size_t count; /* number of fields present */
};

/*
 * Reads the fields at c, which covers one attr.  c then points to whatever follows the known
 * fields.
 */
void attr_read(struct attr_values *a, struct cur *c);

/* Writes the fields as tags with names for bits, as in a line of kind header. */
void attr_put_words(struct evwrite *w, const struct attr_values *a);
/* Writes the fields as tags with plain numbers, as in a line of kind header_attr. */
void attr_put_numbers(struct evwrite *w, const struct attr_values *a);

/* The parts of an attr that other code needs. */
struct attr {
	uint32_t type;
	uint64_t config, config1, config2; /* config1 is also bp_addr, config2 bp_len */
	uint64_t period; /* or frequency, see flags */
	uint64_t sample_type, read_format;
	uint64_t flags; /* the bit-field, first bit lowest, whatever the writer's byte order */
	uint32_t bp_type;
	uint64_t branch_sample_type;
	uint64_t regs_user, regs_intr; /* masks */
	uint32_t stack_user;
	int32_t clockid;
	uint16_t max_stack; /* maximum addresses of a callchain; 0: the kernel's limit */
	uint32_t nregs_user, nregs_intr;
	size_t head_size; /* length of a sample's fields of fixed length, up to the period */
	size_t trailer_size; /* length of the sample_id of other records, with A_SAMPLE_ID_ALL */
};

/*
 * Decodes the attr at c.  Its size word gives its length (0 means 64).  Returns ERR_DATA if it is
 * shorter than the first version or than its size word claims.
 */
int attr_parse(struct attr *a, struct cur *c, struct err *e) __attribute__((warn_unused_result));

/* Returns "ns" for clocks, unless their values are numbers of samples, else "count". */
struct slice attr_unit(const struct attr *a);

/* Returns the name of a clock by its number on Linux (clockid_t), or NULL if it has no name. */
const char *attr_clock_name(int32_t clockid);

/* Writes the name that perf derives from the fields (evsel__name).  Returns its length. */
size_t attr_made_up_name(const struct attr *a, char dst[ATTR_NAME_MAX]);

/* ---- events.c: the events, and the parts of records that depend on them */

#define EVENTS_MAX 65536

/* The measure and the value of a sample.  The value is usually the previous one, a fixed period. */
#define RECENT_VALUE_TEXT ((size_t)64)
struct recent_value {
	uint64_t value;
	size_t len; /* 0: not known */
	char text[RECENT_VALUE_TEXT]; /* the event's column and the value */
};

struct event {
	struct attr attr;
	uint64_t first_id; /* 0 if it has none */
	uint32_t number; /* from 1; lines tell it if other events have the name; else 0 */
	uint32_t namesake; /* if number is not 0: the first event of the name, as an index */
	bool units_differ; /* of that first event: those with the name have several units */
	uint32_t ids; /* number of ids */
	bool named; /* named by the file; if false, the name is derived from the fields */
	bool announced; /* its measure line has been written */
	bool counted; /* perf stat has recorded a count of it */
	bool bpf_output; /* its samples are from a BPF program */
	bool off_cpu; /* it is that of perf record --off-cpu */
	uint64_t usual; /* its sample_type, or 0 if its samples have to be looked at more closely */
	bool repeated; /* another event has its type and config, and the kernel may confuse them */
	struct buf name; /* escaped, as a column */
	struct buf column; /* the same between two TABs */
	struct recent_value recent; /* for emit.c */

	/* From separate records of perf stat: value * scale is in scaled_unit. */
	double scale; /* 0: not given */
	struct buf scaled_unit, cpus; /* escaped; empty: not given */
	struct cpumap own_cpus; /* the event is counted on these; empty: on all */

	const struct trace_format *format; /* for the samples of a tracepoint, if known */
	bool format_sought; /* the tracing data have been searched for it */
	bool short_reported; /* it has been reported that samples are shorter than their fields */
};

/* An id that was looked up, and its event; 0 means that there is no id. */
#define RECENT_IDS 64
struct recent_id {
	uint64_t id; /* 0: the first event's, as in perf's own records */
	uint32_t event;
};

/* { 0 } is a valid empty list. */
struct events {
	struct event *item; /* valid until the next one is added */
	size_t count, cap;
	bool big_endian; /* byte order of the recording */
	bool one_layout; /* all events have time and id at the same offsets in samples */
	size_t time_at; /* with one_layout: offset of a sample's time; 0: not known, or none */
	size_t id_at; /* offset of the id that gives a sample's event; 0: always the first */
	bool mixed; /* layouts differ between events, and samples do not identify their event */
	bool defers; /* some event has callchains with a deferred user part */
	struct idmap ids;
	struct idmap kinds; /* the first event of each software event and tracepoint */
	struct recent_id recent[RECENT_IDS]; /* by the id's low bits, since every CPU has its own */
	struct tracedata tracing; /* the formats of tracepoints */
};

void events_free(struct events *ev);

/* Adds the event whose attr is at c. */
int events_add(struct events *ev, struct cur *c, struct err *e) __attribute__((warn_unused_result));
int events_add_id(struct events *ev, size_t event, uint64_t id, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns true if the event may still be given a name: it has none, and no measure line has told
 * the name that was derived for it.
 */
static inline bool
event_is_nameless(const struct event *event)
{
	return !event->named && !event->announced;
}

/* Sets the name, given as raw bytes, and escapes it. */
int event_set_name(struct event *event, struct slice raw, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Applies an EVENT_UPDATE record to an event: its name, unit, scale or cpus.  *changed is that
 * event, or NULL if there is none.  *renamed is set if its name was given.
 */
int events_update(struct events *ev, const struct rec *r, struct event **changed, bool *renamed,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Returns the event of a record other than SAMPLE, which is the first event if the record has no
 * id.  There must be an event.
 */
struct event *events_of_other(struct events *ev, const struct rec *r);

/* Uses all of c as the tracing data. */
int events_take_tracing(struct events *ev, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));
/* Does the same for tracing data as simpleperf stores them at c: a u32 size and that many bytes. */
int events_take_sized_tracing(struct events *ev, struct cur *c, struct err *e)
    __attribute__((warn_unused_result));
/* Reads names and formats from ev->tracing.blob, which the caller has filled. */
int events_read_tracing(struct events *ev, struct err *e) __attribute__((warn_unused_result));

/* The trailer of records other than SAMPLE (sample_id_all).  Fields whose bit is not set are 0. */
struct trailer {
	uint64_t have;
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};

/*
 * Returns the trailer of a kernel record.  It is all 0 if there is none, as in records that perf
 * generates.
 */
struct trailer events_trailer(struct events *ev, const struct rec *r);
/* Returns a cursor over a record's fields without its trailer. */
struct cur events_body(struct events *ev, const struct rec *r);

/* For the inline functions below. */
struct event *events_by_id(struct events *ev, uint64_t id);
uint64_t events_other_time(struct events *ev, const struct rec *r);

/*
 * Returns the time that is printed for a kernel record, or 0 if there is none: some times only say
 * where a record is sorted.
 */
uint64_t events_shown_time(struct events *ev, const struct rec *r);

/* Returns a u64 of the record, or 0 if the record is too short. */
static inline uint64_t
events_u64_at(const struct events *ev, const struct rec *r, size_t at)
{
	return r->size < at + 8 ? 0 : cur_word64(r->p + at, ev->big_endian != cur_host_big());
}

/* Returns the time, or 0 if there is none.  The largest value also means that there is none. */
static inline uint64_t
events_timestamp(uint64_t time)
{
	return time == UINT64_MAX ? 0 : time;
}

/*
 * Returns the event of a SAMPLE, or NULL if its id is unknown (*id is that id) or ev->mixed is set.
 */
static inline struct event *
events_of_sample(struct events *ev, const struct rec *r, uint64_t *id)
{
	const struct recent_id *recent;

	if (ev->id_at == 0)
		return ev->mixed ? NULL : ev->item;
	*id = events_u64_at(ev, r, ev->id_at);
	recent = &ev->recent[*id % RECENT_IDS];
	return recent->id == *id ? &ev->item[recent->event] : events_by_id(ev, *id);
}

/* Returns the time of a kernel record, or 0 if it has none. */
static inline uint64_t
events_time(struct events *ev, const struct rec *r)
{
	if (r->type == REC_SAMPLE && ev->time_at != 0)
		return events_timestamp(events_u64_at(ev, r, ev->time_at));
	return events_other_time(ev, r);
}

#endif
