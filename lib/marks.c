/* SPDX-License-Identifier: ISC */
/* marks.c - checks that every producer of a stream has written its end mark. */
#include "lib/marks.h"

#include <inttypes.h>

#include "lib/ev.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"

#define WORDS_MAX 5 /* words recognized by their position */
#define SHOWN_MAX 120 /* bytes of a name in a message */

static const char no_words[] = "end mark without producer, source, count and state";

/* clang-format off */
const struct mark_word mark_words[MARK_COUNTS] = {
	[MARK_LOST] = { SLICE_INIT("lost"), false,
	    "the source lost ", " events, so the numbers are too small" },
	[MARK_LATE] = { SLICE_INIT("late"), false, NULL, NULL },
	[MARK_UNTERMINATED] = { SLICE_INIT("unterminated"), true,
	    "sources that end without a line break, whose last value may have been cut: ", "" },
	[MARK_INCOMPLETE] = { SLICE_INIT("incomplete"), true,
	    "samples whose stacks could not be unwound completely: ", "" },
	[MARK_CUT_STACKS] = { SLICE_INIT("cut_stacks"), true,
	    "lines whose stacks lack regions (see afdur --max-stack): ", "" },
	[MARK_LEFT_OUT] = { SLICE_INIT("left_out"), true,
	    "labels, tags and values that were left out because of their length or number: ", "" },
	[MARK_TWICE] = { SLICE_INIT("twice"), true,
	    "runs that come from more than one source, and may have been counted twice: ", "" },
	[MARK_UNPAIRED] = { SLICE_INIT("unpaired"), true,
	    "events without their counterpart, so up to as many intervals are missing or too long "
	    "(afpair says of how many): ",
	    "" },
};
/* clang-format on */

void
marks_free(struct marks *m)
{
	tab_free(&m->pair);
	tab_free(&m->run);
	mem_free(m->state);
	mem_free(m->cut);
	mem_free(m->here);
	mem_free(m->seen);
	mem_free(m->again);
	*m = (struct marks){ 0 };
}

/* Removes the first word from the line.  Returns false if it was the last one. */
static bool
take_word(struct slice *line, struct slice *word)
{
	const char *tab = memchr(line->p, '\t', line->len);

	*word = (struct slice){ line->p, tab == NULL ? line->len : (size_t)(tab - line->p) };
	if (tab == NULL)
		return false;
	*line = (struct slice){ tab + 1, line->len - word->len - 1 };
	return true;
}

/*
 * Splits the first words off the line.  *more is true if other words follow; the line then begins
 * with them.
 */
static size_t
split(struct slice *line, struct slice *word, bool *more)
{
	size_t n = 0;

	do
		*more = take_word(line, &word[n]);
	while (++n < WORDS_MAX && *more);
	return n;
}

static int
shown(struct slice s)
{
	return slice_shown(s, SHOWN_MAX);
}

/* Returns the number of a pair, or TAB_NONE.  Its words are adjacent in the line of a mark. */
static size_t
pair_of(struct marks *m, struct slice producer, struct slice source)
{
	struct slice pair = { producer.p, (size_t)(source.p + source.len - producer.p) };
	bool fresh;
	size_t n;

	/* make room first, so that every pair has its state */
	if (!vec_room(m->state, m->pair.count, m->cap) || !vec_room(m->here, m->nhere, m->here_cap))
		return TAB_NONE;
	n = tab_add(&m->pair, pair, &fresh);
	if (n == TAB_NONE)
		return n;
	if (fresh)
		m->state[n] = (struct marks_pair){ .open = 0 };
	if (!m->state[n].here)
		m->here[m->nhere++] = n;
	m->state[n].here = true;
	return n;
}

/* Reads an integer of any length.  Beyond 64 bits it becomes the largest number. */
static bool
get_count(struct slice s, uint64_t *v)
{
	size_t i;

	*v = 0;
	for (i = 0; i < s.len; i++) {
		unsigned d = (unsigned)(unsigned char)s.p[i] - '0';

		if (d > 9)
			return false;
		*v = *v > (UINT64_MAX - d) / 10 ? UINT64_MAX : *v * 10 + d;
	}
	return s.len > 0;
}

/*
 * Returns how many of the K runs that an end counts as twice have not been counted yet.  They are
 * known if this stream has K runs more than once.
 */
static uint64_t
count_again(struct marks *m, uint64_t k)
{
	uint64_t fresh = 0;
	size_t i;

	if (k != m->nagain)
		return k;
	for (i = 0; i < m->nagain; i++) {
		fresh += m->seen[m->again[i]].from != 0;
		m->seen[m->again[i]].from = 0;
	}
	return fresh;
}

static int
add_count(struct marks *m, struct slice word, struct err *e)
{
	size_t i;

	for (i = 0; i < MARK_COUNTS; i++) {
		struct slice key = mark_words[i].key;
		uint64_t v, *sum = &m->count[i];

		if (word.len <= key.len || memcmp(word.p, key.p, key.len) != 0 ||
		    word.p[key.len] != '=')
			continue;
		if (!get_count((struct slice){ word.p + key.len + 1, word.len - key.len - 1 }, &v))
			return err_data(e, "end mark with %.*s, which is not a number", shown(word),
			    word.p);
		if (i == MARK_TWICE)
			v = count_again(m, v);
		*sum = *sum > UINT64_MAX - v ? UINT64_MAX : *sum + v;
	}
	return 0;
}

/*
 * Adds up the words of an end after its state.  The first one is the reason if the end is partial.
 */
static int
take_counts(struct marks *m, struct slice words, bool any, struct slice *first, struct err *e)
{
	struct slice word;
	struct err other;
	int rc = 0;

	*first = (struct slice){ words.p, 0 };
	for (; any; first = NULL) {
		any = take_word(&words, &word);
		if (first != NULL)
			*first = word;
		if (add_count(m, word, rc == 0 ? e : &other) != 0)
			rc = ERR_DATA;
	}
	return rc;
}

/* For --whole: checks lines outside any stream. */
static int
check_outside(const struct marks *m, uint64_t lines, struct err *e)
{
	uint64_t n = lines - m->counted;

	if (n == 0)
		return 0;
	return err_data(e, "lines %s: %" PRIu64,
	    m->opened ? "after an end mark, where no stream is open" : "before any opening mark",
	    n);
}

/*
 * For --whole: checks an end, which must match the last opening and give the right number of lines.
 */
static int
check_end(struct marks *m, const struct slice *word, size_t pair, uint64_t lines, struct err *e)
{
	uint64_t n, since = lines - m->counted;
	bool expected = m->inside == pair + 1;

	m->inside = 0;
	m->counted = lines;
	if (!expected)
		return err_data(e, "end mark of %.*s %.*s, which is not the stream opened last",
		    shown(word[1]), word[1].p, shown(word[2]), word[2].p);
	if (!num_get_u64(word[3], &n) || n != since)
		return err_data(e,
		    "lines of %.*s %.*s: %.*s according to the end mark, %" PRIu64 " here",
		    shown(word[1]), word[1].p, shown(word[2]), word[2].p, shown(word[3]), word[3].p,
		    since);
	return 0;
}

static int
take_end(struct marks *m, const struct slice *word, struct slice rest, bool more, uint64_t lines,
    struct err *e)
{
	struct err other;
	struct slice why;
	uint64_t n;
	size_t pair;
	int rc;

	if (word[1].len == 0 || word[2].len == 0 || !get_count(word[3], &n))
		return err_data(e, no_words);
	pair = pair_of(m, word[1], word[2]);
	if (pair == TAB_NONE)
		return err_nomem(e);
	m->state[pair].open--;
	rc = take_counts(m, rest, more, &why, e);
	if (m->whole && check_end(m, word, pair, lines, rc == 0 ? e : &other) != 0)
		rc = ERR_DATA;
	if (slice_eq(word[4], SLICE("complete")))
		return rc;
	m->partial = true;
	return err_data(e, "%.*s %.*s ended partial%s%.*s", shown(word[1]), word[1].p,
	    shown(word[2]), word[2].p, why.len > 0 ? ": " : "", shown(why), why.p);
}

static void
next_stream(struct marks *m)
{
	m->stream++;
	m->nagain = 0;
}

static int
take_opening(struct marks *m, const struct slice *word, uint64_t lines, struct err *e)
{
	size_t pair = pair_of(m, word[2], word[3]), before = m->inside;
	int rc = 0;

	if (pair == TAB_NONE)
		return err_nomem(e);
	m->state[pair].open++;
	next_stream(m);
	if (m->whole && before != 0)
		rc = err_data(e, "%.*s %.*s opens before another stream has ended", shown(word[2]),
		    word[2].p, shown(word[3]), word[3].p);
	else if (m->whole)
		rc = check_outside(m, lines, e);
	m->inside = pair + 1;
	m->counted = lines;
	m->opened = true;
	return rc;
}

int
marks_take(struct marks *m, struct slice line, uint64_t lines, struct err *e)
{
	struct slice word[WORDS_MAX];
	bool more;
	size_t n = split(&line, word, &more);

	if (slice_eq(word[0], SLICE("#end")))
		return n < 5 ? err_data(e, no_words) : take_end(m, word, line, more, lines, e);
	if (!slice_eq(word[0], SLICE("#afstream")))
		return 0;
	if (n < 2 || !slice_eq(word[1], SLICE(EV_VERSION))) {
		m->refused = true;
		return err_data(e, "stream version %.*s, not " EV_VERSION,
		    n < 2 ? 1 : shown(word[1]), n < 2 ? "." : word[1].p);
	}
	if (n < 4 || word[2].len == 0 || word[3].len == 0)
		return err_data(e, "opening mark without producer and source");
	return take_opening(m, word, lines, e);
}

int
marks_run(struct marks *m, struct slice id, struct err *e)
{
	static const char text[] =
	    "run %.*s also came from another source: is it counted twice? (several runs with one "
	    "id: see afpipe-cookbook(7))";
	uint64_t now = m->stream + 1;
	struct marks_run *r;
	size_t n;
	bool fresh;

	if (!vec_room(m->seen, m->run.count, m->seen_cap) ||
	    !vec_room(m->again, m->nagain, m->again_cap) ||
	    (n = tab_add(&m->run, id, &fresh)) == TAB_NONE)
		return err_nomem(e);
	r = &m->seen[n];
	if (fresh)
		*r = (struct marks_run){ .from = now };
	if (r->last == now && r->again != now) {
		r->again = now;
		m->again[m->nagain++] = n;
	}
	r->here = r->last == now ? r->here + 1 : 1;
	r->most = r->here > r->most ? r->here : r->most;
	r->all++;
	r->last = now;
	if (r->from == 0 || r->from == now)
		return 0;
	r->from = 0;
	m->twice++;
	(void)err_data(e, text, shown(id), id.p);
	return e->code = m->whole ? ERR_DATA : ERR_DOUBT;
}

uint64_t
marks_sources(const struct marks *m, struct slice id, bool all)
{
	size_t n = tab_find(&m->run, id);

	return n == TAB_NONE ? 0 : all ? m->seen[n].all : m->seen[n].most;
}

/* Balances what earlier inputs lack with OPEN, the current input's openings less ends. */
static int64_t
balance(struct marks *m, struct marks_pair *p, int64_t open)
{
	while (open != 0 && p->cut != 0) {
		struct marks_cut *c = &m->cut[p->cut - 1];
		int64_t sum = c->open + open;

		if ((c->open < 0) == (open < 0))
			break;
		c->open = (sum < 0) == (c->open < 0) ? sum : 0;
		open = c->open != 0 ? 0 : sum;
		if (c->open == 0)
			p->cut = c->earlier;
	}
	return open;
}

/* Notes the pairs that have not as many ends as openings in the input that has ended. */
static int
note_cuts(struct marks *m, const char *name, struct err *e)
{
	size_t i, n = m->nhere;

	m->nhere = 0;
	for (i = 0; i < n; i++) {
		size_t pair = m->here[i];
		struct marks_pair *p = &m->state[pair];
		int64_t open = balance(m, p, (int64_t)(p->open - p->before));

		p->here = false;
		p->before = p->open;
		if (open == 0)
			continue;
		if (!vec_room(m->cut, m->cuts, m->cut_cap))
			return err_nomem(e);
		m->cut[m->cuts++] = (struct marks_cut){ pair, name, open, p->cut };
		p->cut = m->cuts;
	}
	return 0;
}

int
marks_end_input(struct marks *m, const char *name, uint64_t lines, struct err *e)
{
	int rc = 0;

	/* marks_missing reports an opening without its end */
	if (m->whole && !m->opened)
		rc = err_data(e, "no marks: cannot tell whether it is complete");
	else if (m->whole && m->inside == 0)
		rc = check_outside(m, lines, e);
	next_stream(m);
	m->inside = 0;
	m->counted = 0;
	m->opened = false;
	return note_cuts(m, name, e) != 0 ? e->code : rc;
}

int
marks_missing(const struct marks *m, size_t *at, const char **input, struct err *e)
{
	*input = NULL;
	while (*at < m->cuts) {
		const struct marks_cut *c = &m->cut[(*at)++];
		struct slice pair = m->pair.item[c->pair];
		const char *tab = memchr(pair.p, '\t', pair.len);
		struct slice producer = { pair.p, (size_t)(tab - pair.p) };
		struct slice source = { tab + 1, pair.len - producer.len - 1 };

		if (c->open == 0)
			continue;
		*input = c->input;
		if (c->open < 0)
			return err_data(e,
			    "an end mark of %.*s %.*s without its opening mark: "
			    "was the beginning cut?",
			    shown(producer), producer.p, shown(source), source.p);
		return err_data(e, "no end mark of %.*s %.*s: it died, or the stream was cut",
		    shown(producer), producer.p, shown(source), source.p);
	}
	return 0;
}
