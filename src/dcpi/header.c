/* SPDX-License-Identifier: ISC */
/* header.c - the lines of a profile's header, kept and found. */
#include "src/dcpi/header.h"

#include <xxhash.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"

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
	struct header_line l = { .number = number, .known = dcpi_header_word_of(word) };

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

/* Rebuilds the text without its unused bytes. */
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
		/* there is room */
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
