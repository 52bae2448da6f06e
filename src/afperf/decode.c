/* SPDX-License-Identifier: ISC */
/* decode.c - decodes AFPerf v1 to the stream: one file from its header to its end. */
#include "src/afperf/decode.h"

#include "lib/mem.h"
#include "src/afperf/decint.h"

#define MAGIC_LEN (sizeof(AFPERF_MAGIC) - 1)
#define VERSION_AT ((size_t)10) /* of "1" in the header */

static bool
begins(struct slice s, const char *with, size_t n)
{
	return s.len >= n && memcmp(s.p, with, n) == 0;
}

/* Describes a file that does not begin with the header. */
static const char *
why_no_header(struct slice s)
{
	struct slice cut = { AFPERF_MAGIC, s.len };

	if (begins(s, "\xef\xbb\xbf", 3))
		return "byte order mark before the header";
	if (begins(s, "\xff\xfe", 2) || begins(s, "\xfe\xff", 2) || begins(s, "#\0", 2))
		return "not an AFPerf file: is it UTF-16?";
	if (s.len < MAGIC_LEN && slice_eq(s, cut))
		return "the header is cut short: it has 16 bytes";
	if (!begins(s, AFPERF_MAGIC, VERSION_AT))
		return "not an AFPerf file";
	if (s.p[VERSION_AT] != '1')
		return "another version of AFPerf: only version 1 is read";
	return begins(s, AFPERF_MAGIC, MAGIC_LEN)
	    ? "text after the header of 16 bytes"
	    : "the header is not padded with blanks to 16 bytes";
}

/* The first line.  0 or an error; ERR_DATA has already been reported if *said. */
static int
read_header(struct afperf_decode *d, struct err *e)
{
	struct afperf_report report = { .weight = AFPERF_ERROR, .rule = RULE_HEADER };
	struct slice s;
	int rc = records_peek(&d->in, MAGIC_LEN + 2, &s, e);

	if (rc != 0)
		return rc;
	if (s.len == 0)
		return err_data(e, "empty: not even a header");
	if (begins(s, AFPERF_MAGIC, MAGIC_LEN)) {
		if (s.len == MAGIC_LEN || s.p[MAGIC_LEN] == '\n' ||
		    begins((struct slice){ s.p + MAGIC_LEN, s.len - MAGIC_LEN }, "\r\n", 2)) {
			records_skip(&d->in,
			    s.len == MAGIC_LEN           ? MAGIC_LEN
				: s.p[MAGIC_LEN] == '\n' ? MAGIC_LEN + 1
							 : MAGIC_LEN + 2);
			return 0;
		}
	}
	err_line(&report.e, 1, "%s", why_no_header(s));
	d->opt.report(d->opt.ctx, &report);
	return err_data(e, "%s", "");
}

/* RFC 4180 allows a missing line break, but a value that was cut is a wrong value. */
static void
say_unterminated(struct afperf_decode *d)
{
	struct afperf_report report = { .weight = AFPERF_DOUBT, .rule = RULE_UNTERMINATED };

	err_line(&report.e, d->in.lines, "ends without a line break: it may have been cut");
	d->opt.report(d->opt.ctx, &report);
	d->w->count[MARK_UNTERMINATED]++;
}

/* A line that begins with '#': a repeated header, or a comment. */
static int
comment(struct afperf_decode *d, const struct record *r, struct err *e)
{
	struct afperf_report report = { .weight = AFPERF_DOUBT, .rule = RULE_LATER_HEADER };

	if (!begins(r->text, AFPERF_MAGIC, VERSION_AT)) {
		if (!d->opt.all)
			return 0;
		if (dec_comment(d, r) == DEC_FAILED)
			d->failure.code = ERR_SYS;
		if (r->cut)
			say_unterminated(d);
		return 0;
	}
	if (dec_header(d) == DEC_FAILED)
		d->failure.code = ERR_SYS;
	if (slice_eq(r->text, SLICE(AFPERF_MAGIC)))
		return 0;
	if (r->text.len == VERSION_AT || r->text.p[VERSION_AT] == '1') {
		err_line(&report.e, r->line, "header differs from the first");
		d->opt.report(d->opt.ctx, &report);
		return 0;
	}
	report.weight = AFPERF_ERROR;
	report.rule = RULE_HEADER;
	err_line(&report.e, r->line, "header of another version: what follows is not read");
	d->opt.report(d->opt.ctx, &report);
	return err_data(e, "%s", "");
}

static void
say_broken(struct afperf_decode *d, enum afperf_rule rule, const struct err *e)
{
	struct afperf_report report = { .weight = AFPERF_ERROR, .rule = rule, .e = *e };

	d->opt.report(d->opt.ctx, &report);
	d->block_broken = true;
}

/* Lines are not wanted: they are still built, in memory. */
static void
drop_lines(struct afperf_decode *d)
{
	if (d->opt.check)
		evw_drop_held(d->w);
}

static int
read_records(struct afperf_decode *d, struct err *e)
{
	struct record r = { .n = 0 };
	enum afperf_rule rule;
	int rc = 0;

	while (rc == 0 && !evw_failed(d->w)) {
		switch (records_next(&d->in, &r, &rule, e)) {
		case RECORDS_RECORD:
			if (dec_record(d, &r) == DEC_FAILED)
				d->failure.code = ERR_SYS;
			break;
		case RECORDS_COMMENT: rc = comment(d, &r, e); break;
		case RECORDS_BROKEN:
		case RECORDS_LOST: say_broken(d, rule, e); break;
		case RECORDS_END:
			if (d->in.unterminated)
				say_unterminated(d);
			return 0;
		case RECORDS_FAILED: return e->code;
		}
		if (d->failure.code != 0) {
			*e = d->failure;
			return e->code;
		}
		drop_lines(d);
	}
	return rc;
}

/* Handles what is open at the end of the file. */
static int
finish(struct afperf_decode *d, struct err *e)
{
	struct ids_entry *entry;
	size_t i;

	if (dec_finish(d) == DEC_FAILED || d->failure.code != 0) {
		*e = d->failure;
		return ERR_SYS;
	}
	for (i = 0; (entry = ids_at(&d->regions, i)) != NULL; i++)
		if (entry->state == IDS_OPEN)
			dec_count(d, NOTE_OPEN_REGION, entry->line);
	for (i = 0; (entry = ids_at(&d->intervals, i)) != NULL; i++)
		if (entry->state == IDS_OPEN)
			dec_count(d, NOTE_OPEN_INTERVAL, entry->line);
	for (i = 0; i < d->nruns; i++)
		dec_span_judge(d, &d->run[i]);
	drop_lines(d);
	return 0;
}

static void
free_all(struct afperf_decode *d)
{
	size_t i;

	records_close(&d->in);
	dec_hold_free(d);
	for (i = 0; i < d->nruns; i++) {
		mem_free((void *)(uintptr_t)d->run[i].name.p);
		mem_free(d->run[i].open);
		mem_free(d->run[i].span);
	}
	for (i = 0; i < d->ntypes; i++)
		mem_free(d->type[i].text);
	mem_free(d->run);
	mem_free(d->type);
	mem_free(d->pair);
	mem_free(d->regions_open.ref);
	mem_free(d->regions_open.section);
	mem_free(d->intervals_open.ref);
	mem_free(d->intervals_open.section);
	ids_free(&d->runs);
	ids_free(&d->types);
	ids_free(&d->regions);
	ids_free(&d->sections);
	ids_free(&d->intervals);
	ids_free(&d->groups);
	tab_free(&d->texts);
	tab_free(&d->spelled);
	mem_free(d->spelled_label);
	buf_free(&d->scratch);
	buf_free(&d->plain);
	buf_free(&d->shown);
	buf_free(&d->number);
}

int
afperf_decode(const char *name, const struct afperf_decode_options *opt, struct evwrite *w,
    struct err *e)
{
	struct afperf_decode d = { .opt = *opt, .w = w };
	struct in in;
	int rc = in_open(&in, name, e), end;

	if (rc != 0)
		return rc;
	in.idle = opt->check ? NULL : &w->out;
	d.held_free = d.wait_later = d.wait_run = IDS_NONE;
	rc = records_open(&d.in, in, opt->record_max) ? read_header(&d, e) : err_nomem(e);
	if (rc == 0) {
		if (opt->check)
			evw_hold(w);
		rc = read_records(&d, e);
		if (rc == 0 || rc == ERR_DATA) {
			end = finish(&d, e);
			rc = rc == 0 ? end : rc;
		}
		dec_say_notes(&d);
		if (opt->check)
			evw_release(w);
	}
	in_close(&in);
	free_all(&d);
	return rc;
}
