/* SPDX-License-Identifier: ISC */
/* header.c - stores and finds the lines of a profile's header. */
#include "src/dcpi/header.h"

#include <xxhash.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/dcpi/dcpi.h"
#include "src/dcpi/value.h"

static const struct slice names[WORD_UNKNOWN] = {
	{ "version", 7 },
	{ "image", 5 },
	{ "epoch", 5 },
	{ "platform", 8 },
	{ "event", 5 },
	{ "period", 6 },
	{ "tstart", 6 },
	{ "tsize", 5 },
	{ "cpuspeed", 8 },
	{ "cpuamask", 8 },
	{ "cpuimplv", 8 },
	{ "cpucount", 8 },
	{ "path", 4 },
};

void
dcpi_header_free(struct header *h)
{
	buf_free(&h->text);
	mem_free(h->line);
	*h = (struct header){ 0 };
}

void
dcpi_header_clear(struct header *h)
{
	h->text.len = h->unused = 0;
	h->count = 0;
	memset(h->first, 0, sizeof h->first);
}

struct slice
dcpi_header_name(enum header_word word)
{
	return names[word];
}

static enum header_word
word_of(struct slice text)
{
	int i = 0;

	while (i < WORD_UNKNOWN && !slice_eq(text, names[i]))
		i++;
	return (enum header_word)i;
}

int
dcpi_header_add(struct header *h, struct slice word, struct slice value, uint64_t number,
    struct err *e)
{
	struct header_line l = { .number = number, .known = word_of(word) };

	if (dcpi_header_size(h) + word.len + value.len > HEADER_MAX)
		return err_line(e, number, "header longer than %zu bytes", HEADER_MAX);
	if (!vec_room(h->line, h->count, h->cap))
		return err_nomem(e);
	l.word = (uint32_t)h->text.len;
	l.wordlen = (uint32_t)word.len;
	l.value = l.word + l.wordlen;
	l.valuelen = (uint32_t)value.len;
	if (!buf_put(&h->text, word.p, word.len) || !buf_put(&h->text, value.p, value.len))
		return err_nomem(e);
	h->line[h->count++] = l;
	if (l.known != WORD_UNKNOWN && h->first[l.known] == 0)
		h->first[l.known] = h->count;
	return 0;
}

/* Rebuilds the text without unused bytes. */
static int
pack(struct header *h, struct err *e)
{
	struct buf text = { 0 };
	size_t i;

	if (!buf_room(&text, dcpi_header_size(h) + 1))
		return err_nomem(e);
	for (i = 0; i < h->count; i++) {
		struct slice word = dcpi_header_word(h, i), value = dcpi_header_value(h, i);

		h->line[i].word = (uint32_t)text.len;
		h->line[i].value = h->line[i].word + h->line[i].wordlen;
		/* this cannot fail, since there is room */
		(void)(buf_put(&text, word.p, word.len) && buf_put(&text, value.p, value.len));
	}
	buf_free(&h->text);
	h->text = text;
	h->unused = 0;
	return 0;
}

int
dcpi_header_replace(struct header *h, size_t i, struct slice value, struct err *e)
{
	struct header_line *l = &h->line[i];

	if (dcpi_header_size(h) - l->valuelen + value.len > HEADER_MAX)
		return err_line(e, l->number, "header longer than %zu bytes", HEADER_MAX);
	if (h->unused > HEADER_MAX && pack(h, e) != 0)
		return e->code;
	h->unused += l->valuelen;
	l->value = (uint32_t)h->text.len;
	l->valuelen = (uint32_t)value.len;
	return buf_put(&h->text, value.p, value.len) ? 0 : err_nomem(e);
}

const struct header_line *
dcpi_header_find(const struct header *h, enum header_word word)
{
	return h->first[word] == 0 ? NULL : &h->line[h->first[word] - 1];
}

struct slice
dcpi_header_get(const struct header *h, enum header_word word)
{
	const struct header_line *l = dcpi_header_find(h, word);

	return l == NULL ? SLICE("") : dcpi_header_value(h, (size_t)(l - h->line));
}

uint64_t
dcpi_header_hash(const struct header *h)
{
	XXH64_hash_t hash = 0;
	size_t i;

	/* chained: the seed of each line is the hash of the lines before it */
	for (i = 0; i < h->count; i++) {
		hash = XXH64(h->text.p + h->line[i].word, h->line[i].wordlen, hash);
		hash = XXH64(h->text.p + h->line[i].value, h->line[i].valuelen, hash);
	}
	return hash;
}

const char *
dcpi_header_shown(char *dst, struct slice s)
{
	size_t n = s.len < HEADER_SHOWN_MAX ? s.len : HEADER_SHOWN_MAX;

	dst[n == 0 ? 0 : esc_write(dst, s.p, n, ESC_ELEMENT)] = '\0';
	return dst;
}

#define TEXT_MODE " (was the file changed by a text-mode transfer?)"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int
dcpi_header_split(struct slice line, uint64_t number, struct slice *word, struct slice *value,
    struct err *e)
{
	char shown[HEADER_SHOWN];
	size_t n = 0, at;

	while (n < line.len && !is_blank(line.p[n]))
		n++;
	*word = (struct slice){ line.p, n };
	for (at = n; at < line.len && is_blank(line.p[at]);)
		at++;
	*value = (struct slice){ line.p + at, line.len - at };
	if (line.len == 0)
		return err_line(e, number, "empty line in the header");
	if (n == 0)
		return err_line(e, number, "header line begins with a blank");
	if (memchr(line.p, '\0', n) != NULL)
		return err_line(e, number,
		    "NUL in a word of the header, or no samples line before the counts: %s",
		    dcpi_header_shown(shown, *word));
	if (at == line.len)
		return err_line(e, number, "no value for %s%s", dcpi_header_shown(shown, *word),
		    word->p[n - 1] == '\r' ? ": carriage return" TEXT_MODE : "");
	return 0;
}

bool
dcpi_header_begins(struct slice word)
{
	static const struct slice bom = { ESC_BOM, sizeof ESC_BOM - 1 };

	return (unsigned char)word.p[0] > ' ' && word.p[0] != 0x7f &&
	    !slice_eq(word, SLICE("name")) &&
	    (word.len < bom.len || memcmp(word.p, bom.p, bom.len) != 0);
}

static int
bad_digit(struct slice value, size_t at, const char *what, const char *word, uint64_t number,
    struct err *e)
{
	char shown[HEADER_SHOWN];

	if (value.p[at] == '\r' && at + 1 == value.len)
		return err_line(e, number, "carriage return in %s" TEXT_MODE, word);
	return err_line(e, number, "bad %s in %s: %s", what, word, dcpi_header_shown(shown, value));
}

static int
doubt(const struct header_doubts *d, unsigned kind, struct err *e)
{
	return d->doubt(d->ctx, kind, e);
}

static int
check_version(struct slice value, uint64_t number, const struct header_doubts *d, struct err *e)
{
	struct value_version v;
	struct slice rest;
	char shown[HEADER_SHOWN];

	if (!dcpi_value_version(value, &v, &rest)) {
		if (rest.len == 1 && rest.p[0] == '\r')
			return err_line(e, number, "carriage return in version" TEXT_MODE);
		return err_line(e, number, "bad version, not pdb-MAJOR.MINOR: %s",
		    dcpi_header_shown(shown, value));
	}
	if (!slice_eq(v.major, SLICE("0")))
		return err_line(e, number,
		    "version %s is not supported, because its layout was never published: "
		    "use the text of dcpicat instead",
		    dcpi_header_shown(shown, value));
	if (slice_eq(v.minor, SLICE("6")) || slice_eq(v.minor, SLICE("7")))
		return 0;
	err_line(e, number, "version %s is read as pdb-0.07: only 0.06 and 0.07 are documented",
	    dcpi_header_shown(shown, value));
	return doubt(d, DOUBT_VERSION, e);
}

static int
check_epoch(struct slice value, uint64_t number, const struct header_doubts *d, struct err *e)
{
	const char *what = "";
	char shown[HEADER_SHOWN];
	int64_t seconds;
	enum value_epoch form = dcpi_value_epoch(value, &seconds, &what);

	dcpi_header_shown(shown, value);
	switch (form) {
	case EPOCH_DIGITS:
		if (dcpi_value_digits(value) != value.len)
			return bad_digit(value, dcpi_value_digits(value), "number", "epoch", number,
			    e);
		return err_line(e, number, "epoch is not the 10 digits of YYMMDDHHMM: %s", shown);
	case EPOCH_RANGE:
		return err_line(e, number, "epoch has %s %s that does not exist: %s",
		    *what == 'h' ? "an" : "a", what, shown);
	case EPOCH_10: return 0;
	case EPOCH_12:
	case EPOCH_14:
		err_line(e, number, "epoch has %zu digits, not the 10 of YYMMDDHHMM: %s", value.len,
		    shown);
		return doubt(d, DOUBT_EPOCH, e);
	}
	return 0;
}

int
dcpi_header_check_text(struct slice value, const char *word, uint64_t number,
    const struct header_doubts *d, struct err *e)
{
	int rc = 0;
	size_t i = 0;

	if (value.p[value.len - 1] == '\r') {
		err_line(e, number, "%s ends in a carriage return", word);
		rc = doubt(d, DOUBT_CR, e);
	}
	if (rc == 0 && memchr(value.p, '\0', value.len) != NULL) {
		err_line(e, number, "%s has a NUL byte", word);
		rc = doubt(d, DOUBT_NUL, e);
	}
	while (i < value.len && (unsigned char)value.p[i] < 0x80)
		i++;
	if (rc != 0 || i == value.len)
		return rc;
	err_line(e, number, "%s has a byte that is not ASCII", word);
	return doubt(d, DOUBT_ASCII, e);
}

int
dcpi_header_check_length(struct slice value, const char *word, uint64_t number, struct err *e)
{
	return value.len <= DCPI_ID_MAX
	    ? 0
	    : err_line(e, number, "%s of %zu bytes: more than %zu are not accepted", word,
		  value.len, DCPI_ID_MAX);
}

static int
check_hex(struct slice value, const char *word, uint64_t number, struct err *e)
{
	size_t at = dcpi_value_hex_digits(value);

	return at == value.len ? 0 : bad_digit(value, at, "hex digit", word, number, e);
}

/*
 * Checks a decimal number.  Zero is doubtful if ZERO is set.  A number with more than 64 bits is
 * always doubtful.
 */
static int
check_decimal(struct slice value, enum header_word known, bool zero, uint64_t number,
    const struct header_doubts *d, struct err *e)
{
	const char *word = dcpi_header_name(known).p;
	size_t at = dcpi_value_digits(value);
	uint64_t v;

	if (at != value.len)
		return bad_digit(value, at, "number", word, number, e);
	if (!dcpi_value_decimal(value, &v))
		err_line(e, number, "%s has more than 64 bits", word);
	else if (v == 0 && zero)
		err_line(e, number, "%s is 0", word);
	else
		return 0;
	return doubt(d, (unsigned)DOUBT_NUMBER + known, e);
}

static int
check_tstart(struct slice value, uint64_t number, const struct header_doubts *d, struct err *e)
{
	uint64_t v;
	int rc = check_hex(value, "tstart", number, e);

	if (rc != 0 || dcpi_value_hex(value, &v))
		return rc;
	err_line(e, number, "tstart is too big: an address has 64 bits");
	return doubt(d, DOUBT_TSTART, e);
}

static int
check_twice(const struct header *h, size_t i, const struct header_doubts *d, struct err *e)
{
	const struct header_line *l = &h->line[i];

	if (l->known >= WORD_REQUIRED || dcpi_header_find(h, l->known) == l)
		return 0;
	err_line(e, l->number, "second '%s' line", dcpi_header_name(l->known).p);
	return l->known == WORD_PERIOD ? doubt(d, DOUBT_SECOND, e) : ERR_DATA;
}

/* Returns whether the value of the word is printed on each line. */
static bool
is_repeated(enum header_word word)
{
	return word == WORD_IMAGE || word == WORD_EVENT || word == WORD_PERIOD;
}

int
dcpi_header_check_line(const struct header *h, size_t i, const struct header_doubts *d,
    struct err *e)
{
	const struct header_line *l = &h->line[i];
	struct slice value = dcpi_header_value(h, i);
	const char *word =
	    l->known == WORD_UNKNOWN ? "a header line" : dcpi_header_name(l->known).p;
	int rc = check_twice(h, i, d, e);

	if (rc == 0 && is_repeated(l->known))
		rc = dcpi_header_check_length(value, word, l->number, e);
	if (rc != 0)
		return rc;
	switch (l->known) {
	case WORD_VERSION: return check_version(value, l->number, d, e);
	case WORD_EPOCH: return check_epoch(value, l->number, d, e);
	case WORD_TSTART: return check_tstart(value, l->number, d, e);
	case WORD_IMAGE:
	case WORD_CPUAMASK: return check_hex(value, word, l->number, e);
	case WORD_PERIOD:
	case WORD_CPUSPEED: return check_decimal(value, l->known, true, l->number, d, e);
	case WORD_TSIZE:
	case WORD_CPUIMPLV:
	case WORD_CPUCOUNT: return check_decimal(value, l->known, false, l->number, d, e);
	case WORD_UNKNOWN:
		rc = dcpi_header_check_text(dcpi_header_word(h, i), "a word", l->number, d, e);
		break;
	case WORD_PLATFORM:
	case WORD_EVENT:
	case WORD_PATH: break;
	}
	if (rc != 0)
		return rc;
	return dcpi_header_check_text(value, word, l->number, d, e);
}

int
dcpi_header_check_whole(const struct header *h, uint64_t last, struct err *e)
{
	int i;

	for (i = 0; i < WORD_REQUIRED; i++)
		if (dcpi_header_find(h, (enum header_word)i) == NULL)
			return err_line(e, last, "no '%s' line in the header",
			    dcpi_header_name((enum header_word)i).p);
	return 0;
}
