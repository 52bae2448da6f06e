/* SPDX-License-Identifier: ISC */
/* pattern.c - extended regular expressions, which are looked for in texts of the stream. */
#include "lib/pattern.h"

#include <errno.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define SHOWN_MAX 60 /* bytes of a pattern in a message */
/*
 * Of an expression, when what it repeats has been copied: the C library does so without a limit,
 * needs time and memory that grow with the square of the number of parts that may be missing, and
 * recurses.  It may come from a partial result, and so from others.
 */
#define SIZE_LIMIT ((size_t)20000)
#define MAYBE 20 /* more for what may be missing, as there is a way around it */
#define DEPTH_LIMIT 50
/*
 * Of a part: the C library writes out, after a ^, each way of passing it without a byte, which are
 * millions for .*+++++.
 */
#define WAYS_LIMIT ((size_t)2000)
#define NESTED_LIMIT 15 /* repetitions of what is repeated; time grows with more than their cube */
#define NO_END SIZE_MAX /* of repetitions */

void
pattern_free(struct pattern *p)
{
	if (p->regex != NULL)
		regfree(p->regex);
	mem_free(p->regex);
	buf_free(&p->text);
	tab_free(&p->known);
	mem_free(p->verdict);
	buf_free(&p->room);
	*p = (struct pattern){ .cap = 0 };
}

/* Returns true if the pattern matches only itself and is not escaped in the stream. */
static bool
is_plain(struct slice pattern)
{
	size_t i;

	for (i = 0; i < pattern.len; i++)
		if (strchr("^.[$()|*+?{\\", pattern.p[i]) != NULL)
			return false;
	return esc_is_plain(pattern.p, pattern.len, ESC_ELEMENT);
}

/*
 * Makes sure that there is memory for an expression of n bytes.  The C library may free its own
 * twice if it runs out (glibc 2.36).
 */
static bool
has_memory(size_t n)
{
	void *there = mem_alloc((size_t)64 * 1024 + n * 512);

	mem_free(there);
	return there != NULL;
}

/* Skips a bracket expression, whose "[" is at I.  Returns the place of its "]", or the end. */
static size_t
end_of_bracket(struct slice s, size_t i)
{
	i++;
	if (i < s.len && s.p[i] == '^')
		i++;
	if (i < s.len && s.p[i] == ']')
		i++;
	while (i < s.len && s.p[i] != ']')
		i++;
	return i;
}

/* What a part of an expression costs, and so does a sequence of parts. */
struct cost {
	size_t size; /* when all that is repeated has been copied */
	size_t ways; /* in which it can match the empty text */
	size_t nested; /* repetitions of what is repeated */
	bool repeated; /* a part of it is */
};

static const struct cost nothing = { .ways = 1 };

static size_t
multiply(size_t a, size_t b)
{
	return b != 0 && a > WAYS_LIMIT / b ? WAYS_LIMIT + 1 : a * b;
}

static struct cost
join(struct cost a, struct cost b)
{
	return (struct cost){ a.size + b.size, multiply(a.ways, b.ways), a.nested + b.nested,
		a.repeated || b.repeated };
}

/* Returns a part that is repeated LEAST to MOST times; MOST may be NO_END. */
static struct cost
copies(struct cost x, size_t least, size_t most)
{
	size_t all = most == NO_END || most < least ? least : most, i, ways = 1, rest = 1;

	if (most == NO_END)
		rest = 1 + x.ways;
	for (i = least; i < all && rest <= WAYS_LIMIT; i++)
		rest = 1 + multiply(x.ways, rest);
	for (i = 0; i < least && ways <= WAYS_LIMIT; i++)
		ways = multiply(ways, x.ways);
	x.size *= all + 1;
	x.ways = multiply(ways, rest);
	return x;
}

/* Returns the cost of a part when it is repeated, and moves *I to the end of what says so. */
static struct cost
repeated(struct cost x, struct slice s, size_t *i)
{
	size_t n = 0, least = 0, most = 0;
	bool range = false;

	x.nested += x.repeated;
	x.repeated = true;
	if (s.p[*i] == '+') {
		x.size *= 2;
		x.ways = multiply(x.ways, x.ways + 1);
		return x;
	}
	if (s.p[*i] != '{') {
		x.size += MAYBE;
		x.ways++;
		return x;
	}
	while (++*i < s.len && s.p[*i] != '}' && x.size <= SIZE_LIMIT) {
		if (s.p[*i] == ',') {
			x.size += MAYBE;
			range = true;
			least = n;
			n = 0;
			most = NO_END;
		} else if (s.p[*i] >= '0' && s.p[*i] <= '9' && n <= SIZE_LIMIT) {
			n = n * 10 + (size_t)(s.p[*i] - '0');
			most = n;
		}
	}
	return copies(x, range ? least : n, most);
}

/* Returns the cost of the part at *I, one character as a rule, and moves *I to its last byte. */
static struct cost
one(struct slice s, size_t *i)
{
	bool empty = s.p[*i] == '^' || s.p[*i] == '$';

	if (s.p[*i] == '[') {
		*i = end_of_bracket(s, *i);
	} else if (s.p[*i] == '\\' && *i + 1 < s.len) {
		++*i;
		empty = strchr("bB<>`'", s.p[*i]) != NULL;
	}
	return (struct cost){ .size = 1, .ways = empty };
}

/* Stores the size.  Returns false if a part is too large, nested too deeply, or too often empty. */
static bool
is_bounded(struct slice s, size_t *size)
{
	struct {
		struct cost before; /* the parts before the last one */
		size_t others; /* the ways of the alternatives before */
	} level[DEPTH_LIMIT + 1] = { { nothing, 0 } }, *l = level;
	struct cost last = nothing;
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] == '(') {
			l->before = join(l->before, last);
			if (l++ == level + DEPTH_LIMIT)
				return false;
			l->before = last = nothing;
			l->others = 0;
		} else if (s.p[i] == ')' && l > level) {
			last = join(l->before, last);
			last.size++;
			last.ways += l->others;
			l--;
		} else if (s.p[i] == '|') {
			l->before = join(l->before, last);
			l->others += l->before.ways;
			l->before.ways = 1;
			last = (struct cost){ .size = 1, .ways = 1 };
		} else if (strchr("*+?{", s.p[i]) != NULL) {
			last = repeated(last, s, &i);
		} else {
			l->before = join(l->before, last);
			last = one(s, &i);
		}
		if (l->before.size + last.size > SIZE_LIMIT || l->before.ways > WAYS_LIMIT ||
		    last.ways > WAYS_LIMIT || l->before.nested + last.nested > NESTED_LIMIT)
			return false;
	}
	for (; l > level; l--)
		last.size += l->before.size;
	*size = l->before.size + last.size;
	return *size <= SIZE_LIMIT;
}

/*
 * Returns true for a reference to an earlier part, such as \1, which the C library takes, although
 * regex(7) has none in extended expressions: to look for it takes a time without a useful bound.
 */
static bool
refers_back(struct slice s)
{
	size_t i;

	for (i = 0; i + 1 < s.len; i++)
		if (s.p[i] == '[')
			i = end_of_bracket(s, i);
		else if (s.p[i] == '\\' && s.p[++i] >= '1' && s.p[i] <= '9')
			return true;
	return false;
}

/* Compiles the text.  If that fails, there is nothing for regfree to free. */
static int
compile(struct pattern *p, struct err *e)
{
	struct slice text = pattern_text(p);
	size_t size;
	char why[128];
	int rc;

	if (!is_bounded(text, &size))
		return err_data(e,
		    "regular expression '%.*s': too large, or nested too deeply, when what it "
		    "repeats is written out",
		    slice_shown(text, SHOWN_MAX), text.p);
	if (refers_back(text))
		return err_data(e,
		    "regular expression '%.*s': \\1 to \\9, what an earlier part has matched, "
		    "cannot be looked for",
		    slice_shown(text, SHOWN_MAX), text.p);
	p->regex = mem_alloc(sizeof *p->regex);
	if (p->regex == NULL)
		return err_nomem(e);
	rc = has_memory(size) ? regcomp(p->regex, text.p, REG_EXTENDED | REG_NOSUB) : REG_ESPACE;
	if (rc == 0)
		return 0;
	(void)regerror(rc, p->regex, why, sizeof why);
	mem_free(p->regex);
	p->regex = NULL;
	if (rc == REG_ESPACE)
		return err_nomem(e);
	return err_data(e, "regular expression '%.*s': %s", slice_shown(text, SHOWN_MAX), text.p,
	    why);
}

int
pattern_make(struct pattern *p, struct slice text, struct err *e)
{
	*p = (struct pattern){ .cap = 0 };
	if (text.len == 0)
		return err_data(e, "an empty regular expression");
	if (memchr(text.p, '\0', text.len) != NULL)
		return err_data(e, "a regular expression cannot have a NUL byte");
	if (!buf_put(&p->text, text.p, text.len) || !buf_putc(&p->text, '\0'))
		return err_nomem(e);
	return is_plain(text) ? 0 : compile(p, e);
}

/* Stores the bytes of an escaped text, and a NUL, in ROOM.  Returns false if memory runs out. */
static bool
undo(struct buf *room, struct slice s)
{
	size_t at;

	room->len = 0;
	if (memchr(s.p, '\\', s.len) == NULL && !slice_is_nothing(s))
		return buf_put(room, s.p, s.len) && buf_putc(room, '\0');
	/* the reader has checked the escapes, so only allocation can fail */
	return esc_undo(room, s, &at) == 0 && buf_putc(room, '\0');
}

bool
pattern_has(const struct pattern *p, struct slice text)
{
	struct slice part = pattern_text(p);
	const char *s = text.p, *end = text.p + text.len;

	while ((size_t)(end - s) >= part.len) {
		s = memchr(s, part.p[0], (size_t)(end - s) - part.len + 1);
		if (s == NULL)
			return false;
		if (memcmp(s, part.p, part.len) == 0)
			return true;
		s++;
	}
	return false;
}

/* The C library may call it no match if memory runs out (glibc 2.36), so errno decides. */
static int
search(const regex_t *regex, const char *text)
{
	int rc;

	errno = 0;
	rc = regexec(regex, text, 0, NULL, 0);
	if (errno == ENOMEM)
		return -1;
	return rc == 0 ? 1 : rc == REG_NOMATCH ? 0 : -1;
}

/* Tests the texts between NUL bytes, since regexec takes strings. */
int
pattern_matches(const struct pattern *p, struct slice value, struct buf *room)
{
	size_t at = 0;
	int rc;

	if (!undo(room, value))
		return -1;
	while (at < room->len) {
		struct slice text = { room->p + at, strlen(room->p + at) };

		if (p->regex == NULL) {
			if (pattern_has(p, text))
				return 1;
		} else {
			rc = search(p->regex, text.p);
			if (rc != 0)
				return rc;
		}
		at += text.len + 1;
	}
	return 0;
}

int
pattern_knows(struct pattern *p, struct slice text)
{
	bool fresh = false;
	size_t n;
	int rc;

	if (pattern_is_plain_for(p, text))
		return pattern_has(p, text);
	n = p->known.count == PATTERN_KNOWN_MAX || !vec_room(p->verdict, p->known.count, p->cap)
	    ? tab_find(&p->known, text)
	    : tab_add(&p->known, text, &fresh);
	if (n != TAB_NONE && !fresh)
		return p->verdict[n];
	rc = pattern_matches(p, text, &p->room);
	if (fresh)
		p->verdict[n] = rc == 1;
	return rc;
}
