/* SPDX-License-Identifier: ISC */
/* cli.c - the command line, the messages on standard error and the exit status of every filter. */
#include "lib/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/fit.h"
#include "lib/in.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/sandbox.h"
#include "lib/short.h"
#include "lib/sig.h"
#include "lib/twice.h"
#include "lib/vec.h"
#include "lib/wide.h"

#define MESSAGES_MAX 20
#define MSEC ((uint64_t)1000000) /* nanoseconds */
#define TEXT_PIECE ((size_t)1024)
#define NOTE_MAX 8192 /* bytes of a note: a path and some words */

/*
 * Occupies a closed standard descriptor in a way that makes its use fail, so that no file opened
 * later is mistaken for it.
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
cli_open(struct cli *c, const char *argv0, const struct cli_program *program)
{
	const char *slash = argv0 == NULL ? NULL : strrchr(argv0, '/');

	*c = (struct cli){ .program = program };
	mem_set_ceiling(mem_default_ceiling());
	c->name = slash != NULL ? slash + 1 : argv0 != NULL ? argv0 : "afpipe";
	guard_descriptors();
	sig_install();
	opterr = 0;
}

/* The options that all filters of a kind have. */
enum common {
	OPT_NO_MARKS = CLI_COMMON,
	OPT_WHOLE,
	OPT_STRICT,
	OPT_MAX_MEMORY,
	OPT_NO_PROGRESS,
	OPT_HELP,
	OPT_VERSION,
	OPT_LIST_OPTIONS
};

static const struct cli_option common[] = {
	{ "no-marks", NULL, "treat the input as complete, whatever its marks say", OPT_NO_MARKS,
	    0 },
	{ "whole", NULL,
	    "check that each stream of the input begins and ends once, and has all of its lines",
	    OPT_WHOLE, 0 },
	{ "strict", NULL, "treat doubtful input as an error (status 1)", OPT_STRICT, 0 },
	{ "max-memory", "SIZE",
	    "use at most SIZE bytes, or SIZE K, M, G or T (half of the machine's memory)",
	    OPT_MAX_MEMORY, 0 },
	{ "no-progress", NULL, "do not show on a terminal how far a file has been read",
	    OPT_NO_PROGRESS, 0 },
	{ "help", NULL, "print this summary", OPT_HELP, 0 },
	{ "version", NULL, "print the version", OPT_VERSION, 0 },
	{ "list-options", NULL, "", OPT_LIST_OPTIONS, CLI_HIDDEN },
	{ 0 },
};

/* The letters of options: each means the same in all programs. */
static const struct {
	char letter;
	bool takes; /* an argument; an option of that name without one is another */
	const char *name;
} letters[] = {
	{ 'a', false, "all" },
	{ 'b', true, "by" },
	{ 'd', true, "delimiter" },
	{ 'h', false, "help" },
	{ 'H', false, "human" },
	{ 'j', true, "jobs" },
	{ 'k', true, "kind" },
	{ 'm', true, "measure" },
	{ 'n', true, "top" },
	{ 's', true, "stat" },
	{ 'S', true, "sort" },
	{ 't', true, "time" },
	{ 'T', true, "tags" },
	{ 'V', false, "version" },
	{ 'w', true, "where" },
	{ 'W', true, "window" },
};

/* Returns the letter of an option, or NUL. */
static char
letter_of(const struct cli_option *o)
{
	size_t i;

	for (i = 0; i < sizeof letters / sizeof letters[0]; i++)
		if (strcmp(letters[i].name, o->name) == 0 &&
		    letters[i].takes == (o->argument != NULL))
			return letters[i].letter;
	return '\0';
}

static const struct cli_option *
common_options(const struct cli *c)
{
	return c->program->kind == CLI_READER ? common : common + (OPT_STRICT - OPT_NO_MARKS);
}

#define OPTIONS_MAX 64 /* per filter, including common options, since cli.seen has a bit for each */
#define LINE_MAX_COLUMNS ((size_t)80)
/* Where the texts of options may begin in --help.  Longer heads get a line of their own. */
#define TEXT_COLUMN_MIN ((size_t)12)
#define TEXT_COLUMN_MAX ((size_t)36)

/* A text that is broken into lines. */
struct text {
	struct buf b;
	size_t column;
	bool failed; /* memory has run out */
};

static void
put(struct text *t, const char *s, size_t n)
{
	if (!buf_put(&t->b, s, n))
		t->failed = true;
	t->column += n;
}

static void
put_string(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

/* Adds a newline, and blanks up to COLUMN. */
static void
break_line(struct text *t, size_t column)
{
	put(t, "\n", 1);
	for (t->column = 0; t->column < column;)
		put(t, " ", 1);
}

/* Adds a word of n bytes after a blank, or on a new line that begins at COLUMN. */
static void
put_word(struct text *t, const char *s, size_t n, size_t column)
{
	if (t->column + 1 + n > LINE_MAX_COLUMNS)
		break_line(t, column);
	else if (t->column > column)
		put(t, " ", 1);
	put(t, s, n);
}

static void
put_words(struct text *t, const char *s, size_t column)
{
	while (*s != '\0') {
		size_t n = strcspn(s, " ");

		put_word(t, s, n, column);
		s += n + (s[n] == ' ');
	}
}

/* Writes "--name ARGUMENT" and returns its length. */
static size_t
head_of(char *dst, size_t size, const struct cli_option *o)
{
	int n = snprintf(dst, size, "--%s%s%s", o->name, o->argument == NULL ? "" : " ",
	    o->argument == NULL ? "" : o->argument);

	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

static unsigned
group_of(const struct cli_option *o)
{
	return o->rules & (CLI_ONCE - 1);
}

/* Returns true if the option is shown. */
static bool
is_there(const struct cli_option *o)
{
	return (o->rules & (CLI_MOVED | CLI_HIDDEN)) == 0;
}

/* Adds an option to the synopsis, followed by the other options of its group: "[--a | --b]". */
static void
put_choice(struct text *t, const struct cli_option *o, size_t indent)
{
	char choice[512], head[128];
	size_t n = 0;
	const struct cli_option *each;

	for (each = o; each->name != NULL; each++) {
		if (each != o && (group_of(o) == 0 || group_of(each) != group_of(o)))
			continue;
		(void)head_of(head, sizeof head, each);
		n += (size_t)snprintf(choice + n, sizeof choice - n, "%s%s",
		    each == o ? "[" : " | ", head);
		if (n >= sizeof choice - 2)
			return;
	}
	choice[n++] = ']';
	put_word(t, choice, n, indent);
}

static bool
is_first_of_group(const struct cli *c, const struct cli_option *o)
{
	const struct cli_option *each = c->program->options;

	while (group_of(o) != 0 && each != o && group_of(each) != group_of(o))
		each++;
	return group_of(o) == 0 || each == o;
}

static void
put_synopsis(struct text *t, const struct cli *c)
{
	const struct cli_option *o;
	size_t indent;

	put_string(t, "usage: ");
	put_string(t, c->name);
	put(t, " ", 1);
	indent = t->column;
	for (o = c->program->options; o->name != NULL; o++)
		if (is_there(o) && is_first_of_group(c, o))
			put_choice(t, o, indent);
	put_words(t, c->program->operands, indent);
	break_line(t, 0);
}

/* Adds "  HEAD    text", with the text starting at COLUMN. */
static void
put_row(struct text *t, const char *head, const char *text, size_t column)
{
	put_string(t, "  ");
	put_string(t, head);
	if (t->column + 2 > column)
		break_line(t, column);
	while (t->column < column)
		put(t, " ", 1);
	put_words(t, text, column);
	break_line(t, 0);
}

/* Returns true if one of the options has a letter, for which all leave room. */
static bool
has_letters(const struct cli_option *o)
{
	for (; o->name != NULL; o++)
		if (is_there(o) && letter_of(o) != '\0')
			return true;
	return false;
}

static void
put_options(struct text *t, const struct cli_option *o, size_t column)
{
	bool room = has_letters(o);
	char head[136];

	for (; o->name != NULL; o++) {
		if (!is_there(o) || (o->rules & CLI_BRIEF) != 0)
			continue;
		if (letter_of(o) != '\0')
			(void)snprintf(head, sizeof head, "-%c, ", letter_of(o));
		else
			(void)snprintf(head, sizeof head, "%s", room ? "    " : "");
		(void)head_of(head + strlen(head), sizeof head - 4, o);
		put_row(t, head, o->text, column);
	}
}

/* Adds the functions, each list after its heading. */
static void
put_functions(struct text *t, const struct cli_option *f, size_t column)
{
	char head[128];

	for (; f->name != NULL; f++) {
		if (f->id == 0) {
			put_string(t, f->name);
			break_line(t, 0);
			continue;
		}
		/* a function is shown like an option, but without the dashes */
		(void)head_of(head, sizeof head, f);
		put_row(t, head + 2, f->text, column);
	}
}

/* Adds the options that other filters have, too, and rare ones, without their descriptions. */
static void
put_others(struct text *t, const struct cli *c)
{
	const struct cli_option *o;
	char head[128];
	size_t indent;

	put_string(t, "Also: ");
	indent = t->column;
	for (o = c->program->options; o->name != NULL; o++) {
		if ((o->rules & CLI_BRIEF) == 0)
			continue;
		(void)head_of(head, sizeof head, o);
		put_words(t, head, indent);
	}
	for (o = common_options(c); o->name != NULL; o++) {
		if (!is_there(o))
			continue;
		if (letter_of(o) != '\0')
			(void)snprintf(head, sizeof head, "-%c|", letter_of(o));
		else
			head[0] = '\0';
		(void)head_of(head + strlen(head), sizeof head - 3, o);
		put_words(t, head, indent);
	}
	(void)snprintf(head, sizeof head, "(see %s(1))", c->name);
	put_words(t, head, indent);
	break_line(t, 0);
}

/* Adds all that --help prints, with the texts of options from COLUMN on. */
static void
put_help(struct text *t, const struct cli *c, size_t column)
{
	const struct cli_program *p = c->program;

	put_string(t, "usage: ");
	put_string(t, c->name);
	put_string(t, p->options->name == NULL ? " " : " [OPTION...] ");
	put_string(t, p->operands);
	break_line(t, 0);
	put_string(t, p->about);
	t->column = 0;
	if (p->functions != NULL)
		put_functions(t, p->functions, column);
	break_line(t, 0);
	put_options(t, p->options, column);
	put_others(t, c);
	put_string(t, "Example: ");
	put_string(t, p->example);
	break_line(t, 0);
}

static size_t
count_lines(const struct text *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->b.len; i++)
		n += t->b.p[i] == '\n';
	return n;
}

/* Makes the text of --help with the column that needs the fewest lines. */
static void
make_help(struct text *t, const struct cli *c)
{
	size_t column, best = TEXT_COLUMN_MIN, fewest = SIZE_MAX;

	for (column = TEXT_COLUMN_MIN; column <= TEXT_COLUMN_MAX; column++) {
		struct text try = { .column = 0 };

		put_help(&try, c, column);
		if (count_lines(&try) < fewest) {
			fewest = count_lines(&try);
			best = column;
		}
		buf_free(&try.b);
	}
	put_help(t, c, best);
}

static _Noreturn void
end_with(struct cli *c, struct text *t)
{
	struct out o;

	if (t->failed)
		cli_die_of_memory(c);
	cli_write(c, &o);
	out_put(&o, t->b.p, t->b.len);
	buf_free(&t->b);
	exit(cli_finish(c, &o));
}

static _Noreturn void
help(struct cli *c)
{
	struct text t = { .column = 0 };

	make_help(&t, c);
	end_with(c, &t);
}

/* Adds a field of --list-options: "." is nothing. */
static void
put_field(struct text *t, const char *s, char end)
{
	put_string(t, s == NULL || *s == '\0' ? "." : s);
	put(t, &end, 1);
}

const char *
cli_key_word(size_t i)
{
	static const char *const keys[] = { "kind", "time", "run", "region", "measure", "value",
		"comm", "pid", "tid", "cpu" };

	return i < sizeof keys / sizeof keys[0] ? keys[i] : NULL;
}

/* Returns the Ith word that the argument of the option can be, or contain, or NULL. */
static const char *
choice(const struct cli *c, const struct cli_option *o, size_t i)
{
	const char *a = o->argument == NULL ? "" : o->argument;

	if (c->program->word != NULL && c->program->word(o->id, 0) != NULL)
		return c->program->word(o->id, i);
	if (strncmp(a, "KIND", 4) == 0)
		return kinds[i].name;
	/* the keys of --tag are new ones */
	return strncmp(a, "KEY", 3) == 0 && strcmp(a, "KEY=VALUE") != 0 ? cli_key_word(i) : NULL;
}

/* Adds these words, or those of an argument such as "keep|blank", separated by |. */
static void
put_choices(struct text *t, const struct cli *c, const struct cli_option *o)
{
	static const char small[] = "abcdefghijklmnopqrstuvwxyz0123456789|";
	const char *a = o->argument == NULL ? "" : o->argument, *word;
	size_t i;

	if (choice(c, o, 0) == NULL)
		put_string(t, strchr(a, '|') != NULL && a[strspn(a, small)] == '\0' ? a : ".");
	for (i = 0; (word = choice(c, o, i)) != NULL; i++) {
		put_string(t, i == 0 ? "" : "|");
		put_string(t, word);
	}
	put(t, "\t", 1);
}

static void
list_options(struct text *t, const struct cli *c, const struct cli_option *o, const char *dashes)
{
	char word[136];

	for (; o->name != NULL; o++) {
		if (!is_there(o) || o->id == 0)
			continue;
		(void)snprintf(word, sizeof word, "-%c", letter_of(o));
		put_field(t, *dashes == '\0' || letter_of(o) == '\0' ? NULL : word, '\t');
		(void)snprintf(word, sizeof word, "%s%s", dashes, o->name);
		put_field(t, word, '\t');
		put_field(t, o->argument, '\t');
		put_choices(t, c, o);
		put_field(t, o->text, '\n');
	}
}

/*
 * Prints the options for the completion of shells, one on a line: letter, name, argument, the words
 * that the argument can be, text.  The words that can be the first operand follow.
 */
static _Noreturn void
list(struct cli *c)
{
	struct text t = { .column = 0 };

	list_options(&t, c, c->program->options, "--");
	list_options(&t, c, common_options(c), "--");
	if (c->program->functions != NULL)
		list_options(&t, c, c->program->functions, "");
	end_with(c, &t);
}

static _Noreturn void
version(struct cli *c)
{
	struct text t = { .column = 0 };

	put_string(&t, c->name);
	put_string(&t, " (afpipe) " AFPIPE_VERSION "\n");
	end_with(c, &t);
}

/*
 * A message, which is written at once if it fits, so that the messages of programs that run at the
 * same time do not mix.  Nothing is allocated, because it may be about a failed allocation.
 */
struct message {
	char p[4096]; /* a pipe takes as much at once */
	size_t n;
};

static void
message_write(struct message *m)
{
	(void)fwrite(m->p, 1, m->n, stderr);
	m->n = 0;
}

static void
message_add(struct message *m, const char *s, size_t n)
{
	size_t part;

	for (; n != 0; s += part, n -= part) {
		if (m->n == sizeof m->p)
			message_write(m);
		part = n < sizeof m->p - m->n ? n : sizeof m->p - m->n;
		memcpy(m->p + m->n, s, part);
		m->n += part;
	}
}

static void
message_add_string(struct message *m, const char *s)
{
	message_add(m, s, strlen(s));
}

/* Begins a message with the name of the program. */
static void
message_begin(struct message *m, const struct cli *c)
{
	m->n = 0;
	message_add_string(m, c->name);
	message_add(m, ": ", 2);
}

/* Ends the program because of a wrong command line.  t is the synopsis, or NULL. */
static _Noreturn void
refuse_usage(const struct cli *c, const char *what, const struct text *t)
{
	struct message m;

	message_begin(&m, c);
	message_add_string(&m, what);
	message_add(&m, "\n", 1);
	if (t != NULL && !t->failed)
		message_add(&m, t->b.p, t->b.len);
	message_write(&m);
	exit(CLI_USAGE);
}

_Noreturn void
cli_usage(const struct cli *c, const char *fmt, ...)
{
	struct text t = { .column = 0 };
	char what[NOTE_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	put_synopsis(&t, c);
	refuse_usage(c, what, &t);
}

/* Does the same for a message that says what to type instead, from which a synopsis distracts. */
static _Noreturn __attribute__((format(printf, 2, 3))) void
refuse_with_hint(const struct cli *c, const char *fmt, ...)
{
	char what[NOTE_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	refuse_usage(c, what, NULL);
}

#define LONG 0x10000 /* what getopt_long returns for row N is LONG + N: no letter is as large */

/* Writes the option that getopt_long refuses to dst, for a message, and returns it. */
static const char *
typed(char *dst, size_t size, int argc, char *const *argv)
{
	if (optopt > 0 && optopt < LONG) /* one of several letters in a word */
		(void)snprintf(dst, size, "-%c", optopt);
	else
		(void)snprintf(dst, size, "%s",
		    optind > 0 && optind <= argc ? argv[optind - 1] : "?");
	return dst;
}

uint64_t
cli_number(const struct cli *c, const char *name, uint64_t min, uint64_t max)
{
	uint64_t v;

	if (num_get_u64(slice_of(optarg), &v) && v >= min && v <= max)
		return v;
	if (max >= SIZE_MAX)
		cli_usage(c, "--%s: not a number from %" PRIu64 " on: %s", name, min, optarg);
	cli_usage(c, "--%s: not a number from %" PRIu64 " to %" PRIu64 ": %s", name, min, max,
	    optarg);
}

size_t
cli_width(const struct cli *c)
{
	uint64_t width = cli_number(c, "width", 0, SIZE_MAX);

	if (width != 0 && width < FIT_WIDTH_MIN)
		cli_usage(c, "--width: less than %d", FIT_WIDTH_MIN);
	return (size_t)width;
}

const char *
cli_run_id(const struct cli *c)
{
	if (*optarg == '\0')
		cli_usage(c, "--run needs an id that is not empty");
	return optarg;
}

uint64_t
cli_duration(const struct cli *c, const char *name, unsigned min_ms)
{
	size_t n = strlen(optarg);
	struct wide v;

	/* without a unit it would be nanoseconds, which nobody expects */
	if (n == 0 || strchr("0123456789.", optarg[n - 1]) != NULL ||
	    !wide_get_duration(slice_of(optarg), &v) || v.hi != 0 || v.lo > INT64_MAX)
		cli_usage(c, "--%s: \"%s\" is not a duration such as 500ms or 1s", name, optarg);
	if (v.lo < min_ms * MSEC)
		cli_usage(c, "--%s: less than %ums", name, min_ms);
	if (v.lo == 0)
		cli_usage(c, "--%s: 0 is too short", name);
	return v.lo;
}

/* Parses a number of bytes, optionally with K, M, G or T for a power of 1024. */
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

/* Adds a name to those of --tags, spelled as in the stream. */
static void
take_tag(struct cli *c, struct slice name)
{
	struct evw_tags *t = &c->tags;
	struct buf key = { 0 };
	bool fresh;
	size_t i;

	if (name.len == 0)
		cli_usage(c, "--tags: an empty name");
	if (ev_column_named(name) != EV_COLUMNS)
		cli_usage(c, "--tags: %.*s is a column, which is always written", (int)name.len,
		    name.p);
	if (slice_eq(name, SLICE("none")) || slice_eq(name, SLICE(".")) ||
	    memchr(name.p, ';', name.len) != NULL)
		cli_usage(c, "--tags: this cannot be a name in a list: %.*s", (int)name.len,
		    name.p);
	if (t->keys.count == EV_KEYS_MAX)
		cli_usage(c, "--tags: more than %d names", EV_KEYS_MAX);
	i = esc_append(&key, name.p, name.len, ESC_KEY)
	    ? tab_add(&c->tag_names, buf_slice(&key), &fresh)
	    : TAB_NONE;
	buf_free(&key);
	if (i == TAB_NONE)
		cli_die_of_memory(c);
	if (!fresh)
		cli_usage(c, "--tags: %.*s is there twice", (int)name.len, name.p);
	(void)ev_keys_add(&t->keys, c->tag_names.item[i]);
}

static void
take_tags(struct cli *c, const char *list)
{
	size_t n;

	if (c->few)
		cli_usage(c, "--tags is given twice");
	c->few = true;
	for (; strcmp(list, "none") != 0; list += n + 1) {
		n = strcspn(list, ",");
		take_tag(c, (struct slice){ list, n });
		if (list[n] == '\0')
			break;
	}
}

void
cli_take_tag(struct cli *c, const char *tag)
{
	struct slice key = { tag, strcspn(tag, "=") };
	const char *value = tag + key.len + 1;
	struct buf *b = &c->added;

	if (!ev_is_free_key(key))
		cli_usage(c,
		    "--tag %s: a key has the letters a-z, 0-9, _ and ., and is not yet used", tag);
	if (evw_tags_add(&c->tags, key))
		cli_usage(c, "--tag %.*s is given twice", (int)key.len, key.p);
	if (tag[key.len] == '\0')
		cli_usage(c, "--tag %s needs a value", tag);
	if (!buf_putc(b, '\t') || !buf_put(b, key.p, key.len) || !buf_putc(b, '=') ||
	    (*value == '\0' ? !buf_putc(b, '.') : !esc_append(b, value, strlen(value), ESC_COLUMN)))
		cli_die_of_memory(c);
	if (*value == '\0')
		cli_note(c, "--tag %s has no value after the =, so the tag is empty", tag);
	c->adds = true;
	c->tags.added = buf_slice(b);
}

bool
cli_keeps(const struct cli *c, struct slice tag)
{
	return !c->few || evw_tags_have(&c->tags, tag);
}

void
cli_writes(struct cli *c, const char *option, const char *tag)
{
	if (!cli_keeps(c, (struct slice){ tag, strlen(tag) }))
		cli_usage(c, "--%s writes the tag '%s', which --tags leaves out", option, tag);
}

/* Handles a common option.  Returns false for one of the filter's own. */
static bool
take_common(struct cli *c, int opt)
{
	switch (opt) {
	case OPT_HELP: help(c);
	case OPT_VERSION: version(c);
	case OPT_LIST_OPTIONS: list(c);
	case OPT_NO_MARKS: c->read |= EVREAD_NO_MARKS; break;
	case OPT_WHOLE: c->read |= EVREAD_WHOLE; break;
	case OPT_STRICT: c->strict = true; break;
	case OPT_MAX_MEMORY: mem_set_ceiling(memory_size(c, optarg)); break;
	case OPT_NO_PROGRESS: c->quiet = true; break;
	case CLI_TAGS: take_tags(c, optarg); break;
	case CLI_TAG: cli_take_tag(c, optarg); break;
	case CLI_NO_SANDBOX: c->free = true; break;
	default: return false;
	}
	if ((c->read & EVREAD_NO_MARKS) != 0 && (c->read & EVREAD_WHOLE) != 0)
		cli_usage(c, "--whole and --no-marks exclude each other");
	return true;
}

/* Writes "--a, --b and --c", the options of o's group. */
static void
name_group(char *dst, size_t size, const struct cli *c, const struct cli_option *o)
{
	const struct cli_option *each, *last = o;
	size_t n = 0;

	for (each = c->program->options; each->name != NULL; each++)
		if (group_of(each) == group_of(o))
			last = each;
	for (each = c->program->options; each <= last && n < size; each++)
		if (group_of(each) == group_of(o))
			n += (size_t)snprintf(dst + n, size - n, "%s--%s",
			    n == 0             ? ""
				: each == last ? " and "
					       : ", ",
			    each->name);
}

/*
 * Ends the program if an option breaks its rules: it no longer exists, or it may not follow an
 * option given before it.
 */
static void
keep_rules(const struct cli *c, const struct cli_option *o)
{
	const struct cli_option *each;
	char names[256];

	if ((o->rules & CLI_MOVED) != 0)
		refuse_with_hint(c, "--%s is now '%s'", o->name, o->text);
	if ((o->rules & CLI_ONCE) == 0)
		return;
	if (cli_has(c, o->id))
		cli_usage(c, "--%s is given twice", o->name);
	if (group_of(o) == 0)
		return;
	for (each = c->program->options; each->name != NULL; each++)
		if (each != o && group_of(each) == group_of(o) && cli_has(c, each->id)) {
			name_group(names, sizeof names, c, o);
			cli_usage(c, "only one of %s can be given", names);
		}
}

const char *
cli_operand(struct cli *c, const char *what)
{
	if (c->noperands == 0)
		cli_usage(c, "no %s given", what);
	c->noperands--;
	return *c->operands++;
}

/* Ends the program with the names of its functions. */
static _Noreturn void
no_function(struct cli *c, const char *name)
{
	const struct cli_option *f;
	struct buf names = { 0 };

	for (f = c->program->functions; f->name != NULL; f++)
		if (f->id != 0 && (!buf_putc(&names, ' ') || !buf_puts(&names, f->name)))
			cli_die_of_memory(c);
	cli_usage(c, "no such function: %s (there are:%.*s)", name, (int)names.len, names.p);
}

const struct cli_option *
cli_function(struct cli *c)
{
	const struct cli_option *f = c->program->functions;
	const char *name = cli_operand(c, "FUNCTION");

	while (f->name != NULL && (f->id == 0 || strcmp(f->name, name) != 0))
		f++;
	if (f->name == NULL)
		no_function(c, name);
	return f;
}

/* Returns the number of the row with that id. */
static size_t
row_with(const struct cli *c, int id)
{
	const struct cli_option *o = c->program->options;
	size_t i = 0;

	while (o[i].name != NULL && o[i].id != id)
		i++;
	return i;
}

bool
cli_has(const struct cli *c, int id)
{
	return (c->seen >> row_with(c, id) & 1) != 0;
}

void
cli_needs(const struct cli *c, int a, int b)
{
	const struct cli_option *o = c->program->options;

	if (cli_has(c, a) && !cli_has(c, b))
		cli_usage(c, "--%s needs --%s", o[row_with(c, a)].name, o[row_with(c, b)].name);
}

/* The options of a program, and their form for getopt_long. */
struct known {
	const struct cli_option *row[OPTIONS_MAX];
	size_t n;
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2 * OPTIONS_MAX + 2];
};

static void
add_options(struct known *k, const struct cli_option *o)
{
	char *shorts = k->shorts + strlen(k->shorts);

	for (; o->name != NULL && k->n < OPTIONS_MAX; o++) {
		bool takes = o->argument != NULL;

		k->row[k->n] = o;
		k->longs[k->n] = (struct option){ o->name, takes ? required_argument : no_argument,
			NULL, LONG + (int)k->n };
		k->n++;
		if (letter_of(o) == '\0')
			continue;
		*shorts++ = letter_of(o);
		if (takes)
			*shorts++ = ':';
	}
}

/* Returns the row for what getopt_long has returned: a letter, or LONG and more. */
static const struct cli_option *
row_of(const struct known *k, int value)
{
	size_t i = 0;

	if (value >= LONG)
		return k->row[value - LONG];
	while (letter_of(k->row[i]) != value)
		i++;
	return k->row[i];
}

static void
mark_seen(struct cli *c, const struct cli_option *o)
{
	c->seen |= (uint64_t)1 << (o - c->program->options);
}

static void
add_file(struct cli *c, char *name)
{
	if (!vec_room(c->file, c->files, c->files_cap))
		cli_die_of_memory(c);
	c->file[c->files++] = name;
}

/*
 * Takes the argument of an option of files, and the words after it that are also its arguments.
 * Returns false for another option.
 */
static bool
take_files(struct cli *c, const struct cli_option *o, int argc, char *const *argv)
{
	int end = optind;

	if ((o->rules & CLI_FILES) == 0)
		return false;
	mark_seen(c, o);
	c->of_files = o;
	add_file(c, optarg);
	if (optarg != argv[optind - 1]) /* --NAME=FILE */
		return true;
	while (end < argc && (argv[end][0] != '-' || argv[end][1] == '\0'))
		end++;
	if (end < argc && strcmp(argv[end], "--") == 0)
		while (optind < end)
			add_file(c, argv[optind++]);
	else if (end > optind && c->unsure == NULL)
		c->unsure = argv[optind];
	return true;
}

/* Keeps the operands, after the last option. */
static void
take_operands(struct cli *c, int argc, char *const *argv)
{
	c->operands = argv + optind;
	c->noperands = (size_t)(argc - optind);
	if (c->unsure != NULL && c->noperands > 1)
		refuse_with_hint(c,
		    "--%s: is %s one of its files?  Write -- after the last of them: '--%s FILE... "
		    "-- FILE...'",
		    c->of_files->name, c->unsure, c->of_files->name);
	if (!c->quiet)
		progress_open(&c->progress, c->name);
}

/*
 * Options that are often given to the wrong program of a pipeline, or that programs of others have,
 * and what to do instead.  A letter that none of our programs has is a name with its dash.
 */
static const struct {
	const char *name, *instead;
	const char *only; /* NULL, or the program for which this is said */
} elsewhere[] = {
	{ "by", "afagg has it", NULL },
	{ "stat", "afagg has it", NULL },
	{ "window", "afagg has it", NULL },
	{ "time", "afsel has it", NULL },
	{ "where", "afsel has it", NULL },
	{ "measure", "afsel --where measure=NAME chooses one", NULL },
	{ "-e", "afsel --where measure=NAME chooses one", NULL },
	{ "event", "afsel --where measure=NAME chooses one", NULL },
	{ "comm", "afsel --where comm=NAME chooses one", NULL },
	{ "pid", "afsel --where pid=N chooses one", NULL },
	{ "tid", "afsel --where tid=N chooses one", NULL },
	{ "thread", "afsel --where tid=N chooses one", NULL },
	{ "cpu", "afsel --where cpu=N chooses one", NULL },
	{ "dso", "afsel --where dso=FILE chooses one", NULL },
	{ "human", "aftab has it", NULL },
	{ "percent-of", "aftab has it", NULL },
	{ "sort", "aftab has it", NULL },
	{ "top", "aftab has it", NULL },
	{ "wide", "aftab has it", NULL },
	{ "run", "afsel --where run=ID chooses one; decoders give new ids", NULL },
	{ "tag", "decoders have it", NULL },
	{ "title", "flameenc has it", NULL },
	{ "before", "afdiff and flameenc have it", NULL },
	{ "off-cpu", "afpair --sched has it", NULL },
	{ "group-by", "afagg --by has it", NULL },
	{ "csv", "csvenc writes CSV", NULL },
	{ "json", "jsonenc writes JSON", NULL },
	{ "-g", "--by KEY groups; foldenc and flameenc show stacks", "afagg" },
	{ "threshold", "--fail-if sets a limit, and --min-share leaves out small groups",
	    "afdiff" },
	{ "diff", "--before FILE gives the other side", "flameenc" },
	{ "width", "the page fits its window, and --svg is 1200 pixels wide", "flameenc" },
	{ "height", "all frames have the same height", "flameenc" },
	{ "inverted", "the root is at the top, or with --flame at the bottom", "flameenc" },
	{ "reverse", "afagg --by region,caller lists callers", "flameenc" },
	{ "colors", "the page has buttons for them", "flameenc" },
};

static const char *
long_option(const void *known, size_t i)
{
	const struct known *k = known;

	while (i < k->n && !is_there(k->row[i]))
		i++;
	return i < k->n ? k->row[i]->name : NULL;
}

/*
 * Returns the name of an option without dashes: that of -LETTER, --NAME or --NAME=VALUE.  A letter
 * that no program has is returned with its dash.
 */
static struct slice
name_of(const char *option)
{
	size_t i;

	if (option[1] == '-')
		return (struct slice){ option + 2, strcspn(option + 2, "=") };
	for (i = 0; i < sizeof letters / sizeof letters[0]; i++)
		if (letters[i].letter == option[1])
			return slice_of(letters[i].name);
	return slice_of(option);
}

/* Ends the program if another program has the option, or if it is known from elsewhere. */
static void
refuse_if_elsewhere(const struct cli *c, const char *option)
{
	struct slice name = name_of(option);
	size_t i;

	for (i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
		if (slice_eq(name, slice_of(elsewhere[i].name)) &&
		    (elsewhere[i].only == NULL || strcmp(c->name, elsewhere[i].only) == 0))
			refuse_with_hint(c, "no such option: %s (%s)", option,
			    elsewhere[i].instead);
}

/* Writes the options that begin with NAME, "--a or --b", as far as there is room. */
static void
name_longer(char *dst, size_t size, const struct known *k, struct slice name)
{
	size_t i, n = 0;

	dst[0] = '\0';
	for (i = 0; name.len != 0 && i < k->n && n < size; i++)
		if (is_there(k->row[i]) && strncmp(k->row[i]->name, name.p, name.len) == 0)
			n += (size_t)snprintf(dst + n, size - n, "%s--%s", n == 0 ? "" : " or ",
			    k->row[i]->name);
}

/* Ends the program because of an option that it does not have, with the one that may be meant. */
static _Noreturn void
refuse_option(const struct cli *c, const struct known *k, const char *option)
{
	bool letter = strncmp(option, "--", 2) != 0;
	struct slice name = name_of(option);
	char longer[256];

	if (strcmp(option, "-i") == 0 || strcmp(option, "-o") == 0)
		refuse_with_hint(c,
		    "no such option: %s (input files are operands, and output goes to standard "
		    "output)",
		    option);
	if (!letter)
		refuse_if_elsewhere(c, option);
	name_longer(longer, sizeof longer, k, name);
	if (longer[0] != '\0')
		refuse_with_hint(c, "no such option: %s; did you mean %s?", option, longer);
	if (letter)
		refuse_if_elsewhere(c, option);
	else
		name = keys_nearest(name, long_option, k);
	if (letter || name.len == 0)
		cli_usage(c, "no such option: %s", option);
	refuse_with_hint(c, "no such option: %s; did you mean --%.*s?", option, (int)name.len,
	    name.p);
}

/*
 * Ends the program if the option that getopt_long has taken was abbreviated to the name of another
 * program's: --tag is not --tags.
 */
static void
keep_apart(const struct cli *c, const struct cli_option *o, char *const *argv)
{
	const char *word = argv[optind - 1];

	if (optarg != NULL && optarg == word)
		word = argv[optind - 2];
	if (strncmp(word, "--", 2) == 0 && !slice_eq(slice_of(o->name), name_of(word)))
		refuse_if_elsewhere(c, word);
}

int
cli_next_option(struct cli *c, int argc, char *const *argv)
{
	struct known k = { .n = 0, .shorts = ":" };
	const struct cli_option *o;
	char text[256];
	int value;

	add_options(&k, c->program->options);
	add_options(&k, common_options(c));
	do {
		value = getopt_long(argc, argv, k.shorts, k.longs, NULL);
		switch (value) {
		case -1: take_operands(c, argc, argv); return -1;
		case ':':
			cli_usage(c, "option %s needs an argument",
			    typed(text, sizeof text, argc, argv));
		case '?': refuse_option(c, &k, typed(text, sizeof text, argc, argv));
		}
		o = row_of(&k, value);
		if (value >= LONG)
			keep_apart(c, o, argv);
	} while (take_common(c, o->id) || take_files(c, o, argc, argv));
	keep_rules(c, o);
	mark_seen(c, o);
	c->option = o;
	return o->id;
}

/* Says why there is nothing to read in a script whose standard input is empty, as below cron. */
static void
note_null(struct cli *c)
{
	struct stat in, null;

	if (fstat(STDIN_FILENO, &in) == 0 && S_ISCHR(in.st_mode) && stat("/dev/null", &null) == 0 &&
	    in.st_rdev == null.st_rdev)
		cli_note(c, "no FILE given, and standard input is /dev/null");
}

/*
 * Without an operand: takes the file that the program usually reads, instead of a terminal.  Ends
 * the program if it would wait for lines from there, which hardly anybody wants to type.
 */
static void
need_input(struct cli *c)
{
	const char *usual = c->program->usual;

	if (c->noperands != 0)
		return;
	if (isatty(STDIN_FILENO) == 0) {
		note_null(c);
		return;
	}
	if (usual == NULL)
		cli_usage(c, "no FILE given, and standard input is a terminal ('-' reads it)");
	if (access(usual, F_OK) != 0)
		cli_usage(c,
		    "no FILE given, there is no %s here, and standard input is a terminal ('-' "
		    "reads it)",
		    usual);
	c->usual = (char *)usual;
	c->operands = &c->usual;
	c->noperands = 1;
}

/*
 * Adds a text, with escapes because file names may come from outside: they cannot forge a line or a
 * control sequence.
 */
static void
message_add_text(struct message *m, const char *s)
{
	char text[4 * TEXT_PIECE + 1];
	size_t left = strlen(s), n, back;

	for (; left != 0; s += n, left -= n) {
		n = left < TEXT_PIECE ? left : TEXT_PIECE;
		for (back = 0; n < left && back < 3 && (s[n - back] & 0xc0) == 0x80;)
			back++; /* to the first byte of a character */
		n -= back;
		message_add(m, text, esc_write(text, s, n, ESC_MESSAGE));
	}
}

static void
put_message(struct cli *c, const char *file, const struct err *e)
{
	struct message m;
	char place[32] = "";

	progress_clear(&c->progress);
	message_begin(&m, c);
	if (file != NULL)
		message_add_text(&m, file);
	if (e->place == ERR_BYTE)
		(void)snprintf(place, sizeof place, "%s0x%" PRIx64 ": ", file != NULL ? ": " : "",
		    e->pos);
	else if (e->place == ERR_LINE)
		(void)snprintf(place, sizeof place, ":%" PRIu64 ": ", e->pos);
	else if (file != NULL)
		(void)snprintf(place, sizeof place, ": ");
	message_add_string(&m, place);
	message_add_string(&m, e->msg);
	message_add(&m, "\n", 1);
	message_write(&m);
}

/* Returns the option of the program's own with that name, or NULL. */
static const struct cli_option *
option_named(const struct cli *c, const char *name)
{
	const struct cli_option *o = c->program->options;

	while (o->name != NULL && strcmp(o->name, name) != 0)
		o++;
	return o->name == NULL ? NULL : o;
}

/* Returns true if the text begins with a word that the argument of the option can contain. */
static bool
begins_with_choice(const struct cli *c, const struct cli_option *o, const char *text)
{
	struct slice first = { text, strcspn(text, ",") };
	const char *word;
	size_t i;

	for (i = 0; (word = choice(c, o, i)) != NULL; i++)
		if (slice_eq(first, slice_of(word)))
			return true;
	return false;
}

/* Adds to the error of a file that does not exist which option may have been forgotten. */
static void
suggest_option(const struct cli *c, const char *file, struct err *e)
{
	const struct cli_option *by = option_named(c, "by");
	const char *name = NULL;

	if (file == NULL || e->code != ERR_SYS || e->errnum != ENOENT)
		return;
	if (by != NULL && begins_with_choice(c, by, file))
		name = by->name;
	else if (option_named(c, "where") != NULL && file[strcspn(file, "=~<>")] != '\0')
		name = "where";
	if (name != NULL)
		(void)err_add(e, "; did you mean --%s?", name);
}

void
cli_error(struct cli *c, const char *file, const struct err *what)
{
	struct err e = *what;
	int status = e.code == ERR_SYS && !e.ceiling ? CLI_SYS : CLI_DATA;
	bool doubt = e.code == ERR_DOUBT && !c->strict;
	unsigned *count = doubt ? &c->noted : &c->said;

	suggest_option(c, file, &e);
	if (!doubt && c->said == 0)
		c->first = e;
	if (!doubt && status > c->status)
		c->status = status;
	if (e.code == ERR_STOP && c->stopped) /* everything that was under way is interrupted */
		return;
	c->stopped |= e.code == ERR_STOP;
	if ((*count)++ < MESSAGES_MAX)
		put_message(c, file, &e);
}

/* Prints "prog: text". */
static void
put_whole(struct cli *c, const char *text)
{
	struct message m;

	progress_clear(&c->progress);
	message_begin(&m, c);
	message_add_text(&m, text);
	message_add(&m, "\n", 1);
	message_write(&m);
}

static void
put_note(struct cli *c, const char *fmt, va_list ap)
{
	char text[NOTE_MAX];

	vsnprintf(text, sizeof text, fmt, ap);
	put_whole(c, text);
}

void
cli_note(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	if (c->noted++ >= MESSAGES_MAX)
		return;
	va_start(ap, fmt);
	put_note(c, fmt, ap);
	va_end(ap);
}

/* Prints a note about a doubt.  If --strict was given, it is an error with status 1. */
__attribute__((format(printf, 2, 3))) static void
note_doubt(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	if (c->strict && c->status < CLI_DATA)
		c->status = CLI_DATA;
	if ((*(c->strict ? &c->said : &c->noted))++ >= MESSAGES_MAX)
		return;
	va_start(ap, fmt);
	put_note(c, fmt, ap);
	va_end(ap);
}

_Noreturn void
cli_die(struct cli *c, const struct err *e)
{
	cli_error(c, NULL, e);
	exit(c->status);
}

void
cli_say(struct cli *c, const struct err *e)
{
	if (e->code == ERR_NONE)
		cli_note(c, "%s", e->msg);
	else
		cli_error(c, NULL, e);
}

void
cli_check_setting(struct cli *c, const char *option, int rc, const struct err *e)
{
	if (rc == ERR_DATA)
		cli_usage(c, "--%s: %s", option, e->msg);
	if (rc != 0)
		cli_die(c, e);
}

void
cli_check_settings(struct cli *c, int rc, const struct err *e)
{
	if (rc == ERR_DATA)
		cli_usage(c, "%s", e->msg);
	if (rc != 0)
		cli_die(c, e);
}

_Noreturn void
cli_die_of_memory(struct cli *c)
{
	struct err e;

	err_nomem(&e);
	cli_die(c, &e);
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

static void
open_writer(struct cli *c, struct evwrite *w)
{
	if (!evw_open(w, STDOUT_FILENO, c->name))
		cli_die_of_memory(c);
}

void
cli_sandbox(const struct cli *c, unsigned also)
{
	const char *wanted = getenv("AFPIPE_SANDBOX");

	if (!c->free && (wanted == NULL || strcmp(wanted, "0") != 0))
		sandbox_enter(c->program->needs | also);
}

static struct evread *
open_reader(struct cli *c, char *const *name, size_t n)
{
	struct evread *r = evread_open(name, n, c->read);

	if (r == NULL)
		cli_die_of_memory(c);
	if (c->of_run.count != 0)
		evread_set_of_run(r, &c->of_run);
	return r;
}

/* Stores what identifies a file whose bytes another name could give again.  Or returns false. */
static bool
identify(const char *name, uintmax_t id[2])
{
	struct stat st;
	int rc = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(name, &st);

	if (rc != 0 || !S_ISREG(st.st_mode))
		return false;
	id[0] = (uintmax_t)st.st_dev;
	id[1] = (uintmax_t)st.st_ino;
	return true;
}

/* Adds the files of those names.  Returns the first one that is there already, or NULL. */
static const char *
find_repeated(struct tab *files, char *const *name, size_t n)
{
	const char *found = NULL;
	uintmax_t id[2];
	size_t i;
	bool fresh;

	for (i = 0; i < n && found == NULL; i++) {
		if (!identify(name[i], id))
			continue;
		if (tab_add(files, (struct slice){ (const char *)id, sizeof id }, &fresh) ==
		    TAB_NONE)
			break; /* the reading ends for the same reason */
		if (!fresh)
			found = name[i];
	}
	return found;
}

struct evread *
cli_read(struct cli *c)
{
	struct tab files = { 0 };

	need_input(c);
	c->repeated = find_repeated(&files, c->operands, c->noperands);
	tab_free(&files);
	c->reader = open_reader(c, c->operands, c->noperands);
	evread_set_hashed(c->reader, c->hashed, c->hashed_ctx);
	evread_set_interim(c->reader, c->interim);
	evread_set_required(c->reader, &c->required);
	return c->reader;
}

struct evread *
cli_read_other(struct cli *c, char *const *name, size_t n)
{
	struct evread *r = open_reader(c, name, n);

	c->repeated_other = find_repeated(&c->others, name, n);
	evread_set_required(r, &c->required);
	return r;
}

void
cli_require(void *cli, struct slice tag)
{
	struct cli *c = cli;
	struct tab *tags = ev_is_of_run(tag) ? &c->of_run : &c->required;

	if (ev_column_named(tag) == EV_COLUMNS && tab_add(tags, tag, NULL) == TAB_NONE)
		cli_die_of_memory(c);
}

void
cli_require_of_run(void *cli, struct slice tag)
{
	if (ev_is_of_run(tag))
		cli_require(cli, tag);
}

void
cli_write(struct cli *c, struct out *o)
{
	if (!out_open(o, STDOUT_FILENO))
		cli_die_of_memory(c);
}

void
cli_write_binary(struct cli *c, struct out *o)
{
	if (isatty(STDOUT_FILENO) != 0)
		cli_usage(c, "the output is binary, and standard output is a terminal: add >FILE");
	cli_write(c, o);
}

void
cli_stream_open(struct cli *c, struct evwrite *w, struct evread *r)
{
	open_writer(c, w);
	evread_set_idle(r, &w->out);
	evw_mark_open(w, evread_source(r));
}

static void
report_count(struct cli *c, const char *side, enum mark_count which, uint64_t n)
{
	const struct mark_word *w = &mark_words[which];

	if (w->doubt)
		note_doubt(c, "%s%s%" PRIu64 "%s", side, w->before, n, w->after);
	else
		cli_note(c, "%s%s%" PRIu64 "%s", side, w->before, n, w->after);
}

/*
 * Reports a file that was given twice, which is a doubt: it may be meant to count twice.  If the
 * reader knows its runs, it has said the same of these.  Returns true if it was reported.
 */
static bool
report_repeated(struct cli *c, const struct evread *r)
{
	const char *name = r == c->reader ? c->repeated : c->repeated_other;
	struct err e;

	if (name == NULL || evread_twice(r) != 0)
		return false;
	err_data(&e, "this file is given twice: is it counted twice?");
	e.code = ERR_DOUBT;
	cli_error(c, name, &e);
	return true;
}

void
cli_report_shared(struct cli *c)
{
	size_t i = 0;
	uintmax_t id[2];
	struct err e;

	err_data(&e, "this file is given as BEFORE and as AFTER");
	e.code = ERR_DOUBT;
	do {
		const char *name = c->noperands == 0 ? "-" : c->operands[i];

		if (identify(name, id) &&
		    tab_find(&c->others, (struct slice){ (const char *)id, sizeof id }) != TAB_NONE)
			cli_error(c, name, &e);
	} while (++i < c->noperands);
}

/* Reports the counts in the marks of the input, since no later program will. */
void
cli_report_counts(struct cli *c, const struct evread *r, const char *side)
{
	enum mark_count i;
	uint64_t n;

	(void)report_repeated(c, r);
	for (i = 0; i < MARK_COUNTS; i++)
		if ((n = evread_count(r, i)) != 0 && mark_words[i].before != NULL)
			report_count(c, side, i, n);
}

void
cli_note_left(struct cli *c, const struct kinds_left *left, const char *what)
{
	char text[4096];

	if (kinds_left_note(left, what, text, sizeof text))
		cli_note(c, "%s", text);
	if (left->large != 0)
		cli_note(c, EV_LARGE_LEFT_OUT, left->large);
}

void
cli_note_lost(struct cli *c, uint64_t lines)
{
	if (lines != 0 && evread_count(c->reader, MARK_LOST) == 0)
		cli_note(c, "the source lost events, so the numbers are too small");
}

/* The twice of the marks does not contain the runs that this reader itself has seen twice. */
bool
cli_next_count(const struct evread *r, size_t *at, char *text, size_t size)
{
	while (*at < MARK_COUNTS) {
		enum mark_count i = (enum mark_count)(*at)++;
		uint64_t n = evread_count(r, i) + (i == MARK_TWICE ? evread_twice(r) : 0);

		if (n == 0 || mark_words[i].before == NULL)
			continue;
		snprintf(text, size, "%s%" PRIu64 "%s", mark_words[i].before, n,
		    mark_words[i].after);
		return true;
	}
	return false;
}

bool
cli_is_damaged(const struct cli *c, char *text, size_t size)
{
	if (c->status == CLI_OK)
		return false;
	snprintf(text, size,
	    "the input is incomplete or damaged, so the values may be too small: %s (errors: %u)",
	    c->first.msg, c->said);
	return true;
}

void
cli_judge_count(struct cli *c, const char *side, enum mark_count which, uint64_t n)
{
	if (c->strict && n != 0 && mark_words[which].doubt)
		report_count(c, side, which, n);
}

static void
note_omitted(struct cli *c, const struct evwrite *w)
{
	if (w->omitted != 0)
		cli_note(c, "tags left out of lines that would be longer than 16 MiB: %llu",
		    (unsigned long long)w->omitted);
}

void
cli_stream_counts(struct cli *c, struct evwrite *w, const struct evread *r, const char *side)
{
	enum mark_count i;

	w->count[MARK_TWICE] += report_repeated(c, r) ? 1 : evread_twice(r);
	for (i = 0; i < MARK_COUNTS; i++) {
		w->count[i] += evread_count(r, i);
		cli_judge_count(c, side, i, evread_count(r, i));
	}
}

/* If lines are missing because memory ran out, reports that, so that an end mark can follow. */
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

	(void)ran_out(c, NULL, w);
	cli_stream_counts(c, w, r, "");
	note_omitted(c, w);
	/* even for a signal after the last read, since it is not known what it interrupted */
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

/* Reports an error, if any.  Returns false if the system failed and nothing more can be done. */
static bool
is_fine(struct cli *c, const char *file, int rc, const struct err *e)
{
	if (rc != 0)
		cli_error(c, file, e);
	return rc != ERR_SYS;
}

/* Processes the input.  Adds the lines to the digest SEEN unless it is NULL. */
static bool
read_lines(struct cli *c, struct evread *r, const struct evwrite *w, const struct cli_lines *x,
    struct twice_seen *seen)
{
	struct ev ev;
	struct err e;

	while (cli_next(c, r, w, &ev)) {
		if (seen != NULL)
			twice_see(seen, ev.text);
		if (!is_fine(c, evread_name(r), x->line(x->ctx, evread_name(r), &ev, &e), &e))
			return false;
	}
	return true;
}

bool
cli_lines(struct cli *c, struct evread *r, const struct evwrite *w, const struct cli_lines *x)
{
	return read_lines(c, r, w, x, NULL);
}

/*
 * Reads the input for the first time.  Errors in it are left to the second reading.  *failed is the
 * first failure of the system, or 0.
 */
static bool
foresee(struct cli *c, const struct cli_lines *x, struct twice *t, struct twice_seen *seen,
    struct err *failed)
{
	struct evread *r = open_reader(c, c->operands, c->noperands);
	bool fine = true;
	struct ev ev;
	struct err e;
	int rc;

	evread_set_opener(r, twice_open, t);
	while (fine && (rc = evread_next(r, &ev, &e)) != 0) {
		if (rc < 0) {
			if (e.code == ERR_SYS && failed->code == 0)
				*failed = e;
			continue;
		}
		twice_see(seen, ev.text);
		fine = is_fine(c, evread_name(r), x->foresee(x->ctx, &ev, &e), &e);
	}
	evread_close(r);
	return fine;
}

bool
cli_lines_twice(struct cli *c, struct evread *r, const struct evwrite *w, const struct cli_lines *x)
{
	struct twice *t = twice_new(c->noperands);
	struct twice_seen first = { 0 }, second = { 0 };
	struct err e, failed = { .code = 0 };
	bool fine;

	if (t == NULL)
		cli_die_of_memory(c);
	evread_set_opener(r, twice_open, t);
	fine = foresee(c, x, t, &first, &failed) && read_lines(c, r, w, x, &second);
	twice_free(t);
	if (fine && !sig_stop() && !evw_failed(w) &&
	    (first.lines != second.lines || first.hash != second.hash)) {
		err_data(&e, "the input changed while it was being read: %s", x->doubtful);
		cli_error(c, NULL, failed.code != 0 ? &failed : &e);
	}
	return fine;
}

bool
cli_is_part(struct cli *c, const struct evread *r, const struct ev *ev)
{
	struct err e;

	if (!short_eq(ev->col[EV_KIND], SLICE("part")))
		return false;
	if (!c->parts) {
		err_data(&e, KINDS_PARTS);
		cli_error(c, evread_name(r), &e);
	}
	c->parts = true;
	return true;
}

enum came { CAME_NOTHING, CAME_LINES, CAME_TO_NAUGHT };

static enum came
encode_lines(struct cli *c, struct evread *r, const struct out *o, const struct cli_encoder *x)
{
	enum came came = CAME_NOTHING;
	struct ev ev;
	struct err e;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		int rc;

		came = CAME_LINES;
		if (!x->takes_parts && cli_is_part(c, r, &ev))
			continue;
		if (x->leaves_large && ev_is_large_resource(&ev)) {
			c->large++;
			continue;
		}
		rc = x->line(x->ctx, &ev, &e);
		if (rc == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (rc == ERR_SYS || rc == ERR_STOP)
			return CAME_TO_NAUGHT;
	}
	return came;
}

static void
encode_end(struct cli *c, struct evread *r, const struct out *o, const struct cli_encoder *x)
{
	struct err e;
	bool more;
	int rc;

	do {
		more = false;
		rc = x->end(x->ctx, &more, &e);
		if (rc != 0)
			cli_error(c, e.place == ERR_LINE ? evread_name(r) : NULL, &e);
	} while (more && rc != ERR_SYS && o->error == 0);
}

int
cli_remark(struct cli *c, int (*add)(void *ctx, const char *text, struct err *e), struct err *e)
{
	const struct cli_encoder *x = c->encoder;
	char text[CLI_DAMAGE_MAX];
	size_t at = 0, count = 0;
	int rc = 0;

	if (cli_is_damaged(c, text, sizeof text))
		rc = add(x->ctx, text, e);
	if (rc == 0 && c->large != 0) {
		snprintf(text, sizeof text, EV_LARGE_LEFT_OUT, c->large);
		rc = add(x->ctx, text, e);
	}
	while (rc == 0 && x->note(x->ctx, &at, text, sizeof text))
		rc = add(x->ctx, text, e);
	while (rc == 0 && cli_next_count(c->reader, &count, text, sizeof text))
		rc = add(x->ctx, text, e);
	return rc;
}

void
cli_encode(struct cli *c, struct out *o, const struct cli_encoder *x)
{
	struct evread *r = cli_read(c);
	enum came came;
	char text[512];
	size_t at = 0;

	evread_set_idle(r, o);
	c->encoder = x;
	came = encode_lines(c, r, o, x);
	if (x->told != NULL && evread_count(r, MARK_INCOMPLETE) != 0)
		x->told(x->ctx);
	/* empty input gives no output, but a complete stream without lines is ended normally */
	if (x->end != NULL && (came == CAME_LINES || (came == CAME_NOTHING && c->status == CLI_OK)))
		encode_end(c, r, o, x);
	if (c->large != 0 && o->error == 0)
		cli_note(c, EV_LARGE_LEFT_OUT, c->large);
	while (x->note != NULL && o->error == 0 && x->note(x->ctx, &at, text, sizeof text))
		cli_note(c, "%s", text);
	cli_report_counts(c, r, "");
	evread_close(r);
	c->reader = NULL;
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

	note_doubt(c, "%s: %s", c->operand, text);
}

static void
listed(void *ctx, const char *text)
{
	put_whole(ctx, text);
}

struct reporter
cli_reporter(struct cli *c)
{
	return (struct reporter){ reported, noted, listed, c };
}

/* Notes the tags that --tags names and no event has. */
static void
note_unmet(struct cli *c)
{
	const struct evw_tags *t = &c->tags;
	size_t i;

	for (i = 0; i < t->keys.count && t->events; i++)
		if (!t->met[i])
			cli_note(c, "--tags: no event has a tag '%.*s'",
			    slice_shown(t->keys.key[i], 60), t->keys.key[i].p);
}

/*
 * Reports a regular file of another format, and how it is read.  A pipe is left to the decoder,
 * since what is read of it is gone.
 */
static int
refuse_foreign(struct cli *c, const char *name)
{
	char head[GUESS_BYTES];
	struct err e;
	size_t n = c->program->reads == GUESS_OTHER ? 0 : in_peek(name, head, sizeof head);
	int rc = guess_refuse(head, n, c->program->reads, &e);

	if (rc != 0)
		cli_error(c, name, &e);
	return rc;
}

static int
decode_operand(struct cli *c, struct evwrite *w, const char *name, cli_decoder *decode,
    const void *opt)
{
	struct err e = { .code = ERR_NONE };
	int rc;

	if (refuse_foreign(c, name) != 0)
		return ERR_DATA;
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
	c->operand = NULL;
	return rc;
}

/* Decodes one operand between its marks. */
static void
decode_marked(struct cli *c, struct evwrite *w, const char *name, cli_decoder *decode,
    const void *opt)
{
	unsigned said = c->said;
	int rc;

	evw_mark_open(w, name);
	rc = decode_operand(c, w, name, decode, opt);
	evw_mark_end(w, rc == 0 && c->said == said,
	    rc == ERR_STOP         ? "interrupted"
		: rc == ERR_SYS    ? "failed"
		: rc == ERR_DATA   ? "damaged"
		: w->lacks != NULL ? w->lacks
		: c->said != said  ? "input incomplete or refused"
				   : NULL);
}

void
cli_decode(struct cli *c, struct evwrite *w, cli_decoder *decode, const void *opt)
{
	size_t i;

	need_input(c);
	open_writer(c, w);
	c->tags.all = !c->few;
	w->only = c->few || c->adds ? &c->tags : NULL;
	cli_sandbox(c, 0);
	if (c->noperands == 0)
		decode_marked(c, w, "-", decode, opt);
	for (i = 0; i < c->noperands && !evw_failed(w) && !sig_stop(); i++)
		decode_marked(c, w, c->operands[i], decode, opt);
	note_omitted(c, w);
	note_unmet(c);
}

void
cli_check(struct cli *c, struct evwrite *w, cli_decoder *decode, const void *opt)
{
	size_t i;

	need_input(c);
	open_writer(c, w);
	cli_sandbox(c, 0);
	if (c->noperands == 0)
		(void)decode_operand(c, w, "-", decode, opt);
	for (i = 0; i < c->noperands && !sig_stop(); i++)
		(void)decode_operand(c, w, c->operands[i], decode, opt);
}

int
cli_end(struct cli *c)
{
	progress_clear(&c->progress);
	tab_free(&c->others);
	tab_free(&c->required);
	tab_free(&c->of_run);
	tab_free(&c->tag_names);
	buf_free(&c->added);
	mem_free(c->file);
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
		signal(SIGPIPE, SIG_DFL); /* SIGPIPE was ignored; now it ends the program */
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
