/* SPDX-License-Identifier: ISC */
/* evread.c - the one reader of the stream. */
#include "lib/evread.h"

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/guess.h"
#include "lib/hint.h"
#include "lib/in.h"
#include "lib/marks.h"
#include "lib/evwrite.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/ofrun.h"
#include "lib/scan.h"

#define READ_SIZE ((size_t)128 * 1024)

struct evread {
	char *const *names;
	size_t unit; /* bytes that are read at a time */
	size_t count, next; /* number of operands, and the next one to read */
	unsigned flags;
	const char *name;
	struct in in;
	evread_opener *opener; /* NULL: in_open is used */
	void *ctx; /* for the opener */
	evread_hashed *hashed; /* NULL: not wanted */
	void *hashed_ctx;
	struct out *idle;
	struct in_timer *timer;
	const struct evread_interim *interim; /* or NULL */
	uint64_t interim_number, interim_lines; /* of the interim result that is being read */
	bool in_interim;
	bool open, eof, finished;
	bool stopped; /* stopped by a signal: missing data do not mean that the input is damaged */
	bool broken; /* this input could not be read to its end, which has been reported */
	bool any_broken; /* this one or another */
	bool any; /* this input gave at least one byte */
	char head[GUESS_BYTES]; /* its first bytes */
	size_t head_len;
	bool skipping; /* skipping the rest of a line that is too long */
	char *p; /* bytes [at, len) have not been returned yet */
	size_t at, len, cap;
	struct scan scan; /* the scan of bytes [at, len) */
	size_t cut, lf; /* into scan: the current line's first offset, and the next LF */
	bool lent; /* these are of a block */
	bool ignored; /* the rest of this input is ignored */
	struct scan block_scan; /* for the next block */
	struct own { /* what they were before the block, with at and cut 0 */
		char *p;
		size_t len, cap;
		struct scan scan;
		bool eof;
	} own;
	uint64_t line, hashes; /* lines so far, and those that begin with '#' */
	const struct tab *required; /* or NULL */
	struct ofrun ofrun; /* keys is NULL if there are none */
	enum run_step { RUN_NONE, RUN_TAGS, RUN_RETURN } step; /* the next one for the kept line */
	struct ev kept; /* a run line */
	struct marks marks;
	size_t missing; /* the progress of marks_missing */
	const char *lacking; /* the input that it has just reported, or NULL */
	struct buf source;
};

static char *const only_stdin[] = { "-" };

static bool
join_names(struct evread *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if ((i > 0 && !buf_putc(&r->source, ' ')) || !buf_puts(&r->source, r->names[i]))
			return false;
	return buf_putc(&r->source, '\0');
}

struct evread *
evread_open(char *const *names, size_t n, unsigned flags)
{
	struct evread *r = mem_zero(1, sizeof *r);

	if (r == NULL)
		return NULL;
	r->names = n == 0 ? only_stdin : names;
	r->count = n == 0 ? 1 : n;
	r->name = r->names[0];
	r->flags = flags;
	r->marks.whole = (flags & EVREAD_WHOLE) != 0;
	r->unit = mem_buffer(READ_SIZE);
	r->cap = r->unit * 2;
	r->p = mem_alloc(r->cap);
	if (r->p == NULL || !join_names(r)) {
		evread_close(r);
		return NULL;
	}
	return r;
}

void
evread_close(struct evread *r)
{
	if (r == NULL)
		return;
	if (r->open)
		in_close(&r->in);
	marks_free(&r->marks);
	ofrun_free(&r->ofrun);
	buf_free(&r->source);
	scan_free(&r->scan);
	scan_free(&r->block_scan);
	mem_free(r->p);
	mem_free(r);
}

void
evread_set_idle(struct evread *r, struct out *idle)
{
	r->idle = idle;
}

void
evread_set_timer(struct evread *r, struct in_timer *timer)
{
	r->timer = timer;
}

void
evread_set_required(struct evread *r, const struct tab *tags)
{
	r->required = tags;
}

void
evread_set_of_run(struct evread *r, const struct tab *keys)
{
	r->ofrun.keys = keys;
}

void
evread_set_interim(struct evread *r, const struct evread_interim *x)
{
	r->interim = x;
}

void
evread_set_opener(struct evread *r, evread_opener *open, void *ctx)
{
	r->opener = open;
	r->ctx = ctx;
}

void
evread_set_hashed(struct evread *r, evread_hashed *take, void *ctx)
{
	r->hashed = take;
	r->hashed_ctx = ctx;
}

const char *
evread_name(const struct evread *r)
{
	return r->lacking != NULL ? r->lacking : r->name;
}

const char *
evread_source(const struct evread *r)
{
	return r->source.p;
}

uint64_t
evread_count(const struct evread *r, enum mark_count which)
{
	return r->marks.count[which];
}

uint64_t
evread_twice(const struct evread *r)
{
	return r->marks.twice;
}

uint64_t
evread_sources(const struct evread *r, struct slice run, bool all)
{
	return marks_sources(&r->marks, run, all);
}

static int
open_next(struct evread *r, struct err *e)
{
	size_t i = r->next++;
	int rc;

	r->name = r->names[i];
	rc = r->opener == NULL ? in_open(&r->in, r->name, e)
			       : r->opener(r->ctx, i, r->name, &r->in, e);
	r->stopped |= rc == ERR_STOP;
	if (rc != 0)
		return -1;
	r->in.idle = r->idle;
	r->in.timer = r->timer;
	ofrun_begin(&r->ofrun);
	r->open = true;
	r->eof = r->broken = r->any = r->skipping = false;
	r->head_len = 0;
	r->at = r->len = r->cut = r->lf = 0;
	r->scan.n = r->scan.lines = r->scan.odd_end = 0;
	r->line = r->hashes = 0;
	r->in_interim = false;
	r->ignored = false;
	return 0;
}

/* Moves the bytes that have not been returned yet to the front. */
static void
close_up(struct evread *r)
{
	memmove(r->p, r->p + r->at, r->len - r->at);
	scan_shift(&r->scan, r->cut, r->at);
	r->len -= r->at;
	r->at = r->cut = r->lf = 0;
}

/* Drops the bytes that have not been returned yet. */
static void
drop(struct evread *r)
{
	r->at = r->len;
	r->cut = r->scan.n;
	r->lf = r->scan.lines;
}

/*
 * Ends this input because the rest of it cannot be read.  Since that is reported, it is not also
 * reported that the line and the stream are cut.
 */
static int
give_up(struct evread *r)
{
	r->eof = r->broken = r->any_broken = true;
	drop(r);
	return -1;
}

static void
keep_head(struct evread *r, const char *p, size_t n)
{
	r->head_len = n < sizeof r->head ? n : sizeof r->head;
	memcpy(r->head, p, r->head_len);
}

/* Makes room for N more bytes. */
static int
make_room(struct evread *r, size_t n, struct err *e)
{
	size_t cap = r->cap * 2;
	char *p;

	if (r->at != 0)
		close_up(r);
	if (r->cap - r->len >= n)
		return 0;
	if (cap - r->len < n)
		cap = r->len + n;
	p = mem_resize(r->p, cap);
	if (p == NULL)
		return err_nomem(e), give_up(r);
	r->p = p;
	r->cap = cap;
	return 0;
}

/* Counts the N bytes that have been put after the others as input. */
static int
append(struct evread *r, size_t n, struct err *e)
{
	if (!scan_add(&r->scan, r->p, r->len, r->len + n))
		return err_nomem(e), give_up(r);
	r->len += n;
	return 0;
}

/* Reads bytes of this input, with the tags that lines have from their run. */
static int
read_bytes(struct evread *r, char *dst, size_t n, size_t *got, struct err *e)
{
	return r->ofrun.keys == NULL ? in_read(&r->in, dst, n, got, e)
				     : ofrun_read(&r->ofrun, &r->in, dst, n, got, e);
}

static bool
is_ready(const struct evread *r)
{
	return r->ofrun.keys == NULL ? in_is_ready(&r->in) : ofrun_is_ready(&r->ofrun, &r->in);
}

/* Appends more input.  Returns 1, or 0 at the end of this input, or -1 for an error. */
static int
fill(struct evread *r, struct err *e)
{
	size_t got;

	if (r->lent)
		return 0;
	if (make_room(r, r->unit, e) != 0)
		return -1;
	if (read_bytes(r, r->p + r->len, r->unit, &got, e) != 0) {
		r->stopped = e->code == ERR_STOP;
		return give_up(r);
	}
	if (got == 0)
		return 0;
	if (!r->any && r->ofrun.keys == NULL)
		keep_head(r, r->p + r->len, got);
	else if (!r->any)
		keep_head(r, r->ofrun.head.p, r->ofrun.head.len);
	r->any = true;
	return append(r, got, e) == 0 ? 1 : -1;
}

/* One line, with the offsets of its TABs and then of its LF. */
struct cut_line {
	struct slice text;
	const uint32_t *at;
	size_t ntabs;
};

/*
 * Cuts the next line, or, if it returns false, what has been read of it.  It is still to be taken.
 */
static inline bool
look(const struct evread *r, struct cut_line *line)
{
	bool whole = r->lf < r->scan.lines;
	size_t i = whole ? r->scan.line[r->lf] : r->scan.n;
	size_t end = whole ? r->scan.at[i] : r->len;

	if (r->scan.at == NULL) /* nothing has been read */
		*line = (struct cut_line){ { "", 0 }, NULL, 0 };
	else
		*line = (struct cut_line){ { r->p + r->at, end - r->at }, r->scan.at + r->cut,
			i - r->cut };
	return whole;
}

/* Takes the line that look has cut.  WHOLE is 1 if its LF is there, or else 0. */
static inline void
take(struct evread *r, const struct cut_line *line, size_t whole)
{
	r->at += line->text.len + whole;
	r->cut += line->ntabs + whole;
	r->lf += whole;
}

/* Cuts the next line.  Returns 1, or 0 at the end of this input, or -1 with e set. */
static int
next_line(struct evread *r, struct cut_line *line, struct err *e)
{
	for (;;) {
		bool whole = look(r, line), too_long = line->text.len > EV_LINE_MAX;

		if (!whole && !r->eof && !too_long) {
			int rc = fill(r, e);

			if (rc < 0)
				return -1;
			r->eof = rc == 0;
			continue;
		}
		if (!whole && r->at == r->len)
			return 0;
		take(r, line, whole);
		if (r->skipping) {
			r->skipping = !whole;
			continue;
		}
		r->line++;
		if (too_long) {
			r->skipping = !whole;
			return err_line(e, r->line, "line longer than 16 MiB"), -1;
		}
		if (!whole)
			return err_line(e, r->line, "no newline at the end: the line is cut"), -1;
		return 1;
	}
}

static HINT_APART int
check_line(const struct evread *r, struct slice line, struct err *e)
{
	size_t begin = 0, at;

	if (r->line == 1 && slice_begins(line, SLICE(ESC_BOM)))
		return err_line(e, r->line, "a byte order mark before the line");
	while (begin <= line.len) {
		const char *tab = memchr(line.p + begin, '\t', line.len - begin);
		size_t end = tab == NULL ? line.len : (size_t)(tab - line.p);

		if (end > begin && !esc_is_canonical(line.p + begin, end - begin, &at)) {
			unsigned char c = (unsigned char)line.p[begin + at];

			if (c == '\r' && begin + at + 1 == line.len)
				return err_line(e, r->line,
				    "carriage return: lines end in LF alone");
			if (c == '\\')
				return err_line(e, r->line,
				    "unknown escape in byte %zu of the line", begin + at + 1);
			return err_line(e, r->line, "raw byte 0x%02x in byte %zu of the line", c,
			    begin + at + 1);
		}
		begin = end + 1;
	}
	return 0;
}

static HINT_APART int
refuse_columns(const struct evread *r, struct cut_line line, struct err *e)
{
	const char *p = line.text.p;
	int i;

	for (i = 0; i < EV_COLUMNS && (size_t)i <= line.ntabs; i++) {
		if (r->p + line.at[i] == p)
			return err_line(e, r->line,
			    "column %d is empty: a missing value is written as \".\"", i + 1);
		p = r->p + line.at[i] + 1;
	}
	if (line.ntabs == 0)
		return err_line(e, r->line,
		    "1 column, not 6 or more: output of another program in the stream?");
	return err_line(e, r->line, "%zu columns, not 6 or more", line.ntabs + 1);
}

/* Returns the bytes between two offsets. */
static inline struct slice
between(const char *base, uint32_t before, uint32_t at)
{
	return (struct slice){ base + before + 1, at - before - 1 };
}

/*
 * Splits a line into its columns and tags.  It and the functions before it are inlined, so that the
 * line is kept in registers: its halves, read together just after they were written, are slow.
 */
static HINT_INLINE int
split(const struct evread *r, const struct cut_line *line, struct ev *ev, struct err *e)
{
	const uint32_t *at = line->at;

	if (line->ntabs < EV_COLUMNS - 1)
		return refuse_columns(r, *line, e);
	ev->number = r->line;
	ev->text = line->text;
	ev->col[EV_KIND] = (struct slice){ line->text.p, (size_t)(r->p + at[0] - line->text.p) };
	ev->col[EV_TIME] = between(r->p, at[0], at[1]);
	ev->col[EV_RUN] = between(r->p, at[1], at[2]);
	ev->col[EV_REGION] = between(r->p, at[2], at[3]);
	ev->col[EV_MEASURE] = between(r->p, at[3], at[4]);
	ev->col[EV_VALUE] = between(r->p, at[4], at[5]);
	if (ev->col[EV_KIND].len == 0 || ev->col[EV_TIME].len == 0 || ev->col[EV_RUN].len == 0 ||
	    ev->col[EV_REGION].len == 0 || ev->col[EV_MEASURE].len == 0 ||
	    ev->col[EV_VALUE].len == 0)
		return refuse_columns(r, *line, e);
	ev->base = r->p;
	ev->cut = at + EV_COLUMNS - 1;
	ev->ntags = line->ntabs - (EV_COLUMNS - 1);
	ev->tags = (struct slice){ line->text.p + line->text.len, 0 };
	if (ev->ntags != 0)
		ev->tags = between(r->p, at[EV_COLUMNS - 1], at[line->ntabs]);
	return 0;
}

/* Returns true if the line needs a closer look, which most lines do not. */
static bool
is_doubtful(const struct evread *r, struct slice line)
{
	return (size_t)(line.p - r->p) < r->scan.odd_end && !scan_is_clean(line.p, line.len);
}

static HINT_APART int
take_mark(struct evread *r, struct slice line, struct err *e)
{
	uint64_t lines = r->line - ++r->hashes;

	if ((r->flags & EVREAD_NO_MARKS) != 0)
		return 0;
	if (r->hashed != NULL)
		r->hashed(r->hashed_ctx, line);
	if (marks_take(&r->marks, line, lines, e) == 0)
		return 0;
	(void)err_at_line(e, r->line);
	if (r->marks.refused) {
		r->marks.refused = false;
		drop(r);
		r->eof = r->ignored = true;
	}
	return -1;
}

/* Reads the last COUNT words of a mark, which are numbers.  Returns false if they are not. */
static bool
last_numbers(const struct evread *r, const struct cut_line *line, uint64_t *v, size_t count)
{
	size_t i, from;

	for (i = 0; i < count && line->ntabs >= count; i++) {
		from = line->ntabs - count + i;
		if (!num_get_u64(between(r->p, line->at[from], line->at[from + 1]), &v[i]))
			return false;
	}
	return line->ntabs >= count;
}

/* Handles a line that belongs to an interim result.  One that is malformed is a comment. */
static HINT_APART int
take_interim(struct evread *r, const struct cut_line *line, struct err *e)
{
	static const struct slice prefix = SLICE_INIT(EVW_INTERIM);
	struct slice word = { line->text.p,
		line->ntabs == 0 ? 0 : (size_t)(r->p + line->at[0] - line->text.p) };
	const struct evread_interim *x = r->interim;
	struct cut_line rest = *line;
	uint64_t v[2];
	struct err other;
	struct ev ev;
	int rc = 0;

	if (slice_eq(word, SLICE("#interim_begin"))) {
		r->in_interim = last_numbers(r, line, &r->interim_number, 1);
		r->interim_lines = 0;
		rc = r->in_interim ? x->begin(x->ctx, e) : 0;
	} else if (r->in_interim && slice_eq(word, SLICE("#interim_end"))) {
		r->in_interim = false;
		if (last_numbers(r, line, v, 2) && v[0] == r->interim_number &&
		    v[1] == r->interim_lines)
			rc = x->end(x->ctx, v[0], e);
	} else if (r->in_interim && slice_eq(word, (struct slice){ prefix.p, prefix.len - 1 })) {
		rest.text =
		    (struct slice){ line->text.p + prefix.len, line->text.len - prefix.len };
		rest.at++;
		rest.ntabs--;
		r->interim_lines++;
		if (split(r, &rest, &ev, &other) == 0)
			rc = x->line(x->ctx, &ev, e);
		else
			r->in_interim = false;
	}
	return rc == 0 ? 0 : (err_at_line(e, r->line), -1);
}

static inline bool
is_run(struct slice line)
{
	return line.len > 4 && memcmp(line.p, "run\t", 4) == 0;
}

/* Reports the first tag that is required but was left out, according to a run line. */
static int
check_tags(const struct evread *r, const struct ev *ev, struct err *e)
{
	struct slice list, rest, key;
	size_t i;

	if (r->required == NULL || !ev_tag(ev, SLICE("tags"), &list))
		return 0;
	for (i = 0; i < r->required->count; i++) {
		const struct slice *need = &r->required->item[i];
		bool there = ev_is_basic_tag(*need);

		rest = list;
		while (!there && ev_next_element(&rest, &key))
			there = slice_eq(key, *need);
		if (there)
			continue;
		if (slice_eq(*need, SLICE("*")))
			return err_line(e, r->line,
			    "tags of the events were left out (--tags %.*s); all are needed here",
			    slice_shown(list, 100), list.p);
		return err_line(e, r->line,
		    "the tag '%.*s' of the events was left out (--tags %.*s), and is needed here",
		    slice_shown(*need, 60), need->p, slice_shown(list, 100), list.p);
	}
	return 0;
}

/* Continues with a run line.  Even if it is reported, it is valid, and is returned at last. */
static HINT_APART int
take_run(struct evread *r, struct ev *ev, struct err *e)
{
	if (r->step == RUN_NONE) {
		r->kept = *ev;
		r->step = RUN_TAGS;
		if (marks_run(&r->marks, ev->col[EV_RUN], e) != 0)
			return err_at_line(e, r->line), -1;
	}
	if (r->step == RUN_TAGS) {
		r->step = RUN_RETURN;
		if (check_tags(r, &r->kept, e) != 0)
			return -1;
	}
	r->step = RUN_NONE;
	*ev = r->kept;
	return 1;
}

static int
one_line(struct evread *r, struct ev *ev, struct err *e)
{
	struct cut_line line;
	int rc;

	for (;;) {
		rc = next_line(r, &line, e);
		if (rc <= 0)
			return rc;
		if (is_doubtful(r, line.text) && check_line(r, line.text, e) != 0)
			return -1;
		if (line.text.len == 0)
			return err_line(e, r->line, "empty line"), -1;
		if (line.text.p[0] != '#') {
			if (split(r, &line, ev, e) != 0)
				return -1;
			return is_run(line.text) ? take_run(r, ev, e) : 1;
		}
		if (take_mark(r, line.text, e) != 0)
			return -1;
		if (r->interim != NULL && take_interim(r, &line, e) != 0)
			return -1;
	}
}

/* The number of lines without columns that show that an input is no stream. */
#define FOREIGN_LINES 4

/* Returns true if none of the next lines that have been read has six columns. */
static bool
is_foreign(const struct evread *r)
{
	size_t i, tabs = 0, lines = 0;

	for (i = r->cut; i < r->scan.n; i++) {
		if (r->p[r->scan.at[i]] != '\n') {
			tabs++;
			continue;
		}
		if (tabs >= EV_COLUMNS - 1)
			return false;
		lines++;
		tabs = 0;
	}
	return lines >= FOREIGN_LINES;
}

/*
 * After an error in the first line of an input that is no mark: if the input is something else,
 * says so instead, and gives up the rest of it.
 */
static int
refuse_foreign(struct evread *r, struct err *e)
{
	if (r->broken || r->head_len == 0 || r->line - r->hashes != 1 || e->code != ERR_DATA)
		return -1;
	if (guess_refuse(r->head, r->head_len, GUESS_STREAM, e) != 0)
		return give_up(r);
	if (is_foreign(r)) {
		(void)err_data(e, "this is not a stream: its lines do not have six columns");
		return give_up(r);
	}
	return -1;
}

/* Returns whether an earlier operand has read standard input to its end. */
static bool
is_read_again(const struct evread *r)
{
	size_t i;

	for (i = 0; strcmp(r->name, "-") == 0 && i + 1 < r->next; i++)
		if (strcmp(r->names[i], "-") == 0)
			return true;
	return false;
}

/* Handles the end of an input.  Returns -1 if more was expected. */
static int
end_input(struct evread *r, struct err *e)
{
	bool pipe = r->in.pipe;

	in_close(&r->in);
	r->open = false;
	if (r->any && marks_end_input(&r->marks, r->name, r->line - r->hashes, e) != 0 &&
	    !r->broken)
		return -1;
	if (r->any || r->broken || (r->flags & EVREAD_NO_MARKS) != 0)
		return 0;
	(void)err_data(e, "empty input%s",
	    is_read_again(r) ? ": standard input can be read only once"
		: pipe       ? ": the program before this one in the pipe wrote nothing"
			     : "");
	return -1;
}

int
evread_next(struct evread *r, struct ev *ev, struct err *e)
{
	int rc;

	if (r->stopped)
		return 0;
	if (r->step != RUN_NONE)
		return take_run(r, ev, e);
	while (!r->finished) {
		if (r->open) {
			rc = one_line(r, ev, e);
			if (rc > 0 || r->lent)
				return rc;
			if (rc < 0)
				return refuse_foreign(r, e);
			if (end_input(r, e) != 0)
				return -1;
		} else if (r->next < r->count) {
			if (open_next(r, e) != 0)
				return -1;
		} else {
			r->finished = true;
		}
	}
	if (r->any_broken) /* end marks may be in what was not read */
		return 0;
	return marks_missing(&r->marks, &r->missing, &r->lacking, e) != 0 ? -1 : 0;
}

/* Stores the next line if it has been read, and nothing is to be reported or checked further. */
static HINT_INLINE bool
ready_line(struct evread *r, struct ev *ev)
{
	struct cut_line line;
	struct err e;

	if (!look(r, &line) || line.text.len == 0 || line.text.len > EV_LINE_MAX ||
	    line.text.p[0] == '#' || is_run(line.text) ||
	    (is_doubtful(r, line.text) && check_line(r, line.text, &e) != 0))
		return false;
	r->line++;
	if (split(r, &line, ev, &e) != 0) {
		r->line--;
		return false;
	}
	take(r, &line, 1);
	return true;
}

size_t
evread_more(struct evread *r, struct ev *ev, size_t max)
{
	size_t n = 0;

	if (!r->open || r->step != RUN_NONE || r->skipping)
		return 0;
	while (n < max && ready_line(r, &ev[n]))
		n++;
	return n;
}

/*
 * ---- blocks
 */

#define BLOCK_LEAST ((size_t)32 * 1024) /* fewer bytes are not worth a thread */

/* Returns where the last whole line ends. */
static size_t
end_of_lines(const char *p, size_t n)
{
	while (n != 0 && p[n - 1] != '\n')
		n--;
	return n;
}

/* Appends bytes as if they had been read now. */
static int
put_back(struct evread *r, const char *p, size_t n, struct err *e)
{
	if (make_room(r, n, e) != 0)
		return -1;
	memcpy(r->p + r->len, p, n);
	return append(r, n, e);
}

int
evread_fetch(struct evread *r, struct evread_block *b, struct err *e)
{
	size_t have = r->len - r->at, n = have, end, got;

	if (!r->open || r->eof || r->step != RUN_NONE || r->skipping || have > b->cap / 8)
		return 0;
	memcpy(b->p, r->p + r->at, have);
	/* a failure is reported by the next read, which evread_next makes */
	while (n < b->cap && !r->eof && is_ready(r) &&
	    read_bytes(r, b->p + n, b->cap - n, &got, e) == 0) {
		r->eof = got == 0;
		n += got;
	}
	r->any |= n != 0;
	end = n < BLOCK_LEAST && n < b->cap / 2 ? 0 : end_of_lines(b->p, n);
	if (end == 0)
		return put_back(r, b->p + have, n - have, e);
	drop(r);
	b->at = 0;
	b->len = end;
	return put_back(r, b->p + end, n - end, e) == 0 ? 1 : -1;
}

int
evread_enter(struct evread *r, struct evread_block *b, size_t end, struct err *e)
{
	close_up(r); /* so that cut is 0, and at, too */
	r->own = (struct own){ r->p, r->len, r->cap, r->scan, r->eof };
	r->p = b->p;
	r->at = b->at;
	r->len = end;
	r->cap = b->cap;
	r->scan = r->block_scan;
	r->scan.n = r->scan.lines = r->scan.odd_end = r->cut = r->lf = 0;
	r->open = r->lent = true;
	if (scan_add(&r->scan, r->p, r->at, r->len))
		return 0;
	evread_leave(r, b);
	return err_nomem(e);
}

void
evread_leave(struct evread *r, struct evread_block *b)
{
	b->at = r->ignored ? b->len : r->at;
	r->block_scan = r->scan;
	r->p = r->own.p;
	r->len = r->own.len;
	r->cap = r->own.cap;
	r->scan = r->own.scan;
	r->eof = r->own.eof;
	r->at = r->cut = r->lf = 0;
	r->lent = false;
	if (r->ignored) {
		r->eof = true;
		drop(r);
	}
}

size_t
evread_left(const struct evread *r)
{
	return r->len - r->at;
}

void
evread_again(struct evread *r, const struct ev *ev)
{
	r->at = (size_t)(ev->text.p - r->p);
	r->cut = (size_t)(ev->cut - r->scan.at) - (EV_COLUMNS - 1);
	while (r->lf > 0 && r->scan.line[r->lf - 1] >= r->cut)
		r->lf--;
	r->line = ev->number - 1;
}

uint64_t
evread_lines(const struct evread *r)
{
	return r->line;
}

void
evread_skip(struct evread *r, uint64_t lines)
{
	r->line += lines;
}
