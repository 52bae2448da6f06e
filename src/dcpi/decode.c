/* SPDX-License-Identifier: ISC */
/* decode.c - decodes an operand: finds its form, and does the work common to both forms. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/err.h"
#include "lib/esc.h"
#include "lib/guess.h"
#include "lib/mem.h"
#include "src/dcpi/dcpi.h"
#include "src/dcpi/profile.h"
#include "src/dcpi/value.h"

#define FOLDER_MAX ((size_t)1 << 20) /* files */

struct folder {
	char **path; /* regular files, and entries that cannot be examined: DIR/NAME */
	size_t count;
	char **odd_path; /* all others: directories, pipes, dangling links */
	size_t odd;
};

static int
add(char ***list, size_t *count, char *path, struct err *e)
{
	size_t n = *count;

	if (n == FOLDER_MAX) {
		mem_free(path);
		return err_data(e, "more than %zu files in the directory", FOLDER_MAX);
	}
	/* the capacity doubles, so it is used up at each power of two */
	if ((n & (n - 1)) == 0) {
		char **more = mem_resize(*list, (n == 0 ? 1 : 2 * n) * sizeof *more);

		if (more == NULL) {
			mem_free(path);
			return err_nomem(e);
		}
		*list = more;
	}
	(*list)[(*count)++] = path;
	return 0;
}

static char *
join(const char *dir, const char *name)
{
	size_t d = strlen(dir), n = strlen(name);
	char *path = mem_alloc(d + n + 2);

	if (path == NULL)
		return NULL;
	memcpy(path, dir, d);
	if (d == 0 || dir[d - 1] != '/')
		path[d++] = '/';
	memcpy(path + d, name, n + 1);
	return path;
}

static int
add_entry(struct folder *f, const char *dir, const char *name, struct err *e)
{
	struct stat st;
	char *path;
	bool file;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	path = join(dir, name);
	if (path == NULL)
		return err_nomem(e);
	/* an entry that cannot be examined may be a profile; opening it gives the error */
	file = stat(path, &st) == 0 ? S_ISREG(st.st_mode) : errno != ENOENT && errno != ELOOP;
	if (file)
		return add(&f->path, &f->count, path, e);
	return add(&f->odd_path, &f->odd, path, e);
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Lists a directory.  *f must be zeroed beforehand.  Call dcpi_folder_free afterwards, whatever
 * this returns.
 */
static int
dcpi_folder_list(struct folder *f, const char *dir, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int rc = 0;

	if (d == NULL)
		return err_sys(e, errno, "cannot read the directory");
	while (rc == 0 && (errno = 0, entry = readdir(d)) != NULL)
		rc = add_entry(f, dir, entry->d_name, e);
	if (rc == 0 && errno != 0)
		rc = err_sys(e, errno, "cannot read the directory");
	(void)closedir(d);
	if (f->count > 1)
		qsort(f->path, f->count, sizeof *f->path, by_bytes);
	if (f->odd > 1)
		qsort(f->odd_path, f->odd, sizeof *f->odd_path, by_bytes);
	return rc;
}

static void
free_list(char **list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		mem_free(list[i]);
	mem_free(list);
}

static void
dcpi_folder_free(struct folder *f)
{
	free_list(f->path, f->count);
	free_list(f->odd_path, f->odd);
	*f = (struct folder){ 0 };
}

#define FORM_BYTES 64 /* enough to see the first word */

enum form { FORM_BINARY, FORM_TEXT, FORM_NONE };

int
dcpi_profile_report(const struct profile *p, const struct err *e)
{
	if (e->code != ERR_STOP)
		report_error(&p->opt->to, p->file, e);
	return e->code;
}

int
dcpi_profile_doubt(void *profile, unsigned kind, const struct err *e)
{
	struct profile *p = profile;

	if (p->opt->strict)
		return ERR_DATA;
	if (!dcpi_profile_told(p, kind))
		report_doubt(&p->opt->to, p->file, e);
	p->told |= (uint32_t)1 << kind;
	return 0;
}

static bool
put_run_id(struct profile *p)
{
	static const char digits[] = "0123456789abcdef";
	const char *given = p->opt->run;
	uint64_t hash = dcpi_header_hash(&p->head);
	char id[18] = "0x";
	size_t i;

	p->run.len = 0;
	if (given != NULL)
		return esc_append(&p->run, given, strlen(given), ESC_COLUMN);
	for (i = sizeof id; i > 2; hash >>= 4)
		id[--i] = digits[hash & 15];
	return buf_put(&p->run, id, sizeof id);
}

int
dcpi_profile_begin(struct profile *p, struct slice image, struct dcpi_names **names, struct err *e)
{
	struct dcpi_names *n = p->opt->names;
	struct err doubt;

	*names = NULL;
	if (!put_run_id(p))
		return err_nomem(e);
	if (n == NULL)
		return 0;
	if (!n->is_met) {
		n->is_met = true;
		n->imagelen = image.len < DCPI_ID_MAX ? image.len : DCPI_ID_MAX;
		memcpy(n->image, image.p, n->imagelen);
	}
	if (slice_eq((struct slice){ n->image, n->imagelen }, image)) {
		*names = n;
		return 0;
	}
	err_data(&doubt, "not the image of the first profile: addresses without names");
	report_doubt(&p->opt->to, p->file, &doubt);
	return 0;
}

static void
put_header(struct profile *p)
{
	struct buf key = { 0 };
	size_t i;

	for (i = 0; i < p->head.count; i++) {
		struct slice word = dcpi_header_word(&p->head, i);

		key.len = 0;
		if (!buf_put(&key, "hdr.", 4) || !esc_append(&key, word.p, word.len, ESC_KEY)) {
			evw_nomem(p->w);
			break;
		}
		evw_tag_text(p->w, buf_slice(&key), dcpi_header_value(&p->head, i));
	}
	buf_free(&key);
}

void
dcpi_profile_run_line(struct profile *p, struct slice epoch, unsigned stride)
{
	struct slice host = dcpi_header_get(&p->head, WORD_PLATFORM);
	const char *what;
	int64_t seconds;

	evw_begin(p->w, SLICE("run"));
	evw_none(p->w);
	evw_raw(p->w, buf_slice(&p->run));
	evw_none(p->w);
	evw_none(p->w);
	evw_none(p->w);
	if (dcpi_value_epoch(epoch, &seconds, &what) >= EPOCH_10)
		evw_tag_i64(p->w, SLICE("wall"), seconds);
	evw_tag_text(p->w, SLICE("app"), SLICE("dcpi"));
	if (host.len != 0)
		evw_tag_text(p->w, SLICE("host"), host);
	if (stride != 0)
		evw_tag_u64(p->w, SLICE("stride"), stride);
	put_header(p);
	evw_end(p->w);
}

void
dcpi_profile_measure(struct profile *p, struct slice measure)
{
	evw_begin(p->w, SLICE("measure"));
	evw_none(p->w);
	evw_raw(p->w, buf_slice(&p->run));
	evw_none(p->w);
	evw_text(p->w, measure);
	evw_none(p->w);
	evw_tag_text(p->w, SLICE("type"), SLICE("int64"));
	evw_tag_text(p->w, SLICE("unit"), SLICE("samples"));
}

static bool
begins_with_word(const struct source *s, struct slice word)
{
	return dcpi_source_left(s) > word.len && memcmp(s->p + s->at, word.p, word.len) == 0 &&
	    (s->p[s->at + word.len] == ' ' || s->p[s->at + word.len] == '\t');
}

/*
 * Determines the form from the first bytes.  A header may begin with any of its lines, so any file
 * that could begin with a header is tried, except in a directory, which may well contain other
 * files.
 */
static enum form
form_of(const struct profile *p)
{
	const struct source *s = &p->src;
	unsigned char first = dcpi_source_left(s) == 0 ? 0 : s->p[s->at];
	const char *shown = (const char *)s->p + s->at;

	if (begins_with_word(s, SLICE("version")))
		return FORM_BINARY;
	if (begins_with_word(s, SLICE("name")))
		return FORM_TEXT;
	if (p->file != NULL)
		return FORM_NONE;
	if ((first > ' ' && first != 0x7f) || dcpi_binary_is_near(shown, dcpi_source_left(s)))
		return FORM_BINARY;
	return FORM_NONE;
}

/* Reports an input of another kind, which begins with neither word of a profile. */
static int
refuse(struct profile *p, struct err *e)
{
	struct source *s = &p->src;
	int rc;

	if (p->file != NULL || begins_with_word(s, SLICE("version")) ||
	    begins_with_word(s, SLICE("name")))
		return 0;
	rc = dcpi_source_want(s, GUESS_BYTES, e);
	if (rc == 0 && guess_refuse(s->p + s->at, dcpi_source_left(s), GUESS_DCPI, e) != 0) {
		err_at_byte(e, 0);
		rc = ERR_DATA;
	}
	return rc;
}

/* Decodes an open input.  Sets *read if it was a profile. */
static int
decode_open(struct profile *p, bool *read)
{
	struct err e;
	int rc = dcpi_source_want(&p->src, FORM_BYTES, &e);

	*read = true;
	if (rc == 0)
		rc = refuse(p, &e);
	if (rc != 0)
		return dcpi_profile_report(p, &e);
	switch (form_of(p)) {
	case FORM_BINARY: return dcpi_profile_binary(p);
	case FORM_TEXT: return dcpi_profile_text(p);
	case FORM_NONE: break;
	}
	*read = false;
	if (p->file != NULL)
		return 0;
	if (dcpi_source_left(&p->src) == 0)
		err_byte(&e, 0, "empty file");
	else
		err_byte(&e, 0, DCPI_NO_PROFILE);
	return dcpi_profile_report(p, &e);
}

static int
decode_file(struct profile *p, const char *path, bool *read)
{
	struct err e;
	struct in in;
	int rc = (p->file != NULL ? in_open_regular : in_open)(&in, path, &e);

	*read = true;
	if (rc == 0)
		rc = dcpi_source_open(&p->src, in, &p->w->out, &e);
	p->told = 0;
	dcpi_header_clear(&p->head);
	rc = rc == 0 ? decode_open(p, read) : dcpi_profile_report(p, &e);
	dcpi_source_close(&p->src);
	return rc;
}

/* Returns the worse of two codes.  A signal is worst, followed by a system failure and damage. */
static int
worse(int a, int b)
{
	return a > b ? a : b;
}

/* Writes one note for all files of a directory that are not profiles, since there may be many. */
static void
note_skipped(const struct profile *p, size_t n, const char *first, const char *why)
{
	struct err e;

	if (n == 0)
		return;
	if (n == 1)
		err_data(&e, "skipped: %s", why);
	else
		err_data(&e, "skipped: %s; and %zu more that are not profiles", why, n - 1);
	report_doubt(&p->opt->to, first, &e);
}

static int
decode_folder(struct profile *p, const char *name)
{
	struct folder f = { 0 };
	struct err e;
	/* the first file that is not a profile, which is named if all entries are files */
	const char *first = NULL;
	size_t i, profiles = 0, others = 0;
	bool read;
	int rc = dcpi_folder_list(&f, name, &e), code;

	if (rc != 0)
		dcpi_profile_report(p, &e);
	for (i = 0; rc != ERR_STOP && i < f.count && !evw_failed(p->w); i++) {
		p->file = f.path[i];
		code = decode_file(p, f.path[i], &read);
		rc = worse(rc, code);
		profiles += read;
		if (!read && others++ == 0)
			first = f.path[i];
	}
	p->file = NULL;
	if (f.odd != 0)
		note_skipped(p, f.odd + others, f.odd_path[0], "not a regular file");
	else
		note_skipped(p, others, first, "it begins with neither version nor name");
	if (rc == 0 && profiles == 0 && !evw_failed(p->w)) {
		err_data(&e, "a directory without a profile in it");
		rc = dcpi_profile_report(p, &e);
	}
	dcpi_folder_free(&f);
	return rc;
}

int
dcpi_decode(const char *name, const struct dcpi_options *opt, struct evwrite *w)
{
	struct profile p = { .opt = opt, .w = w };
	struct stat st;
	bool read;
	int rc;

	p.doubts = (struct header_doubts){ dcpi_profile_doubt, &p };
	if (strcmp(name, "-") != 0 && stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		rc = decode_folder(&p, name);
	else
		rc = decode_file(&p, name, &read);
	dcpi_line_close(&p.line);
	buf_free(&p.run);
	dcpi_header_free(&p.head);
	return rc;
}
