/* SPDX-License-Identifier: ISC */
/* cli.c - the messages of every filter on standard error, and its exit status. */
#include "lib/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/sig.h"

#define MESSAGES_MAX 20
#define TEXT_PIECE ((size_t)1024)
#define NOTE_MAX 8192 /* a path and some words */

/*
 * A closed descriptor is occupied in a way that makes its use fail, so that no
 * file opened later is mistaken for it.
 */
static void
guard_descriptors(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

void
cli_open(struct cli *c, const char *argv0, const char *usage)
{
	const char *slash = argv0 == NULL ? NULL : strrchr(argv0, '/');

	*c = (struct cli){ .usage = usage };
	mem_set_ceiling(mem_default_ceiling());
	c->name = slash != NULL ? slash + 1 : argv0 != NULL ? argv0 : "afpipe";
	guard_descriptors();
	sig_install();
	opterr = 0;
}

static _Noreturn void
end_with_text(struct cli *c, const char *fmt, ...)
{
	struct out o;
	char text[8192];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0 || !out_open(&o, STDOUT_FILENO))
		exit(CLI_SYS);
	out_put(&o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
	exit(cli_finish(c, &o));
}

_Noreturn void
cli_usage(const struct cli *c, const char *fmt, ...)
{
	const char *eol = strchr(c->usage, '\n');
	va_list ap;

	fprintf(stderr, "%s: ", c->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n%.*s\n", eol == NULL ? (int)strlen(c->usage) : (int)(eol - c->usage),
	    c->usage);
	exit(CLI_USAGE);
}

/* The option as it was typed, for a message. */
static const char *
typed(int argc, char *const *argv)
{
	return optind > 0 && optind <= argc ? argv[optind - 1] : "?";
}

/* A number of bytes, optionally with K, M, G or T for a power of 1024. */
static uint64_t
memory_size(const struct cli *c, const char *text)
{
	static const char units[] = "KMGT";
	size_t n = strspn(text, "0123456789");
	const char *unit = text[n] == '\0' ? NULL : strchr(units, text[n]);
	unsigned shift = unit == NULL ? 0 : 10 * (unsigned)(unit - units + 1);
	uint64_t v;

	if (!num_get_u64((struct slice){ text, n }, &v) || v == 0 || v > UINT64_MAX >> shift ||
	    strlen(text) != n + (unit != NULL))
		cli_usage(c, "--max-memory: not a size such as 500M or 2G: %s", text);
	return v << shift;
}

/* False for an option that is the filter's own. */
static bool
take_common(struct cli *c, int opt)
{
	switch (opt) {
	case 'h': end_with_text(c, "%s", c->usage);
	case 'V': end_with_text(c, "%s (afpipe) %s\n", c->name, AFPIPE_VERSION);
	case CLI_NO_MARKS: c->read |= EVREAD_NO_MARKS; break;
	case CLI_WHOLE: c->read |= EVREAD_WHOLE; break;
	case CLI_STRICT: c->strict = true; break;
	case CLI_MAX_MEMORY: mem_set_ceiling(memory_size(c, optarg)); break;
	default: return false;
	}
	if ((c->read & EVREAD_NO_MARKS) != 0 && (c->read & EVREAD_WHOLE) != 0)
		cli_usage(c, "--whole cannot be with --no-marks");
	return true;
}

int
cli_option(struct cli *c, int argc, char *const *argv, const char *shorts,
    const struct option *longs)
{
	int opt;

	do
		opt = getopt_long(argc, argv, shorts, longs, NULL);
	while (take_common(c, opt));
	switch (opt) {
	case ':': cli_usage(c, "option %s needs an argument", typed(argc, argv));
	case '?': cli_usage(c, "no such option: %s", typed(argc, argv));
	}
	return opt;
}

/*
 * File names may come from outside, so they are escaped: they cannot forge a line or a control
 * sequence.  Nothing is allocated, because allocation may be what failed.
 */
static void
put_text(const char *s)
{
	char text[4 * TEXT_PIECE + 1];
	size_t left = strlen(s), n, back;

	for (; left != 0; s += n, left -= n) {
		n = left < TEXT_PIECE ? left : TEXT_PIECE;
		for (back = 0; n < left && back < 3 && (s[n - back] & 0xc0) == 0x80;)
			back++; /* to the first byte of a character */
		n -= back;
		(void)fwrite(text, 1, esc_write(text, s, n, ESC_MESSAGE), stderr);
	}
}

static void
put_message(const struct cli *c, const char *file, const struct err *e)
{
	fprintf(stderr, "%s: ", c->name);
	if (file != NULL)
		put_text(file);
	if (e->place == ERR_BYTE)
		fprintf(stderr, "%s0x%" PRIx64 ": ", file != NULL ? ": " : "", e->pos);
	else if (e->place == ERR_LINE)
		fprintf(stderr, ":%" PRIu64 ": ", e->pos);
	else if (file != NULL)
		fputs(": ", stderr);
	fprintf(stderr, "%s\n", e->msg);
}

void
cli_error(struct cli *c, const char *file, const struct err *e)
{
	int status = e->code == ERR_SYS && !e->ceiling ? CLI_SYS : CLI_DATA;
	bool doubt = e->code == ERR_DOUBT && !c->strict;
	unsigned *count = doubt ? &c->noted : &c->said;

	if (!doubt && status > c->status)
		c->status = status;
	if ((*count)++ < MESSAGES_MAX)
		put_message(c, file, e);
}

static void
put_note(struct cli *c, unsigned *count, const char *fmt, va_list ap)
{
	char text[NOTE_MAX];

	if ((*count)++ >= MESSAGES_MAX)
		return;
	vsnprintf(text, sizeof text, fmt, ap);
	fprintf(stderr, "%s: ", c->name);
	put_text(text);
	fputc('\n', stderr);
}

void
cli_note(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_note(c, &c->noted, fmt, ap);
	va_end(ap);
}

void
cli_doubt(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	if (c->strict && c->status < CLI_DATA)
		c->status = CLI_DATA;
	va_start(ap, fmt);
	put_note(c, c->strict ? &c->said : &c->noted, fmt, ap);
	va_end(ap);
}

_Noreturn void
cli_die(struct cli *c, const struct err *e)
{
	cli_error(c, NULL, e);
	exit(c->status);
}

bool
cli_next(struct cli *c, struct evread *r, const struct evwrite *w, struct ev *ev)
{
	struct err e;
	int rc;

	while ((rc = evread_next(r, ev, &e)) < 0)
		cli_error(c, evread_name(r), &e);
	return rc > 0 && (w == NULL || !evw_failed(w));
}

static _Noreturn void
die_of_memory(struct cli *c)
{
	struct err e;

	err_nomem(&e);
	cli_die(c, &e);
}

static void
open_writer(struct cli *c, struct evwrite *w)
{
	if (!evw_open(w, STDOUT_FILENO, c->name))
		die_of_memory(c);
}

void
cli_stream_open(struct cli *c, struct evwrite *w, struct evread *r)
{
	if (r == NULL)
		die_of_memory(c);
	open_writer(c, w);
	evread_set_idle(r, &w->out);
	evw_mark_open(w, evread_source(r));
}

static void
report_count(struct cli *c, enum mark_count which, uint64_t n)
{
	const struct mark_word *w = &mark_words[which];

	if (w->doubt)
		cli_doubt(c, "%s: %" PRIu64, w->text, n);
	else
		cli_note(c, "%s: %" PRIu64, w->text, n);
}

void
cli_reader_end(struct cli *c, const struct evread *r)
{
	enum mark_count i;
	uint64_t n;

	for (i = 0; i < MARK_COUNTS; i++)
		if ((n = evread_count(r, i)) != 0 && mark_words[i].text != NULL)
			report_count(c, i, n);
}

/* With --strict the doubts that the input's marks counted are errors; whoever counts reports. */
static void
judge_counts(struct cli *c, const struct evread *r)
{
	enum mark_count i;

	for (i = 0; c->strict && i < MARK_COUNTS; i++)
		if (evread_count(r, i) != 0 && mark_words[i].doubt)
			report_count(c, i, evread_count(r, i));
}

static void
note_omitted(struct cli *c, const struct evwrite *w)
{
	if (w->omitted != 0)
		cli_note(c, "tags left out of lines that would be longer than 16 MiB: %llu",
		    (unsigned long long)w->omitted);
}

/* Lines are missing because memory ran out: this is reported, and an end mark can follow. */
static bool
ran_out(struct cli *c, const char *file, struct evwrite *w)
{
	struct err e;

	if (!evw_recover(w))
		return false;
	err_nomem(&e);
	cli_error(c, file, &e);
	return true;
}

void
cli_stream_end(struct cli *c, struct evwrite *w, const struct evread *r)
{
	struct err e;
	enum mark_count i;

	(void)ran_out(c, NULL, w);
	for (i = 0; i < MARK_COUNTS; i++)
		w->count[i] += evread_count(r, i);
	judge_counts(c, r);
	w->count[MARK_TWICE] += evread_twice(r);
	note_omitted(c, w);
	/* also one that came after the last read: what it cut short is not known here */
	if (sig_stop() && c->status == CLI_OK) {
		err_stop(&e);
		cli_error(c, NULL, &e);
	}
	if (sig_stop())
		evw_mark_end(w, false, "interrupted");
	else if (c->status != CLI_OK)
		evw_mark_end(w, false, "input incomplete or refused");
	else
		evw_mark_end(w, true, NULL);
}

static void
reported(void *cli, const char *file, const struct err *e)
{
	struct cli *c = cli;

	cli_error(c, file != NULL ? file : c->operand, e);
}

static void
noted(void *cli, const char *text)
{
	struct cli *c = cli;

	cli_doubt(c, "%s: %s", c->operand, text);
}

struct reporter
cli_reporter(struct cli *c)
{
	return (struct reporter){ reported, noted, c };
}

static int
decode_operand(struct cli *c, struct evwrite *w, const char *name, cli_decoder *decode,
    const void *opt)
{
	struct err e = { .code = ERR_NONE };
	int rc;

	c->operand = name;
	rc = decode(opt, name, w, &e);
	if (rc != 0 && rc != ERR_STOP && e.msg[0] != '\0')
		cli_error(c, name, &e);
	if (ran_out(c, name, w))
		rc = ERR_SYS;
	if (rc == ERR_STOP) {
		err_stop(&e);
		cli_error(c, name, &e);
	}
	return rc;
}

/* One operand between its marks. */
static void
decode_marked(struct cli *c, struct evwrite *w, const char *name, cli_decoder *decode,
    const void *opt)
{
	unsigned said = c->said;
	int rc;

	evw_mark_open(w, name);
	rc = decode_operand(c, w, name, decode, opt);
	evw_mark_end(w, rc == 0 && c->said == said,
	    rc == ERR_STOP        ? "interrupted"
		: rc == ERR_SYS   ? "failed"
		: rc == ERR_DATA  ? "damaged"
		: c->said != said ? "input incomplete or refused"
				  : NULL);
}

void
cli_decode(struct cli *c, struct evwrite *w, char *const *names, size_t n, cli_decoder *decode,
    const void *opt)
{
	size_t i;

	open_writer(c, w);
	if (n == 0)
		decode_marked(c, w, "-", decode, opt);
	for (i = 0; i < n && !evw_failed(w) && !sig_stop(); i++)
		decode_marked(c, w, names[i], decode, opt);
	note_omitted(c, w);
}

void
cli_check(struct cli *c, struct evwrite *w, char *const *names, size_t n, cli_decoder *decode,
    const void *opt)
{
	size_t i;

	open_writer(c, w);
	if (n == 0)
		(void)decode_operand(c, w, "-", decode, opt);
	for (i = 0; i < n && !sig_stop(); i++)
		(void)decode_operand(c, w, names[i], decode, opt);
}

int
cli_end(struct cli *c)
{
	if (c->said > MESSAGES_MAX)
		fprintf(stderr, "%s: and %u more messages\n", c->name, c->said - MESSAGES_MAX);
	if (c->noted > MESSAGES_MAX)
		fprintf(stderr, "%s: and %u more notes\n", c->name, c->noted - MESSAGES_MAX);
	return c->status;
}

int
cli_finish(struct cli *c, struct out *o)
{
	struct err e;

	(void)cli_end(c);
	if (out_flush(o) && close(STDOUT_FILENO) != 0)
		o->error = errno;
	if (o->error == EPIPE) {
		signal(SIGPIPE, SIG_DFL); /* it was ignored: end by it all the same */
		raise(SIGPIPE);
	}
	if (o->error != 0) {
		if (o->error == ENOMEM)
			err_nomem(&e);
		else
			err_sys(&e, o->error, "standard output");
		c->said = 0;
		cli_error(c, NULL, &e);
	}
	out_free(o);
	return c->status;
}
