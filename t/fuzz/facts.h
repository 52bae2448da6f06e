/* SPDX-License-Identifier: ISC */
/*
 * facts.h - the facts in the lines of a stream, so that two streams can be compared: run, region,
 * measure, value, kind and times of every line, in any order.
 */
#ifndef AFPIPE_FUZZ_FACTS_H
#define AFPIPE_FUZZ_FACTS_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ev.h"
#include "lib/num.h"
#include "t/fuzz/fuzz.h"

/* How often the fact may be found: as often as expected, at least as often, or at least once. */
enum how_often { EXACTLY, AT_LEAST, ONCE };

struct fact {
	const char *run, *text; /* text begins with the digit of its enum how_often */
	uint64_t line; /* 0 if it was found */
	bool optional; /* an expected fact that may be missing */
};

#define FACTS_BLOCK ((size_t)8192)

/* Memory for the texts of facts: one allocation for each would take most of the time. */
struct facts_block {
	struct facts_block *older;
	size_t used, size;
	char p[];
};

struct facts {
	struct fact *p;
	size_t n, cap;
	struct facts_block *block;
};

static inline void
facts_free(struct facts *f)
{
	struct facts_block *b;

	while ((b = f->block) != NULL) {
		f->block = b->older;
		free(b);
	}
	free(f->p);
	*f = (struct facts){ 0 };
}

/* Returns memory that lasts as long as the facts. */
static inline char *
facts_room(struct facts *f, size_t n)
{
	struct facts_block *b = f->block;
	size_t size = n < FACTS_BLOCK ? FACTS_BLOCK : n;

	if (b == NULL || n > b->size - b->used) {
		b = malloc(sizeof *b + size);
		check(b != NULL, "no memory");
		b->older = f->block;
		b->used = 0;
		b->size = size;
		f->block = b;
	}
	b->used += n;
	return b->p + b->used - n;
}

static inline char *
facts_copy(struct facts *f, struct slice s)
{
	char *p = facts_room(f, s.len + 1);

	memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return p;
}

/*
 * Writes a text without the escapes that only elements of lists and keys need, and a NUL.  Returns
 * the place of the NUL.
 */
static inline char *
put_text(char *to, struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		bool odd =
		    s.len - i >= 4 && s.p[i] == '\\' && s.p[i + 1] == 'x' && s.p[i + 2] == '3';

		if (odd && (s.p[i + 3] == 'b' || s.p[i + 3] == 'd')) {
			*to++ = s.p[i + 3] == 'b' ? ';' : '=';
			i += 3;
			continue;
		}
		if (s.p[i] == '\\' && i + 1 < s.len && (s.p[i + 1] != '.' || s.len == 2))
			*to++ = s.p[i++];
		else if (s.p[i] == '\\')
			i++;
		*to++ = s.p[i];
	}
	*to = '\0';
	return to;
}

/*
 * Returns a number as text that is the same for equal numbers.  It is exact up to 2^53, and then
 * that of a double.  Any other text is returned as it is.
 */
static inline struct slice
value_of(struct facts *f, struct slice s)
{
	char text[64];
	int64_t i;
	double d;

	if (num_get_i64(s, &i) && i >= -(INT64_C(1) << 53) && i <= INT64_C(1) << 53 &&
	    (i != 0 || s.p[0] != '-')) /* -0 is a double */
		snprintf(text, sizeof text, "%" PRId64, i);
	else if (num_is_integer(s) || num_get_double(s, &d))
		snprintf(text, sizeof text, "%.17g", strtod(facts_copy(f, s), NULL));
	else
		return s;
	return slice_of(facts_copy(f, slice_of(text)));
}

/* Returns the value of the tag, or "." if it is empty. */
static inline struct slice
tag_of(const struct ev *ev, struct slice key)
{
	struct slice value = ev_get(ev, key);

	return value.len == 0 ? SLICE(".") : value;
}

/* Returns whether "." in the run column of such a line means the pool of several runs. */
static inline bool
has_run(struct slice kind)
{
	return !slice_eq(kind, SLICE("comment")) && !slice_eq(kind, SLICE("other"));
}

/* Adds a fact whose text is the words, each with a TAB before it. */
static inline void
fact_add(struct facts *f, const struct ev *ev, bool said, bool optional, enum how_often often,
    size_t n, const struct slice *words)
{
	size_t len = 1, i;
	char *p;

	if (f->n == f->cap) {
		f->cap = f->cap == 0 ? 64 : f->cap * 2;
		f->p = realloc(f->p, f->cap * sizeof *f->p);
		check(f->p != NULL, "no memory");
	}
	for (i = 0; i < n; i++)
		len += words[i].len + 1;
	p = facts_room(f, len + 1);
	f->p[f->n++] =
	    (struct fact){ facts_copy(f, has_run(ev->col[EV_KIND]) ? ev->col[EV_RUN] : SLICE("")),
		    p, said ? ev->number : 0, optional };
	*p++ = (char)('0' + often);
	for (i = 0; i < n; i++) {
		*p++ = '\t';
		p = put_text(p, words[i]);
	}
}

/*
 * Returns whether the unit is kept unchanged.  The units text and count change with the datatype.
 */
static inline bool
is_kept_unit(struct slice unit)
{
	return !slice_is_nothing(unit) && !slice_eq(unit, SLICE("text")) &&
	    !slice_eq(unit, SLICE("count")) && !slice_eq(unit, SLICE("-")) && unit.len != 0;
}

static inline void
data_facts(struct facts *f, const struct ev *ev, bool said)
{
	struct slice kind = ev->col[EV_KIND], none = SLICE("."), unit = tag_of(ev, SLICE("unit"));
	struct slice time = ev->col[EV_TIME], start = tag_of(ev, SLICE("start"));
	bool agg = slice_eq(kind, SLICE("agg")), point = slice_eq(kind, SLICE("sample"));
	bool nothing = slice_is_nothing(ev->col[EV_VALUE]);
	struct slice words[8];

	if (slice_is_nothing(time))
		time = start = SLICE("0");
	words[0] = kind;
	words[1] = time;
	words[2] = point ? none : slice_is_nothing(start) ? time : start;
	words[3] = agg ? tag_of(ev, SLICE("stat")) : none;
	words[4] = ev->col[EV_REGION];
	words[5] = ev->col[EV_MEASURE];
	words[6] = value_of(f, ev->col[EV_VALUE]);
	words[7] = unit;
	fact_add(f, ev, said, nothing, EXACTLY, 7, words);
	if (is_kept_unit(unit))
		fact_add(f, ev, said, nothing, AT_LEAST, 8, words);
}

static inline void
event_facts(struct facts *f, const struct ev *ev, bool said)
{
	struct slice scope = tag_of(ev, SLICE("scope"));
	struct slice words[] = { ev->col[EV_KIND], ev->col[EV_TIME], ev->col[EV_REGION], scope };

	if (!slice_is_nothing(scope))
		fact_add(f, ev, said, false, slice_eq(scope, SLICE("region")) ? EXACTLY : AT_LEAST,
		    4, words);
}

static inline void
definition_facts(struct facts *f, const struct ev *ev, bool said)
{
	struct slice kind = ev->col[EV_KIND], unit = tag_of(ev, SLICE("unit"));
	bool run = slice_eq(kind, SLICE("run"));
	struct slice words[] = { kind, run ? SLICE("") : ev->col[EV_MEASURE], SLICE("") };

	fact_add(f, ev, said, false, ONCE, 2, words);
	words[2] = run ? ev->col[EV_TIME] : unit;
	if (run ? !slice_is_nothing(words[2]) : is_kept_unit(unit))
		fact_add(f, ev, said, false, ONCE, 3, words);
}

/* Adds the facts of a line.  With SAID they are expected, otherwise they were found. */
static inline void
facts_take(struct facts *f, const struct ev *ev, bool said)
{
	struct slice kind = ev->col[EV_KIND], start = tag_of(ev, SLICE("start"));
	struct slice record = tag_of(ev, SLICE("record"));
	struct slice pause[] = { kind, ev->col[EV_TIME], start };
	struct slice other[] = { kind, record };
	struct slice comment[] = { kind, ev->col[EV_VALUE] };

	if (slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span")) ||
	    slice_eq(kind, SLICE("agg"))) {
		data_facts(f, ev, said);
	} else if (slice_eq(kind, SLICE("pause"))) {
		if (slice_is_nothing(pause[1]))
			pause[1] = pause[2] = SLICE("0");
		if (slice_is_nothing(pause[2]))
			pause[2] = pause[1];
		fact_add(f, ev, said, false, EXACTLY, 3, pause);
	} else if (slice_eq(kind, SLICE("start")) || slice_eq(kind, SLICE("stop")) ||
	    slice_eq(kind, SLICE("section"))) {
		event_facts(f, ev, said);
	} else if (slice_eq(kind, SLICE("run")) || slice_eq(kind, SLICE("measure"))) {
		definition_facts(f, ev, said);
	} else if (slice_eq(kind, SLICE("comment"))) {
		fact_add(f, ev, said, false, EXACTLY, 2, comment);
	} else if (slice_eq(kind, SLICE("other")) && !slice_is_nothing(record)) {
		fact_add(f, ev, said, false, EXACTLY, 2, other);
	}
}

static inline int
by_fact(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int c = strcmp(x->run, y->run);

	return c != 0 ? c : strcmp(x->text, y->text);
}

static inline void
differ(const struct fact *f, size_t said, size_t found)
{
	fprintf(stderr, "said %zu times, found %zu times, line %" PRIu64 ": run %s: %s\n", said,
	    found, f->line, f->run, f->text);
	check(0, "a line comes back as another, or not at all");
}

/*
 * Compares expected with found facts, of which both are then in the list of the expected ones.
 * With LOST some may be missing.
 */
static inline void
facts_compare(struct facts *said, const struct facts *found, bool lost)
{
	size_t i, from;

	for (i = 0; i < found->n; i++) {
		if (said->n == said->cap) {
			said->cap = said->cap == 0 ? 64 : said->cap * 2;
			said->p = realloc(said->p, said->cap * sizeof *said->p);
			check(said->p != NULL, "no memory");
		}
		said->p[said->n++] = found->p[i];
	}
	if (said->n != 0)
		qsort(said->p, said->n, sizeof *said->p, by_fact);
	for (from = 0; from < said->n; from = i) {
		const struct fact *f = &said->p[from], *of = f;
		size_t must = 0, may = 0, is = 0;
		enum how_often often = (enum how_often)(f->text[0] - '0');

		for (i = from; i < said->n && by_fact(f, &said->p[i]) == 0; i++) {
			is += said->p[i].line == 0;
			must += said->p[i].line != 0 && !said->p[i].optional;
			may += said->p[i].line != 0 && said->p[i].optional;
			if (of->line == 0)
				of = &said->p[i];
		}
		if (often == EXACTLY && is > must + may)
			differ(of, must + may, is);
		if (!lost && is < (often == ONCE ? must != 0 : must))
			differ(of, must, is);
	}
}

#endif
