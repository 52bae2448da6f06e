/* SPDX-License-Identifier: ISC */
/*
 * oldpipe.c - the header features in the pipe format of ChromeOS's perf 3.x.
 *
 * That perf sent each feature as a record of its own type, from 69 (HOSTNAME) on.  Later
 * versions use the same numbers for other records (69 ID_INDEX, 71 AUXTRACE, whose
 * payload is outside its size).  Layout: kernel/perf_internals.h of quipper.
 */
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define OLD_FIRST 69
#define OLD_PMU_MAPPINGS 81

/* Texts are padded to a multiple of this (NAME_ALIGN). */
#define TEXT_ALIGN 64

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID: a text and nothing else. */
static bool
is_text_type(uint32_t type)
{
	return (type >= 69 && type <= 72) || type == 74 || type == 75;
}

/*
 * A length that matches the record's own and a text of that length.  No record of the
 * same type from a later perf can look like this, since the low half of its first word
 * would have to be the size of all that follows.
 */
static bool
is_old_text(const struct decoder *d, const struct rec *r)
{
	struct cur c = rec_fields(r, d->big_endian);
	uint32_t len = cur_u32(&c);
	const unsigned char *text = cur_take(&c, len);

	return is_text_type(r->type) && text != NULL && len != 0 && len % TEXT_ALIGN == 0 &&
	    cur_left(&c) < 8 && text[len - 1] == 0 && text[0] >= ' ' && text[0] < 0x7f;
}

bool
oldpipe_is(struct decoder *d, const struct rec *r, unsigned *feature)
{
	if (!d->pipe || r->type < OLD_FIRST || r->type > OLD_PMU_MAPPINGS)
		return false;
	if (!d->old_pipe)
		d->old_pipe = is_old_text(d, r);
	*feature =
	    r->type == OLD_PMU_MAPPINGS ? FEAT_PMU_MAPPINGS : r->type - OLD_FIRST + FEAT_HOSTNAME;
	return d->old_pipe;
}

/*
 * The events' names come before the events: they are kept, and tried again after each new
 * event.
 */
int
oldpipe_names(struct decoder *d, struct err *e)
{
	struct cur c = cur_over(d->old_names.p, d->old_names.len, d->big_endian), peek = c;

	if (d->old_names.len == 0 || d->attrs > cur_u32(&peek))
		return 0;
	return feature_use(d, FEAT_EVENT_DESC, c, e);
}

/* Handled as a HEADER_FEATURE with the same contents. */
int
oldpipe_record(struct decoder *d, const struct rec *r, unsigned feature, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);

	if (feature == FEAT_EVENT_DESC) {
		d->old_names.len = 0;
		if (!buf_put(&d->old_names, c.p, cur_left(&c)))
			return err_nomem(e);
	}
	return feature_read(d, feature, c, e);
}
