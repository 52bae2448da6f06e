/* SPDX-License-Identifier: ISC */
/* fit.c - cuts names to a width, and tells those apart that would look alike. */
#include "lib/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DIGITS 6 /* of a number, hexadecimal */
#define WHOLE_MAX ((size_t)100) /* columns of a name that is shown whole because of others */

size_t
fit_width(struct slice s)
{
	size_t n = 0, i;

	for (i = 0; i < s.len; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

/* Returns how many bytes the first n code points take. */
static size_t
bytes_of(struct slice s, size_t n)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80 && n-- == 0)
			break;
	return i;
}

/* Returns whether the '<' at AT follows a name or operator(), as that of template arguments. */
static bool
follows_name(struct slice s, size_t at)
{
	unsigned char c = at > 0 ? (unsigned char)s.p[at - 1] : ' ';
	bool name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	    c == '_' || c == ')';

	return name && !slice_ends((struct slice){ s.p, at }, SLICE("operator"));
}

/* Returns where the list that begins with the '<' at FROM ends, or s.len if it has no end. */
static size_t
end_of_arguments(struct slice s, size_t from)
{
	size_t depth = 0, i;

	for (i = from; i < s.len && s.p[i] != ';'; i++) {
		if (s.p[i] == '<')
			depth++;
		else if (s.p[i] == '>' && s.p[i - 1] != '-' && --depth == 0)
			return i;
	}
	return s.len;
}

/*
 * Copies names with <...> in place of the arguments of templates.  Returns the length, which is not
 * greater.  A list of up to three characters stays.
 */
static size_t
shorten_templates(char *to, struct slice s)
{
	size_t n = 0, i, end;

	for (i = 0; i < s.len; i++) {
		end = s.p[i] == '<' && follows_name(s, i) ? end_of_arguments(s, i) : s.len;
		if (end == s.len || end - i <= 4) {
			to[n++] = s.p[i];
			continue;
		}
		memcpy(to + n, "<...>", 5);
		n += 5;
		i = end;
	}
	return n;
}

#define LIST_CUT_MIN ((size_t)11) /* columns in which a list still shows a part of both ends */

/*
 * Puts ... in place of the middle of a text, so that it has as many columns as that, which are
 * fewer than before.  Where an end of an element of a list is left out, ...;... shows that its two
 * ends are not one name.  Returns the new length.
 */
static size_t
cut_middle(char *text, size_t n, size_t width)
{
	struct slice s = { text, n }, mark = SLICE("...");
	size_t room = width - mark.len, head = bytes_of(s, (room + 1) / 2),
	       tail = bytes_of(s, fit_width(s) - room / 2);

	if (width >= LIST_CUT_MIN && memchr(s.p + head, ';', tail - head) != NULL) {
		mark = SLICE("...;...");
		room = width - mark.len;
		head = bytes_of(s, (room + 1) / 2);
		tail = bytes_of(s, fit_width(s) - room / 2);
	}
	memmove(text + head + mark.len, text + tail, n - tail);
	memcpy(text + head, mark.p, mark.len);
	return head + mark.len + (n - tail);
}

struct slice
fit_cut(struct out *text, struct slice s, size_t width)
{
	char *room;
	size_t n;

	text->len = 0;
	room = out_room(text, s.len + SLICE("...;...").len);
	if (room == NULL)
		return (struct slice){ text->p, 0 };
	n = shorten_templates(room, s);
	if (fit_width((struct slice){ room, n }) > width)
		n = cut_middle(room, n, width);
	out_commit(text, n);
	return (struct slice){ text->p, text->len };
}

bool
fit_open(struct fit *f)
{
	bool ok;

	*f = (struct fit){ .text = { .fd = -1 } };
	ok = out_open(&f->text, -1);
	f->text.hold = true;
	return ok;
}

void
fit_close(struct fit *f)
{
	fit_seen(f);
	tab_free(&f->several);
	out_free(&f->text);
}

bool
fit_see(struct fit *f, struct slice name, size_t width)
{
	struct slice cut;
	bool fresh;

	if (fit_width(name) <= width)
		return true;
	if (tab_add(&f->name, name, &fresh) == TAB_NONE)
		return false;
	if (!fresh)
		return true;
	cut = fit_cut(&f->text, name, width);
	return tab_add(&f->cut, cut, &fresh) != TAB_NONE &&
	    (fresh || tab_add(&f->several, cut, NULL) != TAB_NONE) && f->text.error == 0;
}

void
fit_seen(struct fit *f)
{
	tab_free(&f->name);
	tab_free(&f->cut);
}

/*
 * Cuts a name and adds a number that depends only on the name, so that it is the same in all
 * tables.  Returns the whole name if that is not possible.
 */
static struct slice
with_number(struct fit *f, struct slice name, size_t width)
{
	char number[1 + DIGITS + 1];

	if (width < sizeof number - 1 + SLICE("...").len)
		return name;
	snprintf(number, sizeof number, "#%0*" PRIx64, DIGITS,
	    XXH64(name.p, name.len, 0) >> (64 - 4 * DIGITS));
	(void)fit_cut(&f->text, name, width - (sizeof number - 1));
	out_put(&f->text, number, sizeof number - 1);
	return (struct slice){ f->text.p, f->text.len };
}

struct slice
fit_name(struct fit *f, struct slice name, size_t width)
{
	size_t w = fit_width(name);
	struct slice cut;

	if (w <= width)
		return name;
	cut = fit_cut(&f->text, name, width);
	if (f->several.count == 0 || tab_find(&f->several, cut) == TAB_NONE)
		return cut;
	return w <= WHOLE_MAX ? name : with_number(f, name, width);
}
