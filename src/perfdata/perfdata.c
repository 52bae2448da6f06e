/* SPDX-License-Identifier: ISC */
/*
 * perfdata.c - reads one recording from beginning to end, with all its files if it is a directory,
 * or several recordings in a row.
 */
#include "src/perfdata/perfdata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/mem.h"
#include "src/perfdata/decoder.h"

/*
 * Reads all records of one feed, or of one recording if several are joined.  In the latter case, if
 * ANOTHER is not NULL, *another is the offset where the next recording begins.  An error that ends
 * reading early is in *e.
 */
static int
all_records(struct decoder *d, struct feed *f, uint64_t *another, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(f, &r, e)) == 1) {
		rc = records_take(d, f, &r, e);
		if (rc != 0 || evw_failed(d->w))
			return rc;
	}
	if (rc < 0)
		return (int)e->code;
	packed_end(&d->input, f);
	if (rc == FEED_ANOTHER && another == NULL)
		return err_byte(e, r.offset, "another recording begins inside the data");
	if (rc == FEED_ANOTHER)
		*another = r.offset;
	return 0;
}

/*
 * Reads SIZE bytes of records, or all of them.  The first one is at OFFSET, and *end is the offset
 * after the last one.
 */
static int
read_section(struct decoder *d, struct in *in, uint64_t offset, uint64_t size, uint64_t *end,
    struct err *e)
{
	struct feed f;
	int rc;

	feed_open(&f, in, &d->input.blocks, d->events.big_endian, offset, size);
	rc = all_records(d, &f, NULL, e);
	*end = f.offset;
	feed_close(&f);
	return rc;
}

/* ---- reports about the whole recording */

static void
report_unfinished(struct decoder *d)
{
	struct err e;

	err_byte(&e, 48,
	    "the recording was never finished (data size 0): its records are read to the end "
	    "of the file, and the data that would follow them are missing");
	input_report(&d->input, &e);
}

/*
 * Writes a note about trace data (Intel PT, CoreSight, SPE), since they make up most of a recording
 * that has them.
 */
static void
note_trace(const struct decoder *d)
{
	char text[120];

	if (d->trace_bytes == 0)
		return;
	snprintf(text, sizeof text, "%" PRIu64 " bytes of a processor's trace are not decoded%s",
	    d->trace_bytes, d->opt->all ? "" : "; --all lists where they are");
	input_note(&d->input, text);
}

/* Notes errors of perf inject, which decodes such data: samples are missing at these places. */
static void
note_trace_errors(const struct decoder *d)
{
	char text[160];

	if (d->trace_errors == 0)
		return;
	(void)snprintf(text, sizeof text,
	    "perf could not decode a processor's trace at %" PRIu64
	    " place%s, where samples are missing%s",
	    d->trace_errors, d->trace_errors == 1 ? "" : "s",
	    d->opt->all ? "" : "; --all lists them");
	input_note(&d->input, text);
}

/*
 * Reports that some stacks end early, since they look like complete ones: an error if most of them
 * do, otherwise a note.
 */
static void
report_early_ends(struct decoder *d, const char *text, bool most)
{
	struct err e;

	if (!most) {
		input_note(&d->input, text);
		return;
	}
	err_data(&e, "%s", text);
	report_error(&d->opt->to, NULL, &e);
}

/* Reports copies of stacks that were not unwound completely. */
static void
report_callers(struct decoder *d)
{
	const struct callers *c = &d->samples.callers;
	char why[400], text[640];

	if (!callers_end(&d->samples, why, sizeof why))
		return;
	snprintf(text, sizeof text,
	    "some callers in user code are not known for %" PRIu64 " of %" PRIu64
	    " samples with copies of their stacks (%s)%s",
	    c->incomplete, c->copies, why, callers_advice(c));
	report_early_ends(d, text, d->opt->unwinder != NULL && c->incomplete > c->copies / 2);
}

static void
report_cut_chains(struct decoder *d)
{
	uint64_t cut = d->samples.callers.cut, all = d->samples.with_chain;
	char text[240];

	if (cut == 0)
		return;
	snprintf(text, sizeof text,
	    "some callers are not known for %" PRIu64 " of %" PRIu64
	    " samples with callchains, which have a value that is neither an address nor a "
	    "known marker",
	    cut, all);
	report_early_ends(d, text, cut > all / 2);
}

#define NAME_SHOWN 80 /* bytes of an event's name in a message */

/* Reports samples that seem to be of another event than they are. */
static void
report_confusion(struct decoder *d)
{
	const struct confusion *c = &d->samples.confusion;
	struct slice name;
	struct err e;

	if (c->samples == 0)
		return;
	name = buf_slice(&d->events.item[c->event].name);
	err_data(&e,
	    "%" PRIu64 " sample%s seem%s to have the id of another event (the first that of %.*s), "
	    "as the kernel does where a software event is recorded more than once: the values of "
	    "these events are wrong (record them one at a time)",
	    c->samples, c->samples == 1 ? "" : "s", c->samples == 1 ? "s" : "",
	    slice_shown(name, NAME_SHOWN), name.p);
	report_error(&d->opt->to, NULL, &e);
}

/* Notes that the kernel has cut stacks at its limit. */
static void
note_full_chains(const struct decoder *d)
{
	char text[240];

	if (d->samples.callers.full == 0)
		return;
	snprintf(text, sizeof text,
	    "the outermost functions are missing in %" PRIu64 " of %" PRIu64
	    " stacks, since the kernel records only so many addresses (sysctl "
	    "kernel.perf_event_max_stack, or max-stack of the event)",
	    d->samples.callers.full, d->samples.with_chain);
	input_note(&d->input, text);
}

/* Notes that copies of stacks have more frames than --max-stack. */
static void
note_deeper_copies(const struct decoder *d)
{
	const struct callers *c = &d->samples.callers;
	char text[240];

	if (c->deeper == 0)
		return;
	snprintf(text, sizeof text,
	    "the outermost functions are missing in %" PRIu64 " of %" PRIu64
	    " samples with copies of their stacks, since only %zu frames of each are unwound%s",
	    c->deeper, c->copies, d->opt->max_stack,
	    d->opt->max_stack < PERF_STACK_MAX ? " (--max-stack N unwinds more)" : "");
	input_note(&d->input, text);
}

#define STRAY_MIN 20 /* a few are usual */
#define STRAY_PART 20 /* and so is one in this many */

/* Notes that the callers of functions are missing where there seem to be some. */
static void
note_stray_callers(const struct decoder *d)
{
	uint64_t stray = d->samples.callers.stray, all = d->samples.with_chain;
	char text[320];

	if (stray < STRAY_MIN || stray < all / STRAY_PART)
		return;
	snprintf(text, sizeof text,
	    "callers are missing in %" PRIu64 " of %" PRIu64
	    " stacks: there is none, or the only one is where nothing is mapped, since the "
	    "function used the frame pointer for something else (perf record --call-graph dwarf "
	    "finds them, or build with -fno-omit-frame-pointer)",
	    stray, all);
	input_note(&d->input, text);
}

/* Reports what --wall and --tag need and the recording does not have. */
static void
report_lacks(struct decoder *d)
{
	struct err e;

	if (d->run.timeless) {
		err_data(&e,
		    "the recording has no clock that can be converted to the time of day, so lines "
		    "have no times%s",
		    d->run.counting ? "" : ": record with 'perf record -k CLOCK_MONOTONIC'");
		input_refuse(&d->input, &e);
		d->w->lacks = "no time of day in the recording";
	}
	if (d->opt->tag_host && d->run.known && d->run.origin.host.len == 0)
		input_note(&d->input, "the recording does not name its host, so host is \".\"");
}

/* Returns true if the event takes a sample each time it happens. */
static bool
is_each_sampled(const struct event *event)
{
	const struct attr *a = &event->attr;

	return (a->flags & A_FREQ) == 0 && a->period == 1;
}

/* Returns true for a dummy, which only asks for records of other types, and with perf record -n. */
static bool
is_never_sampled(const struct event *event)
{
	const struct attr *a = &event->attr;

	return a->period == 0 || (a->type == PTYPE_SOFTWARE && a->config == SW_DUMMY);
}

static const char *
why_no_samples(const struct events *v)
{
	size_t i;
	bool never = true;

	for (i = 0; i < v->count; i++) {
		if (is_never_sampled(&v->item[i]))
			continue;
		never = false;
		if (!is_each_sampled(&v->item[i]))
			return "the program ended, or was idle, before the first one was due (perf "
			       "record -F or -c takes more)";
	}
	return never ? "its events take none (--all prints its other records)"
		     : "none of its events happened";
}

/* Returns true if a recording without samples has other contents, or has not been read whole. */
static bool
explains_no_samples(const struct decoder *d)
{
	return d->run.counting || d->run.counted || d->trace_bytes != 0 ||
	    d->unknown.records != 0 || d->input.damaged ||
	    (d->input.siblings != 0 && !d->order.directory) || d->events.count == 0;
}

/* Notes that a whole recording has no samples, since programs after this one only find nothing. */
static void
note_no_samples(const struct decoder *d)
{
	uint64_t lost = d->w->count[MARK_LOST] - d->samples.lost.before;
	char text[160];

	if (samples_printed(&d->samples) != 0 || d->opt->all || d->opt->header || d->opt->stats ||
	    explains_no_samples(d))
		return;
	if (lost != 0)
		(void)snprintf(text, sizeof text,
		    "the recording has no samples: events that were lost: %" PRIu64, lost);
	else
		(void)snprintf(text, sizeof text, "the recording has no samples: %s",
		    why_no_samples(&d->events));
	input_note(&d->input, text);
}

/* Notes that perf record has not recorded all mappings of processes that were running before it. */
static void
note_unread_maps(const struct decoder *d)
{
	uint64_t n = d->state.unread;
	char text[200];

	if (n == 0)
		return;
	(void)snprintf(text, sizeof text,
	    "mappings are missing, and code in them has no names: perf could not read those of "
	    "%" PRIu64 " process%s in time (perf record --proc-map-timeout)",
	    n, n == 1 ? "" : "es");
	input_note(&d->input, text);
}

static void
note_longer(const struct decoder *d)
{
	char text[120];

	if (d->samples.longer == 0)
		return;
	(void)snprintf(text, sizeof text, "%" PRIu64 " sample%s had bytes after the known fields%s",
	    d->samples.longer, d->samples.longer == 1 ? "" : "s",
	    d->opt->all ? ": tag rest" : "; --all prints them");
	input_note(&d->input, text);
}

/* ---- one recording */

/* Sets the state at the start of a recording.  It must be zeroed beforehand. */
static int
begin_recording(struct decoder *d, struct err *e)
{
	struct state_origin origin = {
		.kallsyms = d->input.kallsyms[0] != '\0' ? d->input.kallsyms : NULL,
		.release = &d->run.origin.os,
		.host = &d->run.origin.host,
		.end = d->input.in.changed,
	};

	d->run.w = d->w;
	d->run.opt = d->opt;
	d->run.input = &d->input;
	d->run.events = &d->events;
	d->run.state = &d->state;
	d->header.run = d->samples.run = d->stat.run = &d->run;
	d->samples.lost.before = d->w->count[MARK_LOST];
	d->order.wanted = !d->opt->header && !d->opt->stats;
	if (state_open(&d->state, d->w, d->opt, &d->events, &origin, e) != 0)
		return e->code;
	run_hold(&d->run);
	return 0;
}

static void
free_recording(struct decoder *d)
{
	order_free(&d->order);
	records_free(d);
	perfstat_free(&d->stat);
	samples_free(&d->samples);
	state_free(&d->state);
	events_free(&d->events);
	run_free(&d->run);
}

/*
 * Releases the records that still wait, in order, and the lines that waited for the run id.  This
 * is also done after damage, when rc is not 0.  Returns the first error.
 */
static int
end_recording(struct decoder *d, int rc, struct err *e)
{
	bool begun = d->order.queue.blocks != NULL;
	struct err last_e;

	if (begun && (rc == 0 || rc == ERR_DATA || rc == ERR_STOP)) {
		int last = order_end(d, &last_e);

		if (last != 0 && rc == ERR_DATA)
			input_report(&d->input, e);
		if (last != 0 && rc != ERR_STOP) {
			*e = last_e;
			rc = last;
		}
	}
	if (rc == ERR_SYS || evw_failed(d->w)) {
		run_drop(&d->run);
		return rc;
	}
	perfstat_end(&d->stat);
	if (evw_is_holding(d->w) &&
	    (d->events.count > 0 || evw_held(d->w).len != 0 || (d->opt->stats && begun)))
		run_begin_without_sample(&d->run);
	evw_release(d->w);
	if (d->opt->stats && d->run.known)
		stats_put(&d->stats, &d->run);
	state_report_unnamed(&d->state);
	report_callers(d);
	report_cut_chains(d);
	report_confusion(d);
	note_full_chains(d);
	note_deeper_copies(d);
	note_stray_callers(d);
	note_trace(d);
	note_trace_errors(d);
	note_longer(d);
	note_unread_maps(d);
	if (rc == 0)
		note_no_samples(d);
	report_lacks(d);
	run_note_same_names(&d->run);
	unknown_note(&d->unknown, &d->run);
	return rc;
}

/* Begins the next of several recordings joined by cat.  It has its own events, ids and tasks. */
static int
next_recording(struct decoder *d, struct feed *f, uint64_t offset, struct err *e)
{
	int rc = end_recording(d, 0, e);

	if (rc != 0)
		return rc;
	free_recording(d);
	*d = (struct decoder){ .opt = d->opt,
		.w = d->w,
		.input = d->input,
		.samples_before = d->samples_before + samples_printed(&d->samples) };
	if (begin_recording(d, e) != 0 || header_read_joined(&d->header, f, offset, e) != 0)
		return e->code;
	queue_init(&d->order.queue, &d->input.blocks, d->events.big_endian);
	return 0;
}

/*
 * ---- the other files of a directory, data.0, data.1, ...: records without a header of their own,
 * described by the header of DIR/data
 */

/*
 * Lists the other files.  Failing to list the directory matters only if it should contain more than
 * the file `data`.
 */
static void
list_siblings(struct decoder *d, bool unfinished)
{
	struct err e;
	int rc = input_list_siblings(&d->input, &e);

	d->order.directory = unfinished || (d->header.has_dir_format && d->header.dir_version != 0);
	if (rc != 0 && d->order.directory) {
		input_report(&d->input, &e);
		d->input.failed |= rc == ERR_SYS;
	}
	if (d->input.siblings > 0 && !d->order.directory)
		input_note(&d->input,
		    "data.0 and so on are not read: the header does not mention them");
	if (d->input.odd > 0)
		input_note(&d->input, "files named data.* but without a number are not read");
}

static void
report_alone(struct decoder *d)
{
	struct err e;

	err_byte(&e, 72,
	    "this is one file of a directory, whose other files (data.0 and so on) are not read: "
	    "give the directory");
	input_report(&d->input, &e);
}

static void
find_siblings(struct decoder *d, bool unfinished)
{
	if (d->input.directory != NULL)
		list_siblings(d, unfinished);
	else if (d->header.has_dir_format && d->header.dir_version != 0)
		report_alone(d);
}

/* Reads one file of a directory.  An error in it does not keep the others from being read. */
static int
read_one(struct decoder *d, size_t i, uint64_t *end, struct err *e)
{
	uint64_t base = *end;
	struct in in;
	bool opened;
	int rc;

	rc = input_open_sibling(&d->input, i, base, &in, e);
	opened = rc == 0;
	if (opened) {
		rc = read_section(d, &in, base, UINT64_MAX, end, e);
		in_close(&in);
	}
	++*end; /* an empty file gets a length, too, so that no two have the same offset */
	if (rc == 0 || rc == ERR_STOP)
		return rc;
	err_at_byte(e, base);
	if (rc == ERR_SYS && opened)
		return rc;
	d->input.failed |= rc == ERR_SYS;
	input_report(&d->input, e);
	return 0;
}

static void
report_missing(struct decoder *d, uint32_t first, uint32_t end)
{
	struct err e;

	if (end - first == 1)
		err_data(&e, "data.%" PRIu32 " is missing", first);
	else
		err_data(&e, "data.%" PRIu32 " to data.%" PRIu32 " are missing", first, end - 1);
	input_report(&d->input, &e);
}

static int
read_siblings(struct decoder *d, uint64_t end, struct err *e)
{
	uint32_t next = 0;
	size_t i;
	int rc;

	for (i = 0, rc = 0; rc == 0 && i < d->input.siblings && !evw_failed(d->w); i++) {
		if (d->input.sibling[i].number > next)
			report_missing(d, next, d->input.sibling[i].number);
		next = d->input.sibling[i].number + 1;
		rc = read_one(d, i, &end, e);
	}
	if (d->input.siblings == 0 && d->header.has_dir_format && !d->input.failed)
		report_missing(d, 0, 1);
	return rc;
}

/* ---- modes */

/* Reports a stream that was truncated after its header.  perf sends the events first. */
static void
report_no_events(struct decoder *d, uint64_t offset)
{
	struct err e;

	if (evw_failed(d->w))
		return;
	err_byte(&e, offset, "the recording ends before any event");
	input_report(&d->input, &e);
}

/* Reads perf's pipe format: one recording, or several in a row. */
static int
read_pipe(struct decoder *d, uint64_t offset, struct err *e)
{
	struct feed f;
	uint64_t another;
	int rc;

	feed_open(&f, &d->input.in, &d->input.blocks, d->events.big_endian, offset, UINT64_MAX);
	do {
		d->pipe.is = true;
		another = 0;
		rc = all_records(d, &f, &another, e);
		if (rc == 0 && d->events.count == 0)
			report_no_events(d, another != 0 ? another : f.offset);
		if (rc == 0 && another != 0)
			rc = next_recording(d, &f, another, e);
	} while (rc == 0 && another != 0 && !evw_failed(d->w));
	feed_close(&f);
	return rc;
}

static int
read_file(struct decoder *d, const struct data_section *data, struct err *e)
{
	struct in *in = &d->input.in;
	uint64_t end = 0;
	int rc;

	if (data->unfinished)
		report_unfinished(d);
	if (d->opt->header && in->seekable)
		return 0;
	find_siblings(d, data->unfinished);
	rc = read_section(d, in, data->offset, data->size, &end, e);
	if (!d->order.directory || (rc != 0 && rc != ERR_DATA))
		return rc;
	if (rc == ERR_DATA)
		input_report(&d->input, e);
	return read_siblings(d, end > in->size ? end : in->size, e);
}

/* Decodes everything between the marks. */
static int
decode(struct decoder *d, struct err *e)
{
	struct data_section data;
	int rc;

	if (begin_recording(d, e) != 0)
		return e->code;
	rc = header_read(&d->header, &data, e);
	if (rc == 0) {
		queue_init(&d->order.queue, &d->input.blocks, d->events.big_endian);
		rc = data.pipe ? read_pipe(d, data.offset, e) : read_file(d, &data, e);
	}
	return end_recording(d, rc, e);
}

int
perf_decode(const char *name, const struct perf_options *opt, struct evwrite *w, struct err *e)
{
	struct decoder *d = mem_zero(1, sizeof *d);
	int rc;

	if (d == NULL) {
		err_nomem(e);
		report_error(&opt->to, NULL, e);
		return e->code;
	}
	d->opt = opt;
	d->w = w;
	d->input.to = &opt->to;
	rc = input_open(&d->input, name, opt->fd, opt->symbolizer != NULL, e);
	if (rc == 0) {
		d->input.in.idle = &w->out;
		rc = decode(d, e);
	}
	if (rc == ERR_DATA || (rc == ERR_SYS && !evw_failed(w)))
		input_report(&d->input, e);
	else if (rc == 0 && d->input.failed)
		rc = err_sys(e, EIO, "failed");
	else if (rc == 0 && d->input.damaged)
		rc = err_data(e, "damaged");
	free_recording(d);
	input_close(&d->input);
	mem_free(d);
	return rc;
}
