/* SPDX-License-Identifier: ISC */
/* text.c - reads profiles printed by dcpicat, line by line. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/mem.h"
#include "lib/slice.h"
#include "lib/vec.h"
#include "src/dcpi/profile.h"
#include "src/dcpi/value.h"

#define TEXT_EVENTS_MAX ((size_t)256)

enum text_state {
	TEXT_HEADER, /* the header of a profile */
	TEXT_ROWS,
	TEXT_SKIP, /* the rest of a damaged profile */
};

/* One event of the profile: a column of the rows. */
struct text_column {
	struct line line;
	uint64_t number; /* number of its event line */
	uint64_t weight, sum;
};

struct text {
	struct profile *p;
	enum text_state state;
	uint64_t number; /* number of the line, from 1 */
	size_t event[TEXT_EVENTS_MAX], events; /* indices of the event lines in the header */
	struct text_column *column;
	size_t columns, cap; /* cap is the number of columns to close */
	uint64_t start, size; /* start and size of the text section */
	uint64_t last; /* address of the previous row */
	bool any; /* there was a previous row */
};

struct event {
	uint64_t weight; /* sum of the event's counts in the profile */
	struct slice measure; /* SET:NAME or NAME */
	struct slice set, name; /* for ProfileMe the sample set, otherwise empty */
	uint64_t period;
	/* share of the time during which the event was counted, in units of 1/10000 */
	uint64_t share;
};

/* Removes ":DIGITS" from the end of *s. */
static bool
take_last(struct slice *s, uint64_t *v)
{
	size_t n = s->len;
	struct slice digits;

	while (n > 0 && s->p[n - 1] != ':')
		n--;
	if (n == 0)
		return false;
	digits = (struct slice){ s->p + n, s->len - n };
	s->len = n - 1;
	return digits.len != 0 && dcpi_value_digits(digits) == digits.len &&
	    dcpi_value_decimal(digits, v);
}

/*
 * Parses the value of an event line.  Returns false if it does not have the right form.  The slices
 * point into value.
 */
static bool
dcpi_event_parse(struct slice value, struct event *e)
{
	size_t n = dcpi_value_digits(value), at = n;
	const char *colon;

	while (at < value.len && (value.p[at] == ' ' || value.p[at] == '\t'))
		at++;
	if (n == 0 || at == n || !dcpi_value_decimal((struct slice){ value.p, n }, &e->weight))
		return false;
	e->measure = (struct slice){ value.p + at, value.len - at };
	if (!take_last(&e->measure, &e->share) || !take_last(&e->measure, &e->period))
		return false;
	colon = e->measure.len == 0 ? NULL : memchr(e->measure.p, ':', e->measure.len);
	e->set = (struct slice){ e->measure.p, colon == NULL ? 0 : (size_t)(colon - e->measure.p) };
	e->name = e->measure;
	if (colon != NULL)
		e->name = (struct slice){ colon + 1, e->measure.len - e->set.len - 1 };
	return e->name.len != 0 && (colon == NULL || e->set.len != 0);
}

enum word { NAME, IMAGE, EPOCH, PLATFORM, TEXT_START, TEXT_SIZE, ONCE, EVENT = ONCE, WORDS };

static const char *const words[WORDS] = {
	[NAME] = "name",
	[IMAGE] = "image",
	[EPOCH] = "epoch",
	[PLATFORM] = "platform",
	[TEXT_START] = "text_start",
	[TEXT_SIZE] = "text_size",
	[EVENT] = "event",
};

static int
doubt(struct text *t, unsigned kind, struct err *e)
{
	return dcpi_profile_doubt(t->p, kind, e);
}

static int
check_epoch(struct slice value, uint64_t number, struct err *e)
{
	char shown[HEADER_SHOWN];
	const char *what;
	int64_t seconds;

	if (dcpi_value_epoch(value, &seconds, &what) >= EPOCH_10)
		return 0;
	return err_line(e, number, "epoch is not YYYYMMDDHHMM: %s",
	    dcpi_header_shown(shown, value));
}

static int
read_hex(struct slice value, const char *word, uint64_t number, uint64_t *v, struct err *e)
{
	struct slice digits = { value.p + 2, value.len - 2 };
	char shown[HEADER_SHOWN];

	if (value.len < 3 || memcmp(value.p, "0x", 2) != 0 ||
	    dcpi_value_hex_digits(digits) != digits.len || !dcpi_value_hex(digits, v))
		return err_line(e, number, "%s is not a hexadecimal number of 64 bits: %s", word,
		    dcpi_header_shown(shown, value));
	return 0;
}

/* Checks line i, which is the first one with its word. */
static int
check_line(struct text *t, enum word word, size_t i, struct err *e)
{
	const struct header *h = &t->p->head;
	struct slice value = dcpi_header_value(h, i);
	uint64_t number = h->line[i].number;
	char shown[HEADER_SHOWN];

	switch (word) {
	case IMAGE:
		if (dcpi_value_hex_digits(value) == value.len)
			return dcpi_header_check_length(value, words[word], number, e);
		return err_line(e, number, "bad hex digit in image: %s",
		    dcpi_header_shown(shown, value));
	case EPOCH: return check_epoch(value, number, e);
	case TEXT_START: return read_hex(value, words[word], number, &t->start, e);
	case TEXT_SIZE: return read_hex(value, words[word], number, &t->size, e);
	default: return dcpi_header_check_text(value, words[word], number, &t->p->doubts, e);
	}
}

static enum word
word_of(struct slice text)
{
	int i = 0;

	while (i < WORDS && !slice_eq(text, slice_of(words[i])))
		i++;
	return (enum word)i;
}

/* Checks the header.  Each required line must come once.  Other lines are kept unchanged. */
static int
check_header(struct text *t, struct err *e)
{
	const struct header *h = &t->p->head;
	size_t seen[WORDS + 1] = { 0 }, i;
	enum word word;
	int rc = 0;

	for (i = 0; rc == 0 && i < h->count; i++) {
		word = word_of(dcpi_header_word(h, i));
		if (word < ONCE && seen[word] != 0)
			return err_line(e, h->line[i].number, "second '%s' line", words[word]);
		seen[word]++;
		if (word < ONCE)
			rc = check_line(t, word, i, e);
		else if (word != EVENT)
			rc = dcpi_header_check_text(dcpi_header_value(h, i), "a header line",
			    h->line[i].number, &t->p->doubts, e);
	}
	for (i = 0; rc == 0 && i < WORDS; i++)
		if (seen[i] == 0)
			return err_line(e, t->number, "no '%s' line in the header", words[i]);
	t->columns = 0;
	if (rc == 0 && seen[EVENT] > TEXT_EVENTS_MAX)
		return err_line(e, t->number, "more than %zu events", TEXT_EVENTS_MAX);
	for (i = t->events = 0; rc == 0 && i < h->count; i++)
		if (word_of(dcpi_header_word(h, i)) == EVENT)
			t->event[t->events++] = i;
	return rc;
}

static int
check_event(struct text *t, const struct event *event, uint64_t number, struct err *e)
{
	const struct header *h = &t->p->head;
	struct event other;
	char shown[HEADER_SHOWN];
	size_t i;

	if (dcpi_header_check_length(event->measure, "event", number, e) != 0)
		return ERR_DATA;
	dcpi_header_shown(shown, event->measure);
	if (event->period == 0 || event->share == 0 || event->share > DCPI_SHARE_WHOLE) {
		err_line(e, number, "event %s has %s", shown,
		    event->period == 0      ? "a period of 0"
			: event->share == 0 ? "a share of 0"
					    : "a share above 10000");
		if (doubt(t, DOUBT_RATE, e) != 0)
			return ERR_DATA;
	}
	for (i = 0; i < t->events && h->line[t->event[i]].number < number; i++) {
		if (!dcpi_event_parse(dcpi_header_value(h, t->event[i]), &other) ||
		    !slice_eq(other.measure, event->measure))
			continue;
		err_line(e, number, "event %s appears twice", shown);
		return doubt(t, DOUBT_EVENT, e);
	}
	return dcpi_header_check_text(event->measure, "event", number, &t->p->doubts, e);
}

static void
put_measure(struct text *t, const struct event *event)
{
	struct evwrite *w = t->p->w;

	dcpi_profile_measure(t->p, event->measure);
	evw_tag_u64(w, SLICE("period"), event->period);
	evw_tag_u64(w, SLICE("share"), event->share);
	evw_tag_u64(w, SLICE("total"), event->weight);
	if (event->set.len != 0) {
		evw_tag_text(w, SLICE("set"), event->set);
		evw_tag_text(w, SLICE("counter"), event->name);
	}
	evw_end(w);
}

static int
add_column(struct text *t, const struct event *event, uint64_t number, struct slice image,
    struct dcpi_names *names, struct err *e)
{
	struct line_event le = { .run = buf_slice(&t->p->run),
		.measure = event->measure,
		.image = image };
	struct text_column *c;

	le.rate = (struct dcpi_rate){ event->period, true,
		event->share != 0 ? event->share : DCPI_SHARE_WHOLE };
	if (!vec_room_zero(t->column, t->columns, t->cap))
		return err_nomem(e);
	c = &t->column[t->columns++];
	c->number = number;
	c->weight = event->weight;
	c->sum = 0;
	return dcpi_line_open(&c->line, &le, t->p->opt, names) ? 0 : err_nomem(e);
}

/* Checks the header at its end, prints its run and measures, and opens the columns. */
static int
dcpi_text_begin_rows(struct text *t, struct err *e)
{
	struct profile *p = t->p;
	struct dcpi_names *names;
	struct slice image;
	struct event event;
	char shown[HEADER_SHOWN];
	size_t i;
	int rc = check_header(t, e);

	for (i = 0; rc == 0 && i < t->events; i++) {
		struct slice value = dcpi_header_value(&p->head, t->event[i]);
		uint64_t number = p->head.line[t->event[i]].number;

		if (!dcpi_event_parse(value, &event))
			return err_line(e, number,
			    "event is not WEIGHT [SET:]NAME:PERIOD:SHARE: %s",
			    dcpi_header_shown(shown, value));
		rc = check_event(t, &event, number, e);
	}
	if (rc != 0)
		return rc;
	image = dcpi_header_get(&p->head, WORD_IMAGE);
	rc = dcpi_profile_begin(p, image, &names, e);
	if (rc != 0)
		return rc;
	dcpi_profile_run_line(p, dcpi_header_get(&p->head, WORD_EPOCH), 0);
	for (i = 0; rc == 0 && i < t->events; i++) {
		(void)dcpi_event_parse(dcpi_header_value(&p->head, t->event[i]), &event);
		put_measure(t, &event);
		rc = add_column(t, &event, p->head.line[t->event[i]].number, image, names, e);
	}
	return rc;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns the next word of *rest, which is empty at its end. */
static struct slice
next_word(struct slice *rest)
{
	size_t at = 0, end;

	while (at < rest->len && is_blank(rest->p[at]))
		at++;
	for (end = at; end < rest->len && !is_blank(rest->p[end]);)
		end++;
	struct slice word = { rest->p + at, end - at };
	rest->p += end;
	rest->len -= end;
	return word;
}

static int
read_address(struct text *t, struct slice word, struct line_sample *s, struct err *e)
{
	struct slice digits = { word.p + 2, word.len - 2 };
	char shown[HEADER_SHOWN];

	if (word.len < 3 || dcpi_value_hex_digits(digits) != digits.len ||
	    !dcpi_value_hex(digits, &s->addr))
		return err_line(e, t->number, "not a 64-bit address: %s",
		    dcpi_header_shown(shown, word));
	if (t->any && s->addr <= t->last)
		return err_line(e, t->number,
		    "address 0x%" PRIx64 " after 0x%" PRIx64 ": addresses must increase", s->addr,
		    t->last);
	t->any = true;
	t->last = s->addr;
	s->has_addr = true;
	s->has_off = s->addr >= t->start;
	s->off = s->addr - t->start;
	if ((s->has_off && s->off < t->size) || dcpi_profile_told(t->p, DOUBT_SIZE))
		return 0;
	err_line(e, t->number, "address 0x%" PRIx64 " lies outside the text", s->addr);
	return dcpi_profile_doubt(t->p, DOUBT_SIZE, e);
}

static int
take_count(struct text *t, struct text_column *c, struct slice word, struct line_sample *s,
    struct err *e)
{
	char shown[HEADER_SHOWN];

	if (dcpi_value_digits(word) != word.len || !dcpi_value_decimal(word, &s->count))
		return err_line(e, t->number, "not a count: %s", dcpi_header_shown(shown, word));
	if (s->count > UINT64_MAX - c->sum)
		return err_line(e, t->number, "the counts of this event exceed 64 bits");
	c->sum += s->count;
	if (s->count != 0 || t->p->opt->zeros)
		dcpi_line_put(&c->line, t->p->w, s);
	return 0;
}

static int
take_row(struct text *t, struct slice line, struct err *e)
{
	struct line_sample s = { 0 };
	struct slice rest = line, word;
	size_t i;
	int rc = read_address(t, next_word(&rest), &s, e);

	for (i = 0; rc == 0 && i < t->columns; i++) {
		word = next_word(&rest);
		if (word.len == 0)
			return err_line(e, t->number, "%zu counts, and %zu events", i, t->columns);
		rc = take_count(t, &t->column[i], word, &s, e);
	}
	if (rc == 0 && next_word(&rest).len != 0)
		return err_line(e, t->number, "more counts than the %zu events", t->columns);
	return rc;
}

/* At the end of a profile, compares the counts with the sums in the event lines. */
static int
check_sums(struct text *t, struct err *e)
{
	size_t i;

	for (i = 0; i < t->columns; i++)
		if (t->column[i].weight != t->column[i].sum)
			return err_line(e, t->column[i].number,
			    "event gives %" PRIu64 " samples, rows have %" PRIu64,
			    t->column[i].weight, t->column[i].sum);
	return 0;
}

static int
end_profile(struct text *t, struct err *e)
{
	int rc = 0;

	if (t->state == TEXT_HEADER && t->p->head.count != 0)
		rc = dcpi_text_begin_rows(t, e);
	if (rc == 0 && t->state != TEXT_SKIP)
		rc = check_sums(t, e);
	dcpi_header_clear(&t->p->head);
	t->state = TEXT_HEADER;
	t->columns = 0;
	t->any = false;
	t->p->told = 0;
	return rc;
}

static int
take_header_line(struct text *t, struct slice line, struct err *e)
{
	struct slice word, value;
	int rc;

	while (line.len > 0 && is_blank(line.p[line.len - 1]))
		line.len--;
	rc = dcpi_header_split(line, t->number, &word, &value, e);
	return rc == 0 ? dcpi_header_add(&t->p->head, word, value, t->number, e) : rc;
}

static bool
is_row(struct slice line)
{
	return line.len >= 2 && line.p[0] == '0' && (line.p[1] == 'x' || line.p[1] == 'X');
}

static int
take_line(struct text *t, struct slice line, struct err *e)
{
	int rc = 0;

	if (line.len > 0 && line.p[line.len - 1] == '\r') {
		line.len--;
		if (!dcpi_profile_told(t->p, DOUBT_CRLF)) {
			err_line(e, t->number, "lines end in CR LF");
			rc = dcpi_profile_doubt(t->p, DOUBT_CRLF, e);
		}
	}
	while (line.len > 0 && is_blank(line.p[0])) {
		line.p++;
		line.len--;
	}
	if (rc != 0 || line.len == 0)
		return rc;
	if (t->state == TEXT_HEADER && !is_row(line))
		return take_header_line(t, line, e);
	if (t->state == TEXT_HEADER) {
		rc = dcpi_text_begin_rows(t, e);
		t->state = TEXT_ROWS;
	}
	return rc == 0 ? take_row(t, line, e) : rc;
}

/*
 * Reports damage.  Adds a hint if the header probably belongs to the binary form, though it does
 * not begin like one.
 */
static int
report(const struct text *t, struct err *e)
{
	static const char hint[] =
	    " (read as dcpicat's text: a binary profile begins with version)";
	size_t n = strlen(e->msg), max = sizeof e->msg - sizeof hint;

	if (t->state == TEXT_HEADER && e->code == ERR_DATA &&
	    dcpi_header_find(&t->p->head, WORD_VERSION) != NULL)
		memcpy(e->msg + (n < max ? n : max), hint, sizeof hint);
	return dcpi_profile_report(t->p, e);
}

static bool
begins_profile(struct slice line)
{
	return line.len > 4 && memcmp(line.p, "name", 4) == 0 && is_blank(line.p[4]);
}

/*
 * Processes one line, or the end.  Returns 0, or a code that ends this input.  Damage to a profile
 * is reported.
 */
static int
step(struct text *t, bool *end, int *worst)
{
	struct source *src = &t->p->src;
	struct slice line;
	struct err e;
	int rc = dcpi_source_line(src, HEADER_MAX, &line, &e);

	if (rc != 0)
		return dcpi_profile_report(t->p, &e);
	t->number++;
	*end = line.p == NULL;
	if (*end && dcpi_source_left(src) != 0) {
		err_line(&e, t->number,
		    dcpi_source_left(src) >= HEADER_MAX
			? "line longer than 1 MiB"
			: "the last line has no newline: cut short");
		t->state = TEXT_SKIP;
		return dcpi_profile_report(t->p, &e);
	}
	if (*end || begins_profile(line)) {
		rc = end_profile(t, &e);
		if (rc != 0)
			*worst = dcpi_profile_report(t->p, &e);
	}
	if (*end || rc == ERR_SYS)
		return rc;
	if (begins_profile(line))
		t->state = TEXT_HEADER;
	rc = t->state == TEXT_SKIP ? 0 : take_line(t, line, &e);
	src->at += line.len + 1;
	if (rc != 0) {
		*worst = report(t, &e);
		t->state = TEXT_SKIP;
	}
	return rc == ERR_SYS ? rc : 0;
}

int
dcpi_profile_text(struct profile *p)
{
	struct text t = { .p = p };
	bool end = false;
	int rc = 0, worst = 0;
	size_t i;

	while (rc == 0 && !end && !evw_failed(p->w))
		rc = step(&t, &end, &worst);
	for (i = 0; i < t.cap; i++)
		dcpi_line_close(&t.column[i].line);
	mem_free(t.column);
	return rc != 0 ? rc : worst;
}
