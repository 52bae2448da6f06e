/* SPDX-License-Identifier: ISC */
/* line.c - the version, errors, and the parts of a line. */
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/num.h"
#include "src/afpipe/parts.h"

const char *
afpipe_version(void)
{
	return AFPIPE_VERSION;
}

/* ---- errors */

/* The codes and places have the same numbers in both. */
_Static_assert(AFPIPE_DATA == (int)ERR_DATA && AFPIPE_SYSTEM == (int)ERR_SYS &&
	AFPIPE_STOPPED == (int)ERR_STOP && AFPIPE_DOUBT == (int)ERR_DOUBT,
    "codes");
_Static_assert(AFPIPE_AT_BYTE == (int)ERR_BYTE && AFPIPE_AT_LINE == (int)ERR_LINE, "places");

static int
store(struct afpipe_error *to, const struct afpipe_error *from)
{
	size_t size;

	if (to == NULL || to->size < sizeof *to)
		return from->code;
	size = to->size;
	*to = *from;
	to->size = size;
	return to->code;
}

int
api_error(struct afpipe_error *to, const struct err *e)
{
	struct afpipe_error out = AFPIPE_ERROR_INIT;

	out.code = e->code;
	out.place = (int)e->place;
	out.errnum = e->errnum;
	out.position = e->pos;
	(void)snprintf(out.message, sizeof out.message, "%s", e->msg);
	return store(to, &out);
}

int
api_usage(struct afpipe_error *to, const char *message)
{
	struct afpipe_error out = AFPIPE_ERROR_INIT;

	out.code = AFPIPE_USAGE;
	(void)snprintf(out.message, sizeof out.message, "%s", message);
	return store(to, &out);
}

/* ---- the locale */

bool
api_locale_enter(struct api_locale *l)
{
	l->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (l->c == (locale_t)0)
		return false;
	l->before = uselocale(l->c);
	return true;
}

void
api_locale_leave(struct api_locale *l)
{
	(void)uselocale(l->before);
	freelocale(l->c);
}

/* ---- the parts of a line */

int
afpipe_find_tag(const struct afpipe_line *line, const char *key, struct afpipe_slice *value)
{
	struct slice found;

	if (!ev_tag_in(slice_in(line->tags), slice_of(key), &found))
		return 0;
	*value = slice_out(found);
	return 1;
}

int
afpipe_next_tag(struct afpipe_slice *rest, struct afpipe_tag *tag)
{
	struct slice left = slice_in(*rest);
	struct ev_tag next;

	if (!ev_next_tag(&left, &next))
		return 0;
	*rest = slice_out(left);
	*tag = (struct afpipe_tag){ slice_out(next.key), slice_out(next.value) };
	return 1;
}

int
afpipe_next_element(struct afpipe_slice *rest, struct afpipe_slice *element)
{
	struct slice left = slice_in(*rest), next;

	if (!ev_next_element(&left, &next))
		return 0;
	*rest = slice_out(left);
	*element = slice_out(next);
	return 1;
}

size_t
afpipe_unescape(char *room, struct afpipe_slice text)
{
	size_t at;

	return esc_undo_to(room, slice_in(text), &at);
}

int
afpipe_get_u64(struct afpipe_slice text, uint64_t *value)
{
	return num_get_u64(slice_in(text), value);
}

int
afpipe_get_double(struct afpipe_slice text, double *value)
{
	struct api_locale l;
	bool is;

	if (!api_locale_enter(&l))
		return 0;
	is = num_get_double(slice_in(text), value);
	api_locale_leave(&l);
	return is;
}
