/* SPDX-License-Identifier: ISC */
/*
 * perfhead.c - makes a recording without samples, with the given header, for the tests.
 *
 * perfhead [--pipe] [--big] [--cut FEATURE N] <SPEC >OUT
 *
 * --cut: of that feature, only the first N bytes.
 *
 * A line of SPEC is a header feature: its number, then its contents, in words separated by blanks:
 *
 *	1:N 2:N 4:N 8:N		a number of that many bytes, as in C
 *	s:TEXT			a text as perf writes it: its length, then padded to 64 bytes
 *	z:TEXT			a text with its NUL
 *	t:TEXT			a text without a NUL
 *	x:HEX			bytes
 *	attr			a perf_event_attr of 136 bytes, of cpu-clock
 *	[ ... ]			a u32 length, and these bytes
 *
 * In a TEXT \xHH is a byte.  Features are in the order of SPEC, which must be ascending for a file.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/perfdata/abi.h"

#define FILE_HEADER 104
#define ATTR_SIZE 136
#define BYTES_MAX (1u << 20)

struct bytes {
	unsigned char p[BYTES_MAX];
	size_t len;
};

static struct bytes body, table, head;
static bool big;
static struct {
	unsigned feature;
	size_t len;
} cut = { UINT_MAX, 0 };

static void
die(const char *why)
{
	fprintf(stderr, "perfhead: %s\n", why);
	exit(1);
}

static void
set(unsigned char *p, uint64_t v, int width)
{
	int i;

	for (i = 0; i < width; i++)
		p[i] = (unsigned char)(v >> 8 * (big ? width - 1 - i : i));
}

static void
put(struct bytes *b, uint64_t v, int width)
{
	if (b->len + 8 > sizeof b->p)
		die("too long");
	set(b->p + b->len, v, width);
	b->len += (size_t)width;
}

static unsigned
hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, c);

	if (c == '\0' || at == NULL)
		die("not a hex digit");
	return (unsigned)(at - digits);
}

/* Writes the bytes of the text.  Returns their number. */
static size_t
put_text(struct bytes *b, const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; n++) {
		if (s[0] == '\\' && s[1] == 'x') {
			put(b, hex_digit(s[2]) << 4 | hex_digit(s[3]), 1);
			s += 4;
		} else {
			put(b, (unsigned char)*s++, 1);
		}
	}
	return n;
}

static void
put_string(struct bytes *b, const char *s)
{
	size_t at = b->len, n;

	put(b, 0, 4);
	n = put_text(b, s);
	do
		put(b, 0, 1);
	while (++n % 64 != 0);
	set(b->p + at, n, 4);
}

static void
put_attr(struct bytes *b)
{
	static const uint64_t sampled = S_IP | S_TID | S_TIME;

	put(b, PTYPE_SOFTWARE, 4);
	put(b, ATTR_SIZE, 4);
	put(b, 0, 8); /* config */
	put(b, 1000, 8);
	put(b, sampled, 8);
	while (b->len % ATTR_SIZE != 0 && b->len < BYTES_MAX)
		put(b, 0, 1);
}

static void
put_word(struct bytes *b, const char *word)
{
	struct bytes *attr;
	size_t i;

	if (strcmp(word, "attr") == 0) {
		attr = calloc(1, sizeof *attr);
		if (attr == NULL)
			die("no memory");
		put_attr(attr);
		for (i = 0; i < attr->len; i++)
			put(b, attr->p[i], 1);
		free(attr);
		return;
	}
	if (word[0] == '\0' || word[1] != ':')
		die("a word that is not known");
	switch (word[0]) {
	case 's': put_string(b, word + 2); break;
	case 'z':
		put_text(b, word + 2);
		put(b, 0, 1);
		break;
	case 't': put_text(b, word + 2); break;
	case 'x':
		for (i = 2; word[i] != '\0'; i += 2)
			put(b, hex_digit(word[i]) << 4 | hex_digit(word[i + 1]), 1);
		break;
	default: put(b, strtoull(word + 2, NULL, 0), word[0] - '0');
	}
}

/* Appends the bytes of the feature to body.  Returns its number. */
static unsigned
put_feature(char *line)
{
	char *word = strtok(line, " \n");
	unsigned number = word == NULL ? 0 : (unsigned)strtoul(word, NULL, 0);
	size_t begin = body.len, open = 0;

	while ((word = strtok(NULL, " \n")) != NULL) {
		if (strcmp(word, "[") == 0) {
			open = body.len;
			put(&body, 0, 4);
		} else if (strcmp(word, "]") == 0) {
			set(body.p + open, body.len - open - 4, 4);
		} else {
			put_word(&body, word);
		}
	}
	if (number == cut.feature && body.len - begin > cut.len)
		body.len = begin + cut.len;
	return number;
}

static void
put_record(struct bytes *b, uint32_t type, size_t size)
{
	put(b, type, 4);
	put(b, 0, 2);
	put(b, size, 2);
}

static void
pipe_form(void)
{
	char line[65536];

	put_text(&head, big ? "2ELIFREP" : "PERFILE2");
	put(&head, 16, 8);
	put_record(&head, REC_HEADER_ATTR, 8 + ATTR_SIZE);
	table.len = 0;
	put_attr(&table);
	fwrite(head.p, 1, head.len, stdout);
	fwrite(table.p, 1, table.len, stdout);
	while (fgets(line, sizeof line, stdin) != NULL) {
		uint64_t number;

		body.len = head.len = 0;
		number = put_feature(line);
		put_record(&head, REC_HEADER_FEATURE, 16 + body.len);
		put(&head, number, 8);
		fwrite(head.p, 1, head.len, stdout);
		fwrite(body.p, 1, body.len, stdout);
	}
}

/* Writes header, attr, one record, the table of features, and the features. */
static void
file_form(void)
{
	uint64_t data = FILE_HEADER + ATTR_SIZE + 16, features[4] = { 0 };
	size_t at[FEAT_MAX + 1], n = 0, i;
	char line[65536];

	while (fgets(line, sizeof line, stdin) != NULL && n < FEAT_MAX) {
		unsigned number;

		at[n++] = body.len;
		number = put_feature(line) % FEAT_MAX;
		features[number / 64] |= BIT64(number % 64);
	}
	at[n] = body.len;
	put_attr(&table);
	put(&table, 0, 8);
	put(&table, 0, 8);
	put_record(&table, REC_FINISHED_ROUND, 8);
	for (i = 0; i < n; i++) {
		put(&table, data + 8 + 16 * n + at[i], 8);
		put(&table, at[i + 1] - at[i], 8);
	}
	put_text(&head, big ? "2ELIFREP" : "PERFILE2");
	put(&head, FILE_HEADER, 8);
	put(&head, ATTR_SIZE + 16, 8);
	put(&head, FILE_HEADER, 8);
	put(&head, ATTR_SIZE + 16, 8);
	put(&head, data, 8);
	put(&head, 8, 8);
	put(&head, 0, 8);
	put(&head, 0, 8);
	for (i = 0; i < 4; i++)
		put(&head, features[i], 8);
	fwrite(head.p, 1, head.len, stdout);
	fwrite(table.p, 1, table.len, stdout);
	fwrite(body.p, 1, body.len, stdout);
}

int
main(int argc, char **argv)
{
	bool piped = false;
	int a;

	for (a = 1; a < argc; a++) {
		if (strcmp(argv[a], "--pipe") == 0)
			piped = true;
		else if (strcmp(argv[a], "--big") == 0)
			big = true;
		else if (strcmp(argv[a], "--cut") == 0 && a + 2 < argc) {
			cut.feature = (unsigned)strtoul(argv[++a], NULL, 0);
			cut.len = strtoul(argv[++a], NULL, 0);
		} else
			die("usage: perfhead [--pipe] [--big] [--cut FEATURE N] <SPEC >OUT");
	}
	if (piped)
		pipe_form();
	else
		file_form();
	return fflush(stdout) == 0 ? 0 : 1;
}
