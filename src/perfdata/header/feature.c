/* SPDX-License-Identifier: ISC */
/* feature.c - the features that other lines need: names, build ids, clocks. */
#include <inttypes.h>
#include <string.h>

#include "lib/esc.h"
#include "src/perfdata/header/parts.h"

/* Sets *b to a text, escaped, or to nothing if there is none. */
static int
set_text(struct buf *b, struct slice s, struct err *e)
{
	b->len = 0;
	return s.len == 0 || esc_append(b, s.p, s.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

static int
take_text(struct buf *b, struct cur *c, struct err *e)
{
	struct slice s;

	if (!feature_string(c, &s))
		return err_data(e, "header feature with a text beyond its end");
	return set_text(b, s, e);
}

/* Joins the words of the command, separated by blanks, as perf shows them. */
static int
command_line(struct buf *to, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c), i;
	struct buf line = { 0 };
	struct slice s;
	int rc = 0;

	for (i = 0; rc == 0 && i < n; i++) {
		if (!feature_string(c, &s))
			rc = err_data(e, "command line with a word beyond its end");
		else if ((i > 0 && !buf_putc(&line, ' ')) || !buf_put(&line, s.p, s.len))
			rc = err_nomem(e);
	}
	if (rc == 0 && !cur_ok(c))
		rc = err_data(e, "command line without the number of its words");
	if (rc == 0)
		rc = set_text(to, buf_slice(&line), e);
	buf_free(&line);
	return rc;
}

static int
event_names(struct events *ev, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c), attr_size = cur_u32(c), i, ids;
	struct slice name;

	for (i = 0; i < n; i++) {
		(void)cur_take(c, attr_size);
		ids = cur_u32(c);
		if (!feature_string(c, &name) || ids > cur_left(c) / 8)
			return err_data(e, "event description %u reaches beyond its end", i);
		(void)cur_take(c, (size_t)ids * 8);
		if (i >= ev->count || !event_is_nameless(&ev->item[i]) || name.len == 0)
			continue;
		ev->item[i].named = true;
		if (event_set_name(&ev->item[i], name, e) != 0)
			return e->code;
	}
	return cur_ok(c) ? 0 : err_data(e, "event descriptions without their number");
}

static bool
is_zero(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i] == 0; i++)
		;
	return i == n;
}

/*
 * Finds the length of an id in older recordings, which do not store it.  Shorter ids (MD5) end in
 * words of zeros.
 */
static size_t
guessed_length(const unsigned char *id)
{
	size_t len = BUILD_ID_MAX;

	while (len > 0 && is_zero(id + len - 4, 4))
		len -= 4;
	return len;
}

/* Returns the length of an id.  STORED is the byte after it. */
static size_t
build_id_length(uint16_t misc, const unsigned char id[BUILD_ID_MAX], uint8_t stored)
{
	if ((misc & MISC_BUILD_ID_SIZE) != 0 && stored <= BUILD_ID_MAX)
		return stored;
	return guessed_length(id);
}

/* One entry of the list of build ids. */
struct build_id {
	const unsigned char *id;
	size_t len;
	unsigned mode; /* enum cpumode */
	int32_t pid; /* the pid of a guest's kernel, otherwise -1 */
	struct slice file;
};

/* The layout of entries in perf before 2.6.35, which have no pid. */
#define OLD_NAME_AT (REC_HEADER + 24)
#define NAME_AT (OLD_NAME_AT + 4)

/*
 * Returns true for the kernel, which may be listed by its file's name.  Anything else in kernel
 * mode is a module.
 */
static bool
is_vmlinux(const struct build_id *b)
{
	struct slice base = slice_base(b->file);

	return b->mode == MODE_KERNEL && b->file.len != 0 && b->file.p[0] == '/' &&
	    slice_find(base, SLICE(".ko")) == base.len;
}

static void
put_build_id(struct run *run, const struct build_id *b)
{
	struct feature f = { .run = run, .number = FEAT_BUILD_ID };
	struct evwrite *w = feature_begin(&f, "build_id");

	evw_bytes(w, "\t", 1);
	evw_hex_bytes(w, b->id, b->len);
	if (b->mode > MODE_UNKNOWN && b->mode <= MODE_GUEST_USER)
		evw_tag_raw(w, SLICE("mode"), (struct slice){ &MODE_LETTERS[b->mode], 1 });
	evw_tag_i64(w, SLICE("pid"), b->pid);
	evw_tag_text(w, SLICE("file"), b->file);
	feature_end(&f);
}

static int
take_build_id(struct header *h, const struct build_id *b, struct err *e)
{
	if (perf_wants_header(h->run->opt))
		put_build_id(h->run, b);
	if (is_zero(b->id, b->len) || b->mode == MODE_GUEST_KERNEL || b->mode == MODE_GUEST_USER)
		return 0; /* a guest's files are not ours, whatever their names */
	if (is_vmlinux(b) &&
	    dsos_set_build_id(&h->run->state->dsos, SLICE("[kernel.kallsyms]"), b->id, b->len, e) !=
		0)
		return e->code;
	return dsos_set_build_id(&h->run->state->dsos, b->file, b->id, b->len, e);
}

int
feature_read_build_id(struct header *h, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, h->run->events->big_endian);
	struct build_id b = { .mode = r->misc & MISC_CPUMODE, .pid = (int32_t)cur_u32(&c) };
	uint8_t stored;

	b.id = cur_take(&c, BUILD_ID_MAX);
	stored = cur_u8(&c);
	(void)cur_take(&c, 3);
	b.file.p = cur_rest_string(&c, &b.file.len);
	if (!cur_ok(&c))
		return err_data(e, "build id entry of %u bytes is too short", r->size);
	b.len = build_id_length(r->misc, b.id, stored);
	return take_build_id(h, &b, e);
}

/*
 * Reads DIR_FORMAT.  Version 0 means that the directory contains only this file
 * (tools/perf/util/data.h), 1 that it also contains data.N files.
 */
static int
dir_format(struct header *h, struct cur *c, struct err *e)
{
	uint64_t version = cur_u64(c);

	if (!cur_ok(c))
		return err_data(e, "directory format is too short");
	h->dir_version = version;
	if (version <= 1)
		return 0;
	return err_data(e,
	    "directory format of version %" PRIu64 ", which is unknown: read as version 1",
	    version);
}

static int
old_build_id(struct header *h, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, h->run->events->big_endian);
	struct build_id b = { .mode = r->misc & MISC_CPUMODE };

	b.pid = b.mode == MODE_GUEST_KERNEL ? 0 : -1;
	b.id = cur_take(&c, BUILD_ID_MAX);
	(void)cur_take(&c, 4);
	b.file.p = cur_rest_string(&c, &b.file.len);
	if (!cur_ok(&c))
		return err_data(e, "build id entry of %u bytes is too short", r->size);
	b.len = guessed_length(b.id);
	return take_build_id(h, &b, e);
}

/*
 * Reads the next entry.  Entries look like records, but their type is 0, and only their sizes
 * matter.
 */
static bool
next_build_id(struct cur *c, struct rec *r)
{
	struct cur head = *c;

	*r = (struct rec){ .p = c->p };
	r->type = cur_u32(&head);
	r->misc = cur_u16(&head);
	r->size = cur_u16(&head);
	return cur_ok(&head) && r->size >= REC_HEADER && cur_take(c, r->size) != NULL;
}

/*
 * Returns true if the list is in the old layout.  As in perf (perf_header__read_build_ids), it is
 * recognized by the kernel's name, of which the first four bytes are missing if it is read with the
 * new layout.
 */
static bool
is_old_list(struct cur c)
{
	static const char tail[] = "nel.kallsyms]";
	struct rec r;

	while (cur_left(&c) > 0 && next_build_id(&c, &r))
		if (r.size >= NAME_AT + sizeof tail - 1 &&
		    memcmp(r.p + NAME_AT, tail, sizeof tail - 1) == 0)
			return true;
	return false;
}

static int
build_ids(struct header *h, struct cur *c, struct err *e)
{
	bool old = is_old_list(*c);
	struct rec r;

	while (cur_left(c) > 0) {
		if (!next_build_id(c, &r))
			return err_data(e, "build id list with an entry beyond its end");
		if ((old ? old_build_id : feature_read_build_id)(h, &r, e) != 0)
			return e->code;
	}
	return 0;
}

/* These functions store the data that other lines need from each feature, read from c. */

static int
use_host(struct header *h, struct cur *c, struct err *e)
{
	int rc = take_text(&h->run->origin.host, c, e);

	run_tag_host(h->run);
	return rc;
}

static int
use_os(struct header *h, struct cur *c, struct err *e)
{
	return take_text(&h->run->origin.os, c, e);
}

static int
use_version(struct header *h, struct cur *c, struct err *e)
{
	return take_text(&h->run->origin.version, c, e);
}

static int
use_arch(struct header *h, struct cur *c, struct err *e)
{
	return take_text(&h->run->origin.arch, c, e);
}

static int
use_command_line(struct header *h, struct cur *c, struct err *e)
{
	return command_line(&h->run->origin.cmdline, c, e);
}

static int
use_event_names(struct header *h, struct cur *c, struct err *e)
{
	return event_names(h->run->events, c, e);
}

static int
use_files(struct header *h, struct cur *c, struct err *e)
{
	return feature_list_symbols(&h->run->state->dsos.listed, FEAT_FILE, c, e);
}

static int
use_files2(struct header *h, struct cur *c, struct err *e)
{
	return feature_list_symbols(&h->run->state->dsos.listed, FEAT_FILE2, c, e);
}

static int
use_tracing(struct header *h, struct cur *c, struct err *e)
{
	return events_take_tracing(h->run->events, c, e);
}

static int
use_tracepoint_names(struct header *h, struct cur *c, struct err *e)
{
	return feature_name_tracepoints(h->run->events, c, e);
}

static int
use_clock(struct header *h, struct cur *c, struct err *e)
{
	struct origin *origin = &h->run->origin;
	uint64_t wall, clock;

	(void)cur_u32(c); /* version */
	(void)cur_u32(c); /* clockid */
	wall = cur_u64(c);
	clock = cur_u64(c);
	if (!cur_ok(c))
		return err_data(e, "clock data are too short");
	origin->wall_ns = wall;
	origin->clock_ns = clock;
	origin->has_clock = true;
	return 0;
}

static const struct {
	unsigned feature;
	int (*use)(struct header *h, struct cur *c, struct err *e);
} uses[] = {
	{ FEAT_TRACING_DATA, use_tracing },
	{ FEAT_BUILD_ID, build_ids },
	{ FEAT_HOSTNAME, use_host },
	{ FEAT_OSRELEASE, use_os },
	{ FEAT_VERSION, use_version },
	{ FEAT_ARCH, use_arch },
	{ FEAT_CMDLINE, use_command_line },
	{ FEAT_EVENT_DESC, use_event_names },
	{ FEAT_DIR_FORMAT, dir_format },
	{ FEAT_CLOCK_DATA, use_clock },
	{ FEAT_FILE, use_files },
	{ FEAT_META_INFO, use_tracepoint_names },
	{ FEAT_FILE2, use_files2 },
};

#define USES (sizeof uses / sizeof uses[0])

static size_t
use_of(uint64_t feature)
{
	size_t i = 0;

	while (i < USES && uses[i].feature != feature)
		i++;
	return i;
}

bool
feature_is_read(const struct run *run, uint64_t feature)
{
	return use_of(feature) != USES ||
	    (perf_wants_header(run->opt) && feature_has_lines(feature));
}

int
feature_use(struct header *h, unsigned feature, struct cur c, struct err *e)
{
	size_t i = use_of(feature);

	return i == USES ? 0 : uses[i].use(h, &c, e);
}

/*
 * Returns true if the feature has contents.  perf leaves it empty if it found no data.  Two
 * features need no contents.
 */
bool
feature_is_given(uint64_t feature, const struct cur *c)
{
	return cur_left(c) > 0 || feature == FEAT_BRANCH_STACK || feature == FEAT_STAT;
}

/*
 * perf writes each feature once.  The time to apply a feature is proportional to the number of
 * events, so a hostile file must not repeat both without limit.
 */
#define FEATURE_TIMES_MAX 64

/* Uses the feature, then writes its lines.  If both find the same damage, it is reported once. */
int
feature_read(struct header *h, unsigned feature, struct cur c, struct err *e)
{
	struct err later;
	int rc;

	if (!feature_is_given(feature, &c))
		return 0;
	if (h->times[feature] == FEATURE_TIMES_MAX)
		return err_data(e, "header feature %u comes more than %d times: not read", feature,
		    FEATURE_TIMES_MAX);
	h->times[feature]++;
	rc = feature_use(h, feature, c, e);
	if ((rc != 0 && rc != ERR_DATA) || !perf_wants_header(h->run->opt) ||
	    feature == FEAT_BUILD_ID)
		return rc;
	if (feature_put(h->run, feature, c, &later) != 0 && rc == 0) {
		*e = later;
		rc = e->code;
	}
	return rc;
}
