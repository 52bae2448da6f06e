/* SPDX-License-Identifier: ISC */
/*
 * cli.h - the framework of every filter: options, main loop, messages and exit status.
 *
 * Only filters link this: src and lib neither print nor exit.
 */
#ifndef AFPIPE_CLI_H
#define AFPIPE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/guess.h"
#include "lib/kinds.h"
#include "lib/out.h"
#include "lib/progress.h"
#include "lib/report.h"
#include "lib/tab.h"

#define AFPIPE_VERSION "0.1.0"

enum cli_status {
	CLI_OK = 0, /* everything was read and written */
	CLI_DATA = 1, /* input damaged, rejected or incomplete; lines already written are valid */
	CLI_USAGE = 2,
	CLI_SYS = 3, /* open, read, write or memory failed */
};

/*
 * An option: how it is parsed, and how --help and completion show it.  A filter has a table of
 * options that ends with { 0 }.  An option whose name has a letter in the table of letters
 * (cli.c), which is the same for all programs, can also be given as -LETTER.
 */
struct cli_option {
	const char *name; /* without the dashes */
	const char *argument; /* the name of its argument in --help; NULL if it takes none */
	const char *text; /* its description, which --help breaks into lines: short, at best one */
	int id; /* returned by cli_next_option; above 0 and below CLI_COMMON */
	unsigned rules;
};

/*
 * Rules.  ONCE: the option may be given only once.  MOVED: the option no longer exists, and its
 * text names the replacement.  HIDDEN: it is for programs and not shown.  BRIEF: --help only names
 * it, so that it fits a screen.  LAST_OF: of the options in this group (1 to 15), the last one
 * applies.  ONE_OF: only one option of this group may be given.  FILES: cli_next_option puts its
 * argument into the list of files in struct cli and does not return it; one row at most.  It can be
 * repeated, and if the words after its argument end with "--", they are further arguments.
 * Otherwise the shell may have made several words of a pattern that was meant as its argument, so
 * that more than one operand is refused if there is such a word.
 */
#define CLI_ONCE 0x10u
#define CLI_MOVED 0x20u
#define CLI_HIDDEN 0x40u
#define CLI_BRIEF 0x80u
#define CLI_FILES 0x100u
#define CLI_LAST_OF(group) ((unsigned)(group))
#define CLI_ONE_OF(group) ((unsigned)(group) | CLI_ONCE)

#define CLI_COMMON 0x7f00

/* A row for the table of a decoder.  cli_next_option handles it. */
#define CLI_TAGS 0x7e00
#define CLI_TAGS_OPTION \
	{ \
		"tags", "TAG,...", "write only these tags of events, or none", CLI_TAGS, 0 \
	}

#define CLI_TAG 0x7e02
#define CLI_TAG_OPTION \
	{ \
		"tag", "KEY=VALUE", "add this tag to each event", CLI_TAG, 0 \
	}

/* A row for programs that call cli_sandbox; decoders do.  cli_next_option handles it. */
#define CLI_NO_SANDBOX 0x7e01
#define CLI_NO_SANDBOX_OPTION \
	{ \
		"no-sandbox", NULL, "keep the right to start programs, connect, change files", \
		    CLI_NO_SANDBOX, 0 \
	}

/* The options that all filters of a kind have; cli_next_option handles them itself. */
enum cli_kind {
	CLI_DECODER, /* --strict --max-memory --no-progress --help --version, and --list-options */
	CLI_READER, /* the above, --no-marks and --whole */
};

/* The command line and the --help of a filter. */
struct cli_program {
	const char *operands; /* the operands in the synopsis, after the options */
	const char *about; /* lines of text, each with its newline */
	const char *example; /* a command line that works, for --help */
	const struct cli_option *options;
	enum cli_kind kind;
	const struct cli_option *functions; /* NULL, or the words allowed as first operand */
	enum guess_form reads; /* of a decoder: the format */
	unsigned needs; /* in the sandbox: see lib/sandbox.h */
	/* NULL, or the file that is read instead of a terminal if there is no operand */
	const char *usual;
	/*
	 * NULL, or returns the Ith word that the argument of an option can be or contain, or NULL
	 * after the last one.  For completion, which knows kinds, and words in ARGUMENT, by itself.
	 */
	const char *(*word)(int id, size_t i);
};

/* The state of a program: the settings from the command line, and the worst status so far. */
struct cli {
	const char *name; /* the program's, for messages */
	const struct cli_program *program;
	int status;
	unsigned said, noted; /* errors and notes so far, limited separately */
	struct err first; /* the first error, if said is not 0 */
	char *const *operands; /* available after the options have been read */
	size_t noperands;
	char *usual; /* the operand if none was given; see struct cli_program */
	const char *repeated; /* an operand of cli_read that is the same file as an earlier one */
	const char *repeated_other; /* likewise a name of cli_read_other */
	struct tab others; /* the files of cli_read_other */
	uint64_t seen; /* bit N is set if the option in row N of the table was given */
	const struct cli_option *option; /* the one that cli_next_option has returned */
	const struct cli_option *of_files; /* the option of files; NULL: not given */
	char **file; /* its arguments */
	size_t files, files_cap;
	const char *unsure; /* the first word after those that may be one; NULL: none */
	struct evread *reader; /* reads the operands, set by cli_read */
	const struct cli_encoder *encoder; /* that of cli_encode */
	uint64_t large; /* number of resources left out for it */
	const char *operand; /* the operand being decoded, for messages; NULL after the last one */
	unsigned read; /* enum evread_flags, as requested by options */
	const struct evread_interim *interim; /* set by programs that want interim results */
	bool strict; /* --strict: doubts are errors */
	/* Set before cli_read or cli_encode; NULL: not wanted.  See evread_set_hashed. */
	evread_hashed *hashed;
	void *hashed_ctx;
	bool quiet; /* --no-progress */
	bool free; /* --no-sandbox */
	struct progress progress; /* cleared before each message */
	bool stopped; /* it has been reported that a signal asked to stop */
	bool parts; /* cli_is_part has reported a line */
	bool few; /* --tags was given */
	bool adds; /* lines of events get tags of --tag, or the program sets some in tags */
	struct buf added; /* the text of tags.added */
	struct evw_tags tags; /* those of --tags, and those that are added */
	struct tab tag_names; /* owns their names */
	struct tab required; /* the tags that the program reads (cli_require) */
	struct tab of_run; /* those of them that are a run line's (lib/ofrun.h) */
};

/*
 * Returns the Ith of the keys that most streams have, or NULL after the last one, for completion: a
 * word of struct cli_program.
 */
const char *cli_key_word(size_t i);

/*
 * Installs the signal handlers and keeps the standard descriptors from being reused.  Call it
 * first.
 */
void cli_open(struct cli *c, const char *argv0, const struct cli_program *program);

/*
 * Returns the id of the next option, with its argument in optarg.  Returns -1 at the end, when the
 * operands are in c.  Common options are handled here.  An option that breaks the rules of the
 * table ends the program.
 */
int cli_next_option(struct cli *c, int argc, char *const *argv);

/*
 * Returns the function that the first operand names, and removes that operand.  Any other first
 * operand ends the program.  In the table of functions a row without an id is a heading.
 */
const struct cli_option *cli_function(struct cli *c);

/*
 * Removes the first operand and returns it.  If there is none, ends the program with "which WHAT?".
 */
const char *cli_operand(struct cli *c, const char *what);

/* Returns true if the option with that id has been given so far. */
bool cli_has(const struct cli *c, int id);

/* Ends the program with "--A needs --B" if the option with the id A was given without that of B. */
void cli_needs(const struct cli *c, int a, int b);

/* Returns optarg as a number from MIN to MAX, or ends the program.  NAME is the option's name. */
uint64_t cli_number(const struct cli *c, const char *name, uint64_t min, uint64_t max);

/* Returns optarg, the WIDTH of fit.h, 0 or at least FIT_WIDTH_MIN, or ends the program. */
size_t cli_width(const struct cli *c);

/* Returns optarg, the id of --run, or ends the program if it is empty. */
const char *cli_run_id(const struct cli *c);

/*
 * Returns optarg, a duration such as 500ms, in nanoseconds, or ends the program if it is 0 or
 * shorter than that.
 */
uint64_t cli_duration(const struct cli *c, const char *name, unsigned min_ms);

/* Reports what is wrong with the command line and exits with CLI_USAGE. */
_Noreturn void cli_usage(const struct cli *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Prints "prog: FILE: PLACE: text" and sets the status for e.  FILE may be NULL.  A doubt does not
 * change the status unless --strict was given.  After 20 messages, further ones are only counted,
 * and cli_finish reports their number.  They still change the status.
 */
void cli_error(struct cli *c, const char *file, const struct err *e);

/* Prints "prog: text" and does not change the status. */
void cli_note(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints e as a note if its code is ERR_NONE, otherwise as an error. */
void cli_say(struct cli *c, const struct err *e);

/* Ends the program if setting --OPTION failed: rc is the result, and e describes it. */
void cli_check_setting(struct cli *c, const char *option, int rc, const struct err *e);

/* The same for all settings together, which may be impossible to combine. */
void cli_check_settings(struct cli *c, int rc, const struct err *e);

/* Report e, or lack of memory, and exit.  For failures before anything can be read or written. */
_Noreturn void cli_die(struct cli *c, const struct err *e);
_Noreturn void cli_die_of_memory(struct cli *c);

/*
 * Reads the next line of r, and reports and counts the errors before it.  Returns false at the end,
 * or at once if w is not NULL and has failed.
 */
bool cli_next(struct cli *c, struct evread *r, const struct evwrite *w, struct ev *ev);

/*
 * Says that the program reads that tag, before cli_read or cli_encode.  If a run line of the input
 * says that the decoder left it out (--tags), this is an error.  If it is a tag run.KEY, lines are
 * given it (lib/ofrun.h).  Exits if memory runs out.
 */
void cli_require(void *cli, struct slice tag); /* an ev_key_sink; ignores columns */

/* Does so for run.KEY alone: the other tags are read from lines that --tags leaves as they are. */
void cli_require_of_run(void *cli, struct slice tag);

/*
 * Takes KEY=VALUE: lines of events end with that tag.  An empty value, perhaps that of a variable
 * that is not set, is noted.  Exits if another program of the suite gives the key a meaning, or if
 * it was given before.  Rows with CLI_TAG_OPTION call it.
 */
void cli_take_tag(struct cli *c, const char *tag);
/* Returns true if lines of events have that tag: a decoder's command line names it, or no tags. */
bool cli_keeps(const struct cli *c, struct slice tag);
/* Exits if lines of events do not have the tag that the option writes. */
void cli_writes(struct cli *c, const char *option, const char *tag);

/*
 * Enters the sandbox (lib/sandbox.h) unless --no-sandbox or AFPIPE_SANDBOX=0 was given.  cli_decode
 * and cli_check do this themselves.  ALSO are needs beyond those of the program.
 */
void cli_sandbox(const struct cli *c, unsigned also);

/*
 * Opens the operands as a stream, which is then also in c->reader.  Exits if memory runs out.
 * That a file is given twice is reported at the end, by cli_stream_end or cli_report_counts.
 * This, cli_decode and cli_check end the program instead of reading a terminal, unless '-' asks for
 * it.
 */
struct evread *cli_read(struct cli *c);

/* Opens o on standard output.  Exits if memory runs out. */
void cli_write(struct cli *c, struct out *o);

/* The same for output that is binary: a terminal is refused, as a wrong command line. */
void cli_write_binary(struct cli *c, struct out *o);

/*
 * Opens a second stream, the N files of that name, with the same options.  The caller closes it.
 * The names are borrowed.  Exits if memory runs out.
 */
struct evread *cli_read_other(struct cli *c, char *const *name, size_t n);

/* Reports, as a doubt, the operands of cli_read that are files of cli_read_other, too. */
void cli_report_shared(struct cli *c);

/*
 * For filters from stream to stream: opens w on standard output and writes the opening mark.  r
 * must come from cli_read.
 */
void cli_stream_open(struct cli *c, struct evwrite *w, struct evread *r);

/*
 * Passes on the counts in r's marks: adds them to those of w's end mark.  Reports what is doubtful:
 * a file that r reads twice, and, with --strict, such counts.  SIDE is as for cli_report_counts.
 */
void cli_stream_counts(struct cli *c, struct evwrite *w, const struct evread *r, const char *side);

/*
 * Writes the end mark, which is partial if anything was wrong, after cli_stream_counts for r, the
 * stream of cli_read.
 */
void cli_stream_end(struct cli *c, struct evwrite *w, const struct evread *r);

/*
 * With --strict, reports a count of the input's marks, which is an error then if it is one of
 * doubtful data.  SIDE is as for cli_report_counts.  cli_stream_counts does this itself.
 */
void cli_judge_count(struct cli *c, const char *side, enum mark_count which, uint64_t n);

/* Processes the lines of a stream, from stream to stream. */
struct cli_lines {
	void *ctx;
	/* Handles one line of FILE.  A failure is reported; ERR_SYS ends the reading. */
	int (*line)(void *ctx, const char *file, const struct ev *ev, struct err *e);
	/* For cli_lines_twice: sees each line before LINE sees the first one.  Fails likewise. */
	int (*foresee)(void *ctx, const struct ev *ev, struct err *e);
	const char
	    *doubtful; /* for cli_lines_twice: what is wrong if the input changes meanwhile */
};

/*
 * Read r, from cli_read, once or twice (lib/twice.h), until w fails.  Errors in the input are
 * reported once.  Return false if the system failed, which has been reported, too.
 */
bool cli_lines(struct cli *c, struct evread *r, const struct evwrite *w, const struct cli_lines *x);
bool cli_lines_twice(struct cli *c, struct evread *r, const struct evwrite *w,
    const struct cli_lines *x);

/*
 * Returns true for a line of kind part.  The first one is reported as an error: a partial result is
 * not a result.
 */
bool cli_is_part(struct cli *c, const struct evread *r, const struct ev *ev);

/*
 * Converts the lines of a stream to something else.  end and note may be NULL.  Lines of kind part
 * are an error, since partial results are not results, unless takes_parts is set.
 */
struct cli_encoder {
	void *ctx;
	/*
	 * Handles one line.  A failure is reported, and e->code sets the exit status.  It may
	 * differ from the returned code, which only decides what happens next: after ERR_SYS or
	 * ERR_STOP no more lines are read, and END is not called.  So ERR_STOP means either that a
	 * signal asked to stop, or that there is no point in reading on, for example because the
	 * output cannot be completed.  After other codes the next line is read.
	 */
	int (*line)(void *ctx, const struct ev *ev, struct err *e);
	/*
	 * Called after the last line.  It is not called if there was no line and an error has been
	 * reported, as for empty input without marks.  As long as it sets *more, which is false
	 * before each call, it is called again.  Failures are reported.  After ERR_SYS it is not
	 * called again; ERR_STOP has no special meaning here.
	 */
	int (*end)(void *ctx, bool *more, struct err *e);
	/*
	 * Stores the next note for the user in text.  *at is 0 at the first call.  Returns false at
	 * the end.
	 */
	bool (*note)(void *ctx, size_t *at, char *text, size_t size);
	/*
	 * Called after the last line, before END, if the marks count the samples that lines of kind
	 * incomplete are about: cli_encode reports these, so a note on such lines repeats it.  May
	 * be NULL.
	 */
	void (*told)(void *ctx);
	bool takes_parts;
	bool leaves_large; /* large resources (ev_is_large_resource) are left out, and noted */
};

/*
 * For an output that itself says what is missing from it, in END: passes on the errors so far, as
 * one text, the notes, and the counts in the marks, until ADD fails.  Returns its failure.
 */
int cli_remark(struct cli *c, int (*add)(void *ctx, const char *text, struct err *e), struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reports the counts in the marks of r, for programs whose output no other program reads.  SIDE
 * begins the messages, and tells which input they are about if there are two; else it is "".
 * cli_encode does this itself.
 */
void cli_report_counts(struct cli *c, const struct evread *r, const char *side);

/* Notes which lines were left out, WHAT being that of kinds_left_note, and large resources. */
void cli_note_left(struct cli *c, const struct kinds_left *left, const char *what);

/*
 * Notes that the source lost events, so that results are too small, if there were LINES of kind
 * lost.  If the marks of c->reader have the number of events, cli_report_counts says it instead.
 */
void cli_note_lost(struct cli *c, uint64_t lines);

/*
 * Stores the next of these counts as a text, for an output that itself says what is missing from
 * it.  Start with *at = 0.  Returns false at the end.
 */
bool cli_next_count(const struct evread *r, size_t *at, char *text, size_t size);

/*
 * Does the same for the errors so far: stores how many there were, and the first one.  Returns
 * false if there was none.
 */
#define CLI_DAMAGE_MAX (ERR_TEXT + 128) /* room for the text */
bool cli_is_damaged(const struct cli *c, char *text, size_t size);

/*
 * The main loop of an encoder, which writes to o.  Reads the operands and reports errors and notes.
 * It also reports the counts in the marks of the input, since no later program will.
 */
void cli_encode(struct cli *c, struct out *o, const struct cli_encoder *x);

/*
 * Decodes one operand to w.  Returns 0 or the worst of enum err_code.  Errors have been reported by
 * then, except one that the decoder leaves in *e.  The message in *e is empty at first, and the
 * caller reports *e if the result is not 0 and the message is no longer empty.
 *
 * Returning ERR_STOP means that a signal asked to stop, so sig_stop is true.  The caller then
 * ignores *e and reports "interrupted".  The end mark says the same, and no further operand is
 * decoded.
 */
typedef int cli_decoder(const void *opt, const char *name, struct evwrite *w, struct err *e);

/* Returns a reporter that prints errors about the current operand, and its notes as doubts. */
struct reporter cli_reporter(struct cli *c);

/*
 * The main loop of a decoder.  Opens w on standard output and decodes each operand, or standard
 * input if there is none, between an opening mark and an end mark.  The end mark is partial if
 * DECODE fails or an error was reported.
 */
void cli_decode(struct cli *c, struct evwrite *w, cli_decoder *decode, const void *opt);

/* Does the same for a decoder that only reports errors: it writes neither lines nor marks. */
void cli_check(struct cli *c, struct evwrite *w, cli_decoder *decode, const void *opt);

/*
 * Writes buffered output, closes standard output and returns the exit status.  If the pipe was
 * closed, the program ends by SIGPIPE.
 */
int cli_finish(struct cli *c, struct out *o);

/* Returns the exit status of a program that has written nothing to standard output. */
int cli_end(struct cli *c);

#endif
