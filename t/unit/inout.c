/* SPDX-License-Identifier: ISC */
/*
 * inout.c - checks bytes in and out, files whose names come from input, and data kept in temporary
 * files, while system calls fail or do less than they were asked to, and without memory.
 * inout FOLDER: the folder for its files.
 */
#define _GNU_SOURCE /* RTLD_NEXT, O_TMPFILE */
#include "t/unit/calls.h"

#include <limits.h>
#include <linux/magic.h>

#include "lib/extsort.h"
#include "lib/file.h"
#include "lib/in.h"
#include "lib/mem.h"
#include "lib/out.h"
#include "lib/sig.h"
#include "lib/spool.h"
#include "lib/twice.h"
#include "t/unit/check.h"

/* Returns the name of a file in the folder of the test. */
static const char *
named(const char *folder, const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned n;
	char *p = path[n++ % 4];

	snprintf(p, PATH_MAX, "%s/%s", folder, name);
	return p;
}

static void
put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

/* Lets no more memory be allocated, or all of it again. */
static void
refuse_memory(bool refused)
{
	mem_set_ceiling(refused ? 0 : UINT64_MAX);
}

#define MAKING "cannot make a temporary file"
#define WRITING "cannot write a temporary file"

/* Checks a message.  Those about making and writing temporary files name the folder. */
static bool
is_error(const struct err *e, int errnum, const char *what)
{
	char want[512];

	if (strcmp(what, WRITING) == 0 || strcmp(what, MAKING) == 0)
		snprintf(want, sizeof want, "%s in %.150s (TMPDIR): %s", what, in_temp_folder(),
		    strerror(errnum));
	else
		snprintf(want, sizeof want, "%s: %s", what, strerror(errnum));
	return e->code == ERR_SYS && e->errnum == errnum && strcmp(e->msg, want) == 0;
}

static bool
is_nomem(const struct err *e)
{
	return e->code == ERR_SYS && e->ceiling;
}

/* ---- in */

static void
opening(struct check *c, const char *folder)
{
	const char *file = named(folder, "file"), *fifo = named(folder, "fifo");
	struct in in;
	struct err e = { 0 };

	put_file(file, "0123456789");
	if (mkfifo(fifo, 0600) != 0)
		abort();
	calls_fail(CALL_OPEN, 0, 3, EINTR);
	CHECK(c, in_open(&in, file, &e) == 0 && in.size == 10, "%s", e.msg);
	CHECK(c, calls_reset(CALL_OPEN), "not interrupted");
	in_close(&in);
	calls_fail(CALL_FSTAT, 0, 1, EIO);
	CHECK(c, in_open(&in, file, &e) == ERR_SYS && is_error(&e, EIO, "cannot read"), "%s",
	    e.msg);
	CHECK(c, calls_reset(CALL_FSTAT) && in.fd == -1, "left open");
	/* a date before 1970 is none */
	if (utimensat(AT_FDCWD, file, (struct timespec[]){ { -1, 0 }, { -1, 0 } }, 0) != 0)
		abort();
	CHECK(c, in_open(&in, file, &e) == 0 && in.changed == 0, "%s", e.msg);
	in_close(&in);
	calls_fail(CALL_OPEN, 0, 1, EACCES);
	CHECK(c, in_open(&in, fifo, &e) == ERR_SYS && is_error(&e, EACCES, "cannot open"), "%s",
	    e.msg);
	CHECK(c, calls_reset(CALL_OPEN), "fifo");
	CHECK(c,
	    in_open(&in, folder, &e) == ERR_SYS && e.errnum == EISDIR &&
		strcmp(e.msg, "cannot read: Is a directory; name the files in it (DIRECTORY/*)") ==
		    0,
	    "%s", e.msg);
	unlink(fifo);
}

static void
reading(struct check *c, const char *folder)
{
	const char *file = named(folder, "file");
	char text[20] = "";
	struct in in;
	struct err e = { 0 };
	size_t got;

	if (in_open(&in, file, &e) != 0)
		abort();
	calls_fail(CALL_READ, 0, 2, EINTR);
	calls[CALL_READ].most = 3;
	CHECK(c, in_read(&in, text, 10, &got, &e) == 0 && got == 3, "%zu: %s", got, e.msg);
	CHECK(c, in_fill(&in, text + 3, 10, &got, &e) == 0 && got == 7, "%zu: %s", got, e.msg);
	CHECK(c, calls_reset(CALL_READ) && strcmp(text, "0123456789") == 0, "%s", text);
	calls_fail(CALL_READ, 0, 1, EAGAIN);
	CHECK(c, in_read(&in, text, 10, &got, &e) == 0 && got == 0, "%zu", got);
	CHECK(c, calls_reset(CALL_READ), "not again");
	calls_fail(CALL_READ, 0, 1, EIO);
	CHECK(c, in_fill(&in, text, 10, &got, &e) == ERR_SYS && is_error(&e, EIO, "cannot read"),
	    "%s", e.msg);
	CHECK(c, calls_reset(CALL_READ), "no error");
	memset(text, 0, sizeof text);
	calls_fail(CALL_PREAD, 1, 1, EINTR);
	calls[CALL_PREAD].most = 4;
	CHECK(c, in_read_at(&in, 2, text, 20, &got, &e) == 0 && got == 8, "%zu", got);
	CHECK(c, calls_reset(CALL_PREAD) && strcmp(text, "23456789") == 0, "%s", text);
	calls_fail(CALL_PREAD, 1, 1, EIO);
	calls[CALL_PREAD].most = 4;
	CHECK(c, in_read_at(&in, 2, text, 20, &got, &e) == ERR_SYS && got == 4, "%zu", got);
	CHECK(c, calls_reset(CALL_PREAD) && is_error(&e, EIO, "cannot read"), "%s", e.msg);
	CHECK(c, in_read_at(&in, (uint64_t)INT64_MAX - 19, text, 20, &got, &e) == 0 && got == 0,
	    "beyond all files");
	in_close(&in);
}

static void
peeking(struct check *c, const char *folder)
{
	const char *file = named(folder, "file");
	char text[20] = "";

	CHECK(c, in_peek(file, text, 4) == 4 && memcmp(text, "0123", 4) == 0, "%s", text);
	calls_fail(CALL_OPEN, 0, 1, EACCES);
	CHECK(c, in_peek(file, text, 4) == 0 && calls_reset(CALL_OPEN), "not opened");
	calls_fail(CALL_PREAD, 0, 1, EIO);
	CHECK(c, in_peek(file, text, 4) == 0 && calls_reset(CALL_PREAD), "not read");
	CHECK(c, in_peek(folder, text, 4) == 0 && in_peek("/nonexistent", text, 4) == 0, "no file");
	if (dup2(open(file, O_RDONLY), STDIN_FILENO) != STDIN_FILENO)
		abort();
	CHECK(c, in_peek("-", text, 4) == 4 && memcmp(text, "0123", 4) == 0, "standard input");
	CHECK(c, lseek(STDIN_FILENO, 0, SEEK_CUR) == 0, "moved");
	if (lseek(STDIN_FILENO, 2, SEEK_SET) != 2)
		abort();
	CHECK(c, in_peek("-", text, 4) == 0, "not at its beginning");
}

static void
count_call(void *ctx)
{
	++*(unsigned *)ctx;
}

static void
count_read(void *ctx, const struct in *in)
{
	*(unsigned *)ctx += in->size == 10;
}

static void
watching(struct check *c, const char *folder)
{
	const char *file = named(folder, "file");
	unsigned reads = 0, due = 0;
	struct in_timer timer = { .every = 1, .due = count_call, .ctx = &due };
	struct in in, regular, memory;
	struct err e = { 0 };
	char text[20];
	size_t got;

	in_watch(count_read, &reads);
	in_open_memory(&memory, SLICE("memory"));
	if (in_open(&in, file, &e) != 0 || in_open_regular(&regular, file, &e) != 0)
		abort();
	CHECK(c, in_read(&regular, text, 20, &got, &e) == 0 && got == 10 && reads == 0, "%u",
	    reads);
	CHECK(c, in_read(&memory, text, 20, &got, &e) == 0 && got == 6 && reads == 0, "%u", reads);
	CHECK(c, in_is_ready(&memory) && in_is_ready(&in), "not ready");
	in.timer = &timer;
	CHECK(c, in_read(&in, text, 20, &got, &e) == 0 && got == 10 && reads == 1, "%u", reads);
	CHECK(c, due == 0 && timer.next != 0, "%u calls", due); /* the first one is after a while */
	CHECK(c, in_read(&in, text, 20, &got, &e) == 0 && reads == 2 && due == 1, "%u", due);
	timer.every = (uint64_t)1 << 62;
	timer.next = 0;
	CHECK(c, in_read(&in, text, 20, &got, &e) == 0 && due == 1, "%u", due);
	in_watch(NULL, NULL);
	in_close(&in);
	in_close(&regular);
	in_open_memory(&memory, (struct slice){ NULL, 0 });
	CHECK(c, in_read(&memory, text, 20, &got, &e) == 0 && got == 0, "%zu", got);
}

/* ---- temporary files */

static void
temporary(struct check *c, const char *folder)
{
	static const int without[] = { 0, EOPNOTSUPP, EISDIR };
	char name[PATH_MAX + 10];
	struct err e = { 0 };
	struct stat st;
	size_t i;
	int fd, saved;

	setenv("TMPDIR", "", 1);
	CHECK(c, strcmp(in_temp_folder(), "/tmp") == 0, "%s", in_temp_folder());
	unsetenv("TMPDIR");
	CHECK(c, strcmp(in_temp_folder(), "/tmp") == 0, "%s", in_temp_folder());
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	setenv("TMPDIR", name, 1);
	CHECK(c, in_temp(&fd, &e) == ERR_SYS && is_error(&e, ENAMETOOLONG, MAKING), "%s", e.msg);
	setenv("TMPDIR", folder, 1);
	saved = dup(0);
	close(0); /* which is as good a descriptor as others */
	for (i = 0; i < 3; i++) {
		calls_fail(CALL_OPEN, 0, without[i] != 0, without[i]);
		CHECK(c, in_temp(&fd, &e) == 0 && fd == 0, "%d: %s", fd, e.msg);
		CHECK(c,
		    calls_reset(CALL_OPEN) == (without[i] != 0) && fstat(fd, &st) == 0 &&
			st.st_nlink == 0,
		    "it has a name");
		CHECK(c, (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "children inherit it");
		close(fd);
	}
	if (dup2(saved, 0) != 0 || close(saved) != 0)
		abort();
	calls_fail(CALL_OPEN, 0, 1, EISDIR);
	calls_fail(CALL_MKSTEMP, 0, 1, EDQUOT);
	CHECK(c, in_temp(&fd, &e) == ERR_SYS && is_error(&e, EDQUOT, MAKING), "%s", e.msg);
	CHECK(c, calls_reset(CALL_MKSTEMP), "mkstemp");
	calls_fail(CALL_OPEN, 0, 1, EMFILE);
	CHECK(c, in_temp(&fd, &e) == ERR_SYS && is_error(&e, EMFILE, MAKING), "%s", e.msg);
	calls_reset(CALL_OPEN);
}

/* Makes a pipe with a text an input. */
static struct in
piped(const char *text)
{
	struct in in;
	struct err e;
	int fd[2];

	if (pipe(fd) != 0 || write(fd[1], text, strlen(text)) != (ssize_t)strlen(text) ||
	    close(fd[1]) != 0 || in_open_fd(&in, fd[0], &e) != 0)
		abort();
	in.ours = true;
	return in;
}

/* Spools a pipe while a call fails, which must be reported so. */
static void
spool_fails(struct check *c, enum call which, int error, const char *what)
{
	struct in in = piped("some bytes");
	struct err e = { 0 };

	calls_fail(which, 0, 1, error);
	CHECK(c, in_spool(&in, "head", 4, &e) == ERR_SYS && is_error(&e, error, what), "%s", e.msg);
	CHECK(c, calls_reset(which) && !in.seekable, "%s", what);
	in_close(&in);
}

static void
spooling(struct check *c)
{
	struct in in = piped("some bytes");
	struct err e = { 0 };
	char text[20] = "";
	size_t got;

	refuse_memory(true);
	CHECK(c, in_spool(&in, "head", 4, &e) == ERR_SYS && is_nomem(&e), "%s", e.msg);
	refuse_memory(false);
	calls_fail(CALL_WRITE, 1, 2, EINTR);
	calls[CALL_WRITE].most = 3;
	CHECK(c, in_spool(&in, "head: ", 6, &e) == 0 && in.size == 16 && in.seekable, "%s", e.msg);
	CHECK(c, calls_reset(CALL_WRITE), "not interrupted");
	CHECK(c, in_fill(&in, text, sizeof text, &got, &e) == 0 && got == 16, "%zu", got);
	CHECK(c, strcmp(text, "head: some bytes") == 0, "%s", text);
	in_close(&in);
	spool_fails(c, CALL_OPEN, EROFS, MAKING);
	spool_fails(c, CALL_WRITE, ENOSPC, WRITING);
	spool_fails(c, CALL_READ, EIO, "cannot read");
	spool_fails(c, CALL_LSEEK, EINVAL, "cannot seek in the temporary file");
}

/* ---- out */

struct sunk {
	char text[100];
	size_t len;
	int error;
};

static int
sink(void *ctx, const char *p, size_t n)
{
	struct sunk *s = ctx;

	if (s->error == 0 && n <= sizeof s->text - s->len) {
		memcpy(s->text + s->len, p, n);
		s->len += n;
	}
	return s->error;
}

static void
sinking(struct check *c)
{
	struct sunk s = { .error = 0 };
	struct out o;

	refuse_memory(true);
	CHECK(c, !out_open_sink(&o, sink, &s) && o.cap == 0, "memory");
	refuse_memory(false);
	CHECK(c, out_open_sink(&o, sink, &s), "memory");
	CHECK(c, out_flush(&o) && s.len == 0, "called for nothing");
	out_puts(&o, "one");
	CHECK(c, out_flush(&o) && s.len == 3 && memcmp(s.text, "one", 3) == 0, "%.*s", (int)s.len,
	    s.text);
	s.error = 17;
	out_puts(&o, "two");
	CHECK(c, !out_flush(&o) && o.error == 17, "error %d", o.error);
	s.error = 0;
	out_puts(&o, "three");
	CHECK(c, !out_flush(&o) && o.error == 17 && s.len == 3, "called after an error");
	out_free(&o);
}

static void
writing(struct check *c, const char *folder)
{
	const char *path = named(folder, "out");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char text[10] = "";
	struct out o;

	refuse_memory(true);
	CHECK(c, !out_open(&o, fd), "memory");
	refuse_memory(false);
	CHECK(c, fd >= 0 && out_open(&o, fd), "memory");
	calls_fail(CALL_WRITE, 0, 1, EAGAIN);
	calls[CALL_WRITE].most = 2;
	out_puts(&o, "abc");
	CHECK(c, out_flush(&o) && calls_reset(CALL_WRITE), "EAGAIN");
	calls_fail(CALL_WRITE, 0, 1, EINTR);
	out_puts(&o, "def");
	CHECK(c, out_flush(&o) && calls_reset(CALL_WRITE), "EINTR");
	CHECK(c, pread(fd, text, 10, 0) == 6 && memcmp(text, "abcdef", 6) == 0, "%.6s", text);
	/* what does not fit into the buffer is refused, and that stays so */
	refuse_memory(true);
	CHECK(c, out_room(&o, o.cap + 1) == NULL && o.error == ENOMEM, "error %d", o.error);
	refuse_memory(false);
	out_put(&o, "ghi", 3);
	CHECK(c, !out_flush(&o) && pread(fd, text, 10, 0) == 6, "written after an error");
	o.error = 0;
	calls_fail(CALL_WRITE, 0, 1, ENOSPC);
	out_put(&o, "ghi", 3);
	CHECK(c, !out_flush(&o) && o.error == ENOSPC && calls_reset(CALL_WRITE), "%d", o.error);
	refuse_memory(true);
	CHECK(c, out_room(&o, o.cap + 1) == NULL && o.error == ENOSPC, "the first error stays");
	o.hold = true;
	o.error = 0;
	o.len = o.cap;
	out_put(&o, "x", 1);
	CHECK(c, o.error == ENOMEM && !out_flush(&o), "held lines beyond the memory");
	refuse_memory(false);
	out_free(&o);
	close(fd);
}

/* ---- spool */

static void
spool_text(struct check *c, struct spool *s, const char *text, size_t n)
{
	struct err e = { 0 };
	char *room = spool_room(s, n);

	if (room == NULL)
		abort();
	memcpy(room, text, n);
	CHECK(c, spool_put(s, n, &e) == 0, "%s", e.msg);
}

static void
spool_reads(struct check *c, struct spool *s, const char *big, size_t nbig)
{
	struct slice r;
	struct err e = { 0 };
	char text[3];
	size_t got;

	CHECK(c, spool_rewind(s, &e) == 0, "%s", e.msg);
	CHECK(c, spool_next(s, &r, &e) == 0 && slice_eq(r, SLICE("one")), "%s", e.msg);
	refuse_memory(true);
	CHECK(c, spool_next(s, &r, &e) == ERR_SYS && is_nomem(&e), "%s", e.msg);
	refuse_memory(false);
	calls_fail(CALL_PREAD, 0, 1, EIO);
	CHECK(c, spool_next(s, &r, &e) == ERR_SYS && is_error(&e, EIO, "cannot read"), "%s", e.msg);
	CHECK(c, calls_reset(CALL_PREAD), "no error");
	CHECK(c, spool_next(s, &r, &e) == 0 && slice_eq(r, (struct slice){ big, nbig }), "%s",
	    e.msg);
	CHECK(c, spool_next(s, &r, &e) == 0 && slice_eq(r, SLICE("last")), "%s", e.msg);
	CHECK(c, spool_next(s, &r, &e) == 0 && r.p == NULL, "more");
	CHECK(c, spool_rewind(s, &e) == 0, "%s", e.msg);
	calls_fail(CALL_PREAD, 0, 1, EIO);
	CHECK(c, spool_read(s, text, 3, &got, &e) == ERR_SYS && calls_reset(CALL_PREAD), "%s",
	    e.msg);
	calls_fail(CALL_PREAD, 0, 1, EIO);
	CHECK(c, spool_next(s, &r, &e) == ERR_SYS && calls_reset(CALL_PREAD), "%s", e.msg);
	/* a file that has become shorter: in a record, and in the length of one */
	if (ftruncate(s->file.fd, 6) != 0)
		abort();
	CHECK(c,
	    spool_next(s, &r, &e) == ERR_SYS && is_error(&e, EIO, "cannot read the temporary file"),
	    "%s", e.msg);
	if (ftruncate(s->file.fd, 3) != 0)
		abort();
	CHECK(c, spool_rewind(s, &e) == 0, "%s", e.msg);
	CHECK(c, spool_next(s, &r, &e) == ERR_SYS && r.p == NULL, "%s", e.msg);
}

static void
spools(struct check *c)
{
	size_t nbig = 400000;
	char *big = calloc(1, nbig);
	struct spool s = { 0 };
	struct err e = { 0 };

	if (big == NULL)
		abort();
	calls_fail(CALL_OPEN, 0, 1, EROFS);
	CHECK(c, spool_open(&s, &e) == ERR_SYS && !spool_is_open(&s), "%s", e.msg);
	calls_reset(CALL_OPEN);
	refuse_memory(true);
	CHECK(c, spool_open(&s, &e) == ERR_SYS && is_nomem(&e) && !spool_is_open(&s), "%s", e.msg);
	refuse_memory(false);
	CHECK(c, spool_open(&s, &e) == 0 && spool_open(&s, &e) == 0, "%s", e.msg);
	spool_text(c, &s, "one", 3);
	spool_text(c, &s, big, nbig);
	spool_text(c, &s, "last", 4);
	spool_reads(c, &s, big, nbig);
	CHECK(c, SIZE_MAX == UINT32_MAX || spool_room(&s, (size_t)UINT32_MAX + 1) == NULL,
	    "a record of 4 GiB");
	refuse_memory(true);
	CHECK(c, spool_room(&s, 2 * nbig) == NULL, "memory");
	CHECK(c, spool_put(&s, 1, &e) == ERR_SYS && is_nomem(&e), "%s", e.msg);
	CHECK(c, spool_rewind(&s, &e) == ERR_SYS && is_nomem(&e), "%s", e.msg);
	refuse_memory(false);
	spool_close(&s);
	CHECK(c, spool_open(&s, &e) == 0, "%s", e.msg);
	calls_fail(CALL_WRITE, 0, 1, ENOSPC);
	spool_text(c, &s, "one", 3);
	CHECK(c, spool_rewind(&s, &e) == ERR_SYS && is_error(&e, ENOSPC, WRITING), "%s", e.msg);
	calls_reset(CALL_WRITE);
	spool_close(&s);
	free(big);
}

/* ---- extsort */

static int
first_byte(const char *a, const char *b)
{
	return (*a > *b) - (*a < *b);
}

static void
put_item(struct extsort *s, char key, size_t n)
{
	char *p = extsort_room(s, n);

	if (p == NULL)
		return;
	memset(p, key, n);
	extsort_put(s, n);
}

/* Writes two pieces, one of them with long items. */
static int
put_pieces(struct extsort *s, struct err *e)
{
	int rc = extsort_begin(s, e);

	if (rc != 0)
		return rc;
	put_item(s, 'a', 10);
	put_item(s, 'b', 200000);
	put_item(s, 'b', 100);
	put_item(s, 'd', 20);
	rc = extsort_end(s, e);
	if (rc == 0)
		rc = extsort_begin(s, e);
	if (rc != 0)
		return rc;
	put_item(s, 'a', 11);
	put_item(s, 'c', 300000);
	put_item(s, 'c', 90000);
	return extsort_end(s, e);
}

/* Takes all items.  Adds their keys to KEYS and their sizes to *SUM. */
static int
pop_all(struct extsort *s, char *keys, size_t *sum, struct err *e)
{
	struct slice item;
	size_t n = 0;
	int rc = 0;

	*sum = 0;
	while (rc == 0 && extsort_peek(s, &item)) {
		keys[n++] = *item.p;
		*sum += item.len;
		rc = extsort_pop(s, e);
	}
	keys[n] = '\0';
	return rc;
}

/* Sorts until a call fails at one place after the other, and then succeeds. */
static unsigned
sort_while_failing(struct check *c, enum call which, int error, const char *what)
{
	struct extsort *s;
	struct err e = { 0 };
	char keys[20];
	size_t sum;
	unsigned pass;
	int rc = -1;

	for (pass = 0; rc != 0 && pass < 100; pass++) {
		calls_fail(which, pass, 1, error);
		rc = extsort_open(&s, first_byte, &e);
		if (rc == 0)
			rc = put_pieces(s, &e);
		if (rc == 0)
			rc = pop_all(s, keys, &sum, &e);
		if (rc == 0) /* from the beginning of the file */
			rc = put_pieces(s, &e);
		extsort_close(s);
		CHECK(c, (rc == 0) == !calls_reset(which), "%s: %u", what, pass);
		CHECK(c, rc == 0 || is_error(&e, error, what), "%s: %s", what, e.msg);
	}
	CHECK(c, rc == 0 && strcmp(keys, "aabbccd") == 0 && sum == 590141, "%s: %s, %zu", what,
	    keys, sum);
	return pass;
}

/* Sorts with more and more memory. */
static void
sort_without_memory(struct check *c)
{
	struct extsort *s;
	struct err e = { 0 };
	char keys[20];
	size_t sum = 0, more, refused = 0;
	int rc = -1;

	for (more = 0; rc != 0 && more < 4000000; more += 20000) {
		mem_set_ceiling(mem_used() + more);
		rc = extsort_open(&s, first_byte, &e);
		if (rc == 0)
			rc = put_pieces(s, &e);
		if (rc == 0)
			rc = pop_all(s, keys, &sum, &e);
		extsort_close(s);
		CHECK(c, rc == 0 || is_nomem(&e), "%s", e.msg);
		refused += rc != 0;
	}
	refuse_memory(false);
	CHECK(c, rc == 0 && refused > 3 && sum == 590141, "%zu refused, %zu", refused, sum);
}

/* Sixteen pieces are merged into one, which fails. */
static void
merging(struct check *c, bool memory)
{
	struct extsort *s;
	struct err e = { 0 };
	unsigned i;
	int rc = extsort_open(&s, first_byte, &e);

	for (i = 0; i < 16 && rc == 0; i++) {
		rc = extsort_begin(s, &e);
		put_item(s, (char)('a' + i), 50000);
		if (rc == 0)
			rc = extsort_end(s, &e);
	}
	CHECK(c, rc == 0, "%s", e.msg);
	if (memory)
		mem_set_ceiling(mem_used() + 1);
	else
		calls_fail(CALL_WRITE, 1, 1, ENOSPC);
	rc = extsort_begin(s, &e);
	refuse_memory(false);
	calls_reset(CALL_WRITE);
	CHECK(c, rc == 0 || !memory || is_nomem(&e), "%s", e.msg);
	CHECK(c, memory || is_error(&e, ENOSPC, WRITING), "%s", e.msg);
	extsort_close(s);
}

static void
sorting(struct check *c)
{
	struct extsort *s;
	struct err e = { 0 };
	struct slice item;

	CHECK(c, sort_while_failing(c, CALL_PREAD, EIO, "cannot read") > 4, "reads");
	CHECK(c, sort_while_failing(c, CALL_WRITE, ENOSPC, WRITING) > 2, "writes");
	CHECK(c,
	    sort_while_failing(c, CALL_TRUNCATE, EIO, "cannot truncate the temporary file") == 2,
	    "ftruncate");
	CHECK(c, sort_while_failing(c, CALL_LSEEK, EIO, "cannot truncate the temporary file") == 2,
	    "lseek");
	sort_without_memory(c);
	merging(c, false);
	merging(c, true);
	extsort_close(NULL);
	/* an item that is too long, and a piece without items */
	if (extsort_open(&s, first_byte, &e) != 0)
		abort();
	CHECK(c, SIZE_MAX == UINT32_MAX || extsort_room(s, (size_t)UINT32_MAX + 1) == NULL,
	    "an item of 4 GiB");
	CHECK(c, extsort_begin(s, &e) == 0 && extsort_end(s, &e) == 0, "%s", e.msg);
	CHECK(c, !extsort_peek(s, &item), "an item from nowhere");
	extsort_close(s);
}

/* ---- operands that are read twice */

static void
reading_twice(struct check *c, const char *folder)
{
	const char *file = named(folder, "file"), *fifo = named(folder, "fifo2");
	struct twice *t = twice_new(2);
	struct err e = { 0 };
	struct in in;
	int fd;

	twice_free(NULL);
	refuse_memory(true);
	CHECK(c, twice_new(3) == NULL, "memory");
	refuse_memory(false);
	if (t == NULL || mkfifo(fifo, 0600) != 0 || (fd = open(fifo, O_RDWR)) < 0)
		abort();
	CHECK(c, twice_open(t, 0, "/nonexistent", &in, &e) == ERR_SYS, "%s", e.msg);
	CHECK(c, twice_open(t, 0, file, &in, &e) == 0 && in.ours, "%s", e.msg);
	in_close(&in);
	/* a pipe that could not be copied stays so */
	calls_fail(CALL_OPEN, 1, 1, EROFS);
	CHECK(c, twice_open(t, 1, fifo, &in, &e) == ERR_SYS && e.errnum == EROFS, "%s", e.msg);
	CHECK(c, calls_reset(CALL_OPEN), "not refused");
	e = (struct err){ 0 };
	CHECK(c, twice_open(t, 1, fifo, &in, &e) == ERR_SYS && e.errnum == EROFS, "%s", e.msg);
	twice_free(t);
	close(fd);
	unlink(fifo);
	t = twice_new(0);
	if (t == NULL || lseek(STDIN_FILENO, 3, SEEK_SET) != 3)
		abort();
	CHECK(c, twice_open(t, 0, "-", &in, &e) == 0 && !in.ours, "%s", e.msg);
	in_close(&in);
	calls_fail(CALL_LSEEK, 0, 1, EINVAL);
	CHECK(c,
	    twice_open(t, 0, "-", &in, &e) == ERR_SYS && is_error(&e, EINVAL, "cannot read again"),
	    "%s", e.msg);
	CHECK(c, calls_reset(CALL_LSEEK), "lseek");
	CHECK(c, twice_open(t, 0, "-", &in, &e) == 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) == 3, "%s",
	    e.msg);
	twice_free(t);
}

/* ---- files whose names come from the input */

static const uint32_t kernels[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
	SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, EFIVARFS_MAGIC,
	PSTOREFS_MAGIC, SELINUX_MAGIC };

/* Opens a name and closes it.  Returns what file_open returned. */
static int
try_open(const char *root, const char *path, bool no_link, struct err *e)
{
	struct file_name name = { .root = root, .path = path, .no_link = no_link };
	struct stat st;
	int fd, rc = file_open(&name, &fd, &st, e);

	if (rc == 0)
		close(fd);
	return rc;
}

static void
kernel_files(struct check *c, const char *folder)
{
	const char *file = named(folder, "file");
	struct err e = { 0 };
	size_t i;

	for (i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		calls_magic = kernels[i];
		CHECK(c,
		    try_open(NULL, file, false, &e) == ERR_DATA &&
			strcmp(e.msg, "not a regular file") == 0,
		    "%x: %s", kernels[i], e.msg);
	}
	calls_magic = 0x1234;
	CHECK(c, try_open(NULL, file, false, &e) == 0, "%s", e.msg);
	calls_magic = 0;
	calls_fail(CALL_STATFS, 0, 1, EIO);
	CHECK(c, try_open(NULL, file, false, &e) == ERR_SYS && is_error(&e, EIO, "stat"), "%s",
	    e.msg);
	CHECK(c, calls_reset(CALL_STATFS), "statfs");
	calls_fail(CALL_FSTAT, 0, 1, EIO);
	CHECK(c, try_open(NULL, file, false, &e) == ERR_SYS && is_error(&e, EIO, "stat"), "%s",
	    e.msg);
	CHECK(c, calls_reset(CALL_FSTAT), "fstat");
}

/* Opens a file by its name alone, while another call fails, too. */
static void
by_name_fails(struct check *c, const char *file, enum call which, int error, const char *what)
{
	struct err e = { 0 };

	calls_fail(which, 0, 1, error);
	/* the first open is the one that only refers to the file */
	calls_fail(CALL_OPEN, 0, which == CALL_OPEN ? 2 : 1, EMFILE);
	CHECK(c, try_open(NULL, file, false, &e) == ERR_SYS && is_error(&e, error, what), "%s",
	    e.msg);
	CHECK(c, calls_reset(which), "%s", what);
}

static void
by_name(struct check *c, const char *folder)
{
	static const int fallback[] = { ENOSYS, EPERM, EAGAIN, EINVAL, EMFILE, ENFILE };
	const char *file = named(folder, "file"), *link = named(folder, "link");
	struct err e = { 0 };
	size_t i;

	if (symlink("file", link) != 0)
		abort();
	for (i = 0; i < sizeof fallback / sizeof *fallback; i++) {
		calls_fail(CALL_OPEN, 0, 1, fallback[i]);
		CHECK(c, try_open(NULL, link, false, &e) == 0 && calls_reset(CALL_OPEN), "%s",
		    e.msg);
		calls_fail(CALL_OPENAT2, 0, 1, fallback[i]);
		CHECK(c, try_open(folder, "link", false, &e) == 0 && calls_reset(CALL_OPENAT2),
		    "%s", e.msg);
	}
	calls_fail(CALL_OPEN, 0, 1, ENOSYS);
	CHECK(c, try_open(NULL, link, true, &e) == ERR_DATA && calls_reset(CALL_OPEN), "%s", e.msg);
	calls_fail(CALL_OPENAT2, 0, 1, ENOSYS);
	CHECK(c, try_open(folder, "link", true, &e) == ERR_DATA && calls_reset(CALL_OPENAT2), "%s",
	    e.msg);
	calls_fail(CALL_OPEN, 0, 1, ENOSYS);
	CHECK(c, try_open(NULL, file, true, &e) == 0 && calls_reset(CALL_OPEN), "%s", e.msg);
	by_name_fails(c, file, CALL_FSTATAT, EIO, "open");
	by_name_fails(c, file, CALL_OPEN, EMFILE, "open");
	by_name_fails(c, file, CALL_FSTAT, EIO, "stat");
	by_name_fails(c, file, CALL_FCNTL, EIO, "stat");
	by_name_fails(c, file, CALL_STATFS, EIO, "stat");
	calls_fail(CALL_OPEN, 0, 1, EMFILE);
	calls_other_file = true;
	CHECK(c, try_open(NULL, file, false, &e) == ERR_SYS && is_error(&e, ESTALE, "open"), "%s",
	    e.msg);
	calls_reset(CALL_OPEN);
}

/* Opens a name below a root, link by link.  Returns the errno, or 0. */
static int
walk(const char *root, const char *path)
{
	struct err e = { 0 };
	int rc;

	calls_fail(CALL_OPENAT2, 0, 1, ENOSYS);
	rc = try_open(root, path, false, &e);
	calls_reset(CALL_OPENAT2);
	return rc == 0 ? 0 : rc == ERR_DATA ? -1 : e.errnum;
}

static void
walking(struct check *c, const char *folder)
{
	static char name[PATH_MAX + 1], path[PATH_MAX];
	int n;

	memset(name, 'x', PATH_MAX);
	CHECK(c, walk(folder, "/../.././file") == 0, "to the root");
	CHECK(c, walk(folder, "file/x") == ENOTDIR && walk(folder, "none/x") == ENOENT,
	    "no folder");
	CHECK(c, walk(folder, "") == -1 && walk(folder, "//") == -1, "the root itself");
	CHECK(c, walk(folder, name) == ENAMETOOLONG, "the whole path is too long");
	name[PATH_MAX - 3] = '\0';
	CHECK(c, walk(folder, name) == ENAMETOOLONG, "too long after the root");
	/* a root that is too long, as far as the walk is concerned */
	n = snprintf(path, sizeof path, "%s", folder);
	while (n + 2 < PATH_MAX)
		path[n++] = '/';
	path[n] = '\0';
	CHECK(c, walk(path, "file") == ENAMETOOLONG, "a root that leaves no room");
}

static void
links(struct check *c, const char *folder)
{
	static char target[PATH_MAX];
	struct err e = { 0 };
	size_t i;

	/* of a link that cannot be read, that is empty, or too long together with what follows */
	calls_fail(CALL_OPENAT2, 0, 1, ENOSYS);
	calls_fail(CALL_READLINK, 0, 1, EIO);
	CHECK(c, try_open(folder, "link", false, &e) == ERR_SYS && e.errnum == EIO, "%s", e.msg);
	CHECK(c, calls_reset(CALL_READLINK), "readlink");
	calls_fail(CALL_OPENAT2, 0, 1, ENOSYS);
	calls_fail(CALL_READLINK, 0, 1, 0);
	CHECK(c, try_open(folder, "link", false, &e) == ERR_SYS && e.errnum == ENOENT, "%s", e.msg);
	CHECK(c, calls_reset(CALL_READLINK), "readlink");
	for (i = 0; i < 2000; i++)
		memcpy(target + 2 * i, "./", 2);
	if (symlink(target, named(folder, "long")) != 0 || symlink("loop", named(folder, "loop")))
		abort();
	target[3900] = '\0';
	memcpy(target, "long/", 5);
	CHECK(c, walk(folder, target) == ENAMETOOLONG, "a long link");
	CHECK(c, walk(folder, "loop") == ELOOP, "a loop");
}

static void
away(struct check *c)
{
	static const int errors[] = { ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, EXDEV, ENAMETOOLONG };
	struct err e = { .code = ERR_SYS };
	size_t i;

	for (i = 0; i < sizeof errors / sizeof *errors; i++) {
		e.errnum = errors[i];
		CHECK(c, file_is_away(&e), "%s", strerror(errors[i]));
	}
	e.ceiling = true;
	CHECK(c, !file_is_away(&e), "memory");
	e = (struct err){ .code = ERR_SYS, .errnum = EIO };
	CHECK(c, !file_is_away(&e), "EIO");
	e.code = ERR_DATA;
	CHECK(c, !file_is_away(&e), "not a failure of the system");
	CHECK(c, file_time(&(struct timespec){ .tv_sec = -1, .tv_nsec = 5 }) == 0, "before 1970");
	CHECK(c, file_time(&(struct timespec){ .tv_sec = 2, .tv_nsec = 5 }) == 2000000005, "time");
}

/* After a signal that asked to stop. */
static void
stopping(struct check *c, const char *folder)
{
	const char *file = named(folder, "file");
	struct extsort *s;
	struct err e = { 0 };
	struct in in, other;
	char text[4];
	size_t got;

	if (in_open(&in, file, &e) != 0 || extsort_open(&s, first_byte, &e) != 0)
		abort();
	sig_ask_stop();
	CHECK(c, in_read(&in, text, 4, &got, &e) == ERR_STOP && e.code == ERR_STOP, "%s", e.msg);
	calls_fail(CALL_OPEN, 0, 1, EINTR);
	CHECK(c, in_open(&other, file, &e) == ERR_STOP && e.code == ERR_STOP, "%s", e.msg);
	CHECK(c, calls_reset(CALL_OPEN), "not interrupted");
	CHECK(c, put_pieces(s, &e) == ERR_STOP && e.code == ERR_STOP, "%s", e.msg);
	extsort_close(s);
	in_close(&in);
}

int
main(int argc, char **argv)
{
	struct check c = { 0 };

	if (argc != 2)
		return 2;
	opening(&c, argv[1]);
	reading(&c, argv[1]);
	peeking(&c, argv[1]);
	watching(&c, argv[1]);
	temporary(&c, argv[1]);
	spooling(&c);
	sinking(&c);
	writing(&c, argv[1]);
	spools(&c);
	sorting(&c);
	reading_twice(&c, argv[1]);
	kernel_files(&c, argv[1]);
	by_name(&c, argv[1]);
	walking(&c, argv[1]);
	links(&c, argv[1]);
	away(&c);
	stopping(&c, argv[1]);
	CHECK(&c, mem_used() == 0, "%llu bytes are left", (unsigned long long)mem_used());
	return check_end(&c);
}
