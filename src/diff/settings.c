/* SPDX-License-Identifier: ISC */
/* settings.c - reads the settings that users make, and limits. */
#include <math.h>
#include <string.h>

#include "lib/num.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */

/* Reads the limit itself: the last word. */
static int
read_bound(struct diff_limit *l, struct slice word, struct err *e)
{
	struct slice number;
	size_t at = 0;
	bool plus;

	while (at < word.len && word.p[at] != '<' && word.p[at] != '>')
		at++;
	if (at == 0 || at == word.len)
		return err_data(e, "expected a limit in quotes, such as 'mean>+5%%', not %.*s",
		    slice_shown(word, SHOWN_MAX), word.p);
	l->stat = (struct slice){ word.p, at };
	l->below = word.p[at] == '<';
	number = (struct slice){ word.p + at + 1, word.len - at - 1 };
	l->relative = number.len > 0 && number.p[number.len - 1] == '%';
	number.len -= l->relative;
	plus = number.len > 0 && number.p[0] == '+';
	if (plus)
		number = (struct slice){ number.p + 1, number.len - 1 };
	if (!num_get_double(number, &l->bound) || !(fabs(l->bound) <= DIFF_VALUE_MAX) ||
	    (plus && number.p[0] == '-'))
		return err_data(e, "not a number or a percentage: %.*s",
		    slice_shown(word, SHOWN_MAX), word.p);
	if (l->relative)
		l->bound /= 100;
	return 0;
}

/* Returns true if the last word of a limit, which begins at AT, is only a part of STAT>LIMIT. */
static bool
is_torn(struct slice text, size_t at, size_t end)
{
	size_t i;

	for (i = at; i < text.len && text.p[i] != '<' && text.p[i] != '>'; i++)
		;
	/* a name before it may end like C++'s */
	return i == text.len ? end > 0 && strchr("<>+-", text.p[end - 1]) != NULL : i == at;
}

int
diff_limit_read(struct diff_limit *l, struct slice text, struct err *e)
{
	size_t at, end;

	while (text.len > 0 && text.p[text.len - 1] == ' ')
		text.len--;
	at = text.len;
	while (at > 0 && text.p[at - 1] != ' ')
		at--;
	for (end = at; end > 0 && text.p[end - 1] == ' ';)
		end--;
	if (is_torn(text, at, end))
		return err_data(e, "STAT>LIMIT has no blanks, as in 'sum>+5%%', not '%.*s'",
		    slice_shown(text, 60), text.p);
	*l = (struct diff_limit){ .text = text, .condition = { text.p, end } };
	return read_bound(l, (struct slice){ text.p + at, text.len - at }, e);
}

static int
read_ignored(struct diff_settings *x, const char *text, struct err *e)
{
	static const struct slice columns[] = { SLICE_INIT("region"), SLICE_INIT("run"),
		SLICE_INIT("measure"), SLICE_INIT("value") };
	struct slice list = slice_of(text), key;
	size_t n = 0;

	while (slice_cut(&list, ',', &key)) {
		if (key.len == 0 || n++ == DIFF_IGNORED_MAX)
			return err_data(e, "expected up to %d keys with commas between them",
			    DIFF_IGNORED_MAX);
		if (SLICE_AMONG(key, columns))
			return err_data(e, "%.*s is a column, not one of the other keys",
			    (int)key.len, key.p);
	}
	if (n == 0)
		return err_data(e, "no key");
	x->ignore = slice_of(text);
	return 0;
}

/* Reads a percentage, with or without its sign, as a part of 1. */
static int
read_percentage(const char *argument, double least, double most, double *part, struct err *e)
{
	struct slice text = slice_of(argument);
	double v;

	text.len -= text.len != 0 && text.p[text.len - 1] == '%';
	if (!num_get_double(text, &v) || !(v >= least && v <= most))
		return err_data(e, "expected a number from %g to %g", least, most);
	*part = v / 100;
	return 0;
}

int
diff_set(struct diff_settings *x, enum diff_setting which, const char *argument, struct err *e)
{
	switch (which) {
	case DIFF_IGNORE: return read_ignored(x, argument, e);
	case DIFF_FAIL_ON:
		x->point = strcmp(argument, "point") == 0;
		if (x->point || strcmp(argument, "interval") == 0)
			return 0;
		return err_data(e, "expected interval or point");
	case DIFF_MIN_SHARE: return read_percentage(argument, 0, 100, &x->min_share, e);
	case DIFF_NORMALISE:
		if (diff_per_named(argument, &x->per))
			return 0;
		return err_data(e, "expected total, time or count");
	case DIFF_CONFIDENCE: return read_percentage(argument, 50, 99.9, &x->confidence, e);
	case DIFF_SETTINGS: break;
	}
	return 0;
}
