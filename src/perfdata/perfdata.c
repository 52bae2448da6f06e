/* SPDX-License-Identifier: ISC */
/* perfdata.c - perf.data, in any of its modes, to the stream. */
#include "src/perfdata/perfdata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define DIR_FILES_MAX 65536

/* Lines that wait for the run id, which the first sample makes; beyond this it is made without. */
#define HELD_MAX ((size_t)8 * 1024 * 1024)

/* More than the buffers of any machine hold, and so than a round can be. */
#define PATIENCE ((uint64_t)256 * 1024 * 1024)

void
decoder_report(struct decoder *d, const struct err *e)
{
	d->damaged = true;
	if (d->opt->report != NULL)
		d->opt->report(d->opt->ctx, e);
}

/* A record in its turn: names and maps first, so that its own line already knows them. */
static int
process(struct decoder *d, const struct rec *r)
{
	struct err e;
	int rc;

	if (r->type == REC_SAMPLE) {
		rc = emit_sample(d, r, &e);
	} else {
		rc = state_update(d, r, &e);
		if (rc == 0 && !others_fit(d, r))
			rc = err_byte(&e, r->offset,
			    "record of type %" PRIu32 " with %u bytes is too short", r->type,
			    r->size);
		emit_lost(d, r);
		if (r->type == REC_READ)
			rc = rc == 0 ? emit_read(d, r, &e) : rc;
		else if (d->opt->all)
			emit_other(d, r);
	}
	if (rc == ERR_DATA) {
		decoder_report(d, &e);
		rc = 0;
	} else if (rc != 0) {
		d->w->out.error = d->w->out.error ? d->w->out.error : ENOMEM;
	}
	if (d->w->out.hold && evw_held(d->w).len > HELD_MAX)
		run_begin(d, NULL);
	return evw_failed(d->w) ? ERR_SYS : rc;
}

/* What leaves the queue. */
static int
in_order(void *ctx, const struct rec *r)
{
	struct decoder *d = ctx;

	if (!d->first_seen) {
		d->first_seen = true;
		d->first_time = attrs_time(d, r);
	}
	return process(d, r);
}

static int
flush(struct decoder *d, uint64_t limit, struct err *e)
{
	return queue_flush(&d->queue, limit, in_order, d, e);
}

/*
 * Older than what has been printed: it is printed here and says so.
 */
static int
late(struct decoder *d, const struct rec *r)
{
	int rc;

	d->late = true;
	d->w->late += r->type == REC_SAMPLE || d->opt->all;
	rc = process(d, r);
	d->late = false;
	return rc;
}

/*
 * A pipe that goes on and on without a round, which perf record never makes, would be
 * spooled for ever.  So from PATIENCE bytes on only what fits in memory is sorted.
 */
static int
keep_window(struct decoder *d, struct err *e)
{
	if (d->in.seekable || d->ordered)
		return 0;
	if (!d->window && d->queue.spilled > PATIENCE) {
		d->window = true;
		if (d->opt->note != NULL)
			d->opt->note(d->opt->ctx,
			    "no rounds: from here on order is that of the last 32 MiB");
	}
	if (!d->window || d->queue.count == 0 || !queue_is_full(&d->queue))
		return 0;
	return flush(d, queue_middle(&d->queue), e);
}

static int
kernel_record(struct decoder *d, const struct rec *r, struct err *e)
{
	uint64_t time;

	if (d->attrs == 0)
		return err_byte(e, r->offset,
		    "a record before any event: the stream has lost its beginning");
	if (d->opt->header)
		return 0;
	time = attrs_time(d, r);
	if (time == 0)
		return process(d, r);
	if (time > d->newest)
		d->newest = time;
	if (time < d->queue.last)
		return late(d, r);
	if (keep_window(d, e) != 0)
		return e->code;
	return queue_add(&d->queue, time, r, e);
}

/*
 * What a round promises: nothing older than the newest record of the round before
 * will come (tools/perf/util/ordered-events.c).
 */
static int
finished_round(struct decoder *d, struct err *e)
{
	int rc;

	if (d->directory)
		return 0;
	rc = flush(d, d->next_limit, e);
	d->ordered = true;
	d->next_limit = d->newest;
	if (rc == 0 && !d->in.seekable && d->run_known)
		(void)evw_flush(d->w);
	return rc;
}

static int
header_attr(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, d->big_endian);

	if (attrs_add(d, &c, e) != 0) {
		e->place = ERR_BYTE;
		e->pos = r->offset;
		return e->code;
	}
	while (cur_left(&c) >= 8)
		if (attrs_add_id(d, d->attrs - 1, cur_u64(&c), e) != 0)
			return e->code;
	run_measure(d, &d->attr[d->attrs - 1]);
	return 0;
}

static int
header_feature(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, d->big_endian);
	uint64_t feature = cur_u64(&c);
	int rc = feature < FEAT_MAX ? feature_read(d, (unsigned)feature, c, e) : 0;

	if (rc == ERR_DATA) {
		e->place = ERR_BYTE;
		e->pos = r->offset;
	}
	return rc;
}

/* Two records have a payload that their size does not count. */
static int
payload(struct feed *f, const struct rec *r, struct err *e)
{
	struct cur c = cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, f->big_endian);
	uint64_t n = r->type == REC_TRACING_DATA ? cur_u32(&c) : cur_u64(&c);

	if (r->type == REC_TRACING_DATA)
		n = (n + 7) & ~(uint64_t)7;
	return cur_ok(&c) ? feed_skip(f, n, e)
			  : err_byte(e, r->offset, "record of %u bytes is too short", r->size);
}

static record_sink one_record;

/* Records of perf itself act where they are read. */
static int
user_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	int rc = 0;

	if (d->opt->all && r->type != REC_STAT)
		emit_other(d, r);
	switch (r->type) {
	case REC_FINISHED_ROUND: return finished_round(d, e);
	case REC_HEADER_ATTR: return header_attr(d, r, e);
	case REC_TRACING_DATA:
	case REC_AUXTRACE: return payload(f, r, e) == 0 ? 0 : (int)e->code;
	case REC_COMPRESSED:
	case REC_COMPRESSED2: return packed_records(d, f, r, one_record, e);
	case REC_EVENT_UPDATE: rc = attrs_update(d, r, e); break;
	case REC_THREAD_MAP:
	case REC_CPU_MAP:
	case REC_STAT_CONFIG:
	case REC_STAT:
	case REC_STAT_ROUND: rc = stats_record(d, r, e); break;
	case REC_HEADER_FEATURE: rc = header_feature(d, r, e); break;
	case REC_BUILD_ID: rc = feature_build_id(d, r, e); break;
	}
	if (rc == ERR_DATA) {
		if (e->place == ERR_NOWHERE) {
			e->place = ERR_BYTE;
			e->pos = r->offset;
		}
		decoder_report(d, e);
		rc = 0;
	}
	return rc;
}

static int
one_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	int rc;

	e->code = ERR_NONE;
	rc = r->type >= REC_USER ? user_record(d, f, r, e) : kernel_record(d, r, e);
	if (rc != 0 && e->code == ERR_NONE)
		err_sys(e, ENOMEM, "cannot go on");
	return rc;
}

/*
 * All records of one feed, or of one recording where several are joined: *another, unless
 * it is NULL, is then where the next begins.  What ends it early is in *e.
 */
static int
all_records(struct decoder *d, struct feed *f, uint64_t *another, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(f, &r, e)) == 1) {
		rc = one_record(d, f, &r, e);
		if (rc != 0 || evw_failed(d->w))
			return rc;
	}
	if (rc < 0)
		return (int)e->code;
	packed_end(d, f);
	if (rc == FEED_ANOTHER && another == NULL)
		return err_byte(e, r.offset, "another recording begins inside of the data");
	if (rc == FEED_ANOTHER)
		*another = r.offset;
	return 0;
}

static int
read_feed(struct decoder *d, struct in *in, uint64_t offset, uint64_t size, struct err *e)
{
	struct feed f;
	int rc;

	feed_open(&f, in, &d->blocks, d->big_endian, offset, size);
	rc = all_records(d, &f, NULL, e);
	feed_close(&f);
	return rc;
}

/* data.0, data.1, ... of a directory: records without a header, which the main file's describes. */
static int
read_siblings(struct decoder *d, const char *dir, struct err *e)
{
	char path[4096];
	struct stat st;
	struct in in;
	unsigned i;
	int rc = 0;

	for (i = 0; rc == 0 && i < DIR_FILES_MAX; i++) {
		int n = snprintf(path, sizeof path, "%s/data.%u", dir, i);

		if (n < 0 || (size_t)n >= sizeof path)
			return err_sys(e, ENAMETOOLONG, dir);
		if (stat(path, &st) != 0 && errno == ENOENT)
			break;
		if (in_open(&in, path, e) != 0)
			return e->code;
		rc = read_feed(d, &in, 0, UINT64_MAX, e);
		in_close(&in);
	}
	return rc;
}

static void
say_unfinished(struct decoder *d)
{
	struct err e;

	err_byte(&e, 48,
	    "the recording was never finished (data size 0): all records up to the end of "
	    "the file are read; what stands behind them is not known");
	decoder_report(d, &e);
}

/* What one recording begins with. */
static int
begin_recording(struct decoder *d, struct err *e)
{
	if (tasks_init(&d->tasks, e) != 0 || (d->frames = frames_open(&d->dsos)) == NULL)
		return err_nomem(e);
	d->dsos.symbolizer = d->opt->symbolizer;
	run_hold(d);
	return 0;
}

static void
free_recording(struct decoder *d)
{
	size_t i;

	queue_free(&d->queue);
	tasks_free(&d->tasks);
	frames_close(d->frames);
	dsos_free(&d->dsos);
	idmap_free(&d->ids);
	stats_free(d->stats);
	for (i = 0; i < d->attrs; i++)
		attr_free(&d->attr[i]);
	free(d->attr);
	buf_free(&d->facts.host);
	buf_free(&d->facts.os);
	buf_free(&d->facts.version);
	buf_free(&d->facts.arch);
	buf_free(&d->facts.cmdline);
	buf_free(&d->run);
	buf_free(&d->run_column);
}

/*
 * What still waits leaves, in order, and the lines that waited for the run id with it.
 * After damage too (rc says so); what comes first wrong is returned.
 */
static int
end_recording(struct decoder *d, int rc, struct err *e)
{
	struct err flush_e;

	if (d->queue.blocks != NULL && (rc == 0 || rc == ERR_DATA || rc == ERR_STOP)) {
		int last = flush(d, UINT64_MAX, &flush_e);

		if (last != 0 && rc == 0) {
			*e = flush_e;
			rc = last;
		}
	}
	stats_end(d);
	if (d->w->out.hold && (d->attrs > 0 || evw_held(d->w).len != 0))
		run_begin(d, NULL);
	evw_release(d->w);
	return rc;
}

/* Pipes that cat has joined: the next has events, ids and tasks of its own. */
static int
next_recording(struct decoder *d, struct feed *f, uint64_t offset, struct err *e)
{
	int rc = end_recording(d, 0, e);

	if (rc != 0)
		return rc;
	free_recording(d);
	*d = (struct decoder){ .opt = d->opt,
		.w = d->w,
		.in = d->in,
		.blocks = d->blocks,
		.damaged = d->damaged,
		.lost_before = d->w->lost };
	if (begin_recording(d, e) != 0 || header_read_joined(d, f, offset, e) != 0)
		return e->code;
	queue_init(&d->queue, &d->blocks, d->big_endian);
	return 0;
}

/* perf's pipe format: one recording, or several behind each other. */
static int
read_pipe(struct decoder *d, uint64_t offset, struct err *e)
{
	struct feed f;
	uint64_t another;
	int rc;

	feed_open(&f, &d->in, &d->blocks, d->big_endian, offset, UINT64_MAX);
	do {
		another = 0;
		rc = all_records(d, &f, &another, e);
		if (rc == 0 && another != 0)
			rc = next_recording(d, &f, another, e);
	} while (rc == 0 && another != 0 && !evw_failed(d->w));
	feed_close(&f);
	return rc;
}

static int
read_file(struct decoder *d, const struct layout *l, const char *dir, struct err *e)
{
	int rc;

	if (d->opt->header && d->in.seekable)
		return 0;
	if (l->unfinished)
		say_unfinished(d);
	rc = read_feed(d, &d->in, l->data, l->size, e);
	return rc == 0 && dir != NULL ? read_siblings(d, dir, e) : rc;
}

/* Everything between the marks.  dir is NULL for a plain file. */
static int
decode(struct decoder *d, const char *dir, struct err *e)
{
	struct layout l;
	int rc;

	if (begin_recording(d, e) != 0)
		return e->code;
	d->directory = dir != NULL;
	rc = header_read(d, &l, e);
	if (rc == 0) {
		queue_init(&d->queue, &d->blocks, d->big_endian);
		rc = l.pipe ? read_pipe(d, l.data, e) : read_file(d, &l, dir, e);
	}
	return end_recording(d, rc, e);
}

static bool
is_directory(const char *name, char *inner, size_t size)
{
	struct stat st;

	if (strcmp(name, "-") == 0 || stat(name, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	return snprintf(inner, size, "%s/data", name) < (int)size && stat(inner, &st) == 0;
}

int
perf_decode(const char *name, const struct perf_options *opt, struct evwrite *w, struct err *e)
{
	struct decoder *d = calloc(1, sizeof *d);
	char inner[4096];
	bool dir = is_directory(name, inner, sizeof inner);
	int rc;

	if (d == NULL)
		return err_nomem(e);
	d->opt = opt;
	d->w = w;
	rc = in_open(&d->in, dir ? inner : name, e);
	if (rc == 0) {
		d->in.idle = &w->out;
		rc = decode(d, dir ? name : NULL, e);
	}
	if (rc == ERR_DATA)
		decoder_report(d, e);
	else if (rc == 0 && d->damaged)
		rc = err_data(e, "damaged");
	free_recording(d);
	in_close(&d->in);
	blocks_free(&d->blocks);
	free(d);
	return rc;
}
