/* SPDX-License-Identifier: ISC */
/*
 * encode.c - converts a stream to a Perun profile: restores the document that it came from, or
 * turns lines of other formats into resources.
 */
#include "src/perun/write/encode.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/buf.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spool.h"
#include "src/perun/profile.h"
#include "src/perun/repeat.h"
#include "src/perun/write/convert.h"
#include "src/perun/write/doc.h"
#include "src/perun/write/pack.h"
#include "src/perun/write/plain.h"

/* The origin of the stream, according to its first lines. */
enum origin { UNKNOWN, PERUN, OTHER };

enum note {
	NOTE_TEXTLESS,
	NOTE_VALUELESS,
	NOTE_UNITS,
	NOTE_TAGS,
	NOTE_RUNS,
	NOTE_OVERLAPPING,
	NOTE_WHOLE,
	NOTE_PLACELESS,
	NOTE_NAMESAKES,
	NOTES
};

struct perun_encode {
	struct out *o; /* the requested output */
	struct spool spool; /* the document, for PERUN_PACK and PERUN_NAME */
	enum perun_form form;
	enum origin origin;
	struct doc doc;
	struct plain plain;
	struct convert *convert; /* NULL if the format does not change */
	struct repeat repeat; /* repeated members among the converted parts */
	struct profile profile;
	uint64_t part; /* parts read of a value that is being converted; 0 if there is none */
	struct buf json; /* scratch */
	bool ended; /* there are no more lines */
	bool wants_origin;
	uint64_t resources; /* resources of an OTHER stream */
	bool empty; /* all of its lines were left out, so there is no document */
	uint64_t left_out[NOTES];
	struct kinds_left left;
};

struct perun_encode *
perun_encode_open(struct out *o, enum perun_form form, enum perun_format format, struct err *e)
{
	struct perun_encode *x = mem_zero(1, sizeof *x);
	bool plain = form == PERUN_PLAIN;
	int rc = x == NULL ? err_nomem(e) : 0;

	if (rc != 0)
		return NULL;
	x->o = o;
	x->form = form;
	if (!plain)
		rc = spool_open(&x->spool, e);
	if (rc == 0 && !doc_open(&x->doc, plain ? o : &x->spool.out, !plain))
		rc = err_nomem(e);
	if (rc == 0 && format != PERUN_AS_IT_IS) {
		x->convert = convert_open(&x->doc,
		    format == PERUN_RESOURCES ? CONVERT_TO_MAP : CONVERT_TO_SNAPSHOTS);
		if (x->convert == NULL)
			rc = err_nomem(e);
	}
	if (rc != 0) {
		perun_encode_close(x);
		return NULL;
	}
	return x;
}

void
perun_encode_close(struct perun_encode *x)
{
	if (x == NULL)
		return;
	spool_close(&x->spool);
	convert_close(x->convert);
	doc_close(&x->doc);
	plain_free(&x->plain);
	repeat_free(&x->repeat);
	profile_free(&x->profile);
	kinds_left_free(&x->left);
	buf_free(&x->json);
	mem_free(x);
}

void
perun_encode_want_origin(struct perun_encode *x)
{
	x->wants_origin = true;
}

/* Writes a container to the document, or passes it to the converter. */
static int
put_container(struct perun_encode *x, const struct place *p, char bracket, struct err *e)
{
	if (x->convert != NULL)
		return convert_container(x->convert, p, bracket, e);
	return doc_opening(&x->doc, p, bracket, e);
}

static int
put_value(struct perun_encode *x, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	return x->convert != NULL ? convert_value(x->convert, p, json, number, e)
				  : doc_value(&x->doc, p, json, e);
}

/* Processes a part of a value.  A value to convert must be complete. */
static int
put_part(struct perun_encode *x, struct profile_item *item, struct err *e)
{
	bool whole;
	int rc;

	if (item->part == 0)
		return err_data(e, "a part without its number");
	if (x->convert == NULL || !convert_owns(x->convert, &item->place))
		return doc_part(&x->doc, &item->place, item->json, item->part, item->last, e);
	rc = doc_next_part(&x->part, item->part, item->last, e);
	if (rc == 0)
		rc = profile_join(&x->profile, item, &whole, e);
	if (rc != 0 || !whole)
		return rc;
	if (item->json.len > JSCAN_VALUE_MAX)
		return err_data(e, "a value of more than 16 MiB: this cannot be converted");
	return put_value(x, &item->place, item->json, item->line, e);
}

/*
 * Counts members that occur twice.  They are converted each time, unlike in Perun, and a note
 * reports this.
 */
static int
look_for_repeat(struct perun_encode *x, const struct profile_item *item, struct err *e)
{
	bool again;
	int rc;

	if (x->convert == NULL || (item->is_part && item->part != 1))
		return 0;
	rc = repeat_see(&x->repeat, &item->place, &again, e);
	if (rc == 0 && again && convert_owns(x->convert, &item->place))
		rc = repeat_count(&x->repeat, &item->place, e);
	return rc;
}

/* Processes a container, a value, or a part of a value. */
static int
take_header(struct perun_encode *x, struct profile_item *item, struct err *e)
{
	int rc = look_for_repeat(x, item, e);

	if (rc != 0)
		return rc;
	if (item->is_part)
		return put_part(x, item, e);
	if (slice_eq(item->json, SLICE("{")) || slice_eq(item->json, SLICE("[")))
		return put_container(x, &item->place, item->json.p[0], e);
	return put_value(x, &item->place, item->json, item->line, e);
}

static bool
is_kind(const struct ev *ev, const char *kind)
{
	return slice_eq(ev->col[EV_KIND], slice_of(kind));
}

/*
 * Returns whether the line shows that the stream came from a document.  The first line that shows
 * its origin decides.  A run line of perundec does not show it, since afagg passes run lines on.
 */
static enum origin
origin_of(const struct ev *ev)
{
	struct slice v, region = ev->col[EV_REGION];

	if (is_kind(ev, "header") && (slice_is_nothing(region) || region.p[0] == '/'))
		return PERUN;
	if (ev_tag(ev, SLICE("json"), &v) && ev_tag(ev, SLICE("at"), &v))
		return PERUN;
	if (is_kind(ev, "sample") || is_kind(ev, "span") || is_kind(ev, "agg"))
		return OTHER;
	return UNKNOWN;
}

static int
take_perun(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	struct profile_item item;
	int rc = profile_part(&x->profile, ev, &item, e);

	if (rc != 0)
		return rc;
	if (item.kind == PROFILE_HEADER)
		return take_header(x, &item, e);
	if (item.kind != PROFILE_NONE)
		return put_value(x, &item.place, item.json, item.line, e);
	if (is_kind(ev, "sample") || is_kind(ev, "model") || is_kind(ev, "agg") ||
	    is_kind(ev, "span"))
		x->left_out[NOTE_TEXTLESS]++;
	else
		kinds_leave(&x->left, ev->col[EV_KIND], 1);
	return 0;
}

/* Writes a container, if json is only its bracket, or a resource or text at the pointer. */
static int
put_at(struct perun_encode *x, struct slice pointer, struct slice json, uint64_t number,
    struct err *e)
{
	struct place p = place_of(pointer);

	return json.len == 1 ? put_container(x, &p, json.p[0], e)
			     : put_value(x, &p, json, number, e);
}

/* Writes the members that come before the first resource. */
static int
begin_other(struct perun_encode *x, struct err *e)
{
	static const struct slice first[][2] = { { { "", 0 }, { "{", 1 } },
		{ { "/snapshots", 10 }, { "[", 1 } }, { { "/snapshots/0", 12 }, { "{", 1 } },
		{ { "/snapshots/0/timestamps", 23 }, { "\"ns\"", 4 } },
		{ { "/snapshots/0/resources", 22 }, { "[", 1 } } };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < sizeof first / sizeof first[0]; i++)
		rc = put_at(x, first[i][0], first[i][1], 0, e);
	return rc;
}

static int
put_other(struct perun_encode *x, uint64_t number, struct err *e)
{
	static const char prefix[] = "/snapshots/0/resources/";
	char pointer[sizeof prefix + NUM_MAX];
	size_t n = sizeof prefix - 1;
	int rc = x->resources == 0 ? begin_other(x, e) : 0;

	memcpy(pointer, prefix, n);
	n += num_put_u64(pointer + n, x->resources++);
	return rc != 0 ? rc
		       : put_at(x, (struct slice){ pointer, n }, buf_slice(&x->json), number, e);
}

static int
take_other(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	enum plain_got got = PLAIN_VALUELESS;
	int rc;

	if (is_kind(ev, "run"))
		return plain_run(&x->plain, ev, e);
	if (is_kind(ev, "measure"))
		return plain_measure(&x->plain, ev, e);
	if (!is_kind(ev, "sample") && !is_kind(ev, "span") && !is_kind(ev, "agg")) {
		kinds_leave(&x->left, ev->col[EV_KIND], 1);
		return 0;
	}
	x->json.len = 0;
	rc = plain_resource(&x->plain, ev, &x->json, &got, e);
	if (rc == 0 && got == PLAIN_RESOURCE)
		return put_other(x, ev->number, e);
	x->left_out[NOTE_VALUELESS] += rc == 0 && got == PLAIN_VALUELESS;
	return rc;
}

int
perun_encode_line(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	int rc;

	if (x->origin == UNKNOWN)
		x->origin = origin_of(ev);
	rc = x->origin == PERUN ? take_perun(x, ev, e) : take_other(x, ev, e);
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

/* Writes a member that comes after the resources, which are written first. */
static int
end_with(struct perun_encode *x, struct slice pointer, struct slice json, struct err *e)
{
	struct place p = place_of(pointer);

	return doc_value(&x->doc, &p, json, e);
}

/* Returns true if there are no resources, since all lines with values were left out. */
static bool
is_all_left_out(const struct perun_encode *x)
{
	return x->resources == 0 &&
	    (x->left_out[NOTE_VALUELESS] != 0 || kinds_left_has(&x->left, SLICE("start")) ||
		kinds_left_has(&x->left, SLICE("stop")) || kinds_left_has(&x->left, SLICE("diff")));
}

static int
end_other(struct perun_encode *x, struct err *e)
{
	int rc;

	x->empty = is_all_left_out(x);
	if (x->empty)
		return err_data(e, KINDS_NOTHING);
	rc = x->resources == 0 ? begin_other(x, e) : 0;
	x->left_out[NOTE_RUNS] = x->plain.runs;
	x->left_out[NOTE_TAGS] = x->plain.tags;
	x->left_out[NOTE_OVERLAPPING] = x->plain.overlapping;
	x->left_out[NOTE_WHOLE] = x->plain.whole;
	x->left_out[NOTE_PLACELESS] = x->plain.placeless;
	x->left_out[NOTE_NAMESAKES] = x->plain.namesakes.found;
	x->left_out[NOTE_UNITS] = x->plain.others;
	x->json.len = 0;
	if (rc == 0)
		rc = plain_header(&x->plain, &x->json, e);
	if (rc == 0)
		rc = end_with(x, SLICE("/header"), buf_slice(&x->json), e);
	x->json.len = 0;
	if (rc == 0)
		rc = plain_collector(&x->plain, &x->json, e);
	if (rc == 0)
		rc = end_with(x, SLICE("/collector_info"), buf_slice(&x->json), e);
	return rc == 0 ? end_with(x, SLICE("/postprocessors"), SLICE("[]"), e) : rc;
}

static int
pack(struct perun_encode *x, struct err *e)
{
	struct slice type = buf_slice(&x->doc.type);

	if (x->spool.out.error == 0 && x->wants_origin && !x->doc.has_origin)
		return err_data(e, "the profile has no 'origin': Perun would not pack it");
	if (x->spool.out.error == 0 && !x->doc.has_type)
		return err_data(e, "the header has no type: this cannot be packed");
	if (x->spool.out.error == 0 && !slice_eq(type, SLICE("memory")) &&
	    !slice_eq(type, SLICE("mixed")) && !slice_eq(type, SLICE("time")))
		return err_data(e,
		    "header.type is not memory, mixed or time: Perun would "
		    "not read the object");
	if (x->form == PERUN_NAME)
		return pack_name(x->o, &x->spool, type, e);
	return pack_object(x->o, &x->spool, type, e);
}

/* Writes the header of a document for a stream that did not come from a document. */
static int
end_lines(struct perun_encode *x, struct err *e)
{
	x->ended = true;
	if (x->part != 0)
		return err_data(e, "the last parts of a value are missing");
	return x->origin == PERUN || (x->origin == UNKNOWN && x->plain.perun) ? 0 : end_other(x, e);
}

bool
perun_encode_rest(struct perun_encode *x, int *rc, struct err *e)
{
	bool more = x->convert != NULL;

	*rc = x->ended ? 0 : end_lines(x, e);
	if (*rc == 0 && more)
		*rc = convert_end(x->convert, &more, e);
	return more && !x->empty && *rc != ERR_SYS;
}

int
perun_encode_end(struct perun_encode *x, struct err *e)
{
	int rc = x->empty ? 0 : doc_end(&x->doc, e);

	if (rc == 0 && !x->empty && x->form != PERUN_PLAIN)
		rc = pack(x, e);
	return rc;
}

bool
perun_encode_note(const struct perun_encode *x, size_t *at, char *text, size_t size)
{
	static const char *const words[NOTES] = {
		[NOTE_TEXTLESS] =
		    "left out %" PRIu64 " lines without json= and at=: nowhere to put them",
		[NOTE_VALUELESS] = "left out %" PRIu64 " lines without a value",
		[NOTE_UNITS] = "left out %" PRIu64
			       " lines in units other than the first of their measure: %.*s",
		[NOTE_TAGS] = "left out %" PRIu64 " tags: resources have no place for them",
		[NOTE_OVERLAPPING] = "results of groups that overlap (total=): %" PRIu64
				     "; Perun's graphs and tables add them up",
		[NOTE_WHOLE] =
		    "values of a whole run, region or section, which contain those of "
		    "the regions inside: %" PRIu64 "; Perun's graphs and tables add them up",
		[NOTE_PLACELESS] = "results that have no function, so all are one, without a name: "
				   "%" PRIu64,
		[NOTE_NAMESAKES] =
		    ("several events have the same name, and Perun's graphs and tables add them up "
		     "(to choose one: afsel -w 'event=N || event=.')"),
		[NOTE_RUNS] = "runs after the first: %" PRIu64
			      "; their values are in the profile, too, and its header is that of "
			      "the first",
	};
	const size_t before = NOTES + 4;
	uint64_t n;
	bool more;

	if (*at == 0) {
		++*at;
		if (kinds_left_note(&x->left, "other kinds", text, size))
			return true;
	}
	while (*at <= NOTES) {
		n = x->left_out[(*at)++ - 1];
		if (n == 0)
			continue;
		snprintf(text, size, words[*at - 2], n, (int)x->plain.other_names.len,
		    x->plain.other_names.len == 0 ? "" : x->plain.other_names.p);
		return true;
	}
	if (*at == NOTES + 1) {
		++*at;
		if (plain_note(&x->plain, text, size))
			return true;
	}
	if (*at == NOTES + 2) {
		++*at;
		if (plain_note_wholes(&x->plain, text, size))
			return true;
	}
	if (x->convert == NULL)
		return false;
	if (*at == NOTES + 3) {
		++*at;
		if (repeat_note(&x->repeat, text, size))
			return true;
	}
	*at -= before;
	more = convert_note(x->convert, at, text, size);
	*at += before;
	return more;
}
