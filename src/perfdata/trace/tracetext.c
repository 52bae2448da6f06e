/* SPDX-License-Identifier: ISC */
/* tracetext.c - checks the text that describes a tracepoint before a library reads it. */
#include "src/perfdata/trace/tracetext.h"

#include <stdbool.h>
#include <string.h>

#include "lib/err.h"

static const char attribute[] = "__attribute__((";
static const char head[] = "name: event\nID: 1\nformat:\n";
static const char tail[] = "\nprint fmt: \"\"\n";

static bool
begins(const char *p, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(end - p) >= n && memcmp(p, prefix, n) == 0;
}

static const char *
behind_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *
behind_word(const char *p, const char *end)
{
	while (p < end &&
	    ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
		*p == '_'))
		p++;
	return p;
}

/* Skips KEY, decimal digits and ';'; NULL if there is something else. */
static const char *
behind_number(const char *p, const char *end, const char *key)
{
	p = behind_blanks(p, end);
	if (!begins(p, end, key))
		return NULL;
	for (p += strlen(key); p < end && *p >= '0' && *p <= '9'; p++)
		;
	return p < end && *p == ';' && p[-1] != ':' ? p + 1 : NULL;
}

/* Skips to after the closing bracket; the text between is a number or names one. */
static const char *
behind_bounds(const char *p, const char *end)
{
	for (p++; p < end && *p != ']'; p++)
		if (*p < ' ' || *p > '~' || strchr("[;\"'", *p) != NULL)
			return NULL;
	return p < end ? p + 1 : NULL;
}

/* Skips "TYPE NAME", "TYPE NAME[BOUNDS]" or "TYPE[BOUNDS] NAME" and ';'; NULL otherwise. */
static const char *
behind_declaration(const char *p, const char *end)
{
	size_t words = 0;
	bool pointer = false;

	for (;;) {
		const char *q = behind_word(p = behind_blanks(p, end), end);

		if (q != p)
			words++;
		else if (p < end && *p == '*' && words > 0)
			q = p + 1;
		else
			break;
		pointer = *p == '*';
		p = q;
	}
	if (words < 2 || pointer)
		return NULL;
	if (p < end && *p == '[') {
		p = behind_bounds(p, end);
		if (p == NULL)
			return NULL;
		p = behind_blanks(behind_word(behind_blanks(p, end), end), end);
	}
	return p < end && *p == ';' ? p + 1 : NULL;
}

/* "field:TYPE NAME; offset:N; size:N; signed:N;"; old kernels do not have the last. */
static bool
is_field(const char *p, const char *end)
{
	p = behind_blanks(p, end);
	if (!begins(p, end, "field:") || (p = behind_declaration(p + 6, end)) == NULL ||
	    (p = behind_number(p, end, "offset:")) == NULL ||
	    (p = behind_number(p, end, "size:")) == NULL)
		return false;
	if (behind_blanks(p, end) != end)
		p = behind_number(p, end, "signed:");
	return p != NULL && behind_blanks(p, end) == end;
}

/* The place where the two parentheses open at p are closed; NULL if they are not. */
static const char *
behind_attribute(const char *p, const char *end)
{
	int depth = 2;

	for (; p < end && depth > 0; p++)
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
	return depth == 0 ? p : NULL;
}

/* A field's line without attributes, which do not affect the layout. */
static int
clean_field(struct trace_text *t, const char *p, const char *end)
{
	size_t begin = t->text.len;

	while (p < end) {
		if (begins(p, end, attribute)) {
			p = behind_attribute(p + sizeof attribute - 1, end);
			if (p == NULL)
				return ERR_DATA;
		} else if (!buf_putc(&t->text, *p++)) {
			return ERR_SYS;
		}
	}
	t->fields++;
	if (!is_field(t->text.p + begin, t->text.p + t->text.len))
		return ERR_DATA;
	return buf_putc(&t->text, '\n') ? 0 : ERR_SYS;
}

static int
clean_line(struct trace_text *t, const char *p, const char *end)
{
	if ((size_t)(end - p) > TRACE_LINE_MAX || t->text.len > TRACE_TEXT_MAX)
		return ERR_DATA;
	if (t->part == TRACE_TEXT_HEAD) { /* the event's name and id, which the caller knows */
		t->part = begins(p, end, "format:") ? TRACE_TEXT_COMMON : TRACE_TEXT_HEAD;
		return 0;
	}
	if (behind_blanks(p, end) != end)
		return t->part == TRACE_TEXT_BEHIND ? ERR_DATA : clean_field(t, p, end);
	t->part = t->part == TRACE_TEXT_COMMON ? TRACE_TEXT_OWN : TRACE_TEXT_BEHIND;
	return buf_putc(&t->text, '\n') ? 0 : ERR_SYS;
}

int
trace_text_clean(struct trace_text *t, struct slice text)
{
	const char *p = text.p, *end = text.p + text.len;
	int rc = buf_put(&t->text, head, sizeof head - 1) ? 0 : ERR_SYS;

	while (rc == 0 && p < end && !begins(p, end, "print fmt:")) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (lf == NULL)
			lf = end;
		rc = clean_line(t, p, lf);
		p = lf < end ? lf + 1 : end;
	}
	if (rc == 0 && t->part == TRACE_TEXT_HEAD)
		rc = ERR_DATA;
	for (; rc == 0 && t->part < TRACE_TEXT_BEHIND; t->part++)
		rc = buf_putc(&t->text, '\n') ? 0 : ERR_SYS;
	if (rc == 0 && !buf_put(&t->text, tail, sizeof tail - 1))
		rc = ERR_SYS;
	return rc;
}
