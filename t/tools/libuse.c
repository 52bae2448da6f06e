/* SPDX-License-Identifier: ISC */
/*
 * libuse - calls libafpipe as a program of other people would (t/afpipe.bats).
 *
 *	libuse decode FILE [FLAGS [LINES]]   prints the lines; FILE - is standard input, as a
 *	                                     descriptor; stops after so many lines
 *	libuse read [FLAGS]                  prints a stream's lines, read from memory, in parts
 *	libuse copy                          copies a stream, line by line
 *	libuse write                         writes a stream, and tries what is refused
 *	libuse threads FILE                  decodes and reads in several threads at once
 *	libuse locale NAME FILE              decodes in another locale, where callbacks have it, too
 *	libuse ends                          a stream that ends early, after the largest counts
 *	libuse long                          a line of 300,000 bytes; only the end tells what failed
 *	libuse cut                           the same, with a reason at the end
 *	libuse broken                        a stream into a pipe that nobody reads any more
 *	libuse misuse FILE                   calls that are wrong, and structs of other versions
 *
 * Errors are printed as "CODE place position: message" on standard error.
 */
#include <afpipe.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
print_error(const char *what, const char *file, const struct afpipe_error *e)
{
	fprintf(stderr, "%s: %s%scode %d place %d at %" PRIu64 " errno %d: %s\n", what,
	    file == NULL ? "" : file, file == NULL ? "" : ": ", e->code, e->place, e->position,
	    e->errnum, e->message);
}

static void
print_slice(struct afpipe_slice s)
{
	(void)fwrite(s.p, 1, s.len, stdout);
}

static int
fail(const char *what)
{
	fprintf(stderr, "libuse: %s\n", what);
	return 99;
}

static struct afpipe_slice
bytes(const char *s)
{
	struct afpipe_slice b = { s, strlen(s) };

	return b;
}

/* ---- decode */

struct job {
	uint64_t limit; /* after so many lines the callback asks to stop */
	uint64_t lines, size;
	int printing, stopped, after;
};

static int
take(void *user, const struct afpipe_line *line)
{
	struct job *j = (struct job *)user;
	struct afpipe_slice rest = line->tags, text = line->text;
	struct afpipe_tag tag;
	size_t size = 5;
	int i;

	j->after |= j->stopped;
	j->lines++;
	if (line->number != j->lines)
		j->after = 1;
	for (i = 0; i < AFPIPE_COLUMNS; i++)
		size += line->column[i].len;
	while (afpipe_next_tag(&rest, &tag))
		size += tag.key.len + tag.value.len + 2;
	if (size != text.len)
		j->after = 1;
	j->size += text.len;
	if (j->printing) {
		print_slice(text);
		putchar('\n');
	}
	j->stopped = j->lines == j->limit;
	return j->stopped;
}

static void
report(void *user, const char *file, const struct afpipe_error *error)
{
	struct job *j = (struct job *)user;

	j->after |= j->stopped;
	if (j->printing)
		print_error("report", file, error);
}

static void
note(void *user, const char *text)
{
	struct job *j = (struct job *)user;

	j->after |= j->stopped;
	if (j->printing)
		fprintf(stderr, "note: %s\n", text);
}

static int
decode(const char *name, unsigned flags, uint64_t limit)
{
	struct afpipe_perf_options options = AFPIPE_PERF_OPTIONS_INIT;
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct job j = { limit, 0, 0, 1, 0, 0 };
	int rc;

	options.flags = flags;
	options.symfs = getenv("SYMFS");
	options.report = report;
	options.note = note;
	if (strcmp(name, "-") == 0)
		rc = afpipe_perf_decode_fd(STDIN_FILENO, &options, take, &j, &e);
	else
		rc = afpipe_perf_decode(name, &options, take, &j, &e);
	if (j.after)
		return fail("a call after the end, or a line that is not the sum of its parts");
	if (rc != e.code)
		return fail("another code");
	if (rc != 0)
		print_error("end", NULL, &e);
	return rc;
}

/* ---- read, copy, write */

static int
read_memory(unsigned flags)
{
	static char input[1 << 22];
	size_t n = fread(input, 1, sizeof input, stdin);
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct afpipe_reader *r = afpipe_reader_memory(input, n, flags, &e);
	const struct afpipe_line *line;
	struct afpipe_slice value, rest, element;
	int rc, bad = 0;

	if (r == NULL)
		return fail(e.message);
	while ((rc = afpipe_read(r, &line, &e)) != 0) {
		if (rc < 0) {
			print_error("read", NULL, &e);
			bad = e.code;
			continue;
		}
		printf("%" PRIu64, line->number);
		for (rc = 0; rc < AFPIPE_COLUMNS; rc++) {
			putchar('|');
			print_slice(line->column[rc]);
		}
		if (afpipe_find_tag(line, "stack", &rest))
			while (afpipe_next_element(&rest, &element)) {
				char room[64];

				n = element.len > sizeof room ? 0 : afpipe_unescape(room, element);
				printf("|stack=%.*s", (int)n, room);
			}
		if (afpipe_find_tag(line, "pid", &value)) {
			uint64_t pid = 0;

			rc = afpipe_get_u64(value, &pid);
			printf("|pid=%d %" PRIu64, rc, pid);
		}
		putchar('\n');
	}
	printf("lost %" PRIu64 " unknown %" PRIu64 "\n", afpipe_count(r, "lost"),
	    afpipe_count(r, "no such"));
	afpipe_reader_free(r);
	afpipe_reader_free(NULL);
	return bad;
}

static int
copy(void)
{
	struct afpipe_error e = AFPIPE_ERROR_INIT, first = AFPIPE_ERROR_INIT;
	struct afpipe_reader *r = afpipe_reader_fd(STDIN_FILENO, 0, &e);
	struct afpipe_writer *w = afpipe_writer_fd(STDOUT_FILENO, "libuse", "standard input", &e);
	const struct afpipe_line *line;
	int rc = 0;

	if (r == NULL || w == NULL)
		return fail(e.message);
	while (first.code == 0 && (rc = afpipe_read(r, &line, &e)) != 0)
		if (rc < 0 || afpipe_write_line(w, line, &e) != 0) {
			print_error("copy", NULL, &e);
			first = e;
		}
	afpipe_pass_counts(w, r);
	if (afpipe_writer_end(w, first.code != 0 ? "damaged" : NULL, &e) != 0) {
		print_error("end", NULL, &e);
		first = e;
	}
	afpipe_reader_free(r);
	return first.code;
}

/* Tries lines that are refused.  Returns how many were not. */
static int
try_wrong(struct afpipe_writer *w, struct afpipe_slice *c)
{
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	static const char *const kinds[] = { "", ".", "#end", "a\tb", "a\nb", "a\\b" };
	static const char *const times[] = { "-1", "1.5", "x", "01", "18446744073709551616" };
	static const char *const keys[] = { "", "a=b", "a\tb", "\xff" };
	static const char *const tags[] = { "a\\q=b", "a=b\t", "\ta=b", "a=b\t\tc=d", "a=\\q",
		"a=\n" };
	struct afpipe_tag tag = { { "", 0 }, { "v", 1 } };
	struct afpipe_line line;
	char long_kind[257];
	int n = 0;
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		c[AFPIPE_KIND] = bytes(kinds[i]);
		n += afpipe_write(w, c, NULL, 0, &e) != AFPIPE_USAGE;
	}
	memset(long_kind, 'k', sizeof long_kind);
	long_kind[256] = '\0';
	c[AFPIPE_KIND] = bytes(long_kind);
	n += afpipe_write(w, c, NULL, 0, &e) != AFPIPE_USAGE;
	c[AFPIPE_KIND] = bytes("sample");
	for (i = 0; i < sizeof times / sizeof *times; i++) {
		c[AFPIPE_TIME] = bytes(times[i]);
		n += afpipe_write(w, c, NULL, 0, &e) != AFPIPE_USAGE;
	}
	c[AFPIPE_TIME] = bytes("12");
	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		tag.key = bytes(keys[i]);
		n += afpipe_write(w, c, &tag, 1, &e) != AFPIPE_USAGE;
	}
	memset(&line, 0, sizeof line);
	for (i = 0; i < AFPIPE_COLUMNS; i++)
		line.column[i] = bytes("x");
	for (i = 0; i < sizeof tags / sizeof *tags; i++) {
		line.tags = bytes(tags[i]);
		n += afpipe_write_line(w, &line, &e) != AFPIPE_USAGE;
	}
	line.tags = bytes("");
	line.column[AFPIPE_VALUE] = bytes("");
	n += afpipe_write_line(w, &line, &e) != AFPIPE_USAGE;
	line.column[AFPIPE_VALUE] = bytes("a\tb");
	n += afpipe_write_line(w, &line, NULL) != AFPIPE_USAGE;
	line.column[AFPIPE_VALUE] = bytes("1");
	line.column[AFPIPE_KIND] = bytes("#end");
	n += afpipe_write_line(w, &line, NULL) != AFPIPE_USAGE;
	return n;
}

/* Writes a line with so many bytes in a tag or a column to /dev/null.  Returns the status. */
static int
write_long(size_t len, int in_tag)
{
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	int fd = open("/dev/null", O_WRONLY), rc = AFPIPE_SYSTEM;
	struct afpipe_writer *w = afpipe_writer_fd(fd, "libuse", ".", &e);
	char *text = malloc(len);
	struct afpipe_line line;
	size_t i;

	memset(&line, 0, sizeof line);
	for (i = 0; i < AFPIPE_COLUMNS; i++)
		line.column[i] = bytes("x");
	if (w != NULL && text != NULL) {
		memset(text, 'a', len);
		text[1] = '=';
		*(in_tag ? &line.tags : &line.column[AFPIPE_VALUE]) =
		    (struct afpipe_slice){ text, len };
		rc = afpipe_write_line(w, &line, &e);
	}
	if (w != NULL && afpipe_writer_end(w, NULL, &e) != AFPIPE_OK)
		rc = e.code;
	free(text);
	(void)close(fd);
	return rc;
}

/* The longest lines of a stream, 16 MiB without the newline, and longer ones. */
static int
try_long(void)
{
	const size_t most = (size_t)16 << 20, in_tag = most - 12, in_column = most - 10;

	return write_long(in_tag, 1) != AFPIPE_OK || write_long(in_tag + 1, 1) != AFPIPE_USAGE ||
	    write_long(in_column, 0) != AFPIPE_OK || write_long(in_column + 1, 0) != AFPIPE_USAGE;
}

static int
write_stream(void)
{
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct afpipe_writer *w = afpipe_writer_fd(STDOUT_FILENO, "libuse", "a\tb", &e);
	struct afpipe_slice c[AFPIPE_COLUMNS] = { { "sample", 6 }, { "12", 2 }, { "0x1", 3 },
		{ "f\n\\", 3 }, { "", 0 }, { ".", 1 } };
	struct afpipe_tag tags[2] = { { { "comm", 4 }, { "a\tb\xff", 4 } },
		{ { "none", 4 }, { "", 0 } } };
	int wrong;

	if (w == NULL) {
		print_error("open", NULL, &e);
		return e.code;
	}
	if (afpipe_write(w, c, tags, 2, &e) != 0 || afpipe_flush(w, &e) != 0)
		print_error("write", NULL, &e);
	wrong = try_wrong(w, c);
	if (wrong != 0)
		return fail("what is wrong was written");
	if (afpipe_writer_end(w, NULL, &e) != 0) {
		print_error("end", NULL, &e);
		return e.code;
	}
	return 0;
}

/* Writes an incomplete stream, with two counts, one of 2^64 - 1, that are passed on twice. */
static int
write_part(void)
{
	static const char lost[] =
	    "#afstream\t1\tx\ty\n#end\tx\ty\t0\tcomplete\tlost=18446744073709551615\tlate=3\n";
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct afpipe_reader *r = afpipe_reader_memory(lost, sizeof lost - 1, 0, &e);
	struct afpipe_writer *w =
	    r == NULL ? NULL : afpipe_writer_fd(STDOUT_FILENO, "libuse", "x", &e);
	const struct afpipe_line *line;

	if (w == NULL || afpipe_read(r, &line, &e) != 0) {
		print_error("read", NULL, &e);
		return e.code;
	}
	afpipe_pass_counts(w, r);
	afpipe_pass_counts(w, r);
	afpipe_reader_free(r);
	if (afpipe_writer_end(w, "a reason", &e) != AFPIPE_OK)
		print_error("end", NULL, &e);
	return e.code;
}

static int
write_one(const char *reason)
{
	static char text[300000];
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct afpipe_writer *w = afpipe_writer_fd(STDOUT_FILENO, "libuse", "x", &e);
	struct afpipe_slice c[AFPIPE_COLUMNS] = { { "sample", 6 } };
	int rc = AFPIPE_SYSTEM;

	memset(text, 'a', sizeof text);
	c[AFPIPE_VALUE] = (struct afpipe_slice){ text, sizeof text };
	if (w != NULL) {
		(void)afpipe_write(w, c, NULL, 0, NULL);
		rc = afpipe_writer_end(w, reason, &e);
	}
	if (e.code != 0)
		print_error("end", NULL, &e);
	return rc;
}

/* The first call that fails tells it, and so does the end, whose mark cannot be written either. */
static int
write_broken(void)
{
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct afpipe_slice c[AFPIPE_COLUMNS] = { { "sample", 6 } };
	struct afpipe_writer *w;
	int fd[2], rc;

	(void)signal(SIGPIPE, SIG_IGN);
	if (pipe(fd) != 0 || (w = afpipe_writer_fd(fd[1], "libuse", "x", &e)) == NULL)
		return fail("no pipe");
	(void)close(fd[0]);
	if (afpipe_write(w, c, NULL, 0, &e) == AFPIPE_OK && afpipe_flush(w, &e) != 0)
		print_error("flush", NULL, &e);
	rc = afpipe_writer_end(w, NULL, &e);
	print_error("end", NULL, &e);
	(void)close(fd[1]);
	return rc;
}

/* ---- threads */

static const char *recording;

static void *
decode_often(void *ctx)
{
	struct job *j = (struct job *)ctx;
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	int i;

	for (i = 0; i < 3; i++) {
		memset(j, 0, sizeof *j);
		if (afpipe_perf_decode(recording, NULL, take, j, &e) != 0 || j->after)
			j->stopped = 1;
	}
	return NULL;
}

static void *
read_often(void *ctx)
{
	static const char text[] = "sample\t1\t0x1\tf\tcycles\t2\n";
	struct job *j = (struct job *)ctx;
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	const struct afpipe_line *line;
	int i;

	for (i = 0; i < 1000; i++) {
		struct afpipe_reader *r =
		    afpipe_reader_memory(text, sizeof text - 1, AFPIPE_NO_MARKS, &e);

		while (r != NULL && afpipe_read(r, &line, &e) == 1)
			j->lines++;
		afpipe_reader_free(r);
	}
	return NULL;
}

static int
threads(const char *name)
{
	struct job j[4];
	pthread_t t[4];
	int i;

	recording = name;
	memset(j, 0, sizeof j);
	for (i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, i < 2 ? decode_often : read_often, &j[i]) != 0)
			return fail("no thread");
	for (i = 0; i < 4; i++)
		(void)pthread_join(t[i], NULL);
	if (j[0].stopped || j[1].stopped)
		return fail("a thread could not decode");
	for (i = 0; i < 4; i++)
		printf("%" PRIu64 " lines, %" PRIu64 " bytes\n", j[i].lines, j[i].size);
	return 0;
}

/* ---- the locale; wrong calls */

static int
take_in_locale(void *user, const struct afpipe_line *line)
{
	char text[16];

	(void)snprintf(text, sizeof text, "%.1f", 1.5);
	if (strcmp(text, "1,5") != 0)
		((struct job *)user)->after = 1;
	return take(user, line);
}

static int
in_locale(const char *locale, const char *name)
{
	struct afpipe_error e = AFPIPE_ERROR_INIT;
	struct job j = { 0, 0, 0, 1, 0, 0 };
	double v;
	int rc;

	if (setlocale(LC_ALL, locale) == NULL)
		return fail("no such locale");
	rc = afpipe_perf_decode(name, NULL, take_in_locale, &j, &e);
	if (j.after || strcmp(setlocale(LC_ALL, NULL), locale) != 0)
		return fail("callbacks have another locale");
	if (!afpipe_get_double(bytes("1.5"), &v) || v < 1.4 || v > 1.6)
		return fail("1.5 is not read");
	if (afpipe_get_double(bytes("1,5"), &v))
		return fail("1,5 is read");
	return rc;
}

static int
misuse(const char *name)
{
	struct {
		struct afpipe_perf_options known;
		const char *later;
	} newer = { AFPIPE_PERF_OPTIONS_INIT, NULL };
	struct afpipe_perf_options *o = &newer.known;
	struct afpipe_error e = AFPIPE_ERROR_INIT, small = AFPIPE_ERROR_INIT;
	struct job j = { 0, 0, 0, 0, 0, 0 };
	int n = 0;

	o->size = sizeof newer;
	n += afpipe_perf_decode(name, o, take, &j, &e) != 0; /* nothing that is not known */
	newer.later = name;
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->size = 8;
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->size = sizeof *o;
	o->flags = 1u << 31;
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->flags = AFPIPE_PERF_NO_SYMBOLS | AFPIPE_PERF_LINES;
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->flags = AFPIPE_PERF_NO_SYMBOLS | AFPIPE_PERF_INLINE;
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->flags = 0;
	o->max_stack = 8001;
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->max_stack = 8000;
	o->run = "";
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_USAGE;
	o->run = "7";
	n += afpipe_perf_decode(name, o, take, &j, &e) != AFPIPE_OK;
	n += afpipe_perf_decode(name, NULL, NULL, &j, &e) != AFPIPE_USAGE;
	n += afpipe_perf_decode(NULL, NULL, take, &j, &e) != AFPIPE_USAGE;
	n += e.code != AFPIPE_USAGE || e.message[0] == '\0';
	n += afpipe_reader_memory("", 0, 4, &e) != NULL || e.code != AFPIPE_USAGE;
	n += afpipe_reader_memory("", 0, AFPIPE_NO_MARKS | AFPIPE_WHOLE, NULL) != NULL;
	n += afpipe_writer_fd(1, "", "source", &e) != NULL || e.code != AFPIPE_USAGE;
	n += afpipe_writer_fd(1, NULL, "source", &e) != NULL || e.code != AFPIPE_USAGE;
	n += afpipe_writer_fd(1, "producer", NULL, &e) != NULL || e.code != AFPIPE_USAGE;
	n += afpipe_writer_fd(1, "producer", "", &e) != NULL || e.code != AFPIPE_USAGE;
	small.size = 0; /* as if it had not been initialized: nothing is written to it */
	n += afpipe_perf_decode("/no such", NULL, take, &j, &small) != AFPIPE_SYSTEM;
	n += small.code != 0 || small.message[0] != '\0';
	n += afpipe_perf_decode_fd(-1, NULL, take, &j, NULL) != AFPIPE_SYSTEM;
	n += strcmp(afpipe_version(), AFPIPE_VERSION) != 0;
	n += try_long();
	return n == 0 ? 0 : fail("a wrong call succeeds, or a right one does not");
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned flags = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 0;

	if (strcmp(what, "decode") == 0 && argc > 2)
		return decode(argv[2], flags, argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
	if (strcmp(what, "read") == 0)
		return read_memory(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0);
	if (strcmp(what, "copy") == 0)
		return copy();
	if (strcmp(what, "write") == 0)
		return write_stream();
	if (strcmp(what, "ends") == 0)
		return write_part();
	if (strcmp(what, "long") == 0)
		return write_one(NULL);
	if (strcmp(what, "cut") == 0)
		return write_one("a reason");
	if (strcmp(what, "broken") == 0)
		return write_broken();
	if (strcmp(what, "threads") == 0 && argc > 2)
		return threads(argv[2]);
	if (strcmp(what, "locale") == 0 && argc > 3)
		return in_locale(argv[2], argv[3]);
	if (strcmp(what, "misuse") == 0 && argc > 2)
		return misuse(argv[2]);
	return fail("no such command");
}
