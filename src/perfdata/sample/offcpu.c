/* SPDX-License-Identifier: ISC */
/*
 * offcpu.c - the samples of perf record --off-cpu: how long threads were off the processor.
 *
 * Layout: off_cpu_write() in tools/perf/util/bpf_off_cpu.c writes one sample for each thread and
 * stack at the end of the recording.  Their times are OFF_CPU_TIME and above, so that they are
 * sorted after all others, and their processor is always 0.  Since perf 6.16 the other fields
 * are zero, too, and the raw bytes have the values: u32 pid, tid; u64 period; u64 nr, ips[nr];
 * u64 cgroup (__set_offcpu_sample() in tools/perf/util/evsel.c).  A thread that was off for
 * longer than --off-cpu-thresh gets a sample with the same raw bytes at once, in which the kernel
 * has set the time and the processor (off_cpu_dump() in
 * tools/perf/util/bpf_skel/off_cpu.bpf.c).  That function stores the tid before the pid.
 */
#include <inttypes.h>

#include "src/perfdata/sample/parts.h"

/* Swaps the two if only that makes them a thread that the recording has. */
static void
order_ids(const struct tasks *tasks, struct sample *s)
{
	uint32_t first = s->pid;

	if (first == s->tid || tasks_has(tasks, first, s->tid) || !tasks_has(tasks, s->tid, first))
		return;
	s->pid = s->tid;
	s->tid = first;
}

/* Takes the fields from the raw bytes.  Returns false if they are too short. */
static bool
take_raw(struct sample *s, struct cur c)
{
	struct cur ips;

	s->pid = cur_u32(&c);
	s->tid = cur_u32(&c);
	s->period = cur_u64(&c);
	sample_take_chain(s, &c);
	s->cgroup = cur_u64(&c);
	s->have |= S_CALLCHAIN;
	ips = s->chain;
	(void)cur_u64(&ips); /* the marker of user mode */
	s->ip = cur_u64(&ips);
	if (!cur_ok(&ips))
		s->have &= ~S_IP;
	return cur_ok(&c);
}

int
off_cpu_take(struct samples *to, struct sample_line *l, struct sample *s, struct err *e)
{
	const struct events *ev = to->run->events;
	uint64_t have = s->have;

	if ((have & S_TIME) != 0 && s->time >= OFF_CPU_TIME)
		s->have &= ~(S_TIME | S_CPU);
	if (!l->event->off_cpu || (have & S_RAW) == 0)
		return 0;
	if (!take_raw(s, cur_over(s->raw, s->raw_size, ev->big_endian)))
		return err_byte(e, l->rec->offset,
		    "sample of %s with %" PRIu32 " raw bytes is too short for its contents",
		    OFF_CPU_NAME, s->raw_size);
	l->mode = MODE_USER;
	order_ids(&to->run->state->tasks, s);
	return 0;
}
