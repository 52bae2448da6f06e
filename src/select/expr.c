/* SPDX-License-Identifier: ISC */
/*
 * expr.c - conditions joined by && and ||.
 *
 * The conditions are in an array, and each has two exits: the next condition if it holds, and the
 * next if it does not.  A line is tested by following the exits, however deep the nesting.  While
 * the text is read, the exits of a part that have no target yet form two lists, linked through the
 * same fields.
 */
#include "src/select/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/select/window.h"

#define HOLDS SIZE_MAX /* the ends of the walk */
#define HOLDS_NOT (SIZE_MAX - 1)
#define NO_EXIT SIZE_MAX /* the end of a list */
#define SHOWN_MAX 40 /* bytes of the text in a message */
#define CASE_SHOWN 64
#define MEASURES_SHOWN 4 /* at most, each with so many bytes */
#define MEASURE_SHOWN 32

/* The text that is being read. */
struct parser {
	struct expr *x;
	struct keys *keys;
	struct slice rest;
	struct buf key, value; /* of the condition being read */
	unsigned depth;
	struct err *e;
};

static int parse_any(struct parser *p, struct expr_part *part);

void
expr_free(struct expr *x)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		condition_free(&x->condition[i]);
	mem_free(x->condition);
	tab_free(&x->texts);
	buf_free(&x->room);
	*x = (struct expr){ .count = 0 };
}

/* An exit is a number: twice its condition, plus 1 if it is taken when the condition holds. */
static size_t *
exit_at(struct expr *x, size_t i)
{
	return &x->condition[i / 2].on[i % 2];
}

/* Joins two lists.  None is empty: each condition has both exits. */
static struct expr_exits
join_exits(struct expr *x, struct expr_exits a, struct expr_exits b)
{
	*exit_at(x, a.tail) = b.head;
	return (struct expr_exits){ a.head, b.tail };
}

static void
lead_exits(struct expr *x, struct expr_exits exits, size_t target)
{
	size_t i = exits.head, next;

	for (; i != NO_EXIT; i = next) {
		next = *exit_at(x, i);
		*exit_at(x, i) = target;
	}
}

/* Joins b, which follows a in the text, to a. */
static void
join(struct expr *x, struct expr_part *a, enum expr_join how, const struct expr_part *b)
{
	int onward = how == EXPR_AND, away = !onward;

	lead_exits(x, a->exit[onward], b->first);
	a->exit[onward] = b->exit[onward];
	a->exit[away] = join_exits(x, a->exit[away], b->exit[away]);
}

static int
expected(const struct parser *p, const char *what)
{
	if (p->rest.len == 0)
		return err_data(p->e, "expected %s at the end", what);
	return err_data(p->e, "expected %s at '%.*s'", what, slice_shown(p->rest, SHOWN_MAX),
	    p->rest.p);
}

static void
advance(struct parser *p, size_t n)
{
	p->rest.p += n;
	p->rest.len -= n;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void
skip_blanks(struct parser *p)
{
	while (p->rest.len > 0 && is_blank(p->rest.p[0]))
		advance(p, 1);
}

/* Skips a word that consists of punctuation.  Returns false if it is not next in the text. */
static bool
skip(struct parser *p, struct slice word)
{
	skip_blanks(p);
	if (p->rest.len < word.len || memcmp(p->rest.p, word.p, word.len) != 0)
		return false;
	advance(p, word.len);
	return true;
}

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Operators of other languages, which are words or others here. */
static const struct {
	struct slice word, here;
} foreign[] = {
	{ SLICE_INIT("and"), SLICE_INIT("&&") },
	{ SLICE_INIT("or"), SLICE_INIT("||") },
	{ SLICE_INIT("not"), SLICE_INIT("!") },
	{ SLICE_INIT("=="), SLICE_INIT("=") },
	{ SLICE_INIT("=~"), SLICE_INIT("~") },
	{ SLICE_INIT("<>"), SLICE_INIT("!=") },
	{ SLICE_INIT("&"), SLICE_INIT("&&") },
	{ SLICE_INIT("|"), SLICE_INIT("||") },
};

/*
 * Like expected, if a word is an operator elsewhere: says how it is written here.  Returns 0 if it
 * is none.
 */
static int
expected_spelling(const struct parser *p, const char *what, struct slice word)
{
	size_t i;

	for (i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		if (word.len == foreign[i].word.len &&
		    strncasecmp(word.p, foreign[i].word.p, word.len) == 0)
			return err_data(p->e, "expected %s at '%.*s': '%.*s' is written %s here",
			    what, slice_shown(p->rest, SHOWN_MAX), p->rest.p, (int)word.len, word.p,
			    foreign[i].here.p);
	return 0;
}

/*
 * Like expected, for what may follow a condition.  If its value, which has no quotes, ends at a
 * character that may belong to it, the message says so.
 */
static int
expected_join(const struct parser *p, const char *joins)
{
	struct slice word = { p->rest.p, 0 };
	const char *hint = "";
	char what[80];

	if (p->rest.len == 0)
		return expected(p, joins);
	while (word.len < p->rest.len && !is_blank(word.p[word.len]) && word.p[word.len] != '(')
		word.len++;
	if (expected_spelling(p, joins, word) != 0)
		return p->e->code;
	if (!is_one_of(p->rest.p[0], "()&|'\"=!~<>"))
		hint = ", or quotes around a value with blanks,";
	else if (is_one_of(p->rest.p[0], "(&|'\"") && !is_blank(p->rest.p[-1]) &&
	    !is_one_of(p->rest.p[-1], ")'\""))
		hint = ", or quotes around a value with ()&|'\",";
	(void)snprintf(what, sizeof what, "%s%s", joins, hint);
	return expected(p, what);
}

/* Reads an escape from its backslash on. */
static int
parse_escape(struct parser *p, char *byte)
{
	static const char names[] = "\\\"tnr", bytes[] = "\\\"\t\n\r";
	const char *s = p->rest.p, *at;
	int high, low;

	if (p->rest.len >= 4 && s[1] == 'x' && (high = hex_digit(s[2])) >= 0 &&
	    (low = hex_digit(s[3])) >= 0) {
		*byte = (char)(unsigned char)(high * 16 + low);
		advance(p, 4);
		return 0;
	}
	at = p->rest.len < 2 || s[1] == '\0' ? NULL : strchr(names, s[1]);
	if (at == NULL)
		return expected(p, "an escape (\\\\ \\\" \\t \\n \\r \\xhh)");
	*byte = bytes[at - names];
	advance(p, 2);
	return 0;
}

static int
parse_quoted(struct parser *p, struct buf *out)
{
	char quote = p->rest.p[0], c;
	int rc;

	advance(p, 1);
	while (p->rest.len > 0 && p->rest.p[0] != quote) {
		c = p->rest.p[0];
		if (c != '\\' || quote == '\'') {
			advance(p, 1);
		} else {
			rc = parse_escape(p, &c);
			if (rc != 0)
				return rc;
		}
		if (!buf_putc(out, c))
			return err_nomem(p->e);
	}
	if (p->rest.len == 0)
		return expected(p, quote == '"' ? "\"" : "'");
	advance(p, 1);
	return 0;
}

/* Reads a word up to a blank or one of these characters, or a quoted text. */
static int
parse_word(struct parser *p, const char *ends, struct buf *out, const char *what)
{
	size_t n = 0;

	out->len = 0;
	skip_blanks(p);
	if (p->rest.len > 0 && (p->rest.p[0] == '\'' || p->rest.p[0] == '"'))
		return parse_quoted(p, out);
	while (n < p->rest.len && !is_blank(p->rest.p[n]) && !is_one_of(p->rest.p[n], ends))
		n++;
	if (n == 0)
		return expected(p, what);
	if (!buf_put(out, p->rest.p, n))
		return err_nomem(p->e);
	advance(p, n);
	return 0;
}

/* Reads an operator.  *inverted is true if it is the opposite of *op. */
static int
parse_op(struct parser *p, enum condition_op *op, bool *inverted)
{
	static const struct {
		struct slice word;
		enum condition_op op;
		bool inverted;
	} ops[] = {
		{ SLICE_INIT("="), CONDITION_EQUAL, false },
		{ SLICE_INIT("!="), CONDITION_EQUAL, true },
		{ SLICE_INIT("~"), CONDITION_MATCHES, false },
		{ SLICE_INIT("!~"), CONDITION_MATCHES, true },
		{ SLICE_INIT("<"), CONDITION_LESS, false },
		{ SLICE_INIT("<="), CONDITION_AT_MOST, false },
		{ SLICE_INIT(">"), CONDITION_MORE, false },
		{ SLICE_INIT(">="), CONDITION_AT_LEAST, false },
	};
	static const char which[] = "one of = != ~ !~ < <= > >=";
	struct slice word;
	size_t i;

	skip_blanks(p);
	word = (struct slice){ p->rest.p, 0 };
	while (word.len < p->rest.len && is_one_of(word.p[word.len], "=!~<>"))
		word.len++;
	for (i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (slice_eq(word, ops[i].word)) {
			*op = ops[i].op;
			*inverted = ops[i].inverted;
			advance(p, word.len);
			return 0;
		}
	if (expected_spelling(p, which, word.len != 0 ? word : buf_slice(&p->key)) != 0)
		return p->e->code;
	return expected(p, which);
}

/* Makes a condition with both exits open. */
static int
add_condition(struct parser *p, const struct condition_words *words, bool inverted,
    struct expr_part *part)
{
	struct expr *x = p->x;
	size_t n = x->count;
	int rc;

	if (n == EXPR_CONDITIONS_MAX)
		return err_data(p->e, "more than %zu conditions", EXPR_CONDITIONS_MAX);
	if (!vec_room(x->condition, n, x->cap))
		return err_nomem(p->e);
	rc = condition_make(&x->condition[n], words, &x->texts, p->e);
	x->count++; /* expr_free releases it */
	if (rc != 0)
		return rc;
	x->condition[n].inverted = inverted;
	x->condition[n].far =
	    x->condition[n].column == EV_TIME && x->condition[n].op >= CONDITION_LESS;
	x->far |= x->condition[n].far;
	x->condition[n].on[0] = x->condition[n].on[1] = NO_EXIT;
	part->first = n;
	part->exit[inverted] = (struct expr_exits){ 2 * n, 2 * n };
	part->exit[!inverted] = (struct expr_exits){ 2 * n + 1, 2 * n + 1 };
	return 0;
}

/* Adds the tag of the last condition, or that which it is computed from, to those that must be. */
static bool
want_key(struct parser *p)
{
	const struct condition *c = &p->x->condition[p->x->count - 1];

	if (c->frame)
		return keys_want_for(p->keys, c->tag, SLICE("frame"));
	return c->process ? keys_want_or(p->keys, SLICE("pid"), SLICE("pcomm"))
			  : keys_want(p->keys, c->tag);
}

/* The last condition is about a value, unless it asks for none. */
static void
expect_value(struct expr *x)
{
	struct condition *c = &x->condition[x->count - 1];

	c->unrecorded = c->op != CONDITION_EQUAL || !slice_is_nothing(c->text);
	x->unrecorded |= c->unrecorded;
}

static int
parse_condition(struct parser *p, struct expr_part *part)
{
	struct condition_words words;
	bool inverted = false, optional;
	int rc;

	rc = parse_word(p, "()&|!=<>~?'\"", &p->key, "a condition");
	if (rc != 0)
		return rc;
	if (p->key.len == 0)
		return err_data(p->e, "an empty name of a column or tag");
	optional = p->rest.len > 0 && p->rest.p[0] == '?';
	advance(p, optional);
	rc = parse_op(p, &words.op, &inverted);
	if (rc != 0)
		return rc;
	skip_blanks(p);
	words.quoted = p->rest.len > 0 && (p->rest.p[0] == '\'' || p->rest.p[0] == '"');
	rc =
	    parse_word(p, "()&|'\"", &p->value, "a value (quote it if it is empty or has ()&|'\")");
	if (rc != 0)
		return rc;
	words.key = buf_slice(&p->key);
	words.value = buf_slice(&p->value);
	rc = add_condition(p, &words, inverted, part);
	if (rc != 0 || optional)
		return rc;
	expect_value(p->x);
	return want_key(p) ? 0 : err_nomem(p->e);
}

static int
parse_nested(struct parser *p, struct expr_part *part)
{
	int rc = parse_any(p, part);

	if (rc == 0 && !skip(p, SLICE(")")))
		return expected_join(p, "&&, || or )");
	return rc;
}

static int
parse_one(struct parser *p, struct expr_part *part)
{
	bool inverted = false;
	int rc;

	while (skip(p, SLICE("!")))
		inverted = !inverted;
	if (!skip(p, SLICE("("))) {
		rc = parse_condition(p, part);
	} else if (p->depth == EXPR_DEPTH_MAX) {
		rc = err_data(p->e, "more than %d parentheses inside each other", EXPR_DEPTH_MAX);
	} else {
		p->depth++;
		rc = parse_nested(p, part);
		p->depth--;
	}
	if (rc == 0 && inverted) {
		struct expr_exits no = part->exit[0];

		part->exit[0] = part->exit[1];
		part->exit[1] = no;
	}
	return rc;
}

static int
parse_all(struct parser *p, struct expr_part *part)
{
	struct expr_part next;
	int rc = parse_one(p, part);

	while (rc == 0 && skip(p, SLICE("&&"))) {
		rc = parse_one(p, &next);
		if (rc == 0)
			join(p->x, part, EXPR_AND, &next);
	}
	return rc;
}

static int
parse_any(struct parser *p, struct expr_part *part)
{
	struct expr_part next;
	int rc = parse_all(p, part);

	while (rc == 0 && skip(p, SLICE("||"))) {
		rc = parse_all(p, &next);
		if (rc == 0)
			join(p->x, part, EXPR_OR, &next);
	}
	return rc;
}

int
expr_add(struct expr *x, enum expr_join how, struct slice text, struct keys *keys, struct err *e)
{
	struct parser p = { .x = x, .keys = keys, .rest = text, .e = e };
	bool first = x->count == 0;
	struct expr_part part;
	int rc = parse_any(&p, &part);

	skip_blanks(&p);
	if (rc == 0 && p.rest.len != 0)
		rc = expected_join(&p, "&& or ||");
	buf_free(&p.key);
	buf_free(&p.value);
	if (rc != 0)
		return rc;
	if (first)
		x->whole = part;
	else
		join(x, &x->whole, how, &part);
	return 0;
}

void
expr_ready(struct expr *x)
{
	size_t i;

	if (x->count == 0)
		return;
	for (i = 0; i < x->count; i++) {
		x->of_run = x->of_run || condition_is_of_run(&x->condition[i]);
		x->of_no_run = x->of_no_run || condition_is_of_no_run(&x->condition[i]);
	}
	lead_exits(x, x->whole.exit[0], HOLDS_NOT);
	lead_exits(x, x->whole.exit[1], HOLDS);
}

/* Writes the first few measures.  Returns false if one of them is NAME, or if there is none. */
static bool
list_measures(const struct tab *measures, struct slice name, char *text, size_t size)
{
	size_t i;
	int len;

	if (measures->count == 0 || tab_find(measures, name) != TAB_NONE)
		return false;
	len = snprintf(text, size, "there is no such measure, but");
	for (i = 0; i < measures->count && i < MEASURES_SHOWN; i++)
		len += snprintf(text + len, size - (size_t)len, "%s %.*s", i == 0 ? "" : ",",
		    slice_shown(measures->item[i], MEASURE_SHOWN), measures->item[i].p);
	if (i < measures->count)
		(void)snprintf(text + len, size - (size_t)len, ", ...");
	return true;
}

static void
see_values(struct expr *x, const struct ev *ev)
{
	size_t i;

	x->unrecorded = false;
	for (i = 0; i < x->count; i++) {
		struct condition *c = &x->condition[i];

		c->unrecorded = c->unrecorded && slice_is_nothing(condition_value(c, ev));
		x->unrecorded |= c->unrecorded;
	}
}

/* Without a number of nanoseconds the line says nothing about the unit of numbers. */
static void
see_time(struct expr *x, struct slice text)
{
	struct wide time;
	size_t i;

	if (wide_get(text, &time) != WIDE_OK)
		return;
	if (!x->timed || wide_cmp(time, x->least) < 0)
		x->least = time;
	x->timed = true;
	x->far = false;
	for (i = 0; i < x->count; i++) {
		struct condition *c = &x->condition[i];

		c->far = c->far && condition_is_far(c, text);
		x->far |= c->far;
	}
}

void
expr_see(struct expr *x, const struct ev *ev)
{
	if (x->unrecorded)
		see_values(x, ev);
	if (x->far)
		see_time(x, ev->col[EV_TIME]);
}

static struct slice
key_of(const struct condition *c)
{
	return c->frame ? SLICE("frame") : c->tag;
}

/* Returns true if an earlier condition is about the same key. */
static bool
is_repeated(const struct expr *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (x->condition[i].unrecorded &&
		    slice_eq(key_of(&x->condition[i]), key_of(&x->condition[n])))
			return true;
	return false;
}

bool
expr_is_unrecorded(const struct expr *x, size_t n, struct slice *key)
{
	*key = key_of(&x->condition[n]);
	return x->condition[n].unrecorded && !is_repeated(x, n);
}

int
expr_see_frames(struct expr *x, const struct ev *ev)
{
	size_t i;
	int rc;

	for (i = 0; i < x->count; i++) {
		struct condition *c = &x->condition[i];

		if (c->framed == NULL || c->met || c->inverted)
			continue;
		rc = condition_holds(c, ev, &x->room);
		c->met = rc == 1;
		if (rc == 0)
			rc = condition_holds(c->framed, ev, &x->room);
		c->frames += rc == 1;
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Writes that a function which is no region is further out in stacks.  Returns false if not. */
static bool
advise_frame(const struct expr *x, char *text, size_t size)
{
	const struct condition *c;
	struct slice name;
	size_t i = 0;

	while (i < x->count && (x->condition[i].met || x->condition[i].frames == 0))
		i++;
	if (i == x->count)
		return false;
	c = &x->condition[i];
	name = c->op == CONDITION_MATCHES ? pattern_text(c->pattern) : c->text;
	(void)snprintf(text, size, "it is in %" PRIu64 " stack%s: frame%s%.*s", c->frames,
	    c->frames == 1 ? "" : "s", c->op == CONDITION_MATCHES ? "~" : "=",
	    slice_shown(name, SHOWN_MAX), name.p);
	return true;
}

bool
expr_is_far(const struct expr *x, size_t n, char *text, size_t size)
{
	static const char *const ops[] = {
		[CONDITION_LESS] = "<",
		[CONDITION_AT_MOST] = "<=",
		[CONDITION_MORE] = ">",
		[CONDITION_AT_LEAST] = ">=",
	};
	const struct condition *c = &x->condition[n];
	char least[WINDOW_SECONDS_MAX];
	size_t i;

	if (!x->timed || !c->far)
		return false;
	for (i = 0; i < n; i++)
		if (x->condition[i].far)
			return false;
	window_spell_seconds(least, x->least);
	(void)snprintf(text, size,
	    "time%s%.*s holds for %s: they are in ns, and begin at %s (afsel --time takes times "
	    "with a unit)",
	    ops[c->op], slice_shown(c->text, SHOWN_MAX), c->text.p,
	    c->op == CONDITION_LESS || c->op == CONDITION_AT_MOST ? "no time" : "all times", least);
	return true;
}

bool
expr_has_other_case(const struct expr *x, size_t n, char *text, size_t size)
{
	const struct condition *c = &x->condition[n];
	struct slice key = key_of(c), other = { c->other, c->text.len };
	size_t i;

	if (c->other == NULL || c->equalled)
		return false;
	for (i = 0; i < x->count; i++)
		if (x->condition[i].op == CONDITION_EQUAL &&
		    slice_eq(key_of(&x->condition[i]), key) &&
		    slice_eq(x->condition[i].text, other))
			return false;
	if (other.len > CASE_SHOWN)
		other = SLICE("it with letters in the other case");
	(void)snprintf(text, size, "none of the lines compared has %.*s=%.*s, but some have %.*s",
	    slice_shown(key, SHOWN_MAX), key.p, slice_shown(c->text, CASE_SHOWN), c->text.p,
	    (int)other.len, other.p);
	return true;
}

bool
expr_advise(const struct expr *x, const struct tab *measures, char *text, size_t size)
{
	const struct condition *c;
	bool equal = false;
	size_t i;

	if (advise_frame(x, text, size))
		return true;
	for (i = 0; i < x->count; i++) {
		c = &x->condition[i];
		if (c->op != CONDITION_EQUAL || c->inverted)
			continue;
		equal |= c->other == NULL;
		if (c->column == EV_MEASURE && list_measures(measures, c->text, text, size))
			return true;
		if (memchr(c->text.p, ',', c->text.len) == NULL)
			continue;
		(void)snprintf(text, size,
		    "'%.*s' is one value: || joins conditions, such as comm=a || comm=b",
		    slice_shown(c->text, SHOWN_MAX), c->text.p);
		return true;
	}
	(void)snprintf(text, size, "= compares the whole value, ~ finds a part of it");
	return equal;
}

int
expr_holds(struct expr *x, const struct ev *ev)
{
	size_t i = x->count == 0 ? HOLDS : 0;
	int rc;

	while (i < HOLDS_NOT) {
		rc = condition_holds(&x->condition[i], ev, &x->room);
		if (rc < 0)
			return -1;
		i = x->condition[i].on[rc];
	}
	return i == HOLDS;
}

/* Returns 1 if the condition holds for the line, 0 if it does not, 2 if it may, or -1. */
typedef int tester(const struct condition *c, const struct ev *ev, struct buf *room);

/* Returns 1 if the expression holds for some outcome of the conditions that may hold or not. */
static int
may_hold(struct expr *x, const struct ev *ev, tester *test)
{
	size_t i;
	int rc, k;

	for (i = 0; i < x->count; i++)
		x->condition[i].reached = i == 0;
	/* exits lead to conditions further on, so one walk finds all that can be reached */
	for (i = 0; i < x->count; i++) {
		const struct condition *c = &x->condition[i];

		if (!c->reached)
			continue;
		rc = test(c, ev, &x->room);
		if (rc < 0)
			return -1;
		for (k = 0; k < 2; k++) {
			if (rc != 2 && rc != k)
				continue;
			if (c->on[k] == HOLDS)
				return 1;
			if (c->on[k] != HOLDS_NOT)
				x->condition[c->on[k]].reached = true;
		}
	}
	return x->count == 0;
}

int
expr_may_hold(struct expr *x, const struct ev *ev)
{
	return may_hold(x, ev, condition_holds_for_run);
}

int
expr_may_hold_by_run(struct expr *x, const struct ev *ev)
{
	return may_hold(x, ev, condition_holds_beside_run);
}
