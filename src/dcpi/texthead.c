/* SPDX-License-Identifier: ISC */
/*
 * texthead.c - the header of a profile that dcpicat has printed.
 *
 * dcpicat(1): name, image, label, path, epoch, platform, text_start, text_size, then the events.
 * Numbers of text_ are hexadecimal with 0x.
 */
#include <inttypes.h>

#include "lib/vec.h"
#include "src/dcpi/text.h"
#include "src/dcpi/value.h"

#define SHOWN (HEADER_SHOWN_MAX * 4 + 1)

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
	char shown[SHOWN];
	const char *what;
	int64_t seconds;

	if (dcpi_value_epoch(value, &seconds, &what) >= EPOCH_10)
		return 0;
	return err_line(e, number, "epoch is no YYYYMMDDHHMM: %s", dcpi_header_shown(shown, value));
}

static int
read_hex(struct slice value, const char *word, uint64_t number, uint64_t *v, struct err *e)
{
	struct slice digits = { value.p + 2, value.len - 2 };
	char shown[SHOWN];

	if (value.len < 3 || memcmp(value.p, "0x", 2) != 0 ||
	    dcpi_value_hex_digits(digits) != digits.len || !dcpi_value_hex(digits, v))
		return err_line(e, number, "%s is no hexadecimal number of 64 bits: %s", word,
		    dcpi_header_shown(shown, value));
	return 0;
}

/* Line i, the first of its word. */
static int
check_line(struct text *t, enum word word, size_t i, struct err *e)
{
	const struct header *h = &t->p->head;
	struct slice value = dcpi_header_value(h, i);
	uint64_t number = h->line[i].number;
	char shown[SHOWN];

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

/* Each required line must come once; the others are kept unchanged. */
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
	char shown[SHOWN];
	size_t i;

	if (dcpi_header_check_length(event->measure, "event", number, e) != 0)
		return ERR_DATA;
	dcpi_header_shown(shown, event->measure);
	if (event->period == 0 || event->share == 0 || event->share > DCPI_SHARE_WHOLE) {
		err_line(e, number, "event %s has %s", shown,
		    event->period == 0      ? "a period of 0"
			: event->share == 0 ? "been counted at no time"
					    : "been counted for more than all of the time");
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
    const struct dcpi_names *names, struct err *e)
{
	struct line_event le = { .run = { t->p->run, sizeof t->p->run },
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

static struct slice
value_of(const struct header *h, enum word word)
{
	size_t i = 0;

	while (i < h->count && word_of(dcpi_header_word(h, i)) != word)
		i++;
	return i == h->count ? SLICE("") : dcpi_header_value(h, i);
}

int
dcpi_text_begin_rows(struct text *t, struct err *e)
{
	struct profile *p = t->p;
	const struct dcpi_names *names;
	struct slice image;
	struct event event;
	char shown[SHOWN];
	size_t i;
	int rc = check_header(t, e);

	for (i = 0; rc == 0 && i < t->events; i++) {
		struct slice value = dcpi_header_value(&p->head, t->event[i]);
		uint64_t number = p->head.line[t->event[i]].number;

		if (!dcpi_event_parse(value, &event))
			return err_line(e, number, "event is no WEIGHT [SET:]NAME:PERIOD:SHARE: %s",
			    dcpi_header_shown(shown, value));
		rc = check_event(t, &event, number, e);
	}
	if (rc != 0)
		return rc;
	image = value_of(&p->head, IMAGE);
	names = dcpi_profile_begin(p, image);
	dcpi_profile_run_line(p, value_of(&p->head, EPOCH), 0);
	for (i = 0; rc == 0 && i < t->events; i++) {
		(void)dcpi_event_parse(dcpi_header_value(&p->head, t->event[i]), &event);
		put_measure(t, &event);
		rc = add_column(t, &event, p->head.line[t->event[i]].number, image, names, e);
	}
	return rc;
}
