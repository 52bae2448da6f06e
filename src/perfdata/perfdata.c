/* SPDX-License-Identifier: ISC */
/* perfdata.c - decodes perf.data, in any of its modes, to the stream. */
#include "src/perfdata/perfdata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/attr/attrs.h"
#include "src/perfdata/decoder.h"

void
decoder_report(struct decoder *d, const struct err *e)
{
	char path[PATH_BYTES];
	struct err local = *e;
	const char *file = directory_place(&d->dir, &local, path, sizeof path);

	d->damaged = true;
	report_error(&d->opt->to, file, &local);
}

void
decoder_note(const struct decoder *d, const char *text)
{
	report_note(&d->opt->to, text);
}

static void
count_record(struct decoder *d, const struct rec *r)
{
	uint64_t time = r->type < REC_USER ? attrs_time(d, r) : 0;
	unsigned feature;

	stats_add(&d->stats, oldpipe_is(d, r, &feature) ? REC_HEADER_FEATURE : r->type, time);
	if (time != 0 && (!d->first_seen || time < d->first_time)) {
		d->first_seen = true;
		d->first_time = time;
	}
}

/* The error that stopped a record's turn, or the output. */
static void
take_failure(const struct decoder *d, struct err *e)
{
	if (d->failure.code != ERR_NONE)
		*e = d->failure;
	else
		err_nomem(e);
}

int
decoder_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	int rc;

	e->code = ERR_NONE;
	if (d->opt->stats)
		count_record(d, r);
	if (r->type < REC_USER) {
		rc = order_take(d, r, e);
	} else {
		rc = perfrec_take(d, f, r, e);
		run_hold_less(d);
	}
	if (rc != 0 && e->code == ERR_NONE)
		take_failure(d, e);
	return rc;
}

/*
 * Reads all records of one feed, or of one recording if several are joined: *another, unless
 * another is NULL, is then where the next begins.  An error that ends it early is in *e.
 */
static int
all_records(struct decoder *d, struct feed *f, uint64_t *another, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(f, &r, e)) == 1) {
		rc = decoder_record(d, f, &r, e);
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

int
decoder_read(struct decoder *d, struct in *in, uint64_t offset, uint64_t size, uint64_t *end,
    struct err *e)
{
	struct feed f;
	int rc;

	feed_open(&f, in, &d->blocks, d->big_endian, offset, size);
	rc = all_records(d, &f, NULL, e);
	*end = f.offset;
	feed_close(&f);
	return rc;
}

static void
say_unfinished(struct decoder *d)
{
	struct err e;

	err_byte(&e, 48,
	    "the recording was never finished (data size 0): its records are read to the end "
	    "of the file, and what would follow them is not known");
	decoder_report(d, &e);
}

/* The state at the start of a recording. */
static int
begin_recording(struct decoder *d, struct err *e)
{
	tasks_init(&d->tasks);
	d->frames = frames_open(&d->dsos, d->w);
	if (d->frames == NULL)
		return err_nomem(e);
	d->dsos.symbolizer = d->opt->symbolizer;
	d->dsos.kallsyms = d->kallsyms;
	run_hold(d);
	return 0;
}

static void
free_recording(struct decoder *d)
{
	size_t i;

	queue_free(&d->queue);
	defer_free(&d->defer);
	tracedata_free(&d->tracing);
	tasks_free(&d->tasks);
	frames_close(d->frames);
	idmap_free(&d->cgroups.number);
	tab_free(&d->cgroups.path);
	buf_free(&d->cgroups.scratch);
	dsos_free(&d->dsos);
	idmap_free(&d->ids);
	statrec_free(d->statrec);
	for (i = 0; i < d->attrs; i++)
		attr_free(&d->attr[i]);
	mem_free(d->attr);
	buf_free(&d->lbr_words);
	buf_free(&d->split);
	buf_free(&d->old_names);
	buf_free(&d->facts.host);
	buf_free(&d->facts.os);
	buf_free(&d->facts.version);
	buf_free(&d->facts.arch);
	buf_free(&d->facts.cmdline);
	buf_free(&d->run);
	buf_free(&d->run_column);
}

/* Trace data (Intel PT, CoreSight, SPE) are most of such a recording, so a note reports them. */
static void
say_trace(const struct decoder *d)
{
	char text[120];

	if (d->trace_bytes == 0)
		return;
	snprintf(text, sizeof text, "%" PRIu64 " bytes of a processor's trace are not decoded%s",
	    d->trace_bytes, d->opt->all ? "" : "; --all lists where they are");
	decoder_note(d, text);
}

/* A stack without its callers looks like one that has none, so a note reports it. */
static void
say_not_unwound(const struct decoder *d)
{
	uint64_t n = d->w->count[MARK_NOT_UNWOUND];
	char text[320];

	if (n == 0)
		return;
	snprintf(text, sizeof text,
	    "the callers in user code of %" PRIu64 " of %" PRIu64
	    " samples are missing: the recording has copies of their stacks, which perfdec does "
	    "not unwind (record with --call-graph fp or lbr for complete stacks)",
	    n, d->samples);
	decoder_note(d, text);
}

/*
 * Releases what still waits, in order, and the lines that waited for the run id, after
 * damage, too (then rc is not 0).  Returns the first error.
 */
static int
end_recording(struct decoder *d, int rc, struct err *e)
{
	struct err flush_e = { .code = ERR_NONE };

	if (d->queue.blocks != NULL && (rc == 0 || rc == ERR_DATA || rc == ERR_STOP)) {
		int last = order_flush(d, UINT64_MAX, &flush_e);

		if (last == 0)
			last = defer_end(d);
		if (last != 0 && flush_e.code == ERR_NONE)
			take_failure(d, &flush_e);
		if (last != 0 && rc == ERR_DATA)
			decoder_report(d, e);
		if (last != 0 && rc != ERR_STOP) {
			*e = flush_e;
			rc = last;
		}
	}
	if (rc == ERR_SYS || evw_failed(d->w)) {
		run_drop(d);
		return rc;
	}
	statrec_end(d);
	if (evw_is_holding(d->w) &&
	    (d->attrs > 0 || evw_held(d->w).len != 0 || (d->opt->stats && d->queue.blocks != NULL)))
		run_begin(d, NULL);
	evw_release(d->w);
	if (d->opt->stats && d->run_known)
		stats_emit(d);
	say_trace(d);
	unknown_tell(d);
	return rc;
}

/* Pipes joined by cat: the next recording has its own events, ids and tasks. */
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
		.dir = d->dir,
		.kallsyms = d->kallsyms,
		.damaged = d->damaged,
		.failed = d->failed,
		.samples = d->samples,
		.lost_before = d->w->count[MARK_LOST] };
	if (begin_recording(d, e) != 0 || header_read_joined(d, f, offset, e) != 0)
		return e->code;
	queue_init(&d->queue, &d->blocks, d->big_endian);
	return 0;
}

/* Reports a stream that was cut after its header: perf sends the events first. */
static void
say_no_events(struct decoder *d, uint64_t offset)
{
	struct err e;

	if (evw_failed(d->w))
		return;
	err_byte(&e, offset, "the recording ends before any event");
	decoder_report(d, &e);
}

/* perf's pipe format: one recording, or several after each other. */
static int
read_pipe(struct decoder *d, uint64_t offset, struct err *e)
{
	struct feed f;
	uint64_t another;
	int rc;

	feed_open(&f, &d->in, &d->blocks, d->big_endian, offset, UINT64_MAX);
	do {
		d->pipe = true;
		another = 0;
		rc = all_records(d, &f, &another, e);
		if (rc == 0 && d->attrs == 0)
			say_no_events(d, another != 0 ? another : f.offset);
		if (rc == 0 && another != 0)
			rc = next_recording(d, &f, another, e);
	} while (rc == 0 && another != 0 && !evw_failed(d->w));
	feed_close(&f);
	return rc;
}

static int
read_file(struct decoder *d, const struct layout *l, struct err *e)
{
	uint64_t end = 0;
	int rc;

	if (l->unfinished)
		say_unfinished(d);
	if (d->opt->header && d->in.seekable)
		return 0;
	siblings_find(d, l->unfinished);
	rc = decoder_read(d, &d->in, l->data, l->size, &end, e);
	if (!d->directory || (rc != 0 && rc != ERR_DATA))
		return rc;
	if (rc == ERR_DATA)
		decoder_report(d, e);
	return siblings_read(d, (end > d->in.size ? end : d->in.size) + 1, e);
}

/* Everything between the marks. */
static int
decode(struct decoder *d, struct err *e)
{
	struct layout l;
	int rc;

	if (begin_recording(d, e) != 0)
		return e->code;
	rc = header_read(d, &l, e);
	if (rc == 0) {
		queue_init(&d->queue, &d->blocks, d->big_endian);
		rc = l.pipe ? read_pipe(d, l.data, e) : read_file(d, &l, e);
	}
	return end_recording(d, rc, e);
}

/* Sets PATH to DIR/NAME and *mode to its mode, 0 if it is not accessible.  ERR_SYS: not known. */
static int
look_for(const char *dir, const char *name, char path[PATH_BYTES], mode_t *mode, struct err *e)
{
	struct stat st = { .st_mode = 0 };
	int n = snprintf(path, PATH_BYTES, "%s/%s", dir, name);

	if (n < 0 || n >= PATH_BYTES)
		err_sys(e, ENAMETOOLONG, "cannot open");
	else if (stat(path, &st) == 0)
		e->code = ERR_NONE;
	else
		err_sys(e, errno, "cannot read");
	*mode = st.st_mode;
	return e->code == ERR_NONE || file_is_away(e) ? 0 : e->code;
}

static bool
is_directory(const char *name)
{
	struct stat st;

	return strcmp(name, "-") != 0 && stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The kernel's symbols from perf record --kcore; without them only names are lost. */
static int
find_kallsyms(struct decoder *d, char path[PATH_BYTES], struct err *e)
{
	mode_t mode;

	if (d->opt->symbolizer == NULL)
		return 0;
	if (look_for(d->dir.path, "kcore_dir/kallsyms", path, &mode, e) != 0)
		return e->code;
	if (S_ISREG(mode))
		d->kallsyms = path;
	return 0;
}

/* Opens NAME or NAME/data.  KALLSYMS has room for a path. */
static int
open_input(struct decoder *d, const char *name, char kallsyms[PATH_BYTES], struct err *e)
{
	char data[PATH_BYTES];
	mode_t mode;
	int rc;

	if (!is_directory(name))
		return in_open(&d->in, name, e);
	if (look_for(name, "data", data, &mode, e) != 0)
		return e->code;
	if (mode == 0)
		return in_open(&d->in, name, e);
	d->dir.path = name;
	rc = in_open_regular(&d->in, data, e);
	if (rc != 0)
		err_at_byte(e, 0);
	return rc != 0 ? rc : find_kallsyms(d, kallsyms, e);
}

int
perf_decode(const char *name, const struct perf_options *opt, struct evwrite *w, struct err *e)
{
	struct decoder *d = mem_zero(1, sizeof *d);
	char kallsyms[PATH_BYTES];
	int rc;

	if (d == NULL) {
		err_nomem(e);
		report_error(&opt->to, NULL, e);
		return e->code;
	}
	d->opt = opt;
	d->w = w;
	d->in.fd = -1;
	rc = open_input(d, name, kallsyms, e);
	if (rc == 0) {
		d->in.idle = &w->out;
		rc = decode(d, e);
		say_not_unwound(d);
	}
	if (rc == ERR_DATA || (rc == ERR_SYS && !evw_failed(w)))
		decoder_report(d, e);
	else if (rc == 0 && d->failed)
		rc = err_sys(e, EIO, "failed");
	else if (rc == 0 && d->damaged)
		rc = err_data(e, "damaged");
	free_recording(d);
	in_close(&d->in);
	directory_free(&d->dir);
	blocks_free(&d->blocks);
	mem_free(d);
	return rc;
}
