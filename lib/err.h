/* SPDX-License-Identifier: ISC */
/*
 * err.h - errors as values.
 *
 * A fallible call takes a struct err * and returns 0 or one of the codes below,
 * the same that it stores.  The text says what is wrong, without program name,
 * file name or place: whoever prints it adds these (lib/cli.h).
 */
#ifndef AFPIPE_ERR_H
#define AFPIPE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_DATA = 1, /* the input is damaged, refused or incomplete */
	ERR_SYS = 3, /* open, read, write or memory failed */
	ERR_STOP = 4, /* a signal asked to stop */
	ERR_DOUBT = 5, /* nothing is wrong for sure: worth a note, and an error with --strict */
};

enum err_place {
	ERR_NOWHERE, /* pos means nothing */
	ERR_BYTE, /* pos is a byte offset, printed as 0x1f40 */
	ERR_LINE, /* pos is a line number from 1 */
};

struct err {
	int code; /* enum err_code */
	enum err_place place;
	int errnum; /* of ERR_SYS, else 0 */
	bool ceiling; /* of ERR_SYS: no system failure, --max-memory does not allow it */
	uint64_t pos;
	char msg[256]; /* printable; bytes from outside are escaped in it */
};

/* Each fills e (unless it is NULL) and returns the code.  A message that does not fit is cut. */
int err_data(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_byte(struct err *e, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int err_line(struct err *e, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Gives the place to an error that has none. */
void err_at_byte(struct err *e, uint64_t offset);
/* The same; a failure of the system has no line.  Returns the error's code. */
int err_at_line(struct err *e, uint64_t line);

/* For system failures: the text of errnum follows WHAT and a colon. */
int err_sys(struct err *e, int errnum, const char *what);

/* No memory: names the ceiling where that is what the last allocation ran into (lib/mem.h). */
int err_nomem(struct err *e);

/* "interrupted": where sig_stop says so. */
int err_stop(struct err *e);

#endif
