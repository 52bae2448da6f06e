/* SPDX-License-Identifier: ISC */
/* guess.c - recognizes a file by its first bytes. */
#include "lib/guess.h"

#include <string.h>
#include <zlib.h>

#include "lib/esc.h"
#include "lib/slice.h"

/* What programs read, for "not ...". */
static const char *const forms[] = {
	[GUESS_OTHER] = "",
	[GUESS_STREAM] = "a stream",
	[GUESS_PERF] = "a recording",
	[GUESS_AFPERF] = "AFPerf",
	[GUESS_DCPI] = "a DCPI profile",
	[GUESS_PERUN] = "a Perun profile",
	[GUESS_JSON_LINES] = "JSON lines of jsonenc",
};

/* A kind of file. */
struct kind {
	const char *what;
	const char *front; /* the command that turns it into something to read, or NULL */
	enum guess_form form;
	const char *advice; /* if front is NULL: what to do instead, or NULL */
};

/* Kinds that begin with certain bytes.  The first that matches is taken. */
static const struct known {
	struct kind kind;
	size_t at, len;
	const char *magic;
} known[] = {
	{ { "a recording of perf", "perfdec", GUESS_PERF, NULL }, 0, 8, "PERFILE2" },
	{ { "a recording of perf", "perfdec", GUESS_PERF, NULL }, 0, 8, "2ELIFREP" },
	{ { "a recording of an old perf", "perfdec", GUESS_PERF, NULL }, 0, 8, "PERFFILE" },
	{ { "a zstd file", "zstd -dc", GUESS_OTHER, NULL }, 0, 4, "\x28\xb5\x2f\xfd" },
	{ { "an xz file", "xz -dc", GUESS_OTHER, NULL }, 0, 6,
	    "\xfd"
	    "7zXZ\0" },
	{ { "a bzip2 file", "bzip2 -dc", GUESS_OTHER, NULL }, 0, 3, "BZh" },
	{ { "an lz4 file", "lz4 -dc", GUESS_OTHER, NULL }, 0, 4, "\x04\x22\x4d\x18" },
	{ { "a zip archive", "unzip -p", GUESS_OTHER, NULL }, 0, 4, "PK\x03\x04" },
	{ { "a tar archive", "tar -xOf", GUESS_OTHER, NULL }, 257, 5, "ustar" },
	{ { "a zlib stream, perhaps a packed profile of Perun", "perundec", GUESS_PERUN, NULL }, 0,
	    2, "\x78\x01" },
	{ { "a zlib stream, perhaps a packed profile of Perun", "perundec", GUESS_PERUN, NULL }, 0,
	    2, "\x78\x9c" },
	{ { "a zlib stream, perhaps a packed profile of Perun", "perundec", GUESS_PERUN, NULL }, 0,
	    2, "\x78\xda" },
	{ { "a zlib stream after its length", NULL, GUESS_OTHER, NULL }, 4, 2, "\x78\x9c" },
	{ { "a program or a library", NULL, GUESS_OTHER, NULL }, 0, 4, "\177ELF" },
	{ { "a stream", NULL, GUESS_STREAM, NULL }, 0, 9, "#afstream" },
	{ { "AFPerf", "afdec", GUESS_AFPERF, NULL }, 0, 8, "# AFPerf" },
	{ { "a DCPI profile", "dcpidec", GUESS_DCPI, NULL }, 0, 12, "version pdb-" },
	{ { "text that perf printed", NULL, GUESS_OTHER, NULL }, 0, 8, "# ======" },
	{ { "text that perf printed", NULL, GUESS_OTHER, NULL }, 0, 28,
	    "# To display the perf.data h" },
	{ { "text of perf stat", NULL, GUESS_OTHER, "perfdec reads what 'perf stat record' makes" },
	    0, 13, "# started on " },
	{ { "a report of simpleperf", NULL, GUESS_OTHER, NULL }, 0, 10, "SIMPLEPERF" },
	{ { "JSON lines of jsonenc", "jsondec", GUESS_JSON_LINES, NULL }, 0, 9, "{\"kind\":\"" },
	{ { "the CSV of csvenc", NULL, GUESS_OTHER, NULL }, 0, 14, "kind,time,run," },
	{ { "a PNG picture", NULL, GUESS_OTHER, NULL }, 0, 4, "\x89PNG" },
	{ { "an HTML page", NULL, GUESS_OTHER, NULL }, 0, 9, "<!DOCTYPE" },
	{ { "an HTML page", NULL, GUESS_OTHER, NULL }, 0, 9, "<!doctype" },
	{ { "XML", NULL, GUESS_OTHER, NULL }, 0, 5, "<?xml" },
};

static bool
has(struct slice text, const char *word)
{
	size_t n = strlen(word), i;

	for (i = 0; i + n <= text.len; i++)
		if (memcmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

static struct slice
first_line(struct slice text)
{
	const char *end = memchr(text.p, '\n', text.len);

	return (struct slice){ text.p, end == NULL ? text.len : (size_t)(end - text.p) };
}

/* ---- JSON, by its first members */

/* Returns false for JSON whose first line is not an object of jsonenc. */
static bool
may_be_lines(struct slice text)
{
	return first_line(text).len == text.len || has(first_line(text), "\"kind\"");
}

/* Returns true for JSON whose first line is an object with a kind. */
static bool
is_lines(struct slice text)
{
	struct slice line = first_line(text);

	return line.len != text.len && line.p[0] == '{' && slice_ends(line, SLICE("}")) &&
	    has(line, "\"kind\"");
}

/* Returns true for JSON that begins with some member of a profile of Perun. */
static bool
may_be_perun(struct slice text)
{
	static const char *const members[] = { "\"origin\"", "\"collector_info\"", "\"header\"",
		"\"resources\"", "\"snapshots\"", "\"postprocessors\"", "\"resource_type_map\"" };
	size_t i, n = sizeof members / sizeof members[0];

	for (i = 0; i < n && !has(text, members[i]); i++)
		;
	return i < n && !has(text, "\"kind\"");
}

static bool
is_json(struct slice text, enum guess_form wanted, struct kind *kind)
{
	static const char readers[] =
	    "perundec reads profiles of Perun, and jsondec JSON lines of jsonenc";
	static const char lines[] = "each line must be an object with a \"kind\", as in jsonenc(1)";
	size_t i = 0;

	while (i < text.len && memchr(" \t\r\n", text.p[i], 4) != NULL)
		i++;
	if (i == text.len || (text.p[i] != '{' && text.p[i] != '['))
		return false;
	*kind = (struct kind){ "JSON", NULL, GUESS_OTHER,
		wanted == GUESS_STREAM           ? readers
		    : wanted == GUESS_JSON_LINES ? lines
						 : NULL };
	if (has(text, "\"traceEvents\""))
		*kind = (struct kind){ "a trace in JSON", NULL, GUESS_OTHER, NULL };
	else if (is_lines(text))
		*kind = (struct kind){ "JSON lines, perhaps of jsonenc", "jsondec",
			GUESS_JSON_LINES, NULL };
	else if (may_be_perun(text))
		*kind = (struct kind){ "JSON, perhaps a profile of Perun", "perundec", GUESS_PERUN,
			NULL };
	else if (wanted == GUESS_PERUN || (wanted == GUESS_JSON_LINES && may_be_lines(text)))
		kind->form = wanted; /* its reader knows better */
	return true;
}

/* ---- text, by its first line */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Passes over digits and returns how many there were. */
static size_t
digits(struct slice s, size_t *at)
{
	size_t from = *at;

	while (*at < s.len && is_digit(s.p[*at]))
		++*at;
	return *at - from;
}

/* Returns true for "a;b;c 123": frames, the last blank, a number. */
static bool
is_folded(struct slice line)
{
	size_t n = line.len, at;

	while (n > 0 && (is_digit(line.p[n - 1]) || line.p[n - 1] == '.'))
		n--;
	at = n;
	return n > 1 && n < line.len && line.p[n - 1] == ' ' && digits(line, &at) != 0 &&
	    memchr(line.p, ';', n) != NULL && memchr(line.p, '\t', n) == NULL;
}

/*
 * Returns true for a line of perf script: "comm  pid [cpu] seconds.micros:  period event: ...": a
 * time with six or nine decimals and a colon, and a name with a colon after it.
 */
static bool
is_perf_script(struct slice line)
{
	size_t i, at, decimals;

	for (i = 1; i < line.len; i++) {
		if (line.p[i - 1] != ' ' || !is_digit(line.p[i]))
			continue;
		at = i;
		if (digits(line, &at) == 0 || at == line.len || line.p[at] != '.')
			continue;
		at++;
		decimals = digits(line, &at);
		if ((decimals == 6 || decimals == 9) && at + 1 < line.len && line.p[at] == ':')
			return memchr(line.p + at + 1, ':', line.len - at - 1) != NULL;
	}
	return false;
}

static size_t
commas(struct slice line)
{
	size_t i, n = 0;

	for (i = 0; i < line.len; i++)
		n += line.p[i] == ',';
	return n;
}

/* Returns true for two lines with the same number of commas, and without TABs. */
static bool
is_csv(struct slice text)
{
	struct slice line = first_line(text), rest = text, second;

	if (line.len == text.len || memchr(text.p, '\t', text.len) != NULL)
		return false;
	rest.p += line.len + 1;
	rest.len -= line.len + 1;
	second = first_line(rest);
	return commas(line) != 0 && second.len != rest.len && commas(second) == commas(line);
}

/* Returns true for text in UTF-16.  AFPerf's reader has a message of its own for it. */
static bool
is_utf16(struct slice text, enum guess_form wanted, struct kind *kind)
{
	if (wanted == GUESS_AFPERF || text.len < 2 ||
	    (memcmp(text.p, "\xff\xfe", 2) != 0 && memcmp(text.p, "\xfe\xff", 2) != 0))
		return false;
	*kind = (struct kind){ "text in UTF-16", "iconv -f UTF-16 -t UTF-8", GUESS_OTHER, NULL };
	return true;
}

/* The command for a table with a name and a number in each row, which is easily adapted. */
static const char csv_to_lines[] =
    "awk -F, 'NR > 1 { print \"sample\\t.\\t.\\t\" $1 \"\\tlatency\\t\" $2 }' FILE makes lines "
    "of it; see afpipe-cookbook(7)";

static bool
is_text(struct slice text, enum guess_form wanted, struct kind *kind)
{
	struct slice line = first_line(text);
	const char *to_lines = NULL;

	*kind = (struct kind){ NULL, NULL, GUESS_OTHER, NULL };
	if (memchr(text.p, 0, text.len) != NULL)
		return false;
	if (is_perf_script(line)) {
		kind->what = "text of perf script";
	} else if (is_folded(line)) {
		kind->what = "folded stacks";
		to_lines = "a line of awk in afpipe-cookbook(7) makes lines of it";
	} else if (is_csv(text) && wanted != GUESS_AFPERF) {
		kind->what = "CSV";
		to_lines = csv_to_lines;
	}
	if (wanted == GUESS_STREAM)
		kind->advice = to_lines;
	return kind->what != NULL;
}

/* ---- everything */

/* A profile of pprof begins with a message of field 1, its sample types. */
static bool
is_pprof(struct slice bytes)
{
	return bytes.len > 4 && bytes.p[0] == 0x0a && bytes.p[1] > 1 && bytes.p[1] < 20 &&
	    bytes.p[2] == 0x08;
}

/* Unpacks the first bytes of a gzip file.  Returns how many there are. */
static size_t
unpacked(struct slice bytes, char *to, size_t size)
{
	Bytef packed[GUESS_BYTES];
	z_stream z = { .next_in = packed, .next_out = (Bytef *)to, .avail_out = (uInt)size };

	z.avail_in = (uInt)(bytes.len < sizeof packed ? bytes.len : sizeof packed);
	memcpy(packed, bytes.p, z.avail_in);
	if (inflateInit2(&z, 15 + 16) != Z_OK) /* the largest window, and a header of gzip */
		return 0;
	(void)inflate(&z, Z_SYNC_FLUSH);
	(void)inflateEnd(&z);
	return size - z.avail_out;
}

/* Returns true for a gzip file, and says what is in it if that needs another program, too. */
static bool
is_gzip(struct slice bytes, struct kind *kind)
{
	char inside[GUESS_BYTES];
	size_t n;

	if (bytes.len < 2 || memcmp(bytes.p, "\x1f\x8b", 2) != 0)
		return false;
	*kind = (struct kind){ "a gzip file", "gzip -dc", GUESS_OTHER, NULL };
	n = unpacked(bytes, inside, sizeof inside);
	if (is_pprof((struct slice){ inside, n }))
		*kind = (struct kind){ "a profile of pprof", NULL, GUESS_OTHER, NULL };
	return true;
}

/* Text in UTF-8 after a byte order mark.  The readers of AFPerf and DCPI report the mark, too. */
static bool
is_marked(struct slice bytes, enum guess_form wanted, struct kind *kind)
{
	if (wanted == GUESS_AFPERF || wanted == GUESS_DCPI || !slice_begins(bytes, SLICE(ESC_BOM)))
		return false;
	*kind = (struct kind){ "text after a byte order mark", "tail -c +4", GUESS_OTHER, NULL };
	return true;
}

static bool
find(struct slice bytes, enum guess_form wanted, struct kind *kind)
{
	size_t i;

	if (is_gzip(bytes, kind))
		return true;
	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (bytes.len >= known[i].at + known[i].len &&
		    memcmp(bytes.p + known[i].at, known[i].magic, known[i].len) == 0) {
			*kind = known[i].kind;
			return true;
		}
	if (is_pprof(bytes)) {
		*kind = (struct kind){ "a profile of pprof", NULL, GUESS_OTHER, NULL };
		return true;
	}
	return is_marked(bytes, wanted, kind) || is_json(bytes, wanted, kind) ||
	    is_utf16(bytes, wanted, kind) || is_text(bytes, wanted, kind);
}

int
guess_refuse(const void *p, size_t n, enum guess_form wanted, struct err *e)
{
	struct slice bytes = { p, n < GUESS_BYTES ? n : GUESS_BYTES };
	struct kind kind;

	if (n == 0 || !find(bytes, wanted, &kind) || kind.form == wanted)
		return 0;
	if (kind.front == NULL && kind.advice != NULL)
		return err_data(e, "this is %s, not %s: %s", kind.what, forms[wanted], kind.advice);
	if (kind.front == NULL)
		return err_data(e, "this is %s, not %s", kind.what, forms[wanted]);
	/* another format is read by its own program; what is packed may be for this one */
	if (kind.form != GUESS_OTHER && wanted != GUESS_STREAM)
		return err_data(e, "this is %s, not %s: %s reads it", kind.what, forms[wanted],
		    kind.front);
	return err_data(e, "this is %s, not %s: put '%s FILE |' in front", kind.what, forms[wanted],
	    kind.front);
}
