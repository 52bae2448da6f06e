/* SPDX-License-Identifier: ISC */
/* binary.c - a profile in its binary form: the header's lines, then the samples. */
#include "src/dcpi/profile.h"
#include "src/dcpi/value.h"

#define BOM HEADER_BOM
#define BOM_BYTES (sizeof BOM - 1)

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
			return 0; /* a word that begins the same */
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

bool
dcpi_binary_is_near(const char *s, size_t n)
{
	static const struct slice word = { "version", 7 };
	size_t i = 0;

	if (n >= BOM_BYTES && memcmp(s, BOM, BOM_BYTES) == 0)
		i = BOM_BYTES;
	while (i < n && memchr(" \t\r\n", s[i], 4) != NULL)
		i++;
	return n - i >= word.len && memcmp(s + i, word.p, word.len) == 0;
}

/* No line so far was a header line, and neither is the next one. */
static int
is_foreign(const struct profile *p, struct slice line)
{
	size_t i;

	if (p->head.count == 0 && line.len > 0 && line.p[0] >= 'a' && line.p[0] <= 'z' &&
	    memchr(line.p, '\0', line.len) != NULL)
		return 0; /* NULs in a word */
	if (p->head.count == 0 &&
	    dcpi_binary_is_near((const char *)p->src.p + p->src.at, dcpi_source_left(&p->src)))
		return 0;
	for (i = 0; i < p->head.count; i++)
		if (p->head.line[i].known != WORD_UNKNOWN)
			return 0;
	return 1;
}

static int
split(struct slice line, uint64_t number, struct slice *word, struct slice *value, struct err *e)
{
	int rc;

	if (number == 1 && line.len >= BOM_BYTES && memcmp(line.p, BOM, BOM_BYTES) == 0)
		return err_line(e, number, "a byte order mark before the first word");
	rc = dcpi_header_split(line, number, word, value, e);
	if (rc == 0 && number == 1 && !dcpi_header_begins(*word))
		return err_line(e, number, "a control byte before the first word");
	return rc;
}

static int
read_header(struct profile *p, struct err *e)
{
	struct slice line, word, value, none = { NULL, 0 };
	uint64_t number;
	int rc, ends = 0;

	for (number = 1;; number++) {
		rc = dcpi_source_line(&p->src, HEADER_MAX - (size_t)dcpi_source_offset(&p->src),
		    &line, e);
		if (rc != 0)
			return rc;
		if (line.p == NULL)
			return is_foreign(p, none) ? err_byte(e, 0, DCPI_NO_PROFILE)
						   : cut_short(p, e);
		ends = is_terminator(line, number, e);
		if (ends < 0)
			return ERR_DATA;
		if (ends > 0) {
			p->src.at += line.len + 1;
			return dcpi_header_check_whole(&p->head, number, e);
		}
		rc = split(line, number, &word, &value, e);
		if (rc == ERR_DATA && is_foreign(p, line))
			return err_byte(e, 0, DCPI_NO_PROFILE);
		if (rc == 0)
			rc = dcpi_header_add(&p->head, word, value, number, e);
		if (rc == 0)
			rc = dcpi_header_check_line(&p->head, p->head.count - 1, &p->doubts, e);
		if (rc != 0)
			return rc;
		p->src.at += line.len + 1;
	}
}

static int
open_line(struct profile *p, struct err *e)
{
	struct line_event event = { .image = dcpi_header_get(&p->head, WORD_IMAGE),
		.measure = dcpi_header_get(&p->head, WORD_EVENT),
		.period = dcpi_header_get(&p->head, WORD_PERIOD),
		.rate = { .share = DCPI_SHARE_WHOLE } };
	const struct dcpi_names *names = dcpi_profile_begin(p, event.image);

	event.run = (struct slice){ p->run, sizeof p->run };
	event.rate.known = dcpi_value_decimal(event.period, &event.rate.period);
	if (!dcpi_line_open(&p->line, &event, p->opt, names))
		return err_nomem(e);
	dcpi_profile_run_line(p, dcpi_header_get(&p->head, WORD_EPOCH), p->opt->stride);
	dcpi_profile_measure(p, event.measure);
	evw_tag_text(p->w, SLICE("period"), event.period);
	evw_end(p->w);
	return 0;
}

int
dcpi_profile_binary(struct profile *p)
{
	struct err e;
	int rc = read_header(p, &e);

	if (rc == 0)
		rc = open_line(p, &e);
	if (rc == 0)
		rc = dcpi_profile_chunks(p, &e);
	return rc == 0 ? 0 : dcpi_profile_report(p, &e);
}
