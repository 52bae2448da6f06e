/* SPDX-License-Identifier: ISC */
/* err.c - errors as values. */
#include "lib/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/mem.h"

#define WHAT_MAX ((size_t)300) /* bytes of a name in the message of a system failure */

/* Puts text into the room of the message from LEN on. */
static void
put(struct err *e, size_t len, const char *fmt, va_list ap)
{
	size_t room = sizeof e->msg - len;
	int n = vsnprintf(e->msg + len, room, fmt, ap);

	if (n >= 0 && (size_t)n >= room)
		memcpy(e->msg + sizeof e->msg - sizeof "...", "...", sizeof "...");
}

static void
fill(struct err *e, int code, enum err_place place, uint64_t pos, const char *fmt, va_list ap)
{
	if (e == NULL)
		return;
	e->code = code;
	e->errnum = 0;
	e->ceiling = false;
	e->alike = false;
	e->place = place;
	e->pos = pos;
	put(e, 0, fmt, ap);
}

int
err_data(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, ERR_DATA, ERR_NOWHERE, 0, fmt, ap);
	va_end(ap);
	return ERR_DATA;
}

int
err_byte(struct err *e, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, ERR_DATA, ERR_BYTE, offset, fmt, ap);
	va_end(ap);
	return ERR_DATA;
}

int
err_line(struct err *e, uint64_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, ERR_DATA, ERR_LINE, line, fmt, ap);
	va_end(ap);
	return ERR_DATA;
}

int
err_add(struct err *e, const char *fmt, ...)
{
	size_t len = strlen(e->msg);
	va_list ap;

	va_start(ap, fmt);
	put(e, len, fmt, ap);
	va_end(ap);
	return e->code;
}

void
err_at_byte(struct err *e, uint64_t offset)
{
	if (e->place != ERR_NOWHERE)
		return;
	e->place = ERR_BYTE;
	e->pos = offset;
}

int
err_at_line(struct err *e, uint64_t line)
{
	if (e->place == ERR_NOWHERE && e->code != ERR_SYS) {
		e->place = ERR_LINE;
		e->pos = line;
	}
	return e->code;
}

int
err_sys(struct err *e, int errnum, const char *what)
{
	if (e != NULL) {
		e->code = ERR_SYS;
		e->errnum = errnum;
		e->ceiling = false;
		e->alike = false;
		e->place = ERR_NOWHERE;
		e->pos = 0;
		(void)snprintf(e->msg, sizeof e->msg, "%.*s%s: %s", (int)WHAT_MAX, what,
		    strlen(what) > WHAT_MAX ? "..." : "", strerror(errnum));
	}
	return ERR_SYS;
}

int
err_nomem(struct err *e)
{
	uint64_t n = mem_ceiling();
	/* in the largest unit that says it exactly, unless that would be many digits */
	unsigned shift = n % 1048576 == 0 || n >> 34 != 0 ? 20 : n % 1024 == 0 ? 10 : 0;

	if (e == NULL)
		return ERR_SYS;
	*e = (struct err){ .code = ERR_SYS,
		.errnum = ENOMEM,
		.place = ERR_NOWHERE,
		.ceiling = mem_refused(),
		.msg = "out of memory" };
	if (e->ceiling)
		snprintf(e->msg, sizeof e->msg,
		    "it needs more memory than the %" PRIu64 " %s that --max-memory allows",
		    n >> shift,
		    shift == 0        ? "bytes"
			: shift == 10 ? "KiB"
				      : "MiB");
	return ERR_SYS;
}

int
err_stop(struct err *e)
{
	if (e != NULL)
		*e = (struct err){ .code = ERR_STOP, .msg = "interrupted" };
	return ERR_STOP;
}
