/* SPDX-License-Identifier: ISC */
/*
 * stream.c - checks that evread reads the output of evwrite: any bytes in any column, lines at the
 * edges of buffers, lines of maximum length.  stream FOLDER: the folder for its files.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "t/unit/check.h"

#define LINES 20000
#define TEXT_MAX 40

/* Returns the i-th random text, which is the same for the writer and for the check. */
static struct slice
text_at(struct check *c, char *dst)
{
	static const char some[] = "\\.;=\t\n\rx0\x1b\x7f\xc2\x80\xe2\xaa";
	size_t n = check_random(c) % TEXT_MAX, i;

	for (i = 0; i < n; i++) {
		uint64_t r = check_random(c);

		dst[i] = r & 3 ? (char)('a' + (r >> 8) % 26) : some[(r >> 8) % (sizeof some - 1)];
	}
	return (struct slice){ dst, n };
}

static int
create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		abort();
	return fd;
}

static void
write_random(struct check *c, const char *path)
{
	struct evwrite w;
	char raw[TEXT_MAX];
	int i;

	if (!evw_open(&w, create(path), "unit"))
		abort();
	evw_mark_open(&w, "a source\twith\na forged line");
	for (i = 0; i < LINES; i++) {
		evw_begin(&w, SLICE("sample"));
		evw_u64(&w, (uint64_t)i);
		evw_u64(&w, 1);
		evw_text(&w, text_at(c, raw));
		evw_text(&w, text_at(c, raw));
		evw_double(&w, i / 4.0);
		evw_tag_text(&w, SLICE("comm"), text_at(c, raw));
		evw_tag_begin(&w, SLICE("stack"));
		evw_element(&w, text_at(c, raw));
		evw_bytes(&w, ";", 1);
		evw_element(&w, text_at(c, raw));
		evw_tag_end(&w, SLICE("stack"));
		evw_tag_i64(&w, SLICE("n"), -i);
		evw_end(&w);
	}
	evw_mark_end(&w, true, NULL);
	CHECK(c, w.lines == LINES && !evw_failed(&w), "%u lines", (unsigned)w.lines);
	close(w.out.fd);
	out_free(&w.out);
}

/* Checks that the escaped text means the next text of text_at. */
static void
expect(struct check *c, struct check *dice, struct slice text)
{
	static struct buf back;
	char raw[TEXT_MAX];
	struct slice want = text_at(dice, raw);
	size_t at;

	back.len = 0;
	CHECK(c,
	    esc_undo(&back, text, &at) == 0 && slice_eq((struct slice){ back.p, back.len }, want),
	    "%.*s", (int)text.len, text.p);
}

static void
expect_line(struct check *c, struct check *dice, const struct ev *ev, int i)
{
	struct slice stack = ev_get(ev, SLICE("stack")), element = { 0 };
	struct slice rest = ev->tags;
	struct ev_tag tag;
	int tags = 0;
	int64_t n = 0;

	CHECK(c, ev->number == (uint64_t)i + 2, "line %u", (unsigned)ev->number);
	CHECK(c, slice_eq(ev->col[EV_KIND], SLICE("sample")), "kind");
	expect(c, dice, ev->col[EV_REGION]);
	expect(c, dice, ev->col[EV_MEASURE]);
	expect(c, dice, ev_get(ev, SLICE("comm")));
	CHECK(c, ev_next_element(&stack, &element), "no first element");
	expect(c, dice, element);
	CHECK(c, ev_next_element(&stack, &element), "no second element");
	expect(c, dice, element);
	CHECK(c, !ev_next_element(&stack, &element), "a third element");
	CHECK(c, num_get_i64(ev_get(ev, SLICE("n")), &n) && n == -i, "n");
	CHECK(c, slice_is_nothing(ev_get(ev, SLICE("absent"))), "absent");
	while (ev_next_tag(&rest, &tag))
		tags++;
	CHECK(c, tags == 3, "%d tags", tags);
}

static void
read_random(struct check *c, char *path)
{
	struct evread *r = evread_open(&path, 1, 0);
	struct check dice = { 0 };
	struct ev ev;
	struct err e = { 0 };
	int i, rc;

	if (r == NULL)
		abort();
	for (i = 0; (rc = evread_next(r, &ev, &e)) == 1; i++)
		expect_line(c, &dice, &ev, i);
	CHECK(c, rc == 0 && i == LINES, "line %d: %s", i, e.msg);
	evread_close(r);
}

/* Writes a file with an event whose line has exactly n bytes without its LF, and another event. */
static void
write_long(const char *path, size_t n)
{
	static const char head[] = "sample\t1\t.\tr\tm\t1\tx=", next[] = "\nnext\t1\t.\tr\tm\t1\n";
	size_t body = n - (sizeof head - 1), i;
	FILE *fp = fopen(path, "w");

	if (fp == NULL)
		abort();
	fputs(head, fp);
	for (i = 0; i < body; i++)
		putc('x', fp);
	fputs(next, fp);
	if (fclose(fp) != 0)
		abort();
}

static void
long_line(struct check *c, char *path, size_t n)
{
	bool fits = n <= EV_LINE_MAX;
	struct evread *r;
	struct ev ev;
	struct err e = { 0 };

	write_long(path, n);
	r = evread_open(&path, 1, 0);
	if (r == NULL)
		abort();
	if (fits)
		CHECK(c, evread_next(r, &ev, &e) == 1 && ev.text.len == n, "%zu: %s", n, e.msg);
	else
		CHECK(c, evread_next(r, &ev, &e) == -1 && e.code == ERR_DATA && e.pos == 1, "%zu",
		    n);
	CHECK(c,
	    evread_next(r, &ev, &e) == 1 && slice_eq(ev.col[EV_KIND], SLICE("next")) &&
		ev.number == 2,
	    "after %zu", n);
	CHECK(c, evread_next(r, &ev, &e) == 0, "the end after %zu", n);
	evread_close(r);
}

/* Checks that a tag that does not fit is left out and named, and that the rest is read back. */
static void
omitted(struct check *c, char *path)
{
	char *big = calloc(1, EV_LINE_MAX);
	struct evwrite w;
	struct evread *r;
	struct ev ev;
	struct err e = { 0 };

	if (big == NULL || !evw_open(&w, create(path), "unit"))
		abort();
	evw_mark_open(&w, "-");
	evw_begin(&w, SLICE("sample"));
	evw_none(&w);
	evw_none(&w);
	evw_none(&w);
	evw_none(&w);
	evw_none(&w);
	evw_tag_u64(&w, SLICE("a"), 1);
	evw_tag_text(&w, SLICE("big"), (struct slice){ big, EV_LINE_MAX / 4 });
	evw_tag_u64(&w, SLICE("b"), 2);
	evw_tag_text(&w, SLICE("bigger"), (struct slice){ big, EV_LINE_MAX });
	evw_end(&w);
	evw_mark_end(&w, true, NULL);
	CHECK(c, w.omitted == 2 && !evw_failed(&w), "%u omitted", (unsigned)w.omitted);
	close(w.out.fd);
	out_free(&w.out);
	free(big);

	r = evread_open(&path, 1, 0);
	if (r == NULL)
		abort();
	CHECK(c, evread_next(r, &ev, &e) == 1, "%s", e.msg);
	CHECK(c, slice_eq(ev.tags, SLICE("a=1\tb=2\tomitted=big;bigger")), "%.*s", (int)ev.tags.len,
	    ev.tags.p);
	CHECK(c, evread_next(r, &ev, &e) == 0, "%s", e.msg);
	evread_close(r);
}

/* Checks that failed output is remembered and reported, and nothing crashes after it. */
static void
full(struct check *c)
{
	struct evwrite w;
	char text[1000] = { 0 };
	int i;

	if (access("/dev/full", W_OK) != 0)
		return;
	if (!evw_open(&w, open("/dev/full", O_WRONLY), "unit"))
		abort();
	for (i = 0; i < 2000; i++) {
		evw_begin(&w, SLICE("sample"));
		evw_text(&w, (struct slice){ text, sizeof text });
		evw_tag_text(&w, SLICE("x"), (struct slice){ text, sizeof text });
		evw_end(&w);
	}
	CHECK(c, evw_failed(&w) && !evw_flush(&w), "no failure seen");
	close(w.out.fd);
	out_free(&w.out);
}

#define PIPE_LINES 100000

/* Reads numbers from 0, one per line, to the end.  Returns 0 if all are there. */
static int
count_lines(int fd)
{
	FILE *fp = fdopen(fd, "r");
	unsigned n = 0, got;

	while (fp != NULL && fscanf(fp, "%u\n", &got) == 1 && got == n)
		n++;
	return fp == NULL || n != PIPE_LINES || !feof(fp);
}

/* Checks a pipe that accepts only a part of each write, and then nothing for a while. */
static void
short_writes(struct check *c)
{
	struct out o;
	char text[16];
	int fd[2], n, i, status = -1;
	pid_t pid;

	if (pipe(fd) != 0 || fcntl(fd[1], F_SETFL, O_NONBLOCK) != 0)
		abort();
	pid = fork();
	if (pid == 0) {
		close(fd[1]);
		_exit(count_lines(fd[0]));
	}
	close(fd[0]);
	if (pid < 0 || !out_open(&o, fd[1]))
		abort();
	for (i = 0; i < PIPE_LINES; i++) {
		n = snprintf(text, sizeof text, "%d\n", i);
		out_put(&o, text, (size_t)n);
	}
	CHECK(c, out_flush(&o), "errno %d", o.error);
	close(fd[1]);
	out_free(&o);
	CHECK(c, waitpid(pid, &status, 0) == pid && status == 0, "status %d", status);
}

static void
one_line(struct evwrite *w, const char *kind)
{
	int i;

	evw_begin(w, slice_of(kind));
	for (i = 0; i < 5; i++)
		evw_none(w);
	evw_end(w);
}

/* Checks lines that go before held lines, and lines that are held and dropped. */
static void
held(struct check *c, const char *path)
{
	static const char want[] =
	    "first\t.\t.\t.\t.\t.\nrun\t.\t.\t.\t.\t.\nmeasure\t.\t.\t.\t.\t.\n"
	    "a\t.\t.\t.\t.\t.\nBc\t.\t.\t.\t.\t.\nlast\t.\t.\t.\t.\t.\n";
	char got[sizeof want + 1] = { 0 };
	struct evwrite w;
	FILE *f;

	if (!evw_open(&w, create(path), "unit"))
		abort();
	one_line(&w, "first");
	evw_hold(&w);
	one_line(&w, "dropped");
	evw_drop_held(&w);
	one_line(&w, "a");
	one_line(&w, "bc");
	CHECK(c, evw_is_holding(&w) && evw_held(&w).len == 25, "%zu held", evw_held(&w).len);
	evw_held(&w).p[12] = 'B';
	evw_insert(&w);
	one_line(&w, "run");
	one_line(&w, "measure");
	evw_release(&w);
	CHECK(c, !evw_is_holding(&w), "%s", "still held");
	evw_release(&w);
	one_line(&w, "last");
	CHECK(c, w.lines == 6 && evw_flush(&w), "%s", "lines");
	close(w.out.fd);
	out_free(&w.out);
	f = fopen(path, "r");
	CHECK(c, f != NULL && fread(got, 1, sizeof got, f) == sizeof want - 1, "%s", got);
	CHECK(c, memcmp(got, want, sizeof want - 1) == 0, "%s", got);
	if (f != NULL)
		fclose(f);
}

/* Checks that held lines are passed on after all others, whether the buffer has room or not. */
static void
pass_lines(struct check *c, const char *path)
{
	struct evwrite w, other;
	char line[64], got[64];
	size_t sizes[] = { 1, 2, 30000, 1, 30000, 30000, 2 }, i, k, n = 0;
	FILE *f;

	if (!evw_open(&w, create(path), "unit") || !evw_open(&other, -1, NULL))
		abort();
	evw_hold(&other);
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (k = 0; k < sizes[i]; k++) {
			(void)snprintf(line, sizeof line, "kind%zu", n++);
			one_line(k == 0 ? &w : &other, line);
		}
		evw_pass(&w, &other);
		CHECK(c, evw_is_holding(&other) && evw_held(&other).len == 0, "%zu left",
		    evw_held(&other).len);
	}
	CHECK(c, w.lines == n && evw_flush(&w), "%zu lines", (size_t)w.lines);
	close(w.out.fd);
	f = fopen(path, "r");
	for (i = 0; f != NULL && fgets(got, sizeof got, f) != NULL; i++) {
		(void)snprintf(line, sizeof line, "kind%zu\t.\t.\t.\t.\t.\n", i);
		CHECK(c, strcmp(got, line) == 0, "line %zu: %s", i, got);
	}
	CHECK(c, i == n, "%zu lines of %zu", i, n);
	if (f != NULL)
		fclose(f);
	one_line(&other, "late");
	evw_nomem(&other);
	evw_pass(&w, &other);
	CHECK(c, w.out.error == ENOMEM, "error %d", w.out.error);
	out_free(&w.out);
	out_free(&other.out);
}

/* Tags are found by their whole name, also among those whose names begin or end alike. */
static void
tags_alike(struct check *c)
{
	static const struct {
		const char *tags, *want; /* NULL: there is none */
	} examples[] = {
		{ "", NULL },
		{ "id", NULL },
		{ "id=", "" },
		{ "id=5", "5" },
		{ "ids=5", NULL },
		{ "i=5", NULL },
		{ "pid=5", NULL },
		{ "if=5", NULL },
		{ "ids=5\tpid=6\ti=7\tid=8\tid=9", "8" },
		{ "x=id=5\tid\tid=4", "4" },
		{ "=5\tid==", "=" },
	};
	struct slice value;
	size_t i;

	for (i = 0; i < sizeof examples / sizeof examples[0]; i++) {
		const char *want = examples[i].want;
		bool found = ev_tag_in(slice_of(examples[i].tags), SLICE("id"), &value);

		CHECK(c, found == (want != NULL) && (!found || slice_eq(value, slice_of(want))),
		    "%s", examples[i].tags);
	}
}

int
main(int argc, char **argv)
{
	struct check c = { 0 }, dice = { 0 };
	char path[4096];

	if (argc != 2 || snprintf(path, sizeof path, "%s/stream.ev", argv[1]) < 0)
		return 2;
	write_random(&dice, path);
	read_random(&c, path);
	long_line(&c, path, 100);
	long_line(&c, path, EV_LINE_MAX - 1);
	long_line(&c, path, EV_LINE_MAX);
	long_line(&c, path, EV_LINE_MAX + 1);
	long_line(&c, path, EV_LINE_MAX + 1000000);
	omitted(&c, path);
	held(&c, path);
	pass_lines(&c, path);
	tags_alike(&c);
	full(&c);
	short_writes(&c);
	unlink(path);
	c.done += dice.done;
	c.failed += dice.failed;
	return check_end(&c);
}
