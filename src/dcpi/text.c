/* SPDX-License-Identifier: ISC */
/* text.c - the profiles that dcpicat has printed, line by line. */
#include "src/dcpi/text.h"

#include <inttypes.h>

#include "lib/mem.h"
#include "src/dcpi/value.h"

#define SHOWN (HEADER_SHOWN_MAX * 4 + 1)

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word of *rest, empty at its end. */
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
	char shown[SHOWN];

	if (word.len < 3 || dcpi_value_hex_digits(digits) != digits.len ||
	    !dcpi_value_hex(digits, &s->addr))
		return err_line(e, t->number, "no address of 64 bits: %s",
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
	err_line(e, t->number, "address 0x%" PRIx64 " lies outside of the text", s->addr);
	return dcpi_profile_doubt(t->p, DOUBT_SIZE, e);
}

static int
take_count(struct text *t, struct text_column *c, struct slice word, struct line_sample *s,
    struct err *e)
{
	char shown[SHOWN];

	if (dcpi_value_digits(word) != word.len || !dcpi_value_decimal(word, &s->count))
		return err_line(e, t->number, "no count: %s", dcpi_header_shown(shown, word));
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

/* At the end of a profile: the event lines give the sums of the counts. */
static int
check_sums(struct text *t, struct err *e)
{
	size_t i;

	for (i = 0; i < t->columns; i++)
		if (t->column[i].weight != t->column[i].sum)
			return err_line(e, t->column[i].number,
			    "event says %" PRIu64 " samples, rows have %" PRIu64,
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

/* Damage in a header that is probably of the binary form, though it does not begin like one. */
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

/* One line, or the end.  0, or a code that ends this input; damage to a profile is reported. */
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
	if (*end || (begins_profile(line) && t->p->head.count != 0)) {
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
