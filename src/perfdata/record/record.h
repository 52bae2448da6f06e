/* SPDX-License-Identifier: ISC */
/*
 * record.h - the parts of the lines of records other than samples.
 *
 * Layouts: include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h and,
 * from 32769 on, simpleperf/record.h of the Android Open Source Project.
 */
#ifndef AFPIPE_PERFDATA_RECORD_H
#define AFPIPE_PERFDATA_RECORD_H

#include "src/perfdata/decoder.h"

/* How to make the line of a type of record. */
struct form {
	const char *kind;
	const char *fields; /* the text of fields.h */
	/* Writes tags of what follows the fields, at c, with n items; NULL for nothing. */
	void (*rest)(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
	/* Is all of that there?  c is at the record's first field.  NULL: always. */
	bool (*fits)(struct cur c);
};

/* NULL for an unknown type.  SAMPLE has a form without fields. */
const struct form *form_of(uint32_t type);

/* others.c */
/* A cursor over a record's fields without its trailer. */
struct cur record_body(struct decoder *d, const struct rec *r);
/* Writes the columns and the first four tags; NULL for no value. */
void record_head(struct decoder *d, struct slice kind, const struct trailer *t,
    struct slice measure, const uint64_t *value);
/* Writes the last tag and ends the line. */
void record_end(struct decoder *d);
/* The trailer of a kernel record; records that perf makes up have none. */
struct trailer record_trailer(struct decoder *d, const struct rec *r);
/* Writes the whole line, from a body that need not be r's own. */
void record_line(struct decoder *d, const struct rec *r, struct cur body);

/* loss.c: does r's lost line contain all of it? */
bool loss_is_told(const struct decoder *d, const struct rec *r);

/* kernrec.c: the kernel's records */
void kernrec_mmap(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void kernrec_mmap2(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void kernrec_comm(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void kernrec_fork(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void kernrec_switch(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void kernrec_namespaces(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
bool kernrec_namespaces_fit(struct cur c);
void kernrec_bpf(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void kernrec_poke(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
bool kernrec_poke_fits(struct cur c);
void kernrec_chain(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);

/* userrec.c: perf's own */
void userrec_attr(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_id_index(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_auxtrace_info(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_auxtrace_error(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_thread_map(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_cpus(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_stat_config(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_event_update(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_compressed(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void userrec_metadata(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
bool userrec_metadata_fits(struct cur c);
void userrec_counters(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);

/* simpleperf.c: those of Android's recorder */
void simpleperf_bytes(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void simpleperf_dso(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void simpleperf_rest(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void simpleperf_ids(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void simpleperf_chain(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);
void simpleperf_text(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n);

#endif
