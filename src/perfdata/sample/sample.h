/* SPDX-License-Identifier: ISC */
/*
 * sample.h - the contents of a SAMPLE record, and the sample_id trailer of the others.
 *
 * Layout: the comment above PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.
 * Pointers go into the record.
 */
#ifndef AFPIPE_PERFDATA_SAMPLE_H
#define AFPIPE_PERFDATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "lib/hint.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attr.h"
#include "src/perfdata/input/block.h"

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
	struct cur branch_counters; /* u64 each, empty where not recorded */
	uint64_t user_abi, intr_abi;
	struct cur user_regs, intr_regs; /* u64 each */
	uint64_t stack_size, stack_dynamic;
	const unsigned char *stack;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page, code_page;
	uint64_t aux_size;
	const unsigned char *aux;
	struct cur rest; /* after all known fields: less than 8 bytes are padding */
};

/* Takes the next word. */
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

/* Takes the fields of fixed length; the caller has checked that they fit. */
static HINT_INLINE void
sample_take_head(struct sample *s, const unsigned char *p, bool swap)
{
	uint64_t have = s->have;

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

/* Takes what follows the head.  False if anything extends beyond the record's end. */
bool sample_take_rest(struct sample *s, const struct attr *a, struct cur *c);

int sample_say_bad(const struct attr *a, const struct rec *r, struct err *e);

/*
 * Decodes r, a SAMPLE with the layout of a.  ERR_DATA if anything extends beyond its end, or the
 * length of its counters cannot be known.
 */
static HINT_INLINE int
sample_decode(struct sample *s, const struct attr *a, const struct rec *r, bool big_endian,
    struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, big_endian);
	const unsigned char *head = cur_take(&c, a->head_size);

	if (head == NULL)
		return sample_say_bad(a, r, e);
	s->have = a->sample_type;
	s->id = s->ip = 0;
	s->period = (a->flags & A_FREQ) != 0 ? 1 : a->period;
	if (c.swap)
		sample_take_head(s, head, true);
	else
		sample_take_head(s, head, false);
	if ((s->have & ~S_HEAD) != 0 && !sample_take_rest(s, a, &c))
		return sample_say_bad(a, r, e);
	s->rest = c;
	return 0;
}

/* One entry of a read_format part; fields not in its format are 0. */
struct counter {
	uint64_t format;
	uint64_t id, value, enabled, running, lost;
};

/* Walks the counters of a read_format part: begin, then next until it returns false. */
struct counters {
	struct cur c;
	uint64_t format, left, enabled, running;
};

/* False if the part is damaged: more counters than bytes. */
bool counters_begin(struct counters *w, struct cur part, uint64_t read_format)
    __attribute__((warn_unused_result));
bool counters_next(struct counters *w, struct counter *out);

/* The trailer of records other than SAMPLE; fields without their bit are 0. */
struct trailer {
	uint64_t have;
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};

/* Decodes it from the end of r.  False if r is too short to have one. */
bool trailer_decode(struct trailer *t, const struct attr *a, const struct rec *r, bool big_endian);

#endif
