/* SPDX-License-Identifier: ISC */
/* perf.c - decodes perf.data, and passes the lines on one by one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/evwrite.h"
#include "lib/mem.h"
#include "src/afpipe/parts.h"
#include "src/perfdata/perfdata.h"
#include "src/symbol/lookup.h"

#define MAX_STACK 127 /* as in perf */
#define FLAGS_END (2u * AFPIPE_PERF_NO_SPOOL)

/* One call. */
struct decoding {
	struct afpipe_perf_options opt;
	afpipe_line_sink *take;
	void *user;
	uint64_t lines;
	bool stopped; /* take asked for it */
	struct api_locale locale;
	struct err
	    worst; /* the first error that was reported, or the first failure of the system */
	struct lookup lookup;
};

/* ---- lines */

/* Cuts a line at its TABs.  It comes from the decoder, so it has six columns. */
static void
cut(struct slice text, uint64_t number, struct afpipe_line *line)
{
	const char *p = text.p, *end = text.p + text.len;
	int i;

	line->number = number;
	line->text = slice_out(text);
	for (i = 0; i < AFPIPE_COLUMNS; i++) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));

		line->column[i] =
		    (struct afpipe_slice){ p, (size_t)((tab == NULL ? end : tab) - p) };
		p = tab == NULL ? end : tab + 1;
	}
	line->tags = (struct afpipe_slice){ p, (size_t)(end - p) };
}

/* Passes whole lines on. */
static int
pass_lines(struct decoding *d, const char *p, size_t n)
{
	struct afpipe_line line;

	while (n != 0) {
		const char *lf = memchr(p, '\n', n);
		size_t len = lf == NULL ? n : (size_t)(lf - p);

		cut((struct slice){ p, len }, ++d->lines, &line);
		if (d->take(d->user, &line) != 0) {
			d->stopped = true;
			return ECANCELED;
		}
		len += lf != NULL;
		p += len;
		n -= len;
	}
	return 0;
}

static int
pass_on(void *ctx, const char *p, size_t n)
{
	struct decoding *d = ctx;
	int rc;

	(void)uselocale(d->locale.before);
	rc = pass_lines(d, p, n);
	(void)uselocale(d->locale.c);
	return rc;
}

/* ---- reports */

static void
reported(void *ctx, const char *file, const struct err *e)
{
	struct decoding *d = ctx;
	struct afpipe_error out = AFPIPE_ERROR_INIT;

	if (d->stopped)
		return;
	if (e->code != ERR_DOUBT &&
	    (d->worst.code == ERR_NONE || (e->code == ERR_SYS && d->worst.code != ERR_SYS)))
		d->worst = *e;
	if (d->opt.report == NULL)
		return;
	(void)api_error(&out, e);
	(void)uselocale(d->locale.before);
	d->opt.report(d->user, file, &out);
	(void)uselocale(d->locale.c);
}

static void
noted(void *ctx, const char *text)
{
	const struct decoding *d = ctx;

	if (d->opt.note == NULL || d->stopped)
		return;
	(void)uselocale(d->locale.before);
	d->opt.note(d->user, text);
	(void)uselocale(d->locale.c);
}

/* Notes what the end mark of a stream would count. */
static void
note_counts(struct decoding *d, const struct evwrite *w)
{
	char text[256];
	int i;

	for (i = 0; i < MARK_COUNTS; i++) {
		const struct mark_word *m = &mark_words[i];

		if (w->count[i] == 0 || m->before == NULL)
			continue;
		(void)snprintf(text, sizeof text, "%s%" PRIu64 "%s", m->before, w->count[i],
		    m->after);
		noted(d, text);
	}
}

/* ---- options */

static bool
has(const struct decoding *d, enum afpipe_perf_flags flag)
{
	return (d->opt.flags & (unsigned)flag) != 0;
}

/* Copies the options of a caller that may know more of them, or fewer.  Returns what is wrong. */
static const char *
take_options(struct decoding *d, const struct afpipe_perf_options *from)
{
	size_t i;

	d->opt = (struct afpipe_perf_options)AFPIPE_PERF_OPTIONS_INIT;
	if (from == NULL)
		return NULL;
	if (from->size < sizeof *from)
		return "the options do not begin with AFPIPE_PERF_OPTIONS_INIT";
	for (i = sizeof *from; i < from->size; i++)
		if (((const char *)from)[i] != 0)
			return "an option that this version of the library does not know";
	d->opt = *from;
	if (d->opt.flags >= FLAGS_END)
		return "a flag that this version of the library does not know";
	if (d->opt.max_stack > PERF_STACK_MAX)
		return "max_stack is more than 8000";
	if (d->opt.run != NULL && d->opt.run[0] == '\0')
		return "the run id is empty";
	if (has(d, AFPIPE_PERF_NO_SYMBOLS) &&
	    (has(d, AFPIPE_PERF_INLINE) || has(d, AFPIPE_PERF_LINES)))
		return "AFPIPE_PERF_NO_SYMBOLS excludes AFPIPE_PERF_INLINE and AFPIPE_PERF_LINES";
	return NULL;
}

static struct symbol_options
symbol_options(const struct decoding *d)
{
	return (struct symbol_options){
		.wanted = (has(d, AFPIPE_PERF_INLINE) ? SYM_INLINED : 0u) |
		    (has(d, AFPIPE_PERF_LINES) ? SYM_LINES : 0u),
		.force = has(d, AFPIPE_PERF_FORCE),
		.mangled = has(d, AFPIPE_PERF_NO_DEMANGLE),
		.symfs = d->opt.symfs,
		.kallsyms = d->opt.kallsyms,
		.build_id_cache = d->opt.buildid_dir,
		.debug_dir = d->opt.debug_dir,
	};
}

static struct perf_options
perf_options(struct decoding *d, int fd)
{
	const struct symbolizer *face = &d->lookup.face;

	return (struct perf_options){
		.symbolizer = has(d, AFPIPE_PERF_NO_SYMBOLS) ? NULL : face,
		.speller = face,
		.unwinder = has(d, AFPIPE_PERF_NO_UNWIND) ? NULL : face,
		.max_stack = d->opt.max_stack == 0 ? MAX_STACK : d->opt.max_stack,
		.frames = has(d, AFPIPE_PERF_FRAMES) || has(d, AFPIPE_PERF_NO_SYMBOLS),
		.all = has(d, AFPIPE_PERF_ALL),
		.no_spool = has(d, AFPIPE_PERF_NO_SPOOL),
		.fd = fd,
		.run = d->opt.run,
		.wall = has(d, AFPIPE_PERF_WALL),
		.to = { reported, noted, noted, d },
	};
}

/* ---- the call */

/*
 * Returns the code of perf_decode, or that of what only its output shows.  What is wrong with
 * symbols is reported.
 */
static int
run(struct decoding *d, const char *name, int fd, struct evwrite *w, struct err *e)
{
	struct perf_options opt = perf_options(d, fd);
	int rc = perf_decode(name, &opt, w, e);

	(void)evw_flush(w);
	if (d->stopped)
		return ERR_STOP;
	if (evw_failed(w)) {
		rc = err_nomem(e); /* there is no other failure of a sink */
		report_error(&opt.to, NULL, e);
	}
	lookup_report(&d->lookup, &opt.to);
	note_counts(d, w);
	return rc;
}

/*
 * Stores what RC means.  A message that was reported says more than the one in *e.  Even if the
 * decoder could continue and has returned 0, it was an error.
 */
static int
explain(const struct decoding *d, int rc, struct err *e, struct afpipe_error *error)
{
	if (rc == ERR_STOP)
		*e = (struct err){ .code = rc, .msg = "a callback asked to stop" };
	else if (d->worst.code == ERR_SYS || (d->worst.code != ERR_NONE && rc != ERR_SYS))
		*e = d->worst;
	else if (rc == 0)
		return AFPIPE_OK;
	else
		e->code = rc;
	return api_error(error, e);
}

static int
decode(struct decoding *d, const char *name, int fd, struct afpipe_error *error)
{
	struct err e = { .code = ERR_NONE };
	struct evwrite w = { .producer = "libafpipe" };
	int rc;

	d->lookup.options = symbol_options(d);
	if (lookup_open(&d->lookup, &e) != 0)
		return api_error(error, &e);
	if (out_open_sink(&w.out, pass_on, d)) {
		rc = run(d, name, fd, &w, &e);
		out_free(&w.out);
	} else {
		rc = err_nomem(&e);
	}
	lookup_close(&d->lookup);
	return explain(d, rc, &e, error);
}

static int
begin(const char *name, int fd, const struct afpipe_perf_options *options, afpipe_line_sink *take,
    void *user, struct afpipe_error *error)
{
	struct decoding *d;
	const char *wrong;
	struct err e;
	int rc;

	if (name == NULL || take == NULL)
		return api_usage(error, "no recording, or no function that takes the lines");
	d = mem_zero(1, sizeof *d);
	if (d == NULL || !api_locale_enter(&d->locale)) {
		mem_free(d);
		err_nomem(&e);
		return api_error(error, &e);
	}
	d->take = take;
	d->user = user;
	wrong = take_options(d, options);
	rc = wrong != NULL ? api_usage(error, wrong) : decode(d, name, fd, error);
	api_locale_leave(&d->locale);
	mem_free(d);
	return rc;
}

int
afpipe_perf_decode(const char *path, const struct afpipe_perf_options *options,
    afpipe_line_sink *take, void *user, struct afpipe_error *error)
{
	/* "-" is a file here, since standard input is the caller's */
	bool dash = path != NULL && strcmp(path, "-") == 0;

	return begin(dash ? "./-" : path, -1, options, take, user, error);
}

int
afpipe_perf_decode_fd(int fd, const struct afpipe_perf_options *options, afpipe_line_sink *take,
    void *user, struct afpipe_error *error)
{
	return begin("-", fd, options, take, user, error);
}
