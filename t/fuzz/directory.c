/* SPDX-License-Identifier: ISC */
/*
 * directory.c - fuzzes the decoder of perf.data with the directories of perf record --threads.
 *
 * An input has two lengths of two bytes, least byte first; a file "data" of the first length; a
 * file "data.0" of the second one; and a file "data.1".  The reader of the stream must accept every
 * line, and damage must have a place in one of the files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/perfdata/perfdata.h"
#include "t/fuzz/fuzz.h"

#define FILES 3
#define HEAD 4

static char folder[] = "/dev/shm/afpipe-fuzz-XXXXXX";

static void
path_of(char path[64], int i)
{
	if (i == 0)
		snprintf(path, 64, "%s/data", folder);
	else
		snprintf(path, 64, "%s/data.%d", folder, i - 1);
}

static void
remove_folder(void)
{
	char path[64];
	int i;

	for (i = 0; i < FILES; i++) {
		path_of(path, i);
		(void)remove(path);
	}
	(void)remove(folder);
}

/* Opens the files for writing, once. */
static void
open_files(int fd[FILES])
{
	char path[64];
	int i;

	check(mkdtemp(folder) != NULL, "no temporary directory");
	check(atexit(remove_folder) == 0, "no memory");
	for (i = 0; i < FILES; i++) {
		path_of(path, i);
		fd[i] = open(path, O_WRONLY | O_CREAT, 0600);
		check(fd[i] >= 0, "no temporary file");
	}
}

static void
report(void *ctx, const char *file, const struct err *e)
{
	unsigned *reports = ctx;

	check_error(e);
	/* most chains end early: an error in the recording, all of which has been read */
	if (strncmp(e->msg, "some callers are not known", 26) == 0)
		return;
	++*reports;
	check(file == NULL ||
		(strncmp(file, folder, sizeof folder - 1) == 0 && e->place == ERR_BYTE),
	    "another file, or no place in it");
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* Checks that the reader of the stream accepts each line, and the marks. */
static void
read_back(int fd, bool whole, uint64_t lines)
{
	struct evread *in;
	struct ev ev;
	struct err e;
	int rc, errors = 0;

	stdin_file(fd);
	in = evread_open(NULL, 0, 0);
	check(in != NULL, "no memory");
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		lines -= rc > 0;
		if (rc < 0)
			check(strstr(e.msg, "ended partial") != NULL && errors++ == 0, e.msg);
	}
	evread_close(in);
	check(lines == 0, "the end mark counts other lines than there are");
	check((errors == 0) == whole, "status and end mark disagree");
}

/* Decodes the directory. */
static bool
decode(void)
{
	static int out = -1;
	unsigned reports = 0;
	struct perf_options opt = { .all = true, .no_spool = true };
	struct evwrite w;
	struct err e = { 0 };
	int status;

	if (out < 0)
		out = scratch();
	scratch_empty(out);
	opt.to = (struct reporter){ .error = report, .note = note, .ctx = &reports };
	check(evw_open(&w, out, "perfdec"), "no memory");
	evw_mark_open(&w, folder);
	status = perf_decode(folder, &opt, &w, &e);
	check(status == 0 || status == ERR_DATA, e.msg);
	check((status != 0) == (reports != 0), "status and reports disagree");
	evw_mark_end(&w, status == 0, status == 0 ? NULL : "damaged");
	check(evw_flush(&w), "cannot write");
	read_back(out, status == 0, w.lines);
	out_free(&w.out);
	return status == 0;
}

static bool
take(const uint8_t *data, size_t size)
{
	static int fd[FILES] = { -1 };
	const uint8_t *p = data + HEAD;
	size_t i, n, left = size - HEAD;

	if (fd[0] < 0)
		open_files(fd);
	if (size < HEAD)
		return false;
	for (i = 0; i < FILES; i++, p += n, left -= n) {
		n = i + 1 < FILES ? (size_t)(data[2 * i] | data[2 * i + 1] << 8) : left;
		n = n < left ? n : left;
		scratch_put(fd[i], p, n);
	}
	return decode();
}

const struct fuzz_driver fuzz_driver = { .take = take };
