/* SPDX-License-Identifier: ISC */
/* merge.c - merges the headers of several profiles of one image and event. */
#include "src/dcpi/merge.h"

#include "lib/esc.h"
#include "src/dcpi/value.h"

#define SHOWN (HEADER_SHOWN_MAX * 4 + 1)

void
dcpi_merge_free(struct merge *m)
{
	dcpi_header_free(&m->head);
	dcpi_header_free(&m->next);
	buf_free(&m->text);
	tab_free(&m->lines);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* May the bytes be written to a header unchanged? */
static bool
is_line(struct slice word, struct slice value)
{
	size_t i;

	if (word.len == 0 || value.len == 0 || is_blank(value.p[0]) ||
	    memchr(value.p, '\n', value.len) != NULL || slice_eq(word, SLICE("samples")) ||
	    (word.len > 7 && memcmp(word.p, "samples\r", 8) == 0))
		return false;
	for (i = 0; i < word.len; i++)
		if (is_blank(word.p[i]) || word.p[i] == '\n' || word.p[i] == '\0')
			return false;
	return true;
}

/* Appends the header line of a tag to m->next. */
static int
take_tag(struct merge *m, struct slice key, struct slice text, uint64_t number, struct err *e)
{
	struct slice word, value;
	size_t at, n;
	char shown[SHOWN];

	m->text.len = 0;
	/* in a key "." does not mean nothing */
	if (slice_is_nothing(key) ? !buf_putc(&m->text, '.') : esc_undo(&m->text, key, &at) != 0)
		return err_nomem(e);
	n = m->text.len;
	if (esc_undo(&m->text, text, &at) != 0)
		return err_nomem(e);
	word = (struct slice){ m->text.p, n };
	value = (struct slice){ m->text.p + n, m->text.len - n };
	if (!is_line(word, value))
		return err_line(e, number, "no line of a DCPI header: %s",
		    dcpi_header_shown(shown, word));
	return dcpi_header_add(&m->next, word, value, number, e);
}

static int
no_doubt(void *ctx, unsigned kind, const struct err *e)
{
	(void)ctx;
	(void)kind;
	(void)e;
	return 0;
}

static int
read_header(struct merge *m, const struct ev *ev, struct err *e)
{
	static const struct header_doubts doubts = { no_doubt, NULL };
	static const struct slice prefix = { "hdr.", 4 };
	struct slice rest = ev->tags;
	struct ev_tag tag;
	char shown[SHOWN];
	size_t i;
	int rc = 0;

	dcpi_header_clear(&m->next);
	while (rc == 0 && ev_next_tag(&rest, &tag)) {
		if (tag.key.len <= prefix.len || memcmp(tag.key.p, prefix.p, prefix.len) != 0)
			continue;
		tag.key.p += prefix.len;
		tag.key.len -= prefix.len;
		rc = take_tag(m, tag.key, tag.value, ev->number, e);
	}
	if (m->next.count == 0)
		return rc;
	if (rc == 0)
		rc = dcpi_header_check_whole(&m->next, ev->number, e);
	if (rc == 0 && !dcpi_header_begins(dcpi_header_word(&m->next, 0)))
		rc = err_line(e, ev->number, "a DCPI header cannot begin with the word %s",
		    dcpi_header_shown(shown, dcpi_header_word(&m->next, 0)));
	for (i = 0; rc == 0 && i < m->next.count; i++)
		rc = dcpi_header_check_line(&m->next, i, &doubts, e);
	return rc;
}

/* Numbers are compared by value: leading zeros and the case of digits do not matter. */
static bool
is_same(enum header_word word, struct slice a, struct slice b)
{
	uint64_t x, y;

	if (slice_eq(a, b))
		return true;
	if (word == WORD_TSTART)
		return dcpi_value_hex(a, &x) && dcpi_value_hex(b, &y) && x == y;
	if (word == WORD_TSIZE || word == WORD_PERIOD)
		return dcpi_value_decimal(a, &x) && dcpi_value_decimal(b, &y) && x == y;
	return false;
}

static int
check_agreement(struct merge *m, uint64_t number, struct err *e)
{
	static const enum header_word must[] = { WORD_IMAGE, WORD_TSTART, WORD_TSIZE, WORD_EVENT,
		WORD_PERIOD, WORD_PLATFORM };
	char ours[SHOWN], theirs[SHOWN];
	size_t i;

	for (i = 0; i < sizeof must / sizeof must[0]; i++) {
		struct slice a = dcpi_header_get(&m->head, must[i]),
			     b = dcpi_header_get(&m->next, must[i]);

		if (!is_same(must[i], a, b))
			return err_line(e, number, "profiles of different %s: %s and %s",
			    dcpi_header_name(must[i]).p, dcpi_header_shown(ours, a),
			    dcpi_header_shown(theirs, b));
	}
	return 0;
}

/* The line, to m->text.  No word has a blank in it. */
static int
spell_line(struct merge *m, struct slice word, struct slice value, struct err *e)
{
	m->text.len = 0;
	if (!buf_put(&m->text, word.p, word.len) || !buf_putc(&m->text, ' ') ||
	    !buf_put(&m->text, value.p, value.len))
		return err_nomem(e);
	return 0;
}

/* Adds the line to those of head, if it is *fresh. */
static int
note_line(struct merge *m, struct slice word, struct slice value, bool *fresh, struct err *e)
{
	int rc = spell_line(m, word, value, e);

	if (rc == 0 && tab_add(&m->lines, buf_slice(&m->text), fresh) == TAB_NONE)
		rc = err_nomem(e);
	return rc;
}

static int
note_head(struct merge *m, struct err *e)
{
	bool fresh;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < m->head.count; i++)
		rc = note_line(m, dcpi_header_word(&m->head, i), dcpi_header_value(&m->head, i),
		    &fresh, e);
	return rc;
}

/* The line of the earlier epoch is kept, in its own spelling. */
static int
take_epoch(struct merge *m, struct slice value, bool *changed, struct err *e)
{
	const struct header_line *l = dcpi_header_find(&m->head, WORD_EPOCH);
	size_t i = (size_t)(l - m->head.line);
	int64_t ours, theirs;
	const char *what;

	(void)dcpi_value_epoch(dcpi_header_value(&m->head, i), &ours, &what);
	(void)dcpi_value_epoch(value, &theirs, &what);
	if (theirs >= ours)
		return 0;
	*changed = true;
	return dcpi_header_replace(&m->head, i, value, e);
}

/* For a word that head has: does its value differ? */
static int
compare_line(struct merge *m, enum header_word known, struct slice word, struct slice value,
    struct err *e)
{
	int rc = spell_line(m, word, value, e);

	if (rc == 0 && tab_find(&m->lines, buf_slice(&m->text)) == TAB_NONE)
		m->differ[known] += !is_same(known, dcpi_header_get(&m->head, known), value);
	return rc;
}

/* Takes line i of the header being added. */
static int
unite_line(struct merge *m, size_t i, bool *changed, struct err *e)
{
	const struct header_line *l = &m->next.line[i];
	struct slice word = dcpi_header_word(&m->next, i), value = dcpi_header_value(&m->next, i);

	bool fresh;
	int rc;

	if (l->known == WORD_EPOCH)
		return take_epoch(m, value, changed, e);
	if (l->known < WORD_PATH && dcpi_header_find(&m->head, l->known) != NULL)
		return compare_line(m, l->known, word, value, e);
	rc = note_line(m, word, value, &fresh, e);
	if (rc != 0 || !fresh)
		return rc;
	*changed = true;
	return dcpi_header_add(&m->head, word, value, l->number, e);
}

static int
take_stride(struct merge *m, const struct ev *ev, struct err *e)
{
	struct slice text;
	unsigned stride = 4;

	if (ev_tag(ev, SLICE("stride"), &text)) {
		if (!slice_eq(text, SLICE("4")) && !slice_eq(text, SLICE("1")))
			return err_line(e, ev->number, "stride is not 4 or 1");
		stride = (unsigned)(text.p[0] - '0');
	}
	if (m->stride != 0 && m->stride != stride)
		return err_line(e, ev->number, "profiles of different stride: %u and %u", m->stride,
		    stride);
	m->stride = stride;
	return 0;
}

int
dcpi_merge_run(struct merge *m, const struct ev *ev, bool *has, bool *changed, struct err *e)
{
	struct header first;
	size_t i;
	int rc = read_header(m, ev, e);

	*changed = false;
	*has = rc != 0 || m->next.count != 0;
	if (rc != 0 || !*has)
		return rc;
	rc = take_stride(m, ev, e);
	if (rc != 0)
		return rc;
	m->runs++;
	if (m->head.count == 0) {
		first = m->head;
		m->head = m->next;
		m->next = first;
		*changed = true;
		return 0;
	}
	rc = check_agreement(m, ev->number, e);
	if (rc == 0 && m->lines.count == 0)
		rc = note_head(m, e);
	for (i = 0; rc == 0 && i < m->next.count; i++)
		rc = unite_line(m, i, changed, e);
	return rc;
}
