/* SPDX-License-Identifier: ISC */
/* declabel.c - texts that are kept: labels with their tags. */

#include "lib/vec.h"
#include "src/afperf/decint.h"

#define SPELLING_MAX ((size_t)512)
#define SPELLINGS_MAX ((size_t)4096)

enum dec
dec_text_fits(struct afperf_decode *d, const struct dec_rec *r, size_t field)
{
	if (record_field(&r->r, field).len <= DEC_TEXT_MAX)
		return DEC_DONE;
	return dec_broken(d, r, field + 1, RULE_SIZE, "text longer than %zu bytes", DEC_TEXT_MAX);
}

/* A label and its tags as in a line. */
static enum dec
make_label(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number)
{
	struct buf *b = &d->scratch;
	struct slice label;
	enum dec rc = dec_text_fits(d, r, r->at->label);
	size_t n;

	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, r->at->label + (size_t)1);
	if (rc != DEC_DONE)
		return rc;
	b->len = 0;
	label = dec_text(d, record_field(&r->r, r->at->label), AFPERF_FIELD);
	if (!esc_append(b, label.p, label.len, ESC_COLUMN))
		return dec_nomem(d);
	rc = dec_tags(d, r, r->at->label + (size_t)1, b);
	if (rc != DEC_DONE)
		return rc;
	n = tab_add(&d->texts, buf_slice(b), NULL);
	if (n == TAB_NONE || n >= IDS_NONE)
		return dec_nomem(d);
	*number = (uint32_t)n;
	return DEC_DONE;
}

static bool
remember_spelling(struct afperf_decode *d, struct slice spelling, uint32_t label)
{
	size_t n = tab_add(&d->spelled, spelling, NULL);

	if (n != TAB_NONE && !vec_room(d->spelled_label, n, d->spelled_cap))
		return false;
	if (n != TAB_NONE)
		d->spelled_label[n] = label;
	return n != TAB_NONE;
}

/* Most labels have been seen before in the same spelling. */
enum dec
dec_label(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number)
{
	struct slice label = record_field(&r->r, r->at->label);
	struct slice tags = record_field(&r->r, r->at->label + (size_t)1);
	struct slice spelling = { label.p, (size_t)(tags.p + tags.len - label.p) };
	uint64_t doubts = d->doubts;
	size_t n = tab_find(&d->spelled, spelling);
	enum dec rc;

	/* a comma separates the two; if it is the first one, the label ends there */
	if (n != TAB_NONE && memchr(label.p, ',', label.len) == NULL) {
		*number = d->spelled_label[n];
		return DEC_DONE;
	}
	rc = make_label(d, r, number);
	if (rc == DEC_DONE && d->doubts == doubts && spelling.len <= SPELLING_MAX &&
	    d->spelled.count < SPELLINGS_MAX && memchr(label.p, ',', label.len) == NULL &&
	    !remember_spelling(d, spelling, *number))
		return dec_nomem(d);
	return rc;
}
