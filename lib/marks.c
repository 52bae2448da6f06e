/* SPDX-License-Identifier: ISC */
/* marks.c - does every producer of a stream say that it came to its end? */
#include "lib/marks.h"

#include "lib/ev.h"
#include "lib/mem.h"
#include "lib/num.h"

#define WORDS_MAX 16
#define SHOWN_MAX 120 /* of a name in a message */

void
marks_free(struct marks *m)
{
	tab_free(&m->pair);
	mem_free(m->open);
	*m = (struct marks){ 0 };
}

static size_t
split(struct slice line, struct slice *word)
{
	size_t n = 0;

	while (n < WORDS_MAX) {
		const char *tab = memchr(line.p, '\t', line.len);

		word[n++] =
		    (struct slice){ line.p, tab == NULL ? line.len : (size_t)(tab - line.p) };
		if (tab == NULL)
			break;
		line = (struct slice){ tab + 1, line.len - word[n - 1].len - 1 };
	}
	return n;
}

static int
shown(struct slice s)
{
	return s.len > SHOWN_MAX ? SHOWN_MAX : (int)s.len;
}

static int
count(struct marks *m, struct slice producer, struct slice source, int step, struct err *e)
{
	/* both words stand side by side in the line, TAB between */
	struct slice pair = { producer.p, (size_t)(source.p + source.len - producer.p) };
	size_t n = tab_add(&m->pair, pair, NULL);

	if (n == TAB_NONE)
		return err_nomem(e);
	if (n >= m->cap) {
		size_t cap = m->cap == 0 ? 16 : m->cap * 2, i;
		int64_t *open = mem_resize(m->open, cap * sizeof *open);

		if (open == NULL)
			return err_nomem(e);
		for (i = m->cap; i < cap; i++)
			open[i] = 0;
		m->open = open;
		m->cap = cap;
	}
	m->open[n] += step;
	return 0;
}

static void
add_count(struct slice word, struct slice key, uint64_t *sum)
{
	uint64_t v;

	if (word.len <= key.len || memcmp(word.p, key.p, key.len) != 0)
		return;
	if (num_get_u64((struct slice){ word.p + key.len, word.len - key.len }, &v))
		*sum = *sum > UINT64_MAX - v ? UINT64_MAX : *sum + v;
}

static int
take_end(struct marks *m, const struct slice *word, size_t n, struct err *e)
{
	size_t i;
	int rc;

	if (n < 5)
		return err_data(e, "end mark without producer, source, count and state");
	for (i = 5; i < n; i++) {
		add_count(word[i], SLICE("lost="), &m->lost);
		add_count(word[i], SLICE("late="), &m->late);
	}
	rc = count(m, word[1], word[2], -1, e);
	if (rc != 0)
		return rc;
	if (slice_eq(word[4], SLICE("complete")))
		return 0;
	m->partial = true;
	return err_data(e, "%.*s %.*s ended partial%s%.*s", shown(word[1]), word[1].p,
	    shown(word[2]), word[2].p, n > 5 ? ": " : "", n > 5 ? shown(word[5]) : 0,
	    n > 5 ? word[5].p : "");
}

int
marks_take(struct marks *m, struct slice line, struct err *e)
{
	struct slice word[WORDS_MAX];
	size_t n = split(line, word);

	if (slice_eq(word[0], SLICE("#end")))
		return take_end(m, word, n, e);
	if (!slice_eq(word[0], SLICE("#afstream")))
		return 0;
	if (n < 2 || !slice_eq(word[1], SLICE(EV_VERSION))) {
		m->refused = true;
		return err_data(e, "stream version %.*s, not " EV_VERSION,
		    n < 2 ? 1 : shown(word[1]), n < 2 ? "." : word[1].p);
	}
	if (n < 4)
		return err_data(e, "opening mark without producer and source");
	return count(m, word[2], word[3], 1, e);
}

int
marks_missing(const struct marks *m, size_t *at, struct err *e)
{
	for (; *at < m->pair.count; ++*at) {
		struct slice pair = m->pair.item[*at];
		const char *tab = memchr(pair.p, '\t', pair.len);
		struct slice producer = { pair.p, (size_t)(tab - pair.p) };
		struct slice source = { tab + 1, pair.len - producer.len - 1 };

		if (m->open[*at] <= 0)
			continue;
		++*at;
		return err_data(e, "no end mark of %.*s %.*s: it died, or the stream was cut",
		    shown(producer), producer.p, shown(source), source.p);
	}
	return 0;
}
