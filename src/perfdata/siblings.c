/* SPDX-License-Identifier: ISC */
/*
 * siblings.c - data.0, data.1, ... of a directory: records without a header of their own;
 * the header of DIR/data describes them.
 */
#include <inttypes.h>

#include "src/perfdata/decoder.h"

/* A directory that cannot be listed matters only if there is more than data in it. */
static void
find(struct decoder *d, bool unfinished)
{
	struct err e;
	int rc = directory_list(&d->dir, &e);

	d->directory = unfinished || (d->has_dir_format && d->dir_version != 0);
	if (rc != 0 && d->directory) {
		decoder_report(d, &e);
		d->failed |= rc == ERR_SYS;
	}
	if (d->dir.count > 0 && !d->directory)
		decoder_note(d,
		    "data.0 and the like are not read: its header does not know of them");
	if (d->dir.odd > 0)
		decoder_note(d, "files named data.* but without a number are not read");
}

static void
say_alone(struct decoder *d)
{
	struct err e;

	err_byte(&e, 72,
	    "this is one file of a directory, whose other files (data.0 and so on) are not read: "
	    "give the directory");
	decoder_report(d, &e);
}

void
siblings_find(struct decoder *d, bool unfinished)
{
	if (d->dir.path != NULL)
		find(d, unfinished);
	else if (d->has_dir_format && d->dir_version != 0)
		say_alone(d);
}

static int
open_file(struct decoder *d, size_t i, struct in *in, struct err *e)
{
	char path[PATH_BYTES];

	if (directory_path(&d->dir, i, path, sizeof path, e) != 0)
		return e->code;
	return in_open_regular(in, path, e);
}

/* An error in one file of a directory does not stop the reading of the others. */
static int
read_one(struct decoder *d, size_t i, uint64_t *end, struct err *e)
{
	uint64_t base = *end;
	struct in in;
	bool opened;
	int rc;

	d->dir.file[i].base = base;
	d->dir.begun = i + 1;
	rc = open_file(d, i, &in, e);
	opened = rc == 0;
	if (opened) {
		rc = decoder_read(d, &in, base, UINT64_MAX, end, e);
		in_close(&in);
	}
	++*end; /* an empty file gets a length, too: no two begin at one place */
	if (rc == 0 || rc == ERR_STOP)
		return rc;
	err_at_byte(e, base);
	if (rc == ERR_SYS && opened)
		return rc;
	d->failed |= rc == ERR_SYS;
	decoder_report(d, e);
	return 0;
}

static void
say_missing(struct decoder *d, uint32_t first, uint32_t end)
{
	struct err e;

	if (end - first == 1)
		err_data(&e, "data.%" PRIu32 " is missing", first);
	else
		err_data(&e, "data.%" PRIu32 " to data.%" PRIu32 " are missing", first, end - 1);
	decoder_report(d, &e);
}

int
siblings_read(struct decoder *d, uint64_t end, struct err *e)
{
	uint32_t next = 0;
	size_t i;
	int rc;

	for (i = 0, rc = 0; rc == 0 && i < d->dir.count && !evw_failed(d->w); i++) {
		if (d->dir.file[i].number > next)
			say_missing(d, next, d->dir.file[i].number);
		next = d->dir.file[i].number + 1;
		rc = read_one(d, i, &end, e);
	}
	if (d->dir.count == 0 && d->has_dir_format && !d->failed)
		say_missing(d, 0, 1);
	return rc;
}
