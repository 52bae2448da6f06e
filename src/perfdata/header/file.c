/* SPDX-License-Identifier: ISC */
/*
 * file.c - the start of a recording: its mode, byte order, events and features.
 *
 * Layout: tools/perf/Documentation/perf.data-file-format.txt.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/guess.h"
#include "lib/mem.h"
#include "lib/sig.h"
#include "src/perfdata/header/parts.h"

#define FEATURE_MAX ((uint64_t)256 * 1024 * 1024)
#define PRELUDE_MAX ((uint64_t)64 * 1024 * 1024)
#define IDS_CHUNK 512

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t attr_size;
	struct section attrs, data;
	uint64_t features[4];
};

/* The bytes before the data, kept in memory if they cannot be read again. */
struct prelude {
	unsigned char *p;
	size_t len;
};

/* Reads n bytes at OFFSET.  It is an error if there are fewer. */
static int
fetch(struct in *in, const struct prelude *pre, uint64_t offset, void *dst, size_t n,
    const char *what, struct err *e)
{
	size_t got;

	if (pre->p != NULL) {
		if (offset > pre->len || n > pre->len - offset)
			return err_byte(e, offset,
			    "%s come after the data: not readable in one pass", what);
		memcpy(dst, pre->p + offset, n);
		return 0;
	}
	if (in_read_at(in, offset, dst, n, &got, e) != 0)
		return e->code;
	return got == n ? 0 : err_byte(e, offset, "the file ends before its %s", what);
}

static struct section
take_section(struct cur *c)
{
	struct section s = { .offset = cur_u64(c) };

	s.size = cur_u64(c);
	return s;
}

static int
read_ids(struct header *h, const struct prelude *pre, size_t event, struct section s, struct err *e)
{
	unsigned char chunk[IDS_CHUNK * 8];
	uint64_t left = s.size / 8, at = s.offset;

	/* ids do not overlap, so together they are no larger than the file */
	h->id_bytes += s.size;
	if (h->id_bytes < s.size ||
	    h->id_bytes > (pre->p != NULL ? pre->len : h->run->input->in.size))
		return err_byte(e, s.offset, "more event ids than the file has bytes");
	while (left > 0) {
		size_t n = left < IDS_CHUNK ? (size_t)left : IDS_CHUNK, i;
		struct cur c = cur_over(chunk, n * 8, h->run->events->big_endian);

		if (sig_stop())
			return err_stop(e);
		if (fetch(&h->run->input->in, pre, at, chunk, n * 8, "event ids", e) != 0)
			return e->code;
		for (i = 0; i < n; i++)
			if (events_add_id(h->run->events, event, cur_u64(&c), e) != 0)
				return e->code;
		at += n * 8;
		left -= n;
	}
	return 0;
}

static int
read_attrs(struct header *h, const struct prelude *pre, const struct file_header *fh, struct err *e)
{
	unsigned char entry[ATTR_SIZE_MAX + 16];
	uint64_t at = fh->attrs.offset, left;

	if (fh->attr_size < ATTR_SIZE_MIN + 16 || fh->attr_size > sizeof entry)
		return err_byte(e, 16, "attr entries of %" PRIu64 " bytes", fh->attr_size);
	for (left = fh->attrs.size; left >= fh->attr_size;
	     left -= fh->attr_size, at += fh->attr_size) {
		size_t size = (size_t)fh->attr_size;
		struct cur c = cur_over(entry, size - 16, h->run->events->big_endian);
		struct cur ids = cur_over(entry + size - 16, 16, h->run->events->big_endian);

		if (fetch(&h->run->input->in, pre, at, entry, size, "events", e) != 0)
			return e->code;
		if (events_add(h->run->events, &c, e) != 0) {
			err_at_byte(e, at);
			return e->code;
		}
		if (read_ids(h, pre, h->run->events->count - 1, take_section(&ids), e) != 0)
			return e->code;
	}
	return h->run->events->count > 0 ? 0
					 : err_byte(e, fh->attrs.offset, "no events in the header");
}

static int
read_one_feature(struct header *h, unsigned feature, struct section s, struct err *e)
{
	static const struct prelude none = { NULL, 0 };
	unsigned char *p;
	int rc;

	if (s.size > FEATURE_MAX)
		return err_byte(e, s.offset, "header feature %u of %" PRIu64 " bytes", feature,
		    s.size);
	p = mem_alloc(s.size == 0 ? 1 : (size_t)s.size);
	if (p == NULL)
		return err_nomem(e);
	rc = fetch(&h->run->input->in, &none, s.offset, p, (size_t)s.size, "header features", e);
	if (rc == 0) {
		rc = feature_read(h, feature,
		    cur_over(p, (size_t)s.size, h->run->events->big_endian), e);
		if (rc == ERR_DATA)
			err_at_byte(e, s.offset);
	}
	mem_free(p);
	return rc;
}

/*
 * Reads one feature.  Even sections that are not used must be there: a file that ends before them
 * was truncated.
 */
static int
one_feature(struct header *h, unsigned feature, struct section s, struct err *e)
{
	const struct in *in = &h->run->input->in;

	if (s.offset > in->size || s.size > in->size - s.offset)
		return err_byte(e, in->size,
		    "the file ends here, within or before its header feature %u", feature);
	if (feature_is_read(h->run, feature))
		return read_one_feature(h, feature, s, e);
	if (perf_wants_header(h->run->opt))
		feature_put_size(h->run, feature, s.size);
	return 0;
}

static uint64_t
later(uint64_t end, struct section s)
{
	uint64_t own = num_plus(s.offset, s.size);

	return own > end ? own : end;
}

/* Reports bytes after everything that the header describes.  They may be another recording. */
static void
look_after_end(struct header *h, uint64_t end)
{
	unsigned char magic[8];
	char text[100];
	struct err e;
	size_t got;

	if (end >= h->run->input->in.size)
		return;
	if (in_read_at(&h->run->input->in, end, magic, sizeof magic, &got, &e) != 0) {
		input_report(h->run->input, &e);
		h->run->input->failed = true;
		return;
	}
	if (got == sizeof magic && magic_is(magic)) {
		err_byte(&e, end,
		    "another recording follows this one and is not read: only perf's pipe "
		    "format can be joined");
		input_report(h->run->input, &e);
	} else {
		snprintf(text, sizeof text,
		    "%" PRIu64 " bytes after the end of the recording, at 0x%" PRIx64
		    ", are ignored",
		    h->run->input->in.size - end, end);
		input_note(h->run->input, text);
	}
}

/* Reads the features.  Damage in one is reported, since the samples are still worth reading. */
static int
read_features(struct header *h, const struct file_header *fh, struct err *e)
{
	static const struct prelude none = { NULL, 0 };
	uint64_t at = fh->data.offset + fh->data.size, end = later(at, fh->attrs);
	struct section s;
	unsigned feature;

	for (feature = 0; feature < FEAT_MAX; feature++) {
		unsigned char entry[16];
		struct cur c = cur_over(entry, sizeof entry, h->run->events->big_endian);
		int rc;

		if ((fh->features[feature / 64] >> feature % 64 & 1) == 0)
			continue;
		rc =
		    fetch(&h->run->input->in, &none, at, entry, sizeof entry, "header features", e);
		s = take_section(&c);
		if (rc == 0)
			rc = one_feature(h, feature, s, e);
		if (rc == ERR_SYS || rc == ERR_STOP)
			return rc;
		if (rc != 0) {
			input_report(h->run->input, e);
			if (at + 16 > h->run->input->in.size || e->pos >= h->run->input->in.size)
				return 0;
		}
		at += 16;
		end = later(later(end, s), (struct section){ at, 0 });
	}
	look_after_end(h, end);
	return 0;
}

static void
take_file_header(struct file_header *fh, struct cur c)
{
	int i;

	fh->attr_size = cur_u64(&c);
	fh->attrs = take_section(&c);
	fh->data = take_section(&c);
	(void)take_section(&c);
	for (i = 0; i < 4; i++)
		fh->features[i] = cur_u64(&c);
}

/*
 * Swaps the halves of the bitmap's words if the host name, which every perf writes, is missing.
 * The bitmap of a big-endian 32-bit writer consists of 32-bit words.
 */
static void
mend_features(struct header *h, struct file_header *fh)
{
	int i;

	if (!h->run->events->big_endian || (fh->features[0] & BIT64(FEAT_HOSTNAME)) != 0)
		return;
	for (i = 0; i < 4; i++)
		fh->features[i] = fh->features[i] >> 32 | fh->features[i] << 32;
}

/*
 * Returns true if perf inject, reading a pipe and writing a file, has overwritten the first records
 * with the events.
 */
static bool
events_lie_in_data(const struct file_header *fh)
{
	return fh->attrs.size != 0 && fh->data.size != 0 &&
	    fh->attrs.offset < fh->data.offset + fh->data.size &&
	    fh->data.offset < later(0, fh->attrs);
}

/* Reads all bytes before the data into memory.  The input is then positioned at the data. */
static int
read_prelude(struct header *h, struct prelude *pre, const unsigned char *head, size_t size,
    uint64_t upto, struct err *e)
{
	size_t got;

	if (upto > PRELUDE_MAX || upto < size)
		return err_byte(e, 40, "data at %" PRIu64 ": not readable in one pass", upto);
	pre->len = (size_t)upto;
	pre->p = mem_alloc(pre->len);
	if (pre->p == NULL)
		return err_nomem(e);
	memcpy(pre->p, head, size);
	if (in_fill(&h->run->input->in, pre->p + size, pre->len - size, &got, e) != 0)
		return e->code;
	return got == pre->len - size ? 0 : err_byte(e, size + got, "cut short in its header");
}

static int
at_data(struct header *h, uint64_t offset, struct err *e)
{
	if (offset <= INT64_MAX && lseek(h->run->input->in.fd, (off_t)offset, SEEK_SET) >= 0)
		return 0;
	if (offset <= INT64_MAX && errno != EINVAL)
		return err_sys(e, errno, "cannot seek");
	return err_byte(e, 40, "data at %" PRIu64 ": no file reaches that far", offset);
}

static int
file_parts(struct header *h, struct prelude *pre, const unsigned char *head, size_t size,
    struct data_section *data, struct err *e)
{
	struct file_header fh;
	int rc = 0;

	take_file_header(&fh,
	    cur_over(head + MAGIC_SIZE, FILE_HEADER_SIZE - MAGIC_SIZE, h->run->events->big_endian));
	mend_features(h, &fh);
	h->has_dir_format = (fh.features[0] & BIT64(FEAT_DIR_FORMAT)) != 0;
	h->dir_version = 1;
	data->offset = fh.data.offset;
	data->size = fh.data.size;
	data->unfinished = fh.data.size == 0;
	if (data->unfinished)
		data->size = UINT64_MAX;
	if (fh.data.offset > UINT64_MAX - fh.data.size)
		return err_byte(e, 40, "data of %" PRIu64 " bytes at %" PRIu64, fh.data.size,
		    fh.data.offset);
	if (events_lie_in_data(&fh))
		return err_byte(e, 40,
		    "the events were written over the beginning of the data, as perf inject does "
		    "when it makes a file from a pipe");
	if (!h->run->input->in.seekable) {
		input_note(h->run->input,
		    "read in one pass: events are named by their fields alone");
		rc = read_prelude(h, pre, head, size, fh.data.offset, e);
	}
	if (rc == 0)
		rc = read_attrs(h, pre, &fh, e);
	if (rc == 0 && h->run->input->in.seekable && !data->unfinished)
		rc = read_features(h, &fh, e);
	if (rc == 0 && h->run->input->in.seekable)
		rc = at_data(h, fh.data.offset, e);
	return rc;
}

static int
file_mode(struct header *h, unsigned char *head, size_t size, struct data_section *data,
    struct err *e)
{
	struct prelude pre = { NULL, 0 };
	size_t got;
	int rc;

	if (in_fill(&h->run->input->in, head + MAGIC_SIZE, size - MAGIC_SIZE, &got, e) != 0)
		return e->code;
	if (got < size - MAGIC_SIZE)
		return err_byte(e, MAGIC_SIZE + got, "cut short in its header");
	if (!h->run->input->in.seekable && !h->run->opt->no_spool &&
	    in_spool(&h->run->input->in, head, size, e) != 0)
		return e->code;
	rc = file_parts(h, &pre, head, size, data, e);
	mem_free(pre.p);
	return rc;
}

/* Refuses an input whose first n bytes have been read, and reads more to tell its kind. */
static int
refuse(const struct header *h, const unsigned char *head, size_t n, struct err *e)
{
	unsigned char begins[GUESS_BYTES];
	size_t more;

	memcpy(begins, head, n);
	if (in_fill(&h->run->input->in, begins + n, sizeof begins - n, &more, e) != 0)
		return e->code;
	return magic_refuse(begins, n + more, e);
}

int
header_read(struct header *h, struct data_section *data, struct err *e)
{
	unsigned char head[FILE_HEADER_SIZE] = { 0 };
	uint64_t size;
	size_t got;

	if (in_fill(&h->run->input->in, head, MAGIC_SIZE, &got, e) != 0)
		return e->code;
	if (got < MAGIC_SIZE || magic_read(head, &h->run->events->big_endian, &size, e) != 0)
		return got == MAGIC_SIZE && magic_is(head) ? e->code : refuse(h, head, got, e);
	*data = (struct data_section){ .pipe = size == MAGIC_SIZE,
		.offset = MAGIC_SIZE,
		.size = UINT64_MAX };
	return data->pipe ? 0 : file_mode(h, head, (size_t)size, data, e);
}

int
header_read_joined(struct header *h, struct feed *f, uint64_t offset, struct err *e)
{
	const unsigned char *head;
	size_t got;
	uint64_t size;

	if (feed_take(f, MAGIC_SIZE, &head, &got, e) != 0)
		return e->code;
	if (got < MAGIC_SIZE)
		return err_byte(e, offset + got, "cut short in its header");
	if (magic_read(head, &h->run->events->big_endian, &size, e) != 0)
		return e->code;
	if (size != MAGIC_SIZE)
		return err_byte(e, offset,
		    "a recording in file mode after another: only perf's pipe format can be "
		    "joined");
	feed_begin_anew(f, h->run->events->big_endian);
	return 0;
}
