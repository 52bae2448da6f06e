/* SPDX-License-Identifier: ISC */
/* header.c - the lines of a profile's header, kept and found. */
#include "src/dcpi/header.h"

#include <xxhash.h>

#include "lib/esc.h"
#include "lib/mem.h"

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
	h->text.len = 0;
	h->count = 0;
}

struct slice
dcpi_header_name(enum header_word word)
{
	return names[word];
}

enum header_word
dcpi_header_word_of(struct slice text)
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
	struct header_line l = { dcpi_header_word_of(word), h->text.len, word.len,
		h->text.len + word.len, value.len, number };

	if (h->text.len + word.len + value.len > HEADER_MAX)
		return err_line(e, number, "header longer than %zu bytes", HEADER_MAX);
	if (h->count == HEADER_LINES_MAX)
		return err_line(e, number, "header of more than %zu lines", HEADER_LINES_MAX);
	if (h->count == h->cap) {
		size_t cap = h->cap == 0 ? 32 : h->cap * 2;
		struct header_line *line = mem_resize(h->line, cap * sizeof *line);

		if (line == NULL)
			return err_nomem(e);
		h->line = line;
		h->cap = cap;
	}
	if (!buf_put(&h->text, word.p, word.len) || !buf_put(&h->text, value.p, value.len))
		return err_nomem(e);
	h->line[h->count++] = l;
	return 0;
}

int
dcpi_header_replace(struct header *h, size_t i, struct slice value, struct err *e)
{
	struct header_line *l = &h->line[i];
	size_t rest = h->text.len - l->value - l->valuelen;
	char *at;

	if (value.len > l->valuelen && !buf_room(&h->text, value.len - l->valuelen))
		return err_nomem(e);
	at = h->text.p + l->value;
	memmove(at + value.len, at + l->valuelen, rest);
	memcpy(at, value.p, value.len);
	h->text.len = l->value + value.len + rest;
	for (i++; i < h->count; i++) {
		h->line[i].word += value.len - l->valuelen;
		h->line[i].value += value.len - l->valuelen;
	}
	l->valuelen = value.len;
	return 0;
}

const struct header_line *
dcpi_header_find(const struct header *h, enum header_word word)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->line[i].known == word)
			return &h->line[i];
	return NULL;
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

	/* chained: the seed of each line is the hash of those before it */
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
