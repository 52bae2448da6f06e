/* SPDX-License-Identifier: ISC */
/* binary.c - a profile in its binary form: the header's lines, then the samples. */
#include "src/dcpi/profile.h"
#include "src/dcpi/value.h"

/* What ends the header: "samples", blanks, newline.  1: it does, 0: it is another line. */
static int
is_terminator(struct slice line, uint64_t number, struct err *e)
{
	static const struct slice word = { "samples", 7 };
	size_t i;

	if (line.len < word.len || memcmp(line.p, word.p, word.len) != 0)
		return 0;
	for (i = word.len; i < line.len; i++) {
		if (line.p[i] == ' ' || line.p[i] == '\t')
			continue;
		if (i == word.len && line.p[i] != '\r')
			return 0; /* a word that begins like it */
		err_line(e, number,
		    line.p[i] == '\r' && i + 1 == line.len
			? "carriage return after samples "
			  "(was the file changed by a text-mode transfer?)"
			: "only blanks may follow samples");
		return -1;
	}
	return 1;
}

static int
cut_short(const struct profile *p, struct err *e)
{
	uint64_t at = p->src.base + p->src.len;

	if (at >= HEADER_MAX)
		return err_byte(e, HEADER_MAX, "header longer than %zu bytes", HEADER_MAX);
	return err_byte(e, at, "header cut short: no samples line");
}

/* Nothing so far was a line of a header. */
static int
is_foreign(const struct profile *p)
{
	size_t i;

	for (i = 0; i < p->head.count; i++)
		if (p->head.line[i].known != WORD_UNKNOWN)
			return 0;
	return 1;
}

static int
read_header(struct profile *p, struct err *e)
{
	struct slice line, word, value;
	uint64_t number;
	int rc, ends = 0;

	for (number = 1;; number++) {
		rc = source_line(&p->src, HEADER_MAX - (size_t)source_offset(&p->src), &line, e);
		if (rc != 0)
			return rc;
		if (line.p == NULL)
			return is_foreign(p) ? err_byte(e, 0, DCPI_NO_PROFILE) : cut_short(p, e);
		ends = is_terminator(line, number, e);
		if (ends < 0)
			return ERR_DATA;
		p->src.at += line.len + 1;
		if (ends > 0)
			return header_check_whole(&p->head, number, e);
		rc = header_split(line, number, &word, &value, e);
		if (rc == ERR_DATA && is_foreign(p) && memchr(line.p, '\0', line.len) == NULL)
			return err_byte(e, 0, DCPI_NO_PROFILE);
		if (rc == 0)
			rc = header_add(&p->head, word, value, number, e);
		if (rc == 0)
			rc = header_check_line(&p->head, p->head.count - 1, &p->doubts, e);
		if (rc != 0)
			return rc;
	}
}

static int
open_line(struct profile *p, struct err *e)
{
	struct line_event event = { .image = header_get(&p->head, WORD_IMAGE),
		.measure = header_get(&p->head, WORD_EVENT),
		.period = header_get(&p->head, WORD_PERIOD),
		.rate = { .share = DCPI_SHARE_WHOLE } };
	const struct dcpi_names *names = profile_begin(p, event.image, e);

	event.run = (struct slice){ p->run, sizeof p->run };
	event.rate.known = value_decimal(event.period, &event.rate.period);
	if (!line_open(&p->line, &event, p->opt, names))
		return err_nomem(e);
	profile_run_line(p, header_get(&p->head, WORD_EPOCH), p->opt->stride);
	profile_measure(p, event.measure);
	evw_tag_text(p->w, SLICE("period"), event.period);
	evw_end(p->w);
	return 0;
}

int
profile_binary(struct profile *p)
{
	struct err e;
	int rc = read_header(p, &e);

	if (rc == 0)
		rc = open_line(p, &e);
	if (rc == 0)
		rc = profile_chunks(p, &e);
	return rc == 0 ? 0 : profile_report(p, &e);
}
