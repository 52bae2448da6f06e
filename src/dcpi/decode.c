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
#include "src/dcpi/images.h"
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
	if (dir[d - 1] != '/') /* it has been opened, so its name is not empty */
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
	struct dcpi_images *m = p->opt->images;

	*names = NULL;
	if (!put_run_id(p))
		return err_nomem(e);
	if (m == NULL)
		return 0;
	if (dcpi_images_see(m, image, &p->head, e) != 0)
		return (int)e->code;
	if (p->only)
		dcpi_images_settle(m);
	*names = dcpi_images_find(m, image);
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

	/* an id from the command line is meant for all profiles */
	if (p->opt->run == NULL &&
	    !runs_add(&p->runs, buf_slice(&p->run), p->w, &p->opt->to, p->file))
		evw_nomem(p->w);
	evw_begin(p->w, SLICE("run"));
	evw_none(p->w);
	evw_raw(p->w, buf_slice(&p->run));
	evw_none(p->w);
	evw_none(p->w);
	evw_none(p->w);
	if (dcpi_value_epoch(epoch, &seconds, &what) >= EPOCH_10)
		evw_tag_i64(p->w, SLICE("wall"), seconds);
	evw_tag_text(p->w, SLICE("app"), SLICE("dcpi"));
	evw_tag_text(p->w, SLICE("host"), host); /* a header without it is refused */
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

#define LOOK_MAX ((size_t)16 << 20) /* bytes of text that are read ahead to see if there is more */

/* Sets p->only if the names of procedures may depend on it. */
static int
see_if_only(struct profile *p, enum form form, struct err *e)
{
	const struct dcpi_images *m = p->opt->images;
	bool more = false;
	int rc = 0;

	p->only = false;
	if (m == NULL || m->whole || !m->alone || p->file != NULL)
		return 0;
	if (form == FORM_TEXT)
		rc = dcpi_source_find(&p->src, SLICE("name"), LOOK_MAX, &more, e);
	p->only = rc == 0 && !more && (form == FORM_BINARY || p->src.ended);
	return rc;
}

/* Decodes an open input.  Sets *read if it was a profile. */
static int
decode_open(struct profile *p, bool *read)
{
	struct err e;
	enum form form;
	int rc = dcpi_source_want(&p->src, FORM_BYTES, &e);

	*read = true;
	if (rc == 0)
		rc = refuse(p, &e);
	form = form_of(p);
	if (rc == 0)
		rc = see_if_only(p, form, &e);
	if (rc != 0)
		return dcpi_profile_report(p, &e);
	switch (form) {
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

static bool
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Returns the first directory in a directory, or NULL. */
static const char *
first_folder(const struct folder *f)
{
	size_t i;

	for (i = 0; i < f->odd; i++)
		if (is_folder(f->odd_path[i]))
			return f->odd_path[i];
	return NULL;
}

/* Reports a directory without profiles: a whole database, or something else. */
static int
refuse_folder(struct profile *p, const struct folder *f)
{
	const char *epoch = first_folder(f);
	struct err e;
	char shown[HEADER_SHOWN];

	err_data(&e, "a directory without a profile in it");
	if (epoch != NULL)
		(void)err_add(&e, ": give an epoch in it, such as %s",
		    dcpi_header_shown(shown, slice_of(epoch)));
	return dcpi_profile_report(p, &e);
}

static int
decode_folder(struct profile *p, const char *name)
{
	struct folder f = { 0 };
	struct err e;
	/* the first file that is not a profile, which is named if all entries are files */
	const char *first = NULL;
	size_t i, profiles = 0, others = 0;
	bool read, none;
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
	none = rc == 0 && profiles == 0 && !evw_failed(p->w);
	if (f.odd != 0 && !(none && first_folder(&f) != NULL))
		note_skipped(p, f.odd + others, f.odd_path[0],
		    is_folder(f.odd_path[0]) ? "a directory" : "not a regular file");
	else if (f.odd == 0)
		note_skipped(p, others, first, "it begins with neither version nor name");
	if (none)
		rc = refuse_folder(p, &f);
	dcpi_folder_free(&f);
	return rc;
}

int
dcpi_decode(const char *name, const struct dcpi_options *opt, struct evwrite *w)
{
	struct profile p = { .opt = opt, .w = w };
	bool read;
	int rc;

	p.doubts = (struct header_doubts){ dcpi_profile_doubt, &p };
	if (strcmp(name, "-") != 0 && is_folder(name))
		rc = decode_folder(&p, name);
	else
		rc = decode_file(&p, name, &read);
	dcpi_line_close(&p.line);
	buf_free(&p.run);
	runs_free(&p.runs);
	dcpi_header_free(&p.head);
	return rc;
}

static int
sink_nothing(void *ctx, const char *p, size_t n)
{
	(void)ctx;
	(void)p;
	(void)n;
	return 0;
}

/*
 * Returns true if the operand can be read twice.  One that does not exist has no profile.  Any
 * other failure to look at it is reported.
 */
static bool
can_survey(const char *name, const struct dcpi_options *opt)
{
	struct dcpi_images *m = opt->images;
	struct err e;
	struct stat st;

	if (strcmp(name, "-") != 0 && stat(name, &st) != 0) {
		if (errno != ENOENT && errno != ENOTDIR) {
			err_sys(&e, errno, "cannot open");
			report_error(&opt->to, name, &e);
		}
		return false;
	}
	if (strcmp(name, "-") != 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return true;
	m->whole = false;
	return false;
}

/* Keeps the error of memory that ran out, which need not happen again. */
static void
keep_nomem(void *ctx, const char *file, const struct err *e)
{
	struct err *kept = ctx;

	(void)file;
	if (e->code == ERR_SYS && e->errnum == ENOMEM)
		*kept = *e;
}

int
dcpi_survey(char *const *operands, size_t n, const struct dcpi_options *opt, struct err *e)
{
	struct dcpi_options quiet = { .stride = opt->stride,
		.images = opt->images,
		.to = { .error = keep_nomem, .ctx = e } };
	struct dcpi_images *m = opt->images;
	struct evwrite w;
	size_t i;

	if (!evw_open(&w, -1, "dcpidec"))
		return err_nomem(e);
	e->code = 0;
	w.out.sink = sink_nothing;
	m->whole = n != 0;
	m->alone = n <= 1;
	m->surveying = true;
	for (i = 0; i < n && e->code == 0 && !evw_failed(&w); i++)
		if (can_survey(operands[i], opt))
			m->whole &= dcpi_decode(operands[i], &quiet, &w) != ERR_SYS;
	m->surveying = false;
	if (evw_failed(&w))
		err_nomem(e);
	out_free(&w.out);
	if (m->whole)
		dcpi_images_settle(m);
	return e->code;
}
