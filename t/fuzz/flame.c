/* SPDX-License-Identifier: ISC */
/*
 * flame.c - fuzzes the pages and pictures of flameenc.
 *
 * The data of a page must be JSON, and a picture must be well-formed XML.  For a comparison, every
 * other line is on the other side.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "src/flame/flame.h"
#include "t/fuzz/fuzz.h"

#define SLICES 3 /* so few that samples are joined */

enum form { PAGE, PAGE_BY_TIME, PAGE_OF_TWO, PICTURE, PICTURE_OF_TWO, FORMS };

static bool
compares(enum form form)
{
	return form == PAGE_OF_TWO || form == PICTURE_OF_TWO;
}

/* Checks the error of a function, if there is one.  Returns true if there is none. */
static bool
is_fine(int rc, const struct err *e)
{
	if (rc != 0)
		check_error(e);
	return rc == 0;
}

static struct flame *
open_flame(enum form form, const char *title)
{
	struct flame *f = flame_new();
	struct err e;

	check(f != NULL && flame_set_title(f, title, &e) == 0, "no memory");
	if (compares(form))
		flame_compare(f);
	if (form == PAGE_BY_TIME)
		flame_by_time(f, SLICES);
	return f;
}

/* Writes the stream on standard input.  Returns true if nothing was refused. */
static bool
make(struct out *o, enum form form, const char *title)
{
	struct evread *r = evread_open(NULL, 0, 0);
	struct flame *f = open_flame(form, title);
	bool good = true;
	char text[512];
	struct ev ev;
	struct err e;
	int rc;

	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		bool other = compares(form) && ev.number % 2 == 0;

		good &= rc > 0 &&
		    is_fine(flame_line(f, other ? FLAME_BEFORE : FLAME_AFTER, &ev, &e), &e);
	}
	good &= is_fine(flame_end(f, &e), &e);
	(void)flame_is_apart(f, text, sizeof text);
	check(flame_note_side(f, FLAME_BEFORE, &e) == 0 && flame_note_side(f, FLAME_AFTER, &e) == 0,
	    "no memory");
	rc = form >= PICTURE ? flame_write_svg(f, o, &e) : flame_write_page(f, o, &e);
	check(rc == 0 && o->error == 0, "an output that is not whole");
	flame_free(f);
	evread_close(r);
	return good;
}

/* ---- the output */

/* Returns the place after the next WORD, which must be there. */
static const char *
after(const char *p, const char *word)
{
	p = strstr(p, word);
	check(p != NULL, word);
	return p + strlen(word);
}

static void
check_page(const char *page)
{
	const char *begin = after(page, "id=\"data\">"), *end = after(begin, "</script>") - 9;
	const char *rest = after(end, "<script ");
	json_error_t error;
	json_t *d;

	after(rest, "</html>");
	d = json_loadb(begin, (size_t)(end - begin), JSON_REJECT_DUPLICATES, &error);
	check(d != NULL || json_error_code(&error) == json_error_numeric_overflow, error.text);
	check(d == NULL || json_is_array(json_object_get(d, "panels")), "no panels");
	json_decref(d);
}

/* Returns the place after an entity. */
static const char *
skip_entity(const char *p)
{
	static const char *const words[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&apos;" };
	size_t i, n;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	check(strncmp(p, "&#", 2) == 0, "an entity that XML does not have");
	n = strspn(p + 2, "0123456789");
	check(n != 0 && p[n + 2] == ';', "an entity that XML does not have");
	return p + n + 3;
}

/* Returns the place after a text, which ends before one of STOPS. */
static const char *
skip_text(const char *p, const char *stops)
{
	while (*p != '\0' && strchr(stops, *p) == NULL) {
		check((unsigned char)*p >= ' ' || *p == '\n' || *p == '\t', "a control character");
		p = *p == '&' ? skip_entity(p) : p + 1;
	}
	return p;
}

/* Returns the place after the attributes of a tag. */
static const char *
skip_attributes(const char *p)
{
	while (*p == ' ' || *p == '\n') {
		p += strspn(p, " \n");
		p += strcspn(p, "= >/<\"");
		check(p[0] == '=' && p[1] == '"', "an attribute without a value");
		p = skip_text(p + 2, "\"<");
		check(*p == '"', "an attribute that does not end");
		p++;
	}
	return p;
}

/* Checks that tags nest.  The only other mark-up is a declaration at the beginning. */
static void
check_picture(const char *p)
{
	struct slice open[64];
	size_t n = 0;

	if (strncmp(p, "<?xml", 5) == 0)
		p = after(p, "?>");
	for (p = skip_text(p, "<"); *p == '<'; p = skip_text(p, "<")) {
		bool ends = p[1] == '/';
		struct slice name = { p + 1 + ends, strcspn(p + 1 + ends, " \n/>") };

		p = skip_attributes(name.p + name.len);
		if (ends) {
			check(n != 0 && slice_eq(open[--n], name), "another tag ends");
		} else if (*p == '/') {
			p++;
		} else {
			check(n < sizeof open / sizeof open[0], "deep tags");
			open[n++] = name;
		}
		check(*p++ == '>', "a tag that does not end");
	}
	check(*p == '\0' && n == 0, "a tag without an end");
}

/* Each way is a form of output. */
static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static int in = -1;
	char title[24] = "";
	bool good;
	struct out o;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	if (size != 0)
		memcpy(title, data, size < sizeof title - 1 ? size : sizeof title - 1);
	check(out_open(&o, -1), "no memory");
	o.hold = true;
	stdin_file(in);
	good = make(&o, (enum form)way, title);
	out_put(&o, "", 1);
	check(strlen(o.p) == o.len - 1, "a NUL");
	if (way >= PICTURE)
		check_picture(o.p);
	else
		check_page(o.p);
	out_free(&o);
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = FORMS,
	.meaning = SLICE_INIT("\t\n.\\=;:@+-01x<&\"e"),
	.meaning_of_4 = 2,
};
