/* SPDX-License-Identifier: ISC */
/*
 * err.h - errors as values.
 *
 * A call that may fail takes a struct err * and returns 0 or one of the codes below, the same one
 * that it stores.  The message states what is wrong without program name, file name or place, which
 * lib/cli.h adds when it prints the message.
 */
#ifndef AFPIPE_ERR_H
#define AFPIPE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_DATA = 1, /* the input is damaged, rejected or incomplete */
	ERR_SYS = 3, /* open, read, write or memory failed */
	ERR_STOP = 4, /* a signal asked to stop */
	ERR_DOUBT = 5, /* not certainly wrong: reported, but an error only with --strict */
};

enum err_place {
	ERR_NOWHERE, /* pos is not used */
	ERR_BYTE, /* pos is a byte offset, printed as 0x1f40 */
	ERR_LINE, /* pos is a line number from 1 */
};

/* Room for a message. */
#define ERR_TEXT 512

struct err {
	int code; /* enum err_code */
	enum err_place place;
	int errnum; /* for ERR_SYS, else 0 */
	bool ceiling; /* for ERR_SYS: the limit of --max-memory, not a system failure */
	bool alike; /* for ERR_DATA: the first is reported, and any others are only counted */
	uint64_t pos;
	char msg[ERR_TEXT]; /* printable; bytes from the input are escaped */
};

/*
 * Each fills e (unless it is NULL) and returns the code.  A message that is too long is cut, and
 * ends in "...".
 */
int err_data(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_byte(struct err *e, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int err_line(struct err *e, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds to the message of an error, as far as there is room.  Returns the error's code. */
int err_add(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the place to an error that has none. */
void err_at_byte(struct err *e, uint64_t offset);
/* Does the same, but an ERR_SYS gets no line.  Returns the error's code. */
int err_at_line(struct err *e, uint64_t line);

/* For system failures.  The message is WHAT, which may be cut, a colon and the text of errnum. */
int err_sys(struct err *e, int errnum, const char *what);

/*
 * For lack of memory.  The message mentions --max-memory if the last allocation exceeded it
 * (lib/mem.h).
 */
int err_nomem(struct err *e);

/* Stores "interrupted".  For use when sig_stop is true. */
int err_stop(struct err *e);

#endif
