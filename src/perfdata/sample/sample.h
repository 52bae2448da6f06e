/* SPDX-License-Identifier: ISC */
/*
 * sample.h - the lines that are always printed: samples, counters, and losses.
 */
#ifndef AFPIPE_PERFDATA_SAMPLE_H
#define AFPIPE_PERFDATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/err.h"
#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/slice.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attr.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/run/run.h"
#include "src/unwind/unwind.h"

/* ---- decode.c: the fields of a SAMPLE record */

/*
 * Layout: the comment above PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.  Pointers point
 * into the record.
 */

/* A field is valid if its bit is in HAVE (the attr's sample_type). */
struct sample {
	uint64_t have;
	uint64_t id, ip, time, addr, stream_id, period;
	uint32_t pid, tid, cpu;
	struct cur read; /* the read_format part */
	uint64_t chain_count;
	struct cur chain; /* u64 addresses and markers, innermost first */
	uint32_t raw_size;
	const unsigned char *raw;
	uint64_t branch_count, branch_hw_index;
	struct cur branch; /* 24 bytes each: from, to, flags */
	struct cur branch_counters; /* u64 each, empty if not recorded */
	uint64_t user_abi, intr_abi;
	struct cur user_regs, intr_regs; /* u64 each */
	uint64_t stack_size, stack_dynamic;
	const unsigned char *stack;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page, code_page;
	uint64_t aux_size;
	const unsigned char *aux;
	struct cur rest; /* after all known fields: fewer than 8 bytes are padding */
};

/* Reads the next word. */
static inline uint64_t
sample_word(const unsigned char **p, bool swap)
{
	*p += 8;
	return cur_word64(*p - 8, swap);
}

static inline uint32_t
sample_half(const unsigned char **p, bool swap)
{
	*p += 4;
	return cur_word32(*p - 4, swap);
}

/* Reads the fields of fixed length.  The caller has checked that they fit. */
static HINT_INLINE void
sample_take_head(struct sample *s, uint64_t have, const unsigned char *p, bool swap)
{
	if (have & S_IDENTIFIER)
		s->id = sample_word(&p, swap);
	if (have & S_IP)
		s->ip = sample_word(&p, swap);
	if (have & S_TID) {
		s->pid = sample_half(&p, swap);
		s->tid = sample_half(&p, swap);
	}
	if (have & S_TIME)
		s->time = sample_word(&p, swap);
	if (have & S_ADDR)
		s->addr = sample_word(&p, swap);
	if (have & S_ID)
		s->id = sample_word(&p, swap);
	if (have & S_STREAM_ID)
		s->stream_id = sample_word(&p, swap);
	if (have & S_CPU) {
		s->cpu = sample_half(&p, swap);
		(void)sample_half(&p, swap);
	}
	if (have & S_PERIOD)
		s->period = sample_word(&p, swap);
}

/* Returns n items of SIZE bytes.  n is checked against the bytes left before it is used. */
static inline struct cur
sample_items(struct cur *c, uint64_t n, size_t size)
{
	if (n > cur_left(c) / size) {
		c->bad = true;
		n = 0;
	}
	return cur_sub(c, (size_t)n * size);
}

static inline void
sample_take_chain(struct sample *s, struct cur *c)
{
	s->chain_count = cur_u64(c);
	s->chain = sample_items(c, s->chain_count, 8);
}

/*
 * Reads the fields after the head.  Returns false if any of them extends beyond the record's end.
 */
bool sample_take_rest(struct sample *s, const struct attr *a, struct cur *c);

/* Reports what is wrong with the record.  Always returns ERR_DATA. */
int sample_refuse(const struct attr *a, const struct rec *r, struct err *e);

/*
 * Decodes r, a SAMPLE with the layout of a.  HAVE is the attr's sample_type.  Returns ERR_DATA if
 * anything extends beyond its end, or if the length of its counters cannot be known.
 */
static HINT_INLINE int
sample_decode(struct sample *s, const struct attr *a, uint64_t have, const struct rec *r,
    bool big_endian, struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, big_endian);
	const unsigned char *head = cur_take(&c, a->head_size);

	if (head == NULL)
		return sample_refuse(a, r, e);
	s->have = have;
	s->id = s->ip = 0;
	s->period = (a->flags & A_FREQ) != 0 ? 1 : a->period;
	if (c.swap)
		sample_take_head(s, have, head, true);
	else
		sample_take_head(s, have, head, false);
	if ((have & ~S_HEAD) == S_CALLCHAIN) {
		sample_take_chain(s, &c);
		if (!cur_ok(&c))
			return sample_refuse(a, r, e);
	} else if ((have & ~S_HEAD) != 0 && !sample_take_rest(s, a, &c)) {
		return sample_refuse(a, r, e);
	}
	s->rest = c;
	return 0;
}

/* ---- emit.c: the lines of samples */

/*
 * The beginning of a line up to the region.  The digits of a time above a step are usually those of
 * the previous sample.
 */
#define RECENT_STEP 100000000u
#define RECENT_TIME_TEXT ((size_t)96)
struct recent_time {
	uint64_t base; /* a multiple of the step */
	size_t len; /* of the text before the lower eight digits; 0: not known */
	size_t end; /* the length of the whole text */
	char text[RECENT_TIME_TEXT]; /* the kind, TAB, the digits, the column of the run */
};

/* "\tid=ID" */
struct recent_id_tag {
	uint64_t id;
	size_t len; /* 0: not known */
	char text[24];
};

/* "\tpid=PID\ttid=TID\tcomm=COMM\tcpu=CPU\tmode=MODE\tip=" */
#define RECENT_WHERES 256
#define RECENT_WHERE_TEXT ((size_t)112)
struct recent_where {
	uint32_t serial; /* of the thread's text */
	uint32_t cpu; /* UINT32_MAX: not known */
	uint8_t len; /* 0: the text has not been made */
	char text[RECENT_WHERE_TEXT];
};

/* Losses that records report. */
struct losses {
	uint64_t before; /* those of the recordings before this one */
	uint64_t records; /* reported by LOST records */
	uint64_t samples; /* reported by LOST_SAMPLES */
	uint64_t counters; /* reported by counters */
	uint64_t others;
};

/*
 * The state of unwinding stack copies, and the numbers of stacks that end early.  { 0 } is valid at
 * the start of a recording.
 */
struct callers {
	struct unwinder *unwinder; /* NULL until it is needed */
	struct buf chain; /* the chain of the current sample, with its callers */
	uint64_t copies; /* number of samples with a stack copy whose chains lack the callers */
	uint64_t incomplete; /* number of these whose stacks end early */
	bool largest; /* their copies are as large as perf record makes them */
	struct shortfall *shortfall; /* why and where they end early */
	size_t shortfalls, cap;
	uint64_t cut; /* number of samples whose recorded chain has an unknown marker */
	uint64_t full; /* of those whose chain has as many addresses as the kernel records */
	uint64_t deeper; /* of those whose copy has more frames than are wanted */
	uint64_t stray; /* of those in user code that have no caller, or only one that is nowhere */
};

/* The last stacks of some threads, as text.  { 0 } is valid and empty. */
struct stacks {
	struct known_stack *known; /* by the low bits of the tid; NULL until there is a chain */
	size_t bytes; /* of memory behind them */
};

/*
 * Samples that repeat the one before them: an event takes one of each occurrence, so these are of
 * another event of its kind.
 */
struct confusion {
	uint64_t samples; /* the number of these */
	size_t event; /* whose id the first of them has, as an index */
	uint64_t id, time, ip; /* of the last sample of a repeated event */
	uint32_t tid;
};

/* { .run = ..., .lost.before = ... } is valid at the start of a recording. */
struct samples {
	struct run *run;
	const struct cur *user_part; /* of the current sample, if it came later; else NULL */
	uint64_t plain; /* the number of samples printed without a callchain */
	uint64_t with_chain; /* of those with one, which may be empty */
	uint64_t longer; /* number of samples with bytes after the known fields */
	struct confusion confusion;
	struct losses lost;
	struct recent_time recent_time;
	struct recent_id_tag recent_ids[RECENT_IDS]; /* by the low bits of the id */
	struct recent_where recent_where[RECENT_WHERES]; /* by thread, CPU and mode */
	struct callers callers;
	uint32_t changes; /* those of the state when the last origin line was written */
	struct buf lbr_words; /* the current chain, if branches are a part of it */
	struct stacks stacks;
};

void samples_free(struct samples *to);

/* Returns the number of samples that have been printed. */
static inline uint64_t
samples_printed(const struct samples *to)
{
	return to->plain + to->with_chain;
}

int sample_emit(struct samples *to, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* ---- callers.c: unwinds stack copies, counts stacks that end early */

/*
 * Writes an incomplete line for each reason and object, and stores the reasons why copies were not
 * unwound in text, for a message.  Returns false if all of them were, completely.
 */
bool callers_end(struct samples *to, char *text, size_t size);

/* Returns what to do about the most frequent reason, for the end of that message, or "". */
const char *callers_advice(const struct callers *c);

/* ---- counters.c: the lines of a READ record, which has the counters of a thread that ended */

int read_emit(struct samples *to, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* ---- counters.c: the lines of records that report losses */

/* Writes the lost line of a record that reports losses.  Writes nothing for other records. */
void loss_emit(struct samples *to, const struct rec *r);

/* Returns true if the lost line of r contains all of r. */
bool loss_is_all(const struct rec *r, bool big_endian);

/* ---- perfstat.c: the counters of perf stat record */

/*
 * A STAT record has a counter's running total.  The STAT_ROUND after the STAT records of an
 * interval gives the time of its end.  Each counter is then printed as a sample.
 *
 * Layout: struct perf_record_stat and its neighbours in tools/lib/perf/include/perf/event.h.
 */

/* An entry of THREAD_MAP. */
struct target {
	uint32_t tid; /* UINT32_MAX: any */
	char comm[THREAD_COMM_SIZE * ESC_MAX_GROWTH]; /* escaped */
	size_t comm_len;
};

/* { .run = ... } is valid at the start of a recording. */
struct perfstat {
	struct run *run;
	struct target *target;
	size_t targets;
	struct cpumap cpus;
	bool unscaled; /* recorded with perf stat --no-scale */
	struct reading *waiting; /* readings that wait for the end of their round */
	size_t count, cap;
	struct idmap index; /* by event and by cpu and thread: index in last */
	struct counted *last;
	size_t lasts, last_cap;
	uint64_t round_end; /* of the previous round; 0: the beginning */
};

void perfstat_free(struct perfstat *s);

/*
 * Handles a THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT or STAT_ROUND record.  All its fields and items
 * are there: record_check has seen to that.
 */
int perfstat_take(struct perfstat *s, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Prints the readings that still wait for their round, and a note about events that were not
 * counted at all.
 */
void perfstat_end(struct perfstat *s);

#endif
