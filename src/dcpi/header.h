/* SPDX-License-Identifier: ISC */
/*
 * header.h - the lines of a profile's header: a word, blanks and a value.
 *
 * Known words are those of dcpiformat(4), section ASCII HEADER.  Lines with other words are kept
 * unchanged.
 */
#ifndef AFPIPE_DCPI_HEADER_H
#define AFPIPE_DCPI_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"

#define HEADER_MAX ((size_t)1024 * 1024) /* bytes of a whole header, however many lines it has */
#define HEADER_SHOWN_MAX 60 /* bytes of a word or a value in a message */
#define HEADER_SHOWN (HEADER_SHOWN_MAX * 4 + 1) /* size of these bytes, escaped and with a NUL */

enum header_word {
	WORD_VERSION, /* the first nine are required */
	WORD_IMAGE,
	WORD_EPOCH,
	WORD_PLATFORM,
	WORD_EVENT,
	WORD_PERIOD,
	WORD_TSTART,
	WORD_TSIZE,
	WORD_CPUSPEED,
	WORD_REQUIRED,
	WORD_CPUAMASK = WORD_REQUIRED,
	WORD_CPUIMPLV,
	WORD_CPUCOUNT,
	WORD_PATH,
	WORD_UNKNOWN
};

struct header_line {
	uint64_t number; /* number of the line in the file, from 1 */
	uint32_t word, wordlen, value, valuelen; /* in the header's text */
	enum header_word known;
};

/* { 0 } is an empty header. */
struct header {
	struct buf text; /* words and values, and values that were replaced */
	size_t unused; /* bytes of replaced values */
	struct header_line *line;
	size_t count, cap;
	size_t first[WORD_UNKNOWN]; /* by word: the index of its first line plus 1, or 0 */
};

/* Returns the number of bytes of words and values. */
static inline size_t
dcpi_header_size(const struct header *h)
{
	return h->text.len - h->unused;
}

void dcpi_header_free(struct header *h);
/* Replaces the value of line i. */
int dcpi_header_replace(struct header *h, size_t i, struct slice value, struct err *e)
    __attribute__((warn_unused_result));

void dcpi_header_clear(struct header *h);

struct slice dcpi_header_name(enum header_word word); /* returns the word itself */

/* Appends a line.  The word and the value have been checked by dcpi_header_split or the caller. */
int dcpi_header_add(struct header *h, struct slice word, struct slice value, uint64_t number,
    struct err *e) __attribute__((warn_unused_result));

static inline struct slice
dcpi_header_word(const struct header *h, size_t i)
{
	return (struct slice){ h->text.p + h->line[i].word, h->line[i].wordlen };
}

static inline struct slice
dcpi_header_value(const struct header *h, size_t i)
{
	return (struct slice){ h->text.p + h->line[i].value, h->line[i].valuelen };
}

/* Returns the first line with that word, or NULL. */
const struct header_line *dcpi_header_find(const struct header *h, enum header_word word);

/* Returns the value of that line, which is empty if there is no such line. */
struct slice dcpi_header_get(const struct header *h, enum header_word word);

/*
 * Splits a line without its newline: <word> <space>+ <rest_of_line>.  Returns ERR_DATA, with line
 * NUMBER as its place, if the line does not have this form.
 */
int dcpi_header_split(struct slice line, uint64_t number, struct slice *word, struct slice *value,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Returns whether a binary profile can begin with that word.  It cannot if it would be mistaken for
 * text, white space or another type of file.
 */
bool dcpi_header_begins(struct slice word);

/*
 * Cases that dcpiformat(4) leaves open or in which it contradicts itself.  They are reported or,
 * with strict, rejected.
 */
enum header_doubt {
	DOUBT_VERSION,
	DOUBT_EPOCH,
	DOUBT_TSTART,
	DOUBT_CR,
	DOUBT_NUL,
	DOUBT_ASCII,
	DOUBT_SECOND, /* a second period line */
	DOUBT_SIZE, /* outside the text */
	DOUBT_WRAP, /* past 2^64 */
	DOUBT_CRLF, /* of dcpicat's text */
	DOUBT_RATE,
	DOUBT_EVENT,
	DOUBT_NUMBER, /* the number of the word is added to this kind, which must be the last */
	DOUBTS_END = DOUBT_NUMBER + WORD_UNKNOWN /* at most 32, since they are bits */
};

struct header_doubts {
	/*
	 * Returns 0, or the code with which decoding ends.  Only one doubt of each kind is
	 * reported.
	 */
	int (*doubt)(void *ctx, unsigned kind, const struct err *e);
	void *ctx;
};

/*
 * Checks the value of line i according to its word, and that a required word is not repeated.
 * Returns ERR_DATA with the number of the line if one of these checks fails.
 */
int dcpi_header_check_line(const struct header *h, size_t i, const struct header_doubts *d,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Checks text, which may contain any bytes.  Bytes that are not ASCII, and a carriage return at the
 * end, are doubtful.
 */
int dcpi_header_check_text(struct slice value, const char *word, uint64_t number,
    const struct header_doubts *d, struct err *e) __attribute__((warn_unused_result));

/* Returns ERR_DATA if a value that is printed on each line has more than DCPI_ID_MAX bytes. */
int dcpi_header_check_length(struct slice value, const char *word, uint64_t number, struct err *e)
    __attribute__((warn_unused_result));

/* Checks that all required words are present.  Errors are reported at line LAST. */
int dcpi_header_check_whole(const struct header *h, uint64_t last, struct err *e)
    __attribute__((warn_unused_result));

/* Returns a hash of words and values, which is the run id. */
uint64_t dcpi_header_hash(const struct header *h);

/* Escapes and truncates s for messages.  dst has HEADER_SHOWN bytes. */
const char *dcpi_header_shown(char *dst, struct slice s);

#endif
