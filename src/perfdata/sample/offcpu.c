/* SPDX-License-Identifier: ISC */
/*
 * offcpu.c - the samples of perf record --off-cpu: how long threads were off the processor.
 *
 * Layout: off_cpu_write() in tools/perf/util/bpf_off_cpu.c writes one sample for each thread and
 * stack at the end of the recording.  Their times are OFF_CPU_TIME and above, so that they are sorted
 * behind all others, and their processor is always 0.
 */
#include "src/perfdata/sample/parts.h"

void
off_cpu_take(struct sample *s)
{
	if ((s->have & S_TIME) != 0 && s->time >= OFF_CPU_TIME)
		s->have &= ~(S_TIME | S_CPU);
}
