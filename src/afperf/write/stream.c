/* SPDX-License-Identifier: ISC */
/* stream.c - encodes the stream as AFPerf, line by line, and counts omissions. */
#include "src/afperf/write/encode.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/afperf/write/encint.h"

#define KINDS_SHOWN 16
#define KIND_MAX 40 /* maximum bytes of a kind's name */
#define REST_MAX ((size_t)48) /* bytes of what follows the kinds that are shown */

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static bool
kinds(const struct afperf_encode *x, char *text, size_t size)
{
	size_t len = 0, i;

	for (i = 0; i < x->left.kinds.count && i < KINDS_SHOWN; i++) {
		struct slice kind = x->left.kinds.item[i];
		int n = snprintf(text + len, size - len, "%s%" PRIu64 " %.*s line%s",
		    i == 0 ? "left out " : ", ", x->left.kind_count[i], slice_shown(kind, KIND_MAX),
		    kind.p, plural(x->left.kind_count[i]));

		if ((size_t)n >= size - len - REST_MAX)
			break;
		len += (size_t)n;
	}
	if (i < x->left.kinds.count)
		snprintf(text + len, size - len, " and %zu more kind%s", x->left.kinds.count - i,
		    plural(x->left.kinds.count - i));
	return x->left.kinds.count != 0;
}

static bool
tags(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "left out %" PRIu64 " tag%s of %" PRIu64 " line%s: "
	    "AFPerf has no place for them",
	    x->left.tags, plural(x->left.tags), x->left.tag_lines, plural(x->left.tag_lines));
	return x->left.tags != 0;
}

static bool
values(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size, "left out %" PRIu64 " line%s without a value", x->left.values,
	    plural(x->left.values));
	return x->left.values != 0;
}

static bool
event_values(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "left out %" PRIu64 " value%s of starts, stops, sections and pauses: AFPerf has values "
	    "in records of their own",
	    x->left.event_values, plural(x->left.event_values));
	return x->left.event_values != 0;
}

static bool
untimed(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size, "wrote time 0 for %" PRIu64 " line%s without a time", x->left.untimed,
	    plural(x->left.untimed));
	return x->left.untimed != 0;
}

static bool
early(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "wrote %" PRIu64 " point%s from before the start of their section: "
	    "the stream is not sorted by time",
	    x->left.early, plural(x->left.early));
	return x->left.early != 0;
}

static bool
lenient(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "wrote %" PRIu64
	    " aggregate%s with both an id and an aggregation, as read by afdec --lenient: "
	    "afdec alone refuses %s",
	    x->left.lenient, plural(x->left.lenient), x->left.lenient == 1 ? "it" : "them");
	return x->left.lenient != 0;
}

static bool
renumbered(const struct afperf_encode *x, char *text, size_t size)
{
	uint64_t n = x->ids.renumbered + x->def.ids.renumbered;

	snprintf(text, size, "gave another number to %" PRIu64 " id%s that %s in use", n, plural(n),
	    n == 1 ? "was" : "were");
	return n != 0;
}

static bool
large(const struct afperf_encode *x, char *text, size_t size)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < x->def.measures; i++)
		if (define_measure_type(&x->def.measure[i]) == AFPERF_DOUBLE)
			n += x->def.measure[i].state.large;
	snprintf(text, size,
	    "wrote %" PRIu64 " integer%s as values of type double: readers will round %s", n,
	    plural(n), n == 1 ? "it" : "them");
	return n != 0;
}

static bool
unknown_runs(const struct afperf_encode *x, char *text, size_t size)
{
	size_t n = 0, i;

	for (i = 0; i < x->def.runs; i++)
		n += !x->def.run[i].declared && !slice_is_nothing(x->def.run[i].name);
	snprintf(text, size, "no run line for %zu run%s: made from the data", n, plural(n));
	return n != 0;
}

static bool
unknown_measures(const struct afperf_encode *x, char *text, size_t size)
{
	size_t n = 0, i;

	for (i = 0; i < x->def.measures; i++) {
		const struct define_measure *m = &x->def.measure[i];

		n += m->defined == 0 && !slice_is_nothing(x->def.run[m->run].name);
	}
	snprintf(text, size, "no measure line for %zu measure%s: made from the data", n, plural(n));
	return n != 0;
}

static bool
united(const struct afperf_encode *x, char *text, size_t size)
{
	size_t n = 0, i;

	for (i = 0; i < x->def.measures; i++)
		n += x->def.measure[i].defined == 0 && x->def.measure[i].united;
	snprintf(text, size,
	    "values of %zu measure%s that have no unit get that of the others, which no measure "
	    "line says (unit=. means none)",
	    n, plural(n));
	return n != 0;
}

static bool
undescribed(const struct afperf_encode *x, char *text, size_t size)
{
	uint64_t n = x->def.undescribed;

	snprintf(text, size,
	    "the runs describe %" PRIu64 " measure%s in different ways: no text for what was "
	    "pooled",
	    n, plural(n));
	return n != 0;
}

static bool
namesakes(const struct afperf_encode *x, char *text, size_t size)
{
	snprintf(text, size,
	    "several events have the same name, and get one measurement type (to choose one: afsel "
	    "-w 'event=N || event=.')");
	return x->namesakes.found;
}

bool
afperf_encode_note(const struct afperf_encode *x, size_t *at, char *text, size_t size)
{
	static bool (*const notes[])(const struct afperf_encode *, char *, size_t) = {
		unknown_runs,
		unknown_measures,
		united,
		kinds,
		tags,
		values,
		event_values,
		untimed,
		early,
		lenient,
		large,
		renumbered,
		undescribed,
		namesakes,
	};

	while (*at < sizeof notes / sizeof notes[0])
		if (notes[(*at)++](x, text, size))
			return true;
	return false;
}

#define SHOWN_MAX 60 /* bytes of a text in a message */

static int
not_a_time(const struct ev *ev, struct err *e)
{
	struct slice time = ev->col[EV_TIME];

	return err_line(e, ev->number, "not a time: %.*s", slice_shown(time, SHOWN_MAX), time.p);
}

static int
not_in_unit(const struct ev *ev, struct err *e)
{
	return err_line(e, ev->number,
	    "not a multiple of the run's unit of time, or beyond 64 bits");
}

/* Takes over the ids of a container, which already has a header. */
static void
take_over(struct afperf_encode *x, struct afperf_append *a)
{
	x->begun = true;
	x->def.ids.runs = a->runs;
	x->ids.region.taken = a->regions;
	x->ids.section.taken = a->sections;
	a->runs = a->regions = a->sections = (struct ids){ 0 };
}

/* Returns the number of a record type, in decimal. */
static struct slice
type_number(int record)
{
	static const char digits[] = "000102030405060708091011121314";
	const char *p = digits + 2 * (size_t)record;

	return *p == '0' ? (struct slice){ p + 1, 1 } : (struct slice){ p, 2 };
}

static void
settle_options(struct afperf_encode *x)
{
	int i;

	x->ids.maps = x->opt.number || x->opt.append != NULL;
	x->end = x->opt.crlf ? SLICE("\r\n") : SLICE("\n");
	for (i = 1; i < AFPERF_RECORDS; i++) {
		const struct afperf_layout *l = &afperf_layouts[i];

		x->name[i] = x->opt.type_numbers ? type_number(i) : l->name;
		x->record[l->role][l->scope] = l->record;
	}
	x->def.ids.number = x->opt.number;
	x->def.ids.spelling = x->opt.spelling;
	x->def.ids.renumber = x->opt.renumber;
}

struct afperf_encode *
afperf_encode_open(struct out *o)
{
	struct afperf_encode *x = mem_zero(1, sizeof *x);

	if (x == NULL)
		return NULL;
	x->out = x->to = o;
	x->native.run = TAB_NONE;
	x->ids.region.seen = &x->native.regions;
	x->ids.section.seen = &x->native.sections;
	x->ids.interval.seen = &x->native.intervals;
	settle_options(x);
	return x;
}

void
afperf_encode_set(struct afperf_encode *x, const struct afperf_encode_options *opt)
{
	x->opt = *opt;
	settle_options(x);
	if (opt->append != NULL)
		take_over(x, opt->append);
}

void
afperf_encode_close(struct afperf_encode *x)
{
	if (x == NULL)
		return;
	spool_close(&x->spool);
	define_free(&x->def);
	units_free(&x->units);
	namesakes_free(&x->namesakes);
	enc_native_free(&x->native);
	ids_free(&x->ids.region.taken);
	ids_free(&x->ids.section.taken);
	ids_free(&x->ids.interval.taken);
	tab_free(&x->made.labels);
	tab_free(&x->left.kinds);
	buf_free(&x->scratch);
	buf_free(&x->block.next);
	buf_free(&x->block.key);
	mem_free(x->made.item);
	mem_free(x->waiting);
	mem_free(x->left.kind_count);
	mem_free(x);
}

static void
begin(struct afperf_encode *x)
{
	if (!x->begun) {
		out_put(x->out, AFPERF_MAGIC, sizeof AFPERF_MAGIC - 1);
		out_put(x->out, x->end.p, x->end.len);
	}
	x->begun = true;
}

static int
read_times(struct afperf_encode *x, const struct ev *ev, struct enc_use *u, struct err *e)
{
	struct define_run *r = &x->def.run[u->run];
	bool apart;

	u->end = ev->col[EV_TIME];
	if (slice_is_nothing(u->end)) {
		x->left.untimed++;
		u->start = u->end = SLICE("0");
		return 0;
	}
	apart = !slice_is_nothing(u->word.start);
	u->start = u->word.start;
	if (!define_is_time(u->end) || (apart && !define_is_time(u->start)))
		return not_a_time(ev, e);
	if (!define_time_in_unit(r, &u->end) || (apart && !define_time_in_unit(r, &u->start)))
		return not_in_unit(ev, e);
	if (!apart)
		u->start = u->end;
	else if (define_time_cmp(u->end, u->start) < 0)
		return err_line(e, ev->number, "it ends before it starts");
	if (!r->timed &&
	    (r->start.len == 0 || define_time_cmp(u->start, define_time_text(&r->start)) < 0))
		define_time_set(&r->start, u->start);
	return 0;
}

/*
 * Returns whether the text, which is not empty, is digits with a point between them, as nearly all
 * doubles are.  Such a text is a double whatever its value.
 */
static bool
is_plain_double(struct slice s)
{
	size_t i = s.p[0] == '-', points = 0;
	unsigned odd = 0;

	if (s.len > 300 || s.len < i + 3 || s.p[i] == '.' || s.p[s.len - 1] == '.')
		return false;
	for (; i < s.len; i++) {
		points += s.p[i] == '.';
		odd += (unsigned)(unsigned char)s.p[i] - '0' > 9;
	}
	return points == 1 && odd == 1;
}

static enum define_seen
class_of(struct slice value)
{
	uint64_t u;
	double d;
	int64_t i;

	if (number_small_unsigned(value, &u) && (value.p[0] != '0' || value.len == 1))
		return SEEN_INT;
	if (is_plain_double(value) || slice_eq(value, SLICE("-0")))
		return SEEN_DOUBLE;
	if (num_get_i64(value, &i))
		return SEEN_INT;
	if (!num_get_double(value, &d) || num_is_out_of_range(value, d))
		return SEEN_TEXT; /* a reader would read infinity, or 0 */
	return SEEN_DOUBLE;
}

/*
 * Returns whether the value, of 16 bytes or more, is an integer that no double can hold, and that a
 * reader of doubles rounds.
 */
static bool
is_large(struct slice value)
{
	int64_t v;
	double d;

	if (!num_is_integer(value))
		return false;
	if (!num_get_i64(value, &v))
		return true;
	d = (double)v;
	return d >= 0x1p63 || (int64_t)d != v;
}

static bool
fits(enum afperf_datatype type, enum define_seen seen, struct slice value)
{
	int64_t v = 0;

	if (define_type_holds(type, seen))
		return true;
	if (seen != SEEN_INT)
		return false;
	(void)num_get_i64(value, &v); /* see class_of */
	return type == AFPERF_BOOL ? v == 0 || v == 1 : v >= INT32_MIN && v <= INT32_MAX;
}

static enum define_seen
seen_of(const struct enc_use *u)
{
	return u->value.len == 0 || slice_eq(u->word.type, SLICE("text")) ? SEEN_TEXT
									  : class_of(u->value);
}

/*
 * Returns whether the line, of a measure with that type, is a result that is a number though the
 * measure's own values are texts, such as a sum of the numbers in a tag.
 */
static bool
is_number_of_texts(const struct enc_use *u, enum afperf_datatype type)
{
	return afperf_holds_texts(type) && !slice_is_nothing(u->word.stat) &&
	    seen_of(u) != SEEN_TEXT;
}

/* Chooses among the measures of texts and of numbers.  Returns false if memory runs out. */
static bool
choose_measure(struct afperf_encode *x, struct enc_use *u)
{
	enum afperf_datatype type = x->def.measure[u->measure].type;

	if (type != AFPERF_DATATYPES && !is_number_of_texts(u, type))
		return true;
	u->measure = define_measure_for(&x->def, u->measure, seen_of(u) == SEEN_TEXT);
	return u->measure != TAB_NONE;
}

/*
 * Checks whether the measure may have this value.  An undefined measure may have any value.  A
 * value computed from a defined measure may be wider (the mean of integers), but not a text.
 */
static int
check_value(struct afperf_encode *x, const struct ev *ev, struct enc_use *u, struct err *e)
{
	struct define_measure *m;
	enum define_seen seen;
	bool fit;

	if (!choose_measure(x, u))
		return err_nomem(e);
	m = &x->def.measure[u->measure];
	m->state.used = true;
	if (afperf_holds_texts(m->type)) {
		/* the measure line may still come, with another type */
		m->state.seen |= m->defined == 0 ? SEEN_TEXT : 0U;
		return 0;
	}
	seen = seen_of(u);
	u->number = seen != SEEN_TEXT;
	fit = m->type != AFPERF_DATATYPES && fits(m->type, seen, u->value);
	if (!fit && m->type != AFPERF_DATATYPES &&
	    (seen == SEEN_TEXT || slice_is_nothing(u->word.stat)))
		return err_line(e, ev->number, "value of type %s: %.*s",
		    afperf_datatype_name(m->type).p, slice_shown(u->value, SHOWN_MAX), u->value.p);
	m->state.large += u->value.len >= 16 && is_large(u->value);
	/*
	 * even a value that fits must be recorded while a line with a narrower type may still come
	 */
	m->state.seen |= !fit || m->defined == 0 ? seen : 0U;
	return 0;
}

/* Reads the value of a line.  Returns whether the line has one. */
static bool
read_value(struct afperf_encode *x, const struct ev *ev, struct enc_use *u)
{
	enum afperf_datatype type = x->def.measure[u->measure].type;

	u->value = ev->col[EV_VALUE];
	if (!slice_is_nothing(u->value))
		return true;
	u->value.len = 0;
	if (slice_eq(u->word.type, SLICE("text")))
		return true;
	return slice_is_nothing(u->word.stat) && afperf_holds_texts(type);
}

/*
 * Returns whether the line needs a type of a run without an id to be written, which is possible
 * only while that run is the last one.
 */
static bool
needs_its_run(const struct afperf_encode *x, const struct enc_use *u)
{
	const struct define_measure *m = &x->def.measure[u->measure];

	return !enc_run_is_told(x, u->run) &&
	    (!m->state.written || m->state.superseded || m->state.seen != 0);
}

#define NO_VALUE (-1) /* the line has no value and is only counted */

/* Reads the contents of a data line.  Returns 0, NO_VALUE or an error. */
static int
read_data(struct afperf_encode *x, const struct ev *ev, struct enc_use *u, struct err *e)
{
	struct define_name name;
	int rc;

	u->number = false;
	u->ref = u->interval = (struct enc_ref){ .text = SLICE(".") };
	enc_words_read(ev, &u->word);
	if (u->kind != ENC_AGG && !slice_is_nothing(u->word.stat)) {
		u->word.stat = SLICE("."); /* only an aggregate has stat */
		u->word.others++;
	}
	u->run = define_run_named(&x->def, ev->col[EV_RUN]);
	if (u->run == TAB_NONE)
		return err_nomem(e);
	name = (struct define_name){ u->run, ev->col[EV_MEASURE], u->word.unit, u->word.mid,
		u->word.type };
	u->measure = define_measure_named(&x->def, &name, &x->scratch);
	if (u->measure == TAB_NONE)
		return err_nomem(e);
	if (!read_value(x, ev, u)) {
		x->left.values++;
		return NO_VALUE;
	}
	rc = read_times(x, ev, u, e);
	if (rc == 0)
		rc = check_value(x, ev, u, e);
	return rc;
}

/*
 * Counts tags that have no place in AFPerf.  Which tags these are depends on whether the line came
 * from AFPerf.
 */
static void
count_tags(struct afperf_encode *x, struct enc_use *u, bool native, bool agg)
{
	struct enc_words *w = &u->word;

	if (!native) {
		w->others += w->tags + !slice_is_nothing(w->scope) + !slice_is_nothing(w->id) +
		    !slice_is_nothing(w->interval);
		w->extra.p = NULL;
	}
	if (agg || w->others == 0)
		return;
	x->left.tags += w->others;
	x->left.tag_lines++;
}

/* Takes the steps that are common to all data lines. */
static int
data_line(struct afperf_encode *x, const struct ev *ev, enum enc_kind kind, struct err *e)
{
	struct enc_use u; /* zeroing all of it would take a twentieth of the time of a line */
	bool defined = false, native, group;
	enum afperf_scope scope;
	struct slice n;
	int rc;

	u.kind = kind;
	rc = read_data(x, ev, &u, e);
	if (rc != 0)
		return rc == NO_VALUE ? 0 : rc;
	scope = slice_is_nothing(u.word.scope) || (kind == ENC_AGG && ev_tag(ev, SLICE("n"), &n))
	    ? SCOPE_NONE /* of afagg, for which scope is a key */
	    : afperf_scope_named(u.word.scope);
	/* a definition is written as late as possible, since aggregates may widen the type */
	if ((kind != ENC_AGG || scope != SCOPE_NONE) &&
	    !enc_is_defined(x, u.run, u.measure, &defined))
		return err_nomem(e);
	if (needs_its_run(x, &u))
		return enc_no_place(ev, e);
	native = defined && scope != SCOPE_NONE && enc_is_native(x, ev, &u, scope);
	rc = !native && (kind == ENC_AGG || !defined) ? enc_spool_begin(x, e) : 0;
	if (rc == 0 && native && u.word.extra.p != NULL)
		rc = enc_extra_fits(ev, u.word.extra, x->def.run[u.run].minor, 1, e);
	if (rc != 0)
		return rc;
	group = kind == ENC_AGG && (!native || scope == SCOPE_GROUP);
	count_tags(x, &u, native, group);
	if (x->spooling && !enc_spool_define(x, u.run, u.measure))
		return err_nomem(e);
	if (x->def.measure[u.measure].state.superseded && !enc_measure_here(x, u.measure, NULL))
		return err_nomem(e);
	return native && !group ? enc_native_data(x, ev, &u, scope, e) : enc_data(x, ev, &u, e);
}

/*
 * Returns whether a sample of that run and measure, which is not from AFPerf and has an integer as
 * its value, needs no other record before it, and changes nothing that is known of the measure.
 */
static inline bool
is_settled(const struct afperf_encode *x, const struct define_run *r,
    const struct define_measure *m)
{
	const struct define_state *s = &m->state;
	bool holds = m->type == AFPERF_INT64 || m->type == AFPERF_DOUBLE;

	if (r->blank || !s->written || s->superseded)
		return false;
	if (!(holds && m->defined != 0) &&
	    !((holds || m->type == AFPERF_DATATYPES) && (s->seen & SEEN_INT) != 0))
		return false;
	if (!x->spooling)
		return x->nwaiting == 0 && r->written;
	return (!x->pinning || r->written) && (s->pinned || s->ahead || s->seen == 0);
}

/*
 * Reads a sample that is like most: an integer of a settled measure, without tags that have a place
 * in AFPerf.  Returns false for all others, and has then changed nothing.  For these data_line does
 * the same, step by step.
 */
static bool
read_usual(struct afperf_encode *x, const struct ev *ev, struct enc_use *u)
{
	struct define_run *r;
	struct define_measure *m;
	uint64_t value;

	u->run = define_run_again(&x->def, ev->col[EV_RUN]);
	if (u->run == TAB_NONE || !enc_has_no_words(ev))
		return false;
	u->measure = define_measure_again(&x->def, u->run, ev->col[EV_MEASURE]);
	if (u->measure == TAB_NONE)
		return false;
	r = &x->def.run[u->run];
	m = &x->def.measure[u->measure];
	u->value = ev->col[EV_VALUE];
	u->end = ev->col[EV_TIME];
	if (!is_settled(x, r, m) || u->value.len > 15 || u->value.p[0] == '0' ||
	    !number_small_unsigned(u->value, &value) || !define_is_time(u->end) ||
	    !define_time_in_unit(r, &u->end))
		return false;
	u->start = u->end;
	u->number = true;
	if (!r->timed && define_time_cmp(u->start, define_time_text(&r->start)) < 0)
		define_time_set(&r->start, u->start);
	m->state.used = true;
	x->left.tags += ev->ntags;
	x->left.tag_lines += ev->ntags != 0;
	return true;
}

/* Looks at the event of a line that has no place for it, unlike results, whose label has it. */
static inline bool
see_event(struct afperf_encode *x, const struct ev *ev)
{
	return !x->namesakes.wanted || namesakes_look(&x->namesakes, ev);
}

static int
sample_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct enc_use u;

	if (!see_event(x, ev))
		return err_nomem(e);
	u.kind = ENC_SAMPLE;
	if (read_usual(x, ev, &u))
		return enc_data(x, ev, &u, e);
	return data_line(x, ev, ENC_SAMPLE, e);
}

static int
span_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	return see_event(x, ev) ? data_line(x, ev, ENC_SPAN, e) : err_nomem(e);
}

static int
agg_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct slice stat;

	if (!ev_tag(ev, SLICE("stat"), &stat) || stat.len == 0 || slice_is_nothing(stat))
		return err_line(e, ev->number, "agg line without stat=");
	return data_line(x, ev, ENC_AGG, e);
}

/* Counts the tags of a line that are not among the keys, for which its record has no field. */
static void
count_other_tags(struct afperf_encode *x, const struct ev *ev, const struct slice *keys, size_t n)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	uint64_t others = 0;

	while (ev_next_tag(&rest, &tag))
		others += !slice_is_one(tag.key, keys, n);
	x->left.tags += others;
	x->left.tag_lines += others != 0;
}

static int
pause_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	static const struct slice fields[] = { SLICE_INIT("start"), SLICE_INIT("extra"),
		SLICE_INIT("utc") };
	struct enc_use u = { .number = false };
	bool defined;
	int rc;

	enc_words_read(ev, &u.word);
	if (slice_is_nothing(u.word.start))
		return err_line(e, ev->number, "pause without start=");
	u.run = define_run_named(&x->def, ev->col[EV_RUN]);
	if (u.run == TAB_NONE)
		return err_nomem(e);
	rc = read_times(x, ev, &u, e);
	if (rc == 0 && !enc_is_defined(x, u.run, TAB_NONE, &defined))
		return err_nomem(e);
	if (rc == 0 && !defined)
		rc = enc_spool_begin(x, e);
	if (rc == 0 && !enc_run_is_told(x, u.run))
		rc = enc_no_place(ev, e);
	if (rc == 0)
		rc = enc_extra_fits(ev, u.word.extra, x->def.run[u.run].minor, SIZE_MAX, e);
	if (rc != 0)
		return rc;
	if (x->spooling && !enc_spool_define(x, u.run, TAB_NONE))
		return err_nomem(e);
	count_other_tags(x, ev, fields, sizeof fields / sizeof fields[0]);
	x->left.event_values += !slice_is_nothing(ev->col[EV_VALUE]);
	enc_block_close(x);
	enc_native_apart(x);
	enc_put(x, AFPERF_PAUSE_RESUME,
	    &(struct enc_record){ .run = u.run,
		.text = { [FIELD_TIME] = u.end, [FIELD_START] = u.start } });
	if (!enc_put_fields(x, u.word.extra))
		return err_nomem(e);
	enc_end(x);
	return 0;
}

/*
 * Leaves a definition to be written just before the next record that needs it.  measure may be
 * TAB_NONE.
 */
static int
wait_for_use(struct afperf_encode *x, size_t run, size_t measure, struct err *e)
{
	if (!vec_room(x->waiting, x->nwaiting, x->waiting_cap))
		return err_nomem(e);
	x->waiting[x->nwaiting++] = (struct enc_waiting){ run, measure };
	return 0;
}

/* Checks whether a run may have that version, and these fields that our version lacks. */
static int
version_fits(const struct ev *ev, struct err *e)
{
	struct slice version, extra = { NULL, 0 };
	uint64_t part[3];

	if (!ev_tag(ev, SLICE("afperf"), &version))
		return 0;
	if (!afperf_version_read(version, part) || part[0] != 1)
		return err_line(e, ev->number, "afperf= is not a version of AFPerf v1");
	(void)ev_tag(ev, SLICE("extra"), &extra);
	return enc_extra_fits(ev, extra, part[1], SIZE_MAX, e);
}

static int
run_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct slice time = ev->col[EV_TIME];
	const struct define_run *r;
	size_t run;
	int rc = version_fits(ev, e);

	if (rc != 0)
		return rc;
	if (!slice_is_nothing(time) && !define_is_time(time))
		return not_a_time(ev, e);
	switch (define_run(&x->def, ev, &run)) {
	case DEFINED_SAME: return 0;
	case DEFINED_AGAIN:
		return err_line(e, ev->number, "the run is defined again, but differently");
	case DEFINED_UNTIMELY: return not_in_unit(ev, e);
	case DEFINED_NOMEM: return err_nomem(e);
	case DEFINED_NEW: break;
	}
	r = &x->def.run[run];
	if (r->blank || (r->native && !x->spooling))
		return enc_run_here(x, run) ? 0 : err_nomem(e);
	return x->spooling ? 0 : wait_for_use(x, run, TAB_NONE, e);
}

/*
 * Returns whether the record must be written at the place of its line, since lines from AFPerf keep
 * their order.
 */
static bool
in_its_place(const struct afperf_encode *x, size_t measure)
{
	const struct define_run *r = &x->def.run[x->def.measure[measure].run];

	return r->native && (r->written || x->spooling) &&
	    x->def.measure[measure].type != AFPERF_DATATYPES;
}

/* Checks whether the record of the line may be the next one. */
static int
measure_fits(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct slice time = ev->col[EV_TIME], extra;
	size_t run = tab_find(&x->def.run_names, ev->col[EV_RUN]);
	const struct define_run *r = run == TAB_NONE ? NULL : &x->def.run[run];

	if (!slice_is_nothing(time) && !define_is_time(time))
		return not_a_time(ev, e);
	if (r == NULL || !r->native)
		return 0;
	if (r->blank && !x->spooling && x->nwaiting != 0 && !enc_definitions(x))
		return err_nomem(e);
	if (!enc_run_is_told(x, run))
		return enc_no_place(ev, e);
	if (r->blank && afperf_datatype_named(ev_get(ev, SLICE("type"))) == AFPERF_DATATYPES)
		return err_line(e, ev->number, "its run has no id, and it gives no datatype");
	return ev_tag(ev, SLICE("extra"), &extra) ? enc_extra_fits(ev, extra, r->minor, SIZE_MAX, e)
						  : 0;
}

static int
measure_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	static const struct slice fields[] = { SLICE_INIT("id"), SLICE_INIT("mid"),
		SLICE_INIT("type"), SLICE_INIT("unit"), SLICE_INIT("summary"),
		SLICE_INIT("description"), SLICE_INIT("extra"), SLICE_INIT("utc") };
	enum define_result defined;
	struct slice event;
	size_t measure;
	int rc = measure_fits(x, ev, e);

	if (rc != 0)
		return rc;
	count_other_tags(x, ev, fields, sizeof fields / sizeof fields[0]);
	x->namesakes.wanted |= ev_tag(ev, SLICE("event"), &event);
	if (!units_declare(&x->units, ev))
		return err_nomem(e);
	defined = define_measure(&x->def, ev, &measure);
	if (defined == DEFINED_NOMEM)
		return err_nomem(e);
	if (defined == DEFINED_UNTIMELY)
		return not_in_unit(ev, e);
	if (defined == DEFINED_AGAIN || in_its_place(x, measure)) {
		size_t run = x->def.measure[measure].run;
		bool before = x->def.measure[measure].state.written, written;

		if (!enc_is_defined(x, run, TAB_NONE, &written))
			return err_nomem(e);
		rc = written ? 0 : enc_spool_begin(x, e);
		if (rc != 0 || x->def.measure[measure].state.written != before)
			return rc;
		if (x->spooling && !enc_spool_define(x, run, TAB_NONE))
			return err_nomem(e);
		return enc_measure_here(x, measure, ev) ? 0 : err_nomem(e);
	}
	return defined == DEFINED_NEW && !x->spooling
	    ? wait_for_use(x, x->def.measure[measure].run, measure, e)
	    : 0;
}

static int
left_out(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	bool fresh;
	size_t n;

	/* make room first, so that every kind has a count */
	if (!vec_room(x->left.kind_count, x->left.kinds.count, x->left.kinds_cap))
		return err_nomem(e);
	n = tab_add(&x->left.kinds, ev->col[EV_KIND], &fresh);
	if (n == TAB_NONE)
		return err_nomem(e);
	x->left.kind_count[n] = fresh ? 1 : x->left.kind_count[n] + 1;
	return 0;
}

static int
event_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct slice scope = ev_get(ev, SLICE("scope"));

	return slice_is_nothing(scope) ? left_out(x, ev, e) : enc_native_event(x, ev, e);
}

static int
other_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	struct slice record = ev_get(ev, SLICE("record"));

	return slice_is_nothing(record) ? left_out(x, ev, e) : enc_other(x, ev, record, e);
}

/* Returns whether a line has requested an id that the container has. */
static bool
clashes(struct afperf_encode *x, struct err *e)
{
	const char *what = x->ids.clash_of;
	struct slice id = x->ids.clash.text;

	if (x->def.ids.clash.len != 0) {
		what = "run";
		id = x->def.ids.clash;
	}
	x->ids.clash_of = NULL;
	x->def.ids.clash.len = 0;
	if (what == NULL)
		return false;
	err_data(e, "%s id %.*s is in the file already (--renumber gives another)", what,
	    slice_shown(id, SHOWN_MAX), id.p);
	return true;
}

static int
take_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	static const struct {
		struct slice kind;
		int (*take)(struct afperf_encode *, const struct ev *, struct err *);
	} kinds[] = {
		{ { "sample", 6 }, sample_line },
		{ { "agg", 3 }, agg_line },
		{ { "span", 4 }, span_line },
		{ { "run", 3 }, run_line },
		{ { "measure", 7 }, measure_line },
		{ { "pause", 5 }, pause_line },
		{ { "start", 5 }, event_line },
		{ { "stop", 4 }, event_line },
		{ { "section", 7 }, event_line },
		{ { "comment", 7 }, enc_comment },
		{ { "other", 5 }, other_line },
	};
	size_t i;

	begin(x);
	for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (short_eq(kinds[i].kind, ev->col[EV_KIND]))
			return kinds[i].take(x, ev, e);
	return left_out(x, ev, e);
}

/*
 * Returns whether memory has run out for a table.  A lookup then fails as if the id were not there,
 * so this must be checked.
 */
static bool
has_failed(const struct afperf_encode *x)
{
	return x->native.regions.failed || x->native.sections.failed ||
	    x->native.intervals.failed || x->def.ids.runs.failed;
}

int
afperf_encode_line(struct afperf_encode *x, const struct ev *ev, struct err *e)
{
	int rc = take_line(x, ev, e);

	if (has_failed(x))
		return err_nomem(e);
	if (x->opt.append == NULL || rc != 0 || !clashes(x, e))
		return rc;
	return err_at_line(e, ev->number);
}

int
afperf_encode_end(struct afperf_encode *x, struct err *e)
{
	int rc;

	begin(x);
	enc_block_close(x);
	rc = enc_spool_end(x, e);
	if (rc == 0 && has_failed(x))
		rc = err_nomem(e);
	if (rc == 0)
		enc_section_stops(x);
	return rc == 0 && clashes(x, e) ? ERR_DATA : rc;
}
