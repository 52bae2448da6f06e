/* SPDX-License-Identifier: ISC */
/*
 * afpipe.h - the public interface of libafpipe: streams of profile events, afstream(5), and
 * perf.data decoded to their lines.  libafpipe(3) describes it.
 *
 * The library never prints, exits, or changes signals, the locale or what the process may do.
 * Errors are values.  Threads may use different handles at the same time.
 */
#ifndef AFPIPE_H
#define AFPIPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AFPIPE_API __attribute__((visibility("default")))
#else
#define AFPIPE_API
#endif

/* The version that the program was compiled with; and that of the library that it runs with. */
#define AFPIPE_VERSION "0.1.0"
#define AFPIPE_VERSION_NUMBER 100 /* 10000 * major + 100 * minor + patch */

AFPIPE_API const char *afpipe_version(void);

/* Borrowed bytes: a pointer and a length, without a NUL at the end. */
struct afpipe_slice {
	const char *p;
	size_t len;
};

/* ---- errors */

enum afpipe_code {
	AFPIPE_OK = 0,
	AFPIPE_DATA = 1, /* the input is damaged, rejected or incomplete */
	AFPIPE_USAGE = 2, /* the call itself is wrong; nothing was done */
	AFPIPE_SYSTEM = 3, /* open, read, write or memory failed */
	AFPIPE_STOPPED = 4, /* a callback asked to stop */
	AFPIPE_DOUBT = 5 /* not certainly wrong: nothing was left out */
};

enum afpipe_place {
	AFPIPE_NOWHERE, /* position is not used */
	AFPIPE_AT_BYTE, /* position is an offset */
	AFPIPE_AT_LINE /* position is a line's number, from 1 */
};

/* Begin with AFPIPE_ERROR_INIT.  Wherever a function takes an error, it may be NULL. */
struct afpipe_error {
	size_t size; /* of this struct, as the program knows it */
	int code; /* enum afpipe_code */
	int place; /* enum afpipe_place */
	int errnum; /* an errno for AFPIPE_SYSTEM, or else 0 */
	uint64_t position;
	char message[512]; /* one line of printable text, without a file name */
};

/* clang-format off */
#define AFPIPE_ERROR_INIT \
	{ sizeof(struct afpipe_error), AFPIPE_OK, AFPIPE_NOWHERE, 0, 0, { 0 } }
/* clang-format on */

/* ---- lines */

enum afpipe_column {
	AFPIPE_KIND,
	AFPIPE_TIME,
	AFPIPE_RUN,
	AFPIPE_REGION,
	AFPIPE_MEASURE,
	AFPIPE_VALUE,
	AFPIPE_COLUMNS
};

/*
 * A line, in its escaped form.  Each text has only one escaped form, so these can be compared.
 * Later versions may add members at the end of those that the library makes.
 */
struct afpipe_line {
	uint64_t number; /* from 1 */
	struct afpipe_slice text; /* all of it, without the line break */
	struct afpipe_slice column[AFPIPE_COLUMNS]; /* never empty; "." is nothing */
	struct afpipe_slice tags; /* all tags, separated by TABs; may be empty */
};

struct afpipe_tag {
	struct afpipe_slice key, value;
};

/* Finds the first tag with that key, given in escaped form.  Returns 1, or 0 if there is none. */
AFPIPE_API int afpipe_find_tag(const struct afpipe_line *line, const char *key,
    struct afpipe_slice *value);

/*
 * Removes the next tag from *rest, which is line->tags at first.  Returns 1, or 0 at the end.  A
 * tag without '=' has an empty key.
 */
AFPIPE_API int afpipe_next_tag(struct afpipe_slice *rest, struct afpipe_tag *tag);

/*
 * Removes the next element from a list, such as the value of the tag stack.  Returns 1, or 0 at the
 * end.
 */
AFPIPE_API int afpipe_next_element(struct afpipe_slice *rest, struct afpipe_slice *element);

/*
 * Stores the bytes that a column, a tag's value or an element means, and returns how many; "." is
 * none.  room has text.len bytes.  Returns (size_t)-1 if the text is not escaped correctly.
 */
AFPIPE_API size_t afpipe_unescape(char *room, struct afpipe_slice text);

/*
 * Convert a number.  Return 1, or 0 if the text is not such a number: of an unsigned integer, also
 * if it has more than 64 bits.  A double is the nearest one to the text.
 */
AFPIPE_API int afpipe_get_u64(struct afpipe_slice text, uint64_t *value);
AFPIPE_API int afpipe_get_double(struct afpipe_slice text, double *value);

/* ---- reading a stream */

struct afpipe_reader;

enum afpipe_reader_flags {
	AFPIPE_NO_MARKS = 1, /* take the stream as complete, whatever its marks say */
	AFPIPE_WHOLE = 2 /* check that each part of the stream has all its lines */
};

/*
 * Reads a descriptor from where it is, or the n bytes at p.  Neither is closed or freed, and both
 * must stay until afpipe_reader_free.  Returns NULL for an error.
 */
AFPIPE_API struct afpipe_reader *afpipe_reader_fd(int fd, unsigned flags,
    struct afpipe_error *error);
AFPIPE_API struct afpipe_reader *afpipe_reader_memory(const void *p, size_t n, unsigned flags,
    struct afpipe_error *error);

/*
 * Returns 1 if *line is the next line, valid until the next call, and 0 at the end.  Returns -1 for
 * an error: the next call continues after what is wrong.  Only a stream without any error (but
 * AFPIPE_DOUBT) was complete.
 */
AFPIPE_API int afpipe_read(struct afpipe_reader *r, const struct afpipe_line **line,
    struct afpipe_error *error);

/*
 * Returns what the end marks so far counted, by its name in afstream(5), such as "lost"; 0 for an
 * unknown name.
 */
AFPIPE_API uint64_t afpipe_count(const struct afpipe_reader *r, const char *name);

AFPIPE_API void afpipe_reader_free(struct afpipe_reader *r); /* r may be NULL */

/* ---- writing a stream */

struct afpipe_writer;

/*
 * Writes the opening mark of a stream: the name of the program, and what it reads.  The descriptor
 * is not closed.  Returns NULL for an error.
 */
AFPIPE_API struct afpipe_writer *afpipe_writer_fd(int fd, const char *producer, const char *source,
    struct afpipe_error *error);

/*
 * Writes a line from bytes that are not escaped.  An empty column or value means nothing; only the
 * kind and the keys are never empty, and have no characters that would be escaped.  The time is
 * decimal.  Tags that would make the line too long are left out, and named in the tag omitted.
 * Returns 0 or a code.
 */
AFPIPE_API int afpipe_write(struct afpipe_writer *w,
    const struct afpipe_slice column[AFPIPE_COLUMNS], const struct afpipe_tag *tags, size_t ntags,
    struct afpipe_error *error);

/*
 * Writes a line from columns and tags that are escaped already, such as those of another line.
 * Its number and text are not used.  Returns 0 or a code.
 */
AFPIPE_API int afpipe_write_line(struct afpipe_writer *w, const struct afpipe_line *line,
    struct afpipe_error *error);

/*
 * Adds what the end marks that r has read so far counted to the end mark of w, so that later
 * readers learn of it.
 */
AFPIPE_API void afpipe_pass_counts(struct afpipe_writer *w, const struct afpipe_reader *r);

/* Writes all lines so far to the descriptor.  Returns 0 or a code. */
AFPIPE_API int afpipe_flush(struct afpipe_writer *w, struct afpipe_error *error);

/*
 * Writes the end mark and frees w, even for an error.  The stream is complete if reason is NULL.
 * Otherwise readers will report it as incomplete, for that reason.  Returns 0 only if all has been
 * written.
 */
AFPIPE_API int afpipe_writer_end(struct afpipe_writer *w, const char *reason,
    struct afpipe_error *error);

/* ---- decoding perf.data */

enum afpipe_perf_flags {
	AFPIPE_PERF_ALL = 1, /* lines for every record, as by perfdec --all */
	AFPIPE_PERF_FRAMES = 2, /* the tag frames: the place of each frame */
	AFPIPE_PERF_NO_SYMBOLS = 4, /* look up no symbols in files; implies AFPIPE_PERF_FRAMES */
	AFPIPE_PERF_NO_UNWIND = 8, /* do not look for callers in copies of stacks */
	AFPIPE_PERF_NO_DEMANGLE = 16, /* leave names of C++, Rust and D functions as they are */
	AFPIPE_PERF_INLINE = 32, /* add the functions that the compiler inlined */
	AFPIPE_PERF_LINES = 64, /* add lines of source */
	AFPIPE_PERF_FORCE = 128, /* use object files that may not be the recorded ones */
	AFPIPE_PERF_WALL = 256, /* times of day, in nanoseconds since 1970 */
	AFPIPE_PERF_NO_SPOOL = 512 /* read a pipe in one pass, without the names at its end */
};

/* Begin with AFPIPE_PERF_OPTIONS_INIT.  The texts are borrowed for the call. */
struct afpipe_perf_options {
	size_t size; /* of this struct, as the program knows it */
	unsigned flags; /* enum afpipe_perf_flags */
	unsigned max_stack; /* the most frames of an unwound stack; 0: as perfdec */
	const char *run; /* the run id; NULL: derived from the recording */
	const char *symfs; /* look for object files below this directory, or NULL */
	const char *buildid_dir; /* a cache of object files by build id; NULL: as perfdec */
	const char *debug_dir; /* debug files; NULL: /usr/lib/debug */
	const char *kallsyms; /* a file with the kernel's symbols, or NULL */
	/*
	 * Receives each error and doubt in the input.  Decoding continues if it can.  file is a
	 * file of a recording that is a directory, or NULL.
	 */
	void (*report)(void *user, const char *file, const struct afpipe_error *error);
	/* Receives what perfdec tells a user besides: lost events, objects without symbols. */
	void (*note)(void *user, const char *text);
};

/* clang-format off */
#define AFPIPE_PERF_OPTIONS_INIT \
	{ sizeof(struct afpipe_perf_options), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }
/* clang-format on */

/* Receives a line, which is valid during the call.  If it does not return 0, decoding stops. */
typedef int afpipe_line_sink(void *user, const struct afpipe_line *line);

/*
 * Decodes a recording: a file or a directory made by perf record --threads.  The lines are those of
 * perfdec(1), in the same order, without marks.  options may be NULL.  user is passed on to all
 * callbacks.  Returns 0 if everything was read, AFPIPE_STOPPED if take asked for it, and otherwise
 * the code of the first error that matters, which is in *error.  AFPIPE_DATA means that all
 * readable parts were read.
 */
AFPIPE_API int afpipe_perf_decode(const char *path, const struct afpipe_perf_options *options,
    afpipe_line_sink *take, void *user, struct afpipe_error *error);

/* Does the same with a descriptor, a pipe or a file at its beginning, which is not closed. */
AFPIPE_API int afpipe_perf_decode_fd(int fd, const struct afpipe_perf_options *options,
    afpipe_line_sink *take, void *user, struct afpipe_error *error);

#ifdef __cplusplus
}
#endif

#endif
