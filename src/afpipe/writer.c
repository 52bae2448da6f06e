/* SPDX-License-Identifier: ISC */
/* writer.c - writes a stream to a descriptor. */
#include <string.h>

#include "lib/evwrite.h"
#include "lib/mem.h"
#include "src/afpipe/parts.h"

#define KIND_MAX 255

struct afpipe_writer {
	struct evwrite w;
	char *source; /* the producer comes after it */
};

/* Stores what has failed.  Returns 0 if nothing has. */
static int
failure(const struct afpipe_writer *w, struct afpipe_error *error)
{
	struct err e;

	if (w->w.out.error == 0)
		return AFPIPE_OK;
	if (w->w.out.error == ENOMEM)
		err_nomem(&e);
	else
		err_sys(&e, w->w.out.error, "cannot write");
	return api_error(error, &e);
}

static void
free_writer(struct afpipe_writer *w)
{
	out_free(&w->w.out);
	mem_free(w->source);
	mem_free(w);
}

/* Returns NULL if memory runs out. */
static struct afpipe_writer *
make_writer(int fd, const char *producer, const char *source)
{
	struct afpipe_writer *w = mem_zero(1, sizeof *w);
	size_t n = strlen(source) + 1, m = strlen(producer) + 1;

	if (w == NULL)
		return NULL;
	w->source = mem_alloc(n + m);
	if (w->source == NULL || !evw_open(&w->w, fd, w->source + n)) {
		free_writer(w);
		return NULL;
	}
	memcpy(w->source, source, n);
	memcpy(w->source + n, producer, m);
	w->w.out.widened = true; /* the pipe is the caller's */
	return w;
}

struct afpipe_writer *
afpipe_writer_fd(int fd, const char *producer, const char *source, struct afpipe_error *error)
{
	struct afpipe_writer *w;
	struct err e;

	if (producer == NULL || *producer == '\0' || source == NULL || *source == '\0') {
		(void)api_usage(error, "a stream needs the names of its producer and its source");
		return NULL;
	}
	w = make_writer(fd, producer, source);
	if (w == NULL) {
		err_nomem(&e);
		(void)api_error(error, &e);
		return NULL;
	}
	evw_mark_open(&w->w, w->source);
	if (failure(w, error) == AFPIPE_OK)
		return w;
	free_writer(w);
	return NULL;
}

/* ---- lines from bytes */

static bool
is_kind(struct slice s)
{
	return s.len != 0 && s.len <= KIND_MAX && s.p[0] != '#' && !slice_is_nothing(s) &&
	    esc_is_plain(s.p, s.len, ESC_COLUMN);
}

/* Returns what is wrong with the parts of a line, or NULL. */
static const char *
wrong_parts(const struct afpipe_slice *column, const struct afpipe_tag *tags, size_t ntags)
{
	struct slice time = slice_in(column[AFPIPE_TIME]);
	uint64_t ignored;
	size_t i;

	if (!is_kind(slice_in(column[AFPIPE_KIND])))
		return "the kind is empty, too long, begins with #, or has special characters";
	if (time.len != 0 && !num_get_u64(time, &ignored))
		return "the time is not a decimal number";
	for (i = 0; i < ntags; i++)
		if (tags[i].key.len == 0 || !esc_is_plain(tags[i].key.p, tags[i].key.len, ESC_KEY))
			return "a key is empty, or has special characters";
	return NULL;
}

int
afpipe_write(struct afpipe_writer *w, const struct afpipe_slice column[AFPIPE_COLUMNS],
    const struct afpipe_tag *tags, size_t ntags, struct afpipe_error *error)
{
	const char *wrong = wrong_parts(column, tags, ntags);
	size_t i;

	if (wrong != NULL)
		return api_usage(error, wrong);
	evw_begin(&w->w, slice_in(column[AFPIPE_KIND]));
	for (i = AFPIPE_TIME; i < AFPIPE_COLUMNS; i++)
		evw_text(&w->w, slice_in(column[i]));
	for (i = 0; i < ntags; i++)
		evw_tag_text(&w->w, slice_in(tags[i].key), slice_in(tags[i].value));
	evw_end(&w->w);
	return failure(w, error);
}

/* ---- lines from escaped parts */

/* Returns what is wrong with a line, or NULL. */
static const char *
wrong_line(const struct afpipe_line *line)
{
	struct slice rest = slice_in(line->tags);
	/* with the TABs */
	size_t len = rest.len + (rest.len != 0 ? AFPIPE_COLUMNS : AFPIPE_COLUMNS - 1);
	struct ev_tag tag;
	size_t i, at;

	for (i = 0; i < AFPIPE_COLUMNS; i++) {
		struct slice s = slice_in(line->column[i]);

		if (s.len == 0 || !esc_is_canonical(s.p, s.len, &at))
			return "a column is empty, or not escaped correctly";
		len += s.len;
	}
	if (line->column[AFPIPE_KIND].p[0] == '#')
		return "the kind begins with #";
	if (rest.len != 0 && rest.p[rest.len - 1] == '\t')
		return "there is a TAB after the last tag";
	while (ev_next_tag(&rest, &tag))
		if (tag.key.len + tag.value.len == 0 ||
		    !esc_is_canonical(tag.key.p, tag.key.len, &at) ||
		    !esc_is_canonical(tag.value.p, tag.value.len, &at))
			return "a tag is empty, or not escaped correctly";
	return len > EV_LINE_MAX ? "the line is longer than 16 MiB" : NULL;
}

int
afpipe_write_line(struct afpipe_writer *w, const struct afpipe_line *line,
    struct afpipe_error *error)
{
	const char *wrong = wrong_line(line);
	size_t i;

	if (wrong != NULL)
		return api_usage(error, wrong);
	evw_begin(&w->w, slice_in(line->column[AFPIPE_KIND]));
	for (i = AFPIPE_TIME; i < AFPIPE_COLUMNS; i++)
		evw_raw(&w->w, slice_in(line->column[i]));
	if (line->tags.len != 0)
		evw_raw(&w->w, slice_in(line->tags));
	evw_end(&w->w);
	return failure(w, error);
}

/* ---- the end */

void
afpipe_pass_counts(struct afpipe_writer *w, const struct afpipe_reader *r)
{
	int i;

	for (i = 0; i < MARK_COUNTS; i++) {
		uint64_t n = reader_count(r, (enum mark_count)i), *sum = &w->w.count[i];

		*sum = num_plus(*sum, n);
	}
}

int
afpipe_flush(struct afpipe_writer *w, struct afpipe_error *error)
{
	(void)evw_flush(&w->w);
	return failure(w, error);
}

int
afpipe_writer_end(struct afpipe_writer *w, const char *reason, struct afpipe_error *error)
{
	int before = failure(w, error), rc;

	if (evw_recover(&w->w) && reason == NULL)
		reason = "failed";
	evw_mark_end(&w->w, reason == NULL, reason);
	rc = before != AFPIPE_OK ? before : failure(w, error);
	free_writer(w);
	return rc;
}
