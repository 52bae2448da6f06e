/* SPDX-License-Identifier: ISC */
/* cli.c - what every filter says on standard error and how it exits. */
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
#include "lib/sig.h"

#define MESSAGES_MAX 20
#define NOTE_MAX 8192 /* a path and some words */

/*
 * A descriptor that is closed is taken, in a way that using it fails, so that no
 * file that is opened later is mistaken for it.
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

int
cli_option(struct cli *c, int argc, char *const *argv, const char *shorts,
    const struct option *longs)
{
	int opt = getopt_long(argc, argv, shorts, longs, NULL);

	switch (opt) {
	case 'h': end_with_text(c, "%s", c->usage);
	case 'V': end_with_text(c, "%s (afpipe) %s\n", c->name, AFPIPE_VERSION);
	case ':': cli_usage(c, "option %s needs an argument", typed(argc, argv));
	case '?': cli_usage(c, "no such option: %s", typed(argc, argv));
	}
	return opt;
}

/* Names of files may come from outside: they forge neither a line nor a control sequence. */
static void
put_text(const char *s)
{
	struct buf text = { 0 };

	if (esc_append(&text, s, strlen(s), ESC_MESSAGE))
		(void)fwrite(text.p, 1, text.len, stderr);
	buf_free(&text);
}

void
cli_error(struct cli *c, const char *file, const struct err *e)
{
	int status = e->code == ERR_SYS && !e->ceiling ? CLI_SYS : CLI_DATA;

	if (status > c->status)
		c->status = status;
	if (c->said++ >= MESSAGES_MAX)
		return;
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
cli_note(struct cli *c, const char *fmt, ...)
{
	char text[NOTE_MAX];
	va_list ap;

	if (c->noted++ >= MESSAGES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s: ", c->name);
	put_text(text);
	fputc('\n', stderr);
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

void
cli_stream_open(struct cli *c, struct evwrite *w, struct evread *r)
{
	struct err e;

	if (r == NULL || !evw_open(w, STDOUT_FILENO, c->name)) {
		err_nomem(&e);
		cli_die(c, &e);
	}
	evread_set_idle(r, &w->out);
	evw_mark_open(w, evread_source(r));
}

void
cli_stream_end(struct cli *c, struct evwrite *w, const struct evread *r)
{
	struct err e;

	w->lost = evread_lost(r);
	w->late = evread_late(r);
	if (w->omitted != 0)
		cli_note(c, "tags left out of lines that would be longer than 16 MiB: %llu",
		    (unsigned long long)w->omitted);
	/* also one that came behind the last read: what it cut short is not known here */
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

int
cli_finish(struct cli *c, struct out *o)
{
	struct err e;

	if (c->said > MESSAGES_MAX)
		fprintf(stderr, "%s: and %u more messages\n", c->name, c->said - MESSAGES_MAX);
	if (c->noted > MESSAGES_MAX)
		fprintf(stderr, "%s: and %u more notes\n", c->name, c->noted - MESSAGES_MAX);
	if (out_flush(o) && close(STDOUT_FILENO) != 0)
		o->error = errno;
	if (o->error == EPIPE) {
		signal(SIGPIPE, SIG_DFL); /* it was ignored: die of it all the same */
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
